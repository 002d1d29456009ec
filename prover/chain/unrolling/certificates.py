"""Evidence for intervals of δ in the form that certificates hold it (docs/certificates.md, 3.5 and 3.9)."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, Any

from prover.certificate.schema import Json
from prover.chain.ld.certificates import coupling_entries, rational_text, upper_evidence
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.unrolling.graph import Entry
from prover.chain.unrolling.intervals import Intervals
from prover.exact.fmpq import fmpq_of
from prover.graphs import search

if TYPE_CHECKING:
    from prover.chain.ld.interval import UpperTable


def unrolling_evidence(found: Intervals) -> Json:
    """The unrolling with its values, the classes of the quotient, and what is used of the table of ld."""
    is_chain = isinstance(found.merged.system, LabelledMarkovChain)
    listed = _node if is_chain else _node_with_actions
    nodes = [listed(found, number) for number in range(len(found.nodes))]
    unrolling = {"nodes": nodes, "roots": [list(pair) for pair in found.roots]}
    evidence: Json = {"unrolling": unrolling, **found.merged.classes_evidence()}
    if found.bounds is not None:
        used = _used(found, found.bounds)
        if used:
            evidence["distance"] = upper_evidence(found.bounds, used)
    elif found.clusters is not None:
        evidence["distance"] = found.clusters.evidence()
    return evidence


def _node(found: Intervals, number: int) -> Json:
    """A node of a chain's unrolling: what follows it, or a leaf's coupling."""
    node = found.nodes[number]
    if node.circle:
        return {"balanced": [_entry(entry) for entry in node.circle]}
    if node.is_leaf:
        weights = {pair: weight * node.scale for pair, weight in node.coupling.items()}
        return {"coupling": coupling_entries(weights)}
    return {"next": [_entry(entry) for entry in node.entries], **_ends(found, number)}


def _node_with_actions(found: Intervals, number: int) -> Json:
    """A node with a choice: what follows each action, and which one the attacker, or nature, takes."""
    node, action = found.nodes[number], found.action(number)
    if node.by_nature:
        action = found.menu(number)[found.replies[number]]
    if node.choices is None:
        return {}
    actions = {
        named: [[entry.label, entry.target] for entry in entries]
        for named, entries in zip(found.menu(number), node.choices, strict=True)
    }
    return {
        "actions": actions,
        **_ends(found, number),
        **({} if action is None else {"taken": action}),
    }


def _ends(found: Intervals, number: int) -> Json:
    return {"lower": rational_text(found.below[number]), "upper": rational_text(found.above[number])}


def _entry(entry: Entry) -> list[Any]:
    named = [entry.label, entry.target]
    return named if entry.defining else [*named, rational_text(entry.factor)]


def _used(found: Intervals, bounds: UpperTable) -> Set[Pair]:
    """The pairs that the leaves and the roots use, and those that these lead to."""
    couplings = bounds.couplings
    queried = (pair for pair in _using(found, bounds) if pair in couplings)
    return search(
        queried, lambda pair: (after for after in couplings[pair].weights if after in couplings)
    ).keys()


def _using(found: Intervals, bounds: UpperTable) -> Iterable[Pair]:
    for node in found.nodes:
        if node.is_leaf:
            yield from node.coupling
    unrolled = dict(zip(found.roots, found.above, strict=False))
    for pair in (*found.roots, *sorted({*map(found.merged.pair, found.upper)} - unrolled.keys())):
        above = unrolled.get(pair)
        if pair in bounds.couplings and (above is None or fmpq_of(bounds.table.value(pair)) < above):
            yield pair
