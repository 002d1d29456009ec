"""Chains with real probabilities that are larger than those of a rational one by bounded factors only
(docs/theory.md, *Real probabilities*)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from .budget import bits_of
from .chains import Chain, Claim
from .reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Ratio,
    RuleBroken,
    ascending,
    at,
    at_most,
    demand,
    items,
    positive,
    typed,
)


def read_growth(chain: Chain, value: Json) -> Mapping[int, Ratio]:
    """Numbers of states, 1 or more."""
    entries = [items(entry, 2) for entry in typed(value, list)]
    states, numbers = [chain.state(c) for c, _ in entries], [positive(k) for _, k in entries]
    ascending(states, BadEvidence, "states")
    demand(all(at_most((1, 1), k) for k in numbers), BadEvidence, "a number is below 1")
    return dict(zip(states, numbers, strict=True))


def growth_rule(
    real: Chain, small: Chain, entered: Mapping[int, int], silent: frozenset[str], label: str, value: Json
) -> None:
    """Whatever is seen from a listed state is at most so many times as likely in the real chain."""
    demand(label not in real.labels, BadEvidence, "the real chain itself has lost runs")
    way_rule(real, silent)
    growth, place = read_growth(small, value), {s: c for c, s in entered.items()}
    for c, (m, n) in growth.items():
        with at("state", c):
            demand(c in entered, BadEvidence, "it stands for no state")
            row = small.rows[c]
            rest = sum(w for d, w in row.items() if d not in entered)
            for v in following(real, entered[c], silent):
                d = place.get(v, -1)
                demand(d in growth and d in row, BadEvidence, f"state {v} may follow, which has no number")
                p, q = growth[d]
                small.budget.spend(6, small.wholes[c].bit_length() + bits_of((p, q)), bits_of((m, n, p, q)))
                kept = (row[d] + rest) * p * n <= m * q * row[d]
                demand(kept, RuleBroken, f"its number is too small for state {d}")


def following(chain: Chain, s: int, silent: frozenset[str]) -> Iterator[int]:
    """The visible states that may be entered next."""
    found, waiting = {s}, [s]
    for u in waiting:  # which grows
        chain.budget.spend(len(chain.rows[u]))
        for t in chain.rows[u]:
            if chain.labels[t] not in silent and (t not in found or t == s):
                found.add(t)
                yield t
            elif t not in found:
                found.add(t)
                waiting.append(t)


def way_rule(chain: Chain, silent: frozenset[str]) -> None:
    """From every silent state some transitions lead to a visible one."""
    before: dict[int, list[int]] = {}
    for u, row in enumerate(chain.rows):
        chain.budget.spend(len(row))
        for t in row:
            before.setdefault(t, []).append(u)
    way = [s for s, label in enumerate(chain.labels) if label not in silent]
    found = set(way)
    for t in way:  # which grows
        new = [u for u in before.get(t, ()) if u not in found]
        found.update(new)
        way += dict.fromkeys(new)
    demand(len(found) == len(chain.rows), BadEvidence, "no way leads from a silent state to a visible one")


def scaled(chain: Chain, claim: Claim, evidence: Json) -> tuple[Claim, Json]:
    """What a claim about the real chain says about this one, and the other evidence: with K the largest
    number of the states of its pairs, at most upper/K at α/K."""
    sides = dict(typed(evidence, dict))
    with at("evidence"), at("growth"):
        growth = read_growth(chain, sides.pop("growth"))
        states = {s for pair in (*claim.above, *claim.below) for s in pair}
        demand(states <= growth.keys(), BadEvidence, "a state of the claim has no number")
    most = max(Fraction(*growth[s]) for s in states)
    numbers = (claim.alpha, claim.numbers["upper"], most.as_integer_ratio())
    chain.budget.spend(8, sum(map(bits_of, numbers)), sum(map(bits_of, numbers)))
    alpha, upper = (Fraction(*number) / most for number in numbers[:2])
    demand(claim.numbers["lower"][0] == 0, ClaimOpen, "growth proves no lower bound")
    demand(alpha >= 1, ClaimOpen, "alpha is too small for so large factors")
    bounds = {**claim.numbers, "upper": upper.as_integer_ratio()}
    return replace(claim, alpha=alpha.as_integer_ratio(), numbers=bounds), sides
