"""Steps that nobody sees where an attacker chooses in others: against an elimination by hand."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from fractions import Fraction
from random import Random

import pytest

import prover
from prover.chain.collapsing.collapse import collapse
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.questions import delta
from prover.zoo import pin_checker
from prover.zoo.interactive import doors, wait
from tests.refusals import refuses

Row = dict[str, Fraction]
CHOICES = {"a", "b"}
SILENT = "d"


def random_process(random: Random) -> LabelledMarkovDecisionProcess:
    """From two secrets on to later states: a and b leave a choice, c and d do not; two ends."""
    size = random.randint(4, 6)
    labels = ["a", "a", *(random.choice("abccd") for _ in range(size - 2)), SILENT]
    states: dict[str, tuple[str, dict[str, Row] | Row]] = {}
    for s, label in enumerate(labels):
        after = [f"s{k}" for k in range(max(s, 1) + 1, len(labels))] + ["win", "lose"]

        def row(after: list[str] = after) -> Row:
            chosen = random.sample(after, min(len(after), 3))
            weights = [random.randint(1, 3) for _ in chosen]
            return {k: Fraction(w, sum(weights)) for k, w in zip(chosen, weights, strict=True)}

        states[f"s{s}"] = label, {action: row() for action in "xy"} if label in CHOICES else row()
    states |= {end: (end, {end: Fraction(1)}) for end in ("win", "lose")}
    return LabelledMarkovDecisionProcess.of(states, [("s0", "s1")])


def by_hand(process: LabelledMarkovDecisionProcess, *, untimed: bool) -> LabelledMarkovDecisionProcess:
    """The process with d silent, state by state, and of c only the first of several in a row."""

    def seen(row: dict[int, Fraction], last: str | None) -> Row:
        found: Row = {}
        for t, p in row.items():
            label = process.labels[t]
            if label == SILENT or (untimed and label == last):
                after = seen(dict(process.row(t, "")), last)
            else:
                after = {process.states[t]: Fraction(1)}
            for name, q in after.items():
                found[name] = found.get(name, Fraction(0)) + p * q
        return found

    states: dict[str, tuple[str, dict[str, Row] | Row]] = {}
    for s, (name, label) in enumerate(zip(process.states, process.labels, strict=True)):
        if label in CHOICES:
            states[name] = label, {a: seen(dict(process.row(s, a)), None) for a in process.menu(s)}
        elif label in ("win", "lose"):
            states[name] = label, {name: Fraction(1)}
        elif label != SILENT:
            states[name] = label, seen(dict(process.row(s, "")), label)
    return LabelledMarkovDecisionProcess.of(states, [("s0", "s1")])


def compare(count: int, seed: int) -> None:
    random = Random(seed)
    for _ in range(count):
        process = random_process(random)
        for untimed in (False, True):
            for alpha in (Fraction(1), Fraction(3, 2)):
                found = delta(collapse(process, [SILENT], untimed=untimed), "s0", "s1", alpha)
                assert found.value == prover.delta(by_hand(process, untimed=untimed), "s0", "s1", alpha).value
                assert found.value is not None
                assert found.value <= prover.delta(process, "s0", "s1", alpha).upper


def test_as_by_hand() -> None:
    compare(8, seed=1)


@pytest.mark.slow
def test_as_by_hand_in_many() -> None:
    compare(300, seed=2)


WORK = {
    "s": ("ready", {"go": {"quick": 1}, "stay": {"s": 1}}),
    "t": ("ready", {"go": {"slow": 1}, "stay": {"t": 1}}),
    "quick": ("busy", {"quick": "1/2", "done": "1/2"}),
    "slow": ("busy", {"slow": "3/4", "done": "1/4"}),
    "done": ("done", {"done": 1}),
}


def test_how_long_it_takes() -> None:
    process = LabelledMarkovDecisionProcess.of(WORK, [("s", "t")])  # type: ignore[arg-type]
    assert prover.delta(process, alpha=1, gap="9/10").lower > 0
    for seen in (collapse(process, ["busy"], untimed=False), collapse(process, untimed=True)):
        assert prover.delta(seen, alpha=1).value == 0
        assert seen.menus["ready"] == ("go", "stay")


@pytest.mark.parametrize("untimed", [False, True])
def test_silence_is_an_outcome(untimed: bool) -> None:
    states = {**WORK, "slow": ("busy", {"slow": 1})}
    process = LabelledMarkovDecisionProcess.of(states, [("s", "t")])  # type: ignore[arg-type]
    seen = collapse(process, ["busy"], untimed=untimed)
    assert prover.delta(seen, alpha=1).value == 1
    assert seen.row(seen.index("t"), "go") == {seen.index("silence"): 1}


def test_staying_for_ever() -> None:
    states = {**WORK, "quick": ("busy", {"stuck": "1/2", "done": "1/2"}), "stuck": ("busy", {"stuck": 1})}
    process = LabelledMarkovDecisionProcess.of(states, [("s", "t")])  # type: ignore[arg-type]
    seen = collapse(process)
    assert seen.states == ("busy for ever", "done", "quick", "s", "slow", "t")
    assert prover.delta(seen, alpha=1).value == Fraction(1, 2)


def test_silent_secrets() -> None:
    states = {"q": ("busy", {"s": 1}), "r": ("busy", {"t": 1}), **WORK}
    process = LabelledMarkovDecisionProcess.of(states, [("q", "r")])  # type: ignore[arg-type]
    seen = collapse(process, ["busy"])
    assert [seen.labels[s] for s in seen.relation[0]] == ["start", "start"]
    assert prover.delta(seen, alpha=1).value == 0


def test_secrets_that_are_in_no_relation() -> None:
    """Against the same process, with a visible state in front of each of the two, which leads there."""
    random = Random(3)
    for _ in range(12):
        process = random_process(random)
        untimed = random.random() < 0.5
        seen = collapse(process, [SILENT], untimed=untimed)
        s, t = random.sample([name for name in process.states if name.startswith("s")], 2)
        states: dict[str, tuple[str, dict[str, Row] | Row]] = {
            name: (label, {a: _named(process, process.row(k, a)) for a in process.menu(k)})
            if label in CHOICES
            else (label, _named(process, process.row(k, "")))
            for k, (name, label) in enumerate(zip(process.states, process.labels, strict=True))
        }
        states |= {f"before {name}": ("before", {name: Fraction(1)}) for name in (s, t)}
        asked = LabelledMarkovDecisionProcess.of(states, [(f"before {s}", f"before {t}")])
        expected = prover.delta(collapse(asked, [SILENT], untimed=untimed), alpha=1)
        found = prover.delta(seen, s, t, 1)
        assert found.value == expected.value
        assert f'from="{s}" to="{t}"' in prover.verify(found.certificate)
        assert prover.distances(seen, 1)[s, t].upper >= max(found.directions["forward"])
        assert pickle.loads(pickle.dumps(seen)) == seen  # noqa: S301


def _named(process: LabelledMarkovDecisionProcess, row: Mapping[int, Fraction]) -> Row:
    return {process.states[t]: p for t, p in row.items()}


def test_one_secret_alone_is_silent() -> None:
    states = {"q": ("busy", {"s": 1}), **WORK}
    process = LabelledMarkovDecisionProcess.of(states, [("q", "s")])  # type: ignore[arg-type]
    seen = collapse(process, ["busy"])
    assert prover.delta(seen, "s", "t", 1).value == prover.delta(seen, "q", "t", 1).value == 0
    assert prover.distance(seen, "q", "t", 1).value == prover.distance(seen, "s", "t", 1).value == 0
    assert prover.epsilon_for(seen, "q", "t", 0).upper == 0
    assert prover.curve(seen, "q", "t", [1]).points[0].upper == 0
    assert prover.distances(seen, 1).states == tuple(sorted(states))
    with refuses("unknown-state", match="has 6 states"):
        prover.delta(seen, "s seen", "t", 1)


def test_what_stays() -> None:
    for process in (doors(), wait()):
        found = collapse(process)
        assert found.menus == process.menus
        for alpha in ("1", "2"):
            assert prover.delta(found, alpha=alpha).value == prover.delta(process, alpha=alpha).value
    assert collapse(pin_checker()) == prover.collapse(pin_checker())
    unrelated = LabelledMarkovDecisionProcess.of(WORK)  # type: ignore[arg-type]
    assert collapse(unrelated, ["busy"]).relation == ()


def test_what_is_refused() -> None:
    with refuses("silent-choice", match="attackers see where they have a choice"):
        collapse(doors(), ["closed"])
    with refuses("unknown-label", match='"shut"; the labels are "L", "R"'):
        collapse(doors(), ["shut"])
    with refuses("not-labels"):
        collapse(doors(), "begin")
