"""Threshold programs as JSON, the form that certificates embed.

    {"type": "threshold-program", "version": 1, "initial": "q1",
     "states": {"q1": {"input": false, "rate": "1/4", "mean": "0", "rate_prime": null, "mean_prime": null,
                       "transitions": [{"guard": [], "assign": ["x"], "output": "oinput", "to": "q2"}]},
                "q2": {"input": true, ..., "transitions":
                       [{"guard": [["<", "x"]], "assign": [], "output": "obot", "to": "q2"}, ...]}},
     "final": ["q3"]}

``rate_prime`` and ``mean_prime`` may be left out where they are null, and ``final`` where nothing is
declared. A ``to`` that is no state is final; it should be declared, unless it is ``end``.
Numbers are texts or JSON numbers, read literally. An ``output`` is a text, which is a letter unless it is
insample or insampleprime, or ``{"gap": "x"}`` for the number insample − x, or a list of several of these. In
place of ``rate`` a state may have ``rate_left`` and ``rate_right``, or one of them beside it; ``"inf"`` is a
rate without noise. In place of all these ``"sigma": "4"`` is Gaussian noise of this standard deviation, and
``sigma_prime`` in place of ``rate_prime``. The program may have, besides,

     "noise": "discrete-laplace", "grid": "1", "sensitivity": "3", "inputs": "unrounded"

where "laplace", 1 (for discrete noise) and 1 are the defaults, and inputs are rounded to the grid. A state
that reads an input may have a ``sensitivity`` of its own. A transition may remember inputs and sums of them
in registers, ``"registers": {"q": {"input": 1}, "s": {"s": 1, "q": -1}}``, where others become 0, and a state
without input may draw around one, ``"center": "s"``. ``"seen": []`` beside an output says that observers do
not see it, and ``"seen": ["3"]`` that they see 3 more than the number (see docs/models.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from prover.errors import BadDocument, BadInput, in_file
from prover.exact.real_text import rational_rate
from prover.formats.document import document_of
from prover.formats.strict_json import (
    JsonValue,
    as_list,
    as_members,
    as_object,
    as_rational,
    as_text,
    as_truth,
)
from prover.program.errors import program_path, unknown_inputs
from prover.program.model import Program, State, Test, Transition
from prover.program.noise import INFINITE, LAPLACE, ONE, Gaussian, Noise, Rate
from prover.program.outputs import Gap, Output, Outputs
from prover.program.state import Sum

TYPE = "threshold-program"
UNROUNDED = "unrounded"
SIDES_OF_RATES = ("rate_left", "rate_right")
OPTIONAL_OF_STATES = (
    "rate_prime",
    "mean_prime",
    "sensitivity",
    "sigma",
    "sigma_prime",
    *SIDES_OF_RATES,
    "center",
)
OPTIONAL = ("final", "noise", "grid", "sensitivity", "inputs")


def program_from_json(value: JsonValue, file: str | None = None) -> Program:
    """The program that a JSON value of the form above describes; ``file`` is named in errors.

    Raises BadDocument, what ``parse_rational`` raises, and what ``Program`` raises.
    """
    with in_file(file):
        document = document_of(value, ("program", TYPE), ("initial", "states"), OPTIONAL)
        states = as_members(document["states"], "$.states")
        final = as_list(document.get("final", []), "$.final")
        return Program(
            as_text(document["initial"], "$.initial"),
            {name: _state(state, program_path(name)) for name, state in states.items()},
            frozenset(as_text(name, f"$.final[{index}]") for index, name in enumerate(final)),
            _noise(document),
        )


def _noise(document: Mapping[str, JsonValue]) -> Noise:
    sensitivity = document.get("sensitivity")
    inputs = document.get("inputs")
    if inputs is not None and as_text(inputs, "$.inputs") != UNROUNDED:
        raise unknown_inputs(as_text(inputs, "$.inputs"))
    return Noise(
        as_text(document.get("noise", LAPLACE), "$.noise"),
        _rational_or_null(document.get("grid"), "$.grid"),
        ONE if sensitivity is None else as_rational(sensitivity, "$.sensitivity"),
        inputs is not None,
    )


def _state(value: JsonValue, path: str) -> State:
    members = as_members(value, path)
    sides = tuple(key for key in SIDES_OF_RATES if members.get(key) is not None)
    gaussian = members.get("sigma") is not None
    without = ("rate",) if sides or gaussian else ()  # there need be none
    required = ("input", *(() if without else ("rate",)), "mean", "transitions")
    state = as_object(value, path, required, (*without, *OPTIONAL_OF_STATES))
    given = {key: _rate(state[key], f"{path}.{key}") for key in sides}
    rate = None if without and state.get("rate") is None else _rate(state["rate"], f"{path}.rate")
    if rate is not None and (len(sides) == 1 or rate == INFINITE):  # it is that of the other side, or of both
        given, rate = {**dict.fromkeys(SIDES_OF_RATES, rate), **given}, None
    transitions = as_list(state["transitions"], f"{path}.transitions")
    return State(
        input=as_truth(state["input"], f"{path}.input"),
        rate=_gaussian(state, path, "", *sides) or (None if rate == INFINITE else rate),
        mean=as_rational(state["mean"], f"{path}.mean"),
        rate_prime=_gaussian(state, path, "_prime")
        or (None if state.get("rate_prime") is None else _finite(state["rate_prime"], f"{path}.rate_prime")),
        mean_prime=_rational_or_null(state.get("mean_prime"), f"{path}.mean_prime"),
        transitions=tuple(
            _transition(transition, f"{path}.transitions[{index}]")
            for index, transition in enumerate(transitions)
        ),
        rate_left=given.get("rate_left"),
        rate_right=given.get("rate_right"),
        sensitivity=_rational_or_null(state.get("sensitivity"), f"{path}.sensitivity"),
        center=None if state.get("center") is None else as_text(state["center"], f"{path}.center"),
    )


def _registers(value: JsonValue, path: str) -> tuple[tuple[str, Sum], ...]:
    """The sums that registers are set to, in the order of their names."""
    sums = {name: as_members(own, f"{path}.{name}") for name, own in as_members(value, path).items()}
    return tuple(
        (
            name,
            tuple((source, _sign(sign, f"{path}.{name}.{source}")) for source, sign in sorted(own.items())),
        )
        for name, own in sorted(sums.items())
    )


def _sign(value: JsonValue, path: str) -> int:
    """A whole number; 0, which is no sign, for others."""
    number = as_rational(value, path)
    return number.numerator if number.denominator == 1 else 0


def _gaussian(
    state: Mapping[str, JsonValue], path: str, sample: Literal["", "_prime"], *sides: str
) -> Gaussian | None:
    """The Gaussian noise of the first sample or of the second, if it has such noise, and no rate then."""
    value, where = state.get(f"sigma{sample}"), f"{path}.sigma{sample}"
    if value is None:
        return None
    if sides or state.get(f"rate{sample}") is not None:
        raise BadDocument(
            "the state has a rate for this sample, so sigma has no meaning; remove one of the two",
            path=where,
            code="rate-and-sigma",
        )
    return Gaussian(as_rational(value, where))


def _rate(value: JsonValue, path: str) -> Rate:
    return INFINITE if value == INFINITE else _finite(value, path)


def _finite(value: JsonValue, path: str) -> Fraction:
    """A rate; raises what says what to do with one that is no number."""
    if isinstance(value, str):
        try:
            return rational_rate(value)
        except BadInput as error:
            error.path = path
            raise
    return as_rational(value, path)


def _rational_or_null(value: JsonValue, path: str) -> Fraction | None:
    return None if value is None else as_rational(value, path)


def _transition(value: JsonValue, path: str) -> Transition:
    transition = as_object(value, path, ("guard", "assign", "output", "to"), ("registers", "seen"))
    guard = as_list(transition["guard"], f"{path}.guard")
    assign = as_list(transition["assign"], f"{path}.assign")
    return Transition(
        guard=tuple(_test(test, f"{path}.guard[{index}]") for index, test in enumerate(guard)),
        assign=tuple(as_text(name, f"{path}.assign[{index}]") for index, name in enumerate(assign)),
        output=_outputs(transition["output"], f"{path}.output"),
        target=as_text(transition["to"], f"{path}.to"),
        registers=_registers(transition.get("registers", {}), f"{path}.registers"),
        seen=_seen(transition.get("seen"), f"{path}.seen"),
    )


def _seen(value: JsonValue, path: str) -> tuple[Fraction, ...] | None:
    """What is added to the number that is seen; None where that is nothing, or nothing is said."""
    if value is None:
        return None
    numbers = tuple(as_rational(x, f"{path}[{index}]") for index, x in enumerate(as_list(value, path)))
    return None if numbers == (Fraction(0),) else numbers


def _outputs(value: JsonValue, path: str) -> Outputs:
    """A text, a gap, or a list of several of these."""
    if not isinstance(value, list):
        return _output(value, path)
    return tuple(_output(part, f"{path}[{index}]") for index, part in enumerate(value))


def _output(value: JsonValue, path: str) -> Output:
    if isinstance(value, dict):
        return Gap(as_text(as_object(value, path, ("gap",))["gap"], f"{path}.gap"))
    return as_text(value, path)


def _test(value: JsonValue, path: str) -> Test:
    texts = [as_text(text, f"{path}[{index}]") for index, text in enumerate(as_list(value, path))]
    if len(texts) != 2:
        raise BadDocument(
            f'a test such as ["<", "x"] is expected, a relation and a variable, not {len(texts)} strings',
            path=path,
            code="not-a-test",
        )
    return texts[0], texts[1]
