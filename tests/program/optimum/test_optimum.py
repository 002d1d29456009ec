"""The optimum of the papers' programs, and of programs that need care."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from prover.program.adjacency import POLYTOPES
from prover.program.model import Program
from prover.program.optimum.budget import Budget
from prover.program.optimum.measure import measure
from prover.zoo import (
    build,
    chain_of_tests,
    lyu_1,
    lyu_2,
    lyu_4,
    numeric_sparse,
    numeric_svt,
    partition,
    svt,
)
from tests.program.costs import exact, measured
from tests.program_examples import (
    ABOVE,
    BELOW,
    TRUE,
    program,
    published_numeric_sparse,
    state,
    step,
    two_branches,
)
from tests.program_oracle import brute_force
from tests.refusals import refuses

FINITE = [
    (svt(), "5/4"),
    (numeric_sparse(), "7/4"),
    (published_numeric_sparse(), "1"),
    (published_numeric_sparse(private_threshold=True), "13/9"),
    (two_branches(), "2"),
    *((lyu(c), "1") for lyu in (lyu_1, lyu_2, numeric_svt) for c in (1, 2, 5)),
    *((lyu_4(c), Fraction(1 + 6 * c, 4)) for c in (1, 2, 5)),
    (chain_of_tests(), "1"),
    (chain_of_tests(9), "1"),
    (partition(), "32"),
]
INFINITE = [
    *("lyu-3", "lyu-6", "svt-star", "leaking-cycle", "leaking-pair", "disclosing-cycle"),
    *(f"violating-path-{kind}" for kind in "abc"),
]


@pytest.mark.parametrize(("model", "value"), FINITE)
def test_published_optima(model: Program, value: str | Fraction) -> None:
    assert exact(model) == Fraction(value)


@pytest.mark.parametrize("name", INFINITE)
def test_programs_that_are_not_private(name: str) -> None:
    model = build(name)
    assert isinstance(model, Program)
    assert exact(model) is None


@pytest.mark.parametrize("kind", "abc")
def test_mirror_images_of_violating_paths(kind: str) -> None:
    model = build(f"violating-path-{kind}", mirror="yes")
    assert isinstance(model, Program)
    assert exact(model) is None


def test_numeric_sparse_that_gives_the_compared_number_away() -> None:
    assert exact(numeric_sparse("insample")) is None


@pytest.mark.parametrize(
    ("adjacency", "value"),
    [("all-differ", "5/4"), ("one-differ", "1/2"), ("increasing", "3/4"), ("decreasing", "1/2")],
)
def test_svt_under_every_adjacency(adjacency: str, value: str) -> None:
    # Answers below the threshold follow their inputs down for free; with decreasing only the last one costs.
    assert exact(svt(), adjacency) == Fraction(value)


@pytest.mark.parametrize("adjacency", ["increasing", "decreasing"])
def test_a_cycle_that_leaks_in_one_direction_only(adjacency: str) -> None:
    # Each turn draws a public threshold and asks for an answer that is not below it. If answers can only
    # rise, a neighbour's answers follow for free; if they can only fall, each turn costs.
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True), input=False),
            "q1": state(step(TRUE, "q2", assign=True), input=False),
            "q2": state(step(ABOVE, "q1", "otop"), step(BELOW, "q3", "obot")),
        }
    )
    assert exact(model, adjacency) == (Fraction(1) if adjacency == "increasing" else None)
    assert exact(model) is None


@pytest.mark.parametrize("adjacency", POLYTOPES)
def test_what_is_unreachable_does_not_count(adjacency: str) -> None:
    lost = state(step(BELOW, "lost", "insample"), step(ABOVE, "lost", assign=True))
    assert exact(program({**svt().states, "lost": lost}), adjacency) == exact(svt(), adjacency)


def test_the_last_turn_may_use_its_own_shift() -> None:
    # Turns of the cycle follow the inputs at no cost; the last one stores what a costly test compares with.
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(TRUE, "q1", assign=True), step(TRUE, "q2", "onext"), rate=1),
            "q2": state(step(BELOW, "q3"), rate=100),
        }
    )
    assert exact(model) == 2


@pytest.mark.parametrize("turns", [1, 3])
def test_no_noise_no_cost(turns: int) -> None:
    # Nothing is compared with anything: every shift follows its input.
    states = {f"q{k}": state(step(TRUE, f"q{k + 1}", assign=True)) for k in range(turns)}
    cost = measured(program(states))
    assert cost.lower == cost.upper == 0


@pytest.mark.thorough
def test_a_cheap_loop_is_repeated_as_often_as_needed() -> None:
    cheap = Fraction(1, 10**9)
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True), input=False),
            "q1": state(step(BELOW, "q1"), step(ABOVE, "q2"), rate=cheap),
        }
    )
    cost = measure(model)  # a certificate has shorter runs: see test_certificates
    assert cost.lower == cost.upper == 1 + 2 * cheap
    assert cost.witness is not None
    # Shift 0 of the threshold costs cheap·(turns + 1), shift 1 costs 1 + 2·cheap.
    assert cost.witness.length == 10**9 + 3
    assert len(cost.witness.steps) < 10


def test_a_cycle_of_several_states_is_repeated() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True), input=False),
            "q1": state(step(TRUE, "q2"), step(ABOVE, "q4", "oend"), rate=2),
            "q2": state(step(BELOW, "q3"), rate="1/3"),
            "q3": state(step(TRUE, "q1"), input=False, rate="1/7"),
        }
    )
    cost = measured(model)
    assert cost.lower == cost.upper == 5
    assert cost.witness is not None
    assert max(count for _, count in cost.witness.turns) > 1


@pytest.mark.parametrize("seed", range(12))
def test_partition_reaches_the_sum_of_rates_iff_a_partition_exists(seed: int) -> None:
    random = Random(seed)
    weights = [random.randint(1, 9) for _ in range(random.randint(1, 8))]
    signed = (
        sum(s * w for s, w in zip(signs, weights, strict=True))
        for signs in product((-1, 1), repeat=len(weights))
    )
    model = partition(",".join(map(str, weights)))
    total = sum(edge.rate for edge in model.edges)
    value = exact(model)
    assert value is not None
    assert (value == total) is (0 in signed)
    assert value <= total


def test_partition_with_large_weights_is_enclosed_or_exact() -> None:
    random = Random(3)
    model = partition(",".join(str(random.randint(10**8, 10**9)) for _ in range(18)))
    cost = measured(model, budget=Budget(values=32), judged=False)
    assert cost.lower is not None
    assert cost.upper is not None
    assert cost.relaxed is not None
    assert cost.lower < cost.upper <= cost.relaxed <= cost.lower * Fraction(21, 20)
    assert measured(model, judged=False).is_exact


def test_many_copies_of_svt() -> None:
    assert exact(lyu_1(200), judged=False) == 1


def test_rates_with_long_denominators() -> None:
    # Near-ties: the two ways to lose differ by 10^-40.
    tiny = Fraction(1, 10**40)
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True), input=False, rate=1),
            "q1": state(step(BELOW, "q2"), step(ABOVE, "q3", "otop"), rate=2),
            "q2": state(step(ABOVE, "q4"), rate=1 + tiny),
            "q3": state(step(BELOW, "q4"), rate=1 - tiny),
        }
    )
    assert exact(model) == brute_force(model, "all-differ", 3) == 3 + tiny


def test_an_unknown_adjacency_is_refused() -> None:
    with refuses("unknown-adjacency"):
        measure(svt(), "all")
