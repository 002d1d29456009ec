"""The work of chains of which not every step is seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import fmpz

from prover.certificate.work.chains import Rows
from prover.certificate.work.count import Count

Json = Any


def count_collapsing(count: Count, chain: Rows, small: Rows, observer: Json, evidence: Json) -> None:
    """What is seen next of all states of the chain, of which not all is computed; and the collapsed rows."""
    silent = set(observer["silent"])
    erased, merged = exits(evidence["erased"]), exits(evidence["merged"])
    support, bits = dict[int, list[int]](), dict[int, int]()
    for s, following in enumerate(chain.successors):
        visible = {t for t in following if chain.labels[t] not in silent}
        support[s], bits[s] = skipped(count, following, visible, erased, chain.bits[s])
    merging = dict(evidence["entered"])
    longest = max(bits.values(), default=1)
    if observer["sees"] == "changes":
        for s in {*merged, *merging.values()}:
            seen = {t for t in support[s] if chain.labels[t] != chain.labels[s]}
            longest = max(longest, skipped(count, support[s], seen, merged, bits[s])[1])
    longest = max([longest, *(d.bit_length() for d, _ in erased.values())])
    for c in range(len(small.successors)):
        count.spend(2 * small.degree(c), longest, small.bits[c])


def exits(listed: Json) -> Mapping[int, tuple[fmpz, list[int]]]:
    """Denominators and states of exits."""
    return {row["state"]: (fmpz(row["denominator"]), [v for v, _ in row["exits"]]) for row in listed}


def skipped(
    count: Count,
    following: Any,
    seen: set[int],
    listed: Mapping[int, tuple[fmpz, list[int]]],
    below: int,
) -> tuple[list[int], int]:
    """One next seen: the states that it has numbers of, and the bits of their denominator."""
    ways = [(fmpz(1), [t]) if t in seen else listed.get(t, (fmpz(1), [])) for t in following]
    bits = count.common(d for d, _ in ways).bit_length() + below
    many = sum(len(states) for _, states in ways)
    count.spend(3 * many, bits, bits)
    count.keep(many, bits)
    return sorted({v for _, states in ways for v in states}), bits
