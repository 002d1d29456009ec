"""ld, lgd and bd: two tables, and the rules by which one of them bounds from below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import gcd, lcm

from .chains import Chain, Claim, Pair, dot, orders, read_positive_potentials
from .reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    at,
    at_most,
    demand,
    limit,
    rational,
    record,
    typed,
)
from .tables import NO_ROWS, Table, read_table, upper_rules

Matrix = Mapping[int, Mapping[int, int]]  # by rows or by columns


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
