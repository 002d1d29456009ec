"""Claims about threshold programs, which `proofs/programs/` proves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from prover.certificate.coq.families import family_numbers, run_numbers
from prover.certificate.coq.model import plain
from prover.certificate.coq.parts import CoqNumbers, evidence, parts_of, reached, values
from prover.certificate.coq.runs import multipliers, run_of
from prover.certificate.coq.sentences import EVIDENCE, MODEL, TheoremTexts, defined, not_covered, theorem
from prover.certificate.coq.tokens import literal
from prover.certificate.coq.ways import letters_of, outputs_of, rates_of, variables_of

TESTS = {"<": "Below", "<=": "AtMost", ">=": "AtLeast", ">": "Above", "=": "Equal"}

ADJACENCIES = {
    "all-differ": "AllDiffer",
    "one-differ": "OneDiffers",
    "increasing": "Increasing",
    "decreasing": "Decreasing",
    "monotonic": "Monotonic",
}

HIDING = frozenset({"block", "extremes", "groups", "last", "merged", "quotient", "words"})
"""Evidence that uses what outputs hide."""


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

    @property
    def start(self) -> int:
        return self.states.index(self.model["initial"])


def program_theorems(whole: Mapping[str, Any]) -> tuple[list[str], TheoremTexts]:
    """`Model.v` and the theorem of a certificate that the checker has accepted.

    Raises NotSupported if the proofs do not cover its claim."""
    model, claim, sides = whole["model"], whole["claim"], whole["evidence"]
    _refuse(model, claim, sides)
    if claim["kind"] == "not-private":
        return _never(whole)
    grid, variables = grid_of(model), variables_in(model, model["states"])
    reach = int(Fraction(model.get("sensitivity", "1")) / grid)
    tested, counted = variables_in(model, reached(model)), counted_shifts(model, grid, reach)
    shifts = [Fraction(shift, reach) for shift in counted]
    parts = parts_of(whole, variables, tested[0], shifts) if claim["upper"] != "inf" else []
    run = run_of(model, sides["blocks"]) if _below(model, claim, sides) else []
    bounds = [Fraction(claim[key]) for key in ("lower", "upper") if claim[key] != "inf"]
    program = program_of(model, unit_of(model, [*bounds, *values(parts), *multipliers(run)]))
    texts, answers = [], []
    if parts:
        numbers = evidence(parts, counted, numbering_of(program))
        texts.append(defined("table", literal(numbers)))
        proof = "table_upper" if "noise" in model else "laplace_upper"
        answers.append(_bound(program, claim, "at_most", claim["upper"], f"{proof} {{}} {EVIDENCE}.table"))
    if run:
        texts.append(defined("run", literal(run_numbers(run, program.states, program.unit, program.grid))))
        answers.append(_bound(program, claim, "at_least", claim["lower"], f"run_lower {{}} {EVIDENCE}.run"))
    return list(model_text(program)), (texts, answers)


def _never(whole: Mapping[str, Any]) -> tuple[list[str], TheoremTexts]:
    """The theorem of a claim that a program is not private."""
    model, blocks = whole["model"], whole["evidence"]["blocks"]
    runs = (run_of(model, blocks, turns) for turns in (1, 2))
    program = program_of(model, unit_of(model, [number for run in runs for number in multipliers(run)]))
    said = f"{MODEL} {program.start}%N {ADJACENCIES[whole['claim']['adjacency']]}"
    answer = theorem(
        "never",
        "No number bounds the loss, whatever epsilon is.",
        f"proper {MODEL} /\\ not_private {said}",
        f"family_lower {said} {EVIDENCE}.family",
    )
    family = defined("family", literal(family_numbers(model, blocks, program.unit)))
    return list(model_text(program)), ([family], [answer])


def _below(model: Mapping[str, Any], claim: Mapping[str, Any], sides: Mapping[str, Any]) -> bool:
    """Whether the bound from below becomes a theorem."""
    return "noise" in model and "blocks" in sides and Fraction(claim["lower"]) > 0


def _bound(program: CoqProgram, claim: Mapping[str, Any], name: str, bound: str, proof: str) -> str:
    multiple = int(Fraction(bound) / program.unit)
    said = f"{MODEL} {program.start}%N {ADJACENCIES[claim['adjacency']]} {multiple}%Z"
    return theorem(
        name,
        f"The loss is {name.replace('_', ' ')} this multiple of the unit in Model.v, times epsilon.",
        f"proper {MODEL} /\\ {'' if 'noise' in program.model else 'Laplace.'}loss_{name} {said}",
        proof.format(said),
    )


def _refuse(model: Mapping[str, Any], claim: Mapping[str, Any], sides: Mapping[str, Any]) -> None:
    """What `proofs/programs` say nothing about."""
    if claim["kind"] not in ("epsilon", "not-private"):
        raise not_covered(f"claims about programs of kind {claim['kind']}")
    private = claim["kind"] == "epsilon"
    above = private and claim["upper"] != "inf"
    if sides.keys() & HIDING or ("word" in sides and not above):
        raise not_covered("outputs of programs that hide the run")
    refuse_model(model, claim)
    if private and not above and not _below(model, claim, sides):
        raise not_covered("the loss of a program with Laplace noise from below")
    if not private and "noise" not in model:
        raise not_covered("programs with Laplace noise that are not private")
    if sides.keys() & {"parts"} and claim["adjacency"] == "monotonic":
        own = [[Fraction(part["upper"]) for part in parts] for parts in sides["parts"].values()]
        if len({len(bounds) for bounds in own}) > 1 or sum(map(max, *own)) > Fraction(claim["upper"]):
            raise not_covered("parts that differ between increasing and decreasing inputs")


def refuse_model(model: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    """Programs that `proofs/programs/Program.v` does not define."""
    states = model["states"].values()
    ways = [way for state in states for way in state["transitions"]]
    rates = [state.get(key) for state in states for key in ("rate", "rate_left", "rate_prime", "rate_right")]
    if "inputs" in model:
        raise not_covered("inputs of programs that are not rounded to the grid")
    if "unit" in claim or "open" in model or any(isinstance(rate, list) for rate in rates):
        raise not_covered("programs with rates that are open or real")
    if any("registers" in way or "seen" in way for way in ways) or any("center" in state for state in states):
        raise not_covered("programs with registers, or with outputs that are not seen as they are")


def unit_of(model: Mapping[str, Any], losses: Iterable[Fraction]) -> Fraction:
    numbers = [*finite_rates(model), *losses]
    return Fraction(1, lcm(*(number.denominator for number in numbers)))


def finite_rates(model: Mapping[str, Any]) -> Sequence[Fraction]:
    """The rates for one step of the grid."""
    states, grid = model["states"], grid_of(model)
    return [Fraction(rate) * grid for name in states for rate in rates_of(states[name]) if rate != "inf"]


def program_of(model: Mapping[str, Any], unit: Fraction) -> CoqProgram:
    """The program, with rates as multiples of a unit."""
    states, grid = model["states"], grid_of(model)
    ways = [way for name in sorted(states) for way in states[name]["transitions"]]
    return CoqProgram(
        model=model,
        states=[*sorted(states), *sorted({way["to"] for way in ways} - states.keys())],
        letters=sorted({letter for way in ways for letter in letters_of(way)}),
        variables=variables_in(model, states),
        unit=unit,
        grid=grid,
        reach=int(Fraction(model.get("sensitivity", "1")) / grid),
    )


def numbering_of(program: CoqProgram) -> CoqNumbers:
    states, variables = (
        {name: i for i, name in enumerate(names)} for names in (program.states, program.variables)
    )
    return CoqNumbers(states, variables, program.unit, program.reach)


def grid_of(model: Mapping[str, Any]) -> Fraction:
    """The unit of lengths: the grid, or for Laplace noise one of which all sensitivities are multiples."""
    if "noise" in model:
        return Fraction(model.get("grid", "1"))
    sensitivities = [own["sensitivity"] for own in (model, *model["states"].values()) if "sensitivity" in own]
    return Fraction(1, lcm(*(Fraction(sensitivity).denominator for sensitivity in sensitivities)))


def variables_in(model: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Those that the transitions of some states name."""
    ways = [way for name in names if name in model["states"] for way in model["states"][name]["transitions"]]
    return sorted({variable for way in ways for variable in variables_of(way)})


def counted_shifts(model: Mapping[str, Any], grid: Fraction, reach: int) -> Sequence[int]:
    """0 and, in both directions, how much inputs may differ at each state."""
    own = [model["states"][name] for name in reached(model) if name in model["states"]]
    ends = {reads_of(state, grid, reach) for state in own} - {0}
    if not ends or all("sensitivity" not in state for state in own):
        ends = {reach}
    return sorted({0, *ends, *(-end for end in ends)})


def reads_of(state: Mapping[str, Any], grid: Fraction, reach: int) -> int:
    if not state["input"]:
        return 0
    return int(Fraction(state["sensitivity"]) / grid) if "sensitivity" in state else reach


def model_text(program: CoqProgram) -> Iterator[str]:
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
    reads = reads_of(state, program.grid, program.reach)
    yield f"  (* {i}  {plain(name)} *)"
    yield f"  {{| reads := {reads}%Z; rate_left := {left}; rate_right := {right};"
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
