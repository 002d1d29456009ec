"""Large programs: their size, that they are deterministic, and what decides their privacy."""

import pytest

from prover.program.decision.boundedness import decide
from prover.zoo import BadParameter, random_program, row_of_loops


def test_a_random_program_is_the_same_again() -> None:
    assert random_program(50, seed=3) == random_program(50, seed=3)
    assert random_program(50, seed=3) != random_program(50, seed=4)


@pytest.mark.parametrize("storing", ["0", "1/2", "1"])
def test_the_share_that_stores(storing: str) -> None:
    edges = random_program(400, storing=storing).edges[1:]
    share = sum(bool(edge.assign) for edge in edges) / len(edges)
    assert max(edge.number for edge in edges) > 600
    assert abs(share - {"0": 0, "1/2": 0.5, "1": 1}[storing]) < 0.1


def test_the_share_that_loops() -> None:
    edges = random_program(400, looping="1/4").edges[1:]
    assert 0.05 < sum(edge.source == edge.target for edge in edges) / len(edges) < 0.2
    assert all(edge.source != edge.target for edge in random_program(400).edges)


@pytest.mark.parametrize("states", [1, 2, 3, 100])
def test_a_row_is_private_or_not(states: int) -> None:
    assert decide(row_of_loops(states)).bounded
    verdict = decide(row_of_loops(states, private="no"))
    assert verdict.bounded is (states < 3)  # the number that is given away was compared with in a loop
    assert verdict.reason == (None if states < 3 else "privacy violating path")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"states": 0}, "states"),
        ({"storing": "2"}, "storing"),
        ({"looping": "x"}, "looping"),
        ({"seed": -1}, "seed"),
    ],
)
def test_refused(options: dict[str, int | str], words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        random_program(**options)  # type: ignore[arg-type]
