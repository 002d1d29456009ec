"""Rational numbers as text."""

import sys
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.errors import BadInput
from prover.exact.rational import (
    MAX_DIGITS,
    decimal_below,
    decimal_text,
    format_rational,
    parse_rational,
    round_outward,
    scientific_text,
    total,
)
from tests.refusals import refuses


@pytest.fixture(params=[640, 4300])
def interpreter_limit(request: pytest.FixtureRequest) -> Iterator[int]:
    """The smallest limit that can be set on texts of integers, and the usual one."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(request.param)
    yield request.param
    sys.set_int_max_str_digits(before)


class TestParse:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("0", Fraction(0)),
            ("-0", Fraction(0)),
            ("7", Fraction(7)),
            ("-7", Fraction(-7)),
            ("007", Fraction(7)),
            ("1/3", Fraction(1, 3)),
            ("-2/6", Fraction(-1, 3)),
            ("0/5", Fraction(0)),
            ("0.1", Fraction(1, 10)),
            ("-0.25", Fraction(-1, 4)),
            ("1.50", Fraction(3, 2)),
            ("00.010", Fraction(1, 100)),
            ("1.0002", Fraction(5001, 5000)),
            ("1e-5", Fraction(1, 100_000)),
            ("2.5E+3", Fraction(2500)),
            ("2.5e3", Fraction(2500)),
            ("-0.25e1", Fraction(-5, 2)),
            ("1.50e-1", Fraction(3, 20)),
            ("12e0", Fraction(12)),
            ("12e-00001", Fraction(6, 5)),
            ("-0e7", Fraction(0)),
        ],
    )
    def test_values(self, text: str, value: Fraction) -> None:
        assert parse_rational(text) == value

    @pytest.mark.parametrize(
        "text",
        [
            "", "-", "+1", "--1", "1/", "/3", ".5", "5.", "1/-3", "1/3/4", "1.5/2", "1/2.5", "e5", "1e",
            "1e+", "1e-", "1e+-5", "1e5.0", "1/3e5", "1e5/3", "1.e5", ".5e5", "1e5e5", "1 e5", "1e 5", "1e٣",
            "1ᵉ5", "1e1_0", "--1e5",
            "1\n", "1/3\n", "\n1", " 1", "1 ", "1 /3", "1_000", "1,5", "0x10", "inf", "nan", "NaN", "a",
            "٣", "１", "1/²", "½", "−1", "1\0",
        ],
    )  # fmt: skip
    def test_everything_else_is_malformed(self, text: str) -> None:
        with refuses("malformed-number"):
            parse_rational(text)

    @pytest.mark.parametrize("text", ["1/0", "0/0", "-3/000"])
    def test_zero_denominator(self, text: str) -> None:
        with refuses("zero-denominator", match="zero denominator"):
            parse_rational(text)

    @given(st.fractions())
    def test_decimals_agree_with_fractions(self, value: Fraction) -> None:
        assert parse_rational(f"{value.numerator}/{value.denominator}") == value

    @given(st.integers(0, 10**30), st.integers(0, 30))
    def test_decimals_are_literal(self, number: int, places: int) -> None:
        text = str(number).rjust(places + 1, "0")
        text = f"{text[:-places]}.{text[-places:]}" if places else text
        assert parse_rational(text) == Fraction(number, 10**places)

    @given(st.integers(-(10**20), 10**20), st.integers(0, 20), st.integers(-40, 40), st.sampled_from("eE"))
    def test_exponents_are_literal(self, number: int, places: int, power: int, letter: str) -> None:
        digits = str(abs(number)).rjust(places + 1, "0")
        text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
        sign = "-" if number < 0 else ""
        value = Fraction(number, 10**places) * Fraction(10) ** power
        assert parse_rational(f"{sign}{text}{letter}{power}") == value
        assert parse_rational(f"{sign}{text}{letter}{power:+d}") == value

    @given(st.text(alphabet="0123456789.eE+-/", max_size=12))
    def test_whatever_is_read_is_what_python_reads(self, text: str) -> None:
        try:
            value = parse_rational(text)
        except BadInput:
            return
        assert value == Fraction(text)


class TestLimits:
    def test_the_longest_numbers(self, interpreter_limit: int) -> None:
        assert interpreter_limit < MAX_DIGITS
        top, bottom = 10**MAX_DIGITS - 1, 7 * (10**MAX_DIGITS - 1) // 9
        value = parse_rational("-" + "9" * MAX_DIGITS + "/" + "7" * MAX_DIGITS)
        assert value == Fraction(-top, bottom)
        assert parse_rational("0." + "3" * (MAX_DIGITS - 1)) == Fraction(
            (10 ** (MAX_DIGITS - 1) - 1) // 3, 10 ** (MAX_DIGITS - 1)
        )

    @pytest.mark.parametrize(
        "text",
        ["1" * 10_001, "0" * 10_001, "1/" + "1" * 10_001, "1" * 10_001 + "/3", "0." + "3" * 10_000],
    )
    def test_longer_numbers_are_refused(self, text: str) -> None:
        with refuses("number-too-long", match=r"10,000 digits") as caught:
            parse_rational(text)
        assert len(str(caught.value)) < 200

    @pytest.mark.parametrize(
        "text", ["1e9999", "-9.99e9999", "1e-9999", "1.5e-9998", "0e9999", "0." + "0" * 4_000 + "1e9"]
    )
    def test_the_largest_exponents(self, text: str) -> None:
        assert parse_rational(text) == Fraction(text)
        assert parse_rational(format_rational(parse_rational(text))) == Fraction(text)

    @pytest.mark.parametrize("text", ["1e10000", "11e9999", "1e-10000", "1.5e-9999", "0e10000"])
    def test_a_number_is_as_long_as_it_is_without_its_exponent(self, text: str) -> None:
        with refuses("number-too-long", match=r"10,000 digits"):
            parse_rational(text)
        assert parse_rational(text, 30_000) == Fraction(text)

    @pytest.mark.parametrize(
        "power", ["10001", "-10001", "+10001", "999999999999", "-" + "9" * 100_000, "0" * 9 + "10001"]
    )
    @pytest.mark.parametrize("number", ["1", "0", "-2.5"])
    def test_larger_exponents_are_refused_at_once(self, number: str, power: str) -> None:
        with refuses("exponent-too-large", match="at most 10,000 in size") as caught:
            parse_rational(f"{number}e{power}", max_digits=10**9)
        assert len(str(caught.value)) < 200

    def test_the_limit_is_a_parameter(self) -> None:
        assert parse_rational("123/456", max_digits=3) == Fraction(123, 456)
        with refuses("number-too-long", match="at most 2 digits"):
            parse_rational("123/45", max_digits=2)
        assert parse_rational("5" * 20_000, max_digits=20_000) % 10 == 5

    def test_long_numbers_make_the_round_trip(self, interpreter_limit: int) -> None:
        for digits in (interpreter_limit - 1, interpreter_limit, interpreter_limit + 1, MAX_DIGITS):
            text = "-" + "1" * digits + "/" + "1" + "0" * (digits - 1)
            assert format_rational(parse_rational(text)) == text

    def test_the_interpreter_keeps_its_limit(self) -> None:
        before = sys.get_int_max_str_digits()
        format_rational(parse_rational("3" * 9_999))
        assert sys.get_int_max_str_digits() == before


class TestFormat:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (Fraction(0), "0"),
            (Fraction(-4, 2), "-2"),
            (Fraction(6, 4), "3/2"),
            (Fraction(-1, 3), "-1/3"),
        ],
    )
    def test_lowest_terms(self, value: Fraction, text: str) -> None:
        assert format_rational(value) == text

    @given(st.fractions(), st.integers(0, 3_000))
    def test_round_trip(self, value: Fraction, shift: int) -> None:
        value /= 2**shift
        assert parse_rational(format_rational(value)) == value


class TestRounding:
    @given(st.fractions(), st.integers(0, 30))
    def test_nearest_multiples_from_below(self, value: Fraction, digits: int) -> None:
        step = Fraction(1, 10**digits)
        down = decimal_below(value, digits)
        assert (down / step).denominator == 1
        assert down <= value < down + step

    def test_multiples_stay(self) -> None:
        assert decimal_below(Fraction(5, 8), 3) == Fraction(5, 8)

    def test_negative_numbers(self) -> None:
        assert decimal_below(Fraction(-1, 3), 0) == -1


class TestDecimalText:
    @pytest.mark.parametrize(
        ("value", "digits", "text"),
        [
            (Fraction(1, 2), 4, "0.5"),
            (Fraction(1, 3), 4, "0.3333…"),
            (Fraction(2, 3), 4, "0.6666…"),
            (Fraction(-2, 3), 2, "-0.66…"),
            (Fraction(7), 3, "7"),
            (Fraction(-7), 0, "-7"),
            (Fraction(7, 2), 0, "3…"),
            (Fraction(100), 2, "100"),
            (Fraction(0), 5, "0"),
            (Fraction(1, 100), 1, "0.0…"),
            (Fraction(-1, 100000), 3, "-0.000…"),
            (Fraction(1, 8), 3, "0.125"),
            (Fraction(1, 8), 2, "0.12…"),
        ],
    )
    def test_examples(self, value: Fraction, digits: int, text: str) -> None:
        assert decimal_text(value, digits) == text

    @given(st.fractions(), st.integers(0, 40))
    def test_truncated_towards_zero(self, value: Fraction, digits: int) -> None:
        text = decimal_text(value, digits)
        shown = parse_rational(text.removesuffix("…"))
        assert shown * value >= 0
        assert 0 <= abs(value) - abs(shown) < Fraction(1, 10**digits)
        assert text.endswith("…") == (shown != value)

    def test_many_digits(self, interpreter_limit: int) -> None:
        text = decimal_text(Fraction(1, 3), interpreter_limit + 1)
        assert text == "0." + "3" * (interpreter_limit + 1) + "…"


class TestScientificText:
    @pytest.mark.parametrize(
        ("value", "digits", "text"),
        [
            (Fraction(1, 3), 4, "0.3333…"),
            (Fraction(1, 300), 4, "0.003333…"),
            (Fraction(1, 3000), 4, "3.333…e-4"),
            (Fraction(1), 3, "1"),
            (Fraction(999), 3, "999"),
            (Fraction(9999, 10), 3, "999…"),
            (Fraction(1000), 3, "1e3"),
            (Fraction(2, 10**30), 7, "2e-30"),
            (Fraction(2**200), 5, "1.6069…e60"),
        ],
    )
    def test_examples(self, value: Fraction, digits: int, text: str) -> None:
        assert scientific_text(value, digits) == text

    @given(st.fractions(min_value=0).filter(bool), st.integers(-500, 500), st.integers(1, 9))
    def test_cut_after_so_many_digits(self, value: Fraction, shift: int, digits: int) -> None:
        value *= Fraction(10) ** shift
        mantissa, _, exponent = scientific_text(value, digits).partition("e")
        shown = parse_rational(mantissa.removesuffix("…")) * Fraction(10) ** int(exponent or 0)
        assert shown <= value < shown * (1 + Fraction(10, 10**digits))
        assert mantissa.endswith("…") == (shown != value)
        if exponent:
            assert 1 <= shown / Fraction(10) ** int(exponent) < 10

    def test_very_small_numbers(self, interpreter_limit: int) -> None:
        assert scientific_text(Fraction(7, 10 ** (2 * interpreter_limit)), 3) == f"7e-{2 * interpreter_limit}"


@given(st.fractions(), st.fractions(min_value=0), st.integers(0, 30))
def test_rounding_outward(low: Fraction, width: Fraction, digits: int) -> None:
    first, last = round_outward(low, low + width, digits)
    unit = Fraction(1, 10**digits)
    assert low - unit < first <= low
    assert low + width <= last < low + width + unit
    assert (first / unit).denominator == (last / unit).denominator == 1


@given(st.lists(st.fractions(), max_size=8))
def test_the_total_is_the_sum(numbers: list[Fraction]) -> None:
    assert total(numbers) == sum(numbers)
    assert type(total(numbers)) is Fraction
