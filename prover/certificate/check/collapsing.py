"""The chain of an observer who does not see every step (docs/theory.md, *Unseen steps*)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from .budget import Budget
from .chains import Chain, read_chain
from .reading import (
    BadClaim,
    BadEvidence,
    Json,
    Malformed,
    RuleBroken,
    ascending,
    at,
    demand,
    items,
    natural,
    record,
    typed,
)

Row = tuple[Mapping[int, int], int]  # n and d: v has the probability n[v] / d > 0; their sum may be below 1

NOTHING: Row = {}, 1


@dataclass(frozen=True, slots=True)
class Skipping:
    """The state that the next seen transition enters. `exits` has it for states that are entered unseen and
    from which a seen transition can be reached; `stuck` are the states found that it does not list."""

    row: Callable[[int], Row]
    is_seen: Callable[[int, int], bool]
    exits: Mapping[int, Row]
    budget: Budget
    stuck: set[int] = field(default_factory=set)
    known: dict[int, Row] = field(default_factory=dict)

    def unseen(self, t: int) -> Row:
        """The next seen state after t is entered unseen."""
        if t not in self.exits:
            self.stuck.add(t)
        return self.exits.get(t, NOTHING)

    def next(self, s: int) -> Row:
        """Σ μ_s(t) h_t over the unseen transitions s → t, and μ_s(t) for the seen ones."""
        if s not in self.known:
            weights, below = self.row(s)
            parts = [(n, ({t: 1}, 1) if self.is_seen(s, t) else self.unseen(t)) for t, n in weights.items()]
            common_multiple = self.budget.denominator([d for _, (_, d) in parts])
            count = sum(len(entries) for _, (entries, _) in parts)
            bits = common_multiple.bit_length() + below.bit_length()
            self.budget.spend(3 * count, bits, bits)
            self.budget.keep(count, bits)
            mixed = dict[int, int]()
            for n, (entries, d) in parts:
                for v, m in entries.items():
                    mixed[v] = mixed.get(v, 0) + n * (common_multiple // d) * m
            self.known[s] = mixed, common_multiple * below
        return self.known[s]

    def rule(self) -> None:
        """The exits obey their equations, of which they are the only solution: a way leads out of every state
        that has exits, and none out of those that have none."""
        for u, listed in self.exits.items():
            with at("exits of state", u):
                demand(equal(self.next(u), listed), RuleBroken, "they differ from those of the next states")
        no_way = list(self.stuck)
        for s in no_way:  # which grows
            for t in self.row(s)[0]:
                stays = t not in self.exits and not self.is_seen(s, t)
                demand(stays, BadEvidence, f"a way leads out of state {s}, but the state has no exits")
                if t not in self.stuck:
                    self.stuck.add(t)
                    no_way.append(t)
        before: dict[int, list[int]] = {u: [] for u in self.exits}
        way = []
        for u in self.exits:
            following = self.row(u)[0]
            if any(self.is_seen(u, t) for t in following):
                way.append(u)
            for t in following:
                if t in before and not self.is_seen(u, t):
                    before[t].append(u)
        found = set(way)
        for u in way:  # which grows
            new = [s for s in before[u] if s not in found]
            found.update(new)
            way += new
        demand(len(found) == len(self.exits), BadEvidence, "a state has exits, but no way leads out of it")


def equal(first: Row, second: Row) -> bool:
    (x, c), (y, d) = first, second
    return x.keys() == y.keys() and all(n * d == y[v] * c for v, n in x.items())


def observe(chain: Chain, claim: Mapping[str, Json], evidence: Json) -> Chain:
    """The collapsed chain; its index has the names of the states that stand for initial states of the chain,
    and its relation is that of the chain, if the claim is about it.

    Each of its states stands for having just entered some state of the chain, or for beginning there, and its
    row leads to the states that are seen next; or it is absorbing: nothing more is seen.
    """
    changes, silent = read_observer(claim["observer"])
    fields = record(evidence, "entered erased merged model", "start" if changes else "silence start")
    new = {key: typed(fields[key], str) for key in ("start", "silence") if key in fields}
    demand(
        len({*chain.labels, *new.values()}) == len({*chain.labels}) + len(new),
        BadEvidence,
        "start or silence is a label of the model, or both are the same label",
    )
    with at("model"):
        record(fields["model"], "states type version")
        small = read_chain(fields["model"], chain.budget)
    entered = read_entered(chain, small, fields["entered"], silent)
    starts = {
        c: chain.index[name]
        for name, c in small.index.items()
        if small.labels[c] == new.get("start") and name in chain.index
    }

    def step(s: int) -> Row:
        return chain.rows[s], chain.wholes[s]

    def is_visible(_: int, t: int) -> bool:
        return chain.labels[t] not in silent

    def is_change(s: int, t: int) -> bool:
        return chain.labels[s] != chain.labels[t]

    erasing = Skipping(step, is_visible, read_exits(chain, fields["erased"]), chain.budget)
    merging = Skipping(erasing.next, is_change, read_exits(chain, fields["merged"]), chain.budget)
    demand(changes or not merging.exits, BadEvidence, "the observer sees all labels, but merged is not empty")
    place = {s: c for c, s in entered.items()}
    for c, row in enumerate(small.rows):
        with at("row of state", c):
            if c in starts:
                s = starts[c]
                seen: Row = ({s: 1}, 1) if is_visible(s, s) else erasing.unseen(s)
            elif c in entered:
                seen = (merging if changes else erasing).next(entered[c])
            else:
                demand(row.keys() == {c}, BadEvidence, "it is neither a beginning nor entered nor absorbing")
                continue
            rest = row_rule(small, c, seen, place)
            label = small.labels[c] if changes else new.get("silence")
            lasting = all(small.labels[d] == label and small.rows[d].keys() == {d} for d in rest)
            demand(lasting, RuleBroken, "it leads to a state that is neither seen next nor an end")
    with at("merged"):
        merging.rule()
    with at("erased"):
        erasing.rule()
    names = list(chain.index)
    begins = (
        starts if "start" in new else {c: s for c, s in entered.items() if small.index.get(names[s]) == c}
    )
    index = {names[s]: c for c, s in begins.items()}
    related = chain.relation if claim["scope"] == "relation" else ()
    pairs = [(names[s], names[t]) for s, t in related]
    demand(all(s in index for s, _ in pairs), BadEvidence, "the collapsed chain lacks a related state")
    return replace(small, index=index, relation=[(index[s], index[t]) for s, t in pairs])


def observed(chain: Chain, claim: Mapping[str, Json], evidence: Json) -> tuple[Chain, Mapping[str, Json]]:
    """The collapsed chain, and the evidence that is about it."""
    demand("collapsing" in typed(evidence, dict), Malformed, "the evidence has no collapsed chain")
    rest = {key: value for key, value in evidence.items() if key != "collapsing"}
    return observe(chain, claim, evidence["collapsing"]), rest


def read_observer(value: Json) -> tuple[bool, frozenset[str]]:
    """Whether of equal labels in a row only the first is seen, and the labels that are not seen at all."""
    fields = record(value, "sees silent")
    demand(typed(fields["sees"], str) in ("changes", "labels"), BadClaim, "sees is not changes or labels")
    silent = [typed(label, str) for label in typed(fields["silent"], list)]
    ascending(silent, BadClaim, "silent labels")
    return fields["sees"] == "changes", frozenset(silent)


def read_entered(chain: Chain, small: Chain, value: Json, silent: frozenset[str]) -> dict[int, int]:
    """The states of the collapsed chain that stand for having just entered a state, and that state."""
    entries = [items(entry, 2) for entry in typed(value, list)]
    entered = [(small.state(c), chain.state(s)) for c, s in entries]
    ascending([c for c, _ in entered], BadEvidence, "entered states")
    demand(len({s for _, s in entered}) == len(entered), BadEvidence, "a state is entered twice")
    for c, s in entered:
        visible = small.labels[c] == chain.labels[s] and chain.labels[s] not in silent
        demand(visible, BadEvidence, f"state {c} has another label than its state, or a silent one")
    return dict(entered)


def read_exits(chain: Chain, value: Json) -> dict[int, Row]:
    exits = dict[int, Row]()
    rows = [record(row, "denominator exits state") for row in typed(value, list)]
    ascending([chain.state(row["state"]) for row in rows], BadEvidence, "states with exits")
    for row in rows:
        with at("exits of state", row["state"]):
            entries = [items(entry, 2) for entry in typed(row["exits"], list)]
            states, numbers = [chain.state(v) for v, _ in entries], [natural(n) for _, n in entries]
            ascending(states, BadEvidence, "exits")
            d = natural(row["denominator"])
            demand(d > 0 and min(numbers, default=0) > 0, Malformed, "a number is not positive")
            demand(sum(numbers) <= d, BadEvidence, "the exits have a probability above 1")
            exits[row["state"]] = dict(zip(states, numbers, strict=True)), d
    return exits


def row_rule(small: Chain, c: int, seen: Row, place: Mapping[int, int]) -> list[int]:
    """The row of c has the probabilities of the states that are seen next; returns the other states of the
    row."""
    (numbers, d), row, whole = seen, small.rows[c], small.wholes[c]
    small.budget.spend(2 * len(numbers), d.bit_length(), whole.bit_length())
    for v, n in numbers.items():
        goes = v in place and place[v] in row
        demand(goes, RuleBroken, f"state {v} is seen next, but the row does not lead there")
        same = n * whole == row[place[v]] * d
        demand(same, RuleBroken, f"the probability to go to {place[v]} is wrong")
    found = {place[v] for v in numbers}
    return [k for k in row if k not in found]
