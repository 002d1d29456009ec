"""The mechanisms in examples/mechanisms/: each is proved, and as private as its automaton written by hand."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import prover
from prover.program.model import Program
from prover.zoo import build
from tests.certificate.verdicts import claimed
from tests.scripts import module_at

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "mechanisms"

# The function, its constants, and the automaton of the zoo or what is to come out.
MECHANISMS = [
    ("sparse_vector", "above_threshold", "", "svt"),
    *[("sparse_vector", f"lyu_{k}", f"c={c}", f"lyu-{k} c={c}") for k in (1, 2, 3, 4) for c in (1, 3)],
    ("sparse_vector", "lyu_6", "", "lyu-6"),
    ("sparse_vector", "numeric_sparse", "", "numeric-sparse"),
    ("sparse_vector", "numeric_sparse_reused", "", "numeric-sparse output=insample"),
    ("sparse_vector", "numeric_svt", "n=3", "numeric-svt n=3"),
    ("sparse_vector", "until_it_falls", "", "svt-star"),
    ("several_thresholds", "between", "", "num-range"),
    ("several_thresholds", "least_and_largest", "k=3", "k-min-max k=3"),
    ("several_thresholds", "ranges", "m=2", "m-range m=2"),
    ("several_thresholds", "rising_thresholds", "n=2", Fraction(2, 3)),
    ("other_noise", "counting_queries", "", Fraction(15, 4)),
    ("other_noise", "free_gap", "", Fraction(5, 4)),
    ("other_noise", "lyu_5", "", "not private: vanishing run"),
    ("other_noise", "one_sided_maximum", "", Fraction(1)),
    *[("other_noise", "largest_shown", f"size={n}", Fraction(n, 2)) for n in (1, 2, 4)],
    ("other_noise", "rounded", "", Fraction(1, 2)),
    ("other_noise", "age_group", "", Fraction(1, 2)),
    ("other_noise", "always_the_same_border", "", "not private: leaking pair"),
    ("leaks", "falling", "", "leaking-cycle"),
    ("leaks", "down_then_up", "", "leaking-pair"),
    ("leaks", "shows_numbers", "", "disclosing-cycle"),
    ("leaks", "tells_the_threshold", "", "violating-path-a"),
]
PROTOCOLS = [
    ("survey", "", "6/5", "randomised-response"),
    ("pin_checker", "", "11/10", "pin-checker"),
    ("diners", "payer=[0,1,2]", "1.0002", "dining-cryptographers n=3"),
    ("three_colours", "colour=[0,1,2]", "6/5", Fraction(1, 5)),
]


def from_zoo(text: str) -> prover.LabelledMarkovChain | Program:
    name, *parameters = text.split()
    built = build(name, **dict(parameter.split("=") for parameter in parameters))
    assert isinstance(built, prover.LabelledMarkovChain | Program)
    return built


@cache
def module(name: str) -> ModuleType:
    """The example as Python imports it."""
    return module_at(FOLDER / f"{name}.py")


@pytest.mark.parametrize(("file", "name", "const", "same"), MECHANISMS)
def test_a_mechanism_is_as_private_as_its_automaton(
    file: str, name: str, const: str, same: str | Fraction
) -> None:
    program = prover.load_program(FOLDER / f"{file}.py:{name}", const=const)
    answer = prover.privacy(program)
    assert answer.certificate is not None
    assert claimed(answer.certificate.data)
    if isinstance(same, Fraction):
        assert answer.epsilon == same
        return
    if same.startswith("not private"):
        assert answer.headline == same
        return
    other = from_zoo(same)
    assert isinstance(other, Program)
    expected = prover.privacy(other)
    assert (answer.private, answer.epsilon, answer.reason) == (
        expected.private,
        expected.epsilon,
        expected.reason,
    )
    assert answer.conditions.output_distinction


@pytest.mark.parametrize(("name", "const", "alpha", "same"), PROTOCOLS)
def test_a_protocol_has_the_delta_of_its_chain(
    name: str, const: str, alpha: str, same: str | Fraction
) -> None:
    answer = prover.delta(prover.load_chain(FOLDER / f"protocols.py:{name}", const=const), alpha=alpha)
    assert claimed(answer.certificate.data)
    if isinstance(same, Fraction):
        assert answer.value == same
        return
    other = from_zoo(same)
    assert isinstance(other, prover.LabelledMarkovChain)
    assert answer.value == prover.delta(other, alpha=alpha).value


@pytest.mark.parametrize(("file", "name", "const", "same"), MECHANISMS)
def test_the_imported_function_is_the_same_as_the_one_that_is_read(
    file: str, name: str, const: str, same: str | Fraction
) -> None:
    del same
    given = dict(part.split("=") for part in const.split(",") if part)
    function: Callable[..., Program] = getattr(module(file), name)
    assert function(**{key: int(value) for key, value in given.items()}) == prover.load_program(
        FOLDER / f"{file}.py:{name}", const=const
    )


def test_there_are_twenty_mechanisms() -> None:
    assert len({name for _, name, *_ in MECHANISMS} | {name for name, *_ in PROTOCOLS}) >= 20
