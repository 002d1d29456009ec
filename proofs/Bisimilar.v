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

(** b has one state for each class of bisimilar states of c: the state s of c is in the class [place s]. *)
Definition merges (c b : chain) (place : N -> N) : Prop :=
  (forall k, In k (states b) -> exists s, In s (states c) /\ place s = k) /\
  forall s, In s (states c) -> In (place s) (states b) /\ label b (place s) = label c s /\
    (forall A, enters b (fun k => k) (place s) A == enters c place s A) /\
    forall t, In t (states c) -> (place s = place t <-> bisimilar c s t).
(** Something holds for the chain in which bisimilar states are one, and for the classes of s and t. *)
Definition merged (says : chain -> N -> N -> Prop) (c : chain) (s t : N) : Prop := exists b place, merges c b place /\ says b (place s) (place t).
