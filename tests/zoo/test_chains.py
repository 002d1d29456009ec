"""The zoo's chains: their structure, and the values that the papers print."""

from fractions import Fraction
from typing import cast

import pytest

from prover.chain.distance import distance
from prover.chain.model import LabelledMarkovChain, Number, reachable
from prover.errors import BadInput
from prover.questions import delta
from prover.zoo import (
    BadParameter,
    dining_cryptographers,
    fig1,
    herman_ring,
    pin_checker,
    random_chain,
    randomised_response,
)
from tests.certified import verified
from tests.oracle import bd, ld, lv_words

SIX_FIFTHS = Fraction(6, 5)


def best_word_event(chain: LabelledMarkovChain, alpha: Fraction, length: int) -> Fraction:
    """max over the relation of lv_α where all runs have ended after ``length`` letters."""
    return max(lv_words(chain, alpha, s, t, length) for s, t in chain.relation)


def related_names(chain: LabelledMarkovChain) -> set[tuple[str, str]]:
    return {(chain.states[s], chain.states[t]) for s, t in chain.relation}


class TestValues:
    @pytest.mark.parametrize("value", [0.5, True, None])
    def test_inexact_numbers_are_refused(self, value: object) -> None:
        with pytest.raises(BadParameter, match=type(value).__name__):
            pin_checker(cast("Number", value))

    def test_too_many_answers_together(self) -> None:
        with pytest.raises(BadInput, match="answers × respondents at most 8"):
            randomised_response(answers=3, respondents=3)


class TestFig1:
    def test_distances_vanish_at_three_halves(self) -> None:
        chain = fig1()
        s, t = chain.relation[0]
        assert bd(chain, Fraction(3, 2))[s][t] == 0
        assert lv_words(chain, Fraction(1), s, t, 2) == Fraction(1, 5)


class TestPinChecker:
    def test_rows(self) -> None:
        chain = pin_checker()
        assert chain.labels == ("a", "a", "b", "b", "end")
        assert chain.rows[chain.index("0")] == {2: Fraction(47, 100), 4: Fraction(53, 100)}
        assert chain.rows[chain.index("3")] == {1: Fraction(47, 100), 4: Fraction(53, 100)}
        assert related_names(chain) == {("0", "1"), ("1", "0")}

    @pytest.mark.parametrize(
        ("alpha", "forward", "backward"),
        [
            (Fraction(1), Fraction(6, 53), Fraction(6, 53)),
            (Fraction(11, 10), Fraction(412, 7791), Fraction(6611, 77910)),
            (Fraction(2809, 2209), Fraction(94, 2597), Fraction(200, 2597)),
        ],
    )
    def test_published_distances(self, alpha: Fraction, forward: Fraction, backward: Fraction) -> None:
        table = ld(pin_checker(), alpha)
        assert (table[0][1], table[1][0]) == (forward, backward)

    def test_true_privacy_loss_is_approached(self) -> None:
        gap = Fraction(200, 2503) - lv_words(pin_checker(), Fraction(1), 0, 1, 40)
        assert 0 < gap < Fraction(1, 10**9)

    @pytest.mark.parametrize("p", [0, 1])
    def test_certain_decisions(self, p: int) -> None:
        assert all(set(row.values()) == {1} for row in pin_checker(p).rows)


class TestRandomisedResponse:
    def test_one_answer(self) -> None:
        chain = randomised_response()
        assert chain.states == ("a", "b", "end", "said-a", "said-b")
        assert chain.labels == ("sk", "sk", "end", "a", "b")
        assert chain.rows[0] == {3: Fraction(2, 3), 4: Fraction(1, 3)}
        assert related_names(chain) == {("a", "b"), ("b", "a")}
        assert best_word_event(chain, SIX_FIFTHS, 3) == Fraction(4, 15)
        assert ld(chain, SIX_FIFTHS)[0][1] == Fraction(4, 15)

    def test_answering_is_private_at_beta(self) -> None:
        assert best_word_event(randomised_response("7/3"), Fraction(7, 3), 3) == 0
        assert best_word_event(randomised_response("7/3"), Fraction(11, 5), 3) > 0

    def test_coins_instead_of_answers(self) -> None:
        assert best_word_event(randomised_response(1), Fraction(1), 3) == 0

    @pytest.mark.thorough
    def test_two_respondents_lose_nothing(self) -> None:
        chain = randomised_response(respondents=2)
        one_direction = {("aa", "ab"), ("aa", "ba"), ("bb", "ab"), ("bb", "ba")}
        assert related_names(chain) == one_direction | {(t, s) for s, t in one_direction}
        assert best_word_event(chain, SIX_FIFTHS, 5) == Fraction(4, 15)
        assert verified(distance(chain, alpha=SIX_FIFTHS)).value == Fraction(4, 15)

    @pytest.mark.thorough
    def test_two_answers_of_one_respondent(self) -> None:
        chain = randomised_response(answers=2)
        alpha = Fraction(36, 25)
        two = randomised_response(respondents=2)
        assert (chain.states, chain.labels, chain.rows) == (two.states, two.labels, two.rows)
        assert related_names(chain) - related_names(two) == {
            ("aa", "bb"), ("bb", "aa"), ("ab", "ba"), ("ba", "ab")
        }  # fmt: skip
        s, t = chain.index("aa"), chain.index("bb")
        assert lv_words(chain, alpha, s, t, 5) == best_word_event(chain, alpha, 5) == Fraction(64, 225)
        of_pair, most = distance(chain, "aa", "bb", alpha=alpha), distance(chain, alpha=alpha)
        assert verified(of_pair).value == verified(most).value == Fraction(103, 225)

    def test_labels_alternate(self) -> None:
        chain = randomised_response(answers=3)
        state, seen = chain.index("abb"), []
        for _ in range(7):
            seen.append(chain.labels[state])
            state = min(chain.rows[state])
        assert seen == ["sk", "a", "sk", "a", "sk", "a", "end"]

    def test_blocks_of_answers(self) -> None:
        chain = randomised_response(answers=2, respondents=2)
        related = related_names(chain)
        assert ("abab", "baab") in related
        assert ("abab", "abba") in related
        assert ("abab", "bbaa") not in related
        assert len(related) == 16 * 2 * 3


class TestDiningCryptographers:
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    def test_number_of_states(self, n: int) -> None:
        chain = dining_cryptographers(n)
        assert len(chain) == 8 * n * (n - 2) + 7 * n + 3
        assert len(reachable(chain, [chain.index(f"start({k})") for k in range(n)])) == len(chain)
        assert len(chain.relation) == n * (n - 1)

    def test_six_diners(self) -> None:
        assert len(dining_cryptographers(6)) == 237

    @pytest.mark.thorough
    def test_published_values_of_two_diners(self) -> None:
        chain = dining_cryptographers()
        alpha = Fraction("1.0002")
        assert related_names(chain) == {("start(0)", "start(1)"), ("start(1)", "start(0)")}
        for s, t in chain.relation:
            assert lv_words(chain, alpha, s, t, 5) == Fraction("0.00030004")
            names = chain.states[s], chain.states[t]
            assert verified(distance(chain, *names, alpha=alpha)).value == Fraction(1, 2500)

    @pytest.mark.parametrize("n", [2, 3])
    def test_fair_coins_hide_the_payer(self, n: int) -> None:
        assert best_word_event(dining_cryptographers(n, "1/2"), Fraction(1), n + 3) == 0

    def test_somebody_paid(self) -> None:
        """The announcements of every run have odd parity."""
        chain = dining_cryptographers(3, "1/3")
        runs = [(chain.index("start(1)"), 0)]
        while any(chain.labels[state] != "end" for state, _ in runs):
            runs = [
                (new, parity ^ (chain.labels[new] == "1"))
                for state, parity in runs
                for new in chain.rows[state]
            ]
        assert {parity for _, parity in runs} == {1}

    def test_certain_coins(self) -> None:
        chain = dining_cryptographers(3, 1)
        assert all(set(row.values()) == {1} for row in chain.rows)


class TestRandomChain:
    def test_golden(self) -> None:
        """The same chain on every version of Python."""
        assert random_chain(states=4, degree=2, labels=2, weights=5, seed=3) == LabelledMarkovChain.of(
            {
                "s0": ("l1", {"s1": "5/6", "s3": "1/6"}),
                "s1": ("l0", {"s0": "3/7", "s2": "4/7"}),
                "s2": ("l0", {"s1": "2/3", "s2": "1/3"}),
                "s3": ("l1", {"s2": "2/3", "s3": "1/3"}),
            }
        )

    def test_shape(self) -> None:
        for seed in range(20):
            chain = random_chain(states=11, degree=4, labels=3, weights=6, seed=seed)
            assert chain.states[:2] == ("s00", "s01")
            assert [len(row) for row in chain.rows] == [4] * 11
            assert sorted(chain.labels.count(label) for label in ("l0", "l1", "l2")) == [3, 4, 4]
            assert all(p <= Fraction(6, 9) for row in chain.rows for p in row.values())
            assert chain.relation == ()

    def test_seeds_differ(self) -> None:
        assert len({random_chain(seed=seed) for seed in range(10)}) == 10

    def test_extremes(self) -> None:
        assert random_chain(1, 1, 1, 1, 0) == LabelledMarkovChain.of({"s0": ("l0", {"s0": 1})})
        full = random_chain(6, 6, 6, 1, 0)
        assert all(list(row.values()) == [Fraction(1, 6)] * 6 for row in full.rows)
        assert set(full.labels) == {f"l{k}" for k in range(6)}


class TestHermanRing:
    def test_shape(self) -> None:
        for processes in (3, 5, 7):
            chain = herman_ring(processes)
            assert len(chain) == 2**processes
            # A token doubles the successors, and C(n, k) states of either first bit have k tokens, k odd.
            assert sum(map(len, chain.rows)) == 3**processes + 1
            assert chain.labels.count("stable") == 2 * processes

    def test_steps(self) -> None:
        chain = herman_ring(3, "1/3", "1/6")  # coins 1/3, 1/2, 2/3
        row = chain.rows[chain.index("000")]
        assert row[chain.index("111")] == Fraction(1, 9)
        assert row[chain.index("100")] == Fraction(1, 3) * Fraction(1, 2) * Fraction(1, 3)
        # 011: only the last process has a token; the others take 1 and 0 from their left neighbours.
        assert chain.rows[chain.index("011")] == {
            chain.index("100"): Fraction(1, 3),
            chain.index("101"): Fraction(2, 3),
        }

    def test_what_is_seen(self) -> None:
        # From three tokens on 5 processes, close together or further apart: the example herman.prism.
        chain = herman_ring(5)
        assert delta(chain, "00001", "00000", alpha=1).lower > 0
        assert ("00000", "10000") in related_names(chain)

    def test_a_ring_without_luck(self) -> None:
        chain = herman_ring(3, 1)
        assert chain.rows[chain.index("000")] == {chain.index("111"): 1}
        assert chain.rows[chain.index("111")] == {chain.index("111"): 1}

    @pytest.mark.parametrize("processes", [0, 1, 2, 4, 11, -3])
    def test_sizes(self, processes: int) -> None:
        with pytest.raises(BadParameter, match="odd number"):
            herman_ring(processes)

    @pytest.mark.parametrize(("p", "drift"), [("1/2", "1/5"), ("1/2", "-1/5"), ("2", "0")])
    def test_coins(self, p: Number, drift: Number) -> None:
        with pytest.raises(BadParameter):
            herman_ring(5, p, drift)
