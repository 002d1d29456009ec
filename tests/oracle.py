"""Slow, exact, plain `fractions.Fraction` versions of the quantities of chains, for tests only.

Nothing here shares a line with the prover: not its linear programs, not its liftings, not its kernels. Linear
programs and systems (`tests/oracle_linear.py`) and fixed points confirm themselves before they are returned.

Reading order: the lifting, the operators Γ, their relations, their fixed points, words.

Tables are full: `d[i][j]` for all states i, j, with 0 on the diagonal and 1 where labels differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from tests.oracle_linear import OracleFault, solve_linear, solve_program
from tests.oracle_linear import lp_max as lp_max

if TYPE_CHECKING:
    from prover.chain.model import LabelledMarkovChain

Pair = tuple[int, int]
Table = list[list[Fraction]]
Measure = Mapping[int, Fraction]
Words = dict[tuple[tuple[Fraction, ...], tuple[Fraction, ...]], int]
ZERO, ONE = Fraction(0), Fraction(1)
GRAIN = 2**60


# The lifting ---------------------------------------------------------------------------------------------


class Lifted(NamedTuple):
    """K(d)(x,y) with potentials f that attain the maximum, and (ω, Σ η) that attains the minimum."""

    value: Fraction
    potentials: dict[int, Fraction]
    coupling: dict[Pair, Fraction]
    lost: Fraction


def lift(d: Table, x: Measure, y: Measure, alpha: Fraction, states: Sequence[int]) -> Lifted:
    """max Σ f_i (x_i − α y_i) over f ∈ [0,1]^states with f_i − α f_j ≤ d(i,j) for all i, j in states."""
    size = len(states)
    a, b = [], []
    edges = [(i, j) for i, j in product(range(size), repeat=2) if i != j]
    for i, j in edges:
        a.append([ONE if k == i else -alpha if k == j else ZERO for k in range(size)])
        b.append(d[states[i]][states[j]])
    for i in range(size):
        a.append([ONE if k == i else ZERO for k in range(size)])
        b.append(ONE)
    best = solve_program([x.get(k, ZERO) - alpha * y.get(k, ZERO) for k in states], a, b)
    weights = zip(edges, best.multipliers[: len(edges)], strict=True)
    coupling = {(states[i], states[j]): weight for (i, j), weight in weights if weight}
    lost = sum(best.multipliers[len(edges) :], ZERO)
    return Lifted(best.value, dict(zip(states, best.point, strict=True)), coupling, lost)


def lifting(d: Table, x: Measure, y: Measure, alpha: Fraction) -> Fraction:
    """K(d)(x,y) with potentials over all states of the table."""
    return lift(d, x, y, alpha, range(len(d))).value


# Operators on tables -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operator:
    """Γ, or Γ_σ where `chosen` maps a pair to the direction that is used for it.

    With `supports_only` the potentials of a pair range over the supports of its two rows only. That is *not*
    the papers' operator: it is the slip that `tests/outside_examples.py` is there to catch.
    """

    chain: LabelledMarkovChain
    alpha: Fraction
    chosen: Mapping[Pair, Pair] | None = None
    supports_only: bool = False

    def key(self, pair: Pair) -> Pair:
        """The direction whose lifting gives the value of a pair."""
        return pair if self.chosen is None else self.chosen[pair]

    def lift(self, d: Table, pair: Pair) -> Lifted:
        """The lifting of d at a pair of equal labels."""
        x, y = (self.chain.rows[state] for state in self.key(pair))
        states = sorted({*x, *y}) if self.supports_only else range(len(self.chain))
        return lift(d, x, y, self.alpha, states)

    def apply(self, d: Table) -> Table:
        """One application of the operator to a full table."""
        return table(self.chain, {pair: self.lift(d, pair).value for pair in alike_pairs(self.chain)})


def alike_pairs(chain: LabelledMarkovChain) -> list[Pair]:
    """The ordered pairs of different states of equal label."""
    pairs = product(range(len(chain)), repeat=2)
    return [(s, t) for s, t in pairs if s != t and chain.labels[s] == chain.labels[t]]


def table(chain: LabelledMarkovChain, values: Mapping[Pair, Fraction]) -> Table:
    """The full table with these values of pairs, 0 for other pairs and on the diagonal, 1 across labels."""

    def entry(s: int, t: int) -> Fraction:
        return values.get((s, t), ZERO) if chain.labels[s] == chain.labels[t] else ONE

    return [[entry(s, t) for t in range(len(chain))] for s in range(len(chain))]


def gamma(chain: LabelledMarkovChain, alpha: Fraction, d: Table) -> Table:
    """Γ(d). K(d)(μ_s, μ_s) = 0 for every α ≥ 1, so the diagonal needs no program."""
    return Operator(chain, alpha).apply(d)


def gamma_symmetric(chain: LabelledMarkovChain, alpha: Fraction, d: Table) -> Table:
    """Γ²(d)(s,t) = max(Γ(d)(s,t), Γ(d)(t,s))."""
    once = gamma(chain, alpha, d)
    return [[max(once[s][t], once[t][s]) for t in range(len(chain))] for s in range(len(chain))]


TableOperator = Callable[["LabelledMarkovChain", Fraction, Table], Table]


def is_fixed_point(chain: LabelledMarkovChain, alpha: Fraction, d: Table, operator: TableOperator) -> bool:
    """Whether operator(d) = d, exactly."""
    return operator(chain, alpha, d) == d


# Relations -----------------------------------------------------------------------------------------------


def bisimilarity(chain: LabelledMarkovChain) -> list[list[int]]:
    """The classes of probabilistic bisimilarity, sorted: refine by label, then by masses of classes."""
    block: list[object] = list(chain.labels)
    while True:
        classes: dict[object, list[int]] = {}
        for state, row in enumerate(chain.rows):
            masses: dict[object, Fraction] = {}
            for successor, weight in row.items():
                masses[block[successor]] = masses.get(block[successor], ZERO) + weight
            classes.setdefault((block[state], frozenset(masses.items())), []).append(state)
        if len(classes) == len(set(block)):
            return sorted(classes.values())
        for members in classes.values():
            for state in members:
                block[state] = members[0]


def removal_ranks(operator: Operator) -> dict[Pair, int]:
    """The round in which each pair is removed: 0 where labels differ, then K(1_{removed before}) > 0.

    Pairs that are missing from the answer are the kernel.
    """
    labels, states = operator.chain.labels, range(len(operator.chain))
    equal = alike_pairs(operator.chain)
    ranks = {(s, t): 0 for s, t in product(states, states) if labels[s] != labels[t]}
    current = 0
    while True:
        current += 1
        removed = [[ONE if (s, t) in ranks else ZERO for t in states] for s in states]
        leave = [pair for pair in equal if pair not in ranks and operator.lift(removed, pair).value > 0]
        if not leave:
            return ranks
        ranks.update((pair, current) for pair in leave)


def skewed_kernel(chain: LabelledMarkovChain, alpha: Fraction) -> tuple[frozenset[Pair], dict[Pair, int]]:
    """Skewed bisimilarity ∼_α, the diagonal included, and the ranks of the pairs outside it."""
    ranks = removal_ranks(Operator(chain, alpha))
    states = range(len(chain))
    return frozenset((s, t) for s, t in product(states, states) if (s, t) not in ranks), ranks


def distance_one(chain: LabelledMarkovChain) -> frozenset[Pair]:
    """The pairs with ld_α = 1, for any α ≥ 1, read off the graph: labels differ, or mass never meets.

    It is the largest set of non-bisimilar pairs whose labels differ, or whose supports are disjoint with
    every cross pair in the set (a common state fails: it is bisimilar to itself). No potentials, no
    states outside: see `test_distance_one_does_not_depend_on_alpha`.
    """
    rows = chain.rows
    block = {state: k for k, members in enumerate(bisimilarity(chain)) for state in members}
    found: set[Pair] = {(s, t) for s, t in product(block, block) if block[s] != block[t]}
    while leave := {
        (s, t)
        for s, t in alike_pairs(chain)
        if (s, t) in found and any((i, j) not in found for i, j in product(rows[s], rows[t]))
    }:
        found -= leave
    return frozenset(found)


# Fixed points --------------------------------------------------------------------------------------------


def least_fixed_point(operator: Operator) -> Table:
    """The least fixed point of a concave operator, by policy iteration over couplings from above.

    Start at 1 off the kernel; take an optimal coupling (ω, η) for each pair; solve d = ω d + Σ η; repeat.
    Every d is a pre-fixed point that is positive off the kernel, so the systems are regular: an
    irreducible block of ω with spectral radius 1 would have η = 0 and no way out, and so belong to the
    kernel. The values fall strictly, there are finitely many basic couplings, and the end is confirmed to
    be a fixed point. `value_iteration` is the independent witness that it is the least one.
    """
    chain = operator.chain
    ranks = removal_ranks(operator)
    unknown = sorted({operator.key(pair) for pair in alike_pairs(chain) if pair in ranks})
    values = dict.fromkeys(unknown, ONE)
    while True:
        full = {pair: values.get(operator.key(pair), ZERO) for pair in alike_pairs(chain)}
        d = table(chain, full)
        lifted = {pair: operator.lift(d, pair) for pair in unknown}
        if all(lifted[pair].value == values[pair] for pair in unknown):
            break
        position = {pair: k for k, pair in enumerate(unknown)}
        matrix = [[ONE if j == k else ZERO for j in range(len(unknown))] for k in range(len(unknown))]
        right = []
        for k, pair in enumerate(unknown):
            constant = lifted[pair].lost
            for step, weight in lifted[pair].coupling.items():
                if chain.labels[step[0]] != chain.labels[step[1]]:
                    constant += weight
                elif operator.key(step) in position:
                    matrix[k][position[operator.key(step)]] -= weight
            right.append(constant)
        before, values = values, dict(zip(unknown, solve_linear(matrix, right), strict=True))
        if values == before or any(values[pair] > before[pair] for pair in unknown):
            raise OracleFault("policy iteration does not fall")
    if operator.apply(d) != d:
        raise OracleFault("policy iteration stopped before a fixed point")
    return d


def ld(chain: LabelledMarkovChain, alpha: Fraction) -> Table:
    """ld_α, the least fixed point of Γ, as a full table."""
    return least_fixed_point(Operator(chain, alpha))


def ld_supports_only(chain: LabelledMarkovChain, alpha: Fraction) -> Table:
    """What an engine returns that forgets the states outside the supports. An upper bound on ld_α."""
    return least_fixed_point(Operator(chain, alpha, supports_only=True))


def value_iteration(
    chain: LabelledMarkovChain, alpha: Fraction, rounds: int, operator: TableOperator = gamma
) -> Table:
    """Lower bounds on the operator's least fixed point: `rounds` applications from 0, rounded down.

    Rounding down to multiples of 2^-60 keeps numbers short and bounds sound: the operator is monotone.
    """
    d = table(chain, {})
    for _ in range(rounds):
        d = [[Fraction(entry * GRAIN // 1, GRAIN) for entry in row] for row in operator(chain, alpha, d)]
    return d


def bd(chain: LabelledMarkovChain, alpha: Fraction, rounds: int = 8) -> Table:
    """bd_α, the least fixed point of Γ², exactly.

    Value iteration guesses which direction σ of each pair counts, and d = lfp(Γ_σ) is at most bd_α, since
    Γ_σ ≤ Γ². Where d is a fixed point of Γ² too, it is also at least bd_α. Otherwise the guess was wrong:
    switch and repeat.
    """
    d = value_iteration(chain, alpha, rounds, gamma_symmetric)
    chosen = {(s, t): (min(s, t), max(s, t)) for s, t in alike_pairs(chain)}
    guessed = False
    while True:
        once, before = gamma(chain, alpha, d), dict(chosen)
        for s, t in alike_pairs(chain):
            p, q = chosen[s, t]
            if once[q][p] > once[p][q]:
                chosen[s, t] = chosen[t, s] = (q, p)
        if guessed and chosen == before:
            raise OracleFault("nothing to switch, yet not a fixed point")
        guessed = True
        d = least_fixed_point(Operator(chain, alpha, chosen))
        if is_fixed_point(chain, alpha, d, gamma_symmetric):
            return d


def post_fixed_point(
    chain: LabelledMarkovChain,
    alpha: Fraction,
    caps: Mapping[Pair, Fraction],
    weights: Mapping[Pair, Fraction],
) -> Table:
    """The d ≤ Γ(d) with d ≤ caps (0 where there is none) that maximises Σ weights · d over the pairs.

    One linear program in d and the potentials of every pair, with no use of ld: its feasible d are
    exactly the post-fixed points under the caps. With caps 1 off the kernel and weights 1 it is the
    compact program whose optimum is ld_α by Theorem A; with other caps and weights it puts Theorem A to
    the test. For about twelve pairs of equal label at most.
    """
    size, pairs = len(chain), alike_pairs(chain)
    place = {pair: k for k, pair in enumerate(pairs)}
    width = len(pairs) * (1 + size)
    a: list[list[Fraction]] = []
    b: list[Fraction] = []

    def add(entries: Mapping[int, Fraction], bound: Fraction) -> None:
        a.append([entries.get(k, ZERO) for k in range(width)])
        b.append(bound)

    for (s, t), k in place.items():
        first = len(pairs) + k * size
        x, y = chain.rows[s], chain.rows[t]
        balance = {first + i: alpha * y.get(i, ZERO) - x.get(i, ZERO) for i in range(size)}
        add({k: ONE, **balance}, ZERO)
        add({k: ONE}, caps.get((s, t), ZERO))
        for i in range(size):
            add({first + i: ONE}, ONE)
        for pair, column in place.items():
            add({first + pair[0]: ONE, first + pair[1]: -alpha, column: -ONE}, ZERO)
    objective = [weights.get(pair, ZERO) for pair in pairs] + [ZERO] * (width - len(pairs))
    _, best = lp_max(objective, a, b)
    return table(chain, {pair: best[k] for pair, k in place.items()})


# Words ---------------------------------------------------------------------------------------------------


def lv_words(chain: LabelledMarkovChain, alpha: Fraction, s: int, t: int, length: int) -> Fraction:
    """Σ over the words w of that length of max(0, |x_w| − α |y_w|), a lower bound on lv_α(s,t).

    Non-decreasing in the length, and equal to lv_α(s,t) once a word of that length fixes all later
    labels: where every run has been absorbed, its last label goes on for ever. Words with the same pair
    of measures have the same future, so they are counted, not repeated.
    """
    words = _words(chain, s, t, length).items()
    return sum((count * max(ZERO, sum(x) - alpha * sum(y)) for (x, y), count in words), ZERO)


def lv_within(
    chain: LabelledMarkovChain, alpha: Fraction, s: int, t: int, length: int
) -> tuple[Fraction, Fraction]:
    """Bounds on lv_α(s,t) by the words of that length: from now on no event gains more than all of x_w; and
    no more than max(0, |x_w| − α |y_w|) where all words are as likely from x_w as from y_w, in proportion."""
    chances, high = word_chances(chain), ZERO
    for (x, y), count in _words(chain, s, t, length).items():
        apart = [sum(y) * there - sum(x) * here for there, here in zip(x, y, strict=True)]
        alike = not any(sum(map(mul, apart, chance)) for chance in chances)
        high += count * (max(ZERO, sum(x) - alpha * sum(y)) if alike else sum(x))
    return lv_words(chain, alpha, s, t, length), high


@lru_cache(maxsize=100)
def word_chances(chain: LabelledMarkovChain) -> list[list[Fraction]]:
    """A basis of the space that the vectors P[w | s], s in S, span, over all words w.

    The vector of the empty word is 1 everywhere, and that of aw is P[w] one step later on the states of label
    a; so a space that holds the one and is closed under the other has them all.
    """
    basis: dict[int, list[Fraction]] = {}  # by a place where the vector has 1, and later ones have 0
    waiting = [[ONE] * len(chain)]
    for vector in waiting:  # which grows
        rest = vector
        for place, known in basis.items():
            rest = [a - rest[place] * b for a, b in zip(rest, known, strict=True)]
        new = next((k for k, a in enumerate(rest) if a), None)
        if new is None:
            continue
        basis[new] = [a / rest[new] for a in rest]
        after = [sum((p * basis[new][t] for t, p in row.items()), ZERO) for row in chain.rows]
        waiting += [
            [a if label == letter else ZERO for label, a in zip(chain.labels, after, strict=True)]
            for letter in sorted(set(chain.labels))
        ]
    return list(basis.values())


def _words(chain: LabelledMarkovChain, s: int, t: int, length: int) -> Words:
    """(x_w, y_w) for the words w of that length, with how many words have them."""
    size = len(chain)
    at_s, at_t = (tuple(ONE if k == state else ZERO for k in range(size)) for state in (s, t))
    words: Words = {(at_s, at_t): 1}
    for _ in range(length):
        longer: Words = {}
        for (x, y), count in words.items():
            for letter in sorted(set(chain.labels)):
                pair = _step(chain, x, letter), _step(chain, y, letter)
                if any(pair[0]):
                    longer[pair] = longer.get(pair, 0) + count
        words = longer
    return words


def _step(chain: LabelledMarkovChain, measure: Sequence[Fraction], letter: str) -> tuple[Fraction, ...]:
    """The measure on next states after the current state has emitted the letter."""
    after = [ZERO] * len(chain)
    for state, mass in enumerate(measure):
        if mass and chain.labels[state] == letter:
            for successor, weight in chain.rows[state].items():
                after[successor] += mass * weight
    return tuple(after)
