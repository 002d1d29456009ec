"""Without options of mechanisms the model says which question delta, curve and epsilon answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import FORKS, zoo
from tests.commands import prover as run

pytestmark = pytest.mark.filterwarnings(FORKS)
ONCE = """\
import prover
from prover.language import gaussian, see


@prover.mechanism
def once(queries):
    for query in queries:
        if gaussian(query, sigma="2") >= 0:
            see("above")
        else:
            see("below")
        return
"""
ASKED = {"delta": ("--alpha", "1"), "curve": ("--alpha", "1:2:2"), "epsilon": ("--delta", "1/10")}


@pytest.fixture
def once(tmp_path: Path) -> str:
    (tmp_path / "once.py").write_text(ONCE, encoding="utf-8")
    return f"{tmp_path / 'once.py'}:once"


@pytest.mark.family
@pytest.mark.parametrize("command", ASKED)
def test_gaussian_noise_needs_no_epsilon(once: str, command: str) -> None:
    done = run(command, once, *ASKED[command])
    assert (done.status, done.err) == (0, "")
    said = {"curve": "alpha,alpha_decimal,epsilon,lower,upper,pure"}
    assert said.get(command, "no noise depends on epsilon.") in done.out


@pytest.mark.parametrize("command", ASKED)
def test_other_noise_needs_one(tmp_path: Path, command: str) -> None:
    done = run(command, zoo(tmp_path, "svt"), *ASKED[command])
    assert (done.status, done.out) == (2, "")
    assert "say which epsilon its rates are multiples of, such as --at-epsilon 1" in done.err


def test_what_else_is_missing_or_has_no_meaning(once: str) -> None:
    for words, why in (
        ((), "give either alpha = e^epsilon or epsilon, such as --alpha 2"),
        (("--alpha", "1", "--from", "a"), "--from is for Markov chains; MODEL is a mechanism"),
        (("--alpha", "1", "--observe", "x"), "observe has no meaning for Python code"),
    ):
        done = run("delta", once, *words)
        assert (done.status, done.out) == (2, "")
        assert why in done.err


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    model = Path(zoo(tmp_path, "svt")).read_bytes()
    command = [sys.executable, "-m", "prover.cli", "delta", "-", "--alpha", "1"]
    done = subprocess.run(command, input=model, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"say which epsilon its rates are multiples of" in done.stderr
