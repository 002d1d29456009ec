"""Claims in the tests of a project: a failure shows the attack, or the loss of a mechanism.

from prover.testing import assert_private

def test_survey():
    assert_private("survey.json", alpha="6/5", delta="4/15")

def test_above_threshold():
    assert_private("mechanisms.py:above_threshold", epsilon="3/4", adjacency="monotonic", const={"count": 3})

def test_the_survey_is_its_model():
    assert_shows("survey.py:survey", "truth=True", lambda: [our_survey(True)])
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from prover.chain.arguments import given_slope
from prover.chain.model import LabelledMarkovChain
from prover.claims.checking import HOLDS, check_system
from prover.claims.claim import Claim
from prover.errors import BadValue, WrongArgument, must_be
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.formats.load import Model, read_model
from prover.formats.reading import Constants, Names, Reading, SecretNames
from prover.gallery.replayed import counted_lines
from prover.gallery.replaying import counts
from prover.gallery.replaying import law as law_of
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


def assert_shows(
    model: str | os.PathLike[str] | LabelledMarkovChain,
    source: str,
    run: Callable[[], Iterable[object]],
    *,
    runs: int = 5_000,
    const: Constants | None = None,
) -> None:
    """Raise AssertionError unless ``run`` shows what the model shows from a secret, about as often.

    ``run`` is code of yours; it returns, each time anew, everything that is seen in one run, in the words of
    the model. All outputs of the model must be finitely many. Each output is counted in so many runs; its
    exact probability must lie in an interval (Clopper and Pearson) that misses the probability of your code
    with probability 10^-9 at most, and what the model never shows must never be shown. Agreement is evidence
    that the model is the code, and no proof.

        >>> import random
        >>> from prover.zoo import randomised_response
        >>> survey = randomised_response(beta="2")
        >>> assert_shows(survey, "a", lambda: [random.choice("aab")], runs=500)

    Raises BadValue, UnknownName, and what reading the model raises.
    """
    __tracebackhide__ = True
    must_be(int, runs=runs)
    if runs < 1:
        raise BadValue(f"runs must be at least 1, not {runs}", code="bad-runs")
    if isinstance(model, str | os.PathLike):
        chain = read_model(os.fspath(model), Reading.of(const=const), None)
    elif const is not None:
        raise BadValue("options about reading need a model in a file", code="bad-claim")
    else:
        chain = model
    if not isinstance(chain, LabelledMarkovChain):
        raise WrongArgument("model", "a LabelledMarkovChain", chain)
    law = {source: {word: (chance, chance) for word, chance in law_of(chain, source).items()}}
    outputs = counts(source, law, run, runs)
    if not all(one.agrees for one in outputs):
        raise AssertionError(
            "\n".join(["the code does not show what the model shows", *counted_lines(outputs)])
        )


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
