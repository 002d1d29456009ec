"""Numbers that tell a run from all others: the adaptive sparse vector, against integrals; what is refused."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, comparison-overlap"

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

import prover
from prover.errors import NotSupported
from prover.formats.dipa_writer import write_dipa
from prover.formats.program_json import program_from_json
from prover.formats.strict_json import read_json
from prover.language import laplace, see
from prover.language.errors import CodeError
from prover.program.canonical import program_model
from prover.program.errors import InvalidProgram
from prover.program.model import Program, State, Transition
from prover.program.outputs import Gap
from prover.program.privacy import privacy
from prover.report.privacy import privacy_text
from tests.program.hidden_steps import random_program
from tests.scripts import module_at

FIELD = module_at(Path(__file__).parents[3] / "benchmarks" / "field" / "checkdp.py")


@pytest.mark.parametrize(
    ("name", "limit", "adjacency", "epsilon"),
    [
        ("adaptivesparsevector", 1, "all-differ", "1"),
        ("adaptivesparsevector", 1, "one-differ", "3/8"),
        ("adaptivesparsevector", 1, "increasing", "3/4"),
        ("adaptivesparsevector", 2, "all-differ", "1"),
        ("adaptivesparsevector", 2, "one-differ", "3/16"),
        ("adaptivesparsevector", 3, "all-differ", "1"),
        ("badadaptivesparsevector", 1, "all-differ", None),
        ("badadaptivesparsevector", 1, "one-differ", "3/8"),
    ],
)
def test_values(name: str, limit: int, adjacency: str, epsilon: str | None) -> None:
    found = privacy(getattr(FIELD, name)(limit=limit), adjacency)
    assert found.epsilon == (None if epsilon is None else Fraction(epsilon))
    assert found.private is (epsilon is not None)
    assert found.observer is not None
    assert found.observer.told is not None
    assert "near" in privacy_text(found)


def test_integrals_come_close_to_the_loss_and_not_above() -> None:
    """Three answers below, then a number from 7 to 9, with all that leads to it."""

    def below(x: float, scale: float) -> float:
        return math.exp(x / scale) / 2 if x < 0 else 1 - math.exp(-x / scale) / 2

    def likely(queries: list[float]) -> float:
        *low, last = queries
        total = 0.0
        for step in range(-600, 601):
            t = step / 20
            p = math.exp(-abs(t) / 2) / 4 / 20
            for q in low:
                p *= below(t + 16 - q, 8) * below(t - q, 4)
            far = max(0.0, below(t + 9 - last, 8) - below(max(t + 7, t + 16) - last, 8))
            near = below(t + 9 - last, 4) - below(t + 7 - last, 4)
            total += p * (far + below(t + 16 - last, 8) * near)
        return total

    losses = [math.log(likely([t, t, t, -t]) / likely([t + 1, t + 1, t + 1, -t - 1])) for t in (0, 5, 20)]
    assert losses == sorted(losses)
    assert 0.97 < losses[-1] < 1.0001


@prover.mechanism
def far_only(queries):
    """Which of two gaps was seen is never told: both are at least 0."""
    threshold = laplace(0, rate=1)
    for query in queries:
        first = laplace(query, rate=1)
        if first >= threshold:
            see(first - threshold)
        else:
            second = laplace(query, rate=1)
            if second >= threshold:
                see(second - threshold)
            return


def test_where_no_number_tells_the_run_there_is_an_upper_bound_only() -> None:
    found = privacy(far_only(), "one-differ")
    assert found.epsilon is None
    assert (found.lower, found.upper) == (0, found.runs.upper)
    assert found.upper is not None
    assert found.certificate is not None
    text = privacy_text(found)
    assert "at most" in text
    assert "The observer's loss lies between the bounds." in text


def test_random_programs_lose_no_more_than_their_runs() -> None:
    random = Random(5)
    for _ in range(20):
        program = random_program(random)
        found = privacy(program)
        assert found.runs.upper == found.upper
        assert found.lower in (0, found.upper)
        assert program_from_json(read_json(json.dumps(program_model(program)))) == program


def test_other_questions_are_refused() -> None:
    program = FIELD.adaptivesparsevector()
    plain = random_program(Random(1))
    for given in (program, plain):
        with pytest.raises(NotSupported):
            prover.program_delta(given, alpha=2) if hasattr(prover, "program_delta") else given.edges
        with pytest.raises(NotSupported):
            write_dipa(given)
        with pytest.raises(NotSupported):
            privacy(given, engine="smt")
    assert privacy(plain, "monotonic").upper is not None


GAP = Gap("x")
LETTER, ONE = "a", Fraction(1)


@pytest.mark.parametrize(
    ("output", "seen"),
    [
        ((LETTER, GAP), (ONE,)), ("insampleprime", (ONE,)), (GAP, ()), (LETTER, (ONE,)), (GAP, (ONE, ONE)),
        (GAP, (Fraction(0),)), (GAP, (1,)),
    ],
)  # fmt: skip
def test_what_is_seen_is_possible(output: object, seen: object) -> None:
    start = State(False, ONE, ONE, None, None, (Transition((), ("x",), "u", "q", seen=()),))
    case = Transition((), (), output, "end", seen=seen)  # type: ignore[arg-type]
    with pytest.raises(InvalidProgram) as caught:
        Program("s", {"s": start, "q": State(True, ONE, ONE, ONE, ONE, (case,))})
    assert caught.value.code == "bad-seen"


@prover.mechanism
def turned(queries):
    """As hidden, but one of the gaps is seen the other way round."""
    threshold = laplace(0, rate=1)
    query = next(queries)
    first = laplace(query, rate=1)
    if first >= threshold:
        see(threshold - first)
    else:
        second = laplace(query, rate=1)
        if second >= threshold:
            see(second - threshold)


def test_other_signs_are_not_read() -> None:
    with pytest.raises(CodeError, match="see something different on each path"):
        turned()
