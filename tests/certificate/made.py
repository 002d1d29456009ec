"""Certificates of random chains, made from the slow oracles: every claim that they hold is true."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from prover.chain.model import LabelledMarkovChain
from tests import oracle
from tests.certificate.judge import Judge, Unsound
from tests.certificate.samples import certificate, model

Json = Any
Pair = tuple[int, int]
ZERO, ONE = Fraction(0), Fraction(1)


def certificates() -> SearchStrategy[Json]:
    """Valid certificates of all kinds and scopes."""
    return st.integers(0, 2**32 - 1).map(made)


def made(seed: int) -> Json:
    """A valid certificate. Hypothesis draws a seed and not a chain: it likes small chains too much."""
    random = Random(seed)
    chain = random_chain(random)
    alpha = random.choice([ONE, Fraction(101, 100), Fraction(6, 5), Fraction(3, 2), Fraction(2)])
    kind = random.choice(["ld", "ld", "lgd", "bd", "bd", "kernel", "bisimilarity"])
    claim = {"kind": kind, "scope": random.choice(["pair", "relation", "all-pairs"])}
    if kind == "bisimilarity":
        evidence = bisimilarity_evidence(chain)
    else:
        claim |= {"alpha": str(alpha)}
        evidence = kernel_evidence(chain, alpha) if kind == "kernel" else exact_evidence(chain, alpha, kind)
    if "exact" in evidence and random.random() < 0.5:
        evidence = split(chain, evidence)
    if "exact" in evidence and random.random() < 0.5:
        evidence = apart(evidence)
    return finish(random, chain, claim, evidence, true_values(chain, alpha, kind))


def true_values(chain: LabelledMarkovChain, alpha: Fraction, kind: str) -> oracle.Table:
    """The distance, or 0 for related and 1 for unrelated pairs."""
    states = range(len(chain))
    if kind in ("ld", "lgd"):
        return oracle.ld(chain, alpha)
    if kind == "bd":
        return oracle.bd(chain, alpha)
    if kind == "kernel":
        related, _ = oracle.skewed_kernel(chain, alpha)
        return [[ZERO if (s, t) in related else ONE for t in states] for s in states]
    block = {s: members for members in oracle.bisimilarity(chain) for s in members}
    return [[ZERO if t in block[s] else ONE for t in states] for s in states]


def random_chain(random: Random) -> LabelledMarkovChain:
    """Three to five states over two labels, two absorbing states with labels of their own, and a relation."""
    inner = [f"s{k}" for k in range(random.randint(3, 5))]
    names = [*inner, "y", "z"]
    states: dict[str, tuple[str, dict[str, Fraction]]] = {}
    for name in inner:
        if states and random.random() < 0.2:
            states[name] = states[random.choice(sorted(states))]  # makes bisimilar states
            continue
        weights = {t: random.randint(1, 4) for t in random.sample(names, random.randint(1, 3))}
        row = {t: Fraction(w, sum(weights.values())) for t, w in weights.items()}
        states[name] = (random.choice("aaab"), row)
    states |= {name: (name, {name: ONE}) for name in ("y", "z")}
    return LabelledMarkovChain.of(states, [(random.choice(inner), random.choice(inner)) for _ in range(2)])


def model_of(chain: LabelledMarkovChain) -> Json:
    names = chain.states
    rows = {
        name: (label, {names[t]: str(x) for t, x in row.items()})
        for name, label, row in zip(names, chain.labels, chain.rows, strict=True)
    }
    return model(rows, [(names[s], names[t]) for s, t in chain.relation])


def finish(
    random: Random, chain: LabelledMarkovChain, claim: Json, evidence: Json, values: oracle.Table
) -> Json:
    """The certificate whose claim has the true values, or bounds around them where the sides are apart."""
    slack = random.choice([ZERO, Fraction(1, 7)]) if "lower" in evidence else ZERO
    distance = claim["kind"] in ("ld", "lgd", "bd")
    if claim["scope"] == "all-pairs":
        claim |= {"width": str(slack)} if distance else {}
    else:
        states = range(len(chain))
        one = (random.choice(states), random.choice(states))
        pairs = chain.relation if claim["scope"] == "relation" else [one]
        s, t = max(pairs, key=lambda pair: values[pair[0]][pair[1]])
        claim |= {"from": chain.states[s], "to": chain.states[t]}
        bounds = {"lower": str(max(ZERO, values[s][t] - slack)), "upper": str(min(ONE, values[s][t] + slack))}
        claim |= bounds if distance else {"value": str(values[s][t])}
    return certificate(claim, model_of(chain), evidence)


def listed(f: Mapping[int, Fraction]) -> Json:
    return [[k, str(x)] for k, x in sorted(f.items()) if x > 0]


def coupled(lifted: oracle.Lifted) -> Json:
    return [[i, j, str(x)] for (i, j), x in sorted(lifted.coupling.items())]


def exact_evidence(chain: LabelledMarkovChain, alpha: Fraction, kind: str) -> Json:
    """One table for both sides, with every pair in it, over a denominator that need not be the least."""
    operator = oriented(chain, alpha) if kind == "bd" else oracle.Operator(chain, alpha)
    d = oracle.least_fixed_point(operator)
    unrelated = kernel_potentials(operator)
    free = oracle.Operator(chain, alpha)
    judge = Judge(model_of(chain), {"alpha": str(alpha), "kind": kind, "scope": "all-pairs"})
    denominator = 2 * lcm(*(x.denominator for row in d for x in row))
    rows = []
    for s, t in oracle.alike_pairs(chain):
        if kind == "bd" and s > t:
            continue
        row: Json = {"pair": [s, t], "value": str(int(d[s][t] * denominator))}
        chosen = operator.key((s, t))
        row["potentials"] = potentials(judge, d, chosen, operator.lift(d, (s, t)).potentials)
        if kind == "bd":
            row |= {"backward": coupled(free.lift(d, (t, s))), "forward": coupled(free.lift(d, (s, t)))}
            row["direction"] = "forward" if chosen == (s, t) else "backward"
        else:
            row["coupling"] = coupled(free.lift(d, (s, t)))
        if d[s][t] > 0:
            row["rank"], g = unrelated[s, t]
            row["rank_potentials"] = listed(g)
        rows.append(row)
    return {"exact": {"denominator": str(denominator), "rows": rows}}


def oriented(chain: LabelledMarkovChain, alpha: Fraction) -> oracle.Operator:
    """Γ_σ whose least fixed point is bd, by switching (Theorem B)."""
    bd = oracle.bd(chain, alpha)
    chosen = {(s, t): (min(s, t), max(s, t)) for s, t in oracle.alike_pairs(chain)}
    while (d := oracle.least_fixed_point(oracle.Operator(chain, alpha, chosen))) != bd:
        once = oracle.gamma(chain, alpha, d)
        for s, t in oracle.alike_pairs(chain):
            p, q = chosen[s, t]
            if once[q][p] > once[p][q]:
                chosen[s, t] = chosen[t, s] = (q, p)
    return oracle.Operator(chain, alpha, chosen)


def potentials(judge: Judge, d: oracle.Table, pair: Pair, f: Mapping[int, Fraction]) -> Json:
    """Potentials where b > 0, if these extend to the other states, else of all; derived where possible."""
    weights = {k: judge.b(pair, k) for k in f}
    some = {k: x for k, x in f.items() if weights[k] > 0 or (weights[k] < 0 and x > 0)}
    full = {(i, j): d[i][j] for i in f for j in f}
    try:
        judge.smooth(full, {k: f[k] for k in f if k in some or weights[k] < 0})
    except Unsound:
        some = dict(f)
    entries: Json = []
    zeros = [j for j in f if weights[j] < 0 and j not in some]
    for k, x in some.items():
        entry: Json = [k, str(x)]
        for i in [*zeros, *(earlier[0] for earlier in entries)]:
            if judge.are_alike(i, k) and i not in zeros and (f[i] - d[i][k]) / judge.alpha == x:
                entry = [k, "from", i]
            elif judge.are_alike(i, k) and d[k][i] + judge.alpha * f[i] == x:
                entry = [k, "to", i]
        entries.append(entry)
    return entries


def split(chain: LabelledMarkovChain, evidence: Json) -> Json:
    """The same table with splitters, so that rows of value 1 need no rank."""
    table = evidence["exact"]
    rows = [
        {key: row[key] for key in row if row["value"] != table["denominator"] or not key.startswith("rank")}
        for row in table["rows"]
    ]
    return {"exact": table | {"rows": rows} | {"splitters": bisimilarity_evidence(chain)["splitters"]}}


def apart(evidence: Json) -> Json:
    """The same tables, one for each side, over different denominators; the lower side without zeros."""
    rows, denominator = evidence["exact"]["rows"], int(evidence["exact"]["denominator"])
    tripled = [row | {"value": str(3 * int(row["value"]))} for row in rows]
    sides = {
        "lower": ("coupling forward backward", [row for row in rows if row["value"] != "0"], denominator),
        "upper": ("potentials rank rank_potentials direction", tripled, 3 * denominator),
    }
    return {
        side: {
            "denominator": str(number),
            "rows": [{key: row[key] for key in row if key not in unused.split()} for row in kept],
        }
        | (
            {"splitters": evidence["exact"]["splitters"]}
            if side == "lower" and "splitters" in evidence["exact"]
            else {}
        )
        for side, (unused, kept, number) in sides.items()
    }


def kernel_potentials(operator: oracle.Operator) -> dict[Pair, tuple[int, dict[int, Fraction]]]:
    """Rank and rank potentials of every unrelated pair of equal label."""
    ranks, states = oracle.removal_ranks(operator), range(len(operator.chain))
    answer = {}
    for pair in oracle.alike_pairs(operator.chain):
        if pair in ranks:
            r = ranks[pair]
            before = [[ONE if ranks.get((s, t), r) < r else ZERO for t in states] for s in states]
            answer[pair] = r, operator.lift(before, pair).potentials
    return answer


def kernel_evidence(chain: LabelledMarkovChain, alpha: Fraction) -> Json:
    operator = oracle.Operator(chain, alpha)
    unrelated = kernel_potentials(operator)
    full = oracle.table(chain, dict.fromkeys(unrelated, ONE))
    related = [pair for pair in oracle.alike_pairs(chain) if pair not in unrelated]
    return {
        "related": [{"coupling": coupled(operator.lift(full, pair)), "pair": list(pair)} for pair in related],
        "unrelated": [
            {"pair": list(pair), "potentials": listed(g), "rank": rank}
            for pair, (rank, g) in unrelated.items()
        ],
    }


def bisimilarity_evidence(chain: LabelledMarkovChain) -> Json:
    """The classes, and splitters found by trying each class of the current partition."""
    states = range(len(chain))
    partition = [[s for s in states if chain.labels[s] == label] for label in sorted(set(chain.labels))]
    splitters: list[list[int]] = []
    while True:
        for splitter in partition:
            mass = {s: sum((chain.rows[s].get(t, ZERO) for t in splitter), ZERO) for s in states}
            finer = [
                [s for s in block if mass[s] == x] for block in partition for x in {mass[s] for s in block}
            ]
            if len(finer) > len(partition):
                splitters.append(splitter)
                partition = finer
                break
        else:
            return {"classes": oracle.bisimilarity(chain), "splitters": splitters}
