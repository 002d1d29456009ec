"""prover delta about mechanisms: both ends are proved, and options of chains are refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.program.attack.probability import rational_probability
from prover.program.profiles.below import read_by
from prover.report.program_attack import decimals_below
from prover.zoo import build_program
from tests.certificate.verdicts import accepted, claimed
from tests.commands import FORKS, Run, zoo
from tests.commands import prover as run
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)

FIRST_HIT = f"{Path(__file__).parents[2]}/examples/mechanisms/gaussian.py:first_hit"
CODE = """
import prover
from prover.language import laplace, see

@prover.mechanism
def alarm(queries):
    for count in queries:
        if laplace(count, rate="1/4") >= 50:
            see("alarm")
            return
        see("all is well")
"""


@pytest.fixture
def svt(tmp_path: Path) -> Path:
    return zoo(tmp_path, "svt")


def asked(model: Path | str, *more: str) -> Run:
    return run("delta", model, "--at-epsilon", "1", *more)


def test_the_sparse_vector_technique(svt: Path, tmp_path: Path) -> None:
    proof, page = tmp_path / "svt.cert", tmp_path / "svt.html"
    done = asked(svt, "--epsilon", "1/2", "--certificate", str(proof), "--html", str(page))
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].endswith(" <= delta_e^(1/2) over all neighbouring inputs <= 0.147354")
    assert lines[1].startswith(
        "For every event E and all neighbouring inputs x, y:  P[E | x]  <=  e^(1/2) * "
    )
    assert "P[E | x] ≤ e^(1/2) · P[E | y] + 0.147354" in " ".join(page.read_text("utf-8").split())
    upper = run("verify", proof, "--model", svt, "--at-epsilon", "1", "--at-most", "16/100")
    assert upper.out.startswith("VERIFIED profile-table ")
    lower = run("verify", f"{proof}.lower", "--model", svt)
    assert lower.out.startswith("VERIFIED inputs ")


def test_json_follows_its_schema(svt: Path) -> None:
    words = ("--epsilon", "1/2", "--steps", "3", "--json", "--at-most", "1/5")
    done = asked(svt, *words)
    check_answer(["delta", "--at-epsilon", *words], done.out)
    found = json.loads(done.out)
    assert found["holds"] is True
    attack, bounds = found["attack"], [Fraction(found[end]) for end in ("lower", "upper")]
    gain = Fraction(attack["from_probability"]) - Fraction(found["alpha_lower"]) * Fraction(
        attack["to_probability"]
    )
    assert 0 < bounds[0] <= gain <= bounds[1] < 1


def test_inputs_of_at_most_so_many_numbers(svt: Path, tmp_path: Path) -> None:
    proof = tmp_path / "svt.cert"
    words = ("--epsilon", "1/2", "--steps", "3", "--json")
    done = asked(svt, *words, "--certificate", str(proof))
    check_answer(["delta", "--at-epsilon", *words], done.out)
    found = json.loads(done.out)
    assert found["steps"] == 3
    assert len(found["attack"]["inputs"][0]) <= 3
    for name, bound in ((proof, ("--at-most", found["upper"])), (f"{proof}.lower", ())):
        said = run("verify", name, "--model", svt, "--at-epsilon", "1", "--steps", "3", *bound)
        assert said.out.startswith("VERIFIED ")
        assert " steps=3 " in said.out
    assert "(--steps)" in run("verify", proof, "--at-epsilon", "1", "--at-most", "1/2").out
    assert run("delta", svt, "--alpha", "2", "--steps", "3").status == 2


FRESH = """
import prover
from prover.language import gaussian, see

@prover.mechanism
def fresh(queries):
    for query in queries:
        threshold = gaussian(0, sigma=2)
        if gaussian(query, sigma=4) >= threshold:
            see("above")
            return
        see("below")
"""


def test_a_loop_that_loses_everything(tmp_path: Path) -> None:
    page, proof = tmp_path / "hit.html", tmp_path / "hit.cert"
    words = ("--alpha", "3", "--at-most", "9/10", "--json")
    done = asked(FIRST_HIT, *words)
    assert done.status == 1
    check_answer(["delta", "--at-epsilon", *words], done.out)
    found = json.loads(done.out)
    assert (found["value"], found["holds"], found["engine"]) == ("1", False, "losing-loop")
    done = asked(FIRST_HIT, "--alpha", "3", "--html", str(page), "--certificate", str(proof))
    assert "whole answer was written: none proves that delta is 1 for inputs of every length" in done.err
    assert not proof.exists()
    assert "compares Gaussian noise around an input" in " ".join(page.read_text("utf-8").split())


def test_other_loops_with_gaussian_noise_ask_for_a_length(tmp_path: Path) -> None:
    code = tmp_path / "fresh.py"
    code.write_text(FRESH)
    done = asked(f"{code}:fresh", "--alpha", "2")
    assert (done.status, done.out) == (2, "")
    assert "--steps N" in done.err
    done = asked(f"{code}:fresh", "--alpha", "2", "--steps", "2")
    assert done.status == 0
    assert "of at most 2 numbers" in done.out


def test_a_mechanism_that_is_not_private(tmp_path: Path) -> None:
    code = tmp_path / "alarm.py"
    code.write_text(CODE)
    done = asked(f"{code}:alarm", "--epsilon", "1/4", "--json")
    found = json.loads(done.out)
    assert Fraction("0.08") < Fraction(found["lower"]) < Fraction(found["upper"]) < Fraction("0.09")


@pytest.mark.parametrize(("threshold", "status"), [("1/5", 0), ("1/100", 1), ("1/10", 3)])
def test_what_is_asked_decides_the_status(svt: Path, threshold: str, status: int) -> None:
    assert asked(svt, "--epsilon", "1/2", "--steps", "2", "--at-most", threshold).status == status


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--from", "a", "--to", "b"), "--from is for Markov chains"),
        (("--untimed",), "--untimed is for Markov chains"),
        (("--open-loop",), "--open-loop is for Markov chains"),
        (("--scheduler", "observer"), "--scheduler is for Markov chains"),
        (("--simulate", "5"), "--simulate is for Markov chains"),
    ],
)
def test_options_of_chains_are_refused(svt: Path, more: tuple[str, ...], words: str) -> None:
    done = asked(svt, "--epsilon", "1/2", *more)
    assert (done.status, done.out) == (2, "")
    assert words in done.err


def test_options_of_programs_are_refused_on_chains(tmp_path: Path) -> None:
    pin = zoo(tmp_path, "pin-checker")
    done = run("delta", pin, "--alpha", "2", "--adjacency", "increasing")
    assert (done.status, done.out) == (2, "")
    assert "holds a labelled Markov chain, but a threshold program is expected" in done.err
    assert run("delta", pin, "--alpha", "2", "--at-epsilon", "1").status == 2


def test_what_has_no_table_and_no_epsilon_says_why(tmp_path: Path) -> None:
    """Inputs prove a lower end all the same, at α = 2 and not at α = 20."""
    model, proof = zoo(tmp_path, "lyu-3"), tmp_path / "lyu.cert"
    done = asked(model, "--alpha", "2", "--certificate", str(proof))
    assert (done.status, proof.exists()) == (3, False)
    assert "No bound below 1 was found." in done.out
    assert "There is no table: state" in done.out
    assert "different proofs" not in done.out  # there is one
    lower = json.loads(Path(f"{proof}.lower").read_text())
    accepted(lower)
    assert Fraction(lower["claim"]["lower"]) > Fraction(1, 20)
    done = asked(model, "--alpha", "20")
    assert (done.status, done.out) == (2, "")
    assert "stores or outputs a sample that it also compares, in a loop" in done.err


@pytest.mark.parametrize(("name", "words"), [("m-range", "variables"), ("svt-gap", "outputs a gap")])
def test_an_exact_epsilon_needs_no_table(tmp_path: Path, name: str, words: str) -> None:
    """Both are private: all losses are below 5/4·ε. Randomised response has δ = .3315… at α = 2 then."""
    proof = tmp_path / "upper.cert"
    done = asked(zoo(tmp_path, name), "--alpha", "2", "--json", "--certificate", str(proof))
    check_answer(["delta", "--at-epsilon", "1", "--alpha", "2", "--json"], done.out)
    found = json.loads(done.out)
    assert (done.status, found["engine"], found["attack"]) == (0, "privacy", None)
    assert 0 < Fraction(found["upper"]) < Fraction(332, 1000)
    assert claimed(proof.read_bytes()).startswith("profile-table alpha=2 ")
    text = asked(zoo(tmp_path, name), "--alpha", "2").out
    assert words in text
    assert "There is no table" in text


def test_from_the_largest_ratio_on_nothing_is_lost(tmp_path: Path) -> None:
    done = asked(zoo(tmp_path, "svt"), "--alpha", "7/2")
    assert done.status == 0
    assert "delta_7/2 over all neighbouring inputs = 0" in done.out
    assert "No attack was found" not in done.out


def exact(runs: list[list[int]], inputs: list[Fraction]) -> Fraction:
    """The probability of runs, where q is 1/2: without rounding."""
    program = build_program("svt-discrete")
    paths = [[program.edges[number] for number in run] for run in runs]
    chances = [rational_probability(program, path, read_by(path, inputs), Fraction(1, 2)) for path in paths]
    return sum(chances, Fraction(0))


def test_noise_on_a_grid(tmp_path: Path) -> None:
    grid, proof = zoo(tmp_path, "svt-discrete"), tmp_path / "grid.cert"
    done = run("delta", grid, "--q", "1/2", "--alpha", "8", "--json", "--certificate", proof)
    assert run("verify", proof, "--q", "1/2", "--at-most", "1/2").status == 0
    assert "--at-epsilon" in run("verify", proof, "--at-epsilon", "1").out
    assert "--q" in run("verify", proof, "--at-most", "1/2").out
    assert "--q" in run("verify", proof, "--q", "1/4").out
    assert run("verify", f"{proof}.lower", "--q", "1/2").status == 0
    check_answer(["delta", "--at-epsilon"], done.out)
    found = json.loads(done.out)
    assert (found["at_epsilon"], found["q"]) == (None, "1/2")
    attack = found["attack"]
    assert Fraction(attack["count"]) == len(attack["runs"])
    for side, read in zip(("from", "to"), attack["inputs"], strict=True):
        assert Fraction(attack[f"{side}_probability"]) == exact(attack["runs"], [*map(Fraction, read)])
    assert asked(grid, "--alpha", "2", "--steps", "2").status == 0


def test_q_is_for_noise_on_a_grid(svt: Path) -> None:
    done = run("delta", svt, "--q", "1/2", "--alpha", "2")
    assert (done.status, done.out) == (2, "")
    assert "discrete noise only" in done.err
    both = asked(svt, "--q", "1/2", "--alpha", "2")
    assert (both.status, both.out) == (2, "")
    assert "--q and --at-epsilon both choose an epsilon" in both.err


def test_where_delta_is_one_inputs_prove_less(tmp_path: Path) -> None:
    model, proof = zoo(tmp_path, "lyu-6"), tmp_path / "lyu.cert"
    done = asked(model, "--alpha", "1", "--certificate", str(proof))
    assert "No bound below 1 holds for inputs of every length." in done.out
    assert "runs come back to it after both outcomes" in done.out
    assert "no certificate of the whole answer was written: none proves that delta is 1" in done.err
    assert (done.status, proof.exists()) == (3, False)
    lower = json.loads(Path(f"{proof}.lower").read_text())
    accepted(lower)
    least = Fraction(lower["claim"]["lower"])
    assert f"alone prove that δ is at least {decimals_below(least)}." in done.out
    below, above = str(least / 2), str((1 + least) / 2)
    assert asked(model, "--alpha", "1", "--at-most", below, "--certificate", f"{proof}.2").status == 1
    assert asked(model, "--alpha", "1", "--at-most", above, "--certificate", f"{proof}.3").status == 3
    assert asked(model, "--alpha", "1", "--at-most", above).status == 1


def test_python_answers_the_same(svt: Path) -> None:
    answer = prover.delta(prover.load_program(svt), at_epsilon=1, alpha="3/2", steps=2)
    assert str(answer) == asked(svt, "--alpha", "3/2", "--steps", "2").out.rstrip("\n")
    assert repr(answer) == f"<ProgramDelta: {answer.headline}>"
    assert answer.is_at_most(Fraction(1, 2)) is True
    assert answer.is_at_most(answer.lower / 2) is False
    assert answer.is_at_most((answer.lower + answer.upper) / 2) is None


def test_the_exact_epsilon_proves_the_upper_end_where_it_is_less(tmp_path: Path) -> None:
    model, words = zoo(tmp_path, "noisy-max"), ("--epsilon", "1/2")
    done = asked(model, *words, "--json")
    check_answer(["delta", "--at-epsilon", "1", *words, "--json"], done.out)
    found = json.loads(done.out)
    assert (found["engine"], "pure" in found) == ("privacy", False)
    assert "prover privacy proves that no event is more than e^1 times as likely" in asked(model, *words).out
    assert "By what prover privacy proves alone, δ is at most 0." in asked(model, "--epsilon", "1").out
