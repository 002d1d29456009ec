"""The optimum of random programs under every adjacency, against brute force and against itself."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.program.adjacency import POLYTOPES
from prover.program.decision.blocks import Block, total
from prover.program.decision.boundedness import decide
from prover.program.model import Program, State, Transition
from prover.program.noise import in_units
from prover.program.optimum.budget import Budget, Steps
from prover.program.optimum.measure import measure
from prover.program.outputs import REAL_OUTPUTS
from tests.profiles import examples, thinned
from tests.program.automata import is_run, mirrored, optimum, random_program
from tests.program.costs import exact, measured
from tests.program_oracle import MIRRORED, brute_force, growth, straight_line
from tests.program_strategies import programs

pytestmark = pytest.mark.thorough

SEEDS = thinned(range(50))
ENOUGH = 30  # steps for every finite optimum of these programs
adjacencies = st.sampled_from(POLYTOPES)


@pytest.mark.family
@pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
def test_optima_are_those_of_long_runs(adjacency: str) -> None:
    finite = infinite = 0
    for seed in SEEDS:
        model = random_program(seed, largest=4)
        costs = growth(model, adjacency, ENOUGH)
        value = exact(model, adjacency)
        if value is None:
            infinite += 1
            assert costs[ENOUGH] > costs[ENOUGH - 10], seed
        else:
            finite += 1
            assert costs[ENOUGH] == value, seed
    assert finite > 4
    assert infinite > 3 or (adjacency == "one-differ" and infinite == 0)


@pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
def test_brute_force_over_runs_and_shifts_agrees_on_acyclic_programs(adjacency: str) -> None:
    checked, seeds = 0, thinned(range(400))
    for seed in seeds:
        model = random_program(seed, largest=4)
        cost = measure(model, adjacency)
        if cost.upper is not None and cost.witness is not None and cost.witness.length <= 4:
            longest = len(model.states)
            assert brute_force(model, adjacency, longest) <= cost.upper, seed
            assert brute_force(model, adjacency, cost.witness.length) == cost.upper, seed
            checked += 1
    assert checked > len(seeds) / 4


@given(programs(max_states=6), adjacencies)
@examples(150)
def test_every_cost_is_exact_and_certified(program: Program, adjacency: str) -> None:
    cost = measured(program, adjacency)
    assert cost.is_exact
    assert cost.witness is not None or cost.is_infinite
    if adjacency == "one-differ":
        assert cost.upper is not None
        assert cost.upper <= max(edge.rate + (edge.rate_prime or 0) for edge in program.edges)


@given(programs(max_states=6))
@examples(150)
def test_the_optimum_is_finite_iff_the_program_is_private(program: Program) -> None:
    assert measure(program).is_infinite is not decide(program).bounded


@given(programs(max_states=6), adjacencies)
def test_a_witness_attains_the_optimum(program: Program, adjacency: str) -> None:
    cost = measure(program, adjacency)
    if cost.witness is None:
        return
    run = []
    place = 0
    for length, count in cost.witness.turns:
        run += list(cost.witness.steps[place : place + length]) * count
        place += length
    assert place == len(cost.witness.steps) == len(cost.witness.shifts)
    assert is_run(program, [step.edge for step in run])
    assert optimum([(step.edge, step.delta) for step in run]) == cost.upper
    assert total([Block(repeat=False, steps=tuple(run))]).constant == cost.upper


@given(programs(max_states=5), adjacencies)
def test_swapping_the_guards_mirrors_the_adjacency(program: Program, adjacency: str) -> None:
    assert exact(mirrored(program), MIRRORED[adjacency]) == exact(program, adjacency)


@given(programs(max_states=5), adjacencies, st.sampled_from(["7/3", "1/1000003", "12"]))
def test_the_optimum_scales_with_the_rates(program: Program, adjacency: str, text: str) -> None:
    factor = Fraction(text)

    def scaled(state: State) -> State:
        second = None if state.rate_prime is None else in_units(state.rate_prime, factor)
        return replace(state, rate=in_units(state.rate or Fraction(1), factor), rate_prime=second)

    larger = Program(program.initial, {name: scaled(state) for name, state in program.states.items()})
    value = exact(program, adjacency)
    assert exact(larger, adjacency) == (None if value is None else value * factor)


@given(programs(max_states=5), adjacencies)
def test_names_and_order_of_states_do_not_matter(program: Program, adjacency: str) -> None:
    names = {name: f"s{len(program.states) - k}" for k, name in enumerate(program.states)}

    def renamed(transition: Transition) -> Transition:
        return replace(transition, target=names.get(transition.target, "final"))

    other = Program(
        names[program.initial],
        {
            names[name]: replace(state, transitions=tuple(map(renamed, reversed(state.transitions))))
            for name, state in program.states.items()
        },
    )
    assert exact(other, adjacency) == exact(program, adjacency)


def doubled(transitions: tuple[Transition, ...]) -> tuple[Transition, ...]:
    """The transitions, and those that output letters once more with other letters."""
    letters = [case for case in transitions if case.output not in REAL_OUTPUTS]
    return (*transitions, *(replace(case, output=f"{case.output}2") for case in letters))


@given(programs(max_states=5), adjacencies)
def test_doubling_a_transition_changes_nothing(program: Program, adjacency: str) -> None:
    states = {
        name: state if name == program.initial else replace(state, transitions=doubled(state.transitions))
        for name, state in program.states.items()
    }
    assert exact(Program(program.initial, states), adjacency) == exact(program, adjacency)


@given(programs(max_states=5))
def test_fewer_differences_cost_no_more(program: Program) -> None:
    most = exact(program)
    if most is not None:
        for adjacency in POLYTOPES:
            value = exact(program, adjacency)
            assert value is not None
            assert value <= most


@given(programs(min_states=4, max_states=9), adjacencies, st.integers(1, 3))
@examples(150)
def test_with_few_values_the_optimum_is_enclosed(program: Program, adjacency: str, values: int) -> None:
    value = exact(program, adjacency)
    cost = measured(program, adjacency, Budget(values=values))
    if value is None:
        assert cost.upper is None
    else:
        assert cost.lower is not None
        assert cost.lower <= value
        assert cost.upper is None or value <= cost.upper


def test_on_a_straight_line_one_value_a_state_is_as_good_as_relaxed() -> None:
    better = 0
    for seed in thinned(range(200)):
        random = Random(seed)
        cost = measured(straight_line(random, random.randint(1, 8)), budget=Budget(values=1))
        assert cost.upper is not None
        assert cost.relaxed is not None
        assert cost.upper <= cost.relaxed, seed
        better += cost.upper < cost.relaxed
    assert better > 10


@given(programs(min_states=3, max_states=6), adjacencies)
def test_without_steps_something_is_proved(program: Program, adjacency: str) -> None:
    value = exact(program, adjacency)
    cost = measured(program, adjacency, Budget(steps=Steps(0)))
    if value is not None and cost.upper is not None:
        assert cost.lower is not None
        assert cost.lower <= value <= cost.upper


@given(programs(max_states=6), adjacencies)
def test_the_same_program_has_the_same_cost(program: Program, adjacency: str) -> None:
    assert measure(program, adjacency) == measure(program, adjacency)
