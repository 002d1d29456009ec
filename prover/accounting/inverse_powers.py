"""Powers of the ratio of a grid, rounded either way: ρ^−k for integers k, ρ = 1 + 1/m, in units of 10^−w."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from prover.accounting.errors import BadGrid

MOST_CELLS = 2**22
"""How many powers are computed, of both sides together; fewer where numbers have more than 256 bits."""


class InversePowers:
    """Bounds of ρ^−k in units of 10^−w, each from the one before it, from k = 0 to either side.

    ``steps`` is m and ``one`` is 10^w.
    """

    def __init__(self, steps: int, one: int) -> None:
        self.steps = steps
        self.one = one
        self._falling = _PowerBounds(one, steps, steps + 1)  # for k = 0, 1, …
        self._growing = _PowerBounds(one, steps + 1, steps)  # for k = 0, −1, …
        self._steps = [(one * steps // (steps + 1), -(-one * steps // (steps + 1)))]
        self._halved: dict[int, list[int]] = {}

    def below(self, k: int) -> int:
        """At most ρ^−k."""
        return self._computed(k).below[abs(k)]

    def above(self, k: int) -> int:
        """At least ρ^−k."""
        return self._computed(k).above[abs(k)]

    def step(self, scale: int) -> tuple[int, int]:
        """Bounds of the inverse of the ratio of the grid halved ``scale`` times: ρ^−(2^scale)."""
        while len(self._steps) <= scale:
            below, above = self._steps[-1]
            self._steps.append((below * below // self.one, -(-above * above // self.one)))
        return self._steps[scale]

    def falling(self, scale: int, count: int) -> list[int]:
        """The powers 0, 1, … of that, rounded down, each from the one before it. Raises BadValue."""
        if scale not in self._halved:
            self._halved[scale] = self._falling.below if scale == 0 else [self.one]
        powers = self._halved[scale]
        if scale == 0:
            self._computed(max(0, count - 1))
        else:
            self._room(count)
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
            falling = self._falling.above
            while falling[-1] > inverse:
                self._computed(len(falling))
            return bisect_left(falling, -inverse, key=lambda number: -number)
        growing = self._growing.above
        while growing[-1] <= inverse:
            self._computed(-len(growing))
        return 1 - bisect_right(growing, inverse)

    def _computed(self, k: int) -> _PowerBounds:
        """The side of a power, with that power. Raises BadValue."""
        side = self._falling if k >= 0 else self._growing
        new = abs(k) + 1 - len(side.below)
        if new > 0:
            self._room(new)
            side.to(abs(k))
        return side

    def _room(self, new: int) -> None:
        """So many powers more have room, as checkers count it. Raises BadValue."""
        known = len(self._falling.below) + len(self._growing.below)
        if (known + new) * max(self.one.bit_length(), 256) > MOST_CELLS * 256:
            raise BadGrid("the ratios reach too many cells of the grid; take fewer steps, or fewer digits")


class _PowerBounds:
    """Bounds of the powers 0, 1, … of top / bottom."""

    def __init__(self, one: int, top: int, bottom: int) -> None:
        self.below, self.above = [one], [one]
        self._top, self._bottom = top, bottom

    def to(self, power: int) -> None:
        """Compute them up to this power."""
        below, above = self.below, self.above
        while len(below) <= power:
            below.append(below[-1] * self._top // self._bottom)
            above.append(-(-above[-1] * self._top // self._bottom))
