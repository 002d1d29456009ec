"""Trade-off functions between two bounds: as text for people, as JSON objects, and as pages."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from prover.accounting.enclosed_tradeoff import EnclosedTradeOff
from prover.accounting.mechanism import Mechanism
from prover.accounting.tradeoff import DIGITS, TradeOff
from prover.exact.rational import decimal_below, decimal_text, format_rational
from prover.report.account import (
    ASSUMED,
    about_runs,
    mechanism_json,
    mechanisms_table,
    models_sections,
    named,
)
from prover.report.certificate import proof_section
from prover.report.chains import assumptions_section, pair_text
from prover.report.document import Document, Figure, Listing, PageTable, Section, Text
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
from prover.report.program_losses import assumed, ends_lines, ends_section, program_sections
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.tables import aligned
from prover.report.tradeoff import BETWEEN, HEADING_BETWEEN, least_sum, rows_between, sum_of_errors

_PLACES = 6
_LEAST = "The second column and the upper end of mu hold for all neighbouring inputs."
_LEAST_ALONE = "The second column holds for all neighbouring inputs."
_NONE = "no upper bound is proved, as the second column begins below 1"
_MOST = "The third column and the lower end of mu are proved by these inputs:"
_EXACT = (
    "No test of {} has a smaller error than the second column says. Both columns are one function, rounded "
    "down and up; its vertices are in the answer of --json."
)
_COLUMNS = "The second column holds", "the third one holds"
_ALONE = "that no test errs less", "that the function is not above"
NARROW, NARROW_TOGETHER = Fraction(1, 10**5), Fraction(1, 10**4)
"""How wide an interval of errors counts as an answer; and where laws are multiplied on a grid."""


def reply_of(answer: EnclosedTradeOff, *, certified: bool) -> Reply:
    """The reply of ``prover tradeoff`` about a mechanism with noise, or about a chain in both directions."""
    low, high = ([[format_rational(x) for x in row] for row in one.vertices] for one in _both(answer))
    lower = answer.lower_certificate if certified else None
    return Reply(
        document(answer).text,
        _json(answer, low, high, _gaussian(answer)),
        answer.certificate.data if certified else None,
        exact=answer.has_two_proofs or answer.width <= _narrow(answer),
        obstacle=f"the two functions are more than {decimal_text(_narrow(answer), 5)} apart somewhere",
        lower_certificate=None if lower is None else lower.data,
        so_far=so_far("least sum of both errors", *map(least_sum, (answer.fewest, answer.most))),
    )


def _narrow(answer: EnclosedTradeOff) -> Fraction:
    return NARROW if answer.account is None else NARROW_TOGETHER


def nothing_proved(*, together: bool = False) -> Reply:
    """The reply if the time is up before anything is proved."""
    json = _account_json([], None, None, None) if together else _json(None, None, None, None)
    return Reply("Nothing is proved yet.", json, None, exact=False)


def _account_json(mechanisms: Sequence[Mechanism], fewest: Any, most: Any, gaussian: Any) -> dict[str, Any]:
    return {
        "kind": "tradeoff-account",
        "mechanisms": [mechanism_json(part) for part in mechanisms],
        "lower": fewest,
        "upper": most,
        "gaussian": gaussian,
    }


def _json(answer: EnclosedTradeOff | None, fewest: Any, most: Any, gaussian: Any) -> dict[str, Any]:
    if answer is not None and answer.account is not None:
        return _account_json(answer.mechanisms, fewest, most, gaussian)
    if answer is not None and answer.mechanism.secrets is not None:
        secrets = answer.mechanism.secrets
        return {
            "kind": "tradeoff",
            "of": "delta",
            "from": secrets.source,
            "to": secrets.target,
            "vertices": None,
            "lower": fewest,
            "upper": most,
            "gaussian": gaussian,
        }
    mechanism = None if answer is None else mechanism_json(answer.mechanism)
    return {
        "kind": "tradeoff-program",
        "mechanism": mechanism,
        "lower": fewest,
        "upper": most,
        "gaussian": gaussian,
    }


def _both(answer: EnclosedTradeOff) -> Sequence[TradeOff]:
    return answer.fewest, answer.most


def _gaussian(answer: EnclosedTradeOff) -> dict[str, str]:
    ends = ("inf" if end is None else decimal_text(end, DIGITS) for end in answer.gaussian)
    return dict(zip(("lower", "upper"), ends, strict=True))


def document(answer: EnclosedTradeOff) -> Document:
    """Both functions as a table and a picture, and what they say of Gaussian differential privacy."""
    parts, rows = answer.mechanisms, rows_between(*_both(answer))
    chains = [part.secrets.chain for part in parts if part.secrets is not None]
    alone = bool(chains) and answer.account is None
    least = _LEAST_ALONE if answer.gaussian[1] is None else _LEAST
    first, second = ("of both functions", "") if not answer.has_two_proofs else _ALONE
    assumptions = [ASSUMED[-1]] if answer.account is None else ASSUMED
    return Document(
        lines=lambda: [
            *_mechanisms(answer),
            f"The least errors of tests of {_about(answer)}:",
            *aligned([list(HEADING_BETWEEN), *map(list, rows)]),
            *_words(answer, "mu"),
            *ends_lines(parts, least, _MOST),
        ],
        title="How often must a test err?",
        question=f"How often must a test of {_asked(answer)} err?",
        answer=sum_of_errors(answer.fewest, answer.most, _rounded_down),
        meaning=_words(answer, "μ"),
        opening=lambda: [
            Section(
                "The trade-off function", [picture(answer), PageTable("", HEADING_BETWEEN, rows, (0, 1, 2))]
            ),
            *([] if answer.account is None else [_table(answer)]),
        ],
        after=lambda: [
            *ends_section(parts, least, _MOST),
            *program_sections(parts, 1),
            *models_sections(parts),
            *(map(assumptions_section, chains) if alone else ()),
            *([] if alone else [Section("What is assumed", [Listing([*assumptions, *assumed(parts)])])]),
            proof_section([(first, lambda: answer.certificate), (second, lambda: answer.lower_certificate)]),
        ],
        systems=chains,
    )


def _rounded_down(number: Fraction) -> str:
    return decimal_text(decimal_below(number, _PLACES), _PLACES)


def _mechanisms(answer: EnclosedTradeOff) -> list[str]:
    """All that run, if there is an account of them."""
    if answer.account is None:
        return []
    parts = answer.mechanisms
    return [
        *aligned([(f"{part.times:,} x", named(part)) for part in parts]),
        *about_runs(parts, _COLUMNS),
        "",
    ]


def _table(answer: EnclosedTradeOff) -> Section:
    parts = answer.mechanisms
    return Section("The mechanisms", [mechanisms_table(parts), *map(Text, about_runs(parts, _COLUMNS))])


def _about(answer: EnclosedTradeOff) -> str:
    """What is tested, before a table."""
    if answer.account is not None:
        return "all runs together"
    if answer.mechanism.secrets is None:
        return f"one run of {named(answer.mechanism)}"
    return f"{_tested(answer)}, between two bounds"


def _asked(answer: EnclosedTradeOff) -> str:
    """What a test tells apart, and of which runs, in a question."""
    total = sum(part.times for part in answer.mechanisms)
    if answer.account is not None:
        runs = f"{total:,} runs together" if total > 1 else f"one run of {named(answer.mechanism)}"
        return f"{_tested(answer)} of {runs}"
    secrets = answer.mechanism.secrets
    return _tested(answer) + (f" of {named(answer.mechanism)}" if secrets is None else "")


def _words(answer: EnclosedTradeOff, name: str) -> list[str]:
    low, high = answer.gaussian
    if low is None:
        gaussian = f"No {name} is enough for Gaussian differential privacy: a test can be certain."
    else:
        most = _NONE if high is None else f"at most {decimal_text(high, DIGITS)}"
        least = f"the least {name} is at least {decimal_text(low, DIGITS)}; {most}"
        gaussian = f"Gaussian differential privacy: {least}."
    between = _EXACT if answer.exact else BETWEEN
    return [between.format(_tested(answer)), gaussian, _proved(answer, name)]


def _tested(answer: EnclosedTradeOff) -> str:
    """What a test tells apart."""
    secrets = answer.mechanism.secrets
    if answer.account is not None:
        return "any secrets" if not answer.has_two_proofs else "any secrets or neighbouring inputs"
    if secrets is None:
        return "any neighbouring inputs"
    named = secrets.source is not None and secrets.target is not None
    return pair_text(str(secrets.source), str(secrets.target)) if named else "any related secrets"


def _proved(answer: EnclosedTradeOff, name: str) -> str:
    """What certificates prove of it."""
    lower, upper = (f" and the {end} end of {name}" for end in ("lower", "upper"))
    below, above = answer.gaussian_proofs
    if not answer.has_two_proofs:
        ends = f" and both ends of {name}" if below and above else lower * bool(below) + upper * bool(above)
        return f"A certificate proves both columns{ends}."
    least = "proves the second column" + (upper if above else "")
    if answer.reveals:
        return f"One certificate {least}, another one the third column{lower if below else ''}."
    return f"A certificate {least}."


def picture(answer: EnclosedTradeOff) -> Figure:
    """Both functions, and the line of a guess without a look."""
    names = ("no test errs less", "the trade-off function is not above")
    series = [
        ChartSeries("guesses that ignore the output", [(0.0, 1.0), (1.0, 0.0)], "bound"),
        *(
            ChartSeries(name, [(float(x), float(y)) for x, y in one.vertices], look)
            for name, one, look in zip(names, _both(answer), ("curve", "other"), strict=True)
        ),
    ]
    rows = rows_between(*_both(answer))
    words = [f"At {x} it is at least {low} and at most {high}." for x, low, high in rows]
    title = "The least errors of tests"
    return Figure(drawn_chart(Chart(title, "one error", "the other error", series)), f"{title}.", words)
