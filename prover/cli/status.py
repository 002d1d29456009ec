"""How a command ends."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """The exit statuses of the command line."""

    HOLDS = 0
    """Answered and, where something was asked to hold, it holds."""
    REFUTED = 1
    """A completed refutation: what was asked to hold does not."""
    BAD_INPUT = 2
    """The input or the usage is at fault."""
    UNDECIDED = 3
    """The budget was used up before there was an answer."""
    FAULT = 70
    """This program is at fault."""
