"""Skewed bisimilarity, and bisimilarity: partitions of the states, finer and coarser ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from itertools import groupby
from typing import Protocol

from .budget import STEP, Budget, operation
from .chains import (
    Chain,
    Claim,
    Pair,
    excess,
    read_coupling,
    read_positive_potentials,
    read_rows,
    settle,
    skew,
)
from .paths.separators import places, separated
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
    written,
)
from .symmetry.orbits import read_orbits

Blocks = Sequence[Sequence[int]]
NOTHING: Set[int] = frozenset()
PAIR_BITS = 1024  # of memory that a pair counts


def kernel(chain: Chain, claim: Claim, evidence: Json) -> Json:
    """The couplings of related pairs stay among them; the unrelated pairs fall one rank after the other.
    Returned are these, where the claim is about all pairs."""
    other = "separators" if "separators" in typed(evidence, dict) else "unrelated"
    sides = record(evidence, f"related {other}", "symmetries")
    related = read_rows(chain, sides["related"], "coupling pair")
    unrelated = read_rows(chain, sides.get("unrelated", []), "pair potentials rank")
    demand(related.keys().isdisjoint(unrelated), BadEvidence, "a pair is both related and unrelated")
    with at("symmetries"):
        orbits = read_orbits(chain, sides.get("symmetries", []))
    spread = orbits.spread([*related, *unrelated])
    held = {image for pair in related for image in spread[pair]}
    for pair, row in related.items():
        with at("coupling of", pair):
            w = read_coupling(row["coupling"], chain)
            demand(w.weights.keys() <= held, RuleBroken, "it uses a pair without a related row")
            states = len(chain.rows[pair[0]])
            b = skew(chain, claim.alpha, pair, states, w.whole)
            demand(
                excess(chain.budget, claim.alpha, b, states, w) == 0, RuleBroken, "it does not carry all mass"
            )
    ranks = {pair: typed(row["rank"], int) for pair, row in unrelated.items()}
    demand(all(rank > 0 for rank in ranks.values()), Malformed, "a rank is not positive")
    fallen: dict[int, set[int]] = defaultdict(set)  # i: the j of the pairs (i,j) of lower rank
    for _, group in groupby(sorted(unrelated, key=ranks.__getitem__), ranks.__getitem__):
        falling = list(group)
        for pair in falling:
            with at("potentials of", pair):
                unrelated_rule(chain, claim.alpha, pair, unrelated[pair]["potentials"], fallen)
        for i, j in (image for pair in falling for image in spread[pair]):
            fallen[i].add(j)
    apart = {image for pair in unrelated for image in spread[pair]}
    parted: Sequence[int] = ()
    if "separators" in sides:
        with at("separators"):
            parted = separated(chain, claim.alpha, sides["separators"], orbits)
        both = any(parted[s] >> t & 1 for s, t in held)
        demand(not both, BadEvidence, "a pair is both related and separated")

    def value(s: int, t: int) -> int | None:
        if s == t or (s, t) in held:
            return 0
        other = chain.labels[s] != chain.labels[t] or (s, t) in apart
        return 1 if other or (parted and parted[s] >> t & 1) else None

    if claim.below:
        settle(claim, value)
        return None
    more = sum(few.bit_count() for few in parted)
    known = len(held) + len(apart) + more == chain.count_alike()
    demand(known, ClaimOpen, "a pair of equal label has no row, and nothing separates it")
    chain.budget.keep(more, PAIR_BITS)
    return {"unrelated": sorted(apart) + [(s, t) for s, few in enumerate(parted) for t in places(few)]}


def unrelated_rule(
    chain: Chain, alpha: Ratio, pair: Pair, potentials: Json, fallen: Mapping[int, Set[int]]
) -> None:
    """g_i ≤ α g_j for every pair of equal label (i,j) that has not fallen; Σ g_k b_k > 0.

    In the order of g, all j at which the first condition fails for one i come before the others. They have
    to have fallen, and so have all j without an entry, where g_j = 0: these are counted, not walked over.
    """
    (p, q), inside = alpha, defaultdict[str, list[int]](list)
    g, bits = read_positive_potentials(potentials, chain)
    b = skew(chain, alpha, pair, len(g))
    few = sum(min(len(g), len(fallen.get(i, ()))) for i in g)
    chain.budget.spend(few + len(g), bits, b.bits)
    for k in sorted(g, key=g.__getitem__):
        inside[chain.labels[k]].append(k)
    for label, states in inside.items():
        own, outside = set(states), len(chain.classes[label]) - len(states)
        for i in states:
            free = fallen.get(i, NOTHING)
            small = len(free) - len(free & own) == outside
            for j in states:
                if not small or q * g[i] <= p * g[j]:
                    break
                small = j in free
            demand(small, RuleBroken, "the potentials are too large for a pair whose rank is not lower")
    demand(b.dot(g) > 0, RuleBroken, "they gain nothing")


def bisimilarity(chain: Chain, claim: Claim, evidence: Json) -> Json:
    """`classes` is a bisimulation; the partition at the end of `splitters` is no finer than bisimilarity.
    Returned are the classes, where the claim is about all pairs."""
    sides = record(evidence, "", "classes splitters")
    demand(len(sides) > 0, Malformed, "there is no evidence")
    finer, coarser = list(range(len(chain.rows))), [0] * len(chain.rows)
    if "classes" in sides:
        finer = classes_rule(chain, read_blocks(chain, sides["classes"]))
    if "splitters" in sides:
        coarser = splitters_rule(chain, read_blocks(chain, sides["splitters"]))
    if claim.below:
        settle(claim, lambda s, t: 0 if finer[s] == finer[t] else 1 if coarser[s] != coarser[t] else None)
        return None
    # Bisimilarity lies between the two partitions: they are equal if they have equally many classes.
    meet = len(sides) == 2 and len(set(finer)) == len(set(coarser))
    demand(meet, ClaimOpen, "the splitters do not separate all classes")
    return {"classes": sides["classes"]}


def read_blocks(chain: Numbered, value: Json) -> list[list[int]]:
    blocks = [[chain.state(s) for s in typed(block, list)] for block in typed(value, list)]
    demand(all(blocks), BadEvidence, "a class or splitter is empty")
    for block in blocks:
        ascending(block, BadEvidence, "states")
    return blocks


class Rows(Protocol):
    """The rows of states."""

    def __getitem__(self, s: int, /) -> Mapping[int, int]: ...


class Numbered(Protocol):
    """A thing with states that are known by their numbers."""

    def state(self, k: Json) -> int: ...


def classes_rule(chain: Chain, classes: Sequence[Sequence[int]]) -> list[int]:
    """A partition of the states; in each class, labels are equal, and μ(C) for all C. Class by state."""
    ascending((block[0] for block in classes), BadEvidence, "classes")
    numbers = {s: n for n, block in enumerate(classes) for s in block}
    disjoint = len(numbers) == sum(map(len, classes))
    demand(disjoint and len(numbers) == len(chain.rows), BadEvidence, "the classes are not a partition")
    class_of = [numbers[s] for s in range(len(chain.rows))]
    first = [lumped(chain, class_of, block[0]) for block in classes]
    for s, whole in enumerate(chain.wholes):
        other, mass, expected = classes[class_of[s]][0], lumped(chain, class_of, s), first[class_of[s]]
        whole_of_other = chain.wholes[other]
        chain.budget.spend(2 * len(chain.rows[s]), whole.bit_length(), whole_of_other.bit_length())
        same = chain.labels[s] == chain.labels[other] and mass.keys() == expected.keys()
        same = same and all(n * whole_of_other == expected[c] * whole for c, n in mass.items())
        demand(same, RuleBroken, f"state {s} differs from its class")
    return class_of


class WithRows(Protocol):
    """A thing with the rows of states, each over its own denominator."""

    @property
    def rows(self) -> Rows: ...


def lumped(chain: WithRows, class_of: Sequence[int], s: int) -> dict[int, int]:
    """μ_s(C) for every class C that it reaches, times the denominator of the row."""
    mass: dict[int, int] = defaultdict(int)
    for t, n in chain.rows[s].items():
        mass[class_of[t]] += n
    return mass


def splitters_rule(chain: Chain, splitters: Blocks) -> list[int]:
    """Each splitter T is a union of classes and parts the states of different μ(T). Last class by state."""
    return parted(chain.labels, {"": (dict(enumerate(chain.rows)), chain.wholes)}, splitters, chain.budget)


def parted(
    labels: Sequence[str],
    moves: Mapping[str, tuple[Mapping[int, Mapping[int, int]], Sequence[int] | Mapping[int, int]]],
    splitters: Blocks,
    budget: Budget,
) -> list[int]:
    """The same of rows by action: states are parted where μ(T) differs for some action. A T that occurred
    before changes nothing any more."""
    into: dict[int, list[tuple[int, str]]] = defaultdict(list)
    cost: dict[int, int] = defaultdict(int)
    for action, (rows, wholes) in moves.items() if splitters else ():
        for s, row in rows.items():
            bits = wholes[s].bit_length()
            units = operation(bits, bits)
            for t in row:
                into[t].append((s, action))
                cost[t] += units
    fresh = {tuple(splitter): n for n, splitter in reversed([*enumerate(splitters)])}
    budget.spend_units(sum(STEP + cost[t] for splitter in fresh for t in splitter))
    numbers = {label: n for n, label in enumerate(dict.fromkeys(labels))}
    class_of = [numbers[label] for label in labels]
    size = [0] * len(numbers)
    for c in class_of:
        size[c] += 1
    for splitter, n in sorted(fresh.items(), key=lambda entry: entry[1]):
        hit: dict[int, int] = defaultdict(int)
        mass: dict[tuple[int, str], int] = defaultdict(int)
        for t in splitter:
            hit[class_of[t]] += 1
            for s, action in into.get(t, ()):
                mass[s, action] += moves[action][0][s][t]
        union = all(size[c] == count for c, count in hit.items())
        demand(union, RuleBroken, f"splitter {n} is not a union of classes")
        shares: dict[int, set[tuple[str, str]]] = defaultdict(set)  # μ_s(T) by action, where it is not 0
        for (s, action), x in mass.items():
            share = Fraction(x, moves[action][1][s])
            shares[s].add((action, written(*share.as_integer_ratio())))
        parts: dict[tuple[int, frozenset[tuple[str, str]]], int] = {}
        for s, found in shares.items():  # the others stay where they are
            size[class_of[s]] -= 1
            class_of[s] = parts.setdefault((class_of[s], frozenset(found)), len(size))
            size += [0] * (class_of[s] + 1 - len(size))
            size[class_of[s]] += 1
    return class_of


def quotient(chain: Chain, blocks: Sequence[Sequence[int]]) -> tuple[Chain, Sequence[int]]:
    """The chain whose states are the classes of a bisimulation, and the class of every state."""
    class_of = classes_rule(chain, blocks)
    rows = [lumped(chain, class_of, block[0]) for block in blocks]
    labels, classes = [chain.labels[block[0]] for block in blocks], defaultdict(list)
    for c, label in enumerate(labels):
        classes[label].append(c)
    wholes = [chain.wholes[block[0]] for block in blocks]
    return Chain({}, labels, rows, wholes, classes, (), chain.budget), class_of
