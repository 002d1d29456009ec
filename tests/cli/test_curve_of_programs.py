"""prover curve about mechanisms: bounds at many α from one table and from pairs of inputs."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from math import exp
from pathlib import Path

import pytest

import prover
from prover.zoo import build_program
from tests.commands import FORKS, zoo
from tests.commands import prover as run
from tests.refusals import refuses
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)


def test_points_are_bounds_of_delta() -> None:
    program = build_program("lyu-1")
    curve = prover.curve(program, at_epsilon=1, epsilons=["3/4", 0, "1/2"])
    assert [point.epsilon for point in curve] == [None, Fraction(1, 2), Fraction(3, 4)]
    for point in curve:
        assert 0 < point.lower < point.upper
        assert point.pure is not None
        assert point.upper < point.pure
        assert float(point.pure) == pytest.approx(
            (exp(1) - float(point.alpha_upper)) / (1 + exp(1)), abs=1e-9
        )
        assert point.attack is not None
        claim = prover.verify(point.attack.certificate)
        assert claim.startswith("inputs ")
    point = curve.points[1]
    alone = prover.delta(program, at_epsilon=1, alpha=point.alpha_upper)
    assert point.lower <= alone.upper
    assert alone.lower <= point.upper <= alone.upper * Fraction(102, 100)
    uppers = [point.upper for point in curve]
    assert uppers == sorted(uppers, reverse=True)


def test_from_the_exact_epsilon_on_delta_is_0() -> None:
    beyond = prover.curve(build_program("lyu-1"), at_epsilon=1, alphas=["3"]).points[0]
    assert beyond.pure == beyond.lower == 0
    assert beyond.upper < Fraction(1, 10**8)


def test_the_command(tmp_path: Path) -> None:
    svt = zoo(tmp_path, "svt")
    words = ["curve", "--at-epsilon", "1", "--alpha", "1:2:2"]
    files = [tmp_path / name for name in ("svt.csv", "svt.svg", "svt.html")]
    beside = [
        text for pair in zip(("--csv", "--plot", "--html"), map(str, files), strict=True) for text in pair
    ]
    done = run(words[0], svt, *words[1:], *beside)
    assert done.status == 0, done.err
    rows = list(csv.DictReader(io.StringIO(files[0].read_text("utf-8"))))
    assert [row["alpha"] for row in rows] == ["1", "2"]
    for row in rows:
        assert 0 < Fraction(row["lower"]) < Fraction(row["upper"]) < Fraction(row["pure"])
    assert done.out.splitlines()[0].split() == ["alpha", "epsilon", "delta", "pure"]
    assert "what the exact ε alone proves" in files[1].read_text("utf-8")
    assert "δ falls from at most 0.307378" in files[2].read_text("utf-8")
    check_answer([*words, "--json"], run(words[0], svt, *words[1:], "--json").out)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--certificate", "c.cert"], "only single points are certified"),
        (["--gap", "1"], "--gap is for Markov chains"),
        (["--no-bounds"], "--no-bounds is for Markov chains"),
        (["--jobs", "2"], "--jobs is for Markov chains"),
    ],
)
def test_options_of_chains(tmp_path: Path, more: list[str], why: str) -> None:
    done = run("curve", zoo(tmp_path, "svt"), "--at-epsilon", "1", "--alpha", "1:2:2", *more)
    assert done.status == 2
    assert why in done.err


def test_what_is_refused() -> None:
    svt = build_program("svt")
    with refuses("no-alphas"):
        prover.curve(svt, at_epsilon=1)
    with refuses("no-epsilon"):
        prover.curve(svt, alphas=[1])
    with refuses("not-a-system"):
        prover.curve(svt, "a", "b", [1], at_epsilon=1)  # type: ignore[call-overload]
    with refuses("not-a-program"):
        prover.curve(prover.zoo.pin_checker(), alphas=[1], at_epsilon=1)  # type: ignore[call-overload]
    with refuses("no-profile-table"):
        prover.curve(build_program("noisy-max"), at_epsilon=1, alphas=[1])
