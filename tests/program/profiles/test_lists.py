"""δ over all neighbouring lists of some values: the same as pair by pair, known values, what is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

import prover
from prover.certificate.check import check
from prover.errors import BadInput, BadValue
from prover.program.adjacency import ADJACENCIES, Adjacency
from prover.program.model import Program, State, Transition
from prover.program.noise import Noise
from prover.program.profiles import lists
from prover.program.profiles.pair import delta_of_pair
from prover.program.profiles.pair_answer import PairDelta
from tests.certificate.pair_samples import drawn
from tests.profiles import everything
from tests.program.profiles.test_pair import gaussian, sparse

WIDTH = Fraction(1, 10**12)
ZERO, ONE = Fraction(0), Fraction(1)
SIGNS = [-ONE, ZERO, ONE]


def asked(
    program: Program, steps: int, adjacency: str = "all-differ", alpha: str = "1", values: object = SIGNS
) -> PairDelta:
    return prover.delta(program, at_epsilon=1, alpha=alpha, values=values, steps=steps, adjacency=adjacency)  # type: ignore[call-overload, no-any-return]


def pair_by_pair(
    program: Program, adjacency: Adjacency, alpha: Fraction, values: list[Fraction], steps: int
) -> tuple[Fraction, Fraction]:
    """Both ends of the largest δ of every two lists that are not said to be no neighbours."""
    found = ZERO, ZERO
    for x, y in product(product(values, repeat=steps), repeat=2):
        try:
            one = delta_of_pair(program, adjacency, ONE, (alpha, alpha), x, y)
        except BadValue as why:
            if why.code != "not-neighbours":
                raise
            continue
        found = max(found[0], one.lower), max(found[1], one.upper)
    return found


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("after", ["end", "test"])
def test_the_same_as_pair_by_pair(adjacency: str, after: str) -> None:
    program = sparse(after)
    answer = asked(program, 2, adjacency, "11/10")
    lower, upper = pair_by_pair(program, Adjacency(adjacency), Fraction(11, 10), SIGNS, 2)
    assert answer.lower <= upper
    assert lower <= answer.upper
    assert answer.upper - answer.lower < WIDTH


@pytest.mark.parametrize("seed", range(60) if everything() else range(10))
def test_random_programs(seed: int) -> None:
    """With sensitivities of states, steps without inputs, and one-sided noise."""
    program, adjacency, _, _ = drawn(seed)
    values, alpha = [ZERO, Fraction(1, 2), ONE], Fraction(4 + seed % 3, 4)
    steps = 1 + seed % 2
    try:
        answer = asked(program, steps, adjacency, str(alpha), values)
    except BadInput as why:
        if why.code not in ("bad-steps", "bad-values", "endless-runs"):
            raise
        return
    lower, upper = pair_by_pair(program, adjacency, alpha, values, steps)
    assert answer.lower <= upper
    assert lower <= answer.upper
    assert answer.upper - answer.lower < WIDTH
    check(answer.certificate.data)


KNOWN = ["0.0818879212378", "0.0917468640216", "0.1109133949774", "0.1143550622289"]


@pytest.mark.parametrize("steps", range(1, 5))
def test_values_of_the_theory(steps: int) -> None:
    answer = asked(sparse(), steps)
    assert abs(answer.lower - Fraction(KNOWN[steps - 1])) < 2 * WIDTH
    assert check(answer.certificate.data).startswith(
        f"lists alpha=1 adjacency=all-differ at-epsilon=1 steps={steps}"
    )


def test_the_inputs_prove_the_lower_end() -> None:
    answer = asked(sparse("test"), 3, alpha="6/5")
    own = prover.delta(
        answer.program, at_epsilon=1, alpha="6/5", inputs=answer.inputs, neighbour=answer.neighbour
    )
    assert own.upper >= answer.lower
    assert answer.attack is not None
    more, less = answer.attack.probabilities
    assert abs(more - Fraction(6, 5) * less - answer.lower) < WIDTH


def test_gaussian_noise() -> None:
    answer = asked(gaussian(), 2)
    lower, upper = pair_by_pair(gaussian(), Adjacency.ALL_DIFFER, ONE, SIGNS, 2)
    assert answer.lower <= upper
    assert lower <= answer.upper
    assert check(answer.certificate.data)


def test_two_certificates_for_an_epsilon() -> None:
    answer = prover.delta(sparse(), at_epsilon=1, epsilon="1/10", values=["0", "1"], steps=3)
    assert 0 < answer.width < WIDTH
    assert "<=exp(1/10)" in check(answer.certificate.data)
    assert answer.lower_certificate is not None
    assert ">=exp(1/10)" in check(answer.lower_certificate.data)


def test_nothing_is_gained() -> None:
    answer = asked(sparse(), 2, alpha="10")
    assert answer.lower == 0
    assert answer.attack is None
    assert "No event gains more than 10^-12." in str(answer)
    assert check(answer.certificate.data)


def test_order_and_repetition_of_values_do_not_matter() -> None:
    one, two = asked(sparse(), 2), asked(sparse(), 2, values=["1", 0, "-1", "0"])
    assert one.certificate.data == two.certificate.data


def fixed() -> Program:
    """Two queries, then the end."""
    states = dict(sparse().states)
    test = states["test"]
    cases = tuple(replace(case, target="last") for case in test.transitions)
    ends = tuple(replace(case, target="end") for case in test.transitions)
    states["test"] = replace(test, transitions=cases)
    states["last"] = replace(test, transitions=ends, sensitivity=Fraction(1, 2))
    return Program("draw", states)


def test_sensitivities_of_states() -> None:
    """The second numbers of neighbours differ by at most 1/2."""
    answer = asked(fixed(), 2, values=[ZERO, Fraction(1, 2), ONE])
    assert abs(answer.inputs[1] - answer.neighbour[1]) <= Fraction(1, 2)
    lower, upper = pair_by_pair(fixed(), Adjacency.ALL_DIFFER, ONE, [ZERO, Fraction(1, 2), ONE], 2)
    assert answer.lower <= upper
    assert lower <= answer.upper


@pytest.mark.parametrize(
    ("program", "steps", "values", "words"),
    [
        (fixed(), 3, SIGNS, "no run reads more than 2 inputs"),
        (sparse(), 2, [0, 2, 4], "no two of these values are so near"),
        (sparse(), 2, [], "no two of these values are so near"),
        (sparse(), 9, SIGNS, "19,683 lists, and at most 10,000"),
        (sparse("test"), 7, SIGNS, "comparisons of runs, and at most 20,000,000"),
        (sparse(), 1, ["a"], "malformed number"),
    ],
)
def test_what_is_refused(program: Program, steps: int, values: object, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        asked(program, steps, values=values)


def test_pairs_are_counted_first() -> None:
    """Before any run is followed; the count is that of the pairs that are compared."""
    for adjacency in Adjacency:
        found = lists.lists_of(sparse(), adjacency, SIGNS, 3)
        own = [list(found.neighbours(number)) for number in range(found.count)]
        assert sum(map(len, own)) == found.pairs
    with pytest.raises(BadInput, match=r"\d{8} pairs of lists|pairs of lists"):
        asked(sparse(), 1, values=[Fraction(k, 10_000) for k in range(9_000)])


@pytest.mark.parametrize(
    "more", [{"steps": None}, {"q": "1/2"}, {"inputs": [0], "neighbour": [1], "steps": 1}]
)
def test_options_that_do_not_go_together(more: dict[str, object]) -> None:
    given = {"at_epsilon": 1, "alpha": 1, "values": [0, 1], "steps": 1, **more}
    with pytest.raises(BadInput, match=r"go with steps|go together|not both"):
        prover.delta(sparse(), **given)  # type: ignore[call-overload]


def test_a_cycle_that_reads_nothing() -> None:
    """Runs need not end, whatever is read."""
    again = Transition((("<", "x"),), (), "no", "test")
    over = Transition(((">=", "x"),), (), "yes", "last")
    states = {
        "draw": sparse().states["draw"],
        "test": State(False, ONE, ZERO, None, None, (again, over)),
        "last": sparse().states["test"],
    }
    with pytest.raises(BadInput, match="a cycle of the program reads no input"):
        asked(Program("draw", states), 1)


def on_grid() -> Program:
    return replace(sparse("test"), noise=Noise("discrete-laplace", ONE, ONE))


@pytest.mark.parametrize("noise", [{"at_epsilon": 1}, {"q": "1/2"}])
def test_noise_on_a_grid(noise: dict[str, object]) -> None:
    answer = prover.delta(on_grid(), alpha="6/5", values=SIGNS, steps=2, **noise)  # type: ignore[call-overload]
    assert 0 < answer.width < WIDTH
    own = prover.delta(  # type: ignore[call-overload]
        on_grid(), alpha="6/5", inputs=answer.inputs, neighbour=answer.neighbour, **noise
    )
    assert abs(own.upper - answer.upper) < WIDTH
    assert check(answer.certificate.data)
    with pytest.raises(BadInput, match="inputs are multiples of 1"):
        prover.delta(on_grid(), alpha=1, values=["0", "1/2"], steps=1, **noise)  # type: ignore[call-overload]
    with pytest.raises(BadInput, match="inputs are multiples of 1"):
        prover.delta(on_grid(), alpha=1, inputs=["1/2"], neighbour=["0"], **noise)  # type: ignore[call-overload]


def test_two_variables() -> None:
    """Two thresholds; the first query is compared with one, and the second with the other."""

    def drawn(name: str, after: str) -> State:
        return State(False, ONE, ZERO, None, None, (Transition((), (name,), "start", after),))

    def tested(name: str, after: str) -> State:
        cases = (Transition(((way, name),), (), f"{way}{name}", after) for way in ("<", ">="))
        return State(True, ONE, ZERO, None, None, tuple(cases))

    states = {"a": drawn("x", "b"), "b": drawn("y", "c"), "c": tested("x", "d"), "d": tested("y", "end")}
    answer = asked(Program("a", states), 2)
    lower, upper = pair_by_pair(answer.program, Adjacency.ALL_DIFFER, ONE, SIGNS, 2)
    assert answer.lower <= upper
    assert lower <= answer.upper
    assert check(answer.certificate.data)
