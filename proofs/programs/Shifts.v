(** * Shifts: which ones are allowed, and what they cost

    After each step the stored numbers of both inputs differ by shifts, integers. A strategy chooses the shift of every sample of a run, so that all
    tests keep their result and nothing that is shown moves. *)
From Coq Require Import List NArith ZArith.
From Prover.programs Require Import Program.
Import ListNotations.

Definition shifts := N -> Z.
Definition allowed (t : transition) (x : shifts) (g : Z) : bool :=
  forallb (fun c => match fst c with
                    | Below | AtMost => (g <=? x (snd c))%Z | AtLeast | Above => (x (snd c) <=? g)%Z | Equal => (g =? x (snd c))%Z end) (guard t)
  && forallb (fun o => match o with Sample => (g =? 0)%Z | Gap v => (g =? x v)%Z | Second => true end) (shows t).
Definition moved (t : transition) (x : shifts) (g : Z) : shifts := fun v => if existsb (N.eqb v) (stores t) then g else x v.

(** What it costs to move noise by k: nothing is infinite but a move to a side without noise. *)
Definition cost (l r : option Z) (k : Z) : option Z :=
  if (k =? 0)%Z then Some 0%Z else if (0 <? k)%Z then option_map (Z.mul k) r else option_map (Z.mul (- k)) l.
Definition shows_second (t : transition) : bool := existsb (fun o => match o with Second => true | _ => false end) (shows t).
Definition price (d : state) (t : transition) (delta g : Z) : option Z :=
  option_map (Z.add (match second d with Some (r, _) => if shows_second t then r * Z.abs delta else 0 | None => 0 end)%Z)
             (cost (rate_left d) (rate_right d) (g - delta)).

Definition here (d : state) (delta : Z) : Z := if (reads d =? 0)%Z then 0%Z else delta.

(** For the run r from u on, and inputs that differ by delta, some shifts cost at most c. *)
Fixpoint affordable (p : program) (delta : N -> nat -> Z) (i : nat) (u : N) (x : shifts) (r : list transition) (c : Z) : Prop :=
  match r with
  | [] => (0 <= c)%Z
  | t :: r => let d := at_state p u in
    exists g a c', allowed t x g = true /\ price d t (here d (delta u i)) g = Some a /\ (a + c' <= c)%Z /\
                   affordable p delta (after d i) (target t) (moved t x g) r c'
  end.
