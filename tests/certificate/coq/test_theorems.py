"""coqc accepts the theorems, and refuses them with a number changed: what `make proofs` runs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from prover.certificate.check import check
from prover.certificate.coq.folder import files
from tests.certificate.coq.theorems import CERTIFICATES
from tests.commands import ROOT

pytestmark = [
    pytest.mark.coq,
    pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed"),
]


@pytest.fixture(scope="session")
def proofs() -> Path:
    subprocess.run(["make", "--directory", ROOT / "proofs"], check=True, capture_output=True)
    return ROOT / "proofs"


def coqc(folder: Path, proofs: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", f"PROOFS={proofs}"], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )


def write(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("name", CERTIFICATES)
def test_theorems(name: str, proofs: Path, tmp_path: Path) -> None:
    certificate = CERTIFICATES[name]()
    check(certificate.data)
    texts = files(certificate.data)
    run = coqc(write(tmp_path / "theorem", texts), proofs)
    assert run.returncode == 0, run.stderr
    printed = run.stdout.count("Closed under the global context")
    assert printed == texts["Answer.v"].count("Theorem ") > 0


@pytest.mark.parametrize("name", ["pin-delta", "pin-ld", "survey-delta"])
@pytest.mark.parametrize("change", ["model", "evidence", "missing"])
def test_changed_numbers_are_refused(name: str, change: str, proofs: Path, tmp_path: Path) -> None:
    texts = files(CERTIFICATES[name]().data)
    if change == "model":  # a probability, so that the row does not sum to 1
        texts["Model.v"] = re.sub(
            r", ([0-9]+)#", lambda found: f", {int(found[1]) + 1}#", texts["Model.v"], count=1
        )
    elif change == "missing":  # a line
        texts["Evidence.v"] = re.sub(r'"[^"]*"', '""', texts["Evidence.v"], count=1)
    else:  # a digit of each line
        texts["Evidence.v"] = re.sub(
            r'"(.{5})(.)', lambda found: f'"{found[1]}{"p" if found[2] != "p" else "q"}', texts["Evidence.v"]
        )
    assert coqc(write(tmp_path / "theorem", texts), proofs).returncode != 0


@pytest.mark.parametrize("name", ["pin-delta", "pin-ld", "survey-ld"])
def test_better_claims_are_refused(name: str, proofs: Path, tmp_path: Path) -> None:
    texts = files(CERTIFICATES[name]().data)
    answer = texts["Answer.v"]
    value = re.search(r"\(([0-9]+)#([0-9]+)\) s t", answer)
    assert value is not None
    fraction = f"({value[1]}#{value[2]})"
    folder = write(
        tmp_path / "less", texts | {"Answer.v": answer.replace(fraction, f"({int(value[1]) - 1}#{value[2]})")}
    )
    assert coqc(folder, proofs).returncode != 0
    folder = write(
        tmp_path / "more", texts | {"Answer.v": answer.replace(fraction, f"({int(value[1]) + 1}#{value[2]})")}
    )
    assert coqc(folder, proofs).returncode != 0  # the bound from below is exact, too
