"""Claims about what an observer sees of a threshold program whose outputs hide the run: by groups of runs,
and by last steps, as `proofs/programs/Last.v` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.certificate.coq.groups import LONGEST, TESTS, levels, ways_of
from prover.certificate.coq.parts import MODES, CoqPart, Fields, node_numbers, reached, values
from prover.certificate.coq.programs import (
    ADJACENCIES,
    HIDING,
    CoqProgram,
    counted_shifts,
    grid_of,
    model_text,
    numbering_of,
    program_of,
    refuse_model,
    unit_of,
)
from prover.certificate.coq.sentences import EVIDENCE, MODEL, TheoremTexts, defined, not_covered, theorem
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.ways import numbers_of, rates_of


def hides(whole: Mapping[str, Any]) -> bool:
    """Whether the evidence of an accepted certificate is about groups of runs, or last steps."""
    return bool(whole["evidence"].keys() & HIDING) and whole["evidence"].keys() <= {"groups", "last", "word"}


def observer_theorems(whole: Mapping[str, Any]) -> tuple[list[str], TheoremTexts]:
    """`Model.v` and the theorem of a certificate that the checker has accepted.

    Raises NotSupported if the proofs do not cover its claim."""
    model, claim = whole["model"], whole["claim"]
    refuse_model(model, claim)
    if any(isinstance(o, dict) for state in model["states"].values() for o in _shown(state)):
        raise not_covered("gaps that are shown by programs whose outputs hide the run")
    key = "groups" if "groups" in whole["evidence"] else "last"
    tables = _tables(whole) if key == "last" else {}
    losses = values([CoqPart((), Fraction(claim["upper"]), tables)])
    program = program_of(model, unit_of(model, losses))
    evidence = _last(program, tables) if key == "last" else levels(program, whole)
    if "noise" not in model:
        evidence = iter([*_variables(program), *evidence])
    return list(model_text(program)), ([defined(key, literal(evidence))], [_bound(program, claim, key)])


def _bound(program: CoqProgram, claim: Fields, key: str) -> str:
    adjacency, multiple = ADJACENCIES[claim["adjacency"]], int(Fraction(claim["upper"]) / program.unit)
    said = f"{MODEL} {program.start}%N {adjacency} {multiple}%Z"
    word = "seen_loss_at_most" if "noise" in program.model else "LaplaceObserver.seen_loss_at_most"
    return theorem(
        "at_most",
        "The loss of the observer is at most this multiple of the unit in Model.v, times epsilon.",
        f"proper {MODEL} /\\ {word} {said}",
        f"{key}_upper {said} {EVIDENCE}.{key}",
    )


def _shown(state: Fields) -> Iterator[Any]:
    return (output for way in state["transitions"] for output in numbers_of(way))


def _variables(program: CoqProgram) -> Iterator[int]:
    """For each state the variables that are assigned on every path to it, and all where there is no path.

    Raises NotSupported where a sample has no noise."""
    model, number = program.model, program.variables.index
    known = {name: {*program.variables} for name in program.states}
    known[model["initial"]] = set()
    names = reached(model)
    while True:
        before = {name: set(own) for name, own in known.items()}
        for name in names:
            for way in model["states"].get(name, {"transitions": []})["transitions"]:
                known[way["to"]] &= known[name] | {*way["assign"]}
        if known == before:
            break
    if any(rates_of(state)[:2] == ["inf", "inf"] for state in model["states"].values()):
        raise not_covered("samples without noise in programs with Laplace noise whose outputs hide the run")
    states = program.states[: len(model["states"])]
    yield from listed(listed([number(v)] for v in sorted(known[name])) for name in states)


def _tables(whole: Fields) -> Mapping[int, Sequence[Fields]]:
    """The nodes for each mode, each with its sets."""
    last, modes = whole["evidence"]["last"], MODES[whole["claim"]["adjacency"]]
    found = {mode: last[way] if way else last for way, mode in modes.items()}
    return {
        mode: [
            {**node, "sets": [own for own in table["sets"] if own["node"] == k]}
            for k, node in enumerate(table["nodes"])
        ]
        for mode, table in found.items()
    }


def _last(program: CoqProgram, tables: Mapping[int, Sequence[Fields]]) -> Iterator[int]:
    """The shifts that count, and for each mode the nodes with their endings."""
    model, numbering = program.model, numbering_of(program)
    yield from listed([shift] for shift in counted_shifts(model, grid_of(model), program.reach))
    numbers: dict[str, list[int]] = {}
    for i, (name, _) in enumerate(ways_of(program)):
        numbers.setdefault(name, []).append(i)
    yield len(tables)
    for mode, nodes in tables.items():
        yield mode
        yield len(nodes)
        for k, node in enumerate(nodes):
            sets = node["sets"]
            if len({v for way in _leaving(model, node) for _, v in way["guard"]}) >= LONGEST:
                raise not_covered(f"last steps that test {LONGEST} variables or more")
            yield from node_numbers(node, k == 0, numbering)
            place = {i: number for number, own in enumerate(sets) for i in own["transitions"]}
            yield from listed([place.get(i, len(sets))] for i in numbers.get(node["state"], []))
            yield from listed(
                listed([TESTS[test], numbering.variables[v]] for test, v in own["tests"]) for own in sets
            )


def _leaving(model: Fields, node: Fields) -> Sequence[Fields]:
    state = model["states"].get(node["state"])
    return state["transitions"] if state else []
