"""Certificates about distances of decision processes: what is accepted, forgeries, and mutations."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import (
    BadEvidence,
    ClaimOpen,
    Malformed,
    RuleBroken,
    TooLarge,
)
from prover.chain.distance import distance, distances
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.zoo.interactive import adaptive_response, doors, wait
from tests.certificate.budgets import allow, spent
from tests.certificate.check.processes.test_processes import mutations_confirmed, verdict
from tests.certificate.process_distances_judge import accepts_distances
from tests.certificate.samples import encode, replaced
from tests.certificate.verdicts import accepted, refused
from tests.chain.ld.options.test_distances import circling, three_arcs
from tests.interactive_oracle import random_processes

Json = Any

WAIT = json.loads(distance(wait(), "s", "t", "6/5").certificate.data)
EXACT = ("evidence", "exact")
ROW = (*EXACT, "rows", 0)
PAIR = json.loads(distance(doors(), "s", "t", 1, kind="bd").certificate.data)


def both(certificate: Json) -> str:
    """The verdict, on which both judges agree."""
    found = verdict(certificate)
    assert accepts_distances(certificate) == (found == "verified"), found
    return found


def twice() -> LabelledMarkovDecisionProcess:
    """States e and f are bisimilar; where they count as two, mass is lost from one to the other."""
    to_end = {"x": {"u": "1/2", "v": "1/2"}, "y": {"u": "1"}}
    return LabelledMarkovDecisionProcess.of(
        {
            "s": ("a", {"x": {"e": "3/5", "g": "2/5"}, "y": {"g": "1"}}),
            "t": ("a", {"x": {"f": "1/2", "g": "1/2"}, "y": {"g": "1"}}),
            "e": ("b", to_end),
            "f": ("b", to_end),
            **{name: (name, {name: "1"}) for name in "guv"},
        },
        [("s", "t")],
    )


def samples() -> list[Json]:
    """One of each form: both kinds, all scopes, tables apart, detours of several arcs, α = 1 and above."""
    processes = [wait(), doors(), circling(), three_arcs()]
    certificates = [distances(process, alpha).certificate for process in processes for alpha in (1, "6/5")]
    certificates += [distance(doors(), alpha=alpha, kind="bd").certificate for alpha in (1, 2)]
    certificates += [distances(process, 1, kind="bd").certificate for process in processes]
    certificates += [distances(process, kind="bisimilarity").certificate for process in (twice(), doors())]
    certificates += [distance(twice(), kind="bisimilarity").certificate]
    certificates += [distances(twice(), 2, kind=kind, merge=True).certificate for kind in ("ld", "bd")]
    certificates += [distance(twice(), alpha="6/5", merge=True).certificate]
    return [json.loads(certificate.data) for certificate in certificates]


def apart(certificate: Json) -> Json:
    """The same with a table for each side."""
    exact = certificate["evidence"]["exact"]
    rows = exact["rows"]
    upper = [{key: row[key] for key in ("couplings", "pair", "value")} for row in rows]
    lower = [{key: row[key] for key in row if key != "couplings"} for row in rows if row["value"] != "0"]
    sides = {
        "lower": exact | {"rows": lower},
        "upper": {"denominator": exact["denominator"], "rows": upper},
    }
    others = {key: value for key, value in certificate["evidence"].items() if key != "exact"}
    return replaced(certificate, ("evidence",), sides | others)


def test_states_that_are_one() -> None:
    """Merging lowers ld, as it does for chains, and not δ; what is no class, and what is parted, is found."""
    plain, merged = (distance(twice(), "s", "t", 2, merge=merge) for merge in (False, True))
    refused(replaced(WAIT, ("evidence",), {}), Malformed, "there is no evidence")
    assert (plain.value, merged.value) == (Fraction(1, 10), Fraction(0))
    certificate = json.loads(merged.certificate.data)
    classes = certificate["evidence"]["quotient"]["classes"]
    assert [0, 1] in classes
    refused(replaced(certificate, ("claim", "quotient"), "labels"), Malformed, "not bisimilarity")
    apart = [block for block in classes if len(block) == 1] + [[0], [1]]
    path = ("evidence", "quotient", "classes")
    assert "do not separate all classes" in both(replaced(certificate, path, sorted(apart)))
    more = [block for block in classes if block not in ([3], [4])] + [[3, 4]]
    assert names_of(certificate)[3:5] == ["s", "t"]
    assert "differs from its class" in both(replaced(certificate, path, sorted(more)))
    assert both(replaced(certificate, ("evidence", "quotient", "splitters"), [])) != "verified"
    forged = replaced(certificate, ("evidence", "quotient", "splitters"), [[0]])
    assert "is not a union of classes" in both(forged)
    assert "the evidence has no quotient" in verdict(
        replaced(certificate, ("evidence",), {"exact": certificate["evidence"]["exact"]})
    )


def test_what_proves_bisimilarity() -> None:
    """States e and f are one, u and v behave alike and have other labels."""
    found = json.loads(distances(twice(), kind="bisimilarity").certificate.data)
    classes = found["evidence"]["classes"]
    assert names_of(found) == [*"efgstuv"]
    assert classes == [[0, 1], *([s] for s in range(2, 7))]
    path = ("evidence", "classes")
    refused(replaced(found, ("evidence",), {}), Malformed, "there is no evidence")
    refused(
        replaced(found, ("evidence", "splitters"), []), ClaimOpen, "the splitters do not separate all classes"
    )
    refused(replaced(found, path, classes[:-1]), BadEvidence, "the classes are not a partition")
    refused(replaced(found, path, classes[::-1]), BadEvidence, "classes are out of order or repeated")
    refused(replaced(found, path, [*classes[:-2], [5, 6]]), RuleBroken, "state 6 differs from its class")


def names_of(certificate: Json) -> list[str]:
    return sorted(certificate["model"]["states"])


def test_what_is_proved_is_accepted() -> None:
    for sample in samples():
        assert both(sample) == "verified"
        assert "exact" not in sample["evidence"] or both(apart(sample)) == "verified"


def with_value(value: str) -> Json:
    """That the distance in `wait` is another solution of its equation."""
    forged = replaced(replaced(WAIT, ("claim", "lower"), value), ("claim", "upper"), value)
    numerator, _, denominator = value.partition("/")
    forged = replaced(forged, (*EXACT, "denominator"), denominator or "1")
    row = WAIT["evidence"]["exact"]["rows"][0]
    t_to_s = row["pair"][::-1]
    assert WAIT["evidence"]["exact"]["rows"][1]["pair"] == t_to_s
    s, t = row["pair"]
    waiting = {
        "action": "wait",
        "couplings": {"cash": [], "wait": [[s, t, "1"]]},
        "pair": [s, t],
        "potentials": [[s, "to", t]],
        "value": numerator,
    }
    rows = [waiting, waiting | {"pair": [t, s], "couplings": {"cash": [], "wait": [[t, s, "1"]]}}]
    rows[1]["potentials"] = [[t, "to", s]]
    return replaced(forged, (*EXACT, "rows"), rows)


@pytest.mark.parametrize("value", ["3/4", "1"])
def test_a_fixed_point_that_is_not_the_least(value: str) -> None:
    """Every number from 1/2 to 1 solves the equation: without a rank it proves itself by waiting."""
    forged = with_value(value)
    assert "no rank" in both(forged)
    for g in (
        [],
        [[0, "1"]],
        [[1, "1"]],
        [[1, "1"], [2, "1"]],
        [[1, "6/5"], [2, "1"]],
        [[1, "1"], [2, "6/5"]],
    ):
        ranked = replaced(forged, (*ROW, "rank"), 1)
        assert both(replaced(ranked, (*ROW, "rank_potentials"), g)) != "verified"


def test_the_shortcut_by_splitters() -> None:
    """Of chains, pairs at distance 1 need no rank if splitters part them; here that proves what is false."""
    forged = with_value("1")
    ends = [k for k, name in enumerate(sorted(WAIT["model"]["states"])) if name == "win"]
    forged = replaced(forged, (*EXACT, "splitters"), [ends])
    assert "splitters for a decision process" in both(forged)


def test_observers_and_kinds_that_are_for_chains() -> None:
    seen = {"sees": "changes", "silent": []}
    assert "a claim about a decision process has an observer" in verdict(
        replaced(WAIT, ("claim", "observer"), seen)
    )
    for kind in ("lgd", "kernel"):
        assert verdict(replaced(WAIT, ("claim", "kind"), kind)) != "verified"
    assert verdict(replaced(WAIT, ("evidence", "symmetries"), [])) != "verified"


def test_an_action_without_a_coupling() -> None:
    """From above every action counts: waiting alone would make everything equal."""
    couplings = {"wait": WAIT["evidence"]["exact"]["rows"][0]["couplings"]["wait"]}
    forged = replaced(WAIT, (*ROW, "couplings"), couplings)
    assert "the actions are not exactly those of the menu" in both(forged)
    forged = replaced(WAIT, ("claim", "lower"), "0")
    forged = replaced(forged, ("claim", "upper"), "0")
    upper = apart(forged)["evidence"]["upper"]
    s, t = upper["rows"][0]["pair"]
    row = {"couplings": {"cash": [], "wait": [[s, t, "1"]]}, "pair": [s, t], "value": "0"}
    forged = replaced(forged, ("evidence",), {"upper": upper | {"rows": [row]}})
    assert "more than the value" in both(forged)


def test_an_action_that_is_not_offered() -> None:
    assert "the action is not in the menu" in both(replaced(WAIT, (*ROW, "action"), "look"))
    assert "the action is not in the menu" in both(replaced(WAIT, (*ROW, "action"), ""))


def test_the_rows_of_another_action() -> None:
    """Potentials of cashing in prove nothing of waiting."""
    assert "gain less than the value" in both(replaced(WAIT, (*ROW, "action"), "wait"))


def test_rank_potentials_at_alpha_1_respect_what_one_arc_does() -> None:
    """Where mass is brought by one arc the rule holds at α = 1, too."""
    certificate = json.loads(distances(wait(), 1).certificate.data)
    for n, row in enumerate(certificate["evidence"]["exact"]["rows"]):
        s, _ = row["pair"]
        path = (*EXACT, "rows", n)
        forged = replaced(certificate, (*path, "action"), "wait")
        forged = replaced(forged, (*path, "potentials"), [[s, "to", row["pair"][1]]])
        forged = replaced(forged, (*path, "rank_potentials"), [[s, "1"]])
        assert "is too large" in both(forged)


def confirm_mutations(certificate: Json) -> int:
    """About every value both judges agree."""
    return mutations_confirmed(certificate, accepts_distances, ("value", "lower", "upper", "rank"))


def test_mutations_of_waiting() -> None:
    assert confirm_mutations(WAIT) > 100
    assert confirm_mutations(apart(WAIT)) > 100


@pytest.mark.slow
def test_mutations_of_samples() -> None:
    for sample in samples():
        assert confirm_mutations(sample) > 100


@pytest.mark.slow
def test_mutations_of_random_processes() -> None:
    for number, process in enumerate(random_processes(12, seed=5, ends=False)):
        for kind in ("ld", "bd"):
            certificate = distances(process, (1, "6/5", 2)[number % 3], kind=kind).certificate
            confirm_mutations(json.loads(certificate.data))


@pytest.mark.parametrize("count", [4, pytest.param(500, marks=pytest.mark.slow)])
def test_both_judges_accept_what_is_proved(count: int) -> None:
    for number, process in enumerate(random_processes(count, seed=7, ends=False)):
        for kind in ("ld", "bd"):
            certificate = distances(process, (1, "6/5", 2)[number % 3], kind=kind).certificate
            assert both(json.loads(certificate.data)) == "verified"


def test_the_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(distances(adaptive_response(), "6/5").certificate.data)
    for sample in [*samples(), found, apart(found), PAIR]:
        units, _ = spent(monkeypatch, sample)
        with monkeypatch.context() as patch:
            allow(patch, units=units)
            accepted(sample)
            allow(patch, units=units - 1)
            refused(sample, TooLarge, "the work exceeds the limit")


def many(count: int) -> Json:
    """Two states with so many actions each, beside so many other states."""
    states = {str(k): {"label": str(k), "next": {str(k): "1"}} for k in range(count)}
    for name in ("s", "t"):
        states[name] = {"label": "a", "actions": {f"a{n}": {name: "1"} for n in range(count)}}
    model = WAIT["model"] | {"states": states, "relation": []}
    del model["relation"]
    row = {"couplings": {f"a{n}": [] for n in range(count)}, "pair": [count, count + 1], "value": "1"}
    return {
        **WAIT,
        "claim": WAIT["claim"] | {"lower": "0", "upper": "1"},
        "evidence": {"upper": {"denominator": "1", "rows": [row]}},
        "model": model,
    }


def test_what_is_spent_is_bounded_by_the_size_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not by actions times states."""
    certificate = many(300)
    units, _ = spent(monkeypatch, certificate)
    assert units < 10 * len(encode(certificate))


@pytest.mark.timing
def test_many_actions_and_many_states_take_no_long_time() -> None:
    certificate = many(3_000)
    began = time.process_time()
    assert verdict(certificate) == "verified"
    assert time.process_time() - began < 60
