"""`prover gallery`: the table, single mechanisms, certificates, and how it ends."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from prover.cli import acceptance
from prover.gallery.index import gallery
from tests.commands import FORKS, prover, verdicts
from tests.gallery.proved import proved_already
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)

NAMES = [entry.name for entry in gallery()]


def test_the_table_has_all_mechanisms() -> None:
    with proved_already():
        run = prover("gallery")
    assert (run.status, run.err) == (0, "")
    heading, *lines = run.out.splitlines()
    assert heading.split() == ["mechanism", "adjacency", "unit", "rates", "declared", "exact"]
    assert [line.split()[0] for line in lines[: len(NAMES)]] == NAMES
    assert f"Certificates verified: {len(NAMES)} of {len(NAMES)}." in lines
    formula = "exactly (1/2 + count)·ε for every count >= 1"
    assert f"dp-auditorium-svt6: {formula}, private, not as declared." in lines


def test_a_mechanism_in_full_and_its_certificate(tmp_path: Path) -> None:
    path = tmp_path / "found.cert"
    run = prover("gallery", "tumult-prefix-sums", "--certificate", path)
    assert run.status == 0
    for words in (
        "opendp/tumult-core",
        "Declared: 4·(1/α)",
        "Proved:   exactly 3·(1/α) (less than declared)",
    ):
        assert words in run.out
    checked = verdicts(path).out.strip()
    assert checked.startswith("VERIFIED epsilon adjacency=monotonic loss=observer value=3 ")
    assert checked in run.out


def test_a_certificate_is_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptance, "accepted", lambda *_: pytest.fail("it is checked again"))
    path = tmp_path / "found.cert"
    found = json.loads(prover("gallery", "opendp-bit-vector", "--certificate", path, "--json").out)
    assert found["check"]["seconds"] >= 0
    assert found["certificate"] == sha256(path.read_bytes()).hexdigest()


def test_json_says_what_is_compared() -> None:
    found = json.loads(prover("gallery", "dp-auditorium-svt2", "relm-permute-and-flip", "--json").out)
    assert found["complete"] is True
    rows = {row["name"]: row for row in found["mechanisms"]}
    assert list(rows) == ["relm-permute-and-flip", "dp-auditorium-svt2"]
    assert rows["relm-permute-and-flip"]["attack"] is None
    assert rows["relm-permute-and-flip"]["independent"]["number"] == "1"
    assert rows["relm-permute-and-flip"]["inputs"]["language"] == "Python"
    second = rows["dp-auditorium-svt2"]
    assert (second["epsilon"], second["declared"], second["compared"]) == ("2/3", "1", "less")
    assert second["program"] in second["verified"]
    assert [step["turns"] for step in second["attack"]["steps"]] == [1, 2, 5, 1]


def test_a_formula_for_every_count() -> None:
    run = prover("gallery", "hands-on-sparse-vector-monotonic")
    assert run.status == 0
    text = " ".join(run.out.split())
    for words in (
        "For every count: declared count·(1/s); proved exactly (3/2)·count·(1/s) for every count >= 2 "
        "(more than declared). Found one by one, for count from 1 to 4: (3/2)·(1/s) at 1, 3·(1/s) at 2, ",
        "For count from 1 to 4 it was compared with the code; no others were. VERIFIED counted-epsilon ",
    ):
        assert words in text
    found = prover("gallery", "hands-on-sparse-vector", "dp-auditorium-svt6", "sampcert-sparse", "--json")
    check_answer(["gallery"], found.out)
    lean, sixth, book = json.loads(found.out)["mechanisms"]
    assert lean["every"] is None
    assert (sixth["every"]["declared"], sixth["every"]["compared"]) == (None, "less")
    assert book["every"]["declared"] == {"constant": "0", "each": "2"}
    assert book["every"]["formula"] == {"constants": ["0"], "each": "2", "first": 2}
    assert book["every"]["verified"].startswith("counted-epsilon adjacency=all-differ ")


def test_no_time_is_undecided() -> None:
    run = prover("gallery", "--json", "--timeout", "1e-9")
    assert run.status == 3
    found = json.loads(run.out)
    assert found["complete"] is False
    assert len(found["mechanisms"]) < len(NAMES)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sampcert"], 'no mechanism "sampcert"; did you mean'),
        (["--certificate", "x.cert"], "--certificate needs exactly one NAME"),
        ([*NAMES[:2], "--certificate", "x.cert"], "--certificate needs exactly one NAME"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str) -> None:
    run = prover("gallery", *arguments)
    assert (run.status, run.out) == (2, "")
    assert words in run.err
    assert not Path("x.cert").exists()
