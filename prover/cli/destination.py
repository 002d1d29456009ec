"""Where a certificate or a picture is to be written, looked at before the long work that goes into it."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from prover.certificate.schema import Unwritable
from prover.errors import BadInput, shown


class OverwritesModel(BadInput):
    """A certificate or a picture would take the place of the model that it is about."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"this is the model; give {what} a file of its own", file=path)


class MixesWithOutput(BadInput):
    """A certificate or a picture would go where standard output or standard error goes."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"this is where the output goes; give {what} a file of its own", file=path)


def check_destination(path: str, model: str, what: str = "the certificate") -> None:
    """Refuse a path where something cannot be written, or should not; writing may still fail later.

    Raises Unwritable, OverwritesModel, MixesWithOutput.
    """
    there: os.stat_result | None = None
    try:
        there = os.stat(path)  # noqa: PTH116 (Path would need another question for each answer)
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        raise _unwritable(path, what, getattr(error, "strerror", None) or str(error)) from None
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
    if _is_same(there, _status(model)):
        raise OverwritesModel(path, what)
    for descriptor in (1, 2):
        if _is_same(there, _status(descriptor)) and not _swallows(there, descriptor):
            raise MixesWithOutput(path, what)


def _unwritable(path: str, what: str, reason: str) -> Unwritable:
    return Unwritable(f"cannot write {what}: {reason}", file=path)


def _status(place: str | int) -> os.stat_result | None:
    """The status of a file by its path or its descriptor, or None."""
    with contextlib.suppress(OSError, ValueError):
        return os.stat(place)  # noqa: PTH116 (a descriptor is no path)
    return None


def _is_same(one: os.stat_result, other: os.stat_result | None) -> bool:
    return other is not None and os.path.samestat(one, other)


def _swallows(there: os.stat_result, descriptor: int) -> bool:
    """Whether this is a device such as /dev/null, where nothing can be mixed up."""
    return stat.S_ISCHR(there.st_mode) and not os.isatty(descriptor)
