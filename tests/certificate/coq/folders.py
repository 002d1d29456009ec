"""Folders with a theorem, honest and forged, and the program of `proofs/` that judges them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from prover.certificate.coq.folder import files
from tests.certificate.coq.theorems import CERTIFICATES
from tests.commands import ROOT
from tests.scripts import module_at

PROOFS = ROOT / "proofs"


@cache
def judge() -> Any:
    """`proofs/theorem.py`, which is no part of a package."""
    return module_at(PROOFS / "theorem.py")


@cache
def texts(name: str) -> Mapping[str, str]:
    """The folder of one of the certificates."""
    return files(CERTIFICATES[name]().data)


def statements(folder: Mapping[str, str]) -> Sequence[str]:
    """What the folder's theorems say. Raises `judge().Refused` for what may say something else."""
    said: Sequence[str] = judge().statements({name: text.encode() for name, text in folder.items()})
    return said


def write(folder: Path, found: Mapping[str, str]) -> Path:
    folder.mkdir()
    for name, text in found.items():
        (folder / name).write_text(text, newline="")
    return folder


IMPORTED = """
From Coq Require Import NArith QArith.
From Prover Require Import Chain Answers.
From Here Require Import Model.
"""

SHADOWS = (
    IMPORTED
    + """
Definition close (c : chain) (alpha delta : Q) (s t : N) : Prop := True.
Lemma one : markov model.
Proof. apply (delta_upper model (6#5) (1#1) nil unrolling). vm_cast_no_check (eq_refl true). Qed.
Definition delta_upper (c : chain) (alpha delta : Q) (R : list (N * N)) (l : list text) (_ : true = true) :
  markov model /\\ forall s t, In (s, t) R -> close model alpha delta s t := conj one (fun s t _ => I).
"""
)
"""Takes the words of a statement, and the name of what proves it, for something else."""

HOSTILE: dict[str, str] = {
    "shadows": SHADOWS,
    "modules": IMPORTED
    + "Module Prover. Module Chain. Definition close (c : chain) (a d : Q) (s t : N) := True. End Chain.\n"
    "End Prover. Module Here. Module Model. Definition model : chain := nil. End Model. End Here.\n",
    "notations": IMPORTED + "Notation close := (fun (_ : chain) (_ _ : Q) (_ _ : N) => True).\n",
    "tactics": 'Tactic Notation "vm_cast_no_check" constr(x) := idtac.\nLtac apply := idtac.\n',
    "axioms": "Axiom all : forall P : Prop, P.\n",
    "guards": "#[global] Unset Guard Checking.\nFixpoint all (n : nat) : False := all n.\n",
    "universes": "Global Unset Universe Checking.\n",
    "positivity": "#[global] Unset Positivity Checking.\nInductive bad := Bad (f : bad -> False).\n",
    "one guard": "#[bypass_check(guard)] Fixpoint all (n : nat) : False := all n.\n",
    "type in type": "#[bypass_check(universes)] Definition large : Set := Type.\n",
    "admitted": "Lemma all : forall P : Prop, P.\nAdmitted.\n",
    "functors": "Module Type T. Axiom all : False. End T.\nDeclare Module All : T.\n",
    "parameters": "Section S. Context (all : False). End S.\nParameter all : False.\n",
    "hints": "#[global] Hint Extern 0 => (exact (eq_refl true)) : core.\n",
    "tactics redefined": "Ltac easy ::= idtac.\n",
    "strings": "Declare Scope text_scope.\nNotation \"'eq_refl'\" := I : text_scope.\n",
    "printing": '#[global] Set Printing All.\nSet Warnings "-all".\n',
    "obligations": "#[global] Obligation Tactic := idtac.\nRequire Import Program.\n",
    "strategies": "Require Import Prover.Answers.\n#[global] Opaque Prover.Delta.check_delta_at_most.\n",
    "coercions": "Require Import Coq.Bool.Bool.\n#[global] Coercion Is_true : bool >-> Sortclass.\n",
}
"""What evidence may say besides its literals; Coq accepts it."""

BROKEN: dict[str, str] = {
    "plugins": 'Declare ML Module "here".\n',
    "loads": "Load Answer.\n",
    "folders": 'Cd "/".\n',
    "extraction": 'Extraction "stolen.ml" unrolling.\n',
    "steps back": "Reset Initial.\n",
    "comments in strings": 'Definition potentials : list text :=\n ["(*"]%text.\n(* "]%text. *)\n',
    "other strings": 'Definition potentials : list text :=\n ["P"]%string.\n',
    "zero bytes": "\0",
    "paths": 'Add LoadPath "/tmp" as Prover.\n',
    "outputs": 'Redirect "Answer" Print Assumptions unrolling.\n',
    "imports": "From Prover Require Export Answers.\n",
    "scopes": "Local Open Scope N_scope.\n",
    "comments": "(* a comment *)\n",
    "attributes": "#[local] Definition more : list text := []%text.\n",
    "other names": 'Definition model : list text :=\n ["P"]%text.\n',
    "computed": "Definition potentials : list text :=\n couplings.\n",
    "names within": 'Definition potentials : list text :=\n ["P"; unrolling]%text.\n',
    "quotes": 'Definition potentials : list text :=\n ["P""P"]%text.\n',
    "beyond ASCII": 'Definition potentials : list text :=\n ["é"]%text.\n',
    "ends of lines": '\r\nDefinition potentials : list text :=\r\n ["P"]%text.\r\n',
    "open strings": 'Definition potentials : list text :=\n ["P',
    "spaces": "\n",
}
"""What is no literal, be it harmless or not."""
