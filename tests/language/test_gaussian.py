"""Mechanisms with Gaussian noise: the programs that they are, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import prover
from prover.formats.dipa import read_dipa
from prover.formats.dipa_writer import write_dipa
from prover.language.errors import NotYetInTheModel, WrongCode
from tests.refusals import refuses

HEAD = """
import prover
from fractions import Fraction
from prover.language import *

@prover.mechanism{settings}
def made(queries, first: Query, sigma: str = "4"):
"""


def read(tmp_path: Path, *lines: str, settings: str = "", const: str | None = None) -> prover.Program:
    file = tmp_path / "made.py"
    file.write_text(HEAD.format(settings=settings) + "".join(f"    {line}\n" for line in lines))
    return prover.load_program(f"{file}:made", const=const)


HIT = (
    "limit = gaussian(0, sigma=2)",
    "for query in queries:",
    "    if gaussian(query, sigma) >= limit:",
    "        see('yes')",
    "        see(gaussian(query, sigma='1/3'))",
    "        return",
    "    see('no')",
)


def test_it_is_the_program_of_the_same_states(tmp_path: Path) -> None:
    made = read(tmp_path, *HIT, settings="(sensitivity=2)")
    text = """sensitivity 2;

(line8: non-input, sigma 2, 0): limit := insample; output unseen; goto line10

(line10, sigma 4, 0, sigma 1/3, 0):
    if (insample >= limit) then output yes, insampleprime; goto end
    elseif (insample < limit) then output no; goto line10
"""
    assert write_dipa(made) == text
    assert read_dipa(text) == made
    for given in ("7/2", "3.5"):
        assert "sigma 7/2" in write_dipa(read(tmp_path, *HIT, const=f"sigma={given}"))


def test_both_kinds_of_noise_may_be_drawn(tmp_path: Path) -> None:
    made = read(
        tmp_path,
        "limit = laplace(0, rate='1/4')",
        "see('above' if gaussian(first, Fraction(5, 2)) > limit + 1 else 'below')",
        "for query in queries:",
        "    see('above' if gaussian(0, 1) + query - 2 > limit else 'below')",
    )
    states = {name.removeprefix("line"): (s.noise, s.mean) for name, s in made.states.items()}
    assert [state.input for state in made.states.values()].count(True) == 2
    assert "sigma 5/2, -1)" in write_dipa(made)
    assert "sigma 1, -2)" in write_dipa(made)
    assert len(states) == 3


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        ("see(gaussian(first))", WrongCode, "sigma is missing"),
        ("see(gaussian(first, rate=1))", WrongCode, "gaussian has no parameter rate"),
        ("see(gaussian(first, 1, 2))", WrongCode, "gaussian takes at most 2 arguments"),
        ("see(gaussian(first, sigma=0))", WrongCode, "more than 0"),
        ("see(gaussian(first, sigma='-1/2'))", WrongCode, "more than 0"),
        ("see(gaussian(first, sigma='inf'))", WrongCode, "1/3, 0.25"),
        ("see(gaussian(first, sigma=True))", WrongCode, 'write a number, such as sigma="1/4"'),
        ("see(gaussian(first, sigma=first))", WrongCode, "the sigma is"),
        (f"see(gaussian(first, sigma='{'1' * 10_001}'))", WrongCode, "at most 10,000 digits"),
        ("see(gaussian(laplace(first, rate=1), sigma=1))", NotYetInTheModel, "noise on noise"),
        (
            "x = discrete_laplace(first, rate=1); see(gaussian(0, 1) > x)",
            NotYetInTheModel,
            "discrete and continuous noise are both drawn",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, line: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words.replace("(", r"\(")):
        read(tmp_path, *line.split("; "))


def test_privacy_names_the_line_and_another_command(tmp_path: Path) -> None:
    with refuses("gaussian-noise", match='state "line10" has Gaussian noise.*prover delta'):
        prover.privacy(read(tmp_path, *HIT))


def test_second_draws_are_alike(tmp_path: Path) -> None:
    lines = (
        "limit = gaussian(0, sigma=2)",
        "if gaussian(first, 4) >= limit:",
        "    see(gaussian(first, 1))",
        "else:",
        "    see(laplace(first, rate=1))",
    )
    with pytest.raises(NotYetInTheModel, match="a second draw has other noise here than elsewhere"):
        read(tmp_path, *lines)
