"""What can be wrong with a run whose probability is asked for."""

from __future__ import annotations

from prover.errors import BadValue, NotSupported


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
