"""How much work reading a model takes, in calls of functions for each transition more."""

import gc
import json
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadDocument
from prover.formats.explicit.observation import observed
from prover.formats.explicit.prism import read_prism
from prover.formats.load import Model, load, model_of_document
from prover.formats.reading import Reading
from prover.formats.strict_json import read_json
from tests.calls import calls_of

STATES = 30


def written_chain(degree: int) -> str:
    """A chain whose states have so many successors, with the probabilities 1/degree."""
    states = {
        f"s{s:02}": {"label": "a", "next": {f"s{t:02}": f"1/{degree}" for t in range(degree)}}
        for s in range(STATES)
    }
    return json.dumps({"type": "labelled-markov-chain", "version": 1, "states": states})


def explicit_chain(degree: int) -> str:
    """The same chain in the format of PRISM."""
    lines = [f"{s} {t} 1/{degree}" for s in range(STATES) for t in range(degree)]
    return "\n".join([f"{STATES} {len(lines)}", *lines])


def given_chain(degree: int) -> dict[str, Any]:
    """The same chain as Python programs give it."""
    states = json.loads(written_chain(degree))["states"]
    return {name: (state["label"], state["next"]) for name, state in states.items()}


def written_process(degree: int) -> str:
    """A process with two actions."""
    document = json.loads(written_chain(degree))
    for state in document["states"].values():
        state["actions"] = dict.fromkeys("xy", state.pop("next"))
    return json.dumps(document | {"type": "labelled-markov-decision-process"})


def read(text: str) -> Model:
    return model_of_document(read_json(text))


def read_explicit(text: str) -> Model:
    return observed(read_prism(text), Reading())[0]


@pytest.mark.parametrize(
    ("reader", "written", "most"),
    [
        (read, written_chain, 2),
        (read, written_process, 2.5),
        (read_explicit, explicit_chain, 7),
        (LabelledMarkovChain.of, given_chain, 2.5),
    ],
)
def test_a_transition_more_takes_few_calls(
    reader: Callable[[Any], Model], written: Callable[[int], Any], most: float
) -> None:
    few, many = (calls_of(partial(reader, written(degree))) for degree in (10, 30))
    assert many - few <= most * 20 * STATES


def test_equal_probabilities_are_one_number() -> None:
    chain = read(written_chain(10))
    assert isinstance(chain, LabelledMarkovChain)
    numbers = [p for row in chain.rows for p in row.values()]
    assert set(numbers) == {Fraction(1, 10)}
    assert len(set(map(id, numbers))) == 1


def test_rows_of_the_same_numbers_are_summed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    summed: list[str] = []
    monkeypatch.setattr("prover.chain.process.check_row", lambda _states, state, _row: summed.append(state))
    read(written_process(10))
    assert summed == ["s00"]


def test_no_garbage_is_collected_while_a_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collecting: list[bool] = []

    def watched(*given: Any) -> Any:
        collecting.append(gc.isenabled())
        return read_json(*given)

    monkeypatch.setattr("prover.formats.load.read_json", watched)
    file = tmp_path / "chain.json"
    file.write_text(written_chain(10))
    load(file)
    file.write_text("{")
    with pytest.raises(BadDocument):
        load(file)
    assert collecting == [False, False]
    assert gc.isenabled()
