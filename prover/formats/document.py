"""What the JSON documents of all models have in common: their version and their layout."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from prover.errors import BadDocument, quoted
from prover.formats.strict_json import Digits, JsonValue, wrong_type

VERSION = "1"


def check_version(found: JsonValue) -> None:
    """Raises BadDocument unless ``found`` is the number of the version that is read."""
    if not isinstance(found, Digits):
        raise wrong_type("a number", found, "$.version")
    if found != VERSION:
        raise BadDocument(
            f"version {quoted(found)} is not read; the version is {VERSION}",
            path="$.version",
            code="unsupported-version",
        )


def laid_out(document: Mapping[str, Any], spread: tuple[str, ...]) -> str:
    """The document for people: ASCII, a line for each member, and for each item of the ``spread`` members."""
    members = []
    for key, value in document.items():
        if key not in spread:
            text = json.dumps(value)
        elif isinstance(value, dict):
            lines = [f"{json.dumps(name)}: {json.dumps(item)}" for name, item in value.items()]
            text = "{\n    " + ",\n    ".join(lines) + "\n  }"
        else:
            text = "[\n    " + ",\n    ".join(map(json.dumps, value)) + "\n  ]"
        members.append(f"{json.dumps(key)}: {text}")
    return "{\n  " + ",\n  ".join(members) + "\n}\n"
