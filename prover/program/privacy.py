"""Is a threshold program private, and at which ε exactly? The answer, with its proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from prover.certificate.schema import Certificate
from prover.errors import UnknownName, must_be, quoted
from prover.exact.given import given_integer
from prover.program.adjacency import ONE_WAY, Adjacency, given_adjacency
from prover.program.answer import LossOfRuns, Privacy, assumption
from prover.program.conditions import conditions, require_one_sensitivity, require_plain
from prover.program.decision.certificates import not_private_certificate, verdict_certificate
from prover.program.decision.facts import VANISHING_RUN, VIOLATING_PATH, Verdict, decide
from prover.program.decision.pumping import Block, pump
from prover.program.gaps import completed
from prover.program.model import Edge, Program, variables
from prover.program.observer.extremes import extremes
from prover.program.observer.merging import Merged, merged
from prover.program.observer.observed import Search, observe, observed_certificate
from prover.program.observer.quotient import Quotient, quotient
from prover.program.optimum.budget import DEFAULT_EFFORT, Budget, Steps
from prover.program.optimum.certificates import cost_certificate
from prover.program.optimum.optimum import Cost, measure
from prover.program.optimum.refinement import Statistics
from prover.program.scope import demand_clear_order, demand_placed, has_own_sensitivities
from prover.program.several import optimum as several
from prover.program.several.certificates import bounded_certificate, order_cost_certificate
from prover.program.several.order_graph import order_graph, overlapping_states
from prover.program.several.parts import AnyCost, measure_by_parts
from prover.program.smt.bisection import (
    AUTO,
    ENGINES,
    LONGEST,
    SMT,
    confirm_verdict,
    dearest_run,
    with_dearest,
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
    """Whether a program is private, and its exact ε.

    ``on_better`` is called with what is proved on the way: first that it is private, then intervals.

    ``adjacency``: "all-differ" (every input may differ by up to 1), "one-differ" (only one), "increasing" or
    "decreasing" (all, in one direction: a bound one way only), "monotonic" (all, in the same direction,
    either way). With the ``engine`` "smt" Z3 confirms the verdict, and finds what the runs of at most
    ``longest`` steps lose, which is the lower bound then; the upper one is the table's. Where outputs do not
    tell runs apart, ``search`` says where a bound of the observer's loss is looked for. The search ends where
    its budget is spent, ``effort`` times what docs/budgets.md says. Raises WrongArgument, BadValue,
    TiesOfSeveral, NotSupported, UnknownName, BeyondLimit.

        >>> from prover.zoo import leaking_pair, svt
        >>> print(privacy(svt()))
        private: ε·5/4, and no smaller multiple
        >>> print(privacy(leaking_pair()))
        not private: leaking pair

    Reference: docs/theory_programs.md, *The optimum*; docs/theory_variables.md; docs/theory_observer.md.
    """
    must_be(Program, program=program)
    longest = given_integer(longest, "longest")
    allowed = (budget or Budget()).times(effort)
    if engine not in ENGINES:
        raise UnknownName(
            f"unknown engine {quoted(engine)}; the engines are {', '.join(ENGINES)}", code="unknown-engine"
        )
    neighbours = given_adjacency(adjacency)
    if engine == SMT:
        require_plain(program, "formulas are")

    def leave(answer: Privacy) -> None:
        on_better(replace(answer, make_seen=lambda: None, program=program))  # this takes as long again

    question = _Question(
        program,
        neighbours,
        allowed,
        progress,
        asking=longest if engine == SMT else None,
        make_seen=_seen(program, neighbours, allowed, search, progress),
        leave=leave,
    )
    return replace(_observed(question, question.of_runs(), search), program=program)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked about the runs of a program, within a budget.

    ``asking``: how many steps the runs have that Z3 is asked about; None where it is not asked. ``make_seen``
    finds the answer for observers who see that a run stops, and ``leave`` is called with what is known on the
    way.
    """

    program: Program
    adjacency: Adjacency
    budget: Budget
    progress: Progress
    asking: int | None = None
    make_seen: Callable[[], Privacy | None] = lambda: None
    leave: Callable[[Privacy], None] = lambda _: None

    def of_runs(self) -> Privacy:
        """What runs lose."""
        return (_of_several if len(variables(self.program)) > 1 else _of_one)(self)


def _observed(question: _Question, answer: Privacy, search: Search | None) -> Privacy:
    """With what is known of all runs that look alike, where the loss of runs bounds it from above only."""
    bound, endless = answer.runs.upper, answer.runs.bounded is False
    if answer.conditions.output_distinction or (bound is None and not endless):
        return answer
    if has_own_sensitivities(question.program):
        return answer
    program, adjacency = question.program, question.adjacency
    budget, progress = question.budget, question.progress
    question.leave(answer)
    alike: Merged | Quotient | None = None
    of_runs = answer
    for smaller in (merged(program), quotient(program)):
        if smaller is None or bound == 0:
            continue
        of_smaller = _Question(smaller.program, adjacency, budget, progress).of_runs()
        upper = of_smaller.runs.upper
        if upper is not None and (bound is None or upper < bound):
            alike, bound, of_runs = smaller, upper, of_smaller
    spent = {*answer.ended_by, *of_runs.ended_by}
    hidden = extremes(program, adjacency, budget, spent, progress)
    if hidden is not None and (bound is None or hidden.upper < bound):
        alike, bound = None, hidden.upper
    else:
        hidden = None
    witnesses = [of_runs.witness, answer.witness]
    found = observe(
        program, adjacency, bound, witnesses, answer.family, search, budget, spent=spent, progress=progress
    )
    if found.above is None:
        found = replace(found, merged=alike, extremes=hidden)
    proof = cache(lambda: observed_certificate(program, adjacency, found, of_runs.certificate))
    seen = question.make_seen if endless and found.upper is not None else answer.make_seen
    ended_by = tuple(sorted(spent))
    return replace(answer, observer=found, make_certificate=proof, make_seen=seen, ended_by=ended_by)


def _of_one(question: _Question) -> Privacy:
    """What runs of a program of one variable lose."""
    program, adjacency = question.program, question.adjacency
    demand_placed(program)
    verdict = decide(program)
    if question.asking is not None:
        confirm_verdict(order_graph(program), verdict.private)
    if verdict.run:
        blocks = pump(verdict, adjacency)
        if blocks is not None:
            return _structured(program, adjacency, verdict, blocks)
    if verdict.private:
        question.leave(_private(program, adjacency, verdict))

    def told(cost: Cost) -> Privacy:
        return _measured(question, verdict, cost)

    cost = measure(
        program, adjacency, question.budget, question.progress, lambda cost: question.leave(told(cost))
    )
    if question.asking is not None and not cost.is_infinite:
        dearest = dearest_run(order_graph(program), adjacency, question.asking, question.progress)
        cost = with_dearest(cost, dearest)
    return told(cost)


def _measured(question: _Question, verdict: Verdict, cost: Cost) -> Privacy:
    """What a cost says, with its evidence."""
    program, adjacency = question.program, question.adjacency
    if cost.is_infinite:  # under another adjacency the runs of the structure may lose little, and others much
        return _endless(program, adjacency, cost.family)
    return Privacy(
        LossOfRuns(True if cost.upper is not None or verdict.private else None, cost.lower, cost.upper),
        adjacency,
        conditions(program),
        cache(lambda: _certificate(program, verdict, cost)),
        approx=cost.approx,
        relaxed=cost.relaxed,
        approx_bound=cost.approx_bound,
        witness=cost.witness,
        effort=_effort(cost.statistics),
        ended_by=cost.spent,
        make_seen=question.make_seen,
        assumption=assumption(program),
    )


def _effort(statistics: Statistics) -> dict[str, int]:
    return {"values": statistics.values, "rounds": statistics.rounds, "tables": statistics.tables}


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
        whole = completed(program)
        if whole is program:
            return None
        aside = replace(budget, steps=Steps(budget.aside))
        return privacy(whole, adjacency, budget=aside, search=search, progress=progress)

    return cache(seen)


def _of_several(question: _Question) -> Privacy:
    """The same for several variables (docs/theory_variables.md)."""
    program, adjacency = question.program, question.adjacency
    demand_clear_order(program)
    demand_placed(program)
    require_one_sensitivity(program, "tables of several variables are")
    found = several.decide(program)
    if question.asking is not None:
        confirm_verdict(found.graph, found.bounded)
    overlapping = overlapping_states(found.graph)
    known = replace(conditions(program), determinism=not overlapping, nondeterministic_states=overlapping)
    if not found.bounded and (blocks := several.under(found.family, adjacency)):
        return replace(_endless(program, adjacency, blocks, found.reason), conditions=known)
    proof = cache(lambda: bounded_certificate(program, found))
    if found.bounded:
        bounded = LossOfRuns(True, Fraction(0), None)
        question.leave(Privacy(bounded, adjacency, known, proof, assumption=assumption(program)))

    def told(costs: Sequence[AnyCost]) -> Privacy:
        if family := next((cost.family for cost in costs if cost.family), ()):
            return replace(_endless(program, adjacency, family), conditions=known)
        best = max(costs, key=lambda cost: cost.lower)
        uppers = [cost.upper for cost in costs]
        upper = None if None in uppers else max(upper for upper in uppers if upper is not None)
        return Privacy(
            LossOfRuns(True if upper is not None or found.bounded else None, best.lower, upper),
            adjacency,
            known,
            proof
            if upper is None and found.bounded
            else cache(lambda: order_cost_certificate(program, adjacency, costs)),
            witness=best.witness,
            effort=_effort(best.statistics) | {"tables": sum(cost.statistics.tables for cost in costs)},
            ended_by=tuple(sorted({name for cost in costs for name in cost.spent})),
            make_seen=question.make_seen,
            assumption=assumption(program),
        )

    def asked(cost: AnyCost) -> AnyCost:
        if question.asking is None or cost.family:
            return cost
        dearest = dearest_run(found.graph, cost.adjacency, question.asking, question.progress)
        return with_dearest(cost, dearest)

    ways = ONE_WAY if adjacency == Adjacency.MONOTONIC else (adjacency,)
    costs: list[AnyCost] = []

    def give(cost: AnyCost) -> None:
        if len(costs) + 1 == len(ways):  # the other ways are known
            question.leave(told([*costs, cost]))

    for way in ways:
        costs += [measure_by_parts(program, found, way, question.budget, question.progress, give)]
    answer = told([asked(cost) for cost in costs])
    if answer.runs.bounded is None and (blocks := several.under(found.family, adjacency, turned=True)):
        return replace(_endless(program, adjacency, blocks, found.reason), conditions=known)
    return answer


def _private(program: Program, adjacency: Adjacency, verdict: Verdict) -> Privacy:
    """What the table of facts alone proves: some bound holds, for the widest adjacency and so for all."""
    proof = cache(lambda: verdict_certificate(program, verdict))
    bounded, known = LossOfRuns(True, Fraction(0), None), conditions(program)
    return Privacy(bounded, adjacency, known, proof, assumption=assumption(program))


def _structured(
    program: Program, adjacency: Adjacency, verdict: Verdict, blocks: tuple[Block, ...]
) -> Privacy:
    """Not private because of a structure, whose runs have no bound."""
    edges = tuple(dict.fromkeys(edge for stretch in verdict.run for edge in stretch.edges))
    return _not_private(program, adjacency, blocks, verdict.reason, verdict.states, edges)


def _endless(
    program: Program, adjacency: Adjacency, blocks: tuple[Block, ...], reason: str | None = None
) -> Privacy:
    """Not private because of cycles, of which there need be no name, or without any."""
    cycles = [block for block in blocks if block.repeat]
    steps = [step for block in cycles or blocks for step in block.steps]
    if reason == VIOLATING_PATH:  # what is beside the cycle counts, too
        steps = [
            step for block in blocks for step in block.steps if block.repeat or step.delta or any(step.duals)
        ]
    edges = tuple(dict.fromkeys(step.edge for step in steps))
    states = tuple(dict.fromkeys(edge.source for edge in edges))
    return _not_private(program, adjacency, blocks, reason if cycles else VANISHING_RUN, states, edges)


def _not_private(
    program: Program,
    adjacency: Adjacency,
    blocks: tuple[Block, ...],
    reason: str | None,
    states: tuple[str, ...],
    edges: tuple[Edge, ...],
) -> Privacy:
    return Privacy(
        LossOfRuns(False, None, None),
        adjacency,
        conditions(program),
        cache(lambda: not_private_certificate(program, blocks, adjacency)),
        reason=reason,
        states=states,
        edges=edges,
        family=blocks,
        assumption=assumption(program),
    )


def _certificate(program: Program, verdict: Verdict, cost: Cost) -> Certificate | None:
    """The proof of the bounds; where there is no bound from above, that of being private at least."""
    if cost.upper is None and verdict.private:
        return verdict_certificate(program, verdict)
    return cost_certificate(program, cost)
