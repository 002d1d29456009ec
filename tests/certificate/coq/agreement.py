"""The proved program and the Python checker on the same certificates, good and mutated.

    python -m tests.certificate.coq.agreement [COUNT [PART]]

builds the program, compares the two on so many mutations (10,000 unless said), and prints where they
differ. Only certificates with PART in their names are taken, where it is given."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import prover
from prover import zoo
from prover.certificate.check import Rejected, check
from prover.certificate.coq import trials
from prover.certificate.coq.observers import hides, observer_theorems
from prover.certificate.coq.profiles import tables_of
from prover.certificate.schema import Certificate
from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput, BeyondLimit, NotSupported
from tests.certificate.coq.compiled import proved_program
from tests.certificate.coq.sweep import questions_about
from tests.certificate.coq.theorems import ALPHA, CERTIFICATES, CIRCLES
from tests.certificate.forms import everywhere, of_bytes, of_top_level, show
from tests.certificate.mutations import mutations
from tests.certificate.samples import encode
from tests.certificate.verdicts import edited

CHAINS = ("bd", "bisimilarity", "kernel", "ld", "lgd", "lv", "profile", "tv")
PROCESSES = ("bd", "bisimilarity", "ld", "lv", "tv")
DISTANCES = ("bd", "ld")
KINDS: Mapping[str, Collection[str]] = {
    "labelled-markov-chain": CHAINS,
    "labelled-markov-decision-process": PROCESSES,
    "threshold-program": ("epsilon", "not-private", "profile-table"),
    "composition": ("composition",),
}
"""Of claims that the program covers, by the type of the model."""

STRICTER = "a row of value 0 has potentials"
"""Why the program rejects some certificates that the specification allows (proofs/README.md)."""

TURNS = "families whose samples neither stay, nor all climb or fall"
"""What the program does not cover, as it finds while it reads the evidence."""

WORK = "the work is more than the evidence declares"
"""Why the checker rejects some that the program accepts, which does not count its work."""


FROM_RUNS = frozenset({"blocks", "nodes", "parts", "table"})
"""Evidence about the loss of runs, which uses nothing that outputs hide."""

MORE = frozenset({"lost", "nature"})
"""Keys of claims about chains and processes that the program does not cover."""

OWN = frozenset({"center", "registers", "seen", "sigma", "sigma_prime"})
"""Keys of states and transitions of programs that the proofs do not cover."""


WITHOUT_THEOREM: Mapping[str, Callable[[], Certificate]] = {
    "survey-merged-all-pairs": lambda: (
        prover.distances(zoo.randomised_response(respondents=2), alpha=ALPHA, merge=True).certificate
    ),
    "seen-bd": lambda: (
        prover.distance(prover.collapse(zoo.pin_checker()), alpha=ALPHA, kind="bd").certificate
    ),
    "seen-ld-all-pairs": lambda: prover.distances(prover.collapse(CIRCLES, ["b"]), alpha=ALPHA).certificate,
    "seen-kernel": lambda: prover.distance(prover.collapse(CIRCLES), alpha=ALPHA, kind="kernel").certificate,
    "seen-bisimilar": lambda: prover.distances(prover.collapse(CIRCLES), kind="bisimilarity").certificate,
    "labels-merged": lambda: (
        prover.distance(prover.collapse(CIRCLES, ["b"], untimed=False), alpha=ALPHA, merge=True).certificate
    ),
}
"""Of kinds that the program covers and theorems do not."""


UNANSWERED = frozenset(f"hidden-loops, {kind}" for kind in ("bd", "curve", "kernel", "ld", "merged"))
"""Questions about models of the zoo that have no answer within a minute."""


@cache
def certificates() -> Mapping[str, bytes]:
    """Certificates of these kinds; with Laplace noise, where outputs hide the run, and of distances of
    processes, also claims that leave the bound from below open."""
    made = {**CERTIFICATES, **WITHOUT_THEOREM}
    data = _both((name, certificate().data) for name, certificate in made.items())
    return {name: found for name, found in data if is_covered(json.loads(found))}


def of_zoo(name: str) -> Iterator[tuple[str, bytes]]:
    """The certificates about a model of the zoo, and the same claims from above."""
    model = zoo.build(name)
    asked = {f"{name}, {kind}": question for kind, question in questions_about(model)}
    if isinstance(model, LabelledMarkovChain) and model.relation:
        asked[f"{name}, merged"] = lambda: prover.distance(model, alpha=ALPHA, merge=True).certificate
        asked[f"{name}, seen"] = lambda: prover.delta(prover.collapse(model), alpha=ALPHA).certificate
    for about, question in asked.items():
        if about in UNANSWERED:
            continue
        try:
            certificate = question()
        except (BadInput, BeyondLimit, NotSupported):
            continue
        if certificate is not None:
            yield from _both([(about, certificate.data)])


def _both(data: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Certificates, and those of claims from above where nothing is proved from below."""
    for name, found in data:
        yield name, found
        certificate = json.loads(found)
        claim, model = certificate["claim"], certificate["model"]
        if claim["kind"] == "epsilon" and ("noise" not in model or hides(certificate)):
            evidence = {key: own for key, own in certificate["evidence"].items() if key != "word"}
            above = {**certificate, "claim": {**claim, "lower": "0"}, "evidence": evidence}
            yield f"{name}, from above", encode(above)
        elif claim["kind"] in DISTANCES and model["type"] == "labelled-markov-decision-process":
            yield f"{name}, from above", encode(from_above(certificate))


def from_above(certificate: Mapping[str, Any]) -> Mapping[str, Any]:
    """The certificate of a distance of a process without its bound from below."""
    evidence = certificate["evidence"]
    table = evidence.get("upper", evidence.get("exact"))
    rows = [{key: row[key] for key in ("couplings", "pair", "value")} for row in table["rows"]]
    upper = {"denominator": table["denominator"], "rows": rows}
    return {**certificate, "claim": {**certificate["claim"], "lower": "0"}, "evidence": {"upper": upper}}


def is_covered(certificate: Mapping[str, Any]) -> bool:
    """Whether the program is made for such claims."""
    claim, model, evidence = (certificate[key] for key in ("claim", "model", "evidence"))
    if claim["kind"] not in KINDS.get(model["type"], ()) or claim.keys() & MORE or "rounding" in evidence:
        return False
    if claim["kind"] == "profile-table":
        return _is_theorem(tables_of, certificate)
    if claim["kind"] == "composition":
        return "alpha" in claim and _is_theorem(trials.read, certificate)
    if model["type"] == "threshold-program" and hides(certificate):
        above = claim["lower"] == "0" and claim["upper"] != "inf" and "word" not in evidence
        return above and _is_theorem(observer_theorems, certificate)
    if model["type"] == "threshold-program":
        return _is_covered_program(claim, model, evidence)
    if model["type"] == "labelled-markov-chain" or claim["kind"] not in DISTANCES:
        return True
    above = claim.get("lower") == "0" and evidence.keys() == {"upper"}
    return above and "quotient" not in claim


def _is_theorem(read: Callable[[Mapping[str, Any]], object], certificate: Mapping[str, Any]) -> bool:
    try:
        read(certificate)
    except NotSupported:
        return False
    return True


def _is_covered_program(claim: Mapping[str, Any], model: Mapping[str, Any], evidence: Any) -> bool:
    states = model["states"].values()
    keys = {*evidence, *model, *claim, *(key for state in states for key in state)}
    keys |= {key for state in states for way in state["transitions"] for key in way}
    plain = not keys & (OWN | {"inputs", "open", "unit"}) and evidence.keys() <= FROM_RUNS
    return plain and ("noise" in model or claim.get("lower") == "0")


def verdict(program: Path, data: bytes) -> tuple[int, str]:
    """The exit status of the program, and what it prints."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        run = subprocess.run([program, file.name], capture_output=True, encoding="ascii", check=False)
    return run.returncode, (run.stdout + run.stderr).strip()


def expected(data: bytes) -> str | None:
    """The line of the Python checker; None where it rejects. Raises Rejected where it would have to count."""
    try:
        return f"VERIFIED {check(data)}"
    except Rejected as rejected:
        if WORK in str(rejected):
            raise
        return None


def difference(program: Path, data: bytes) -> str | None:
    """What the program says, where that is not what the Python checker says. What the checker rejects, the
    program rejects or does not cover."""
    try:
        line = expected(data)
    except Rejected:
        return None
    status, said = verdict(program, data)
    if line is None:
        agree = status in (1, 2)
    else:
        agree = (status, said) == (0, line) or (status == 1 and STRICTER in said)
        agree = agree or (status == 2 and (TURNS in said or not is_covered(json.loads(data))))
    return None if agree else f"{status} {said} in place of {line}"


def changed(data: bytes, per_place: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Mutations of one certificate."""
    certificate = json.loads(data)
    processes = certificate["model"]["type"] == "labelled-markov-decision-process"
    claim = certificate["claim"]
    if (
        claim["kind"] not in ("composition", "profile", "profile-table")
        and "observer" not in claim
        and not processes
    ):
        yield from ((m.description, m.data) for m in mutations(data, per_place, seed))
        return
    yield from ((m.description, m.data) for m in of_bytes(data))
    yield from ((m.description, m.data) for m in of_top_level(certificate))
    for path, value in everywhere(certificate):
        yield f"{show(path)}: {value!r}", encode(edited(certificate, {path: value}))


def mutated(count: int, seed: int = 0, part: str = "") -> Iterator[tuple[str, bytes]]:
    """So many mutations together of all certificates with ``part`` in their names, with descriptions; some of
    them are still good."""
    chosen = {name: data for name, data in certificates().items() if part in name}
    each = -(-count // len(chosen))
    for name, certificate in chosen.items():
        found, random = list[tuple[str, bytes]](), Random(f"{name} {seed}")
        for place, (description, data) in enumerate(changed(certificate, each, seed)):
            entry = (f"{name}: {description}", data)
            if len(found) < each:
                found.append(entry)
            elif (other := random.randrange(place + 1)) < each:
                found[other] = entry
        yield from found


def _is_good(data: bytes) -> bool:
    try:
        return expected(data) is not None
    except Rejected:
        return False


def main(count: int, part: str) -> int:
    program, verified, different = proved_program(), Counter[bool](), 0
    for description, data in mutated(count, part=part):
        verified[_is_good(data)] += 1
        found = difference(program, data)
        if found is not None:
            different += 1
            print(f"{description}: {found}")
    print(f"{verified[True]} good and {verified[False]} bad certificates, {different} differences")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, " ".join(sys.argv[2:])))
