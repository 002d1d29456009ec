"""Walks of graphs against networkx and by hand."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.graphs import has_cycle, search, strong_components, way_to

GRAPHS = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=4), min_size=n, max_size=n)
)


def networkx_of(graph: list[list[int]]) -> nx.DiGraph:
    found = nx.DiGraph()
    found.add_nodes_from(range(len(graph)))
    found.add_edges_from((s, t) for s, row in enumerate(graph) for t in row)
    return found


@given(GRAPHS)
def test_components_are_those_of_networkx(graph: list[list[int]]) -> None:
    found = strong_components(range(len(graph)), graph.__getitem__)
    wanted = {frozenset(part) for part in nx.strongly_connected_components(networkx_of(graph))}
    assert len(found) == len(wanted)
    assert {frozenset(members) for members in found} == wanted


@given(GRAPHS)
def test_a_component_comes_after_those_that_it_leads_to(graph: list[list[int]]) -> None:
    place = {s: k for k, members in enumerate(strong_components([0], graph.__getitem__)) for s in members}
    assert set(place) == set(search([0], graph.__getitem__))
    assert all(place[t] <= place[s] for s in place for t in graph[s])


@given(GRAPHS)
def test_ways_are_shortest(graph: list[list[int]]) -> None:
    before = search([0], graph.__getitem__)
    lengths = nx.single_source_shortest_path_length(networkx_of(graph), 0)
    assert set(before) == set(lengths)
    for node in before:
        way = way_to(node, before)
        assert (way[0], way[-1], len(way) - 1) == (0, node, lengths[node])
        assert all(b in graph[a] for a, b in pairwise(way))


@given(GRAPHS)
def test_cycles_are_those_of_networkx(graph: list[list[int]]) -> None:
    reached = networkx_of(graph).subgraph(search([0], graph.__getitem__))
    assert has_cycle([0], graph.__getitem__) == (not nx.is_directed_acyclic_graph(reached))


def test_the_search_for_a_cycle_ends_at_the_first_one() -> None:
    visited: list[int] = []

    def successors(node: int) -> list[int]:
        visited.append(node)
        return [(node + 1) % 10, node + 10]

    assert has_cycle([0], successors)
    assert len(visited) == 10


@pytest.mark.thorough
def test_long_ways_need_no_recursion() -> None:
    length = 100_000
    found = strong_components([0], lambda s: [s + 1] if s < length else [])
    assert len(found) == length + 1
    assert found[0] == [length]
    assert len(way_to(length, search([0], lambda s: [s + 1] if s < length else []))) == length + 1
    assert not has_cycle([0], lambda s: [s + 1] if s < length else [])


@given(GRAPHS, st.sets(st.integers(0, 6)))
def test_a_search_for_some_nodes_finds_them_the_same_way(graph: list[list[int]], wanted: set[int]) -> None:
    everything = search([0], graph.__getitem__)
    some = search([0], graph.__getitem__, wanted)
    assert wanted & everything.keys() == wanted & some.keys()
    assert all(everything[node] == before for node, before in some.items())


def test_a_search_ends_when_all_wanted_nodes_are_found() -> None:
    asked = []

    def successors(node: int) -> list[int]:
        asked.append(node)
        return [node + 1, node + 2]

    assert search([0], successors, [3]) == {0: None, 1: 0, 2: 0, 3: 1}
    assert asked == [0, 1]
    assert search([0], successors, [0]) == {0: None}
    assert asked == [0, 1]
