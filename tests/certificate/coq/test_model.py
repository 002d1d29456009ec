"""Chains as Coq terms: no name writes Coq."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.certificate.coq.model import SAFE, plain, read, text
from tests.certificate.samples import model

HOSTILE = [
    "*)",
    "(*",
    '"',
    "*) Axiom false : False. (*",
    "]. Admitted.",
    "a\nb",
    "\x00",
    "%2A",
    "é",
    "\ud800",
    "",
]


@given(st.text())
def test_names_are_plain(name: str) -> None:
    written = plain(name)
    assert written
    assert set(written) <= SAFE | {"%"}


def test_different_names_are_written_differently() -> None:
    assert len({plain(name) for name in HOSTILE}) == len(HOSTILE)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_stays_in_its_comment(name: str) -> None:
    harmless = "\n".join(text(read(model({"s": ("a", {"s": "1"})}))))
    written = "\n".join(text(read(model({name: (name, {name: "1"})}))))
    assert uncommented(written) == uncommented(harmless)


def uncommented(coq: str) -> str:
    return re.sub(r"\(\*.*?\*\)", "", coq, flags=re.DOTALL)


def test_numbers_are_those_of_the_names_in_order() -> None:
    states = {"t": ("b", {"s": "1/3", "t": "2/3"}), "s": ("a", {"t": "1"})}
    assert list(text(read(model(states))))[-4:] == [
        "Definition model : chain := [",
        "  (* 0  s *) (0%N, [(1%N, 1#1)]);",
        "  (* 1  t *) (1%N, [(0%N, 1#3); (1%N, 2#3)])",
        "].",
    ]
