(** * Noise on a grid, probabilities, and the privacy loss

    With q = exp (- epsilon * unit), noise of rate d on both sides is two-sided geometric: k has the probability (1 - q^d) / (1 + q^d) * q^(d |k|). *)
From Coq Require Import List NArith ZArith QArith.
From Prover.programs Require Import Program.
Import ListNotations.
Open Scope Q_scope.

(** q^(rate * k), and without a rate 1 for k = 0 only. *)
Definition power (q : Q) (rate : option Z) (k : Z) : Q := match rate with Some d => q ^ (d * k) | None => if (k =? 0)%Z then 1 else 0 end.
Definition noise (q : Q) (l r : option Z) (k : Z) : Q :=
  (1 - power q l 1) * (1 - power q r 1) / (1 - power q l 1 * power q r 1) * (if (0 <=? k)%Z then power q r k else power q l (- k)).

(** Sums over a list, and the integers from -M to M. *)
Definition over {X} (l : list X) (f : X -> Q) : Q := fold_right (fun x a => f x + a) 0 l.
Definition window (M : nat) : list Z := map (fun i => Z.of_nat i - Z.of_nat M)%Z (seq 0 (2 * M + 1)).

(** The mean of f at a sample around [centre] + [input], as far as noise lies between -M and M; and that of F at both samples of a state. *)
Definition drawn (q : Q) (l r : option Z) (M : nat) (centre : Q) (input : Z) (f : Q -> Q) : Q :=
  over (window M) (fun k => noise q l r k * f (centre + inject_Z (input + k))).
Definition sampled (q : Q) (d : state) (M : nat) (input : Z) (F : Q -> Q -> Q) : Q :=
  drawn q (rate_left d) (rate_right d) M (mean d) input (fun x =>
    match second d with Some (r, m) => drawn q (Some r) (Some r) M m input (F x) | None => F x 0 end).

Definition passes (s : N -> Q) (x : Q) (c : test * N) : bool :=
  let y := s (snd c) in
  match fst c with
  | Below => negb (Qle_bool y x) | AtMost => Qle_bool x y | AtLeast => Qle_bool y x | Above => negb (Qle_bool x y) | Equal => Qeq_bool x y
  end.
(** The numbers that a transition shows, in lowest terms. *)
Definition numbers (t : transition) (s : N -> Q) (x y : Q) : list Q :=
  map (fun o => Qred match o with Sample => x | Second => y | Gap v => x - s v end) (shows t).
Definition stored (t : transition) (s : N -> Q) (x : Q) : N -> Q := fun v => if existsb (N.eqb v) (stores t) then x else s v.

(** What may be seen of n steps: the transitions (and so their letters and states), and the numbers that they show. An event is a set of these. *)
Definition event := list (transition * list Q) -> bool.
(** [ins u i] is the input that state u reads, if it reads the one of number i. *)
Definition inputs := N -> nat -> Z.

(** The probability that n steps are made from state u on, which are seen as A says, as far as noise lies between -M and M. The numbers s are
    stored, and i inputs have been read. It grows with M, and P[A] is its supremum. *)
Fixpoint prob (q : Q) (p : program) (ins : inputs) (M n i : nat) (u : N) (s : N -> Q) (A : event) : Q :=
  match n with
  | O => if A [] then 1 else 0
  | S n =>
    let d := at_state p u in
    let public := (reads d =? 0)%Z in
    sampled q d M (if public then 0%Z else ins u i) (fun x y =>
      over (ways d) (fun t => if forallb (passes s x) (guard t)
                              then prob q p ins M n (if public then i else S i) (target t) (stored t s x) (fun w => A ((t, numbers t s x y) :: w))
                              else 0))
  end.
Definition from (q : Q) (p : program) (start : N) (ins : inputs) (M n : nat) (A : event) : Q := prob q p ins M n 0 start (fun _ => 0) A.

(** Which inputs are neighbours. *)
Definition increasing (ins ins' : inputs) : Prop := forall u i, (ins u i <= ins' u i)%Z.
Definition adjacent (a : adjacency) (p : program) (ins ins' : inputs) : Prop :=
  (forall u i, (Z.abs (ins' u i - ins u i) <= reads (at_state p u))%Z) /\
  match a with
  | AllDiffer => True
  | OneDiffers => exists j, forall u i, i <> j -> ins u i = ins' u i
  | Increasing => increasing ins ins'
  | Decreasing => increasing ins' ins
  | Monotonic => increasing ins ins' \/ increasing ins' ins
  end.

(** P[A | ins] <= b P[A | ins'] for all neighbours, any number of steps and every event. *)
Definition bounded (q : Q) (p : program) (start : N) (a : adjacency) (b : Q) : Prop :=
  forall ins ins', adjacent a p ins ins' -> forall n A M, exists M', from q p start ins M n A <= b * from q p start ins' M' n A.

(** The loss is at most v, or at least v, in multiples of the unit (times epsilon): q^(-v) is such a bound, or no less than it is one. *)
Definition loss_at_most (p : program) (start : N) (a : adjacency) (v : Z) : Prop :=
  forall q, 0 < q -> q < 1 -> bounded q p start a (q ^ (- v)).
Definition loss_at_least (p : program) (start : N) (a : adjacency) (v : Z) : Prop :=
  forall q, 0 < q -> q < 1 -> forall b, bounded q p start a b -> q ^ (- v) <= b.
(** Not private: whatever q is, no number is such a bound. *)
Definition not_private (p : program) (start : N) (a : adjacency) : Prop := forall q, 0 < q -> q < 1 -> forall b, ~ bounded q p start a b.
