"""Draws that are made at their first use, and comparisons that are made at the later of two draws.

Papers often draw several noisy numbers first and compare them afterwards. A draw is moved to the first place
where its number is compared or seen. Inputs are read in the order of the code: before a number with a query
is drawn, all that the code has drawn before it with queries are drawn, also those that are not used any more.
Two numbers that have both been drawn before are compared when the later one is drawn, and the states after
that know the result (docs/theory_registers.md, *Draws that are moved*).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from prover.language.mechanism.path import DrawnSample, Order, PendingDraws, Signs, Trace
from prover.language.reading.instructions import Instruction
from prover.language.reading.machine import Bindings
from prover.language.values import CONSTANT, CURRENT, PENDING, Query, Sample, leaves, mapped

Pair = frozenset[int | str]
"""Two numbers that are compared after both were drawn: instructions of draws, or a store of a public one."""


def samples(values: Iterable[object]) -> list[Sample]:
    """The samples in some values."""
    return [one for value in values for one in leaves(value) if isinstance(one, Sample)]


def postponed(path: Trace, drawn: DrawnSample, *, based: bool) -> Sample:
    """A number that the code draws here, and the program later; it is pending on the path from now on."""
    taken = {store for store, _ in path.pending}
    store = next(name for k in range(len(taken) + 1) if (name := f"{PENDING}{k}") not in taken)
    path.pending += ((store, drawn),)
    return Sample(store, query=drawn.query, based=based, drawn=drawn.at)


def due(path: Trace, step: Instruction) -> str | None:
    """The pending draw that the program has to make before an instruction; None if there is none."""
    if step.operation not in ("compare", "see") or not path.pending:
        return None
    needed = {one.store for one in samples(path.values.get(name) for name in step.args) if one.is_pending}
    before: list[str] = []
    for store, drawn in path.pending:
        if store in needed:
            return before[0] if before and drawn.query is not None else store
        before += [store] if drawn.query is not None else []
    return None


def make(path: Trace, store: str) -> DrawnSample:
    """Make a pending draw: what was its store is the current sample."""
    known = dict(path.pending)
    path.pending = tuple(one for one in path.pending if one[0] != store)

    path.values = _with_stores(path.values, {store: CURRENT})
    return known[store]


def give_query(path: Trace, store: str, query: Query) -> None:
    """A query is added to a pending draw without one, which takes its turn among those with queries."""
    drawn = dict(path.pending)[store]
    if drawn.query is None:
        others = tuple(one for one in path.pending if one[0] != store)
        path.pending = (*others, (store, replace(drawn, query=query)))


def renamed(values: Bindings, pending: PendingDraws) -> tuple[Bindings, PendingDraws]:
    """The same with names by the order of draws, without draws that nobody uses and that read nothing."""
    if not pending:
        return values, ()
    live = {one.store for one in samples(values.values())}
    kept = [(store, drawn) for store, drawn in pending if store in live or drawn.query is not None]
    names = {store: f"{PENDING}{number}" for number, (store, _) in enumerate(kept)}

    found = _with_stores(values, names)
    return found, tuple((names[store], drawn) for store, drawn in kept)


def _with_stores(values: Bindings, names: Mapping[str, str]) -> Bindings:
    """The values with other stores of some samples."""

    def again(value: Any) -> Any:
        return (
            replace(value, store=names.get(value.store, value.store)) if isinstance(value, Sample) else value
        )

    return {name: mapped(again, value) for name, value in values.items()}


def compared_later(
    path: Trace, pairs: Iterable[Pair], live: Iterable[Sample]
) -> tuple[Sample, Sample] | None:
    """The current sample and one that is stored, or public, which have to be compared now; None if none."""
    held = list(live)
    current = next((one for one in held if one.store == CURRENT), None)
    if current is None or path.drawn is None:
        return None
    for pair in sorted(pairs, key=lambda pair: sorted(map(str, pair))):
        if current.drawn not in pair:
            continue
        (other,) = pair - {current.drawn} or pair
        if isinstance(other, str):
            if other not in path.tests:
                number = Fraction(other.removeprefix(CONSTANT))
                shift = current.offset if path.shift is None else path.shift
                return current, Sample(CONSTANT, number + current.offset - shift)
            continue
        for one in held:
            if (
                one.drawn == other
                and one.store != CURRENT
                and not one.is_pending
                and one.store not in path.tests
            ):
                return current, one
    return None


def known_order(path: Trace, keep: str | None, live: Iterable[Sample], pairs: Iterable[Pair]) -> Order:
    """What is known after a step of pairs that are compared later, where both numbers are still used.

    ``keep`` is the store of the current sample.
    """
    held = list(live)
    stores = {one.store: one.drawn for one in held if one.store != CURRENT and not one.is_pending}
    wanted = set(pairs)
    found: dict[tuple[str, str], Signs] = {
        (one, other): signs
        for (one, other), signs in path.order.items()
        if one in stores and (other in stores or other.startswith(CONSTANT))
    }
    current = next((one for one in held if one.store == CURRENT), None)
    if keep is not None and current is not None and current.drawn is not None:
        for store, signs in path.tests.items():
            other = store if store.startswith(CONSTANT) else stores.get(store)
            if other is not None and frozenset((current.drawn, other)) in wanted:
                found[keep, store] = signs
    return found


def signs_between(order: Order, left: str, right: str) -> Signs | None:
    """Which signs the difference of two stored numbers may have; None where nothing is known."""
    if (left, right) in order:
        return order[left, right]
    turned = order.get((right, left))
    return None if turned is None else frozenset(-sign for sign in turned)
