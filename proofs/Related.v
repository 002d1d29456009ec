(** * Which states are related: kernels of ld, and bisimilarity *)
From Coq Require Import List NArith ZArith QArith Qminmax Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Bisimilar Sums Sparse Rows Upper Prefixed Least Splitters Lower Quotient.
Import ListNotations.
Open Scope Q_scope.

(** ** Pairs at a distance above 0 *)

(** A separator has weights of some states, 0 for all others, and the pairs that it separates. *)
Record separator := { weights : list (positive * Z); parted_pairs : list (positive * positive) }.

Definition weight_of (r : separator) (k : positive) : Z := match PM.find k (of_list (weights r)) with Some v => v | None => 0%Z end.
Definition far (d : table) (i j : positive) : bool := match get i j d with Some _ => true | None => false end.

(** Weights fall by no more than alpha from a state to one that is not known to be far from it; and the pairs gain. *)
Definition separates (m : PM.t prow) (gs : PM.t (list positive)) (an ad : Z) (d : table) (r : separator) : bool :=
  let g := of_list (weights r) in let G k := match PM.find k g with Some v => v | None => 0%Z end in
  forallb (fun kv => 0 <=? snd kv)%Z (weights r)
  && forallb (fun kv => peers m gs (fst kv) (fun j => if (ad * G (fst kv) <=? an * G j)%Z then true else far d (fst kv) j)) (weights r)
  && forallb (fun st => match PM.find (fst st) m, PM.find (snd st) m with
       | Some x, Some y => negb (fst st =? snd st)%positive
           && (an * (Zpos (den x) * dotz (nums y) G) <? ad * (Zpos (den y) * dotz (nums x) G))%Z
       | _, _ => false
       end) (parted_pairs r).

(** All pairs that separators separate, one after the other. *)
Fixpoint separated (m : PM.t prow) (gs : PM.t (list positive)) (an ad : Z) (l : list separator) (d : table) : table :=
  match l with
  | [] => d
  | r :: l => separated m gs an ad l (if separates m gs an ad d r then fold_right (fun st d => put (fst st) (snd st) 1%Z d) d (parted_pairs r) else d)
  end.
Definition far_pairs (c : chain) (alpha : Q) (l : list separator) : table :=
  let m := prepare c in separated m (groups c m) (Qnum alpha) (Zpos (Qden alpha)) l (PM.empty _).
Definition check_far (c : chain) (d : table) (s t : N) : bool := negb (label c s =? label c t)%N || far d (key s) (key t).

Section Far.
  Variables (c : chain) (alpha : Q).
  Hypothesis Mc : check_model c = true.
  Hypothesis Ha : 1 <= alpha.
  Let m := prepare c.
  Let gs := groups c m.
  Let an := Qnum alpha.
  Let ad := Zpos (Qden alpha).
  Variable d' : N -> N -> Q.
  Hypothesis Hd : prefixed c alpha d'.

  Definition sound (d : table) : Prop := forall i j, In i (states c) -> In j (states c) -> far d (key i) (key j) = true -> 0 < d' i j.

  Lemma separates_sound d r s t : sound d -> separates m gs an ad d r = true -> In (key s, key t) (parted_pairs r) ->
    In s (states c) -> In t (states c) -> 0 < d' s t.
  Proof.
    intros Sd H Hst Hs Ht. unfold separates in H. apply andb_prop in H as [H P]. apply andb_prop in H as [N O].
    rewrite forallb_forall in N, O, P. specialize (P _ Hst). cbn [fst snd] in P.
    destruct (PM.find (key s) m) as [x|] eqn:Ex; [|discriminate]. destruct (PM.find (key t) m) as [y|] eqn:Ey; [|discriminate].
    apply andb_prop in P as [Ne P]. apply negb_true_iff, Pos.eqb_neq in Ne. apply Z.ltb_lt in P.
    set (g := of_list (weights r)) in *. set (G := fun k => match PM.find k g with Some v => v | None => 0%Z end) in *.
    assert (G0 : forall k, 0 <= inject_Z (G k)).
    { intro k. unfold G. destruct (PM.find k g) as [v|] eqn:E; [|apply Qle_refl]. apply find_of_list in E. specialize (N _ E). cbn [snd] in N.
      apply Z.leb_le in N. change 0 with (inject_Z 0). now rewrite <- Zle_Qle. }
    assert (Gain : 0 < mean c s (fun i => inject_Z (G (key i))) - alpha * mean c t (fun i => inject_Z (G (key i)))).
    { assert (Kx : (Zpos (den y) * Zpos (den x) = Zpos (den y * den x))%Z) by reflexivity.
      assert (Ky : (Zpos (den x) * Zpos (den y) = Zpos (den y * den x))%Z) by (rewrite Z.mul_comm; reflexivity).
      assert (Rx := row_mean c _ s x G _ Mc Ex Kx). assert (Ry := row_mean c _ t y G _ Mc Ey Ky).
      rewrite Zlt_Qlt, !inject_Z_mult in P. rewrite Rx, Ry in P.
      assert (A := times_den alpha). fold an ad in A. rewrite <- A in P. assert (PA : 0 < inject_Z ad) by reflexivity.
      assert (PS := inject_pos (den y * den x)). set (X := mean c s _) in *. set (Y := mean c t _) in *. set (sc := inject_Z (Zpos (den y * den x))) in *.
      set (a := inject_Z ad) in *. clearbody X Y sc a. clear - P PA PS. assert (K : 0 < a * sc * (X - alpha * Y)) by (setoid_replace (a * sc * (X - alpha * Y)) with (a * (sc * X) - a * alpha * (sc * Y)) by ring; lra). assert (0 < a * sc) by nra.
      apply Qnot_le_lt. intro. assert (a * sc * (X - alpha * Y) <= 0) by nra. lra. }
    apply Qnot_le_lt. intro Z. destruct (Hd s t Hs Ht) as (_ & L & C).
    destruct (N.eq_dec (label c s) (label c t)) as [El|El]; [|specialize (L El); lra].
    destruct (C El) as (w & Hw & Cw); [intro; subst; now apply Ne|]. unfold Distance.cost in Cw.
    assert (Wp : forall x, In x w -> 0 <= amount x * d' (src x) (dst x)).
    { intros z Hz. destruct (Hw z Hz) as (A & I & J). destruct (Hd _ _ I J) as [B _]. nra. }
    assert (Rp : forall k, In k (states c) -> 0 <= Qmax 0 (rest c alpha w s t k)) by (intros; apply Q.le_max_l).
    assert (W0 := sum_pos w _ Wp). assert (R0 := sum_pos (states c) _ Rp).
    assert (Wz := sum_zero w _ Wp). assert (Rz := sum_zero (states c) _ Rp).
    rewrite (duality c alpha (model_sound c Mc) w s t _ Hw Hs Ht) in Gain.
    assert (S1 : sum (map (fun x => amount x * (inject_Z (G (key (src x))) - alpha * inject_Z (G (key (dst x))))) w) <= 0).
    { rewrite <- (sum_0 w). apply sum_le. intros z Hz. destruct (Hw z Hz) as (A & I & J). assert (Z0 := Wz ltac:(lra) z Hz). cbn beta in Z0.
      destruct (Qmult_integral _ _ Z0) as [E|E]; [rewrite E; lra|]. destruct (Hd _ _ I J) as (_ & Lz & _).
      assert (Le : inject_Z (G (key (src z))) <= alpha * inject_Z (G (key (dst z)))); [|nra].
      destruct (N.eq_dec (label c (src z)) (label c (dst z))) as [Lb|Lb]; [|specialize (Lz Lb); lra].
      destruct (PM.find (key (src z)) g) as [v|] eqn:F.
      - assert (In' := F). apply find_of_list in In'. specialize (O _ In'). cbn [fst] in O. apply peers_spec with (j := dst z) in O; [|assumption|congruence].
        change ((if (ad * G (key (src z)) <=? an * G (key (dst z)))%Z then true else far d (key (src z)) (key (dst z))) = true) in O.
        destruct (Z.leb_spec (ad * G (key (src z))) (an * G (key (dst z)))) as [B|B].
        + rewrite Zle_Qle, !inject_Z_mult in B. assert (AE := times_den alpha). fold an ad in AE. rewrite <- AE in B. assert (PA : 0 < inject_Z ad) by reflexivity.
          set (p := inject_Z (G (key (src z)))) in *. set (q := inject_Z (G (key (dst z)))) in *. set (a := inject_Z ad) in *. clearbody p q a.
          assert (a * (p - alpha * q) <= 0) by lra. apply Qnot_lt_le. intro. assert (0 < a * (p - alpha * q)) by (apply Qmult_lt_0_compat; lra). lra.
        + specialize (Sd _ _ I J O). lra.
      - unfold G at 1. rewrite F. change (inject_Z 0) with 0. specialize (G0 (key (dst z))). nra. }
    assert (S2 : sum (map (fun k => inject_Z (G (key k)) * rest c alpha w s t k) (states c)) <= 0).
    { rewrite <- (sum_0 (states c)). apply sum_le. intros k Hk. assert (Z0 := Rz ltac:(lra) k Hk). cbn beta in Z0.
      assert (rest c alpha w s t k <= 0) by (rewrite <- Z0; apply Q.le_max_r). specialize (G0 (key k)). nra. }
    lra.
  Qed.

  Lemma get_puts l d i j : far (fold_right (fun st d => put (fst st) (snd st) 1%Z d) d l) i j = true -> In (i, j) l \/ far d i j = true.
  Proof.
    unfold far. induction l as [|[s t] l IH]; cbn [fold_right fst snd]; [auto|]. rewrite get_put.
    destruct (Pos.eqb_spec i s) as [->|]; cbn [andb]; [destruct (Pos.eqb_spec j t) as [->|]; [left; now left|]|]; (intro H; destruct (IH H); [left; now right|now right]).
  Qed.

  Lemma separated_sound l : forall d, sound d -> sound (separated m gs an ad l d).
  Proof.
    induction l as [|r l IH]; intros d Sd; cbn [separated]; [exact Sd|]. apply IH. destruct (separates m gs an ad d r) eqn:E; [|exact Sd].
    intros i j Hi Hj F. apply get_puts in F as [F|F]; [now apply (separates_sound d r)|now apply Sd].
  Qed.

  Lemma far_sound l s t : In s (states c) -> In t (states c) -> check_far c (far_pairs c alpha l) s t = true -> 0 < d' s t.
  Proof.
    intros Hs Ht F. apply orb_prop in F as [F|F].
    - apply negb_true_iff, N.eqb_neq in F. destruct (Hd s t Hs Ht) as (_ & L & _). specialize (L F). lra.
    - apply (separated_sound l (PM.empty _)) in F; try assumption. intros i j _ _ E. unfold far, get in E. now rewrite PM.gempty in E.
  Qed.
End Far.

Lemma one_le alpha : (Zpos (Qden alpha) <=? Qnum alpha)%Z = true -> 1 <= alpha.
Proof. intro H. apply Z.leb_le in H. destruct alpha as [a b]. unfold Qle. cbn in *. lia. Qed.

(** No pre-fixed table has 0 for the pair. *)
Definition check_unrelated (c : chain) (alpha : Q) (s t : N) (l : list separator) : bool :=
  check_model c && (Zpos (Qden alpha) <=? Qnum alpha)%Z && inside c s && inside c t && check_far c (far_pairs c alpha l) s t.

Theorem unrelated_sound c alpha s t l : check_unrelated c alpha s t l = true -> markov c /\ ~ ld_at_most c alpha 0 s t.
Proof.
  unfold check_unrelated. intro H. apply andb_prop in H as [H F]. apply andb_prop in H as [H It]. apply andb_prop in H as [H Is]. apply andb_prop in H as [M A].
  apply inside_spec in Is, It. apply one_le in A. split; [now apply model_sound|]. intros (d & Pd & Z).
  assert (P := far_sound c alpha M A d Pd l s t Is It F). lra.
Qed.

(** The matrix has 0 exactly where some pre-fixed table has 0. *)
Definition check_kernel (c : chain) (alpha : Q) (values : list (list Q)) (D : positive) (rows : list urow) (l : list separator) : bool :=
  let d := far_pairs c alpha l in let m := prepare c in let u := utable rows in let all := counted 0 c in
  check_upper c alpha D rows && check_moves c rows
  && forallb (fun s => forallb (fun t => if Qeq_bool (in_matrix values s t) 0 then (value m u (Zpos D) (key s) (key t) <=? 0)%Z else check_far c d s t) all) all.

Theorem kernel_sound c alpha values D rows l : check_kernel c alpha values D rows l = true ->
  markov c /\ forall s t, In s (states c) -> In t (states c) -> (ld_at_most c alpha 0 s t <-> in_matrix values s t == 0).
Proof.
  unfold check_kernel. cbv zeta. rewrite counted_states. intro H. apply andb_prop in H as [H F]. apply andb_prop in H as [U Mv]. destruct (parts c alpha D rows U) as (M & _).
  split; [now apply model_sound|]. intros s t Hs Ht. rewrite forallb_forall in F. specialize (F s Hs). rewrite forallb_forall in F. specialize (F t Ht).
  destruct (Qeq_bool (in_matrix values s t) 0) eqn:E.
  - apply Qeq_bool_iff in E. split; [now intros _|intros _]. exists (entry c D rows). split; [now apply table_prefixed|].
    unfold entry. apply Z.leb_le in F. rewrite Zle_Qle in F. change (inject_Z 0) with 0 in F. apply Qle_shift_div_r; [reflexivity|]. lra.
  - apply Qeq_bool_neq in E. split; [|contradiction]. intros (d & Pd & Z).
    assert (P := far_sound c alpha M (alpha_1 c alpha D rows U) d Pd l s t Hs Ht F). exfalso. lra.
Qed.

(** ** Bisimilarity *)

Lemma enters_mean c class s A : enters c class s A == mean c s (fun k => if A (class k) then 1 else 0).
Proof. apply sum_ext. intros [k p] _. cbn [fst snd]. destruct (A (class k)); ring. Qed.

Lemma quotient_bisimulation c b place : check_quotient c b place = true -> bisimulation c (class place).
Proof.
  intros H s t Hs Ht E. destruct (class_ok c b place H s Hs) as [Ls Fs], (class_ok c b place H t Ht) as [Lt Ft]. split; [congruence|].
  intro A. rewrite !enters_mean, (Fs (fun k => if A k then 1 else 0)), (Ft (fun k => if A k then 1 else 0)), E. reflexivity.
Qed.

Lemma bisimulation_equal c class : check_model c = true -> bisimulation c class -> forall T,
  (forall i j, In i (states c) -> In j (states c) -> class i = class j -> PM.mem (key i) T = PM.mem (key j) T) ->
  forall s t, In s (states c) -> In t (states c) -> class s = class t -> mean c s (holds T) == mean c t (holds T).
Proof.
  intros M B T HT s t Hi Hj Ep. set (A := fun k => existsb (fun i => (class i =? k)%N && PM.mem (key i) T) (states c)).
  assert (Same : forall i, In i (states c) -> A (class i) = PM.mem (key i) T).
  { intros i I. destruct (PM.mem (key i) T) eqn:Mi.
    - apply existsb_exists. exists i. now rewrite N.eqb_refl, Mi.
    - destruct (A (class i)) eqn:Ai; [|reflexivity]. apply existsb_exists in Ai as (j & J & Aj). apply andb_prop in Aj as [Ej Mj]. apply N.eqb_eq in Ej.
      rewrite <- Mi, <- Mj. now apply HT. }
  assert (Holds : forall i, In i (states c) -> mean c i (holds T) == enters c class i A).
  { intros i I. rewrite enters_mean. apply sum_ext. intros [k q] Hk. cbn [fst snd]. apply in_states in I. destruct (model_sound c M i I) as [_ N].
    destruct (N k q Hk) as [_ Nk]. apply in_states in Nk. unfold holds. now rewrite (Same k Nk). }
  rewrite (Holds _ Hi), (Holds _ Hj). now apply B.
Qed.

Lemma bisimilar_classes c splitters s t : check_model c = true -> In s (states c) -> In t (states c) -> bisimilar c s t ->
  first (classes c splitters) s = first (classes c splitters) t.
Proof.
  intros M Hs Ht (class & B & E). apply (classes_keep c M (fun p => In (fst p) (states c) /\ In (snd p) (states c) /\ class (fst p) = class (snd p))) with (p := (s, t)).
  - intros p (Hi & Hj & Ep). destruct (B _ _ Hi Hj Ep) as [L _]. now repeat split.
  - intros T HT p (Hi & Hj & Ep). apply (bisimulation_equal c class M B T); try assumption. intros i j Ii Ij Eij. now apply (HT (i, j)).
  - now repeat split.
Qed.

(** Every pair of R is bisimilar. *)
Definition check_bisimilar (c : chain) (R : list (N * N)) (e : chain * list N) : bool :=
  let p := map_of (snd e) in
  check_quotient c (fst e) (snd e) && forallb (fun st => (placed p (fst st) =? placed p (snd st))%N) R.

Theorem bisimilar_sound c R e : check_bisimilar c R e = true -> markov c /\ forall s t, In (s, t) R -> bisimilar c s t.
Proof.
  unfold check_bisimilar. intro H. apply andb_prop in H as [H F]. destruct (quotient_models _ _ _ H) as [M _]. split; [now apply model_sound|].
  intros s t Hst. rewrite forallb_forall in F. specialize (F _ Hst). apply N.eqb_eq in F. rewrite !placed_class in F. exists (class (snd e)).
  split; [now apply (quotient_bisimulation c (fst e))|exact F].
Qed.

(** The pair is not. *)
Definition check_distinct (c : chain) (s t : N) (splitters : list (list N)) : bool :=
  let p := classes c splitters in check_model c && inside c s && inside c t && negb (first p s =? first p t)%N.

Theorem distinct_sound c s t splitters : check_distinct c s t splitters = true -> markov c /\ ~ bisimilar c s t.
Proof.
  unfold check_distinct. intro H. apply andb_prop in H as [H F]. apply andb_prop in H as [H It]. apply andb_prop in H as [M Is].
  apply inside_spec in Is, It. apply negb_true_iff, N.eqb_neq in F. split; [now apply model_sound|]. intro B. apply F. now apply bisimilar_classes.
Qed.

(** The matrix has 0 exactly for bisimilar states. *)
Definition check_bisimilarity (c : chain) (values : list (list Q)) (e : chain * list N) (splitters : list (list N)) : bool :=
  let p := classes c splitters in let own := map_of (snd e) in let all := counted 0 c in
  check_quotient c (fst e) (snd e)
  && forallb (fun s => forallb (fun t => if Qeq_bool (in_matrix values s t) 0 then (placed own s =? placed own t)%N
                                         else negb (first p s =? first p t)%N) all) all.

Theorem bisimilarity_sound c values e splitters : check_bisimilarity c values e splitters = true ->
  markov c /\ forall s t, In s (states c) -> In t (states c) -> (bisimilar c s t <-> in_matrix values s t == 0).
Proof.
  unfold check_bisimilarity. cbv zeta. rewrite counted_states. intro H. apply andb_prop in H as [H F]. destruct (quotient_models _ _ _ H) as [M _]. split; [now apply model_sound|].
  intros s t Hs Ht. rewrite forallb_forall in F. specialize (F s Hs). rewrite forallb_forall in F. specialize (F t Ht).
  destruct (Qeq_bool (in_matrix values s t) 0) eqn:E.
  - apply Qeq_bool_iff in E. apply N.eqb_eq in F. rewrite !placed_class in F. split; [now intros _|intros _]. exists (class (snd e)). split; [now apply (quotient_bisimulation c (fst e))|exact F].
  - apply Qeq_bool_neq in E. apply negb_true_iff, N.eqb_neq in F. split; [|contradiction]. intro B. exfalso. apply F. now apply bisimilar_classes.
Qed.
