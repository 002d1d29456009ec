"""The model of threshold programs: canonical order, refusals, conditions."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import given

from prover.errors import Fault
from prover.program import errors
from prover.program.conditions import conditions
from prover.program.model import Edge, Program, State, Test, Transition, out_edges, reachable, variables
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step, two_branches
from tests.program_strategies import END, programs
from tests.refusals import refuses

START = state(step(TRUE, "q1", assign=True), input=False)


def with_q1(*transitions: Transition, **changes: Any) -> Callable[[], Program]:
    """q0 assigns x and goes to q1, which has these transitions."""
    return lambda: program({"q0": START, "q1": replace(state(*transitions), **changes)})


def with_start(*transitions: Transition) -> Callable[[], Program]:
    return lambda: program({"q0": state(*transitions)})


class TestEdges:
    def test_numbers_follow_the_names_of_states(self) -> None:
        made = program(
            {"b": START, "q1": state(step(ABOVE, "q1"), step(BELOW, "a")), "a": state(step(TRUE, "q10"))}
        )
        assert made.initial == "b"
        assert list(made.states) == ["a", "b", "q1"]
        found = [(edge.number, edge.source, edge.relation, edge.target) for edge in made.edges]
        assert found == [(0, "a", "", "q10"), (1, "b", "", "q1"), (2, "q1", ">=", "q1"), (3, "q1", "<", "a")]

    def test_code_points_decide(self) -> None:
        made = Program("q2", dict.fromkeys(("q2", "q10", "q1", "Q", "é", "😀", "\uffff"), START))
        assert list(made.states) == ["Q", "q1", "q10", "q2", "é", "\uffff", "\U0001f600"]

    def test_an_edge_knows_its_state(self) -> None:
        made = with_q1(
            step(BELOW, "q1", "insampleprime", assign=True),
            input=True,
            rate=Fraction(1, 3),
            rate_prime=Fraction(2),
            mean_prime=Fraction(0),
        )()
        assert made.edges[1] == Edge(
            1,
            "q1",
            "q1",
            True,
            (Fraction(1, 3), Fraction(1, 3)),
            Fraction(2),
            BELOW,
            ("x",),
            "insampleprime",
            BELOW,
        )
        assert [edge.assigns for edge in made.edges] == [True, True]
        assert not two_branches().edges[1].assigns

    def test_several_tests_have_no_one_relation(self) -> None:
        start = state(Transition((), ("x", "y"), "o", "q1"))
        two = state(Transition((("<", "x"), (">=", "y")), (), "o", END))
        edge = program({"q0": start, "q1": two}).edges[1]
        with pytest.raises(Fault, match="transition 1 has several bounds"):
            _ = edge.relation

    @given(programs())
    def test_out_edges(self, made: Program) -> None:
        leaving = out_edges(made)
        assert list(leaving) == list(made.states)
        assert [edge for edges in leaving.values() for edge in edges] == list(made.edges)
        assert [edge.number for edge in made.edges] == list(range(len(made.edges)))
        for name, edges in leaving.items():
            cases = [Transition(edge.guard, edge.assign, edge.output, edge.target) for edge in edges]
            assert tuple(cases) == made.states[name].transitions
            assert {edge.source for edge in edges} == {name}


class TestValue:
    def test_states_cannot_be_changed(self) -> None:
        given_states = {"q0": START}
        made = program(given_states)
        given_states["q1"] = START
        assert list(made.states) == ["q0"]
        with pytest.raises(TypeError):
            made.states["q1"] = START  # type: ignore[index]

    @given(programs(variables=2))
    def test_order_of_states_does_not_matter(self, made: Program) -> None:
        same = Program(made.initial, dict(reversed(list(made.states.items()))))
        assert same == made
        assert hash(same) == hash(made)
        assert same.edges == made.edges

    def test_the_initial_state_matters(self) -> None:
        states = {"q0": START, "q1": START}
        assert Program("q0", states) != Program("q1", states)

    @given(programs())
    def test_programs_travel_between_processes(self, made: Program) -> None:
        assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301

    def test_repr_is_short(self) -> None:
        assert repr(two_branches()) == "<Program: 4 states, 5 transitions>"


LOOP = step(BELOW, "q1")
PRIME = {"rate_prime": Fraction(1), "mean_prime": Fraction(0)}


class TestRefusals:
    @pytest.mark.parametrize(
        ("make", "error", "path"),
        [
            (lambda: Program("q0", {}), "no-states", "$.states"),
            (lambda: Program("q", {"q0": START}), "unknown-initial-state", "$.initial"),
            (lambda: Program("q0", {"q0": START, cast("str", 1): START}), "not-text", "$.states"),
            (with_q1(), "no-transition", '$.states["q1"].transitions'),
            (with_q1(LOOP, rate=Fraction(0)), "rate-not-positive", '$.states["q1"].rate'),
            (with_q1(LOOP, rate=Fraction(-1, 2)), "rate-not-positive", '$.states["q1"].rate'),
            (
                with_q1(LOOP, **{**PRIME, "rate_prime": Fraction(0)}),
                "rate-not-positive",
                '$.states["q1"].rate_prime',
            ),
            (with_q1(LOOP, rate=0.25), "not-a-fraction", '$.states["q1"].rate'),
            (with_q1(LOOP, rate=None), "not-a-fraction", '$.states["q1"].rate'),
            (with_q1(LOOP, mean=1), "not-a-fraction", '$.states["q1"].mean'),
            (with_q1(LOOP, mean=None), "not-a-fraction", '$.states["q1"].mean'),
            (
                with_q1(LOOP, **{**PRIME, "mean_prime": "0"}),
                "not-a-fraction",
                '$.states["q1"].mean_prime',
            ),
            (with_q1(LOOP, rate_prime=Fraction(1)), "half-a-second-sample", '$.states["q1"].mean_prime'),
            (with_q1(LOOP, mean_prime=Fraction(1)), "half-a-second-sample", '$.states["q1"].rate_prime'),
            (
                with_q1(step(BELOW, "q1", "insampleprime")),
                "no-second-sample",
                '$.states["q1"].transitions[0].output',
            ),
            (
                with_q1(LOOP, step((("<=", "x"),), END)),
                "tie-without-atoms",
                '$.states["q1"].transitions[1].guard',
            ),
            (
                with_q1(LOOP, step((("==", "x"),), END)),
                "unknown-relation",
                '$.states["q1"].transitions[1].guard',
            ),
            (with_q1(step(BELOW * 2, END)), "repeated-test", '$.states["q1"].transitions[0].guard'),
            (
                with_q1(step(ABOVE + BELOW, END)),
                "contradictory-guard",
                '$.states["q1"].transitions[0].guard',
            ),
            (
                with_q1(Transition((), ("x", "y", "x"), "o", END)),
                "repeated-assignment",
                '$.states["q1"].transitions[0].assign',
            ),
            (
                with_q1(Transition((), (), "o", None)),  # type: ignore[arg-type]
                "not-text",
                '$.states["q1"].transitions[0].to',
            ),
            (with_start(), "no-transition", '$.states["q0"].transitions'),
            (
                with_start(step(TRUE, "a", assign=True), step(TRUE, "b", assign=True)),
                "bad-initialisation",
                '$.states["q0"].transitions',
            ),
            (
                with_start(step(BELOW, "a", assign=True)),
                "bad-initialisation",
                '$.states["q0"].transitions[0].guard',
            ),
            (
                with_start(step(TRUE, "a")),
                "bad-initialisation",
                '$.states["q0"].transitions[0].assign',
            ),
            (
                with_q1(step(TRUE, "q1"), step((("<", "y"),), END)),
                "undefined-variable",
                '$.states["q1"].transitions[1].guard',
            ),
        ],
    )
    def test_programs(self, make: Callable[[], Program], error: str, path: str) -> None:
        with refuses(error) as caught:
            make()
        assert caught.value.path == path
        assert isinstance(caught.value, errors.InvalidProgram)
        assert errors.program_path(caught.value.state, caught.value.transition, caught.value.part) == path

    def test_floats_are_named(self) -> None:
        with refuses("not-a-fraction", match=r"not the float 0\.1;"):
            with_q1(LOOP, rate=0.1)()

    def test_the_second_sample_may_be_unused(self) -> None:
        assert with_q1(LOOP, **PRIME)().states["q1"].rate_prime == 1

    def test_errors_travel_between_processes(self) -> None:
        with refuses("rate-not-positive") as caught:
            with_q1(LOOP, rate=Fraction(0))()
        copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
        assert (type(copy), str(copy)) == (errors.InvalidProgram, str(caught.value))
        assert (copy.code, copy.part) == ("rate-not-positive", "rate")


class TestDefinedVariables:
    """A variable may be tested where every path from the initial state has assigned it."""

    @staticmethod
    def branching(first: tuple[str, ...], second: tuple[str, ...]) -> Program:
        """q0 assigns x; q1 goes over q2 or q3, which assign these variables, to q4, which tests y."""
        return program(
            {
                "q0": START,
                "q1": state(step(BELOW, "q2"), step(ABOVE, "q3")),
                "q2": state(Transition((), first, "o", "q4")),
                "q3": state(Transition((), second, "o", "q4")),
                "q4": state(Transition((("<", "y"),), (), "o", "q0")),
            }
        )

    def test_on_every_path(self) -> None:
        assert variables(self.branching(("y",), ("y", "x"))) == ("x", "y")

    @pytest.mark.parametrize(("first", "second"), [(("y",), ()), (("x",), ("y",)), ((), ())])
    def test_not_on_every_path(self, first: tuple[str, ...], second: tuple[str, ...]) -> None:
        with refuses("undefined-variable", match=r'variable "y" may be undefined: .* "q4"'):
            self.branching(first, second)

    def test_an_assignment_comes_after_the_test(self) -> None:
        with refuses("undefined-variable"):
            with_q1(Transition((("<", "y"),), ("y",), "o", "q1"))()

    def test_a_later_turn_does_not_help_the_first(self) -> None:
        with refuses("undefined-variable"):
            program(
                {
                    "q0": START,
                    "q1": state(step((("<", "y"),), "q2")),
                    "q2": state(Transition((), ("y",), "o", "q1")),
                }
            )

    def test_unreachable_states_may_test_anything(self) -> None:
        made = program({"q0": START, "q9": state(step((("<", "y"),), END))})
        assert reachable(made) == {"q0"}
        assert variables(made) == ("x",)


class TestConditions:
    def test_all_hold(self) -> None:
        met = conditions(two_branches())
        assert (met.determinism, met.output_distinction) == (True, True)
        assert met.nondeterministic_states == met.indistinct_states == ()

    @pytest.mark.parametrize(
        ("first", "second", "exclude"),
        [
            (BELOW, ABOVE, True),
            (ABOVE, BELOW, True),
            (BELOW, BELOW, False),
            (TRUE, ABOVE, False),
            (TRUE, TRUE, False),
            (BELOW, ((">=", "y"),), False),
            ((("<", "y"), ("<", "x")), ((">=", "x"), ("<", "y")), True),
            ((("<", "y"), (">=", "x")), ((">=", "x"), ("<", "y")), False),
        ],
    )
    def test_determinism(self, first: tuple[Test, ...], second: tuple[Test, ...], exclude: bool) -> None:
        start = state(Transition((), ("x", "y"), "o", "q1"))
        made = program({"q0": start, "q1": state(step(first, "q1", "a"), step(second, "q1", "b"))})
        assert conditions(made).determinism is exclude
        assert conditions(made).nondeterministic_states == (() if exclude else ("q1",))
        assert conditions(made).output_distinction

    @pytest.mark.parametrize(
        ("outputs", "distinct"),
        [
            (["a", "b", "insample"], True),
            (["insampleprime", "a"], True),
            (["a", "b", "a"], False),
            (["insample", "a", "insample"], False),
            (["insample", "insampleprime"], False),
        ],
    )
    def test_output_distinction(self, outputs: list[str], distinct: bool) -> None:
        cases = (step(BELOW, f"end{k}", output) for k, output in enumerate(outputs))
        made = with_q1(*cases, **PRIME)()
        assert conditions(made).output_distinction is distinct
        assert conditions(made).indistinct_states == (() if distinct else ("q1",))

    def test_variables(self) -> None:
        stored = with_q1(Transition((), ("y",), "o", "q1"))()
        assert variables(stored) == ("x", "y")

    @given(programs(deterministic=True, distinct=True))
    def test_generated_programs_meet_them(self, made: Program) -> None:
        met = conditions(made)
        assert met.determinism
        assert met.output_distinction
        assert variables(made) == ("x",)

    def test_final_states_are_not_reached(self) -> None:
        made = with_q1(step(BELOW, "q1"), step(ABOVE, END))()
        assert reachable(made) == {"q0", "q1"}
        assert END not in out_edges(made)


def test_a_state_holds_what_is_written() -> None:
    assert State(False, Fraction(1), Fraction(0), None, None, (step(TRUE, "q1", assign=True),)) == START
