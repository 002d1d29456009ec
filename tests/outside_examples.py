"""Chains in which states outside the supports of a pair change ld.

The potentials of a pair range over all states of the chain: mass may travel i → k → j at cost d(i,k) + α
d(k,j), which can be less than d(i,j), even where k is in neither support, or unreachable. An engine that
looks at supports only gets `value_supports_only`, which is a sound upper bound and not ld.

All values were computed by `tests/oracle.py`, and `tests/test_oracle.py` computes them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

States = Mapping[str, tuple[str, Mapping[str, str]]]


class OutsideExample(NamedTuple):
    """ld_alpha(s, t) is `value`; with potentials on supports only it would be `value_supports_only`.

    `states` is the argument of `LabelledMarkovChain.of`.
    """

    description: str
    states: States
    alpha: Fraction
    s: str
    t: str
    value: Fraction
    value_supports_only: Fraction


class Deletion(NamedTuple):
    """The example's ld(s, t) is `value` once the `deleted` states, which nothing else enters, are gone."""

    description: str
    deleted: tuple[str, ...]
    value: Fraction


SINKS: States = {name: (name, {name: "1"}) for name in ("A", "B", "C", "D", "z")}

THREE_RUNGS: States = {
    "s": ("a", {"i": "2/5", "z": "3/5"}),
    "t": ("a", {"j": "3/5", "z": "2/5"}),
    "i": ("b", {"A": "9/20", "B": "11/20"}),
    "k": ("b", {"A": "3/10", "B": "7/10"}),
    "j": ("b", {"A": "1/5", "B": "4/5"}),
    **{name: SINKS[name] for name in ("A", "B", "z")},
}

FOUR_RUNGS: States = {
    "s": ("a", {"i": "1/5", "z": "4/5"}),
    "t": ("a", {"j": "9/20", "z": "11/20"}),
    "i": ("b", {"A": "27/40", "B": "13/40"}),
    "k": ("b", {"A": "9/20", "B": "11/20"}),
    "m": ("b", {"A": "3/10", "B": "7/10"}),
    "j": ("b", {"A": "1/5", "B": "4/5"}),
    **{name: SINKS[name] for name in ("A", "B", "z")},
}

ONLY_TOGETHER: States = {
    "s": ("a", {"i": "1/8", "z": "7/8"}),
    "t": ("a", {"j": "1/2", "z": "1/2"}),
    "i": ("b", {"A": "2/5", "C": "1/5", "D": "2/5"}),
    "k": ("b", {"A": "1/5", "B": "1/10", "C": "1/10", "D": "3/5"}),
    "m": ("b", {"A": "1/10", "B": "1/20", "C": "1/20", "D": "4/5"}),
    "j": ("b", {"A": "1/20", "B": "1/40", "C": "1/10", "D": "33/40"}),
    **SINKS,
}

NESTED: States = {
    "s": ("a", {"i": "2/5", "z": "3/5"}),
    "t": ("a", {"j": "3/5", "z": "2/5"}),
    "i": ("b", {"p": "2/5", "z": "3/5"}),
    "k": ("b", {"q": "3/5", "z": "2/5"}),
    "j": ("b", {"q": "2/5", "z": "4/15", "C": "1/3"}),
    "p": ("c", {"A": "9/20", "B": "11/20"}),
    "m": ("c", {"A": "3/10", "B": "7/10"}),
    "q": ("c", {"A": "1/5", "B": "4/5"}),
    **{name: SINKS[name] for name in ("A", "B", "C", "z")},
}

TARGET_IS_OUTSIDE: States = {
    "s": ("a", {"s": "1/2", "i": "1/2"}),
    "t": ("a", {"i": "1"}),
    "i": ("a", {"i": "1/2", "A": "1/2"}),
    "A": SINKS["A"],
}

UNREACHABLE_IN_A_LOOP: States = {
    "s": ("a", {"t": "1/3", "A": "2/3"}),
    "t": ("a", {"s": "2/3", "A": "1/3"}),
    "k": ("a", {"t": "2/3", "A": "1/3"}),
    "A": SINKS["A"],
}

ALL_REACHABLE: States = {
    "s": ("a", {"w": "2/3", "A": "1/3"}),
    "t": ("a", {"u": "2/3", "v": "1/3"}),
    "u": ("a", {"u": "1/3", "w": "1/3", "A": "1/3"}),
    "v": ("a", {"t": "2/3", "v": "1/3"}),
    "w": ("a", {"s": "1/3", "v": "2/3"}),
    "A": SINKS["A"],
}


def _example(
    description: str, states: States, alpha: str, value: str, value_supports_only: str
) -> OutsideExample:
    numbers = Fraction(alpha), Fraction(value), Fraction(value_supports_only)
    return OutsideExample(description, states, numbers[0], "s", "t", numbers[1], numbers[2])


OUTSIDE_EXAMPLES: list[OutsideExample] = [
    _example("one unreachable state between i and j, into the kernel", THREE_RUNGS, "3/2", "0", "3/50"),
    _example("one unreachable state between i and j", THREE_RUNGS, "8/5", "13/1500", "13/250"),
    _example("two unreachable states in a row, i k m j, into the kernel", FOUR_RUNGS, "3/2", "0", "3/40"),
    _example("two unreachable states in a row, i k m j", FOUR_RUNGS, "8/5", "403/32000", "71/1000"),
    _example("two unreachable states that help only together", ONLY_TOGETHER, "2", "0", "3/80"),
    _example("the pair (i,k) needs an outside state of its own, m", NESTED, "3/2", "0", "13/125"),
    _example("t itself is outside: ld(s,t) bounds itself", TARGET_IS_OUTSIDE, "3", "1/10", "1/8"),
    _example("an unreachable state beside a loop, into the kernel", UNREACHABLE_IN_A_LOOP, "2", "0", "1/8"),
    _example("an unreachable state beside a loop", UNREACHABLE_IN_A_LOOP, "9/5", "24/175", "1/5"),
    _example("all states reachable, 17 of 20 pairs change", ALL_REACHABLE, "2", "538/1281", "8359/16182"),
]


DELETIONS: list[Deletion] = [
    Deletion("one unreachable state between i and j, into the kernel", ("k",), Fraction(3, 50)),
    Deletion("two unreachable states in a row, i k m j", ("k",), Fraction(39, 1000)),
    Deletion("two unreachable states in a row, i k m j", ("m",), Fraction(26, 625)),
    Deletion("two unreachable states in a row, i k m j", ("k", "m"), Fraction(71, 1000)),
    Deletion("two unreachable states that help only together", ("k",), Fraction(3, 80)),
    Deletion("two unreachable states that help only together", ("m",), Fraction(3, 80)),
    Deletion("the pair (i,k) needs an outside state of its own, m", ("k",), Fraction(13, 125)),
    Deletion("the pair (i,k) needs an outside state of its own, m", ("m",), Fraction(3, 125)),
    Deletion("an unreachable state beside a loop, into the kernel", ("k",), Fraction(1, 8)),
    Deletion("an unreachable state beside a loop", ("k",), Fraction(1, 5)),
]
