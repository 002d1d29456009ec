"""Sweeps on every executor: the same points, files and complaints, also when a worker dies on the way."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import prover
from prover.chain.model import LabelledMarkovChain, Pair
from prover.executors import Here, cluster, local
from prover.zoo import dining_cryptographers
from tests.clusters import two_workers
from tests.commands import FORKS, ROOT, Run
from tests.commands import prover as run
from tests.refusals import refuses
from tests.sweeps.test_sweeps import coin
from tests.waiting import FOREVER, wait_until

pytestmark = pytest.mark.filterwarnings(FORKS)

TALLY = str(ROOT / "examples" / "sweeps" / "tally.py")


def third(n: int) -> LabelledMarkovChain:
    return coin(Fraction(n, 9))


def faulty(n: int) -> LabelledMarkovChain:
    return third(n) if n % 3 else coin(Fraction(n + 10))


def content(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def between(chain: LabelledMarkovChain, pairs: list[Pair], pair: int) -> LabelledMarkovChain:
    s, t = pairs[pair]
    return replace(chain, relation=((s, t), (t, s)))


def command(*more: str | Path) -> Run:
    return run("sweep", TALLY, "--const", "others=0:5", "--alpha", "2", *more)


@pytest.mark.parametrize("executor", [Here(), ThreadPoolExecutor(2)])
@pytest.mark.parametrize("at_most", [None, "1/2"])
def test_points_are_the_same(executor: Executor, at_most: str | None) -> None:
    here = prover.sweep(third, {"n": "0:9"}, alpha=1, at_most=at_most)
    heard: list[prover.Sweep] = []
    there = prover.sweep(
        third, {"n": "0:9"}, alpha=1, at_most=at_most, executor=executor, on_sweep=heard.append
    )
    assert there == here
    assert [len(found.points) for found in heard] == list(range(1, len(here.points) + 1))


def test_a_table_of_many_pairs() -> None:
    chain = dining_cryptographers(n=3)
    pairs = [(s, t) for s, t in chain.relation if s < t]
    with local(2) as executor:
        about = partial(between, chain, pairs)
        table = prover.sweep(about, {"pair": range(len(pairs))}, alpha="1.0002", executor=executor)
    assert [point.value for point in table.points] == [
        prover.delta(chain, chain.states[s], chain.states[t], "1.0002").value for s, t in pairs
    ]


def test_processes_find_and_write_the_same(tmp_path: Path) -> None:
    said = []
    for jobs in ("1", "3"):
        kept, proofs = tmp_path / f"{jobs}.jsonl", tmp_path / jobs
        said.append(command("--jobs", jobs, "--output", kept, "--certificate", proofs))
        assert command("--jobs", jobs, "--output", kept, "--certificate", proofs, "--resume") == said[-1]
    assert said[0] == said[1]
    assert said[0].status == 0
    assert content(tmp_path / "1") == content(tmp_path / "3")
    rows = [sorted((tmp_path / f"{jobs}.jsonl").read_text().splitlines()) for jobs in ("1", "3")]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 7


def test_of_several_mistakes_the_first_is_named() -> None:
    with local(2) as executor:
        for where in (None, executor, Here()):
            with refuses("negative-probability", match=r"\(at n=3\)"):
                prover.sweep(faulty, {"n": range(1, 9)}, alpha=1, executor=where)


def test_where_the_executor_fails_there_is_no_point() -> None:
    class Lossy(Here):
        def submit(self, work: Any, /, *given: Any, **more: Any) -> Future[Any]:
            if given[-1].at != (2,):
                return super().submit(work, *given, **more)
            future: Future[Any] = Future()
            future.set_exception(RuntimeError("gone"))
            return future

    notes: list[str] = []
    found = prover.sweep(third, {"n": "0:3"}, alpha=1, executor=Lossy(), on_note=notes.append)
    assert [int(point.at[0]) for point in found.points] == [0, 1, 3]
    assert notes == ["there is no number at n=2: RuntimeError: gone"]
    assert not found.answered


def test_a_cluster_is_asked_for_by_its_address() -> None:
    both = command("--cluster", "tcp://127.0.0.1:9", "--jobs", "2")
    assert (both.status, "leave --jobs out" in both.err) == (2, True)


def hung(folder: Path, n: int) -> LabelledMarkovChain:
    """The chain of n. Whoever makes the one of 4 for the first time leaves the process and hangs."""
    with (folder / "made").open("a") as file:
        file.write(f"{n}\n")
    if n == 4:
        with suppress(FileExistsError), (folder / "process").open("x") as file:
            file.write(str(os.getpid()))
            file.close()
            threading.Event().wait(FOREVER)
    return third(n)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_costs_what_it_was_at(tmp_path: Path) -> None:
    def kill() -> None:
        process = tmp_path / "process"
        wait_until(lambda: process.exists() and process.read_text())
        os.kill(int(process.read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with two_workers() as client, cluster(client.scheduler.address) as executor:
        there = prover.sweep(partial(hung, tmp_path), {"n": "0:9"}, alpha=1, executor=executor)
    killer.join()
    assert there == prover.sweep(third, {"n": "0:9"}, alpha=1)
    assert (tmp_path / "made").read_text().splitlines().count("4") == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_command_on_a_cluster(tmp_path: Path) -> None:
    here = command("--certificate", tmp_path / "here")
    with two_workers() as client:
        there = command("--certificate", tmp_path / "there", "--cluster", client.scheduler.address)
    assert there == here
    assert content(tmp_path / "there") == content(tmp_path / "here")
