"""Answers about programs with an open parameter: as text, as JSON objects, as pictures and as pages."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from prover.errors import shown
from prover.exact.rational import format_rational, rational_or_inf
from prover.exact.readable import brief, multiple
from prover.program.adjacency import Adjacency
from prover.program.optimum.budget import DEFAULT_EFFORT
from prover.program.optimum.witness import Witness
from prover.program.pieces.answer import LossFunction, LossPiece, OpenPrivacy
from prover.program.pieces.search import Piece
from prover.report.automaton import program_picture
from prover.report.certificate import proof_section
from prover.report.document import Document, Figure, Listing, PageBlock, PageTable, Section
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
from prover.report.picture.svg import svg_file
from prover.report.privacy import MOVES, ONE_DIRECTION, assumption_text, conditions_json, run_rows
from prover.report.reply import Reply
from prover.report.tables import aligned
from prover.report.verdict import asked_text, with_verdict

MOST_LISTED = 40
"""How many pieces a text lists."""


def reply_of(
    answer: OpenPrivacy,
    *,
    certified: bool,
    verbose: bool = False,
    at_most: Fraction | None = None,
    effort: int = DEFAULT_EFFORT,
) -> Reply:
    """The reply of ``prover privacy --open``, with its certificate if that is wanted.

    With ``at_most`` it is decided by whether the loss is at most that multiple of ε everywhere.
    """
    proof = answer.certificate if certified else None
    found = answer.epsilon
    refuted = answer.private is False
    decided = refuted or (answer.private is not None and found is not None and found.is_exact)
    obstacle = f"the search used up its budget; --effort {2 * effort} allows twice the work"
    data = None if proof is None else proof.data
    reply = Reply(
        open_text(answer, verbose=verbose),
        open_json(answer),
        data,
        decided,
        refuted,
        obstacle,
        so_far={True: "private", False: "not private", None: ""}[answer.private],
    )
    holds = is_at_most(answer, at_most)
    return with_verdict(reply, at_most, holds, lambda factor: f"{multiple(factor)} {_everywhere(answer)}")


def is_at_most(answer: OpenPrivacy, factor: Fraction | None) -> bool | None:
    """Whether the loss is at most this multiple of ε at every value of the parameter; None if unknown, or if
    nothing is asked."""
    if factor is None:
        return None
    if answer.epsilon is None:
        return False
    lower, upper = _extremes(answer.epsilon)
    if lower[1] > factor:
        return False
    return True if upper is not None and upper <= factor else None


def _extremes(found: LossFunction) -> tuple[tuple[Fraction, Fraction], Fraction | None]:
    """The least and the largest lower bound, and the largest upper bound; None if there is none."""
    ends = [(piece, end) for piece in found.pieces for end in (piece.low, piece.high)]
    lowers = [piece.lower.at(end) for piece, end in ends]
    uppers = [None if piece.upper is None else piece.upper.at(end) for piece, end in ends]
    known = [upper for upper in uppers if upper is not None]
    return (min(lowers), max(lowers)), max(known) if len(known) == len(uppers) else None


def nothing_known(adjacency: str, at_most: Fraction | None) -> Reply:
    """The reply when the time is up before anything is known."""
    values: dict[str, Any] = dict.fromkeys(
        ("private", "parameter", "from", "to", "epsilon", "least", "reason", "conditions", "assumption")
    )
    values |= {"lower": "0", "upper": "inf", "pieces": [], "states": [], "adjacency": adjacency}
    values["symmetric"] = Adjacency(adjacency).is_symmetric
    return with_verdict(
        Reply("undecided: nothing is proved yet", values, None, False), at_most, None, multiple
    )


def open_json(answer: OpenPrivacy) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    found, opened = answer.epsilon, answer.program
    lower, upper = ((None, None), None) if found is None else _extremes(found)
    return {
        "private": answer.private,
        "parameter": opened.parameter,
        "from": format_rational(opened.low),
        "to": format_rational(opened.high),
        "epsilon": None,
        "pieces": [] if found is None else [_piece_json(piece) for piece in found.pieces],
        "least": None if found is None else _least_json(found),
        "lower": rational_or_inf(lower[0]),
        "upper": rational_or_inf(upper),
        "reason": answer.reason,
        "states": list(answer.states),
        "conditions": conditions_json(answer.conditions),
        "assumption": answer.assumption,
        "adjacency": str(answer.adjacency),
        "symmetric": answer.adjacency.is_symmetric,
    }


def _piece_json(piece: LossPiece) -> dict[str, Any]:
    name = piece.parameter
    return {
        "from": format_rational(piece.low),
        "to": format_rational(piece.high),
        "epsilon": None if piece.epsilon is None else piece.epsilon.text(name),
        "lower": piece.lower.text(name),
        "upper": "inf" if piece.upper is None else piece.upper.text(name),
        "runs": [
            {
                "from": format_rational(own.low),
                "to": format_rational(own.high),
                "path": [step.edge.number for step in run.steps],
                "turns": [list(part) for part in run.turns],
                "delta": [step.delta for step in run.steps],
            }
            for own in piece.proofs
            for run in (own.runs or ())[:1]
        ],
    }


def _least_json(found: LossFunction) -> dict[str, str] | None:
    """Where the loss is least, by the name of the parameter, and the loss there."""
    if found.least is None:
        return None
    at, value = found.least
    return {found.parameter: format_rational(at), "epsilon": format_rational(value)}


def open_text(answer: OpenPrivacy, *, verbose: bool = False) -> str:
    """The answer in a line, the loss on every piece, where it is least, and what that means."""
    lines = [shown(answer.headline)]
    if answer.epsilon is not None:
        if len(answer.epsilon.pieces) > 1 or not answer.epsilon.is_exact:
            lines += aligned(_rows(answer.epsilon)[: MOST_LISTED + 1])
            more = len(answer.epsilon.pieces) - MOST_LISTED
            lines += [f"and {more} more pieces, which --json lists"] if more > 0 else []
        lines += [*_least_text(answer.epsilon), *meaning(answer), *worst_runs(answer.epsilon)]
    elif answer.states:
        lines.append(
            f"The loss grows without bound. States of the {answer.reason or 'cycle'}: {_states(answer)}."
        )
    lines.append(assumption_text(answer))
    if verbose and answer.epsilon is not None:
        for piece, run in _runs(answer.epsilon):
            start = format_rational(piece.low)
            lines += [
                "",
                f"The worst run from there on, with its costs at {answer.epsilon.parameter} = {start}:",
            ]
            lines += aligned(run_rows(run))
    return "\n".join(lines)


def _states(answer: OpenPrivacy) -> str:
    return ", ".join(map(shown, answer.states))


def _everywhere(answer: OpenPrivacy) -> str:
    """For which values of the parameter."""
    opened = answer.program
    ends = f"from {format_rational(opened.low)} to {format_rational(opened.high)}"
    return f"for every {opened.parameter} {ends}"


def _rows(found: LossFunction) -> list[list[str]]:
    """A heading, and a row for each piece."""
    ends = [(format_rational(piece.low), format_rational(piece.high)) for piece in found.pieces]
    cells = [[*own, piece.loss] for own, piece in zip(ends, found.pieces, strict=True)]
    return [[f"{found.parameter} from", "to", "loss"], *cells]


def _least_text(found: LossFunction) -> list[str]:
    if found.least is None:
        return []
    at, value = found.least
    if len(found.pieces) == 1 and not found.pieces[0].lower.slope:
        return []
    return [f"The loss is least at {found.parameter} = {format_rational(at)}: {multiple(value)}."]


def meaning(answer: OpenPrivacy) -> list[str]:
    """What the bounds mean."""
    who = " for an observer who does not see that a run stops or ends" * answer.conditions.stopping_tells
    if not answer.adjacency.is_symmetric:
        return [ONE_DIRECTION]
    if answer.epsilon is None or _extremes(answer.epsilon)[1] is None:
        return []
    name = answer.program.parameter
    close = "; some inputs come arbitrarily close to this loss" * answer.epsilon.is_exact
    bound = "this multiple of ε" if answer.epsilon.is_exact else "the upper bound here"
    every = f"For every ε > 0 and every such {name}"
    return [f"{every}, the program is differentially private with {bound}{who}{close}."]


def worst_runs(found: LossFunction) -> list[str]:
    """The outputs of the worst run of every piece."""
    texts: list[tuple[Fraction, Fraction, str]] = []
    for piece, run in _runs(found):
        words = run_words(run)
        if texts and texts[-1][1:] == (piece.low, words):
            texts[-1] = texts[-1][0], piece.high, words
        else:
            texts.append((piece.low, piece.high, words))
    name = found.parameter
    lines = [
        f"Worst run for {name} from {format_rational(low)} to {format_rational(high)}: {words}"
        for low, high, words in texts[:MOST_LISTED]
    ]
    more = len(texts) - MOST_LISTED
    return lines + ([f"and {more} more worst runs, which --json lists"] if more > 0 else [])


def _runs(found: LossFunction) -> Iterator[tuple[Piece, Witness]]:
    """The parts of the proof that have a run, with it."""
    for piece in found.pieces:
        for own in piece.proofs:
            if piece.epsilon is not None and own.runs is not None and own.runs[0].steps:
                yield own, own.runs[0]


def run_words(run: Witness) -> str:
    """The outputs of a run, in their order, and how often those of cycles come."""
    parts: list[tuple[tuple[str, ...], int]] = []
    steps = iter(run.steps)
    for length, count in run.turns:
        outputs = tuple(shown(next(steps).edge.output) for _ in range(length))
        if parts and parts[-1][0] == outputs:
            parts[-1] = outputs, parts[-1][1] + count
        else:
            parts.append((outputs, count))
    return ", ".join(
        ", ".join(outputs) if count == 1 else f"{count} times ({', '.join(outputs)})"
        for outputs, count in parts
    )


def picture(answer: OpenPrivacy) -> Figure:
    """The loss as a function of the parameter; where it is only enclosed, what encloses it."""
    found = answer.epsilon
    pieces = () if found is None else found.pieces
    name = answer.program.parameter
    corners = [(end, piece) for piece in pieces for end in (piece.low, piece.high)]
    uppers = [(float(end), float(piece.upper.at(end))) for end, piece in corners if piece.upper is not None]
    series = [ChartSeries("", uppers)]
    if found is not None and found.least is not None:
        at, value = found.least
        series.append(
            ChartSeries(
                f"least: {brief(value)} at {name} = {brief(at)}",
                [(float(at), float(value))],
                "dot",
                dots=True,
            )
        )
    band = [
        (float(end), float(piece.lower.at(end)), float(piece.upper.at(end)))
        for end, piece in corners
        if piece.upper is not None and piece.epsilon is None
    ]
    begin = float(answer.program.low)
    chart = Chart(f"The loss as {name} grows", name, "loss, in multiples of ε", series, band, begin=begin)
    caption = f"The loss as a function of {name}, in multiples of ε."
    return Figure(drawn_chart(chart), caption, [f"For {piece.headline}." for piece in pieces])


def picture_file(answer: OpenPrivacy) -> bytes:
    """The picture as an .svg file."""
    drawn = picture(answer)
    return svg_file(drawn.drawn, [drawn.caption, *drawn.words])


def document(answer: OpenPrivacy, *, at_most: Fraction | None = None) -> Document:
    """The loss as a table and a picture, its worst runs, and what is assumed."""
    holds = is_at_most(answer, at_most)
    asked = asked_text(at_most, holds, lambda factor: f"{multiple(factor)} {_everywhere(answer)}")
    found, name = answer.epsilon, answer.program.parameter

    def opening() -> list[Section]:
        if found is None:
            return []
        heading, *cells = _rows(found)
        table = PageTable("The loss on every piece.", heading, cells, (0, 1))
        blocks: list[PageBlock] = [picture(answer), table, Listing(worst_runs(found))]
        return [Section(f"The loss as a function of {name}", blocks)]

    caption = f"The program; rates and sensitivities that depend on {name} are those at the low end."
    return Document(
        lines=lambda: [open_text(answer)],
        title=f"How does the loss depend on {name}?",
        question=f"How private is this program {_everywhere(answer)}, if {MOVES[answer.adjacency]} between "
        "neighbouring inputs?",
        answer=asked + answer.headline,
        meaning=[*([] if found is None else _least_text(found)), *meaning(answer)],
        opening=opening,
        after=lambda: [
            Section("The program", program_picture(answer.program.first, caption, answer.states, ())),
            Section("What is assumed", [Listing([assumption_text(answer)])]),
            proof_section([("proves this answer", lambda: answer.certificate)]),
        ],
        systems=[answer.program.first],
    )
