"""What states and transitions of a threshold program's certificate name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def rates_of(state: Mapping[str, Any]) -> list[str]:
    """On the left, on the right, and of a second sample if there is one."""
    both = [state["rate"]] * 2 if state["rate"] is not None else [state["rate_left"], state["rate_right"]]
    return both if state["rate_prime"] is None else [*both, state["rate_prime"]]


def outputs_of(way: Mapping[str, Any]) -> list[Any]:
    return way["output"] if isinstance(way["output"], list) else [way["output"]]


def numbers_of(way: Mapping[str, Any]) -> list[Any]:
    """The outputs that are numbers."""
    return [o for o in outputs_of(way) if isinstance(o, dict) or o in ("insample", "insampleprime")]


def letters_of(way: Mapping[str, Any]) -> list[str]:
    return [o for o in outputs_of(way) if isinstance(o, str) and o not in ("insample", "insampleprime")]


def variables_of(way: Mapping[str, Any]) -> list[str]:
    gaps = [o["gap"] for o in outputs_of(way) if isinstance(o, dict)]
    return [*(variable for _, variable in way["guard"]), *way["assign"], *gaps]
