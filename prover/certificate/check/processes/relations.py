"""Bisimilarity under all actions: classes, splitters, and the process in which each class is one state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ..budget import STEP, operation
from ..chains import Claim, settle
from ..reading import ClaimOpen, Json, Malformed, RuleBroken, demand, record, written
from ..relations import read_blocks
from .model import Process, quotient_of


def interactive_bisimilarity(process: Process, claim: Claim, evidence: Json) -> Json:
    """States of one class are bisimilar, and those that the splitters part are not."""
    sides = record(evidence, "", "classes splitters")
    demand(len(sides) > 0, Malformed, "there is no evidence")
    finer: Sequence[int] = range(len(process.labels))
    coarser: Sequence[int] = [0] * len(process.labels)
    if "classes" in sides:
        _, finer = quotient_of(process, read_blocks(process, sides["classes"]))
    if "splitters" in sides:
        coarser = parted(process, read_blocks(process, sides["splitters"]))
    if claim.below:
        settle(claim, lambda s, t: 0 if finer[s] == finer[t] else 1 if coarser[s] != coarser[t] else None)
        return None
    meet = len(sides) == 2 and len(set(finer)) == len(set(coarser))
    demand(meet, ClaimOpen, "the splitters do not separate all classes")
    return {"classes": sides["classes"]}


def merged_process(process: Process, value: Json) -> Process:
    """The quotient by bisimilarity under all actions, in which the name of a state stands for its class."""
    sides = record(value, "classes splitters")
    small, place = quotient_of(process, read_blocks(process, sides["classes"]))
    coarser = parted(process, read_blocks(process, sides["splitters"]))
    demand(len(small.labels) == len(set(coarser)), RuleBroken, "the splitters do not separate all classes")
    index = {name: place[s] for name, s in process.index.items()}
    relation = sorted({(place[s], place[t]) for s, t in process.relation})
    return replace(small, index=index, relation=relation)


def parted(process: Process, splitters: Sequence[Sequence[int]]) -> list[int]:
    """Each splitter T is a union of classes and parts the states of which μ(T) differs for some action. Last
    class by state. A T that occurred before changes nothing any more."""
    into: dict[int, list[tuple[int, str]]] = defaultdict(list)
    cost: dict[int, int] = defaultdict(int)
    for action, under in process.moves.items():
        for s, row in under.rows.items():
            bits = under.wholes[s].bit_length()
            for t in row:
                into[t].append((s, action))
                cost[t] += operation(bits, bits)
    fresh = {tuple(splitter): n for n, splitter in reversed([*enumerate(splitters)])}
    process.budget.spend_units(sum(STEP + cost[t] for splitter in fresh for t in splitter))
    numbers = {label: n for n, label in enumerate(process.menus)}
    place = [numbers[label] for label in process.labels]
    size = [0] * len(numbers)
    for c in place:
        size[c] += 1
    for splitter, n in sorted(fresh.items(), key=lambda entry: entry[1]):
        hit: dict[int, int] = defaultdict(int)
        for t in splitter:
            hit[place[t]] += 1
        union = all(size[c] == count for c, count in hit.items())
        demand(union, RuleBroken, f"splitter {n} is not a union of classes")
        parts: dict[tuple[int, frozenset[tuple[str, str]]], int] = {}
        for s, found in masses(process, into, splitter).items():  # the others stay where they are
            size[place[s]] -= 1
            place[s] = parts.setdefault((place[s], frozenset(found.items())), len(size))
            size += [0] * (place[s] + 1 - len(size))
            size[place[s]] += 1
    return place


def masses(
    process: Process, into: Mapping[int, Sequence[tuple[int, str]]], splitter: Sequence[int]
) -> Mapping[int, Mapping[str, str]]:
    """μ_s^a(T) by state and action, where it is not 0, as a text."""
    mass: dict[tuple[int, str], int] = defaultdict(int)
    for t in splitter:
        for s, action in into.get(t, ()):
            mass[s, action] += process.moves[action].rows[s][t]
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for (s, action), x in mass.items():
        share = Fraction(x, process.moves[action].wholes[s])
        found[s][action] = written(*share.as_integer_ratio())
    return found
