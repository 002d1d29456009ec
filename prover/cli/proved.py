"""The proved program, which `make proved` builds: where it is, and what it says about certificates."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prover.cli.status import Status
from prover.errors import shown

if TYPE_CHECKING:
    from prover.certificate.check import Said

NAME, VARIABLE = "prover-checked", "PROVER_CHECKED"
_WORDS: Mapping[int, str] = {Status.HOLDS: "VERIFIED ", Status.REFUTED: "REJECTED "}


def program() -> str:
    """The path of the proved program: $PROVER_CHECKED, else on the PATH, else in ./build; a usage
    error where it is not found."""
    if VARIABLE in os.environ:
        path = shutil.which(os.environ[VARIABLE])
        if path is None:
            raise click.UsageError(f"${VARIABLE} names no program: {shown(os.environ[VARIABLE])}")
        return path
    path = shutil.which(NAME) or shutil.which(str(Path("build", NAME).resolve()))
    if path is None:
        raise click.UsageError(
            f"{NAME} is not found: neither ${VARIABLE} names it, nor is it on the PATH or in ./build; "
            "`make proved` in the sources of prover builds it"
        )
    return path


def judged_by(program: str, certificate: str) -> Said:
    """What the program says about a certificate. Its exit status is that of the checker; 70 if it fails."""
    from prover.certificate.check import Said

    with _largest_stack():
        run = subprocess.run(  # noqa: S603 (the user has named it, or built it)
            [program, certificate], capture_output=True, encoding="utf-8", errors="replace", check=False
        )
    words = _WORDS.get(run.returncode)
    if words is not None and run.stdout.startswith(words) and run.stdout.count("\n") == 1:
        return Said(certificate, run.returncode, run.stdout.removesuffix("\n"))
    about = f"cannot judge {json.dumps(certificate)}: "
    if run.returncode == Status.BAD_INPUT:
        return Said(certificate, Status.BAD_INPUT, about + run.stderr.strip(), complaint=True)
    return Said(
        certificate, Status.FAULT, f"{about}{shown(program)} ended with {run.returncode}", complaint=True
    )


@contextmanager
def _largest_stack() -> Iterator[None]:
    """Let programs started meanwhile have as much stack as the system allows: long certificates need it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
