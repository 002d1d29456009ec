"""Guards that leave a gap: what is uncovered, known orders, completed programs, and remarks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given

from prover.program.attack.probability import loss_between
from prover.program.conditions import conditions
from prover.program.gaps import Guard, complement, completed, known_orders, uncovered, unseen_ends
from prover.program.model import Program, State, Transition, out_edges, reachable
from prover.program.outputs import seen_of
from prover.program.privacy import privacy
from prover.program.remarks import remarks
from prover.zoo import numeric_sparse, svt
from tests.program.automata import random_program
from tests.program.observer_examples import random_endless
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.program_strategies import programs
from tests.refusals import refuses


def holds(guard: Guard, sample: int, stored: dict[str, int]) -> bool:
    return all((sample < stored[x]) is (relation == "<") for relation, x in guard)


@given(programs(max_states=4, variables=3))
def test_the_complement_is_what_no_guard_covers(made: Program) -> None:
    for entry in made.states.values():
        guards = [case.guard for case in entry.transitions]
        rest = complement(guards)
        names = sorted({x for guard in guards for _, x in guard})
        for values in product(range(3), repeat=len(names)):
            stored = dict(zip(names, values, strict=True))
            for sample in range(-1, 4):
                covered = any(holds(guard, sample, stored) for guard in guards)
                assert sum(holds(guard, sample, stored) for guard in rest) == (not covered)


@given(programs(max_states=5, variables=2))
def test_completed_programs_have_no_gaps(made: Program) -> None:
    whole = completed(made)
    assert not uncovered(whole)
    assert conditions(whole).coverage
    assert completed(whole) is whole
    assert (whole is made) is conditions(made).coverage
    assert reachable(made) <= reachable(whole)
    new = whole.final - made.final
    assert len(new) == (whole is not made)
    assert not new & {edge.target for edge in made.edges}


def test_whoever_sees_more_loses_no_less() -> None:
    more = 0
    for seed in range(60):
        answer = privacy(random_program(seed))
        seen = answer.if_stopping_is_seen
        if seen is None or answer.runs.upper is None:
            continue
        assert seen.runs.bounded is False or (seen.runs.upper or 0) >= answer.runs.upper, seed
        more += seen.runs.bounded is False or seen.runs.upper != answer.runs.upper
    assert more > 10


def chain(*guards: Guard) -> Program:
    """x is stored, then y where it is below x; then a state with these guards."""
    start = state(Transition((), ("x",), "o", "q1"))
    second = state(Transition((("<", "x"),), ("y",), "o", "q2"))
    last = state(*(Transition(guard, (), f"o{k}", "end") for k, guard in enumerate(guards)))
    return program({"q0": start, "q1": second, "q2": last})


def test_what_the_known_order_excludes_is_no_gap() -> None:
    assert known_orders(chain(TRUE))["q2"] == {("y", "x")}
    below_both, between, above_both = (("<", "y"),), ((">=", "y"), ("<", "x")), ((">=", "x"),)
    assert "q2" not in uncovered(chain(below_both, between, above_both))
    (gap,) = uncovered(chain(below_both, above_both))["q2"]
    assert set(gap) == set(between)
    assert uncovered(chain(between))["q2"] in (
        ((("<", "y"),), ((">=", "y"), (">=", "x"))),
        (((">=", "x"),), (("<", "x"), ("<", "y"))),
        ((("<", "y"), ("<", "x")), (("<", "y"), (">=", "x")), ((">=", "y"), (">=", "x"))),
    )


def test_the_order_is_what_all_ways_know() -> None:
    start = state(Transition((), ("x", "y"), "o", "q1"))
    both = state(Transition((("<", "x"),), ("x",), "a", "q2"), Transition(((">=", "x"),), ("x",), "b", "q2"))
    made = program({"q0": start, "q1": both, "q2": state(step(TRUE, "end"))})
    orders = known_orders(made)
    assert orders["q1"] == {("x", "y"), ("y", "x")}
    assert orders["q2"] == frozenset()


def test_new_names_are_not_taken() -> None:
    start = state(step(TRUE, "q1", assign=True), input=False)
    made = program({"q0": start, "q1": state(step(BELOW, "stuck", "stuck"), step(BELOW, "q1", "stuck1"))})
    (*_, last) = completed(made).edges
    assert (last.output, last.target) == ("stuck2", "stuck1")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"final": frozenset({"q2"})}, "final-with-entry"),
        ({"final": frozenset({""})}, "empty-name"),
        ({"output": ""}, "empty-name"),
        ({"target": ""}, "empty-name"),
        ({"double": True}, "repeated-transition"),
    ],
)
def test_what_programs_may_not_have(change: dict[str, object], error: str) -> None:
    good = svt()
    states = dict(good.states)
    first, second = states["q2"].transitions
    if "double" in change:
        second = first
    second = Transition(
        second.guard,
        second.assign,
        str(change.get("output", second.output)),
        str(change.get("target", second.target)),
    )
    states["q2"] = State(True, Fraction(1), Fraction(0), None, None, (first, second))
    final = change.get("final", frozenset())
    assert isinstance(final, frozenset)
    with refuses(error):
        Program("q1", states, final)


def test_remarks() -> None:
    assert remarks(svt()) == ()
    bare = Program("q1", svt().states)
    assert remarks(bare) == ('"q3" has no entry and is not declared final; runs end there',)
    many = {"q0": state(step(TRUE, "q1", assign=True))}
    many |= {"q1": state(*(step(TRUE, f"ending{k}", f"o{k}") for k in range(30)))}
    found = remarks(program(many))
    assert len(found) == 9
    assert found[-1] == "22 more states without an entry are not declared final"


def test_a_run_that_contradicts_itself_has_no_loss() -> None:
    model = numeric_sparse("insample")
    path, reads = [model.edges[0], model.edges[2]], [Fraction(0), Fraction(1)]
    assert loss_between(model, path, reads, [Fraction(0)] * 2, Fraction(1)).bits
    start = state(Transition((), ("x",), "insample", "q1"))
    made = program({"q0": start, "q1": state(step(BELOW, "end", "insample"))})
    windows = {0: (Fraction(0), Fraction(1)), 1: (Fraction(1), Fraction(2))}
    with refuses("impossible-run", match="impossible on the first of the two inputs"):
        loss_between(made, list(made.edges), [Fraction(0)] * 2, [Fraction(1)] * 2, Fraction(1), windows)
    near = windows | {1: (Fraction(1, 2), Fraction(2))}
    assert loss_between(made, list(made.edges), [Fraction(0)] * 2, [Fraction(1)] * 2, Fraction(1), near).bits


def leaving_a_loop(seen: str) -> Program:
    """Below the threshold it goes on, above it ends."""
    tests = step(BELOW, "q1", "a"), step(ABOVE, "end", seen)
    return program({"q0": state(step(TRUE, "q1", assign=True)), "q1": state(*tests)})


class TestEnds:
    """A run ends where another one with the same outputs goes on."""

    def test_who_sees_the_end_learns_more(self) -> None:
        answer = privacy(leaving_a_loop("a"))
        assert answer.conditions.ending_states == ("q1",)
        assert answer.conditions.stopping_tells
        assert answer.epsilon == 2
        assert answer.headline == (
            "private: exactly 2·ε if the observer does not see that a run ends after q1, where others with "
            "the same output go on; exactly 4·ε if the observer does"
        )
        seen = answer.if_stopping_is_seen
        assert seen is not None
        assert seen.epsilon == privacy(leaving_a_loop("b")).epsilon == 4
        assert seen.if_stopping_is_seen is None

    def test_the_completed_program_ends_with_an_output(self) -> None:
        whole = completed(leaving_a_loop("a"))
        assert whole.final == {"stuck"}
        assert [(t.guard, t.output, t.target) for t in whole.states["end"].transitions] == [
            ((), "stuck", "stuck")
        ]
        assert not whole.states["end"].input
        assert conditions(whole).endings
        assert completed(whole) is whole

    def test_outputs_that_tell_the_run_tell_its_end(self) -> None:
        own = leaving_a_loop("b")
        assert completed(own) is own
        assert conditions(own).endings

    def test_ends_beside_gaps(self) -> None:
        """The run stops at q2 where nothing is covered; both stops look alike."""
        states = {**leaving_a_loop("a").states, "q2": state(step(BELOW, "q2", "a"))}
        tests = step(BELOW, "q2", "a"), step(ABOVE, "end", "a")
        own = program({**states, "q1": state(*tests)})
        whole = completed(own)
        ends = [edge for edge in whole.edges if edge.target == "stuck"]
        assert [(edge.source, edge.output) for edge in ends] == [("end", "stuck"), ("q2", "stuck")]
        stopping = "that a run stops at q2 because no guard holds or that a run ends after q1"
        assert stopping in privacy(own).headline

    @pytest.mark.parametrize("seed", range(60))
    def test_runs_that_end_beside_others(self, seed: int) -> None:
        """By going through the runs of a few steps, whose tests never contradict each other."""
        own = random_endless(Random(seed), ("x",))
        found: set[str] = set()
        last: dict[tuple[object, ...], set[str]] = {(): {own.initial}}
        leaving = out_edges(own)
        for _ in range(6):
            longer: dict[tuple[object, ...], set[str]] = {}
            ending: dict[tuple[object, ...], set[str]] = {}
            for word, states in last.items():
                for edge in (edge for name in states for edge in leaving[name]):
                    seen = (*word, seen_of(edge.outputs))
                    where = longer if edge.target in leaving else ending
                    where.setdefault(seen, set()).add(edge.target if where is longer else edge.source)
            found |= {name for word, names in ending.items() if word in longer for name in names}
            last = longer
        assert set(unseen_ends(own)) == found
