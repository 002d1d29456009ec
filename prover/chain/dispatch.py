"""Which computation answers a question about distances: exact, or an interval where a budget asks for one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

from prover.chain.ahead import ahead
from prover.chain.bisimulation import bisimilarity, numbers_of
from prover.chain.kinds import FORMULA_ENGINES, RELATIONS
from prover.chain.ld.certificates import (
    bisimilarity_evidence,
    exact_evidence,
    interval_evidence,
    kernel_evidence,
)
from prover.chain.ld.first import after_one_step, keeping, narrowing
from prover.chain.ld.found import TRIVIAL, DistanceQuestion, FoundBounds, largest, of_states
from prover.chain.ld.greedy import greedy_enclosure
from prover.chain.ld.interval import Enclosure, enclose, unrounded
from prover.chain.ld.options.certificates import exact_evidence as evidence_of_options
from prover.chain.ld.options.certificates import interval_evidence as interval_of_options
from prover.chain.ld.options.improvement import guided_choice, improve
from prover.chain.ld.options.interval import enclose as enclose_options
from prover.chain.ld.options.problem import TooManyOptions
from prover.chain.ld.options.problem import explore as explore_options
from prover.chain.ld.policy_iteration import Solution, draft, solve_exactly
from prover.chain.ld.problem import LargeProblem, Problem, explore
from prover.chain.ld.skew_bisimulation import Kernel, removal_rounds
from prover.chain.ld.symmetric import (
    Oriented,
    draft_symmetric,
    opposite_couplings,
    solve_symmetrically,
)
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Coupling, Part
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.process import LabelledMarkovDecisionProcess, System, quotient_of
from prover.chain.smt.bisection import Asker
from prover.chain.smt.enclosed import find_by_formulas
from prover.chain.symmetry import Orbits, generators
from prover.chain.unrolling.lower_ends import MOST_NODES, LowerEnds, lower_ends
from prover.chain.unrolling.refinement import FEW_NODES
from prover.exact.refinement import TooLong
from prover.progress import Progress

LONGEST = 332_000
"""Bits; the numbers of certificates have at most 100,000 digits (docs/certificates.md)."""

LARGE_TABLE = 5_000
"""From so many ordered pairs of states of equal label on, bounds that need few of them are found first."""

MANY_QUERIES = 100
"""From so many queried pairs on, few nodes are unrolled before bounds from above are found."""

MANY_PAIRS = 2_000
"""Symmetries are looked for in chains of at least so many ordered pairs of states of equal label."""

_LONG_WORK = 10_000  # bits of denominators from which an interval is offered before the exact answer
_LONG_WORK_OF_PROCESSES = 1_000_000  # the same for processes, where the interval takes longer
_MOST_PAIRS_OF_PROCESSES = 1_000_000  # ordered pairs of states, which need some gigabytes
_NEARLY = Fraction(1, 2**20)  # how close bounds are that may be the same but for rounding
_SHORT = 4_096  # bits of numbers for which that is tried


def find(
    chain: System,
    budget: DistanceQuestion,
    queries: Sequence[Pair],
    progress: Progress,
    on_interval: Callable[[FoundBounds], None] | None,
) -> FoundBounds:
    """Bounds for the queried pairs. ``on_interval`` may be called with wider ones on the way.

    For distances it is called at once: with 0 and 1, and with what one step says of the pairs. No later call
    has a lower end below these, or an upper one above.
    """
    if budget.merge:
        return _find_merged(chain, replace(budget, merge=False), queries, progress, on_interval)
    if budget.alpha is None:
        return _find_bisimilarity(chain)
    symmetric = budget.kind == "bd"
    if on_interval is not None and budget.kind not in RELATIONS:
        on_interval(TRIVIAL)
        on_interval = narrowing(chain, budget, budget.alpha, queries, on_interval)
    progress("pairs", 0, None)
    if isinstance(chain, LabelledMarkovDecisionProcess):
        return _find_by_strategies(chain, budget, budget.alpha, queries, progress, on_interval)
    if _is_large(chain, budget, queries):
        if on_interval is not None:
            size = _pairs_of(chain)
            early = ahead(chain, budget, budget.alpha, queries, progress, on_interval, size=size)
            if budget.upper_only and largest(early.lower, queries) == 1:
                return early
            on_interval = keeping(early, chain, budget, queries, on_interval)
        if not budget.upper_only and not budget.all_pairs:
            found = _look_ahead(chain, budget, budget.alpha, queries, progress, on_interval)
            if largest(found.lower, queries) == largest(found.upper, queries):
                return found
    problem = replace(_explored(chain, budget, budget.alpha, queries), jobs=budget.jobs)
    if budget.kind == "kernel":
        return _find_kernel(chain, problem)
    if budget.engine in FORMULA_ENGINES:
        asker = Asker(chain, budget.alpha, budget.engine, symmetric)

        def by_programs(upper_only: bool) -> FoundBounds:
            return _find_by_programs(chain, problem, replace(budget, upper_only=upper_only), progress, None)

        return find_by_formulas(asker, queries, progress, on_interval, by_programs)
    return _find_by_programs(chain, problem, budget, progress, on_interval)


def _is_large(chain: LabelledMarkovChain, budget: DistanceQuestion, queries: Sequence[Pair]) -> bool:
    """Whether some pairs are queried, of equal label, in a chain that has a large table of pairs."""
    asked = budget.engine in FORMULA_ENGINES or budget.kind in RELATIONS
    if asked or _pairs_of(chain) < LARGE_TABLE:
        return False
    alike = all(chain.labels[s] == chain.labels[t] for s, t in queries)
    return budget.all_pairs or (alike and any(s != t for s, t in queries))


def _pairs_of(chain: LabelledMarkovChain) -> int:
    return sum(many * (many - 1) for many in Counter(chain.labels).values())


def _look_ahead(
    chain: LabelledMarkovChain,
    budget: DistanceQuestion,
    alpha: Fraction,
    queries: Sequence[Pair],
    progress: Progress,
    on_interval: Callable[[FoundBounds], None] | None,
) -> FoundBounds:
    """Bounds that need no table of all pairs: below what events gain, above the couplings that the pairs use.

    Where the largest of both are nearly the same, the couplings are evaluated exactly: they may be the same.
    Events of many pairs take long, and so they are looked for in earnest only after the couplings.
    """

    def report(below: LowerEnds, above: FoundBounds = TRIVIAL) -> FoundBounds:
        found = above
        if largest(below.value, queries) > largest(above.lower, queries):
            found = replace(
                above,
                lower=below.value,
                engine="unrolling" if above is TRIVIAL else above.engine,
                evidence=lambda: {**above.evidence(), "lower": below.evidence()},
                from_delta=True,
            )
        if on_interval is not None:
            on_interval(found)
        return found

    def look(nodes: int) -> LowerEnds:
        both_ways = budget.kind == "bd"
        return lower_ends(
            chain, queries, alpha, both_ways=both_ways, nodes=nodes, progress=progress, on_found=report
        )

    many = len(queries) >= MANY_QUERIES
    below = look(FEW_NODES if many else MOST_NODES)
    found = report(below)
    if largest(below.value, queries) == 1:
        return found
    light = replace(budget, upper_only=True)
    problem = replace(_explored(chain, light, alpha, queries), jobs=budget.jobs)

    def is_near(above: FoundBounds) -> bool:
        nonlocal below
        if many:
            report(below, above)
            below = look(MOST_NODES)
        least = largest(below.value, queries)
        return 0 < largest(above.upper, queries) - least < _NEARLY and least < 1

    def hear(above: FoundBounds) -> None:
        report(below, above)

    found = _find_by_programs(chain, problem, light, progress, hear, is_near)
    return report(below, found) if largest(below.value, queries) < 1 else report(below)


def _find_merged(
    system: System,
    budget: DistanceQuestion,
    queries: Sequence[Pair],
    progress: Progress,
    on_interval: Callable[[FoundBounds], None] | None,
) -> FoundBounds:
    """Bounds for the classes that the queried states are in, in the system where bisimilar states are one."""
    alike = bisimilarity(system)
    class_of = numbers_of(alike.classes)

    def report(found: FoundBounds) -> None:
        if on_interval is not None:
            on_interval(of_states(found, alike))

    pairs = sorted({(class_of[s], class_of[t]) for s, t in queries})
    return of_states(find(quotient_of(system, alike.classes), budget, pairs, progress, report), alike)


def _explored(
    chain: LabelledMarkovChain, budget: DistanceQuestion, alpha: Fraction, queries: Sequence[Pair]
) -> Problem:
    """The pairs that the queried ones lead to, one of all that symmetries exchange where these are used.

    Symmetries are looked for where there are many pairs. Formulas are about every pair by itself.
    """
    outside = not budget.upper_only or budget.kind == "kernel"
    look = partial(explore, chain, alpha, queries, outside=outside, both_ways=budget.kind == "bd")
    if _pairs_of(chain) < MANY_PAIRS or budget.engine in FORMULA_ENGINES:
        return look()
    if not outside:
        with suppress(LargeProblem):
            return look(most=MANY_PAIRS)
    return look(orbits=Orbits(generators(chain)))


def _find_bisimilarity(system: System) -> FoundBounds:
    found = bisimilarity(system)
    class_of = numbers_of(found.classes)

    def value(pair: Pair) -> Fraction:
        return Fraction(class_of[pair[0]] != class_of[pair[1]])

    return FoundBounds(value, value, "refinement", lambda: bisimilarity_evidence(found))


def _find_by_strategies(
    process: LabelledMarkovDecisionProcess,
    budget: DistanceQuestion,
    alpha: Fraction,
    queries: Sequence[Pair],
    progress: Progress,
    on_interval: Callable[[FoundBounds], None] | None,
) -> FoundBounds:
    """The distances where an attacker chooses; an interval where numbers would be too long for certificates.

    An interval is also reported before long work. Where there are too many pairs, it is what one step says.
    """
    symmetric = budget.kind == "bd"
    try:
        problem = explore_options(process, alpha, queries, symmetric=symmetric, most=_MOST_PAIRS_OF_PROCESSES)
    except TooManyOptions:
        return after_one_step(process, alpha, queries, symmetric=symmetric) or TRIVIAL
    choice = guided_choice(problem, progress)

    def interval() -> FoundBounds:
        found = enclose_options(problem, choice, progress)
        lower, upper = found.lower.table.value, found.upper.value
        return FoundBounds(lower, upper, "strategies", lambda: interval_of_options(process, found))

    if on_interval is not None and _size(problem.liftings().values()) >= _LONG_WORK_OF_PROCESSES:
        on_interval(interval())
    try:
        found = improve(problem, choice, progress, max_bits=LONGEST)
        _check_length(found.table)
    except TooLong:
        return interval()
    exact = found.table.value
    return FoundBounds(exact, exact, "strategies", lambda: evidence_of_options(process, found), found.effort)


def _find_kernel(chain: LabelledMarkovChain, problem: Problem) -> FoundBounds:
    kernel = removal_rounds(problem.parts, problem.alpha, problem.orders, jobs=problem.jobs)

    def value(pair: Pair) -> Fraction:
        return Fraction(problem.key(pair) in kernel.ranks)

    return FoundBounds(value, value, "refinement", lambda: kernel_evidence(chain, problem, kernel))


def _find_by_programs(
    chain: LabelledMarkovChain,
    problem: Problem,
    budget: DistanceQuestion,
    progress: Progress,
    on_interval: Callable[[FoundBounds], None] | None,
    is_near: Callable[[FoundBounds], bool] | None = None,
) -> FoundBounds:
    """ld of all pairs of the problem by linear programs, or bd by those of an orientation.

    Where there are many pairs, ``on_interval`` hears of what one pass without linear programs says. An upper
    bound that ``is_near`` what it may be is computed exactly, where its numbers are short.
    """

    def on_kernel(kernel: Kernel) -> None:
        if on_interval is not None and len(problem.parts) >= LARGE_TABLE:
            on_interval(_interval(chain, greedy_enclosure(problem, kernel.related), None, {}))

    oriented: Oriented | None = None
    if budget.kind == "bd":
        oriented, sketch = draft_symmetric(problem, progress)
    else:
        sketch = draft(problem, progress, on_kernel=on_kernel)
    effort_so_far = {"pairs": len(sketch.problem.parts), "rounds": sketch.guide.rounds}

    @cache
    def interval() -> FoundBounds:
        opposite = None if oriented is None else opposite_couplings(problem, oriented, sketch)
        return _interval(chain, enclose(sketch, opposite, progress), oriented, effort_so_far)

    def solved(most: int) -> tuple[Solution, Mapping[Pair, Coupling], Oriented | None]:
        if oriented is None:
            return solve_exactly(sketch, progress, max_bits=most), {}, None
        found = solve_symmetrically(problem, (oriented, sketch), progress, max_bits=most)
        return found.solution, found.opposite, found.oriented

    if budget.upper_only:
        rounded = interval()
        if is_near is None or not is_near(rounded):
            return rounded
        with suppress(TooLong):
            solution, opposite, chosen = solved(min(_SHORT, _limit(budget)))
            return _interval(chain, unrounded(solution, opposite), chosen, effort_so_far)
        return rounded
    if on_interval is not None and _size(problem.parts.values()) >= _LONG_WORK:
        on_interval(interval())
    try:
        solution, opposite, chosen = solved(_limit(budget))
        _check_length(solution.table)
    except TooLong:
        return interval()
    value = solution.table.value
    effort = {
        "pairs": len(solution.problem.parts),
        "rounds": solution.effort.guide_rounds,
        "exact rounds": solution.effort.exact_rounds,
        "largest component": solution.effort.largest_component,
    }
    return FoundBounds(value, value, "lp", lambda: exact_evidence(chain, solution, opposite, chosen), effort)


def _limit(budget: DistanceQuestion) -> int:
    return LONGEST if budget.max_bits is None else min(LONGEST, budget.max_bits)


def _check_length(table: DistanceValues) -> None:
    """Raise TooLong if no certificate holds the table: its values may be short, their denominator is not."""
    if int(table.denominator).bit_length() > LONGEST:
        raise TooLong(f"the table's denominator has more than {LONGEST} bits")


def _size(liftings: Iterable[tuple[Part, ...]]) -> int:
    amounts = (b for parts in liftings for p in parts for b in (*p.supplies, *p.capacities))
    return sum(int(b.q).bit_length() for b in amounts)


def _interval(
    chain: LabelledMarkovChain, found: Enclosure, oriented: Oriented | None, effort: Mapping[str, int]
) -> FoundBounds:
    return FoundBounds(
        found.lower.table.value,
        found.upper.table.value,
        "lp",
        lambda: interval_evidence(chain, found, oriented),
        effort,
    )
