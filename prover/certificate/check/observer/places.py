"""Places of a word: a state, the order of the stored values, and their shifts; and the cost of the next
step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..programs import Program, Transition
from ..variables.orders import Order, known_after, known_order, live_variables

Key = tuple[str, Order, tuple[int, ...]]  # a state, the order of its live variables, and their shifts


class Steps:
    """The steps from places of a program whose rates are integers times 1/unit."""

    def __init__(self, program: Program, unit: int) -> None:
        self.program, self.unit = program, unit
        self.rates = [
            [None if rate is None else int(rate * unit) for rate in (t.left, t.right, t.rate_prime)]
            for t in program.transitions
        ]
        self.live: Mapping[str, Sequence[str]] = {
            state: sorted(names) for state, names in live_variables(program).items()
        }

    def price(self, t: Transition, b: int, shift: int) -> int | None:
        """The cost of a step with an input and a shift; None is infinite. Here all sensitivities are
        equal."""
        left, right, prime = self.rates[t.number]
        given = b if t.takes_input else 0
        more = (prime or 0) * abs(given) if t.primed else 0
        if shift == given:
            return more
        rate = right if shift > given else left
        return None if rate is None else rate * abs(shift - given) + more

    def seen(
        self, key: Key, symbol: tuple[str, int], b: int, span: range, *, last: bool
    ) -> Iterator[tuple[Key, int]]:
        """Where transitions with a symbol lead that a run may take, with shifts in a span, and the cost.
        After the last step nothing is live."""
        for t in self.program.leaving(key[0]):
            if t.seen == symbol and known_after(key[1], t) is not None:
                yield from self._following(key, t, b, span, () if last else self.live.get(t.to, ()))

    def _following(
        self, key: Key, t: Transition, b: int, span: range, names: Sequence[str]
    ) -> Iterator[tuple[Key, int]]:
        """The places that a transition leads to, with each shift that its tests allow, and the cost. Of the
        stored values only those of these variables count."""
        state, order, vector = key
        stored = dict(zip(self.live.get(state, ()), vector, strict=True))
        low = max([span.start, *(stored[name] for relation, name in t.bounds if relation != "<")])
        high = min([span.stop - 1, *(stored[name] for relation, name in t.bounds if relation != ">=")])
        shifts = range(low, high + 1)
        if t.pinned:
            shifts = range(low <= 0 <= high)
        elif not {*names} & {*t.stored} and low <= high:  # any shift leads to one place
            nearest = max(low, min(b if t.takes_input else 0, high))
            shifts = range(nearest, nearest + 1)
        known = known_order(order, t, names)
        for own in shifts:
            price = self.price(t, b, own)
            if price is not None:
                yield (t.to, known, tuple([own if n in t.stored else stored[n] for n in names])), price


def span_of(inputs: Sequence[int]) -> range:
    """The shifts between the least and the largest of some inputs and 0."""
    return range(min(0, *inputs), max(0, *inputs) + 1)


def width(program: Program, span: range) -> int:
    """The operations that a transition from a place may take: for every shift, and for the order."""
    return span.stop - span.start + 5 * len(program.variables) ** 2 + 8
