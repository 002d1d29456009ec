"""Compositions of several mechanisms on finer and finer grids, and how much work it is to repeat them.

Checkers repeat the last one. The work is counted as they count it (docs/certificates.md, 3.8).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, isqrt
from typing import Generic, Self, TypeVar

from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.errors import BadGrid
from prover.accounting.grid import (
    MOST_DIGITS,
    MOST_HALVINGS,
    MOST_STEPS,
    Grid,
    SideAbove,
    SideBelow,
    after_square,
    on_one_scale,
)
from prover.accounting.power import power
from prover.accounting.units import operation
from prover.errors import Fault
from prover.progress import Progress, silent

MOST_WINDOW = 4_000_000
"""Cells of a composition for which a grid is chosen."""

_FIRST_STEPS = 50
_FIRST_FACTOR, _FARTHEST = Fraction(16), Fraction(128)
_MORE = Fraction(9, 8)  # than a width asks
_HARDLY = Fraction(4, 5)  # of a width is no progress
_LITTLE = Fraction(1, 1000)  # of a width is not worth another grid, or a finer one
_UNITS_PER_DIGIT, _UNITS_PER_CELL = 12, 400
_SPARE = 6  # digits for a grid of as many cells as there may be; of fewer cells fewer are rounded

Parts = Sequence[tuple[tuple[LossDistribution, LossDistribution], int]]
"""Distributions, each between one that it dominates and one that dominates it, and how often it is drawn."""


AnySide = TypeVar("AnySide", SideAbove, SideBelow)


def compositions_on(
    choices: Sequence[Parts], grid: Grid, progress: Progress = silent
) -> tuple[EnclosedLossDistribution, ...]:
    """Independent mechanisms, each so many times, all seen together: for each of several choices of them.

    What the next choice has at the same place is not computed again. Raises BadValue.
    """
    lowers, uppers = ([[(own[up], n) for own, n in parts] for parts in choices] for up in (False, True))
    below = _products(lowers, SideBelow.of, grid, progress)
    above = _products(uppers, SideAbove.of, grid, progress)
    return tuple(
        EnclosedLossDistribution(high, low, (less, more))
        for (low, less), (high, more) in zip(below, above, strict=True)
    )


def powers_work(grid: Grid) -> int:
    """The units of the powers of a grid that have been computed."""
    return (grid.inverses.computed + MOST_HALVINGS + 1) * _UNITS_PER_CELL


def _products(
    choices: Sequence[Sequence[tuple[LossDistribution, int]]],
    of: Callable[[LossDistribution, Grid], AnySide],
    grid: Grid,
    progress: Progress,
) -> Iterator[tuple[AnySide, int]]:
    """Of every choice one side, and the units of it beside the powers of the grid."""
    known: dict[int, tuple[LossDistribution, AnySide]] = {}
    for parts in choices:
        tally: list[int] = []
        product: _Counted[AnySide] | None = None
        for place, (loss, times) in enumerate(parts):
            if place not in known or known[place][0] != loss:
                base = _Counted(of(loss, grid), tally)
                tally += _beginning(loss, grid)
                known[place] = loss, power(base, times, progress, after_square).side
            factor = _Counted(known[place][1], tally)
            product = factor if product is None else product * factor
        if product is None:
            raise Fault("a composition of nothing")
        side = product.side
        tally.append((side.p.degree() + 1) * _UNITS_PER_CELL)
        if isinstance(side, SideAbove):
            tally.append(2 * max(0, side.low + side.p.degree() + 1) * _UNITS_PER_CELL)
        yield side, sum(tally)


def _beginning(loss: LossDistribution, grid: Grid) -> Iterator[int]:
    """The units of putting a distribution on a grid."""
    one = 2 * grid.inverses.one.bit_length()
    for atom in loss.atoms:
        numbers = (*atom.ratio.as_integer_ratio(), *atom.p.as_integer_ratio())
        bits = max(n.bit_length() for n in numbers) + one
        yield 64 * operation(bits, bits)
    yield _cells(loss, grid) * _UNITS_PER_CELL


def _cells(loss: LossDistribution, grid: Grid) -> int:
    """At least the cells of a distribution on a grid, before zeros and small masses at its ends are left
    out."""
    if not loss.atoms:
        return 2
    unit, powers = Fraction(grid.unit), grid.inverses
    ends = [min(unit, max(1 / unit, 1 / loss.atoms[k].ratio)) for k in (0, -1)]
    least, most = (powers.cell(floor(end * powers.one)) for end in ends)
    return most - least + 3


@dataclass(frozen=True, slots=True)
class _Counted(Generic[AnySide]):
    """A side of a product on a grid, which counts the units of products in ``tally``."""

    side: AnySide
    tally: list[int]

    @property
    def grid(self) -> Grid:
        """The grid of the side."""
        return self.side.grid

    @property
    def scale(self) -> int:
        """How often that is halved."""
        return self.side.scale

    def coarser(self) -> Self:
        """The side on the grid halved once more."""
        self.tally.append((self.side.p.degree() + 2) * _UNITS_PER_CELL)
        return replace(self, side=self.side.coarser())

    def __mul__(self, other: Self) -> Self:
        one, another = (counted.side for counted in on_one_scale(self, other))
        sums = [one.mass * another.mass]
        if isinstance(one, SideBelow):
            sums.append(int(one.q(1)) * int(another.q(1)))
        cells = one.p.degree() + another.p.degree() + 2
        self.tally.extend(cells * len(str(most)) * _UNITS_PER_DIGIT for most in sums)
        return replace(self, side=one * another)


def refined_compositions(
    choices: Sequence[Parts],
    width_of: Callable[[Sequence[EnclosedLossDistribution]], Fraction | None],
    width: Fraction,
    largest_alpha: Callable[[Sequence[EnclosedLossDistribution]], Fraction],
    progress: Progress = silent,
    finer_by: Callable[[Sequence[EnclosedLossDistribution]], Fraction | None] = lambda _: None,
    still_open: Callable[[Sequence[EnclosedLossDistribution]], Collection[int]] | None = None,
) -> Iterator[tuple[EnclosedLossDistribution, ...]]:
    """Several compositions on finer and finer grids, one for all, until what is asked is known up to a width.

    ``width_of`` measures it; None is as wide as can be. It goes down with the square of the cells', of which
    there are never more than ``MOST_WINDOW``. After every second square the grid is halved: what was on the
    finer one then counts for fewer factors. Where parts are only enclosed, it ends when a finer grid hardly
    helps. ``largest_alpha`` is the largest α that counts: masses under the second secret are multiplied by
    it, and have as many more digits. ``finer_by`` says by which factor a grid may be finer, and
    ``still_open`` which choices matter, by their numbers; others stay as they are.
    """
    runs = max(sum(times for _, times in parts) for parts in choices)
    most = max(times for parts in choices for _, times in parts)
    halvings = tuple(number % 2 for number in range(most.bit_length() - 1))
    least = 8 + len(str(runs)) + len(str(width.denominator // max(1, width.numerator)))
    only_enclosed = any(lower != upper for parts in choices for (lower, upper), _ in parts)
    before: Fraction | None = None
    coarser, spare = _FIRST_STEPS, 0
    steps, digits = _FIRST_STEPS, least + len(str(int(largest_alpha(()))))
    found: list[EnclosedLossDistribution] = []
    numbers: Collection[int] = range(len(choices))
    while True:
        enough = min(digits, MOST_DIGITS)
        grid = Grid(steps, enough - spare, 10 ** max(0, enough - spare - least + 4), halvings)
        try:
            new = dict(
                zip(numbers, compositions_on([choices[k] for k in numbers], grid, progress), strict=True)
            )
        except BadGrid:
            if steps == _FIRST_STEPS:
                raise
            return
        found = [new[k] if k in new else found[k] for k in range(len(choices))]
        yield tuple(found)
        digits = least + len(str(int(largest_alpha(found))))
        reached, most_finer = width_of(found), finer_by(found)
        if (reached is not None and reached <= width) or digits > MOST_DIGITS:
            return
        if most_finer is not None and most_finer < 1:
            return
        if still_open is not None:
            numbers = still_open(found)
        if reached is None and digits > enough:  # α is larger than there are digits for
            digits = max(digits, min(2 * enough, MOST_DIGITS))
            continue
        useful = _FARTHEST
        if only_enclosed and before is not None and reached is not None:
            left = (before - reached) / (steps // coarser) ** 2  # about what finer grids gain in all
            if reached > before * _HARDLY or (reached - left > width and left < reached * _LITTLE):
                return
            useful = _root(left / (reached * _LITTLE))
        before, coarser = reached, steps
        wanted = Fraction(4) if reached is None or width == 0 else _root(reached / width) * _MORE
        far = _FARTHEST if wanted <= _FARTHEST or steps > _FIRST_STEPS else _FIRST_FACTOR
        factor: Fraction = max(Fraction(2) if only_enclosed else _MORE, min(far, wanted, useful))
        cells = max(1, *(found[k].above.p.degree() for k in numbers))
        finer = min(MOST_STEPS, int(steps * factor), steps * MOST_WINDOW // cells)
        if most_finer is not None:
            finer = min(finer, int(steps * most_finer))
        if finer <= steps:
            return
        spare = max(0, _SPARE - len(str(cells * finer // steps)))
        steps = finer


def _root(number: Fraction) -> Fraction:
    """About the square root."""
    return Fraction(isqrt(int(number * 10**6)), 1000)
