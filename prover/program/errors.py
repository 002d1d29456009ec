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


def no_states() -> InvalidProgram:
    """A program has no state."""
    return InvalidProgram("the program has no state; it needs at least one", part="states", code="no-states")


def unknown_initial_state(initial: str) -> InvalidProgram:
    """The initial state is not a state of the program."""
    message = f"the initial state {quoted(initial)} is not among the states; it needs an entry"
    return InvalidProgram(message, part="initial", code="unknown-initial-state")


def not_text(
    value: object, state: str | None = None, transition: int | None = None, part: str | None = None
) -> InvalidProgram:
    """The name of a state, of a variable or of an output is not a text."""
    return InvalidProgram(f"expected a text, not {_type(value)}", state, transition, part, code="not-text")


def empty_name(
    state: str | None = None, transition: int | None = None, part: str | None = None
) -> InvalidProgram:
    """The name of a state, of a variable or of an output is empty."""
    return InvalidProgram(
        "the name is empty; it needs at least one character", state, transition, part, code="empty-name"
    )


def final_with_entry(state: str) -> InvalidProgram:
    """A state is declared to be final, and has an entry."""
    message = f"{quoted(state)} is declared final and has an entry; remove one of the two"
    return InvalidProgram(message, part="final", code="final-with-entry")


def repeated_transition(state: str, transition: int) -> InvalidProgram:
    """A state has the same transition twice."""
    return InvalidProgram(
        "this transition repeats one above; remove it", state, transition, code="repeated-transition"
    )


def not_a_fraction(value: object, state: str | None, part: str) -> InvalidProgram:
    """A rate or a mean is not given as a Fraction."""
    given = f"the float {value!r}" if isinstance(value, float) else _type(value)
    message = f"expected a Fraction, not {given}; write the exact number, such as Fraction(1, 10)"
    return InvalidProgram(message, state, None, part, code="not-a-fraction")


def rate_not_positive(rate: Fraction, state: str, part: str) -> InvalidProgram:
    """A rate is 0 or negative."""
    shown = abbreviated(format_rational(rate))
    return InvalidProgram(
        f"rate {shown} is not positive; the noise has scale 1/rate",
        state,
        None,
        part,
        code="rate-not-positive",
    )


def sigma_not_positive(sigma: Fraction, state: str, part: str) -> InvalidProgram:
    """A standard deviation is 0 or negative."""
    shown = abbreviated(format_rational(sigma))
    message = f"sigma {shown} is not positive; it is the standard deviation of Gaussian noise"
    return InvalidProgram(message, state, None, part, code="sigma-not-positive")


def gaussian_on_grid(state: str, part: str) -> InvalidProgram:
    """A state has Gaussian noise in a program whose noise is on a grid."""
    message = 'Gaussian noise is not on a grid; remove noise "discrete-laplace", or give the state a rate'
    return InvalidProgram(message, state, None, part, code="gaussian-on-grid")


def gaussian_noise(state: str | None = None) -> NotSupported:
    """A question about rates is asked of a state that has Gaussian noise."""
    where = "a state" if state is None else f"state {quoted(state)}"
    return NotSupported(
        f"{where} has Gaussian noise, and this question is answered only for noise with rates; "
        "prover delta is about Gaussian noise, too",
        code="gaussian-noise",
    )


def one_rate_only(state: str, part: str) -> InvalidProgram:
    """A state says what its rate is on one side only."""
    message = "the state has a rate on one side only; give one for each side, or one rate for both"
    return InvalidProgram(message, state, None, part, code="one-rate-only")


def useless_rate(state: str) -> InvalidProgram:
    """A state has a rate beside one to the left and one to the right."""
    message = "the state has a rate for each side, so another rate or sigma has no meaning; remove it"
    return InvalidProgram(message, state, None, "rate", code="useless-rate")


def unknown_noise(noise: object, known: tuple[str, ...]) -> InvalidProgram:
    """The noise is of a kind that is not known."""
    given = quoted(noise) if isinstance(noise, str) else _type(noise)
    return InvalidProgram(
        f"noise {given} is unknown; write {' or '.join(map(quoted, known))}",
        part="noise",
        code="unknown-noise",
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


def sensitivity_without_input(state: str) -> InvalidProgram:
    """A state that reads no input is given a sensitivity."""
    message = "the state reads no input, so it has no sensitivity; remove it"
    return InvalidProgram(message, state, None, "sensitivity", code="sensitivity-without-input")


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


def half_a_second_sample(state: str, part: str) -> InvalidProgram:
    """A state has one of rate' and mean' without the other."""
    message = "rate' and mean' belong together; this state has only one of them"
    return InvalidProgram(message, state, None, part, code="half-a-second-sample")


def no_transition(state: str) -> InvalidProgram:
    """A state has no transition."""
    message = (
        f"state {quoted(state)} has no transition; if it is final, remove its entry and keep it as a target "
        "only"
    )
    return InvalidProgram(message, state, None, "transitions", code="no-transition")


def unknown_relation(relation: object, state: str, transition: int) -> InvalidProgram:
    """A test of a guard compares by something else than < and >=, or, with discrete noise, <=, > and =."""
    given = quoted(relation) if isinstance(relation, str) else _type(relation)
    return InvalidProgram(
        f'relation {given} is unknown; write "<" or ">="',
        state,
        transition,
        "guard",
        code="unknown-relation",
    )


def repeated_test(relation: str, variable: str, state: str, transition: int) -> InvalidProgram:
    """A guard has the same test twice."""
    message = f"the guard has the test insample {relation} {quoted(variable)} twice; write it once"
    return InvalidProgram(message, state, transition, "guard", code="repeated-test")


def contradictory_guard(variable: str, state: str, transition: int) -> InvalidProgram:
    """A guard asks that insample be below a variable and also at least this variable."""
    message = f"the guard tests insample < and >= {quoted(variable)} at once, which never holds"
    return InvalidProgram(message, state, transition, "guard", code="contradictory-guard")


def two_tests(variable: str, state: str, transition: int) -> InvalidProgram:
    """A guard has two tests of one variable that do not contradict each other."""
    message = f"the guard tests {quoted(variable)} twice; one test of each variable is enough"
    return InvalidProgram(message, state, transition, "guard", code="two-tests")


def repeated_assignment(variable: str, state: str, transition: int) -> InvalidProgram:
    """A transition assigns to the same variable twice."""
    message = f"variable {quoted(variable)} is assigned twice; assign it once"
    return InvalidProgram(message, state, transition, "assign", code="repeated-assignment")


def no_second_sample(state: str, transition: int) -> InvalidProgram:
    """A transition outputs insampleprime at a state without rate'."""
    message = f"insampleprime is output, but state {quoted(state)} has no rate' and mean' for it"
    return InvalidProgram(message, state, transition, "output", code="no-second-sample")


def useless_outputs(state: str, transition: int) -> InvalidProgram:
    """Several outputs of a transition are not at most one letter and numbers, each of them once."""
    message = "the outputs of a transition must differ, with at most one letter among them"
    return InvalidProgram(message, state, transition, "output", code="useless-outputs")


def bad_initialisation(problem: str, state: str, transition: int | None, part: str) -> InvalidProgram:
    """The initial state does not have exactly one transition, with guard true, that assigns."""
    message = f"{problem}; the initial state needs exactly one transition, with guard true and an assignment"
    return InvalidProgram(message, state, transition, part, code="bad-initialisation")


def undefined_variable(variable: str, state: str, transition: int, part: str = "guard") -> InvalidProgram:
    """A guard or an output asks for a variable that some path from the initial state has not assigned yet."""
    message = (
        f"variable {quoted(variable)} may be undefined: some path from the initial state to "
        f"{quoted(state)} does not assign it"
    )
    return InvalidProgram(message, state, transition, part, code="undefined-variable")


def not_formulated(asked: str, state: str, why: str) -> NotSupported:
    """Something is asked about a program that it is not formulated for."""
    return NotSupported(f"{asked} not supported for state {quoted(state)}, {why}", code="not-formulated")


def unknown_adjacency(adjacency: str, known: tuple[str, ...]) -> UnknownName:
    """An adjacency is asked for that has no meaning."""
    return UnknownName(
        f"unknown adjacency {quoted(adjacency)}; the adjacencies are {', '.join(known)}",
        code="unknown-adjacency",
    )


def _type(value: object) -> str:
    return f"a value of type {type(value).__name__}"
