"""``prover privacy`` and ``prover convert``, as users run them."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from prover.certificate.check import check
from prover.formats.convert import write_json
from prover.formats.load import load_program
from prover.program.answer import Privacy
from prover.program.attack import attack as attacks
from prover.program.model import Program, State, Transition
from prover.program.privacy import privacy
from prover.zoo import chain_of_tests
from tests.certificate.verdicts import claimed
from tests.commands import prover, verdicts
from tests.schemas import schema

ONE = Fraction(1)
EXACT = [
    ("svt", {}, "5/4"),
    ("numeric-sparse", {}, "7/4"),
    ("lyu-1", {"c": "3"}, "1"),
    ("lyu-2", {"c": "2"}, "1"),
    ("lyu-4", {"c": "2"}, "13/4"),
    ("numeric-svt", {"n": "3"}, "1"),
    ("chain-of-tests", {}, "1"),
]
REFUSED = [
    ("numeric-sparse", {"output": "insample"}, "privacy violating path"),
    ("lyu-3", {}, "privacy violating path"),
    ("lyu-6", {}, "leaking pair"),
    ("svt-star", {}, "leaking pair"),
    ("leaking-cycle", {}, "leaking cycle"),
    ("leaking-pair", {}, "leaking pair"),
    ("disclosing-cycle", {}, "disclosing cycle"),
    ("violating-path-a", {}, "privacy violating path"),
    ("violating-path-b", {"mirror": "yes"}, "privacy violating path"),
    ("violating-path-c", {}, "privacy violating path"),
]
KEYS = set(schema("privacy")["required"])


def model(folder: Path, name: str, **parameters: str) -> Path:
    """A program of the zoo in a file."""
    file = folder / "program.json"
    shown = prover("zoo", name, *(f"{key}={value}" for key, value in parameters.items()))
    assert shown.status == 0, shown.err
    file.write_text(shown.out, encoding="utf-8")
    return file


@pytest.mark.family
@pytest.mark.parametrize(("name", "parameters", "epsilon"), EXACT)
def test_exact_epsilon(tmp_path: Path, name: str, parameters: dict[str, str], epsilon: str) -> None:
    file, proof = model(tmp_path, name, **parameters), tmp_path / "proof"
    run = prover("privacy", file, "--json", "--certificate", proof)
    assert run.status == 0, run.err
    answer = json.loads(run.out)
    assert answer.keys() == KEYS
    assert answer["private"] is True
    assert answer["epsilon"] == answer["lower"] == answer["upper"] == epsilon
    assert claimed(proof.read_bytes()) == f"epsilon adjacency=all-differ loss=observer value={epsilon}"


@pytest.mark.family
@pytest.mark.parametrize(("name", "parameters", "reason"), REFUSED)
def test_not_private(tmp_path: Path, name: str, parameters: dict[str, str], reason: str) -> None:
    file, proof = model(tmp_path, name, **parameters), tmp_path / "proof"
    run = prover("privacy", file, "--json", "--certificate", proof)
    assert run.status == 1, run.err
    answer = json.loads(run.out)
    assert answer.keys() == KEYS
    assert (answer["private"], answer["reason"], answer["epsilon"]) == (False, reason, None)
    assert answer["states"]
    assert claimed(proof.read_bytes()) == "not-private adjacency=all-differ loss=observer"
    assert reason in prover("privacy", file).out


@pytest.mark.parametrize(("multiple", "status"), [("5/4", 0), ("2", 0), ("1.24", 1), ("0", 1)])
def test_at_most(tmp_path: Path, multiple: str, status: int) -> None:
    assert prover("privacy", model(tmp_path, "svt"), "--at-most", multiple).status == status


@pytest.mark.parametrize("adjacency", ["one-differ", "increasing", "decreasing"])
def test_other_adjacencies_cost_no_more(tmp_path: Path, adjacency: str) -> None:
    file, proof = model(tmp_path, "svt"), tmp_path / "proof"
    run = prover("privacy", file, "--adjacency", adjacency, "--json", "--certificate", proof)
    assert run.status == 0, run.err
    answer = json.loads(run.out)
    assert answer["adjacency"] == adjacency
    assert check(proof.read_bytes()).startswith(f"epsilon adjacency={adjacency} loss=observer value=")


def test_verbose_shows_the_worst_run(tmp_path: Path) -> None:
    lines = prover("privacy", model(tmp_path, "svt"), "--verbose").out.splitlines()
    header = next(k for k, line in enumerate(lines) if line.startswith("transition"))
    assert lines[header].split()[-2:] == ["cost", "turns"]
    ends = [line.split()[-2:] for line in lines[header + 1 :]]
    assert sum(Fraction(cost) * int(turns) for cost, turns in ends) == Fraction(5, 4)


def test_plot_highlights_the_reason(tmp_path: Path) -> None:
    file, picture = model(tmp_path, "leaking-pair"), tmp_path / "leak.dot"
    assert prover("privacy", file, "--plot", picture).status == 1
    text = picture.read_text(encoding="utf-8")
    assert text.startswith("digraph program {")
    assert "color=" in text
    calm = tmp_path / "svt.dot"
    assert prover("privacy", model(tmp_path, "svt"), "--plot", calm).status == 0
    assert "color=" not in calm.read_text(encoding="utf-8")


@pytest.mark.parametrize("picture", ["picture.png", "picture"])
def test_other_pictures_are_refused(tmp_path: Path, picture: str) -> None:
    run = prover("privacy", model(tmp_path, "svt"), "--plot", tmp_path / picture)
    assert run.status == 2
    assert ".dot" in run.err


def test_svg_needs_no_other_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    picture = tmp_path / "picture.svg"
    assert prover("privacy", model(tmp_path, "leaking-pair"), "--plot", picture).status == 1
    drawn = ElementTree.parse(picture).getroot()  # noqa: S314  it is ours
    texts = ["".join(part.itertext()) for part in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"q1", "q2", "q3", "q4", "out otop", "rate 1/4"} <= set(texts)
    hot = [part for part in drawn.iter() if "hot" in part.get("class", "").split()]
    assert {part.text for part in hot} >= {"q2", "q3"}


def test_a_chain_is_no_program(tmp_path: Path) -> None:
    run = prover("privacy", model(tmp_path, "pin-checker"))
    assert run.status == 2
    assert "threshold" in run.err


def test_several_variables(tmp_path: Path) -> None:
    file = tmp_path / "two.dipa"
    file.write_text(
        "(q0, 1, 0): x := insample; output o; goto q1\n"
        "(q1, 1, 0): y := insample; output o; goto q2\n"
        "(q2, 1, 0): if (insample < x && insample < y) then output o; goto q2\n",
        encoding="utf-8",
    )
    proof = tmp_path / "two.cert"
    run = prover("privacy", file, "--certificate", proof)
    assert run.status == 0, run.err
    assert run.out.startswith(
        "private: exactly 4·ε if the observer does not see that a run stops at q2 because no guard holds; "
        "exactly 6·ε if the observer does\n"
    )
    assert verdicts(proof).out.startswith("VERIFIED epsilon adjacency=all-differ loss=observer value=4")
    run = prover("privacy", file, "--witness")
    assert run.status == 0
    assert "< x && < y" in run.out
    assert "99." in run.out
    run = prover("privacy", file, "--engine", "smt", "--longest", "5")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith("private: exactly 4·ε if the observer does not see")
    short = prover("privacy", file, "--engine", "smt", "--longest", "3")
    assert short.status == 3
    assert "not decided: Z3 was not asked about longer runs" in short.err
    run = prover("privacy", file, "--strategies")
    assert run.status == 0
    assert "relaxed      4·ε  the best shifts of stored values" in run.out
    assert "segment" not in run.out
    assert json.loads(prover("privacy", file, "--strategies", "--json").out)["strategies"]["segments"] is None


def test_strategies_of_several_variables_know_no_last_turn(tmp_path: Path) -> None:
    file = model(tmp_path, "counterexample", shows="overwriting")
    run = prover("privacy", file, "--strategies")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith("private: exactly 12·ε")
    assert "\n\nCoupling strategies are not compared: transition 7 stores on a cycle; with several" in run.out
    assert json.loads(prover("privacy", file, "--strategies", "--json").out)["strategies"] is None


def test_a_conversion_that_is_ended_writes_nothing(tmp_path: Path) -> None:
    file, other = tmp_path / "tests.json", tmp_path / "other.dipa"
    file.write_text(write_json(chain_of_tests(50)))
    other.write_text("as it was")
    for target in (tmp_path / "new.dipa", other, "-"):
        run = prover("convert", file, target, "--force", "--timeout", "1e-9")
        assert (run.status, run.out) == (3, "")
        assert run.err == "prover: nothing was written: the time is up\n"
    assert other.read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.dipa", "tests.json"]
    assert prover("convert", file, other, "--force", "--timeout", "600").status == 0
    assert other.read_text() != "as it was"


def test_convert_there_and_back(tmp_path: Path) -> None:
    file = model(tmp_path, "svt")
    text, back = tmp_path / "svt.dipa", tmp_path / "back.json"
    assert prover("convert", file, text).status == 0
    assert prover("convert", text, back).status == 0
    assert back.read_text(encoding="utf-8") == file.read_text(encoding="utf-8")


def test_the_verdict_stands_when_the_time_is_up(tmp_path: Path) -> None:
    file, proof = model(tmp_path, "svt"), tmp_path / "proof"
    run = prover("privacy", file, "--timeout", "1e-9", "--json", "--certificate", proof)
    assert run.status == 3
    answer = json.loads(run.out)
    assert answer.keys() == KEYS
    assert answer["private"] in (None, True)
    assert answer["epsilon"] is None
    if proof.exists():
        assert claimed(proof.read_bytes()) == "private adjacency=all-differ loss=observer"


def test_the_verdict_is_proved_before_the_cost(tmp_path: Path) -> None:
    """What is left on the way says private, with a table of facts as its certificate."""
    seen: list[Privacy] = []
    answer = privacy(load_program(model(tmp_path, "svt")), on_better=seen.append)
    assert answer.epsilon is not None
    (verdict,) = seen
    assert (verdict.private, verdict.epsilon, verdict.upper) == (True, None, None)
    assert verdict.certificate is not None
    assert claimed(verdict.certificate.data) == "private adjacency=all-differ loss=observer"


def test_long_lists_of_states_are_cut(tmp_path: Path) -> None:
    states = {"q00": State(True, ONE, ONE, None, None, (Transition((), ("x",), "o", "q01"),))}
    for k in range(1, 40):
        onward = (Transition((), (), "a", f"q{k + 1:02}"), Transition((), (), "b", f"q{k + 1:02}"))
        states[f"q{k:02}"] = State(True, ONE, ONE, None, None, onward)
    file = tmp_path / "program.json"
    file.write_text(write_json(Program("q00", states)), encoding="utf-8")
    assert "and 27 more, several guards can hold at once" in prover("privacy", file).out


def test_strategies_are_shown(tmp_path: Path) -> None:
    file = model(tmp_path, "sharing-pair", tests="3")
    run = prover("privacy", file, "--strategies")
    assert run.status == 0, run.err
    lines = run.out.splitlines()
    begin = (
        lines.index("Upper bounds that coupling strategies prove for the costliest of 2 looping branches:")
        + 1
    )
    table = lines[begin : lines.index("", begin)]
    assert [line.split()[:2] for line in table] == [
        ["S^L", "8·ε"], ["S^G", "8·ε"], ["S^N", "4·ε"], ["S^J", "6·ε"], ["greedy", "6·ε"],
        ["relaxed", "2·ε"], ["approximate", "4·ε"], ["shared", "4·ε"],
    ]  # fmt: skip
    assert [line.split()[-2:] for line in lines[-2:]] == [["2·ε", "S^L"], ["2·ε", "S^G"]]
    answer = json.loads(prover("privacy", file, "--strategies", "--json").out)
    assert answer["epsilon"] == "2"
    assert answer["strategies"].pop("segments") == [
        {"transitions": [0, 1, 3, 4], "loss": "2", "tight": ["S^L"]},
        {"transitions": [0, 2, 5, 6], "loss": "2", "tight": ["S^G"]},
    ]
    assert answer["strategies"] == {
        "S^L": "8", "S^G": "8", "S^N": "4", "S^J": "6", "greedy": "6", "relaxed": "2", "approximate": "4",
        "shared": ["4", "4"],
    }  # fmt: skip
    assert "strategies" not in json.loads(prover("privacy", file, "--json").out)


def test_strategies_of_a_program_that_is_not_private_are_infinite(tmp_path: Path) -> None:
    run = prover("privacy", model(tmp_path, "leaking-pair"), "--strategies", "--json")
    assert run.status == 1
    assert json.loads(run.out)["strategies"]["shared"] == ["inf", "inf"]
    text = prover("privacy", tmp_path / "program.json", "--strategies").out
    assert text.endswith(
        "No shifts suit all segments of one branch: they would have to satisfy "
        "1 ≤ shift of segment 0 ≤ shift of segment 1 ≤ -1.\n"
    )


def test_segments_that_output_numbers_are_not_judged(tmp_path: Path) -> None:
    file = model(tmp_path, "numeric-sparse")
    assert prover("privacy", file, "--strategies").out.endswith("(7/4)·ε  not known (outputs a number)\n")
    found = json.loads(prover("privacy", file, "--strategies", "--json").out)["strategies"]["segments"]
    assert found == [{"transitions": [0, 1, 2], "loss": "7/4", "tight": None}]


@pytest.mark.thorough
def test_strategies_may_have_too_many_branches(tmp_path: Path) -> None:
    run = prover("privacy", model(tmp_path, "chain-of-tests", n="400"), "--strategies")
    assert run.status == 0, run.err
    assert run.out.endswith("have together more than 20000 steps.\n")
    assert (
        json.loads(prover("privacy", tmp_path / "program.json", "--strategies", "--json").out)["strategies"]
        is None
    )


def test_strategies_are_for_all_differ(tmp_path: Path) -> None:
    run = prover("privacy", model(tmp_path, "svt"), "--strategies", "--adjacency", "one-differ")
    assert (run.status, run.out) == (2, "")
    assert "--strategies needs --adjacency all-differ" in run.err


def bounds(answer: dict[str, Any]) -> tuple[Fraction, Fraction]:
    low, high = answer["witness"]["loss"]
    return Fraction(low), Fraction(high)


@pytest.mark.family
@pytest.mark.parametrize(("name", "parameters", "epsilon"), EXACT)
def test_a_witness_comes_close_to_the_epsilon(
    tmp_path: Path, name: str, parameters: dict[str, str], epsilon: str
) -> None:
    run = prover("privacy", model(tmp_path, name, **parameters), "--json", "--witness", "--at-epsilon", "1/2")
    assert run.status == 0, run.err
    answer = json.loads(run.out)
    assert answer.keys() == KEYS
    low, high = bounds(answer)
    assert Fraction(99, 200) * Fraction(epsilon) <= low < high <= Fraction(epsilon) / 2
    witness = answer["witness"]
    assert witness["epsilon"] == "1/2"
    first, second = ([Fraction(read) for read in given] for given in witness["inputs"])
    assert len(first) == len(second) == len(witness["path"])
    assert [b - a for a, b in zip(first, second, strict=True)] == witness["delta"]
    assert first == [witness["t"] * delta for delta in witness["delta"]]


@pytest.mark.family
@pytest.mark.parametrize(("name", "parameters", "reason"), REFUSED)
def test_a_witness_exceeds_a_loss(tmp_path: Path, name: str, parameters: dict[str, str], reason: str) -> None:
    file = model(tmp_path, name, **parameters)
    run = prover("privacy", file, "--json", "--exceed", "3")
    assert run.status == 1, run.err
    answer = json.loads(run.out)
    assert (answer.keys(), answer["reason"]) == (KEYS, reason)
    assert 3 < bounds(answer)[0] <= bounds(answer)[1]
    text = prover("privacy", file, "--witness").out
    assert "This loss exceeds 10." in text
    assert reason in text


def test_without_being_asked_nothing_is_attacked(tmp_path: Path) -> None:
    witness = json.loads(prover("privacy", model(tmp_path, "svt"), "--json").out)["witness"]
    assert witness["path"] == [0, 1, 1, 2]
    assert witness["inputs"] is witness["t"] is witness["loss"] is witness["epsilon"] is None


def test_a_witness_in_words(tmp_path: Path) -> None:
    out = prover("privacy", model(tmp_path, "svt"), "--witness").out
    table = out[out.index("transition") :].splitlines()
    assert [line.split()[:3] for line in table[1:4]] == [
        ["q1", "->", "q2"],
        ["q2", "->", "q2"],
        ["q2", "->", "q3"],
    ]
    assert [line.split()[5:] for line in table[2:4]] == [["16", "17", "2"], ["-16", "-17", "1"]]
    assert "P[this run | input]     = 2.143574…e-10\n" in out
    assert "is 1.248378…: 99.8 % of 5/4, the most that this run can lose." in out


def test_a_witness_with_numbers_and_cycles_in_words(tmp_path: Path) -> None:
    out = prover("privacy", model(tmp_path, "numeric-sparse"), "--witness", "--exceed", "9").out
    assert "Every number that the program outputs in this run lies between -1 and 1." in out
    assert "This loss does not exceed 9." in out
    out = prover("privacy", model(tmp_path, "leaking-cycle"), "--witness").out
    assert "(step 1 of 2)" in out
    assert "(step 2 of 2)" in out


def test_a_witness_of_runs_that_look_alike(tmp_path: Path) -> None:
    file = tmp_path / "alike.dipa"
    file.write_text(
        "(q0, 1, 0): x := insample; output o; goto q1\n"
        "(q1, 1, 0): if (insample < x) then output o; goto q1\n"
        "            elseif (insample >= x) then output o; goto q2\n",
        encoding="utf-8",
    )
    out = prover("privacy", file, "--witness").out
    assert out.endswith("Other runs may have the same output, so an observer may learn less.\n")


@pytest.mark.slow
def test_a_long_witness_in_words(tmp_path: Path) -> None:
    file = model(tmp_path, "leaking-cycle")
    out = prover("privacy", file, "--exceed", "900").out
    assert "is at least 9" in out
    assert "This loss exceeds 900." in out
    assert "P[this run | input]     =" not in out
    low, high = bounds(json.loads(prover("privacy", file, "--exceed", "900", "--json").out))
    assert 900 < low < high


def test_a_run_of_many_different_steps_is_cut(tmp_path: Path) -> None:
    out = prover("privacy", model(tmp_path, "chain-of-tests", n="60"), "--witness").out
    assert "\n… and " in out
    assert len(out.splitlines()) < 60


@pytest.mark.parametrize(
    ("option", "number"), [("--at-epsilon", "0"), ("--at-epsilon", "-1"), ("--exceed", "0")]
)
def test_impossible_numbers_are_refused(tmp_path: Path, option: str, number: str) -> None:
    run = prover("privacy", model(tmp_path, "svt"), "--witness", option, number)
    assert run.status == 2
    assert number in run.err
    assert prover("privacy", model(tmp_path, "svt"), option, "1e").status == 2


@pytest.mark.timing
def test_the_answer_is_left_when_the_attack_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_: object, **__: object) -> None:
        time.sleep(30)

    monkeypatch.setattr(attacks, "attack", slow)
    file, proof = model(tmp_path, "svt"), tmp_path / "proof"
    run = prover("privacy", file, "--witness", "--timeout", "3", "--json", "--certificate", proof)
    assert run.status == 3
    answer = json.loads(run.out)
    assert answer["epsilon"] == "5/4"
    assert answer["witness"]["loss"] is None
    assert claimed(proof.read_bytes()) == "epsilon adjacency=all-differ loss=observer value=5/4"


def test_a_loss_that_is_infinite_at_once_is_not_said_to_grow(tmp_path: Path) -> None:
    model = tmp_path / "lyu-5.json"
    model.write_text(prover("zoo", "lyu-5").out)
    run = prover("privacy", model, "--adjacency", "one-differ")
    assert run.status == 1
    assert "The loss is infinite, or it grows without bound as runs repeat a cycle." in run.out
