"""Sums of queries: subtracted from public numbers, and not used."""

from __future__ import annotations

import pytest

from prover.certificate.check import check
from prover.language.errors import CodeError
from prover.language.files import function_in
from prover.language.written import Mechanism
from prover.program.origin import WrittenProgram
from prover.program.privacy import privacy


def program_of(*lines: str) -> WrittenProgram:
    body = "".join(f"    {line}\n" for line in lines)
    text = (
        f"import prover\nfrom prover.language import laplace, see\n@prover.mechanism\ndef f(queries):\n{body}"
    )
    read = function_in(text.encode(), "f", "f.py")
    assert isinstance(read, Mechanism)
    return read.program({})


@pytest.mark.parametrize(
    "lines",
    [
        ("t = 5 - a", "b = next(queries)", "see(laplace(t + b, rate=2))", "see(laplace(a + b, rate=1))"),
        (
            "t = 0 - a",
            "b = next(queries)",
            "t = t - b",
            "see(laplace(a - b, rate=2))",
            "see(laplace(t, rate=1))",
        ),
        ("b = next(queries)", "t = 1 - (a - b)", "see(laplace(t, rate=2))", "see(laplace(a + b, rate=1))"),
    ],
)
def test_queries_are_subtracted_from_numbers(lines: tuple[str, ...]) -> None:
    """With rate 2 the difference of two queries, and with rate 1 their sum: 4; twice their sum would be 6."""
    answer = privacy(program_of("a = next(queries)", *lines), "all-differ")
    assert answer.lower == answer.upper == 4
    assert answer.certificate is not None
    assert check(answer.certificate.data)


def test_sums_without_a_use_have_no_register() -> None:
    program = program_of(
        "total, edge = 0, laplace(0, rate='1/2')",
        "for query in queries:",
        "    total = total + query",
        "    if laplace(query, rate='1/4') >= edge:",
        "        see('above')",
        "        return",
        "    see('below')",
    )
    answer = privacy(program, "all-differ")
    assert answer.lower == answer.upper == 1
    kept = {r for state in program.states.values() for case in state.transitions for r, _ in case.registers}
    assert kept == {state.center for state in program.states.values()} - {None}


@pytest.mark.parametrize("total", ["a + a", "0 - a - a", "a - a"])
def test_queries_are_added_once(total: str) -> None:
    with pytest.raises(CodeError):
        program_of("a = next(queries)", f"see(laplace({total}, rate=1))")
