"""What may stand where the cursor is: the functions that click asks, each for parameters of one kind.

Nobody has asked for an answer yet. So nothing here fails, whatever the files hold: what cannot be read in a
moment completes to nothing. Python code is read, never executed.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prover.errors import short_name

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from prover.formats.load import Model
    from prover.formats.reading import Reading

_MOMENT = 1
"""Seconds of a processor after which a model is not read any further."""

_PATIENCE = 5.0
"""The same on the clock, where other work takes the processor."""

_MOST = 1000
"""How many names of states are shown at most."""

Candidates = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]
"""What a parameter of a command may be, by how its text begins."""


def _never_failing(candidates: Candidates) -> Candidates:
    """The same, and nothing where something is wrong: a shell has no place for errors between two words."""

    @wraps(candidates)
    def found(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
        try:
            return candidates(context, parameter, text)
        except Exception:  # noqa: BLE001  the command itself will say what is wrong, once it is called
            return []

    return found


def files(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """Files, which the shell itself finds."""
    del context, parameter
    return [_item(text, kind="file")]


def folders(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """Folders, which the shell itself finds."""
    del context, parameter
    return [_item(text, kind="dir")]


@_never_failing
def models(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """Files; after FILE.py: the mechanisms and protocols in the file."""
    file, colon, name = text.rpartition(":")
    if not colon or not file.lower().endswith(".py"):
        return files(context, parameter, text)
    from prover.language.files import functions_in

    kinds = functions_in(Path(file).expanduser().read_bytes(), file)
    return _beginning(name, kinds, before=f"{file}:")


@_never_failing
def states(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """The states of the model that the command is about, those that are related first."""
    del parameter
    return _beginning(text, _of_model(context, _states))[:_MOST]


@_never_failing
def labels(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """The labels of the model that the command is about."""
    del parameter
    return _beginning(text, _of_model(context, _labels))


@_never_failing
def variables(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """The variables of the model that the command is about, or the parameters of its code; one after the
    other, with commas between them.
    """
    del parameter
    return _in_list(text, _in_a_moment(lambda: _variables(_model_of(context), _reading_of(context))))


@_never_failing
def propositions(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """The atomic propositions of the model that the command is about, with commas between them."""
    del parameter
    return _in_list(text, _in_a_moment(lambda: _propositions(_model_of(context), _reading_of(context))))


@_never_failing
def constants(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """The public parameters of the code that the command is about, each with = behind it."""
    del parameter
    from prover.formats.load import function_of

    public = [one.name for one in function_of(_model_of(context)).parameters() if one.kind == "constant"]
    return _in_list(text, {f"{name}=": "" for name in public})


@_never_failing
def zoo_models(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """The models of the zoo."""
    del context, parameter
    from prover import zoo

    return _beginning(text, {name: zoo.description_of(name) for name in zoo.NAMES})


@_never_failing
def zoo_parameters(
    context: click.Context, parameter: click.Parameter, text: str
) -> list[CompletionItem[str]]:
    """The parameters of a model of the zoo that are not given yet, with their defaults."""
    del parameter
    from prover import zoo

    given = {one.partition("=")[0] for one in context.params.get("parameters") or ()}
    defaults = zoo.parameters_of(context.params["name"])
    return _beginning(text, {f"{name}={value}": "" for name, value in defaults.items() if name not in given})


@_never_failing
def mechanisms(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """The mechanisms of the gallery that are not named yet."""
    del parameter
    from prover.gallery.index import gallery

    named = context.params.get("names") or ()
    return _beginning(text, {entry.name: entry.title for entry in gallery() if entry.name not in named})


@_never_failing
def problems(context: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem[str]]:
    """The problems of ``prover encode``."""
    del context, parameter
    from prover.encoding import CHAIN, PROGRAM
    from prover.encoding import problems as of_kind

    return _beginning(text, {**of_kind(CHAIN), **of_kind(PROGRAM)})


def _item(value: str, *, kind: str = "plain", told: str = "") -> CompletionItem[str]:
    from click.shell_completion import CompletionItem

    return CompletionItem(value, type=kind, help=told or None)


def _beginning(text: str, known: Mapping[str, str], before: str = "") -> list[CompletionItem[str]]:
    """The known names that begin with the text, each with what is told of it."""
    return [
        _item(before + name, told=told)
        for name, told in known.items()
        if name.startswith(text) and name.isprintable()
    ]


def _in_list(text: str, known: Mapping[str, str]) -> list[CompletionItem[str]]:
    """The known names that go on with a list with commas, without those that are in it."""
    listed, comma, last = text.rpartition(",")
    there = {item.partition("=")[0].strip() for item in listed.split(",")}
    left = {name: told for name, told in known.items() if name.removesuffix("=") not in there}
    return _beginning(last, left, before=listed + comma)


def _model_of(context: click.Context) -> str:
    """The path of the model, which stands before the cursor; raises LookupError."""
    first = next(one.name or "" for one in context.command.params if isinstance(one, click.Argument))
    given = context.params.get("model") or context.params.get(first)
    if not given:  # click has not looked at arguments, as the last option has no value yet
        given = tuple(context.args)
    path = given[0] if isinstance(given, tuple) and given else given
    if not isinstance(path, str) or not _is_file(path):
        raise LookupError(path)
    return str(Path(path).expanduser())


def _is_file(path: str) -> bool:
    """Whether there is a file: nobody waits for a pipe."""
    from prover.language.files import named_in_code

    return Path((named_in_code(path) or (path,))[0]).expanduser().is_file()


def _reading_of(context: click.Context) -> dict[str, Any]:
    from prover.formats.reading import Reading

    given = {name: context.params.get(name) for name in Reading.names()}
    return {name: value for name, value in given.items() if value not in (None, False, ())}


def _of_model(
    context: click.Context, names: Callable[[Model], Iterable[tuple[str, str]]]
) -> Mapping[str, str]:
    """What can be named of the model."""
    path, reading = _model_of(context), _reading_of(context)

    def read() -> Mapping[str, str]:
        from prover.formats.load import load

        return dict(names(load(path, on_note=lambda _: None, **reading)))

    return _in_a_moment(read)


def _in_a_moment(read: Callable[[], Mapping[str, str]]) -> Mapping[str, str]:
    """What is read in a process that has a moment for it; nothing if it takes longer."""
    from prover.cli.worker import run

    def limited(*_: object) -> Mapping[str, str]:
        resource.setrlimit(resource.RLIMIT_CPU, (_MOMENT, _MOMENT))
        return read()

    return run(limited, _PATIENCE).result or {}


def _states(model: Model) -> Iterable[tuple[str, str]]:
    from prover.program.model import Program

    if isinstance(model, Program):
        return
    related = [state for pair in model.relation for state in pair]
    for state in dict.fromkeys((*related, *range(len(model)))):
        label = short_name(model.labels[state])
        yield model.states[state], f"label {label}" if label else ""


def _labels(model: Model) -> Iterable[tuple[str, str]]:
    from prover.program.model import Program

    if not isinstance(model, Program):
        yield from ((label, "") for label in sorted({*model.labels}))


def _variables(path: str, reading: Mapping[str, Any]) -> Mapping[str, str]:
    from prover.formats.load import function_of, load_explicit
    from prover.language.files import named_in_code

    if named_in_code(path):
        return {one.name: "" for one in function_of(path).parameters()}
    chain = load_explicit(path, _of_explicit(reading))
    return {} if chain is None else dict.fromkeys(chain.variables, "")


def _propositions(path: str, reading: Mapping[str, Any]) -> Mapping[str, str]:
    from prover.formats.load import load_explicit

    chain = load_explicit(path, _of_explicit(reading))
    return {} if chain is None else {name: "" for held in chain.propositions for name in held}


def _of_explicit(reading: Mapping[str, Any]) -> Reading:
    from prover.formats.reading import Reading

    return Reading.of(normalise=reading.get("normalise", False), const=reading.get("const"))
