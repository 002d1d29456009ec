"""Rows of chains: the probabilities of the successors of a state, by their indices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any, TypeVar, cast

from prover.chain.errors import not_text, state_path, unknown_successor
from prover.errors import BadInput, InvalidModel, abbreviated, quoted
from prover.exact.given import Given, exact_rational, how_to_write
from prover.exact.meanings import Meanings
from prover.exact.rational import format_rational, total

AnyNumber = TypeVar("AnyNumber")

_EXACT, _TEXTS = {Fraction}, {str}
_RATIO = Fraction.as_integer_ratio


def indexed_row(
    state: str, row: Mapping[str, Given], index_of: Mapping[str, int], known: Meanings[Fraction]
) -> dict[int, Fraction]:
    """A row by the indices of the successors, without zeros; ``known`` has what texts mean. Raises what
    ``of`` raises.
    """
    kinds = {*map(type, row.values())}
    try:
        if kinds == _EXACT:
            return placed(row, cast("Mapping[str, Fraction]", row).values(), index_of.__getitem__)
        if kinds == _TEXTS:
            return placed(row, map(known.__getitem__, row.values()), index_of.__getitem__)
    except (BadInput, KeyError):  # a mistake, which has to be named
        return _one_by_one(state, row, index_of)
    return _one_by_one(state, row, index_of)


def _one_by_one(state: str, row: Mapping[str, Given], index_of: Mapping[str, int]) -> dict[int, Fraction]:
    indexed = {}
    for successor, given in row.items():
        if successor not in index_of:
            if not isinstance(successor, str):
                raise not_text(f"a successor of state {quoted(state)}", successor, state_path(state))
            raise unknown_successor(state, successor)
        probability = given if type(given) is Fraction else _probability(state, successor, given)
        if probability:
            indexed[index_of[successor]] = probability
    return in_order(indexed)


def placed(
    successors: Iterable[Any], numbers: Iterable[AnyNumber], place: Callable[[Any], int]
) -> dict[int, AnyNumber]:
    """A row by the places of the successors, which are different ones: in order, and without zeros."""
    pairs = sorted(zip(map(place, successors), numbers, strict=True))
    row = dict(pairs)
    return row if all(row.values()) else {t: p for t, p in pairs if p}


def in_order(row: dict[int, AnyNumber]) -> dict[int, AnyNumber]:
    """A row with its successors in increasing order."""
    successors = sorted(row)
    return row if successors == [*row] else {t: row[t] for t in successors}


def _probability(state: str, successor: str, given: object) -> Fraction:
    if isinstance(given, float):
        raise InvalidModel(
            f"probability {float(given)!r} is a float and so inexact; {how_to_write(given)}",
            path=state_path(state, successor),
            code="float-probability",
        )
    try:
        number = exact_rational(given)
    except BadInput as error:
        error.path = state_path(state, successor)
        raise
    if number is None:
        raise InvalidModel(
            f'probability is of type {type(given).__name__}; write a number such as "1/10"',
            path=state_path(state, successor),
            code="not-a-number",
        )
    return number


def is_distribution(numbers: Collection[object]) -> bool:
    """Whether numbers are fractions above 0 that sum to 1; they are added over one common denominator."""
    if {*map(type, numbers)} != _EXACT:
        return False
    above, common = 0, 1
    for top, bottom in map(_RATIO, cast("Collection[Fraction]", numbers)):
        if top <= 0:
            return False
        if common % bottom:
            before, common = common, lcm(common, bottom)
            above *= common // before
        above += top * (common // bottom)
    return above == common


def check_row(states: tuple[str, ...], state: str, row: Mapping[int, Fraction]) -> None:
    """That a row of a state is one of a chain with these states; raises InvalidModel."""
    successors = [*row]
    ordered = sorted(successors) == successors
    within = ordered and successors and successors[0] >= 0 and successors[-1] < len(states)
    if within and is_distribution(row.values()):
        return
    _check_entries(states, state, row)
    if not ordered:
        raise InvalidModel(
            f"the row of state {quoted(state)} is not in the order of the states", code="not-canonical"
        )
    mass = total(row.values())
    if mass != 1:
        found = abbreviated(format_rational(mass))
        raise InvalidModel(
            f"row of state {quoted(state)} sums to {found}, not 1",
            path=f"{state_path(state)}.next",
            code="row-sum",
        )


def _check_entries(states: tuple[str, ...], state: str, row: Mapping[int, Fraction]) -> None:
    """That every successor is a state and has a probability above 0; raises InvalidModel."""
    for successor, probability in row.items():
        if not 0 <= successor < len(states):
            raise unknown_successor(state, str(successor))
        if not isinstance(probability, Fraction):
            raise InvalidModel(
                f"a probability of state {quoted(state)} is not a Fraction", code="not-canonical"
            )
        if probability < 0:
            number = abbreviated(format_rational(probability))
            raise InvalidModel(
                f"probability {number} is negative; probabilities lie between 0 and 1",
                path=state_path(state, states[successor]),
                code="negative-probability",
            )
        if probability == 0:
            raise InvalidModel(
                f"the row of state {quoted(state)} holds a zero; zeros are left out", code="not-canonical"
            )
