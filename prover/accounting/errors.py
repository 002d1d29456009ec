"""What can be wrong with distributions, mechanisms, and the size of compositions."""

from __future__ import annotations

from prover.errors import BadValue, BeyondLimit


class TooManyAtoms(BeyondLimit):
    """An exact composition has more atoms, or longer numbers, than the limits."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the exact composition has more than {what}; enclose it on a grid instead")


class BadGrid(BadValue):
    """A grid has parameters out of their ranges, or too many cells."""
