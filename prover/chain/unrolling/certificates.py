"""Evidence for intervals of lv and tv in the form that certificates hold it (docs/certificates.md, 3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from prover.chain.ld.certificates import coupling_entries, rational_text, upper_evidence
from prover.chain.ld.interval import UpperTable
from prover.chain.ld.problem import Pair
from prover.chain.unrolling.graph import Entry
from prover.chain.unrolling.intervals import Intervals
from prover.exact.fmpq import fmpq_of
from prover.graphs import search

Json = dict[str, Any]


def unrolling_evidence(found: Intervals) -> Json:
    """The unrolling with its values, the classes of the quotient, and what is used of the table of ld."""
    nodes: list[Json] = []
    for node, below, above in zip(found.nodes, found.below, found.above, strict=True):
        if node.circle:
            nodes.append({"balanced": [_entry(entry) for entry in node.circle]})
        elif node.entries is None:
            weights = {pair: weight * node.scale for pair, weight in node.coupling.items()}
            nodes.append({"coupling": coupling_entries(weights)})
        else:
            following = [_entry(entry) for entry in node.entries]
            nodes.append({"lower": rational_text(below), "next": following, "upper": rational_text(above)})
    evidence: Json = {"unrolling": {"nodes": nodes, "roots": [list(pair) for pair in found.roots]}}
    if len(found.merged.classes.classes) < sum(map(len, found.merged.classes.classes)):
        evidence["classes"] = [list(members) for members in found.merged.classes.classes]
    if found.bounds is not None:
        used = _used(found, found.bounds)
        if used:
            evidence["distance"] = upper_evidence(found.bounds, used)
    return evidence


def _entry(entry: Entry) -> list[Any]:
    named = [entry.label, entry.target]
    return named if entry.defining else [*named, rational_text(entry.factor)]


def _used(found: Intervals, bounds: UpperTable) -> Set[Pair]:
    """The pairs that the leaves and the roots use, and those that these lead to."""
    couplings = bounds.couplings
    asked = (pair for pair in _asked(found, bounds) if pair in couplings)
    return search(
        asked, lambda pair: (after for after in couplings[pair].weights if after in couplings)
    ).keys()


def _asked(found: Intervals, bounds: UpperTable) -> Iterable[Pair]:
    for node in found.nodes:
        if node.entries is None:
            yield from node.coupling
    for pair, above in zip(found.roots, found.above, strict=False):
        if pair in bounds.couplings and fmpq_of(bounds.table.value(pair)) < above:
            yield pair
