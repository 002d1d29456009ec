"""Second opinions on answers: other libraries agree, and where an answer is tampered with they do not."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prover
from prover import zoo
from prover.certificate.schema import Certificate
from prover.chain.answer import Distance
from prover.chain.model import LabelledMarkovChain
from prover.comparison import crosscheck
from prover.errors import Fault, NotSupported
from prover.program.adjacency import ADJACENCIES
from prover.program.answer import LossOfRuns
from prover.program.model import Program, variables
from prover.program.shifts import is_one_sided
from tests.profiles import examples, thinned
from tests.program.automata import leaning, random_program
from tests.strategies import chains

ALPHAS = [Fraction(1), Fraction(11, 10), Fraction(3, 2)]


def fault(answer: Distance | prover.Privacy) -> str:
    with pytest.raises(Fault) as caught:
        crosscheck(answer)
    return str(caught.value)


def pin_checker() -> LabelledMarkovChain:
    model = zoo.build("pin-checker")
    assert isinstance(model, LabelledMarkovChain)
    return model


class TestDistances:
    @pytest.mark.parametrize("kind", ["ld", "lgd", "bd"])
    @pytest.mark.parametrize("name", ["fig1", "pin-checker", "randomised-response", "dining-cryptographers"])
    def test_sympy_agrees_on_the_zoo(self, name: str, kind: str) -> None:
        chain = zoo.build(name)
        assert isinstance(chain, LabelledMarkovChain)
        for alpha in ALPHAS:
            answer = prover.distance(chain, alpha=alpha, kind=kind)
            (check,) = crosscheck(answer)
            assert (check.library, check.value) == ("SymPy", answer.value)
            assert str(check).startswith(f"SymPy agrees: {kind} from the optimal couplings of ")

    @examples(60)
    @given(chains(), st.sampled_from(ALPHAS), st.sampled_from(["ld", "bd"]))
    def test_sympy_agrees_on_random_chains(
        self, chain: LabelledMarkovChain, alpha: Fraction, kind: str
    ) -> None:
        for s in chain.states[:3]:
            answer = prover.distance(chain, s, chain.states[-1], alpha, kind=kind)
            assert crosscheck(answer)[0].value == answer.value

    @pytest.mark.slow
    @examples(1_000)
    @given(chains(max_states=12, max_weight=20), st.sampled_from(ALPHAS), st.sampled_from(["ld", "bd"]))
    def test_sympy_agrees_on_many_random_chains(
        self, chain: LabelledMarkovChain, alpha: Fraction, kind: str
    ) -> None:
        answer = prover.distance(chain, chain.states[0], chain.states[-1], alpha, kind=kind)
        assert crosscheck(answer)[0].value == answer.value

    def test_a_wrong_value_is_a_fault_that_can_be_reproduced(self) -> None:
        answer = prover.distance(pin_checker(), "0", "1", alpha="11/10")
        wrong = replace(answer, lower=Fraction(411, 7791), upper=Fraction(411, 7791))
        message = fault(wrong)
        assert "it finds 412/7791, and the answer says 137/2597" in message
        assert '"from": "0"' in message
        assert '"next": {"2": "47/100", "end": "53/100"}' in message

    def test_wrong_couplings_are_a_fault(self) -> None:
        answer = prover.distance(pin_checker(), "0", "1", alpha="11/10")
        document = json.loads(answer.certificate.data)
        document["evidence"]["exact"]["rows"][0]["coupling"] = []
        wrong = replace(answer, make_certificate=lambda: Certificate(json.dumps(document).encode()))
        assert "the answer says 412/7791" in fault(wrong)

    def test_intervals_and_relations_between_states_are_not_compared(self) -> None:
        chain = pin_checker()
        upper = prover.distance(chain, "0", "1", alpha="11/10", bounds="upper")
        with pytest.raises(NotSupported, match="not exact"):
            crosscheck(upper)
        with pytest.raises(NotSupported, match="the certificate of a kernel"):
            crosscheck(prover.distance(chain, "0", "1", alpha="11/10", kind="kernel"))

    def test_large_systems_are_not_solved(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = prover.distance(pin_checker(), "0", "1", alpha="11/10")
        monkeypatch.setattr("prover.comparison.MOST_UNKNOWNS", 1)
        with pytest.raises(NotSupported, match="2 equations are more than 1"):
            crosscheck(answer)


def programs() -> list[Program]:
    return [model for name in zoo.NAMES if isinstance(model := zoo.build(name), Program)]


class TestPrivacy:
    def test_networkx_agrees_on_the_zoo(self) -> None:
        for model in programs():
            if len(model.states) > 100:
                continue
            if len(variables(model)) > 1:
                with pytest.raises(NotSupported, match="variables"):
                    crosscheck(prover.privacy(model))
                continue
            answer = prover.privacy(model)
            if any(map(is_one_sided, model.edges)) and not answer.private:
                with pytest.raises(NotSupported, match="on one side only"):
                    crosscheck(answer)
                continue
            first, *others = crosscheck(answer)
            assert (first.library, first.value) == ("networkx", answer.private)
            assert [check.value for check in others] == ([answer.runs.exact] if answer.private else [])

    @pytest.mark.parametrize("adjacency", ADJACENCIES[1:])
    def test_other_adjacencies_are_compared_where_that_tells_something(self, adjacency: str) -> None:
        compared = 0
        for seed in range(40):
            answer = prover.privacy(random_program(seed), adjacency)
            try:
                checks = crosscheck(answer)
            except NotSupported:
                assert not answer.runs.bounded
                continue
            compared += 1
            assert {check.value for check in checks} <= {True, answer.runs.exact}
        assert compared > 10

    def test_networkx_agrees_on_random_programs(self) -> None:
        seen = {True: 0, False: 0}
        for seed in thinned(range(150)):
            answer = prover.privacy(random_program(seed))
            checks = crosscheck(answer)
            assert checks[0].value is answer.runs.bounded
            assert [check.value for check in checks[1:]] == (
                [answer.runs.exact] if answer.runs.bounded else []
            )
            seen[checks[0].value is True] += 1
        assert min(seen.values()) > 10

    def test_networkx_agrees_with_two_rates(self) -> None:
        """Whether a program with infinite rates is private, implication graphs do not tell."""
        for seed in range(40):
            model = leaning(random_program(seed, 3), seed, infinite=seed % 2 * 0.3)
            answer = prover.privacy(model)
            if any(map(is_one_sided, model.edges)) and not answer.private:
                continue
            values = {check.value for check in crosscheck(answer)}
            assert values <= {answer.private, answer.runs.exact}

    @pytest.mark.slow
    def test_networkx_agrees_on_many_random_programs(self) -> None:
        for seed in range(1_000, 4_000):
            answer = prover.privacy(random_program(seed, largest=7))
            assert crosscheck(answer)[0].value is answer.runs.bounded, seed

    def test_a_wrong_verdict_is_a_fault(self) -> None:
        answer = prover.privacy(zoo.build_program("svt"))
        message = fault(replace(answer, runs=LossOfRuns(False, None, None)))
        assert "networkx disagrees on whether it is private" in message
        assert '"type": "threshold-program"' in message
        leaky = prover.privacy(zoo.build_program("leaking-pair"))
        assert "it finds False, and the answer says True" in fault(
            replace(leaky, runs=LossOfRuns(True, Fraction(0), None))
        )

    def test_a_wrong_loss_is_a_fault(self) -> None:
        answer = prover.privacy(zoo.build_program("svt"))
        more = Fraction(3, 2)
        assert "it finds 5/4, and the answer says 3/2" in fault(
            replace(answer, runs=LossOfRuns(True, more, more))
        )

    def test_what_is_not_decided_is_not_compared(self) -> None:
        answer = prover.privacy(zoo.build_program("svt"))
        with pytest.raises(NotSupported, match="not known"):
            crosscheck(replace(answer, runs=LossOfRuns(None, Fraction(0), None)))

    def test_too_many_branches_are_not_looked_at(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = prover.privacy(zoo.build_program("chain-of-tests"))
        monkeypatch.setattr("prover.comparison.MOST_PLACES", 3)
        with pytest.raises(NotSupported, match="together more than 3 steps"):
            crosscheck(answer)


def test_other_answers_are_not_compared() -> None:
    table = prover.distances(pin_checker(), alpha="11/10")
    with pytest.raises(NotSupported, match="DistanceTable"):
        crosscheck(table)  # type: ignore[arg-type]
