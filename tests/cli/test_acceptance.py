"""Nothing is written that the stand-alone checker has not accepted, both ends together."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

import prover as api
from prover.certificate import acceptance, check
from prover.certificate.acceptance import RejectedProof
from prover.certificate.errors import TooMuchWork
from prover.certificate.schema import Certificate, write_together
from prover.cli import acceptance as limits
from prover.errors import Unwritable
from prover.progress import Progress
from prover.zoo import pin_checker
from tests.commands import FORKS, Run, prover, zoo
from tests.waiting import FOREVER, GUARD

pytestmark = pytest.mark.filterwarnings(FORKS)


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


def both_ends(pin: Path, *options: str) -> Run:
    """An answer at an ε, with a certificate for either end and a page that holds both."""
    files = ("--certificate", "e.cert", "--html", "e.html")
    paths = [pin.parent / text if "." in text else text for text in files]
    return prover("delta", pin, "--epsilon", "1/10", *paths, *options)


def new_files(pin: Path) -> list[str]:
    return sorted(path.name for path in pin.parent.iterdir() if path != pin)


def fails_to_check(monkeypatch: pytest.MonkeyPatch, with_error: Exception) -> None:
    def fail(_: bytes) -> None:
        raise with_error

    monkeypatch.setattr(acceptance, "accept", fail)


def test_what_is_written_was_checked(pin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LEAST_TIME", GUARD)
    run = both_ends(pin, "--json", "--timeout", "600")
    took = json.loads(run.out)["check"]
    assert took["seconds"] >= 0
    assert took["peak_mib"] > 1
    assert new_files(pin) == ["e.cert", "e.cert.lower", "e.html"]
    assert json.loads(both_ends(pin, "--json", "--force", "--unchecked").out)["check"] is None
    assert json.loads(prover("delta", pin, "--epsilon", "1/10", "--json").out)["check"] is None


def test_a_rejection_is_a_fault(pin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fails_to_check(monkeypatch, RejectedProof("the checker rejects this"))
    run = both_ends(pin)
    assert (run.status, run.out) == (70, "")
    assert "the checker rejects this" in run.err
    assert new_files(pin) == []
    assert both_ends(pin, "--unchecked").status == 0


def test_what_takes_too_much_to_check_is_not_written(pin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fails_to_check(monkeypatch, TooMuchWork())
    run = both_ends(pin)
    assert run.status == 3
    assert "0.0489" in run.out
    assert (
        "no certificate was written: the certificate would take more work to check than checkers spend"
        in run.err
    )
    assert new_files(pin) == ["e.html"]
    page = (pin.parent / "e.html").read_text()
    assert "There is no certificate of this answer: the certificate would take more work to check" in page
    assert "download=" not in page


def test_a_check_that_takes_longer_than_the_search(pin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptance, "accept", lambda _: time.sleep(FOREVER))
    accepted, deadlines = limits.accepted, list[float | None]()

    def hurried(
        proofs: Sequence[bytes], deadline: float | None, progress: Progress
    ) -> limits.Accepted | limits.NotAccepted:
        deadlines.append(deadline)
        return accepted(proofs, 0.1, progress)

    monkeypatch.setattr(limits, "accepted", hurried)
    run = both_ends(pin, "--timeout", "600", "--json")
    found = json.loads(run.out)
    assert deadlines == [600 - found["seconds"]]
    assert (run.status, found["certificate"], found["check"]) == (3, None, None)
    assert Fraction(found["lower"]) < Fraction(found["upper"])
    assert "no certificate was written: the time is up while the certificate was checked" in run.err
    assert new_files(pin) == ["e.html"]


def test_an_interrupted_check(pin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: bytes) -> None:
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(FOREVER)

    monkeypatch.setattr(acceptance, "accept", interrupt)
    run = both_ends(pin)
    assert run.status == 3
    assert "0.0489" in run.out
    assert "interrupted while the certificate was checked" in run.err
    assert new_files(pin) == ["e.html"]


def test_both_ends_or_none(pin: Path) -> None:
    (pin.parent / "e.cert.lower").mkdir()
    assert both_ends(pin).status == 2
    assert new_files(pin) == ["e.cert.lower"]
    taken, missing = pin.parent / "one", pin.parent / "missing" / "other"
    taken.write_text("old")
    with pytest.raises(Unwritable):
        write_together([(taken, b"new"), (missing, b"new")], "the certificate")
    assert taken.read_text() == "old"
    assert new_files(pin) == ["e.cert.lower", "one"]


def test_certificates_in_python(tmp_path: Path) -> None:
    proof = api.delta(pin_checker(), "0", "1", "11/10").certificate
    proof.write(tmp_path / "true.cert")
    false = Certificate(proof.data.replace(b"3791/75090", b"3791/75091"))
    with pytest.raises(RejectedProof, match="rejects this program's certificate"):
        false.write(tmp_path / "false.cert")
    assert [path.name for path in tmp_path.iterdir()] == ["true.cert"]


def test_pages_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = api.delta(pin_checker(), "0", "1", "11/10")
    assert "download=" in answer.to_html()

    def too_large(_: bytes) -> str:
        raise check.TooLarge("the work exceeds the limit")

    monkeypatch.setattr(check, "check", too_large)
    assert "There is no certificate of this answer" in answer.to_html()
