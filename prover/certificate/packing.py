"""The checker as one file, which users send along with a certificate.

    python -m prover.certificate.packing FILE

Beside every source is its byte code, which a Python of the same version runs at once; others compile the
source. Byte code has the hash of its source, so it counts only as long as that is as it was packed.

The same sources and the same Python make the same bytes on every machine: names are sorted, times and
permissions fixed, and nothing is compressed, because compressors differ.
"""

from __future__ import annotations

import io
import marshal
import sys
import zipfile
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path

CHECKER = Path(__file__).with_name("check")
CHECKED_HASH = 0b11  # what follows is the hash of the source, and is compared with it
WITHOUT_REFERENCES = 2  # the format of byte code which does not depend on what else the interpreter holds


def packed() -> bytes:
    """The bytes of a file that any Python from 3.11 on runs: `python -I -S FILE CERTIFICATE...`."""
    whole = io.BytesIO(b"#!/usr/bin/env python3\n")
    whole.seek(0, io.SEEK_END)
    with zipfile.ZipFile(whole, "a") as archive:
        for name in sorted(source.relative_to(CHECKER).as_posix() for source in CHECKER.rglob("*.py")):
            source = (CHECKER / name).read_bytes()
            for entry, data in ((name, source), (f"{name}c", byte_code(name, source))):
                described = zipfile.ZipInfo(entry)  # of the first of January, 1980
                described.create_system, described.external_attr = 3, 0o644 << 16
                archive.writestr(described, data)
    return whole.getvalue()


def byte_code(name: str, source: bytes) -> bytes:
    """A module as the interpreter keeps it in a file."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=0)
    head = MAGIC_NUMBER + CHECKED_HASH.to_bytes(4, "little") + source_hash(source)
    return head + marshal.dumps(code, WITHOUT_REFERENCES)


def main(target: str) -> None:
    """Write the packed checker; its folder is made."""
    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed())
    path.chmod(0o755)


if __name__ == "__main__":
    main(*sys.argv[1:])
