"""Products of laws on a geometric grid, rounded outward (*Grids*)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import ceil, floor
from operator import mul

from ..budget import LEAST_BITS, Budget, bits_of
from ..reading import Json, Malformed, Ratio, demand, natural, record, typed
from .endings import Law, Laws, mass_of
from .tally import Tally

Vertex = tuple[Fraction, Fraction]

EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
MOST_STEPS, MOST_DIGITS, MOST_HALVINGS = 1_000_000, 200, 20
GUARD = 20  # decimals of powers beyond those of masses
UNITS_PER_DIGIT = 12  # of the factors of a product
BITS_PER_DIGIT = 32  # of memory
UNITS_PER_CELL = 400  # of a power of the grid, and of a line
OPERATIONS = 128  # of an α, or of the errors of a vertex, on a side


class Powers:
    """ρ^−k, ρ = 1 + 1/m, in units of 10^−(d + 20), rounded down and up, each from the one before."""

    def __init__(self, steps: int, digits: int, tally: Tally) -> None:
        self.one = 10 ** (digits + GUARD)
        self.tally = tally
        self.falling = ([self.one], [self.one])
        self.growing = ([self.one], [self.one])
        self.steps = steps
        self.halved = [(self.one * steps // (steps + 1), -(-self.one * steps // (steps + 1)))]

    def step(self, scale: int) -> tuple[int, int]:
        """ρ^−(2^scale), rounded down and up: the square of the one before."""
        while len(self.halved) <= scale:
            self.tally.spend_units(UNITS_PER_CELL)
            low, high = self.halved[-1]
            self.halved.append((low * low // self.one, -(-high * high // self.one)))
        return self.halved[scale]

    def from_one(self, scale: int, count: int) -> Sequence[int]:
        """The powers 0, 1, … of that, rounded down."""
        if scale == 0:
            return self.side(max(0, count - 1))[0][:count]
        self.room(count)
        self.tally.spend_units(count * UNITS_PER_CELL)
        found, factor = [self.one], self.step(scale)[0]
        while len(found) < count:
            found.append(found[-1] * factor // self.one)
        return found

    def side(self, k: int) -> tuple[list[int], list[int]]:
        low, high = side = self.falling if k >= 0 else self.growing
        a, b = (self.steps, self.steps + 1) if k >= 0 else (self.steps + 1, self.steps)
        new = abs(k) + 1 - len(low)
        if new > 0:
            self.room(new)
            self.tally.spend_units(new * UNITS_PER_CELL)
        while len(low) <= abs(k):
            low.append(low[-1] * a // b)
            high.append(-(-high[-1] * a // b))
        return side

    def room(self, new: int) -> None:
        """So many powers more, each rounded down and up, have room beside those that are there."""
        known = len(self.falling[0]) + len(self.growing[0])
        self.tally.budget.fit(2 * (known + new), max(LEAST_BITS, self.one.bit_length()))

    def below(self, k: int) -> int:
        return self.side(k)[0][abs(k)]

    def above(self, k: int) -> int:
        return self.side(k)[1][abs(k)]

    def cell(self, inverse: int) -> int:
        """The least k whose power, rounded up, is at most this."""
        # As ρ^k ≤ e^(k/m), it takes at least 0.69 n m powers to get to 2^n: these are counted first.
        low, high = sorted([inverse, self.one])
        least = 69 * self.steps * ((high // low).bit_length() - 1) // 100
        if inverse < self.one:
            highs = self.falling[1]
            self.side(max(0, least))
            while highs[-1] > inverse:
                self.side(len(highs))
            return bisect_left(highs, -inverse, key=lambda number: -number)
        highs = self.growing[1]
        self.side(min(0, -least))
        while highs[-1] <= inverse:
            self.side(-len(highs))
        return 1 - bisect_right(highs, inverse)


@dataclass(frozen=True, slots=True)
class Grid:
    """Masses are in units of 1/``unit``; ends of at most ``tail`` units are taken away."""

    steps: int
    unit: int
    tail: int
    halvings: Sequence[int]
    powers: Powers
    tally: Tally
    budget: Budget


def read_grid(value: Json, budget: Budget) -> Grid:
    fields = record(value, "digits steps tail work", "halvings")
    steps, digits = typed(fields["steps"], int), typed(fields["digits"], int)
    tally = Tally(budget, typed(fields["work"], int))
    demand(1 <= steps <= MOST_STEPS and 1 <= digits <= MOST_DIGITS, Malformed, "the grid is out of range")
    tail = natural(fields["tail"])
    demand(tail <= 10**digits, Malformed, "the grid is out of range")
    halvings = typed(fields.get("halvings", []), list)
    demand(len(halvings) <= MOST_HALVINGS, Malformed, "the grid is out of range")
    demand(all(0 <= typed(n, int) <= MOST_HALVINGS for n in halvings), Malformed, "the grid is out of range")
    return Grid(steps, 10**digits, tail, halvings, Powers(steps, digits, tally), tally, budget)


@dataclass(frozen=True, slots=True)
class Side:
    """Masses from cell ``low`` on, under the first secret and, from below, under the second one; and at ∞.
    The ratios of the grid are 2^scale steps apart."""

    low: int
    p: Sequence[int]
    q: Sequence[int]
    infinite: int
    scale: int = 0


def enclosed_delta(
    rows: Sequence[Sequence[tuple[Laws, int]]], alpha: Ratio, grid: Grid, lower: bool, upper: bool
) -> tuple[Fraction, Fraction]:
    """Numbers between which the largest δ(α) of some choices is; 0 or 1 for an end that is not asked for."""
    low = largest(grid, rows, alpha, False) if lower else Fraction(0)
    high = largest(grid, rows, alpha, True) if upper else Fraction(1)
    return low, min(Fraction(1), high)


def largest(grid: Grid, rows: Sequence[Sequence[tuple[Laws, int]]], alpha: Ratio, up: bool) -> Fraction:
    """The largest δ of all choices, of one side."""
    value = value_above if up else value_below
    return max(value(grid, side, alpha) for side in products(grid, rows, up))


def products(grid: Grid, rows: Sequence[Sequence[tuple[Laws, int]]], up: bool) -> Iterator[Side]:
    """One side of every choice. A power stays for the next choice, if that has an equal law there."""
    kept = dict[int, tuple[Law, Side]]()
    for row in rows:
        product: Side | None = None
        for place, (laws, times) in enumerate(row):
            law = laws[up]
            if place not in kept or not equal(kept[place][0], law):
                start = from_above(grid, law) if up else from_below(grid, law)
                power = power_of(grid, start, times, up)
                if len(rows) > 1:
                    kept[place] = law, power
                    numbers = sum(len(side.p) + len(side.q) for _, side in kept.values())
                    grid.budget.fit(numbers, max(LEAST_BITS, grid.unit.bit_length()))
            else:
                power = kept[place][1]
            product = power if product is None else times_of(grid, product, power, up)
        if product is None:
            raise Malformed("there are no parts")
        yield product


def equal(law: Law, other: Law) -> bool:
    return law is other or sorted(law) == sorted(other)


def from_above(grid: Grid, law: Law) -> Side:
    """Every mass divided between two neighbours on the grid; ratios too large are ∞, too small larger."""
    powers, unit = grid.powers, grid.unit
    infinite = ceil((1 - mass_of(law)) * unit)
    masses: dict[int, int] = defaultdict(int)
    for ratio, mass in law:
        charge(grid, ratio, mass)
        if ratio > unit:
            infinite += ceil(mass * unit)
            continue
        s = min(1 / ratio, Fraction(unit)) * powers.one
        k = powers.cell(floor(s))
        whole = mass * unit
        masses[k] += ceil(whole * (powers.above(k - 1) - s) / (powers.above(k - 1) - powers.above(k)))
        part = whole * (s - powers.below(k)) / (powers.below(k - 1) - powers.below(k))
        masses[k - 1] += ceil(min(whole, part))
    low, p = listed(grid, masses)
    return trimmed(grid, Side(low, p, (), infinite), True)


def from_below(grid: Grid, law: Law) -> Side:
    """Every mass, under either secret, in one cell."""
    powers, unit = grid.powers, grid.unit
    infinite = floor((1 - mass_of(law)) * unit)
    p: dict[int, int] = defaultdict(int)
    q: dict[int, int] = defaultdict(int)
    for ratio, mass in law:
        charge(grid, ratio, mass)
        k = powers.cell(floor(min(max(1 / ratio, Fraction(1, unit)), Fraction(unit)) * powers.one)) - 1
        p[k] += floor(mass * unit)
        q[k] += ceil(mass / ratio * unit)
    low, masses = listed(grid, p)
    others = [q.get(low + i, 0) for i in range(len(masses))]
    return trimmed(grid, Side(low, masses, others, infinite), False)


def charge(grid: Grid, ratio: Fraction, mass: Fraction) -> None:
    """The cost of putting an atom on the grid."""
    bits = bits_of((*ratio.as_integer_ratio(), *mass.as_integer_ratio())) + 2 * grid.powers.one.bit_length()
    grid.tally.spend(64, bits, bits)


def listed(grid: Grid, masses: Mapping[int, int]) -> tuple[int, list[int]]:
    if not masses:
        return 0, []
    low, high = min(masses), max(masses)
    grid.tally.spend_units((high - low + 1) * UNITS_PER_CELL)
    return low, [masses.get(k, 0) for k in range(low, high + 1)]


def trimmed(grid: Grid, side: Side, up: bool) -> Side:
    """Zeros at the high end are left out. Then at either end coefficients p are taken away while their sum
    is at most the tail; one stays."""
    first, last, under, over = 0, len(side.p), 0, 0
    while last and not side.p[last - 1]:
        last -= 1
    while first < last - 1 and under + side.p[first] <= grid.tail:
        under, first = under + side.p[first], first + 1
    while first < last - 1 and over + side.p[last - 1] <= grid.tail:
        over, last = over + side.p[last - 1], last - 1
    p, q = list(side.p[first:last]), side.q[first:last]
    if up and p:
        p[0] += under
    return Side(side.low + first, p, q, side.infinite + (over if up else 0), side.scale)


def coarser(grid: Grid, side: Side, up: bool) -> Side:
    """Only every second ratio: from above masses between are divided, from below two cells are one."""
    grid.tally.spend_units(len(side.p) * UNITS_PER_CELL)
    shift = side.low % 2
    sides = [[0] * shift + list(z) for z in ((side.p,) if up else (side.p, side.q))]
    count = (len(sides[0]) + 1) // 2
    if not up:
        p, q = ([sum(z[2 * k : 2 * k + 2]) for k in range(count)] for z in sides)
        return Side(side.low // 2, p, q, side.infinite, side.scale + 1)
    one, (low, high) = grid.powers.one, grid.powers.step(side.scale)
    p = [*sides[0][::2], 0]
    for k, mass in enumerate(sides[0][1::2]):
        p[k] -= -mass * high // (one + high)
        p[k + 1] -= -mass * one // (one + low)
    return Side(side.low // 2, p if p[-1] else p[:-1], (), side.infinite, side.scale + 1)


def power_of(grid: Grid, base: Side, times: int, up: bool) -> Side:
    """By the binary digits of the number, from the last to the first."""
    result: Side | None = None
    halvings = iter(grid.halvings)
    while times:
        if times % 2:
            result = base if result is None else times_of(grid, result, base, up)
        times //= 2
        if times:
            base = times_of(grid, base, base, up)
            for _ in range(next(halvings, 0)):
                base = coarser(grid, base, up)
    if result is None:
        raise Malformed("there are no runs")
    return result


def times_of(grid: Grid, first: Side, second: Side, up: bool) -> Side:
    while first.scale < second.scale:
        first = coarser(grid, first, up)
    while second.scale < first.scale:
        second = coarser(grid, second, up)
    unit = grid.unit
    own, other = sum(first.p), sum(second.p)
    infinite = first.infinite * (other + second.infinite) + own * second.infinite
    p = convolved(grid, first.p, second.p, up)
    q = () if up else convolved(grid, first.q, second.q, True)
    infinite = -(-infinite // unit) if up else infinite // unit
    side = Side(first.low + second.low, p, q, infinite, first.scale)
    return trimmed(grid, side, up)


def convolved(grid: Grid, first: Sequence[int], second: Sequence[int], up: bool) -> list[int]:
    """Σ_i first_i second_(k−i), divided by the unit: all by one product of two long numbers, in which every
    place has as many digits as the largest sum may need."""
    if not first or not second:
        return []
    one, other, less = sum(first), sum(second), len(str(grid.unit)) - 1  # digits that the unit takes away
    width = len(str(one * other))
    grid.budget.fit(len(first) + len(second), BITS_PER_DIGIT * width)
    grid.tally.spend_units((len(first) + len(second)) * width * UNITS_PER_DIGIT)
    width = len(str(min(one * max(second), other * max(first)) + grid.unit))
    factor = packed(first, width)
    product = EXACT.multiply(factor, factor if second is first else packed(second, width))
    count = len(first) + len(second) - 1
    if up:  # so that cutting digits off rounds up
        product = EXACT.add(product, Decimal(("0" * (width - less) + "9" * less) * count))
    digits = f"{product:f}".rjust(count * width, "0")
    ends = range(len(digits), len(digits) - count * width, -width)
    return [int(digits[end - width : end - less]) for end in ends]


def packed(numbers: Sequence[int], width: int) -> Decimal:
    return Decimal(f"%0{width}d" * len(numbers) % tuple(reversed(numbers)))


def tails(masses: Sequence[int]) -> list[int]:
    return [*accumulate(reversed(masses))][::-1]


def value_above(grid: Grid, side: Side, alpha: Ratio) -> Fraction:
    """The mass at ∞ and the sum of the p (1 − αs) that are positive, s rounded down."""
    one, (a, b) = grid.powers.one, alpha
    first, end = max(1, side.low), side.low + len(side.p)
    grid.tally.spend_units(max(0, end - first) * UNITS_PER_CELL)
    powers = grid.powers.from_one(side.scale, end)
    gain = sum(side.p[k - side.low] * max(0, one * b - a * powers[k]) for k in range(first, end))
    return Fraction(side.infinite * one * b + gain, grid.unit * one * b)


def value_below(grid: Grid, side: Side, alpha: Ratio) -> Fraction:
    """The mass at ∞ and the most that an event "at least this cell" gains."""
    a, b = alpha
    grid.tally.spend_units(len(side.p) * UNITS_PER_CELL)
    gains = (p * b - a * q for p, q in zip(tails(side.p), tails(side.q), strict=True))
    return Fraction(side.infinite * b + max(0, max(gains, default=0)), grid.unit * b)


def values_above(grid: Grid, side: Side, alphas: Sequence[Fraction]) -> list[Fraction]:
    """The value from above at each α: the sum is over the cells from the first one on that gains."""
    one, first, end = grid.powers.one, max(1, side.low), side.low + len(side.p)
    count = max(0, end - first)
    long = (grid.unit * one).bit_length()
    grid.tally.spend_units(count * UNITS_PER_CELL)
    grid.budget.fit(2 * count, max(LEAST_BITS, long))
    powers = grid.powers.from_one(side.scale, end)[first:]
    masses = side.p[first - side.low :] if count else ()
    gains = [*tails(masses), 0]
    losses = [*tails([p * s for p, s in zip(masses, powers, strict=True)]), 0]
    found = []
    for alpha in alphas:
        a, b = alpha.as_integer_ratio()
        grid.tally.spend(OPERATIONS, bits_of((a, b)), long)
        place = bisect_right(powers, -one * b, hi=count, key=partial(mul, -a))
        gain = gains[place] * one * b - losses[place] * a
        found.append(Fraction(side.infinite * one * b + gain, grid.unit * one * b))
    return found


def not_attained(grid: Grid, side: Side, vertices: Sequence[Vertex]) -> list[Vertex]:
    """Those of the vertices than which no event "at least this cell" errs as little, in either order."""
    grid.tally.spend_units(len(side.p) * UNITS_PER_CELL)
    grid.budget.fit(2 * len(side.p), max(LEAST_BITS, grid.unit.bit_length()))
    rest = grid.unit - side.infinite
    firsts = [0, *(rest - mass for mass in tails(side.p)), rest]
    seconds = [grid.unit, *tails(side.q), 0]
    found = []
    for vertex in vertices:
        bits = bits_of(n for error in vertex for n in error.as_integer_ratio())
        grid.tally.spend(OPERATIONS, bits, grid.unit.bit_length())
        x, y = (floor(error * grid.unit) for error in vertex)
        if all(seconds[bisect_right(firsts, a) - 1] > b for a, b in ((x, y), (y, x))):
            found.append(vertex)
    return found
