(** * Sums, and noise that is moved *)
From Coq Require Import List FinFun NArith ZArith QArith Qpower Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Convex.
Import ListNotations.
Open Scope Q_scope.

(** ** Sums *)
Lemma over_cons {X} (x : X) l f : over (x :: l) f = f x + over l f.
Proof. reflexivity. Qed.
Lemma over_nil {X} (f : X -> Q) : over [] f = 0.
Proof. reflexivity. Qed.
Section Sums.
  Context {X : Type}.
  Implicit Types (l : list X) (f : X -> Q).
  Lemma over_ext l f g : (forall x, In x l -> f x == g x) -> over l f == over l g.
  Proof.
    induction l as [|x l IH]; intro H; rewrite ?over_nil, ?over_cons; [easy|].
    rewrite (H x (or_introl eq_refl)). rewrite IH; [easy|]. intros y I. apply H. now right.
  Qed.
  Lemma over_le l f g : (forall x, In x l -> f x <= g x) -> over l f <= over l g.
  Proof.
    induction l as [|x l IH]; intro H; rewrite ?over_nil, ?over_cons; [easy|].
    apply Qplus_le_compat; [apply H; now left|apply IH; intros y I; apply H; now right].
  Qed.
  Lemma over_pos l f : (forall x, 0 <= f x) -> 0 <= over l f.
  Proof. intro H. induction l as [|x l IH]; rewrite ?over_nil, ?over_cons; [easy|]. specialize (H x). lra. Qed.
  Lemma over_scale l f c : over l (fun x => c * f x) == c * over l f.
  Proof. induction l as [|x l IH]; rewrite ?over_nil, ?over_cons; [ring|]. rewrite IH. ring. Qed.
  Lemma over_plus l f g : over l (fun x => f x + g x) == over l f + over l g.
  Proof.
    induction l as [|x l IH]; rewrite ?over_nil, ?over_cons; [ring|]. rewrite IH. ring.
  Qed.
  Lemma over_app l l' f : over (l ++ l') f == over l f + over l' f.
  Proof. induction l as [|x l IH]; rewrite ?over_nil, <- ?app_comm_cons, ?app_nil_l, ?over_cons; [ring|]. rewrite IH. ring. Qed.
End Sums.
Lemma over_map {X Y} (h : X -> Y) l f : over (map h l) f = over l (fun x => f (h x)).
Proof. induction l as [|x l IH]; [easy|]. cbn. now f_equal. Qed.
Lemma over_flat_map {X Y} (h : X -> list Y) l f : over (flat_map h l) f == over l (fun x => over (h x) f).
Proof. induction l as [|x l IH]; cbn [flat_map]; [easy|]. rewrite over_app, IH. easy. Qed.
Lemma over_exchange {X Y} (l : list X) (l' : list Y) f : over l (fun x => over l' (f x)) == over l' (fun y => over l (fun x => f x y)).
Proof.
  induction l as [|x l IH]; rewrite ?over_nil, ?over_cons.
  - induction l' as [|y l' IH]; [easy|]. cbn. rewrite <- IH. ring.
  - rewrite IH. rewrite <- over_plus. easy.
Qed.
(** Moved along h, and into a longer list. *)
Lemma over_into {X} (h : X -> X) (l : list X) : forall l' f f', NoDup l -> (forall x y, h x = h y -> x = y) -> (forall x, In x l -> In (h x) l') ->
  (forall x, 0 <= f' x) -> (forall x, f x <= f' (h x)) -> over l f <= over l' f'.
Proof.
  induction l as [|x l IH]; intros l' f f' Nd Inj Into P L.
  - cbn. now apply over_pos.
  - inversion Nd as [|? ? Nx Nd']; subst. destruct (in_split (h x) l') as (l1 & l2 & ->); [apply Into; now left|].
    assert (H : over l f <= over (l1 ++ l2) f').
    { apply IH; try assumption. intros y I. assert (J := Into y (or_intror I)). rewrite in_app_iff in J |- *.
      destruct J as [J|[J|J]]; [now left| |now right]. apply Inj in J. subst. contradiction. }
    rewrite over_app in H. rewrite over_app. rewrite ?over_nil, ?over_cons. specialize (L x). lra.
Qed.
Lemma window_nodup M : NoDup (window M).
Proof. apply Injective_map_NoDup; [intros a b H; lia|apply seq_NoDup]. Qed.
Lemma in_window M k : In k (window M) <-> (Z.abs k <= Z.of_nat M)%Z.
Proof.
  unfold window. rewrite in_map_iff. split.
  - intros (i & <- & I). apply in_seq in I. lia.
  - intro H. exists (Z.to_nat (k + Z.of_nat M)). split; [lia|]. apply in_seq. lia.
Qed.

(** ** Noise *)
Section Noise.
  Variable q : Q.
  Hypothesis q0 : 0 < q.
  Hypothesis q1 : q < 1.

  Lemma q_not_0 : ~ q == 0.
  Proof. lra. Qed.
  Lemma power_pos z : 0 < q ^ z.
  Proof.
    destruct (Qle_lt_or_eq 0 (q ^ z) (Qpower_pos q z (Qlt_le_weak _ _ q0))) as [H|H]; [exact H|].
    exfalso. apply (Qpower_not_0 q z q_not_0). now symmetry.
  Qed.
  Lemma power_le_1 z : (0 <= z)%Z -> q ^ z <= 1.
  Proof.
    intro H. rewrite <- (Z2Nat.id z H). induction (Z.to_nat z) as [|n IH]; [easy|].
    rewrite Nat2Z.inj_succ, <- Z.add_1_r, Qpower_plus by exact q_not_0. assert (P := power_pos (Z.of_nat n)). change (q ^ 1) with q. nra.
  Qed.
  Lemma power_add a b : q ^ (a + b) == q ^ a * q ^ b.
  Proof. apply Qpower_plus, q_not_0. Qed.
  Lemma power_decreasing a b : (a <= b)%Z -> q ^ b <= q ^ a.
  Proof.
    intro H. replace b with (a + (b - a))%Z by lia. rewrite power_add. assert (P := power_pos a). assert (L := power_le_1 (b - a) ltac:(lia)). nra.
  Qed.

  Lemma side_pos r k : 0 <= power q r k.
  Proof. destruct r as [d|]; cbn [power]; [apply Qlt_le_weak, power_pos|]. destruct (k =? 0)%Z; easy. Qed.
  Lemma side_le_1 r k : positive_rate r -> (0 <= k)%Z -> power q r k <= 1.
  Proof. destruct r as [d|]; cbn [power positive_rate]; intros P K; [apply power_le_1; nia|]. destruct (k =? 0)%Z; easy. Qed.
  Lemma side_lt_1 r : positive_rate r -> power q r 1 < 1.
  Proof.
    destruct r as [d|]; cbn [power positive_rate]; intro P; [|easy]. replace (d * 1)%Z with (1 + (d - 1))%Z by lia. rewrite power_add.
    change (q ^ 1) with q. assert (A := power_pos (d - 1)). assert (B := power_le_1 (d - 1) ltac:(lia)). nra.
  Qed.

  Section Rates.
    Variables l r : option Z.
    Hypothesis Pl : positive_rate l.
    Hypothesis Pr : positive_rate r.

    Lemma factor_pos : 0 < (1 - power q l 1) * (1 - power q r 1) / (1 - power q l 1 * power q r 1).
    Proof.
      assert (A := side_pos l 1). assert (B := side_pos r 1). assert (A1 := side_lt_1 l Pl). assert (B1 := side_lt_1 r Pr).
      apply Qlt_shift_div_l; [nra|]. assert (0 < (1 - power q l 1) * (1 - power q r 1)) by nra. lra.
    Qed.
    Lemma noise_pos k : 0 <= noise q l r k.
    Proof.
      unfold noise. assert (F := factor_pos). apply Qmult_le_0_compat; [lra|]. destruct (0 <=? k)%Z; apply side_pos.
    Qed.
    Lemma noise_shift k s a : cost l r s = Some a -> q ^ a * noise q l r k <= noise q l r (k + s).
    Proof.
      unfold cost. destruct (Z.eqb_spec s 0) as [->|S0].
      { intro E. injection E as <-. rewrite Z.add_0_r. change (q ^ 0) with 1. lra. }
      intro E. unfold noise. assert (F := factor_pos). set (c := _ / _) in *. clearbody c.
      assert (H : q ^ a * (if (0 <=? k)%Z then power q r k else power q l (- k))
                  <= (if (0 <=? k + s)%Z then power q r (k + s) else power q l (- (k + s)))); [|nra].
      destruct (Z.ltb_spec 0 s) as [Sp|Sn].
      - destruct r as [d|]; [|discriminate]. cbn [option_map] in E. injection E as <-. cbn [positive_rate] in Pr.
        destruct (Z.leb_spec 0 k) as [K|K]; destruct (Z.leb_spec 0 (k + s)) as [K'|K']; try lia; cbn [power].
        + rewrite <- power_add. replace (s * d + d * k)%Z with (d * (k + s))%Z by ring. lra.
        + assert (A := power_decreasing (d * (k + s)) (s * d) ltac:(nia)). assert (B := side_le_1 l (- k) Pl ltac:(lia)).
          assert (C := side_pos l (- k)). assert (D := power_pos (s * d)). nra.
        + assert (B := power_le_1 (s * d) ltac:(nia)). assert (D := power_pos (s * d)).
          destruct l as [e|]; cbn [power positive_rate] in *.
          * assert (G := power_decreasing (e * - (k + s)) (e * - k) ltac:(nia)). assert (G' := power_pos (e * - k)). nra.
          * destruct (Z.eqb_spec (- k) 0); [lia|]. destruct (- (k + s) =? 0)%Z; lra.
      - destruct l as [d|]; [|discriminate]. cbn [option_map] in E. injection E as <-. cbn [positive_rate] in Pl.
        destruct (Z.leb_spec 0 k) as [K|K]; destruct (Z.leb_spec 0 (k + s)) as [K'|K']; try lia; cbn [power].
        + assert (B := power_le_1 (- s * d) ltac:(nia)). assert (D := power_pos (- s * d)).
          destruct r as [e|]; cbn [power positive_rate] in *.
          * assert (G := power_decreasing (e * (k + s)) (e * k) ltac:(nia)). assert (G' := power_pos (e * k)). nra.
          * destruct (Z.eqb_spec k 0); [lia|]. destruct (k + s =? 0)%Z; lra.
        + assert (A := power_decreasing (d * - (k + s)) (- s * d) ltac:(nia)). assert (B := side_le_1 r k Pr ltac:(lia)).
          assert (C := side_pos r k). assert (D := power_pos (- s * d)). nra.
        + rewrite <- power_add. replace (- s * d + d * - k)%Z with (d * - (k + s))%Z by ring. lra.
    Qed.
    Lemma drawn_pos M c input f : (forall x, 0 <= f x) -> 0 <= drawn q l r M c input f.
    Proof. intro P. apply over_pos. intro k. apply Qmult_le_0_compat; [apply noise_pos|apply P]. Qed.
    Lemma drawn_shift M M' c input input' s a b f f' : cost l r s = Some a -> 0 <= b -> (forall x, 0 <= f x) -> (forall x, 0 <= f' x) ->
      (Z.of_nat M + Z.abs s <= Z.of_nat M')%Z ->
      (forall j, b * f (c + inject_Z j) <= f' (c + inject_Z (j + (input' - input + s)))) ->
      q ^ a * b * drawn q l r M c input f <= drawn q l r M' c input' f'.
    Proof.
      intros E B P P' W H. unfold drawn. rewrite <- over_scale. apply (over_into (fun k => k + s)%Z).
      - apply window_nodup.
      - intros; lia.
      - intros k I. rewrite in_window in *. lia.
      - intro k. apply Qmult_le_0_compat; [apply noise_pos|apply P'].
      - intro k. assert (N := noise_shift k s a E). assert (N0 := noise_pos k). assert (G := H (input + k)%Z).
        replace (input + k + (input' - input + s))%Z with (input' + (k + s))%Z in G by ring.
        assert (D := power_pos a). assert (Pk := P (c + inject_Z (input + k))).
        set (n := noise q l r k) in *. set (n' := noise q l r (k + s)) in *. set (w := q ^ a) in *. set (y := f _) in *. set (y' := f' _) in *.
        clearbody n n' w y y'. assert (0 <= w * n) by nra. assert (0 <= b * y) by nra.
        assert (w * n * (b * y) <= n' * y'); [|lra]. assert (0 <= (n' - w * n) * y') by nra. assert (0 <= w * n * (y' - b * y)) by nra. lra.
    Qed.
  End Rates.

  (** It is a law: what lies between -M and M has all probability but what vanishes as M grows. *)
  Lemma window_succ M f : over (window (S M)) f == f (- Z.of_nat (S M))%Z + over (window M) f + f (Z.of_nat (S M)).
  Proof.
    unfold window. rewrite !over_map. replace (2 * S M + 1)%nat with (S (S (2 * M + 1))) by lia. set (n := (2 * M + 1)%nat).
    change (seq 0 (S (S n))) with (0%nat :: seq 1 (S n)). rewrite <- seq_shift, seq_S, over_cons, over_map, over_app, over_cons, over_nil.
    rewrite (over_ext _ (fun i => f (Z.of_nat (S i) - Z.of_nat (S M))%Z) (fun i => f (Z.of_nat i - Z.of_nat M)%Z)).
    2: { intros i _. replace (Z.of_nat (S i) - Z.of_nat (S M))%Z with (Z.of_nat i - Z.of_nat M)%Z by lia. easy. }
    replace (Z.of_nat 0 - Z.of_nat (S M))%Z with (- Z.of_nat (S M))%Z by lia.
    replace (Z.of_nat (S (0 + n)) - Z.of_nat (S M))%Z with (Z.of_nat (S M)) by lia. ring.
  Qed.
  Lemma side_succ r M : power q r (Z.of_nat (S M) + 1) == power q r 1 * power q r (Z.of_nat (S M)).
  Proof.
    destruct r as [d|]; cbn [power]; [rewrite <- power_add; replace (d * (Z.of_nat (S M) + 1))%Z with (d * 1 + d * Z.of_nat (S M))%Z by ring; easy|].
    destruct (Z.eqb_spec (Z.of_nat (S M) + 1) 0); [lia|]. easy.
  Qed.
  Lemma noise_total l r M : positive_rate l -> positive_rate r -> over (window M) (noise q l r) ==
    1 - ((1 - power q l 1) * power q r (Z.of_nat (S M)) + (1 - power q r 1) * power q l (Z.of_nat (S M))) / (1 - power q l 1 * power q r 1).
  Proof.
    intros L R. assert (A := side_pos l 1). assert (B := side_pos r 1). assert (A1 := side_lt_1 l L). assert (B1 := side_lt_1 r R).
    assert (N : ~ 1 - power q l 1 * power q r 1 == 0) by nra. clear A B A1 B1.
    induction M as [|M IH].
    - change (over (window 0) (noise q l r)) with (noise q l r 0 + 0). change (Z.of_nat 1) with 1%Z.
      unfold noise. cbn [Z.leb Z.compare]. assert (Z0 : power q r 0 == 1) by (destruct r as [d|]; cbn [power]; [now rewrite Z.mul_0_r|easy]).
      rewrite Z0. field. exact N.
    - rewrite window_succ, IH. clear IH. unfold noise.
      destruct (Z.leb_spec 0 (Z.of_nat (S M))) as [_|]; [|lia]. destruct (Z.leb_spec 0 (- Z.of_nat (S M))) as [|_]; [lia|].
      rewrite Z.opp_involutive. replace (Z.of_nat (S (S M))) with (Z.of_nat (S M) + 1)%Z by lia. rewrite !side_succ. field. exact N.
  Qed.
End Noise.
