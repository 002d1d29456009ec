(** * What events gain, where inputs may depend on outputs and runs may stop

    These are the definitions for theorems about delta. A sceptic reads this page after [Program.v] and [Geometric.v]. *)
From Coq Require Import List NArith ZArith QArith.
From Prover.programs Require Import Program Geometric.
Import ListNotations.
Open Scope Q_scope.

(** The next input, by what has been seen. Inputs that are given in advance are a strategy that does not look. *)
Definition strategy := list (transition * list Q) -> Z.

(** The probability that what is seen is as A says, of n steps, or of fewer where no transition passes its tests; as far as noise lies between -M
    and M. *)
Fixpoint chance (q : Q) (p : program) (M n : nat) (u : N) (f : strategy) (s : N -> Q) (A : event) : Q :=
  match n with
  | O => if A [] then 1 else 0
  | S n =>
    let d := at_state p u in
    sampled q d M (if (reads d =? 0)%Z then 0%Z else f []) (fun x y =>
      match filter (fun t => forallb (passes s x) (guard t)) (ways d) with
      | [] => if A [] then 1 else 0
      | l => over l (fun t => let e := (t, numbers t s x y) in chance q p M n (target t) (fun w => f (e :: w)) (stored t s x) (fun w => A (e :: w)))
      end)
  end.

(** Neighbours: strategies whose inputs differ as the adjacency allows, whatever has been seen; [where_after u w] is the state after w. *)
Definition where_after (u : N) (w : list (transition * list Q)) : N := fold_left (fun _ e => target (fst e)) w u.
Definition neighbours (a : adjacency) (p : program) (u : N) (f f' : strategy) : Prop :=
  (forall w, (Z.abs (f' w - f w) <= reads (at_state p (where_after u w)))%Z) /\
  match a with
  | AllDiffer => True
  | OneDiffers => forall w e w', f w = f' w \/ f (w ++ e :: w') = f' (w ++ e :: w')
  | Increasing => forall w, (f w <= f' w)%Z
  | Decreasing => forall w, (f' w <= f w)%Z
  | Monotonic => (forall w, (f w <= f' w)%Z) \/ (forall w, (f' w <= f w)%Z)
  end.

(** P[A | f] <= alpha P[A | f'] + delta for all neighbours, any number of steps and every event, if q is between two numbers. P[A | f] is the
    supremum of what [chance] is for all M. *)
Definition delta_at_most (p : program) (start : N) (a : adjacency) (low high alpha delta : Q) : Prop :=
  forall q, low <= q -> q <= high -> forall f f', neighbours a p start f f' -> forall n A M eta, 0 < eta ->
  exists M', chance q p M n start f (fun _ => 0) A <= alpha * chance q p M' n start f' (fun _ => 0) A + delta + eta.
