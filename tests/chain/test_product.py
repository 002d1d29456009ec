"""Products of chains and repeated runs: names, relations, limits, and distances by brute force."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product as tuples

import pytest
from hypothesis import given

from prover.chain import product as composition
from prover.chain.breakpoints import breakpoints
from prover.chain.distance import distance
from prover.chain.kinds import RELATED
from prover.chain.model import LabelledMarkovChain, restrict
from prover.chain.product import product, repeat
from prover.zoo import pin_checker, random_chain, randomised_response
from tests.certified import verified
from tests.oracle import ld, lv_words
from tests.profiles import examples
from tests.refusals import refuses
from tests.strategies import alphas, chains, ending_chains

Words = Counter[tuple[str, ...]]
ONE = Fraction(1)


def words(chain: LabelledMarkovChain, state: int, length: int) -> dict[tuple[str, ...], Fraction]:
    """The probability of every word of that length, seen from a state."""
    runs: dict[tuple[tuple[str, ...], int], Fraction] = {((chain.labels[state],), state): ONE}
    for _ in range(length - 1):
        longer: dict[tuple[tuple[str, ...], int], Fraction] = {}
        for (word, s), mass in runs.items():
            for t, p in chain.rows[s].items():
                key = (*word, chain.labels[t]), t
                longer[key] = longer.get(key, Fraction(0)) + mass * p
        runs = longer
    seen: dict[tuple[str, ...], Fraction] = {}
    for (word, _), mass in runs.items():
        seen[word] = seen.get(word, Fraction(0)) + mass
    return seen


def joint_lv(parts: list[tuple[LabelledMarkovChain, int, int]], alpha: Fraction, length: int) -> Fraction:
    """Σ max(0, P[words | first secrets] − α P[words | second secrets]) over independent words."""
    ahead = [words(chain, s, length) for chain, s, _ in parts]
    behind = [words(chain, t, length) for chain, _, t in parts]
    total = Fraction(0)
    for seen in tuples(*ahead):
        x = y = ONE
        for word, first, second in zip(seen, ahead, behind, strict=True):
            x, y = x * first[word], y * second.get(word, Fraction(0))
        total += max(Fraction(0), x - alpha * y)
    return total


def related_names(chain: LabelledMarkovChain) -> set[tuple[str, str]]:
    return {(chain.states[s], chain.states[t]) for s, t in chain.relation}


def flattened(chain: LabelledMarkovChain) -> LabelledMarkovChain:
    """The chain with inner parentheses left out in all names: ((a,b),c) and (a,(b,c)) become a,b,c."""

    def flat(name: str) -> str:
        return name.replace("(", "").replace(")", "")

    states = {
        flat(name): (flat(label), {flat(chain.states[t]): p for t, p in row.items()})
        for name, label, row in zip(chain.states, chain.labels, chain.rows, strict=True)
    }
    assert len(states) == len(chain)
    return LabelledMarkovChain.of(states, [(flat(s), flat(t)) for s, t in related_names(chain)])


class TestProduct:
    def test_of_two_answers(self) -> None:
        chain = product(randomised_response(), randomised_response())
        assert chain.states == (
            "(a,a)", "(a,b)", "(b,a)", "(b,b)", "(end,end)",
            "(said-a,said-a)", "(said-a,said-b)", "(said-b,said-a)", "(said-b,said-b)",
        )  # fmt: skip
        assert set(chain.labels) == {"(sk,sk)", "(end,end)", "(a,a)", "(a,b)", "(b,a)", "(b,b)"}
        row = chain.rows[chain.index("(a,b)")]
        assert {chain.states[t]: p for t, p in row.items()} == {
            "(said-a,said-a)": Fraction(2, 9), "(said-a,said-b)": Fraction(4, 9),
            "(said-b,said-a)": Fraction(1, 9), "(said-b,said-b)": Fraction(2, 9),
        }  # fmt: skip

    @pytest.mark.parametrize(("related", "changes"), [("one", {1}), ("both", {2}), ("some", {1, 2})])
    def test_relations(self, related: str, changes: set[int]) -> None:
        one = randomised_response()
        databases = ["(a,a)", "(a,b)", "(b,a)", "(b,b)"]
        expected = {
            (s, t) for s in databases for t in databases if (s[1] != t[1]) + (s[3] != t[3]) in changes
        }
        assert related_names(product(one, one, related=related)) == expected

    def test_nested_relations_are_those_of_the_zoo(self) -> None:
        """Two respondents with two answers each: one respondent's answers change, one or both of them."""
        answer = randomised_response()
        both = product(answer, answer, related="some")
        chain = flattened(product(both, both, related="one"))
        zoo = randomised_response(answers=2, respondents=2)
        assert {(s.replace(",", ""), t.replace(",", "")) for s, t in related_names(chain)} == related_names(
            zoo
        )

    def test_only_what_secrets_reach(self) -> None:
        chain = product(pin_checker(), pin_checker())
        assert "(0,2)" not in chain.states
        assert len(chain) == 4 * (1 + 1 + 2) + 1

    def test_without_relations_all_states_are_secrets(self) -> None:
        left, right = random_chain(4, 2, 2), random_chain(3, 2, 3)
        chain = product(left, right)
        assert len(chain) == 12
        assert chain.relation == ()

    @pytest.mark.parametrize("swapped", [False, True])
    def test_a_trivial_factor_changes_nothing(self, swapped: bool) -> None:
        one = LabelledMarkovChain.of({"-": ("-", {"-": 1})})
        survey = randomised_response(answers=2)
        chain = product(one, survey) if swapped else product(survey, one)

        def named(text: str) -> str:
            return f"(-,{text})" if swapped else f"({text},-)"

        assert chain.states == tuple(sorted(map(named, survey.states)))
        assert {chain.states[s]: chain.labels[s] for s in range(len(chain))} == {
            named(state): named(label) for state, label in zip(survey.states, survey.labels, strict=True)
        }
        assert related_names(chain) == {(named(s), named(t)) for s, t in related_names(survey)}
        assert breakpoints(chain).delta == breakpoints(survey).delta

    @examples(15)
    @given(ending_chains(), ending_chains(), alphas())
    def test_true_distances(
        self, left: LabelledMarkovChain, right: LabelledMarkovChain, alpha: Fraction
    ) -> None:
        chain = product(left, right)
        s, t = left.index("s"), left.index("t")
        u, v = right.index("s"), right.index("t")
        for first, second, pairs in (
            ("(s,s)", "(t,t)", ((s, t), (u, v))),
            ("(s,t)", "(t,s)", ((s, t), (v, u))),
            ("(s,s)", "(t,s)", ((s, t), (u, u))),
        ):
            wanted = joint_lv([(left, *pairs[0]), (right, *pairs[1])], alpha, 4)
            places = chain.index(first), chain.index(second)
            assert lv_words(chain, alpha, *places, 4) == wanted
            assert breakpoints(chain, first, second, kind="lv").delta.value(alpha) == wanted

    @examples(5)
    @given(ending_chains(layers=0), chains(max_states=3, related=True), alphas())
    def test_bounds(self, left: LabelledMarkovChain, right: LabelledMarkovChain, alpha: Fraction) -> None:
        chain = product(left, right, related="one")
        table = ld(chain, alpha)
        for s, t in chain.relation:
            assert lv_words(chain, alpha, s, t, 4) <= table[s][t]
        found = verified(distance(chain, alpha=alpha))
        assert found.value == max(table[s][t] for s, t in chain.relation)

    @examples(10)
    @given(ending_chains(), chains(max_states=3, related=True), ending_chains(layers=1))
    def test_is_associative_up_to_names(
        self, first: LabelledMarkovChain, second: LabelledMarkovChain, third: LabelledMarkovChain
    ) -> None:
        for related in RELATED:
            left = product(product(first, second, related=related), third, related=related)
            right = product(first, product(second, third, related=related), related=related)
            assert flattened(left) == flattened(right)

    @examples(10)
    @given(ending_chains(), chains(max_states=4, related=True))
    def test_is_symmetric_up_to_names(self, left: LabelledMarkovChain, right: LabelledMarkovChain) -> None:
        def mirrored(name: str) -> str:
            first, second = name[1:-1].split(",")
            return f"({second},{first})"

        chain, other = product(left, right), product(right, left)
        assert {(mirrored(s), mirrored(t)) for s, t in related_names(chain)} == related_names(other)
        for s, row in enumerate(chain.rows):
            place = other.index(mirrored(chain.states[s]))
            expected = {mirrored(chain.states[t]): p for t, p in row.items()}
            assert {other.states[t]: p for t, p in other.rows[place].items()} == expected

    @examples(20)
    @given(ending_chains(), ending_chains(layers=1), alphas(), alphas())
    def test_basic_composition_is_never_better(
        self, left: LabelledMarkovChain, right: LabelledMarkovChain, first: Fraction, second: Fraction
    ) -> None:
        together = breakpoints(product(left, right)).delta.value(first * second)
        assert together <= breakpoints(left).delta.value(first) + breakpoints(right).delta.value(second)
        alone = max(breakpoints(left).delta.value(first), breakpoints(right).delta.value(first))
        assert breakpoints(product(left, right)).delta.value(first) >= alone
        # The data of two respondents, of whom one changes: nothing is lost at all.
        assert breakpoints(product(left, right, related="one")).delta.value(first) == alone

    def test_unknown_relation(self) -> None:
        with refuses("unknown-relation", match=r'"all".*one, both, some'):
            product(pin_checker(), pin_checker(), related="all")

    @pytest.mark.parametrize(("left", "right"), [(("a", "a,b"), ("b,c", "c")), (("a", "a,"), (",b", "b"))])
    def test_ambiguous_names(self, left: tuple[str, str], right: tuple[str, str]) -> None:
        def chain(names: tuple[str, str], labels: tuple[str, str]) -> LabelledMarkovChain:
            return LabelledMarkovChain.of(
                {name: (label, {name: 1}) for name, label in zip(names, labels, strict=True)}
            )

        with refuses("ambiguous-product", match="two states"):
            product(chain(left, ("x", "y")), chain(right, ("x", "y")))
        with refuses("ambiguous-product", match="two labels"):
            product(chain(("s", "t"), left), chain(("s", "t"), right))

    @pytest.mark.slow
    def test_limits(self) -> None:
        large = random_chain(states=1000, degree=2)
        with refuses("product-too-large", match="50,000 states"):
            product(large, large)
        dense = random_chain(states=50, degree=40)
        with refuses("product-too-large", match="500,000 transitions"):
            product(dense, dense)
        wide = randomised_response(answers=5)
        with refuses("product-too-large", match="200,000 related pairs"):
            product(wide, wide)

    @pytest.mark.parametrize(
        ("limit", "size"), [("MOST_STATES", 9), ("MOST_TRANSITIONS", 21), ("MOST_PAIRS", 12)]
    )
    def test_a_limit_is_what_is_still_allowed(
        self, limit: str, size: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        survey = randomised_response()
        monkeypatch.setattr(composition, limit, size)
        assert len(product(survey, survey)) == 9
        monkeypatch.setattr(composition, limit, size - 1)
        with refuses("product-too-large", match=f"more than {size - 1} "):
            product(survey, survey)


class TestRepeat:
    def test_one_run_is_the_chain(self) -> None:
        survey = randomised_response()
        assert repeat(survey, 1) == survey
        outside = random_chain(6, 2, 2)
        related = LabelledMarkovChain(outside.states, outside.labels, outside.rows, ((0, 1), (1, 0)))
        assert repeat(related, 1) == restrict(related, [0, 1])

    def test_two_answers_have_the_loss_of_the_zoo(self) -> None:
        """All at once or one after the other: the same δ at every α, from (aa) to (bb) and back."""
        twice = randomised_response(answers=2)
        assert related_names(repeat(randomised_response(), 2)) == {("(a,a)", "(b,b)"), ("(b,b)", "(a,a)")}
        assert breakpoints(repeat(randomised_response(), 2)).delta == breakpoints(twice, "aa", "bb").delta

    def test_all_databases_have_the_loss_of_the_zoo(self) -> None:
        answer, twice = randomised_response(), randomised_response(answers=2)
        chain = product(answer, answer)
        for s in ("aa", "ab", "ba", "bb"):
            for t in ("aa", "ab", "ba", "bb"):
                at_once = breakpoints(chain, f"({s[0]},{s[1]})", f"({t[0]},{t[1]})", kind="lv")
                assert at_once.delta == breakpoints(twice, s, t, kind="lv").delta

    def test_answers_seen_at_once_leave_no_gap(self) -> None:
        """One after the other ld is 103/225; seen at once it is the true 64/225."""
        alpha = Fraction(36, 25)
        found = verified(distance(repeat(randomised_response(), 2), alpha=alpha))
        assert found.value == Fraction(64, 225)
        assert distance(randomised_response(answers=2), alpha=alpha).value == Fraction(103, 225)

    @examples(10)
    @given(ending_chains(), alphas())
    def test_true_distances(self, chain: LabelledMarkovChain, alpha: Fraction) -> None:
        s, t = chain.index("s"), chain.index("t")
        thrice = repeat(chain, 3)
        wanted = joint_lv([(chain, s, t)] * 3, alpha, 4)
        assert breakpoints(thrice, "(s,s,s)", "(t,t,t)", kind="lv").delta.value(alpha) == wanted

    @examples(10)
    @given(chains(max_states=4, related=True))
    def test_is_the_diagonal_of_a_product(self, chain: LabelledMarkovChain) -> None:
        twice, squared = repeat(chain, 2), product(chain, chain, related="both")
        sources = {squared.index(twice.states[s]) for pair in twice.relation for s in pair}
        part = restrict(squared, sources)
        assert (twice.states, twice.labels, twice.rows) == (part.states, part.labels, part.rows)

    @examples(10)
    @given(ending_chains(layers=1))
    def test_more_runs_tell_more(self, chain: LabelledMarkovChain) -> None:
        deltas = [breakpoints(repeat(chain, count)).delta for count in (1, 2, 3)]
        for alpha in (Fraction(1), Fraction(5, 4), Fraction(2)):
            assert deltas[0].value(alpha) <= deltas[1].value(alpha) <= deltas[2].value(alpha)

    @pytest.mark.parametrize("count", [0, -1, 1001, pytest.param(10**6000, id="long")])
    def test_bad_counts(self, count: int) -> None:
        with refuses("bad-count", match="from 1 to 1,000"):
            repeat(pin_checker(), count)

    def test_limits(self) -> None:
        with refuses("product-too-large", match="transitions"):
            repeat(random_chain(states=6, degree=5), 9)
        assert len(repeat(LabelledMarkovChain.of({"s": ("a", {"s": 1})}), 1000)) == 1
