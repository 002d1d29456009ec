"""Ties of several variables: where they do not decide which runs are possible, and where they are refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from prover.program.attack.attack import attack
from prover.program.attack.errors import NotMeasured
from prover.program.model import Edge, Program, Transition
from prover.program.noise import DISCRETE_LAPLACE, Noise
from prover.program.optimum.budget import Budget
from prover.program.order_graph import blocked_step
from prover.program.privacy import privacy
from prover.program.scope import TiesOfSeveral
from prover.zoo import num_range
from tests.certificate.judges import judged
from tests.certified import proved
from tests.program.several_examples import random_program
from tests.program_oracle import runs

GRID = Noise(DISCRETE_LAPLACE)
HOLDS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
}
STRICT_BELOW = {"<": ["<"], ">=": [">=", ">"]}
STRICT_ABOVE = {"<": ["<", "<="], ">=": [">"]}


def with_ties(model: Program, random: Random) -> Program:
    """The program on a grid, with other tests; on one of both sides of each transition all are strict."""

    def changed(case: Transition) -> Transition:
        choices = random.choice([STRICT_BELOW, STRICT_ABOVE])
        guard = tuple((random.choice(choices[relation]), name) for relation, name in case.guard)
        return replace(case, guard=guard)

    states = {
        name: replace(old, transitions=tuple(dict.fromkeys(map(changed, old.transitions))))
        for name, old in model.states.items()
    }
    return replace(model, states=states, noise=GRID)


def is_possible(run: Sequence[Edge]) -> bool:
    """Whether some integers meet the tests as they are written; so many places are enough for so few."""
    for samples in product(range(len(run)), repeat=len(run)):
        stored: dict[str, int] = {}
        for edge, sample in zip(run, samples, strict=True):
            if not all(HOLDS[relation](sample, stored[name]) for relation, name in edge.written):
                break
            stored.update(dict.fromkeys(edge.assign, sample))
        else:
            return True
    return False


@pytest.mark.parametrize(
    "seeds", [range(15), pytest.param(range(15, 300), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_same_runs_are_possible_as_without_ties(seeds: range) -> None:
    blocked = 0
    for seed in seeds:
        random = Random(seed)
        model = with_ties(random_program(random), random)
        for run in random.choices(list(runs(model, 5))[1:], k=8):
            impossible = blocked_step(model, run) is not None
            assert is_possible(run) is not impossible, seed
            blocked += impossible
    assert blocked


@pytest.mark.parametrize(
    "seeds", [range(4), pytest.param(range(4, 60), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_they_lose_what_they_lose_without_ties(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        plain = replace(random_program(random), noise=GRID)
        model = with_ties(plain, random)
        if len(model.edges) < len(plain.edges):
            continue
        one, other = (privacy(program, budget=Budget(values=100)) for program in (plain, model))
        assert other.runs == one.runs, seed
        assert other.reason == one.reason
        if other.certificate is not None:
            assert judged(proved(other.certificate)), seed


def test_at_most_and_above_are_the_mirror_image() -> None:
    plain = replace(num_range(), noise=GRID)
    swapped = {"<": "<=", ">=": ">"}
    states = {
        name: replace(
            old,
            transitions=tuple(
                replace(case, guard=tuple((swapped[r], v) for r, v in case.guard)) for case in old.transitions
            ),
        )
        for name, old in plain.states.items()
    }
    model = replace(plain, states=states)
    assert privacy(model).headline == "private: exactly (5/4)·ε (no smaller multiple holds)"
    with pytest.raises(NotMeasured, match="probabilities of ties of several variables are not computed"):
        attack(model)


def between(lower: str, upper: str) -> Program:
    """x lies between v and w, as the two tests say, where both are known to be equal, or nearly."""
    model = replace(num_range(), noise=GRID)
    first = model.states["q1"].transitions[0]
    second = replace(first, assign=("w",), guard=(("<=", "v"),), target="q3")
    last = Transition(((lower, "v"), (upper, "w")), (), "o", "end")
    state = model.states["q1"]
    return Program(
        "q1",
        {
            "q1": replace(state, transitions=(replace(first, assign=("v",), target="q2"),)),
            "q2": replace(state, input=True, transitions=(second,)),
            "q3": replace(state, input=True, transitions=(last,)),
        },
        noise=GRID,
    )


def test_where_a_tie_decides_the_program_is_refused() -> None:
    """w ≤ v ≤ x ≤ w is possible on a grid, if all are equal, and on the line it is not."""
    run = between(">=", "<=").edges
    assert is_possible(run)
    assert blocked_step(between(">=", "<="), run) == 2
    with pytest.raises(TiesOfSeveral, match="<= and >= at once"):
        privacy(between(">=", "<="))
    for lower, upper in ((">", "<="), (">=", "<"), (">", "<")):
        model = between(lower, upper)
        assert not is_possible(model.edges)
        assert blocked_step(model, model.edges) == 2
        assert privacy(model).private
    states = dict(between(">", "<").states)
    states["q3"] = replace(
        states["q3"], transitions=(replace(states["q3"].transitions[0], guard=(("=", "v"),)),)
    )
    with pytest.raises(TiesOfSeveral, match="compares by =:"):
        privacy(Program("q1", states, noise=GRID))
