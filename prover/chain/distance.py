"""Distances of a labelled Markov chain or decision process, for one pair, the relation, or all pairs.

Reference: docs/theory.md; docs/theory_interactive.md, *Distances*; ld and lgd are defined in "Asymmetric
Distances for Approximate Differential Privacy" (CONCUR 2019), Sections 6 and 7, and are the same number by
Theorem A.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, Literal

from prover.certificate.schema import Certificate
from prover.chain.answer import Distance, DistanceTable, PairBounds
from prover.chain.arguments import Slope, given_slope
from prover.chain.collapsing.collapse import begun_anywhere, queried_system, secrets
from prover.chain.kinds import ALL_KINDS, AUTO, BOUNDS, ENGINES, FORMULA_ENGINES, KINDS, RELATIONS, known_name
from prover.chain.ld.certificates import certify
from prover.chain.ld.found import Bound, DistanceQuestion, FoundBounds
from prover.chain.model import Pair
from prover.chain.process import LabelledMarkovDecisionProcess, System
from prover.chain.secrets import query_pairs
from prover.errors import BadOptions, BadValue, NotSupported, UnknownName, must_be, quoted
from prover.exact.given import Given, given_integer
from prover.exact.rational import format_rational
from prover.progress import Progress, silent

_SAME, _APART = Fraction(0), Fraction(1)
_OF_CHAINS = {
    "lgd": "kind lgd is for chains: where an attacker chooses, the greatest fixed point is another number; "
    "ask for ld",
    "kernel": "kind kernel is for chains; where an attacker chooses, ask whether ld is 0",
}


def unknown_kind(kind: str) -> UnknownName:
    """There is no distance of the given name."""
    return UnknownName(
        f"there is no distance {quoted(kind)}; the kinds are {', '.join(KINDS)}", code="unknown-kind"
    )


def unfit_engine(engine: str, what: str) -> NotSupported:
    """An engine is asked for something that it cannot find."""
    return NotSupported(f"engine {engine} does not find {what}; ask for engine auto", code="unfit-engine")


def distance(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    kind: str = "ld",
    engine: str = AUTO,
    bounds: str = BOUNDS[0],
    max_bits: int | None = None,
    merge: bool = False,
    jobs: int = 1,
    progress: Progress = silent,
    on_interval: Callable[[Distance], None] | None = None,
) -> Distance:
    """The distance from state ``source`` to state ``target``; without them, the largest over the relation.

    ``chain`` is a Markov chain or a decision process. For a process, the distance is the least table that no
    action of any pair exceeds when the table is lifted to the successors, and δ against every attacker is at
    most the distance. Then ``kind`` is "ld", "bd" or "bisimilarity" (under all actions); ``engine``,
    ``bounds``, ``max_bits`` and ``jobs`` are for chains.

    ``kind`` is "ld" or "lgd" (in [0, 1]; needs rational ``alpha`` ≥ 1), "bd" (the same, symmetric), "kernel"
    (0 if ld is 0, else 1), or "bisimilarity" (0 or 1, no alpha). The answer is exact, and takes all states of
    the chain into account, reachable or not. It is an interval if ``bounds`` is "upper", which asks for an
    upper bound from the supports alone, or if an exact number would have more than ``max_bits`` bits.
    ``on_interval`` is called with intervals on the way: at once with what one step says, and with a narrow
    one if the exact answer may take long.

    With ``merge``, bisimilar states count as one: for ld, lgd and bd, the distance is that of the quotient.
    It is an upper bound of δ, too, is never larger, and may be smaller (docs/theory.md, *The quotient*).

    Where states have many successors, ``jobs`` processes work at the same time and find the same.

    In place of α you can give ε, a rational or the logarithm of one ("ln 6/5"). If e^ε is irrational, the
    distance is that at a rational number just below e^ε, which is an upper bound of δ at ε (these distances
    need not fall as α grows, but δ does).

    ``engine`` is "lp" (linear programs, the choice of "auto"), or, for ld, lgd and bd of a pair or the
    relation, "linear" or "nonlinear": then Z3 answers formulas (docs/formulas.md). If Z3 gives up on one, the
    answer is an interval. Answers and certificates are the same for all engines.

    Raises UnknownName, BadValue, BadOptions, NotSupported.

        >>> from prover.zoo import pin_checker, randomised_response
        >>> distance(pin_checker(), "0", "1", "11/10").value
        Fraction(412, 7791)
        >>> distance(randomised_response(), alpha="6/5")
        <Distance: max ld_6/5 = ld_6/5(a, b) = 4/15 (0.266666…)>
        >>> distance(pin_checker(), "0", "1", "11/10", bounds="upper")
        <Distance: 0.012999 <= ld_11/10(0, 1) <= 0.052882>
        >>> from prover.zoo.interactive import doors, wait
        >>> distance(wait(), "t", "s", "6/5").value
        Fraction(2, 5)
        >>> distance(doors(), alpha=2)
        <Distance: max ld_2 = ld_2(s, t) = 1/4 (0.25)>

    Reference: docs/theory.md, *Theorem A*; docs/theory_interactive.md, *Distances*.
    """
    system = queried_system(chain, source, target)
    _check_options(system, kind, engine, bounds, max_bits, jobs)
    slope = checked_slope(kind, alpha, epsilon)
    budget = _budget(kind, slope, engine, bounds, max_bits, merge=merge, jobs=jobs)
    system, queries = query_pairs(system, source, target)

    def answer(found: FoundBounds) -> Distance:
        return _over_pairs(system, budget, found, queries, slope, named=source is not None)

    report = None if on_interval is None else lambda found: on_interval(answer(found))
    return answer(_find(system, budget, queries, progress, report))


def distances(
    chain: System,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    kind: str = "ld",
    engine: str = AUTO,
    bounds: str = BOUNDS[0],
    max_bits: int | None = None,
    merge: bool = False,
    jobs: int = 1,
    progress: Progress = silent,
    on_interval: Callable[[DistanceTable], None] | None = None,
) -> DistanceTable:
    """The distances of all ordered pairs of states; arguments and errors as for ``distance``.

    >>> from prover.zoo import randomised_response
    >>> table = distances(randomised_response(), "6/5")
    >>> table.exact, table.lower["a", "b"], table.lower["b", "a"]
    (True, Fraction(4, 15), Fraction(4, 15))
    """
    system = begun_anywhere(queried_system(chain))
    _check_options(system, kind, engine, bounds, max_bits, jobs)
    if engine in FORMULA_ENGINES:
        raise unfit_engine(engine, "the distances of all pairs")
    slope = checked_slope(kind, alpha, epsilon)
    budget = _budget(kind, slope, engine, bounds, max_bits, merge=merge, jobs=jobs)
    budget = replace(budget, all_pairs=True)
    everything = list(product(range(len(system)), range(len(system))))

    def answer(found: FoundBounds) -> DistanceTable:
        return _over_all(system, budget, found, secrets(system), slope)

    report = None if on_interval is None else lambda found: on_interval(answer(found))
    return answer(_find(system, budget, everything, progress, report))


def largest(
    system: System, pairs: Iterable[Pair], alpha: Fraction, kind: Literal["ld", "bd"], progress: Progress
) -> Fraction:
    """The largest distance of some pairs of states, or an upper bound where exact numbers are too long."""
    queries = list(pairs)
    found = _find(system, DistanceQuestion(kind, alpha, False, None), queries, progress, None)
    return max(_bound(system, found.upper, pair) for pair in queries)


def _find(
    system: System,
    question: DistanceQuestion,
    queries: Sequence[Pair],
    progress: Progress,
    report: Callable[[FoundBounds], None] | None,
) -> FoundBounds:
    """What an engine finds; δ, which also asks about pairs, does not wait for the engines of distances."""
    from prover.chain.dispatch import find

    return find(system, question, queries, progress, report)


def _over_pairs(
    system: System,
    budget: DistanceQuestion,
    found: FoundBounds,
    queries: Sequence[Pair],
    slope: Slope | None,
    *,
    named: bool,
) -> Distance:
    """The answer about a pair that is ``named``, or about the largest distance of several pairs."""
    lower = {pair: _bound(system, found.lower, pair) for pair in queries}
    upper = max(_bound(system, found.upper, pair) for pair in queries)
    best = max(queries, key=lambda pair: (lower[pair], -pair[0], -pair[1]))
    source, target = (system.states[s] for s in best)
    claim = _claim(budget, slope) | {"scope": "pair" if named else "relation", "from": source, "to": target}
    if budget.kind in RELATIONS:
        claim["value"] = str(upper)
    else:
        claim |= {"lower": format_rational(lower[best]), "upper": format_rational(upper)}
    return Distance(
        budget.kind,
        budget.alpha,
        source,
        target,
        lower[best],
        upper,
        found.engine,
        not named,
        cache(lambda: certify(system, claim, found.evidence())),
        found.effort,
        epsilon=None if slope is None else slope.epsilon,
        chain=system,
        merged=budget.merge,
        from_delta=found.from_delta,
    )


def _over_all(
    system: System, budget: DistanceQuestion, found: FoundBounds, begins: Sequence[int], slope: Slope | None
) -> DistanceTable:
    """The answer about all pairs of states where runs begin.

    The certificate is about all pairs of states of the system.
    """
    exact = found.upper is found.lower
    lower = _table(system, found.lower, begins)
    upper = lower if exact else _table(system, found.upper, begins)

    def certificate() -> Certificate:
        claim = _claim(budget, slope) | {"scope": "all-pairs"}
        if budget.kind not in RELATIONS:
            claim["width"] = format_rational(Fraction(0) if exact else _width(system, found))
        return certify(system, claim, found.evidence())

    return DistanceTable(
        budget.kind,
        budget.alpha,
        tuple(system.states[s] for s in begins),
        lower,
        upper,
        found.engine,
        cache(certificate),
        found.effort,
        epsilon=None if slope is None else slope.epsilon,
        chain=system,
        merged=budget.merge,
    )


def _width(system: System, found: FoundBounds) -> Fraction:
    """The width of the widest interval of two states."""
    states = range(len(system))
    return max(
        _bound(system, found.upper, pair) - _bound(system, found.lower, pair)
        for pair in product(states, states)
    )


def _check_options(
    system: System, kind: str, engine: str, bounds: str, max_bits: int | None, jobs: int
) -> None:
    """Raises NotSupported where something is asked for of a process that only chains have."""
    if not isinstance(system, LabelledMarkovDecisionProcess):
        return
    for name, wanted in (
        ("engine", engine != AUTO),
        ("bounds", bounds != BOUNDS[0]),
        ("max_bits", max_bits is not None),
        ("jobs", jobs != 1),
    ):
        if wanted:
            raise NotSupported(
                f"{name} is for distances of chains; where an attacker chooses there is one way to find them",
                code="not-interactive",
            )
    if kind in _OF_CHAINS:
        raise NotSupported(_OF_CHAINS[kind], code="not-interactive")


def _budget(
    kind: str, slope: Slope | None, engine: str, bounds: str, max_bits: int | None, *, merge: bool, jobs: int
) -> DistanceQuestion:
    known_kind, known_engine = known_name(kind, KINDS), known_name(engine, ENGINES)
    if known_kind is None:
        raise unknown_kind(kind)
    if known_engine is None:
        raise UnknownName(
            f"there is no engine {quoted(engine)} for distances; the engines are {', '.join(ENGINES)}",
            code="unknown-engine",
        )
    if known_engine != AUTO and kind in RELATIONS:
        raise unfit_engine(engine, f"kind {kind}")
    if engine in FORMULA_ENGINES and bounds == "upper":
        raise unfit_engine(engine, "upper bounds alone")
    if bounds not in BOUNDS:
        raise UnknownName(
            f"there are no bounds {quoted(bounds)}; ask for both or upper", code="unknown-bounds"
        )
    must_be(bool, merge=merge)
    must_be(int, jobs=jobs)
    if merge and kind in RELATIONS:
        raise BadOptions(
            f"merge is for ld, lgd and bd; kind {kind} is about the states as they are", code="unfit-merge"
        )
    if max_bits is not None:
        max_bits = given_integer(max_bits, "max_bits")
    if max_bits is not None and max_bits < 1:
        raise BadValue(
            f"the limit on the length of numbers is at least 1 bit, not {max_bits}", code="bad-budget"
        )
    chosen = "lp" if known_engine == AUTO else known_engine
    alpha = None if slope is None else slope.upper
    return DistanceQuestion(known_kind, alpha, bounds == "upper", max_bits, chosen, merge, jobs)


def checked_slope(kind: str, alpha: Given | None, epsilon: Given | None = None) -> Slope | None:
    """The α or ε of a kind that has one, and None for bisimilarity.

    Raises UnknownName, BadValue, BadOptions.
    """
    if known_name(kind, ALL_KINDS) is None:
        raise unknown_kind(kind)
    if kind != "bisimilarity":
        return given_slope(kind, alpha, epsilon)
    if alpha is not None:
        raise BadValue("bisimilarity has no alpha; leave it out", code="bad-alpha")
    if epsilon is not None:
        raise BadValue("bisimilarity has no epsilon; leave it out", code="bad-epsilon")
    return None


def _table(system: System, bound: Bound, states: Sequence[int]) -> PairBounds:
    """The bounds of all ordered pairs of some states, by their names."""
    return PairBounds({system.states[s]: s for s in states}, lambda pair: _bound(system, bound, pair))


def _bound(system: System, bound: Bound, pair: Pair) -> Fraction:
    s, t = pair
    if s == t:
        return _SAME
    return _APART if system.labels[s] != system.labels[t] else bound(pair)


def _claim(budget: DistanceQuestion, slope: Slope | None) -> dict[str, Any]:
    merged = {"quotient": "bisimilarity"} if budget.merge else {}
    return {"kind": budget.kind, **({} if slope is None else slope.claim(upper=True)), **merged}
