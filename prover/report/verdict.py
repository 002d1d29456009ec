"""Whether what is asked about is at most a given number: yes, no, or not known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from prover.exact.rational import format_rational, rational_or_null
from prover.report.reply import Reply

NumberWriter = Callable[[Fraction], str]
"""How a number is written for people."""

_WORDS = {True: "yes", False: "no", None: "undecided"}


def is_at_most(lower: Fraction, upper: Fraction | None, threshold: Fraction | None) -> bool | None:
    """Whether a number between ``lower`` and ``upper`` is at most ``threshold``; None if that is open.

    It is open if nothing is asked, too (None). An ``upper`` of None stands for infinity.
    """
    if threshold is None:
        return None
    if upper is not None and upper <= threshold:
        return True
    return False if lower > threshold else None


def with_verdict(
    reply: Reply, at_most: Fraction | None, holds: bool | None, written: NumberWriter = format_rational
) -> Reply:
    """The reply to whether something is at most ``at_most``, in front of what is known about it.

    JSON objects have ``at_most`` and ``holds`` in any case; both are null if nothing was asked (``at_most``
    is None, and so is ``holds``). ``written`` is how people see the number.
    """
    json = {**reply.json, "at_most": rational_or_null(at_most), "holds": holds}
    if at_most is None:
        return replace(reply, json=json)
    text = f"{verdict_text(at_most, holds, written)}\n{reply.text}"
    return replace(reply, text=text, json=json, exact=holds is not None, refuted=holds is False, holds=holds)


def asked_text(at_most: Fraction | None, holds: bool | None, written: NumberWriter = format_rational) -> str:
    """The same as the beginning of a line, before what is known; empty if nothing was asked."""
    if at_most is None:
        return ""
    text = verdict_text(at_most, holds, written)
    return f"{text[:1].upper()}{text[1:]}. "


def verdict_text(at_most: Fraction, holds: bool | None, written: NumberWriter = format_rational) -> str:
    """What was asked, and whether it holds."""
    return f"at most {written(at_most)}: {_WORDS[holds]}"
