"""The page of δ where an attacker chooses: the strategy as a tree, the process as a picture."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.chain.model import ANONYMOUS
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.unrolling.answer import InteractiveDelta
from prover.chain.unrolling.strategy import Ask
from prover.report.delta import document as delta_document
from prover.report.strategy import marked_ends
from prover.zoo.interactive import doors, wait
from prover.zoo.passwords import password_timing
from tests.commands import FORKS
from tests.commands import prover as run
from tests.interactive_oracle import attackers_delta as against_all
from tests.report.pages import check_as_told, embedded, read_page, whole_text
from tests.report.test_delta_page import HOSTILE


@pytest.fixture(scope="module")
def answer() -> InteractiveDelta:
    return against_all(wait(), "s", "t", 2)


def test_it_says_what_is_known(answer: InteractiveDelta) -> None:
    text = whole_text(answer.to_html())
    assert "How well can an attacker who chooses actions distinguish s and t" in text
    assert "δ = 1/2 (0.5)" in text
    assert "For every attacker and every event E: P[E | s] ≤ 2 · P[E | t] + 1/2" in text
    assert repr(answer).startswith("<InteractiveDelta: delta_2(s, t) = 1/2")


def done(ask: Ask) -> set[str]:
    """The actions of a strategy, those that have names."""
    after = [done(answer.then) for answer in ask.answers if answer.then is not None]
    return {ask.action}.union(*after) - {ANONYMOUS}


def test_the_tree_says_what_to_do_and_when_to_speak() -> None:
    process = doors()
    s, t = (process.states[state] for state in process.relation[0])
    found = against_all(process, s, t, "6/5", open_loop=True)
    assert found.strategy is not None
    page = found.to_html()
    text = whole_text(page)
    begin = found.strategy.begin
    assert begin is not None
    for action in done(begin):
        assert f"Do {action} See" in text
    assert f"Guess {found.strategy.source}" in text
    assert f"State {s}, a secret, has the label" in text
    assert "The best fixed sequence" in text


def test_one_can_check_it_as_it_tells(answer: InteractiveDelta, tmp_path: Path) -> None:
    page = answer.to_html()
    assert embedded(page) == [answer.certificate.data]
    assert check_as_told(page, tmp_path) == [f"VERIFIED {prover.verify(answer.certificate)}"]


def test_notebooks_draw_processes(answer: InteractiveDelta) -> None:
    assert len(read_page(answer._repr_html_()).pictures) == 1
    assert len(read_page(doors()._repr_html_()).pictures) == 1
    assert f">do {wait().actions[0]}<" in str(wait().show())


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_texts_and_nothing_else(name: str) -> None:
    one, two = Fraction(1, 3), Fraction(2, 3)
    heads, tails = f"h{name}", f"t{name}"
    process = LabelledMarkovDecisionProcess.of(
        {
            name: (name, {name: {heads: one, tails: two}, f"b{name}": {heads: two, tails: one}}),
            f"2{name}": (name, {name: {heads: two, tails: one}, f"b{name}": {heads: one, tails: two}}),
            heads: (heads, {heads: 1}),
            tails: (tails, {tails: 1}),
        }
    )
    page = against_all(process, name, f"2{name}", 1).to_html()
    read_page(page)
    assert "\u202e" not in page
    assert "\x00" not in page


def test_the_least_epsilon_is_about_attackers_too(tmp_path: Path) -> None:
    found = prover.epsilon_for(wait(), "t", "s", "2/5", kind="lv")
    page = found.to_html()
    text = whole_text(page)
    assert "for t and s, against every attacker?" in text
    assert f"Do {wait().actions[0]}" in text
    assert "The attacker knows the model" in text
    assert "The observer sees the label" not in text
    assert {line[:8] for line in check_as_told(page, tmp_path)} == {"VERIFIED"}


@pytest.mark.filterwarnings(FORKS)
def test_the_command_writes_the_page(tmp_path: Path) -> None:
    model, page = tmp_path / "wait.json", tmp_path / "wait.html"
    model.write_text(run("zoo", "wait").out)
    assert run("delta", model, "--from", "s", "--to", "t", "--alpha", "2", "--html", page).status == 0
    assert "δ = 1/2" in whole_text(page.read_text(encoding="utf-8"))


def test_where_a_tree_is_cut_it_says_how_much_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prover.chain.unrolling.strategy.SHOWN", 5)
    process = password_timing(guesses=2)
    s, t = (process.states[state] for state in process.relation[0])
    found = against_all(process, s, t, 2)
    assert found.strategy is not None
    assert not found.strategy.complete
    ends = marked_ends(found.strategy.begin) if found.strategy.begin is not None else []
    more, less = (sum(getattr(end, f"{side}_probability") for end in ends) for side in ("from", "to"))
    shown = f"{len(ends)} of {found.strategy.event.count} shown, together with P = {more} under {s} and "
    assert 0 < more < found.strategy.from_probability
    assert f"Marked ends: {shown}P = {less} under {t}." in whole_text(found.to_html())
    assert f"The tree is cut: marked ends: {shown}P = {less} under {t}." in delta_document(found).text
