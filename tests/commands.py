"""Running commands as users do, in this process where that is possible, and believing no answer unchecked."""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from prover.certificate import check as checker
from prover.chain.model import LabelledMarkovChain
from prover.cli.commands import run_command
from prover.formats.convert import write_json
from tests.schemas import check_answer, schema
from tests.waiting import GUARD

# Commands work in forks of this process, which need not load again what is loaded here.
for module in (
    "networkx",
    "scipy.sparse.linalg",
    "prover.chain.dispatch",
    "prover.formats.dipa",
    "prover.formats.explicit.files",
    "prover.report.account",
    "prover.report.delta",
    "prover.report.distance",
    "prover.report.program_epsilon",
    "prover.report.tradeoff",
):
    importlib.import_module(module)

ROOT = Path(__file__).resolve().parent.parent
CHECKER = Path(checker.__file__).parent
KEYS = set(schema("distance")["required"])
"""The keys of an answer, as the command line's contract has them; --all-pairs adds ``values``."""

FORKS = "ignore:.*multi-threaded.*fork:DeprecationWarning"
"""Newer Pythons warn of forks; here it is the test runner that has threads, not the program."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str


def prover(*arguments: str | Path) -> Run:
    """Run a command in this process; an answer in JSON is compared with its schema."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run_command(texts := [str(argument) for argument in arguments])
    if "--json" in texts and out.getvalue():
        check_answer(texts, out.getvalue())
    return Run(status, out.getvalue(), err.getvalue())


def command(*arguments: str | Path) -> list[str]:
    """The same as a program."""
    return [sys.executable, "-m", "prover.cli", *map(str, arguments)]


def environment(**variables: str) -> dict[str, str]:
    """The environment of a program that is to find this prover."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **variables}


def program(*arguments: str | Path, variables: Mapping[str, str] | None = None, **options: Any) -> Run:
    """Run a command as a program, with its output as text (undecodable bytes as surrogates)."""
    chosen: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    ran = subprocess.run(
        command(*arguments),
        env=environment(**(variables or {})),
        encoding="utf-8",
        errors="surrogateescape",
        timeout=GUARD,
        check=False,
        **chosen,
    )
    return Run(ran.returncode, ran.stdout or "", ran.stderr or "")


def verdicts(*certificates: Path) -> Run:
    """What ``prover verify`` says; the stand-alone checker says the same, to the letter."""
    run = prover("verify", *certificates)
    alone = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKER), *map(str, certificates)],
        capture_output=True,
        encoding="utf-8",
        timeout=GUARD,
        check=False,
    )
    assert Run(alone.returncode, alone.stdout, alone.stderr) == run
    return run


def answer(folder: Path, *arguments: str | Path, status: int = 0) -> dict[str, Any]:
    """The JSON object of ``prover distance``, which ends with this status; its certificate is checked."""
    path = folder / "answer.cert"
    path.unlink(missing_ok=True)
    run = prover("distance", *arguments, "--json", "--certificate", path)
    assert run.status == status, run.err
    return checked(run.out, path)


def checked(out: str, path: Path) -> dict[str, Any]:
    """The one JSON object that was printed; the certificate at the path verifies and claims the same."""
    found: dict[str, Any] = json.loads(out)
    assert out.count("\n") == 1
    assert found.keys() - {"values", "merged"} == KEYS
    assert found.get("merged", True) is True
    assert found["seconds"] >= 0
    if found["certificate"] is None:
        assert not path.exists()
        return found
    data = path.read_bytes()
    assert found["certificate"] == hashlib.sha256(data).hexdigest()
    run = prover("verify", path)
    assert run.status == 0
    assert run.out.startswith(f"VERIFIED {found['kind']} ")
    claim = json.loads(data)["claim"]
    assert claim["kind"] == found["kind"]
    assert claim.get("alpha") == found["alpha"]
    if claim["scope"] == "all-pairs":
        _check_table(found)
        return found
    assert (claim["from"], claim["to"]) == (found["from"], found["to"])
    assert claim.get("value", claim.get("lower")) == found["lower"]
    assert claim.get("value", claim.get("upper")) == found["upper"]
    assert found["value"] == (found["lower"] if found["lower"] == found["upper"] else None)
    return found


def _check_table(found: Mapping[str, Any]) -> None:
    assert found["value"] is found["from"] is found["to"] is None
    lower, upper, values = found["lower"], found["upper"], found["values"]
    assert lower.keys() == upper.keys() == values.keys()
    for s, row in values.items():
        assert lower[s].keys() == upper[s].keys() == row.keys() == values.keys()
        for t, value in row.items():
            assert value == (lower[s][t] if lower[s][t] == upper[s][t] else None)


States = Mapping[str, tuple[str, Mapping[str, str]]]


def saved(
    folder: Path, states: States, relation: Sequence[tuple[str, str]] = (), name: str = "model.json"
) -> Path:
    """The model file of a chain that is given by labels and probabilities."""
    path = folder / name
    path.write_text(write_json(LabelledMarkovChain.of(states, relation)))
    return path


def zoo(folder: Path, name: str, *parameters: str) -> Path:
    """The model file of a chain from the zoo."""
    run = prover("zoo", name, *parameters)
    assert (run.status, run.err) == (0, "")
    path = folder / f"{name}.json"
    path.write_text(run.out)
    return path


def long_work(folder: Path) -> Path:
    """A model of 20 states with numbers of 1,000 digits: an interval comes soon, the answer does not."""
    random = Random(5)
    names = [f"s{place:02}" for place in range(20)]
    states = {}
    for place, name in enumerate(names):
        total = random.randrange(10**999, 10**1000)
        cuts = sorted(random.randrange(1, total) for _ in range(2))
        shares = [high - low for low, high in pairwise([0, *cuts, total])]
        row = {t: f"{share}/{total}" for t, share in zip(random.sample(names, 3), shares, strict=True)}
        states[name] = (f"l{place % 3}", row)
    return saved(folder, states, [("s00", "s03")])
