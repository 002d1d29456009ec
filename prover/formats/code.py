"""Functions in files of Python code that models are made of. Importing this module imports the language."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import NotSupported, in_file, shown
from prover.formats.explicit.secrets import pairs_in_file
from prover.formats.files import content_of, empty_file, named_in_code
from prover.formats.reading import COLLAPSING, Reading
from prover.language.files import function_in, model_in, secret_named
from prover.language.neighbours import Starts
from prover.language.protocol import NO_WORDS
from prover.language.written import Mechanism, Protocol
from prover.program.model import Program


def not_in_code(path: str) -> NotSupported:
    """Something is asked for that only code has."""
    return NotSupported(
        f"{shown(path)} is not Python code that can run; --simulate needs a mechanism or protocol in Python "
        "code, FILE.py:NAME",
        code="not-in-code",
    )


def function_of(path: str) -> Mechanism | Protocol:
    """The function that FILE.py:NAME names; raises NotSupported, and what reading raises."""
    named = named_in_code(path)
    if named is None:
        raise not_in_code(path)
    file, name = named
    with in_file(file):
        content = content_of(file)
        if not content.strip():
            raise empty_file()
    return function_in(content, name, file)


def is_protocol(path: str) -> bool:
    """Whether a path is FILE.py:NAME and names a protocol; raises what reading raises."""
    return named_in_code(path) is not None and isinstance(function_of(path), Protocol)


def model_of_code(
    path: str, reading: Reading, lost: Fraction | None
) -> tuple[LabelledMarkovChain | LabelledMarkovDecisionProcess | Program, tuple[str, ...]]:
    """The model that a function in a file of code is, and notes; if every step is seen it may be cut."""
    function = function_of(path)
    reading.only(("const", "secret", "related", "secret_pairs", *COLLAPSING), "Python code")
    values = (f"{name}=[{','.join(given)}]" for name, given in (reading.secret or {}).items() if given)
    const = ",".join(filter(None, (reading.const, *values))) or None
    file = reading.secret_pairs

    def pairs(starts: Starts) -> list[tuple[str, str]]:
        return pairs_in_file(str(file), starts, partial(secret_named, starts))

    secret = None if reading.secret is None else tuple(reading.secret)
    given = None if file is None else pairs
    may_cut = not (reading.untimed or reading.silent)
    model = model_in(function, const, secret, reading.related, given, lost if may_cut else None)
    silent = isinstance(model, LabelledMarkovChain) and {*model.labels} <= NO_WORDS
    return model, ("no run has an output: none reaches see(…)",) if silent else ()
