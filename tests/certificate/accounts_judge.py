"""Whether a claim about a composition, or about δ as a function of α, is true: by sums over all outcomes.

Written from docs/certificates.md, 3.7 and 3.8, and from what the claims mean. Of the evidence only
collapsed chains are looked at, and whether they are right.
For chains whose runs are absorbed within few steps, and few runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import chain, pairwise, product
from math import ceil, exp, inf
from statistics import NormalDist
from typing import Any

from tests.certificate.collapsing_judge import is_right
from tests.certificate.real_judge import of_rounded
from tests.certificate.rho_judge import rho_holds

Json = Any
F = Fraction
STEPS = 6
Outcomes = list[tuple[Fraction, Fraction]]


def is_true_account(certificate: Json) -> bool:
    """Whether what is claimed holds; the certificate is of the form that the specification lists."""
    if "rounding" in certificate["evidence"]:
        certificate = of_rounded(certificate)
    claim, model = certificate["claim"], certificate["model"]
    if "observer" in claim:
        if not is_right(certificate):
            return False
        model = seen_model(model, certificate["evidence"])
    elif claim["kind"] == "composition":
        if any("options" in part for part in model["parts"]):
            return moments_hold(claim, model) if "moments" in claim else chosen_holds(claim, model)
        parts = list(zip(model["parts"], certificate["evidence"]["parts"], strict=True))
        for part, proof in parts:
            scope = {"scope": "pair" if "from" in part else "relation"}
            if "observer" in part and not is_right(
                {"claim": part | scope, "model": part["chain"], "evidence": proof}
            ):
                return False
        model = {
            "parts": [
                part | {"chain": seen_model(part["chain"], proof)} if "observer" in part else part
                for part, proof in parts
            ]
        }
    if claim["kind"] == "profile":
        return profile_holds(claim, model)
    if claim["kind"] == "tradeoff":
        return tradeoff_holds(claim, model)
    if "moments" in claim:
        return moments_hold(claim, model)
    alpha = F(claim["alpha"])
    best = max(gain(outcomes, alpha) for outcomes in compositions(model))
    if any(part.get("sampling", {}).get("kind") == "fixed-size" for part in model["parts"]):
        above = max(gain(outcomes, alpha) for outcomes in compositions(model, above=True))
        return F(claim["lower"]) <= best <= above <= F(claim["upper"])
    return F(claim["lower"]) <= best <= F(claim["upper"])


def chosen_holds(claim: Json, model: Json) -> bool:
    """The gain of the best event and the best choices, word by word."""
    alpha = F(claim["alpha"])
    best: Fraction = best_of_choices(model, lambda p, q: max(F(0), p - alpha * q))
    return F(claim["lower"]) <= best <= F(claim["upper"])


def moments_hold(claim: Json, model: Json) -> bool:
    """The largest moments, over all choices and ways to choose; up to what floats tell where roots are."""

    def number(text: str) -> Any:
        return inf if text == "inf" else F(text)

    if "rho" in claim:
        chosen = any("options" in part for part in model["parts"])
        pairs = [] if chosen else list(compositions(model))
        largest = partial(largest_of, pairs) if pairs else partial(chosen_moment, model)
        if not rho_holds(claim["rho"], largest, pairs):
            return False
    for order, lower, upper in claim["moments"]:
        a = number(order)
        best = best_of_choices(model, partial(share, a), max if a == inf else sum)
        room = 0 if inf in (a, best) or a.denominator == 1 else best / 10**9
        if not (number(lower) <= best + room and best - room <= number(upper)):
            return False
    return True


def chosen_moment(model: Json, order: float) -> float:
    return float(best_of_choices(model, partial(share, order), sum))


def largest_of(pairs: list[Outcomes], order: float) -> float:
    return max(sum(float(share(order, p, q)) for p, q in law) for law in pairs)


def share(order: Any, p: Fraction, q: Fraction) -> Any:
    """What a word adds to the moment."""
    if p == 0 or q == 0:
        return inf if p else F(0)
    if order == inf or (isinstance(order, F) and order.denominator == 1):
        return p / q if order == inf else p**order / q ** (order - 1)
    return float(p) ** float(order) * float(q) ** float(1 - order)


def best_of_choices(model: Json, end: Callable[[Fraction, Fraction], Any], total: Any = sum) -> Any:
    """The largest total over all words, for every direction, pair of secrets and way to choose."""
    runs = [part for part in model["parts"] for _ in range(part["times"])]
    places = {id(part): k for k, part in enumerate(model["parts"])}
    found = []
    for backward in (False, True):
        laws = [
            [list(options(own, backward)) for own in part.get("options", [part])] for part in model["parts"]
        ]
        for rows in product(*(list(product(*several)) for several in laws)):

            def best(k: int, p: Fraction, q: Fraction, rows: Any = rows) -> Any:
                if k == len(runs):
                    return end(p, q)
                row = rows[places[id(runs[k])]]
                return max(total(best(k + 1, p * r, q * s) for r, s in law) for law in row)

            found.append(best(0, F(1), F(1)))
    return max(found)


def seen_model(model: Json, evidence: Json) -> Json:
    """The collapsed chain, with the relation of the original one."""
    small = evidence["collapsing"]["model"]
    return small | {"relation": model["relation"]} if "relation" in model else small


def gain(outcomes: Outcomes, alpha: Fraction) -> Fraction:
    return sum((max(F(0), p - alpha * q) for p, q in outcomes), F(0))


def tradeoff_holds(claim: Json, model: Json) -> bool:
    """Whether no test of outcomes errs less, and lines of all slopes touch F and some test (docs 3.12)."""
    pairs = [(claim["from"], claim["to"])] if claim["scope"] == "pair" else model["relation"]
    directed = [(s, t) for s, t in pairs] + [(t, s) for s, t in pairs if claim["of"] == "tv"]
    vertices = [(F(x), F(y)) for x, y in claim["vertices"]]
    if "gaussian" in claim and not gaussian_holds(claim["gaussian"], vertices):
        return False
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(vertices)]
    if vertices[0][0] != 0 or vertices[-1] != (F(1), F(0)) or not all(a < b for a, b in pairwise(slopes)):
        return False
    laws = [words(model, s, t) for s, t in directed]
    kinks = {q / p for law in laws for p, q in law if p} | {-slope for slope in slopes} | {F(0), F(1)}
    points = sorted(kinks)
    points += [(a + b) / 2 for a, b in pairwise(points)] + [max(points) + 1]
    # The least y + k·x of F, and of all tests: 1 + Σ min(0, k p − q) is Σ min(q, k p).
    return all(
        min(y + k * x for x, y in vertices) == min(sum(min(q, k * p) for p, q in law) for law in laws)
        for k in points
    )


def gaussian_holds(ends: Json, vertices: list[tuple[Fraction, Fraction]]) -> bool:
    """Whether the least μ is between both ends, up to what floats tell."""
    lower, upper, quantile = float(F(ends["lower"])), float(F(ends["upper"])), NormalDist().inv_cdf
    if vertices[0][1] != 1 or any(y == 0 for _, y in vertices[:-1]) or not 0 <= lower <= upper:
        return False
    least = max([0.0, *(quantile(float(1 - x)) - quantile(float(y)) for x, y in vertices[1:-1])])
    return lower <= least + 1e-9 and least - 1e-9 <= upper


def profile_holds(claim: Json, model: Json) -> bool:
    pairs = [(claim["from"], claim["to"])] if claim["scope"] == "pair" else model["relation"]
    directed = [(s, t) for s, t in pairs] + [(t, s) for s, t in pairs if claim["of"] == "tv"]
    laws = [words(model, s, t) for s, t in directed]
    if "points" in claim:
        rows = [[F(x) for x in row] for row in claim["points"]]
        of_states = [law_of_words(model["states"], state) for state in {*chain.from_iterable(pairs)}]
        lost = max(
            sum((p for word, p in law.items() if claim.get("lost") in word), F(0)) for law in of_states
        )
        return all(
            low <= max(F(0), max(gain(law, alpha) for law in laws) - (1 + alpha) * lost)
            and min(F(1), max(gain(law, alpha) for law in laws) + lost) <= high
            for alpha, low, high in rows
        )
    corners = [(F(a), F(v)) for a, v in claim["corners"]]
    kinks = {p / q for law in laws for p, q in law if p > q > 0} | {a for a, _ in corners} | {F(1)}
    points = sorted(kinks)
    points += [(a + b) / 2 for a, b in pairwise(points)] + [
        max(points) + 1,
        10 * max(points),
    ]
    return all(max(gain(law, a) for law in laws) == through(corners, a) for a in points)


def through(corners: list[tuple[Fraction, Fraction]], alpha: Fraction) -> Fraction:
    for (a, v), (b, w) in pairwise(corners):
        if a <= alpha <= b:
            return v + (w - v) * (alpha - a) / (b - a)
    return corners[-1][1]


def compositions(model: Json, *, above: bool = False) -> Iterator[Outcomes]:
    """The outcomes of all runs together, for every direction and choice; ``above`` of what dominates."""
    for backward in (False, True):
        for row in product(*(list(options(part, backward, above=above)) for part in model["parts"])):
            seen: Outcomes = [(F(1), F(1))]
            for outcomes, part in zip(row, model["parts"], strict=True):
                for _ in range(part["times"]):
                    seen = merged([(p * r, q * s) for p, q in seen for r, s in outcomes])
            yield seen


def merged(outcomes: Outcomes) -> Outcomes:
    """Outcomes of one ratio together."""
    found: dict[Any, tuple[Fraction, Fraction]] = {}
    for p, q in outcomes:
        key = p / q if q else "inf"
        before = found.get(key, (F(0), F(0)))
        found[key] = before[0] + p, before[1] + q
    return list(found.values())


def options(part: Json, backward: bool, *, above: bool = False) -> Iterator[Outcomes]:
    for outcomes in of_all_data(part, backward):
        if "sampling" not in part:
            yield outcomes
            continue
        rate = F(part["sampling"]["rate"])
        if above and part["sampling"]["kind"] == "fixed-size":
            larger = [(rate * p + (1 - rate) * q, q) for p, q in outcomes if p > q > 0]
            larger += [(rate * p, F(0)) for p, q in outcomes if q == 0 < p]
            rest = 1 - sum((p + q for p, q in larger), F(0))  # of pairs as likely the other way round
            yield [*larger, *((q, p) for p, q in larger), (rest, rest)]
            continue
        mean = [((1 - rate) * q + rate * p, (1 - rate) * p + rate * q) for p, q in outcomes]
        yield [
            (p, second) if backward else (first, q)
            for (p, q), (first, second) in zip(outcomes, mean, strict=True)
        ]


def of_all_data(part: Json, backward: bool) -> Iterator[Outcomes]:
    if "chain" in part:
        chain = part["chain"]
        pairs = [(part["from"], part["to"])] if "from" in part else chain["relation"]
        for s, t in pairs:
            yield words(chain, *((t, s) if backward else (s, t)))
        return
    laws = [(F(p), F(q)) for p, q in part["laws"]] if "laws" in part else known(part)
    yield [(q, p) for p, q in laws] if backward else laws


def known(part: Json) -> Outcomes:
    if part["known"] == "randomised-response":
        q, k = F(part["q"]), part["values"]
        truth = 1 / (1 + (k - 1) * q)
        return [(truth, truth * q), (truth * q, truth)] + [(truth * q, truth * q)] * (k - 2)
    if part["known"] == "approximate":
        alpha, delta = F(part["alpha"]), F(part["delta"])
        yes, no = (1 - delta) * alpha / (1 + alpha), (1 - delta) / (1 + alpha)
        return [(delta, F(0)), (F(0), delta), (yes, no), (no, yes)]
    if part["known"] == "discrete-gaussian":
        return discrete_gaussian(F(part["sigma"]), part["sensitivity"])
    q, s = F(part["q"]), part["sensitivity"]
    if "bound" in part:
        top = part["bound"]
        weights = {x: q ** abs(x) for x in range(-top, top + 1)}
        total = sum(weights.values())
        return [
            (weights.get(x, F(0)) / total, weights.get(x - s, F(0)) / total) for x in range(-top, top + s + 1)
        ]
    inner = [(q**x, q ** (s - x)) for x in range(1, s)]
    ends = [(1 / (1 - q), q**s / (1 - q)), (q**s / (1 - q), 1 / (1 - q))]
    return [(p * (1 - q) / (1 + q), r * (1 - q) / (1 + q)) for p, r in inner + ends]


def discrete_gaussian(sigma: Fraction, far: int) -> Outcomes:
    """As far out as matters beside the width of intervals."""
    places = range(-8 * ceil(sigma) - far, 8 * ceil(sigma) + far + 1)
    weights = {k: F(exp(-(float(k / sigma) ** 2) / 2)).limit_denominator(10**12) for k in places}
    whole = sum(weights.values())
    return [(weights[k] / whole, weights[k - far] / whole) for k in places[far:]]


def words(chain: Json, source: str, target: str) -> Outcomes:
    """The probabilities of all words of so many labels, from either state."""
    laws = [law_of_words(chain["states"], start) for start in (source, target)]
    return [(laws[0].get(word, F(0)), laws[1].get(word, F(0))) for word in laws[0].keys() | laws[1].keys()]


def law_of_words(states: Mapping[str, Json], start: str) -> dict[tuple[str, ...], Fraction]:
    first: tuple[str, ...] = (states[start]["label"],)
    runs = {(first, start): F(1)}
    for _ in range(STEPS):
        after: dict[tuple[tuple[str, ...], str], Fraction] = {}
        for (word, state), p in runs.items():
            for following, x in states[state]["next"].items():
                key = ((*word, states[following]["label"]), following)
                after[key] = after.get(key, F(0)) + p * F(x)
        runs = after
    law: dict[tuple[str, ...], Fraction] = {}
    for (word, _), p in runs.items():
        law[word] = law.get(word, F(0)) + p
    return law
