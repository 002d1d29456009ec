"""Programs of several variables: random ones by seed, and what their runs cost by brute force.

Nothing here knows nodes, orders, tokens, functions or duals: whether a run is possible is decided by its
graph of demands, and what it costs by a linear program in floating point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from random import Random

import networkx as nx
import numpy as np
from scipy.optimize import linprog

from prover.errors import BadInput
from prover.program.model import Edge, Program, State, Transition, out_edges, variables
from prover.program.noise import Rate
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, Gap, Outputs

DIFFERENCES = {"all-differ": (-1, 1), "one-differ": (-1, 0, 1), "increasing": (0, 1), "decreasing": (-1, 0)}

Case = tuple[tuple[tuple[str, str], ...], tuple[str, ...], Outputs, str]
"""Guard, assignment, output, target."""


def state(*cases: Case, input: bool = True, rate: int | Fraction = 1) -> State:
    """A state of these transitions, with means 0 and the second rate 1."""
    zero = Fraction(0)
    return State(input, Fraction(rate), zero, Fraction(1), zero, tuple(Transition(*case) for case in cases))


def random_program(random: Random) -> Program:
    """A program of two to four variables, with loops, both real outputs, and some nondeterminism."""
    while True:
        names = [f"v{k}" for k in range(random.choice([2, 2, 3, 3, 4]))]
        places = [f"q{k}" for k in range(random.randint(3, 7))]
        first = (
            tuple(names)
            if random.random() < 0.2
            else tuple(sorted(random.sample(names, random.randint(1, len(names)))))
        )
        states = {
            "q0": state(((), first, "o", places[1]), input=random.random() < 0.7, rate=random.randint(1, 3))
        }
        for k, place in enumerate(places[1:], start=1):
            cases: list[Case] = []
            for j in range(random.choice([1, 2, 2, 3])):
                tested = random.sample(names, random.choice([0, 1, 1, 1, 2]))
                guard = tuple((random.choice(["<", ">="]), name) for name in tested)
                stored = tuple(random.sample(names, 1)) if random.random() < 0.25 else ()
                target = random.choice(
                    [place, places[min(k + 1, len(places) - 1)], random.choice([*places[1:], "end"])]
                )
                output = random.choice([INSAMPLE, INSAMPLE_PRIME]) if random.random() < 0.1 else f"o{j}"
                cases.append((guard, stored, output, target))
            takes_input = any(guard for guard, *_ in cases) or random.random() < 0.7
            states[place] = state(*cases, input=takes_input, rate=random.randint(1, 3))
        try:
            program = Program("q0", states)
        except BadInput:
            continue
        if len(variables(program)) > 1:
            return program


def leaning(program: Program, random: Random, infinite: float = 0.3) -> Program:
    """The program with two rates at some states, or noise on one side, or none.

    Public states have noise to the right, so that every run is possible.
    """

    def side(may_lack: bool) -> Rate:
        return "inf" if may_lack and random.random() < infinite else Fraction(random.choice([1, 2, 3]))

    states = {
        name: replace(old, rate=None, rate_left=side(True), rate_right=side(old.input))
        if random.random() < 0.6
        else old
        for name, old in program.states.items()
    }
    return replace(program, states=states)


def drawn(seed: int) -> Program:
    """One of three kinds of random programs, leaning to sides."""
    random = Random(seed)
    kind = random.choice([random_program, random_tests, forked_program])
    return leaning(kind(random), random, random.choice([0, 0.1, 0.3]))


def independent(count: int, storing: Fraction, testing: Fraction) -> Program:
    """So many variables, each stored once and then tested once, with both branches: loss 2·count·storing.

    That is while storing is no costlier than testing. One shift for both branches loses storing + testing.
    """
    names = [f"x{k}" for k in range(count)]
    places = [f"q{k:02}" for k in range(2 * count)]
    after = dict(pairwise([*places, "end"]))
    stores = {q: state(((), (x,), "o", after[q]), rate=storing) for q, x in zip(places, names, strict=False)}
    tests = {
        q: state(((("<", x),), (), "low", after[q]), (((">=", x),), (), "high", after[q]), rate=testing)
        for q, x in zip(places[count:], names, strict=True)
    }
    return Program(places[0], stores | tests)


def linked(count: int, storing: Fraction, testing: Fraction) -> Program:
    """The same after a step that stores in all variables, in vain: then they are of one part."""
    program = independent(count, storing, testing)
    first = state(((), variables(program), "o", program.initial))
    return Program("q", {**program.states, "q": first})


def random_tests(random: Random) -> Program:
    """Two to four variables that are stored, then tested and sometimes stored anew."""
    names = [f"x{k}" for k in range(random.randint(2, 4))]
    length = len(names) + random.randint(2, 5)
    after = {f"q{k}": f"q{k + 1}" for k in range(length - 1)} | {f"q{length - 1}": "end"}
    states = {}
    for place, (here, to) in enumerate(after.items()):
        if place < len(names):
            cases: list[Case] = [((), (names[place],), "o", to)]
        else:
            x, y = random.sample(names, 2)
            stored = tuple(random.sample(names, 1)) if random.random() < 0.2 else ()
            cases = [((("<", x),), stored, "low", to), (((">=", x),), (), "high", to)]
            if random.random() < 0.3:
                cases = [((("<", x), (">=", y)), stored, "in", to), (((">=", x),), (), "out", to)]
            if random.random() < 0.2:
                cases.append(((("<", random.choice(names)),), (), "again", here))
        states[here] = state(*cases, rate=random.randint(1, 4))
    return Program("q0", states)


def forked_program(random: Random) -> Program:
    """A program that stores two to four values, takes one of two branches, each with a loop, and goes on with
    loops and ranges: what different branches demand is there at one state, but not on one run.
    """
    names = [f"v{k}" for k in range(random.choice([2, 2, 3, 4]))]
    tests = [f"t{k}" for k in range(random.randint(1, 3))]
    places = [*names, "fork"]
    states = {
        name: state(((), (name,), "o", after), input=random.random() < 0.5)
        for name, after in zip(names, places[1:], strict=True)
    }
    states["fork"] = state(((), (), "a", "left"), ((), (), "b", "right"))

    def test() -> tuple[str, str]:
        return random.choice(["<", ">="]), random.choice(names)

    def ranged() -> tuple[tuple[str, str], ...]:
        low, high = random.sample(names, 2)
        return (">=", low), ("<", high)

    def stored() -> tuple[str, ...]:
        return (random.choice(names),) if random.random() < 0.2 else ()

    for place, after in (("left", "t0"), ("right", "t0"), *zip(tests, [*tests[1:], "end"], strict=True)):
        loops = place in ("left", "right") or random.random() < 0.3
        guard = (test(),) if loops else ranged()
        states[place] = state(
            (guard, () if loops else stored(), "a", place if loops else after),
            (random.choice([(test(),), ranged(), ()]), stored(), "b", after),
        )
    return Program(names[0], states)


def demands(run: Sequence[Edge]) -> list[tuple[int, int]]:
    """The pairs (i, j) of steps of which the tests demand x_i ≤ x_j."""
    stored: dict[str, int] = {}
    found = []
    for place, edge in enumerate(run):
        for relation, name in edge.guard:
            found.append((place, stored[name]) if relation == "<" else (stored[name], place))
        stored.update(dict.fromkeys(edge.assign, place))
    return found


def equalities(run: Sequence[Edge]) -> list[tuple[int, int]]:
    """The pairs (i, j) of steps of which gaps that are output demand γ_i ≤ γ_j: both ways round."""
    stored: dict[str, int] = {}
    found = []
    for place, edge in enumerate(run):
        for output in edge.outputs:
            if isinstance(output, Gap):
                found += [(place, stored[output.variable]), (stored[output.variable], place)]
        stored.update(dict.fromkeys(edge.assign, place))
    return found


def is_possible(run: Sequence[Edge]) -> bool:
    """Whether the demands of a run have no cycle (docs/theory_variables.md, Lemma 1)."""
    return bool(nx.is_directed_acyclic_graph(nx.DiGraph(demands(run))))


def runs(program: Program, longest: int) -> Iterator[tuple[Edge, ...]]:
    """All possible runs of at most so many steps, and the empty one."""
    leaving = out_edges(program)
    level: list[tuple[Edge, ...]] = [()]
    for _ in range(longest):
        yield from level
        level = [
            longer
            for run in level
            for edge in leaving.get(run[-1].target if run else program.initial, ())
            if is_possible(longer := (*run, edge))
        ]
    yield from level


def price(run: Sequence[Edge], deltas: Sequence[int]) -> float:
    """The least cost of shifts, by a linear program: shifts, and how far they are above and below Δ.

    Infinite if there are none, or none where there is noise.
    """
    n = len(run)
    if not n:
        return 0.0
    sides = [edge.right for edge in run] + [edge.left for edge in run]
    costs = np.concatenate([np.zeros(n), [0.0 if rate == "inf" else float(rate) for rate in sides]])
    equal = np.concatenate([np.eye(n), -np.eye(n), np.eye(n)], axis=1)
    rows, right = [np.zeros(3 * n)], [0]
    for a, b in demands(run) + equalities(run):
        row = np.zeros(3 * n)
        row[a] += 1
        row[b] -= 1
        rows.append(row)
        right.append(0)
    bounds: list[tuple[int | None, int | None]]
    bounds = [(0, 0) if INSAMPLE in edge.outputs else (None, None) for edge in run]
    bounds += [(0, 0) if rate == "inf" else (0, None) for rate in sides]
    found = linprog(
        costs, np.array(rows), right, equal, np.array(deltas, float), bounds=bounds, method="highs"
    )
    primes = sum(
        float(edge.rate_prime or 0) * abs(delta)
        for edge, delta in zip(run, deltas, strict=True)
        if INSAMPLE_PRIME in edge.outputs
    )
    return float(found.fun) + primes if found.status == 0 else float("inf")


def brute_force(program: Program, adjacency: str, longest: int) -> float:
    """The largest cost of a possible run of at most so many steps."""
    return max(
        price(run, deltas)
        for run in runs(program, longest)
        for deltas in product(*(DIFFERENCES[adjacency] if edge.input else (0,) for edge in run))
        if adjacency != "one-differ" or sum(map(abs, deltas)) <= 1
    )
