"""Skewed bisimilarity, and bisimilarity: partitions of the states, finer and coarser ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from .chains import Chain, Claim, dot, excess, read_coupling, read_positive_potentials, read_rows, settle
from .reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    ascending,
    at,
    demand,
    record,
    typed,
)


def kernel(chain: Chain, claim: Claim, evidence: Json) -> None:
    """The couplings of related pairs stay among them; the unrelated pairs fall one rank after the other."""
    sides = record(evidence, "related unrelated")
    related = read_rows(chain, sides["related"], "coupling pair")
    unrelated = read_rows(chain, sides["unrelated"], "pair potentials rank")
    demand(related.keys().isdisjoint(unrelated), BadEvidence, "a pair is both related and unrelated")
    for pair, row in related.items():
        with at(f"coupling of {pair}"):
            b, m = chain.skew(claim.alpha, pair)
            w, c = read_coupling(row["coupling"], chain)
            demand(w.keys() <= related.keys(), RuleBroken, "it leaves the related pairs")
            demand(not any(excess(claim.alpha, b, m, w, c)), RuleBroken, "it does not carry all mass")
    ranks = {pair: typed(row["rank"], int) for pair, row in unrelated.items()}
    demand(all(rank > 0 for rank in ranks.values()), Malformed, "a rank is not positive")
    fallen: dict[int, set[int]] = defaultdict(set)  # i: the j of the pairs (i,j) of lower rank
    for _, group in groupby(sorted(unrelated, key=ranks.__getitem__), ranks.__getitem__):
        falling = list(group)
        for pair in falling:
            with at(f"potentials of {pair}"):
                b, _ = chain.skew(claim.alpha, pair)
                g = read_positive_potentials(unrelated[pair]["potentials"], chain)
                small = all(flat(claim.alpha, chain, g, i, fallen.get(i, ())) for i in g)
                demand(small, RuleBroken, "they are too large for a pair of no lower rank")
                demand(dot(g, b) > 0, RuleBroken, "they gain nothing")
        for i, j in falling:
            fallen[i].add(j)

    def value(s: int, t: int) -> int | None:
        if s == t or (s, t) in related:
            return 0
        return 1 if chain.labels[s] != chain.labels[t] or (s, t) in unrelated else None

    if claim.below:
        settle(claim, value)
    else:
        demand(len(related) + len(unrelated) == chain.twin_count(), ClaimOpen, "a twin has no row")


def flat(alpha: Ratio, chain: Chain, g: Mapping[int, int], i: int, free: Collection[int]) -> bool:
    """g_i ≤ α g_j for every twin (i,j) with j not in free, where g_i > 0 and free holds such j only.

    Only a j with g_j > 0 can pass, so counting those is enough, and nothing walks over all states.
    """
    (p, q), bound = alpha, len(chain.classes[chain.labels[i]]) - 1 - len(free)
    if bound > len(g):
        return False
    return bound == sum(j not in free and chain.is_twin(i, j) and q * g[i] <= p * x for j, x in g.items())


def bisimilarity(chain: Chain, claim: Claim, evidence: Json) -> None:
    """`classes` is a bisimulation; the partition at the end of `splitters` is no finer than bisimilarity."""
    sides = record(evidence, "", "classes splitters")
    demand(len(sides) > 0, Malformed, "no evidence")
    finer, coarser = list(range(len(chain.rows))), [0] * len(chain.rows)
    if "classes" in sides:
        finer = classes_rule(chain, read_blocks(chain, sides["classes"]))
    if "splitters" in sides:
        coarser = splitters_rule(chain, read_blocks(chain, sides["splitters"]))
    if claim.below:
        settle(claim, lambda s, t: 0 if finer[s] == finer[t] else 1 if coarser[s] != coarser[t] else None)
    else:
        # Bisimilarity lies between the two partitions: they are equal if they have equally many classes.
        meet = len(sides) == 2 and len(set(finer)) == len(set(coarser))
        demand(meet, ClaimOpen, "the splitters do not separate the classes")


def read_blocks(chain: Chain, value: Json) -> list[list[int]]:
    blocks = [[chain.state(s) for s in typed(block, list)] for block in typed(value, list)]
    demand(all(blocks), BadEvidence, "an empty set of states")
    for block in blocks:
        ascending(block, BadEvidence, "states")
    return blocks


def classes_rule(chain: Chain, classes: Sequence[Sequence[int]]) -> list[int]:
    """A partition of the states; in each class, labels are equal, and μ(C) for all C. Class by state."""
    ascending((block[0] for block in classes), BadEvidence, "classes")
    place = {s: n for n, block in enumerate(classes) for s in block}
    disjoint = len(place) == sum(map(len, classes))
    demand(disjoint and len(place) == len(chain.rows), BadEvidence, "the classes are not a partition")
    looks: dict[int, tuple[str, Mapping[int, Fraction]]] = {}  # class: label and μ(C) of a state in it
    for s, row in enumerate(chain.rows):
        mass: dict[int, Fraction] = defaultdict(Fraction)
        for t, x in row.items():
            mass[place[t]] += Fraction(*x)
        look = chain.labels[s], mass
        demand(looks.setdefault(place[s], look) == look, RuleBroken, f"state {s} does not fit its class")
    return [place[s] for s in range(len(chain.rows))]


def splitters_rule(chain: Chain, splitters: Sequence[Sequence[int]]) -> list[int]:
    """Each splitter T is a union of classes and parts the states of different μ(T). Last class by state."""
    into: dict[int, list[int]] = defaultdict(list)
    for s, row in enumerate(chain.rows):
        for t in row:
            into[t].append(s)
    numbers = {label: n for n, label in enumerate(chain.classes)}
    place = [numbers[label] for label in chain.labels]
    size = [len(states) for states in chain.classes.values()]
    for n, splitter in enumerate(splitters):
        hit: dict[int, int] = defaultdict(int)
        mass: dict[int, Fraction] = defaultdict(Fraction)
        for t in splitter:
            hit[place[t]] += 1
            for s in into.get(t, ()):
                mass[s] += Fraction(*chain.rows[s][t])
        union = all(size[c] == count for c, count in hit.items())
        demand(union, RuleBroken, f"splitter {n} is not a union of classes")
        parts: dict[tuple[int, Fraction], int] = {}
        for s, x in mass.items():  # the others have mass 0 and stay where they are
            size[place[s]] -= 1
            place[s] = parts.setdefault((place[s], x), len(size))
            size += [0] * (place[s] + 1 - len(size))
            size[place[s]] += 1
    return place


def quotient(chain: Chain, blocks: Sequence[Sequence[int]]) -> tuple[Chain, Sequence[int]]:
    """The chain whose states are the classes of a bisimulation, and the class of every state."""
    place = classes_rule(chain, blocks)
    labels, rows, classes = [], [], defaultdict(list)
    for c, block in enumerate(blocks):
        mass: dict[int, Fraction] = defaultdict(Fraction)
        for t, x in chain.rows[block[0]].items():
            mass[place[t]] += Fraction(*x)
        rows.append({t: x.as_integer_ratio() for t, x in mass.items()})
        labels.append(chain.labels[block[0]])
        classes[labels[c]].append(c)
    return Chain({}, labels, rows, classes, ()), place
