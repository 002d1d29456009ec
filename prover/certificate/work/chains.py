"""The work of certificates about chains, but for unrollings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flint import fmpz

from prover.certificate.work.count import STEP, Count, denominator, parts
from prover.certificate.work.detours import Longest, detours
from prover.certificate.work.separators import PAIR_BITS, Walls, count_separators
from prover.certificate.work.symmetry import Spread, try_symmetries

Json = Any
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rows:
    """Of every state the label, the successors, the row's common denominator and its bits."""

    labels: Sequence[str]
    successors: Sequence[Sequence[int]]
    bits: Sequence[int]
    wholes: Sequence[fmpz]
    classes: Mapping[str, int]
    slope: tuple[int, int]
    alpha: int
    steep: int

    def degree(self, s: int) -> int:
        """The number of successors."""
        return len(self.successors[s])


def rows_of(count: Count, model: Mapping[str, Any], alpha: str) -> Rows:
    """The rows of a chain, which cost something already; α = p/q counts with the bits of p and of p − 1."""
    names = sorted(model["states"])
    index = {name: s for s, name in enumerate(names)}
    states = [model["states"][name] for name in names]
    wholes = []
    for state in states:
        wholes.append(count.common(map(denominator, state["next"].values())))
        count.keep(len(state["next"]), wholes[-1].bit_length())
    labels = [state["label"] for state in states]
    following = [[index[t] for t in state["next"]] for state in states]
    p, q = (int(fmpz(end)) for end in parts(alpha))
    bits = [whole.bit_length() for whole in wholes]
    return Rows(
        labels, following, bits, wholes, Counter(labels), (p, q), p.bit_length(), (p - 1).bit_length()
    )


def skew(count: Count, rows: Rows, pair: Pair, values: int) -> int:
    """So many values of b for a pair; the bits of its denominator, at most."""
    s, t = pair
    count.spend(values + 4, rows.bits[s] + rows.alpha, rows.bits[t] + rows.alpha)
    return rows.bits[s] + rows.bits[t] + rows.alpha


def numbers(count: Count, entries: Sequence[Json]) -> tuple[int, int]:
    """Numbers that are the last of their entries; the bits of the longest numerator over their common
    denominator, and of that."""
    ends = [parts(entry[-1]) for entry in entries]
    whole = count.common(below for _, below in ends)
    longest = max(((fmpz(n) * whole // fmpz(d)).bit_length() for n, d in ends), default=0)
    return int(longest), int(whole.bit_length())


def uncoupled(count: Count, rows: Rows, pair: Pair, entries: Sequence[Json]) -> tuple[int, int]:
    """What a coupling leaves over; the bits of the numbers of b, and of the coupling."""
    longest = max(numbers(count, entries))
    bits = skew(count, rows, pair, rows.degree(pair[0]))
    count.spend(rows.degree(pair[0]) + 3 * len(entries) + 2, bits, longest)
    return bits, longest


def upper_rules(count: Count, rows: Rows, table: Json) -> None:
    """The upper rule of all rows, in one direction or in both."""
    d = fmpz(table["denominator"]).bit_length()
    for row in table["rows"]:
        couplings(count, rows, row["pair"], d, row)


def couplings(count: Count, rows: Rows, pair: Sequence[int], d: int, given: Json) -> None:
    """The upper rule of a pair for the couplings among what is given, over a denominator of d bits."""
    i, j = pair
    for key, ordered in (("coupling", (i, j)), ("forward", (i, j)), ("backward", (j, i))):
        if key in given:
            bits, longest = uncoupled(count, rows, ordered, given[key])
            count.spend(len(given[key]) + 2, d, bits + longest)


def lower_rules(
    count: Count,
    rows: Rows,
    table: Json,
    spread: Sequence[Sequence[Pair]],
    under: Mapping[str, Rows] | None = None,
) -> None:
    """The lower rule and the rank rule of all rows, each about so many pairs, and the splitters; of a process
    the rows of the chain are those ``under`` the action of a row.
    """
    splitters(count, rows, table.get("splitters", ()))
    ways = detours_of(count, rows, table, spread)
    equal: Counter[tuple[str, int]] = Counter()
    for row, pairs in zip(table["rows"], spread, strict=True):
        equal.update((row["value"], i) for i, _ in pairs)
    d = fmpz(table["denominator"]).bit_length()
    for row in table["rows"]:
        pair = (
            tuple(row["pair"]) if row.get("direction", "forward") == "forward" else tuple(row["pair"][::-1])
        )
        moved = rows if under is None else under[row["action"]]
        if row["potentials"]:
            potentials(count, moved, pair, row["potentials"], d, ways)
        if "rank" in row:
            g = row["rank_potentials"]
            tied = sum(equal[row["value"], i] for i, _ in g)
            count.spend(len(g), d)
            longest, _ = numbers(count, g)
            bits = skew(count, moved, pair, len(g))
            count.spend(tied + len(g), longest, bits)


def detours_of(count: Count, rows: Rows, table: Json, spread: Sequence[Sequence[Pair]]) -> dict[str, Longest]:
    """The detours of the labels that a table lists."""
    listed = table.get("detours", ())
    if not listed:
        return {}
    values = {
        pair: int(fmpz(row["value"]))
        for row, pairs in zip(table["rows"], spread, strict=True)
        for pair in pairs
    }
    members = defaultdict(list)
    for s, label in enumerate(rows.labels):
        members[label].append(s)
    whole = int(fmpz(table["denominator"]))
    return {label: detours(count, members[label], values, whole, *rows.slope) for label in listed}


def potentials(
    count: Count, rows: Rows, pair: Pair, entries: Sequence[Json], d: int, ways: Mapping[str, Longest]
) -> None:
    """The lower rule of a row, over a denominator of d bits; of what free states cost, a bound."""
    s, t = pair
    powers = dict[int, tuple[int, int]]()
    for k, kind, *other in entries:
        u, v = powers.setdefault(other[0], (0, 0)) if other else (0, 0)
        if other:
            u, v = (u + 1, max(0, v - 1)) if kind == "from" else (max(0, u - 1), v + 1)
        powers[k] = u, v
    many, into = len(entries), rows.degree(t)
    bits = skew(count, rows, pair, many + rows.degree(s))
    whole = count.common(denominator(x) for _, x, *other in entries if not other).bit_length()
    e = whole + sum(max(column) for column in zip(*powers.values(), strict=True)) * rows.steep
    count.hold(many + into, d + e)
    count.spend(4 * many, d + e, e)
    count.spend(many * (many + into) + 4 * many + into, d + e, e + rows.alpha)
    count.spend(many + 2, d + e, bits)
    listed = Counter(rows.labels[k] for k in powers)
    inside = Counter(rows.labels[k] for k in powers.keys() | set(rows.successors[t]))
    for label, some in listed.items():
        if label in ways:
            most, more = ways[label].most, ways[label].arcs * rows.alpha
            count.spend(some * inside[label] * most, d + 2 * e + more, more)
        elif rows.classes[label] > some:
            count.spend(inside[label] * (some + inside[label]))


def splitters(count: Count, rows: Rows, listed: Sequence[Sequence[int]]) -> None:
    """The splitters rule, once for every splitter."""
    if not listed:
        return
    cost: dict[int, int] = defaultdict(int)
    for s, following in enumerate(rows.successors):
        for t in following:
            cost[t] += STEP + (rows.bits[s] // 64 + 1) ** 2
    count.units += sum(STEP + cost[t] for splitter in set(map(tuple, listed)) for t in splitter)


def classes(count: Count, rows: Rows, blocks: Sequence[Sequence[int]]) -> None:
    """The classes rule."""
    for block in blocks:
        for s in block:
            count.spend(2 * rows.degree(s), rows.bits[s], rows.bits[block[0]])


def count_tables(count: Count, rows: Rows, claim: Mapping[str, Any], pairs: int, evidence: Json) -> None:
    """ld, lgd and bd; the claim is about so many pairs, where it is not about all."""
    tables = [
        evidence.get(side, evidence.get("exact", {"denominator": "1", "rows": []}))
        for side in ("lower", "upper")
    ]
    orbits = spread_of(count, rows, evidence, symmetric=claim["kind"] == "bd")
    spread = [
        [orbits.of(row["pair"]) for row in table["rows"]]
        for table in tables[: 1 if "exact" in evidence else 2]
    ]
    spread *= 2 // len(spread)
    listed = [sum(map(len, pairs)) for pairs in spread]
    if "upper" not in evidence or "lower" in evidence:
        lower_rules(count, rows, tables[0], spread[0])
    upper_rules(count, rows, tables[1])
    count_claim(count, claim, pairs, tables, listed, shared="exact" in evidence)


def count_claim(
    count: Count,
    claim: Mapping[str, Any],
    pairs: int,
    tables: Sequence[Json],
    listed: Sequence[int],
    *,
    shared: bool,
) -> None:
    """What tables of so many listed pairs say of a claim; ``shared``: one table is both."""
    d = [fmpz(table["denominator"]).bit_length() for table in tables]
    if claim["scope"] != "all-pairs":
        count.spend(pairs, d[1])
        return
    for bits, many in zip(d, listed, strict=True):
        count.spend(2 * many, bits, bits)
    if not shared:
        width = fmpz(denominator(claim["width"])).bit_length()
        count.spend(sum(listed), d[0] + width, d[1] + width)


def spread_of(count: Count, rows: Rows, evidence: Json, *, symmetric: bool = False) -> Spread:
    """The orbits under the symmetries of the evidence, after these were tried."""
    symmetries = evidence.get("symmetries", ())
    try_symmetries(count, rows.bits, [len(following) for following in rows.successors], symmetries)
    return Spread(count, symmetries, symmetric)


def count_kernel(
    count: Count, rows: Rows, model: Mapping[str, Any], claim: Mapping[str, Any], evidence: Json
) -> None:
    """Skewed bisimilarity of the chain of a model, whose rows these are."""
    orbits = spread_of(count, rows, evidence)
    for row in evidence["related"]:
        orbits.of(row["pair"])
        uncoupled(count, rows, row["pair"], row["coupling"])
    if "separators" in evidence:
        into: list[list[tuple[int, int]]] = [[] for _ in rows.labels]
        for s, (_, state) in enumerate(sorted(model["states"].items())):
            for u, x in zip(rows.successors[s], state["next"].values(), strict=True):
                above, below = map(fmpz, parts(x))
                into[u].append((s, int(above * rows.wholes[s] // below)))
        walls = Walls(rows.labels, into, [int(whole) for whole in rows.wholes], rows.slope)
        parted = count_separators(count, walls, evidence["separators"], orbits)
        if claim["scope"] == "all-pairs":
            count.keep(parted, PAIR_BITS)
        return
    fallen: Counter[int] = Counter()
    for _, group in groupby(sorted(evidence["unrelated"], key=_rank), _rank):
        falling = list(group)
        for row in falling:
            g = row["potentials"]
            longest, _ = numbers(count, g)
            bits = skew(count, rows, row["pair"], len(g))
            count.spend(sum(min(len(g), fallen[i]) for i, _ in g) + len(g), longest, bits)
        fallen.update(i for row in falling for i, _ in orbits.of(row["pair"]))


def _rank(row: Json) -> int:
    rank: int = row["rank"]
    return rank


def count_bisimilarity(count: Count, rows: Rows, evidence: Json) -> None:
    """Bisimilarity."""
    classes(count, rows, evidence.get("classes", ()))
    splitters(count, rows, evidence.get("splitters", ()))
