"""Chains of what an observer sees: coqc refuses evidence in which one number is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.certificate.coq.compiled import make, needs_coq
from tests.certificate.coq.folders import PROOFS, texts, write
from tests.certificate.coq.test_theorems import call

pytestmark = needs_coq

CHECKS = """
From Here Require Import Model Evidence.
From Coq Require Import List NArith ZArith QArith.
From Prover Require Import Chain Seen Sparse Collapsed Decode.
Import ListNotations.
Open Scope Q_scope.
Definition e := fst (seen_of unrolling).
Definition checked b u en ex h r f z g bs := check_collapse model (Changes [3%N]) {| shown_chain := b;
  share := u; entered := en; exits := ex; highest := h; falls := r; opening := f; silence := z;
  begun := g; begins := bs |}.
Definition chain_seen := shown_chain e.
Definition with_exits (f : exit -> exit) :=
  map (fun kl => (fst kl, map (fun ke => (fst ke, f (snd ke))) (snd kl))) (exits e).
Definition tall_as (f : Q -> Q) := with_exits (fun x => {| ends := ends x; tall := f (tall x) |}).
Definition reversed (l : list (positive * Z)) := combine (map fst l) (rev (map snd l)).
"""
FIELDS = (
    "shown_chain",
    "share",
    "entered",
    "exits",
    "highest",
    "falls",
    "opening",
    "silence",
    "begun",
    "begins",
)
GOOD = {name: f"(Collapsed.{name} e)" for name in FIELDS}
BAD: Mapping[str, Mapping[str, str]] = {
    "heights that do not fall": {"falls": "1"},
    "heights that fall too fast": {"falls": "0"},
    "a height below 1 where more is seen": {"exits": "(tall_as (fun h => h / 4))"},
    "nothing is seen any more": {"exits": "(tall_as (fun _ => 0))"},
    "more is seen": {"exits": "(tall_as (fun h => h + 1))", "highest": "1000"},
    "heights without a bound": {"highest": "1"},
    "other exits": {"exits": "(with_exits (fun x => {| ends := reversed (ends x); tall := tall x |}))"},
    "exits that are no probabilities": {"share": "(Pos.succ (Collapsed.share e))"},
    "no exits": {"exits": "[]"},
    "nothing is entered": {"entered": "[]"},
    "another state is entered": {"entered": "(map (fun sj => (fst sj, key 0)) (entered e))"},
    "another beginning": {"begins": "(map (fun sj => (fst sj, 8%N)) (begins e))"},
    "a beginning that has shown something": {"begun": "false"},
    "a label of the chain before the first": {"opening": "0%N"},
    "a label of the chain after the last": {"silence": "3%N"},
    "another label before the first": {"opening": "9%N"},
    "rows of the chain of what is seen": {"shown_chain": "(map (fun x => (fst x, [(0%N, 1)])) chain_seen)"},
}  # fmt: skip


def test_one_number_of_a_collapsed_chain_is_wrong(tmp_path: Path) -> None:
    make("all")
    goals = []
    for name, change in {"right": {}, **BAD}.items():
        given, said = " ".join({**GOOD, **change}.values()), "false" if change else "true"
        goals.append(f"(* {name} *) Goal checked {given} = {said}. Proof. vm_compute. reflexivity. Qed.\n")
    folder = write(tmp_path / "forged", {**texts("start-seen"), "Answer.v": CHECKS + "".join(goals)})
    for file in ("Model.v", "Evidence.v", "Answer.v"):
        run = call("coqc", "-q", "-R", PROOFS, "Prover", "-Q", ".", "Here", file, cwd=folder)
        assert run.returncode == 0, run.stderr
