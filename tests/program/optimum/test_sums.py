"""Several variables and discrete noise: probabilities against plain sums, losses against what is claimed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from prover.program.adjacency import ADJACENCIES
from prover.program.attack.attack import attack
from prover.program.attack.probability import can_be, rational_probability
from prover.program.attack.sums import unit_of
from prover.program.model import Edge, Program
from prover.program.noise import DISCRETE_LAPLACE, Noise
from prover.program.optimum.budget import Budget
from prover.program.optimum.witness import written_out
from prover.program.privacy import privacy
from prover.zoo import k_min_max, m_range
from tests.program.attack.test_sums import WINDOW, Measured, deltas, discrete, plain_sum
from tests.program.several_examples import Case, drawn, leaning, random_program, random_tests, runs, state

F = Fraction


def some_run(model: Program, random: Random, longest: int) -> tuple[Edge, ...]:
    """A long run that tests several variables, if there is one, possible or not."""
    found = [run for run in runs(model, longest) if run and not any(edge.primed for edge in run)]
    return max(random.sample(found, min(len(found), 20)), key=lambda run: sum(len(e.guard) for e in run))


def crossed(random: Random) -> Program:
    """Two or three stored values, and steps that compare with two of them and store over one, or not."""
    names = ["u", "v", "w"][: random.randint(2, 3)]
    places = [f"q{k}" for k in range(5)]
    states = {}
    for k, (place, after) in enumerate(zip(places, [*places[1:], "end"], strict=True)):
        case: Case = ((), (names[min(k, len(names) - 1)],), "o", after)
        if k >= len(names):
            tests = tuple((random.choice(["<", ">="]), name) for name in random.sample(names, 2))
            stored = tuple(random.sample(names, random.randint(0, 1)))
            case = (tests, stored, random.choice(["a", "insample"]), after)
        states[place] = state(case, rate=random.randint(1, 2))
    return Program("q0", states)


@pytest.mark.parametrize("seed", range(15))
def test_closed_forms_are_what_plain_sums_come_close_to(seed: int) -> None:
    random = Random(seed)
    kinds = [crossed, crossed, crossed, random_program, random_tests]
    base = kinds[seed % len(kinds)](random)
    if seed % 4 == 0:
        base = leaning(base, random)
    means = {name: random.choice([F(0), F(0), F(1), F(1, 2)]) for name in base.states}
    states = {name: replace(old, mean=means[name]) for name, old in base.states.items()}
    model = discrete(replace(base, states=states))
    path = some_run(model, random, 5)
    inputs = [F(random.randint(-1, 1)) if edge.input else F(0) for edge in path]
    windows = {place: WINDOW for place, edge in enumerate(path) if edge.pinned}
    rates = [r for s in model.states.values() for r in (*s.rates, *(s.second or ())[:1])]
    unit = unit_of(rates, F(1))
    exact = rational_probability(model, path, inputs, F(1, 8) ** int(unit), windows)
    near = plain_sum(model, path, inputs, F(1, 8), outputs=True, far=3)
    assert near <= exact <= near + F(len(path) * 2, 8**4)
    assert can_be(model, path, inputs, windows) is (exact > 0)


def test_alike_samples_are_counted_with_their_ties() -> None:
    """Between two values there is room for several samples at one place."""
    model = discrete(m_range(1))
    between = next(edge for edge in model.edges if len(edge.guard) == 2 and edge.target == edge.source)
    way = [edge for edge in model.edges if not edge.guard]
    path = [*way, *[between] * 3]
    inputs = [F(0)] * len(path)
    states = {name: replace(old, rate=F(1)) for name, old in model.states.items()}
    whole = replace(model, states=states)
    path = [whole.edges[edge.number] for edge in path]
    exact = rational_probability(whole, path, inputs, F(1, 8))
    near = plain_sum(whole, path, inputs, F(1, 8), outputs=False, far=4)
    assert near <= exact <= near + F(len(path) * 2, 8**5)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 150), marks=pytest.mark.slow)], ids=str)
def test_losses_never_exceed_the_claim_and_come_close(adjacency: str, seeds: range) -> None:
    random = Random(adjacency)
    close = 0
    for seed in seeds:
        model = discrete(drawn(seed))
        answer = privacy(model, adjacency, budget=Budget(values=60))
        witness = answer.witness
        if witness is None or answer.runs.upper is None or not 0 < witness.length <= 8:
            continue
        steps = list(written_out(witness))
        path: Sequence[Edge] = [step.edge for step in steps]
        windows = {place: WINDOW for place, edge in enumerate(path) if edge.discloses}
        rates = [r for s in model.states.values() for r in (*s.rates, *(s.second or ())[:1])]
        claim = answer.runs.upper / unit_of(rates, F(1))
        assert claim.denominator == 1
        run = Measured(model, list(path), F(1, 2), windows, claim)
        for _ in range(2):
            one = [F(random.randint(-3, 3)) if edge.input else F(0) for edge in path]
            run.kept(one, [x + d for x, d in zip(one, deltas(adjacency, path, random), strict=True)])
        found = run.kept(*([F(s * step.delta) for step in steps] for s in (8, 9)))
        close += found is not None and found >= float(claim) - 0.5 * len(steps)
    assert close >= len(seeds) / 12


@pytest.mark.parametrize("model", [k_min_max(2), m_range(1)])
def test_attacks_come_close(model: Program) -> None:
    """On a grid that is half as wide as inputs differ, so that rates count twice."""
    fine = replace(model, noise=Noise(DISCRETE_LAPLACE, F(1, 2)))
    found = attack(fine, epsilon=1)
    assert found is not None
    assert found.is_close
    assert found.measured is not None
    exactly = attack(fine, q=F(1, 2), exceed=F(1, 2))
    assert exactly is not None
    assert exactly.probabilities is not None


def test_a_run_whose_tests_contradict_each_other_is_impossible() -> None:
    model = discrete(crossing())
    for path, possible in ((model.edges[:4], True), ((*model.edges[:3], model.edges[4]), False)):
        assert can_be(model, path, [F(0)] * 4, {}) is possible
        assert (rational_probability(model, path, [F(0)] * 4, F(1, 2)) > 0) is possible


def crossing() -> Program:
    """v, w, then v ≤ x < w; then w ≤ y, respectively w ≤ y < v, which no run can take."""
    return Program(
        "q0",
        {
            "q0": state(((), ("v",), "o", "q1")),
            "q1": state(((), ("w",), "o", "q2")),
            "q2": state((((">=", "v"), ("<", "w")), (), "o", "q3")),
            "q3": state((((">=", "w"),), (), "a", "end"), (((">=", "w"), ("<", "v")), (), "b", "end")),
        },
    )
