"""`check --model` read a state with a row and with actions as if it had no actions, and accepted what was
proved of another model. It refuses such files, as `prover delta` does.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prover import delta
from prover.certificate.check import main
from prover.certificate.check.demands import UnreadableModel, given_model
from prover.errors import BadInput
from prover.formats.identity import model_bytes
from prover.formats.load import load, load_chain

PROCESS = """{"version": 1, "type": "labelled-markov-%s", "states": {
    "a": {"label": "x", %s}, "c": {"label": "y", "next": {"c": 1}}}, "initial": ["a", "c"]}"""
NEXT, BOTH = '"next": {"a": "1"}', '"next": {"a": "1"}, "actions": {"go": {"c": 1}, "no": {"a": 1}}'


@pytest.mark.parametrize("kind", ["chain", "decision-process"])
@pytest.mark.parametrize(
    "state", [NEXT, BOTH.partition(", ")[2], '"actions": {"go": {"c": 1}}', BOTH, '"actions": {}',
              f'{NEXT}, "actions": {{}}', '"actions": {"": {"c": 1}}', '"wait": 1', f'{NEXT}, "wait": 1']
)  # fmt: skip
def test_states_with_actions_mean_the_same_to_prover_and_checker(
    tmp_path: Path, kind: str, state: str
) -> None:
    text = PROCESS % (kind, state)
    path = tmp_path / "model.json"
    path.write_text(text)
    try:
        expected = model_bytes(load(path))
    except BadInput:
        with pytest.raises(UnreadableModel):
            given_model(text.encode())
    else:
        assert given_model(text.encode()) == expected


def test_the_certificate_of_another_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof, right, wrong = tmp_path / "proof", tmp_path / "right.json", tmp_path / "wrong.json"
    right.write_text(PROCESS % ("chain", NEXT))
    wrong.write_text(PROCESS % ("decision-process", BOTH))
    proof.write_bytes(delta(load_chain(right), alpha=1).certificate.data)
    assert main(["--model", str(right), str(proof)]) == 0
    assert main(["--model", str(wrong), str(proof)]) == 2
    assert "a state needs a label, and either next or actions, which have names" in capsys.readouterr().err


def test_a_key_that_is_not_known() -> None:
    document = json.loads(PROCESS % ("chain", NEXT))
    assert given_model(json.dumps(document).encode())
    with pytest.raises(UnreadableModel):
        given_model(json.dumps(document | {"colour": 1}).encode())
