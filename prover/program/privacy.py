"""Is a threshold program private, and at which ε exactly? The answer, with its proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from prover.certificate.schema import Certificate
from prover.errors import must_be
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency, given_adjacency
from prover.program.decision.certificates import not_private_certificate, verdict_certificate
from prover.program.decision.facts import Verdict, decide
from prover.program.decision.pumping import Block, pump
from prover.program.model import Conditions, Edge, Program, conditions, variables
from prover.program.optimum.certificates import cost_certificate
from prover.program.optimum.optimum import Cost, Witness, measure
from prover.program.optimum.refinement import Budget
from prover.program.several import optimum as several
from prover.program.several.certificates import bounded_certificate, order_cost_certificate
from prover.program.several.order_graph import overlapping_states
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

ASSUMPTION = "inputs range over all real numbers"
"""Under which the answer is exact (docs/theory_programs.md, Theorem C)."""


@dataclass(frozen=True, slots=True)
class Privacy:
    """The privacy of a program: for every ε > 0, the loss of its worst run lies between lower·ε and upper·ε.

    ``private`` is None while undecided. ``lower`` and ``upper`` are None where they are infinite: both if
    the loss has no bound, ``upper`` if no finite one was found. ``reason`` names the structure that makes a
    program not private, ``states`` and ``edges`` are where it is. ``approx`` and ``relaxed`` are the
    papers' upper bounds, and ``approx_bound`` is what the former cannot exceed, by a theorem; they are None
    where they do not apply. ``witness`` is a run that attains lower; if the loss has no bound, ``family`` are
    runs whose loss grows. Where ``conditions`` say that outputs do not distinguish transitions, the bounds
    hold from above only.
    """

    private: bool | None
    lower: Fraction | None
    upper: Fraction | None
    adjacency: str
    conditions: Conditions
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

    @property
    def epsilon(self) -> Fraction | None:
        """The least c for which the program is c·ε-private, where that is known."""
        return self.lower if self.private and self.lower == self.upper else None

    @property
    def certificate(self) -> Certificate | None:
        """The evidence for this answer; None if nothing is known."""
        return self.make_certificate()

    def __str__(self) -> str:
        if self.private is False:
            return f"not private: {self.reason or 'the loss has no bound'}"
        if self.epsilon is not None:
            return f"private: ε·{format_rational(self.epsilon)}, and no smaller multiple"
        lower = format_rational(self.lower or Fraction(0))
        upper = "∞" if self.upper is None else format_rational(self.upper)
        return f"{'private' if self.private else 'undecided'}: between ε·{lower} and ε·{upper}"


def privacy(
    program: Program,
    adjacency: str = Adjacency.ALL_DIFFER,
    *,
    engine: str = AUTO,
    longest: int = LONGEST,
    budget: Budget | None = None,
    progress: Progress = silent,
    on_verdict: Callable[[Privacy], None] | None = None,
) -> Privacy:
    """Whether a program is private, and its exact ε.

    That it is private is known long before its ε; ``on_verdict`` is then called with what is proved so far.

    ``adjacency``: "all-differ" (every input may differ by up to 1), "one-differ" (only one), "increasing" or
    "decreasing" (all, in one direction). With the ``engine`` "smt" Z3 confirms the verdict, and finds what
    the runs of at most ``longest`` steps lose, which is the lower bound then; the upper one is the table's.
    Raises SeveralVariables, UnknownAdjacency and UnknownEngine.

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
    if engine == AUTO and len(variables(program)) > 1:
        return _of_several(program, given_adjacency(adjacency), budget, progress, on_verdict)
    verdict = decide(program)
    if engine == SMT:
        confirm_verdict(program, verdict)
    if not verdict.private:
        blocks = pump(verdict, adjacency)
        if blocks is not None:
            return _structured(program, adjacency, verdict, blocks)
    if verdict.private and on_verdict is not None:
        on_verdict(_private(program, adjacency, verdict))
    cost = measure(program, adjacency, budget, progress)
    if cost.is_infinite:  # under another adjacency the runs of the structure may lose little, and others much
        return _endless(program, adjacency, cost.family)
    if engine == SMT:
        cost = with_dearest(cost, dearest_run(program, adjacency, longest, progress), program)
    statistics = cost.statistics
    return Privacy(
        True if cost.upper is not None or verdict.private else None,
        cost.lower,
        cost.upper,
        adjacency,
        conditions(program),
        cache(lambda: _certificate(program, verdict, cost)),
        approx=cost.approx,
        relaxed=cost.relaxed,
        approx_bound=cost.approx_bound,
        witness=cost.witness,
        effort={"values": statistics.values, "rounds": statistics.rounds, "tables": statistics.tables},
    )


def _of_several(
    program: Program,
    adjacency: Adjacency,
    budget: Budget | None,
    progress: Progress,
    on_verdict: Callable[[Privacy], None] | None,
) -> Privacy:
    """The same for a program of several variables (docs/theory_variables.md)."""
    found = several.decide(program)
    overlapping = overlapping_states(found.graph)
    known = replace(conditions(program), determinism=not overlapping, nondeterministic_states=overlapping)
    if not found.bounded and (blocks := several.under(found.family, adjacency)):
        return _endless(program, adjacency, blocks, found.reason)
    proof = cache(lambda: bounded_certificate(program, found))
    if found.bounded and on_verdict is not None:
        on_verdict(Privacy(True, Fraction(0), None, adjacency, known, proof))
    cost = several.measure(found, adjacency, budget, progress)
    if cost.family:
        return _endless(program, adjacency, cost.family)
    only_bounded = cost.upper is None and found.bounded
    return Privacy(
        True if cost.upper is not None or found.bounded else None,
        cost.lower,
        cost.upper,
        adjacency,
        known,
        proof if only_bounded else cache(lambda: order_cost_certificate(program, cost)),
        witness=cost.witness,
        effort={"values": cost.statistics.values, "rounds": cost.statistics.rounds, "tables": 1},
    )


def _private(program: Program, adjacency: str, verdict: Verdict) -> Privacy:
    """What the table of facts alone proves: some bound holds, for the widest adjacency and so for all."""
    proof = cache(lambda: verdict_certificate(program, verdict))
    return Privacy(True, Fraction(0), None, adjacency, conditions(program), proof)


def _structured(program: Program, adjacency: str, verdict: Verdict, blocks: tuple[Block, ...]) -> Privacy:
    """Not private because of a structure, whose runs have no bound."""
    edges = tuple(dict.fromkeys(edge for stretch in verdict.run for edge in stretch.edges))
    return _not_private(program, adjacency, blocks, verdict.reason, verdict.states, edges)


def _endless(
    program: Program, adjacency: str, blocks: tuple[Block, ...], reason: str | None = None
) -> Privacy:
    """Not private because of cycles, of which there need be no name."""
    repeated = [step.edge for block in blocks if block.repeat for step in block.steps]
    edges = tuple(dict.fromkeys(repeated))
    states = tuple(dict.fromkeys(edge.source for edge in edges))
    return _not_private(program, adjacency, blocks, reason, states, edges)


def _not_private(
    program: Program,
    adjacency: str,
    blocks: tuple[Block, ...],
    reason: str | None,
    states: tuple[str, ...],
    edges: tuple[Edge, ...],
) -> Privacy:
    return Privacy(
        False,
        None,
        None,
        adjacency,
        conditions(program),
        cache(lambda: not_private_certificate(program, blocks, adjacency)),
        reason=reason,
        states=states,
        edges=edges,
        family=blocks,
    )


def _certificate(program: Program, verdict: Verdict, cost: Cost) -> Certificate | None:
    """The proof of the bounds; where there is no bound from above, that of being private at least."""
    if cost.upper is None and verdict.private:
        return verdict_certificate(program, verdict)
    return cost_certificate(program, cost)
