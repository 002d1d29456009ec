"""Files with rates that are real numbers, in all formats, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

import prover
from prover.errors import BadInput
from prover.formats.load import load_program
from prover.formats.opened import load_open
from prover.formats.real import load_real
from prover.language.simulation import Simulated
from prover.zoo import svt

DIPA = """(draw: non-input, {first}, 0): x := insample; output start; goto test
(test, {second}, 0):
    if (insample < x) then output below; goto test
    elseif (insample >= x) then output above; goto end
"""
CODE = """import prover
from prover.language import laplace, see

@prover.mechanism
def hits(queries):
    threshold = laplace(0, {first})
    for query in queries:
        if laplace(query, {second}) >= threshold:
            see("above")
            return
        see("below")
"""


def written(folder: Path, name: str, first: str, second: str) -> str:
    """A file with two rates, by the end of its name."""
    if name.endswith(".json"):
        document = prover.to_dict(svt())
        document["states"]["q1"]["rate"], document["states"]["q2"]["rate"] = first, second
        text = json.dumps(document)
    else:
        text = (CODE if name.endswith(".py") else DIPA).format(first=first, second=second)
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name) + ":hits" * name.endswith(".py")


@pytest.mark.parametrize(
    ("first", "second", "unit", "share"),
    [
        ("ln 3", "2*ln(3)", "ln(3)", "2"),
        ("1/sqrt(2)", "sqrt(8)", "sqrt(2)", "4"),
        ("e^(-1/2)", "3*e^(1/2)/e", "e^(-1/2)", "3"),
        ("2/(1 + e^(1/3))", "1/(1 + e^(1/3))", "1/(1 + e^(1/3))", "1/2"),
        ("ln 2 - ln 3 + 2*ln 3", "(ln 2 + ln 3)/7", "ln(2) + ln(3)", "1/7"),
        ("ln 3 - ln 2", "2*ln 3 - 2*ln 2", "-ln(2) + ln(3)", "2"),
    ],
)
def test_all_formats(tmp_path: Path, first: str, second: str, unit: str, share: str) -> None:
    files = [written(tmp_path, name, first, second) for name in ("a.dipa", "a.json")]
    files += [written(tmp_path, "a.py", f'rate="{first}"', f'rate="{second}"')]
    files += [written(tmp_path, "b.py", f'scale="1/({first})"', f'rate="{second}"')]
    for file in files:
        real = load_real(file)
        assert str(real.unit) == unit
        own, other = (state.rate for state in real.multiples.states.values())
        assert isinstance(own, Fraction)
        assert isinstance(other, Fraction)
        assert other / own == Fraction(share)
        low, high = real.rates[next(iter(real.program.states)), "rate_left"].enclosed(60)
        below = next(iter(real.program.states.values())).rate
        assert isinstance(below, Fraction)
        assert 0 <= low - below < low / 10**11 < high


@pytest.mark.parametrize("name", ["a.dipa", "a.json", "a.py"])
@pytest.mark.parametrize(
    ("rate", "words"),
    [
        ("ln 2 - 1", "is not positive; the noise has scale"),
        ("ln 6 - ln 2 - ln 3", "its sign is not known"),
        ("ln(2) + y", "is no rate; write numbers"),
    ],
)
def test_refused_rates(tmp_path: Path, name: str, rate: str, words: str) -> None:
    rates = [f'rate="{one}"' if name == "a.py" else one for one in ("ln 3", rate)]
    with pytest.raises(BadInput, match=words) as caught:
        load_real(written(tmp_path, name, *rates))
    assert "a." in str(caught.value)


def test_equal_digits(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"the rates .* are equal to 12 digits; write them alike"):
        load_real(written(tmp_path, "a.dipa", "ln 6", "ln 2 + ln 3"))


def test_rational_rates(tmp_path: Path) -> None:
    file = written(tmp_path, "a.dipa", "sqrt(4)/3", "1/2")
    assert load_program(file).states["draw"].rate == Fraction(2, 3)
    with pytest.raises(BadInput, match="no rate is a real number"):
        load_real(file)


@pytest.mark.parametrize("name", ["a.dipa", "a.json", "a.py"])
def test_others_say_what_to_do(tmp_path: Path, name: str) -> None:
    rates = [f'rate="{one}"' if name == "a.py" else one for one in ("ln 3", "(1 - t)/2")]
    file = written(tmp_path, name, *rates)
    with pytest.raises(
        BadInput, match=r"the rate ln\(3\) is no rational number; prover privacy without --open"
    ):
        load_program(file)
    with pytest.raises(BadInput, match="no rational number"):
        load_open(file, "t=1/10:1/2")
    rates[0] = rates[0].replace("ln 3", "1/2")
    with pytest.raises(BadInput, match=r"this rate names t, which is no number.*--open t=1/10:9/10"):
        load_program(written(tmp_path, name, *rates))


def test_no_unit(tmp_path: Path) -> None:
    assert load_real(written(tmp_path, "a.dipa", "1", "ln 3")).unit is None
    assert load_real(written(tmp_path, "b.dipa", "sqrt 2", "ln 3")).unit is None
    assert load_real(written(tmp_path, "c.dipa", "1 + ln 3", "ln 3")).unit is None


def test_a_mechanism_with_real_rates_runs() -> None:
    drawn = {
        rate: Simulated(Random(1), 1.0).draw("laplace", 0, rate=rate)
        for rate in ("ln 3", "1098612288668109691/1000000000000000000")
    }
    assert len(set(drawn.values())) == 1
