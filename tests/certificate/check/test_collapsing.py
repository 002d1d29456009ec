"""Collapsed chains: what their states stand for, exits, what cannot leave, observers, limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    Malformed,
    Rejected,
    RuleBroken,
    check,
)
from prover.chain.answer import Distance, DistanceTable
from prover.chain.collapsing.collapse import collapse
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.distance import distance, distances
from prover.chain.model import LabelledMarkovChain, restrict
from prover.chain.unrolling.answer import Delta
from prover.questions import delta
from tests.certificate.collapsing_judge import is_right
from tests.certificate.collapsing_samples import (
    COLLAPSING_SAMPLES,
    DELAY,
    DELAY_RELATED,
    SILENT,
    SILENT_EXITS,
    START,
    exits,
)
from tests.certificate.forms import broken_numbers, sample, show, walk
from tests.certificate.samples import Path, dropped, encode, found, replaced
from tests.certificate.verdicts import accepted, edited, refused
from tests.chain.collapsing.observed import Observer, observers
from tests.strategies import chains

Json = Any
COLLAPSING: Path = ("evidence", "collapsing")
ENTERED: Path = (*COLLAPSING, "entered")
ERASED: Path = (*COLLAPSING, "erased")
MERGED: Path = (*COLLAPSING, "merged")
STATES: Path = (*COLLAPSING, "model", "states")
OBSERVER: Path = ("claim", "observer")


def next_of(state: str) -> Path:
    return (*STATES, state, "next")


def test_the_line_says_what_is_seen() -> None:
    assert accepted(DELAY) == 'lv alpha=1 sees=changes from="t" to="s" value=1/9'
    assert accepted(DELAY_RELATED) == 'tv alpha=1 sees=changes relation maximum at from="t" to="s" value=1/9'
    assert accepted(SILENT) == 'tv alpha=1 sees=labels silent="tau" from="s" to="t" value=2/7'


# Exits -----------------------------------------------------------------------------------------------------


def test_exits_obey_their_equations() -> None:
    row = (*MERGED, 0)
    refused(edited(DELAY, {row: exits(4, "2", [5, "1"])}), RuleBroken, "row of state 1")
    # Then the rows of s and t are wrong in the same way, and still the equation is not fulfilled.
    wrong = {
        row: exits(4, "2", [5, "1"]),
        next_of("s"): {"ever": "1/2", "z": "1/2"},
        next_of("t"): {"ever": "1/2", "z": "1/2"},
    }
    refused(
        edited(DELAY, wrong),
        RuleBroken,
        "merged: exits of state 4: they differ from those of the next states",
    )
    accepted(edited(DELAY, {row: exits(4, "300", [5, "200"])}))


def test_equations_alone_prove_nothing_on_what_is_never_left() -> None:
    # e leads to d and back, so any number solves the equations of both: let all of it leave.
    everything = [exits(0, "1", [5, "1"]), exits(1, "1", [5, "1"]), exits(4, "1", [5, "1"])]
    surely = {
        STATES: {name: row for name, row in found(DELAY, STATES).items() if name != "ever"},
        ENTERED: [[0, 2], [1, 3], [2, 5]],
        MERGED: everything,
        next_of("s"): {"z": "1"},
        next_of("t"): {"z": "1"},
    }
    refused(edited(DELAY, surely), BadEvidence, "no way leads out")
    # Without exits of d, what e says of itself does not follow.
    halved = {MERGED: everything[1:], next_of("s"): {"ever": "1/3", "z": "2/3"}, next_of("t"): {"z": "1"}}
    refused(edited(DELAY, halved), RuleBroken, "merged: exits of state 1")


def test_what_can_leave_has_exits() -> None:
    lost = {MERGED: [], next_of("s"): {"ever": "2/3", "z": "1/3"}, next_of("t"): {"ever": "1"}}
    refused(edited(DELAY, lost), BadEvidence, "a way leads out of state 4, but the state has no exits")


def test_a_silent_circle_has_one_solution() -> None:
    for other in (exits(0, "7", [5, "2"], [6, "2"]), exits(0, "14", [5, "8"], [6, "2"])):
        refused(edited(SILENT, {(*ERASED, 0): other}), RuleBroken)
    refused(edited(SILENT, {ERASED: SILENT_EXITS[:1]}), RuleBroken)
    refused(edited(SILENT, {ERASED: [*SILENT_EXITS, exits(4, "1", [5, "1"])]}), RuleBroken)


def test_silence_for_ever_cannot_be_left() -> None:
    # w solves its equation with any number, and with it r may leave more often.
    more = [exits(0, "2", [5, "2"]), exits(1, "1", [5, "1"]), exits(4, "1", [5, "1"])]
    model = edited(SILENT, {next_of("s"): {"x": "1"}, next_of("t"): {"x": "1"}})
    refused(edited(model, {ERASED: more}), RuleBroken)


def test_exits_are_written_in_order() -> None:
    refused(edited(SILENT, {ERASED: SILENT_EXITS[::-1]}), BadEvidence, "out of order")
    refused(edited(SILENT, {(*ERASED, 0, "exits"): [[6, "1"], [5, "8"]]}), BadEvidence, "out of order")
    refused(edited(SILENT, {(*ERASED, 0, "exits"): [[5, "8"], [5, "8"]]}), BadEvidence, "out of order")
    refused(edited(SILENT, {(*ERASED, 0): exits(0, "7", [5, "8"], [6, "2"])}), BadEvidence, "above 1")
    for wrong in ("0", "-1", "1/2", "01"):
        refused(edited(SILENT, {(*ERASED, 0, "exits", 0, 1): wrong}), Malformed)
        refused(edited(SILENT, {(*ERASED, 0, "denominator"): wrong}), Malformed)
    refused(edited(SILENT, {(*ERASED, 0, "state"): 7}), Malformed, "unknown index of a state")
    refused(edited(SILENT, {(*ERASED, 0, "exits", 0, 0): 7}), Malformed, "unknown index of a state")
    refused(edited(SILENT, {(*ERASED, 0, "value"): "1"}), Malformed, "key")


def test_labels_that_are_seen_are_not_merged() -> None:
    refused(
        edited(SILENT, {MERGED: [exits(5, "1", [5, "1"])]}),
        BadEvidence,
        "the observer sees all labels, but merged is not empty",
    )


# Rows and what they stand for ------------------------------------------------------------------------------


def test_rows_are_what_is_seen_next() -> None:
    refused(
        edited(DELAY, {next_of("t"): {"ever": "2/3", "z": "1/3"}}), RuleBroken, "the probability to go to"
    )
    refused(edited(DELAY, {next_of("t"): {"ever": "1"}}), RuleBroken, "but the row does not lead there")
    refused(
        edited(DELAY, {next_of("t"): {"s": "1/3", "z": "2/3"}}),
        RuleBroken,
        "it leads to a state that is neither seen next nor an end",
    )
    refused(
        edited(DELAY, {next_of("z"): {"s": "1"}}),
        RuleBroken,
        "it leads to a state that is neither seen next nor an end",
    )
    refused(edited(DELAY, {next_of("t"): {"ever": "1/4", "z": "2/3"}}), BadModel, "sum to 1")


def test_what_stands_for_nothing_is_absorbing() -> None:
    refused(
        edited(DELAY, {next_of("ever"): {"z": "1"}}),
        BadEvidence,
        "it is neither a beginning nor entered nor absorbing",
    )
    spare = {(*STATES, "zz"): {"label": "a", "next": {"z": "1"}}}
    refused(edited(DELAY, spare), BadEvidence, "it is neither a beginning nor entered nor absorbing")
    accepted(edited(DELAY, {(*STATES, "zz"): {"label": "q", "next": {"zz": "1"}}}))


def test_staying_for_ever_shows_the_same_label() -> None:
    other = {(*STATES, "ever", "label"): "z"}
    refused(edited(DELAY, other), RuleBroken, "it leads to a state that is neither seen next nor an end")
    # z is absorbing and has another label; nobody stays in a by being there.
    refused(edited(DELAY, {next_of("t"): {"z": "1"}}), RuleBroken, "the probability to go to")


def test_silence_has_a_label_of_its_own() -> None:
    for label in ("a", "b", "tau"):
        old = {(*COLLAPSING, "silence"): label, (*STATES, "silence", "label"): label}
        refused(
            edited(SILENT, old),
            BadEvidence,
            "start or silence is a label of the model, or both are the same label",
        )
    refused(
        edited(SILENT, {(*COLLAPSING, "silence"): "other"}),
        RuleBroken,
        "it leads to a state that is neither seen next nor an end",
    )
    refused(
        edited(SILENT, {(*COLLAPSING, "silence"): ...}),
        RuleBroken,
        "it leads to a state that is neither seen next nor an end",
    )
    refused(edited(DELAY, {(*COLLAPSING, "silence"): "no"}), Malformed, "key")


def test_entered_states_have_the_label_they_stand_for() -> None:
    refused(edited(DELAY, {(*ENTERED, 0): [1, 5]}), BadEvidence, "a state is entered twice")
    refused(
        edited(DELAY, {(*ENTERED, 2): [3, 4]}),
        BadEvidence,
        "state 3 has another label than its state, or a silent one",
    )
    refused(edited(DELAY, {ENTERED: [[2, 3], [1, 2], [3, 5]]}), BadEvidence, "out of order")
    refused(
        edited(DELAY, {ENTERED: [[1, 2], [3, 5]]}),
        BadEvidence,
        "it is neither a beginning nor entered nor absorbing",
    )
    refused(edited(DELAY, {(*ENTERED, 0): [1, 6]}), Malformed, "unknown index of a state")
    refused(edited(DELAY, {(*ENTERED, 0): [4, 2]}), Malformed, "unknown index of a state")
    silent = {(*STATES, "s", "label"): "tau", (*ENTERED, 0): [0, 4]}
    refused(edited(SILENT, silent), BadEvidence, "silent")


def test_the_collapsed_model_has_no_relation_of_its_own() -> None:
    related = {(*COLLAPSING, "model", "relation"): [["s", "s"]]}
    refused(edited(DELAY, related), Malformed, "collapsing: model: unknown key")


def test_beginnings_have_a_label_and_a_name() -> None:
    assert accepted(START) == 'lv alpha=1 sees=changes silent="tau" from="q" to="t" value=1'
    for label in ("a", "tau"):
        old = {(*COLLAPSING, "start"): label, (*STATES, "q", "label"): label}
        refused(
            edited(START, old),
            BadEvidence,
            "start or silence is a label of the model, or both are the same label",
        )
    refused(
        edited(START, {(*COLLAPSING, "start"): ...}),
        BadEvidence,
        "it is neither a beginning nor entered nor absorbing",
    )
    renamed = {"zz" if name == "q" else name: state for name, state in found(START, STATES).items()}
    refused(edited(START, {STATES: renamed, ENTERED: [[3, 2], [5, 3], [6, 5], [7, 6]]}), BadEvidence)


def test_beginnings_show_what_is_seen_first() -> None:
    refused(edited(START, {next_of("t"): {"s": "1"}}), RuleBroken, "but the row does not lead there")
    refused(
        edited(START, {next_of("q"): found(START, next_of("s"))}),
        RuleBroken,
        "it leads to a state that is neither seen next nor an end",
    )
    swapped = {"begin ever": "5/14", "x": "1/14", "y": "4/7"}
    refused(edited(START, {next_of("q"): swapped}), RuleBroken, "the probability to go to")
    # q is silent and can leave, so it has exits, although nothing but its beginning leads there.
    without = [exits(1, "7", [5, "2"], [6, "2"])]
    refused(edited(START, {ERASED: without, next_of("q"): {"begin ever": "1"}}), RuleBroken)


# Claims ----------------------------------------------------------------------------------------------------


def test_states_of_the_claim_are_those_of_the_model() -> None:
    swapped = {
        (*STATES, "s"): found(DELAY, (*STATES, "t")),
        (*STATES, "t"): found(DELAY, (*STATES, "s")),
        ENTERED: [[1, 3], [2, 2], [3, 5]],
        ("claim", "from"): "s",
        ("claim", "to"): "t",
        ("evidence", "unrolling", "roots"): [[1, 2]],
    }
    refused(edited(DELAY, swapped), BadModel, "there is no state of this name")
    refused(edited(DELAY, {("claim", "from"): "ever"}), BadModel, "there is no state of this name")
    refused(edited(DELAY, {("claim", "from"): "u"}), BadModel, "there is no state of this name")


def test_entered_states_are_no_secrets_where_there_are_beginnings() -> None:
    """Compared with the beginning of t, which shows another label, the s that runs enter is far from it."""
    alone: dict[Path, Json] = {("evidence", "unrolling"): {"nodes": [], "roots": []}}
    for secret, other in (("s", "t"), ("q", "s"), ("t", "t seen")):
        named: dict[Path, Json] = {("claim", "from"): secret, ("claim", "to"): other}
        refused(edited(START, alone | named), BadModel, "there is no state of this name")


def test_all_states_of_the_relation_are_there() -> None:
    wider = [["s", "t"], ["s", "u"], ["t", "s"], ["u", "s"]]
    accepted(edited(DELAY, {("model", "relation"): wider}))
    refused(
        edited(DELAY_RELATED, {("model", "relation"): wider}),
        BadEvidence,
        "the collapsed chain lacks a related state",
    )


def test_observers() -> None:
    refused(edited(DELAY, {OBSERVER: ...}), Malformed)
    refused(edited(DELAY, {COLLAPSING: ...}), Malformed, "the evidence has no collapsed chain")
    refused(edited(DELAY, {(*OBSERVER, "sees"): "nothing"}), BadClaim, "sees is not changes or labels")
    refused(
        edited(DELAY, {(*OBSERVER, "sees"): "labels"}),
        BadEvidence,
        "the observer sees all labels, but merged is not empty",
    )
    refused(edited(SILENT, {(*OBSERVER, "sees"): "changes"}), Malformed, "unknown key")
    refused(edited(SILENT, {(*OBSERVER, "silent"): []}), RuleBroken)
    refused(edited(SILENT, {(*OBSERVER, "silent"): ["a", "tau"]}), BadEvidence)
    for wrong in (["tau", "tau"], ["tau", "a"]):
        refused(edited(SILENT, {(*OBSERVER, "silent"): wrong}), BadClaim, "out of order")
    refused(edited(SILENT, {(*OBSERVER, "silent"): [1]}), Malformed)
    refused(edited(SILENT, {(*OBSERVER, "time"): 1}), Malformed, "key")
    program = {"claim": {"adjacency": "all-differ", "kind": "private", "observer": {}}}
    refused(DELAY | program, Malformed, "key")


# Certificates of the prover --------------------------------------------------------------------------------


def related(chain: LabelledMarkovChain, observer: Observer) -> CollapsedChain:
    return collapse(chain, sorted(observer.silent & {*chain.labels}), untimed=observer.untimed)


@given(chains(related=True), observers())
@settings(max_examples=settings().max_examples // 2)
def test_certificates_of_observers(chain: LabelledMarkovChain, observer: Observer) -> None:
    small = related(chain, observer)
    pair = [small.states[s] for s in small.relation[0]]
    answers: list[Delta | Distance | DistanceTable] = [
        delta(small, alpha="3/2", gap=Fraction(1, 100)),
        distance(small, alpha="3/2"),
        distance(small, kind="bisimilarity"),
        distances(small, alpha="3/2", kind="bd"),
        distance(restrict(small, small.relation[0]), pair[0], pair[1], "3/2"),
    ]
    for answer in answers:
        line = check(answer.certificate.data)
        assert f"sees={'changes' if observer.untimed else 'labels'}" in line
        document = json.loads(answer.certificate.data)
        assert is_right(document)
        assert (
            LabelledMarkovChain.of(
                {n: (s["label"], s["next"]) for n, s in document["model"]["states"].items()},
                chain_pairs(document),
            )
            == chain
        )


def chain_pairs(document: Json) -> list[tuple[str, str]]:
    return [(s, t) for s, t in document["model"].get("relation", [])]


def changed(value: Json, where: Path) -> Iterator[tuple[Json, bool]]:
    """Other values in place of one, and whether they must be rejected."""
    if isinstance(value, dict):
        yield value | {"zz": "1"}, True
        yield [], True
        for key in value:
            optional = key in ("start", "silence") or where[-1:] == ("states",)
            yield dropped(value, (key,)), not optional
        if where[-1] == "next" and len(value) > 1:
            yield dict(zip(value, reversed(value.values()), strict=True)), False
    elif isinstance(value, list):
        yield {}, True
        yield [*value, None], True
        yield [*value, []], True
        for n in range(len(value)):
            yield [*value[:n], *value[n + 1 :]], False
            yield [*value[: n + 1], *value[n:]], True
        if len(value) > 1:
            yield [value[1], value[0], *value[2:]], False
    elif isinstance(value, int):
        yield from ((wrong, True) for wrong in (str(value), -1, 10**18, None, True, float(value)))
        yield from ((other, False) for other in {value + 1, value - 1, 0} - {value, -1})
    else:
        yield from ((wrong, True) for wrong in (None, 1, [value]))
        if where[-1] in ("label", "sees", "start", "silence") or where[-2] == "silent":
            words = {"", value + "'", "a", "b", "c", "tau", "changes", "labels"}
            yield from ((word, False) for word in sorted(words - {value}))
            return
        if where[-1] == "type":
            yield value + "s", True
            return
        for _, text in broken_numbers(value):
            yield text, True
        number = Fraction(value)
        for near in (number + 1, number * 2, number / 2, 1 - number, number + Fraction(1, 10**9)):
            if near != number:
                yield str(near), "/" in str(near) and where[-1] == "denominator"


def all_changes(certificate: Json, per_place: int, seed: int = 0) -> Iterator[tuple[str, Json, bool]]:
    for place in (COLLAPSING, OBSERVER):
        paths = [(*place, *path) for path, _ in walk(found(certificate, place))]
        for path in sample(paths, per_place, str(seed)):
            for other, must_reject in changed(found(certificate, path), path):
                yield f"{show(path)}: {other!r}", replaced(certificate, path, other), must_reject


def confirm(certificate: Json, per_place: int) -> int:
    """All changes are rejected that must be; and of those accepted the collapsed chain is the true one."""
    count = 0
    for what, other, must_reject in all_changes(certificate, per_place):
        if other == certificate:
            continue
        count += 1
        try:
            check(encode(other))
        except Rejected:
            continue
        assert not must_reject, what
        assert is_right(other), what
    return count


@pytest.mark.parametrize("name", COLLAPSING_SAMPLES)
def test_mutated_samples_are_rejected_or_right(name: str) -> None:
    assert is_right(COLLAPSING_SAMPLES[name])
    assert confirm(COLLAPSING_SAMPLES[name], 1_000) > 300


@given(chains(related=True), observers())
@settings(max_examples=settings().max_examples // 4)
def test_mutated_certificates_are_rejected_or_right(chain: LabelledMarkovChain, observer: Observer) -> None:
    small = related(chain, observer)
    answer = distance(small, kind="bisimilarity")
    confirm(json.loads(answer.certificate.data), 12)


@given(chains(related=True), observers())
@settings(max_examples=settings().max_examples // 4)
def test_rows_moved_between_states_are_rejected_or_right(
    chain: LabelledMarkovChain, observer: Observer
) -> None:
    """Exits of another state, and rows of another one of the same label."""
    certificate = json.loads(distance(related(chain, observer), kind="bisimilarity").certificate.data)
    random = Random(len(chain))
    for table in (ERASED, MERGED):
        rows = found(certificate, table)
        if len(rows) > 1:
            one, two = random.sample(range(len(rows)), 2)
            other = replaced(certificate, (*table, one), rows[two] | {"state": rows[one]["state"]})
            try:
                check(encode(other))
            except Rejected:
                continue
            assert is_right(other)
