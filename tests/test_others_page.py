"""docs/others.md: its tables are those of the recorded results, whose answers agree."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import prover
from prover.bench.results import read_results
from prover.bench.suite import parse_suite, read_suite
from prover.formats.convert import save
from prover.zoo import announced_diners, random_chain
from tests.commands import ROOT
from tests.scripts import module_at

OTHERS = ROOT / "benchmarks" / "others"
FLOATS = Fraction(1, 10**5)
"""The largest error of floats and of programs that stop when little moves."""


@pytest.fixture(scope="module")
def page() -> Any:
    return module_at(ROOT / "benchmarks" / "side_by_side.py")


def test_the_page_has_the_tables_of_the_recorded_results(page: Any) -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.renewed(text) == text, "python benchmarks/side_by_side.py writes the tables"


def test_recorded_answers_agree(page: Any) -> None:
    found = read_results(page.RECORDED)
    suite = read_suite(page.SUITE)
    assert {row.job for row in found.rows} <= {job.identity for job in suite.jobs}
    assert {row.engine for row in found.rows} == {job.engine for job in suite.jobs}
    assert [
        row
        for row in found.rows
        if row.engine == page.OURS and row.status not in ("exact", "interval", "timeout")
    ] == []
    assert [row.error for row in found.rows if row.status in ("wrong", "crash")] == []
    ours = {(row.family, row.size): row for row in found.rows if row.engine == page.OURS}
    for row in found.rows:
        own = ours[row.family, row.size]
        if None not in (row.lower, row.upper, own.lower, own.upper):
            low, high, least, most = (
                Fraction(str(end)) for end in (row.lower, row.upper, own.lower, own.upper)
            )
            exact = row.engine == "tool:storm" or not row.engine.startswith("tool:")
            room = Fraction(0) if exact else FLOATS * max(Fraction(1), most)
            assert low <= most + room, row.job
            assert high >= least - room, row.job


def test_a_suite_about_own_files_asks_both(page: Any, tmp_path: Path) -> None:
    folder = tmp_path / "DiPAut" / "examples" / "well_formed"
    folder.mkdir(parents=True)
    (folder / "one.dipa").write_text("(q1, 1, 0): x := insample; output a; goto q2\n")
    suite = parse_suite(page.own_files(tmp_path), str(tmp_path))
    assert [(job.name, job.model, job.engine) for job in suite.jobs] == [
        ("one", "DiPAut/examples/well_formed/one.dipa", engine) for engine in ("auto", "tool:dipaut")
    ]


def answer(printed: str) -> float:
    words = printed.split()
    assert (words[0], words[3]) == ("answer", "seconds")
    return float(Fraction(words[2]))


@pytest.mark.parametrize("by", ["scipy", "storm"])
def test_probabilities_of_ends(by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if by == "storm":
        pytest.importorskip("stormpy")
    chain = announced_diners(n=3, p="49/100")
    save(chain, tmp_path / "chain.json")
    ask = module_at(OTHERS / "reachability.py")
    ask.main(by, str(tmp_path / "chain.json"), "start(1)", "start(2)", "1.0002")
    value = prover.delta(chain, "start(1)", "start(2)", "1.0002").value
    assert answer(capsys.readouterr().out) == pytest.approx(float(value or 0), abs=1e-12)


@pytest.mark.parametrize("by", ["scipy", "networkx"])
def test_bisimilarity_distances(by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chain = random_chain(states=5, labels=2, seed=37)
    save(chain, tmp_path / "chain.json")
    ask = module_at(OTHERS / "bisimilarity.py")
    ask.main(by, str(tmp_path / "chain.json"), "s0", "s1")
    value = prover.distance(chain, "s0", "s1", alpha=1, kind="bd").value
    assert value is not None
    assert 0 < value < 1
    assert answer(capsys.readouterr().out) == pytest.approx(float(value), abs=1e-6)


def test_an_accountant(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("dp_accounting")
    model = ROOT / "benchmarks" / "models" / "fifty-outcomes.json"
    assert json.loads(model.read_text())["relation"]
    module_at(OTHERS / "accountant.py").main(str(model), "1/1000000", "2")
    words = capsys.readouterr().out.split()
    assert words[0::3] == ["lower", "upper", "seconds"]
    assert 1 <= float(words[2]) <= float(words[5])
