"""Budgets of work: what is stated, what effort makes of it, and that answers say when they were spent."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from prover import save
from prover.errors import BadInput
from prover.program.model import Program
from prover.program.optimum.budget import Budget, Exhausted, Steps
from prover.program.privacy import privacy
from prover.testing import assert_private
from prover.zoo import k_min_max, noisy_max, svt
from tests.commands import FORKS, prover, zoo
from tests.program.observer_examples import on_a_grid
from tests.refusals import refuses

pytestmark = pytest.mark.filterwarnings(FORKS)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "budgets.md"
COUNTED = {field.name for field in fields(Budget)} - {"steps", "jobs"}


def test_the_page_lists_all_budgets() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| ([0-9,]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: int(number.replace(",", "")) for name, number in rows} == {
        name: getattr(Budget(), name) for name in COUNTED
    }


def test_effort_multiplies_what_is_counted() -> None:
    more = Budget(jobs=2, steps=Steps(7)).times(3)
    assert all(getattr(more, name) == 3 * getattr(Budget(), name) for name in COUNTED)
    assert (more.jobs, more.steps.most) == (2, 21)


def test_steps_are_counted_before_they_are_taken() -> None:
    steps = Steps(10)
    steps.take(10)
    assert not steps.are_over
    with pytest.raises(Exhausted):
        steps.take()
    assert steps.are_over


@pytest.mark.parametrize("effort", [0, -1, True, "2", 1.5])
def test_an_effort_is_a_positive_integer(effort: object) -> None:
    with refuses("bad-effort", match="an integer from 1 on"):
        privacy(svt(), effort=effort)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="an integer from 1 on"):
        assert_private(svt(), epsilon=2, effort=effort)  # type: ignore[arg-type]


@pytest.mark.family
@pytest.mark.parametrize(
    ("model", "small", "name"),
    [
        (noisy_max(6), Budget(runs=40), "runs"),
        (noisy_max(7), Budget(orders=200), "orders"),
        (noisy_max(6), Budget(groups=5), "groups"),
        (k_min_max(8), Budget(values=4), "values"),
    ],
)
def test_what_was_spent_is_named_and_more_effort_helps(model: Program, small: Budget, name: str) -> None:
    cut = privacy(model, budget=small)
    assert cut.epsilon is None
    assert name in cut.spent
    whole = privacy(model)
    assert whole.spent == ()
    more = privacy(model, budget=small, effort=100)
    assert more.epsilon == whole.epsilon is not None
    assert more.spent == ()


def test_noisy_max_of_twelve_is_exact() -> None:
    """It was an interval from 12 on: one run more than were looked at."""
    answer = privacy(noisy_max(12))
    assert answer.epsilon == 1
    assert answer.runs.exact == 6


def test_the_same_effort_gives_the_same_bytes() -> None:
    proofs = [privacy(noisy_max(5), budget=Budget(groups=3), effort=2).certificate for _ in range(2)]
    assert proofs[0] is not None
    assert proofs[0] == proofs[1]


def test_the_command_says_what_was_spent_and_what_to_do(tmp_path: Path) -> None:
    model, proof = tmp_path / "model.json", tmp_path / "proof"
    save(on_a_grid(noisy_max(15)), model)
    run = prover("privacy", model, "--certificate", proof)
    assert run.status == 3
    assert "The search used up its budget (listed and runs); more effort may give better bounds." in run.out
    assert "; --effort 2 allows twice the work" in run.err
    assert "runs" in json.loads(prover("privacy", model, "--json").out)["spent"]
    assert prover("verify", proof).status == 0


def test_the_command_takes_an_effort(tmp_path: Path) -> None:
    model = zoo(tmp_path, "noisy-max", "n=4")
    assert json.loads(prover("privacy", model, "--effort", "3", "--json").out)["spent"] == []
    assert prover("privacy", model, "--effort", "0").status == 2


def test_claims_have_an_effort(tmp_path: Path) -> None:
    model, claims = zoo(tmp_path, "svt"), tmp_path / "claims.toml"
    text = f'[[claim]]\nmodel = "{model.name}"\nepsilon_at_most = 2\n'
    claims.write_text(text + "effort = 2\n", encoding="utf-8")
    assert prover("check", claims).status == 0
    claims.write_text(text + "effort = 0\n", encoding="utf-8")
    run = prover("check", claims)
    assert run.status == 2
    assert "effort is an integer from 1 on" in run.err
