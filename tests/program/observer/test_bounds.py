"""Bounds of the observer's loss: the known values, and against brute force over runs, orders and shifts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from prover.certificate.check import check
from prover.formats.convert import write_json
from prover.graphs import linear_extensions
from prover.program.adjacency import ADJACENCIES, Adjacency
from prover.program.answer import Privacy
from prover.program.model import Program, State, Transition
from prover.program.noise import Noise
from prover.program.observer.bounds import BoundAbove, GroupCost, above
from prover.program.observer.merging import merged
from prover.program.observer.observed import Search
from prover.program.observer.words import Run
from prover.program.optimum.budget import Budget
from prover.program.outputs import Gap
from prover.program.privacy import privacy
from prover.zoo import hidden_xor, noisy_max
from tests.certificate.verdicts import claimed
from tests.program.observer_examples import (
    leaning,
    leaving_unseen,
    on_a_grid,
    random_indistinct,
    showing,
    tied,
)
from tests.program.observer_oracle import loss_from_0, loss_of_runs
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step


def exact(answer: Privacy) -> Fraction | None:
    """The loss, proved from both sides."""
    proof = answer.certificate
    assert proof is not None
    assert " loss=observer " in check(proof.data)
    return answer.epsilon


class TestNoisyMax:
    @pytest.mark.family
    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (7, 8))])
    def test_twice_the_rate_and_half_of_that_one_way(self, n: int) -> None:
        rate = Fraction(3, 4)
        assert exact(privacy(noisy_max(n, rate=rate))) == 2 * rate
        for adjacency in ("increasing", "decreasing", "monotonic", "one-differ"):
            assert exact(privacy(noisy_max(n, rate=rate), adjacency)) == rate

    @pytest.mark.family
    @pytest.mark.parametrize("n", [3, 5, 6])
    def test_strict_tests_on_a_grid(self, n: int) -> None:
        """The first of several largest values wins, or, with every second candidate, the last."""
        found = noisy_max(n)
        sizes = (size for k in range(1, n + 1) for size in [k] * max(1, k - 1))
        names = sorted(found.states, key=lambda name: int(name[1:]))
        every_second = {name for name, size in zip(names, sizes, strict=True) if size % 2}
        for strict in (None, every_second):
            assert exact(privacy(on_a_grid(found, strict))) == 1
            assert exact(privacy(on_a_grid(found, strict), "monotonic")) == Fraction(1, 2)

    def test_ties_that_no_row_decides(self) -> None:
        """Two equal values are seen with one order of a third only: 1.998 at ε = 1 (theory_observer.md)."""
        same = (("o", ">=", "p", "<"), ("o", ">", "p", "<="))
        states = {
            f"q{k}": state(*(step(((sign, "x"),), "end", out) for out, sign in (own[:2], own[2:])))
            for k, own in enumerate(same, start=2)
        }
        first = state(step((), "q1", assign=True), input=False, rate=8)
        third = state(step(BELOW, "q2", "n"), step(ABOVE, "q3", "n"), rate=8)
        made = Program("q0", {"q0": first, "q1": third, **states}, noise=Noise("discrete-laplace"))
        upper = privacy(made).upper
        assert upper is not None
        assert upper >= 2

    @pytest.mark.parametrize("n", [2, 3, 5])
    def test_noise_that_points_upwards(self, n: int) -> None:
        assert exact(privacy(noisy_max(n, rate=1, noise="exponential"))) == 2
        assert exact(privacy(noisy_max(n, rate=1, noise="exponential"), "monotonic")) == 1

    @pytest.mark.parametrize("n", [2, 3, 5])
    def test_noise_that_points_downwards(self, n: int) -> None:
        assert exact(privacy(noisy_max(n, rate=1, noise="exponential-down"))) == 2 * (n - 1)
        assert exact(privacy(noisy_max(n, rate=1, noise="exponential-down"), "monotonic")) == n - 1

    @pytest.mark.parametrize(("left", "right"), [("1/5", "1"), ("1/3", "1"), ("2", "3/2")])
    def test_two_rates_on_a_grid(self, left: str, right: str) -> None:
        sides = Fraction(left), Fraction(right)
        own = noisy_max(4)
        states = {
            name: replace(s, rate=None, rate_left=sides[0], rate_right=sides[1])
            for name, s in own.states.items()
        }
        grid = Program(own.initial, states, own.final, Noise("discrete-laplace", sensitivity=Fraction(3)))
        assert exact(privacy(grid)) == 3 * 2 * min(sides[1], 3 * sides[0])

    @pytest.mark.parametrize(("n", "runs"), [(2, 2), (3, 2), (4, 4), (5, 4), (6, 6)])
    def test_single_runs_lose_more(self, n: int, runs: int) -> None:
        answer = privacy(noisy_max(n, rate=1))
        assert answer.runs.exact == runs
        assert answer.observer is None or (answer.observer.above is None) == (runs == 2)

    @pytest.mark.family
    @pytest.mark.parametrize(("n", "loss"), [(3, 2), (4, 4), (5, 4)])
    def test_the_two_largest(self, n: int, loss: int) -> None:
        assert exact(privacy(noisy_max(n, top=2, rate=1))) == loss
        assert exact(privacy(noisy_max(n, top=2, rate=1), "monotonic")) == Fraction(loss, 2)


class TestHiddenXor:
    def test_an_interval(self) -> None:
        answer = privacy(hidden_xor())
        assert exact(answer) is None
        assert [answer.lower, answer.upper, answer.runs.exact] == [1, 4, 4]
        proof = answer.certificate
        assert proof is not None
        assert claimed(proof.data) == "epsilon adjacency=all-differ loss=observer lower=1 upper=4"

    def test_no_box_helps(self) -> None:
        assert privacy(hidden_xor(), search=Search(box=8)).lower == 1


def switching() -> Program:
    """Steps of different noise: x2 has rate 1 if x1 < x0, else 2; all that is said is whether x2 < x0."""
    last = step(BELOW, "end", "less"), step(ABOVE, "end", "more")
    return program(
        {
            "q0": state(step(TRUE, "q1", assign=True), rate=10, input=False),
            "q1": state(step(BELOW, "q2"), step(ABOVE, "q3"), rate=3),
            "q2": state(*last, rate=1),
            "q3": state(*last, rate=2),
        }
    )


def runs_in(unions: BoundAbove) -> list[tuple[Run, ...]]:
    """The runs of all groups that are not on ladders."""
    return [cost.group.runs for cost in unions.groups if isinstance(cost, GroupCost)]


def test_runs_that_are_not_aligned_are_not_joined() -> None:
    """Their union is {x2 < x0}, which alone would lose 2 at most; but the noise of x2 tells how x1 was."""
    unions = above(switching(), Adjacency.ALL_DIFFER, None, [], Budget(), set())
    assert unions is not None
    joined = [own for own in runs_in(unions) if len(own) > 1]
    assert [len(own[0].edges) for own in joined] == [2]  # before x2 is drawn
    answer = privacy(switching())
    assert answer.upper == answer.runs.exact
    assert answer.lower is not None
    assert answer.lower >= 4


def test_outputs_of_samples_are_not_joined() -> None:
    tests = step(BELOW, "q2"), step(ABOVE, "q2")
    last = state(step(TRUE, "end", "insample"))
    found = program({"q0": state(step(TRUE, "q1", assign=True)), "q1": state(*tests), "q2": last})
    unions = above(found, Adjacency.ALL_DIFFER, None, [], Budget(), set())
    assert unions is not None
    assert [len(own) for own in runs_in(unions)] == [1, 2, 1, 1]


@pytest.mark.parametrize("noise", [Noise(), Noise("discrete-laplace")], ids=["laplace", "discrete"])
@pytest.mark.parametrize(
    ("adjacency", "loss"),
    [("all-differ", 6), ("one-differ", 1), ("increasing", 3), ("decreasing", 3), ("monotonic", 3)],
)
def test_all_runs_of_a_word_lose_as_much(adjacency: str, loss: int, noise: Noise) -> None:
    """Though programs with loops have words without end, that of the worst run proves what runs lose."""
    found = replace(leaving_unseen(step(BELOW, "end", "b"), step(ABOVE, "end", "c")), noise=noise)
    answer = privacy(found, adjacency)
    assert exact(answer) == answer.runs.exact == loss
    assert answer.observer is not None
    assert answer.observer.above is None


def test_the_unions_of_endless_words_are_not_looked_at() -> None:
    """The step that leaves looks like the others, and so does the last one; the bound is that of runs."""
    answer = privacy(leaving_unseen(step(TRUE, "end", "a")))
    assert exact(answer) is None
    assert answer.lower is not None
    assert answer.upper is not None
    assert answer.runs.exact == answer.upper > answer.lower


class TestMerging:
    """The last test is never seen, and nothing is lost by it: it is none."""

    @pytest.mark.parametrize(
        ("adjacency", "loss"), [("all-differ", 4), ("one-differ", 1), ("increasing", 2), ("monotonic", 2)]
    )
    def test_a_loop_before_a_test_that_nobody_sees(self, adjacency: str, loss: int) -> None:
        answer = privacy(leaving_unseen(step(BELOW, "end", "c"), step(ABOVE, "end", "c")), adjacency)
        assert exact(answer) == loss
        assert answer.observer is not None
        assert (answer.observer.merged is None) == (answer.runs.exact == loss)

    def test_pairs(self) -> None:
        found = merged(leaving_unseen(step(BELOW, "end", "c"), step(ABOVE, "end", "c")))
        assert found is not None
        assert found.pairs == ((3, 4),)
        assert [edge.guard for edge in found.program.edges] == [(), BELOW, ABOVE, ()]

    @pytest.mark.parametrize(
        "last",
        [
            (step(BELOW, "end", "c"), step(ABOVE, "end", "b")),
            (step(BELOW, "end", "c"), step(ABOVE, "q0", "c")),
            (step(BELOW, "end", "c"), step(ABOVE, "end", "c", assign=True)),
            (step(BELOW, "end", ("c", Gap("x"))), step(ABOVE, "end", ("c", Gap("x")))),
            (step(BELOW, "end", "c"), step(ABOVE, "end", "c"), step(TRUE, "end", "c")),
        ],
    )
    def test_others(self, last: tuple[Transition, ...]) -> None:
        assert merged(leaving_unseen(*last)) is None


@pytest.mark.parametrize("below", [(0, 0, 0), (0, 1, 3), (0, 0, 3, 0, 8), ()])
def test_linear_extensions_are_counted(below: tuple[int, ...]) -> None:
    from itertools import permutations

    rows = permutations(range(len(below)))
    kept = [
        row
        for row in rows
        if all(
            row.index(a) < row.index(b) for b, under in enumerate(below) for a in range(8) if under >> a & 1
        )
    ]
    assert linear_extensions(below) == len(kept)


@pytest.mark.parametrize("seed", range(25))
def test_random_programs(seed: int) -> None:
    random = Random(1000 + seed)
    check_bounds(random_indistinct(random), random.choice(ADJACENCIES))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("change", [leaning, tied, showing])
def test_random_noise_and_outputs(change: Callable[[Random, Program], Program], seed: int) -> None:
    random = Random(2000 + seed)
    check_bounds(change(random, random_indistinct(random)), random.choice(ADJACENCIES))


def check_bounds(found: Program, adjacency: str) -> None:
    """Against brute force over runs and shifts, where the loss has a bound."""
    answer = privacy(found, adjacency)
    if answer.runs.exact is None:
        return
    assert answer.certificate is not None
    check(answer.certificate.data)
    model = json.loads(write_json(found))
    runs = loss_of_runs(model, adjacency, 5)
    assert answer.runs.exact == runs
    assert answer.upper is not None
    assert answer.lower is not None
    assert loss_from_0(model, adjacency, 5) <= answer.lower <= answer.upper <= runs


def test_names_do_not_matter() -> None:
    """A state with its transitions turned round, and other names, has the same answer."""
    found = noisy_max(4)
    names = {name: f"z{len(found.states) - k}" for k, name in enumerate(found.states)}
    turned = {
        names[name]: State(
            own.input, own.rate, own.mean, None, None,
            tuple(
                Transition(t.guard, t.assign, f"{t.output}'", names.get(t.target, "over"))
                for t in reversed(own.transitions)
            ),
        )
        for name, own in found.states.items()
    }  # fmt: skip
    assert privacy(Program(names[found.initial], turned)).epsilon == privacy(found).epsilon == 1
