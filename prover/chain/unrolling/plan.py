"""An attacker as floating point sees it: what is done at each node of an unrolling, and what that gains."""

from __future__ import annotations

from dataclasses import dataclass

STOP = -1
"""What an attacker does who takes no action."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An attacker and the gain: ``taken[q]`` is the index of the action in the menu of node q, or STOP."""

    taken: list[int]
    values: list[float]


NO_PLAN = Plan([], [])
