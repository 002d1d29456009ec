"""`distance` and `distances`: published values, scopes, kinds, limits, and everything they refuse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from prover import zoo
from prover.chain.answer import Distance, DistanceTable
from prover.chain.distance import distance, distances
from prover.chain.kinds import KINDS
from prover.chain.ld.table import DistanceValues
from prover.chain.model import LabelledMarkovChain
from prover.chain.secrets import query_pairs
from prover.exact.exponential import enclosed_logarithm
from prover.questions import delta
from tests import oracle
from tests.certified import verified
from tests.outside_examples import THREE_RUNGS
from tests.refusals import refuses
from tests.strategies import absorbed_chains, alphas, chains

F = Fraction
few = settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.too_slow])
PIN = zoo.build_chain("pin-checker")
RUNGS = LabelledMarkovChain.of(THREE_RUNGS)
WITHOUT_K = LabelledMarkovChain.of({name: state for name, state in THREE_RUNGS.items() if name != "k"})
RESPONSE = zoo.build_chain("randomised-response")
LONG = zoo.build_chain("random-chain", states="44", labels="2", seed="3")


# Published values


@pytest.mark.parametrize(
    ("chain", "s", "t", "alpha", "kind", "value"),
    [
        (PIN, "0", "1", "1", "ld", "6/53"),
        (PIN, "1", "0", "1", "ld", "6/53"),
        (PIN, "0", "1", "11/10", "ld", "412/7791"),
        (PIN, "1", "0", "11/10", "ld", "6611/77910"),
        (PIN, "0", "1", "2809/2209", "ld", "94/2597"),
        (PIN, "1", "0", "2809/2209", "ld", "200/2597"),
        (PIN, "0", "1", "1", "bd", "6/53"),
        (PIN, "0", "1", "11/10", "bd", "6/53"),
        (PIN, "1", "0", "2809/2209", "bd", "6/53"),
        (zoo.build_chain("fig1"), "s0", "s1", "3/2", "ld", "0"),
        (zoo.build_chain("fig1"), "s0", "s1", "3/2", "bd", "0"),
        (zoo.build_chain("fig1"), "s0", "s1", "1", "ld", "1/5"),
        (RUNGS, "s", "t", "3/2", "ld", "0"),
        (RUNGS, "s", "t", "8/5", "ld", "13/1500"),
        (WITHOUT_K, "s", "t", "3/2", "ld", "3/50"),
        (RESPONSE, "a", "b", "6/5", "ld", "4/15"),
    ],
)
def test_values_of_pairs(
    chain: LabelledMarkovChain, s: str, t: str, alpha: str, kind: str, value: str
) -> None:
    answer = verified(distance(chain, s, t, alpha, kind=kind))
    assert (answer.source, answer.target, answer.value) == (s, t, F(value))
    assert answer.lower == answer.upper
    assert not answer.over_relation


@pytest.mark.parametrize(
    ("model", "parameters", "alpha", "kind", "value"),
    [
        ("pin-checker", {}, "11/10", "ld", "6611/77910"),
        ("dining-cryptographers", {}, "1.0002", "ld", "1/2500"),
        ("dining-cryptographers", {}, "1.0002", "bd", "1/2500"),
        ("randomised-response", {}, "6/5", "ld", "4/15"),
        ("randomised-response", {"answers": "2"}, "36/25", "ld", "103/225"),
    ],
)
def test_values_of_relations(
    model: str, parameters: dict[str, str], alpha: str, kind: str, value: str
) -> None:
    chain = zoo.build_chain(model, **parameters)
    answer = verified(distance(chain, alpha=alpha, kind=kind))
    assert answer.value == F(value)
    assert answer.over_relation
    pairs = [(chain.states[s], chain.states[t]) for s, t in chain.relation]
    single = {pair: verified(distance(chain, *pair, alpha, kind=kind)).value for pair in pairs}
    assert single[answer.source, answer.target] == answer.value
    assert all(other is not None and other <= F(value) for other in single.values())
    # Of several pairs that attain the maximum it is the first.
    assert next(pair for pair in pairs if single[pair] == answer.value) == (answer.source, answer.target)


# Kinds and scopes


@few
@given(chains(max_states=5, related=True), alphas())
def test_kinds_agree_with_the_oracle(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    d, (related, _) = oracle.ld(chain, alpha), oracle.skewed_kernel(chain, alpha)
    class_of = {s: c for c, members in enumerate(oracle.bisimilarity(chain)) for s in members}
    size = range(len(chain))
    expected = {
        "ld": d,
        "lgd": d,
        "kernel": [[F((s, t) not in related) for t in size] for s in size],
        "bisimilarity": [[F(class_of[s] != class_of[t]) for t in size] for s in size],
    }
    for kind, table in expected.items():
        given_alpha = None if kind == "bisimilarity" else alpha
        found = verified(distances(chain, given_alpha, kind=kind))
        assert found.exact
        assert found.lower == {
            (s, t): table[m][n] for m, s in enumerate(chain.states) for n, t in enumerate(chain.states)
        }
        best = verified(distance(chain, alpha=given_alpha, kind=kind))
        assert best.value == max(table[s][t] for s, t in chain.relation)
        s, t = chain.relation[0]
        alone = verified(distance(chain, chain.states[s], chain.states[t], given_alpha, kind=kind))
        assert alone.value == table[s][t]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("s", "t", "value"), [("s", "s", 0), ("A", "A", 0), ("s", "z", 1), ("A", "B", 1)])
def test_pairs_that_are_no_pairs_of_equal_label(kind: str, s: str, t: str, value: int) -> None:
    answer = verified(distance(RUNGS, s, t, None if kind == "bisimilarity" else "3/2", kind=kind))
    assert answer.value == value


@pytest.mark.parametrize("kind", KINDS)
def test_a_relation_of_pairs_that_are_no_pairs_of_equal_label(kind: str) -> None:
    alpha = None if kind == "bisimilarity" else "3/2"
    same = LabelledMarkovChain.of(THREE_RUNGS, [("s", "s")])
    assert verified(distance(same, alpha=alpha, kind=kind)).value == 0
    other = LabelledMarkovChain.of(THREE_RUNGS, [("s", "s"), ("s", "z")])
    answer = verified(distance(other, alpha=alpha, kind=kind))
    assert (answer.source, answer.target, answer.value) == ("s", "z", F(1))


def test_alpha_in_every_form() -> None:
    forms: list[Fraction | int | str] = [F(1), 1, "1", "1.0", "3/3"]
    answers = [verified(distance(PIN, "0", "1", alpha)) for alpha in forms]
    assert {answer.value for answer in answers} == {F(6, 53)}
    assert len({answer.certificate.data for answer in answers}) == 1
    assert {answer.alpha for answer in answers} == {F(1)}


def test_names_that_are_empty_or_strange() -> None:
    renamed = {"s": "", "t": 'a "\\\n', "i": "0", "j": "\u2028é", "k": "𝛼"}
    states = {
        renamed.get(name, name): (label, {renamed.get(t, t): p for t, p in row.items()})
        for name, (label, row) in THREE_RUNGS.items()
    }
    chain = LabelledMarkovChain.of(states)
    answer = verified(distance(chain, "", 'a "\\\n', "8/5"))
    assert (answer.source, answer.value) == ("", F(13, 1500))
    assert not answer.over_relation
    verified(distances(chain, "8/5"))


def test_unreached_pairs_are_left_out_of_the_work() -> None:
    answer = verified(distance(PIN, "2", "3", 1))
    assert answer.value is not None
    rungs = verified(distance(RUNGS, "A", "z", "3/2"))
    assert b'"rows":[]' in rungs.certificate.data


def test_texts_of_answers() -> None:
    assert distance(PIN, "0", "1", "11/10").headline == "ld_11/10(0, 1) = 412/7791 (0.052881…)"
    assert distance(PIN, alpha=1).headline == "max ld_1 = ld_1(0, 1) = 6/53 (0.113207…)"
    assert distance(PIN, "0", "1", kind="bisimilarity").headline == "bisimilarity(0, 1) = 1"
    assert distances(PIN, 1).headline == "ld_1 of all 25 ordered pairs of 5 states, exact"


def test_effort_is_reported() -> None:
    exact = distances(PIN, "11/10")
    assert exact.effort.keys() == {"pairs", "rounds", "exact rounds", "largest component"}
    assert exact.effort["pairs"] == 4  # (0, 1), (1, 0), (2, 3), (3, 2)
    assert distance(PIN, "0", "1", "11/10", kind="bd").effort["pairs"] == 2
    assert distance(PIN, "0", "1", "11/10", bounds="upper").effort.keys() == {"pairs", "rounds"}
    assert min(exact.effort.values()) >= 1
    assert distance(PIN, "0", "1", kind="bisimilarity").effort == {}


# Bounds from one side, limits, and intervals on the way


@few
@given(chains(related=True), alphas())
def test_upper_bounds(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    exact = verified(distances(chain, alpha))
    bound = verified(distances(chain, alpha, bounds="upper"))
    assert all(bound.lower[pair] <= exact.lower[pair] <= bound.upper[pair] for pair in exact.lower)
    most = verified(distance(chain, alpha=alpha, bounds="upper"))
    best = distance(chain, alpha=alpha)
    assert most.lower <= best.lower <= most.upper


def test_upper_bounds_know_supports_only() -> None:
    bound = verified(distance(RUNGS, "s", "t", "3/2", bounds="upper"))
    assert bound.lower <= 0 < F(3, 50) <= bound.upper < F(3, 50) + F(1, 10**6)
    assert bound.value is None


@few
@given(absorbed_chains(6), alphas())
def test_short_numbers(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    exact = verified(distances(chain, alpha))
    for limit in (1, 12, 10**6):
        found = verified(distances(chain, alpha, max_bits=limit))
        assert all(found.lower[p] <= exact.lower[p] <= found.upper[p] for p in exact.lower)
        lengths = [value.denominator.bit_length() for value in exact.lower.values()]
        assert found.exact or max(lengths) > limit
        if found.exact:
            assert found.lower == exact.lower


def test_a_limit_on_the_length_of_numbers() -> None:
    answer = verified(distance(PIN, "0", "1", "11/10", max_bits=8))
    assert answer.value is None
    assert answer.lower < F(412, 7791) < answer.upper < answer.lower + F(1, 10**9)
    assert "<= ld_11/10(0, 1) <=" in answer.headline
    assert verified(distance(PIN, "0", "1", "11/10", max_bits=20)).value == F(412, 7791)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ld", pytest.param("bd", marks=pytest.mark.slow)])
def test_intervals_on_the_way_to_a_long_answer(kind: str) -> None:
    tables: list[DistanceTable] = []
    exact = verified(distances(LONG, "6/5", kind=kind, on_interval=tables.append))
    assert exact.exact
    for table in tables:
        verified(table)
        assert not table.exact
        assert all(table.lower[p] <= exact.lower[p] <= table.upper[p] for p in exact.lower)
    assert max(tables[-1].upper[p] - tables[-1].lower[p] for p in exact.lower) < F(1, 10**9)
    pairs: list[Distance] = []
    names = next(pair for pair, value in exact.lower.items() if 0 < value < 1)
    answer = verified(distance(LONG, *names, alpha="6/5", kind=kind, on_interval=pairs.append))
    assert answer.value == exact.lower[names]
    assert all(verified(other).lower <= answer.lower <= other.upper for other in pairs)
    assert pairs[-1].upper - pairs[-1].lower < F(1, 10**9)


def test_tables_are_mappings_of_pairs_of_names() -> None:
    table = distances(RUNGS, "3/2").lower
    assert len(table) == len(RUNGS) ** 2
    assert list(table) == [(s, t) for s in RUNGS.states for t in RUNGS.states]
    assert table == dict(table) == dict(table.items())
    assert repr(table) == repr(dict(table))
    for missing in ("st", ("s",), ("s", "nobody"), ("nobody", "s"), ("s", "t", "s")):
        assert missing not in table


def test_numbers_of_a_table_come_into_being_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    value = DistanceValues.value

    def counted(self: DistanceValues, pair: Any) -> Fraction:
        asked.append(pair)
        return value(self, pair)

    monkeypatch.setattr(DistanceValues, "value", counted)
    table = distances(RUNGS, "3/2")
    assert table.exact
    assert table.certificate.data
    assert not asked
    assert table["s", "t"].value == table.lower["s", "t"]
    assert set(asked) == {(RUNGS.index("s"), RUNGS.index("t"))}


def test_progress_is_reported() -> None:
    reports: list[tuple[str, int, int | None]] = []
    distances(LONG, "6/5", progress=lambda phase, done, of: reports.append((phase, done, of)))
    assert len({phase for phase, _, _ in reports}) >= 3
    assert all(of is None or 0 <= done <= of for _, done, of in reports)


# Refusals


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "bisimilarity"])
@pytest.mark.parametrize(
    ("alpha", "error", "words"),
    [
        (None, "bad-alpha", "needs alpha"),
        (1.2, "bad-alpha", "not a float"),
        (float("nan"), "bad-alpha", "not a float"),
        ("99/100", "bad-alpha", "99/100"),
        (0, "bad-alpha", "at least 1"),
        (F(-3, 2), "bad-alpha", "-3/2"),
        ("9" * 9000 + "/1" + "0" * 9000, "bad-alpha", "at least 1"),
        ("1e", "malformed-number", "1e"),
        ("", "malformed-number", "malformed"),
        ("6/0", "zero-denominator", "6/0"),
        ("1" * 10_001, "number-too-long", "too long"),
    ],
)
def test_bad_alphas(kind: str, alpha: Any, error: str, words: str) -> None:
    with refuses(error, match=words) as caught:
        distance(PIN, "0", "1", alpha, kind=kind)
    assert len(str(caught.value)) < 300
    with refuses(error):
        distances(PIN, alpha, kind=kind)


def test_bisimilarity_has_no_alpha() -> None:
    with refuses("bad-alpha", match="leave it out"):
        distance(PIN, "0", "1", 1, kind="bisimilarity")
    with refuses("bad-alpha"):
        distances(PIN, "3/2", kind="bisimilarity")


@pytest.mark.parametrize("kind", ["", "LD", "ld ", "tv²"])
def test_unknown_kinds(kind: str) -> None:
    with refuses("unknown-kind", match="the kinds are ld, lgd, bd, kernel, bisimilarity"):
        distance(PIN, "0", "1", 1, kind=kind)
    with refuses("unknown-kind"):
        distances(PIN, 1, kind=kind)


@pytest.mark.parametrize("bounds", ["", "lower", "Upper"])
def test_unknown_bounds(bounds: str) -> None:
    with refuses("unknown-bounds", match="both or upper"):
        distance(PIN, "0", "1", 1, bounds=bounds)


@pytest.mark.parametrize("limit", [0, -1])
def test_bad_limits(limit: int) -> None:
    with refuses("bad-budget", match=str(limit)):
        distances(PIN, 1, max_bits=limit)


@pytest.mark.parametrize(("s", "t"), [("0", None), (None, "1")])
def test_half_a_pair(s: str | None, t: str | None) -> None:
    with refuses("half-a-pair", match="both states"):
        distance(PIN, s, t, 1)
    with refuses("half-a-pair"):
        query_pairs(PIN, s, t)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_relation(kind: str) -> None:
    with refuses("empty-relation", match=r"no relation to take .* several are initial by init … endinit"):
        distance(RUNGS, alpha=None if kind == "bisimilarity" else 1, kind=kind)


@pytest.mark.parametrize(("s", "t"), [("0", "4"), ("4", "0"), ("4", "4"), ("", "0")])
def test_unknown_states(s: str, t: str) -> None:
    with refuses("unknown-state", match="no state"):
        distance(PIN, s, t, 1)
    with refuses("unknown-state"):
        distance(PIN, s, t, kind="bisimilarity")


def test_what_is_asked_is_checked_before_any_work() -> None:
    with refuses("unknown-kind"):
        distance(PIN, "nowhere", None, 0.5, kind="?")  # type: ignore[arg-type]
    with refuses("bad-alpha"):
        distance(PIN, "nowhere", None, "1/2")


class TestEpsilon:
    """ε in place of α: exact as a logarithm, else at a rational number just below e^ε, which bounds δ."""

    @pytest.mark.parametrize("kind", ["ld", "bd", "kernel"])
    def test_a_logarithm_is_exact(self, kind: str) -> None:
        by_epsilon = distance(PIN, "0", "1", epsilon="ln 11/10", kind=kind)
        assert by_epsilon == distance(PIN, "0", "1", "11/10", kind=kind)
        assert by_epsilon.epsilon is None

    def test_a_rational_bounds_delta(self) -> None:
        found = distance(PIN, "0", "1", epsilon="1/10")
        assert found.epsilon == Fraction(1, 10)
        assert found.alpha is not None
        assert enclosed_logarithm(found.alpha, 20)[0] <= Fraction(1, 10)
        assert found.value == distance(PIN, "0", "1", found.alpha).value
        assert found.lower > delta(PIN, "0", "1", epsilon="1/10", kind="lv").upper
        verified(found)

    def test_all_pairs(self) -> None:
        table = distances(PIN, epsilon="1/10")
        assert (table.epsilon, table.exact) == (Fraction(1, 10), True)

    def test_refused(self) -> None:
        with refuses("alpha-or-epsilon"):
            distance(PIN, "0", "1", "11/10", epsilon="1/10")
        with refuses("bad-epsilon", match="leave it out"):
            distance(PIN, "0", "1", epsilon="1/10", kind="bisimilarity")
