"""δ against every attacker, slowly: by recursion (docs/theory_interactive.md), and attacker by attacker."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.unrolling.answer import InteractiveDelta
from prover.questions import delta

Vector = tuple[Fraction, ...]


def attackers_delta(process: LabelledMarkovDecisionProcess, *names: Any, **options: Any) -> InteractiveDelta:
    """The answer of the prover about a process that leaves a choice."""
    answer = delta(process, *names, **options)
    assert isinstance(answer, InteractiveDelta)
    return answer


def gain(process: LabelledMarkovDecisionProcess, s: int, t: int, alpha: Fraction, actions: int) -> Fraction:
    """V_n(s,t): what is gained with so many actions."""
    if process.labels[s] != process.labels[t]:
        return Fraction(1)
    size = len(process)

    def step(vector: Vector, action: str, label: str) -> Vector:
        after = [Fraction(0)] * size
        for i, amount in enumerate(vector):
            if amount:
                for k, p in process.row(i, action).items():
                    if process.labels[k] == label:
                        after[k] += amount * p
        return tuple(after)

    @cache
    def value(x: Vector, y: Vector, label: str, left: int) -> Fraction:
        best = max(Fraction(0), sum(x) - alpha * sum(y))
        if left == 0 or not any(x):
            return best
        for action in process.menus[label]:
            total = Fraction(0)
            for seen in sorted(set(process.labels)):
                total += value(step(x, action, seen), step(y, action, seen), seen, left - 1)
            best = max(best, total)
        return best

    def unit(k: int) -> Vector:
        return tuple(Fraction(int(i == k)) for i in range(size))

    return value(unit(s), unit(t), process.labels[s], actions)


Seen = tuple[str, ...]


def gain_of_all_attackers(
    process: LabelledMarkovDecisionProcess, s: int, t: int, alpha: Fraction, actions: int
) -> Fraction:
    """The same, from the definition: every map from sequences of labels to actions, and its best event."""
    if process.labels[s] != process.labels[t]:
        return Fraction(1)
    labels = sorted(set(process.labels))
    histories = [(process.labels[s], *rest) for n in range(actions) for rest in product(labels, repeat=n)]
    best = Fraction(0)
    for chosen in product(*(process.menus[history[-1]] for history in histories)):
        attacker = dict(zip(histories, chosen, strict=True))
        laws = [_law(process, start, attacker, actions) for start in (s, t)]
        words = laws[0].keys()
        total = sum(
            (max(Fraction(0), laws[0][word] - alpha * laws[1].get(word, 0)) for word in words), Fraction(0)
        )
        best = max(best, total)
    return best


def _law(
    process: LabelledMarkovDecisionProcess, start: int, attacker: dict[Seen, str], actions: int
) -> dict[Seen, Fraction]:
    level: dict[tuple[int, Seen], Fraction] = {(start, (process.labels[start],)): Fraction(1)}
    for _ in range(actions):
        after: dict[tuple[int, Seen], Fraction] = {}
        for (state, seen), mass in level.items():
            for k, p in process.row(state, attacker[seen]).items():
                place = k, (*seen, process.labels[k])
                after[place] = after.get(place, Fraction(0)) + mass * p
        level = after
    law: dict[Seen, Fraction] = {}
    for (_, seen), mass in level.items():
        law[seen] = law.get(seen, Fraction(0)) + mass
    return law


def random_process(random: Random, ends: bool = False) -> LabelledMarkovDecisionProcess:
    """3 to 5 states, 2 labels, 2 actions; the first two states have one label. With ``ends`` runs go from
    state to later state, until they end in one of two states with labels of their own.
    """
    size = random.randint(3, 5)
    states = {}
    for s in range(size):
        label = "a" if s < 2 else random.choice("ab")
        after = (
            [f"s{k}" for k in range(s + 1, size)] + ["end", "END"] if ends else [f"s{k}" for k in range(size)]
        )
        rows = {}
        for action in "xy":
            chosen = random.sample(after, min(len(after), random.randint(1, 3)))
            weights = [random.randint(1, 4) for _ in chosen]
            rows[action] = {k: Fraction(w, sum(weights)) for k, w in zip(chosen, weights, strict=True)}
        states[f"s{s}"] = label, rows
    if ends:
        states |= {end: (end, {"x": {end: Fraction(1)}, "y": {end: Fraction(1)}}) for end in ("end", "END")}
    return LabelledMarkovDecisionProcess.of(states, [("s0", "s1")])


def random_processes(count: int, seed: int, *, ends: bool) -> Iterator[LabelledMarkovDecisionProcess]:
    """So many of them."""
    random = Random(seed)
    for _ in range(count):
        yield random_process(random, ends)
