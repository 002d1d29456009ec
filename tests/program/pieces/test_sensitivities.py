"""The loss as a function of a sensitivity: known values, other values of it, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from prover.certificate.check import check
from prover.errors import BadInput
from prover.program.adjacency import ADJACENCIES
from prover.program.model import Program
from prover.program.opened import OpenProgram
from prover.program.optimum.measure import measure
from prover.program.pieces.answer import loss_function
from prover.program.pieces.certificates import pieces_certificate
from prover.program.pieces.convex import convex_pieces
from prover.program.pieces.privacy import open_privacy
from prover.zoo import k_min_max, svt, svt_discrete
from tests.certificate.opened_judge import accepts_open
from tests.certificate.opened_samples import OPEN_TURNS, SEGMENT, TURNS, opened, sensitive
from tests.profiles import thinned
from tests.program.automata import leaning, random_program
from tests.program.pieces.open_examples import INTERVALS, random_open
from tests.program.pieces.test_pieces import distinct, proved, texts
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.refusals import refuses

Q = Fraction


class TestKnownValues:
    def test_two_kinds_of_queries_in_turn(self) -> None:
        """max(2, (1 + 3·s)/2) for queries of sensitivities 1 and s, as in docs/open_rates.md."""
        found = proved(OPEN_TURNS)
        assert texts(found) == [("0", "3/4", "2"), ("3/4", "3", "7/8 + (3/2)*t")]
        assert (found("1/2"), found(3), found.least) == (Q(2), Q(43, 8), (Q(0), Q(2)))

    def test_one_sensitivity_of_all(self) -> None:
        """It multiplies the loss, with several variables, too."""
        for model in (SEGMENT, k_min_max(2)):
            loss = measure(model).upper
            assert loss is not None
            found = proved(sensitive(model, 1, 4, ("1", "4")))
            assert len(found.pieces) == 1
            assert found("7/3") == loss * Q(7, 3)

    def test_opposite_directions(self) -> None:
        """Of two shown numbers one has the sensitivity t, the other 1 − t: the loss is the larger of both, so
        values at two ends are no lower bound between."""
        states = {
            "q0": state(step(TRUE, "q1", "o", assign=True), input=False),
            "q1": state(step(BELOW, "q2", "left"), step(ABOVE, "q3", "right"), input=False),
            "q2": state(step(TRUE, "end", "insample")),
            "q3": state(step(TRUE, "end", "insample")),
        }
        found = proved(sensitive(program(states), 0, 1, q2=("1/10", "9/10"), q3=("9/10", "1/10")))
        assert texts(found) == [("0", "1/2", "9/10 - (4/5)*t"), ("1/2", "1", "1/10 + (4/5)*t")]
        assert found.least == (Q(1, 2), Q(1, 2))

    def test_a_program_whose_own_sensitivity_no_state_has(self) -> None:
        own = dict.fromkeys(("q1", "q2"), ("2", "2"))
        assert texts(proved(sensitive(TURNS, 1, 4, ("1", "4"), **own))) == [("1", "4", "4")]


class TestOpenRates:
    """Rates are open, and states have sensitivities that are not."""

    def test_two_kinds_of_queries_in_turn(self) -> None:
        """2 for the threshold, which has to be moved by 2, and max(3/2, 4·t)."""
        states = {**TURNS.states, "q2": replace(TURNS.states["q2"], sensitivity=Q(2))}
        found = proved(opened(replace(TURNS, states=states), 0, 1, q2=("1/8", "9/8")))
        assert texts(found) == [("0", "1/4", "7/2"), ("1/4", "1", "5/2 + 4*t")]

    def test_on_a_grid(self) -> None:
        model = svt_discrete()
        states = {**model.states, "q2": replace(model.states["q2"], sensitivity=Q(2))}
        model = replace(model, states=states)
        found = opened(model, 0, 1, q1=("1/3", "2"), q2=("3", "1/2"))
        loss = proved(found)
        for t in (Q(0), Q(1, 3), Q(5, 7), Q(1)):
            assert loss(t) == measure(found.at(t)).upper

    def test_several_variables(self) -> None:
        model = k_min_max(2)
        states = {**model.states, "q2": replace(model.states["q2"], sensitivity=Q(2))}
        with refuses("not-formulated", match="a sensitivity of its own"):
            open_privacy(opened(replace(model, states=states), 0, 1, q1=("1", "2")))


def random_sensitive(model: Program, random: Random) -> OpenProgram:
    """The program with other sensitivities, of states and often of the program."""
    low, high = random.choice(INTERVALS)

    def number() -> tuple[str, str]:
        first, last = (str(Q(random.randint(1, 6), random.choice((1, 2, 3)))) for _ in range(2))
        return (first, first) if random.random() < 0.3 else (first, last)

    own = {name: number() for name, one in model.states.items() if one.input and random.random() < 0.7}
    found = sensitive(model, 0, 1, number(), **own)
    return replace(found, low=Q(low), high=Q(high))


def check_random(model: Program, seed: int, points: int) -> None:
    """At some values of t the loss is that of the program with these sensitivities, and both are proved.

    Of every third program the rates are open, and the sensitivities of states are not.
    """
    random = Random(f"sensitive {seed}")
    adjacency = random.choice(sorted(ADJACENCIES))
    opening = random_sensitive(model, random)
    convex = seed % 3 > 0
    if not convex:
        opening = random_open(opening.first, random)
    try:
        answer = open_privacy(opening, adjacency)
    except BadInput as error:
        if error.code not in ("not-formulated", "unplaced", "endless-chain"):
            raise
        return
    certificate = answer.certificate
    assert certificate is not None
    check(certificate.data)
    size = opening.high - opening.low
    for _ in range(points):
        t = opening.low + size * Q(random.randint(0, 840), 840)
        cost = measure(opening.at(t), adjacency)
        assert cost.is_infinite is (answer.private is False)
        assert answer.epsilon is None or answer.epsilon(t) == cost.lower == cost.upper
    if answer.epsilon is not None:
        slopes = [piece.lower.slope for piece in answer.epsilon.pieces]
        assert not convex or slopes == sorted(slopes)
        assert accepts_open(json.loads(certificate.data))


@pytest.mark.parametrize("block", thinned(range(12)))
def test_random_programs(block: int) -> None:
    for seed in range(block * 4, block * 4 + 4):
        for model in (random_program(seed), leaning(random_program(seed), seed)):
            if not model.noise.is_discrete:
                check_random(distinct(model), seed, 3)


@pytest.mark.slow
def test_many_random_programs() -> None:
    for seed in range(1_000, 1_150):
        for model in (random_program(seed), leaning(random_program(seed), seed)):
            if not model.noise.is_discrete:
                check_random(distinct(model), seed, 20)


@pytest.mark.parametrize("adjacency", ["all-differ", "monotonic"])
def test_within_an_effort(adjacency: str) -> None:
    """Where pieces are not found one after the other, the rest is enclosed by a run and a chord."""
    exact = proved(OPEN_TURNS, adjacency)
    pieces = convex_pieces(OPEN_TURNS.spread, adjacency, most=1)
    found = loss_function("t", pieces)
    assert not found.is_exact
    for k in range(13):
        t = Q(k, 4)
        (lower, upper), value = found.bounds(t), exact(t)
        assert upper is not None
        assert value is not None
        assert lower <= value <= upper
    data = pieces_certificate(OPEN_TURNS, pieces, open_privacy(OPEN_TURNS, adjacency).adjacency).data
    assert check(data).startswith("epsilon-function ")


def test_the_assumption() -> None:
    words = "neighbouring inputs differ by at most 1 in each number, at q2 by at most 1/4 + t"
    assert open_privacy(OPEN_TURNS).assumption.endswith(words)
    both = sensitive(TURNS, 0, 1, ("2", "1"), q1=("1", "2"))
    assert open_privacy(both).assumption.endswith("by at most 2 - t in each number, at q1 by at most 1 + t")


def test_what_is_refused() -> None:
    model = OPEN_TURNS
    states = {**model.last.states, "q0": replace(model.last.states["q0"], rate=Q(2))}
    refusals: list[tuple[str, Callable[[], object]]] = [
        ("rates-and-sensitivities", lambda: replace(model, last=replace(model.last, states=states))),
        ("open-sensitivity-on-grid", lambda: sensitive(svt_discrete(), 1, 2, ("1", "2"))),
        ("sensitivity-not-positive", lambda: sensitive(svt(), 1, 2, ("1", "0"))),
        ("not-formulated", lambda: open_privacy(sensitive(k_min_max(2), 1, 2, q2=("1", "2")))),
    ]
    for code, made in refusals:
        with refuses(code):
            made()
