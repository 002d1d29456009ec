"""The work of certificates about threshold programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from flint import fmpz

from prover.certificate.work.count import Count, denominator, parts
from prover.certificate.work.observer import (
    cases_of,
    count_groups,
    count_quotient,
    count_word,
    count_words,
    merged_model,
)
from prover.certificate.work.several import (
    DELTAS,
    count_definitions,
    count_functions,
    count_order,
    count_parts,
    count_tokens,
    rates_of,
    reached_of,
    variables_of,
)
from prover.exact.rational import format_rational, parse_rational

Json = Any


def count_program(count: Count, claim: Mapping[str, Any], model: Json, evidence: Json) -> None:
    """Families of runs and closed tables; tables of facts cost nothing but their reading."""
    moves = [(q, case["to"]) for q in sorted(model["states"]) for case in model["states"][q]["transitions"]]
    reaches = reaches_of(model)
    if reaches:
        count.common(denominator(reaches.get(q, "1")) for q, _ in moves)
    if "blocks" in evidence:
        steps = [step for block in evidence["blocks"] for step in block["steps"]]
        count.common(d for step in steps for d in _step(model, moves[step["transition"]][0], step))
        if len(variables_of(model)) > 1:
            count_order(count, model, len(steps))
    if "word" in evidence:
        count_word(count, model, evidence["word"])
    if "words" in evidence:
        count_words(count, model, evidence["words"])
    if "merged" in evidence:
        count_definitions(count, model, len(variables_of(model)))
        count.spend(4 * len(moves))
        model = merged_model(model, evidence["merged"])
        moves = [
            (q, case["to"]) for q in sorted(model["states"]) for case in model["states"][q]["transitions"]
        ]
    if "quotient" in evidence:
        model = count_quotient(count, model, evidence["quotient"])
        moves = [
            (q, case["to"]) for q in sorted(model["states"]) for case in model["states"][q]["transitions"]
        ]
    if "nodes" in evidence and claim["kind"] == "private":
        count_tokens(count, model, evidence["nodes"], evidence["single"])
    elif "nodes" in evidence:
        for adjacency, nodes in _by_way(claim["adjacency"], evidence["nodes"]):
            count_functions(count, adjacency, model, nodes)
    if "parts" in evidence:
        for adjacency, entries in _by_way(claim["adjacency"], evidence["parts"]):
            count_parts(count, adjacency, model, entries)
    if "groups" in evidence:
        count_groups(count, claim, model, evidence["groups"], _by_way)
    hidden = {n for pair in evidence.get("extremes", ()) for n in pair}
    if hidden:
        count.spend(4 * len(moves))
    gone = {n for n, (_, case) in enumerate(cases_of(model)) if n in hidden and not case["assign"]}
    if "table" in evidence:
        for adjacency, table in _by_way(claim["adjacency"], evidence["table"]):
            _table(count, adjacency, model, moves, table, gone)


def _by_way(adjacency: str, table: Json) -> list[tuple[str, Json]]:
    """What bounds the loss from above, for monotonic one for each direction."""
    return sorted(table.items()) if adjacency == "monotonic" else [(adjacency, table)]


def _step(model: Json, state: str, step: Json) -> list[str]:
    rates = rates_of(model, state)
    one = "multiplier" in step
    constants = [step["multiplier"]] if one else step["multipliers"]
    slopes = [step.get("slope", "0")] if one else step.get("slopes", ["0"] * len(constants))
    return [denominator(x) for x in (*constants, *slopes, *rates)]


def _table(
    count: Count,
    adjacency: str,
    model: Json,
    moves: list[tuple[str, str]],
    table: Json,
    gone: Collection[int],
) -> None:
    losses = [x for lists in table.values() for functions in _modes(lists) for f in functions for x in f]
    rates = [rate for q, _ in moves for rate in rates_of(model, q)]
    finite = [parts(x) for x in [*losses, *rates] if x != "inf"]
    whole = count.common(d for _, d in finite)
    largest = max(fmpz(n) * whole // fmpz(d) for n, d in finite)
    sizes = {q: [len(functions) + 1 for functions in _modes(lists)] for q, lists in table.items()}
    pairs = 0
    reached, reaches = reached_of(model), reaches_of(model)
    reads = {parse_rational(reaches.get(q, "1")) for q in reached if model["states"][q]["input"]}
    size = 2 * len(reads or {1}) + 1

    def both(before: int, after: int) -> int:
        """What it takes to compare so many functions with what becomes of so many others."""
        if reaches:
            return size * (size + before) * after
        return (24 if gone else 12) * (before + after)

    for number, (q, target) in enumerate(moves):
        if q not in reached or number in gone:
            continue
        before, after = sizes.get(q, [1, 1]), sizes.get(target, [1, 1])
        changes = DELTAS[adjacency] if model["states"][q]["input"] else 1
        if gone and "noise" in model and changes > 1 and adjacency == "all-differ":
            changes += 1  # a difference of 0, too
        if adjacency != "one-differ":
            pairs += changes * both(before[0], after[0])
        else:
            pairs += sum(map(both, before, after)) + (changes - 1) * both(before[0], after[1])
    shared = lcm(*(parse_rational(text).denominator for text in reaches.values()))
    farthest = int(max([Fraction(1), *reads]) * shared)
    count.spend(pairs, (4 * largest * farthest + 1).bit_length())


def reaches_of(model: Json) -> dict[str, str]:
    """The sensitivities of states that have one of their own, in units of that of the program."""
    unit = parse_rational(model.get("sensitivity", "1"))
    return {
        q: format_rational(parse_rational(state["sensitivity"]) / unit)
        for q, state in model["states"].items()
        if "sensitivity" in state
    }


def _modes(lists: Json) -> list[Json]:
    return [lists["unused"], lists["used"]] if isinstance(lists, dict) else [lists]
