"""Labelled Markov decision processes, and their quotients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..budget import Budget
from ..chains import PROCESS, Pair, read_relation, read_row
from ..reading import (
    BadClaim,
    BadEvidence,
    BadModel,
    Json,
    Malformed,
    RuleBroken,
    ascending,
    at,
    constant,
    demand,
    items,
    record,
    typed,
)
from ..relations import lumped

ONLY = ""  # the action of states with one row


@dataclass(frozen=True, slots=True)
class Moves:
    """One action: the rows of the states that offer it. μ_s(t) is rows[s][t] / wholes[s]."""

    labels: Sequence[str]
    rows: dict[int, Mapping[int, int]]
    wholes: dict[int, int]
    budget: Budget


@dataclass(frozen=True, slots=True)
class Process:
    """States are places in the order of names; menus[a]: the actions that the states of label a offer."""

    index: Mapping[str, int]
    labels: Sequence[str]
    menus: Mapping[str, Sequence[str]]
    moves: Mapping[str, Moves]
    relation: Sequence[Pair]
    budget: Budget
    nature: frozenset[str] = frozenset()  # the actions that nature chooses, against the attacker

    def state(self, k: Json) -> int:
        demand(0 <= typed(k, int) < len(self.labels), Malformed, "unknown index of a state")
        return typed(k, int)

    def alike_pair(self, value: Json) -> Pair:
        i, j = map(self.state, items(value, 2))
        demand(i != j and self.labels[i] == self.labels[j], BadEvidence, "the pair is not of equal label")
        return i, j


def read_process(model: Json, budget: Budget) -> Process:
    fields = record(model, "states type version", "relation")
    constant(fields["type"], PROCESS)
    constant(fields["version"], 1)
    names = sorted(typed(fields["states"], dict))
    demand(len(names) > 0, BadModel, "there is no state")
    index = {name: s for s, name in enumerate(names)}
    labels, menus, moves = list[str](), dict[str, list[str]](), dict[str, Moves]()
    for s, name in enumerate(names):
        with at("state", s):
            state = record(fields["states"][name], "label", "actions next")
            demand(("next" in state) != ("actions" in state), Malformed, "not exactly one of next, actions")
            actions = {ONLY: state["next"]} if "next" in state else typed(state["actions"], dict)
            demand(len(actions) > 0, BadModel, "the state has no action")
            demand("next" in state or ONLY not in actions, BadModel, "an action has no name")
            labels.append(typed(state["label"], str))
            menu = menus.setdefault(labels[s], sorted(actions))
            demand(menu == sorted(actions), BadModel, "another state of its label offers other actions")
            for action, following in actions.items():
                under = moves.setdefault(action, Moves(labels, {}, {}, budget))
                under.rows[s], under.wholes[s] = read_row(following, index, budget)
    relation = read_relation(fields, index)
    return Process(index, labels, menus, moves, relation, budget)


def read_nature(value: Json, process: Process) -> frozenset[str]:
    """The actions of nature: of a label all actions are nature's, or none is."""
    listed = [typed(action, str) for action in typed(value, list)]
    ascending(listed, BadClaim, "actions of nature")
    demand(len(listed) > 0, BadClaim, "no action is nature's")
    nature = frozenset(listed)
    for action in listed:
        demand(action != ONLY and action in process.moves, BadClaim, "an action of nature is unknown")
    for menu in process.menus.values():
        whole = nature.isdisjoint(menu) or nature.issuperset(menu)
        demand(whole, BadClaim, "a label offers actions of nature and of the attacker")
    return nature


def quotient_of(process: Process, classes: Sequence[Sequence[int]]) -> tuple[Process, Sequence[int]]:
    """The process whose states are the classes of a bisimulation under all actions, and the class of every
    state: in each class labels are equal, and so is μ(C) of every action for all C."""
    ascending((block[0] for block in classes), BadEvidence, "classes")
    numbers = {s: n for n, block in enumerate(classes) for s in block}
    whole = len(numbers) == sum(map(len, classes)) == len(process.labels)
    demand(whole, BadEvidence, "the classes are not a partition")
    class_of = [numbers[s] for s in range(len(process.labels))]
    labels = [process.labels[block[0]] for block in classes]
    for s, label in enumerate(process.labels):
        demand(labels[class_of[s]] == label, RuleBroken, f"state {s} differs from its class")
    moves = {
        action: lumped_moves(under, classes, class_of, labels) for action, under in process.moves.items()
    }
    return Process({}, labels, process.menus, moves, (), process.budget, process.nature), class_of


def lumped_moves(
    under: Moves, classes: Sequence[Sequence[int]], class_of: Sequence[int], labels: Sequence[str]
) -> Moves:
    """One action between classes; of a class all states offer it, or none does."""
    rows, wholes, budget = dict[int, Mapping[int, int]](), dict[int, int](), under.budget
    for s in under.rows:
        first = classes[class_of[s]][0]
        if first == s:
            rows[class_of[s]], wholes[class_of[s]] = lumped(under, class_of, s), under.wholes[s]
    for s, row in under.rows.items():
        mass, n = lumped(under, class_of, s), under.wholes[s]
        expected, m = rows[class_of[s]], wholes[class_of[s]]
        budget.spend(2 * len(row), n.bit_length(), m.bit_length())
        same = mass.keys() == expected.keys() and all(x * m == expected[c] * n for c, x in mass.items())
        demand(same, RuleBroken, f"state {s} differs from its class")
    return Moves(labels, rows, wholes, budget)
