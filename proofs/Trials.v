(** * Compositions in which an observer sees runs of chains *)
From Coq Require Import List NArith QArith.
From Prover Require Import Chain Laws.
Import ListNotations.
Open Scope Q_scope.

(** A trial is a mechanism; or a run of a chain that begins in the first state of one of these pairs under the first secret, and in the second
    state under the second one. Trials come with the number of independent runs of each, all of them with the same pair. *)
Inductive trial := Draw (m : mechanism) | Run (c : chain) (pairs : list (N * N)).
Definition trials := list (trial * N).

(** The outcomes of a run of n steps are the words of n labels. *)
Fixpoint words (labels : list N) (n : nat) : list (list N) :=
  match n with O => [[]] | S n => flat_map (fun a => map (cons a) (words labels n)) labels end.
Definition is (w v : list N) : bool := if list_eq_dec N.eq_dec w v then true else false.
Definition shown (c : chain) (s t : N) (n : nat) : mechanism :=
  map (fun w => (prob c n s (is w), prob c n t (is w))) (words (nodup N.eq_dec (map fst c)) n).

(** What is composed, for each way to choose the pairs. *)
Definition meant (n : nat) (t : trial) : list mechanism :=
  match t with Draw m => [m] | Run c pairs => map (fun st => shown c (fst st) (snd st) n) pairs end.
Fixpoint choices (n : nat) (l : trials) : list composition :=
  match l with [] => [[]] | (t, k) :: l => flat_map (fun m => map (cons (m, k)) (choices n l)) (meant n t) end.

Definition proper_trials (l : trials) : Prop := forall t k, In (t, k) l ->
  match t with
  | Draw m => proper [(m, k)]
  | Run c pairs => markov c /\ forall s t, In (s, t) pairs -> (N.to_nat s < length c)%nat /\ (N.to_nat t < length c)%nat
  end.

(** No set of outcomes gains more than delta, whatever pairs are meant; or some set gains delta, or comes as close to it as required. *)
Definition trials_gain_at_most (l : trials) (alpha delta : Q) : Prop :=
  forall n c s, In c (choices n l) -> gain_at_most c alpha delta s.
Definition trials_gain_at_least (l : trials) (alpha delta : Q) (s : secret) : Prop :=
  forall eta, 0 < eta -> exists n c, In c (choices n l) /\ gain_at_least c alpha (delta - eta) s.
