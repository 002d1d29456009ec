"""Evidence for δ against every attacker, as certificates hold it (docs/certificates.md, Section 3.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prover.certificate.schema import Certificate, encode, process_model
from prover.chain.delta import maximiser
from prover.chain.ld.certificates import rational_text
from prover.chain.secrets import Secrets
from prover.exact.rational import format_rational
from prover.interactive.model import LabelledMarkovDecisionProcess
from prover.interactive.refinement import Enclosures

Json = dict[str, Any]


def certify_enclosures(
    process: LabelledMarkovDecisionProcess, secrets: Secrets, found: Enclosures, claim: Mapping[str, Any]
) -> Certificate:
    """The certificate of what an unrolling proves of the secrets, at the α that ``claim`` has."""
    best = secrets.pairs[0] if secrets.named else maximiser(found.lower)
    whole = {
        **claim,
        "kind": secrets.kind,
        "scope": "pair" if secrets.named else "relation",
        "from": process.states[best[0]],
        "to": process.states[best[1]],
        "lower": format_rational(max(found.lower.values())),
        "upper": format_rational(max(found.upper.values())),
    }
    rows = [{action: process.row(s, action) for action in process.menu(s)} for s in range(len(process))]
    model = process_model(process.states, process.labels, rows, process.relation)
    return encode(whole, model, _evidence(found))


def _evidence(found: Enclosures) -> Json:
    """The unrolling with its values and what the attacker does, and the classes of the quotient."""
    nodes: list[Json] = []
    for number, node in enumerate(found.nodes):
        if node.choices is None:
            nodes.append({})
            continue
        actions = {
            action: [[entry.label, entry.target] for entry in entries]
            for action, entries in node.choices.items()
        }
        listed: Json = {
            "actions": actions,
            "lower": rational_text(found.below.values[number]),
            "upper": rational_text(found.above.values[number]),
        }
        taken = found.below.taken[number]
        if taken is not None:
            listed["taken"] = taken
        nodes.append(listed)
    evidence: Json = {"unrolling": {"nodes": nodes, "roots": [list(pair) for pair in found.roots]}}
    classes = found.merged.classes
    if len(classes) < sum(map(len, classes)):
        evidence["classes"] = [list(members) for members in classes]
    return evidence
