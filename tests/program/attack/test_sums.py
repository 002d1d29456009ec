"""Probabilities with discrete noise: against plain sums, and against the losses that are claimed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import log
from random import Random

import pytest

from prover.errors import NotSupported
from prover.program.adjacency import ADJACENCIES
from prover.program.attack.attack import attack
from prover.program.attack.errors import NotMeasured
from prover.program.attack.probability import can_be, loss_between, program_unit, rational_probability
from prover.program.attack.sums import unit_of
from prover.program.decision.blocks import RunStep
from prover.program.decision.boundedness import VANISHING_RUN
from prover.program.model import Edge, Program, State, Test
from prover.program.noise import DISCRETE_LAPLACE, Noise, Rate
from prover.program.optimum.budget import Budget
from prover.program.optimum.witness import written_out
from prover.program.privacy import privacy
from prover.zoo import numeric_sparse, svt
from tests.program.automata import leaning, random_program
from tests.program_examples import ABOVE, TRUE, program, step
from tests.program_examples import state as program_state
from tests.refusals import refuses

F = Fraction
GRID = Noise(DISCRETE_LAPLACE)
FAR = 14
MOST_STEPS = 9
WINDOW = (F(-2), F(2))


def discrete(model: Program) -> Program:
    return replace(model, noise=GRID)


def weights(rates: tuple[Rate, Rate], q: Fraction, far: int = FAR) -> dict[int, Fraction]:
    """Those of noise at most so far away, times a sum that is all of them."""
    left, right = (F(0) if rate == "inf" else q ** int(rate) for rate in rates)
    mass = 1 / (1 - right) + left / (1 - left)
    return {z: (right**z if z >= 0 else left**-z) / mass for z in range(-far, far + 1)}


COMPARED = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
}


def plain_sum(
    model: Program,
    path: Sequence[Edge],
    inputs: Sequence[Fraction],
    q: Fraction,
    outputs: bool,
    far: int = FAR,
) -> Fraction:
    """The probability of a run whose rates are integers, by summing over all samples near their centers."""
    states: list[State] = [model.states[edge.source] for edge in path]
    noises = [weights(state.rates, q, far) for state in states]
    # of what has been stored so far, by variable
    chances: dict[tuple[tuple[str, Fraction], ...], Fraction] = {(): F(1)}
    for edge, state, noise, read in zip(path, states, noises, inputs, strict=True):
        after: dict[tuple[tuple[str, Fraction], ...], Fraction] = {}
        for known, chance in chances.items():
            stored = dict(known)
            for z, weight in noise.items():
                x = read + state.mean + z
                holds = all(COMPARED[relation](x, stored[name]) for relation, name in edge.written)
                if holds and (not edge.pinned or not outputs or WINDOW[0] <= x <= WINDOW[1]):
                    key = tuple(sorted({**stored, **dict.fromkeys(edge.assign, x)}.items()))
                    after[key] = after.get(key, F(0)) + chance * weight
        chances = after
    return sum(chances.values(), F(0))


RELATIONS = ("<", "<=", ">", ">=", "=")


@pytest.mark.parametrize("seed", range(12))
def test_closed_forms_are_what_plain_sums_come_close_to(seed: int) -> None:
    random = Random(seed)
    base = discrete(leaning(random_program(3, 3), seed)) if seed % 2 else discrete(svt())
    first = next(iter(base.edges))
    states = {}
    for name, state in base.states.items():
        cases = tuple(
            replace(t, guard=tuple((random.choice(RELATIONS), v) for _, v in t.guard))
            for t in state.transitions
        )
        mean = F(random.choice([F(0), F(0), F(1), F(-1), F(1, 2)]))
        rate = None if state.rate is None else F(random.choice([1, 2]))
        states[name] = replace(state, transitions=tuple(dict.fromkeys(cases)), mean=mean, rate=rate)
    model = replace(base, states=states)
    path = [next(edge for edge in model.edges if edge.source == model.initial)]
    assert path[0].source == first.source
    for _ in range(3):
        onward = [edge for edge in model.edges if edge.source == path[-1].target and not edge.primed]
        if onward:
            path.append(random.choice(onward))
    inputs = [F(random.randint(-2, 2)) if edge.input else F(0) for edge in path]
    windows = {place: WINDOW for place, edge in enumerate(path) if edge.pinned}
    rates = [r for s in model.states.values() for r in (*s.rates, *(s.second or ())[:1])]
    unit = unit_of(rates, F(1))
    exact = rational_probability(model, path, inputs, F(1, 2) ** int(unit), windows)
    near = plain_sum(model, path, inputs, F(1, 2), outputs=True)
    assert near <= exact <= near + F(len(path) * 4, 2**FAR)


@dataclass(frozen=True)
class Measured:
    """A run at one q, and what it is said to lose at most, as a power of 1/q."""

    model: Program
    path: list[Edge]
    q: Fraction
    windows: dict[int, tuple[Fraction, Fraction]]
    claim: Fraction

    def kept(self, one: list[Fraction], other: list[Fraction]) -> float | None:
        """The loss between two inputs, which is not above the claim; None if the run is impossible."""
        first, second = (
            rational_probability(self.model, self.path, inputs, self.q, self.windows)
            for inputs in (one, other)
        )
        assert first * self.q ** int(self.claim) <= second, (self.model, one, other)
        return log(float(first / second)) / -log(self.q) if first else None


def deltas(adjacency: str, edges: Sequence[Edge], random: Random) -> list[int]:
    """Differences of adjacent inputs."""
    ways = {"increasing": (0, 1), "decreasing": (-1, 0), "monotonic": random.choice([(0, 1), (-1, 0)])}
    found = [random.choice(ways.get(adjacency, (-1, 0, 1))) if edge.input else 0 for edge in edges]
    if adjacency == "one-differ":
        kept = random.randrange(len(found))
        found = [delta if place == kept else 0 for place, delta in enumerate(found)]
    return found


@pytest.mark.family
@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("q", [F(1, 2), F(3, 4)])
@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 200), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_losses_never_exceed_the_claim_and_come_close(adjacency: str, q: Fraction, seeds: range) -> None:
    random = Random(f"{adjacency} {q}")
    close = 0
    for seed in seeds:
        model = discrete(random_program(seed, 4) if seed % 2 else leaning(random_program(seed, 4), seed))
        try:
            answer = privacy(model, adjacency, budget=Budget(values=100))
        except NotSupported as error:
            if error.code != "endless-chain":
                raise
            continue
        witness = answer.witness
        if witness is None or answer.runs.upper is None or not 0 < witness.length <= MOST_STEPS:
            continue
        steps = list(written_out(witness))
        path = [step.edge for step in steps]
        windows = {place: WINDOW for place, edge in enumerate(path) if edge.discloses}
        rates = [r for s in model.states.values() for r in (*s.rates, *(s.second or ())[:1])]
        claim = answer.runs.upper / unit_of(rates, F(1))
        assert claim.denominator == 1

        run = Measured(model, path, q, windows, claim)
        for _ in range(3):
            one = [F(random.randint(-3, 3)) if edge.input else F(0) for edge in path]
            run.kept(one, [x + d for x, d in zip(one, deltas(adjacency, path, random), strict=True)])
        ray = [[F(s * step.delta) for step in steps] for s in (10, 11)]
        found = run.kept(ray[0], ray[1])
        if found is not None and found >= float(claim) - 0.5 * len(steps):
            close += 1
            assert found >= float(claim) * 0.5
    assert close > len(seeds) / 10


def test_what_vanishes_is_possible_first_and_impossible_then() -> None:
    vanished = 0
    for seed in range(150):
        model = discrete(leaning(random_program(seed, 3), seed))
        answer = privacy(model, budget=Budget(values=100))
        if answer.reason != VANISHING_RUN:
            continue
        steps: list[RunStep] = [step for block in answer.family for step in block.steps]
        path = [step.edge for step in steps]
        windows = {place: WINDOW for place, edge in enumerate(path) if edge.discloses}
        start = next(
            (b for b in starts(path) if rational_probability(model, path, b, F(1, 2), windows)), None
        )
        if start is None:
            continue
        later = [x + 12 * step.delta for x, step in zip(start, steps, strict=True)]
        assert rational_probability(model, path, later, F(1, 2), windows) == 0, seed
        assert loss_between(model, path, start, later, F(1), windows).is_infinite
        with refuses("impossible-run"):
            loss_between(model, path, later, start, F(1), windows)
        vanished += 1
    assert vanished > 5


def starts(path: Sequence[Edge]) -> list[list[Fraction]]:
    choices = [(F(0), F(3), F(-3)) if edge.input else (F(0),) for edge in path[:5]]
    return [[*found, *[F(0)] * (len(path) - len(found))] for found in product(*choices)]


def test_ties_count() -> None:
    """Both samples are alike, so that each is the larger one as often, and ties are what is left."""
    state = svt().states["q2"]
    strict = discrete(
        replace(svt(), states={"q1": replace(svt().states["q1"], rate=state.rate), "q2": state})
    )
    loose = replace(
        strict,
        states={
            **strict.states,
            "q2": replace(
                state,
                transitions=tuple(
                    replace(t, guard=tuple(({"<": "<=", ">=": ">"}[r], v) for r, v in t.guard))
                    for t in state.transitions
                ),
            ),
        },
    )
    q = F(1, 2)
    below, at_most = (
        rational_probability(model, model.edges[:2], [F(0)] * 2, q) for model in (strict, loose)
    )
    tie = sum((F(1, 3) ** 2 * q ** (2 * abs(z)) for z in range(-40, 41)), F(0))
    assert below + at_most == 1
    assert 0 < at_most - below - tie < F(1, 2**70)


@pytest.mark.parametrize("model", [svt(), numeric_sparse()])
def test_attacks_come_close(model: Program) -> None:
    found = attack(discrete(model), epsilon=2)
    assert found is not None
    assert found.is_close
    assert found.measured is not None


@pytest.mark.parametrize(
    ("model", "q"),
    [
        (discrete(svt()), F(1, 2)),
        (discrete(numeric_sparse()), F(2, 3)),
        (replace(svt(), noise=Noise(DISCRETE_LAPLACE, F(1, 2), F(3))), F(3, 4)),
    ],
)
def test_with_q_all_is_rational(model: Program, q: Fraction) -> None:
    found = attack(model, q=q)
    assert found is not None
    assert found.is_close
    assert found.probabilities is not None
    path = [step.edge for step in written_out(found.run)]
    windows = {place: found.window for place, edge in enumerate(path) if edge.discloses}
    one, other = (rational_probability(model, path, side, q, windows) for side in found.sides)
    assert found.probabilities == (one, other)
    most = found.run.loss / program_unit(model)
    assert most.denominator == 1
    assert q ** int(most) * one <= other < one
    low, high = found.loss
    assert float(low) <= log(one / other) + 1e-9
    assert log(one / other) - 1e-9 <= float(high)
    assert abs(float(found.epsilon) + log(q) / float(program_unit(model))) < 1e-9


def test_there_is_room_for_all_numbers_that_are_output() -> None:
    """Of five numbers each is above the one before; between -1 and 1 there are three points of the grid."""
    names = [f"q{k}" for k in range(6)]
    rising = {
        name: program_state(step(ABOVE if k else TRUE, after, "insample", assign=True))
        for k, (name, after) in enumerate(pairwise(names))
    }
    model = discrete(program(rising))
    strictly = {}
    for name, old in model.states.items():
        (case,) = old.transitions
        above: tuple[Test, ...] = ((">", "x"),) if case.guard else ()
        strictly[name] = replace(old, transitions=(replace(case, guard=above),))
    found = attack(replace(model, states=strictly), epsilon=2)
    assert found is not None
    assert found.is_close
    assert found.reach == 3
    usual = attack(discrete(numeric_sparse()), epsilon=2)
    assert usual is not None
    assert usual.reach == 1


def test_a_loss_may_be_infinite_with_q() -> None:
    cases = tuple(replace(t, output=o) for t, o in zip(svt().states["q2"].transitions, "ab", strict=True))
    state = replace(svt().states["q2"], rate=None, rate_left="inf", rate_right="inf", transitions=cases)
    model = discrete(replace(svt(), states={**svt().states, "q2": state}))
    found = attack(model, q="1/3")
    assert found is not None
    assert found.is_infinite
    assert found.probabilities is not None
    assert found.probabilities[1] == 0 < found.probabilities[0]


def test_q_is_refused_where_it_says_nothing() -> None:
    with refuses("q-without-grid", match="for discrete noise"):
        attack(svt(), q=F(1, 2))
    for arguments in ({"q": 1}, {"q": 0}, {"q": 0.5}, {"q": "1/2", "epsilon": 1}):
        with refuses("bad-number"):
            attack(discrete(svt()), **arguments)


def test_rates_with_a_tiny_unit_take_no_longer() -> None:
    """Whether a run is possible does not need the powers of q, and where they are too long nothing is."""
    states = dict(discrete(numeric_sparse(output="insample")).states)
    for name, rate in (("q1", F(1, 1000003)), ("q2", F(1, 999983))):
        states[name] = replace(states[name], rate=rate)
    model = replace(discrete(numeric_sparse(output="insample")), states=states)
    path = next(
        [first, second]
        for first in model.edges
        for second in model.edges
        if first.source == "q1" and second.source == "q2" and second.pinned
    )
    assert can_be(model, path, [F(0), F(0)], {1: WINDOW})
    with pytest.raises(NotMeasured, match="too long"):
        attack(model, q=F(1, 2), exceed=F(1, 10**6))
