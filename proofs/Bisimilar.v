(** * Bisimilar states *)
From Coq Require Import List NArith QArith.
From Prover Require Import Chain Distance.
Import ListNotations.
Open Scope Q_scope.

(** The probability to go from s into one of the classes that A has. *)
Definition enters (c : chain) (class : N -> N) (s : N) (A : N -> bool) : Q :=
  sum (map (fun kp => if A (class (fst kp)) then snd kp else 0) (next c s)).

(** States of one class have one label, and go with equal probability into all sets of classes. *)
Definition bisimulation (c : chain) (class : N -> N) : Prop :=
  forall s t, In s (states c) -> In t (states c) -> class s = class t ->
    label c s = label c t /\ forall A, enters c class s A == enters c class t A.

Definition bisimilar (c : chain) (s t : N) : Prop := exists class, bisimulation c class /\ class s = class t.
