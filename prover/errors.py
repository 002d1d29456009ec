"""The two kinds of failure: the user's input is at fault, or this program is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

LONGEST_SHOWN = 60
"""Texts with more characters than this are abbreviated in messages."""


_MODELS = frozenset(("a LabelledMarkovChain", "a LabelledMarkovDecisionProcess", "a Program"))
_NAMES = {
    "bool": "true or false", "bytes": "bytes", "float": "a float", "int": "an integer", "list": "a list",
    "str": "a string", "Callable": "a function", "Iterable": "a collection", "Mapping": "a mapping",
    "PathLike": "a path", "Sequence": "a sequence",
}  # fmt: skip
"""What messages call types."""


class BadInput(ValueError):
    """The input is wrong (exit status 2).

    ``file`` is the name of the wrong file; ``line`` and ``column`` (from 1), or ``path``, are the place in
    it; each is ``None`` if it is not known. ``path`` is a JSON path such as ``$.states["s0"].next["s1"]``.
    The message quotes the wrong text and names what would be right; ``str`` puts the place before it.
    ``code`` names the broken rule, such as ``row-sum``. The classes below are families of such rules.

        >>> import prover
        >>> try:
        ...     prover.load("no-such-file.json")
        ... except BadInput as error:
        ...     print(error)
        no-such-file.json: no such file
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or re.sub(r"\B(?=[A-Z])", "-", type(self).__name__).lower()
        self.file = file
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        parts = []
        if self.file is not None:
            parts.append(shown(self.file) or '""')
        if self.line is not None:
            column = "" if self.column is None else f", column {self.column}"
            parts.append(f"line {self.line}{column}")
        if self.path is not None:
            parts.append(self.path)
        return ": ".join([*parts, self.message])

    def __reduce__(self) -> tuple[Callable[..., BadInput], tuple[object, ...]]:
        # Errors travel between processes; a subclass cannot be called with ``args``, which is its message.
        return _restored, (type(self), self.args, self.__dict__)


class WrongArgument(BadInput, TypeError):
    """An argument of a function has a wrong type."""

    def __init__(self, name: str, wanted: str, given: object) -> None:
        is_model = _MODELS.issuperset(wanted.split(" or "))
        hint = "; prover.load reads models from files" if is_model and isinstance(given, str) else ""
        super().__init__(f"{name} must be {wanted}, not {_described(given)}{hint}")


class BadValue(BadInput):
    """A number or another value is malformed, or is not allowed there."""


class UnknownName(BadInput):
    """A name is not known."""


class BadOptions(BadInput):
    """Options or arguments are missing, superfluous, or contradict each other."""


class NotSupported(BadInput):
    """A question has no meaning for this model, or this program cannot answer it."""


class BeyondLimit(BadInput):
    """A number exceeds the limit that the message states."""


class InvalidModel(BadInput):
    """A model breaks a rule that all models of its kind keep."""


class BadDocument(BadInput):
    """A file cannot be read, or breaks the rules of its format."""


class Unwritable(BadInput):
    """A file cannot be written there, or cannot hold what is to be written."""


class NotInstalled(BadInput):
    """A library or a service that is needed is missing."""


class Fault(RuntimeError):
    """This program has a fault: a condition that it relies on does not hold (exit status 70)."""


def _restored(kind: type[BadInput], arguments: tuple[object, ...], state: dict[str, Any]) -> BadInput:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


@contextmanager
def in_file(file: str | None) -> Iterator[None]:
    """Names ``file`` in every BadInput that passes and does not name a file yet."""
    try:
        yield
    except BadInput as error:
        if error.file is None:
            error.file = file
        raise


def must_be(kind: Any, /, **given: object) -> None:
    """Refuse arguments, given by their names, that are not of this type, or of one of these types.

    True and False are no integers here. Raises WrongArgument.

    >>> must_be(int, count=2)
    >>> must_be(int, count=0.5)
    Traceback (most recent call last):
    prover.errors.WrongArgument: count must be an integer, not a float
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    for name, value in given.items():
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = " or ".join(dict.fromkeys(_NAMES.get(k.__name__, f"a {k.__name__}") for k in kinds))
            raise WrongArgument(name, wanted, value)


def _described(value: object) -> str:
    if value is None:
        return "None"
    return _NAMES.get(type(value).__name__, f"a {type(value).__name__}")


def abbreviated(text: str) -> str:
    """``text``, its middle left out where it is longer than ``LONGEST_SHOWN`` characters."""
    if len(text) <= LONGEST_SHOWN:
        return text
    kept = LONGEST_SHOWN // 3
    return f"{text[:kept]}…{text[-kept:]} ({len(text)} characters)"


def shown(text: str) -> str:
    """``text`` with every character escaped that does not print: no name can forge or break a line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


EMPTY = "‹empty›"
"""What answers write in place of a name that is empty."""


def short_name(text: str) -> str:
    """``text``, abbreviated and escaped, as answers name states and labels."""
    return shown(abbreviated(text)) or EMPTY


def quoted(text: object) -> str:
    """``text``, abbreviated and between quotation marks, as messages quote what they were given.

    What is no text, though one was wanted, is quoted as Python writes it, without quotation marks.
    """
    if not isinstance(text, str):
        return shown(abbreviated(repr(text)))
    return '"' + shown(abbreviated(text).replace("\\", "\\\\").replace('"', '\\"')) + '"'


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question after the one known name that a misspelt one is near to, such as ``"did you mean q3? "``.

    It is empty if no name is near. Near is what is written otherwise in capitals, what alone begins like the
    name, and else the most similar one, if that is similar enough.
    """
    from difflib import get_close_matches

    given, folded = name.casefold(), {one.casefold(): one for one in known}
    longer = [one for one in folded if given and one.startswith(given)]
    near = longer if len(longer) == 1 else get_close_matches(given[:LONGEST_SHOWN], folded, n=1, cutoff=0.66)
    return f"did you mean {shown(abbreviated(folded[near[0]]))}? " if near else ""
