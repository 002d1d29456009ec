"""Answers about the least ε for a δ, as text for people and as JSON objects for machines."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from prover.chain.epsilon import DIGITS, Epsilon
from prover.errors import abbreviated, shown
from prover.exact.rational import decimal_above, decimal_text, format_rational, rational_or_null
from prover.report.names import with_letters
from prover.report.promise import promise
from prover.report.reply import Reply
from prover.report.so_far import so_far
from prover.report.verdict import with_verdict

_LONGEST = 40
"""Characters of a fraction that people are shown."""


def reply_of(
    answer: Epsilon,
    *,
    gap: Fraction,
    certified: bool,
    at_most: Fraction | None = None,
    both_ends: bool = True,
) -> Reply:
    """The reply of ``prover epsilon``, with its certificates, of the upper or of both ends, if wanted.

    With ``at_most`` it says whether the least ε is at most that.
    """
    upper, high = answer.certificate if certified else None, answer.alpha_upper
    lower = answer.lower_certificate if certified and both_ends else None
    close = high is not None and high <= answer.alpha_lower * (1 + gap)
    reply = Reply(
        epsilon_text(answer),
        epsilon_json(answer),
        None if upper is None else upper.data,
        close or answer.impossible,
        refuted=answer.impossible,
        obstacle="delta could not be bounded well enough, or only above --limit",
        lower_certificate=None if lower is None else lower.data,
        so_far=so_far("epsilon", answer.lower, answer.upper, most=None),
    )
    return with_verdict(reply, at_most, None if at_most is None else answer.is_at_most(at_most))


def nothing_proved(
    delta: Fraction,
    kind: str,
    source: str | None,
    target: str | None,
    limit: Fraction,
    at_most: Fraction | None = None,
    times: int = 1,
) -> Reply:
    """The reply if the time is up before anything is proved."""
    nothing = Epsilon(kind, delta, source, target, Fraction(1), None, False, limit, None, lambda: None, times)
    reply = Reply("Nothing is proved yet: epsilon >= 0", epsilon_json(nothing), None, exact=False)
    return with_verdict(reply, at_most, None)


def epsilon_json(answer: Epsilon) -> dict[str, Any]:
    """The JSON object of an answer; the caller adds ``seconds`` and ``certificate``."""
    return {
        "kind": "epsilon",
        "of": "delta" if answer.kind == "tv" else answer.kind,
        "delta": format_rational(answer.delta),
        "times": answer.times,
        "from": answer.source,
        "to": answer.target,
        "alpha": rational_or_null(answer.alpha),
        "alpha_lower": format_rational(answer.alpha_lower),
        "alpha_upper": rational_or_null(answer.alpha_upper),
        "lower": decimal_text(answer.lower, DIGITS),
        "upper": "inf" if answer.upper is None else decimal_text(answer.upper, DIGITS),
        "impossible": answer.impossible,
    }


def epsilon_text(answer: Epsilon) -> str:
    """The answer in a line, and in a second one what it means."""
    named, about = with_letters(answer)
    return "\n".join([shown(str(named)), *about, *meaning_of(named)])


def meaning_of(answer: Epsilon, *, typeset: bool = False) -> list[str]:
    """What the upper end promises; nothing where there is none."""
    lines = []
    if answer.alpha_upper is not None:
        pair = None if answer.source is None or answer.target is None else (answer.source, answer.target)
        alpha = format_rational(answer.alpha_upper)
        if len(alpha) > _LONGEST:
            alpha = decimal_text(decimal_above(answer.alpha_upper, DIGITS), DIGITS)
        allowed = abbreviated(format_rational(answer.delta))
        lines.append(promise(pair, alpha, allowed, both_ways=answer.kind == "tv", typeset=typeset))
    return lines
