"""Numbers that are added after they were seen: sums of them are as private as their last summands."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

from prover.errors import NotSupported
from prover.exact.rational import format_rational
from prover.language.errors import NotYetInTheModel
from prover.language.files import function_in
from prover.language.written import Mechanism
from prover.program.origin import WrittenProgram
from prover.program.privacy import privacy
from tests.commands import prover

ROOT = Path(__file__).resolve().parents[2]
HEAD = "import prover\nfrom prover.language import laplace, see\n\n@prover.mechanism\ndef f(queries):\n"


def program_of(*lines: str) -> WrittenProgram:
    text = HEAD + "".join(f"    {line}\n" for line in lines)
    function = function_in(text.encode(), "f", "f.py")
    assert isinstance(function, Mechanism)
    return function.program({})


Row = dict[str, Fraction]


def plus(left: Row, right: Row) -> Row:
    return {name: left.get(name, Fraction(0)) + right.get(name, Fraction(0)) for name in {*left, *right}}


def rank(rows: list[Row]) -> int:
    """By elimination."""
    rows, found = [dict(row) for row in rows], 0
    for name in sorted({name for row in rows for name in row}):
        pivot = next((row for row in rows if row.get(name)), None)
        if pivot is not None:
            rows.remove(pivot)
            found += 1
            rows = [
                plus(row, {n: -c * row.get(name, Fraction(0)) / pivot[name] for n, c in pivot.items()})
                for row in rows
            ]
    return found


def random_sums(random: Random) -> tuple[list[str], dict[str, tuple[Fraction, str]], list[Row]]:
    """A function without comparisons; of each sample its rate and its query; what is seen,
    in terms of samples."""
    lines: list[str] = []
    samples: dict[str, tuple[Fraction, str]] = {}
    seen: dict[str, Row] = {}
    queries: list[str] = []
    for number in range(random.randint(2, 4)):
        if not queries or random.random() < 0.7:
            queries.append(f"q{number}")
            lines.append(f"q{number} = next(queries)")
        center = random.choice(queries) if random.random() < 0.4 else queries[-1]
        rate, noisy = Fraction(random.randint(1, 3), 2), f"x{number}"
        inside, outside = (random.sample(sorted(seen), random.randint(0, min(1, len(seen)))) for _ in "ab")
        sign = random.choice("+-")
        inner = " ".join([center, *(f"{sign} {name}" for name in inside)])
        drawn = f'laplace({inner}, rate="{format_rational(rate)}")'
        lines.append(f"{noisy} = {' + '.join([drawn, *outside])}{random.choice(['', ' + 2', ' - 1'])}")
        lines.append(f"see({noisy})")
        samples[noisy] = rate, center
        total: Row = {noisy: Fraction(1)}
        for name in inside:
            signed = {n: -c if sign == "-" else c for n, c in seen[name].items()}
            total = plus(total, signed)
        for name in outside:
            total = plus(total, seen[name])
        seen[noisy] = total
    return lines, samples, list(seen.values())


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_random_sums(start: int) -> None:
    answered = 0
    for seed in range(start, start + 10):
        lines, samples, seen = random_sums(Random(seed))
        assert rank(seen) == len(samples)  # no sample can move, so each loses what its center moves
        try:
            program = program_of(*lines)
        except NotYetInTheModel:
            continue
        used = sorted({name for _, name in samples.values()})
        for adjacency, most in (("all-differ", len(used)), ("one-differ", 1)):
            losses = [
                sum(
                    (rate * abs(delta[used.index(name)]) for rate, name in samples.values()),
                    Fraction(0),
                )
                for delta in product((-1, 0, 1), repeat=len(used))
                if sum(map(abs, delta)) <= most
            ]
            answer = privacy(program, adjacency)
            assert answer.lower == answer.upper == max(losses), lines
        answered += any("+ x" in line or "- x" in line for line in lines)
    assert answered >= 5


@pytest.mark.parametrize(
    "lines",
    [
        ("y = laplace(next(queries) + x, rate=1)", 'see("above" if y >= t else "below")'),
        ("y = laplace(next(queries), rate=1) + x", 'see("above" if y >= 0 else "below")'),
        ("see(laplace(next(queries), rate=1) + x - t)",),
        ('see("above" if next(queries) + x >= t else "below")',),
    ],
)
def test_sums_are_not_compared(lines: tuple[str, ...]) -> None:
    with pytest.raises(NotYetInTheModel, match="was seen before"):
        program_of("t = laplace(0, rate=1)", "x = laplace(next(queries), rate=1)", "see(x)", *lines)


def test_numbers_that_were_not_seen_are_not_added() -> None:
    with pytest.raises(NotYetInTheModel):
        program_of("x = laplace(next(queries), rate=1)", "see(laplace(next(queries), rate=1) + x)")


def test_outputs_show_what_is_added() -> None:
    """Otherwise the function would tell more than the program: which of two numbers was the sum."""
    lines = [
        "t = laplace(0, rate=1)",
        "x = laplace(next(queries), rate=1)",
        "see(x)",
        "y = laplace(next(queries), rate=1)",
        "more = y >= t",
        "z = laplace(next(queries), rate=1)",
        "see(z + x if more else z)",
    ]
    with pytest.raises(NotYetInTheModel, match="which comparison was true"):
        program_of(*lines)


def test_the_attack_is_on_the_numbers_without_the_sum() -> None:
    model = [str(ROOT / "benchmarks" / "field" / "dpsniper.py") + ":prefix_sum", "--const", "size=2"]
    asked = ["privacy", *model, "--witness", "--at-epsilon", "1", "--simulate", "10"]
    said = prover(*asked).out
    assert "leaves out numbers that were seen before" in said
    assert "Nothing is simulated" in said


def test_a_query_without_noise_is_not_private() -> None:
    """Which is said of the line that shows it."""
    moved = ["x = next(queries)", "see(laplace(0, rate=1) >= 0)", "see(x + 3)"]
    for lines in (["see(next(queries))"], moved):
        program = program_of(*lines)
        assert any(edge.pinned for edge in program.edges)
        answer = privacy(program)
        assert answer.private is False
        assert answer.reason == "vanishing run"
    noisy = program_of("see(laplace(next(queries), rate='inf'))")
    assert privacy(noisy).reason == "vanishing run"


def test_a_query_that_is_used_again_and_seen_without_noise() -> None:
    """Is not private; one that is stored without noise is refused, with the line that draws it."""
    answer = privacy(program_of("x = next(queries)", "see(laplace(x, rate=1))", "see(x)"))
    assert answer.private is False
    assert answer.reason == "vanishing run"
    stored = ["x = next(queries)", "see(laplace(x, rate=1))", "y = laplace(x, rate='inf')"]
    program = program_of(*stored, "see(laplace(x, rate=2) >= y)")
    with pytest.raises(NotSupported, match=r'as at state "line8"'):
        privacy(program)
