"""The steps of a run with what their shifts cost, and the order that their tests demand of shifts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prover.program.model import Edge
from prover.program.optimum.transfer import Scale


@dataclass(frozen=True, slots=True)
class Weighed:
    """A step of a run: an edge, the difference of its inputs, and its weights.

    They are what a shift by a unit below the difference costs, and one above; None is infinite.
    """

    edge: Edge
    delta: int
    left: int | None
    right: int | None

    @classmethod
    def of(cls, edge: Edge, delta: int, scale: Scale, count: int = 1) -> Weighed:
        """The step with its rates as weights, so many times."""
        left, right = (None if rate is None else count * rate for rate in scale.sides(edge))
        return cls(edge, scale.difference(edge, delta), left, right)

    @classmethod
    def finite(cls, edge: Edge, delta: int, scale: Scale, factor: int = 1) -> Weighed:
        """The step with its rates times the factor as weights; in place of infinite ones with 1."""
        left, right = (scale.denominator if rate is None else factor * rate for rate in scale.sides(edge))
        return cls(edge, scale.difference(edge, delta), left, right)

    def cost(self, shift: int) -> int | None:
        """What a shift costs; None if it may not be."""
        if shift and self.edge.pinned:
            return None
        if shift == self.delta:
            return 0
        weight = self.right if shift > self.delta else self.left
        return None if weight is None else abs(self.delta - shift) * weight


def constraints(edges: Sequence[Edge], *, tests_only: bool = False) -> list[list[tuple[int, int]]]:
    """For every bound of every step the steps (a, b) with γ_a ≤ γ_b; where they are equal, a is the step.

    With ``tests_only`` only for guards, which order samples, too. A step that compares with what no step
    before it stores has itself on both sides.
    """
    stored: dict[str, int] = {}
    found: list[list[tuple[int, int]]] = []
    for index, edge in enumerate(edges):
        own = []
        for relation, name in edge.guard if tests_only else edge.bounds:
            at = stored.get(name, index)
            own.append((at, index) if relation == ">=" else (index, at))
        found.append(own)
        stored.update(dict.fromkeys(edge.assign, index))
    return found


def stores_in_several(edges: Iterable[Edge]) -> bool:
    """Whether some steps store in different variables."""
    return len({name for edge in edges for name in edge.assign}) > 1
