"""Commands that are ended before they are done: with what is proved by then, and with nothing left behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.chain.ld.found import Bound, FoundBounds
from tests.commands import (
    FORKS,
    KEYS,
    answer,
    checked,
    command,
    environment,
    long_work,
    prover,
    verdicts,
    zoo,
)
from tests.waiting import GUARD, interrupt, is_gone, wait_until

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings(FORKS)]

AT_ONCE = "1e-9"
AT_MOST_0_53 = "596726950626591/1125899906842624"
"""The mass 53/100 that the pin checker leaves behind where nothing is moved, rounded up to 2^-50."""
PATIENCE = 2.0  # seconds after the deadline by which everything is over


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_work(tmp_path_factory.mktemp("hard"))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return zoo(tmp_path_factory.mktemp("large"), "random-chain", "states=150")


class TestTimeout:
    @pytest.mark.timing
    def test_with_an_interval(self, hard: Path, tmp_path: Path) -> None:
        began = time.monotonic()
        found = answer(tmp_path, hard, "--alpha", "6/5", "--timeout", "3", status=3)
        assert time.monotonic() - began < 3 + PATIENCE
        assert found["value"] is None
        assert 0 <= Fraction(found["upper"]) - Fraction(found["lower"]) < Fraction(1, 10**6)
        assert found["certificate"] is not None

    @pytest.mark.timing
    def test_of_all_pairs(self, large: Path, tmp_path: Path) -> None:
        began = time.monotonic()
        found = answer(tmp_path, large, "--alpha", "6/5", "--all-pairs", "--timeout", "1", status=3)
        assert time.monotonic() - began < 1 + PATIENCE + 1  # the last second for checking the certificate
        assert found["certificate"] is not None
        assert found["values"]["s000"]["s000"] == "0"
        assert len(found["values"]) == 150

    def test_before_anything_is_proved(self, hard: Path, tmp_path: Path) -> None:
        found = answer(tmp_path, hard, "--alpha", "1.2", "--timeout", AT_ONCE, status=3)
        assert found.pop("seconds") < GUARD
        assert found == {
            "kind": "ld", "alpha": "6/5", "from": None, "to": None, "lower": "0", "upper": "1",
            "value": None, "engine": "trivial", "check": None, "certificate": None, "model": None,
            "format": 1, "at_most": None, "holds": None,
        }  # fmt: skip
        question = ("--kind", "bisimilarity", "--from", "s00", "--to", "s03", "--timeout", AT_ONCE)
        found = answer(tmp_path, hard, *question, status=3)
        assert (found["from"], found["to"], found["alpha"]) == ("s00", "s03", None)

    def test_of_all_pairs_before_anything_is_proved(self, large: Path, tmp_path: Path) -> None:
        question = ("--alpha", "6/5", "--all-pairs", "--timeout", AT_ONCE)
        found = answer(tmp_path, large, *question, status=3)
        assert found.keys() == KEYS | {"values"}
        assert found["lower"] == found["upper"] == found["values"] == {}

    def test_as_text(self, hard: Path) -> None:
        run = prover("distance", hard, "--alpha", "6/5", "--timeout", AT_ONCE)
        assert run.status == 3
        assert run.out == "0 <= ld_6/5 <= 1\nNo bound below 1 is proved yet.\n"
        assert run.err.startswith("prover: not decided: the time is up\n")

    def test_long_enough(self, tmp_path: Path) -> None:
        found = answer(tmp_path, zoo(tmp_path, "fig1"), "--alpha", "2", "--timeout", "600")
        assert found["value"] == "0"

    def test_bad_input_is_found_in_time(self, tmp_path: Path) -> None:
        run = prover("distance", tmp_path / "none.json", "--alpha", "2", "--timeout", "600")
        assert (run.status, run.out) == (2, "")


class TestWhatIsKnownAtOnce:
    """What one step says of the pairs; the engine is interrupted before it can offer another interval."""

    @pytest.fixture(autouse=True)
    def interrupted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("prover.chain.dispatch.explore", interrupt)

    @pytest.mark.family
    @pytest.mark.parametrize("kind", ["ld", "lgd", "bd"])
    def test_has_a_certificate(self, tmp_path: Path, kind: str) -> None:
        model = zoo(tmp_path, "pin-checker")
        question = ("--alpha", "2", "--kind", kind)
        found = answer(tmp_path, model, *question, status=3)
        assert (found["lower"], found["upper"]) == ("0", AT_MOST_0_53)
        assert (found["from"], found["to"], found["engine"]) == ("0", "1", "labels")
        assert found["certificate"] is not None
        found = answer(tmp_path, model, *question, "--from", "0", "--to", "end", status=3)
        assert (found["lower"], found["upper"], found["value"]) == ("1", "1", "1")
        found = answer(tmp_path, model, *question, "--all-pairs", status=3)
        assert found["certificate"] is not None
        assert found["values"]["0"] == {"0": "0", "1": None, "2": "1", "3": "1", "end": "1"}

    def test_as_text(self, tmp_path: Path) -> None:
        model = zoo(tmp_path, "pin-checker")
        run = prover("distance", model, "--alpha", "2")
        assert (run.status, run.err.splitlines()[0]) == (3, "prover: not decided: interrupted")
        assert run.out.splitlines() == [
            "0 <= ld_2(0, 1) <= max ld_2 <= 0.530001",
            "For every event E and all related secrets s, t:  P[E | s]  <=  2 * P[E | t]  +  0.530001",
        ]
        run = prover("distance", model, "--alpha", "2", "--all-pairs")
        assert run.out.splitlines()[:2] == [
            "ld_2 of all 25 ordered pairs of 5 states, each between two bounds",
            "Not listed: pairs of a state with itself (5, at distance 0), pairs at distance 1 (16)",
        ]


class TestTheIntervalBeforeTheAnswer:
    """Long work offers a narrow one; the engine is interrupted when it begins to be exact."""

    @pytest.fixture(autouse=True)
    def interrupted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for exact in ("solve_exactly", "solve_symmetrically"):
            monkeypatch.setattr(f"prover.chain.dispatch.{exact}", interrupt)

    @pytest.mark.family
    @pytest.mark.parametrize(
        ("kind", "question"),
        [("ld", []), ("bd", ["--all-pairs"]), ("lgd", ["--from", "s01", "--to", "s04"])],
    )
    def test_has_a_certificate(self, hard: Path, tmp_path: Path, kind: str, question: list[str]) -> None:
        found = answer(tmp_path, hard, "--alpha", "6/5", "--kind", kind, *question, status=3)
        assert found["certificate"] is not None
        lower, upper = found["lower"], found["upper"]
        if question == ["--all-pairs"]:
            lower, upper = lower["s01"]["s04"], upper["s01"]["s04"]
        assert 0 <= Fraction(upper) - Fraction(lower) < Fraction(1, 10**6)

    def test_as_text(self, hard: Path) -> None:
        run = prover("distance", hard, "--alpha", "6/5")
        first, second = run.out.splitlines()
        assert (run.status, run.err.splitlines()[0]) == (3, "prover: not decided: interrupted")
        assert first.split(" <= ")[1:3] == ["ld_6/5(s00, s03)", "max ld_6/5"]
        assert second.startswith("For every event E and all related secrets s, t:  ")


@pytest.mark.parametrize("question", [[], ["--certificate", "curve.cert"]])
def test_a_curve_has_delta_before_distances(
    question: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prover.chain.distance.largest", interrupt)
    monkeypatch.chdir(tmp_path)
    run = prover("curve", zoo(tmp_path, "pin-checker"), "--alpha", "1:2:3", "--json", *question)
    assert run.status == 3
    assert run.err.splitlines() == [
        "prover: not finished: interrupted; delta is there at all points, ld and bd are not"
    ]
    found = json.loads(run.out)
    assert [row["value"] for row in found["rows"]] == ["200/2503", "0", "0"]
    assert [row["ld"] for row in found["rows"]] == [None] * 3
    if question:
        assert verdicts(Path("curve.cert")).status == 0


def test_the_least_epsilon_is_proved_from_below_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one α no other end is known; its certificate is that of the lower end."""

    def one_alpha(search: Any) -> None:
        search._ask(Fraction(1))
        interrupt()

    monkeypatch.setattr("prover.chain.epsilon._EpsilonSearch.from_the_left", one_alpha)
    model, path = zoo(tmp_path, "random-chain", "states=8", "labels=2"), tmp_path / "epsilon.cert"
    question = ("--from", "s1", "--to", "s5", "--delta", "1/100", "--certificate", path)
    run = prover("epsilon", model, *question, "--json")
    found = json.loads(run.out)
    assert (run.status, found["certificate"], found["upper"]) == (3, None, "inf")
    assert Fraction(found["lower"]) > 0
    assert found["certificate_lower"] is not None
    assert verdicts(tmp_path / "epsilon.cert.lower").status == 0


class TestSignals:
    """A command that is computing gets a signal; it is in a session of its own, as in a terminal."""

    @pytest.fixture
    def running(self, hard: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
        arguments = ("distance", hard, "--alpha", "6/5", "--json", "--certificate", tmp_path / "answer.cert")
        process = subprocess.Popen(
            command(*arguments),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    @staticmethod
    def worker_of(process: subprocess.Popen[str]) -> int:
        """The child that computes, once it has been busy for a while."""
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.parent.exists():
            pytest.skip("no list of child processes here")
        wait_until(lambda: any(_processor_seconds(int(one)) > 0.2 for one in children.read_text().split()))
        return int(children.read_text().split()[0])

    @pytest.mark.parametrize(
        "send",
        [
            pytest.param(lambda process: os.killpg(process.pid, signal.SIGINT), id="Ctrl-C"),
            pytest.param(lambda process: process.send_signal(signal.SIGTERM), id="SIGTERM to the parent"),
            pytest.param(lambda process: _send_all(process), id="everything at once"),
        ],
    )
    def test_the_interval_so_far(
        self,
        running: subprocess.Popen[str],
        tmp_path: Path,
        send: Callable[[subprocess.Popen[str]], None],
    ) -> None:
        worker = self.worker_of(running)
        send(running)
        out, err = running.communicate(timeout=GUARD)
        assert running.returncode == 3
        assert err.startswith("prover: not decided: interrupted\n")
        checked(out, tmp_path / "answer.cert")
        wait_until(lambda: is_gone(worker))

    @pytest.mark.timing
    def test_it_is_over_soon(self, running: subprocess.Popen[str]) -> None:
        self.worker_of(running)
        began = time.monotonic()
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=GUARD)
        assert time.monotonic() - began < PATIENCE

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
    def test_no_worker_survives_its_parent(self, running: subprocess.Popen[str], number: int) -> None:
        worker = self.worker_of(running)
        running.send_signal(number)
        assert running.wait(timeout=GUARD) == -number
        wait_until(lambda: is_gone(worker))

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
    def test_a_worker_that_the_system_ends(
        self, running: subprocess.Popen[str], tmp_path: Path, number: int
    ) -> None:
        os.kill(self.worker_of(running), number)
        out, err = running.communicate(timeout=GUARD)
        assert running.returncode == 3
        reason = f"the computation was ended by signal {int(number)} (out of memory?)"
        assert err.startswith(f"prover: not decided: {reason}\n")
        checked(out, tmp_path / "answer.cert")

    def test_a_worker_that_crashes(self, running: subprocess.Popen[str], tmp_path: Path) -> None:
        os.kill(self.worker_of(running), signal.SIGSEGV)
        out, err = running.communicate(timeout=GUARD)
        assert (running.returncode, out) == (70, "")
        assert err.startswith("prover: a fault of this program, please report it:\n")
        assert "signal 11" in err
        assert not (tmp_path / "answer.cert").exists()


def test_ctrl_c_while_verifying(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("prover.certificate.check.judged", interrupted)
    run = prover("verify", "x")
    assert (run.status, run.out) == (3, "")
    assert run.err.strip() == "prover: interrupted"


def test_too_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("prover.chain.dispatch.explore", explode)
    path = tmp_path / "answer.cert"
    model = zoo(tmp_path, "pin-checker")
    run = prover("distance", model, "--alpha", "2", "--json", "--certificate", path)
    assert run.status == 3
    assert run.err.startswith("prover: not decided: the computation does not fit into memory\n")
    assert checked(run.out, path)["upper"] == AT_MOST_0_53


def test_the_narrowest_interval_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(*arguments: Any) -> None:
        on_interval = arguments[-1]
        for lower, upper in (("0", "1"), ("1/4", "1/2"), ("1/8", "1/2"), ("1/3", "7/12")):
            on_interval(FoundBounds(constant(lower), constant(upper), "lp", dict))
        interrupt()

    def constant(text: str) -> Bound:
        return lambda _: Fraction(text)

    monkeypatch.setattr("prover.chain.dispatch.find", find)
    model = zoo(tmp_path, "pin-checker")
    for question in ([], ["--all-pairs"]):
        run = prover("distance", model, "--alpha", "2", "--json", *question)
        found = json.loads(run.out)
        lower, upper = found["lower"], found["upper"]
        bounds = (lower["0"]["1"], upper["0"]["1"]) if question else (lower, upper)
        assert (run.status, *bounds) == (3, "1/4", "1/2")


def _send_all(process: subprocess.Popen[str]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM) * 3:
        os.killpg(process.pid, number)
        process.send_signal(number)


def _processor_seconds(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
