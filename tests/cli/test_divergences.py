"""prover renyi and prover tradeoff: text, JSON, certificates, pages, and bad questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from prover import progress as progress_module
from prover.accounting import mechanism
from prover.progress import Progress, after
from tests.commands import FORKS, long_work, prover, saved, verdicts, zoo
from tests.waiting import interrupt

PAIR = ("--from", "0", "--to", "1")
LOOP = {
    "s": ("a", {"s": "1/2", "e": "1/2"}),
    "t": ("a", {"t": "1/3", "e": "2/3"}),
    "e": ("e", {"e": "1"}),
}


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


def test_divergences(pin: Path, tmp_path: Path) -> None:
    path, page = tmp_path / "pin.cert", tmp_path / "pin.html"
    run = prover("renyi", pin, *PAIR, "--order", "2,inf", "--certificate", path, "--html", page)
    assert run.status == 0, run.err
    assert run.out.splitlines()[:4] == [
        "Rényi divergences of (0, 1), both directions",
        "  order 2: ln(120677/117077) ≈ 0.030285716861, rounded up",
        "  order inf: ln(2809/2209) ≈ 0.240288623685, rounded up",
        "zCDP: the least rho is at least 0.015598001252 and at most 0.015598001269, rounded outward.",
    ]
    told = "of=tv order=2 moment=120677/117077 order=inf moment=2809/2209"
    assert f"{told} rho=3899500313/250000000000,15598001269/1000000000000 " in verdicts(path).out
    assert "120677/117077" in page.read_text()


def test_json(pin: Path) -> None:
    found = json.loads(prover("renyi", pin, *PAIR, "--order", "3/2,2", "--json").out)
    assert found["orders"] == [
        {"order": "3/2", "moment": None, "lower": "0.0223989868", "upper": "0.022398986801"},
        {"order": "2", "moment": "120677/117077", "lower": "0.03028571686", "upper": "0.030285716861"},
    ]
    assert found["zcdp"]["approximate"] is None


def test_infinite_divergences(tmp_path: Path) -> None:
    model, path = saved(tmp_path, LOOP, [("s", "t")]), tmp_path / "loop.cert"
    run = prover("renyi", model, "--kind", "lv", "--order", "2,3", "--certificate", path)
    assert run.status == 0
    assert "  order 3: infinite\n" in run.out
    assert "order=2 moment=3/2 order=3 moment=inf" in verdicts(path).out
    one = prover("renyi", model, "--from", "s", "--to", "t", "--kind", "lv", "--order", "2,3", "--json")
    assert [row["moment"] for row in json.loads(one.out)["orders"]] == ["3/2", "inf"]


def test_mass_that_only_one_secret_has(tmp_path: Path) -> None:
    model = zoo(tmp_path, "crowds")
    found = json.loads(prover("renyi", model, "--order", "2", "--json").out)
    assert found["zcdp"] == {
        "lower": "inf", "upper": "inf", "approximate": {"delta": "91/216", "upper": "0"},
    }  # fmt: skip
    path = tmp_path / "crowds.cert"
    assert "No rho is enough for zCDP" in prover("renyi", model, "--order", "2", "--certificate", path).out
    assert "rho=inf approximate-rho=0 delta=91/216 " in verdicts(path).out


def test_attackers(tmp_path: Path) -> None:
    model, path = zoo(tmp_path, "two-doors"), tmp_path / "doors.cert"
    run = prover("renyi", model, "--order", "2", "--certificate", path)
    assert "against every attacker" in run.out
    assert verdicts(path).out.count("moment=7/3 attackers=all") == 1
    path = tmp_path / "errors.cert"
    run = prover("tradeoff", model, "--certificate", path)
    assert "The least errors of any attacker's tests of all related secrets:\n" in run.out
    assert "1/4        1/4\n" in run.out
    assert " of=tv vertices=3 mu=" in verdicts(path).out
    refused = prover("tradeoff", model, "--from", "s", "--to", "t", "--kind", "lv")
    assert (refused.status, refused.out) == (2, "")
    assert "where an attacker chooses, trade-off functions are about both directions" in refused.err


def test_trade_off_functions(pin: Path, tmp_path: Path) -> None:
    path, page = tmp_path / "pin.cert", tmp_path / "pin.html"
    run = prover("tradeoff", pin, *PAIR, "--certificate", path, "--html", page)
    assert run.status == 0, run.err
    assert "2209/7509  4700/7509\n4700/7509  2209/7509\n" in run.out
    assert "the least mu is at least 0.220158410765 and at most 0.220158410766." in run.out
    told = verdicts(path).out
    assert " of=tv vertices=4 mu=44031682153/200000000000,110079205383/500000000000 " in told
    assert "but not mu" not in run.out
    assert "that of Gaussian noise" in page.read_text()
    assert "but not μ" not in page.read_text()
    one = json.loads(prover("tradeoff", pin, *PAIR, "--kind", "lv", "--json").out)
    assert one["vertices"] == [["0", "1"], ["2209/7509", "4700/7509"], ["1", "0"]]


def test_chains_without_an_exact_function(tmp_path: Path) -> None:
    """A loop that both secrets leave with other probabilities; δ at two α is between both functions."""
    rows = {"s": {"s": "1/2", "h": "1/4", "z": "1/4"}, "t": {"t": "1/3", "h": "1/2", "z": "1/6"}}
    states = {name: {"label": "a", "next": row} for name, row in rows.items()}
    states |= {name: {"label": name, "next": {name: "1"}} for name in ("h", "z")}
    model, path, page = (tmp_path / name for name in ("loop.json", "loop.cert", "loop.html"))
    made = {"type": "labelled-markov-chain", "version": 1, "states": states}
    model.write_text(json.dumps(made | {"relation": [["s", "t"], ["t", "s"]]}), encoding="utf-8")
    run = prover("tradeoff", model, "--certificate", path, "--html", page, "--json")
    assert run.status == 0, run.err
    found = json.loads(run.out)
    assert found["vertices"] is None
    lower, upper = ([(Fraction(x), Fraction(y)) for x, y in found[key]] for key in ("lower", "upper"))
    for alpha in (Fraction(6, 5), Fraction(3)):
        delta = json.loads(prover("delta", model, "--alpha", str(alpha), "--json").out)
        least, most = (max(1 - x - alpha * y for x, y in one) for one in (upper, lower))
        assert least - Fraction(1, 10**9) <= Fraction(delta["upper"])
        assert Fraction(delta["lower"]) <= most < least + Fraction(1, 10**5)
    told = f"lower-vertices={len(lower)} upper-vertices={len(upper)} "
    assert f"VERIFIED composition {told}" in verdicts(path).out
    assert "No test of any related secrets has" in page.read_text()
    assert "no upper bound is proved, as the second column begins below 1" in page.read_text()


def test_checkers_do_not_see_very_small_errors(tmp_path: Path) -> None:
    rare, path = f"1/{2**400}", tmp_path / "rare.cert"
    states = {
        "s": {"label": "a", "next": {"h": rare, "z": f"{2**400 - 1}/{2**400}"}},
        "t": {"label": "a", "next": {"h": "1/2", "z": "1/2"}},
        "h": {"label": "h", "next": {"h": "1"}},
        "z": {"label": "z", "next": {"z": "1"}},
    }
    header = {"type": "labelled-markov-chain", "version": 1}
    (tmp_path / "rare.json").write_text(json.dumps(header | {"states": states}), encoding="utf-8")
    run = prover("tradeoff", tmp_path / "rare.json", "--from", "s", "--to", "t", "--certificate", path)
    assert "the least mu is at least 23." in run.out
    assert "A certificate proves the function, but not mu.\n" in run.out
    assert "mu=" not in verdicts(path).out


def test_no_gaussian_curve_is_below(tmp_path: Path) -> None:
    run = prover("tradeoff", zoo(tmp_path, "crowds"), "--json")
    assert json.loads(run.out)["gaussian"] == {"lower": "inf", "upper": "inf"}


def test_demands(pin: Path, tmp_path: Path) -> None:
    for command in ("renyi", "tradeoff"):
        path = tmp_path / f"{command}.cert"
        prover(command, pin, *PAIR, "--kind", "lv", "--certificate", path)
        assert prover("verify", path, "--model", pin, *PAIR).status == 0
        assert prover("verify", path, "--from", "1", "--to", "0").status == 1
        assert prover("verify", path, *PAIR, "--at-most", "1").status == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--order", "1"),
        ("--order", "x"),
        ("--order", ""),
        ("--order", "1/0"),
        ("--from", "0"),
        ("--gap", "-"),
    ],
)
def test_bad_questions(pin: Path, arguments: tuple[str, ...]) -> None:
    run = prover("renyi", pin, *arguments)
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("prover: ")


def test_the_time_is_up(tmp_path: Path) -> None:
    model = long_work(tmp_path)
    for command in ("renyi", "tradeoff"):
        assert prover(command, model, "--timeout", "0.2").status in (2, 3)


@pytest.mark.filterwarnings(FORKS)
@pytest.mark.parametrize("question", ["tradeoff", "runs", "account", "orders"])
def test_bounds_from_few_belief_pairs_come_first(
    question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work that is ended as soon as they are there leaves them, with a certificate."""

    def soon(most: int, progress: Progress, do: Callable[[], None]) -> Progress:
        def first_bounds() -> None:
            do()
            interrupt()

        assert most == progress_module.MOST_SOON
        return after(50, progress, first_bounds)

    for module in (mechanism, progress_module):
        monkeypatch.setattr(module, "after", soon)
    model, path = zoo(tmp_path, "herman-ring"), tmp_path / "early.cert"
    runs = tmp_path / "runs.toml"
    runs.write_text(f'[[mechanism]]\nmodel = "{model.name}"\ntimes = 20\n[ask]\nepsilon = 1\n')
    asked = {
        "tradeoff": ("tradeoff", model),
        "runs": ("tradeoff", runs),
        "account": ("account", runs),
        "orders": ("account", runs, "--order", "2"),
    }
    run = prover(*asked[question], "--certificate", path, "--json")
    assert run.status == 3
    assert verdicts(path).status == 0
    found = json.loads(run.out)
    if question == "account":
        (delta,) = found["deltas"]
        assert 0 < Fraction(delta["lower"]) < Fraction(delta["upper"])
    elif question == "orders":
        assert found["orders"][0]["lower"] != "0"
    else:
        assert any(Fraction(x) + Fraction(y) < 1 for x, y in found["upper"])
