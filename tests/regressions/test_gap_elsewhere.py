"""A run without gaps was not measured if other runs of its program output gaps: an error, not an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from prover.program.attack.attack import attack
from prover.zoo import build_program
from tests.commands import FORKS, prover, zoo

pytestmark = pytest.mark.filterwarnings(FORKS)


def test_the_run_is_measured() -> None:
    found = attack(build_program("noisy-max", n="3", gap="yes"))
    assert found is not None
    assert found.loss[0] > 0


def test_the_page_is_made(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert prover("privacy", zoo(tmp_path, "noisy-max", "n=3", "gap=yes"), "--html", page).status == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
