(** * Splitters: states that no self-supporting set brings together

    Start from the states of each label; a splitter, a union of classes, separates in every class the states that go to it with different
    probability. What is separated in the end is not bisimilar. *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows Quotient Least.
Import ListNotations.
Open Scope Q_scope.

(** ** The check *)

(** The probability to go to T, as a numerator and a denominator. *)
Definition chance (m : PM.t prow) (T : PM.t unit) (s : N) : Z * Z :=
  match PM.find (key s) m with
  | Some r => (fold_right (fun kz a => if PM.mem (fst kz) T then (snd kz + a)%Z else a) 0%Z (nums r), Zpos (den r))
  | None => (0, 1)%Z
  end.
Definition equal (a b : Z * Z) : bool := (fst a * snd b =? fst b * snd a)%Z.

(** A partition leads from each state to the first of its class. *)
Definition partition := PM.t N.
Definition first (p : partition) (s : N) : N := match PM.find (key s) p with Some r => r | None => s end.
Definition parted (l : list N) (same : N -> N -> bool) : partition :=
  of_list (map (fun s => (key s, match find (same s) l with Some r => r | None => s end)) l).

(** The same for states that agree in a number and in what [alike] compares, which looks only at states of the same number. *)
Definition bucket {A} (b : PM.t (list A)) (k : N) : list A := match PM.find (key k) b with Some l => l | None => [] end.
Definition buckets {A} (number : A -> N) (l : list A) : PM.t (list A) :=
  fold_right (fun x b => PM.add (key (number x)) (x :: bucket b (number x)) b) (PM.empty _) l.
Definition parting {B} (l : list N) (number : N -> N) (value : N -> B) (alike : B -> B -> bool) : partition :=
  let all := map (fun s => (s, (number s, value s))) l in let b := buckets (fun x => fst (snd x)) all in
  of_list (map (fun x => (key (fst x), match find (fun y => alike (snd (snd x)) (snd (snd y))) (bucket b (fst (snd x))) with Some y => fst y | None => fst x end)) all).

Definition by_label (c : chain) : partition := let labels := map_of (map fst c) in parting (counted 0 c) (placed labels) (fun _ => tt) (fun _ _ => true).
Definition split (c : chain) (m : PM.t prow) (T : PM.t unit) (p : partition) : partition := parting (counted 0 c) (first p) (chance m T) equal.

Definition set_of (T : list N) : PM.t unit := of_list (map (fun s => (key s, tt)) T).
(** T is a union of classes. *)
Definition united (c : chain) (T : PM.t unit) (p : partition) : bool :=
  forallb (fun s => Bool.eqb (PM.mem (key s) T) (PM.mem (key (first p s)) T)) (counted 0 c).

(** The last partition; where something that splits is no union of classes, nothing more is split. *)
Fixpoint split_all (c : chain) (m : PM.t prow) (splitters : list (list N)) (p : partition) : partition :=
  match splitters with
  | [] => p
  | T :: rest => let t := set_of T in if united c t p then split_all c m rest (split c m t p) else p
  end.
Definition classes (c : chain) (splitters : list (list N)) : partition := split_all c (prepare c) splitters (by_label c).

(** ** Soundness *)

Lemma bucket_spec {A} (number : A -> N) l k : bucket (buckets number l) k = filter (fun x => (number x =? k)%N) l.
Proof.
  induction l as [|x l IH]; [unfold bucket, buckets; cbn [fold_right]; now rewrite PM.gempty|].
  change (buckets number (x :: l)) with (PM.add (key (number x)) (x :: bucket (buckets number l) (number x)) (buckets number l)). cbn [filter].
  unfold bucket at 1. destruct (N.eqb_spec (number x) k) as [E|E].
  - rewrite <- E, PM.gss, E, IH. reflexivity.
  - rewrite PM.gso by (intro K; apply key_inj in K; congruence). exact IH.
Qed.
Lemma parting_parted {B} l number (value : N -> B) alike :
  parting l number value alike = parted l (fun s t => if (number s =? number t)%N then alike (value s) (value t) else false).
Proof.
  unfold parting, parted. cbv zeta. rewrite map_map. f_equal. apply map_ext. intro s. cbn [fst snd]. f_equal. rewrite bucket_spec.
  induction l as [|t l IH]; [reflexivity|]. cbn [map filter find fst snd]. rewrite (N.eqb_sym (number t)).
  destruct (number s =? number t)%N; [cbn [find fst snd]; destruct (alike (value s) (value t)); [reflexivity|exact IH]|exact IH].
Qed.
Lemma by_label_parted c : by_label c = parted (states c) (fun s t => if (label c s =? label c t)%N then true else false).
Proof.
  unfold by_label. cbv zeta. rewrite parting_parted, counted_states. unfold parted. f_equal. apply map_ext. intro s. f_equal.
  assert (E : forall k, placed (map_of (map fst c)) k = label c k) by (intro k; rewrite placed_class; unfold class, label; now rewrite <- (map_nth fst)).
  rewrite E. generalize (states c). intro l. induction l as [|t l IH]; [reflexivity|]. cbn [find]. rewrite E. destruct (label c s =? label c t)%N; [reflexivity|exact IH].
Qed.
Lemma split_parted c m T p : split c m T p = parted (states c) (fun s t => if (first p s =? first p t)%N then equal (chance m T s) (chance m T t) else false).
Proof. unfold split. now rewrite parting_parted, counted_states. Qed.

Lemma find_ext {A} (f g : A -> bool) l : (forall x, In x l -> f x = g x) -> find f l = find g l.
Proof.
  induction l as [|x l IH]; intro H; cbn [find]; [reflexivity|]. rewrite (H x (or_introl eq_refl)).
  destruct (g x); [reflexivity|]. apply IH. intros y Hy. apply H. now right.
Qed.

Lemma of_list_map {A} (f : N -> A) l s : In s l -> PM.find (key s) (of_list (map (fun s => (key s, f s)) l)) = Some (f s).
Proof.
  induction l as [|x l IH]; intro H; [easy|]. cbn [map of_list fold_right fst snd]. destruct (N.eq_dec s x) as [->|Hne]; [apply PM.gss|].
  rewrite PM.gso; [|intro E; apply key_inj in E; congruence]. apply IH. destruct H; [congruence|assumption].
Qed.

Lemma parted_same l same s t : In s l -> In t l -> (forall x, In x l -> same s x = same t x) -> same s t = true ->
  first (parted l same) s = first (parted l same) t.
Proof.
  intros Hs Ht E Sst. unfold first, parted. rewrite !of_list_map by assumption. rewrite (find_ext (same s) (same t)) by assumption.
  destruct (find (same t) l) eqn:F; [reflexivity|]. apply find_none with (x := t) in F; [|assumption]. rewrite <- (E t Ht) in F. congruence.
Qed.

Section Chances.
  Variable c : chain.
  Hypothesis Mc : check_model c = true.
  Let m := prepare c.

  Definition holds (T : PM.t unit) (k : N) : Q := if PM.mem (key k) T then 1 else 0.

  Lemma chance_spec T s : In s (states c) -> (0 < snd (chance m T s))%Z /\
    inject_Z (snd (chance m T s)) * mean c s (holds T) == inject_Z (fst (chance m T s)).
  Proof.
    intro Hs. unfold chance, m. rewrite (prepare_complete c s Hs). cbn [fst snd]. split; [easy|].
    unfold check_model in Mc. assert (M := Mc). rewrite forallb_forall in M. apply in_states in Hs.
    destruct (prep_spec _ _ (holds T) (M _ (nth_In c (0%N, []) Hs))) as [P _]. unfold mean, next. rewrite P. clear P.
    unfold ev, holds. induction (nums _) as [|[k z] l IH]; cbn [fold_right fst snd]; [reflexivity|].
    rewrite key_unkey, IH. destruct (PM.mem k T); [rewrite inject_Z_plus|]; ring.
  Qed.

  Lemma equal_spec T s t : In s (states c) -> In t (states c) ->
    equal (chance m T s) (chance m T t) = true <-> mean c s (holds T) == mean c t (holds T).
  Proof.
    intros Hs Ht. destruct (chance_spec T s Hs) as [Ps Es], (chance_spec T t Ht) as [Pt Et]. unfold equal. rewrite Z.eqb_eq.
    destruct (chance m T s) as [a1 a2], (chance m T t) as [b1 b2]. cbn [fst snd] in *.
    rewrite Zlt_Qlt in Ps, Pt. change (inject_Z 0) with 0 in Ps, Pt. set (x := mean c s _) in *. set (y := mean c t _) in *. clearbody x y. split; intro E.
    - assert (E' : inject_Z a1 * inject_Z b2 == inject_Z b1 * inject_Z a2) by (rewrite <- !inject_Z_mult; now rewrite E).
      rewrite <- Es, <- Et in E'.
      assert (Z : inject_Z a2 * inject_Z b2 * (x - y) == 0).
      { transitivity (inject_Z a2 * x * inject_Z b2 - inject_Z b2 * y * inject_Z a2); [ring|]. rewrite E'. ring. }
      destruct (Qmult_integral _ _ Z) as [Z0|Z0]; [|lra]. destruct (Qmult_integral _ _ Z0); lra.
    - apply inject_Z_injective. rewrite !inject_Z_mult, <- Es, <- Et, E. ring.
  Qed.

  (** If S has pairs of equal label, which go with equal probability to every set that has both states of each pair or neither, then no pair is ever separated. *)
  Variable S : N * N -> Prop.
  Hypothesis S_alike : forall p, S p -> In (fst p) (states c) /\ In (snd p) (states c) /\ label c (fst p) = label c (snd p).
  Hypothesis S_equal : forall T, (forall p, S p -> PM.mem (key (fst p)) T = PM.mem (key (snd p)) T) ->
    forall p, S p -> mean c (fst p) (holds T) == mean c (snd p) (holds T).

  Lemma split_all_together splitters : forall p,
    (forall q, S q -> first p (fst q) = first p (snd q)) ->
    forall q, S q -> first (split_all c m splitters p) (fst q) = first (split_all c m splitters p) (snd q).
  Proof.
    induction splitters as [|T rest IH]; intros p Hp q Sq; cbn [split_all]; [now apply Hp|].
    destruct (united c (set_of T) p) eqn:U; [|now apply Hp]. apply IH; [|assumption]. clear q Sq. intros q Sq.
    destruct (S_alike q Sq) as (Hi & Hj & _). unfold united in U. rewrite counted_states, forallb_forall in U.
    assert (Hu : forall p', S p' -> PM.mem (key (fst p')) (set_of T) = PM.mem (key (snd p')) (set_of T)).
    { intros p' Sp. destruct (S_alike p' Sp) as (Hi' & Hj' & _). assert (A := U _ Hi'). assert (B := U _ Hj').
      apply Bool.eqb_prop in A, B. rewrite A, B. now rewrite (Hp p' Sp). }
    assert (E := S_equal (set_of T) Hu q Sq). apply (equal_spec _ _ _ Hi Hj) in E. rewrite !split_parted. apply parted_same; try assumption.
    - intros x Hx. rewrite (Hp q Sq). destruct (first p (snd q) =? first p x)%N; [|reflexivity].
      apply (equal_spec _ _ _ Hi Hj) in E.
      destruct (equal (chance m (set_of T) (snd q)) (chance m (set_of T) x)) eqn:E1.
      + apply (equal_spec _ _ _ Hj Hx) in E1. apply (equal_spec _ _ _ Hi Hx). now rewrite E.
      + destruct (equal (chance m (set_of T) (fst q)) (chance m (set_of T) x)) eqn:E2; [|reflexivity].
        apply (equal_spec _ _ _ Hi Hx) in E2. rewrite <- E1. symmetry. apply (equal_spec _ _ _ Hj Hx). now rewrite <- E.
    - rewrite (Hp q Sq), N.eqb_refl. exact E.
  Qed.

  Lemma classes_keep splitters p : S p -> first (classes c splitters) (fst p) = first (classes c splitters) (snd p).
  Proof.
    apply split_all_together. intros q Sq. destruct (S_alike q Sq) as (Hi & Hj & L). rewrite by_label_parted. apply parted_same; try assumption.
    - intros x _. now rewrite L.
    - now rewrite L, N.eqb_refl.
  Qed.
End Chances.

Section Apart.
  Variables (c : chain) (alpha : Q).
  Hypothesis Mc : check_model c = true.
  Hypothesis Ha : 1 <= alpha.

  (** A self-supporting set whose pairs T does not separate: both states go to T with equal probability. *)
  Lemma equal_chances (S : N * N -> Prop) T : supporting c alpha S ->
    (forall p, S p -> PM.mem (key (fst p)) T = PM.mem (key (snd p)) T) ->
    forall p, S p -> mean c (fst p) (holds T) == mean c (snd p) (holds T).
  Proof.
    intros Su Hu.
    assert (One_way : forall p, In (fst p) (states c) -> In (snd p) (states c) -> supported c alpha S p -> mean c (fst p) (holds T) == mean c (snd p) (holds T)).
    2: { intros p Sp. destruct (Su p Sp) as ((Hi & Hj & _) & [A|A]); [now apply One_way|symmetry; now apply (One_way (swap p))]. }
    intros p Hi Hj (f & w & F & G & Hw & R & One & Supp).
    assert (M := model_sound c Mc). set (g := holds T).
    assert (G01 : forall k, 0 <= g k /\ g k <= 1) by (intro; unfold g, holds; destruct (PM.mem _ T); lra).
    (* f is 1 on what the first state leads to, and 0 on what the second leads to *)
    assert (T1 : forall s, In s (states c) -> mean c s (fun _ => 1) == 1).
    { intros s Hs. apply in_states in Hs. destruct (M s Hs) as [E _]. rewrite <- E. unfold mean. apply sum_ext. intros; ring. }
    assert (Mp : forall s h, In s (states c) -> (forall k, In k (states c) -> 0 <= h k) -> 0 <= mean c s h).
    { intros s h Hs Hh. apply sum_pos. intros [k q] Hk. apply in_states in Hs. destruct (M s Hs) as [_ N]. destruct (N k q Hk) as [Nq Nk].
      cbn [fst snd]. apply in_states in Nk. specialize (Hh k Nk). nra. }
    assert (Add : forall s a b h h', mean c s (fun k => a * h k + b * h' k) == a * mean c s h + b * mean c s h').
    { intros s a b h h'. unfold mean. rewrite <- !sum_scale, <- sum_plus. apply sum_ext. intros; ring. }
    assert (X : mean c (fst p) f <= 1).
    { rewrite <- (T1 _ Hi). assert (P := Mp (fst p) (fun k => 1 * 1 + - (1) * f k) Hi). rewrite Add in P. specialize (P ltac:(intros k Hk; destruct (F k Hk); lra)). lra. }
    assert (Y : 0 <= mean c (snd p) f) by (apply Mp; [assumption|intros k Hk; now apply F]).
    assert (Y0 : mean c (snd p) f <= 0) by nra. assert (X1 : 1 <= mean c (fst p) f) by nra.
    assert (Zero : forall h, sum (map (fun k => h k * rest c alpha w (fst p) (snd p) k) (states c)) == 0).
    { intro h. rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_0|]. intros k Hk. rewrite (R k Hk). ring. }
    (* so at least what the first state leads to is carried away, of any part h *)
    assert (Part : forall h, (forall k, 0 <= h k /\ h k <= 1) -> mean c (fst p) h <= sum (map (fun x => amount x * h (src x)) w)).
    { intros h H01. set (hf := fun k => h k * f k).
      assert (Ps : mean c (fst p) h <= mean c (fst p) hf).
      { assert (P := Mp (fst p) (fun k => 1 * (1 * 1 + - (1) * f k) + - (1) * (1 * h k + - (1) * hf k)) Hi).
        rewrite (Add _ 1 (- (1)) (fun k => 1 * 1 + - (1) * f k) (fun k => 1 * h k + - (1) * hf k)), !Add, (T1 _ Hi) in P.
        specialize (P ltac:(intros k Hk; destruct (F k Hk), (H01 k); unfold hf; assert (0 <= (1 - f k) * (1 - h k)) by nra; lra)). lra. }
      assert (Pt : mean c (snd p) hf <= 0).
      { assert (P := Mp (snd p) (fun k => 1 * f k + - (1) * hf k) Hj). rewrite Add in P.
        specialize (P ltac:(intros k Hk; destruct (F k Hk), (H01 k); unfold hf; nra)). lra. }
      assert (Du := duality c alpha M w _ _ hf Hw Hi Hj). rewrite Zero in Du.
      assert (B : sum (map (fun x => amount x * (hf (src x) - alpha * hf (dst x))) w) <= sum (map (fun x => amount x * h (src x)) w)).
      { apply sum_le. intros x Hx. destruct (Hw x Hx) as (A & I & J). destruct (F _ I), (F _ J), (H01 (src x)), (H01 (dst x)). unfold hf.
        assert (0 <= h (dst x) * f (dst x)) by nra. assert (h (src x) * f (src x) <= h (src x)) by nra.
        set (a := h (src x) * f (src x)) in *. set (b := h (dst x) * f (dst x)) in *. clearbody a b. set (z := amount x) in *. clearbody z.
        assert (0 <= alpha * b) by nra. assert (0 <= z * (alpha * b)) by nra. assert (0 <= z * (h (src x) - a)) by nra. lra. }
      assert (0 <= alpha * - mean c (snd p) hf) by nra. lra. }
    assert (Du := duality c alpha M w _ _ g Hw Hi Hj). rewrite Zero in Du.
    set (W := sum (map (fun x => amount x * g (src x)) w)) in *.
    assert (Eg : mean c (fst p) g - alpha * mean c (snd p) g == (1 - alpha) * W).
    { rewrite Du. unfold W. rewrite <- sum_scale, Qplus_0_r. apply sum_ext. intros x Hx. destruct (Supp x Hx) as [E|E]; [rewrite E; ring|].
      specialize (Hu _ E). cbn [fst snd] in Hu. unfold g, holds. rewrite Hu. ring. }
    assert (L1 : mean c (fst p) g <= W) by now apply Part.
    assert (L2 : W <= mean c (fst p) g).
    { assert (P := Part (fun k => 1 * 1 + - (1) * g k) ltac:(intro k; destruct (G01 k); lra)). rewrite Add, (T1 _ Hi) in P.
      rewrite (sum_ext _ _ (fun x => amount x + - (1) * (amount x * g (src x)))) in P by (intros; ring). rewrite sum_plus, sum_scale, One in P. fold W in P. lra. }
    assert (E : W == mean c (fst p) g) by lra. rewrite E in Eg. set (x := mean c (fst p) g) in *. set (y := mean c (snd p) g) in *. clearbody x y.
    assert (Z : alpha * (x - y) == 0) by lra. destruct (Qmult_integral _ _ Z); lra.
  Qed.

  Theorem classes_together (S : N * N -> Prop) splitters : supporting c alpha S ->
    forall p, S p -> first (classes c splitters) (fst p) = first (classes c splitters) (snd p).
  Proof.
    intro Su. apply (classes_keep c Mc S).
    - intros q Sq. destruct (Su q Sq) as ((Hi & Hj & L & _) & _). now repeat split.
    - intros T. now apply equal_chances.
  Qed.
End Apart.
