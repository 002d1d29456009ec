"""The values of the language: constants, and what stands for samples and queries of unknown values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from prover.errors import BadInput
from prover.exact.rational import parse_rational

CURRENT = ""
"""The store of the sample that was drawn last, before it is decided where it is kept."""
PRIME = "'"
"""The store of a second sample of the same query, which can only be seen."""
GONE = "''"
"""The store of a second sample after its step: nothing can be done with it any more."""
CONSTANT = "="
"""How stores of public numbers begin; the number follows."""
PENDING = "?"
"""How stores of numbers begin that the code has drawn and that the program draws at their first use."""


@dataclass(frozen=True, slots=True)
class Query:
    """A private input plus a public offset; ``number`` tells inputs apart that are known at the same time.

    ``more`` are the signs and numbers of others that are added to it, where it is a sum. ``based`` is whether
    numbers that have been seen before are added.
    """

    number: int
    offset: Fraction = Fraction(0)
    more: tuple[tuple[int, int], ...] = ()
    based: bool = False

    @property
    def bare(self) -> Query:
        """The same without what is public."""
        return replace(self, offset=Fraction(0), based=False)


@dataclass(frozen=True, slots=True)
class Sample:
    """A number drawn: what is in ``store``, plus an offset, plus a query where the draw was without.

    ``seen`` is whether it has been seen, ``based`` whether numbers that have been seen before are added.
    ``drawn`` is the instruction that drew it, where draws may be moved.
    """

    store: str
    offset: Fraction = Fraction(0)
    query: Query | None = None
    based: bool = False
    seen: bool = False
    drawn: int | None = None

    @property
    def is_pending(self) -> bool:
        """Whether the program has not drawn it yet."""
        return self.store.startswith(PENDING)


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two samples, or of a sample and a constant."""

    above: Sample
    below: Sample


@dataclass(frozen=True, slots=True)
class Stream:
    """The queries without end."""


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration of the file."""

    enumeration: str
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Enumeration:
    """An enumeration of the file, with its members in order."""

    name: str
    members: tuple[EnumMember, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A secret as functions of relations see it: the values of all parameters, which are its attributes."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a loop has come: the items that are left are those from ``position`` on."""

    items: Any
    position: int


def leaves(value: Any) -> list[Any]:
    """The values in a value: those in tuples, in differences, and in what a loop still goes through."""
    match value:
        case tuple():
            return [leaf for item in value for leaf in leaves(item)]
        case Difference():
            return [value.above, value.below]
        case Cursor():
            return leaves(value.items[value.position :]) if isinstance(value.items, tuple) else []
    return [value]


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """The value with the function applied to all of its leaves."""
    match value:
        case tuple():
            return tuple(mapped(function, item) for item in value)
        case Difference():
            return Difference(function(value.above), function(value.below))
        case Cursor():
            return Cursor(mapped(function, value.items), value.position)
    return function(value)


PRIVATE = (Query, Sample, Difference, Stream)
"""The kinds of values that depend on private inputs or on noise."""


def is_constant(value: object) -> bool:
    """Whether nothing private and nothing drawn is in a value."""
    if isinstance(value, tuple):
        return all(is_constant(item) for item in value)
    return not isinstance(value, PRIVATE)


def items_of(value: object) -> Any:
    """What a loop goes through: a tuple, a range, a text, the members of an enumeration; else None."""
    if isinstance(value, Enumeration):
        return value.members
    return value if isinstance(value, tuple | range | str) else None


def options_of(given: Sequence[Any]) -> list[Any]:
    """What ``ask`` offers: what it is given, or the items of a single collection."""
    several = len(given) == 1 and not isinstance(given[0], str) and items_of(given[0]) is not None
    return list(items_of(given[0])) if several else list(given)


def letter(value: object) -> str | None:
    """The letter that seeing a constant puts out; None where it is none.

    >>> letter("above"), letter(3), letter(True), letter(Fraction(1, 2))
    ('above', '3', 'True', None)
    """
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool | int):
        return str(value)
    if isinstance(value, EnumMember):
        return value.name
    if isinstance(value, tuple):
        parts = [letter(item) for item in value]
        return None if None in parts else f"({', '.join(str(part) for part in parts)})"
    return None


SEEN = "a non-empty string, a whole number or a truth value"
"""What has a letter."""


def written_value(value: object) -> str:
    """How names of secrets, and messages, write the value of a parameter.

    >>> written_value(True), written_value(Fraction(1, 2)), written_value(EnumMember("Colour", "RED", 1))
    ('True', '1/2', 'RED')
    """
    return value.name if isinstance(value, EnumMember) else str(value)


def without_letter(value: object) -> str:
    """What messages call a value that has no letter."""
    if isinstance(value, tuple):
        return f"a tuple with {without_letter(next(item for item in value if letter(item) is None))} in it"
    return "an empty string" if value == "" else described(value)


def number_in(text: str) -> int | Fraction | None:
    """The number that a text writes; None where it writes none."""
    try:
        number = parse_rational(text)
    except BadInput:
        return None
    return number.numerator if number.denominator == 1 else number


def read(value: Any) -> Any:
    """What a value of a parameter means: the text of a fraction or of a decimal is that number.

    >>> read("1/10"), read("0.5"), read("7"), read("all")
    (Fraction(1, 10), Fraction(1, 2), '7', 'all')
    """
    if not isinstance(value, str) or value.lstrip("+-").isdecimal():
        return value
    number = number_in(value)
    return value if number is None else number


def frozen(value: object) -> object:
    """A hashable stand-in that tells apart what Python holds to be equal: True and 1, 1 and Fraction(1).

    Of a loop only the items that are left count.
    """
    if isinstance(value, tuple):
        return tuple(frozen(item) for item in value)
    if isinstance(value, bool | int | Fraction | range):
        return type(value).__name__, value
    if isinstance(value, Cursor):
        return "Cursor", frozen(value.items[value.position :])
    return value


def described(value: object) -> str:
    """What messages call a value."""
    for kinds, name in (
        ((Query,), "a private query"),
        ((Sample,), "a drawn number"),
        ((Difference,), "a difference of drawn numbers"),
        ((Stream,), "the stream of queries"),
        ((bool,), "a truth value"),
        ((int,), "a number"),
        ((Fraction,), "a fraction"),
        ((str,), "a string"),
        ((tuple,), "a tuple"),
        ((range,), "a range"),
        ((EnumMember,), "a member of an enumeration"),
        ((Enumeration,), "an enumeration"),
        ((Record,), "a whole secret"),
    ):
        if isinstance(value, kinds):
            return name
    return "None" if value is None else f"a {type(value).__name__}"
