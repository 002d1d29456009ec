"""Steps that nobody sees, on the command line: options, answers, certificates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prover.chain.collapsing.collapse import collapse
from prover.formats.convert import write_json
from prover.zoo import crowds
from tests.commands import FORKS, prover
from tests.formats.documents import read_chain

pytestmark = pytest.mark.filterwarnings(FORKS)


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    path = tmp_path / "crowd.json"
    path.write_text(write_json(crowds(3, 1)), encoding="utf-8")
    return path


def test_the_answer_hints_at_the_option_and_the_option_helps(crowd: Path) -> None:
    assert "Note: the attack depends on how long labels last" in prover("delta", crowd, "--alpha", "20").out
    (note,) = json.loads(prover("delta", crowd, "--alpha", "20", "--json").out)["notes"]
    assert note.endswith("if the observer cannot count steps, ask with --untimed")
    assert " = 1/6 " in prover("delta", crowd, "--alpha", "20").out
    untimed = prover("delta", crowd, "--alpha", "20", "--untimed")
    assert untimed.status == 0
    assert " = 0\n" in untimed.out
    assert "--untimed" not in untimed.out


@pytest.mark.family
@pytest.mark.parametrize(
    "arguments",
    [
        ("delta", "--alpha", "3/2"),
        ("delta", "--epsilon", "1/2", "--gap", "1/100"),
        ("distance", "--alpha", "3/2"),
        ("distance", "--alpha", "3/2", "--from", "path(0,1)", "--to", "path(1,1)", "--reachable-only"),
        ("distance", "--kind", "bisimilarity"),
        ("epsilon", "--delta", "1/10"),
    ],
)
@pytest.mark.parametrize(
    ("options", "seen"),
    [
        (["--untimed"], "sees=changes "),
        (["--silent", "hidden"], 'sees=labels silent="hidden" '),
        (
            ["--untimed", "--silent", "hidden", "--silent", "saw 0"],
            'sees=changes silent="hidden" silent="saw 0" ',
        ),
    ],
)
def test_certificates_are_about_the_model_in_the_file(
    crowd: Path, tmp_path: Path, arguments: tuple[str, ...], options: list[str], seen: str
) -> None:
    proof = tmp_path / "proof"
    run = prover(arguments[0], crowd, *arguments[1:], *options, "--certificate", proof)
    assert run.status == 0, run.err
    line = prover("verify", proof).out
    assert line.startswith("VERIFIED ")
    assert seen in line
    model = json.loads(proof.read_bytes())["model"]
    assert read_chain(json.dumps(model)) == crowds(3, 1)


def test_a_silent_label_that_is_not_there(crowd: Path) -> None:
    run = prover("delta", crowd, "--alpha", "2", "--silent", "tau")
    assert (run.status, run.out) == (2, "")
    assert f'{crowd}: no state has the silent label "tau"; the labels are "end", "hidden"' in run.err


def test_what_is_seen_can_be_written(crowd: Path, tmp_path: Path) -> None:
    target = tmp_path / "seen.json"
    assert prover("convert", crowd, target, "--untimed").status == 0
    small = collapse(crowds(3, 1))
    written = read_chain(target.read_text(encoding="utf-8"))
    assert (written.states, written.labels, written.rows) == (small.states, small.labels, small.rows)


def test_a_program_has_no_unseen_steps(tmp_path: Path) -> None:
    path = tmp_path / "svt.json"
    path.write_text(prover("zoo", "svt").out, encoding="utf-8")
    run = prover("convert", path, tmp_path / "svt.dipa", "--untimed")
    assert run.status == 2
    assert "untimed has no meaning for a threshold program" in run.err
