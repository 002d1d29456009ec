(** * Classes of runs with Laplace noise

    Samples that boxes cover are cut along the tests of runs. So the probabilities of runs that exclude each other add up to that of their union. *)
From Coq Require Import List Permutation Arith NArith ZArith QArith Qreals Reals Lra Lia Bool.
From Prover.programs Require Import Program Laplace LaplaceObserver Law Cuts Cuttable.
From Prover.programs Require Convex Order Classes Ranks Corners Continuous Geometric Shifts.
Import ListNotations.
Open Scope R_scope.

(** ** The laws of samples *)
Lemma cdf_parts_law wl wr k b (F : R -> R) : 0 <= wl -> 0 <= wr -> 0 <= k -> 0 < b -> wl * k <= wr * b -> 
  (forall z, z <= 0 -> F z = wl * exp (k * z)) -> (forall z, 0 <= z -> F z = 1 - wr * exp (- (b * z))) ->
  forall x y, x <= y -> F y - F x <= wr * b * (y - x).
Proof.
  intros L R K B W Neg Pos.
  assert (A : forall t, 0 <= t -> 1 - exp (- t) <= t) by (intros t T; assert (Q := exp_below t T); lra).
  assert (neg : forall x y, x <= y -> y <= 0 -> F y - F x <= wr * b * (y - x)).
  { intros x y H Y. rewrite !Neg by lra. replace (k * x) with (k * y + - (k * (y - x))) by ring. rewrite exp_plus.
    assert (Q := A (k * (y - x)) ltac:(nra)). assert (E : 0 < exp (k * y) <= 1).
    { split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le. nra. }
    set (u := exp (k * y)) in *. set (v := exp (- (k * (y - x)))) in *. replace (wl * u - wl * (u * v)) with (wl * (u * (1 - v))) by ring.
    assert (V : v <= 1) by (unfold v; rewrite <- exp_0; apply exp_le; nra).
    apply Rle_trans with (wl * (k * (y - x))); [|nra]. apply Rmult_le_compat_l; [exact L|]. nra. }
  assert (pos : forall x y, x <= y -> 0 <= x -> F y - F x <= wr * b * (y - x)).
  { intros x y H X. rewrite !Pos by lra. replace (b * y) with (b * x + b * (y - x)) by ring. rewrite Ropp_plus_distr, exp_plus.
    assert (Q := A (b * (y - x)) ltac:(nra)). assert (E : 0 < exp (- (b * x)) <= 1).
    { split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le. nra. }
    set (u := exp (- (b * x))) in *. set (v := exp (- (b * (y - x)))) in *.
    replace (1 - wr * (u * v) - (1 - wr * u)) with (wr * (u * (1 - v))) by ring.
    assert (V : v <= 1) by (unfold v; rewrite <- exp_0; apply exp_le; nra).
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact R|]. nra. }
  intros x y H. destruct (Rle_dec y 0) as [Y|Y]; [now apply neg|]. destruct (Rle_dec 0 x) as [X|X]; [now apply pos|].
  assert (N := neg x 0 ltac:(lra) ltac:(lra)). assert (P := pos 0 y ltac:(lra) ltac:(lra)). lra.
Qed.
Lemma right_spread left b : positive left -> 0 < b -> spread (cdf left (Some b)).
Proof.
  intros L B. destruct (weight_parts left b L B) as (wl & wr & k & A1 & A2 & A3 & A4 & Neg & Pos). exists (wr * b). split; [nra|].
  apply (cdf_parts_law wl wr k b); try assumption. lra.
Qed.
Lemma cdf_spread left right : positive left -> positive right -> left <> None \/ right <> None -> spread (cdf left right).
Proof.
  intros L P N. destruct right as [b|]; [now apply right_spread|]. destruct left as [a|]; [|now destruct N].
  destruct (right_spread None a P L) as (K & K0 & H). exists K. split; [exact K0|]. intros x y Le. rewrite !mirrored by assumption.
  assert (Q := H (- y) (- x) ltac:(lra)). lra.
Qed.
Lemma right_unit left b z : positive left -> 0 < b -> 0 <= cdf left (Some b) z <= 1.
Proof.
  intros L B. unfold cdf. destruct left as [a|]; cbn [positive] in L; destruct (Rlt_dec z 0) as [Z|Z].
  - assert (I : 0 < / (a + b)) by (apply Rinv_0_lt_compat; lra). assert (E := exp_pos (a * z)).
    assert (E1 : exp (a * z) <= 1) by (rewrite <- exp_0; apply exp_le; nra). apply product_unit; [|lra]. unfold Rdiv. split; [nra|].
    apply (Rmult_le_reg_r (a + b)); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - assert (I : 0 < / (a + b)) by (apply Rinv_0_lt_compat; lra). assert (E := exp_pos (- (b * z))).
    assert (E1 : exp (- (b * z)) <= 1) by (rewrite <- exp_0; apply exp_le; nra).
    assert (0 <= a / (a + b) * exp (- (b * z)) <= 1); [|lra]. apply product_unit; [|lra]. unfold Rdiv. split; [nra|].
    apply (Rmult_le_reg_r (a + b)); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - lra.
  - assert (E := exp_pos (- (b * z))). assert (E1 : exp (- (b * z)) <= 1) by (rewrite <- exp_0; apply exp_le; nra). lra.
Qed.
Lemma cdf_law left right : positive left -> positive right -> law (cdf left right).
Proof.
  intros L P. split; [intros x y; now apply cdf_increasing|]. intro z. destruct right as [b|]; [now apply right_unit|]. destruct left as [a|].
  - rewrite mirrored by assumption. assert (Q := right_unit None a (- z) P L). lra.
  - unfold cdf. destruct (Rlt_dec z 0); lra.
Qed.
Lemma law_moved F c : law F -> law (fun x => F (x - c)).
Proof. intros [M U]. split; [|intro x; apply U]. intros x y H. apply M. lra. Qed.

(** The laws of the samples of a run, by the noise of its steps. *)
Fixpoint laws_of (eps : R) (ins : nat -> R) (j : nat) (l : list state) : laws :=
  match l with
  | [] => []
  | d :: l => let c := if (reads d =? 0)%Z then 0 else ins j in (first eps d c, other eps d c) :: laws_of eps ins (S j) l
  end.
Lemma laws_length eps ins l : forall j, length (laws_of eps ins j l) = length l.
Proof. induction l as [|d l IH]; intro j; cbn [laws_of length]; [easy|]. now rewrite IH. Qed.

Section Laws.
  Variables (p : program) (eps : R) (ins : nat -> R).
  Hypothesis Proper : proper p.
  Hypothesis eps0 : 0 < eps.
  Lemma laws_proper r : forall j u, proper_laws (laws_of eps ins j (Classes.noises p u r)).
  Proof.
    induction r as [|t r IH]; intros j u F G I; cbn [Classes.noises laws_of] in I; [destruct I|]. destruct I as [E|I]; [|now apply (IH (S j) (target t))].
    injection E as <- <-. destruct (Convex.rates_positive p u Proper) as (L & P & Q). split.
    - apply (law_moved (cdf _ _)). apply cdf_law; now apply rate_positive.
    - unfold other. cbn [Classes.quiet second]. destruct (second (at_state p u)) as [[q m]|]; [|now apply cdf_law].
      apply (law_moved (cdf _ _)). apply cdf_law; now apply rate_positive.
  Qed.
  Lemma laws_spread r : forall j u a, (a < length r)%nat -> (forall d, In d (Classes.noises p u r) -> noisy d) ->
    spread (law_at a (laws_of eps ins j (Classes.noises p u r))).
  Proof.
    induction r as [|t r IH]; intros j u a A N; cbn [length] in A; [lia|]. cbn [Classes.noises laws_of] in *. destruct a as [|a].
    - destruct (Convex.rates_positive p u Proper) as (L & P & _). specialize (N _ (or_introl eq_refl)). unfold noisy in N. cbn [Classes.quiet rate_left rate_right] in N.
      unfold law_at. cbn [nth fst]. unfold first. cbn [Classes.quiet rate_left rate_right mean reads].
      destruct (cdf_spread (rate eps (rate_left (at_state p u))) (rate eps (rate_right (at_state p u)))) as (K & K0 & H).
      + now apply rate_positive.
      + now apply rate_positive.
      + destruct N as [N|N]; [left|right]; now destruct (rate_left (at_state p u)), (rate_right (at_state p u)).
      + exists K. split; [exact K0|]. intros x y Le. match goal with |- cdf _ _ (y - ?c) - _ <= _ => assert (Q := H (x - c) (y - c) ltac:(lra)) end. lra.
    - apply (IH (S j) (target t) a ltac:(lia)). intros d I. apply N. now right.
  Qed.

  (** By the number of an input, and by its step. *)
  Lemma volume_laws (I : inputs) r : forall i j u b, length b = length r ->
    (forall v k, reads (at_state p v) <> 0%Z -> (i <= k)%nat -> I v k = ins (j + Classes.step_of p u r (k - i))%nat) ->
    volume eps p I i u r b = vol (laws_of eps ins j (Classes.noises p u r)) b.
  Proof.
    induction r as [|t r IH]; intros i j u [|[jk k] b] E H; try discriminate; cbn [volume Classes.noises laws_of vol]; [easy|]. cbv zeta. cbn [Classes.step_of] in H.
    assert (C : read p I u i = if (reads (at_state p u) =? 0)%Z then 0 else ins j).
    { unfold read. destruct (Z.eqb_spec (reads (at_state p u)) 0) as [|N]; [easy|]. rewrite (H u i N) by lia. rewrite Nat.sub_diag. f_equal. lia. }
    rewrite C. cbn [Classes.quiet reads]. f_equal. apply IH; [now injection E|]. intros v m N L. unfold after in L.
    destruct (Z.eqb_spec (reads (at_state p u)) 0) as [Z0|Z0].
    + rewrite (H v m N L). unfold after. destruct (Z.eqb_spec (reads (at_state p u)) 0); [|contradiction]. f_equal. lia.
    + rewrite (H v m N) by lia. unfold after. destruct (Z.eqb_spec (reads (at_state p u)) 0); [contradiction|].
      destruct (m - i)%nat as [|h] eqn:Em; [lia|]. replace (m - S i)%nat with h by lia. f_equal. lia.
  Qed.
  Lemma noises_length r : forall u, length (Classes.noises p u r) = length r.
  Proof. induction r as [|t r IH]; intro u; cbn [Classes.noises length]; [easy|]. now rewrite IH. Qed.
  Lemma run_covered (I : inputs) u r A m : (forall v k, reads (at_state p v) <> 0%Z -> I v k = ins (Classes.step_of p u r k)) ->
    run_at_most eps p u I r A m <-> covered (laws_of eps ins 0 (Classes.noises p u r)) (fun z => taken (fun _ => 0) r z /\ A (numbers (fun _ => 0) r z)) m.
  Proof.
    intro H. assert (Len : length (laws_of eps ins 0 (Classes.noises p u r)) = length r) by now rewrite laws_length, noises_length.
    assert (V : forall b, length b = length r -> volume eps p I 0 u r b = vol (laws_of eps ins 0 (Classes.noises p u r)) b).
    { intros b E. apply volume_laws; [exact E|]. intros v k N _. rewrite H by exact N. f_equal. cbn. f_equal. lia. }
    unfold run_at_most, covered. rewrite Len. split; intros (C & O & Co & T); exists C; (split; [exact O|]); (split; [intros z|]).
    - intros [Z1 Z2]. now apply Co.
    - intro n. rewrite <- (sum_eq (fun k => volume eps p I 0 u r (C k))) by (intros; apply V, O). apply T.
    - intros Z1 Z2. now apply Co.
    - intro n. rewrite (sum_eq _ (fun k => vol (laws_of eps ins 0 (Classes.noises p u r)) (C k))) by (intros; apply V, O). apply T.
  Qed.
End Laws.
Lemma read_by_step p r : forall u ins i, read_by p u r ins i = ins (Classes.step_of p u r i).
Proof.
  induction r as [|t r IH]; intros u ins i; cbn [read_by Classes.step_of]; [easy|]. cbv zeta. destruct (reads _ =? 0)%Z; [now rewrite IH|].
  destruct i as [|i]; [easy|]. now rewrite IH.
Qed.

(** ** Cuts along the tests of a run *)
Definition meets := Order.meets R Rle.
Definition takes := @Classes.takes R Rle.
Lemma Rle_decidable : Classes.decidable Rle.
Proof. intros x y. apply Rle_dec. Qed.
Lemma meets_dec x y c : {meets x y c} + {~ meets x y c}.
Proof.
  unfold meets, Order.meets. destruct c, (Rle_dec x y), (Rle_dec y x); try tauto; (left; tauto) || (right; tauto).
Qed.
Lemma takes_dec r : forall s z, {takes s r z} + {~ takes s r z}.
Proof.
  induction r as [|t r IH]; intros s [|x z]; unfold takes in *; cbn [Classes.takes]; [now left|now right|now right|].
  destruct (IH (Order.updated R t s x) z) as [T|T]; [|right; tauto].
  assert (D : {forall c, In c (guard t) -> meets x (s (snd c)) (fst c)} + {~ forall c, In c (guard t) -> meets x (s (snd c)) (fst c)}).
  { clear. induction (guard t) as [|c l IH]; [left; intros c []|]. destruct (meets_dec x (s (snd c)) (fst c)) as [M|M].
    - destruct IH as [H|H]; [left; intros d [<-|I]; [exact M|now apply H]|right; intro K; apply H; intros d I; apply K; now right].
    - right. intro K. apply M, K. now left. }
  destruct D as [D|D]; [left; now split|right; tauto].
Qed.
Lemma taken_takes r : forall s z, taken s r z <-> takes s r (map fst z).
Proof.
  unfold takes. induction r as [|t r IH]; intros s [|[x y] z]; cbn [taken Classes.takes map fst]; try easy.
  assert (E : forall c, passes s x c <-> Order.meets R Rle x (s (snd c)) (fst c)) by (intro c; unfold passes, Order.meets; destruct (fst c); lra).
  rewrite (IH (stored t s x) z). split; intros [G T]; (split; [|exact T]); intros c I; apply E, G, I.
Qed.
Lemma takes_defined r : forall vs s s' z, Ranks.defined vs r = true -> (forall v, In v vs -> s v = s' v) -> takes s r z <-> takes s' r z.
Proof.
  unfold takes. induction r as [|t r IH]; intros vs s s' [|x z] D H; cbn [Classes.takes Ranks.defined] in *; try easy.
  apply andb_prop in D as [G D]. rewrite forallb_forall in G.
  rewrite (IH _ (Order.updated R t s x) (Order.updated R t s' x) z D).
  - assert (E : forall c, In c (guard t) -> s (snd c) = s' (snd c)).
    { intros c I. specialize (G c I). apply existsb_exists in G as (v & Iv & Ev). apply N.eqb_eq in Ev. apply H. now rewrite Ev. }
    split; intros [Gd T]; (split; [|exact T]); intros c I; [rewrite <- E by exact I|rewrite E by exact I]; now apply Gd.
  - intros v I. unfold Order.updated. destruct (existsb (N.eqb v) (stores t)) eqn:Ex; [easy|]. apply H. apply in_app_or in I as [I|I]; [|exact I].
    assert (existsb (N.eqb v) (stores t) = true); [|congruence]. apply existsb_exists. exists v. split; [exact I|apply N.eqb_refl].
Qed.

Section Cut.
  Variable L : laws.
  Hypothesis P : proper_laws L.
  Hypothesis L0 : L <> [].
  Hypothesis Spread : forall a, (a < length L)%nat -> spread (law_at a L).

  Lemma cut_test (Y : list sample -> Prop) m k a c eta : (k < length L)%nat -> (a < k)%nat -> c <> Equal -> 0 < eta -> covered L Y m -> exists m1 m2,
    covered L (fun z => Y z /\ meets (value k z) (value a z) c) m1 /\ covered L (fun z => Y z /\ ~ meets (value k z) (value a z) c) m2 /\ m1 + m2 <= m + eta.
  Proof.
    intros K A N E C. destruct (cut L Y m k a eta P ltac:(lia) K ltac:(lia) (Spread k K) E C) as (m1 & m2 & C1 & C2 & S).
    assert (Low : c = Below \/ c = AtMost \/ c = AtLeast \/ c = Above) by (destruct c; tauto).
    destruct Low as [-> |[-> |[-> | ->]]]; unfold meets, Order.meets; [exists m1, m2|exists m1, m2|exists m2, m1|exists m2, m1]; (split; [|split; [|lra]]);
      (eapply covered_less; [|apply Rle_refl|eassumption]); intros z [Z H]; (split; [exact Z|lra]).
  Qed.
  Lemma cut_guard k (pos : N -> nat) eta cs : (k < length L)%nat -> (forall c, In c cs -> fst c <> Equal /\ (pos (snd c) < k)%nat) -> 0 < eta ->
    forall (Y : list sample -> Prop) m, covered L Y m -> exists m1 m2,
      covered L (fun z => Y z /\ forall c, In c cs -> meets (value k z) (value (pos (snd c)) z) (fst c)) m1 /\
      covered L (fun z => Y z /\ ~ forall c, In c cs -> meets (value k z) (value (pos (snd c)) z) (fst c)) m2 /\ m1 + m2 <= m + INR (length cs) * eta.
  Proof.
    intros K H E. induction cs as [|c cs IH]; intros Y m C.
    - exists m, 0. split; [|split; [|cbn; lra]].
      + eapply covered_less; [|apply Rle_refl|exact C]. intros z Z. apply Z.
      + apply covered_none; [exact P|exact L0|]. intros z [_ Z]. apply Z. intros c [].
    - destruct (H c (or_introl eq_refl)) as [N A]. destruct (cut_test Y m k (pos (snd c)) (fst c) eta K A N E C) as (m1 & m2 & C1 & C2 & S).
      destruct (IH (fun d I => H d (or_intror I)) _ _ C1) as (m3 & m4 & C3 & C4 & S'). exists m3, (m2 + m4). split; [|split].
      + eapply covered_less; [|apply Rle_refl|exact C3]. intros z [Z G]. split; [split; [exact Z|apply G; now left]|]. intros d I. apply G. now right.
      + eapply covered_less; [|apply Rle_refl|apply (covered_union L _ _ _ _ P L0 C2 C4)]. intros z [Z G].
        destruct (meets_dec (value k z) (value (pos (snd c)) z) (fst c)) as [M|M]; [right; split; [now split|]|left; now split].
        intro G'. apply G. intros d [<-|I]; [exact M|now apply G'].
      + cbn [length]. rewrite S_INR. lra.
  Qed.

  Definition from_step (k : nat) (pos : N -> nat) (r : list transition) (z : list sample) : Prop := takes (fun v => value (pos v) z) r (skipn k (map fst z)).
  Lemma skipn_value k z : (k < length z)%nat -> skipn k (map fst z) = value k z :: skipn (S k) (map fst z).
  Proof.
    unfold value. revert z. induction k as [|k IH]; intros [|[x y] z] H; cbn [length] in H; try lia; [easy|]. cbn [map skipn nth]. apply (IH z). lia.
  Qed.
  Lemma cut_run r : forall k pos vs, Ranks.defined vs r = true -> (forall v, In v vs -> (pos v < k)%nat) -> (k + length r = length L)%nat -> untied r ->
    forall (Y : list sample -> Prop) m eta, 0 < eta -> (forall z, Y z -> length z = length L) -> covered L Y m -> exists m1 m2,
      covered L (fun z => Y z /\ from_step k pos r z) m1 /\ covered L (fun z => Y z /\ ~ from_step k pos r z) m2 /\ m1 + m2 <= m + eta.
  Proof.
    induction r as [|t r IH]; intros k pos vs D V Len U Y m eta E LY C; cbn [length Ranks.defined] in *.
    - exists m, 0. assert (T : forall z, Y z -> from_step k pos [] z).
      { intros z Z. unfold from_step. rewrite skipn_all2 by (rewrite map_length; specialize (LY z Z); unfold sample in *; lia). exact I. }
      split; [|split; [|lra]].
      + eapply covered_less; [|apply Rle_refl|exact C]. intros z Z. apply Z.
      + apply covered_none; [exact P|exact L0|]. intros z [Z N]. now apply N, T.
    - apply andb_prop in D as [G D]. rewrite forallb_forall in G.
      assert (Gd : forall c, In c (guard t) -> fst c <> Equal /\ (pos (snd c) < k)%nat).
      { intros c I. split; [apply (U t c (or_introl eq_refl) I)|]. specialize (G c I). apply existsb_exists in G as (v & Iv & Ev). apply N.eqb_eq in Ev.
        rewrite Ev. now apply V. }
      set (e := eta / 2 / (INR (length (guard t)) + 1)). assert (Q := pos_INR (length (guard t))).
      assert (E0 : 0 < e). { unfold e, Rdiv. apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]. }
      assert (Ee : INR (length (guard t)) * e <= eta / 2).
      { assert (e * (INR (length (guard t)) + 1) = eta / 2) by (unfold e; field; lra). nra. }
      destruct (cut_guard k pos e (guard t) ltac:(lia) Gd E0 Y m C) as (m1 & m2 & C1 & C2 & S).
      set (pos' := fun v => if existsb (N.eqb v) (stores t) then k else pos v).
      assert (V' : forall v, In v (stores t ++ vs) -> (pos' v < Datatypes.S k)%nat).
      { intros v I. unfold pos'. destruct (existsb (N.eqb v) (stores t)) eqn:Ex; [lia|]. apply in_app_or in I as [I|I].
        - assert (existsb (N.eqb v) (stores t) = true); [|congruence]. apply existsb_exists. exists v. split; [exact I|apply N.eqb_refl].
        - specialize (V v I). lia. }
      destruct (IH (Datatypes.S k) pos' _ D V' ltac:(rewrite <- Len; lia) (fun t' c I => U t' c (or_intror I)) _ m1 (eta / 2) ltac:(lra) (fun z Z => LY z (proj1 Z)) C1)
        as (m3 & m4 & C3 & C4 & S').
      assert (T : forall z, Y z -> from_step k pos (t :: r) z <->
        (forall c, In c (guard t) -> meets (value k z) (value (pos (snd c)) z) (fst c)) /\ from_step (Datatypes.S k) pos' r z).
      { intros z Z. unfold from_step at 1. rewrite skipn_value by (specialize (LY z Z); unfold sample in *; lia). unfold takes. cbn [Classes.takes]. fold takes.
        unfold from_step. rewrite (takes_defined r _ _ (fun v => value (pos' v) z) _ D); [easy|]. intros v _. unfold Order.updated, pos'.
        now destruct (existsb _ _). }
      exists m3, (m2 + m4). split; [|split; [|lra]].
      + eapply covered_less; [|apply Rle_refl|exact C3]. intros z [Z F]. apply (T z Z) in F. tauto.
      + eapply covered_less; [|apply Rle_refl|apply (covered_union L _ _ _ _ P L0 C2 C4)]. intros z [Z F].
        assert (DG : (forall c, In c (guard t) -> meets (value k z) (value (pos (snd c)) z) (fst c)) \/ ~ (forall c, In c (guard t) -> meets (value k z) (value (pos (snd c)) z) (fst c))).
        { clear. induction (guard t) as [|c l IH]; [left; intros c []|]. destruct (meets_dec (value k z) (value (pos (snd c)) z) (fst c)) as [M|M].
          - destruct IH as [H|H]; [left; intros d [<-|I]; [exact M|now apply H]|right; intro K; apply H; intros d I; apply K; now right].
          - right. intro K. apply M, K. now left. }
        destruct DG as [DG|DG]; [right|left; now split]. split; [now split|]. intro F'. apply F. apply (T z Z). now split.
  Qed.
  Lemma cut_runs (l : list (list transition)) : (forall r, In r l -> Ranks.defined [] r = true /\ length r = length L /\ untied r) ->
    ForallOrdPairs (fun r r' => forall z, ~ (takes (fun _ => 0) r z /\ takes (fun _ => 0) r' z)) l ->
    forall (Y : list sample -> Prop) m eta, 0 < eta -> (forall z, Y z -> length z = length L) -> covered L Y m ->
    exists ms, Forall2 (fun r m => covered L (fun z => Y z /\ takes (fun _ => 0) r (map fst z)) m) l ms /\ fold_right Rplus 0 ms <= m + INR (length l) * eta.
  Proof.
    intros H. induction 1 as [|r l Apart _ IH]; intros Y m eta E LY C.
    - exists []. split; [constructor|]. destruct C as (B & O & _ & T). specialize (T 0%nat). cbn in T.
      assert (V := vol_unit L P (B 0%nat) (proj1 (O 0%nat))). cbn. lra.
    - destruct (H r (or_introl eq_refl)) as (D & Len & U).
      destruct (cut_run r 0 (fun _ => 0%nat) [] D (fun v (I : In v []) => match I with end) Len U Y m eta E LY C) as (m1 & m2 & C1 & C2 & S).
      assert (T : forall z, from_step 0 (fun _ => 0%nat) r z <-> takes (fun _ => 0) r (map fst z)).
      { intro z. unfold from_step. cbn [skipn]. apply (takes_defined r [] _ _ _ D). intros v []. }
      destruct (IH (fun r' I => H r' (or_intror I)) _ m2 eta E (fun z Z => LY z (proj1 Z)) C2) as (ms & F & Sum).
      exists (m1 :: ms). split.
      + constructor.
        * eapply covered_less; [|apply Rle_refl|exact C1]. intros z [Z Tz]. split; [exact Z|now apply T].
        * rewrite Forall_forall in Apart. clear - F Apart T. induction F as [|r' m' l' ms' C' F IH]; constructor.
          -- eapply covered_less; [|apply Rle_refl|exact C']. intros z [Z Tz]. split; [split; [exact Z|]|exact Tz]. intro Fr.
             apply (Apart r' (or_introl eq_refl) (map fst z)). split; [now apply T|exact Tz].
          -- apply IH. intros r'' I. apply Apart. now right.
      + cbn [fold_right length]. rewrite S_INR. lra.
  Qed.
End Cut.

(** ** The loss of classes *)
Lemma Forall2_impl {A B} (P Q : A -> B -> Prop) l l' : (forall a b, In a l -> P a b -> Q a b) -> Forall2 P l l' -> Forall2 Q l l'.
Proof. intros H F. induction F; constructor; [apply H; [now left|assumption]|]. apply IHF. intros a b I. apply H. now right. Qed.
Lemma no_pair {A} (Q : A -> Prop) (l l1 : list A) : forall r l2 la r0 lb r', l = l1 ++ r :: l2 -> l = la ++ r0 :: lb -> (forall x, In x (la ++ lb) -> ~ Q x) ->
  In r' l2 -> Q r -> Q r' -> False.
Proof.
  revert l. induction l1 as [|x l1 IH]; intros l r l2 la r0 lb r' E E' N I Qr Qr'; subst l.
  - destruct la as [|y la]; cbn [app] in E'; injection E' as -> E'.
    + apply (N r'); [cbn; now rewrite <- E'|exact Qr'].
    + apply (N y); [now left|exact Qr].
  - destruct la as [|y la]; cbn [app] in E'; injection E' as -> E'.
    + apply (N r); [cbn; rewrite <- E'; apply in_or_app; right; now left|exact Qr].
    + apply (IH _ r l2 la r0 lb r' eq_refl E'); try assumption. intros z J. apply N. now right.
Qed.
Lemma apart_pairs {A} (R : A -> A -> Prop) (l : list A) : (forall l1 r l2 r', l = l1 ++ r :: l2 -> In r' l2 -> R r r') -> ForallOrdPairs R l.
Proof.
  induction l as [|x l IH]; intro H; constructor.
  - apply Forall_forall. intros y I. now apply (H [] x l).
  - apply IH. intros l1 r l2 r' -> I. now apply (H (x :: l1) r l2).
Qed.
Lemma one_of_apart l whole : Classes.one_of l whole -> ForallOrdPairs (fun r r' => forall z, ~ (takes (fun _ => 0) r z /\ takes (fun _ => 0) r' z)) l.
Proof.
  intro One. apply apart_pairs. intros l1 r l2 r' E I z [T T']. destruct (One R Rle Corners.real_order Rle_decidable (fun _ => 0) z) as [Some_ None_].
  destruct Some_ as (la & r0 & lb & E' & _ & N); [apply (None_ r); [rewrite E; apply in_or_app; right; now left|exact T]|].
  exact (no_pair (fun r => takes (fun _ => 0) r z) l l1 r l2 la r0 lb r' E E' N I T T').
Qed.
Lemma same_letters r r' : Forall2 Classes.looks_like r r' -> map letter r = map letter r'.
Proof. induction 1 as [|t t' r r' (L & _) F IH]; cbn; [easy|]. now rewrite L, IH. Qed.
Lemma same_numbers r r' : Forall2 Classes.looks_like r r' -> forall s s' z, numbers s r z = numbers s' r' z.
Proof.
  induction 1 as [|t t' r r' (L & Sh & G) F IH]; intros s s' [|[x y] z]; cbn [numbers]; try easy. rewrite (IH _ (stored t' s' x)). f_equal. rewrite <- Sh.
  apply map_ext_in. intros o I. destruct o as [| |v]; [easy|easy|]. now destruct (G v).
Qed.

Lemma neighbours_adjacent a p p' u r ins ins' :
  (forall v, reads (at_state p' v) <> 0%Z -> exists v', reads (at_state p v') = reads (at_state p' v)) -> (forall v, (0 <= reads (at_state p' v))%Z) ->
  neighbours a p ins ins' -> let of_steps f := fun v i => if (reads (at_state p' v) =? 0)%Z then 0 else f (Classes.step_of p' u r i) in
  adjacent a p' (of_steps ins) (of_steps ins').
Proof.
  intros R R0 [B A] of_steps. unfold of_steps. split.
  - intros v i. destruct (Z.eqb_spec (reads (at_state p' v)) 0) as [E|N]; [rewrite E, Rminus_0_r, Rabs_R0; lra|]. destruct (R v N) as [v' E]. rewrite <- E.
    apply B. now rewrite E.
  - assert (Rise : forall f g, rising f g -> increasing (of_steps f) (of_steps g)).
    { intros f g H v i. unfold of_steps. destruct (_ =? 0)%Z; [lra|apply H]. }
    destruct a; [exact I| |now apply Rise|now apply Rise|destruct A as [A|A]; [left|right]; now apply Rise].
    destruct A as [k A]. destruct (Classes.step_of_one p' r u k) as [i0 H]. exists i0. intros v i N. destruct (_ =? 0)%Z; [easy|]. now apply A, H.
Qed.

Section Loss.
  Variables (p : program) (start : N) (a : adjacency) (v : Z) (eps : R) (ins ins' : nat -> R) (A : watched).
  Hypothesis Proper : proper p.
  Hypothesis eps0 : 0 < eps.
  Hypothesis Near : neighbours a p ins ins'.
  Definition seen_by (r : list transition) (z : list sample) : Prop := taken (fun _ => 0) r z /\ A (map letter r) (numbers (fun _ => 0) r z).
  Definition run_has (f : nat -> R) (r : list transition) (m : R) : Prop := covered (laws_of eps f 0 (Classes.noises p start r)) (seen_by r) m.

  Lemma covered_some L (l : list (list transition)) ms : proper_laws L -> L <> [] -> Forall2 (fun r m => covered L (seen_by r) m) l ms ->
    covered L (fun z => exists r, In r l /\ seen_by r z) (fold_right Rplus 0 ms).
  Proof.
    intros P N. induction 1 as [|r m l ms C F IH]; cbn [fold_right].
    - apply covered_none; try assumption. intros z (r & [] & _).
    - eapply covered_less; [|apply Rle_refl|apply (covered_union L _ _ _ _ P N C IH)]. intros z (r' & [<-|I] & S); [now left|right]. now exists r'.
  Qed.
  Lemma class_loss c ms eta : Classes.good p start a v c -> (forall r, In r (Classes.members c) -> cuttable p start r /\ r <> []) -> 0 < eta ->
    Forall2 (run_has ins') (Classes.members c) ms ->
    exists ms', Forall2 (run_has ins) (Classes.members c) ms' /\ fold_right Rplus 0 ms' <= exp (eps * IZR v) * fold_right Rplus 0 ms + eta.
  Proof.
    intros (P & Rd & Al & One & Af) Cut E F. destruct (Classes.members c) as [|r0 l'] eqn:M.
    { exists []. split; [constructor|]. inversion F. subst. cbn. lra. }
    set (l := r0 :: l') in *. set (whole := Classes.united c) in *. set (p' := Classes.common c) in *. set (u := Classes.entry c) in *.
    set (L := fun f => laws_of eps f 0 (Classes.noises p' u whole)).
    assert (Ns : forall r, In r l -> Classes.noises p start r = Classes.noises p' u whole) by (intros r I; apply Al, I).
    assert (Len : forall r f, In r l -> length (L f) = length r).
    { intros r f I. unfold L. rewrite laws_length, <- (Ns r I). apply noises_length. }
    assert (Whole : forall f, length (L f) = length whole) by (intro f; unfold L; rewrite laws_length; apply noises_length).
    assert (L0 : forall f, L f <> []).
    { intros f E0. destruct (Cut r0 (or_introl eq_refl)) as [_ Ne]. apply Ne. specialize (Len r0 f (or_introl eq_refl)). rewrite E0 in Len. now destruct r0. }
    assert (PL : forall f, proper_laws (L f)) by (intro f; apply laws_proper; [exact P|exact eps0]).
    assert (Has : forall f r m, In r l -> run_has f r m = covered (L f) (seen_by r) m) by (intros f r m I; unfold run_has; now rewrite (Ns r I)).
    assert (Alike : forall r z, In r l -> map letter r = map letter whole /\ numbers (fun _ => 0) r z = numbers (fun _ => 0) whole z).
    { intros r z I. destruct (Al r I) as [_ Lk]. split; [now apply same_letters|now apply same_numbers]. }
    assert (FL : Forall2 (fun r m => covered (L ins') (seen_by r) m) l ms).
    { revert F. apply Forall2_impl. intros r b I. now rewrite Has. }
    assert (C := covered_some (L ins') l ms (PL _) (L0 _) FL). set (m := fold_right Rplus 0 ms) in *.
    set (of_steps := fun (f : nat -> R) (v : N) (i : nat) => if (reads (at_state p' v) =? 0)%Z then 0 else f (Classes.step_of p' u whole i)).
    assert (Step : forall f v k, reads (at_state p' v) <> 0%Z -> of_steps f v k = f (Classes.step_of p' u whole k)).
    { intros f w k Nz. unfold of_steps. now destruct (Z.eqb_spec (reads (at_state p' w)) 0). }
    assert (Cw : run_at_most eps p' u (of_steps ins') whole (A (map letter whole)) m).
    { apply (run_covered p' eps ins'); [apply Step|]. eapply covered_less; [|apply Rle_refl|exact C]. intros z [T S].
      destruct (One R Rle Corners.real_order Rle_decidable (fun _ => 0) (map fst z)) as [Some_ _]. apply taken_takes in T.
      destruct (Some_ T) as (l1 & r & l2 & El & Tr & _). assert (I : In r l) by (rewrite El; apply in_or_app; right; now left). exists r. split; [exact I|].
      destruct (Alike r z I) as [El1 En1]. unfold seen_by. rewrite El1, En1. split; [now apply taken_takes|exact S]. }
    apply (Corners.run_loss p' u eps (of_steps ins) (of_steps ins') whole (IZR v)) in Cw; [|exact P|exact eps0|].
    2: { apply (Corners.payable_neighbours p' u a v whole P Af). exact (neighbours_adjacent a p p' u whole ins ins' Rd (fun w => proj1 (P w)) Near). }
    apply (run_covered p' eps ins) in Cw; [|apply Step]. set (m' := exp (eps * IZR v) * m) in *.
    set (e := eta / (INR (length l) + 1)). assert (Q := pos_INR (length l)). assert (e0 : 0 < e) by (unfold e, Rdiv; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
    destruct (cut_runs (L ins) (PL _) (L0 _)) with (l := l) (4 := e0) (6 := Cw) as (ms' & F' & Sum).
    - intros b B. unfold L in *. rewrite <- (Ns r0 (or_introl eq_refl)) in *. apply laws_spread; [exact Proper|exact eps0| |].
      + rewrite laws_length, noises_length in B. exact B.
      + apply (proj1 (Cut r0 (or_introl eq_refl))).
    - intros r I. destruct (Cut r I) as [(D & U & _) _]. split; [exact D|]. split; [symmetry; now apply Len|exact U].
    - now apply (one_of_apart l whole).
    - intros z [T _]. rewrite Whole. now apply (Corners.taken_length (fun _ => 0)).
    - exists ms'. split.
      + revert F'. apply Forall2_impl. intros r b I Cr. rewrite Has by exact I. eapply covered_less; [|apply Rle_refl|exact Cr]. intros z [T S].
        destruct (One R Rle Corners.real_order Rle_decidable (fun _ => 0) (map fst z)) as [_ None_]. apply taken_takes in T.
        destruct (Alike r z I) as [El En]. rewrite El, En in S. split; [split; [|exact S]|exact T]. apply taken_takes. now apply (None_ r I).
      + apply Rle_trans with (1 := Sum). apply Rplus_le_compat_l. assert (e * (INR (length l) + 1) = eta) by (unfold e; field; lra). nra.
  Qed.
  Lemma classes_loss cs : Forall (Classes.good p start a v) cs -> (forall r, In r (flat_map Classes.members cs) -> cuttable p start r /\ r <> []) ->
    forall eta, 0 < eta -> forall ms, Forall2 (run_has ins') (flat_map Classes.members cs) ms ->
    exists ms', Forall2 (run_has ins) (flat_map Classes.members cs) ms' /\ fold_right Rplus 0 ms' <= exp (eps * IZR v) * fold_right Rplus 0 ms + eta.
  Proof.
    assert (Sum : forall l l', fold_right Rplus 0 (l ++ l') = fold_right Rplus 0 l + fold_right Rplus 0 l').
    { intro l. induction l as [|x l IH]; intro l'; cbn [app fold_right]; [lra|]. rewrite IH. lra. }
    induction 1 as [|c cs G _ IH]; intros Cut eta E ms F; cbn [flat_map] in *.
    - exists []. split; [constructor|]. inversion F. subst. cbn. lra.
    - apply Forall2_app_inv_l in F as (m1 & m2 & F1 & F2 & ->).
      destruct (class_loss c m1 (eta / 2) G) as (n1 & G1 & S1); [intros r I; apply Cut, in_or_app; now left|lra|exact F1|].
      destruct (IH (fun r I => Cut r ltac:(apply in_or_app; now right)) (eta / 2) ltac:(lra) m2 F2) as (n2 & G2 & S2).
      exists (n1 ++ n2). split; [now apply Forall2_app|]. rewrite !Sum. lra.
  Qed.
End Loss.

Lemma sum_permuted l l' : Permutation l l' -> fold_right Rplus 0 l = fold_right Rplus 0 l'.
Proof. induction 1; cbn [fold_right]; lra. Qed.
Lemma runs_length p n : forall u r, In r (runs p n u) -> length r = n.
Proof.
  induction n as [|n IH]; intros u r I; cbn [runs] in I; [destruct I as [<-|[]]; easy|]. apply in_flat_map in I as (t & _ & I).
  apply in_map_iff in I as (r' & <- & I). cbn. f_equal. now apply (IH (target t)).
Qed.

Theorem gathered_loss p start a v : proper p -> Classes.gathered p start a v -> (forall n r, In r (runs p n start) -> cuttable p start r) ->
  seen_loss_at_most p start a v.
Proof.
  intros Proper G Cut eps E ins ins' Near n A m eta E0 (ms & F & Sum).
  assert (Has : forall f r b, run_at_most eps p start (fun _ => read_by p start r f) r (A (map letter r)) b <-> run_has p start eps A f r b).
  { intros f r b. apply (run_covered p eps f). intros w k _. apply read_by_step. }
  apply (Forall2_impl _ (run_has p start eps A ins')) in F; [|intros r b _; apply Has].
  assert (Back : (exists ms', Forall2 (run_has p start eps A ins) (runs p n start) ms' /\ fold_right Rplus 0 ms' <= exp (eps * IZR v) * m + eta) ->
    seen_at_most eps p start ins n A (exp (eps * IZR v) * m + eta)).
  { intros (ms' & F' & S). exists ms'. split; [|exact S]. revert F'. apply Forall2_impl. intros r b _. apply Has. }
  apply Back. clear Back. destruct n as [|n].
  { exfalso. cbn [runs] in F. inversion F as [|? b ? ? (C & O & _ & T)]. subst. cbn [Classes.noises laws_of] in *. destruct (archimed b) as [U _].
    specialize (T (Z.to_nat (up b))). rewrite (sum_eq _ (fun _ => 1)) in T by (intros; now destruct (C i)). rewrite sum_cte, S_INR in T.
    assert (IZR (up b) <= INR (Z.to_nat (up b))); [|lra]. destruct (Z_le_gt_dec 0 (up b)) as [Z0|Z0].
    - rewrite INR_IZR_INZ, Z2Nat.id by exact Z0. lra.
    - assert (Q := pos_INR (Z.to_nat (up b))). apply Z.gt_lt, IZR_lt in Z0. lra. }
  destruct (G (S n)) as (rest & cs & Pe & Ne & Gs). destruct (Permutation_Forall2 Pe F) as (ms1 & Pm & F1).
  apply Forall2_app_inv_l in F1 as (m1 & m2 & F1 & F2 & ->).
  assert (Long : forall r, In r (rest ++ flat_map Classes.members cs) -> cuttable p start r /\ r <> []).
  { intros r I. apply (Permutation_in _ (Permutation_sym Pe)) in I. split; [now apply (Cut (S n))|]. intros ->. now apply runs_length in I. }
  destruct (classes_loss p start a v eps ins ins' A Proper E Near cs Gs) with (eta := eta) (ms := m2) as (n2 & G2 & S2);
    [intros r I; apply Long, in_or_app; now right|exact E0|exact F2|].
  assert (F' : Forall2 (run_has p start eps A ins) (rest ++ flat_map Classes.members cs) (map (fun _ => 0) rest ++ n2)).
  { apply Forall2_app; [|exact G2]. assert (L : forall r, In r rest -> r <> []) by (intros r I; apply (Long r), in_or_app; now left). clear - Ne Proper E L.
    induction Ne as [|r rest Nr _ IH]; constructor; [|apply IH; intros r' I; apply L; now right]. apply covered_none.
    - now apply laws_proper.
    - intro E0. assert (Q := f_equal (@length _) E0). rewrite laws_length, noises_length in Q. apply (L r); [now left|]. now destruct r.
    - intros z [T _]. apply taken_takes in T. exact (Nr R Rle Corners.real_order Rle_decidable _ _ T). }
  destruct (Permutation_Forall2 (Permutation_sym Pe) F') as (ms' & Pm' & F''). exists ms'. split; [exact F''|]. rewrite <- (sum_permuted _ _ Pm').
  assert (Zero : fold_right Rplus 0 (map (fun _ => 0) rest ++ n2) = fold_right Rplus 0 n2) by (clear; induction rest; cbn; lra). rewrite Zero.
  apply Rle_trans with (1 := S2). apply Rplus_le_compat_r. apply Rmult_le_compat_l; [left; apply exp_pos|]. apply Rle_trans with (2 := Sum).
  rewrite (sum_permuted _ _ Pm). assert (P1 : 0 <= fold_right Rplus 0 m1).
  { clear - F1 Proper E. induction F1 as [|r b l m1 (C & O & _ & T) F IH]; cbn [fold_right]; [lra|]. specialize (T 0%nat). cbn in T.
    assert (V := vol_unit _ (laws_proper p eps ins' Proper E r 0 start) (C 0%nat) (proj1 (O 0%nat))). lra. }
  clear - P1. induction m1 as [|x m1 IH]; cbn [app fold_right] in *; [lra|].
  assert (S : forall l l', fold_right Rplus 0 (l ++ l') = fold_right Rplus 0 l + fold_right Rplus 0 l').
  { intro l. induction l as [|y l IHl]; intro l'; cbn [app fold_right]; [lra|]. rewrite IHl. lra. }
  rewrite S. lra.
Qed.
