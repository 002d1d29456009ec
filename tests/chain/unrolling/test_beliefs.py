"""The belief pairs that words lead to: the same for all α, explored once, and each one object."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given, settings

from prover import zoo
from prover.chain.arguments import Slope
from prover.chain.breakpoints import breakpoints_of
from prover.chain.delta import delta_at, delta_question
from prover.chain.model import LabelledMarkovChain
from prover.chain.secrets import Secrets
from prover.chain.unrolling.beliefs import BeliefPair, BeliefPairs, Expansion, MergedSystem
from prover.chain.unrolling.refinement import UnrollingLimits
from prover.questions import delta
from tests.oracle import alike_pairs
from tests.refusals import refuses
from tests.strategies import chains

PIN = zoo.build_chain("pin-checker")
few = settings(max_examples=settings().max_examples // 4)


def test_the_pin_checker_comes_back() -> None:
    beliefs = BeliefPairs(PIN)
    begin = beliefs.of_pair((0, 1))
    expansion = beliefs.expansion(begin)
    assert [after.label for after in expansion.successors] == ["b", "end"]
    second = expansion.successors[0].belief
    assert (second.x, second.y, second.ratio) == (((2, 47),), ((3, 53),), fmpq(53, 47))
    back = beliefs.expansion(second).successors[0]
    assert back.belief is begin is beliefs.of_pair((0, 1))
    assert back.factor == fmpq(2491, 100)  # 47/100 · 53 of the integers in ``second``
    assert expansion is beliefs.expansion(begin)
    assert beliefs.memory > 3_000
    beliefs.forget()
    assert beliefs.memory == 0
    assert beliefs.of_pair((0, 1)) is not begin


def test_what_is_decided() -> None:
    chain = LabelledMarkovChain.of(
        {
            "s": ("a", {"x": "1/2", "y": "1/4", "z": "1/4"}),
            "t": ("a", {"x": "1/3", "y": "1/6", "w": "1/2"}),
            "x": ("l", {"x": 1}),
            "y": ("l", {"y": 1}),
            "z": ("z", {"z": 1}),
            "w": ("w", {"w": 1}),
        }
    )
    beliefs = BeliefPairs(chain)
    begin = beliefs.of_pair((0, 1))
    both, alone = (after.belief for after in beliefs.expansion(begin).successors)
    assert not begin.is_decided
    assert (both.x, both.y) == (((3, 6), (4, 3)), ((3, 4), (4, 2)))
    assert both.is_decided
    assert (alone.x, alone.y, alone.ratio) == (((5, 1),), (), fmpq(0))
    assert alone.is_decided


@few
@given(chain=chains(max_states=5))
def test_nothing_is_lost_and_factors_are_probabilities(chain: LabelledMarkovChain) -> None:
    beliefs = BeliefPairs(chain)
    for pair in alike_pairs(chain):
        waiting = [beliefs.of_pair(pair)]
        for belief in waiting[:20]:
            after = beliefs.expansion(belief).successors
            assert sum((a.factor * a.belief.mass for a in after), start=fmpq(0)) == belief.mass
            assert sum((a.factor * a.belief.other_mass for a in after), fmpq(0)) <= belief.other_mass
            assert abs(sum(a.chance for a in after) - 1) < 1e-9
            waiting += [a.belief for a in after]


def explored(merged: MergedSystem) -> list[int]:
    """Counts the belief pairs that are expanded from now on, in its last element."""
    count = [0]
    original = merged.beliefs._expanded

    def counting(belief: BeliefPair, action: str) -> Expansion:
        count[0] += 1
        return original(belief, action)

    merged.beliefs._expanded = counting  # type: ignore[method-assign]
    return count


def test_several_alphas_explore_once() -> None:
    secrets = Secrets.of(zoo.build_chain("dining-cryptographers", n="3"), None, None, "tv")
    count = explored(secrets.merged)
    known = breakpoints_of(secrets).delta
    once = count[0]
    assert once >= 20
    question = delta_question(secrets, 0)
    for alpha in (Fraction(1), Fraction(2501, 2499), Fraction(3)):
        found = delta_at(question, Slope.of_alpha(alpha), UnrollingLimits())
        assert found.value == known.value(alpha)
        alone = delta(secrets.chain, alpha=alpha, gap=0)
        assert found.certificate.data == alone.certificate.data
    assert count[0] == once


@pytest.mark.thorough
@pytest.mark.parametrize("memory", [2**30, 20_000])
def test_what_was_asked_before_does_not_change_an_answer(memory: int) -> None:
    """Also where belief pairs are forgotten between two questions, as they would take too much memory."""
    chain = zoo.random_chain(6, 3, 2)
    first, second = [s for s, label in zip(chain.states, chain.labels, strict=True) if label == "l0"][:2]
    secrets = Secrets.of(chain, first, second, "tv")
    limits = UnrollingLimits(nodes=300, memory=memory)
    for alpha in (Fraction(2), Fraction(1), Fraction(6, 5), Fraction(1)):
        shared = delta_at(delta_question(secrets, 0), Slope.of_alpha(alpha), limits)
        alone = delta(chain, first, second, alpha, gap=0, limits=limits)
        assert shared == alone
        assert shared.certificate.data == alone.certificate.data


def test_secrets() -> None:
    assert Secrets.of(PIN, "0", "1", "lv").directions == ((0, 1),)
    assert Secrets.of(PIN, "0", "1", "tv").directions == ((0, 1), (1, 0))
    assert not Secrets.of(PIN, None, None, "tv").named
    with refuses("unknown-delta", match='"ld"'):
        Secrets.of(PIN, "0", "1", "ld")


@few
@given(chain=chains(max_states=6))
def test_the_other_way_round_leads_to_the_same(chain: LabelledMarkovChain) -> None:
    # One object has seen both directions, and reads the second one off the first; the others see one each.
    both = BeliefPairs(chain)
    for s, t in alike_pairs(chain):
        lead = [(both.of_pair((s, t)), BeliefPairs(chain)), (both.of_pair((t, s)), BeliefPairs(chain))]
        for begin, alone in lead:
            waiting = [(begin, alone.of_pair((begin.x[0][0], begin.y[0][0])))]
            for belief, other in waiting[:20]:
                found, expected = both.expansion(belief), alone.expansion(other)
                assert (found.width, found.bits) == (expected.width, expected.bits)
                for a, b in zip(found.successors, expected.successors, strict=True):
                    assert (a.label, a.factor, a.chance) == (b.label, b.factor, b.chance)
                    assert (a.belief.x, a.belief.y) == (b.belief.x, b.belief.y)
                    waiting.append((a.belief, b.belief))
