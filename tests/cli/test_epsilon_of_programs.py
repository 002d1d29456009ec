"""prover epsilon about mechanisms: both ends are proved, and options of chains are refused."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.program.profiles import above, search
from prover.program.profiles.epsilon import ProgramEpsilon
from prover.zoo import build_program
from tests.certified import proved
from tests.commands import FORKS, zoo
from tests.commands import prover as run
from tests.program.profiles.test_above_values import HALF, above_threshold
from tests.refusals import refuses
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)


def test_ten_hits() -> None:
    """The exact ε is 1, and for δ = 10⁻⁶ another table, in floats, finds 0.626."""
    adjacency, allowed = prover.privacy(build_program("svt")).adjacency, Fraction(1, 10**6)
    tables = above.closed_tables(
        above_threshold(10, HALF, Fraction(1, 40)), adjacency, Fraction(1), [Fraction(3)]
    )
    alpha = tables.first_at_most(allowed)
    assert alpha is not None
    assert 1.85 < alpha < Fraction("1.8702")  # e^0.626
    assert tables.at(alpha).upper <= allowed < tables.at(alpha - Fraction(1, 10**6)).upper


@pytest.mark.family
@pytest.mark.parametrize("delta", ["1/10", "1/1000"])
def test_both_ends_are_proved(delta: str) -> None:
    program = build_program("lyu-1")
    answer = prover.epsilon_for(program, at_epsilon=1, delta=delta, steps=3)
    assert answer.alpha_upper is not None
    assert answer.upper is not None
    assert 1 <= answer.alpha_lower < answer.alpha_upper
    assert 0 <= answer.lower <= answer.upper < 1  # the exact ε
    assert answer.is_at_most(answer.upper) is True
    assert answer.is_at_most(answer.lower - 1) is False
    assert answer.certificate is not None
    upper = proved(answer.certificate)["claim"]
    assert (upper["alpha"], upper["upper"]) == (str(answer.alpha_upper), delta)
    assert answer.lower_certificate is not None
    lower = proved(answer.lower_certificate)["claim"]
    assert lower["alpha"] == str(answer.alpha_lower)
    assert Fraction(lower["lower"]) > Fraction(delta)
    assert prover.delta(program, at_epsilon=1, alpha=answer.alpha_lower, steps=3).upper >= Fraction(delta)


def test_a_bound_that_floats_do_not_know() -> None:
    """The exact ε is 1; floats alone led to inputs that prove nothing, and to 0 as the lower end."""
    program = build_program("lyu-1")
    answer = prover.epsilon_for(program, at_epsilon=1, delta="1/1000000", steps=4)
    assert answer.alpha_lower > Fraction("2.5")  # e^0.916


def test_all_is_allowed() -> None:
    answer = prover.epsilon_for(build_program("svt"), at_epsilon=1, delta="9/10", steps=2)
    assert answer.alpha == 1
    assert answer.lower == answer.upper == 0
    assert answer.headline.endswith(" is 0")


def test_only_the_pure_bound() -> None:
    """Where δ is to be 0; with a table or without."""
    for name in ("svt", "svt-gap"):
        program = build_program(name)
        answer = prover.epsilon_for(program, at_epsilon=2, delta=0, steps=2)
        exact = prover.privacy(program).epsilon
        assert exact is not None
        assert answer.upper == answer.pure == 2 * exact
        assert answer.is_at_most(2 * exact) is True
        assert answer.certificate is not None
        assert proved(answer.certificate)["claim"]["kind"] == "epsilon"
        assert "Only the pure bound is proved" in str(answer)
        assert ("There is no table" in str(answer)) == (name == "svt-gap")
        assert proved(answer.certificate)["claim"]["upper"] == str(exact)


def test_the_largest_ratio_alone() -> None:
    """Where there is no table: randomised response with odds of e^(5/2) : 1 has δ = 1/10 at a smaller α."""
    program = build_program("svt-gap")
    told: list[ProgramEpsilon] = []
    answer = prover.epsilon_for(program, at_epsilon=2, delta="1/10", steps=2, on_interval=told.append)
    assert answer.certificate is not None
    assert proved(answer.certificate)["evidence"].keys() == {"pure"}
    assert (answer.pure, answer.alpha_upper) == (None, told[0].alpha_upper)
    odds = Decimal("2.5").exp()
    assert answer.upper is not None
    upper = Decimal(answer.upper.numerator) / answer.upper.denominator
    assert 0 <= upper - (odds - (odds + 1) / 10).ln() < Decimal("1e-11")
    assert "no event is more than e^(5/2) times as likely" in str(answer)
    assert "There is no table" in str(answer)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [15, pytest.param(above.ROUNDS, marks=pytest.mark.slow)])
def test_no_bound_from_above(rounds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Algorithm 6 with a new threshold after each answer that is not below it."""
    monkeypatch.setattr(above, "ROUNDS", rounds)
    monkeypatch.setattr(search, "LONG", (24,))
    six = Path(zoo(tmp_path, "lyu-6"))
    model = json.loads(six.read_text())
    model["states"]["q2"]["transitions"][1]["to"] = "q1"
    six.write_text(json.dumps(model))
    done = run("epsilon", six, "--at-epsilon", "1", "--delta", "1/100", "--json")
    assert done.status == 3
    found = json.loads(done.out)
    assert (found["upper"], found["alpha_upper"], found["engine"]) == ("inf", None, "trivial")
    assert float(found["lower"]) > 1


def test_the_command(tmp_path: Path) -> None:
    svt, proof, page = zoo(tmp_path, "svt"), tmp_path / "svt.cert", tmp_path / "svt.html"
    words = ["epsilon", "--at-epsilon", "1", "--delta", "1/10", "--steps", "3", "--json", "--at-most", "7/10"]
    files = ["--certificate", str(proof), "--html", str(page)]
    done = run(*words[:1], svt, *words[1:], *files)
    assert done.status == 0, done.err
    check_answer(words, done.out)
    found = json.loads(done.out)
    assert found["holds"] is True
    assert run("verify", proof, "--model", svt, *words[1:3], "--steps", "3", "--at-most", "1/10").status == 0
    assert run("verify", f"{proof}.lower", "--model", svt).out.startswith("VERIFIED inputs ")
    assert "over all neighbouring inputs of at most 3 numbers is at least 0.12" in page.read_text("utf-8")
    assert run("epsilon", svt, *words[1:-1], "1/100").status == 1
    for option in (["--gap", "1"], ["--from", "a"], ["--times", "2"], ["--kind", "tv"], ["--observe", "x"]):
        refused = run("epsilon", svt, *words[1:5], *option)
        assert refused.status == 2
        assert f"{option[0]} is for Markov chains" in refused.err


@pytest.mark.slow
def test_noise_on_a_grid(tmp_path: Path) -> None:
    program = build_program("svt-discrete")
    answer = prover.epsilon_for(program, q="1/2", delta="1/10")
    assert answer.upper is not None
    assert 0 < answer.lower < answer.upper < Fraction(7, 2)  # ε is 4 ln 2, of which 5/4 is exact
    for certificate in (answer.certificate, answer.lower_certificate):
        assert certificate is not None
        assert proved(certificate)["claim"]["q"] == "1/2"
    words = ["epsilon", "--q", "1/2", "--delta", "1/10", "--json"]
    done = run(words[0], zoo(tmp_path, "svt-discrete"), *words[1:])
    check_answer(words, done.out)


def test_what_is_refused() -> None:
    svt = build_program("svt")
    with refuses("no-epsilon"):
        prover.epsilon_for(svt, delta="1/10")
    with refuses("bad-threshold"):
        prover.epsilon_for(svt, at_epsilon=1)  # type: ignore[call-overload]
    with refuses("not-a-system"):
        prover.epsilon_for(svt, "a", "b", "1/10", at_epsilon=1)  # type: ignore[call-overload]
    with refuses("not-a-program"):
        prover.epsilon_for(prover.zoo.pin_checker(), delta="1/10", at_epsilon=1)  # type: ignore[call-overload]
    with refuses("bad-steps"):
        prover.epsilon_for(svt, at_epsilon=1, delta="1/10", steps=0)
    with refuses("too-many-steps", match="--steps may be about"):
        prover.epsilon_for(svt, at_epsilon=1, delta="1/10", steps=5_000)
    with refuses("no-profile-table"):
        prover.epsilon_for(build_program("lyu-3"), at_epsilon=1, delta="1/2")


def test_without_a_table_inputs_give_a_lower_end() -> None:
    answer = prover.epsilon_for(build_program("lyu-3"), at_epsilon=1, delta="1/10")
    assert answer.upper is None
    assert "There is no table: state" in str(answer)
    assert answer.lower > Fraction(1, 4)
    assert answer.lower_certificate is not None
    assert prover.verify(answer.lower_certificate).startswith("inputs ")
