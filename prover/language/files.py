"""Mechanisms and protocols named on the command line as FILE.py:NAME; the file is read, never executed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import BadValue, in_file, quoted
from prover.language.errors import no_such_function, not_python
from prover.language.neighbours import Starts
from prover.language.reading.source import Source
from prover.language.values import number_in, written_value
from prover.language.written import Mechanism, Protocol, written
from prover.program.model import Program

_ITEM = re.compile(
    r"""\s*(?:(?P<open>[\[(])|"(?P<quoted>[^"]*)"|'(?P<single>[^']*)'|(?P<plain>[^,=\[\]()]+))\s*"""
)


def function_in(content: bytes, name: str | None, file: str | None) -> Mechanism | Protocol:
    """The mechanism or the protocol of a name, or the only one, in the content of a file.

    Raises BadDocument, UnknownName.
    """
    source = _source(content, file)
    if name is None:
        known = [*_kinds(source)]
        if len(known) != 1:
            with in_file(file):
                raise no_such_function(None, known)
        name = known[0]
    return written(source, source.named(name))


def _source(content: bytes, file: str | None) -> Source:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        with in_file(file):
            raise not_python("the file is not in UTF-8", None, None) from None
    return Source(text.replace("\r\n", "\n"), file)


def _kinds(source: Source) -> dict[str, str]:
    kinds = {name: source.kind(node) for name, node in source.functions.items()}
    return {name: kind[0] for name, kind in kinds.items() if kind is not None}


def model_in(
    function: Mechanism | Protocol,
    const: str | None,
    secret: Iterable[str] | None,
    related: str | None = None,
    pairs: Callable[[Starts], Sequence[tuple[str, str]]] | None = None,
    lost: Fraction | None = None,
) -> Program | LabelledMarkovChain | LabelledMarkovDecisionProcess:
    """The program of a mechanism, or the chain of a protocol whose secrets are related; the decision process
    of one that asks. The other options are those of ``Protocol.system``.

    Raises BadValue, and CodeError.
    """
    with in_file(function.source.file):
        given = constants_of(const or "")
        if isinstance(function, Protocol):
            return function.system(given, secret, related, pairs, lost=lost)
        if secret is not None or related is not None or pairs is not None:
            raise BadValue(f"{function.function.name} is a mechanism: only its queries are private")
    return function.program(given)


def secret_named(starts: Starts, text: str) -> str:
    """The secret that a text such as ``a=0,b=1`` writes, in any order; raises BadValue.

    >>> secret_named({"a=0, b=1": {"a": 0, "b": 1, "p": 3}}, "b=1,a=0")
    'a=0, b=1'
    """
    given = constants_of(text)
    order = dict.fromkeys([*next(iter(starts.values())), *given])
    name = ", ".join(f"{one}={written_value(given[one])}" for one in order if one in given)
    if name not in starts:
        raise BadValue(f"there is no secret {quoted(text)}; one is written {quoted(next(iter(starts)))}")
    return name


def constants_of(text: str) -> dict[str, Any]:
    """The constants in a text such as ``count=3,p=1/2,name=all,pair=(1,2),secret=[0,1]``.

        >>> constants_of("count=3,p=1/2,truth=[True,False]")
        {'count': 3, 'p': Fraction(1, 2), 'truth': [True, False]}

    Raises BadValue.
    """
    constants: dict[str, Any] = {}
    rest = text.strip()
    while rest:
        name, equals, rest = rest.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise BadValue(f"{quoted(text)} is not a constant; write name=value,name=value")
        if name in constants:
            raise BadValue(f"the constant {name} is given twice")
        constants[name], rest = _value(rest, text)
        rest = rest.strip()
        if rest and not rest.startswith(","):
            raise BadValue(f"{quoted(text)} is not a constant; write name=value,name=value")
        rest = rest[1:].strip()
    return constants


def _value(text: str, whole: str) -> tuple[Any, str]:
    """The value that a text begins with, and the rest of the text."""
    found = _ITEM.match(text)
    if found is None:
        raise BadValue(f"a value is missing in {quoted(whole)}")
    rest = text[found.end() :]
    if found["open"] is None:
        for kind in ("quoted", "single"):
            if found[kind] is not None:
                return found[kind], rest
        return _plain(found["plain"].strip()), rest
    close = "]" if found["open"] == "[" else ")"
    items = []
    while not rest.startswith(close):
        item, rest = _value(rest, whole)
        items.append(item)
        if rest.startswith(","):
            rest = rest[1:].lstrip()
        elif not rest.startswith(close):
            raise BadValue(f"{close} is missing in {quoted(whole)}")
    return (items if close == "]" else tuple(items)), rest[1:]


def _plain(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = number_in(text)
    return text if number is None else number
