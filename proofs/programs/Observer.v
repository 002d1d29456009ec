(** * What an observer sees of a program with noise on a grid

    A sceptic reads this page after [Program.v] and [Geometric.v]. The observer sees the letters and the numbers of the steps, but neither the
    transitions nor the states: several runs may look alike. *)
From Coq Require Import List NArith ZArith QArith.
From Prover.programs Require Import Program Geometric.
Import ListNotations.
Open Scope Q_scope.

(** What may be seen of n steps: the letter of each step, and the numbers that it shows. An event is a set of these. *)
Definition look := (N * list Q)%type.
Definition watched := list look -> bool.

(** The probability that n steps are made from state u on, which look as A says, as far as noise lies between -M and M. The numbers s are stored,
    and j steps were made before. [ins j] is the input of step j, if the state reads one there: states that look alike read the same inputs. *)
Fixpoint seen (q : Q) (p : program) (ins : nat -> Z) (M n j : nat) (u : N) (s : N -> Q) (A : watched) : Q :=
  match n with
  | O => if A [] then 1 else 0
  | S n =>
    let d := at_state p u in
    sampled q d M (if (reads d =? 0)%Z then 0%Z else ins j) (fun x y =>
      over (ways d) (fun t => if forallb (passes s x) (guard t)
                              then seen q p ins M n (S j) (target t) (stored t s x) (fun w => A ((letter t, numbers t s x y) :: w))
                              else 0))
  end.

(** Which inputs are neighbours: they differ by no more than any state allows that reads inputs. *)
Definition rising (ins ins' : nat -> Z) : Prop := forall j, (ins j <= ins' j)%Z.
Definition neighbours (a : adjacency) (p : program) (ins ins' : nat -> Z) : Prop :=
  (forall j u, reads (at_state p u) <> 0%Z -> (Z.abs (ins' j - ins j) <= reads (at_state p u))%Z) /\
  match a with
  | AllDiffer => True
  | OneDiffers => exists k, forall j, j <> k -> ins j = ins' j
  | Increasing => rising ins ins'
  | Decreasing => rising ins' ins
  | Monotonic => rising ins ins' \/ rising ins' ins
  end.

(** The loss of the observer is at most v, in multiples of the unit (times epsilon): P[A | ins] <= q^(-v) P[A | ins'] for all neighbours, any number
    of steps and every event. *)
Definition seen_loss_at_most (p : program) (start : N) (a : adjacency) (v : Z) : Prop :=
  forall q, 0 < q -> q < 1 -> forall ins ins', neighbours a p ins ins' -> forall n A M, exists M',
    seen q p ins M n 0 start (fun _ => 0) A <= q ^ (- v) * seen q p ins' M' n 0 start (fun _ => 0) A.
