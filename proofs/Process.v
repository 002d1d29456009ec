(** * Systems in which an attacker chooses *)
From Coq Require Import List NArith QArith.
From Prover Require Import Chain Distance Bisimilar.
Import ListNotations.
Open Scope Q_scope.

(** A process lists its states 0, 1, 2, ...: each has a label, and for each action 0, 1, 2, ... the successors with their probabilities. *)
Definition process := list (N * list (list (N * Q))).

(** The chain in which the action is always a; in a state that has no action a, it is the first. *)
Definition acting (P : process) (a : nat) : chain := map (fun x => (fst x, nth a (snd x) (hd [] (snd x)))) P.
Definition shown (P : process) (s : N) : N := label (acting P 0) s.

(** An attacker chooses an action by all labels seen so far, that of the present state included. *)
Definition attacker := list N -> nat.

(** The probability that the first n labels seen from s form a word of the event E, if this attacker chooses. *)
Fixpoint prob_of (P : process) (n : nat) (sigma : attacker) (s : N) (E : list N -> bool) : Q :=
  match n with
  | O => if E [] then 1 else 0
  | S m => let l := shown P s in
           sum (map (fun kp => snd kp * prob_of P m (fun w => sigma (l :: w)) (fst kp) (fun w => E (l :: w))) (next (acting P (sigma [l])) s))
  end.

Definition markov_process (P : process) : Prop := forall a, markov (acting P a).

(** delta is enough against every attacker; or less is not enough: some attackers gain delta, or come as close to it as required. *)
Definition close_to_all (P : process) (alpha delta : Q) (s t : N) : Prop :=
  forall n sigma E, prob_of P n sigma s E <= alpha * prob_of P n sigma t E + delta.
Definition needed_by_some (P : process) (alpha delta : Q) (s t : N) : Prop :=
  forall eta, 0 < eta -> exists n sigma E, alpha * prob_of P n sigma t E + delta - eta <= prob_of P n sigma s E.

(** Tables are pre-fixed, and classes right, if they are so for every action. *)
Definition prefixed_for_all (P : process) (alpha : Q) (d : N -> N -> Q) : Prop := forall a, prefixed (acting P a) alpha d.
Definition ld_at_most_for_all (P : process) (alpha v : Q) (s t : N) : Prop := exists d, prefixed_for_all P alpha d /\ d s t <= v.
Definition bd_at_most_for_all (P : process) (alpha v : Q) (s t : N) : Prop := exists d, prefixed_for_all P alpha d /\ symmetric d /\ d s t <= v.
Definition bisimilar_for_all (P : process) (s t : N) : Prop := exists class, (forall a, bisimulation (acting P a) class) /\ class s = class t.
