"""Models of the papers, and random ones, as functions with parameters.

``build`` makes them from names and texts, as the command line does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.program.model import Program
from prover.zoo.chains import (
    dining_cryptographers,
    fig1,
    herman_ring,
    pin_checker,
    random_chain,
    randomised_response,
)
from prover.zoo.interactive import adaptive_response, doors, grow, pin_guessing, wait
from prover.zoo.large_programs import random_program, row_of_loops
from prover.zoo.observers import hidden_exit, hidden_xor, noisy_max
from prover.zoo.parameters import (
    BadParameter,
    UnknownModel,
    UnknownParameter,
    WrongKind,
    whole_number,
)
from prover.zoo.passwords import password_timing
from prover.zoo.programs import (
    chain_of_tests,
    disclosing_cycle,
    leaking_cycle,
    leaking_pair,
    lyu_1,
    lyu_2,
    lyu_3,
    lyu_4,
    lyu_5,
    lyu_6,
    numeric_sparse,
    numeric_svt,
    partition,
    sharing_family,
    sharing_member,
    sharing_pair,
    svt,
    svt_discrete,
    svt_gap,
    svt_star,
    violating_path_a,
    violating_path_b,
    violating_path_c,
)
from prover.zoo.protocols import announced_diners, counted_crowds, retransmission
from prover.zoo.several import (
    counterexample,
    k_min_max,
    levels,
    m_range,
    nested_thresholds,
    num_range,
    streams,
    two_range,
)
from prover.zoo.unseen_time import crowds, hidden_loops

__all__ = [
    "NAMES",
    "BadParameter",
    "UnknownModel",
    "UnknownParameter",
    "WrongKind",
    "adaptive_response",
    "announced_diners",
    "build",
    "build_chain",
    "build_program",
    "chain_of_tests",
    "counted_crowds",
    "counterexample",
    "crowds",
    "description_of",
    "dining_cryptographers",
    "disclosing_cycle",
    "doors",
    "fig1",
    "grow",
    "herman_ring",
    "hidden_exit",
    "hidden_loops",
    "hidden_xor",
    "k_min_max",
    "leaking_cycle",
    "leaking_pair",
    "levels",
    "lyu_1",
    "lyu_2",
    "lyu_3",
    "lyu_4",
    "lyu_5",
    "lyu_6",
    "m_range",
    "nested_thresholds",
    "noisy_max",
    "num_range",
    "numeric_sparse",
    "numeric_svt",
    "parameters_of",
    "partition",
    "password_timing",
    "pin_checker",
    "pin_guessing",
    "random_chain",
    "random_program",
    "randomised_response",
    "retransmission",
    "row_of_loops",
    "sharing_family",
    "sharing_member",
    "sharing_pair",
    "streams",
    "svt",
    "svt_discrete",
    "svt_gap",
    "svt_star",
    "two_range",
    "violating_path_a",
    "violating_path_b",
    "violating_path_c",
    "wait",
]

ZooModel = LabelledMarkovChain | LabelledMarkovDecisionProcess | Program

_FUNCTIONS: tuple[Callable[..., ZooModel], ...] = (
    fig1,
    pin_checker,
    dining_cryptographers,
    randomised_response,
    herman_ring,
    random_chain,
    crowds,
    hidden_loops,
    counted_crowds,
    announced_diners,
    retransmission,
    svt,
    svt_discrete,
    svt_gap,
    numeric_sparse,
    lyu_1,
    lyu_2,
    lyu_3,
    lyu_4,
    lyu_5,
    lyu_6,
    numeric_svt,
    svt_star,
    leaking_cycle,
    leaking_pair,
    disclosing_cycle,
    violating_path_a,
    violating_path_b,
    violating_path_c,
    chain_of_tests,
    partition,
    sharing_pair,
    sharing_family,
    sharing_member,
    random_program,
    row_of_loops,
    m_range,
    k_min_max,
    num_range,
    two_range,
    nested_thresholds,
    levels,
    streams,
    counterexample,
    noisy_max,
    hidden_exit,
    hidden_xor,
    wait,
    grow,
    doors,
    adaptive_response,
    pin_guessing,
    password_timing,
)
_CALLED: Mapping[Callable[..., ZooModel], str] = {doors: "two-doors"}
_MODELS: Mapping[str, Callable[..., ZooModel]] = {
    _CALLED.get(function, function.__name__.replace("_", "-")): function for function in _FUNCTIONS
}
"""The models by their names, which are those of the functions with hyphens; one has another name there."""

_KINDS: Mapping[type, str] = {
    LabelledMarkovChain: "labelled Markov chain",
    LabelledMarkovDecisionProcess: "labelled Markov decision process",
    Program: "threshold program",
}

NAMES = tuple(_MODELS)
"""The names of the models."""


def build(name: str, /, **parameters: str) -> ZooModel:
    """The model called ``name``, with parameters as texts; those not given have their defaults.

        >>> build("randomised-response", respondents="2")
        <LabelledMarkovChain: 13 states, 8 related pairs>

    Raises UnknownModel, UnknownParameter, BadParameter.
    """
    defaults = _defaults(name)
    values: dict[str, object] = {}
    for parameter, text in parameters.items():
        if parameter not in defaults:
            raise UnknownParameter(name, parameter, tuple(defaults))
        whole = isinstance(defaults[parameter], int)
        values[parameter] = whole_number(parameter, text) if whole else text
    return _MODELS[name](**values)


def build_chain(name: str, /, **parameters: str) -> LabelledMarkovChain:
    """The chain called ``name``; raises NotSupported and what ``build`` raises."""
    model = build(name, **parameters)
    if not isinstance(model, LabelledMarkovChain):
        raise WrongKind(name, _KINDS[type(model)], "labelled Markov chain")
    return model


def build_program(name: str, /, **parameters: str) -> Program:
    """The program called ``name``; raises NotSupported and what ``build`` raises."""
    model = build(name, **parameters)
    if not isinstance(model, Program):
        raise WrongKind(name, _KINDS[type(model)], "threshold program")
    return model


def parameters_of(name: str) -> dict[str, str]:
    """The parameters of the model called ``name`` with their defaults as texts.

    Raises UnknownModel.
    """
    return {parameter: str(default) for parameter, default in _defaults(name).items()}


def description_of(name: str) -> str:
    """The model called ``name``, described in a sentence; raises UnknownModel."""
    _defaults(name)
    return (inspect.getdoc(_MODELS[name]) or "").partition("\n")[0].replace("``", "")


def _defaults(name: str) -> dict[str, object]:
    if name not in _MODELS:
        raise UnknownModel(name, NAMES)
    return {p.name: p.default for p in inspect.signature(_MODELS[name]).parameters.values()}
