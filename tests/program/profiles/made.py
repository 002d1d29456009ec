"""Random programs of one variable for which profile tables are closed, inputs of neighbours, and what a table
promises."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import prover
from prover.exact.exponential import exponential
from prover.program.adjacency import Adjacency
from prover.program.edge import SIDES
from prover.program.model import Program, State, Transition, out_edges
from prover.program.noise import INFINITE, Gaussian, Noise
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, Outputs
from prover.program.profiles.above import closed_tables
from prover.program.profiles.bounds import Above
from tests.certified import proved
from tests.program.profiles.quadrature import Key

Json = Any
SIGNS = {"all-differ": (-1, 1), "one-differ": (-1, 1), "increasing": (0, 1), "decreasing": (-1, 0)}
RATES = [Fraction(rate) for rate in ("1/4", "1/2", "1/2", "1", "2")]
BELOW, ABOVE = (("<", "x"),), ((">=", "x"),)


GRIDS = [
    Noise("discrete-laplace", Fraction(grid), Fraction(reach)) for grid, reach in ((1, 1), (1, 2), ("1/2", 1))
]
"""Of sensitivity 1, 2 and 2 steps."""


def delta_above(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alpha: Fraction,
    steps: int | None = None,
) -> Above:
    """A bound of δ from above, at one α ≥ 1."""
    return closed_tables(program, adjacency, at_epsilon, [alpha], steps).at(alpha)


def random_program(seed: int, most: int = 4, *, grid: bool = False, gaussian: bool = False) -> Program:
    """Each state draws or tests or only outputs; noise may have one side, or be Gaussian if that is asked
    for, and states may have sensitivities of their own.

    On a grid some tests are <= and >, and some means are not on the grid.
    """
    random = Random(seed)
    names = [f"q{k}" for k in range(random.randint(2, most))]
    noise = random.choice(GRIDS) if grid else None
    step = noise.grid if noise is not None else None
    own = [None, Fraction(1, 2), Fraction(1, 3), Fraction(3, 2)] if step is None else [None, step, 3 * step]
    sizes = random.choice([None] * 3 + [own])
    states = {}
    for k, name in enumerate(names):
        input = random.random() < (0.4 if k == 0 else 0.8)
        prime = random.random() < 0.25
        kind = "draw" if k == 0 else random.choice(["test"] * 4 + ["draw", "draw", "show", "pass"])
        cases = [
            Transition(guard, ("x",) if kind == "draw" else (), output, _target(random, names, k))
            for guard, output in _cases(random, kind, prime, ties=grid and random.random() < 0.5)
        ]
        rate: Any = random.choice(RATES)
        one_sided = random.random() < 0.2
        sides = random.choice([(INFINITE, rate), (rate, INFINITE), (INFINITE, INFINITE)])
        states[name] = State(
            input,
            None if one_sided else rate,
            random.choice([Fraction(0), Fraction(0), Fraction(1, 2)]),
            random.choice(RATES) if prime else None,
            Fraction(0) if prime else None,
            tuple(cases),
            sides[0] if one_sided else None,
            sides[1] if one_sided else None,
            sensitivity=random.choice(sizes) if sizes and input else None,
        )
        if gaussian:
            states[name] = with_gaussian(states[name], random)
    sensitivity = random.choice([Fraction(1)] * 3 + [Fraction(2)])
    return Program("q0", states, noise=noise or Noise(sensitivity=sensitivity))


def with_gaussian(state: State, random: Random) -> State:
    """The same with Gaussian noise in some places."""
    sigmas = [Gaussian(Fraction(sigma)) for sigma in ("1/2", "1", "2", "4")]
    if random.random() < 0.7:
        state = replace(state, rate=random.choice(sigmas), rate_left=None, rate_right=None)
    if state.rate_prime is not None and random.random() < 0.5:
        state = replace(state, rate_prime=random.choice(sigmas))
    return state


def _cases(random: Random, kind: str, prime: bool, *, ties: bool = False) -> list[tuple[Any, Outputs]]:
    number = (INSAMPLE_PRIME,) if prime and random.random() < 0.7 else ()
    if kind == "test":
        low, high = ((("<=", "x"),), ((">", "x"),)) if ties else (BELOW, ABOVE)
        guards = random.choice([[low, high]] * 4 + [[low], [high]])
        return [
            (guard, _outputs(f"o{k}", *(number if random.random() < 0.7 else ())))
            for k, guard in enumerate(guards)
        ]
    shown = (INSAMPLE,) if kind == "show" or (kind == "draw" and random.random() < 0.2) else ()
    return [((), _outputs("o", *shown, *number))]


def _outputs(*outputs: str) -> Outputs:
    return outputs if len(outputs) > 1 else outputs[0]


def _target(random: Random, names: list[str], k: int) -> str:
    onwards = names[k + 1] if k + 1 < len(names) else "end"
    return random.choice([onwards, onwards, names[max(k, 1)], random.choice(names[1:]), "end"])


def neighbours(program: Program, adjacency: str, length: int, random: Random) -> tuple[Any, Any]:
    """Inputs, and how far they move, by place and by the transition before. Which state reads them is known
    by that transition."""
    noise, states = float(program.noise.sensitivity), program.states
    start = out_edges(program)[program.initial][0]
    inputs: dict[Key, float] = {}
    moves: dict[Key, float] = {}
    sign = random.choice(["increasing", "decreasing"])
    only = random.randrange(length) if adjacency == "one-differ" else None
    low, high = SIGNS[sign if adjacency == "monotonic" else adjacency]
    spread = random.choice([0.3, 1.0, 4.0])
    grid = program.noise.grid
    for place in range(length):
        for number, state in [(0, program.initial), *((e.number + 1, e.target) for e in program.edges)]:
            own = states[state].sensitivity if state in states else None
            reach = noise if own is None else float(own)
            moved = random.choice([low, high, random.uniform(low, high)]) * reach
            inputs[place, number] = _placed(random.gauss(0, spread), grid)
            moves[place, number] = _placed(moved, grid) if only in (None, place) else 0.0
    assert start.assigns
    return inputs, moves


def _placed(number: float, grid: Fraction | None) -> float:
    """On the grid, if there is one."""
    return number if grid is None else float(round(number / float(grid)) * grid)


def promised(document: Json, alpha: Fraction) -> Fraction:
    """What the tables of a certificate promise at any α, by chords: the largest, of several directions."""
    adjacency, evidence = document["claim"]["adjacency"], document["evidence"]
    tables: Mapping[str, Json] = evidence if adjacency == "monotonic" else {adjacency: evidence}
    return max(_start(document, table, alpha) for table in tables.values())


def _start(document: Json, table: Json, alpha: Fraction) -> Fraction:
    knots = [Fraction(k, 10**12) for k in table["knots"]]
    is_open = document["claim"]["adjacency"] == "one-differ"
    functions = [
        [Fraction(v, 10**16) for v in node["values"]]
        for node in table["nodes"]
        if node["state"] == document["model"]["initial"] and node.get("open", False) == is_open
    ]
    k = bisect_right(knots, alpha) - 1
    if k + 1 == len(knots):
        return min(values[k] for values in functions)
    share = (alpha - knots[k]) / (knots[k + 1] - knots[k])
    return min(values[k] + share * (values[k + 1] - values[k]) for values in functions)


def of_two_variables(program: Program, seed: int) -> Program:
    """The program with a second variable: each state stores in one of them or in both, and tests one of them.

    No state has a sensitivity of its own, and no test is <= or >.
    """
    random = Random(f"two {seed}")
    states = {}
    for name, state in program.states.items():
        tested, stored = random.choice("xy"), random.choice([("x",), ("y",), ("x", "y")])
        cases = tuple(
            replace(
                own,
                guard=tuple((SIDES[relation], tested) for relation, _ in own.guard),
                assign=stored if own.assign else (),
            )
            for own in state.transitions
        )
        states[name] = replace(state, transitions=cases, sensitivity=None)
    first, rate = states[program.initial], random.choice(RATES)
    (draw,) = first.transitions
    if random.random() < 0.3:
        states[program.initial] = replace(first, transitions=(replace(draw, assign=("x", "y")),))
    else:
        states[program.initial] = replace(first, transitions=(replace(draw, assign=("x",), target="second"),))
        again = Transition((), ("y",), "o", draw.target)
        states["second"] = State(random.random() < 0.5, rate, Fraction(0), None, None, (again,))
    return replace(program, states=states)


def keeping(program: Program, seed: int) -> Program:
    """The program without loops, some of whose tests store or output what they compare."""
    random = Random(f"keeps {seed}")
    names = list(program.states)
    states = {}
    for k, (name, state) in enumerate(program.states.items()):
        onwards = names[k + 1] if k + 1 < len(names) else "end"
        cases = [
            replace(own, target=own.target if own.target not in names[: k + 1] else onwards)
            for own in state.transitions
        ]
        variables = [v for own in cases for _, v in own.guard]
        for place, own in enumerate(cases if variables else []):
            if random.random() < 0.5:
                cases[place] = own = replace(own, assign=(random.choice(variables),))
            if random.random() < 0.2:
                cases[place] = replace(own, output=(INSAMPLE, f"o{place}"))
        states[name] = replace(state, transitions=tuple(cases))
    return replace(program, states=states)


def bounded_by_exact_epsilon(
    program: Program, obstacle: str, alpha: int = 2, at_epsilon: Fraction | int = 1
) -> None:
    """δ is bounded by the exact ε alone, with a certificate, and the answer says why there is no table."""
    answer = prover.delta(program, at_epsilon=at_epsilon, alpha=alpha)
    multiple = prover.privacy(program).upper
    assert multiple is not None
    low, high = exponential(multiple * Fraction(at_epsilon), 60)
    assert answer.obstacle is not None
    assert re.search(obstacle, answer.obstacle)
    assert low - alpha <= answer.upper * (low + 1)
    assert answer.upper <= max(Fraction(0), (high - alpha) / (high + 1)) + Fraction(1, 10**9)
    assert answer.certificate is not None
    assert set(proved(answer.certificate)["evidence"]) == {"pure"}
