"""A forged certificate about every count was accepted: its runs went on where they had ended.

The checker called the junction, where a copy of the block may begin, like the state after the block with some
quotes behind, longer than the names of all states with transitions. A final state may have that name, and
runs that came to it were at the junction. So they asked for one more answer above the threshold than there
are, and lost one more than any run loses.
"""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence
from tests.certificate.counted_judge import accepts_counted
from tests.certificate.counted_samples import ANSWERS, function
from tests.certificate.program_samples import once, step
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
NODES = ("evidence", "table", "nodes", 0)


def called(name: str) -> Json:
    """The program of which runs end in a state of this name; it loses 1 + c for the count c."""
    end = ("model", "program", "states", "q2", "transitions", 1, "to")
    return edited(ANSWERS, {end: name, (*NODES, 3, "state"): name})


def losing_more(name: str) -> Json:
    """A claim that the same program loses 2 + c, by runs that go on behind their end."""
    answer = [step(7, 1, "1/2"), step(3, 1, "1/2"), step(3, 1, "1/2"), step(4, -1, "1/2")]
    behind = [step(7, 1, "1/2"), step(4, -1, "1/2")]
    return edited(
        called(name),
        {
            ("claim", "constants"): ["2"],
            ("evidence", "blocks", 0, 2): once(*answer, *behind),
            (*NODES, 0, "functions", 0): function({(): "3"}),
            (*NODES, 1, "functions", 0): function({(1,): "2"}),
            (*NODES, 2, "functions", 0): function({(1,): "3"}),
        },
    )


@pytest.mark.parametrize("quotes", range(1, 9))
@pytest.mark.parametrize("start", ["", "q2", "\n"])
def test_runs_end_in_final_states(start: str, quotes: int) -> None:
    name = start + "'" * quotes
    assert accepted(called(name)).endswith("constants=1 each=1 first=1")
    assert accepts_counted(called(name))
    refused(losing_more(name), BadEvidence, "does not follow the one before")
    assert not accepts_counted(losing_more(name))
