"""The rules of Section 3.13 of docs/certificates.md once more: decimals, and the algebra of SymPy."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import floor
from typing import Any

from tests.certificate.judge import Unsound, rising, rule
from tests.certificate.unrolling_judge import accepts_unrolling

Json = Any
F = Fraction
ZERO = Fraction(0)


def accepts_real(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    try:
        return accepts_unrolling(of_rounded(certificate))
    except Unsound:
        return False


def of_rounded(certificate: Json) -> Json:
    """What the rounded chain must obey, if it is cut from the real one."""
    claim, evidence = dict(certificate["claim"]), dict(certificate["evidence"])
    model, rounding = certificate["model"], evidence.pop("rounding")
    observer = claim.pop("observer", {"sees": "labels", "silent": []})
    rule("lost" in claim and observer["sees"] == "labels" and rising(observer["silent"]))
    names, small = sorted(model["states"]), rounding["model"]["states"]
    others, bits = sorted(small), rounding["bits"]
    rule(0 < bits <= 10_000)
    labels = [model["states"][name]["label"] for name in names]
    silent = [label in observer["silent"] for label in labels]
    below = [rounded_row(model["states"][name]["next"], names, bits) for name in names]
    entered = dict(rounding["entered"])
    rule(rising([c for c, _ in rounding["entered"]]) and len({*entered.values()}) == len(entered))
    for c, s in entered.items():
        rule(c < len(others) and s < len(names) and not silent[s] and small[others[c]]["label"] == labels[s])
    g = exits_of(rounding["exits"], silent, bits)
    for u, found in g.items():
        for v, x in found.items():
            rule(x <= seen(below[u], v, silent, g))
    leaving: set[int] = set()
    while more := {u for u in g if any(t not in g or t in leaving for t in below[u])} - leaving:
        leaving |= more
    rule(leaving == g.keys())
    for c, name in enumerate(others):
        rule(c in entered or small[name]["label"] == claim["lost"])
        for target, x in small[name]["next"].items() if c in entered else ():
            d = others.index(target)
            if d in entered:
                rule(Fraction(x) <= seen(below[entered[c]], entered[d], silent, g))
            else:
                rule(small[target]["label"] == claim["lost"])
    factors = {}
    if "growth" in evidence:
        rule("lost" not in evidence and claim.pop("lost") not in labels and F(claim["lower"]) == 0)
        rows = [model["states"][name]["next"].keys() for name in names]
        targets = [[names.index(t) for t in row] for row in rows]
        factors = growth_of(evidence.pop("growth"), targets, silent, entered, rounding["model"])
    called = {s: others[c] for c, s in entered.items()}
    ends = [names.index(claim[end]) for end in ("from", "to")]
    related = [[names.index(s), names.index(t)] for s, t in model.get("relation", [])]
    wanted = related if claim["scope"] == "relation" else [ends]
    rule(claim["scope"] != "relation" or ends in related)
    rule(all(s in called for pair in wanted for s in pair))
    if factors:
        claimed = {c for c, s in entered.items() if any(s in pair for pair in wanted)}
        rule(claimed <= factors.keys())
        most = max(factors[c] for c in claimed)
        claim |= {key: str(F(claim[key]) / most) for key in ("alpha", "upper")}
        rule(F(claim["alpha"]) >= 1)
    claim |= {"from": called[ends[0]], "to": called[ends[1]]}
    pairs = sorted([called[s], called[t]] for s, t in wanted)
    whole = {**rounding["model"], "relation": pairs} if claim["scope"] == "relation" else rounding["model"]
    return {**certificate, "claim": claim, "evidence": evidence, "model": whole}


def growth_of(
    listed: Json, targets: list[list[int]], silent: list[bool], entered: dict[int, int], small: Json
) -> dict[int, Fraction]:
    """The numbers k, by the states that they are of."""
    others = sorted(small["states"])
    rule(rising([c for c, _ in listed]) and all(F(k) >= 1 for _, k in listed))
    k = {c: F(number) for c, number in listed}
    seen_next: dict[int, set[int]] = {s: set() for s in range(len(targets))}
    for _ in targets:
        for s, row in enumerate(targets):
            for t in row:
                seen_next[s] |= seen_next[t] if silent[t] else {t}
    rule(all(seen_next[s] for s in range(len(targets)) if silent[s]))
    for c in k:
        rule(c in entered)
        chances = {others.index(name): F(x) for name, x in small["states"][others[c]]["next"].items()}
        rest = sum((x for d, x in chances.items() if d not in entered), ZERO)
        for v in seen_next[entered[c]]:
            ways = [d for d in chances if entered.get(d) == v and d in k]
            rule(len(ways) == 1 and (chances[ways[0]] + rest) * k[ways[0]] <= k[c] * chances[ways[0]])
    return k


def exits_of(listed: Json, silent: list[bool], bits: int) -> dict[int, dict[int, Fraction]]:
    rule(rising([u for u, _ in listed]))
    g = {}
    for u, found in listed:
        rule(u < len(silent) and silent[u] and rising([v for v, _ in found]))
        rule(all(v < len(silent) and 0 < int(n) <= 2**bits for v, n in found))
        g[u] = {v: Fraction(int(n), 2**bits) for v, n in found}
    return g


def seen(row: dict[int, Fraction], v: int, silent: list[bool], g: dict[int, dict[int, Fraction]]) -> Fraction:
    """Σ μ⁻(t)·g_t(v)."""
    own = {t: g.get(t, {}).get(v, ZERO) if silent[t] else Fraction(t == v) for t in row}
    return sum((p * own[t] for t, p in row.items()), ZERO)


def rounded_row(row: Json, names: list[str], bits: int) -> dict[int, Fraction]:
    """x⁻ for all probabilities of a row, which add up to 1."""
    from sympy import Integer, Rational, Symbol, cancel

    terms = [r for x in row.values() if not isinstance(x, str) for side in x.values() for r, _ in side]
    common = 1
    for r in terms:
        common *= Fraction(r).denominator
    z, total = Symbol("z"), Integer(0)
    found = {}
    for name, x in row.items():
        rule(name in names)
        sides = {"above": [["0", x]], "below": [["0", "1"]]} if isinstance(x, str) else x
        rule(all(side and rising([Fraction(r) for r, _ in side]) for side in sides.values()))
        rule(all(Fraction(c) != 0 for side in sides.values() for _, c in side))
        top, bottom = (
            sum(Rational(c) * z ** int(Fraction(r) * common) for r, c in sides[key])
            for key in ("above", "below")
        )
        total += top / bottom
        with localcontext(prec=400):
            above, divisor = (sum(map(decimal, sides[key])) for key in ("above", "below"))
            rule(above > 0 and divisor > 0)
            scaled = above / divisor * 2**bits
        found[names.index(name)] = Fraction(floor(scaled), 2**bits)
    rule(cancel(total - 1) == 0)
    return found


def decimal(term: list[str]) -> Decimal:
    r, c = map(Fraction, term)
    power = (Decimal(r.numerator) / r.denominator).exp()
    return Decimal(c.numerator) / c.denominator * power
