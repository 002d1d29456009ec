"""Rényi divergences, ρ and trade-off functions of many mechanisms, and of mechanisms with noise."""

from __future__ import annotations

import json
from fractions import Fraction
from math import exp, log
from pathlib import Path

import pytest

from prover.accounting import enclosed_tradeoff
from prover.accounting.account import Account
from prover.accounting.enclosed_tradeoff import EnclosedTradeOff
from prover.accounting.known import laplace
from prover.formats.convert import save
from tests.commands import FORKS, prover, verdicts, zoo
from tests.waiting import interrupt

pytestmark = pytest.mark.filterwarnings(FORKS)

SURVEYS = '[[mechanism]]\nmodel = "randomised-response.json"\ntimes = 7\n'
OPTION = 'known = "randomised-response", q = "1/2"'
NOISE = '[[mechanism]]\nknown = "gaussian"\nsigma = "2"\ntimes = 4\n'


def written(folder: Path, text: str) -> Path:
    zoo(folder, "randomised-response")
    (folder / "account.toml").write_text(text, encoding="utf-8")
    return folder / "account.toml"


def test_divergences_of_seven_answers(tmp_path: Path) -> None:
    file, path, page = written(tmp_path, SURVEYS), tmp_path / "proof", tmp_path / "page.html"
    run = prover("account", file, "--order", "2,inf", "--certificate", path, "--html", page)
    assert run.status == 0, run.err
    assert run.out.splitlines()[:6] == [
        "7 x  randomised-response.json",
        "",
        "Rényi divergences of all runs together, both directions",
        "  order 2: ln(2187/128) ≈ 2.838255756758, rounded up",
        "  order inf: ln(128) ≈ 4.85203026392, rounded up",
        "zCDP: the least rho is at least 1.617343421306 and at most 1.617343422924, rounded outward.",
    ]
    told = "composition order=2 moment=2187/128 order=inf moment=128"
    ends = "808671710653/500000000000,404335855731/250000000000"
    assert f"{told} rho={ends} part=0 relation" in verdicts(path).out
    model = tmp_path / "randomised-response.json"
    assert prover("verify", path, "--model", model, "--from", "a", "--to", "b").status == 0
    assert "2187/128" in page.read_text(encoding="utf-8")


def test_questions_of_the_file_are_left_aside(tmp_path: Path) -> None:
    file = written(tmp_path, SURVEYS + '[ask]\ndelta = "1e-6"\ncurve = "curve.csv"\n')
    found = json.loads(prover("account", file, "--order", "3", "--json").out)
    assert (found["kind"], found["orders"][0]["moment"]) == ("account-divergences", f"{11**7}/{4**7}")
    assert not (tmp_path / "curve.csv").exists()


def test_one_certificate_proves_both_ends_of_gaussian_noise(tmp_path: Path) -> None:
    file, path = written(tmp_path, NOISE + SURVEYS), tmp_path / "proof"
    run = prover("account", file, "--order", "3/2,2", "--certificate", path)
    assert run.status == 0
    assert "  order 2: at least 3.838255756757 and at most 3.838255756758, rounded outward\n" in run.out
    assert "certificate is about" not in run.out
    assert "The two ends" not in run.out
    assert "order=2 lower=46.44" in verdicts(path).out
    assert not (tmp_path / "proof.lower").exists()


@pytest.mark.parametrize(
    ("text", "order", "words"),
    [
        (SURVEYS, "1", "--order"),
        (SURVEYS, "", "--order"),
        (SURVEYS.replace("7", '"most"'), "2", "given numbers of runs"),
        (SURVEYS.replace("7", "1000000"), "1000", "a moment is above 2^262,144"),
    ],
)
def test_bad_questions(tmp_path: Path, text: str, order: str, words: str) -> None:
    run = prover("account", written(tmp_path, text), "--order", order)
    assert (run.status, run.out) == (2, "")
    assert words in run.err


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    """A number plus Laplace noise, of which neighbours differ by up to 1."""
    save(laplace(Fraction(1), Fraction(1))[0], tmp_path / "noise.json")
    return tmp_path / "noise.json"


def test_divergences_of_laplace_noise(noise: Path, tmp_path: Path) -> None:
    page, options = tmp_path / "page.html", ("--at-epsilon", "1", "--order")
    found = json.loads(prover("renyi", noise, *options, "3,inf", "--json", "--html", page).out)
    expected = log((3 * exp(2) + 2 * exp(-3)) / 5) / 2
    third, most = ([float(row[end]) for end in ("lower", "upper")] for row in found["orders"])
    assert expected - 0.01 < third[0] < expected < third[1] < expected + 0.01
    assert 0.99 < most[0] <= 1 <= most[1] < 1.01
    assert float(found["zcdp"]["lower"]) < exp(-1) < float(found["zcdp"]["upper"])  # D_1 = 1 + e^-1 - 1
    assert "one run of noise.json" in page.read_text(encoding="utf-8")
    run = prover("renyi", noise, *options, "2", "--certificate", tmp_path / "proof")
    assert (run.status, "Rényi divergences, both directions\n" in run.out) == (0, True)
    assert "One certificate is about the upper ends, another one about the lower ends.\n" in run.out
    told, others = verdicts(tmp_path / "proof").out, verdicts(tmp_path / "proof.lower").out
    assert "VERIFIED composition order=2 lower=1 upper=" in told
    assert " rho=0," in told
    assert "VERIFIED composition order=2 lower=1.857" in others
    assert ",inf part=0" in others


@pytest.mark.slow
def test_errors_of_tests_of_laplace_noise(noise: Path, tmp_path: Path) -> None:
    page, options = tmp_path / "page.html", ("--at-epsilon", "1")
    run = prover("tradeoff", noise, *options, "--html", page, "--certificate", tmp_path / "proof")
    assert run.status == 0, run.err
    (row,) = (line.split() for line in run.out.splitlines() if line.startswith("0.5 "))
    assert exp(-1) / 2 - 0.005 < float(row[1]) <= exp(-1) / 2 <= float(row[2]) < exp(-1) / 2 + 0.005
    assert "no test errs less" in page.read_text(encoding="utf-8")
    proved = "proves the second column and the upper end of mu, another one the third column and the lower"
    assert proved in run.out
    told, others = verdicts(tmp_path / "proof").out, verdicts(tmp_path / "proof.lower").out
    assert " upper-vertices=2 mu=0," in told
    assert " lower-vertices=2 upper-vertices=" in others
    found = json.loads(prover("tradeoff", noise, *options, "--json").out)
    assert found["lower"][0] == ["0", "1"]
    assert float(found["gaussian"]["lower"]) < float(found["gaussian"]["upper"]) < 1.2


@pytest.mark.parametrize("command", ["renyi", "tradeoff"])
def test_questions_about_noise_that_are_refused(noise: Path, command: str) -> None:
    for options, words in (
        ((), "--at-epsilon 1"),
        (("--at-epsilon", "1", "--from", "a"), "--from is for Markov chains"),
        (("--at-epsilon", "1", "--kind", "lv"), "--kind is for Markov chains"),
        (("--at-epsilon", "1", "--q", "1/2"), "give one of them"),
    ):
        run = prover(command, noise, *options)
        assert (run.status, run.out) == (2, "")
        assert words in run.err


WEEK = '[[mechanism]]\nknown = "randomised-response"\nq = "1/2"\ntimes = 7\n'


def test_errors_of_tests_of_an_account(tmp_path: Path) -> None:
    file, page, path = (tmp_path / f"week.{kind}" for kind in ("toml", "html", "cert"))
    file.write_text(WEEK, encoding="utf-8")
    run = prover("tradeoff", file, "--html", page, "--certificate", path)
    assert run.status == 0, run.err
    assert "7 x  randomised-response, q = 1/2, values = 2\n" in run.out
    assert "A certificate proves both columns and both ends of mu.\n" in run.out
    assert "VERIFIED composition lower-vertices=9 upper-vertices=9 mu=" in verdicts(path).out
    assert "How often must a test of any secrets of 7 runs together err?" in page.read_text(encoding="utf-8")
    found = json.loads(prover("tradeoff", file, "--json").out)
    assert found["lower"] == found["upper"]
    assert found["lower"][1] == ["1/2187", "2059/2187"]


def test_errors_of_tests_after_the_first_grid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosed_tradeoff, "_MOST_BITS", 0)
    on_grid, grids = enclosed_tradeoff._on_grid, list[Account]()

    def ended(found: Account) -> EnclosedTradeOff:
        grids.append(found)
        if len(grids) > 1:
            interrupt()
        return on_grid(found)

    monkeypatch.setattr(enclosed_tradeoff, "_on_grid", ended)
    file, path = tmp_path / "week.toml", tmp_path / "week.cert"
    file.write_text(WEEK, encoding="utf-8")
    run = prover("tradeoff", file, "--certificate", path, "--json")
    assert run.status == 3
    found = json.loads(run.out)
    assert found["lower"] != found["upper"]
    assert "VERIFIED composition lower-vertices=" in verdicts(path).out


def test_errors_of_tests_on_samples(tmp_path: Path) -> None:
    """1/2 and 1/3 are the probabilities of the rarer answer with and without the person's data."""
    file, path = tmp_path / "week.toml", tmp_path / "week.cert"
    sample = 'sampling = "poisson"\nrate = "1/2"\n'
    file.write_text(WEEK.replace("times = 7", "times = 1") + sample, encoding="utf-8")
    run = prover("tradeoff", file, "--certificate", path, "--json")
    assert run.status == 0, run.err
    assert json.loads(run.out)["lower"] == [["0", "1"], ["1/3", "1/2"], ["1/2", "1/3"], ["1", "0"]]
    assert "sampling=poisson rate=1/2" in verdicts(path).out
    text = prover("tradeoff", file).out
    assert "The second column holds for every mechanism whose outputs" in text
    assert "Upper ends" not in text


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (WEEK, ("--from", "a", "--to", "b"), "--from is for Markov chains; MODEL is the file of an account"),
        (WEEK, ("--kind", "lv"), "--kind is for Markov chains"),
        (WEEK, ("--at-epsilon", "1"), "is written there"),
        (WEEK, ("--const", "n=2"), "is written there"),
        (WEEK.replace("7", '"most"'), (), 'times = "most" asks for one'),
        (
            f"[[mechanism]]\none_of = [{', '.join(2 * [f'{{ {OPTION} }}'])}]\n",
            (),
            "chosen after what was seen",
        ),
        ("", (), "names no mechanism"),
    ],
)
def test_accounts_without_an_answer(tmp_path: Path, text: str, options: tuple[str, ...], words: str) -> None:
    (tmp_path / "week.toml").write_text(text, encoding="utf-8")
    run = prover("tradeoff", tmp_path / "week.toml", *options)
    assert (run.status, run.out) == (2, "")
    assert words in run.err
