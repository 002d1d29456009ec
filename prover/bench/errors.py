"""What can be wrong with a suite of benchmarks, or with a file of results."""

from __future__ import annotations

from prover.errors import BadDocument


def no_jobs(what: str, path: str) -> BadDocument:
    """A suite has no family, or a family no job."""
    return BadDocument(f"there is no {what} here; a suite has at least one", path=path, code="no-jobs")
