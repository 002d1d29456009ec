"""Curves of δ as CSV, as a table for people, and as JSON objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.chain.epsilon import DIGITS
from prover.chain.privacy_profile import Curve, CurvePoint
from prover.errors import shown
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import (
    decimal_above,
    decimal_below,
    decimal_text,
    format_rational,
    parse_rational,
    rational_or_null,
)
from prover.exact.readable import brief, readable_interval, upper_text
from prover.report.distance import slope_json
from prover.report.reply import Reply
from prover.report.tables import aligned

COLUMNS = ("alpha", "alpha_decimal", "epsilon", "lower", "upper", "ld", "ld_least", "bd")
"""Of the CSV. All numbers but alpha are decimals: upper ends hold at epsilon and alpha_decimal, ln alpha and
alpha rounded up; lower ends hold at alpha itself. Where ε was given, alpha is e^ε, rounded down."""

MOST_BREAKPOINTS = 12
"""How many breakpoints a line for people names."""

_MOST_DIGITS = 1_000_000  # no number of an answer is longer; texts of the reply are read back
_FEW = 6

Json = Mapping[str, Any]


def reply_of(answer: Curve, *, gap: Fraction, csv_elsewhere: bool) -> Reply:
    """The reply of ``prover curve``: CSV, or a table for people if the CSV goes to a file."""
    found = curve_json(answer)
    text = table_text(found) if csv_elsewhere else csv_text(found).removesuffix("\n")
    narrow = all(point.upper - point.lower <= gap for point in answer)
    open_part = max((point.upper - point.lower for point in answer), default=Fraction(0))
    known = f"{found['kind']}: intervals of up to {upper_text(open_part)}" if open_part else ""
    return Reply(text, found, None, narrow, obstacle="some intervals are wider than --gap", so_far=known)


def nothing_proved(kind: str, source: str | None, target: str | None, *, csv_elsewhere: bool) -> Reply:
    """The reply when the time is up before there is a first point."""
    found = _head(kind, source, target) | {"engine": "trivial", "breakpoints": None, "rows": []}
    text = table_text(found) if csv_elsewhere else csv_text(found).removesuffix("\n")
    return Reply(text, found, None, exact=False)


def curve_json(answer: Curve) -> dict[str, Any]:
    """The JSON object of a curve, all numbers exact; the caller adds ``seconds`` and ``certificate``."""
    corners = None if answer.exact is None else answer.exact.corners
    return _head(answer.kind, answer.source, answer.target) | {
        "engine": "unrolling" if corners is None else "breakpoints",
        "breakpoints": None
        if corners is None
        else [[format_rational(alpha), format_rational(value)] for alpha, value in corners],
        "rows": [_row(point) for point in answer],
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


def csv_text(found: Json) -> str:
    """A heading and a line for every α, ended by line feeds. What was not asked for is left empty."""
    lines = [COLUMNS, *(_cells(row, DIGITS) for row in found["rows"])]
    return "".join(f"{','.join(line)}\n" for line in lines)


def table_text(found: Json) -> str:
    """The same for people, with fewer digits, and the breakpoints where they are known."""
    rows, about = table_rows(found), breakpoint_text(found)
    return "\n".join([*aligned(rows), *rounding(found["kind"], rows), *([] if about is None else [about])])


def table_rows(found: Json) -> list[list[str]]:
    """A heading and a row for every α.

    δ is one column: a number where it is exact, cut where its digits go on, and otherwise an interval.
    """
    given, kind = found["rows"], found["kind"]
    bounds = [name for name in ("ld", "ld_least", "bd") if any(row[name] is not None for row in given)]
    rows = [["alpha", "epsilon", kind, *bounds]]
    for row in given:
        before, after = (_alpha_above(row), row["epsilon"]), [row[name] for name in bounds]
        rows.append([*(_up(q, _FEW) for q in before), _delta_cell(row), *(_up(q, _FEW) for q in after)])
    return rows


def rounding(kind: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """Which way the decimals of the table are rounded."""
    cells = [row[2] for row in rows[1:]]
    ways = [
        *(["cut, where … stands for the rest"] if any(cell.endswith("…") for cell in cells) else []),
        *(["intervals rounded outward"] if any(" .. " in cell for cell in cells) else []),
    ]
    of_delta = f"; those of {kind} are {', or '.join(ways)}" if ways else ""
    return [f"Decimals are rounded up{of_delta}."] if cells else []


def _delta_cell(row: Mapping[str, str | None]) -> str:
    lower, upper = _number(row["lower"] or "0"), _number(row["upper"] or "1")
    cut = [decimal_text(end, _FEW) for end in (lower, upper)]
    return cut[0] if cut[0] == cut[1] else " .. ".join(readable_interval(lower, upper))


def _alpha_above(row: Mapping[str, str | None]) -> str | None:
    """α, or a rational number just above."""
    return row["alpha"] or row["alpha_lower"]


def breakpoint_text(found: Json) -> str | None:
    """The exact breakpoints in a line; None where they are not known."""
    if found["breakpoints"] is None:
        return None
    corners = [(_number(alpha), _number(value)) for alpha, value in found["breakpoints"]]
    texts = [f"{brief(value)} at {brief(alpha)}" for alpha, value in corners[:MOST_BREAKPOINTS]]
    more = len(corners) - MOST_BREAKPOINTS
    listed = ", ".join(texts) + (f", and {more} more" if more > 0 else "")
    return f"{_title(found)} is exact, and linear between its breakpoints: {listed}"


def _title(found: Json) -> str:
    if found["from"] is None:
        return f"max {found['kind']}"
    return shown(f"{found['kind']}({found['from']}, {found['to']})")


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
