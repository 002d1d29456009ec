"""Evidence for distances of processes as certificates hold it (docs/certificates.md, Section 3.10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from prover.certificate.schema import Json
from prover.chain.ld.certificates import constant_entries, coupling_entries, potential_entry
from prover.chain.ld.options.improvement import Improved
from prover.chain.ld.options.interval import OptionEnclosure
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
    return {"exact": exact | _detours(process, below.detoured)}


def interval_evidence(process: LabelledMarkovDecisionProcess, found: OptionEnclosure) -> Json:
    """A table for each side, with the rows that say more than the defaults 1 and 0."""
    symmetric, upper, lower = found.problem.symmetric, found.upper, found.lower
    above = [
        {
            "pair": list(pair),
            "value": str(upper.numerators[pair]),
            "couplings": _by_action(
                {option: coupling_entries(one.weights) for option, one in couplings.items()}, symmetric
            ),
        }
        for pair, couplings in sorted(found.couplings.items())
    ]
    below = [
        {
            "pair": list(pair),
            "value": str(lower.table.numerators[pair]),
            **_move(found.choice[pair], symmetric),
            "potentials": [potential_entry(potential) for potential in derived],
        }
        for pair, derived in sorted(lower.potentials.items())
    ]
    return {
        "upper": {"denominator": str(upper.denominator), "rows": above},
        "lower": {
            "denominator": str(lower.table.denominator),
            "rows": below,
            **_detours(process, lower.detoured),
        },
    }


def _detours(process: LabelledMarkovDecisionProcess, detoured: Iterable[int]) -> Json:
    labels = sorted({process.labels[s] for s in detoured})
    return {"detours": labels} if labels else {}


def _move(option: Option, symmetric: bool) -> Json:
    direction = {"direction": "forward" if option.forward else "backward"} if symmetric else {}
    return {"action": option.action, **direction}


def _couplings(found: Improved, pair: Pair) -> Json:
    """What every option costs; at distance 1 nothing has to be moved."""
    far = found.table.numerators[pair] == found.table.denominator
    entries = {
        option: [] if far else coupling_entries(moved.coupling.weights)
        for option, moved in found.moved[pair].items()
    }
    return _by_action(entries, found.problem.symmetric)


def _by_action(entries: Mapping[Option, list[list[Any]]], symmetric: bool) -> Json:
    if not symmetric:
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
    row: Json = {**_move(option, found.problem.symmetric), "potentials": []}
    if pair in below.options:
        row["potentials"] = [potential_entry(potential) for potential in below.potentials[pair]]
        row["rank"] = below.ranks[pair].rank
        row["rank_potentials"] = constant_entries(below.ranks[pair].potentials)
    return row
