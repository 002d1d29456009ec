"""Claims on every executor: the same bytes, certificates that stay, the first complaint."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from prover.claims.checking import CheckedSoFar, check_all
from prover.claims.file import read_claims
from prover.claims.table import junit, reply_of
from prover.executors import Here, apart, cluster, local
from prover.formats.convert import save
from prover.zoo import randomised_response, svt
from tests.clusters import kill_one, two_workers
from tests.commands import FORKS, prover
from tests.refusals import refuses

pytestmark = pytest.mark.filterwarnings(FORKS)

CLAIM = """
[[claim]]
name = "{name}"
model = "{model}.json"
alpha = "6/5"
delta_at_most = "{bound}"
certificate = "{name}.cert"
"""
PROGRAM = '[[claim]]\nmodel = "svt.json"\nepsilon_at_most = "{bound}"\ncertificate = "svt.cert"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save(randomised_response(), tmp_path / "survey.json")
    save(svt(), tmp_path / "svt.json")
    claims = [
        CLAIM.format(name=f"survey-{bound[2:]}", model="survey", bound=bound) for bound in ("1/3", "1/5")
    ]
    (tmp_path / "claims.toml").write_text("".join([*claims, PROGRAM.format(bound="5/4")]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def certificates(folder: Path) -> dict[str, bytes]:
    """What is kept, which is taken away."""
    found = {path.name: path.read_bytes() for path in folder.glob("*.cert")}
    for path in folder.glob("*.cert"):
        path.unlink()
    return found


def test_every_executor_gives_the_same_bytes(folder: Path) -> None:
    claims = read_claims("claims.toml")
    said, kept = [], []

    def note(executor: Executor, **options: Any) -> None:
        found = check_all(claims, "claims.toml", executor, **options)
        reply = reply_of(found)
        said.append((reply.text, json.dumps(reply.json), junit(found, claims, "suite")))

    note(Here(), at_once=1)
    kept.append(certificates(folder))
    with local(2) as processes:
        note(processes, at_once=2)
    kept.append(certificates(folder))
    assert said[0] == said[1]
    assert kept[0] == kept[1]
    assert sorted(kept[0]) == ["survey-3.cert", "svt.cert"]


def test_work_that_is_done_elsewhere_gives_the_same(folder: Path) -> None:
    claims = read_claims("claims.toml")[1:2]
    here = check_all(claims, "claims.toml", Here())
    with ThreadPoolExecutor(1) as threads:  # as workers of a cluster, which are somewhere else
        there = check_all(claims, "claims.toml", threads, apart=partial(apart, str(folder)))
    assert there == here
    assert "Attack: guess" in there[0].details


def test_what_is_decided_is_told_and_kept_at_once(folder: Path) -> None:
    heard: list[tuple[int, list[str]]] = []

    def note(found: CheckedSoFar) -> None:
        heard.append((len(found) - found.count(None), sorted(path.name for path in folder.glob("*.cert"))))

    check_all(read_claims("claims.toml"), "claims.toml", Here(), at_once=1, on_checked=note)
    assert heard == [(1, ["survey-3.cert"]), (2, ["survey-3.cert"]), (3, ["survey-3.cert", "svt.cert"])]


def test_claims_behind_one_that_takes_long_are_told(folder: Path) -> None:
    claims = read_claims("claims.toml")
    done = check_all(claims[2:], "claims.toml", Here())
    reply = reply_of([None, None, *done])
    assert "3 claims: 1 holds, 0 refuted, 0 open, 2 not decided yet." in reply.text
    assert (reply.holds, reply.json["counts"]["all"]) == (None, 3)
    assert junit([None, None, *done], claims, "suite").count(b"<skipped") == 2
    del folder


@pytest.mark.parametrize("jobs", [1, 2])
def test_of_several_mistakes_the_first_is_named(folder: Path, jobs: int) -> None:
    wrong = [
        CLAIM.format(name=name, model=model, bound="1/3") for name, model in (("a", "svt"), ("b", "none"))
    ]
    (folder / "claims.toml").write_text("".join([PROGRAM.format(bound=2), *wrong]))
    with local(jobs) as executor, refuses("bad-claim", match="threshold program") as caught:
        check_all(read_claims("claims.toml"), "claims.toml", executor, at_once=jobs)
    assert (caught.value.file, caught.value.path) == ("claims.toml", "$.claim[1]")
    assert prover("check", "claims.toml", "--jobs", str(jobs)).status == 2


def test_a_worker_that_is_lost_leaves_its_claim_open(folder: Path) -> None:
    class Lossy(Executor):
        def submit(self, work: Any, /, *given: Any, **more: Any) -> Future[Any]:
            del work, given, more
            future: Future[Any] = Future()
            future.set_exception(RuntimeError("gone"))
            return future

    found = check_all(read_claims("claims.toml"), "claims.toml", Lossy(), apart=partial(apart, "."))
    assert {(one.status, one.found) for one in found} == {("open", "its worker is lost: RuntimeError: gone")}
    with pytest.raises(RuntimeError):
        check_all(read_claims("claims.toml"), "claims.toml", Lossy())
    del folder


def test_a_cluster_is_asked_for_by_its_address(folder: Path) -> None:
    for command in (["check", "claims.toml"], ["bench", "run", "suite.toml", "--output", "rows.jsonl"]):
        run = prover(*command, "--cluster", "tcp://127.0.0.1:9", "--jobs", "2")
        assert (run.status, "leave --jobs out" in run.err) == (2, True)
    del folder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_on_a_cluster(folder: Path) -> None:
    here = prover("check", "claims.toml")
    kept = certificates(folder)
    with two_workers() as client:
        there = prover("check", "claims.toml", "--cluster", client.scheduler.address)
    assert there == here
    assert certificates(folder) == kept
    lost = prover("check", "claims.toml", "--cluster", "tcp://127.0.0.1:9")
    assert (lost.status, "does not answer" in lost.err) == (2, True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_costs_no_claim(folder: Path) -> None:
    claims = read_claims("claims.toml")
    here = check_all(claims, "claims.toml", Here())
    kept = certificates(folder)
    killed: list[int] = []
    with two_workers() as client:

        def note(found: CheckedSoFar) -> None:
            if found.count(None) == 2:
                killed.append(kill_one(client))

        with cluster(client.scheduler.address) as executor:
            work = partial(apart, str(folder))
            there = check_all(claims, "claims.toml", executor, apart=work, on_checked=note)
    assert (there, certificates(folder)) == (here, kept)
    assert len(killed) == 1
