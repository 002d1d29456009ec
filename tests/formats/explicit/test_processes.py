"""Decision processes of model checkers: what an attacker chooses from, and what is refused."""

import importlib.util
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from prover.certificate.verification import verify
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.formats.convert import convert, save
from prover.formats.explicit.built import explicit_model
from prover.formats.explicit.drn import read_drn
from prover.formats.explicit.process import NAMELESS, ExplicitProcess, named_choices, offers
from prover.formats.explicit.writing import drn_text
from prover.formats.load import load
from prover.questions import delta
from prover.zoo.interactive import adaptive_response, doors, grow, wait
from tests.formats.explicit.models import Entry, SparseModel
from tests.formats.explicit.programs import LOOK, load_process
from tests.refusals import refuses

with_storm = pytest.mark.skipif(
    importlib.util.find_spec("stormpy") is None, reason="stormpy is an extra, and not installed"
)

VIEW: dict[str, Any] = {"observe": "x", "secret": "s", "on_note": lambda _: None}
HALVES: dict[int, Any] = {2: Fraction(1, 2), 3: Fraction(1, 2)}
THIRDS: dict[int, Any] = {2: Fraction(1, 3), 3: Fraction(2, 3)}
Given = list[tuple[str, dict[int, Any]]]
CHOICES: list[Given] = [  # of LOOK, the states (s, x) in the order of VALUES
    [("look", HALVES), ("wait", {0: 1})],
    [("look", THIRDS), ("wait", {1: 1})],
    [(NAMELESS, {2: 1})],
    [("stay", {3: 1})],
]
VALUES = [{"s": 0, "x": 0}, {"s": 1, "x": 0}, {"s": 0, "x": 1}, {"s": 0, "x": 2}]
DRN_LOOK = """@type: MDP
@value_type: rational
@parameters

@reward_models

@nr_states
4
@nr_choices
6
@model
state 0 init
//[s=0	& x=0]
	action look
		2 : 1/2
		3 : 1/2
	action wait
		0 : 1
state 1 init
//[s=1	& x=0]
	action look [0]
		2 : 1/3
		3 : 2/3
	action wait [1]
		1 : 1
state 2
//[s=0	& x=1]
	action __NOLABEL__
		2 : 1
state 3
//[s=0	& x=2]
	action stay
		3 : 1
"""


def sparse(choices: Sequence[Given], **changes: Any) -> SparseModel:
    """The process with these choices, in states that are called as VALUES says."""
    return SparseModel(
        [[Entry(t, p) for t, p in row.items()] for given in choices for _, row in given],
        [{"init"}, {"init"}, set(), set()],
        VALUES,
        "ModelType.MDP",
        is_exact=True,
        choices=[[name for name, _ in given] for given in choices],
        **changes,
    )


def changed(state: int, choices: Given) -> SparseModel:
    return sparse([choices if s == state else given for s, given in enumerate(CHOICES)])


def test_a_process_that_a_library_has_built() -> None:
    process = load_process(sparse(CHOICES), **VIEW)
    assert process.menus == {"x=0": ("look", "wait"), "x=1": ("",), "x=2": ("",)}
    s, t = process.index("s=0,x=0"), process.index("s=1,x=0")
    assert process.relation == ((s, t), (t, s))
    assert process.row(t, "look") == {
        process.index("s=0,x=1"): Fraction(1, 3),
        process.index("s=0,x=2"): Fraction(2, 3),
    }
    answer = delta(process, alpha=1)
    assert answer.value == Fraction(1, 6)
    assert "attackers=all" in verify(answer.certificate)


def test_the_same_from_a_file() -> None:
    found = read_drn(DRN_LOOK)
    assert isinstance(found, ExplicitProcess)
    assert found == explicit_model(sparse(CHOICES))
    assert read_drn(drn_text(found)) == found


def test_one_choice_each_is_a_chain(tmp_path: Path) -> None:
    chain = load(sparse([[given[0]] for given in CHOICES]), **VIEW)
    assert not isinstance(chain, LabelledMarkovDecisionProcess)
    path = tmp_path / "model.drn"
    path.write_text(
        DRN_LOOK.replace("\taction wait\n\t\t0 : 1\n", "").replace("wait [1]\n\t\t1", "look\n\t\t1")
    )
    with refuses("offers-differ", match='"look 1" and "look 1", "look 2"'):
        load(path, **VIEW)


def test_a_state_without_names_does_the_same_whatever_is_chosen() -> None:
    process = load_process(changed(1, [(NAMELESS, THIRDS)]), **VIEW)
    t = process.index("s=1,x=0")
    assert process.row(t, "look") == process.row(t, "wait") == process.row(t, "look")
    assert process.menu(t) == ("look", "wait")


def test_two_choices_that_are_one() -> None:
    twice = changed(0, [("look", HALVES), ("wait", {0: 1}), ("look", HALVES)])
    assert load_process(twice, **VIEW) == load_process(sparse(CHOICES), **VIEW)


@pytest.mark.parametrize(
    ("choices", "error", "match"),
    [
        (
            [("look", HALVES)],
            "offers-differ",
            r'"s=0,x=0" and "s=1,x=0" have the same label.*"look", "wait" and "look"\.',
        ),
        ([("look", HALVES), ("peek", HALVES)], "offers-differ", r"--observe, --labels"),
        ([("look", HALVES), (NAMELESS, HALVES)], "offers-differ", r'and "action 1", "look"'),
        ([(NAMELESS, HALVES), (NAMELESS, THIRDS)], "offers-differ", r'and "action 1", "action 2"'),
        ([("look", HALVES), ("look", THIRDS)], "offers-differ", r'"look 1", "wait" and "look 1", "look 2"'),
        (
            [("look", HALVES), ("wait", {1: Fraction(1, 2)})],
            "row-does-not-sum",
            r'1 under action "wait" sums to 1/2',
        ),
        ([], "row-does-not-sum", r"row of state 1 sums to 0"),
    ],
)
def test_choices_that_are_refused(choices: Given, error: str, match: str) -> None:
    with refuses(error, match=match):
        load(changed(1, choices), **VIEW)


def test_choices_without_names_are_called_by_their_place() -> None:
    """So the answer is that of the same process with any other names of its actions."""
    said: list[str] = []
    unnamed = load_process(
        sparse(CHOICES, has_choice_labeling=False), observe="x", secret="s", on_note=said.append
    )
    assert unnamed.menus == {"x=0": ("action 1", "action 2"), "x=1": ("",), "x=2": ("",)}
    named = load_process(sparse(CHOICES), **VIEW)
    for state in range(len(named)):
        if named.menu(state) == ("look", "wait"):
            assert unnamed.row(state, "action 1") == named.row(state, "look")
            assert unnamed.row(state, "action 2") == named.row(state, "wait")
    assert said == [
        "2 states have choices without names; they are called action 1, action 2, … in the order of the "
        "model, and in states of equal label equal names are taken for the same action"
    ]
    assert delta(unnamed, alpha=1).value == Fraction(1, 6)


def test_choices_of_one_name_are_numbered() -> None:
    """In all states, also where there is one, and with numbers that make no name of the model."""
    said: list[str] = []
    choices = [("rec", HALVES), ("rec", THIRDS), ("rec 2", {0: Fraction(1)})]
    given = [choices, choices[::-1], [("rec", {2: Fraction(1)})], [(NAMELESS, {3: Fraction(1)})]]
    process = load_process(sparse(given), observe="x", secret="s", refuse=True, on_note=said.append)
    assert process.menus == {"x=0": ("rec 1", "rec 2", "rec 3"), "x=1": ("",), "x=2": ("",)}
    s, t = process.index("s=0,x=0"), process.index("s=1,x=0")
    assert process.row(s, "rec 1") == process.row(t, "rec 3") != process.row(s, "rec 3")
    assert process.row(s, "rec 2") == process.row(t, "rec 2")
    assert said == [
        '2 states have different choices of one name ("rec"), among which the attacker chooses; they are '
        "numbered in the order of the model, such as rec 1, rec 2, …"
    ]


def test_equal_choices_without_names_are_one_and_names_stay() -> None:
    mixed = changed(0, [(NAMELESS, HALVES), ("wait", {0: 1}), (NAMELESS, HALVES)])
    with refuses("offers-differ", match='"action 1", "wait" and "look", "wait"'):
        load(mixed, **VIEW)
    assert not load_process(mixed, observe="s,x", secret="s", on_note=lambda _: None).menus["s=0,x=1"][0]


def test_what_is_seen_decides_who_looks_alike() -> None:
    with refuses("offers-differ", match='"look", "wait" and "stay"'):
        load(sparse(CHOICES), observe="", secret="s", on_note=lambda _: None)
    choices = [dict(given) for given in CHOICES]
    process = explicit_model(sparse(CHOICES))
    assert isinstance(process, ExplicitProcess)
    names = [str(state) for state in range(4)]
    given, _ = named_choices(process)
    assert offers(given, ["a", "a", "b", "c"], names) == [*choices[:3], {NAMELESS: choices[3]["stay"]}]


@pytest.mark.parametrize(
    ("old", "new", "error", "match"),
    [
        ("@type: MDP", "@type: DTMC", "not-a-markov-chain", "line 17: .*DTMC with a choice"),
        ("\t\t0 : 1\n", "\t\t0 : 1/2\n", "row-does-not-sum", 'state 0 under action "wait"'),
        ("\t\t0 : 1\n", "", "row-does-not-sum", 'state 0 under action "wait" sums to 0'),
        ("\t\t0 : 1\n", "\t\t0 : 1\n\t\t0 : 1\n", "bad-line", "from 0 to 0 is given twice"),
        ("@model\n", "@model\n\taction look\n", "bad-line", "an action belongs to a state"),
    ],
)
def test_files_that_are_refused(old: str, new: str, error: str, match: str) -> None:
    assert old in DRN_LOOK
    with refuses(error, match=match):
        read_drn(DRN_LOOK.replace(old, new, 1))


def test_numbers_as_names(tmp_path: Path) -> None:
    """Storm counts the choices of a program without names of commands; that is said."""
    path, said = tmp_path / "model.drn", list[str]()
    path.write_text(DRN_LOOK.replace("look", "0").replace("wait", "1").replace("__NOLABEL__", "0"))
    process = load_process(path, observe="x", secret="s", on_note=said.append)
    assert process.menus["x=0"] == ("0", "1")
    assert process.menus["x=1"] == ("",)
    assert said == [
        "actions are named by numbers; in states of equal label, equal numbers are taken for the same action"
    ]


def test_conversion(tmp_path: Path) -> None:
    source, drn, json, umb = (tmp_path / f"{n}" for n in ("a.drn", "b.drn", "c.json", "d.umb"))
    source.write_text(DRN_LOOK)
    convert(source, drn)
    assert drn.read_text() == DRN_LOOK.replace(" [0]", "").replace(" [1]", "")
    convert(source, json, **VIEW)
    assert load(json) == load(drn, **VIEW)
    with refuses("only-chains", match=r"write a Markov decision process as \.drn, \.tra, \.pexp or \.json"):
        convert(source, umb)
    with refuses("not-in-format", match="open L"):
        save(doors(), drn)


def test_the_files_of_prism(tmp_path: Path) -> None:
    source, tra = tmp_path / "a.drn", tmp_path / "b.tra"
    source.write_text(DRN_LOOK)
    convert(source, tra)
    assert tra.read_text().splitlines()[:6] == [
        *("4 6 8", "0 0 2 1/2 look", "0 0 3 1/2 look", "0 1 0 1 wait", "1 0 2 1/3 look", "1 0 3 2/3 look")
    ]
    assert tra.read_text().splitlines()[7:] == ["2 0 2 1", "3 0 3 1 stay"]
    assert load(tra, **VIEW) == load(source, **VIEW)
    storms = "mdp\n" + "\n".join(tra.read_text().splitlines()[1:])
    tra.write_text(storms)
    assert load(tra, **VIEW) == load(source, **VIEW)


@pytest.mark.parametrize("process", [wait(), grow(), adaptive_response()], ids=["wait", "grow", "response"])
def test_all_ways_round(process: LabelledMarkovDecisionProcess, tmp_path: Path) -> None:
    previous: Path | None = None
    for number, extension in enumerate(("json", "drn", "tra", "pexp", "tra", "json")):
        path = tmp_path / f"m{number}.{extension}"
        if previous is None:
            save(process, path)
        else:
            convert(previous, path, on_note=lambda _: None)
        assert load(path) == process
        previous = path


def test_steps_that_nobody_sees(tmp_path: Path) -> None:
    """Where nothing is chosen steps may be silent; a choice is seen."""
    said: list[str] = []
    view = {**VIEW, "on_note": said.append}
    process = load_process(sparse(CHOICES), silent=["x=1"], **view)
    assert "x=1" not in process.labels
    assert "silence" in process.labels
    assert "prover convert with the same options writes this process, if" in said[-1]
    assert delta(process, alpha=1).value == Fraction(1, 6)
    with refuses("silent-choice", match='label "x=0" cannot be silent'):
        load(sparse(CHOICES), silent=["x=0"], **VIEW)
    path = tmp_path / "doors.json"
    save(doors(), path)
    seen, whole = load_process(path, untimed=True, on_note=said.append), load_process(path)
    assert (seen.menus, seen.under) == (whole.menus, whole.under)


@with_storm
def test_a_program(tmp_path: Path) -> None:
    path, drn = tmp_path / "look.prism", tmp_path / "look.drn"
    path.write_text(LOOK)
    process = load_process(path, **VIEW)
    assert process.menus == {"x=0": ("look", "wait"), "x=1": ("",), "x=2": ("",)}
    assert delta(process, alpha=1).value == Fraction(1, 6)
    convert(path, drn)
    assert load(drn, **VIEW) == process
    chain = load(_written(path, LOOK.replace("  [wait] x=0 -> true;\n", "")), **VIEW)
    assert not isinstance(chain, LabelledMarkovDecisionProcess)


@with_storm
def test_what_storm_exports_is_read(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    path = _written(tmp_path / "look.prism", LOOK)
    program = stormpy.parse_prism_program(str(path), simplify=False)
    options = stormpy.BuilderOptions()
    options.set_build_all_labels()
    options.set_build_state_valuations()
    options.set_build_choice_labels()
    model = stormpy.build_model[stormpy.Rational](program, options=options)
    stormpy.io.export_to_drn(model, str(tmp_path / "out.drn"))
    assert load(tmp_path / "out.drn", **VIEW) == load(model, **VIEW) == load(path, **VIEW)
    convert(path, tmp_path / "own.drn")
    again = stormpy.build_model_from_drn[stormpy.Rational](str(tmp_path / "own.drn"))
    assert (again.nr_states, again.nr_choices) == (model.nr_states, model.nr_choices)


@with_storm
def test_jani(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    path = _written(tmp_path / "look.prism", LOOK)
    jani, _ = stormpy.parse_prism_program(str(path), simplify=False).to_jani([])
    stormpy.io.export_jani_to_file(str(tmp_path / "look.jani"), jani)
    process = load_process(tmp_path / "look.jani", **VIEW)
    assert process.menus == load_process(path, **VIEW).menus
    assert delta(process, alpha=1).value == Fraction(1, 6)


@with_storm
@pytest.mark.parametrize(
    ("old", "new", "error", "match"),
    [
        (
            "[look] x=0 & s=1",
            "[peek] x=0 & s=1",
            "offers-differ",
            '"s=0,x=0" and "s=1,x=0" have the same label',
        ),
        ("[look] x=0 & s=1", "[] x=0 & s=1", "offers-differ", '"action 1", "wait"'),
        ("mdp", "pomdp", "not-a-markov-chain", "POMDP"),
    ],
)
def test_programs_that_are_refused(tmp_path: Path, old: str, new: str, error: str, match: str) -> None:
    with refuses(error, match=match):
        load(_written(tmp_path / "look.prism", LOOK.replace(old, new)), **VIEW)


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
