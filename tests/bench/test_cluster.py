"""A suite on a cluster: the same rows as here, also when a worker dies on the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from prover.bench import Row, run
from tests.bench.made import suite_of, timeless
from tests.clusters import kill_one, two_workers

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SUITE = """
name = "cluster"
timeout = 60
[[family]]
name = "programs"
model = "lyu-4"
question = "privacy"
[[family.job]]
parameters = {c = 1}
[[family.job]]
parameters = {c = 2}
[[family.job]]
parameters = {c = 3}
[[family]]
name = "grows"
model = "random-chain"
question = "distances"
options = {alpha = "6/5"}
grow = {parameter = "states", values = [8, 12, 16, 20, 24]}
"""


def test_two_workers_one_of_which_dies() -> None:
    suite = suite_of(SUITE, Path.cwd())
    came: list[Row] = []
    killed: list[int] = []
    with two_workers() as client:

        def note(row: Row) -> None:
            came.append(row)
            if len(came) == 2:  # while the other worker, and maybe this one, is at work
                killed.append(kill_one(client))

        with client.get_executor(pure=False, retries=3) as executor:
            rows = run(suite, executor, on_row=note)
        assert killed[0] not in client.run(os.getpid).values()
    keys = [row.key for row in came]
    assert len(keys) == len(set(keys)) == len(suite.jobs) == 8
    assert sorted(came, key=rows.index) == rows
    assert timeless(rows) == timeless(run(suite))
    assert {row.status for row in rows} == {"exact"}
