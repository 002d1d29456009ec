"""A default that was the text of a fraction could not be computed with, though --const could give it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.language import flip, laplace, see
from prover.language.errors import WrongCode
from tests.commands import prover as command


@prover.mechanism
def above(query: prover.language.Query, share="1/10"):  # type: ignore[no-untyped-def]
    see("above" if laplace(query, rate=1 - share) >= 0 else "below")


@prover.protocol
def survey(truth: bool, share="0.1"):  # type: ignore[no-untyped-def]
    see("yes" if truth == flip(1 - share) else "no")


@prover.protocol
def named(truth: bool, share: str = "1/10", count="7"):  # type: ignore[no-untyped-def]
    see(share if truth else count)


@prover.protocol
def compared(truth: bool, share="1/10"):  # type: ignore[no-untyped-def]
    see("a tenth" if truth and share in ("1/10", "1/5") else "another")


def test_defaults_and_given_values_are_read_alike(tmp_path: Path) -> None:
    assert prover.privacy(above()).headline == "private: exactly (9/10)·ε (no smaller multiple holds)"
    assert (
        prover.privacy(above(share="1/4")).headline == "private: exactly (3/4)·ε (no smaller multiple holds)"
    )
    assert prover.delta(survey.chain(), alpha=1).value == Fraction(4, 5)
    assert prover.delta(survey.chain(share=Fraction(1, 4)), alpha=1).value == Fraction(1, 2)
    path = tmp_path / "file.py"
    path.write_text(
        "import prover\nfrom prover.language import flip, see\n@prover.protocol\n"
        "def survey(truth: bool, share='1/10'):\n    see(truth == flip(1 - share))\n"
    )
    default, given = (
        command("delta", f"{path}:survey", "--alpha", "1", *more) for more in ((), ("--const", "share=1/10"))
    )
    assert default.status == 0, default.err
    assert default.out == given.out


def test_they_run() -> None:
    assert set(above.run([1, 2], seed=1)) <= {"above", "below"}
    assert survey.run(truth=True, share="0.0", seed=1) == ["yes"]
    assert survey.run(truth=True, seed=1) in (["yes"], ["no"])
    assert named.run(truth=True) == ["1/10"]


def test_texts_stay_texts() -> None:
    labels = set(named.chain().labels)
    assert {"1/10", "7"} <= labels


def test_a_number_and_a_text_are_not_compared() -> None:
    with pytest.raises(WrongCode, match="is a string that is compared with a number"):
        compared.chain()


def test_decorated_functions_show_what_they_are() -> None:
    assert repr(survey) == "<DecoratedProtocol: survey(truth, share)>"
    assert "gives its Markov chain" in (survey.__doc__ or "")
    assert "to get the threshold program" in (above.__doc__ or "")
