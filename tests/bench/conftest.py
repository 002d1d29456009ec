"""Where the jobs of suites are done."""

from __future__ import annotations

from pathlib import Path

import pytest

from prover.bench import runner
from tests.bench.made import done_here


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is the same in any process is done in this one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runner, "run_job", done_here)
