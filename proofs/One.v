(** * Tables below every pre-fixed one, at alpha = 1, too

    At alpha = 1 a coupling that leaves nothing behind may move more than there is. But states that such couplings bring together are
    bisimilar, and bisimilar states have an ordinary coupling, of weight 1, on bisimilar states. (docs/theory.md, *Lower tables at α = 1*.) *)
From Coq Require Import List NArith QArith Qminmax Lqa Lia Bool.
From Prover Require Import Chain Distance Sums Sparse Rows Least.
Import ListNotations.
Open Scope Q_scope.

Definition bit (b : bool) : Q := if b then 1 else 0.

(** ** Ordinary couplings of states that a relation brings together *)
Section Together.
  Variables (c : chain) (R : N * N -> Prop).
  Hypothesis Hc : markov c.

  (** What closed sets do not separate. *)
  Definition closed (T : N -> bool) : Prop := forall p, R p -> T (fst p) = T (snd p).
  Definition together (i j : N) : Prop := forall T, closed T -> T i = T j.
  Definition chance_of (T : N -> bool) (s : N) : Q := mean c s (fun k => bit (T k)).
  Hypothesis R_equal : forall p, R p -> In (fst p) (states c) /\ In (snd p) (states c) /\ label c (fst p) = label c (snd p) /\
    forall T, closed T -> chance_of T (fst p) == chance_of T (snd p).

  Lemma together_label i j : together i j -> label c i = label c j.
  Proof.
    intro H. specialize (H (fun k => (label c k =? label c j)%N)). cbv beta in H. rewrite N.eqb_refl in H. apply N.eqb_eq, H.
    intros p Rp. destruct (R_equal p Rp) as (_ & _ & -> & _). reflexivity.
  Qed.
  Lemma together_equal i j T : together i j -> closed T -> chance_of T i == chance_of T j.
  Proof.
    intros H Tc. specialize (H (fun k => Qeq_bool (chance_of T k) (chance_of T j))). cbv beta in H.
    assert (E : Qeq_bool (chance_of T j) (chance_of T j) = true) by (apply Qeq_bool_iff; reflexivity).
    rewrite E in H. apply Qeq_bool_iff, H. intros p Rp. destruct (R_equal p Rp) as (_ & _ & _ & Eq). specialize (Eq T Tc).
    apply eq_iff_eq_true. rewrite !Qeq_bool_iff. now rewrite Eq.
  Qed.

  (** The product of both rows, within classes. *)
  Variable E : N -> N -> bool.
  Hypothesis E_spec : forall i j, In i (states c) -> In j (states c) -> (E i j = true <-> together i j).

  Lemma E_refl i : In i (states c) -> E i i = true.
  Proof. intro Hi. apply E_spec; [assumption|assumption|]. now intros T _. Qed.
  Lemma E_same i j k : In i (states c) -> In j (states c) -> In k (states c) -> together i j -> E k i = E k j.
  Proof.
    intros Hi Hj Hk H. apply eq_iff_eq_true. rewrite !E_spec by assumption. split; intros K T Tc; rewrite (K T Tc); [|symmetry]; now apply H.
  Qed.
  Lemma E_swap i j : In i (states c) -> In j (states c) -> E i j = E j i.
  Proof. intros Hi Hj. apply eq_iff_eq_true. rewrite !E_spec by assumption. split; intros K T Tc; symmetry; now apply K. Qed.
  Lemma E_closed k : In k (states c) -> closed (E k).
  Proof. intros Hk p Rp. destruct (R_equal p Rp) as (Hi & Hj & _). apply E_same; try assumption. intros T Tc. now apply Tc. Qed.

  Variables (s t : N).
  Hypothesis (Hs : In s (states c)) (Ht : In t (states c)) (Hst : together s t).
  Let share k := chance_of (E k) t.
  Definition product : list move :=
    map (fun '(kx, ly) => (fst kx, fst ly, bit (E (fst kx) (fst ly)) * (snd kx * snd ly / chance_of (E (fst kx)) t))) (list_prod (next c s) (next c t)).

  Lemma row u k x : In u (states c) -> In (k, x) (next c u) -> 0 <= x /\ In k (states c).
  Proof. intros Hu I. apply in_states in Hu. destruct (Hc u Hu) as [_ H]. destruct (H k x I). split; [assumption|now apply in_states]. Qed.
  Lemma bit_bounds b : 0 <= bit b /\ bit b <= 1.
  Proof. destruct b; cbn; lra. Qed.
  Lemma chance_pos u T : In u (states c) -> 0 <= chance_of T u.
  Proof. intro Hu. apply sum_pos. intros [k x] I. destruct (row u k x Hu I) as [X _]. assert (B := bit_bounds (T k)). cbn. nra. Qed.
  Lemma share_s k : In k (states c) -> chance_of (E k) s == share k.
  Proof. intro Hk. apply together_equal; [assumption|now apply E_closed]. Qed.

  Lemma product_coupling : coupling c product.
  Proof.
    intros m Hm. apply in_map_iff in Hm as (((k, x), (l, y)) & <- & I). apply in_prod_iff in I as [Ix Iy].
    destruct (row s k x Hs Ix) as [X Hk], (row t l y Ht Iy) as [Y Hl]. unfold amount, src, dst. cbn [fst snd]. repeat split; try assumption.
    assert (B := bit_bounds (E k l)). assert (V := Qinv_le_0_compat _ (chance_pos t (E k) Ht)). unfold Qdiv.
    set (v := / _) in *. clearbody v. assert (0 <= x * y) by nra. assert (0 <= x * y * v) by nra. nra.
  Qed.
  Lemma product_together m : In m product -> amount m == 0 \/ E (src m) (dst m) = true.
  Proof.
    intro Hm. apply in_map_iff in Hm as (((k, x), (l, y)) & <- & I). unfold amount, src, dst. cbn [fst snd].
    destruct (E k l); [now right|left; cbn [bit]; ring].
  Qed.

  Lemma sum_app l l' : sum (l ++ l') == sum l + sum l'.
  Proof. induction l as [|x l IH]; cbn [app]; rewrite ?sum_cons, ?sum_nil; [ring|]. rewrite IH. ring. Qed.
  Lemma sum_prod {A B} (f : A * B -> Q) (l : list A) (l' : list B) :
    sum (map f (list_prod l l')) == sum (map (fun x => sum (map (fun y => f (x, y)) l')) l).
  Proof.
    induction l as [|x l IH]; [reflexivity|]. cbn [list_prod map]. rewrite map_app, sum_app, map_map, sum_cons, IH. reflexivity.
  Qed.
  Lemma all_or_none a v : (v == 0 -> a == 0) -> a / v * v == a.
  Proof. intro H. destruct (Qeq_dec v 0) as [Z|Z]; [rewrite (H Z); unfold Qdiv; ring|field; exact Z]. Qed.
  Lemma none u k x : In u (states c) -> In (k, x) (next c u) -> chance_of (E k) u == 0 -> x == 0.
  Proof.
    intros Hu I Z. destruct (row u k x Hu I) as [X Hk].
    assert (P := sum_zero (next c u) (fun kp => snd kp * bit (E k (fst kp)))). unfold chance_of, mean in Z. rewrite Z in P.
    specialize (P ltac:(intros [l y] J; destruct (row u l y Hu J) as [Y _]; assert (B := bit_bounds (E k l)); cbn; nra) ltac:(lra) (k, x) I).
    cbn [fst snd] in P. rewrite (E_refl k Hk) in P. cbn [bit] in P. lra.
  Qed.

  Lemma product_leaves h : sum (map (fun m => amount m * h (src m)) product) == mean c s h.
  Proof.
    unfold product. rewrite map_map, sum_prod. unfold mean. apply sum_ext. intros (k, x) Ix. destruct (row s k x Hs Ix) as [_ Hk].
    rewrite (sum_ext (next c t) _ (fun ly => x * h k / share k * (snd ly * bit (E k (fst ly))))).
    2: { intros (l, y) _. unfold amount, src, share. cbn [fst snd]. unfold Qdiv. ring. }
    rewrite sum_scale. change (sum (map (fun ly => snd ly * bit (E k (fst ly))) (next c t))) with (share k). apply all_or_none.
    intro Z. cbn [fst snd]. rewrite (none s k x Hs Ix); [ring|]. now rewrite share_s.
  Qed.
  Lemma product_arrives h : sum (map (fun m => amount m * h (dst m)) product) == mean c t h.
  Proof.
    unfold product. rewrite map_map, sum_prod, sum_swap. unfold mean. apply sum_ext. intros (l, y) Iy. destruct (row t l y Ht Iy) as [_ Hl].
    rewrite (sum_ext (next c s) _ (fun kx => y * h l / share l * (snd kx * bit (E l (fst kx))))).
    2: { intros (k, x) Ix. destruct (row s k x Hs Ix) as [_ Hk]. unfold amount, dst. cbn [fst snd]. rewrite (E_swap l k Hl Hk).
         destruct (E k l) eqn:K; [|cbn [bit]; ring].
         assert (Sh : chance_of (E k) t == share l).
         { unfold share, chance_of, mean. apply sum_ext. intros (i, z) Iz. destruct (row t i z Ht Iz) as [_ Hi]. cbn [fst snd].
           rewrite (E_swap k i Hk Hi), (E_swap l i Hl Hi), (E_same k l i Hk Hl Hi); [reflexivity|]. now apply E_spec. }
         rewrite Sh. unfold Qdiv. ring. }
    rewrite sum_scale. change (sum (map (fun kx => snd kx * bit (E l (fst kx))) (next c s))) with (chance_of (E l) s). rewrite (share_s l Hl).
    apply all_or_none. intro Z. cbn [fst snd]. rewrite (none t l y Ht Iy Z). ring.
  Qed.

  Lemma product_rest alpha k : rest c alpha product s t k == 0.
  Proof.
    assert (A := product_leaves (fun i => bit (i =? k)%N)). assert (B := product_arrives (fun i => bit (i =? k)%N)).
    unfold rest, leaving, arriving, at_. unfold mean in A, B.
    assert (Pull : forall {X} (l : list X) (pos : X -> N) (amt : X -> Q),
      sum (map (fun x => if (pos x =? k)%N then amt x else 0) l) == sum (map (fun x => amt x * bit (pos x =? k)%N) l)).
    { intros X l pos amt. apply sum_ext. intros x _. destruct (pos x =? k)%N; cbn [bit]; ring. }
    rewrite !Pull, A, B. ring.
  Qed.
  Lemma product_weight : sum (map amount product) == 1.
  Proof.
    rewrite (sum_ext product amount (fun m => amount m * (fun _ => 1) (src m))) by (intros; ring).
    rewrite (product_leaves (fun _ => 1)). now apply mean_1.
  Qed.
End Together.

(** ** The theorem *)

(** For a finite list nothing contradicts that a property decides it. *)
Lemma decided (P : N * N -> Prop) l : ~ ~ exists b : N * N -> bool, forall p, In p l -> (b p = true <-> P p).
Proof.
  induction l as [|q l IH]; intro No; [apply No; now exists (fun _ => true)|]. apply IH. intros [b Hb].
  assert (D : ~ ~ (P q \/ ~ P q)) by tauto. apply D. intros [Y|Y]; apply No; [exists (fun p => if pair_dec p q then true else b p)|exists (fun p => if pair_dec p q then false else b p)];
    intros p Hp; (destruct (pair_dec p q) as [->|Ne]; [split; intro; [first [assumption|discriminate]|first [reflexivity|tauto]]|apply Hb; destruct Hp; [congruence|assumption]]).
Qed.

Section One.
  Variables (c : chain) (alpha : Q) (d : N -> N -> Q) (rank : N -> N -> Q) (given : N -> N -> bool) (apart : N -> N -> Prop) (d' : N -> N -> Q).
  Hypothesis Hc : markov c.
  Hypothesis Ha : 1 <= alpha.
  Hypothesis d_pos : forall i j, 0 <= d i j.
  Hypothesis d_refl : forall i, d i i == 0.
  Hypothesis d_labels : forall i j, label c i <> label c j -> d i j == 1.
  Hypothesis d_post : forall s t, alike c (s, t) -> given s t = true -> 0 < d s t ->
    exists f, potentials c alpha d f /\ d s t <= mean c s f - alpha * mean c t f.
  Hypothesis d_apart : forall S, supporting c alpha S -> forall p, S p -> ~ apart (fst p) (snd p).
  Hypothesis d_ranks : forall s t, alike c (s, t) -> given s t = true -> 0 < d s t ->
    (exists f, potentials c alpha d f /\ d s t < mean c s f - alpha * mean c t f) \/
    (exists g, (forall k, 0 <= g k) /\ 0 < mean c s g - alpha * mean c t g /\
       forall i j, alike c (i, j) -> d i j == d s t -> rank s t <= rank i j -> g i <= alpha * g j) \/
    (d s t == 1 /\ apart s t).
  Hypothesis Hd' : prefixed c alpha d'.
  Hypothesis one_way : forall s t, given s t = false -> given t s = true /\ d s t == d t s /\ d' s t == d' t s /\ rank s t == rank t s.

  Notation D := (D d).
  Notation D' := (D' d').
  Notation pairs := (pairs c).

  (** At alpha = 1: a coupling on R, and on the diagonal, that leaves nothing behind. *)
  Lemma carried_equal (R : N * N -> Prop) s t w : alpha == 1 -> In s (states c) -> In t (states c) -> coupling c w ->
    (forall k, In k (states c) -> rest c alpha w s t k <= 0) -> (forall m, In m w -> amount m == 0 \/ src m = dst m \/ R (src m, dst m)) ->
    forall T, closed R T -> chance_of c T s == chance_of c T t.
  Proof.
    intros A1 Hs Ht Hw Hrest Hsupp.
    assert (Le : forall T, closed R T -> chance_of c T s <= chance_of c T t).
    { intros T Tc. assert (Du := duality c alpha Hc w s t (fun k => bit (T k)) Hw Hs Ht). fold (chance_of c T s) (chance_of c T t) in Du.
      assert (Z : sum (map (fun m => amount m * (bit (T (src m)) - alpha * bit (T (dst m)))) w) == 0).
      { rewrite (sum_ext w _ (fun _ => 0)); [apply sum_0|]. intros m Hm. rewrite A1. destruct (Hsupp m Hm) as [E|[E|E]]; [rewrite E; ring|rewrite E; ring|].
        specialize (Tc _ E). cbn [fst snd] in Tc. rewrite Tc. ring. }
      assert (B : sum (map (fun k => bit (T k) * rest c alpha w s t k) (states c)) <= 0).
      { rewrite <- (sum_0 (states c)). apply sum_le. intros k Hk. specialize (Hrest k Hk). destruct (T k); cbn [bit]; lra. }
      rewrite A1 in Du at 1. lra. }
    intros T Tc. assert (L := Le T Tc). assert (L' := Le (fun k => negb (T k)) ltac:(intros p Rp; now rewrite (Tc p Rp))).
    assert (Co : forall u, In u (states c) -> chance_of c (fun k => negb (T k)) u == 1 - chance_of c T u).
    { intros u Hu. rewrite <- (mean_1 c Hc u Hu). unfold chance_of, mean, Qminus.
      setoid_replace (- sum (map (fun kp => snd kp * bit (T (fst kp))) (next c u))) with (sum (map (fun kp => - (1) * (snd kp * bit (T (fst kp)))) (next c u))) by (rewrite sum_scale; ring).
      rewrite <- sum_plus. apply sum_ext. intros kp _. destruct (T (fst kp)); cbn [negb bit]; ring. }
    rewrite (Co s Hs), (Co t Ht) in L'. lra.
  Qed.

  Theorem least s0 t0 : In s0 (states c) -> In t0 (states c) -> d s0 t0 <= d' s0 t0.
  Proof.
    destruct (Qlt_le_dec 1 alpha) as [Above|Below]; [now apply least_above with (alpha := alpha) (rank := rank) (given := given) (apart := apart)|].
    intros Hs0 Ht0. assert (A1 : alpha == 1) by lra. apply Qnot_lt_le. intro Bad.
    destruct (least_ratio c alpha d Hc d_pos d_refl d_labels given d_post d' Hd' s0 t0 Hs0 Ht0 Bad) as (c0 & p0 & Hp0 & M0 & M_alike & key).
    (* the pairs at the least ratio, and the zeros of d', have couplings on each other *)
    set (R := fun p => alike c p /\ (at_ratio d d' c0 p \/ D' p == 0)).
    assert (R_equal : forall p, R p -> In (fst p) (states c) /\ In (snd p) (states c) /\ label c (fst p) = label c (snd p) /\
      forall T, closed R T -> chance_of c T (fst p) == chance_of c T (snd p)).
    { intros p [(Hi & Hj & Hl & Hne) Rp]. repeat split; try assumption. destruct Rp as [Mp|Zp].
      - assert (Hp : In p pairs) by now apply pairs_spec.
        assert (One_way : forall q, In q pairs -> at_ratio d d' c0 q -> given (fst q) (snd q) = true -> forall T, closed R T -> chance_of c T (fst q) == chance_of c T (snd q)).
        { intros q Hq Mq Gq. destruct (key q Hq Mq Gq) as (w & Hw & Hrest & Hsupp). assert (Hq' := Hq). apply pairs_spec in Hq' as [Qi Qj].
          apply carried_equal with (w := w); try assumption.
          intros m Hm. destruct (Hw m Hm) as [_ [Is Id]]. destruct (Hsupp m Hm) as [E|[[E E']|E]]; [now left| |].
          - right. destruct (N.eq_dec (src m) (dst m)) as [|Ne]; [now left|right]. split; [|now right]. repeat split; try assumption. cbn [fst snd].
            destruct (N.eq_dec (label c (src m)) (label c (dst m))) as [|Hm']; [assumption|]. unfold D in E. cbn in E. rewrite (d_labels _ _ Hm') in E. lra.
          - right; right. split; [|now left]. apply M_alike; [now apply pairs_spec|assumption]. }
        destruct (given (fst p) (snd p)) eqn:G; [now apply One_way|]. destruct (one_way _ _ G) as (G' & Ed & Ed' & _).
        intros T Tc. symmetry. apply (One_way (swap p)); [now apply pairs_spec| |exact G'|exact Tc].
        unfold at_ratio, D, D', swap in *. cbn [fst snd] in *. rewrite <- Ed, <- Ed'. exact Mp.
      - destruct (Hd' _ _ Hi Hj) as (_ & _ & C). destruct (C Hl Hne) as (w & Hw & Cw). clear C. unfold cost in Cw. change (d' (fst p) (snd p)) with (D' p) in Cw.
        assert (P1 : forall m, In m w -> 0 <= amount m * d' (src m) (dst m)).
        { intros m Hm. destruct (Hw m Hm) as [Am [Is Id]]. destruct (Hd' _ _ Is Id) as [Dm _]. nra. }
        assert (P2 : forall k, In k (states c) -> 0 <= Qmax 0 (rest c alpha w (fst p) (snd p) k)) by (intros; apply Q.le_max_l).
        assert (S1 := sum_pos w _ P1). assert (S2 := sum_pos (states c) _ P2).
        apply carried_equal with (w := w); try assumption.
        + intros k Hk. assert (Z := sum_zero (states c) _ P2 ltac:(lra) k Hk). cbn in Z. rewrite <- Z. apply Q.le_max_r.
        + intros m Hm. destruct (Hw m Hm) as [_ [Is Id]]. destruct (Qmult_integral _ _ (sum_zero w _ P1 ltac:(lra) m Hm)) as [Z|Z]; [now left|right].
          destruct (N.eq_dec (src m) (dst m)) as [|Ne]; [now left|right]. split; [|now right]. repeat split; try assumption. cbn [fst snd].
          destruct (N.eq_dec (label c (src m)) (label c (dst m))) as [|Hm']; [assumption|].
          destruct (Hd' _ _ Is Id) as (_ & L & _). specialize (L Hm'). lra. }
    (* of the pairs that they bring together those with the largest value support each other *)
    apply (decided (fun p => together R (fst p) (snd p)) pairs). intros [b Hb].
    set (E := fun i j => b (i, j)).
    assert (E_spec : forall i j, In i (states c) -> In j (states c) -> (E i j = true <-> together R i j)) by (intros i j Hi Hj; apply (Hb (i, j)); now apply pairs_spec).
    assert (E0 : b p0 = true) by (apply Hb; [assumption|]; intros T Tc; apply Tc; split; [now apply M_alike|now left]).
    destruct (argmin_such (fun p => - D p) (fun p => b p = true) (fun p => bool_dec (b p) true) pairs p0 Hp0 E0) as (p1 & Hp1 & E1 & Max).
    assert (V1 : 0 < D p1) by (specialize (Max p0 Hp0 E0); cbn in Max; destruct M0; lra).
    apply (no_class c alpha d rank Hc given d_post apart d_apart d_ranks d' one_way (fun p => In p pairs /\ b p = true /\ D p == D p1)) with (v := D p1) (p1 := p1).
    - intro p. destruct (bool_dec (b p) true); [|right; tauto]. destruct (Qeq_dec (D p) (D p1)); [|right; tauto].
      destruct (in_dec pair_dec p pairs); [left|right]; tauto.
    - split; [exact Hp1|]. split; [exact E1|reflexivity].
    - exact V1.
    - intros p (Hp & Ep & Vp). split; [|assumption]. assert (Hp' := Hp). apply pairs_spec in Hp' as [Hi Hj]. repeat split; try assumption.
      + apply (together_label c R R_equal). now apply Hb.
      + intro Eq. unfold D in Vp, V1. rewrite Eq, d_refl in Vp. lra.
    - intros p (Hp & Ep & Vp) G. destruct (one_way _ _ G) as (_ & Ed & _). assert (Hp' := Hp). apply pairs_spec in Hp' as [Hi Hj].
      unfold D, swap in *. cbn [fst snd]. split; [now apply pairs_spec|]. split; [|now rewrite <- Ed].
      apply E_spec; [assumption|assumption|]. apply Hb in Ep; [|assumption]. intros T Tc. symmetry. now apply Ep.
    - intros p (Hp & Ep & Vp) Gp. assert (Hp' := Hp). apply pairs_spec in Hp' as [Hi Hj]. assert (To := Ep). apply Hb in To; [|assumption].
      assert (Hl := together_label c R R_equal _ _ To).
      assert (Hne : fst p <> snd p) by (intro Eq; unfold D in Vp, V1; rewrite Eq, d_refl in Vp; lra).
      set (w := product c E (fst p) (snd p)).
      assert (Hw : coupling c w) by now apply product_coupling.
      assert (Hrest : forall k, rest c alpha w (fst p) (snd p) k == 0) by (intro k; now apply (product_rest c R Hc R_equal E E_spec)).
      assert (One : sum (map amount w) == 1) by now apply (product_weight c R Hc R_equal E E_spec).
      assert (Supp : forall m, In m w -> amount m == 0 \/ b (src m, dst m) = true) by (intros m Hm; exact (product_together c E (fst p) (snd p) m Hm)).
      exists w. split; [exact Hw|]. split; [intros k _; apply Hrest|]. split; [exact One|].
      assert (Top : forall m, In m w -> 0 <= amount m * (D p1 - D (src m, dst m))).
      { intros m Hm. destruct (Hw m Hm) as [Am [Is Id]]. destruct (Supp m Hm) as [Z|Z]; [rewrite Z; lra|].
        specialize (Max _ (proj2 (pairs_spec c (src m, dst m)) (conj Is Id)) Z). cbn in Max. nra. }
      assert (Top_eq : sum (map (fun m => amount m * (D p1 - D (src m, dst m))) w) ==
                       D p1 * sum (map amount w) - sum (map (fun m => amount m * D (src m, dst m)) w)).
      { rewrite (sum_ext w _ (fun m => D p1 * amount m + - (1) * (amount m * D (src m, dst m)))) by (intros; ring). rewrite sum_plus, !sum_scale. ring. }
      assert (Gd : D p <= sum (map (fun m => amount m * D (src m, dst m)) w)).
      { destruct (d_post (fst p) (snd p)) as (f & Pf & Gf); [now repeat split|assumption|unfold D in Vp, V1; lra|].
        eapply Qle_trans; [exact Gf|]. destruct Pf as [_ F1].
        rewrite (duality c alpha Hc w _ _ f Hw Hi Hj), (sum_ext (states c) _ (fun _ => 0)), sum_0, Qplus_0_r by (intros k _; rewrite Hrest; ring).
        apply sum_le. intros m Hm. destruct (Hw m Hm) as [Am [Is Id]]. specialize (F1 _ _ Is Id). unfold D. cbn [fst snd]. nra. }
      rewrite One in Top_eq.
      intros m Hm. destruct (Hw m Hm) as [Am [Is Id]].
      destruct (Qmult_integral _ _ (sum_zero w _ Top ltac:(lra) m Hm)) as [Z|Z]; [now left|]. destruct (Supp m Hm) as [Z'|Z']; [now left|right].
      split; [now apply pairs_spec|]. split; [exact Z'|lra].
  Qed.
End One.
