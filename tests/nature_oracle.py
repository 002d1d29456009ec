"""δ against attackers when nature chooses, too: strategy by strategy, from the definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from prover.chain.process import LabelledMarkovDecisionProcess

NATURE = ("m", "n")
"""The actions of nature in random processes."""

Process = LabelledMarkovDecisionProcess
Past = tuple[str, ...]
"""A label, an action, a label, …"""
Plan = dict[Past, str]


def random_game(random: Random) -> Process:
    """Runs go from state to later state. The attacker chooses at label a, and nature at label b. The two
    states that are compared have one of these labels.
    """
    size = random.randint(4, 5)
    first = random.choice("ab")
    states: dict[str, tuple[str, dict[str, Any]]] = {}
    for s in range(size):
        label = first if s < 2 else random.choice("ab")
        after = [f"s{k}" for k in range(max(2, s + 1), size)] + ["end", "END"]
        rows = {}
        for action in "xy" if label == "a" else NATURE:
            chosen = random.sample(after, min(len(after), random.randint(1, 3)))
            weights = [random.randint(1, 4) for _ in chosen]
            rows[action] = {k: Fraction(w, sum(weights)) for k, w in zip(chosen, weights, strict=True)}
        states[f"s{s}"] = label, rows
    for end in ("end", "END"):
        states[end] = end, {end: Fraction(1)}
    return Process.of(states, [("s0", "s1")])


def with_seen_choices(process: Process) -> Process:
    """The process whose labels also say what nature did in the step before."""
    states = {}
    for s, name in enumerate(process.states):
        for last in ("", *NATURE):
            rows = {
                action: {
                    f"{process.states[t]}{action if action in NATURE else ''}": p
                    for t, p in process.row(s, action).items()
                }
                for action in process.menu(s)
            }
            label = f"{process.labels[s]}{last}"
            states[f"{name}{last}"] = label, rows.get("", rows)
    named = [(process.states[s], process.states[t]) for s, t in process.relation]
    return Process.of(states, named)


def law(process: Process, start: int, attacker: Plan, nature: Plan, steps: int) -> dict[Past, Fraction]:
    """How likely each past of so many steps is, if both do what is planned."""
    level: dict[tuple[int, Past], Fraction] = {(start, (process.labels[start],)): Fraction(1)}
    for _ in range(steps):
        after: dict[tuple[int, Past], Fraction] = {}
        for (state, past), mass in level.items():
            menu = process.menu(state)
            plan = nature if menu[0] in NATURE else attacker
            action = plan[past] if len(menu) > 1 else menu[0]
            for t, p in process.row(state, action).items():
                place = t, (*past, action, process.labels[t])
                after[place] = after.get(place, Fraction(0)) + mass * p
        level = after
    found: dict[Past, Fraction] = {}
    for (_, past), mass in level.items():
        found[past] = found.get(past, Fraction(0)) + mass
    return found


def plans(process: Process, starts: tuple[int, int], steps: int, *, by_nature: bool) -> Iterator[Plan]:
    """All pure strategies of one of the two players, on the pasts that can arise."""
    places = set[Past]()
    level: set[tuple[int, Past]] = {(s, (process.labels[s],)) for s in starts}
    for _ in range(steps):
        after = set[tuple[int, Past]]()
        for state, past in level:
            menu = process.menu(state)
            if len(menu) > 1 and (menu[0] in NATURE) == by_nature:
                places.add(past)
            for action in menu:
                after |= {(t, (*past, action, process.labels[t])) for t in process.row(state, action)}
        level = after
    pasts = sorted(places)
    for chosen in product(*(process.menus[past[-1]] for past in pasts)):
        yield dict(zip(pasts, chosen, strict=True))


def least_best_gain(
    process: Process, s: int, t: int, alpha: Fraction, steps: int, most: int = 4_000
) -> Fraction | None:
    """The least, over all pure strategies of nature, of what the best attacker and event gain; None if there
    are more than so many pairs of strategies.
    """
    natures = list(plans(process, (s, t), steps, by_nature=True))
    attackers = list(plans(process, (s, t), steps, by_nature=False))
    if len(natures) * len(attackers) > most:
        return None

    def gain(attacker: Plan, nature: Plan) -> Fraction:
        there, here = (law(process, start, attacker, nature, steps) for start in (s, t))
        gains = (max(Fraction(0), p - alpha * here.get(past, 0)) for past, p in there.items())
        return sum(gains, Fraction(0))

    return min(max(gain(attacker, nature) for attacker in attackers) for nature in natures)


def gain_of_attack(
    process: Process, s: int, t: int, alpha: Fraction, steps: int, attacker: Callable[[Past], str | None]
) -> Fraction:
    """The least, over all pure strategies of nature, of what one attacker gains, who says at each past which
    action comes next, or stops there and makes the better guess.
    """

    def gain(nature: Plan) -> Fraction:
        stopped: dict[Past, Fraction] = {}
        level: dict[tuple[int, Past], Fraction] = {(s, (process.labels[s],)): Fraction(1)}
        level[t, (process.labels[t],)] = -alpha
        for _ in range(steps + 1):
            after: dict[tuple[int, Past], Fraction] = {}
            for (state, past), weight in level.items():
                action = attacker(past)
                if action is None:
                    stopped[past] = stopped.get(past, Fraction(0)) + weight
                    continue
                action = nature[past] if process.menu(state)[0] in NATURE else action
                for k, p in process.row(state, action).items():
                    place = k, (*past, action, process.labels[k])
                    after[place] = after.get(place, Fraction(0)) + weight * p
            level = after
        return sum((max(Fraction(0), weight) for weight in stopped.values()), Fraction(0))

    return min(gain(nature) for nature in plans(process, (s, t), steps, by_nature=True))
