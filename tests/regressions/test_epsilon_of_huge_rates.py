"""An exact ε of thousands of millions, of which no e^ε was computed: exit 70 in place of a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

import prover
from prover.errors import NotSupported
from prover.zoo import partition
from tests.commands import prover as command
from tests.commands import zoo

HUGE = "4280387012,2095513148,7225516707,8093537819"


def test_no_table_and_no_exponential() -> None:
    with pytest.raises(NotSupported, match="noise"):
        prover.epsilon_for(partition(weights=HUGE), delta="1/10000", at_epsilon=1)


def test_the_command_refuses(tmp_path: Path) -> None:
    run = command(
        "epsilon", zoo(tmp_path, "partition", f"weights={HUGE}"), "--at-epsilon", "1", "--delta", "0.1"
    )
    assert run.status == 2
    assert run.err.startswith("prover: ")
    assert "bounds on delta are for scales of noise" in run.err
