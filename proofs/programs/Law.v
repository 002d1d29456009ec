(** * A shift of Laplace noise costs its rate times its length *)
From Coq Require Import ZArith Reals Lra Lia.
From Prover.programs Require Import Laplace.
Open Scope R_scope.

(** ** The exponential function, without the axiom of excluded middle *)
Lemma exp_above t : 0 <= t -> 1 + t <= exp t.
Proof.
  intro T. apply Rle_cv_lim with (Un := fun _ => 1 + t) (Vn := fun n => E1 t (S n)).
  - intro n. unfold E1. induction n as [|n IH]; [cbn; lra|]. rewrite tech5. apply Rle_trans with (1 := IH).
    assert (0 <= / INR (fact (S (S n))) * t ^ S (S n)); [|lra].
    apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0|now apply pow_le].
  - intros e P. exists 0%nat. intros n _. unfold R_dist. now rewrite Rminus_diag_eq, Rabs_R0.
  - intros e P. destruct (E1_cvg t e P) as [N H]. exists N. intros n G. apply H. lia.
Qed.
Lemma exp_below t : 0 <= t -> 1 - t <= exp (- t).
Proof.
  intro T. destruct (Rle_dec 1 t) as [L|L]; [assert (P := exp_pos (- t)); lra|].
  assert (I : 0 < / (1 - t)) by (apply Rinv_0_lt_compat; lra).
  assert (H : exp t <= / (1 - t)).
  { apply Rle_cv_lim with (Un := E1 t) (Vn := fun _ => / (1 - t)); [|apply E1_cvg|].
    - intro n. apply Rle_trans with (sum_f_R0 (fun i => t ^ i) n).
      + apply sum_Rle. intros i _. rewrite <- (Rmult_1_l (t ^ i)) at 2. apply Rmult_le_compat_r; [now apply pow_le|].
        rewrite <- Rinv_1. apply Rinv_le_contravar; [lra|]. apply (le_INR 1), lt_O_fact.
      + rewrite tech3 by lra. unfold Rdiv. rewrite <- (Rmult_1_l (/ (1 - t))) at 2. apply Rmult_le_compat_r; [lra|].
        assert (P := pow_le t (S n) T). lra.
    - intros e P. exists 0%nat. intros m _. unfold R_dist. now rewrite Rminus_diag_eq, Rabs_R0. }
  assert (E := exp_pos (- t)). assert (M : exp t * exp (- t) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (X : exp t * exp (- t) <= / (1 - t) * exp (- t)) by (apply Rmult_le_compat_r; lra).
  rewrite M in X. apply (Rmult_le_compat_l (1 - t)) in X; [|lra]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in X by lra. lra.
Qed.
Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof.
  intro H. replace y with (x + (y - x)) by ring. rewrite exp_plus. assert (P := exp_pos x). assert (Q := exp_above (y - x) ltac:(lra)).
  rewrite <- (Rmult_1_r (exp x)) at 1. apply Rmult_le_compat_l; lra.
Qed.
(** ** Shifts *)
Definition positive (k : option R) : Prop := match k with Some k => 0 < k | None => True end.

Section Right.
  Variables (left : option R) (b : R).
  Hypothesis L : positive left.
  Hypothesis B : 0 < b.
  Let F := cdf left (Some b).

  Lemma weight_parts : exists wl wr k, 0 <= wl /\ 0 <= wr /\ 0 <= k /\ wr * b >= wl * k /\
    (forall z, z <= 0 -> F z = wl * exp (k * z)) /\ (forall z, 0 <= z -> F z = 1 - wr * exp (- (b * z))).
  Proof.
    unfold F, cdf. destruct left as [a|]; cbn in L.
    - assert (I : 0 < / (a + b)) by (apply Rinv_0_lt_compat; lra).
      exists (b / (a + b)), (a / (a + b)), a. unfold Rdiv.
      assert (0 <= b * / (a + b)) by (apply Rmult_le_pos; lra). assert (0 <= a * / (a + b)) by (apply Rmult_le_pos; lra).
      split; [assumption|]. split; [assumption|]. split; [lra|]. split; [right; ring|]. split.
      + intros z Z. destruct (Rlt_dec z 0); [reflexivity|]. replace z with 0 by lra. rewrite !Rmult_0_r, Ropp_0, exp_0. field. lra.
      + intros z Z. destruct (Rlt_dec z 0); [lra|reflexivity].
    - exists 0, 1, 0. split; [lra|]. split; [lra|]. split; [lra|]. split; [lra|]. split.
      + intros z Z. destruct (Rlt_dec z 0); [lra|]. replace z with 0 by lra. rewrite !Rmult_0_r, Ropp_0, exp_0. lra.
      + intros z Z. destruct (Rlt_dec z 0); [lra|lra].
  Qed.

  Lemma right_shift s x y : 0 <= s -> x <= y -> exp (- (b * s)) * (F y - F x) <= F (y + s) - F (x + s).
  Proof.
    intros S. destruct weight_parts as (wl & wr & k & Wl & Wr & K & Slope & Below & Above).
    set (c := exp (- (b * s))). assert (C : 0 < c) by apply exp_pos.
    set (P x y := c * (F y - F x) <= F (y + s) - F (x + s)). change (x <= y -> P x y).
    assert (join : forall x m y, P x m -> P m y -> P x y) by (unfold P; intros; lra).
    assert (last : forall x y, 0 <= x -> x <= y -> P x y).
    { intros u v U V. unfold P. rewrite !Above by lra. replace (- (b * (v + s))) with (- (b * s) + - (b * v)) by ring.
      replace (- (b * (u + s))) with (- (b * s) + - (b * u)) by ring. rewrite !exp_plus. fold c. lra. }
    assert (first : forall x y, x <= y -> y + s <= 0 -> P x y).
    { intros u v U V. unfold P. rewrite !Below by lra.
      assert (C1 : c <= 1) by (rewrite <- exp_0; apply exp_le; nra).
      assert (M : exp (k * u) <= exp (k * v)) by (apply exp_le; nra).
      replace (k * (v + s)) with (k * s + k * v) by ring. replace (k * (u + s)) with (k * s + k * u) by ring. rewrite !exp_plus.
      assert (E : 1 <= exp (k * s)) by (rewrite <- exp_0; apply exp_le; nra).
      set (d := exp (k * v) - exp (k * u)). assert (D : 0 <= wl * d) by (apply Rmult_le_pos; unfold d; lra).
      replace (c * (wl * exp (k * v) - wl * exp (k * u))) with (c * (wl * d)) by (unfold d; ring).
      replace (wl * (exp (k * s) * exp (k * v)) - wl * (exp (k * s) * exp (k * u))) with (exp (k * s) * (wl * d)) by (unfold d; ring).
      apply Rmult_le_compat_r; lra. }
    assert (middle : forall x y, 0 <= x + s -> x <= y -> y <= 0 -> P x y).
    { intros u v U V W. unfold P. rewrite (Below v), (Below u), (Above (v + s)), (Above (u + s)) by lra.
      replace (- (b * (v + s))) with (- (b * s) + - (b * v)) by ring. replace (- (b * (u + s))) with (- (b * s) + - (b * u)) by ring. rewrite !exp_plus.
      fold c. set (t := v - u). assert (T : 0 <= t) by (unfold t; lra).
      assert (A1 : wl * exp (k * v) - wl * exp (k * u) <= wl * k * t).
      { assert (G : exp (k * v) - exp (k * u) <= k * t).
        { replace (k * u) with (k * v + - (k * t)) by (unfold t; ring). rewrite exp_plus.
          assert (E0 := exp_below (k * t) ltac:(apply Rmult_le_pos; lra)). assert (E1 : exp (k * v) <= 1) by (rewrite <- exp_0; apply exp_le; nra).
          assert (E2 := exp_pos (k * v)). assert (0 <= k * t) by (apply Rmult_le_pos; lra).
          assert (exp (k * v) * (1 - exp (- (k * t))) <= exp (k * v) * (k * t)) by (apply Rmult_le_compat_l; lra).
          assert (exp (k * v) * (k * t) <= 1 * (k * t)) by (apply Rmult_le_compat_r; lra). lra. }
        assert (X := Rmult_le_compat_l wl _ _ Wl G). lra. }
      assert (A2 : wr * b * t <= wr * exp (- (b * u)) - wr * exp (- (b * v))).
      { assert (G : b * t <= exp (- (b * u)) - exp (- (b * v))).
        { replace (- (b * u)) with (- (b * v) + b * t) by (unfold t; ring). rewrite exp_plus.
          assert (E0 := exp_above (b * t) ltac:(apply Rmult_le_pos; lra)). assert (E1 : 1 <= exp (- (b * v))) by (rewrite <- exp_0; apply exp_le; nra).
          assert (0 <= b * t) by (apply Rmult_le_pos; lra).
          assert (1 * (b * t) <= exp (- (b * v)) * (b * t)) by (apply Rmult_le_compat_r; lra).
          assert (exp (- (b * v)) * (b * t) <= exp (- (b * v)) * (exp (b * t) - 1)) by (apply Rmult_le_compat_l; lra). lra. }
        assert (X := Rmult_le_compat_l wr _ _ Wr G). lra. }
      assert (A3 : wl * k * t <= wr * b * t) by (apply Rmult_le_compat_r; lra).
      assert (X : c * (wl * exp (k * v) - wl * exp (k * u)) <= c * (wr * exp (- (b * u)) - wr * exp (- (b * v)))) by (apply Rmult_le_compat_l; lra).
      lra. }
    intro XY.
    destruct (Rle_dec y (- s)); [apply first; lra|]. destruct (Rle_dec x (- s)).
    - apply join with (- s); [apply first; lra|]. destruct (Rle_dec y 0); [apply middle; lra|].
      apply join with 0; [apply middle; lra|apply last; lra].
    - destruct (Rle_dec y 0); [apply middle; lra|]. destruct (Rle_dec x 0); [|apply last; lra].
      apply join with 0; [apply middle; lra|apply last; lra].
  Qed.
  Lemma right_increasing x y : x <= y -> F x <= F y.
  Proof.
    destruct weight_parts as (wl & wr & k & Wl & Wr & K & _ & Below & Above).
    assert (lower : forall x y, x <= y -> y <= 0 -> F x <= F y).
    { intros u v U V. rewrite !Below by lra. apply Rmult_le_compat_l; [lra|]. apply exp_le. nra. }
    assert (upper : forall x y, 0 <= x -> x <= y -> F x <= F y).
    { intros u v U V. rewrite !Above by lra. assert (wr * exp (- (b * v)) <= wr * exp (- (b * u))); [|lra].
      apply Rmult_le_compat_l; [lra|]. apply exp_le. nra. }
    intro H. destruct (Rle_dec y 0); [now apply lower|]. destruct (Rle_dec 0 x); [now apply upper|].
    apply Rle_trans with (F 0); [apply lower; lra|apply upper; lra].
  Qed.
End Right.

Lemma cdf_mirror left right z : positive left -> positive right -> (left <> None \/ right <> None) -> cdf left right (- z) = 1 - cdf right left z.
Proof.
  intros L R N. unfold cdf. destruct left as [a|], right as [b|]; cbn in L, R.
  - replace (b + a) with (a + b) by ring. destruct (Rlt_dec z 0), (Rlt_dec (- z) 0); try lra.
    + replace (b * - z) with (- (b * z)) by ring. rewrite Ropp_involutive. reflexivity.
    + replace (a * - z) with (- (a * z)) by ring. ring.
    + replace z with 0 by lra. repeat rewrite ?Rmult_0_r, ?Ropp_0, ?exp_0. field. lra.
  - destruct (Rlt_dec z 0), (Rlt_dec (- z) 0); try lra.
    + replace (a * - z) with (- (a * z)) by ring. lra.
    + replace z with 0 by lra. repeat rewrite ?Rmult_0_r, ?Ropp_0, ?exp_0. lra.
  - destruct (Rlt_dec z 0), (Rlt_dec (- z) 0); try lra.
    + replace (b * - z) with (- (b * z)) by ring. rewrite Ropp_involutive. reflexivity.
    + replace z with 0 by lra. repeat rewrite ?Rmult_0_r, ?Ropp_0, ?exp_0. lra.
  - destruct N; congruence.
Qed.

Lemma mirrored a right z : 0 < a -> positive right -> cdf (Some a) right z = 1 - cdf right (Some a) (- z).
Proof. intros A P. rewrite <- (cdf_mirror (Some a) right (- z)), Ropp_involutive; [reflexivity|exact A|exact P|left; discriminate]. Qed.

Lemma left_shift a right s x y : 0 < a -> positive right -> 0 <= s -> x <= y ->
  exp (- (a * s)) * (cdf (Some a) right y - cdf (Some a) right x) <= cdf (Some a) right (y - s) - cdf (Some a) right (x - s).
Proof.
  intros A P S XY. rewrite !mirrored by assumption. assert (H := right_shift right a P A s (- y) (- x) S ltac:(lra)).
  replace (- (y - s)) with (- y + s) by ring. replace (- (x - s)) with (- x + s) by ring. lra.
Qed.
Lemma cdf_increasing left right x y : positive left -> positive right -> x <= y -> cdf left right x <= cdf left right y.
Proof.
  intros L P H. destruct right as [b|]; [now apply right_increasing|]. destruct left as [a|].
  - rewrite !mirrored by assumption. assert (X := right_increasing None a P L (- y) (- x) ltac:(lra)). lra.
  - unfold cdf. destruct (Rlt_dec x 0), (Rlt_dec y 0); lra.
Qed.

(** ** The price of a shift by k, times epsilon: linear conditions, so that it is convex *)
Definition costs (l r : option Z) (k a : R) : Prop :=
  0 <= a /\ match r with Some d => IZR d * k <= a | None => k <= 0 end /\ match l with Some d => - (IZR d * k) <= a | None => 0 <= k end.
Definition positive_rate (r : option Z) : Prop := match r with Some d => (0 < d)%Z | None => True end.

Lemma rate_positive eps r : 0 < eps -> positive_rate r -> positive (rate eps r).
Proof. intros E P. destruct r as [d|]; [|exact I]. apply Rmult_lt_0_compat; [exact E|now apply IZR_lt]. Qed.
Lemma law_shift eps l r s a x y : 0 < eps -> positive_rate l -> positive_rate r -> costs l r s a -> x <= y ->
  let F := cdf (rate eps l) (rate eps r) in exp (- (eps * a)) * (F y - F x) <= F (y + s) - F (x + s).
Proof.
  intros E L P (A & Ar & Al) XY F. assert (L' := rate_positive eps l E L). assert (P' := rate_positive eps r E P).
  assert (M := cdf_increasing _ _ x y L' P' XY). fold F in M.
  assert (less : forall c, c <= eps * a -> exp (- (eps * a)) * (F y - F x) <= exp (- c) * (F y - F x)).
  { intros c C. apply Rmult_le_compat_r; [lra|]. apply exp_le. lra. }
  assert (none : s = 0 -> exp (- (eps * a)) * (F y - F x) <= F (y + s) - F (x + s)).
  { intros ->. rewrite !Rplus_0_r. apply Rle_trans with (1 := less 0 ltac:(nra)). rewrite Ropp_0, exp_0. lra. }
  destruct (Rle_dec 0 s) as [S|S].
  - destruct r as [d|]; [|apply none; lra]. cbn [rate option_map positive] in *.
    apply Rle_trans with (1 := less (eps * IZR d * s) ltac:(nra)). now apply right_shift.
  - destruct l as [d|]; [|apply none; lra]. cbn [rate option_map positive] in *.
    apply Rle_trans with (1 := less (eps * IZR d * - s) ltac:(nra)). unfold F.
    replace (y + s) with (y - - s) by ring. replace (x + s) with (x - - s) by ring. apply left_shift; try assumption; lra.
Qed.

(** It is a probability: all but exp (- a * b) lies between - b and b. *)
Lemma within_total a b : 0 < a -> 0 <= b -> cdf (Some a) (Some a) b - cdf (Some a) (Some a) (- b) = 1 - exp (- (a * b)).
Proof.
  intros A B. rewrite (mirrored a (Some a) (- b) A A), Ropp_involutive. unfold cdf. destruct (Rlt_dec b 0); [lra|]. field. lra.
Qed.
