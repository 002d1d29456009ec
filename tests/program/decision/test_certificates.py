"""Certificates of verdicts: their form, and that the rules of the specification hold for them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prover import zoo
from prover.program.decision.blocks import NOTHING, total, under
from prover.program.decision.boundedness import decide
from prover.program.decision.certificates import (
    boundedness_certificate,
    loss_claimed,
    not_private_certificate,
)
from prover.program.model import Program
from prover.program.outputs import INSAMPLE
from tests.certificate.verdicts import claimed
from tests.profiles import thinned
from tests.program.automata import random_program
from tests.program_examples import BELOW, TRUE, program, state, step

CONTRADICTIONS = [{"lo1", "hi0"}, {"lo1", "hi1"}, {"lo0", "hi1"}]


def document(model: Program) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(boundedness_certificate(model, decide(model)).data)
    return read


def keeps_the_rules(model: Program, components: dict[str, int], facts: dict[str, list[str]]) -> bool:
    """The rules of section 4.1, read off the specification."""
    if model.initial not in components or not facts.keys() <= components.keys():
        return False
    assigning, testing = set(), set()
    for edge in model.edges:
        if edge.source not in components:
            continue
        here, final = components[edge.source], edge.target not in model.states
        if not final and (edge.target not in components or components[edge.target] < here):
            return False
        inside = not final and components[edge.target] == here
        if inside and edge.input and edge.output.startswith("insample"):
            return False
        if inside and edge.assigns:
            assigning.add(here)
        if inside and edge.input and edge.guard:
            testing.add(here)
        word = {"": None, "<": "lo", ">=": "hi"}[edge.relation]
        added = set()
        if word and inside:
            added.add(word + "1")
        if word and edge.output == INSAMPLE:
            added.add(word + "0")
        old = set(facts.get(edge.source, []))
        if any({a, b} in CONTRADICTIONS for a in added for b in old | added):
            return False
        new = old | added
        if edge.assigns:
            kept = {"": "", "<": "hi", ">=": "lo"}[edge.relation]
            new = {fact for fact in new if kept and fact.startswith(kept)}
            new |= {"lo0", "hi0"} if edge.output == INSAMPLE else set()
        if not final and not new <= set(facts.get(edge.target, [])):
            return False
    return not assigning & testing


@pytest.mark.parametrize("block", range(10))
def test_tables_of_facts_keep_the_rules(block: int) -> None:
    for seed in range(block * 300, block * 300 + 300):
        model = random_program(seed)
        verdict = decide(model)
        if not verdict.bounded:
            continue
        read = document(model)
        assert read["claim"] == {"adjacency": "all-differ", "kind": "private", "loss": "observer"}
        components, facts = read["evidence"]["components"], read["evidence"]["facts"]
        assert keeps_the_rules(model, components, facts), seed
        assert all(words == sorted(set(words)) and words for words in facts.values())
        for name, words in facts.items():  # the table is the least one
            for word in words:
                fewer = {**facts, name: [other for other in words if other != word]}
                assert not keeps_the_rules(model, components, fewer), seed


@pytest.mark.parametrize("block", range(10))
def test_the_checker_accepts_every_verdict(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        model = random_program(seed)
        verdict = decide(model)
        claim = "private" if verdict.bounded else "not-private"
        loss = "observer" if verdict.bounded else loss_claimed(model)
        certificate = boundedness_certificate(model, verdict)
        assert claimed(certificate.data) == f"{claim} adjacency=all-differ loss={loss}", seed
        for adjacency in ("increasing", "decreasing"):
            if blocks := under(verdict.family, adjacency):
                certificate = not_private_certificate(model, blocks, adjacency)
                assert claimed(certificate.data) == f"not-private adjacency={adjacency} loss={loss}", seed


def test_no_table_keeps_the_rules_of_a_program_that_is_not_private() -> None:
    for name in ("leaking-cycle", "leaking-pair", "disclosing-cycle", "violating-path-a", "violating-path-c"):
        model = zoo.build_program(name)
        components = dict.fromkeys(model.states, 0)
        assert not keeps_the_rules(model, components, {})
        assert not keeps_the_rules(model, {name: k for k, name in enumerate(model.states)}, {})


def test_unreachable_states_are_left_out() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(BELOW, "q1")),
            "q2": state(step(BELOW, "q2", INSAMPLE, assign=True)),
        }
    )
    assert (
        claimed(boundedness_certificate(model, decide(model)).data)
        == "private adjacency=all-differ loss=observer"
    )
    assert document(model)["evidence"] == {"components": {"q0": 0, "q1": 1}, "facts": {"q1": ["lo1"]}}


def test_families_are_written_as_they_are() -> None:
    model = zoo.build_program("violating-path-c")
    read = document(model)
    assert read["claim"] == {"adjacency": "all-differ", "kind": "not-private", "loss": "observer"}
    blocks = decide(model).family
    written = read["evidence"]["blocks"]
    assert [part["kind"] for part in written] == ["repeat" if b.repeat else "once" for b in blocks]
    for part, block in zip(written, blocks, strict=True):
        for item, given in zip(part["steps"], block.steps, strict=True):
            dual = given.duals[0] if given.duals else NOTHING
            slope = {"slope": str(dual.slope)} if dual.slope else {}
            assert item == {
                "delta": given.delta,
                "multiplier": str(dual.constant),
                "transition": given.edge.number,
                **slope,
            }
    slopes = [item for part in written for item in part["steps"] if "slope" in item]
    assert slopes
    assert all(part["kind"] == "once" for part in written for item in part["steps"] if item in slopes)


def test_the_same_program_gives_the_same_bytes() -> None:
    for seed in thinned(range(200)):
        model = random_program(seed)
        shuffled = Program(model.initial, dict(reversed(list(model.states.items()))))
        first = boundedness_certificate(model, decide(model))
        assert first.data == boundedness_certificate(shuffled, decide(shuffled)).data


def test_other_adjacencies_are_named_in_the_claim() -> None:
    model = zoo.build_program("violating-path-c")
    blocks = under(decide(model).family, "increasing")
    assert total(blocks).slope > 0
    read = json.loads(not_private_certificate(model, blocks, "increasing").data)
    assert read["claim"] == {"adjacency": "increasing", "kind": "not-private", "loss": "observer"}
