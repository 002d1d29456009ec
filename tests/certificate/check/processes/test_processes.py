"""Certificates about decision processes: what is accepted, forgeries, and mutations."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import BadEvidence, BadModel, Malformed, Rejected, RuleBroken, check
from prover.certificate.check.budget import Budget
from prover.certificate.check.processes.model import read_process
from prover.questions import delta
from prover.zoo.interactive import adaptive_response, doors, grow, pin_guessing, wait
from tests.certificate.interactive_judge import accepts_interactive
from tests.certificate.samples import certificate, encode, found, pair_claim, replaced
from tests.certificate.unrolling_samples import unrolling
from tests.certificate.verdicts import accepted, edited, refused
from tests.interactive_oracle import random_processes

Json = Any
Path = tuple[Any, ...]

WAIT = json.loads(delta(wait(), "s", "t", 2).certificate.data)


def verdict(certificate: Json) -> str:
    try:
        check(encode(certificate))
    except Rejected as rejection:
        return str(rejection)
    return "verified"


def test_what_waiting_proves() -> None:
    assert verdict(WAIT) == "verified"
    assert accepts_interactive(WAIT)


def test_waiting_for_ever_proves_nothing() -> None:
    """From below the attacker has to end somewhere: else values in a circle prove themselves."""
    forged = replaced(WAIT, ("evidence", "unrolling", "nodes", 0, "taken"), "wait")
    assert "no path leads to a leaf" in verdict(forged)
    assert not accepts_interactive(forged)


def test_an_attacker_who_does_not_stop_in_time() -> None:
    """From above every inner node is worth at least what stopping gains: a circle does not make that less."""
    process = grow()
    certificate = json.loads(delta(process, "s", "t", 1, gap="1/2").certificate.data)
    nodes = certificate["evidence"]["unrolling"]["nodes"]
    for q, node in enumerate(nodes):
        if node:
            certificate = replaced(certificate, ("evidence", "unrolling", "nodes", q, "upper"), "0")
    certificate = replaced(certificate, ("claim", "lower"), "0")
    certificate = replaced(certificate, ("claim", "upper"), "0")
    assert verdict(certificate) != "verified"
    assert not accepts_interactive(certificate)


def test_what_stopping_gains_bounds_a_value_that_bounds_itself() -> None:
    """After one step half of t's mass is left, and nothing happens any more; node 1 counts this half as 1."""
    states = {"s": {"s": "1"}, "t": {"u": "1/2", "e": "1/2"}, "u": {"u": "1"}, "e": {"e": "1"}}
    labels = {name: "e" if name == "e" else "a" for name in states}
    model = {
        "states": {name: {"label": labels[name], "next": row} for name, row in states.items()},
        "type": "labelled-markov-decision-process",
        "version": 1,
    }

    def claimed(upper: str, twice: str) -> Json:
        nodes = [{"actions": {"": [["a", 1]]}, "lower": "0", "upper": value} for value in (upper, twice)]
        return certificate(pair_claim("lv", "s", "t", "0", upper, "1"), model, unrolling([[1, 2]], *nodes))

    assert accepted(claimed("1/2", "1")).startswith('lv alpha=1 from="s" to="t" lower=0 upper=1/2')
    assert accepts_interactive(claimed("1/2", "1"))
    refused(claimed("0", "0"), RuleBroken, "node 1: upper is below the gain of stopping")
    assert not accepts_interactive(claimed("0", "0"))


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("model", "version"): 2}, Malformed, "not 1"),
        ({("model", "states", "s", "actions"): {}}, BadModel, "the state has no action"),
        ({("model", "states", "s", "actions"): {"": {"s": "1"}}}, BadModel, "an action has no name"),
        ({("model", "states", "s", "next"): {"s": "1"}}, Malformed, "not exactly one of next, actions"),
        ({("evidence", "unrolling", "nodes"): []}, BadEvidence, "there are more roots than nodes"),
    ],
)
def test_what_is_no_process_or_no_unrolling(
    edits: dict[Path, Json], failure: type[Rejected], words: str
) -> None:
    refused(edited(WAIT, edits), failure, words)


def test_a_model_of_another_type() -> None:
    with pytest.raises(Malformed, match="not labelled-markov-decision-process"):
        read_process(WAIT["model"] | {"type": "labelled-markov-chain"}, Budget(0))


def test_a_model_without_states() -> None:
    with pytest.raises(BadModel, match=r"there is no state$"):
        read_process(WAIT["model"] | {"states": {}}, Budget(0))


def test_an_upper_value_that_forgets_an_action() -> None:
    forged = WAIT
    for q, node in enumerate(WAIT["evidence"]["unrolling"]["nodes"]):
        if node and "cash" in node["actions"]:
            path = ("evidence", "unrolling", "nodes", q)
            forged = replaced(replaced(forged, (*path, "upper"), "0"), (*path, "lower"), "0")
    forged = replaced(replaced(forged, ("claim", "upper"), "0"), ("claim", "lower"), "0")
    assert "upper is below an action's gain" in verdict(forged)
    assert not accepts_interactive(forged)


def test_menus_that_differ() -> None:
    model = WAIT["model"]["states"]
    forged = replaced(WAIT, ("model", "states", "s", "actions"), {"wait": model["s"]["actions"]["wait"]})
    assert "offers other actions" in verdict(forged)
    assert not accepts_interactive(forged)


def test_states_that_one_action_tells_apart_are_not_merged() -> None:
    classes = [[0], [1], [2, 3]]
    names = sorted(WAIT["model"]["states"])
    assert names[2:] == ["t", "win"] or names[1:3] == ["s", "t"]
    s, t = names.index("s"), names.index("t")
    classes = sorted([[min(s, t), max(s, t)], *([k] for k in range(len(names)) if k not in (s, t))])
    forged = replaced(WAIT, ("evidence",), {"classes": classes, "unrolling": {"nodes": [], "roots": []}})
    forged = replaced(replaced(forged, ("claim", "upper"), "0"), ("claim", "lower"), "0")
    assert "differs from its class" in verdict(forged)
    assert not accepts_interactive(forged)


def test_observers_and_other_kinds_are_unknown_here() -> None:
    assert verdict(replaced(WAIT, ("claim", "kind"), "kernel")) != "verified"
    seen = {"sees": "changes", "silent": []}
    assert "a claim about a decision process has an observer" in verdict(
        replaced(WAIT, ("claim", "observer"), seen)
    )
    assert "a claim about a decision process has lost runs" in verdict(
        replaced(WAIT, ("claim", "lost"), "lost")
    )


def paths(value: Json, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*path, key))
    if isinstance(value, list):
        for place, member in enumerate(value):
            yield from paths(member, (*path, place))


def changed(value: Json) -> Iterator[Json]:
    """What can stand in place of a part of a certificate."""
    if isinstance(value, int):
        yield from (value + 1, value - 1, 0, value + 1000, str(value), None)
    elif isinstance(value, str):
        yield from ("", f"{value}x", 7)
        try:
            number = Fraction(value)
        except ValueError:
            return
        for other in (number + Fraction(1, 10**9), number - Fraction(1, 10**9), -number, 1 / (1 + number)):
            yield str(other)
    elif isinstance(value, list):
        yield from (value[:-1], value[::-1], [*value, *value[-1:]], {})
    elif isinstance(value, dict):
        for key in value:
            yield {other: member for other, member in value.items() if other != key}
        yield value | {"x": "1"}
        if value.get("taken") is None and "actions" in value:
            yield value | {"taken": min(value["actions"])}


def of_model(certificate: Json) -> list[Json]:
    return [certificate["claim"].get(key) for key in ("alpha", "from", "to", "kind", "scope")]


def mutations_confirmed(
    certificate: Json, accepts: Callable[[Json], bool], values: Collection[str] = ("lower", "upper")
) -> int:
    """How many mutations there are: what is accepted is true by the second judge, and where one of these
    values is changed into another one both agree."""
    assert verdict(certificate) == "verified"
    assert accepts(certificate)
    seen = 0
    for path in paths(certificate):
        part = found(certificate, path)
        for other in changed(part):
            if other == part or not path:
                continue
            mutated = replaced(certificate, path, other)
            seen += 1
            if verdict(mutated) == "verified":
                assert accepts(mutated), (path, other)
            elif path[-1] in values and type(other) is type(part) in (int, str):
                assert not is_accepted(mutated, accepts), (path, other)
    return seen


def is_accepted(certificate: Json, accepts: Callable[[Json], bool]) -> bool:
    try:
        return accepts(certificate)
    except (ValueError, KeyError, TypeError, IndexError, StopIteration, ZeroDivisionError):
        return False


def confirm_mutations(certificate: Json) -> int:
    return mutations_confirmed(certificate, accepts_interactive)


def test_mutations_of_waiting() -> None:
    assert confirm_mutations(WAIT) > 100


@pytest.mark.slow
@pytest.mark.parametrize("process", [doors(), adaptive_response(), grow()], ids=["doors", "answers", "grow"])
def test_mutations_of_the_zoo(process: Any) -> None:
    certificate = json.loads(delta(process, alpha="6/5", gap="1/4").certificate.data)
    assert confirm_mutations(certificate) > 100


@pytest.mark.slow
def test_mutations_of_random_processes() -> None:
    for process in random_processes(60, seed=5, ends=True):
        confirm_mutations(json.loads(delta(process, "s0", "s1", "6/5").certificate.data))


def test_both_judges_accept_what_is_proved() -> None:
    for process in random_processes(20, seed=6, ends=True):
        assert accepts_interactive(json.loads(delta(process, "s0", "s1", "6/5").certificate.data))
    assert accepts_interactive(json.loads(delta(pin_guessing(), alpha=2).certificate.data))
