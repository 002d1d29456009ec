"""Chains and decision processes from Storm: programs in the PRISM language and JANI.

stormpy, which builds them, is an extra (``privacy-prover[storm]``).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

from prover.errors import (
    BadDocument,
    BadInput,
    BadOptions,
    BeyondLimit,
    NotInstalled,
    abbreviated,
    shown,
)
from prover.formats.explicit.built import check_kind, explicit_model, value_text
from prover.formats.explicit.chain import not_in_model
from prover.formats.explicit.process import Explicit

PRISM = (".nm", ".pm", ".prism")
"""Programs in the PRISM language."""
EXTENSIONS = (".jani", *PRISM)
MAX_STATES = 1_000_000
"""The most states of a program that Storm builds for us."""


def storm_missing() -> NotInstalled:
    """A program in the PRISM language or JANI is to be read, and stormpy is not installed."""
    return NotInstalled(
        "programs in the PRISM language and JANI are read through stormpy 2, which is not installed: "
        "install the extra, privacy-prover[storm]",
        code="storm-missing",
    )


def refusal(library: str, code: str, error: Exception) -> BadDocument:
    """A library does not accept a model: Storm a program, its constants, or what it builds from them."""
    text = " ".join(str(error).split()) or type(error).__name__
    said = shown(abbreviated(text) if len(text) > 400 else text)
    return BadDocument(f"{library} says: {said}", code=code)


def read_program(
    path: str,
    constants: str | None,
    secret: Mapping[str, tuple[str, ...]] | None = None,
    *,
    normalise: bool = False,
) -> Explicit:
    """The chain or the process that Storm builds from a program of the PRISM language, or of JANI by the name
    of the file.

    ``constants`` is ``N=3,p=1/2``. Every state that fulfils ``init … endinit`` is initial.
    ``secret`` holds the values that variables may have initially in place of the one of the program, none
    where that stays. Raises NotInstalled, BadDocument, BadOptions, BeyondLimit, and what ``explicit_model``
    raises.
    """
    try:
        import stormpy
    except ImportError:
        raise storm_missing() from None
    if not hasattr(stormpy, "instantiate_constants"):
        raise storm_missing()
    try:
        with _quietly():
            model = _built(stormpy, path, constants, secret or {})
    except BadInput:
        raise
    except Exception as error:
        raise refusal("Storm", "storm-refuses", error) from error
    return explicit_model(model, normalise=normalise)


def _built(stormpy: Any, path: str, constants: str | None, secret: Mapping[str, tuple[str, ...]]) -> Any:
    """The model of a program; raises what Storm raises, BadDocument, and BadOptions."""
    is_jani = path.lower().endswith(".jani")
    if is_jani:
        program = stormpy.parse_jani_model(path)[0]
    else:  # simplifying takes a variable that no command changes for a constant, and loses initial states
        program = stormpy.parse_prism_program(path, simplify=False)
    check_kind(program, "a program")
    if constants:
        program = stormpy.instantiate_constants(program, constants)[0]
    if program.has_undefined_constants:
        example = ",".join(f"{name}=…" for name in _undefined(program))
        raise BadOptions(
            f"constants have no value; give them as const (--const {example})", code="missing-constants"
        )
    values = {name: given for name, given in secret.items() if given}
    if values:
        program = with_initial_values(program, values)
    _check_size(program)
    options = stormpy.BuilderOptions()
    options.set_build_all_labels()
    options.set_build_state_valuations()
    options.set_build_choice_labels()
    options.set_exploration_checks()  # or else a row that does not sum to 1 would pass
    model = stormpy.build_model[stormpy.Rational](program, options=options)
    wanted = prod(map(len, values.values()))
    if values and len(model.initial_states) != wanted:
        raise BadOptions(
            f"{', '.join(values)} cannot have all these values: only {len(model.initial_states)} of {wanted} "
            "initial states are within the bounds of the program",
            code="bad-values",
        )
    return model


def _check_size(program: Any) -> None:
    """Raises BeyondLimit for a program of too many states, before it is built: stormpy limits searches in
    floats only, so its states are searched twice, which takes a tenth of the time of reading them.
    """
    labelling = _explored(program, MAX_STATES, valued=False).labeling
    if labelling.contains_label("unexplored") and any(labelling.get_states("unexplored")):
        raise BeyondLimit(
            f"the program has more than {MAX_STATES:,} states, the most that are read; give smaller "
            "constants (--const)",
            code="too-many-states",
        )


def _explored(program: Any, limit: int, *, valued: bool) -> Any:
    """The states of a program in the order of Storm's search, in floats, and no more than a limit of them."""
    storm = importlib.import_module("stormpy.developer")
    options = storm.BuilderOptions()
    options.set_build_state_valuations(valued)
    search = storm.ExplicitModelBuilderOptions[float]()
    search.exploration_state_limit = limit
    described = storm.SymbolicModelDescription(program)
    builder = storm.make_explicit_model_builder[float](described, options, exploration_options=search)
    return builder.build()


def with_initial_values(program: Any, values: Mapping[str, Sequence[str]]) -> Any:
    """The program in the PRISM language whose variables may have any of the values initially, and all others
    the value that they have in all its initial states. Raises BadOptions, UnknownName.
    """
    model = _explored(program, 1, valued=True)
    valuations = model.state_valuations
    known = valuations.get_all_variables()
    before = {
        str(v.name): sorted({value_text(valuations.get_value(s, v)) for s in model.initial_states})
        for v in known
    }
    for name in values:
        if name not in before:
            raise not_in_model("variable", name, sorted(before))
    loose = [name for name, old in before.items() if len(old) > 1 and name not in values]
    if loose:
        raise BadOptions(
            f"the program has {len(model.initial_states)} initial states, which differ in "
            f"{', '.join(loose)}; give values for these, too, or name the secret variables without values",
            code="bad-values",
        )
    either = [
        "(" + " | ".join(_equals(name, value) for value in values.get(name, old)) + ")"
        for name, old in before.items()
    ]
    if not program.has_initial_states_expression:
        program = program.replace_variable_initialization_by_init_expression()
    parser = importlib.import_module("stormpy.developer").storage.ExpressionParser(program.expression_manager)
    parser.set_identifier_mapping({str(v.name): v.get_expression() for v in known})
    program.update_initial_states_expression(parser.parse_from_string(" & ".join(either)))
    return program


def _equals(name: str, value: str) -> str:
    return {"true": name, "false": f"!{name}"}.get(value, f"{name}={value}")


@contextmanager
def _quietly() -> Iterator[None]:
    """Storm prints nothing: what it finds wrong it also raises, and standard output is for answers."""
    log = importlib.import_module("stormpy.developer")
    if not hasattr(log, "set_log_level"):
        yield
        return
    before = log.get_log_level()
    log.set_log_level(log.LogLevel.OFF)
    try:
        yield
    finally:
        log.set_log_level(before)


def _undefined(program: Any) -> list[str]:
    """The names of the constants that have no value, where the library tells."""
    if hasattr(program, "get_undefined_constants"):
        return [str(constant.name) for constant in program.get_undefined_constants()]
    return [str(constant.name) for constant in program.constants if not constant.defined]
