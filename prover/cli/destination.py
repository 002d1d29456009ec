"""Where files are to be written, looked at before the long work that goes into them."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from prover.certificate.schema import write_together
from prover.errors import Unwritable, shown
from prover.formats.files import companions

STANDARD = "-"
"""What stands for standard input and standard output."""

Destination = tuple[str, str]
"""A path, and what is to be written there, such as "the certificate"."""


def file_exists(path: str, what: str) -> Unwritable:
    """A file would take the place of another one."""
    return Unwritable(f"exists already; --force replaces it with {what}", file=path, code="file-exists")


def check_files(files: Sequence[Destination], inputs: Sequence[str] = (), *, force: bool = False) -> None:
    """Refuse paths where something cannot be written, or should not; writing may still fail later.

    ``inputs`` are the files that are read, which are never overwritten; other files are if ``force`` is set.
    Devices and pipes may be written to. Raises Unwritable.
    """
    from prover.formats.files import named_in_code

    read = [(named_in_code(path) or (path,))[0] for path in inputs]
    for index, (path, what) in enumerate(files):
        _check(path, what, read, force=force)
        for other, other_what in files[:index]:
            if _is_one_place(path, other):
                raise Unwritable(
                    f"{other_what} and {what} would both be written here",
                    file=_title(path),
                    code="same-place",
                )


def write_file(path: str, data: bytes, what: str, *, force: bool = False) -> None:
    """Write a file whole or not at all; raises Unwritable if it is there by now."""
    write_files([(path, data)], what, force=force)


def write_files(files: Sequence[tuple[str, bytes]], what: str, *, force: bool = False) -> None:
    """Write all files or none; raises Unwritable if one is there by now."""
    named = [(path, data) for path, data in files if path != STANDARD]
    for path, _ in named:
        if not force and Path(path).is_file():
            raise file_exists(path, what)
    write_together(named, what)
    for path, data in files:
        if path == STANDARD:
            write_output(data)


def write_output(data: bytes) -> None:
    """Write bytes to standard output as they are, whatever its encoding."""
    if not hasattr(sys.stdout, "buffer"):  # a stream of texts in its place
        sys.stdout.write(data.decode())
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _check(path: str, what: str, inputs: Sequence[str], *, force: bool) -> None:
    if path == STANDARD:
        return
    there = _there(path, what)
    folder = Path(os.path.realpath(path)).parent
    if not path or not folder.is_dir():
        raise _unwritable(path, what, "there is no such folder")
    if there is not None and stat.S_ISDIR(there.st_mode):
        raise _unwritable(path, what, "this is a folder")
    if there is None or stat.S_ISREG(there.st_mode):  # a new file will take this name
        if not os.access(folder, os.W_OK | os.X_OK):
            raise _unwritable(path, what, f"nothing can be written in folder {shown(str(folder))}")
    elif not os.access(path, os.W_OK):
        raise _unwritable(path, what, "permission denied")
    if there is None:
        return
    regular = stat.S_ISREG(there.st_mode)
    if regular and any(_is_same(there, source) for source in _sources(inputs)):
        raise Unwritable(
            f"this file is an input; write {what} to another file", file=path, code="overwrites-input"
        )
    for descriptor in (1, 2):
        if _is_same(there, _status(descriptor)) and not _swallows(there, descriptor):
            raise Unwritable(
                f"the output goes here already; write {what} to another file, or to - alone",
                file=path,
                code="mixes-with-output",
            )
    if regular and not force:
        raise file_exists(path, what)


def _sources(inputs: Sequence[str]) -> Iterator[os.stat_result | None]:
    """What is read: the inputs, and the files that belong to them."""
    for name in inputs:
        yield _status(0 if name == STANDARD else name)
        for companion in companions(name):
            yield _status(companion)


def _there(path: str, what: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 (Path would need another question for each answer)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _unwritable(path, what, getattr(error, "strerror", None) or str(error)) from None


def _is_one_place(path: str, other: str) -> bool:
    """Whether one of two files would replace the other; a device takes both."""
    if STANDARD in (path, other):
        return path == other
    there = _status(path)
    return os.path.realpath(path) == os.path.realpath(other) and (
        there is None or stat.S_ISREG(there.st_mode)
    )


def _title(path: str) -> str:
    return "standard output" if path == STANDARD else path


def _unwritable(path: str, what: str, reason: str) -> Unwritable:
    return Unwritable(f"cannot write {what}: {reason}", file=path)


def _status(path: str | int) -> os.stat_result | None:
    """The status of a file by its path or its descriptor, or None."""
    with contextlib.suppress(OSError, ValueError):
        return os.stat(path)  # noqa: PTH116 (a descriptor is no path)
    return None


def _is_same(one: os.stat_result, other: os.stat_result | None) -> bool:
    return other is not None and os.path.samestat(one, other)


def _swallows(there: os.stat_result, descriptor: int) -> bool:
    """Whether this is a device such as /dev/null, where nothing can be mixed up."""
    return stat.S_ISCHR(there.st_mode) and not os.isatty(descriptor)
