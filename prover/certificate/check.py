"""Check certificates: a file of its own, written from docs/certificates.md, which says why the rules suffice.

    python -I -S prover/certificate/check.py FILE...

prints `VERIFIED <claim>` or `REJECTED <reason>` for every file and ends with 0 (all verified), 1 (one was
rejected) or 2 (one could not be read).

How numbers are held: a rational of the file is a pair (numerator, denominator); α = p/q throughout; a table's
values are integers N over its one denominator D. These may have thousands of digits, so they are only added,
compared and multiplied by short numbers: b_k = μ_s(k) − α μ_t(k) is kept as b[k] / (q m), couplings as
w[i,j] / c, potentials as f[k] / (D e), with short m, c and e, and every rule is multiplied out. The vectors
of a node of an unrolling are integers times one scale, and the values of nodes are fractions.
"""

from __future__ import annotations

import json
import os
import re
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import groupby, pairwise
from math import gcd, lcm
from typing import Any, TypeVar

MAX_BYTES = 256 * 2**20  # of a file
MAX_VALUES = 10_000_000  # commas and opening brackets in a file: bounds the memory that its JSON takes
MAX_DIGITS = 100_000  # of a numerator or denominator
MAX_BITS = 1_000_000  # of a common denominator
MAX_ROW_BITS = (
    2**31
)  # of the numbers of one row together, over their common denominator; of those of all nodes
MAX_NODES = 500_000  # of an unrolling
MAX_PRODUCTS = 10**9  # of a number of a node and a probability, in all nodes together

Json = Any
Ratio = tuple[int, int]
Pair = tuple[int, int]
Matrix = Mapping[int, Mapping[int, int]]  # by rows or by columns
T = TypeVar("T")


class Rejected(Exception):
    """The file does not establish its claim."""


class TooLarge(Rejected):
    """A limit of this checker is exceeded."""


class NotCanonical(Rejected):
    """The bytes are not ASCII JSON in the canonical form."""


class Malformed(Rejected):
    """A key, type, version, kind, row shape or number is not as the specification has it."""


class BadModel(Rejected):
    """The model is not a labelled Markov chain."""


class BadClaim(Rejected):
    """The claim has no meaning for the model."""


class BadEvidence(Rejected):
    """The evidence is out of order, repeats itself, or names what it must not name."""


class RuleBroken(Rejected):
    """An inequality of the evidence does not hold."""


class ClaimOpen(Rejected):
    """The evidence is sound, but the claim does not follow from it."""


def demand(condition: bool, failure: type[Rejected], reason: str) -> None:
    if not condition:
        raise failure(reason)


@contextmanager
def at(place: str) -> Iterator[None]:
    """Let rejections say where they happened."""
    try:
        yield
    except Rejected as rejection:
        raise type(rejection)(f"{place}: {rejection}") from None


# Reading -------------------------------------------------------------------------------------------------


def decode(data: bytes) -> Json:
    """The JSON value of a file in canonical form."""
    demand(len(data) <= MAX_BYTES, TooLarge, f"more than {MAX_BYTES} bytes")
    demand(sum(map(data.count, (b",", b"[", b"{"))) <= MAX_VALUES, TooLarge, f"more than {MAX_VALUES} values")
    try:
        text = data.decode("ascii")
        value = json.loads(text, parse_int=json_integer, parse_float=no_number, parse_constant=no_number)
    except ValueError:
        raise NotCanonical("not ASCII JSON") from None
    canonical = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    demand(canonical == text, NotCanonical, "not in canonical form")
    return value


def json_integer(text: str) -> int:
    demand(
        len(text) <= 18 and (text[0] != "-" or text == "-1"),
        Malformed,
        "a JSON number is too long or negative",
    )
    return int(text)


def no_number(text: str) -> int:
    raise Malformed(f"a JSON number is not an integer: {text[:20]}")


def typed(value: Json, kind: type[T]) -> T:
    demand(type(value) is kind, Malformed, f"not of type {kind.__name__}")
    result: T = value
    return result


def constant(value: Json, expected: str | int) -> None:
    demand(type(value) is type(expected) and value == expected, Malformed, f"not {expected}")


def record(value: Json, required: str, optional: str = "") -> dict[str, Json]:
    fields, needed = typed(value, dict), set(required.split())
    demand(needed <= fields.keys(), Malformed, f"lacks a key of {sorted(needed)}")
    demand(fields.keys() <= needed | set(optional.split()), Malformed, "unknown key")
    return fields


def items(value: Json, length: int) -> list[Json]:
    demand(len(typed(value, list)) == length, Malformed, "a list of the wrong length")
    return typed(value, list)


def from_digits(digits: str) -> int:
    """In halves: Python refuses to read more than 4,300 digits at once, or 640 where it is set up so."""
    if len(digits) <= 600:
        return int(digits)
    half = len(digits) // 2
    power: int = 10**half
    return from_digits(digits[:-half]) * power + from_digits(digits[-half:])


def rational(value: Json) -> Ratio:
    """`-?[0-9]+(/[0-9]+)?` in lowest terms."""
    match = re.fullmatch("(-?)(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?", typed(value, str))
    if match is None:
        raise Malformed("not a rational")
    _, above, below = match.groups("1")
    demand(max(len(above), len(below)) <= MAX_DIGITS, TooLarge, f"a number of more than {MAX_DIGITS} digits")
    n, d = from_digits(above), from_digits(below)
    lowest = gcd(n, d) == 1 and (d > 1 or match[3] is None) and (n > 0 or not match[1])
    demand(lowest, Malformed, "not in lowest terms")
    return (-n if match[1] else n), d


def natural(value: Json) -> int:
    n, d = rational(value)
    demand(d == 1 and n >= 0, Malformed, "not a natural number")
    return n


def positive(value: Json) -> Ratio:
    ratio = rational(value)
    demand(ratio[0] > 0, Malformed, "not positive")
    return ratio


def at_most(x: Ratio, y: Ratio) -> bool:
    return x[0] * y[1] <= y[0] * x[1]


def common(ratios: Sequence[Ratio], more_bits: int = 0) -> tuple[list[int], int]:
    """Numerators over the common denominator, and that denominator."""
    denominator = denominator_of({d for _, d in ratios}, more_bits, len(ratios))
    return [n * (denominator // d) for n, d in ratios], denominator


def denominator_of(denominators: Iterable[int], more_bits: int, count: int) -> int:
    """The least common multiple, if `count` numbers over it, of so many more bits, are within the limits."""
    common_multiple = 1
    for d in denominators:
        common_multiple = lcm(common_multiple, d)
        limit(common_multiple.bit_length() + more_bits, count)
    return common_multiple


def limit(bits: int, count: int) -> None:
    demand(bits <= MAX_BITS and bits * count <= MAX_ROW_BITS, TooLarge, "too long a common denominator")


def ascending(keys: Iterable[Any], failure: type[Rejected], what: str) -> None:
    demand(all(x < y for x, y in pairwise(keys)), failure, f"{what} out of order or repeated")


# Labelled Markov chains ----------------------------------------------------------------------------------


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


# Claims about chains -------------------------------------------------------------------------------------


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


# ld, lgd and bd ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """Distances of one side as integers over the denominator; `default` is that of twins without a row. Where
    the table is symmetric, `values` has both orders of every pair, and `rows` one. States of different
    `block` are not bisimilar."""

    chain: Chain
    denominator: int
    default: int
    rows: Mapping[Pair, Mapping[str, Json]]
    values: Mapping[Pair, int]
    block: Sequence[int]

    def __getitem__(self, pair: Pair) -> int:
        if pair[0] == pair[1]:
            return 0
        return self.values.get(pair, self.default) if self.chain.is_twin(*pair) else self.denominator

    def ratio(self, pair: Pair) -> Ratio:
        return self[pair], self.denominator

    def far_apart(self, pair: Pair) -> bool:
        """At distance 1 and not bisimilar."""
        return self[pair] == self.denominator and self.block[pair[0]] != self.block[pair[1]]


NO_ROWS: Json = {"denominator": "1", "rows": []}


def orders(pair: Pair, symmetric: bool) -> list[Pair]:
    return [pair, pair[::-1]] if symmetric else [pair]


def read_table(chain: Chain, value: Json, symmetric: bool, required: str, optional: str = "") -> Table:
    fields = record(value, "denominator rows", "splitters" if optional else "")
    denominator = natural(fields["denominator"])
    demand(denominator > 0, Malformed, "the denominator is 0")
    rows = read_rows(chain, fields["rows"], required, optional)
    demand(not symmetric or all(i < j for i, j in rows), BadEvidence, "a pair is not in order")
    values = {ij: natural(row["value"]) for pair, row in rows.items() for ij in orders(pair, symmetric)}
    demand(all(n <= denominator for n in values.values()), BadEvidence, "a value is above 1")
    block = splitters_rule(chain, read_blocks(chain, fields.get("splitters", [])))
    return Table(chain, denominator, 0, rows, values, block)


def read_rows(chain: Chain, value: Json, required: str, optional: str = "") -> dict[Pair, dict[str, Json]]:
    rows = [record(row, required, optional) for row in typed(value, list)]
    pairs = [chain.twin(row["pair"]) for row in rows]
    ascending(pairs, BadEvidence, "rows")
    return dict(zip(pairs, rows, strict=True))


def distance(chain: Chain, claim: Claim, evidence: Json, symmetric: bool = False) -> None:
    """ld = lgd (Theorem A), or bd, whose tables are symmetric. The upper rule makes u pre-fixed, so it is
    not below the distance (Knaster and Tarski). The lower rule makes d post-fixed, and the rank rule makes it
    0 on skewed bisimilarity, so that it is not above (Theorems A and B, certificate form)."""
    sides = record(evidence, "", "exact" if "exact" in typed(evidence, dict) else "lower upper")
    demand(len(sides) > 0, Malformed, "no evidence")
    couplings = ("forward", "backward") if symmetric else ("coupling",)
    above = " ".join(("pair value", *couplings))
    below = "pair value potentials" + (" direction" if symmetric else "")
    ranks = "rank rank_potentials"
    if "exact" in sides:
        with at("exact"):
            d = u = read_table(chain, sides["exact"], symmetric, f"{below} {above}", ranks)
    else:
        with at("lower"):
            d = read_table(chain, sides.get("lower", NO_ROWS), symmetric, below, ranks)
        with at("upper"):
            u = read_table(chain, sides.get("upper", NO_ROWS), symmetric, above)
    u = replace(u, default=u.denominator)
    lower_rules(claim.alpha, d, symmetric)
    upper_rules(claim.alpha, u, couplings)
    if claim.below:
        reached = all(at_most(claim.numbers["lower"], d.ratio(pair)) for pair in claim.below)
        demand(reached, ClaimOpen, "the lower table is below the claim")
        kept = all(at_most(u.ratio(pair), claim.numbers["upper"]) for pair in claim.above)
        demand(kept, ClaimOpen, "the upper table is above the claim")
    elif claim.numbers["width"] != (1, 1):  # of width 1 nothing is left to show
        width = claim.numbers["width"]
        near = all(gap_at_most(u.ratio(pair), d.ratio(pair), width) for pair in chain.twins())
        demand(near, ClaimOpen, "the tables are further apart than the width")


def gap_at_most(x: Ratio, y: Ratio, width: Ratio) -> bool:
    """x − y ≤ width. Where one table serves both sides, x is y, and no long numbers are multiplied."""
    return x == y or at_most((x[0] * y[1] - y[0] * x[1], x[1] * y[1]), width)


def upper_rules(alpha: Ratio, u: Table, couplings: Sequence[str]) -> None:
    """The upper rule, for every row in the direction of each of its couplings."""
    for pair, row in u.rows.items():
        for key, ij in zip(couplings, orders(pair, len(couplings) == 2), strict=True):
            with at(f"coupling of {ij}"):
                upper_rule(alpha, u, ij, row[key])


def upper_rule(alpha: Ratio, u: Table, pair: Pair, coupling: Json) -> None:
    """Σ w(i,j) u(i,j) + Σ_k max(0, b_k − Σ_j w(k,j) + α Σ_i w(i,k)) ≤ u(pair)."""
    b, m = u.chain.skew(alpha, pair)
    w, c = read_coupling(coupling, u.chain)
    cost, lost, scale = sum(x * u[ij] for ij, x in w.items()), sum(excess(alpha, b, m, w, c)), alpha[1] * m
    kept = cost * scale + lost * u.denominator <= u[pair] * scale * c
    demand(kept, RuleBroken, "it costs more than the value")


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


def lower_rules(alpha: Ratio, d: Table, symmetric: bool) -> None:
    """The lower rule and the rank rule, for every row."""
    after: dict[int, dict[int, int]] = defaultdict(dict)  # i: {j: d(i,j) > 0}, by increasing d
    before: dict[int, dict[int, int]] = defaultdict(dict)  # j: {i: d(i,j) > 0}, by increasing d
    equal: dict[Pair, list[Pair]] = defaultdict(list)  # (value, i): (j, rank) of its rows
    for pair, row in sorted(d.rows.items(), key=lambda entry: d[entry[0]]):
        rank = read_rank(row, d[pair])
        for i, j in orders(pair, symmetric) if d[pair] > 0 else ():
            after[i][j] = before[j][i] = d[pair]
            equal[d[pair], i].append((j, rank))
    for pair, row in d.rows.items():
        with at(f"row of {pair}"):
            direction = typed(row.get("direction", "forward"), str)
            demand(direction in ("forward", "backward"), Malformed, "unknown direction")
            b, m = d.chain.skew(alpha, pair if direction == "forward" else pair[::-1])
        with at(f"potentials of {pair}"):
            f, e = read_potentials(row["potentials"], alpha, d, b)
            smooth_rule(alpha, d, f, e, after, before)
            gain, due = dot(f, b), d[pair] * e * alpha[1] * m
            demand(gain >= due, RuleBroken, "they gain less than the value")
            unranked = "rank" not in row and d[pair] > 0 and not d.far_apart(pair)
            demand(gain > due or not unranked, RuleBroken, "they gain no more than the value, and no rank")
        if "rank" in row:
            with at(f"rank potentials of {pair}"):
                g = read_positive_potentials(row["rank_potentials"], d.chain)
                rank_rule(alpha, g, b, d[pair], row["rank"], equal)


def smooth_rule(alpha: Ratio, d: Table, f: Mapping[int, int], e: int, after: Matrix, before: Matrix) -> None:
    """f_i ≤ d(i,j) + α f_j for the twins (i,j) in F, the states that f has; and, where some states u of their
    label are outside F, f_i ≤ m(i) + α m'(j) + α² f_j with the least m(i) = d(i,u) and m'(j) = d(u,j)."""
    (p, q), inside = alpha, defaultdict[str, list[int]](list)
    for k in sorted(f, key=f.__getitem__):
        inside[d.chain.labels[k]].append(k)
    steep, high, unit = {k: q * x for k, x in f.items()}, {k: p * x for k, x in f.items()}, q * e
    for label, states in inside.items():
        for i in states:
            level = -(-f[i] // e)
            for j in states:
                if high[j] >= steep[i]:  # so too for all that follow, i among them
                    break
                n = d.values.get((i, j), 0)
                small = n >= level or steep[i] - n * unit <= high[j]
                demand(small, RuleBroken, f"f_{i} is too large for d({i},{j})")
        outside = len(d.chain.classes[label]) - len(states)
        if outside > 0:
            # Where i = j the condition is void, because α ≥ 1: so the worst i may meet the worst j.
            own = set(states)
            rise = max(f[i] - least_outside(after.get(i, {}), own, outside) * e for i in states)
            floor = min(high[j] + least_outside(before.get(j, {}), own, outside) * unit for j in states)
            demand(q * q * rise <= p * floor, RuleBroken, f"they do not extend to the twins of {states[0]}")


def least_outside(row: Mapping[int, int], own: Collection[int], outside: int) -> int:
    """The least entry of a row or column of d over the `outside` many states of a class that are not its own.
    The row has the entries above 0 only, by size; where it has one for each of those states, none is 0."""
    if len(row) - sum(k in row for k in own) < outside:
        return 0
    return next(n for k, n in row.items() if k not in own)


def flat(alpha: Ratio, chain: Chain, g: Mapping[int, int], i: int, free: Collection[int]) -> bool:
    """g_i ≤ α g_j for every twin (i,j) with j not in free, where g_i > 0 and free holds such j only.

    Only a j with g_j > 0 can pass, so counting those is enough, and nothing walks over all states.
    """
    (p, q), bound = alpha, len(chain.classes[chain.labels[i]]) - 1 - len(free)
    if bound > len(g):
        return False
    return bound == sum(j not in free and chain.is_twin(i, j) and q * g[i] <= p * x for j, x in g.items())


def read_rank(row: Mapping[str, Json], n: int) -> int:
    """The rank of a row of value n; 0 where it has none."""
    demand(("rank" in row) == ("rank_potentials" in row), Malformed, "half a rank")
    demand("rank" not in row or typed(row["rank"], int) > 0, Malformed, "a rank is not positive")
    demand("rank" not in row or n > 0, BadEvidence, "a row of value 0 has a rank")
    return typed(row.get("rank", 0), int)


def rank_rule(
    alpha: Ratio,
    g: Mapping[int, int],
    b: Mapping[int, int],
    n: int,
    r: int,
    equal: Mapping[Pair, Sequence[Pair]],
) -> None:
    """g_i ≤ α g_j for every twin (i,j) with a row of the same value n and no rank below r; Σ g_k b_k > 0."""
    p, q = alpha
    for i, x in g.items():
        for j, rank in equal.get((n, i), ()):
            demand(rank < r or q * x <= p * g.get(j, 0), RuleBroken, f"g_{i} is too large for g_{j}")
    demand(dot(g, b) > 0, RuleBroken, "they gain nothing")


def dot(f: Mapping[int, int], b: Mapping[int, int]) -> int:
    return sum(x * b[k] for k, x in f.items() if k in b)


def read_positive_potentials(value: Json, chain: Chain) -> dict[int, int]:
    """g times a positive number, which no rule about g notices."""
    entries = [items(entry, 2) for entry in typed(value, list)]
    states = [chain.state(k) for k, _ in entries]
    ascending(states, BadEvidence, "states")
    return dict(zip(states, common([positive(x) for _, x in entries])[0], strict=True))


def read_potentials(value: Json, alpha: Ratio, d: Table, b: Mapping[int, int]) -> tuple[dict[int, int], int]:
    """f and e with f_k = f[k] / (D e), for the states that have an entry, or b_k < 0 and then f_k = 0."""
    (p, q), entries, one = alpha, typed(value, list), 1
    f: dict[int, Ratio] = {}  # k: (n, e) with f_k = n / (D e)
    for entry in entries:
        match entry:
            case [k, str(x)]:
                n, e = rational(x)
                n *= d.denominator
            case [k, "from", i]:  # (f_i − d(i,k)) / α
                n, e = earlier(f, d.chain, i, k)
                n, e = (n - d[i, k] * e) * (q // gcd(e, q)), e // gcd(e, q) * p
            case [k, "to", j]:  # d(k,j) + α f_j
                if d.chain.state(j) not in f and b.get(j, 0) < 0:
                    f[j] = 0, 1
                n, e = earlier(f, d.chain, j, k)
                n, e = d[k, j] * (e // gcd(e, p)) * q + n * (p // gcd(e, p)), e // gcd(e, p) * q
            case _:
                raise Malformed("an unknown kind of potential")
        demand(d.chain.state(k) not in f, BadEvidence, f"f_{k} occurs twice")
        demand(0 <= n <= d.denominator * e, RuleBroken, f"f_{k} is not between 0 and 1")
        f[k], one = (n, e), lcm(one, e)
        limit(one.bit_length() + d.denominator.bit_length(), len(entries))
    missing = {k: 0 for k, x in b.items() if x < 0 and k not in f}
    return {k: n * (one // e) for k, (n, e) in f.items()} | missing, one


def earlier(f: Mapping[int, Ratio], chain: Chain, i: Json, k: Json) -> Ratio:
    """f_i, from which f_k follows."""
    demand(chain.state(i) in f, BadEvidence, f"f_{i} has no earlier entry")
    demand(chain.is_twin(i, chain.state(k)), BadEvidence, f"{i} and {k} are not twins")
    return f[i]


# Kernel and bisimilarity ---------------------------------------------------------------------------------


def settle(claim: Claim, value: Callable[[int, int], int | None]) -> None:
    """Claimed 0, all its pairs must have value 0; claimed 1, (from, to) must have 1. None: not known."""
    claimed, _ = claim.numbers["value"]
    settled = all(value(s, t) == claimed for s, t in (claim.below if claimed else claim.above))
    demand(settled, ClaimOpen, "the value does not follow")


def kernel(chain: Chain, claim: Claim, evidence: Json) -> None:
    """The couplings of related pairs stay among them; the unrelated pairs fall one rank after the other."""
    sides = record(evidence, "related unrelated")
    related = read_rows(chain, sides["related"], "coupling pair")
    unrelated = read_rows(chain, sides["unrelated"], "pair potentials rank")
    demand(related.keys().isdisjoint(unrelated), BadEvidence, "a pair is both related and unrelated")
    for pair, row in related.items():
        with at(f"coupling of {pair}"):
            b, m = chain.skew(claim.alpha, pair)
            w, c = read_coupling(row["coupling"], chain)
            demand(w.keys() <= related.keys(), RuleBroken, "it leaves the related pairs")
            demand(not any(excess(claim.alpha, b, m, w, c)), RuleBroken, "it does not carry all mass")
    ranks = {pair: typed(row["rank"], int) for pair, row in unrelated.items()}
    demand(all(rank > 0 for rank in ranks.values()), Malformed, "a rank is not positive")
    fallen: dict[int, set[int]] = defaultdict(set)  # i: the j of the pairs (i,j) of lower rank
    for _, group in groupby(sorted(unrelated, key=ranks.__getitem__), ranks.__getitem__):
        falling = list(group)
        for pair in falling:
            with at(f"potentials of {pair}"):
                b, _ = chain.skew(claim.alpha, pair)
                g = read_positive_potentials(unrelated[pair]["potentials"], chain)
                small = all(flat(claim.alpha, chain, g, i, fallen.get(i, ())) for i in g)
                demand(small, RuleBroken, "they are too large for a pair of no lower rank")
                demand(dot(g, b) > 0, RuleBroken, "they gain nothing")
        for i, j in falling:
            fallen[i].add(j)

    def value(s: int, t: int) -> int | None:
        if s == t or (s, t) in related:
            return 0
        return 1 if chain.labels[s] != chain.labels[t] or (s, t) in unrelated else None

    if claim.below:
        settle(claim, value)
    else:
        demand(len(related) + len(unrelated) == chain.twin_count(), ClaimOpen, "a twin has no row")


def bisimilarity(chain: Chain, claim: Claim, evidence: Json) -> None:
    """`classes` is a bisimulation; the partition at the end of `splitters` is no finer than bisimilarity."""
    sides = record(evidence, "", "classes splitters")
    demand(len(sides) > 0, Malformed, "no evidence")
    finer, coarser = list(range(len(chain.rows))), [0] * len(chain.rows)
    if "classes" in sides:
        finer = classes_rule(chain, read_blocks(chain, sides["classes"]))
    if "splitters" in sides:
        coarser = splitters_rule(chain, read_blocks(chain, sides["splitters"]))
    if claim.below:
        settle(claim, lambda s, t: 0 if finer[s] == finer[t] else 1 if coarser[s] != coarser[t] else None)
    else:
        # Bisimilarity lies between the two partitions: they are equal if they have equally many classes.
        meet = len(sides) == 2 and len(set(finer)) == len(set(coarser))
        demand(meet, ClaimOpen, "the splitters do not separate the classes")


def read_blocks(chain: Chain, value: Json) -> list[list[int]]:
    blocks = [[chain.state(s) for s in typed(block, list)] for block in typed(value, list)]
    demand(all(blocks), BadEvidence, "an empty set of states")
    for block in blocks:
        ascending(block, BadEvidence, "states")
    return blocks


def classes_rule(chain: Chain, classes: Sequence[Sequence[int]]) -> list[int]:
    """A partition of the states; in each class, labels are equal, and μ(C) for all C. Class by state."""
    ascending((block[0] for block in classes), BadEvidence, "classes")
    place = {s: n for n, block in enumerate(classes) for s in block}
    disjoint = len(place) == sum(map(len, classes))
    demand(disjoint and len(place) == len(chain.rows), BadEvidence, "the classes are not a partition")
    looks: dict[int, tuple[str, Mapping[int, Fraction]]] = {}  # class: label and μ(C) of a state in it
    for s, row in enumerate(chain.rows):
        mass: dict[int, Fraction] = defaultdict(Fraction)
        for t, x in row.items():
            mass[place[t]] += Fraction(*x)
        look = chain.labels[s], mass
        demand(looks.setdefault(place[s], look) == look, RuleBroken, f"state {s} does not fit its class")
    return [place[s] for s in range(len(chain.rows))]


def splitters_rule(chain: Chain, splitters: Sequence[Sequence[int]]) -> list[int]:
    """Each splitter T is a union of classes and parts the states of different μ(T). Last class by state."""
    into: dict[int, list[int]] = defaultdict(list)
    for s, row in enumerate(chain.rows):
        for t in row:
            into[t].append(s)
    numbers = {label: n for n, label in enumerate(chain.classes)}
    place = [numbers[label] for label in chain.labels]
    size = [len(states) for states in chain.classes.values()]
    for n, splitter in enumerate(splitters):
        hit: dict[int, int] = defaultdict(int)
        mass: dict[int, Fraction] = defaultdict(Fraction)
        for t in splitter:
            hit[place[t]] += 1
            for s in into.get(t, ()):
                mass[s] += Fraction(*chain.rows[s][t])
        union = all(size[c] == count for c, count in hit.items())
        demand(union, RuleBroken, f"splitter {n} is not a union of classes")
        parts: dict[tuple[int, Fraction], int] = {}
        for s, x in mass.items():  # the others have mass 0 and stay where they are
            size[place[s]] -= 1
            place[s] = parts.setdefault((place[s], x), len(size))
            size += [0] * (place[s] + 1 - len(size))
            size[place[s]] += 1
    return place


# lv and tv -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ray:
    """Two vectors over the states, scale · x and scale · y, without their zeros. The integers of x and y have
    no common factor, so that multiples of one another differ in nothing but the scale."""

    x: Mapping[int, int]
    y: Mapping[int, int]
    scale: Fraction


Bounds = tuple[Fraction, Fraction]  # v_q and u_q of a node
Links = Sequence[tuple[int, Fraction]]  # p and c of a node's entries


@dataclass(slots=True)
class Budget:
    """What is left for the nodes of an unrolling, all together: a node of few bytes may have long vectors."""

    products: int
    numbers: int
    bits: int

    def multiply(self, products: int) -> None:
        self.products -= products
        demand(self.products >= 0, TooLarge, "too many products in all nodes together")

    def keep(self, bits: int, count: int) -> None:
        limit(bits, count)
        self.numbers, self.bits = self.numbers - count, self.bits - bits * count
        demand(min(self.numbers, self.bits) >= 0, TooLarge, "too many numbers in all nodes together")


def unrolling(chain: Chain, claim: Claim, evidence: Json, symmetric: bool = False) -> None:
    """lv, or tv, the larger of its two directions. A node stands for what is possible after some labels, and
    its values bound what an event about the labels from then on can gain (*Unrollings*)."""
    sides = record(evidence, "unrolling", "classes distance")
    place: Sequence[int] = range(len(chain.rows))
    if "classes" in sides:
        with at("classes"):
            chain, place = quotient(chain, read_blocks(chain, sides["classes"]))
    with at("distance"):
        u = read_table(chain, sides.get("distance", NO_ROWS), False, "coupling pair value")
        u = replace(u, default=u.denominator)
        upper_rules(claim.alpha, u, ("coupling",))
    fields = record(sides["unrolling"], "nodes roots")
    with at("roots"):
        roots = {chain.twin(root): q for q, root in enumerate(typed(fields["roots"], list))}
        demand(len(roots) == len(fields["roots"]), BadEvidence, "a root is repeated")
    bounds = nodes_rule(claim.alpha, u, list(roots), typed(fields["nodes"], list))
    lower, upper = Fraction(*claim.numbers["lower"]), Fraction(*claim.numbers["upper"])

    def images(pairs: Sequence[Pair]) -> set[Pair]:
        return {(place[s], place[t]) for pair in pairs for s, t in orders(pair, symmetric)}

    def is_below(pair: Pair) -> bool:
        least = bounds[roots[pair]][0] if pair in roots else 0
        return lower <= least or chain.labels[pair[0]] != chain.labels[pair[1]]

    def is_above(pair: Pair) -> bool:
        near = pair in roots and bounds[roots[pair]][1] <= upper
        return near or at_most(u.ratio(pair), claim.numbers["upper"])

    demand(any(map(is_below, images(claim.below))), ClaimOpen, "the nodes are below the claim")
    demand(all(map(is_above, images(claim.above))), ClaimOpen, "the nodes and distances are above the claim")


def quotient(chain: Chain, blocks: Sequence[Sequence[int]]) -> tuple[Chain, Sequence[int]]:
    """The chain whose states are the classes of a bisimulation, and the class of every state."""
    place = classes_rule(chain, blocks)
    labels, rows, classes = [], [], defaultdict(list)
    for c, block in enumerate(blocks):
        mass: dict[int, Fraction] = defaultdict(Fraction)
        for t, x in chain.rows[block[0]].items():
            mass[place[t]] += Fraction(*x)
        rows.append({t: x.as_integer_ratio() for t, x in mass.items()})
        labels.append(chain.labels[block[0]])
        classes[labels[c]].append(c)
    return Chain({}, labels, rows, classes, ()), place


def nodes_rule(alpha: Ratio, u: Table, roots: Sequence[Pair], nodes: Sequence[Json]) -> Sequence[Bounds]:
    """The values of all nodes. A node is defined by one before it: at its turn its ray is known, or never."""
    budget = Budget(MAX_PRODUCTS, MAX_VALUES, MAX_ROW_BITS)
    rows = [common(list(row.values())) for row in u.chain.rows]
    rays = {q: Ray({s: 1}, {t: 1}, Fraction(1)) for q, (s, t) in enumerate(roots)}
    demand(len(nodes) <= MAX_NODES, TooLarge, f"more than {MAX_NODES} nodes")
    demand(len(roots) <= len(nodes), BadEvidence, "a root is no node")
    bounds, links = list[Bounds](), list[list[tuple[int, Fraction]]]()
    even = dict[int, list[int]]()  # where the entries of balanced nodes lead
    forward = list[tuple[int, int, Fraction, Ray]]()  # q, p, c, and what node p multiplied by c must be
    for q, node in enumerate(nodes):
        with at(f"node {q}"):
            demand(q in rays, BadEvidence, "no entry defines it")
            links.append([])
            if "coupling" in typed(node, dict):
                coupling = record(node, "coupling")["coupling"]
                bounds.append(leaf_bounds(alpha, u, rays[q], coupling, budget))
                continue
            balanced = "balanced" in node
            fields = record(node, "balanced" if balanced else "lower next upper")
            entries = read_entries(fields["balanced" if balanced else "next"], len(nodes))
            if balanced:
                bounds.append(balanced_bounds(alpha, rays[q], budget))
                even[q] = [p for _, p, _ in entries]
            else:
                bounds.append((read_value(fields["lower"]), read_value(fields["upper"])))
            following = next_rays(u.chain, rows, rays[q], budget)
            same = [label for label, _, _ in entries] == sorted(following)
            demand(same, BadEvidence, "the labels are not those that may follow")
            for label, p, c in entries:
                if not balanced:
                    links[q].append((p, c or Fraction(1)))
                if c is None:
                    demand(p not in rays, BadEvidence, f"node {p} is defined already")  # as all up to q are
                    rays[p] = following[label]
                elif p in rays:
                    multiple_rule(following[label], c, rays[p], p)
                else:
                    forward.append((q, p, c, following[label]))
    for q, p, c, ray in forward:
        with at(f"node {q}"):
            multiple_rule(ray, c, rays[p], p)
    balance_rule(even, rays)
    leaves_rule(links)
    for q, link in enumerate(links):
        if link:
            with at(f"node {q}"):
                sums_rule(bounds, q, link, budget)
    return bounds


def read_value(value: Json) -> Fraction:
    n, d = rational(value)
    demand(n >= 0, Malformed, "a negative value")
    return Fraction(n, d)


def read_entries(value: Json, nodes: int) -> list[tuple[str, int, Fraction | None]]:
    """`next`: sorted by label, no label twice."""
    entries = list[tuple[str, int, Fraction | None]]()
    for entry in typed(value, list):
        label, p, *factor = items(entry, 3 if len(typed(entry, list)) == 3 else 2)
        demand(0 <= typed(p, int) < nodes, Malformed, "no such node")
        entries.append((typed(label, str), p, Fraction(*positive(factor[0])) if factor else None))
    ascending((label for label, _, _ in entries), BadEvidence, "labels")
    return entries


def next_rays(
    chain: Chain, rows: Sequence[tuple[Sequence[int], int]], ray: Ray, budget: Budget
) -> dict[str, Ray]:
    """x' and y' on the states of each label a with x'_a ≠ 0."""
    vectors, parts = (ray.x, ray.y), dict[str, tuple[dict[int, int], dict[int, int]]]()
    budget.multiply(sum(len(chain.rows[i]) for z in vectors for i in z))
    count = sum(len(set[int]().union(*(chain.rows[i] for i in z))) for z in vectors)
    scale_bits = ray.scale.denominator.bit_length()
    below = denominator_of({rows[i][1] for z in vectors for i in z}, scale_bits, count)
    budget.keep(below.bit_length() + scale_bits, count)
    for side, z in enumerate(vectors):
        after: dict[int, int] = defaultdict(int)
        for i, n in z.items():
            numerators, d = rows[i]
            n *= below // d
            for k, w in zip(chain.rows[i], numerators, strict=True):
                after[k] += n * w
        for k, n in after.items():
            parts.setdefault(chain.labels[k], ({}, {}))[side][k] = n
    rays = {}
    for label, (x, y) in parts.items():
        if x:
            g = gcd(*x.values(), *y.values())
            x, y = ({k: n // g for k, n in z.items()} for z in (x, y))
            rays[label] = Ray(x, y, ray.scale * Fraction(g, below))
    return rays


def multiple_rule(ray: Ray, c: Fraction, other: Ray, p: int) -> None:
    same = ray.x == other.x and ray.y == other.y and ray.scale == c * other.scale
    demand(same, RuleBroken, f"what follows is not that multiple of node {p}")


def leaf_bounds(alpha: Ratio, u: Table, ray: Ray, coupling: Json, budget: Budget) -> Bounds:
    """max(0, Σ_k b_k) and Σ w(i,j) u(i,j) + Σ_k max(0, b_k − …) for b = x − α y."""
    (p, q), (n, m) = alpha, ray.scale.as_integer_ratio()
    b = {k: n * (q * ray.x.get(k, 0) - p * ray.y.get(k, 0)) for k in ray.x.keys() | ray.y.keys()}
    w, c = read_coupling(coupling, u.chain)
    unit = q * m * c
    budget.keep((unit * u.denominator).bit_length() + p.bit_length(), 1)
    cost, lost = sum(x * u[ij] for ij, x in w.items()), sum(excess(alpha, b, m, w, c))
    return max(Fraction(0), Fraction(sum(b.values()), q * m)), Fraction(
        cost * q * m + lost * u.denominator, unit * u.denominator
    )


def balanced_bounds(alpha: Ratio, ray: Ray, budget: Budget) -> Bounds:
    """max(0, Σ_k b_k) for b = x − α y, twice."""
    p, q = alpha
    budget.keep(ray.scale.denominator.bit_length() + p.bit_length() + q.bit_length(), 1)
    gain = max(0, q * sum(ray.x.values()) - p * sum(ray.y.values())) * ray.scale / q
    return gain, gain


def balance_rule(even: Mapping[int, Sequence[int]], rays: Mapping[int, Ray]) -> None:
    """Balanced nodes lead to balanced nodes, whose x and y have masses in the same proportion."""
    ratios = {q: Fraction(sum(rays[q].y.values()), sum(rays[q].x.values())) for q in even}
    for q, targets in even.items():
        with at(f"node {q}"):
            for p in targets:
                demand(p in even, BadEvidence, f"node {p} is not balanced")
                demand(ratios[p] == ratios[q], RuleBroken, f"not in the proportion of node {p}")


def leaves_rule(links: Sequence[Links]) -> None:
    """From every node some path leads to a leaf or to a balanced node, which has no links either: else values
    in a circle would prove themselves."""
    before: list[list[int]] = [[] for _ in links]
    for q, entries in enumerate(links):
        for p, _ in entries:
            before[p].append(q)
    found = [q for q, entries in enumerate(links) if not entries]
    ends = set(found)
    for p in found:  # which grows
        new = [q for q in before[p] if q not in ends]
        ends.update(new)
        found += new
    demand(len(ends) == len(links), BadEvidence, "a node from which no path leads to a leaf")


def sums_rule(bounds: Sequence[Bounds], q: int, entries: Links, budget: Budget) -> None:
    """v_q ≤ Σ c v_p and u_q ≥ Σ c u_p."""
    for side, name in enumerate(("lower", "upper")):
        terms = [bounds[q][side], *(c * bounds[p][side] for p, c in entries)]
        (own, *others), d = common([term.as_integer_ratio() for term in terms])
        budget.keep(d.bit_length(), len(terms))
        kept = own >= sum(others) if side else own <= sum(others)
        demand(kept, RuleBroken, f"{name} does not follow from the next nodes")


# Threshold programs --------------------------------------------------------------------------------------

SHIFTS = (-1, 0, 1)
Loss = Fraction | None  # None is infinite
Functions = dict[tuple[str, str], list[tuple[T, T, T]]]  # by state and mode; of the stored shift
CONTRARY = {"hi0": {"lo1"}, "hi1": {"lo0", "lo1"}, "lo0": {"hi1"}, "lo1": {"hi0", "hi1"}}

# The differences Δ of input states that suffice for upper bounds, the loss being convex in Δ, and the others
CORNERS = {"all-differ": (-1, 1), "one-differ": (-1, 0, 1), "increasing": (0, 1), "decreasing": (-1, 0)}


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition with what its state says; the guard is "", "<" or ">="."""

    source: str
    to: str
    takes_input: bool
    rate: Fraction
    rate_prime: Fraction
    guard: str
    assigns: bool
    output: str


@dataclass(frozen=True, slots=True)
class Program:
    initial: str
    states: Collection[str]
    transitions: Sequence[Transition]


def read_program(model: Json) -> Program:
    fields = record(model, "initial states type version")
    constant(fields["type"], "threshold-program")
    constant(fields["version"], 1)
    states, variables, transitions = typed(fields["states"], dict), set[str](), list[Transition]()
    initial = typed(fields["initial"], str)
    for place, name in enumerate(sorted(states)):
        with at(f"state {place}"):
            state = record(states[name], "input mean mean_prime rate rate_prime transitions")
            takes_input, prime = typed(state["input"], bool), state["rate_prime"]
            demand((prime is None) == (state["mean_prime"] is None), Malformed, "half a second sample")
            rates = (
                Fraction(*positive(state["rate"])),
                Fraction(*(0, 1) if prime is None else positive(prime)),
            )
            for mean in ("mean",) if prime is None else ("mean", "mean_prime"):
                rational(state[mean])
            cases = [record(entry, "assign guard output to") for entry in typed(state["transitions"], list)]
            demand(len(cases) > 0, BadModel, "no transition")
            for case in cases:
                tests = [items(test, 2) for test in typed(case["guard"], list)]
                stored = [typed(variable, str) for variable in typed(case["assign"], list)]
                demand(len(tests) <= 1 and len(stored) <= 1, BadModel, "several tests or assignments")
                demand(takes_input or not tests, BadModel, "a guard without input")
                demand(all(test[0] in ("<", ">=") for test in tests), Malformed, "unknown guard")
                guard = typed(tests[0][0], str) if tests else ""
                variables.update(stored, (typed(test[1], str) for test in tests))
                output, to = typed(case["output"], str), typed(case["to"], str)
                demand(output != "insampleprime" or prime is not None, BadModel, "no second sample")
                transitions.append(Transition(name, to, takes_input, *rates, guard, bool(stored), output))
    demand(len(variables) <= 1, BadModel, "several variables")
    first = [t for t in transitions if t.source == initial]
    demand(len(first) == 1 and first[0].assigns and not first[0].guard, BadModel, "no initialisation")
    return Program(initial, states, transitions)


def private(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """No cycle discloses or leaks, and the facts are closed and free of contradiction."""
    demand(claim["adjacency"] == "all-differ", BadClaim, "the adjacency is not all-differ")
    fields = record(evidence, "components facts")
    component, facts = typed(fields["components"], dict), dict[str, set[str]]()
    demand(program.initial in component, BadEvidence, "the initial state has no component")
    demand(component.keys() <= set(program.states), BadEvidence, "a component of no state")
    demand(all(typed(number, int) >= 0 for number in component.values()), Malformed, "a negative component")
    for state, words in typed(fields["facts"], dict).items():
        demand(state in component and len(typed(words, list)) > 0, BadEvidence, "facts of no state, or none")
        demand(all(typed(word, str) in CONTRARY for word in words), Malformed, "unknown fact")
        ascending(words, BadEvidence, "facts")
        facts[state] = set(words)
    reached = [t for t in program.transitions if t.source in component]
    for t in reached:
        if t.to in program.states:
            demand(t.to in component, BadEvidence, "a reachable state has no component")
            demand(component[t.source] <= component[t.to], RuleBroken, "a transition to a lower component")
    inside = {t: component.get(t.to) == component[t.source] for t in reached}
    storing = {component[t.source] for t in reached if inside[t] and t.assigns}
    for n, t in enumerate(program.transitions):
        if t.source in component:
            with at(f"transition {n}"):
                private_rule(t, inside[t], component[t.source] in storing, facts, t.to in program.states)


def private_rule(
    t: Transition, inside: bool, storing: bool, facts: Mapping[str, set[str]], goes_on: bool
) -> None:
    """One transition discloses nothing, does not leak, adds no contradiction, and hands its facts on."""
    real = t.output in ("insample", "insampleprime")
    demand(not (inside and t.takes_input and real), RuleBroken, "a disclosing cycle")
    demand(not (inside and t.takes_input and storing and t.guard), RuleBroken, "a leaking cycle")
    side, added = {"<": "lo", ">=": "hi", "": ""}[t.guard], set[str]()
    if side:
        added |= {f"{side}1"} if inside else set()
        added |= {f"{side}0"} if t.output == "insample" else set()
    old = facts.get(t.source, set())
    free = not any(CONTRARY[fact] & (old | added) for fact in added)
    demand(free, RuleBroken, "facts that contradict each other")
    after = old | added
    if t.assigns:
        kept = {">=": ("lo0", "lo1"), "<": ("hi0", "hi1"), "": ()}[t.guard]
        after = after.intersection(kept) | ({"lo0", "hi0"} if t.output == "insample" else set())
    demand(not goes_on or after <= facts.get(t.to, set()), RuleBroken, "facts that are not handed on")


def not_private(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """A family of runs whose loss grows with N."""
    _, growth = blocks_rule(program, claim["adjacency"], record(evidence, "blocks")["blocks"], repeats=True)
    demand(growth > 0, ClaimOpen, "the total does not grow")


def epsilon(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """A run that loses at least `lower`; a closed table by which no run loses more than `upper`."""
    sides = record(evidence, "", "blocks table")
    demand(len(sides) > 0, Malformed, "no evidence")
    lower, upper = Fraction(*rational(claim["lower"])), read_loss(claim["upper"])
    demand(lower >= 0 and no_more(lower, upper), BadClaim, "lower is negative or above upper")
    total = Fraction(0)
    if "blocks" in sides:
        with at("blocks"):
            total, _ = blocks_rule(program, claim["adjacency"], sides["blocks"], repeats=False)
    demand(lower <= total, ClaimOpen, "the total of the run is below lower")
    if "table" in sides:
        with at("table"):
            table_rule(program, claim["adjacency"], sides["table"], upper)
    else:
        demand(upper is None, ClaimOpen, "no table for upper")


def blocks_rule(program: Program, adjacency: str, value: Json, repeats: bool) -> tuple[Fraction, Fraction]:
    """k and g: runs with N turns of every repeated block lose at least k + g N, by weak duality.

    The guard γ_i ≤ γ_at of step i puts its multiplier λ on the load y_i and −λ on y_at; γ_at ≤ γ_i puts −λ
    on y_i and λ on y_at. A load is a constant and what is to be multiplied by N.
    """
    steps, loads, differing = list[tuple[Transition, int, bool]](), list[list[Fraction]](), 0
    here, stored = program.initial, (-1, -1, True)  # the last step that assigns, its block, whether repeated
    for n, entry in enumerate(typed(value, list)):
        block = record(entry, "kind steps")
        repeat = typed(block["kind"], str) == "repeat"
        kinds = ("once", "repeat") if repeats else ("once",)
        demand(block["kind"] in kinds, Malformed, "unknown kind of block")
        demand(len(typed(block["steps"], list)) > 0, BadEvidence, "an empty block")
        keys = "delta multiplier transition", "" if repeat else "slope"
        parts = [record(step, *keys) for step in block["steps"]]
        chosen = [typed(part["transition"], int) for part in parts]
        demand(all(0 <= k < len(program.transitions) for k in chosen), Malformed, "no such transition")
        start = here
        last = (-1, -1, True) if repeat and any(program.transitions[k].assigns for k in chosen) else stored
        for k, part in zip(chosen, parts, strict=True):
            t, delta = program.transitions[k], typed(part["delta"], int)
            demand(t.source == here, BadEvidence, f"block {n} has a step that does not follow the one before")
            possible = {0, *CORNERS[adjacency]} if t.takes_input else {0}
            demand(delta in possible, BadEvidence, "an impossible delta")
            differing += delta != 0
            alone = adjacency != "one-differ" or delta == 0 or (differing == 1 and not repeat)
            demand(alone, BadEvidence, "two deltas")
            c, s = Fraction(*rational(part["multiplier"])), Fraction(*rational(part.get("slope", "0")))
            demand(s >= 0 and c + s >= 0, RuleBroken, "a negative multiplier")
            own = [c, s] if t.guard != ">=" else [-c, -s]
            steps.append((t, delta, repeat))
            loads.append(own)
            if c or s:
                step, home, many = last
                demand(t.guard != "", RuleBroken, "a multiplier without a guard")
                demand(home == n or not many, RuleBroken, "a multiplier of the shift of another turn")
                turns = [Fraction(0), own[0]] if repeat and home != n else own
                loads[step] = [bounded(x - y) for x, y in zip(loads[step], turns, strict=True)]
            if t.assigns:
                last = stored = (len(steps) - 1, n, repeat)
            here = t.to
        demand(not repeat or here == start, BadEvidence, f"block {n} does not end where it starts")
    total = [Fraction(0), Fraction(0)]
    for (t, delta, repeat), (constant_load, growing) in zip(steps, loads, strict=True):
        gain = t.rate * abs(delta)
        if t.output != "insample":
            demand(growing == 0 and abs(constant_load) <= t.rate, RuleBroken, "a load above the rate")
            gain = constant_load * delta
        gain += t.rate_prime * abs(delta) if t.output == "insampleprime" else 0
        total[repeat] = bounded(total[repeat] + gain)
    return total[0], total[1]


def bounded(x: Fraction) -> Fraction:
    limit(x.denominator.bit_length(), 1)
    return x


def read_loss(value: Json) -> Loss:
    if value == "inf":
        return None
    n, d = rational(value)
    demand(n >= 0, Malformed, "a negative number")
    return Fraction(n, d)


def no_more(x: Loss, y: Loss) -> bool:
    return y is None or (x is not None and x <= y)


def table_rule(program: Program, adjacency: str, value: Json, upper: Loss) -> None:
    """The table dominates what any transition and difference make of any of its functions, or of 0."""
    modes = ("unused", "used") if adjacency == "one-differ" else ("",)
    table, unit, infinite = scaled_table(program, read_table_functions(program, value, modes))
    nothing = [(0, 0, 0)]
    for n, t in enumerate(program.transitions):
        for delta in CORNERS[adjacency] if t.takes_input else (0,):
            for mode in modes if delta == 0 else modes[:1]:
                after = table.get((t.to, modes[-1] if delta else mode), nothing)
                before = table.get((t.source, mode), nothing)
                results = earlier_functions(t, delta, after, unit, infinite)
                closed = all_dominated(results, before)
                demand(closed, RuleBroken, f"not closed under transition {n} with delta {delta}")
    worst = max(map(min, table.get((program.initial, modes[0]), nothing)))
    below = no_more(None if worst == infinite else Fraction(worst, unit), upper)
    demand(below, ClaimOpen, "the table is above upper")


def read_table_functions(program: Program, value: Json, modes: Sequence[str]) -> Functions[Loss]:
    table = Functions[Loss]()
    entries = typed(value, dict)
    demand(entries.keys() <= set(program.states), BadEvidence, "functions of no state")
    for state, entry in entries.items():
        lists = {"": entry} if modes == ("",) else record(entry, " ".join(modes))
        for mode in modes:
            triples = [[read_loss(x) for x in items(triple, 3)] for triple in typed(lists[mode], list)]
            keys = [[(x is None, x or 0) for x in triple] for triple in triples]
            ascending(keys, BadEvidence, "functions")
            table[state, mode] = [(x, y, z) for x, y, z in triples]
    return table


def scaled_table(program: Program, table: Functions[Loss]) -> tuple[Functions[int], int, int]:
    """The table over one denominator, the denominator, and what stands for infinite: more than any sum.

    Lists end with the function 0, and are in falling order.
    """
    losses = [loss for functions in table.values() for function in functions for loss in function]
    rates = [rate for t in program.transitions for rate in (t.rate, t.rate_prime)]
    finite = [(x.numerator, x.denominator) for x in (*losses, *rates) if x is not None]
    numerators, unit = common(finite)
    infinite = 4 * max(numerators) + 1  # a function, twice a rate, and another one are less
    falling = {
        place: [scaled(function, unit, infinite) for function in reversed(functions)] + [(0, 0, 0)]
        for place, functions in table.items()
    }
    return falling, unit, infinite


def scaled(function: tuple[Loss, Loss, Loss], unit: int, infinite: int) -> tuple[int, int, int]:
    x, y, z = (infinite if loss is None else loss.numerator * (unit // loss.denominator) for loss in function)
    return x, y, z


def earlier_functions(
    t: Transition, delta: int, after: Iterable[tuple[int, int, int]], unit: int, infinite: int
) -> list[tuple[int, int, int]]:
    """What is lost from before the transition on, by the shift stored before it."""
    rate, prime = int(t.rate * unit), int(t.rate_prime * unit) if t.output == "insampleprime" else 0
    shifts = (0,) if t.output == "insample" else SHIFTS
    costs = {shift: abs(delta - shift) * rate + abs(delta) * prime for shift in shifts}
    allowed = [
        [s for s in shifts if (t.guard != "<" or s <= x) and (t.guard != ">=" or s >= x)] for x in SHIFTS
    ]

    def before(x: int, later: tuple[int, int, int]) -> int:
        losses = [costs[s] + later[(s if t.assigns else x) + 1] for s in allowed[x + 1]]
        return min(*losses, infinite, infinite)

    return [(before(-1, later), before(0, later), before(1, later)) for later in after]


def all_dominated(functions: Iterable[tuple[int, int, int]], others: Sequence[tuple[int, int, int]]) -> bool:
    """Whether each function is at most one of the others, which are in falling order, everywhere.

    In falling order of the first numbers, the others to compare with only become more. Of their second and
    third numbers only such pairs are kept that no pair reaches in both: the former rise, the latter fall.
    """
    seconds, thirds, place = list[int](), list[int](), 0
    for x, y, z in sorted(set(functions), reverse=True):
        while place < len(others) and others[place][0] >= x:
            _, second, third = others[place]
            place += 1
            last = bisect_right(seconds, second)
            first = last
            while first and thirds[first - 1] <= third:
                first -= 1
            if last == len(thirds) or thirds[last] < third:
                seconds[first:last], thirds[first:last] = [second], [third]
        least_second = bisect_left(seconds, y)
        if least_second == len(seconds) or thirds[least_second] < z:
            return False
    return True


# The whole file ------------------------------------------------------------------------------------------


def about_chain(
    rule: Callable[[Chain, Claim, Json], None], fields: Mapping[str, Json], model: Json, evidence: Json
) -> str:
    with at("model"):
        chain = read_chain(model)
    with at("claim"):
        claim = read_claim(fields, chain)
    with at("evidence"):
        rule(chain, claim, evidence)
    return describe(fields, chain.twin_count())


def about_program(
    rule: Callable[[Program, Mapping[str, Json], Json], None],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
) -> str:
    with at("model"):
        program = read_program(model)
    demand(typed(fields["adjacency"], str) in CORNERS, Malformed, "unknown adjacency")
    with at("evidence"):
        rule(program, fields, evidence)
    return describe(fields, 0)


BOUNDED = {
    "pair": "alpha from kind lower scope to upper",
    "relation": "alpha from kind lower scope to upper",
    "all-pairs": "alpha kind scope width",
}
UNROLLED = {scope: BOUNDED[scope] for scope in ("pair", "relation")}
RELATED = {
    "pair": "from kind scope to value",
    "relation": "from kind scope to value",
    "all-pairs": "kind scope",
}

# kind: its rule, and the keys of its claims by scope; claims about programs have no scope
KINDS: Mapping[str, tuple[Callable[[Mapping[str, Json], Json, Json], str], Mapping[str, str]]] = {
    "ld": (partial(about_chain, distance), BOUNDED),
    "lgd": (partial(about_chain, distance), BOUNDED),
    "bd": (partial(about_chain, partial(distance, symmetric=True)), BOUNDED),
    "kernel": (partial(about_chain, kernel), {scope: f"alpha {keys}" for scope, keys in RELATED.items()}),
    "bisimilarity": (partial(about_chain, bisimilarity), RELATED),
    "lv": (partial(about_chain, unrolling), UNROLLED),
    "tv": (partial(about_chain, partial(unrolling, symmetric=True)), UNROLLED),
    "private": (partial(about_program, private), {"": "adjacency kind"}),
    "not-private": (partial(about_program, not_private), {"": "adjacency kind"}),
    "epsilon": (partial(about_program, epsilon), {"": "adjacency kind lower upper"}),
}


def check(data: bytes) -> str:
    """The claim that the certificate establishes, one line of ASCII. Raises Rejected, and nothing else."""
    try:
        return establish(decode(data))
    except RecursionError:
        raise TooLarge("nested too deeply") from None
    except MemoryError:
        raise TooLarge("not enough memory") from None


def establish(certificate: Json) -> str:
    top = record(certificate, "claim evidence format model version")
    constant(top["format"], "prover-certificate")
    constant(top["version"], 1)
    claim = typed(top["claim"], dict)
    kind, scope = typed(claim.get("kind"), str), typed(claim.get("scope", ""), str)
    demand(kind in KINDS, Malformed, "unknown kind of claim")
    establish_kind, keys = KINDS[kind]
    demand(scope in keys, Malformed, "unknown scope")
    with at("claim"):
        record(claim, keys[scope])
    return establish_kind(claim, top["model"], top["evidence"])


def describe(claim: Mapping[str, Json], twins: int) -> str:
    words = [claim["kind"]] + [f"alpha={abbreviate(claim['alpha'])}" for _ in range("alpha" in claim)]
    if claim.get("scope") == "all-pairs":
        width = claim.get("width", "0")
        exact = f"exact: {twins} pairs"
        return " ".join([*words, "all-pairs", exact if width == "0" else f"width={abbreviate(width)}"])
    words += ["relation maximum at"] if claim.get("scope") == "relation" else []
    words += [f"adjacency={claim['adjacency']}"] if "adjacency" in claim else []
    words += [f"{end}={json.dumps(claim[end])}" for end in ("from", "to") if end in claim]
    numbers = {key: claim[key] for key in ("value", "lower", "upper") if key in claim}
    if len(set(numbers.values())) == 1:
        numbers = {"value": min(numbers.values())}
    return " ".join(words + [f"{key}={abbreviate(number)}" for key, number in numbers.items()])


def abbreviate(number: str) -> str:
    """A rational of at least 0: in full up to 60 characters, else truncated after 20 decimal places."""
    if len(number) <= 60:
        return number
    above, _, below = number.partition("/")
    exponent = max(0, len(above) - len(below) - 20)
    scaled = from_digits(above) * 10**20 // (from_digits(below or "1") * 10**exponent)
    places = str(scaled).rjust(21, "0")
    power = f"e+{exponent}" if exponent else ""
    return f"{places[:-20]}.{places[-20:]}...{power} (exact number of {len(above) + len(below)} digits)"


def main(argv: Sequence[str]) -> int:
    """Check the files; the exit status is 0, 1 or 2, the largest of theirs."""
    if not argv:
        print("usage: check.py FILE...", file=sys.stderr)
    status = 0 if argv else 2
    for path in argv:
        try:
            with open(path, "rb") as file:  # noqa: PTH123 (a path is only opened here)
                data = file.read(MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not a path"
            print(f"cannot read {json.dumps(path)}: {reason}", file=sys.stderr)
            status = 2
            continue
        try:
            verdict = f"VERIFIED {check(data)}"
        except Rejected as rejection:
            verdict, status = f"REJECTED {rejection}", max(status, 1)
        try:
            print(verdict if len(argv) == 1 else f"{verdict} ({json.dumps(path)})", flush=True)
        except OSError as error:  # of a broken pipe, nobody reads on, but the status still tells
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not isinstance(error, BrokenPipeError):
                print(f"cannot write the verdict: {error.strerror}", file=sys.stderr)
                status = 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
