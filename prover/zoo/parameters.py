"""What can be wrong with a request to the zoo, and the checks of parameters that its models share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from prover.chain.model import Number
from prover.errors import BadInput, BadValue, NotSupported, UnknownName, did_you_mean, quoted
from prover.exact.rational import format_rational, parse_rational

ChainRow = Mapping[str, Number]
"""The probabilities of a state's successors."""

_WHOLE = re.compile(r"-?[0-9]{1,12}")


class UnknownModel(UnknownName):
    """The zoo has no model of this name."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        hint = did_you_mean(name, known)
        super().__init__(f"the zoo has no model {quoted(name)}; {hint}it has {', '.join(known)}")


class WrongKind(NotSupported):
    """The model is of another kind than the one that is expected."""

    def __init__(self, name: str, found: str, wanted: str) -> None:
        super().__init__(f"{name} is a {found}, but a {wanted} is expected")


class UnknownParameter(UnknownName):
    """A model of the zoo has no parameter of this name."""

    def __init__(self, model: str, name: str, known: tuple[str, ...]) -> None:
        have = f"its parameters are {', '.join(known)}" if known else "it has none"
        super().__init__(f"{model} has no parameter {quoted(name)}; {did_you_mean(name, known)}{have}")


class BadParameter(BadValue):
    """The model cannot be built with this value of a parameter."""

    def __init__(self, name: str, given: object, wanted: str) -> None:
        if isinstance(given, int | Fraction) and not isinstance(given, bool):
            given = format_rational(Fraction(given))
        found = quoted(given) if isinstance(given, str) else f"of type {type(given).__name__}"
        super().__init__(f"parameter {name} is {found}; it must be {wanted}")


def whole_number(name: str, text: str) -> int:
    """The integer that ``text`` writes; raises BadParameter."""
    if _WHOLE.fullmatch(text) is None:
        raise BadParameter(name, text, "a whole number of at most 12 digits")
    return int(text)


def number(name: str, given: Number, wanted: str) -> Fraction:
    """A parameter's exact value; raises BadParameter, which says that it must be ``wanted``."""
    if isinstance(given, str):
        try:
            return parse_rational(given)
        except BadInput as error:
            raise BadParameter(name, given, wanted) from error
    if isinstance(given, bool) or not isinstance(given, int | Fraction):
        raise BadParameter(name, given, wanted)
    return Fraction(given)


def positive(name: str, given: Number) -> Fraction:
    """A parameter's value above 0; raises BadParameter."""
    wanted = "a number above 0"
    value = number(name, given, wanted)
    if value <= 0:
        raise BadParameter(name, given, wanted)
    return value


def probability(name: str, given: Number) -> Fraction:
    """A parameter's value between 0 and 1; raises BadParameter."""
    wanted = "a number between 0 and 1"
    value = number(name, given, wanted)
    if not 0 <= value <= 1:
        raise BadParameter(name, given, wanted)
    return value


def check_size(name: str, given: int, most: int) -> None:
    """Raises BadParameter unless 1 ≤ ``given`` ≤ ``most``."""
    if not 1 <= given <= most:
        raise BadParameter(name, given, f"between 1 and {most}")


def check_choice(name: str, given: str, choices: tuple[str, ...]) -> None:
    """Raises BadParameter unless ``given`` is one of ``choices``."""
    if given not in choices:
        raise BadParameter(name, given, " or ".join(choices))
