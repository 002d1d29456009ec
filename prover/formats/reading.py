"""How a model is to be read: what an observer sees of it, and which of its states are secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction

from prover.errors import BadOptions, quoted
from prover.exact.given import Given

Names = str | Iterable[str]
"""Names in a text, with commas between them, or in a list."""

Constants = str | Mapping[str, Given | bool]
"""Values of constants, "N=3,p=1/2" or by their names."""

SecretNames = Names | Mapping[str, Iterable[Given | bool] | None]
"""Names of variables, or for each its initial values, None where the model says them."""

COLLAPSING = ("untimed", "silent")
"""The options that chains of every format have a use for."""


_SECRET = re.compile(r"\s*([A-Za-z_][\w.']*)\s*(?:=\s*\[([^\[\]]*)\])?\s*")
_VALUE = re.compile(r"-?[0-9]{1,18}|true|false")
_RANGE = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})")
_MOST_VALUES = 10_000


class ReadingNote(UserWarning):
    """A note about the reading of a model that its user should know; it is not an error."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Options for reading a model; those left out are None or False.

    The observer sees the values of the variables ``observe`` and the atomic propositions ``labels``.
    ``secret`` relates initial states that differ in these variables; the values of a variable, where there
    are any, are those of a parameter of code, or replace the one initial value that a program gives it.
    ``initial`` relates all initial states; ``secret_pairs`` is a file of pairs; ``related`` says which
    secrets of Python code are neighbours. ``normalise`` divides the rows of rounded files by their sums.
    ``const`` gives values to the constants of a program in the PRISM language or JANI. With ``untimed``, the
    observer sees the sequence of different labels, not how long each lasts; the observer does not see states
    of a ``silent`` label (``prover.collapse``). With ``refuse``, a state refuses the actions that only other
    states of its label offer (prover.formats.refusal).
    """

    observe: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    secret: Mapping[str, tuple[str, ...]] | None = None
    initial: bool = False
    secret_pairs: str | None = None
    normalise: bool = False
    const: str | None = None
    untimed: bool = False
    silent: tuple[str, ...] | None = None
    refuse: bool = False
    related: str | None = None
    lost: Fraction | None = field(default=None, kw_only=True)
    """With which probability runs may be lost, where a chain must be cut; None where nothing is said."""

    @classmethod
    def of(
        cls,
        observe: Names | None = None,
        labels: Names | None = None,
        secret: SecretNames | None = None,
        initial: bool = False,
        secret_pairs: str | os.PathLike[str] | None = None,
        normalise: bool = False,
        const: Constants | None = None,
        untimed: bool = False,
        silent: Names | None = None,
        refuse: bool = False,
        related: str | None = None,
    ) -> Reading:
        """The options as users give them; lists of names may be texts with commas. Raises BadOptions."""
        switches = {"initial": initial, "normalise": normalise, "untimed": untimed, "refuse": refuse}
        for name, given in switches.items():
            if not isinstance(given, bool | None):
                raise BadOptions(f"{name} must be true or false, not {given!r}")
        options = {
            "secret": secret,
            "initial": initial or None,
            "secret_pairs": secret_pairs,
            "related": related,
        }
        ways = [name for name, given in options.items() if given is not None]
        if len(ways) > 1 and ways != ["secret", "related"]:
            raise BadOptions(f"{' and '.join(ways[:2])} both choose the secrets; give one of them")
        if not isinstance(related, str | None):
            raise BadOptions(f'related must be words such as "differ in one", not {type(related).__name__}')
        return cls(
            observe=_names("observe", observe),
            labels=_names("labels", labels),
            secret=_secret(secret),
            initial=bool(initial),
            secret_pairs=None if secret_pairs is None else os.fspath(secret_pairs),
            normalise=bool(normalise),
            const=_constants(const),
            untimed=bool(untimed),
            silent=_labels(silent),
            refuse=bool(refuse),
            related=related,
        )

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of all options."""
        return tuple(option.name for option in fields(cls) if not option.kw_only)

    def only(self, wanted: Iterable[str], format_name: str) -> None:
        """Raises BadOptions where another option is given than those that a format has a use for."""
        allowed = set(wanted)
        for name in self.names():
            if name not in allowed and getattr(self, name) not in (None, False):
                raise BadOptions(f"{name} has no meaning for {format_name}; leave it out")

    def no_values(self, format_name: str) -> None:
        """Raises BadOptions where values of secrets are given to a format that has its own."""
        if any((self.secret or {}).values()):
            raise BadOptions(
                f"secret has values, which have no meaning for {format_name}; name the variables only"
            )


def _secret(given: object) -> Mapping[str, tuple[str, ...]] | None:
    """The values of every secret variable, none where the model says them."""
    if isinstance(given, Mapping):
        return {name: _values(name, () if values is None else values) for name, values in given.items()}
    if not isinstance(given, str) or "=" not in given:
        names = _names("secret", given)
        return None if names is None else dict.fromkeys(names, ())
    found: dict[str, tuple[str, ...]] = {}
    for part in re.split(r",(?![^\[]*\])", given):
        match = _SECRET.fullmatch(part)
        if match is None:
            raise BadOptions(
                f'secret is written "x,y" or, with values, "x=[0,1],y=[0..3]", not {quoted(part)}'
            )
        name, values = match.groups()
        found[name] = () if values is None else _values(name, values.split(","))
    return found


def _values(name: str, given: object) -> tuple[str, ...]:
    """The different values of a list, in which 0..3 are four; raises BadOptions."""
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [None]
    found: list[str] = []
    for value in listed:
        text = str(value).strip().lower()
        between = _RANGE.fullmatch(text)
        if between is not None and int(between[2]) - int(between[1]) < _MOST_VALUES:
            found += map(str, range(int(between[1]), int(between[2]) + 1))
        elif between is None and _VALUE.fullmatch(text):
            found.append(text)
        else:
            raise BadOptions(
                f"the values of secret {quoted(name)} must be whole numbers, ranges such as 0..3, or true "
                f"and false, at most {_MOST_VALUES:,}"
            )
    return tuple(dict.fromkeys(found))


def _labels(given: object) -> tuple[str, ...] | None:
    """The silent labels, which may be any texts; one text is one label."""
    if given is None:
        return None
    listed = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [None]
    labels = [label for label in listed if isinstance(label, str)]
    if len(labels) < len(listed):
        raise BadOptions("silent must be a label or a list of labels")
    return tuple(dict.fromkeys(labels)) or None


def _names(option: str, given: object) -> tuple[str, ...] | None:
    """The names of a list, which is a text with commas between them or holds them."""
    if given is None:
        return None
    if isinstance(given, str):
        listed: list[object] = [name.strip() for name in given.split(",")] if given.strip() else []
    elif isinstance(given, Iterable):
        listed = list(given)
    else:
        raise BadOptions(f"{option} must be names separated by commas, not {type(given).__name__}")
    names = []
    for name in listed:
        if not isinstance(name, str) or not name:
            raise BadOptions(f"{option} must be names separated by commas; one is missing or not a string")
        names.append(name)
    return tuple(dict.fromkeys(names))


def _constants(given: object) -> str | None:
    """``N=3,p=1/2`` from such a text, or from a mapping."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        if any(isinstance(value, float) for value in given.values()):
            raise BadOptions(
                'a constant is a float, which is not exact; write the number as a string, such as "1/10"'
            )
        return ",".join(
            f"{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in given.items()
        )
    raise BadOptions('const is written "N=3,p=1/2"')
