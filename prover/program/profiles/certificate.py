"""A table in rationals, with the certificate that it is closed (docs/certificates.md, ``profile-table``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from prover.exact.rational import format_rational
from prover.program.model import variables
from prover.program.profiles.entries import CurveNode, Move
from prover.program.profiles.table import ProfileTable


def _shifts(table: ProfileTable, node: CurveNode) -> Any:
    """By variables or, if there is one variable, its interval: all shifts where it is not tested later."""
    written = {name: [format_rational(end) for end in own] for name, own in node.shifts}
    if len(variables(table.program)) > 1:
        return written
    return next(iter(written.values()), [format_rational(table.points[k]) for k in (0, -1)])


def evidence_of(
    table: ProfileTable, knots: Sequence[int], functions: Mapping[CurveNode, Sequence[int]]
) -> dict[str, Any]:
    """The evidence that the table is closed, for one direction in which inputs differ; its ``functions`` are
    ``rounded``.
    """
    nodes = []
    for node, values in functions.items():
        written: dict[str, Any] = {
            "shifts": _shifts(table, node),
            "state": node.state,
            "values": list(values),
        }
        if node.open:
            written["open"] = True
        if node.left is not None:
            written["left"] = node.left
        if node in table.cells:
            written["cells"] = [
                [
                    {
                        "anchors": [
                            [anchor.knot, *(own for move in anchor.moves for own in _written(move))]
                            for anchor in cell.anchors
                        ],
                        "until": format_rational(cell.until),
                    }
                    for cell in cells
                ]
                for cells in table.cells[node]
            ]
        nodes.append(written)
    regions: list[dict[str, Any]] = [
        {
            "bound": format_rational(region.bound),
            "exponent": format_rational(exponent),
            "lines": [[format_rational(m), format_rational(c)] for m, c in region.lines],
        }
        for exponent, region in sorted(table.regions.used.items())
    ]
    regions += [
        {
            "lines": [[format_rational(x) for x in tangent] for tangent in region.tangents],
            "ratio": format_rational(ratio),
        }
        for ratio, region in sorted(table.regions.normal.items())
    ]
    evidence = {"knots": list(knots), "nodes": nodes, "regions": regions}
    if table.lines:
        lines = sorted(table.lines.items())
        evidence["cuts"] = {name: [format_rational(cut) for cut in line.cuts] for name, line in lines}
    return evidence


def _written(move: Move) -> tuple[str, str]:
    return "offset" if move.offset else "shift", format_rational(move.amount)
