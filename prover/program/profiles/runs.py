"""All runs of a threshold program on some lists of inputs, those that are equally likely on each counted
together.

Reference: docs/theory_profiles.md, *All events of one pair*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from prover.errors import BadValue, NotSupported, quoted
from prover.exact.rational import format_rational
from prover.program.edge import Edge
from prover.program.model import Program
from prover.program.noise import Gaussian
from prover.program.profiles.followable import Followable

MOST_RUNS = 20_000
"""Runs that differ, after equally many steps or when they have ended."""
FLIPPED = {"<": ">", "<=": ">=", "=": "=", ">=": "<=", ">": "<"}
"""y is so related to x where x is related to y by the key."""
_UNTIED = {"<=": "<", ">": ">="}
"""What is as likely where samples cannot be equal."""

Centers = tuple[Fraction, ...]
"""One for each list of inputs."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sample on each list of inputs: its centers, and the rates below and above them, None if infinite, or
    a standard deviation.
    """

    centers: Centers
    left: Fraction | None
    right: Fraction | None
    sigma: Fraction | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether there is no noise."""
        return self.sigma is None and self.left is None and self.right is None


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """A sample and the tests of it, by their numbers: in increasing order, as equal segments have them. A
    test is a relation and the number of the segment of the other sample."""

    stored: int
    tests: tuple[int, ...] = ()


Group = tuple[tuple[int, ...], int]
"""Segments of which samples are independent, and how many runs have these."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Words that are equally likely: how many, the runs of each of them, and the transitions of one run.
    ``stops`` where the word may also go on, or no guard held at last.
    """

    count: int
    groups: tuple[Group, ...]
    path: tuple[int, ...]
    stops: bool


@dataclass(frozen=True, slots=True, order=True)
class _Run:
    """What runs have in common that go on alike: finished segments; others, with what is known of two of them
    (the first, the second, and how that is related to the first); and which of them variables hold.
    """

    state: str
    read: int
    before: tuple[int, ...] = ()
    open: tuple[Segment, ...] = ()
    links: tuple[tuple[int, int, str], ...] = ()
    held: tuple[tuple[str, int], ...] = ()

    def with_tests(self, place: int, tests: Sequence[int]) -> _Run:
        """The run where the segment at this place has these tests."""
        own = replace(self.open[place], tests=tuple(tests))
        return replace(self, open=(*self.open[:place], own, *self.open[place + 1 :]))


_Family = tuple[_Run, int, str, tuple[int, ...]]
"""Of runs that differ in one test: what they have in common, at which segment they have it, how other samples
are related to it, and which."""
_Word = tuple[tuple[_Run, int], ...]


@dataclass
class Runs:
    """All runs on two lists of inputs, or on several no matter how far ``apart``; what they store and test.

    Raises NotSupported and BadValue.
    """

    followable: Followable
    given: Sequence[Centers]
    drawn: dict[Drawn, int] = field(default_factory=dict)
    tests: dict[tuple[str, int], int] = field(default_factory=dict)
    segments: dict[Segment, int] = field(default_factory=dict)
    ended: list[Ended] = field(default_factory=list)
    orders: dict[Segment, tuple[int, ...]] = field(default_factory=dict)
    """The tests of a segment in an order in which some run has them."""
    apart: bool = False
    samples: dict[tuple[str, int], int] = field(default_factory=dict)
    """Those of states, where so many inputs were read before."""
    fixed: set[int] = field(default_factory=set)
    """Samples without noise."""

    def __post_init__(self) -> None:
        noise = self.program.noise
        grid = None if noise.unrounded else noise.grid
        if grid is not None and any((x / grid).denominator > 1 for read in self.given for x in read):
            raise BadValue(f"inputs are multiples of {format_rational(grid)}", code="off-the-grid")
        found: dict[tuple[tuple[Group, ...], bool], Ended] = {}
        layer: dict[_Word, tuple[int, tuple[int, ...]]] = {((_Run(self.program.initial, 0), 1),): (1, ())}
        for _ in range((len(self.given) + 1) * len(self.followable.cells) + 2):
            after: dict[_Word, tuple[int, tuple[int, ...]]] = {}
            for word, (count, path) in layer.items():
                groups, stops, following = self._following(word)
                for edge, longer in following:
                    more, first = after.get(longer, (0, (*path, edge.number)))
                    after[longer] = more + count, first
                if groups:
                    own = found.get((groups, stops), Ended(0, groups, path, stops))
                    found[groups, stops] = Ended(own.count + count, groups, own.path, stops)
            layer = after
            if sum(map(len, layer)) + sum(len(own.groups) for own in found.values()) > MOST_RUNS:
                raise NotSupported(
                    f"more than {MOST_RUNS:,} different runs on these inputs; take fewer inputs, or "
                    "repeat the same numbers",
                    code="too-many-runs",
                )
        if layer:
            raise NotSupported(
                "a cycle of the program reads no input, so runs on these inputs need not end",
                code="endless-runs",
            )
        self.ended = list(found.values())

    @property
    def program(self) -> Program:
        """The program of the runs."""
        return self.followable.program

    def _following(self, word: _Word) -> tuple[tuple[Group, ...], bool, list[tuple[Edge, _Word]]]:
        """Of runs with the same outputs: those that end, whether others need not, and the ways to go on, each
        with one of its transitions."""
        ended: dict[tuple[int, ...], int] = {}
        following: dict[object, tuple[Edge, dict[_Run, int]]] = {}
        stops = False
        for run, times in word:
            for edge, then in self._step(run):
                stops |= edge is None and then is not run
                if edge is None:
                    key = self._closed(then)
                    ended[key] = ended.get(key, 0) + times
                    continue
                own = following.setdefault(edge.outputs, (edge, {}))[1]
                own[then] = own.get(then, 0) + times
        for _, own in following.values():
            while sum(own.values()) > 1 and self._merge(own):
                pass
        groups = tuple(sorted(ended.items()))
        return (
            groups,
            stops or bool(following),
            [(e, tuple(sorted(o.items()))) for e, o in following.values()],
        )

    def _merge(self, runs: dict[_Run, int]) -> bool:
        """Merge runs that differ in which of some samples is the nearest to another one, of those below it,
        or above it, and in nothing else: together they say that all are there. Whether there were any.
        """
        families: dict[_Family, dict[int, _Run]] = {}
        tests, segments, merged = list(self.tests), list(self.segments), False
        for run in runs:
            for place, segment in enumerate(run.open):
                for test in dict.fromkeys(segment.tests):
                    relation, child = tests[test]
                    if not segments[child].tests:
                        continue
                    nearest, members = self._nearest(tests, segments, relation, segments[child])
                    if len(members) > 1:
                        rest = list(segment.tests)
                        rest.remove(test)
                        family = run.with_tests(place, rest), place, relation, members
                        families.setdefault(family, {})[nearest] = run
        for (rest_of_all, place, relation, members), own in families.items():
            counts = Counter(members)
            times = min(runs.get(own[m], 0) // n if m in own else 0 for m, n in counts.items())
            if times == 0:
                continue
            for member, count in counts.items():
                runs[own[member]] -= times * count
                if runs[own[member]] == 0:
                    del runs[own[member]]
            segment, merged = rest_of_all.open[place], True
            for member in members:
                test = self.tests.setdefault((relation, member), len(self.tests))
                segment = self._tested(segment, test)
            whole = rest_of_all.with_tests(place, segment.tests)
            runs[whole] = runs.get(whole, 0) + times
        return merged

    def _nearest(
        self, tests: Sequence[tuple[str, int]], segments: Sequence[Segment], relation: str, child: Segment
    ) -> tuple[int, tuple[int, ...]]:
        """A sample that is so related to another one, without its tests of samples that are so related to it;
        and these with it, none where two may be equal.
        """
        beyond = [test for test in child.tests if relation != "=" and tests[test][0] == relation]
        rest = tuple(test for test in child.tests if test not in beyond)
        nearest = self.segments.get(replace(child, tests=rest))
        if nearest is None:
            return 0, ()
        members = sorted([nearest, *(tests[test][1] for test in beyond)])
        tied = self._may_be_equal(*(segments[member].stored for member in members))
        return nearest, () if tied else tuple(members)

    def _may_be_equal(self, *samples: int) -> bool:
        """Whether two of these samples may be equal."""
        return self.program.noise.is_discrete or sum(own in self.fixed for own in samples) > 1

    def _step(self, run: _Run) -> Iterator[tuple[Edge | None, _Run]]:
        """What a run may do next: None where it ends, as it is at a final state or for want of an input, and
        where no guard holds."""
        cells = self.followable.cells.get(run.state)
        first = None if cells is None else next(edge for edge, _ in cells if edge is not None)
        if cells is None or first is None or (first.input and run.read == len(self.given)):
            yield None, run
            return
        drawn, read = self._sample(first, run.read), run.read + first.input
        for edge, tests in cells:
            held, place = dict(run.held), len(run.open)
            links = [(held[name], place, relation) for relation, name in tests]
            held.update(dict.fromkeys(() if edge is None else edge.assign, place))
            state = run.state if edge is None else edge.target
            used = bool(tests) or place in held.values()
            samples = [*run.open, *([Segment(drawn)] if used else ())]
            yield edge, self._tidied(state, read, run.before, samples, [*run.links, *links], held)

    def _closed(self, run: _Run) -> tuple[int, ...]:
        """The segments of a run that has ended."""
        return self._tidied(run.state, run.read, run.before, run.open, run.links, {}).before

    def _tidied(
        self,
        state: str,
        read: int,
        before: tuple[int, ...],
        samples: Sequence[Segment],
        links: Sequence[tuple[int, int, str]],
        held: Mapping[str, int],
    ) -> _Run:
        """Segments that no variable holds end, or become tests of the only one that is compared with them."""
        left = dict(enumerate(samples))
        waiting = [place for place in left if place not in held.values()]
        while waiting:
            place = waiting.pop()
            own = [link for link in links if place in link[:2]]
            if place not in left or len(own) > 1:
                continue
            segment = left.pop(place)
            self.orders.setdefault(segment, ())
            number = self.segments.setdefault(segment, len(self.segments))
            if not own:
                before = tuple(sorted((*before, number)))
                continue
            ((first, second, relation),) = own
            other = first if place == second else second
            asked = relation if place == second else FLIPPED[relation]
            if not self._may_be_equal(segment.stored, left[other].stored):
                asked = _UNTIED.get(asked, asked)
            test = asked, number
            left[other] = self._tested(left[other], self.tests.setdefault(test, len(self.tests)))
            links = [link for link in links if place not in link[:2]]
            waiting += [other] * (other not in held.values())
        if not held and left:
            raise NotSupported(
                "on these inputs samples are compared in a ring, as by guards with two variables; this "
                "question is answered where they are not",
                code="ring-of-samples",
            )
        places = {place: k for k, place in enumerate(sorted(left))}
        return _Run(
            state,
            read,
            before,
            tuple(left[place] for place in places),
            tuple(sorted((places[one], places[two], relation) for one, two, relation in links)),
            tuple(sorted((name, places[place]) for name, place in held.items())),
        )

    def _tested(self, segment: Segment, test: int) -> Segment:
        """The segment with one test more."""
        longer = Segment(segment.stored, tuple(sorted((*segment.tests, test))))
        self.orders.setdefault(longer, (*self.orders.get(segment, segment.tests), test))
        return longer

    def _sample(self, edge: Edge, read: int) -> int:
        """The number of the sample of a step."""
        if (edge.source, read) in self.samples:
            return self.samples[edge.source, read]
        state = self.program.states[edge.source]
        given = self.given[read] if edge.input else [Fraction(0)] * (len(self.given[0]) if self.given else 2)
        far, most = max(given) - min(given), edge.sensitivity * self.program.noise.sensitivity
        if far > most and not self.apart:
            raise BadValue(
                f"input {read + 1} differs by {format_rational(far)}, but at state "
                f"{quoted(edge.source)} neighbouring inputs differ by at most {format_rational(most)}",
                code="not-neighbours",
            )
        centers = tuple(x + state.mean for x in given)
        if isinstance(edge.noise, Gaussian):
            sample = Drawn(centers, None, None, edge.noise.sigma * self.program.noise.sensitivity)
        else:
            left, right = (rate if isinstance(rate, Fraction) else None for rate in state.rates)
            sample = Drawn(centers, left, right)
        number = self.samples[edge.source, read] = self.drawn.setdefault(sample, len(self.drawn))
        if sample.is_fixed:
            self.fixed.add(number)
        return number
