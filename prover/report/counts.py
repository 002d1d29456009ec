"""Answers about threshold programs with a count that is left open, as text and as JSON objects."""

from __future__ import annotations

from typing import Any

from prover.errors import shown
from prover.exact.rational import format_rational, rational_or_null
from prover.exact.readable import multiple
from prover.program.adjacency import Adjacency
from prover.program.answer import listed_or
from prover.program.counted.privacy import OpenCount
from prover.report.privacy import MOVES
from prover.report.reply import Reply


def reply_of(answer: OpenCount, *, certified: bool) -> Reply:
    """The reply of ``prover privacy --open`` with a count, with its certificate if that is wanted."""
    proof = answer.certificate if certified else None
    return Reply(
        counts_text(answer),
        counts_json(answer),
        None if proof is None else proof.data,
        exact=answer.formula is not None or answer.private is False,
        refuted=answer.private is False,
        obstacle=f"no formula: {answer.reason}",
    )


def nothing_known(name: str, adjacency: str) -> Reply:
    """The reply when the time is up before anything is known."""
    keys = ("assumption", "epsilon", "formula", "private", "reason")
    values: dict[str, Any] = {**dict.fromkeys(keys), "repeated": [], "values": {}, "divided": None}
    values |= {"adjacency": adjacency, "count": name, "symmetric": Adjacency(adjacency).is_symmetric}
    return Reply("nothing is proved yet", values, None, exact=False)


def counts_text(answer: OpenCount) -> str:
    """The formula and what it is proved for, or why there is none; and the numbers at some counts."""
    name, formula, first, last = answer.name, answer.formula, min(answer.values), max(answer.values)
    known = ", ".join(
        f"{'not known' if value is None else multiple(value)} at {count}"
        for count, value in answer.values.items()
        if value is not None or answer.private
    )
    numbers = [f"Found one by one, for {name} from {first} to {last}: {known}."] if known else []
    about = [f"Assumption: {answer.assumption}. Adjacency {answer.adjacency}: {MOVES[answer.adjacency]}."]
    if answer.stops:
        about.append("The observer does not see that a run stops.")
    if formula is None:
        return "\n".join([answer.headline, *numbers, f"Nothing is claimed for {name} above {last}.", *about])
    lines = [answer.headline, *numbers]
    if answer.repeats is not None:
        states = shown(listed_or(answer.repeats.states, "and"))
        least, rates = answer.repeats.least, f", its rates times {answer.by}," if answer.by else ""
        times = f"{name} − {least}" if least else name
        lines.append(
            f"Proved for the program{rates} in which the block of states {states} comes {times} times in a "
            f"row. For {name} from {least} to {last} it was compared with the code; no others were."
        )
    return "\n".join([*lines, *about])


def counts_json(answer: OpenCount) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    formula = answer.formula
    return {
        "adjacency": str(answer.adjacency),
        "assumption": answer.assumption,
        "count": answer.name,
        "divided": answer.by,
        "epsilon": None,
        "formula": None
        if formula is None
        else {
            "constants": [*map(format_rational, formula.constants)],
            "each": format_rational(formula.each),
            "first": formula.first,
        },
        "private": answer.private,
        "reason": answer.reason,
        "symmetric": answer.adjacency.is_symmetric,
        "repeated": [] if answer.repeats is None else list(answer.repeats.states),
        "values": {str(count): rational_or_null(value) for count, value in answer.values.items()},
    }
