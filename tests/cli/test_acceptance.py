"""Nothing is written that the stand-alone checker has not accepted, both ends together."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import replace
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
from prover.report.reply import Reply
from prover.zoo import pin_checker
from tests.cli.test_ending import AT_MOST_0_53
from tests.commands import FORKS, Run, prover, verdicts, zoo
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


def hurry_the_first_check(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """Let the first check of a command end soon; the deadlines of all checks are in the list."""
    accepted, deadlines = limits.accepted, list[float | None]()

    def hurried(
        replies: Sequence[Sequence[bytes]], deadline: float | None, progress: Progress
    ) -> limits.Verdict:
        deadlines.append(deadline)
        return accepted(replies, 0.1 if len(deadlines) == 1 else GUARD, progress)

    monkeypatch.setattr(limits, "accepted", hurried)
    return deadlines


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
    deadlines = hurry_the_first_check(monkeypatch)
    run = both_ends(pin, "--timeout", "600", "--json")
    found = json.loads(run.out)
    assert deadlines == [600 - found["seconds"]]
    assert (run.status, found["certificate"], found["check"]) == (3, None, None)
    assert Fraction(found["lower"]) < Fraction(found["upper"])
    assert "no certificate was written: the time is up while the certificate was checked" in run.err
    assert new_files(pin) == ["e.html"]


class TestAnEarlierAnswer:
    """Of which the checker accepts the certificate, where that of the answer takes too long."""

    @pytest.fixture(autouse=True)
    def slow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def accept(data: bytes) -> None:
            time.sleep(0 if AT_MOST_0_53.encode() in data else FOREVER)

        monkeypatch.setattr(acceptance, "accept", accept)

    def test_takes_its_place(self, pin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What one step says is 53/100; the distance is smaller."""
        deadlines = hurry_the_first_check(monkeypatch)
        files = ("--certificate", pin.parent / "e.cert", "--html", pin.parent / "e.html")
        run = prover("distance", pin, "--alpha", "2", *files, "--timeout", "600", "--json")
        found = json.loads(run.out)
        assert deadlines == [600 - found["seconds"], limits.LEAST_TIME]
        assert (run.status, found["upper"], found["engine"]) == (3, AT_MOST_0_53, "labels")
        assert found["check"]["seconds"] < GUARD
        note = "ld: 200/2597 was found, too, but the time is up while the certificate was checked"
        assert found["notes"] == [note]
        assert "not decided: the time is up while the certificate was checked" in run.err
        assert verdicts(pin.parent / "e.cert").status == 0
        assert "download=" in (pin.parent / "e.html").read_text()

    def test_is_not_looked_for_where_there_is_time(self, pin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fails_to_check(monkeypatch, TooMuchWork())
        run = prover("distance", pin, "--alpha", "2", "--certificate", pin.parent / "e.cert", "--json")
        assert (run.status, json.loads(run.out)["value"]) == (3, "200/2597")
        assert new_files(pin) == []


@pytest.mark.parametrize("question", ["curve", "tradeoff"])
def test_an_earlier_answer_without_a_table(
    question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the exact ε alone, where a table takes too long to check."""

    def accept(data: bytes) -> None:
        if b'"knots"' in data:
            raise TooMuchWork()

    monkeypatch.setattr(acceptance, "accept", accept)
    model, proof = zoo(tmp_path, "chain-of-tests", "n=70"), tmp_path / "c.cert"
    words = ("--epsilon", "0:1:3") if question == "curve" else ()
    run = prover(question, model, "--at-epsilon", "1", *words, "--certificate", proof, "--timeout", "600")
    assert run.status == 3
    assert "was found, too, but" in run.out + run.err
    evidence = json.loads(proof.read_text())["evidence"]
    assert "knots" not in json.dumps(evidence)
    assert "pure" in json.dumps(evidence)
    assert verdicts(proof).status == 0


def reply(length: int, so_far: str = "delta: at most 1/2") -> Reply:
    return Reply("", {}, b"x" * length, exact=False, so_far=so_far)


def test_the_replies_that_are_kept() -> None:
    """The first one and the last one, and between them each at most half as long as the one after it."""
    kept: list[Reply] = []
    for length in (7, 9, 5, 10, 20, 30):
        kept = limits.kept_with(kept, reply(length))
    assert [len(one.certificate or b"") for one in kept] == [7, 5, 10, 30]
    for nothing in (reply(3, so_far=""), replace(reply(3), certificate=None)):
        assert limits.kept_with(kept, nothing) == kept
        assert limits.kept_with([], nothing) == []


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
