(** * Tables below every pre-fixed one

    A table that is post-fixed, and whose classes of equal values are emptied one rank after the other, is below every pre-fixed table: so it
    is a lower bound of ld. (Theorem A of docs/theory.md in its certificate form.) What is special about alpha = 1 is in [One.v]. *)
From Coq Require Import List NArith QArith Qminmax Lqa Lia.
From Prover Require Import Chain Distance Sums Sparse Rows.
Import ListNotations.
Open Scope Q_scope.

(** ** Weak duality *)

Section Duality.
  Variables (c : chain) (alpha : Q).
  Hypothesis Hc : markov c.

  Lemma spread {A} (l : list A) (pos : A -> N) (amt : A -> Q) f : (forall x, In x l -> In (pos x) (states c)) ->
    sum (map (fun x => amt x * f (pos x)) l) ==
    sum (map (fun k => f k * sum (map (fun x => if (pos x =? k)%N then amt x else 0) l)) (states c)).
  Proof.
    intro H. rewrite (sum_ext (states c) _ (fun k => sum (map (fun x => f k * (if (pos x =? k)%N then amt x else 0)) l))) by (intros; now rewrite sum_scale).
    rewrite sum_swap. apply sum_ext. intros x Hx.
    rewrite (sum_ext _ _ (fun k => if (pos x =? k)%N then amt x * f k else 0)) by (intros k _; destruct (pos x =? k)%N; ring).
    symmetry. apply (sum_at _ (pos x) (fun k => amt x * f k)); [apply states_nodup|now apply H].
  Qed.

  Lemma mean_at s f : In s (states c) -> mean c s f == sum (map (fun k => f k * at_ (next c s) k) (states c)).
  Proof.
    intro Hs. apply in_states in Hs. destruct (Hc s Hs) as [_ H]. unfold mean, at_.
    apply (spread (next c s) fst snd). intros [k p] Hk. apply in_states. now apply (H k p).
  Qed.

  Lemma duality w s t f : coupling c w -> In s (states c) -> In t (states c) ->
    mean c s f - alpha * mean c t f ==
    sum (map (fun m => amount m * (f (src m) - alpha * f (dst m))) w) + sum (map (fun k => f k * rest c alpha w s t k) (states c)).
  Proof.
    intros Hw Hs Ht. rewrite (mean_at s f Hs), (mean_at t f Ht).
    rewrite (sum_ext w _ (fun m => amount m * f (src m) + - alpha * (amount m * f (dst m)))) by (intros; ring).
    rewrite sum_plus, sum_scale.
    rewrite (spread w src amount f) by (intros m Hm; now apply Hw).
    rewrite (spread w dst amount f) by (intros m Hm; now apply Hw).
    rewrite <- (sum_scale (states c) (- alpha)), <- !sum_plus.
    setoid_replace (alpha * sum (map (fun k => f k * at_ (next c t) k) (states c))) with
      (- (sum (map (fun k => - alpha * (f k * at_ (next c t) k)) (states c)))) by (rewrite sum_scale; ring).
    unfold Qminus. rewrite Qopp_involutive, <- sum_plus. apply sum_ext. intros k _. unfold rest, leaving, arriving. ring.
  Qed.
End Duality.

(** ** The theorem *)
Section Least.
  Variables (c : chain) (alpha : Q) (d : N -> N -> Q) (rank : N -> N -> Q).
  Hypothesis Hc : markov c.
  Hypothesis Ha : 1 <= alpha.

  (** d is a table: *)
  Hypothesis d_pos : forall i j, 0 <= d i j.
  Hypothesis d_refl : forall i, d i i == 0.
  Hypothesis d_labels : forall i j, label c i <> label c j -> d i j == 1.
  Definition alike (p : N * N) := In (fst p) (states c) /\ In (snd p) (states c) /\ label c (fst p) = label c (snd p) /\ fst p <> snd p.

  (** post-fixed, where evidence is given: for each pair, or for one of its two directions. *)
  Definition potentials (f : N -> Q) : Prop :=
    (forall k, In k (states c) -> 0 <= f k /\ f k <= 1) /\ forall i j, In i (states c) -> In j (states c) -> f i - alpha * f j <= d i j.
  Variable given : N -> N -> bool.
  Definition swap (p : N * N) : N * N := (snd p, fst p).
  Hypothesis d_post : forall s t, alike (s, t) -> given s t = true -> 0 < d s t -> exists f, potentials f /\ d s t <= mean c s f - alpha * mean c t f.

  (** and every class of equal values is emptied in the order of ranks: *)
  (** S supports itself: each of its pairs is as far apart as can be, and has a coupling on S, of weight 1, that leaves nothing behind. *)
  Definition supported (S : N * N -> Prop) (p : N * N) : Prop := exists f w,
    (forall k, In k (states c) -> 0 <= f k /\ f k <= 1) /\ 1 <= mean c (fst p) f - alpha * mean c (snd p) f /\
    coupling c w /\ (forall k, In k (states c) -> rest c alpha w (fst p) (snd p) k == 0) /\
    sum (map amount w) == 1 /\ forall m, In m w -> amount m == 0 \/ S (src m, dst m).
  Definition supporting (S : N * N -> Prop) : Prop := forall p, S p -> alike p /\ (supported S p \/ supported S (swap p)).
  (** Pairs that are [apart] are in no such set. *)
  Variable apart : N -> N -> Prop.
  Hypothesis d_apart : forall S, supporting S -> forall p, S p -> ~ apart (fst p) (snd p).

  Hypothesis d_ranks : forall s t, alike (s, t) -> given s t = true -> 0 < d s t ->
    (exists f, potentials f /\ d s t < mean c s f - alpha * mean c t f) \/
    (exists g, (forall k, 0 <= g k) /\ 0 < mean c s g - alpha * mean c t g /\
       forall i j, alike (i, j) -> d i j == d s t -> rank s t <= rank i j -> g i <= alpha * g j) \/
    (d s t == 1 /\ apart s t).

  Lemma potentials_bound f w s t : potentials f -> coupling c w -> In s (states c) -> In t (states c) ->
    mean c s f - alpha * mean c t f <= cost c alpha d w s t.
  Proof.
    intros [F0 F1] Hw Hs Ht. rewrite (duality c alpha Hc w s t f Hw Hs Ht). unfold cost. apply Qplus_le_compat.
    - apply sum_le. intros m Hm. destruct (Hw m Hm) as (A & B & C). specialize (F1 _ _ B C). nra.
    - apply sum_le. intros k Hk. destruct (F0 k Hk). set (r := rest _ _ _ _ _ _). clearbody r.
      destruct (Q.max_spec 0 r) as [[? E]|[? E]]; rewrite E; nra.
  Qed.

  Variable d' : N -> N -> Q.
  Hypothesis Hd' : prefixed c alpha d'.
  (** Where evidence is given for the other direction only, both are equal. *)
  Hypothesis one_way : forall s t, given s t = false -> given t s = true /\ d s t == d t s /\ d' s t == d' t s /\ rank s t == rank t s.
  Definition face (p : N * N) : N * N := if given (fst p) (snd p) then p else swap p.

  Lemma mean_1 s : In s (states c) -> mean c s (fun _ => 1) == 1.
  Proof. intro Hs. apply in_states in Hs. destruct (Hc s Hs) as [E _]. rewrite <- E. unfold mean. apply sum_ext. intros; ring. Qed.

  (** For alpha > 1 a coupling that leaves nothing behind has total weight at most 1. *)
  Lemma weight w s t : 1 < alpha -> coupling c w -> In s (states c) -> In t (states c) -> (forall k, In k (states c) -> rest c alpha w s t k <= 0) ->
    sum (map amount w) <= 1.
  Proof.
    intros Above Hw Hs Ht H0. assert (D := duality c alpha Hc w s t (fun _ => 1) Hw Hs Ht). rewrite (mean_1 s Hs), (mean_1 t Ht) in D.
    assert (R : sum (map (fun k => 1 * rest c alpha w s t k) (states c)) <= 0).
    { rewrite <- (sum_0 (states c)). apply sum_le. intros k Hk. specialize (H0 k Hk). lra. }
    rewrite (sum_ext w _ (fun m => (1 - alpha) * amount m)) in D by (intros; ring). rewrite sum_scale in D.
    set (W := sum (map amount w)) in *. clearbody W. nra.
  Qed.

  Lemma pair_dec (p q : N * N) : {p = q} + {p <> q}.
  Proof. decide equality; apply N.eq_dec. Qed.
  Definition pairs := list_prod (states c) (states c).
  Definition D p := d (fst p) (snd p).
  Definition D' p := d' (fst p) (snd p).

  Lemma pairs_spec p : In p pairs <-> In (fst p) (states c) /\ In (snd p) (states c).
  Proof. destruct p. apply in_prod_iff. Qed.

  (** A coupling on S, of weight 1, that leaves nothing behind. *)
  Definition carried (S : N * N -> Prop) (p : N * N) (w : list move) : Prop :=
    coupling c w /\ (forall k, In k (states c) -> rest c alpha w (fst p) (snd p) k == 0) /\ sum (map amount w) == 1 /\
    forall m, In m w -> amount m == 0 \/ S (src m, dst m).

  (** No pairs of one value v > 0 have such couplings on themselves. *)
  Lemma no_class (S : N * N -> Prop) (S_dec : forall p, {S p} + {~ S p}) (v : Q) (p1 : N * N) : S p1 -> 0 < v ->
    (forall p, S p -> alike p /\ D p == v) -> (forall p, S p -> given (fst p) (snd p) = false -> S (swap p)) ->
    (forall p, S p -> given (fst p) (snd p) = true -> exists w, carried S p w) -> False.
  Proof.
    intros S1 v_pos S_alike S_swap self.
    assert (S_pairs : forall p, S p -> In p pairs) by (intros p Sp; apply pairs_spec; destruct (S_alike p Sp) as [(Hi & Hj & _) _]; now split).
    assert (S_face : forall p, S p -> S (face p) /\ given (fst (face p)) (snd (face p)) = true /\ rank (fst (face p)) (snd (face p)) == rank (fst p) (snd p)).
    { intros p Sp. unfold face. destruct (given (fst p) (snd p)) eqn:G; [now repeat split|].
      destruct (one_way _ _ G) as (G' & _ & _ & Er). split; [now apply S_swap|]. split; [exact G'|symmetry; exact Er]. }
    (* the first in rank *)
    destruct (argmin_such (fun p => rank (fst p) (snd p)) S S_dec pairs p1 (S_pairs p1 S1) S1) as (p0 & _ & S0 & First').
    destruct (S_face p0 S0) as (Sp & Gp & Rp). set (p := face p0) in *. clearbody p.
    assert (First : forall q, S q -> rank (fst p) (snd p) <= rank (fst q) (snd q)) by (intros q Sq; rewrite Rp; apply First'; [now apply S_pairs|assumption]).
    destruct (self p Sp Gp) as (w & Hw & Hrest & One & Hsupp). destruct (S_alike p Sp) as [(Hi & Hj & Hl & Hne) Vp].
    assert (Zero : forall g, sum (map (fun k => g k * rest c alpha w (fst p) (snd p) k) (states c)) == 0).
    { intro g. rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_0|]. intros k Hk. rewrite (Hrest k Hk). ring. }
    assert (Dp : 0 < d (fst p) (snd p)) by (fold (D p); lra).
    destruct (d_ranks (fst p) (snd p)) as [(f & [F0 F1] & Gf)|[(g & g_pos & Gg & Hg)|[V1 Ap]]]; [now repeat split|assumption|assumption| | |].
    - rewrite (duality c alpha Hc w _ _ f Hw Hi Hj), Zero in Gf. fold (D p) in Gf.
      assert (B : sum (map (fun m => amount m * (f (src m) - alpha * f (dst m))) w) <= sum (map (fun m => v * amount m) w)).
      { apply sum_le. intros m Hm. destruct (Hw m Hm) as [Am [Is Id]]. destruct (Hsupp m Hm) as [E|Sm]; [rewrite E; lra|].
        assert (B := F1 _ _ Is Id). destruct (S_alike _ Sm) as [_ Vm]. unfold D in Vm. cbn [fst snd] in Vm. nra. }
      rewrite sum_scale, One in B. lra.
    - rewrite (duality c alpha Hc w _ _ g Hw Hi Hj), Zero in Gg.
      assert (B : sum (map (fun m => amount m * (g (src m) - alpha * g (dst m))) w) <= 0); [|lra].
      rewrite <- (sum_0 w). apply sum_le. intros m Hm. destruct (Hw m Hm) as [Am [Is Id]].
      destruct (Hsupp m Hm) as [E|Sm]; [rewrite E; lra|]. destruct (S_alike _ Sm) as [Al Vm].
      assert (G : g (src m) <= alpha * g (dst m)); [|nra]. apply Hg; [assumption| |exact (First _ Sm)].
      unfold D in Vm, Vp. cbn in Vm. rewrite Vm, Vp. reflexivity.
    - refine (d_apart S _ p Sp Ap). intros q Sq. split; [now apply S_alike|].
      assert (Sup : forall r, S r -> given (fst r) (snd r) = true -> supported S r).
      { intros r Sr Gr. destruct (self r Sr Gr) as (wr & A1 & A2 & A3 & A4). destruct (S_alike r Sr) as [Al Vr]. unfold D in Vr, Vp.
        destruct (d_post (fst r) (snd r)) as (f & [F0 _] & Gf); [exact Al|exact Gr|lra|].
        exists f, wr. split; [exact F0|]. split; [lra|]. split; [exact A1|]; split; [exact A2|]; split; [exact A3|exact A4]. }
      destruct (S_face q Sq) as (Sf & Gf & _). unfold face in Sf, Gf. destruct (given (fst q) (snd q)) eqn:G.
      + left. now apply Sup.
      + right. now apply Sup.
  Qed.

  (** The pairs at which the ratio of d' to d is c0. *)
  Definition at_ratio c0 p := 0 < D p /\ D' p == c0 * D p.
  Lemma at_ratio_dec c0 p : {at_ratio c0 p} + {~ at_ratio c0 p}.
  Proof. unfold at_ratio. destruct (dec_lt 0 (D p)); [|right; tauto]. destruct (Qeq_dec (D' p) (c0 * D p)); [left|right]; tauto. Qed.

  (** If d is not below d', the pairs with the least ratio have couplings that leave nothing behind and live on these pairs and on zeros of both tables. *)
  Lemma least_ratio s0 t0 : In s0 (states c) -> In t0 (states c) -> d' s0 t0 < d s0 t0 -> exists c0 p0,
    In p0 pairs /\ at_ratio c0 p0 /\ (forall p, In p pairs -> at_ratio c0 p -> alike p) /\
    forall p, In p pairs -> at_ratio c0 p -> given (fst p) (snd p) = true -> exists w, coupling c w /\
      (forall k, In k (states c) -> rest c alpha w (fst p) (snd p) k <= 0) /\
      forall m, In m w -> amount m == 0 \/ (D (src m, dst m) == 0 /\ D' (src m, dst m) == 0) \/ at_ratio c0 (src m, dst m).
  Proof.
    intros Hs0 Ht0 Bad.
    assert (P' : forall p, In p pairs -> 0 <= D' p) by (intros p H; apply pairs_spec in H as [Hi Hj]; now apply Hd').
    destruct (argmin_such (fun p => D' p / D p) (fun p => 0 < D p) (fun p => dec_lt 0 (D p)) pairs (s0, t0)) as (p0 & Hp0 & Pp0 & Mp0).
    { now apply pairs_spec. }
    { unfold D; cbn. assert (0 <= d' s0 t0) by now apply Hd'. lra. }
    set (c0 := D' p0 / D p0) in *. exists c0, p0.
    assert (c0_pos : 0 <= c0) by (apply Qle_shift_div_l; [assumption|]; specialize (P' p0 Hp0); lra).
    assert (ratio : forall p, In p pairs -> c0 * D p <= D' p).
    { intros p Hp. destruct (Qlt_le_dec 0 (D p)) as [H|H].
      - specialize (Mp0 p Hp H). apply (Qmult_le_compat_r _ _ (D p)) in Mp0; [|lra].
        setoid_replace (D' p / D p * D p) with (D' p) in Mp0 by (field; lra). exact Mp0.
      - assert (D p == 0) by (assert (0 <= D p) by apply d_pos; lra). specialize (P' p Hp). nra. }
    assert (c0_1 : c0 < 1).
    { assert (B := ratio (s0, t0) (proj2 (pairs_spec (s0, t0)) (conj Hs0 Ht0))). unfold D, D' in B; cbn in B. assert (0 <= d' s0 t0) by now apply Hd'.
      apply Qnot_le_lt. intro. assert (d s0 t0 <= c0 * d s0 t0) by (assert (0 <= d s0 t0) by apply d_pos; nra). lra. }
    assert (M_alike : forall p, In p pairs -> at_ratio c0 p -> alike p).
    { intros p Hp [A B]. apply pairs_spec in Hp as [Hi Hj]. destruct (Hd' _ _ Hi Hj) as (_ & L & _).
      repeat split; try assumption.
      - destruct (N.eq_dec (label c (fst p)) (label c (snd p))) as [|H]; [assumption|]. specialize (L H).
        unfold D, D' in *. rewrite (d_labels _ _ H) in *. lra.
      - intro H. unfold D in A. rewrite H, d_refl in A. lra. }
    split; [assumption|]. split; [split; [assumption|unfold c0; field; lra]|]. split; [exact M_alike|].
    intros p Hp Mp Gp. destruct (M_alike p Hp Mp) as (Hi & Hj & Hl & Hne). destruct Mp as [Dp Ep].
    destruct (Hd' _ _ Hi Hj) as (_ & _ & C). destruct (C Hl Hne) as (w & Hw & Cw). clear C.
    assert (post : d (fst p) (snd p) <= cost c alpha d w (fst p) (snd p)).
    { destruct (d_post (fst p) (snd p)) as (f & Pf & Gf); [now repeat split|assumption|assumption|].
      eapply Qle_trans; [exact Gf|]. now apply potentials_bound. }
    unfold cost in *. set (H := sum (map (fun k => Qmax 0 _) _)) in *.
    assert (Hpos : forall k, In k (states c) -> 0 <= Qmax 0 (rest c alpha w (fst p) (snd p) k)) by (intros; apply Q.le_max_l).
    assert (H_pos : 0 <= H) by (apply sum_pos; exact Hpos).
    assert (wp : forall m, In m w -> In (src m, dst m) pairs) by (intros m Hm; apply pairs_spec; now apply Hw).
    assert (Apos : forall m, In m w -> 0 <= amount m * (D' (src m, dst m) - c0 * D (src m, dst m))).
    { intros m Hm. assert (R := ratio _ (wp m Hm)). destruct (Hw m Hm) as [Am _]. nra. }
    assert (A_pos := sum_pos w _ Apos).
    assert (A_eq : sum (map (fun m => amount m * (D' (src m, dst m) - c0 * D (src m, dst m))) w) ==
                   sum (map (fun m => amount m * d' (src m) (dst m)) w) - c0 * sum (map (fun m => amount m * d (src m) (dst m)) w)).
    { rewrite (sum_ext w _ (fun m => amount m * d' (src m) (dst m) + - c0 * (amount m * d (src m) (dst m)))) by (intros; unfold D, D'; cbn; ring).
      rewrite sum_plus, sum_scale. ring. }
    set (A := sum (map (fun m => amount m * (D' _ - c0 * D _)) w)) in *.
    set (W := sum (map (fun m => amount m * d (src m) (dst m)) w)) in *.
    set (W' := sum (map (fun m => amount m * d' (src m) (dst m)) w)) in *.
    unfold D, D' in Ep. cbn in Ep. assert (Tot : A + (1 - c0) * H <= 0) by nra.
    assert (H0 : H <= 0) by nra. assert (A0 : A <= 0) by nra.
    exists w. split; [exact Hw|]. split.
    - intros k Hk. assert (Z := sum_zero (states c) _ Hpos H0 k Hk). cbn in Z. rewrite <- Z. apply Q.le_max_r.
    - intros m Hm. assert (Z := sum_zero w _ Apos A0 m Hm). cbn in Z.
      destruct (Hw m Hm) as [Am _]. destruct (Qlt_le_dec 0 (amount m)) as [Pm|]; [right|left; lra].
      assert (E : D' (src m, dst m) == c0 * D (src m, dst m)).
      { assert (D' (src m, dst m) - c0 * D (src m, dst m) == 0) by (apply Qmult_integral in Z as [Z|Z]; lra). lra. }
      destruct (Qlt_le_dec 0 (D (src m, dst m))) as [Pd|Pd]; [right; now split|left].
      assert (0 <= D (src m, dst m)) by apply d_pos. assert (Z0 : D (src m, dst m) == 0) by lra. split; [exact Z0|]. rewrite E, Z0. ring.
  Qed.

  (** For alpha > 1 the largest value at the least ratio would have a class that supports itself. *)
  Theorem least_above s0 t0 : 1 < alpha -> In s0 (states c) -> In t0 (states c) -> d s0 t0 <= d' s0 t0.
  Proof.
    intros Above Hs0 Ht0. apply Qnot_lt_le. intro Bad.
    destruct (least_ratio s0 t0 Hs0 Ht0 Bad) as (c0 & p0 & Hp0 & M0 & M_alike & key).
    destruct (argmin_such (fun p => - D p) (at_ratio c0) (at_ratio_dec c0) pairs p0 Hp0 M0) as (p1 & Hp1 & M1 & Max).
    apply (no_class (fun p => In p pairs /\ at_ratio c0 p /\ D p == D p1)) with (v := D p1) (p1 := p1).
    - intro p. destruct (at_ratio_dec c0 p); [|right; tauto]. destruct (Qeq_dec (D p) (D p1)); [|right; tauto].
      destruct (in_dec pair_dec p pairs); [left|right]; tauto.
    - split; [exact Hp1|]. split; [exact M1|reflexivity].
    - apply M1.
    - intros p (Hp & Mp & Vp). split; [now apply M_alike|assumption].
    - intros p (Hp & [Dp Ep] & Vp) G. destruct (one_way _ _ G) as (_ & Ed & Ed' & _). apply pairs_spec in Hp as [Hi Hj].
      unfold at_ratio, D, D', swap in *. cbn [fst snd]. split; [now apply pairs_spec|]. rewrite <- Ed, <- Ed'. tauto.
    - intros p (Hp & Mp & Vp) Gp. destruct (key p Hp Mp Gp) as (w & Hw & Hrest & Hsupp). destruct (M_alike p Hp Mp) as (Hi & Hj & Hl & Hne).
      assert (Wt := weight w _ _ Above Hw Hi Hj Hrest). destruct Mp as [Dp Ep].
      assert (Top : forall m, In m w -> 0 <= amount m * (D p - D (src m, dst m))).
      { intros m Hm. destruct (Hw m Hm) as [Am [Is Id]]. destruct (Hsupp m Hm) as [E|[[E _]|E]]; [rewrite E; lra|nra|].
        specialize (Max _ (proj2 (pairs_spec (src m, dst m)) (conj Is Id)) E). cbn in Max. nra. }
      assert (Top_eq : sum (map (fun m => amount m * (D p - D (src m, dst m))) w) ==
                       D p * sum (map amount w) - sum (map (fun m => amount m * D (src m, dst m)) w)).
      { rewrite (sum_ext w _ (fun m => D p * amount m + - (1) * (amount m * D (src m, dst m)))) by (intros; ring).
        rewrite sum_plus, !sum_scale. ring. }
      assert (Gd : D p <= sum (map (fun m => amount m * D (src m, dst m)) w)).
      { destruct (d_post (fst p) (snd p)) as (f & Pf & Gf); [now repeat split|assumption|assumption|].
        eapply Qle_trans; [exact Gf|]. assert (B := potentials_bound f w (fst p) (snd p) Pf Hw Hi Hj). unfold cost in B.
        rewrite (sum_ext (states c) _ (fun _ => 0)), sum_0, Qplus_0_r in B by (intros k Hk; apply Q.max_l; now apply Hrest). exact B. }
      assert (B := sum_pos w _ Top).
      assert (One : sum (map amount w) == 1) by (assert (D p * (1 - sum (map amount w)) <= 0) by lra; nra).
      rewrite One in Top_eq. exists w. split; [exact Hw|]. split; [|split; [exact One|]].
      + assert (Du := duality c alpha Hc w _ _ (fun _ => 1) Hw Hi Hj).
        rewrite (mean_1 _ Hi), (mean_1 _ Hj), (sum_ext w _ (fun m => (1 - alpha) * amount m)), sum_scale, One in Du by (intros; ring).
        assert (Z := sum_zero (states c) (fun k => - rest c alpha w (fst p) (snd p) k)).
        intros k Hk. assert (E : - rest c alpha w (fst p) (snd p) k == 0); [|lra]. apply Z; [intros x Hx; specialize (Hrest x Hx); lra| |assumption].
        rewrite (sum_ext _ _ (fun k => - (1) * (1 * rest c alpha w (fst p) (snd p) k))) by (intros; ring). rewrite sum_scale. lra.
      + intros m Hm. destruct (Hw m Hm) as [Am [Is Id]]. destruct (Qlt_le_dec 0 (amount m)) as [Pm|]; [right|left; lra].
        assert (Z : amount m * (D p - D (src m, dst m)) == 0) by (apply (sum_zero w _ Top); [lra|assumption]).
        assert (E : D p - D (src m, dst m) == 0) by (destruct (Qmult_integral _ _ Z) as [E|E]; lra).
        split; [now apply pairs_spec|]. split; [|lra]. destruct (Hsupp m Hm) as [?|[[? ?]|?]]; [lra|lra|assumption].
  Qed.
End Least.
