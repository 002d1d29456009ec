(** * Closed tables: all runs that samples can take are affordable *)
From Coq Require Import List NArith ZArith QArith Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Order Convex Loss.
Import ListNotations.

(** What is known of the differences of the inputs that are still to be read; and the largest of these differences, where they are at most [bound]. *)
Inductive mode := Free | Up | Down | Unused | Used.
Definition differences (m : mode) (bound : Z) : list (Z * mode) :=
  map (fun delta => (delta, match m with Unused => if (delta =? 0)%Z then Unused else Used | _ => m end))
      match m with
      | Free => [- bound; bound] | Up => [0; bound] | Down => [- bound; 0] | Unused => [- bound; 0; bound] | Used => [0]
      end%Z.
Definition starts (a : adjacency) : list mode :=
  match a with AllDiffer => [Free] | OneDiffers => [Unused] | Increasing => [Up] | Decreasing => [Down] | Monotonic => [Up; Down] end.

Definition continuing (m : mode) : list mode := match m with Unused => [Unused; Used] | _ => [m] end.

(** [forallb] and [existsb], which stop where the answer is known. *)
Fixpoint every {A} (f : A -> bool) (l : list A) : bool := match l with [] => true | a :: l => if f a then every f l else false end.
Fixpoint some {A} (f : A -> bool) (l : list A) : bool := match l with [] => false | a :: l => if f a then true else some f l end.

(** A function gives some shifts of its variables a number: what the rest of a run costs. *)
Record function := { names : list N; points : list (list Z * Z) }.
Fixpoint same (l l' : list Z) : bool :=
  match l, l' with [], [] => true | x :: l, y :: l' => if (x =? y)%Z then same l l' else false | _, _ => false end.
Definition value (f : function) (x : shifts) : option Z :=
  let xs := map x (names f) in option_map snd (find (fun p => same (fst p) xs) (points f)).
Definition zero : function := {| names := []; points := [([], 0%Z)] |}.

(** A node is a state, with what is known of the order of the stored numbers; the number of the next node for each transition, unless this one is
    blocked; and functions, as long as inputs may differ, and afterwards. *)
Record node := { place : N; known : order; nexts : list N; before : list function; afterwards : list function }.
Definition functions (m : mode) (d : node) : list function := zero :: match m with Used => afterwards d | _ => before d end.

(** Shifts of some variables. *)
Definition bindings := list (N * Z).
Definition bound_to (e : bindings) (v : N) : option Z := option_map snd (find (fun p => N.eqb v (fst p)) e).
Definition shifts_of (e : bindings) : shifts := fun v => match bound_to e v with Some x => x | None => 0%Z end.
Definition consistent (o : order) (e : bindings) : bool :=
  every (fun ab => match bound_to e (fst ab), bound_to e (snd ab) with Some x, Some y => (x <=? y)%Z | _, _ => true end) o.

Section Check.
  Variable p : program.
  Variable counted : list Z. (* the shifts that count *)
  Variable nodes : list node.

  Definition serves d t delta (f' : function) (v : Z) (x : shifts) : bool :=
    some (fun g => if allowed t x g
                   then match price d t delta g, value f' (moved t x g) with Some a, Some v' => (a + v' <=? v)%Z | _, _ => false end
                   else false) counted.
  (** With all shifts of further variables that respect the order. *)
  Fixpoint everywhere (check : bindings -> bool) (o : order) (further : list N) (e : bindings) : bool :=
    if consistent o e
    then match further with [] => check e | v :: further => every (fun z => everywhere check o further ((v, z) :: e)) counted end
    else true.
  Definition needs (t : transition) (f' : function) : list N :=
    map snd (guard t) ++ flat_map (fun o => match o with Gap v => [v] | _ => [] end) (shows t)
    ++ filter (fun v => negb (existsb (N.eqb v) (stores t))) (names f').
  Definition covers (o : order) d t delta (f' f : function) : bool :=
    let further := nodup N.eq_dec (filter (fun v => negb (existsb (N.eqb v) (names f))) (needs t f')) in
    every (fun xv => everywhere (fun e => serves d t delta f' (snd xv) (shifts_of e)) o further (combine (names f) (fst xv))) (points f).
  Definition closed_along (ms : list mode) (n : node) (tk : transition * N) : bool :=
    let (t, k) := tk in
    if blocked (known n) t then true else
    match nth_error nodes (N.to_nat k) with
    | None => false
    | Some n' =>
      let d := at_state p (place n) in
      N.eqb (place n') (target t) && forallb (follows (known n) t) (known n')
      && every (fun m => every (fun dm => every (fun f' => some (covers (known n) d t (fst dm) f') (functions m n)) (functions (snd dm) n'))
                               (differences m (reads d))) ms
    end.
  Definition closed (ms : list mode) : bool :=
    every (fun n => let l := ways (at_state p (place n)) in
                    Nat.eqb (length l) (length (nexts n)) && every (closed_along ms n) (combine l (nexts n))) nodes.
  Definition at_start (start : N) (v : Z) (m : mode) : bool :=
    match nodes with
    | {| place := s; known := [] |} as n :: _ =>
        N.eqb s start && every (fun f => match value f (fun _ => 0%Z) with Some w => (w <=? v)%Z | None => false end) (functions m n)
    | _ => false
    end.
End Check.

Definition check_proper (p : program) : bool := forallb (fun d => (0 <=? reads d)%Z && forallb (Z.ltb 0) (rates d)) p.
Definition check_table (p : program) (start : N) (a : adjacency) (v : Z) (counted : list Z) (T : mode -> list node) : bool :=
  check_proper p && existsb (Z.eqb 0) counted
  && forallb (fun m => closed p counted (T m) (continuing m) && at_start (T m) start v m) (starts a).

(** ** Proof *)
Lemma proper_sound p : check_proper p = true -> proper p.
Proof.
  intros H u. unfold check_proper in H. rewrite forallb_forall in H. unfold at_state.
  destruct (nth_in_or_default (N.to_nat u) p final) as [I| ->]; [|split; [easy|intros r []]].
  specialize (H _ I). apply andb_prop in H as [A B]. rewrite forallb_forall in B. split; [now apply Z.leb_le|].
  intros r J. now apply Z.ltb_lt, B.
Qed.

(** What a mode says: differences are the largest ones. *)
Definition agrees (p : program) (m : mode) (delta : N -> nat -> Z) (i : nat) : Prop :=
  let bound := fun u => reads (at_state p u) in
  match m with
  | Free => forall u j, (delta u j = - bound u \/ delta u j = bound u)%Z
  | Up => forall u j, (delta u j = 0 \/ delta u j = bound u)%Z
  | Down => forall u j, (delta u j = - bound u \/ delta u j = 0)%Z
  | Unused => exists k, forall u j, (delta u j = 0 \/ j = k /\ (delta u j = - bound u \/ delta u j = bound u))%Z
  | Used => forall u j, (i <= j)%nat -> delta u j = 0%Z
  end.

(** All differences are between two of the largest ones. *)
Lemma mode_of_adjacency a p ins ins' : adjacent a p ins ins' -> exists m low high, In m (starts a) /\
  (forall u i, (low u i <= ins' u i - ins u i <= high u i)%Z) /\
  forall delta, (forall u i, delta u i = low u i \/ delta u i = high u i) -> agrees p m delta 0.
Proof.
  intros [B A]. destruct a; cbn [starts]; unfold increasing in A.
  - exists Free, (fun u _ => - reads (at_state p u))%Z, (fun u _ => reads (at_state p u)). repeat split; [now left|cbn beta; specialize (B u i); lia|cbn beta; specialize (B u i); lia|].
    intros delta H u j. apply H.
  - destruct A as [k A]. exists Unused, (fun u j => if Nat.eqb j k then - reads (at_state p u) else 0)%Z, (fun u j => if Nat.eqb j k then reads (at_state p u) else 0%Z).
    repeat split; [now left| | |].
    1, 2: specialize (B u i); cbn beta; destruct (Nat.eqb_spec i k) as [->|N]; [lia|specialize (A u i N); lia].
    intros delta H. exists k. intros u j. specialize (H u j). destruct (Nat.eqb_spec j k); [right|left]; tauto.
  - exists Up, (fun _ _ => 0%Z), (fun u _ => reads (at_state p u)). repeat split; [now left|cbn beta; specialize (A u i); lia|cbn beta; specialize (B u i); lia|].
    intros delta H u j. apply H.
  - exists Down, (fun u _ => - reads (at_state p u))%Z, (fun _ _ => 0%Z). repeat split; [now left|cbn beta; specialize (B u i); lia|cbn beta; specialize (A u i); lia|].
    intros delta H u j. apply H.
  - destruct A as [A|A].
    + exists Up, (fun _ _ => 0%Z), (fun u _ => reads (at_state p u)). repeat split; [now left|cbn beta; specialize (A u i); lia|cbn beta; specialize (B u i); lia|].
      intros delta H u j. apply H.
    + exists Down, (fun u _ => - reads (at_state p u))%Z, (fun _ _ => 0%Z). repeat split; [right; now left|cbn beta; specialize (B u i); lia|cbn beta; specialize (A u i); lia|].
      intros delta H u j. apply H.
Qed.

Lemma extreme_enough p low high r s c : proper p ->
  (forall delta, (forall u i, delta u i = low u i \/ delta u i = high u i) -> affordable p delta 0 s (fun _ => 0%Z) r c) ->
  forall delta, (forall u i, (low u i <= delta u i <= high u i)%Z) -> affordable p delta 0 s (fun _ => 0%Z) r c.
Proof.
  intros Proper H.
  assert (L : forall l delta, (forall u i, (low u i <= delta u i <= high u i)%Z) ->
    (forall u i, ~ In (u, i) l -> delta u i = low u i \/ delta u i = high u i) -> affordable p delta 0 s (fun _ => 0%Z) r c).
  { induction l as [|[u k] l IH]; intros delta B E; [apply H; intros u i; now apply E|].
    apply (between p delta r u k (low u k) (high u k)); [exact Proper|apply B| |]; apply IH; unfold set_at; intros v j;
      (destruct (N.eqb_spec v u) as [->|N]; cbn [andb]; [destruct (Nat.eqb_spec j k) as [->|K]|]); try apply B; try (specialize (B u k); lia);
      intro NI; try tauto; apply E; intros [Eq|I]; try contradiction; injection Eq; congruence. }
  intros delta B. set (inner := fun u i => ((N.to_nat u <? length p) && (i <? length r))%nat%bool).
  apply (affordable_ext p (fun u i => if inner u i then delta u i else low u i) delta r 0 s (fun _ => 0%Z) (fun _ => 0%Z) c); [reflexivity| |].
  - intros v j J. cbn [Nat.add] in J. unfold inner. destruct (Nat.ltb_spec (N.to_nat v) (length p)) as [V|V]; cbn [andb].
    + destruct (Nat.ltb_spec j (length r)); [easy|lia].
    + unfold at_state. rewrite nth_overflow by exact V. reflexivity.
  - apply (L (list_prod (map N.of_nat (seq 0 (length p))) (seq 0 (length r)))); intros u i.
    + destruct (inner u i); specialize (B u i); lia.
    + intro NI. destruct (inner u i) eqn:In; [|now left]. exfalso. apply NI. unfold inner in In. apply andb_prop in In as [A C].
      apply Nat.ltb_lt in A, C. apply in_prod; [|apply in_seq; lia]. apply in_map_iff. exists (N.to_nat u). split; [apply N2Nat.id|apply in_seq; lia].
Qed.

Lemma every_spec {A} f (l : list A) : every f l = true <-> forall x, In x l -> f x = true.
Proof.
  rewrite <- forallb_forall. induction l as [|x l IH]; [easy|]. cbn [every forallb]. now destruct (f x).
Qed.
Lemma some_spec {A} f (l : list A) : some f l = true <-> exists x, In x l /\ f x = true.
Proof. rewrite <- existsb_exists. induction l as [|x l IH]; [easy|]. cbn [some existsb]. now destruct (f x). Qed.
Lemma same_spec l : forall l', same l l' = true -> l = l'.
Proof.
  induction l as [|x l IH]; intros [|y l'] H; try discriminate; [easy|]. cbn [same] in H. destruct (Z.eqb_spec x y) as [->|]; [|discriminate].
  f_equal. now apply IH.
Qed.
Lemma paired {A B} (l : list A) : forall (l' : list B) a, length l = length l' -> In a l -> exists b, In (a, b) (combine l l').
Proof.
  induction l as [|x l IH]; intros [|y l'] a L I; try discriminate; [destruct I|]. destruct I as [->|I]; [exists y; now left|].
  destruct (IH l' a) as [b J]; [now injection L|exact I|]. exists b. now right.
Qed.
Lemma shifts_linear : linear Z.le.
Proof. split; intros; lia. Qed.
Lemma value_ext f x y : (forall v, In v (names f) -> x v = y v) -> value f x = value f y.
Proof. intro H. unfold value. now rewrite (map_ext_in _ _ _ H). Qed.
Lemma allowed_on t x y g : (forall v, In v (needs t zero) -> x v = y v) -> allowed t x g = allowed t y g.
Proof.
  intro H. unfold allowed, needs in *. cbn [names filter] in H. rewrite app_nil_r in H. setoid_rewrite in_app_iff in H. f_equal.
  - assert (G : forall v, In v (map snd (guard t)) -> x v = y v) by (intros; apply H; now left). clear H.
    induction (guard t) as [|c l IH]; [easy|]. cbn [forallb map In] in *. rewrite IH, (G (snd c)); [easy|now left|intros; apply G; now right].
  - assert (G : forall v, In (Gap v) (shows t) -> x v = y v) by (intros v I; apply H; right; apply in_flat_map; exists (Gap v); split; [exact I|now left]).
    clear H. induction (shows t) as [|o l IH]; [easy|]. cbn [forallb In] in *. rewrite IH by (intros; apply G; now right).
    destruct o as [| |v]; try easy. now rewrite (G v) by now left.
Qed.
Lemma everywhere_sound counted check o x : respects Z.le o x -> (forall v, In (x v) counted) -> forall further e,
  everywhere counted check o further e = true -> (forall v z, bound_to e v = Some z -> x v = z) ->
  exists e', check e' = true /\ forall v, In v further \/ bound_to e v <> None -> shifts_of e' v = x v.
Proof.
  intros R C. induction further as [|w further IH]; intros e H A; cbn [everywhere] in H.
  all: assert (Co : consistent o e = true) by
    (apply every_spec; intros [a b] I; cbn [fst snd]; destruct (bound_to e a) as [z|] eqn:Ea, (bound_to e b) as [z'|] eqn:Eb; try easy;
     rewrite <- (A _ _ Ea), <- (A _ _ Eb); now apply Z.leb_le, R).
  all: rewrite Co in H.
  - exists e. split; [exact H|]. intros v [[]|N]. unfold shifts_of. destruct (bound_to e v) as [z|] eqn:E; [symmetry; now apply A|contradiction].
  - rewrite every_spec in H. specialize (H (x w) (C w)).
    assert (B : forall v, bound_to ((w, x w) :: e) v = if N.eqb v w then Some (x w) else bound_to e v).
    { intro v. unfold bound_to. cbn [find fst]. now destruct (N.eqb v w). }
    destruct (IH _ H) as (e' & Ck & S).
    + intros v z E. rewrite B in E. destruct (N.eqb_spec v w) as [->|]; [congruence|now apply A].
    + exists e'. split; [exact Ck|]. intros v D. apply S. rewrite B. destruct (N.eqb_spec v w) as [->|N]; [right; discriminate|].
      destruct D as [[->|I]|D]; [contradiction|now left|now right].
Qed.

Lemma next_continuing start m m' delta b : In m (continuing start) -> In (delta, m') (differences m b) -> In m' (continuing start).
Proof.
  unfold differences. intros I D. apply in_map_iff in D as (z & E & _). injection E as _ <-.
  unfold continuing in *. destruct start, I as [<-|I]; try (destruct I as [<-|[]]); try (destruct I); try (now left); [|right; now left].
  destruct (z =? 0)%Z; [now left|right; now left].
Qed.

Section Proof.
  Variables (p : program) (counted : list Z) (nodes : list node) (start : mode).
  Let ms := continuing start.
  Hypothesis Closed : closed p counted nodes ms = true.

  Lemma next_mode delta m u i : agrees p m delta i -> exists m', In (here (at_state p u) (delta u i), m') (differences m (reads (at_state p u))) /\
    agrees p m' delta (after (at_state p u) i).
  Proof.
    intro A. unfold here, after. set (bound := reads (at_state p u)) in *.
    set (delta0 := if (bound =? 0)%Z then 0%Z else delta u i).
    exists (match m with Unused => if (delta0 =? 0)%Z then Unused else Used | _ => m end). unfold differences. split.
    - apply in_map_iff. exists delta0. split; [easy|]. unfold delta0. destruct m; cbn [agrees In] in *; destruct (Z.eqb_spec bound 0) as [Z0|Z0]; try lia.
      + specialize (A u i). fold bound in A. lia.
      + specialize (A u i). fold bound in A. lia.
      + specialize (A u i). fold bound in A. lia.
      + destruct A as [k A]. specialize (A u i). fold bound in A. lia.
      + specialize (A u i (le_n _)). lia.
    - destruct m; cbn [agrees] in *; try assumption.
      + destruct (Z.eqb_spec delta0 0) as [E|Ne]; [exact A|]. destruct A as [k A]. unfold delta0 in Ne. intros v j L.
        destruct (bound =? 0)%Z; [easy|]. assert (K := A u i). destruct K as [K|[-> _]]; [easy|]. destruct (A v j) as [K|[-> _]]; [exact K|lia].
      + intros v j L. apply A. destruct (bound =? 0)%Z; lia.
  Qed.

  Lemma covers_sound o d t delta f' f x v : covers counted o d t delta f' f = true -> respects Z.le o x -> (forall w, In (x w) counted) ->
    value f x = Some v -> exists g a v', In g counted /\ allowed t x g = true /\ price d t delta g = Some a /\ value f' (moved t x g) = Some v' /\ (a + v' <= v)%Z.
  Proof.
    intros H R C V. unfold value in V. destruct (find _ (points f)) as [[k w]|] eqn:F; [|discriminate]. injection V as V. cbn [snd] in V. subst w.
    apply find_some in F as [I E]. apply same_spec in E. cbn [fst] in E. subst k. unfold covers in H. cbv zeta in H. rewrite every_spec in H.
    specialize (H _ I). cbn [fst snd] in H.
    assert (B : forall l w, bound_to (combine l (map x l)) w = if existsb (N.eqb w) l then Some (x w) else None).
    { intros l w. unfold bound_to. induction l as [|y l IH]; [easy|]. cbn [map combine find existsb fst]. destruct (N.eqb_spec w y) as [->|]; [easy|exact IH]. }
    apply (everywhere_sound counted _ o x R C) in H as (e & H & S).
    2: { intros w z Bz. rewrite B in Bz. destruct (existsb _ _); [congruence|discriminate]. }
    assert (Y : forall w, In w (needs t f') -> shifts_of e w = x w).
    { intros w J. apply S. rewrite B. destruct (existsb (N.eqb w) (names f)) eqn:Ex; [right; discriminate|]. left. apply nodup_In, filter_In.
      split; [exact J|]. now rewrite Ex. }
    unfold serves in H. apply some_spec in H as (g & Ig & H). destruct (allowed t (shifts_of e) g) eqn:Al; [|discriminate].
    destruct (price d t delta g) as [a|] eqn:Pr; [|discriminate]. destruct (value f' _) as [v'|] eqn:Vf; [|discriminate]. apply Z.leb_le in H.
    exists g, a, v'. repeat split; try assumption.
    - rewrite <- Al. apply allowed_on. intros w J. symmetry. apply Y. unfold needs in *. cbn [names filter] in J. rewrite app_nil_r in J.
      rewrite !in_app_iff in *. tauto.
    - rewrite <- Vf. apply value_ext. intros w J. unfold moved. destruct (existsb (N.eqb w) (stores t)) eqn:St; [easy|]. symmetry. apply Y.
      unfold needs. rewrite !in_app_iff. right. right. apply filter_In. split; [exact J|]. now rewrite St.
  Qed.

  Lemma strategy n : forall k d r, nth_error nodes k = Some d -> In r (runs p n (place d)) -> impossible (known d) r \/
    forall m delta i, In m ms -> agrees p m delta i -> exists f, In f (functions m d) /\ forall x v, (forall w, In (x w) counted) -> respects Z.le (known d) x ->
      value f x = Some v -> affordable p delta i (place d) x r v.
  Proof.
    induction n as [|n IH]; intros k d r K I; cbn [runs] in I.
    - destruct I as [<-|[]]. right. intros m delta i _ _. exists zero. split; [now left|]. intros x v _ _ V. injection V as <-. cbn [affordable]. lia.
    - apply in_flat_map in I as (t & It & I). apply in_map_iff in I as (r' & <- & I). assert (C := Closed). unfold closed in C. rewrite every_spec in C.
      specialize (C d (nth_error_In _ _ K)). cbv zeta in C. apply andb_prop in C as [L C]. apply Nat.eqb_eq in L.
      destruct (paired _ _ t L It) as (k' & J). rewrite every_spec in C. specialize (C _ J). unfold closed_along in C.
      destruct (blocked (known d) t) eqn:B; [left; now apply blocked_impossible|].
      destruct (nth_error nodes (N.to_nat k')) as [d'|] eqn:K'; [|discriminate]. cbv zeta in C. apply andb_prop in C as [C Cl]. apply andb_prop in C as [Pl Fo].
      apply N.eqb_eq in Pl. rewrite <- Pl in I. destruct (IH _ d' r' K' I) as [Im|St]; [left; now apply (follows_impossible _ (known d'))|right].
      intros m delta i Im A. destruct (next_mode delta m (place d) i A) as (m' & Id & A'). assert (Im' := next_continuing start _ _ _ _ Im Id).
      destruct (St m' delta _ Im' A') as (f' & If' & Af). rewrite every_spec in Cl. specialize (Cl m Im). rewrite every_spec in Cl. specialize (Cl _ Id).
      rewrite every_spec in Cl. specialize (Cl f' If'). apply some_spec in Cl as (f & If & Cl). cbn [fst] in Cl. exists f. split; [exact If|].
      intros x v Cx R V. destruct (covers_sound _ _ _ _ _ _ x v Cl R Cx V) as (g & a & v' & Ig & Al & Pr & V' & Le).
      cbn [affordable]. cbv zeta. exists g, a, v'. repeat split; try assumption. rewrite <- Pl. apply Af; [| |exact V'].
      + intro w. unfold moved. destruct (existsb _ _); [exact Ig|apply Cx].
      + unfold allowed in Al. apply andb_prop in Al as [Al _]. rewrite forallb_forall in Al.
        apply (follows_sound Z.le shifts_linear (known d) t x g R); [| |exact Fo]; intros c Ic Q; specialize (Al c Ic);
          unfold from_below, from_above in Q; destruct (fst c); try discriminate; rewrite ?Z.leb_le, ?Z.eqb_eq in Al; lia.
  Qed.
End Proof.

Lemma all_or {A} (P : Prop) (R : A -> Prop) (l : list A) : (forall x, In x l -> P \/ R x) -> P \/ forall x, In x l -> R x.
Proof.
  induction l as [|x l IH]; intro H; [right; intros x []|]. destruct (H x (or_introl eq_refl)) as [|Rx]; [now left|].
  destruct IH as [|Rl]; [intros y I; apply H; now right|now left|]. right. intros y [<-|I]; [exact Rx|now apply Rl].
Qed.
Theorem table_affordable p start a v counted T : check_table p start a v counted T = true -> proper p /\ all_affordable p start a v.
Proof.
  unfold check_table. intro H. apply andb_prop in H as [H Modes]. apply andb_prop in H as [H Zero]. apply proper_sound in H. split; [exact H|].
  apply existsb_exists in Zero as (z & I0 & E0). apply Z.eqb_eq in E0. subst z. rewrite forallb_forall in Modes. intros n r I.
  destruct (all_or (impossible [] r) (fun m => forall delta, agrees p m delta 0 -> affordable p delta 0 start (fun _ => 0%Z) r v) (starts a)) as [Im|Af].
  - intros m Im. specialize (Modes m Im). apply andb_prop in Modes as [Closed Start]. unfold at_start in Start.
    destruct (T m) as [|[s [|] k b w] l] eqn:Tm; try discriminate. apply andb_prop in Start as [Pl Start]. apply N.eqb_eq in Pl. subst s.
    set (d := {| place := start; known := []; nexts := k; before := b; afterwards := w |}) in *.
    destruct (strategy p counted (d :: l) m Closed n 0 d r eq_refl I) as [Imp|St]; [left; exact Imp|right]. intros delta A.
    destruct (St m delta 0%nat) as (f & If & Af); [destruct m; now left|exact A|]. rewrite every_spec in Start. specialize (Start f If).
    destruct (value f _) as [c|] eqn:V; [|discriminate]. apply Z.leb_le in Start. apply (affordable_more p delta r _ _ _ c); [exact Start|].
    apply (Af (fun _ => 0%Z)); [now intros|intros x y []|exact V].
  - now left.
  - right. intros ins ins' Adj. destruct (mode_of_adjacency a p ins ins' Adj) as (m & low & high & Im & B & Ag).
    apply (extreme_enough p low high); [exact H| |exact B]. intros delta E. apply (Af m Im), (Ag delta E).
Qed.
