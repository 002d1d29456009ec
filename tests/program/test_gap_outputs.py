"""Gaps that are output, and several outputs at once: what they cost, and certificates of that."""

import json
from fractions import Fraction
from random import Random

import pytest

from prover import verify
from prover.program.adjacency import ADJACENCIES, Adjacency
from prover.program.attack.attack import attack
from prover.program.conditions import conditions
from prover.program.decision.boundedness import decide
from prover.program.decision.certificates import boundedness_certificate
from prover.program.model import Program, Transition
from prover.program.optimum.budget import Budget
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, Gap, Outputs
from prover.program.privacy import privacy
from prover.program.remarks import remarks
from prover.program.smt.formulas import encode
from prover.program.strategies.costs import strategy_costs
from prover.zoo import svt, svt_gap
from tests.certificate.judges import judged
from tests.profiles import thinned
from tests.program.gap_examples import random_gap_program, without_gaps
from tests.program.several_examples import brute_force
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.refusals import refuses

GAP = Gap("x")


def ending(output: Outputs, guard: tuple[tuple[str, str], ...] = ABOVE, *, loops: bool = False) -> Program:
    """Sparse vector of rates 1 and 4 whose last step outputs something else, and may be repeated."""
    below, above = step(BELOW, "q1", "obot"), Transition(guard, (), output, "q1" if loops else "end")
    start = state(step(TRUE, "q1", assign=True), input=False)
    return program({"q0": start, "q1": state(below, above, rate=4, rate_prime=2)})


class TestCosts:
    @pytest.mark.parametrize("adjacency", ADJACENCIES)
    def test_the_gap_of_sparse_vector_is_free(self, adjacency: str) -> None:
        with_gap, without = privacy(svt_gap(), adjacency), privacy(svt(), adjacency)
        assert with_gap.epsilon == without.epsilon
        assert with_gap.certificate is not None
        assert verify(with_gap.certificate.data).startswith(f"epsilon adjacency={adjacency} loss=observer")

    @pytest.mark.parametrize(
        ("output", "loss"),
        [
            (GAP, 9),  # d0 + 2d
            (("otop", GAP), 9),
            (INSAMPLE_PRIME, 11),
            ((INSAMPLE_PRIME, GAP), 11),
            (INSAMPLE, None),
            ((GAP, INSAMPLE), None),  # the threshold is given away, too
        ],
    )
    def test_several_outputs_ask_for_all_of_it(self, output: Outputs, loss: int | None) -> None:
        answer = privacy(ending(output))
        assert (answer.epsilon, answer.private) == (loss, loss is not None)

    def test_both_samples_at_once_cost_both(self) -> None:
        start = state(step(TRUE, "q1", assign=True), input=False)
        both = Transition((), (), (INSAMPLE, INSAMPLE_PRIME), "end")
        assert privacy(program({"q0": start, "q1": state(both, rate=4, rate_prime=2)})).epsilon == 6

    def test_a_gap_without_a_test_costs_the_rates(self) -> None:
        assert privacy(ending(("o", GAP), TRUE)).epsilon == 9

    def test_a_gap_again_and_again_is_a_leaking_pair(self) -> None:
        answer = privacy(ending(GAP, loops=True))
        assert (answer.private, answer.reason) == (False, "leaking pair")
        assert answer.certificate is not None
        assert verify(answer.certificate.data).startswith("not-private")

    @pytest.mark.family
    @pytest.mark.parametrize("adjacency", thinned([*ADJACENCIES[:3], "monotonic"], 3))
    def test_a_gap_is_as_good_as_two_edges(self, adjacency: str) -> None:
        """The lemma on equalities (docs/theory_programs.md): verdict, loss, and what is proved of both."""
        bounded = 0
        for seed in range(40):
            made = random_gap_program(Random(seed), ("x",))
            answer = privacy(made, adjacency, budget=Budget(values=300))
            assert answer.runs == privacy(without_gaps(made), adjacency, budget=Budget(values=300)).runs
            assert decide(made).bounded is decide(without_gaps(made)).bounded
            assert answer.certificate is not None
            document = json.loads(answer.certificate.data)
            assert verify(answer.certificate.data)
            assert "word" in document["evidence"] or judged(document)
            bounded += bool(answer.runs.bounded)
        assert bounded > 5
        assert bounded < 40 or adjacency == Adjacency.ONE_DIFFER

    def test_the_table_of_facts_is_evidence(self) -> None:
        for made in (svt_gap(), ending((INSAMPLE_PRIME, GAP))):
            certificate = boundedness_certificate(made, decide(made))
            assert verify(certificate.data).startswith("private")
            assert judged(json.loads(certificate.data))


class TestSeveralVariables:
    NAMES = (("v", "w"), ("v", "w", "x"))

    @pytest.mark.parametrize("adjacency", thinned(["all-differ", "one-differ", "increasing"], 2))
    def test_random_programs_against_brute_force(self, adjacency: str) -> None:
        exact = reached = 0
        for seed in range(24):
            made = random_gap_program(Random(seed), self.NAMES[seed % 2])
            answer = privacy(made, adjacency, budget=Budget(values=300))
            assert answer.certificate is not None
            assert verify(answer.certificate.data)
            document = json.loads(answer.certificate.data)
            assert "word" in document["evidence"] or judged(document)
            if answer.runs.exact is not None:
                exact += 1
                most = brute_force(made, adjacency, 3)
                assert most <= float(answer.runs.exact) + 1e-6
                reached += most >= float(answer.runs.exact) - 1e-6
        assert exact > 4
        assert reached > exact // 2

    def test_a_gap_orders_shifts_and_not_samples(self) -> None:
        """q1 stores w with its gap from v: their shifts are equal, and a sample can be between them."""

        def made(output: Outputs) -> Program:
            low, high = Transition((("<", "v"),), (), "low", "q2"), Transition(((">=", "v"),), (), "on", "q3")
            loop = Transition(((">=", "w"),), (), "up", "q3")
            start = state(Transition((), ("v",), "o", "q1"))
            middle = state(Transition((), ("w",), output, "q2"))
            return Program("q0", {"q0": start, "q1": middle, "q2": state(low, high), "q3": state(loop)})

        assert privacy(made("o")).private is True
        answer = privacy(made(GAP_OF_V))
        assert answer.private is False
        assert answer.certificate is not None
        assert verify(answer.certificate.data).startswith("not-private")
        graph = decide(made(GAP_OF_V)).graph
        assert {("v", "w"), ("w", "v")} in [set(links) for links in graph.links]
        assert not any(graph.orders)


GAP_OF_V = Gap("v")


class TestModel:
    @pytest.mark.parametrize("output", [("a", "b"), ("a",), (), (GAP, GAP), ("a", INSAMPLE, INSAMPLE)])
    def test_useless_outputs(self, output: Outputs) -> None:
        with refuses("useless-outputs", match="at most one letter"):
            ending(output)

    def test_gaps_are_from_what_is_stored(self) -> None:
        with refuses("undefined-variable") as caught:
            ending(("a", Gap("y")))
        assert caught.value.part == "output"

    @pytest.mark.parametrize(
        ("first", "second", "distinct"),
        [
            ("a", ("b", GAP), True),
            ("a", ("a", GAP), True),
            (GAP, INSAMPLE_PRIME, False),
            (("a", GAP), ("a", INSAMPLE_PRIME), False),
            (("a", GAP), ("b", GAP), True),
            ((GAP, INSAMPLE_PRIME), GAP, True),
        ],
    )
    def test_letters_and_the_number_of_numbers_tell_transitions_apart(
        self, first: Outputs, second: Outputs, distinct: bool
    ) -> None:
        cases = [Transition(BELOW, (), first, "end"), Transition(ABOVE, (), second, "end")]
        start = state(step(TRUE, "q1", assign=True), input=False)
        made = program({"q0": start, "q1": state(*cases, rate_prime=1)})
        assert conditions(made).output_distinction is distinct
        answer = privacy(made)
        assert answer.certificate is not None
        assert verify(answer.certificate.data)
        assert (answer.lower == answer.upper) is distinct


class TestWhatIsNotFormulated:
    def test_the_reason_is_named(self) -> None:
        for ask in (
            lambda: encode(svt_gap(), "privacy-horn"),
            lambda: strategy_costs(svt_gap()),
            lambda: privacy(svt_gap(), engine="smt"),
        ):
            with refuses("not-formulated", match='state "q2", which outputs a gap'):
                ask()


def test_attacks_are_bounded_by_their_slope() -> None:
    found = attack(svt_gap(), epsilon=1)
    assert found is not None
    assert found.measured is None
    assert found.is_close
    assert found.outputs_numbers
    assert found.loss[1] <= Fraction(5, 4)


def test_monotonic_costs_less() -> None:
    assert privacy(ending(GAP), Adjacency.MONOTONIC).epsilon == 5  # d0 + d


def test_a_letter_that_is_called_gap_is_noted() -> None:
    assert remarks(svt_gap()) == ()
    assert '{"gap": "x"}' in remarks(ending("gap"))[0]
