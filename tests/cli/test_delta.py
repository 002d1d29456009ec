"""`prover delta`, and `prover distance --kind lv|tv`: JSON, text, certificates, exit statuses, endings."""

from __future__ import annotations

import hashlib
import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.formats.identity import identity
from prover.formats.load import load
from tests.commands import FORKS, answer, long_work, prover, verdicts, zoo
from tests.waiting import GUARD

pytestmark = pytest.mark.filterwarnings(FORKS)

PATIENCE = 2.0
EXACT = ("3791/75090", "3791/75090")


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


@pytest.fixture(scope="module")
def random(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return zoo(tmp_path_factory.mktemp("random"), "random-chain", "states=20")


def delta(folder: Path, *arguments: str | Path, status: int = 0) -> dict[str, Any]:
    """The JSON object of ``prover delta``, which ends with this status; its certificates are checked."""
    path = folder / "delta.cert"
    lower = folder / "delta.cert.lower"
    for file in (path, lower):
        file.unlink(missing_ok=True)
    run = prover("delta", *arguments, "--json", "--certificate", path)
    assert run.status == status, run.err
    found: dict[str, Any] = json.loads(run.out)
    if found["certificate"] is None:
        assert not path.exists()
        return found
    assert found["certificate"] == hashlib.sha256(path.read_bytes()).hexdigest()
    files = [path, lower] if found["alpha"] is None else [path]
    assert verdicts(*files).status == 0
    assert lower.exists() == (found["alpha"] is None)
    claims = [json.loads(file.read_bytes())["claim"] for file in files]
    assert claims[0]["upper"] == found["upper"]
    assert claims[-1]["lower"] == found["lower"]
    assert claims[-1]["from"] == found["from"]
    if len(claims) > 1:
        assert found["certificate_lower"] == hashlib.sha256(lower.read_bytes()).hexdigest()
        assert [claim["alpha"] for claim in claims] == [found["alpha_upper"], found["alpha_lower"]]
    return found


def test_the_relation(pin: Path, tmp_path: Path) -> None:
    found = delta(tmp_path, pin, "--alpha", "11/10")
    assert found.pop("seconds") >= 0
    assert found.pop("model") == identity(load(pin))
    attack = found.pop("attack")
    assert found.pop("check")["seconds"] >= 0
    assert len(found.pop("certificate")) == 64
    assert found == {
        "kind": "delta", "alpha": "11/10", "from": "1", "to": "0", "engine": "unrolling",
        "format": 1, "at_most": None, "holds": None,
        "lower": EXACT[0], "upper": EXACT[0], "value": EXACT[0],
        "directions": {"forward": list(EXACT), "backward": ["130/7509", "130/7509"]},
        "upper_from": "exact", "depth": 2, "nodes": 8,
    }  # fmt: skip
    assert attack["words"][0] == {
        "labels": ["a", "b", "end"], "from_probability": "2809/10000", "to_probability": "2209/10000",
    }  # fmt: skip
    words, event = attack.pop("words"), attack.pop("event")
    assert len(words) == 5
    assert (event.pop("labels"), event.pop("words")) == (["a", "b", "end"], words)
    assert event == {
        "nodes": 4, "first": 0, "accepting": 3, "count": None, "complete": False,
        "transitions": [[0, "a", 1], [1, "b", 2], [2, "a", 1], [2, "end", 3]],
    }  # fmt: skip
    assert attack == {
        "from": "1", "to": "0", "complete": False,
        "from_probability": "2809/7509", "to_probability": "2209/7509",
    }  # fmt: skip


def test_a_pair_by_epsilon(pin: Path, tmp_path: Path) -> None:
    found = delta(tmp_path, pin, "--epsilon", "0.1", "--from", "0", "--to", "1")
    assert (found["kind"], found["alpha"], found["value"], found["epsilon"]) == ("delta", None, None, "1/10")
    assert Fraction(found["alpha_upper"]) < Fraction("1.1051709180756477") < Fraction(found["alpha_lower"])
    assert 0 < Fraction(found["upper"]) - Fraction(found["lower"]) < Fraction(1, 10**6)


def test_text_for_people(pin: Path) -> None:
    run = prover("delta", pin, "--alpha", "11/10", "--from", "0", "--to", "1")
    assert run.status == 0
    assert run.out.splitlines() == [
        "delta_11/10(0, 1) = 3791/75090 (0.050486…)",
        "For every event E:  P[E | 0]  <=  11/10 * P[E | 1]  +  3791/75090, and with 0 and 1 swapped",
        "δ from 0 to 1: 130/7509 (0.017312…)",
        "δ from 1 to 0: 3791/75090 (0.050486…)",
        "Attack: guess 1 if the output begins with one of infinitely many sequences of labels (5 shown):",
        "  a, b, end                           P = 2809/10000 under 1, 2209/10000 under 0",
        "  a, b, a, b, end                     P = 6997219/100000000 under 1, 5502619/100000000 under 0",
        "  a, b, a, b, a, b, end               P = 0.01743 under 1, 0.013708 under 0",
        "  a, b, a, b, a, b, a, b, end         P = 0.004341 under 1, 0.003415 under 0",
        "  a, b, a, b, a, b, a, b, a, b, end   P = 0.001081 under 1, 0.000851 under 0",
        "  these together                      P = 0.373725 under 1, 0.293899 under 0",
        "  all together                        P = 2809/7509 under 1, 2209/7509 under 0",
        "Why δ cannot be larger: every possible output was explored (8 nodes, depth 2).",
    ]


def test_text_where_there_is_no_attack(tmp_path: Path) -> None:
    run = prover("delta", zoo(tmp_path, "fig1"), "--alpha", "3/2")
    assert run.out.splitlines()[:2] == [
        "max delta_3/2 = delta_3/2(s0, s1) = 0",
        "For every event E and all related secrets s, t:  P[E | s]  <=  3/2 * P[E | t]",
    ]
    assert "No attack exists: no event is more likely" in run.out


@pytest.mark.parametrize("how", [("--alpha", "1"), ("--epsilon", "0.01")])
def test_a_yes_tells_what_is_known_from_below(tmp_path: Path, how: tuple[str, str]) -> None:
    """The answer is yes at once, as P[a] is 2/3 and 1/3; an attack is looked for all the same."""
    chain = {
        "s": {"label": "start", "next": {"a": "2/3", "b": "1/3"}},
        "t": {"label": "start", "next": {"a": "1/3", "b": "2/3"}},
        "a": {"label": "a", "next": {"a": "1"}},
        "b": {"label": "b", "next": {"b": "1"}},
    }
    model = tmp_path / "sk.json"
    model.write_text(json.dumps({"type": "labelled-markov-chain", "version": 1, "states": chain}))
    run = prover("delta", model, "--from", "s", "--to", "t", *how, "--at-most", "1/2")
    assert run.out.startswith("at most 1/2: yes\n")
    assert "No attack" not in run.out
    assert "0 <=" not in run.out
    assert "start, a   P = 2/3 under s, 1/3 under t" in run.out


def test_no_word_is_said_not_to_exist_that_was_not_looked_for(tmp_path: Path) -> None:
    """After a step s and t are in m with 1/2 each; only after 400 more could anything tell them apart."""
    last = 400
    states: dict[str, Any] = {
        "s": {"label": "start", "next": {"m": "1/2", "u0": "1/2"}},
        "t": {"label": "start", "next": {"m": "1/2", "v0": "1/2"}},
        "m": {"label": "wait", "next": {"end": "1"}},
        "end": {"label": "end", "next": {"end": "1"}},
        "odd": {"label": "odd", "next": {"odd": "1"}},
        f"u{last}": {"label": "wait", "next": {"odd": "2/3", "end": "1/3"}},
        f"v{last}": {"label": "wait", "next": {"odd": "1/3", "end": "2/3"}},
    }
    for k in range(last):
        states |= {f"{x}{k}": {"label": "wait", "next": {f"{x}{k + 1}": "1"}} for x in "uv"}
    model = tmp_path / "long.json"
    model.write_text(json.dumps({"type": "labelled-markov-chain", "version": 1, "states": states}))
    run = prover("delta", model, "--from", "s", "--to", "t", "--alpha", "1", "--at-most", "1/2")
    assert run.out.startswith("at most 1/2: yes\n")
    assert "No attack was found" in run.out
    assert "The question was only whether delta is at most 1/2: the interval may be wide." in run.out


@pytest.mark.parametrize(("threshold", "status", "verdict"), [("0.0505", 0, "yes"), ("1/20", 1, "no")])
def test_at_most(pin: Path, tmp_path: Path, threshold: str, status: int, verdict: str) -> None:
    delta(tmp_path, pin, "--alpha", "11/10", "--at-most", threshold, status=status)
    run = prover("delta", pin, "--alpha", "11/10", "--at-most", threshold)
    assert run.status == status
    assert run.out.startswith(f"at most {Fraction(threshold)}: {verdict}\n")


@pytest.mark.thorough
def test_an_interval_as_narrow_as_asked_is_an_answer(random: Path, tmp_path: Path) -> None:
    question = ("--alpha", "6/5", "--from", "s00", "--to", "s01")
    found = delta(tmp_path, random, *question, "--gap", "1/100")
    assert found["value"] is None
    assert Fraction(found["upper"]) - Fraction(found["lower"]) <= Fraction(1, 100)


@pytest.mark.timing
def test_a_gap_of_nothing_is_not_reached_but_approached(random: Path, tmp_path: Path) -> None:
    question = ("--alpha", "6/5", "--from", "s00", "--to", "s01")
    undecided = delta(tmp_path, random, *question, "--gap", "0", "--timeout", "1.5", status=3)
    assert Fraction(undecided["upper"]) < 1
    assert Fraction(undecided["lower"]) > 0


@pytest.mark.timing
def test_a_timeout_leaves_what_is_proved(tmp_path: Path) -> None:
    hard = long_work(tmp_path)
    began = time.monotonic()
    found = delta(tmp_path, hard, "--alpha", "6/5", "--timeout", "2", status=3)
    assert time.monotonic() - began < 2 + PATIENCE + 2  # the last two seconds for checking the certificate
    assert Fraction(found["lower"]) <= Fraction(found["upper"])


def test_a_timeout_before_anything_is_proved(pin: Path, tmp_path: Path) -> None:
    found = delta(tmp_path, pin, "--alpha", "6/5", "--timeout", "1e-9", status=3)
    assert found.pop("seconds") < GUARD
    assert found == {
        "kind": "delta", "alpha": "6/5", "from": None, "to": None, "lower": "0", "upper": "1", "value": None,
        "directions": {}, "attack": None, "engine": "unrolling", "check": None, "certificate": None,
        "format": 1, "at_most": None, "holds": None, "upper_from": "labels", "depth": 0, "nodes": 0,
        "model": None,
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), [("lv", "130/7509"), ("tv", "3791/75090")])
def test_by_distance(pin: Path, tmp_path: Path, kind: str, value: str) -> None:
    found = answer(tmp_path, pin, "--from", "0", "--to", "1", "--alpha", "11/10", "--kind", kind)
    del found["seconds"], found["check"], found["certificate"], found["model"]
    assert found == {
        "kind": kind, "alpha": "11/10", "from": "0", "to": "1",
        "lower": value, "upper": value, "value": value, "engine": "unrolling",
        "format": 1, "at_most": None, "holds": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give either alpha"),
        (("--alpha", "2", "--epsilon", "1"), "give either alpha"),
        (("--alpha", "1/2"), "at least 1"),
        (("--epsilon", "-1"), "at least 0"),
        (("--alpha", "2", "--gap", "-1"), "at least 0"),
        (("--alpha", "2", "--at-most", "-1"), "at least 0"),
        (("--alpha", "2", "--at-most", "x"), '"x"'),
        (("--alpha", "2", "--from", "0"), "both states"),
        (("--alpha", "2", "--from", "0", "--to", "?"), '"?"'),
    ],
)
def test_what_is_refused(pin: Path, arguments: tuple[str, ...], message: str) -> None:
    run = prover("delta", pin, *arguments)
    assert (run.status, run.out) == (2, "")
    assert message in run.err


@pytest.mark.parametrize("option", [("--all-pairs",), ("--bounds", "upper"), ("--max-bits", "9")])
def test_what_does_not_go_with_lv(pin: Path, option: tuple[str, ...]) -> None:
    run = prover("distance", pin, "--alpha", "2", "--kind", "lv", *option)
    assert run.status == 2
    assert "cannot be combined with" in run.err


def test_a_certificate_does_not_take_the_place_of_the_model(pin: Path, tmp_path: Path) -> None:
    model = tmp_path / "x.lower"
    model.write_bytes(pin.read_bytes())
    run = prover("delta", model, "--epsilon", "1", "--certificate", tmp_path / "x")
    assert run.status == 2
    assert "this file is an input" in run.err
    assert model.read_bytes() == pin.read_bytes()


def test_a_protocol_is_cut_and_its_certificate_is_about_all_of_it(tmp_path: Path) -> None:
    code = "examples/mechanisms/counts.py:two_noises"
    found = delta(tmp_path, code, "--alpha", "3/2", "--gap", "1/1000")
    lower, upper, lost = (Fraction(found[key]) for key in ("lower", "upper", "lost"))
    assert lower < Fraction(1, 4) < upper <= lower + Fraction(1, 1000)
    assert 0 < lost <= Fraction(1, 1000) / 7
    assert 'lost="lost"' in prover("verify", str(tmp_path / "delta.cert")).out
    assert "lost" not in delta(tmp_path, "examples/mechanisms/counts.py:thresholded", "--alpha", "2")


def test_nothing_is_cut_for_an_exact_answer() -> None:
    refused = prover("delta", "examples/mechanisms/counts.py:two_noises", "--alpha", "2", "--gap", "0")
    assert refused.status == 2
    assert "this noise is unbounded" in refused.err
