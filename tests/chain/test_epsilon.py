"""The least ε for a δ: exact, enclosed, impossible, out of reach; every answer's certificate is checked."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

import prover
from prover.chain import epsilon as module
from prover.chain.distance import distance
from prover.chain.epsilon import Epsilon, epsilon_for
from prover.chain.model import LabelledMarkovChain
from prover.chain.product import repeat
from prover.chain.unrolling.word_graph import TooManyWords
from prover.exact.rational import parse_rational
from prover.questions import delta
from prover.zoo import fig1, pin_checker, random_chain, randomised_response
from tests.certified import proved
from tests.chain.test_breakpoints import alike_for_ever
from tests.oracle import lv_words
from tests.profiles import examples
from tests.refusals import refuses
from tests.strategies import ending_chains

F = Fraction


def without_breakpoints(*_: object, **__: object) -> None:
    """As if there were too many words."""
    raise TooManyWords(0, None)


def confirmed(answer: Epsilon) -> Epsilon:
    """The answer itself; its certificates say that δ is at most the bound at its upper end, not before."""
    assert answer.lower >= 0
    if answer.lower_certificate is None:
        assert answer.alpha_lower == 1
    else:
        claim = proved(answer.lower_certificate)["claim"]
        assert parse_rational(claim["lower"]) > answer.delta
        alpha = parse_rational(claim["alpha"], 10**6)
        assert alpha <= answer.alpha_lower <= alpha * (1 + F(1, 100))
    if answer.alpha_upper is None:
        assert (answer.certificate, answer.upper, answer.alpha) == (None, None, None)
        return answer
    assert answer.upper is not None
    assert answer.certificate is not None
    assert answer.alpha_lower <= answer.alpha_upper
    assert answer.lower <= answer.upper
    assert not answer.impossible
    claim = proved(answer.certificate)["claim"]
    assert claim["kind"] == answer.kind
    assert parse_rational(claim["alpha"]) == answer.alpha_upper
    assert parse_rational(claim["upper"]) <= answer.delta
    if answer.source is not None:
        assert (claim["from"], claim["to"]) == (answer.source, answer.target)
    return answer


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("chain", "bound", "alpha"),
    [
        (pin_checker(), "1/100", "273391/220900"),
        (pin_checker(), "0", "2809/2209"),
        (pin_checker(), "200/2503", "1"),
        (pin_checker(), "1", "1"),
        (randomised_response(), "4/15", "6/5"),
        (repeat(randomised_response(), 2), "64/225", "36/25"),
        (repeat(randomised_response(), 4), "1/100", "1519/100"),
        (fig1(), "1/10", "5/4"),
    ],
)
def test_exact_answers(
    chain: LabelledMarkovChain, bound: str, alpha: str, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With breakpoints, and by Newton's method alone, which ends at the exact number, too."""
    if not known:
        monkeypatch.setattr(module, "breakpoints_of", without_breakpoints)
    found = confirmed(epsilon_for(chain, None, None, bound))
    assert found.alpha == F(alpha)


@examples(25)
@given(ending_chains())
def test_against_sums_over_words(chain: LabelledMarkovChain) -> None:
    s, t = chain.index("s"), chain.index("t")
    for bound in (F(0), F(1, 20), F(1, 4)):
        found = confirmed(epsilon_for(chain, "s", "t", bound, kind="lv"))
        if found.impossible:
            assert lv_words(chain, F(10**9), s, t, 4) > bound
            continue
        assert found.alpha is not None
        assert lv_words(chain, found.alpha, s, t, 4) <= bound
        before = found.alpha - F(1, 10**9)
        assert before < 1 or lv_words(chain, before, s, t, 4) > bound


@examples(10)
@given(ending_chains())
def test_the_search_agrees_with_the_breakpoints(chain: LabelledMarkovChain) -> None:
    for bound in (F(0), F(1, 10)):
        exact = epsilon_for(chain, "s", "t", bound)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "breakpoints_of", without_breakpoints)
            found = confirmed(epsilon_for(chain, "s", "t", bound))
        assert (found.alpha_upper, found.impossible) == (exact.alpha_upper, exact.impossible)


def test_an_interval() -> None:
    """δ is never known exactly here, nor is ε, but both ends are certified and close."""
    chain = random_chain(8, 3, 2)
    s, t = [state for state, label in zip(chain.states, chain.labels, strict=True) if label == "l0"][:2]
    found = confirmed(epsilon_for(chain, s, t, "39/100", gap="1/500"))
    assert found.alpha is None
    assert found.alpha_upper is not None
    assert 1 < found.alpha_lower < found.alpha_upper <= found.alpha_lower * F(501, 500)
    before = found.alpha_lower - F(1, 10**4)
    assert delta(chain, s, t, before, at_most="39/100").is_at_most(F(39, 100)) is False


class TestNoAnswer:
    @pytest.mark.parametrize("known", [True, False])
    def test_some_words_are_possible_from_one_secret_only(
        self, known: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if not known:
            monkeypatch.setattr(module, "breakpoints_of", without_breakpoints)
        chain = LabelledMarkovChain.of(
            {
                "s": ("a", {"x": "1/2", "y": "1/2"}),
                "t": ("a", {"x": "3/4", "z": "1/4"}),
                "x": ("x", {"x": 1}),
                "y": ("y", {"y": 1}),
                "z": ("z", {"z": 1}),
            }
        )
        found = confirmed(epsilon_for(chain, "s", "t", "49/100"))
        assert found.impossible
        assert found.headline == "no epsilon has delta <= 49/100"
        assert confirmed(epsilon_for(chain, "s", "t", "1/2")).alpha == 1

    @pytest.mark.parametrize("known", [True, False])
    def test_the_answer_is_beyond_the_limit(self, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        if not known:
            monkeypatch.setattr(module, "breakpoints_of", without_breakpoints)
        chain = repeat(randomised_response(), 4)
        found = confirmed(epsilon_for(chain, None, None, "1/100", limit=10))
        assert not found.impossible
        assert found.alpha_upper is None
        assert 10 <= found.alpha_lower <= F(1519, 100)
        text = "no epsilon with delta <= 1/100 was found (alpha up to 10); any such epsilon is at least 2.7"
        assert found.headline.startswith(text)


@pytest.mark.parametrize("known", [True, False])
def test_the_answer_may_be_the_limit_itself(known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not known:
        monkeypatch.setattr(module, "breakpoints_of", without_breakpoints)
    limit = F(2809, 2209)
    assert confirmed(epsilon_for(pin_checker(), "0", "1", 0, limit=limit)).alpha == limit
    below = confirmed(epsilon_for(pin_checker(), "0", "1", 0, limit=limit - F(1, 10**9)))
    assert (below.alpha_upper, below.impossible) == (None, False)


def test_words_that_are_alike_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """p and r show the same words for ever without being bisimilar, and ld is 1."""
    chain = alike_for_ever()
    assert distance(chain, "p", "r", 3).value == 1
    for known in (True, False):
        if not known:
            monkeypatch.setattr(module, "breakpoints_of", without_breakpoints)
        assert confirmed(epsilon_for(chain, "s", "t", "1/12")).alpha == F(5, 4)
        assert confirmed(epsilon_for(chain, "p", "r", 0)).alpha == 1


def test_as_text() -> None:
    assert epsilon_for(pin_checker(), "0", "1", 0).headline == (
        "the least epsilon with delta <= 0 is ln(2809/2209) ≈ 0.240288623685, rounded up"
    )
    open_answer = Epsilon("tv", F(1, 10), "s", "t", F(2), F(3), False, F(9), None, lambda: None)
    assert open_answer.headline == (
        "the least epsilon with delta <= 1/10 is at least 0.693147180559 and at most 1.098612288669, "
        "rounded outward"
    )


def test_bad_questions() -> None:
    with refuses("bad-threshold"):
        epsilon_for(fig1(), "s0", "s1", "-1/2")
    with refuses("bad-threshold"):
        epsilon_for(fig1(), "s0", "s1", 0.1)  # type: ignore[arg-type]
    with refuses("bad-gap"):
        epsilon_for(fig1(), "s0", "s1", 0, gap="-1")
    with refuses("bad-alpha"):
        epsilon_for(fig1(), "s0", "s1", 0, limit="1/2")
    with refuses("half-a-pair"):
        epsilon_for(fig1(), "s0", None, 0)
    with refuses("unknown-delta"):
        epsilon_for(fig1(), "s0", "s1", 0, kind="ld")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_random_chains(seed: int) -> None:
    chain = random_chain(6, 2, 2, seed=seed)
    s, t = [state for state, label in zip(chain.states, chain.labels, strict=True) if label == "l0"][:2]
    start = delta(chain, s, t, 1, gap="1/100")
    found = confirmed(epsilon_for(chain, s, t, start.lower * F(3, 4), gap="1/100"))
    assert found.impossible or found.alpha_upper is not None


class TestAtMost:
    """Whether the least ε is at most a number: decided at this number, without looking for the least one."""

    @pytest.mark.parametrize(
        ("threshold", "holds"), [("1/10", False), ("1/4", True), ("0", False), ("9", True)]
    )
    def test_it_is_asked_there_only(
        self, threshold: str, holds: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "breakpoints_of", without_breakpoints)
        asked: list[Epsilon] = []
        found = epsilon_for(pin_checker(), "0", "1", "1/100", at_most=threshold, on_interval=asked.append)
        assert found.is_at_most(F(threshold)) is holds
        assert len(asked) <= 2
        if holds:
            assert found.certificate is not None
            prover.verify(found.certificate)
        elif found.alpha_lower > 1:
            assert found.lower_certificate is not None
            prover.verify(found.lower_certificate)

    def test_an_exact_answer_decides_it(self) -> None:
        found = epsilon_for(pin_checker(), "0", "1", "1/100", at_most="1/10")
        assert found.alpha == F(273391, 220900)
        assert found.is_at_most(F(1, 10)) is False
        assert found.is_at_most(F("0.2131928945219")) is True
        assert found.is_at_most(F("0.2131928945210")) is False

    def test_refused(self) -> None:
        with refuses("bad-threshold", match="at least 0"):
            epsilon_for(pin_checker(), "0", "1", "1/100", at_most="-1")
