"""The zoo's programs of several variables: their conditions and structure."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.program.conditions import conditions
from prover.program.model import Edge, Program, reachable, variables
from prover.program.privacy import privacy
from prover.zoo import (
    counterexample,
    k_min_max,
    levels,
    m_range,
    nested_thresholds,
    num_range,
    streams,
    two_range,
)
from prover.zoo.several import BOUNDED, UNBOUNDED

COUNTEREXAMPLES = BOUNDED + UNBOUNDED
ALL = {
    "m-range": m_range(),
    "k-min-max": k_min_max(),
    "num-range": num_range(),
    "two-range": two_range(),
    "two-range, kept": two_range("kept"),
    "nested-thresholds": nested_thresholds(),
    "levels": levels(),
    "streams": streams(3),
    **{name: counterexample(name) for name in COUNTEREXAMPLES},
}
BY_THE_ORDER = ("k-min-max", "equal", "names")
"""Of two of their tests at most one can hold, which the order of the samples says and not the tests."""
ENDLESS = ("names", "sample-above", "reassigned")


def described(edge: Edge) -> str:
    tests = " ".join(relation + name for relation, name in edge.guard) or "true"
    stored = "".join(f" {name}=" for name in edge.assign)
    return f"{edge.source} {tests}{stored} {edge.output} {edge.target}"


def edges(program: Program) -> list[str]:
    return [described(edge) for edge in program.edges]


@pytest.mark.parametrize("name", ALL)
def test_conditions(name: str) -> None:
    program = ALL[name]
    met = conditions(program)
    assert met.determinism is (name not in BY_THE_ORDER)
    assert met.output_distinction
    assert len(variables(program)) > 1
    assert reachable(program) == set(program.states)
    assert f"q{len(program.states) + 1}" in {edge.target for edge in program.edges} or name in ENDLESS


def test_least_and_largest() -> None:
    assert edges(k_min_max(2)) == [
        "q1 true max= min= o q2",
        "q2 <min min= a q3",
        "q2 >=max max= b q3",
        "q2 >=min <max c q3",
        "q3 >=min <max in q3",
        "q3 <min lo q4",
        "q3 >=max hi q4",
    ]
    assert [k_min_max(5).states[f"q{k}"].rate for k in (1, 5, 6)] == [Fraction(1, 20)] * 2 + [Fraction(1, 4)]


def test_ranges() -> None:
    assert edges(m_range(1)) == [
        "q1 true l1= o q2",
        "q2 true u1= o q3",
        "q3 >=l1 <u1 in q3",
        "q3 <l1 lo q4",
        "q3 >=l1 >=u1 hi q4",
    ]
    assert edges(m_range(2))[4::3] == ["q5 >=l1 <u1 in q6", "q6 >=l2 <u2 in q5"]
    assert [(str(s.rate), s.input) for s in m_range(2).states.values()] == [("1/8", False)] * 4 + [
        ("1/4", True)
    ] * 2
    assert len(m_range(7).states) == 21
    assert edges(num_range())[2:] == [
        "q3 >=low <high in q3",
        "q3 <low insampleprime q4",
        "q3 >=low >=high otop q4",
    ]
    assert [state.input for state in num_range().states.values()] == [False, False, True]
    assert num_range("insample").states["q3"].rate_prime is None


def test_two_ranges() -> None:
    assert edges(two_range())[3:] == [
        "q4 >=u <v in q4",
        "q4 <u lo q7",
        "q4 >=u >=v <w next q5",
        "q4 >=u >=v >=w hi q7",
        "q5 true v= o q6",
        "q6 >=v <w in q6",
        "q6 <v lo q7",
        "q6 >=v >=w hi q7",
    ]
    assert edges(two_range("kept"))[7:] == ["q5 >=v <w in q5", "q5 <v lo q6", "q5 >=v >=w hi q6"]
    assert {state.rate for state in two_range().states.values()} == {Fraction(1, 4)}
    assert [state.input for state in two_range().states.values()] == [False] * 3 + [True, False, True]


def test_nested_thresholds() -> None:
    assert edges(nested_thresholds(2)) == [
        "q1 true x1= o q2",
        "q2 <x1 obot q2",
        "q2 >=x1 x2= otop q3",
        "q3 <x1 o0 q4",
        "q3 >=x1 <x2 o1 q4",
        "q3 >=x1 >=x2 o2 q4",
    ]


def test_thresholds_that_are_drawn_first() -> None:
    assert edges(levels(2)) == [
        "q1 true x1= o q2",
        "q2 true x2= o q3",
        "q3 <x1 below q3",
        "q3 >=x1 above q4",
        "q4 <x2 below q4",
        "q4 >=x2 above q5",
    ]
    assert edges(streams(2))[2:] == [
        "q3 <x1 below q4",
        "q3 >=x1 above q5",
        "q4 <x2 below q3",
        "q4 >=x2 above q5",
    ]
    assert (
        edges(levels(1)) == edges(streams(1)) == ["q1 true x1= o q2", "q2 <x1 below q2", "q2 >=x1 above q3"]
    )


def test_counterexamples_are_different() -> None:
    assert len({tuple(edges(counterexample(name))) for name in COUNTEREXAMPLES}) == len(COUNTEREXAMPLES)
    assert max(len(counterexample(name).states) for name in COUNTEREXAMPLES) == 7


def test_hidden_least_and_largest_lose_less() -> None:
    assert privacy(k_min_max(5, hidden="yes")).epsilon == Fraction(7, 10)
    assert privacy(k_min_max(5)).epsilon == Fraction(4, 5)
