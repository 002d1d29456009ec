"""Draws that are made at their first use: whatever numbers noise is, code and program output the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from prover.language.errors import CodeError
from prover.language.files import function_in
from prover.language.values import letter
from prover.language.words import RUNNING
from prover.language.written import Mechanism
from prover.program.model import forgetful, out_edges, variables
from prover.program.origin import WrittenProgram
from prover.program.outputs import INSAMPLE, Gap
from prover.program.privacy import privacy
from prover.report.privacy import privacy_text
from tests.language.test_random_functions import function_of
from tests.profiles import thinned

HEAD = "import prover\nfrom prover.language import laplace, see\n\n@prover.mechanism\ndef f(queries):\n"
HOLDS: dict[str, Callable[[Fraction, Fraction], bool]] = {"<": Fraction.__lt__, ">=": Fraction.__ge__}

KMINMAX = """\
    a = laplace(next(queries), rate="1/12")
    b = laplace(next(queries), rate="1/12")
    c = laplace(next(queries), rate="1/12")
    low = high = a
    for x in (b, c):
        if x < low:
            low = x
        if x > high:
            high = x
    for query in queries:
        y = laplace(query, rate="1/4")
        if y < low:
            see("below")
            return
        elif y >= high:
            see("above")
            return
        else:
            see("between")
"""

Event = str | Fraction
Place = tuple[Fraction, int]
"""A draw: its rate, which tells where in the code it is, and how many of these were before."""


class Values:
    """A run of Python on which all draws have the values that they are given, by their places."""

    def __init__(self, values: dict[Place, Fraction]) -> None:
        self.values, self.count = values, Counter[Fraction]()
        self.events: list[Event] = []
        self.read: list[Place] = []
        self.unread = False

    def draw(self, _noise: str, center: Any, rate: Any = None, *_: Any) -> Any:
        place = Fraction(rate), self.count[Fraction(rate)]
        self.count[Fraction(rate)] += 1
        if isinstance(center, Input):
            self.read.append(place)
            return self.values[place]
        return Noise(self, place, self.values[place])

    def see(self, value: Any) -> None:
        self.events.append(Fraction(value) if isinstance(value, Fraction | Noise) else letter(value) or "")
        self.unread = False

    def read_query(self) -> Input:
        self.finish()
        self.unread = True
        return Input()

    def finish(self) -> None:
        self.events += ["_"] if self.unread else []
        self.unread = False


class Input:
    """A query; its number is a part of what is drawn."""


class Noise(Fraction):
    """Noise without a query, which is read where the query is added."""

    def __new__(cls, run: Values, place: Place, value: Fraction) -> Noise:
        self = super().__new__(cls, value)
        self.run, self.place = run, place  # type: ignore[attr-defined]
        return self

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Input):
            self.run.read.append(self.place)  # type: ignore[attr-defined]
            return Fraction(self)
        return Fraction(self) + other

    __radd__ = __add__


class Queries:
    """The stream."""

    def __init__(self, run: Values) -> None:
        self.run = run

    def __next__(self) -> Input:
        return self.run.read_query()


def of_python(call: Callable[[Any], None], values: dict[Place, Fraction]) -> Values:
    run = Values(values)
    token = RUNNING.set(run)  # type: ignore[arg-type]
    try:
        call(Queries(run))
        run.finish()
    finally:
        RUNNING.reset(token)
    return run


def of_program(program: WrittenProgram, values: dict[Place, Fraction]) -> tuple[list[Event], list[Place]]:
    """What is output, and which draws read an input, in order."""
    plain = forgetful(program) if program.hides_steps else program
    leaving, state = out_edges(plain), program.initial
    held: dict[str, Fraction] = {}
    count, events, read = Counter[Fraction](), list[Event](), list[Place]()
    while state in program.states:
        own = program.states[state]
        lines = program.origin.states[state]
        if own.rate is None or own.rate == 1:  # no draw of the code
            number = Fraction(0) if lines.number is None else lines.number
        else:
            assert isinstance(own.rate, Fraction)
            place = own.rate, count[own.rate]
            count[own.rate] += 1
            number = values[place] + own.mean
            read += [place] if own.input else []
        (edge,) = [
            edge
            for edge in leaving[state]
            if all(HOLDS[relation](number, held[name]) for relation, name in edge.guard)
        ]
        shown = [
            number - held[part.variable] if isinstance(part, Gap) else number
            for part in edge.outputs
            if isinstance(part, Gap) or part == INSAMPLE
        ]
        for event in program.origin.edges[edge.number].events:
            events.append(event if isinstance(event, str) else event[0] * shown.pop(0) + event[1])
        held |= dict.fromkeys(edge.assign, number)
        state = edge.target
    return events, read


def random_function(random: Random) -> str:
    """Draws first, then comparisons of any two of them, of which some are kept, seen, or moved."""
    lines: list[str] = []
    count = random.randint(2, 4)
    names = [f"x{k}" for k in range(count)]
    plain = random.sample(names, random.randint(0, 2))
    for k, name in enumerate(names):
        center = "0" if name in plain else "next(queries)"
        lines.append(f'{name} = laplace({center}, rate="{k + 2}/7")')
    lines += [f"{name} = {name} + next(queries)" for name in plain if random.random() < 0.6]
    random.shuffle(names)

    def block(depth: int, size: int) -> None:
        for _ in range(random.randint(1, 2)):
            choice = random.random()
            pad = "    " * depth
            one, other = random.sample(names, 2)
            if choice < 0.65 and size:
                right = other if random.random() < 0.8 else str(random.randint(-1, 1))
                shift, relation = random.choice([*[""] * 9, " + 1"]), random.choice(["<", ">="])
                lines.append(f"{pad}if {one}{shift} {relation} {right}:")
                block(depth + 1, size - 1)
                if random.random() < 0.7:
                    lines.append(f"{pad}else:")
                    block(depth + 1, size - 1)
            elif choice < 0.75:
                lines.append(f"{pad}{one} = {other}")
            elif choice < 0.82:
                lines.append(f"{pad}see({one})")
            elif choice < 0.86:
                lines.append(f"{pad}see({one} - {other})")
            else:
                lines.append(f"{pad}see('{random.choice('ab')}{len(lines)}')")

    block(0, 3)
    return HEAD + "".join(f"    {line}\n" for line in lines)


def written(text: str) -> WrittenProgram:
    function = function_in(text.encode(), "f", "f.py")
    assert isinstance(function, Mechanism)
    return function.program({})


def functions(seeds: Sequence[int]) -> Iterator[tuple[str, WrittenProgram]]:
    for seed in seeds:
        text = random_function(Random(seed))
        try:
            yield text, written(text)
        except CodeError:
            continue


@pytest.mark.parametrize("start", thinned(range(0, 1200, 150)))
def test_code_and_program_output_the_same(start: int) -> None:
    """And inputs are read in the same order, where the program reads as many."""
    moved = 0
    for text, program in functions(thinned(range(start, start + 150))):
        call, random = function_of(text), Random(start)
        for _ in range(12):
            values = {
                (Fraction(k + 2, 7), 0): Fraction(random.randint(-30, 30), 11) + Fraction(k, 1000)
                for k in range(4)
            }
            run = of_python(call, values)
            events, read = of_program(program, values)
            assert events == run.events, text
            assert read == run.read[: len(read)], text
        moved += bool(program.origin.postponed)
    assert moved >= 5


def test_least_and_largest_of_numbers_that_are_drawn_first() -> None:
    """As hidden k-min-max of three, which is 1/2 + 1/3 (docs/theory_observer.md, *Hidden blocks*)."""
    program = written(HEAD + KMINMAX)
    answer = privacy(program)
    assert answer.lower == answer.upper == Fraction(5, 6)
    assert program.origin.postponed == (6, 7, 8)
    assert "The draws of lines 6, 7 and 8 are made where their numbers are first used" in privacy_text(answer)


def test_two_stored_numbers_are_compared_when_the_later_is_drawn() -> None:
    lines = ["a = laplace(next(queries), rate=2)", "b = laplace(next(queries), rate=2)"]
    lines += ["c = laplace(next(queries), rate=2)", "see(c < a)", "see(c < b)", "see(a < b)"]
    program = written(HEAD + "".join(f"    {line}\n" for line in lines))
    tests = sorted(len(edge.guard) for edge in program.edges)
    assert tests == [0, 0, 0, 1, 1, *[2] * 8]
    answer = privacy(program)
    assert answer.lower == answer.upper == 4


def test_numbers_that_a_loop_has_passed_are_not_stored() -> None:
    """So noisy max of numbers that are drawn first needs one variable, as if each were compared at once."""
    lines = ["answers = ()", "for _ in range(4):", "    answers = (*answers, laplace(next(queries), rate=1))"]
    lines += ["best = answers[0]", "index = 0", "for place, answer in enumerate(answers):"]
    lines += [
        "    if place > 0 and answer > best:",
        "        best = answer",
        "        index = place",
        "see(index)",
    ]
    program = written(HEAD + "".join(f"    {line}\n" for line in lines))
    assert len(variables(program)) == 1
    answer = privacy(program)
    assert answer.lower == answer.upper == 2


def test_numbers_that_wait_for_ever_are_refused() -> None:
    """Soon: a state for each number of waiting draws is not made."""
    lines = ["a = laplace(0, rate=1)", "b = laplace(0, rate=1)", "c = laplace(0, rate=1)", "see(a < b)"]
    lines += ["for query in queries:", "    x = laplace(query, rate=1)", "    see('next')"]
    with pytest.raises(CodeError, match="both numbers were drawn before"):
        written(HEAD + "".join(f"    {line}\n" for line in lines))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("see(a < b)", "see(c < a)", "see(a + 1 < b)"), "both numbers were drawn before"),
        (("see(c < a)", "see(c < b)", "see(a - b)"), "not a difference of the last drawn number"),
    ],
)
def test_what_cannot_be_moved_is_refused(lines: tuple[str, ...], said: str) -> None:
    draws = [f"{name} = laplace(next(queries), rate=1)" for name in "abc"]
    with pytest.raises(CodeError, match=said):
        written(HEAD + "".join(f"    {line}\n" for line in (*draws, *lines)))
