"""`prover delta` where an attacker chooses: text, JSON, certificates, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import CHECKER, FORKS, prover, verdicts, zoo
from tests.schemas import check_answer
from tests.waiting import GUARD

pytestmark = pytest.mark.filterwarnings(FORKS)


def test_two_doors(tmp_path: Path) -> None:
    model, proof = zoo(tmp_path, "two-doors"), tmp_path / "doors.cert"
    run = prover("delta", model, "--alpha", "6/5", "--open-loop", "--certificate", proof)
    assert run.status == 0
    for line in (
        "max delta_6/5 = delta_6/5(s, t) = 9/20 (0.45)",
        "        do open L",
        "          see gold   3/8 (0.375)   1/8 (0.125)   guess s",
        "The best fixed sequence of actions is (no choice), look, open L: it gains 9/40 (0.225) from s to t; "
        "adapting gains 9/40 (0.225) more.",
        "Why δ cannot be larger: every possible sequence of actions and labels was explored (13 nodes).",
    ):
        assert line in run.out.splitlines()
    assert "attackers=all" in verdicts(proof).out
    assert prover("verify", "--model", model, proof).status == 0
    command = [sys.executable, "-I", "-S", str(CHECKER), "--model", str(model), str(proof)]
    alone = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=GUARD, check=False)
    assert alone.returncode == 0, alone.stdout


def test_json(tmp_path: Path) -> None:
    model = zoo(tmp_path, "pin-guessing")
    run = prover("delta", model, "--alpha", "2", "--json", "--open-loop")
    assert run.status == 0
    found = json.loads(run.out)
    check_answer(["delta"], run.out)
    assert found["value"] == "1"
    assert found["open_loop"]["value"] == "2/3"
    assert found["strategy"]["begin"]["action"] is None


def test_distances(tmp_path: Path) -> None:
    model, proof, page = zoo(tmp_path, "two-doors"), tmp_path / "doors.cert", tmp_path / "doors.html"
    run = prover("distance", model, "--alpha", "2", "--certificate", proof, "--html", page)
    assert run.status == 0
    assert run.out.splitlines()[:2] == [
        "max ld_2 = ld_2(s, t) = 1/4 (0.25)",
        "For every attacker, every event E and all related secrets s, t:  P[E | s]  <=  2 * P[E | t]  +  1/4",
    ]
    assert "attackers=all" in verdicts(proof).out
    assert prover("verify", "--model", model, "--at-most", "1/4", proof).status == 0
    assert "It is an upper bound of δ against every attacker" in page.read_text()
    command = [sys.executable, "-I", "-S", str(CHECKER), "--model", str(model), str(proof)]
    alone = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=GUARD, check=False)
    assert alone.returncode == 0, alone.stdout


def test_distances_as_json(tmp_path: Path) -> None:
    model = zoo(tmp_path, "wait")
    run = prover("distance", model, "--alpha", "6/5", "--json", "--at-most", "1/2")
    assert run.status == 0
    check_answer(["distance"], run.out)
    found = json.loads(run.out)
    assert (found["value"], found["engine"], found["attackers"]) == ("1/2", "strategies", "all")
    run = prover("distance", model, "--alpha", "6/5", "--json", "--at-most", "1/3")
    assert run.status == 1
    check_answer(["distance"], run.out)
    found = json.loads(run.out)
    assert (found["value"], found["engine"], found["attackers"]) == (None, "labels", "all")
    run = prover("distance", model, "--epsilon", "1/5", "--all-pairs", "--json")
    check_answer(["distance", "--all-pairs"], run.out)
    assert json.loads(run.out)["values"]["s"]["t"] == "1/2"
    run = prover("distance", model, "--alpha", "2", "--kind", "tv", "--json")
    check_answer(["distance"], run.out)
    assert json.loads(run.out)["value"] == "1/2"


def test_questions_that_are_for_chains(tmp_path: Path) -> None:
    model = zoo(tmp_path, "wait")
    for question, why in (
        (("--alpha", "2", "--kind", "lgd"), "kind lgd is for chains"),
        (("--alpha", "2", "--kind", "kernel"), "kind kernel is for chains"),
        (("--alpha", "2", "--bounds", "upper"), "bounds is for distances of chains"),
        (("--alpha", "2", "--reachable-only"), "--reachable-only: where an attacker chooses"),
    ):
        run = prover("distance", model, *question)
        assert (run.status, run.out) == (2, "")
        assert why in run.err


def test_menus_that_differ(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    states: dict[str, Any] = {
        "s": {"label": "a", "actions": {"x": {"s": 1}, "y": {"t": 1}}},
        "t": {"label": "a", "actions": {"x": {"t": "9/10"}}},
    }
    document = {"type": "labelled-markov-decision-process", "version": 1, "states": states}
    model.write_text(json.dumps(document))
    run = prover("delta", model, "--alpha", "2", "--from", "s", "--to", "t")
    assert run.status == 2
    assert 'offer different actions: "s" offers "x", "y" and "t" offers "x"' in run.err
    states["t"]["actions"] = {"x": {"t": "9/10"}, "y": {"s": 1}}
    model.write_text(json.dumps(document))
    run = prover("delta", model, "--alpha", "2", "--from", "s", "--to", "t")
    assert run.status == 2
    assert '$.states["t"].actions["x"]' in run.err
    assert "sums to 9/10" in run.err


def test_one_action_everywhere_is_a_chain(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    rows = {"s": ("a", {"t": "1/3", "s": "2/3"}), "t": ("a", {"end": 1}), "end": ("b", {"end": 1})}
    named = {name: {"label": label, "actions": {"go": row}} for name, (label, row) in rows.items()}
    plain = {name: {"label": label, "next": row} for name, (label, row) in rows.items()}
    document = {"version": 1, "relation": [["s", "t"]]}
    one.write_text(json.dumps({**document, "type": "labelled-markov-decision-process", "states": named}))
    other.write_text(json.dumps({**document, "type": "labelled-markov-chain", "states": plain}))
    proofs = [tmp_path / "one.cert", tmp_path / "other.cert"]
    for model, proof in zip((one, other), proofs, strict=True):
        assert prover("delta", model, "--alpha", "6/5", "--certificate", proof).status == 0
    assert proofs[0].read_bytes() == proofs[1].read_bytes()


def test_the_least_epsilon(tmp_path: Path) -> None:
    model, proof = zoo(tmp_path, "two-doors"), tmp_path / "doors.cert"
    run = prover("epsilon", model, "--delta", "9/20", "--json", "--certificate", proof)
    assert run.status == 0
    check_answer(["epsilon"], run.out)
    assert "the answer holds for every attacker" in json.loads(run.out)["notes"]
    assert "attackers=all" in verdicts(proof).out
    assert prover("epsilon", model, "--delta", "9/20", "--times", "3").status == 2


def test_fixed_sequences_are_for_systems_that_leave_a_choice(tmp_path: Path) -> None:
    run = prover("delta", zoo(tmp_path, "pin-checker"), "--alpha", "2", "--open-loop")
    assert run.status == 2
    assert "has no choice of actions" in run.err


def test_choices_that_are_not_the_attackers(tmp_path: Path) -> None:
    model = zoo(tmp_path, "two-doors")
    run = prover("delta", model, "--alpha", "6/5", "--scheduler", "observer", "--json")
    assert run.status == 0
    found = json.loads(run.out)
    assert found["value"] == "9/20"
    assert "as if the attacker chose" in found["notes"][0]
    run = prover("delta", model, "--alpha", "6/5", "--scheduler", "state")
    assert run.status == 2
    assert "add to the labels what the scheduler really sees" in run.err


NETWORK = {
    "states": {
        "s": {"label": "start", "actions": {"ask": {"S": "1"}, "leave": {"end": "1"}}},
        "t": {"label": "start", "actions": {"ask": {"T": "1"}, "leave": {"end": "1"}}},
        "S": {
            "label": "sent",
            "actions": {"now": {"yes": "1"}, "late": {"slow yes": "3/4", "slow no": "1/4"}},
        },
        "T": {
            "label": "sent",
            "actions": {"now": {"no": "1"}, "late": {"slow yes": "1/4", "slow no": "3/4"}},
        },
        **{
            name: {"label": name, "next": {name: "1"}} for name in ("end", "yes", "no", "slow yes", "slow no")
        },
    },
    "relation": [["s", "t"], ["t", "s"]],
}


def network(folder: Path, *, hidden: bool = False) -> Path:
    """The attacker asks, and nature delivers now, or late and through noise; ``hidden``: both look alike."""
    model = json.loads(json.dumps(NETWORK))
    if hidden:
        for name in ("slow yes", "slow no"):
            model["states"][name]["label"] = name.removeprefix("slow ")
    path = folder / "network.json"
    path.write_text(json.dumps({"type": "labelled-markov-decision-process", "version": 1, **model}))
    return path


def test_a_scheduler_against_the_attacker(tmp_path: Path) -> None:
    model, proof = network(tmp_path), tmp_path / "network.cert"
    natures = ("--nature", "now", "--nature", "la*")
    arguments = ("delta", model, "--alpha", "1", "--scheduler", "against", *natures, "--certificate", proof)
    run = prover(*arguments, "--json")
    assert run.status == 0
    found = json.loads(run.out)
    check_answer([str(argument) for argument in (*arguments, "--json")], run.out)
    assert (found["value"], found["nature"]) == ("1/2", ["late", "now"])
    assert "knows which two secrets are compared" in found["notes"][0]
    [sent] = found["strategy"]["begin"]["answers"]
    assert sent["then"]["by_nature"] is True
    assert "by_nature" not in found["strategy"]["begin"]
    text = prover(*arguments[:-2]).out
    assert "For all related secrets s, t nature can choose so that, for every attacker" in text
    assert "nature does late" in text
    verified = subprocess.run([sys.executable, CHECKER, proof], capture_output=True, text=True, check=False)
    assert 'attackers=all nature="late","now"' in verified.stdout
    demanded = prover("verify", proof, "--at-most", "1/2")
    assert demanded.status == 1
    assert "what nature leaves to the attacker" in demanded.out + demanded.err


def test_a_scheduler_for_the_attacker(tmp_path: Path) -> None:
    model = network(tmp_path)
    run = prover("delta", model, "--alpha", "1", "--scheduler", "for", "--nature", "now", "--json")
    assert json.loads(run.out)["value"] == "1"
    assert "nature" not in json.loads(run.out)
    everything = prover("delta", model, "--alpha", "1", "--scheduler", "against", "--json")
    assert json.loads(everything.out)["value"] == "0"


def test_a_choice_of_nature_that_labels_hide(tmp_path: Path) -> None:
    model, page = network(tmp_path, hidden=True), tmp_path / "page.html"
    natures = ("--scheduler", "against", "--nature", "now", "--nature", "late")
    run = prover("delta", model, "--alpha", "1", *natures, "--html", page)
    assert run.status == 3
    assert "0 <= " in run.out
    assert "A label does not show a choice of nature" in run.out
    assert "a label that names nature's last action" in run.out + run.err
    assert "nature chooses against the attacker" in page.read_text()
    asked = prover("delta", model, "--alpha", "1", *natures, "--at-most", "1/2")
    assert asked.status == 0


@pytest.mark.family
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--nature", "now"), "need --scheduler for or against"),
        (("--scheduler", "against", "--nature", "never"), 'no action is called "never"'),
        (("--scheduler", "for", "--nature", "never"), 'no action is called "never"'),
        (("--scheduler", "against", "--nature", "now"), 'leave "now" to nature and "late" to the attacker'),
        (("--scheduler", "against", "--open-loop"), "fixed sequences"),
        (("--scheduler", "against", "--simulate", "10"), "runs cannot be simulated"),
    ],
)
def test_what_nature_cannot_choose(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    run = prover("delta", network(tmp_path), "--alpha", "1", *options)
    assert run.status == 2
    assert words in run.err
    chain = prover("delta", zoo(tmp_path, "pin-checker"), "--alpha", "1", "--scheduler", "against")
    assert "the model has no choice of actions, so it has no scheduler" in chain.err
    program = prover("delta", zoo(tmp_path, "svt"), "--alpha", "1", "--nature", "now")
    assert "--nature is for Markov chains" in program.err


def test_what_is_said_of_adapting_holds_for_enclosed_answers(tmp_path: Path) -> None:
    """Where δ is not exact, the gain is only bounded; with ε no sequence is called the best."""
    run = prover("delta", zoo(tmp_path, "two-doors"), "--epsilon", "1/10", "--open-loop")
    assert run.status == 0
    (line,) = (line for line in run.out.splitlines() if "fixed sequence" in line)
    best = "The best fixed sequence of actions that was found is"
    assert line.startswith(f"{best} (no choice), look, open L: it gains ")
    assert "adapting gains at most " in line
