"""The rules about smaller programs that show the same once more, from docs/certificates.md, 4.5.

Tests are gone through for all answers that they may have.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from tests.certificate.judge import rule
from tests.certificate.program_judge import ProgramJudge, outputs
from tests.certificate.words_judge import OneOrMore

Json = Any


class Images:
    """A program, and a smaller one that its states and transitions stand for."""

    def __init__(self, whole: ProgramJudge, small: ProgramJudge, model: Json, image: Json) -> None:
        self.whole, self.small, self.model, self.image = whole, small, model, image
        plain = {
            "kind": "epsilon",
            "lower": "0",
            "upper": "inf",
            "adjacency": "all-differ",
            "loss": "observer",
        }
        self.live = OneOrMore(image, plain).live
        OneOrMore(model, plain)

    def decide(self, evidence: Json) -> None:
        rule(set(evidence) == {"model", "states", "transitions"})
        states, images = evidence["states"], evidence["transitions"]
        for key in ("noise", "grid", "sensitivity"):
            rule(self.model.get(key) == self.image.get(key))
        for model, own in ((self.model, self.whole), (self.image, self.small)):
            rule("inputs" not in model and not any("sensitivity" in s for s in model["states"].values()))
            cases = [t for s in model["states"].values() for t in s["transitions"]]
            rule(all(sign in ("<", ">=") for t in cases for sign, _ in t["guard"]))
            for _, t in own.transitions:
                rule(not any(isinstance(part, dict) for part in outputs(t)))
                rule(not {"insample", "insampleprime"} <= set(outputs(t)))
        rule(set(states) == self.whole.reached and all(q in self.small.states for q in states.values()))
        rule(states[self.whole.initial] == self.small.initial and len(images) == len(self.whole.transitions))
        for (q, t), n in zip(self.whole.transitions, images, strict=True):
            rule((n is None) == (q not in states))
            if n is not None:
                rule(0 <= n < len(self.small.transitions))
                self.shows((q, t), self.small.transitions[n], states)
        for q, image in states.items():
            self.answers(q, image, images)

    def shows(self, own: tuple[str, Json], there: tuple[str, Json], states: Json) -> None:
        (q, t), (image, s) = own, there
        rule(states[q] == image)
        rule(states[t["to"]] == s["to"] if t["to"] in states else s["to"] not in self.small.states)
        rule(outputs(t) == outputs(s))
        if "insampleprime" in outputs(t):
            one, two = self.whole.states[q], self.small.states[image]
            rule(all(one[key] == two[key] for key in ("rate_prime", "mean_prime")))
        live = self.live.get(s["to"], set())
        rule(set(t["assign"]) & live == set(s["assign"]) & live)

    def answers(self, q: str, image: str, images: Json) -> None:
        """Whatever tests say, so many transitions are taken as their images."""
        own = [(t, images[n]) for n, (name, t) in enumerate(self.whole.transitions) if name == q]
        there = [(s, n) for n, (name, s) in enumerate(self.small.transitions) if name == image]
        names = sorted({v for t, _ in (*own, *there) for _, v in t["guard"]})
        for signs in product(("<", ">="), repeat=len(names)):
            holds = dict(zip(names, signs, strict=True))
            taken = sorted(n for t, n in own if all(holds[v] == sign for sign, v in t["guard"]))
            rule(taken == sorted(n for s, n in there if all(holds[v] == sign for sign, v in s["guard"])))
        live = self.live.get(there[0][0]["to"], set())
        quiet = len(there) == 1 and not there[0][0]["guard"] and not set(there[0][0]["assign"]) & live
        quiet = quiet and not {"insample", "insampleprime"} & set(outputs(there[0][0]))
        one, two = self.whole.states[q], self.small.states[image]
        rule(quiet or all(one[key] == two[key] for key in ("input", "left", "right", "mean")))
