"""Claims in the tests of a project: a failure shows the attack, or the loss of a mechanism.

from prover.testing import assert_private

def test_survey():
    assert_private("survey.json", alpha="6/5", delta="4/15")

def test_above_threshold():
    assert_private("mechanisms.py:above_threshold", epsilon="3/4", adjacency="monotonic", const={"count": 3})
"""

from __future__ import annotations

import os

from prover.chain.arguments import given_slope
from prover.claims.checking import HOLDS, check_system
from prover.claims.claim import Claim
from prover.errors import BadValue, must_be
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.formats.load import Model, read_model
from prover.formats.reading import Constants, Names, Reading, SecretNames
from prover.program.adjacency import Adjacency, given_adjacency
from prover.program.model import Program
from prover.program.optimum.budget import DEFAULT_EFFORT, given_effort


def assert_private(
    model: str | os.PathLike[str] | Model,
    source: str | None = None,
    target: str | None = None,
    *,
    epsilon: Given | None = None,
    alpha: Given | None = None,
    delta: Given | None = None,
    adjacency: str = Adjacency.ALL_DIFFER,
    effort: int = DEFAULT_EFFORT,
    const: Constants | None = None,
    observe: Names | None = None,
    labels: Names | None = None,
    secret: SecretNames | None = None,
    initial: bool = False,
    secret_pairs: str | os.PathLike[str] | None = None,
    normalise: bool = False,
    untimed: bool = False,
    silent: Names | None = None,
    refuse: bool = False,
    related: str | None = None,
) -> None:
    """Raise AssertionError, with the attack or the loss, unless the model is as private as claimed.

    The claim about a chain, or about a system in which an attacker chooses actions: δ is at most ``delta`` at
    ``epsilon`` or ``alpha`` = e^ε, between two states or over the relation. The claim about a threshold
    program: it is private with a loss of at most ``epsilon`` times ε; ``effort`` limits the work
    (docs/budgets.md). The other options are those of ``prover.load``, for a model that is a path. A claim
    that stays open raises AssertionError, too.

        >>> from prover.zoo import svt
        >>> assert_private(svt(), epsilon="5/4")

    Raises BadValue, and what reading the model and asking about it raise.
    """
    __tracebackhide__ = True
    reading = Reading.of(
        observe, labels, secret, initial, secret_pairs, normalise, const, untimed, silent, refuse, related
    )
    if isinstance(model, str | os.PathLike):
        name = os.fspath(model)
        given = read_model(name, reading, None)
    else:
        if reading != Reading():
            raise BadValue("options about reading need a model in a file", code="bad-claim")
        name, given = repr(model), model
    found = check_system(
        _claim(name, given, (source, target), epsilon, alpha, delta, adjacency, effort), given
    )
    if found.status != HOLDS:
        raise AssertionError(found.failure)


def _claim(
    name: str,
    model: Model,
    pair: tuple[str | None, str | None],
    epsilon: Given | None,
    alpha: Given | None,
    delta: Given | None,
    adjacency: str,
    effort: int,
) -> Claim:
    given_adjacency(adjacency)
    effort = given_effort(effort)
    if isinstance(model, Program):
        if epsilon is None or alpha is not None or delta is not None or pair != (None, None):
            raise BadValue(
                "the claim about a threshold program is that its loss is at most epsilon, a multiple of ε",
                code="bad-claim",
            )
        most = given_rational(epsilon, "epsilon", "bad-claim", at_least=0)
        return Claim(name, "", name, epsilon_at_most=most, adjacency=str(adjacency), effort=effort)
    if delta is None:
        raise BadValue(
            "the claim about a chain is that delta is at most a number, at epsilon or alpha", code="bad-claim"
        )
    given_slope("delta", alpha, epsilon)
    most = given_rational(delta, "delta", "bad-claim", at_least=0)
    texts = [None if one is None else _text(one) for one in (alpha, epsilon)]
    must_be((str, type(None)), source=pair[0], target=pair[1])
    return Claim(name, "", name, {}, *pair, texts[0], texts[1], delta_at_most=most)


def _text(given: Given) -> str:
    return (
        given if isinstance(given, str) else format_rational(given_rational(given, "the number", "bad-claim"))
    )
