"""All runs of a threshold program on two inputs, word by word.

Samples that tests compare form trees. Runs with the same outputs are kept together; words of which the runs
have the same samples and the same tests are as likely as each other on either of the inputs, and only their
number is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from ..noise import Gaussian
from ..programs import Program, Transition
from ..reading import BadClaim, BadEvidence, BadModel, TooLarge, demand
from .pieces import Law
from .sums import longest

MOST_RUNS = 20_000  # that differ, after equally many steps or when they have ended
MOST_CELLS = 1_000  # of a state: answers of all its tests
FLIPPED = {"<": ">", "<=": ">=", "=": "=", ">=": "<=", ">": "<"}
UNTIED = {"<=": "<", ">": ">="}  # the same if samples cannot be equal

Segment = tuple[int, tuple[int, ...]]
"""The laws of a sample, by their number, and the numbers of the tests of it, in order."""
Run = tuple[
    str,
    int,
    tuple[int, ...],
    tuple[Segment, ...],
    tuple[tuple[int, int, str], ...],
    tuple[tuple[str, int], ...],
]
"""The state; how many inputs were read; finished segments; others; how two of these are compared, the second
with the first; and which of these a variable holds."""
Word = tuple[tuple[Run, int], ...]
Groups = tuple[tuple[tuple[int, ...], int], ...]
"""Finished segments, and how many runs of a word have them."""
Family = tuple[Run, int, str, tuple[int, ...]]
"""Of runs that differ in one test: the rest, the place of its sample, how other samples are related to this,
and which."""
Seen = tuple[str, int]
"""What a step outputs: a letter and how many numbers."""
Cell = tuple[Transition | None, Sequence[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Numbers:
    """Things by the order in which they first come, found by texts or by small numbers."""

    places: dict[object, int] = field(default_factory=dict)

    def of(self, key: object) -> int:
        return self.places.setdefault(key, len(self.places))


class Walk:
    """All runs of a program on two lists of inputs, or on several no matter how far `apart`, and what they
    store and test."""

    def __init__(
        self, program: Program, factor: Fraction, lists: Sequence[Sequence[Fraction]], *, apart: bool = False
    ) -> None:
        self.program, self.factor, self.apart = program, factor, apart  # a factor of rates
        self.given, self.zero = list(zip(*lists, strict=True)), (Fraction(0),) * len(lists)
        self.read: dict[tuple[str, int], int] = {}  # the laws of samples, by states and numbers read
        self.cells = {state: cells(program, state) for state in sorted(program.reached)}
        self.laws: list[Sequence[Law]] = []  # one for each list
        self.tests: list[tuple[str, int]] = []  # a relation, and the number of a segment
        self.segments: list[Segment] = []
        self.known_laws, self.known_tests, self.known_segments = Numbers(), Numbers(), Numbers()
        self.start: Word = (((program.initial, 0, (), (), (), ()), 1),)
        self.begun: dict[Segment, tuple[int, ...]] = {}  # its tests in an order in which a run has them

    def ended(self) -> Mapping[Groups, int]:
        """How many words end with each collection of segments."""
        ended: dict[Groups, int] = {}
        layer: dict[Word, int] = {self.start: 1}
        steps = 0
        while layer:
            steps += 1
            rounds = steps <= (len(self.given) + 1) * len(self.program.reached) + 2
            demand(rounds, BadModel, "a cycle that reads no input")
            after: dict[Word, int] = {}
            for word, count in layer.items():
                groups, following = self.steps(word)
                for longer in following.values():
                    after[longer] = after.get(longer, 0) + count
                if groups:
                    ended[groups] = ended.get(groups, 0) + count
            layer = after
            runs = sum(map(len, layer)) + sum(map(len, ended))
            demand(runs <= MOST_RUNS, TooLarge, f"more than {MOST_RUNS} different runs")
        return ended

    def likely_as(self, letters: Sequence[Seen]) -> Groups:
        """What the runs of a word that have ended are made of."""
        word = self.start
        for seen in letters:
            following = self.steps(word)[1]
            demand(seen in following, BadEvidence, "a word that no run has")
            word = following[seen]
        groups, _ = self.steps(word)
        demand(len(groups) > 0, BadEvidence, "a word that has not ended")
        return groups

    def steps(self, word: Word) -> tuple[Groups, Mapping[Seen, Word]]:
        """Of the runs of a word: those that end, and those with each output that may come next."""
        ended: dict[tuple[int, ...], int] = {}
        following: dict[Seen, dict[Run, int]] = {}
        for run, times in word:
            for seen, then in self.step(run):
                if seen is None:
                    key = self.kept(then, {})[2]
                    ended[key] = ended.get(key, 0) + times
                else:
                    own = following.setdefault(seen, {})
                    own[then] = own.get(then, 0) + times
        for own in following.values():
            while sum(own.values()) > 1 and self.merge(own):
                pass
        words = {seen: tuple(sorted(own.items())) for seen, own in following.items()}
        return tuple(sorted(ended.items())), words

    def merge(self, runs: dict[Run, int]) -> bool:
        """Whether some runs, equal else, say which of some samples is the nearest to another one, of those
        below it, or above it. All of these together say that all samples are on this side of it, so they
        become one run."""
        families: dict[Family, dict[int, Run]] = {}
        for run in runs:
            for place, (law, tests) in enumerate(run[3]):
                for k, test in enumerate(tests):
                    near, members = self.nearest(test)
                    if len(members) > 1:
                        size = sum(1 + len(own) for _, own in run[3])
                        self.program.budget.spend(24 + len(run[2]) + size + len(run[4]) + len(run[5]))
                        rest = replaced(run, place, (law, tests[:k] + tests[k + 1 :]))
                        families.setdefault((rest, place, self.tests[test][0], members), {})[near] = run
        merged = False
        for (rest, place, relation, members), own in families.items():
            need = {member: members.count(member) for member in members}
            self.program.budget.spend(8 * len(members) * (1 + len(members)))
            times = min(runs.get(own[m], 0) // n if m in own else 0 for m, n in need.items())
            if not times:
                continue
            for member, count in need.items():
                runs[own[member]] -= count * times
                if runs[own[member]] == 0:
                    del runs[own[member]]
            segment = rest[3][place]
            for member in members:
                segment = self.tested(segment, relation, member)
            whole, merged = replaced(rest, place, segment), True
            runs[whole] = runs.get(whole, 0) + times
        return merged

    def nearest(self, test: int) -> tuple[int, tuple[int, ...]]:
        """If a test is of a sample with tests of others beyond it: this without these tests, and all of them,
        of which no two can be equal."""
        relation, child = self.tests[test]
        law, tests = self.segments[child]
        self.program.budget.spend(4 * (1 + len(tests)))
        beyond = [own for own in tests if relation != "=" and self.tests[own][0] == relation]
        near = self.known_segments.places.get((law, tuple(own for own in tests if own not in beyond)))
        if near is None:
            return child, ()
        members = [near, *(self.tests[own][1] for own in beyond)]
        if self.ties([self.segments[member][0] for member in members]):
            return child, ()
        return near, tuple(sorted(members))

    def ties(self, laws: Sequence[int]) -> bool:
        """Whether two of these samples may be equal."""
        return self.program.noise[1] is not None or sum(self.laws[own][0].is_fixed for own in laws) > 1

    def step(self, run: Run) -> Iterator[tuple[Seen | None, Run]]:
        """What a run may do next; None where it ends."""
        state, read, before, samples, links, held = run
        leaving = self.program.leaving(state)
        if not leaving or (leaving[0].takes_input and read == len(self.given)):
            yield None, run
            return
        law = self.law(leaving[0], read)
        then = read + leaving[0].takes_input
        for t, tests in self.cells[state]:
            size = sum(1 + len(tests) for _, tests in samples)
            self.program.budget.spend(24 + len(before) + size + len(links) + len(held))
            holds, place = dict(held), len(samples)
            demand(all(name in holds for _, name in tests), BadModel, "a test before anything is stored")
            more = [(holds[name], place, relation) for relation, name in tests]
            holds.update(dict.fromkeys(() if t is None else t.stored, place))
            used = bool(tests) or place in holds.values()
            new: tuple[Segment, ...] = ((law, ()),) if used else ()
            longer = state if t is None else t.to, then, before, (*samples, *new), (*links, *more), held
            yield None if t is None else t.seen, self.kept(longer, holds)

    def kept(self, run: Run, held: Mapping[str, int]) -> Run:
        """Of segments that no variable holds, those that are compared with no other one are finished, and
        those that are compared with one other become a test of that one."""
        state, read, before, samples, links, _ = run
        left, joined = dict(enumerate(samples)), list(links)
        waiting = [place for place in left if place not in held.values()]
        while waiting:
            place = waiting.pop()
            own = [link for link in joined if place in link[:2]]
            if place not in left or len(own) > 1:
                continue
            number = self.numbered(left.pop(place))
            if not own:
                before = tuple(sorted((*before, number)))
                continue
            ((first, second, relation),) = own
            other, asked = (first, relation) if place == second else (second, FLIPPED[relation])
            if not self.ties([self.segments[number][0], left[other][0]]):
                asked = UNTIED.get(asked, asked)
            left[other] = self.tested(left[other], asked, number)
            joined = [link for link in joined if place not in link[:2]]
            waiting += [other] * (other not in held.values())
        demand(bool(held) or not left, BadModel, "samples that are compared in a ring")
        places = {place: k for k, place in enumerate(sorted(left))}
        linked = sorted((places[one], places[two], relation) for one, two, relation in joined)
        holding = sorted((name, places[place]) for name, place in held.items())
        return state, read, before, tuple(left[k] for k in places), tuple(linked), tuple(holding)

    def numbered(self, segment: Segment) -> int:
        number = self.known_segments.of(segment)
        self.segments += [segment] * (number == len(self.segments))
        self.begun.setdefault(segment, ())
        return number

    def asked(self, relation: str, child: int) -> int:
        """The number of a test."""
        number = self.known_tests.of((relation, child))
        self.tests += [(relation, child)] * (number == len(self.tests))
        return number

    def tested(self, segment: Segment, relation: str, child: int) -> Segment:
        number = self.asked(relation, child)
        longer = segment[0], tuple(sorted((*segment[1], number)))
        self.begun.setdefault(longer, (*self.begun.get(segment, segment[1]), number))
        return longer

    def law(self, t: Transition, read: int) -> int:
        """The number of the laws of a sample, one on each list."""
        if (t.source, read) in self.read:
            return self.read[t.source, read]
        given = self.given[read] if t.takes_input else self.zero
        long = longest([*given, t.means[0]])
        self.program.budget.spend(2 * len(given), long, long)
        close = self.apart or max(given) - min(given) <= t.reach * self.program.noise[0]
        demand(close, BadClaim, "inputs too far apart")
        sigma = t.noise.sigma * self.program.noise[0] if isinstance(t.noise, Gaussian) else None
        rates = (None, None) if isinstance(t.noise, Gaussian) else t.noise
        left, right = (None if rate is None else rate * self.factor for rate in rates)
        number = self.law_number([Law(t.means[0] + x, left, right, sigma) for x in given])
        self.read[t.source, read] = number
        return number

    def law_number(self, laws: Sequence[Law]) -> int:
        number = self.known_laws.of(" ".join(law.text() for law in laws))
        self.laws += [laws] * (number == len(self.laws))
        return number

    def members(self, tests: Iterable[int]) -> Sequence[int]:
        """The segments that tests are about, and their tests, and so on: each after those of its tests."""
        found, waiting = set[int](), list(tests)
        while waiting:
            child = self.tests[waiting.pop()][1]
            if child not in found:
                found.add(child)
                waiting += self.segments[child][1]
        return sorted(found)


def replaced(run: Run, place: int, segment: Segment) -> Run:
    state, read, before, samples, links, held = run
    return state, read, before, (*samples[:place], segment, *samples[place + 1 :]), links, held


def cells(program: Program, state: str) -> Sequence[Cell]:
    """The transitions of a state with their tests, and the answers of tests with which none is taken."""
    leaving = program.leaving(state)
    demand(all(t.seen[1] == 0 for t in leaving), BadModel, "a number that is output")
    guards = [{name: own for (_, name), own in zip(t.tests, t.written, strict=True)} for t in leaving]
    answers: dict[str, Sequence[str]] = {}
    for name in sorted({name for guard in guards for name in guard}):
        used = {guard[name] for guard in guards if name in guard}
        answers[name] = ["<", ">="] if used <= {"<", ">="} else ["<=", ">"] if used <= {"<=", ">"} else "<=>"
    count = 1
    for own in answers.values():
        count *= len(own)
        demand(count <= MOST_CELLS, TooLarge, f"more than {MOST_CELLS} answers of the tests of a state")
    program.budget.spend(8 * count * (1 + len(leaving)) * (1 + len(answers)))
    found: list[Cell] = [
        (t, [(guard[name], name) for name in guard]) for t, guard in zip(leaving, guards, strict=True)
    ]
    for cell in product(*answers.values()):
        named = dict(zip(answers, cell, strict=True))
        holding = sum(all(set(named[name]) <= set(own) for name, own in guard.items()) for guard in guards)
        demand(holding < 2, BadModel, "guards that do not exclude each other")
        found += [(None, [(answer, name) for name, answer in named.items()])] * (holding == 0)
    return found
