"""The file: canonical bytes, keys, numbers, limits."""

from __future__ import annotations

import json
import sys
from random import Random
from typing import Any
from unittest.mock import MagicMock

import pytest

from prover.certificate import check as checker
from prover.certificate.check import Malformed, NotCanonical, TooLarge, check, reading, verdict
from tests.certificate.samples import LADDER, WALK, Path, certificate, encode, model, replaced
from tests.certificate.unrolling_samples import PIN
from tests.certificate.verdicts import accepted, edited, refused, refused_bytes

Json = Any
ALPHA: Path = ("claim", "alpha")
ROWS: Path = ("evidence", "exact", "rows")
BYTES = b' \n"\\,:[]{}019-.eu/x\x7f'  # which JSON has a use for, and one
MARK = {"format": "prover-certificate", "model": {"a": "b"}, "version": 1}
# Without couplings the ladder's distances are 1 at every α.
UNCOUPLED: dict[Path, Json] = {(*ROWS, n, "coupling"): [] for n in range(4)}


def test_names_and_labels_are_arbitrary_strings() -> None:
    # Sorted by code point, the two beyond U+FFFF come last, though their escapes begin with \ud83d.
    names = ["", '"', "\\", "a\nb", "\x7f", "é", "\ue000", "\uffff", "\U0001f600", "\U0010ffff"]
    chain = model({name: (name, {name: "1"}) for name in names}, [["\U0001f600", "\U0001f600"]])
    claim = {"from": "\U0001f600", "kind": "bisimilarity", "scope": "pair", "to": "\U0001f600", "value": "0"}
    text = accepted(certificate(claim, chain, {"splitters": []}))
    assert text == r'bisimilarity from="\ud83d\ude00" to="\ud83d\ude00" value=0'
    edges = claim | {"from": "", "to": "\uffff", "value": "1"}
    assert accepted(certificate(edges, chain, {"splitters": []})).startswith(
        'bisimilarity from="" to="\\uffff"'
    )


def test_indices_follow_code_points_and_not_their_escapes() -> None:
    # "\ue000" is state 0 and "\U0001f600" state 1, though their escapes sort the other way round.
    rows = {"\ue000": ("x", {"a": "1"}), "\U0001f600": ("x", {"b": "1"})}
    chain = model(rows | {"a": ("a", {"a": "1"}), "b": ("b", {"b": "1"})})
    claim = {"alpha": "1", "from": "\ue000", "kind": "ld", "lower": "1", "scope": "pair"}
    lower = {"potentials": [[0, "1"]], "rank": 1, "rank_potentials": [[0, "1"]], "value": "1"}
    evidence = {"lower": {"denominator": "1", "rows": [lower | {"pair": [2, 3]}]}}
    claim |= {"to": "\U0001f600", "upper": "1"}
    assert accepted(certificate(claim, chain, evidence)).endswith("value=1")
    swapped = {"lower": {"denominator": "1", "rows": [lower | {"pair": [3, 2]}]}}
    refused(certificate(claim, chain, swapped), checker.RuleBroken, "(3, 2)")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"nothing",
        b"\xef\xbb\xbf{}",
        "é".encode(),
        encode(WALK) + b"\n",
        encode(WALK).replace(b":", b": ", 1),
        encode(WALK).replace(b'"label"', b'"labe\\u006c"', 1),
        encode(WALK).replace(b'"version":1}', b'"version":1,"version":1}'),
        encode(WALK).replace(b"[2,3]", b"[2,03]", 1),
        json.dumps(WALK, separators=(",", ":"), sort_keys=False).encode()[::-1],
    ],
)
def test_bytes_that_are_not_canonical(data: bytes) -> None:
    refused_bytes(data, NotCanonical)


def test_escapes_are_those_of_the_canonical_form() -> None:
    chain = model({"é/\x7f": ("\b", {"é/\x7f": "1"})})
    claim = {"from": "é/\x7f", "kind": "bisimilarity", "scope": "pair", "to": "é/\x7f", "value": "0"}
    data = encode(certificate(claim, chain, {"classes": [[0]]}))
    assert b'"\\u00e9/\\u007f"' in data
    check(data)
    refused_bytes(data.replace(b"\\u00e9", b"\\u00E9"), NotCanonical)
    refused_bytes(data.replace(b"/", b"\\/"), NotCanonical)
    refused_bytes(data.replace(b"\\u007f", b"\x7f"), NotCanonical)
    refused_bytes(data.replace(b"\\b", b"\\u0008"), NotCanonical)


def test_a_key_that_is_repeated_in_an_object_with_the_keys_of_one_before() -> None:
    first, last = encode(WALK).rsplit(b'{"label":', 1)
    assert b'{"label":' in first
    refused_bytes(first + b'{"label":"","label":' + last, NotCanonical)


def is_canonical(data: bytes) -> bool:
    try:
        return encode(json.loads(data)) == data
    except ValueError:
        return False


def spaced() -> Json:
    """A certificate about states whose names have spaces, quotes and other letters."""
    chain = model({name: (name, {name: "1"}) for name in ("a b", 'c"d', "é")})
    claim = {"from": "a b", "kind": "bisimilarity", "scope": "pair", "to": "é", "value": "1"}
    return certificate(claim, chain, {"splitters": []})


@pytest.mark.parametrize("sample", [WALK, LADDER, PIN, spaced()], ids=["walk", "ladder", "pin", "spaced"])
def test_bytes_are_canonical_however_that_is_found(sample: Json) -> None:
    """Files with a byte more, less or changed are read if they are what is written of what they say."""
    data, draw = encode(sample), Random(1)
    for _ in range(2_000):
        place, byte = draw.randrange(len(data)), draw.choice([b"", *(bytes([n]) for n in BYTES)])
        changed = data[:place] + byte + data[place + draw.randrange(2) :]
        try:
            value, chain = reading.decode(changed)
        except Malformed:  # of a number, or without a claim
            continue
        except NotCanonical:
            assert not is_canonical(changed), changed
        else:
            assert is_canonical(changed), changed
            assert chain == (encode(value["model"]) if "model" in value else b"")


@pytest.mark.parametrize(
    "value",
    [
        {"claim": {}, "evidence": {}, **MARK},
        {"claim": {}, "evidence": MARK, **MARK},
        {"claim": {}, "evidence": MARK, **MARK, "format": "prover"},
        {"claim": MARK, "evidence": {}, **MARK, "format": 1},
        {"claim": {}, "evidence": {}, **MARK, "model": MARK},
        {"claim": {}, "evidence": {}, **MARK, "model": [MARK]},
        {"claim": {}, "evidence": {}, **MARK, "version": 2},
        {"claim": {}, "evidence": {}, **MARK, "zeal": MARK},
        {"claim": {}, **MARK},
        {"claim": {"": 1}, "evidence": {}, **MARK},
        {"claim": {"model": {}}},
    ],
)
def test_the_bytes_of_the_model(value: Json) -> None:
    whole, chain = reading.decode(encode(value))
    assert whole == value
    assert chain == (encode(value["model"]) if "model" in value else b"")


def test_a_plain_file_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing all values again takes longer than reading them."""
    written: list[Json] = []

    def canonical(value: Json) -> bytes:
        written.append(value)
        return encode(value)

    monkeypatch.setattr(reading, "canonical", canonical)
    reading.decode(encode(WALK))
    assert not written
    reading.decode(encode(spaced()))
    assert {"splitters": []} in written


@pytest.mark.parametrize(
    "number", [b"1.0", b"1e0", b"1E0", b"-1", b"-0", b"NaN", b"Infinity", b"9" * 19, b"9" * 5000]
)
def test_json_numbers_are_short_natural_numbers(number: bytes) -> None:
    refused_bytes(encode(WALK).replace(b'"version":1}', b'"version":' + number + b"}"), Malformed)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("version",), True),
        (("version",), "1"),
        (("format",), "prover"),
        (("model", "version"), True),
        (("model", "type"), "threshold-program"),
        (("claim", "kind"), "LD"),
        (("claim", "kind"), ["ld"]),
        (("claim", "scope"), "everything"),
        (("claim", "scope"), None),
        (("claim",), []),
        (("evidence",), []),
        (("evidence",), {}),
        (("evidence", "lower"), {"denominator": "1", "rows": []}),
        (("comment",), "x"),
        (("claim", "comment"), "x"),
        (("model", "comment"), "x"),
        (("model", "states", "A", "comment"), "x"),
        (("evidence", "exact", "comment"), "x"),
        ((*ROWS, 0, "comment"), "x"),
        (("evidence", "exact", "denominator"), ...),
        ((*ROWS, 0, "coupling"), ...),
        ((*ROWS, 0, "rank"), ...),
        ((*ROWS, 0, "rank_potentials"), ...),
        (("claim", "upper"), ...),
        ((*ROWS, 0, "rank"), True),
        ((*ROWS, 0, "rank"), "1"),
        ((*ROWS, 0, "rank"), 0),
        ((*ROWS, 0, "pair"), [2, True]),
        ((*ROWS, 0, "pair"), [2, 8]),
        ((*ROWS, 0, "pair"), [2]),
        ((*ROWS, 0, "pair"), {}),
        ((*ROWS, 0, "value"), 195),
        ((*ROWS, 0, "value"), "-195"),
        ((*ROWS, 0, "value"), "195/2"),
        (("evidence", "exact", "denominator"), "0"),
        (("evidence", "exact", "denominator"), "3/2"),
    ],
)
def test_unknown_missing_or_of_another_type(path: Path, value: Json) -> None:
    refused(edited(WALK, {path: value}), Malformed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+2",
        " 2",
        "2\n",
        "02",
        "2/1",
        "4/2",
        "2/0",
        "0/2",
        "-0",
        "2.0",
        "2e0",
        "1_0",
        "\u0662",
        "2/-1",
        "--2",
        "inf",
    ],
)
def test_rationals_have_one_form(text: str) -> None:
    refused(replaced(LADDER, ALPHA, text), Malformed)


@pytest.mark.parametrize(
    "text", ["1", "2", "3/2", "1000001/1000000", "7" * 5000, "7" * 5000 + "/" + "2" + "0" * 4000]
)
def test_rationals_of_any_size(text: str) -> None:
    assert accepted(edited(LADDER, UNCOUPLED | {ALPHA: text})).startswith("ld alpha=")


def test_the_reader_of_long_numbers_needs_no_leave_of_the_interpreter() -> None:
    for digits in ("0", "7" * 600, "7" * 601, "1" + "0" * 12_345, "123456789" * 2_000):
        value = reading.from_digits(digits)
        for position in (1, 5, len(digits) // 2, len(digits)):
            if position <= len(digits):
                assert value // 10 ** (len(digits) - position) % 10 == int(digits[position - 1])
        assert value < 10 ** len(digits)


def test_long_numbers_are_read_in_halves_where_python_reads_few_digits_at_once() -> None:
    digits, most = "123456789" * 500, sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(0)
        value = int(digits)
        assert reading.from_digits(digits) == value
        sys.set_int_max_str_digits(640)
        assert reading.from_digits(digits) == value
    finally:
        sys.set_int_max_str_digits(most)


def test_limit_on_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(encode(WALK))
    monkeypatch.setattr(reading, "MAX_BYTES", size)
    accepted(WALK)
    monkeypatch.setattr(reading, "MAX_BYTES", size - 1)
    refused(WALK, TooLarge, "bytes")


def test_limit_on_values(monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(encode(WALK).count(byte) for byte in (b",", b"[", b"{"))
    monkeypatch.setattr(reading, "MAX_VALUES", size)
    accepted(WALK)
    monkeypatch.setattr(reading, "MAX_VALUES", size - 1)
    refused(WALK, TooLarge, "values")


def test_limit_on_digits() -> None:
    accepted(edited(LADDER, UNCOUPLED | {ALPHA: "7" * 100_000}))
    refused(edited(LADDER, UNCOUPLED | {ALPHA: "7" * 100_001}), TooLarge, "digits")
    refused(edited(LADDER, UNCOUPLED | {ALPHA: "2/" + "7" * 100_001}), TooLarge, "digits")


@pytest.mark.parametrize(
    "deep", [b"[" * 10**6, b"[" * 10**5 + b"]" * 10**5, b'{"":' * 10**5 + b"1" + b"}" * 10**5]
)
def test_deep_nesting(deep: bytes) -> None:
    refused_bytes(deep, TooLarge, "nested")
    data = encode(WALK)
    refused_bytes(data.replace(b"[[0,", b"[" + deep + b",[0,", 1), TooLarge, "nested")


def test_what_is_no_certificate() -> None:
    values: list[Json] = [{}, [], WALK["model"], "claim"]
    for value in values:
        refused_bytes(
            encode(value),
            Malformed,
            "the file has no claim, so it is not a certificate; give a model with --model",
        )


def test_a_machine_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "establish", MagicMock(side_effect=MemoryError))
    refused(WALK, TooLarge, "there is not enough memory")


def test_the_same_claim_for_the_same_bytes() -> None:
    assert accepted(WALK) == accepted(WALK) == 'ld alpha=8/5 from="s" to="t" value=13/1500'
