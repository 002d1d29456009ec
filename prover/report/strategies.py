"""What named strategies cost, as text and as JSON, added to the reply about a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from prover.exact.rational import format_rational, rational_or_inf
from prover.program.strategies.costs import SegmentLoss, StrategyCosts
from prover.program.strategies.sharing import SharedCost
from prover.report.reply import Reply
from prover.report.tables import aligned

MOST_SEGMENTS = 12
"""How many segments people are shown."""
MOST_TRANSITIONS = 12
"""How many transitions of a segment people are shown."""

_MEANING = {
    "S^L": "stored values have shift 1",
    "S^G": "stored values have shift -1",
    "S^N": "stored values have shift 0",
    "S^J": "thresholds follow their inputs, comparisons pay twice their rates",
    "greedy": "every step takes the cheapest shift that its guard allows",
    "relaxed": "the best fixed shifts of stored values",
    "approximate": "the best fixed shifts of all steps",
    "shared": "the best strategy with one shift a transition, on all branches",
}


def with_strategies(reply: Reply, costs: StrategyCosts | str) -> Reply:
    """The reply with a table of what strategies cost, or with the reason why there is none."""
    if isinstance(costs, str):
        note = f"Strategies are not compared: {costs}."
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
    lines = [f"What coupling strategies prove, at worst over {count} looping branch{'es' * (count > 1)}:"]
    shown = {name: "∞" if cost is None else format_rational(cost) for name, cost in costs.costs.items()}
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
        loss = "∞" if segment.loss is None else format_rational(segment.loss)
        rows.append((str(k), ", ".join(str(edge.number) for edge in edges) + more, loss, _tight(segment)))
    lines = ["What segments, from one assignment to the next, lose by themselves, and who proves just that:"]
    lines += aligned(rows)
    if len(segments) > MOST_SEGMENTS:
        lines.append(f"… and {len(segments) - MOST_SEGMENTS} more")
    if costs.contradiction is not None:
        way = " ≤ ".join(
            f"shift of segment {k}" if kind == "segment" else str(k) for kind, k in costs.contradiction
        )
        lines.append(f"No shifts suit all segments of a branch: it asks for {way}.")
    return lines


def _tight(segment: SegmentLoss) -> str:
    if segment.tight is None:
        return "(outputs a number)"
    return ", ".join(segment.tight)


def _interval(shared: SharedCost) -> str:
    if shared.lower is None:
        return "∞"
    if shared.value is not None:
        return format_rational(shared.value)
    return f"{format_rational(shared.lower)} to {rational_or_inf(shared.upper)}"


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
