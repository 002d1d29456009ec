"""The gallery for people and machines: a table, single mechanisms in full, and a JSON object."""

from __future__ import annotations

from collections.abc import Sequence
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
from prover.gallery.proving import Proved
from prover.program.attack.probability import Loss
from prover.program.noise import INFINITE, Rate
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
}


def reply_of(rows: Sequence[Proved], total: int, *, full: bool, certified: bool) -> Reply:
    """What ``prover gallery`` says of the rows that are proved by now, of ``total``.

    ``full`` are all facts about each mechanism, in place of a table; ``certified`` that the certificate of
    the only one is wanted.
    """
    complete = len(rows) == total
    parts = [_in_full(row) for row in rows] if full else [_table(rows)]
    exact = complete and all(row.answer.epsilon is not None for row in rows)
    proof = rows[0].certificate if certified and rows else None
    return Reply(
        text="\n\n".join(parts) if rows else "nothing is proved yet",
        json={"complete": complete, "mechanisms": [_json(row) for row in rows]},
        certificate=None if proof is None else proof.data,
        exact=exact,
        obstacle="the loss of some mechanism is known only as an interval" if complete else "the time is up",
    )


def rates(row: Proved) -> str:
    """The rates of the program's states, in the order in which runs come to them, each only once."""
    states = row.program.states
    order = dict.fromkeys([row.program.initial, *states])
    return ", ".join(dict.fromkeys(_rate(*states[name].rates) for name in order))


def loss(row: Proved) -> str:
    """The exact loss, or the interval that is proved."""
    answer = row.answer
    if answer.epsilon is not None:
        return format_rational(answer.epsilon)
    return f"{rational_or_inf(answer.lower)} to {rational_or_inf(answer.upper)}".replace("inf", "∞")


def _proved(row: Proved) -> str:
    answer, unit = row.answer, row.entry.unit
    if answer.epsilon is not None:
        return f"exactly {multiple(answer.epsilon, unit)}"
    return f"{multiple(answer.lower, unit)} to {multiple(answer.upper, unit)}"


def _rate(left: Rate, right: Rate) -> str:
    if left == right:
        return _number(left)
    return f"{_number(left)} | {_number(right)}"


def _number(rate: Rate) -> str:
    return "∞" if rate == INFINITE else format_rational(rate)


def _table(rows: Sequence[Proved]) -> str:
    heading = ("mechanism", "adjacency", "unit", "rates", "declared", "exact", "")
    cells = [
        (
            row.entry.name,
            str(row.entry.adjacency),
            row.entry.unit,
            rates(row),
            format_rational(row.entry.declared),
            loss(row),
            _COMPARED[row.compared],
        )
        for row in rows
    ]
    verified = sum(row.verified is not None for row in rows)
    lines = aligned([heading, *cells])
    lines += [
        "",
        "Rates and losses are multiples of the unit; rates to the left and to the right that differ are "
        "separated by |.",
    ]
    lines += [f"Certificates verified: {verified} of {len(rows)}."]
    lines += [_difference(row, row.measured) for row in rows if row.measured is not None]
    return "\n".join(lines)


def _difference(row: Proved, lost: Loss) -> str:
    """The loss that is measured, in a line; ``prover gallery NAME`` shows the inputs."""
    measured = scientific_text(lost.loss[0], _DIGITS)
    return f"{row.entry.name}: with {row.entry.unit} = 1, a run on two neighbouring inputs loses {measured}."


def _in_full(row: Proved) -> str:
    entry = row.entry
    lines = [
        entry.title,
        f"Source: {entry.repository}, {entry.file},",
        f"        as of commit {entry.commit}",
    ]
    lines += wrap(entry.parameters, _WIDTH)
    lines += wrap(f"Declared: {multiple(entry.declared, entry.unit)}. {entry.claim}", _WIDTH)
    lines += [
        f"Proved:   {_proved(row)} ({_COMPARED[row.compared]}), adjacency {entry.adjacency}",
        f"Rates:    {rates(row)}, as multiples of {entry.unit}",
    ]
    lines += wrap(entry.note, _WIDTH)
    lines.append(f"VERIFIED {row.verified}" if row.verified is not None else "There is no certificate.")
    if row.measured is not None:
        lines += ["", *_inputs(row, row.measured)]
    return "\n".join(lines)


def _inputs(row: Proved, lost: Loss) -> list[str]:
    """Both inputs side by side, with the probabilities of the run on each."""
    cells = [
        (step.output, format_rational(step.input), format_rational(step.neighbour), str(step.turns))
        for step in row.entry.steps
    ]
    one, other, loss = (
        scientific_text(low, _DIGITS) for low, _ in (lost.probability, lost.other_probability, lost.loss)
    )
    return [
        f"A run on two neighbouring inputs, with {row.entry.unit} = 1:",
        *aligned([("output", "input", "neighbour", "turns"), *cells]),
        f"P[this run | input]     = {one}",
        f"P[this run | neighbour] = {other}",
        f"The loss, ln of their ratio, is {loss}.",
    ]


def _json(row: Proved) -> dict[str, Any]:
    entry, answer = row.entry, row.answer
    return {
        "name": entry.name,
        "title": entry.title,
        "source": {"repository": entry.repository, "file": entry.file, "commit": entry.commit},
        "adjacency": str(entry.adjacency),
        "unit": entry.unit,
        "rates": rates(row),
        "declared": format_rational(entry.declared),
        "claim": entry.claim,
        "note": entry.note,
        "epsilon": rational_or_null(answer.epsilon),
        "lower": rational_or_inf(answer.lower),
        "upper": rational_or_inf(answer.upper),
        "compared": row.compared,
        "assumption": answer.assumption,
        "program": identity(row.program),
        "verified": row.verified,
        "attack": None if row.measured is None else _attack(row, row.measured),
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
