"""Dask clusters of two workers on this machine, one of which a test kills."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def two_workers() -> Iterator[Any]:
    """A client of two workers with one thread each. Skips the test where Dask is not installed."""
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def kill_one(client: Any) -> int:
    """Kill a worker, one that is at work if there is any; its process."""
    busy = [name for name, tasks in client.processing().items() if tasks]
    processes: dict[str, int] = client.run(os.getpid)
    killed = processes[busy[0]] if busy else next(iter(processes.values()))
    os.kill(killed, signal.SIGKILL)
    return killed
