"""Attacks: as much loss as is promised, never more, on inputs that are adjacent and a run that exists."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from random import Random
from types import ModuleType

import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from prover.errors import Fault
from prover.exact import ball, piecewise
from prover.exact.ball import bounds
from prover.program.adjacency import POLYTOPES
from prover.program.answer import Privacy
from prover.program.attack import at_epsilon
from prover.program.attack import attack as attacks
from prover.program.attack.attack import WINDOW, InputAttack, attack
from prover.program.attack.probability import Loss, path_probability
from prover.program.model import Program, State, out_edges, variables
from prover.program.optimum.witness import written_out
from prover.program.outputs import REAL_OUTPUTS
from prover.program.privacy import privacy
from prover.zoo import (
    NAMES,
    build,
    build_program,
    chain_of_tests,
    leaking_cycle,
    lyu_1,
    svt,
)
from tests.profiles import examples, thinned
from tests.program.automata import optimum
from tests.program.several_examples import price
from tests.program_examples import BELOW, TRUE, program, state, step
from tests.program_strategies import programs
from tests.refusals import refuses

F = Fraction
LARGE = ("random-program", "row-of-loops")
OTHER_NOISE = ("svt-discrete", "lyu-5")  # what judges here integrates densities of Laplace noise
ZOO = [
    *(name for name in NAMES if name not in (*LARGE, *OTHER_NOISE) and isinstance(build(name), Program)),
    ("random-program", {"states": "12"}),
    ("row-of-loops", {"states": "10"}),
    ("numeric-sparse", {"output": "insample"}),
    ("lyu-1", {"c": "3"}),
    ("lyu-2", {"c": "3"}),
    ("lyu-3", {"c": "2"}),
    ("lyu-4", {"c": "3"}),
    ("numeric-svt", {"n": "3"}),
    ("violating-path-a", {"mirror": "yes"}),
    ("violating-path-b", {"mirror": "yes"}),
    ("violating-path-c", {"mirror": "yes"}),
    ("partition", {"weights": "5,4,3,2,2"}),
]


def built(entry: str | tuple[str, dict[str, str]]) -> Program:
    name, parameters = (entry, {}) if isinstance(entry, str) else entry
    return build_program(name, **parameters)


def judged(automaton: Program, answer: Privacy, found: InputAttack) -> InputAttack:
    """The attack, if it is one: checked from its inputs and path alone, as far as that is quick."""
    steps = list(written_out(found.run))
    leaving = out_edges(automaton)
    here = automaton.initial
    for listed in steps:
        assert listed.edge in leaving[here]
        here = listed.edge.target
    for reads, (one, other) in zip(
        found.run.steps, zip(found.inputs, found.neighbour, strict=True), strict=True
    ):
        allowed = {"increasing": (0, 1), "decreasing": (-1, 0)}.get(answer.adjacency, (-1, 1))
        assert allowed[0] <= other - one <= allowed[1]
        assert reads.edge.input or one == other == 0
    if answer.adjacency == "one-differ":
        assert sum(listed.delta != 0 for listed in steps) <= 1
    low, high = found.loss
    assert low <= high <= found.bound
    measured = found.measured
    assert measured is None or high - low <= F(3, 10**12)
    if answer.runs.upper is not None:
        assert high <= found.epsilon * answer.runs.upper
    if len(steps) <= 8 and measured is not None:
        deltas = [listed.delta for listed in steps]
        path = [listed.edge for listed in steps]
        if len(variables(automaton)) > 1:
            assert abs(price(path, deltas) - float(found.run.loss)) < 1e-6
        else:
            assert found.run.loss == optimum(list(zip(path, deltas, strict=True)))
        windows = {k: WINDOW for k, edge in enumerate(path) if edge.output in REAL_OUTPUTS}
        for s, interval in zip(
            (found.t, found.t + 1),
            (measured.probability, measured.other_probability),
            strict=True,
        ):
            exact = path_probability(automaton, path, [F(s * delta) for delta in deltas], windows)
            with ctx.workprec(500):
                value = bounds(exact.at(found.epsilon))
            assert interval[0] <= value[1]
            assert value[0] <= interval[1]
    return found


def attacked(
    automaton: Program, *, epsilon: Fraction | int = 1, exceed: Fraction | None = None
) -> InputAttack | None:
    answer = privacy(automaton)
    found = attack(automaton, answer, epsilon=epsilon, exceed=exceed)
    return None if found is None else judged(automaton, answer, found)


@pytest.mark.family
@pytest.mark.parametrize(("epsilon", "entry"), thinned([*product([F(1), F(1, 3)], ZOO)], 2), ids=str)
def test_every_program_of_the_zoo(entry: str | tuple[str, dict[str, str]], epsilon: Fraction) -> None:
    automaton = built(entry)
    answer = privacy(automaton)
    found = attack(automaton, answer, epsilon=epsilon)
    assert found is not None
    judged(automaton, answer, found)
    assert found.succeeds
    if answer.private:
        assert answer.runs.exact is not None
        assert found.loss[0] >= F(99, 100) * epsilon * answer.runs.exact
    else:
        assert found.loss[0] > 10


@examples(60)
@given(programs(max_states=4), st.sampled_from(POLYTOPES), st.sampled_from([F(1, 2), F(2)]))
def test_random_programs(automaton: Program, adjacency: str, epsilon: Fraction) -> None:
    answer = privacy(automaton, adjacency)
    found = attack(automaton, answer, epsilon=epsilon, exceed=F(2) if answer.private is False else None)
    if found is None:
        assert answer.lower == 0
        return
    judged(automaton, answer, found)
    assert found.succeeds


@pytest.mark.parametrize("exceed", [F(1), F(25), F(60)])
@pytest.mark.parametrize("name", ["leaking-pair", "lyu-3", "violating-path-a", "disclosing-cycle"])
def test_any_loss_is_exceeded_where_there_is_no_bound(name: str, exceed: Fraction) -> None:
    found = attacked(built(name), exceed=exceed)
    assert found is not None
    assert found.loss[0] > exceed


def test_a_private_program_stops_at_the_loss_to_exceed() -> None:
    found = attacked(svt(), exceed=F(6, 5))
    assert found is not None
    assert found.succeeds
    assert F(6, 5) < found.loss[0] < F(5, 4) * attacks.CLOSE


def test_no_attack_exceeds_what_cannot_be() -> None:
    found = attacked(svt(), exceed=F(5, 4))
    assert found is not None
    assert found.is_close
    assert not found.succeeds


def test_what_is_found_on_the_way_grows() -> None:
    seen: list[InputAttack] = []
    found = attack(lyu_1(), on_found=seen.append)
    assert seen[-1] == found
    assert [one.t for one in seen] == sorted({one.t for one in seen})
    assert all(one.loss[0] < other.loss[0] for one, other in pairwise(seen))


def test_a_program_without_loss_is_not_attacked() -> None:
    public = program(
        {"q0": state(step(TRUE, "q1", assign=True), input=False), "q1": state(step(TRUE, "end"))}
    )
    answer = privacy(public)
    assert answer.epsilon == 0
    assert attack(public, answer) is None


def test_means_only_delay() -> None:
    """A threshold far away makes the loss small at first, but not in the limit."""
    start = State(False, F(1), F(50), None, None, (step(TRUE, "q1", assign=True),))
    far = Program("q0", {"q0": start, "q1": state(step(BELOW, "end"))})
    near = Program("q0", {**far.states, "q0": replace(start, mean=F(0))})
    found, other = attacked(far), attacked(near)
    assert found is not None
    assert other is not None
    assert found.t > other.t
    assert found.bound == other.bound
    assert found.succeeds


def test_text_and_numbers() -> None:
    found = attacked(chain_of_tests(), epsilon=F(1, 2))
    assert found is not None
    assert found.headline.startswith("a loss of 99.")
    assert found.headline.endswith(" % of the bound 1/2 at ε = 1/2")
    assert found.bound == F(1, 2)
    assert not found.outputs_numbers
    assert [b - a for a, b in zip(found.inputs, found.neighbour, strict=True)] == [
        step.delta for step in found.run.steps
    ]


def test_texts_are_numbers_too() -> None:
    assert attack(svt(), epsilon="0.5", exceed="1/10") == attack(svt(), epsilon=F(1, 2), exceed=F(1, 10))


@pytest.mark.parametrize("epsilon", [0, F(-1), "-1/2", 0.5])
def test_a_bad_epsilon(epsilon: Fraction) -> None:
    with refuses("bad-number", match="epsilon"):
        attack(svt(), epsilon=epsilon)


def test_a_bad_loss() -> None:
    with refuses("bad-number", match="at least 0, not -1"):
        attack(svt(), exceed=-1)


def test_a_run_may_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "MOST_STEPS", 20)
    short = attacked(leaking_cycle())
    assert short is not None
    assert not short.succeeds
    assert short.is_close
    assert short.run.length == 19


@pytest.mark.parametrize(
    ("module", "limit", "value"),
    [(attacks, "MOST_MEASURED", 2), (ball, "MOST_BITS", 32), (piecewise, "MOST_OPERATIONS", 1)],
)
@pytest.mark.parametrize(
    "name", ["svt", "numeric-svt", "lyu-3", "leaking-cycle", "disclosing-cycle", "partition"]
)
def test_what_cannot_be_measured_is_bounded(
    name: str, module: ModuleType, limit: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, limit, value)
    found = attacked(built(name))
    assert found is not None
    assert found.measured is None
    assert found.succeeds
    assert found.loss[1] == found.bound


@pytest.mark.slow
def test_a_loss_of_thousands() -> None:
    found = attacked(built("lyu-3"), exceed=F(5000))
    assert found is not None
    assert found.run.length > 10_000
    assert found.succeeds


def test_a_loss_above_the_bound_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def forged(*_: object, **__: object) -> Loss:
        return Loss((F(1), F(1)), (F(1, 4), F(1, 4)), (F(126, 100), F(127, 100)), 64)

    monkeypatch.setattr(at_epsilon, "loss_between", forged)
    with pytest.raises(Fault, match="5/4"):
        attack(svt())


@pytest.mark.slow
@examples(500)
@given(programs(max_states=6), st.sampled_from(POLYTOPES), st.randoms(use_true_random=False))
def test_more_random_programs(automaton: Program, adjacency: str, random: Random) -> None:
    answer = privacy(automaton, adjacency)
    exceed = F(5) if answer.private is False else None
    found = attack(automaton, answer, epsilon=random.choice([F(1, 5), F(1), F(7)]), exceed=exceed)
    if found is not None:
        assert judged(automaton, answer, found).succeeds
