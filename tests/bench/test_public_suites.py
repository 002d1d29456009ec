"""What the script about public suites prints; its questions need Storm and the suites."""

import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.scripts import module_at

ROOT = Path(__file__).parents[2]


@pytest.fixture
def suites() -> ModuleType:
    return module_at(ROOT / "benchmarks" / "suites.py")


SAID = {
    "a.nm": (0, "delta = 1/2\nmore\n", ""),
    "b.nm": (3, "0 <= delta <= 1\n", "not decided: the time is up\n"),
    "c.pm": (2, "", "prover: {path}: it has clocks; use integers\n"),
    "d.prism": (2, "", "prover: {path}: it has clocks; use numbers\n"),
}


def test_the_table(
    tmp_path: Path, suites: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        status, out, err = SAID[Path(command[2]).name]
        return subprocess.CompletedProcess(command, status, out, err.format(path=command[2]))

    monkeypatch.setattr(suites.subprocess, "run", run)
    for name in [*SAID, "e.txt"]:
        (tmp_path / name).write_text("")
    (tmp_path / "models").write_text("# a.nm -const N=1\na.nm -const N=2\n")
    assert suites.main(str(tmp_path)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "answered a.nm: delta = 1/2",
        "open     b.nm: 0 <= delta <= 1",
        "refused  c.pm: it has clocks; use integers",
        "refused  d.prism: it has clocks; use numbers",
        "1 answered, 1 open, 2 refused, 0 failed",
        "    2 refused: it has clocks",
    ]
    assert ["--const" in command for command in asked] == [True, False, False, False]
    assert asked[0][-1] == "N=1"
    monkeypatch.setitem(SAID, "a.nm", (1, "", "Traceback"))
    assert suites.main(str(tmp_path), "a*") == 1
    assert "failed   a.nm: exit status 1, Traceback" in capsys.readouterr().out
