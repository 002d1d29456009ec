"""Exact breakpoints of δ against sums over words, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from prover.chain.breakpoints import Breakpoints, breakpoints
from prover.chain.distance import distance
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling import word_graph as module
from prover.chain.unrolling.refinement import UnrollingLimits
from prover.chain.unrolling.word_graph import TooManyWords
from prover.questions import delta
from prover.zoo import dining_cryptographers, fig1, pin_checker, random_chain, randomised_response
from tests.oracle import lv_words
from tests.profiles import examples
from tests.refusals import refuses
from tests.strategies import alphas, chains, ending_chains

F = Fraction


def corners(found: Breakpoints) -> tuple[tuple[str, str], ...]:
    return tuple((str(alpha), str(delta)) for alpha, delta in found.delta.corners)


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        (fig1(), (("1", "1/5"), ("3/2", "0"))),
        (randomised_response(), (("1", "1/3"), ("2", "0"))),
        (randomised_response(respondents=2), (("1", "1/3"), ("2", "0"))),
        (randomised_response(answers=2), (("1", "1/3"), ("4", "0"))),
        (dining_cryptographers(2), (("1", "1/2500"), ("2501/2499", "0"))),
    ],
)
def test_known_curves(chain: LabelledMarkovChain, expected: tuple[tuple[str, str], ...]) -> None:
    assert corners(breakpoints(chain)) == expected


@examples(40)
@given(ending_chains(layers=3))
def test_against_sums_over_words(chain: LabelledMarkovChain) -> None:
    s, t = chain.index("s"), chain.index("t")
    forward = breakpoints(chain, "s", "t", kind="lv").delta
    backward = breakpoints(chain, "t", "s", kind="lv").delta
    both, related = breakpoints(chain, "s", "t").delta, breakpoints(chain).delta
    turns = {piece.start for function in (forward, backward, both) for piece in function.pieces}
    for alpha in sorted(turns | {F(1), F(9, 8), F(2), F(100)}):
        there, back = lv_words(chain, alpha, s, t, 5), lv_words(chain, alpha, t, s, 5)
        assert forward.value(alpha) == there
        assert backward.value(alpha) == back
        assert both.value(alpha) == related.value(alpha) == max(there, back)


def test_trivial_pairs() -> None:
    chain = pin_checker()
    assert corners(breakpoints(chain, "0", "0")) == (("1", "0"),)
    assert corners(breakpoints(chain, "0", "end")) == (("1", "1"),)


def test_bisimilar_states_are_merged_first() -> None:
    """A cycle through which nothing can be told apart is no obstacle."""
    chain = LabelledMarkovChain.of(
        {
            "s": ("a", {"e": "3/5", "g": "2/5"}),
            "t": ("a", {"f": "1/2", "g": "1/2"}),
            "e": ("e", {"f": 1}),
            "f": ("e", {"e": 1}),
            "g": ("g", {"g": 1}),
        }
    )
    assert corners(breakpoints(chain, "s", "t")) == (("1", "1/10"), ("5/4", "0"))


def test_a_cycle_after_everything_is_decided_is_no_obstacle() -> None:
    chain = LabelledMarkovChain.of(
        {
            "s": ("a", {"left": "3/5", "right": "2/5"}),
            "t": ("a", {"left": "2/5", "right": "3/5"}),
            "left": ("l", {"left": "1/2", "right": "1/2"}),
            "right": ("r", {"left": "1/3", "right": "2/3"}),
        }
    )
    assert corners(breakpoints(chain, "s", "t")) == (("1", "1/5"), ("3/2", "0"))


def test_runs_that_return_to_few_belief_pairs() -> None:
    """The PIN checker: each round trip leaves the odds as they were. The values are the published ones."""
    forward = breakpoints(pin_checker(), "0", "1", kind="lv").delta
    backward = breakpoints(pin_checker(), "1", "0", kind="lv").delta
    assert [alpha for alpha, _ in forward.corners] == [F(1), F(53, 47)]
    assert [alpha for alpha, _ in backward.corners] == [F(1), F(2809, 2209)]
    assert forward.value(F(1)) == backward.value(F(1)) == F(200, 2503)
    assert forward.value(F(11, 10)) == F(130, 7509)
    assert backward.value(F(11, 10)) == F(3791, 75090)
    assert forward.value(F(2809, 2209)) == backward.value(F(2809, 2209)) == 0


def alike_for_ever() -> LabelledMarkovChain:
    """p and r show the same words with the same probabilities for ever, but are not bisimilar."""
    return LabelledMarkovChain.of(
        {
            "s": ("a", {"p": "1/2", "z": "1/2"}),
            "t": ("a", {"r": "1/3", "z": "2/3"}),
            "p": ("b", {"p1": "1/2", "p2": "1/2"}),
            "p1": ("c", {"p3": 1}),
            "p2": ("c", {"p4": 1}),
            "p3": ("d", {"p": 1}),
            "p4": ("e", {"p": 1}),
            "r": ("b", {"r1": 1}),
            "r1": ("c", {"r3": "1/2", "r4": "1/2"}),
            "r3": ("d", {"r": 1}),
            "r4": ("e", {"r": 1}),
            "z": ("z", {"z": 1}),
        }
    )


def test_belief_pairs_that_are_never_left() -> None:
    chain = alike_for_ever()
    assert corners(breakpoints(chain, "s", "t", kind="lv")) == (("1", "1/6"), ("3/2", "0"))
    assert corners(breakpoints(chain, "t", "s", kind="lv")) == (("1", "1/6"), ("4/3", "0"))
    assert corners(breakpoints(chain, "p", "r")) == (("1", "0"),)
    assert distance(chain, "p", "r", 3).value == 1


def test_a_geometric_number_of_rounds() -> None:
    """Belief pairs that return with a probability below 1, so that a linear system has to be solved."""
    chain = LabelledMarkovChain.of(
        {
            "s": ("a", {"s": "1/2", "u": "1/10", "x": "2/5"}),
            "t": ("a", {"t": "1/2", "u": "2/5", "x": "1/10"}),
            "u": ("u", {"u": 1}),
            "x": ("x", {"x": 1}),
        }
    )
    assert corners(breakpoints(chain, "s", "t")) == (("1", "3/5"), ("4", "0"))


def test_belief_pairs_without_end_are_refused() -> None:
    chain = random_chain(6, 3, 2)
    first, second = [state for state, label in zip(chain.states, chain.labels, strict=True) if label == "l0"][
        :2
    ]
    with pytest.raises(TooManyWords, match=r"more than 2,000 belief pairs.* return to state"):
        breakpoints(chain, first, second)


def test_a_limit_on_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NODES", 5)
    with pytest.raises(TooManyWords, match=r"more than 5 belief pairs.*many; ask"):
        breakpoints(randomised_response(answers=3))


def test_a_limit_on_long_numbers() -> None:
    """Belief pairs of numbers that grow with every step: given up before that takes long."""
    share = F(10**400, 3**839)
    chain = LabelledMarkovChain.of(
        {
            "s": ("u", {"s": share / 2, "t": 1 - share, "x": share / 2}),
            "t": ("u", {"s": share / 2, "t": 1 - share / 2}),
            "x": ("x", {"x": 1}),
        }
    )
    with pytest.raises(TooManyWords) as refusal:
        breakpoints(chain, "s", "t")
    assert "more than 2,000" not in str(refusal.value)


def test_bad_questions() -> None:
    with refuses("unknown-delta", match='"ld"'):
        breakpoints(fig1(), kind="ld")
    with refuses("unknown-state"):
        breakpoints(fig1(), "s0", "x")
    with refuses("half-a-pair"):
        breakpoints(fig1(), "s0")
    with refuses("empty-relation"):
        breakpoints(random_chain())


def test_as_text() -> None:
    assert str(breakpoints(fig1())) == (
        "tv of the relation is linear between the breakpoints (alpha, delta): (1, 1/5), (3/2, 0)"
    )
    assert str(breakpoints(fig1(), "s1", "s0", kind="lv")).startswith("lv(s1, s0) is linear")


@pytest.mark.parametrize(
    "most", [pytest.param(20, id="few"), pytest.param(1500, id="many", marks=pytest.mark.slow)]
)
def test_against_unrolling(most: int) -> None:
    """Chains of many shapes, most with cycles: with breakpoints, δ is in the certified interval."""
    found = 0

    @settings(max_examples=most)
    @given(chains(related=True), alphas())
    def compare(chain: LabelledMarkovChain, alpha: Fraction) -> None:
        nonlocal found
        try:
            value = breakpoints(chain).delta.value(alpha)
        except TooManyWords:
            return
        found += 1
        answer = delta(chain, alpha=alpha, gap="1/1000", limits=UnrollingLimits(nodes=500))
        assert answer.lower <= value <= answer.upper

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_CYCLIC_NODES", 50)
        compare()
    assert found > most // 2
