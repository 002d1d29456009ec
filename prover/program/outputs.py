"""What a transition outputs: a letter, numbers, or several of these."""

from __future__ import annotations

from dataclasses import dataclass

INSAMPLE = "insample"
INSAMPLE_PRIME = "insampleprime"
REAL_OUTPUTS = (INSAMPLE, INSAMPLE_PRIME)
"""The texts that stand for numbers; every other one is a letter."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The number insample − x, how far insample is from what the variable x holds."""

    variable: str

    def __str__(self) -> str:
        return f"{INSAMPLE} - {self.variable}"


Output = str | Gap
"""A letter, ``"insample"``, ``"insampleprime"`` or a gap."""

Outputs = Output | tuple[Output, ...]
"""One output, or several that are seen together: at most one letter, and different numbers in their order."""


def parts_of(outputs: Outputs) -> tuple[Output, ...]:
    """The outputs one by one."""
    return outputs if isinstance(outputs, tuple) else (outputs,)


def numbers_of(outputs: Outputs) -> tuple[Output, ...]:
    """Those that are numbers, in their order."""
    return tuple(part for part in parts_of(outputs) if isinstance(part, Gap) or part in REAL_OUTPUTS)


def seen_of(outputs: Outputs) -> tuple[str | None, int]:
    """What tells transitions apart, whatever the numbers: the letter, if there is one, and how many numbers.

    >>> seen_of(("above", Gap("x"))), seen_of("insample")
    (('above', 1), (None, 1))
    """
    letters = [part for part in parts_of(outputs) if isinstance(part, str) and part not in REAL_OUTPUTS]
    return (letters[0] if letters else None), len(numbers_of(outputs))


def outputs_text(outputs: Outputs) -> str:
    """The outputs for people, and in the text format."""
    return ", ".join(map(str, parts_of(outputs)))
