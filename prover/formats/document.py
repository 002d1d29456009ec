"""What the JSON documents of all models have in common: their version and their layout."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from prover.errors import BadDocument, quoted
from prover.formats.strict_json import Digits, JsonObject, JsonValue, as_object, as_text, wrong_type

VERSION = "1"


def document_of(
    value: JsonValue, of: tuple[str, str] | None, required: tuple[str, ...], optional: tuple[str, ...]
) -> JsonObject:
    """The document that a JSON value is, with these keys besides its type and its version.

    ``of`` says what it is about, and the type that this has, where the type is not known yet. Raises
    BadDocument.
    """
    document = as_object(value, "$", ("type", "version", *required), optional)
    if of is not None:
        what, known = of
        found = as_text(document["type"], "$.type")
        if found != known:
            raise BadDocument(
                f"type {quoted(found)} is not supported; the type of a {what} is {quoted(known)}",
                path="$.type",
                code=f"not-a-{what}",
            )
    version = document["version"]
    if not isinstance(version, Digits):
        raise wrong_type("a number", version, "$.version")
    if version != VERSION:
        raise BadDocument(
            f"version {quoted(version)} is not supported; the version is {VERSION}",
            path="$.version",
            code="unsupported-version",
        )
    return document


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
