"""Evidence for distances of processes as certificates hold it (docs/certificates.md, Section 3.10)."""

from __future__ import annotations

from prover.certificate.schema import Json
from prover.chain.ld.certificates import constant_entries, coupling_entries, potential_entry
from prover.chain.ld.options.improvement import Improved
from prover.chain.ld.options.problem import Option
from prover.chain.ld.options.removal import LowerEvidence, lower_evidence
from prover.chain.model import Pair
from prover.chain.process import LabelledMarkovDecisionProcess


def exact_evidence(process: LabelledMarkovDecisionProcess, found: Improved) -> Json:
    """One table for both sides: couplings for every option, and one option from below with its potentials."""
    below, table = lower_evidence(found), found.table
    rows = [
        {
            "pair": list(pair),
            "value": str(table.numerators[pair]),
            "couplings": _couplings(found, pair),
            **_below(found, below, pair),
        }
        for pair in found.problem.options
    ]
    exact: Json = {"denominator": str(table.denominator), "rows": rows}
    labels = sorted({process.labels[s] for s in below.detoured})
    return {"exact": exact | ({"detours": labels} if labels else {})}


def _couplings(found: Improved, pair: Pair) -> Json:
    """What every option costs; at distance 1 nothing has to be moved."""
    far = found.table.numerators[pair] == found.table.denominator
    entries = {
        option: [] if far else coupling_entries(moved.coupling.weights)
        for option, moved in found.moved[pair].items()
    }
    if not found.problem.symmetric:
        return {option.action: coupling for option, coupling in entries.items()}
    return {
        action: {
            "forward": entries[Option(action)],
            "backward": entries[Option(action, False)],
        }
        for action in {option.action for option in entries}
    }


def _below(found: Improved, below: LowerEvidence, pair: Pair) -> Json:
    """The option by which the pair moves from below, its potentials and its rank; any where it is at 0."""
    option = below.options.get(pair, next(iter(found.problem.options[pair])))
    row: Json = {"action": option.action, "potentials": []}
    if found.problem.symmetric:
        row["direction"] = "forward" if option.forward else "backward"
    if pair in below.options:
        row["potentials"] = [potential_entry(potential) for potential in below.potentials[pair]]
        row["rank"] = below.ranks[pair].rank
        row["rank_potentials"] = constant_entries(below.ranks[pair].potentials)
    return row
