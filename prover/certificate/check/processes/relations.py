"""Bisimilarity under all actions: classes, splitters, and the process in which each class is one state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from ..chains import Chain, Claim, settle
from ..reading import ClaimOpen, Json, Malformed, RuleBroken, demand, record, typed
from ..relations import Blocks, parted, read_blocks
from .model import Process, quotient_of

S = TypeVar("S", Chain, Process)


def interactive_bisimilarity(process: Process, claim: Claim, evidence: Json) -> Json:
    """States of one class are bisimilar, and those that the splitters part are not."""
    sides = record(evidence, "", "classes splitters")
    demand(len(sides) > 0, Malformed, "there is no evidence")
    finer: Sequence[int] = range(len(process.labels))
    coarser: Sequence[int] = [0] * len(process.labels)
    if "classes" in sides:
        _, finer = quotient_of(process, read_blocks(process, sides["classes"]))
    if "splitters" in sides:
        coarser = process_splitters_rule(process, read_blocks(process, sides["splitters"]))
    if claim.below:
        settle(claim, lambda s, t: 0 if finer[s] == finer[t] else 1 if coarser[s] != coarser[t] else None)
        return None
    meet = len(sides) == 2 and len(set(finer)) == len(set(coarser))
    demand(meet, ClaimOpen, "the splitters do not separate all classes")
    return {"classes": sides["classes"]}


def merged(
    system: S,
    evidence: Json,
    quotient: Callable[[S, Blocks], tuple[S, Sequence[int]]],
    splitters: Callable[[S, Blocks], Sequence[int]],
) -> tuple[S, Json]:
    """The quotient by bisimilarity, in which the name of a state stands for its class; the other evidence."""
    demand("quotient" in typed(evidence, dict), Malformed, "the evidence has no quotient")
    sides = record(evidence["quotient"], "classes splitters")
    small, class_of = quotient(system, read_blocks(system, sides["classes"]))
    coarser = splitters(system, read_blocks(system, sides["splitters"]))
    demand(len(small.labels) == len(set(coarser)), RuleBroken, "the splitters do not separate all classes")
    index = {name: class_of[s] for name, s in system.index.items()}
    relation = sorted({(class_of[s], class_of[t]) for s, t in system.relation})
    rest = {key: value for key, value in evidence.items() if key != "quotient"}
    return replace(small, index=index, relation=relation), rest


def process_splitters_rule(process: Process, splitters: Blocks) -> list[int]:
    """Each splitter T is a union of classes and parts the states of which μ(T) differs for some action."""
    moves = {action: (under.rows, under.wholes) for action, under in process.moves.items()}
    return parted(process.labels, moves, splitters, process.budget)
