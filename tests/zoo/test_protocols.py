"""Protocols as model checkers have them: their sizes, and probabilities that paper and pencil give."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb

import pytest

from prover import delta
from prover.chain.model import LabelledMarkovChain
from prover.zoo import BadParameter, announced_diners, counted_crowds, retransmission


def chance_of(chain: LabelledMarkovChain, source: str, label: str) -> Fraction:
    """The probability that a run sees a label; all cycles of the chain are at its ends."""

    @cache
    def seen(s: int) -> Fraction:
        if chain.labels[s] == label:
            return Fraction(1)
        return sum((p * seen(t) for t, p in chain.rows[s].items() if t != s), start=Fraction(0))

    return seen(chain.index(source))


def ordered_pairs(chain: LabelledMarkovChain) -> int:
    return sum(many * (many - 1) for many in Counter(chain.labels).values())


class TestCountedCrowds:
    @pytest.mark.parametrize(("members", "paths"), [(2, 1), (3, 2), (5, 2), (5, 3)])
    def test_size(self, members: int, paths: int) -> None:
        # For all counts after so many paths: 2 places before the next path, 6 with a last member on it and 2
        # ways to be done, less what both lead to; and one place after all. 1198 for 5 members and 3 paths.
        counts = [comb(members + j, members) for j in range(paths + 1)]
        path = (8 * members + 2) * sum(counts[:-1]) - members * sum(counts[:-2])
        assert len(counted_crowds(members, paths)) == 1 + path + counts[-1]

    def test_the_crowd_of_five(self) -> None:
        chain = counted_crowds()
        assert (len(chain), len(set(chain.labels)), ordered_pairs(chain)) == (311, 7, 48_680)
        assert chain.relation == ()

    @pytest.mark.parametrize("paths", [1, 2])
    def test_only_the_first_member_of_a_path_tells_who_wrote(self, paths: int) -> None:
        # At the first possible step a corrupt member sees the writer, and later everybody alike.
        chain = counted_crowds(3, paths, 2, "1/2", "1/4")
        found = delta(chain, alpha=1)
        assert found.lower <= 1 - Fraction(3, 4) ** paths <= found.upper <= found.lower + Fraction(1, 10**6)

    @pytest.mark.parametrize(
        "parameters", [{"members": 0}, {"initiators": 6}, {"paths": 30}, {"corrupt": "2"}]
    )
    def test_parameters(self, parameters: dict[str, int]) -> None:
        with pytest.raises(BadParameter):
            counted_crowds(**parameters)


class TestAnnouncedDiners:
    def test_size(self) -> None:
        assert [len(announced_diners(n)) for n in (2, 3)] == [3 * 15, 4 * 39]
        chain = announced_diners()
        assert (len(chain), len(set(chain.labels)), ordered_pairs(chain)) == (475, 16, 60_814)

    def test_fair_coins_tell_only_whether_a_diner_paid(self) -> None:
        chain = announced_diners(3)
        assert delta(chain, "start(1)", "start(2)", 1).value == 0
        assert delta(chain, "start(0)", "start(1)", 1).value == 1

    def test_parity(self) -> None:
        chain = announced_diners(3, "1/3")
        assert chance_of(chain, "start(0)", "111") == Fraction(1, 3) ** 3 + Fraction(2, 3) ** 3
        assert chance_of(chain, "start(2)", "111") == 0

    def test_a_coin_with_one_side_tells_all(self) -> None:
        assert delta(announced_diners(3, 1), "start(1)", "start(2)", 1).value == 1

    @pytest.mark.parametrize("n", [1, 9])
    def test_parameters(self, n: int) -> None:
        with pytest.raises(BadParameter):
            announced_diners(n)


class TestRetransmission:
    @pytest.mark.parametrize(("frames", "tries"), [(2, 0), (2, 3), (5, 2)])
    def test_how_it_ends(self, frames: int, tries: int) -> None:
        chain = retransmission(frames, tries, "1/5", "1/10")
        lost = 1 - Fraction(4, 5) * Fraction(9, 10)  # one of both is
        arrives = 1 - lost ** (tries + 1)
        start = f"start({frames})"
        assert chance_of(chain, start, "ok") == arrives**frames
        assert chance_of(chain, start, "unknown") == arrives ** (frames - 1) * (1 - arrives)

    def test_only_where_the_shorter_one_ends_they_differ(self) -> None:
        found = delta(retransmission(3, 1, "1/5", "1/10"), alpha=1)
        lost = 1 - Fraction(4, 5) * Fraction(9, 10)
        assert found.value == 1 - lost**2  # the shorter one ends, before the longer one can

    def test_nothing_is_lost(self) -> None:
        assert set(retransmission(3, 2, 0, 0).labels) == {
            "start",
            "frame 0",
            "frame 1",
            "arrived",
            "answered",
            "ok",
        }

    @pytest.mark.parametrize(
        "parameters",
        [{"frames": 1}, {"tries": -1}, {"frames": 10**5}, {"loss": "3/2"}, {"answer_loss": "-1"}],
    )
    def test_parameters(self, parameters: dict[str, int]) -> None:
        with pytest.raises(BadParameter):
            retransmission(**parameters)
