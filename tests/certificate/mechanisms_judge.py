"""Compositions with threshold programs judged once more, from docs/certificates.md, 3.8, and from what they
claim.

From above: whether tables are closed is judged by another judge; the laws that follow are composed outcome by
outcome, in fractions. From below: the runs, or all words, are integrated numerically and composed as they
are, so that what is claimed has to be true. Nothing of the checker is used. Keys and types of the certificate
must be right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, inf, log, prod
from typing import Any

from tests.certificate import pair_judge
from tests.certificate.accounts_judge import gain, merged
from tests.certificate.accounts_judge import options as laws_of_others
from tests.certificate.cut_judge import as_seen
from tests.certificate.inputs_judge import Noise, chance, demand_neighbours, scale, seen
from tests.certificate.judge import Unsound, rule
from tests.certificate.judges import judged
from tests.certificate.profile_judge import Closed
from tests.certificate.rho_judge import rho_holds

Json = Any
Outcomes = Sequence[tuple[Any, Any]]
Bounds = tuple[Outcomes, Outcomes]
"""What is dominated, in floats, and what dominates."""
F = Fraction
ONE = 10**16
NOTHING: Outcomes = [(1.0, 1.0)]
ALL: Outcomes = [(F(1), F(0)), (F(0), F(1))]
ONE_WAY = ("decreasing", "increasing")
OTHER = {"increasing": "decreasing", "decreasing": "increasing"}


def accepts_composition(certificate: Json, margin: float = 1e-9) -> bool:
    """Whether the evidence proves the upper end, and the lower end is true."""
    claim, model, evidence = (certificate[key] for key in ("claim", "model", "evidence"))
    alpha, lower, upper = (F(claim[key]) for key in ("alpha", "lower", "upper"))
    try:
        rule(alpha >= 1 and 0 <= lower <= upper <= 1 and not evidence.keys().isdisjoint(("basis", "grid")))
        parts = list(zip(model["parts"], evidence["parts"], strict=True))
        least: list[float] = []
        most: list[Fraction] = []
        for backward in (False, True):
            for row in product(*(list(bounds(part, proof, backward)) for part, proof in parts)):
                below, above = (
                    composed([(one[end], part["times"]) for one, (part, _) in zip(row, parts, strict=True)])
                    for end in (0, 1)
                )
                least.append(sum(max(0.0, float(p) - float(alpha) * float(q)) for p, q in below))
                most.append(gain(list(above), alpha))
        return float(lower) <= max(least) + margin and max(most) <= upper
    except Unsound:
        return False


def composed(parts: Sequence[tuple[Outcomes, int]]) -> Outcomes:
    """All outcomes of all runs."""
    found: Any = [(F(1), F(1))]
    for outcomes, times in parts:
        for _ in range(times):
            found = merged([(p * r, q * s) for p, q in found for r, s in outcomes])
    return list(found)


def bounds(part: Json, proof: Json, backward: bool) -> Iterator[Bounds]:
    """For every choice of neighbours."""
    if "program" not in part:
        for own in laws_of_others(part, backward):
            yield own, own
        return
    adjacency, steps = part["adjacency"], part.get("steps")
    rule(("q" in part) != ("at_epsilon" in part) and (steps is None or 1 <= steps <= 10**6))
    rule(F(part.get("q", part.get("at_epsilon"))) > 0)
    sides = [adjacency] if adjacency not in (*ONE_WAY, "monotonic") else list(ONE_WAY)
    above = dict.fromkeys(sides, ALL)
    if "tables" in proof:
        rule(sorted(proof["tables"]) == sorted(sides))
        above = {side: law_above(part, side, proof["tables"][side]) for side in sides}
    if "pure" in proof:
        most = ratio_above(part, proof["pure"])
        above = {side: of_ratios(law, most) for side, law in above.items()}
    ahead, behind, rises = NOTHING, NOTHING, True
    if "inputs" in proof:
        outcomes, rises = runs_of(part, proof["inputs"])
        ahead, behind = outcomes, [(q, p) for p, q in outcomes]
    if adjacency in ONE_WAY:
        side = OTHER[adjacency] if backward else adjacency
        yield (behind if backward else ahead), above[side]
    elif adjacency == "monotonic":
        yield (ahead if rises else behind), above["increasing"]
        yield (behind if rises else ahead), above["decreasing"]
    else:
        yield ahead, above[adjacency]


def ratio_above(part: Json, pure: Json) -> Fraction:
    """No ratio, either way, is above this number."""
    either = "monotonic" if part["adjacency"] in ONE_WAY else part["adjacency"]
    upper, most = F(pure["upper"]), F(pure["alpha"])
    claim = {
        "adjacency": either,
        "kind": "epsilon",
        "loss": pure["loss"],
        "lower": "0",
        "upper": pure["upper"],
    }
    rule(most > 1 and judged({"claim": claim, "model": part["program"], "evidence": pure["evidence"]}))
    rule(ends_are_seen(part["program"], pure["evidence"].keys() - {"nodes", "parts", "table"}))
    if "q" in part:
        model = part["program"]
        rates = [F(own["rate"]) * F(model.get("grid", "1")) for own in model["states"].values()]
        rule(len(set(rates)) == 1)
        rule(log(most) * float(rates[0]) >= -float(upper) * log(F(part["q"])) - 1e-12)
    else:
        rule(log(most) >= float(upper * F(part["at_epsilon"])) - 1e-12)
    return most


def ends_are_seen(model: Json, about_outputs: set[str]) -> bool:
    """Whether one guard always holds, and runs with the same outputs end together if they are one event."""
    states, reached = model["states"], [model["initial"]]
    orders = ordered(model)
    for name in reached:
        ways = states[name]["transitions"]
        tested = sorted({variable for t in ways for _, variable in t["guard"]})
        for answers in product("<=>", repeat=len(tested)):
            here = dict(zip(tested, answers, strict=True))
            holds = sum(all(here[v] in relation for relation, v in t["guard"]) for t in ways)
            possible = all(
                "<=>".index(here[w]) <= "<=>".index(here[v])
                for v, w in orders.get(name, ())
                if {v, w} <= here.keys()
            )
            if holds == 0 or (holds > 1 and possible and name in orders):
                return False
        reached += {t["to"] for t in ways} & states.keys() - {*reached}
    told: dict[Any, set[Any]] = {}
    for name in reached:
        for t in states[name]["transitions"]:
            after = states[t["to"]]["input"] if t["to"] in states else "end"
            told.setdefault(seen(t), set()).add((states[name]["input"], after))
    return not about_outputs or all(len(ends) == 1 for ends in told.values())


def ordered(model: Json) -> dict[str, set[tuple[str, str]]]:
    """Of each state to which runs may come the pairs (v, w) with v ≤ w on all of them."""
    names = sorted({v for s in model["states"].values() for t in s["transitions"] for v in t["assign"]})
    orders: dict[str, set[tuple[str, str]]] = {model["initial"]: set()}
    changed = True
    while changed:
        changed = False
        for state in [*orders]:
            for t in model["states"].get(state, {"transitions": []})["transitions"]:
                known = orders[state] | {(v, "") for r, v in t["guard"] if r == ">="}
                known |= {("", v) for r, v in t["guard"] if r == "<"}
                for middle in ["", *names]:
                    known |= {(v, w) for v, a in known for b, w in known if a == b == middle}
                below = {
                    v for r, v in t["guard"] if r == "<"
                }  # insample is less than these, not only at most
                if any(v == w or (w, v) in orders[state] for r, v in t["guard"] if r == ">=" for w in below):
                    continue
                old = {v: "" if v in t["assign"] else v for v in names}
                after = {(v, w) for v in names for w in names if v != w}
                after = {(v, w) for v, w in after if old[v] == old[w] or (old[v], old[w]) in known}
                after &= orders.get(t["to"], after)
                changed |= after != orders.get(t["to"])
                orders[t["to"]] = after
    return orders


def of_ratios(law: Outcomes, most: Fraction) -> Outcomes:
    """The pair whose δ is the largest convex function that all these bounds of it allow."""
    inner = sorted({p / q for p, q in law if q and 1 / most < p / q < most})
    bound = {k: min(gain(list(law), k), (most - k) / (most + 1)) for k in inner}
    bound |= {F(0): F(1), 1 / most: 1 - 1 / most, most: F(0)}
    knots, lowest, slopes = shape(bound)
    corners = [k for k in range(1, len(slopes)) if slopes[k] != slopes[k - 1]]
    raised, value, last = {F(0): F(1), most: F(0)}, F(0), most
    for k in reversed(corners[1:]):
        value += F(ceil(-slopes[k] * 2**64), 2**64) * (last - knots[k])
        raised[knots[k]], last = value, knots[k]
    knots, lowest, slopes = shape(raised | {knots[corners[0]]: lowest[corners[0]]})
    jumps = [after - before for before, after in zip(slopes, [*slopes[1:], F(0)], strict=True)]
    laws = [(k * jump, jump) for k, jump in zip(knots[1:], jumps, strict=True)]
    return [*laws, (lowest[-1], F(0)), (F(0), 1 - sum((q for _, q in laws), F(0)))]


def shape(
    bound: dict[Fraction, Fraction],
) -> tuple[Sequence[Fraction], Sequence[Fraction], Sequence[Fraction]]:
    """Where numbers are given, the largest convex function below them, and its slopes behind each."""
    knots = sorted(bound)
    lowest = [below_chords(knots, [bound[k] for k in knots], k) for k in knots]
    slopes = [(w - v) / (y - x) for x, y, v, w in zip(knots, knots[1:], lowest, lowest[1:], strict=False)]
    return knots, lowest, slopes


def accepts_largest_moments(certificate: Json) -> bool:
    """Whether the evidence proves the upper ends of moments, of integer orders, and of ρ, and the lower ends
    are true of the outcomes that it lists."""
    claim, model, evidence = (certificate[key] for key in ("claim", "model", "evidence"))

    def moment(order: float, laws: Sequence[Outcomes]) -> Any:
        if any(p and not q for law in laws for p, q in law):
            return inf
        if order == inf:
            return max(p / q for law in laws for p, q in law if p)
        return max(sum(p**order * q ** (1 - order) for p, q in law if p) for law in laws)

    try:
        parts = list(zip(model["parts"], evidence["parts"], strict=True))
        sides = [
            [([own[end] for own in bounds(part, proof, back)], part["times"]) for part, proof in parts]
            for end in (0, 1)
            for back in (False, True)
        ]

        def largest(order: float, kind: type, ways: Sequence[Any]) -> Any:
            laws = [
                [([[(kind(p), kind(q)) for p, q in law] for law in own], n) for own, n in way] for way in ways
            ]
            return max(prod(moment(order, own) ** n for own, n in way) for way in laws)

        below, above = sides[:2], sides[2:]
        for order, lower, upper in claim["moments"]:
            at = inf if order == "inf" else int(order)
            rule(upper == "inf" or largest(at, F, above) <= F(upper))
            rule(lower == "inf" or float(F(lower)) <= largest(at, float, below) * (1 + 1e-9))
        if "rho" in claim:
            lower, rest = claim["rho"]["lower"], claim["rho"] | {"lower": "0"}
            rule(rho_holds({"lower": lower, "upper": "inf"}, lambda a: float(largest(a, float, below)), []))
            rule(rho_holds(rest, lambda a: float(largest(a, float, above)), []))
    except Unsound:
        return False
    return True


def law_above(part: Json, side: str, evidence: Json) -> Outcomes:
    """A dominating pair, from the profile of the first node of the initial state."""
    closed = Closed(part["program"], side, part, evidence)
    rule(bool(closed.starts))
    start = closed.starts[0]
    knots, values = start.x, [F(1), *(min(F(1), y) for y in start.y[1:])]
    lowest = [below_chords(knots, values, alpha) for alpha in knots]
    slopes = [(w - v) / (y - x) for x, y, v, w in zip(knots, knots[1:], lowest, lowest[1:], strict=False)]
    jumps = [after - before for before, after in zip(slopes, [*slopes[1:], F(0)], strict=True)]
    rule(all(jump >= 0 for jump in jumps))
    laws = [(alpha * jump, jump) for alpha, jump in zip(knots[1:], jumps, strict=True)]
    return [*laws, (lowest[-1], F(0)), (F(0), 1 - sum(q for _, q in laws))]


def below_chords(knots: Sequence[Fraction], values: Sequence[Fraction], alpha: Fraction) -> Fraction:
    """The largest convex function below the points is the least chord of any two of them."""
    points = list(zip(knots, values, strict=True))
    return min(
        v + (w - v) * (alpha - x) / (y - x) if x < y else v
        for x, v in points
        for y, w in points
        if x <= alpha <= y
    )


def runs_of(part: Json, evidence: Json) -> tuple[Outcomes, bool]:
    """The probabilities of the outcomes, and of the rest; and whether no input of the neighbour is less."""
    model = as_seen(part["program"], evidence)
    inputs, neighbour = ([F(x) for x in evidence[key]] for key in ("inputs", "neighbour"))
    rises = all(y >= x for x, y in zip(inputs, neighbour, strict=True))
    grid = F(model.get("grid", "1")) if "noise" in model else None
    epsilon = scale(model, part, grid)
    if "cuts" in evidence:
        return segments_of(model, part, evidence, grid, epsilon), rises
    if "followed" in evidence:
        return pair_judge.words_of(model, part, evidence)[0], rises
    listed = [(name, t) for name in sorted(model["states"]) for t in model["states"][name]["transitions"]]
    rule(len(inputs) <= part.get("steps", len(inputs)))
    if grid is not None and "inputs" not in model:
        rule(all((x / grid).denominator == 1 for x in (*inputs, *neighbour)))
    runs = sorted(run for outcome in evidence["outcomes"] for run in outcome["runs"])
    rule(all(b[: len(a)] != a for a, b in pairwise(runs)))
    outcomes = []
    for outcome in evidence["outcomes"]:
        chances = [0.0, 0.0]
        for run in outcome["runs"]:
            rule(bool(run) and all(0 <= number < len(listed) for number in run))
            path = [(model["states"][name], t) for name, t in (listed[number] for number in run)]
            names = [listed[number][0] for number in run]
            rule(names[0] == model["initial"])
            rule(all(t["to"] == name for (_, t), name in zip(path, names[1:], strict=False)))
            for state, _ in path:
                cases = state["transitions"]
                guards = [test[0] for t in cases for test in t["guard"]]
                rule(len({seen(t) for t in cases}) == len(cases))
                rule(len(cases) == 1 or sorted(guards) in (["<", ">="], ["<=", ">"], ["<", ">"]))
            demand_neighbours(model, path, part["adjacency"], inputs, neighbour)
            for world, read in enumerate((inputs, neighbour)):
                chances[world] += chance(path, read, epsilon, grid)
        a, b, c, d = (number / ONE for number in outcome["chances"])
        rule(a <= chances[0] + 1e-9 and chances[0] - 1e-9 <= b)
        rule(c <= chances[1] + 1e-9 and chances[1] - 1e-9 <= d)
        outcomes.append((chances[0], chances[1]))
    rest = tuple(1.0 - sum(side) for side in zip(*outcomes, strict=True)) if outcomes else (1.0, 1.0)
    return [*outcomes, (max(0.0, rest[0]), max(0.0, rest[1]))], rises


def segments_of(model: Json, part: Json, evidence: Json, grid: Fraction | None, epsilon: float) -> Outcomes:
    """Where the number lies that the first step shows."""
    state, cuts = model["states"][model["initial"]], [F(cut) for cut in evidence["cuts"]]
    (t, *others), both = state["transitions"], (evidence["inputs"], evidence["neighbour"])
    shown = t["output"] if isinstance(t["output"], list) else [t["output"]]
    rule(not others and not t["guard"] and state["input"] and "insample" in shown)
    rule(len(both[0]) == len(both[1]) == 1 <= part.get("steps", 1))
    demand_neighbours(model, [(state, t)], part["adjacency"], *([F(x) for x in own] for own in both))
    rule(0 < len(cuts) <= 1000 and all(a < b for a, b in pairwise(cuts)))
    rates = {state.get("rate_left"), state.get("rate_right")}
    rule(len(rates) == 1 or "inf" in rates)
    tails = []
    for (x,) in both:
        noise = Noise(state, F(x), epsilon)
        if grid is None:
            tails.append([1.0, *(float(noise.at_least(float(cut))) for cut in cuts), 0.0])
            continue
        places = [(cut - noise.exact) / grid for cut in cuts]
        rule(all(place.denominator == 1 for place in places))
        tails.append([1.0, *map(float, noise.at_least_on(grid, [int(place) for place in places])), 0.0])
    outcomes = [(p - r, q - s) for (p, r), (q, s) in zip(*map(pairwise, tails), strict=True)]
    for (p, q), chances in zip(outcomes, evidence["chances"], strict=True):
        a, b, c, d = (number / ONE for number in chances)
        rule(a <= p + 1e-9 and p - 1e-9 <= b and c <= q + 1e-9 and q - 1e-9 <= d)
    return outcomes
