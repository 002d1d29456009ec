"""A sweep as text, as a JSON object and as a picture."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.errors import abbreviated, shown
from prover.exact.rational import decimal_text, format_rational, rational_or_null
from prover.exact.readable import brief, readable, readable_interval
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
from prover.report.picture.heatmap import HeatMap, drawn_heat_map
from prover.report.reply import Reply
from prover.report.tables import aligned
from prover.report.views import Drawing
from prover.sweeps.answer import Sweep, SweepPoint
from prover.sweeps.kept import point_json

_LONG = 40
_YES = {True: "yes", False: "no", None: "open"}


def reply_of(found: Sweep, notes: tuple[str, ...] = ()) -> Reply:
    """The reply of ``prover sweep``."""
    obstacle = "some intervals are wider than --gap, or have no upper end"
    if len(found.points) < found.places:
        obstacle = "some numbers were not found"
    if found.at_most is not None:
        obstacle = verdict(found)[0].removesuffix(".")
    return Reply(
        text(found),
        sweep_json(found),
        None,
        found.answered,
        refuted=found.never,
        obstacle=obstacle,
        notes=notes,
        so_far=found.headline,
    )


def sweep_json(found: Sweep) -> dict[str, Any]:
    """The JSON object; the caller adds ``seconds``."""
    crossing = found.crossing if found.at_most is not None else None
    least = found.least if found.at_most is not None else None
    return {
        "kind": "sweep",
        "number": found.number,
        "question": {
            {"source": "from", "target": "to"}.get(name, name): x for name, x in found.question.items()
        },
        "over": {name: [format_rational(value) for value in values] for name, values in found.over.items()},
        "at_most": rational_or_null(found.at_most),
        "all": found.every,
        "crossing": None
        if crossing is None
        else dict(zip(("at_most", "above"), map(format_rational, crossing), strict=True)),
        "least": rational_or_null(least),
        "points": [
            {
                "const": {name: format_rational(x) for name, x in zip(found.over, point.at, strict=True)},
                "holds": point.holds,
                **point_json(point),
            }
            for point in found.points
        ],
    }


def text(found: Sweep) -> str:
    """The sweep for people: where the bound is crossed, if one was given, and a row for each place."""
    asked = [] if found.at_most is None else [f"<= {abbreviated(format_rational(found.at_most))}"]
    rows = [[*map(shown, found.over), found.number, *asked]]
    for point in found.points:
        holds = [_YES[point.holds]] * len(asked)
        rows.append([*map(brief, point.at), cell(point), *holds])
    lines = [*verdict(found), f"{found.number} {_question(found)}:", *aligned(rows)]
    if any(point.value is None for point in found.points):
        lines.append("Intervals are rounded outward.")
    return "\n".join(lines)


def cell(point: SweepPoint) -> str:
    """What is known at a place: a number, or the interval that it is in."""
    if point.value is not None:
        return _exact(point.value)
    if point.upper is None:
        return "none" if point.met else f"at least {decimal_text(point.lower, 12)}"
    return " .. ".join(readable_interval(point.lower, point.upper))


def _exact(q: Fraction) -> str:
    """A number in full where that is short; a long one below 1/1000 as decimals and a power of ten."""
    if len(format_rational(q)) <= _LONG or not 0 < q < Fraction(1, 1000):
        return readable(q)
    exponent = 0
    while q < 1:
        q, exponent = q * 10, exponent + 1
    return f"{decimal_text(q, 6)} * 10^-{exponent}"


def verdict(found: Sweep) -> list[str]:
    """What is proved of where the number is at most the bound; nothing if there is no bound."""
    if found.at_most is None:
        return []
    (name, values), bound = next(iter(found.over.items())), abbreviated(format_rational(found.at_most))
    within, above = f"{found.number} <= {bound}", f"{found.number} > {bound}"
    ends = f"{name} = {brief(values[0])} to {brief(values[-1])}"
    if found.never:
        return [f"{above} at every value of {ends}."]
    if found.every:
        least = "not known" if found.least is None else f"{name} = {brief(found.least)}"
        return [f"The least value of {ends} with {within} is {least}."]
    known = [point for point in found.points if point.holds is not None]
    sides = [(one, other) for one, other in pairwise(known) if one.holds is not other.holds]
    lines = [
        f"Whether {within} at {name} = {brief(point.at[0])} is not decided; try a smaller --gap."
        for point in found.points
        if point.holds is None
    ]
    if found.crossing is not None:
        least, most = map(brief, found.crossing)
        lines.append(f"{within} at {name} = {least}, and {above} at {name} = {most}.")
    elif found.least is not None:
        lines.append(f"{within} at {name} = {brief(found.least)}, the first value of the range.")
    elif sides:
        first, last = (f"{name} = {brief(point.at[0])}" for point in sides[0])
        lines.append(
            f"Between {first} and {last} two neighbouring values have {within} at one, {above} at the other."
        )
    elif len(known) == min(2, len(values)):
        lines.append(f"{above} at both ends of {ends}.")
    if rest := len(values) - len(found.points):
        lines.append(f"{rest:,} of {len(values):,} values were not computed; --all computes them.")
    return lines


def _question(found: Sweep) -> str:
    """What was asked, and over which parameters."""
    asked = next((name, text) for name in ("delta", "alpha", "epsilon") if (text := found.question[name]))
    words = "with delta <= {}" if asked[0] == "delta" else f"at {asked[0]} = {{}}"
    return f"{words.format(asked[1])}, over {' and '.join(map(shown, found.over))}"


def drawing(found: Sweep) -> Drawing:
    """The picture: over one parameter a line, over two a map; places without an upper end are left out."""
    points = [point for point in found.points if point.upper is not None]
    sign = {"delta": "δ", "epsilon": "ε"}[found.number]
    words = tuple(
        f"At {', '.join(f'{name} = {brief(x)}' for name, x in zip(found.over, point.at, strict=True))}, "
        f"{sign} is {cell(point)}."
        for point in points
    )
    title = f"{sign} {_question(found)}"
    if len(found.over) == 1:
        return Drawing(drawn_chart(_chart(found, points, sign, title)), title, words)
    (across, first), (up, second) = found.over.items()
    cells = {
        (first.index(point.at[0]), second.index(point.at[1])): (
            float(point.upper or 0),
            f"{float(point.upper or 0):.3g}",
        )
        for point in points
    }
    names = [[brief(value) for value in values] for values in (first, second)]
    return Drawing(drawn_heat_map(HeatMap(title, across, up, names[0], names[1], cells)), title, words)


def _chart(found: Sweep, points: list[SweepPoint], sign: str, title: str) -> Chart:
    ((name, values),) = found.over.items()
    uppers = [(float(point.at[0]), float(point.upper or 0)) for point in points]
    joined = [ChartSeries("", uppers)] if len(found.points) == found.places else []
    series = [*joined, ChartSeries(f"{sign} where it was computed", uppers, "dot", dots=True)]
    if found.at_most is not None:
        bound = float(found.at_most)
        ends = [(float(values[0]), bound), (float(values[-1]), bound)]
        series.append(ChartSeries(f"the bound {abbreviated(format_rational(found.at_most))}", ends, "limit"))
    band = [
        (x, float(point.lower), high)
        for point, (x, high) in zip(points, uppers, strict=True)
        if any(one.value is None for one in points)
    ]
    return Chart(title, name, sign, series, band, begin=float(values[0]))
