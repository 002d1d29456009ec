"""Rows of chains: the probabilities of the successors of a state, by their indices."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeVar, cast

from prover.chain.errors import not_text, state_path, unknown_successor
from prover.errors import BadInput, InvalidModel, abbreviated, quoted
from prover.exact.given import Given, exact_rational, how_to_write
from prover.exact.rational import format_rational, total

AnyNumber = TypeVar("AnyNumber")

_EXACT = {Fraction}


def indexed_row(state: str, row: Mapping[str, Given], index_of: Mapping[str, int]) -> dict[int, Fraction]:
    """A row by the indices of the successors, without zeros; raises what ``of`` raises."""
    if {*map(type, row.values())} == _EXACT and all(map(index_of.__contains__, row)):
        return in_order({index_of[t]: p for t, p in cast("Mapping[str, Fraction]", row).items() if p})
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


def check_row(states: tuple[str, ...], state: str, row: Mapping[int, Fraction]) -> None:
    """That a row of a state is one of a chain with these states; raises InvalidModel."""
    successors, probabilities = [*row], row.values()
    ordered = sorted(successors) == successors
    within = ordered and successors and successors[0] >= 0 and successors[-1] < len(states)
    exact = within and {*map(type, probabilities)} == _EXACT
    if not (exact and min([p.numerator for p in probabilities]) > 0):
        _check_entries(states, state, row)
    if not ordered:
        raise InvalidModel(
            f"the row of state {quoted(state)} is not in the order of the states", code="not-canonical"
        )
    mass = total(probabilities)
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
