"""Chains in UMB, the binary format that model checkers share, through the library umbi.

umbi is an extra (``privacy-prover[umb]``); versions before 0.2.14 have another interface. What it cannot
write, such as numbers of more than 64 bits, is refused.
"""

from __future__ import annotations

import importlib
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prover.errors import NotInstalled, Unwritable
from prover.formats.explicit.built import not_exact, value_text
from prover.formats.explicit.chain import INITIAL, ExplicitChain, checked_rows, no_state
from prover.formats.explicit.lines import not_a_markov_chain
from prover.formats.explicit.storm import refusal


def umb_missing() -> NotInstalled:
    """A .umb file is to be read or written, and umbi is not installed, or is too old."""
    return NotInstalled(
        "UMB files need umbi 0.2.14 or later, which is not installed: install the extra, "
        "privacy-prover[umb] (Python 3.12 or later)",
        code="umb-missing",
    )


def read_umb(path: str, *, normalise: bool = False) -> ExplicitChain:
    """The chain in a .umb file.

    Raises NotInstalled, BadDocument, Unwritable, InvalidModel.
    """
    ats = _ats()
    try:
        model: Any = ats.read(path)
        model.validate()
    except Exception as error:
        raise refusal("umbi", "umb-refuses", error) from error
    if str(model.time.value) != "discrete" or model.num_players > 1:
        raise not_a_markov_chain("a model in continuous time, or of several players")
    states = range(model.num_states)
    if not states:
        raise no_state()
    rows, notes = checked_rows([_row(model, state) for state in states], normalise=normalise)
    variables, values = _valuations(model)
    return ExplicitChain(
        _propositions(model),
        tuple(state for state in states if model.state_is_initial[state]),
        variables,
        values,
        notes=notes,
        rows=rows,
    )


def umb_bytes(chain: ExplicitChain) -> bytes:
    """The .umb file of a chain; raises NotInstalled, Unwritable, BadDocument."""
    ats = _ats()
    if chain.relation is not None:
        raise Unwritable(
            "UMB files have no relation except all pairs of initial states; write .drn or .json",
            code="not-in-umb",
        )
    if chain.names:
        raise Unwritable(
            'UMB files have no names of states except numbers and values, "b=true,x=0"; write .drn',
            code="not-in-umb",
        )
    model: Any = ats.SimpleAts()
    try:
        model.num_states = len(chain)
        model.initial_states = list(chain.initial)
        for state, row in enumerate(chain.rows):
            model.new_choice(state=state, targets=list(row), probs=[Fraction(p) for p in row.values()])
        propositions = sorted({name for holding in chain.propositions for name in holding} - {INITIAL})
        for number, name in enumerate(propositions):
            annotation = model.new_ap_annotation(name=f"l{number}", alias=name)
            annotation.state_values = [name in holding for holding in chain.propositions]
        columns = {name: [values[k] for values in chain.values] for k, name in enumerate(chain.variables)}
        if columns:
            valuations = model.add_variable_valuations().add_valuations_for(ats.EntityClass.STATES)
            for name, texts in columns.items():
                variable = valuations.new_variable(name)
                valuations.get_variable_valuations(variable).values = _typed(texts)
            valuations.sync_domains()
        with TemporaryDirectory() as folder:
            path = Path(folder, "model.umb")
            ats.write(model, path)
            return path.read_bytes()
    except OverflowError:
        raise Unwritable(
            "umbi does not write numbers of more than 64 bits; write .drn or .json", code="not-in-umb"
        ) from None
    except Exception as error:
        raise refusal("umbi", "umb-refuses", error) from error


def _ats() -> Any:
    """The part of umbi for annotated transition systems, in a version that is known."""
    try:
        ats = importlib.import_module("umbi.ats")
    except ImportError:
        raise umb_missing() from None
    if not hasattr(ats, "SimpleAts"):
        raise umb_missing()
    return ats


def _row(model: Any, state: int) -> dict[int, Fraction]:
    choices = list(model.get_state_choices(state))
    if len(choices) > 1:
        raise Unwritable(
            "choices between actions are not read from UMB files; give the model as .drn or .tra",
            code="not-in-umb",
        )
    row: dict[int, Fraction] = {}
    for choice in choices:
        for branch in model.get_choice_branches(choice):
            number = model.branch_to_probability[branch]
            if not isinstance(number, int | Fraction):
                raise not_exact()
            target = model.branch_to_target[branch]
            row[target] = row.get(target, Fraction(0)) + number
    return row


def _propositions(model: Any) -> tuple[tuple[str, ...], ...]:
    holding: list[list[str]] = [
        [INITIAL] if model.state_is_initial[state] else [] for state in range(model.num_states)
    ]
    annotations = model.ap_annotations.values() if model.has_ap_annotations else ()
    for annotation in annotations:
        if annotation.has_state_values:
            name = str(annotation.alias or annotation.name)
            for state, holds in enumerate(annotation.state_values):
                if holds and name not in holding[state]:
                    holding[state].append(name)
    return tuple(tuple(sorted(names)) for names in holding)


def _valuations(model: Any) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The variables and their values in each state."""
    if not (model.has_variable_valuations and model.variable_valuations.has_state_valuations):
        return (), ()
    found = model.variable_valuations.state_valuations
    columns = {
        str(variable.name): [value_text(v) for v in found.get_variable_valuations(variable).values]
        for variable in found.variables
    }
    return tuple(columns), tuple(zip(*columns.values(), strict=True))


def _typed(texts: list[str]) -> list[Any]:
    """The values as truths or integers, if all of them are, and else as texts."""
    if set(texts) <= {"true", "false"}:
        return [text == "true" for text in texts]
    if all(text.removeprefix("-").isdecimal() and str(int(text)) == text for text in texts):
        return [int(text) for text in texts]
    return list(texts)
