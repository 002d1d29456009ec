"""Secrets with long names: answers call them s and t, and say once which states these are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from prover.errors import LONGEST_SHOWN, short_name, shown

_MOST_VARIABLES, _LONGEST = 12, 500

Lettered = TypeVar("Lettered")


def with_letters(answer: Lettered) -> tuple[Lettered, list[str]]:
    """The answer about s and t, and a legend, where a name of its two states is long; else as it is."""
    whole: Any = answer
    source, target = whole.source, whole.target
    if source is None or target is None or max(len(source), len(target)) <= LONGEST_SHOWN:
        return answer, []
    letters = {target: "t", source: "s"}

    def lettered(part: Any) -> Any:
        pair = (letters.get(name, name) for name in (part.source, part.target))
        return replace(part, **dict(zip(("source", "target"), pair, strict=True)))

    about = [(name, getattr(answer, name, None)) for name in ("attack", "strategy", "open_loop")]
    parts = {name: lettered(part) for name, part in about if part is not None}
    return replace(lettered(answer), **parts), legend(source, target)


def legend(source: str, target: str) -> list[str]:
    """Which states s and t are: the variables that differ, if names are made of variables, else the names."""
    first, second = _variables(source), _variables(target)
    if first is None or second is None or first.keys() != second.keys() or source == target:
        whole = [shown(name) if len(name) <= _LONGEST else short_name(name) for name in (source, target)]
        return [f"State {letter} is {name}" for letter, name in zip("st", whole, strict=True)]
    differing = [name for name, value in first.items() if second[name] != value]
    values = [
        f"{short_name(name)} is {short_name(first[name])} in s, {short_name(second[name])} in t"
        for name in differing
    ]
    more = len(values) - _MOST_VARIABLES
    listed = "; ".join([*values[:_MOST_VARIABLES], *([f"and {more} more differ"] if more > 0 else [])])
    rest = len(first) - len(differing)
    alike = f"; {rest} other variable{'s are' if rest > 1 else ' is'} the same in both" if rest else ""
    return [f"States s and t: {listed}{alike}."]


def _variables(name: str) -> Mapping[str, str] | None:
    """The values of variables that a name such as x=1,y=2 has; None of other names."""
    parts = [part.strip().partition("=") for part in name.split(",")]
    values = {variable: value for variable, equals, value in parts if equals and variable}
    return values if len(values) == len(parts) else None
