"""Models as Python objects and as graphs."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from prover.chain.model import LabelledMarkovChain
from prover.formats.objects import from_dict, to_dict, to_networkx
from prover.program.model import Program
from prover.zoo import pin_checker, svt
from tests.program_strategies import programs
from tests.refusals import refuses
from tests.strategies import chains


@given(chain=chains(related=True))
def test_chains_there_and_back(chain: LabelledMarkovChain) -> None:
    assert from_dict(to_dict(chain)) == chain == from_dict(json.loads(json.dumps(to_dict(chain))))


@given(program=programs(gaussian=True))
def test_programs_there_and_back(program: Program) -> None:
    assert from_dict(to_dict(program)) == program


def test_numbers_may_be_numbers() -> None:
    half = {"s": Fraction(1, 2), "t": "0.5"}
    states = {"s": {"label": "a", "next": half}, "t": {"label": "b", "next": {"t": 1}}}
    chain = from_dict(
        {"type": "labelled-markov-chain", "version": 1, "states": states, "relation": "same-label"}
    )
    assert isinstance(chain, LabelledMarkovChain)
    assert chain.rows[0] == {0: Fraction(1, 2), 1: Fraction(1, 2)}


def document(**changes: Any) -> dict[str, Any]:
    return {**to_dict(pin_checker()), **changes}


DEEP: list[Any] = []
for _ in range(100):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (document(version=1.0), "not-a-document"),
        (document(version=True), "wrong-type"),
        (document(type="dtmc"), "unknown-type"),
        (document(relation={1, 2}), "not-a-document"),
        (document(relation=DEEP), "not-a-document"),
        ({1: 2}, "not-a-document"),
        ({}, "missing-key"),
        ([], "wrong-type"),
    ],
)
def test_refusals(given: Any, error: str) -> None:
    with refuses(error):
        from_dict(given)


def test_a_graph() -> None:
    chain = pin_checker()
    graph = to_networkx(chain)
    assert set(graph.nodes) == set(chain.states)
    assert graph.nodes["0"]["label"] == chain.labels[chain.index("0")]
    assert all(sum(d["probability"] for *_, d in graph.out_edges(s, data=True)) == 1 for s in graph)
    assert len(graph.graph["relation"]) == len(chain.relation)
    assert isinstance(from_dict(to_dict(svt())), Program)
