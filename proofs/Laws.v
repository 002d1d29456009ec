(** * Mechanisms with finitely many outcomes, and their compositions *)
From Coq Require Import List NArith QArith.
From Prover Require Import Chain.
Import ListNotations.
Open Scope Q_scope.

(** A mechanism lists its outcomes 0, 1, 2, ...: the probability of each under the first secret, and under the second. *)
Definition mechanism := list (Q * Q).

(** A composition lists mechanisms, with the number of independent runs of each. *)
Definition composition := list (mechanism * N).
Definition runs (c : composition) : list mechanism := flat_map (fun mn => repeat (fst mn) (N.to_nat (snd mn))) c.

Inductive secret := First | Second.
Definition other (s : secret) : secret := match s with First => Second | Second => First end.
Definition under (s : secret) (pq : Q * Q) : Q := match s with First => fst pq | Second => snd pq end.
Definition numbered (m : mechanism) : list (nat * (Q * Q)) := combine (seq 0 (length m)) m.

(** The probability that the outcomes of all runs, one after the other, are in E. *)
Fixpoint chance (l : list mechanism) (s : secret) (E : list nat -> bool) : Q :=
  match l with
  | [] => if E [] then 1 else 0
  | m :: rest => sum (map (fun ip => under s (snd ip) * chance rest s (fun w => E (fst ip :: w))) (numbered m))
  end.

(** No probability is negative, and those of each mechanism sum to 1. *)
Definition proper (c : composition) : Prop :=
  forall m n, In (m, n) c -> forall s, sum (map (under s) m) == 1 /\ forall pq, In pq m -> 0 <= under s pq.

(** Every set of outcomes gains at most delta from the secret s to the other one; or some set gains as much. *)
Definition gain_at_most (c : composition) (alpha delta : Q) (s : secret) : Prop :=
  forall E, chance (runs c) s E <= alpha * chance (runs c) (other s) E + delta.
Definition gain_at_least (c : composition) (alpha delta : Q) (s : secret) : Prop :=
  exists E, alpha * chance (runs c) (other s) E + delta <= chance (runs c) s E.
