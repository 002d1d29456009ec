"""Guards = with discrete noise: what they cost, where they are refused, and certificates."""

import json
from dataclasses import replace
from fractions import Fraction
from math import exp
from random import Random

import pytest

from prover import verify
from prover.certificate.check import BadModel, Malformed
from prover.errors import BadInput
from prover.formats.dipa import read_dipa
from prover.formats.dipa_writer import write_dipa
from prover.program.attack.attack import attack
from prover.program.conditions import conditions
from prover.program.decision.boundedness import decide
from prover.program.decision.certificates import boundedness_certificate
from prover.program.errors import TieOffGrid
from prover.program.gaps import completed
from prover.program.model import Program, Test, Transition, reachable, variables
from prover.program.noise import Noise
from prover.program.optimum.budget import Budget
from prover.program.privacy import privacy
from tests.certificate.samples import encode as encoded
from tests.certificate.verdicts import refused
from tests.profiles import thinned
from tests.program.gap_examples import state as random_state
from tests.program_examples import BELOW, state, step
from tests.refusals import refuses

DISCRETE = Noise("discrete-laplace")
TIE: tuple[Test, ...] = (("=", "x"),)
OVER: tuple[Test, ...] = ((">", "x"),)
START = state(step((), "q1", assign=True), input=False)


def with_ties(mean: int = 0, grid: int = 1, noise: Noise | None = None) -> Program:
    """Sparse vector of rates 1 and 4 that ends with a tie, too, and says so."""
    test = state(step(BELOW, "q1", "obot"), step(TIE, "end", "otie"), step(OVER, "end", "otop"), rate=4)
    given = noise or Noise("discrete-laplace", Fraction(grid), Fraction(grid))
    return Program("q0", {"q0": START, "q1": replace(test, mean=Fraction(mean))}, noise=given)


def random_program(random: Random) -> Program:
    while True:
        places = [f"q{k}" for k in range(random.randint(2, 5))]
        states = {"q0": START}
        for k, place in enumerate(places[1:], start=1):
            cases = []
            for j in range(random.choice([1, 2, 2, 3])):
                relation = random.choice(["<", ">=", "=", "=", "<=", ">", ""])
                ahead = places[min(k + 1, len(places) - 1)]
                target = "end" if relation == "=" and random.random() < 0.7 else random.choice([place, ahead])
                stored = ("x",) if random.random() < 0.3 else ()
                cases.append(Transition(((relation, "x"),) if relation else (), stored, f"o{j}", target))
            states[place] = random_state(random, *cases)
        try:
            made = Program("q0", states, noise=DISCRETE)
        except BadInput:
            continue
        if any(edge.relation == "=" and edge.source in reachable(made) for edge in made.edges):
            return made


def with_two_edges(program: Program) -> Program:
    def cases(old: Transition) -> list[Transition]:
        relations = ("<", ">=") if old.guard and old.guard[0][0] == "=" else ()
        return [replace(old, guard=((relation, "x"),)) for relation in relations] or [old]

    states = {
        name: replace(old, transitions=tuple(dict.fromkeys(c for t in old.transitions for c in cases(t))))
        for name, old in program.states.items()
    }
    return replace(program, states=states)


def test_a_tie_costs_what_the_other_answers_cost() -> None:
    made = with_ties()
    answer = privacy(made)
    assert answer.epsilon == 9  # d0 + 2d
    assert conditions(made).determinism
    assert conditions(made).coverage
    assert answer.certificate is not None
    assert verify(answer.certificate.data).startswith("epsilon")
    assert verify(boundedness_certificate(made, decide(made)).data).startswith("private")
    assert read_dipa(write_dipa(made)) == replace(made, final=frozenset())


@pytest.mark.parametrize("adjacency", thinned(["all-differ", "one-differ", "increasing"], 2))
def test_a_tie_is_as_good_as_two_edges(adjacency: str) -> None:
    bounded = 0
    for seed in range(30):
        made = random_program(Random(seed))
        answer = privacy(made, adjacency, budget=Budget(values=300))
        assert answer.runs == privacy(with_two_edges(made), adjacency, budget=Budget(values=300)).runs
        assert answer.certificate is not None
        assert verify(answer.certificate.data)
        bounded += bool(answer.runs.bounded)
    assert bounded > 5


def test_losses_on_the_grid_stay_below_and_come_near() -> None:
    """Sums over thresholds and samples in floating point, ε = 1: n answers below, then a tie."""
    rates, count = (0.5, 1.0), 60
    scale = [(1 - exp(-rate)) / (1 + exp(-rate)) for rate in rates]

    def mass(rate: int, z: int) -> float:
        return scale[rate] * exp(-rates[rate] * abs(z))

    def chance(below: int, tie: int) -> float:
        total = 0.0
        for x in range(-count, count):
            under = sum(mass(1, z) for z in range(-4 * count, x - below))
            total += mass(0, x) * pow(under, 12) * mass(1, x - tie)
        return total

    test = state(step(BELOW, "q1", "obot"), step(TIE, "end", "otie"), rate=1)
    made = Program("q0", {"q0": replace(START, rate=Fraction(1, 2)), "q1": test}, noise=DISCRETE)
    assert privacy(made).epsilon == Fraction(5, 2)
    losses = [chance(t, -t) / chance(t + 1, -t - 1) for t in (1, 8)]
    most = exp(2.5)
    assert losses[0] < losses[1] < most
    assert losses[1] > exp(2.3)


def test_what_nobody_covers_may_be_a_tie_alone() -> None:
    test = state(step(BELOW, "q1", "obot"), step(OVER, "end", "otop"))
    made = Program("q0", {"q0": START, "q1": test}, noise=DISCRETE)
    assert not conditions(made).coverage
    assert [t.guard for t in completed(made).states["q1"].transitions][2:] == [TIE]
    apart = replace(made, states={"q0": START, "q1": replace(test, mean=Fraction(1, 2))})
    assert completed(apart) is apart


class TestRefusals:
    def test_continuous_noise_never_meets_a_number(self) -> None:
        with refuses("tie-without-atoms", match="holds with probability 0"):
            with_ties(noise=Noise())

    def test_means_between_the_points_of_the_grid(self) -> None:
        assert privacy(with_ties(mean=4, grid=2)).epsilon == 18
        with pytest.raises(TieOffGrid, match="do not differ by a multiple of the grid"):
            with_ties(mean=3, grid=2)

    def test_inputs_that_are_not_rounded(self) -> None:
        with refuses("unrounded-input", match="by ="):
            with_ties(noise=Noise("discrete-laplace", unrounded=True))

    def test_two_tests_of_one_variable(self) -> None:
        with refuses("two-tests"):
            Program("q0", {"q0": START, "q1": state(step((*TIE, ("<=", "x")), "end"))}, noise=DISCRETE)

    def test_several_variables(self) -> None:
        start = replace(START, transitions=(Transition((), ("x", "y"), "o", "q1"),))
        made = Program("q0", {"q0": start, "q1": state(step((*TIE, ("<", "y")), "end"))}, noise=DISCRETE)
        assert variables(made) == ("x", "y")
        with pytest.raises(BadInput, match="several variables"):
            privacy(made)

    def test_formulas(self) -> None:
        with refuses("not-formulated", match="compares by ="):
            privacy(with_ties(), engine="smt")


class TestChecker:
    def test_ties_need_a_grid_and_means_on_it(self) -> None:
        answer = privacy(with_ties(mean=1)).certificate
        assert answer is not None
        document = json.loads(answer.data)
        for change, failure in ((("mean", "1/2"), BadModel), (None, Malformed)):
            changed = json.loads(answer.data)
            if change is None:
                del changed["model"]["noise"]
            else:
                changed["model"]["states"]["q1"][change[0]] = change[1]
            refused(changed, failure)
        assert encoded(document) == answer.data


def test_attacks_measure_ties() -> None:
    found = attack(with_ties())
    assert found is not None
    assert found.measured is not None
    assert found.is_close
