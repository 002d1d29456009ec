"""Curves of δ of threshold programs: as CSV, as a table for people, as JSON objects, and as pages."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from prover.chain.arguments import Slope
from prover.exact.epsilon_bounds import DIGITS
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import (
    decimal_above,
    decimal_below,
    decimal_text,
    format_rational,
    rational_or_null,
)
from prover.exact.readable import readable_interval
from prover.program.profiles.curve import ProgramCurve, ProgramCurvePoint
from prover.program.profiles.over_inputs import NoiseLevel
from prover.report.automaton import program_picture
from prover.report.certificate import proof_section
from prover.report.distance import slope_json
from prover.report.document import Document, Figure, Listing, PageTable, Section, Text
from prover.report.picture.chart import ChartSeries, drawn_chart
from prover.report.privacy import MOVES
from prover.report.profiles import delta_chart
from prover.report.program_attack import decimals_above, decimals_below
from prover.report.program_delta import adaptive_text, engine_of, neighbours_text, no_table, question_json
from prover.report.reply import Reply
from prover.report.so_far import points_so_far
from prover.report.tables import aligned

COLUMNS = ("alpha", "alpha_decimal", "epsilon", "lower", "upper", "pure")
"""Of the CSV, as those of curves of chains; pure is what the exact ε alone bounds δ by."""

_FEW = 6
_ROUNDED = "Decimals are rounded up; those of delta outward."
_PURE = "The column pure: what the exact epsilon alone bounds delta by."


def reply_of(answer: ProgramCurve, *, csv_elsewhere: bool, certified: bool) -> Reply:
    """The reply of ``prover curve``: CSV, or a table for people if the CSV goes to a file; and its
    certificates if they are wanted.
    """
    text = table_text(answer) if csv_elsewhere else csv_text(answer).removesuffix("\n")
    upper = answer.certificate if certified else None
    lower = answer.lower_certificate if certified else None
    unproved = "no bound below 1 was found"
    return Reply(
        text,
        curve_json(answer),
        None if upper is None else upper.data,
        exact=upper is not None or lower is None,
        obstacle=unproved,
        lower_certificate=None if lower is None else lower.data,
        so_far=points_so_far("delta", [(point.lower, point.upper) for point in answer]),
        unproved=unproved if certified and upper is None and lower is None else None,
    )


def nothing_proved(adjacency: str, noise: NoiseLevel, steps: int | None) -> Reply:
    """The reply when the time is up before there is a bound."""
    question = question_json(adjacency, noise, steps)
    json = {"kind": "delta", **question, "pure": None, "engine": "trivial", "rows": []}
    return Reply("No bound is proved yet.", json, None, exact=False)


def curve_json(answer: ProgramCurve) -> dict[str, Any]:
    """The JSON object of a curve, all numbers exact; the caller adds ``seconds`` and ``certificate``."""
    engines = {engine_of(point.above) for point in answer}
    return {
        "kind": "delta",
        **question_json(str(answer.adjacency), answer.noise, answer.steps),
        "pure": rational_or_null(answer.pure),
        "engine": "privacy" if engines == {"privacy"} else "profile-table",
        "rows": [_row(point) for point in answer],
    }


def _row(point: ProgramCurvePoint) -> dict[str, str | None]:
    slope = slope_json(Slope(point.epsilon, point.alpha_upper, point.alpha_lower), both=True)
    if point.epsilon is None:
        slope["epsilon"] = _epsilon(point, DIGITS)
    return {
        **slope,
        "lower": format_rational(point.lower),
        "upper": format_rational(point.upper),
        "pure": rational_or_null(point.pure),
    }


def _epsilon(point: ProgramCurvePoint, digits: int) -> str:
    """ε, rounded up."""
    if point.epsilon is not None:
        return _up(point.epsilon, digits)
    return _up(enclosed_logarithm(point.alpha_upper, DIGITS)[1], digits)


def _up(number: Fraction | None, digits: int) -> str:
    return "" if number is None else decimal_text(decimal_above(number, digits), digits)


def csv_text(answer: ProgramCurve) -> str:
    """A heading and a line for every α, ended by line feeds."""
    lines = [COLUMNS]
    for point in answer:
        low = decimal_text(decimal_below(point.lower, DIGITS), DIGITS)
        ends = low, _up(point.upper, DIGITS), _up(point.pure, DIGITS)
        alpha = format_rational(point.alpha_upper), _up(point.alpha_lower, DIGITS)
        lines.append((*alpha, _epsilon(point, DIGITS), *ends))
    return "".join(f"{','.join(line)}\n" for line in lines)


def table_text(answer: ProgramCurve) -> str:
    """The same for people, with fewer digits."""
    return "\n".join(
        [*aligned(_table(answer)), _caption(answer), *no_table(answer.obstacle), neighbours_text(answer)]
    )


def _caption(answer: ProgramCurve) -> str:
    return "\n".join([_ROUNDED, *([_PURE] if _has_pure(answer) else [])])


def _has_pure(answer: ProgramCurve) -> bool:
    """Whether the exact ε alone bounds some δ by less than 1."""
    return any(point.pure is not None and point.pure < 1 for point in answer)


def _table(answer: ProgramCurve) -> list[list[str]]:
    beside = ["pure"] * _has_pure(answer)
    rows = [["alpha", "epsilon", "delta", *beside]]
    for point in answer:
        delta = " .. ".join(dict.fromkeys(readable_interval(point.lower, point.upper)))
        more = [_up(point.pure, _FEW)] * len(beside)
        rows.append([_up(point.alpha_lower, _FEW), _epsilon(point, _FEW), delta, *more])
    return rows


def document(answer: ProgramCurve) -> Document:
    """The curve as a table and a picture, and what is assumed."""
    first, last = answer.points[0], answer.points[-1]
    heading, *cells = _table(answer)
    table = PageTable(_caption(answer), heading, cells, tuple(range(len(heading))))
    ends = [f"at most {decimals_above(point.upper)} at ε = {_position(point):.6g}" for point in (first, last)]
    falls, meaning = f"δ falls from {' to '.join(ends)}", adaptive_text(answer)
    if all(point.upper == 1 for point in answer):
        known = max(answer, key=lambda point: point.lower)
        falls = f"δ is at least {decimals_below(known.lower)} at ε = {_position(known):.6g}"
        meaning = "No bound below 1 is proved."
    return Document(
        lines=lambda: [table_text(answer)],
        title="How does δ fall as ε grows?",
        question=f"How does δ fall as ε grows, if {MOVES[answer.adjacency]} between neighbouring inputs?",
        answer=falls,
        meaning=[meaning],
        opening=lambda: [
            Section("The curve", [picture(answer), table, *map(Text, no_table(answer.obstacle))])
        ],
        after=lambda: [
            Section("The mechanism", program_picture(answer.program, "The program.", (), ())),
            Section("What is assumed", [Listing([neighbours_text(answer)])]),
            proof_section(
                [
                    ("proves the upper ends", lambda: answer.certificate),
                    ("proves the lower ends", lambda: answer.lower_certificate),
                ]
            ),
        ],
        systems=[answer.program],
    )


def _position(point: ProgramCurvePoint) -> float:
    return math.log(point.alpha_upper) if point.epsilon is None else float(point.epsilon)


def picture(answer: ProgramCurve, *, logarithmic: bool = False) -> Figure:
    """Lower and upper ends at the points, joined by straight lines; and what the exact ε alone proves."""
    places = [(_position(point), point) for point in answer]
    uppers = [(x, float(point.upper)) for x, point in places]
    series = [
        ChartSeries("upper ends, joined by lines", uppers),
        ChartSeries("the points asked for", uppers, "dot", dots=True),
    ]
    if _has_pure(answer):
        pure = [(x, float(point.pure or 0)) for x, point in places]
        series.insert(0, ChartSeries("what the exact ε alone proves", pure, "limit"))
    band = [(x, float(point.lower), float(point.upper)) for x, point in places]
    heights = [y for x, y in uppers if y > 0]
    floor = min(heights, default=1e-9) if logarithmic else 0.0
    words = []
    for x, point in places:
        low, high = readable_interval(point.lower, point.upper)
        words.append(f"At ε = {x:.6g}, δ is between {low} and {high}.")
    chart = delta_chart(series, "δ of all neighbouring inputs as ε grows", band, floor)
    caption = "δ as ε grows: bounds for all neighbouring inputs, proved at the points asked for."
    return Figure(drawn_chart(chart), caption, words)
