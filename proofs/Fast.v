(** * The check of lower bounds, faster

    The check of [Lower.v] looks up two potentials and two values of the table for each pair of states, and multiplies long numbers. Here these stand
    in lists, in the order of the states of a label: the potentials once for each row, and the values of a state once for all rows. Two numbers are
    multiplied only where a shorter comparison does not decide. What is accepted is the same. *)
From Coq Require Import List NArith ZArith QArith Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sparse Rows Splitters Upper Lower Prefixed Tables.
Import ListNotations.

Section Fast.
  Variables (an ad D : Z).

  (** At least this value lets a potential be f. *)
  Definition level (e f : Z) : Z := (- (- f / e))%Z.
  (** The potentials of states of one label, times both parts of alpha; and the level of those that are not listed. *)
  Definition priced (e : Z) (fx : PM.t Z) (rest : Z) (l : list positive) : list (positive * (Z * Z * option Z)) :=
    let free := ((ad * rest)%Z, (an * rest)%Z, Some (level e rest)) in
    map (fun j => (j, match PM.find j fx with Some f => ((ad * f)%Z, (an * f)%Z, None) | None => free end)) l.
  Definition prices (m : PM.t prow) (gs : PM.t (list positive)) (e top : Z) (fx fr : PM.t Z) (pots : list (positive * Z)) :
    PM.t (list (positive * (Z * Z * option Z))) :=
    fold_right (fun iv t => match PM.find (fst iv) m with
      | None => t
      | Some x => let a := key (lab x) in
          if PM.mem a t then t else match PM.find a gs with
            | None => t
            | Some l => PM.add a (priced e fx (match PM.find a fr with Some v => v | None => top end) l) t
            end
      end) (PM.empty _) pots.

  Definition distance_in (row : option (PM.t lrow)) (j : positive) : Z :=
    match row with Some t => match PM.find j t with Some r => lval r | None => 0%Z end | None => 0%Z end.
  (** What the table says of a state and each one of its label, and of these and it; for all states with a potential in some row. *)
  Definition beside (tab : ltable) (i : positive) (l : list positive) : list (Z * Z) :=
    let row := PM.find i tab in map (fun j => (distance_in row j, distance_in (PM.find j tab) i)) l.
  Definition spread (m : PM.t prow) (gs : PM.t (list positive)) (tab : ltable) (rows : list lrow) : PM.t (list (Z * Z)) :=
    fold_right (fun r t => fold_right (fun iv t => let i := fst iv in
      if PM.mem i t then t else match PM.find i m with
        | None => t
        | Some x => match PM.find (key (lab x)) gs with None => t | Some l => PM.add i (beside tab i l) t end
        end) t (pots r)) (PM.empty _) rows.

  Definition fits (e : Z) (i j : positive) (a b l d : Z) : bool :=
    if (a <=? b)%Z then true else if (if (l <=? d)%Z then (0 <=? b)%Z else false) then true else if (i =? j)%positive then true
    else (a <=? ad * (e * d) + b)%Z.
  Fixpoint along (e : Z) (i : positive) (a b l : Z) (ps : list (positive * (Z * Z * option Z))) (ds : list (Z * Z)) : bool :=
    match ps, ds with
    | [], _ => true
    | (j, (aj, bj, free)) :: ps, (d, d') :: ds =>
        if fits e i j a bj l d
        then if match free with None => true | Some l' => fits e j i aj b l' d' end then along e i a b l ps ds else false
        else false
    | _ :: _, [] => false
    end.
  Definition smooth (m : PM.t prow) (e : Z) (all : PM.t (list (positive * (Z * Z * option Z)))) (ds : PM.t (list (Z * Z))) (top : Z) (fx fr : PM.t Z)
    (i : positive) : bool :=
    match PM.find i m, PM.find i ds with
    | Some x, Some own => match PM.find (key (lab x)) all with
                          | None => false
                          | Some ps => let f := pot m top fx fr i in along e i (ad * f) (an * f) (level e f) ps own
                          end
    | _, _ => false
    end.
  Definition falling (m : PM.t prow) (gs : PM.t (list positive)) (tab : ltable) (r : lrow) (G : positive -> Z) (i : positive) : bool :=
    match PM.find i m with
    | None => false
    | Some x => match PM.find (key (lab x)) gs with
                | None => false
                | Some l => match PM.find i tab with
                            | None => true
                            | Some row => let g := (ad * G i)%Z in
                                forallb (fun j => match PM.find j row with
                                  | Some r' => if (g <=? an * G j)%Z then true else if (lval r' =? lval r)%Z then (lrank r' <? lrank r)%Z else true
                                  | None => true
                                  end) l
                            end
                end
    end.

  Definition fast_lrow (m : PM.t prow) (gs : PM.t (list positive)) (tab : ltable) (ds : PM.t (list (Z * Z))) (parts : partition) (r : lrow) : bool :=
    let top := (D * Zpos (pe r))%Z in
    let fx := of_list (pots r) in let fr := of_list (free r) in
    let F := pot m top fx fr in
    match PM.find (ls r) m, PM.find (lt r) m with
    | Some x, Some y =>
      (lks r * Zpos (den x) =? Zpos (lscale r))%Z && (lkt r * Zpos (den y) =? Zpos (lscale r))%Z
      && within top (pots r) && within top (free r)
      && (let all := prices m gs (Zpos (pe r)) top fx fr (pots r) in forallb (fun iv => smooth m (Zpos (pe r)) all ds top fx fr (fst iv)) (pots r))
      && let got := (ad * lks r * dotz (nums x) F - an * lkt r * dotz (nums y) F)%Z in
         let want := (ad * Zpos (lscale r) * (Zpos (pe r) * lval r))%Z in
         if (lrank r =? 0)%Z then (want <? got)%Z || ((want =? got)%Z && (lval r =? D)%Z && negb (first parts (unkey (ls r)) =? first parts (unkey (lt r)))%N)
         else
           let g := of_list (ranks r) in
           let G k := match PM.find k g with Some v => v | None => 0%Z end in
           (want <=? got)%Z
           && forallb (fun kv => 0 <=? snd kv)%Z (ranks r)
           && (0 <? ad * lks r * dotz (nums x) G - an * lkt r * dotz (nums y) G)%Z
           && forallb (fun iv => falling m gs tab r G (fst iv)) (ranks r)
    | _, _ => false
    end.

  (** ** It accepts nothing else *)
  Lemma prices_spec m gs e top fx fr a l pots : PM.find a (prices m gs e top fx fr pots) = Some l ->
    exists l', PM.find a gs = Some l' /\ l = priced e fx (match PM.find a fr with Some v => v | None => top end) l'.
  Proof.
    induction pots as [|[i z] pots IH]; unfold prices; cbn [fold_right fst]; [now rewrite PM.gempty|]. fold (prices m gs e top fx fr pots).
    destruct (PM.find i m) as [x|]; [|exact IH]. cbv zeta. destruct (PM.mem (key (lab x)) _); [exact IH|].
    destruct (PM.find (key (lab x)) gs) as [l'|] eqn:E; [|exact IH].
    destruct (Pos.eq_dec a (key (lab x))) as [->|H]; [rewrite PM.gss; intros [= <-]; now exists l'|now rewrite PM.gso].
  Qed.
  Lemma spread_spec m gs tab rows i ds : PM.find i (spread m gs tab rows) = Some ds ->
    exists x l, PM.find i m = Some x /\ PM.find (key (lab x)) gs = Some l /\ ds = beside tab i l.
  Proof.
    set (P t := forall ds, PM.find i t = Some ds -> exists x l, PM.find i m = Some x /\ PM.find (key (lab x)) gs = Some l /\ ds = beside tab i l).
    assert (E : P (PM.empty _)) by (intro; now rewrite PM.gempty). revert ds. fold (P (spread m gs tab rows)). unfold spread.
    induction rows as [|r rows IH]; [exact E|]. cbn [fold_right]. revert IH. generalize (fold_right (fun r t => fold_right (fun iv t => let i := fst iv in
      if PM.mem i t then t else match PM.find i m with
        | None => t
        | Some x => match PM.find (key (lab x)) gs with None => t | Some l => PM.add i (beside tab i l) t end
        end) t (pots r)) (PM.empty _) rows). intros t T. induction (pots r) as [|[k z] l IH]; [exact T|]. cbn [fold_right fst].
    destruct (PM.mem k _); [exact IH|]. destruct (PM.find k m) as [x|] eqn:Ek; [|exact IH]. destruct (PM.find (key (lab x)) gs) as [own|] eqn:Eg; [|exact IH].
    intros ds. destruct (Pos.eq_dec i k) as [->|N]; [rewrite PM.gss; intros [= <-]; now exists x, own|rewrite PM.gso by exact N; apply IH].
  Qed.

  Hypothesis ad_pos : (0 <= ad)%Z.
  Lemma fits_spec e i j f b d : (0 < e)%Z -> fits e i j (ad * f) b (level e f) d = true ->
    (if (ad * f <=? b)%Z then true else if (i =? j)%positive then true else (ad * f <=? ad * (e * d) + b)%Z) = true.
  Proof.
    intro E. unfold fits. destruct (ad * f <=? b)%Z; [trivial|]. destruct (i =? j)%positive; [trivial|].
    destruct (Z.leb_spec (level e f) d) as [L|_]; [|trivial]. destruct (Z.leb_spec 0 b) as [B|_]; [|trivial]. intros _.
    apply Z.leb_le. unfold level in L. assert (M := Z.mul_div_le (- f) e E). assert (f <= e * d)%Z by nia. nia.
  Qed.
  Lemma along_spec e i a b l h g (l' : list positive) : along e i a b l (map h l') (map g l') = true -> forall j, In j l' ->
    let '(k, (aj, bj, free)) := h j in let '(d, d') := g j in
    fits e i k a bj l d = true /\ match free with None => True | Some low => fits e k i aj b low d' = true end.
  Proof.
    induction l' as [|k l' IH]; [intros _ j []|]. cbn [map along]. destruct (h k) as [k' [[ak bk] free]] eqn:Eh, (g k) as [d d'] eqn:Eg.
    destruct (fits e i k' a bk l d) eqn:F; [|discriminate]. intros H j [<-|I].
    - rewrite Eh, Eg. split; [exact F|]. destruct free as [low|]; [|exact Logic.I]. now destruct (fits e k' i ak b low d').
    - apply IH; [|exact I]. destruct free as [low|]; [|exact H]. now destruct (fits e k' i ak b low d').
  Qed.

  Variable c : chain.
  Let m := prepare c.
  Let gs := groups c m.

  Lemma group_labels x l j : PM.find (key (lab x)) gs = Some l -> In j l -> exists y, PM.find j m = Some y /\ lab y = lab x.
  Proof.
    intros E I. unfold gs, m in E. apply groups_spec in E as ->. unfold members in I. apply filter_In in I as [_ I].
    fold m in I. destruct (PM.find j m) as [y|]; [|discriminate]. apply N.eqb_eq in I. now exists y.
  Qed.

  Lemma lvalue_row tab i j x y : PM.find i m = Some x -> PM.find j m = Some y -> lab y = lab x -> (i =? j)%positive = false ->
    lvalue D m tab i j = distance_in (PM.find i tab) j.
  Proof.
    intros Ei Ej L N. unfold lvalue, distance_in, lget. rewrite N, Ei, Ej, L, N.eqb_refl. destruct (PM.find i tab); [|reflexivity].
    now destruct (PM.find j _).
  Qed.

  Section Row.
    Variables (tab : ltable) (rows : list lrow) (p : list (positive * Z)) (e top : Z) (fr : PM.t Z).
    Hypothesis e_pos : (0 < e)%Z.
    Let fx := of_list p.
    Let F := pot m top fx fr.
    Let ok i j := if (ad * F i <=? an * F j)%Z then true else if (i =? j)%positive then true
                  else (ad * F i <=? ad * (e * lvalue D m tab i j) + an * F j)%Z.

    Lemma smooth_one i : smooth m e (prices m gs e top fx fr p) (spread m gs tab rows) top fx fr i = true ->
      exists x l, PM.find i m = Some x /\ PM.find (key (lab x)) gs = Some l /\
      forall j, In j l -> ok i j = true /\ (PM.find j fx = None -> ok j i = true).
    Proof.
      unfold smooth. destruct (PM.find i m) as [x|] eqn:Ei; [|discriminate]. destruct (PM.find i (spread _ _ _ _)) as [ds|] eqn:Es; [|discriminate].
      apply spread_spec in Es as (x' & l & E' & El & ->). rewrite Ei in E'. injection E' as <-.
      destruct (PM.find _ (prices _ _ _ _ _ _ _)) as [ps|] eqn:Ep; [|discriminate]. apply prices_spec in Ep as (l' & El' & ->).
      rewrite El in El'. injection El' as <-. cbv zeta. fold (F i). unfold priced, beside. cbv zeta. intro H. exists x, l. split; [easy|]. split; [exact El|].
      intros j Ij. assert (A := along_spec _ _ _ _ _ _ _ _ H j Ij). clear H. cbv beta in A.
      destruct (group_labels x l j El Ij) as (y & Ej & L).
      assert (P : F j = match PM.find j fx with Some v => v | None => match PM.find (key (lab x)) fr with Some v => v | None => top end end).
      { unfold F, pot. rewrite Ej, L. reflexivity. }
      destruct (PM.find j fx) as [v|]; rewrite <- P in A; destruct A as [A B]; (split; [|intro N]); try discriminate.
      all: try (apply fits_spec in A; [|exact e_pos]); try (apply fits_spec in B; [|exact e_pos]); unfold ok.
      - revert A. destruct (i =? j)%positive eqn:N; [trivial|]. now rewrite (lvalue_row tab i j x y).
      - revert A. destruct (i =? j)%positive eqn:N; [trivial|]. now rewrite (lvalue_row tab i j x y).
      - revert B. destruct (j =? i)%positive eqn:M; [trivial|]. now rewrite (lvalue_row tab j i y x).
    Qed.

    Lemma smooth_spec : forallb (fun iv => smooth m e (prices m gs e top fx fr p) (spread m gs tab rows) top fx fr (fst iv)) p = true ->
      forall iv, In iv p -> peers m gs (fst iv) (fun j => ok (fst iv) j && ok j (fst iv)) = true.
    Proof.
      rewrite forallb_forall. intros H iv I. destruct (smooth_one _ (H iv I)) as (x & l & Ei & El & A). unfold peers. rewrite Ei, El, forallb_forall.
      intros j Ij. destruct (A j Ij) as [B C]. rewrite B. cbn [andb]. destruct (PM.find j fx) as [v|] eqn:Ej; [|now apply C].
      apply find_of_list in Ej. destruct (smooth_one j (H _ Ej)) as (y & l' & Ej' & El' & A'). apply A'.
      destruct (group_labels x l j El Ij) as (y' & Ey & L). rewrite Ej' in Ey. injection Ey as <-. unfold gs, m in El'. apply groups_spec in El' as ->.
      destruct (find_label c (fst iv) x Ei) as [Lx S]. rewrite <- (key_unkey (fst iv)). apply members_spec; [exact S|congruence].
    Qed.
  End Row.

  Lemma falling_spec tab r G i : falling m gs tab r G i = true ->
    peers m gs i (fun j => match lget i j tab with
      | Some r' => if (ad * G i <=? an * G j)%Z then true else if (lval r' =? lval r)%Z then (lrank r' <? lrank r)%Z else true
      | None => true end) = true.
  Proof.
    unfold falling, peers, lget. destruct (PM.find i m); [|discriminate]. destruct (PM.find _ gs); [|discriminate].
    destruct (PM.find i tab); [exact (fun H => H)|]. intros _. now apply forallb_forall.
  Qed.

  Lemma fast_sound tab rows parts r : fast_lrow m gs tab (spread m gs tab rows) parts r = true -> check_lrow an ad D m gs tab parts r = true.
  Proof.
    unfold fast_lrow, check_lrow. cbv zeta. destruct (PM.find (ls r) m); [|discriminate]. destruct (PM.find (lt r) m); [|discriminate].
    rewrite !andb_true_iff. intros [[H S] T]. split; [split; [exact H|]|].
    - rewrite forallb_forall. now apply (smooth_spec tab rows).
    - destruct (lrank r =? 0)%Z; [exact T|]. rewrite !andb_true_iff in *. destruct T as [T U]. split; [exact T|].
      rewrite forallb_forall in *. intros iv I. exact (falling_spec tab r (fun k => match PM.find k (of_list (ranks r)) with Some v => v | None => 0%Z end) (fst iv) (U iv I)).
  Qed.
End Fast.

Definition fast_lower (c : chain) (an ad D : Z) (rows : list lrow) (splitters : list (list N)) (both : bool) : bool :=
  let m := prepare c in let tab := lrows rows in let gs := groups c m in let parts := classes c splitters in
  let ds := spread m gs tab rows in
  check_model c && (ad <=? an)%Z && (0 <=? ad)%Z
  && forallb (fun r => (0 <=? lval r)%Z && if mirror r then check_mirror both tab r else if (lval r =? 0)%Z then true else fast_lrow an ad D m gs tab ds parts r) rows.

Theorem fast_lower_sound c an ad D rows splitters both :
  fast_lower c an ad D rows splitters both = true -> check_lower c an ad D rows splitters both = true.
Proof.
  unfold fast_lower, check_lower. cbv zeta. rewrite !andb_true_iff, !forallb_forall. intros [[H A0] R]. split; [exact H|]. apply Z.leb_le in A0.
  intros r I. specialize (R r I). apply andb_prop in R as [A B]. apply andb_true_intro. split; [exact A|].
  destruct (mirror r); [exact B|]. destruct (lval r =? 0)%Z; [reflexivity|]. now apply fast_sound with (rows := rows).
Qed.

(** The checks of [Lower.v] and [Tables.v] with it. *)
Definition fast_least (c : chain) (alpha delta : Q) (s t : N) (D : positive) (rows : list lrow) (splitters : list (list N)) (both : bool) : bool :=
  fast_lower c (Qnum alpha) (Zpos (Qden alpha)) (Zpos D) rows splitters both
  && (N.to_nat s <? length c)%nat && (N.to_nat t <? length c)%nat
  && (Qnum delta * Zpos D <=? lvalue (Zpos D) (prepare c) (lrows rows) (key s) (key t) * Zpos (Qden delta))%Z.

Lemma fast_least_sound c alpha delta s t D rows splitters both :
  fast_least c alpha delta s t D rows splitters both = true -> check_least c alpha delta s t D rows splitters both = true.
Proof.
  unfold fast_least, check_least. rewrite !andb_true_iff. intros [[[H A] B] C]. repeat split; try assumption. now apply fast_lower_sound.
Qed.

Definition fast_matrix (c : chain) (alpha width : Q) (values : list (list Q)) (D : positive) (rows : list urow) (D' : positive)
    (rows' : list lrow) (splitters : list (list N)) (both : bool) : bool :=
  let m := prepare c in let u := utable rows in let l := lrows rows' in
  check_upper c alpha D rows && check_moves c rows && implb both (check_symmetric rows)
  && fast_lower c (Qnum alpha) (Zpos (Qden alpha)) (Zpos D') rows' splitters both
  && forallb (fun s => forallb (fun t => let v := in_matrix values s t in
       Qle_bool v (lvalue (Zpos D') m l (key s) (key t) # D')
       && Qle_bool (value m u (Zpos D) (key s) (key t) # D) (v + width)) (states c)) (states c).

Lemma fast_matrix_sound c alpha width values D rows D' rows' splitters both :
  fast_matrix c alpha width values D rows D' rows' splitters both = true -> check_matrix c alpha width values D rows D' rows' splitters both = true.
Proof.
  unfold fast_matrix, check_matrix. cbv zeta. rewrite !andb_true_iff. intros [[[[U M] S] L] F]. repeat split; try assumption. now apply fast_lower_sound.
Qed.
