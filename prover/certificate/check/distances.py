"""ld, lgd and bd: the rules by which tables of distances bound from above and from below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import groupby

from .chains import (
    Chain,
    Claim,
    Pair,
    Skew,
    excess,
    read_coupling,
    read_positive_potentials,
    skew,
)
from .clusters import clusters_rule
from .paths.detours import detour_rule, detours
from .reading import (
    BadEvidence,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    at,
    demand,
    rational,
    record,
    typed,
)
from .symmetry.orbits import read_orbits
from .tables import NO_ROWS, Row, Table, claim_rule, read_table

Matrix = Mapping[int, Mapping[int, int]]  # by rows or by columns


NONE: Mapping[int, int] = {}
NO_POWERS = 0, 0


def distance(chain: Chain, claim: Claim, evidence: Json, symmetric: bool = False) -> bytes | None:
    """ld = lgd (Theorem A), or bd, whose tables are symmetric. The upper rule makes u pre-fixed, so it is
    not below the distance (Knaster and Tarski). The lower rule makes d post-fixed, and the rank rule makes it
    0 on skewed bisimilarity, so that it is not above (Theorems A and B, certificate form). Returned are the
    tables, where the claim is about all pairs."""
    tables = "exact" if "exact" in typed(evidence, dict) else "lower upper"
    sides = record(evidence, "", f"{tables} symmetries")
    demand(len(sides.keys() - {"symmetries"}) > 0, Malformed, "there is no evidence")
    with at("symmetries"):
        orbits = read_orbits(chain, sides.get("symmetries", []), symmetric=symmetric)
    couplings = ("forward", "backward") if symmetric else ("coupling",)
    above = " ".join(("pair value", *couplings))
    below = "pair value potentials" + (" direction" if symmetric else "")
    ranks = "rank rank_potentials"
    if "exact" in sides:
        with at("exact"):
            d = u = read_table(chain, sides["exact"], orbits, f"{below} {above}", ranks)
    else:
        with at("lower"):
            d = read_table(chain, sides.get("lower", NO_ROWS), orbits, below, ranks)
        with at("upper"):
            u = read_table(chain, sides.get("upper", NO_ROWS), orbits, above, clusters="clusters")
    u = replace(u, default=u.denominator)
    lower_rules(claim.alpha, with_detours(claim.alpha, d))
    upper_rules(claim.alpha, u, couplings)
    return claim_rule(claim, d, u)


def upper_rules(alpha: Ratio, u: Table, couplings: Sequence[str]) -> None:
    """The upper rule, for every row in the direction of each of its couplings, and that of clusters."""
    clusters_rule(u.chain, u.clusters, u.denominator)
    here = at()
    with here:
        for pair, row in u.rows.items():
            for key, ij in zip(couplings, (pair, pair[::-1]), strict=False):
                here.place = "coupling of", ij
                upper_rule(alpha, u, ij, row[key])


def upper_rule(alpha: Ratio, u: Table, pair: Pair, coupling: Json) -> None:
    """Σ w(i,j) u(i,j) + Σ_k max(0, b_k − Σ_j w(k,j) + α Σ_i w(i,k)) ≤ u(pair)."""
    w, states = read_coupling(coupling, u.chain), len(u.chain.rows[pair[0]])
    b = skew(u.chain, alpha, pair, states, w.whole)
    lost = excess(u.chain.budget, alpha, b, states, w)
    u.chain.budget.spend(len(w.weights) + 2, u.denominator.bit_length(), b.bits + w.bits)
    near = u.values
    cost = sum([x * (near[ij] if ij in near else u[ij]) for ij, x in w.weights.items()])
    if cost * b.unit + lost * u.denominator > near[pair] * (b.unit * w.whole):
        raise RuleBroken("it costs more than the value")


def with_detours(alpha: Ratio, d: Table) -> Table:
    """The table with the detours of the labels that it lists."""
    classes, budget, whole = d.chain.classes, d.chain.budget, d.denominator
    with at("detours"):
        found = {a: detours(classes[a], d.__getitem__, whole, alpha, budget) for a in d.detours}
    return replace(d, detours=found)


def lower_rules(alpha: Ratio, d: Table, moving: Callable[[Row], Table] | None = None) -> None:
    """The lower rule and the rank rule, for every row; of a process `moving` has the table with the rows of
    the action by which a pair moves. There couplings of one arc are meant at α = 1 (*Strategies*)."""
    after: dict[int, dict[int, int]] = defaultdict(dict)  # i: {j: d(i,j) > 0}, by increasing d
    before: dict[int, dict[int, int]] = defaultdict(dict)  # j: {i: d(i,j) > 0}, by increasing d
    equal: dict[Pair, list[Pair]] = defaultdict(list)  # (level, i): (j, rank) of its rows, if one has a rank
    levels: dict[Pair, int] = {}  # the same for the rows of one value above 0
    value = d.values.__getitem__
    for level, (n, rows) in enumerate(groupby(sorted(d.rows, key=value), value)):
        ranks = {pair: read_rank(d.rows[pair], n) for pair in rows}
        ranked = any(ranks.values())
        for pair, rank in ranks.items() if n > 0 else ():
            levels[pair] = level
            for i, j in d.spread[pair]:
                after[i][j] = before[j][i] = n
                if ranked:
                    equal[level, i].append((j, rank))
    here = at()
    with here:
        for pair, row in d.rows.items():
            ij, moved = pair, d
            if "direction" in row or moving is not None:
                here.place = "row of", pair
                ij = turned(pair, row.get("direction", "forward"))
                moved = d if moving is None else moving(row)
            here.place = "potentials of", pair
            surplus = lower_rule(alpha, moved, ij, row["potentials"], after, before)
            if surplus < 0:
                raise RuleBroken("they gain less than the value")
            if surplus == 0 and "rank" not in row and d[pair] > 0 and not d.far_apart(pair):
                raise RuleBroken("they gain just the value, and there is no rank")
            if "rank" in row:
                here.place = "rank potentials of", pair
                direct = moving is not None and alpha == (1, 1)
                rank_rule(alpha, moved, ij, row, equal, level=levels[pair], direct=direct)


def turned(pair: Pair, direction: Json) -> Pair:
    """The order of a pair that a row of a symmetric table is about."""
    demand(typed(direction, str) in ("forward", "backward"), Malformed, "unknown direction")
    return pair if direction == "forward" else pair[::-1]


def lower_rule(alpha: Ratio, d: Table, pair: Pair, value: Json, after: Matrix, before: Matrix) -> int:
    """How much more than the value the potentials gain, times a positive number."""
    if not typed(value, list):  # all potentials are 0, which keep every rule, and gain nothing
        return -d.values[pair]
    budget, entries, into = d.chain.budget, len(value), len(d.chain.rows[pair[1]])
    b = skew(d.chain, alpha, pair, entries + len(d.chain.rows[pair[0]]))
    f, e, bits = read_potentials(value, alpha, d, b)
    high = d.denominator.bit_length() + bits
    budget.spend(entries * (entries + into) + 4 * entries + into, high, bits + alpha[0].bit_length())
    smooth_rule(alpha, d, f, e, after, before, high + bits)
    budget.spend(entries + 2, high, b.bits)
    return b.dot(f) - d.values[pair] * e * b.unit


def smooth_rule(
    alpha: Ratio, d: Table, f: Mapping[int, int], e: int, after: Matrix, before: Matrix, bits: int
) -> None:
    """f_i ≤ d(i,j) + α f_j for the pairs (i,j) in F, the states that f has; and, where some states u of their
    label are outside F, either the same along its detours, if these are listed, or f_i ≤ m(i) + α m'(j) +
    α² f_j with the least m(i) = d(i,u) and m'(j) = d(u,j)."""
    (p, q), labels, unit, near = alpha, d.chain.labels, alpha[1] * e, d.values.get
    inside: dict[str, list[int]] = {}
    for k in sorted(f, key=f.__getitem__):
        inside.setdefault(labels[k], []).append(k)
    for label, states in inside.items():
        if not f[states[-1]]:
            continue
        rising = [i for i in states if f[i]]
        others = [(j, p * f[j]) for j in states] if len(states) > 1 else []
        for i in rising:
            steep = q * f[i]
            for j, raised in others:
                rest = steep - raised
                if rest <= 0:  # so too for all that follow, i among them
                    break
                if rest > near((i, j), 0) * unit:
                    raise RuleBroken(f"f_{i} is too large for d({i},{j})")
        ways = d.detours.get(label)
        if ways is not None:
            detour_rule(alpha, ways, f, e, rising, states, bits, d.chain.budget)
            continue
        outside = len(d.chain.classes[label]) - len(states)
        if outside > 0:
            # Where i = j the condition is void, because α ≥ 1: so the worst i may meet the worst j.
            pp, qq = p * p, q * q
            highest = qq * f[rising[-1]]
            low = [j for j in states if pp * f[j] < highest]
            d.chain.budget.spend(len(states) * (len(rising) + len(low)))
            if not low:  # no two of its states are far enough apart to break the rule
                continue
            own = set(states)
            rise = max([f[i] - least_outside(after.get(i, NONE), own, outside) * e for i in rising])
            floors = [p * f[j] + least_outside(before.get(j, NONE), own, outside) * unit for j in low]
            if qq * rise > p * min(floors):
                words = "the potentials do not extend to the free states of the label of"
                raise RuleBroken(f"{words} {states[0]}")


def least_outside(row: Mapping[int, int], own: Set[int], outside: int) -> int:
    """The least entry of a row or column of d over the `outside` many states of a class that are not its own.
    The row has the entries above 0 only, by size; where it has one for each of those states, none is 0."""
    if len(row) < outside or len(row) - len(row.keys() & own) < outside:
        return 0
    for k, n in row.items():
        if k not in own:
            return n
    return 0


def read_rank(row: Row, n: int) -> int:
    """The rank of a row of value n; 0 where it has none."""
    if "rank" not in row and "rank_potentials" not in row:
        return 0
    demand("rank" in row and "rank_potentials" in row, Malformed, "only one of rank and rank_potentials")
    demand(typed(row["rank"], int) > 0, Malformed, "a rank is not positive")
    demand(n > 0, BadEvidence, "a row of value 0 has a rank")
    return typed(row["rank"], int)


def rank_rule(
    alpha: Ratio,
    d: Table,
    pair: Pair,
    row: Row,
    equal: Mapping[Pair, Sequence[Pair]],
    *,
    level: int,
    direct: bool,
) -> None:
    """g_i ≤ α g_j for every pair (i,j) with a row of the same value and no rank below r, if `direct` those
    with b_i > 0 > b_j only; Σ g_k b_k > 0."""
    (p, q), r = alpha, row["rank"]
    g, bits = read_positive_potentials(row["rank_potentials"], d.chain)
    tied = [(i, j, rank) for i in g for j, rank in equal.get((level, i), ())]
    d.chain.budget.spend(len(g), d.denominator.bit_length())
    b = skew(d.chain, alpha, pair, len(g))
    d.chain.budget.spend(len(tied) + len(g), bits, b.bits)
    for i, j, rank in tied:
        if direct and not b.b.get(i, 0) > 0 > b.b.get(j, 0):
            continue
        if rank >= r and q * g[i] > p * g.get(j, 0):
            raise RuleBroken(f"g_{i} is too large for g_{j}")
    demand(b.dot(g) > 0, RuleBroken, "they gain nothing")


def read_potentials(value: Json, alpha: Ratio, d: Table, b: Skew) -> tuple[dict[int, int], int, int]:
    """f, e and at least the bits of e, with f_k = f[k] / (D e), for the states that have an entry, or b_k < 0
    and then f_k = 0. With u and v of its own, f_k D c p^u q^v is an integer: e has the largest of both, so
    that all divisions leave nothing."""
    (p, q), budget, whole, near = alpha, d.chain.budget, d.denominator, d.values
    known, u, v = powers_of(value, d.chain, b.b)
    constants = [rational(entry[1]) for entry in value if len(entry) == 2]
    c = budget.denominator([below for _, below in constants])
    bits = c.bit_length() + (u + v) * (p - 1).bit_length()
    budget.spend(4 * len(value), whole.bit_length() + bits, bits)
    budget.fit(known, whole.bit_length() + bits)
    e = c * p**u * q**v
    one, f, given = e * whole, b.below(), iter(constants)
    for entry in value:
        k = entry[0]
        if len(entry) == 2:
            n, below = next(given)
            x = one if n == below else n * (e // below) * whole
        elif entry[1] == "from":  # (f_i − d(i,k)) / α
            i = entry[2]
            x = (f[i] - near.get((i, k), d.default) * e) * q // p
        else:  # d(k,j) + α f_j
            j = entry[2]
            x = f[j] * p // q + near.get((k, j), d.default) * e
        if not 0 <= x <= one:
            raise RuleBroken(f"f_{k} is not between 0 and 1")
        f[k] = x
    return f, e, bits


def powers_of(value: Json, chain: Chain, b: Mapping[int, int]) -> tuple[int, int, int]:
    """How many states have an entry or are those that an entry begins with, and the largest u and v of them:
    to divide by α is to multiply by q and to divide by p, which is not done where q divides the denominator
    anyway; and vice versa."""
    powers: dict[int, Pair] = {}
    most_u, most_v, labels, known = 0, 0, chain.labels, len(chain.rows)
    for entry in value:
        size = len(entry) if type(entry) is list else 0
        if size == 2 and type(entry[1]) is str:
            k, level = entry[0], NO_POWERS
            if type(k) is not int or not 0 <= k < known:
                chain.state(k)
        elif size == 3 and entry[1] in ("from", "to"):
            k, kind, i = entry
            if type(i) is not int or i not in powers:
                if kind == "from" or b.get(chain.state(i), 0) >= 0:
                    chain.state(i)
                    raise BadEvidence(f"f_{i} has no earlier entry")
                powers[i] = NO_POWERS
            if type(k) is not int or not 0 <= k < known:
                chain.state(k)
            if k == i or labels[i] != labels[k]:
                raise BadEvidence(f"({i}, {k}) is not a pair of equal label")
            u, v = powers[i]
            if kind == "from":
                u, v = level = u + 1, v - 1 if v else 0
                most_u = most_u if most_u > u else u
            else:
                u, v = level = u - 1 if u else 0, v + 1
                most_v = most_v if most_v > v else v
        else:
            raise Malformed("a potential is of an unknown kind")
        if k in powers:
            raise BadEvidence(f"f_{k} occurs twice")
        powers[k] = level
    return len(powers), most_u, most_v
