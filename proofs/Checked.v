(** * What the proved program decides: claims, their meaning, and one function for all kinds

    The program of the folder [checker] reads a certificate, calls [check], and says that the claim holds where this is true. *)
From Coq Require Import List NArith ZArith QArith Bool.
From Prover Require Import Chain Distance Upper Prefixed Lower Tables Delta Fast.
Import ListNotations.

(** A claim; R lists pairs of states. *)
Inductive claim :=
  | Close (c : chain) (alpha delta : Q) (R : list (N * N))
  | Needed (c : chain) (alpha delta : Q) (s t : N)
  | DistanceAtMost (both : bool) (c : chain) (alpha v : Q) (R : list (N * N))
  | DistanceAtLeast (both : bool) (c : chain) (alpha v : Q) (s t : N)
  | AllPairs (both : bool) (c : chain) (alpha width : Q) (values : list (list Q)).

(** What it says, in the words of [Chain.v] and [Distance.v]. [both]: the symmetric distance bd, and not ld. *)
Definition at_most (both : bool) := if both then bd_at_most else ld_at_most.
Definition at_least (both : bool) := if both then bd_at_least else ld_at_least.
Definition holds (claimed : claim) : Prop :=
  match claimed with
  | Close c alpha delta R => markov c /\ forall s t, In (s, t) R -> close c alpha delta s t
  | Needed c alpha delta s t => markov c /\ needed c alpha delta s t
  | DistanceAtMost both c alpha v R => markov c /\ forall s t, In (s, t) R -> at_most both c alpha v s t /\ close c alpha v s t
  | DistanceAtLeast both c alpha v s t => at_least both c alpha v s t
  | AllPairs both c alpha width values => markov c /\ forall s t, In s (states c) -> In t (states c) ->
      at_least both c alpha (in_matrix values s t) s t /\ at_most both c alpha (in_matrix values s t + width) s t /\
      close c alpha (in_matrix values s t + width) s t
  end.

(** Tables from above and from below. *)
Record above := { unit_above : positive; couples : list urow }.
Record below := { unit_below : positive; bounds : list lrow; splitters : list (list N) }.

(** Evidence; whoever makes it need not be trusted. *)
Inductive evidence := Unrolled (e : unrolled) | Couplings (u : above) | Potentials (l : below) | Between (u : above) (l : below).

Definition check (claimed : claim) (e : evidence) : bool :=
  match claimed, e with
  | Close c alpha delta R, Unrolled e => check_delta_at_most c alpha delta R e
  | Needed c alpha delta s t, Unrolled e => check_delta_at_least c alpha delta s t e
  | DistanceAtMost both c alpha v R, Couplings u =>
      if both then check_bd_at_most c alpha v R (unit_above u) (couples u) else check_ld_at_most c alpha v R (unit_above u) (couples u)
  | DistanceAtLeast both c alpha v s t, Potentials l => fast_least c alpha v s t (unit_below l) (bounds l) (splitters l) both
  | AllPairs both c alpha width values, Between u l =>
      fast_matrix c alpha width values (unit_above u) (couples u) (unit_below l) (bounds l) (splitters l) both
  | _, _ => false
  end.

(** The theorem about the program: what [check] accepts is true, whatever the evidence is. *)
Theorem check_sound claimed e : check claimed e = true -> holds claimed.
Proof.
  destruct claimed as [c alpha delta R|c alpha delta s t|[] c alpha v R|[] c alpha v s t|[] c alpha width values], e as [e|u|l|u l];
    cbn [check holds at_most at_least]; try discriminate.
  - apply delta_at_most_sound.
  - apply delta_at_least_sound.
  - apply bd_at_most_sound.
  - apply ld_at_most_sound.
  - intros H d Hd Sy. apply fast_least_sound in H. now apply (least_sound _ _ _ _ _ _ _ _ _ H d).
  - intros H d Hd. apply fast_least_sound in H. now apply (least_sound _ _ _ _ _ _ _ _ _ H d).
  - intro H. apply fast_matrix_sound in H. exact (bd_matrix_sound _ _ _ _ _ _ _ _ _ H).
  - intro H. apply fast_matrix_sound in H. exact (ld_matrix_sound _ _ _ _ _ _ _ _ _ H).
Qed.

(** All parts of a certificate. *)
Definition check_all (parts : list (claim * evidence)) : bool := forallb (fun p => check (fst p) (snd p)) parts.
Theorem check_all_sound parts : check_all parts = true -> forall p, In p parts -> holds (fst p).
Proof. unfold check_all. rewrite forallb_forall. intros H p Hp. now apply (check_sound _ (snd p)), H. Qed.
