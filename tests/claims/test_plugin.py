"""Claims as tests of pytest: what is collected, what a failure shows, and what it costs others."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from prover.formats.convert import save
from prover.zoo import randomised_response, svt
from tests.waiting import GUARD

ROOT = Path(__file__).resolve().parents[2]

CLAIMS = """
[[claim]]
name = "survey"
model = "survey.json"
alpha = "6/5"
delta_at_most = "4/15"
certificate = "survey.cert"
[[claim]]
name = "survey"
model = "survey.json"
alpha = "6/5"
delta_at_most = "1/4"
[[claim]]
model = "svt.json"
delta_at_most = 1
alpha = 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(randomised_response(), tmp_path / "survey.json")
    save(svt(), tmp_path / "svt.json")
    (tmp_path / "some.claims.toml").write_text(CLAIMS)
    (tmp_path / "test_nothing.py").write_text("def test_nothing(): ...\n")
    return tmp_path


def run_pytest(folder: Path, *options: str, plugin: str = "prover.claims.plugin") -> tuple[int, str]:
    """How pytest ends in the folder, and what it prints, with no other plugin than this one."""
    command = [sys.executable, "-m", "pytest", "-p", plugin, "-p", "no:cacheprovider", "-rA", *options]
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT), "COLUMNS": "120",
    }  # fmt: skip
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=GUARD, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_each_claim_is_a_test_and_a_failure_shows_the_attack(folder: Path) -> None:
    status, said = run_pytest(folder)
    assert status == 1
    lines = said.splitlines()
    assert "PASSED some.claims.toml::survey (claim 1)" in lines
    assert "PASSED test_nothing.py::test_nothing" in lines
    assert any(line.startswith("FAILED some.claims.toml::survey (claim 2)") for line in lines)
    assert "delta <= 1/4 at alpha = 6/5: refuted" in lines
    assert any(line.startswith("Attack: guess") for line in lines)
    assert any(
        "$.claim[2]: the model is a threshold program; claim epsilon_at_most" in line for line in lines
    )
    assert "Traceback" not in said
    assert "plugin.py" not in said
    assert "2 failed, 2 passed" in lines[-1]
    assert (folder / "survey.cert").is_file()


@pytest.mark.slow
def test_a_file_that_is_named_is_tested_beside_the_tests(folder: Path) -> None:
    (folder / "some.claims.toml").rename(folder / "other.toml")
    status, said = run_pytest(
        folder, "--privacy-claims", "other.toml", "test_nothing.py", "-k", "nothing or claim"
    )
    assert (status, "2 failed, 2 passed" in said) == (1, False)
    assert "1 failed, 2 passed" in said.splitlines()[-1]
    (folder / "other.toml").write_text("[[claim]]\nmodel = 1\n")
    status, said = run_pytest(folder, "--privacy-claims", "other.toml")
    assert (status, "ERROR other.toml" in said) == (2, True)


def test_others_load_nothing_of_the_prover(folder: Path) -> None:
    (folder / "some.claims.toml").unlink()
    (folder / "test_nothing.py").write_text(
        "import sys\n\ndef test_nothing():\n"
        "    ours = {name for name in sys.modules if name.partition('.')[0] == 'prover'}\n"
        "    assert {name.removeprefix('prover') for name in ours} == {'', '.claims', '.claims.plugin'}\n"
    )
    status, said = run_pytest(folder)
    assert status == 0, said


def test_pytest_finds_it_where_prover_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    plugin = importlib.import_module(project["entry-points"]["pytest11"]["prover"])
    assert callable(plugin.pytest_collect_file)
