"""prover curve about mechanisms: bounds at many α from one table and from pairs of inputs."""

from __future__ import annotations

import csv
import io
import json
from base64 import b64encode
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from math import exp
from pathlib import Path

import pytest

import prover
from prover.report.program_curve import reply_of
from prover.zoo import build_program
from tests.commands import FORKS, zoo
from tests.commands import prover as run
from tests.refusals import refuses
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)


@pytest.mark.slow
def test_points_are_bounds_of_delta() -> None:
    program = build_program("lyu-1")
    curve = prover.curve(program, at_epsilon=1, epsilons=["1/4", 0, "1/8"], steps=3)
    assert [point.epsilon for point in curve] == [None, Fraction(1, 8), Fraction(1, 4)]
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
    alone = prover.delta(program, at_epsilon=1, alpha=point.alpha_upper, steps=3)
    assert point.lower <= alone.upper
    assert alone.lower <= point.upper <= alone.upper * Fraction(102, 100)
    uppers = [point.upper for point in curve]
    assert uppers == sorted(uppers, reverse=True)


def test_from_the_exact_epsilon_on_delta_is_0() -> None:
    beyond = prover.curve(build_program("lyu-1"), at_epsilon=1, alphas=["3"], steps=2).points[0]
    assert beyond.pure == beyond.lower == 0
    assert beyond.upper < Fraction(1, 10**8)


def test_the_command(tmp_path: Path) -> None:
    svt = zoo(tmp_path, "svt")
    words = ["curve", "--at-epsilon", "1", "--steps", "3", "--alpha", "1:2:2"]
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
    assert "δ falls from at most 0.280717" in files[2].read_text("utf-8")
    check_answer([*words, "--json"], run(words[0], svt, *words[1:], "--json").out)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--gap", "1"], "--gap is for Markov chains"),
        (["--no-bounds"], "--no-bounds is for Markov chains"),
        (["--jobs", "2"], "--jobs is for Markov chains"),
    ],
)
def test_options_of_chains(tmp_path: Path, more: list[str], why: str) -> None:
    done = run("curve", zoo(tmp_path, "svt"), "--at-epsilon", "1", "--alpha", "1:2:2", *more)
    assert done.status == 2
    assert why in done.err


def test_certificates_prove_all_points() -> None:
    """Those of ε on the side of e^ε where the bound holds, in both directions, for at most two inputs."""
    curve = prover.curve(
        build_program("lyu-1"), at_epsilon=1, epsilons=[0, "1/8", 2], adjacency="monotonic", steps=2
    )
    assert curve.certificate is not None
    assert curve.lower_certificate is not None
    upper, lower = (json.loads(proof.data) for proof in (curve.certificate, curve.lower_certificate))
    assert upper["evidence"].keys() == {"decreasing", "increasing", "pure"}  # δ = 0 at e^2, by the exact ε
    assert upper["claim"]["steps"] == lower["claim"]["steps"] == 2
    assert [Fraction(point["upper"]) for point in upper["claim"]["points"]] == [own.upper for own in curve]
    gaining = [own for own in curve if own.lower > 0]
    assert [Fraction(point["lower"]) for point in lower["claim"]["points"]] == [own.lower for own in gaining]
    assert len(lower["evidence"]["pairs"]) == len(gaining) == 2
    sides = [
        [point.get("epsilon", {}).get("alpha") for point in own["claim"]["points"]] for own in (upper, lower)
    ]
    assert sides == [[None, "at-most", "at-most"], [None, "at-least"]]
    lines = [prover.verify(proof) for proof in (curve.certificate, curve.lower_certificate)]
    words = "adjacency=monotonic at-epsilon=1 steps=2 points"
    assert lines[0].startswith(f"profile-table {words}=3 model=")
    assert lines[1].startswith(f"inputs {words}=2 model=")


def test_what_is_not_proved_has_no_certificate() -> None:
    """No inputs gain where δ is almost 0; and a bound of 1 needs no evidence."""
    beyond = prover.curve(build_program("lyu-1"), at_epsilon=1, alphas=[3], steps=2)
    assert beyond.certificate is not None
    assert beyond.lower_certificate is None
    point = replace(beyond.points[0], upper=Fraction(1))
    trivial = replace(beyond, points=(point,))
    assert trivial.certificate is None
    assert reply_of(trivial, csv_elsewhere=False, certified=True).unproved == "no bound below 1 was found"
    both = replace(beyond, points=(point, *beyond.points))
    assert both.certificate == beyond.certificate


def test_the_command_writes_both_certificates(tmp_path: Path) -> None:
    program, proof, page = zoo(tmp_path, "lyu-1"), tmp_path / "c.cert", tmp_path / "c.html"
    words = ["curve", "--at-epsilon", "1", "--steps", "3", "--alpha", "1:9/8:2", "--json"]
    done = run(words[0], program, *words[1:], "--certificate", str(proof), "--html", str(page))
    assert done.status == 0, done.err
    check_answer(words, done.out)
    found = json.loads(done.out)
    for key, path in (("certificate", proof), ("certificate_lower", tmp_path / "c.cert.lower")):
        assert found[key] == sha256(path.read_bytes()).hexdigest()
        assert b64encode(path.read_bytes()) in page.read_bytes()
        verified = run("verify", str(path), "--at-epsilon", "1", "--steps", "3")
        assert verified.status == 0
        assert " points=2 " in verified.out
    refused = run("verify", str(proof), "--at-epsilon", "1", "--at-most", "1/2")
    assert refused.status == 1
    assert "the claim bounds no single probability (--at-most)" in refused.out


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
        prover.curve(build_program("lyu-3"), at_epsilon=1, alphas=[20])


def test_without_a_table_inputs_give_lower_ends() -> None:
    program = build_program("lyu-3")
    first, second, last = answer = prover.curve(program, at_epsilon=1, alphas=[1, 2, 20])
    assert first.upper == second.upper == 1
    assert first.lower > second.lower > last.lower == 0
    assert answer.lower_certificate is not None
    assert prover.verify(answer.lower_certificate).startswith("inputs ")
    assert second.lower == prover.delta(program, at_epsilon=1, alpha=2).lower


def test_lower_ends_alone(tmp_path: Path) -> None:
    """A large program without a table, of which the exact ε is in the hundreds."""
    model, page, proof = zoo(tmp_path, "row-of-loops"), tmp_path / "row.html", tmp_path / "row.cert"
    files = ("--html", page, "--certificate", proof, "--csv", tmp_path / "row.csv")
    done = run("curve", model, "--at-epsilon", "1", "--epsilon", "0:1:3", *files)
    assert done.status == 3
    assert "not decided: no bound below 1 was found" in done.err
    assert "0.123849 .. 1" in done.out
    assert "There is no table" in done.out
    assert "The column pure" not in done.out  # it would be 1
    text = " ".join(page.read_text("utf-8").split())
    assert "δ is at least 0.123849 at ε = 0" in text
    assert "No bound below 1 is proved." in text
    assert "δ falls" not in text
    assert "There is no table" in text
    assert not proof.exists()
    assert prover.verify(Path(f"{proof}.lower").read_bytes()).startswith("inputs ")
