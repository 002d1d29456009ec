"""The JSON Schemas of docs/schemas/, and answers compared with them."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schemas"
BASE = "https://localhost/schemas/"
SHARED = "common"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
INSTALLED = importlib.util.find_spec("jsonschema") is not None


@cache
def schema(name: str) -> dict[str, Any]:
    """A schema, by the name of its file."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


@cache
def validator(name: str) -> Any:
    """What validates objects by a schema, which may name the others."""
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    known = [(f"{BASE}{other}.json", Resource.from_contents(schema(other))) for other in NAMES]
    registry: Any = Registry().with_resources(known)
    return Draft202012Validator({"$ref": f"{BASE}{name}.json"}, registry=registry)


def name_for(arguments: Sequence[str]) -> str:
    """The schema of what a command prints with --json."""
    if arguments[0] == "bench" and "--counts" in arguments:
        return "bench-counts"
    if arguments[0] == "bench" and "--ratios" in arguments:
        return "bench-ratios"
    if arguments[0] == "bench":
        return f"bench-{arguments[1]}"
    if arguments[0] == "renyi" and {"--at-epsilon", "--q"} & set(arguments):
        return "account-divergences"
    if arguments[0] == "tradeoff" and any(str(one).endswith(".toml") for one in arguments):
        return "tradeoff-account"
    if arguments[0] in ("curve", "delta", "epsilon", "tradeoff") and {"--at-epsilon", "--q"} & set(arguments):
        return f"{arguments[0]}-program"
    if arguments[0] == "account" and "--order" in arguments:
        return "account-divergences"
    return "distances" if "--all-pairs" in arguments else arguments[0]


def check_answer(arguments: Sequence[str], printed: str) -> None:
    """An answer that was printed for the arguments is as its schema says.

    Its keys are compared even where jsonschema is not installed.
    """
    found = json.loads(printed)
    kinds = {"pieces": "privacy-open", "count": "privacy-count", "symbolic": "privacy-real"}
    name = next((kinds[key] for key in kinds if key in found), name_for(arguments))
    assert found.keys() <= schema(name)["properties"].keys(), f"docs/schemas/{name}.json lacks keys"
    assert found.keys() >= set(schema(name)["required"]), f"keys of docs/schemas/{name}.json are missing"
    if INSTALLED:
        errors = sorted(validator(name).iter_errors(found), key=lambda error: error.json_path)
        assert errors == [], f"docs/schemas/{name}.json: {errors[0].json_path}: {errors[0].message[:300]}"
