(** * Rows of integers

    The check of a model, and its rows over one denominator each, which all other checks compute with. *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse.
Import ListNotations.
Open Scope Q_scope.

(** A row over one denominator. *)
Record prow := { lab : N; den : positive; nums : list (positive * Z) }.

Definition lcm (a b : positive) : positive := (Z.to_pos (Zpos a / Zpos (Pos.gcd a b)) * b)%positive.
Definition prep (x : N * list (N * Q)) : prow :=
  let M := fold_right (fun kq m => lcm (Qden (snd kq)) m) 1%positive (snd x) in
  {| lab := fst x; den := M;
     nums := map (fun kq => (key (fst kq), (Qnum (snd kq) * (Zpos M / Zpos (Qden (snd kq))))%Z)) (snd x) |}.

Definition same (M : positive) (kq : N * Q) (kz : positive * Z) : bool :=
  ((Qnum (snd kq) * Zpos M =? snd kz * Zpos (Qden (snd kq))) && (0 <=? snd kz))%Z.
Definition total (l : list (positive * Z)) : Z := fold_right (fun kz a => (snd kz + a)%Z) 0%Z l.
Definition check_prep (n : N) (x : N * list (N * Q)) : bool :=
  let y := prep x in
  forallb (fun kq => (fst kq <? n)%N) (snd x)
  && forallb (fun ab => same (den y) (fst ab) (snd ab)) (combine (snd x) (nums y))
  && (total (nums y) =? Zpos (den y))%Z.

Definition check_model (c : chain) : bool := forallb (check_prep (N.of_nat (length c))) c.
Definition prepare (c : chain) : PM.t prow := index 1 (map prep c) (PM.empty _).

(** ** Soundness *)
Definition mean (c : chain) (s : N) (f : N -> Q) : Q := sum (map (fun kp => snd kp * f (fst kp)) (next c s)).

Lemma in_prepare c k x : PM.find k (prepare c) = Some x ->
  exists y, In y c /\ x = prep y /\ (N.to_nat (unkey k) < length c)%nat /\ nth (N.to_nat (unkey k)) c (0%N, []) = y.
Proof.
  intro H. apply index_spec in H as [(n & -> & H)|H]; [|now rewrite PM.gempty in H].
  rewrite nth_error_map in H. destruct (nth_error c n) as [y|] eqn:E; [|discriminate].
  injection H as <-. exists y. split; [now apply nth_error_In with n|]. split; [reflexivity|].
  replace (N.to_nat (unkey (Pos.of_nat (Pos.to_nat 1 + n)))) with n.
  - split; [apply nth_error_Some; now rewrite E|]. now apply nth_error_nth.
  - replace (Pos.of_nat (Pos.to_nat 1 + n)) with (N.succ_pos (N.of_nat n)).
    + change (N.succ_pos (N.of_nat n)) with (key (N.of_nat n)). now rewrite unkey_key, Nat2N.id.
    + change (Pos.to_nat 1 + n)%nat with (S n). rewrite <- Pos.of_nat_succ. destruct n; reflexivity.
Qed.

Lemma times_den (a : Q) : inject_Z (Zpos (Qden a)) * a == inject_Z (Qnum a).
Proof. destruct a as [n d]. unfold Qeq; cbn [Qmult inject_Z Qnum Qden]. rewrite Pos.mul_1_l. lia. Qed.
Lemma inject_pos p : inject_Z (Zpos p) > 0.
Proof. reflexivity. Qed.

Lemma same_spec M kq kz : same M kq kz = true ->
  inject_Z (Zpos M) * snd kq == inject_Z (snd kz) /\ 0 <= snd kq.
Proof.
  unfold same. destruct kq as [k [a b]], kz as [k' z]; cbn [fst snd Qnum Qden]. intro H.
  apply andb_prop in H as [H H0]. apply Z.eqb_eq in H. apply Z.leb_le in H0.
  split.
  - unfold Qeq; cbn [Qmult inject_Z Qnum Qden]. rewrite Pos.mul_1_l. lia.
  - unfold Qle; cbn. assert (0 < Zpos M)%Z by reflexivity. assert (0 < Zpos b)%Z by reflexivity. nia.
Qed.

Lemma prep_spec n x f : check_prep n x = true ->
  inject_Z (Zpos (den (prep x))) * sum (map (fun kp => snd kp * f (fst kp)) (snd x)) == ev (fun k => f (unkey k)) (nums (prep x))
  /\ Forall (fun kp => 0 <= snd kp) (snd x).
Proof.
  unfold check_prep. intro H. apply andb_prop in H as [H _]. apply andb_prop in H as [_ H].
  unfold prep in *. cbn [den nums] in *. set (M := fold_right _ _ _) in *. clearbody M.
  destruct x as [a l]. cbn [snd] in *. induction l as [|kq l IH].
  - split; [cbn; ring|constructor].
  - cbn [map combine forallb] in H. apply andb_prop in H as [H1 H2]. destruct (IH H2) as [IH1 IH2].
    apply same_spec in H1 as [H1 H0]. cbn [fst snd] in *. split; [|now constructor].
    unfold sum in *. cbn [map fold_right ev fst snd] in *. rewrite unkey_key.
    rewrite Qmult_plus_distr_r, IH1, <- H1. unfold ev. ring.
Qed.

Lemma total_spec l : inject_Z (total l) == ev (fun _ => 1) l.
Proof. induction l as [|[k z] l IH]; [reflexivity|]. cbn [total fold_right snd ev fst]. rewrite inject_Z_plus. unfold total, ev in IH. rewrite IH. ring. Qed.

Lemma sum_bounds (l : list (N * Q)) (f : N -> Q) : Forall (fun kp => 0 <= snd kp) l -> (forall k, 0 <= f k /\ f k <= 1) ->
  0 <= sum (map (fun kp => snd kp * f (fst kp)) l) <= sum (map (fun kp => snd kp * 1) l).
Proof.
  intros H Hf. induction H as [|[k p] l Hp H IH]; cbn; [lra|]. cbn in Hp. destruct (Hf k). unfold sum in IH. split; nra.
Qed.

Lemma row_total n x : check_prep n x = true -> sum (map (fun kp => snd kp * 1) (snd x)) == 1.
Proof.
  intro H. destruct (prep_spec n x (fun _ => 1) H) as [E _].
  unfold check_prep in H. apply andb_prop in H as [_ H]. apply Z.eqb_eq in H.
  rewrite <- total_spec, H in E. assert (P := inject_pos (den (prep x))). nra.
Qed.

Lemma sum_1 (l : list (N * Q)) : sum (map (fun kp => snd kp * 1) l) == sum (map snd l).
Proof. induction l as [|[k p] l IH]; cbn; [reflexivity|]. unfold sum in IH. rewrite IH. ring. Qed.

Theorem model_sound c : check_model c = true -> markov c.
Proof.
  unfold check_model. intros H s Hs. rewrite forallb_forall in H.
  specialize (H _ (nth_In c (0%N, []) Hs)). fold (label c s) (next c s). split.
  - unfold next. rewrite <- sum_1. eapply row_total, H.
  - intros k p Hk. destruct (prep_spec _ _ (fun _ => 1) H) as [_ F]. rewrite Forall_forall in F.
    split; [apply (F _ Hk)|]. unfold check_prep in H.
    apply andb_prop in H as [H _]. apply andb_prop in H as [H _]. rewrite forallb_forall in H.
    specialize (H _ Hk). apply N.ltb_lt in H. cbn [fst] in H. lia.
Qed.

Lemma mean_bounds c s f : check_model c = true -> (forall k, 0 <= f k /\ f k <= 1) -> 0 <= mean c s f /\ mean c s f <= 1.
Proof.
  intros H Hf. unfold mean, next. destruct (Nat.lt_ge_cases (N.to_nat s) (length c)) as [Hs|Hs].
  - unfold check_model in H. rewrite forallb_forall in H. specialize (H _ (nth_In c (0%N, []) Hs)).
    destruct (prep_spec _ _ f H) as [_ F]. assert (B := sum_bounds _ f F Hf). assert (T := row_total _ _ H). lra.
  - rewrite nth_overflow by assumption. cbn. lra.
Qed.

Lemma prob_bounds c : check_model c = true -> forall n s E, 0 <= prob c n s E /\ prob c n s E <= 1.
Proof.
  intros H. induction n as [|n IH]; intros s E; cbn [prob].
  - destruct (E []); lra.
  - apply (mean_bounds c s (fun k => prob c n k (fun w => E (label c s :: w))) H). intro k. apply IH.
Qed.

Lemma prepare_complete c s : In s (states c) -> PM.find (key s) (prepare c) = Some (prep (nth (N.to_nat s) c (0%N, []))).
Proof.
  intro H. apply in_states in H. unfold prepare.
  assert (E : nth_error (map prep c) (N.to_nat s) = Some (prep (nth (N.to_nat s) c (0%N, [])))).
  { rewrite nth_error_map, (nth_error_nth' c (0%N, []) H). reflexivity. }
  apply index_complete with (i := 1%positive) (m := PM.empty _) in E. rewrite <- E. f_equal.
  change (Pos.to_nat 1 + N.to_nat s)%nat with (S (N.to_nat s)). rewrite <- Pos.of_nat_succ. destruct s; [reflexivity|].
  cbn. now rewrite Pos2Nat.id || (rewrite <- Pos2Nat.inj_succ || idtac; lia).
Qed.

Lemma find_label c k x : PM.find k (prepare c) = Some x -> lab x = label c (unkey k) /\ In (unkey k) (states c).
Proof.
  intro H. apply in_prepare in H as (y & _ & -> & R & E). split; [unfold label; now rewrite E|now apply in_states].
Qed.
