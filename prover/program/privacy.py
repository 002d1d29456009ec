"""Is a threshold program private, and at which ε exactly? The answer, with its proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from prover.errors import UnknownName, must_be, quoted
from prover.exact.given import given_integer
from prover.program.adjacency import Adjacency, given_adjacency
from prover.program.answer import LossOfRuns, Privacy, assumption
from prover.program.conditions import Conditions, conditions, require_one_sensitivity, require_plain
from prover.program.decision.blocks import Block, structure, under
from prover.program.decision.boundedness import VANISHING_RUN, Boundedness, decide
from prover.program.decision.certificates import (
    FOLLOWED,
    boundedness_certificate,
    not_private_certificate,
    of_part,
)
from prover.program.errors import inputs_used_again, steps_not_seen
from prover.program.gaps import completed
from prover.program.model import Program, forgetful, variables
from prover.program.observer.extremes import extremes
from prover.program.observer.hidden_block import HiddenBlock, hidden_block
from prover.program.observer.last import last_steps
from prover.program.observer.merging import Merged, merged
from prover.program.observer.observed import (
    Observed,
    Search,
    attained,
    observe,
    observed_certificate,
    worst_runs,
)
from prover.program.observer.quotient import Quotient, quotient
from prover.program.observer.telling import told, told_certificate, told_run
from prover.program.optimum.budget import DEFAULT_EFFORT, Budget, Steps
from prover.program.optimum.certificates import cost_certificate
from prover.program.optimum.cost import Cost, unknown
from prover.program.optimum.growing_sums import growing_family
from prover.program.optimum.measure import measure
from prover.program.order_graph import order_graph, overlapping_states
from prover.program.registers import growing_sums, unfolded_or_part
from prover.program.scope import demand_clear_order, demand_placed, demand_rates, has_own_sensitivities
from prover.program.smt.bisection import (
    AUTO,
    ENGINES,
    LONGEST,
    SMT,
    confirm_verdict,
    costliest_run,
    with_costliest,
)
from prover.progress import Progress, silent


def privacy(
    program: Program,
    adjacency: str = Adjacency.ALL_DIFFER,
    *,
    engine: str = AUTO,
    longest: int = LONGEST,
    effort: int = DEFAULT_EFFORT,
    budget: Budget | None = None,
    search: Search | None = None,
    progress: Progress = silent,
    on_better: Callable[[Privacy], None] = lambda _: None,
) -> Privacy:
    """Decide whether a program is private, and find its exact loss as a multiple of ε.

    ``on_better`` is called with each better answer on the way: first that the program is private, then
    intervals.

    ``adjacency``: "all-differ" (every input may differ by up to 1), "one-differ" (only one), "increasing" or
    "decreasing" (all, in one direction: a bound one way only), "monotonic" (all, in the same direction,
    either way). With the ``engine`` "smt", Z3 confirms the verdict and finds the loss of runs of at most
    ``longest`` steps, which is then the lower bound; the upper bound comes from the table. Where different
    runs have the same output, ``search`` limits the search for lower bounds on the observer's loss. The
    search ends when it has used up its budget, ``effort`` times the numbers in docs/budgets.md. Raises
    WrongArgument, BadValue, TiesOfSeveral, NotSupported, UnknownName, BeyondLimit.

        >>> from prover.zoo import leaking_pair, svt
        >>> privacy(svt())
        <Privacy: private: exactly (5/4)·ε (no smaller multiple holds)>
        >>> privacy(leaking_pair())
        <Privacy: not private: leaking pair>

    Reference: docs/theory_programs.md, *The optimum*; docs/theory_variables.md; docs/theory_observer.md.
    """
    must_be(Program, program=program)
    demand_rates(program)
    longest = given_integer(longest, "longest")
    allowed = (budget or Budget()).times(effort)
    if engine not in ENGINES:
        raise UnknownName(
            f"unknown engine {quoted(engine)}; the engines are {', '.join(ENGINES)}", code="unknown-engine"
        )
    neighbours = given_adjacency(adjacency)
    given, most = program, None
    if given.is_unfolded_first:
        program, most = unfolded_or_part(given, neighbours)
        if engine == SMT:
            raise inputs_used_again() if given.has_registers else steps_not_seen()
    if engine == SMT:
        require_plain(program, "formulas are")

    def emit(answer: Privacy) -> None:
        on_better(replace(answer, make_seen=lambda: None, program=given))  # this takes as long again

    question = _Question(
        program,
        neighbours,
        allowed,
        progress,
        longest=longest if engine == SMT else None,
        make_seen=_seen(program, neighbours, allowed, search, progress),
        emit=emit,
        sums=most,
    )
    found = question.of_runs()
    if most is not None and found.runs.bounded is None:
        if family := growing_family(given, neighbours, allowed, progress):
            return replace(question.with_family(found, family), program=given)
        if not found.runs.lower:
            raise growing_sums()
    return replace(found if program.of else _observed(question, found, search), program=given)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked about the runs of a program, within a budget.

    ``longest``: how many steps the runs have that Z3 is asked about; None where it is not asked. ``sums`` is
    the most by which registers differ in the program, if it is a part of one. ``make_seen`` finds the answer
    for observers who see that a run stops, and ``emit`` is called with what is known on the way.
    """

    program: Program
    adjacency: Adjacency
    budget: Budget
    progress: Progress
    longest: int | None = None
    make_seen: Callable[[], Privacy | None] = lambda: None
    emit: Callable[[Privacy], None] = lambda _: None
    sums: int | None = None
    _met: list[Conditions] = field(default_factory=list)

    def of_runs(self) -> Privacy:
        """What runs lose."""
        program, adjacency = self.program, self.adjacency
        demand_placed(program)
        if len(variables(program)) > 1:
            demand_clear_order(program)
            require_one_sensitivity(program, "tables of several variables are")
        known = decide(program)
        if self.longest is not None:
            confirm_verdict(known.graph, known.bounded)
        if family := under(known.family, adjacency):
            return self._unbounded(known, family, known.reason)
        if known.bounded:
            self.emit(self._bounded(known, unknown(adjacency)))
        cost = measure(
            program,
            adjacency,
            self.budget,
            self.progress,
            lambda cost: self.emit(self._measured(known, cost)),
            known,
        )
        if self.longest is not None and not cost.is_infinite:
            found = costliest_run(known.graph, adjacency, self.longest, self.progress)
            cost = with_costliest(cost, found)
        return self._measured(known, cost)

    def _measured(self, known: Boundedness, cost: Cost) -> Privacy:
        """What a cost says, with its evidence.

        Under another adjacency than all-differ the runs of a structure may lose little, and others much.
        """
        return self._unbounded(known, cost.family) if cost.is_infinite else self._bounded(known, cost)

    def _bounded(self, known: Boundedness, cost: Cost) -> Privacy:
        """Bounds, with their proof; where there is none from above, that of being private at least."""
        program = self.program
        if self.sums is not None:  # what is known of a part bounds the loss from below only
            cost = replace(cost, upper=None, table=None, sides=())
        proof = cache(
            lambda: (
                boundedness_certificate(program, known)
                if cost.upper is None and known.bounded
                else cost_certificate(program, cost)
            )
        )
        observed = None
        if program.hides_steps:
            told = told_run(program, cost)
            lower = Fraction(0) if told is None else cost.lower
            observed = Observed(lower, cost.upper, None, None, Search(), told=told)
            proof = cache(lambda: told_certificate(program, cost, told))
        return Privacy(
            LossOfRuns(True if cost.upper is not None or known.bounded else None, cost.lower, cost.upper),
            self.adjacency,
            self._conditions(known),
            cache(lambda: of_part(proof(), self.sums)),
            approx=cost.approx,
            relaxed=cost.relaxed,
            approx_bound=cost.approx_bound,
            witness=cost.witness,
            effort={name: getattr(cost.statistics, name) for name in ("values", "rounds", "tables")},
            ended_by=cost.spent,
            make_seen=self.make_seen,
            assumption=assumption(program),
            observer=observed,
            sums=self.sums,
        )

    def _unbounded(self, known: Boundedness, family: tuple[Block, ...], reason: str | None = None) -> Privacy:
        """Not private because of a structure, of cycles, of which there need be no name, or without any."""
        cycles = [block for block in family if block.repeat]
        run = family if reason or not cycles else cycles
        edges = tuple(dict.fromkeys(step.edge for block in run for step in block.steps))
        inside = structure(family) if reason else edges
        observed, samples = None, None
        if self.program.hides_steps:
            found = told(self.program, family)
            observed = Observed(Fraction(0), None, None, None, Search())
            if found is not None:
                family, samples = found.blocks, found.samples
                observed = Observed(None, None, None, None, Search(), told=found)
        whole = cache(lambda: not_private_certificate(self.program, family, self.adjacency, samples))
        return Privacy(
            LossOfRuns(False, None, None),
            self.adjacency,
            self._conditions(known),
            cache(lambda: of_part(whole(), self.sums)),
            reason=reason or (None if cycles else VANISHING_RUN),
            states=tuple(dict.fromkeys(state for edge in inside for state in (edge.source, edge.target))),
            edges=edges,
            family=family,
            assumption=assumption(self.program),
            observer=observed,
            sums=self.sums,
        )

    def with_family(self, found: Privacy, family: tuple[Block, ...]) -> Privacy:
        """Not private, as runs of the program with registers differ by ever more along a family."""
        edges = tuple(dict.fromkeys(step.edge for block in family if block.repeat for step in block.steps))
        whole = cache(lambda: not_private_certificate(self.program, family, self.adjacency))
        return replace(
            found,
            runs=LossOfRuns(False, None, None),
            make_certificate=cache(lambda: of_part(whole(), FOLLOWED)),
            states=tuple(dict.fromkeys(state for edge in edges for state in (edge.source, edge.target))),
            edges=edges,
            family=family,
            witness=None,
            sums=None,
            follows=True,
        )

    def _conditions(self, known: Boundedness) -> Conditions:
        """The conditions, where with several variables the known order may tell guards apart."""
        if not self._met:
            self._met.append(self._conditions_met(known))
        return self._met[0]

    def _conditions_met(self, known: Boundedness) -> Conditions:
        found = conditions(self.program)
        if len(variables(self.program)) == 1:
            return found
        of = self.program.of
        states = overlapping_states(known.graph if of is None else order_graph(forgetful(of)))
        return replace(found, determinism=not states, nondeterministic_states=states)


def _observed(question: _Question, answer: Privacy, search: Search | None) -> Privacy:
    """With what is known of all runs that look alike, where the loss of runs bounds it from above only."""
    bound, endless = answer.runs.upper, answer.runs.bounded is False
    if answer.conditions.output_distinction or (bound is None and not endless):
        return answer
    if has_own_sensitivities(question.program):
        return answer
    program, adjacency = question.program, question.adjacency
    budget, progress = question.budget, question.progress
    question.emit(answer)
    alike: Merged | Quotient | HiddenBlock | None = None
    of_runs = [answer]
    for smaller in (merged(program), quotient(program), hidden_block(program)):
        if smaller is None or bound == 0:
            continue
        programs = smaller.programs if isinstance(smaller, HiddenBlock) else (smaller.program,)
        of_smaller = [_Question(own, adjacency, budget, progress).of_runs() for own in programs]
        uppers = [own.runs.upper for own in of_smaller if own.runs.upper is not None]
        if len(uppers) == len(of_smaller) and (bound is None or max(uppers) < bound):
            alike, bound, of_runs = smaller, max(uppers), of_smaller
    spent = {name for own in (answer, *of_runs) for name in own.ended_by}
    costly = [own for own in of_runs if own.runs.upper == bound]
    worst, known = worst_runs(program, adjacency, bound, [own.witness for own in (*costly, answer)])
    found, hidden, last = attained(known, bound, search), None, None
    if found is None:
        hidden = extremes(program, adjacency, budget, spent, progress)
        if hidden is not None and (bound is None or hidden.upper < bound):
            alike, bound = None, hidden.upper
        else:
            hidden = None
        last = None if answer.runs.upper is None else last_steps(program, adjacency, budget, spent, progress)
        if last is not None and bound is not None and last.upper < bound:
            alike, hidden, bound = None, None, last.upper
        else:
            last = None
        of_words = worst, known, answer.family
        found = observe(program, adjacency, bound, of_words, search, budget, spent=spent, progress=progress)
    if found.above is None:
        found = replace(found, merged=alike, extremes=hidden, last=last)
    proof = cache(
        lambda: observed_certificate(program, adjacency, found, [own.certificate for own in of_runs])
    )
    seen = question.make_seen if endless and found.upper is not None else answer.make_seen
    ended_by = tuple(sorted(spent))
    return replace(answer, observer=found, make_certificate=proof, make_seen=seen, ended_by=ended_by)


def _seen(
    program: Program,
    adjacency: Adjacency,
    budget: Budget,
    search: Search | None,
    progress: Progress,
) -> Callable[[], Privacy | None]:
    """How to find what observers learn who see that a run stops; that is nothing else without gaps.

    Nobody asked, so this takes a limited number of steps.
    """

    def seen() -> Privacy | None:
        whole = program if program.of else completed(program)
        if whole is program:
            return None
        aside = replace(budget, steps=Steps(budget.aside))
        return privacy(whole, adjacency, budget=aside, search=search, progress=progress)

    return cache(seen)
