"""The policies that closed tables lead to, where all that is stored is public.

What can be gained in n steps is found in floats at the knots of the table, from n − 1 steps. So the inputs of
each step are read off, from the start on. Reference: docs/theory_profiles.md, Theorem 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from math import ceil, log, log2
from typing import Any

import numpy as np

from prover.graphs import search
from prover.program.model import Edge, Program, out_edges, reachable
from prover.program.noise import NO_NOISE, Gaussian
from prover.program.outputs import seen_of
from prover.program.profiles.above import MOST_WORK, ClosedTables, Detail, Side, closed_tables
from prover.program.profiles.below import Below, enclosed
from prover.program.profiles.bounds import Above
from prover.program.profiles.entries import CurveNode, Way
from prover.program.profiles.policy import NextQuestion, Policy, Question, proved_policy
from prover.program.profiles.search import FoundInputs
from prover.program.profiles.shifts import with_shift
from prover.program.profiles.simulation import Simulation
from prover.program.scope import has_gaussian
from prover.progress import Progress

GAP = Fraction(1, 10**5)
"""How far both ends are apart, unless told."""
DETAILS = tuple(Detail(*of, public=True) for of in ((320, 8), (640, 48), (1280, 192), (2560, 768)))
_ROUGH = Fraction(1, 100)  # a gap times the square of lines, from which on it may be reached
MOST_QUESTIONS = 20_000
LONGEST = 1_000
"""Steps of a policy."""
_STILL = Fraction(0), Fraction(0)
_FAR = 32.0  # in scales of noise: as good as infinitely far
_NEAR = np.arange(-4, 5)
_CLOSE = 4  # inputs that are looked at, in parts of the root of a gap
_TURN = 4  # parts of the distance of inputs, in which a better one is looked for
_PART = 4  # of a gap, that the ends of a policy may lose
_NOTHING = 1e-9  # a probability that is as good as 0
_TINY = 1e-300
_SETTLED = 100  # of a gap, by which more steps gain more


def is_public(program: Program) -> bool:
    """Whether all that is stored is a constant, every test is of an input, and the outputs, which are
    letters, distinguish transitions: then tables may be as near to δ as wanted.
    """
    leaving = out_edges(program)
    return all(
        not edge.discloses
        and not edge.gaps
        and (not edge.assigns or (not edge.input and edge.noise == NO_NOISE))
        and (not edge.guard or edge.input)
        and len({seen_of(other.outputs) for other in leaving[state]}) == len(leaving[state])
        for state in reachable(program)
        for edge in leaving[state]
    )


def narrowed(
    tables: ClosedTables, alphas: tuple[Fraction, Fraction], gap: Fraction, progress: Progress
) -> Iterator[tuple[Above, Below | Policy | None]]:
    """Both ends, at an α each, from ever finer tables; until they are at most ``gap`` apart, or a table would
    take too long to check.
    """
    simulation = Simulation(tables.program, tables.at_epsilon)
    above, below = tables.at(alphas[0]), None
    work = partial(Detail.work, gaussian=has_gaussian(tables.program))
    functions = sum(len(side.functions) for side in tables.sides.values())
    details = [one for one in DETAILS if functions * work(one) <= MOST_WORK] or DETAILS[:1]
    for place, detail in enumerate(details):
        if place > 0:
            about = tables.program, tables.adjacency, tables.at_epsilon, [alphas[0]], tables.steps, tables.q
            tables = closed_tables(*about, detail)
            above = min(above, tables.at(alphas[0]), key=lambda one: one.upper)
        if detail == details[-1] or gap * detail.lines**2 > _ROUGH:
            progress("reading off inputs", place, len(details))
            read = _policy_below(simulation, tables, alphas[1], gap)
            if below is None or (read is not None and read.lower > below.lower):
                below = read
        yield above, below
        if below is not None and above.upper - below.lower <= gap:
            return


def _policy_below(
    simulation: Simulation, tables: ClosedTables, alpha: Fraction, gap: Fraction
) -> Below | Policy | None:
    """The best policy that the tables lead to; two lists of inputs where they do not depend on outputs; None
    if none gains anything.
    """
    about = tables.adjacency, tables.at_epsilon, alpha
    found: list[Below | Policy] = []
    for side in tables.sides.values():
        read = ReadOff(simulation, side, float(alpha), float(gap))
        questions, pairs = read.questions(), read.fixed()
        below: Below | Policy | None = None
        if pairs:
            pair = FoundInputs(0.0, tuple(x for x, _ in pairs), tuple(y - x for x, y in pairs))
            below = enclosed(simulation, *about, pair, tables.q)
        if below is None and questions:
            below = proved_policy(simulation.program, *about, questions, tables.q)
        found += [] if below is None else [replace(below, steps=tables.steps)]
    return max(found, key=lambda one: one.lower, default=None)


@dataclass(slots=True)
class _Place:
    """Where runs are: a node of the table, None where they have ended, and the transitions that stored the
    variables; their probabilities; and the number of the question there, None if the guess is made.
    """

    node: CurveNode | None
    stored: Mapping[str, int]
    p: float
    q: float
    number: int | None = None
    same: _Place | None = None
    """Another place that has the question in place of this one."""


@dataclass(frozen=True, slots=True)
class _Asked:
    place: _Place
    inputs: tuple[Fraction, Fraction] | None
    after: Sequence[_Place]


def _stays(place: _Place, after: _Place) -> bool:
    """Whether nothing happens."""
    return after.node == place.node and min(after.p / place.p, after.q / place.q) > 1 - _NOTHING


class ReadOff:
    """Steps that gain most, until less than a part of the ``gap`` is left."""

    def __init__(self, simulation: Simulation, side: Side, alpha: float, gap: float) -> None:
        self.simulation, self.program, self.alpha = simulation, simulation.program, alpha
        self.table, self.noise = side.table, simulation.program.noise
        self.left, self.width = gap / _PART, (gap / _PART) ** 0.5
        self.asked: list[_Asked] = []
        self.widest = 0
        self.spread = cache(self._spread)
        self.values = self._iterated(gap)

    def _iterated(self, gap: float) -> list[Mapping[CurveNode, Any]]:
        """What can be gained from each node in the fewest steps, first, and in ever more steps, until that is
        no more."""
        table = self.table
        nodes = search([table.start], table.following)
        found: list[Mapping[CurveNode, Any]] = [dict.fromkeys(nodes, table.trivial)]
        changed = set(nodes)
        while changed and len(found) < LONGEST:
            before, after = found[-1], dict(found[-1])
            for node in nodes:
                if not changed.isdisjoint([node, *table.following(node)]):
                    after[node] = self._gained(node, before)
            changed = {n for n in nodes if np.max(after[n] - before[n]) > gap / _SETTLED}
            found.append({node: after[node] if node in changed else before[node] for node in nodes})
        return found

    def questions(self) -> list[Question]:
        """They, each before those that follow it."""
        layer = self._kept([_Place(self.table.start, {}, 1.0, 1.0)])
        while layer:
            self.values.pop()
            asked, merged = len(self.asked), dict[Any, _Place]()
            for one in [self._step(place) for place in layer]:
                if any(_stays(one.place, after) for after in one.after):
                    one.place.same = self._merged(merged, one.place)
                    continue
                one.place.number = len(self.asked)
                self.asked.append(replace(one, after=[self._merged(merged, after) for after in one.after]))
            self.widest = max(self.widest, len(self.asked) - asked)
            layer = self._kept(list(merged.values()))
        return [
            Question(
                one.place.node.state,
                tuple(sorted(one.place.stored.items())),
                one.inputs,
                tuple(map(self._outcome, one.after)),
            )
            for one in self.asked
            if one.place.node is not None
        ]

    def fixed(self) -> list[tuple[Fraction, Fraction]] | None:
        """The inputs of both neighbours, if they do not depend on outputs, and no run stops at a test."""
        guessed = (place for one in self.asked[:-1] for place in one.after if place.number is None)
        if self.widest > 1 or any(place.node is not None for place in guessed):
            return None
        states = {one.place.node.state for one in self.asked if one.place.node is not None}
        if any(len(own) == 1 and own[0].guard for own in map(self.table.edges.__getitem__, states)):
            return None
        return [one.inputs for one in self.asked if one.inputs is not None]

    def _outcome(self, place: _Place) -> NextQuestion:
        while place.same is not None and place.same is not place:
            place = place.same
        return place.p > self.alpha * place.q if place.number is None else place.number

    def _kept(self, layer: Sequence[_Place]) -> list[_Place]:
        """The places where going on gains something: what is lost by fewer steps, or at the others, is a part
        of what may still be lost.
        """
        while len(self.values) > 1:
            fewer = sum(self._worth(place, -1) - self._worth(place, -2) for place in layer)
            if fewer > self.left / _SETTLED:
                break
            self.left -= max(fewer, 0.0)
            self.values.pop()
        if len(self.values) < 2 or len(self.asked) + len(layer) > MOST_QUESTIONS:
            return []
        lost, kept = self.left / 2, []
        for place in sorted(layer, key=lambda one: self._worth(one, -1)):
            worth = self._worth(place, -1)
            if worth > lost:
                kept.append(place)
            else:
                lost, self.left = lost - worth, self.left - worth
        return kept

    def _worth(self, place: _Place, steps: int) -> float:
        """What is gained there beyond a guess, with the last number of steps or the one before."""
        if place.node is None or place.p == 0:
            return 0.0
        values = self.values[steps][place.node]
        found = np.interp(self.alpha * place.q / place.p, self.table.knots, values)
        return place.p * float(found) - max(0.0, place.p - self.alpha * place.q)

    def _merged(self, layer: dict[Any, _Place], place: _Place) -> _Place:
        """The place of the next layer where runs of this one are as likely, about, on either input."""
        if place.node is None or place.p == 0 or place.q == 0:
            return place
        key = place.node, *sorted(place.stored.items()), round(log(place.q / place.p) / self.width)
        found = layer.setdefault(key, place)
        if found is not place:
            found.p, found.q = found.p + place.p, found.q + place.q
        return found

    def _ends(self, node: CurveNode, way: Way) -> list[CurveNode | None]:
        """Where a test leads that is passed, or not; None where runs end."""
        leaving = self.table.edges[node.state]
        ends = [self.table.target(edge, node.shifts, way) for edge in leaving]
        return ends if len(ends) == 2 else [*ends, None]

    def _differences(self, node: CurveNode) -> list[tuple[Fraction, list[CurveNode | None]]]:
        """How far inputs of a test may be apart, at the ends, and where it leads."""
        return [
            (end * self.noise.sensitivity, self._ends(node, way))
            for way in self.table.ways(node)
            for end in sorted({*way.differences})
        ]

    def _kept_on(self, node: CurveNode) -> CurveNode | None:
        """Where the only transition leads."""
        (edge,) = self.table.edges[node.state]
        return self.table.target(edge, with_shift(node.shifts, edge, _STILL), self.table.ways(node)[0])

    def _gained(self, node: CurveNode, before: Mapping[CurveNode, Any]) -> Any:
        """What can be gained at the knots in one more step."""
        first, knots = self.table.edges[node.state][0], self.table.knots
        if not first.bounds:
            after = self._kept_on(node)
            return self.table.trivial if after is None else before[after]
        found = []
        for moved, ends in self._differences(node):
            _, places = self.spread(first.number, Fraction(0), moved)
            found.append(self._gains(first, places, moved, ends, before, knots[:, None]).max(axis=1))
        return np.max(found, axis=0)

    def _gains(
        self,
        edge: Edge,
        above: Any,
        moved: Fraction,
        ends: Sequence[CurveNode | None],
        before: Mapping[CurveNode, Any],
        ratio: Any,
    ) -> Any:
        """What a test gains, if what is stored is so far above the input, at some α or each of a column."""
        one, two = (self.simulation.passes(edge, own) for own in (above, above - float(moved)))
        total: Any = 0.0
        for p, q, end in zip((one, 1 - one), (two, 1 - two), ends, strict=True):
            if end is None:
                total += np.maximum(p - ratio * q, 0.0)
            else:
                total += p * np.interp(ratio * (q / np.maximum(p, _TINY)), self.table.knots, before[end])
        return total

    def _step(self, place: _Place) -> _Asked:
        """The next inputs, and where each transition leads."""
        node = place.node
        if node is None:
            return _Asked(place, None, [])
        first = self.table.edges[node.state][0]
        if not first.bounds:
            stored = {**place.stored, **dict.fromkeys(first.assign, first.number)}
            after = _Place(self._kept_on(node), stored, place.p, place.q)
            return _Asked(place, _STILL if first.input else None, [after])
        drawn = self.program.edges[place.stored[first.bounds[0][1]]]
        level = self.program.states[drawn.source].mean - self.program.states[node.state].mean
        options = [
            (*self._best(first, level, moved, ends, self.alpha * place.q / place.p), moved, ends)
            for moved, ends in self._differences(node)
        ]
        _, above, moved, ends = max(options, key=lambda option: option[0])
        p, q = self.simulation.passes(first, np.array([float(above), float(above - moved)]))
        places = [
            _Place(end, place.stored, place.p * float(p), place.q * float(q))
            for end, (p, q) in zip(ends, ((p, q), (1 - p, 1 - q)), strict=True)
        ]
        return _Asked(place, (level - above, level - above + moved), places)

    def _best(
        self, edge: Edge, level: Fraction, moved: Fraction, ends: Sequence[CurveNode | None], ratio: float
    ) -> tuple[float, Fraction]:
        """What a test gains, and how far above the input what is stored is then."""
        unit, places = self.spread(edge.number, level, moved)
        at, before = np.array(ratio), self.values[-1]
        found = self._gains(edge, places, moved, ends, before, at)
        place = int(np.argmax(found))
        best, step = places[place], float(np.ptp(places[max(place - 1, 0) : place + 2])) / 2
        if (grid := self.noise.grid) is not None:
            return float(found.max()), level - round((float(level) - best) / float(grid)) * grid
        while step > float(unit):
            step /= _TURN
            near = np.round((best + step * _NEAR) / float(unit)) * float(unit)
            found = self._gains(edge, near, moved, ends, before, at)
            best = near[int(np.argmax(found))]
        return float(found.max()), round(best / float(unit)) * unit

    def _spread(self, number: int, level: Fraction, moved: Fraction) -> tuple[Fraction, Any]:
        """What the distance of an input from the level of what is stored is a multiple of, and some."""
        edge, grid = self.program.edges[number], self.noise.grid
        reach, scale = self.noise.sensitivity * edge.sensitivity, self.simulation.noise(edge).scale
        if grid is not None:
            most = ceil((float(reach) + _FAR * scale) / float(grid))
            return grid, float(level - round(level / grid) * grid) + float(grid) * np.arange(-most, most + 1)
        small = max(0, round(log2(float(reach) / scale)) + 1) if scale else 0
        unit = reach / 2 ** (small + max(4, round(-log2(self.width)) - 3))
        normal = isinstance(edge.noise, Gaussian)
        far = scale * (np.linspace(-8, 8, 65) if normal else np.array([-_FAR, _FAR]))
        near = float(moved) * np.linspace(0, 1, ceil(_CLOSE / self.width**0.5))
        places = np.concatenate([near, far])
        return unit, np.unique(np.round(places / float(unit))) * float(unit)
