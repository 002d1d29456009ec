"""Files of programs with numbers that are not rational: what is read with rationals in their place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from prover.errors import BadDocument, BadInput, BadOptions
from prover.formats.files import content_of, empty_file, standard_input, suffix
from prover.formats.load import STANDARD_INPUT, guessed, kind_of, wrong_kind
from prover.formats.program_json import TYPE as PROGRAM
from prover.formats.reading import Constants, Reading
from prover.formats.strict_json import JsonValue, as_members, read_json
from prover.program.errors import program_path
from prover.program.model import Program

if TYPE_CHECKING:
    from prover.language.written import Written

RATES = ("rate", "rate_left", "rate_right", "rate_prime")
"""The members of states that are rates."""


def from_code(path: str, const: Constants | None) -> tuple[Written, Callable[[], Program]]:
    """A mechanism in code, and what reads it as it is set then. Raises what ``load`` raises."""
    from prover.formats.code import function_of
    from prover.language.files import model_in

    function = function_of(path)
    text = Reading.of(const=const).const

    def read() -> Program:
        found = model_in(function, text, None)
        if not isinstance(found, Program):
            raise wrong_kind("threshold program", kind_of(found))
        return found

    return function, read


def from_file(path: str, const: Constants | None, what: str) -> tuple[bytes, Mapping[str, JsonValue] | None]:
    """The content of a ``.dipa`` file and None, or that of a JSON file and its document.

    ``what`` such files may have is said of others. Raises BadOptions, and BadDocument.
    """
    if const is not None:
        raise BadOptions("const gives values to parameters of Python code; leave it out")
    content = standard_input() if path == STANDARD_INPUT else content_of(path)
    if not content.strip():
        raise empty_file()
    extension = suffix(path).lower() if path != STANDARD_INPUT else guessed(content)
    if extension == ".dipa":
        return content, None
    if extension != ".json":
        raise BadDocument(
            f"{what} in programs in .json and .dipa files, and in Python code", code="unknown-extension"
        )
    document = as_members(read_json(content), "$")
    if document.get("type") != PROGRAM:
        raise wrong_kind("threshold program", "model of another type")
    return content, document


def with_numbers(
    document: Mapping[str, JsonValue], change: Mapping[str, Callable[[JsonValue], JsonValue]]
) -> dict[str, JsonValue]:
    """The document with other numbers: ``change`` has what makes them, by their keys, of itself and of its
    states. Raises what that raises, with the place."""

    def changed(members: Mapping[str, JsonValue], path: str) -> dict[str, JsonValue]:
        found = dict(members)
        for key, made in change.items():
            if key in found:
                try:
                    found[key] = made(found[key])
                except BadInput as error:
                    error.path = f"{path}.{key}"
                    raise
        return found

    states: dict[str, JsonValue] = {}
    for name, value in as_members(document.get("states", {}), "$.states").items():
        path = program_path(name)
        states[name] = changed(as_members(value, path), path)
    return {**changed(document, "$"), "states": states}
