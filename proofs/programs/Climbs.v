(** * Samples that climb from turn to turn, and the theorem about families

    In turn j of n turns a sample is a number that grows with j and with n. Tests of such numbers hold for all n and j if they do so at the least
    ones, and the differences do not fall. *)
From Coq Require Import List NArith ZArith QArith Qpower Lqa Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Convex Noise Loss Table Powers Multipliers Runs Families.
Import ListNotations.
Open Scope Q_scope.

(** A number, and how much it grows with n and with j. *)
Definition climbing := (Q * Z * Z)%type.
Definition at_turn (n j : Z) (c : climbing) : Q := fst (fst c) + inject_Z (snd (fst c) * n + snd c * j).
Definition difference (c d : climbing) : climbing := (fst (fst c) - fst (fst d), (snd (fst c) - snd (fst d))%Z, (snd c - snd d)%Z).
(** It is at least 0, or more, for j = 0 and all n; or for all j from 1 to n - 1. *)
Definition above (again strictly : bool) (c : climbing) : bool :=
  let x := if again then at_turn 2 1 c else at_turn 1 0 c in
  (if strictly then negb (Qle_bool x 0) else Qle_bool 0 x) && (0 <=? snd (fst c))%Z && (negb again || (0 <=? snd (fst c) + snd c)%Z).
Definition turn_of (again : bool) (n j : Z) : Prop := if again then (1 <= j <= n - 1)%Z else (j = 0 /\ 1 <= n)%Z.
Lemma above_sound again strictly c n j : turn_of again n j -> above again strictly c = true -> if strictly then 0 < at_turn n j c else 0 <= at_turn n j c.
Proof.
  unfold above. cbv zeta. intros T H. apply andb_prop in H as [H R]. apply andb_prop in H as [H A]. apply Z.leb_le in A.
  destruct c as [[x a] b]. cbn [fst snd] in *. unfold at_turn in *. cbn [fst snd] in *.
  set (n0 := if again then 2%Z else 1%Z). set (j0 := if again then 1%Z else 0%Z).
  assert (Le : (a * n0 + b * j0 <= a * n + b * j)%Z).
  { unfold n0, j0. destruct again; cbn [negb orb turn_of] in *; [apply Z.leb_le in R; nia|destruct T as [-> T]; nia]. }
  assert (Lq : inject_Z (a * n0 + b * j0) <= inject_Z (a * n + b * j)) by now rewrite <- Zle_Qle.
  assert (X : (if strictly then 0 < x + inject_Z (a * n0 + b * j0) else 0 <= x + inject_Z (a * n0 + b * j0))).
  { unfold n0, j0. destruct again, strictly; rewrite ?negb_true_iff, <- ?not_true_iff_false, ?Qle_bool_iff in H; try (apply Qnot_le_lt in H); exact H. }
  destruct strictly; lra.
Qed.
Lemma at_difference n j c d : at_turn n j (difference c d) == at_turn n j c - at_turn n j d.
Proof.
  unfold at_turn, difference. cbn [fst snd]. replace ((snd (fst c) - snd (fst d)) * n + (snd c - snd d) * j)%Z
    with ((snd (fst c) * n + snd c * j) - (snd (fst d) * n + snd d * j))%Z by ring. unfold Z.sub at 1. rewrite inject_Z_plus, inject_Z_opp. ring.
Qed.
Definition holds (again : bool) (x y : climbing) (c : test) : bool :=
  match c with
  | Below => above again true (difference y x) | AtMost => above again false (difference y x)
  | AtLeast => above again false (difference x y) | Above => above again true (difference x y)
  | Equal => above again false (difference y x) && above again false (difference x y)
  end.
Lemma holds_sound again n j x y s z c : turn_of again n j -> holds again x y (fst c) = true -> z == at_turn n j x -> s (snd c) == at_turn n j y ->
  passes s z c = true.
Proof.
  intros T H Z Y. unfold passes. unfold holds in H.
  destruct (fst c); rewrite ?negb_true_iff, <- ?not_true_iff_false, ?Qle_bool_iff, ?Qeq_bool_iff; try (apply (above_sound _ _ _ n j T) in H; cbn iota in H;
    rewrite at_difference, <- Z, <- Y in H; lra).
  apply andb_prop in H as [H1 H2]. apply (above_sound _ _ _ n j T) in H1, H2. cbn iota in H1, H2. rewrite at_difference, <- Z, <- Y in H1, H2. lra.
Qed.

Section Climb.
  Variable p : program.
  (** A step in turn j of n. *)
  Definition climbed (n j : Z) (i : item) : item :=
    let '(u, t, e) := i in
    let k := (fst (rises e) * j + snd (rises e) * n)%Z in
    (u, t, {| move := move e; noise_of := if (reads (at_state p u) =? 0)%Z then (noise_of e + k)%Z else noise_of e; of_guard := of_guard e;
              of_numbers := of_numbers e; differs := differs e; reading_of := (reading_of e + k)%Z; rises := (0, 0)%Z |}).
  Definition climbed_run (n : nat) (bs : blocks) : list item :=
    flat_map (fun b : bool * list item => if fst b then flat_map (fun j => map (climbed (Z.of_nat n) (Z.of_nat j)) (snd b)) (seq 0 n)
                       else map (climbed (Z.of_nat n) 0) (snd b)) bs.

  (** But for its sample, a step is what it was. *)
  Definition bare (i : item) : item :=
    let '(u, t, e) := i in
    (u, t, {| move := move e; noise_of := 0; of_guard := of_guard e; of_numbers := of_numbers e; differs := differs e; reading_of := 0; rises := (0, 0)%Z |}).
  Lemma bare_climbed n j l : map bare (map (climbed n j) l) = map bare l.
  Proof. rewrite map_map. apply map_ext. intros [[u t] e]. reflexivity. Qed.
  Lemma bare_turns n N l a : map bare (flat_map (fun j => map (climbed N (Z.of_nat j)) l) (seq a n)) = map bare (concat (repeat l n)).
  Proof.
    revert a. induction n as [|n IH]; intro a; [easy|]. cbn [seq flat_map repeat concat]. rewrite !map_app, bare_climbed, IH. easy.
  Qed.
  Lemma bare_run n bs : map bare (climbed_run n bs) = map bare (run n bs).
  Proof.
    induction bs as [|[again l] bs IH]; [easy|]. unfold climbed_run, run in *. cbn [flat_map fst snd]. rewrite !map_app, IH. f_equal. unfold turns. cbn [fst snd].
    destruct again; [apply bare_turns|apply bare_climbed].
  Qed.
  Lemma chained_bare l : forall u v, chained p u (map bare l) v <-> chained p u l v.
  Proof. induction l as [|[[w t] e] l IH]; intros u v; cbn [map bare chained]; [easy|]. cbn [move]. now rewrite IH. Qed.
  Lemma total_bare n l x : total_of p n (map bare l) x = total_of p n l x.
  Proof.
    unfold total_of. induction l as [|[[w t] e] l IH]; [easy|]. cbn [map bare fold_right]. rewrite IH. reflexivity.
  Qed.
  Definition blank (r : N * (Z * Z)) : N * (Z * Z) := (fst r, (fst (snd r), 0%Z)).
  Lemma read_bare l : all_read p (map bare l) = map blank (all_read p l).
  Proof.
    induction l as [|[[w t] e] l IH]; [easy|]. cbn [map bare]. unfold all_read in *. cbn [flat_map read_at]. rewrite IH, map_app. now destruct (_ =? 0)%Z.
  Qed.
  Lemma forallb_blank f l : (forall r, f (blank r) = f r) -> forallb f (map blank l) = forallb f l.
  Proof. intro H. induction l as [|r l IH]; [easy|]. cbn [map forallb]. now rewrite H, IH. Qed.
  Lemma neighbours_blank a l : neighbours p a (map blank l) = neighbours p a l.
  Proof.
    unfold neighbours. cbv zeta. rewrite !forallb_blank by reflexivity. f_equal. destruct a; try reflexivity.
    induction l as [|[u [d b]] l IH]; [easy|]. cbn [map blank at_most_one fst snd]. destruct (d =? 0)%Z; [exact IH|]. unfold none. now apply forallb_blank.
  Qed.

  (** ** The run can be taken *)
  Definition sample_at (i : item) : climbing := (sample_of p i, snd (rises (snd i)), fst (rises (snd i))).
  (** Noise of a step that reads nothing may climb where it has both sides. *)
  Definition may_climb (i : item) : bool :=
    let d := at_state p (fst (fst i)) in
    drawable d (noise_of (snd i))
    && (negb (reads d =? 0)%Z || match rises (snd i), rate_left d, rate_right d with (0, 0)%Z, _, _ => true | _, Some _, Some _ => true | _, _, _ => false end).
  Fixpoint takes_turn (again : bool) (s : N -> climbing) (l : list item) : bool :=
    match l with
    | [] => true
    | i :: l => let t := snd (fst i) in
      may_climb i && forallb (fun c => holds again (sample_at i) (s (snd c)) (fst c)) (guard t)
      && takes_turn again (fun v => if member (stores t) v then sample_at i else s v) l
    end.
  Fixpoint turned (s : N -> climbing) (l : list item) : N -> climbing :=
    match l with [] => s | i :: l => turned (fun v => if member (stores (snd (fst i))) v then sample_at i else s v) l end.
  (** What was stored in the turn before, and in the last one; and in a block that is taken once. *)
  Definition before_turn (c : climbing) : climbing := (fst (fst c) - inject_Z (snd c), snd (fst c), snd c).
  Definition at_last (c : climbing) : climbing := (fst (fst c) - inject_Z (snd c), (snd (fst c) + snd c)%Z, 0%Z).
  Definition once (c : climbing) : climbing := (fst (fst c), snd (fst c), 0%Z).
  Definition where_stored (l : list item) (f : climbing -> climbing) (s : N -> climbing) : N -> climbing :=
    fun v => if member (stored_of l) v then f (turned s l v) else s v.
  Fixpoint takes_all (s : N -> climbing) (bs : blocks) : bool :=
    match bs with
    | [] => true
    | (again, l) :: bs =>
      takes_turn false s l && (negb again || takes_turn true (where_stored l before_turn s) l)
      && takes_all (where_stored l (if again then at_last else once) s) bs
    end.

  Lemma sample_climbed n j i : sample_of p (climbed n j i) == at_turn n j (sample_at i).
  Proof.
    destruct i as [[u t] e]. unfold sample_at, at_turn. cbn [climbed sample_of fst snd noise_of reading_of]. unfold here.
    destruct (reads (at_state p u) =? 0)%Z; rewrite !inject_Z_plus, !inject_Z_mult; change (inject_Z 0) with 0; ring.
  Qed.
  Lemma drawable_climbed n j i : may_climb i = true -> drawable (at_state p (fst (fst (climbed n j i)))) (noise_of (snd (climbed n j i))) = true.
  Proof.
    destruct i as [[u t] e]. unfold may_climb. cbn [climbed fst snd noise_of]. intro H. apply andb_prop in H as [D H].
    destruct (reads (at_state p u) =? 0)%Z; [|exact D]. cbn [negb orb] in H. unfold drawable in *.
    destruct (rises e) as [a b]. cbn [fst snd]. destruct (rate_left (at_state p u)), (rate_right (at_state p u)), a, b; try discriminate; try reflexivity;
      cbn [Z.mul Z.add] in *; rewrite ?Z.add_0_r; exact D.
  Qed.
  Lemma taken_turn again n j l : turn_of again n j -> forall s s', (forall v, s' v == at_turn n j (s v)) -> takes_turn again s l = true ->
    taken p s' (map (climbed n j) l) = true /\ forall v, left p s' (map (climbed n j) l) v == at_turn n j (turned s l v).
  Proof.
    intro T. induction l as [|i l IH]; intros s s' E H; cbn [map taken left takes_turn turned] in *; [now split|].
    apply andb_prop in H as [H Rest]. apply andb_prop in H as [D G]. rewrite (drawable_climbed n j i D). cbn [andb].
    assert (X := sample_climbed n j i). assert (St : snd (fst (climbed n j i)) = snd (fst i)) by now destruct i as [[u t] e].
    rewrite St. destruct (IH (fun v => if member (stores (snd (fst i))) v then sample_at i else s v) (stored (snd (fst i)) s' (sample_of p (climbed n j i)))) as [A B];
      [intro v; unfold stored, member; destruct (existsb _ _); [exact X|apply E]|exact Rest|]. rewrite A, andb_true_r. split; [|exact B]. apply forallb_forall. intros c I. rewrite forallb_forall in G. specialize (G c I).
    exact (holds_sound again n j _ _ s' _ c T G X (E (snd c))).
  Qed.

  Lemma member_app a b v : member (a ++ b) v = member a v || member b v.
  Proof. unfold member. apply existsb_app. Qed.
  Lemma turned_stored l : forall s s' v, member (stored_of l) v = true -> turned s l v = turned s' l v.
  Proof.
    induction l as [|i l IH]; intros s s' v M; [discriminate|]. cbn [turned stored_of flat_map] in *. fold (stored_of l) in M. rewrite member_app in M.
    destruct (member (stored_of l) v) eqn:R; [now apply IH|]. rewrite orb_false_r in M.
    assert (K : forall l s, member (stored_of l) v = false -> turned s l v = s v).
    { clear. induction l as [|i l IH]; intros s R; [easy|]. cbn [turned stored_of flat_map] in *. fold (stored_of l) in R. rewrite member_app in R.
      apply orb_false_elim in R as [A B]. rewrite IH by exact B. now rewrite A. }
    rewrite !K by exact R. now rewrite M.
  Qed.
  Lemma turned_other l v : member (stored_of l) v = false -> forall s, turned s l v = s v.
  Proof.
    induction l as [|i l IH]; intros R s; [easy|]. cbn [turned stored_of flat_map] in *. fold (stored_of l) in R. rewrite member_app in R.
    apply orb_false_elim in R as [A B]. rewrite IH by exact B. now rewrite A.
  Qed.

  (** Numbers that were stored before a block do not depend on its turns. *)
  Definition still (s : N -> climbing) : Prop := forall v, snd (s v) = 0%Z.
  Lemma still_at n j s v : still s -> at_turn n j (s v) == at_turn n 0 (s v).
  Proof. intro S. unfold at_turn. rewrite (S v). apply Qplus_comp; [reflexivity|]. apply inject_Z_injective. ring. Qed.
  Lemma taken_turns m l s s' : let n := Z.of_nat (S m) in still s -> (forall v, s' v == at_turn n 0 (s v)) ->
    takes_turn false s l = true -> takes_turn true (where_stored l before_turn s) l = true -> forall k, (k <= m)%nat ->
    let r := flat_map (fun j => map (climbed n (Z.of_nat j)) l) (seq 0 (S k)) in
    taken p s' r = true /\ forall v, left p s' r v == at_turn n (Z.of_nat k) (turned s l v).
  Proof.
    intros n Still E First Again. induction k as [|k IH]; intros L r.
    - unfold r. cbn [seq flat_map]. rewrite app_nil_r. apply (taken_turn false n 0 l); [cbn; lia|exact E|exact First].
    - destruct IH as [A B]; [lia|]. cbv zeta in A, B. unfold r. rewrite seq_S, flat_map_app. cbn [Nat.add flat_map]. rewrite app_nil_r.
      set (before := flat_map _ (seq 0 (S k))) in *. rewrite taken_app, left_app, A. cbn [andb].
      destruct (taken_turn true n (Z.of_nat (S k)) l ltac:(unfold turn_of, n; lia) (where_stored l before_turn s) (left p s' before)) as [C D].
      + intro v. rewrite B. unfold where_stored. destruct (member (stored_of l) v) eqn:M.
        * unfold at_turn, before_turn. cbn [fst snd]. set (c := turned s l v). unfold Qminus. rewrite <- Qplus_assoc, <- inject_Z_opp, <- inject_Z_plus.
          apply Qplus_comp; [reflexivity|]. apply inject_Z_injective. rewrite Nat2Z.inj_succ. ring.
        * rewrite turned_other by exact M. rewrite !still_at by exact Still. rewrite (still_at n (Z.of_nat (S k))) by exact Still. reflexivity.
      + exact Again.
      + split; [exact C|]. intro v. rewrite D. destruct (member (stored_of l) v) eqn:M.
        * now rewrite (turned_stored l _ s v M).
        * rewrite !turned_other by exact M. unfold where_stored. now rewrite M.
  Qed.
  Lemma taken_run m bs : let n := Z.of_nat (S m) in forall s s', still s -> (forall v, s' v == at_turn n 0 (s v)) -> takes_all s bs = true ->
    taken p s' (climbed_run (S m) bs) = true.
  Proof.
    intro n. induction bs as [|[again l] bs IH]; intros s s' Still E H; [easy|]. cbn [takes_all] in H. apply andb_prop in H as [H Rest]. apply andb_prop in H as [F A].
    unfold climbed_run. cbn [flat_map fst snd]. fold (climbed_run (S m) bs). fold n. rewrite taken_app.
    assert (St : forall f, (forall c, snd (f c) = 0%Z) -> still (where_stored l f s)).
    { intros f Z v. unfold where_stored. destruct (member _ _); [apply Z|apply Still]. }
    destruct again; cbn [negb orb] in A.
    - destruct (taken_turns m l s s' Still E F A m (le_n m)) as [T L]. cbv zeta in T, L. fold n in T, L. rewrite T. cbn [andb].
      apply (IH (where_stored l at_last s)); [now apply St| |exact Rest]. intro v. rewrite L. unfold where_stored. destruct (member (stored_of l) v) eqn:M.
      + unfold at_turn, at_last. cbn [fst snd]. set (c := turned s l v). unfold Qminus. rewrite <- Qplus_assoc, <- inject_Z_opp, <- inject_Z_plus.
        apply Qplus_comp; [reflexivity|]. apply inject_Z_injective. unfold n. rewrite Nat2Z.inj_succ. ring.
      + rewrite turned_other by exact M. now apply still_at.
    - destruct (taken_turn false n 0 l ltac:(cbn; lia) s s' E F) as [T L]. rewrite T. cbn [andb].
      apply (IH (where_stored l once s)); [now apply St| |exact Rest]. intro v. rewrite L. unfold where_stored. destruct (member (stored_of l) v) eqn:M.
      + unfold at_turn, once. cbn [fst snd]. apply Qplus_comp; [reflexivity|]. apply inject_Z_injective. ring.
      + now rewrite turned_other by exact M.
  Qed.
End Climb.

(** ** The theorem *)
Definition check_family (p : program) (start : N) (a : adjacency) (given : list (bool * list link)) : bool :=
  match resolve_all p start given with
  | None => false
  | Some bs =>
    check_proper p && takes_all p (fun _ => (0, 0%Z, 0%Z)) bs
    && neighbours p a (all_read p (run 1 bs))
    && match a with OneDiffers => forallb (fun b => negb (fst b) || none (all_read p (snd b))) bs | _ => true end
    && match fold_right (block_for_all p) (Some ([], (0, 0)%Z)) bs with Some (_, W) => (0 <? snd W)%Z | None => false end
  end.

Lemma in_run n bs i : In i (run (S n) bs) -> In i (run 1 bs).
Proof.
  unfold run. rewrite !in_flat_map. intros (b & I & H). exists b. split; [exact I|]. unfold turns in *. destruct (fst b); [|exact H].
  cbn [repeat concat]. rewrite app_nil_r. apply in_concat in H as (l & L & H). apply repeat_spec in L. now subst.
Qed.
(** Where one input differs, it is read once. *)
Definition differing : readings -> readings := filter (fun r => negb (fst (snd r) =? 0)%Z).
Lemma none_differing l : none l = true <-> differing l = [].
Proof.
  induction l as [|[u [d b]] l IH]; [easy|]. cbn [none forallb differing filter fst snd]. fold (none l) (differing l).
  destruct (d =? 0)%Z; cbn [andb negb]; [exact IH|easy].
Qed.
Lemma at_most_one_differing l : at_most_one l = at_most_one (differing l).
Proof.
  induction l as [|[u [d b]] l IH]; [easy|]. cbn [at_most_one differing filter fst snd]. fold (differing l). destruct (d =? 0)%Z eqn:E; cbn [negb at_most_one]; [exact IH|].
  rewrite E. destruct (none l) eqn:A; [apply none_differing in A; now rewrite A|]. destruct (none (differing l)) eqn:B; [|easy].
  apply none_differing in B. assert (D : differing (differing l) = differing l).
  { clear. unfold differing. induction l as [|r l IH]; [easy|]. cbn [filter]. destruct (negb _) eqn:F; [cbn [filter]; rewrite F; now rewrite IH|exact IH]. }
  rewrite D in B. apply none_differing in B. congruence.
Qed.
Lemma differing_turns p l n : none (all_read p l) = true -> differing (all_read p (concat (repeat l n))) = [].
Proof.
  intro H. apply none_differing in H. induction n as [|n IH]; [easy|]. cbn [repeat concat]. unfold all_read, differing in *. now rewrite flat_map_app, filter_app, H, IH.
Qed.
Lemma differing_run p n bs : forallb (fun b => negb (fst b) || none (all_read p (snd b))) bs = true ->
  differing (all_read p (run (S n) bs)) = differing (all_read p (run 1 bs)).
Proof.
  induction bs as [|[again l] bs IH]; [easy|]. cbn [forallb fst snd]. intro H. apply andb_prop in H as [A H]. cbn [run flat_map]. fold (run (S n) bs) (run 1 bs).
  unfold all_read in *. rewrite !flat_map_app. fold (all_read p). unfold differing in *. rewrite !filter_app. fold (all_read p) in IH. f_equal; [|exact (IH H)].
  destruct again; [|easy]. unfold turns. cbn [fst snd]. transitivity (@nil (N * (Z * Z))); [|symmetry]; now apply (differing_turns p l).
Qed.
Lemma neighbours_run p a n bs : neighbours p a (all_read p (run 1 bs)) = true ->
  match a with OneDiffers => forallb (fun b => negb (fst b) || none (all_read p (snd b))) bs | _ => true end = true -> neighbours p a (all_read p (run (S n) bs)) = true.
Proof.
  intros H One. assert (All : forall f, forallb f (all_read p (run 1 bs)) = true -> forallb f (all_read p (run (S n) bs)) = true).
  { intros f F. rewrite forallb_forall in *. intros r I. apply F. unfold all_read in *. rewrite in_flat_map in *. destruct I as (i & I & R). exists i. split; [now apply in_run in I|exact R]. }
  unfold neighbours in *. apply andb_prop in H as [A B]. rewrite (All _ A). cbn [andb]. destruct a; try easy; try now apply All.
  - now rewrite at_most_one_differing, differing_run, <- at_most_one_differing.
  - apply orb_prop in B as [B|B]; apply All in B; rewrite B; [reflexivity|apply orb_true_r].
Qed.

Lemma family_run p start a given : check_family p start a given = true -> proper p /\ forall v, (0 <= v)%Z -> exists l path, check_run p start a v l path = true.
Proof.
  unfold check_family. destruct (resolve_all p start given) as [bs|] eqn:R; [|discriminate]. intro H. apply andb_prop in H as [H To]. apply andb_prop in H as [H One]. apply andb_prop in H as [H Nb].
  apply andb_prop in H as [Pr Tk]. split; [now apply proper_sound|]. intros v V.
  destruct (fold_right (block_for_all p) _ bs) as [[L W]|] eqn:E; [|discriminate]. apply Z.ltb_lt in To.
  set (m := Z.to_nat (Z.max 0 (v - fst W))). assert (A := blocks_alike p m bs). cbv zeta in A. rewrite E in A. set (n := Z.of_nat (S m)) in *.
  destruct A as (M & T & _). destruct (chained_run p (S m) bs start (resolve_all_sound _ _ _ _ R)) as (end_ & C).
  set (items := climbed_run p (S m) bs). assert (Bare : map bare items = map bare (run (S m) bs)) by apply bare_run.
  rewrite <- chained_bare, <- Bare, chained_bare in C.
  exists (all_read p items), (map (fun i => step_at n (snd i)) items). unfold check_run. rewrite Pr, (proj2 (Z.leb_le 0 v) V). cbn [andb].
  assert (Nb' : neighbours p a (all_read p items) = true).
  { rewrite <- neighbours_blank, <- read_bare, Bare, read_bare, neighbours_blank. now apply neighbours_run. }
  rewrite Nb', (route_chained p n items start end_ C). cbn [andb].
  assert (P := taken_possible p n items [] start end_ (fun _ => 0) C). cbn [app length] in P. rewrite P.
  assert (K := taken_run p m bs (fun _ => (0, 0%Z, 0%Z)) (fun _ => 0) (fun _ => eq_refl)). cbv zeta in K. fold items in K. rewrite K; [|intro; unfold at_turn; cbn; ring|exact Tk].
  cbn [andb]. assert (D := total_chained p n items [] start end_ C). cbn [app length] in D. rewrite D, <- total_bare, Bare, total_bare, T. apply Z.leb_le.
  unfold at_, n, m. nia.
Qed.

Theorem family_sound p start a given : check_family p start a given = true -> proper p /\ not_private p start a.
Proof.
  intro H. destruct (family_run _ _ _ _ H) as [Pr F]. split; [exact Pr|]. intros q q0 q1 b Bd.
  assert (At : forall v, (0 <= v)%Z -> q ^ (- v) <= b).
  { intros v V. destruct (F v V) as (l & path & C). apply run_sound in C as [_ C]. now apply (C q q0 q1 b). }
  assert (b1 : 1 <= b) by apply (At 0%Z (Z.le_refl 0)).
  destruct (powers_vanish q b 1 ltac:(lra) q1 ltac:(lra) ltac:(lra)) as (n & Small). specialize (At (Z.of_nat n) ltac:(lia)).
  rewrite Qpower_opp in At. assert (P := power_pos q q0 (Z.of_nat n)). set (x := q ^ Z.of_nat n) in *. clearbody x.
  assert (1 <= b * x). { setoid_replace 1 with (/ x * x) by (field; lra). apply Qmult_le_compat_r; lra. } lra.
Qed.
