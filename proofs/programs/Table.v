(** * Closed tables: all runs of a program with one variable are affordable *)
From Coq Require Import List NArith ZArith QArith Lia Bool.
From Prover.programs Require Import Program Geometric Shifts Convex Loss.
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

(** A function gives some shifts of the variable a number: what the rest of a run costs. A table has functions for each state that is reached. *)
Definition function := list (Z * Z).
Definition value (f : function) (x : Z) : option Z := option_map snd (find (fun p => (fst p =? x)%Z) f).
Definition table := list (option (list function)).

Section Check.
  Variable p : program.
  Variable counted : list Z. (* the shifts that count *)
  Variable T : mode -> table.

  Definition zero : function := map (fun x => (x, 0%Z)) counted.
  Definition functions (m : mode) (u : N) : option (list function) :=
    match nth_error (T m) (N.to_nat u) with
    | Some (Some l) => Some (zero :: l)
    | Some None => None
    | None => if (N.to_nat u <? length p)%nat then None else Some [zero]
    end.
  Definition one_variable (t : transition) : bool :=
    forallb (fun c => N.eqb 0 (snd c)) (guard t) && forallb (fun o => match o with Gap v => N.eqb 0 v | _ => true end) (shows t).
  Definition serves d t delta (f' : function) (x v g : Z) : bool :=
    allowed t (fun _ => x) g &&
    match price d t delta g, value f' (if existsb (N.eqb 0) (stores t) then g else x) with Some a, Some v' => (a + v' <=? v)%Z | _, _ => false end.
  Definition covers d t delta (f' f : function) : bool := forallb (fun xv => existsb (serves d t delta f' (fst xv) (snd xv)) counted) f.
  Definition closed_at (m : mode) (fs : list function) (d : state) (t : transition) : bool :=
    one_variable t && forallb (fun dm => match functions (snd dm) (target t) with
                                         | None => false
                                         | Some fs' => forallb (fun f' => existsb (covers d t (fst dm) f') fs) fs'
                                         end) (differences m (reads d)).
  Definition closed (m : mode) : bool :=
    forallb (fun u => match functions m (N.of_nat u) with
                      | None => true
                      | Some fs => let d := at_state p (N.of_nat u) in forallb (closed_at m fs d) (ways d) end) (seq 0 (length p)).
  Definition at_start (start : N) (v : Z) (m : mode) : bool :=
    match functions m start with
    | None => false
    | Some fs => forallb (fun f => match value f 0 with Some w => (w <=? v)%Z | None => false end) fs
    end.
End Check.

Definition check_proper (p : program) : bool := forallb (fun d => (0 <=? reads d)%Z && forallb (Z.ltb 0) (rates d)) p.
Definition check_table (p : program) (start : N) (a : adjacency) (v : Z) (counted : list Z) (T : mode -> table) : bool :=
  check_proper p && forallb (closed p counted T) [Free; Up; Down; Unused; Used] && forallb (at_start p counted T start v) (starts a).

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

Section Proof.
  Variables (p : program) (counted : list Z) (T : mode -> table) (delta : N -> nat -> Z).
  Hypothesis Closed : forall m, closed p counted T m = true.

  Lemma next_mode m u i : agrees p m delta i -> exists m', In (here (at_state p u) (delta u i), m') (differences m (reads (at_state p u))) /\
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

  Lemma allowed_one t x g : one_variable t = true -> allowed t x g = allowed t (fun _ => x 0%N) g.
  Proof.
    unfold one_variable, allowed. intro H. apply andb_prop in H as [G O]. rewrite forallb_forall in G, O. f_equal.
    - induction (guard t) as [|c l IH]; [easy|]. cbn [forallb]. rewrite IH by (intros; apply G; now right).
      specialize (G c (or_introl eq_refl)). apply N.eqb_eq in G. now rewrite <- G.
    - induction (shows t) as [|o l IH]; [easy|]. cbn [forallb]. rewrite IH by (intros; apply O; now right).
      specialize (O o (or_introl eq_refl)). destruct o; [easy|easy|]. apply N.eqb_eq in O. now rewrite <- O.
  Qed.

  Lemma strategy n : forall m i u fs, agrees p m delta i -> functions p counted T m u = Some fs -> forall r, In r (runs p n u) ->
    exists f, In f fs /\ forall x v, In (x 0%N, v) f -> affordable p delta i u x r v.
  Proof.
    induction n as [|n IH]; intros m i u fs A F r I; cbn [runs] in I.
    - destruct I as [<-|[]]. exists (zero counted). split.
      + unfold functions in F. destruct (nth_error _ _) as [[l|]|]; [|discriminate|destruct (_ <? _)%nat; [discriminate|]]; injection F as <-; now left.
      + intros x v J. cbn [affordable]. unfold zero in J. apply in_map_iff in J as (y & E & _). injection E as _ <-. easy.
    - apply in_flat_map in I as (t & It & I). apply in_map_iff in I as (r' & <- & I).
      assert (U : (N.to_nat u < length p)%nat).
      { unfold at_state in It. destruct (Nat.lt_ge_cases (N.to_nat u) (length p)) as [L|L]; [exact L|]. rewrite nth_overflow in It by exact L. destruct It. }
      destruct (next_mode m u i A) as (m' & Im & A'). assert (C := Closed m). unfold closed in C. rewrite forallb_forall in C.
      specialize (C (N.to_nat u) ltac:(apply in_seq; lia)). rewrite N2Nat.id, F in C. cbv zeta in C. rewrite forallb_forall in C.
      specialize (C t It). unfold closed_at in C. apply andb_prop in C as [One C]. rewrite forallb_forall in C. specialize (C _ Im). cbn [fst snd] in C.
      destruct (functions p counted T m' (target t)) as [fs'|] eqn:F'; [|discriminate]. rewrite forallb_forall in C.
      destruct (IH m' _ (target t) fs' A' F' r' I) as (f' & If' & Af). specialize (C f' If'). apply existsb_exists in C as (f & If & C).
      exists f. split; [exact If|]. intros x v J. unfold covers in C. rewrite forallb_forall in C. specialize (C _ J).
      apply existsb_exists in C as (g & _ & C). cbn [fst snd] in C. unfold serves in C. apply andb_prop in C as [Al C].
      destruct (price _ t _ g) as [a|] eqn:Pr; [|discriminate].
      destruct (value f' _) as [v'|] eqn:V; [|discriminate]. apply Z.leb_le in C. cbn [affordable]. cbv zeta. exists g, a, v'.
      rewrite (allowed_one t x g One). repeat split; try assumption. apply Af.
      unfold value in V. destruct (find _ f') as [[y w]|] eqn:Fd; [|discriminate]. injection V as V. cbn [snd] in V. subst w.
      apply find_some in Fd as [Fi Fe]. apply Z.eqb_eq in Fe. cbn [fst] in Fe. subst y.
      unfold moved. destruct (existsb (N.eqb 0) (stores t)); exact Fi.
  Qed.
End Proof.

Theorem table_affordable p start a v counted T : check_table p start a v counted T = true -> proper p /\
  forall ins ins', adjacent a p ins ins' -> forall n r, In r (runs p n start) -> affordable p (fun u i => ins' u i - ins u i)%Z 0 start (fun _ => 0%Z) r v.
Proof.
  unfold check_table. intro H. apply andb_prop in H as [H Start]. apply andb_prop in H as [H Closed]. apply proper_sound in H. split; [exact H|].
  intros ins ins' Adj n r I. destruct (mode_of_adjacency a p ins ins' Adj) as (m & low & high & Im & B & Ag).
  apply (extreme_enough p low high); [exact H| |exact B]. clear B. intros delta E. specialize (Ag delta E).
  rewrite forallb_forall in Start, Closed. specialize (Start m Im). unfold at_start in Start. destruct (functions p counted T m start) as [fs|] eqn:F; [|discriminate].
  assert (Cl : forall m, closed p counted T m = true) by (intro k; apply Closed; destruct k; cbn [In]; tauto).
  destruct (strategy p counted T _ Cl n m 0 start fs Ag F r I) as (f & If & Af). rewrite forallb_forall in Start. specialize (Start f If).
  destruct (value f 0) as [w|] eqn:V; [|discriminate]. apply Z.leb_le in Start. unfold value in V.
  destruct (find _ f) as [[y z]|] eqn:Fd; [|discriminate]. injection V as V. cbn [snd] in V. subst z. apply find_some in Fd as [Fi Fe].
  apply Z.eqb_eq in Fe. cbn [fst] in Fe. subst y. now apply (affordable_more p delta r _ _ _ w), Af.
Qed.

Theorem table_sound p start a v counted T : check_table p start a v counted T = true -> proper p /\ loss_at_most p start a v.
Proof. intro H. destruct (table_affordable _ _ _ _ _ _ H) as [P A]. split; [exact P|]. now apply affordable_loss. Qed.
