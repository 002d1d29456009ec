"""On what was measured: the machine and the versions of programs, without the names of hosts or folders."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from prover import __version__

_PACKAGES = {"z3": "z3-solver", "flint": "python-flint", "highspy": "highspy"}


def versions() -> dict[str, str | None]:
    """The versions of this prover, of Python and of the libraries that compute; None if one is missing."""
    found: dict[str, str | None] = {"prover": __version__, "python": platform.python_version()}
    for name, package in _PACKAGES.items():
        try:
            found[name] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def machine() -> dict[str, str | int | None]:
    """The system, the processor, the cores that this process may use, and the memory in MiB."""
    memory = _mebibytes(_field("/proc/meminfo", "MemTotal"))
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _field("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_mib": None if memory is None else round(memory),
    }


def _field(file: str, name: str) -> str | None:
    """The first value of a name in a file of lines ``name: value``; None where there is none."""
    try:
        lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None


def peak_memory(pid: int | str = "self") -> float | None:
    """The most memory that a process has held so far, in MiB; None where the system does not say."""
    return _mebibytes(_field(f"/proc/{pid}/status", "VmHWM"))


def _mebibytes(text: str | None) -> float | None:
    return None if text is None else int(text.split()[0]) / 1024


def processor_seconds(pid: int) -> float:
    """The time of processors that a process and all that it has started have used so far.

    0 where there is none any more, or where the system does not say.
    """
    ticks = 0
    for one in _with_children(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        ticks += sum(map(int, fields.rpartition(")")[2].split()[11:15]))  # its own, and of those that ended
    return ticks / os.sysconf("SC_CLK_TCK")


def resident_memory(pid: int, *, itself: bool = True) -> float:
    """The memory in MiB that a process and those it has started hold now, without ``itself`` only these.

    0 where there is none any more, or where the system does not say.
    """
    counted = (one for one in _with_children(pid) if itself or one != pid)
    return sum(_mebibytes(_field(f"/proc/{one}/status", "VmRSS")) or 0.0 for one in counted)


def _with_children(pid: int) -> Iterator[int]:
    """A process, those that it has started, and those that these have started."""
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        with suppress(OSError):
            waiting += map(int, Path(f"/proc/{one}/task/{one}/children").read_text(encoding="ascii").split())
