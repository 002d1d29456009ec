"""Adjacencies and the corners of their polytopes."""

import pytest

from prover.program.adjacency import ADJACENCIES, POLYTOPES, extreme_points
from tests.refusals import refuses


def test_names() -> None:
    assert (
        (*POLYTOPES, "monotonic")
        == ADJACENCIES
        == (
            "all-differ",
            "one-differ",
            "increasing",
            "decreasing",
            "monotonic",
        )
    )


@pytest.mark.parametrize(
    ("adjacency", "expected"),
    [("all-differ", (-1, 1)), ("one-differ", (-1, 0, 1)), ("increasing", (0, 1)), ("decreasing", (-1, 0))],
)
def test_extreme_points(adjacency: str, expected: tuple[int, ...]) -> None:
    assert extreme_points(adjacency, True) == expected
    assert extreme_points(adjacency, False) == (0,)


@pytest.mark.parametrize("input", [True, False])
def test_unknown(input: bool) -> None:
    with refuses("unknown-adjacency", match='"all"; the adjacencies are all-differ, one-'):
        extreme_points("all", input)
