"""Chains and decision processes in models that stormpy or stormvogel have built.

They are recognised by what they offer, so that neither library has to be there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.errors import BadDocument, BadInput, InvalidModel, quoted
from prover.exact.meanings import Meanings
from prover.exact.rational import parse_rational
from prover.formats.explicit.chain import (
    DEADLOCK,
    INITIAL,
    ExplicitChain,
    checked_rows,
    no_state,
)
from prover.formats.explicit.lines import not_a_markov_chain
from prover.formats.explicit.process import NAMELESS, Explicit, ExplicitProcess, NamedRow, checked_choices

DTMC, MDP = "DTMC", "MDP"


def not_exact() -> InvalidModel:
    """A model that a library has built holds floating-point numbers."""
    return InvalidModel(
        "the probabilities of this model are floats, which are not exact; build it with exact numbers, with "
        "stormpy.build_model[stormpy.Rational] or with Fractions",
        code="not-exact",
    )


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


def check_kind(model: Any, what: str, wanted: tuple[str, ...] = (DTMC, MDP)) -> str:
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
    """What is held in the library is fetched a row, a label or a variable at a time: each call costs far more
    than what it fetches.
    """
    kind = check_kind(model, "a model")
    states = range(model.nr_states)
    if not states:
        raise no_state()
    variables: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    if _plain(model.has_state_valuations):
        variables, values = _valuations(model.state_valuations)
    labelling = model.labeling  # which a library may copy whenever it is asked
    propositions = tuple(_holding(labelling.get_labels(), labelling.get_states, len(states)))
    described = propositions, tuple(sorted(model.initial_states)), variables, values
    remarks = tuple(_deadlocks(propositions))
    matrix = model.transition_matrix
    rows = _rows(matrix, is_exact=_plain(model.is_exact))
    if kind == DTMC:
        checked, notes = checked_rows(rows, normalise=normalise)
        return ExplicitChain(*described, notes=(*notes, *remarks), rows=checked)
    choices, notes = checked_choices(list(_choices(model, matrix, rows)), normalise=normalise)
    return ExplicitProcess(*described, notes=(*notes, *remarks), choices=choices)


def _holding(
    labels: Iterable[str], places_of: Callable[[str], Iterable[int]], count: int
) -> Iterator[tuple[str, ...]]:
    """The labels of each of the places 0, …, ``count`` − 1, sorted; equal ones are one object."""
    ordered = sorted(labels)
    codes = [0] * count  # the sets of labels, as bits
    for bit, label in enumerate(ordered):
        for place in places_of(label):
            codes[place] |= 1 << bit
    names = Meanings[tuple[str, ...]](
        lambda code: tuple(label for bit, label in enumerate(ordered) if code >> bit & 1)
    )
    return map(names.__getitem__, codes)


def _valuations(valuations: Any) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The variables, and the texts of their values in each state."""
    known = sorted(valuations.get_all_variables(), key=lambda variable: str(variable.name))
    columns = [valuations.get_values_states(variable) for variable in known]
    texts = [map(Meanings(value_text).__getitem__, column) for column in columns]
    return tuple(str(variable.name) for variable in known), tuple(zip(*texts, strict=True))


def _choices(model: Any, matrix: Any, rows: Sequence[dict[int, Fraction]]) -> Iterator[list[NamedRow]]:
    """What can be done in each state of a process, by the labels of its choices, if they have any."""
    names = [NAMELESS] * len(rows)
    if _plain(model.has_choice_labeling):
        labelling = model.choice_labeling
        names = [
            ",".join(found) or NAMELESS
            for found in _holding(labelling.get_labels(), labelling.get_choices, len(rows))
        ]
    named: list[NamedRow] = list(zip(names, rows, strict=True))
    for state in range(model.nr_states):
        yield named[matrix.get_row_group_start(state) : matrix.get_row_group_end(state)]


def _rows(matrix: Any, *, is_exact: bool) -> list[dict[int, Fraction]]:
    """The rows of a matrix. Exact numbers are read from the text of a row, each text of a number once; other
    numbers are not written in full.
    """
    places = range(matrix.nr_rows)
    if not is_exact:
        return [{entry.column: _exact(entry.value) for entry in matrix.get_row(place)} for place in places]
    numbers = Meanings(_last_in_entry)
    return [_written_row(text, numbers) for text in map(matrix.print_row, places)]


def _written_row(text: str, numbers: Mapping[str, Fraction]) -> dict[int, Fraction]:
    """The row of a text such as ``(0, 1/6), (4, 5/6), ``, where ``numbers`` knows what ``1/6)`` is."""
    *fields, rest = text.replace("(", "").split(", ")
    if rest or len(fields) % 2:
        raise not_exact()
    return dict(zip(map(int, fields[::2]), map(numbers.__getitem__, fields[1::2]), strict=True))


def _last_in_entry(text: str) -> Fraction:
    """The number that stands before the parenthesis."""
    if not text.endswith(")"):
        raise not_exact()
    return _exact(text[:-1])


def _of_stormvogel(model: Any, normalise: bool) -> ExplicitChain:
    check_kind(model, "a model of stormvogel", (DTMC,))
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
