"""Programs as JSON documents."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.errors import BadInput
from prover.formats.convert import write_json
from prover.formats.objects import to_dict
from prover.program.model import Program, State, Transition
from prover.zoo import numeric_sparse
from tests.formats.documents import read_program
from tests.program_strategies import programs
from tests.refusals import refuses

DOCUMENT = """{
  "type": "threshold-program",
  "version": 1,
  "initial": "q1",
  "states": {
    "q1": {"input": false, "rate": "1/4", "mean": "0", "rate_prime": null, "mean_prime": null, \
"transitions": [{"guard": [], "assign": ["x"], "output": "oinput", "to": "q2"}]},
    "q2": {"input": true, "rate": "1/2", "mean": "0", "rate_prime": "1/2", "mean_prime": "0", \
"transitions": [{"guard": [["<", "x"]], "assign": [], "output": "obot", "to": "q2"}, \
{"guard": [[">=", "x"]], "assign": [], "output": "insampleprime", "to": "q3"}]}
  },
  "final": ["q3"]
}
"""

START: dict[str, Any] = {"guard": [], "assign": ["x"], "output": "o", "to": "q"}
LOOP: dict[str, Any] = {"guard": [["<", "x"]], "assign": [], "output": "o", "to": "q"}


def without_none(members: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value is not None}


def document(**changes: Any) -> str:
    """A program that starts at p and goes on at q, with changed or, where None, missing members."""
    value = {
        "type": "threshold-program",
        "version": 1,
        "initial": "p",
        "states": {
            "p": {"input": True, "rate": 1, "mean": 0, "transitions": [START]},
            "q": {"input": True, "rate": 1, "mean": 0, "transitions": [LOOP]},
        },
    }
    return json.dumps(without_none(value | changes))


def with_q(**changes: Any) -> str:
    """The document with a changed state q."""
    states = json.loads(document())["states"]
    return document(states=states | {"q": without_none(states["q"] | changes)})


def with_case(**changes: Any) -> str:
    """The document with a changed transition of q."""
    return with_q(transitions=[without_none(LOOP | changes)])


class TestReading:
    def test_example(self) -> None:
        assert read_program(DOCUMENT) == read_program(DOCUMENT.encode()) == numeric_sparse()

    def test_numbers_are_read_from_their_text(self) -> None:
        text = with_q(mean="-0.5", rate_prime="2", mean_prime="-1/3").replace('"rate": 1,', '"rate": 0.1,')
        assert read_program(text).states["q"] == State(
            True,
            Fraction(1, 10),
            Fraction(-1, 2),
            Fraction(2),
            Fraction(-1, 3),
            (Transition((("<", "x"),), (), "o", "q"),),
        )

    def test_null_and_nothing_mean_the_same(self) -> None:
        states = json.loads(document())["states"]
        for state in states.values():
            state |= {"rate_prime": None, "mean_prime": None}
        assert read_program(document(states=states)) == read_program(document())

    def test_several_tests_and_variables(self) -> None:
        text = with_case(guard=[["<", "x"], [">=", "x y"]], assign=["x y", "x"])
        read = read_program(text.replace('["x"]', '["x", "x y"]'))
        assert read.edges[1].guard == (("<", "x"), (">=", "x y"))
        assert read.edges[1].assign == ("x y", "x")


PLACE = '$.states["q"]'
CASE = f"{PLACE}.transitions[0]"


class TestRefusals:
    @pytest.mark.parametrize("rates", [{"rate": 1}, {"rate_left": 1, "rate": 2}])
    def test_known_keys_are_listed_once(self, rates: dict[str, int]) -> None:
        with refuses("unknown-key") as caught:
            read_program(document(states={"q": {**rates, "strange": 1}}))
        listed = caught.value.message.partition("the keys here are ")[2].split(", ")
        assert "rate" in listed
        assert len(set(listed)) == len(listed)

    @pytest.mark.parametrize(
        ("text", "error", "path"),
        [
            ("{", "json-syntax", None),
            ("[]", "wrong-type", "$"),
            (document(type=None), "missing-key", "$"),
            (document(initial=None), "missing-key", "$"),
            (document(states=None), "missing-key", "$"),
            (document(relation=[]), "unknown-key", "$"),
            (document(type="labelled-markov-chain"), "not-a-program", "$.type"),
            (document(version=2), "unsupported-version", "$.version"),
            (document(version="1"), "wrong-type", "$.version"),
            (document(initial=1), "wrong-type", "$.initial"),
            (document(initial="r"), "unknown-initial-state", "$.initial"),
            (document(initial="q"), "bad-initialisation", f"{CASE}.guard"),
            (document(states=[]), "wrong-type", "$.states"),
            (document(states={}), "no-states", "$.states"),
            (document(states={"p": []}), "wrong-type", '$.states["p"]'),
            (document().replace('"q": {', '"q": 0, "q": {', 1), "duplicate-key", "$.states"),
            (document().replace('"to": "q"}', '"to": "q", "to": "q"}', 1),
             "duplicate-key", '$.states["p"].transitions[0]'),
            (with_q(input=None), "missing-key", PLACE),
            (with_q(rate=None), "missing-key", PLACE),
            (with_q(mean=None), "missing-key", PLACE),
            (with_q(transitions=None), "missing-key", PLACE),
            (with_q(label="a"), "unknown-key", PLACE),
            (with_q(input=1), "wrong-type", f"{PLACE}.input"),
            (with_q(input="true"), "wrong-type", f"{PLACE}.input"),
            (with_q().replace('"rate": 1', '"rate": null'), "wrong-type", '$.states["p"].rate'),
            (with_q(rate="0"), "rate-not-positive", f"{PLACE}.rate"),
            (with_q(rate="1/0"), "zero-denominator", f"{PLACE}.rate"),
            (with_q(rate="1/1e1"), "malformed-number", f"{PLACE}.rate"),
            (with_q(mean="1" * 10_001), "number-too-long", f"{PLACE}.mean"),
            (with_q(rate_prime="x", mean_prime=0), "open-parameter", f"{PLACE}.rate_prime"),
            (with_q(rate_prime="x y", mean_prime=0), "malformed-number", f"{PLACE}.rate_prime"),
            (with_q(rate_prime=1, mean_prime=False), "wrong-type", f"{PLACE}.mean_prime"),
            (with_q(rate_prime=1), "half-a-second-sample", f"{PLACE}.mean_prime"),
            (with_q(transitions={}), "wrong-type", f"{PLACE}.transitions"),
            (with_q(transitions=[]), "no-transition", f"{PLACE}.transitions"),
            (with_q(transitions=[LOOP, []]), "wrong-type", f"{PLACE}.transitions[1]"),
            (with_case(guard=None), "missing-key", CASE),
            (with_case(assign=None), "missing-key", CASE),
            (with_case(output=None), "missing-key", CASE),
            (with_case(to=None), "missing-key", CASE),
            (with_case(goto="q"), "unknown-key", CASE),
            (with_case(guard="<x"), "wrong-type", f"{CASE}.guard"),
            (with_case(guard=["<", "x"]), "wrong-type", f"{CASE}.guard[0]"),
            (with_case(guard=[["<", "x"], ["<"]]), "not-a-test", f"{CASE}.guard[1]"),
            (with_case(guard=[["<", "x", "y"]]), "not-a-test", f"{CASE}.guard[0]"),
            (with_case(guard=[["<", 1]]), "wrong-type", f"{CASE}.guard[0][1]"),
            (with_case(guard=[["<=", "x"]]), "tie-without-atoms", f"{CASE}.guard"),
            (with_case(guard=[["==", "x"]]), "unknown-relation", f"{CASE}.guard"),
            (with_case(guard=[[">=", "y"]]), "undefined-variable", f"{CASE}.guard"),
            (with_case(assign="x"), "wrong-type", f"{CASE}.assign"),
            (with_case(assign=["x", 1]), "wrong-type", f"{CASE}.assign[1]"),
            (with_case(assign=["x", "x"]), "repeated-assignment", f"{CASE}.assign"),
            (with_case(output=1), "wrong-type", f"{CASE}.output"),
            (with_case(output="insampleprime"), "no-second-sample", f"{CASE}.output"),
            (with_case(output=["o", "insampleprime"]), "no-second-sample", f"{CASE}.output"),
            (with_case(output={"gap": "y"}), "undefined-variable", f"{CASE}.output"),
            (with_case(output={"gap": 1}), "wrong-type", f"{CASE}.output.gap"),
            (with_case(output={"gap": "x", "to": "y"}), "unknown-key", f"{CASE}.output"),
            (with_case(output=[]), "useless-outputs", f"{CASE}.output"),
            (with_case(output=["o", "p"]), "useless-outputs", f"{CASE}.output"),
            (with_case(output=["o", ["insample"]]), "wrong-type", f"{CASE}.output[1]"),
            (with_case(to=["q"]), "wrong-type", f"{CASE}.to"),
        ],
    )  # fmt: skip
    def test_documents(self, text: str, error: str, path: str | None) -> None:
        with refuses(error) as caught:
            read_program(text, "m.json")
        assert (caught.value.file, caught.value.path) == ("m.json", path)

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)))
    def test_wrong_types_anywhere(self, value: object) -> None:
        """No member takes a list of lists, or anything else of a wrong type."""
        value = [[value]]
        for made in (
            *(document(**{key: value}) for key in ("type", "version", "initial", "states")),
            *(
                with_q(**{key: value})
                for key in ("input", "rate", "mean", "rate_prime", "sigma", "sigma_prime", "transitions")
            ),
            *(with_case(**{key: value}) for key in ("guard", "assign", "output", "to")),
        ):
            with pytest.raises(BadInput):
                read_program(made)


class TestWriting:
    def test_example(self) -> None:
        assert write_json(numeric_sparse()) == DOCUMENT
        assert to_dict(numeric_sparse()) == json.loads(DOCUMENT)

    @given(st.one_of(programs(gaussian=True), programs(variables=3, gaussian=True)))
    def test_round_trip(self, made: Program) -> None:
        assert read_program(write_json(made)) == made
        assert json.loads(write_json(made)) == to_dict(made)

    @given(st.lists(st.text(min_size=1), min_size=3, max_size=3, unique=True), st.text(min_size=1))
    def test_names_are_arbitrary(self, names: list[str], output: str) -> None:
        start, second, variable = names
        moves = [Transition((), (variable,), output.removeprefix("insampleprime") or "o", second)]
        moves.append(Transition((("<", variable),), (), "o", start))
        states = {
            name: State(True, Fraction(1), Fraction(0), None, None, (move,))
            for name, move in zip((start, second), moves, strict=True)
        }
        made = Program(start, states)
        assert write_json(made).isascii()
        assert read_program(write_json(made)) == made
