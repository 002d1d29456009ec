"""Guards at public states: noise is compared with noise."""

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from prover import verify
from prover.program.conditions import require_plain
from prover.program.decision.boundedness import LEAKING_CYCLE, LEAKING_PAIR, decide
from prover.program.decision.certificates import boundedness_certificate
from prover.program.model import Program, State, reachable
from prover.program.optimum.budget import Budget
from prover.program.outputs import INSAMPLE
from prover.program.privacy import privacy
from tests.certificate.judges import judged
from tests.profiles import thinned
from tests.program import several_examples
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.program_oracle import growth
from tests.refusals import refuses

START = state(step(TRUE, "q1", assign=True))


def loops(first: State, second: State) -> Program:
    """An input is stored, q1 loops below or goes on, q2 loops above or ends."""
    return program({"q0": START, "q1": first, "q2": second})


def looping(guard: tuple[tuple[str, str], ...], here: str, ahead: str, *, input: bool) -> State:
    other = ABOVE if guard == BELOW else BELOW
    return state(step(guard, here, "loop"), step(other, ahead, "on"), input=input)


class TestExamples:
    @pytest.mark.parametrize(
        ("first", "second", "private"), [(True, True, False), (True, False, False), (False, False, True)]
    )
    def test_two_loops(self, first: bool, second: bool, private: bool) -> None:
        """The stored shift has to be 1 or 0, and −1 or 0; 0 and 0 is possible."""
        made = loops(looping(BELOW, "q1", "q2", input=first), looping(ABOVE, "q2", "end", input=second))
        answer = privacy(made)
        assert answer.private is private
        assert answer.reason == (None if private else LEAKING_PAIR)
        assert answer.certificate is not None
        assert verify(answer.certificate.data)
        assert judged(json.loads(answer.certificate.data))
        if private:
            assert judged(json.loads(boundedness_certificate(made, decide(made)).data))
            assert verify(boundedness_certificate(made, decide(made)).data).startswith("private")

    def test_the_loop_of_a_public_state_costs_what_the_shift_0_costs(self) -> None:
        """Shift 0 of the stored input costs 1, and what is compared with it nothing."""
        made = program({"q0": START, "q1": looping(BELOW, "q1", "end", input=False)})
        assert privacy(made).epsilon == 1
        assert privacy(made, "one-differ").epsilon == 1

    def test_no_inputs_no_loss(self) -> None:
        """Also of a cycle that stores and compares, about which facts say nothing."""
        cycle = state(step(BELOW, "q1", "o", assign=True), step(ABOVE, "end", "p"), input=False)
        made = program({"q0": replace(START, input=False), "q1": cycle})
        assert not decide(made).bounded
        assert not decide(made).family
        answer = privacy(made)
        assert answer.private
        assert answer.epsilon == Fraction(0)
        assert answer.certificate is not None
        assert verify(answer.certificate.data).startswith("epsilon")

    def test_a_test_of_an_input_against_stored_noise_leaks(self) -> None:
        store = state(step(TRUE, "q2", "s", assign=True), input=False)
        made = program({"q0": START, "q1": store, "q2": looping(BELOW, "q1", "end", input=True)})
        answer = privacy(made)
        assert (answer.private, answer.reason) == (False, LEAKING_CYCLE)
        assert answer.certificate is not None
        assert verify(answer.certificate.data).startswith("not-private")

    def test_what_is_not_formulated(self) -> None:
        made = program({"q0": START, "q1": looping(BELOW, "q1", "end", input=False)})
        with refuses("not-formulated", match="without reading an input"):
            require_plain(made, "formulas are")


def random_program(random: Random) -> Program:
    """A program of one variable that compares at a public state, too."""
    while True:
        places = [f"q{k}" for k in range(random.randint(2, 6))]
        states = {"q0": replace(START, input=random.random() < 0.5)}
        for k, place in enumerate(places[1:], start=1):
            cases = []
            for j in range(random.choice([1, 2, 2, 3])):
                guard = random.choice([BELOW, ABOVE, BELOW, ABOVE, TRUE])
                ahead = places[min(k + 1, len(places) - 1)]
                target = random.choice([place, ahead, random.choice([*places[1:], "end"])])
                output = INSAMPLE if random.random() < 0.12 else f"o{j}"
                cases.append(step(guard, target, output, assign=random.random() < 0.25))
            states[place] = state(*cases, input=random.random() < 0.5, rate=Fraction(random.randint(1, 3)))
        made = program(states)
        reached = reachable(made)
        if any(edge.bounds and not edge.input for edge in made.edges if edge.source in reached):
            return made


@pytest.mark.parametrize("adjacency", thinned(["all-differ", "one-differ", "increasing"], 2))
def test_random_programs(adjacency: str) -> None:
    """Facts agree with tables, tables with all runs of up to four steps, and all of it is certified."""
    seen = {"yes": 0, "no": 0, "open": 0}
    for seed in range(50):
        made = random_program(Random(seed))
        verdict = decide(made)
        answer = privacy(made, adjacency, budget=Budget(values=300))
        assert answer.certificate is not None
        assert verify(answer.certificate.data)
        assert judged(json.loads(answer.certificate.data))
        if verdict.bounded:
            assert answer.runs.upper is not None
            assert judged(json.loads(boundedness_certificate(made, verdict).data))
        elif verdict.family and adjacency == "all-differ":
            assert answer.runs.bounded is False
        seen["yes" if verdict.bounded else "no" if verdict.family else "open"] += 1
        if answer.runs.exact is not None:
            assert max(growth(made, adjacency, 4)) <= answer.runs.exact
    assert min(seen.values()) > 5


@pytest.mark.slow
def test_random_programs_of_several_variables() -> None:
    seen = {"yes": 0, "no": 0, "open": 0}
    for seed in range(60):
        random = Random(seed)
        made = several_examples.random_program(random)
        states: dict[str, State] = {
            name: replace(old, input=old.input and random.random() < 0.5) for name, old in made.states.items()
        }
        made = replace(made, states=states)
        found = decide(made)
        answer = privacy(made, budget=Budget(values=100))
        if found.bounded:
            certificate = boundedness_certificate(made, found)
            assert verify(certificate.data).startswith("private")
            assert judged(json.loads(certificate.data))
        if answer.certificate is not None:
            assert verify(answer.certificate.data)
            assert judged(json.loads(answer.certificate.data))
        if found.bounded or found.family:
            assert answer.runs.bounded is found.bounded
        seen["yes" if found.bounded else "no" if found.family else "open"] += 1
        if answer.runs.exact is not None:
            assert several_examples.brute_force(made, "all-differ", 3) <= float(answer.runs.exact) + 1e-6
    assert min(seen.values()) > 2
