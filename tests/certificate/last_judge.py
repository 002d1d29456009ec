"""The rules about last steps that look alike once more, word by word, from docs/certificates.md, 4.5."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations
from typing import Any

from tests.certificate.judge import rule
from tests.certificate.variables_judge import VariablesJudge
from tests.program.observer_oracle import seen

Json = Any


class LastJudge(VariablesJudge):
    """Runs end with a transition that is in no set of its node, or with the tests of a set."""

    fewest = 1
    lowest = 0

    def last(self, evidence: Json) -> None:
        rule(set(evidence) == {"nodes", "sets"})
        self.sets: list[Json] = evidence["sets"]
        rule(isinstance(self.sets, list))
        rule(all(set(own) == {"node", "tests", "transitions"} for own in self.sets))
        rule(
            all((a["node"], a["transitions"]) < (b["node"], b["transitions"]) for a, b in pairwise(self.sets))
        )
        rule(all(0 <= own["node"] < len(evidence["nodes"]) for own in self.sets))
        listed = [(own["node"], n) for own in self.sets for n in own["transitions"]]
        rule(len(set(listed)) == len(listed))
        for own in self.sets:
            node = evidence["nodes"][own["node"]]
            rule(all(a < b for a, b in pairwise(own["transitions"])) and len(own["transitions"]) > 0)
            rule(all(0 <= n < len(self.transitions) for n in own["transitions"]))
            steps = [self.transitions[n] for n in own["transitions"]]
            rule(all(q == node["state"] for q, _ in steps))
            rule(all(seen(step) == seen(steps[0]) and seen(step)[1] == 0 for step in steps))
            rule(all(len(pair) == 2 for pair in [*own["tests"], *node["order"]]))
            rule(all(tuple(a) < tuple(b) for a, b in pairwise(own["tests"])))
            names = {v for _, t in steps for _, v in t["guard"]}
            rule(all(sign in ("<", ">=") and v in names for sign, v in own["tests"]))
            known = [(a, b) for a, b in node["order"] if [b, a] not in node["order"] and {a, b} <= names]
            for row in permutations([*names, ""]):  # "" is the sample
                if all(row.index(a) < row.index(b) for a, b in known):
                    taken = sum(passes(row, t["guard"]) for _, t in steps)
                    rule(taken == passes(row, own["tests"]))
        self.functions(evidence["nodes"])

    def ways(self, k: int, node: Json) -> Iterator[tuple[Json, int | None, bool]]:
        own = [found for found in self.sets if found["node"] == k]
        going = [self.transitions[n][1] for found in own for n in found["transitions"]]
        for t, target, _ in super().ways(k, node):
            yield t, target, not any(t is other for other in going)
        for found in own:
            first = self.transitions[found["transitions"][0]][1]
            yield {**first, "guard": found["tests"], "assign": []}, None, True


def passes(row: tuple[str, ...], tests: Json) -> bool:
    """Whether the sample at its place in a row of variables passes tests."""
    return all((row.index("") < row.index(v)) == (sign == "<") for sign, v in tests)
