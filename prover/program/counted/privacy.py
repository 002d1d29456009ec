"""The loss of programs with a count that is left open: a formula that holds for every count, with its proof.

The formula is found from worst runs and tables at small counts, and proved by a closed table of the program
with one copy of the block, which a copy raises by at most so much, and by a family of runs that lose as much
(docs/theory_programs.md, *Counts*).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

from prover.certificate.schema import Certificate
from prover.errors import BadValue, Fault, must_be
from prover.exact.given import given_integer
from prover.exact.rational import format_rational
from prover.exact.readable import multiple
from prover.program.adjacency import Adjacency, given_adjacency
from prover.program.answer import NO_SMALLER
from prover.program.counted.model import Counted, counted, same_for_all
from prover.program.counted.proofs import Formula, proved
from prover.program.decision.certificates import loss_claimed
from prover.program.model import Program, variables
from prover.program.optimum.budget import Budget
from prover.program.privacy import privacy
from prover.program.scope import has_own_sensitivities
from prover.progress import Progress, silent
from prover.views import Paged

_MOST_LATER = 4
"""So many copies of the block may come after it, where the last ones add something else."""
_MOST_EARLIER = 2
"""So many copies of the block may come before it, where the first ones know less of the order."""
_MOST_PERIOD = 4
_MOST_TRIES = 400
"""So many choices of the steps of runs are tried."""
_DIVISORS = (0, 1, 2)
"""If rates fall as the count grows they may be divided by the count, or by so much more than it."""


@dataclass(frozen=True, slots=True, repr=False)
class OpenCount(Paged):
    """The loss as a function of a count: at the counts that were looked at, and, if found, a formula.

    ``values`` has the exact loss at each of these counts, as a multiple of ε; None where it is not known or
    has no bound. ``repeats`` says what is repeated, and ``reason`` why there is no formula.

        >>> from prover.zoo import lyu_4
        >>> answer = privacy_of_counts(lyu_4, "c", last=4)
        >>> answer.formula
        Formula(constants=(Fraction(1, 4),), each=Fraction(3, 2), first=1)
        >>> answer.at(100)
        Fraction(601, 4)
    """

    name: str
    adjacency: Adjacency
    values: Mapping[int, Fraction | None]
    assumption: str = field(kw_only=True)
    stops: bool = field(kw_only=True)
    """Whether an observer who sees that a run stops might learn more; the answer is about others."""
    formula: Formula | None = None
    repeats: Counted | None = None
    reason: str | None = None
    private: bool | None = True
    """Whether the programs that were looked at are: False if the last one is not, None if that is open."""
    divisor: int | None = None
    """The formula, and what it is proved for, are about the programs with all rates times the count and this
    number; None if about the programs themselves."""

    def at(self, count: int) -> Fraction | None:
        """The loss at a count, as a multiple of ε; None if it is not known."""
        formula = self.formula
        if formula is None or count < formula.first:
            return self.values.get(count)
        return formula.at(count) / (1 if self.divisor is None else count + self.divisor)

    @property
    def headline(self) -> str:
        """The formula, or why there is none."""
        formula = self.formula
        if formula is None:
            return f"{'not private' if self.private is False else 'no formula'}: {self.reason}"
        start = "private" if self.adjacency.is_symmetric else "one way"
        return f"{start}: exactly {self.losses(formula)}{NO_SMALLER}"

    def losses(self, formula: Formula, unit: str = "ε") -> str:
        """The losses by the formula, as multiples of a unit, and for which counts they are."""
        period = len(formula.constants)
        if period == 1:
            return f"{self._loss(formula, 0, unit)} for every {self.name} >= {formula.first}"
        each = [
            f"{self._loss(formula, count, unit)} for {self.name} = {count}, {count + period}, …"
            for count in range(formula.first, formula.first + period)
        ]
        return f"{', '.join(each[:-1])} and {each[-1]}"

    @property
    def by(self) -> str | None:
        """The number by which rates are divided, as a text."""
        if self.divisor is None:
            return None
        return f"({self.name} + {self.divisor})" if self.divisor else self.name

    def _loss(self, formula: Formula, count: int, unit: str) -> str:
        """The loss as a formula in the count, for counts that are this one up to periods."""
        constant = formula.constants[count % len(formula.constants)]
        if self.divisor is not None and constant == formula.each * self.divisor:
            return multiple(formula.each, unit)
        return multiple_of_count(constant, formula.each, self.name, unit, self.by)

    @property
    def certificate(self) -> Certificate | None:
        """The proof of the formula."""
        return None if self.formula is None else self.formula.proof


def multiple_of_count(
    constant: Fraction, each: Fraction, name: str, unit: str = "ε", by: str | None = None
) -> str:
    """A multiple of a unit that is a constant and so much for each of a count, perhaps divided by a number.

    >>> multiple_of_count(Fraction(1, 2), Fraction(1), "c"), multiple_of_count(Fraction(0), Fraction(2), "c")
    ('(1/2 + c)·ε', '2·c·ε')
    """
    if by is None and not each:
        return multiple(constant, unit)
    parts = [format_rational(abs(constant))] * (constant != 0) + [multiple(each, name)] * (each != 0)
    text = f"{parts[1]} - {parts[0]}" if constant < 0 else " + ".join(parts)
    whole = f"({text})" if len(parts) > 1 or (by is not None and "/" in text) else text
    one = f"({unit})" if "/" in unit else unit
    return f"{whole}·{one}" if by is None else f"{whole}/{by}·{one}"


def privacy_of_counts(
    make: Callable[[int], Program],
    name: str = "count",
    first: int = 1,
    last: int = 6,
    adjacency: str = Adjacency.ALL_DIFFER,
    *,
    budget: Budget | None = None,
    progress: Progress = silent,
) -> OpenCount:
    """The loss of the programs that ``make`` makes of counts, looked at from ``first`` to ``last``.

        >>> from prover.zoo import lyu_4
        >>> privacy_of_counts(lyu_4, "c")
        <OpenCount: private: exactly (1/4 + (3/2)·c)·ε for every c >= 1 (no smaller multiple holds)>

    The formula is proved for the programs in which the block that ``repeats`` names is repeated, for every
    count from its first one on. These are the programs of ``make`` for the counts that were looked at.
    Raises BadValue if these are fewer than four, and WrongArgument.
    """
    must_be(Callable, make=make)
    first, last = given_integer(first, "first"), given_integer(last, "last")
    if not 0 <= first <= last - 3:
        raise BadValue(f"at least four counts are needed, from 0 on, not {first} to {last}")
    way = given_adjacency(adjacency)
    programs: dict[int, Program] = {}
    values: dict[int, Fraction | None] = {}
    said: dict[str, Any] = {}
    stops, private = False, True
    for count in range(first, last + 1):
        progress(f"{name} = {count}", count - first, last + 1 - first)
        programs[count] = make(count)
        answer = privacy(programs[count], way, budget=budget)
        values[count] = answer.epsilon
        private = private and answer.private is True
        stops = stops or answer.conditions.stopping_tells
        said = {"assumption": answer.assumption, "stops": stops}
        if answer.runs.bounded is False:
            what = (
                "the program is not private" if answer.private is False else "the loss of runs has no bound"
            )
            reason = f"{what} at {name} = {count}"
            return OpenCount(name, way, values, reason=reason, private=answer.private, **said)
    known = OpenCount(name, way, values, private=private or None, **said)
    return _explained(known, programs, budget or Budget())


def _explained(known: OpenCount, programs: Mapping[int, Program], budget: Budget) -> OpenCount:
    """With a formula, or the reason why there is none."""
    if any(program.has_registers for program in programs.values()):
        return replace(known, reason="the programs have registers")
    if any(program.hides_steps for program in programs.values()):
        return replace(known, reason="observers do not see all outputs as they are")
    if any(program.at_epsilon is not None for program in programs.values()):
        return replace(known, reason="the noise depends on ε otherwise than by rates")
    if any(loss_claimed(program) != "observer" for program in programs.values()):
        return replace(known, reason="the outputs do not show which transitions are taken")
    if same_for_all([*programs.values()]):
        return replace(known, reason=f"{known.name} changes nothing where it was looked at")
    whole, divisor = _repeated(programs)
    if whole is None:
        return replace(known, reason=_without_block(known.name, programs))
    known = replace(known, divisor=divisor)
    if has_own_sensitivities(whole.program):
        return replace(known, reason="states have sensitivities of their own")
    values = {
        count: value * (1 if divisor is None else count + divisor)
        for count, value in known.values.items()
        if value is not None
    }
    tries = iter(range(_MOST_TRIES))
    for constants, each in _lines(values):
        for copies, more in product(range(_MOST_LATER), range(_MOST_EARLIER)):
            later = whole.later(copies).earlier(more)
            if found := proved(later, known.adjacency, constants, each, budget, tries):
                known = replace(known, formula=found, repeats=whole)
                wrong = [c for c, value in known.values.items() if value is not None and known.at(c) != value]
                if wrong:
                    raise Fault(f"the formula is wrong at {known.name} = {wrong[0]}")
                return known
    return replace(known, reason="no proof was found")


def _repeated(programs: Mapping[int, Program]) -> tuple[Counted | None, int | None]:
    """What is repeated, and what is added to the count by which rates are multiplied, if they are."""
    whole = counted(programs)
    if whole is not None or min(programs) < 1:
        return whole, None
    for more in _DIVISORS:
        whole = counted({count: _times(program, count + more) for count, program in programs.items()})
        if whole is not None:
            return whole, more
    return None, None


def _without_block(name: str, programs: Mapping[int, Program]) -> str:
    """Why no block is found."""
    rates = {frozenset(state.rates for state in program.states.values()) for program in programs.values()}
    depends = len(rates) > 1 or len({program.noise for program in programs.values()}) > 1
    if len({len(variables(program)) for program in programs.values()}) > 2:
        return f"the number of variables depends on {name}"
    return f"the noise depends on {name}" if depends else "no block of states is repeated"


def _lines(values: Mapping[int, Fraction]) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    """The formulas that the values at the largest counts suggest, the shortest period first."""
    last = max(values, default=0)
    for period in range(1, _MOST_PERIOD + 1):
        known = [count for count in range(last - max(2 * period, 3) + 1, last + 1) if count in values]
        if len(known) < max(2 * period, 3):
            return
        each = {(values[c + period] - values[c]) / period for c in known[: len(known) - period]}
        if len(each) == 1 and min(each) >= 0:
            slope = min(each)
            found = {count % period: values[count] - slope * count for count in known}
            yield tuple(found[residue] for residue in range(period)), slope


def _times(program: Program, factor: int) -> Program:
    """The program with all finite rates times a number, of which the loss is so many times as large."""
    states = {}
    for name, state in program.states.items():
        left, right = (rate if isinstance(rate, str) else rate * factor for rate in state.rates)
        second = None if state.second is None else state.second[0] * factor
        states[name] = replace(state, rate=None, rate_left=left, rate_right=right, rate_prime=second)
    return Program(program.initial, states, program.final, program.noise)
