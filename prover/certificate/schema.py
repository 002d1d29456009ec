"""Writing certificates: canonical bytes of a claim, the model it is about, and the evidence.

docs/certificates.md specifies the format. This file knows only the form of evidence; the modules that write
evidence know its meaning. The checker uses nothing of this file.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from prover.certificate.acceptance import accept
from prover.certificate.errors import TooLarge
from prover.errors import Unwritable
from prover.views import Lined

Json = dict[str, Any]
"""An object of a certificate."""

FORMAT = "prover-certificate"
VERSION = 1
MAX_DIGITS = 100_000
"""The most digits of a number in a certificate."""

MAX_BYTES = 256 * 2**20
MAX_VALUES = 10_000_000
"""The most bytes, and commas and opening brackets, of a certificate (docs/certificates.md, Section 1)."""

_AT_ONCE = 64  # items of a list that become text together


@dataclass(frozen=True, slots=True, repr=False)
class Certificate(Lined):
    """The bytes of a certificate.

    >>> import prover
    >>> from prover.zoo import pin_checker
    >>> prover.distance(pin_checker(), "0", "1", "11/10").certificate.sha256
    'ac996dc4086522b19d6c17c56040f87716922f3cda2c4346ca118b9d19865974'
    """

    data: bytes

    @property
    def headline(self) -> str:
        """Its size and its SHA-256, in a line."""
        return f"{len(self.data):,} bytes, SHA-256 {self.sha256}"

    @property
    def sha256(self) -> str:
        """The identity of the certificate, in hexadecimal digits."""
        import hashlib

        return hashlib.sha256(self.data).hexdigest()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file whole or not at all, once the stand-alone checker has accepted it.

        Raises Unwritable, and TooMuchWork if this takes more work than checkers spend on a file of its size.
        """
        accept(self.data)
        write_whole(path, self.data, "the certificate")


def write_whole(path: str | os.PathLike[str], data: bytes, what: str) -> None:
    """Write a file whole or not at all. Raises Unwritable, as ``write_together`` does."""
    write_together([(path, data)], what)


def write_together(files: Sequence[tuple[str | os.PathLike[str], bytes]], what: str) -> None:
    """Write all files whole or none: each into a neighbour first; these take the names when all are there.

    Raises Unwritable (no such folder, no permission, full disk …), which calls the files ``what``; what stood
    at the paths is then untouched, unless the system fails between two changes of name.
    """
    with contextlib.ExitStack() as left:
        ready: list[tuple[Path, Path, str | os.PathLike[str]]] = []
        for path, data in files:
            with _unwritable(path, what):
                place = Path(path)
                if place.exists() and not place.is_file():  # a device or a pipe cannot be replaced
                    place.write_bytes(data)
                    continue
                target = Path(os.path.realpath(place))  # the file that a link leads to, not the link
                ready.append((_neighbour(target, data, left), target, path))
        for neighbour, target, path in ready:
            with _unwritable(path, what):
                neighbour.replace(target)


def _neighbour(target: Path, data: bytes, left: contextlib.ExitStack) -> Path:
    """A new file with these bytes beside ``target``, which goes with ``left`` unless it is renamed before."""
    import tempfile

    handle, name = tempfile.mkstemp(prefix=".prover.", dir=target.parent)
    neighbour = Path(name)
    left.callback(_remove, neighbour)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    neighbour.chmod(0o666 & ~_umask())
    return neighbour


def _remove(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.unlink(missing_ok=True)


@contextlib.contextmanager
def _unwritable(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Unwritable(f"cannot write {what}: {reason}", file=str(path)) from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def encode(claim: Mapping[str, Any], model: Mapping[str, Any], evidence: Mapping[str, Any]) -> Certificate:
    """The certificate of a claim about a model, in canonical form; integers of FLINT become texts in it.

    Raises TooLarge.
    """
    document = {"claim": claim, "evidence": evidence, "format": FORMAT, "model": model, "version": VERSION}
    written, values = BytesIO(), 0
    for text in _pieces(document):
        written.write(text.encode("ascii"))
        values += sum(map(text.count, ",[{"))
        if written.tell() > MAX_BYTES or values > MAX_VALUES:
            raise TooLarge
    return Certificate(written.getvalue())


def _pieces(value: Any) -> Iterator[str]:
    """The canonical text of a value; that of long lists in pieces, as all of it at once takes much memory."""
    if isinstance(value, dict) and len(value) <= _AT_ONCE and all(isinstance(key, str) for key in value):
        for k, key in enumerate(sorted(value)):
            yield f"{',' if k else '{'}{_text(key)}:"
            yield from _pieces(value[key])
        yield "}" if value else "{}"
    elif isinstance(value, list | tuple) and len(value) > _AT_ONCE:
        for k in range(0, len(value), _AT_ONCE):
            yield f"{',' if k else '['}{_text(value[k : k + _AT_ONCE])[1:-1]}"
        yield "]"
    else:
        yield _text(value)


def _text(value: Any) -> str:
    return json.dumps(
        value, default=_integer, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def _integer(value: object) -> str:
    """The digits of an integer of FLINT: the whole certificate at once need not hold them as texts."""
    from flint import fmpz

    if not isinstance(value, fmpz):
        raise TypeError(f"{type(value).__name__} in a certificate")
    return str(value)


def model_bytes(model: Mapping[str, Any]) -> bytes:
    """The canonical bytes of a model in its canonical JSON form; their SHA-256 is its identity."""
    return _text(model).encode("ascii")
