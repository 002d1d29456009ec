(** * Runs along whose tests samples can be cut

    What bounds the loss of an observer where noise is Laplace noise is proved for these runs only. *)
From Coq Require Import List NArith ZArith Bool.
From Prover.programs Require Import Program.
From Prover.programs Require Classes Ranks.
Import ListNotations.

Definition noisy (d : state) : Prop := rate_left d <> None \/ rate_right d <> None.
Definition untied (r : list transition) : Prop := forall t c, In t r -> In c (guard t) -> fst c <> Equal.
(** Its tests are of stored numbers and are not of equality, and all samples have noise. *)
Definition cuttable (p : program) (start : N) (r : list transition) : Prop :=
  Ranks.defined [] r = true /\ untied r /\ forall d, In d (Classes.noises p start r) -> noisy d.
Definition all_cuttable (p : program) (start : N) : Prop := forall n r, In r (runs p n start) -> cuttable p start r.

(** Samples have noise, no test is one of equality, and tests are of variables that were stored before: [vs] lists some for each state. *)
Definition among (l : list N) (v : N) : bool := existsb (N.eqb v) l.
Definition plain (vs : list (list N)) (start : N) (p : program) : bool :=
  let at_ u := nth (N.to_nat u) vs [] in
  forallb (fun k => let d := nth k p final in
    match rate_left d, rate_right d with None, None => false | _, _ => true end
    && forallb (fun t => forallb (fun c => match fst c with Equal => false | _ => among (nth k vs []) (snd c) end) (guard t)
                         && forallb (among (stores t ++ nth k vs [])) (at_ (target t))) (ways d)) (seq 0 (length p))
  && match at_ start with [] => true | _ => false end.

Lemma among_spec l v : among l v = true <-> In v l.
Proof.
  unfold among. rewrite existsb_exists. split; [intros (w & I & E); apply N.eqb_eq in E as ->; exact I|]. intro I. exists v. split; [exact I|apply N.eqb_refl].
Qed.
Lemma defined_more r : forall vs vs', (forall v, In v vs -> In v vs') -> Ranks.defined vs r = true -> Ranks.defined vs' r = true.
Proof.
  induction r as [|t r IH]; intros vs vs' S D; cbn [Ranks.defined] in *; [easy|]. apply andb_prop in D as [G D]. apply andb_true_intro. split.
  - rewrite forallb_forall in *. intros c I. apply among_spec, S, among_spec, G, I.
  - apply (IH (stores t ++ vs)); [|exact D]. intros v I. rewrite in_app_iff in *. destruct I as [I|I]; [now left|right; now apply S].
Qed.
Lemma plain_cuttable vs start p : plain vs start p = true -> all_cuttable p start.
Proof.
  unfold plain. cbv zeta. intro H. apply andb_prop in H as [H S]. rewrite forallb_forall in H.
  assert (K : forall u t, In t (ways (at_state p u)) -> (rate_left (at_state p u) <> None \/ rate_right (at_state p u) <> None) /\
    (forall c, In c (guard t) -> fst c <> Equal /\ In (snd c) (nth (N.to_nat u) vs [])) /\
    forall v, In v (nth (N.to_nat (target t)) vs []) -> In v (stores t ++ nth (N.to_nat u) vs [])).
  { intros u t I. assert (L : (N.to_nat u < length p)%nat).
    { destruct (Nat.lt_ge_cases (N.to_nat u) (length p)) as [L|G]; [exact L|]. unfold at_state in I. rewrite nth_overflow in I by exact G. destruct I. }
    specialize (H (N.to_nat u) ltac:(apply in_seq; Lia.lia)). apply andb_prop in H as [R H]. fold (at_state p u) in R, H. rewrite forallb_forall in H.
    specialize (H t I). apply andb_prop in H as [G T]. rewrite forallb_forall in G, T. split; [|split].
    - destruct (rate_left (at_state p u)), (rate_right (at_state p u)); (now left) || (now right) || discriminate.
    - intros c Ic. specialize (G c Ic). destruct (fst c); try discriminate; (split; [discriminate|now apply among_spec]).
    - intros v Iv. apply among_spec, T, Iv. }
  assert (A : forall n u r, In r (runs p n u) -> Ranks.defined (nth (N.to_nat u) vs []) r = true /\ untied r /\ forall d, In d (Classes.noises p u r) -> noisy d).
  { induction n as [|n IH]; intros u r I; cbn [runs] in I.
    - destruct I as [<-|[]]. split; [easy|split; [intros t c []|intros d []]].
    - apply in_flat_map in I as (t & It & I). apply in_map_iff in I as (r' & <- & I). destruct (K u t It) as (R & G & T). destruct (IH _ _ I) as (D & U & N).
      split; [|split].
      + cbn [Ranks.defined]. apply andb_true_intro. split; [apply forallb_forall; intros c Ic; now apply among_spec, G|].
        now apply (defined_more r' (nth (N.to_nat (target t)) vs [])).
      + intros t' c [<-|I'] Ic; [now apply G|now apply (U t')].
      + intros d [<-|I']; [exact R|now apply N]. }
  intros n r I. destruct (A n start r I) as (D & U & N). destruct (nth (N.to_nat start) vs []); [|discriminate]. now split.
Qed.
