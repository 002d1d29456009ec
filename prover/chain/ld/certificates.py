"""Evidence about chains in the form that certificates hold it (docs/certificates.md, Section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from flint import fmpq

from prover.certificate.schema import Certificate, Json, encode
from prover.chain.bisimulation import Bisimilarity, bisimilarity
from prover.chain.canonical import chain_model, process_model
from prover.chain.collapsing.certificates import collapsing_evidence, observer_claim
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.ld.interval import Enclosure, UpperTable
from prover.chain.ld.policy_iteration import Solution, rank_evidence
from prover.chain.ld.potentials import Derivation, Potential
from prover.chain.ld.problem import Problem
from prover.chain.ld.skew_bisimulation import Kernel, separators
from prover.chain.ld.symmetric import Oriented
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Coupling
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.process import LabelledMarkovDecisionProcess, System
from prover.chain.real import RoundedChain, rounding_claim, rounding_evidence
from prover.exact.fmpq import fmpq_rows


def certify(system: System, claim: Mapping[str, Any], evidence: Mapping[str, Any]) -> Certificate:
    """The certificate of a claim about the system; about the original chain, where a chain is collapsed."""
    if isinstance(system, LabelledMarkovDecisionProcess):
        return encode(claim, process_model(system), evidence)
    if isinstance(system, CollapsedChain):
        claim = {**claim, "observer": observer_claim(system.collapsing)}
        evidence = {**evidence, "collapsing": collapsing_evidence(system)}
        system = system.collapsing.original
    if isinstance(system, RoundedChain):
        claim = {**claim, **rounding_claim(system.rounding)}
        evidence = {**evidence, "rounding": rounding_evidence(system)}
        return encode(claim, system.rounding.original.model(), evidence)
    return encode(claim, chain_model(system), evidence)


def no_evidence() -> Json:
    """Tables without rows: every pair is between 0 and 1."""
    return {"lower": {"denominator": "1", "rows": []}}


def exact_evidence(
    chain: LabelledMarkovChain,
    solution: Solution,
    opposite: Mapping[Pair, Coupling] = MappingProxyType({}),
    oriented: Oriented | None = None,
) -> Json:
    """One table for both sides: couplings, potentials and ranks of every pair of the solution.

    For bd couplings of both directions, potentials and ranks of the one that counts.
    """
    ones = [p for p in solution.problem.parts if solution.table.numerators[p] == solution.table.denominator]
    table = _table(solution.table, _rows(solution, opposite, oriented, frozenset(ones)))
    table |= _detours(chain, solution.detoured, solution.problem)
    if ones:
        table["splitters"] = _splitters(bisimilarity(chain))
    return {"exact": table, **_symmetries(solution.problem)}


def _rows(
    solution: Solution,
    opposite: Mapping[Pair, Coupling],
    oriented: Oriented | None,
    ones: frozenset[Pair],
) -> list[Json]:
    ranks = rank_evidence(solution.problem, solution.table, ones)
    rows = []
    for pair in solution.problem.parts:
        row = _upper_row(pair, solution.table, solution.couplings[pair], opposite.get(pair), oriented)
        row |= _lower_row(pair, solution.table, solution.potentials.get(pair, ()), oriented)
        if pair in ranks:
            row["rank"] = ranks[pair].rank
            row["rank_potentials"] = constant_entries(ranks[pair].potentials)
        rows.append(row)
    return rows


def _detours(chain: LabelledMarkovChain, detoured: Iterable[int], problem: Problem) -> Json:
    """The labels of which the checker has to find detours, and their images under symmetries."""
    states = {image for s in detoured for image, _ in problem.orbits.orbit((s, s))}
    labels = sorted({chain.labels[s] for s in states})
    return {"detours": labels} if labels else {}


def interval_evidence(chain: LabelledMarkovChain, found: Enclosure, oriented: Oriented | None = None) -> Json:
    """A table for each side, with the rows that say more than the defaults 1 and 0."""
    upper, lower = found.upper, found.lower
    return {
        "upper": _table(
            upper.table,
            [
                _upper_row(pair, upper.table, upper.couplings[pair], upper.opposite.get(pair), oriented)
                for pair in sorted(upper.couplings)
            ],
        ),
        "lower": _table(
            lower.table,
            [
                _lower_row(pair, lower.table, derived, oriented)
                for pair, derived in sorted(lower.potentials.items())
            ],
        )
        | _detours(chain, lower.detoured, found.problem),
        **_symmetries(found.problem),
    }


def upper_evidence(upper: UpperTable, pairs: Iterable[Pair] | None = None) -> Json:
    """The rows of an upper table for the given pairs, or for all with a coupling (of bd: one each way)."""
    rows: list[Json] = []
    for pair in sorted(upper.couplings if pairs is None else pairs):
        forward = coupling_entries(upper.couplings[pair].weights)
        row = {"pair": list(pair), "value": upper.table.numerators[pair]}
        if upper.opposite:
            rows.append(
                row | {"forward": forward, "backward": coupling_entries(upper.opposite[pair].weights)}
            )
        else:
            rows.append(row | {"coupling": forward})
    return _table(upper.table, rows)


def _table(table: DistanceValues, rows: list[Json]) -> Json:
    return {"denominator": str(table.denominator), "rows": rows}


def _upper_row(
    pair: Pair,
    table: DistanceValues,
    coupling: Coupling,
    opposite: Coupling | None,
    oriented: Oriented | None,
) -> Json:
    row: Json = {"pair": list(pair), "value": table.numerators[pair]}
    if oriented is None:
        return row | {"coupling": coupling_entries(coupling.weights)}
    chosen = coupling_entries(coupling.weights)
    other = coupling_entries({} if opposite is None else opposite.weights)
    ahead = oriented.forward[pair]
    return row | {"forward": chosen if ahead else other, "backward": other if ahead else chosen}


def _lower_row(pair: Pair, table: DistanceValues, derived: Derivation, oriented: Oriented | None) -> Json:
    row: Json = {
        "pair": list(pair),
        "value": table.numerators[pair],
        "potentials": [potential_entry(potential) for potential in derived],
    }
    if oriented is not None:
        row["direction"] = "forward" if oriented.forward[pair] else "backward"
    return row


def kernel_evidence(chain: LabelledMarkovChain, problem: Problem, kernel: Kernel) -> Json:
    """Couplings of the related pairs, and what separates the others."""
    rows = fmpq_rows(chain.rows)
    parting = [
        {"potentials": constant_entries(separator.potentials), "rank": separator.rank}
        for separator in separators(kernel, rows, problem.members, problem.alpha)
    ]
    related = [
        {"pair": list(pair), "coupling": coupling_entries(free.weights)}
        for pair, free in sorted(kernel.related.items())
    ]
    return {"related": related, "separators": parting, **_symmetries(problem)}


def _symmetries(problem: Problem) -> Json:
    """The permutations by which a row is about all pairs of its orbit, where there are any."""
    symmetries = problem.orbits.symmetries
    return {"symmetries": [list(symmetry) for symmetry in symmetries]} if symmetries else {}


def bisimilarity_evidence(found: Bisimilarity) -> Json:
    """The classes, and the splitters that show that no coarser partition will do."""
    return {
        "classes": [list(members) for members in found.classes],
        "splitters": _splitters(found),
    }


def _splitters(found: Bisimilarity) -> list[list[int]]:
    return [sorted(splitter) for splitter in found.splitters]


def rational_text(q: fmpq) -> str:
    """A rational as certificates write it."""
    return str(q.p) if q.q == 1 else f"{q.p}/{q.q}"


def coupling_entries(weights: Mapping[Pair, fmpq]) -> list[list[Any]]:
    """The weights of a coupling as certificates list them."""
    return [[i, j, rational_text(w)] for (i, j), w in sorted(weights.items()) if w != 0]


def potential_entry(potential: Potential) -> list[Any]:
    """A potential as certificates list it."""
    if potential.kind == "constant":
        return [potential.state, rational_text(potential.constant)]
    return [potential.state, potential.kind, potential.other]


def constant_entries(potentials: Mapping[int, fmpq]) -> list[list[Any]]:
    """Potentials that are given outright, those that are not 0."""
    return [[k, rational_text(g)] for k, g in sorted(potentials.items()) if g != 0]
