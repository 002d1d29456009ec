"""The page of a curve: δ at many ε, next to what bounds it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from prover.accounting.certificates import profile_certificate
from prover.certificate.schema import Certificate
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve, CurvePoint
from prover.errors import short_name
from prover.exact.readable import brief
from prover.report.code import with_code
from prover.report.curve import breakpoint_text, curve_json, rounding, table_rows
from prover.report.page.certificate import proof_section
from prover.report.page.chains import assumptions_section, model_section, pair_text
from prover.report.page.curves import delta_chart, profile_series
from prover.report.page.document import Block, Figure, Page, Section, Table, Text
from prover.report.picture.chart import Series, drawn_chart

_BOUNDS = (
    ("bd", "bd, a bound both ways", "limit"),
    ("ld", "ld, a bound", "bound"),
    ("ld_least", "the least ld so far, a bound", "other"),
)


_MISSING = (
    "There is no certificate of this curve: that takes bounds for all ε at once, as with --certificate."
)
_NEVER = "There is no certificate of this curve. Single points of it are proved by prover delta."


def summary(answer: Curve) -> Page:
    """The beginning of the page, with the curve alone."""
    found = curve_json(answer)
    about = breakpoint_text(found)
    pair = (
        "any two related secrets" if answer.source is None else pair_text(answer.source, answer.target or "")
    )
    first, last = answer.points[0], answer.points[-1]
    ends = f"from {_delta(first)} at ε = {_place(first):.6g} to {_delta(last)} at ε = {_place(last):.6g}"
    return Page(
        title="How does δ fall as ε grows?",
        question=f"How does δ fall as ε grows, for {pair}?",
        answer=f"δ falls {ends}" + (", and is known for every ε" if about else ""),
        meaning=[] if about is None else [about + "."],
        sections=[Section("The curve", [picture(answer), _table(found["kind"], table_rows(found))])],
    )


def curve_page(answer: Curve, proof: Certificate | None = None) -> Page:
    """The page of a curve; ``proof`` is its certificate, if that is made already."""
    begun, system = summary(answer), answer.system
    missing = _MISSING if isinstance(system, LabelledMarkovChain) else _NEVER
    pair = [name for name in (answer.source, answer.target) if name is not None]
    sections = [
        *begun.sections,
        model_section(system, pair),
        assumptions_section(system),
        proof_section([("of the curve", lambda: proof or _certificate(answer))], missing),
    ]
    return with_code(replace(begun, sections=sections), system)


def _certificate(answer: Curve) -> Certificate | None:
    if answer.exact is None or not isinstance(answer.system, LabelledMarkovChain):
        return None
    return profile_certificate(answer.system, answer)


def _delta(point: CurvePoint) -> str:
    return brief(point.upper) if point.lower == point.upper else f"at most {brief(point.upper)}"


def _place(point: CurvePoint) -> float:
    return math.log(point.alpha) if point.slope.epsilon is None else float(point.slope.epsilon)


def picture(answer: Curve, *, logarithmic: bool = False) -> Figure:
    """Exact curves as lines; else the chords of upper ends, which bound δ, and below them lower ends."""
    places = [_place(point) for point in answer.points]
    uppers = [(x, float(point.upper)) for x, point in zip(places, answer.points, strict=True)]
    bounds = [series for name, title, look in _BOUNDS for series in _bound(answer, places, name, title, look)]
    band: list[tuple[float, float, float]] = []
    if answer.exact is not None:
        last = max([*places, 1e-9])
        line = profile_series(answer.exact, last, f"δ{_whose(answer)}, exactly")
    else:
        band = [(x, float(point.lower), high) for (x, high), point in zip(uppers, answer.points, strict=True)]
        line = Series(f"δ{_whose(answer)}, is in the band", uppers)
    series = [*bounds, line, Series("what was asked", uppers, "dot", dots=True)]
    heights = [y for one in (*bounds, series[-1]) for _, y in one.points if y > 0]
    title = f"δ{_whose(answer)}, and its bounds as ε grows"
    chart = delta_chart(series, title, band, min(heights, default=1e-9) if logarithmic else 0.0)
    words = [f"At α = {brief(point.alpha)} δ is {_delta(point)}." for point in answer.points]
    return Figure(drawn_chart(chart), "δ as ε grows, and distances that bound it.", words)


def _whose(answer: Curve) -> str:
    """Of whom δ is, behind its name."""
    if answer.source is None or answer.target is None:
        return " of the relation"
    if answer.kind == "tv":
        return f" of {pair_text(answer.source, answer.target)}"
    return f" from {short_name(answer.source)} to {short_name(answer.target)}"


def _bound(answer: Curve, places: Sequence[float], name: str, title: str, look: str) -> list[Series]:
    """The line of a bound, where it is known everywhere and no other line."""
    values = [getattr(point, name) for point in answer.points]
    if any(value is None for value in values):
        return []
    if name == "ld_least" and all(point.ld_least == point.ld for point in answer.points):
        return []
    return [Series(title, [(x, float(y)) for x, y in zip(places, values, strict=True)], look)]


def _table(kind: str, rows: list[list[str]]) -> Block:
    heading, *cells = rows
    told = " ".join(rounding(kind, rows)) or "Nothing was asked."
    return Table(told, heading, cells, tuple(range(len(heading)))) if cells else Text(told)
