"""Sensitivities of states: shifts 0 and ±s suffice, and what programs lose, against linear programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from prover.errors import NotSupported
from prover.exact.simplex import UnboundedProgram, maximise
from prover.program.adjacency import ADJACENCIES, ONE_WAY
from prover.program.attack.attack import attack
from prover.program.attack.probability import program_unit, rational_probability
from prover.program.model import Edge, Program
from prover.program.noise import DISCRETE_LAPLACE, PLAIN, Noise
from prover.program.optimum.witness import written_out
from prover.program.privacy import privacy
from prover.program.strategies.costs import strategy_costs
from prover.zoo import build_program, leaking_pair, svt
from tests.certificate.program_judge import accepts_program
from tests.certified import proved
from tests.program.automata import leaning, random_program
from tests.program_oracle import differences, runs, straight_line
from tests.refusals import refuses

F = Fraction
SIZES = (F(1, 2), F(1, 3), F(2), F(3), F(5, 2))
LONGEST = 5


def uneven(model: Program, seed: int) -> Program:
    """The program with sensitivities of their own at some states."""
    random = Random(f"uneven {seed}")
    chosen = random.sample(SIZES, 2)
    states = {
        name: replace(old, sensitivity=random.choice(chosen)) if old.input and random.random() < 0.6 else old
        for name, old in model.states.items()
    }
    return replace(model, states=states)


def least_cost(run: Sequence[Edge], deltas: Sequence[int]) -> Fraction:
    """V of a run, over all real shifts: the value of the dual linear program, whose bounds are the rates."""
    stored, tests = 0, []  # (smaller, larger): γ of the one is at most that of the other
    for place, edge in enumerate(run):
        if edge.relation in ("<", "="):
            tests.append((place, stored))
        if edge.relation in (">=", "="):
            tests.append((stored, place))
        stored = place if edge.assigns else stored
    differ = [delta * edge.sensitivity for edge, delta in zip(run, deltas, strict=True)]
    free = [0 if edge.pinned else 1 for edge in run]
    objective = [differ[a] * free[a] - differ[b] * free[b] for a, b in tests]
    rows, bounds = [], []
    for place, edge in enumerate(run):
        row: dict[int, Fraction] = {}
        for k, (a, b) in enumerate(tests):
            row[k] = F((a == place) - (b == place))
        for sign, rate in ((1, edge.left), (-1, edge.right)):
            if free[place] and isinstance(rate, Fraction):
                rows.append({k: sign * entry for k, entry in row.items()})
                bounds.append(rate)
    fixed = F(0)
    for edge, difference in zip(run, differ, strict=True):
        rate = edge.right if difference < 0 else edge.left
        if edge.pinned and difference:
            if not isinstance(rate, Fraction):
                raise UnboundedProgram
            fixed += abs(difference) * rate
        fixed += abs(difference) * (edge.rate_prime or F(0)) if edge.primed else F(0)
    return fixed + maximise(objective, rows, bounds).value


def largest(model: Program, adjacency: str, longest: int) -> Fraction:
    ways = ONE_WAY if adjacency == "monotonic" else (adjacency,)
    return max(
        least_cost(run, deltas)
        for way in ways
        for run in runs(model, longest)
        for deltas in differences(run, way)
        if run
    )


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize(
    "seeds", [range(8), pytest.param(range(8, 120), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_straight_lines_lose_what_linear_programs_say(adjacency: str, seeds: range) -> None:
    for seed in seeds:
        model = uneven(straight_line(Random(seed), 1 + seed % LONGEST), seed)
        answer = privacy(model, adjacency)
        assert answer.runs.exact == largest(model, adjacency, LONGEST), seed
        assert answer.certificate is not None
        assert accepts_program(proved(answer.certificate)), seed


@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ", "decreasing"])
@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 200), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_noise_on_one_side(adjacency: str, seeds: range) -> None:
    infinite = 0
    for seed in seeds:
        model = uneven(leaning(straight_line(Random(seed), 1 + seed % 4), seed), seed)
        try:
            answer = privacy(model, adjacency)
        except NotSupported as error:
            if error.code not in ("endless-chain", "unplaced"):
                raise
            continue
        try:
            expected: Fraction | None = largest(model, adjacency, LONGEST)
        except UnboundedProgram:
            expected = None
        assert answer.runs.bounded is (expected is not None), seed
        assert answer.runs.exact == expected, seed
        infinite += expected is None
        assert answer.certificate is not None
        assert accepts_program(proved(answer.certificate)), seed
    assert infinite


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 150), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_programs_with_loops(adjacency: str, seeds: range) -> None:
    """Short runs lose no more than what is claimed; claims are exact, and lie between multiples of those of
    the program with one sensitivity.
    """
    for seed in seeds:
        even = random_program(seed, 4)
        model = uneven(even, seed)
        plain, answer = privacy(even, adjacency), privacy(model, adjacency)
        assert (answer.runs.bounded, answer.reason) == (plain.runs.bounded, plain.reason)
        if answer.certificate is not None:
            assert accepts_program(proved(answer.certificate)), seed
        if answer.runs.bounded:
            assert answer.runs.exact is not None
            assert plain.runs.exact is not None
            assert largest(model, adjacency, 3) <= answer.runs.exact, seed
            sizes = {edge.sensitivity for edge in model.edges if edge.input} or {F(1)}
            assert min(sizes) * plain.runs.exact <= answer.runs.exact <= max(sizes) * plain.runs.exact, seed


def test_sparse_vector_with_far_queries() -> None:
    """Where all inputs are three times as far apart, and the threshold is public, all costs are."""
    model = uneven_svt(F(3))
    answer = privacy(model)
    assert answer.headline == "private: exactly (15/4)·ε (no smaller multiple holds)"
    assert "neighbouring inputs differ by at most 1 in each number, at q2 by at most 3" in answer.assumption
    assert answer.witness is not None
    assert set(answer.witness.shifts) <= {-3, 0, 3}


def test_shifts_may_be_fractions() -> None:
    answer = privacy(uneven_svt(F(3, 2)))
    assert answer.epsilon == F(15, 8)
    assert answer.witness is not None
    assert answer.witness.shifts[-1] == F(3, 2)


def uneven_svt(size: Fraction, noise: Noise = PLAIN) -> Program:
    states = dict(svt().states)
    states["q2"] = replace(states["q2"], sensitivity=size)
    return replace(svt(), states=states, noise=noise)


@pytest.mark.parametrize("noise", [PLAIN, Noise(DISCRETE_LAPLACE), Noise(DISCRETE_LAPLACE, None, F(2))])
def test_attacks_come_close_between_neighbours(noise: Noise) -> None:
    model = uneven_svt(F(3), noise)
    found = attack(model, epsilon="1/2")
    assert found is not None
    assert found.is_close
    one, other = found.sides
    assert {abs(a - b) for a, b in zip(one, other, strict=True)} == {0, 3}
    assert found.bound == F(15, 8)


def test_losses_on_a_grid_are_as_claimed() -> None:
    """Exact sums, where e^(−ε·unit) is rational: nothing above the claim, whatever neighbours."""
    close = 0
    for seed in range(60):
        random = Random(seed)
        made = random_program(seed, 4) if seed % 2 else leaning(random_program(seed, 4), seed)
        states = {
            name: replace(old, sensitivity=F(random.choice([1, 2, 3]))) if old.input else old
            for name, old in made.states.items()
        }
        model = replace(made, states=states, noise=Noise(DISCRETE_LAPLACE))
        try:
            answer = privacy(model)
        except NotSupported as error:
            if error.code != "endless-chain":
                raise
            continue
        witness = answer.witness
        if witness is None or answer.runs.exact is None or not 0 < witness.length <= LONGEST:
            continue
        claim = answer.runs.exact / program_unit(model)
        assert claim.denominator == 1
        path = [step.edge for step in written_out(witness)]
        windows = {place: (F(-2), F(2)) for place, edge in enumerate(path) if edge.discloses}
        for _ in range(4):
            one = [F(random.randint(-4, 4)) if edge.input else F(0) for edge in path]
            most = [int(edge.sensitivity) if edge.input else 0 for edge in path]
            other = [x + random.randint(-m, m) for x, m in zip(one, most, strict=True)]
            first, second = (rational_probability(model, path, x, F(1, 2), windows) for x in (one, other))
            assert first * F(1, 2) ** int(claim) <= second, seed
        found = attack(model, answer, q="1/2")
        close += found is not None and found.is_close
    assert close > 5


def test_what_is_made_for_one_sensitivity_refuses_several() -> None:
    model = uneven_svt(F(3))
    with refuses("not-formulated", match="has a sensitivity of its own"):
        strategy_costs(model)
    with refuses("not-formulated", match="has a sensitivity of its own"):
        privacy(model, engine="smt")
    several = build_program("num-range")
    states = {
        name: replace(old, sensitivity=F(2)) if old.input else old for name, old in several.states.items()
    }
    with refuses("not-formulated", match="tables of several variables are not supported"):
        privacy(replace(several, states=states))


def test_an_observer_is_bounded_by_runs() -> None:
    hidden = build_program("hidden-xor")
    states = {
        name: replace(old, sensitivity=F(2)) if old.input else old for name, old in hidden.states.items()
    }
    answer = privacy(replace(hidden, states=states))
    assert answer.lower == 0
    assert answer.upper == 8
    assert answer.certificate is not None
    assert proved(answer.certificate)["claim"]["loss"] == "runs"


def test_a_state_of_the_program_s_own_sensitivity_says_nothing() -> None:
    assert uneven_svt(F(1)) == svt()
    assert uneven_svt(F(2), Noise(sensitivity=F(2))).states == svt().states


def test_a_structure_is_one_whatever_the_sensitivities() -> None:
    model = uneven(leaking_pair(), 1)
    assert any(state.sensitivity for state in model.states.values())
    assert privacy(model).reason == "leaking pair"
