"""The page about δ: what it says, that it loads nothing, that its certificate is checked as it tells."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

import prover
from prover.zoo import dining_cryptographers, pin_checker, random_chain
from tests.commands import FORKS
from tests.commands import prover as run
from tests.report.pages import check_as_told, embedded, read_page, whole_text


def same_label(chain: prover.LabelledMarkovChain, s: str, t: str) -> bool:
    """Whether two states look alike at first."""
    return chain.labels[chain.index(s)] == chain.labels[chain.index(t)]


@pytest.fixture(scope="module")
def answer() -> prover.Delta:
    return prover.delta(pin_checker(), alpha="11/10")


def test_it_says_what_is_asked_and_known(answer: prover.Delta) -> None:
    text = whole_text(answer.to_html())
    assert "How well can an observer distinguish two related secrets, if a factor of α = 11/10" in text
    assert "δ = 3791/75090 (0.050486…)" in text
    assert "ε = ln 11/10 ≈ 0.09531" in text
    assert "α = e^ε = 11/10" in text
    assert "P[E | s] ≤ 11/10 · P[E | t] + 3791/75090" in text
    assert "δ from 0 to 1 130/7509 (0.017312…)" in text
    assert "The observer sees the label of every state" in text


def test_the_story_has_the_probabilities_of_both(answer: prover.Delta) -> None:
    text = whole_text(answer.to_html())
    # A right PIN, seen as a, b, end, from the secret 1: 53/100 twice; from 0: 47/100 twice.
    assert "end 1 2809/10000 0 2209/10000 Guess 1" in text
    assert "For the whole event E, P[E | 1] = 2809/7509 and P[E | 0] = 2209/7509." in text
    assert "So P[E | 1] − 11/10 · P[E | 0] = 3791/75090, which is δ." in text


def choosing(count: int, times: int) -> prover.LabelledMarkovChain:
    """One of so many colours is seen, every second of them so many times as likely from t as from s."""
    likely = [1 if k % 2 else times for k in range(count)]
    laws = {"s": likely, "t": [1 + times - k for k in likely]}
    states: dict[str, tuple[str, dict[str, str | int | Fraction]]] = {
        name: ("start", {f"c{k}": Fraction(p, sum(law)) for k, p in enumerate(law)})
        for name, law in laws.items()
    }
    states |= {f"c{k}": (f"c{k}", {f"c{k}": 1}) for k in range(count)}
    return prover.LabelledMarkovChain.of(states, [("s", "t")])


def test_every_word_of_the_event_is_marked() -> None:
    text = whole_text(prover.delta(choosing(12, 2), alpha=1).to_html())
    assert "Attack: guess s if the output begins with one of 6 sequences of labels." in text
    for k in range(12):
        assert (f"c{k} s 1/9 t 1/18 Guess s" in text) is (k % 2 == 0)
        assert (f"c{k} s 1/18 t 1/9" in text) is (k % 2 == 1)
    assert "For the whole event E, P[E | s] = 2/3 and P[E | t] = 1/3." in text
    assert "longer" not in text
    assert "shown." not in text


def test_many_words_are_marked_together() -> None:
    text = whole_text(prover.delta(choosing(60, 2), alpha=1).to_html())
    assert text.count("Guess s") == 9  # once in the sentence about the tree
    assert "one of 23 other labels: c" in text
    assert f"s {Fraction(46, 90)} t {Fraction(23, 90)} Guess s" in text
    assert "For the whole event E, P[E | s] = 2/3 and P[E | t] = 1/3." in text
    assert "The whole rule: begin at node 0" in text
    assert all(f"1 c{k} guess s" in text for k in range(0, 60, 2))


def test_where_a_tree_is_cut_the_rule_goes_on(answer: prover.Delta) -> None:
    text = whole_text(answer.to_html())
    assert "one of infinitely many sequences of labels" in text
    assert "Where the tree is cut, later labels decide." in text
    assert "Cut here" in text
    assert "Sequences of labels: 5 shown, together with P = 0.373725 under 1 and P = 0.293899" in text
    assert "For the whole event E, P[E | 1] = 2809/7509 and P[E | 0] = 2209/7509." in text
    assert "0 a 1" in text


def test_rules_that_are_long_are_elsewhere(answer: prover.Delta, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prover.report.event.MOST_STEPS", 2)
    assert "is the event of `prover delta --json`" in whole_text(answer.to_html()).replace("`event`", "event")


def test_one_can_check_it_as_it_tells(answer: prover.Delta, tmp_path: Path) -> None:
    page = answer.to_html()
    assert embedded(page) == [answer.certificate.data]
    assert answer.certificate.sha256 in whole_text(page)
    (verdict,) = check_as_told(page, tmp_path)
    assert verdict == f"VERIFIED {prover.verify(answer.certificate)}"
    assert verdict.partition("model=")[2] in whole_text(page)


def test_with_epsilon_both_ends_are_proved(tmp_path: Path) -> None:
    answer = prover.delta(dining_cryptographers(), epsilon="1/100", gap="1/100")
    page = answer.to_html()
    assert embedded(page) == [answer.certificate.data, answer.lower_certificate.data]
    assert "ε = 1/100, α = e^ε ≈ 1.010050" in whole_text(page)
    assert [line[:8] for line in check_as_told(page, tmp_path)] == ["VERIFIED"] * 2


def test_an_interval_is_called_one() -> None:
    chain = random_chain(states=8)
    pairs = [(s, t) for s, t in combinations(chain.states, 2) if same_label(chain, s, t)]
    answers = (prover.delta(chain, *pair, "6/5", gap="9/10") for pair in pairs)
    answer = next(answer for answer in answers if answer.value is None)
    text = whole_text(answer.to_html())
    assert "δ is between" in text
    assert "δ =" not in text


def test_secrets_with_different_labels_are_told_apart_at_once() -> None:
    chain = prover.LabelledMarkovChain.of({"a": ("x", {"a": 1}), "b": ("y", {"b": 1})})
    text = whole_text(prover.delta(chain, "a", "b", 2).to_html())
    assert "x a 1 b 0 Guess a" in text
    assert "This bound is trivial: some event has probability 1 under a and 0 under b." in text


def test_no_attack_where_there_is_none() -> None:
    chain = prover.LabelledMarkovChain.of({"a": ("x", {"a": 1}), "b": ("x", {"a": 1})})
    text = whole_text(prover.delta(chain, "a", "b", 1).to_html())
    assert "No attack exists: no event is more likely under one secret by more than the factor." in text


def test_what_is_not_seen_is_said() -> None:
    chain = prover.collapse(pin_checker(), untimed=True, silent=["b"])
    text = whole_text(prover.delta(chain, alpha="11/10").to_html())
    seen = "The observer sees the sequence of different labels, not how long each lasts."
    assert f"{seen} States labelled b are invisible." in text


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style></svg></title>{{ 7 * 7 }}{% endfor %}",
    "&lt;b&gt;",
    "a\u202eb\nc\x00",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_texts_and_nothing_else(name: str) -> None:
    states: dict[str, tuple[str, dict[str, str | int | Fraction]]] = {
        name: (name, {"heads" + name: "1/3", "tails" + name: "2/3"}),
        "other" + name: (name, {"heads" + name: "2/3", "tails" + name: "1/3"}),
        "heads" + name: ("h" + name, {"heads" + name: 1}),
        "tails" + name: ("t" + name, {"tails" + name: 1}),
    }
    chain = prover.LabelledMarkovChain.of(states, [(name, "other" + name)])
    answer = prover.delta(chain, alpha="6/5")
    for page in (answer.to_html(), answer._repr_html_()):
        assert "49" not in read_page(page).text
        assert "\u202e" not in page
        assert "\x00" not in page


def test_what_was_only_compared_is_said_to_be() -> None:
    compared = prover.delta(pin_checker(), epsilon="1/10", at_most="1/20", gap=0)
    assert "The question was only whether δ is at most 1/20: the interval may be wide." in whole_text(
        compared.to_html()
    )


def test_long_certificates_are_no_part_of_pages(
    answer: prover.Delta, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prover.report.certificate.MOST_EMBEDDED", 100)
    page = answer.to_html()
    assert embedded(page) == []
    assert answer.certificate.sha256 in whole_text(page)
    assert "It is longer than the 100 bytes that a page can hold" in whole_text(page)
    assert read_page(page).commands == []


def test_the_same_answer_is_the_same_page(answer: prover.Delta) -> None:
    assert prover.delta(pin_checker(), alpha="11/10").to_html() == answer.to_html()


@pytest.mark.filterwarnings(FORKS)
def test_the_command_writes_the_page(tmp_path: Path) -> None:
    model, page = tmp_path / "pin.json", tmp_path / "pin.html"
    model.write_text(run("zoo", "pin-checker").out)
    done = run("delta", model, "--alpha", "11/10", "--at-most", "1/20", "--html", page)
    assert done.status == 1
    assert "At most 1/20: no. δ = 3791/75090" in whole_text(page.read_text(encoding="utf-8"))
    again = run("delta", model, "--alpha", "11/10", "--html", page)
    assert again.status == 2
    assert "exists already" in again.err
    assert run("delta", model, "--alpha", "11/10", "--html", model).status == 2
