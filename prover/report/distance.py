"""Distances as text for people, as JSON objects for machines, and as pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from prover.chain.answer import Distance, DistanceTable, is_against_attackers, symbol
from prover.chain.arguments import Slope
from prover.chain.kinds import DELTA_KINDS
from prover.errors import short_name, shown
from prover.exact.rational import decimal_text, format_rational, rational_or_null, texts_or_null, total
from prover.exact.readable import between, factor_text, readable, readable_interval, upper_text
from prover.report.certificate import proof_section
from prover.report.chains import (
    assumptions_section,
    both_notations,
    model_section,
    pair_text,
    system_of,
)
from prover.report.document import LOOKS, Document, Facts, PageTable, Section, Text
from prover.report.names import with_letters
from prover.report.promise import NOT_PROVED, promise, trivial
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.tables import aligned
from prover.report.verdict import asked_text, is_at_most, with_verdict

if TYPE_CHECKING:
    from prover.chain.unrolling.answer import Delta, InteractiveDelta


TABLE_HEADING = ("from", "to", "distance")
_CLOSED = Fraction(0)
_TITLE = "How far apart are two secrets?"


def reply_of(answer: Distance | DistanceTable, *, certified: bool, at_most: Fraction | None = None) -> Reply:
    """The reply of a command whose answer this is, with its certificate if that is wanted.

    With ``at_most`` it says whether the distance, or every one of a table, is at most that.
    """
    proof = answer.certificate.data if certified else None
    if isinstance(answer, DistanceTable):
        proved = _table_so_far(answer)
        reply = Reply(document(answer).text, table_json(answer), proof, answer.exact, so_far=proved)
        holds = _all_at_most(answer, at_most)
    else:
        proved = so_far(answer.kind, answer.lower, answer.upper)
        json = {"kind": answer.kind, **bounds_json(answer), "engine": answer.engine, **_further(answer)}
        reply = Reply(document(answer).text, json, proof, answer.value is not None, so_far=proved)
        holds = is_at_most(answer.lower, answer.upper, at_most)
        if answer.engine in ("linear", "nonlinear"):
            reply = replace(reply, obstacle="the solver gives up on a formula, or exact numbers are too long")
    return with_verdict(reply, at_most, holds)


def _all_at_most(answer: DistanceTable, at_most: Fraction | None) -> bool | None:
    """Whether every distance is at most that; None if that is not asked, or not known."""
    if at_most is None:
        return None
    return is_at_most(max(answer.lower.values()), max(answer.upper.values()), at_most)


def _table_so_far(answer: DistanceTable) -> str:
    widths = [upper - lower if lower < upper else _CLOSED for _, lower, upper in answer.bounds()]
    known, widest = widths.count(_CLOSED), max(widths)
    if widest == 1:
        return f"{answer.kind} of {known:,} of {len(widths):,} pairs"
    return f"{answer.kind} of {known:,} of {len(widths):,} pairs, else up to {upper_text(widest)} wide"


def width(answer: Distance | DistanceTable) -> Fraction:
    """How much of the answer is open: the width of its interval, of a table the sum of the widths."""
    if isinstance(answer, DistanceTable):
        return total(upper - lower for _, lower, upper in answer.bounds() if lower < upper)
    return answer.width


def nothing_proved(
    kind: str,
    slope: Slope | None,
    source: str | None,
    target: str | None,
    *,
    all_pairs: bool,
    at_most: Fraction | None = None,
) -> Reply:
    """The reply of a command that was ended before it proved anything: every distance is in [0, 1]."""
    bounds: dict[str, Any] = {"lower": "0", "upper": "1", "value": None}
    if all_pairs:
        bounds = {"lower": {}, "upper": {}, "value": None, "values": {}}
    head = {"kind": kind, **slope_json(slope, both=kind in DELTA_KINDS), "from": source, "to": target}
    text = f"0 <= {symbol(kind, None if slope is None else slope.upper)} <= 1\n{NOT_PROVED}"
    reply = Reply(text, head | bounds | {"engine": "trivial"}, None, exact=False)
    return with_verdict(reply, at_most, is_at_most(Fraction(0), Fraction(1), at_most))


def slope_json(slope: Slope | None, *, both: bool) -> dict[str, Any]:
    """Where a number was asked for: α, or ε with the α of its upper and, if there are ``both``, lower end.

    Distances that need not fall with α have both ends at one α, just below e^ε.
    """
    if slope is None or slope.epsilon is None:
        return {"alpha": None if slope is None else rational_or_null(slope.alpha)}
    return {
        "alpha": None,
        "epsilon": format_rational(slope.epsilon),
        "alpha_upper": format_rational(slope.upper),
        "alpha_lower": format_rational(slope.lower if both else slope.upper),
    }


def slope_of(answer: Distance | DistanceTable) -> Slope | None:
    """Where a distance was asked for."""
    return None if answer.alpha is None else Slope(answer.epsilon, answer.alpha, answer.alpha)


def bounds_json(answer: Distance | Delta | InteractiveDelta) -> dict[str, Any]:
    """What distances and δ have in common: where they were asked for, and the bounds."""
    slope = slope_of(answer) if isinstance(answer, Distance) else answer.slope
    return {
        **slope_json(slope, both=True),
        "from": answer.source,
        "to": answer.target,
        "lower": format_rational(answer.lower),
        "upper": format_rational(answer.upper),
        "value": rational_or_null(answer.value),
    }


def _further(answer: Distance | DistanceTable) -> dict[str, Any]:
    """What is said only where it holds: bisimilar states are one, an attacker chooses, δ is the lower end."""
    chosen = is_against_attackers(answer)
    from_delta = isinstance(answer, Distance) and answer.from_delta
    further = ({"merged": True} if answer.merged else {}) | ({"attackers": "all"} if chosen else {})
    return further | ({"lower_from": "delta"} if from_delta else {})


def table_json(answer: DistanceTable) -> dict[str, Any]:
    """The JSON object of all distances: tables by the name of the first state, then of the second."""
    lower = _nested(answer.lower)
    upper = lower if answer.upper is answer.lower else _nested(answer.upper)
    return {
        "kind": answer.kind,
        **slope_json(slope_of(answer), both=True),
        "from": None,
        "to": None,
        "lower": lower,
        "upper": upper,
        "value": None,
        "values": lower if answer.exact else _common(lower, upper),
        "engine": answer.engine,
        **_further(answer),
    }


def _nested(table: Mapping[tuple[str, str], Fraction | None]) -> dict[str, dict[str, str | None]]:
    nested: dict[str, dict[str, str | None]] = {}
    for (s, t), text in zip(table, texts_or_null(table.values()), strict=True):
        nested.setdefault(s, {})[t] = text
    return nested


def _common(
    lower: Mapping[str, Mapping[str, str | None]], upper: Mapping[str, Mapping[str, str | None]]
) -> dict[str, dict[str, str | None]]:
    """The texts in which both tables agree."""
    return {
        s: {t: text if text == upper[s][t] else None for t, text in row.items()} for s, row in lower.items()
    }


def about_lower(answer: Distance) -> list[str]:
    """Where the lower bound comes from, if it comes from delta."""
    if not answer.from_delta:
        return []
    number = "delta" if answer.kind == "bd" or answer.over_relation else "delta in this direction"
    if answer.value is not None:
        return [f"An event attains this number at this alpha, so {number} is the same."]
    return [f"An event attains the lower bound at this alpha, so {number} is at least that, too."]


def meaning_of(answer: Distance, *, typeset: bool = False) -> str:
    """What a distance means for privacy."""
    if answer.kind == "kernel":
        return _kernel_meaning(answer)
    return (
        _bisimilarity_meaning(answer) if answer.kind == "bisimilarity" else _promise(answer, typeset=typeset)
    )


def about_epsilon(answer: Distance | DistanceTable) -> list[str]:
    """Which α it is, where ε was given."""
    if answer.alpha is None or answer.epsilon is None:
        return []
    power = factor_text(None, answer.epsilon)
    return [f"alpha = {readable(answer.alpha)} is {power}, rounded down."]


def _promise(answer: Distance, *, typeset: bool) -> str:
    """What an upper bound d on the distance says: P[E | s] ≤ α P[E | t] + d."""
    chosen = is_against_attackers(answer)
    if answer.upper >= 1:
        if answer.lower < 1:
            return NOT_PROVED
        if answer.from_delta:
            return trivial((answer.source, answer.target), attackers=chosen)
        return "This bound is trivial: δ is at most 1 in any case. `prover delta` may prove a smaller bound."
    pair = None if answer.over_relation else (answer.source, answer.target)
    factor, rest = _alpha(answer), upper_text(answer.upper)
    both_ways = answer.kind == "bd"
    return promise(pair, factor, rest, both_ways=both_ways, attackers=chosen, typeset=typeset)


def _kernel_meaning(answer: Distance) -> str:
    if answer.upper == 0 and answer.over_relation:
        return "All related states are skew bisimilar (ld = 0)."
    verdict = "are skew bisimilar (ld = 0)" if answer.upper == 0 else "are not skew bisimilar (ld > 0)"
    return f"{short_name(answer.source)} and {short_name(answer.target)}, in this order, {verdict}."


def _bisimilarity_meaning(answer: Distance) -> str:
    if answer.upper == 0 and answer.over_relation:
        return f"All related states are bisimilar: {_alike(answer)}."
    verdict = f"are bisimilar: {_alike(answer)}" if answer.upper == 0 else "are not bisimilar"
    return f"{short_name(answer.source)} and {short_name(answer.target)} {verdict}."


def _alike(answer: Distance) -> str:
    who = "attacker" if is_against_attackers(answer) else "observer"
    return f"no {who} can distinguish them"


def table_rows(answer: DistanceTable) -> tuple[list[tuple[str, str, str]], list[str]]:
    """A row for every pair of different states that says something, and what is left out."""
    rows: list[tuple[str, str, str]] = []
    apart = unknown = 0
    for (s, t), lower, upper in answer.bounds():
        if s == t:
            continue
        if lower == 1:
            apart += 1
        elif lower == 0 and upper == 1:
            unknown += 1
        else:
            rows.append((short_name(s), short_name(t), _cell(lower, upper)))
    left_out = [f"pairs of a state with itself ({len(answer.states)}, at distance 0)"]
    left_out += [f"pairs at distance 1 ({apart})"] * (apart > 0)
    left_out += [f"pairs without a bound yet ({unknown})"] * (unknown > 0)
    return rows, left_out


def _cell(lower: Fraction, upper: Fraction) -> str:
    if lower < upper:
        return " .. ".join(readable_interval(lower, upper))
    return readable(upper) if len(format_rational(upper)) <= 20 else decimal_text(upper, 12)


_BOUNDS = (
    "ld is computed from the transitions of the model, by couplings. It is an upper bound of δ, from the "
    "first state to the second. δ itself may be smaller; `prover delta` computes it, with an attack."
)
_EXACTLY = {
    "ld": _BOUNDS,
    "lgd": "lgd is the same number as ld, by another definition. It is an upper bound of δ, from the first "
    "state to the second.",
    "bd": "bd is an upper bound of δ, in both directions.",
    "kernel": "Two states, in this order, are skew bisimilar if ld is 0. Then δ from the first to the second "
    "is 0, too.",
    "bisimilarity": "Two states are bisimilar if they have the same label and lead to every class of "
    "bisimilar states with the same probability. No observer can distinguish bisimilar states.",
}
_AGAINST = {
    "ld": "ld is computed from the transitions of the model, by a coupling for every action. It is an upper "
    "bound of δ against every attacker, from the first state to the second. δ itself may be smaller; `prover "
    "delta` computes it, with a strategy of the attacker.",
    "bd": "bd is an upper bound of δ against every attacker, in both directions.",
    "bisimilarity": "Two states of a decision process are bisimilar if they have the same label and every "
    "action leads from both to every class of bisimilar states with the same probability. No attacker can "
    "distinguish bisimilar states.",
}


def document(answer: Distance | DistanceTable, *, at_most: Fraction | None = None) -> Document:
    """The answer, and what it means for privacy; ``at_most`` is what was asked to hold."""
    if isinstance(answer, DistanceTable):
        return _of_all(answer, at_most)
    holds = is_at_most(answer.lower, answer.upper, at_most)
    named, about = with_letters(answer)
    pair = "two related states" if answer.over_relation else pair_text(named.source, named.target)
    exact = answer.value is not None
    is_ = f"{symbol(answer.kind, answer.alpha)} {'=' if exact else 'is'}"
    place, lower = about_epsilon(answer), about_lower(answer)
    system = system_of(answer)
    return Document(
        lines=lambda: [shown(named.headline), *about, *place, meaning_of(named), *lower],
        title=_TITLE,
        question=f"How far apart are {pair}, by {_title(answer)}?",
        answer=f"{asked_text(at_most, holds)}{is_} {between((answer.lower, answer.upper))}",
        meaning=[*about, meaning_of(named, typeset=True), *place, *lower],
        opening=lambda: [model_section(system, (answer.source, answer.target))],
        before=lambda: [_claim(answer)],
        after=lambda: _assumed_and_proved(answer),
        verdict=LOOKS[holds],
        systems=[system],
    )


def _of_all(answer: DistanceTable, at_most: Fraction | None) -> Document:
    holds = _all_at_most(answer, at_most)
    rows, left_out = table_rows(answer)
    not_listed = f"Not listed: {', '.join(left_out)}"
    place = about_epsilon(answer)
    table = PageTable(not_listed, TABLE_HEADING, rows, (2,))
    system = system_of(answer)
    return Document(
        lines=lambda: [answer.headline, *place, not_listed, *_rows_text(rows)],
        title=_TITLE,
        question=f"How far apart are any two states, by {_title(answer)}?",
        answer=asked_text(at_most, holds) + shown(answer.headline),
        meaning=place,
        opening=lambda: [Section("The distances", [table]), model_section(system)],
        before=lambda: [_claim(answer)],
        after=lambda: _assumed_and_proved(answer),
        verdict=LOOKS[holds],
        systems=[system],
    )


def _rows_text(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    return aligned([TABLE_HEADING, *rows]) if rows else []


def _claim(answer: Distance | DistanceTable) -> Section:
    """Where the distance was asked for, and what it is."""
    slope = slope_of(answer)
    facts = [] if slope is None else [("At", both_notations(slope))]
    if isinstance(answer, Distance) and answer.over_relation:
        named = with_letters(answer)[0]
        pair = f"{short_name(named.source)} to {short_name(named.target)}, among all related pairs"
        facts.append(("Largest from" if answer.lower == answer.upper else "Largest lower end from", pair))
    means = (_AGAINST if is_against_attackers(answer) else _EXACTLY)[answer.kind]
    return Section("The claim", [*([Facts(facts)] if facts else []), Text(means)])


def _assumed_and_proved(answer: Distance | DistanceTable) -> list[Section]:
    proof = proof_section([("of the answer", lambda: answer.certificate)])
    return [assumptions_section(system_of(answer)), proof]


def _title(answer: Distance | DistanceTable) -> str:
    return "bisimilarity" if answer.kind == "bisimilarity" else f"{answer.kind} at α = {_alpha(answer)}"


def _alpha(answer: Distance | DistanceTable) -> str:
    return factor_text(answer.alpha if answer.epsilon is None else None, answer.epsilon)
