"""Boundedness by tokens: the smallest programs that refute each shortcut, and random ones."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from prover.certificate.check import check
from prover.program.decision.pumping import total
from prover.program.model import Program
from prover.program.optimum.refinement import Budget
from prover.program.privacy import privacy
from prover.program.several.optimum import decide, measure
from prover.program.several.tokens import explore
from tests.program.several_examples import Case, random_program, state

TRUE: tuple[tuple[str, str], ...] = ()


def below(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple(("<", name) for name in names)


def above(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((">=", name) for name in names)


def chain(stored: str, **states: tuple[Case, ...]) -> Program:
    """A program that first stores one sample in each variable, and goes on at state q."""
    first = {
        f"s{k}": state((TRUE, (name,), "o", f"s{k + 1}" if k + 1 < len(stored) else "q"))
        for k, name in enumerate(stored)
    }
    return Program("s0", first | {name: state(*cases) for name, cases in states.items()})


PRIVATE = {
    "demands of different branches": chain(
        "vw",
        q=((below("v"), (), "a", "left"), (above("v"), (), "b", "right")),
        left=((below("v"), (), "a", "left"), (above("v"), (), "b", "last")),
        right=((above("w"), (), "a", "right"), (below("w"), (), "b", "last")),
        last=(((*above("v"), *below("w")), (), "in", "end"),),
    ),
    "the loop of the second demand overwrites the first sample": chain(
        "vu",
        q=((below("u"), (), "a", "q"), (above("u"), (), "b", "first")),
        first=((above("v"), (), "a", "second"),),
        second=((above("v"), (), "a", "third"), ((*above("u"), *below("v")), (), "b", "end")),
        third=((TRUE, ("u",), "a", "first"),),
    ),
    "least and largest are the same sample": Program(
        "s",
        {
            "s": state((TRUE, ("max", "min"), "o", "q")),
            "q": state((above("max"), ("max",), "a", "r"), (below("min"), ("min",), "b", "r")),
            "r": state(
                ((*above("min"), *below("max")), (), "in", "r"),
                (below("min"), (), "a", "end"),
                (above("max"), (), "b", "end"),
            ),
        },
    ),
    "a range that stores and outputs its value": Program(
        "s0",
        {
            "s0": state((TRUE, ("x0",), "o", "s1")),
            "s1": state((TRUE, ("x1",), "o", "q3")),
            "q3": state(
                ((*above("x0"), *below("x1")), ("x1",), "insample", "q4"), (above("x1"), (), "a", "q4")
            ),
            "q4": state((below("x0"), (), "a", "q5"), (above("x0"), (), "b", "q4"), rate=2),
        },
    ),
}

UNBOUNDED = {
    "both loops in sequence, then a range": chain(
        "vw",
        q=((below("v"), (), "a", "q"), (above("v"), (), "b", "r")),
        r=((above("w"), (), "a", "r"), (below("w"), (), "b", "last")),
        last=(((*above("v"), *below("w")), (), "in", "end"),),
    ),
    "both values stored before both loops, with the range between them": chain(
        "vw",
        q=(((*above("v"), *below("w")), (), "in", "r"), (above("w"), (), "a", "q")),
        r=((below("v"), (), "a", "r"), (above("v"), (), "b", "end")),
    ),
    "two names of one sample": Program(
        "s",
        {
            "s": state((TRUE, ("x", "y"), "o", "q")),
            "q": state((below("x"), (), "a", "q"), (above("y"), (), "b", "q")),
        },
    ),
    "a sample above another, both in loops": chain(
        "x",
        q=((above("x"), ("y",), "a", "r"),),
        r=((below("x"), (), "a", "r"), (above("x"), (), "b", "t")),
        t=((above("y"), (), "a", "t"),),
    ),
    "a low token that goes on where its variable is assigned again": chain(
        "vz",
        q=((above("z"), ("y",), "a", "r"),),
        r=((below("v"), (), "a", "r"), ((*above("v"), *below("z")), ("z",), "b", "t")),
        t=((above("y"), (), "a", "t"),),
    ),
}


@pytest.mark.parametrize("name", PRIVATE)
def test_programs_that_shortcuts_call_unbounded(name: str) -> None:
    answer = privacy(PRIVATE[name])
    assert answer.private
    assert answer.epsilon is not None
    assert answer.certificate is not None
    assert f"value={answer.epsilon}" in check(answer.certificate.data)


@pytest.mark.parametrize("name", UNBOUNDED)
def test_programs_that_shortcuts_call_private(name: str) -> None:
    answer = privacy(UNBOUNDED[name])
    assert answer.private is False
    assert total(answer.family).slope > 0
    assert answer.certificate is not None
    assert check(answer.certificate.data) == "not-private adjacency=all-differ"


def test_a_range_that_outputs_its_value() -> None:
    assert privacy(PRIVATE["a range that stores and outputs its value"]).epsilon == Fraction(8)


def test_random_programs_are_bounded_iff_their_optimum_is() -> None:
    seen = {True: 0, False: 0}
    for seed in range(300):
        program = random_program(Random(1_000 + seed))
        found = decide(program)
        seen[found.bounded] += 1
        if found.bounded:
            assert found.single is None or explore(found.graph, found.cycles).contradiction is None
        else:
            assert total(found.family).slope > 0
        cost = measure(found, budget=Budget(values=150, seconds=1))
        if cost.table.complete:
            assert (cost.upper is not None) is found.bounded, seed
    assert min(seen.values()) > 50
