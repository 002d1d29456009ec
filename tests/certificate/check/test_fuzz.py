"""Whatever the bytes, the checker answers with a claim or a rejection, on one line of printable ASCII."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prover.certificate.check import Rejected, check
from tests.certificate.forms import walk
from tests.certificate.judges import ALL_SAMPLES
from tests.certificate.samples import Path, certificate, encode, model, replaced
from tests.profiles import examples

Json = Any
WORDS = rb"""[ ] { } , : " \ -1 0 1 1.5 1e9 true false null "1" "0" "1/2" "-1" "to" "\ud800" "ld" """.split()
TOKENS = [*WORDS, b" ", b"\xff", b"\0", b'"' + b"7" * 5_000 + b'"', b"[" * 2_000]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 20)
    | st.just(10**30)
    | st.floats(allow_nan=False)
    | st.sampled_from(
        [
            "0",
            "1",
            "1/2",
            "-1",
            "2/4",
            "from",
            "to",
            "ld",
            "lv",
            "pair",
            "all-pairs",
            "s",
            "\udc80",
            "\x1b[0m\n",
        ]
    )
    | st.text(max_size=3)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=2) | st.just("pair"), inner, max_size=4)
    ),
    max_leaves=8,
)


def answer(data: bytes) -> str:
    """The claim, or the reason, which must be fit to print."""
    try:
        line = check(data)
    except Rejected as rejection:
        line = str(rejection)
    assert line.isascii(), line
    assert line.isprintable(), line
    assert 0 < len(line) < 1_000
    return line


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    answer(data)


@given(values)
def test_any_value(value: Json) -> None:
    answer(encode(value))


@given(st.sampled_from(sorted(ALL_SAMPLES)), st.randoms(use_true_random=False), values)
@examples(1_000)
def test_any_value_at_any_place(name: str, random: Random, value: Json) -> None:
    paths: list[Path] = [path for path, _ in walk(ALL_SAMPLES[name])]
    answer(encode(replaced(ALL_SAMPLES[name], random.choice(paths), value)))


@given(st.sampled_from(sorted(ALL_SAMPLES)), st.randoms(use_true_random=False))
@examples(1_000)
def test_any_part_in_any_other_place(name: str, random: Random) -> None:
    changed = ALL_SAMPLES[name]
    parts = [part for _, part in walk(changed)]
    for _ in range(random.randint(1, 3)):
        paths = [path for path, _ in walk(changed)]
        changed = replaced(changed, random.choice(paths), random.choice(parts))
    answer(encode(changed))


@given(st.sampled_from(sorted(ALL_SAMPLES)), st.randoms(use_true_random=False))
@examples(1_000)
def test_spliced_bytes(name: str, random: Random) -> None:
    data = encode(ALL_SAMPLES[name])
    for _ in range(random.randint(1, 3)):
        start = random.randrange(len(data))
        end = min(len(data), start + random.choice([0, 1, 1, 2, 5]))
        data = data[:start] + random.choice(TOKENS) + data[end:]
    answer(data)


@given(st.sampled_from(sorted(ALL_SAMPLES)), st.integers(0, 5_000), st.integers(0, 255))
@examples(1_000)
def test_one_byte_changed(name: str, place: int, byte: int) -> None:
    data = bytearray(encode(ALL_SAMPLES[name]))
    data[place % len(data)] = byte
    answer(bytes(data))


def test_the_line_of_any_name_is_printable() -> None:
    name = "".join(map(chr, [*range(0x100), 0x2028, 0x202E, 0xDFFF, 0xD800, 0xFEFF, 0x1F600]))
    chain = model({name: (name, {name: "1"})})
    claim = {"from": name, "kind": "bisimilarity", "scope": "pair", "to": name, "value": "0"}
    line = check(encode(certificate(claim, chain, {"splitters": []})))
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line[len("bisimilarity from=") : line.index(" to=")]) == name
