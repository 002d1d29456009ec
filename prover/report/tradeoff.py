"""Trade-off functions: as text for people, as JSON objects, and as pages with a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from prover.accounting.tested import SecretTradeOff
from prover.accounting.tradeoff import DIGITS, TradeOff
from prover.chain.model import LabelledMarkovChain
from prover.errors import short_name
from prover.exact.rational import decimal_above, decimal_below, decimal_text, format_rational
from prover.exact.readable import brief
from prover.report.certificate import proof_section
from prover.report.chains import assumptions_section, model_section, pair_text
from prover.report.document import Document, Figure, PageTable, Section
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
from prover.report.reply import Reply
from prover.report.tables import aligned

MOST_ROWS = 20
"""Vertices that people are shown."""

HEADING_BETWEEN = ("one error", "the other is at least", "at most")
BETWEEN = (
    "No test of {} has a smaller error than the second column says. The trade-off "
    "function, the largest convex one of which this is true, is at most the third column."
)
"""What a table of two functions says of tests of two secrets, under its heading."""

_SHOWN = [Fraction(n, 100) for n in (0, 1, 2, 5, 10, 20, 30, 40, 50)]
_PLACES = 6
_STEPS = 80


def reply_of(answer: SecretTradeOff, *, certified: bool) -> Reply:
    """The reply of ``prover tradeoff``, with its certificate if it is wanted."""
    certificate = answer.certificate.data if certified else None
    return Reply(
        document(answer).text,
        tradeoff_json(answer),
        certificate,
        exact=answer.most is None,
        obstacle="the trade-off function of this process is not found exactly",
    )


def nothing_proved(kind: str, source: str | None, target: str | None) -> Reply:
    """The reply if the time is up before anything is proved."""
    return Reply("Nothing is proved yet.", _head(kind, source, target, None, None), None, exact=False)


def tradeoff_json(answer: SecretTradeOff) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    vertices = _listed(answer.function)
    if answer.most is not None:
        ends = {"lower": vertices, "upper": _listed(answer.most)}
        return _head(answer.kind, answer.source, answer.target, None, None) | ends
    return _head(answer.kind, answer.source, answer.target, vertices, _gaussian_json(answer.gaussian))


def _listed(function: TradeOff) -> list[list[str]]:
    return [[format_rational(x), format_rational(y)] for x, y in function.vertices]


def _head(
    kind: str,
    source: str | None,
    target: str | None,
    vertices: list[list[str]] | None,
    gaussian: dict[str, str] | None,
) -> dict[str, Any]:
    return {
        "kind": "tradeoff",
        "of": "delta" if kind == "tv" else kind,
        "from": source,
        "to": target,
        "vertices": vertices,
        "lower": None,
        "upper": None,
        "gaussian": gaussian,
    }


def _gaussian_json(gaussian: tuple[Fraction, Fraction] | None) -> dict[str, str]:
    ends = ("inf", "inf") if gaussian is None else [decimal_text(end, DIGITS) for end in gaussian]
    return dict(zip(("lower", "upper"), ends, strict=True))


def rows_between(fewest: TradeOff, most: TradeOff) -> list[tuple[str, str, str]]:
    """Some errors, and what both functions are there, rounded down and up."""
    return [
        (
            decimal_text(x, 2),
            decimal_text(decimal_below(fewest.value(x), _PLACES), _PLACES),
            decimal_text(decimal_above(most.value(x), _PLACES), _PLACES),
        )
        for x in _SHOWN
    ]


def document(answer: SecretTradeOff) -> Document:
    """The function as a table and a picture, and what it says of Gaussian differential privacy."""
    secrets = [name for name in (answer.source, answer.target) if name is not None]
    pair = _tested(answer, "all related secrets")
    whose = "" if isinstance(answer.system, LabelledMarkovChain) else "any attacker's "
    rows = _rows(answer)
    return Document(
        lines=lambda: [
            f"The least errors of {whose}tests of {pair}:",
            *aligned([list(_heading(answer)), *map(list, rows)]),
            *_more(answer),
            *_gaussian_text(answer, "mu"),
        ],
        title="How often must a test err?",
        question=f"How often must {whose or 'a '}test of {pair} err?",
        answer=sum_of_errors(answer.function, answer.most or answer.function, brief),
        meaning=_gaussian_text(answer, "μ"),
        opening=lambda: [
            Section("The trade-off function", [picture(answer), _table(answer, rows)]),
        ],
        after=lambda: [
            model_section(answer.system, secrets),
            assumptions_section(answer.system),
            proof_section([("of the trade-off function", lambda: answer.certificate)]),
        ],
        systems=[answer.system],
    )


def least_sum(function: TradeOff) -> Fraction:
    """The least sum of both errors."""
    return min(x + y for x, y in function.vertices)


def sum_of_errors(fewest: TradeOff, most: TradeOff, below: Callable[[Fraction], str]) -> str:
    """What is known of the least sum of both errors of a test, where the trade-off function is between two.

    ``below`` writes a number rounded down, if it rounds.
    """
    least, largest = map(least_sum, (fewest, most))
    if (text := below(least)) != "0":
        return f"in no test is the sum of both errors below {text}"
    if largest < 1:
        text = decimal_text(decimal_above(largest, _PLACES), _PLACES)
        return f"the least sum of both errors of a test is at most {text}"
    return (
        "in no test is the sum of both errors 0"
        if least
        else "nothing is known so far of the errors of tests"
    )


def _tested(answer: SecretTradeOff, related: str) -> str:
    """The pair of secrets, or what is said of those that are related."""
    if answer.source is None or answer.target is None:
        return related
    return pair_text(answer.source, answer.target)


def _heading(answer: SecretTradeOff) -> tuple[str, ...]:
    if answer.most is not None:
        return HEADING_BETWEEN
    if answer.kind == "lv" and answer.source is not None and answer.target is not None:
        s, t = short_name(answer.source), short_name(answer.target)
        return f"P[guess {t} | {s}]", f"P[guess {s} | {t}]"
    return "one error", "the other is at least"


def _rows(answer: SecretTradeOff) -> Sequence[tuple[str, ...]]:
    if answer.most is not None:
        return rows_between(answer.function, answer.most)
    return [(brief(x), brief(y)) for x, y in answer.function.vertices[:MOST_ROWS]]


def _more(answer: SecretTradeOff) -> list[str]:
    if answer.most is not None:
        return [BETWEEN.format(_tested(answer, "any related secrets"))]
    left = len(answer.function.vertices) - MOST_ROWS
    listed = [f"and {left:,} more vertices"] if left > 0 else []
    return [*listed, "Between these vertices the function is linear."]


def _gaussian_text(answer: SecretTradeOff, name: str) -> list[str]:
    if answer.most is not None:
        return []
    if answer.gaussian is None:
        return [f"No {name} is enough for Gaussian differential privacy: a test can be certain of a secret."]
    low, high = (decimal_text(end, DIGITS) for end in answer.gaussian)
    ends = low if low == high else f"at least {low} and at most {high}"
    found = f"Gaussian differential privacy: the least {name} is {ends}."
    unproved = f"A certificate proves the function, but not {name}."
    return [found] if answer.gaussian_proof else [found, unproved]


def _table(answer: SecretTradeOff, rows: Sequence[tuple[str, ...]]) -> PageTable:
    numbers = tuple(range(len(_heading(answer))))
    return PageTable(" ".join(_more(answer)), _heading(answer), rows, numbers, hidden=len(rows) > 8)


def picture(answer: SecretTradeOff) -> Figure:
    """The function, the line of a guess without a look, and the Gaussian curve of the least μ."""
    vertices = answer.function.vertices
    series = [
        ChartSeries("guesses that ignore the output", [(0.0, 1.0), (1.0, 0.0)], "bound"),
        ChartSeries(
            "the trade-off function, exactly" if answer.most is None else "no test errs less",
            [(float(x), float(y)) for x, y in vertices],
        ),
    ]
    if answer.most is not None:
        attained = [(float(x), float(y)) for x, y in answer.most.vertices]
        series.append(ChartSeries("the trade-off function is not above", attained, "other"))
    if answer.gaussian is not None and answer.gaussian[1] > 0:
        normal, shift = NormalDist(), float(answer.gaussian[1])
        inner = [k / _STEPS for k in range(1, _STEPS)]
        points = [(x, normal.cdf(normal.inv_cdf(1 - x) - shift)) for x in inner]
        series.append(ChartSeries("that of Gaussian noise", [(0.0, 1.0), *points, (1.0, 0.0)], "other"))
    across, up = ("type I error", "type II error") if answer.kind == "lv" else _heading(answer)[:2]
    words = [f"At {brief(x)} it is {brief(y)}." for x, y in vertices[:MOST_ROWS]]
    if answer.most is not None:
        words = [f"At {x} it is at least {low} and at most {high}." for x, low, high in _rows(answer)]
    title = "The least errors of tests of two secrets"
    return Figure(drawn_chart(Chart(title, across, up, series)), f"{title}.", words)
