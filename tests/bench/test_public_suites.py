"""What the script about public suites prints; its questions need Storm and the suites."""

import subprocess
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.scripts import module_at

ROOT = Path(__file__).parents[2]


@pytest.fixture
def suites() -> ModuleType:
    return module_at(ROOT / "benchmarks" / "suites.py")


DIP = """INPUTSIZE 3;
RANDOM TH = lap(eps/2, 0);
NUMERIC ONE = 1; OUTPUT = [0, -1];
RANDOM Q0 = lap(eps/0.5, INPUT[1]);
IF Q0 < TH THEN { IF Q0 >= ONE THEN { OUTPUT[0] = 1; } } ELSE {
    RANDOM MIN = Q0;
    NUMERIC Q1 = INPUT[2];
    IF Q1 > MIN THEN { OUTPUT[1] = 2; }
}"""
FUNCTION = """    th = laplace(0, rate="1/2")
    one = 1
    out0 = 0
    out1 = -1
    input0 = next(queries)
    input1 = next(queries)
    q0 = laplace(input1, rate="2")
    if q0 < th:
        if q0 >= one:
            out0 = 1
    else:
        min = q0
        input2 = next(queries)
        q1 = input2
        if q1 > min:
            out1 = 2
    see((out0, out1,))
"""


def test_programs_of_dipapprox(tmp_path: Path, suites: ModuleType) -> None:
    dip = module_at(ROOT / "benchmarks" / "dip.py")
    assert dip.translated(DIP) == dip.HEAD + FUNCTION
    gaussian = dip.translated(DIP.replace("lap(", "gauss("), Fraction(8))
    assert 'th = gaussian(0, sigma="1/4")' in gaussian
    assert 'q0 = gaussian(input1, sigma="1/16")' in gaussian
    for wrong in (
        "RANDOM X = lap(eps 2, 0);",
        "FOR X;",
        "NUMERIC X = 1 + 1;",
        "IF A < B THEN { OUTPUT = [1];",
    ):
        with pytest.raises((ValueError, IndexError)):
            dip.translated(wrong)
    uneven = "IF A < B THEN { RANDOM Q = lap(eps/2, INPUT[0]); } NUMERIC R = INPUT[1];"
    with pytest.raises(ValueError, match="one branch reads more"):
        dip.translated(uneven)
    (tmp_path / "a.dip").write_text("FOR X;")
    assert suites.asked(tmp_path / "a.dip") == ("refused", f"{tmp_path / 'a.dip'}: FOR begins no statement")


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
