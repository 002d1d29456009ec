(** * The check of lower bounds, faster

    The check of [Lower.v] looks up the potentials of both states for each pair. Here the potentials of the states of a label are looked up once
    for each row, and the row of a state once for all of its pairs. What is accepted is the same. *)
From Coq Require Import List NArith ZArith QArith Lia Bool FMapPositive.
From Prover Require Import Chain Distance Sparse Rows Splitters Upper Lower Prefixed Tables.
Import ListNotations.

Section Fast.
  Variables (an ad D : Z).

  (** The potentials of states of one label, times both parts of alpha. *)
  Definition priced (fx : PM.t Z) (rest : Z) (l : list positive) : list (positive * (Z * Z)) :=
    map (fun j => let f := match PM.find j fx with Some v => v | None => rest end in (j, ((ad * f)%Z, (an * f)%Z))) l.
  Definition prices (m : PM.t prow) (gs : PM.t (list positive)) (top : Z) (fx fr : PM.t Z) (pots : list (positive * Z)) :
    PM.t (list (positive * (Z * Z))) :=
    fold_right (fun iv t => match PM.find (fst iv) m with
      | None => t
      | Some x => let a := key (lab x) in
          if PM.mem a t then t else match PM.find a gs with
            | None => t
            | Some l => PM.add a (priced fx (match PM.find a fr with Some v => v | None => top end) l) t
            end
      end) (PM.empty _) pots.

  Definition distance_in (row : option (PM.t lrow)) (j : positive) : Z :=
    match row with Some t => match PM.find j t with Some r => lval r | None => 0%Z end | None => 0%Z end.
  Definition smooth (m : PM.t prow) (tab : ltable) (e : Z) (all : PM.t (list (positive * (Z * Z)))) (top : Z) (fx fr : PM.t Z) (i : positive) : bool :=
    match PM.find i m with
    | None => false
    | Some x => match PM.find (key (lab x)) all with
                | None => false
                | Some l =>
                    let f := pot m top fx fr i in let a := (ad * f)%Z in let b := (an * f)%Z in let row := PM.find i tab in
                    forallb (fun e' : positive * (Z * Z) => let (j, ab) := e' in let (aj, bj) := ab in
                      (if (a <=? bj)%Z then true else if (i =? j)%positive then true else (a <=? ad * (e * distance_in row j) + bj)%Z)
                      && (if (aj <=? b)%Z then true else if (j =? i)%positive then true else (aj <=? ad * (e * distance_in (PM.find j tab) i) + b)%Z)) l
                end
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

  Definition fast_lrow (m : PM.t prow) (gs : PM.t (list positive)) (tab : ltable) (parts : partition) (r : lrow) : bool :=
    let top := (D * Zpos (pe r))%Z in
    let fx := of_list (pots r) in let fr := of_list (free r) in
    let F := pot m top fx fr in
    match PM.find (ls r) m, PM.find (lt r) m with
    | Some x, Some y =>
      (lks r * Zpos (den x) =? Zpos (lscale r))%Z && (lkt r * Zpos (den y) =? Zpos (lscale r))%Z
      && within top (pots r) && within top (free r)
      && (let all := prices m gs top fx fr (pots r) in forallb (fun iv => smooth m tab (Zpos (pe r)) all top fx fr (fst iv)) (pots r))
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
  Lemma prices_spec m gs top fx fr a l pots : PM.find a (prices m gs top fx fr pots) = Some l ->
    exists l', PM.find a gs = Some l' /\ l = priced fx (match PM.find a fr with Some v => v | None => top end) l'.
  Proof.
    induction pots as [|[i z] pots IH]; unfold prices; cbn [fold_right fst]; [now rewrite PM.gempty|]. fold (prices m gs top fx fr pots).
    destruct (PM.find i m) as [x|]; [|exact IH]. cbv zeta. destruct (PM.mem (key (lab x)) _); [exact IH|].
    destruct (PM.find (key (lab x)) gs) as [l'|] eqn:E; [|exact IH].
    destruct (Pos.eq_dec a (key (lab x))) as [->|H]; [rewrite PM.gss; intros [= <-]; now exists l'|now rewrite PM.gso].
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

  Lemma smooth_spec tab e top fx fr pots i : smooth m tab e (prices m gs top fx fr pots) top fx fr i = true ->
    peers m gs i (fun j => let F := pot m top fx fr in
      let ok i j := if (ad * F i <=? an * F j)%Z then true else if (i =? j)%positive then true
                    else (ad * F i <=? ad * (e * lvalue D m tab i j) + an * F j)%Z in ok i j && ok j i) = true.
  Proof.
    unfold smooth, peers. destruct (PM.find i m) as [x|] eqn:Ei; [|discriminate].
    destruct (PM.find _ (prices _ _ _ _ _ _)) as [l|] eqn:E; [|discriminate]. apply prices_spec in E as (l' & E & ->). rewrite E.
    cbv zeta. rewrite !forallb_forall. intros H j Ij. destruct (group_labels x l' j E Ij) as (y & Ej & L).
    assert (P : pot m top fx fr j = match PM.find j fx with Some v => v | None => match PM.find (key (lab x)) fr with Some v => v | None => top end end).
    { unfold pot. rewrite Ej, L. reflexivity. }
    assert (K : In (j, ((ad * pot m top fx fr j)%Z, (an * pot m top fx fr j)%Z)) (priced fx (match PM.find (key (lab x)) fr with Some v => v | None => top end) l')).
    { unfold priced. apply in_map_iff. exists j. split; [now rewrite P|exact Ij]. }
    apply H in K. clear H P. apply andb_prop in K as [A B]. apply andb_true_intro. split.
    - clear B. revert A. destruct (i =? j)%positive eqn:N; [trivial|]. now rewrite (lvalue_row tab i j x y).
    - clear A. revert B. destruct (j =? i)%positive eqn:N; [trivial|]. now rewrite (lvalue_row tab j i y x).
  Qed.

  Lemma falling_spec tab r G i : falling m gs tab r G i = true ->
    peers m gs i (fun j => match lget i j tab with
      | Some r' => if (ad * G i <=? an * G j)%Z then true else if (lval r' =? lval r)%Z then (lrank r' <? lrank r)%Z else true
      | None => true end) = true.
  Proof.
    unfold falling, peers, lget. destruct (PM.find i m); [|discriminate]. destruct (PM.find _ gs); [|discriminate].
    destruct (PM.find i tab); [exact (fun H => H)|]. intros _. now apply forallb_forall.
  Qed.

  Lemma fast_sound tab parts r : fast_lrow m gs tab parts r = true -> check_lrow an ad D m gs tab parts r = true.
  Proof.
    unfold fast_lrow, check_lrow. cbv zeta. destruct (PM.find (ls r) m); [|discriminate]. destruct (PM.find (lt r) m); [|discriminate].
    rewrite !andb_true_iff. intros [[H S] T]. split; [split; [exact H|]|].
    - rewrite forallb_forall in *. intros iv I. specialize (S iv I). now apply smooth_spec in S.
    - destruct (lrank r =? 0)%Z; [exact T|]. rewrite !andb_true_iff in *. destruct T as [T U]. split; [exact T|].
      rewrite forallb_forall in *. intros iv I. exact (falling_spec tab r (fun k => match PM.find k (of_list (ranks r)) with Some v => v | None => 0%Z end) (fst iv) (U iv I)).
  Qed.
End Fast.

Definition fast_lower (c : chain) (an ad D : Z) (rows : list lrow) (splitters : list (list N)) (both : bool) : bool :=
  let m := prepare c in let tab := lrows rows in let gs := groups c m in let parts := classes c splitters in
  check_model c && (ad <=? an)%Z
  && forallb (fun r => (0 <=? lval r)%Z && if mirror r then check_mirror both tab r else if (lval r =? 0)%Z then true else fast_lrow an ad D m gs tab parts r) rows.

Theorem fast_lower_sound c an ad D rows splitters both :
  fast_lower c an ad D rows splitters both = true -> check_lower c an ad D rows splitters both = true.
Proof.
  unfold fast_lower, check_lower. cbv zeta. rewrite !andb_true_iff, !forallb_forall. intros [H R]. split; [exact H|].
  intros r I. specialize (R r I). apply andb_prop in R as [A B]. apply andb_true_intro. split; [exact A|].
  destruct (mirror r); [exact B|]. destruct (lval r =? 0)%Z; [reflexivity|]. now apply fast_sound.
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
