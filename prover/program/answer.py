"""What is known of the privacy of a threshold program, and how that is said in a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from prover.certificate.schema import Certificate
from prover.errors import short_name
from prover.exact.rational import format_rational
from prover.exact.readable import multiple
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.conditions import Conditions
from prover.program.decision.blocks import Block
from prover.program.model import Edge, Program
from prover.program.observer.observed import Observed
from prover.program.optimum.witness import Witness
from prover.program.registers import followed, unfolded
from prover.views import Paged


@dataclass(frozen=True, slots=True)
class LossOfRuns:
    """The loss of single runs: for every ε > 0 between lower·ε and upper·ε, over all neighbouring inputs.

    ``bounded`` says whether that has a bound, None while this is not known. ``lower`` is None where it has
    none, ``upper`` where no finite one was found.
    """

    bounded: bool | None
    lower: Fraction | None
    upper: Fraction | None

    @property
    def exact(self) -> Fraction | None:
        """The loss, where it is known and finite."""
        return self.lower if self.bounded and self.lower == self.upper else None


@dataclass(frozen=True, slots=True, repr=False)
class Privacy(Paged):
    """The privacy of a program: bounds on the privacy loss to an observer of its output.

    For every ε > 0, the loss lies between lower·ε and upper·ε. ``private`` is None while undecided. If the
    loss has no bound, ``lower`` and ``upper`` are None; if no finite upper bound was found, only ``upper``
    is None. The bounds come from ``runs``, the loss of single runs. Where the output shows every transition
    (``conditions``), the observer knows the run, and both losses are the same. Otherwise the loss of runs is
    only an upper bound, ``observer`` has the bounds for all runs with the same output, and ``private`` is
    False where outputs of unbounded loss are known.

    ``reason`` names the structure that makes the loss of runs unbounded; ``states`` and ``edges`` are those
    of the structure. ``approx`` and ``relaxed`` are the papers' upper bounds, and ``approx_bound`` is a
    theorem's bound on ``approx``; they are None where they do not apply. ``witness`` is a run that loses
    runs.lower. If the loss has no bound, the loss of the runs in ``family`` grows.

    The observer does not see that a run stops because no guard holds, or that it ends where other runs with
    the same output go on.

        >>> import prover
        >>> from prover.zoo import leaking_pair, svt
        >>> str(prover.privacy(svt()).epsilon), prover.privacy(leaking_pair()).reason
        ('5/4', 'leaking pair')
    """

    runs: LossOfRuns
    adjacency: Adjacency
    conditions: Conditions
    assumption: str = field(kw_only=True)
    """The assumption of the answer: the range of inputs, how neighbours differ, and how noise is drawn."""
    make_certificate: Callable[[], Certificate | None] = field(repr=False, compare=False)
    reason: str | None = None
    states: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    approx: Fraction | None = None
    relaxed: Fraction | None = None
    approx_bound: Fraction | None = None
    witness: Witness | None = None
    family: tuple[Block, ...] = field(default=(), repr=False)
    effort: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    """The work done: "values" of the last table, "rounds" and "tables"."""
    ended_by: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The budgets that ended the search, by the names of docs/budgets.md."""
    make_seen: Callable[[], Privacy | None] = field(default=lambda: None, repr=False, compare=False)
    observer: Observed | None = field(default=None, repr=False, compare=False)
    program: Program | None = field(default=None, repr=False, compare=False)
    """The program that the answer is about."""
    sums: int | None = field(default=None, repr=False, compare=False)
    """The most that registers differ by along the runs that were looked at; None if all runs were."""
    follows: bool = field(default=False, repr=False, compare=False)
    """Whether registers are followed along the runs of ``family``, which are those of the program itself."""

    @property
    def unfolded(self) -> Program | None:
        """The program whose states and transitions the answer names: with registers that is another one."""
        program = self.program
        if program is not None and self.follows:
            return followed(program)
        again = program is not None and program.is_unfolded_first
        return unfolded(program, self.adjacency, self.sums) if program is not None and again else program

    @property
    def at_epsilon(self) -> Fraction | None:
        """The only ε that the answer is about; None where it is about every ε."""
        return None if self.program is None else self.program.at_epsilon

    @property
    def private(self) -> bool | None:
        """Whether the observer's loss is bounded; None while this is not known."""
        if self.runs.bounded or self.conditions.output_distinction:
            return self.runs.bounded
        if self.observer is None:
            return None
        return False if self.observer.lower is None else self.observer.upper is not None or None

    @property
    def lower(self) -> Fraction | None:
        """A lower bound on the observer's loss, as a multiple of ε; None if the loss is infinite."""
        if self.conditions.output_distinction:
            return self.runs.lower
        return Fraction(0) if self.observer is None else self.observer.lower

    @property
    def upper(self) -> Fraction | None:
        """An upper bound on the observer's loss, as a multiple of ε; None if none was found."""
        return self.runs.upper if self.observer is None else self.observer.upper

    @property
    def epsilon(self) -> Fraction | None:
        """The least c for which the program is c·ε-differentially private, if it is known; else None."""
        return self.lower if self.private and self.lower == self.upper else None

    @property
    def worst_run_counts(self) -> bool:
        """Whether an observer of the output loses as much as the worst run: outputs show the run, or the
        loss is known and equal to the loss of the run.
        """
        alone = self.witness is not None and self.epsilon == self.witness.loss
        return self.conditions.output_distinction or alone

    @property
    def spent(self) -> tuple[str, ...]:
        """The budgets that ended the search before the answer was exact; more effort may make it exact."""
        return () if self.private is False or self.epsilon is not None else self.ended_by

    @property
    def if_stopping_is_seen(self) -> Privacy | None:
        """The answer for an observer who sees that a run stops; None where this reveals nothing.

        Also None where the loss has no bound in any case, or where this is not known yet.
        """
        return self.make_seen()

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for this answer; None if nothing is known."""
        return self.make_certificate()

    @property
    def headline(self) -> str:
        """The answer in a line."""
        return headline(self)


def assumption(program: Program, apart: Mapping[str, str] | None = None) -> str:
    """The assumption in a sentence, without its full stop (docs/theory_noise.md, Theorems 1 and 2).

    ``apart`` says how far neighbouring inputs are apart, as ``most_apart`` does, where a parameter is open.
    """
    noise = program.noise
    grid = "" if noise.grid is None else f"multiples of {format_rational(noise.grid)}"
    most = _in_words(most_apart(program) if apart is None else apart)
    inputs = f"inputs range over all {'real numbers' if noise.unrounded else grid or 'real numbers'}"
    inputs += f"; neighbouring inputs differ by at most {most}"
    if program.at_epsilon is not None:
        inputs += f"; ε is {format_rational(program.at_epsilon)}"
    if not grid:
        return inputs
    sides = {rate for state in program.states.values() for rate in (state.rate_left, state.rate_right)}
    shape = "geometric" if sides - {None} else "two-sided geometric"
    return f"{inputs}; noise is {shape} on the {grid}"


def most_apart(program: Program) -> dict[str, str]:
    """How far neighbouring inputs are apart at most: in general, by the name "", and at states where that is
    another number, the least ones first."""
    own = [
        (state.sensitivity, name) for name, state in program.states.items() if state.sensitivity is not None
    ]
    numbers = [("", program.noise.sensitivity), *((name, number) for number, name in sorted(own))]
    return {name: format_rational(number) for name, number in numbers}


def _in_words(apart: Mapping[str, str]) -> str:
    """By how much neighbouring inputs differ, in general and at states."""
    states: dict[str, list[str]] = {}
    for name, number in apart.items():
        states.setdefault(number, []).append(name)
    general, *others = states.items()
    return f"{general[0]} in each number" + "".join(
        f", at {listed_or(names, 'and')} by at most {number}" for number, names in others
    )


MOST_NAMES = 12
"""How many states a headline names."""


def headline(answer: Privacy) -> str:
    """The answer in a line: the loss that is proved, and for which observer."""
    at = "" if answer.at_epsilon is None else f" at ε = {format_rational(answer.at_epsilon)}"
    if answer.adjacency in ONE_WAY:
        larger = "larger" if answer.adjacency == Adjacency.INCREASING else "smaller"
        start = f"one way, towards {larger} inputs{at}: "
    else:
        start = {True: f"private{at}: ", False: "", None: f"undecided{at}: "}[answer.private]
    is_open = answer.epsilon is None and answer.upper is not None
    hidden = hidden_transitions(answer) if answer.private is None or is_open else ""
    unbounded = answer.runs.bounded is False and answer.private is not True
    if hidden:
        hidden = f", but {hidden}" if unbounded else f"; {hidden}"
    amount = start + _amount(answer)
    if answer.epsilon and (unbounded or not answer.conditions.stopping_tells):
        amount += NO_SMALLER
    if unbounded or not answer.conditions.stopping_tells:
        return amount + hidden
    seen = answer.if_stopping_is_seen
    stopping = _stopping(answer.conditions)
    same = seen is not None and (seen.lower, seen.upper) == (answer.lower, answer.upper)
    if seen is not None and same and seen.private == answer.private:
        no_smaller = NO_SMALLER if answer.epsilon else ""
        return f"{amount}{no_smaller}, whether or not the observer sees that {stopping}{hidden}"
    otherwise = "" if seen is None else f"; {_amount(seen)} if the observer does"
    return f"{amount} if the observer does not see that {stopping}{otherwise}{hidden}"


NO_SMALLER = " (no smaller multiple holds)"
NOTHING_PROVED = "undecided: nothing is proved yet"


def hidden_transitions(answer: Privacy) -> str:
    """Where different transitions have the same output; empty where outputs show every transition."""
    if states := listed_or(answer.conditions.indistinct_states, "and"):
        return f"the output does not always show which transition is taken at {states}"
    return ""


def _stopping(found: Conditions) -> str:
    """What an observer may not see: that a run stops, and where."""
    gaps, ends, parts = found.gap_states, found.ending_states, []
    if gaps:
        parts.append(f"a run stops at {listed_or(gaps, 'or')} because no guard holds")
    if ends:
        parts.append(f"a run ends after {listed_or(ends, 'or')}, where others with the same output go on")
    return " or that ".join(parts)


def _amount(answer: Privacy) -> str:
    """The loss in words."""
    if answer.runs.bounded is False and answer.private is not True:
        if answer.private is None:
            at_least = f"at least {multiple(answer.lower)}; " if answer.lower else ""
            return f"{at_least}the loss of single runs has no bound"
        reason = answer.reason or "the loss has no bound"
        if answer.observer is not None and (words := answer.observer.words) is not None:
            reason = "the loss of some outputs grows without bound"
            if words.growth is None:
                reason = "some outputs are possible on one input and impossible on a neighbouring input"
        return f"no bound ({reason})" if answer.adjacency in ONE_WAY else f"not private: {reason}"
    if answer.epsilon is not None:
        only = answer.at_epsilon
        value = "" if only is None else f" = {format_rational(answer.epsilon * only)}"
        return f"exactly {multiple(answer.epsilon)}{value}"
    if answer.upper is None:
        if answer.lower:
            return f"at least {multiple(answer.lower)}; no upper bound is proved yet"
        return "nothing is proved yet" if answer.private is None else "no bound is proved yet"
    if not answer.lower:
        return f"at most {multiple(answer.upper)}"
    return f"between {multiple(answer.lower)} and {multiple(answer.upper)}"


def listed_or(states: Sequence[str], word: str) -> str:
    """Names of states for people, the last one behind ``word``: the first few, and how many more."""
    names = [short_name(state) for state in states[:MOST_NAMES]]
    if len(states) > MOST_NAMES:
        names.append(f"{len(states) - MOST_NAMES} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}" if names else ""
