(** * What the proved program decides: claims, their meaning, and one function for all kinds

    The program of the folder [checker] reads a certificate, calls [check], and says that the claim holds where this is true. *)
From Coq Require Import List NArith ZArith QArith Bool.
From Prover Require Import Chain Distance Bisimilar Process Seen Rows Upper Prefixed Lower Tables Quotient Delta Related Merged Attackers AllActions Collapsed Fast.
From Prover Require Laws Trials Composition Replaced.
From Prover.programs Require Program Geometric Table Parts Multipliers Runs Families Climbs Approximate Spots Observer Cuttable Groups Last.
Import ListNotations.

(** A claim; R lists pairs of states. *)
Inductive claim :=
  | Close (c : chain) (alpha delta : Q) (R : list (N * N))
  | Needed (c : chain) (alpha delta : Q) (s t : N)
  | DistanceAtMost (both : bool) (c : chain) (alpha v : Q) (R : list (N * N))
  | DistanceAtLeast (both : bool) (c : chain) (alpha v : Q) (s t : N)
  | AllPairs (both : bool) (c : chain) (alpha width : Q) (values : list (list Q))
  | Unrelated (c : chain) (alpha : Q) (s t : N)
  | Kernel (c : chain) (alpha : Q) (values : list (list Q))
  | Bisimilar (c : chain) (R : list (N * N))
  | Distinct (c : chain) (s t : N)
  | Bisimilarity (c : chain) (values : list (list Q))
  | Merges (c b : chain) (place : list N)
  | Shows (c : chain) (o : observer) (b : chain) (begins : list (N * N))
  | CloseSeen (c : chain) (o : observer) (alpha delta : Q) (R : list (N * N))
  | NeededSeen (c : chain) (o : observer) (alpha delta : Q) (s t : N)
  | CloseToAll (P : process) (alpha delta : Q) (R : list (N * N))
  | NeededBySome (P : process) (alpha delta : Q) (s t : N)
  | AtMostForAll (both : bool) (P : process) (alpha v : Q) (R : list (N * N))
  | BisimilarForAll (P : process) (R : list (N * N))
  | DistinctForAll (P : process) (s t : N)
  | BisimilarityForAll (P : process) (values : list (list Q))
  | LossAtMost (p : Program.program) (start : N) (a : Program.adjacency) (v : Z)
  | LossAtLeast (p : Program.program) (start : N) (a : Program.adjacency) (v : Z)
  | NotPrivate (p : Program.program) (start : N) (a : Program.adjacency)
  | DeltaAtMost (p : Program.program) (start : N) (a : Program.adjacency) (low high : Q) (l : list (Q * Q))
  | LossSeenAtMost (p : Program.program) (start : N) (a : Program.adjacency) (v : Z)
  | CanBeCut (p : Program.program) (start : N)
  | GainsAtMost (l : Trials.trials) (alpha delta : Q)
  | GainsAtLeast (l : Trials.trials) (alpha delta : Q) (s : Laws.secret).

(** What it says, in the words of [Chain.v], [Distance.v], [Bisimilar.v], [Process.v], [Seen.v], [Laws.v] with [Trials.v], and [Program.v] with
    [Geometric.v], [Approximate.v], [Observer.v] and [Cuttable.v]: programs have noise on a grid. [both]: the symmetric distance bd, and not ld. The list of [DeltaAtMost] has pairs of alpha and
    delta. [CanBeCut] is a part of claims about Laplace noise, as [LaplaceChecked.v] has it. A claim about the chain of the classes of bisimilar states has a part [Merges], and one about the chain of what an observer sees a part
    [Shows]; the other parts are then about this chain b. *)
Definition at_most (both : bool) := if both then bd_at_most else ld_at_most.
Definition at_least (both : bool) := if both then bd_at_least else ld_at_least.
Definition at_most_for_all (both : bool) := if both then bd_at_most_for_all else ld_at_most_for_all.
Definition holds (claimed : claim) : Prop :=
  match claimed with
  | Close c alpha delta R => markov c /\ forall s t, In (s, t) R -> close c alpha delta s t
  | Needed c alpha delta s t => markov c /\ needed c alpha delta s t
  | DistanceAtMost both c alpha v R => markov c /\ forall s t, In (s, t) R -> at_most both c alpha v s t /\ close c alpha v s t
  | DistanceAtLeast both c alpha v s t => at_least both c alpha v s t
  | AllPairs both c alpha width values => markov c /\ forall s t, In s (states c) -> In t (states c) ->
      at_least both c alpha (in_matrix values s t) s t /\ at_most both c alpha (in_matrix values s t + width) s t /\
      close c alpha (in_matrix values s t + width) s t
  | Unrelated c alpha s t => markov c /\ ~ ld_at_most c alpha 0 s t
  | Kernel c alpha values => markov c /\ forall s t, In s (states c) -> In t (states c) -> (ld_at_most c alpha 0 s t <-> in_matrix values s t == 0)
  | Bisimilar c R => markov c /\ forall s t, In (s, t) R -> bisimilar c s t
  | Distinct c s t => markov c /\ ~ bisimilar c s t
  | Bisimilarity c values => markov c /\ forall s t, In s (states c) -> In t (states c) -> (bisimilar c s t <-> in_matrix values s t == 0)
  | Merges c b place => markov c /\ merges c b (class place)
  | Shows c o b begins => markov c /\ shows c o b begins
  | CloseSeen c o alpha delta R => markov c /\ forall s t, In (s, t) R -> close_seen c o alpha delta s t
  | NeededSeen c o alpha delta s t => markov c /\ needed_seen c o alpha delta s t
  | CloseToAll P alpha delta R => markov_process P /\ forall s t, In (s, t) R -> close_to_all P alpha delta s t
  | NeededBySome P alpha delta s t => markov_process P /\ needed_by_some P alpha delta s t
  | AtMostForAll both P alpha v R => markov_process P /\ forall s t, In (s, t) R -> at_most_for_all both P alpha v s t /\ close_to_all P alpha v s t
  | BisimilarForAll P R => markov_process P /\ forall s t, In (s, t) R -> bisimilar_for_all P s t
  | DistinctForAll P s t => markov_process P /\ ~ bisimilar_for_all P s t
  | BisimilarityForAll P values => markov_process P /\ forall s t, In s (states (acting P 0)) -> In t (states (acting P 0)) ->
      (bisimilar_for_all P s t <-> in_matrix values s t == 0)
  | LossAtMost p start a v => Program.proper p /\ Geometric.loss_at_most p start a v
  | LossAtLeast p start a v => Program.proper p /\ Geometric.loss_at_least p start a v
  | NotPrivate p start a => Program.proper p /\ Geometric.not_private p start a
  | DeltaAtMost p start a low high l => Program.proper p /\
      forall alpha delta, In (alpha, delta) l -> Approximate.delta_at_most p start a low high alpha delta
  | LossSeenAtMost p start a v => Program.proper p /\ Observer.seen_loss_at_most p start a v
  | CanBeCut p start => Cuttable.all_cuttable p start
  | GainsAtMost l alpha delta => Trials.proper_trials l /\ Trials.trials_gain_at_most l alpha delta
  | GainsAtLeast l alpha delta s => Trials.proper_trials l /\ Trials.trials_gain_at_least l alpha delta s
  end.

(** Tables from above and from below. *)
Record above := { unit_above : positive; couples : list urow }.
Record below := { unit_below : positive; bounds : list lrow; splitters : list (list N) }.

(** Evidence; whoever makes it need not be trusted. *)
Inductive evidence :=
  | Unrolled (e : unrolled) | Couplings (u : above) | Potentials (l : below) | Between (u : above) (l : below)
  | Separators (l : list separator) | Parted (u : above) (l : list separator)
  | Classes (e : chain * list N) | Split (l : list (list N)) | Met (e : chain * list N) (l : list (list N))
  | Collapsed (e : collapse) | Observed (e : collapse) (u : unrolled)
  | Chosen (e : against) | Merged (B : process) (place : list N) (e : against) | Tables (unit : positive) (l : list (list urow))
  | Lumped (B : process) (place : list N) | LumpedMet (B : process) (place : list N) (l : list (list N))
  | Tabled (counted : list Z) (l : list Parts.part) | Taken (l : Multipliers.readings) (r : list Multipliers.step)
  | Family (l : list (bool * list Families.link)) | Profiled (spots : Table.mode -> list Spots.spot)
  | Grouped (l : list Groups.level) | Ended (counted : list Z) (nodes : Table.mode -> list Last.last_node) | Defined (l : list (list N))
  | Multiplied (basis : list Q) (l : list (Replaced.trace * list Composition.prepared)).

Definition check (claimed : claim) (e : evidence) : bool :=
  match claimed, e with
  | Close c alpha delta R, Unrolled e => check_delta_at_most c alpha delta R e
  | Needed c alpha delta s t, Unrolled e => check_delta_at_least c alpha delta s t e
  | DistanceAtMost both c alpha v R, Couplings u =>
      if both then check_bd_at_most c alpha v R (unit_above u) (couples u) else check_ld_at_most c alpha v R (unit_above u) (couples u)
  | DistanceAtLeast both c alpha v s t, Potentials l => fast_least c alpha v s t (unit_below l) (bounds l) (splitters l) both
  | AllPairs both c alpha width values, Between u l =>
      fast_matrix c alpha width values (unit_above u) (couples u) (unit_below l) (bounds l) (splitters l) both
  | Unrelated c alpha s t, Separators l => check_unrelated c alpha s t l
  | Kernel c alpha values, Parted u l => check_kernel c alpha values (unit_above u) (couples u) l
  | Bisimilar c R, Classes e => check_bisimilar c R e
  | Distinct c s t, Split l => check_distinct c s t l
  | Bisimilarity c values, Met e l => check_bisimilarity c values e l
  | Merges c b place, Split l => check_merges c (b, place) l
  | Shows c o b begins, Collapsed e => check_shows c o b begins e
  | CloseSeen c o alpha delta R, Observed e u => check_seen_at_most c o alpha delta R (e, u)
  | NeededSeen c o alpha delta s t, Observed e u => check_seen_at_least c o alpha delta s t (e, u)
  | CloseToAll P alpha delta R, Merged B place e => check_merged_at_most P alpha delta R B place e
  | NeededBySome P alpha delta s t, Merged B place e => check_merged_at_least P alpha delta s t B place e
  | AtMostForAll both P alpha v R, Tables unit l => if both then check_bd_for_all P alpha v R unit l else check_ld_for_all P alpha v R unit l
  | BisimilarForAll P R, Lumped B place => check_bisimilar_for_all P R B place
  | DistinctForAll P s t, Split l => check_distinct_for_all P s t l
  | BisimilarityForAll P values, LumpedMet B place l => check_bisimilarity_for_all P values B place l
  | CloseToAll P alpha delta R, Chosen e => check_against_at_most P alpha delta R e
  | NeededBySome P alpha delta s t, Chosen e => check_against_at_least P alpha delta s t e
  | LossAtMost p start a v, Tabled counted l => Parts.check_parts p start a v counted l
  | LossAtLeast p start a v, Taken l r => Runs.check_run p start a v l r
  | NotPrivate p start a, Family l => Climbs.check_family p start a l
  | DeltaAtMost p start a low high l, Profiled spots => Spots.check_profiles p start a low high l spots
  | LossSeenAtMost p start a v, Grouped l => Groups.check_hidden p start a v l
  | LossSeenAtMost p start a v, Ended counted nodes => Last.check_last p start a v counted nodes
  | CanBeCut p start, Defined l => Cuttable.plain l start p
  | GainsAtMost l alpha delta, Multiplied basis e => Replaced.check_trials_at_most basis alpha delta l e
  | GainsAtLeast l alpha delta s, Multiplied basis e => Replaced.check_trials_at_least basis s alpha delta l e
  | _, _ => false
  end.

(** The theorem about the program: what [check] accepts is true, whatever the evidence is. *)
Theorem check_sound claimed e : check claimed e = true -> holds claimed.
Proof.
  destruct claimed as [c alpha delta R|c alpha delta s t|[] c alpha v R|[] c alpha v s t|[] c alpha width values
    |c alpha s t|c alpha values|c R|c s t|c values|c b place|c o b begins|c o alpha delta R|c o alpha delta s t|P alpha delta R|P alpha delta s t
    |[] P alpha v R|P R|P s t|P values|p start a v|p start a v|p start a|p start a low high l
    |p start a v|p start|l alpha delta|l alpha delta s], e; cbn [check holds at_most at_least at_most_for_all]; try discriminate.
  - apply delta_at_most_sound.
  - apply delta_at_least_sound.
  - apply bd_at_most_sound.
  - apply ld_at_most_sound.
  - intros H d Hd Sy. apply fast_least_sound in H. now apply (least_sound _ _ _ _ _ _ _ _ _ H d).
  - intros H d Hd. apply fast_least_sound in H. now apply (least_sound _ _ _ _ _ _ _ _ _ H d).
  - intro H. apply fast_matrix_sound in H. exact (bd_matrix_sound _ _ _ _ _ _ _ _ _ H).
  - intro H. apply fast_matrix_sound in H. exact (ld_matrix_sound _ _ _ _ _ _ _ _ _ H).
  - apply unrelated_sound.
  - apply kernel_sound.
  - apply bisimilar_sound.
  - apply distinct_sound.
  - apply bisimilarity_sound.
  - intro H. split; [apply model_sound, (quotient_models _ _ _ (merges_quotient _ _ _ H))|exact (merges_sound _ _ _ H)].
  - apply shows_sound.
  - apply seen_at_most_sound.
  - apply seen_at_least_sound.
  - apply against_at_most_sound.
  - apply merged_at_most_sound.
  - apply against_at_least_sound.
  - apply merged_at_least_sound.
  - apply bd_for_all_sound.
  - apply ld_for_all_sound.
  - apply bisimilar_for_all_sound.
  - apply distinct_for_all_sound.
  - apply bisimilarity_for_all_sound.
  - apply Parts.parts_sound.
  - apply Runs.run_sound.
  - apply Climbs.family_sound.
  - apply Spots.profiles_sound.
  - apply Groups.hidden_sound.
  - apply Last.last_sound.
  - apply Cuttable.plain_cuttable.
  - apply Replaced.trials_at_most_sound.
  - apply Replaced.trials_at_least_sound.
Qed.

(** All parts of a certificate. *)
Definition check_all (parts : list (claim * evidence)) : bool := forallb (fun p => check (fst p) (snd p)) parts.
Theorem check_all_sound parts : check_all parts = true -> forall p, In p parts -> holds (fst p).
Proof. unfold check_all. rewrite forallb_forall. intros H p Hp. now apply (check_sound _ (snd p)), H. Qed.
