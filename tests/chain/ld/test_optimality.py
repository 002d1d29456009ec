"""When potentials of given bases are accepted, on tables made for the purpose."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.chain.ld.optimality import Judge
from prover.chain.ld.potentials import Derivation
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Basis, Couplings
from prover.chain.model import LabelledMarkovChain
from tests import oracle
from tests.chain.problems import flint, fraction, whole

F = Fraction
ALPHA = F(3, 2)
CHAIN = LabelledMarkovChain.of(
    {
        "s": ("a", {"g": "1/10", "h": "1/10", "z": "4/5"}),
        "t": ("a", {"p": "2/5", "q": "2/5", "z": "1/5"}),
        **{name: ("m", {"z": 1}) for name in "ghpqk"},
        "z": ("z", {"z": 1}),
    }
)
G, H, P, Q, K = (CHAIN.index(name) for name in "ghpqk")
PAIR = CHAIN.index("s"), CHAIN.index("t")
FREE = Basis((), frozenset({CHAIN.index("z")}), frozenset())


def judge_of(distances: dict[tuple[int, int], Fraction]) -> Judge:
    """The judge of the table with these distances, and 1 for all other pairs of equal label."""
    table = {pair: distances.get(pair, F(1)) for pair in oracle.alike_pairs(CHAIN)}
    return Judge.of(whole(CHAIN, ALPHA), DistanceValues.of({pair: flint(d) for pair, d in table.items()}))


def verdict(judge: Judge, basis: Basis) -> Derivation | None:
    """The potentials of a basis of the part with label m; z has no sink, and all its mass stays behind."""
    parts = judge.problem.parts[PAIR]
    bases = [basis if part.sinks else FREE for part in parts]
    return judge.potentials(parts, bases)


def opened(*paths: tuple[int, ...]) -> Basis:
    return Basis(paths, frozenset(), frozenset({P, Q}))


SHARED = {(G, K): F(1, 10), (H, K): F(1, 10), (K, P): F(1, 10), (K, Q): F(1, 5)}


@pytest.mark.parametrize("paths", [((G, K, P), (H, K, Q)), ((H, K, Q), (G, K, P)), ((G, K, Q), (H, K, Q))])
def test_paths_through_one_state_to_ends_of_different_cost(paths: tuple[tuple[int, ...], ...]) -> None:
    # From the first path on, the potential of k is that of one end; the path to the other is not tight.
    judge = judge_of(SHARED)
    assert verdict(judge, opened(*paths)) is None
    best = verdict(judge, opened((G, K, P), (H, K, P)))
    assert best is not None
    assert {step.state: (step.kind, step.other) for step in best if step.kind != "constant"} == {
        K: ("to", P),
        G: ("to", K),
        H: ("to", K),
    }


def test_the_better_basis_is_found() -> None:
    judge = judge_of(SHARED)
    parts = judge.problem.parts[PAIR]
    bases = judge.improve(parts, [opened((G, K, P), (H, K, Q)) if part.sinks else FREE for part in parts])
    coupling = Couplings(judge.problem.alpha).of(parts, bases)
    assert coupling is not None
    assert coupling.weights.keys() == {(G, K), (H, K), (K, P)}
    # Each of two tenths pays 1/10 + α/10; 4/5 − α/5 has no place to go.
    assert fraction(judge.table.cost(coupling) / judge.scale) == F(2, 10) * F(1, 4) + F(1, 2)


@pytest.mark.parametrize("gap", [F(1, 10), F(1, 10**12), F(1, 10**40), F(0)])
def test_an_arc_that_undercuts_the_basis(gap: Fraction) -> None:
    judge = judge_of({(G, P): F(1, 2), (H, P): F(1, 2), (G, Q): F(1, 2) - gap})
    assert (verdict(judge, opened((G, P), (H, P))) is None) == (gap > 0)


@pytest.mark.parametrize("gap", [F(1, 10), F(1, 10**12), F(1, 10**40), F(0)])
def test_a_detour_that_undercuts_the_basis(gap: Fraction) -> None:
    # By way of k it costs 1/5 + α 1/5 = 1/2, up to the gap; without any, the potential of k is just right.
    judge = judge_of({(G, P): F(1, 2), (H, P): F(1, 2), (G, K): F(1, 5) - gap, (K, P): F(1, 5)})
    found = verdict(judge, opened((G, P), (H, P)))
    assert (found is None) == (gap > 0)
    if found is not None:  # there is no detour, and the potential of k need not be told
        assert K not in {potential.state for potential in found}
        assert judge.detoured() == (G,)


def test_bases_that_are_no_vertex_of_their_program() -> None:
    judge = judge_of({(G, P): F(1, 2), (H, P): F(2)})
    # A potential above 1, although every arc of the basis is tight.
    assert verdict(judge, opened((G, P), (H, P))) is None
