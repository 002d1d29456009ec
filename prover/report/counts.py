"""Answers about threshold programs with a count that is left open: as text, as JSON objects and as pages."""

from __future__ import annotations

from typing import Any

from prover.errors import shown
from prover.exact.rational import format_rational, rational_or_null
from prover.exact.readable import multiple
from prover.program.adjacency import Adjacency
from prover.program.answer import listed_or
from prover.program.counted.privacy import OpenCount
from prover.report.automaton import program_picture
from prover.report.certificate import proof_section
from prover.report.document import Document, Figure, Listing, PageBlock, PageTable, Section
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
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
    return "\n".join([answer.headline, *found_lines(answer), *proved_lines(answer), *_assumed(answer)])


def found_lines(answer: OpenCount, unit: str = "ε") -> list[str]:
    """The losses at the counts that were looked at, as multiples of a unit, in a line if any is known."""
    known = ", ".join(
        f"{text} at {count}"
        for count, text in _numbers(answer, unit)
        if answer.values[count] is not None or answer.private
    )
    return [f"Found one by one, for {_looked_at(answer)}: {known}."] if known else []


def _numbers(answer: OpenCount, unit: str = "ε") -> list[tuple[int, str]]:
    """The losses at the counts that were looked at."""
    return [
        (count, "not known" if value is None else multiple(value, unit))
        for count, value in answer.values.items()
    ]


def _looked_at(answer: OpenCount) -> str:
    return f"{answer.name} from {min(answer.values)} to {max(answer.values)}"


def proved_lines(answer: OpenCount) -> list[str]:
    """For which program and which counts the formula is proved, or that there is none."""
    name, repeats = answer.name, answer.repeats
    if answer.formula is None:
        return [f"Nothing is claimed for {name} above {max(answer.values)}."]
    if repeats is None:
        return []
    states = shown(listed_or(repeats.states, "and"))
    rates = f", its rates times {answer.by}," if answer.by else ""
    times = f"{name} − {repeats.least}" if repeats.least else name
    return [
        f"Proved for the program{rates} in which the block of states {states} comes {times} times in a "
        f"row. For {name} from {repeats.least} to {max(answer.values)} it was compared with the code; no "
        "others were."
    ]


def _assumed(answer: OpenCount) -> list[str]:
    """What inputs, neighbours and observers are."""
    about = [f"Assumption: {answer.assumption}. Adjacency {answer.adjacency}: {MOVES[answer.adjacency]}."]
    return [*about, "The observer does not see that a run stops."] if answer.stops else about


def document(answer: OpenCount) -> Document:
    """The formula, the losses at single counts, the program that is repeated, and what is assumed."""
    name, repeats = answer.name, answer.repeats

    def opening() -> list[Section]:
        rows = [(str(count), text) for count, text in _numbers(answer)]
        table = PageTable(f"The loss, found for {_looked_at(answer)}.", (name, "loss"), rows, (0,))
        return [Section(f"The loss as a function of {name}", [*_pictures(answer), table])]

    def repeated() -> list[Section]:
        if repeats is None:
            return []
        caption = f"The program in which the block of states {listed_or(repeats.states, 'and')} comes once."
        if answer.by is not None:
            caption += f" Rates are those times {answer.by}, for {name} = {repeats.least}."
        return [Section("The program", program_picture(repeats.rates.first, caption, repeats.states, ()))]

    return Document(
        lines=lambda: [counts_text(answer)],
        title=f"How does the loss depend on {name}?",
        question=f"How private is this program for every {name}, if {MOVES[answer.adjacency]} between "
        "neighbouring inputs?",
        answer=answer.headline,
        meaning=proved_lines(answer),
        opening=opening,
        after=lambda: [
            *repeated(),
            Section("What is assumed", [Listing(_assumed(answer))]),
            proof_section([("proves the formula", lambda: answer.certificate)]),
        ],
        systems=[],
    )


def _pictures(answer: OpenCount) -> list[PageBlock]:
    """The losses that were found, as points above their counts."""
    known = [(count, value) for count, value in answer.values.items() if value is not None]
    if not known:
        return []
    points = ChartSeries("", [(float(count), float(value)) for count, value in known], "dot", dots=True)
    name = answer.name
    chart = Chart(f"The loss as {name} grows", name, "loss, in multiples of ε", [points])
    words = [f"{multiple(value)} at {name} = {count}." for count, value in known]
    return [Figure(drawn_chart(chart), f"The loss at single values of {name}, in multiples of ε.", words)]


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
