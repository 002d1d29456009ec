"""The work of certificates about decision processes: unrollings, and tables of distances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flint import fmpz

from prover.certificate.work.chains import Rows, count_claim, couplings, lower_rules
from prover.certificate.work.count import STEP, Count, denominator, long, parts
from prover.certificate.work.unrollings import Node, next_nodes

Json = Any


@dataclass(slots=True)
class Action:
    """Where one action leads from the states that offer it, with the common denominators of the rows."""

    labels: Sequence[str]
    successors: dict[int, Sequence[int]]
    wholes: dict[int, fmpz]
    alpha: int

    def degree(self, s: int) -> int:
        """The number of successors."""
        return len(self.successors[s])


def count_interactive(count: Count, model: Json, alpha: str, evidence: Json) -> None:
    """lv and tv of a process, at α = p/q."""
    actions = actions_of(count, model, fmpz(parts(alpha)[0]).bit_length())
    if "classes" in evidence:
        actions = merged(count, actions, evidence["classes"])
    fields = evidence["unrolling"]
    nodes = {q: Node(frozenset([s]), frozenset([t]), 1, fmpz(1)) for q, (s, t) in enumerate(fields["roots"])}
    numbers = list[tuple[tuple[fmpz, int], tuple[fmpz, int]]]()
    links = list[dict[str, tuple[fmpz, int, list[int]]]]()
    below = denominator(alpha)
    for q, listed in enumerate(fields["nodes"]):
        node, following = nodes[q], dict[str, tuple[fmpz, int, list[int]]]()
        bits = node.bits + max((action.alpha for action in actions.values()), default=1)
        count.spend(len(node.x) + len(node.y) + 4, bits, bits)
        for action, entries in listed.get("actions", {}).items():
            after = next_nodes(count, actions[action], replace(node, whole=fmpz(1)))
            for label, p in entries:
                nodes.setdefault(p, replace(after[label], whole=fmpz(1)))
            first = next(iter(after.values()))
            following[action] = first.whole, first.bits, [p for _, p in entries]
        links.append(following)
        ends = [listed.get(side) for side in ("lower", "upper")]
        numbers.append(
            tuple((fmpz(denominator(end)), long(end)) if end else (fmpz(below), bits + 1) for end in ends)  # type: ignore[arg-type]
        )
    for q, listed in enumerate(fields["nodes"]):
        for side in (0, 1):
            taken = [listed["taken"]] if side == 0 and "taken" in listed else []
            for action in taken if side == 0 else sorted(links[q]):
                whole, bits, targets = links[q][action]
                terms = [numbers[q][side][0]]
                for p in targets:
                    count.spend(4, bits, numbers[p][side][1])
                    terms.append(whole * numbers[p][side][0])
                count.common(terms)


def count_interactive_tables(
    count: Count, model: Json, claim: Mapping[str, Any], pairs: int, evidence: Json
) -> None:
    """ld and bd of a process; the claim is about so many pairs, where it is not about all."""
    p, q = (int(fmpz(end)) for end in parts(claim["alpha"]))
    actions = actions_of(count, model, p.bit_length())
    if "quotient" in evidence:
        actions = count_classes(count, actions, evidence["quotient"])
    under = rows_under(actions, (p, q))
    rows, symmetric = next(iter(under.values())), claim["kind"] == "bd"
    nothing: Json = {"denominator": "1", "rows": []}
    tables = [evidence.get(side, evidence.get("exact", nothing)) for side in ("lower", "upper")]
    spread = [[(i, j), (j, i)][: 1 + symmetric] for i, j in (row["pair"] for row in tables[0]["rows"])]
    lower_rules(count, rows, tables[0], spread, under)
    d = fmpz(tables[1]["denominator"]).bit_length()
    for row in tables[1]["rows"]:
        for action, given in row["couplings"].items():
            both = given if symmetric else {"coupling": given}
            couplings(count, under[action], row["pair"], d, both)
    listed = [len(table["rows"]) * (1 + symmetric) for table in tables]
    count_claim(count, claim, pairs, tables, listed, shared="exact" in evidence)


def count_interactive_bisimilarity(count: Count, model: Json, evidence: Json) -> None:
    """Bisimilarity under all actions."""
    count_classes(count, actions_of(count, model, 1), evidence)


def count_classes(count: Count, actions: dict[str, Action], evidence: Json) -> dict[str, Action]:
    """Classes and splitters; the actions between the classes, where there are any."""
    cost: Counter[int] = Counter()
    for under in actions.values():
        for s, following in under.successors.items():
            bits = int(under.wholes[s].bit_length())
            for t in following:
                cost[t] += STEP + (bits // 64 + 1) ** 2
    listed = set(map(tuple, evidence.get("splitters", ())))
    count.units += sum(STEP + cost[t] for splitter in listed for t in splitter)
    return merged(count, actions, evidence["classes"]) if "classes" in evidence else actions


def rows_under(actions: Mapping[str, Action], slope: tuple[int, int]) -> dict[str, Rows]:
    """The rows by actions, as those of chains; a state that does not offer an action has none."""
    p, found = slope[0], dict[str, Rows]()
    for action, moves in actions.items():
        states = range(len(moves.labels))
        wholes = [moves.wholes.get(s, fmpz(1)) for s in states]
        found[action] = Rows(
            moves.labels,
            [moves.successors.get(s, ()) for s in states],
            [int(whole.bit_length()) for whole in wholes],
            wholes,
            Counter(moves.labels),
            slope,
            p.bit_length(),
            (p - 1).bit_length(),
        )
    return found


def actions_of(count: Count, model: Json, alpha: int) -> dict[str, Action]:
    """The rows by actions, which cost something already."""
    names = sorted(model["states"])
    index = {name: s for s, name in enumerate(names)}
    labels = [model["states"][name]["label"] for name in names]
    actions = dict[str, Action]()
    for s, name in enumerate(names):
        state = model["states"][name]
        for action, row in state.get("actions", {"": state.get("next")}).items():
            under = actions.setdefault(action, Action(labels, {}, {}, alpha))
            under.wholes[s] = count.common(map(denominator, row.values()))
            count.keep(len(row), under.wholes[s].bit_length())
            under.successors[s] = [index[t] for t in row]
    return actions


def merged(count: Count, actions: Mapping[str, Action], blocks: Sequence[Sequence[int]]) -> dict[str, Action]:
    """The actions between classes: the rows of the first states."""
    place = {s: c for c, block in enumerate(blocks) for s in block}
    found = dict[str, Action]()
    for name, under in actions.items():
        labels = [under.labels[block[0]] for block in blocks]
        found[name] = Action(labels, {}, {}, under.alpha)
        for c, block in enumerate(blocks):
            if block[0] not in under.successors:
                continue
            for s in block:
                count.spend(
                    2 * under.degree(s), under.wholes[s].bit_length(), under.wholes[block[0]].bit_length()
                )
            found[name].successors[c] = sorted({place[t] for t in under.successors[block[0]]})
            found[name].wholes[c] = under.wholes[block[0]]
    return found
