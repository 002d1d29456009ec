"""δ as an exact function of α, where what can be seen leads to finitely many situations.

After a word w the situation is the pair of measures x_w, y_w on states, from either secret, up to one common
scalar. It is *decided* if one is a multiple of the other: later labels tell nothing. Where finitely many
situations can arise, lv_α(s,t) = Σ p max(0, 1 − α r) over the decided ones and those that are never left,
with the probability p to end there and the ratio r = |y| / |x|, which is constant there. As a function of α
this is convex, non-increasing and piecewise linear, with a breakpoint wherever α r = 1.
Reference: docs/theory.md, *δ as a function of α*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from prover.chain.bisimulation import bisimilarity
from prover.chain.delta import UnknownDelta
from prover.chain.distance import query_pairs
from prover.chain.model import LabelledMarkovChain, Pair, quotient
from prover.errors import BadInput, Fault, abbreviated, quoted
from prover.exact.convex import Piecewise, maximum, positive_parts
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.linear import solve
from prover.exact.rational import format_rational
from prover.progress import Progress, silent

MOST_NODES, MOST_BITS = 50_000, 2**28
MOST_CYCLIC_NODES, MOST_CYCLIC_BITS = 2_000, 2**23
"""How many situations are tried, and how many bits of numbers in all of them; less where runs can return to a
state, as there may then be no end of either.
"""

_Measure = Mapping[int, fmpq]
_Node = tuple[tuple[tuple[int, fmpq], ...], tuple[tuple[int, fmpq], ...]]
_ZERO, _ONE = fmpq(0), fmpq(1)


class TooManyWords(BadInput):
    """Exact breakpoints are asked for, and words lead to more situations than the limits allow."""

    def __init__(self, tried: int, returning: str | None) -> None:
        message = f"no exact breakpoints: words lead to more than {tried:,} situations, maybe infinitely many"
        if returning is not None:
            message += f", as runs can return to state {quoted(returning)}"
        super().__init__(f"{message}; ask for δ at single values of alpha")


@dataclass(frozen=True, slots=True)
class Breakpoints:
    """δ from α = 1 on, exactly.

    ``kind`` is "lv" or "tv". Without a pair, ``source`` and ``target`` are None and ``delta`` is the maximum
    over the chain's relation.
    """

    kind: str
    source: str | None
    target: str | None
    delta: Piecewise

    def __str__(self) -> str:
        names = [abbreviated(name) for name in (self.source, self.target) if name is not None]
        pair = f"({', '.join(names)})" if names else " of the relation"
        corners = ", ".join(f"({format_rational(a)}, {format_rational(d)})" for a, d in self.delta.corners)
        return f"{self.kind}{pair} is linear between the breakpoints (alpha, delta): {corners}"


def breakpoints(
    chain: LabelledMarkovChain,
    source: str | None = None,
    target: str | None = None,
    *,
    kind: str = "tv",
    progress: Progress = silent,
) -> Breakpoints:
    """δ between two states as an exact function of α ≥ 1; without states, its maximum over the relation.

    ``kind`` "tv" is δ both ways round, "lv" from ``source`` to ``target`` only. Chains whose runs are all
    absorbed within a bounded number of steps have exact breakpoints, and so have some others.

    Raises UnknownDelta, UnknownState, HalfAPair, EmptyRelation, TooManyWords.
    """
    if kind not in ("tv", "lv"):
        raise UnknownDelta(kind)
    pairs = query_pairs(chain, source, target)
    found = bisimilarity(chain)
    class_of = found.class_of()
    small = quotient(chain, found.classes)
    # The quotient orders its states by the first members of the classes, as ``sorted`` does here.
    order = sorted(range(len(found.classes)), key=lambda c: found.classes[c][0])
    place = {c: k for k, c in enumerate(order)}
    queries = {(place[class_of[s]], place[class_of[t]]) for s, t in pairs}
    if kind == "tv":
        queries |= {(t, s) for s, t in queries}
    functions = [positive_parts(_endings(small, pair, progress)) for pair in sorted(queries)]
    return Breakpoints(kind, source, target, maximum(functions))


def _endings(
    chain: LabelledMarkovChain, pair: Pair, progress: Progress
) -> Iterator[tuple[Fraction, Fraction]]:
    """With what probability the situations where runs end are seen, from the first and the second state."""
    s, t = pair
    if chain.labels[s] != chain.labels[t]:
        yield Fraction(1), Fraction(0)
        return
    situations = _explore(chain, pair, progress)
    for members, arriving in _settled(situations):
        x = sum(arriving.values(), _ZERO)
        ratios = {situations[number].ratio for number in members}
        if len(ratios) > 1:
            raise Fault("situations that are never left differ in their ratio")
        yield fraction_of(x), fraction_of(x * ratios.pop())


@dataclass(frozen=True, slots=True)
class _Situation:
    """``ratio`` is |y| / |x|. ``following`` are the numbers of the situations after the next label, with the
    probabilities from the first secret; none where everything is decided.
    """

    ratio: fmpq
    following: Mapping[int, fmpq]


def _explore(chain: LabelledMarkovChain, pair: Pair, progress: Progress) -> list[_Situation]:
    """All situations; number 0 is the beginning. Raises TooManyWords."""
    rows = tuple({t: fmpq_of(p) for t, p in row.items()} for row in chain.rows)
    cyclic = _cyclic(chain)
    found: dict[_Node, int] = {_node({pair[0]: _ONE}, {pair[1]: _ONE}): 0}
    waiting = list(found)
    returning: int | None = None
    situations, bits = [], 0
    for node in waiting:  # which grows
        x, y = dict(node[0]), dict(node[1])
        following: dict[int, fmpq] = {}
        if not _decided(x, y):
            if returning is None:
                returning = min(cyclic & (x.keys() | y.keys()), default=None)
            ahead, behind = _step(chain, rows, x), _step(chain, rows, y)
            for label, mass in ahead.items():
                total = sum(mass.values(), _ZERO)
                new = _node(*({u: p / total for u, p in z.items()} for z in (mass, behind.get(label, {}))))
                if new not in found:
                    found[new] = len(waiting)
                    waiting.append(new)
                    bits += _bits(new)
                following[found[new]] = following.get(found[new], _ZERO) + total
            nodes, size = (
                (MOST_NODES, MOST_BITS) if returning is None else (MOST_CYCLIC_NODES, MOST_CYCLIC_BITS)
            )
            if len(waiting) > nodes or bits > size:
                state = None if returning is None else chain.states[returning]
                raise TooManyWords(min(nodes, len(waiting) - 1), state)
        situations.append(_Situation(sum(y.values(), _ZERO), following))
        progress("words (situations)", len(situations), None)
    return situations


def _settled(situations: Sequence[_Situation]) -> Iterator[tuple[list[int], dict[int, fmpq]]]:
    """The sets of situations that are not left any more, with the probabilities to enter them."""
    import networkx as nx

    graph = nx.DiGraph([(k, after) for k, each in enumerate(situations) for after in each.following])
    graph.add_node(0)
    entering: dict[int, dict[int, fmpq]] = {}
    parts = nx.condensation(graph)
    home = parts.graph["mapping"]
    entering[home[0]] = {0: _ONE}
    for part in nx.topological_sort(parts):
        arriving, members = entering.pop(part), sorted(parts.nodes[part]["members"])
        if not parts.out_degree(part):
            yield members, arriving
            continue
        for number, visits in _visits(situations, members, arriving).items():
            for after, chance in situations[number].following.items():
                if home[after] != part:
                    there = entering.setdefault(home[after], {})
                    there[after] = there.get(after, _ZERO) + visits * chance


def _visits(
    situations: Sequence[_Situation], members: Sequence[int], arriving: Mapping[int, fmpq]
) -> dict[int, fmpq]:
    """How often the situations of a component are visited, on average, before it is left."""
    if len(members) == 1 and members[0] not in situations[members[0]].following:
        return dict(arriving)
    place = {number: k for k, number in enumerate(members)}
    rows = [{k: _ONE} for k in range(len(members))]
    for number in members:
        for after, chance in situations[number].following.items():
            if after in place:
                row = rows[place[after]]
                row[place[number]] = row.get(place[number], _ZERO) - chance
    return dict(zip(members, solve(rows, [arriving.get(number, _ZERO) for number in members]), strict=True))


def _step(
    chain: LabelledMarkovChain, rows: Sequence[_Measure], measure: _Measure
) -> dict[str, dict[int, fmpq]]:
    """The measure after one step, by the label that is seen."""
    after: dict[str, dict[int, fmpq]] = {}
    for s, mass in measure.items():
        for t, p in rows[s].items():
            seen = after.setdefault(chain.labels[t], {})
            seen[t] = seen.get(t, _ZERO) + mass * p
    return after


def _cyclic(chain: LabelledMarkovChain) -> frozenset[int]:
    """The states with a way back to themselves, except absorbing ones."""
    import networkx as nx

    graph = nx.DiGraph([(s, t) for s, row in enumerate(chain.rows) for t in row if s != t])
    found = {s for part in nx.strongly_connected_components(graph) if len(part) > 1 for s in part}
    return frozenset(found | {s for s, row in enumerate(chain.rows) if s in row and len(row) > 1})


def _decided(x: _Measure, y: _Measure) -> bool:
    """Whether what comes later tells nothing: one measure is a multiple of the other."""
    if not y:
        return True
    if x.keys() != y.keys():
        return False
    state = next(iter(x))
    return all(y[u] * x[state] == x[u] * y[state] for u in x)


def _bits(node: _Node) -> int:
    return sum(int(p.p).bit_length() + int(p.q).bit_length() for measure in node for _, p in measure)


def _node(x: _Measure, y: _Measure) -> _Node:
    return tuple(sorted(x.items())), tuple(sorted(y.items()))
