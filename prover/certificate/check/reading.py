"""Reading: canonical JSON, exact types and keys, numbers in lowest terms; one rejection for each failing."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise, starmap
from math import gcd
from operator import lt
from typing import Any, TypeVar


class Rejected(Exception):
    """The file does not establish its claim."""


class TooLarge(Rejected):
    """A limit of this checker, or the budget of work, is exceeded."""


class NotCanonical(Rejected):
    """The bytes are not ASCII JSON in the canonical form."""


class Malformed(Rejected):
    """A key, type, version, kind, row shape or number is not as the specification has it."""


class BadModel(Rejected):
    """The model is not a labelled Markov chain."""


class BadClaim(Rejected):
    """The claim has no meaning for the model."""


class BadEvidence(Rejected):
    """The evidence is out of order, repeats itself, or names something that it must not name."""


class RuleBroken(Rejected):
    """An inequality of the evidence does not hold."""


class ClaimOpen(Rejected):
    """The evidence is sound, but the claim does not follow from it."""


def demand(condition: bool, failure: type[Rejected], reason: str) -> None:
    if not condition:
        raise failure(reason)


class at:
    """Put the place before the reason of a rejection. Nothing is written where there is none."""

    __slots__ = ("place",)

    def __init__(self, *place: object) -> None:
        self.place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Rejected):
            raise type(error)(f"{' '.join(map(str, self.place))}: {error}") from None


MAX_BYTES = 256 * 2**20  # of a file
MAX_VALUES = 10_000_000  # commas and opening brackets in a file: bounds the memory that its JSON takes
MAX_DIGITS = 100_000  # of a numerator or denominator

Json = Any

Ratio = tuple[int, int]

T = TypeVar("T")


def decode(data: bytes) -> tuple[dict[str, Json], bytes]:
    """The JSON object of a file in canonical form, and the bytes of its model."""
    demand(len(data) <= MAX_BYTES, TooLarge, f"more than {MAX_BYTES} bytes")
    demand(sum(map(data.count, (b",", b"[", b"{"))) <= MAX_VALUES, TooLarge, f"more than {MAX_VALUES} values")
    objects = Objects()
    try:
        text = data.decode("ascii")
        value = json.loads(
            text,
            object_pairs_hook=objects.read,
            parse_int=Integers().__getitem__,
            parse_float=no_number,
            parse_constant=no_number,
        )
    except ValueError:
        raise NotCanonical("the file is not ASCII JSON") from None
    named = type(value) is dict and "claim" in value
    demand(named, Malformed, "the file has no claim, so it is not a certificate; give a model with --model")
    model = plain_model(data, value) if objects.sorted else b""
    return value, model or compared(data, value)


def plain_model(data: bytes, value: Mapping[str, Json]) -> bytes:
    """The bytes of the model in a file that is canonical at sight; none, if that takes a closer look.

    All keys of the value are sorted and occur once, and its numbers are written canonically. So without white
    space between values, and without escapes or bytes that need one in texts, there is one way to write it.
    """
    begin, end = b'"format":"prover-certificate","model":', b',"version":1}'
    plain = not any(byte in data for byte in (b" ", b"\t", b"\n", b"\r", b"\\", b"\x7f"))
    known = [*value] == ["claim", "evidence", "format", "model", "version"]
    if not plain or not known or not data.endswith(end) or data.count(begin) != 1:
        return b""
    same = value["format"] == "prover-certificate"  # else what was found is in the evidence, or in the model
    return data[data.index(begin) + len(begin) : -len(end)] if same else b""


def compared(data: bytes, value: Mapping[str, Json]) -> bytes:
    """The bytes of the model, or of nothing, in a file that has the only bytes that stand for the value."""
    place, model = 0, b""
    for key in sorted(value):
        head, member = (b"," if place else b"{") + canonical(key) + b":", canonical(value[key])
        same = data.startswith(head, place) and data.startswith(member, place + len(head))
        demand(same, NotCanonical, "the JSON is not in canonical form")
        place += len(head) + len(member)
        model = member if key == "model" else model
    demand(data[place:] == b"}", NotCanonical, "the JSON is not in canonical form")
    return model


def canonical(value: Json) -> bytes:
    """The only bytes that stand for a JSON value."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode("ascii")


class Objects:
    """Reads the objects of a file, and sees whether all keys are above those before them, and not empty."""

    def __init__(self) -> None:
        self.sorted = True

    def read(self, members: list[tuple[str, Json]]) -> dict[str, Json]:
        last = ""
        for key, _ in members:
            if key <= last:
                self.sorted = False
            last = key
        return dict(members)


class Integers(dict[str, int]):
    """The integers of a file by their texts; each is looked at where it comes first."""

    def __missing__(self, text: str) -> int:
        if len(text) > 18 or (text[0] == "-" and text != "-1"):
            raise Malformed("a JSON number is too long or negative")
        number = self[text] = int(text)
        return number


def no_number(text: str) -> int:
    raise Malformed(f"a JSON number is not an integer: {text[:20]}")


def typed(value: Json, kind: type[T]) -> T:
    if type(value) is not kind:
        raise Malformed(f"a value is not of type {kind.__name__}")
    result: T = value
    return result


def each(values: Json, kind: type[T]) -> list[T]:
    """A list of values of one type."""
    for value in typed(values, list):
        if type(value) is not kind:
            typed(value, kind)
    result: list[T] = values
    return result


def constant(value: Json, expected: str | int) -> None:
    demand(type(value) is type(expected) and value == expected, Malformed, f"a value is not {expected}")


def record(value: Json, required: str, optional: str = "") -> dict[str, Json]:
    needed, known = keys(required, optional)
    fields: dict[str, Json] = value if type(value) is dict else typed(value, dict)
    if fields.keys() == needed:
        return fields
    if not needed <= fields.keys():
        raise Malformed(f"an object lacks a key of {sorted(needed)}")
    if not fields.keys() <= known:
        raise Malformed(f"unknown key {short(min(fields.keys() - known))}")
    return fields


@cache
def keys(required: str, optional: str) -> tuple[frozenset[str], frozenset[str]]:
    """The keys that an object must have, and all that it may have."""
    needed = frozenset(required.split())
    return needed, needed.union(optional.split())


def short(text: str) -> str:
    """A text for people, escaped, and cut after 40 characters."""
    return json.dumps(text if len(text) <= 40 else text[:40] + "...")


def items(value: Json, length: int) -> list[Json]:
    values = typed(value, list)
    if len(values) != length:
        raise Malformed("a list has the wrong length")
    return values


def lists(values: Json, length: int) -> list[list[Json]]:
    """A list of lists of one length."""
    for entry in typed(values, list):
        if type(entry) is not list or len(entry) != length:
            items(entry, length)
    result: list[list[Json]] = values
    return result


def from_digits(digits: str) -> int:
    """In halves, if they are many, or more than Python is set up to read at once; 10^n is 2^n times 5^n."""
    if len(digits) <= FEW or len(digits) <= min(AT_ONCE, sys.get_int_max_str_digits() or AT_ONCE):
        return int(digits)
    demand(len(digits) <= MAX_DIGITS, TooLarge, f"a number has more than {MAX_DIGITS} digits")
    half = len(digits) // 2
    return (from_digits(digits[:-half]) * power_of_five(half) << half) + from_digits(digits[-half:])


@lru_cache(2**6)
def power_of_five(exponent: int) -> int:
    power: int = 5**exponent
    return power


FEW = 600  # digits that Python reads at once however it is set up
AT_ONCE = 2_000  # digits: of more, halves are faster
SHORT = 40  # characters of a rational that is looked up
RATIONAL = re.compile("(-?)(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?")


def rational(value: Json) -> Ratio:
    """`-?[0-9]+(/[0-9]+)?` in lowest terms."""
    if type(value) is not str:
        raise Malformed("a value is not of type str")
    return short_ratio(value) if len(value) <= SHORT else ratio(value)


def ratio(text: str) -> Ratio:
    """The same of a text."""
    match = RATIONAL.fullmatch(text)
    if match is None:
        raise Malformed("a number is not a rational")
    sign, above, below = match.groups()
    read = int if len(text) <= FEW else from_digits
    n, d = read(above), 1 if below is None else read(below)
    if (below is not None and (d == 1 or gcd(n, d) > 1)) or (sign and n == 0):
        raise Malformed("a rational is not in lowest terms")
    return (-n if sign else n), d


short_ratio = lru_cache(2**12)(ratio)  # the same few occur again and again


def written(*numbers: int) -> str:
    """A text for numbers, to be a key: the writer of a file can choose numbers with equal hashes, but not
    texts."""
    return "/".join(f"{n:x}" for n in numbers)


def natural(value: Json) -> int:
    if type(value) is str and len(value) <= FEW and value.isascii() and value.isdigit() and value[0] != "0":
        return int(value)
    n, d = rational(value)
    if d != 1 or n < 0:
        raise Malformed("a number is not a natural number")
    return n


def positive(value: Json) -> Ratio:
    found = rational(value)
    if found[0] <= 0:
        raise Malformed("a number is not positive")
    return found


def nonnegative(value: Json) -> Ratio:
    found = rational(value)
    if found[0] < 0:
        raise Malformed("a number is negative")
    return found


def at_most(x: Ratio, y: Ratio) -> bool:
    return x[0] * y[1] <= y[0] * x[1]


def ascending(keys: Iterable[Any], failure: type[Rejected], what: str) -> None:
    if not all(starmap(lt, pairwise(keys))):
        raise failure(f"{what} are out of order or repeated")
