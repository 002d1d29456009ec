"""lv and tv: roots, nodes and their entries, circles, values, leaves, limits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import (
    BadEvidence,
    ClaimOpen,
    Malformed,
    Rejected,
    RuleBroken,
    TooLarge,
    unrollings,
)
from tests.certificate.samples import Path, certificate, model, pair_claim
from tests.certificate.unrolling_judge import accepts_unrolling
from tests.certificate.unrolling_samples import (
    BALANCED,
    DISTANCE,
    MERGED,
    PIN,
    PIN_BOTH,
    PIN_STATES,
    QUOTIENT,
    UNROLLING_SAMPLES,
    balanced,
    inner,
    leaf,
    unrolling,
)
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
NODES: Path = ("evidence", "unrolling", "nodes")
ROOTS: Path = ("evidence", "unrolling", "roots")
LOWER: Path = ("claim", "lower")
UPPER: Path = ("claim", "upper")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("pin", 'lv alpha=1 from="0" to="1" value=200/2503'),
        ("pin-both", 'tv alpha=11/10 relation maximum at from="0" to="1" value=3791/75090'),
        ("balanced", 'lv alpha=1 from="t" to="r" value=1/5'),
        ("lost", 'lv alpha=1 lost="lost" from="s" to="t" lower=5/32 upper=19/64'),
        ("merged", 'lv alpha=1 from="s" to="t" value=5/24'),
        ("quotient", 'lv alpha=11/10 from="s" to="t" value=1/20'),
        ("walk-unrolled", 'tv alpha=8/5 from="s" to="t" lower=0 upper=1/5'),
    ],
)
def test_the_line(name: str, line: str) -> None:
    assert accepted(UNROLLING_SAMPLES[name]) == line
    assert accepts_unrolling(UNROLLING_SAMPLES[name])


# The file ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("claim", "scope"), "all-pairs"),
        (LOWER, ...),
        (("claim", "width"), "0"),
        (("evidence", "unrolling"), ...),
        (("evidence", "exact"), {"denominator": "1", "rows": []}),
        (("evidence", "unrolling", "denominator"), "1"),
        (ROOTS, ...),
        (ROOTS, {}),
        ((*ROOTS, 0), [0]),
        ((*ROOTS, 0), [0, 5]),
        ((*ROOTS, 0), [0, True]),
        (NODES, ...),
        (NODES, {}),
        ((*NODES, 2), []),
        ((*NODES, 2), {}),
        ((*NODES, 2), {"coupling": [], "lower": "0"}),
        ((*NODES, 2, "coupling"), {}),
        ((*NODES, 2, "coupling"), [[0, 1]]),
        ((*NODES, 2, "coupling"), [[0, 1, "0"]]),
        ((*NODES, 2, "coupling"), [[0, 5, "1"]]),
        ((*NODES, 0, "lower"), ...),
        ((*NODES, 0, "upper"), ...),
        ((*NODES, 0, "lower"), "-1"),
        ((*NODES, 0, "upper"), 1),
        ((*NODES, 0, "next"), ...),
        ((*NODES, 0, "next", 0), ["b"]),
        ((*NODES, 0, "next", 0), ["b", 1, "1", "1"]),
        ((*NODES, 0, "next", 0), ["b", "1"]),
        ((*NODES, 0, "next", 0), ["b", -1]),
        ((*NODES, 0, "next", 0), ["b", 4]),
        ((*NODES, 0, "next", 0), ["b", True]),
        ((*NODES, 0, "next", 0), [1, 1]),
        ((*NODES, 0, "next", 0), ["b", 1, 1]),
        ((*NODES, 0, "next", 0), ["b", 1, "-1"]),
        ((*NODES, 1, "next", 0), ["a", 0, "0"]),
        ((*NODES, 1, "next", 0), ["a", 0, "4982/20000"]),
        (("evidence", "distance"), {"denominator": "1", "rows": [], "splitters": []}),
        (("evidence", "classes"), None),
    ],
)
def test_unknown_missing_or_of_another_type(path: Path, value: Json) -> None:
    refused(edited(PIN, {path: value}), Malformed)


# Roots and nodes -----------------------------------------------------------------------------------------


def test_roots_are_different_pairs_of_equal_label() -> None:
    refused(edited(PIN, {ROOTS: [[0, 2]]}), BadEvidence, "the pair is not of equal label")
    refused(edited(PIN, {ROOTS: [[0, 0]]}), BadEvidence, "the pair is not of equal label")
    refused(edited(PIN_BOTH, {ROOTS: [[0, 1], [0, 1]]}), BadEvidence, "repeated")
    refused(edited(QUOTIENT, {ROOTS: [[0, 1]]}), BadEvidence, "the pair is not of equal label")


def test_every_node_is_defined_once_and_before_its_turn() -> None:
    nodes = PIN["evidence"]["unrolling"]["nodes"]
    refused(
        edited(PIN, {NODES: [*nodes, leaf()]}), BadEvidence, "node 4: no entry of an earlier node defines it"
    )
    refused(edited(PIN, {NODES: []}), BadEvidence, "there are more roots than nodes")
    refused(edited(PIN, {ROOTS: []}), BadEvidence, "node 0: no entry of an earlier node defines it")
    refused(edited(PIN, {(*NODES, 0, "next", 1, 1): 1}), BadEvidence, "node 1 is defined already")
    refused(edited(PIN, {(*NODES, 1, "next", 0): ["a", 0]}), BadEvidence, "node 0 is defined already")
    refused(edited(PIN, {(*NODES, 1, "next", 0): ["a", 1]}), BadEvidence, "node 1 is defined already")
    # Node 3 before node 1, which defines it.
    swapped = edited(PIN, {(*NODES, 0, "next", 0, 1): 3, (*NODES, 1): leaf(), (*NODES, 3): nodes[1]})
    refused(
        edited(swapped, {(*NODES, 3, "next", 1, 1): 1}),
        BadEvidence,
        "node 1: no entry of an earlier node defines it",
    )
    # The entries of the two roots' first form may not lead to a root either, though it comes later.
    refused(edited(PIN_BOTH, {(*NODES, 0, "next", 0, 1): 1}), BadEvidence, "node 1 is defined already")


def test_every_label_that_can_follow_has_one_entry() -> None:
    following = PIN["evidence"]["unrolling"]["nodes"][1]["next"]
    for entries in (following[:1], following[1:], [*following, ["z", 3, "1"]], [["A", 3, "1"], *following]):
        changed = edited(PIN, {(*NODES, 1, "next"): entries})
        refused(changed, BadEvidence, "labels")
    refused(edited(PIN, {(*NODES, 1, "next"): following[::-1]}), BadEvidence, "out of order")
    refused(edited(PIN, {(*NODES, 1, "next"): [following[0], *following]}), BadEvidence, "repeated")
    refused(edited(PIN, {(*NODES, 1, "next"): []}), BadEvidence, "labels")


def test_labels_that_only_the_second_secret_sees_have_no_entry() -> None:
    states = {"s": ("S", {"A": "1"}), "t": ("S", {"A": "1/2", "B": "1/2"})}
    ends = {"A": ("A", {"A": "1"}), "B": ("B", {"B": "1"})}
    claim = pair_claim("lv", "s", "t", "1/2", "1/2", "1")
    evidence = unrolling([[2, 3]], inner("1/2", "1/2", ["A", 1]), leaf())
    assert accepted(certificate(claim, model(states | ends), evidence)).endswith("value=1/2")
    more = unrolling([[2, 3]], inner("1/2", "1/2", ["A", 1], ["B", 2]), leaf(), leaf())
    refused(certificate(claim, model(states | ends), more), BadEvidence, "labels")


@pytest.mark.parametrize("factor", ["2491/10001", "2491/5000", "1", "10000/2491", "2491"])
def test_multiples_are_exact(factor: str) -> None:
    refused(
        edited(PIN, {(*NODES, 1, "next", 0, 2): factor}),
        RuleBroken,
        "the next vectors are not c times node 0",
    )
    # The same where the node comes later.
    refused(
        edited(MERGED, {(*NODES, 1, "next", 0, 2): factor}),
        RuleBroken,
        "the next vectors are not c times node 4",
    )


def test_multiples_are_of_both_vectors() -> None:
    # From 3 back to 1 with 1/2 only: y after a and b is no longer in the proportion of x.
    states = {**PIN_STATES, "3": ("b", {"1": "1/2", "end": "1/2"})}
    refused(edited(PIN, {("model",): model(states)}), RuleBroken, "the next vectors are not c times node 0")
    refused(
        edited(MERGED, {(*NODES, 1, "next", 0): ["E", 5, "3/4"]}),
        RuleBroken,
        "the next vectors are not c times node 5",
    )


@pytest.mark.parametrize("second", ["z", "v"])
def test_multiples_agree_in_every_state(second: str) -> None:
    # After V, one of the two secrets is at f in place of e, which look alike, and the other where it was.
    states = {name: ("S" if name in "st" else name.upper(), {"e": "1"}) for name in "uvwz"}
    states |= {"w": ("U", {"e": "1"}), "z": ("V", {"e": "1"}), "e": ("E", {"e": "1"}), "f": ("E", {"f": "1"})}
    states |= {"s": ("S", {"u": "1/2", "v": "1/2"}), "t": ("S", {"w": "1/2", "z": "1/2"})}
    top = inner("0", "1", ["U", 1], ["V", 2])
    rest = [inner("0", "1/2", ["E", 3]), inner("0", "1/2", ["E", 3, "1"]), leaf()]
    same = certificate(
        pair_claim("lv", "s", "t", "0", "1", "1"), model(states), unrolling([[2, 3]], top, *rest)
    )
    accepted(same)
    apart = edited(same, {("model", "states", second, "next"): {"f": "1"}})
    refused(apart, RuleBroken, "node 2: the next vectors are not c times node 3")


def test_a_multiple_may_be_above_one_and_of_any_node() -> None:
    assert MERGED["evidence"]["unrolling"]["nodes"][1]["next"][0] == ["E", 4, "3/2"]
    # E and F go on for ever: a node may be a multiple of itself, if a leaf can be reached besides.
    states = {"s": ("S", {"s": "1/2", "A": "1/2"}), "t": ("S", {"t": "1/2", "B": "1/2"})}
    ends = {"A": ("A", {"A": "1"}), "B": ("B", {"B": "1"})}
    claim = pair_claim("lv", "s", "t", "1", "1", "3")
    circle = inner("1", "1", ["A", 1], ["S", 0, "1/2"])
    assert accepted(certificate(claim, model(states | ends), unrolling([[2, 3]], circle, leaf()))).endswith(
        "1"
    )


# Circles -------------------------------------------------------------------------------------------------


def forever(lower: str, upper: str, *nodes: Json) -> Json:
    """s and t, which are bisimilar, go to themselves: whatever is claimed of them, lv is 0."""
    chain = model({"s": ("a", {"s": "1"}), "t": ("a", {"t": "1"})})
    return certificate(pair_claim("lv", "s", "t", lower, upper, "1"), chain, unrolling([[0, 1]], *nodes))


def test_a_circle_without_a_way_out_proves_nothing() -> None:
    refused(forever("1", "1", inner("1", "1", ["a", 0, "1"])), BadEvidence, "leaf")
    refused(forever("0", "0", inner("0", "0", ["a", 0, "1"])), BadEvidence, "leaf")
    refused(forever("1", "1", inner("1", "1", ["a", 1]), inner("1", "1", ["a", 0, "1"])), BadEvidence, "leaf")
    refused(forever("1", "1", inner("1", "1", ["a", 1]), inner("1", "1", ["a", 1, "1"])), BadEvidence, "leaf")
    accepted(forever("0", "1", inner("0", "1", ["a", 1]), leaf()))
    refused(forever("1", "1", inner("1", "1", ["a", 1]), leaf()), RuleBroken, "lower")
    refused(forever("0", "0", inner("0", "0", ["a", 1]), leaf()), RuleBroken, "upper")


def test_a_circle_beside_a_leaf_of_another_root() -> None:
    two = forever("1", "1", inner("1", "1", ["a", 0, "1"]), leaf())
    refused(edited(two, {ROOTS: [[0, 1], [1, 0]]}), BadEvidence, "leaf")


# Values --------------------------------------------------------------------------------------------------

LITTLE = "/1000000000000000000000000000000000000000"


@pytest.mark.parametrize("node", [0, 1])
def test_values_follow_from_the_next_nodes(node: int) -> None:
    value = ("200/2503", "2491/125150")[node]
    more, less = (
        Fraction(value) + Fraction("1" + LITTLE),
        Fraction(value) - Fraction("1" + LITTLE),
    )
    refused(edited(PIN, {(*NODES, node, "lower"): str(more)}), RuleBroken, "lower")
    refused(edited(PIN, {(*NODES, node, "upper"): str(less)}), RuleBroken, "upper")
    # Weaker values of one node spoil those that rest on it.
    refused(edited(PIN, {(*NODES, node, "lower"): str(less)}), RuleBroken, f"node {1 - node}: lower")
    refused(edited(PIN, {(*NODES, node, "upper"): str(more)}), RuleBroken, f"node {1 - node}: upper")


def test_values_may_be_weak() -> None:
    weak = {(*NODES, node, "lower"): "0" for node in (0, 1)}
    weak |= {(*NODES, node, "upper"): str(1001 - node) for node in (0, 1)}
    assert accepted(edited(PIN, weak | {LOWER: "0", UPPER: "1"})).endswith("lower=0 upper=1")
    refused(edited(PIN, weak | {LOWER: "1/1000000", UPPER: "1"}), ClaimOpen, "the nodes do not prove lower")
    refused(
        edited(PIN, weak | {LOWER: "0", UPPER: "999999/1000000"}),
        ClaimOpen,
        "the nodes and distances do not prove upper",
    )


@pytest.mark.parametrize(
    ("changes", "error", "reason"),
    [
        ({(*NODES, 0): balanced(["l", 1])}, RuleBroken, "node 0: the proportion differs from that of node 1"),
        ({(*NODES, 4): inner("1/10", "1/10", ["l", 1, "1/2"])}, BadEvidence, "node 4 is not balanced"),
        ({(*NODES, 3): inner("1/10", "1/10", ["x", 4, "1"])}, BadEvidence, "node 3 is not balanced"),
        ({(*NODES, 4): leaf()}, BadEvidence, "node 4 is not balanced"),
        ({(*NODES, 4): balanced()}, BadEvidence, "labels"),
        ({(*NODES, 1): balanced(["a", 2])}, BadEvidence, "labels"),
        ({(*NODES, 4): balanced(["l", 1])}, BadEvidence, "defined already"),
        ({(*NODES, 4): balanced(["l", 1, "1/3"])}, RuleBroken, "the next vectors are not c times node 1"),
        ({(*NODES, 4): balanced(["l", 1, "1/2"]) | {"lower": "1/10"}}, Malformed, ""),
        ({(*NODES, 4): balanced(["l", 1, "1/2"]) | {"coupling": []}}, Malformed, ""),
        ({(*NODES, 4, "balanced"): {}}, Malformed, ""),
        ({(*NODES, 0, "lower"): "1/2", LOWER: "1/2", UPPER: "1/2"}, RuleBroken, "lower"),
        ({(*NODES, 0, "upper"): "1/6"}, RuleBroken, "upper"),
        ({UPPER: "1/6", LOWER: "1/6"}, ClaimOpen, "the nodes and distances do not prove upper"),
    ],
)
def test_balanced_nodes(changes: dict[Path, Json], error: type[Rejected], reason: str) -> None:
    refused(edited(BALANCED, changes), error, reason)


def test_a_circle_of_balanced_nodes_with_a_claim_from_below_only() -> None:
    accepted(edited(BALANCED, {LOWER: "1/6", UPPER: "1/2"}))
    accepted(forever("0", "0", balanced(["a", 0, "1"])))
    refused(forever("1", "1", balanced(["a", 0, "1"])), ClaimOpen, "the nodes do not prove lower")


def test_nothing_of_the_second_secret_gets_lost_at_balanced_nodes() -> None:
    states = {"s": ("S", {"A": "1"}), "t": ("S", {"A": "1/2", "B": "1/2"})}
    ends = {"A": ("A", {"A": "1"}), "B": ("B", {"B": "1"})}
    claim = pair_claim("lv", "s", "t", "0", "0", "1")
    nodes = unrolling([[2, 3]], balanced(["A", 1]), balanced(["A", 1, "1"]))
    refused(
        certificate(claim, model(states | ends), nodes),
        RuleBroken,
        "node 0: the proportion differs from that of node 1",
    )
    # Where nothing is left of it, all that is possible from s is gained.
    alone = unrolling([[2, 3]], inner("1", "1", ["A", 1]), balanced(["A", 1, "1"]))
    states["t"] = ("S", {"B": "1"})
    sure = certificate(claim | {"lower": "1", "upper": "1"}, model(states | ends), alone)
    assert accepted(sure).endswith("value=1")
    refused(edited(sure, {LOWER: "0", UPPER: "0"}), ClaimOpen, "the nodes and distances do not prove upper")
    refused(edited(sure, {(*NODES, 1): balanced(["A", 1, "1"], ["B", 0, "1"])}), BadEvidence, "labels")


def test_a_circle_of_balanced_roots() -> None:
    chain = model({name: (label, {to: "1"}) for name, label, to in ("sxm", "mls", "txn", "nlt")})
    nodes = balanced(["l", 1, "1"]), balanced(["x", 0, "1"])
    same = certificate(pair_claim("lv", "s", "t", "0", "0", "1"), chain, unrolling([[2, 3], [0, 1]], *nodes))
    assert accepted(same).endswith("value=0")
    refused(
        edited(same, {("claim", "kind"): "tv"}), ClaimOpen, "the nodes and distances do not prove upper"
    )  # of (t,s) nothing is said
    refused(edited(same, {(*NODES, 0): inner("0", "0", ["l", 1, "1"])}), BadEvidence, "node 0 is not bal")
    assert accepted(edited(same, {ROOTS: [[2, 3]], (*NODES, 0): balanced(["l", 1])})).endswith("value=0")


def test_a_root_may_be_a_leaf() -> None:
    only = edited(PIN, {NODES: [leaf()], LOWER: "0", UPPER: "1"})
    assert accepted(only).endswith("lower=0 upper=1")
    refused(edited(only, {UPPER: "1/2"}), ClaimOpen, "the nodes and distances do not prove upper")
    refused(edited(only, {LOWER: "1/2"}), ClaimOpen, "the nodes do not prove lower")
    coupled = edited(PIN, {NODES: [leaf([0, 1, "1"])], LOWER: "0", UPPER: "1"})
    assert accepted(coupled).endswith("lower=0 upper=1")


def test_nodes_need_not_exist() -> None:
    empty = edited(PIN, {NODES: [], ROOTS: [], LOWER: "0", UPPER: "1"})
    assert accepted(empty).endswith("lower=0 upper=1")
    same = {("claim", "from"): "2", ("claim", "to"): "2", UPPER: "0"}
    assert accepted(edited(empty, same)).endswith("value=0")
    other = {("claim", "from"): "2", ("claim", "to"): "1", LOWER: "1"}
    assert accepted(edited(empty, other)).endswith("value=1")
    refused(
        edited(empty, other | {UPPER: "1/2", LOWER: "0"}),
        ClaimOpen,
        "the nodes and distances do not prove upper",
    )
    refused(edited(empty, same | {UPPER: "1", LOWER: "1/2"}), ClaimOpen, "the nodes do not prove lower")


# Leaves --------------------------------------------------------------------------------------------------


def test_couplings_of_leaves() -> None:
    first: Path = (*NODES, 2, "coupling")
    # What is coupled beyond x, or across labels, costs more.
    for coupling in ([[2, 3, "1/3"]], [[2, 3, "1/15"]], [], [[2, 3, "1/15"], [2, 4, "1/3"]], [[2, 7, "2/5"]]):
        refused(edited(DISTANCE, {first: coupling}), RuleBroken, "node 0: upper")
    heavy = [[2, 3, "1000000"], [2, 4, "1/3"], [4, 3, "8/15"]]
    refused(edited(DISTANCE, {first: heavy}), RuleBroken, "node 0: upper")
    refused(edited(DISTANCE, {first: [[2, 2, "1"]]}), BadEvidence, "itself")
    refused(edited(DISTANCE, {first: [[2, 4, "1/3"], [2, 3, "1/15"]]}), BadEvidence, "order")
    refused(edited(DISTANCE, {first: [[2, 3, "1/30"], [2, 3, "1/30"]]}), BadEvidence, "order")


def test_a_coupling_across_labels_only_costs() -> None:
    # At the first end 53/100 - 47/100 is left, and what is taken from there arrives elsewhere.
    for coupling in ([[4, 0, "1/100"]], [[4, 0, "53/100"]], [[0, 4, "1/100"]]):
        refused(edited(PIN, {(*NODES, 2, "coupling"): coupling}), RuleBroken, "node 0: upper")


# Limits --------------------------------------------------------------------------------------------------


def halving(depth: int, half: str, rest: str) -> Json:
    """s and t go on with probability `half`, and the unrolling follows them down."""
    states = {"s": ("S", {"s": half, "A": rest}), "t": ("S", {"t": half, "A": rest}), "A": ("A", {"A": "1"})}
    nodes = [inner("0", "1000", ["A", 2 * n + 1], ["S", 2 * n + 2]) for n in range(depth)]
    spread = [
        part for n, node in enumerate(nodes) for part in (edited(node, {("upper",): str(1000 - n)}), leaf())
    ]
    claim = pair_claim("lv", "s", "t", "0", "1", "1")
    return certificate(claim, model(states), unrolling([[1, 2]], *spread, leaf()))


def test_vectors_that_grow() -> None:
    accepted(halving(40, "1/2", "1/2"))
    # Every node would add 100,000 digits.
    large = "1" + "0" * 99_998
    refused(halving(40, f"1/{large}3", f"{large}2/{large}3"), TooLarge, "the work exceeds the limit")


def test_nodes_are_checked_without_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of nodes are pairs of integers, with which to compute is faster."""
    monkeypatch.setattr(unrollings, "Fraction", None)
    accepted(PIN)
