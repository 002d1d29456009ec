"""Opening model files."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prover.chain.collapsing.collapse import collapse
from prover.chain.model import LabelledMarkovChain
from prover.errors import BadOptions
from prover.formats import files
from prover.formats.convert import write_json
from prover.formats.dipa_writer import write_dipa
from prover.formats.load import load, load_chain, load_program
from prover.program.model import Program
from prover.zoo import build, crowds, fig1, svt
from tests.commands import ROOT, command
from tests.refusals import refuses


@pytest.mark.parametrize("name", ["m.json", "m.JSON", "a b.prism.json"])
def test_a_chain(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(write_json(fig1()), encoding="utf-8")
    assert load(path) == load(str(path)) == load_chain(path) == fig1()


@pytest.mark.parametrize("name", ["m.json", "m.dipa", "m.DiPA"])
def test_a_program(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = write_json(svt()) if name.endswith("json") else write_dipa(svt())
    path.write_text(text, encoding="utf-8")
    assert load(path) == load(str(path)) == load_program(path) == svt()


def test_the_other_kind(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(write_json(fig1()), encoding="utf-8")
    with refuses("wrong-kind", match="labelled Markov chain, but a threshold program is") as caught:
        load_program(path)
    assert caught.value.file == str(path)
    path.write_text(write_json(svt()), encoding="utf-8")
    with refuses("wrong-kind", match="threshold program, but a labelled Markov chain is") as caught:
        load_chain(path)
    assert caught.value.file == str(path)


@pytest.mark.parametrize(
    ("document", "error", "match"),
    [
        ('{"type": "dtmc"}', "unknown-type", r"\$\.type: type .*dtmc.* is not supported; the types are"),
        ("{}", "missing-key", '"type" is missing'),
        ('{"initial": "q"}', "missing-key", '"type" is missing'),
        ('{"type": 1}', "wrong-type", "a string is expected, not a number"),
        ("[]", "wrong-type", "an object is expected"),
    ],
)
def test_what_a_document_holds(tmp_path: Path, document: str, error: str, match: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(document, encoding="utf-8")
    refused(path, error, match)


def refused(path: Path | str, error: str, match: str) -> None:
    with refuses(error, match=match) as caught:
        load(path)
    assert caught.value.file == str(path)


def test_missing(tmp_path: Path) -> None:
    refused(tmp_path / "m.json", "no-such-file", "no such file")
    refused(tmp_path / "none" / "m.json", "no-such-file", "no such file")


def test_directory(tmp_path: Path) -> None:
    directory = tmp_path / "d.json"
    directory.mkdir()
    refused(directory, "not-a-file", "not a regular file")
    refused("", "not-a-file", '^"": not a regular file')


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "p.json"
    os.mkfifo(pipe)
    refused(pipe, "not-a-file", "not a regular file")


def test_a_file_as_a_directory(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("", encoding="utf-8")
    refused(tmp_path / "f" / "m.json", "unreadable-file", "cannot be read: ")


def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.json"
    path.write_text("{}", encoding="utf-8")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)  # the tests may run as a user who may read everything
    refused(path, "unreadable-file", "cannot be read: Permission denied")


def test_null_character() -> None:
    with refuses("unreadable-file") as caught:
        load("m\0.json")
    assert "\0" not in str(caught.value)


@pytest.mark.parametrize("name", ["m.txt", "m", ".json", "m.json.xz"])
def test_unknown_extension(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(write_json(fig1()), encoding="utf-8")
    refused(
        path,
        "unknown-extension",
        r"the formats are \.dipa, \.drn, \.jani, \.json, \.nm, \.pexp, \.pm, \.prism, \.py, \.tra, \.umb$",
    )


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.json"
    path.write_text(write_json(fig1()), encoding="utf-8")
    monkeypatch.setattr(files, "MAX_BYTES", 20)
    refused(path, "document-too-large", "too large")


def test_errors_name_file_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('{\n  "type": oops}', encoding="utf-8")
    refused(path, "json-syntax", r'm\.json: line 2, column 11: malformed JSON: .* found "oops}"')


def test_errors_in_the_text_format(tmp_path: Path) -> None:
    path = tmp_path / "m.dipa"
    path.write_text("(q0, 1, 0):\n  oops", encoding="utf-8")
    refused(path, "dipa-syntax", r'm\.dipa: line 2, column 7: ":=" is expected, not the end of the file')


SVT = """
(q1: non-input, 1/4, 0): x := insample; output o; goto q2
(q2, 1/2, 0): if (insample < x) then output p; goto q2
"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (write_json(build("pin-checker")), LabelledMarkovChain),
        (write_json(build("svt")), Program),
        (SVT, Program),
    ],
)
def test_standard_input(text: str, kind: type) -> None:
    script = "import prover; print(type(prover.load('-')).__name__)"
    run = subprocess.run(
        [sys.executable, "-c", script], input=text, capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert run.stdout == f"{kind.__name__}\n"


def test_a_command_reads_standard_input() -> None:
    run = subprocess.run(
        command("distance", "-", "--from", "0", "--to", "1", "--alpha", "11/10", "--json"),
        input=write_json(build("pin-checker")),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["value"] == "412/7791"


def test_errors_name_standard_input() -> None:
    run = subprocess.run(
        command("privacy", "-"), input="(q1", capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert run.returncode == 2
    assert "standard input" in run.stderr
    closed = subprocess.run(
        ["bash", "-c", 'exec 0<&-; exec "$@"', "sh", *command("privacy", "-")],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert closed.returncode == 2
    assert "standard input" in closed.stderr


def test_a_chain_without_the_steps_that_nobody_sees(tmp_path: Path) -> None:
    path, chain = tmp_path / "m.json", crowds(2, 1)
    path.write_text(write_json(chain), encoding="utf-8")
    assert load(path, untimed=True) == load(path, untimed=True, silent=()) == collapse(chain)
    assert load(path, silent=["hidden"]) == collapse(chain, ["hidden"], untimed=False)
    assert load(path, silent="hidden", untimed=True) == collapse(chain, ["hidden"])
    assert load(path, untimed=False, silent=None) == chain


def test_what_is_not_seen_is_named_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(write_json(fig1()), encoding="utf-8")
    with refuses("unknown-label") as caught:
        load(path, silent=["tau"])
    assert caught.value.file == str(path)
    wrong: Any
    for wrong in (3, [3], ["a", None]):
        with pytest.raises(BadOptions, match="silent must be a label"):
            load(path, silent=wrong)
    wrong = "yes"
    with pytest.raises(BadOptions, match="untimed must be true or false"):
        load(path, untimed=wrong)
    path.write_text(write_json(svt()), encoding="utf-8")
    with pytest.raises(BadOptions, match="untimed has no meaning for a threshold program"):
        load(path, untimed=True)
