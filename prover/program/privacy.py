"""Is a threshold program private, and at which ε exactly? The answer, with its proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial

from prover.certificate.schema import Certificate
from prover.errors import must_be, short_name
from prover.exact.rational import format_rational, rational_or_inf
from prover.program.adjacency import ONE_WAY, Adjacency, given_adjacency
from prover.program.assumption import assumption
from prover.program.conditions import Conditions, conditions, require_plain
from prover.program.decision.certificates import not_private_certificate, verdict_certificate
from prover.program.decision.facts import VANISHING_RUN, Verdict, decide
from prover.program.decision.pumping import Block, pump
from prover.program.gaps import completed
from prover.program.model import Edge, Program, variables
from prover.program.optimum.certificates import cost_certificate
from prover.program.optimum.optimum import Cost, Witness, measure
from prover.program.optimum.refinement import Budget, Statistics
from prover.program.scope import demand_no_ties, demand_one_rate
from prover.program.several import optimum as several
from prover.program.several.certificates import bounded_certificate, order_cost_certificate
from prover.program.several.order_graph import order_graph, overlapping_states
from prover.program.several.parts import AnyCost, measure_by_parts
from prover.program.smt.bisection import (
    AUTO,
    ENGINES,
    LONGEST,
    SMT,
    UnknownEngine,
    confirm_verdict,
    dearest_run,
    with_dearest,
)
from prover.progress import Progress, silent


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


@dataclass(frozen=True, slots=True)
class Privacy:
    """The privacy of a program: what an observer of the outputs can learn at most, and at least.

    For every ε > 0 the loss lies between lower·ε and upper·ε. ``private`` is None while undecided. ``lower``
    and ``upper`` are None where they are infinite: both if the loss has no bound, ``upper`` if no finite one
    was found. They come from ``runs``, what single runs lose. Where outputs tell transitions apart
    (``conditions``) the observer knows the run, and both losses are the same; otherwise that of runs is a
    bound from above only, and ``private`` is True or None.

    ``reason`` names the structure that makes the loss of runs unbounded, ``states`` and ``edges`` are where
    it is. ``approx`` and ``relaxed`` are the papers' upper bounds, and ``approx_bound`` is what the former
    cannot exceed, by a theorem; they are None where they do not apply. ``witness`` is a run that loses
    runs.lower; if the loss has no bound, ``family`` are runs whose loss grows.

    All this is about observers who do not see that a run stops where guards leave a gap.
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
    make_seen: Callable[[], Privacy | None] = field(default=lambda: None, repr=False, compare=False)

    @property
    def private(self) -> bool | None:
        """Whether the observer's loss is bounded; None while that is not known."""
        if self.runs.bounded or self.conditions.output_distinction:
            return self.runs.bounded
        return None

    @property
    def lower(self) -> Fraction | None:
        """A bound on the observer's loss from below; None if that is infinite."""
        return self.runs.lower if self.conditions.output_distinction else Fraction(0)

    @property
    def upper(self) -> Fraction | None:
        """A bound on the observer's loss from above; None if none was found."""
        return self.runs.upper

    @property
    def epsilon(self) -> Fraction | None:
        """The least c for which the program is c·ε-private, where that is known."""
        return self.lower if self.private and self.lower == self.upper else None

    @property
    def if_stopping_is_seen(self) -> Privacy | None:
        """The answer for observers who see that a run stops; None where guards leave no gap.

        Also None where the loss has no bound anyway, or where that is not known yet.
        """
        return self.make_seen()

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for this answer; None if nothing is known."""
        return self.make_certificate()

    def __str__(self) -> str:
        return headline(self)


def privacy(
    program: Program,
    adjacency: str = Adjacency.ALL_DIFFER,
    *,
    engine: str = AUTO,
    longest: int = LONGEST,
    budget: Budget | None = None,
    progress: Progress = silent,
    on_better: Callable[[Privacy], None] = lambda _: None,
) -> Privacy:
    """Whether a program is private, and its exact ε.

    ``on_better`` is called with what is proved on the way: first that it is private, then intervals.

    ``adjacency``: "all-differ" (every input may differ by up to 1), "one-differ" (only one), "increasing" or
    "decreasing" (all, in one direction: a bound one way only), "monotonic" (all, in the same direction,
    either way). With the ``engine`` "smt" Z3 confirms the verdict, and finds what the runs of at most
    ``longest`` steps lose, which is the lower bound then; the upper one is the table's. Raises WrongArgument,
    TiesOfSeveral, TwoRates, EndlessChain, NotFormulated, UnknownAdjacency, UnknownEngine, TooManyFacts.

        >>> from prover.zoo import leaking_pair, svt
        >>> print(privacy(svt()))
        private: ε·5/4, and no smaller multiple
        >>> print(privacy(leaking_pair()))
        not private: leaking pair
    """
    must_be(Program, program=program)
    must_be(int, longest=longest)
    if engine not in ENGINES:
        raise UnknownEngine(engine)
    neighbours = given_adjacency(adjacency)
    if engine == SMT:
        require_plain(program, "formulas are")
        demand_one_rate(program)

    def leave(answer: Privacy) -> None:
        on_better(replace(answer, make_seen=lambda: None))  # this takes as long again

    asking = longest if engine == SMT else None
    if len(variables(program)) > 1:
        return _of_several(program, neighbours, asking, budget, progress, leave)
    verdict = decide(program)
    if asking is not None:
        confirm_verdict(order_graph(program), verdict.private)
    if not verdict.private:
        blocks = pump(verdict, neighbours)
        if blocks is not None:
            return _structured(program, neighbours, verdict, blocks)
    if verdict.private:
        leave(_private(program, neighbours, verdict))
    told = partial(_measured, program, neighbours, verdict, _seen(program, neighbours, budget, progress))
    cost = measure(program, neighbours, budget, progress, lambda cost: leave(told(cost)))
    if asking is not None and not cost.is_infinite:
        cost = with_dearest(cost, dearest_run(order_graph(program), neighbours, asking, progress))
    return told(cost)


def _measured(
    program: Program,
    adjacency: Adjacency,
    verdict: Verdict,
    make_seen: Callable[[], Privacy | None],
    cost: Cost,
) -> Privacy:
    """What a cost says, with its evidence."""
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
        make_seen=make_seen,
        assumption=assumption(program),
    )


def _effort(statistics: Statistics) -> dict[str, int]:
    return {"values": statistics.values, "rounds": statistics.rounds, "tables": statistics.tables}


def _seen(
    program: Program, adjacency: Adjacency, budget: Budget | None, progress: Progress
) -> Callable[[], Privacy | None]:
    """How to find what observers learn who see that a run stops; that is nothing else without gaps."""

    def seen() -> Privacy | None:
        whole = completed(program)
        return None if whole is program else privacy(whole, adjacency, budget=budget, progress=progress)

    return cache(seen)


def _of_several(
    program: Program,
    adjacency: Adjacency,
    asking: int | None,
    budget: Budget | None,
    progress: Progress,
    leave: Callable[[Privacy], None],
) -> Privacy:
    """The same for several variables. ``asking``: how many steps the runs have that Z3 is asked about."""
    demand_no_ties(program)
    demand_one_rate(program)
    found = several.decide(program)
    if asking is not None:
        confirm_verdict(found.graph, found.bounded)
    overlapping = overlapping_states(found.graph)
    known = replace(conditions(program), determinism=not overlapping, nondeterministic_states=overlapping)
    if not found.bounded and (blocks := several.under(found.family, adjacency)):
        return _endless(program, adjacency, blocks, found.reason)
    proof = cache(lambda: bounded_certificate(program, found))
    if found.bounded:
        bounded = LossOfRuns(True, Fraction(0), None)
        leave(Privacy(bounded, adjacency, known, proof, assumption=assumption(program)))
    make_seen = _seen(program, adjacency, budget, progress)

    def told(costs: Sequence[AnyCost]) -> Privacy:
        if family := next((cost.family for cost in costs if cost.family), ()):
            return _endless(program, adjacency, family)
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
            make_seen=make_seen,
            assumption=assumption(program),
        )

    def asked(cost: AnyCost) -> AnyCost:
        if asking is None or cost.family:
            return cost
        return with_dearest(cost, dearest_run(found.graph, cost.adjacency, asking, progress))

    ways = ONE_WAY if adjacency == Adjacency.MONOTONIC else (adjacency,)
    costs: list[AnyCost] = []

    def give(cost: AnyCost) -> None:
        if len(costs) + 1 == len(ways):  # the other ways are known
            leave(told([*costs, cost]))

    for way in ways:
        costs += [measure_by_parts(program, found, way, budget, progress, give)]
    return told([asked(cost) for cost in costs])


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
    edges = tuple(dict.fromkeys(step.edge for block in cycles or blocks for step in block.steps))
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


MOST_NAMES = 12
"""How many states a headline names."""


def headline(answer: Privacy) -> str:
    """The answer in a line: what is bounded, by how much, and for whom."""
    amount, no_less = _amount(answer), ""
    if answer.epsilon is not None:
        no_less = ", and no smaller multiple"
    if answer.adjacency in ONE_WAY:
        larger = "larger" if answer.adjacency == Adjacency.INCREASING else "smaller"
        start = f"one way, towards {larger} inputs: "
    else:
        start = {True: "private: ", False: "", None: "undecided: "}[answer.private]
    blurred = listed_or(answer.conditions.indistinct_states, "and")
    if blurred and answer.upper:
        no_less = f"; the outputs do not tell the transitions of {blurred} apart"
    elif blurred and answer.private is None:
        no_less = f", but the outputs do not tell the transitions of {blurred} apart"
    if answer.runs.bounded is False or answer.conditions.coverage:
        return start + amount + no_less
    seen = answer.if_stopping_is_seen
    gaps = answer.conditions.gap_states
    where = f"{listed_or(gaps, 'or')}, whose guards leave {'gaps' if len(gaps) > 1 else 'a gap'}"
    if seen is not None and (seen.runs, seen.private) == (answer.runs, answer.private):
        return f"{start}{amount}{no_less}, whether or not somebody sees that the run stops at {where}"
    if seen is not None and answer.epsilon is not None:
        no_less = ""
    more = "" if seen is None else f"; {_amount(seen)} if somebody does"
    return f"{start}{amount}{no_less} if nobody sees that the run stops at {where}{more}"


def _amount(answer: Privacy) -> str:
    """The loss in words."""
    if answer.runs.bounded is False:
        reason = answer.reason or "the loss has no bound"
        if answer.private is None:
            return "the loss of runs has no bound"
        return f"no bound ({reason})" if answer.adjacency in ONE_WAY else f"not private: {reason}"
    if answer.epsilon is not None:
        return f"ε·{format_rational(answer.epsilon)}"
    if answer.upper is not None and not answer.lower:
        return f"at most ε·{format_rational(answer.upper)}"
    lower = format_rational(answer.lower or Fraction(0))
    return f"between ε·{lower} and ε·{rational_or_inf(answer.upper).replace('inf', '∞')}"


def listed_or(states: Sequence[str], word: str) -> str:
    """Names of states for people, the last one behind ``word``: the first few, and how many more."""
    names = [short_name(state) for state in states[:MOST_NAMES]]
    if len(states) > MOST_NAMES:
        names.append(f"{len(states) - MOST_NAMES} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}" if names else ""
