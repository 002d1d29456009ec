"""δ against every attacker: values of the page, brute force, certificates."""

from __future__ import annotations

from fractions import Fraction

import pytest

import prover
from prover.certificate.verification import verify
from prover.chain.delta import delta as chain_delta
from prover.chain.epsilon import epsilon_for
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.unrolling.beliefs import MergedSystem
from prover.chain.unrolling.intervals import Goal
from prover.chain.unrolling.refinement import Limits, Refinement, enclose
from prover.report.delta import document as delta_document
from prover.zoo import build
from tests.interactive_oracle import attackers_delta as delta
from tests.interactive_oracle import gain, gain_of_all_attackers, random_processes
from tests.refusals import refuses

ALPHAS = (Fraction(1), Fraction(6, 5), Fraction(2))

# docs/theory_interactive.md, Examples: at α = 1, 6/5 and 2, from s to t and from t to s
VALUES = {
    "wait": (("1/2", "1/2"), ("1/2", "2/5"), ("1/2", "0")),
    "two-doors": (("1/2", "1/2"), ("9/20", "9/20"), ("1/4", "1/4")),
    "adaptive-response": (("1/2", "1/2"), ("39/80", "39/80"), ("7/16", "7/16")),
    "password-timing": (("7/12", "7/12"), ("11/20", "11/20"), ("5/12", "5/12")),
    "password-timing guesses=2": (("19/24", "19/24"), ("187/240", "187/240"), ("35/48", "35/48")),
}


def process_of(text: str) -> LabelledMarkovDecisionProcess:
    name, *parameters = text.split()
    model = build(name, **dict(parameter.split("=") for parameter in parameters))
    assert isinstance(model, LabelledMarkovDecisionProcess)
    return model


@pytest.mark.parametrize("text", VALUES)
def test_values_of_the_page(text: str) -> None:
    for alpha, (forward, backward) in zip(ALPHAS, VALUES[text], strict=True):
        answer = delta(process_of(text), "s", "t", alpha)
        expected = Fraction(forward), Fraction(backward)
        assert answer.directions == {"forward": (expected[0],) * 2, "backward": (expected[1],) * 2}
        assert f"value={answer.value} attackers=all" in verify(answer.certificate)


@pytest.mark.family
@pytest.mark.parametrize(
    ("text", "alpha", "value", "fixed"),
    [
        ("two-doors", 1, "1/2", "1/4"),
        ("two-doors", "6/5", "9/20", "9/40"),
        ("two-doors", 2, "1/4", "1/8"),
        ("pin-guessing", 1, "1", "2/3"),
        ("pin-guessing honest=3/4", 1, "5/6", "2/3"),
        ("pin-guessing honest=3/4", 2, "5/6", "2/3"),
        ("password-timing early_exit=no", 1, "1/3", "1/3"),
    ],
)
def test_adapting_and_not_adapting(text: str, alpha: int | str, value: str, fixed: str) -> None:
    answer = delta(process_of(text), alpha=alpha, open_loop=True)
    assert answer.value == Fraction(value)
    assert answer.open_loop is not None
    assert (answer.open_loop.value, answer.open_loop.complete) == (Fraction(fixed), True)
    verify(answer.certificate)


def test_a_supremum_that_nobody_attains() -> None:
    process = process_of("grow")
    s, t = process.index("s"), process.index("t")
    assert [gain(process, s, t, Fraction(1), n) for n in (1, 2, 3, 4)] == [
        1 - Fraction(1, 2) ** (n - 1) for n in (1, 2, 3, 4)
    ]
    answer = delta(process, "s", "t", 2, gap="1/1000")
    assert Fraction(999, 1000) <= answer.lower < answer.upper == 1
    verify(answer.certificate)


def test_fresh_answers_with_few_questions() -> None:
    process = process_of("adaptive-response memoised=no")
    s, t = process.index("s"), process.index("t")
    assert [gain(process, s, t, Fraction(1), n) for n in (1, 2, 3, 4, 5)] == [
        Fraction(v) for v in ("1/2", "1/2", "11/16", "11/16", "203/256")
    ]
    assert [gain(process, s, t, Fraction(2), n) for n in (1, 2, 3)] == [
        Fraction(v) for v in ("1/4", "7/16", "17/32")
    ]


@pytest.mark.parametrize("count", [30, pytest.param(2_000, marks=pytest.mark.slow)])
def test_what_ends_is_exact(count: int) -> None:
    for number, process in enumerate(random_processes(count, seed=1, ends=True)):
        alpha = ALPHAS[number % 3]
        answer = delta(process, "s0", "s1", alpha, kind="lv")
        s, t = process.index("s0"), process.index("s1")
        assert answer.value == gain(process, s, t, alpha, 6)
        assert f"value={answer.value} " in verify(answer.certificate)


@pytest.mark.parametrize("count", [15, pytest.param(2_000, marks=pytest.mark.slow)])
def test_what_goes_on_is_enclosed(count: int) -> None:
    for number, process in enumerate(random_processes(count, seed=2, ends=False)):
        alpha = ALPHAS[number % 3]
        answer = delta(process, "s0", "s1", alpha, kind="lv", gap="1/20", limits=Limits(nodes=500))
        s, t = process.index("s0"), process.index("s1")
        reached = gain(process, s, t, alpha, 4)
        assert reached <= answer.upper
        assert answer.lower >= reached - (answer.upper - answer.lower)
        verify(answer.certificate)


def test_a_large_cycle_does_not_undo_what_is_proved() -> None:
    """Values in a cycle of many nodes are rounded so that every step of the attacker leaves some room."""
    rows = {
        "s": ("a", {"x": {"s": "3/7", "c": "4/7"}, "y": {"s": "1/3", "d": "2/3"}}),
        "t": ("a", {"x": {"c": "1/3", "d": "2/3"}, "y": {"c": "3/4", "d": "1/4"}}),
        "c": ("a", {"x": {"b": "1/2", "t": "1/2"}, "y": {"b": "4/7", "c": "3/7"}}),
        "b": ("b", {"x": {"t": "1/4", "d": "3/4"}, "y": {"t": "1/3", "e": "2/3"}}),
        "d": ("b", {"x": {"b": "1/4", "c": "3/4"}, "y": {"b": "4/7", "c": "3/7"}}),
        "e": ("b", {"x": {"t": "3/4", "e": "1/4"}, "y": {"t": "1/5", "e": "4/5"}}),
    }
    process = LabelledMarkovDecisionProcess.of(rows)
    few, more = (
        delta(process, "s", "t", 1, kind="lv", gap="1/1000", limits=Limits(nodes=nodes))
        for nodes in (2_700, 3_000)
    )
    assert Fraction(7, 10) < few.lower <= more.lower < more.upper <= few.upper
    verify(more.certificate)


def test_the_recursion_and_the_definition() -> None:
    for number, process in enumerate(random_processes(6, seed=3, ends=False)):
        alpha = ALPHAS[number % 3]
        s, t = process.index("s0"), process.index("s1")
        assert gain(process, s, t, alpha, 2) == gain_of_all_attackers(process, s, t, alpha, 2)


def test_one_action_is_a_chain() -> None:
    """The engine of processes itself, where nothing is chosen."""
    for number, process in enumerate(random_processes(12, seed=4, ends=True)):
        alpha = ALPHAS[number % 3]
        states = {
            name: (process.labels[s], {"x": {process.states[k]: p for k, p in process.row(s, "x").items()}})
            for s, name in enumerate(process.states)
        }
        single = LabelledMarkovDecisionProcess.of(states, [("s0", "s1")])
        expected = chain_delta(single.as_chain(), "s0", "s1", alpha).directions
        ways = [(single.index(s), single.index(t)) for s, t in (("s0", "s1"), ("s1", "s0"))]
        found = enclose(
            MergedSystem.of(single), ways, alpha, Goal(Fraction(0), each=True), Refinement(Limits())
        )
        bounds = [(found.lower[way], found.upper[way]) for way in ways]
        assert bounds == [expected["forward"], expected["backward"]]


def test_epsilon_has_a_certificate_for_either_end() -> None:
    answer = delta(process_of("two-doors"), epsilon="1/10")
    assert answer.alpha is None
    assert answer.lower < answer.upper <= answer.lower + Fraction(1, 10**6)
    assert "<=exp(1/10)" in verify(answer.certificate)
    assert ">=exp(1/10)" in verify(answer.lower_certificate)


def test_a_threshold() -> None:
    process = process_of("password-timing guesses=2")
    assert delta(process, "s", "t", 1, at_most="4/5").is_at_most(Fraction(4, 5)) is True
    assert delta(process, "s", "t", 1, at_most="3/5").is_at_most(Fraction(3, 5)) is False


def test_the_least_epsilon() -> None:
    answer = epsilon_for(process_of("two-doors"), "s", "t", "9/20")
    assert answer.alpha_upper is not None
    assert answer.alpha_lower <= Fraction(6, 5) <= answer.alpha_upper
    assert answer.alpha_upper <= answer.alpha_lower * (1 + Fraction(1, 10**6))
    for certificate in (answer.certificate, answer.lower_certificate):
        assert certificate is not None
        assert "attackers=all" in verify(certificate)


def test_no_epsilon_helps_where_something_is_seen_in_one_case_only() -> None:
    assert epsilon_for(process_of("wait"), "s", "t", "1/4").impossible


def test_the_public_names_take_both_kinds() -> None:
    assert prover.delta(process_of("two-doors"), "s", "t", 2).value == Fraction(1, 4)
    assert prover.epsilon_for(process_of("wait"), "s", "t", delta="1/2").alpha == 1
    single = LabelledMarkovDecisionProcess.of({"s": ("a", {"go": {"s": 1}}), "t": ("a", {"go": {"t": 1}})})
    assert isinstance(prover.delta(single, "s", "t", 2), prover.Delta)
    with refuses("not-interactive"):
        prover.delta(single, "s", "t", 2, open_loop=True)


def test_a_curve() -> None:
    found = prover.curve(process_of("password-timing"), "s", "t", ["1", "6/5", "3/2", "2"])
    assert [point.lower for point in found] == [point.upper for point in found]
    assert [str(found.points[k].lower) for k in (0, 1, 3)] == ["7/12", "11/20", "5/12"]


def test_probabilities_that_are_too_long_are_said_to_be_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = delta(process_of("adaptive-response"), "s", "t", "6/5")
    assert exact.strategy is not None
    assert exact.strategy.close
    monkeypatch.setattr("prover.chain.unrolling.values._LONGEST", 4)
    answer = delta(process_of("adaptive-response"), "s", "t", "6/5")
    found = answer.strategy
    assert found is not None
    assert not found.close
    assert found.from_probability <= exact.strategy.from_probability
    assert found.to_probability >= exact.strategy.to_probability
    assert found.from_probability - Fraction(6, 5) * exact.strategy.to_probability <= answer.lower
    text = delta_document(answer).text
    assert "The guess is s with probability at least 0.48" in text
    assert "under s and at most 0.42" in text


def test_doing_the_same_many_times_is_one_line() -> None:
    answer = delta(process_of("grow"), "s", "t", "6/5")
    text = delta_document(answer).text.splitlines()
    (line,) = (line for line in text if "times" in line)
    times = int(line.split()[2])
    assert times > 10
    assert [row.split()[:2] for row in text[text.index(line) + 1 :][:4]] == [
        ["see", "play"], ["do", "cash"], ["see", "lose"], ["see", "win"],
    ]  # fmt: skip
    (steps,) = (chance for chance in text if "see win" in chance)
    assert f" {2**times - 1}/{2**times} " in steps
