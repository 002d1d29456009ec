"""What can be wrong with a threshold program."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import BadInput, abbreviated, quoted
from prover.exact.rational import format_rational


class InvalidProgram(BadInput):
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
    ) -> None:
        super().__init__(message, path=program_path(state, transition, part))
        self.state = state
        self.transition = transition
        self.part = part


def program_path(state: str | None = None, transition: int | None = None, part: str | None = None) -> str:
    """The JSON path of a program, of one of its states, of a transition, or of a part of these."""
    path = "$" if state is None else f"$.states[{quoted(state)}]"
    if transition is not None:
        path += f".transitions[{transition}]"
    return path if part is None else f"{path}.{part}"


class NoStates(InvalidProgram):
    """A program has no state."""

    def __init__(self) -> None:
        super().__init__("a program has at least one state, this one has none", part="states")


class UnknownInitialState(InvalidProgram):
    """The initial state is not a state of the program."""

    def __init__(self, initial: str) -> None:
        message = f"the initial state {quoted(initial)} is not among the states; it needs an entry"
        super().__init__(message, part="initial")


class DuplicateState(InvalidProgram):
    """Two states have the same name."""

    def __init__(self, state: str) -> None:
        super().__init__(f"state {quoted(state)} is given twice; names of states are unique", state)


class NotText(InvalidProgram):
    """The name of a state, of a variable or of an output is not a text."""

    def __init__(
        self, value: object, state: str | None = None, transition: int | None = None, part: str | None = None
    ) -> None:
        super().__init__(f"a text belongs here, not {_type(value)}", state, transition, part)


class EmptyName(InvalidProgram):
    """The name of a state, of a variable or of an output is empty."""

    def __init__(
        self, state: str | None = None, transition: int | None = None, part: str | None = None
    ) -> None:
        super().__init__("a name has at least one character, this one is empty", state, transition, part)


class FinalWithEntry(InvalidProgram):
    """A state is declared to be final, and has an entry."""

    def __init__(self, state: str) -> None:
        message = f"{quoted(state)} is declared to be final, and has an entry; final states have none"
        super().__init__(message, part="final")


class RepeatedTransition(InvalidProgram):
    """A state has the same transition twice."""

    def __init__(self, state: str, transition: int) -> None:
        super().__init__("the same transition stands above; once is enough", state, transition)


class NotAFraction(InvalidProgram):
    """A rate or a mean is not given as a Fraction."""

    def __init__(self, value: object, state: str | None, part: str) -> None:
        given = f"the float {value!r}" if isinstance(value, float) else _type(value)
        message = f"a Fraction belongs here, not {given}; write the number meant, such as Fraction(1, 10)"
        super().__init__(message, state, None, part)


class RateNotPositive(InvalidProgram):
    """A rate is 0 or negative."""

    def __init__(self, rate: Fraction, state: str, part: str) -> None:
        shown = abbreviated(format_rational(rate))
        super().__init__(f"rate {shown} is not positive; the noise has scale 1/rate", state, None, part)


class OneRateOnly(InvalidProgram):
    """A state says what its rate is on one side only."""

    def __init__(self, state: str, part: str) -> None:
        message = "a state has a rate, or one to the left and one to the right; one is missing here"
        super().__init__(message, state, None, part)


class UselessRate(InvalidProgram):
    """A state has a rate beside one to the left and one to the right."""

    def __init__(self, state: str) -> None:
        message = "a rate says nothing beside one to the left and one to the right; leave it out"
        super().__init__(message, state, None, "rate")


class UnknownNoise(InvalidProgram):
    """The noise is of a kind that is not known."""

    def __init__(self, noise: object, known: tuple[str, ...]) -> None:
        given = quoted(noise) if isinstance(noise, str) else _type(noise)
        super().__init__(f"noise {given} is not read; it is {' or '.join(map(quoted, known))}", part="noise")


class GridWithoutDiscreteNoise(InvalidProgram):
    """A grid is given for noise that is not discrete."""

    def __init__(self) -> None:
        super().__init__('a grid belongs to noise "discrete-laplace", and to no other', part="grid")


class GridNotPositive(InvalidProgram):
    """The step of the grid is 0 or negative."""

    def __init__(self, grid: Fraction) -> None:
        super().__init__(f"grid {abbreviated(format_rational(grid))} is not positive", part="grid")


class SensitivityNotPositive(InvalidProgram):
    """The sensitivity is 0 or negative."""

    def __init__(self, sensitivity: Fraction, state: str | None = None) -> None:
        shown = abbreviated(format_rational(sensitivity))
        message = f"sensitivity {shown} is not positive; neighbours differ by up to that much"
        super().__init__(message, state, part="sensitivity")


class GridTooCoarse(InvalidProgram):
    """The sensitivity is not a multiple of the grid."""

    def __init__(self, grid: Fraction, sensitivity: Fraction, state: str | None = None) -> None:
        step, most = (abbreviated(format_rational(number)) for number in (grid, sensitivity))
        message = (
            f"grid {step} does not divide the sensitivity {most}; the grid must divide the sensitivity, or "
            "the loss can be larger than any formula here says"
        )
        super().__init__(message, state, part="grid" if state is None else "sensitivity")


class SensitivityWithoutInput(InvalidProgram):
    """A state that reads no input is given a sensitivity."""

    def __init__(self, state: str) -> None:
        message = "a sensitivity says how far inputs are apart, and this state reads none; leave it out"
        super().__init__(message, state, None, "sensitivity")


class UnroundedInput(InvalidProgram):
    """An input that is not rounded to the grid of its noise shows, or may show."""

    def __init__(self, state: str, transition: int, *, number: bool) -> None:
        if number:
            reason = "a number that is output shows the fraction of its input, a loss without bound"
        else:
            reason = "nothing is proved where such an input is stored, compared with several values, or by ="
        message = f"noise on a grid does not hide inputs that are not on it: {reason}; round inputs first"
        super().__init__(message, state, transition, "output" if number else None)


class UnroundedWithoutGrid(InvalidProgram):
    """Inputs are said not to be rounded where noise is not discrete, and nothing has to be."""

    def __init__(self) -> None:
        message = 'only with noise "discrete-laplace" does it matter whether inputs are rounded'
        super().__init__(message, part="inputs")


class UnknownInputs(InvalidProgram):
    """What is said about inputs is not known."""

    def __init__(self, inputs: str) -> None:
        super().__init__(f'inputs {quoted(inputs)} are not read; they are "unrounded"', part="inputs")


class TieWithoutAtoms(InvalidProgram):
    """A test with <=, > or = although noise is not discrete and meets a number with probability 0."""

    def __init__(self, relation: str, state: str, transition: int) -> None:
        same = {"<=": "<", ">": ">=", "=": None}[relation]
        if same is None:
            message = 'relation "=" holds with probability 0, unless noise is "discrete-laplace"'
        else:
            message = (
                f"relation {quoted(relation)} says the same as {quoted(same)} here, as noise meets a number "
                f"with probability 0; write {quoted(same)}"
            )
        super().__init__(message, state, transition, "guard")


class TieOffGrid(InvalidProgram):
    """A test with = of samples that are never equal, as their means differ by no multiple of the grid."""

    def __init__(self, variable: str, state: str, transition: int, other: str) -> None:
        message = (
            f"insample may never equal {quoted(variable)}: the mean of {quoted(state)} and that of "
            f"{quoted(other)}, which stores it, differ by no multiple of the grid"
        )
        super().__init__(message, state, transition, "guard")


class HalfASecondSample(InvalidProgram):
    """A state has one of rate' and mean' without the other."""

    def __init__(self, state: str, part: str) -> None:
        message = "rate' and mean' belong together; this state has only one of them"
        super().__init__(message, state, None, part)


class NoTransition(InvalidProgram):
    """A state has no transition."""

    def __init__(self, state: str) -> None:
        message = (
            f"state {quoted(state)} has no transition; a final state is one that is only a target, "
            "without an entry of its own"
        )
        super().__init__(message, state, None, "transitions")


class UnknownRelation(InvalidProgram):
    """A test of a guard compares by something else than < and >=, or, with discrete noise, <=, > and =."""

    def __init__(self, relation: object, state: str, transition: int) -> None:
        given = quoted(relation) if isinstance(relation, str) else _type(relation)
        super().__init__(f'relation {given} is not read; it is "<" or ">="', state, transition, "guard")


class RepeatedTest(InvalidProgram):
    """A guard has the same test twice."""

    def __init__(self, relation: str, variable: str, state: str, transition: int) -> None:
        message = f"the guard says insample {relation} {quoted(variable)} twice; once is enough"
        super().__init__(message, state, transition, "guard")


class ContradictoryGuard(InvalidProgram):
    """A guard asks that insample be below a variable and also at least this variable."""

    def __init__(self, variable: str, state: str, transition: int) -> None:
        message = f"the guard asks for insample < and >= {quoted(variable)} at once, which never holds"
        super().__init__(message, state, transition, "guard")


class TwoTests(InvalidProgram):
    """A guard has two tests of one variable that do not contradict each other."""

    def __init__(self, variable: str, state: str, transition: int) -> None:
        message = f"the guard tests {quoted(variable)} twice; one test of each variable is enough"
        super().__init__(message, state, transition, "guard")


class RepeatedAssignment(InvalidProgram):
    """A transition assigns to the same variable twice."""

    def __init__(self, variable: str, state: str, transition: int) -> None:
        message = f"variable {quoted(variable)} is assigned twice; once is enough"
        super().__init__(message, state, transition, "assign")


class NoSecondSample(InvalidProgram):
    """A transition outputs insampleprime at a state without rate'."""

    def __init__(self, state: str, transition: int) -> None:
        message = f"insampleprime is output, but state {quoted(state)} has no rate' and mean' to sample it"
        super().__init__(message, state, transition, "output")


class UselessOutputs(InvalidProgram):
    """Several outputs of a transition are not at most one letter and numbers, each of them once."""

    def __init__(self, state: str, transition: int) -> None:
        message = "several outputs are different ones: numbers, and at most one letter"
        super().__init__(message, state, transition, "output")


class BadInitialisation(InvalidProgram):
    """The initial state does not have exactly one transition, with guard true, that assigns."""

    def __init__(self, problem: str, state: str, transition: int | None, part: str) -> None:
        message = f"{problem}; the initial state has one transition, with guard true, that assigns"
        super().__init__(message, state, transition, part)


class UndefinedVariable(InvalidProgram):
    """A guard or an output asks for a variable that some path from the initial state has not assigned yet."""

    def __init__(self, variable: str, state: str, transition: int, part: str = "guard") -> None:
        message = (
            f"variable {quoted(variable)} may be undefined: some path from the initial state to "
            f"{quoted(state)} does not assign it"
        )
        super().__init__(message, state, transition, part)


class NotFormulated(BadInput):
    """Something is asked about a program that it is not formulated for."""

    def __init__(self, asked: str, state: str, why: str) -> None:
        super().__init__(f"{asked} not made for state {quoted(state)}, {why}")


class UnknownAdjacency(BadInput):
    """An adjacency is asked for that has no meaning."""

    def __init__(self, adjacency: str, known: tuple[str, ...]) -> None:
        super().__init__(f"unknown adjacency {quoted(adjacency)}; the adjacencies are {', '.join(known)}")


def _type(value: object) -> str:
    return f"something of type {type(value).__name__}"
