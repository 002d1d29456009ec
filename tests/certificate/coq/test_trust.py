"""The table of docs/trust.md: its examples have certificates, and what it says about theorems is true."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from prover.certificate.check import check
from prover.certificate.coq.folder import files
from prover.errors import NotSupported
from tests.certificate.coq.agreement import expected, is_covered, verdict
from tests.certificate.coq.compiled import proved_program
from tests.commands import ROOT
from tests.commands import prover as command
from tests.commands import zoo as written

ROWS = re.findall(
    r"^\| .* \| `prover ([^`]*)` \| (.*) \| (.*) \|$", (ROOT / "docs" / "trust.md").read_text("utf-8"), re.M
)


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
    assert [row[1:] for row in ROWS].count(("yes", "yes")) >= 4


@pytest.mark.parametrize(("words", "theorem", "program"), ROWS)
def test_examples(words: str, theorem: str, program: str, tmp_path: Path) -> None:
    data = certificate(words, tmp_path)
    check(data)
    if theorem.startswith("yes"):
        assert "Answer.v" in files(data)
    else:
        assert theorem.startswith("no: ")
        with pytest.raises(NotSupported):
            files(data)
    assert program.startswith("yes") == is_covered(json.loads(data))


@pytest.mark.coq
@pytest.mark.parametrize("words", [row[0] for row in ROWS if row[2].startswith("yes")])
def test_the_program_says_so(words: str, tmp_path: Path) -> None:
    if shutil.which("coqc") is None or shutil.which("ocamlfind") is None:
        pytest.skip("Coq or OCaml is not installed")
    data = certificate(words, tmp_path)
    assert verdict(proved_program(), data) == (0, expected(data))
