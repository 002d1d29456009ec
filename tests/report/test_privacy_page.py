"""The page about a program: the verdict, the automaton, the attack, why not, and its certificate."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.program.model import Program, State, Transition
from prover.zoo import (
    disclosing_cycle,
    leaking_cycle,
    leaking_pair,
    noisy_max,
    svt,
    violating_path_a,
)
from tests.commands import FORKS
from tests.commands import prover as run
from tests.report.pages import check_as_told, embedded, read_page, whole_text
from tests.report.test_delta_page import HOSTILE


@pytest.fixture(scope="module")
def answer() -> prover.Privacy:
    return prover.privacy(svt())


def test_it_says_what_is_known(answer: prover.Privacy) -> None:
    text = whole_text(answer.to_html())
    assert "private: exactly (5/4)·ε (no smaller multiple holds)" in text
    assert "For every ε > 0, the program is (5/4)·ε-differentially private" in text
    assert "1 5/4 3.4904" in text  # e^(5/4) = 3.49034…, rounded up
    assert "inputs range over all real numbers" in text
    assert "Why it is not private" not in text


def test_the_attack_has_both_inputs_and_comes_close(answer: prover.Privacy) -> None:
    text = whole_text(answer.to_html())
    assert "q2 -> q2 < obot 16 17 2" in text
    assert "The loss, ln of their ratio, is 1.248378…" in text
    assert "At t = 16 the loss is 1.248378…. The limit is 5/4." in text
    assert "Transition to q2 (marked): < x, out obot." in text


def test_one_can_check_it_as_it_tells(answer: prover.Privacy, tmp_path: Path) -> None:
    page, proof = answer.to_html(), answer.certificate
    assert proof is not None
    assert embedded(page) == [proof.data]
    assert check_as_told(page, tmp_path) == [f"VERIFIED {prover.verify(proof)}"]


@pytest.mark.parametrize(
    ("program", "explained"),
    [
        (leaking_cycle, "In every turn, the marked cycle stores a noisy number and compares another"),
        (leaking_pair, "One cycle reveals that inputs are on one side of a stored number"),
        (disclosing_cycle, "Every turn of the marked cycle reads an input and outputs this input with noise"),
        (violating_path_a, "The marked path outputs this number or a number compared with it"),
    ],
)
def test_a_no_is_explained_and_the_structure_marked(program: Callable[[], Program], explained: str) -> None:
    answer = prover.privacy(program())
    page = answer.to_html()
    text = whole_text(page)
    assert f"not private: {answer.reason}" in text
    assert explained in text
    assert f"The {answer.reason} is marked." in text
    for state in answer.states:
        assert f"State {state} (marked):" in text
    assert "This loss exceeds 10." in text
    assert "Longer runs lose more, without bound." in text


def test_one_direction_is_called_one() -> None:
    text = whole_text(prover.privacy(svt(), adjacency="increasing").to_html())
    assert "one way, towards larger inputs" in text
    assert "P[E | x] ≤ e^((3/4)·ε) · P[E | x'], where x' is x with each number increased by 0 to 1." in text
    assert "This bounds one direction only and is not differential privacy" in text


def test_what_an_observer_learns_is_said() -> None:
    text = whole_text(prover.privacy(noisy_max(n=4)).to_html())
    assert "runs with the same output count as one event where their samples form a convex set" in text


def test_nothing_to_attack_is_said() -> None:
    text = whole_text(prover.privacy(stored("x")).to_html())
    assert "No attack exists: no run loses any privacy." in text


def stored(name: str, *more: Transition) -> Program:
    """A program that stores noise in a variable and goes on, with everything in it of this name."""
    one, zero = Fraction(1), Fraction(0)
    draw = State(False, one, zero, None, None, (Transition((), (name,), name, f"2{name}"),))
    states = {name: draw}
    if more:
        states[f"2{name}"] = State(True, one, zero, None, None, more)
    return Program(name, states)


def hostile(name: str) -> Program:
    """One that compares, too."""
    below = Transition((("<", name),), (), f"below{name}", f"2{name}")
    above = Transition(((">=", name),), (), f"above{name}", f"3{name}")
    return stored(name, below, above)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_texts_and_nothing_else(name: str) -> None:
    for page in (prover.privacy(hostile(name)).to_html(), prover.privacy(hostile(name))._repr_html_()):
        read_page(page)
        assert "\u202e" not in page
        assert "\x00" not in page


@pytest.mark.filterwarnings(FORKS)
def test_the_command_writes_the_page(tmp_path: Path) -> None:
    model, page = tmp_path / "svt.json", tmp_path / "svt.html"
    model.write_text(run("zoo", "svt").out)
    assert run("privacy", model, "--at-most", "1", "--html", page).status == 1
    text = whole_text(page.read_text(encoding="utf-8"))
    assert "At most ε: no. private: exactly (5/4)·ε" in text
    assert "a run of 4 steps on two neighbouring inputs, t·Δ and (t+1)·Δ" in text
