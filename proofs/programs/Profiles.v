(** * Profiles: what remains to be lost, as a function of alpha

    A profile bounds P - alpha P' of two probabilities by a number at each of some points alpha. It is a list of such points, and linear between
    them. Knots are multiples of 10^-12, and values of 10^-16. *)
From Coq Require Import List NArith ZArith QArith Qpower Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Convex Noise Tails.
Import ListNotations.
Open Scope Q_scope.

Definition ONE : Z := 10000000000000000%Z.
Definition KNOT : Z := 1000000000000%Z.
(** Parts of probabilities are multiples of 1 / WHOLE. *)
Definition WHOLE : Z := Z.shiftl 1 80.
Definition points := list (Z * Z).

(** With X = ONE * P and Y = ONE / KNOT * P'. *)
Definition holds (l : points) (X Y : Q) : Prop := 0 <= X /\ X <= inject_Z ONE /\ 0 <= Y /\ forall K V, In (K, V) l -> X - inject_Z K * Y <= inject_Z V.
Definition scaled (P P' : Q) (l : points) : Prop := holds l (inject_Z ONE * P) (10000 * P').

(** A place in the list: the knot at most t, its value, and the points behind it. *)
Definition finger := (Z * Z * points)%type.
Fixpoint seek (K V : Z) (l : points) (t : Z) : finger :=
  match l with
  | (K', V') :: l' => if (t <? K')%Z then (K, V, l) else seek K' V' l' t
  | [] => (K, V, [])
  end.
(** From another place on, unless this one is behind t. *)
Definition seek_from (w : finger) (l : points) (t : Z) : finger := let '(K, V, l') := w in if (K <=? t)%Z then seek K V l' t else seek 0 ONE l t.
(** A bound of p X - x Y there. *)
Definition line (w : finger) (p x : Z) : Z :=
  match w with (K, V, []) => p * V | (K, V, (K', V') :: _) => p * V - (x - K * p) * (V - V') / (K' - K) end%Z.
Definition gain (l : points) (p x : Z) : Z := if (0 <? p)%Z then line (seek 0 ONE l (x / p)) p x else 0%Z.
(** Where the run has ended. *)
Definition ended : points := [(KNOT, 0%Z)].

Lemma inject_le a b : (a <= b)%Z -> inject_Z a <= inject_Z b.
Proof. now rewrite <- Zle_Qle. Qed.
Lemma inject_0 a : (0 <= a)%Z -> 0 <= inject_Z a.
Proof. change 0 with (inject_Z 0). apply inject_le. Qed.
Lemma times_le c a b : 0 <= c -> a <= b -> c * a <= c * b.
Proof. intros. nra. Qed.
Definition true_at (w : finger) (X Y : Q) : Prop := let '(K, V, l) := w in X - inject_Z K * Y <= inject_Z V /\ forall K V, In (K, V) l -> X - inject_Z K * Y <= inject_Z V.
Lemma seek_sound X Y t l : forall K V, true_at (K, V, l) X Y -> (K <= t)%Z ->
  true_at (seek K V l t) X Y /\ match seek K V l t with (K, _, l) => (K <= t)%Z /\ match l with (K', _) :: _ => (t < K')%Z | [] => True end end.
Proof.
  induction l as [|[K' V'] l IH]; intros K V [H1 H2] L; cbn [seek]; [now repeat split|].
  destruct (Z.ltb_spec t K'); [now repeat split|]. apply IH; [|assumption]. split; [apply H2; now left|intros K1 V1 I; apply H2; now right].
Qed.
Lemma line_sound w X Y p x : 0 <= Y -> (0 < p)%Z -> true_at w X Y ->
  match w with (K, _, l) => (K <= x / p)%Z /\ match l with (K', _) :: _ => (x / p < K')%Z | [] => True end end -> inject_Z p * X - inject_Z x * Y <= inject_Z (line w p x).
Proof.
  intros Y0 P. destruct w as [[K V] l]. intros [First H] [Kt Next']. assert (Kx : (K * p <= x)%Z) by (assert (U := Z.mul_div_le x p P); nia).
  destruct l as [|[K' V'] l]; cbn [line].
  - assert (P' := inject_0 p ltac:(lia)). apply inject_le in Kx. rewrite inject_Z_mult in *.
    set (k := inject_Z K) in *. set (v := inject_Z V) in *. set (p' := inject_Z p) in *. set (x' := inject_Z x) in *. clearbody k v p' x'. nra.
  - assert (L' : (x < K' * p)%Z) by (assert (U := Z.mul_succ_div_gt x p P); nia).
    assert (Dk : (0 < K' - K)%Z) by nia. assert (Next := H K' V' (or_introl eq_refl)).
    set (a := (x - K * p)%Z). set (dk := (K' - K)%Z) in *. assert (A : (0 <= a)%Z) by (unfold a; lia). assert (B : (a <= dk * p)%Z) by (unfold a, dk; lia).
    assert (Dv := Z.mul_div_le (a * (V - V')) dk Dk). set (w := (a * (V - V') / dk)%Z) in *. clearbody w.
    assert (E : (x = a + K * p)%Z) by (unfold a; ring). assert (E' : (K' = dk + K)%Z) by (unfold dk; ring). clearbody a dk. clear Kt Next'. subst x K'. clear L' Kx.
    apply inject_le in A, B, Dv. assert (P' := inject_0 p ltac:(lia)). assert (Dk' : 0 < inject_Z dk) by (change 0 with (inject_Z 0); now rewrite <- Zlt_Qlt).
    unfold Z.sub in *. repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp in *. change (inject_Z 0) with 0 in *.
    set (k := inject_Z K) in *. set (v := inject_Z V) in *. set (v' := inject_Z V') in *. set (p' := inject_Z p) in *. set (a' := inject_Z a) in *.
    set (e := inject_Z dk) in *. set (u := inject_Z w) in *. clearbody k v v' p' a' e u.
    assert (G1 := times_le (e * p' - a') _ _ ltac:(lra) First). assert (G2 := times_le a' _ _ A Next).
    apply (Qmult_le_l _ _ e Dk'). lra.
Qed.
Lemma begin_true l X Y : holds l X Y -> true_at (0%Z, ONE, l) X Y.
Proof. intros (X0 & X1 & Y0 & H). split; [change (inject_Z 0) with 0; lra|exact H]. Qed.
Lemma gain_sound l X Y p x : holds l X Y -> (0 <= p)%Z -> (0 <= x)%Z -> inject_Z p * X - inject_Z x * Y <= inject_Z (gain l p x).
Proof.
  intros H P Px. assert (T := begin_true l X Y H). destruct H as (X0 & X1 & Y0 & _). unfold gain. destruct (Z.ltb_spec 0 p) as [L|L].
  - destruct (seek_sound X Y (x / p) l 0 ONE T) as [S1 S2]; [now apply Z.div_pos|]. now apply line_sound.
  - assert (p = 0)%Z as -> by lia. apply inject_0 in Px. change (inject_Z 0) with 0. nra.
Qed.
(** The same from a place on, which may be any that was found before. *)
Definition gain_from (w : finger) (l : points) (p x : Z) : finger * Z :=
  if (0 <? p)%Z then let w' := seek_from w l (x / p) in (w', line w' p x) else (w, 0%Z).
Lemma gain_from_sound w l X Y p x : holds l X Y -> true_at w X Y -> (0 <= p)%Z -> (0 <= x)%Z ->
  true_at (fst (gain_from w l p x)) X Y /\ inject_Z p * X - inject_Z x * Y <= inject_Z (snd (gain_from w l p x)).
Proof.
  intros H Tw P Px. assert (T := begin_true l X Y H). destruct H as (X0 & X1 & Y0 & _). unfold gain_from. destruct (Z.ltb_spec 0 p) as [L|L]; cbn [fst snd].
  - assert (T0 : (0 <= x / p)%Z) by now apply Z.div_pos.
    assert (S : true_at (seek_from w l (x / p)) X Y /\
      match seek_from w l (x / p) with (K, _, l) => (K <= x / p)%Z /\ match l with (K', _) :: _ => (x / p < K')%Z | [] => True end end).
    { destruct w as [[K V] l']. unfold seek_from. destruct (Z.leb_spec K (x / p)); now apply seek_sound. }
    destruct S as [S1 S2]. split; [exact S1|]. now apply line_sound.
  - split; [exact Tw|]. assert (p = 0)%Z as -> by lia. apply inject_0 in Px. change (inject_Z 0) with 0. nra.
Qed.

(** ** A draw: groups of samples, whose probabilities have one ratio *)
Section Draw.
  Variables (q : Q) (d : Z).
  Hypothesis q0 : 0 < q.
  Hypothesis q1 : q < 1.
  Hypothesis D : (0 < d)%Z.
  Let f := noise q (Some d) (Some d).
  Let t := at_least q d.

  (** Of the noise k + n with n > 0: the group of k, and the probabilities of the group. *)
  Definition group (n k : Z) : Z := if (0 <=? k)%Z then 0%Z else if (1 - n <=? k)%Z then (- k)%Z else n.
  Definition mass (n j : Z) : Q := if (j =? 0)%Z then t 0 else if (j <? n)%Z then t j - t (j + 1)%Z else t n.

  Lemma mass_pos n j : (1 <= n)%Z -> (0 <= j <= n)%Z -> 0 < mass n j.
  Proof.
    intros N J. unfold mass. destruct (Z.eqb_spec j 0) as [->|]; [now apply at_least_pos|]. destruct (Z.ltb_spec j n); [|now apply at_least_pos].
    assert (E0 := e_pos q d q0). assert (E1 := e_lt_1 q d q0 q1 D). unfold t, at_least. rewrite Qpower_plus by lra. change ((q ^ d) ^ 1) with (q ^ d).
    assert (P := power_pos (q ^ d) E0 j). set (e := q ^ d) in *. assert (A : e ^ j / (1 + e) - e ^ j * e / (1 + e) == e ^ j * (1 - e) / (1 + e)) by (field; lra).
    rewrite A. apply Qlt_shift_div_l; [lra|]. nra.
  Qed.
  Lemma same_ratio n k : (1 <= n)%Z -> f k * mass n (n - group n k) == f (k + n)%Z * mass n (group n k).
  Proof.
    intro N. assert (E0 := e_pos q d q0). assert (E1 := e_lt_1 q d q0 q1 D). unfold f. rewrite !noise_form by assumption. unfold group.
    assert (Pw : forall i j, (q ^ d) ^ (i + j) == (q ^ d) ^ i * (q ^ d) ^ j) by (intros; apply Qpower_plus; lra).
    destruct (Z.leb_spec 0 k) as [K|K]; [|destruct (Z.leb_spec (1 - n) k) as [K'|K']].
    - unfold mass. rewrite Z.sub_0_r, Z.eqb_refl. destruct (Z.eqb_spec n 0); [lia|]. destruct (Z.ltb_spec n n); [lia|]. unfold t, at_least.
      rewrite !Z.abs_eq by lia. rewrite Pw. change ((q ^ d) ^ 0) with 1. field. lra.
    - unfold mass. destruct (Z.eqb_spec (n - - k) 0); [lia|]. destruct (Z.ltb_spec (n - - k) n); [|lia]. destruct (Z.eqb_spec (- k) 0); [lia|].
      destruct (Z.ltb_spec (- k) n); [|lia]. rewrite Z.abs_neq by lia. rewrite (Z.abs_eq (k + n)) by lia. unfold t, at_least.
      replace (n - - k)%Z with (k + n)%Z by ring. rewrite !(Pw _ 1%Z). change ((q ^ d) ^ 1) with (q ^ d). field. lra.
    - unfold mass. rewrite Z.sub_diag. cbn [Z.eqb]. destruct (Z.eqb_spec n 0); [lia|]. destruct (Z.ltb_spec n n); [lia|].
      rewrite !Z.abs_neq by lia. unfold t, at_least. replace (- k)%Z with (- (k + n) + n)%Z by ring. rewrite Pw. change ((q ^ d) ^ 0) with 1. field. lra.
  Qed.
  Lemma group_mass n j M : (1 <= n)%Z -> (0 <= j <= n)%Z -> over (window M) (fun k => if (group n k =? j)%Z then f k else 0) <= mass n j.
  Proof.
    intros N J. unfold mass. destruct (Z.eqb_spec j 0) as [->|J0]; [|destruct (Z.ltb_spec j n) as [L|L]].
    - apply Qle_trans with (2 := above_at_most q d q0 q1 D M 0). apply over_le. intros k _. unfold group.
      destruct (Z.leb_spec 0 k); [rewrite Z.eqb_refl; fold f; lra|]. destruct (Z.leb_spec (1 - n) k); [destruct (Z.eqb_spec (- k) 0); [lia|lra]|].
      destruct (Z.eqb_spec n 0); [lia|lra].
    - assert (S := slice_at_most q d q0 q1 D M (- j) (1 - j) ltac:(lia)). rewrite !tail_low in S by (try assumption; lia).
      replace (1 - - j)%Z with (j + 1)%Z in S by ring. replace (1 - (1 - j))%Z with j in S by ring.
      apply Qle_trans with (1 - t (j + 1)%Z - (1 - t j)); [|lra]. apply Qle_trans with (2 := S). apply over_le. intros k _. unfold group.
      destruct (Z.leb_spec 0 k); [destruct (Z.eqb_spec 0 j); [lia|]|destruct (Z.leb_spec (1 - n) k); [destruct (Z.eqb_spec (- k) j)|destruct (Z.eqb_spec n j); [lia|]]];
        destruct (Z.leb_spec (- j) k), (Z.leb_spec (1 - j) k); cbn [negb andb]; try lia; try (fold f; lra); apply noise_0_or_more; assumption.
    - assert (j = n) as -> by lia. assert (B := below_at_most q d q0 q1 D M (1 - n)). rewrite tail_low in B by (try assumption; lia).
      replace (1 - (1 - n))%Z with n in B by ring. apply Qle_trans with (1 - (1 - t n)); [|lra]. apply Qle_trans with (2 := B). apply over_le. intros k _. unfold group.
      destruct (Z.leb_spec (1 - n) k); cbn [negb]; destruct (Z.leb_spec 0 k); try lia.
      + destruct (Z.eqb_spec 0 n); [lia|lra].
      + destruct (Z.eqb_spec (- k) n); [lia|lra].
      + destruct (Z.eqb_spec n n); [fold f; lra|lia].
  Qed.

  (** What a draw is worth at most at K: the sum over the groups, for masses that are rounded. *)
  Definition indices (n : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat (n + 1))).
  Definition worth (l : points) (K : Z) (groups : list (Z * Z)) : Z :=
    fold_right (fun g a => Z.max 0 (gain l (fst g) (K * snd g)) + a)%Z 0%Z groups.
  Lemma in_indices n j : In j (indices n) <-> (0 <= j <= n)%Z.
  Proof.
    unfold indices. rewrite in_map_iff. split; [intros (i & <- & I); apply in_seq in I; lia|]. intro H. exists (Z.to_nat j). split; [lia|]. apply in_seq. lia.
  Qed.
  Lemma one_index n (j : Z) (x : Q) : (0 <= j <= n)%Z -> over (indices n) (fun i => if (j =? i)%Z then x else 0) == x.
  Proof.
    intro H. assert (Nd : NoDup (indices n)) by (apply FinFun.Injective_map_NoDup; [intros a b E; lia|apply seq_NoDup]).
    assert (I := proj2 (in_indices n j) H). clear H. induction (indices n) as [|i l IH]; [destruct I|]. rewrite over_cons. inversion Nd as [|? ? Ni Nd']; subst.
    destruct I as [->|I].
    - rewrite Z.eqb_refl. rewrite (over_ext _ _ (fun _ => 0 * 0)); [rewrite over_scale; ring|]. intros i I. destruct (Z.eqb_spec j i) as [->|]; [contradiction|ring].
    - rewrite (IH Nd' I). destruct (Z.eqb_spec j i) as [->|]; [contradiction|ring].
  Qed.
  Lemma group_range n k : (1 <= n)%Z -> (0 <= group n k <= n)%Z.
  Proof. unfold group. destruct (Z.leb_spec 0 k), (Z.leb_spec (1 - n) k); lia. Qed.

  Variables (l : points) (X Y : Z -> Q) (K : Z).
  Hypothesis Known : forall k, holds l (X k) (Y k).
  Hypothesis K0 : (0 <= K)%Z.
  Let W := inject_Z WHOLE.
  Let half n X Y M := over (window M) (fun k => f k * X k - inject_Z K * (f (k + n)%Z * Y k)).
  Variables (large small : Z -> Z).

  Lemma draw_up n M (X' Y' : Z -> Q) : (forall k, holds l (X' k) (Y' k)) -> (1 <= n)%Z ->
    (forall j, (0 <= j <= n)%Z -> W * mass n j <= inject_Z (large j) /\ (0 <= small j)%Z /\ inject_Z (small j) <= W * mass n j) ->
    W * half n X' Y' M <= inject_Z (worth l K (map (fun j => (large j, small (n - j)%Z)) (indices n))).
  Proof.
    intros Known' N B. assert (W0 : 0 < W) by reflexivity.
    assert (T : half n X' Y' M == over (indices n) (fun j => over (window M) (fun k => if (group n k =? j)%Z then f k * X' k - inject_Z K * (f (k + n)%Z * Y' k) else 0))).
    { rewrite over_exchange. unfold half. apply over_ext. intros k _. rewrite one_index; [easy|now apply group_range]. }
    rewrite T, <- over_scale. clear T.
    assert (G : forall js, (forall j, In j js -> (0 <= j <= n)%Z) ->
      over js (fun j => W * over (window M) (fun k => if (group n k =? j)%Z then f k * X' k - inject_Z K * (f (k + n)%Z * Y' k) else 0)) <=
      inject_Z (worth l K (map (fun j => (large j, small (n - j)%Z)) js))); [|apply G; intros j; apply in_indices].
    induction js as [|j js IH]; intro R; [apply Qle_refl|]. cbn [map worth fold_right]. fold (worth l K (map (fun j => (large j, small (n - j)%Z)) js)).
    rewrite over_cons, inject_Z_plus. apply Qplus_le_compat; [|apply IH; intros i I; apply R; now right]. clear IH. specialize (R j (or_introl eq_refl)).
    cbn [fst snd]. set (E := Z.max 0 (gain l (large j) (K * small (n - j)))). destruct (B j R) as (Bl & _). destruct (B (n - j)%Z ltac:(lia)) as (_ & Bs0 & Bs).
    assert (m0 := mass_pos n j N R). assert (m0' := mass_pos n (n - j) N ltac:(lia)). assert (Em := group_mass n j M N R).
    assert (E0 : 0 <= inject_Z E) by (apply inject_0; unfold E; lia). assert (Kq := inject_0 K K0).
    assert (S : over (window M) (fun k => mass n j * (W * (if (group n k =? j)%Z then f k * X' k - inject_Z K * (f (k + n)%Z * Y' k) else 0))) <=
                over (window M) (fun k => inject_Z E * (if (group n k =? j)%Z then f k else 0))).
    { apply over_le. intros k _. destruct (Z.eqb_spec (group n k) j) as [Gk|]; [|lra]. assert (Ra := same_ratio n k N). rewrite Gk in Ra.
      assert (F0 : 0 <= f k) by (apply noise_0_or_more; assumption). assert (Hk := Known' k). assert (L0 : (0 <= large j)%Z).
      { apply Z.lt_le_incl. assert (0 < inject_Z (large j)) by (apply Qlt_le_trans with (2 := Bl), Qmult_lt_0_compat; assumption). change 0 with (inject_Z 0) in H. now rewrite <- Zlt_Qlt in H. }
      assert (Ga := gain_sound l (X' k) (Y' k) (large j) (K * small (n - j)%Z) Hk L0 ltac:(nia)). destruct Hk as (x0 & _ & y0 & _).
      assert (Le : inject_Z (gain l (large j) (K * small (n - j)%Z)) <= inject_Z E) by (apply inject_le; unfold E; lia). rewrite inject_Z_mult in Ga.
      set (fk := f k) in *. set (fn := f (k + n)%Z) in *. set (m := mass n j) in *. set (m' := mass n (n - j)) in *. set (Kz := inject_Z K) in *.
      set (x := X' k) in *. set (y := Y' k) in *. set (e := inject_Z E) in *. set (p := inject_Z (large j)) in *. set (p' := inject_Z (small (n - j)%Z)) in *.
      set (g := inject_Z (gain _ _ _)) in *. clearbody fk fn m m' Kz x y e p p' g.
      assert (A1 : W * m * x <= p * x) by nra. assert (A2 : Kz * p' * y <= Kz * (W * m') * y).
      { assert (0 <= Kz * y) by nra. assert (Kz * y * p' <= Kz * y * (W * m')) by nra. lra. }
      assert (A3 : W * m * x - Kz * (W * m') * y <= e) by lra.
      assert (A4 := times_le fk _ _ F0 A3). assert (A5 : Kz * W * y * (fk * m') == Kz * W * y * (fn * m)) by (rewrite Ra; ring). lra. }
    rewrite over_scale, over_scale, over_scale in S. apply (Qmult_le_l _ _ (mass n j) m0), Qle_trans with (1 := S).
    rewrite (Qmult_comm (mass n j)). now apply times_le.
  Qed.
  Lemma draw_sound n M : (n <> 0)%Z ->
    (forall j, (0 <= j <= Z.abs n)%Z -> W * mass (Z.abs n) j <= inject_Z (large j) /\ (0 <= small j)%Z /\ inject_Z (small j) <= W * mass (Z.abs n) j) ->
    W * half n X Y M <= inject_Z (worth l K (map (fun j => (large j, small (Z.abs n - j)%Z)) (indices (Z.abs n)))).
  Proof.
    intros N B. destruct (Z.leb_spec 0 n).
    - rewrite Z.abs_eq in * by lia. apply draw_up; [exact Known|lia|exact B].
    - rewrite Z.abs_neq in * by lia. eapply Qle_trans; [|apply (draw_up (- n) M (fun k => X (- k)%Z) (fun k => Y (- k)%Z)); [intro; apply Known|lia|exact B]].
      apply times_le; [easy|]. unfold half. rewrite <- reflect. apply Qle_lteq. right. apply over_ext. intros k _.
      assert (Even : forall i, f (- i)%Z == f i) by (intro i; unfold f; now apply noise_even).
      rewrite Even. replace (- k + n)%Z with (- (k + - n))%Z by ring. now rewrite Even.
  Qed.
End Draw.
