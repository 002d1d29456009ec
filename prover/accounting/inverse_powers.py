"""Powers of the ratio of a grid, rounded either way: ρ^−k for integers k, ρ = 1 + 1/m, in units of 10^−w."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from prover.accounting.errors import BadGrid

MOST_CELLS = 8_000_000
"""How far from 1 the ratios of a grid are computed, in cells."""


def too_many_cells() -> BadGrid:
    """What is said where ratios are farther out."""
    return BadGrid(f"the ratios reach more than {MOST_CELLS:,} cells of the grid; take fewer steps")


class InversePowers:
    """Bounds of ρ^−k in units of 10^−w, each from the one before it, from k = 0 to either side.

    ``steps`` is m and ``one`` is 10^w.
    """

    def __init__(self, steps: int, one: int) -> None:
        self.steps = steps
        self.one = one
        self._falling = _Bounds(one, steps, steps + 1)  # for k = 0, 1, …
        self._growing = _Bounds(one, steps + 1, steps)  # for k = 0, −1, …
        self._steps = [(one * steps // (steps + 1), -(-one * steps // (steps + 1)))]
        self._halved: dict[int, list[int]] = {}

    def below(self, k: int) -> int:
        """At most ρ^−k."""
        return self._side(k).to(abs(k)).below[abs(k)]

    def above(self, k: int) -> int:
        """At least ρ^−k."""
        return self._side(k).to(abs(k)).above[abs(k)]

    def step(self, scale: int) -> tuple[int, int]:
        """Bounds of the inverse of the ratio of the grid halved ``scale`` times: ρ^−(2^scale)."""
        while len(self._steps) <= scale:
            below, above = self._steps[-1]
            self._steps.append((below * below // self.one, -(-above * above // self.one)))
        return self._steps[scale]

    def falling(self, scale: int, count: int) -> list[int]:
        """The powers 0, 1, … of that, rounded down, each from the one before it. Raises BadGrid."""
        if scale not in self._halved:
            self._halved[scale] = self._falling.below if scale == 0 else [self.one]
        powers = self._halved[scale]
        if scale == 0:
            self._falling.to(count - 1)
        elif count > MOST_CELLS:
            raise too_many_cells()
        factor = self.step(scale)[0]
        while len(powers) < count:
            powers.append(powers[-1] * factor // self.one)
        return powers

    @property
    def computed(self) -> int:
        """How many powers have been computed so far."""
        halved = sum(len(powers) for scale, powers in self._halved.items() if scale)
        return len(self._falling.below) + len(self._growing.below) + halved

    def cell(self, inverse: int) -> int:
        """The least k with ``above(k)`` at most ``inverse``, in units of 10^−w.

        ``inverse`` is far above ``steps``: below that, rounding up would not let the powers fall any more.
        """
        if inverse < self.one:
            falling = self._falling
            while falling.above[-1] > inverse:
                falling.to(len(falling.above))
            return bisect_left(falling.above, -inverse, key=lambda number: -number)
        growing = self._growing
        while growing.above[-1] <= inverse:
            growing.to(len(growing.above))
        return 1 - bisect_right(growing.above, inverse)

    def _side(self, k: int) -> _Bounds:
        return self._falling if k >= 0 else self._growing


class _Bounds:
    """Bounds of the powers 0, 1, … of top / bottom."""

    def __init__(self, one: int, top: int, bottom: int) -> None:
        self.below, self.above = [one], [one]
        self._top, self._bottom = top, bottom

    def to(self, power: int) -> _Bounds:
        """Compute them up to this power. Raises BadGrid."""
        if power > MOST_CELLS:
            raise too_many_cells()
        below, above = self.below, self.above
        while len(below) <= power:
            below.append(below[-1] * self._top // self._bottom)
            above.append(-(-above[-1] * self._top // self._bottom))
        return self
