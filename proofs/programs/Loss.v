(** * Affordable runs bound the loss *)
From Coq Require Import List NArith ZArith QArith Qpower Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Order Convex Noise.
Import ListNotations.
Open Scope Q_scope.

(** The probability that a run is taken and seen as A says. *)
Fixpoint mass (q : Q) (p : program) (ins : inputs) (M i : nat) (u : N) (s : N -> Q) (r : list transition) (A : event) : Q :=
  match r with
  | [] => if A [] then 1 else 0
  | t :: r => let d := at_state p u in
    sampled q d M (here d (ins u i)) (fun x y =>
      if forallb (passes s x) (guard t) then mass q p ins M (after d i) (target t) (stored t s x) r (fun w => A ((t, numbers t s x y) :: w)) else 0)
  end.

Lemma rational_order : linear Qle.
Proof. split; [intros x y; destruct (Qlt_le_dec x y); [left; now apply Qlt_le_weak|now right]|exact Qle_trans]. Qed.

Section Loss.
  Variable q : Q.
  Hypothesis q0 : 0 < q.
  Hypothesis q1 : q < 1.
  Variable p : program.
  Hypothesis Proper : proper p.

  Lemma drawn_ext l r M c k f g : (forall x, f x == g x) -> drawn q l r M c k f == drawn q l r M c k g.
  Proof. intro H. apply over_ext. intros x _. now rewrite H. Qed.
  Lemma sampled_ext d M k F G : (forall x y, F x y == G x y) -> sampled q d M k F == sampled q d M k G.
  Proof. intro H. unfold sampled. apply drawn_ext. intro x. destruct (second d) as [[r m]|]; [apply drawn_ext; intro y|]; apply H. Qed.
  Lemma drawn_over {X} (l : list X) a b M c k f : drawn q a b M c k (fun x => over l (f x)) == over l (fun z => drawn q a b M c k (fun x => f x z)).
  Proof. unfold drawn. rewrite <- over_exchange. apply over_ext. intros x _. now rewrite <- over_scale. Qed.
  Lemma sampled_over {X} (l : list X) d M k F : sampled q d M k (fun x y => over l (F x y)) == over l (fun z => sampled q d M k (fun x y => F x y z)).
  Proof.
    unfold sampled. rewrite <- drawn_over. apply drawn_ext. intro x. destruct (second d) as [[r m]|]; [apply drawn_over|easy].
  Qed.

  Lemma prob_runs ins M n : forall i u s A, prob q p ins M n i u s A == over (runs p n u) (fun r => mass q p ins M i u s r A).
  Proof.
    induction n as [|n IH]; intros i u s A; cbn [prob runs].
    - rewrite over_cons, over_nil. cbn [mass]. ring.
    - cbv zeta. rewrite sampled_over, over_flat_map. apply over_ext. intros t _. rewrite over_map. cbn [mass]. cbv zeta.
      rewrite <- sampled_over. apply sampled_ext. intros x y. destruct (forallb _ _).
      + apply IH.
      + clear. induction (runs p n (target t)) as [|r l IH]; [easy|]. rewrite over_cons, <- IH. ring.
  Qed.

  Lemma sampled_pos u M k F : (forall x y, 0 <= F x y) -> 0 <= sampled q (at_state p u) M k F.
  Proof.
    intro P. destruct (rates_positive p u Proper) as (L & R & S). unfold sampled. apply drawn_pos; try assumption. intro x.
    destruct (second _) as [[r m]|]; [apply drawn_pos; try assumption; intro y|]; apply P.
  Qed.
  Lemma mass_pos ins M r : forall i u s A, 0 <= mass q p ins M i u s r A.
  Proof.
    induction r as [|t r IH]; intros i u s A; cbn [mass].
    - destruct (A []); easy.
    - apply sampled_pos. intros x y. destruct (forallb _ _); [apply IH|easy].
  Qed.
  Lemma prob_pos ins M n i u s A : 0 <= prob q p ins M n i u s A.
  Proof. rewrite prob_runs. apply over_pos. intro r. apply mass_pos. Qed.

  (** ** A step *)
  Lemma sampled_shift u t M M' k k' g a b F F' : price (at_state p u) t (k' - k) g = Some a -> 0 <= b ->
    (forall x y, 0 <= F x y) -> (forall x y, 0 <= F' x y) -> (Z.of_nat M + Z.abs (g - (k' - k)) + Z.abs (k' - k) <= Z.of_nat M')%Z ->
    (forall j y y', (shows_second t = true -> y' = y) -> b * F (mean (at_state p u) + inject_Z j) y <= F' (mean (at_state p u) + inject_Z (j + g)) y') ->
    q ^ a * b * sampled q (at_state p u) M k F <= sampled q (at_state p u) M' k' F'.
  Proof.
    intros E B P P' W H. destruct (rates_positive p u Proper) as (L & R & S). unfold price in E. set (d := at_state p u) in *.
    destruct (cost (rate_left d) (rate_right d) (g - (k' - k))) as [a1|] eqn:E1; [|discriminate]. cbn [option_map] in E. injection E as <-.
    unfold sampled. set (a2 := match second d with Some _ => _ | None => _ end). replace (a2 + a1)%Z with (a1 + a2)%Z by ring.
    rewrite (power_add q q0), <- Qmult_assoc, <- Qmult_assoc, (Qmult_assoc (q ^ a2)), Qmult_assoc, Qmult_assoc, <- (Qmult_assoc (q ^ a1)).
    apply (drawn_shift q q0 q1 _ _ L R M M' (mean d) k k' (g - (k' - k)) a1 (q ^ a2 * b)); try assumption.
    - assert (D := power_pos q q0 a2). nra.
    - intro x. destruct (second d) as [[r m]|]; [apply drawn_pos; try assumption; intro y|]; apply P.
    - intro x. destruct (second d) as [[r m]|]; [apply drawn_pos; try assumption; intro y|]; apply P'.
    - lia.
    - intro j. replace (j + (k' - k + (g - (k' - k))))%Z with (j + g)%Z by ring. unfold a2. clear a2.
      destruct (second d) as [[r m]|].
      + destruct (shows_second t).
        * apply (drawn_shift q q0 q1 (Some r) (Some r) S S M M' m k k' (k - k') (r * Z.abs (k' - k)) b); try assumption.
          -- unfold cost. destruct (Z.eqb_spec (k - k') 0); [f_equal; lia|]. destruct (Z.ltb_spec 0 (k - k')); cbn [option_map]; f_equal; lia.
          -- intro y; apply P.
          -- intro y; apply P'.
          -- lia.
          -- intro i. apply H. intros _. f_equal. f_equal. lia.
        * apply (drawn_shift q q0 q1 (Some r) (Some r) S S M M' m k k' 0 0 b); try assumption.
          -- reflexivity.
          -- intro y; apply P.
          -- intro y; apply P'.
          -- lia.
          -- intro i. apply H. discriminate.
      + change (q ^ 0) with 1. rewrite Qmult_1_l. now apply H.
  Qed.

  (** ** Tests and outputs under shifts *)
  Definition apart (s s' : N -> Q) (x : shifts) : Prop := forall v, s' v == s v + inject_Z (x v).

  Lemma allowed_passes t x g s s' m j : apart s s' x -> allowed t x g = true ->
    forallb (passes s (m + inject_Z j)) (guard t) = true -> forallb (passes s' (m + inject_Z (j + g))) (guard t) = true.
  Proof.
    intros D Al H. unfold allowed in Al. apply andb_prop in Al as [Al _]. rewrite forallb_forall in *. intros c I.
    specialize (Al c I). specialize (H c I). unfold passes in *. assert (E := D (snd c)). rewrite inject_Z_plus.
    set (y := s (snd c)) in *. set (y' := s' (snd c)) in *. set (z := x (snd c)) in *. clearbody y y' z.
    assert (O : forall a b, (a <=? b)%Z = true -> inject_Z a <= inject_Z b) by (intros; rewrite <- Zle_Qle; now apply Z.leb_le).
    assert (NL : forall a b, negb (Qle_bool a b) = true <-> b < a).
    { intros a b. rewrite negb_true_iff, <- not_true_iff_false, Qle_bool_iff. split; [apply Qnot_le_lt|apply Qlt_not_le]. }
    destruct (fst c); rewrite ?NL, ?Qle_bool_iff, ?Qeq_bool_iff in *; try (apply O in Al; lra).
    apply Z.eqb_eq in Al as ->. lra.
  Qed.
  Lemma allowed_numbers t x g s s' m j y y' : apart s s' x -> allowed t x g = true -> (shows_second t = true -> y' = y) ->
    numbers t s' (m + inject_Z (j + g)) y' = numbers t s (m + inject_Z j) y.
  Proof.
    intros D Al Y. unfold allowed in Al. apply andb_prop in Al as [_ Al]. rewrite forallb_forall in Al. unfold numbers.
    apply map_ext_in. intros o I. specialize (Al o I). apply Qred_complete. destruct o as [| |v].
    - apply Z.eqb_eq in Al as ->. now rewrite Z.add_0_r.
    - rewrite Y; [easy|]. unfold shows_second. apply existsb_exists. now exists Second.
    - apply Z.eqb_eq in Al as ->. rewrite inject_Z_plus, (D v). ring.
  Qed.
  Lemma apart_stored t x g s s' m j : apart s s' x -> apart (stored t s (m + inject_Z j)) (stored t s' (m + inject_Z (j + g))) (moved t x g).
  Proof.
    intros D v. unfold stored, moved. destruct (existsb (N.eqb v) (stores t)); [rewrite inject_Z_plus; ring|apply D].
  Qed.

  Lemma mass_ext ins M r : forall i u s A B, (forall w, A w = B w) -> mass q p ins M i u s r A == mass q p ins M i u s r B.
  Proof.
    induction r as [|t r IH]; intros i u s A B H; cbn [mass]; [now rewrite H|]. apply sampled_ext. intros x y.
    destruct (forallb _ _); [|easy]. apply IH. intro w. apply H.
  Qed.

  (** ** A run, and all of them *)
  Lemma mass_shift ins ins' r : forall i u x c, affordable p (fun u i => ins' u i - ins u i)%Z i u x r c -> forall M, exists M0, forall M', (M0 <= M')%nat ->
    forall s s' A, apart s s' x -> q ^ c * mass q p ins M i u s r A <= mass q p ins' M' i u s' r A.
  Proof.
    induction r as [|t r IH]; intros i u x c Af M; cbn [affordable] in Af.
    - exists 0%nat. intros M' _ s s' A _. cbn [mass]. assert (L := power_le_1 q q0 q1 c Af). destruct (A []); lra.
    - destruct Af as (g & a & c' & Al & Pr & Le & Af). destruct (IH _ _ _ _ Af M) as (M1 & H1). clear IH Af.
      set (d := at_state p u) in *. set (k := here d (ins u i)). set (k' := here d (ins' u i)).
      assert (K : here d (ins' u i - ins u i) = (k' - k)%Z) by (unfold k, k', here; destruct (reads d =? 0)%Z; lia). rewrite K in Pr.
      exists (Nat.max M1 (M + Z.abs_nat (g - (k' - k)) + Z.abs_nat (k' - k))). intros M' LM s s' A D. cbn [mass]. cbv zeta. fold d k k'.
      assert (P := mass_pos). eapply Qle_trans with (q ^ a * q ^ c' * sampled q d M k _).
      + apply Qmult_le_compat_r; [rewrite <- (power_add q q0); now apply power_decreasing|].
        apply sampled_pos. intros y y'. destruct (forallb _ _); [apply P|easy].
      + apply sampled_shift with (t := t) (g := g); try assumption.
        * apply Qlt_le_weak, power_pos, q0.
        * intros y y'. destruct (forallb _ _); [apply P|easy].
        * intros y y'. destruct (forallb _ _); [apply P|easy].
        * lia.
        * intros j y y' Y. destruct (forallb (passes s _) _) eqn:G.
          -- rewrite (allowed_passes t x g s s' _ _ D Al G). eapply Qle_trans; [apply (H1 M' ltac:(lia)), (apart_stored t x g), D|].
             apply Qle_lteq. right. apply mass_ext. intro w. fold d. now rewrite (allowed_numbers t x g s s' _ _ y y' D Al Y).
          -- rewrite Qmult_0_r. destruct (forallb (passes s' _) _); [apply P|easy].
  Qed.

  Lemma mass_impossible ins M r : forall i u s A, ~ possible Q Qle s r -> mass q p ins M i u s r A == 0.
  Proof.
    induction r as [|t r IH]; intros i u s A Im; [now destruct Im|]. cbn [mass]. rewrite (sampled_ext _ _ _ _ (fun _ _ => 0 * 0)).
    - unfold sampled. rewrite (drawn_ext _ _ _ _ _ _ (fun _ => 0 * 0)); [|intro x; destruct (second _) as [[? ?]|]; [|easy]].
      1, 2: unfold drawn; rewrite (over_ext _ _ (fun _ => 0 * 0)) by (intros; ring); now rewrite over_scale.
    - intros x y. destruct (forallb _ _) eqn:G; [|easy]. rewrite IH; [easy|]. intro P. apply Im. exists x. split; [|exact P].
      rewrite forallb_forall in G. intros c I. specialize (G c I). unfold passes in G. unfold meets.
      destruct (fst c); rewrite ?negb_true_iff, <- ?not_true_iff_false, ?Qle_bool_iff, ?Qeq_bool_iff in G; try exact G. split; rewrite G; apply Qle_refl.
  Qed.

  Lemma runs_shift ins ins' i u c (l : list (list transition)) :
    (forall r, In r l -> impossible [] r \/ affordable p (fun u i => ins' u i - ins u i)%Z i u (fun _ => 0%Z) r c) ->
    forall M, exists M0, forall M', (M0 <= M')%nat ->
    forall s A, q ^ c * over l (fun r => mass q p ins M i u s r A) <= over l (fun r => mass q p ins' M' i u s r A).
  Proof.
    induction l as [|r l IH]; intros Af M.
    - exists 0%nat. intros. rewrite !over_nil. lra.
    - destruct (IH (fun r I => Af r (or_intror I)) M) as (M1 & H1). destruct (Af r (or_introl eq_refl)) as [Im|Af'].
      + exists M1. intros M' L s A. rewrite !over_cons. specialize (H1 M' L s A). rewrite (mass_impossible ins).
        * assert (P := mass_pos ins' M' r i u s A). lra.
        * apply (Im Q Qle rational_order s). intros a b [].
      + destruct (mass_shift _ _ r i u _ c Af' M) as (M2 & H2).
        exists (Nat.max M1 M2). intros M' L s A. rewrite !over_cons. specialize (H1 M' ltac:(lia) s A).
        assert (Z0 : apart s s (fun _ => 0%Z)) by (intro v; change (inject_Z 0) with 0; ring). specialize (H2 M' ltac:(lia) s s A Z0). lra.
  Qed.
End Loss.

(** If all runs that samples can take are affordable for all differences of neighbours, this is the loss. *)
Definition all_affordable (p : program) (start : N) (a : adjacency) (v : Z) : Prop := forall n r, In r (runs p n start) -> impossible [] r \/
  forall ins ins', adjacent a p ins ins' -> affordable p (fun u i => ins' u i - ins u i)%Z 0 start (fun _ => 0%Z) r v.
Theorem affordable_loss p start a v : proper p -> all_affordable p start a v -> loss_at_most p start a v.
Proof.
  intros Proper H q q0 q1 ins ins' Adj n A M. unfold from.
  assert (H' : forall r, In r (runs p n start) -> impossible [] r \/ affordable p (fun u i => ins' u i - ins u i)%Z 0 start (fun _ => 0%Z) r v).
  { intros r I. destruct (H n r I) as [Im|Af]; [now left|right; now apply Af]. }
  destruct (runs_shift q q0 q1 p Proper ins ins' 0 start v (runs p n start) H' M) as (M' & L). exists M'.
  specialize (L M' (le_n _) (fun _ => 0) A). rewrite <- !prob_runs in L. assert (P := power_pos q q0 v).
  rewrite Qpower_opp. setoid_rewrite Qmult_comm. apply Qle_shift_div_l; [exact P|]. lra.
Qed.
