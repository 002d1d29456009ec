(** * Threshold programs

    A sceptic reads this page, and [Geometric.v] for what probability and privacy loss are: all that a theorem about a program says is said in
    these words.

    A program is in a state, where it reads an input or not, draws a sample around input + mean, and perhaps a second sample. Then it takes a
    transition whose tests compare the sample with numbers that were stored before. The transition shows numbers, stores the sample in some
    variables, and leads to the next state. Rates are multiples of one unit, whatever it is; lengths are multiples of the grid. *)
From Coq Require Import List NArith ZArith QArith.
Import ListNotations.
Open Scope Q_scope.

(** The sample is <, <=, >=, > or = the number in a variable. *)
Inductive test := Below | AtMost | AtLeast | Above | Equal.
(** The sample, the second sample, or the sample minus the number in a variable. *)
Inductive output := Sample | Second | Gap (v : N).

Record transition := { guard : list (test * N); stores : list N; letter : N; shows : list output; target : N }.

(** [reads] is 0 where no input is read, and otherwise how much the inputs of neighbours may differ here. Noise has a rate on its left side and
    one on its right side; None is an infinite one: no noise on this side. The second sample has a rate and a mean. *)
Record state := { reads : Z; rate_left : option Z; rate_right : option Z; mean : Q; second : option (Z * Q); ways : list transition }.

(** States are numbered from 0 on. The others are final. *)
Definition program := list state.
Definition final : state := {| reads := 0; rate_left := None; rate_right := None; mean := 0; second := None; ways := [] |}.
Definition at_state (p : program) (u : N) : state := nth (N.to_nat u) p final.

(** All rates are positive, and no input differs by less than nothing. *)
Definition rates (d : state) : list Z :=
  match rate_left d with Some r => [r] | None => [] end ++ match rate_right d with Some r => [r] | None => [] end
  ++ match second d with Some (r, _) => [r] | None => [] end.
Definition proper (p : program) : Prop := forall u, (0 <= reads (at_state p u))%Z /\ forall r, In r (rates (at_state p u)) -> (0 < r)%Z.

(** The runs of n steps from u on. *)
Fixpoint runs (p : program) (n : nat) (u : N) : list (list transition) :=
  match n with
  | O => [[]]
  | S n => flat_map (fun t => map (cons t) (runs p n (target t))) (ways (at_state p u))
  end.
(** How many inputs have been read after a step from state d. *)
Definition after (d : state) (i : nat) : nat := if (reads d =? 0)%Z then i else S i.

(** How neighbouring inputs may differ: all of them, only one, or all in one direction. *)
Inductive adjacency := AllDiffer | OneDiffers | Increasing | Decreasing | Monotonic.
