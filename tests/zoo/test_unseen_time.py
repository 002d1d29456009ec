"""Chains with steps that nobody sees: their structure, and what is seen of a crowd."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from prover.chain.collapsing.collapse import collapse
from prover.chain.model import LabelledMarkovChain, reachable
from prover.graphs import strong_components
from prover.questions import delta
from prover.zoo import BadParameter, crowds, hidden_loops


def seen_in_a_round(members: int, forward: Fraction, corrupt: Fraction) -> list[Fraction]:
    """The probability that member 0, who writes, or another one is seen; the last number: nobody is."""
    # The first hop is sure. After an honest one the message is with each member equally often, for ever.
    later = (1 - corrupt) * forward * corrupt / (1 - forward * (1 - corrupt)) / members
    shares = [corrupt + later, *[later] * (members - 1)]
    return [*shares, 1 - sum(shares, Fraction(0))]


def best_event(members: int, rounds: int, shares: list[Fraction], alpha: Fraction) -> Fraction:
    """δ of two initiators: Σ max(0, P − α Q) over who is seen in each round."""
    other = [shares[1], shares[0], *shares[2:]]
    total = Fraction(0)
    for word in product(range(members + 1), repeat=rounds):
        x = y = Fraction(1)
        for seen in word:
            x, y = x * shares[seen], y * other[seen]
        total += max(Fraction(0), x - alpha * y)
    return total


class TestCrowds:
    @pytest.mark.family
    @pytest.mark.parametrize(("members", "rounds"), [(2, 1), (3, 2), (6, 3)])
    @pytest.mark.parametrize("alpha", [Fraction(1), Fraction(3, 2), Fraction(3)])
    def test_delta_is_that_of_who_is_seen(self, members: int, rounds: int, alpha: Fraction) -> None:
        found = delta(collapse(crowds(members, rounds)), alpha=alpha, gap=0)
        shares = seen_in_a_round(members, Fraction(4, 5), Fraction(1, 6))
        assert found.value == best_event(members, rounds, shares, alpha)

    def test_who_counts_steps_learns_more(self) -> None:
        chain = crowds(3, 1)
        timed, untimed = (delta(c, alpha="3/2", gap=0).value for c in (chain, collapse(chain)))
        assert timed is not None
        assert untimed is not None
        assert timed > untimed

    def test_without_corrupt_members_nothing_is_seen(self) -> None:
        assert delta(collapse(crowds(3, 2, corrupt=0)), alpha=1).value == 0

    def test_all_pairs_of_initiators_are_related(self) -> None:
        chain = crowds(4, 2)
        assert len(chain.relation) == 4 * 3
        assert all(reachable(chain, [s]) for s, _ in chain.relation)

    @pytest.mark.parametrize(
        "parameters",
        [
            {"members": 0},
            {"rounds": 0},
            {"members": 100, "rounds": 100},
            {"forward": "1"},
            {"corrupt": "-1/2"},
        ],
    )
    def test_parameters(self, parameters: dict[str, str]) -> None:
        with pytest.raises(BadParameter):
            crowds(**parameters)  # type: ignore[arg-type]


class TestHiddenLoops:
    def test_silent_states_are_in_groups_of_one_size(self) -> None:
        chain = hidden_loops(groups=5, size=40, degree=3)
        assert len(chain) == 5 * (40 + 4)

        def hidden(s: int) -> list[int]:
            return [t for t in chain.rows[s] if chain.labels[s] == chain.labels[t] == "hidden"]

        sizes = [len(members) for members in strong_components(range(len(chain)), hidden)]
        assert sorted(sizes) == [1] * 20 + [40] * 5

    def test_only_doors_are_kept(self) -> None:
        small = collapse(hidden_loops(groups=5, size=40, degree=3), ["hidden"])
        assert len(small) == 20
        assert {small.labels[s] == small.labels[t] for s, t in small.relation} == {True}
        assert {len(row) for row in small.rows} <= {1, 2, 3, 4}

    def test_it_is_the_same_for_the_same_parameters(self) -> None:
        first, second, third = (hidden_loops(3, 20, 2, 3, seed) for seed in (1, 1, 2))
        assert first == second
        assert first != third

    @pytest.mark.parametrize("parameters", [{"groups": 0}, {"size": 10**6}, {"doors": 99}, {"seed": -1}])
    def test_parameters(self, parameters: dict[str, int]) -> None:
        with pytest.raises(BadParameter):
            hidden_loops(**parameters)


def test_they_are_chains() -> None:
    assert isinstance(crowds(1, 1), LabelledMarkovChain)
    assert isinstance(hidden_loops(1, 1, 1, 1), LabelledMarkovChain)
