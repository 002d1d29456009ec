"""Rényi divergences and the ρ of zCDP: as text for people, as JSON objects, and as pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.accounting.renyi import Divergences
from prover.accounting.zcdp import Concentration
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import shown
from prover.exact.divergence import DIGITS, RenyiDivergence, order_text
from prover.exact.rational import decimal_text, format_rational
from prover.exact.readable import brief, upper_text
from prover.report.certificate import proof_section
from prover.report.chains import assumptions_section, model_section, pair_text
from prover.report.document import Document, PageTable, Section, Text
from prover.report.reply import Reply


def reply_of(answer: Divergences, *, gap: Fraction, certified: bool) -> Reply:
    """The reply of ``prover renyi``, with its certificate if it is wanted."""
    return Reply(
        document(answer).text,
        renyi_json(answer.kind, answer.source, answer.target, answer.orders, answer.rho),
        answer.certificate.data if certified else None,
        all(is_narrow(one, gap) for one in answer.orders),
        obstacle="some divergences are wider intervals than --gap, or have no upper bound",
        so_far=next((one.headline for one in answer.orders if one.says_something), ""),
    )


def nothing_proved(
    orders: Sequence[Fraction | None], kind: str, source: str | None, target: str | None
) -> Reply:
    """The reply if the time is up before anything is proved."""
    known = [RenyiDivergence(order, Fraction(1), None) for order in orders]
    text = "Every divergence is at least 0. No other bound is proved yet."
    return Reply(text, renyi_json(kind, source, target, known, None), None, exact=False)


def renyi_json(
    kind: str,
    source: str | None,
    target: str | None,
    orders: Sequence[RenyiDivergence],
    rho: Concentration | None,
) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    return {
        "kind": "renyi",
        "of": "delta" if kind == "tv" else kind,
        "from": source,
        "to": target,
        **divergences_json(orders, rho),
    }


def divergences_json(orders: Sequence[RenyiDivergence], rho: Concentration | None) -> dict[str, Any]:
    """Divergences and ρ, as JSON objects hold them."""
    rows = [
        {
            "order": order_text(one.order),
            "moment": "inf" if one.moment_lower is None else _exact(one),
            "lower": _decimal(one.lower),
            "upper": _decimal(one.upper),
        }
        for one in orders
    ]
    return {"orders": rows, "zcdp": None if rho is None else _rho_json(rho)}


def _rho_json(rho: Concentration) -> Mapping[str, Any]:
    found = {"lower": _decimal(rho.lower), "upper": _decimal(rho.upper)}
    approximate = None
    if rho.without is not None:
        approximate = {"delta": format_rational(rho.delta), "upper": _decimal(rho.without)}
    return {**found, "approximate": approximate}


def _exact(one: RenyiDivergence) -> str | None:
    return None if one.moment is None else format_rational(one.moment)


def _decimal(number: Fraction | None) -> str:
    return "inf" if number is None else decimal_text(number, DIGITS)


def is_narrow(one: RenyiDivergence, gap: Fraction) -> bool:
    """Whether a divergence is infinite, or an interval that is not wider than ``gap``."""
    if one.lower is None:
        return True
    return one.upper is not None and one.upper - one.lower <= gap


def document(answer: Divergences) -> Document:
    """The divergences in a table, and ρ in words."""
    secrets = [name for name in (answer.source, answer.target) if name is not None]
    pair = pair_text(*secrets) if len(secrets) == 2 else "all related secrets"
    chosen = isinstance(answer.system, LabelledMarkovDecisionProcess)
    against = ", against every attacker" if chosen else ""
    ways = "in both directions" if answer.kind == "tv" else "from the first secret to the second"
    first = answer.orders[0]
    return Document(
        lines=lambda: _lines(answer, chosen=chosen),
        title="How large are the Rényi divergences?",
        question=f"How large are the Rényi divergences of {pair}{against}?",
        answer=f"of order {sign(first)} it is {phrase(first)}",
        meaning=rho_lines(answer.rho, typeset=True),
        opening=lambda: [
            Section(
                "The divergences",
                [divergences_table(answer.orders), Text(f"Each is the largest {ways}.", "quiet")],
            )
        ],
        after=lambda: [
            model_section(answer.system, secrets),
            assumptions_section(answer.system),
            proof_section([("of the divergences", lambda: answer.certificate)]),
        ],
        systems=[answer.system],
    )


def _lines(answer: Divergences, *, chosen: bool) -> list[str]:
    kind = "tv" if answer.kind == "tv" else "lv"
    pair = "the relation" if answer.source is None else shown(f"({answer.source}, {answer.target})")
    ways = {"tv": "both directions", "lv": "from the first to the second"}[kind]
    lines = [f"Rényi divergences of {pair}, {ways}" + ", against every attacker" * chosen]
    lines += [f"  {one.headline}" for one in answer.orders]
    return [*lines, *rho_lines(answer.rho)]


def rho_lines(rho: Concentration | None, *, typeset: bool = False, certified: bool = True) -> list[str]:
    """What is known of ρ, in both directions; with ``certified`` where certificates do not prove it."""
    if rho is None:
        return []
    name = "ρ" if typeset else "rho"
    open_end = certified and not rho.provable
    unproved = [f"A certificate is about the divergences, but not about {name}."] if open_end else []
    approximate = []
    if rho.without is not None:
        delta, most = upper_text(rho.delta), decimal_text(rho.without, DIGITS)
        approximate = [f"Approximate zCDP: {name} = {most} is enough with delta = {delta}."]
    if rho.lower is None:
        infinite = f"No {name} is enough for zCDP: an output of one secret is impossible under the other."
        return [infinite, *approximate, *(unproved if approximate else [])]
    if rho.upper is None:
        ends = f"at least {decimal_text(rho.lower, DIGITS)}; no upper bound is proved"
    elif rho.upper == rho.lower:
        ends = decimal_text(rho.lower, DIGITS)
    else:
        low, high = (decimal_text(end, DIGITS) for end in (rho.lower, rho.upper))
        ends = f"at least {low} and at most {high}, rounded outward"
    return [f"zCDP: the least {name} is {ends}.", *approximate, *unproved]


def sign(one: RenyiDivergence) -> str:
    """Its order."""
    return "∞" if one.order is None else format_rational(one.order)


def phrase(one: RenyiDivergence) -> str:
    """A divergence in a sentence."""
    return one.in_words if one.lower is None or one.upper is None else f"at most {_decimal(one.upper)}"


def divergences_table(orders: Sequence[RenyiDivergence]) -> PageTable:
    """A row for each order."""
    rows = []
    for one in orders:
        moment = "∞" if one.moment_lower is None else "not exact" if one.moment is None else brief(one.moment)
        ends = ["∞" if end is None else decimal_text(end, DIGITS) for end in (one.lower, one.upper)]
        rows.append((sign(one), moment, *ends))
    caption = "The divergence is ln(moment)/(order − 1), rounded down and up; at order ∞ it is ln(moment)"
    return PageTable(caption, ("order", "moment", "at least", "at most"), rows, (0, 1, 2, 3))
