"""Samplers with b random bits: what they draw is counted with mpmath, and δ by sums over all outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest

import prover
from prover.chain.epsilon import epsilon_for
from prover.chain.unrolling.answer import Delta
from prover.language import floor
from prover.language.errors import CodeError
from prover.language.files import function_in
from tests.certified import proved

mpmath.mp.dps = 50
FILE = "examples/mechanisms/finite_precision.py"
HEAD = "import prover\nfrom prover.language import floor, see\n\n@prover.protocol\ndef f(s: bool):\n"

Law = Counter[int]


def chain(name: str, **const: int | str) -> prover.LabelledMarkovChain:
    return prover.load_chain(f"{FILE}:{name}", const=const)


def delta(name: str, alpha: Fraction, **const: int | str) -> Fraction | None:
    answer = prover.delta(chain(name, **const), alpha=alpha)
    assert isinstance(answer, Delta)
    proved(answer.certificate)
    return answer.value


def hockey(law: Law, moved: int, alpha: Fraction) -> Fraction:
    """δ of a number and of the same number plus ``moved``, the larger of both directions; by counting."""
    values = range(min(law) - moved, max(law) + 2 * moved + 1)
    whole, nothing = sum(law.values()), Fraction(0)
    return max(
        sum((max(nothing, law[k - a] - alpha * law[k - b]) for k in values), nothing) / whole
        for a, b in ((0, moved), (moved, 0))
    )


def rounded_laplace(bits: int, scale: int) -> Law:
    """The numbers of 0, …, 2^bits − 1 that lead to each noise: the least noise whose share is above them."""
    q = mpmath.exp(-mpmath.mpf(1) / scale)

    def share(k: int) -> int:
        cumulative = q**-k / (1 + q) if k < 0 else 1 - q ** (k + 1) / (1 + q)
        return int(mpmath.floor(2**bits * cumulative))

    most = next(k for k in range(1, 100) if share(-k) == 0)
    return Counter(
        next((k for k in range(-most, most) if number < share(k)), most) for number in range(2**bits)
    )


def fixed_laplace(bits: int, places: int, scale: int) -> Law:
    """⌊±scale·ln(u)·2^places⌋ for u = n/2^bits; both signs are equally likely."""
    law: Law = Counter()
    for n in range(1, 2**bits + 1):
        size = int(mpmath.floor(-scale * mpmath.log(mpmath.mpf(n) / 2**bits) * 2**places))
        law[size] += 1
        law[-1 - size] += 1
    return law


@pytest.mark.parametrize("name", ["laplace_table", "laplace_by_bits"])
@pytest.mark.parametrize("bits", [3, 7])
def test_a_rounded_table(name: str, bits: int) -> None:
    law = rounded_laplace(bits, 2)
    for alpha in (Fraction(5, 3), Fraction(4)):
        assert delta(name, alpha, bits=bits) == hockey(law, 1, alpha)


@pytest.mark.parametrize(("bits", "places"), [(5, 0), (6, 2)])
def test_fixed_point(bits: int, places: int) -> None:
    law = fixed_laplace(bits, places, 2)
    for alpha in (Fraction(5, 3), Fraction(100)):
        found = delta("fixed_point", alpha, bits=bits, places=places)
        assert found == hockey(law, 2**places, alpha)
        assert found > 0  # the largest noise of one count is out of reach for the other


def test_ideal_noise_has_what_is_declared() -> None:
    """ε = 1/2 with δ = 0, which is told from less than 10^−12 only."""
    for name in ("laplace_ideal", "fixed_point_ideal"):
        answer = prover.delta(chain(name), epsilon="1/2")
        assert answer.lower == 0
        assert answer.upper < Fraction(1, 10**12)


@pytest.mark.parametrize(
    ("bits", "honest"), [(2, 3), (3, 6), (4, 12), (5, 23), (6, 47), (7, 94), (8, 187), (9, 374), (10, 749)]
)
def test_a_rounded_coin(bits: int, honest: int) -> None:
    assert honest == int(mpmath.nint(2**bits * mpmath.e / (1 + mpmath.e)))
    answer = epsilon_for(chain("response", bits=bits), delta=0)
    assert answer.alpha == Fraction(honest, 2**bits - honest)


@pytest.mark.parametrize("most", [1, 3, 10])
def test_bounded_noise_and_bounded_outputs(most: int) -> None:
    """Of noise that is cut off at most the largest value tells one count from the other; outputs do not."""
    q = Fraction(1, 2)
    whole = 1 + 2 * sum(q**k for k in range(1, most + 1))
    assert delta("truncated", Fraction(2), most=most) == q**most / whole
    assert epsilon_for(chain("truncated", most=most), delta=0).impossible
    assert epsilon_for(chain("clamped", most=most), delta=0).alpha == 2


def test_a_table_over_bits() -> None:
    found = prover.sweep(
        lambda bits: chain("laplace_table", bits=bits), {"bits": [4, 6, 8]}, alpha="5/3", at_most="1/20"
    )
    assert found.crossing == (Fraction(8), Fraction(6))
    assert [point.value for point in found.points] == [
        hockey(rounded_laplace(bits, 2), 1, Fraction(5, 3)) for bits in (4, 6, 8)
    ]


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ("2^16*e^(-3/2)", 14623),
        ("-7/2", -4),
        (Fraction(7, 2), 3),
        (5, 5),
        ("e - 3", -1),
        ("100*e^(-1/2)", 60),
    ],
)
def test_whole_parts(given: Any, whole: int) -> None:
    assert floor(given) == whole
    text = f'"{given}"' if isinstance(given, str) else f'Fraction("{given}")'
    body = HEAD.replace("import prover\n", "import prover\nfrom fractions import Fraction\n", 1)
    function = function_in(f"{body}    see(f'{{floor({text})}} {{s}}')\n".encode(), "f", "f.py")
    made: Callable[..., Any] = function.chain  # type: ignore[union-attr]
    assert {f"{whole} True", f"{whole} False"} <= {*made({}).labels}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ('floor("pi")', "is no number"),
        ("floor()", "number is missing"),
        ("floor(True)", "a truth value is not a number"),
        ("floor((1, 2))", "a tuple is not a number"),
    ],
)
def test_what_has_no_whole_part(call: str, words: str) -> None:
    with pytest.raises(CodeError, match=words):
        function_in(f"{HEAD}    see({call} + s)\n".encode(), "f", "f.py").chain({})  # type: ignore[union-attr]
