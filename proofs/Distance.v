(** * The distances ld and bd: least tables that obey the coupling inequalities *)
From Coq Require Import List NArith QArith Qminmax.
From Prover Require Import Chain.
Import ListNotations.
Open Scope Q_scope.

Definition states (c : chain) : list N := map N.of_nat (seq 0 (length c)).
Definition at_ (l : list (N * Q)) (k : N) : Q := sum (map (fun jp => if (fst jp =? k)%N then snd jp else 0) l).

(** A coupling is a list of moves: of an amount, from one state to another. *)
Definition move := (N * N * Q)%type.
Definition src (m : move) := fst (fst m).
Definition dst (m : move) := snd (fst m).
Definition amount (m : move) := snd m.
Definition leaving (w : list move) (k : N) : Q := sum (map (fun m => if (src m =? k)%N then amount m else 0) w).
Definition arriving (w : list move) (k : N) : Q := sum (map (fun m => if (dst m =? k)%N then amount m else 0) w).

Definition coupling (c : chain) (w : list move) : Prop :=
  forall m, In m w -> 0 <= amount m /\ In (src m) (states c) /\ In (dst m) (states c).

(** What a coupling leaves behind at k, and what it costs for the table d. *)
Definition rest (c : chain) (alpha : Q) (w : list move) (s t k : N) : Q :=
  at_ (next c s) k - alpha * at_ (next c t) k - leaving w k + alpha * arriving w k.
Definition cost (c : chain) (alpha : Q) (d : N -> N -> Q) (w : list move) (s t : N) : Q :=
  sum (map (fun m => amount m * d (src m) (dst m)) w) + sum (map (fun k => Qmax 0 (rest c alpha w s t k)) (states c)).

(** A pre-fixed table is at least 1 where labels differ, and elsewhere pays for some coupling. *)
Definition prefixed (c : chain) (alpha : Q) (d : N -> N -> Q) : Prop :=
  forall s t, In s (states c) -> In t (states c) -> 0 <= d s t /\
    (label c s <> label c t -> 1 <= d s t) /\
    (label c s = label c t -> s <> t -> exists w, coupling c w /\ cost c alpha d w s t <= d s t).

(** ld(s,t) is at most v: some pre-fixed table says so. It is at least v: all of them do. *)
Definition ld_at_most (c : chain) (alpha v : Q) (s t : N) : Prop := exists d, prefixed c alpha d /\ d s t <= v.
Definition ld_at_least (c : chain) (alpha v : Q) (s t : N) : Prop := forall d, prefixed c alpha d -> v <= d s t.

(** bd is the same for symmetric tables, which pay for couplings in both directions. *)
Definition symmetric (d : N -> N -> Q) : Prop := forall s t, d s t == d t s.
Definition bd_at_most (c : chain) (alpha v : Q) (s t : N) : Prop := exists d, prefixed c alpha d /\ symmetric d /\ d s t <= v.
Definition bd_at_least (c : chain) (alpha v : Q) (s t : N) : Prop := forall d, prefixed c alpha d -> symmetric d -> v <= d s t.

(** A matrix has the value of s and t in row s, at place t. *)
Definition in_matrix (values : list (list Q)) (s t : N) : Q := nth (N.to_nat t) (nth (N.to_nat s) values []) 0.
