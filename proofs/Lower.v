(** * Lower bounds of ld: potentials and ranks *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sums Sparse Rows Least One Splitters.
Import ListNotations.
Open Scope Q_scope.

(** ** The check *)

(** A row: a pair, its value, and potentials in multiples of 1 / (D [pe]); [free] has one for each label, which holds for the states of the label
    that are not listed. A row of rank 0 gains more than its value, or has value 1 and is separated by splitters; others have potentials that show when their class is emptied. *)
Record lrow := { ls : positive; lt : positive; lval : Z; lscale : positive; lks : Z; lkt : Z;
                 pe : positive; pots : list (positive * Z); free : list (positive * Z);
                 lrank : Z; ranks : list (positive * Z); mirror : bool }.

Definition ltable := PM.t (PM.t lrow).
Definition lput (r : lrow) (d : ltable) : ltable :=
  PM.add (ls r) (PM.add (lt r) r (match PM.find (ls r) d with Some m => m | None => PM.empty _ end)) d.
Definition lget (s t : positive) (d : ltable) : option lrow := match PM.find s d with Some m => PM.find t m | None => None end.
Definition lrows (rows : list lrow) : ltable := fold_right lput (PM.empty _) rows.

Section Check.
  Variables (c : chain) (an ad D : Z) (rows : list lrow) (splitters : list (list N)) (both : bool).
  Definition keys := map key (states c).
  Definition lab_of (m : PM.t prow) (k : positive) : option N := option_map lab (PM.find k m).
  Definition lvalue (m : PM.t prow) (tab : ltable) (i j : positive) : Z :=
    if (i =? j)%positive then 0 else
    match PM.find i m, PM.find j m with
    | Some x, Some y => if (lab x =? lab y)%N then match lget i j tab with Some r => lval r | None => 0 end else D
    | _, _ => D
    end.
  Definition members (m : PM.t prow) (a : N) : list positive :=
    filter (fun k => match PM.find k m with Some x => (lab x =? a)%N | None => false end) keys.
  Definition groups (m : PM.t prow) : PM.t (list positive) :=
    fold_right (fun x g => if PM.mem (key (fst x)) g then g else PM.add (key (fst x)) (members m (fst x)) g) (PM.empty _) c.

  Definition pot (m : PM.t prow) (top : Z) (fx fr : PM.t Z) (k : positive) : Z :=
    match PM.find k fx with
    | Some v => v
    | None => match PM.find k m with
              | Some x => match PM.find (key (lab x)) fr with Some v => v | None => top end
              | None => 0
              end
    end.
  Definition dotz (l : list (positive * Z)) (F : positive -> Z) : Z := fold_right (fun kz a => (snd kz * F (fst kz) + a)%Z) 0%Z l.
  Definition within (top : Z) (l : list (positive * Z)) : bool := forallb (fun kv => (0 <=? snd kv) && (snd kv <=? top))%Z l.

  Definition peers (m : PM.t prow) (gs : PM.t (list positive)) (i : positive) (p : positive -> bool) : bool :=
    match PM.find i m with
    | None => false
    | Some x => match PM.find (key (lab x)) gs with None => false | Some l => forallb p l end
    end.

  Definition check_lrow (m : PM.t prow) (gs : PM.t (list positive)) (tab : ltable) (parts : partition) (r : lrow) : bool :=
    let top := (D * Zpos (pe r))%Z in
    let fx := of_list (pots r) in let fr := of_list (free r) in
    let F := pot m top fx fr in
    let ok i j := if (ad * F i <=? an * F j)%Z then true else if (i =? j)%positive then true
                  else (ad * F i <=? ad * (Zpos (pe r) * lvalue m tab i j) + an * F j)%Z in
    match PM.find (ls r) m, PM.find (lt r) m with
    | Some x, Some y =>
      (lks r * Zpos (den x) =? Zpos (lscale r))%Z && (lkt r * Zpos (den y) =? Zpos (lscale r))%Z
      && within top (pots r) && within top (free r)
      && forallb (fun iv => peers m gs (fst iv) (fun j => ok (fst iv) j && ok j (fst iv))) (pots r)
      && let got := (ad * lks r * dotz (nums x) F - an * lkt r * dotz (nums y) F)%Z in
         let want := (ad * Zpos (lscale r) * (Zpos (pe r) * lval r))%Z in
         if (lrank r =? 0)%Z then (want <? got)%Z || ((want =? got)%Z && (lval r =? D)%Z && negb (first parts (unkey (ls r)) =? first parts (unkey (lt r)))%N)
         else
           let g := of_list (ranks r) in
           let G k := match PM.find k g with Some v => v | None => 0%Z end in
           (want <=? got)%Z
           && forallb (fun kv => 0 <=? snd kv)%Z (ranks r)
           && (0 <? ad * lks r * dotz (nums x) G - an * lkt r * dotz (nums y) G)%Z
           && forallb (fun iv => peers m gs (fst iv) (fun j =>
                match lget (fst iv) j tab with
                | Some r' => if (ad * G (fst iv) <=? an * G j)%Z then true
                             else if (lval r' =? lval r)%Z then (lrank r' <? lrank r)%Z else true
                | None => true
                end)) (ranks r)
    | _, _ => false
    end.

  (** A mirror: the row of the other direction speaks for this one, too. *)
  Definition check_mirror (tab : ltable) (r : lrow) : bool :=
    both && match lget (lt r) (ls r) tab with
            | Some r' => negb (mirror r') && (lval r' =? lval r)%Z && (lrank r' =? lrank r)%Z
            | None => false
            end.

  Definition check_lower : bool :=
    let m := prepare c in let tab := lrows rows in let gs := groups m in let parts := classes c splitters in
    check_model c && (ad <=? an)%Z
    && forallb (fun r => (0 <=? lval r)%Z && if mirror r then check_mirror tab r else if (lval r =? 0)%Z then true else check_lrow m gs tab parts r) rows.
End Check.

(** ** Soundness *)
Lemma lget_lput r d i j : lget i j (lput r d) = if ((i =? ls r) && (j =? lt r))%positive then Some r else lget i j d.
Proof.
  unfold lget, lput. destruct (Pos.eqb_spec i (ls r)) as [->|Hi]; cbn [andb].
  - rewrite PM.gss. destruct (Pos.eqb_spec j (lt r)) as [->|Hj]; [now rewrite PM.gss|].
    rewrite PM.gso by assumption. destruct (PM.find (ls r) d); [reflexivity|now rewrite PM.gempty].
  - now rewrite PM.gso by assumption.
Qed.

Lemma lget_lrows rows i j r : lget i j (lrows rows) = Some r -> In r rows /\ ls r = i /\ lt r = j.
Proof.
  induction rows as [|r' rows IH].
  - unfold lget, lrows. cbn [fold_right]. now rewrite PM.gempty.
  - change (lrows (r' :: rows)) with (lput r' (lrows rows)). rewrite lget_lput.
    destruct (Pos.eqb_spec i (ls r')) as [->|]; [destruct (Pos.eqb_spec j (lt r')) as [->|]|]; cbn [andb].
    + intros [= ->]. repeat split. now left.
    + intro E. destruct (IH E) as (? & ? & ?). repeat split; try assumption. now right.
    + intro E. destruct (IH E) as (? & ? & ?). repeat split; try assumption. now right.
Qed.

Lemma members_spec c j a : In j (states c) -> label c j = a -> In (key j) (members c (prepare c) a).
Proof.
  intros Hj Hl. unfold members. apply filter_In. split; [unfold keys; now apply in_map|].
  rewrite (prepare_complete c j Hj). apply N.eqb_eq. exact Hl.
Qed.

Lemma groups_aux c m a l (l' : chain) : PM.find (key a) (fold_right (fun x g => if PM.mem (key (fst x)) g then g else PM.add (key (fst x)) (members c m (fst x)) g) (PM.empty _) l') = Some l ->
  l = members c m a.
Proof.
  induction l' as [|x l' IH]; cbn [fold_right]; [now rewrite PM.gempty|].
  destruct (PM.mem _ _); [exact IH|]. destruct (N.eq_dec (fst x) a) as [->|H].
  - rewrite PM.gss. now intros [= <-].
  - rewrite PM.gso; [exact IH|]. intro E. apply key_inj in E; congruence.
Qed.
Lemma groups_spec c a l : PM.find (key a) (groups c (prepare c)) = Some l -> l = members c (prepare c) a.
Proof. apply groups_aux. Qed.

Lemma peers_spec c i p : peers (prepare c) (groups c (prepare c)) (key i) p = true ->
  forall j, In j (states c) -> label c j = label c i -> p (key j) = true.
Proof.
  unfold peers. destruct (PM.find (key i) (prepare c)) as [x|] eqn:Ex; [|discriminate].
  apply find_label in Ex as [El _]. rewrite unkey_key in El.
  destruct (PM.find (key (lab x)) _) as [l|] eqn:E; [|discriminate]. apply groups_spec in E as ->.
  intros H j Hj Hl. rewrite forallb_forall in H. apply H, members_spec; congruence.
Qed.

Lemma dotz_spec l F : inject_Z (dotz l F) == ev (fun k => inject_Z (F k)) l.
Proof.
  induction l as [|[k z] l IH]; [reflexivity|]. cbn [dotz fold_right ev fst snd]. rewrite inject_Z_plus, inject_Z_mult.
  unfold dotz, ev in IH. rewrite IH. reflexivity.
Qed.

(** What the integers of a row say about means. *)
Lemma row_mean c k s x F sc : check_model c = true -> PM.find (key s) (prepare c) = Some x -> (k * Zpos (den x) = Zpos sc)%Z ->
  inject_Z k * inject_Z (dotz (nums x) F) == inject_Z (Zpos sc) * mean c s (fun i => inject_Z (F (key i))).
Proof.
  intros M Ex E. apply in_prepare in Ex as (y & Iy & -> & _ & Ny). rewrite unkey_key in Ny.
  unfold check_model in M. rewrite forallb_forall in M.
  destruct (prep_spec _ _ (fun i => inject_Z (F (key i))) (M _ Iy)) as [P _].
  unfold mean, next. rewrite Ny. rewrite dotz_spec.
  rewrite <- E, inject_Z_mult, <- Qmult_assoc, P.
  apply Qmult_comp; [reflexivity|]. unfold ev. clear. induction (nums (prep y)) as [|[j z] l IH]; cbn [fold_right fst snd]; [reflexivity|].
  now rewrite key_unkey, IH.
Qed.

Section Sound.
  Variables (c : chain) (alpha : Q) (D : positive) (rows : list lrow) (splitters : list (list N)) (both : bool).
  Let an := Qnum alpha.
  Let ad := Zpos (Qden alpha).
  Hypothesis H : check_lower c an ad (Zpos D) rows splitters both = true.
  Let m := prepare c.
  Let tab := lrows rows.
  Let parts := classes c splitters.
  Let dz := lvalue (Zpos D) m tab.
  Definition dl (i j : N) : Q := inject_Z (lvalue (Zpos D) (prepare c) (lrows rows) (key i) (key j)) / inject_Z (Zpos D).
  Definition rk (i j : N) : Q := match lget (key i) (key j) (lrows rows) with Some r => inject_Z (lrank r) | None => 0 end.

  Lemma lparts : check_model c = true /\ (ad <= an)%Z /\ forall r, In r rows ->
    (0 <= lval r)%Z /\ (if mirror r then check_mirror both tab r = true else lval r <> 0%Z -> check_lrow an ad (Zpos D) m (groups c m) tab parts r = true).
  Proof.
    unfold check_lower in H. apply andb_prop in H as [H0 H2]. apply andb_prop in H0 as [H0 H1].
    apply Z.leb_le in H1. rewrite forallb_forall in H2. split; [assumption|]. split; [assumption|].
    intros r Hr. specialize (H2 r Hr). apply andb_prop in H2 as [H2 H3]. apply Z.leb_le in H2. split; [assumption|].
    destruct (mirror r); [assumption|]. intro. destruct (Z.eqb_spec (lval r) 0); [easy|assumption].
  Qed.

  Lemma PD : 0 < inject_Z (Zpos D). Proof. reflexivity. Qed.
  Lemma dz_pos i j : (0 <= dz i j)%Z.
  Proof.
    unfold dz, lvalue. destruct (_ =? _)%positive; [easy|]. destruct (PM.find i m), (PM.find j m); try easy.
    destruct (_ =? _)%N; [|easy]. destruct (lget i j tab) as [r|] eqn:E; [|easy].
    apply lget_lrows in E as [E _]. now apply lparts.
  Qed.
  Lemma dl_pos i j : 0 <= dl i j.
  Proof.
    unfold dl. apply Qle_shift_div_l; [apply PD|]. rewrite Qmult_0_l. change 0 with (inject_Z 0). rewrite <- Zle_Qle. apply dz_pos.
  Qed.
  Lemma dl_refl i : dl i i == 0.
  Proof. unfold dl, lvalue. rewrite Pos.eqb_refl. reflexivity. Qed.
  Lemma dl_labels i j : label c i <> label c j -> dl i j == 1.
  Proof.
    intro N. unfold dl, lvalue. destruct (Pos.eqb_spec (key i) (key j)) as [E|]; [apply key_inj in E; now subst|].
    assert (One : inject_Z (Zpos D) / inject_Z (Zpos D) == 1) by (field; easy).
    destruct (PM.find (key i) (prepare c)) as [x|] eqn:Ex; [|exact One]. destruct (PM.find (key j) (prepare c)) as [y|] eqn:Ey; [|exact One].
    apply find_label in Ex as [Ex _], Ey as [Ey _]. rewrite unkey_key in Ex, Ey.
    destruct (N.eqb_spec (lab x) (lab y)); [congruence|exact One].
  Qed.

  Lemma zero_div : inject_Z 0 / inject_Z (Zpos D) == 0.
  Proof. reflexivity. Qed.

  (** A pair of equal label at a positive distance has a row. *)
  Lemma dl_row s t : alike c (s, t) -> 0 < dl s t -> exists r, In r rows /\ ls r = key s /\ lt r = key t /\
    lget (key s) (key t) tab = Some r /\ dl s t == inject_Z (lval r) / inject_Z (Zpos D) /\ lval r <> 0%Z.
  Proof.
    intros (Hs & Ht & Hl & Hne) P. cbn [fst snd] in *. unfold dl, lvalue in *.
    destruct (Pos.eqb_spec (key s) (key t)) as [E|]; [now apply key_inj in E|].
    rewrite (prepare_complete c s Hs), (prepare_complete c t Ht) in *. cbn [prep lab] in *.
    change (fst (nth (N.to_nat s) c (0%N, []))) with (label c s) in *. change (fst (nth (N.to_nat t) c (0%N, []))) with (label c t) in *.
    destruct (N.eqb_spec (label c s) (label c t)); [|easy]. change (lrows rows) with tab in P |- *.
    destruct (lget (key s) (key t) tab) as [r|] eqn:E; [|exfalso; rewrite zero_div in P; revert P; apply Qlt_irrefl].
    assert (L := E). apply lget_lrows in L as (A & B & C). exists r. repeat split; try assumption; try reflexivity.
    intro Z. rewrite Z, zero_div in P. revert P. apply Qlt_irrefl.
  Qed.

  Lemma alpha_eq' : inject_Z ad * alpha == inject_Z an.
  Proof. unfold ad, an. destruct alpha as [a b]. unfold Qeq; cbn [Qmult inject_Z Qnum Qden]. rewrite Pos.mul_1_l. lia. Qed.
  Lemma alpha_ge : 1 <= alpha.
  Proof. destruct lparts as (_ & L & _). unfold an, ad in L. destruct alpha as [a b]; unfold Qle; cbn in *. lia. Qed.

  Section Row.
    Variables (r : lrow) (s t : N).
    Hypothesis (Es : ls r = key s) (Et : lt r = key t) (Hr : check_lrow an ad (Zpos D) m (groups c m) tab parts r = true).
    Let top := (Zpos D * Zpos (pe r))%Z.
    Let F := pot m top (of_list (pots r)) (of_list (free r)).
    Let f := fun i : N => inject_Z (F (key i)) / inject_Z top.
    Let G := fun k => match PM.find k (of_list (ranks r)) with Some v => v | None => 0%Z end.

    Lemma top_pos : 0 < inject_Z top. Proof. reflexivity. Qed.

    Lemma row_parts : exists x y, PM.find (key s) m = Some x /\ PM.find (key t) m = Some y /\
      (lks r * Zpos (den x) = Zpos (lscale r))%Z /\ (lkt r * Zpos (den y) = Zpos (lscale r))%Z /\
      within top (pots r) = true /\ within top (free r) = true /\
      (forall iv, In iv (pots r) -> peers m (groups c m) (fst iv) (fun j =>
         (if (ad * F (fst iv) <=? an * F j)%Z then true else if (fst iv =? j)%positive then true else (ad * F (fst iv) <=? ad * (Zpos (pe r) * dz (fst iv) j) + an * F j)%Z)
         && (if (ad * F j <=? an * F (fst iv))%Z then true else if (j =? fst iv)%positive then true else (ad * F j <=? ad * (Zpos (pe r) * dz j (fst iv)) + an * F (fst iv))%Z)) = true) /\
      let got := (ad * lks r * dotz (nums x) F - an * lkt r * dotz (nums y) F)%Z in
      let want := (ad * Zpos (lscale r) * (Zpos (pe r) * lval r))%Z in
      (want <= got)%Z /\
      ((want < got)%Z \/ (lval r = Zpos D /\ first parts s <> first parts t) \/
       (forallb (fun kv => 0 <=? snd kv)%Z (ranks r) = true /\
        (0 < ad * lks r * dotz (nums x) G - an * lkt r * dotz (nums y) G)%Z /\
        forall iv, In iv (ranks r) -> peers m (groups c m) (fst iv) (fun j =>
          match lget (fst iv) j tab with
          | Some r' => if (ad * G (fst iv) <=? an * G j)%Z then true else if (lval r' =? lval r)%Z then (lrank r' <? lrank r)%Z else true
          | None => true end) = true)).
    Proof.
      unfold check_lrow in Hr. rewrite Es, Et in Hr. fold top in Hr. fold F in Hr.
      destruct (PM.find (key s) m) as [x|]; [|discriminate]. destruct (PM.find (key t) m) as [y|]; [|discriminate].
      exists x, y. repeat (apply andb_prop in Hr as [Hr ?]).
      apply Z.eqb_eq in Hr. rewrite forallb_forall in *.
      match goal with K : (lkt r * _ =? _)%Z = true |- _ => apply Z.eqb_eq in K end.
      repeat (split; [first [reflexivity|assumption]|]).
      match goal with K : (if _ then _ else _) = true |- _ => rename K into Kif end.
      cbv zeta in *. destruct (lrank r =? 0)%Z.
      - apply orb_prop in Kif as [Kif|Kif]; [apply Z.ltb_lt in Kif; split; [lia|now left]|].
        apply andb_prop in Kif as [Kif Ap]. apply andb_prop in Kif as [Kif V]. apply Z.eqb_eq in Kif, V. apply negb_true_iff, N.eqb_neq in Ap.
        rewrite !unkey_key in Ap. split; [lia|right; left; now split].
      - repeat (apply andb_prop in Kif as [Kif ?]). apply Z.leb_le in Kif. split; [assumption|]. right; right.
        match goal with K : (0 <? _)%Z = true |- _ => apply Z.ltb_lt in K end.
        match goal with K : forallb (fun iv => peers _ _ _ _) (ranks r) = true |- _ => rewrite forallb_forall in K end. auto.
    Qed.

    Lemma F_bounds i : In i (states c) -> (0 <= F (key i) <= top)%Z.
    Proof.
      intro Hi. destruct row_parts as (x & y & _ & _ & _ & _ & W1 & W2 & _).
      assert (B : forall l k v, within top l = true -> In (k, v) l -> (0 <= v <= top)%Z).
      { intros l k v W I. unfold within in W. rewrite forallb_forall in W. specialize (W _ I). cbn in W.
        apply andb_prop in W as [A C]. apply Z.leb_le in A, C. lia. }
      unfold F, pot. destruct (PM.find (key i) (of_list (pots r))) as [v|] eqn:E1; [apply find_of_list in E1; now apply B with (pots r) (key i)|].
      unfold m. rewrite (prepare_complete c i Hi).
      destruct (PM.find _ (of_list (free r))) as [v|] eqn:E2; [apply find_of_list in E2; eapply B; eassumption|].
      unfold top. lia.
    Qed.

    Lemma F_ok i j : In i (states c) -> In j (states c) -> label c i = label c j -> i <> j ->
      (ad * F (key i) <= ad * (Zpos (pe r) * dz (key i) (key j)) + an * F (key j))%Z.
    Proof.
      intros Hi Hj Hl Hne. destruct row_parts as (x & y & _ & _ & _ & _ & _ & _ & P & _).
      assert (Bi := F_bounds i Hi). assert (Bj := F_bounds j Hj). assert (d0 := dz_pos (key i) (key j)).
      assert (K : key i <> key j) by (intro E; now apply key_inj in E).
      assert (A : (0 < ad)%Z) by reflexivity. assert (AA : (ad <= an)%Z) by apply lparts.
      assert (Q0 : (0 <= ad * (Zpos (pe r) * dz (key i) (key j)))%Z) by nia.
      destruct (PM.find (key i) (of_list (pots r))) as [v|] eqn:E1.
      - apply find_of_list in E1. specialize (P _ E1). cbn [fst] in P.
        apply peers_spec with (j := j) in P; [|assumption|congruence]. apply andb_prop in P as [P _].
        destruct (Z.leb_spec (ad * F (key i)) (an * F (key j))); [lia|].
        destruct (Pos.eqb_spec (key i) (key j)); [easy|]. now apply Z.leb_le in P.
      - destruct (PM.find (key j) (of_list (pots r))) as [v|] eqn:E2.
        + apply find_of_list in E2. specialize (P _ E2). cbn [fst] in P.
          apply peers_spec with (j := i) in P; [|assumption|congruence]. apply andb_prop in P as [_ P].
          destruct (Z.leb_spec (ad * F (key i)) (an * F (key j))); [lia|].
          destruct (Pos.eqb_spec (key i) (key j)); [easy|]. now apply Z.leb_le in P.
        + assert (E : F (key i) = F (key j)).
          { unfold F, pot. rewrite E1, E2. unfold m. rewrite (prepare_complete c i Hi), (prepare_complete c j Hj).
            cbn [prep lab]. change (fst (nth (N.to_nat i) c (0%N, []))) with (label c i). change (fst (nth (N.to_nat j) c (0%N, []))) with (label c j). now rewrite Hl. }
          rewrite E. nia.
    Qed.

    Lemma f_potentials : potentials c alpha dl f.
    Proof.
      assert (T := top_pos). assert (A1 := alpha_ge).
      assert (Fq : forall k, In k (states c) -> 0 <= f k /\ f k <= 1).
      { intros k Hk. destruct (F_bounds k Hk) as [B0 B1]. rewrite Zle_Qle in B0, B1. change (inject_Z 0) with 0 in B0. unfold f. split.
        - apply Qle_shift_div_l; [assumption|]. lra.
        - apply Qle_shift_div_r; [assumption|]. lra. }
      split; [exact Fq|]. intros i j Hi Hj. destruct (Fq i Hi), (Fq j Hj).
      destruct (N.eq_dec (label c i) (label c j)) as [Hl|Hl]; [|rewrite (dl_labels i j Hl); nra].
      destruct (N.eq_dec i j) as [->|Hne]; [rewrite dl_refl; nra|].
      assert (K := F_ok i j Hi Hj Hl Hne). rewrite Zle_Qle, inject_Z_plus, !inject_Z_mult, <- alpha_eq' in K.
      unfold f. unfold dl. fold m tab. fold (dz (key i) (key j)).
      assert (PA : 0 < inject_Z ad) by reflexivity. assert (PE : 0 < inject_Z (Zpos (pe r))) by reflexivity. assert (P := PD).
      assert (E : inject_Z top == inject_Z (Zpos D) * inject_Z (Zpos (pe r))) by (unfold top; now rewrite inject_Z_mult).
      set (a := inject_Z ad) in *. set (e := inject_Z (Zpos (pe r))) in *. set (d := inject_Z (Zpos D)) in *.
      set (fi := inject_Z (F (key i))) in *. set (fj := inject_Z (F (key j))) in *. set (v := inject_Z (dz (key i) (key j))) in *.
      assert (K' : fi <= e * v + alpha * fj) by (clearbody a e d fi fj v; nra).
      rewrite E. setoid_replace (fi / (d * e) - alpha * (fj / (d * e))) with ((fi - alpha * fj) / (d * e)) by (field; split; lra).
      setoid_replace (v / d) with ((e * v) / (d * e)) by (field; split; lra).
      apply Qle_shift_div_r; [nra|]. setoid_replace (e * v / (d * e) * (d * e)) with (e * v) by (field; split; lra). lra.
    Qed.

    Let Mf := mean c s f - alpha * mean c t f.
    Let Mg := mean c s (fun i => inject_Z (G (key i))) - alpha * mean c t (fun i => inject_Z (G (key i))).

    Lemma got_spec x y (X : positive -> Z) : PM.find (key s) m = Some x -> PM.find (key t) m = Some y ->
      (lks r * Zpos (den x) = Zpos (lscale r))%Z -> (lkt r * Zpos (den y) = Zpos (lscale r))%Z ->
      inject_Z (ad * lks r * dotz (nums x) X - an * lkt r * dotz (nums y) X) ==
      inject_Z ad * inject_Z (Zpos (lscale r)) * (mean c s (fun i => inject_Z (X (key i))) - alpha * mean c t (fun i => inject_Z (X (key i)))).
    Proof.
      intros Ex Ey Kx Ky. destruct lparts as (M & _). assert (Rx := row_mean _ _ _ _ X _ M Ex Kx). assert (Ry := row_mean _ _ _ _ X _ M Ey Ky).
      unfold Z.sub. rewrite inject_Z_plus, inject_Z_opp, !inject_Z_mult, <- alpha_eq'.
      rewrite <- (Qmult_assoc (inject_Z ad)), Rx.
      setoid_replace (inject_Z ad * alpha * inject_Z (lkt r) * inject_Z (dotz (nums y) X)) with
        (inject_Z ad * alpha * (inject_Z (lkt r) * inject_Z (dotz (nums y) X))) by ring.
      rewrite Ry. ring.
    Qed.

    Lemma mean_scaled u : mean c u (fun i => inject_Z (F (key i))) == inject_Z top * mean c u f.
    Proof.
      unfold mean. rewrite <- sum_scale. apply sum_ext. intros kp _. unfold f. field. assert (T := top_pos). lra.
    Qed.

    Lemma row_sound : inject_Z (lval r) / inject_Z (Zpos D) <= Mf /\
      (inject_Z (lval r) / inject_Z (Zpos D) < Mf \/ (lval r = Zpos D /\ first parts s <> first parts t) \/
       ((forall k, 0 <= inject_Z (G (key k))) /\ 0 < Mg /\
        forall i j r', In i (states c) -> In j (states c) -> label c i = label c j -> lget (key i) (key j) tab = Some r' ->
          lval r' = lval r -> (lrank r <= lrank r')%Z -> inject_Z (G (key i)) <= alpha * inject_Z (G (key j)))).
    Proof.
      destruct row_parts as (x & y & Ex & Ey & Kx & Ky & _ & _ & _ & Got). cbv zeta in Got.
      assert (Gf := got_spec x y F Ex Ey Kx Ky). assert (Gg := got_spec x y G Ex Ey Kx Ky). fold Mg in Gg.
      rewrite !mean_scaled in Gf.
      set (got := (ad * lks r * dotz (nums x) F - an * lkt r * dotz (nums y) F)%Z) in *.
      assert (T := top_pos). assert (PA : 0 < inject_Z ad) by reflexivity. assert (PL : 0 < inject_Z (Zpos (lscale r))) by reflexivity.
      assert (PE : 0 < inject_Z (Zpos (pe r))) by reflexivity. assert (P := PD).
      assert (E : inject_Z top == inject_Z (Zpos D) * inject_Z (Zpos (pe r))) by (unfold top; now rewrite inject_Z_mult).
      assert (Gf' : inject_Z got == inject_Z ad * inject_Z (Zpos (lscale r)) * inject_Z (Zpos (pe r)) * (inject_Z (Zpos D) * Mf)) by (rewrite Gf, E; unfold Mf; ring).
      assert (W : inject_Z (ad * Zpos (lscale r) * (Zpos (pe r) * lval r)) == inject_Z ad * inject_Z (Zpos (lscale r)) * inject_Z (Zpos (pe r)) * inject_Z (lval r))
        by (rewrite !inject_Z_mult; ring).
      set (want := (ad * Zpos (lscale r) * (Zpos (pe r) * lval r))%Z) in *.
      set (k := inject_Z ad * inject_Z (Zpos (lscale r)) * inject_Z (Zpos (pe r))) in *.
      assert (Pk : 0 < k) by (unfold k; assert (0 < inject_Z ad * inject_Z (Zpos (lscale r))) by nra; nra).
      destruct Got as [Le Or]. rewrite Zle_Qle, Gf', W in Le.
      assert (le : inject_Z (lval r) <= inject_Z (Zpos D) * Mf) by (clear - Le Pk; nra).
      split; [apply Qle_shift_div_r; lra|]. destruct Or as [Lt|[Ap|(g0 & gp & gr)]].
      - left. rewrite Zlt_Qlt, Gf', W in Lt. assert (inject_Z (lval r) < inject_Z (Zpos D) * Mf) by (clear - Lt Pk; nra).
        apply Qlt_shift_div_r; lra.
      - right; left; exact Ap.
      - right; right. split; [|split].
        + intro q. unfold G. destruct (PM.find (key q) (of_list (ranks r))) as [v|] eqn:Ev; [|apply Qle_refl].
          apply find_of_list in Ev. rewrite forallb_forall in g0. specialize (g0 _ Ev). apply Z.leb_le in g0. cbn in g0.
          change 0 with (inject_Z 0). now rewrite <- Zle_Qle.
        + rewrite Zlt_Qlt, Gg in gp. change (inject_Z 0) with 0 in gp. set (b := inject_Z ad * inject_Z (Zpos (lscale r))) in *.
          assert (0 < b) by (unfold b; nra). clear - gp H0. clearbody b. nra.
        + intros i j r' Hi Hj Hl Eg Ev Er.
          assert (Gpos : forall q, 0 <= inject_Z (G q)).
          { intro q. unfold G. destruct (PM.find q (of_list (ranks r))) as [v|] eqn:E1; [|apply Qle_refl].
            apply find_of_list in E1. rewrite forallb_forall in g0. specialize (g0 _ E1). apply Z.leb_le in g0. cbn in g0.
            change 0 with (inject_Z 0). now rewrite <- Zle_Qle. }
          destruct (PM.find (key i) (of_list (ranks r))) as [v|] eqn:Ei.
          * assert (I := Ei). apply find_of_list in I. specialize (gr _ I). cbn [fst] in gr.
            apply peers_spec with (j := j) in gr; [|assumption|congruence]. rewrite Eg in gr.
            destruct (Z.leb_spec (ad * G (key i)) (an * G (key j))) as [L|L].
            -- rewrite Zle_Qle, !inject_Z_mult, <- alpha_eq' in L.
               set (gi := inject_Z (G (key i))) in *. set (gj := inject_Z (G (key j))) in *. set (a := inject_Z ad) in *. clearbody gi gj a. clear - L PA. 
               assert (a * gi <= a * (alpha * gj)) by lra. nra.
            -- exfalso. rewrite Ev, Z.eqb_refl in gr. apply Z.ltb_lt in gr. lia.
          * unfold G at 1. rewrite Ei. change (inject_Z 0) with 0. assert (A := alpha_ge). specialize (Gpos (key j)). nra.
    Qed.
  End Row.

  Definition given (s t : N) : bool := match lget (key s) (key t) tab with Some r => negb (mirror r) | None => true end.

  Theorem lower_sound : forall d', prefixed c alpha d' -> (both = true -> forall s t, d' s t == d' t s) -> forall s t, In s (states c) -> In t (states c) -> dl s t <= d' s t.
  Proof.
    intros d' Hd' Sy. destruct lparts as (M & _ & R).
    apply least with (alpha := alpha) (rank := rk) (given := given) (apart := fun s t => first parts s <> first parts t); try assumption.
    - now apply model_sound.
    - apply alpha_ge.
    - apply dl_pos.
    - apply dl_refl.
    - apply dl_labels.
    - intros s t T Gv P. destruct (dl_row s t T P) as (r & Ir & Es & Et & Eg & E & Nz). destruct (R r Ir) as [_ C].
      unfold given in Gv. rewrite Eg in Gv. apply negb_true_iff in Gv. rewrite Gv in C. specialize (C Nz).
      eexists. split; [exact (f_potentials r s t Es Et C)|]. rewrite E. now apply (row_sound r s t Es Et C).
    - intros S Su p Sp Ap. apply Ap. exact (classes_together c alpha M alpha_ge S splitters Su p Sp).
    - intros s t T Gv P. destruct (dl_row s t T P) as (r & Ir & Es & Et & Eg & E & Nz). destruct (R r Ir) as [_ C].
      unfold given in Gv. rewrite Eg in Gv. apply negb_true_iff in Gv. rewrite Gv in C. specialize (C Nz).
      destruct (row_sound r s t Es Et C) as [_ [L|[[V Ap]|(g0 & gp & gr)]]].
      + left. eexists. split; [exact (f_potentials r s t Es Et C)|]. now rewrite E.
      + right; right. split; [rewrite E, V; field; easy|exact Ap].
      + right; left. eexists. split; [exact g0|]. split; [exact gp|]. intros i j Tij Eij Rij.
        assert (Pij : 0 < dl i j) by lra.
        destruct (dl_row i j Tij Pij) as (r' & _ & _ & _ & Eg' & E' & _). destruct Tij as (Hi & Hj & Hl & _).
        apply (gr i j r'); try assumption.
        * rewrite E, E' in Eij. assert (D0 := PD). apply inject_Z_injective.
          setoid_replace (inject_Z (lval r')) with (inject_Z (lval r') / inject_Z (Zpos D) * inject_Z (Zpos D)) by (field; lra).
          rewrite Eij. field. lra.
        * unfold rk in Rij. fold tab in Rij. rewrite Eg, Eg' in Rij. now rewrite <- Zle_Qle in Rij.
    - intros s t Gv. unfold given in *. destruct (lget (key s) (key t) tab) as [r|] eqn:E; [|discriminate]. apply negb_false_iff in Gv.
      assert (I := E). apply lget_lrows in I as (Ir & Es & Et).
      destruct (R r Ir) as [_ C]. rewrite Gv in C. unfold check_mirror in C. apply andb_prop in C as [B C]. rewrite Es, Et in C.
      destruct (lget (key t) (key s) tab) as [r'|] eqn:E'; [|discriminate]. apply andb_prop in C as [C Rk]. apply andb_prop in C as [Nm Vl].
      apply Z.eqb_eq in Rk, Vl. split; [assumption|]. split; [|split; [now apply Sy|unfold rk; fold tab; rewrite E, E', Rk; reflexivity]].
      unfold dl, lvalue. fold m tab. rewrite E, E', (Pos.eqb_sym (key t)). destruct (_ =? _)%positive; [reflexivity|].
      destruct (PM.find (key s) m) as [x|], (PM.find (key t) m) as [y|]; try reflexivity.
      rewrite (N.eqb_sym (lab y)). destruct (_ =? _)%N; [now rewrite Vl|reflexivity].
  Qed.
End Sound.

(** The claim: nothing below delta is a value of a pre-fixed table; or, with [both], of a symmetric one. *)
Definition check_least (c : chain) (alpha delta : Q) (s t : N) (D : positive) (rows : list lrow) (splitters : list (list N)) (both : bool) : bool :=
  check_lower c (Qnum alpha) (Zpos (Qden alpha)) (Zpos D) rows splitters both
  && (N.to_nat s <? length c)%nat && (N.to_nat t <? length c)%nat
  && (Qnum delta * Zpos D <=? lvalue (Zpos D) (prepare c) (lrows rows) (key s) (key t) * Zpos (Qden delta))%Z.

Theorem least_sound c alpha delta s t D rows splitters both : check_least c alpha delta s t D rows splitters both = true ->
  forall d, prefixed c alpha d -> (both = true -> forall i j, d i j == d j i) -> delta <= d s t.
Proof.
  unfold check_least. intros H d Hd Sy. apply andb_prop in H as [H H0]. apply andb_prop in H as [H H1]. apply andb_prop in H as [H H2].
  apply Nat.ltb_lt in H1, H2. apply Z.leb_le in H0. rewrite <- in_states in H1, H2.
  eapply Qle_trans; [|exact (lower_sound c alpha D rows splitters both H d Hd Sy s t H2 H1)].
  unfold dl. apply Qle_shift_div_l; [apply PD|]. destruct delta as [a b]. unfold Qle.
  cbn [Qmult inject_Z Qnum Qden] in *. rewrite Pos.mul_1_r. lia.
Qed.
