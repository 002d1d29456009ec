"""Certificates of programs of several variables: what each rule accepts and rejects, and forgeries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, Rejected, RuleBroken
from prover.certificate.check.variables import comparisons
from prover.certificate.check.variables.functions import read_shape
from prover.exact.rational import format_rational
from prover.program.decision.boundedness import Boundedness, decide
from prover.program.decision.certificates import boundedness_certificate
from prover.program.decision.tokens import TokenTable
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.zoo import k_min_max, m_range
from tests.certificate.samples import encode
from tests.certificate.verdicts import claimed
from tests.profiles import some
from tests.program.decision.test_tokens import PRIVATE, UNBOUNDED
from tests.program.several_examples import state

Json = Any

EXACT = {"least and largest": k_min_max(3), "ranges": m_range(2), **PRIVATE}


def epsilon_document(program: Program, adjacency: str = "all-differ") -> Json:
    certificate = privacy(program, adjacency).certificate
    assert certificate is not None
    return json.loads(certificate.data)


def private_document(program: Program) -> Json:
    return json.loads(boundedness_certificate(program, decide(program)).data)


def verdict(document: Json) -> str:
    return claimed(encode(document))


class TestNodes:
    """Upper bounds: nodes, orders, targets, functions."""

    def document(self) -> Json:
        return epsilon_document(k_min_max(2))

    def test_as_it_is(self) -> None:
        assert verdict(self.document()) == "epsilon adjacency=all-differ loss=observer value=1"

    def test_larger_functions_are_accepted(self) -> None:
        document = self.document()
        document["claim"]["upper"] = "inf"
        assert verdict(document).endswith("lower=1 upper=inf")

    def test_a_weaker_order_is_accepted(self) -> None:
        document = epsilon_document(PRIVATE["equal"])
        nodes = document["evidence"]["nodes"]
        changed = 0
        for node in nodes:
            if node["order"] and not node["functions"]:
                node["order"], changed = [], changed + 1
        assert verdict(document) if changed else True

    def test_upper_below_the_functions(self) -> None:
        document = self.document()
        document["claim"] |= {"lower": "0", "upper": "1/2"}
        with pytest.raises(ClaimOpen, match="the functions do not prove upper"):
            verdict(document)

    def test_functions_that_are_all_smaller(self) -> None:
        document = self.document()
        for node in document["evidence"]["nodes"]:
            for function in node["functions"]:
                function["points"] = [[vector, "0"] for vector, _ in function["points"]]
        document["claim"] |= {"lower": "0", "upper": "0"}
        del document["evidence"]["blocks"]
        with pytest.raises(RuleBroken, match="not closed"):
            verdict(document)

    def test_no_targets_at_all(self) -> None:
        document = self.document()
        document["evidence"] = {
            "nodes": [{"by": [], "functions": [], "order": [], "state": "q1", "targets": []}]
        }
        document["claim"] |= {"lower": "0", "upper": "0"}
        with pytest.raises(BadEvidence, match="not one target for each transition"):
            verdict(document)

    def test_a_transition_that_a_run_may_take_has_no_target(self) -> None:
        document = self.document()
        document["evidence"]["nodes"][1]["targets"][0] = None
        with pytest.raises(RuleBroken, match="has no target"):
            verdict(document)

    def test_an_order_that_does_not_follow(self) -> None:
        document = self.document()
        for node in document["evidence"]["nodes"]:
            if node["state"] == "q2":
                node["order"] = [["min", "max"]]
                node["order"].sort()
        nodes = document["evidence"]["nodes"]
        last = next(n for n in nodes if n["state"] == "q3")
        last["order"] = [["max", "min"]]
        with pytest.raises(RuleBroken, match=r"does not follow|no target"):
            verdict(document)

    def test_an_order_that_is_not_transitive(self) -> None:
        document = self.document()
        pairs = [["a", "b"], ["b", "c"]]
        document["evidence"]["nodes"][1]["order"] = pairs
        with pytest.raises(BadEvidence, match="an order names something that is not a variable"):
            verdict(document)
        model = document["model"]
        model["states"][model["initial"]]["transitions"][0]["assign"] += ["a", "b", "c"]
        with pytest.raises(RuleBroken, match="not transitive"):
            verdict(document)

    def test_the_first_node_knows_nothing(self) -> None:
        document = self.document()
        document["evidence"]["nodes"][0]["order"] = [["max", "min"]]
        with pytest.raises(BadEvidence, match="node 0"):
            verdict(document)

    def test_an_infinite_loss(self) -> None:
        document = self.document()
        document["evidence"]["nodes"][0]["functions"] = [{"names": [], "points": []}]
        with pytest.raises(ClaimOpen, match="a function of node 0 has no point"):
            verdict(document)

    def test_no_nodes(self) -> None:
        document = self.document()
        document["evidence"]["nodes"][0]["targets"] = ["1"]
        with pytest.raises(Malformed, match="a target is not a node number"):
            verdict(document)
        document["evidence"]["nodes"] = []
        with pytest.raises(BadEvidence, match="there are no nodes"):
            verdict(document)

    @pytest.mark.parametrize(
        ("names", "vectors", "failure", "words"),
        [
            (("b", "a"), (), BadEvidence, "names are out of order or repeated"),
            (("a",), ((2,),), Malformed, "a shift is not one that counts"),
            (("a",), ((1,), (0,)), BadEvidence, "points are out of order or repeated"),
        ],
    )
    def test_shapes(self, names: tuple[str, ...], vectors: Any, failure: type[Rejected], words: str) -> None:
        with pytest.raises(failure, match=words):
            read_shape(names, vectors)

    @pytest.mark.parametrize("by", [[], [-1], [99], [0] * 50])
    def test_functions_that_are_not_there(self, by: list[int]) -> None:
        document = self.document()
        document["evidence"]["nodes"][1]["by"] = by
        with pytest.raises(Rejected):
            verdict(document)

    @pytest.mark.parametrize("more", [None, -1, 0])
    def test_more_numbers_than_functions(self, more: int | None) -> None:
        document = self.document()
        document["evidence"]["nodes"][1]["by"].append(more)
        with pytest.raises(BadEvidence, match="by has more numbers than there are functions"):
            verdict(document)

    def test_a_target_of_another_state(self) -> None:
        document = self.document()
        document["evidence"]["nodes"][0]["targets"] = [0]
        with pytest.raises(BadEvidence, match="another state"):
            verdict(document)

    @pytest.mark.parametrize("place", [0, 1])
    @pytest.mark.parametrize("wrong", [True, 1.0, "1", None, 2, [1]])
    def test_shifts_are_integers(self, wrong: Json, place: int) -> None:
        document = self.document()
        functions = [f for node in document["evidence"]["nodes"] for f in node["functions"] if f["names"]]
        functions[place]["points"][0][0][0] = wrong
        with pytest.raises(Rejected):
            verdict(document)

    @pytest.mark.parametrize("wrong", ["-1", "2/4", "inf", 1, None, ["1"]])
    def test_values_are_rationals(self, wrong: Json) -> None:
        document = self.document()
        document["evidence"]["nodes"][1]["functions"][0]["points"][0][1] = wrong
        with pytest.raises(Malformed):
            verdict(document)

    @pytest.mark.parametrize("name", EXACT)
    def test_comparisons_need_not_be_kept(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        document = epsilon_document(EXACT[name])
        accepted = verdict(document)
        smaller = deepcopy(document)
        for node in smaller["evidence"]["nodes"]:
            for function in node["functions"]:
                function["points"] = [[vector, "0"] for vector, _ in function["points"]]
        for limit in ("KEPT", "SHORT"):
            with monkeypatch.context() as patch:
                patch.setattr(comparisons, limit, 0)
                assert verdict(document) == accepted
                with pytest.raises(RuleBroken, match="not closed"):
                    verdict(smaller)


class TestTokens:
    """Bounded losses: exact orders, components, tokens."""

    @pytest.mark.parametrize("name", PRIVATE)
    def test_as_it_is(self, name: str) -> None:
        assert verdict(private_document(PRIVATE[name])) == "private adjacency=all-differ loss=observer"

    @pytest.mark.parametrize("name", PRIVATE)
    def test_no_token_is_left_out(self, name: str) -> None:
        document = private_document(PRIVATE[name])
        nodes = document["evidence"]["nodes"]
        places = [(number, k) for number, node in enumerate(nodes) for k in range(len(node["tokens"]))]
        assert places
        for number, place in places:
            changed = deepcopy(document)
            del changed["evidence"]["nodes"][number]["tokens"][place]
            with pytest.raises(RuleBroken, match="does not list"):
                verdict(changed)

    def test_components_are_natural_numbers(self) -> None:
        document = private_document(PRIVATE["branches"])
        document["evidence"]["nodes"][0]["component"] = -1
        with pytest.raises(Rejected, match="negative component"):
            verdict(document)

    def test_a_weaker_order_hides_a_meeting(self) -> None:
        """With its exact order {(x, y), (y, x)} this program is unbounded."""
        model = json.loads(privacy(UNBOUNDED["names"]).certificate.data)["model"]  # type: ignore[union-attr]
        nodes = [
            {"component": 0, "order": [], "state": "q1", "targets": [1], "tokens": []},
            {
                "component": 1,
                "order": [],
                "state": "q2",
                "targets": [1, 1],
                "tokens": [[None, [1, "y"]], [[1, "x"], None], [[1, "x"], [1, "y"]]],
            },
        ]
        document = {
            "claim": {"adjacency": "all-differ", "kind": "private"},
            "evidence": {"kept": {}, "nodes": nodes, "single": False},
            "format": "prover-certificate",
            "model": model,
            "version": 1,
        }
        with pytest.raises(RuleBroken, match="lack a pair"):
            verdict(document)
        nodes[1]["order"] = [["x", "y"], ["y", "x"]]
        with pytest.raises(RuleBroken):
            verdict(document)


class TestBlocks:
    """Families of runs and single runs: multipliers for each test, and what is known of the order."""

    @pytest.mark.parametrize("name", UNBOUNDED)
    def test_as_it_is(self, name: str) -> None:
        assert verdict(epsilon_document(UNBOUNDED[name])) == "not-private adjacency=all-differ loss=observer"

    def test_a_run_that_nobody_takes(self) -> None:
        program = Program(
            "s",
            {
                "s": state(((), ("x", "y"), "o", "q")),
                "q": state(((("<", "x"), (">=", "y")), (), "a", "end"), ((("<", "x"),), (), "b", "end")),
            },
        )
        document = epsilon_document(program)
        document["claim"] |= {"lower": "0", "upper": "inf"}
        document["evidence"] = {"blocks": [{"kind": "once", "steps": [_step(2), _step(1)]}]}
        assert verdict(document) == "epsilon adjacency=all-differ loss=observer lower=0 upper=inf"
        document["evidence"]["blocks"][0]["steps"][1] = _step(0, tests=2)
        with pytest.raises(RuleBroken, match="transition 0 is blocked here"):
            verdict(document)

    def test_multipliers_are_as_many_as_tests(self) -> None:
        document = epsilon_document(k_min_max(2))
        steps = [s for s in document["evidence"]["blocks"][0]["steps"] if "multipliers" in s]
        assert steps
        steps[0]["multipliers"].append("0")
        with pytest.raises(Rejected, match="wrong length"):
            verdict(document)


def _step(number: int, tests: int = 1) -> Json:
    multipliers = {"multiplier": "0"} if tests == 1 else {"multipliers": ["0"] * tests}
    return {"delta": 0, "transition": number, **multipliers}


def changes(tree: Json, random: Random) -> Iterator[Json]:
    """Trees with one place changed at random: numbers, names, entries dropped, doubled or moved."""
    while True:
        changed = deepcopy(tree)
        for _ in range(random.randint(1, 3)):
            _change(changed, random)
        yield changed


def _change(tree: Json, random: Random) -> None:
    places = [(holder, key) for holder, key in _places(tree)]
    holder, key = random.choice(places)
    value = holder[key]
    if isinstance(holder, list) and random.random() < 0.4:
        if random.random() < 0.5:
            del holder[key]
        else:
            holder.insert(random.randrange(len(holder) + 1), deepcopy(value))
    elif isinstance(value, str):
        try:
            number = Fraction(value)
        except ValueError:
            return
        step = random.choice([-1, 1]) * Fraction(1, random.choice([1, 4, 8]))
        holder[key] = format_rational(max(Fraction(0), number + step))
    elif isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = value + random.choice([-1, 1])
    elif isinstance(value, list):
        random.shuffle(value)
    elif value is None:
        holder[key] = random.randrange(4)


def _places(tree: Json) -> Iterator[tuple[Json, Any]]:
    keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in keys:
        yield tree, key
        yield from _places(tree[key])


@pytest.mark.parametrize("name", EXACT)
def test_no_change_of_the_evidence_proves_a_false_bound(name: str) -> None:
    document = epsilon_document(EXACT[name])
    value = Fraction(document["claim"]["upper"])
    random = Random(name)
    low, high = deepcopy(document), deepcopy(document)
    low["claim"] |= {"lower": "0", "upper": format_rational(value - Fraction(1, 1000))}
    high["claim"] |= {"lower": format_rational(value + Fraction(1, 1000)), "upper": "inf"}
    for false in (low, high):
        for _, evidence in zip(range(some(150)), changes(false["evidence"], random), strict=False):
            with pytest.raises(Rejected):
                verdict({**false, "evidence": evidence})


@pytest.mark.parametrize("name", UNBOUNDED)
def test_no_change_of_the_evidence_calls_an_unbounded_loss_bounded(name: str) -> None:
    """From what the tokens of the program would be if nothing clashed."""
    program = UNBOUNDED[name]
    found = decide(program)
    nothing = TokenTable(False, (frozenset(),) * len(found.graph.states))
    pretended = Boundedness(found.graph, found.cycles, nothing)
    document = json.loads(boundedness_certificate(program, pretended).data)
    random = Random(name)
    for _, evidence in zip(range(some(300)), changes(document["evidence"], random), strict=False):
        with pytest.raises(Rejected):
            verdict({**document, "evidence": evidence})
