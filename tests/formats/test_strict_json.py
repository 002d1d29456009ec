"""JSON without its traps."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prover.errors import BadInput
from prover.formats import strict_json
from prover.formats.strict_json import (
    MAX_DEPTH,
    MAX_VALUES,
    MAX_WRITTEN_OUT,
    Digits,
    as_list,
    as_members,
    as_object,
    as_rational,
    as_text,
    read_json,
)
from tests.refusals import refuses

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def with_texts_for_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: with_texts_for_numbers(member) for key, member in value.items()}
    if isinstance(value, list):
        return [with_texts_for_numbers(item) for item in value]
    return Digits(value) if isinstance(value, int) and not isinstance(value, bool) else value


class TestReading:
    @given(values, st.booleans())
    def test_what_json_writes_is_read(self, value: Any, ascii_only: bool) -> None:
        text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
        assert read_json(text) == with_texts_for_numbers(value)

    @pytest.mark.parametrize("text", ["0.1", "-0.10", "1e400", "1E-3", "123456789" * 1000, "-0"])
    def test_numbers_keep_their_text(self, text: str) -> None:
        found = read_json(f"[{text}]")
        assert found == [text]
        assert isinstance(found, list)
        assert isinstance(found[0], Digits)

    def test_texts_are_not_numbers(self) -> None:
        assert not isinstance(read_json('"0.1"'), Digits)

    def test_bytes_are_utf8(self) -> None:
        assert read_json('{"α": "é"}'.encode()) == {"α": "é"}

    def test_brackets_in_texts_do_not_nest(self) -> None:
        text = json.dumps(["[" * 100, '"' + "{" * 100 + "\\"])
        assert read_json(text) == json.loads(text)


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "line", "column", "found"),
        [
            ("", 1, 1, "found the end of the document"),
            ("{", 1, 2, "found the end of the document"),
            ('{\n  "a": 1,\n}', 3, 1, 'found "}"'),
            ('{"a": 1,\n "b" 2}', 2, 6, 'found "2}"'),
            ("[1, 2] x", 1, 8, 'found "x"'),
            ("[01]", 1, 3, 'found "1]"'),
            ("{'a': 1}", 1, 2, "found \"'a': 1}\""),
            ('["a\nb"]', 1, 4, "found the end of the line"),
            ('"open', 1, 1, "unterminated"),
            ('["\\', 1, 2, "unterminated"),
            ('"\\x"', 1, 2, "escape"),
            ("[.5]", 1, 2, 'found ".5]"'),
            ("[+1]", 1, 2, 'found "+1]"'),
            ("# comment\n{}", 1, 1, 'found "# comment"'),
        ],
    )
    def test_syntax(self, text: str, line: int, column: int, found: str) -> None:
        with refuses("json-syntax") as caught:
            read_json(text, "m.json")
        assert (caught.value.file, caught.value.line, caught.value.column) == ("m.json", line, column)
        assert found in str(caught.value)

    @pytest.mark.parametrize(
        ("text", "key", "path"),
        [
            ('{"a": 1, "a": 1}', "a", "$"),
            ('{"states": {"s": {}, "s": {}}}', "s", "$.states"),
            ('{"states": {"s 0": {"next": {"s": 1, "\\u0073": 2}}}}', "s", '$.states["s 0"].next'),
            ('[0, [{"x": NaN, "y": 1, "y": 2}]]', "y", "$[1][0]"),
        ],
    )
    def test_duplicate_keys(self, text: str, key: str, path: str) -> None:
        with refuses("duplicate-key", match=f'key "{key}" is given twice') as caught:
            read_json(text, "m.json")
        assert (caught.value.file, caught.value.path) == ("m.json", path)

    @pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
    def test_not_finite(self, text: str) -> None:
        with refuses("not-finite", match=text) as caught:
            read_json(f'{{"states": {{"s": {{"next": {{"s": {text}}}}}}}}}', "m.json")
        assert (caught.value.file, caught.value.path) == ("m.json", '$.states["s"].next["s"]')

    @pytest.mark.parametrize(
        ("data", "byte", "place"), [(b'{"\xff": 1}', "0xff", 2), ("é".encode("latin-1"), "0xe9", 0)]
    )
    def test_not_utf8(self, data: bytes, byte: str, place: int) -> None:
        with refuses("not-utf8", match=f"byte {byte} at offset {place} ") as caught:
            read_json(data, "m.json")
        assert caught.value.file == "m.json"

    @pytest.mark.parametrize("data", [b"\xef\xbb\xbf{}", "\ufeff{}"])
    def test_byte_order_mark(self, data: str | bytes) -> None:
        with refuses("byte-order-mark") as caught:
            read_json(data, "m.json")
        assert caught.value.file == "m.json"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
    def test_other_encodings(self, encoding: str) -> None:
        with pytest.raises(BadInput):
            read_json('{"a": 1}'.encode(encoding))

    @pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
    def test_nesting(self, opening: str, closing: str) -> None:
        read_json(opening * MAX_DEPTH + "1" + closing * MAX_DEPTH)
        with refuses("nested-too-deeply", match="at most 64 levels") as caught:
            read_json("\n" + opening * (MAX_DEPTH + 1) + "1" + closing * (MAX_DEPTH + 1))
        assert (caught.value.line, caught.value.column) == (2, MAX_DEPTH * len(opening) + 1)

    def test_breadth_is_not_depth(self) -> None:
        assert read_json("[" + "[{}]," * 1_000 + "[]]") == [*[[{}]] * 1_000, []]

    def test_nesting_without_end(self) -> None:
        with refuses("nested-too-deeply"):
            read_json("[" * 1_000_000)

    def test_size(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(strict_json, "MAX_BYTES", 10)
        assert read_json(" " * 8 + "{}") == {}
        with refuses("document-too-large"):
            read_json(" " * 9 + "{}", "m.json")

    @given(st.text(alphabet='[]{}",:\\n1-.eNa \n\ufeff'))
    @example('{"a":1,"a":1}')
    @example('[{"a":{"":1,"a":NaN}}]')
    @example('[{"a":{"":1,"a":[-1.1e1]}}]')
    def test_accepts_what_json_accepts_but_for_repeated_keys_and_constants(self, text: str) -> None:
        try:
            expected = json.loads(
                text, parse_int=Digits, parse_float=Digits, parse_constant=refuse, object_pairs_hook=unique
            )
        except ValueError:
            with pytest.raises(BadInput):
                read_json(text)
        else:
            assert read_json(text) == expected


def refuse(constant: str) -> None:
    raise ValueError(constant)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


class TestTakingApart:
    def test_objects(self) -> None:
        value = read_json('{"a": 1, "b": 2}')
        assert as_object(value, "$", ("a",), ("b", "c")) == {"a": "1", "b": "2"}

    def test_missing_key(self) -> None:
        with refuses("missing-key", match='key "b" is missing') as caught:
            as_object({"a": None}, "$.x", ("a", "b"))
        assert caught.value.path == "$.x"

    def test_unknown_key(self) -> None:
        with refuses("unknown-key", match='unknown key "c"; the keys here are a, b'):
            as_object({"a": None, "c": None}, "$.x", ("a",), ("b",))

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("null", "not null"),
            ("true", "not true or false"),
            ("1.5", 'not a number, "1.5"'),
            ('"x"', 'not a string, "x"'),
            ("[]", "not an array"),
            ("{}", "not an object"),
        ],
    )
    def test_wrong_types(self, text: str, found: str) -> None:
        value = read_json(text)
        accepting = {"{}": as_members, "[]": as_list, '"x"': as_text}.get(text)
        for reader in (as_members, as_list, as_text):
            if reader is accepting:
                assert reader(value, "$.x") == json.loads(text)
                continue
            with refuses("wrong-type") as caught:
                reader(value, "$.x")
            assert found in str(caught.value)
            assert caught.value.path == "$.x"

    @pytest.mark.parametrize("text", ["0.1", "1e-1", "10E-2", "0.01e+1", '"0.1"', '"1e-1"', '"2/20"'])
    def test_rationals(self, text: str) -> None:
        assert as_rational(read_json(text), "$") == Fraction(1, 10)

    @pytest.mark.parametrize("text", ['"1e"', '"1e1/3"', '"0.1 "', '""'])
    def test_malformed_rationals(self, text: str) -> None:
        with refuses("malformed-number") as caught:
            as_rational(read_json(text), "$.x")
        assert caught.value.path == "$.x"

    @pytest.mark.parametrize("text", ["null", "true", "[1]", "{}"])
    def test_other_types_are_not_rational(self, text: str) -> None:
        with refuses("wrong-type", match="a number is expected"):
            as_rational(read_json(text), "$.x")


def test_too_many_values_are_refused_before_they_are_read() -> None:
    with refuses("too-many-values"):
        read_json("[" + "0," * (MAX_VALUES + 1) + "0]")


class TestExponents:
    @pytest.mark.parametrize("number", ["1e-9999", '"1E+9999"', "0.5e0009999"])
    def test_cannot_fill_the_memory(self, number: str) -> None:
        text = "[" + ", ".join([number] * 7_000) + "]"
        with refuses("exponents-too-large", match=f"{MAX_WRITTEN_OUT:,} digits"):
            read_json(text, "m.json")

    def test_may_be_many_where_they_are_small(self) -> None:
        numbers = read_json("[" + ", ".join(["1e-12"] * 200_000) + "]")
        assert isinstance(numbers, list)
        assert as_rational(numbers[-1], "$") == Fraction(1, 10**12)

    def test_that_are_too_large_by_themselves_are_told_with_their_place(self) -> None:
        (number,) = as_list(read_json("[1e-99999999999]"), "$")
        with refuses("exponent-too-large") as caught:
            as_rational(number, "$[0]")
        assert caught.value.path == "$[0]"
