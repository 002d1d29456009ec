"""The four structures: what they look like, and that they are what they claim to be."""

from __future__ import annotations

from itertools import pairwise

import pytest

from prover import zoo
from prover.program.decision.boundedness import decide
from prover.program.graph import components
from prover.program.model import Edge, Program
from prover.program.outputs import INSAMPLE, REAL_OUTPUTS
from tests.program.automata import mirrored, random_program
from tests.program.structures import Structure, structures
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step

START = {"q0": state(step(TRUE, "q1", assign=True))}


def is_in(model: Program, found: Structure) -> bool:
    """Whether the edges that a structure lists make it what its name says, by its definition."""
    edges = [model.edges[number] for number in found.edges]
    low, high = (">=", "<") if found.mirror else ("<", ">=")
    inside = components(model).inside
    cyclic = {edge for edge in edges if edge.number in inside}

    def rises(begin: Edge, end: Edge) -> bool:
        """A path from after begin up to end, within the structure, all of whose assignments are high."""
        reached, waiting = {begin.target}, [begin.target]
        while waiting:
            at = waiting.pop()
            for edge in edges:
                good = not edge.assigns or edge.relation == high
                if edge.source == at and good and edge.target not in reached:
                    reached.add(edge.target)
                    waiting.append(edge.target)
        return end.source in reached

    below = [edge for edge in cyclic if edge.relation == low]
    above = [edge for edge in cyclic if edge.relation == high]
    match found.name, found.detail:
        case "leaking cycle", None:
            one = len({components(model).number[edge.source] for edge in edges}) == 1
            return one and any(e.assigns for e in cyclic) and any(e.relation and e.input for e in cyclic)
        case "disclosing cycle", None:
            return any(edge.input and edge.output in REAL_OUTPUTS for edge in cyclic)
        case "leaking pair", None:
            return any(rises(begin, end) for begin in below for end in above)
        case "privacy violating path", "a":
            starts = [edge for edge in edges if edge.assigns and edge.output == INSAMPLE]
            return any(rises(begin, end) for begin in starts for end in above)
        case "privacy violating path", "b":
            tests = [edge for edge in edges if edge.relation == low and edge.output == INSAMPLE]
            return any(rises(begin, end) for begin in tests if not begin.assigns for end in above)
        case "privacy violating path", "c":
            ends = [edge for edge in edges if edge.relation == high and edge.output == INSAMPLE]
            return any(rises(begin, end) for begin in below for end in ends)
    return False


@pytest.mark.parametrize("block", range(10))
def test_structures_are_what_they_are_called(block: int) -> None:
    for seed in range(block * 300, block * 300 + 300):
        model = random_program(seed)
        for found in structures(model):
            assert is_in(model, found), (seed, found)
            ends = [(model.edges[k].source, model.edges[k].target) for k in found.edges]
            assert set(found.states) == {name for pair in ends for name in pair}
            assert len(set(found.edges)) == len(found.edges)


def test_the_definition_tells_structures_apart() -> None:
    model = zoo.build_program("leaking-pair")
    (pair,) = structures(model)
    assert is_in(model, pair)
    assert not is_in(mirrored(model), pair)
    for name in ("leaking cycle", "disclosing cycle"):
        assert not is_in(model, Structure(name, None, False, pair.states, pair.edges))
    for letter in "abc":
        other = Structure("privacy violating path", letter, False, pair.states, pair.edges)
        assert not is_in(model, other)


def test_swapping_the_relations_swaps_the_mirror_images() -> None:
    for seed in range(2_000):
        model = random_program(seed)
        kinds = {(s.name, s.detail, s.mirror) for s in structures(model)}
        swapped = {
            (s.name, s.detail, s.mirror ^ (s.name in ("leaking pair", "privacy violating path")))
            for s in structures(mirrored(model))
        }
        assert kinds == swapped, seed


def test_a_cycle_with_both_guards_is_a_leaking_pair_both_ways() -> None:
    model = program({**START, "q1": state(step(BELOW, "q1"), step(ABOVE, "q1", "p"))})
    assert [(s.name, s.mirror, s.states, s.edges) for s in structures(model)] == [
        ("leaking pair", False, ("q1",), (1, 2)),
        ("leaking pair", True, ("q1",), (2, 1)),
    ]


def test_an_assignment_of_the_wrong_kind_breaks_a_pair() -> None:
    def loops(between: Program) -> list[str]:
        return [s.name for s in structures(between)]

    for guard, expected in ((ABOVE, ["leaking pair"]), (TRUE, [])):
        model = program(
            {
                **START,
                "q1": state(step(BELOW, "q1"), step(ABOVE, "q2", "p")),
                "q2": state(step(guard, "q3", assign=True)),
                "q3": state(step(ABOVE, "q3"), step(BELOW, "end", "p")),
            }
        )
        assert loops(model) == expected
        assert decide(model).bounded is (not expected)


def test_what_cannot_be_reached_has_no_structure() -> None:
    model = program({**START, "q1": state(step(BELOW, "end")), "q2": state(step(BELOW, "q2", INSAMPLE))})
    assert structures(model) == ()


def test_edges_and_states_are_listed_in_order_of_a_run() -> None:
    (found,) = structures(zoo.build_program("violating-path-c"))
    assert str(found).startswith("privacy violating path (c): ")
    model = zoo.build_program("violating-path-c")
    edges = [model.edges[number] for number in found.edges]
    assert all(a.target == b.source for a, b in pairwise(edges))


def test_mirror_images_say_so() -> None:
    (found,) = structures(zoo.build_program("violating-path-c", mirror="yes"))
    assert str(found).startswith("privacy violating path (c), mirror image: ")
