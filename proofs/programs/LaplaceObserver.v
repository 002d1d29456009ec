(** * What an observer sees of a program with Laplace noise

    A sceptic reads this page after [Program.v] and [Laplace.v]. The observer sees the letters and the numbers of the steps, but neither the
    transitions nor the states: several runs may look alike. *)
From Coq Require Import List NArith ZArith Reals.
From Prover.programs Require Import Program Laplace.
Import ListNotations.
Open Scope R_scope.

(** What may be seen of n steps: their letters, and the numbers that each shows. An event is a set of these. *)
Definition watched := list N -> list (list R) -> Prop.

(** [ins j] is the input of step j, if the state reads one there: states that look alike read the same inputs. So this is what the run r from u on
    reads as its input of number i. *)
Fixpoint read_by (p : program) (u : N) (r : list transition) (ins : nat -> R) (i : nat) : R :=
  match r with
  | [] => ins i
  | t :: r =>
    let later := read_by p (target t) r (fun j => ins (S j)) in
    if (reads (at_state p u) =? 0)%Z then later i else match i with O => ins O | S i => later i end
  end.

(** The probability that n steps are made which look as A says is at most m: it is the sum over all runs of n steps. *)
Definition seen_at_most (eps : R) (p : program) (start : N) (ins : nat -> R) (n : nat) (A : watched) (m : R) : Prop :=
  exists ms, Forall2 (fun r m => run_at_most eps p start (fun _ => read_by p start r ins) r (A (map letter r)) m) (runs p n start) ms /\
    fold_right Rplus 0 ms <= m.

(** Which inputs are neighbours: they differ by no more than any state allows that reads inputs. *)
Definition rising (ins ins' : nat -> R) : Prop := forall j, ins j <= ins' j.
Definition neighbours (a : adjacency) (p : program) (ins ins' : nat -> R) : Prop :=
  (forall j u, reads (at_state p u) <> 0%Z -> Rabs (ins' j - ins j) <= IZR (reads (at_state p u))) /\
  match a with
  | AllDiffer => True
  | OneDiffers => exists k, forall j, j <> k -> ins j = ins' j
  | Increasing => rising ins ins'
  | Decreasing => rising ins' ins
  | Monotonic => rising ins ins' \/ rising ins' ins
  end.

(** The loss of the observer is at most v, in multiples of the unit: P[A | ins] <= exp (epsilon v) P[A | ins'] for every epsilon (of the unit), all
    neighbours, any number of steps and every event. A probability is the infimum of the m that it is at most; so eta is as small as one likes. *)
Definition seen_loss_at_most (p : program) (start : N) (a : adjacency) (v : Z) : Prop :=
  forall eps, 0 < eps -> forall ins ins', neighbours a p ins ins' -> forall n A m eta, 0 < eta ->
    seen_at_most eps p start ins' n A m -> seen_at_most eps p start ins n A (exp (eps * IZR v) * m + eta).
