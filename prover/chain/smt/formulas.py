"""Questions about chains as formulas in SMT-LIB 2: what goes into the templates of encodings/.

States are numbered in the order of their names. The formulas and their proofs: docs/formulas.md, *Chains*.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from prover.chain.arguments import rational_alpha
from prover.chain.collapsing.collapse import begun_at
from prover.chain.ld.policy_iteration import distance_one, draft, solve_exactly
from prover.chain.ld.problem import explore
from prover.chain.ld.skew_bisimulation import removal_rounds
from prover.chain.ld.transport import balance
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.smt.liftings import Lifted, all_alike_pairs, dependent_pairs, lifted
from prover.errors import BadOptions, BadValue, BeyondLimit, must_be, quoted
from prover.exact.fmpq import fraction_of
from prover.exact.given import Given, given_rational
from prover.smt.template import render, unknown_problem

PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        "ld-threshold": "is ld from S to T at most THETA? (the CONCUR 2019 paper's formula: QF_NRA)",
        "bd-threshold": "is bd of S and T at most THETA? (the ATVA 2018 paper's formula: QF_NRA)",
        "bd-least-prefixed": "is bd of S and T at most THETA? (with quantifiers; for very small chains)",
        "ld-linear": "is ld from S to T at least THETA? (QF_LRA)",
        "bd-linear": "is bd of S and T at least THETA? (QF_LRA with a Boolean for every pair)",
        "lgd-program": "is lgd from S to T at least THETA? (the linear program over vertices: QF_LRA)",
        "kantorovich-potentials": "is the lifting of a table at S and T at least THETA? (QF_LRA)",
        "kantorovich-couplings": "is the lifting of a table at S and T at most THETA? (QF_LRA)",
        "kernel-round": "is ld from S to T positive: does a round remove the pair? (QF_LRA)",
    }
)
"""The problems and what they ask. All need alpha and a pair, and all but kernel-round a theta."""

WITHOUT_THETA = ("kernel-round",)
WITH_TABLE = ("kantorovich-potentials", "kantorovich-couplings")

LARGEST_QUANTIFIED = 6
"""The most states of a chain in a formula with quantifiers."""


GivenDistances = Mapping[tuple[str, str], Given]
"""Distances of two states by their names."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A question about a pair of states, checked."""

    problem: str
    alpha: Fraction
    pair: Pair
    theta: Fraction
    strict: bool
    status: str | None


def encode(
    chain: LabelledMarkovChain,
    problem: str,
    *,
    alpha: Given | None = None,
    epsilon: Given | None = None,
    source: str | None = None,
    target: str | None = None,
    theta: Given | None = None,
    strict: bool = False,
    table: GivenDistances | None = None,
    status: str | None = None,
) -> str:
    """The formula of a problem (one of ``PROBLEMS``) as SMT-LIB 2 text; see its heading for what sat means.

    ε can be given in place of α, as the logarithm of a rational. ``strict`` compares with < or >, instead of
    ≤ or ≥. ``table`` is the table to be lifted: distances of two states of equal label by their names, 0
    where there is none; without it all are 0, so that the lifting says how far the next label alone
    distinguishes the two. ``status`` is put into the heading: sat or unsat. Raises UnknownName, BadValue,
    BadOptions, BeyondLimit.
    """
    must_be(LabelledMarkovChain, chain=chain)
    if problem not in PROBLEMS:
        raise unknown_problem(problem, PROBLEMS)
    slope = rational_alpha(problem, alpha, epsilon)
    if source is None or target is None:
        raise BadOptions(
            f"{problem} is about two states: give both, the first and the second", code="missing-pair"
        )
    chain = begun_at(chain, source, target)
    pair = chain.index(source), chain.index(target)
    question = _Question(problem, slope, pair, _checked_theta(problem, theta), strict, status)
    if problem == "bd-least-prefixed" and len(chain) > LARGEST_QUANTIFIED:
        raise BeyondLimit(
            f"{problem} has quantifiers over tables and is for at most {LARGEST_QUANTIFIED} states, not "
            f"{len(chain)}; bd-threshold and bd-linear ask the same without quantifiers",
            code="too-many-states",
        )
    if table is not None and problem not in WITH_TABLE:
        raise BadValue(f"{problem} has no use for a table; leave it out", code="bad-table")
    if problem in WITH_TABLE:
        return _lifting(chain, question, _checked_table(chain, table or {}))
    return _FORMULAS[problem](chain, question)


def _checked_theta(problem: str, theta: Given | None) -> Fraction:
    if problem in WITHOUT_THETA:
        if theta is not None:
            raise BadValue(f"{problem} has no use for theta; leave it out", code="bad-theta")
        return Fraction(0)
    if theta is None:
        raise BadValue(
            f"{problem} compares with a threshold: give theta, a rational such as 1/4", code="bad-theta"
        )
    return given_rational(theta, "theta", "bad-theta", at_least=0, at_most=1)


def _checked_table(chain: LabelledMarkovChain, given: GivenDistances) -> dict[Pair, Fraction]:
    table = dict.fromkeys(all_alike_pairs(chain), Fraction(0))
    for (s, t), value in given.items():
        pair = chain.index(s), chain.index(t)
        if pair not in table:
            raise BadValue(
                f"{quoted(s)} and {quoted(t)} are no two different states of equal label", code="bad-table"
            )
        what = f"the table's number at {quoted(s)}, {quoted(t)}"
        table[pair] = given_rational(value, what, "bad-table", at_least=0, at_most=1)
    return table


def _filled(chain: LabelledMarkovChain, question: _Question, **values: object) -> str:
    s, t = question.pair
    return render(
        question.problem,
        alpha=question.alpha,
        theta=question.theta,
        strict=question.strict,
        status=question.status,
        s=s,
        t=t,
        states=[
            (json.dumps(name), json.dumps(label))
            for name, label in zip(chain.states, chain.labels, strict=True)
        ],
        **values,
    )


Naming = Callable[[int, int], str]


def _names(
    chain: LabelledMarkovChain,
    letter: str = "d",
    *,
    symmetric: bool = False,
    zero: frozenset[Pair] = frozenset(),
    one: frozenset[Pair] = frozenset(),
) -> Naming:
    """How a formula writes the distance from one state to another: a variable or a constant."""

    def name(i: int, j: int) -> str:
        if chain.labels[i] != chain.labels[j] or (i, j) in one:
            return "1.0"
        if i == j or (i, j) in zero:
            return "0.0"
        low, high = (min(i, j), max(i, j)) if symmetric else (i, j)
        return f"{letter}.{low}.{high}"

    return name


def _ld_threshold(chain: LabelledMarkovChain, question: _Question) -> str:
    alike = dependent_pairs(chain, question.alpha, [question.pair])
    pairs = [lifted(chain, question.alpha, pair) for pair in alike]
    return _filled(chain, question, pairs=pairs, d=_names(chain))


def _bd_threshold(chain: LabelledMarkovChain, question: _Question) -> str:
    alike = dependent_pairs(chain, question.alpha, [question.pair], both_ways=True)
    pairs = [lifted(chain, question.alpha, pair) for pair in alike]
    return _filled(chain, question, pairs=pairs, d=_names(chain, symmetric=True))


def _bd_least_prefixed(chain: LabelledMarkovChain, question: _Question) -> str:
    pairs = []
    for s, t in all_alike_pairs(chain):
        gains = balance(chain.rows[s], chain.rows[t], question.alpha)
        pairs.append({"source": s, "target": t, "all": gains})
    d, other = _names(chain, symmetric=True), _names(chain, "x", symmetric=True)
    return _filled(chain, question, alike=all_alike_pairs(chain), pairs=pairs, d=d, other=other)


def _ld_linear(chain: LabelledMarkovChain, question: _Question) -> str:
    problem = explore(chain, question.alpha, [question.pair])
    kernel = frozenset(removal_rounds(problem.parts, problem.alpha).related)
    ones = frozenset(distance_one(problem, kernel))
    pairs = [lifted(chain, question.alpha, pair) for pair in problem.parts if pair not in kernel | ones]
    return _filled(chain, question, pairs=pairs, d=_names(chain, zero=kernel, one=ones))


@dataclass(frozen=True, slots=True)
class _BothWays:
    """The liftings of an unordered pair in its two directions."""

    forth: Lifted
    back: Lifted

    @property
    def states(self) -> tuple[int, ...]:
        return tuple(sorted({*self.forth.states, *self.back.states}))

    @property
    def arcs(self) -> tuple[Pair, ...]:
        return tuple(sorted({*self.forth.arcs, *self.back.arcs}))


def _bd_linear(chain: LabelledMarkovChain, question: _Question) -> str:
    alike = dependent_pairs(chain, question.alpha, [question.pair], both_ways=True)
    pairs = [
        _BothWays(lifted(chain, question.alpha, (i, j)), lifted(chain, question.alpha, (j, i)))
        for i, j in alike
        if i < j
    ]
    rank = _names(chain, "r", symmetric=True)
    return _filled(chain, question, pairs=pairs, d=_names(chain, symmetric=True), rank=rank)


def _lgd_program(chain: LabelledMarkovChain, question: _Question) -> str:
    sketch = draft(explore(chain, question.alpha, [question.pair]))
    solution = solve_exactly(sketch)
    kernel = frozenset(sketch.kernel.related)
    pairs = [
        {
            "pair": pair,
            "weights": [(i, j, fraction_of(w)) for (i, j), w in sorted(coupling.weights.items()) if w != 0],
            "behind": fraction_of(coupling.behind),
        }
        for pair, coupling in sorted(solution.couplings.items())
        if pair not in kernel
    ]
    return _filled(chain, question, pairs=pairs, d=_names(chain, zero=kernel))


def _lifting(chain: LabelledMarkovChain, question: _Question, table: Mapping[Pair, Fraction]) -> str:
    entered, x, y = _entered(chain, question.pair)
    arcs = [(i, j) for i, j in table if i in entered]
    return _filled(chain, question, table=table, entered=entered, arcs=arcs, x=x, y=y)


def _kernel_round(chain: LabelledMarkovChain, question: _Question) -> str:
    alike = all_alike_pairs(chain)
    problem = explore(chain, question.alpha, alike)
    ranks = removal_rounds(problem.parts, problem.alpha).ranks
    s, t = question.pair
    rank = 0 if chain.labels[s] != chain.labels[t] else ranks.get((s, t), max(ranks.values(), default=0) + 1)
    left = [pair for pair in alike if ranks.get(pair, rank) >= rank]
    entered, x, y = _entered(chain, question.pair)
    return _filled(chain, question, alike=alike, rank=rank, left=left, entered=entered, x=x, y=y)


def _entered(
    chain: LabelledMarkovChain, pair: Pair
) -> tuple[list[int], dict[int, Fraction], dict[int, Fraction]]:
    """The states of all labels that one of the two enters, and the two distributions there."""
    x, y = (chain.rows[state] for state in pair)
    labels = {chain.labels[k] for k in x.keys() | y.keys()}
    entered = [k for k, label in enumerate(chain.labels) if label in labels]
    zero = Fraction(0)
    return entered, {k: x.get(k, zero) for k in entered}, {k: y.get(k, zero) for k in entered}


_FORMULAS: Mapping[str, Callable[[LabelledMarkovChain, _Question], str]] = MappingProxyType(
    {
        "ld-threshold": _ld_threshold,
        "bd-threshold": _bd_threshold,
        "bd-least-prefixed": _bd_least_prefixed,
        "ld-linear": _ld_linear,
        "bd-linear": _bd_linear,
        "lgd-program": _lgd_program,
        "kernel-round": _kernel_round,
    }
)
