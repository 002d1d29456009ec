"""Labelled Markov chains, claims about them, and the parts of the rows of all evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from operator import eq
from typing import NamedTuple, Protocol

from .budget import Budget
from .reading import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    TooLarge,
    ascending,
    at,
    at_most,
    constant,
    demand,
    items,
    lists,
    positive,
    rational,
    record,
    typed,
)

Pair = tuple[int, int]

PROCESS = "labelled-markov-decision-process"  # the type of models that attackers act in


@dataclass(frozen=True, slots=True)
class Chain:
    """States are places in the order of names. μ_s(t) is rows[s][t] / wholes[s], where it is not 0;
    classes[a]: the states of label a."""

    index: Mapping[str, int]
    labels: Sequence[str]
    rows: Sequence[Mapping[int, int]]
    wholes: Sequence[int]
    classes: Mapping[str, Sequence[int]]
    relation: Sequence[Pair]
    budget: Budget

    def state(self, k: Json) -> int:
        if type(k) is not int or not 0 <= k < len(self.rows):
            raise Malformed("unknown index of a state")
        return k

    def each_state(self, numbers: Sequence[Json]) -> Sequence[int]:
        size = len(self.rows)
        for k in numbers:
            if type(k) is not int or not 0 <= k < size:
                raise Malformed("unknown index of a state")
        return numbers

    def alike_pair(self, value: Json) -> Pair:
        i, j = self.each_state(items(value, 2))
        if i == j or self.labels[i] != self.labels[j]:
            raise BadEvidence("the pair is not of equal label")
        return i, j

    def each_alike(self, values: Sequence[Json]) -> list[Pair]:
        """The same of many pairs."""
        labels, size, pairs = self.labels, len(self.rows), list[Pair]()
        for value in values:
            i, j = value if type(value) is list and len(value) == 2 else items(value, 2)
            known = type(i) is int and type(j) is int and 0 <= i < size and 0 <= j < size
            pairs.append((i, j) if known and i != j and labels[i] == labels[j] else self.alike_pair(value))
        return pairs

    def alike_pairs(self) -> Iterator[Pair]:
        return ((i, j) for states in self.classes.values() for i in states for j in states if i != j)

    def count_alike(self) -> int:
        return sum(len(states) * (len(states) - 1) for states in self.classes.values())


class Named(Protocol):
    """The things that claims name: states, pairs of a relation; and the budget of work."""

    @property
    def index(self) -> Mapping[str, int]: ...
    @property
    def relation(self) -> Sequence[Pair]: ...
    @property
    def budget(self) -> Budget: ...


class Skew(NamedTuple):
    """b_k = μ(k) − α ν(k) = b[k] / unit for two vectors; 0 where b has no entry. The unit has at most so many
    bits."""

    b: Mapping[int, int]
    unit: int
    bits: int

    def dot(self, f: Mapping[int, int]) -> int:
        """Σ_k f_k b_k."""
        b = self.b
        return sum([f[k] * b[k] for k in f if k in b])

    def below(self) -> dict[int, int]:
        """0 for the states with b_k < 0."""
        return {k: 0 for k, n in self.b.items() if n < 0}


def skew(chain: Chain, alpha: Ratio, pair: Pair, values: int, times: int = 1) -> Skew:
    """b for a pair, of which so many values are going to be computed; its numerators so many times."""
    (p, q), (s, t) = alpha, pair
    m, n = chain.wholes[s], chain.wholes[t]
    long, other, more = m.bit_length(), n.bit_length(), p.bit_length()
    chain.budget.spend(values + 4, long + more, other + more)
    g = gcd(m, n)
    ahead, behind = q * (n // g), p * (m // g)  # bring both rows to one denominator
    b = blended(chain.rows[s], ahead * times, chain.rows[t], behind * times)
    return Skew(b, m * ahead, long + other + more)


def blended(x: Mapping[int, int], ahead: int, y: Mapping[int, int], behind: int) -> dict[int, int]:
    """ahead · x − behind · y, for the states of either."""
    b = {k: -behind * n for k, n in y.items()}
    for k, n in x.items():
        b[k] = b[k] + ahead * n if k in b else ahead * n
    return b


def read_chain(model: Json, budget: Budget) -> Chain:
    fields = record(model, "states type version", "relation")
    constant(fields["type"], "labelled-markov-chain")
    constant(fields["version"], 1)
    names = sorted(typed(fields["states"], dict))
    demand(len(names) > 0, BadModel, "there is no state")
    index = {name: s for s, name in enumerate(names)}
    labels, rows, wholes, classes = [], [], [], defaultdict(list)
    here = at()
    with here:
        for s, name in enumerate(names):
            here.place = "state", s
            state = record(fields["states"][name], "label next")
            row, whole = read_row(state["next"], index, budget)
            rows.append(row)
            wholes.append(whole)
            labels.append(typed(state["label"], str))
            classes[labels[s]].append(s)
    return Chain(index, labels, rows, wholes, classes, read_relation(fields, index), budget)


def read_row(value: Json, index: Mapping[str, int], budget: Budget) -> tuple[dict[int, int], int]:
    """The numerators of a row over its common denominator, and that."""
    following = typed(value, dict)
    try:
        places = [index[t] for t in following]
    except KeyError:
        raise BadModel("a successor is not a state") from None
    numerators, whole = budget.common([positive(x) for x in following.values()])
    if sum(numerators) != whole:
        raise BadModel("the probabilities do not sum to 1")
    budget.keep(len(following), whole.bit_length())
    return dict(zip(places, numerators, strict=True)), whole


def read_relation(fields: Mapping[str, Json], index: Mapping[str, int]) -> Sequence[Pair]:
    entries = [items(entry, 2) for entry in typed(fields.get("relation", []), list)]
    relation = [(find(index, s), find(index, t)) for s, t in entries]
    ascending(relation, BadModel, "pairs of the relation")
    demand({(t, s) for s, t in relation} == set(relation), BadModel, "the relation is not symmetric")
    return relation


def find(index: Mapping[str, int], name: Json) -> int:
    demand(typed(name, str) in index, BadModel, "there is no state of this name")
    return index[name]


def claimed_pairs(
    fields: Json, index: Mapping[str, int], relation: Sequence[Pair]
) -> tuple[bool, Sequence[Pair]]:
    """Whether a claim is about both directions, and the pairs that it is about: one, or the relation."""
    symmetric = typed(fields["of"], str) == "tv"
    demand(symmetric or fields["of"] == "lv", Malformed, "of is neither tv nor lv")
    pairs = relation
    if fields["scope"] == "pair":
        pairs = [(find(index, fields["from"]), find(index, fields["to"]))]
    demand(len(pairs) > 0, BadClaim, "the relation has no pair")
    return symmetric, pairs


@dataclass(frozen=True, slots=True)
class Claim:
    """numbers: lower, upper, width, value, as far as the claim has them; above, below: the pairs whose value
    is bounded from above, from below, none where the scope is all-pairs."""

    alpha: Ratio
    numbers: Mapping[str, Ratio]
    above: Sequence[Pair]
    below: Sequence[Pair]


def read_claim(fields: Mapping[str, Json], chain: Named) -> Claim:
    alpha = rational(fields.get("alpha", "1"))
    demand(at_most((1, 1), alpha), BadClaim, "alpha is below 1")
    numbers = {key: rational(fields[key]) for key in ("lower", "upper", "width", "value") if key in fields}
    demand(all(0 <= n <= d for n, d in numbers.values()), BadClaim, "a number is not between 0 and 1")
    demand("value" not in numbers or numbers["value"][1] == 1, BadClaim, "value is neither 0 nor 1")
    demand("lower" not in numbers or at_most(numbers["lower"], numbers["upper"]), BadClaim, "lower > upper")
    if "epsilon" in fields:
        epsilon_rule(alpha, fields["epsilon"], chain.budget)
    if fields["scope"] == "all-pairs":
        return Claim(alpha, numbers, (), ())
    pair = find(chain.index, fields["from"]), find(chain.index, fields["to"])
    demand(fields["scope"] == "pair" or pair in chain.relation, BadClaim, "from and to are not related")
    return Claim(alpha, numbers, [pair] if fields["scope"] == "pair" else chain.relation, [pair])


def epsilon_rule(alpha: Ratio, value: Json, budget: Budget) -> None:
    """α ≤ e^ε, or α ≥ e^ε, as the claim says. Other than at 0, e^ε is irrational, so that one is strict."""
    fields = record(value, "alpha value")
    side, exponent = typed(fields["alpha"], str), positive(fields["value"])
    demand(side in ("at-least", "at-most"), Malformed, "alpha is neither at-least nor at-most")
    exceeds = exceeds_exponential(alpha, exponent, budget)
    demand(exceeds == (side == "at-least"), RuleBroken, f"alpha is not {side} e^epsilon")


def exceeds_exponential(alpha: Ratio, exponent: Ratio, budget: Budget | None = None) -> bool:
    """Whether α > e^x, for a rational x ≥ 0, by bounds of Σ x^k / k! in multiples of 2^-P.

    From k = 2x on every term is at most half of the one before, so the rest is at most the last term.
    """
    (p, q), (x, y) = alpha, exponent
    if x == 0:
        return p > q
    for precision in (2**k for k in range(7, 15)):
        if budget is not None:
            long, count = p.bit_length() + precision, 6 * p.bit_length() + 2 * precision + 32
            budget.spend(count, long + x.bit_length(), x.bit_length() + y.bit_length())
        one = 1 << precision
        below = above = low = high = one  # the terms, and their sums
        k = 0
        while low * q < p * one and not (k * y >= 2 * x and above <= 1):
            k += 1
            below, above = below * x // (k * y), -(-above * x // (k * y))
            low, high = low + below, high + above
        if low * q >= p * one:
            return False
        if (high + above) * q < p * one:
            return True
    raise TooLarge("alpha is too close to e^epsilon to decide which is larger")


def orders(pair: Pair, symmetric: bool) -> list[Pair]:
    return [pair, pair[::-1]] if symmetric else [pair]


def read_rows(chain: Chain, value: Json, required: str, optional: str = "") -> dict[Pair, dict[str, Json]]:
    rows = [record(row, required, optional) for row in typed(value, list)]
    pairs = chain.each_alike([row["pair"] for row in rows])
    ascending(pairs, BadEvidence, "rows")
    return dict(zip(pairs, rows, strict=True))


def settle(claim: Claim, value: Callable[[int, int], int | None]) -> None:
    """Claimed 0, all its pairs must have value 0; claimed 1, (from, to) must have 1. None: not known."""
    claimed, _ = claim.numbers["value"]
    settled = all(value(s, t) == claimed for s, t in (claim.below if claimed else claim.above))
    demand(settled, ClaimOpen, "the value of a pair does not follow from the evidence")


class Coupling(NamedTuple):
    """w(i,j) = weights[i,j] / whole; no number of these has more than so many bits."""

    weights: Mapping[Pair, int]
    whole: int
    bits: int


NO_COUPLING = Coupling({}, 1, 1)


def read_coupling(value: Json, chain: Chain) -> Coupling:
    if not typed(value, list):
        return NO_COUPLING
    left, right, weights = zip(*lists(value, 3), strict=True)
    pairs = [*zip(chain.each_state(left), chain.each_state(right), strict=True)]
    ascending(pairs, BadEvidence, "couples")
    if any(map(eq, left, right)):
        raise BadEvidence("a state is coupled with itself")
    numerators, c = chain.budget.common([positive(x) for x in weights])
    return Coupling(dict(zip(pairs, numerators, strict=True)), c, max(c, *numerators).bit_length())


def excess(budget: Budget, alpha: Ratio, b: Skew, states: int, w: Coupling) -> int:
    """Σ_k max(0, b_k − Σ_j w(k,j) + α Σ_i w(i,k)), times the units of b and w, where μ has so many states.
    The numerators of b are times the unit of w."""
    budget.spend(states + 3 * len(w.weights) + 2, b.bits, w.bits)
    send, bring, rest = b.unit, b.unit // alpha[1] * alpha[0], dict(b.b)
    for (i, j), x in w.weights.items():
        rest[i] = rest.get(i, 0) - x * send
        rest[j] = rest.get(j, 0) + x * bring
    return sum([n for n in rest.values() if n > 0])


def read_positive_potentials(value: Json, chain: Chain) -> tuple[dict[int, int], int]:
    """g times a positive number, which no rule about g notices, as integers; and the bits of the longest."""
    entries = lists(value, 2)
    states = chain.each_state([k for k, _ in entries])
    ascending(states, BadEvidence, "states")
    numerators, _ = chain.budget.common([positive(x) for _, x in entries])
    return dict(zip(states, numerators, strict=True)), max(numerators, default=0).bit_length()
