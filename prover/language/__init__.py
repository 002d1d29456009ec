"""Mechanisms and protocols written as Python functions: the words of the language.

    from prover.language import laplace, see

Which Python they are written in, and what it means: docs/language.md.
"""

from prover.language.functions import mechanism, protocol
from prover.language.words import (
    Queries,
    Query,
    ask,
    binomial,
    choose,
    discrete_laplace,
    exponential,
    flip,
    floor,
    gaussian,
    geometric,
    hypergeometric,
    laplace,
    see,
)

__all__ = [
    "Queries",
    "Query",
    "ask",
    "binomial",
    "choose",
    "discrete_laplace",
    "exponential",
    "flip",
    "floor",
    "gaussian",
    "geometric",
    "hypergeometric",
    "laplace",
    "mechanism",
    "protocol",
    "see",
]
