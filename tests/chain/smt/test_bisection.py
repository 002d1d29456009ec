"""The engines that ask formulas find the same answers, with the same certificates, as linear programs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given

from prover import zoo
from prover.chain.answer import Distance
from prover.chain.distance import distance, distances
from prover.chain.kinds import FORMULA_ENGINES
from prover.chain.model import LabelledMarkovChain
from prover.chain.smt.bisection import Asker, largest_denominator
from prover.errors import Fault
from prover.smt.solver import UNKNOWN, SolverResult, solve
from tests import oracle
from tests.certified import verified
from tests.profiles import examples
from tests.refusals import refuses
from tests.strategies import alphas, chains

pytestmark = pytest.mark.thorough

F = Fraction


def agreed(chain: LabelledMarkovChain, engine: str, *question: Any, **options: Any) -> Distance:
    """The engine's answer, which is that of the linear programs, certificate included."""
    expected = distance(chain, *question, **options)
    found = verified(distance(chain, *question, **options, engine=engine))
    assert found.engine == engine
    assert (found.lower, found.upper) == (expected.lower, expected.upper)
    assert (found.source, found.target) == (expected.source, expected.target)
    assert found.certificate.data == expected.certificate.data
    return found


PUBLISHED = [
    ("fig1", "s0", "s1", F(3, 2), "ld", "0"),
    ("fig1", "s0", "s1", F(3, 2), "bd", "0"),
    ("pin-checker", "0", "1", F(1), "ld", "6/53"),
    ("pin-checker", "0", "1", F(1), "bd", "6/53"),
    ("pin-checker", "0", "1", F(11, 10), "ld", "412/7791"),
    ("pin-checker", "1", "0", F(11, 10), "lgd", "6611/77910"),
    ("pin-checker", "0", "1", F(2809, 2209), "ld", "94/2597"),
    ("pin-checker", "0", "1", F(2809, 2209), "bd", "6/53"),
]


QUICK = [("linear", *row) for row in PUBLISHED]
EASY_ROWS = [row for row in PUBLISHED if row[0] == "fig1" or row[3:5] == (F(1), "bd")]
QUICK += [("nonlinear", *row) for row in EASY_ROWS]
LONG = [("nonlinear", *row) for row in PUBLISHED if row not in EASY_ROWS]


@pytest.mark.family
@pytest.mark.parametrize(
    ("engine", "model", "s", "t", "alpha", "kind", "value"),
    [*QUICK, *(pytest.param(*row, marks=pytest.mark.slow) for row in LONG)],
)
def test_published_values(
    engine: str, model: str, s: str, t: str, alpha: Fraction, kind: str, value: str
) -> None:
    found = agreed(zoo.build_chain(model), engine, s, t, alpha, kind=kind)
    assert found.value == F(value)


@pytest.mark.family
@pytest.mark.parametrize("engine", FORMULA_ENGINES)
@pytest.mark.parametrize("kind", ["ld", "bd"])
def test_the_maximum_over_a_relation(engine: str, kind: str) -> None:
    chain = zoo.build_chain("randomised-response")
    found = agreed(chain, engine, None, None, F(6, 5), kind=kind)
    assert found.over_relation
    assert found.value == F(4, 15)


@pytest.mark.parametrize("engine", FORMULA_ENGINES)
@pytest.mark.parametrize(("pair", "value"), [(("0", "0"), 0), (("0", "2"), 1)])
def test_trivial_pairs_need_no_formula(engine: str, pair: tuple[str, str], value: int) -> None:
    assert agreed(zoo.build_chain("pin-checker"), engine, *pair, F(2)).value == value


@examples(6)
@given(chains(max_states=5), alphas())
def test_linear_formulas_of_random_chains(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    for (s, t), kind in product(oracle.alike_pairs(chain)[:2], ("ld", "bd")):
        agreed(chain, "linear", chain.states[s], chain.states[t], alpha, kind=kind)


SMALL = [(3, 1), (3, 2), (3, 3), (4, 2), (4, 3)]
EASY = (3, 2)


@pytest.mark.parametrize(("states", "seed"), SMALL)
def test_nonlinear_formulas_of_random_chains(states: int, seed: int) -> None:
    chain = zoo.build_chain("random-chain", states=str(states), degree="2", labels="2", seed=str(seed))
    s, t = next(
        pair for pair in oracle.alike_pairs(chain) if 0 < oracle.bd(chain, F(6, 5))[pair[0]][pair[1]] < 1
    )
    agreed(chain, "nonlinear", chain.states[s], chain.states[t], F(6, 5), kind="bd")


@pytest.mark.parametrize(
    ("states", "seed"), [EASY, *(pytest.param(*c, marks=pytest.mark.slow) for c in SMALL if c != EASY)]
)
def test_nonlinear_formulas_of_random_chains_and_ld(states: int, seed: int) -> None:
    chain = zoo.build_chain("random-chain", states=str(states), degree="2", labels="2", seed=str(seed))
    s, t = next(
        pair for pair in oracle.alike_pairs(chain) if 0 < oracle.ld(chain, F(6, 5))[pair[0]][pair[1]] < 1
    )
    agreed(chain, "nonlinear", chain.states[s], chain.states[t], F(6, 5))


@pytest.mark.parametrize(("labels", "degree"), [(8, 3), (5, 2)])
def test_linear_formulas_of_thirty_states(labels: int, degree: int) -> None:
    chain = zoo.build_chain("random-chain", states="30", labels=str(labels), degree=str(degree))
    table = distances(chain, F(6, 5)).lower
    s, t = next(pair for pair, value in table.items() if 0 < value < 1)
    agreed(chain, "linear", s, t, F(6, 5))


@examples(15)
@given(chains(max_states=4), alphas())
def test_denominators_are_below_their_bound(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    ld, bd = oracle.ld(chain, alpha), oracle.bd(chain, alpha)
    for s, t in oracle.alike_pairs(chain):
        assert ld[s][t].denominator <= largest_denominator(chain, alpha, (s, t))
        assert bd[s][t].denominator <= largest_denominator(chain, alpha, (s, t), symmetric=True)


@pytest.mark.family
@pytest.mark.parametrize("engine", FORMULA_ENGINES)
@pytest.mark.parametrize("kind", ["ld", "bd"])
def test_a_solver_that_gives_up_leaves_a_certified_interval(
    engine: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    def tired(script: str, timeout: float | None = None) -> SolverResult:
        nonlocal asked
        asked += 1
        return solve(script, timeout) if asked <= 5 else SolverResult(UNKNOWN)

    monkeypatch.setattr("prover.smt.confirm.solve", tired)
    chain = zoo.build_chain("pin-checker")
    seen: list[Distance] = []
    exact = distance(chain, "0", "1", F(11, 10), kind=kind).value
    found = distance(chain, "0", "1", F(11, 10), kind=kind, engine=engine, on_interval=seen.append)
    assert exact is not None
    assert found.engine == engine
    assert found.upper - found.lower == F(1, 16)
    engines = [answer.engine for answer in seen]
    assert engines[:2] == ["trivial", "labels"]
    assert set(engines[2:]) <= {"labels", engine}
    for answer in [*seen, found]:
        assert verified(answer).lower <= exact <= answer.upper


def test_disagreement_is_a_fault_that_can_be_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Asker, "exceeds", lambda _self, _pair, theta: F(1, 2) > theta)
    monkeypatch.setattr(Asker, "reaches", lambda _self, _pair, theta: F(1, 2) >= theta)
    with pytest.raises(Fault) as caught:
        distance(zoo.build_chain("pin-checker"), "0", "1", F(11, 10), engine="linear")
    message = str(caught.value)
    for word in ("linear", "11/10", "'0' to '1'", "ld-linear", '"53/100"'):
        assert word in message


@pytest.mark.parametrize("engine", FORMULA_ENGINES)
def test_what_the_engines_do_not_find_is_refused(engine: str) -> None:
    chain = zoo.build_chain("pin-checker")
    with refuses("unfit-engine", match="kind kernel"):
        distance(chain, "0", "1", F(2), kind="kernel", engine=engine)
    with refuses("unfit-engine", match="kind bisimilarity"):
        distance(chain, "0", "1", kind="bisimilarity", engine=engine)
    with refuses("unfit-engine", match="upper bounds alone"):
        distance(chain, "0", "1", F(2), bounds="upper", engine=engine)
    with refuses("unfit-engine", match="the distances of all pairs"):
        distances(chain, F(2), engine=engine)


def test_unknown_engines_are_refused() -> None:
    with refuses("unknown-engine", match=r'"magic" .* auto, lp, linear, nonlinear'):
        distance(zoo.build_chain("pin-checker"), "0", "1", F(2), engine="magic")
