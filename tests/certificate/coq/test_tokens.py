"""Evidence is text that its reader takes back to the same numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hypothesis import given
from hypothesis import strategies as st

from prover.certificate.coq.tokens import WIDTH, lines, listed, literal


def read(found: Iterable[str]) -> Iterator[int]:
    """`line` and `signed` of proofs/Decode.v, in Python."""
    for line in found:
        n = 0
        for character in line:
            digit = ord(character) - 48
            n = 32 * n + digit % 32
            if digit >= 32:
                yield -(n // 2 + 1) if n % 2 else n // 2
                n = 0


@given(st.lists(st.integers()))
def test_numbers_come_back(numbers: list[int]) -> None:
    assert list(read(lines(numbers))) == numbers


@given(st.lists(st.integers(min_value=-(10**40), max_value=10**40), min_size=20))
def test_lines_end_with_a_number_and_are_short(numbers: list[int]) -> None:
    for line in lines(numbers):
        assert "P" <= line[-1] <= "o"
        assert len(line) < WIDTH + 30


def test_no_character_has_a_meaning_in_a_string_of_coq() -> None:
    assert '"' not in "".join(lines(range(-2000, 2000)))


def test_a_list_comes_after_its_length() -> None:
    assert list(listed([[1, 2], [3]])) == [2, 1, 2, 3]
    assert literal([0, -1, 1]) == '["PQR"]%text'
