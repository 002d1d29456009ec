"""The rules for ld and bd of decision processes once more, from Section 3.10 of docs/certificates.md.

It is the judge of chains, with the rows of one action after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.certificate.judge import ZERO, Judge, Pair, Unsound, rule

Json = Any


def accepts_distances(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    try:
        rule(certificate["claim"]["kind"] in ("ld", "bd", "bisimilarity"))
        if "quotient" in certificate["claim"]:
            certificate = of_classes(certificate)
        ProcessJudge(certificate["model"], certificate["claim"]).decide(certificate["evidence"])
    except Unsound:
        return False
    return True


def of_classes(certificate: Json) -> Json:
    """The same about a process that is written down: the quotient by bisimilarity under all actions."""
    model, claim, evidence = (certificate[key] for key in ("model", "claim", "evidence"))
    rule(claim["quotient"] == "bisimilarity" and claim["kind"] in ("ld", "bd"))
    whole = ProcessJudge(model, {"kind": "bisimilarity", "scope": "all-pairs"})
    whole.classes(evidence["quotient"])
    blocks = evidence["quotient"]["classes"]
    names = [f"{n:09}" for n in range(len(blocks))]
    name_of = {whole.names[s]: names[n] for n, block in enumerate(blocks) for s in block}
    states: Json = {}
    for n, block in enumerate(blocks):
        moves = {
            action: {
                names[m]: str(x)
                for m, to in enumerate(blocks)
                if (x := sum((whole.under[action][block[0]].get(t, ZERO) for t in to), ZERO))
            }
            for action in whole.menus[block[0]]
        }
        only = whole.menus[block[0]] == [""]
        rows = {"next": moves[""]} if only else {"actions": moves}
        states[names[n]] = {"label": whole.labels[block[0]], **rows}
    related = sorted({(name_of[s], name_of[t]) for s, t in model.get("relation", [])})
    ends = {key: name_of[claim[key]] for key in ("from", "to") if key in claim}
    return {
        "claim": {key: value for key, value in claim.items() if key != "quotient"} | ends,
        "evidence": {key: value for key, value in evidence.items() if key != "quotient"},
        "model": {"states": states, "relation": [list(pair) for pair in related]},
    }


class ProcessJudge(Judge):
    """The process and the claim, spelt out: `menus` by state, and a chain for every action."""

    def __init__(self, model: Json, claim: Json) -> None:
        given = {
            name: state["actions"] if "actions" in state else {"": state["next"]}
            for name, state in model["states"].items()
        }
        rule(all(len(rows) > 0 for rows in given.values()))
        for name, state in model["states"].items():
            rule("actions" not in state or "" not in given[name])
            same = [other for other, of in model["states"].items() if of["label"] == state["label"]]
            rule(all(given[other].keys() == given[name].keys() for other in same))
        self.under: dict[str, list[dict[int, Any]]] = {}
        for action in sorted({action for rows in given.values() for action in rows}):
            states = {
                name: {"label": state["label"], "next": given[name].get(action, {name: "1"})}
                for name, state in model["states"].items()
            }
            super().__init__(model | {"states": states}, claim)
            self.under[action] = self.mu
        self.menus = [sorted(given[name]) for name in self.names]

    def ties(self, pair: Pair) -> list[Pair]:
        if self.alpha > 1:
            return self.alike_pairs
        return [(i, j) for i, j in self.alike_pairs if self.b(pair, i) > 0 > self.b(pair, j)]

    def mass(self, s: int, block: Json) -> Any:
        """The probabilities to go into a set of states, one an action."""
        return tuple(sum((self.under[a][s].get(t, ZERO) for t in block), ZERO) for a in self.menus[s])

    def below(self, d: Mapping[Pair, Fraction], pair: Pair, row: Json, side: Json) -> None:
        rule("splitters" not in side and row["action"] in self.menus[pair[0]])
        self.mu = self.under[row["action"]]
        super().below(d, pair, row, side)

    def above(self, u: Mapping[Pair, Fraction], pair: Pair, row: Json) -> None:
        rule(sorted(row["couplings"]) == self.menus[pair[0]])
        for action, coupling in row["couplings"].items():
            self.mu = self.under[action]
            super().above(u, pair, coupling if self.claim["kind"] == "bd" else {"coupling": coupling})
