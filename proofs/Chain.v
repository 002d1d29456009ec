(** * What the theorems say

    A sceptic reads this page, and [Distance.v] for claims about the distance ld: all that an [Answer.v] says
    is said in these words. Nothing else of the development has to be believed. *)
From Coq Require Import List NArith QArith.
Import ListNotations.
Open Scope Q_scope.

(** A chain lists its states 0, 1, 2, ...: each has a label, and its successors with their probabilities. *)
Definition chain := list (N * list (N * Q)).

Definition label (c : chain) (s : N) : N := fst (nth (N.to_nat s) c (0%N, [])).
Definition next (c : chain) (s : N) : list (N * Q) := snd (nth (N.to_nat s) c (0%N, [])).

Definition sum (l : list Q) : Q := fold_right Qplus 0 l.

(** The probability that the first n labels seen from s, its own included, form a word of the event E. *)
Fixpoint prob (c : chain) (n : nat) (s : N) (E : list N -> bool) : Q :=
  match n with
  | O => if E [] then 1 else 0
  | S m => sum (map (fun kp => snd kp * prob c m (fst kp) (fun w => E (label c s :: w))) (next c s))
  end.

(** The states' successors exist, no probability is negative, and those of each state sum to 1. *)
Definition markov (c : chain) : Prop :=
  forall s, (N.to_nat s < length c)%nat ->
    sum (map snd (next c s)) == 1 /\
    forall k p, In (k, p) (next c s) -> 0 <= p /\ (N.to_nat k < length c)%nat.

(** delta is enough, in the direction from s to t: every event gains at most delta. *)
Definition close (c : chain) (alpha delta : Q) (s t : N) : Prop :=
  forall n E, prob c n s E <= alpha * prob c n t E + delta.

(** No number below delta is enough: some events gain delta, or come as close to it as required. *)
Definition needed (c : chain) (alpha delta : Q) (s t : N) : Prop :=
  forall eta, 0 < eta -> exists n E, alpha * prob c n t E + delta - eta <= prob c n s E.
