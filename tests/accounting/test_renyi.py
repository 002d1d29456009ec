"""Rényi divergences of chains and processes against sums over all words, and what is infinite."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prover
from prover.accounting import renyi as renyi_module
from prover.accounting.renyi import Divergences
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import BadOptions
from prover.exact.divergence import RenyiDivergence
from prover.zoo import crowds, pin_checker, randomised_response
from prover.zoo.interactive import adaptive_response, doors
from tests.certified import proved
from tests.profiles import examples
from tests.refusals import refuses
from tests.strategies import chains, ending_chains

F = Fraction
ORDERS = ("3/2", "2", "5", "inf")
System = LabelledMarkovChain | LabelledMarkovDecisionProcess
Word = tuple[str, ...]
Law = dict[Word, Fraction]


def laws(chain: LabelledMarkovChain, start: str) -> Law:
    """The probabilities of all words of five labels."""
    runs = {((), chain.index(start)): F(1)}
    for _ in range(5):
        after: dict[tuple[Word, int], Fraction] = {}
        for (word, s), p in runs.items():
            for t, x in chain.rows[s].items():
                key = ((*word, chain.labels[t]), t)
                after[key] = after.get(key, F(0)) + p * x
        runs = after  # type: ignore[assignment]
    found: Law = {}
    for (word, _), p in runs.items():
        found[word] = found.get(word, F(0)) + p
    return found


def moment(p: Law, q: Law, order: str) -> Fraction | None:
    if not p.keys() <= q.keys():
        return None
    if order == "inf":
        return max(p[w] / q[w] for w in p)
    return sum((p[w] ** int(order) / q[w] ** (int(order) - 1) for w in p), F(0))


def asked(
    system: System, *secrets: str, orders: tuple[str, ...] = ORDERS, kind: str = "lv"
) -> list[RenyiDivergence]:
    """The divergences, whose certificate is accepted."""
    answer = prover.renyi(system, secrets[0], secrets[1], orders, kind=kind)
    claim = proved(answer.certificate)["claim"]
    assert [row[0] for row in claim["moments"]] == list(orders)
    return list(answer)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(ending_chains(layers=2))
def test_a_thousand_chains(chain: LabelledMarkovChain) -> None:
    """Without their certificates, and with ρ not below any share of an order."""
    p, q = laws(chain, "s"), laws(chain, "t")
    found = prover.renyi(chain, "s", "t", ORDERS[1:], kind="lv")
    for one, order in zip(found, ORDERS[1:], strict=True):
        assert one.moment_lower == one.moment_upper == moment(p, q, order)
        if found.rho is not None and found.rho.upper is not None and one.order is not None:
            assert (one.lower or 0) / one.order <= found.rho.upper


@examples(30)
@given(ending_chains(layers=2))
def test_against_sums_over_words(chain: LabelledMarkovChain) -> None:
    p, q = laws(chain, "s"), laws(chain, "t")
    found = asked(chain, "s", "t")
    for one, order in zip(found[1:], ORDERS[1:], strict=True):
        assert one.moment_lower == one.moment_upper == moment(p, q, order)
    if found[0].lower is not None:
        root = sum(float(p[w]) ** 1.5 * float(q[w]) ** -0.5 for w in p)
        assert float(found[0].moment_lower or 0) == pytest.approx(root)
        assert found[0].upper - found[0].lower <= F(2, 10**12)  # type: ignore[operator]


@examples(20)
@given(chains(min_states=4, max_states=6), st.sampled_from(["lv", "tv"]))
def test_words_are_below_and_orders_rise(chain: LabelledMarkovChain, kind: str) -> None:
    first = chain.states[0]
    second = next((t for t in chain.states[1:] if chain.labels[chain.index(t)] == chain.labels[0]), None)
    if second is None:
        return
    found = asked(chain, first, second, kind=kind)
    ways = [(first, second), (second, first)][: 2 if kind == "tv" else 1]
    for order, one in zip(ORDERS[1:], found[1:], strict=True):
        known = [moment(laws(chain, s), laws(chain, t), order) for s, t in ways]
        if one.moment_upper is not None:
            assert all(value is not None and value <= one.moment_upper for value in known)
    for one, other in pairwise(found):
        assert other.upper is None or (one.lower or F(0)) <= other.upper


def loop(stays: str, other: str) -> LabelledMarkovChain:
    """From s a loop goes on with one probability, from t with another."""
    rows = {"s": F(stays), "t": F(other)}
    states = {name: ("a", {name: p, "e": 1 - p}) for name, p in rows.items()}
    return LabelledMarkovChain.of({**states, "e": ("e", {"e": F(1)})}, [("s", "t")])


@pytest.mark.parametrize(
    ("stays", "other", "order", "expected"),
    [
        ("1/2", "1/8", "2", None),  # the equation has the solution -2/7
        ("1/2", "1/4", "2", None),  # a factor of exactly 1
        ("1/2", "1/3", "2", F(3, 2)),
        ("1/2", "1/3", "3", None),
        ("1/2", "1/3", "inf", None),
        ("1/3", "1/2", "inf", F(4, 3)),
        ("1/3", "1/2", "2", F(8, 7)),
    ],
)
def test_loops(stays: str, other: str, order: str, expected: Fraction | None) -> None:
    (found,) = asked(loop(stays, other), "s", "t", orders=(order,))
    assert found.moment_lower == found.moment_upper == expected


def test_two_circles_that_are_small_alone() -> None:
    # Labels b and c lead back to a, each by a factor of 1/2 at order 2; together the factor is 1.
    states = {"e": ("e", {"e": F(1)})}
    for name, p in (("s", F(1, 4)), ("t", F(1, 8))):
        states |= {name: ("a", {f"{name}b": p, f"{name}c": p, "e": 1 - 2 * p})}
        states |= {f"{name}{x}": (x, {name: F(1)}) for x in "bc"}
    (found,) = asked(LabelledMarkovChain.of(states, [("s", "t")]), "s", "t", orders=("2",))
    assert found.moment_lower is None


def test_letters_for_ever_that_differ() -> None:
    states = {
        f"{name}{x}": (x, {f"{name}x": F(n, 6), f"{name}y": F(6 - n, 6)})
        for name, n in (("s", 3), ("t", 2))
        for x in "xy"
    }
    assert [one.lower for one in asked(LabelledMarkovChain.of(states), "sx", "tx")] == [None] * 4


@pytest.mark.parametrize("order", ["2", "inf"])
def test_attackers_are_better_than_each_sequence_of_two_actions(order: str) -> None:
    for process in (doors(), adaptive_response()):
        found = {kind: asked(process, "s", "t", orders=(order,), kind=kind)[0] for kind in ("lv", "tv")}
        assert found["lv"].moment is not None
        assert found["lv"].moment <= (found["tv"].moment or 0)
        names, best = list(process.states), F(1)
        menu = sorted({action for s in range(len(names)) for action in process.menu(s)})
        for actions in product(menu, repeat=2):
            both = []
            for start in "st":
                runs = {((), names.index(start)): F(1)}
                for action in actions:
                    after: dict[tuple[Word, int], Fraction] = {}
                    for (word, s), p in runs.items():
                        offered = process.menu(s)
                        for t, x in process.row(s, action if action in offered else offered[0]).items():
                            key = ((*word, process.labels[t]), t)
                            after[key] = after.get(key, F(0)) + p * x
                    runs = after  # type: ignore[assignment]
                law: Law = {}
                for (word, _), p in runs.items():
                    law[word] = law.get(word, F(0)) + p
                both.append(law)
            best = max(best, moment(both[0], both[1], order) or F(1))
        assert best <= found["lv"].moment


def test_known_answers() -> None:
    answer = prover.renyi(randomised_response(), "a", "b", [2, "inf", 2])
    assert [str(one.moment) for one in answer] == ["3/2", "2"]
    assert answer.rho is not None
    assert F("0.23104906") < (answer.rho.lower or 0) < F("0.23104907")
    assert [str(one.moment) for one in asked(doors(), "s", "t", orders=("2",), kind="tv")] == ["7/3"]
    relation = prover.renyi(pin_checker() if pin_checker().relation else crowds(), orders=["2"])
    proved(relation.certificate)
    twice = prover.renyi(prover.repeat(randomised_response(), 2), "(a,a)", "(b,b)", [2]).orders[0]
    assert twice.moment == F(9, 4)


def test_refusals() -> None:
    with refuses("bad-order"):
        prover.renyi(randomised_response(), "a", "b", [])
    with pytest.raises(BadOptions):
        prover.renyi(pin_checker(), "0")


class TestOnTheWay:
    """Intervals from few belief pairs: rounds are counted, not seconds."""

    @pytest.fixture(autouse=True)
    def from_few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(renyi_module, "_FIRST_NODES", (3, 8))

    @staticmethod
    def all_of(system: System, source: str, target: str) -> list[Divergences]:
        """The intervals on the way, and the answer."""
        seen: list[Divergences] = []
        seen.append(prover.renyi(system, source, target, ORDERS, on_interval=seen.append))
        return seen

    def test_by_hand(self) -> None:
        """Of three answers the first ones are known: 2, 4 and 8 times as likely under one secret."""
        chain = randomised_response(answers=3)
        seen = self.all_of(chain, "aaa", "bbb")
        assert [answer.orders[-1].moment_lower for answer in seen] == [2, 4, 8, 8]
        assert [answer.orders[-1].moment_upper for answer in seen] == [None, None, 8, 8]
        assert [answer.rho is None for answer in seen] == [True, True, True, False]
        for answer in seen:
            proved(answer.certificate)

    @examples(30)
    @given(st.one_of(chains(), ending_chains(layers=2)), st.data())
    def test_each_within_those_before(self, chain: LabelledMarkovChain, data: st.DataObject) -> None:
        source, target = (data.draw(st.sampled_from(chain.states)) for _ in "st")
        seen = self.all_of(chain, source, target)
        for wide, narrow in pairwise(seen):
            for one, other in zip(wide, narrow, strict=True):
                assert one.moment_lower is None or at_most(one.moment_lower, other.moment_lower)
                assert at_most(other.moment_upper, one.moment_upper)
        for answer in seen:
            proved(answer.certificate)


def at_most(one: Fraction | None, other: Fraction | None) -> bool:
    """Whether a number is not above another one; None is infinite."""
    return other is None or (one is not None and one <= other)
