"""Small certificates that kept the checker busy for minutes, or took all memory: each ends within limits.

These are seconds of processor time and bytes of memory that the operating system allows a process.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.certificate.check.budget import Budget
from prover.certificate.check.dominating import all_dominated
from tests.certificate import heavy
from tests.certificate.collapsing_samples import DELAY, exits
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path as Place
from tests.certificate.samples import certificate, encode
from tests.certificate.verdicts import edited

Json = Any
SECONDS, BYTES = 60, 2**30  # where this was written 1.5 s and 100 MB are the most
CHECK = Path(__file__).parents[2] / "prover" / "certificate" / "check"
PRIME = 2**61 - 1  # integers that differ by a multiple of it have one hash


def composition(laws: list[list[str]], times: int, *, upper: str = "1", **evidence: Json) -> Json:
    parts = {"parts": [{"laws": laws, "times": times}], "type": "composition", "version": 1}
    claim = {"alpha": "1", "kind": "composition", "lower": "0", "upper": upper}
    return certificate(claim, parts, {"parts": [{}], **evidence})


def tall(zeros: int) -> Json:
    """A ratio of a power of ten, a million times: its product has zeros · 1,000,000 digits."""
    below = 10**zeros
    laws = [["1", f"1/{below}"], ["0", f"{below - 1}/{below}"]]
    return composition(laws, 10**6, basis=["10"], work=9 * 10**9)


def wide_grid() -> Json:
    """Millions of powers of 220 digits."""
    laws = [["2697/2698", "1/2698"], ["1/2698", "2697/2698"]]
    grid = {"digits": 200, "steps": 10**6, "tail": "0", "work": 9 * 10**9}
    return composition(laws, 1, upper="2697/2698", grid=grid)


def star(variables: int) -> Json:
    """An order that puts many names below x and many others above y, which are no variables."""
    first = {"assign": ["x", "y"], "guard": [], "output": "a", "to": "q1"}
    cases = [
        {"assign": [], "guard": [[">=", "x"], ["<", "y"]], "output": "b", "to": "f"},
        {"assign": [], "guard": [["<", "x"]], "output": "c", "to": "f"},
    ]
    order = [[f"a{k:05}", "x"] for k in range(variables)] + [["y", f"b{k:05}"] for k in range(variables)]
    places: list[tuple[str, Json, list[int]]] = [
        ("q0", [], [2]),
        ("q1", sorted(order), [3, 3]),
        ("q1", [], [3, 3]),
        ("f", [], []),
    ]
    nodes = [
        {"by": [], "functions": [], "order": pairs, "state": name, "targets": targets}
        for name, pairs, targets in places
    ]
    claim = {"adjacency": "all-differ", "kind": "epsilon", "lower": "0", "upper": "inf"}
    return certificate(claim, program({"q0": state(first), "q1": state(*cases)}), {"nodes": nodes})


def far_input(*, again: bool) -> Json:
    """A word whose shifts may be any up to a large input; with ``again`` another step follows."""
    states = {"q0": state(transition("", "q1", assign=True))}
    states["q1"] = state(transition("<", "f", "b"), transition(">=", "f", "c"))
    steps = 1 + again
    word = {"delta": [1] * steps, "inputs": ["40000000"] * steps, "run": [0, 1][:steps]}
    word |= {"places": 1 + again, "shifts": ["40000000", "39999999"][:steps]}
    claim = {"adjacency": "all-differ", "kind": "epsilon", "loss": "observer", "lower": "0", "upper": "inf"}
    return certificate(claim, program(states), {"word": word})


def unread(variables: int, states: int) -> Json:
    """Two variables, and a circle of states that no run comes to, one of which tests many others."""
    found = json.loads(json.dumps(star(1)["model"]["states"]))
    names = [f"v{k:05}" for k in range(variables)]
    for k in range(states):
        tests = [["<", name] for name in names] if k == 0 else []
        case = {"assign": [], "guard": tests, "output": "o", "to": f"u{(k + 1) % states:05}"}
        found[f"u{k:05}"] = state(case)
    steps = [{"delta": 0, "multiplier": "0", "transition": 0}]
    blocks = {"blocks": [{"kind": "once", "steps": steps}]}
    return edited(star(0), {("model", "states"): found, ("evidence",): blocks})


def long_exits(digits: int) -> Json:
    """Exits of more than probability 1, with a long number."""
    return edited(DELAY, {("evidence", "collapsing", "merged", 0): exits(4, "1", [5, "9" * digits])})


def equal_hashes(states: int) -> Json:
    """Many states that go to the first one with probabilities of one hash, and elsewhere else."""
    chain: heavy.States = {heavy.name(k): ("a", {heavy.name(k): "1"}) for k in range(states)}
    chain[heavy.name(0)], chain["end"] = ("first", {"end": "1"}), ("end", {"end": "1"})
    for k in range(1, states):
        below = 2 + k * PRIME
        chain[heavy.name(k)] = "a", {heavy.name(0): f"1/{below}", "end": f"{below - 1}/{below}"}
    return {name: {"label": label, "next": row} for name, (label, row) in chain.items()}


def splitter(states: int) -> Json:
    claim = {
        "from": heavy.name(1),
        "kind": "bisimilarity",
        "scope": "pair",
        "to": heavy.name(2),
        "value": "1",
    }
    chain = {"states": equal_hashes(states), "type": "labelled-markov-chain", "version": 1}
    return certificate(claim, chain, {"splitters": [[1]]})


def splitter_of_process(states: int) -> Json:
    kind: dict[Place, Json] = {("model", "type"): "labelled-markov-decision-process"}
    return edited(splitter(states), kind)


def separator(states: int) -> Json:
    kernel: dict[Place, Json] = {("claim", "kind"): "kernel", ("claim", "alpha"): "6/5"}
    listed = {"related": [], "separators": [{"potentials": [[1, "1"]], "rank": 1}]}
    return edited(splitter(states), {**kernel, ("evidence",): listed})


def values(states: int) -> Json:
    """Rows of one state whose values have one hash."""
    rows = [{"pair": [0, k], "potentials": [], "value": str(1 + k * PRIME)} for k in range(1, states)]
    table = {"denominator": str(states * PRIME), "rows": rows}
    chain = {heavy.name(k): {"label": "a", "next": {heavy.name(k): "1"}} for k in range(states)}
    whole = {"states": chain, "type": "labelled-markov-chain", "version": 1}
    return certificate(heavy.pair(), whole, {"lower": table})


def ratios(number: int) -> Json:
    """Outcomes whose ratios have one hash, and whose probabilities are over one denominator."""
    above = [2 + k * PRIME for k in range(number)]
    whole = 2 * sum(above)
    laws = [[f"{n}/{whole}", f"1/{whole}"] for n in above]
    rest = [f"{sum(above)}/{whole}", f"{whole - number}/{whole}"]
    return composition([[lowest(x) for x in law] for law in (*laws, rest)], 1, basis=["2"], work=10**9)


def lowest(text: str) -> str:
    return str(Fraction(text))


def shared_tests(variables: int, turns: int) -> Json:
    """A word of a loop that tests many variables, each of which holds a sample of its own."""
    names = [f"v{k:03}" for k in range(variables)]
    states = {
        f"q{k:03}": state({"assign": [name], "guard": [], "output": "o", "to": f"q{k + 1:03}"})
        for k, name in enumerate(names)
    }
    last = f"q{variables:03}"
    tests = [[">=", name] for name in names]
    states[last] = state({"assign": [], "guard": tests, "output": "o", "to": last})
    steps = variables + turns
    run = [*range(variables), *[variables] * turns]
    word = {
        "delta": [0] * steps,
        "inputs": ["0"] * steps,
        "places": steps,
        "run": run,
        "shifts": ["0"] * steps,
    }
    claim = {"adjacency": "all-differ", "kind": "epsilon", "loss": "observer", "lower": "0", "upper": "inf"}
    return certificate(claim, program(states), {"word": word})


ENDS: Mapping[str, tuple[Callable[[], Json], str]] = {
    "a product of 30 million digits": (lambda: tall(30), "the work is more than the evidence declares"),
    "a product of a billion digits": (lambda: tall(1000), "the work is more than the evidence declares"),
    "millions of long powers": (wide_grid, "the memory exceeds the limit"),
    "an order of no variables": (lambda: star(15_000), "an order names something that is not a variable"),
    "a large input at the end": (lambda: far_input(again=False), "VERIFIED"),
    "a large input": (lambda: far_input(again=True), "more places are reached than the evidence declares"),
    "variables that are not reached": (lambda: unread(5000, 5000), "VERIFIED"),
    "long exits": (lambda: long_exits(1000), "the exits have a probability above 1"),
    "tests of many samples": (lambda: shared_tests(300, 1500), "the work exceeds the limit"),
    "equal hashes of shares": (lambda: splitter(12_000), "VERIFIED"),
    "equal hashes of shares of a process": (lambda: splitter_of_process(12_000), "VERIFIED"),
    "equal hashes of masses": (lambda: separator(20_000), "VERIFIED"),
    "equal hashes of values": (lambda: values(25_000), "they gain less than the value"),
    "equal hashes of ratios": (lambda: ratios(10_000), "a ratio is not a product of powers of the basis"),
}


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


@pytest.mark.family
@pytest.mark.parametrize("name", ENDS)
def test_it_ends_within_limits(tmp_path: Path, name: str) -> None:
    make, words = ENDS[name]
    file = tmp_path / "small.cert"
    file.write_bytes(encode(make()))
    ran = subprocess.run(
        [sys.executable, "-I", "-S", CHECK, file],
        capture_output=True,
        text=True,
        preexec_fn=limited,
        check=False,
    )
    assert words in ran.stdout, (ran.returncode, ran.stderr)
    assert ran.stdout.startswith("VERIFIED" if words == "VERIFIED" else "REJECTED")


class NoKey(int):
    """A number that is no key, because whoever writes a file can choose its hash."""

    __hash__ = None  # type: ignore[assignment]


def test_long_numbers_are_no_keys() -> None:
    assert Budget(0).denominator([NoKey(6), NoKey(4), NoKey(6)]) == 12
    one, two = (tuple(map(NoKey, triple)) for triple in ((1, 2, 3), (2, 2, 3)))
    assert all_dominated([one, one], [two])
    assert not all_dominated([two, two], [one])
