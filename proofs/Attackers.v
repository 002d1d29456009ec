(** * What attackers gain: unrollings with actions *)
From Coq Require Import List NArith ZArith QArith Qminmax Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Process Sums Sparse Rows Upper Unrolling Delta.
Import ListNotations.
Open Scope Q_scope.

(** Evidence: a node as in [Unrolling.v], with what follows each action, and the action taken. A node of the kind [Stop] is an end, if nothing
    follows: then an attacker does not gain more than by the best function of the states. If something follows, the attacker who gains [low]
    guesses here. Nodes of the kind [Inner] go on with the action taken. *)
Definition choice := (node * (list steps * nat))%type.
Record against := { fell : Q; choices : list (positive * choice); starts : list (N * N * positive) }.

Definition plain (l : list (positive * choice)) : list (positive * node) := map (fun kq => (fst kq, fst (snd kq))) l.

(** ** The check *)

(** The number of actions of a state. *)
Definition menu (P : process) (s : N) : nat := length (snd (nth (N.to_nat s) P (0%N, []))).
Definition menus (P : process) : nat := fold_right (fun x m => Nat.max (length (snd x)) m) 1%nat P.

(** No function from 0 to 1 of the states gains more than v. *)
Definition end_bound (an ad : Z) (x y : vector) (v : Q) : bool :=
  (gains (addl (ad * Zpos (Qden v)) x (addl (- (an * Zpos (Qden v))) y Leaf)) <=? ad * Qnum v)%Z.

Definition check_choice (P : process) (ms : list (PM.t prow)) (ns : PM.t node) (an ad : Z) (rho : Q) (qa : choice) : bool :=
  let q := fst qa in let l := fst (snd qa) in
  let gap := inject_Z (ad * mass (xs q) - an * mass (ys q)) / inject_Z ad in
  let m := hd (PM.empty _) ms in
  forallb (fun kz => match PM.find (fst kz) m with Some r => (lab r =? seen q)%N | None => false end) (xs q ++ ys q)
  && Qle_bool 0 (up q) && Qle_bool gap (up q)
  && match l with
     | [] => end_bound an ad (xs q) (ys q) (up q)
     | _ => forallb (fun kz => (menu P (unkey (fst kz)) =? length l)%nat) (xs q ++ ys q)
         && (length l <=? length ms)%nat
         && forallb (fun ms => check_steps (fst ms) ns q (snd ms) && Qle_bool (ahead ns up (snd ms)) (inject_Z (Zpos (whole (snd ms))) * up q)) (combine ms l)
     end
  && match sort q with
     | Inner s h =>
         match nth_error l (snd (snd qa)) with
         | Some s => Qle_bool 0 h && Qle_bool (low q) h && Qle_bool (inject_Z (Zpos (whole s)) * low q) (ahead ns low s)
             && Qle_bool (ahead ns height s) (rho * inject_Z (Zpos (whole s)) * h)
         | None => false
         end
     | _ => Qle_bool (low q) (Qmax 0 gap)
     end.

Definition check_against (P : process) (alpha : Q) (e : against) : bool :=
  let ms := map (fun a => prepare (acting P a)) (seq 0 (menus P)) in let ns := of_list (plain (choices e)) in
  (Zpos (Qden alpha) <=? Qnum alpha)%Z && forallb (fun a => check_model (acting P a)) (seq 0 (menus P))
  && Qle_bool 0 (fell e) && negb (Qle_bool 1 (fell e))
  && forallb (fun kq => check_choice P ms ns (Qnum alpha) (Zpos (Qden alpha)) (fell e) (snd kq)) (choices e).

(** ** Soundness *)

Lemma prob_of_ext P n : forall sigma sigma' s E E', (forall w, sigma w = sigma' w) -> (forall w, E w = E' w) ->
  prob_of P n sigma s E == prob_of P n sigma' s E'.
Proof.
  induction n as [|n IH]; intros sigma sigma' s E E' Hs HE; cbn [prob_of]; [now rewrite HE|]. cbv zeta. rewrite Hs. apply sum_ext. intros kp _.
  rewrite (IH _ (fun w => sigma' (shown P s :: w)) _ _ (fun w => E' (shown P s :: w))); [reflexivity| |]; intro w; [apply Hs|apply HE].
Qed.
Lemma prob_of_head P n s sigma sigma' E E' : (forall w, sigma (shown P s :: w) = sigma' (shown P s :: w)) ->
  (forall w, E (shown P s :: w) = E' (shown P s :: w)) -> prob_of P (S n) sigma s E == prob_of P (S n) sigma' s E'.
Proof.
  intros Hs HE. cbn [prob_of]. cbv zeta. rewrite Hs. apply sum_ext. intros kp _.
  now rewrite (prob_of_ext P n _ (fun w => sigma' (shown P s :: w)) _ _ (fun w => E' (shown P s :: w)) Hs HE).
Qed.
Lemma prob_of_never P n : forall sigma s, prob_of P n sigma s (fun _ => false) == 0.
Proof.
  induction n as [|n IH]; intros sigma s; cbn [prob_of]; [reflexivity|]. cbv zeta. rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_0|]. intros kp _. rewrite IH. ring.
Qed.

Lemma acting_nth P a : forall k, let x := nth k P (0%N, []) in nth k (acting P a) (0%N, []) = (fst x, nth a (snd x) (hd [] (snd x))).
Proof.
  cbv zeta. unfold acting. induction P as [|x P IH]; intros [|k]; [destruct a; reflexivity|destruct a; reflexivity|reflexivity|exact (IH k)].
Qed.
Lemma acting_label P a s : label (acting P a) s = shown P s.
Proof. unfold shown, label. now rewrite !acting_nth. Qed.
Lemma acting_states P a : states (acting P a) = states (acting P 0).
Proof. unfold states, acting. now rewrite !map_length. Qed.
Lemma acting_beyond P a s : (menu P s <= a)%nat -> next (acting P a) s = next (acting P 0) s.
Proof.
  unfold menu, next. intro H. rewrite !acting_nth. cbn [snd]. rewrite (nth_overflow _ _ H). now destruct (snd (nth (N.to_nat s) P (0%N, []))).
Qed.
Lemma menu_le P s : (menu P s <= menus P)%nat.
Proof.
  unfold menu, menus. generalize (N.to_nat s). induction P as [|x P IH]; intros [|k]; cbn [nth fold_right snd length]; try lia. specialize (IH k). lia.
Qed.

Lemma menus_pos P : (0 < menus P)%nat.
Proof. unfold menus. induction P as [|x P IH]; cbn [fold_right]; lia. Qed.

Section Against.
  Variables (P : process) (alpha : Q) (e : against).
  Hypothesis He : check_against P alpha e = true.
  Let ns := of_list (plain (choices e)).
  Let rho := fell e.
  Let an := Qnum alpha.
  Let ad := Zpos (Qden alpha).
  Let ms := map (fun a => prepare (acting P a)) (seq 0 (menus P)).

  Lemma against_parts : 1 <= alpha /\ (forall a, check_model (acting P a) = true) /\ 0 <= rho /\ rho < 1 /\
    forall k q, PM.find k ns = Some q -> exists l t, check_choice P ms ns an ad rho (q, (l, t)) = true.
  Proof.
    unfold check_against in He. apply andb_prop in He as [H F]. apply andb_prop in H as [H R1]. apply andb_prop in H as [H R0]. apply andb_prop in H as [A M].
    rewrite forallb_forall in F, M. apply Qle_bool_iff in R0. apply negb_true_iff in R1.
    assert (M' : forall a, (a < menus P)%nat -> check_model (acting P a) = true) by (intros a La; apply M, in_seq; lia).
    assert (M0 := menus_pos P).
    split; [apply Z.leb_le in A; destruct alpha as [x y]; unfold Qle; cbn in *; lia|]. split; [|split; [assumption|split]].
    - intro a. destruct (Nat.lt_ge_cases a (menus P)) as [L|L]; [now apply M'|].
      assert (E : acting P a = acting P 0); [|rewrite E; now apply M'].
      apply nth_ext with (d := (0%N, [])) (d' := (0%N, [])); [unfold acting; now rewrite !map_length|]. intros k _. rewrite !acting_nth. f_equal.
      assert (B := menu_le P (N.of_nat k)). unfold menu in B. rewrite Nat2N.id in B. cbn [fst snd].
      set (rows := snd (nth k P (0%N, []))) in *. transitivity (hd [] rows); [apply nth_overflow; lia|now destruct rows].
    - apply Qnot_le_lt. intro X. apply Qle_bool_iff in X. exact (eq_true_false_abs _ X R1).
    - intros k q E. apply find_of_list in E. unfold plain in E. apply in_map_iff in E as ((k', (q', (l, t))) & E & I). cbn [fst snd] in E. injection E as -> ->.
      exists l, t. exact (F _ I).
  Qed.

  Definition total_of n sigma (x : vector) E : Q := ev (fun i => prob_of P n sigma (unkey i) E) x.
  Definition gain_of n sigma (q : node) E : Q := total_of n sigma (xs q) E - alpha * total_of n sigma (ys q) E.

  Lemma prob_of_bounds n : forall sigma s E, 0 <= prob_of P n sigma s E /\ prob_of P n sigma s E <= 1.
  Proof.
    destruct against_parts as (_ & M & _). induction n as [|n IH]; intros sigma s E; cbn [prob_of]; [destruct (E []); lra|]. cbv zeta.
    apply (mean_bounds (acting P (sigma [shown P s])) s (fun k => prob_of P n (fun w => sigma (shown P s :: w)) k (fun w => E (shown P s :: w))) (M _)).
    intro k. apply IH.
  Qed.
  Lemma prob_of_always n : forall sigma s, In s (states (acting P 0)) -> prob_of P n sigma s (fun _ => true) == 1.
  Proof.
    destruct against_parts as (_ & M & _). induction n as [|n IH]; intros sigma s Hs; cbn [prob_of]; [reflexivity|]. cbv zeta.
    set (a := sigma [shown P s]). rewrite <- (acting_states P a) in Hs. apply in_states in Hs. destruct (model_sound _ (M a) s Hs) as [T N].
    rewrite <- T. apply sum_ext. intros [k p] Hk. cbn [fst snd]. rewrite IH; [ring|]. rewrite <- (acting_states P a). apply in_states. now apply (N k p).
  Qed.

  Section Node.
    Variables (k : positive) (q : node) (l : list steps) (t : nat).
    Hypothesis Hq : check_choice P ms ns an ad rho (q, (l, t)) = true.
    Let gap : Q := inject_Z (mass (xs q)) - alpha * inject_Z (mass (ys q)).

    Lemma gap_of_eq : inject_Z (ad * mass (xs q) - an * mass (ys q)) / inject_Z ad == gap.
    Proof.
      assert (A := times_den alpha). fold ad an in A. unfold gap, Z.sub. rewrite inject_Z_plus, inject_Z_opp, !inject_Z_mult, <- A. field. easy.
    Qed.

    Lemma choice_parts : (forall i z, In (i, z) (xs q) \/ In (i, z) (ys q) -> In (unkey i) (states (acting P 0)) /\ shown P (unkey i) = seen q) /\
      0 <= up q /\ gap <= up q.
    Proof.
      unfold check_choice in Hq. cbv zeta in Hq. cbn [fst snd] in Hq. apply andb_prop in Hq as [H _]. apply andb_prop in H as [H _].
      apply andb_prop in H as [H G]. apply andb_prop in H as [S U]. apply Qle_bool_iff in G, U. rewrite gap_of_eq in G. split; [|now split].
      intros i z I. rewrite forallb_forall in S. specialize (S (i, z) (proj2 (in_app_iff _ _ _) I)). cbn [fst] in S.
      assert (E : hd (PM.empty _) ms = prepare (acting P 0)) by (unfold ms; assert (M0 := menus_pos P); destruct (menus P); [lia|reflexivity]).
      rewrite E in S. destruct (PM.find i (prepare (acting P 0))) as [r|] eqn:F; [|discriminate]. apply N.eqb_eq in S. apply find_label in F as [L J].
      split; [assumption|]. rewrite acting_label in L. congruence.
    Qed.

    (** A step with some action. *)
    Lemma step_of n sigma E : l <> [] -> exists s, (if (sigma [seen q] <? length l)%nat then nth_error l (sigma [seen q]) = Some s else nth_error l 0 = Some s) /\
      ahead ns up s <= inject_Z (Zpos (whole s)) * up q /\
      inject_Z (Zpos (whole s)) * gain_of (S n) sigma q E == ahead ns (fun p => gain_of n (fun w => sigma (seen q :: w)) p (fun w => E (seen q :: w))) s /\
      forallb (fun x => (0 <=? snd x)%Z && PM.mem (fst x) ns) (entries s) = true /\ distinct (map label_of (targets ns s)) = true.
    Proof.
      intro Nl. destruct choice_parts as (St & _). destruct against_parts as (_ & M & _). assert (H := Hq). unfold check_choice in H. cbv zeta in H. cbn [fst snd] in H.
      apply andb_prop in H as [H _]. apply andb_prop in H as [_ H]. destruct l as [|s0 l0] eqn:El; [easy|]. rewrite <- El in *. clear Nl.
      apply andb_prop in H as [H F]. apply andb_prop in H as [Mn Ll]. apply Nat.leb_le in Ll. rewrite forallb_forall in Mn, F.
      set (b := if (sigma [seen q] <? length l)%nat then sigma [seen q] else 0%nat).
      assert (Lb : (b < length l)%nat) by (unfold b; destruct (Nat.ltb_spec (sigma [seen q]) (length l)); [assumption|rewrite El; cbn; lia]).
      destruct (nth_error l b) as [s|] eqn:Es; [|apply nth_error_None in Es; lia].
      exists s. split; [unfold b in Es; now destruct (sigma [seen q] <? length l)%nat|].
      assert (I : In (prepare (acting P b), s) (combine ms l)).
      { apply nth_error_In with (n := b). rewrite (nth_error_nth' _ (prepare (acting P b), s)) by (rewrite combine_length; lia).
        f_equal. assert (C : forall (A B : Type) (la : list A) (lb : list B) k x y, nth_error la k = Some x -> nth_error lb k = Some y -> nth_error (combine la lb) k = Some (x, y)).
        { clear. intros A B la. induction la as [|a la IH]; intros [|b lb] [|k] x y; cbn; try discriminate; [congruence|apply IH]. }
        apply nth_error_nth. apply C; [|exact Es]. unfold ms. rewrite nth_error_map. assert (Lm : (b < menus P)%nat) by (unfold ms in Ll; rewrite map_length, seq_length in Ll; lia).
        rewrite (nth_error_nth' _ 0%nat) by (now rewrite seq_length). now rewrite seq_nth. }
      specialize (F _ I). cbn [fst snd] in F. apply andb_prop in F as [Cs U]. apply Qle_bool_iff in U. split; [exact U|].
      assert (Next : forall i z, In (i, z) (xs q) \/ In (i, z) (ys q) -> next (acting P (sigma [seen q])) (unkey i) = next (acting P b) (unkey i)).
      { intros i z J. unfold b. destruct (Nat.ltb_spec (sigma [seen q]) (length l)) as [|G]; [reflexivity|]. apply acting_beyond.
        specialize (Mn (i, z) (proj2 (in_app_iff _ _ _) J)). apply Nat.eqb_eq in Mn. cbn [fst] in Mn. lia. }
      set (g := fun k => prob_of P n (fun w => sigma (seen q :: w)) k (fun w => E (seen q :: w))).
      assert (T : forall x, x = xs q \/ x = ys q -> total_of (S n) sigma x E == ev (fun i => mean (acting P b) (unkey i) g) x).
      { intros x X. unfold total_of. apply ev_in. intros i z J. cbn [prob_of]. cbv zeta.
        assert (J' : In (i, z) (xs q) \/ In (i, z) (ys q)) by (destruct X as [<-|<-]; auto). destruct (St i z J') as [_ ->].
        rewrite (Next i z J'). reflexivity. }
      unfold check_steps in Cs. apply andb_prop in Cs as [Cs Fy]. apply andb_prop in Cs as [Cs Fx]. apply andb_prop in Cs as [Pos Dl].
      apply (follows_spec _ (M b) ns xs s _ g) in Fx. apply (follows_spec _ (M b) ns ys s _ g) in Fy. rewrite <- (T (xs q)) in Fx by auto. rewrite <- (T (ys q)) in Fy by auto.
      split; [|now split]. unfold gain_of at 1.
      rewrite (ahead_ext ns _ (fun p => 1 * ev (fun k => g (unkey k)) (xs p) + - alpha * ev (fun k => g (unkey k)) (ys p))) by (intro; unfold gain_of, total_of, g; ring).
      rewrite ahead_sum, <- Fx, <- Fy. ring.
    Qed.
    Lemma gain_of_never n sigma : gain_of n sigma q (fun _ => false) == 0.
    Proof.
      unfold gain_of, total_of. rewrite (ev_in _ (fun _ => 0) (xs q)), (ev_in _ (fun _ => 0) (ys q)); [rewrite !ev_zero; ring| |]; intros; apply prob_of_never.
    Qed.

    (** All or nothing. *)
    Lemma guess n v : v <= Qmax 0 gap -> exists sigma E, v <= gain_of n sigma q E.
    Proof.
      destruct choice_parts as (St & _). intro V. exists (fun _ => 0%nat). destruct (Q.max_spec 0 gap) as [[_ M]|[_ M]]; rewrite M in V.
      - exists (fun _ => true). unfold gain_of, total_of.
        rewrite (ev_in _ (fun _ => 1) (xs q)), (ev_in _ (fun _ => 1) (ys q)), !ev_one; [exact V| |]; intros i z I; apply prob_of_always, (St i z); auto.
      - exists (fun _ => false). now rewrite gain_of_never.
    Qed.

    Lemma end_upper n sigma E : l = [] -> gain_of n sigma q E <= up q.
    Proof.
      intro El. assert (H := Hq). unfold check_choice in H. cbv zeta in H. cbn [fst snd] in H. apply andb_prop in H as [H _]. apply andb_prop in H as [_ H].
      rewrite El in H. unfold end_bound in H. apply Z.leb_le in H. rewrite Zle_Qle, inject_Z_mult in H.
      set (f := fun i => prob_of P n sigma (unkey i) E).
      assert (G := evt_gains (addl (ad * Zpos (Qden (up q))) (xs q) (addl (- (an * Zpos (Qden (up q)))) (ys q) Leaf)) f (fun i => prob_of_bounds n sigma (unkey i) E)).
      rewrite !evt_addl in G. cbn [evt] in G. rewrite inject_Z_opp, !inject_Z_mult in G. assert (A := times_den alpha). fold an ad in A. rewrite <- A in G.
      assert (B := times_den (up q)). rewrite <- B in H. unfold gain_of, total_of. fold f.
      set (X := ev f (xs q)) in *. set (Y := ev f (ys q)) in *. set (w := inject_Z (gains _)) in *.
      assert (Pa : 0 < inject_Z ad) by reflexivity. assert (Pe := inject_pos (Qden (up q))). set (a := inject_Z ad) in *. set (d := inject_Z (Zpos (Qden (up q)))) in *.
      set (v := up q) in *. clearbody X Y w a d v. assert (L : a * d * (X - alpha * Y - v) <= 0) by lra. assert (0 < a * d) by nra.
      apply Qnot_lt_le. intro. assert (0 < a * d * (X - alpha * Y - v)) by (apply Qmult_lt_0_compat; lra). lra.
    Qed.
  End Node.

  Theorem against_upper n : forall sigma k q E, PM.find k ns = Some q -> gain_of n sigma q E <= up q.
  Proof.
    induction n as [|n IH]; intros sigma k q E Hk; destruct against_parts as (_ & _ & _ & _ & F); destruct (F k q Hk) as (l & t & Hq).
    - destruct (choice_parts q l t Hq) as (_ & U & G). unfold gain_of, total_of. cbn [prob_of]. destruct (E []); [rewrite !ev_one; exact G|rewrite !ev_zero; lra].
    - destruct l as [|s0 l0] eqn:El; [now apply (end_upper q [] t)|]. rewrite <- El in *.
      destruct (step_of q l t Hq n sigma E) as (s & _ & U & G & Pos & _); [now rewrite El|].
      assert (L : ahead ns (fun p => gain_of n (fun w => sigma (seen q :: w)) p (fun w => E (seen q :: w))) s <= ahead ns up s).
      { apply ahead_le; [assumption|]. intros j p _ Fj. now apply (IH _ j). }
      rewrite <- G in L. assert (W := inject_pos (whole s)). set (g := gain_of (S n) sigma q E) in *. clearbody g.
      assert (inject_Z (Zpos (whole s)) * (g - up q) <= 0) by lra. nra.
  Qed.

  Lemma gain_of_head n sigma sigma' E E' k q : PM.find k ns = Some q -> (forall w, sigma (seen q :: w) = sigma' (seen q :: w)) ->
    (forall w, E (seen q :: w) = E' (seen q :: w)) -> gain_of (S n) sigma q E == gain_of (S n) sigma' q E'.
  Proof.
    intros Hk Hs HE. destruct against_parts as (_ & _ & _ & _ & F). destruct (F k q Hk) as (l & t & Hq). destruct (choice_parts q l t Hq) as (St & _).
    unfold gain_of, total_of. rewrite (ev_in _ (fun i => prob_of P (S n) sigma' (unkey i) E') (xs q)), (ev_in (fun i => prob_of P (S n) sigma (unkey i) E) (fun i => prob_of P (S n) sigma' (unkey i) E') (ys q));
      [reflexivity| |]; intros i z I; (destruct (St i z) as [_ L]; [auto|]); apply prob_of_head; intro w; rewrite L; auto.
  Qed.

  (** Attackers and events for what follows, one for each next label, are one attacker and one event. *)
  Lemma choose_of n (v : node -> Q) s : distinct (map label_of (targets ns s)) = true ->
    (forall j p, PM.find j ns = Some p -> exists sigma E, v p <= gain_of (S n) sigma p E) ->
    exists sigma E, forall j p, In (Some p) (targets ns s) -> PM.find j ns = Some p -> v p <= gain_of (S n) sigma p E.
  Proof.
    intros Dl H. unfold targets in *. induction (entries s) as [|[j z] es IH]; cbn [map fst distinct] in *.
    - exists (fun _ => 0%nat), (fun _ => false). intros ? ? [].
    - apply andb_prop in Dl as [N Dl]. destruct (IH Dl) as (sigma & E & HE). destruct (PM.find j ns) as [p|] eqn:F.
      2: { exists sigma, E. intros j' p' [I|I] F'; [discriminate|now apply (HE j')]. }
      destruct (H j p F) as (sp & Ep & Hp). cbn [label_of] in N. apply negb_true_iff in N.
      exists (fun w => match w with a :: _ => if (a =? seen p)%N then sp w else sigma w | [] => 0%nat end).
      exists (fun w => match w with a :: _ => if (a =? seen p)%N then Ep w else E w | [] => false end).
      intros j' p' [I|I] F'.
      + injection I as <-. rewrite (gain_of_head n _ sp _ Ep j p F); [assumption| |]; intro w; now rewrite N.eqb_refl.
      + assert (Ne : (seen p' =? seen p)%N = false).
        { destruct (N.eqb_spec (seen p') (seen p)) as [L|]; [|reflexivity].
          exfalso. assert (Ex : existsb (N.eqb (seen p)) (map label_of (map (fun e => PM.find (fst e) ns) es)) = true); [|congruence].
          apply existsb_exists. exists (seen p'). split; [|now apply N.eqb_eq]. apply in_map_iff. exists (Some p'). now split. }
        rewrite (gain_of_head n _ sigma _ E j' p' F'); [now apply (HE j')| |]; intro w; now rewrite Ne.
  Qed.

  Theorem against_lower n : forall k q, PM.find k ns = Some q -> exists sigma E, low q - power rho n * height q <= gain_of (S n) sigma q E.
  Proof.
    destruct against_parts as (_ & _ & R0 & R1 & F).
    induction n as [|n IH]; intros k q Hk; destruct (F k q Hk) as (l & t & Hq); assert (H := Hq); unfold check_choice in H; cbv zeta in H; cbn [fst snd] in H;
      apply andb_prop in H as [_ H];
      (destruct (sort q) as [unit w|s' h|s'] eqn:Hs;
        [apply Qle_bool_iff in H; rewrite (gap_of_eq q) in H; match goal with |- exists _ _, _ <= gain_of ?m _ _ _ => destruct (guess q l t Hq m _ H) as (sigma & E & HE) end; exists sigma, E; unfold height; rewrite Hs; lra| |
         apply Qle_bool_iff in H; rewrite (gap_of_eq q) in H; match goal with |- exists _ _, _ <= gain_of ?m _ _ _ => destruct (guess q l t Hq m _ H) as (sigma & E & HE) end; exists sigma, E; unfold height; rewrite Hs; lra]);
      (destruct (nth_error l t) as [s|] eqn:Et; [|discriminate]); apply andb_prop in H as [H Fall]; apply andb_prop in H as [H Low]; apply andb_prop in H as [H0 Start];
      apply Qle_bool_iff in Fall, Low, Start, H0; assert (Hh : height q = h) by (unfold height; now rewrite Hs); rewrite Hh.
    - exists (fun _ => 0%nat), (fun _ => false). rewrite gain_of_never. cbn [power]. lra.
    - assert (Nl : l <> []) by (intros ->; now destruct t). assert (Lt : (t < length l)%nat) by (apply nth_error_Some; congruence).
      assert (Dl : forallb (fun x => (0 <=? snd x)%Z && PM.mem (fst x) ns) (entries s) = true /\ distinct (map label_of (targets ns s)) = true).
      { destruct (step_of q l t Hq 0 (fun _ => t) (fun _ => false) Nl) as (s1 & E1 & _ & _ & Q1 & Q2). apply Nat.ltb_lt in Lt. rewrite Lt in E1.
        assert (s1 = s) by congruence. subst s1. now split. }
      destruct Dl as [Pos Dl].
      destruct (choose_of n (fun p => 1 * low p + - power rho n * height p) s Dl) as (sigma & E & HE).
      { intros j p Fj. destruct (IH j p Fj) as (sp & Ep & Hp). exists sp, Ep. lra. }
      exists (fun w => match w with _ :: (_ :: _) as w => sigma w | _ => t end), (fun w => match w with [] => false | _ :: w => E w end).
      destruct (step_of q l t Hq (S n) (fun w => match w with _ :: (_ :: _) as w => sigma w | _ => t end) (fun w => match w with [] => false | _ :: w => E w end) Nl)
        as (s1 & E1 & _ & G & _). apply Nat.ltb_lt in Lt. rewrite Lt in E1. assert (s1 = s) by congruence. subst s1.
      assert (L : ahead ns (fun p => 1 * low p + - power rho n * height p) s <=
        ahead ns (fun p => gain_of (S n) (fun w => match seen q :: w with _ :: (_ :: _) as w => sigma w | _ => t end) p (fun w => match seen q :: w with [] => false | _ :: w => E w end)) s).
      { apply ahead_le; [assumption|]. intros j p I Fj. rewrite (gain_of_head n _ sigma _ E j p Fj); [now apply (HE j)| |]; reflexivity. }
      rewrite <- G, ahead_sum in L. cbn [power].
      assert (W := inject_pos (whole s)). assert (Pw := power_pos rho n R0). set (wh := inject_Z (Zpos (whole s))) in *.
      set (g := gain_of (S (S n)) _ q _) in *. set (p := power rho n) in *. set (al := ahead ns low s) in *. set (ah := ahead ns height s) in *.
      clearbody wh g p al ah. assert (p * ah <= p * (rho * wh * h)) by nra.
      assert (0 <= wh * (g - (low q - rho * p * h))) by lra. nra.
  Qed.

  (** *** Roots *)
  Definition started (p : node -> bool) (s t : N) : bool :=
    existsb (fun r => (fst (fst r) =? s)%N && (snd (fst r) =? t)%N &&
               match PM.find (snd r) ns with Some q => is_root q s t && p q | None => false end) (starts e).

  Lemma started_gain p s t : started p s t = true -> exists k q, PM.find k ns = Some q /\ p q = true /\
    forall n sigma E, gain_of n sigma q E == prob_of P n sigma s E - alpha * prob_of P n sigma t E.
  Proof.
    unfold started. intro H. apply existsb_exists in H as (((s', t'), k) & _ & H). cbn [fst snd] in H.
    apply andb_prop in H as [_ H]. destruct (PM.find k _) as [q|] eqn:F; [|discriminate]. apply andb_prop in H as [R Pq].
    exists k, q. repeat split; try assumption. intros n sigma E. unfold gain_of, total_of, is_root in *.
    destruct (xs q) as [|[i [|[?|?|]|?]] [|? ?]]; try discriminate. destruct (ys q) as [|[j [|[?|?|]|?]] [|? ?]]; try discriminate.
    apply andb_prop in R as [Ri Rj]. apply Pos.eqb_eq in Ri as ->, Rj as ->. unfold ev. cbn [fold_right fst snd]. rewrite !unkey_key.
    change (inject_Z 1) with 1. ring.
  Qed.

  Lemma against_close delta s t : (((s =? t)%N && Qle_bool 0 delta) || Qle_bool 1 delta || started (fun q => Qle_bool (up q) delta) s t) = true ->
    close_to_all P alpha delta s t.
  Proof.
    destruct against_parts as (A & _). intros H n sigma E. destruct (prob_of_bounds n sigma s E), (prob_of_bounds n sigma t E).
    apply orb_prop in H as [H|H]; [apply orb_prop in H as [H|H]|].
    - apply andb_prop in H as [Es D]. apply N.eqb_eq in Es as ->. apply Qle_bool_iff in D. set (p := prob_of P n sigma t E) in *. clearbody p. nra.
    - apply Qle_bool_iff in H. set (p := prob_of P n sigma t E) in *. clearbody p. nra.
    - destruct (started_gain _ _ _ H) as (k & q & F & U & G). apply Qle_bool_iff in U. assert (B := against_upper n sigma k q E F). rewrite G in B. lra.
  Qed.

  Lemma against_needed delta s t : inside (acting P 0) s = true -> inside (acting P 0) t = true ->
    (Qle_bool delta 0 || (negb (shown P s =? shown P t)%N && Qle_bool delta 1) || started (fun q => Qle_bool delta (low q)) s t) = true ->
    needed_by_some P alpha delta s t.
  Proof.
    destruct against_parts as (_ & M & R0 & R1 & Ch). intros Is It H eta Heta. apply inside_spec in Is, It. apply orb_prop in H as [H|H]; [apply orb_prop in H as [H|H]|].
    - apply Qle_bool_iff in H. exists 1%nat, (fun _ => 0%nat), (fun _ => false). rewrite !prob_of_never. lra.
    - apply andb_prop in H as [L H]. apply Qle_bool_iff in H. apply negb_true_iff, N.eqb_neq in L.
      exists 1%nat, (fun _ => 0%nat), (fun w => match w with a :: _ => (a =? shown P s)%N | [] => false end).
      rewrite (prob_of_head P 0 s _ (fun _ => 0%nat) _ (fun _ => true)), (prob_of_head P 0 t _ (fun _ => 0%nat) _ (fun _ => false)), prob_of_never, (prob_of_always 1 _ s Is); try reflexivity; try lra.
      + intros _. destruct (N.eqb_spec (shown P t) (shown P s)); [congruence|reflexivity].
      + intros _. apply N.eqb_refl.
    - destruct (started_gain _ _ _ H) as (k & q & F & U & G). apply Qle_bool_iff in U.
      assert (Hh : 0 <= height q).
      { destruct (Ch k q F) as (l & j & C). unfold check_choice in C. cbv zeta in C. cbn [fst snd] in C. apply andb_prop in C as [_ C]. unfold height.
        destruct (sort q) as [unit w|s' h|s']; try apply Qle_refl. destruct (nth_error l j); [|discriminate]. do 3 apply andb_prop in C as [C _]. now apply Qle_bool_iff. }
      destruct (power_vanishes rho (height q) eta R0 R1 Hh Heta) as (n & Hn).
      destruct (against_lower n k q F) as (sigma & E & HE). rewrite G in HE. exists (S n), sigma, E. lra.
  Qed.
End Against.

(** ** Claims *)

(** No attacker gains more than delta, for any pair of R. *)
Definition check_against_at_most (P : process) (alpha delta : Q) (R : list (N * N)) (e : against) : bool :=
  check_against P alpha e
  && forallb (fun st => let s := fst st in let t := snd st in
       ((s =? t)%N && Qle_bool 0 delta) || Qle_bool 1 delta || started e (fun q => Qle_bool (up q) delta) s t) R.

Theorem against_at_most_sound P alpha delta R e : check_against_at_most P alpha delta R e = true ->
  markov_process P /\ forall s t, In (s, t) R -> close_to_all P alpha delta s t.
Proof.
  unfold check_against_at_most. intro H. apply andb_prop in H as [He H]. rewrite forallb_forall in H. split.
  - intro a. apply model_sound. now apply (against_parts P alpha e He).
  - intros s t Hst. apply (against_close P alpha e He). exact (H _ Hst).
Qed.

(** Some attackers gain delta from s to t, or come as close to it as required. *)
Definition check_against_at_least (P : process) (alpha delta : Q) (s t : N) (e : against) : bool :=
  check_against P alpha e && inside (acting P 0) s && inside (acting P 0) t
  && (Qle_bool delta 0 || (negb (shown P s =? shown P t)%N && Qle_bool delta 1) || started e (fun q => Qle_bool delta (low q)) s t).

Theorem against_at_least_sound P alpha delta s t e : check_against_at_least P alpha delta s t e = true ->
  markov_process P /\ needed_by_some P alpha delta s t.
Proof.
  unfold check_against_at_least. intro H. apply andb_prop in H as [H B]. apply andb_prop in H as [H It]. apply andb_prop in H as [He Is]. split.
  - intro a. apply model_sound. now apply (against_parts P alpha e He).
  - now apply (against_needed P alpha e He).
Qed.
