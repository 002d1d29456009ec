(** * If all runs are affordable for differences that are integers, the loss with Laplace noise is bounded

    Costs are convex, so it is enough to look at the corners: differences that are as large or as small as they can be. *)
From Coq Require Import List NArith ZArith QArith Reals Lra Lia Bool.
From Prover.programs Require Import Program Laplace Law Continuous.
From Prover.programs Require Geometric Shifts.
From Prover.programs Require Import Order.
From Prover.programs Require Loss Parts.
Import ListNotations.
Open Scope R_scope.

Section Corners.
  Variables (p : program) (low high : N -> nat -> Z) (c : R) (u0 : N) (r : list transition).
  Hypothesis LH : forall u i, (low u i <= high u i)%Z.
  Let affordable_r (delta : inputs) := payable p delta 0 u0 (fun _ => 0) r c.
  Hypothesis Integers : forall dz, (forall u i, dz u i = low u i \/ dz u i = high u i) -> affordable_r (fun u i => IZR (dz u i)).

  Definition at_corner (delta : inputs) (u : N) (i : nat) : Prop := delta u i = IZR (low u i) \/ delta u i = IZR (high u i).

  Lemma corners delta : (forall u i, at_corner delta u i) -> affordable_r delta.
  Proof.
    intro C. set (dz := fun u i => if Req_EM_T (delta u i) (IZR (low u i)) then low u i else high u i).
    assert (E : forall u i, IZR (dz u i) = delta u i).
    { intros u i. unfold dz. destruct (Req_EM_T _ _) as [E|E]; [now symmetry|]. destruct (C u i) as [E'|E']; [contradiction|now symmetry]. }
    apply payable_ext with (delta := fun u i => IZR (dz u i)); [intros; apply E|]. apply Integers. intros u i. unfold dz.
    destruct (Req_EM_T _ _); [now left|now right].
  Qed.

  Definition put (delta : inputs) (v : N) (j : nat) (d : R) : inputs := fun u i => if ((u =? v)%N && (i =? j)%nat)%bool then d else delta u i.
  Lemma put_cases delta v j d u i : (u = v /\ i = j /\ put delta v j d u i = d) \/ ((v, j) <> (u, i) /\ put delta v j d u i = delta u i).
  Proof.
    unfold put. destruct (N.eqb_spec u v) as [->|H]; [destruct (Nat.eqb_spec i j) as [->|H]; [now left|]|]; right; (split; [congruence|reflexivity]).
  Qed.

  Lemma fewer_corners l : forall delta, (forall u i, IZR (low u i) <= delta u i <= IZR (high u i)) ->
    (forall u i, In (u, i) l \/ at_corner delta u i) -> affordable_r delta.
  Proof.
    induction l as [|[v j] l IH]; intros delta B C.
    - apply corners. intros u i. now destruct (C u i).
    - set (a := IZR (low v j)). set (b := IZR (high v j)). destruct (B v j) as [B1 B2]. fold a in B1. fold b in B2.
      assert (put_ok : forall d, d = a \/ d = b -> affordable_r (put delta v j d)).
      { intros d D. apply IH.
        - intros u i. destruct (put_cases delta v j d u i) as [(-> & -> & ->)|[_ ->]]; [fold a b; destruct D; subst; lra|apply B].
        - intros u i. unfold at_corner. destruct (put_cases delta v j d u i) as [(-> & -> & ->)|[N ->]]; [now right|].
          destruct (C u i) as [[E|I]|K]; [contradiction|now left|now right]. }
      assert (P := put_ok a (or_introl eq_refl)). assert (Q := put_ok b (or_intror eq_refl)). clear put_ok.
      destruct (Req_EM_T a b) as [E|E].
      + revert P. apply payable_ext. intros u i _. destruct (put_cases delta v j a u i) as [(-> & -> & ->)|[_ ->]]; [lra|reflexivity].
      + set (w := (b - delta v j) / (b - a)). assert (I : 0 < / (b - a)) by (apply Rinv_0_lt_compat; lra).
        assert (W : 0 <= w <= 1).
        { unfold w, Rdiv. split; [apply Rmult_le_pos; lra|]. rewrite <- (Rinv_r (b - a)) by lra. apply Rmult_le_compat_r; lra. }
        assert (M : affordable_r delta).
        { unfold affordable_r in *. replace c with (w * c + (1 - w) * c) by ring.
          apply (payable_mix w p (put delta v j a) (put delta v j b) delta r W) with (x := fun _ => 0) (x' := fun _ => 0); [|intro; ring|exact P|exact Q].
          intros u i. assert (O := put_cases delta v j b u i).
          destruct (put_cases delta v j a u i) as [(-> & -> & ->)|[N ->]], O as [(E1 & E2 & ->)|[N' ->]]; try congruence.
          - unfold w. field. lra.
          - ring. }
        exact M.
  Qed.

  Lemma all_differences delta : (forall u i, IZR (low u i) <= delta u i <= IZR (high u i)) -> affordable_r delta.
  Proof.
    intro B. set (l := places p 0 u0 r). assert (D : forall x y : N * nat, {x = y} + {x <> y}) by (decide equality; [apply Nat.eq_dec|apply N.eq_dec]).
    set (d := fun u i => if in_dec D (u, i) l then delta u i else IZR (low u i)).
    apply payable_ext with (delta := d).
    - intros u i I. unfold d. destruct (in_dec D (u, i) l); [reflexivity|contradiction].
    - apply (fewer_corners l); intros u i; unfold at_corner, d; destruct (in_dec D (u, i) l); [apply B| |now left|right; now left].
      split; [lra|now apply IZR_le].
  Qed.
End Corners.

(** ** Neighbours *)
Lemma payable_neighbours p start a v r : proper p ->
  (forall ins ins', Geometric.adjacent a p ins ins' -> Shifts.affordable p (fun u i => ins' u i - ins u i)%Z 0 start (fun _ => 0%Z) r v) ->
  forall ins ins', adjacent a p ins ins' -> payable p (difference ins ins') 0 start (fun _ => 0) r (IZR v).
Proof.
  intros Proper H ins ins' [Near Adj].
  assert (Bound : forall u i, - IZR (reads (at_state p u)) <= difference ins ins' u i <= IZR (reads (at_state p u))).
  { intros u i. specialize (Near u i). unfold difference, Rabs in *. destruct (Rcase_abs _); lra. }
  assert (R0 : forall u, (0 <= reads (at_state p u))%Z) by (intro u; apply Proper).
  assert (Between : forall low high : N -> nat -> Z, (forall u i, (- reads (at_state p u) <= low u i <= high u i)%Z /\ (high u i <= reads (at_state p u))%Z) ->
    (forall u i, IZR (low u i) <= difference ins ins' u i <= IZR (high u i)) ->
    (forall dz, (forall u i, dz u i = low u i \/ dz u i = high u i) -> (forall u i, (Z.abs (dz u i - 0) <= reads (at_state p u))%Z) ->
       Geometric.adjacent a p (fun _ _ => 0%Z) dz) ->
    payable p (difference ins ins') 0 start (fun _ => 0) r (IZR v)).
  { intros low high LH B Adm. apply (all_differences p low high); [intros u i; apply LH| |exact B]. intros dz C.
    assert (Close : forall u i, (Z.abs (dz u i - 0) <= reads (at_state p u))%Z).
    { intros u i. specialize (LH u i). destruct (C u i) as [-> | ->]; lia. }
    specialize (H _ _ (Adm dz C Close)). apply payable_ext with (delta := fun u i => IZR (dz u i - 0)).
    - intros. now rewrite Z.sub_0_r.
    - exact (payable_up p Proper (fun u i => dz u i - 0)%Z r 0 start (fun _ => 0%Z) (fun _ => 0) v (fun _ => eq_refl) H). }
  set (full := fun (u : N) (_ : nat) => reads (at_state p u)). set (minus := fun (u : N) (_ : nat) => (- reads (at_state p u))%Z).
  set (none := fun (_ : N) (_ : nat) => 0%Z).
  assert (Rising : increasing ins ins' ->
    (forall dz, Geometric.increasing (fun _ _ => 0%Z) dz -> (forall u i, (Z.abs (dz u i - 0) <= reads (at_state p u))%Z) -> Geometric.adjacent a p (fun _ _ => 0%Z) dz) ->
    payable p (difference ins ins') 0 start (fun _ => 0) r (IZR v)).
  { intros Inc Adm. apply (Between none full).
    - intros u i. unfold none, full. specialize (R0 u). lia.
    - intros u i. specialize (Bound u i). specialize (Inc u i). unfold none, full, difference in *. lra.
    - intros dz C. apply Adm. intros u i. specialize (R0 u). destruct (C u i) as [-> | ->]; unfold none, full; lia. }
  assert (Falling : increasing ins' ins ->
    (forall dz, Geometric.increasing dz (fun _ _ => 0%Z) -> (forall u i, (Z.abs (dz u i - 0) <= reads (at_state p u))%Z) -> Geometric.adjacent a p (fun _ _ => 0%Z) dz) ->
    payable p (difference ins ins') 0 start (fun _ => 0) r (IZR v)).
  { intros Inc Adm. apply (Between minus none).
    - intros u i. unfold none, minus. specialize (R0 u). lia.
    - intros u i. specialize (Bound u i). specialize (Inc u i). unfold none, minus, difference in *. rewrite opp_IZR. lra.
    - intros dz C. apply Adm. intros u i. specialize (R0 u). destruct (C u i) as [-> | ->]; unfold none, minus; lia. }
  destruct a.
  - apply (Between minus full).
    + intros u i. unfold minus, full. specialize (R0 u). lia.
    + intros u i. unfold minus, full. rewrite opp_IZR. apply Bound.
    + intros dz _ Close. now split.
  - destruct Adj as [j Same]. apply (Between (fun u i => if (i =? j)%nat then minus u i else 0%Z) (fun u i => if (i =? j)%nat then full u i else 0%Z)).
    + intros u i. unfold minus, full. specialize (R0 u). destruct (i =? j)%nat; lia.
    + intros u i. destruct (Nat.eqb_spec i j) as [->|N].
      * unfold minus, full. rewrite opp_IZR. apply Bound.
      * unfold difference. rewrite (Same u i N). lra.
    + intros dz C Close. split; [exact Close|]. exists j. intros u i N. specialize (C u i).
      destruct (Nat.eqb_spec i j); [contradiction|]. destruct C; congruence.
  - apply (Rising Adj). now split.
  - apply (Falling Adj). now split.
  - destruct Adj as [Adj|Adj]; [apply (Rising Adj)|apply (Falling Adj)]; intros dz D Close; (split; [exact Close|]); [now left|now right].
Qed.

(** ** Covers move *)
Lemma moved_back (gs : list sample) : forall C : box, length C = length gs -> ordered C ->
  let B := move_box C (map (fun g => (- fst g, - snd g)) gs) in ordered B /\ length B = length gs /\ move_box B gs = C.
Proof.
  induction gs as [|[g h] gs IH]; intros [|[[l u] [l' u']] C] L O; try discriminate; cbv zeta.
  - split; [intros i j []|]. now split.
  - destruct (O (l, u) (l', u') (or_introl eq_refl)) as [O1 O2]. cbn [fst snd] in O1, O2.
    destruct (IH C ltac:(now injection L) ltac:(intros i j I; apply O; now right)) as (A & B & D).
    unfold move_box in *. cbn [map combine fst snd]. split; [|split].
    + intros i j [E|I]; [injection E as <- <-; cbn [fst snd]; lra|now apply A].
    + cbn [length]. now rewrite B.
    + rewrite D. do 2 f_equal; f_equal; ring.
Qed.
Lemma inside_move (gs : list sample) : forall (B : box) z, length B = length gs -> length z = length gs -> inside (move_box B gs) (move z gs) -> inside B z.
Proof.
  induction gs as [|[g h] gs IH]; intros [|[[l u] [l' u']] B] [|[x y] z] LB Lz I; try discriminate; [exact Logic.I|].
  unfold move_box, move in *. cbn [map combine fst snd inside] in *. destruct I as (I1 & I2 & I3). unfold within in *. cbn [fst snd] in *.
  split; [lra|split; [lra|]]. apply IH; [now injection LB|now injection Lz|exact I3].
Qed.
Lemma taken_length s r : forall z, taken s r z -> length z = length r.
Proof.
  revert s. induction r as [|t r IH]; intros s [|[x y] z] T; cbn [taken] in T; try contradiction; [reflexivity|]. cbn [length]. f_equal. now apply (IH _ _ (proj2 T)).
Qed.

(** For each run and every set of shown numbers; and for every event. *)
Lemma run_loss p start eps ins ins' r c A m : proper p -> 0 < eps -> payable p (difference ins ins') 0 start (fun _ => 0) r c ->
  run_at_most eps p start ins' r A m -> run_at_most eps p start ins r A (exp (eps * c) * m).
Proof.
  intros Proper E P (C & Ok & Cover & Total). destruct (shifted p Proper eps ins ins' E r 0 start _ c P) as (gs & Lg & T & V).
  exists (fun k => move_box (C k) (map (fun g => (- fst g, - snd g)) gs)).
  assert (Back := fun k => moved_back gs (C k) ltac:(rewrite Lg; apply Ok) (proj1 (Ok k))). cbv zeta in Back. split; [|split].
  - intro k. destruct (Back k) as (O & L & _). rewrite <- Lg. now split.
  - intros z Tz Az. assert (Lz := taken_length _ _ _ Tz). destruct (T (fun _ => 0) (fun _ => 0) z Lz ltac:(intro; ring) Tz) as [T1 T2].
    rewrite <- T2 in Az. destruct (Cover _ T1 Az) as [k I]. exists k. destruct (Back k) as (_ & L & B). rewrite <- B in I.
    apply inside_move with (3 := I); [exact L|rewrite Lg; exact Lz].
  - intro n. assert (X : forall k, volume eps p ins 0 start r (move_box (C k) (map (fun g => (- fst g, - snd g)) gs)) <= exp (eps * c) * volume eps p ins' 0 start r (C k)).
    { intro k. destruct (Back k) as (O & L & B). assert (X := V _ O ltac:(rewrite <- Lg; exact L)). rewrite B in X.
      apply (Rmult_le_compat_l (exp (eps * c))) in X; [|left; apply exp_pos]. rewrite <- Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0, Rmult_1_l in X. exact X. }
    eapply Rle_trans; [apply sum_Rle; intros k _; apply X|]. 
    rewrite (sum_eq _ (fun k => volume eps p ins' 0 start r (C k) * exp (eps * c))) by (intros; ring). rewrite <- scal_sum.
    apply Rmult_le_compat_l; [left; apply exp_pos|apply Total].
Qed.

(** What no samples can do has no probability. *)
Lemma real_order : linear Rle.
Proof. split; [intros x y; destruct (Rle_dec x y); [now left|right; lra]|exact Rle_trans]. Qed.
Lemma taken_possible r : forall s z, taken s r z -> possible R Rle s r.
Proof.
  induction r as [|t r IH]; intros s [|[x y] z] T; cbn [taken possible] in *; try contradiction; [exact I|]. destruct T as [G T].
  exists x. split; [|exact (IH _ _ T)]. intros c Ic. specialize (G c Ic). unfold passes in G. destruct (fst c); cbn [meets]; lra.
Qed.
Lemma impossible_run p start eps ins ins' r c A m : proper p -> 0 < eps -> impossible [] r -> run_at_most eps p start ins' r A m ->
  run_at_most eps p start ins r A (exp c * m).
Proof.
  intros Proper E Im (C & Ok & _ & Total). assert (N : forall z, ~ taken (fun _ => 0) r z).
  { intros z T. apply (Im R Rle real_order (fun _ => 0)); [intros a b []|exact (taken_possible _ _ _ T)]. }
  exists (fun _ => repeat ((0, 0), (0, 0)) (length r)). split; [|split].
  - intros _. split; [|apply repeat_length]. intros i j I. apply repeat_spec in I. injection I as -> ->. cbn. lra.
  - intros z T. now apply N in T.
  - intro n. rewrite sum_cte. replace (volume _ _ _ _ _ _ _) with 0.
    + rewrite Rmult_0_l. apply Rmult_le_pos; [left; apply exp_pos|]. apply Rle_trans with (2 := Total 0%nat). apply volume_pos; [exact Proper|exact E|apply Ok].
    + destruct r as [|t r]; [destruct (N []); exact I|]. cbn [length repeat volume]. cbv zeta. unfold mass at 1. cbn [fst snd]. ring.
Qed.

Theorem affordable_loss p start a v : proper p -> Loss.all_affordable p start a v -> loss_at_most p start a v.
Proof.
  intros Proper H eps E ins ins' Adj n A m (f & Run & Sum). exists (fun r => exp (eps * IZR v) * f r). split.
  - intros r Ir. destruct (H n r Ir) as [Im|Af].
    + now apply impossible_run with (ins' := ins'); [| |exact Im|apply Run].
    + apply run_loss with (ins' := ins'); [exact Proper|exact E| |now apply Run].
      exact (payable_neighbours p start a v r Proper Af ins ins' Adj).
  - assert (X := exp_pos (eps * IZR v)). replace (fold_right Rplus 0 (map (fun r => exp (eps * IZR v) * f r) (runs p n start)))
      with (exp (eps * IZR v) * fold_right Rplus 0 (map f (runs p n start))).
    + apply Rmult_le_compat_l; [lra|exact Sum].
    + clear. induction (runs p n start) as [|r l IH]; cbn [map fold_right]; [ring|]. rewrite Rmult_plus_distr_l. now rewrite IH.
Qed.

Theorem parts_sound p start a v counted l : Parts.check_parts p start a v counted l = true -> proper p /\ loss_at_most p start a v.
Proof. intro H. destruct (Parts.parts_affordable _ _ _ _ _ _ H) as [P A]. split; [exact P|]. now apply affordable_loss. Qed.
