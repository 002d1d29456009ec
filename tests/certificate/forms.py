"""What mutations of all certificates have in common: places, bytes, and numbers that are not written so."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from tests.certificate.samples import Path, encode, replaced
from tests.profiles import everything

Json = Any
LONG = 10**18  # one digit more than a JSON number may have


class Mutation(NamedTuple):
    """Bytes that were a valid certificate before, and whether no checker may accept them."""

    description: str
    data: bytes
    must_reject: bool


Change = tuple[str, Json, bool]


def some(mutations: Iterable[Mutation], first: int = 0) -> Iterator[Mutation]:
    """One mutation in fifteen, from one of the first fifteen on; all of them in `make test-long`."""
    return iter(mutations) if everything() else islice(mutations, first % 15, None, 15)


def sample(paths: list[Path], count: int, seed: str) -> list[Path]:
    return paths if len(paths) <= count else Random(seed).sample(paths, count)


def walk(tree: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    yield path, tree
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, value in steps:
        yield from walk(value, (*path, step))


def show(path: Path) -> str:
    return "$" + "".join(f"[{json.dumps(step)}]" for step in path)


def of_bytes(data: bytes) -> Iterator[Mutation]:
    """Other ways to write the same value, and bytes that are no JSON: none of them is canonical."""
    text = data.decode("ascii")
    certificate = json.loads(data)
    shuffled = dict(reversed(certificate.items()))
    spaced = json.dumps(certificate, sort_keys=True)
    first = json.dumps(certificate["claim"]["kind"])
    escaped = f'"\\u{ord(certificate["claim"]["kind"][0]):04x}{first[2:]}'
    for what, changed in (
        ("nothing at all", b""),
        ("last byte dropped", data[:-1]),
        ("first byte dropped", data[1:]),
        ("a final newline", data + b"\n"),
        ("a leading space", b" " + data),
        ("a space after the first brace", data[:1] + b" " + data[1:]),
        ("spaces after separators", spaced.encode()),
        ("a byte order mark", b"\xef\xbb\xbf" + data),
        ("two values", data + data),
        ("something after the end", data + b"x"),
        ("a zero byte after the end", data + b"\0"),
        ("UTF-16", text.encode("utf-16")),
        ("keys in another order", json.dumps(shuffled, separators=(",", ":")).encode()),
        ("a key twice", data[:-1] + b',"version":1}'),
        ("a key twice, in front", data[:1] + b'"claim":{},' + data[1:]),
        ("an escape that is not needed", text.replace(first, escaped, 1).encode()),
        ("a byte that is not ASCII", text.replace(first, '"é' + first[1:], 1).encode()),
        ("a list around it", b"[" + data + b"]"),
        ("nesting without end", b"[" * 200_000),
        ("nesting that ends", b"[" * 100_000 + b"]" * 100_000),
        ("nested objects", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    ):
        yield Mutation(f"bytes: {what}", changed, True)


def of_top_level(certificate: Json) -> Iterator[Mutation]:
    for what, path, values in (
        ("version", ("version",), (0, 2, -1, 1.0, "1", True, None, [1], LONG)),
        ("version of the model", ("model", "version"), (0, 2, 1.0, "1", True)),
        ("format", ("format",), ("", "Prover-certificate", "prover-certificate ", 1, None)),
        ("type of the model", ("model", "type"), ("", "markov-chain", 1)),
        ("kind", ("claim", "kind"), ("", "LD", "bd2", 1, None, ["ld"], {"ld": "ld"})),
        ("scope", ("claim", "scope"), ("", "all", 1, ["pair"], None)),
        ("model", ("model",), ({}, [], None, "")),
        ("claim", ("claim",), ({}, [], None, "")),
        ("evidence", ("evidence",), ({}, [], None, "")),
        ("no states", ("model", "states"), ({}, [])),
    ):
        for value in values:
            changed = encode(replaced(certificate, path, value))
            yield Mutation(f"{what} is {value!r}", changed, True)
    raw = encode(certificate)
    for number in (b"1.0", b"1e0", b"01", b"-1", b"1" * 5_000, b"NaN", b"-0"):
        changed = raw[: raw.rindex(b":") + 1] + number + b"}"
        yield Mutation(f"version is written {number[:8]!r}", changed, True)


def broken_numbers(value: str, signed: bool = False) -> Iterator[tuple[str, str]]:
    """Text that is no rational, or not one that may stand in this one's place."""
    yield from {
        "a leading zero": "0" + value,
        "a plus sign": "+" + value,
        "a leading space": " " + value,
        "a final newline": value + "\n",
        "a denominator of 1": value + "/1",
        "not in lowest terms": spread(value),
        "a decimal": value + ".0",
        "an exponent": value + "e0",
        "an underscore": value + "_0",
        "digits that are not ASCII": value + "\u0663",
        "a denominator of 0": value.partition("/")[0] + "/0",
        "minus nothing": "-0",
        "infinity": "inf",
        "nothing": "",
        "too many digits": "1" * 100_001,
    }.items()
    if not signed or value == "0":
        yield "the other sign", "-" + value


def spread(text: str) -> str:
    above, _, below = text.partition("/")
    return f"{2 * int(above)}/{2 * int(below or 1)}"


def near(text: str) -> list[str]:
    """Other numbers: a digit changed, a little more, a little less."""
    number = Fraction(text)
    little = Fraction(1, 10**12)
    others = [number + little, number - little, number + 1, number / 2, number * 2, 1 - number]
    return [str(other) for other in dict.fromkeys(others) if other != number]


def everywhere(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Places of a certificate and what may stand there instead, as `verdicts.edited` takes it: everything is
    dropped, doubled, turned round, or replaced by something near."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key), ...
            yield from everywhere(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield (*path, place), ...
            yield from everywhere(inner, (*path, place))
        if value:
            yield path, [*value, value[0]]
            yield path, value[::-1]
    elif isinstance(value, int):
        yield from ((path, other) for other in (value + 1, value - 1, str(value), None))
    elif value is None:
        yield path, "1"
    else:
        yield path, value + "0"
        yield path, "a"
        try:
            number = Fraction(value)
        except ValueError:
            return
        for other in (
            number + Fraction(1, 7),
            number - Fraction(1, 7),
            number * 2,
            number / 3,
            1 - number,
            Fraction(0),
            Fraction(1),
        ):
            yield path, str(other)
