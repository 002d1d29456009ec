"""Runs that prove the loss of random programs with noise on a grid, which Coq checks, all in one file."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import prover
from prover.certificate.coq.folder import files
from prover.errors import NotSupported
from prover.program.model import Program
from prover.program.noise import DISCRETE_LAPLACE, Noise
from tests.certificate.coq.compiled import PROOFS, make, needs_coq
from tests.program import test_ties
from tests.program.automata import leaning, random_program

pytestmark = needs_coq

ADJACENCIES = ("all-differ", "one-differ", "increasing", "decreasing", "monotonic")
BEGINS = """\
From Coq Require Import List NArith ZArith QArith.
From Prover Require Import Decode.
From Prover.programs Require Import Program Geometric Multipliers Runs Claims.
Import ListNotations.
Open Scope Q_scope.
"""


def program(seed: int) -> Program:
    """With ties and means, with two rates or none on a side, or with outputs of numbers."""
    random = Random(seed)
    if seed % 3 == 0:
        return test_ties.random_program(random)
    found = random_program(seed) if seed % 3 == 1 else leaning(random_program(seed), seed)
    return replace(found, noise=Noise(DISCRETE_LAPLACE, grid=Fraction(1, random.choice((1, 2)))))


def definitions(text: str) -> str:
    lines = (line for line in text.splitlines() if not re.match("From|Import|Open", line))
    return re.sub(r"\(\*.*?\*\)", "", "\n".join(lines), flags=re.DOTALL)


def modules(seeds: range) -> Iterator[str]:
    """A model, its evidence and the claim about it for each program that loses something, but not all."""
    for seed in seeds:
        try:
            answer = prover.privacy(program(seed), adjacency=ADJACENCIES[seed % 5])
        except NotSupported:
            continue
        if answer.private and answer.epsilon:
            assert answer.certificate is not None
            found = files(answer.certificate.data)
            claim = re.search(r"run_lower Here\.Model\.(.*) Here\.Evidence\.run\)", found["Answer.v"])
            assert claim is not None
            parts = (definitions(found["Model.v"]), definitions(found["Evidence.v"]))
            goal = f"let r := run_of run in check_run {claim[1]} (fst r) (snd r)"
            yield "\n".join(
                (f"Module M{seed}.", *parts, f"Goal ({goal}) = true. reflexivity. Qed.", f"End M{seed}.\n")
            )


def test_random_programs_lose_what_is_claimed(tmp_path: Path) -> None:
    make("all")
    found = list(modules(range(60)))
    assert len(found) > 20
    (tmp_path / "Runs.v").write_text(BEGINS + "".join(found))
    command = ["coqc", "-q", "-R", str(PROOFS), "Prover", str(tmp_path / "Runs.v")]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert run.returncode == 0, run.stderr
