"""Evidence about ld: the rows of `proofs/Upper.v` and `proofs/Lower.v` (docs/theory.md, *Theorem A in its
certificate form* and *Lower tables at α = 1*)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import gcd, lcm
from typing import Any

from flint import fmpq

from prover.certificate.coq.model import CoqRows
from prover.certificate.coq.tokens import listed
from prover.errors import NotSupported
from prover.exact.fmpq import fmpq_of

EMPTY: Mapping[str, Any] = {"denominator": "1", "rows": []}
"""A table without rows."""


def scaled(values: Mapping[int, Fraction], unit: int) -> Iterator[list[int]]:
    """Keys and values, in multiples of 1 / unit."""
    return ([k, int(value * unit)] for k, value in sorted(values.items()))


def whole(pair: Sequence[int], own: Sequence[int], denominators: Iterable[int] = ()) -> list[int]:
    """A common denominator of both rows and of other numbers, and how often the rows' own go into it."""
    scale = lcm(*(own[s] for s in pair), *denominators)
    return [scale, *(scale // own[s] for s in pair)]


def moves(coupling: Sequence[Any], unit: int) -> Iterator[int]:
    return listed([i, j, int(Fraction(w) * unit)] for i, j, w in coupling)


def upper_table(chain: CoqRows, table: Mapping[str, Any]) -> Iterator[int]:
    """A table of values and couplings. Raises NotSupported where it has clusters."""
    without_clusters(table)
    yield int(table["denominator"])
    yield from upper_rows(chain, table["rows"])


def without_clusters(table: Mapping[str, Any]) -> None:
    """Raises NotSupported where a table has clusters."""
    if table.get("clusters"):
        raise NotSupported(
            "the proofs in Coq do not cover clusters of nearly bisimilar states", code="not-in-coq"
        )


def upper_rows(chain: CoqRows, rows: Iterable[Mapping[str, Any]]) -> Iterator[int]:
    own = chain.denominators()
    yield from listed(_upper_row(own, row) for row in rows)


def _upper_row(own: Sequence[int], row: Mapping[str, Any]) -> Iterator[int]:
    scales = whole(row["pair"], own, (Fraction(w).denominator for _, _, w in row["coupling"]))
    yield from (*row["pair"], int(row["value"]), *scales)
    yield from moves(row["coupling"], scales[0])


def both_ways(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Rows of bd as rows of ld, two for one. Raises NotSupported where there are clusters, too."""
    without_clusters(table)
    rows = [
        {"coupling": row[side], "pair": row["pair"][::step], "value": row["value"]}
        for row in table["rows"]
        for side, step in (("forward", 1), ("backward", -1))
    ]
    return {"denominator": table["denominator"], "rows": rows}


def lower_table(chain: CoqRows, alpha: Fraction, table: Mapping[str, Any]) -> Iterator[int]:
    """A table of values, potentials and ranks, and splitters. A row of bd has evidence for one direction, and
    speaks for the other, too."""
    rows = [row for row in table["rows"] if int(row["value"])]
    directed = [
        row if row.get("direction") != "backward" else {**row, "pair": row["pair"][::-1]} for row in rows
    ]
    mirrored = [{**row, "pair": row["pair"][::-1]} for row in directed if "direction" in row]
    values = {tuple(row["pair"]): int(row["value"]) for row in directed + mirrored}
    distances = Distances(chain, alpha, values, int(table["denominator"]))
    yield distances.denominator
    short = "detours" in table
    yield from listed([*(_lower_row(distances, row, short) for row in directed), *map(_mirror, mirrored)])
    yield from listed(listed([s] for s in members) for members in table.get("splitters", []))


def _mirror(row: Mapping[str, Any]) -> Iterator[int]:
    """A row without evidence: a pair, its value and its rank."""
    yield from (*row["pair"], int(row["value"]), 1, 0, 0, 1)
    yield from (*listed([]), *listed([]), row.get("rank", 0), *listed([]), 1)


class Distances:
    """A chain with its denominators, and d of a table in multiples of 1 / denominator, defaults included: for
    each state k the states u of its label, those of the least d(u,k) first, and those of the least d(k,u)."""

    def __init__(
        self, chain: CoqRows, alpha: Fraction, values: Mapping[tuple[int, ...], int], denominator: int
    ) -> None:
        self.alpha, self.denominator, self.values = alpha, denominator, values
        self.labels, self.own = chain.labels, chain.denominators()
        unit = lcm(*self.own)
        self.next = [{k: int(x * unit) for k, x in row.items()} for row in chain.next]
        peers: dict[int, list[int]] = {}
        for s, label in enumerate(chain.labels):
            peers.setdefault(label, []).append(s)
        self.peers = peers
        self.before = [
            sorted((values.get((u, k), 0), u) for u in peers[a]) for k, a in enumerate(self.labels)
        ]
        self.after = [sorted((values.get((k, u), 0), u) for u in peers[a]) for k, a in enumerate(self.labels)]

    def __getitem__(self, pair: tuple[int, int]) -> fmpq:
        return fmpq(self.values.get(pair, 0), self.denominator)


def _lower_row(d: Distances, row: Mapping[str, Any], short: bool) -> Iterator[int]:
    s, t = row["pair"]
    unit, f = potentials(d, (s, t), row["potentials"])
    if short:  # other states may need potentials of their own, which certificates with detours leave out
        unit, f = with_forced(d, unit, f)
    q = d.alpha.denominator
    free = free_potentials(d, unit, f)
    more = unit * q // d.denominator
    surplus = gcd(more, *(n * q for n in f.values()), *free.values())
    ranks = {k: Fraction(x) for k, x in row.get("rank_potentials", [])}
    fine = lcm(*(x.denominator for x in ranks.values()))
    yield from (s, t, int(row["value"]), *whole((s, t), d.own), more // surplus)
    yield from listed([k, n * q // surplus] for k, n in sorted(f.items()))
    yield from listed([k, n // surplus] for k, n in sorted(free.items()))
    yield row.get("rank", 0)
    yield from listed(scaled(ranks, fine))
    yield 0


def potentials(d: Distances, pair: Sequence[int], entries: Sequence[Any]) -> tuple[int, dict[int, int]]:
    """The potentials of a row's entries, and 0 for the other states with b < 0 (Section 3.1 of the
    specification), as multiples of 1 / the first number, of which the denominator of d is a factor."""
    alpha, f = fmpq_of(d.alpha), dict[int, fmpq]()
    for k, kind, *rest in entries:
        if not rest:
            f[k] = fmpq_of(Fraction(kind))
        elif kind == "from":
            f[k] = (f[rest[0]] - d[rest[0], k]) / alpha
        else:
            f[k] = d[k, rest[0]] + alpha * f.get(rest[0], fmpq(0))
    unit = lcm(d.denominator, *(int(x.q) for x in f.values()))
    (p, q), (s, t) = d.alpha.as_integer_ratio(), pair
    behind = [k for k, n in d.next[t].items() if d.next[s].get(k, 0) * q < n * p]
    return unit, dict.fromkeys(behind, 0) | {k: int((x * unit).p) for k, x in f.items()}


def with_forced(d: Distances, unit: int, f: Mapping[int, int]) -> tuple[int, dict[int, int]]:
    """The same with the least potentials above 0 that those given force on the other states of their labels:
    f(i) forces (f(i) - d(i,u)) / alpha on u, which is no larger. So the largest of those that remain is never
    raised. A finer unit makes all of them integers."""
    p, q = d.alpha.as_integer_ratio()
    finer, found, done = 1, dict[int, int](), set[int]()
    waiting = [(-n, k) for k, n in f.items() if n > 0]
    heapify(waiting)
    step = unit // d.denominator
    while waiting:
        negative, i = heappop(waiting)
        if i in done:
            continue
        done.add(i)
        if step % p or negative % p:
            finer, step, negative = finer * p, step * p, negative * p
            waiting = [(n * p, k) for n, k in waiting]
            found = {k: n * p for k, n in found.items()}
        for distance, u in d.after[i]:
            rest = -negative - distance * step
            if rest <= 0:
                break
            if u not in f and rest // p * q > found.get(u, 0):
                found[u] = rest // p * q
                heappush(waiting, (-found[u], u))
    return unit * finer, {k: n * finer for k, n in f.items()} | found


def free_potentials(d: Distances, unit: int, f: Mapping[int, int]) -> dict[int, int]:
    """One number for all free states of a label: the largest that no other potential forbids, and at most 1.
    Labels at which nothing forbids 1 are left out. They are in multiples of 1 / unit over the denominator of
    alpha."""
    p, q = d.alpha.as_integer_ratio()
    given: dict[int, list[int]] = {}
    for k in f:
        given.setdefault(d.labels[k], []).append(k)
    least = {
        label: min(_nearest(d, k, f) * (unit // d.denominator) * q + p * f[k] for k in own)
        for label, own in given.items()
        if len(own) < len(d.peers[label])
    }
    return {label: n for label, n in least.items() if n < unit * q}


def _nearest(d: Distances, k: int, f: Mapping[int, int]) -> int:
    """The least d(u,k) of the states u of the label of k without a potential."""
    return next(distance for distance, u in d.before[k] if u not in f)
