"""Names of labels and states that are empty are written as ‹empty›: they left gaps in sentences."""

from __future__ import annotations

from prover import LabelledMarkovChain, delta
from prover.report.delta import document as delta_document
from tests.report.pages import whole_text

CHAIN = LabelledMarkovChain.of(
    {
        "": ("start", {"a": "1/2", "b": "1/2"}),
        "t": ("start", {"a": "1/3", "b": "2/3"}),
        "a": ("", {"a": 1}),
        "b": ("b", {"b": 1}),
    },
    [("", "t")],
)


def test_texts_and_pages_name_what_is_empty() -> None:
    answer = delta(CHAIN, alpha=1)
    text = delta_document(answer).text
    assert "delta_1(‹empty›, t)" in text
    assert "Attack: guess ‹empty› if the output begins with:\n  start, ‹empty›" in text
    page = whole_text(answer.to_html())
    assert "guess ‹empty› if the output begins with start, ‹empty›." in page
    assert "‹empty› ‹empty› 1/2 t 1/3 Guess ‹empty›" in page
    assert "State a has the label ‹empty› and goes to a (1)." in page
    assert "shows ‹empty›" in str(CHAIN.show())
    assert repr(answer.attack) == "<Attack: guess ‹empty›, not t, if the output begins with start, ‹empty›>"


def test_a_page_says_which_word_it_is() -> None:
    chain = LabelledMarkovChain.of(
        {
            "s": ("start", {"a": "1/2", "b": "1/2"}),
            "t": ("start", {"a": 1}),
            "a": ("a", {"a": 1}),
            "b": ("b", {"b": 1}),
        },
        [("s", "t")],
    )
    assert "if the output begins with start, b." in whole_text(delta(chain, alpha=1).to_html())
