"""Files of claims, in TOML.

[[claim]]
model = "models/survey.json"     # and options about its reading: secret, observe, untimed, const …
alpha = "6/5"                    # or epsilon
delta_at_most = "4/15"           # for its relation, or from = "a" and to = "b"
certificate = "survey.cert"      # where the proof is kept
badge = "survey.svg"             # a picture that says so

[[claim]]
model = "mechanisms.py:above_threshold"
adjacency = "monotonic"
epsilon_at_most = "3/4"          # a multiple of ε
effort = 2                       # twice as much work as by default before it stays open
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from prover.chain.arguments import given_slope
from prover.claims.claim import Claim
from prover.errors import BadDocument, BadValue, in_file
from prover.exact.given import given_rational
from prover.formats.reading import Reading
from prover.formats.strict_json import JsonObject, JsonValue, as_list, as_members, as_object, as_text
from prover.formats.toml import at, reading_option, scalar, toml_in
from prover.program.adjacency import Adjacency, given_adjacency
from prover.program.optimum.budget import DEFAULT_EFFORT, given_effort

_KEYS = (
    "name", "from", "to", "alpha", "epsilon", "delta_at_most", "epsilon_at_most", "adjacency", "effort",
    "certificate", "badge",
)  # fmt: skip
_OF_DELTA = ("from", "to", "alpha", "epsilon")
LONGEST = 10  # digits of an effort
_OF_PROGRAMS = ("adjacency", "effort")
_FILES = ("certificate", "badge")


def read_claims(path: str | os.PathLike[str]) -> tuple[Claim, ...]:
    """The claims in a file; the paths in it are relative to its folder. Models are not read yet.

    Raises BadDocument, BadValue, and what reading values raises.
    """
    name = os.fspath(path)
    with in_file(name):
        document = as_object(toml_in(name), "$", (), ("claim",))
        listed = as_list(document.get("claim", []), "$.claim")
        if not listed:
            raise BadDocument(
                "claims nothing; write a table [[claim]] for each claim", path="$.claim", code="no-claims"
            )
        return tuple(
            _claim(item, f"$.claim[{index}]", Path(name).parent) for index, item in enumerate(listed)
        )


def _claim(value: JsonValue, path: str, folder: Path) -> Claim:
    fields = as_object(value, path, ("model",), (*_KEYS, *Reading.names()))
    if ("delta_at_most" in fields) == ("epsilon_at_most" in fields):
        raise BadValue(
            "a claim has either delta_at_most, with alpha or epsilon, or for programs epsilon_at_most",
            path=path,
            code="bad-claim",
        )
    of_program = "epsilon_at_most" in fields
    for key in _OF_DELTA if of_program else _OF_PROGRAMS:
        if key in fields:
            what = "epsilon_at_most" if of_program else "delta_at_most"
            raise BadValue(
                f"{key} has no meaning together with {what}; leave it out",
                path=f"{path}.{key}",
                code="bad-claim",
            )
    words = {
        key: _text(fields, key, path) for key in ("name", "from", "to", "adjacency", "certificate", "badge")
    }
    numbers = {key: _number(fields, key, path) for key in ("alpha", "epsilon")}
    if not of_program:
        with at(path):
            given_slope("delta", numbers["alpha"], numbers["epsilon"])
    bound = "epsilon_at_most" if of_program else "delta_at_most"
    with at(f"{path}.{bound}"):
        most = given_rational(scalar(fields[bound], f"{path}.{bound}"), bound, "bad-claim", at_least=0)
    adjacency = words["adjacency"] or Adjacency.ALL_DIFFER.value
    with at(f"{path}.adjacency"):
        given_adjacency(adjacency)
    certificate, badge = (None if words[key] is None else str(folder / str(words[key])) for key in _FILES)
    if badge is not None:
        _check_badge(badge, certificate, f"{path}.badge")
    return Claim(
        name=words["name"] or as_text(fields["model"], f"{path}.model"),
        place=path,
        model=str(folder / as_text(fields["model"], f"{path}.model")),
        reading={
            key: _option(key, item, f"{path}.{key}", folder)
            for key, item in fields.items()
            if key in Reading.names()
        },
        source=words["from"],
        target=words["to"],
        alpha=numbers["alpha"],
        epsilon=numbers["epsilon"],
        delta_at_most=None if of_program else most,
        epsilon_at_most=most if of_program else None,
        adjacency=adjacency,
        effort=_effort(fields, path),
        certificate=certificate,
        badge=badge,
    )


def _check_badge(badge: str, certificate: str | None, path: str) -> None:
    if certificate is None or certificate == badge:
        raise BadValue("a badge shows the hash of a certificate; name one, too", path=path, code="bad-claim")
    if not badge.endswith(".svg"):
        raise BadValue("a badge is an .svg file", path=path, code="not-svg")


def _text(fields: JsonObject, key: str, path: str) -> str | None:
    return as_text(fields[key], f"{path}.{key}") if key in fields else None


def _number(fields: JsonObject, key: str, path: str) -> str | None:
    return scalar(fields[key], f"{path}.{key}") if key in fields else None


def _effort(fields: JsonObject, path: str) -> int:
    written = _number(fields, "effort", path)
    if written is None:
        return DEFAULT_EFFORT
    with at(f"{path}.effort"):
        return given_effort(int(written) if written.isdecimal() and len(written) < LONGEST else written)


def _option(key: str, value: JsonValue, path: str, folder: Path) -> Any:
    """The value of an option about the reading of a model; constants may be a table."""
    if key == "secret_pairs":
        return str(folder / as_text(value, path))
    if key == "const" and isinstance(value, dict):
        items = as_members(value, path)
        return ",".join(f"{name}={scalar(item, f'{path}.{name}')}" for name, item in items.items())
    return reading_option(value, path)
