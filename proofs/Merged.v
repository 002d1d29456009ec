(** * Distances in the chain in which bisimilar states are one *)
From Coq Require Import List NArith ZArith QArith Lqa Lia Bool.
From Prover Require Import Chain Distance Bisimilar Sums Sparse Rows Upper Prefixed Lower Splitters Quotient Related.
Import ListNotations.
Open Scope Q_scope.

(** ** The check *)
Definition check_merges (c : chain) (e : chain * list N) (splitters : list (list N)) : bool :=
  let p := classes c splitters in let own := map_of (snd e) in let place := placed own in
  let all := map (fun s => (place s, first p s)) (counted 0 c) in
  check_quotient c (fst e) (snd e)
  && forallb (fun k => existsb (fun s => (fst s =? k)%N) all) (counted 0 (fst e))
  && forallb (fun s => inside (fst e) (fst s)) all
  && forallb (fun s => forallb (fun t => if (fst s =? fst t)%N then true else negb (snd s =? snd t)%N) all) all.

Section Merges.
  Variables (c : chain) (e : chain * list N) (splitters : list (list N)).
  Hypothesis H : check_merges c e splitters = true.
  Let b := fst e.
  Let place := class (snd e).

  Lemma merges_quotient : check_quotient c b (snd e) = true.
  Proof. unfold check_merges in H. cbv zeta in H. now do 3 apply andb_prop in H as [H _]. Qed.

  Lemma merges_sound : merges c b place.
  Proof.
    assert (Q := merges_quotient). destruct (quotient_models _ _ _ Q) as [M _]. unfold check_merges in H. cbv zeta in H.
    rewrite !counted_states, !andb_true_iff, !forallb_forall in H. destruct H as (((_ & S) & I) & F).
    assert (P : forall s, placed (map_of (snd e)) s = place s) by (intro s; apply placed_class).
    assert (At : forall s, In s (states c) -> In (place s, first (classes c splitters) s) (map (fun s => (placed (map_of (snd e)) s, first (classes c splitters) s)) (states c))).
    { intros s Hs. rewrite <- (P s). apply in_map_iff. now exists s. }
    split.
    - intros k Hk. specialize (S k Hk). apply existsb_exists in S as (x & Hx & E). apply in_map_iff in Hx as (s & <- & Hs). apply N.eqb_eq in E. cbn [fst] in E.
      exists s. split; [exact Hs|]. now rewrite <- P.
    - intros s Hs. destruct (class_ok _ _ _ Q s Hs) as [L G]. split; [apply inside_spec, (I _ (At s Hs))|]. split; [now symmetry|]. split.
      + intro A. rewrite !enters_mean. symmetry. exact (G (fun k => if A k then 1 else 0)).
      + intros t Ht. specialize (F _ (At s Hs)). rewrite forallb_forall in F. specialize (F _ (At t Ht)). cbn [fst snd] in F. split.
        * intro E. exists place. split; [|exact E]. now apply (quotient_bisimulation c b).
        * intro B. destruct (N.eqb_spec (place s) (place t)) as [E|_]; [exact E|]. apply negb_true_iff, N.eqb_neq in F. exfalso. apply F. now apply bisimilar_classes.
  Qed.
End Merges.

Definition in_classes (e : chain * list N) (R : list (N * N)) : list (N * N) := map (fun st => (class (snd e) (fst st), class (snd e) (snd st))) R.
Definition check_merged_ld (both : bool) (c : chain) (alpha v : Q) (R : list (N * N)) (e : chain * list N) (splitters : list (list N)) (D : positive) (rows : list urow) : bool :=
  check_merges c e splitters && forallb (fun st => inside c (fst st) && inside c (snd st)) R
  && (if both then check_bd_at_most else check_ld_at_most) (fst e) alpha v (in_classes e R) D rows.

Theorem merged_distance_sound (both : bool) c alpha v R e splitters D rows : check_merged_ld both c alpha v R e splitters D rows = true ->
  markov c /\ forall s t, In (s, t) R -> merged (fun b => (if both then bd_at_most else ld_at_most) b alpha v) c s t /\ close c alpha v s t.
Proof.
  unfold check_merged_ld. rewrite !andb_true_iff, forallb_forall. intros ((H & I) & C). assert (Q := merges_quotient c e splitters H).
  destruct (quotient_models _ _ _ Q) as [M _]. split; [now apply model_sound|].
  assert (B : forall s t, In (s, t) (in_classes e R) -> (if both then bd_at_most else ld_at_most) (fst e) alpha v s t /\ close (fst e) alpha v s t).
  { destruct both; [apply bd_at_most_sound in C as [_ C]|apply ld_at_most_sound in C as [_ C]]; exact C. }
  intros s t J. specialize (I _ J). cbn [fst snd] in I. apply andb_prop in I as [Is It]. apply inside_spec in Is, It.
  destruct (B (class (snd e) s) (class (snd e) t)) as [L Cl]; [unfold in_classes; apply in_map_iff; now exists (s, t)|]. split.
  - exists (fst e), (class (snd e)). split; [now apply merges_sound with splitters|exact L].
  - intros n E. rewrite (quotient_prob c (fst e) (snd e) Q n s E Is), (quotient_prob c (fst e) (snd e) Q n t E It). apply Cl.
Qed.

Definition check_merged_least (both : bool) (c : chain) (alpha v : Q) (s t : N) (e : chain * list N) (splitters : list (list N)) (D : positive) (rows : list lrow) (parting : list (list N)) : bool :=
  check_merges c e splitters && check_least (fst e) alpha v (class (snd e) s) (class (snd e) t) D rows parting both.

Theorem merged_least_sound (both : bool) c alpha v s t e splitters D rows parting : check_merged_least both c alpha v s t e splitters D rows parting = true ->
  markov c /\ merged (fun b => (if both then bd_at_least else ld_at_least) b alpha v) c s t.
Proof.
  unfold check_merged_least. rewrite andb_true_iff. intros (H & L). destruct (quotient_models _ _ _ (merges_quotient c e splitters H)) as [M _]. split; [now apply model_sound|].
  exists (fst e), (class (snd e)). split; [now apply merges_sound with splitters|].
  destruct both; [intros d Hd Sy|intros d Hd]; now apply (least_sound _ _ _ _ _ _ _ _ _ L d).
Qed.
