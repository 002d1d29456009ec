"""The page of a curve: δ at many ε, next to what bounds it."""

from __future__ import annotations

import math
from dataclasses import replace

from prover.accounting.certificates import profile_certificate
from prover.certificate.schema import Certificate
from prover.chain.model import LabelledMarkovChain
from prover.chain.privacy_profile import Curve, CurvePoint
from prover.errors import Fault
from prover.exact.readable import brief
from prover.report.curve import breakpoint_text, curve_json, rounding, table_rows
from prover.report.page.certificate import proof_section
from prover.report.page.chains import assumptions_section, model_section, pair_text, related
from prover.report.page.curves import delta_chart, profile_series
from prover.report.page.document import Block, Figure, Page, Section, Table, Text
from prover.report.picture.chart import Series, drawn_chart

_BOUNDS = (("ld", "ld, a bound", "bound"), ("bd", "bd, a bound both ways", "limit"))


_MISSING = (
    "There is no certificate of this curve: that takes bounds for all ε at once, as with --certificate."
)


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
    begun, chain = summary(answer), _chain(answer)
    pair = [name for name in (answer.source, answer.target) if name is not None]
    sections = [
        *begun.sections,
        model_section(chain, pair or related(chain)),
        assumptions_section(chain),
        proof_section([("of the curve", lambda: proof or _certificate(answer, chain))], _MISSING),
    ]
    return replace(begun, sections=sections)


def _chain(answer: Curve) -> LabelledMarkovChain:
    if answer.chain is None:
        raise Fault("a curve does not say which chain it is about")
    return answer.chain


def _certificate(answer: Curve, chain: LabelledMarkovChain) -> Certificate | None:
    return None if answer.exact is None else profile_certificate(chain, answer)


def _delta(point: CurvePoint) -> str:
    return brief(point.upper) if point.lower == point.upper else f"at most {brief(point.upper)}"


def _place(point: CurvePoint) -> float:
    return math.log(point.alpha) if point.slope.epsilon is None else float(point.slope.epsilon)


def picture(answer: Curve) -> Figure:
    """Exact curves as lines; else the chords of upper ends, which bound δ, and below them lower ends."""
    places = [_place(point) for point in answer.points]
    series: list[Series] = []
    for name, title, look in _BOUNDS:
        values = [getattr(point, name) for point in answer.points]
        if all(value is not None for value in values):
            series.append(Series(title, [(x, float(y)) for x, y in zip(places, values, strict=True)], look))
    band = []
    if answer.exact is not None:
        series.append(profile_series(answer.exact, max(places[-1], 1e-9), "δ, exactly"))
    else:
        ends = zip(places, answer.points, strict=True)
        band = [(x, float(point.lower), float(point.upper)) for x, point in ends]
        series.append(Series("δ is in the band", [(x, high) for x, _, high in band]))
    uppers = [(x, float(point.upper)) for x, point in zip(places, answer.points, strict=True)]
    series.append(Series("what was asked", uppers, "dot", dots=True))
    drawn = drawn_chart(delta_chart(series, "δ and its bounds as ε grows", band))
    words = [f"At α = {brief(point.alpha)} δ is {_delta(point)}." for point in answer.points]
    return Figure(drawn, "δ as ε grows, and distances that bound it.", words)


def _table(kind: str, rows: list[list[str]]) -> Block:
    heading, *cells = rows
    told = " ".join(rounding(kind, rows)) or "Nothing was asked."
    return Table(told, heading, cells, tuple(range(len(heading)))) if cells else Text(told)
