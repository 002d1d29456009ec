(** * Independent parts: no transition names variables of two of them

    Shifts of the samples that one part stores and tests do not depend on those of the others, so that each part may have a table of its own.
    What all parts cost together is the sum; where only one input differs, it is what one of them costs. *)
From Coq Require Import List NArith ZArith QArith Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Order Convex Loss Table.
Import ListNotations.

Definition named (t : transition) : list N :=
  map snd (guard t) ++ stores t ++ flat_map (fun o => match o with Gap v => [v] | _ => [] end) (shows t).
Definition among (l : list N) (v : N) : bool := existsb (N.eqb v) l.
(** A transition belongs to the part that has its variables, and to the first one if it has none. *)
Definition owned (first : bool) (l : list N) (t : transition) : bool := existsb (among l) (named t) || (first && match named t with [] => true | _ => false end).
Definition bare (t : transition) : transition := {| guard := []; stores := []; letter := letter t; shows := []; target := target t |}.
Definition keep (own : transition -> bool) (t : transition) : transition := if own t then t else bare t.
Definition keep_state (own : transition -> bool) (d : state) : state :=
  {| reads := reads d; rate_left := rate_left d; rate_right := rate_right d; mean := mean d; second := second d; ways := map (keep own) (ways d) |}.
Definition part_of (own : transition -> bool) (p : program) : program := map (keep_state own) p.

Record part := { variables : list N; bound : Z; tables : mode -> list node }.
Definition owners (l : list part) : list (list N * (transition -> bool)) :=
  match l with [] => [] | k :: l => (variables k, owned true (variables k)) :: map (fun k => (variables k, owned false (variables k))) l end.
Definition separate (ways : list transition) (ks : list (list N * (transition -> bool))) : bool :=
  every (fun t => some (fun k => snd k t) ks && every (fun k => negb (snd k t) || every (among (fst k)) (named t)) ks) ways.
Definition together (a : adjacency) (l : list Z) : Z :=
  match a with OneDiffers => fold_right Z.max 0%Z l | _ => fold_right Z.add 0%Z l end.
Definition check_parts (p : program) (start : N) (a : adjacency) (v : Z) (counted : list Z) (l : list part) : bool :=
  separate (flat_map ways p) (owners l) && (together a (map bound l) <=? v)%Z && check_proper p
  && forallb (fun kl => check_table (part_of (snd (fst kl)) p) start a (bound (snd kl)) counted (tables (snd kl))) (combine (owners l) l).

(** ** Proof *)
Lemma target_keep own t : target (keep own t) = target t.
Proof. unfold keep. now destruct (own t). Qed.
Section Part.
  Variables (p : program) (vs : list N) (own : transition -> bool).
  Definition apart_from (t : transition) : Prop :=
    (own t = true -> forall v, In v (named t) -> among vs v = true) /\ (own t = false -> forall v, In v (named t) -> among vs v = false).

  Lemma state_of_part u : at_state (part_of own p) u = keep_state own (at_state p u).
  Proof. exact (map_nth (keep_state own) p final (N.to_nat u)). Qed.

  Lemma runs_of_part n : forall u r, In r (runs p n u) -> In (map (keep own) r) (runs (part_of own p) n u).
  Proof.
    induction n as [|n IH]; intros u r I; cbn [runs] in *; [destruct I as [<-|[]]; now left|].
    apply in_flat_map in I as (t & It & I). apply in_map_iff in I as (r' & <- & I). apply in_flat_map. exists (keep own t).
    rewrite state_of_part. split; [now apply in_map|]. cbn [map]. apply in_map. rewrite target_keep. now apply IH.
  Qed.
  Lemma affordable_of_part delta r : forall i u x c, affordable (part_of own p) delta i u x r c -> affordable p delta i u x r c.
  Proof.
    induction r as [|t r IH]; intros i u x c A; cbn [affordable] in *; [exact A|]. cbv zeta in *. rewrite state_of_part in A.
    destruct A as (g & a & c' & Al & Pr & Le & Af). exists g, a, c'. repeat split; try assumption. now apply IH.
  Qed.
  Lemma adjacent_part a ins ins' : adjacent a p ins ins' -> adjacent a (part_of own p) ins ins'.
  Proof. intros [B A]. split; [|exact A]. intros u i. rewrite state_of_part. apply B. Qed.

  Lemma possible_part {X} (le : X -> X -> Prop) r : (forall t, In t r -> apart_from t) -> forall s s', (forall v, among vs v = true -> s v = s' v) ->
    possible X le s r -> possible X le s' (map (keep own) r).
  Proof.
    induction r as [|t r IH]; intros S s s' E P; cbn [map possible] in *; [exact I|]. destruct P as (x & M & P). exists x.
    destruct (S t (or_introl eq_refl)) as [In1 Out]. unfold keep. destruct (own t).
    - split.
      + intros c Ic. rewrite <- E by (apply In1; [easy|]; unfold named; rewrite in_app_iff; left; now apply in_map). now apply M.
      + apply (IH (fun t I => S t (or_intror I)) (updated X t s x)); [|exact P]. intros v V. unfold updated. destruct (existsb _ _); [easy|now apply E].
    - split; [intros c []|]. apply (IH (fun t I => S t (or_intror I)) (updated X t s x)); [|exact P]. intros v V. unfold updated.
      destruct (existsb (N.eqb v) (stores t)) eqn:Ex; [|now apply E]. exfalso. apply existsb_exists in Ex as (w & Iw & Eq). apply N.eqb_eq in Eq. subst w.
      rewrite Out in V; [discriminate|easy|]. unfold named. rewrite !in_app_iff. tauto.
  Qed.
  Lemma impossible_part r : (forall t, In t r -> apart_from t) -> impossible [] (map (keep own) r) -> impossible [] r.
  Proof. intros S Im X le L s _ P. apply (Im X le L s); [intros a b []|]. now apply (possible_part le r S s). Qed.

  (** ** Two parts, or one part and steps without differences *)
  Definition mixed (x y : shifts) : shifts := fun v => if among vs v then x v else y v.
  Lemma allowed_named t x y g : (forall v, In v (named t) -> x v = y v) -> allowed t x g = allowed t y g.
  Proof.
    intro H. apply allowed_on. intros v I. apply H. unfold needs, named in *. cbn [names filter] in I. rewrite app_nil_r in I. rewrite !in_app_iff in *. tauto.
  Qed.
  Lemma stores_named t v : existsb (N.eqb v) (stores t) = true -> In v (named t).
  Proof. intro E. apply existsb_exists in E as (w & I & E). apply N.eqb_eq in E as ->. unfold named. rewrite !in_app_iff. tauto. Qed.
  Hypothesis Proper : proper p.
  Lemma price_pos u t delta g a : price (at_state p u) t delta g = Some a -> (0 <= a)%Z.
  Proof.
    destruct (rates_positive p u Proper) as (L & R & S). unfold price. destruct (cost _ _ _) as [b|] eqn:E; [|discriminate]. cbn [option_map].
    intro H. injection H as <-. apply cost_spec in E. unfold positive_rate in *.
    assert (0 <= b)%Z by (destruct E as [[? (d & E & ->)]|[[? (d & E & ->)]|[? ->]]]; [rewrite E in R; nia|rewrite E in L; nia|easy]).
    destruct (second _) as [[r m]|]; [destruct (shows_second t)|]; nia.
  Qed.

  Lemma two_parts delta (other : transition -> bool) r : (forall t, In t r -> apart_from t) -> forall i u x y c c',
    affordable p delta i u x (map (keep own) r) c -> affordable p delta i u y (map (keep other) r) c' ->
    affordable p delta i u (mixed x y) (map (keep (fun t => own t || other t)) r) (c + c').
  Proof.
    induction r as [|t r IH]; intros S i u x y c c' A B; cbn [map affordable] in *; [lia|]. cbv zeta in *.
    destruct A as (g & a & c1 & Al & Pr & Le & Af), B as (g' & a' & c1' & Al' & Pr' & Le' & Af').
    assert (P := price_pos _ _ _ _ _ Pr). assert (P' := price_pos _ _ _ _ _ Pr'). rewrite ?target_keep in *.
    destruct (S t (or_introl eq_refl)) as [In1 Out]. assert (IH' := IH (fun t I => S t (or_intror I)) _ _ _ _ _ _ Af Af'). clear IH Af Af'.
    unfold keep in *. destruct (own t).
    - exists g, a, (c1 + c1')%Z. cbn [orb]. split; [|split; [exact Pr|split; [lia|]]].
      + rewrite <- Al. apply allowed_named. intros v I. unfold mixed. now rewrite In1.
      + eapply affordable_ext; [| |exact IH']; [|reflexivity]. intro v. unfold mixed, moved. destruct (among vs v) eqn:V; [easy|].
        assert (N : existsb (N.eqb v) (stores t) = false) by (apply not_true_iff_false; intro E; rewrite In1 in V; [discriminate|easy|now apply stores_named]).
        rewrite N. destruct (other t); [now rewrite N|easy].
    - cbn [orb]. exists g', a', (c1 + c1')%Z. split; [|split; [exact Pr'|split; [lia|]]].
      + rewrite <- Al'. apply allowed_named. intros v I. unfold mixed. rewrite Out; [easy|easy|]. destruct (other t); [exact I|]. destruct I.
      + eapply affordable_ext; [| |exact IH']; [|reflexivity]. intro v. unfold mixed, moved. destruct (among vs v) eqn:V; [|easy].
        destruct (existsb (N.eqb v) (stores (if other t then t else bare t))) eqn:E; [|easy]. exfalso.
        destruct (other t); [|discriminate]. rewrite Out in V; [discriminate|easy|now apply stores_named].
  Qed.

  (** All steps with a difference are in the part. *)
  Fixpoint inside (delta : N -> nat -> Z) (i : nat) (u : N) (r : list transition) : Prop :=
    match r with
    | [] => True
    | t :: r => let d := at_state p u in (here d (delta u i) <> 0%Z -> own t = true) /\ inside delta (after d i) (target t) r
    end.
  Lemma one_part delta r : (forall t, In t r -> apart_from t) -> forall i u x c, inside delta i u r ->
    affordable p delta i u x (map (keep own) r) c -> affordable p delta i u (mixed x (fun _ => 0%Z)) r c.
  Proof.
    induction r as [|t r IH]; intros S i u x c Ins A; cbn [map affordable inside] in *; [exact A|]. cbv zeta in *. destruct Ins as [Here Ins].
    destruct A as (g & a & c' & Al & Pr & Le & Af). assert (P := price_pos _ _ _ _ _ Pr). rewrite target_keep in Af.
    destruct (S t (or_introl eq_refl)) as [In1 Out]. assert (IH' := IH (fun t I => S t (or_intror I)) _ _ _ _ Ins Af). clear IH Af. unfold keep in *.
    destruct (own t).
    - exists g, a, c'. split; [|split; [exact Pr|split; [lia|]]].
      + rewrite <- Al. apply allowed_named. intros v I. unfold mixed. now rewrite In1.
      + eapply affordable_ext; [| |exact IH']; [|reflexivity]. intro v. unfold mixed, moved. destruct (among vs v) eqn:V; [easy|].
        destruct (existsb (N.eqb v) (stores t)) eqn:E; [|easy]. rewrite In1 in V; [discriminate|easy|now apply stores_named].
    - assert (Z0 : here (at_state p u) (delta u i) = 0%Z) by (destruct (Z.eq_dec (here (at_state p u) (delta u i)) 0); [easy|now discriminate Here]).
      exists 0%Z, 0%Z, c'. split; [|split; [|split; [lia|]]].
      + rewrite (allowed_named t _ (fun _ => 0%Z)) by (intros v I; unfold mixed; now rewrite Out). unfold allowed. apply andb_true_intro.
        split; apply forallb_forall; intros c0 _; [now destruct (fst c0)|now destruct c0].
      + rewrite Z0. unfold price, cost. cbn. destruct (second _) as [[q m]|]; [destruct (shows_second t)|]; cbn; f_equal; lia.
      + eapply affordable_ext; [| |exact IH']; [|reflexivity]. intro v. unfold mixed, moved, bare. cbn [stores existsb]. destruct (among vs v) eqn:V.
        * destruct (existsb (N.eqb v) (stores t)) eqn:E; [|easy]. rewrite Out in V; [discriminate|easy|now apply stores_named].
        * now destruct (existsb _ _).
  Qed.
End Part.

Lemma keep_all own r : (forall t, In t r -> own t = true) -> map (keep own) r = r.
Proof.
  intro H. rewrite <- map_id. apply map_ext_in. intros t I. unfold keep. now rewrite H.
Qed.

Section Several.
  Variable p : program.
  Hypothesis Proper : proper p.
  Definition apart_all (ks : list (list N * (transition -> bool))) (t : transition) : Prop := forall k, In k ks -> apart_from (fst k) (snd k) t.
  Definition owned_by (ks : list (list N * (transition -> bool))) (t : transition) : bool := existsb (fun k => snd k t) ks.

  Lemma sum_of_parts delta i u r : forall ks bs, length bs = length ks -> (forall t, In t r -> apart_all ks t) ->
    (forall k b, In (k, b) (combine ks bs) -> affordable p delta i u (fun _ => 0%Z) (map (keep (snd k)) r) b) ->
    (ks <> []) -> affordable p delta i u (fun _ => 0%Z) (map (keep (owned_by ks)) r) (fold_right Z.add 0%Z bs).
  Proof.
    induction ks as [|k ks IH]; intros [|b bs] L S A N; try discriminate; [now destruct N|]. cbn [fold_right].
    assert (Ak := A k b (or_introl eq_refl)). destruct ks as [|k' ks].
    - destruct bs; [|discriminate]. cbn [fold_right]. rewrite Z.add_0_r. rewrite (map_ext _ (keep (snd k))); [exact Ak|].
      intro t. unfold keep, owned_by. cbn [existsb]. now rewrite orb_false_r.
    - assert (R := IH bs ltac:(now injection L) (fun t I k I' => S t I k (or_intror I')) (fun k b I => A k b (or_intror I)) ltac:(discriminate)).
      eapply affordable_ext; [| |exact (two_parts p (fst k) (snd k) Proper delta (owned_by (k' :: ks)) r (fun t I => S t I k (or_introl eq_refl)) _ _ _ _ _ _ Ak R)];
        [|reflexivity]. intro v. unfold mixed. now destruct (among _ _).
  Qed.

  (** Where one input differs, the step that reads it is in some part. *)
  Lemma inside_of_one delta own j r : (forall u i, i <> j -> delta u i = 0%Z) -> forall i u, (j < i)%nat -> inside p own delta i u r.
  Proof.
    intro One. induction r as [|t r IH]; intros i u L; cbn [inside]; [easy|]. cbv zeta. split.
    - unfold here. rewrite One by lia. now destruct (_ =? 0)%Z.
    - apply IH. unfold after. destruct (_ =? 0)%Z; lia.
  Qed.
  Lemma step_of_one delta ks j r : (forall u i, i <> j -> delta u i = 0%Z) -> (forall t, In t r -> owned_by ks t = true) -> ks <> [] ->
    forall i u, exists k, In k ks /\ inside p (snd k) delta i u r.
  Proof.
    intros One. induction r as [|t r IH]; intros O N i u; cbn [inside].
    - destruct ks as [|k ks]; [now destruct N|]. exists k. split; [now left|exact I].
    - cbv zeta. destruct (Z.eq_dec (here (at_state p u) (delta u i)) 0) as [E|E].
      + destruct (IH (fun t I => O t (or_intror I)) N (after (at_state p u) i) (target t)) as (k & Ik & Ins). exists k. split; [exact Ik|]. now split.
      + assert (Ot := O t (or_introl eq_refl)). apply existsb_exists in Ot as (k & Ik & Ot). exists k. split; [exact Ik|]. split; [now intros _|].
        unfold here in E. unfold after. destruct (reads _ =? 0)%Z; [now destruct E|]. apply inside_of_one with (j := j); [exact One|].
        destruct (Nat.eq_dec i j) as [->|D]; [lia|]. now rewrite One in E.
  Qed.
End Several.

Lemma separate_sound ws ks : separate ws ks = true -> forall t, In t ws -> owned_by ks t = true /\ forall k, In k ks -> snd k t = true ->
  forall v, In v (named t) -> among (fst k) v = true.
Proof.
  unfold separate. rewrite every_spec. intros H t I. specialize (H t I). apply andb_prop in H as [S E]. apply some_spec in S as (k & Ik & S).
  split; [apply existsb_exists; now exists k|]. rewrite every_spec in E. intros k' I' O. specialize (E k' I'). rewrite O in E. cbn [negb orb] in E.
  rewrite every_spec in E. exact E.
Qed.
Lemma owners_apart l k t : In k (owners l) -> snd k t = false -> forall v, In v (named t) -> among (fst k) v = false.
Proof.
  assert (H : forall first vs, owned first vs t = false -> forall v, In v (named t) -> among vs v = false).
  { intros first vs O v I. unfold owned in O. apply orb_false_elim in O as [O _]. apply not_true_iff_false. intro A.
    apply not_true_iff_false in O. apply O. apply existsb_exists. now exists v. }
  destruct l as [|k0 l]; cbn [owners]; [intros []|]. intros [<-|I] O; [now apply (H true)|]. apply in_map_iff in I as (k' & <- & _). now apply (H false).
Qed.
Lemma runs_in_ways p n : forall u r, In r (runs p n u) -> forall t, In t r -> In t (flat_map ways p).
Proof.
  induction n as [|n IH]; intros u r I t It; cbn [runs] in I; [destruct I as [<-|[]]; destruct It|].
  apply in_flat_map in I as (t' & I' & I). apply in_map_iff in I as (r' & <- & I). destruct It as [<-|It]; [|exact (IH _ _ I t It)].
  apply in_flat_map. unfold at_state in I'. destruct (nth_in_or_default (N.to_nat u) p final) as [J|E]; [now exists (nth (N.to_nat u) p final)|].
  rewrite E in I'. destruct I'.
Qed.

Lemma in_combine_map {A B C} (f : B -> C) (ks : list A) : forall (l : list B) k c, In (k, c) (combine ks (map f l)) -> exists x, In (k, x) (combine ks l) /\ c = f x.
Proof.
  induction ks as [|k ks IH]; intros [|x l] k' c I; try (now destruct I). destruct I as [E|I]; [injection E as <- <-; exists x; split; [now left|easy]|].
  destruct (IH l k' c I) as (y & J & E). exists y. split; [now right|exact E].
Qed.

Theorem parts_affordable p start a v counted l : check_parts p start a v counted l = true -> proper p /\ all_affordable p start a v.
Proof.
  unfold check_parts. intro H. apply andb_prop in H as [H Tables]. apply andb_prop in H as [H P]. apply andb_prop in H as [Sep Sum].
  apply proper_sound in P. split; [exact P|]. apply Z.leb_le in Sum. rewrite forallb_forall in Tables. intros n r I.
  assert (Len : length l = length (owners l)) by (destruct l; cbn [owners]; [easy|cbn [length]; now rewrite map_length]).
  assert (S := separate_sound _ _ Sep). assert (Own : forall t, In t r -> owned_by (owners l) t = true) by (intros t J; apply S, (runs_in_ways p n start r I t J)).
  assert (Ap : forall t, In t r -> apart_all (owners l) t).
  { intros t J k K. split; [apply (S t (runs_in_ways p n start r I t J)), K|]. now apply (owners_apart l). }
  destruct (all_or (impossible [] r) (fun kb => forall ins ins', adjacent a p ins ins' ->
    affordable p (fun u i => ins' u i - ins u i)%Z 0 start (fun _ => 0%Z) (map (keep (snd (fst kb))) r) (bound (snd kb))) (combine (owners l) l)) as [Im|Af]; [|now left|].
  { intros [k b] K. specialize (Tables _ K). cbn [fst snd] in *. apply table_affordable in Tables as [_ Af].
    destruct (Af n _ (runs_of_part p (snd k) n start r I)) as [Im|Af']; [left|right].
    - apply (impossible_part (fst k) (snd k) r); [|exact Im]. intros t J. apply (Ap t J). now apply in_combine_l in K.
    - intros ins ins' Adj. apply (affordable_of_part p (snd k)), Af', adjacent_part, Adj. }
  right. intros ins ins' Adj. specialize (fun kb K => Af kb K ins ins' Adj).
  assert (Ne : owners l <> [] \/ r = [] /\ l = []).
  { destruct l as [|x l]; [right|left; discriminate]. destruct r as [|t r]; [easy|]. now specialize (Own t (or_introl eq_refl)). }
  destruct Ne as [Ne|[-> ->]]; [|now destruct a].
  assert (Summed : a <> OneDiffers -> affordable p (fun u i => ins' u i - ins u i)%Z 0 start (fun _ => 0%Z) r v).
  { intro D. assert (E : together a (map bound l) = fold_right Z.add 0%Z (map bound l)) by (destruct a; try reflexivity; now destruct D). rewrite E in Sum.
    apply (affordable_more p _ r _ _ _ _ _ Sum). rewrite <- (keep_all (owned_by (owners l)) r Own) at 1.
    apply sum_of_parts; [exact P|now rewrite map_length|exact Ap| |exact Ne]. intros k b K. destruct (in_combine_map bound _ _ _ _ K) as (x & Kx & ->). exact (Af _ Kx). }
  destruct a; try (apply Summed; discriminate). destruct Adj as [_ [j One]].
  destruct (step_of_one p (fun u i => ins' u i - ins u i)%Z (owners l) j r) with (i := 0%nat) (u := start) as (k & Ik & Ins); [|exact Own|exact Ne|].
  { intros u i N. rewrite (One u i N). apply Z.sub_diag. }
  destruct (paired (owners l) l k (eq_sym Len) Ik) as (x & Kx). apply (affordable_more p _ r _ _ _ (bound x)).
  - apply Z.le_trans with (2 := Sum). cbn [together]. apply in_combine_r in Kx. clear - Kx.
    induction l as [|y l IH]; [destruct Kx|]. cbn [map fold_right]. destruct Kx as [->|I]; [lia|]. specialize (IH I). lia.
  - specialize (Af _ Kx). cbn [fst snd] in Af.
    eapply affordable_ext; [| |exact (one_part p (fst k) (snd k) P _ r (fun t J => Ap t J k Ik) _ _ _ _ Ins Af)]; [|reflexivity].
    intro w. unfold mixed. now destruct (among _ _).
Qed.

Theorem parts_sound p start a v counted l : check_parts p start a v counted l = true -> proper p /\ loss_at_most p start a v.
Proof. intro H. destruct (parts_affordable _ _ _ _ _ _ H) as [P A]. split; [exact P|]. now apply affordable_loss. Qed.
