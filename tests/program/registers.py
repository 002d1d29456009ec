"""Mechanisms that use a query more than once, or sums of queries; and random programs with registers."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import prover
from prover.language import Query, laplace, see
from prover.program.model import Program, State, Transition
from prover.program.outputs import Gap, Outputs
from tests.scripts import module_at

smart_sum = module_at(Path(__file__).parents[2] / "examples" / "mechanisms" / "used_again.py").smart_sum


@prover.mechanism
def adaptive(queries, gaps=True):
    """Adaptive sparse vector for one answer; with the numbers themselves in place of gaps it is broken."""
    limit = laplace(0, rate="1/2")
    for query in queries:
        first = laplace(query, rate="1/8")
        if first >= limit:
            see("far above")
            see(first - limit if gaps else first)
            if gaps:
                return
        else:
            second = laplace(query, rate="1/4")
            if second >= limit:
                see("above")
                see(second - limit)
                return
            see("below")


@prover.mechanism
def partial_sum(queries, count=4, times=1):
    total = 0
    for _ in range(count):
        total = total + next(queries)
        see("next")
    for _ in range(times):
        see(laplace(total, rate=1))


@prover.mechanism
def prefix_sum(queries, count=10):
    total = 0
    for _ in range(count):
        total = total + next(queries)
        see(laplace(total, rate=1))


@prover.mechanism
def running_sum(queries, once=False, harmless=False):
    """Noisy sums of all queries so far, for ever, or one when a coin says so, or only compared."""
    total = 0
    coin = laplace(0, rate=1)
    for query in queries:
        total = total + query
        if harmless:
            see("above" if laplace(total, rate=1) >= laplace(total, rate=1) else "below")
        elif not once:
            see(laplace(total, rate=1))
        elif laplace(0, rate=1) >= coin:
            see(laplace(total, rate=1))
            return
        else:
            see("not yet")


@prover.mechanism
def compared_sum(queries, signs=1, limits=1):
    """A sum of queries, compared with a limit in the end; with signs −1 every second query is subtracted."""
    total = 0
    limit = laplace(0, rate=1)
    other = laplace(0, rate=1)
    for query in queries:
        total = total + query
        if signs < 0:
            total = total - next(queries)
        if laplace(0, rate=1) >= (other if limits > 1 else limit):
            see("above" if laplace(total, rate=2) >= limit else "below")
            return
        see("not yet")


@prover.mechanism
def moved_sum(queries):
    """A sum of queries that is output once; a coin that is not output decides whether 16 is added."""
    total = 0
    coin = laplace(0, rate=1)
    for query in queries:
        total = total + query
        if laplace(0, rate=1) >= coin:
            added = laplace(0, rate=1) >= coin
            number = laplace(total, rate=1)
            see(number + 16 if added else number)
            return
        see("not yet")


@prover.mechanism
def copies(query: Query, count=5):
    for _ in range(count):
        see(laplace(query, rate=1))


@prover.mechanism
def ranges(query: Query):
    """Two ranges on one query, each between noisy borders."""
    for low, high in ((0, 10), (20, 30)):
        border = laplace(low, rate=1)
        if laplace(query, rate="1/2") >= border:
            border = laplace(high, rate=1)
            see("above" if laplace(query, rate="1/2") >= border else "inside")
        else:
            see("below")


@prover.mechanism
def frozen(query: Query):
    """One query compared for ever with a threshold drawn around the same one."""
    limit = laplace(query, rate=1)
    while True:
        see("above" if laplace(query, rate=1) >= limit else "below")


@prover.mechanism
def difference(first: Query, second: Query):
    see(laplace(first - second, rate=2))
    see(laplace(first + second, rate=1))


def random_program(random: Random, *, loops: bool = False, bare: bool = False) -> Program:
    """A program of a few steps with registers q and s, and one or two variables; ``bare`` ones have numbers
    without noise that are at most seen.
    """
    names = ["x", "y"][: random.choice((1, 2))]
    length = random.choice((3, 4))
    states: dict[str, State] = {"start": _state(False, random, [("x", "a", 1)], names)}
    if len(names) == 2:
        states["start"] = _state(False, random, [("x", "b", "other")], names)
        states["other"] = _state(False, random, [("y", "a", 1)], names)
    known: set[str] = set()
    for number in range(1, length + 1):
        center = random.choice(sorted(known)) if known and random.random() < 0.6 else None
        reads = center is None and random.random() < 0.9
        sources = [*sorted(known), *(["input"] if reads else [])]
        known = {name for name in ("q", "s") if sources and random.random() < 0.7}
        sums = tuple(
            (name, tuple((one, random.choice((1, 1, -1))) for one in _some(random, sources)))
            for name in sorted(known)
        )
        cases = []
        tested = random.choice((None, *names))
        for side in ("<", ">=") if tested else ("",):
            seen: Outputs = f"l{side}"
            if random.random() < 0.4:
                seen = (f"l{side}", "insample" if random.random() < 0.5 else Gap(random.choice(names)))
            stored = (random.choice(names),) if random.random() < 0.3 else ()
            target = f"{random.randint(1, length) if loops and random.random() < 0.3 else number + 1}"
            target = target if int(target) == number + 1 or not sums else f"{number + 1}"
            guard = ((side, tested),) if tested else ()
            cases.append(Transition(guard, stored, seen, "end" if int(target) > length else target, sums))
        state = State(reads, _rate(random), Fraction(0), None, None, tuple(cases), center=center)
        plain = all(not case.guard and not case.assign and "Gap" not in repr(case.output) for case in cases)
        if bare and plain and random.random() < 0.5:
            state = replace(state, rate=None, rate_left="inf", rate_right="inf")
        states[str(number)] = state
    return Program("start", states)


def _some(random: Random, sources: list[str]) -> list[str]:
    return sorted(random.sample(sources, random.randint(1, len(sources))))


def _rate(random: Random) -> Fraction:
    return Fraction(random.choice((1, 2, 3)), random.choice((1, 2)))


def _state(reads: bool, random: Random, cases: list[tuple[str, str, object]], _: list[str]) -> State:
    transitions = tuple(Transition((), (name,), letter, str(to)) for name, letter, to in cases)
    return State(reads, _rate(random), Fraction(0), None, None, transitions)
