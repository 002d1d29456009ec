"""Whoever calls a public function with the wrong thing is told which, and what would be right."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import prover
from prover.errors import BadInput, WrongArgument, must_be, quoted
from prover.program.attack.probability import loss_between, path_probability
from prover.zoo import lyu_4, pin_checker, svt
from tests.refusals import refuses

CHAIN, PROGRAM = pin_checker(), svt()
FASTER = replace(PROGRAM, states={**PROGRAM.states, "q1": replace(PROGRAM.states["q1"], rate=Fraction(1))})
OPEN = prover.OpenProgram("t", Fraction(1, 4), Fraction(1), PROGRAM, FASTER)
REAL = prover.load_real("examples/real/svt.dipa")
PAIR: Mapping[str, Any] = {"chain": CHAIN, "source": "0", "target": "1"}
STATES = {"s": ("a", {"s": "1/2", "t": "1/2"})}

CALLS: Mapping[str, Mapping[str, Any]] = {
    "advantages": {"program": PROGRAM, "epsilon": 1, "adjacency": "one-differ"},
    "attack": {"program": PROGRAM, "epsilon": 1, "exceed": None, "adjacency": "all-differ"},
    "bisimilarity": {"chain": CHAIN},
    "breakpoints": {**PAIR, "kind": "tv"},
    "collapse": {"chain": CHAIN, "silent": ()},
    "convert": {"source": "none.json", "target": "other.json"},
    "crosscheck": {"answer": prover.distance(CHAIN, "0", "1", alpha="11/10")},
    "curve": {**PAIR, "alphas": ["1", "1.1"], "kind": "tv", "gap": "1/10"},
    "delta": {**PAIR, "alpha": "1.1", "epsilon": None, "gap": "1/10", "kind": "tv", "at_most": None},
    "distance": {**PAIR, "alpha": "1.1", "kind": "ld", "engine": "auto", "bounds": "both", "max_bits": None},
    "distances": {"chain": CHAIN, "alpha": "1.1", "kind": "ld", "engine": "auto", "bounds": "both"},
    "encode": {"model": CHAIN, "problem": "ld-linear", "alpha": 2, "source": "0", "target": "1", "theta": 0},
    "epsilon_for": {**PAIR, "delta": "1/10", "kind": "tv", "gap": "1/10", "limit": 10},
    "explore": {"initial": ["s"], "step": lambda s: {s: 1}, "label": str, "name": str},
    "from_dict": {"document": prover.to_dict(CHAIN)},
    "from_finite_words": {"states": STATES, "final": ["t"], "relation": ()},
    "from_transition_labels": {"transitions": {"s": [(1, "a", "s")]}, "relation": ()},
    "load": {"source": "none.json"},
    "load_open": {"source": "none.json"},
    "load_real": {"source": "none.json"},
    "load_chain": {"source": "none.json"},
    "load_program": {"path": "none.json"},
    "open_privacy": {"program": OPEN, "adjacency": "all-differ", "effort": 1},
    "real_privacy": {"program": REAL, "adjacency": "all-differ", "effort": 1},
    "privacy_of_counts": {"make": lyu_4, "first": 1, "last": 4, "adjacency": "all-differ"},
    "privacy": {"program": PROGRAM, "adjacency": "all-differ", "engine": "auto", "longest": 6},
    "product": {"left": CHAIN, "right": CHAIN, "related": "some"},
    "quotient": {"chain": CHAIN, "classes": [[state] for state in range(len(CHAIN))]},
    "reduce_total_variation": {"chain": CHAIN, "first": "0", "second": "1", "alpha": 2},
    "mechanism": {"function": abs},
    "protocol": {"function": abs},
    "renyi": {**PAIR, "orders": ["2"], "kind": "tv"},
    "repeat": {"chain": CHAIN, "count": 2},
    "restrict": {"chain": CHAIN, "sources": [0]},
    "save": {"model": CHAIN, "path": "none.txt"},
    "shared_cost": {"most": 10},
    "sweep": {"model": lambda **_: pin_checker(), "over": {"n": "0:1"}, "alpha": "1.1"},
    "to_dict": {"model": CHAIN},
    "to_networkx": {"chain": CHAIN},
    "tradeoff": {**PAIR, "kind": "tv"},
    "verify": {"certificate": prover.distance(CHAIN, "0", "1", alpha="11/10").certificate},
}
"""A call of every public function, each with the arguments that can be wrong."""

MODELS = ("answer", "chain", "document", "left", "model", "program", "right")
OPTIONAL = ("alpha", "at_most", "epsilon", "exceed", "max_bits", "source", "target", "theta")
"""Arguments that None leaves out; where it must not be left out, None is refused all the same."""

WITH_DEFAULTS = (("delta", "gap"),)
"""Arguments for which None is the default."""

COLLECTIONS = ("alphas", "classes", "final", "initial", "relation", "silent", "sources")
"""Arguments that may be empty."""

VALUES: Mapping[str, object] = {
    "none": None,
    "float": 0.5,
    "nan": float("nan"),
    "text": "nonsense\n",
    "list": [],
}


def wrong_arguments(function: str) -> Iterator[tuple[str, object]]:
    """Each argument of a function with each value that is wrong there."""
    for argument, (name, wrong) in product(CALLS[function], VALUES.items()):
        if (
            (name != "text" or argument in MODELS)
            and (name != "none" or (argument not in OPTIONAL and (function, argument) not in WITH_DEFAULTS))
            and (name != "list" or argument not in COLLECTIONS)
        ):
            yield argument, wrong


def call(function: str, arguments: Mapping[str, Any]) -> object:
    return getattr(prover, function)(**arguments)


def test_the_table_has_every_public_function() -> None:
    functions = {name for name in prover.__all__ if inspect.isroutine(getattr(prover, name))}
    assert functions == CALLS.keys()


@pytest.mark.parametrize("function", sorted(CALLS.keys() - {"convert", "save", "shared_cost"}))
def test_the_calls_of_the_table_are_right(function: str) -> None:
    if function.startswith("load"):
        with pytest.raises(BadInput, match="no such file"):
            call(function, CALLS[function])
    else:
        call(function, CALLS[function])


@pytest.mark.parametrize("function", CALLS)
def test_wrong_arguments(function: str) -> None:
    for argument, wrong in wrong_arguments(function):
        try:
            call(function, {**CALLS[function], argument: wrong})
        except BadInput as refused:
            message = str(refused)
        else:
            pytest.fail(f"{argument}={wrong!r} is not refused")
        assert len(message) < 300
        assert message.isprintable()


@pytest.mark.parametrize("function", [name for name in CALLS if "chain" in CALLS[name]])
def test_the_name_of_a_file_is_no_chain(function: str) -> None:
    with pytest.raises(WrongArgument) as refused:
        call(function, {**CALLS[function], "chain": "pin.json"})
    said = str(refused.value)
    assert said.startswith("chain must be a LabelledMarkovChain")
    assert said.endswith(", not a string; prover.load reads models from files")


def test_a_wrong_argument_is_a_type_error_too() -> None:
    with pytest.raises(TypeError, match=r"^program must be a Program, not a LabelledMarkovChain$"):
        prover.privacy(CHAIN)  # type: ignore[arg-type]


def test_measurements_of_runs() -> None:
    path, inputs = PROGRAM.edges[:1], [Fraction(0)]
    for wrong in (0.5, None, float("nan")):
        with refuses("bad-measurement", match="an input must be a rational number, not"):
            path_probability(PROGRAM, path, [wrong])  # type: ignore[list-item]
        with pytest.raises(BadInput):
            path_probability(PROGRAM, path, wrong)  # type: ignore[arg-type]
        with refuses("bad-measurement", match="epsilon must be"):
            loss_between(PROGRAM, path, inputs, inputs, wrong)  # type: ignore[arg-type]
        with refuses("bad-measurement", match="the end of a window"):
            path_probability(PROGRAM, path, inputs, {0: (Fraction(0), wrong)})  # type: ignore[dict-item]
    for epsilon in (0, -1):
        with refuses("bad-measurement", match=f"epsilon must be more than 0, not {epsilon}"):
            loss_between(PROGRAM, path, inputs, inputs, Fraction(epsilon))


def test_types_and_their_names() -> None:
    must_be(int, count=3)
    must_be((int, Fraction), number=Fraction(1, 2))
    for value, name in (
        (0.5, "a float"),
        (None, "None"),
        (True, "true or false"),
        (object(), "a object"),
    ):
        with pytest.raises(WrongArgument, match=f"^count must be an integer, not {name}"):
            must_be(int, count=value)


def test_what_is_no_text_is_quoted_without_quotation_marks() -> None:
    assert quoted("a\n") == '"a\\n"'
    assert quoted(None) == "None"
    assert quoted([]) == "[]"
    assert len(quoted(["x"] * 10_000)) < 100
