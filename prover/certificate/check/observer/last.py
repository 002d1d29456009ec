"""Last steps: the observer does not see which of some transitions was taken in the last step.

Transitions of a node that look alike are together one last step, if some tests hold exactly where those of
one of them do. None of them is a last step by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import factorial

from ..programs import Program, Transition
from ..reading import (
    BadEvidence,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    ascending,
    at,
    demand,
    each,
    items,
    record,
    typed,
)
from ..variables.orders import Node, Order, read_nodes
from ..variables.shifts import Ends, tables_rule

Test = tuple[str, str]


def last_rule(program: Program, adjacency: str, value: Json, upper: Ratio | None) -> None:
    """Tables in which runs end with a last step of a set, or with a transition that is in none."""
    fields = record(value, "nodes sets")
    entries = [record(entry, "by functions order state targets") for entry in typed(fields["nodes"], list)]
    nodes = read_nodes(program, entries)
    tables_rule(program, adjacency, entries, nodes, upper, read_sets(program, nodes, fields["sets"]))


def read_sets(program: Program, nodes: Sequence[Node], value: Json) -> Mapping[int, Ends]:
    """For each node the transitions that are no last steps, and the last steps of its sets."""
    sets = [record(entry, "node tests transitions") for entry in typed(value, list)]
    listed = [each(entry["transitions"], int) for entry in sets]
    keys = [(typed(entry["node"], int), members) for entry, members in zip(sets, listed, strict=True)]
    ascending(keys, BadEvidence, "sets")
    found: dict[int, Ends] = {}
    for number, (entry, (place, members)) in enumerate(zip(sets, keys, strict=True)):
        with at("set", number):
            demand(0 <= place < len(nodes), Malformed, "unknown node")
            node = nodes[place]
            ascending(members, BadEvidence, "transitions")
            own = [t for t in program.leaving(node.state) if t.number in members]
            demand(0 < len(own) == len(members), BadEvidence, "not transitions of the node's state")
            seen = own[0].seen
            demand(seen[1] == 0, RuleBroken, "a number is output")
            demand(all(t.seen == seen for t in own), RuleBroken, "the outputs differ")
            ended, steps = found.get(place, (frozenset(), ()))
            demand(ended.isdisjoint(members), BadEvidence, "a transition is in two sets")
            tests = read_tests(entry["tests"])
            same_tests(program, node.order, own, tests)
            step = own[0]._replace(tests=tests, bounds=tests, stored=())
            found[place] = ended.union(members), (*steps, step)
    return found


def read_tests(value: Json) -> tuple[Test, ...]:
    pairs = [items(pair, 2) for pair in typed(value, list)]
    tests = tuple((typed(sign, str), typed(name, str)) for sign, name in pairs)
    ascending(tests, BadEvidence, "tests")
    demand(all(sign in ("<", ">=") for sign, _ in tests), Malformed, "a test is unknown")
    return tests


def same_tests(program: Program, order: Order, own: Sequence[Transition], tests: Sequence[Test]) -> None:
    """Wherever the sample is, and in whichever row the stored values are: if the tests hold, exactly one of
    the transitions may be taken, and else none."""
    names = sorted({name for t in own for _, name in t.tests})
    demand(all(name in names for _, name in tests), BadEvidence, "a test of another variable")
    asked = sum(len(t.tests) + 1 for t in own) + len(tests) + len(names) + len(order)
    program.budget.spend(factorial(len(names)) * (len(names) + 1) * asked)
    known = [(a, b) for a, b in order if (b, a) not in order and a in names and b in names]
    for row in permutations(names):
        place = {name: k for k, name in enumerate(row)}
        if any(place[a] > place[b] for a, b in known):
            continue
        for below in range(len(names) + 1):  # so many values are at most the sample
            taken = sum(holds(t.tests, place, below) for t in own)
            demand(
                taken == holds(tests, place, below), RuleBroken, "the tests are not those of one transition"
            )


def holds(tests: Sequence[Test], place: Mapping[str, int], below: int) -> bool:
    return all((place[name] < below) == (sign == ">=") for sign, name in tests)
