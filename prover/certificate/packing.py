"""The checker as one file, which users send along with a certificate.

    python -m prover.certificate.packing FILE

The same sources make the same bytes on every machine: names are sorted, times and permissions fixed, and
nothing is compressed, because compressors differ.
"""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

CHECKER = Path(__file__).with_name("check")


def packed() -> bytes:
    """The bytes of a file that any Python from 3.11 on runs: `python -I -S FILE CERTIFICATE...`."""
    whole = io.BytesIO(b"#!/usr/bin/env python3\n")
    whole.seek(0, io.SEEK_END)
    with zipfile.ZipFile(whole, "a") as archive:
        names = sorted(source.relative_to(CHECKER).as_posix() for source in CHECKER.rglob("*.py"))
        for name in names:
            entry = zipfile.ZipInfo(name)  # of the first of January, 1980
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, (CHECKER / name).read_bytes())
    return whole.getvalue()


def main(target: str) -> None:
    """Write the packed checker; its folder is made."""
    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed())
    path.chmod(0o755)


if __name__ == "__main__":
    main(*sys.argv[1:])
