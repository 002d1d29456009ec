"""The command: files in, verdicts out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from .reading import MAX_BYTES, Rejected
from .verdict import check


def main(argv: Sequence[str]) -> int:
    """Check the files; the exit status is 0, 1 or 2, the largest of theirs."""
    if not argv:
        print("usage: check FILE...", file=sys.stderr)
    status = 0 if argv else 2
    for path in argv:
        try:
            with open(path, "rb") as file:  # noqa: PTH123 (a path is only opened here)
                data = file.read(MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not a path"
            print(f"cannot read {json.dumps(path)}: {reason}", file=sys.stderr)
            status = 2
            continue
        try:
            verdict = f"VERIFIED {check(data)}"
        except Rejected as rejection:
            verdict, status = f"REJECTED {rejection}", max(status, 1)
        try:
            print(verdict if len(argv) == 1 else f"{verdict} ({json.dumps(path)})", flush=True)
        except OSError as error:  # of a broken pipe, nobody reads on, but the status still tells
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not isinstance(error, BrokenPipeError):
                print(f"cannot write the verdict: {error.strerror}", file=sys.stderr)
                status = 2
    return status
