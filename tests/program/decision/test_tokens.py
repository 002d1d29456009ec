"""Boundedness by tokens: the smallest programs that refute each shortcut, and random ones."""

from __future__ import annotations

from random import Random

import pytest

from prover.certificate.check import check
from prover.program.decision.blocks import total
from prover.program.decision.boundedness import decide
from prover.program.decision.tokens import TokenTable, explore
from prover.program.optimum.budget import Budget, Steps
from prover.program.optimum.by_functions import measure
from prover.program.privacy import privacy
from prover.zoo import counterexample
from prover.zoo.several import BOUNDED
from prover.zoo.several import UNBOUNDED as NOT_BOUNDED
from tests.certificate.verdicts import claimed
from tests.profiles import thinned
from tests.program.several_examples import random_program

PRIVATE = {name: counterexample(name) for name in BOUNDED}
UNBOUNDED = {name: counterexample(name) for name in NOT_BOUNDED}


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
    assert claimed(answer.certificate.data) == "not-private adjacency=all-differ loss=observer"


@pytest.mark.parametrize(("name", "loss"), [("branches", 8), ("overwriting", 12), ("stored-range", 8)])
def test_what_private_programs_lose(name: str, loss: int) -> None:
    assert privacy(PRIVATE[name]).epsilon == loss


@pytest.mark.thorough
def test_random_programs_are_bounded_iff_their_optimum_is() -> None:
    seen = {True: 0, False: 0}
    for seed in thinned(range(300)):
        program = random_program(Random(1_000 + seed))
        found = decide(program)
        seen[found.bounded] += 1
        if found.bounded:
            assert isinstance(explore(found.graph, found.cycles), TokenTable)
        else:
            assert total(found.family).slope > 0
        cost = measure(
            found.graph, "all-differ", Budget(values=150, steps=Steps(1_000_000)), bounded=found.bounded
        )
        if not cost.spent:
            assert (cost.upper is not None) is found.bounded, seed
    assert min(seen.values()) > 25
