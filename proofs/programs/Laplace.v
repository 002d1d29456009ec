(** * Laplace noise on real numbers, probabilities, and the privacy loss

    A sceptic reads this page after [Program.v]. Inputs, samples and stored numbers are real. Noise is given by its distribution function, and
    the probability of an event by Lebesgue's outer measure: the infimum of what countably many boxes have that cover it. For measurable events
    this is the probability. The theorems hold for all events, measurable or not. *)
From Coq Require Import List NArith ZArith QArith Qreals Reals.
From Prover.programs Require Import Program.
Import ListNotations.
Open Scope R_scope.

(** The probability of noise that is at most z, with rates a and b on its sides: the density is proportional to exp (a * z) below 0 and to
    exp (- (b * z)) above. For a = b it is Laplace noise; without a rate, there is no noise on that side. *)
Definition cdf (left right : option R) (z : R) : R :=
  match left, right with
  | Some a, Some b => if Rlt_dec z 0 then b / (a + b) * exp (a * z) else 1 - a / (a + b) * exp (- (b * z))
  | None, Some b => if Rlt_dec z 0 then 0 else 1 - exp (- (b * z))
  | Some a, None => if Rlt_dec z 0 then exp (a * z) else 1
  | None, None => if Rlt_dec z 0 then 0 else 1
  end.
(** The same for the sample of a state, and for its second sample, which is 0 if there is none. *)
Definition rate (eps : R) (r : option Z) : option R := option_map (fun d => eps * IZR d) r.
Definition first (eps : R) (d : state) (input x : R) : R := cdf (rate eps (rate_left d)) (rate eps (rate_right d)) (x - (Q2R (mean d) + input)).
Definition other (eps : R) (d : state) (input y : R) : R :=
  match second d with Some (r, m) => cdf (rate eps (Some r)) (rate eps (Some r)) (y - (Q2R m + input)) | None => cdf None None y end.

(** With these samples, and the numbers s stored, the steps are taken; and the numbers that are shown. *)
Definition sample := (R * R)%type.
Definition passes (s : N -> R) (x : R) (c : test * N) : Prop :=
  let y := s (snd c) in match fst c with Below => x < y | AtMost => x <= y | AtLeast => x >= y | Above => x > y | Equal => x = y end.
Definition stored (t : transition) (s : N -> R) (x : R) : N -> R := fun v => if existsb (N.eqb v) (stores t) then x else s v.
Fixpoint taken (s : N -> R) (r : list transition) (z : list sample) : Prop :=
  match r, z with
  | [], [] => True
  | t :: r, (x, _) :: z => (forall c, In c (guard t) -> passes s x c) /\ taken (stored t s x) r z
  | _, _ => False
  end.
Fixpoint numbers (s : N -> R) (r : list transition) (z : list sample) : list (list R) :=
  match r, z with
  | t :: r, (x, y) :: z => map (fun o => match o with Sample => x | Second => y | Gap v => x - s v end) (shows t) :: numbers (stored t s x) r z
  | _, _ => []
  end.

(** A box has an interval (l, h] for each sample. *)
Definition box := list ((R * R) * (R * R)).
Definition within (i : R * R) (x : R) : Prop := fst i < x <= snd i.
Fixpoint inside (b : box) (z : list sample) : Prop :=
  match b, z with
  | [], [] => True
  | (i, j) :: b, (x, y) :: z => within i x /\ within j y /\ inside b z
  | _, _ => False
  end.
Definition ordered (b : box) : Prop := forall i j, In (i, j) b -> fst i <= snd i /\ fst j <= snd j.

(** The probability of a box, for the run r from u on, after i inputs. [ins u i] is the input that state u reads, if it reads the one of number i. *)
Definition inputs := N -> nat -> R.
Definition read (p : program) (ins : inputs) (u : N) (i : nat) : R := if (reads (at_state p u) =? 0)%Z then 0 else ins u i.
Definition mass (F : R -> R) (i : R * R) : R := F (snd i) - F (fst i).
Fixpoint volume (eps : R) (p : program) (ins : inputs) (i : nat) (u : N) (r : list transition) (b : box) : R :=
  match r, b with
  | t :: r, (j, k) :: b => let d := at_state p u in let input := read p ins u i in
      mass (first eps d input) j * mass (other eps d input) k * volume eps p ins (after d i) (target t) r b
  | _, _ => 1
  end.

(** The probability that the run r is taken and shows numbers in A is at most m: boxes that cover these samples have no more than m together. *)
Definition run_at_most (eps : R) (p : program) (start : N) (ins : inputs) (r : list transition) (A : list (list R) -> Prop) (m : R) : Prop :=
  exists C : nat -> box,
    (forall k, ordered (C k) /\ length (C k) = length r) /\
    (forall z, taken (fun _ => 0) r z -> A (numbers (fun _ => 0) r z) -> exists k, inside (C k) z) /\
    forall n, sum_f_R0 (fun k => volume eps p ins 0 start r (C k)) n <= m.

(** The same for n steps and a set of what may be seen of them: the transitions (and so their letters and states), and the numbers. It is the sum
    over all runs of n steps. *)
Definition event := list transition -> list (list R) -> Prop.
Definition at_most (eps : R) (p : program) (start : N) (ins : inputs) (n : nat) (A : event) (m : R) : Prop :=
  exists f : list transition -> R,
    (forall r, In r (runs p n start) -> run_at_most eps p start ins r (A r) (f r)) /\ fold_right Rplus 0 (map f (runs p n start)) <= m.

(** Which inputs are neighbours. *)
Definition increasing (ins ins' : inputs) : Prop := forall u i, ins u i <= ins' u i.
Definition adjacent (a : adjacency) (p : program) (ins ins' : inputs) : Prop :=
  (forall u i, Rabs (ins' u i - ins u i) <= IZR (reads (at_state p u))) /\
  match a with
  | AllDiffer => True
  | OneDiffers => exists j, forall u i, i <> j -> ins u i = ins' u i
  | Increasing => increasing ins ins'
  | Decreasing => increasing ins' ins
  | Monotonic => increasing ins ins' \/ increasing ins' ins
  end.

(** P[A | ins] <= exp (epsilon v) P[A | ins'] for every epsilon (of the unit), all neighbours, any number of steps and every event. *)
Definition loss_at_most (p : program) (start : N) (a : adjacency) (v : Z) : Prop :=
  forall eps, 0 < eps -> forall ins ins', adjacent a p ins ins' -> forall n A m,
    at_most eps p start ins' n A m -> at_most eps p start ins n A (exp (eps * IZR v) * m).
