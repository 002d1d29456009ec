"""Work in several processes: the results are those of one, in order, and nothing outlives who asks."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from prover import curve, distances, zoo
from prover.chain.ld import float_policy, skew_bisimulation
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.unrolling.refinement import UnrollingLimits
from prover.cli import worker
from prover.errors import Fault
from prover.exact.rational import parse_rational
from prover.parallel import each, in_shares
from tests.commands import prover
from tests.refusals import refuses
from tests.waiting import FOREVER, is_gone, wait_until


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_order(jobs: int) -> None:
    def slow_in_the_beginning(k: int) -> tuple[int, int]:
        time.sleep(0.05 * (k == 0))
        return k, os.getpid()

    found = list(each(slow_in_the_beginning, range(7), jobs))
    assert [k for k, _ in found] == list(range(7))
    processes = {pid for _, pid in found}
    assert len(processes) <= jobs
    assert (os.getpid() in processes) is (jobs == 1)
    wait_until(lambda: all(map(is_gone, processes - {os.getpid()})))
    assert list(each(slow_in_the_beginning, (), jobs)) == []


def test_with_one_job_an_item_is_taken_after_the_result_before_it_is_used() -> None:
    used: list[int] = []

    def items() -> Iterator[int]:
        for k in range(4):
            assert used == list(range(k))
            yield k

    used.extend(each(lambda k: k, items()))
    assert used == [0, 1, 2, 3]


def test_more_items_are_not_taken_than_there_are_processes() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for k in range(10):
            taken.append(k)
            yield k

    results = each(lambda k: -k, items(), 2)
    assert next(results) == 0
    assert len(taken) <= 4
    results.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("jobs", [1, 2])
def test_bad_input_is_raised_in_its_turn(jobs: int) -> None:
    results = each(parse_rational, ["1/2", "1/x", "3"], jobs)
    assert str(next(results)) == "1/2"
    with refuses("malformed-number", match="1/x"):
        next(results)


def test_what_else_is_raised() -> None:
    def work(what: str) -> object:
        if what == "memory":
            raise MemoryError
        if what == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "ended":
            os._exit(3)
        raise KeyError(what)

    for what, error, said in (
        ("memory", MemoryError, "^$"),
        ("killed", MemoryError, "^$"),
        ("ended", Fault, "without a result"),
        ("missing", Fault, "KeyError: 'missing'"),
    ):
        with pytest.raises(error, match=said):
            list(each(work, [what], 2))


def test_processes_end_when_nobody_asks_any_more() -> None:
    def work(k: int) -> int:
        time.sleep(FOREVER * (k >= 2))
        return os.getpid()

    results = each(work, range(9), 2)
    processes = {next(results), next(results)}
    results.close()  # type: ignore[attr-defined]
    wait_until(lambda: all(map(is_gone, processes)))


def test_processes_end_with_the_worker_whose_time_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pids() -> list[int]:
        return [int(text) for path in tmp_path.iterdir() if (text := path.read_text())]

    def sleep(k: int) -> None:
        (tmp_path / str(k)).write_text(str(os.getpid()))
        time.sleep(FOREVER)

    clock = SimpleNamespace(monotonic=lambda: float(len(pids())))
    monkeypatch.setattr(worker, "time", clock)
    outcome = worker.run(lambda *_: list(each(sleep, range(2), 2)), timeout=2)
    assert (outcome.finished, outcome.reason) == (False, "the time is up")
    processes = pids()
    assert len(processes) == 2
    wait_until(lambda: all(map(is_gone, processes)))


@pytest.mark.parametrize("bounds", [True, False])
def test_curves_are_the_same(bounds: bool) -> None:
    chain = zoo.build_chain("random-chain", states="6", degree="2", labels="2", seed="3")
    alphas = ["1", "21/20", "11/10", "6/5", "3/2", "2", "3"]
    found = [
        curve(chain, "s0", "s3", alphas, bounds=bounds, gap=0, limits=UnrollingLimits(nodes=30), jobs=jobs)
        for jobs in (1, 2)
    ]
    assert found[0] == found[1]


def test_processes_for_one_piece_of_work_seldom_look_for_cycles() -> None:
    before = gc.get_threshold()
    assert [threshold > before for threshold in each(lambda _: gc.get_threshold(), range(2), 2)] == [
        True,
        True,
    ]
    assert gc.get_threshold() == before


def test_curves_where_an_attacker_chooses_are_the_same() -> None:
    process = zoo.build("password-timing", guesses="2")
    assert isinstance(process, LabelledMarkovDecisionProcess)
    alphas = ["1", "21/20", "11/10", "6/5", "3/2", "2", "3"]
    asked: list[int] = []
    found = [
        curve(process, "s", "t", alphas, jobs=jobs, on_curve=lambda so_far: asked.append(len(so_far.points)))
        for jobs in (1, 2)
    ]
    assert found[0] == found[1]
    after_delta_and_distances = [points for points in range(1, 8) for _ in range(2)]
    assert asked == after_delta_and_distances * 2


@pytest.mark.slow
def test_distances_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = zoo.herman_ring(5, drift="1/100")  # 40 of its parts are wide
    alone = distances(chain, "6/5", max_bits=64)
    assert not alone.exact
    asked: list[int] = []

    def counted(work: Any, items: Any, jobs: int) -> Any:
        asked.append(len(items))
        return in_shares(work, items, jobs)

    for module in (skew_bisimulation, float_policy):
        monkeypatch.setattr(module, "in_shares", counted)
        monkeypatch.setattr(module, "MANY_WIDE", 10)
    together = distances(chain, "6/5", max_bits=64, jobs=2)
    assert together.upper == alone.upper
    assert together.certificate.data == alone.certificate.data
    assert len(asked) > 4
    assert min(asked) >= 10


def test_both_directions_of_monotonic_inputs_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    path.write_text(prover("zoo", "random-program", "states=30", "storing=3/10").out)
    for jobs in "12":
        run = prover(
            "privacy", path, "--adjacency", "monotonic", "--jobs", jobs, "--certificate", tmp_path / jobs
        )
        assert run.status == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_verdicts_are_the_same(tmp_path: Path) -> None:
    model, broken, missing = (tmp_path / name for name in ("pin.json", "broken.cert", "missing.cert"))
    model.write_text(prover("zoo", "pin-checker").out)
    broken.write_text("{}")
    files = [tmp_path / f"{k}.cert" for k in range(3)]
    for file, alpha in zip(files, ("1", "11/10", "6/5"), strict=True):
        assert prover("distance", model, "--alpha", alpha, "--certificate", file).status == 0
    files[1:1] = [broken, missing]
    one, three = (prover("verify", "--jobs", jobs, *files) for jobs in ("1", "3"))
    assert one == three
    assert (one.status, one.out.count("VERIFIED"), one.out.count("REJECTED")) == (2, 3, 1)
    assert "missing.cert" in one.err
