"""Evidence about ld: the rows of `proofs/Upper.v` and `proofs/Lower.v`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from prover.certificate.coq.model import CoqRows
from prover.certificate.coq.tokens import listed

EMPTY: Mapping[str, Any] = {"denominator": "1", "rows": []}
"""A table without rows."""


def scaled(values: Mapping[int, Fraction], unit: int) -> Iterator[list[int]]:
    """Keys and values, in multiples of 1 / unit."""
    return ([k, int(value * unit)] for k, value in sorted(values.items()))


def whole(chain: CoqRows, pair: Sequence[int], denominators: Sequence[int]) -> list[int]:
    """A common denominator of both rows and of other numbers, and how often the rows' own go into it."""
    own = [chain.denominator(s) for s in pair]
    scale = lcm(*own, *denominators)
    return [scale, *(scale // d for d in own)]


def moves(coupling: Sequence[Any], unit: int) -> Iterator[int]:
    return listed([i, j, int(Fraction(w) * unit)] for i, j, w in coupling)


def upper_table(chain: CoqRows, table: Mapping[str, Any]) -> Iterator[int]:
    """A table of values and couplings."""
    yield int(table["denominator"])
    yield from listed(_upper_row(chain, row) for row in table["rows"])


def _upper_row(chain: CoqRows, row: Mapping[str, Any]) -> Iterator[int]:
    scales = whole(chain, row["pair"], [Fraction(w).denominator for _, _, w in row["coupling"]])
    yield from (*row["pair"], int(row["value"]), *scales)
    yield from moves(row["coupling"], scales[0])


def lower_table(chain: CoqRows, alpha: Fraction, table: Mapping[str, Any]) -> Iterator[int]:
    """A table of values, potentials and ranks, and splitters. A row of bd has evidence for one direction, and
    speaks for the other, too."""
    rows = [row for row in table["rows"] if int(row["value"])]
    directed = [
        row if row.get("direction") != "backward" else {**row, "pair": row["pair"][::-1]} for row in rows
    ]
    mirrored = [{**row, "pair": row["pair"][::-1]} for row in directed if "direction" in row]
    values = {tuple(row["pair"]): int(row["value"]) for row in directed + mirrored}
    distances = _Distances(chain, values, int(table["denominator"]))
    yield distances.denominator
    short = "detours" in table
    yield from listed(
        [*(_lower_row(distances, alpha, row, short) for row in directed), *map(_mirror, mirrored)]
    )
    yield from listed(listed([s] for s in members) for members in table.get("splitters", []))


def _mirror(row: Mapping[str, Any]) -> Iterator[int]:
    """A row without evidence: a pair, its value and its rank."""
    yield from (*row["pair"], int(row["value"]), 1, 0, 0, 1)
    yield from (*listed([]), *listed([]), row.get("rank", 0), *listed([]), 1)


class _Distances:
    """d of a table, defaults included; the states of each label; and of each state k the distances d(u,k) > 0
    to it, the least first, with u."""

    def __init__(self, chain: CoqRows, values: Mapping[tuple[int, ...], int], denominator: int) -> None:
        self.chain, self.values, self.denominator = chain, values, denominator
        self.peers: dict[int, list[int]] = {}
        for s, label in enumerate(chain.labels):
            self.peers.setdefault(label, []).append(s)
        self.before: dict[int, list[tuple[int, int]]] = {}
        for (u, k), value in values.items():
            self.before.setdefault(k, []).append((value, u))
        for reaching in self.before.values():
            reaching.sort()

    def __getitem__(self, pair: tuple[int, int]) -> Fraction:
        return Fraction(self.values.get(pair, 0), self.denominator)


def _lower_row(d: _Distances, alpha: Fraction, row: Mapping[str, Any], short: bool) -> Iterator[int]:
    s, t = row["pair"]
    b = {k: d.chain.next[s].get(k, Fraction(0)) - alpha * d.chain.next[t].get(k, Fraction(0))
         for k in {*d.chain.next[s], *d.chain.next[t]}}  # fmt: skip
    f = potentials(d, alpha, row["potentials"], [k for k, x in b.items() if x < 0])
    if short:  # other states may need potentials of their own, which certificates with detours leave out
        f |= forced_potentials(d, alpha, f)
    free = free_potentials(d, alpha, f)
    fine = lcm(*(x.denominator for x in (*f.values(), *free.values())))
    more = fine // gcd(fine, d.denominator)
    ranks = {k: Fraction(x) for k, x in row.get("rank_potentials", [])}
    unit = lcm(*(x.denominator for x in ranks.values()))
    yield from (s, t, int(row["value"]), *whole(d.chain, (s, t), []), more)
    yield from listed(scaled(f, d.denominator * more))
    yield from listed(scaled(free, d.denominator * more))
    yield row.get("rank", 0)
    yield from listed(scaled(ranks, unit))
    yield 0


def potentials(
    d: _Distances, alpha: Fraction, entries: Sequence[Any], behind: Sequence[int]
) -> dict[int, Fraction]:
    """The potentials of a row's entries, and 0 for the other states with b < 0 (Section 3.1 of the
    specification)."""
    f: dict[int, Fraction] = {}
    for k, kind, *rest in entries:
        if not rest:
            f[k] = Fraction(kind)
        elif kind == "from":
            f[k] = (f[rest[0]] - d[rest[0], k]) / alpha
        else:
            f[k] = d[k, rest[0]] + alpha * f.get(rest[0], Fraction(0))
    return {k: Fraction(0) for k in behind} | f


def forced_potentials(d: _Distances, alpha: Fraction, f: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """The least potentials above 0 that those given force on the other states of their labels."""
    forced: dict[int, Fraction] = {}
    waiting = [k for k, x in f.items() if x > 0]
    for i in waiting:
        x = forced[i] if i in forced else f[i]
        limit = -(-x.numerator * d.denominator // x.denominator)
        for u in d.peers[d.chain.labels[i]]:
            if u not in f and d.values.get((i, u), 0) < limit:
                least = (x - d[i, u]) / alpha
                if least > forced.get(u, 0):
                    forced[u] = least
                    waiting.append(u)
    return forced


def free_potentials(d: _Distances, alpha: Fraction, f: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """One number for all free states of a label: the largest that no other potential forbids, and at most 1.
    Labels at which nothing forbids 1 are left out."""
    free = {}
    for label in {d.chain.labels[k] for k in f}:
        others = [u for u in d.peers[label] if u not in f]
        own = [k for k in f if d.chain.labels[k] == label] if others else []
        nearest = {k: _nearest(d, k, f, len(others)) for k in own}
        bounds = [Fraction(n, d.denominator) + alpha * f[k] for k, n in nearest.items()]
        if bounds and min(bounds) < 1:
            free[label] = min(bounds)
    return free


def _nearest(d: _Distances, k: int, f: Mapping[int, Fraction], others: int) -> int:
    """The least d(u,k), in multiples of 1 / denominator, of the states u of the label of k without a
    potential, which are so many."""
    outside = [value for value, u in d.before.get(k, ()) if u not in f]
    return outside[0] if len(outside) == others else 0
