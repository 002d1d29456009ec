"""What named strategies cost, as text and as JSON, added to the reply about a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from prover.exact.rational import rational_or_inf
from prover.exact.readable import multiple
from prover.program.strategies.costs import SegmentLoss, StrategyCosts
from prover.program.strategies.sharing import SharedCost
from prover.report.reply import Reply
from prover.report.tables import aligned

MOST_SEGMENTS = 12
"""How many segments people are shown."""
MOST_TRANSITIONS = 12
"""How many transitions of a segment people are shown."""

_MEANING = {
    "S^L": "every stored value has shift 1",
    "S^G": "every stored value has shift -1",
    "S^N": "every stored value has shift 0",
    "S^J": "thresholds shift with their inputs, and every test costs twice its rate",
    "greedy": "every step takes the cheapest shift that its guard allows",
    "relaxed": "the best shifts of stored values that do not depend on the inputs",
    "approximate": "the best shifts of all steps that do not depend on the inputs",
    "shared": "the best strategy with one shift for each transition, on all branches",
}


def with_strategies(reply: Reply, costs: StrategyCosts | str) -> Reply:
    """The reply with a table of what strategies cost, or with the reason why there is none."""
    if isinstance(costs, str):
        note = f"Coupling strategies are not compared: {costs}."
        return replace(before_strategies(reply), text=f"{reply.text}\n\n{note}")
    return replace(
        reply,
        text=f"{reply.text}\n\n{_text(costs)}",
        json={**reply.json, "strategies": _json(costs)},
    )


def before_strategies(reply: Reply) -> Reply:
    """The reply while strategies are not known yet."""
    return replace(reply, json={**reply.json, "strategies": None})


def _text(costs: StrategyCosts) -> str:
    """A line for each strategy, then one for each segment."""
    count = len(costs.shared.branches)
    where = "the only looping branch" if count == 1 else f"the costliest of {count} looping branches"
    lines = [f"Upper bounds that coupling strategies prove for {where}:"]
    shown = {name: multiple(cost) for name, cost in costs.costs.items()}
    shown["shared"] = _interval(costs.shared)
    width = max(map(len, shown.values()))
    lines += [f"{name:11}  {cost:{width}}  {_MEANING[name]}" for name, cost in shown.items()]
    if costs.segments is None:
        return "\n".join(lines)
    return "\n".join([*lines, "", *_segment_lines(costs, costs.segments)])


def _segment_lines(costs: StrategyCosts, segments: Sequence[SegmentLoss]) -> list[str]:
    rows = [("segment", "transitions", "loss", "tight")]
    for k, segment in enumerate(segments[:MOST_SEGMENTS]):
        edges = segment.segment.edges[:MOST_TRANSITIONS]
        more = ", …" * (len(segment.segment.edges) > MOST_TRANSITIONS)
        numbers = ", ".join(str(edge.number) for edge in edges) + more
        rows.append((str(k), numbers, multiple(segment.loss), _tight(segment)))
    lines = [
        "The loss of each segment (from one assignment to the next) by itself, and the strategies that prove "
        "exactly this loss:"
    ]
    lines += aligned(rows)
    if len(segments) > MOST_SEGMENTS:
        lines.append(f"… and {len(segments) - MOST_SEGMENTS} more")
    if costs.contradiction is not None:
        way = " ≤ ".join(
            f"shift of segment {k}" if kind == "segment" else str(k) for kind, k in costs.contradiction
        )
        lines.append(f"No shifts suit all segments of one branch: they would have to satisfy {way}.")
    return lines


def _tight(segment: SegmentLoss) -> str:
    if segment.tight is None:
        return "not known (outputs a number)"
    return ", ".join(segment.tight)


def _interval(shared: SharedCost) -> str:
    if shared.lower is None:
        return "∞"
    if shared.value is not None:
        return multiple(shared.value)
    return f"{multiple(shared.lower)} to {multiple(shared.upper)}"


def _json(costs: StrategyCosts) -> dict[str, Any]:
    shared = costs.shared
    return {
        **{name: rational_or_inf(cost) for name, cost in costs.costs.items()},
        "shared": [rational_or_inf(shared.lower), rational_or_inf(shared.upper)],
        "segments": None
        if costs.segments is None
        else [
            {
                "transitions": [edge.number for edge in segment.segment.edges],
                "loss": rational_or_inf(segment.loss),
                "tight": None if segment.tight is None else list(segment.tight),
            }
            for segment in costs.segments
        ],
    }
