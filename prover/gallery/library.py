"""The libraries themselves, where they are installed: which of them can run, and the programs that do."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import as_file
from typing import Any

from prover.errors import NotInstalled, NotSupported
from prover.gallery.index import GalleryEntry, Library, folder

REPLAY = "replay"
"""The folder beside the list with a program NAME.py for each mechanism whose library is on the registry."""


@dataclass(frozen=True, slots=True)
class LibraryScript:
    """A library on two inputs: the data of each side by its name, ε and δ as it declares them, and a run.

    The names are those of two secrets of a chain, or input and neighbour for the run of a threshold program.
    A run of the library gives what is seen, in the words of the model; None if it only computes numbers.
    """

    version: str
    inputs: Mapping[str, Any]
    declared: Callable[[], tuple[float, float]]
    release: Callable[[Any], Sequence[str]] | None


def runnable(entry: GalleryEntry) -> str:
    """The version of the entry's library that is installed, if it is one that the entry is about.

    Raises NotSupported if no package of the registry has the mechanism, and NotInstalled.
    """
    library = entry.library
    if library is None:
        raise NotSupported(
            f"{entry.name} is cited only: no package of the registry runs it", code="not-on-registry"
        )
    try:
        found = version(library.name)
    except PackageNotFoundError:
        raise NotInstalled(
            f"{entry.name} needs {library.name}, which is not installed: {setup(entry.name, library)}",
            code="no-library",
        ) from None
    if not _number(library.first) <= _number(found) <= _number(library.last):
        raise NotInstalled(
            f"{entry.name} is about {versions(library)}, and {found} is installed: "
            f"{setup(entry.name, library)}",
            code="no-library",
        )
    return found


def versions(library: Library) -> str:
    """The versions that are concerned, in words."""
    if library.first == library.last:
        return f"{library.name} {library.first}"
    return f"{library.name} {library.first} to {library.last}"


def setup(name: str, library: Library) -> str:
    """The commands that replay the mechanism, with the library at the last version that is concerned.

    The extra pins one version of some libraries. Others run in an environment of their own, because libraries
    may need different versions of one another.
    """
    wanted = f"{library.name}=={library.last}"
    if any(re.match(rf"{re.escape(wanted)}(;|\s|$)", line) for line in _pinned()):
        return f"python -m pip install 'privacy-prover[gallery]' && prover gallery {name} --replay"
    own = f"{library.name}-{library.last}"
    return (
        f"python -m venv {own} && {own}/bin/python -m pip install privacy-prover '{wanted}' && "
        f"{own}/bin/prover gallery {name} --replay"
    )


def script_of(entry: GalleryEntry) -> LibraryScript:
    """The program that runs the entry's library. Raises what ``runnable`` raises, and NotInstalled."""
    found = runnable(entry)
    try:
        with as_file(folder() / REPLAY / f"{entry.name}.py") as path:
            names = runpy.run_path(str(path))
    except ImportError as error:
        raise NotInstalled(
            f"{entry.name}: its library is installed and cannot be imported: {error}", code="no-library"
        ) from error
    return LibraryScript(found, names["INPUTS"], names["declared"], names.get("release"))


def _pinned() -> Sequence[str]:
    """What this package and its extras require; nothing where it runs without being installed."""
    try:
        return requires("privacy-prover") or ()
    except PackageNotFoundError:
        return ()


def _number(text: str) -> tuple[int, ...]:
    """The version without what is appended to a release, such as .dev1."""
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[^\d.]", text)[0]))
