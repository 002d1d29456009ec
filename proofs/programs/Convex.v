(** * Between two differences: what both can afford

    The costs of shifts are convex, so it is enough to look at differences that are as large as they may be. Strategies for two differences are mixed
    and then rounded to integers: for one of the ways to round the cost is at most what it was. *)
From Coq Require Import List NArith ZArith Lia Bool.
From Prover.programs Require Import Program Shifts.
Import ListNotations.
Open Scope Z_scope.

Definition positive_rate (r : option Z) : Prop := match r with Some d => 0 < d | None => True end.
Lemma rates_positive p u : proper p -> positive_rate (rate_left (at_state p u)) /\ positive_rate (rate_right (at_state p u)) /\
  match second (at_state p u) with Some (r, _) => 0 < r | None => True end.
Proof.
  intro Proper. destruct (Proper u) as [_ R]. unfold rates in R. set (d := at_state p u) in *. clearbody d.
  repeat split; [destruct (rate_left d)|destruct (rate_right d)|destruct (second d) as [[r m]|]]; cbn [positive_rate]; try exact I;
    apply R; rewrite !in_app_iff; cbn [In]; tauto.
Qed.

(** ** Costs *)
Lemma cost_spec l r s a : cost l r s = Some a <->
  (0 < s /\ exists d, r = Some d /\ a = s * d) \/ (s < 0 /\ exists d, l = Some d /\ a = - s * d) \/ (s = 0 /\ a = 0).
Proof.
  unfold cost. destruct (Z.eqb_spec s 0) as [->|N].
  - split; [intro E; injection E as <-; right; now right|]. intros [[H _]|[[H _]|[_ ->]]]; [lia|lia|easy].
  - destruct (Z.ltb_spec 0 s).
    + split; [destruct r as [d|]; [|discriminate]; intro E; injection E as <-; left; split; [lia|now exists d]|].
      intros [[_ (d & -> & ->)]|[[H' _]|[H' _]]]; [easy|lia|lia].
    + split; [destruct l as [d|]; [|discriminate]; intro E; injection E as <-; right; left; split; [lia|now exists d]|].
      intros [[H' _]|[[_ (d & -> & ->)]|[H' _]]]; [lia|easy|lia].
Qed.
Lemma cost_mix l r s s' a a' w w' : positive_rate l -> positive_rate r -> cost l r s = Some a -> cost l r s' = Some a' -> 0 <= w -> 0 <= w' ->
  exists b, cost l r (w * s + w' * s') = Some b /\ b <= w * a + w' * a'.
Proof.
  intros L R E E' W W'. rewrite cost_spec in E, E'. destruct (Z.lt_trichotomy (w * s + w' * s') 0) as [H|[H|H]].
  - assert (exists d, l = Some d) as [d ->].
    { destruct E as [[]|[[_ (d & -> & _)]|[]]]; [|now exists d|]; (destruct E' as [[]|[[_ (d & -> & _)]|[]]]; [nia|now exists d|nia]). }
    exists (- (w * s + w' * s') * d). split; [apply cost_spec; right; left; split; [lia|now exists d]|]. cbn [positive_rate] in L.
    assert (- s * d <= a). { destruct E as [[? (e & -> & ->)]|[[? (e & E & ->)]|[-> ->]]]; cbn [positive_rate] in R; [nia|injection E as ->; lia|lia]. }
    assert (- s' * d <= a'). { destruct E' as [[? (e & -> & ->)]|[[? (e & E' & ->)]|[-> ->]]]; cbn [positive_rate] in R; [nia|injection E' as ->; lia|lia]. }
    nia.
  - exists 0. split; [apply cost_spec; right; now right|].
    assert (0 <= a). { destruct E as [[? (e & -> & ->)]|[[? (e & -> & ->)]|[-> ->]]]; cbn [positive_rate] in *; nia. }
    assert (0 <= a'). { destruct E' as [[? (e & -> & ->)]|[[? (e & -> & ->)]|[-> ->]]]; cbn [positive_rate] in *; nia. }
    nia.
  - assert (exists d, r = Some d) as [d ->].
    { destruct E as [[_ (d & -> & _)]|[[]|[]]]; [now exists d| |]; (destruct E' as [[_ (d & -> & _)]|[[]|[]]]; [now exists d|nia|nia]). }
    exists ((w * s + w' * s') * d). split; [apply cost_spec; left; split; [lia|now exists d]|]. cbn [positive_rate] in R.
    assert (s * d <= a). { destruct E as [[? (e & E & ->)]|[[? (e & -> & ->)]|[-> ->]]]; cbn [positive_rate] in L; [injection E as ->; lia|nia|lia]. }
    assert (s' * d <= a'). { destruct E' as [[? (e & E' & ->)]|[[? (e & -> & ->)]|[-> ->]]]; cbn [positive_rate] in L; [injection E' as ->; lia|nia|lia]. }
    nia.
Qed.

(** ** Strategies that are mixed *)
Lemma allowed_mix t x x' g g' w w' : allowed t x g = true -> allowed t x' g' = true -> 0 <= w -> 0 <= w' ->
  allowed t (fun v => w * x v + w' * x' v) (w * g + w' * g') = true.
Proof.
  unfold allowed. intros A B W W'. apply andb_prop in A as [A1 A2], B as [B1 B2]. rewrite forallb_forall in *.
  apply andb_true_intro. split; apply forallb_forall; intros c I.
  - specialize (A1 c I). specialize (B1 c I). destruct (fst c); rewrite ?Z.leb_le, ?Z.eqb_eq in *; nia.
  - specialize (A2 c I). specialize (B2 c I). destruct c; rewrite ?Z.eqb_eq in *; [nia|easy|nia].
Qed.
Lemma allowed_ext t x y g : (forall v, x v = y v) -> allowed t x g = allowed t y g.
Proof.
  intro H. unfold allowed. f_equal; [induction (guard t) as [|c l IH]|induction (shows t) as [|o l IH]]; try easy; cbn [forallb]; rewrite IH.
  - now rewrite H.
  - destruct o; now rewrite ?H.
Qed.
Lemma affordable_ext p delta delta' r : forall i u x y c, (forall v, x v = y v) ->
  (forall v j, (j < i + length r)%nat -> here (at_state p v) (delta v j) = here (at_state p v) (delta' v j)) ->
  affordable p delta i u x r c -> affordable p delta' i u y r c.
Proof.
  induction r as [|t r IH]; intros i u x y c X D; cbn [affordable]; [easy|]. cbv zeta. intros (g & a & c' & Al & Pr & Le & Af).
  exists g, a, c'. cbn [length] in D. rewrite <- (allowed_ext t x y g X), <- D by lia. repeat split; try assumption.
  eapply IH; [| |exact Af].
  - intro v. unfold moved. now rewrite X.
  - intros v j L. apply D. unfold after in L. destruct (reads _ =? 0); lia.
Qed.
Lemma affordable_more p delta r : forall i u x c c', c <= c' -> affordable p delta i u x r c -> affordable p delta i u x r c'.
Proof.
  induction r as [|t r IH]; cbn [affordable]; intros i u x c c' L; [lia|]. intros (g & a & b & Al & Pr & Le & Af). exists g, a, b.
  repeat split; try assumption. lia.
Qed.

Section Convex.
  Variable p : program.
  Hypothesis Proper : proper p.

  Lemma here_mix d delta delta' w w' : here d (w * delta + w' * delta') = w * here d delta + w' * here d delta'.
  Proof. unfold here. destruct (reads d =? 0); lia. Qed.

  Lemma affordable_mix delta delta' w w' r : 0 <= w -> 0 <= w' -> forall i u x x' c c', affordable p delta i u x r c -> affordable p delta' i u x' r c' ->
    affordable p (fun u i => w * delta u i + w' * delta' u i) i u (fun v => w * x v + w' * x' v) r (w * c + w' * c').
  Proof.
    intros W W'. induction r as [|t r IH]; intros i u x x' c c' A B; cbn [affordable] in *; [nia|]. cbv zeta in *.
    destruct A as (g & a & c1 & Al & Pr & Le & Af), B as (g' & a' & c1' & Al' & Pr' & Le' & Af').
    destruct (rates_positive p u Proper) as (L & R & S). set (d := at_state p u) in *. unfold price in *. rewrite here_mix.
    destruct (cost _ _ (g - _)) as [b|] eqn:E; [|discriminate]. destruct (cost _ _ (g' - _)) as [b'|] eqn:E'; [|discriminate].
    destruct (cost_mix _ _ _ _ _ _ w w' L R E E' W W') as (bb & EE & LE). cbn [option_map] in Pr, Pr'. injection Pr as <-. injection Pr' as <-.
    exists (w * g + w' * g'). eexists. exists (w * c1 + w' * c1'). split; [now apply allowed_mix|].
    replace (w * g + w' * g' - (w * here d (delta u i) + w' * here d (delta' u i))) with (w * (g - here d (delta u i)) + w' * (g' - here d (delta' u i))) by ring.
    rewrite EE. cbn [option_map]. split; [reflexivity|]. split.
    - destruct (second d) as [[rr m]|]; [destruct (shows_second t)|]; nia.
    - eapply affordable_ext; [| |exact (IH _ _ _ _ _ _ Af Af')]; [|reflexivity]. intro v. unfold moved. now destruct (existsb _ _).
  Qed.

  (** ** Strategies that are rounded *)
  Fixpoint total (n : nat) (f : nat -> Z) : Z := match n with O => 0 | S n => total n f + f n end.
  Lemma total_first n f : total (S n) f = f 0%nat + total n (fun j => f (S j)).
  Proof. induction n as [|n IH]; [cbn; ring|]. change (total (S (S n)) f) with (total (S n) f + f (S n)). rewrite IH. cbn [total]. ring. Qed.
  Lemma total_ext n f g : (forall j, (j < n)%nat -> f j = g j) -> total n f = total n g.
  Proof. induction n as [|n IH]; intro H; [easy|]. cbn [total]. rewrite IH by (intros; apply H; lia). now rewrite H by lia. Qed.
  Lemma total_linear n f a b : total n (fun j => a * f j + b) = a * total n f + Z.of_nat n * b.
  Proof. induction n as [|n IH]; cbn [total]; [ring|]. rewrite IH. lia. Qed.
  Lemma total_plus n f g : total n (fun j => f j + g j) = total n f + total n g.
  Proof. induction n as [|n IH]; cbn [total]; [easy|]. rewrite IH. ring. Qed.
  Lemma total_small n f c : (0 < n)%nat -> total n f <= Z.of_nat n * c -> exists j, (j < n)%nat /\ f j <= c.
  Proof.
    induction n as [|n IH]; [lia|]. cbn [total]. intros _ H. destruct (Z_le_gt_dec (f n) c) as [L|G]; [exists n; split; [lia|exact L]|].
    rewrite Nat2Z.inj_succ, Z.mul_succ_l in H.
    destruct n as [|n]; [cbn [total Z.of_nat Z.mul] in H; lia|]. destruct IH as (j & J & L); [lia|lia|]. exists j. split; [lia|exact L].
  Qed.

  Variable m : nat.
  Let n := S m.
  (** The least integer that is at least (a - j) / n. *)
  Definition rounded (j : nat) (a : Z) : Z := (a - Z.of_nat j + Z.of_nat m) / Z.of_nat n.
  Lemma rounded_succ a : total n (fun j => rounded j (a + 1)) = total n (fun j => rounded j a) + 1.
  Proof.
    unfold n at 1. rewrite total_first. change (total n (fun j => rounded j a)) with (total m (fun j => rounded j a) + rounded m a).
    rewrite (total_ext m (fun j => rounded (S j) (a + 1)) (fun j => rounded j a)) by (intros; unfold rounded; f_equal; lia).
    assert (A : rounded 0 (a + 1) = a / Z.of_nat n + 1).
    { unfold rounded. replace (a + 1 - Z.of_nat 0 + Z.of_nat m) with (a + 1 * Z.of_nat n) by lia. apply Z.div_add. lia. }
    assert (B : rounded m a = a / Z.of_nat n) by (unfold rounded; f_equal; ring). rewrite A, B. ring.
  Qed.
  Lemma rounded_total a : total n (fun j => rounded j a) = a.
  Proof.
    induction a as [|a IH|a IH] using Z.peano_ind.
    - rewrite (total_ext n _ (fun j => 0 * 0 + 0)); [rewrite (total_linear n (fun _ => 0)); lia|]. intros j H. unfold rounded. apply Z.div_small. lia.
    - rewrite <- Z.add_1_r, rounded_succ. lia.
    - assert (H := rounded_succ (Z.pred a)). replace (Z.pred a + 1) with a in H by lia. lia.
  Qed.
  Lemma rounded_le j a b : a <= b -> rounded j a <= rounded j b.
  Proof. intro H. apply Z.div_le_mono; lia. Qed.
  Lemma rounded_multiple j b : (j < n)%nat -> rounded j (Z.of_nat n * b) = b.
  Proof.
    intro H. unfold rounded. replace (Z.of_nat n * b - Z.of_nat j + Z.of_nat m) with (Z.of_nat m - Z.of_nat j + b * Z.of_nat n) by ring.
    rewrite Z.div_add by lia. rewrite Z.div_small by lia. lia.
  Qed.
  Lemma cost_rounded l r g delta a : cost l r (g - Z.of_nat n * delta) = Some a ->
    exists f, total n f = a /\ forall j, (j < n)%nat -> cost l r (rounded j g - delta) = Some (f j).
  Proof.
    intro E. apply cost_spec in E. destruct E as [[H (d & -> & ->)]|[[H (d & -> & ->)]|[H ->]]].
    - exists (fun j => d * rounded j g + - delta * d). rewrite total_linear, rounded_total. split; [ring|]. intros j J.
      assert (delta <= rounded j g) by (rewrite <- (rounded_multiple j delta J) at 1; apply rounded_le; lia).
      apply cost_spec. destruct (Z.eq_dec (rounded j g) delta) as [->|]; [right; right; split; ring|]. left. split; [lia|]. exists d. split; [easy|ring].
    - exists (fun j => - d * rounded j g + delta * d). rewrite total_linear, rounded_total. split; [ring|]. intros j J.
      assert (rounded j g <= delta) by (rewrite <- (rounded_multiple j delta J); apply rounded_le; lia).
      apply cost_spec. destruct (Z.eq_dec (rounded j g) delta) as [->|]; [right; right; split; ring|]. right. left. split; [lia|]. exists d. split; [easy|ring].
    - exists (fun j => 0 * 0 + 0). rewrite (total_linear n (fun _ => 0)). split; [lia|]. intros j J. apply cost_spec. right. right.
      replace g with (Z.of_nat n * delta) by lia. rewrite rounded_multiple by exact J. lia.
  Qed.
  Lemma allowed_rounded t x g j : (j < n)%nat -> allowed t x g = true -> allowed t (fun v => rounded j (x v)) (rounded j g) = true.
  Proof.
    unfold allowed. intros J A. apply andb_prop in A as [A1 A2]. rewrite forallb_forall in *.
    apply andb_true_intro. split; apply forallb_forall; intros c I.
    - specialize (A1 c I). destruct (fst c); rewrite ?Z.leb_le, ?Z.eqb_eq in *; try (now apply rounded_le); now rewrite A1.
    - specialize (A2 c I). destruct c; rewrite ?Z.eqb_eq in *; [|easy|now rewrite A2].
      rewrite A2. replace 0 with (Z.of_nat n * 0) at 1 by ring. now apply rounded_multiple.
  Qed.
  Lemma affordable_rounded delta r : forall i u x c, affordable p (fun u i => Z.of_nat n * delta u i) i u x r c ->
    exists f, total n f <= c /\ forall j, (j < n)%nat -> affordable p delta i u (fun v => rounded j (x v)) r (f j).
  Proof.
    induction r as [|t r IH]; intros i u x c A; cbn [affordable] in *.
    - exists (fun j => 0 * 0 + 0). rewrite (total_linear n (fun _ => 0)). split; [lia|]. intros. lia.
    - cbv zeta in *. destruct A as (g & a & c' & Al & Pr & Le & Af). destruct (IH _ _ _ _ Af) as (f & F & H). set (d := at_state p u) in *.
      assert (Hd : here d (Z.of_nat n * delta u i) = Z.of_nat n * here d (delta u i)) by (unfold here; destruct (reads d =? 0); lia).
      unfold price in *. rewrite Hd in Pr. destruct (cost _ _ _) as [b|] eqn:E; [|discriminate]. cbn [option_map] in Pr.
      assert (Inj : forall y z : Z, Some y = Some z -> y = z) by congruence. apply Inj in Pr. subst a. clear Inj.
      apply cost_rounded in E as (h & Th & E).
      set (e := match second d with Some (r, _) => if shows_second t then r * Z.abs (here d (delta u i)) else 0 | None => 0 end).
      exists (fun j => (1 * h j + e) + f j). rewrite total_plus, total_linear, Th. split.
      + assert (match second d with Some (r, _) => if shows_second t then r * Z.abs (Z.of_nat n * here d (delta u i)) else 0 | None => 0 end = Z.of_nat n * e) as Ee.
        { unfold e. destruct (second d) as [[rr q]|]; [destruct (shows_second t)|]; [rewrite Z.abs_mul, (Z.abs_eq (Z.of_nat n)) by lia; ring|ring|ring]. }
        rewrite Ee in Le. clear - Le F. nia.
      + intros j J. exists (rounded j g), (e + h j), (f j). split; [now apply allowed_rounded|]. rewrite (E j J). split; [reflexivity|]. split; [lia|].
        eapply affordable_ext; [| |exact (H j J)]; [|reflexivity]. intro v. unfold moved. now destruct (existsb _ _).
  Qed.
End Convex.

Definition set_at (delta : N -> nat -> Z) (u : N) (i : nat) (b : Z) : N -> nat -> Z :=
  fun v j => if (N.eqb v u && Nat.eqb j i)%bool then b else delta v j.

Theorem between p delta r u k low high s c : proper p -> low <= delta u k <= high ->
  affordable p (set_at delta u k low) 0 s (fun _ => 0) r c -> affordable p (set_at delta u k high) 0 s (fun _ => 0) r c ->
  affordable p delta 0 s (fun _ => 0) r c.
Proof.
  intros P B L H. destruct (Z.eq_dec low high) as [->|Ne].
  { eapply affordable_ext; [| |exact L]; [reflexivity|]. intros v j _. f_equal. unfold set_at.
    destruct (N.eqb_spec v u) as [->|]; [|easy]. destruct (Nat.eqb_spec j k) as [->|]; [cbn; lia|easy]. }
  assert (exists m, high - low = Z.of_nat (S m)) as [m E] by (exists (Z.to_nat (high - low - 1)); lia).
  assert (M := affordable_mix p P _ _ (high - delta u k) (delta u k - low) r ltac:(lia) ltac:(lia) _ _ _ _ _ _ L H).
  destruct (affordable_rounded p m delta r 0 s (fun _ => 0) (Z.of_nat (S m) * c)) as (f & F & G).
  - replace (Z.of_nat (S m) * c) with ((high - delta u k) * c + (delta u k - low) * c) by lia. eapply affordable_ext; [| |exact M].
    + intro v. ring.
    + intros v j _. f_equal. unfold set_at. destruct (N.eqb_spec v u) as [->|]; cbn [andb]; [|nia]. destruct (Nat.eqb_spec j k) as [->|]; nia.
  - destruct (total_small (S m) f c ltac:(lia) F) as (j & J & Fc). specialize (G j J).
    assert (Z0 : forall v : N, rounded m j 0 = 0) by (intros _; replace 0 with (Z.of_nat (S m) * 0) at 1 by ring; now apply rounded_multiple).
    apply (affordable_ext p delta delta r 0 s _ (fun _ => 0) (f j) Z0 ltac:(reflexivity)) in G.
    now apply (affordable_more p delta r _ _ _ (f j)).
Qed.
