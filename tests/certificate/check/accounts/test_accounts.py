"""Certificates of compositions and of profiles: accepted, rejected for a reason, not believed when false."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Malformed,
    NotDemanded,
    Rejected,
    RuleBroken,
    TooLarge,
    check,
)
from prover.certificate.check.accounts import composition, parts
from prover.certificate.check.accounts.endings import exactly, key_of, reverse
from prover.certificate.check.accounts.grids import Side, convolved, enclosed_delta, power_of, read_grid
from prover.certificate.check.accounts.sampling import sampled
from prover.certificate.check.budget import Budget
from prover.certificate.check.demands import Demands, meet
from prover.certificate.check.verdict import verified
from tests.certificate import samples
from tests.certificate.accounts_judge import is_true_account
from tests.certificate.accounts_samples import ACCOUNT_SAMPLES, CYCLIC_SAMPLES
from tests.certificate.forms import everywhere
from tests.certificate.samples import encode
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
F = Fraction
MUTATIONS = 80
RELATION = ACCOUNT_SAMPLES["composition of a relation"]
HALVED = ACCOUNT_SAMPLES["composition on halved grids"]
UNSEEN = ACCOUNT_SAMPLES["composition of what an observer sees"]
UNTIMED = ACCOUNT_SAMPLES["profile of what an observer sees"]
GRID = ACCOUNT_SAMPLES["composition on a grid"]
OPEN = ACCOUNT_SAMPLES["composition of an open graph"]
POINTS = ACCOUNT_SAMPLES["profile at points"]
PROFILE = CYCLIC_SAMPLES["profile of answers"]
KNOWN = ACCOUNT_SAMPLES["composition of known mechanisms"]
GIVEN = ACCOUNT_SAMPLES["composition of a pair and laws"]
RUNS = ACCOUNT_SAMPLES["composition of many runs"]
POWERS = edited(
    RUNS,
    {
        ("evidence", "sums"): ...,
        ("evidence", "work"): 10**6,
        ("claim", "lower"): "0",
        ("claim", "upper"): "1",
    },
)
SAMPLED = ACCOUNT_SAMPLES["composition of samples"]
GRAPH = ("evidence", "parts", 0, "graphs", 0)
GRAPHS = RELATION["evidence"]["parts"][0]["graphs"]
NODES = GRAPHS[0]["nodes"]


@pytest.mark.parametrize("name", ACCOUNT_SAMPLES)
def test_the_samples_are_accepted_and_true(name: str) -> None:
    line = accepted(ACCOUNT_SAMPLES[name])
    assert line.startswith(("composition alpha=", "composition order=", "profile "))
    assert is_true_account(ACCOUNT_SAMPLES[name])


@pytest.mark.parametrize("name", CYCLIC_SAMPLES)
def test_runs_in_circles(name: str) -> None:
    accepted(CYCLIC_SAMPLES[name])


def test_products_by_powers_of_ratios() -> None:
    """What earlier programs wrote."""
    for sample in (RELATION, GIVEN, KNOWN, RUNS):
        accepted(edited(sample, {("evidence", "sums"): ..., ("evidence", "work"): 10**6}))


def test_sums_leave_memory_for_their_masses() -> None:
    """Of 10,000 runs beside others all masses are kept: of either secret, and of the product."""
    runs = {"known": "randomised-response", "q": "1/2", "times": 10**4, "values": 2}
    part = {"known": "discrete-laplace", "q": "2/3", "sensitivity": 1, "times": 10}
    claim = {"alpha": "1", "kind": "composition", "lower": "0", "upper": "1"}
    evidence = {"basis": ["2", "3"], "parts": [{}, {}], "sums": 10**10}
    model = {"parts": [runs, part], "type": "composition", "version": 1}
    refused(samples.certificate(claim, model, evidence), TooLarge, "the memory exceeds the limit")


@pytest.mark.parametrize("nearer", [F(-1, 2**100), F(0), F(1, 2**100)])
def test_masses_are_compared_exactly_where_leading_bits_do_not_decide(nearer: Fraction) -> None:
    part = {"known": "randomised-response", "q": "1/2", "times": 1, "values": 2}
    value = str(max(F(0), -nearer / 3))
    claim = {"alpha": str(2 + nearer), "kind": "composition", "lower": value, "upper": value}
    evidence = {"basis": ["2"], "parts": [{}], "sums": 10**6}
    model = {"parts": [part], "type": "composition", "version": 1}
    accepted(samples.certificate(claim, model, evidence))


def test_what_an_observer_sees_is_claimed_of_the_original() -> None:
    assert accepted(UNSEEN).endswith(" parts=2 runs=4 observers=1")
    assert accepted(UNTIMED).startswith('profile sees=changes from="s" to="t" of=tv')
    assert "w" in UNTIMED["model"]["states"]
    assert UNSEEN["model"]["parts"][0]["chain"] == UNTIMED["model"]


def test_the_models_that_are_asked_for() -> None:
    chain = RELATION["model"]["parts"][0]["chain"]

    def asked(certificate: Json, model: Json) -> None:
        found = verified(encode(certificate))
        meet(Demands(model=encode(model)), found.claim, found.model)

    asked(RELATION, chain)
    asked(RELATION, RELATION["model"])
    for certificate, model, words in (
        (RELATION, PROFILE["model"], "another model"),
        (KNOWN, chain, "another model"),
        (ACCOUNT_SAMPLES["composition of a pair and laws"], chain, "other models, too"),
    ):
        with pytest.raises(NotDemanded, match=words):
            asked(certificate, model)


def test_samples_are_not_the_model_that_is_asked_for() -> None:
    assert "known=approximate sampling=poisson rate=1/2" in accepted(SAMPLED)
    part = RELATION["model"]["parts"][0] | {"from": "s", "to": "u", "times": 1}
    parts = [part | {"sampling": {"kind": "poisson", "rate": "1"}}]
    graphs = SAMPLED["evidence"]["parts"][2]
    alone = edited(SAMPLED, {("model", "parts"): parts, ("evidence", "parts"): [graphs]})
    claim: dict[tuple[str | int, ...], Json] = {("claim", "lower"): "0", ("claim", "upper"): "1"}
    found = verified(encode(edited(alone, claim)))
    with pytest.raises(NotDemanded, match="another model"):
        meet(Demands(model=encode(part["chain"])), found.claim, found.model)


def test_samples_need_neighbours_that_may_differ_either_way() -> None:
    laws = [exactly([(F(2), F(1, 2)), (F(1, 2), F(1, 2))])]
    for sides, part, failure in (
        ((laws, laws), {"adjacency": "increasing"}, BadModel),
        (([exactly([(F(1, 4), F(1, 2))])], laws), {}, BadEvidence),
    ):
        with pytest.raises(failure):
            sampled({"kind": "poisson", "rate": "1/2"}, part, sides, Budget(0))


def test_grids_are_halved() -> None:
    assert HALVED["evidence"]["grid"]["halvings"] == [0, 1]


def test_the_line() -> None:
    assert accepted(KNOWN).endswith(" parts=3 runs=3")
    assert accepted(PROFILE).startswith("profile relation maximum of=tv corners=2")


OPEN_NODE = next(
    place for place, node in enumerate(OPEN["evidence"]["parts"][0]["graphs"][0]["nodes"]) if "open" in node
)


@pytest.mark.parametrize(
    ("sample", "path", "value", "failure"),
    [
        (RELATION, ("claim", "upper"), "1/10", BadClaim),
        (RELATION, ("claim", "lower"), "9/10", BadClaim),
        (RELATION, ("claim", "alpha"), "1/2", BadClaim),
        (RELATION, ("claim", "extra"), "2", Malformed),
        (RELATION, ("evidence", "basis"), ["2"], BadEvidence),
        (RELATION, ("evidence", "basis"), ["1"], Malformed),
        (RELATION, ("evidence", "sums"), 1, TooLarge),
        (RELATION, ("evidence", "sums"), 10**17, TooLarge),
        (RELATION, ("evidence", "work"), 10**6, Malformed),
        (SAMPLED, ("model", "parts", 0, "sampling", "rate"), "1/2", ClaimOpen),
        (SAMPLED, ("model", "parts", 0, "sampling", "rate"), "0", BadModel),
        (SAMPLED, ("model", "parts", 0, "sampling", "rate"), "3/2", BadModel),
        (SAMPLED, ("model", "parts", 0, "sampling", "kind"), "stratified", Malformed),
        (SAMPLED, ("model", "parts", 0, "sampling", "kind"), "fixed-size", BadModel),
        (SAMPLED, ("model", "parts", 0, "sampling", "more"), "1", Malformed),
        (SAMPLED, ("model", "parts", 0, "sampling"), ..., ClaimOpen),
        (RELATION, ("model", "parts", 0, "sampling"), {"kind": "poisson", "rate": "1/2"}, BadModel),
        (POWERS, ("claim", "upper"), "1/2", ClaimOpen),
        (POWERS, ("claim", "lower"), "9/10", ClaimOpen),
        (POWERS, ("evidence", "basis"), ["3"], BadEvidence),
        (POWERS, ("evidence", "basis"), ["1"], Malformed),
        (POWERS, ("evidence", "work"), 1, TooLarge),
        (POWERS, ("evidence", "work"), 10**17, TooLarge),
        (RELATION, ("evidence", "parts"), [], Malformed),
        (RELATION, ("model", "parts"), [], Malformed),
        (RELATION, ("model", "version"), 2, Malformed),
        (RELATION, ("model", "parts", 0, "times"), 0, BadModel),
        (RELATION, ("model", "parts", 0, "times"), 10**7, BadModel),
        (RELATION, ("model", "parts", 0, "times"), True, Malformed),
        (RELATION, ("model", "parts", 0, "chain", "relation"), [], BadModel),
        (RELATION, (*GRAPH, "nodes", 0, "visits"), "2", RuleBroken),
        (RELATION, (*GRAPH, "nodes", 1, "visits"), "-1", Malformed),
        (RELATION, (*GRAPH, "nodes", 0, "next"), [], BadEvidence),
        (RELATION, (*GRAPH, "nodes", 0), {"visits": "1"}, RuleBroken),
        (RELATION, ("evidence", "parts", 0, "graphs"), [], BadEvidence),
        (RELATION, ("evidence", "parts", 0, "classes"), ..., BadEvidence),
        (GRID, ("evidence", "grid", "work"), 1000, TooLarge),
        (GRID, ("evidence", "grid", "steps"), 0, Malformed),
        (GRID, ("evidence", "grid", "digits"), 201, Malformed),
        (GRID, ("evidence", "grid", "tail"), "1" + 60 * "0", Malformed),
        (GRID, ("evidence", "grid", "steps"), 2, ClaimOpen),
        (GRID, ("evidence", "basis"), ["2"], Malformed),
        (UNSEEN, ("model", "parts", 0, "observer", "sees"), "labels", BadEvidence),
        (UNSEEN, ("model", "parts", 0, "observer", "silent"), ["x"], BadEvidence),
        (UNSEEN, ("model", "parts", 0, "observer"), ..., Malformed),
        (UNSEEN, ("evidence", "parts", 0, "collapsing"), ..., Malformed),
        (UNSEEN, ("evidence", "parts", 0, "collapsing", "merged"), [], RuleBroken),
        (UNSEEN, ("model", "parts", 1, "observer"), {"sees": "changes", "silent": []}, Malformed),
        (UNTIMED, ("claim", "observer", "sees"), "labels", BadEvidence),
        (UNTIMED, ("claim", "observer"), ..., Malformed),
        (UNTIMED, ("evidence", "collapsing"), ..., Malformed),
        (UNTIMED, ("evidence", "collapsing", "merged"), [], RuleBroken),
        (HALVED, ("evidence", "grid", "halvings"), [0, 21], Malformed),
        (HALVED, ("evidence", "grid", "halvings"), [0] * 21, Malformed),
        (HALVED, ("evidence", "grid", "halvings"), [-1], Malformed),
        (HALVED, ("evidence", "grid", "halvings"), ["1"], Malformed),
        (HALVED, ("evidence", "grid", "halvings"), 1, Malformed),
        (HALVED, ("evidence", "grid", "halvings"), [5, 5], ClaimOpen),
        (KNOWN, ("model", "parts", 0, "known"), "laplace", Malformed),
        (KNOWN, ("model", "parts", 0, "q"), "1", BadModel),
        (KNOWN, ("model", "parts", 0, "bound"), 10**6, BadModel),
        (KNOWN, ("model", "parts", 1, "alpha"), "1/2", BadModel),
        (KNOWN, ("model", "parts", 1, "delta"), "3/2", BadModel),
        (KNOWN, ("model", "parts", 2, "q"), "0", BadModel),
        (KNOWN, ("model", "parts", 2, "values"), 1, BadModel),
        (KNOWN, ("evidence", "parts", 0), {"graphs": []}, Malformed),
        (OPEN, (*GRAPH, "nodes", OPEN_NODE), {"visits": "1/2"}, RuleBroken),
        (OPEN, (*GRAPH, "nodes", OPEN_NODE, "open"), "-1", Malformed),
        (OPEN, (*GRAPH, "nodes", OPEN_NODE, "open"), "1/3", RuleBroken),
        (OPEN, (*GRAPH, "nodes", OPEN_NODE, "visits"), "1/2", Malformed),
        (OPEN, ("evidence", "parts", 0, "graphs", 1), ..., BadEvidence),
        (POINTS, ("claim", "points"), [], BadClaim),
        (POINTS, ("claim", "points", 0, 0), "1/2", BadClaim),
        (POINTS, ("claim", "points", 1, 0), "1", BadClaim),
        (POINTS, ("claim", "points", 1, 1), "9/10", BadClaim),
        (POINTS, ("claim", "points", 1, 2), "2", BadClaim),
        (POINTS, ("claim", "corners"), [["1", "1"]], Malformed),
        (POINTS, ("evidence", "work"), 0, TooLarge),
        (PROFILE, ("claim", "corners"), [], BadClaim),
        (PROFILE, ("claim", "corners", 0, 0), "2", BadClaim),
        (PROFILE, ("claim", "corners", 0, 1), "1", ClaimOpen),
        (PROFILE, ("claim", "corners", -1, 1), "1/100", ClaimOpen),
        (PROFILE, ("claim", "corners", 1), ..., ClaimOpen),
        (PROFILE, ("claim", "of"), "ld", Malformed),
        (PROFILE, ("evidence", "work"), 0, TooLarge),
    ],
)
def test_what_is_rejected(sample: Json, path: Any, value: Json, failure: type[Rejected]) -> None:
    refused(edited(sample, {path: value}), failure)


NODE = (*GRAPH, "nodes", 0)


@pytest.mark.parametrize(
    ("sample", "path", "value", "failure", "words"),
    [
        (KNOWN, ("claim", "epsilon"), {"alpha": "at-least", "value": "1"}, RuleBroken, "not at-least e"),
        (KNOWN, ("model", "type"), "compositions", Malformed, "not composition"),
        *((KNOWN, ("model", "parts", n, "more"), 1, Malformed, 'unknown key "more"') for n in range(3)),
        (RELATION, ("model", "parts", 0, "more"), 1, Malformed, 'unknown key "more"'),
        (GIVEN, ("evidence", "parts", 1, "more"), 1, Malformed, 'unknown key "more"'),
        (RELATION, (*GRAPH, "nodes"), [], BadEvidence, "the graph has no nodes"),
        (
            RELATION,
            (*GRAPH, "nodes"),
            [*NODES, {"visits": "0"}],
            BadEvidence,
            "no entry of an earlier node defines it",
        ),
        (RELATION, (*NODE, "next", -1, 0), "zz", BadEvidence, "the labels are not exactly the possible ones"),
        (RELATION, (*NODE, "next", 1, 1), 1, BadEvidence, "node 1 is defined already"),
        (
            RELATION,
            ("evidence", "parts", 0, "graphs"),
            GRAPHS[::-1],
            BadEvidence,
            "graphs are out of order or repeated",
        ),
        (
            OPEN,
            (*GRAPH, "nodes", OPEN_NODE),
            {"visits": "1/2"},
            RuleBroken,
            "x and y of an end are not multiples",
        ),
        (POINTS, ("model", "relation"), [], BadClaim, "the relation has no pair"),
    ],
)
def test_why_it_is_rejected(
    sample: Json, path: Any, value: Json, failure: type[Rejected], words: str
) -> None:
    refused(edited(sample, {path: value}), failure, words)


def test_so_many_choices_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composition, "MOST_CHOICES", 4)
    accepted(RELATION)
    monkeypatch.setattr(composition, "MOST_CHOICES", 3)
    refused(RELATION, TooLarge, "the parts have too many choices of pairs")


def test_grids_of_nothing() -> None:
    grid = read_grid(GRID["evidence"]["grid"], Budget(0))
    with pytest.raises(Malformed, match="there are no parts"):
        enclosed_delta([[]], (1, 1), grid, lower=True, upper=True)
    with pytest.raises(Malformed, match="there are no runs"):
        power_of(grid, Side(0, [1], [1], 0), 0, up=True)


def units_of(rows: Json, lower: bool = True, upper: bool = True) -> int:
    """What a grid of two hundred steps costs."""
    limits = {"digits": 12, "halvings": [1], "steps": 200, "tail": "10", "work": 10**8}
    grid = read_grid(limits, Budget(0))
    enclosed_delta(rows, (5, 4), grid, lower, upper)
    return 10**8 - grid.tally.units


def test_products_of_masses_are_rounded_to_their_side() -> None:
    grid = read_grid({"digits": 2, "steps": 1, "tail": "0", "work": 10**6}, Budget(0))
    for first, second in [
        ([1], [1]),
        ([10, 3], [40, 99]),
        ([0, 7, 0], [0, 5]),
        ([100], [100, 0, 1]),
        ([], [1]),
    ]:
        exact = [0] * (len(first) + len(second) - 1 if first else 0)
        for i, p in enumerate(first):
            for j, q in enumerate(second):
                exact[i + j] += p * q
        assert convolved(grid, first, second, up=False) == [n // 100 for n in exact]
        assert convolved(grid, first, second, up=True) == [-(-n // 100) for n in exact]


def test_no_side_is_computed_in_vain() -> None:
    coin = exactly([(F(2), F(2, 3)), (F(1, 2), F(1, 3))])
    assert 0 < units_of([[(coin, 3)]], upper=False) < units_of([[(coin, 3)]])
    assert 0 < units_of([[(coin, 3)]], lower=False) < units_of([[(coin, 3)]])
    assert units_of([[(coin, 3)]], lower=False, upper=False) == 0
    spent = units_of([[(coin, 3)]], lower=False)
    weaker = edited(GRID, {("claim", "lower"): "0", ("evidence", "grid", "work"): 10})
    refused(weaker, TooLarge)
    accepted(edited(weaker, {("claim", "upper"): "1"}))
    assert spent > 10


def test_what_choices_share_costs_nothing_more() -> None:
    coin, other = [(F(2), F(2, 3)), (F(1, 2), F(1, 3))], [(F(3), F(3, 4)), (F(1, 3), F(1, 4))]
    one, again, two = ([(exactly(law), 3), (exactly(coin), 1)] for law in (coin, coin[::-1], other))
    assert units_of([one, one, two]) == units_of([one, again, two]) < units_of([one, two, one])


def test_powers_that_stay_need_memory() -> None:
    coin = exactly([(F(2), F(2, 3)), (F(1, 2), F(1, 3))])
    limits = {"digits": 12, "steps": 200, "tail": "0", "work": 10**8}
    for rows, refuses in ([[(coin, 1)]], False), ([[(coin, 1)], [(coin, 1)]], True):
        budget = Budget(0)
        grid = read_grid(limits, budget)
        grid.powers.side(300), grid.powers.side(-300)
        budget.bits = 256 * 200  # there are more masses; powers of the grid are there
        if refuses:
            with pytest.raises(TooLarge, match="memory"):
                enclosed_delta(rows, (1, 1), grid, lower=True, upper=False)
        else:
            enclosed_delta(rows, (1, 1), grid, lower=True, upper=False)


def meeting(*nodes: Json) -> Json:
    """s and t behave alike; both ways on, by U and by V, lead to e."""
    rows = {"s": {"u": "1/2", "v": "1/2"}, "t": {"u": "1/2", "v": "1/2"}, "u": {"e": "1"}, "v": {"e": "1"}}
    labels = {"s": "S", "t": "S", "u": "U", "v": "V", "e": "E"}
    chain = samples.model({name: (labels[name], rows.get(name, {"e": "1"})) for name in labels})
    graphs = [{"nodes": list(nodes), "pair": pair} for pair in ([1, 2], [2, 1])]
    part = {"chain": chain, "from": "s", "times": 1, "to": "t"}
    claim = {"alpha": "1", "kind": "composition", "lower": "0", "upper": "0"}
    model = {"parts": [part], "type": "composition", "version": 1}
    return samples.certificate(claim, model, {"basis": ["2"], "parts": [{"graphs": graphs}], "work": 10**6})


def on(visits: str, *entries: Json) -> Json:
    return {"next": list(entries), "visits": visits}


@pytest.mark.parametrize("late", [False, True])
def test_ways_that_meet_are_multiples_of_one(late: bool) -> None:
    """Whether the node is defined before the other way comes to it, or after."""

    def made(factor: str) -> Json:
        ways = [["E", 3], ["E", 3, factor]]
        first, second = (on("1", way) for way in (ways[::-1] if late else ways))
        return meeting(on("1", ["U", 1], ["V", 2]), first, second, {"visits": "2"})

    accepted(made("1"))
    refused(made("1/2"), RuleBroken, "the next vectors are not c times node 3")


def test_what_follows_a_balanced_node_is_balanced() -> None:
    ends: list[Json] = [{"visits": "0"}] * 2
    refused(meeting({"balanced": [["U", 1], ["V", 2]], "visits": "1"}, *ends), BadEvidence, "not balanced")


def test_an_exact_claim_takes_all_words() -> None:
    """What holds of bounds on a grid is not claimed of exact products, nor of all α."""
    kept = {key: value for key, value in OPEN["evidence"].items() if key != "grid"}
    refused(
        edited(OPEN, {("evidence",): {**kept, "basis": ["2", "3"], "work": 10**6}}),
        BadEvidence,
        "laws that are only enclosed are allowed only with a grid, or",
    )
    corners = [["1", POINTS["claim"]["points"][0][1]]]
    claim = {key: value for key, value in POINTS["claim"].items() if key != "points"}
    refused(edited(POINTS, {("claim",): {**claim, "corners": corners}}), BadEvidence)


def test_a_weaker_claim_is_accepted() -> None:
    assert any(F(low) < F(high) for _, low, high in POINTS["claim"]["points"])
    weaker = [[alpha, "0", "1"] for alpha, *_ in POINTS["claim"]["points"]]
    accepted(edited(POINTS, {("claim", "points"): weaker}))
    accepted(edited(RELATION, {("claim", "lower"): "0", ("claim", "upper"): "1"}))
    accepted(edited(GRID, {("claim", "lower"): "0"}))


@pytest.mark.parametrize(
    "part",
    [
        {"known": "randomised-response", "q": "1/3", "values": 2},
        {"known": "randomised-response", "q": "2/5", "values": 7},
        {"known": "randomised-response", "q": "1", "values": 3},
        {"known": "discrete-laplace", "q": "1/2", "sensitivity": 3},
        {"bound": 1, "known": "discrete-laplace", "q": "2/3", "sensitivity": 2},
        {"bound": 5, "known": "discrete-laplace", "q": "2/3", "sensitivity": 2},
        {"alpha": "3/2", "delta": "1/10", "known": "approximate"},
        {"alpha": "1", "delta": "1", "known": "approximate"},
    ],
)
def test_known_mechanisms_are_the_same_both_ways_round(part: Json) -> None:
    law = parts.KNOWN[part["known"]](part | {"times": 1}, Budget(0))
    assert key_of(exactly(law)) == key_of(exactly(reverse(law)))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ACCOUNT_SAMPLES)
def test_what_is_accepted_after_a_mutation_is_true(name: str) -> None:
    original = ACCOUNT_SAMPLES[name]
    rejected = kept = 0
    every = list(everywhere(original))
    for path, value in Random(name).sample(every, min(len(every), MUTATIONS)):
        changed = edited(original, {path: value})
        if changed == original:
            continue
        try:
            check(encode(changed))
        except Rejected:
            rejected += 1
            continue
        kept += 1
        assert is_true_account(changed), (path, value)
    assert rejected > MUTATIONS / 2 > kept


@pytest.mark.parametrize("name", ACCOUNT_SAMPLES)
def test_forged_numbers_are_found_out(name: str) -> None:
    """A little more or less than the truth, with whatever evidence there is."""
    original = ACCOUNT_SAMPLES[name]
    if "points" in original["claim"]:
        for place, (alpha, low, high) in enumerate(original["claim"]["points"]):
            step = F(1, 2**128)
            for row in ((F(low) + step, F(high)), (F(low), F(high) - step)):
                if 0 <= row[0] <= row[1] <= 1:
                    path = ("claim", "points", place)
                    refused(edited(original, {path: [alpha, *map(str, row)]}), ClaimOpen)
        return
    if "moments" in original["claim"]:
        for place, (order, low, high) in enumerate(original["claim"]["moments"]):
            forged = [("1", str(F(high) * (1 - F(1, 10**30))))] if high != "inf" else [("1", "9" * 99)]
            forged += [(str(F(low) * (1 + F(1, 10**30))), "inf"), ("inf", "inf")] if low != "inf" else []
            for ends in forged:
                path = ("claim", "moments", place)
                refused(edited(original, {path: [order, *ends]}), ClaimOpen)
        return
    if "lower" not in original["claim"]:
        for place, (alpha, value) in enumerate(original["claim"]["corners"]):
            for other in (F(value) + F(1, 10**12), F(value) - F(1, 10**12)):
                if 0 <= other <= 1:
                    path = ("claim", "corners", place)
                    refused(edited(original, {path: [alpha, str(other)]}), ClaimOpen)
        return
    lower, upper = (F(original["claim"][end]) for end in ("lower", "upper"))
    moved = {}
    if upper < 1:
        moved["upper"] = upper - F(1, 10**30)
    if lower > 0:
        moved["lower"] = lower + F(1, 10**30)
    for end, number in moved.items():
        both = {"lower": lower, "upper": upper, end: number}
        if 0 <= both["lower"] <= both["upper"] <= 1:
            refused(edited(original, {("claim", end): str(number)}), ClaimOpen)


@pytest.mark.parametrize(
    ("laws", "words"),
    [
        ([["2", "1/2"], ["-1", "1/2"]], "a probability is negative"),
        ([["1/2", "1/2"], ["1/2", "-1/2"], ["0", "1"]], "a probability is negative"),
        ([["1/2", "1/2"], ["1/3", "1/2"]], "the probabilities do not sum to 1"),
        ([["1/2", "1/3"], ["1/2", "1/3"]], "the probabilities do not sum to 1"),
    ],
)
def test_laws_are_distributions(laws: list[list[str]], words: str) -> None:
    model = {"parts": [{"laws": laws, "times": 1}], "type": "composition", "version": 1}
    claim = {"alpha": "1", "kind": "composition", "lower": "0", "upper": "1"}
    about = samples.certificate(claim, model, {"basis": ["2"], "parts": [{}], "work": 10**6})
    refused(about, Malformed, words)
