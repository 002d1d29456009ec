"""Queries used more than once: published values, and brute force."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

import prover
from prover.certificate.check.verdict import check
from prover.errors import NotSupported
from prover.program.model import Program, forgetful, variables
from prover.program.privacy import privacy
from prover.report.privacy import reply_of
from prover.report.privacy_page import measured
from tests.certificate.registers_judge import costliest, followed_totals
from tests.program import registers

ALL, ONE = "all-differ", "one-differ"


@pytest.mark.parametrize(
    ("program", "adjacency", "value"),
    [
        (registers.adaptive(), ALL, 1),
        (registers.adaptive(), ONE, "3/8"),
        (registers.adaptive(), "increasing", "3/4"),
        (registers.adaptive(gaps=False), ONE, "3/8"),
        (registers.partial_sum(), ONE, 1),
        (registers.partial_sum(), ALL, 4),
        (registers.partial_sum(times=2), ONE, 2),
        (registers.prefix_sum(count=1), ONE, 1),
        (registers.smart_sum(block=2), ONE, 2),
        (registers.smart_sum(block=3), ONE, 2),
        (registers.copies(), ALL, 5),
        (registers.copies(), ONE, 5),
        (registers.ranges(), ALL, 2),
        (registers.frozen(), ALL, 0),  # and infinite if every query were another one
        (registers.difference(), ALL, 4),  # extreme sums would give 2
        (registers.difference(), ONE, 3),
    ],
)
def test_published_values(program: Program, adjacency: str, value: str | int) -> None:
    answer = privacy(program, adjacency)
    assert answer.lower == answer.upper == Fraction(value)
    assert answer.certificate is not None
    said = check(answer.certificate.data).split()
    assert said[:4] == ["epsilon", f"adjacency={adjacency}", "loss=observer", f"value={value}"]


def test_a_program_in_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "ranges.json"
    prover.save(registers.ranges(), path)
    assert privacy(prover.load_program(path)).epsilon == privacy(registers.ranges()).epsilon


def test_names_and_conditions_are_those_of_the_program() -> None:
    """Copies of a transition with several differences are not several transitions for one sample."""
    found = privacy(registers.ranges())
    assert found.conditions.determinism
    assert found.unfolded is not None
    assert registers.ranges().initial == found.unfolded.initial


def test_states_are_not_named_like_states_with_differences() -> None:
    program = registers.ranges()
    states = {
        f"a: {name}": replace(
            state, transitions=tuple(replace(own, target=f"a: {own.target}") for own in state.transitions)
        )
        for name, state in program.states.items()
    }
    with pytest.raises(NotSupported, match='has ": " in it'):
        privacy(Program(f"a: {program.initial}", states, noise=program.noise))


def test_pages_measure_no_attack() -> None:
    """It would be one on the unfolded program, whose inputs are others."""
    assert "more than once" in measured(privacy(registers.ranges())).why


@pytest.mark.parametrize("program", [registers.adaptive(gaps=False), registers.smart_sum(block=2)])
def test_losses_without_bound(program: Program) -> None:
    answer = privacy(program)
    assert answer.private is False
    assert answer.certificate is not None
    assert check(answer.certificate.data).startswith("not-private adjacency=all-differ loss=observer")


def is_brute_force(program: Program, adjacency: str) -> bool:
    """Compare with all runs; False where the answer is refused."""
    try:
        answer = privacy(program, adjacency)
    except NotSupported:
        return False
    assert answer.certificate is not None
    check(answer.certificate.data)
    model: Any = json.loads(answer.certificate.data)["model"]
    found = costliest(model, adjacency, 8)
    assert answer.runs.lower == answer.runs.upper == found, (model, adjacency)
    return True


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int) -> None:
    random = Random(seed)
    answered = [
        is_brute_force(registers.random_program(random), adjacency)
        for adjacency in (ALL, ONE, "increasing", "decreasing")
    ]
    answered += [is_brute_force(registers.random_program(random, bare=True), ALL) for _ in range(3)]
    assert any(answered)


@pytest.mark.slow
def test_many_random_programs() -> None:
    random = Random(0)
    adjacencies = (ALL, ONE, "increasing", "decreasing")
    answered = [
        is_brute_force(registers.random_program(random), random.choice(adjacencies)) for _ in range(1_500)
    ]
    answered += [
        is_brute_force(registers.random_program(random, bare=True), random.choice(adjacencies))
        for _ in range(1_500)
    ]
    assert sum(answered) > 2_000


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes fewer states to see that sums grow."""
    monkeypatch.setattr("prover.program.registers.LIMIT", 200)


@pytest.mark.usefixtures("small")
def test_sums_that_are_seen_again_and_again() -> None:
    assert privacy(registers.running_sum()).private is False
    assert privacy(registers.running_sum(), "increasing").private is False


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("program", "adjacencies"),
    [
        (registers.running_sum(once=True), (ALL, "increasing", "decreasing")),
        (registers.compared_sum(), (ALL,)),
        (registers.compared_sum(signs=-1), (ALL, "increasing")),
        (registers.compared_sum(limits=2), (ALL,)),
    ],
)
def test_sums_that_grow_and_are_used_once(program: Program, adjacencies: tuple[str, ...]) -> None:
    for adjacency in adjacencies:
        answer = privacy(program, adjacency)
        assert answer.private is False
        assert answer.certificate is not None
        said = f"not-private adjacency={adjacency} loss=observer "
        assert check(answer.certificate.data).startswith(said)
        made = json.loads(answer.certificate.data)
        assert made["evidence"]["sums"] == "followed"
        if len(variables(forgetful(program))) == 1:
            totals = followed_totals(made["model"], made["evidence"]["blocks"], 4)
            assert totals is not None
            steps = {after - before for before, after in pairwise(totals)}
            assert len(steps) == 1
            assert min(steps) > 0
        assert "grows without bound as runs repeat a cycle" in reply_of(answer, certified=False).text
    assert privacy(program, ONE).private is True


@pytest.mark.usefixtures("small")
def test_sums_that_grow_and_of_which_less_is_known() -> None:
    """A bound from below where outputs do not tell the run; where nothing is lost programs are refused."""
    once = privacy(registers.moved_sum())
    assert once.private is None
    assert once.upper is None
    said = reply_of(once, certified=False)
    assert "they differ by at most as much as 2 inputs" in said.text
    assert said.obstacle == "sums of inputs differ by ever more"
    with pytest.raises(NotSupported, match="where sums of them differ by ever more"):
        privacy(registers.running_sum(harmless=True))
