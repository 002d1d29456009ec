"""What can be wrong with a threshold program."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import InvalidModel, NotSupported, UnknownName, abbreviated, quoted
from prover.exact.rational import format_rational


class InvalidProgram(InvalidModel):
    """Something is wrong with a program: the base of the errors below that have a place in it.

    ``state`` is the state at fault, ``transition`` the place of the transition in its list (from 0) and
    ``part`` the JSON key of what is wrong; each is ``None`` where the fault has no such place.
    """

    def __init__(
        self,
        message: str,
        state: str | None = None,
        transition: int | None = None,
        part: str | None = None,
        *,
        code: str | None = None,
    ) -> None:
        super().__init__(message, path=program_path(state, transition, part), code=code)
        self.state = state
        self.transition = transition
        self.part = part


def program_path(state: str | None = None, transition: int | None = None, part: str | None = None) -> str:
    """The JSON path of a program, of one of its states, of a transition, or of a part of these."""
    path = "$" if state is None else f"$.states[{quoted(state)}]"
    if transition is not None:
        path += f".transitions[{transition}]"
    return path if part is None else f"{path}.{part}"


def not_a_fraction(value: object, state: str | None, part: str) -> InvalidProgram:
    """A rate or a mean is not given as a Fraction."""
    given = f"the float {value!r}" if isinstance(value, float) else f"a value of type {type(value).__name__}"
    message = f"expected a Fraction, not {given}; write the exact number, such as Fraction(1, 10)"
    return InvalidProgram(message, state, None, part, code="not-a-fraction")


def gaussian_noise(state: str | None = None) -> NotSupported:
    """A question about rates is asked of a state that has Gaussian noise."""
    where = "a state" if state is None else f"state {quoted(state)}"
    return NotSupported(
        f"{where} has Gaussian noise, and this question is answered only for noise with rates; "
        "prover delta is about Gaussian noise, too",
        code="gaussian-noise",
    )


def sensitivity_not_positive(sensitivity: Fraction, state: str | None = None) -> InvalidProgram:
    """The sensitivity is 0 or negative."""
    shown = abbreviated(format_rational(sensitivity))
    message = f"sensitivity {shown} is not positive; neighbouring inputs differ by at most the sensitivity"
    return InvalidProgram(message, state, part="sensitivity", code="sensitivity-not-positive")


def grid_too_coarse(grid: Fraction, sensitivity: Fraction, state: str | None = None) -> InvalidProgram:
    """The sensitivity is not a multiple of the grid."""
    step, most = (abbreviated(format_rational(number)) for number in (grid, sensitivity))
    message = (
        f"grid {step} does not divide the sensitivity {most}; the sensitivity must be a multiple of the "
        "grid, or the loss can be larger than the formulas say"
    )
    return InvalidProgram(
        message, state, part="grid" if state is None else "sensitivity", code="grid-too-coarse"
    )


def unrounded_input(state: str, transition: int, *, number: bool) -> InvalidProgram:
    """An input that is not rounded to the grid of its noise shows, or may show."""
    if number:
        reason = "a number that is output reveals the fraction of its input, a loss without bound"
    else:
        reason = "no bound is known if such an input is stored, or compared with several values or by ="
    message = f"noise on a grid does not hide inputs that are not on the grid: {reason}; round inputs first"
    return InvalidProgram(message, state, transition, "output" if number else None, code="unrounded-input")


def unknown_inputs(inputs: str) -> InvalidProgram:
    """What is said about inputs is not known."""
    return InvalidProgram(
        f'inputs {quoted(inputs)} are unknown; write "unrounded"', part="inputs", code="unknown-inputs"
    )


def tie_without_atoms(relation: str, state: str, transition: int) -> InvalidProgram:
    """A test with <=, > or = although noise is not discrete and meets a number with probability 0."""
    same = {"<=": "<", ">": ">=", "=": None}[relation]
    if same is None:
        message = 'relation "=" holds with probability 0, unless noise is "discrete-laplace"'
    else:
        message = (
            f"relation {quoted(relation)} means the same as {quoted(same)} here, because noise meets a "
            f"number with probability 0; write {quoted(same)}"
        )
    return InvalidProgram(message, state, transition, "guard", code="tie-without-atoms")


class TieOffGrid(InvalidProgram):
    """A test with = of samples that are never equal: their means do not differ by a multiple of the grid."""

    def __init__(self, variable: str, state: str, transition: int, other: str) -> None:
        message = (
            f"insample can never equal {quoted(variable)}: the means of {quoted(state)} and of "
            f"{quoted(other)}, which stores it, do not differ by a multiple of the grid"
        )
        super().__init__(message, state, transition, "guard")


def bad_initialisation(problem: str, state: str, transition: int | None, part: str) -> InvalidProgram:
    """The initial state does not have exactly one transition, with guard true, that assigns."""
    message = f"{problem}; the initial state needs exactly one transition, with guard true and an assignment"
    return InvalidProgram(message, state, transition, part, code="bad-initialisation")


def not_formulated(asked: str, state: str, why: str) -> NotSupported:
    """Something is asked about a program that it is not formulated for."""
    return NotSupported(f"{asked} not supported for state {quoted(state)}, {why}", code="not-formulated")


def unknown_adjacency(adjacency: str, known: tuple[str, ...]) -> UnknownName:
    """An adjacency is asked for that has no meaning."""
    return UnknownName(
        f"unknown adjacency {quoted(adjacency)}; the adjacencies are {', '.join(known)}",
        code="unknown-adjacency",
    )


def text_or_type(value: object) -> str:
    """What messages call something that should be one of certain texts."""
    return quoted(value) if isinstance(value, str) else f"a value of type {type(value).__name__}"


def steps_not_seen() -> NotSupported:
    """A question is asked of a program with steps that observers do not see for which it is not answered."""
    return NotSupported(
        "observers of the program do not see all outputs as they are; of such programs only the least "
        "epsilon is answered (prover privacy)",
        code="steps-not-seen",
    )


def inputs_used_again() -> NotSupported:
    """A question is asked of a program with registers for which it is not answered."""
    return NotSupported(
        "the program uses an input more than once; of such programs only the least epsilon is answered "
        "(prover privacy)",
        code="inputs-used-again",
    )
