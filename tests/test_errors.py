"""Messages of errors: their place, and texts that must not break or forge a line."""

import pickle

import pytest

from prover.chain.errors import unknown_state
from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput, InvalidModel, abbreviated, in_file, quoted, shown
from prover.exact.rational import parse_rational
from tests.refusals import refuses


class TestBadInput:
    def test_message_alone(self) -> None:
        assert str(BadInput("wrong")) == "wrong"

    def test_file_and_place_come_first(self) -> None:
        error = BadInput("wrong", file="m.json", path="$.states")
        assert str(error) == "m.json: $.states: wrong"
        assert str(BadInput("wrong", file="m.json", line=3, column=7)) == "m.json: line 3, column 7: wrong"
        assert str(BadInput("wrong", line=3)) == "line 3: wrong"

    def test_a_file_name_cannot_forge_a_line(self) -> None:
        assert "\n" not in str(BadInput("wrong", file="a\nVERIFIED"))

    @pytest.mark.parametrize(
        "error", [BadInput("wrong", file="f", path="$", line=1, column=2), unknown_state("x", ("a", "b"))]
    )
    def test_errors_survive_pickling(self, error: BadInput) -> None:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)

    def test_is_a_value_error(self) -> None:
        with pytest.raises(ValueError, match="malformed"):
            parse_rational("x")


class TestInFile:
    def test_names_the_file(self) -> None:
        with refuses("malformed-number") as caught, in_file("m.json"):
            parse_rational("x")
        assert caught.value.file == "m.json"

    def test_keeps_the_innermost_file(self) -> None:
        with pytest.raises(BadInput) as caught, in_file("outer"), in_file("inner"):
            raise BadInput("wrong")
        assert caught.value.file == "inner"

    def test_leaves_other_errors_alone(self) -> None:
        with pytest.raises(KeyError), in_file("m.json"):
            raise KeyError


class TestTexts:
    def test_short_texts_stay(self) -> None:
        assert abbreviated("x" * 60) == "x" * 60

    def test_long_texts_lose_their_middle(self) -> None:
        assert abbreviated("a" * 500 + "b" * 500) == "a" * 20 + "…" + "b" * 20 + " (1000 characters)"

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("s0", '"s0"'),
            ('say "a\\b"', '"say \\"a\\\\b\\""'),
            ("line\nbreak\ttab", '"line\\nbreak\\ttab"'),
            ("\x1b[31m", '"\\u001b[31m"'),
            ("\u202edesrever", '"\\u202edesrever"'),
            ("\ud800", '"\\ud800"'),
            ("naïve α", '"naïve α"'),
        ],
    )
    def test_quoted_escapes_what_does_not_print(self, text: str, expected: str) -> None:
        assert quoted(text) == expected

    def test_shown_has_no_quotation_marks(self) -> None:
        assert shown("a\nb") == "a\\nb"

    def test_long_numbers_are_abbreviated_in_messages(self) -> None:
        with pytest.raises(InvalidModel, match="sums to") as caught:
            LabelledMarkovChain.of({"s" * 5000: ("a", {"s" * 5000: "1/" + "3" * 9000})})
        assert len(str(caught.value)) < 400
