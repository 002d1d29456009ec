"""The file formats of model checkers, by their extensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from prover.errors import in_file
from prover.formats.explicit.drn import read_drn
from prover.formats.explicit.prism import Companion, read_combined, read_prism
from prover.formats.explicit.process import Explicit
from prover.formats.explicit.storm import EXTENSIONS as PROGRAMS
from prover.formats.explicit.storm import read_program
from prover.formats.explicit.umb import read_umb
from prover.formats.files import companions, content_of
from prover.formats.reading import COLLAPSING, Reading
from prover.formats.strict_json import decoded

Reader = Callable[[bytes, str, Reading], Explicit]
"""Reads a chain or a process from the content and the name of a file."""

VIEW = ("observe", "labels", "secret", "initial", "secret_pairs", "normalise", *COLLAPSING)
"""The options that the chains of model checkers have a use for; programs have ``const``, too."""


def read_explicit(content: bytes, name: str, reading: Reading) -> Explicit:
    """The chain or the process in a file of one of ``READERS``, before it is decided what is observed.

    Raises BadOptions and what the reader of the format raises.
    """
    extension = Path(name).suffix.lower()
    if extension in PROGRAMS:
        reading.only((*VIEW, "const"), "a program")
    else:
        reading.only(VIEW, "a file of states and transitions")
    return READERS[extension](content, name, reading)


def _drn(content: bytes, name: str, reading: Reading) -> Explicit:
    del name
    return read_drn(decoded(content), normalise=reading.normalise)


def _pexp(content: bytes, name: str, reading: Reading) -> Explicit:
    del name
    return read_combined(decoded(content), normalise=reading.normalise)


def _tra(content: bytes, name: str, reading: Reading) -> Explicit:
    beside: list[Companion | None] = []
    for path in companions(name):
        if Path(path).exists():
            with in_file(path):
                beside.append(Companion(path, decoded(content_of(path))))
        else:
            beside.append(None)
    return read_prism(decoded(content), *beside, normalise=reading.normalise)


def _program(content: bytes, name: str, reading: Reading) -> Explicit:
    del content  # Storm opens the file itself
    return read_program(name, reading.const, normalise=reading.normalise)


def _umb(content: bytes, name: str, reading: Reading) -> Explicit:
    del content  # umbi opens the file itself
    return read_umb(name, normalise=reading.normalise)


READERS: Mapping[str, Reader] = {
    ".drn": _drn,
    ".pexp": _pexp,
    ".tra": _tra,
    ".umb": _umb,
    **dict.fromkeys(PROGRAMS, _program),
}
"""The formats that are read."""
