"""The loss as a function of a rate: known values, other values of the parameter, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
import sympy

from prover.certificate.check import check
from prover.errors import BadInput, BadValue
from prover.program.adjacency import ADJACENCIES
from prover.program.model import Program
from prover.program.opened import OpenProgram
from prover.program.optimum.measure import measure
from prover.program.pieces.answer import LossFunction, OpenPrivacy, loss_function
from prover.program.pieces.certificates import pieces_certificate
from prover.program.pieces.privacy import open_privacy
from prover.program.pieces.search import pieces_of
from prover.zoo import leaking_pair, svt
from tests.certificate.opened_judge import accepts_open
from tests.certificate.opened_samples import BETWEEN, SEGMENT, leaning, opened, split
from tests.profiles import thinned
from tests.program import several_examples
from tests.program.automata import leaning as leaning_program
from tests.program.automata import random_program
from tests.program.pieces.open_examples import between, random_open
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.refusals import refuses

Q = Fraction


def proved(model: OpenProgram, adjacency: str = "all-differ", *, judged: bool = True) -> LossFunction:
    """The loss, exact on the whole interval, with a certificate that is accepted."""
    answer = open_privacy(model, adjacency)
    assert answer.private is True
    certificate = answer.certificate
    assert certificate is not None
    assert check(certificate.data).startswith("epsilon-function ")
    assert not judged or accepts_open(json.loads(certificate.data))
    found = answer.epsilon
    assert found is not None
    assert found.is_exact
    return found


def texts(found: LossFunction) -> list[tuple[str, str, str]]:
    return [(str(piece.low), str(piece.high), piece.lower.text(found.parameter)) for piece in found.pieces]


def hits(count: int, threshold: Fraction, query: Fraction, *, redrawn: bool = False) -> Program:
    """The sparse vector technique with so many answers above; the threshold may be drawn again after each."""
    states = {"d0": state(step(TRUE, "q0", "start", assign=True), input=False, rate=threshold)}
    for k in range(count):
        after = "end" if k + 1 == count else f"{'d' if redrawn else 'q'}{k + 1}"
        states[f"q{k}"] = state(step(BELOW, f"q{k}", "below"), step(ABOVE, after, "above"), rate=query)
        if redrawn and k:
            states[f"d{k}"] = state(step(TRUE, f"q{k}", "again", assign=True), input=False, rate=threshold)
    return program(states)


class TestKnownValues:
    def test_a_threshold_and_two_answers(self) -> None:
        found = proved(opened(SEGMENT, 1, 4, q0=("1", "4")))
        assert texts(found) == [("1", "2", "2 + t"), ("2", "4", "4")]
        assert (found(1), found(3), *found.breakpoints) == (Q(3), Q(4), Q(2))
        assert found.least == (Q(1), Q(3))

    @pytest.mark.parametrize("count", [1, 2, 5])
    def test_a_budget_that_is_not_divided(self, count: int) -> None:
        """count − (count − 1)·t, which for five answers is 3 at 1/2 and 4 at 1/4."""
        found = proved(between("1/10", "9/10", lambda t: hits(count, t, (1 - t) / 2)), judged=count < 5)
        assert len(found.pieces) == 1
        for t in (Q(1, 10), Q(1, 4), Q(1, 2), Q(9, 10)):
            assert found(t) == count - (count - 1) * t

    @pytest.mark.parametrize("count", [1, 3])
    def test_a_threshold_that_is_kept_or_redrawn(self, count: int) -> None:
        """t + count, and count·(t + 1); at t = 1 these are 1 + count and 2·count."""
        kept = proved(between("1/2", "2", lambda t: hits(count, t, Q(1, 2))), judged=False)
        again = proved(between("1/2", "2", lambda t: hits(count, t, Q(1, 2), redrawn=True)), judged=False)
        assert (kept(1), again(1)) == (Q(1 + count), Q(2 * count))
        assert (kept("7/5"), again("7/5")) == (Q(7, 5) + count, Q(12, 5) * count)


class TestNoFormBetween:
    """Values at two ends bound nothing between (docs/theory_programs.md)."""

    def test_equal_forms_at_both_ends(self) -> None:
        """2 + t at 9/10 and at 4, and 9/2 at 3/2."""
        found = proved(split())
        assert texts(found) == [
            ("9/10", "1", "2 + t"),
            ("1", "5/3", "3*t"),
            ("5/3", "3", "5"),
            ("3", "4", "2 + t"),
        ]
        assert (found("9/10"), found("3/2"), found(4)) == (Q(29, 10), Q(9, 2), Q(6))

    def test_two_rates(self) -> None:
        """max(2·d₁, d₁ + d₂) for the rates d₁, d₂ of numbers with fresh noise."""

        def made(first: Fraction, second: Fraction) -> Program:
            states = dict(BETWEEN.states)
            shown = {"q2": ("q5", first), "q3": ("q4", first), "q4": ("end", second), "q5": ("end", first)}
            for name, (target, rate) in shown.items():
                states[name] = state(step(TRUE, target, "insampleprime"), rate_prime=rate)
            return replace(BETWEEN, states=states)

        # From (1, 9/10) to (1, 19/10) the form 2·d₁ is left, and to (2, 19/10) it is not.
        assert texts(proved(between("0", "1", lambda t: made(Q(1), Q(9, 10) + t)))) == [
            ("0", "1/10", "2"),
            ("1/10", "1", "19/10 + t"),
        ]
        other = proved(between("0", "1", lambda t: made(1 + t, Q(9, 10) + t)))
        assert texts(other) == [("0", "1", "2 + 2*t")]

    def test_neither_convex_nor_concave(self) -> None:
        slopes = [piece.lower.slope for piece in proved(split()).pieces]
        assert slopes == [1, 3, 0, 1]

    def test_what_falls_between_equal_ends(self) -> None:
        """One of two numbers with noise of rates t and 1 − t is shown, and a fair draw says which."""

        def made(t: Fraction) -> Program:
            shown = [state(step(TRUE, "end", "insample"), rate=rate) for rate in (t, 1 - t)]
            states = dict(zip(("q2", "q3"), shown, strict=True))
            kept = {name: BETWEEN.states[name] for name in ("q0", "q1")}
            return program(kept | states)

        found = proved(between("1/10", "9/10", made))
        assert texts(found) == [("1/10", "1/2", "1 - t"), ("1/2", "9/10", "t")]
        assert found.least == (Q(1, 2), Q(1, 2))


def check_random(model: Program, seed: int, points: int) -> None:
    """At some values of t the loss is that of the program with these rates, and both are proved."""
    random = Random(f"open {seed}")
    adjacency = random.choice(sorted(ADJACENCIES))
    opening = random_open(model, random)
    try:
        answer = open_privacy(opening, adjacency)
    except BadInput as error:
        if error.code not in ("hidden-transitions", "endless-chain", "unplaced"):
            raise
        return
    certificate = answer.certificate
    assert certificate is not None
    check(certificate.data)
    size = opening.high - opening.low
    values = [opening.low + size * Q(random.randint(0, 840), 840) for _ in range(points)]
    costs = [(t, measure(opening.at(t), adjacency)) for t in values]
    assert all(cost.is_infinite is (answer.private is False) for _, cost in costs)
    if answer.epsilon is None:
        return
    for t, cost in costs:
        assert answer.epsilon(t) == cost.lower == cost.upper
    rising = all(
        a <= b
        for one, other in zip(opening.first.edges, opening.last.edges, strict=True)
        for a, b in ((one.left, other.left), (one.right, other.right), (one.rate_prime, other.rate_prime))
        if isinstance(a, Q) and isinstance(b, Q)
    )
    found = [answer.epsilon(t) for t in (opening.low, *sorted(values), opening.high)]
    known = [loss for loss in found if loss is not None]
    assert not rising or known == sorted(known)


@pytest.mark.parametrize("block", thinned(range(12)))
def test_random_programs(block: int) -> None:
    for seed in range(block * 12, block * 12 + 12):
        check_random(distinct(random_program(seed)), seed, 4)
        check_random(distinct(leaning_program(random_program(seed), seed)), seed, 4)


@pytest.mark.parametrize("block", thinned(range(8)))
def test_random_programs_of_several_variables(block: int) -> None:
    for seed in range(block * 5, block * 5 + 5):
        check_random(distinct(several_examples.random_program(Random(seed))), seed, 3)


def distinct(model: Program) -> Program:
    """The program whose letters tell its transitions apart; numbers are output behind a letter."""
    states = {}
    for name, own in model.states.items():
        outputs = [(f"o{k}", t.output) for k, t in enumerate(own.transitions)]
        letters: list[Any] = [
            letter if str(output)[:2] != "in" else (letter, output) for letter, output in outputs
        ]
        transitions = zip(own.transitions, letters, strict=True)
        states[name] = replace(own, transitions=tuple(replace(t, output=o) for t, o in transitions))
    return replace(model, states=states)


class TestAnswers:
    def answer(self) -> OpenPrivacy:
        return open_privacy(opened(SEGMENT, 1, 4, q0=("1", "4")))

    def test_headline(self) -> None:
        assert str(self.answer().epsilon) == "t from 1 to 2: (2 + t)·ε; t from 2 to 4: 4·ε"
        words = "private for every t from 1 to 4: the loss is known exactly, a function of 2 pieces"
        assert self.answer().headline == words

    def test_sympy(self) -> None:
        found = self.answer().epsilon
        assert found is not None
        made = found.sympy()
        t = sympy.Symbol("t")
        for value in (1, Q(3, 2), 2, Q(7, 2), 4):
            number = Q(value)
            at = made.subs(t, sympy.Rational(number.numerator, number.denominator))
            assert Q(int(at.p), int(at.q)) == found(number)

    def test_values_outside(self) -> None:
        found = self.answer().epsilon
        assert found is not None
        for value in ("5", "1/2", "t"):
            with pytest.raises(BadValue):
                found(value)

    def test_not_private_for_any_value(self) -> None:
        answer = open_privacy(opened(leaking_pair(), 0, 1, q1=("1", "2")))
        assert (answer.private, answer.epsilon, answer.reason) == (False, None, "leaking pair")
        assert answer.headline == "not private for every t from 0 to 1: leaking pair"
        assert answer.certificate is not None
        assert check(answer.certificate.data).startswith("not-private ")

    def test_on_the_way(self) -> None:
        seen: list[OpenPrivacy] = []
        last = open_privacy(opened(SEGMENT, 1, 4, q0=("1", "4")), on_better=seen.append)
        assert [one.epsilon is not None and one.epsilon.is_exact for one in seen] == [False, False, True]
        for one in (*seen, last):
            assert one.certificate is not None
            check(one.certificate.data)

    def test_both_rates_of_a_state(self) -> None:
        assert texts(proved(leaning(opened(SEGMENT, 1, 4, q0=("1", "4"))))) == [("1", "4", "16/3 - (1/3)*t")]


class TestWithinAnEffort:
    """Where pieces are not proved one after the other, the rest is enclosed."""

    @pytest.mark.parametrize("adjacency", ["all-differ", "one-differ", "monotonic"])
    def test_the_rest_is_enclosed(self, adjacency: str) -> None:
        model = split()
        exact = proved(model, adjacency, judged=False)
        pieces = pieces_of(model, adjacency, most=1)
        assert [piece.is_exact for piece in pieces][:1] == [True]
        found = loss_function("t", pieces)
        for k in range(32):
            t = model.low + (model.high - model.low) * Q(k, 31)
            lower, upper = found.bounds(t)
            value = exact(t)
            assert upper is not None
            assert value is not None
            assert lower <= value <= upper
        data = pieces_certificate(model, pieces, open_privacy(model, adjacency).adjacency).data
        assert check(data).startswith("epsilon-function ")

    def test_what_is_said_of_the_rest(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("prover.program.pieces.privacy.MOST_PIECES", 1)
        answer = open_privacy(split())
        assert answer.private is True
        assert answer.epsilon is not None
        assert answer.epsilon.least is None
        assert answer.epsilon("3/2") is None
        assert answer.headline.endswith("the loss is not known exactly for t from 1 to 4")
        with pytest.raises(BadValue):
            answer.epsilon.sympy()


def test_a_cycle_is_taken_more_often_where_that_saves_pieces() -> None:
    """A run that is worst at one end takes more turns at the other one."""
    found = proved(between("1/100", "99/100", lambda t: hits(1, t, (1 - t) / 2)), judged=False)
    assert sum(len(piece.proofs) for piece in found.pieces) == 1


class TestRefusals:
    def test_other_changes_than_rates(self) -> None:
        with refuses("not-only-rates"):
            between("0", "1", lambda t: hits(1 + int(t), Q(1), Q(1)))
        with refuses("not-only-rates"):
            OpenProgram("t", Q(0), Q(1), svt(), replace(svt(), initial="q1", final=frozenset()))

    def test_an_empty_interval(self) -> None:
        for low, high in ((1, 1), (2, 1)):
            with refuses("empty-interval"):
                OpenProgram("t", Q(low), Q(high), svt(), svt())

    def test_outputs_that_hide_the_run(self) -> None:
        states = dict(SEGMENT.states)
        states["q1"] = state(step(BELOW, "q2", "o"), step(ABOVE, "q2", "o"))
        model = opened(replace(SEGMENT, states=states), 1, 2, q0=("1", "2"))
        with refuses("hidden-transitions", match="at q1"):
            open_privacy(model)

    def test_other_models(self) -> None:
        with pytest.raises(BadInput, match="OpenProgram"):
            open_privacy(svt())  # type: ignore[arg-type]
