"""`-` is standard output, but a sweep kept its numbers in a file of this name and its certificates in such a
folder, and a theorem was written to one; a folder in place of the file of a sweep was refused without a name.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import ROOT, prover, zoo

TALLY = (ROOT / "examples" / "sweeps" / "tally.py", "--const", "others=0:1", "--alpha", "2")


@pytest.mark.parametrize("option", ["--output", "--certificate"])
def test_a_sweep_keeps_nothing_in_a_stream(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = prover("sweep", *TALLY, option, "-")
    assert (run.status, run.out) == (2, "")
    assert "--output takes a file and --certificate a folder" in run.err
    assert not [*tmp_path.iterdir()]


def test_a_theorem_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pin = zoo(tmp_path, "pin-checker")
    assert prover("delta", pin, "--alpha", "2", "--certificate", "pin.cert").status == 0
    run = prover("verify", "pin.cert", "--coq", "-")
    assert (run.status, run.out) == (2, "")
    assert "--coq needs exactly one certificate, and a folder" in run.err


def test_a_folder_has_no_numbers(tmp_path: Path) -> None:
    run = prover("sweep", *TALLY, "--output", tmp_path, "--resume")
    assert run.status == 2
    assert f"{tmp_path}: not a regular file" in run.err
