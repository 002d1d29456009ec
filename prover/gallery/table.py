"""The gallery for people and machines: a table, single mechanisms in full, and a JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from textwrap import wrap
from typing import Any

from prover.exact.rational import (
    format_rational,
    rational_or_inf,
    rational_or_null,
    round_outward,
    scientific_text,
)
from prover.exact.readable import multiple
from prover.formats.identity import identity
from prover.gallery.index import NOT_PRIVATE, GalleryEntry, Independent, LibraryInputs
from prover.gallery.library import versions
from prover.gallery.proving import ComparisonForEvery, Proved
from prover.gallery.replayed import asked_line, ran_json, ran_lines
from prover.gallery.replaying import Ran
from prover.program.answer import Privacy
from prover.program.attack.probability import Loss
from prover.program.counted.privacy import OpenCount, multiple_of_count
from prover.program.model import Program
from prover.program.noise import INFINITE, Rate
from prover.report.counts import counts_json, found_lines, proved_lines
from prover.report.event import attack_json, attack_lines
from prover.report.reply import Reply
from prover.report.tables import aligned

_WIDTH = 100
_DIGITS = 7
_DECIMALS = 12

_COMPARED = {
    "same": "as declared",
    "less": "less than declared",
    "more": "more than declared",
    "open": "not decided",
    "same-or-less": "as declared or less",
    "differs": "other than declared",
}


def reply_of(
    rows: Sequence[Proved], total: int, *, full: bool, certified: bool, ran: Mapping[str, Ran] | None = None
) -> Reply:
    """What ``prover gallery`` says of the rows that are proved by now, of ``total``.

    ``full`` are all facts about each mechanism, in place of a table; ``certified`` that the certificate of
    the only one is wanted. ``ran`` is what installed libraries said and showed, by the names of mechanisms.
    """
    ran = ran or {}
    complete = len(rows) == total
    parts = [_in_full(row, ran.get(row.entry.name)) for row in rows] if full else [_table(rows, ran)]
    exact = complete and all(row.lower == row.upper and row.compared_for_every != "open" for row in rows)
    proof = rows[0].certificates[0] if certified and rows and rows[0].certificates else None
    return Reply(
        text="\n\n".join(parts) if rows else "nothing is proved yet",
        json={
            "complete": complete,
            "mechanisms": [{**_json(row), **ran_json(ran.get(row.entry.name))} for row in rows],
        },
        certificate=None if proof is None else proof.data,
        exact=exact,
        refuted=not all(one.agrees for one in ran.values()),
        obstacle="some number is enclosed, or some formula not found" if complete else "the time is up",
        checked=round(sum(row.seconds for row in rows), 3),
    )


def rates(row: Proved) -> str:
    """The rates of a program's states, in the order in which runs come to them, each only once."""
    if not isinstance(row.model, Program):
        return "-"
    states = row.model.states
    order = dict.fromkeys([row.model.initial, *states])
    return ", ".join(dict.fromkeys(_rate(*states[name].rates) for name in order))


def number(row: Proved) -> str:
    """The number that is proved, or the interval."""
    if row.lower == row.upper:
        return NOT_PRIVATE if row.lower is None else format_rational(row.lower)
    return f"{rational_or_inf(row.lower)} to {rational_or_inf(row.upper)}".replace("inf", "∞")


def declared(row: Proved) -> str:
    """The number that the library states, or that the mechanism is not private."""
    return NOT_PRIVATE if row.entry.declared is None else format_rational(row.entry.declared)


def compared(row: Proved) -> str:
    """How both compare, in words."""
    return _words(row, row.compared)


def _words(row: Proved, found: ComparisonForEvery) -> str:
    if row.entry.declared is None and found == "less":
        return "private, not as declared"
    return _COMPARED[found]


def for_every(row: Proved) -> tuple[str, str, str] | None:
    """What is declared for every count, what is proved, and how both compare; None without a count."""
    listed, found, how = row.entry.every, row.every, row.compared_for_every
    if listed is None or found is None or how is None:
        return None
    unit = row.entry.unit
    exact = "no formula" if found.formula is None else f"exactly {found.losses(found.formula, unit)}"
    if listed.constant is None or listed.each is None:
        return NOT_PRIVATE, exact, _words(row, how)
    return multiple_of_count(listed.constant, listed.each, listed.count, unit), exact, _words(row, how)


def about_every(found: OpenCount, unit: str) -> list[str]:
    """What is proved of a count, and at which counts the number was found one by one."""
    return [*found_lines(found, unit), *proved_lines(found)]


def concerned(entry: GalleryEntry) -> str:
    """The versions of the library that the row is about, in words."""
    return entry.versions if entry.library is None else versions(entry.library)


def independent(row: Proved, found: Independent) -> str:
    """The second number, and what it is a number of."""
    of = row.entry.unit if row.measured is None else f"loss of the run, with {row.entry.unit} = 1"
    return f"{found.written} ({of}): {found.how}"


def code_line(inputs: LibraryInputs) -> str:
    """What is said before the code of two inputs."""
    return f"Two inputs as code for the library, in {inputs.language}:"


def _in_unit(row: Proved, value: Fraction | None) -> str:
    """A number of the row in its unit."""
    if value is None:
        return NOT_PRIVATE
    if row.entry.alpha is not None:
        return f"δ = {format_rational(value)} at e^ε = {format_rational(row.entry.alpha)}"
    unit = row.entry.unit
    return multiple(value, unit) if isinstance(row.model, Program) else f"{unit} = {format_rational(value)}"


def _proved(row: Proved) -> str:
    if row.lower == row.upper:
        return NOT_PRIVATE if row.lower is None else f"exactly {_in_unit(row, row.lower)}"
    above = "no upper bound" if row.upper is None else f"at most {_in_unit(row, row.upper)}"
    return f"at least {_in_unit(row, row.lower)}, {above}"


def _rate(left: Rate, right: Rate) -> str:
    if left == right:
        return _number(left)
    return f"{_number(left)} | {_number(right)}"


def _number(rate: Rate) -> str:
    return "∞" if rate == INFINITE else format_rational(rate)


def _table(rows: Sequence[Proved], ran: Mapping[str, Ran]) -> str:
    heading = ("mechanism", "adjacency", "unit", "rates", "declared", "exact", "")
    cells = [
        (
            row.entry.name,
            "-" if row.entry.adjacency is None else str(row.entry.adjacency),
            row.entry.unit,
            rates(row),
            declared(row),
            number(row),
            compared(row),
        )
        for row in rows
    ]
    verified = sum(bool(row.verified) for row in rows)
    lines = aligned([heading, *cells])
    lines += [
        "",
        "Where there is an adjacency, rates and losses are multiples of the unit; rates to the left and to "
        "the right that differ are separated by |. Elsewhere the unit is what the numbers are.",
    ]
    lines += [f"Certificates verified: {verified} of {len(rows)}."]
    every = [(row.entry.name, *found) for row in rows if (found := for_every(row)) is not None]
    if every:
        lines.append(
            "Formulas in a count, with verified certificates; prover gallery NAME says for which program:"
        )
        lines += [f"{name}: {exact}, {how}." for name, _, exact, how in every]
    lines += [
        _difference(row, row.measured) for row in rows if row.measured is not None and row.compared != "same"
    ]
    lines += [
        f"{row.entry.name}: {asked_line(row.entry, ran[row.entry.name])}"
        for row in rows
        if row.entry.name in ran
    ]
    return "\n".join(lines)


def _difference(row: Proved, lost: Loss) -> str:
    """The loss that is measured, in a line; ``prover gallery NAME`` shows the inputs."""
    measured = scientific_text(lost.loss[0], _DIGITS)
    return f"{row.entry.name}: with {row.entry.unit} = 1, a run on two neighbouring inputs loses {measured}."


def _in_full(row: Proved, ran: Ran | None) -> str:
    entry = row.entry
    lines = [
        entry.title,
        f"Source: {entry.repository}, {entry.file},",
        f"        as of commit {entry.commit}, line {entry.line}:",
        f"        {entry.quote}",
    ]
    lines += wrap(f"Versions: {concerned(entry)}", _WIDTH)
    lines += wrap(entry.parameters, _WIDTH)
    lines += wrap(f"Declared: {_in_unit(row, entry.declared)}. {entry.claim}", _WIDTH)
    neighbours = "" if entry.adjacency is None else f", adjacency {entry.adjacency}"
    lines.append(f"Proved:   {_proved(row)} ({compared(row)}){neighbours}")
    if isinstance(row.model, Program):
        lines.append(f"Rates:    {rates(row)}, as multiples of {entry.unit}")
    lines += wrap(entry.note, _WIDTH)
    if entry.independent is not None:
        lines += wrap(f"Independent number: {independent(row, entry.independent)}", _WIDTH)
    lines += wrap(f"Reported: {entry.reported}", _WIDTH) if entry.reported else []
    lines += [f"VERIFIED {claim}" for claim in row.verified] or ["There is no certificate."]
    if (every := for_every(row)) is not None and row.every is not None:
        formula, exact, how = every
        lines += wrap(f"For every {row.every.name}: declared {formula}; proved {exact} ({how}).", _WIDTH)
        lines += [part for line in about_every(row.every, entry.unit) for part in wrap(line, _WIDTH)]
        lines += [f"VERIFIED {row.verified_every}"] if row.verified_every else []
    if row.measured is not None:
        lines += ["", *_inputs(row, row.measured)]
    if row.attack is not None:
        lines += ["", *attack_lines(row.attack)]
    if entry.inputs is not None:
        lines += ["", code_line(entry.inputs), *entry.inputs.code.splitlines()]
    if ran is not None:
        lines += ["", *ran_lines(entry, ran)]
    return "\n".join(lines)


def _inputs(row: Proved, lost: Loss) -> list[str]:
    """Both inputs side by side, with the probabilities of the run on each."""
    cells = [
        (step.output, format_rational(step.input), format_rational(step.neighbour), str(step.turns))
        for step in row.entry.steps
    ]
    return [
        f"A run on two neighbouring inputs, with {row.entry.unit} = 1:",
        *aligned([("output", "input", "neighbour", "turns"), *cells]),
        *measured_lines(lost),
    ]


def measured_lines(lost: Loss) -> list[str]:
    """The probabilities of a run on both inputs, and what it loses."""
    one, other, loss = (
        scientific_text(low, _DIGITS) for low, _ in (lost.probability, lost.other_probability, lost.loss)
    )
    return [
        f"P[this run | input]     = {one}",
        f"P[this run | neighbour] = {other}",
        f"The loss, ln of their ratio, is {loss}.",
    ]


def _json(row: Proved) -> dict[str, Any]:
    entry, program = row.entry, isinstance(row.model, Program)
    return {
        "name": entry.name,
        "title": entry.title,
        "source": {
            "repository": entry.repository,
            "file": entry.file,
            "line": entry.line,
            "commit": entry.commit,
            "quote": entry.quote,
            "address": entry.address,
        },
        "library": None if entry.library is None else asdict(entry.library),
        "versions": concerned(entry) or None,
        "question": entry.question,
        "adjacency": None if entry.adjacency is None else str(entry.adjacency),
        "alpha": rational_or_null(entry.alpha),
        "unit": entry.unit,
        "rates": rates(row) if program else None,
        "declared": rational_or_inf(entry.declared),
        "claim": entry.claim,
        "note": entry.note,
        "reported": entry.reported or None,
        "epsilon": rational_or_null(row.value) if program else None,
        "value": rational_or_null(row.value),
        "lower": rational_or_inf(row.lower),
        "upper": rational_or_inf(row.upper),
        "compared": row.compared,
        "assumption": row.answer.assumption if isinstance(row.answer, Privacy) else None,
        "program": identity(row.model),
        "verified": row.verified[0] if row.verified else None,
        "verified_lower": row.verified[1] if len(row.verified) > 1 else None,
        "attack": None if row.measured is None else _attack(row, row.measured),
        "every": None if row.every is None else _every_json(row, row.every),
        "event": None if row.attack is None else attack_json(row.attack),
        "inputs": None if entry.inputs is None else asdict(entry.inputs),
        "independent": None
        if entry.independent is None
        else {
            "how": entry.independent.how,
            "number": rational_or_null(entry.independent.number),
            "error": rational_or_null(entry.independent.error),
        },
    }


def _every_json(row: Proved, found: OpenCount) -> dict[str, Any]:
    listed, answered = row.entry.every, counts_json(found)
    declared = None
    if listed is not None and listed.constant is not None and listed.each is not None:
        declared = {"constant": format_rational(listed.constant), "each": format_rational(listed.each)}
    keys = ("count", "formula", "divided", "values", "repeated", "reason")
    return {
        **{key: answered[key] for key in keys},
        "declared": declared,
        "compared": row.compared_for_every,
        "verified": row.verified_every,
    }


def _attack(row: Proved, lost: Loss) -> dict[str, Any]:
    """The run as stretches of equal steps, and rational bounds of its loss where the unit is 1."""
    return {
        "steps": [
            {
                "output": step.output,
                "input": format_rational(step.input),
                "neighbour": format_rational(step.neighbour),
                "turns": step.turns,
            }
            for step in row.entry.steps
        ],
        "loss": [format_rational(bound) for bound in round_outward(*lost.loss, _DECIMALS)],
    }
