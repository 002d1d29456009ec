"""Curves of δ: as CSV, as a table for people, as JSON objects, and as pages with a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.accounting.profile_certificates import profile_certificate
from prover.certificate.schema import Certificate
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve, CurvePoint
from prover.errors import short_name, shown
from prover.exact.epsilon_bounds import DIGITS
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import (
    decimal_above,
    decimal_below,
    decimal_text,
    format_rational,
    parse_rational,
    rational_or_null,
)
from prover.exact.readable import brief, readable_interval
from prover.report.certificate import proof_section
from prover.report.chains import assumptions_section, lost_lines, model_section, pair_text
from prover.report.distance import slope_json
from prover.report.document import Document, Figure, PageBlock, PageTable, Section, Text
from prover.report.picture.chart import ChartSeries, drawn_chart
from prover.report.profiles import delta_chart, profile_series
from prover.report.reply import Reply
from prover.report.so_far import points_so_far
from prover.report.tables import aligned

COLUMNS = ("alpha", "alpha_decimal", "epsilon", "lower", "upper", "ld", "ld_least", "bd")
"""Of the CSV. All numbers but alpha are decimals: upper ends hold at epsilon and alpha_decimal, ln alpha and
alpha rounded up; lower ends hold at alpha itself. Where ε was given, alpha is e^ε, rounded down."""

MOST_BREAKPOINTS = 12
"""How many breakpoints a line for people names."""

_MOST_DIGITS = 1_000_000  # no number of an answer is longer; texts of the reply are read back
_FEW = 6


def reply_of(answer: Curve, *, gap: Fraction, csv_elsewhere: bool) -> Reply:
    """The reply of ``prover curve``: CSV, or a table for people if the CSV goes to a file."""
    json = curve_json(answer)
    lost = lost_lines(answer.system, answer.lost)
    text = csv_text(json).removesuffix("\n")
    if csv_elsewhere:
        text = "\n".join([table_text(json), *lost])
    narrow = all(point.upper - point.lower <= gap for point in answer)
    proved = points_so_far(answer.name, [(point.lower, point.upper) for point in answer])
    # The CSV itself has no place for breakpoints and lost runs.
    beside = [] if csv_elsewhere else [*filter(None, [breakpoint_text(json)]), *lost]
    wide = "some intervals are wider than --gap"
    return Reply(text, json, None, narrow, obstacle=wide, so_far=proved, aside="\n".join(beside))


def nothing_proved(kind: str, source: str | None, target: str | None, *, csv_elsewhere: bool) -> Reply:
    """The reply when the time is up before there is a first point."""
    json = _head(kind, source, target) | {"engine": "trivial", "breakpoints": None, "rows": []}
    text = table_text(json) if csv_elsewhere else csv_text(json).removesuffix("\n")
    return Reply(text, json, None, exact=False)


def curve_json(answer: Curve) -> dict[str, Any]:
    """The JSON object of a curve, all numbers exact; the caller adds ``seconds`` and ``certificate``."""
    corners = None if answer.exact is None else answer.exact.corners
    return _head(answer.kind, answer.source, answer.target) | {
        "engine": "unrolling" if corners is None else "breakpoints",
        "breakpoints": None
        if corners is None
        else [[format_rational(alpha), format_rational(value)] for alpha, value in corners],
        "rows": [_row(point) for point in answer],
        **({"lost": format_rational(answer.lost)} if answer.lost else {}),
    }


def _head(kind: str, source: str | None, target: str | None) -> dict[str, Any]:
    return {"kind": "delta" if kind == "tv" else kind, "from": source, "to": target}


def _row(point: CurvePoint) -> dict[str, str | None]:
    numbers = {"ld": point.ld, "ld_least": point.ld_least, "bd": point.bd}
    slope = slope_json(point.slope, both=True)
    if point.slope.epsilon is None:
        slope["epsilon"] = decimal_text(enclosed_logarithm(point.alpha, DIGITS)[1], DIGITS)
    return {
        **slope,
        "lower": format_rational(point.lower),
        "upper": format_rational(point.upper),
        "value": format_rational(point.upper) if point.lower == point.upper else None,
        **{name: rational_or_null(number) for name, number in numbers.items()},
    }


def csv_text(json: Mapping[str, Any]) -> str:
    """A heading and a line for every α, ended by line feeds. What is not known is left empty."""
    lines = [COLUMNS, *(_cells(row, DIGITS) for row in json["rows"])]
    return "".join(f"{','.join(line)}\n" for line in lines)


def table_text(json: Mapping[str, Any]) -> str:
    """The same for people, with fewer digits, and the breakpoints where they are known."""
    rows, about = table_rows(json), breakpoint_text(json)
    return "\n".join([*aligned(rows), *rounding(json["kind"], rows), *([] if about is None else [about])])


def table_rows(json: Mapping[str, Any]) -> list[list[str]]:
    """A heading and a row for every α.

    δ is one column: a number where it is exact, cut where its digits go on, and otherwise an interval.
    """
    points, kind = json["rows"], json["kind"]
    bounds = [name for name in ("ld", "ld_least", "bd") if any(row[name] is not None for row in points)]
    rows = [["alpha", "epsilon", kind, *bounds]]
    for row in points:
        before, after = (_alpha_above(row), row["epsilon"]), [row[name] for name in bounds]
        rows.append([*(_up(q, _FEW) for q in before), _delta_cell(row), *(_up(q, _FEW) for q in after)])
    return rows


def rounding(kind: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """Which way the decimals of the table are rounded."""
    cells = [row[2] for row in rows[1:]]
    ways = [
        *(["cut off at …"] if any(cell.endswith("…") for cell in cells) else []),
        *(["intervals rounded outward"] if any(" .. " in cell for cell in cells) else []),
    ]
    of_delta = f"; those of {kind} are {' or '.join(ways)}" if ways else ""
    return [f"Decimals are rounded up{of_delta}."] if cells else []


def _delta_cell(row: Mapping[str, str | None]) -> str:
    lower, upper = _number(row["lower"] or "0"), _number(row["upper"] or "1")
    cut = [decimal_text(end, _FEW) for end in (lower, upper)]
    return cut[0] if cut[0] == cut[1] else " .. ".join(readable_interval(lower, upper))


def _alpha_above(row: Mapping[str, str | None]) -> str | None:
    """α, or a rational number just above."""
    return row["alpha"] or row["alpha_lower"]


def breakpoint_text(json: Mapping[str, Any], *, typeset: bool = False) -> str | None:
    """The exact breakpoints in a line; None where they are not known."""
    if json["breakpoints"] is None:
        return None
    corners = [(_number(alpha), _number(value)) for alpha, value in json["breakpoints"]]
    sign = "α" if typeset else "alpha"
    texts = [f"{brief(value)} at {sign} = {brief(alpha)}" for alpha, value in corners[:MOST_BREAKPOINTS]]
    more = len(corners) - MOST_BREAKPOINTS
    listed = ", ".join(texts) + (f", and {more} more" if more > 0 else "")
    name = "δ" if typeset else _title(json)
    return f"{name} is exact for every {sign}, and linear between its breakpoints: {listed}"


def _title(json: Mapping[str, Any]) -> str:
    if json["from"] is None:
        return f"max {json['kind']}"
    return shown(f"{json['kind']}({json['from']}, {json['to']})")


def _cells(row: Mapping[str, str | None], digits: int) -> Sequence[str]:
    return (
        row["alpha"] or row["alpha_upper"] or "",
        _up(_alpha_above(row), digits),
        _up(row["epsilon"], digits),
        decimal_text(decimal_below(_number(row["lower"] or "0"), digits), digits),
        *(_up(row[name], digits) for name in ("upper", "ld", "ld_least", "bd")),
    )


def _up(text: str | None, digits: int) -> str:
    return "" if text is None else decimal_text(decimal_above(_number(text), digits), digits)


def _number(text: str) -> Fraction:
    return parse_rational(text, _MOST_DIGITS)


_BOUNDS = (
    ("bd", "bd, an upper bound in both directions", "limit"),
    ("ld", "ld, an upper bound", "bound"),
    ("ld_least", "the least ld up to this ε, an upper bound", "other"),
)


_MISSING = (
    "This page has no certificate of the curve. `prover curve --certificate` proves bounds for all ε at once."
)
_NEVER = "This page has no certificate of the curve. `prover delta` proves single points of it."


def document(answer: Curve, *, proof: Certificate | None = None) -> Document:
    """The curve as a table and a picture; ``proof`` is its certificate, if that is made already."""
    json, system = curve_json(answer), answer.system
    lost = lost_lines(system, answer.lost)
    about = breakpoint_text(json, typeset=True)
    pair = "all related secrets" if answer.source is None else pair_text(answer.source, answer.target or "")
    first_and_last = answer.points[0], answer.points[-1]
    (first, start), (last, end) = ((_delta(p), f"{_position(p):.6g}") for p in first_and_last)
    falls = f"falls from {first} at ε = {start} to {last} at ε = {end}"
    if first == last:
        falls = f"is {first} at ε = {start}" + (f" and at ε = {end}" if start != end else "")
    missing = _MISSING if isinstance(system, LabelledMarkovChain) else _NEVER
    secrets = [name for name in (answer.source, answer.target) if name is not None]
    table = _table(json["kind"], table_rows(json))
    return Document(
        lines=lambda: [table_text(json), *lost],
        title="How does δ fall as ε grows?",
        question=f"How does δ fall as ε grows, for {pair}?",
        answer=f"δ {falls}" + (", and is known for every ε" if about else ""),
        meaning=[*([] if about is None else [about + "."]), *lost],
        opening=lambda: [Section("The curve", [picture(answer), table])],
        after=lambda: [
            model_section(system, secrets),
            assumptions_section(system),
            proof_section([("of the curve", lambda: proof or _certificate(answer))], missing),
        ],
        systems=[system],
    )


def _certificate(answer: Curve) -> Certificate | None:
    if answer.exact is None or not isinstance(answer.system, LabelledMarkovChain):
        return None
    return profile_certificate(answer.system, answer)


def _delta(point: CurvePoint) -> str:
    return brief(point.upper) if point.lower == point.upper else f"at most {brief(point.upper)}"


def _position(point: CurvePoint) -> float:
    return math.log(point.alpha) if point.slope.epsilon is None else float(point.slope.epsilon)


def picture(answer: Curve, *, logarithmic: bool = False) -> Figure:
    """Exact curves as lines; else lower and upper ends at the points, joined by straight lines."""
    positions = [_position(point) for point in answer.points]
    uppers = [(x, float(point.upper)) for x, point in zip(positions, answer.points, strict=True)]
    bounds = [
        series for name, title, look in _BOUNDS for series in _bound(answer, positions, name, title, look)
    ]
    band: list[tuple[float, float, float]] = []
    if answer.exact is not None:
        last = max([*positions, 1e-9])
        line = profile_series(answer.exact, last, f"δ{_whose(answer)}, exactly")
    else:
        band = [(x, float(point.lower), high) for (x, high), point in zip(uppers, answer.points, strict=True)]
        line = ChartSeries(f"δ{_whose(answer)}, in the band", uppers)
    series = [*bounds, line, ChartSeries("the points asked for", uppers, "dot", dots=True)]
    heights = [y for one in (*bounds, series[-1]) for _, y in one.points if y > 0]
    title = f"δ{_whose(answer)}, and its bounds, as ε grows"
    chart = delta_chart(series, title, band, min(heights, default=1e-9) if logarithmic else 0.0)
    words = [f"At α = {brief(point.alpha)}, δ is {_delta(point)}." for point in answer.points]
    caption = "δ as ε grows, with distances that are upper bounds." if bounds else "δ as ε grows."
    if answer.exact is None:
        caption += " Bounds are proved at the points asked for, and straight lines join them."
    return Figure(drawn_chart(chart), caption, words)


def _whose(answer: Curve) -> str:
    """Of whom δ is, behind its name."""
    if answer.source is None or answer.target is None:
        return " of the relation"
    if answer.kind == "tv":
        return f" of {pair_text(answer.source, answer.target)}"
    return f" from {short_name(answer.source)} to {short_name(answer.target)}"


def _bound(answer: Curve, positions: Sequence[float], name: str, title: str, look: str) -> list[ChartSeries]:
    """The line of a bound, where it is known everywhere and no other line."""
    values = [getattr(point, name) for point in answer.points]
    if any(value is None for value in values):
        return []
    if name == "ld_least" and all(point.ld_least == point.ld for point in answer.points):
        return []
    return [ChartSeries(title, [(x, float(y)) for x, y in zip(positions, values, strict=True)], look)]


def _table(kind: str, rows: list[list[str]]) -> PageBlock:
    heading, *cells = rows
    caption = " ".join(rounding(kind, rows)) or "No question was asked."
    return PageTable(caption, heading, cells, tuple(range(len(heading)))) if cells else Text(caption)
