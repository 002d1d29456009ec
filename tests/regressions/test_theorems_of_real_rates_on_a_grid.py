"""A theorem was asked for of a program with noise on a grid and real rates without a unit, which is not
private: Coq has no such rates, and the command ended with a fault of this program.
"""

from __future__ import annotations

from pathlib import Path

from tests.commands import prover

LEAK = """noise discrete-laplace;
(draw, ln 3, 0):
    x := insample; output insample; goto test
(test, 1, 0):
    output insample; goto test
"""


def test_no_theorem_has_real_rates(tmp_path: Path) -> None:
    (tmp_path / "leak.dipa").write_text(LEAK, encoding="utf-8")
    certificate = tmp_path / "leak.cert"
    assert prover("privacy", tmp_path / "leak.dipa", "--certificate", certificate).status == 1
    run = prover("verify", certificate, "--coq", tmp_path / "theorem")
    assert (run.status, run.out) == (2, "")
    assert "do not cover programs with rates that are open or real" in run.err
