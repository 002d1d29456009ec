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
from prover.views import Paged


@dataclass(frozen=True, slots=True)
class LossOfRuns:
    """What single runs lose: for every ε > 0 between lower·ε and upper·ε, over all neighbouring inputs.

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
    """The privacy of a program: what an observer of the outputs can learn at most, and at least.

    For every ε > 0 the loss lies between lower·ε and upper·ε. ``private`` is None while undecided. ``lower``
    and ``upper`` are None where they are infinite: both if the loss has no bound, ``upper`` if no finite one
    was found. They come from ``runs``, what single runs lose. Where outputs tell transitions apart
    (``conditions``) the observer knows the run, and both losses are the same; otherwise that of runs is a
    bound from above only, ``observer`` has what is proved of all runs that look alike, and ``private`` is
    False where words are known that lose without bound.

    ``reason`` names the structure that makes the loss of runs unbounded, ``states`` and ``edges`` are where
    it is. ``approx`` and ``relaxed`` are the papers' upper bounds, and ``approx_bound`` is what the former
    cannot exceed, by a theorem; they are None where they do not apply. ``witness`` is a run that loses
    runs.lower; if the loss has no bound, ``family`` are runs whose loss grows.

    All this is about observers who do not see that a run stops where guards leave a gap, or that it ends
    where others with the same outputs go on.

        >>> import prover
        >>> from prover.zoo import leaking_pair, svt
        >>> str(prover.privacy(svt()).epsilon), prover.privacy(leaking_pair()).reason
        ('5/4', 'leaking pair')
    """

    runs: LossOfRuns
    adjacency: Adjacency
    conditions: Conditions
    assumption: str = field(kw_only=True)
    """Under which the answer is exact: what inputs range over, and how noise is drawn."""
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
    """What it took: "values" of the last table, "rounds" and "tables"."""
    ended_by: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The budgets that ended the search, by the names of docs/budgets.md, whatever they were spent on."""
    make_seen: Callable[[], Privacy | None] = field(default=lambda: None, repr=False, compare=False)
    observer: Observed | None = field(default=None, repr=False, compare=False)
    program: Program | None = field(default=None, repr=False, compare=False)
    """What the answer is about."""

    @property
    def private(self) -> bool | None:
        """Whether the observer's loss is bounded; None while that is not known."""
        if self.runs.bounded or self.conditions.output_distinction:
            return self.runs.bounded
        if self.observer is None:
            return None
        return False if self.observer.words is not None else self.observer.upper is not None or None

    @property
    def lower(self) -> Fraction | None:
        """A bound on the observer's loss from below; None if that is infinite."""
        if self.conditions.output_distinction:
            return self.runs.lower
        return Fraction(0) if self.observer is None else self.observer.lower

    @property
    def upper(self) -> Fraction | None:
        """A bound on the observer's loss from above; None if none was found."""
        return self.runs.upper if self.observer is None else self.observer.upper

    @property
    def epsilon(self) -> Fraction | None:
        """The least c for which the program is c·ε-private, where that is known."""
        return self.lower if self.private and self.lower == self.upper else None

    @property
    def worst_run_counts(self) -> bool:
        """Whether what the worst run loses is lost to whoever sees the outputs: they tell runs apart, or the
        loss is known and is that of the run.
        """
        alone = self.witness is not None and self.epsilon == self.witness.loss
        return self.conditions.output_distinction or alone

    @property
    def spent(self) -> tuple[str, ...]:
        """The budgets that ended the search where the answer is not exact: with more effort it may be."""
        return () if self.private is False or self.epsilon is not None else self.ended_by

    @property
    def if_stopping_is_seen(self) -> Privacy | None:
        """The answer for observers who see that a run stops; None where they learn nothing by that.

        Also None where the loss has no bound anyway, or where that is not known yet.
        """
        return self.make_seen()

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for this answer; None if nothing is known."""
        return self.make_certificate()

    @property
    def headline(self) -> str:
        """The answer in a line: what is bounded, by how much, and for whom."""
        return headline(self)


def assumption(program: Program) -> str:
    """The assumption in a sentence, without its full stop (docs/theory_noise.md, Theorems 1 and 2)."""
    noise = program.noise
    grid = "" if noise.grid is None else f"multiples of {format_rational(noise.grid)}"
    most = f"{format_rational(noise.sensitivity)} in each number" + _own_sensitivities(program)
    inputs = f"inputs range over all {'real numbers' if noise.unrounded else grid or 'real numbers'}"
    inputs += f"; neighbouring inputs differ by at most {most}"
    if not grid:
        return inputs
    sides = {rate for state in program.states.values() for rate in (state.rate_left, state.rate_right)}
    shape = "geometric" if sides - {None} else "two-sided geometric"
    return f"{inputs}; noise is {shape} on the {grid}"


def _own_sensitivities(program: Program) -> str:
    """Which states have sensitivities of their own, behind that of the program."""
    states: dict[Fraction, list[str]] = {}
    for name, state in program.states.items():
        if state.sensitivity is not None:
            states.setdefault(state.sensitivity, []).append(name)
    return "".join(
        f", at {listed_or(names, 'and')} by at most {format_rational(own)}"
        for own, names in sorted(states.items())
    )


MOST_NAMES = 12
"""How many states a headline names."""


def headline(answer: Privacy) -> str:
    """The answer in a line: the loss that is proved, and for which observer."""
    if answer.adjacency in ONE_WAY:
        larger = "larger" if answer.adjacency == Adjacency.INCREASING else "smaller"
        start = f"one way, towards {larger} inputs: "
    else:
        start = {True: "private: ", False: "", None: "undecided: "}[answer.private]
    hidden = hidden_transitions(answer) if answer.private is None or _is_open(answer) else ""
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


def _is_open(answer: Privacy) -> bool:
    return answer.epsilon is None and answer.upper is not None


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
        return f"exactly {multiple(answer.epsilon)}"
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
