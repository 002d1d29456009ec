"""``prover privacy --witness`` where losses are infinite, and where no attack is measured."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands import prover

QUERIES = """(q1: non-input, 1/2, 0):
    x := insample; output oinput; goto q2
(q2, inf, 0):
    if (insample < x) then output obot; goto q2
    elseif (insample >= x) then output otop; goto q2
"""


def test_an_infinite_loss_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "queries.dipa"
    for header in ("", "noise discrete-laplace;\n"):
        file.write_text(header + QUERIES, encoding="utf-8")
        run = prover("privacy", file, "--witness")
        assert (run.status, run.err) == (1, "")
        assert run.out.startswith("not private: vanishing run")
        assert "P[this run | neighbour] = 0\nThe loss, ln of their ratio, is infinite" in run.out
        answer = json.loads(prover("privacy", file, "--witness", "--json").out)
        assert answer["witness"]["loss"] == ["inf", "inf"]


def test_where_no_attack_is_measured_the_answer_stands(tmp_path: Path) -> None:
    ranges = json.loads(prover("zoo", "m-range", "m=2").out)
    file = tmp_path / "ranges.json"
    file.write_text(json.dumps(ranges | {"noise": "discrete-laplace"}), encoding="utf-8")
    run = prover("privacy", file, "--witness")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith("private: ε·1")
    assert "No attack is measured: discrete noise is measured for programs of one variable." in run.out
