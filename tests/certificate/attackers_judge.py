"""Trade-off functions against attackers judged once more, from docs/certificates.md, 3.9 and 3.12."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.certificate.interactive_judge import Unrolled
from tests.certificate.judge import ONE, ZERO, Unsound, rule

Json = Any
F = Fraction


def accepts_attackers(certificate: Json) -> bool:
    """Whether the rules hold, but for those of μ; keys and types must be as the specification lists them."""
    try:
        decide(certificate)
    except Unsound:
        return False
    return True


def decide(certificate: Json) -> None:
    """The vertices, then the unrollings, then the lines and the points."""
    claim, model, evidence = (certificate[key] for key in ("claim", "model", "evidence"))
    rule(claim["of"] == "tv" and not {"above", "gaussian"} <= claim.keys())
    vertices, falls = function(claim["vertices"])
    attained, _ = function(claim.get("above", claim["vertices"]))
    most: dict[Fraction, Fraction] = {}
    points = list[tuple[Fraction, Fraction]]()
    relation = [tuple(pair) for pair in model.get("relation", [])]
    pairs = [(claim["from"], claim["to"])] if claim["scope"] == "pair" else relation
    directed = [one for s, t in pairs for one in ((s, t), (t, s))]
    if any(model["states"][s]["label"] != model["states"][t]["label"] for s, t in pairs):
        points.append((ZERO, ZERO))
    for listed in evidence["unrollings"]:
        asked = {"alpha": listed["alpha"], "lower": "0", "upper": "1", "kind": "tv", "scope": claim["scope"]}
        asked |= dict(zip(("from", "to"), directed[0], strict=True))
        shared = {key: evidence[key] for key in evidence if key == "classes"}
        made = Unrolled({"claim": asked, "model": model, "evidence": {"unrolling": listed, **shared}})
        made.decide()
        most[made.alpha] = max((made.bounds(s, t)[1] for s, t in directed), default=ZERO)
        roots = [row[0] for row in listed["attackers"]]
        rule(roots == sorted(set(roots)))
        for root, rows in listed["attackers"]:
            wanted = [[made.place[made.names.index(name)] for name in pair] for pair in directed]
            rule(0 <= root < len(made.roots) and made.roots[root] in wanted)
            points.append(errors(made, root, rows))
    for (a, b), fall in zip(vertices, falls, strict=False):
        if fall:
            alpha, room = (fall, 1 - b - fall * a) if fall >= 1 else (1 / fall, 1 - a - b / fall)
            rule(most.get(alpha, ONE) <= room)
    for x, y in attained:
        free = x == 1 or (x, y) == (ZERO, ONE)
        rule(free or any(u <= one and v <= other for u, v in points for one, other in ((x, y), (y, x))))


def function(listed: Json) -> tuple[list[tuple[Fraction, Fraction]], list[Fraction]]:
    """The vertices of a convex function, and how steeply it falls between them."""
    vertices = [(F(x), F(y)) for x, y in listed]
    rule(all(0 <= n <= 1 for vertex in vertices for n in vertex))
    rule(len(vertices) > 1 and vertices[0][0] == 0 and vertices[-1] == (ONE, ZERO))
    rule(all(a < x for (a, _), (x, _) in pairwise(vertices)))
    falls = [(b - y) / (x - a) for (a, b), (x, y) in pairwise(vertices)]
    rule(all(one > two for one, two in pairwise(falls)))
    return vertices, falls


def errors(made: Unrolled, root: int, rows: Json) -> tuple[Fraction, Fraction]:
    """1 − P and Q of the root."""
    known = {q: (F(p), F(r)) for q, p, r in rows}
    rule([q for q, _, _ in rows] == sorted(known) and all(0 <= q < len(made.nodes) for q in known))

    def masses(q: int) -> tuple[Fraction, Fraction]:
        if q in known:
            return known[q]
        rule("taken" not in made.nodes[q])
        x, y = made.vectors[q]
        return (sum(x, ZERO), sum(y, ZERO)) if made.stop(q) else (ZERO, ZERO)

    for q, (p, r) in known.items():
        rule(min(p, r) >= 0 and "taken" in made.nodes[q])
        after = [(c, masses(target)) for target, c in made.after[q][made.nodes[q]["taken"]]]
        rule(p <= sum((c * one for c, (one, _) in after), ZERO))
        rule(r >= sum((c * other for c, (_, other) in after), ZERO))
    p, r = masses(root)
    return 1 - p, r
