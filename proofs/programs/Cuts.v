(** * A cover by boxes is cut where two samples are equal

    Of the samples that boxes cover, some have x_a <= x_b and others x_b <= x_a. Where x_a has noise, smaller boxes cover either half, and all of
    them together have hardly more than the boxes had. *)
From Coq Require Import List FinFun Arith NArith ZArith QArith Reals Lra Lia Bool Cantor.
From Prover.programs Require Import Program Laplace Law.
From Prover.programs Require Convex.
Import ListNotations.
Open Scope R_scope.

(** ** Laws, and the volume of a box under them *)
Definition law (F : R -> R) : Prop := (forall x y, x <= y -> F x <= F y) /\ forall x, 0 <= F x <= 1.
Definition spread (F : R -> R) : Prop := exists K, 0 <= K /\ forall x y, x <= y -> F y - F x <= K * (y - x).
Definition laws := list ((R -> R) * (R -> R)).
Fixpoint vol (L : laws) (b : box) : R :=
  match L, b with (F, G) :: L, (j, k) :: b => mass F j * mass G k * vol L b | _, _ => 1 end.
Definition proper_laws (L : laws) : Prop := forall F G, In (F, G) L -> law F /\ law G.

Lemma mass_unit F i : law F -> fst i <= snd i -> 0 <= mass F i <= 1.
Proof. intros [M U] I. unfold mass. specialize (M _ _ I). assert (A := U (fst i)). assert (B := U (snd i)). lra. Qed.
Lemma product_unit a b : 0 <= a <= 1 -> 0 <= b <= 1 -> 0 <= a * b <= 1.
Proof. intros A B. nra. Qed.
Lemma vol_unit L : proper_laws L -> forall b, ordered b -> 0 <= vol L b <= 1.
Proof.
  induction L as [|[F G] L IH]; intros P [|[j k] b] O; cbn [vol]; try lra. destruct (P F G (or_introl eq_refl)) as [LF LG].
  destruct (O j k (or_introl eq_refl)) as [O1 O2]. apply product_unit; [apply product_unit; now apply mass_unit|].
  apply IH; [intros F' G' I; apply P; now right|intros j' k' I; apply O; now right].
Qed.

(** ** Sums over lists *)
Definition total {X} (l : list X) (f : X -> R) : R := fold_right (fun x a => f x + a) 0 l.
Lemma total_cons {X} (x : X) l f : total (x :: l) f = f x + total l f.
Proof. reflexivity. Qed.
Lemma total_nil {X} (f : X -> R) : total [] f = 0.
Proof. reflexivity. Qed.
Lemma total_ext {X} (l : list X) f g : (forall x, In x l -> f x = g x) -> total l f = total l g.
Proof. induction l as [|x l IH]; intro H; [easy|]. rewrite !total_cons, (H x) by now left. f_equal. apply IH. intros y I. apply H. now right. Qed.
Lemma total_le {X} (l : list X) f g : (forall x, In x l -> f x <= g x) -> total l f <= total l g.
Proof.
  induction l as [|x l IH]; intro H; [rewrite !total_nil; lra|]. rewrite !total_cons.
  apply Rplus_le_compat; [apply H; now left|apply IH; intros y I; apply H; now right].
Qed.
Lemma total_plus {X} (l : list X) f g : total l (fun x => f x + g x) = total l f + total l g.
Proof. induction l as [|x l IH]; rewrite ?total_nil, ?total_cons; [lra|]. rewrite IH. lra. Qed.
Lemma total_scale {X} (l : list X) f c : total l (fun x => c * f x) = c * total l f.
Proof. induction l as [|x l IH]; rewrite ?total_nil, ?total_cons; [lra|]. rewrite IH. lra. Qed.
Lemma total_zero {X} (l : list X) f : (forall x, In x l -> f x = 0) -> total l f = 0.
Proof. intro H. rewrite (total_ext l f (fun _ => 0 * 0)) by (intros x I; rewrite H by exact I; ring). rewrite (total_scale l (fun _ => 0)). ring. Qed.
Lemma total_pos {X} (l : list X) f : (forall x, In x l -> 0 <= f x) -> 0 <= total l f.
Proof. intro H. rewrite <- (total_zero l (fun _ => 0)) by easy. now apply total_le. Qed.
Lemma total_app {X} (l l' : list X) f : total (l ++ l') f = total l f + total l' f.
Proof. induction l as [|x l IH]; cbn [app]; rewrite ?total_nil, ?total_cons; [lra|]. rewrite IH. lra. Qed.
Lemma total_map {X Y} (h : X -> Y) l f : total (map h l) f = total l (fun x => f (h x)).
Proof. induction l as [|x l IH]; cbn [map]; rewrite ?total_nil, ?total_cons; [easy|]. now rewrite IH. Qed.
Lemma total_among {X} (l : list X) : forall l' f, NoDup l -> (forall x, In x l -> In x l') -> (forall x, In x l' -> 0 <= f x) -> total l f <= total l' f.
Proof.
  induction l as [|x l IH]; intros l' f N I P; [now apply total_pos|]. inversion N as [|? ? Nx N']; subst.
  destruct (in_split x l') as (l1 & l2 & ->); [apply I; now left|].
  assert (H : total l f <= total (l1 ++ l2) f).
  { apply IH; [exact N'| |].
    - intros y J. assert (Q := I y (or_intror J)). rewrite in_app_iff in Q |- *. destruct Q as [Q|[Q|Q]]; [now left|subst; contradiction|now right].
    - intros y J. apply P. rewrite in_app_iff in J |- *. cbn. tauto. }
  rewrite total_app in H |- *. rewrite !total_cons. lra.
Qed.
Lemma sum_total f n : sum_f_R0 f n = total (seq 0 (S n)) f.
Proof.
  induction n as [|n IH]; [cbn; lra|]. cbn [sum_f_R0]. rewrite IH, (seq_S (S n)), total_app, total_cons, total_nil. cbn [Nat.add]. lra.
Qed.
Lemma telescope (f : nat -> R) n : total (seq 0 n) (fun j => f (S j) - f j) = f n - f O.
Proof. induction n as [|n IH]; [cbn; lra|]. rewrite seq_S, total_app, IH, total_cons, total_nil. cbn [Nat.add]. lra. Qed.

(** ** Covers *)
Definition covered (L : laws) (Y : list sample -> Prop) (m : R) : Prop :=
  exists C : nat -> box,
    (forall k, ordered (C k) /\ length (C k) = length L) /\ (forall z, Y z -> exists k, inside (C k) z) /\
    forall n, sum_f_R0 (fun k => vol L (C k)) n <= m.
Lemma covered_less L (Y Y' : list sample -> Prop) m m' : (forall z, Y z -> Y' z) -> m' <= m -> covered L Y' m' -> covered L Y m.
Proof. intros H Le (C & O & Co & T). exists C. split; [exact O|]. split; [intros z Z; now apply Co, H|]. intro n. specialize (T n). lra. Qed.

Definition nowhere (n : nat) : box := repeat ((0, 0), (0, 0)) n.
Lemma nowhere_ordered n : ordered (nowhere n) /\ length (nowhere n) = n.
Proof. split; [|apply repeat_length]. intros i j I. apply repeat_spec in I. injection I as -> ->. cbn. lra. Qed.
Lemma nowhere_vol L : L <> [] -> vol L (nowhere (length L)) = 0.
Proof. destruct L as [|[F G] L]; [easy|]. intros _. cbn. unfold mass. cbn. ring. Qed.

(** Lists of boxes, one after the other. *)
Lemma covered_lists L (Y : list sample -> Prop) (T : nat -> list box) (f : nat -> R) m : proper_laws L -> L <> [] ->
  (forall k b, In b (T k) -> ordered b /\ length b = length L) -> (forall z, Y z -> exists k b, In b (T k) /\ inside b z) ->
  (forall k, total (T k) (vol L) <= f k) -> (forall n, sum_f_R0 f n <= m) -> covered L Y m.
Proof.
  intros P N O Co B M. set (none := nowhere (length L)).
  assert (Ok : forall k j, ordered (nth j (T k) none) /\ length (nth j (T k) none) = length L).
  { intros k j. destruct (nth_in_or_default j (T k) none) as [I| ->]; [now apply O with (k := k)|apply nowhere_ordered]. }
  set (at_ := fun kj : nat * nat => nth (snd kj) (T (fst kj)) none).
  exists (fun i => at_ (Cantor.of_nat i)). split; [intro i; apply Ok|split].
  - intros z Z. destruct (Co z Z) as (k & b & I & In). destruct (In_nth _ _ none I) as (j & _ & E). exists (Cantor.to_nat (k, j)).
    unfold at_. rewrite Cantor.cancel_of_to. cbn. now rewrite E.
  - intro n. rewrite sum_total. rewrite <- (total_map Cantor.of_nat (seq 0 (S n)) (fun kj => vol L (at_ kj))).
    apply Rle_trans with (total (list_prod (seq 0 (S n)) (seq 0 (S n))) (fun kj => vol L (at_ kj))).
    + apply total_among.
      * apply Injective_map_NoDup; [|apply seq_NoDup]. intros x y E. rewrite <- (Cantor.cancel_to_of x), <- (Cantor.cancel_to_of y). now rewrite E.
      * intros [k j] I. apply in_map_iff in I as (i & E & I). apply in_seq in I. assert (Q := Cantor.to_nat_non_decreasing k j).
        assert (i = Cantor.to_nat (k, j)) by (rewrite <- E; symmetry; apply Cantor.cancel_to_of). apply in_prod; apply in_seq; lia.
      * intros [k j] _. apply vol_unit; [exact P|apply Ok].
    + replace (total (list_prod (seq 0 (S n)) (seq 0 (S n))) (fun kj => vol L (at_ kj)))
        with (total (seq 0 (S n)) (fun k => total (seq 0 (S n)) (fun j => vol L (nth j (T k) none)))).
      * apply Rle_trans with (2 := M n). rewrite sum_total. apply total_le. intros k _. apply Rle_trans with (2 := B k).
        assert (Ge : forall l i, (forall b, In b l -> ordered b) -> total (seq i (S n)) (fun j => vol L (nth (j - i) l none)) <= total l (vol L)).
        { clear - P N. intro l. generalize (S n) as h. induction l as [|b l IH]; intros h i Ob.
          - rewrite total_zero; [rewrite total_nil; lra|]. intros j _.
            replace (nth (j - i) [] none) with none by now destruct (j - i)%nat. now apply nowhere_vol.
          - destruct h as [|h]; [cbn [seq]; rewrite total_nil; apply total_pos; intros x I; apply vol_unit; [exact P|now apply Ob]|].
            cbn [seq]. rewrite !total_cons, Nat.sub_diag. cbn [nth]. apply Rplus_le_compat_l.
            assert (Q := IH h (S i) (fun x I => Ob x (or_intror I))). apply Rle_trans with (2 := Q). right.
            apply total_ext. intros j J. apply in_seq in J. now replace (j - i)%nat with (S (j - S i)) by lia. }
        assert (Q := Ge (T k) 0%nat (fun b I => proj1 (O k b I))). apply Rle_trans with (2 := Q). right. apply total_ext. intros j _.
        now rewrite Nat.sub_0_r.
      * generalize (seq 0 (S n)) at 1 3. intro l. induction l as [|k l IH]; [easy|]. cbn [list_prod]. rewrite total_app, <- IH, total_cons. f_equal.
        now rewrite total_map.
Qed.

Lemma covered_none L (Y : list sample -> Prop) : proper_laws L -> L <> [] -> (forall z, ~ Y z) -> covered L Y 0.
Proof.
  intros P N H. apply covered_lists with (T := fun _ => []) (f := fun _ => 0); try assumption.
  - intros k b [].
  - intros z Z. now apply H in Z.
  - intro k. cbn. lra.
  - intro n. rewrite sum_cte. lra.
Qed.
Lemma covered_union L (Y Y' : list sample -> Prop) m m' : proper_laws L -> L <> [] -> covered L Y m -> covered L Y' m' ->
  covered L (fun z => Y z \/ Y' z) (m + m').
Proof.
  intros P N (C & O & Co & T) (C' & O' & Co' & T').
  apply covered_lists with (T := fun k => [C k; C' k]) (f := fun k => vol L (C k) + vol L (C' k)); try assumption.
  - intros k b [<-|[<-|[]]]; [apply O|apply O'].
  - intros z [Z|Z]; [destruct (Co z Z) as [k I]|destruct (Co' z Z) as [k I]]; exists k; eexists; (split; [|exact I]); cbn; tauto.
  - intro k. cbn. lra.
  - intro n. rewrite plus_sum. specialize (T n). specialize (T' n). lra.
Qed.

(** ** One interval of a box is replaced *)
Fixpoint put (a : nat) (i : R * R) (b : box) : box :=
  match b, a with [], _ => [] | (_, k) :: b, O => (i, k) :: b | jk :: b, S a => jk :: put a i b end.
Definition side (a : nat) (b : box) : R * R := fst (nth a b ((0, 0), (0, 0))).
Definition value (a : nat) (z : list sample) : R := fst (nth a z (0, 0)).
Definition law_at (a : nat) (L : laws) : R -> R := fst (nth a L (fun _ => 0, fun _ => 0)).

Lemma put_length i b : forall a, length (put a i b) = length b.
Proof. induction b as [|[j k] b IH]; intros [|a]; cbn; [easy|easy|easy|]. now rewrite IH. Qed.
Lemma put_ordered i : fst i <= snd i -> forall b a, ordered b -> ordered (put a i b).
Proof.
  intros I b. induction b as [|[j k] b IH]; intros a O; [destruct a; exact O|]. destruct (O j k (or_introl eq_refl)) as [O1 O2].
  destruct a as [|a]; cbn [put]; intros j' k' [E|J].
  - injection E as <- <-. now split.
  - apply O. now right.
  - injection E as <- <-. now split.
  - apply (IH a (fun x y H => O x y (or_intror H)) j' k' J).
Qed.
Lemma put_inside i b : forall a z, inside b z -> within i (value a z) -> inside (put a i b) z.
Proof.
  induction b as [|[j k] b IH]; intros [|a] [|[x y] z] I W; cbn [put inside] in *; try easy.
  destruct I as (I1 & I2 & I3). split; [exact I1|split; [exact I2|]]. now apply IH.
Qed.
Lemma put_side b : forall a, put a (side a b) b = b.
Proof. unfold side. induction b as [|[j k] b IH]; intros [|a]; cbn [put nth]; try easy. now rewrite IH. Qed.
Lemma side_put i b : forall a a', a <> a' -> side a (put a' i b) = side a b.
Proof.
  unfold side. induction b as [|[j k] b IH]; intros [|a] [|a'] N; cbn [put nth]; try easy. apply IH. congruence.
Qed.
Lemma inside_side b : forall a z, (a < length b)%nat -> inside b z -> within (side a b) (value a z).
Proof.
  unfold side, value. induction b as [|[j k] b IH]; intros [|a] [|[x y] z] A I; cbn [inside nth length] in *; try easy; try lia. apply IH; [lia|apply I].
Qed.
Lemma side_ordered b : forall a, ordered b -> fst (side a b) <= snd (side a b).
Proof.
  unfold side. induction b as [|[j k] b IH]; intros [|a] O; cbn [nth]; try (cbn; lra); [apply (O j k); now left|]. apply IH. intros x y I. apply O. now right.
Qed.
Lemma put_vol_one L : proper_laws L -> forall b a, (a < length L)%nat -> length b = length L -> ordered b ->
  exists K, 0 <= K <= 1 /\ forall i, vol L (put a i b) = K * mass (law_at a L) i.
Proof.
  unfold law_at. induction L as [|[F G] L IH]; intros P [|[j k] b] a A E O; cbn [length] in *; try lia. destruct (P F G (or_introl eq_refl)) as [LF LG].
  destruct (O j k (or_introl eq_refl)) as [O1 O2]. assert (P' : proper_laws L) by (intros F' G' I; apply P; now right).
  assert (O' : ordered b) by (intros x y I; apply O; now right). destruct a as [|a]; cbn [put vol nth fst].
  - exists (mass G k * vol L b). split; [apply product_unit; [now apply mass_unit|now apply vol_unit]|]. intro i. ring.
  - destruct (IH P' b a ltac:(lia) ltac:(lia) O') as (K & Ku & H). exists (mass F j * mass G k * K).
    split; [apply product_unit; [apply product_unit; now apply mass_unit|exact Ku]|]. intro i. rewrite H. ring.
Qed.
Lemma put_vol L : proper_laws L -> forall b a a', a <> a' -> (a < length L)%nat -> (a' < length L)%nat -> length b = length L -> ordered b ->
  exists K, 0 <= K <= 1 /\ forall i j, vol L (put a i (put a' j b)) = K * mass (law_at a L) i * mass (law_at a' L) j.
Proof.
  unfold law_at. induction L as [|[F G] L IH]; intros P [|[j k] b] a a' N A A' E O; cbn [length] in *; try lia.
  destruct (P F G (or_introl eq_refl)) as [LF LG].
  destruct (O j k (or_introl eq_refl)) as [O1 O2]. assert (P' : proper_laws L) by (intros F' G' I; apply P; now right).
  assert (O' : ordered b) by (intros x y I; apply O; now right). destruct a as [|a], a' as [|a']; cbn [put vol nth fst]; [congruence| | |].
  - destruct (put_vol_one L P' b a' ltac:(lia) ltac:(lia) O') as (K & Ku & H). exists (mass G k * K).
    split; [apply product_unit; [now apply mass_unit|exact Ku]|]. intros x y. rewrite H. unfold law_at. ring.
  - destruct (put_vol_one L P' b a ltac:(lia) ltac:(lia) O') as (K & Ku & H). exists (mass G k * K).
    split; [apply product_unit; [now apply mass_unit|exact Ku]|]. intros x y. rewrite H. unfold law_at. ring.
  - destruct (IH P' b a a' ltac:(congruence) ltac:(lia) ltac:(lia) ltac:(lia) O') as (K & Ku & H). exists (mass F j * mass G k * K).
    split; [apply product_unit; [apply product_unit; now apply mass_unit|exact Ku]|]. intros x y. rewrite H. ring.
Qed.

(** ** A box is cut *)
Section Box.
  Variables (L : laws) (b : box) (a a' : nat) (K : R) (n : nat).
  Hypothesis P : proper_laws L.
  Hypothesis Ne : a <> a'.
  Hypothesis A : (a < length L)%nat.
  Hypothesis A' : (a' < length L)%nat.
  Hypothesis Len : length b = length L.
  Hypothesis O : ordered b.
  Hypothesis K0 : 0 <= K.
  Hypothesis Spread : forall x y, x <= y -> law_at a L y - law_at a L x <= K * (y - x).
  Hypothesis N0 : n <> 0%nat.
  Let l := fst (side a b).
  Let h := snd (side a b).
  Let l' := fst (side a' b).
  Let h' := snd (side a' b).
  Let w := (h - l) / INR n.
  Let c (j : nat) := l + INR j * w.
  Let clamp (x : R) := Rmax l' (Rmin x h').
  Definition lower_half (j : nat) : box := put a (c j, c (S j)) (put a' (clamp (c j), h') b).
  Definition upper_half (j : nat) : box := put a (c j, c (S j)) (put a' (l', clamp (c (S j))) b).

  Lemma n_pos : 0 < INR n.
  Proof. apply lt_0_INR. lia. Qed.
  Lemma sides : l <= h /\ l' <= h'.
  Proof. split; now apply side_ordered. Qed.
  Lemma w_pos : 0 <= w.
  Proof. destruct sides. assert (N := n_pos). unfold w, Rdiv. apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat. Qed.
  Lemma c_succ j : c (S j) = c j + w.
  Proof. unfold c. rewrite S_INR. ring. Qed.
  Lemma c_end : c n = h.
  Proof. unfold c, w. assert (N := n_pos). field. lra. Qed.
  Lemma clamp_sides x : l' <= clamp x <= h'.
  Proof. destruct sides. unfold clamp. split; [apply Rmax_l|]. apply Rmax_lub; [lra|apply Rmin_r]. Qed.
  Lemma clamp_increasing x y : x <= y -> clamp x <= clamp y.
  Proof. intro H. unfold clamp. apply Rmax_lub; [apply Rmax_l|]. apply Rle_trans with (2 := Rmax_r _ _). apply Rmin_glb; [|apply Rmin_r]. apply Rle_trans with (2 := H), Rmin_l. Qed.

  Lemma halves_ok j : (ordered (lower_half j) /\ length (lower_half j) = length L) /\ (ordered (upper_half j) /\ length (upper_half j) = length L).
  Proof.
    assert (W := w_pos). assert (C := c_succ j). assert (B := clamp_sides (c j)). assert (B' := clamp_sides (c (S j))).
    split; (split; [|unfold lower_half, upper_half; now rewrite !put_length]); apply put_ordered; cbn [fst snd]; try lra; apply put_ordered; cbn [fst snd]; try lra;
      exact O.
  Qed.
  Lemma piece x : c 0%nat < x -> forall k, x <= c k -> exists j, (j < k)%nat /\ c j < x <= c (S j).
  Proof.
    intros X k. induction k as [|k IH]; intro H; [lra|]. destruct (Rle_dec x (c k)) as [Le|Gt].
    - destruct (IH Le) as (j & J & C). exists j. split; [lia|exact C].
    - exists k. split; [lia|]. lra.
  Qed.
  Lemma piece_of z : inside b z -> exists j, (j < n)%nat /\ c j < value a z <= c (S j) /\ l' < value a' z <= h'.
  Proof.
    intro I. assert (W := inside_side b a z ltac:(lia) I). assert (W' := inside_side b a' z ltac:(lia) I). unfold within in W, W'. fold l h in W. fold l' h' in W'.
    destruct (piece (value a z)) with (k := n) as (j & J & C).
    - unfold c. cbn [INR]. lra.
    - rewrite c_end. lra.
    - now exists j.
  Qed.
  Lemma lower_covers z : inside b z -> value a z <= value a' z -> exists j, (j < n)%nat /\ inside (lower_half j) z.
  Proof.
    intros I H. destruct (piece_of z I) as (j & J & C & W). exists j. split; [exact J|]. apply put_inside; [apply put_inside; [exact I|]|exact C].
    split; cbn [fst snd]; [|lra]. unfold clamp. apply Rmax_lub_lt; [lra|]. apply Rle_lt_trans with (1 := Rmin_l _ _). lra.
  Qed.
  Lemma upper_covers z : inside b z -> value a' z <= value a z -> exists j, (j < n)%nat /\ inside (upper_half j) z.
  Proof.
    intros I H. destruct (piece_of z I) as (j & J & C & W). exists j. split; [exact J|]. apply put_inside; [apply put_inside; [exact I|]|exact C].
    split; cbn [fst snd]; [lra|]. unfold clamp. apply Rle_trans with (2 := Rmax_r _ _). apply Rmin_glb; lra.
  Qed.

  Lemma halves_vol : total (seq 0 n) (fun j => vol L (lower_half j)) + total (seq 0 n) (fun j => vol L (upper_half j)) <= vol L b + K * w.
  Proof.
    destruct (put_vol L P b a a' Ne A A' Len O) as (k & Ku & V). set (F := law_at a L) in *. set (G := law_at a' L) in *.
    assert (B : vol L b = k * (F h - F l) * (G h' - G l')).
    { rewrite <- (put_side b a) at 1. rewrite <- (put_side b a') at 2. rewrite V. reflexivity. }
    assert (LG : law G). { unfold G, law_at. destruct (nth a' L _) as [f g] eqn:E. apply (P f g). rewrite <- E. now apply nth_In. }
    rewrite <- total_plus. rewrite (total_ext _ _ (fun j => k * (G h' - G l') * (F (c (S j)) - F (c j)) + k * (F (c (S j)) - F (c j)) * (G (clamp (c (S j))) - G (clamp (c j))))).
    2: { intros j _. unfold lower_half, upper_half. rewrite !V. unfold mass. cbn [fst snd]. ring. }
    rewrite total_plus, (total_scale _ (fun j => F (c (S j)) - F (c j))), (telescope (fun j => F (c j))), c_end.
    replace (c 0) with l by (unfold c; cbn; ring). rewrite B. apply Rplus_le_compat; [right; ring|].
    apply Rle_trans with (total (seq 0 n) (fun j => K * w * (G (clamp (c (S j))) - G (clamp (c j))))).
    - apply total_le. intros j _. assert (C := c_succ j). assert (W := w_pos). destruct LG as [M _].
      assert (D := M _ _ (clamp_increasing (c j) (c (S j)) ltac:(lra))). apply Rmult_le_compat_r; [lra|].
      assert (Q := Spread (c j) (c (S j)) ltac:(lra)). replace (c (S j) - c j) with w in Q by lra.
      assert (LF : law F). { unfold F, law_at. destruct (nth a L _) as [f g] eqn:E. apply (P f g). rewrite <- E. now apply nth_In. }
      assert (D' := proj1 LF (c j) (c (S j)) ltac:(lra)). apply Rle_trans with (1 * (F (c (S j)) - F (c j))); [|lra].
      apply Rmult_le_compat_r; lra.
    - rewrite total_scale, (telescope (fun j => G (clamp (c j)))). assert (W := w_pos). destruct LG as [_ U].
      assert (X := U (clamp (c n))). assert (Y := U (clamp (c 0%nat))). rewrite <- (Rmult_1_r (K * w)) at 2. apply Rmult_le_compat_l; [now apply Rmult_le_pos|lra].
  Qed.
End Box.

(** ** A cover is cut *)
Lemma halves_sum eta n : sum_f_R0 (fun k => eta * (1 / 2) ^ S k) n = eta * (1 - (1 / 2) ^ S n).
Proof. induction n as [|n IH]; [cbn; lra|]. cbn [sum_f_R0]. rewrite IH. cbn [pow]. lra. Qed.
Lemma least_bound (f : nat -> R) m : (forall n, sum_f_R0 f n <= m) -> exists s, (forall n, sum_f_R0 f n <= s) /\ forall u, (forall n, sum_f_R0 f n <= u) -> s <= u.
Proof.
  intro B. destruct (completeness (fun x => exists n, x = sum_f_R0 f n)) as [s [U Le]].
  - exists m. intros x [n ->]. apply B.
  - now exists (sum_f_R0 f 0), 0%nat.
  - exists s. split; [intro n; apply U; now exists n|]. intros u H. apply Le. intros x [n ->]. apply H.
Qed.
Lemma sum_more f n m : (forall k, 0 <= f k) -> (n <= m)%nat -> sum_f_R0 f n <= sum_f_R0 f m.
Proof. intros P. induction 1 as [|m _ IH]; [lra|]. cbn [sum_f_R0]. specialize (P (S m)). lra. Qed.

Lemma cut L Y m a a' eta : proper_laws L -> a <> a' -> (a < length L)%nat -> (a' < length L)%nat -> spread (law_at a L) -> 0 < eta -> covered L Y m ->
  exists m1 m2, covered L (fun z => Y z /\ value a z <= value a' z) m1 /\ covered L (fun z => Y z /\ value a' z <= value a z) m2 /\ m1 + m2 <= m + eta.
Proof.
  intros P Ne A A' (K & K0 & Sp) E (C & O & Co & T). assert (L0 : L <> []) by (intros ->; cbn in A; lia).
  set (e := fun k => eta * (1 / 2) ^ S k). assert (E0 : forall k, 0 < e k) by (intro k; apply Rmult_lt_0_compat; [exact E|apply pow_lt; lra]).
  set (len := fun k => snd (side a (C k)) - fst (side a (C k))).
  set (n := fun k => S (Z.to_nat (up (K * len k / e k)))).
  assert (Small : forall k, K * (len k / INR (n k)) <= e k).
  { intro k. assert (N : 0 < INR (n k)) by (apply lt_0_INR; unfold n; lia). assert (X : K * len k / e k <= INR (n k)).
    { unfold n. destruct (archimed (K * len k / e k)) as [U _]. rewrite S_INR. destruct (Z_le_gt_dec 0 (up (K * len k / e k))) as [Z0|Z0].
      - rewrite INR_IZR_INZ, Z2Nat.id by exact Z0. lra.
      - assert (Q := pos_INR (Z.to_nat (up (K * len k / e k)))). apply Z.gt_lt, IZR_lt in Z0. lra. }
    specialize (E0 k). apply (Rmult_le_compat_r (e k)) in X; [|lra]. unfold Rdiv in *. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in X by lra.
    apply (Rmult_le_reg_r (INR (n k))); [exact N|]. rewrite !Rmult_assoc, Rinv_l by lra. lra. }
  set (low := fun k => map (lower_half (C k) a a' (n k)) (seq 0 (n k))). set (high := fun k => map (upper_half (C k) a a' (n k)) (seq 0 (n k))).
  assert (N0 : forall k, n k <> 0%nat) by (intro k; unfold n; lia).
  assert (Both : forall k, total (low k) (vol L) + total (high k) (vol L) <= vol L (C k) + e k).
  { intro k. unfold low, high. rewrite !total_map. destruct (O k) as [Ok Lk].
    apply Rle_trans with (1 := halves_vol L (C k) a a' K (n k) P Ne A A' Lk Ok K0 Sp (N0 k)). apply Rplus_le_compat_l. apply Small. }
  assert (OkL : forall k b, In b (low k) -> ordered b /\ length b = length L).
  { intros k b I. apply in_map_iff in I as (j & <- & _). apply halves_ok; try assumption; try apply O. apply N0. }
  assert (OkH : forall k b, In b (high k) -> ordered b /\ length b = length L).
  { intros k b I. apply in_map_iff in I as (j & <- & _). apply halves_ok; try assumption; try apply O. apply N0. }
  assert (PL : forall k, 0 <= total (low k) (vol L)) by (intro k; apply total_pos; intros b I; apply vol_unit; [exact P|now apply (OkL k)]).
  assert (PH : forall k, 0 <= total (high k) (vol L)) by (intro k; apply total_pos; intros b I; apply vol_unit; [exact P|now apply (OkH k)]).
  assert (Sum : forall k, sum_f_R0 (fun k => total (low k) (vol L)) k + sum_f_R0 (fun k => total (high k) (vol L)) k <= m + eta).
  { intro k. rewrite <- plus_sum. apply Rle_trans with (sum_f_R0 (fun k => vol L (C k) + e k) k); [apply sum_Rle; intros j _; apply Both|].
    rewrite plus_sum. apply Rplus_le_compat; [apply T|]. unfold e. rewrite halves_sum. assert (Q := pow_lt (1 / 2) (S k) ltac:(lra)). nra. }
  assert (SP := fun k => sum_more _ 0 k PL (Nat.le_0_l k)). assert (SP' := fun k => sum_more _ 0 k PH (Nat.le_0_l k)). cbn [sum_f_R0] in SP, SP'.
  destruct (least_bound (fun k => total (low k) (vol L)) (m + eta)) as (s & S1 & S2); [intro k; specialize (Sum k); specialize (SP' k); specialize (PH 0%nat); lra|].
  destruct (least_bound (fun k => total (high k) (vol L)) (m + eta)) as (s' & S1' & S2'); [intro k; specialize (Sum k); specialize (SP k); specialize (PL 0%nat); lra|].
  exists s, s'. split; [|split].
  - apply covered_lists with (T := low) (f := fun k => total (low k) (vol L)); try assumption; [|intro k; lra].
    intros z [Z H]. destruct (Co z Z) as [k I]. exists k. destruct (lower_covers L (C k) a a' (n k) Ne A A' (proj2 (O k)) (N0 k) z I H) as (j & J & In).
    eexists. split; [|exact In]. apply in_map. apply in_seq. lia.
  - apply covered_lists with (T := high) (f := fun k => total (high k) (vol L)); try assumption; [|intro k; lra].
    intros z [Z H]. destruct (Co z Z) as [k I]. exists k. destruct (upper_covers L (C k) a a' (n k) Ne A A' (proj2 (O k)) (N0 k) z I H) as (j & J & In).
    eexists. split; [|exact In]. apply in_map. apply in_seq. lia.
  - assert (s' <= m + eta - s); [|lra]. apply S2'. intro k'. assert (s <= m + eta - sum_f_R0 (fun k => total (high k) (vol L)) k'); [|lra]. apply S2. intro k.
    assert (X := sum_more _ k (Nat.max k k') PL ltac:(lia)). assert (X' := sum_more _ k' (Nat.max k k') PH ltac:(lia)). specialize (Sum (Nat.max k k')). lra.
Qed.
