"""The command ``prover encode``: what it prints is a formula, and what does not fit is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import prover as api
from prover import zoo as models
from prover.encoding import CHAIN, PROGRAM, problems
from prover.smt.solver import SAT, UNSAT, solve
from prover.smt.template import names
from tests.commands import prover, zoo
from tests.refusals import refuses


@pytest.fixture
def svt(tmp_path: Path) -> Path:
    return zoo(tmp_path, "svt")


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--problem", "privacy-horn"], SAT),
        (["--problem", "privacy-2sat"], SAT),
        (["--problem", "opt-cost", "--theta", "5/4", "--path", "0,1,1,2"], SAT),
        (["--problem", "opt-cost", "--theta", "1.26", "--path", "q1,q2,q2,q2,q3"], UNSAT),
        (["--problem", "opt-cost", "--theta", "1/2", "--path", "0,1", "--adjacency", "decreasing"], UNSAT),
        (["--problem", "approx-cost", "--theta", "5/4"], SAT),
        (["--problem", "relaxed-cost", "--theta", "1"], UNSAT),
        (["--problem", "shared-cost", "--theta", "5/4", "--path", "0,2", "--path", "0"], SAT),
    ],
)
def test_what_is_printed_is_a_formula(svt: Path, options: list[str], status: str) -> None:
    run = prover("encode", svt, *options)
    assert (run.status, run.err) == (0, "")
    assert run.out.endswith("(check-sat)\n")
    assert solve(run.out).status == status
    assert prover("encode", svt, *options).out == run.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--problem", "no-such"], 'unknown problem "no-such"; the problems are '),
        (["--problem", "opt-cost", "--path", "0"], "opt-cost compares a cost with a threshold: give theta"),
        (["--problem", "opt-cost", "--theta", "1"], "give a path from the initial state"),
        (["--problem", "opt-cost", "--theta", "-1", "--path", "0"], "at least 0"),
        (["--problem", "opt-cost", "--theta", "x", "--path", "0"], "--theta"),
        (["--problem", "opt-cost", "--theta", "1", "--path", "0,7"], "no transition 7"),
        (["--problem", "opt-cost", "--theta", "1", "--path", ""], 'the path names ""'),
        (["--problem", "opt-cost", "--theta", "1", "--path", "9" * 40], "no state of the program"),
        (["--problem", "privacy-horn", "--alpha", "2"], "alpha has no meaning for a threshold program"),
        (["--problem", "privacy-horn", "--theta", "2"], "privacy-horn has no use for theta"),
    ],
)
def test_what_does_not_fit_is_refused(svt: Path, options: list[str], words: str) -> None:
    run = prover("encode", svt, *options)
    assert (run.status, run.out) == (2, "")
    assert words in run.err
    assert "Traceback" not in run.err


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


PAIR = ["--alpha", "11/10", "--from", "0", "--to", "1"]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--problem", "ld-linear", *PAIR, "--theta", "412/7791"], SAT),
        (["--problem", "ld-linear", *PAIR, "--theta", "413/7791"], UNSAT),
        (["--problem", "bd-linear", *PAIR, "--theta", "6/53"], SAT),
        (["--problem", "kernel-round", *PAIR], SAT),
    ],
)
def test_questions_about_chains(pin: Path, options: list[str], status: str) -> None:
    run = prover("encode", pin, *options)
    assert (run.status, run.err) == (0, "")
    assert solve(run.out).status == status


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--problem", "opt-cost", "--theta", "1"], "opt-cost is not about a labelled Markov chain"),
        (["--problem", "ld-linear", *PAIR, "--theta", "1.01"], "theta must be at most 1"),
        (["--problem", "ld-linear", *PAIR, "--theta", "-1/2"], "theta must be at least 0"),
        (["--problem", "ld-linear", *PAIR], "give theta"),
        (["--problem", "ld-linear", *PAIR[2:], "--theta", "0"], "needs alpha"),
        (["--problem", "ld-linear", "--alpha", "9/10", *PAIR[2:], "--theta", "0"], "at least 1"),
        (["--problem", "ld-linear", *PAIR[:4], "--theta", "0"], "about two states"),
        (["--problem", "ld-linear", *PAIR, "--theta", "0", "--path", "0"], "paths has no meaning"),
        (["--problem", "no-such", *PAIR], 'unknown problem "no-such"; the problems are ld-threshold'),
    ],
)
def test_what_does_not_fit_a_chain_is_refused(pin: Path, options: list[str], words: str) -> None:
    run = prover("encode", pin, *options)
    assert (run.status, run.out) == (2, "")
    assert words in run.err


def test_without_a_model_there_is_only_the_list() -> None:
    run = prover("encode", "--problem", "privacy-horn")
    assert (run.status, run.out) == (2, "")
    assert "give the file of a MODEL, or --list" in run.err


def test_the_list_has_every_template(svt: Path) -> None:
    listed = prover("encode", "--list").out.splitlines()[::2]
    assert listed == [*problems(CHAIN), *problems(PROGRAM)]
    assert sorted(listed) == sorted(names())
    assert prover("encode", svt).out.splitlines()[::2] == list(problems(PROGRAM))


def test_the_library_says_the_same() -> None:
    program = models.build_program("svt")
    assert api.encode(program, "privacy-horn", alpha=None).startswith("; sat: ")
    with refuses("unknown-problem"):
        api.encode(program, "privacy")
    with refuses("unfit-problem", match="ld-linear is not about a threshold program"):
        api.encode(program, "ld-linear")
    with refuses("unfit-option", match="source has no meaning"):
        api.encode(program, "privacy-horn", source="q1")


def test_epsilon_is_a_logarithm(tmp_path: Path) -> None:
    pin = zoo(tmp_path, "pin-checker")
    question = ("encode", pin, "--problem", "kernel-round", "--from", "0", "--to", "1")
    by_alpha = prover(*question, "--alpha", "11/10")
    assert by_alpha.status == 0
    assert prover(*question, "--epsilon", "ln 11/10").out == by_alpha.out
    refused = prover(*question, "--epsilon", "1/10")
    assert (refused.status, refused.out) == (2, "")
    assert "give epsilon as a logarithm" in refused.err
