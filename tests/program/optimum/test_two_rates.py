"""Several variables and noise with two rates, on one side only, or none: brute force, and known values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest

from prover.certificate.check import check
from prover.program.adjacency import ADJACENCIES, POLYTOPES
from prover.program.decision.blocks import total
from prover.program.decision.boundedness import (
    DISCLOSING_CYCLE,
    VANISHING_RUN,
    VIOLATING_PATH,
    decide,
)
from prover.program.decision.certificates import boundedness_certificate
from prover.program.decision.tokens import TokenTable, explore
from prover.program.model import Program
from prover.program.noise import INFINITE, Rate
from prover.program.optimum.budget import Budget, Steps
from prover.program.optimum.by_functions import measure
from prover.program.optimum.witness import written_out
from prover.program.privacy import privacy
from prover.zoo import k_min_max, m_range, num_range, two_range
from tests.certificate.variables_samples import EXACT
from tests.profiles import thinned
from tests.program.several_examples import brute_force, drawn, price
from tests.program_examples import rated
from tests.refusals import refuses

F = Fraction
UP: Sequence[Rate] = (INFINITE, F(1))
DOWN: Sequence[Rate] = (F(1), INFINITE)
FIXED: Sequence[Rate] = (INFINITE, INFINITE)
BOTH: Sequence[Rate] = (F(1), F(2))
FEW = [range(10), pytest.param(range(10, 150), marks=pytest.mark.slow)]


@pytest.mark.parametrize("seeds", FEW, ids=["few", "many"])
@pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
def test_random_programs_cost_what_brute_force_says(adjacency: str, seeds: range) -> None:
    seen: Counter[str] = Counter()
    for seed in seeds:
        model = drawn(seed)
        answer = privacy(model, adjacency, budget=Budget(values=200))
        proof = answer.certificate
        if proof is not None:
            check(proof.data)
        else:  # around a cycle that stores, tables end at the cap
            assert adjacency != "all-differ"
            assert answer.runs.bounded is None
            seen["open"] += 1
        seen[str(answer.runs.bounded)] += 1
        if answer.upper is None:
            continue
        assert brute_force(model, adjacency, 3) <= float(answer.upper) + 1e-6, seed
        if answer.witness is not None and 0 < answer.witness.length <= 60:
            steps = list(written_out(answer.witness))
            cost = price([step.edge for step in steps], [step.delta for step in steps])
            assert cost == pytest.approx(float(answer.runs.lower or 0)), seed
            seen["run"] += 1
    assert min(seen["True"], seen["False"], seen["run"]) >= len(seeds) / 12
    assert seen["open"] <= len(seeds) / 20


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 600), marks=pytest.mark.slow)])
def test_tokens_decide_as_tables_do(seeds: range) -> None:
    """Where the functions of all runs are complete, their optimum is finite iff no clashing tokens meet."""
    seen: Counter[bool] = Counter()
    for seed in seeds:
        model = drawn(1000 + seed)
        found = decide(model)
        if found.bounded:
            assert isinstance(explore(found.graph, found.cycles), TokenTable)
            assert check(boundedness_certificate(model, found).data).startswith("private")
        else:
            assert total(found.family).slope > 0
        cost = measure(
            found.graph, "all-differ", Budget(values=60, steps=Steps(1_000_000)), bounded=found.bounded
        )
        if not cost.spent:
            assert (cost.upper is not None) is found.bounded, seed
            seen[found.bounded] += 1
    assert min(seen.values()) > len(seeds) / 5


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_the_same_rate_on_both_sides_is_one_rate(adjacency: str) -> None:
    for model in (num_range(), m_range(1), k_min_max(2)):
        rates = {name: state.rates for name, state in model.states.items()}
        assert rated(model, **rates) == model
        wider = {name: (state.rates[0], F(7)) for name, state in model.states.items()}
        assert upper(rated(model, **wider), adjacency) >= upper(model, adjacency)


def upper(model: Program, adjacency: str) -> Fraction:
    found = privacy(model, adjacency).runs.upper
    assert found is not None
    return found


class TestKnown:
    def test_a_loop_below_one_value_and_a_sample_without_noise_below_the_other(self) -> None:
        """Both are shifted up, for 1 and for 2·1/2, and the step that leaves the loop by 2, above them."""
        answer = privacy(EXACT)
        assert answer.epsilon == 4
        assert privacy(EXACT, "one-differ").epsilon == F(3, 2)

    def test_a_range_with_exponential_noise_upwards(self) -> None:
        """The loop asks the upper end for 1, and the lower one for −1, which its noise does not allow."""
        assert privacy(num_range()).epsilon == F(5, 4)
        names = [name for name, state in num_range().states.items() if not state.input]
        upwards: dict[str, Sequence[Rate]] = {name: (INFINITE, F(1, 4)) for name in names}
        answer = privacy(rated(num_range(), **upwards))
        assert answer.private is False
        assert answer.reason == VIOLATING_PATH

    def test_inputs_without_noise(self) -> None:
        model = two_range()
        bare: dict[str, Sequence[Rate]] = {
            name: (INFINITE, INFINITE) for name, state in model.states.items() if state.input
        }
        for adjacency in ADJACENCIES:
            answer = privacy(rated(model, **bare), adjacency)
            assert answer.private is False
            assert answer.reason == VANISHING_RUN or any(block.repeat for block in answer.family)

    def test_a_number_without_noise_on_a_side(self) -> None:
        model = num_range("insample")
        last = next(edge.source for edge in model.edges if edge.pinned)
        for adjacency in ("all-differ", "one-differ"):
            bare: Sequence[Rate] = (F(1), INFINITE)
            answer = privacy(rated(model, **{last: bare}), adjacency)
            assert answer.private is False
            assert answer.reason in (VANISHING_RUN, None)


@pytest.mark.parametrize("seed", [54, 82])
def test_a_number_that_is_output_costs_in_both_directions(seed: int) -> None:
    """The family for all-differ has inputs increase there; tables around a cycle that stores tell nothing."""
    answer = privacy(drawn(seed), "decreasing", budget=Budget(values=200))
    assert answer.reason == DISCLOSING_CYCLE
    assert {step.delta for block in answer.family for step in block.steps} == {0, -1}
    assert answer.certificate is not None
    assert check(answer.certificate.data).startswith("not-private adjacency=decreasing")


class TestPlaced:
    """Which runs are possible must not depend on means."""

    def two(self, first: Sequence[Rate], second: Sequence[Rate]) -> Program:
        names = [name for name, state in num_range().states.items() if not state.input]
        return rated(num_range(), **dict(zip(names, (first, second), strict=True)))

    def test_two_fixed_samples(self) -> None:
        for first, second in ((FIXED, FIXED), (UP, DOWN), (UP, FIXED)):
            with refuses("unplaced", match="depends on means"):
                privacy(self.two(first, second))

    def test_the_same_side_or_one_of_them_is_enough(self) -> None:
        for first, second in ((UP, UP), (DOWN, DOWN), (FIXED, BOTH)):
            proof = privacy(self.two(first, second)).certificate
            assert proof is not None
            check(proof.data)
