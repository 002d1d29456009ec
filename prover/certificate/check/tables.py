"""Tables of distances: how they are read, what a claim demands of them, and what they are known by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from .chains import Chain, Claim, Pair, read_rows
from .clusters import NO_CLUSTERS, Clusters, read_clusters
from .paths.detours import Detours
from .reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    ascending,
    at_most,
    demand,
    each,
    natural,
    record,
)
from .relations import read_blocks, splitters_rule
from .symmetry.orbits import Orbits

Row = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Table:
    """Distances of one side as integers over the denominator; `default` is that of pairs without a row. A row
    is about all pairs of its orbit, which `spread` has by the row's pair, and `values` one by one. Others in
    one of the `clusters` have its value. States of different `block` are not bisimilar."""

    chain: Chain
    denominator: int
    default: int
    rows: Mapping[Pair, Row]
    spread: Mapping[Pair, Sequence[Pair]]
    values: Mapping[Pair, int]
    block: Sequence[int]
    detours: Mapping[str, Detours | None]  # of the labels that are listed; not known at first
    clusters: Clusters = NO_CLUSTERS

    def __getitem__(self, pair: Pair) -> int:
        if pair in self.values:
            return self.values[pair]
        (i, j), labels = pair, self.chain.labels
        if i == j:
            return 0
        near = self.clusters.value(pair)
        if near is not None:
            return near
        return self.default if labels[i] == labels[j] else self.denominator

    def ratio(self, pair: Pair) -> Ratio:
        return self[pair], self.denominator

    def far_apart(self, pair: Pair) -> bool:
        """At distance 1 and not bisimilar."""
        return self[pair] == self.denominator and self.block[pair[0]] != self.block[pair[1]]


NO_ROWS: Json = {"denominator": "1", "rows": []}


def read_table(
    chain: Chain, value: Json, orbits: Orbits, required: str, optional: str = "", *, clusters: str = ""
) -> Table:
    fields = record(value, "denominator rows", "detours splitters" if optional else clusters)
    denominator = natural(fields["denominator"])
    demand(denominator > 0, Malformed, "the denominator is 0")
    rows = read_rows(chain, fields["rows"], required, optional)
    demand(not orbits.symmetric or all(i < j for i, j in rows), BadEvidence, "a pair is not increasing")
    spread, listed = orbits.spread(rows), {pair: natural(row["value"]) for pair, row in rows.items()}
    values = {ij: n for pair, n in listed.items() for ij in spread[pair]}
    demand(max(listed.values(), default=0) <= denominator, BadEvidence, "a value is above 1")
    block = splitters_rule(chain, read_blocks(chain, fields.get("splitters", [])))
    labels = each(fields.get("detours", []), str)
    ascending(labels, BadEvidence, "labels of detours")
    demand(chain.classes.keys() >= set(labels), BadEvidence, "a label of detours is not a label of the model")
    near = read_clusters(chain, fields.get("clusters", []), denominator)
    spreads = bool(rows and orbits.symmetries)
    demand(not near.members or not spreads, BadEvidence, "rows are spread beside clusters")
    above = any((c := near.value(pair)) is not None and n > c for pair, n in listed.items())
    demand(not above, BadEvidence, "a value is above that of the cluster")
    return Table(chain, denominator, 0, rows, spread, values, block, dict.fromkeys(labels), near)


def claim_rule(claim: Claim, d: Table, u: Table) -> bytes | None:
    """The claim follows from the tables; returns what they are known by if the claim is about all pairs."""
    budget = d.chain.budget
    if claim.below:
        reached = all(at_most(claim.numbers["lower"], d.ratio(pair)) for pair in claim.below)
        demand(reached, ClaimOpen, "the lower table does not prove lower")
        budget.spend(len(claim.above), u.denominator.bit_length())
        most = max((u[pair] for pair in claim.above), default=0)
        kept = at_most((most, u.denominator), claim.numbers["upper"])
        demand(kept, ClaimOpen, "the upper table does not prove upper")
        return None
    demand(not u.clusters.members, BadEvidence, "clusters are not for claims about all pairs")
    if claim.numbers["width"] != (1, 1):  # of width 1 nothing is left to show
        width, rows = claim.numbers["width"], 0 if d.rows is u.rows else len(d.values) + len(u.values)
        long, other = (table.denominator.bit_length() + width[1].bit_length() for table in (d, u))
        budget.spend(rows, long, other)
        demand(gaps_at_most(u, d, width), ClaimOpen, "the tables differ by more than the width")
    for table in (d, u):
        bits = table.denominator.bit_length()
        budget.spend(2 * len(table.values), bits, bits)
    lower = in_lowest_terms(d)
    upper = lower if u.values is d.values else in_lowest_terms(u)
    return f'{{"lower":{listed(d, *lower)},"upper":{listed(u, *upper)}}}'.encode("ascii")


def in_lowest_terms(table: Table) -> tuple[str, Sequence[tuple[int, str]]]:
    """The denominator in hexadecimal digits, without the common divisor of all values, and in order of their
    pairs every value with a row about it."""
    unit = table.denominator
    for n in table.values.values():
        if unit == 1:
            break
        unit = gcd(unit, n)
    values = sorted(table.values.items())
    rows = [(n, f'[{i},{j},"{n if unit == 1 else n // unit:x}"]') for (i, j), n in values]
    return f"{table.denominator // unit:x}", rows


def listed(table: Table, denominator: str, rows: Sequence[tuple[int, str]]) -> str:
    """Canonical JSON of the values that are not the default."""
    others = ",".join([text for n, text in rows if n != table.default])
    return f'{{"denominator":"{denominator}","rows":[{others}]}}'


def gaps_at_most(u: Table, d: Table, width: Ratio) -> bool:
    """u − d ≤ width < 1 everywhere. Where one table serves both sides, only the defaults of pairs without a
    row differ, by 1, and no long numbers are multiplied."""
    if u.values is d.values:
        return len(u.values) == u.chain.count_alike()
    (n, m), above, below = width, u.values.get, d.values.get
    most, lift, drop = n * u.denominator * d.denominator, m * d.denominator, m * u.denominator
    high, low = u.default, d.default
    return all(above(ij, high) * lift - below(ij, low) * drop <= most for ij in u.chain.alike_pairs())
