"""Exact breakpoints of δ against sums over words, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from prover.chain import breakpoints as module
from prover.chain.breakpoints import Breakpoints, RunsDoNotEnd, TooManyWords, UnknownCurve, breakpoints
from prover.chain.distance import EmptyRelation, HalfAPair
from prover.chain.errors import UnknownState
from prover.chain.model import LabelledMarkovChain
from prover.zoo import dining_cryptographers, fig1, pin_checker, random_chain, randomised_response
from tests.oracle import lv_words
from tests.strategies import ending_chains

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


@settings(max_examples=40)
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


def test_runs_that_return_are_refused() -> None:
    with pytest.raises(RunsDoNotEnd, match='"0"'):
        breakpoints(pin_checker())
    chain = random_chain(6, 3, 2)
    first, second = [state for state, label in zip(chain.states, chain.labels, strict=True) if label == "l0"][
        :2
    ]
    with pytest.raises(RunsDoNotEnd):
        breakpoints(chain, first, second)


def test_a_limit_on_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NODES", 5)
    with pytest.raises(TooManyWords, match="more than 5"):
        breakpoints(randomised_response(answers=3))


def test_bad_questions() -> None:
    with pytest.raises(UnknownCurve, match='"ld"'):
        breakpoints(fig1(), kind="ld")
    with pytest.raises(UnknownState):
        breakpoints(fig1(), "s0", "x")
    with pytest.raises(HalfAPair):
        breakpoints(fig1(), "s0")
    with pytest.raises(EmptyRelation):
        breakpoints(random_chain())


def test_as_text() -> None:
    assert str(breakpoints(fig1())) == (
        "tv of the relation is linear between the breakpoints (alpha, delta): (1, 1/5), (3/2, 0)"
    )
    assert str(breakpoints(fig1(), "s1", "s0", kind="lv")).startswith("lv(s1, s0) is linear")
