"""δ as a function of α, exactly, where all runs end: a sum over the words that can be seen.

After sufficiently many labels every run is where it stays, so that lv_α(s,t) = Σ_w max(0, x_w − α y_w) over
finitely many words w, seen with probability x_w from s and y_w from t. As a function of α this is convex,
non-increasing and piecewise linear, with a breakpoint wherever x_w = α y_w.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from prover.chain.distance import query_pairs
from prover.chain.kernel import bisimilarity
from prover.chain.model import LabelledMarkovChain, Pair, quotient
from prover.chain.pairs import rational
from prover.errors import BadInput, abbreviated, quoted
from prover.exact.piecewise import Piecewise, maximum, positive_parts
from prover.exact.rational import format_rational
from prover.progress import Progress, silent

MOST_NODES = 200_000

_Measure = Mapping[int, fmpq]
_Node = tuple[tuple[tuple[int, fmpq], ...], tuple[tuple[int, fmpq], ...]]
_ZERO, _ONE = fmpq(0), fmpq(1)


class RunsDoNotEnd(BadInput):
    """Exact breakpoints are asked for, and what is seen depends on a state to which runs can return."""

    def __init__(self, state: str) -> None:
        super().__init__(
            f"runs can return to state {quoted(state)}, so there may be infinitely many breakpoints; "
            "exact ones need a chain whose runs end in absorbing states"
        )


class TooManyWords(BadInput):
    """Exact breakpoints are asked for, and more words can be seen than the limit."""

    def __init__(self, most: int) -> None:
        message = f"more than {most:,} beginnings of words tell the two states apart"
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


class UnknownCurve(BadInput):
    """A curve of δ is asked for that is neither that of tv nor that of lv."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"there is no curve {quoted(kind)}; ask for tv (both ways round) or lv (directed)")


def breakpoints(
    chain: LabelledMarkovChain,
    source: str | None = None,
    target: str | None = None,
    *,
    kind: str = "tv",
    progress: Progress = silent,
) -> Breakpoints:
    """δ between two states as an exact function of α ≥ 1; without states, its maximum over the relation.

    ``kind`` "tv" is δ both ways round, "lv" from ``source`` to ``target`` only. Bisimilar states are merged
    first. Then runs have to end: where words still tell the two states apart, all states with a way back to
    themselves are absorbing.

    Raises UnknownCurve, UnknownState, HalfAPair, EmptyRelation, RunsDoNotEnd, TooManyWords.
    """
    if kind not in ("tv", "lv"):
        raise UnknownCurve(kind)
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
    words = _Words.of(small)
    functions = []
    for done, pair in enumerate(sorted(queries)):
        progress("words", done, len(queries))
        functions.append(positive_parts(words.masses(pair)))
    return Breakpoints(kind, source, target, maximum(functions))


@dataclass(frozen=True, slots=True)
class _Words:
    """A chain in which bisimilar states are merged, and the states to which runs can return."""

    chain: LabelledMarkovChain
    rows: tuple[_Measure, ...]
    cyclic: frozenset[int]

    @classmethod
    def of(cls, chain: LabelledMarkovChain) -> _Words:
        rows = tuple({t: rational(p) for t, p in row.items()} for row in chain.rows)
        return cls(chain, rows, _cyclic(chain))

    def masses(self, pair: Pair) -> Iterator[tuple[Fraction, Fraction]]:
        """What the words of a pair are seen with, from either state; many words may be counted together."""
        s, t = pair
        if self.chain.labels[s] != self.chain.labels[t]:
            yield Fraction(1), Fraction(0)
            return
        level: dict[_Node, fmpq] = {_node({s: _ONE}, {t: _ONE}): _ONE}
        visited = 0
        while level:
            visited += len(level)
            if visited > MOST_NODES:
                raise TooManyWords(MOST_NODES)
            longer: dict[_Node, fmpq] = {}
            for (x, y), times in level.items():
                ahead, behind = dict(x), dict(y)
                if _decided(ahead, behind):
                    yield _fraction(times * _sum(ahead)), _fraction(times * _sum(behind))
                    continue
                self._check_end(ahead, behind)
                after, against = self._step(ahead), self._step(behind)
                for label, mass in after.items():
                    total = _sum(mass)
                    node = _node(
                        {u: p / total for u, p in mass.items()},
                        {u: p / total for u, p in against.get(label, {}).items()},
                    )
                    longer[node] = longer.get(node, _ZERO) + times * total
            level = longer

    def _step(self, measure: _Measure) -> dict[str, dict[int, fmpq]]:
        """The measure after one step, by the label that is seen."""
        after: dict[str, dict[int, fmpq]] = {}
        for s, mass in measure.items():
            for t, p in self.rows[s].items():
                seen = after.setdefault(self.chain.labels[t], {})
                seen[t] = seen.get(t, _ZERO) + mass * p
        return after

    def _check_end(self, x: _Measure, y: _Measure) -> None:
        for state in sorted(x.keys() | y.keys()):
            if state in self.cyclic:
                raise RunsDoNotEnd(self.chain.states[state])


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


def _node(x: _Measure, y: _Measure) -> _Node:
    return tuple(sorted(x.items())), tuple(sorted(y.items()))


def _sum(measure: _Measure) -> fmpq:
    return sum(measure.values(), _ZERO)


def _fraction(q: fmpq) -> Fraction:
    return Fraction(int(q.p), int(q.q))
