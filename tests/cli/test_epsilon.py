"""``prover epsilon``, as users run it: exact and enclosed answers, certificates, refutations, endings."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.commands import FORKS, long_work, prover, saved, verdicts, zoo
from tests.schemas import schema

pytestmark = pytest.mark.filterwarnings(FORKS)

F = Fraction
KEYS = set(schema("epsilon")["required"])


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


def answer(folder: Path, *arguments: str | Path, status: int = 0) -> dict[str, Any]:
    """The JSON object of ``prover epsilon``; its certificates are verified and prove what it says."""
    path, lower = folder / "epsilon.cert", folder / "epsilon.cert.lower"
    for file in (path, lower):
        file.unlink(missing_ok=True)
    run = prover("epsilon", *arguments, "--json", "--certificate", path)
    assert run.status == status, run.err
    found: dict[str, Any] = json.loads(run.out)
    assert found.keys() - {"certificate_lower"} == KEYS
    assert found["kind"] == "epsilon"
    assert path.exists() == (found["certificate"] is not None) == (found["alpha_upper"] is not None)
    assert lower.exists() == ("certificate_lower" in found)
    written = [file for file in (path, lower) if file.exists()]
    assert verdicts(*written).status == 0
    if path.exists():
        claim = json.loads(path.read_bytes())["claim"]
        assert claim["alpha"] == found["alpha_upper"]
        assert F(claim["upper"]) <= F(found["delta"])
    if lower.exists():
        claim = json.loads(lower.read_bytes())["claim"]
        assert F(claim["alpha"]) <= F(found["alpha_lower"])
        assert F(claim["lower"]) > F(found["delta"])
    return found


def test_an_exact_answer(pin: Path, tmp_path: Path) -> None:
    found = answer(tmp_path, pin, "--delta", "1/100")
    assert found["alpha"] == found["alpha_lower"] == found["alpha_upper"] == "273391/220900"
    assert (found["lower"], found["upper"]) == ("0.213192894521", "0.213192894522")
    assert (found["of"], found["from"], found["to"], found["impossible"]) == ("delta", None, None, False)


def test_one_direction(pin: Path, tmp_path: Path) -> None:
    found = answer(tmp_path, pin, "--from", "0", "--to", "1", "--kind", "lv", "--delta", "0")
    assert (found["of"], found["from"], found["to"], found["alpha"]) == ("lv", "0", "1", "53/47")


def test_nothing_to_prove_from_below(pin: Path, tmp_path: Path) -> None:
    found = answer(tmp_path, pin, "--delta", "0.08")
    assert (found["alpha"], found["lower"], found["upper"]) == ("1", "0", "0")
    assert "certificate_lower" not in found


def test_text(pin: Path) -> None:
    run = prover("epsilon", pin, "--from", "0", "--to", "1", "--delta", "1/100")
    assert (run.status, run.err) == (0, "")
    assert run.out == (
        "the least epsilon with delta <= 1/100 is ln(273391/220900) ≈ 0.213192894522, rounded up\n"
        "For every event E:  P[E | 0]  <=  273391/220900 * P[E | 1]  +  1/100"
        ", and with 0 and 1 swapped\n"
    )
    run = prover("epsilon", pin, "--delta", "0")
    assert run.out.endswith(
        "For every event E and all related secrets s, t:  P[E | s]  <=  2809/2209 * P[E | t]\n"
    )


def test_an_interval(tmp_path: Path) -> None:
    model = zoo(tmp_path, "random-chain", "states=8", "labels=2")
    question = (model, "--from", "s1", "--to", "s5", "--delta", "0.39", "--gap", "1/500")
    found = answer(tmp_path, *question)
    assert found["alpha"] is None
    low, high = F(found["alpha_lower"]), F(found["alpha_upper"])
    assert 1 < low < high <= low * F(501, 500)
    shown = prover("epsilon", *question).out.splitlines()
    assert shown[0].startswith("the least epsilon with delta <= 39/100 is at least 0.03")
    alpha = F(shown[1].partition("<=  ")[2].partition(" *")[0])
    assert high <= alpha < high + F(1, 10**11)


def test_no_epsilon_at_all(tmp_path: Path) -> None:
    model = saved(
        tmp_path,
        {
            "s": ("a", {"x": "1/2", "y": "1/2"}),
            "t": ("a", {"x": "1"}),
            "x": ("x", {"x": "1"}),
            "y": ("y", {"y": "1"}),
        },
        [("s", "t")],
    )
    found = answer(tmp_path, model, "--delta", "1/3", status=1)
    assert (found["impossible"], found["alpha_upper"], found["upper"]) == (True, None, "inf")
    run = prover("epsilon", model, "--delta", "1/3")
    assert (run.status, run.out, run.err) == (
        1,
        "no epsilon has delta <= 1/3\n"
        "Some event is more likely than this under one secret, and has probability 0 under the other.\n",
        "",
    )


def test_beyond_the_limit(pin: Path, tmp_path: Path) -> None:
    found = answer(tmp_path, pin, "--delta", "0", "--limit", "5/4", status=3)
    assert (found["alpha_upper"], found["upper"], found["impossible"]) == (None, "inf", False)
    assert F(found["alpha_lower"]) > F(5, 4)


def test_the_time_is_up(tmp_path: Path) -> None:
    run = prover("epsilon", long_work(tmp_path), "--delta", "1/100", "--timeout", "0.2")
    assert run.status == 3
    assert run.err.startswith("prover: not decided: the time is up\n")
    nothing = "epsilon >= 0\nNo other bound is proved yet."
    assert run.out.startswith((nothing, "no epsilon with delta <= 1/100 was found"))


@pytest.mark.parametrize(
    "arguments",
    [
        (), ("--delta", "-1"), ("--delta", "x"), ("--delta", "0", "--gap", "-1"),
        ("--delta", "0", "--limit", "0.5"), ("--delta", "0", "--from", "0"), ("--delta", "0", "--kind", "ld"),
    ],
)  # fmt: skip
def test_bad_questions(pin: Path, arguments: tuple[str, ...]) -> None:
    run = prover("epsilon", pin, *arguments)
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("prover: ")


def test_certificates_do_not_replace_the_model(pin: Path, tmp_path: Path) -> None:
    model = tmp_path / "answer.lower"
    model.write_bytes(pin.read_bytes())
    run = prover("epsilon", model, "--delta", "0", "--certificate", tmp_path / "answer")
    assert (run.status, run.out) == (2, "")
    assert "this file is an input" in run.err
