"""Claims that are true and say nothing met `--model` and bounds: a secret compared with itself, an observer
who sees nothing, inputs that only rise. The system here gives its secret away for certain.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prover.certificate.check import main
from tests.commands import ROOT, prover

ROWS = {"no": ("start", "A"), "yes": ("start", "B"), "A": ("a", "A"), "B": ("b", "B")}
PART = '[[mechanism]]\nmodel = "leaky.json"\n%s\ntimes = 1000\n[ask]\nalpha = "1"\n'
BLIND = 'silent = ["a", "b", "start"]'


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    states = {name: {"label": label, "next": {to: 1}} for name, (label, to) in ROWS.items()}
    model = {"type": "labelled-markov-chain", "version": 1, "states": states, "relation": [["no", "yes"]]}
    path = tmp_path / "leaky.json"
    path.write_text(json.dumps(model))
    return path


def verdict(*arguments: str | Path) -> tuple[int, str]:
    """What `prover verify` says; the checker alone ends alike."""
    run = prover("verify", *arguments)
    assert main(list(map(str, arguments))) == run.status
    return run.status, run.out


@pytest.mark.parametrize(
    ("what", "reason", "named"),
    [
        ('from = "no"\nto = "no"', "itself (--model)", 'from="no" to="no"'),
        (BLIND, "(--untimed, --silent)", 'relation sees=labels silent="a" silent="b" silent="start"'),
    ],
)
def test_compositions(tmp_path: Path, leaky: Path, what: str, reason: str, named: str) -> None:
    (tmp_path / "account.toml").write_text(PART % what)
    proof = tmp_path / "proof.cert"
    run = prover("account", tmp_path / "account.toml", "--certificate", proof)
    assert run.status == 0, run.err
    status, out = verdict("--model", leaky, "--at-most", "0", proof)
    assert (status, out.endswith(f"{reason}\n")) == (1, True), out
    assert f" part=0 {named} parts=1 runs=1000" in verdict(proof)[1]


@pytest.mark.parametrize("command", [("delta",), ("distance",), ("distance", "--kind", "bd")])
def test_a_secret_and_itself(tmp_path: Path, leaky: Path, command: tuple[str, ...]) -> None:
    proof = tmp_path / "proof.cert"
    asked: list[str | Path] = [*command, leaky, "--alpha", "1", "--from", "no", "--to", "no", "--certificate"]
    assert prover(*asked, proof).status == 0
    for demands in (["--model", leaky], ["--model", leaky, "--at-most", "0"], ["--at-most", "0"]):
        assert verdict(*demands, proof)[0] == 1
    assert verdict("--at-most", "0", "--from", "no", "--to", "yes", proof)[0] == 1
    assert verdict("--at-most", "0", "--from", "no", "--to", "no", proof)[0] == 2


def test_who_sees_nothing(tmp_path: Path, leaky: Path) -> None:
    proof, seeing = tmp_path / "proof.cert", tmp_path / "seeing.cert"
    blind = ["--silent", "a", "--silent", "b", "--silent", "start"]
    assert prover("delta", leaky, "--alpha", "1", *blind, "--certificate", proof).status == 0
    assert prover("delta", leaky, "--alpha", "1", "--certificate", seeing).status == 0
    for demands in (["--model", leaky], ["--model", leaky, "--at-most", "0"], ["--at-most", "0"]):
        assert verdict(*demands, proof)[0] == 1
        assert verdict(*demands, *blind, proof)[0] == 0
        assert verdict(*demands, *blind, seeing)[0] == 1
        assert verdict("--untimed", *demands, proof)[0] == 1


def test_inputs_that_only_rise(tmp_path: Path) -> None:
    proof, model = tmp_path / "proof.cert", tmp_path / "svt.json"
    assert prover("convert", ROOT / "examples" / "svt.dipa", model).status == 0
    assert prover("privacy", model, "--adjacency", "increasing", "--certificate", proof).status == 0
    status, out = verdict("--model", model, "--epsilon-at-most", "1", proof)
    assert (status, "(--adjacency)" in out) == (1, True)
    assert verdict("--model", model, "--epsilon-at-most", "1", "--adjacency", "increasing", proof)[0] == 0
