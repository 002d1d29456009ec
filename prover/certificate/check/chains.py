"""Labelled Markov chains, claims about them, and what the rows of all evidence consist of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .reading import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    ascending,
    at,
    at_most,
    common,
    constant,
    demand,
    items,
    positive,
    rational,
    record,
    typed,
)

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Chain:
    """States are places in the order of names; rows[s][t] = μ_s(t) > 0; classes[a]: the states of label a."""

    index: Mapping[str, int]
    labels: Sequence[str]
    rows: Sequence[Mapping[int, Ratio]]
    classes: Mapping[str, Sequence[int]]
    relation: Sequence[Pair]

    def state(self, k: Json) -> int:
        demand(0 <= typed(k, int) < len(self.rows), Malformed, "no such state")
        return typed(k, int)

    def is_twin(self, i: int, j: int) -> bool:
        return i != j and self.labels[i] == self.labels[j]

    def twin(self, value: Json) -> Pair:
        i, j = map(self.state, items(value, 2))
        demand(self.is_twin(i, j), BadEvidence, "the pair is not a twin")
        return i, j

    def twins(self) -> Iterator[Pair]:
        return ((i, j) for states in self.classes.values() for i in states for j in states if i != j)

    def twin_count(self) -> int:
        return sum(len(states) * (len(states) - 1) for states in self.classes.values())

    def skew(self, alpha: Ratio, pair: Pair) -> tuple[dict[int, int], int]:
        """b and m with b_k = b[k] / (q m)."""
        (p, q), x, y = alpha, self.rows[pair[0]], self.rows[pair[1]]
        numerators, m = common([*x.values(), *y.values()], p.bit_length())
        b = {k: q * n for k, n in zip(x, numerators, strict=False)}
        for k, n in zip(y, numerators[len(x) :], strict=True):
            b[k] = b.get(k, 0) - p * n
        return b, m


def read_chain(model: Json) -> Chain:
    fields = record(model, "states type version", "relation")
    constant(fields["type"], "labelled-markov-chain")
    constant(fields["version"], 1)
    names = sorted(typed(fields["states"], dict))
    demand(len(names) > 0, BadModel, "no state")
    index = {name: s for s, name in enumerate(names)}
    labels, rows, classes = [], [], defaultdict(list)
    for s, name in enumerate(names):
        with at(f"state {s}"):
            state = record(fields["states"][name], "label next")
            following = typed(state["next"], dict)
            demand(following.keys() <= index.keys(), BadModel, "unknown successor")
            rows.append({index[t]: positive(x) for t, x in following.items()})
            numerators, one = common(list(rows[s].values()))
            demand(sum(numerators) == one, BadModel, "the probabilities do not sum to 1")
            labels.append(typed(state["label"], str))
            classes[labels[s]].append(s)
    entries = [items(entry, 2) for entry in typed(fields.get("relation", []), list)]
    relation = [(find(index, s), find(index, t)) for s, t in entries]
    ascending(relation, BadModel, "relation")
    demand({(t, s) for s, t in relation} == set(relation), BadModel, "the relation is not symmetric")
    return Chain(index, labels, rows, classes, relation)


def find(index: Mapping[str, int], name: Json) -> int:
    demand(typed(name, str) in index, BadModel, "unknown state")
    return index[name]


@dataclass(frozen=True, slots=True)
class Claim:
    """numbers: lower, upper, width, value, as far as the claim has them; above, below: the pairs whose value
    is bounded from above, from below, none where the scope is all-pairs."""

    alpha: Ratio
    numbers: Mapping[str, Ratio]
    above: Sequence[Pair]
    below: Sequence[Pair]


def read_claim(fields: Mapping[str, Json], chain: Chain) -> Claim:
    alpha = rational(fields.get("alpha", "1"))
    demand(at_most((1, 1), alpha), BadClaim, "alpha is below 1")
    numbers = {key: rational(fields[key]) for key in ("lower", "upper", "width", "value") if key in fields}
    demand(all(0 <= n <= d for n, d in numbers.values()), BadClaim, "a number is not between 0 and 1")
    demand("value" not in numbers or numbers["value"][1] == 1, BadClaim, "value is neither 0 nor 1")
    demand("lower" not in numbers or at_most(numbers["lower"], numbers["upper"]), BadClaim, "lower > upper")
    if fields["scope"] == "all-pairs":
        return Claim(alpha, numbers, (), ())
    pair = find(chain.index, fields["from"]), find(chain.index, fields["to"])
    demand(fields["scope"] == "pair" or pair in chain.relation, BadClaim, "from and to are not related")
    return Claim(alpha, numbers, [pair] if fields["scope"] == "pair" else chain.relation, [pair])


def orders(pair: Pair, symmetric: bool) -> list[Pair]:
    return [pair, pair[::-1]] if symmetric else [pair]


def read_rows(chain: Chain, value: Json, required: str, optional: str = "") -> dict[Pair, dict[str, Json]]:
    rows = [record(row, required, optional) for row in typed(value, list)]
    pairs = [chain.twin(row["pair"]) for row in rows]
    ascending(pairs, BadEvidence, "rows")
    return dict(zip(pairs, rows, strict=True))


def settle(claim: Claim, value: Callable[[int, int], int | None]) -> None:
    """Claimed 0, all its pairs must have value 0; claimed 1, (from, to) must have 1. None: not known."""
    claimed, _ = claim.numbers["value"]
    settled = all(value(s, t) == claimed for s, t in (claim.below if claimed else claim.above))
    demand(settled, ClaimOpen, "the value does not follow")


def read_coupling(value: Json, chain: Chain) -> tuple[dict[Pair, int], int]:
    """w and c with w(i,j) = w[i,j] / c."""
    entries = [items(entry, 3) for entry in typed(value, list)]
    pairs = [(chain.state(i), chain.state(j)) for i, j, _ in entries]
    ascending(pairs, BadEvidence, "couples")
    demand(all(i != j for i, j in pairs), BadEvidence, "a state is coupled with itself")
    numerators, c = common([positive(x) for _, _, x in entries])
    return dict(zip(pairs, numerators, strict=True)), c


def excess(alpha: Ratio, b: Mapping[int, int], m: int, w: Mapping[Pair, int], c: int) -> Iterator[int]:
    """max(0, b_k − Σ_j w(k,j) + α Σ_i w(i,k)) for every k, each times q m c."""
    (p, q), out, into = alpha, defaultdict[int, int](int), defaultdict[int, int](int)
    for (i, j), x in w.items():
        out[i] += x
        into[j] += x
    states = b.keys() | out.keys() | into.keys()
    return (max(0, b.get(k, 0) * c - out.get(k, 0) * q * m + into.get(k, 0) * p * m) for k in states)


def read_positive_potentials(value: Json, chain: Chain) -> dict[int, int]:
    """g times a positive number, which no rule about g notices."""
    entries = [items(entry, 2) for entry in typed(value, list)]
    states = [chain.state(k) for k, _ in entries]
    ascending(states, BadEvidence, "states")
    return dict(zip(states, common([positive(x) for _, x in entries])[0], strict=True))


def dot(f: Mapping[int, int], b: Mapping[int, int]) -> int:
    return sum(x * b[k] for k, x in f.items() if k in b)
