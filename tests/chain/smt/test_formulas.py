"""Formulas about chains: Z3 says of them what the oracle says, just below, at, and above the value."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from prover import zoo
from prover.chain.model import LabelledMarkovChain
from prover.chain.smt.formulas import LARGEST_QUANTIFIED, PROBLEMS, WITH_TABLE, WITHOUT_THETA, encode
from prover.smt.solver import SAT, UNKNOWN, UNSAT, solve
from tests import oracle
from tests.outside_examples import THREE_RUNGS
from tests.profiles import examples, thinned
from tests.refusals import refuses
from tests.strategies import alphas, chains

pytestmark = pytest.mark.thorough

F = Fraction
AT_MOST = ("ld-threshold", "bd-threshold", "bd-least-prefixed", "kantorovich-couplings")
QUICK = ("ld-linear", "bd-linear", "lgd-program", *WITH_TABLE)
GAP = F(1, 10**6)
SECONDS = 20


def says(
    chain: LabelledMarkovChain, problem: str, alpha: Fraction, pair: tuple[str, str], **more: Any
) -> str:
    s, t = pair
    return solve(encode(chain, problem, alpha=alpha, source=s, target=t, **more), SECONDS).status


def truth(problem: str, value: Fraction, theta: Fraction, *, strict: bool) -> str:
    if problem in AT_MOST:
        holds = value < theta if strict else value <= theta
    else:
        holds = value > theta if strict else value >= theta
    return SAT if holds else UNSAT


def around(value: Fraction) -> list[Fraction]:
    return [theta for theta in (value - GAP, value, value + GAP) if 0 <= theta <= 1]


def values(chain: LabelledMarkovChain, alpha: Fraction, pair: tuple[str, str]) -> Mapping[str, Fraction]:
    """The number that each problem is about."""
    s, t = (chain.index(name) for name in pair)
    ld, bd = oracle.ld(chain, alpha)[s][t], oracle.bd(chain, alpha)[s][t]
    lifted = oracle.lifting(oracle.table(chain, {}), chain.rows[s], chain.rows[t], alpha)
    return {
        problem: lifted if problem in WITH_TABLE else bd if problem.startswith("bd") else ld
        for problem in PROBLEMS
        if problem not in WITHOUT_THETA
    }


PIN = [F(1), F(11, 10), F(2809, 2209)]
SAMPLES = [("pin-checker", "0", "1", alpha) for alpha in thinned(PIN, 3)]
SAMPLES += [("fig1", "s0", "s1", F(3, 2)), ("fig1", "s0", "s1", F(11, 10))]


@pytest.mark.family
@pytest.mark.parametrize("problem", [problem for problem in PROBLEMS if problem not in WITHOUT_THETA])
@pytest.mark.parametrize(("model", "s", "t", "alpha"), SAMPLES)
def test_every_formula_says_what_the_oracle_says(
    model: str, s: str, t: str, alpha: Fraction, problem: str
) -> None:
    chain = zoo.build_chain(model)
    value = values(chain, alpha, (s, t))[problem]
    for theta, strict in product(around(value), (False, True)):
        found = says(chain, problem, alpha, (s, t), theta=theta, strict=strict)
        assert found == truth(problem, value, theta, strict=strict), (theta, strict)


@examples(15)
@given(chains(max_states=4), alphas())
def test_linear_formulas_of_random_chains(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    for s, t in oracle.alike_pairs(chain)[:3]:
        pair = chain.states[s], chain.states[t]
        for problem, value in values(chain, alpha, pair).items():
            if problem not in QUICK:
                continue
            for theta, strict in product(around(value), (False, True)):
                found = says(chain, problem, alpha, pair, theta=theta, strict=strict)
                assert found == truth(problem, value, theta, strict=strict), (problem, pair, theta, strict)


@pytest.mark.slow
@examples(20)
@given(chains(max_states=3), alphas())
def test_formulas_of_the_papers_for_random_chains(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    for s, t in oracle.alike_pairs(chain)[:2]:
        pair = chain.states[s], chain.states[t]
        for problem, value in values(chain, alpha, pair).items():
            if problem in QUICK:
                continue
            for theta in around(value):
                found = solve(
                    encode(chain, problem, alpha=alpha, source=pair[0], target=pair[1], theta=theta), 2
                ).status
                assert found in (UNKNOWN, truth(problem, value, theta, strict=False)), (problem, pair, theta)


@examples(25)
@given(chains(max_states=4), alphas())
def test_a_round_removes_what_is_not_skewed_bisimilar(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    kernel, _ = oracle.skewed_kernel(chain, alpha)
    for s, t in product(range(len(chain)), repeat=2):
        pair = chain.states[s], chain.states[t]
        assert says(chain, "kernel-round", alpha, pair) == (UNSAT if (s, t) in kernel else SAT)


@examples(25)
@given(chains(max_states=4), alphas())
def test_the_lifting_of_a_given_table(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    alike = oracle.alike_pairs(chain)
    d = {pair: F((3 * pair[0] + 5 * pair[1]) % 7, 7) for pair in alike}
    table = {(chain.states[i], chain.states[j]): value for (i, j), value in d.items()}
    for s, t in [*alike[:3], (0, 0), (0, len(chain) - 1)]:
        value = oracle.lifting(oracle.table(chain, d), chain.rows[s], chain.rows[t], alpha)
        for problem, theta in product(WITH_TABLE, around(value)):
            found = says(chain, problem, alpha, (chain.states[s], chain.states[t]), theta=theta, table=table)
            assert found == truth(problem, value, theta, strict=False)


@pytest.mark.family
@pytest.mark.parametrize("problem", ["ld-linear", "lgd-program", "bd-linear"])
def test_states_in_neither_support_count(problem: str) -> None:
    chain, alpha = LabelledMarkovChain.of(THREE_RUNGS), F(8, 5)
    value = values(chain, alpha, ("s", "t"))[problem]
    assert problem == "bd-linear" or value == F(13, 1500)
    assert says(chain, problem, alpha, ("s", "t"), theta=value) == SAT
    assert says(chain, problem, alpha, ("s", "t"), theta=value, strict=True) == UNSAT


@pytest.mark.parametrize("problem", PROBLEMS)
def test_trivial_pairs(problem: str) -> None:
    chain = zoo.build_chain("pin-checker")
    same, apart = ("0", "0"), ("0", "2")
    if problem in WITHOUT_THETA:
        assert says(chain, problem, F(2), same) == UNSAT
        assert says(chain, problem, F(2), apart) == SAT
    elif problem not in WITH_TABLE:
        low, high = (SAT, UNSAT) if problem in AT_MOST else (UNSAT, SAT)
        assert says(chain, problem, F(2), same, theta=F(1, 2)) == low
        assert says(chain, problem, F(2), apart, theta=F(1, 2)) == high


def test_names_cannot_forge_a_line() -> None:
    states = {"a\n(assert false)": ('x"|;', {"b": "1"}), "b": ("é\u2028", {"b": "1"})}
    chain = LabelledMarkovChain.of(states)
    for problem in PROBLEMS:
        theta = None if problem in WITHOUT_THETA else F(0)
        text = encode(chain, problem, alpha=2, source="b", target="b", theta=theta)
        assert text.isascii()
        assert "\n(assert false)" not in text
        assert '"a\\n(assert false)"' in text


def test_long_numbers_are_written_in_full() -> None:
    chain = LabelledMarkovChain.of(
        {"s": ("a", {"s": f"1/1{'0' * 5000}", "e": f"{'9' * 5000}/1{'0' * 5000}"}), "e": ("e", {"e": 1})}
    )
    text = encode(chain, "ld-linear", alpha=F(3, 2), source="s", target="s", theta=F(1, 10**5000))
    assert f"1{'0' * 5000}.0" in text


@pytest.mark.parametrize("status", [SAT, UNSAT])
def test_a_known_status_is_written(status: str) -> None:
    chain = zoo.build_chain("pin-checker")
    for problem in PROBLEMS:
        theta = None if problem in WITHOUT_THETA else F(1, 2)
        question: dict[str, Any] = {"alpha": F(2), "source": "0", "target": "1", "theta": theta}
        assert f"(set-info :status {status})\n" in encode(chain, problem, **question, status=status)
        assert ":status" not in encode(chain, problem, **question)


GOOD: dict[str, Any] = {"alpha": F(2), "source": "0", "target": "1", "theta": F(1, 2)}


@pytest.mark.parametrize(
    ("problem", "change", "error", "words"),
    [
        ("no such\n", {}, "unknown-problem", "unknown problem"),
        ("ld-linear", {"alpha": None}, "bad-alpha", "ld-linear needs alpha"),
        ("ld-linear", {"alpha": F(9, 10)}, "bad-alpha", "at least 1, not 9/10"),
        ("ld-linear", {"source": None}, "missing-pair", "about two states"),
        ("ld-linear", {"target": None}, "missing-pair", "about two states"),
        ("ld-linear", {"target": "9"}, "unknown-state", '"9"'),
        ("ld-linear", {"theta": None}, "bad-theta", "give theta"),
        ("ld-linear", {"theta": F(3, 2)}, "bad-theta", "theta must be at most 1, not 3/2"),
        ("ld-linear", {"theta": "-1/10"}, "bad-theta", "not -1/10"),
        ("ld-linear", {"theta": 0.5}, "bad-theta", "not a float"),
        ("kernel-round", {}, "bad-theta", "no use for theta"),
        ("ld-linear", {"table": {}}, "bad-table", "no use for a table"),
        ("kantorovich-couplings", {"table": {("0", "2"): F(1)}}, "bad-table", '"0" and "2"'),
        (
            "kantorovich-couplings",
            {"table": {("0", "1"): F(2)}},
            "bad-table",
            '"0", "1" must be at most 1, not 2',
        ),
        ("kantorovich-potentials", {"table": {("0", "1"): 0.5}}, "bad-table", "not a float"),
    ],
)
def test_what_does_not_fit_is_refused(
    problem: str, change: Mapping[str, Any], error: str, words: str
) -> None:
    with refuses(error, match=words):
        encode(zoo.build_chain("pin-checker"), problem, **{**GOOD, **change})


def test_quantified_formulas_are_for_small_chains() -> None:
    chain = zoo.build_chain("random-chain", states=str(LARGEST_QUANTIFIED + 1))
    with refuses("too-many-states", match="not 7; bd-threshold"):
        encode(chain, "bd-least-prefixed", alpha=2, source="s0", target="s1", theta="1/2")


GOLDEN = Path(__file__).resolve().parents[2] / "golden"
SMALL = [
    (problem, number, model, s, t, alpha)
    for problem in PROBLEMS
    for number, (model, s, t, alpha) in enumerate(
        [("pin-checker", "0", "1", F(11, 10)), ("fig1", "s0", "s1", F(3, 2))], 1
    )
]


def small(problem: str, model: str, s: str, t: str, alpha: Fraction) -> str:
    theta = None if problem in WITHOUT_THETA else F(1, 20)
    chain = zoo.build_chain(model)
    status = says(chain, problem, alpha, (s, t), theta=theta)
    return encode(chain, problem, alpha=alpha, source=s, target=t, theta=theta, status=status)


@pytest.mark.parametrize(("problem", "number", "model", "s", "t", "alpha"), SMALL)
def test_golden_files(problem: str, number: int, model: str, s: str, t: str, alpha: Fraction) -> None:
    path = GOLDEN / f"{problem}-{number}.smt2"
    assert path.read_text(encoding="ascii") == small(problem, model, s, t, alpha)


if (
    __name__ == "__main__"
):  # python -m tests.chain.smt.test_formulas writes them anew; look at what has changed
    for problem, number, model, s, t, alpha in SMALL:
        (GOLDEN / f"{problem}-{number}.smt2").write_text(small(problem, model, s, t, alpha), encoding="ascii")
