"""What can be wrong with a run whose probability is asked for."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import BadInput, quoted
from prover.exact.rational import format_rational


class BadNumber(BadInput):
    """The ε of an attack is not a positive rational number, the q not one between 0 and 1, or the loss to
    exceed is a negative one.
    """


class QWithoutGrid(BadInput):
    """Probabilities are to be rational numbers where noise is not discrete."""

    def __init__(self) -> None:
        super().__init__(
            "q = e^(-epsilon*unit) is for discrete noise, of which all probabilities are rational then; "
            "those of Laplace noise are not, so give epsilon itself"
        )


class ImpossibleRun(BadInput):
    """What a run asks of its samples contradicts itself, or its inputs: its probability there is 0."""

    def __init__(self) -> None:
        super().__init__("the run is impossible on the first of the two inputs: its probability is 0")


class InfiniteLoss(BadInput):
    """The bounds of a loss are asked for that is infinite."""

    def __init__(self) -> None:
        super().__init__("the loss is infinite: the run is impossible on the neighbouring input")


class NotMeasured(BadInput):
    """There is a run that loses something, or a family of runs, but no attack is measured."""

    def __init__(self, why: str) -> None:
        super().__init__(f"No attack is measured: {why}.")


class NotARun(BadInput):
    """A path takes a transition that does not leave the state where it is by then."""

    def __init__(self, place: int, state: str) -> None:
        super().__init__(f"step {place} of the path does not leave state {quoted(state)}, where it is")


class WrongNumberOfInputs(BadInput):
    """There are more inputs, or fewer, than steps of the path."""

    def __init__(self, inputs: int, steps: int) -> None:
        super().__init__(f"{inputs} inputs for {steps} steps; each step has one, 0 where none is taken")


class InputNotTaken(BadInput):
    """An input other than 0 is given at a state that takes none."""

    def __init__(self, number: Fraction, place: int, state: str) -> None:
        given = quoted(format_rational(number))
        super().__init__(f"input {given} at step {place}: state {quoted(state)} takes none, so write 0")


class BadMeasurement(BadInput):
    """An input or a window of a run, or the ε at which it is measured, is no rational number, or ε is not
    above 0.
    """


class WindowWithoutNumber(BadInput):
    """A window is given for a step that outputs no number."""

    def __init__(self, place: int, output: str | None) -> None:
        what = "there is no such step" if output is None else f"it outputs {quoted(output)}"
        super().__init__(f"window at step {place}: {what}; windows are for steps that output numbers")


class EmptyWindow(BadInput):
    """The lower end of a window is not below the upper one."""

    def __init__(self, place: int, low: Fraction, high: Fraction) -> None:
        ends = f"from {quoted(format_rational(low))} to {quoted(format_rational(high))}"
        super().__init__(f"window at step {place} {ends}; the second number is the larger one")
