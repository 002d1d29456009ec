"""Answers in terms of lines of code: the lines are those that leak, and costs sum up to the loss."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import prover
from prover.language.mechanism.origin import WrittenProgram
from prover.report.source import code_lines
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
    loop = line_of("leaks", "falling", "for query")
    assert sentences("leaks", "falling") == [
        f"The loop at line {loop} again and again compares at line {line} with what the same line stored a "
        "turn before."
    ]


def test_a_loop_that_compares_with_what_was_shown() -> None:
    threshold = line_of("leaks", "tells_the_threshold", "laplace")
    loop = line_of("leaks", "tells_the_threshold", "for query")
    assert sentences("leaks", "tells_the_threshold") == [
        f"Line {threshold + 1} shows the number that line {threshold} draws.",
        f"The loop at line {loop} again and again compares at line {loop + 1} with what line {threshold} "
        "stored.",
    ]


def test_a_loop_that_shows_numbers() -> None:
    (sentence,) = sentences("leaks", "shows_numbers")
    assert f"shows at line {line_of('leaks', 'shows_numbers', 'see(laplace')} a number" in sentence


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
    costs = [Fraction(cost) for cost in re.findall(r"costs ([0-9/]+)", sentence)]
    assert sum(costs) == prover.privacy(prover.load_program(FOLDER / f"{file}.py:{function}")).epsilon


def test_answers_name_the_lines() -> None:
    where = f"{FOLDER / 'sparse_vector.py'}:above_threshold"
    assert "line 18 costs 1." in command("privacy", where).out
    source = json.loads(command("privacy", where, "--json").out)["source"]
    assert source["function"] == "above_threshold"
    assert source["lines"] == {"line16": 16, "line18": 18}
    assert source["meaning"] == ["On the worst run found, line 16 costs 1/4, line 18 costs 1."]


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
    costs = [Fraction(cost) for cost in re.findall(r"costs ([0-9/]+)", sentence)]
    assert sum(costs) == answer.runs.exact
    assert sentence.startswith("On the worst single run found, line ")
    assert ": together 2. Who sees the outputs only does not know which run it was" in sentence
    assert sentence in command("privacy", where, "--html", page).out
    assert "together 2. Who sees the outputs only" in page.read_text(encoding="utf-8")


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
    *_, last = code_lines(prover.privacy(program))
    assert "compares at line 10 with what line 6 stored" in last
    assert "compares at line 12 with what line 7 stored" in last


def test_where_an_observer_loses_as_much_costs_are_those_of_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "largest.py"
    shorter = LARGEST.replace(", d: Query", "").replace('    x = laplace(d, rate="1/2")\n', "")
    file.write_text(shorter.replace("    if x > best:\n        winner = 3\n", ""))
    where, page = f"{file}:largest", tmp_path / "page.html"
    answer = prover.privacy(prover.load_program(where))
    assert (answer.epsilon, answer.runs.exact) == (Fraction(1), Fraction(1))
    assert not answer.conditions.output_distinction
    assert command("privacy", where, "--html", page).status == 0
    assert "who sees the outputs only does not know" not in page.read_text(encoding="utf-8")
    assert "an observer may learn less" not in command("privacy", where, "--witness").out
