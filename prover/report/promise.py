"""What bounds mean for privacy, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from prover.errors import short_name


def typeset(text: str) -> str:
    """A sentence without names as pages write it: signs and letters in place of <=, epsilon, delta and alpha.

    >>> typeset("the least epsilon with delta <= 1/100 is 0")
    'The least ε with δ ≤ 1/100 is 0'
    """
    signs = text.replace("<=", "≤")
    for letter, name in (("ε", "epsilon"), ("δ", "delta"), ("α", "alpha")):
        signs = signs.replace(name, letter)
    return signs[:1].upper() + signs[1:] if signs[:1].isascii() else signs


def promise(
    pair: tuple[str, str] | None,
    factor: str,
    rest: str,
    *,
    both_ways: bool,
    attackers: bool = False,
    nature: bool = False,
    inputs: bool = False,
    length: str = "",
    typeset: bool = False,
) -> str:
    """P[E | s] ≤ factor · P[E | t] + rest for the pair, or for all related secrets s, t without one.

    ``factor`` and ``rest`` are texts of numbers. With ``both_ways`` a pair may be swapped; relations hold
    their pairs in the directions that count. ``attackers`` says that an attacker chooses actions, ``nature``
    that nature chooses others, against the attacker, ``inputs`` that the secrets are neighbouring inputs x,
    y, of this ``length`` if it is limited. On pages it is ``typeset``: signs stand for <= and *.
    """
    s, t = ("xy" if inputs else "st") if pair is None else (short_name(pair[0]), short_name(pair[1]))
    long = f" of {length}" if length else ""
    related = f"all neighbouring inputs {s}, {t}{long}" if inputs else f"all related secrets {s}, {t}"
    scope = ["every attacker"] * attackers + ["every event E"] + [related] * (pair is None)
    swapped = f", and with {s} and {t} swapped" if both_ways and pair is not None else ""
    more = "" if rest == "0" else f"  +  {rest}"
    at_most, times = ("≤", "·") if typeset else ("<=", "*")
    bound = f"P[E | {s}]  {at_most}  {scaled(factor, t, times)}{more}{swapped}"
    if nature:  # which knows the pair and the direction
        where = (
            f"For {related} nature" if pair is None else "In each direction nature" if swapped else "Nature"
        )
        return f"{where} can choose so that, for every attacker and every event E:  {bound}"
    return f"For {listed_and(scope)}:  {bound}"


def scaled(factor: str, secret: str, times: str = "·") -> str:
    """factor · P[E | secret], of which a factor of 1 is left out."""
    return f"{factor} {times} " * (factor != "1") + f"P[E | {secret}]"


def listed_and(parts: Sequence[str]) -> str:
    """A list in a sentence.

    >>> listed_and(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


NOT_PROVED = "No bound below 1 is proved yet."


def trivial(pair: tuple[str, str], *, attackers: bool) -> str:
    """That δ is 1, where that is proved: the attack is certain."""
    s, t = map(short_name, pair)
    if attackers:
        return f"This bound is trivial: some attacker can always distinguish {s} and {t}."
    return f"This bound is trivial: some event has probability 1 under {s} and 0 under {t}."
