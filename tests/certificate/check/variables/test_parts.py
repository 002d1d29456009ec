"""Certificates by independent parts of the variables: what the rule accepts and rejects, and forgeries."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, Rejected, RuleBroken
from prover.exact.rational import format_rational
from prover.program.adjacency import ADJACENCIES, Adjacency
from prover.program.model import Program
from tests.certificate.judges import judged
from tests.certificate.samples import encode
from tests.certificate.variables_samples import TWO_PARTS, summed
from tests.certificate.verdicts import claimed
from tests.profiles import some
from tests.program.several_examples import state

Json = Any


def verdict(document: Json) -> str:
    """What the checker says; the second judge agrees."""
    try:
        line = claimed(encode(document))
    except (BadEvidence, ClaimOpen, Malformed, RuleBroken):
        if set(document["evidence"]) <= {"blocks", "parts"}:
            assert not judged(document)
        raise
    assert judged(document)
    return line


def monotonic() -> Json:
    """One of both ways."""
    ways = {way: summed(TWO_PARTS, way) for way in ("decreasing", "increasing")}
    document = deepcopy(ways["increasing"])
    document["claim"]["adjacency"] = "monotonic"
    document["evidence"]["parts"] = {way: ways[way]["evidence"]["parts"] for way in ways}
    return document


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_as_it_is(adjacency: str) -> None:
    value = {"all-differ": "1", "one-differ": "1/4"}.get(adjacency, "1/2")
    document = monotonic() if adjacency == Adjacency.MONOTONIC else summed(TWO_PARTS, adjacency)
    assert verdict(document) == f"epsilon adjacency={adjacency} loss=observer value={value}"


def test_the_bounds_are_added_up() -> None:
    document = summed(TWO_PARTS)
    document["claim"] |= {"lower": "0", "upper": "1/2"}
    with pytest.raises(ClaimOpen, match="the parts do not prove upper"):
        verdict(document)


def test_where_one_input_differs_the_largest_counts_and_elsewhere_not() -> None:
    document = summed(TWO_PARTS, "one-differ")
    assert [part["upper"] for part in document["evidence"]["parts"]] == ["1/4", "1/4"]
    document["claim"]["lower"] = "0"
    document["claim"]["upper"] = "1/5"
    with pytest.raises(ClaimOpen, match="the parts do not prove upper"):
        verdict(document)


def test_the_bound_of_a_part_is_proved_by_its_nodes() -> None:
    document = summed(TWO_PARTS)
    document["evidence"]["parts"][1]["upper"] = "1/4"
    with pytest.raises(ClaimOpen, match="the functions do not prove upper"):
        verdict(document)


def test_nodes_are_of_their_part() -> None:
    document = summed(TWO_PARTS)
    first, second = document["evidence"]["parts"]
    first["nodes"], second["nodes"] = second["nodes"], first["nodes"]
    with pytest.raises(RuleBroken, match="not closed"):
        verdict(document)


def test_no_parts_prove_nothing() -> None:
    document = summed(TWO_PARTS)
    document["evidence"]["parts"] = []
    document["claim"] |= {"lower": "0", "upper": "0"}
    del document["evidence"]["blocks"]
    with pytest.raises(BadEvidence, match="there are no parts"):
        verdict(document)


def test_every_variable_is_in_one_part() -> None:
    document = summed(TWO_PARTS)
    document["evidence"]["parts"].pop()
    with pytest.raises(RuleBroken, match="are not in one part"):
        verdict(document)
    document = summed(TWO_PARTS)
    document["evidence"]["parts"][1]["variables"] = ["x0", "x1"]
    with pytest.raises(RuleBroken, match="a variable is in two parts"):
        verdict(document)
    document["evidence"]["parts"][1]["variables"] = ["x1", "x0"]
    with pytest.raises(BadEvidence, match="variables are out of order or repeated"):
        verdict(document)


def test_nodes_beside_parts() -> None:
    document = summed(TWO_PARTS)
    document["evidence"]["nodes"] = document["evidence"]["parts"][0]["nodes"]
    with pytest.raises(Malformed, match="both nodes and parts"):
        verdict(document)


def test_a_bound_of_a_part_is_a_number() -> None:
    document = summed(TWO_PARTS)
    document["evidence"]["parts"][0]["upper"] = "inf"
    with pytest.raises(Rejected):
        verdict(document)


def test_no_part_gives_back_what_another_loses() -> None:
    """z is never tested, so its part loses nothing, and its functions do not show that it loses less."""
    document = summed(TWO_PARTS)
    model = {
        "q0": drawn(False, {"assign": ["z"], "guard": [], "output": "o", "to": "q1"}),
        "q1": drawn(True, {"assign": ["x"], "guard": [], "output": "insample", "to": "q2"}),
    }
    document["model"] |= {"initial": "q0", "states": model}
    document["claim"] |= {"lower": "0", "upper": "1"}
    loses = [{"names": [], "points": [[[], "1"]]}]

    def nodes(functions: Json, *chosen: Json) -> Json:
        places = [("q0", functions, chosen[0], [1]), ("q1", functions, chosen[1], [2]), ("q2", [], [], [])]
        keys = ("state", "functions", "by", "targets")
        return [{**dict(zip(keys, place, strict=True)), "order": []} for place in places]

    parts = [
        {"nodes": nodes(loses, [0, 0], [0, 0]), "upper": "1", "variables": ["x"]},
        {"nodes": nodes([], [-1], [-1, -1]), "upper": "0", "variables": ["z"]},
    ]
    document["evidence"] = {"parts": parts}
    assert verdict(document).endswith("lower=0 upper=1")
    document["claim"]["upper"] = "0"
    with pytest.raises(ClaimOpen, match="the parts do not prove upper"):
        verdict(document)
    parts[1]["upper"] = "-1"
    with pytest.raises(Malformed, match="upper is negative"):
        verdict(document)


def drawn(takes_input: bool, way: Json) -> Json:
    return {
        "input": takes_input,
        "mean": "0",
        "mean_prime": None,
        "rate": "1",
        "rate_prime": None,
        "transitions": [way],
    }


def test_a_transition_that_names_two_parts_belongs_to_none() -> None:
    """Each part alone would see only one of its two tests."""
    document = summed(TWO_PARTS)
    tests = document["model"]["states"]["q02"]["transitions"]
    tests[0]["guard"] = [["<", "x0"], [">=", "x1"]]
    del document["evidence"]["blocks"]
    document["claim"]["lower"] = "0"
    with pytest.raises(RuleBroken, match="are not in one part"):
        verdict(document)


def test_what_names_no_variable_is_paid_for_once() -> None:
    """Transitions without variables are of the first part, where real outputs cost."""
    quarter, half = Fraction(1, 4), Fraction(1, 2)
    program = Program(
        "q0",
        {
            "q0": state(((), ("x0",), "o", "q1"), rate=quarter),
            "q1": state(((), ("x1",), "o", "q2"), rate=quarter),
            "q2": state(((("<", "x0"),), (), "low", "q3"), (((">=", "x0"),), (), "high", "q3"), rate=half),
            "q3": state(((("<", "x1"),), (), "low", "q4"), (((">=", "x1"),), (), "high", "q4"), rate=half),
            "q4": state(((), (), "insample", "end"), rate=3),
        },
    )
    document = summed(program)
    assert verdict(document) == "epsilon adjacency=all-differ loss=observer value=4"
    document["evidence"]["parts"].reverse()
    with pytest.raises(RuleBroken, match="not closed"):
        verdict(document)


@pytest.mark.parametrize("name", ["all-differ", "one-differ"])
def test_no_change_of_the_parts_proves_a_false_bound(name: str) -> None:
    document = summed(TWO_PARTS, name)
    random = Random(name)
    false = Fraction(document["claim"]["upper"]) - Fraction(1, 1000)
    document["claim"] |= {"lower": "0", "upper": format_rational(false)}
    for _ in range(some(300)):
        changed = deepcopy(document)
        for part in changed["evidence"]["parts"]:
            if random.random() < 0.7:
                part["upper"] = random.choice(["0", "1/4", "1/8", format_rational(false)])
            if random.random() < 0.3:
                part["variables"] = random.sample(["x0", "x1"], random.randint(0, 2))
            for node in part["nodes"]:
                for functions in _lists(node["functions"]):
                    for function in functions:
                        for point in function["points"]:
                            if random.random() < 0.3:
                                point[1] = random.choice(["0", "1/8", "1/4", "1/2"])
        if random.random() < 0.2:
            changed["evidence"]["parts"].reverse()
        with pytest.raises(Rejected):
            verdict(changed)


def _lists(functions: Json) -> list[Json]:
    return list(functions.values()) if isinstance(functions, dict) else [functions]
