"""Powers of the ratio of a grid, rounded either way: ρ^−k for integers k, ρ = 1 + 1/m, in units of 10^−w."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from prover.accounting.errors import BadGrid

MOST_CELLS = 8_000_000
"""How far from 1 the ratios of a grid are computed, in cells."""


class InversePowers:
    """Bounds of ρ^−k in units of 10^−w, each from the one before it, from k = 0 to either side.

    ``steps`` is m and ``one`` is 10^w.
    """

    def __init__(self, steps: int, one: int) -> None:
        self.steps = steps
        self.one = one
        self._falling = _Bounds(one, steps, steps + 1)  # for k = 0, 1, …
        self._growing = _Bounds(one, steps + 1, steps)  # for k = 0, −1, …

    def below(self, k: int) -> int:
        """At most ρ^−k."""
        return self._side(k).to(abs(k)).below[abs(k)]

    def above(self, k: int) -> int:
        """At least ρ^−k."""
        return self._side(k).to(abs(k)).above[abs(k)]

    @property
    def computed(self) -> int:
        """How many powers have been computed so far."""
        return len(self._falling.below) + len(self._growing.below)

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
            raise BadGrid(f"the ratios reach more than {MOST_CELLS:,} cells of the grid; take fewer steps")
        below, above = self.below, self.above
        while len(below) <= power:
            below.append(below[-1] * self._top // self._bottom)
            above.append(-(-above[-1] * self._top // self._bottom))
        return self
