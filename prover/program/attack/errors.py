"""What can be wrong with a run whose probability is asked for."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import BadValue, NotSupported, quoted
from prover.exact.rational import format_rational


def impossible_run() -> BadValue:
    """What a run asks of its samples contradicts itself, or its inputs: its probability there is 0."""
    return BadValue(
        "the run is impossible on the first of the two inputs: its probability is 0", code="impossible-run"
    )


def infinite_loss() -> NotSupported:
    """The bounds of a loss are asked for that is infinite."""
    return NotSupported(
        "the loss is infinite: the run is impossible on the neighbouring input", code="infinite-loss"
    )


class NotMeasured(NotSupported):
    """Some run loses something, or the loss of a family of runs grows, but no attack is measured."""

    def __init__(self, why: str) -> None:
        super().__init__(f"No attack is measured: {why}.")


def window_without_number(place: int, output: str | None) -> BadValue:
    """A window is given for a step that outputs no number."""
    what = "there is no such step" if output is None else f"it outputs {quoted(output)}"
    return BadValue(
        f"window at step {place}: {what}; windows are for steps that output numbers",
        code="window-without-number",
    )


def empty_window(place: int, low: Fraction, high: Fraction) -> BadValue:
    """The lower end of a window is not below the upper one."""
    ends = f"from {quoted(format_rational(low))} to {quoted(format_rational(high))}"
    return BadValue(
        f"window at step {place} {ends}; the second number is the larger one", code="empty-window"
    )
