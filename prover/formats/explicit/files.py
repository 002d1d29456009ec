"""The file formats of model checkers, by their extensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from prover.errors import BadDocument, in_file
from prover.formats.explicit.drn import read_drn
from prover.formats.explicit.prism import Companion, read_combined, read_prism
from prover.formats.explicit.process import Explicit
from prover.formats.explicit.storm import EXTENSIONS as PROGRAMS
from prover.formats.explicit.storm import PRISM, read_program
from prover.formats.explicit.umb import read_umb
from prover.formats.files import GZ, companions, content_of, is_compressed, suffix
from prover.formats.reading import COLLAPSING, Reading
from prover.formats.strict_json import decoded

Reader = Callable[[bytes, str, Reading], Explicit]
"""Reads a chain or a process from the content and the name of a file."""

VIEW = ("observe", "labels", "secret", "initial", "secret_pairs", "normalise", "refuse", *COLLAPSING)
"""The options that the chains of model checkers have a use for; programs have ``const``, too."""


def read_explicit(content: bytes, name: str, reading: Reading) -> Explicit:
    """The chain or the process in a file of one of ``READERS``, before it is decided what is observed.

    Raises BadOptions and what the reader of the format raises.
    """
    extension = suffix(name).lower()
    if extension not in PRISM:
        reading.no_values("a model that is no program in the PRISM language")
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
    for plain in companions(name):
        path = plain if Path(plain).exists() else plain + GZ
        if Path(path).exists():
            with in_file(path):
                beside.append(Companion(path, decoded(content_of(path))))
        else:
            beside.append(None)
    return read_prism(decoded(content), *beside, normalise=reading.normalise)


def _program(content: bytes, name: str, reading: Reading) -> Explicit:
    if not is_compressed(name):  # Storm opens the file itself
        return read_program(name, reading.const, reading.secret, normalise=reading.normalise)
    with TemporaryDirectory() as folder:
        path = Path(folder, f"program{suffix(name).lower()}")
        path.write_bytes(content)
        return read_program(str(path), reading.const, reading.secret, normalise=reading.normalise)


def _umb(content: bytes, name: str, reading: Reading) -> Explicit:
    del content  # umbi opens the file itself
    if is_compressed(name):
        raise BadDocument("UMB files are compressed already; leave .gz out", code="unknown-extension")
    return read_umb(name, normalise=reading.normalise)


READERS: Mapping[str, Reader] = {
    ".drn": _drn,
    ".pexp": _pexp,
    ".tra": _tra,
    ".umb": _umb,
    **dict.fromkeys(PROGRAMS, _program),
}
"""The formats that are read."""
