"""The table of docs/trust.md: its examples have certificates, and what it says about theorems is true."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from prover.certificate.check import check
from prover.certificate.coq.folder import files
from prover.errors import NotSupported
from tests.certificate.coq.agreement import expected, is_covered, verdict
from tests.certificate.coq.compiled import PROOFS, READER, proved_program
from tests.commands import ROOT
from tests.commands import prover as command
from tests.commands import zoo as written

ROWS = re.findall(
    r"^\| (.*) \| `prover ([^`]*)` \| (.*) \| (.*) \|$", (ROOT / "docs" / "trust.md").read_text("utf-8"), re.M
)


SIZES = re.findall(
    r"^\| (.*) \| ([0-9,]+) \| (?:(\d+): (.*)|–) \| ([0-9,]+|–) \| .* \|$",
    (ROOT / "docs" / "trust.md").read_text("utf-8"),
    re.M,
)
"""Of a claim the lines of Python, of definitions in files, and of what the proved program rests on."""

OWN: Mapping[str, Collection[str]] = {
    "curves of δ": ["checker/curve.ml"],
    "compositions of known mechanisms and laws": ["checker/composition.ml", "Chain.v", "Trials.v"],
    "compositions of chains, seen at every step": ["checker/composition.ml"],
}
"""What the proved program rests on beside that, for some claims: it takes all compositions for trials."""


def loaded_lines(data: bytes, monkeypatch: pytest.MonkeyPatch) -> int:
    """The lines of the modules that a checker loads for a certificate, if it has loaded none before."""

    def own() -> dict[str, ModuleType]:
        return {name: module for name, module in sys.modules.items() if name.split(".")[0] == "check"}

    monkeypatch.syspath_prepend(ROOT / "prover" / "certificate")
    assert own() == {}
    try:
        importlib.import_module("check").check(data)
        return sum(
            len(Path(str(module.__file__)).read_text("utf-8").splitlines()) for module in own().values()
        )
    finally:
        for name in own():
            del sys.modules[name]


def lines_of(*names: str) -> int:
    return sum(len((PROOFS / name).read_text("utf-8").splitlines()) for name in names)


def certificate(words: str, folder: Path) -> bytes:
    path = folder / "claim.cert"
    arguments = [
        str(written(folder, word.removesuffix(".json")))
        if word.endswith(".json")
        else word.replace("examples/", f"{ROOT}/examples/")
        for word in words.split()
    ]
    run = command(*arguments, "--certificate", path)
    assert run.status in (0, 1), run.err
    return path.read_bytes()


def test_the_table_is_read() -> None:
    assert len(ROWS) >= 8
    assert [row[2:] for row in ROWS].count(("yes", "yes")) >= 4


@pytest.mark.parametrize(("claim", "words", "theorem", "program"), ROWS)
def test_examples(
    claim: str, words: str, theorem: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = certificate(words, tmp_path)
    check(data)
    if theorem.startswith("yes"):
        assert "Answer.v" in files(data)
    else:
        assert theorem.startswith("no: ")
        with pytest.raises(NotSupported):
            files(data)
    assert program.startswith("yes") == is_covered(json.loads(data))
    for python in (row[1] for row in SIZES if row[0] == claim):
        loaded = loaded_lines(data, monkeypatch)
        assert abs(loaded - number(python)) <= number(python) / 5


@pytest.mark.coq
@pytest.mark.parametrize("words", [row[1] for row in ROWS if row[3].startswith("yes")])
def test_the_program_says_so(words: str, tmp_path: Path) -> None:
    if shutil.which("coqc") is None or shutil.which("ocamlfind") is None:
        pytest.skip("Coq or OCaml is not installed")
    data = certificate(words, tmp_path)
    assert verdict(proved_program(), data) == (0, expected(data))


def test_the_sizes_are_read() -> None:
    assert len(SIZES) >= 12
    assert {row[0] for row in SIZES} <= {row[0] for row in ROWS}


@pytest.mark.parametrize(("claim", "definitions", "names", "program"), [(c, *row) for c, _, *row in SIZES])
def test_how_much_is_to_be_read(claim: str, definitions: str, names: str, program: str) -> None:
    """Of the proved program, rounded to hundreds."""
    files_named = re.findall(r"`([^`]*)`", names)
    assert lines_of(*files_named) == number(definitions or "0")
    if program != "–":
        own = OWN.get(claim, ())
        whole = lines_of(*files_named, "Checked.v", "checker/Extract.v", *READER, *own)
        assert abs(whole - number(program)) <= 100


def number(text: str) -> int:
    return int(text.replace(",", ""))
