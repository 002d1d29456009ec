"""The schemas describe all that is printed with --json, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import FORKS, prover, zoo
from tests.schemas import NAMES, SHARED, check_answer, name_for, schema, validator

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings(FORKS)]

CHAIN_QUESTIONS = [
    ("distance", "--alpha", "11/10"),
    *(("distance", "--alpha", "11/10", "--kind", kind) for kind in ("lgd", "bd", "lv", "tv", "kernel")),
    ("distance", "--kind", "bisimilarity"),
    ("distance", "--alpha", "11/10", "--at-most", "1/10"),
    ("distance", "--alpha", "11/10", "--max-bits", "1"),
    ("distance", "--alpha", "11/10", "--bounds", "upper"),
    ("distance", "--alpha", "11/10", "--engine", "linear"),
    ("distance", "--alpha", "11/10", "--timeout", "1e-9"),
    ("distance", "--alpha", "11/10", "--all-pairs"),
    ("distance", "--alpha", "11/10", "--all-pairs", "--kind", "bd", "--at-most", "2/3"),
    ("distance", "--alpha", "11/10", "--all-pairs", "--max-bits", "1"),
    ("distance", "--alpha", "11/10", "--all-pairs", "--timeout", "1e-9"),
    ("delta", "--alpha", "11/10"),
    ("delta", "--alpha", "2"),
    ("delta", "--epsilon", "1/10"),
    ("delta", "--alpha", "11/10", "--at-most", "1/100"),
    ("delta", "--alpha", "11/10", "--timeout", "1e-9"),
    ("epsilon", "--delta", "1/100"),
    ("epsilon", "--delta", "0", "--kind", "lv", "--at-most", "1/2"),
    ("epsilon", "--delta", "1/100", "--timeout", "1e-9"),
    ("curve", "--alpha", "1:2:3"),
    ("curve", "--alpha", "1:2:3", "--no-bounds", "--kind", "lv"),
    ("curve", "--alpha", "1:2:3", "--timeout", "1e-9"),
]
PROGRAM_QUESTIONS = [
    (),
    ("--at-most", "1"),
    ("--witness",),
    ("--strategies",),
    ("--engine", "smt"),
    ("--timeout", "1e-9"),
]


def test_every_schema_is_one() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for name in NAMES:
        jsonschema.Draft202012Validator.check_schema(schema(name))


@pytest.mark.parametrize("name", [name for name in NAMES if name != SHARED])
def test_every_schema_is_strict(name: str) -> None:
    found = schema(name)
    assert found["additionalProperties"] is False
    assert "format" in found["required"]
    assert set(found["required"]) <= found["properties"].keys()


def test_the_page_names_them_all() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "schemas" / "README.md").read_text("utf-8")
    assert [name for name in NAMES if f"`{name}.json`" not in page] == []


@pytest.mark.family
@pytest.mark.parametrize("arguments", CHAIN_QUESTIONS, ids=" ".join)
def test_answers_about_chains(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    command, *options = arguments
    files = () if command == "curve" else ("--certificate", tmp_path / "proof")
    run = prover(command, zoo(tmp_path, "pin-checker"), *options, "--json", *files)
    assert run.status in (0, 1, 3), run.err
    assert json.loads(run.out)["format"] == 1


@pytest.mark.family
@pytest.mark.parametrize("arguments", PROGRAM_QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("name", ["svt", "leaking-pair", "disclosing-cycle", "lyu-3"])
def test_answers_about_programs(tmp_path: Path, name: str, arguments: tuple[str, ...]) -> None:
    model = zoo(tmp_path, name)
    run = prover("privacy", model, *arguments, "--json", "--certificate", tmp_path / "proof")
    assert run.status in (0, 1, 3), run.err
    assert json.loads(run.out)["format"] == 1


def test_answers_about_discrete_noise(tmp_path: Path) -> None:
    run = prover("privacy", zoo(tmp_path, "svt-discrete"), "--q", "1/2", "--json")
    assert run.status == 0, run.err


def test_impossible_and_open_epsilons(tmp_path: Path) -> None:
    model = zoo(tmp_path, "pin-checker")
    pair = ("--from", "0", "--to", "end")
    assert json.loads(prover("epsilon", model, *pair, "--delta", "1/2", "--json").out)["impossible"] is True
    run = prover("epsilon", model, "--delta", "0", "--limit", "11/10", "--json")
    assert (run.status, json.loads(run.out)["upper"]) == (3, "inf")


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"lower": 0.5},
        {"lower": "2/04"},
        {"kind": "none"},
        {"surprise": 1},
        {"holds": "yes"},
        {"certificate": "abc"},
        {"seconds": None},
    ],
)
def test_what_is_otherwise_is_found(tmp_path: Path, change: dict[str, Any]) -> None:
    pytest.importorskip("jsonschema")
    question = ["distance", zoo(tmp_path, "pin-checker").as_posix(), "--alpha", "11/10", "--json"]
    found = json.loads(prover(*question).out)
    assert list(validator(name_for(question)).iter_errors(found)) == []
    assert list(validator(name_for(question)).iter_errors(found | change)) != []
    with pytest.raises(AssertionError):
        check_answer(question, json.dumps(found | change))


def test_a_missing_key_is_found(tmp_path: Path) -> None:
    question = ["distance", zoo(tmp_path, "pin-checker").as_posix(), "--alpha", "11/10", "--json"]
    found = json.loads(prover(*question).out)
    del found["holds"]
    with pytest.raises(AssertionError, match="missing"):
        check_answer(question, json.dumps(found))
