"""What bounds mean for privacy, in a sentence."""

from __future__ import annotations

from prover.errors import short_name


def typeset(text: str) -> str:
    """A sentence without names as pages write it: signs and letters in place of <=, epsilon and delta.

    >>> typeset("the least epsilon with delta <= 1/100 is 0")
    'The least ε with δ ≤ 1/100 is 0'
    """
    signs = text.replace("<=", "≤").replace("epsilon", "ε").replace("delta", "δ")
    return signs[:1].upper() + signs[1:] if signs[:1].isascii() else signs


def promise(
    pair: tuple[str, str] | None, factor: str, rest: str, *, both_ways: bool, typeset: bool = False
) -> str:
    """P[it | s] ≤ factor · P[it | t] + rest for the pair, or for all related s and t without one.

    ``factor`` and ``rest`` are texts of numbers. With ``both_ways`` a pair may be swapped; relations hold
    their pairs in the directions that count. On pages it is ``typeset``: signs stand for <= and *.
    """
    s, t = ("s", "t") if pair is None else (short_name(pair[0]), short_name(pair[1]))
    which = ", for all related s and t" if pair is None else ""
    swapped = ", and with the two swapped" if both_ways and pair is not None else ""
    more = "" if rest == "0" else f"  +  {rest}"
    at_most, times = ("≤", "·") if typeset else ("<=", "*")
    return (
        f"Whatever is observed{which}:  P[it | {s}]  {at_most}  {factor} {times} P[it | {t}]{more}{swapped}"
    )


def against_attackers(promised: str) -> str:
    """The same where an attacker chooses."""
    return f"Whatever the attacker chooses, {promised[0].lower()}{promised[1:]}"
