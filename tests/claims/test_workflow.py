"""The workflow for continuous integration: it is in order, and its command does what the page says."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.commands import ROOT, prover

WORKFLOW = ROOT / "examples" / "claims" / "privacy.yml"
CLAIM = """
[[claim]]
model = "{model}"
alpha = "6/5"
delta_at_most = "{bound}"
"""


@pytest.mark.parametrize(("bound", "status"), [("4/15", 0), ("1/4", 1)])
def test_the_command_of_the_workflow_checks_the_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, status: int
) -> None:
    workflow = pytest.importorskip("yaml").safe_load(WORKFLOW.read_text(encoding="utf-8"))
    steps = workflow["jobs"]["claims"]["steps"]
    assert workflow["jobs"].keys() == {"claims"}
    assert all(("uses" in step) is not ("run" in step) for step in steps)
    install, command = (step["run"] for step in steps if "run" in step)
    assert install == 'pip install "$PROVER"'
    assert "PROVER" in workflow["env"]
    model = ROOT / "examples" / "mechanisms" / "protocols.py"
    (tmp_path / "privacy.claims.toml").write_text(CLAIM.format(model=f"{model}:survey", bound=bound))
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(command)
    assert program == "prover"
    assert prover(*arguments).status == status
    assert (tmp_path / steps[-1]["with"]["path"]).is_file()
