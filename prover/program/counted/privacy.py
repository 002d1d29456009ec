"""The loss of programs with a count that is left open: a formula that holds for every count, with its proof.

The formula is found from worst runs and tables at small counts, and proved by a closed table of the program
with one copy of the block, which a copy raises by at most so much, and by a family of runs that lose as much
(docs/theory_programs.md, *Counts*).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.errors import BadValue, Fault, must_be
from prover.exact.given import given_integer
from prover.exact.rational import format_rational
from prover.exact.readable import multiple
from prover.program.adjacency import ONE_WAY, Adjacency, given_adjacency
from prover.program.answer import NO_SMALLER
from prover.program.counted.families import family
from prover.program.counted.model import Counted, counted, same_for_all
from prover.program.counted.tables import raised_table
from prover.program.decision.blocks import Block
from prover.program.decision.certificates import blocks_evidence, loss_claimed
from prover.program.model import Program, variables
from prover.program.optimum.budget import Budget
from prover.program.optimum.certificates import upper_evidence
from prover.program.optimum.cost import Cost
from prover.program.optimum.measure import measure
from prover.program.privacy import privacy
from prover.program.scope import demand_placed, has_own_sensitivities
from prover.progress import Progress, silent
from prover.views import Lined

_MOST_LATER = 4
"""So many copies of the block may come after it, where the last ones add something else."""
_RUNS = 4


@dataclass(frozen=True, slots=True)
class Formula:
    """The loss is (``constant`` + ``each`` · c)·ε for every count c from ``first`` on; ``proof`` says why."""

    constant: Fraction
    each: Fraction
    first: int
    proof: Certificate = field(repr=False, compare=False)

    def at(self, count: int) -> Fraction:
        """The loss at a count."""
        return self.constant + self.each * count


@dataclass(frozen=True, slots=True, repr=False)
class OpenCount(Lined):
    """The loss as a function of a count: at the counts that were looked at, and, if found, a formula.

    ``values`` has the exact loss at each of these counts, as a multiple of ε; None where it is not known or
    has no bound. ``repeats`` says what is repeated, and ``reason`` why there is no formula.

        >>> from prover.zoo import lyu_4
        >>> answer = privacy_of_counts(lyu_4, "c", last=4)
        >>> answer.formula
        Formula(constant=Fraction(1, 4), each=Fraction(3, 2), first=1)
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
    divided: bool = False
    """The formula, and what it is proved for, are about the programs with all rates times the count."""

    def at(self, count: int) -> Fraction | None:
        """The loss at a count, as a multiple of ε; None if it is not known."""
        formula = self.formula
        if formula is None or count < formula.first:
            return self.values.get(count)
        return formula.at(count) / (count if self.divided else 1)

    @property
    def headline(self) -> str:
        """The formula, or why there is none."""
        if self.formula is None:
            return f"{'not private' if self.private is False else 'no formula'}: {self.reason}"
        start = "private" if self.adjacency.is_symmetric else "one way"
        every = f"for every {self.name} >= {self.formula.first}"
        return f"{start}: exactly {self._loss(self.formula)} {every}{NO_SMALLER}"

    def _loss(self, formula: Formula) -> str:
        """The loss as a formula in the count."""
        if self.divided and not formula.constant:
            return multiple(formula.each)
        if not self.divided and not formula.each:
            return multiple(formula.constant)
        each = [multiple(formula.each, self.name)] if formula.each else []
        parts = [format_rational(formula.constant)] * (formula.constant != 0) + each
        text = " + ".join(parts)
        whole = f"({text})" if len(parts) > 1 or "/" in text else text
        return f"{whole}/{self.name}·ε" if self.divided else f"{whole}·ε"

    @property
    def certificate(self) -> Certificate | None:
        """The proof of the formula."""
        return None if self.formula is None else self.formula.proof


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
    whole = counted(programs)
    if whole is None:
        rates = {frozenset(state.rates for state in program.states.values()) for program in programs.values()}
        depends = len(rates) > 1 or len({program.noise for program in programs.values()}) > 1
        whole = (
            counted({c: _times(program, c) for c, program in programs.items()})
            if depends and min(programs) > 0
            else None
        )
        if whole is None:
            what = f"the noise depends on {known.name}" if depends else "no block of states is repeated"
            return replace(known, reason=what)
        known = replace(known, divided=True)
    if len(variables(whole.program)) != 1:
        return replace(known, reason="the programs have several variables")
    if has_own_sensitivities(whole.program):
        return replace(known, reason="states have sensitivities of their own")
    for copies in range(_MOST_LATER):
        later = whole.later(copies)
        if found := _formula(later, known.adjacency, budget):
            known = replace(known, formula=found, repeats=later)
            wrong = [c for c, value in known.values.items() if value is not None and known.at(c) != value]
            if wrong:
                raise Fault(f"the formula is wrong at {known.name} = {wrong[0]}")
            return known
    return replace(known, reason="no proof was found")


def _times(program: Program, factor: int) -> Program:
    """The program with all finite rates times a number, of which the loss is so many times as large."""
    states = {}
    for name, state in program.states.items():
        left, right = (rate if isinstance(rate, str) else rate * factor for rate in state.rates)
        second = None if state.second is None else state.second[0] * factor
        states[name] = replace(state, rate=None, rate_left=left, rate_right=right, rate_prime=second)
    return Program(program.initial, states, program.final, program.noise)


def _formula(whole: Counted, adjacency: Adjacency, budget: Budget) -> Formula | None:
    """A formula, if a copy of the block raises the table by as much as some runs lose in it."""
    demand_placed(whole.program)
    costs = [measure(whole.repeated(copies), adjacency, budget) for copies in range(_RUNS)]
    uppers = [cost.upper for cost in costs]
    if None in uppers or any(not cost.is_exact for cost in costs):
        return None
    losses = [upper or Fraction(0) for upper in uppers]
    each = losses[1] - losses[0]
    table = _table(whole, adjacency, costs[1], losses[0], each)
    if table is None or any(b - a != each for a, b in pairwise(losses)):
        return None
    lower = _runs(whole, costs, losses[0], each)
    if lower is None:
        return None
    blocks, passed = lower
    first = whole.least + passed
    constant = losses[0] - each * whole.least
    claim = {
        "adjacency": str(adjacency),
        "constant": format_rational(constant),
        "each": format_rational(each),
        "first": first,
        "kind": "counted-epsilon",
        "loss": loss_claimed(whole.program),
    }
    proof = encode(claim, dict(whole.model), {"table": table, **blocks_evidence(blocks)})
    return Formula(constant, each, first, proof)


def _runs(
    whole: Counted, costs: list[Cost], least: Fraction, each: Fraction
) -> tuple[tuple[Block, ...], int] | None:
    """A family of runs that lose as much; of a monotonic adjacency, one way."""
    ways = [tuple(cost.sides or (cost,)) for cost in costs]
    for sides in zip(*ways, strict=True):
        witnesses = [side.witness for side in sides if side.witness is not None]
        if found := family(whole, str(sides[0].adjacency), witnesses, least, each):
            return found
    return None


def _table(
    whole: Counted, adjacency: Adjacency, once: Cost, least: Fraction, each: Fraction
) -> dict[str, Any] | None:
    """A closed table that a copy raises by at most ``each``, and that proves ``least`` without copies."""
    evidence = upper_evidence(whole.program, once).get("table")
    if evidence is None:
        return None
    tables = {}
    for way in ONE_WAY if once.sides else (adjacency,):
        layers = 2 if way == Adjacency.ONE_DIFFER else 1
        found = raised_table(whole, way, layers, evidence[way] if once.sides else evidence, each)
        if found is None or found[1] > least:
            return None
        tables[str(way)] = found[0]
    return tables if once.sides else tables[str(adjacency)]
