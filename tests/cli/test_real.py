"""prover privacy about rates that are real numbers: answers, files and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prover.certificate.check import check
from tests.commands import FORKS, prover

pytestmark = pytest.mark.filterwarnings(FORKS)

SVT = "examples/real/svt.dipa"
LINE = "private: exactly 5·ln 3·ε (no smaller multiple holds)"


def test_text() -> None:
    run = prover("privacy", SVT)
    assert (run.status, run.err) == (0, "")
    assert run.out.splitlines()[:4] == [
        LINE,
        "The loss lies between 5.49306144334·ε and 5.493061443341·ε.",
        "All rates are multiples of ln 3. The lines below are about the program with rates divided by it:",
        "private: exactly 5·ε (no smaller multiple holds)",
    ]


def test_files_and_json(tmp_path: Path) -> None:
    proof, page = tmp_path / "a.cert", tmp_path / "a.html"
    run = prover("privacy", SVT, "--certificate", proof, "--html", page, "--json")
    found = json.loads(run.out)
    assert (run.status, found["epsilon"], found["symbolic"], found["unit"]) == (0, None, "5*ln(3)", "ln(3)")
    assert (found["lower"], found["upper"]) == ("274653072167/50000000000", "5493061443341/1000000000000")
    assert found["of_unit"]["epsilon"] == "5"
    assert check(proof.read_bytes()).endswith(f"model={found['model']}")
    assert LINE in page.read_text(encoding="utf-8")
    assert prover("verify", page, "--model", SVT, "--epsilon-at-most", "5494/1000").status == 0
    assert prover("verify", proof, "--epsilon-at-most", "5493/1000").status == 1
    assert prover("verify", proof, "--model", "examples/svt.dipa").status == 1


@pytest.mark.parametrize(("most", "status", "word"), [("11/2", 0, "yes"), ("5", 1, "no")])
def test_at_most(most: str, status: int, word: str) -> None:
    run = prover("privacy", SVT, "--at-most", most)
    assert (run.status, run.out.splitlines()[0].rpartition(" ")[2]) == (status, word)


@pytest.mark.parametrize(
    "arguments",
    [
        ("delta", SVT, "--at-epsilon", "1", "--alpha", "1"),
        ("curve", SVT, "--at-epsilon", "1", "--alpha", "1:2:3"),
        ("epsilon", SVT, "--at-epsilon", "1", "--delta", "1/10"),
        ("convert", SVT, "-"),
        ("privacy", SVT, "--witness"),
        ("privacy", SVT, "--engine", "smt"),
        ("privacy", SVT, "--open", "t=1:2"),
    ],
)
def test_what_needs_rational_rates_says_so(arguments: tuple[str, ...]) -> None:
    run = prover(*arguments)
    assert (run.status, run.out) == (2, "")
    assert "rational" in run.err
    assert len(run.err.strip().splitlines()) == 1


def test_rates_that_are_not_multiples(tmp_path: Path) -> None:
    text, page, proof = Path(SVT).read_text(encoding="utf-8"), tmp_path / "a.html", tmp_path / "a.cert"
    (tmp_path / "a.dipa").write_text(text.replace("input, ln 3", "input, 1"), encoding="utf-8")
    run = prover("privacy", tmp_path / "a.dipa", "--html", page, "--certificate", proof, "--json")
    assert (run.status, json.loads(run.out)["symbolic"], json.loads(run.out)["unit"]) == (
        0,
        "1 + 4*ln(3)",
        None,
    )
    assert "exactly (1 + 4·ln 3)·ε" in page.read_text(encoding="utf-8")
    assert prover("verify", page, "--model", tmp_path / "a.dipa", "--epsilon-at-most", "27/5").status == 0
    assert prover("verify", proof, "--epsilon-at-most", "26/5").status == 1


def test_several_numbers(tmp_path: Path) -> None:
    text = Path(SVT).read_text(encoding="utf-8").replace("input, ln 3", "input, sqrt 2")
    (tmp_path / "a.dipa").write_text(text, encoding="utf-8")
    run = prover("privacy", tmp_path / "a.dipa")
    assert run.status == 3
    assert run.out.splitlines()[0] == "private: between 5.808662717044·ε and 5.808662717051·ε"
    assert run.err == "prover: not decided: the loss is enclosed only\n"
    assert prover("privacy", tmp_path / "a.dipa", "--at-most", "6").status == 0
    assert prover("privacy", tmp_path / "a.dipa", "--at-most", "5").status == 1


@pytest.mark.parametrize(("most", "status", "word"), [("11/2", 0, "holds"), ("5", 1, "refuted")])
def test_claims_in_files(tmp_path: Path, most: str, status: int, word: str) -> None:
    model = Path(SVT).resolve().as_posix()
    claims = f'[[claim]]\nmodel = "{model}"\nepsilon_at_most = "{most}"\ncertificate = "a.cert"\n'
    (tmp_path / "claims.toml").write_text(claims, encoding="utf-8")
    run = prover("check", tmp_path / "claims.toml")
    assert run.status == status
    assert word in run.out
    assert "5·ln 3·ε" in run.out
    assert (tmp_path / "a.cert").exists() == (status == 0)
