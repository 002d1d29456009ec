"""``prover compose``: models of runs that are seen together, ready for the other commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from prover.chain.product import product, repeat
from prover.zoo import pin_checker, randomised_response
from tests.commands import FORKS, prover, zoo
from tests.formats.documents import read_chain

pytestmark = pytest.mark.filterwarnings(FORKS)


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    return zoo(tmp_path, "randomised-response")


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


def test_several_runs(survey: Path, tmp_path: Path) -> None:
    run = prover("compose", survey, "--times", "3")
    assert (run.status, run.err) == (0, "")
    assert read_chain(run.out) == repeat(randomised_response(), 3)
    thrice = tmp_path / "thrice.json"
    thrice.write_text(run.out)
    found = prover("delta", thrice, "--alpha", "216/125")
    assert found.out.startswith("max delta_216/125 = delta_216/125((a,a,a), (b,b,b)) = 988/3375 ")


@pytest.mark.parametrize("related", [None, "one", "both", "some"])
def test_two_chains(survey: Path, pin: Path, related: str | None) -> None:
    run = prover("compose", survey, pin, *([] if related is None else ["--related", related]))
    assert (run.status, run.err) == (0, "")
    expected = product(randomised_response(), pin_checker(), related=related or "some")
    assert read_chain(run.out) == expected


def test_three_chains(survey: Path, pin: Path) -> None:
    run = prover("compose", survey, survey, pin)
    twice = product(randomised_response(), randomised_response())
    assert read_chain(run.out) == product(twice, pin_checker())


def test_refusals(survey: Path, pin: Path, tmp_path: Path) -> None:
    program = zoo(tmp_path, "svt")
    for arguments in (
        (), (survey,), (survey, pin, "--times", "2"), (survey, "--times", "2", "--related", "one"),
        (survey, "--times", "0"), (survey, "--times", "1001"), (survey, "--times", "100"),
        (survey, pin, "--related", "none"), (survey, tmp_path / "missing.json"), (survey, program),
    ):  # fmt: skip
        run = prover("compose", *arguments)
        assert (run.status, run.out) == (2, ""), arguments
        assert run.err.startswith("prover: ")


def test_where_an_attacker_chooses(survey: Path, tmp_path: Path) -> None:
    doors, both = zoo(tmp_path, "two-doors"), tmp_path / "both.json"
    run = prover("compose", doors, "--times", "2")
    assert (run.status, run.err) == (0, "")
    both.write_text(run.out)
    found = prover("delta", both, "--alpha", "36/25")
    assert found.out.startswith("max delta_36/25 = delta_36/25((s,s), (t,t)) = 189/400 ")
    run = prover("compose", survey, doors, "--related", "one")
    assert (run.status, run.err) == (0, "")
    assert '"2: look"' in run.out
    run = prover("compose", doors, "--times", "2", "--silent", "closed")
    assert run.status == 2
    assert "attackers see where they have a choice" in run.err


def test_where_an_attacker_chooses_runs_have_no_law(tmp_path: Path) -> None:
    doors, account = zoo(tmp_path, "two-doors"), tmp_path / "account.toml"
    account.write_text(f'[[mechanism]]\nmodel = "{doors.name}"\ntimes = 3\n[ask]\nalpha = 8\n')
    run = prover("account", account)
    assert run.status == 2
    assert 'known = "approximate"' in run.err
    assert "prover compose" in run.err
    run = prover("epsilon", doors, "--delta", "1/4", "--times", "3")
    assert run.status == 2
    assert "prover compose MODEL --times 3" in run.err
    run = prover("privacy", doors)
    assert run.status == 2
    assert "prover delta answers about it" in run.err
    run = prover("convert", "--stuck", doors, tmp_path / "stuck.json")
    assert run.status == 2
    assert "only threshold programs have guards" in run.err
