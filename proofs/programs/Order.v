(** * Runs that no samples can take, because the tests contradict each other

    Samples and stored numbers may be of any type with a total order: the rational or the real numbers, and the shifts. *)
From Coq Require Import List NArith Lia Bool.
From Prover.programs Require Import Program.
Import ListNotations.

Section Samples.
  Variable X : Type.
  Variable le : X -> X -> Prop.
  Definition meets (x y : X) (c : test) : Prop :=
    match c with Below => ~ le y x | AtMost => le x y | AtLeast => le y x | Above => ~ le x y | Equal => le x y /\ le y x end.
  Definition updated (t : transition) (s : N -> X) (x : X) : N -> X := fun v => if existsb (N.eqb v) (stores t) then x else s v.
  (** Some samples take the run, if the numbers s are stored. *)
  Fixpoint possible (s : N -> X) (r : list transition) : Prop :=
    match r with
    | [] => True
    | t :: r => exists x, (forall c, In c (guard t) -> meets x (s (snd c)) (fst c)) /\ possible (updated t s x) r
    end.
End Samples.
Definition linear {X} (le : X -> X -> Prop) : Prop := (forall x y, le x y \/ le y x) /\ forall x y z, le x y -> le y z -> le x z.

(** ** Orders of the stored numbers *)
Definition order := list (N * N).
(** The number in a is at most the one in b, for each pair (a, b). *)
Definition respects {X} (le : X -> X -> Prop) (o : order) (s : N -> X) : Prop := forall a b, In (a, b) o -> le (s a) (s b).

(** No samples take the run, if the stored numbers are in this order. *)
Definition impossible (o : order) (r : list transition) : Prop :=
  forall (X : Type) (le : X -> X -> Prop), linear le -> forall s, respects le o s -> ~ possible X le s r.

Definition under (o : order) (a b : N) : bool := (N.eqb a b || existsb (fun ab => N.eqb a (fst ab) && N.eqb b (snd ab)) o)%bool.
Definition from_below (c : test * N) : bool := match fst c with AtLeast | Above | Equal => true | _ => false end.
Definition from_above (c : test * N) : bool := match fst c with Below | AtMost | Equal => true | _ => false end.
Definition strict (c : test * N) : bool := match fst c with Below | Above => true | _ => false end.
(** No sample is above one number and below another one that is not larger. *)
Definition blocked (o : order) (t : transition) : bool :=
  existsb (fun l => from_below l && existsb (fun u => from_above u && (strict l || strict u) && under o (snd u) (snd l)) (guard t)) (guard t).
(** What is known of the numbers that are stored afterwards. *)
Definition over_some (o : order) (t : transition) (a : N) : bool := existsb (fun l => from_below l && under o a (snd l)) (guard t).
Definition under_some (o : order) (t : transition) (b : N) : bool := existsb (fun u => from_above u && under o (snd u) b) (guard t).
Definition follows (o : order) (t : transition) (ab : N * N) : bool :=
  match existsb (N.eqb (fst ab)) (stores t), existsb (N.eqb (snd ab)) (stores t) with
  | true, true => true
  | true, false => under_some o t (snd ab)
  | false, true => over_some o t (fst ab)
  | false, false => under o (fst ab) (snd ab) || (over_some o t (fst ab) && under_some o t (snd ab))
  end.

Section Proof.
  Context {X : Type} (le : X -> X -> Prop) (Linear : linear le).
  Variables (o : order) (t : transition) (s : N -> X) (x : X).
  Hypothesis Respects : respects le o s.

  Lemma under_sound a b : under o a b = true -> le (s a) (s b).
  Proof.
    destruct Linear as [T _]. unfold under. intro H. apply orb_prop in H as [H|H].
    - apply N.eqb_eq in H as ->. now destruct (T (s b) (s b)).
    - apply existsb_exists in H as ([a' b'] & I & E). apply andb_prop in E as [Ea Eb]. apply N.eqb_eq in Ea as ->. apply N.eqb_eq in Eb as ->. now apply Respects.
  Qed.

  (** What the tests say without strictness is enough; it holds of shifts, too. *)
  Hypothesis Lower : forall l, In l (guard t) -> from_below l = true -> le (s (snd l)) x.
  Hypothesis Upper : forall u, In u (guard t) -> from_above u = true -> le x (s (snd u)).

  Lemma follows_sound o' : forallb (follows o t) o' = true -> respects le o' (updated X t s x).
  Proof.
    destruct Linear as [T Tr]. intros H a b I. rewrite forallb_forall in H. specialize (H _ I). unfold follows in H. cbn [fst snd] in H.
    assert (O : over_some o t a = true -> le (s a) x).
    { intro E. apply existsb_exists in E as (l & J & E). apply andb_prop in E as [E1 E2]. exact (Tr _ _ _ (under_sound _ _ E2) (Lower l J E1)). }
    assert (U : under_some o t b = true -> le x (s b)).
    { intro E. apply existsb_exists in E as (u & J & E). apply andb_prop in E as [E1 E2]. exact (Tr _ _ _ (Upper u J E1) (under_sound _ _ E2)). }
    unfold updated. destruct (existsb (N.eqb a) (stores t)), (existsb (N.eqb b) (stores t)); [now destruct (T x x)|now apply U|now apply O|].
    apply orb_prop in H as [H|H]; [now apply under_sound|]. apply andb_prop in H as [H1 H2]. exact (Tr _ _ _ (O H1) (U H2)).
  Qed.
End Proof.

Lemma meets_lower {X} (le : X -> X -> Prop) x y c : linear le -> meets X le x y (fst c) -> from_below c = true -> le y x.
Proof. intros [T _] M L. unfold from_below in L. destruct (fst c); try discriminate; cbn [meets] in M; [exact M| |apply M]. now destruct (T y x). Qed.
Lemma meets_upper {X} (le : X -> X -> Prop) x y c : linear le -> meets X le x y (fst c) -> from_above c = true -> le x y.
Proof. intros [T _] M L. unfold from_above in L. destruct (fst c); try discriminate; cbn [meets] in M; [|exact M|apply M]. now destruct (T x y). Qed.

Lemma blocked_impossible o t r : blocked o t = true -> impossible o (t :: r).
Proof.
  intros B X le T s R (x & M & _). apply existsb_exists in B as (l & Il & B). apply andb_prop in B as [L B].
  apply existsb_exists in B as (u & Iu & B). apply andb_prop in B as [B D]. apply andb_prop in B as [U S].
  assert (Hu := under_sound le T o s R _ _ D). assert (Ml := M l Il). assert (Mu := M u Iu).
  assert (Ll := meets_lower le x _ l T Ml L). assert (Lu := meets_upper le x _ u T Mu U). destruct T as [_ Tr].
  apply orb_prop in S as [S|S]; [clear Mu|clear Ml]; unfold strict in S.
  - destruct (fst l) eqn:E; try discriminate; unfold from_below in L; rewrite E in L; [discriminate|]. apply Ml. exact (Tr _ _ _ Lu Hu).
  - destruct (fst u) eqn:E; try discriminate; unfold from_above in U; rewrite E in U; [|discriminate]. apply Mu. exact (Tr _ _ _ Hu Ll).
Qed.
Lemma follows_impossible o o' t r : forallb (follows o t) o' = true -> impossible o' r -> impossible o (t :: r).
Proof.
  intros F I X le T s R (x & M & P). refine (I X le T _ _ P). apply (follows_sound le T o); try assumption.
  - intros l J L. now apply meets_lower with (2 := M l J).
  - intros u J U. now apply meets_upper with (2 := M u J).
Qed.
