"""``prover privacy --witness`` where losses are infinite, and where no attack is measured."""

from __future__ import annotations

import json
from fractions import Fraction
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
    gap = json.loads(prover("zoo", "svt-gap").out)
    file = tmp_path / "gap.json"
    file.write_text(json.dumps(gap | {"noise": "discrete-laplace"}), encoding="utf-8")
    run = prover("privacy", file, "--witness")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith("private: exactly (5/4)·ε")
    assert "No attack is measured: the run outputs a gap" in run.out


def test_discrete_noise_of_several_variables_is_measured(tmp_path: Path) -> None:
    ranges = json.loads(prover("zoo", "m-range", "m=1").out)
    file = tmp_path / "ranges.json"
    file.write_text(json.dumps(ranges | {"noise": "discrete-laplace"}), encoding="utf-8")
    run = prover("privacy", file, "--q", "1/2")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith("private: exactly ε")
    assert "P[this run | neighbour] = " in run.out


def test_probabilities_are_rational_numbers_on_request(tmp_path: Path) -> None:
    file = tmp_path / "svt.json"
    file.write_text(prover("zoo", "svt-discrete").out, encoding="utf-8")
    run = prover("privacy", file, "--q", "1/2")
    assert (run.status, run.err) == (0, "")
    assert "Attack at e^(-(1/4)·ε) = 1/2, ε = 2.772588…: a run of 4 steps" in run.out
    assert "P[this run | input]     = 1213/27776000 (4.367079…e-5)\n" in run.out
    assert "% of (5/4)·ε, the most that this run can lose." in run.out
    witness = json.loads(prover("privacy", file, "--q", "1/2", "--json").out)["witness"]
    assert (witness["epsilon"], witness["q"], witness["unit"]) == (None, "1/2", "1/4")
    one, other = map(Fraction, witness["probabilities"])
    assert one == Fraction(1213, 27776000)
    assert one < 32 * other


def test_guards_are_shown_as_they_are_written(tmp_path: Path) -> None:
    """On a grid < and <= are not the same, although what they ask of shifts is."""
    file = tmp_path / "ties.dipa"
    file.write_text(
        "noise discrete-laplace;\n"
        "(q1: non-input, 1/4, 0): x := insample; output o; goto q2\n"
        "(q2, 1/2, 0): if (insample <= x) then output a; goto q2 "
        "elseif (insample > x) then output b; goto end\n",
        encoding="utf-8",
    )
    picture = tmp_path / "ties.svg"
    run = prover("privacy", file, "--witness", "--plot", picture)
    assert run.status == 0
    assert "q2 -> q2    <=     a" in run.out
    assert "q2 -> end   >      b" in run.out
    assert "&lt;= x" in picture.read_text(encoding="utf-8")


def test_q_needs_a_grid(tmp_path: Path) -> None:
    file = tmp_path / "svt.json"
    file.write_text(prover("zoo", "svt").out, encoding="utf-8")
    run = prover("privacy", file, "--q", "1/2")
    assert (run.status, run.out) == (2, "")
    assert "is for discrete noise" in run.err
    both = prover("privacy", file, "--q", "1/2", "--at-epsilon", "1")
    assert both.status == 2
    assert "give one of them" in both.err
