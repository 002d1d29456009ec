"""Samples that tell a run from all others: certificates, forgeries, and each rule by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from prover.certificate.check import Rejected, check
from prover.certificate.check.budget import Budget
from prover.certificate.check.demands.given import given_model
from prover.certificate.check.programs import Program, read_program
from prover.certificate.check.reading import BadClaim, BadEvidence, BadModel, Malformed, RuleBroken, canonical
from prover.certificate.check.telling import samples_rule
from prover.program.privacy import privacy
from tests.certificate.told_judge import tells
from tests.certificate.verdicts import refused
from tests.program.hidden_steps import random_program
from tests.scripts import module_at

Json = Any
Forge = Callable[[Json], object]
FIELD = module_at(Path(__file__).parents[3] / "benchmarks" / "field" / "checkdp.py")


def certificate(name: str, adjacency: str = "all-differ") -> Json:
    found = privacy(getattr(FIELD, name)(), adjacency).certificate
    assert found is not None
    check(found.data)
    return json.loads(found.data)


def cases(made: Json) -> list[Json]:
    return [
        t for name in sorted(made["model"]["states"]) for t in made["model"]["states"][name]["transitions"]
    ]


def gaps(made: Json) -> list[Json]:
    return [case for case in cases(made) if isinstance(case["output"], dict)]


def last_sample(number: str) -> Forge:
    return lambda made: made["evidence"]["samples"].__setitem__(-1, number)


def without_the_last_step(made: Json) -> None:
    made["evidence"]["blocks"][0]["steps"].pop()
    made["evidence"]["samples"].pop()


def one_sided(made: Json) -> None:
    for state in made["model"]["states"].values():
        if "center" in state:
            state.update(rate=None, rate_left="1/4", rate_right="inf")


def on_a_grid(made: Json) -> None:
    made["model"]["noise"] = "discrete-laplace"


FORGERIES: dict[str, tuple[Forge, str]] = {
    "no samples": (lambda made: made["evidence"].pop("samples"), "there are no samples"),
    "no run": (lambda made: made["evidence"].pop("blocks"), "samples without blocks"),
    "the loss of runs": (lambda made: made["claim"].__setitem__("loss", "runs"), "which nothing asks for"),
    "a number of another run": (last_sample("17"), "another path may look like the run"),
    "at the other number": (last_sample("16"), "another path may look like the run"),
    "on the other side": (last_sample("-100"), "not where its test asks it to be"),
    "too few": (lambda made: made["evidence"]["samples"].pop(), "the wrong length"),
    "unseen at the end": (without_the_last_step, "the last step of the run is not seen"),
    "one side": (one_sided, "noise on a side"),
    "a grid": (on_a_grid, "and discrete noise"),
    "of outputs": (lambda made: made["evidence"].__setitem__("merged", []), "evidence about outputs"),
    "other outputs": (lambda made: gaps(made)[0].pop("seen"), "another path may"),
    "a number unseen": (lambda made: gaps(made)[0].__setitem__("seen", []), "without a number"),
    "a letter as a number": (
        lambda made: next(t for t in cases(made) if t.get("seen") == []).__setitem__("seen", ["1"]),
        "without a number",
    ),
    "as it is": (lambda made: gaps(made)[0].__setitem__("seen", ["0"]), "as it is"),
    "two numbers": (lambda made: gaps(made)[0].__setitem__("seen", ["1", "2"]), "more than one number"),
    "several outputs": (
        lambda made: gaps(made)[0].__setitem__("output", ["a", gaps(made)[0]["output"]]),
        "several outputs",
    ),
    "never seen": (
        lambda made: next(t for t in cases(made) if t["output"] == "below").__setitem__("seen", []),
        "form a cycle",
    ),
    "bounded only": (
        lambda made: made.__setitem__("claim", {"adjacency": "all-differ", "kind": "private"}),
        "which this claim is not about",
    ),
}


@pytest.fixture(scope="module")
def adaptive() -> str:
    return json.dumps(certificate("adaptivesparsevector"))


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_rejected(name: str, adaptive: str) -> None:
    made = json.loads(adaptive)
    forge, words = FORGERIES[name]
    forge(made)
    with pytest.raises(Rejected, match=words):
        check(canonical(made))


def test_samples_go_with_programs_that_hide_steps_only() -> None:
    made = certificate("gapsparsevector")
    made["evidence"]["samples"] = ["0"] * len(made["evidence"]["blocks"][0]["steps"])
    refused(made, BadClaim, "samples, which nothing asks for")


def test_evidence_about_outputs_knows_what_is_output_only() -> None:
    random = Random(2)
    found = next(c for _ in range(99) if (c := privacy(random_program(random)).certificate) is not None)
    made = json.loads(found.data)
    made["evidence"]["merged"] = []
    refused(made, BadModel, "evidence about outputs, and steps that are not seen")


def test_an_upper_bound_needs_no_samples(adaptive: str) -> None:
    made = json.loads(adaptive)
    for key in ("blocks", "samples"):
        made["evidence"].pop(key)
    made["claim"]["lower"] = "0"
    assert " lower=0 upper=1 " in check(canonical(made))


def test_a_model_of_a_user_is_the_model(adaptive: str) -> None:
    model = json.loads(adaptive)["model"]
    assert given_model(json.dumps(model, indent=1).encode()) == canonical(model)
    for state in model["states"].values():
        for case in state["transitions"]:
            case.setdefault("seen", ["0.0"] if isinstance(case["output"], dict) else None)
            if "seen" in case and case["seen"] is None:
                del case["seen"]
            if case.get("seen") == ["16"]:
                case["seen"] = ["16.0"]
    assert given_model(json.dumps(model).encode()) == canonical(json.loads(adaptive)["model"])


@pytest.mark.parametrize("name", ["adaptivesparsevector", "badadaptivesparsevector"])
@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ", "increasing"])
def test_the_second_judge_agrees(name: str, adjacency: str) -> None:
    made = certificate(name, adjacency)
    assert made["claim"]["loss"] == "observer"
    assert all(tells(made, turns) for turns in (1, 2, 3))


def test_the_second_judge_agrees_on_random_programs() -> None:
    """Whatever is told the judge finds alone, and it finds others where a number is moved to their side."""
    random, found = Random(3), {"told": 0, "moved": 0}
    for _ in range(25):
        answer = privacy(random_program(random))
        if answer.observer is None or answer.observer.told is None or answer.certificate is None:
            continue
        made = json.loads(answer.certificate.data)
        check(answer.certificate.data)
        assert tells(made, 1)
        found["told"] += 1
        for by in (-6, 6):
            moved = json.loads(answer.certificate.data)
            samples = moved["evidence"]["samples"]
            samples[-1] = str(Fraction(samples[-1]) + by)
            try:
                check(canonical(moved))
            except Rejected:
                assert not tells(moved, 1)
                found["moved"] += 1
            else:
                assert tells(moved, 1)
    assert min(found.values()) > 5


def program(states: Json) -> Program:
    """Steps of noise 1; the first one stores its sample unseen."""
    start = {"s": [case("u", "q", assign=["x"], seen=[])]}
    model = {
        "initial": "s",
        "states": {
            name: {"input": False, "mean": "0", "mean_prime": None, "rate": "1", "rate_prime": None}
            | {"transitions": own}
            for name, own in (start | states).items()
        },
        "type": "threshold-program",
        "version": 1,
    }
    return read_program(model, Budget(1000), registers=True)


def case(output: Json, to: str, *guard: Json, **more: Json) -> Json:
    return {"assign": [], "guard": [*map(list, guard)], "output": output, "to": to} | more


def told(given: Program, *run: tuple[int, str, int, bool]) -> None:
    """Transitions, samples, blocks, and whether these are repeated."""
    steps = [(given.transitions[n], block, repeat) for n, _, block, repeat in run]
    samples_rule(given, steps, [sample for _, sample, _, _ in run])


GAP = {"gap": "x"}
ONCE = 0, False
SIDES = {"q": [case(GAP, "end", (">=", "x")), case(GAP, "end", ("<", "x"), seen=["3"])]}


@pytest.mark.parametrize(
    ("number", "sample", "words"),
    [
        (0, "4", ""), (0, "2", "another path"), (0, "3", "another path"), (0, "0", "not where its test"),
        (1, "-4", ""), (1, "-3", "another path"), (1, "-2", "another path"), (1, "1", "not where its test"),
    ],
)  # fmt: skip
def test_the_sides_of_gaps(number: int, sample: str, words: str) -> None:
    """One shows numbers from 0 on, the other one up to 3."""
    run = ((2, "0", *ONCE), (number, sample, *ONCE))
    if not words:
        told(program(SIDES), *run)
        return
    with pytest.raises(RuleBroken, match=words):
        told(program(SIDES), *run)


def test_numbers_themselves_may_be_any() -> None:
    given = program({"q": [case("insample", "end", (">=", "x")), case(GAP, "end", ("<", "x"))]})
    told(given, (2, "0", *ONCE), (0, "1", *ONCE))
    with pytest.raises(RuleBroken, match="another path"):
        told(given, (2, "-3", *ONCE), (0, "-1", *ONCE))
    with pytest.raises(RuleBroken, match="another path"):
        told(given, (2, "0", *ONCE), (1, "-1", *ONCE))


def test_letters_are_no_numbers() -> None:
    given = program({"q": [case("a", "end", (">=", "x")), case("b", "end", ("<", "x")), case(GAP, "end")]})
    told(given, (3, "0", *ONCE), (0, "1", *ONCE))
    told(given, (3, "0", *ONCE), (2, "1", *ONCE))


def test_two_unseen_ways_to_the_same_are_two() -> None:
    given = program(
        {
            "q": [case("u", "r", (">=", "x"), seen=[]), case("v", "r", ("<", "x"), seen=[])],
            "r": [case("a", "end")],
        }
    )
    with pytest.raises(RuleBroken, match="another path"):
        told(given, (3, "0", *ONCE), (0, "1", *ONCE), (2, "0", *ONCE))


def test_another_turn_may_be_no_longer_alone() -> None:
    given = program(
        {
            "q": [case("a", "q"), case("a", "r"), case("z", "end")],
            "r": [case("a", "t")],
            "t": [case("z", "end")],
        }
    )
    told(given, (4, "0", *ONCE), (0, "0", 1, False), (2, "0", 2, False))
    with pytest.raises(RuleBroken, match="another turn"):
        told(given, (4, "0", *ONCE), (0, "0", 1, True), (2, "0", 2, False))


def test_what_is_repeated_stores_nothing() -> None:
    given = program({"q": [case("a", "q", (">=", "x"), assign=["x"]), case("z", "end")]})
    told(given, (2, "0", *ONCE), (0, "1", 1, False), (1, "0", 2, False))
    with pytest.raises(BadEvidence, match="is repeated stores"):
        told(given, (2, "0", *ONCE), (0, "1", 1, True), (1, "0", 2, False))


def test_what_is_compared_with_is_stored_before() -> None:
    given = program({"q": [case("a", "end", (">=", "y"))]})
    with pytest.raises(BadEvidence, match="before it is stored"):
        told(given, (1, "0", *ONCE), (0, "1", *ONCE))


def test_a_run_has_steps_and_two_sides() -> None:
    given = program(SIDES)
    with pytest.raises(BadEvidence, match="the last step"):
        samples_rule(given, [], [])
    model = program({"q": [case("a", "end")]})
    one_sided = [t._replace(noise=(t.left, None)) for t in model.transitions]
    model_of_one_side = replace(model, transitions=one_sided)
    with pytest.raises(BadEvidence, match="lacks noise on a side"):
        told(model_of_one_side, (1, "0", *ONCE), (0, "1", *ONCE))


def test_outputs_of_programs_that_hide_steps() -> None:
    with pytest.raises(BadModel, match="several outputs"):
        program({"q": [case(["a", "insample"], "end")]})
    with pytest.raises(Malformed):
        program({"q": [case("a", "end", seen="nothing")]})
