"""Programs as JSON documents."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.errors import BadInput
from prover.exact.rational import MalformedNumber, NumberTooLong, ZeroDenominator
from prover.formats.document import UnsupportedVersion
from prover.formats.program_json import (
    NotAProgram,
    NotATest,
    program_to_json,
    read_program,
    write_program,
)
from prover.formats.strict_json import DuplicateKey, JsonSyntax, MissingKey, UnknownKey, WrongType
from prover.program import errors
from prover.program.model import Program, State, Transition
from prover.zoo import numeric_sparse
from tests.program_strategies import programs

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
        with pytest.raises(UnknownKey) as caught:
            read_program(document(states={"q": {**rates, "strange": 1}}))
        listed = caught.value.message.partition("the keys here are ")[2].split(", ")
        assert "rate" in listed
        assert len(set(listed)) == len(listed)

    @pytest.mark.parametrize(
        ("text", "error", "path"),
        [
            ("{", JsonSyntax, None),
            ("[]", WrongType, "$"),
            (document(type=None), MissingKey, "$"),
            (document(initial=None), MissingKey, "$"),
            (document(states=None), MissingKey, "$"),
            (document(relation=[]), UnknownKey, "$"),
            (document(type="labelled-markov-chain"), NotAProgram, "$.type"),
            (document(version=2), UnsupportedVersion, "$.version"),
            (document(version="1"), WrongType, "$.version"),
            (document(initial=1), WrongType, "$.initial"),
            (document(initial="r"), errors.UnknownInitialState, "$.initial"),
            (document(initial="q"), errors.BadInitialisation, f"{CASE}.guard"),
            (document(states=[]), WrongType, "$.states"),
            (document(states={}), errors.NoStates, "$.states"),
            (document(states={"p": []}), WrongType, '$.states["p"]'),
            (document().replace('"q": {', '"q": 0, "q": {', 1), DuplicateKey, "$.states"),
            (document().replace('"to": "q"}', '"to": "q", "to": "q"}', 1),
             DuplicateKey, '$.states["p"].transitions[0]'),
            (with_q(input=None), MissingKey, PLACE),
            (with_q(rate=None), MissingKey, PLACE),
            (with_q(mean=None), MissingKey, PLACE),
            (with_q(transitions=None), MissingKey, PLACE),
            (with_q(label="a"), UnknownKey, PLACE),
            (with_q(input=1), WrongType, f"{PLACE}.input"),
            (with_q(input="true"), WrongType, f"{PLACE}.input"),
            (with_q().replace('"rate": 1', '"rate": null'), WrongType, '$.states["p"].rate'),
            (with_q(rate="0"), errors.RateNotPositive, f"{PLACE}.rate"),
            (with_q(rate="1/0"), ZeroDenominator, f"{PLACE}.rate"),
            (with_q(rate="1/1e1"), MalformedNumber, f"{PLACE}.rate"),
            (with_q(mean="1" * 10_001), NumberTooLong, f"{PLACE}.mean"),
            (with_q(rate_prime="x", mean_prime=0), MalformedNumber, f"{PLACE}.rate_prime"),
            (with_q(rate_prime=1, mean_prime=False), WrongType, f"{PLACE}.mean_prime"),
            (with_q(rate_prime=1), errors.HalfASecondSample, f"{PLACE}.mean_prime"),
            (with_q(transitions={}), WrongType, f"{PLACE}.transitions"),
            (with_q(transitions=[]), errors.NoTransition, f"{PLACE}.transitions"),
            (with_q(transitions=[LOOP, []]), WrongType, f"{PLACE}.transitions[1]"),
            (with_case(guard=None), MissingKey, CASE),
            (with_case(assign=None), MissingKey, CASE),
            (with_case(output=None), MissingKey, CASE),
            (with_case(to=None), MissingKey, CASE),
            (with_case(goto="q"), UnknownKey, CASE),
            (with_case(guard="<x"), WrongType, f"{CASE}.guard"),
            (with_case(guard=["<", "x"]), WrongType, f"{CASE}.guard[0]"),
            (with_case(guard=[["<", "x"], ["<"]]), NotATest, f"{CASE}.guard[1]"),
            (with_case(guard=[["<", "x", "y"]]), NotATest, f"{CASE}.guard[0]"),
            (with_case(guard=[["<", 1]]), WrongType, f"{CASE}.guard[0][1]"),
            (with_case(guard=[["<=", "x"]]), errors.TieWithoutAtoms, f"{CASE}.guard"),
            (with_case(guard=[["==", "x"]]), errors.UnknownRelation, f"{CASE}.guard"),
            (with_case(guard=[[">=", "y"]]), errors.UndefinedVariable, f"{CASE}.guard"),
            (with_case(assign="x"), WrongType, f"{CASE}.assign"),
            (with_case(assign=["x", 1]), WrongType, f"{CASE}.assign[1]"),
            (with_case(assign=["x", "x"]), errors.RepeatedAssignment, f"{CASE}.assign"),
            (with_case(output=1), WrongType, f"{CASE}.output"),
            (with_case(output="insampleprime"), errors.NoSecondSample, f"{CASE}.output"),
            (with_case(output=["o", "insampleprime"]), errors.NoSecondSample, f"{CASE}.output"),
            (with_case(output={"gap": "y"}), errors.UndefinedVariable, f"{CASE}.output"),
            (with_case(output={"gap": 1}), WrongType, f"{CASE}.output.gap"),
            (with_case(output={"gap": "x", "to": "y"}), UnknownKey, f"{CASE}.output"),
            (with_case(output=[]), errors.UselessOutputs, f"{CASE}.output"),
            (with_case(output=["o", "p"]), errors.UselessOutputs, f"{CASE}.output"),
            (with_case(output=["o", ["insample"]]), WrongType, f"{CASE}.output[1]"),
            (with_case(to=["q"]), WrongType, f"{CASE}.to"),
        ],
    )  # fmt: skip
    def test_documents(self, text: str, error: type[BadInput], path: str | None) -> None:
        with pytest.raises(error) as caught:
            read_program(text, "m.json")
        assert (caught.value.file, caught.value.path) == ("m.json", path)

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)))
    def test_wrong_types_anywhere(self, value: object) -> None:
        """No member takes a list of lists, or anything else of a wrong type."""
        value = [[value]]
        for made in (
            *(document(**{key: value}) for key in ("type", "version", "initial", "states")),
            *(with_q(**{key: value}) for key in ("input", "rate", "mean", "rate_prime", "transitions")),
            *(with_case(**{key: value}) for key in ("guard", "assign", "output", "to")),
        ):
            with pytest.raises(BadInput):
                read_program(made)


class TestWriting:
    def test_example(self) -> None:
        assert write_program(numeric_sparse()) == DOCUMENT
        assert program_to_json(numeric_sparse()) == json.loads(DOCUMENT)

    @given(st.one_of(programs(), programs(variables=3)))
    def test_round_trip(self, made: Program) -> None:
        assert read_program(write_program(made)) == made
        assert json.loads(write_program(made)) == program_to_json(made)

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
        assert write_program(made).isascii()
        assert read_program(write_program(made)) == made
