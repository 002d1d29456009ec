"""δ of runs each of which is of one of several mechanisms, chosen after what was seen (*Adaptively*)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..budget import bits_of
from ..reading import Ratio, written
from .endings import Law, mass_of
from .products import TERM_BITS
from .tally import Tally

Event = tuple[int, int]  # its probabilities under the first and under the second secret


@dataclass(frozen=True, slots=True)
class Menu:
    """Laws over the denominators `whole` and `other`: of each the mass at ∞, and for each atom the number of
    its ratio with both masses."""

    ratios: Sequence[Fraction]
    laws: Sequence[tuple[int, Sequence[tuple[int, int, int]]]]
    whole: int
    other: int

    @property
    def masses(self) -> int:
        return sum(len(atoms) for _, atoms in self.laws)

    @property
    def longest(self) -> int:
        """The bits of the longest number of a ratio."""
        return bits_of(n for ratio in self.ratios for n in ratio.as_integer_ratio())


def adaptive_delta(steps: Sequence[tuple[Sequence[Law], int]], alpha: Ratio, tally: Tally) -> Ratio:
    """The value of the first run at α: of a run at a it is the largest 1 − Σ p + Σ p D(a/r) of its laws, D of
    the next run; behind the last one it is max(0, 1 − a)."""
    tally.budget.fit(sum(n for _, n in steps), TERM_BITS)
    menus = [menu for laws, n in steps for menu in [menu_of(laws, tally)] * n]
    bits, places, number = bits_of(alpha), [[Fraction(*alpha)]], 1
    links, longs = list[list[list[int]]](), [bits]
    for menu in menus:
        before, longest = places[-1], menu.longest
        bits += longest
        longs.append(bits)
        number += len(before) * (menu.masses + 1)
        tally.budget.fit(number, TERM_BITS + 2 * bits)
        tally.spend(4 * len(before) * (menu.masses + 1), bits, longest)
        keys, after = dict[str, int](), list[Fraction]()
        links.append([list(led(place, menu, keys, after)) for place in before])
        places.append(after)
    events: list[Event] = [(1, 1) if place < 1 else (0, 0) for place in places.pop()]
    whole = other = 1
    while menus:
        menu, before, led_to = menus.pop(), places.pop(), links.pop()
        rest, whole, other = whole, whole * menu.whole, other * menu.other
        size = whole.bit_length() + other.bit_length() + longs.pop()
        own = max(menu.whole.bit_length(), menu.other.bit_length())
        tally.budget.fit(len(before) + len(events), TERM_BITS + size)
        tally.spend(4 * len(before) * (menu.masses + len(menu.laws)), size, own)
        tally.spend(4 * len(before) * len(menu.laws), size, size)
        events = [
            best_of(place, list(events_of(menu, rest, following, events)), whole, other)
            for place, following in zip(before, led_to, strict=True)
        ]
    (a, b), ((p, q),) = alpha, events
    return p * other * b - q * whole * a, whole * other * b


def menu_of(laws: Sequence[Law], tally: Tally) -> Menu:
    seconds = [[mass / ratio for ratio, mass in law] for law in laws]
    whole = tally.budget.denominator([mass.denominator for law in laws for _, mass in law])
    other = tally.budget.denominator([q.denominator for row in seconds for q in row])
    numbers, ratios = dict[str, int](), list[Fraction]()
    found = []
    for law, row in zip(laws, seconds, strict=True):
        atoms = []
        for (ratio, mass), q in zip(law, row, strict=True):
            key = written(*ratio.as_integer_ratio())
            if key not in numbers:
                numbers[key] = len(ratios)
                ratios.append(ratio)
            atoms.append((numbers[key], int(mass * whole), int(q * other)))
        found.append((int((1 - mass_of(law)) * whole), atoms))
    return Menu(ratios, found, whole, other)


def led(place: Fraction, menu: Menu, keys: dict[str, int], after: list[Fraction]) -> Iterator[int]:
    """The numbers of the places that the ratios lead to; new ones are added."""
    for ratio in menu.ratios:
        following = place / ratio
        number = keys.setdefault(written(*following.as_integer_ratio()), len(after))
        if number == len(after):
            after.append(following)
        yield number


def events_of(menu: Menu, rest: int, following: Sequence[int], events: Sequence[Event]) -> Iterator[Event]:
    """The best event after each of the laws."""
    for infinite, atoms in menu.laws:
        p, q = infinite * rest, 0
        for k, mass, second in atoms:
            first, then = events[following[k]]
            p, q = p + mass * first, q + second * then
        yield p, q


def best_of(place: Fraction, events: Sequence[Event], whole: int, other: int) -> Event:
    a, b = place.as_integer_ratio()
    return max(events, key=lambda event: event[0] * other * b - event[1] * whole * a)
