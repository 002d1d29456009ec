"""Components and routes, against networkx and on graphs that are large or deep."""

from __future__ import annotations

import networkx as nx
import pytest

from prover.errors import Fault
from prover.program.graph import components, route
from prover.program.model import Program, out_edges
from tests.profiles import thinned
from tests.program.automata import random_program
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step


def graph_of(model: Program) -> nx.MultiDiGraph:
    """The reachable part without final states; every arc has the number of its edge as its key."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(model.states)
    graph.add_edges_from(
        (edge.source, edge.target, edge.number) for edge in model.edges if edge.target in model.states
    )
    return graph.subgraph({model.initial} | nx.descendants(graph, model.initial))


@pytest.mark.parametrize("block", range(10))
def test_components_are_those_of_networkx(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        model = random_program(seed, largest=12)
        graph, parts = graph_of(model), components(model)
        assert set(parts.number) == set(graph)
        classes: dict[int, set[str]] = {}
        for name, number in parts.number.items():
            classes.setdefault(number, set()).add(name)
        expected = list(nx.strongly_connected_components(graph))
        assert sorted(map(sorted, classes.values())) == sorted(map(sorted, expected))
        assert sorted(classes) == list(range(len(expected)))
        assert all(parts.number[start] <= parts.number[end] for start, end in graph.edges())
        assert {edge.number for edge in parts.edges} == {
            edge.number for edge in model.edges if edge.source in graph
        }
        on_cycles = {
            number for start, end, number in graph.edges(keys=True) if nx.has_path(graph, end, start)
        }
        assert parts.inside == on_cycles


def test_routes_are_shortest_and_keep_to_allowed_edges() -> None:
    for seed in thinned(range(300)):
        model = random_program(seed, largest=12)
        leaving, graph = out_edges(model), graph_of(model)
        lengths = nx.single_source_shortest_path_length(graph, model.initial)
        for name, length in lengths.items():
            way = route(leaving, model.initial, name, lambda _: True)
            assert len(way) == length
            ends = [model.initial, *(edge.target for edge in way)]
            assert [edge.source for edge in way] + [name] == ends
            quiet = route(leaving, name, name, lambda edge: not edge.relation)
            assert quiet == []


def test_a_turn_is_a_cycle() -> None:
    for seed in thinned(range(300)):
        model = random_program(seed)
        parts, leaving = components(model), out_edges(model)
        for edge in filter(parts.holds, parts.edges):
            cycle = [edge, *route(leaving, edge.target, edge.source, parts.holds)]
            assert all(map(parts.holds, cycle))
            assert cycle[0] == edge
            assert [e.target for e in cycle] == [*(e.source for e in cycle[1:]), edge.source]


def test_no_route_is_a_fault() -> None:
    model = program({"q0": state(step(TRUE, "end", assign=True)), "q1": state(step(BELOW, "q1"))})
    with pytest.raises(Fault, match="no route"):
        route(out_edges(model), "q0", "q1", lambda _: True)


def test_unreachable_and_final_states_have_no_component() -> None:
    model = program({"q0": state(step(TRUE, "end", assign=True)), "q1": state(step(BELOW, "q1"))})
    parts = components(model)
    assert parts.number == {"q0": 0}
    assert [edge.number for edge in parts.edges] == [0]
    assert parts.inside == frozenset()


def test_parallel_edges_and_loops() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(BELOW, "q2"), step(ABOVE, "q2")),
            "q2": state(step(BELOW, "q1"), step(ABOVE, "q2")),
        }
    )
    parts = components(model)
    assert parts.number == {"q0": 0, "q1": 1, "q2": 1}
    assert parts.inside == {1, 2, 3, 4}


@pytest.mark.thorough
@pytest.mark.parametrize("back", [False, True])
def test_deep_graphs_need_no_recursion(back: bool) -> None:
    count = 5_000
    names = [f"q{k:05}" for k in range(count)]
    states = {names[0]: state(step(TRUE, names[1], assign=True))}
    for k in range(1, count - 1):
        states[names[k]] = state(step(BELOW, names[k + 1]))
    states[names[-1]] = state(step(BELOW, names[1] if back else "end"))
    parts = components(program(states))
    assert len(set(parts.number.values())) == (2 if back else count)
    assert len(parts.inside) == (count - 1 if back else 0)
