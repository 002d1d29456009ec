"""Work of which the evidence says in advance how much it is."""

from __future__ import annotations

from ..budget import Budget, operation
from ..reading import TooLarge, demand


class Tally:
    """The rest of the units that the evidence declares; they are spent at once, before any of the work."""

    def __init__(self, budget: Budget, units: int) -> None:
        budget.spend_units(units)
        self.budget, self.units = budget, units

    def spend(self, count: int, bits: int, other_bits: int) -> None:
        """So many operations on numbers of at most so many bits and numbers of at most so many other bits."""
        self.spend_units(count * operation(bits, other_bits))

    def spend_units(self, units: int) -> None:
        self.allow(units)
        self.units -= units

    def allow(self, units: int) -> None:
        """So many units are left."""
        demand(units <= self.units, TooLarge, "the work is more than the evidence declares")
