"""Chains as model checkers write them, before it is decided what an observer sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from prover.chain.rows import in_order, is_distribution
from prover.errors import InvalidModel, UnknownName, abbreviated, quoted
from prover.exact.rational import format_rational, scientific_text, total

INITIAL, DEADLOCK = "init", "deadlock"
"""Atomic propositions that model checkers set themselves; no observer sees them unless they are named."""

ExplicitRows = tuple[Mapping[int, Fraction], ...]


def row_does_not_sum(state: int, name: str | None, total: Fraction, action: str = "") -> InvalidModel:
    """The probabilities of a state's transitions do not sum to exactly 1."""
    called = f"state {state}" if name in (None, str(state)) else f"state {state}, {quoted(name or '')},"
    called += f" under action {quoted(action)}" if action else ""
    message = f"row of {called} sums to {abbreviated(format_rational(total))}, not 1"
    if total:
        message += "; normalise (--normalise) divides the rows of rounded files by their sums"
    else:
        message += ": it has no transition; give it one to itself if it ends there"
    return InvalidModel(message, code="row-does-not-sum")


def no_state() -> InvalidModel:
    """A file of a chain holds no state."""
    return InvalidModel("a chain needs at least one state, and this one has none", code="no-state")


def not_in_model(what: str, name: str, known: Sequence[str]) -> UnknownName:
    """A variable or an atomic proposition is asked for that no state has."""
    some = ", ".join(quoted(other) for other in known[:10]) + (", …" if len(known) > 10 else "")
    there = f"the {what}s are {some}" if known else f"there is no {what} in this file"
    return UnknownName(f"no {what} {quoted(name)}; {there}", code="not-in-model")


@dataclass(frozen=True, slots=True)
class ExplicitStates:
    """The states 0, …, n − 1 of a file, whatever they do.

    ``propositions[s]`` are the atomic propositions that hold in s, sorted; ``initial`` the initial states in
    order. ``values[s]`` are the texts of the values that the ``variables`` have in s. ``names`` are the names
    of the states and ``relation`` the related states where the file gives them. ``notes`` say what the user
    has to know about how the file was read.
    """

    propositions: tuple[tuple[str, ...], ...]
    initial: tuple[int, ...]
    variables: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    names: tuple[str, ...] = ()
    relation: tuple[tuple[int, int], ...] | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.propositions)


@dataclass(frozen=True, slots=True)
class ExplicitChain(ExplicitStates):
    """A finite Markov chain: ``rows[s][t]`` = P(s→t) > 0, sums 1."""

    rows: ExplicitRows = field(kw_only=True)


def state_names(chain: ExplicitStates) -> tuple[str, ...]:
    """What the states are called: by the file, else by their valuation (``b=true,x=0``), else by their
    number.

    Variables are in the order of the alphabet. Valuations are names only where no two states have the same.
    Raises InvalidModel.
    """
    if chain.names:
        if len(set(chain.names)) < len(chain.names):
            raise InvalidModel("two states have the same name", code="names-not-unique")
        return chain.names
    if chain.variables:
        columns = sorted((variable, place) for place, variable in enumerate(chain.variables))
        names = tuple(
            ",".join(f"{variable}={values[place]}" for variable, place in columns) for values in chain.values
        )
        if len(set(names)) == len(names):
            return names
    return tuple(map(str, range(len(chain))))


def checked_rows(
    rows: Sequence[Mapping[int, Fraction]],
    *,
    normalise: bool,
    names: Sequence[str] = (),
    owners: Sequence[tuple[int, str]] | None = None,
) -> tuple[ExplicitRows, tuple[str, ...]]:
    """The rows without zeros and in order, if every one sums to 1; else, to ``normalise``, divided by their
    sums.

    Row k is that of state k, or where ``owners`` are given that of a state under an action. The second is the
    note that says so, if there is one to say. Raises InvalidModel, also where a row that is to be normalised
    sums to 0.
    """
    checked: list[Mapping[int, Fraction]] = []
    divided, farthest = 0, Fraction(0)
    for index, row in enumerate(rows):
        if is_distribution(row.values()):
            checked.append(in_order(dict(row)))
            continue
        mass, positive = total(row.values()), in_order({t: p for t, p in row.items() if p})
        if mass == 1:
            checked.append(positive)
            continue
        if not normalise or mass == 0:
            state, action = (index, "") if owners is None else owners[index]
            raise row_does_not_sum(state, names[state] if names else None, mass, action)
        checked.append({t: p / mass for t, p in positive.items()})
        divided, farthest = divided + 1, max(farthest, abs(mass - 1))
    if not divided:
        return tuple(checked), ()
    count = "1 row was" if divided == 1 else f"{divided:,} rows were"
    off = f"which differed from 1 by up to {scientific_text(farthest, 3)}"
    note = f"normalised: {count} divided by the sum, {off}"
    return tuple(checked), (note,)
