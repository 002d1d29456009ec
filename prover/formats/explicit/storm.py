"""Chains and decision processes from Storm: programs in the PRISM language and JANI, and models that stormpy
or stormvogel have built.

stormpy is an extra (``privacy-prover[storm]``) and only needed for programs. Models are recognised by what
they offer, so that neither library has to be there.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import prod
from typing import Any

from prover.errors import (
    BadDocument,
    BadInput,
    BadOptions,
    BeyondLimit,
    InvalidModel,
    NotInstalled,
    abbreviated,
    quoted,
    shown,
)
from prover.exact.rational import parse_rational
from prover.formats.explicit.chain import (
    DEADLOCK,
    INITIAL,
    ExplicitChain,
    checked_rows,
    no_state,
    not_in_model,
)
from prover.formats.explicit.lines import not_a_markov_chain
from prover.formats.explicit.process import NAMELESS, Explicit, ExplicitProcess, NamedRow, checked_choices

PRISM = (".nm", ".pm", ".prism")
"""Programs in the PRISM language."""
EXTENSIONS = (".jani", *PRISM)
MAX_STATES = 1_000_000
"""The most states of a program that Storm builds for us."""

DTMC, MDP = "DTMC", "MDP"


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


def not_exact() -> InvalidModel:
    """A model that a library has built holds floating-point numbers."""
    return InvalidModel(
        "the probabilities of this model are floats, which are not exact; build it with exact numbers, with "
        "stormpy.build_model[stormpy.Rational] or with Fractions",
        code="not-exact",
    )


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
    _check_kind(program, "a program")
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
    labelling = _explored(program, MAX_STATES).labeling
    if labelling.contains_label("unexplored") and any(labelling.get_states("unexplored")):
        raise BeyondLimit(
            f"the program has more than {MAX_STATES:,} states, the most that are read; give smaller "
            "constants (--const)",
            code="too-many-states",
        )


def _explored(program: Any, limit: int) -> Any:
    """The states of a program in the order of Storm's search, in floats, and no more than a limit of them."""
    storm = importlib.import_module("stormpy.developer")
    options = storm.BuilderOptions()
    options.set_build_state_valuations()
    search = storm.ExplicitModelBuilderOptions[float]()
    search.exploration_state_limit = limit
    described = storm.SymbolicModelDescription(program)
    builder = storm.make_explicit_model_builder[float](described, options, exploration_options=search)
    return builder.build()


def with_initial_values(program: Any, values: Mapping[str, Sequence[str]]) -> Any:
    """The program in the PRISM language whose variables may have any of the values initially, and all others
    the value that they have in all its initial states. Raises BadOptions, UnknownName.
    """
    model = _explored(program, 1)
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


def explicit_model(model: Any, *, normalise: bool = False) -> Explicit:
    """The chain or the process in a sparse model of stormpy, or the chain in a model of stormvogel.

    Raises BadDocument, InvalidModel.
    """
    if hasattr(model, "transition_matrix") and hasattr(model, "labeling"):
        return _of_stormpy(model, normalise)
    if hasattr(model, "model_type") and hasattr(model, "states") and hasattr(model, "new_state"):
        return _of_stormvogel(model, normalise)
    raise BadDocument(
        f"a path or a model of stormpy or stormvogel can be loaded, not {type(model).__name__}",
        code="not-a-model",
    )


def _check_kind(model: Any, what: str, wanted: tuple[str, ...] = (DTMC, MDP)) -> str:
    """The type of a model, one of those that are wanted; raises BadDocument."""
    try:
        kind = str(model.model_type).rpartition(".")[2].upper()
    except ValueError:  # stormpy has no name for some types of programs, which begin with their type
        kind = str(model).split(maxsplit=1)[0].upper()
    if kind == "PTA":
        raise not_a_markov_chain(
            f"{what} with clocks of real time (PTA, a probabilistic timed automaton)",
            advice="; write the clocks as integer variables that a command increases (digital clocks)",
        )
    if kind not in wanted:
        raise not_a_markov_chain(f"{what} of type {quoted(kind)}")
    return kind


def _of_stormpy(model: Any, normalise: bool) -> Explicit:
    kind = _check_kind(model, "a model")
    states = range(model.nr_states)
    if not states:
        raise no_state()
    labelling, matrix = (
        model.labeling,
        model.transition_matrix,
    )  # which a library may copy whenever it is asked
    propositions = tuple(tuple(sorted(labelling.get_labels_of_state(s))) for s in states)
    variables: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    if _plain(model.has_state_valuations):
        valuations = model.state_valuations
        known = sorted(valuations.get_all_variables(), key=lambda variable: str(variable.name))
        variables = tuple(str(variable.name) for variable in known)
        values = tuple(tuple(value_text(valuations.get_value(s, v)) for v in known) for s in states)
    described = propositions, tuple(sorted(model.initial_states)), variables, values if variables else ()
    remarks = tuple(_deadlocks(propositions))
    if kind == DTMC:
        rows, notes = checked_rows([_row(matrix, s) for s in states], normalise=normalise)
        return ExplicitChain(*described, notes=(*notes, *remarks), rows=rows)
    names = model.choice_labeling if _plain(model.has_choice_labeling) else None
    choices, notes = checked_choices([_choices(matrix, names, s) for s in states], normalise=normalise)
    return ExplicitProcess(*described, notes=(*notes, *remarks), choices=choices)


def _row(matrix: Any, place: int) -> dict[int, Fraction]:
    return {entry.column: _exact(entry.value) for entry in matrix.get_row(place)}


def _choices(matrix: Any, labelling: Any, state: int) -> list[NamedRow]:
    """What can be done in a state of a process, by the labels of its choices, if they have any."""
    choices: list[NamedRow] = []
    for index in range(matrix.get_row_group_start(state), matrix.get_row_group_end(state)):
        names = () if labelling is None else sorted(labelling.get_labels_of_choice(index))
        choices.append((",".join(names) or NAMELESS, _row(matrix, index)))
    return choices


def _of_stormvogel(model: Any, normalise: bool) -> ExplicitChain:
    _check_kind(model, "a model of stormvogel", (DTMC,))
    states = list(model.states)
    if not states:
        raise no_state()
    places = {id(state): place for place, state in enumerate(states)}
    rows = []
    for state in states:
        row: dict[int, Fraction] = {}
        for probability, successor in state.get_outgoing_transitions() or ():
            place = places[id(successor)]
            row[place] = row.get(place, Fraction(0)) + _exact(probability)
        rows.append(row)
    propositions = tuple(tuple(sorted(map(str, state.labels))) for state in states)
    known = sorted({variable for state in states for variable in state.valuations}, key=_label)
    variables = tuple(map(_label, known))
    values: tuple[tuple[str, ...], ...] = ()
    if all(variable in state.valuations for state in states for variable in known):
        values = tuple(tuple(value_text(state.valuations[v]) for v in known) for state in states)
    else:
        variables = ()
    initial = [place for place, holding in enumerate(propositions) if INITIAL in holding]
    checked, notes = checked_rows(rows, normalise=normalise)
    remarks = tuple(_deadlocks(propositions))
    return ExplicitChain(
        propositions,
        tuple(initial),
        variables,
        values if variables else (),
        notes=(*notes, *remarks),
        rows=checked,
    )


def _deadlocks(propositions: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The note that a library has let states go to themselves that go nowhere."""
    count = sum(DEADLOCK in holding for holding in propositions)
    if count:
        states = "1 state goes" if count == 1 else f"{count:,} states go"
        yield f"{states} nowhere in the program (deadlock) and got a transition of probability 1 to itself"


def _exact(given: Any) -> Fraction:
    """The number of an entry."""
    number = _plain(given)
    if isinstance(number, float):
        if number not in (0, 1):  # these two are what they seem to be
            raise not_exact()
        return Fraction(int(number))
    if isinstance(number, int | Fraction):
        return Fraction(number)
    try:
        return parse_rational(str(number))
    except BadInput:
        raise not_exact() from None


def _plain(given: Any) -> Any:
    """What is a property or a method, as the version of the library has it."""
    return given() if callable(given) else given


def _label(variable: Any) -> str:
    return str(getattr(variable, "label", None) or getattr(variable, "name", variable))


def value_text(value: Any) -> str:
    """The value of a variable, as formats of model checkers write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
