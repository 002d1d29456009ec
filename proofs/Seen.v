(** * Observers who do not see every step *)
From Coq Require Import List NArith QArith.
From Prover Require Import Chain.
Import ListNotations.
Open Scope Q_scope.

(** An observer sees no silent labels; of the others all, or only changes: of equal labels one after the other the first. *)
Inductive observer := Labels (silent : list N) | Changes (silent : list N).

(** Whether a label is seen, after the one that was seen last, if one was. *)
Definition sees (o : observer) (last : option N) (a : N) : bool :=
  match o, last with
  | Changes silent, Some b => negb (existsb (N.eqb a) silent) && negb (a =? b)%N
  | Changes silent, None | Labels silent, _ => negb (existsb (N.eqb a) silent)
  end.

(** What is seen of these labels. *)
Fixpoint view (o : observer) (last : option N) (w : list N) : list N :=
  match w with
  | [] => []
  | a :: w => if sees o last a then a :: view o (Some a) w else view o last w
  end.

(** The probability that the first k labels seen, in the first n steps from s, form a word of E. It has a limit for large n: who sees less than
    k labels in n steps sees the other ones later, or never. *)
Definition prob_seen (c : chain) (o : observer) (k n : nat) (s : N) (E : list N -> bool) : Q := prob c n s (fun w => E (firstn k (view o None w))).

(** delta is enough: in the limit every event about what is seen gains at most delta. Or some events gain delta, or come as close to it as required. *)
Definition close_seen (c : chain) (o : observer) (alpha delta : Q) (s t : N) : Prop :=
  forall k E eta, 0 < eta -> exists m, forall n, (m <= n)%nat -> prob_seen c o k n s E <= alpha * prob_seen c o k n t E + delta + eta.
Definition needed_seen (c : chain) (o : observer) (alpha delta : Q) (s t : N) : Prop :=
  forall eta, 0 < eta -> exists k E m, forall n, (m <= n)%nat -> alpha * prob_seen c o k n t E + delta - eta <= prob_seen c o k n s E.

(** The chain b shows what is seen of c: its labels can be read so that every event about what is seen from s has, in the limit, the probability
    that it has from i, for each of these pairs of a state s of c and a state i of b. *)
Definition shows (c : chain) (o : observer) (b : chain) (begins : list (N * N)) : Prop :=
  exists more read, forall s i, In (s, i) begins -> forall k E eta, 0 < eta -> exists m, forall n, (m <= n)%nat ->
    - eta <= prob_seen c o k n s E - prob b (more + k) i (fun w => E (read w)) <= eta.
