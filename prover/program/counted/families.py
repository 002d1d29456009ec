"""Runs that pass a repeated block any number of times, and the multipliers that prove what they lose.

A family is a first part, steps that pass the block as often as its period says and are taken N times, and a
last part. For a given choice of steps the multipliers with the largest total are those of a linear program
(docs/theory_programs.md, *Counts*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, islice, product

from prover.exact.simplex import UnboundedProgram, maximise
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.counted.model import Counted
from prover.program.decision.blocks import Block, Linear, RunStep
from prover.program.model import Edge, out_edges
from prover.program.noise import Rate
from prover.program.optimum.witness import Witness, written_out
from prover.program.order_graph import Order, Variables, followed
from prover.program.shifts import cost, outright

_MOST_STEPS = 6
"""Of the steps that pass the block: those that are needed to pass it, or so many."""
_MOST_WALKS = 200
_LONGEST = 200

RunSteps = list[tuple[Edge, int]]
"""Edges with the differences of their inputs."""

FamilyParts = tuple[RunSteps, RunSteps, RunSteps]
"""Those before the repeated ones, these, and those after them."""


JUNCTION = "\n"
"""Where a copy of the block may begin."""


@dataclass(frozen=True, slots=True)
class Junction:
    """The edges of runs that pass the block any number of times.

    ``own`` are those of the program, of which those into the block, and from it to the state after it, lead
    to a junction. There ``begun`` are those of the entry, and ``ended`` those of the state after the block.
    """

    own: tuple[Edge, ...]
    begun: tuple[Edge, ...]
    ended: tuple[Edge, ...]

    @staticmethod
    def of(counted: Counted, edges: Sequence[Edge]) -> Junction:
        """The edges, with the numbers that certificates give them."""
        inside = set(counted.states)

        def arrives(edge: Edge) -> bool:
            if edge.source in inside:
                return edge.target == counted.after
            return edge.target in inside

        own = tuple(replace(edge, target=JUNCTION) if arrives(edge) else edge for edge in edges)
        begun, ended = (
            [replace(edge, source=JUNCTION) for edge in own if edge.source == state]
            for state in (counted.entry, counted.after)
        )
        first, second = len(own), len(own) + len(begun)
        return Junction(
            own,
            tuple(replace(edge, number=first + k) for k, edge in enumerate(begun)),
            tuple(replace(edge, number=second + k) for k, edge in enumerate(ended)),
        )

    @property
    def every(self) -> tuple[Edge, ...]:
        """All edges, in the order of their numbers."""
        return (*self.own, *self.begun, *self.ended)


@dataclass(frozen=True, slots=True)
class FamilySearch:
    """What a family is made of: its program, what is live at its states, an adjacency, and a period.

    One of ``tries`` is taken for each linear program.
    """

    whole: Counted
    live: Mapping[str, Variables]
    adjacency: str
    period: int
    tries: Iterator[int]

    def family(
        self, runs: Sequence[Witness], residue: int, constant: Fraction, each: Fraction
    ) -> tuple[tuple[Block, ...], int] | None:
        """Runs that lose ``constant`` + ``each`` times a count, and how many copies they pass without turns.

        That number is ``residue`` up to periods. ``runs`` are worst runs with 0, 1, 2, … copies. None if none
        are found.
        """
        edges = Junction.of(self.whole, self.whole.program.edges)
        known = [self._at_junctions(edges, run, copies) for copies, run in enumerate(runs)]
        cuts = [
            (passed, steps[:a], steps[b:])
            for passed in range(residue, len(runs), self.period)
            for steps, places in known
            for a, b in _gaps(places, passed)
        ]
        possible = (
            (passed + again, parts)
            for turns in (self._taken(known), self._made(edges))
            for (passed, before, after), turn in product(cuts, turns)
            if (found := self._parts(before, turn, after))
            for again, parts in [found]
        )
        for (passed, parts), _ in zip(possible, self.tries, strict=False):
            start = self.whole.least + passed
            best = _Weighing(self.whole, parts, start, self.period).best()
            if best and best[1] == Linear(constant + each * start, each * self.period):
                return best[0], passed
        return None

    def _parts(self, before: RunSteps, turn: RunSteps, after: RunSteps) -> tuple[int, FamilyParts] | None:
        """The steps before the repeated ones, these, and those after them, and how many more copies they pass
        without turns; None if some step is blocked, or a turn changes the order.

        If a turn stores, it is taken once more: no multiplier may be about what another turn stores. So it is
        if the first turn still changes the order.
        """
        place = next((k for k, (edge, _) in enumerate(turn) if edge.assigns), None)
        ways: list[tuple[int, FamilyParts]]
        if place is None:
            ways = [(0, (before, turn, after)), (self.period, (before + turn, turn, after))]
        else:
            turned = turn[place:] + turn[:place], turn[place:] + after
            ways = [(self.period, (before + turn[:place], *turned))]
        return next(((more, parts) for more, parts in ways if self._is_possible(parts)), None)

    def _taken(self, known: Sequence[tuple[RunSteps, list[int]]]) -> list[RunSteps]:
        """Steps of worst runs that pass the block as often as the period says."""
        return self._different(
            steps[places[k] : places[k + self.period]]
            for steps, places in known
            for k in range(len(places) - self.period)
        )

    def _made(self, edges: Junction) -> list[RunSteps]:
        """Short steps that pass the block so often."""
        once = [*islice(self._short(edges), _MOST_WALKS)]
        return self._different(
            [step for turn in turns for step in turn]
            for turns in islice(product(once, repeat=self.period), _MOST_WALKS)
        )

    def _different(self, turns: Iterable[RunSteps]) -> list[RunSteps]:
        """Each once, also with equal inputs, which alone count where only one input may differ."""
        found = [*turns]
        equal = [[(edge, 0) for edge, _ in turn] for turn in found]
        every = equal if self.adjacency == Adjacency.ONE_DIFFER else [*found, *equal]
        keyed = {tuple((edge.number, delta) for edge, delta in turn): turn for turn in every}
        return [*keyed.values()]

    def _is_possible(self, parts: FamilyParts) -> bool:
        """Whether no step is blocked, and turns leave the order as it is."""
        before, turn, after = parts
        start = self._ordered(Order(), before)
        return (
            start is not None
            and self._ordered(start, turn) == start
            and (self._ordered(start, after) is not None)
        )

    def _ordered(self, order: Order | None, steps: Iterable[tuple[Edge, int]]) -> Order | None:
        for edge, _ in steps:
            if order is not None:
                target = self.whole.entry if edge.target == JUNCTION else edge.target
                order = followed(order, edge, self.live.get(target, frozenset()))
        return order

    def _at_junctions(self, edges: Junction, run: Witness, copies: int) -> tuple[RunSteps, list[int]]:
        """The steps of a run, as edges of runs with any number of copies, and the places of its junctions."""
        counted = self.whole
        whole, names = counted.repeated(copies), counted.names(copies)
        places_of: dict[int, int] = {}
        for leaving in out_edges(whole).values():
            places_of.update((edge.number, place) for place, edge in enumerate(leaving))
        own: dict[str, list[Edge]] = {}
        for edge in edges.own:
            own.setdefault(edge.source, []).append(edge)
        steps: RunSteps = []
        places: list[int] = []
        for step in islice(written_out(run), _LONGEST):
            state, place = names.get(step.edge.source, step.edge.source), places_of[step.edge.number]
            edge = own[state][place]
            if places and places[-1] == len(steps):
                edge = (edges.begun if state == counted.entry else edges.ended)[place]
            steps.append((edge, step.delta))
            if edge.target == JUNCTION:
                places.append(len(steps))
        return steps, places

    def _short(self, edges: Junction) -> Iterator[RunSteps]:
        """Short ways to pass the block once, with extreme differences.

        Where they store, they also begin there, in a copy.
        """
        leaving: dict[str, list[Edge]] = {}
        for edge in edges.own:
            if edge.source in self.whole.states:
                leaving.setdefault(edge.source, []).append(edge)
        walks = [[edge] for edge in edges.begun]
        for _ in range(max(_MOST_STEPS, len(self.whole.states) + 2)):
            longer: list[list[Edge]] = []
            for walk in walks[:_MOST_WALKS]:
                if walk[-1].target == JUNCTION:
                    yield from _differing(walk, self.adjacency)
                else:
                    longer += [[*walk, edge] for edge in leaving.get(walk[-1].target, ())]
            walks = longer


def _gaps(places: Sequence[int], passed: int) -> Iterator[tuple[int, int]]:
    """Where to cut a run so that its two ends pass so many copies."""
    copies = len(places) - 1
    for k in range(passed + 1):
        if 0 <= k <= copies and k + copies - passed <= copies and copies >= passed:
            yield places[k], places[k + copies - passed]


def _differing(walk: Sequence[Edge], adjacency: str) -> Iterator[RunSteps]:
    """The steps with extreme differences, the orders of those of equal edges aside."""
    same: Mapping[int, tuple[str, str]] = {edge.number: (edge.output, str(edge.guard)) for edge in walk}
    kinds: dict[tuple[str, str], list[Edge]] = {}
    for edge in walk:
        kinds.setdefault(same[edge.number], []).append(edge)
    ways = [
        combinations_with_replacement(extreme_points(adjacency, edges[0].input), len(edges))
        for edges in kinds.values()
    ]
    for deltas in product(*ways):
        chosen = {kind: iter(own) for kind, own in zip(kinds, deltas, strict=True)}
        yield [(edge, next(chosen[same[edge.number]])) for edge in walk]


class _Weighing:
    """The linear program of the multipliers of a family that begins at a count and adds a period each turn.

    Each column is a number of a multiplier; those of steps that are taken once may also grow with the turns
    if rates do.
    """

    def __init__(self, whole: Counted, parts: Sequence[RunSteps], start: int, period: int) -> None:
        first, last = (
            Junction.of(whole, program.edges).every for program in (whole.program, whole.rates.last)
        )
        self.parts, self.flat = parts, [(n, *step) for n, part in enumerate(parts) for step in part]
        self.at_start, self.growth = list[Edge](), list[Edge]()
        for _, edge, _ in self.flat:
            low, high = first[edge.number], last[edge.number]
            self.at_start.append(with_rates(low, high, 1, Fraction(start - whole.least)))
            self.growth.append(with_rates(low, high, 0, Fraction(period)))
        self.loads: list[dict[int, Fraction]] = [{} for _ in self.flat]
        self.grown: list[dict[int, Fraction]] = [{} for _ in self.flat]
        self.columns: list[list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]] = [
            [] for _ in self.flat
        ]
        self.width = 0
        stored: dict[str, int] = {}
        again = {name for edge, _ in parts[1] for name in edge.assign}
        for k, (number, edge, _) in enumerate(self.flat):
            if k == len(parts[0]):
                stored = {name: home for name, home in stored.items() if name not in again}
            for relation, name in edge.bounds:
                self.columns[k].append(([], []))
                home = stored.get(name)
                if home is None or (self.flat[home][0] == 1 and number != 1):
                    continue
                for factor in (1, -1) if relation == "=" else (1,):
                    sign = Fraction(-factor if relation == ">=" else factor)
                    self._load(k, home, sign, factor)
                    if whole.grows and number != 1:
                        self._load(k, home, sign, factor, growing=True)
            stored.update(dict.fromkeys(edge.assign, k))

    def _load(self, k: int, home: int, sign: Fraction, factor: int, *, growing: bool = False) -> None:
        """A column: a part of the multiplier of the last bound of a step, with its loads."""
        crosses = self.flat[k][0] == 1 != self.flat[home][0]
        own, there = (
            (self.grown if growing else self.loads),
            (self.grown if growing or crosses else self.loads),
        )
        own[k][self.width] = sign
        there[home][self.width] = there[home].get(self.width, Fraction(0)) - sign
        self.columns[k][-1][growing].append((self.width, factor))
        self.width += 1

    def best(self) -> tuple[tuple[Block, ...], Linear] | None:
        """The blocks with the multipliers whose total with one turn is largest, and that total; None if there
        is no largest one."""
        objective = [Fraction(0)] * self.width
        rows: list[dict[int, Fraction]] = []
        bounds: list[Fraction] = []
        for k, (number, edge, delta) in enumerate(self.flat):
            if edge.pinned:
                continue
            for column, entry in (*self.loads[k].items(), *self.grown[k].items()):
                objective[column] += entry * delta * edge.sensitivity
            start, growth = self.at_start[k], self.growth[k]
            for sign, rate, more in ((1, start.left, growth.left), (-1, start.right, growth.right)):
                if isinstance(rate, Fraction) and isinstance(more, Fraction):
                    rows += [{c: sign * x for c, x in own[k].items()} for own in (self.loads, self.grown)]
                    bounds += [rate, more if number != 1 else Fraction(0)]
        try:
            point = maximise(objective, rows, bounds).point
        except UnboundedProgram:
            return None
        steps = [
            RunStep(edge, delta, tuple(Linear(*(_sum(point, part) for part in both)) for both in columns))
            for (_, edge, delta), columns in zip(self.flat, self.columns, strict=True)
        ]
        blocks, done = list[Block](), 0
        for number, part in enumerate(self.parts):
            if part:
                blocks.append(Block(number == 1, tuple(steps[done : done + len(part)])))
            done += len(part)
        return tuple(blocks), self._total(point)

    def _total(self, point: Sequence[Fraction]) -> Linear:
        constant = slope = Fraction(0)
        for k, (number, edge, delta) in enumerate(self.flat):
            own, more = (
                outright(at, delta) + ((cost(at, delta, 0) or Fraction(0)) if edge.pinned else 0)
                for at in (self.at_start[k], self.growth[k])
            )
            if not edge.pinned:
                factor = delta * edge.sensitivity
                own += factor * sum((point[c] * x for c, x in self.loads[k].items()), Fraction(0))
                more += factor * sum((point[c] * x for c, x in self.grown[k].items()), Fraction(0))
            if number == 1:
                slope += own
            else:
                constant, slope = constant + own, slope + more
        return Linear(constant, slope)


def _sum(point: Sequence[Fraction], columns: Iterable[tuple[int, int]]) -> Fraction:
    return sum((point[c] * factor for c, factor in columns), Fraction(0))


def with_rates(low: Edge, high: Edge, share: int, times: Fraction) -> Edge:
    """The edge with ``share`` of its rates and so many times what one more count adds to them."""

    def rate(x: Rate, y: Rate) -> Rate:
        return x * share + (y - x) * times if isinstance(x, Fraction) and isinstance(y, Fraction) else x

    (left, right), (last_left, last_right) = low.rates, high.rates
    second, last_second = low.rate_prime, high.rate_prime
    prime = None if second is None or last_second is None else second * share + (last_second - second) * times
    return replace(low, noise=(rate(left, last_left), rate(right, last_right)), noise_prime=prime)
