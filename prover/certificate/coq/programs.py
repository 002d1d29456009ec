"""Claims about threshold programs, which `proofs/programs/` proves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from prover.certificate.coq.model import plain
from prover.certificate.coq.runs import multipliers, run_numbers, run_of
from prover.certificate.coq.sentences import EVIDENCE, MODEL, TheoremTexts, defined, theorem
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.ways import letters_of, outputs_of, rates_of, variables_of
from prover.errors import NotSupported

TESTS = {"<": "Below", "<=": "AtMost", ">=": "AtLeast", ">": "Above", "=": "Equal"}

ADJACENCIES = {
    "all-differ": "AllDiffer",
    "one-differ": "OneDiffers",
    "increasing": "Increasing",
    "decreasing": "Decreasing",
    "monotonic": "Monotonic",
}

MODES = {
    "all-differ": (0,),
    "one-differ": (3, 4),
    "increasing": (1,),
    "decreasing": (2,),
    "monotonic": (1, 2),
}
"""Of `proofs/programs/Claims.v`, one for each table."""

Functions = Mapping[str, Sequence[Sequence[str]]]
"""Of some states, as certificates have them."""


@dataclass(frozen=True, slots=True)
class CoqProgram:
    """The program of a certificate, with numbers for names, and rates and lengths as integers.

    Rates are multiples of the unit, and inputs and means of the grid; neighbouring inputs differ by at most
    `reach` steps of the grid, where a state has no sensitivity of its own."""

    model: Mapping[str, Any]
    states: Sequence[str]
    letters: Sequence[str]
    variables: Sequence[str]
    unit: Fraction
    grid: Fraction
    reach: int
    reached: frozenset[str]

    @property
    def start(self) -> int:
        return self.states.index(self.model["initial"])


def not_covered(what: str) -> NotSupported:
    return NotSupported(f"the proofs in Coq do not cover {what}", code="not-in-coq")


def program_theorems(whole: Mapping[str, Any]) -> tuple[list[str], TheoremTexts]:
    """`Model.v` and the theorem of a certificate that the checker has accepted.

    Raises NotSupported if the proofs do not cover its claim."""
    model, claim, evidence = whole["model"], whole["claim"], whole["evidence"]
    _refuse(model, claim, evidence)
    below = "noise" in model and Fraction(claim["lower"]) > 0
    tables = _tables(evidence["table"], claim["adjacency"]) if claim["upper"] != "inf" else []
    run = run_of(model, evidence["blocks"]) if below else []
    values = [v for t in tables for fs in t.values() for f in fs for v in f if v != "inf"]
    bounds = [claim[key] for key in ("lower", "upper") if claim[key] != "inf"]
    program = _read(model, [*map(Fraction, (*bounds, *values)), *multipliers(run)])
    texts, answers = [], []
    if tables:
        texts.append(defined("table", literal(_numbers(program, tables, MODES[claim["adjacency"]]))))
        proof = "table_upper" if "noise" in model else "laplace_upper"
        answers.append(_bound(program, claim, "at_most", claim["upper"], f"{proof} {{}} {EVIDENCE}.table"))
    if run:
        texts.append(defined("run", literal(run_numbers(run, program.states, program.unit, program.grid))))
        answers.append(_bound(program, claim, "at_least", claim["lower"], f"run_lower {{}} {EVIDENCE}.run"))
    return list(_text(program)), (texts, answers)


def _bound(program: CoqProgram, claim: Mapping[str, Any], name: str, bound: str, proof: str) -> str:
    multiple = int(Fraction(bound) / program.unit)
    said = f"{MODEL} {program.start}%N {ADJACENCIES[claim['adjacency']]} {multiple}%Z"
    return theorem(
        name,
        f"The loss is {name.replace('_', ' ')} this multiple of the unit in Model.v, times epsilon.",
        f"proper {MODEL} /\\ {'' if 'noise' in program.model else 'Laplace.'}loss_{name} {said}",
        proof.format(said),
    )


def _refuse(model: Mapping[str, Any], claim: Mapping[str, Any], evidence: Mapping[str, Any]) -> None:
    """What `proofs/programs` say nothing about."""
    states = model["states"].values()
    ways = [way for state in states for way in state["transitions"]]
    if claim["kind"] != "epsilon":
        raise not_covered(f"claims about programs of kind {claim['kind']}")
    if "word" in evidence:
        raise not_covered("outputs of programs that hide the run")
    if "inputs" in model:
        raise not_covered("inputs of programs that are not rounded to the grid")
    if "unit" in claim or "open" in model:
        raise not_covered("programs with rates that are open or real")
    if any("registers" in way or "seen" in way for way in ways) or any("center" in state for state in states):
        raise not_covered("programs with registers, or with outputs that are not seen as they are")
    if claim["upper"] == "inf" and ("noise" not in model or Fraction(claim["lower"]) == 0):
        raise not_covered("the loss of a program with Laplace noise from below")
    if claim["upper"] != "inf" and "table" not in evidence:
        raise not_covered("programs with several variables")


def _tables(table: Any, adjacency: str) -> list[Functions]:
    """One table for each mode of the adjacency."""
    if adjacency == "monotonic":
        return [table["increasing"], table["decreasing"]]
    if adjacency == "one-differ":
        return [{name: lists[key] for name, lists in table.items()} for key in ("unused", "used")]
    return [table]


def _read(model: Mapping[str, Any], values: Iterable[Fraction]) -> CoqProgram:
    states = model["states"]
    grid = _grid(model)
    ways = [way for name in sorted(states) for way in states[name]["transitions"]]
    rates = [Fraction(rate) * grid for state in states.values() for rate in rates_of(state) if rate != "inf"]
    reached = _reached(model)
    live = {
        v
        for name in reached & states.keys()
        for way in states[name]["transitions"]
        for v in variables_of(way)
    }
    others = {v for way in ways for v in variables_of(way)} - live
    return CoqProgram(
        model=model,
        states=[*sorted(states), *sorted({way["to"] for way in ways} - states.keys())],
        letters=sorted({letter for way in ways for letter in letters_of(way)}),
        variables=[*sorted(live), *sorted(others)],
        unit=Fraction(1, lcm(*(number.denominator for number in (*rates, *values)))),
        grid=grid,
        reach=int(Fraction(model.get("sensitivity", "1")) / grid),
        reached=reached,
    )


def _grid(model: Mapping[str, Any]) -> Fraction:
    """The unit of lengths: the grid, or for Laplace noise one of which all sensitivities are multiples."""
    if "noise" in model:
        return Fraction(model.get("grid", "1"))
    sensitivities = [own["sensitivity"] for own in (model, *model["states"].values()) if "sensitivity" in own]
    return Fraction(1, lcm(*(Fraction(sensitivity).denominator for sensitivity in sensitivities)))


def _reached(model: Mapping[str, Any]) -> frozenset[str]:
    """The initial state, and where transitions lead to from there."""
    found = [model["initial"]]
    for name in found:
        ways = model["states"][name]["transitions"] if name in model["states"] else []
        found.extend(dict.fromkeys(way["to"] for way in ways if way["to"] not in found))
    return frozenset(found)


def _numbers(program: CoqProgram, tables: Sequence[Functions], modes: Sequence[int]) -> Iterator[int]:
    """The shifts that count, and for each mode the functions of each state, in multiples of the unit."""
    counted = _counted(program)
    yield from listed([shift] for shift in counted)
    yield from listed(
        [mode, *listed(_functions(program, counted, name, table) for name in sorted(program.model["states"]))]
        for mode, table in zip(modes, tables, strict=True)
    )


def _counted(program: CoqProgram) -> Sequence[int]:
    """0 and, in both directions, how much inputs may differ at each state."""
    own = [program.model["states"][name] for name in program.reached & program.model["states"].keys()]
    ends = {_reads(program, state) for state in own} - {0} or {program.reach}
    if all("sensitivity" not in state for state in own):
        ends = {program.reach}
    return sorted({0, *ends, *(-end for end in ends)})


def _reads(program: CoqProgram, state: Mapping[str, Any]) -> int:
    if not state["input"]:
        return 0
    return int(Fraction(state["sensitivity"]) / program.grid) if "sensitivity" in state else program.reach


def _functions(program: CoqProgram, counted: Sequence[int], name: str, table: Functions) -> Iterator[int]:
    """Those of a state that is reached: finite numbers, by their shifts. At the start, where nothing is
    stored, a function is as good as its least number."""
    if name not in program.reached:
        yield -1
        return
    functions = table.get(name, [])
    if name == program.model["initial"]:
        functions = [[str(min(Fraction(v) for v in f if v != "inf"))] * len(counted) for f in functions]
    yield from listed(
        listed(
            [shift, int(Fraction(value) / program.unit)]
            for shift, value in zip(counted, function, strict=True)
            if value != "inf"
        )
        for function in functions
    )


def _text(program: CoqProgram) -> Iterator[str]:
    """`Model.v`, line by line."""
    yield "(** The program. States, letters and variables have numbers; in names, what is not a letter, a"
    yield "    digit or one of _.- is written %XX, by its bytes in UTF-8. The states listed here are final. A"
    yield "    transition without a letter has the number after the last one."
    yield ""
    yield f"    Rates are multiples of {program.unit}, and lengths of {program.grid}."
    yield ""
    first = len(program.model["states"])
    for what, names, number in (
        ("letter", program.letters, 0),
        ("variable", program.variables, 0),
        ("state", program.states[first:], first),
    ):
        yield f"    {what}  name"
        yield from (f"    {i}  {plain(name)}" for i, name in enumerate(names, number))
    yield "*)"
    yield "From Coq Require Import List NArith ZArith QArith."
    yield "From Prover.programs Require Import Program."
    yield "Import ListNotations."
    yield "Open Scope Q_scope."
    yield ""
    yield "Definition model : program := ["
    for i, name in enumerate(program.states[:first]):
        yield from _state(program, i, name)
    yield "]."


def _state(program: CoqProgram, i: int, name: str) -> Iterator[str]:
    state = program.model["states"][name]
    left, right, *prime = (_rate(program, rate) for rate in rates_of(state))
    mean, *mean_prime = (
        "({}#{})".format(*(Fraction(mean) / program.grid).as_integer_ratio())
        for mean in (state["mean"], state["mean_prime"])
        if mean is not None
    )
    second = f"Some ({prime[0].removeprefix('Some ')}, {mean_prime[0]})" if prime else "None"
    yield f"  (* {i}  {plain(name)} *)"
    yield f"  {{| reads := {_reads(program, state)}%Z; rate_left := {left}; rate_right := {right};"
    yield f"     mean := {mean}; second := {second}; ways := ["
    ways = state["transitions"]
    for way in ways:
        yield f"    {{| {_way(program, way)} |}}" + ";" * (way is not ways[-1])
    yield "  ] |}" + ";" * (i + 1 < len(program.model["states"]))


def _rate(program: CoqProgram, rate: str) -> str:
    return "None" if rate == "inf" else f"Some {int(Fraction(rate) * program.grid / program.unit)}%Z"


def _way(program: CoqProgram, way: Mapping[str, Any]) -> str:
    def number(variable: str) -> str:
        return f"{program.variables.index(variable)}%N"

    guard = "; ".join(f"({TESTS[test]}, {number(v)})" for test, v in way["guard"])
    shown = []
    for output in outputs_of(way):
        if isinstance(output, dict):
            shown.append(f"Gap {number(output['gap'])}")
        elif output in ("insample", "insampleprime"):
            shown.append("Sample" if output == "insample" else "Second")
    letter = next((program.letters.index(name) for name in letters_of(way)), len(program.letters))
    return (
        f"guard := [{guard}]; stores := [{'; '.join(map(number, way['assign']))}]; letter := {letter}%N; "
        f"shows := [{'; '.join(shown)}]; target := {program.states.index(way['to'])}%N"
    )
