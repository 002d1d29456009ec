"""Noise with two rates, on one side only, or none: random programs against a slow oracle, and known ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest

import prover
from prover.certificate.schema import Certificate
from prover.errors import NotSupported
from prover.program.adjacency import ADJACENCIES
from prover.program.answer import Privacy
from prover.program.decision.boundedness import VANISHING_RUN, decide
from prover.program.noise import INFINITE, Rate
from prover.program.optimum.budget import Budget
from prover.program.optimum.witness import written_out
from prover.program.privacy import privacy
from prover.zoo import leaking_pair, svt
from tests.profiles import thinned
from tests.program.automata import leaning, optimum, random_program, worst_cost
from tests.program_examples import ABOVE, BELOW, TRUE, program, rated, state, step
from tests.refusals import refuses

F = Fraction
WAYS = {"all-differ": (-1, 1), "increasing": (0, 1), "decreasing": (-1, 0)}


def certified(answer: Privacy) -> str:
    proof = answer.certificate
    assert isinstance(proof, Certificate)
    return prover.verify(proof)


@pytest.mark.parametrize(
    "seeds", [range(16), pytest.param(range(16, 400), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_random_programs_cost_what_brute_force_says(seeds: range) -> None:
    finite = infinite = 0
    for seed in seeds:
        model = leaning(random_program(seed, 3), seed)
        for adjacency, deltas in WAYS.items():
            expected = worst_cost(model, deltas)
            answer = privacy(model, adjacency, budget=Budget(values=300))
            assert (answer.runs.bounded is False) is (expected is None), (seed, adjacency)
            certified(answer)
            if expected is None:
                infinite += 1
                continue
            finite += 1
            assert answer.runs.upper == answer.runs.lower == expected, (seed, adjacency)
            if answer.witness is not None:
                run = [(step.edge, step.delta) for step in written_out(answer.witness)]
                assert optimum(run) == expected, (seed, adjacency)
    assert finite > len(seeds) / 4
    assert infinite > len(seeds) / 4


def test_facts_decide_as_tables_do() -> None:
    private, seeds = 0, thinned(range(120), 2)
    for seed in seeds:
        model = leaning(random_program(seed, 3), seed + 1)
        verdict = decide(model)
        assert verdict.bounded is (worst_cost(model) is not None), seed
        private += verdict.bounded
    assert len(seeds) / 10 < private < len(seeds) * 9 / 10


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_every_answer_is_certified(adjacency: str) -> None:
    for seed in range(40):
        model = leaning(random_program(seed, 4), seed + 2)
        try:
            certified(privacy(model, adjacency, budget=Budget(values=100)))
        except NotSupported as error:
            if (error.code, adjacency) != ("endless-chain", "one-differ"):
                raise


class TestKnown:
    def test_exponential_noise_upwards(self) -> None:
        threshold: Sequence[Rate] = (INFINITE, F(1, 4))
        query: Sequence[Rate] = (INFINITE, F(1, 2))
        assert privacy(rated(svt(), q1=threshold, q2=query)).epsilon == F(5, 4)
        assert privacy(rated(svt(), q1=threshold)).epsilon == F(5, 4)

    def test_a_threshold_with_noise_downwards_only_is_one_that_nothing_is_below(self) -> None:
        """A shift of the public threshold by 1 is impossible, and the loop asks for it."""
        answer = privacy(rated(svt(), q1=(F(1, 4), INFINITE)))
        assert answer.private is False
        assert answer.reason == "privacy violating path"

    def test_queries_without_noise(self) -> None:
        answer = privacy(rated(svt(), q2=(INFINITE, INFINITE)))
        assert answer.reason == VANISHING_RUN
        assert "not-private" in certified(answer)

    def test_each_side_has_its_rate(self) -> None:
        """Below, the query follows its input, which differs by 1; above, by −1, it is moved up by 2."""
        assert privacy(rated(svt(), q1=(F(7), F(1, 4)), q2=(F(9), F(1, 2)))).epsilon == F(5, 4)
        assert privacy(rated(svt(), q1=(F(1, 4), F(3)), q2=(F(1), F(2)))).epsilon == F(3) + 2 * F(2)

    def test_one_finite_rate_on_both_sides_is_one_rate(self) -> None:
        assert rated(svt(), q1=(F(1, 4), F(1, 4))) == svt()

    def test_more_noise_on_a_side_never_costs_more(self) -> None:
        random = Random(7)
        for seed in range(30):
            model = leaning(random_program(seed, 3), seed + 3)
            name = random.choice([q for q, state in model.states.items() if state.rate is None] or [""])
            if not name:
                continue
            right = model.states[name].rates[1]
            less = worst_cost(rated(model, **{name: (F(1, 2), right)}))
            more = worst_cost(model)
            assert more is None or (less is not None and less <= more)

    def test_cycles_still_have_their_names(self) -> None:
        assert privacy(rated(leaking_pair(), q1=(F(1), F(2)))).reason == "leaking pair"

    def test_procedures_for_one_rate_refuse(self) -> None:
        model = rated(svt(), q1=(INFINITE, F(1)))
        with refuses("two-rates"):
            prover.encode(model, "relaxed-cost", theta=F(1))


def test_a_public_sample_that_cannot_be_anywhere_may_not_compare() -> None:
    """Which runs are possible may depend on means then."""
    first = state(step(TRUE, "q", assign=True), input=False)
    second = state(step(BELOW, "end", "a"), step(ABOVE, "end", "b"), input=False)
    plain = program({"p": first, "q": second})
    assert privacy(rated(plain, q=(INFINITE, F(1)))).epsilon == 0  # q can be as far up as p
    model = rated(plain, p=(F(1), INFINITE), q=(INFINITE, F(1)))
    with refuses("unplaced", match="depends on means"):
        privacy(model)
