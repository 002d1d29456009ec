"""Unbounded noise in protocols: whole numbers of which it is known from where on their geometric tail goes.

P(z = k) = (1 − q)·q^k for k ≥ 0, and given z ≥ k the number z − k has the same distribution, whatever else
has happened. So a number drawn is not enumerated: a comparison with a known number splits off the values that
decide it, and the rest stays a tail. Tails that are seen are one label, "7 or more".

Reference: docs/theory.md, *Geometric tails*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

from flint import fmpq

from prover.errors import BadValue
from prover.exact.rational import MAX_DIGITS
from prover.exact.real import Exact, Real, given_number
from prover.language.coins import MOST_DRAWN, Chance, Outcomes, chance_of
from prover.language.reading.instructions import Instruction
from prover.language.reading.machine import Bindings
from prover.language.values import described, letter

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

INSTEAD = "compare it, add to it or see it; or bound it, as in min(noise, 100)"

_NUMBER = re.compile(r"-?[0-9]+")
ONE_BY_ONE = -1
"""Instead of how many values of a tail must be split off: all, one after the other."""

TAIL_LABEL = re.compile(r"(-?[0-9]+) or (more|less)")


@dataclass(frozen=True, slots=True)
class Tail:
    """The number ``least + sign·z``, where z ≥ 0 has the distribution above; equal draws are one number."""

    draw: int
    least: int
    sign: int
    q: Exact

    def __str__(self) -> str:
        return f"{self.least} or {'more' if self.sign > 0 else 'less'}"


def drawn(word: str, center: Any, q: Any, values: Bindings) -> Outcomes:
    """What ``geometric`` or ``discrete_laplace`` may show, as tails; raises BadInput."""
    if isinstance(center, bool) or not isinstance(center, int):
        name = "noise on noise" if isinstance(center, Tail) else described(center)
        raise BadValue(f"the center is {name}; add noise to a whole number")
    ratio = ratio_given(q)
    taken = {value.draw for value in values.values() if isinstance(value, Tail)}
    draw = next(number for number in range(len(taken) + 1) if number not in taken)
    above = Tail(draw, center, 1, ratio)
    if word == "geometric":
        return [(above, fmpq(1))]
    return [
        (above, 1 / (1 + chance_of(ratio))),
        (Tail(draw, center - 1, -1, ratio), chance_of(ratio / (1 + ratio))),
    ]


def ratio_given(q: Any) -> Exact:
    """The ratio of a tail, above 0 and below 1; raises BadInput."""
    if isinstance(q, bool) or not isinstance(q, int | Fraction | str | Real):
        raise BadValue(f'q is {described(q)}; write a number, such as q="1/2"')
    ratio = given_number(q, "q", more_than=0)
    if ratio >= 1:
        raise BadValue("q must be below 1; it is the probability that a number is followed by a larger one")
    return ratio


def split(values: Bindings, tail: Tail, count: int) -> list[tuple[Bindings, Chance]]:
    """The first ``count`` values of a tail, each on its own, and the rest; raises BadValue for too many."""
    digits = 0 if isinstance(tail.q, Real) else tail.q.denominator.bit_length()
    if count > MOST_DRAWN or count * digits > 3 * MAX_DIGITS:
        raise BadValue(
            f"{count:,} values of unbounded noise decide this, too many; compare it with a nearer number"
        )
    q = chance_of(tail.q)
    found = []
    left: Chance = fmpq(1)
    for k in range(count):
        found.append((_with(values, tail, tail.least + tail.sign * k), left * (1 - q)))
        left *= q
    rest = tail.least + tail.sign * count
    return [*found, (_with(values, tail, rest, stays=True), left)]


def _with(values: Bindings, tail: Tail, number: int, *, stays: bool = False) -> Bindings:
    """The values where a tail is this number, or from it on; numbers of the same draw move along."""

    def known(value: Any) -> Any:
        if not isinstance(value, Tail) or value.draw != tail.draw:
            return value
        moved = value.least + value.sign * tail.sign * (number - tail.least)
        return replace(value, least=moved) if stays else moved

    return {name: known(value) for name, value in values.items()}


def moved(step: Instruction, values: Bindings, cut: bool) -> int | None:
    """Do an instruction on tails: 0 if that is possible, else how many values must be split off first.

    None, and nothing is done, where no argument is a tail, or the instruction draws or shows a value. What
    cannot be done with unbounded numbers needs all values, ONE_BY_ONE, in a protocol that is ``cut``, in
    which drawing and showing need them, too; else it raises BadValue.
    """
    given = [values.get(name) for name in step.args]
    tail = next((one for one in given if isinstance(one, Tail)), None)
    if tail is None or (not cut and step.operation in ("see", "draw")):
        return None
    other = given[1] if given[0] is tail and len(given) > 1 else given[0]
    dst = step.dst or ""
    if step.operation == "copy":
        values[dst] = tail
    elif step.operation == "apply" and step.data == "negative":
        values[dst] = replace(tail, least=-tail.least, sign=-tail.sign)
    elif step.operation == "add" and isinstance(other, int):
        if step.data == "-" and given[0] is not tail:
            values[dst] = replace(tail, least=other - tail.least, sign=-tail.sign)
        else:
            values[dst] = replace(tail, least=tail.least + (-other if step.data == "-" else other))
    elif step.operation == "compare" and step.data in _MIRRORED and isinstance(other, int | Fraction):
        relation = step.data if given[0] is tail else _MIRRORED[step.data]
        forward = relation if tail.sign > 0 else _MIRRORED[relation]  # of the steps along the tail
        apart = (other - tail.least) * tail.sign
        count = ceil(apart) if forward in ("<", ">=") else floor(apart) + 1
        if count > 0:
            return count
        values[dst] = forward in (">", ">=", "!=")
    elif cut:
        return ONE_BY_ONE
    else:
        raise BadValue(f"this noise is unbounded; {INSTEAD}")
    return 0


@dataclass(slots=True)
class TailBounds:
    """From where on tails are seen as one label, for each sign; a run of the explorer finds what it needs."""

    known: dict[int, int]
    ratios: dict[int, Exact] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    """The tails that were seen, by where the farthest began."""
    numbers: set[int] = field(default_factory=set)
    """The numbers that were seen."""

    def word(self, value: Any, values: Bindings, live: Iterable[str]) -> str | int | None:
        """The word of a value that is seen, or how many values of a tail must be split off first.

        None where the value has no word. ``live`` are the variables that are used later. Raises BadValue
        where one of them holds the same draw, where two tails have different ratios, and for the label of a
        tail.
        """
        if not isinstance(value, Tail):
            text = letter(value)
            if text and TAIL_LABEL.fullmatch(text):
                raise BadValue("this word stands for unbounded noise; see another one")
            if text and len(text) < 100 and _NUMBER.fullmatch(text):
                self.numbers.add(int(text))
            return text
        sign = value.sign
        missing = (self.known.get(sign, value.least) - value.least) * sign
        if missing > 0:
            return missing
        held = (values.get(name) for name in live)
        if any(isinstance(one, Tail) and one.draw == value.draw for one in held):
            raise BadValue("unbounded noise is used after it is seen; bound it, as in min(noise, 100)")
        if self.ratios.setdefault(sign, value.q) != value.q:
            raise BadValue(
                "unbounded noise with another q is seen elsewhere; give both the same q, or bound it"
            )
        self.ends[sign] = max(self.ends.get(sign, value.least), value.least, key=sign.__mul__)
        return str(value)

    def needed(self) -> dict[int, int]:
        """The bounds behind which no number is seen on its own, or by a tail of the other sign."""
        found = {}
        for sign, end in self.ends.items():
            others = [number * sign + 1 for number in self.numbers]
            if sign > 0 and -1 in self.ends:
                others.append(self.ends[-1] + 1)
            found[sign] = max([end * sign, *others]) * sign
        return found


def label_in(text: str, labels: Iterable[str]) -> str:
    """The label under which a word is seen: its own, or that of a tail among these labels.

    >>> label_in("9", ["2", "7 or more"]), label_in("2", ["2", "7 or more"])
    ('7 or more', '2')
    """
    if _NUMBER.fullmatch(text):
        for label in labels:
            match = TAIL_LABEL.fullmatch(label)
            if match and (int(text) - int(match[1])) * (1 if match[2] == "more" else -1) >= 0:
                return label
    return text
