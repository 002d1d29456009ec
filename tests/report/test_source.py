"""Answers in terms of lines of code: the lines are those that leak, and costs sum up to the loss."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.program.origin import WrittenProgram
from prover.report.lines import code_lines
from tests.commands import prover as command

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "mechanisms"


def line_of(file: str, function: str, text: str) -> int:
    """The first line of a function that holds a text."""
    lines = (FOLDER / f"{file}.py").read_text().split("\n")
    start = lines.index(next(line for line in lines if line.startswith(f"def {function}(")))
    return 1 + next(place for place in range(start, len(lines)) if text in lines[place])


def sentences(file: str, function: str) -> list[str]:
    program = prover.load_program(FOLDER / f"{file}.py:{function}")
    assert isinstance(program, WrittenProgram)
    return code_lines(prover.privacy(program))


def test_a_loop_that_compares_with_itself() -> None:
    line = line_of("leaks", "falling", "if noisy")
    assert sentences("leaks", "falling") == [
        f"Line {line} compares unboundedly many queries with the number that line {line - 1} drew in an "
        "earlier turn of the loop and reveals that they are below it."
    ]


def test_a_loop_that_compares_with_what_was_shown() -> None:
    threshold = line_of("leaks", "tells_the_threshold", "laplace")
    line = line_of("leaks", "tells_the_threshold", "if laplace")
    assert sentences("leaks", "tells_the_threshold") == [
        f"Line {threshold + 1} outputs threshold (drawn at line {threshold}).",
        f"Line {line} compares unboundedly many queries with threshold (drawn at line {threshold}) and "
        "reveals that they are above it.",
    ]


def test_a_loop_that_shows_numbers() -> None:
    line = line_of("leaks", "shows_numbers", "see(laplace")
    assert sentences("leaks", "shows_numbers") == [
        f"Line {line} outputs a number that depends on the query, for unboundedly many queries."
    ]


def test_a_pair_of_loops_and_how_their_thresholds_compare() -> None:
    line = line_of("leaks", "down_then_up", "noisy = ")
    threshold, second = line - 2, line_of("leaks", "down_then_up", "if laplace")
    assert sentences("leaks", "down_then_up") == [
        f"Line {line + 1} compares unboundedly many queries with threshold (drawn at line {threshold}) and "
        "reveals that they are below it.",
        f"Line {line + 1} reveals that noisy (drawn at line {line}) is above threshold (drawn at line "
        f"{threshold}).",
        f"Line {second} compares unboundedly many queries with noisy (drawn at line {line}) and reveals that "
        "they are above it.",
    ]


def test_queries_without_noise() -> None:
    line = line_of("other_noise", "lyu_5", "if query")
    compared = f"a query without noise is {{}} threshold (drawn at line {line - 2})."
    assert sentences("other_noise", "lyu_5") == [
        f"Line {line} reveals that {compared.format(side)}" for side in ("below", "above")
    ]


def costs_in(sentence: str) -> list[Fraction]:
    """The multiples of ε that lines lose."""
    found = re.findall(r"(?:\(?([0-9/]+)\)?·)?ε at line", sentence)
    return [Fraction(cost or 1) for cost in found]


@pytest.mark.parametrize(
    ("file", "function"),
    [
        ("sparse_vector", "above_threshold"),
        ("sparse_vector", "numeric_sparse"),
        ("sparse_vector", "lyu_4"),
        ("several_thresholds", "between"),
        ("several_thresholds", "least_and_largest"),
    ],
)
def test_costs_of_lines_sum_up_to_the_loss(file: str, function: str) -> None:
    (sentence,) = sentences(file, function)
    assert (
        sum(costs_in(sentence))
        == prover.privacy(prover.load_program(FOLDER / f"{file}.py:{function}")).epsilon
    )


def test_answers_name_the_lines() -> None:
    where = f"{FOLDER / 'sparse_vector.py'}:above_threshold"
    assert "and ε at line 18." in command("privacy", where).out
    source = json.loads(command("privacy", where, "--json").out)["source"]
    assert source["function"] == "above_threshold"
    assert source["lines"] == {"line16": 16, "line18": 18}
    assert source["meaning"] == ["The worst run found loses (1/4)·ε at line 16 and ε at line 18."]


LARGEST = """\
import prover
from prover.language import Query, laplace, see

@prover.mechanism
def largest(a: Query, b: Query, c: Query, d: Query):
    best = laplace(a, rate="1/2")
    winner = 0
    x = laplace(b, rate="1/2")
    if x > best:
        best = x
        winner = 1
    x = laplace(c, rate="1/2")
    if x > best:
        best = x
        winner = 2
    x = laplace(d, rate="1/2")
    if x > best:
        winner = 3
    see(winner)
"""


def test_where_outputs_hide_the_run_costs_are_of_a_single_run(tmp_path: Path) -> None:
    file = tmp_path / "largest.py"
    file.write_text(LARGEST)
    where, page = f"{file}:largest", tmp_path / "page.html"
    program = prover.load_program(where)
    answer = prover.privacy(program)
    assert isinstance(program, WrittenProgram)
    assert (answer.epsilon, answer.runs.exact) == (Fraction(1), Fraction(2))
    (sentence,) = code_lines(answer)
    assert sum(costs_in(sentence)) == answer.runs.exact
    assert sentence.startswith("The worst single run found loses ")
    assert ", 2·ε together. Other runs may have the same output, so an observer may learn less." in sentence
    assert sentence in command("privacy", where, "--html", page).out
    assert "2·ε together. Other runs may have the same output" in page.read_text(encoding="utf-8")


TWO_THRESHOLDS = """\
import prover
from prover.language import laplace, see

@prover.mechanism
def two_thresholds(queries):
    low = laplace(0, rate="1/4")
    high = laplace(10, rate="1/4")
    for query in queries:
        answer = laplace(query, rate="1/8")
        if answer < low:
            see("under")
        elif answer >= high:
            see("over")
            return
        else:
            see("between")
"""


def test_each_comparison_of_a_step_has_its_own_line(tmp_path: Path) -> None:
    file = tmp_path / "thresholds.py"
    file.write_text(TWO_THRESHOLDS)
    program = prover.load_program(f"{file}:two_thresholds")
    assert isinstance(program, WrittenProgram)
    assert {"low": 10, "high": 12} in [edge.tested for edge in program.origin.edges]
    assert code_lines(prover.privacy(program)) == [
        "Line 10 compares unboundedly many queries with low (drawn at line 6) and reveals that they are "
        "below it; the same line reveals that others are above it."
    ]


def test_where_an_observer_loses_as_much_costs_are_those_of_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "largest.py"
    shorter = LARGEST.replace(", d: Query", "").replace('    x = laplace(d, rate="1/2")\n', "")
    file.write_text(shorter.replace("    if x > best:\n        winner = 3\n", ""))
    where, page = f"{file}:largest", tmp_path / "page.html"
    answer = prover.privacy(prover.load_program(where))
    assert (answer.epsilon, answer.runs.exact) == (Fraction(1), Fraction(1))
    assert not answer.conditions.output_distinction
    assert command("privacy", where, "--html", page).status == 0
    assert "Other runs may have the same output" not in page.read_text(encoding="utf-8")
    assert "an observer may learn less" not in command("privacy", where, "--witness").out
