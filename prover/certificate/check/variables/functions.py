"""Threshold programs of several variables: the functions that certificates list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from ..programs import Program
from ..reading import (
    BadEvidence,
    Json,
    Malformed,
    Ratio,
    ascending,
    demand,
    each,
    rational,
    record,
    typed,
)

SHIFTS = (-1, 0, 1)

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Where functions are finite: at shifts of some variables, each with its place in the list of points.

    Functions of one shape share it.
    """

    names: tuple[str, ...]
    places: Mapping[Vector, int]


class Function(NamedTuple):
    """Values at the points of a shape; infinite elsewhere, for all shifts of other variables."""

    shape: Shape
    values: Sequence[int]


ZERO = Function(Shape((), {(): 0}), (0,))

Lists = Mapping[str, Sequence[Function]]  # by mode


class Tables(NamedTuple):
    """The functions of all nodes over the denominator `unit`; no number, and no sum, has more bits."""

    lists: Sequence[Lists]
    unit: int
    bits: int


def scaled_tables(program: Program, entries: Sequence[Mapping[str, Json]], modes: Sequence[str]) -> Tables:
    """The functions of all nodes and the rates of the program, over one denominator."""
    reader = Reader()
    listed = []
    for entry in entries:
        one = {"": entry["functions"]}
        lists = one if modes[0] == "" else record(entry["functions"], " ".join(modes))
        listed.append({mode: [reader.function(f) for f in typed(lists[mode], list)] for mode in modes})
    texts = [text for own in listed for many in own.values() for _, points in many for text in points]
    denominators = [reader.numbers[text][1] for text in texts]
    rates = [rate for t in program.transitions for rate in t.rates]
    unit = program.budget.denominator([*denominators, *(r.denominator for r in rates)])
    scaled = {text: n * (unit // d) for text, (n, d) in reader.numbers.items()}
    largest = max(*scaled.values(), *(r.numerator * (unit // r.denominator) for r in rates), 0)
    tables = [
        {mode: [Function(s, [scaled[text] for text in points]) for s, points in own[mode]] for mode in own}
        for own in listed
    ]
    return Tables(tables, unit, (4 * largest + 1).bit_length())


class Reader:
    """Reads functions; shapes and numbers that many of them share are read once."""

    def __init__(self) -> None:
        self.shapes: dict[tuple[tuple[str, ...], tuple[Vector, ...]], Shape] = {}
        self.numbers: dict[str, Ratio] = {}

    def function(self, value: Json) -> tuple[Shape, list[str]]:
        """The shape of a function, and its values as texts, of which `numbers` has the meaning."""
        entry = record(value, "names points")
        points = each(entry["points"], list)
        demand(set(map(len, points)) <= {2}, Malformed, "a list has the wrong length")
        names = tuple(each(entry["names"], str))
        vectors = each([vector for vector, _ in points], list)
        each(list(chain.from_iterable(vectors)), int)
        texts = each([text for _, text in points], str)
        for text in texts:
            if text not in self.numbers:
                self.numbers[text] = rational(text)
                demand(self.numbers[text][0] >= 0, Malformed, "a value is negative")
        key = names, tuple(map(tuple, vectors))
        if key not in self.shapes:
            self.shapes[key] = read_shape(*key)
        return self.shapes[key], texts


def read_shape(names: tuple[str, ...], vectors: tuple[Vector, ...], shifts: Sequence[int] = SHIFTS) -> Shape:
    ascending(names, BadEvidence, "names")
    for vector in vectors:
        demand(len(vector) == len(names), Malformed, "a list has the wrong length")
        demand(all(shift in shifts for shift in vector), Malformed, "a shift is not one that counts")
    ascending(vectors, BadEvidence, "points")
    return Shape(names, {vector: index for index, vector in enumerate(vectors)})
