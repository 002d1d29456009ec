"""How a chain was collapsed, in the form that certificates hold it (docs/certificates.md, Section 3.6)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from flint import fmpz

from prover.certificate.schema import Json
from prover.chain.canonical import chain_model
from prover.chain.collapsing.collapsed import CollapsedChain, Collapsing, Exits


def observer_claim(found: Collapsing) -> Json:
    """What the observer of a claim sees."""
    return {"sees": "changes" if found.untimed else "labels", "silent": list(found.silent)}


def collapsing_evidence(chain: CollapsedChain) -> Json:
    """The collapsed chain, what its states mean, and the exits that its rows are made of."""
    found = chain.collapsing
    evidence: Json = {
        "model": chain_model(chain, related=False),
        "entered": [[c, found.entered[name]] for c, name in enumerate(chain.states) if name in found.entered],
        "erased": _rows(found.erased),
        "merged": _rows(found.merged),
    }
    labels: Mapping[str, str | None] = {"start": found.start, "silence": found.silence}
    return evidence | {key: label for key, label in labels.items() if label is not None}


def _rows(exits: Exits) -> list[Json]:
    rows = []
    for state, row in sorted(exits.items()):
        denominator = reduce(fmpz.lcm, (p.q for p in row.values()), fmpz(1))
        numerators = [[v, str(p.p * (denominator // p.q))] for v, p in sorted(row.items())]
        rows.append({"state": state, "denominator": str(denominator), "exits": numerators})
    return rows
