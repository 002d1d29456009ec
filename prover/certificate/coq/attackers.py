"""Claims about what an attacker who chooses actions finds out: the evidence of `proofs/Attackers.v`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

from prover.certificate.coq.heights import heights
from prover.certificate.coq.model import CoqRows, plain, rational, row
from prover.certificate.coq.model import defined as model_defined
from prover.certificate.coq.sentences import (
    EVIDENCE,
    MODEL,
    TheoremTexts,
    alpha_and_upper,
    defined,
    pair_list,
    pair_of,
    pairs_of,
    theorem,
)
from prover.certificate.coq.tokens import listed, literal
from prover.certificate.coq.unrollings import CoqNode, following, normal, taken_out
from prover.errors import NotSupported


@dataclass(frozen=True, slots=True)
class NamedProcess:
    """The process of a certificate: its states by number, the rows of each action, and the names. The actions
    of a label are numbered in the order of their names; beyond them every row is that of the first."""

    states: Sequence[str]
    labels: Sequence[str]
    menus: Sequence[Sequence[str]]
    acting: Sequence[CoqRows]

    def own_labels(self) -> Sequence[int]:
        """The label of each state."""
        return self.acting[0].labels


def read(model: Mapping[str, Any]) -> NamedProcess:
    states = sorted(model["states"])
    labels = sorted({state["label"] for state in model["states"].values()})
    place, number = ({name: i for i, name in enumerate(names)} for names in (states, labels))
    own = [number[model["states"][name]["label"]] for name in states]
    actions = [_actions(model["states"][name]) for name in states]
    menus: list[Sequence[str]] = [()] * len(labels)
    for label, rows in zip(own, actions, strict=True):
        menus[label] = sorted(rows)
    acting = []
    for a in range(max(map(len, menus))):
        chosen = [
            rows[menus[label][a if a < len(rows) else 0]] for label, rows in zip(own, actions, strict=True)
        ]
        acting.append(
            CoqRows(own, [{place[t]: Fraction(p) for t, p in sorted(each.items())} for each in chosen])
        )
    return NamedProcess(states, labels, menus, acting)


def _actions(state: Mapping[str, Any]) -> Mapping[str, Mapping[str, str]]:
    """The rows of a state by the names of actions; that of a state where nothing is chosen has none."""
    return state["actions"] if "actions" in state else {"": state["next"]}


def text(process: NamedProcess) -> Iterator[str]:
    """`Model.v` of a process, line by line."""
    yield "(** The process. States, labels and the actions of each label are numbered in the order of their"
    yield "    names. In names, what is not a letter, a digit or one of _.- is written %XX, by its bytes in"
    yield "    UTF-8."
    yield ""
    yield "    label  name  its actions"
    for i, (name, menu) in enumerate(zip(process.labels, process.menus, strict=True)):
        yield f"    {i}  {plain(name)}" + "".join(f"  {a}  {plain(action)}" for a, action in enumerate(menu))
    yield "*)"
    labels = process.own_labels()
    rows = (
        "[" + "; ".join(row(process.acting[a].next[s]) for a in range(len(process.menus[label]))) + "]"
        for s, label in enumerate(labels)
    )
    yield from model_defined("Process", "process", process.states, labels, rows)


def theorems(process: NamedProcess, whole: Mapping[str, Any]) -> TheoremTexts:
    """The claim of the certificate of a process. Raises NotSupported if the proofs do not cover it."""
    claim, evidence = whole["claim"], whole["evidence"]
    if claim["kind"] not in ("lv", "tv"):
        raise NotSupported(
            f"the proofs in Coq do not cover claims of kind {claim['kind']} about attackers who choose",
            code="not-in-coq",
        )
    if "nature" in claim:
        raise NotSupported("the proofs in Coq do not cover claims about nature", code="not-in-coq")
    if "classes" in evidence:
        raise NotSupported("the proofs in Coq do not cover quotients of processes", code="not-in-coq")
    symmetric = claim["kind"] == "tv"
    (a, v), low = alpha_and_upper(claim), Fraction(claim["lower"])
    nodes, roots = _expanded(process, Fraction(claim["alpha"]), evidence["unrolling"])
    pairs = pair_list(pairs_of(process.states, whole, symmetric))
    answers = [
        theorem(
            "at_most",
            "No attacker gains more than this, from s to t, for any pair of the list.",
            f"markov_process {MODEL} /\\ forall s t, In (s, t) {pairs} -> close_to_all {MODEL} {a} {v} s t",
            f"against_upper {MODEL} {a} {v} {pairs} {EVIDENCE}.unrolling",
        )
    ]
    if low > 0:
        lowest = {tuple(pair): nodes[q].base.lower for q, pair in enumerate(roots)}
        s, t = pair_of(process.states, claim)
        if symmetric and lowest.get((s, t), 0) < lowest.get((t, s), 0):
            s, t = t, s
        answers.append(
            theorem(
                "at_least",
                "Some attackers gain this, or come as close to it as required, from one secret to the other.",
                f"markov_process {MODEL} /\\ needed_by_some {MODEL} {a} {rational(low)} {s} {t}",
                f"against_lower {MODEL} {a} {rational(low)} {s} {t} {EVIDENCE}.unrolling",
            )
        )
    return [defined("unrolling", literal(_numbers(process, nodes, roots)))], answers


@dataclass(slots=True)
class _Choice:
    """A node, the entries of each action, and the number of the action that is taken, if one is."""

    base: CoqNode
    actions: list[list[tuple[int, Fraction]]] = field(default_factory=list)
    taken: int | None = None


def _expanded(
    process: NamedProcess, alpha: Fraction, unrolling: Mapping[str, Any]
) -> tuple[list[_Choice], Sequence[Sequence[int]]]:
    """The nodes of the certificate, with their vectors; and after them one for each vector that only y leads
    to, where an event gains nothing."""
    given, roots = unrolling["nodes"], unrolling["roots"]
    labels, number = process.own_labels(), {name: i for i, name in enumerate(process.labels)}
    nodes: list[_Choice | None] = [None] * len(given)
    for q, (s, t) in enumerate(roots):
        nodes[q] = _Choice(CoqNode({s: 1}, {t: 1}, Fraction(1), labels[s]))
    ends: dict[tuple[tuple[int, int], ...], int] = {}
    extra: list[_Choice] = []
    zero = Fraction(0)
    for q, shape in enumerate(given):
        node = nodes[q]
        if node is None:
            raise ValueError(f"no entry defines node {q}")
        x, y = node.base.x, node.base.y
        gap = max(zero, sum(x.values()) - alpha * sum(y.values()))
        if not shape:
            node.base.lower = gap
            node.base.upper = sum(
                (max(Fraction(0), v - alpha * y.get(k, 0)) for k, v in x.items()), Fraction(0)
            )
            continue
        node.base.lower, node.base.upper = Fraction(shape["lower"]), Fraction(shape["upper"])
        menu = process.menus[node.base.label]
        node.taken = menu.index(shape["taken"]) if "taken" in shape else None
        for a, action in enumerate(menu):
            after = [following(process.acting[a], z) for z in (x, y)]
            entries = []
            for name, p in shape["actions"][action]:
                label = number[name]
                found = normal(taken_out(after[0], labels, label), taken_out(after[1], labels, label), label)
                if nodes[p] is None:
                    nodes[p] = _Choice(found)
                entries.append((p, found.scale))
            for label in sorted({labels[k] for k in after[1]}):
                only = normal({}, taken_out(after[1], labels, label), label)
                place = ends.setdefault(tuple(sorted(only.y.items())), len(given) + len(extra))
                if place == len(given) + len(extra):
                    extra.append(_Choice(CoqNode({}, only.y, Fraction(1), label)))
                entries.append((place, only.scale))
            node.actions.append(entries)
    return [node for node in nodes if node is not None] + extra, roots


def _numbers(
    process: NamedProcess, nodes: Sequence[_Choice], roots: Sequence[Sequence[int]]
) -> Iterator[int]:
    """As `proofs/Decode.v` reads them. Raises NotSupported."""
    fall, height = heights(
        [[] if node.taken is None else node.actions[node.taken] for node in nodes],
        [sum(node.base.x.values()) for node in nodes],
        [node.base.lower for node in nodes],
    )
    yield from fall.as_integer_ratio()
    yield from listed(_node(process, q, node, height[q]) for q, node in enumerate(nodes))
    yield from listed([s, t, q] for q, (s, t) in enumerate(roots))


def _node(process: NamedProcess, q: int, node: _Choice, height: Fraction) -> Iterator[int]:
    yield from node.base.numbers(q)
    if node.taken is None:
        yield from (0, 1, 0)
    else:
        yield from (1, 1, 0, *height.as_integer_ratio())
    yield from listed(_steps(process.acting[a], node.base, entries) for a, entries in enumerate(node.actions))
    yield node.taken or 0


def _steps(chain: CoqRows, node: CoqNode, entries: Sequence[tuple[int, Fraction]]) -> Iterator[int]:
    unit = lcm(*(chain.denominator(i) for i in {*node.x, *node.y}), *(c.denominator for _, c in entries))
    yield unit
    yield from listed([p, int(c * unit)] for p, c in entries)
