"""Threshold programs as JSON, the form that certificates embed.

    {"type": "threshold-program", "version": 1, "initial": "q1",
     "states": {"q1": {"input": false, "rate": "1/4", "mean": "0", "rate_prime": null, "mean_prime": null,
                       "transitions": [{"guard": [], "assign": ["x"], "output": "oinput", "to": "q2"}]},
                "q2": {"input": true, ..., "transitions":
                       [{"guard": [["<", "x"]], "assign": [], "output": "obot", "to": "q2"}, ...]}},
     "final": ["q3"]}

``rate_prime`` and ``mean_prime`` may be left out where they are null, and ``final`` where nothing is
declared. A ``to`` that is no state is final; it should be declared, unless it is ``end``.
Numbers are texts or JSON numbers, read literally.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from prover.certificate.schema import program_model
from prover.errors import BadInput, in_file, quoted
from prover.formats.document import check_version, laid_out
from prover.formats.strict_json import (
    JsonValue,
    as_list,
    as_members,
    as_object,
    as_rational,
    as_text,
    as_truth,
    read_json,
)
from prover.program.errors import program_path
from prover.program.model import Program, State, Test, Transition

TYPE = "threshold-program"


class NotAProgram(BadInput):
    """A document holds another type of model than a threshold program."""

    def __init__(self, found: str) -> None:
        message = f"type {quoted(found)} is not read; the type of a program is {quoted(TYPE)}"
        super().__init__(message, path="$.type")


class NotATest(BadInput):
    """An entry of a guard does not hold exactly a relation and a variable."""

    def __init__(self, size: int, path: str) -> None:
        message = f'a test such as ["<", "x"] belongs here, a relation and a variable, not {size} texts'
        super().__init__(message, path=path)


def read_program(data: str | bytes, file: str | None = None) -> Program:
    """The program that a JSON document holds; ``file`` is named in errors.

    Raises what ``read_json`` and ``program_from_json`` raise.
    """
    return program_from_json(read_json(data, file), file)


def program_from_json(value: JsonValue, file: str | None = None) -> Program:
    """The program that a JSON value of the form above describes; ``file`` is named in errors.

    Raises WrongType, MissingKey, UnknownKey, NotAProgram, UnsupportedVersion, NotATest, what
    ``parse_rational`` raises, and what ``Program`` raises.
    """
    with in_file(file):
        document = as_object(value, "$", ("type", "version", "initial", "states"), ("final",))
        found = as_text(document["type"], "$.type")
        if found != TYPE:
            raise NotAProgram(found)
        check_version(document["version"])
        states = as_members(document["states"], "$.states")
        final = as_list(document.get("final", []), "$.final")
        return Program(
            as_text(document["initial"], "$.initial"),
            {name: _state(state, program_path(name)) for name, state in states.items()},
            frozenset(as_text(name, f"$.final[{place}]") for place, name in enumerate(final)),
        )


def program_to_json(program: Program) -> dict[str, Any]:
    """The JSON value of a program: numbers in lowest terms, states sorted, transitions in their order."""
    return program_model(program.initial, program.states, program.final)


def write_program(program: Program) -> str:
    """The JSON document of a program, for people: a line for each state.

    The document is ASCII and always the same for the same program.
    """
    return laid_out(program_to_json(program), ("states",))


def _state(value: JsonValue, path: str) -> State:
    required = ("input", "rate", "mean", "transitions")
    state = as_object(value, path, required, ("rate_prime", "mean_prime"))
    transitions = as_list(state["transitions"], f"{path}.transitions")
    return State(
        input=as_truth(state["input"], f"{path}.input"),
        rate=as_rational(state["rate"], f"{path}.rate"),
        mean=as_rational(state["mean"], f"{path}.mean"),
        rate_prime=_rational_or_null(state.get("rate_prime"), f"{path}.rate_prime"),
        mean_prime=_rational_or_null(state.get("mean_prime"), f"{path}.mean_prime"),
        transitions=tuple(
            _transition(transition, f"{path}.transitions[{place}]")
            for place, transition in enumerate(transitions)
        ),
    )


def _rational_or_null(value: JsonValue, path: str) -> Fraction | None:
    return None if value is None else as_rational(value, path)


def _transition(value: JsonValue, path: str) -> Transition:
    transition = as_object(value, path, ("guard", "assign", "output", "to"))
    guard = as_list(transition["guard"], f"{path}.guard")
    assign = as_list(transition["assign"], f"{path}.assign")
    return Transition(
        guard=tuple(_test(test, f"{path}.guard[{place}]") for place, test in enumerate(guard)),
        assign=tuple(as_text(name, f"{path}.assign[{place}]") for place, name in enumerate(assign)),
        output=as_text(transition["output"], f"{path}.output"),
        target=as_text(transition["to"], f"{path}.to"),
    )


def _test(value: JsonValue, path: str) -> Test:
    texts = [as_text(text, f"{path}[{place}]") for place, text in enumerate(as_list(value, path))]
    if len(texts) != 2:
        raise NotATest(len(texts), path)
    return texts[0], texts[1]
