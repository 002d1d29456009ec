"""Evidence for moments in the form that certificates hold it (docs/certificates.md, 3.11)."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from prover.certificate.schema import Json
from prover.chain.ld.certificates import rational_text
from prover.chain.model import Pair
from prover.chain.moments.values import MomentBounds


def moment_evidence(bounds: MomentBounds, roots: Sequence[Pair], *, grows: bool) -> Json:
    """The nodes with values that prove both ends, or, if one ``grows``, that a moment is infinite."""
    nodes = [_node(bounds, q, grows=grows) for q in range(len(bounds.nodes))]
    return {"nodes": nodes, "roots": [list(pair) for pair in roots]}


def _node(bounds: MomentBounds, q: int, *, grows: bool) -> Json:
    node, side = bounds.nodes[q], bounds.below
    if node.is_leaf:
        return {}
    lower, taken = side.values[q] or fmpq(0), side.taken[q]
    if grows:
        lower, taken = side.growth.get(q, (fmpq(0), None))
    upper = bounds.upper(q)
    found: Json = {
        "actions": {a: [[link.label, link.target] for link in links] for a, links in node.choices.items()},
        "lower": rational_text(lower),
        "upper": "inf" if upper is None or grows else rational_text(upper),
    }
    return found if taken is None else {**found, "taken": taken}
