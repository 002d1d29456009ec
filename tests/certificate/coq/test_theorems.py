"""coqc accepts the theorems, and refuses them with a number changed: what `make proofs` runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prover.certificate.check import check
from prover.certificate.coq import trials
from prover.certificate.coq.folder import files
from prover.certificate.coq.tokens import literal
from prover.certificate.coq.trials import CoqGraph, CoqTrial
from tests.certificate.coq.compiled import make, needs_coq
from tests.certificate.coq.folders import HOSTILE, PROOFS, statements, texts, write
from tests.certificate.coq.theorems import CERTIFICATES
from tests.certificate.samples import encode

pytestmark = needs_coq


@pytest.fixture(scope="session")
def proofs() -> Path:
    make("all")
    return PROOFS


def call(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, encoding="utf-8", check=False
    )


def coqc(folder: Path, proofs: Path) -> subprocess.CompletedProcess[str]:
    return call("make", f"PROOFS={proofs}", cwd=folder)


@pytest.mark.parametrize("name", CERTIFICATES)
def test_theorems(name: str, proofs: Path, tmp_path: Path) -> None:
    check(CERTIFICATES[name]().data)
    run = coqc(write(tmp_path / "theorem", texts(name)), proofs)
    assert run.returncode == 0, run.stderr
    on_reals = "Laplace" in texts(name)["Answer.v"]
    said = "Axioms:" if on_reals else "Closed under the global context"
    assert run.stdout.count(said) == len(statements(texts(name))) > 0
    assert {path.name for path in (tmp_path / "theorem").iterdir()} == set(texts(name))


REFUSAL = "coqc does not accept Answer.v"


@pytest.mark.parametrize(
    "name", ["pin-delta", "pin-ld", "survey-delta", "random-bd-all-pairs", "walk-kernel"]
)
@pytest.mark.parametrize("change", ["model", "evidence", "missing"])
def test_changed_numbers_are_refused(name: str, change: str, proofs: Path, tmp_path: Path) -> None:
    found = dict(texts(name))
    if change == "model":  # a probability, so that the row does not sum to 1
        found["Model.v"] = re.sub(r", ([0-9]+)#", lambda m: f", {int(m[1]) + 1}#", found["Model.v"], count=1)
    elif change == "missing":  # a line
        found["Evidence.v"] = re.sub(r'"[^"]*"', '""', found["Evidence.v"], count=1)
    else:  # a digit of each line
        found["Evidence.v"] = re.sub(
            r'"([0-o]{3})([0-o])', lambda m: f'"{m[1]}{"a" if m[2] != "a" else "b"}', found["Evidence.v"]
        )
    run = coqc(write(tmp_path / "theorem", found), proofs)
    assert run.returncode != 0
    assert REFUSAL in run.stderr


LOSS = "numeric-loss"


FORGED: Mapping[str, Sequence[Callable[[Any], object]]] = {
    "largest-loss": [
        lambda e: e["nodes"][2]["order"][0].reverse(),  # does not follow
        lambda e: e["nodes"][1]["order"].clear(),  # blocks nothing
        lambda e: e["nodes"][1]["targets"].__setitem__(0, 0),  # a node with another state
        lambda e: e["nodes"][1]["functions"].pop(),
        lambda e: e["nodes"][2]["functions"][0]["points"][0].__setitem__(1, "1/4"),
    ],
    "parts-loss": [
        lambda e: e["parts"][0]["variables"].clear(),
        lambda e: e["parts"][0].__setitem__("upper", "1/4"),
    ],
}
"""Evidence that proves nothing, one for each thing that the check demands of nodes and parts."""


def test_another_loss_or_a_changed_program_is_refused(proofs: Path, tmp_path: Path) -> None:
    found = texts(LOSS)
    changed = {
        "loss": {"Answer.v": found["Answer.v"].replace("7%Z", "6%Z")},
        "larger loss": {"Answer.v": found["Answer.v"].replace("7%Z", "8%Z")},
        "rate": {"Model.v": found["Model.v"].replace("Some 2%Z", "Some 3%Z")},
        "input": {"Model.v": found["Model.v"].replace("reads := 1%Z", "reads := 2%Z")},
        "test": {"Model.v": found["Model.v"].replace("(Below, 0%N)", "(AtLeast, 0%N)")},
        "output": {"Model.v": found["Model.v"].replace("shows := [Second]", "shows := [Sample]")},
        "evidence": {"Evidence.v": re.sub(r'"[^"]*"', '""', found["Evidence.v"])},
    }
    for name, files_of in changed.items():
        assert all(found[file] != text for file, text in files_of.items())
        run = coqc(write(tmp_path / name, {**found, **files_of}), proofs)
        assert run.returncode != 0
        assert REFUSAL in run.stderr


RUNS = """
From Coq Require Import List NArith ZArith QArith.
From Prover.programs Require Import Program Table Multipliers Runs.
Import ListNotations.
Open Scope Z_scope.
Definition at_rates (noise : option Z) : program := [
  {| reads := 0; rate_left := noise; rate_right := Some 1; mean := 0; second := None; ways := [
    {| guard := []; stores := [0%N]; letter := 0; shows := []; target := 1 |}] |};
  {| reads := 1; rate_left := Some 2; rate_right := Some 2; mean := 0; second := Some (1, 0%Q); ways := [
    {| guard := [(Below, 0%N)]; stores := []; letter := 0; shows := []; target := 1 |};
    {| guard := [(AtLeast, 0%N)]; stores := []; letter := 1; shows := [Second]; target := 2 |}] |}].
Definition checked (d b x y z w n : Z) noise start a v :=
  check_run (at_rates noise) start a v [(1%N, (1, b)); (1%N, (d, -1)); (1%N, (-1, 1))] [
    {| way := 0; draw := n; of_tests := []; of_shows := [] |};
    {| way := 0; draw := 0; of_tests := [x]; of_shows := [] |};
    {| way := 0; draw := 0; of_tests := [y]; of_shows := [] |};
    {| way := 1; draw := 0; of_tests := [z]; of_shows := [w] |}].
Definition from_start d b x y z w n := checked d b x y z w n (Some 1) 0%N.
"""
GOOD = "from_start 1 (-1) 2 1 (-2) (-1) 0 AllDiffer 6"
BAD: Mapping[str, str] = {
    "a larger loss": "from_start 1 (-1) 2 1 (-2) (-1) 0 AllDiffer 7",
    "a loss below 0": "from_start 1 (-1) 2 1 (-2) (-1) 0 AllDiffer (-1)",
    "one direction": "from_start 1 (-1) 2 1 (-2) (-1) 0 Monotonic 3",
    "upwards": "from_start 1 (-1) 2 1 (-2) (-1) 0 Increasing 3",
    "downwards": "from_start 1 (-1) 2 1 (-2) (-1) 0 Decreasing 3",
    "one input": "from_start 1 (-1) 2 1 (-2) (-1) 0 OneDiffers 3",
    "a difference of 2": "from_start 2 (-1) 2 1 (-2) (-1) 0 AllDiffer 6",
    "a load beyond the rate of a test": "from_start 1 (-1) 3 1 (-2) (-1) 0 AllDiffer 6",
    "a load beyond the rate of the threshold": "from_start 1 (-1) 2 2 (-2) (-1) 0 AllDiffer 6",
    "a sign": "from_start 1 (-1) 2 (-1) (-1) (-1) 0 AllDiffer 3",
    "a load beyond the rate of a second sample": "from_start 1 (-1) 2 1 (-2) (-2) 0 AllDiffer 6",
    "a run that these inputs do not take": "from_start 1 0 2 1 (-2) (-1) 0 AllDiffer 6",
    "noise on a side without noise": "checked 1 (-2) 2 1 (-2) (-1) (-1) None 0%N AllDiffer 6",
    "another start": "checked 1 (-1) 2 1 (-2) (-1) 0 (Some 1) 1%N AllDiffer 0",
}
"""The good one has the multipliers 2 and 1 of two tests below, -2 of one above, and -1 of what it shows."""


def test_a_run_proves_its_own_total_and_no_more(proofs: Path, tmp_path: Path) -> None:
    goals = [f"Goal {GOOD} = true. Proof. vm_compute. reflexivity. Qed.\n"]
    goals += [
        f"(* {name} *) Goal {bad} = false. Proof. vm_compute. reflexivity. Qed.\n"
        for name, bad in BAD.items()
    ]
    (tmp_path / "Runs.v").write_text(RUNS + "".join(goals))
    run = call("coqc", "-q", "-R", proofs, "Prover", tmp_path / "Runs.v", cwd=tmp_path)
    assert run.returncode == 0, run.stderr


FAMILIES = """
From Coq Require Import List NArith ZArith QArith.
From Prover.programs Require Import Program Families Climbs.
Import ListNotations.
Open Scope Z_scope.
Definition tests : program := [
  {| reads := 0; rate_left := Some 1; rate_right := None; mean := 0; second := None; ways := [
    {| guard := []; stores := [0%N]; letter := 0; shows := []; target := 1 |}] |};
  {| reads := 1; rate_left := Some 2; rate_right := Some 2; mean := 0; second := None; ways := [
    {| guard := [(Below, 0%N)]; stores := []; letter := 0; shows := []; target := 1 |};
    {| guard := [(AtLeast, 0%N)]; stores := []; letter := 1; shows := []; target := 1 |};
    {| guard := [(AtLeast, 0%N)]; stores := []; letter := 1; shows := []; target := 2 |};
    {| guard := [(AtLeast, 0%N)]; stores := [0%N]; letter := 2; shows := []; target := 1 |}] |}].
Definition family start again (w : nat) d e b m n g a := check_family tests start a [
  (false, [{| move := 0; noise_of := 0; of_guard := []; of_numbers := [];
             differs := 0; reading_of := 0; rises := (0, 0) |}]);
  (again, [{| move := 0; noise_of := 0; of_guard := [(m, g)]; of_numbers := [];
             differs := d; reading_of := b; rises := (0, 0) |};
           {| move := w; noise_of := 0; of_guard := [(n, 0)]; of_numbers := [];
             differs := e; reading_of := 0; rises := (0, 0) |}])].
"""
GOOD_FAMILY = "family 0%N true 1 1 (-1) (-1) 2 (-2) 0 AllDiffer"
BAD_FAMILIES: Mapping[str, str] = {
    "taken once": "family 0%N false 1 1 (-1) (-1) 2 (-2) 0 AllDiffer",
    "another start": "family 1%N true 1 1 (-1) (-1) 2 (-2) 0 AllDiffer",
    "no way back": "family 0%N true 2 1 (-1) (-1) 2 (-2) 0 AllDiffer",
    "no such transition": "family 0%N true 4 1 (-1) (-1) 2 (-2) 0 AllDiffer",
    "a load of what another turn stores": "family 0%N true 3 1 (-1) (-1) 2 (-1) 0 AllDiffer",
    "one direction": "family 0%N true 1 1 (-1) (-1) 2 (-2) 0 Monotonic",
    "one input, once a turn": "family 0%N true 1 1 0 (-1) 2 (-2) 0 OneDiffers",
    "a difference of 2": "family 0%N true 1 2 (-1) (-1) 2 (-2) 0 AllDiffer",
    "samples that another test forbids": "family 0%N true 1 1 (-1) 0 2 (-2) 0 AllDiffer",
    "a load beyond the rate": "family 0%N true 1 1 (-1) (-1) 3 (-3) 0 AllDiffer",
    "a sign": "family 0%N true 1 1 1 (-1) 1 1 0 AllDiffer",
    "a load of the threshold that grows": "family 0%N true 1 1 (-1) (-1) 1 (-2) 0 AllDiffer",
    "a multiplier that grows within a turn": "family 0%N true 1 1 (-1) (-1) 1 (-2) 1 AllDiffer",
    "nothing gained": "family 0%N true 1 0 0 (-1) 2 (-2) 0 AllDiffer",
}
"""Each turn of the good one has a test below with the multiplier 2, and a test above with -2."""


def test_a_family_gains_in_each_turn(proofs: Path, tmp_path: Path) -> None:
    goals = [f"Goal {GOOD_FAMILY} = true. Proof. vm_compute. reflexivity. Qed.\n"]
    goals += [
        f"(* {name} *) Goal {bad} = false. Proof. vm_compute. reflexivity. Qed.\n"
        for name, bad in BAD_FAMILIES.items()
    ]
    (tmp_path / "Families.v").write_text(FAMILIES + "".join(goals))
    run = call("coqc", "-q", "-R", proofs, "Prover", tmp_path / "Families.v", cwd=tmp_path)
    assert run.returncode == 0, run.stderr


CLIMBS = """
From Coq Require Import List NArith ZArith QArith.
From Prover.programs Require Import Program Families Climbs.
Import ListNotations.
Open Scope Z_scope.
Definition falling (left : option Z) : program := [
  {| reads := 0; rate_left := left; rate_right := Some 1; mean := 0; second := None; ways := [
    {| guard := []; stores := [0%N]; letter := 0; shows := []; target := 1 |}] |};
  {| reads := 1; rate_left := Some 2; rate_right := Some 2; mean := 0; second := None; ways := [
    {| guard := [(Below, 0%N)]; stores := [0%N]; letter := 0; shows := []; target := 1 |};
    {| guard := [(AtLeast, 0%N)]; stores := []; letter := 1; shows := []; target := 2 |}] |}].
Definition links left start first second last b c := check_family (falling left) 0%N AllDiffer [
  (false, [{| move := 0; noise_of := 0; of_guard := []; of_numbers := [];
             differs := 0; reading_of := 0; rises := start |}]);
  (true, [{| move := 0; noise_of := 0; of_guard := [(0, 0)]; of_numbers := [];
            differs := -1; reading_of := b; rises := first |};
          {| move := 0; noise_of := 0; of_guard := [(2, 0)]; of_numbers := [];
            differs := 1; reading_of := c; rises := second |}]);
  (false, [{| move := 1; noise_of := 0; of_guard := [(0, 0)]; of_numbers := [];
             differs := 0; reading_of := 0; rises := last |}])].
Definition climbs start first second last := links (Some 1) start first second last (-1) (-2).
"""
CLIMBING: Mapping[str, bool] = {
    "climbs (0, 0) (-2, 0) (-2, 0) (0, 0)": True,
    "climbs (0, 0) (-3, -1) (-3, -1) (0, -3)": True,  # the last sample falls, but not so far
    "climbs (0, 1) (-2, 1) (-2, 1) (0, 1)": True,  # the first one climbs with the number of turns
    "climbs (0, 0) (0, 0) (0, 0) (0, 0)": False,  # the second turn begins above the first one's end
    "climbs (0, 0) (-1, 0) (-1, 0) (0, 0)": False,  # a tie
    "climbs (0, 0) (2, 0) (2, 0) (0, 0)": False,
    "climbs (0, 0) (-2, 0) (-1, 0) (0, 0)": False,  # the second sample is overtaken in a late turn
    "climbs (0, 0) (-2, 1) (-2, 1) (0, 0)": False,  # for many turns the first one begins too high
    "climbs (0, 0) (-2, 0) (-2, 0) (0, -3)": False,  # for many turns the last sample is too low
    "links None (0, 1) (-2, 1) (-2, 1) (0, 1) (-1) (-2)": False,  # there is no noise to the left
    "links None (0, 0) (-2, 0) (-2, 0) (0, 0) (-1) (-2)": True,
    "links (Some 1) (0, 0) (-2, 0) (-2, 0) (0, 0) (-1) (-1)": False,
    "links (Some 1) (0, 0) (-2, 0) (-2, 0) (0, 0) 0 (-1)": False,
}
"""Samples that fall in each turn, and one that is not below the last of them."""


def test_samples_may_climb_from_turn_to_turn(proofs: Path, tmp_path: Path) -> None:
    goals = [
        f"Goal {family} = {'true' if fine else 'false'}. Proof. vm_compute. reflexivity. Qed.\n"
        for family, fine in CLIMBING.items()
    ]
    (tmp_path / "Climbing.v").write_text(CLIMBS + "".join(goals))
    run = call("coqc", "-q", "-R", proofs, "Prover", tmp_path / "Climbing.v", cwd=tmp_path)
    assert run.returncode == 0, run.stderr


COMPOSITION = "answers-composition"


def test_another_composition_or_another_gain_is_refused(proofs: Path, tmp_path: Path) -> None:
    found = texts(COMPOSITION)
    most, least = re.findall(r"\(([0-9]+)#([0-9]+)\) (?:s|First)\.", found["Answer.v"])
    changed = {
        "less": ("Answer.v", f"({most[0]}#{most[1]})", f"({int(most[0]) - 1}#{most[1]})"),
        "more": ("Answer.v", f"({least[0]}#{least[1]}) First", f"({int(least[0]) + 1}#{least[1]}) First"),
        "another chance": ("Model.v", "(1#2, 1#4)", "(1#4, 1#2)"),
        "one run less": ("Model.v", "9%N", "8%N"),
    }
    for name, (file, old, new) in changed.items():
        assert old in found[file]
        run = coqc(write(tmp_path / name, {**found, file: found[file].replace(old, new)}), proofs)
        assert run.returncode != 0
        assert REFUSAL in run.stderr


def test_another_composition_of_chains_is_refused(proofs: Path, tmp_path: Path) -> None:
    """A pair without a graph is refused from above only: some pairs are enough from below."""
    found = texts("relation-composition")
    assert found["Answer.v"].count("(3#4)") == 4
    changed = {
        "less": ("Answer.v", "(3#4)", "(74#100)"),
        "more": ("Answer.v", "(3#4) First", "(76#100) First"),
        "another chance": ("Model.v", "(7%N, 1#4)]", "(7%N, 1#3)]"),
        "a row that sums to 1": (
            "Model.v",
            "[(0%N, 1#2); (1%N, 1#4); (7%N, 1#4)]",
            "[(0%N, 1#4); (7%N, 3#4)]",
        ),
        "another label": ("Model.v", "(* 2  o *) (1%N", "(* 2  o *) (2%N"),
        "one run less": ("Model.v", ", 2%N)\n]", ", 1%N)\n]"),
        "a pair more": ("Model.v", "[(3%N, 4%N); ", "[(3%N, 5%N); (3%N, 4%N); "),
    }
    for name, (file, old, new) in changed.items():
        assert old in found[file]
        run = coqc(write(tmp_path / name, {**found, file: found[file].replace(old, new)}), proofs)
        assert run.returncode != 0
        assert REFUSAL in run.stderr


GraphForgery = Callable[[CoqGraph], CoqGraph]


def _nodes(graph: CoqGraph, q: int, **fields: Any) -> CoqGraph:
    nodes = list(graph.nodes)
    nodes[q] = replace(nodes[q], **fields)
    return replace(graph, nodes=nodes)


FORGED_GRAPHS: Mapping[str, GraphForgery] = {
    "a visit more": lambda g: replace(g, walks=[(q, u + 1) for q, u in g.walks]),
    "fewer runs": lambda g: replace(g, runs=g.runs + 1),
    "ends that are missing": lambda g: replace(g, arrivals=g.arrivals[1:]),
    "ends of two ratios together": lambda g: replace(
        g, arrivals=[[*g.arrivals[0], *g.arrivals[1]], *g.arrivals[2:]]
    ),
    "no ends": lambda g: replace(g, arrivals=[*g.arrivals, []]),
    "a negative number of arrivals": lambda g: replace(
        g, arrivals=[[(q, n) for q, u in g.arrivals[0] for n in (2 * u, -u)], *g.arrivals[1:]]
    ),
    "the beginning as an end": lambda g: replace(g, walks=[], arrivals=[[(0, g.runs)]]),
    "an end that tells the secrets apart": lambda g: replace(
        _nodes(g, 0, coupling=[]), walks=[], arrivals=[[(0, g.runs)]]
    ),
    "a balance that is none": lambda g: replace(
        _nodes(g, 0, balanced=True), walks=[], arrivals=[[(0, g.runs)]]
    ),
    "another pair": lambda g: _nodes(g, 0, x=g.nodes[0].y, y=g.nodes[0].x),
    "a label that is not seen": lambda g: _nodes(g, 0, label=g.nodes[0].label + 1),
    "what follows is missing": lambda g: _nodes(g, 0, entries=g.nodes[0].entries[1:]),
    "what follows is more": lambda g: _nodes(g, 0, entries=[(p, 2 * c) for p, c in g.nodes[0].entries]),
    "another vector": lambda g: _nodes(g, 1, x={**g.nodes[1].x, 0: 7}),
}
"""Graphs that prove nothing, one for each thing that the check demands."""


def _with_graph(own: CoqTrial, forge: GraphForgery) -> CoqTrial:
    assert own.graphs is not None
    (pair, graph), *others = own.graphs.items()
    return replace(own, graphs=dict([(pair, forge(graph)), *others]))


def test_graphs_that_prove_nothing_are_refused(proofs: Path, tmp_path: Path) -> None:
    """One run of coqc for all. `Graphs.check_graph` refuses each; what stands beside the graphs does, too."""
    basis = json.loads(CERTIFICATES["relation-composition"]().data)["evidence"]["basis"]
    lines = [
        texts("relation-composition")["Model.v"],
        "From Prover Require Import Sparse Rows Composition Graphs Replaced Decode.",
        f"Definition basis : list Q := [{'; '.join(f'{b}#1' for b in basis)}].",
        "Definition labels := nodup N.eq_dec (map fst chain_0).",
        "Definition graphs_fine l := let e := fst (decoded traced l) in",
        "  forallb (fun g => check_graph (prepare (base_of chain_0 e)) labels (snd g) (fst (fst g))",
        "    (snd (fst g))) (graphs e).",
        "Definition trial_fine q l := match model with",
        "  | (t, _) :: _ => check_trial basis First q t (decoded traced l) | _ => false end.",
    ]

    def goal(function: str, own: CoqTrial, value: str) -> None:
        lines.append(f"Goal {function} {literal(own.numbers())} = {value}.")
        lines.append("Proof. vm_compute. reflexivity. Qed.")

    every, some = "trial_fine (@forallb _)", "trial_fine (@existsb _)"
    (honest,) = trials.read(json.loads(CERTIFICATES["relation-composition"]().data))
    assert honest.graphs is not None
    assert honest.place is not None
    goal("graphs_fine", honest, "true")
    goal(every, honest, "true")
    for forge in FORGED_GRAPHS.values():
        goal("graphs_fine", _with_graph(honest, forge), "false")
        goal(some, _with_graph(honest, forge), "false")
    fewer = replace(honest, graphs=dict([*honest.graphs.items()][1:]))
    goal(some, fewer, "true")
    goal(every, fewer, "false")
    goal(every, replace(honest, graphs={}), "false")
    goal(some, replace(honest, graphs={}), "false")
    goal(every, replace(honest, laws=honest.laws[1:]), "false")
    goal(every, replace(honest, place=[honest.place[0]] * len(honest.place)), "false")
    (tmp_path / "Forged.v").write_text("\n".join(lines))
    run = call("coqc", "-q", "-R", proofs, "Prover", tmp_path / "Forged.v", cwd=tmp_path)
    assert run.returncode == 0, run.stderr


def test_a_smaller_loss_with_laplace_noise_is_refused(proofs: Path, tmp_path: Path) -> None:
    found = texts("laplace-loss")
    changed = {
        "loss": ("Answer.v", "5%Z", "4%Z"),
        "no noise on one side": ("Model.v", "rate_right := Some 2%Z", "rate_right := None"),
        "adjacency in the proof alone": ("Answer.v", "AllDiffer 5%Z H", "Increasing 5%Z H"),
    }
    for name, (file, old, new) in changed.items():
        assert old in found[file]
        run = coqc(write(tmp_path / name, {**found, file: found[file].replace(old, new)}), proofs)
        assert run.returncode != 0
        assert REFUSAL in run.stderr


FORGED_SEEN: Mapping[str, Sequence[Callable[[Any], object]]] = {
    "max-seen": [
        lambda e: e["groups"][3]["order"].pop(),  # more samples than the runs have
        lambda e: e["groups"][4]["order"].__setitem__(1, [2, 1]),
        lambda e: e["groups"].pop(),  # a run in no group
        lambda e: e["groups"][3]["runs"].append(e["groups"].pop(4)["runs"][0]),  # with another letter
        lambda e: e["groups"].append({**e["groups"][3], "runs": [e["groups"][3]["runs"].pop()]}),
    ],
    "exit-seen": [
        lambda e: e["last"]["sets"].pop(),  # an ending by itself
        lambda e: e["last"]["sets"][0]["tests"].clear(),  # no transition for some samples
        lambda e: e["last"]["sets"][0]["transitions"].append(4),  # two transitions for some samples
        lambda e: e["last"]["nodes"][3]["order"].clear(),
        lambda e: e["last"]["nodes"][3]["functions"].clear(),
        lambda e: e["last"]["nodes"][2]["functions"].pop(),
        lambda e: e["last"]["nodes"][0]["functions"][0]["points"][0].__setitem__(1, "1"),
        lambda e: e["last"]["nodes"][2]["targets"].__setitem__(0, 2),
    ],
}
"""Evidence about what an observer sees that proves nothing."""


@pytest.mark.parametrize("of", FORGED_SEEN)
def test_other_groups_and_endings_are_refused(of: str, proofs: Path, tmp_path: Path) -> None:
    """One run of coqc for all. Orders of a node that are missing may leave the rest without a step."""
    honest = texts(of)
    key, check = {
        "max-seen": ("groups", "check_hidden {} (decoded (many level_of) {})"),
        "exit-seen": ("last", "let t := decoded tables_of {1} in check_last {0} (fst t) (snd t)"),
    }[of]
    lines = [honest["Answer.v"].partition("\n(**")[0], "From Prover Require Import Decode."]
    lines.append("From Prover.programs Require Import Groups Last.")
    for i, forge in enumerate([lambda _: None, *FORGED_SEEN[of]]):
        whole = json.loads(CERTIFICATES[of]().data)
        forge(whole["evidence"])
        found = files(encode(whole))
        (evidence,) = re.findall(rf"Definition {key} : (list text :=[^.]*\.)", found["Evidence.v"])
        (said,) = re.findall(r"loss_at_most (.*)\.\nProof", honest["Answer.v"])
        lines.append(f"Definition evidence{i} : {evidence}")
        decided = check.format(said, f"evidence{i}")
        lines.append(f"Goal ({decided}) = {'false' if i else 'true'}. Proof. vm_compute. reflexivity. Qed.")
    folder = write(tmp_path / "forged", {**honest, "Answer.v": "\n".join(lines)})
    for file in ("Model.v", "Evidence.v", "Answer.v"):
        run = call("coqc", "-q", "-R", proofs, "Prover", "-Q", ".", "Here", file, cwd=folder)
        assert run.returncode == 0, run.stderr


SEEN: Mapping[str, tuple[str, str, str, str]] = {
    "a smaller loss of groups": ("max-seen", "Answer.v", "2%Z", "1%Z"),
    "a smaller loss of last steps": ("exit-seen", "Answer.v", "8%Z", "7%Z"),
    "one direction in the proof alone": ("max-seen", "Answer.v", "AllDiffer 2%Z H", "Increasing 2%Z H"),
    "a letter that tells one run of a group": (
        "max-seen",
        "Model.v",
        "guard := [(AtLeast, 0%N)]; stores := [0%N]; letter := 0%N",
        "guard := [(AtLeast, 0%N)]; stores := [0%N]; letter := 1%N",
    ),
    "a step whose noise depends on the run": (
        "max-seen",
        "Model.v",
        "  (* 3  q4 *)\n  {| reads := 1%Z; rate_left := Some 1%Z",
        "  (* 3  q4 *)\n  {| reads := 1%Z; rate_left := Some 2%Z",
    ),
    "a sample that is seen": (
        "max-seen",
        "Model.v",
        "letter := 4%N; shows := []",
        "letter := 4%N; shows := [Sample]",
    ),
    "an ending that tells where it leads": (
        "exit-seen",
        "Model.v",
        "(Below, 1%N)]; stores := []; letter := 0%N; shows := []; target := 3%N",
        "(Below, 1%N)]; stores := []; letter := 1%N; shows := []; target := 3%N",
    ),
    "samples without noise": (
        "max-monotonic-seen",
        "Model.v",
        "rate_left := Some 1%Z; rate_right := Some 1%Z",
        "rate_left := None; rate_right := None",
    ),
    "a test of a number that was not stored": (
        "exit-monotonic-seen",
        "Model.v",
        "stores := [1%N]",
        "stores := []",
    ),
    "last steps with a gap": ("exit-seen", "Model.v", "shows := []", "shows := [Gap 0%N]"),
}
"""Of what an observer sees: a claim, a file, and what is replaced in it."""


@pytest.mark.parametrize("change", SEEN)
def test_other_claims_about_what_is_seen_are_refused(change: str, proofs: Path, tmp_path: Path) -> None:
    of, file, old, new = SEEN[change]
    found = texts(of)
    assert old in found[file]
    run = coqc(write(tmp_path / "theorem", {**found, file: found[file].replace(old, new)}), proofs)
    assert run.returncode != 0
    assert REFUSAL in run.stderr


@pytest.mark.parametrize("of", FORGED)
def test_other_nodes_of_several_variables_are_refused(of: str, proofs: Path, tmp_path: Path) -> None:
    """One run of coqc for all."""
    lines = [texts(of)["Answer.v"].partition("\n(**")[0], "From Prover Require Import Decode."]
    lines.append("From Prover.programs Require Import Parts Claims.")
    for i, forge in enumerate([lambda _: None, *FORGED[of]]):
        whole = json.loads(CERTIFICATES[of]().data)
        forge(whole["evidence"])
        found = files(encode(whole))
        assert found["Model.v"] == texts(of)["Model.v"]
        (table,) = re.findall(r"Definition table : (list text :=[^.]*\.)", found["Evidence.v"])
        (said,) = re.findall(r"loss_at_most (.*)\.\nProof", found["Answer.v"])
        check = f"let t := parts_of table{i} in check_parts {said} (fst t) (snd t)"
        lines.append(f"Definition table{i} : {table}")
        lines.append(f"Goal ({check}) = {'false' if i else 'true'}. Proof. vm_compute. reflexivity. Qed.")
    folder = write(tmp_path / "forged", {**texts(of), "Answer.v": "\n".join(lines)})
    for file in ("Model.v", "Evidence.v", "Answer.v"):
        run = call("coqc", "-q", "-R", proofs, "Prover", "-Q", ".", "Here", file, cwd=folder)
        assert run.returncode == 0, run.stderr


VALUES = "values"
FORGED_PROFILES: Mapping[str, Sequence[Callable[[Any], object]]] = {
    "svt-delta": [
        lambda e: e["nodes"].pop(),  # no node for a shift
        lambda e: e["nodes"][3][VALUES].__setitem__(9, e["nodes"][3][VALUES][9] - 10**13),  # of a test
        lambda e: e["nodes"][0][VALUES].__setitem__(9, e["nodes"][0][VALUES][9] - 10**13),  # of the draw
        lambda e: [values.__setitem__(-1, -1) for values in (node[VALUES] for node in e["nodes"])],
        lambda e: [values.__setitem__(1, 10**15) for values in (node[VALUES] for node in e["nodes"])],
        lambda e: e["nodes"][0]["cells"][0][0].__setitem__("until", "-1"),  # not all differences
        lambda e: e["nodes"][0]["cells"][0].clear(),
        lambda e: e["nodes"][0]["cells"][0][0]["anchors"].clear(),
        lambda e: e["nodes"][0]["cells"][0][0]["anchors"][0].__setitem__(2, "1000"),  # too far
        lambda e: e["nodes"][0].__setitem__("state", e["nodes"][1]["state"]),  # no node at the beginning
        lambda e: e["nodes"][2].__setitem__("shifts", ["1", "1"]),
    ],
    "levels-delta": [
        lambda e: [node.pop("open", None) for node in e["nodes"]],
        lambda e: e["nodes"].reverse() or e["nodes"].pop(0),
        lambda e: e["nodes"][2]["shifts"].__setitem__("x1", ["0", "1"]),
    ],
    "shown-delta": [lambda e: e["nodes"][1][VALUES].__setitem__(1, 10**16 // 3 - 1)],
}
"""Tables that prove nothing, one for each thing that the check demands."""


@pytest.mark.parametrize("of", FORGED_PROFILES)
def test_other_tables_of_profiles_are_refused(of: str, proofs: Path, tmp_path: Path) -> None:
    """One run of coqc for all. At the end the honest table is beside other statements and another program."""
    answer = texts(of)["Answer.v"]
    (said,) = re.findall(r"delta_at_most (.*) alpha delta\.\nProof", answer)
    (points,) = re.findall(r"In \(alpha, delta\) (\[.*\]) ->", answer)
    lines = [answer.partition("\n(**")[0], "From Prover Require Import Decode."]
    lines.append("From Prover.programs Require Import Table Spots ProfileClaims.")

    def decided(said: str, points: str, number: int, *, proved: bool) -> None:
        check = f"check_profiles {said} {points} (of_mode (profiles_of profiles{number}))"
        lines.append(f"Goal ({check}) = {str(proved).lower()}. Proof. vm_compute. reflexivity. Qed.")

    for i, forge in enumerate([lambda _: None, *FORGED_PROFILES[of]]):
        whole = json.loads(CERTIFICATES[of]().data)
        forge(whole["evidence"])
        (profiles,) = re.findall(
            r"Definition profiles : (list text :=[^.]*\.)", files(encode(whole))["Evidence.v"]
        )
        lines.append(f"Definition profiles{i} : {profiles}")
        decided(said, points, i, proved=i == 0)
    (upper,) = re.findall(r", ([0-9]+)#", points)
    decided(said, points.replace(f" {upper}#", f" {int(upper) - 10**6}#"), 0, proved=False)
    alpha, q = points.replace("5#4", "1#1"), re.sub(r"#([0-9]+)\)", r"#\g<1>0)", said, count=1)
    decided(said, alpha, 0, proved=alpha == points)
    decided(q, points, 0, proved=False)
    less_noise = re.sub("Some ([0-9]+)%Z", lambda m: f"Some {9 * int(m[1])}%Z", texts(of)["Model.v"])
    lines.append("Import Program.")
    lines.append(
        less_noise.partition("Open Scope Q_scope.")[2].replace("Definition model", "Definition other")
    )
    decided(said.replace("Here.Model.model", "other"), points, 0, proved=False)
    folder = write(tmp_path / "forged", {**texts(of), "Answer.v": "\n".join(lines)})
    for file in ("Model.v", "Evidence.v", "Answer.v"):
        run = call("coqc", "-q", "-R", proofs, "Prover", "-Q", ".", "Here", file, cwd=folder)
        assert run.returncode == 0, run.stderr


def counted(answer: str, step: int) -> str:
    """The first value of a statement, a step further up or down, wherever it stands."""
    value = re.search(r"\(([0-9]+)#([0-9]+)\) s t", answer)
    assert value is not None
    return answer.replace(f"({value[1]}#{value[2]})", f"({int(value[1]) + step}#{value[2]})")


@pytest.mark.parametrize("step", [-1, 1])
@pytest.mark.parametrize(
    "name",
    [
        "pin-delta",
        "pin-ld",
        "survey-ld",
        "relation-curve",
        "wait-attacker",
        "pins-attacker",
        "silent-seen",
    ],
)
def test_other_claims_are_refused(name: str, step: int, proofs: Path, tmp_path: Path) -> None:
    found = {**texts(name), "Answer.v": counted(texts(name)["Answer.v"], step)}
    run = coqc(write(tmp_path / "theorem", found), proofs)
    assert run.returncode != 0
    assert REFUSAL in run.stderr


@pytest.mark.parametrize("name", ["random-all-pairs", "random-bd-all-pairs"])
@pytest.mark.parametrize("step", [-1, 1])
def test_other_values_of_all_pairs_are_refused(name: str, step: int, proofs: Path, tmp_path: Path) -> None:
    answer = texts(name)["Answer.v"]
    value = re.search(r"[0-9]{2,}(?=#)", answer)
    assert value is not None
    changed = answer[: value.start()] + str(int(value[0]) + step) + answer[value.end() :]
    run = coqc(write(tmp_path / "theorem", {**texts(name), "Answer.v": changed}), proofs)
    assert run.returncode != 0
    assert REFUSAL in run.stderr


UNTRUE: Mapping[str, tuple[str, str, str]] = {
    "alike, but in the matrix": ("diners-bisimilar", "[1#1; 0#1; 1#1; 1#1; 0#1", "[1#1; 0#1; 1#1; 1#1; 1#1"),
    "not alike, but in the matrix": ("diners-bisimilar", "[0#1; 1#1", "[0#1; 0#1"),
    "related, but in the matrix": ("walk-kernel", "[1#1; 1#1; 0#1; 1#1; 0#1", "[1#1; 1#1; 0#1; 1#1; 1#1"),
    "unrelated, but in the matrix": ("walk-kernel", "[0#1; 1#1", "[0#1; 0#1"),
    "another alpha": ("walk-kernel", "(3#2)", "(1#1)"),
    "alike, but unrelated at 1": ("fig1-kernel", "(3#2)", "(1#1)"),
    "other states": ("ring-bisimilar", "31%N", "1%N"),
    "a state and itself": ("pin-distinct", " 0 1", " 0 0"),
    "a related pair": ("pin-kernel", " 0 1", " 2 2"),
    "an attacker who wins more often": ("wait-attacker", "0%N, 1#2); (3%N, 1#2", "0%N, 1#4); (3%N, 3#4"),
    "an attacker who wins less often": ("wait-attacker", "0%N, 1#2); (3%N, 1#2", "0%N, 3#4); (3%N, 1#4"),
    "an observer who sees all labels": ("delay-seen", "Changes []", "Labels []"),
    "an observer from whom less is hidden": ("silent-seen", "Labels [3%N]", "Labels []"),
    "a run that is seen later": ("start-seen", "Changes [3%N]", "Labels [3%N]"),
    "a smaller distance of a process": ("doors-process-ld", "(9#20)", "(8#20)"),
    "a distance without an action": (
        "doors-process-ld",
        "[(1%N, 1#4); (2%N, 3#4)]; [(0%N, 1#1)]]);\n  (* 5",
        "[(2%N, 1#1)]; [(0%N, 1#1)]]);\n  (* 5",
    ),
    "a smaller symmetric distance of a process": ("alike-process-bd", "(1#2) s t", "(1#3) s t"),
    "alike for one action only": (
        "alike-process-bisimilar",
        "[[(2%N, 1#1)]; [(1%N, 1#2)",
        "[[(0%N, 1#1)]; [(1%N, 1#2)",
    ),
    "not alike under all actions": ("alike-process-bisimilar", "(1%N, 2%N)", "(3%N, 4%N)"),
    "a state and itself, under all actions": ("wait-process-distinct", " 1 2", " 1 1"),
    "not alike under all actions, but in the matrix": ("doors-process-bisimilar", "[0#1; 1#1", "[0#1; 0#1"),
    "less for all classes": ("merged-attacker", "(9#20) s t", "(8#20) s t"),
    "more for all classes": ("merged-attacker", "(9#20) 3", "(10#20) 3"),
    "classes that are not right": ("merged-attacker", "[(2%N, 1#2); (3%N, 1#2)]", "[(2%N, 1#4); (3%N, 3#4)]"),
    "less where bisimilar states are one": ("survey-merged", "(4#15)", "(3#15)"),
    "more where bisimilar states are one": ("survey-merged", "(4#15)", "(5#15)"),
    "another alpha where bisimilar states are one": ("crowds-merged", "(6#5)", "(5#5)"),
    "a label that does not tell apart": ("apart-composition", "(3%N, [(7%N, 1#1)])", "(2%N, [(7%N, 1#1)])"),
    "secrets that do not look alike": (
        "alike-composition",
        "[(3%N, 1#2); (5%N, 1#2)]",
        "[(3%N, 1#4); (5%N, 3#4)]",
    ),
    "an action that does more": ("wait-attacker", "[(2%N, 1#1)]]", "[(3%N, 1#1)]]"),
}


@pytest.mark.parametrize("change", UNTRUE)
def test_what_is_untrue_is_refused(change: str, proofs: Path, tmp_path: Path) -> None:
    name, old, new = UNTRUE[change]
    found = {
        file: text if file == "Evidence.v" else text.replace(old, new) for file, text in texts(name).items()
    }
    assert found != texts(name)
    folder = write(tmp_path / "theorem", found)
    run = coqc(folder, proofs)
    assert run.returncode != 0
    assert REFUSAL in run.stderr


@pytest.mark.parametrize("forged", HOSTILE)
def test_evidence_changes_no_statement_that_coqc_reads(forged: str, proofs: Path, tmp_path: Path) -> None:
    """Without `proofs/theorem.py`, which would refuse such evidence before."""
    found = texts("pin-delta")
    hostile = {**found, "Evidence.v": found["Evidence.v"] + HOSTILE[forged]}
    folder = write(tmp_path / "theorem", {**hostile, "Answer.v": counted(found["Answer.v"], -1)})
    runs = [
        call("coqc", "-q", "-R", proofs, "Prover", "-Q", ".", "Here", file, cwd=folder)
        for file in ("Model.v", "Evidence.v", "Answer.v")
    ]
    assert [run.returncode for run in runs[:2]] == [0, 0], runs[1].stderr
    assert "Unable to unify" in runs[2].stderr or "expected to have type" in runs[2].stderr


def test_nothing_else_in_the_folder_counts(proofs: Path, tmp_path: Path) -> None:
    """Stale compiled files, files with the names of libraries, settings of Coq."""
    found = {**texts("pin-delta"), "Answer.v": counted(texts("pin-delta")["Answer.v"], -1)}
    folder = write(tmp_path / "theorem", found)
    for name in ("Model.vo", "Evidence.vo", "Answer.vo"):
        shutil.copy(proofs / "Chain.vo", folder / name)
    (folder / "Chain.v").write_text("Definition close (c a d s t : nat) : Prop := True.\n")
    (folder / "_CoqProject").write_text("-R . Prover\n")
    (folder / "Prover").mkdir()
    shutil.copy(folder / "Chain.v", folder / "Prover" / "Chain.v")
    assert coqc(folder, proofs).returncode != 0
    (folder / "Answer.v").write_text(texts("pin-delta")["Answer.v"])
    assert coqc(folder, proofs).returncode == 0


def test_coqchk_reads_the_theorem_again(proofs: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "the theorem", texts("pin-bd-all-pairs"))
    run = call("make", "--directory", proofs, "theorem-check", f"FOLDER={folder}", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "* Axioms: <none>" in run.stdout
