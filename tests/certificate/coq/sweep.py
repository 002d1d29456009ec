"""A theorem for every certificate of the zoo and of the gallery, where the proofs cover it.

    python -m tests.certificate.coq.sweep FILE [PART]

asks the usual questions about every model, writes each certificate as a theorem, and has coqc accept it. FILE
gets a line of JSON for each; what it has already is not done again. Only names with PART in them are asked
about, where it is given. Then a table says how many theorems there are, and why others are none."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import prover
from prover import zoo
from prover.accounting.profile_certificates import profile_certificate
from prover.certificate.check import check
from prover.certificate.coq.folder import expected, files
from prover.certificate.schema import Certificate
from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput, BeyondLimit, NotSupported
from prover.gallery.index import GalleryEntry, gallery
from prover.gallery.proving import prove
from prover.program.model import Program
from prover.program.noise import DISCRETE_LAPLACE, Noise
from prover.progress import silent
from tests.certificate.coq.compiled import PROOFS, make

ALPHA = Fraction(6, 5)
ENGINE, COQC = 60, 200
"""Seconds for a certificate, and for coqc as expected."""

Question = Callable[[], Certificate | None]


def questions() -> Iterator[tuple[str, Question]]:
    """About models of the zoo, and about mechanisms of the gallery, by name."""
    for name in zoo.NAMES:
        yield from ((f"zoo {name}, {kind}", question) for kind, question in questions_about(zoo.build(name)))
    for entry in gallery():
        yield f"gallery {entry.name}", partial(_of_entry, entry, 0)
        yield f"gallery {entry.name}, from below", partial(_of_entry, entry, 1)


def questions_about(model: Any) -> Iterator[tuple[str, Question]]:
    return _of_program(model) if isinstance(model, Program) else _of_system(model)


def _of_entry(entry: GalleryEntry, number: int) -> Certificate | None:
    found = prove(entry).certificates
    return found[number] if number < len(found) else None


def _of_program(program: Program) -> Iterator[tuple[str, Question]]:
    yield f"epsilon, {program.noise.kind}", partial(_privacy, program)
    if not program.noise.is_discrete:
        yield (
            f"epsilon, {DISCRETE_LAPLACE}",
            partial(_privacy, replace(program, noise=Noise(DISCRETE_LAPLACE))),
        )


def _privacy(program: Program) -> Certificate | None:
    return prover.privacy(program).certificate


def _of_system(model: Any) -> Iterator[tuple[str, Question]]:
    source, target = (None, None) if model.relation else _alike(model)
    yield "delta", lambda: prover.delta(model, source, target, ALPHA, gap=Fraction(1, 20)).certificate
    if isinstance(model, LabelledMarkovChain):
        yield "curve", partial(_curve, model, source, target)
    for kind in ("ld", "bd", "kernel"):
        yield kind, partial(_distance, model, source, target, ALPHA, kind)
    yield "bisimilarity", partial(_distance, model, source, target, None, "bisimilarity")


def _distance(model: Any, source: str | None, target: str | None, alpha: Fraction | None, kind: str) -> Any:
    return prover.distance(model, source, target, alpha, kind=kind).certificate


def _curve(model: LabelledMarkovChain, source: str | None, target: str | None) -> Certificate | None:
    found = prover.curve(model, source, target, [Fraction(1), ALPHA, Fraction(2)], provable=True)
    return profile_certificate(model, found, silent)


def _alike(model: Any) -> tuple[str, str]:
    """Two states of one label."""
    named = list(zip(model.states, model.labels, strict=True))
    return next((s, t) for s, a in named for t, b in named if s < t and a == b)


def outcome(question: Question) -> Mapping[str, Any]:
    """What becomes of the certificate: the names of its theorems, or why there are none."""
    signal.alarm(ENGINE)
    try:
        certificate = question()
    except (BadInput, BeyondLimit, NotSupported, TimeoutError) as error:
        return {"no certificate": str(error)}
    finally:
        signal.alarm(0)
    if certificate is None:
        return {"no certificate": "the answer has none"}
    check(certificate.data)
    claim = json.loads(certificate.data)["claim"]
    signal.alarm(ENGINE)
    try:
        found = files(certificate.data)
    except (NotSupported, TimeoutError) as error:
        return {"claim": claim, "refused": str(error)}
    finally:
        signal.alarm(0)
    if expected(found, certificate.data)[0] > COQC:
        return {"claim": claim, "long": "coqc would take long"}
    with TemporaryDirectory() as folder:
        for name, text in found.items():
            Path(folder, name).write_text(text)
        run = subprocess.run(
            [sys.executable, PROOFS / "accept.py", folder], capture_output=True, encoding="utf-8", check=False
        )
    theorems = [line.split()[1] for line in found["Answer.v"].splitlines() if line.startswith("Theorem ")]
    return {"claim": claim, "theorems": theorems} | ({"failed": run.stderr} if run.returncode else {})


def sides(done: Mapping[str, Any]) -> str:
    """The row of the table for an outcome."""
    for key in ("no certificate", "refused", "long", "failed"):
        if key in done:
            return f"{key}: {done[key]}" if key == "refused" else key
    above, below = (any(side in name for name in done["theorems"]) for side in ("at_most", "at_least"))
    if above != below and "value" not in done["claim"] and done["claim"].get("lower") != "0":
        return "theorem, from above" if above else "theorem, from below"
    return "theorem, all of the claim"


def _table(lines: Iterator[str]) -> str:
    counts: Counter[tuple[str, str]] = Counter()
    for line in lines:
        name, done = json.loads(line)
        counts[name.split()[0], sides(done)] += 1
    return "\n".join(f"{n:4}  {about}: {row}" for (about, row), n in sorted(counts.items()))


def _late(*_: object) -> None:
    raise TimeoutError("the time is over")


def main(path: Path, part: str) -> int:
    make("all")
    signal.signal(signal.SIGALRM, _late)
    known = {json.loads(line)[0] for line in path.read_text().splitlines()} if path.exists() else set()
    for name, question in questions():
        if part in name and name not in known:
            with path.open("a") as results:
                print(json.dumps([name, outcome(question)]), file=results, flush=True)
    lines = path.read_text().splitlines()
    print(_table(iter(lines)))
    return int(any("failed" in json.loads(line)[1] for line in lines))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), " ".join(sys.argv[2:])))
