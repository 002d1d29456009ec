"""``prover privacy --advantage``: intervals of δ beside the answer, which is the same as without."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_delta_of_programs import CODE
from tests.commands import FORKS, prover, zoo
from tests.report.pages import read_page, whole_text
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)
OFFERED = "With --advantage, the answer also has intervals of delta, which say how bad this is."


@pytest.fixture
def alarm(tmp_path: Path) -> str:
    file = tmp_path / "alarm.py"
    file.write_text(CODE, encoding="utf-8")
    return f"{file}:alarm"


def test_what_is_not_private_has_intervals(alarm: str, tmp_path: Path) -> None:
    plain = prover("privacy", alarm)
    assert plain.out.splitlines()[-1] == OFFERED
    page = tmp_path / "alarm.html"
    run = prover("privacy", alarm, "--advantage", "--at-epsilon", "2", "--html", page)
    assert (run.status, run.err) == (1, "")
    answer, *attacks = run.out.removesuffix("\n").split("\n\n")
    assert answer == plain.out.removesuffix(f"{OFFERED}\n").rstrip("\n")
    heads = [attack.splitlines()[0] for attack in attacks]
    assert all(head.startswith("With the noise of ε = 2, 0.") for head in heads)
    assert [head.split(" <= ")[1].split()[0] for head in heads] == ["delta_1", "delta_e^2"]
    assert all(attack.splitlines()[-1].startswith("The guess is x with probability ") for attack in attacks)
    text = whole_text(page.read_text("utf-8"))
    assert "The largest advantage found" in text
    assert "With the noise of ε = 2 and α = e^2, δ is between 0." in text
    assert read_page(page.read_text("utf-8")).open == []


def test_json_has_both_answers(alarm: str) -> None:
    words = ["privacy", alarm, "--advantage", "--json"]
    run = prover(*words)
    check_answer(words, run.out)
    answer = json.loads(run.out)
    assert answer["witness"] is None
    assert [one.get("epsilon", one["alpha"]) for one in answer["advantages"]] == ["1", "1"]


def test_a_program_without_tables_has_the_bounds_of_its_exact_epsilon(tmp_path: Path) -> None:
    """With e^(5/4) for A, δ is at most (A − 1)/(A + 1) at α = 1."""
    gap = zoo(tmp_path, "svt-gap")
    plain, run = prover("privacy", gap), prover("privacy", gap, "--advantage")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith(plain.out)
    assert "0 <= delta_1 over all neighbouring inputs <= 0.5546" in run.out
    assert (
        run.out.count("No inputs for the lower end are known; this does not prove that there are none.") == 2
    )
    advantages = json.loads(prover("privacy", gap, "--advantage", "--json").out)["advantages"]
    assert [one["lower"] for one in advantages] == ["0", "0"]


def test_what_has_no_tables_is_not_offered_any(tmp_path: Path) -> None:
    assert OFFERED not in prover("privacy", zoo(tmp_path, "leaking-pair")).out


def test_a_share_in_place_of_epsilon_is_refused(tmp_path: Path) -> None:
    run = prover("privacy", zoo(tmp_path, "svt-discrete"), "--advantage", "--q", "1/2")
    assert run.status == 2
    assert "--advantage needs a rational epsilon" in run.err


def test_an_epsilon_alone_still_measures_a_loss(tmp_path: Path) -> None:
    run = prover("privacy", zoo(tmp_path, "svt"), "--at-epsilon", "1/10")
    assert "Attack at ε = 1/10: a run of " in run.out
    assert "over all neighbouring inputs" not in run.out
