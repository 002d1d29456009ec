"""The rules about families of words once more, word by word, from docs/certificates.md, 4.6.

Shifts are gone through one by one, and turns from each listed place on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from tests.certificate.judge import rule
from tests.certificate.noise_judge import cost, possible_for_sure
from tests.certificate.program_judge import DIFFERENCES, ProgramJudge, lower, texts, upper
from tests.certificate.variables_judge import VariablesJudge
from tests.program.observer_oracle import seen

Json = Any
Place = tuple[str, frozenset[tuple[str, str]], tuple[int, ...]]
Step = tuple[str, Json]
SAMPLE = "*"


class OneOrMore(VariablesJudge):
    """The rules about assigned and live variables, however many there are."""

    fewest = 1


class WordsJudge:
    """A program, and words all of whose runs are claimed to lose more and more."""

    def __init__(self, base: ProgramJudge, model: Json, claim: Json) -> None:
        self.base, self.adjacency = base, base.adjacency
        self.live = {q: sorted(names) for q, names in OneOrMore(model, claim).live.items()}

    def decide(self, words: Json) -> None:
        rule(set(words) == {"blocks", "places"} and len(words["blocks"]) > 0)
        rule(possible_for_sure(self.base.states, self.base.reached, self.base.several, self.base.model))
        for block in words["blocks"]:
            rule(block["kind"] in ("once", "repeat") and len(block["steps"]) > 0)
            rule(("places" in block) == (block["kind"] == "repeat"))
            rule(all(0 <= step["transition"] < len(self.base.transitions) for step in block["steps"]))
        self.run(words["blocks"])
        self.differences(words["blocks"])
        every = [step["delta"] for block in words["blocks"] for step in block["steps"]]
        self.span = range(min(0, *every), max(0, *every) + 1)
        self.number = 0
        layer: dict[Place, tuple[Fraction, Fraction]] = {
            (self.base.initial, frozenset(), ()): (Fraction(0), Fraction(0))
        }
        for block in words["blocks"]:
            layer = self.repeated(layer, block) if block["kind"] == "repeat" else self.once(layer, block)
        rule(all(growth > 0 for growth, _ in layer.values()))
        rule(words["places"] >= self.number)

    def run(self, blocks: Json) -> None:
        here: tuple[str, frozenset[tuple[str, str]]] = (self.base.initial, frozenset())
        for block in blocks:
            start = here
            for q, t in self.steps(block):
                rule(q == here[0])
                order = self.after(here[1], t)
                rule(order is not None)
                here = (t["to"], order or frozenset())
            rule(block["kind"] == "once" or here == start)

    def differences(self, blocks: Json) -> None:
        every = [step["delta"] for block in blocks for step in block["steps"]]
        turning = [step["delta"] for b in blocks if b["kind"] == "repeat" for step in b["steps"]]
        rule(all(d in DIFFERENCES.get(self.adjacency, (-1, 0, 1)) for d in every))
        rule(self.adjacency != "monotonic" or not {-1, 1} <= set(every))
        rule(self.adjacency != "one-differ" or (sum(map(abs, every)) <= 1 and not any(turning)))

    def steps(self, block: Json) -> list[Step]:
        return [self.base.transitions[step["transition"]] for step in block["steps"]]

    # Ways

    def after(self, order: frozenset[tuple[str, str]], t: Json) -> frozenset[tuple[str, str]] | None:
        """The order of the live variables after a step; None if it is blocked."""
        known = {*order, *((v, SAMPLE) for sign, v in t["guard"] if sign == ">=")}
        known |= {(SAMPLE, v) for sign, v in t["guard"] if sign == "<"}
        names = {name for pair in known for name in pair}
        for via, a, b in product(names, repeat=3):
            if (a, via) in known and (via, b) in known:
                known.add((a, b))
        for via, a, b in product(names, repeat=3):  # whatever the order in which these come
            if (a, via) in known and (via, b) in known:
                known.add((a, b))
        if (SAMPLE, SAMPLE) in known:
            return None
        old = {v: SAMPLE if v in t["assign"] else v for v in self.live.get(t["to"], ())}
        pairs = product(old, repeat=2)
        return frozenset(
            (v, w) for v, w in pairs if v != w and (old[v] == old[w] or (old[v], old[w]) in known)
        )

    def alike(self, place: Place, step: Step, delta: int) -> Iterator[tuple[Place, Fraction]]:
        """All steps from a place that look like a step, with every shift, and what they cost."""
        q, order, vector = place
        stored = dict(zip(self.live.get(q, ()), vector, strict=True))
        for name, t in self.base.transitions:
            known = self.after(order, t) if name == q and seen((name, t)) == seen(step) else None
            if known is None:
                continue
            state = self.base.states[q]
            given = delta if state["input"] else 0
            for shift in self.span:
                valid = all(shift <= stored[v] for v in upper(t)) and all(
                    shift >= stored[v] for v in lower(t)
                )
                price = cost(state, given, shift)
                if valid and price is not None and not ("insample" in texts(t) and shift):
                    if "insampleprime" in texts(t):
                        price += Fraction(state["rate_prime"]) * abs(given)
                    kept = (shift if v in t["assign"] else stored[v] for v in self.live.get(t["to"], ()))
                    yield (t["to"], known, tuple(kept)), price

    def ways(self, place: Place, block: Json) -> list[dict[Place, Fraction]]:
        """What it costs at least to come from a place to others, before each step and after all."""
        layers = [{place: Fraction(0)}]
        for step, alike in zip(block["steps"], self.steps(block), strict=True):
            found: dict[Place, Fraction] = {}
            for before, paid in layers[-1].items():
                for target, more in self.alike(before, alike, step["delta"]):
                    found[target] = min(paid + more, found.get(target, paid + more))
            layers.append(found)
        return layers

    def count(self, every: Sequence[list[dict[Place, Fraction]]], steps: int) -> None:
        for k in range(steps):
            self.number += len({place for layers in every for place in layers[k]})

    # Blocks

    def once(
        self, layer: dict[Place, tuple[Fraction, Fraction]], block: Json
    ) -> dict[Place, tuple[Fraction, Fraction]]:
        found: dict[Place, tuple[Fraction, Fraction]] = {}
        every = [self.ways(place, block) for place in layer]
        self.count(every, len(block["steps"]))
        for (growth, constant), layers in zip(layer.values(), every, strict=True):
            for target, paid in layers[-1].items():
                old = found.get(target, (growth, constant + paid))
                found[target] = min(growth, old[0]), min(constant + paid, old[1])
        return found

    def repeated(
        self, layer: dict[Place, tuple[Fraction, Fraction]], block: Json
    ) -> dict[Place, tuple[Fraction, Fraction]]:
        listed: dict[Place, tuple[Fraction, Fraction, Fraction]] = {}
        rows = [(row["state"], [tuple(p) for p in row["order"]], row["shifts"]) for row in block["places"]]
        rule(all(Fraction(x).denominator == 1 for _, _, shifts in rows for x in shifts))
        keys = [(q, order, tuple(int(x) for x in shifts)) for q, order, shifts in rows]
        rule(all(a < b for a, b in pairwise(keys)))
        for (q, order, shifts), row in zip(keys, block["places"], strict=True):
            rule(all(a < b for a, b in pairwise(order)) and all(len(p) == 2 and p[0] != p[1] for p in order))
            rule(all((a, d) in order for a, b in order for c, d in order if b == c and a != d))
            rule(len(shifts) == len(self.live.get(q, ())) and {*shifts} <= {-1, 0, 1})
            numbers = Fraction(row["start"]), Fraction(row["end"]), Fraction(row["constant"])
            listed[q, frozenset((a, b) for a, b in order), shifts] = numbers
        for place, (growth, constant) in layer.items():
            rule(place in listed and listed[place][0] <= growth and listed[place][2] <= constant)
        every = [self.ways(place, block) for place in listed]
        self.count(every, len(block["steps"]))
        found = {}
        for (start, end, constant), layers in zip(listed.values(), every, strict=True):
            for target, paid in layers[-1].items():
                rule(target in listed)
                after = listed[target]
                rule(after[0] <= start and after[1] <= end and after[1] + after[2] <= start + constant + paid)
                found[target] = after[1], after[2]
        return found


def accepts_words(certificate: Json, judge: type[ProgramJudge]) -> None:
    """Raises Unsound unless the rules hold."""
    claim, model, evidence = (certificate[key] for key in ("claim", "model", "evidence"))
    rule(set(evidence) == {"words"} and claim["kind"] == "not-private" and claim.get("loss") == "observer")
    anything = claim | {"kind": "epsilon", "lower": "0", "upper": "inf"}
    WordsJudge(judge(model, anything), model, anything).decide(evidence["words"])
