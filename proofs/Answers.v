(** * Answers: what an [Answer.v] applies *)
From Coq Require Import List NArith ZArith QArith.
From Prover Require Import Chain Distance Bisimilar Process Seen Upper Prefixed Lower Tables Delta Related Merged Attackers AllActions Collapsed Decode.
Import ListNotations.

(** Every pair of R is close: ld, and so delta, is at most [delta]. *)
Theorem ld_upper c alpha delta R l :
  (let t := upper_table l in check_ld_at_most c alpha delta R (fst t) (snd t)) = true ->
  markov c /\ forall s t, In (s, t) R -> ld_at_most c alpha delta s t /\ close c alpha delta s t.
Proof. apply ld_at_most_sound. Qed.

(** ld(s, t) is at least [delta]. *)
Theorem ld_lower c alpha delta s t l :
  (let (t', p) := lower_table l in check_least c alpha delta s t (fst t') (snd t') p false) = true -> ld_at_least c alpha delta s t.
Proof. destruct (lower_table l) as [t' p]. intros H d Hd. now apply (least_sound _ _ _ _ _ _ _ _ _ H d). Qed.

(** Every pair of R is close: bd is at most [delta]. *)
Theorem bd_upper c alpha delta R l :
  (let t := upper_table l in check_bd_at_most c alpha delta R (fst t) (snd t)) = true ->
  markov c /\ forall s t, In (s, t) R -> bd_at_most c alpha delta s t /\ close c alpha delta s t.
Proof. apply bd_at_most_sound. Qed.

(** bd(s, t) is at least [delta]. *)
Theorem bd_lower c alpha delta s t l :
  (let (t', p) := lower_table l in check_least c alpha delta s t (fst t') (snd t') p true) = true -> bd_at_least c alpha delta s t.
Proof. destruct (lower_table l) as [t' p]. intros H d Hd Sy. now apply (least_sound _ _ _ _ _ _ _ _ _ H d). Qed.

(** Every pair of R is close. *)
Theorem delta_upper c alpha delta R l :
  check_delta_at_most c alpha delta R (unrolled_of l) = true -> markov c /\ forall s t, In (s, t) R -> close c alpha delta s t.
Proof. apply delta_at_most_sound. Qed.

(** Less than [delta] is not enough from s to t. *)
Theorem delta_lower c alpha delta s t l :
  check_delta_at_least c alpha delta s t (unrolled_of l) = true -> markov c /\ needed c alpha delta s t.
Proof. apply delta_at_least_sound. Qed.

(** ld(s, t) lies between the value that the matrix has for s and t, and this value plus [width]; so delta is at most the latter. *)
Theorem ld_everywhere c alpha width values l l' :
  (let t := upper_table l in let (t', p) := lower_table l' in
   check_matrix c alpha width values (fst t) (snd t) (fst t') (snd t') p false) = true ->
  markov c /\ forall s t, In s (states c) -> In t (states c) ->
    ld_at_least c alpha (in_matrix values s t) s t /\ ld_at_most c alpha (in_matrix values s t + width) s t /\
    close c alpha (in_matrix values s t + width) s t.
Proof. destruct (lower_table l') as [t' p]. apply ld_matrix_sound. Qed.

(** The same for bd. *)
Theorem bd_everywhere c alpha width values l l' :
  (let t := upper_table l in let (t', p) := lower_table l' in
   check_matrix c alpha width values (fst t) (snd t) (fst t') (snd t') p true) = true ->
  markov c /\ forall s t, In s (states c) -> In t (states c) ->
    bd_at_least c alpha (in_matrix values s t) s t /\ bd_at_most c alpha (in_matrix values s t + width) s t /\
    close c alpha (in_matrix values s t + width) s t.
Proof. destruct (lower_table l') as [t' p]. apply bd_matrix_sound. Qed.

(** ld(s, t) is above 0. *)
Theorem kernel_lower c alpha s t l : check_unrelated c alpha s t (separators_of l) = true -> markov c /\ ~ ld_at_most c alpha 0 s t.
Proof. apply unrelated_sound. Qed.

(** ld(s, t) is 0 exactly where the matrix has 0. *)
Theorem kernel_everywhere c alpha values l l' :
  (let t := upper_table l in check_kernel c alpha values (fst t) (snd t) (separators_of l')) = true ->
  markov c /\ forall s t, In s (states c) -> In t (states c) -> (ld_at_most c alpha 0 s t <-> in_matrix values s t == 0).
Proof. apply kernel_sound. Qed.

(** Every pair of R is bisimilar. *)
Theorem bisimilar_upper c R l : check_bisimilar c R (classes_of l) = true -> markov c /\ forall s t, In (s, t) R -> bisimilar c s t.
Proof. apply bisimilar_sound. Qed.

(** s and t are not bisimilar. *)
Theorem bisimilar_lower c s t l : check_distinct c s t (splitters_of l) = true -> markov c /\ ~ bisimilar c s t.
Proof. apply distinct_sound. Qed.

(** States are bisimilar exactly where the matrix has 0. *)
Theorem bisimilar_everywhere c values l l' : check_bisimilarity c values (classes_of l) (splitters_of l') = true ->
  markov c /\ forall s t, In s (states c) -> In t (states c) -> (bisimilar c s t <-> in_matrix values s t == 0).
Proof. apply bisimilarity_sound. Qed.

(** No attacker gains more than [delta], for any pair of R. *)
Theorem against_upper c alpha delta R l : check_against_at_most c alpha delta R (against_of l) = true ->
  markov_process c /\ forall s t, In (s, t) R -> close_to_all c alpha delta s t.
Proof. apply against_at_most_sound. Qed.

(** Less than [delta] is not enough from s to t. *)
Theorem against_lower c alpha delta s t l : check_against_at_least c alpha delta s t (against_of l) = true ->
  markov_process c /\ needed_by_some c alpha delta s t.
Proof. apply against_at_least_sound. Qed.

(** Every pair of R is close, for this observer. *)
Theorem seen_upper c o alpha delta R l : check_seen_at_most c o alpha delta R (seen_of l) = true ->
  markov c /\ forall s t, In (s, t) R -> close_seen c o alpha delta s t.
Proof. apply seen_at_most_sound. Qed.

(** Less than [delta] is not enough from s to t. *)
Theorem seen_lower c o alpha delta s t l : check_seen_at_least c o alpha delta s t (seen_of l) = true -> markov c /\ needed_seen c o alpha delta s t.
Proof. apply seen_at_least_sound. Qed.

(** Every pair of R is close, for this observer: by a distance in the chain of what is seen. *)
Theorem seen_ld_upper c o alpha delta R l :
  (let e := seen_table_of l in check_seen_distance c o alpha delta R (fst e) (fst (snd e)) (snd (snd e))) = true ->
  markov c /\ forall s t, In (s, t) R -> close_seen c o alpha delta s t.
Proof. apply seen_distance_sound. Qed.

(** Every pair of R is close, whatever attackers do: ld, and so delta, is at most [delta]. *)
Theorem ld_for_all_upper c alpha delta R l : (let t := upper_tables l in check_ld_for_all c alpha delta R (fst t) (snd t)) = true ->
  markov_process c /\ forall s t, In (s, t) R -> ld_at_most_for_all c alpha delta s t /\ close_to_all c alpha delta s t.
Proof. apply ld_for_all_sound. Qed.

(** The same for bd. *)
Theorem bd_for_all_upper c alpha delta R l : (let t := upper_tables l in check_bd_for_all c alpha delta R (fst t) (snd t)) = true ->
  markov_process c /\ forall s t, In (s, t) R -> bd_at_most_for_all c alpha delta s t /\ close_to_all c alpha delta s t.
Proof. apply bd_for_all_sound. Qed.

(** Every pair of R is bisimilar under all actions. *)
Theorem bisimilar_for_all_upper c R l : (let b := process_classes_of l in check_bisimilar_for_all c R (fst b) (snd b)) = true ->
  markov_process c /\ forall s t, In (s, t) R -> bisimilar_for_all c s t.
Proof. apply bisimilar_for_all_sound. Qed.

(** s and t are not. *)
Theorem bisimilar_for_all_lower c s t l : check_distinct_for_all c s t (splitters_of l) = true -> markov_process c /\ ~ bisimilar_for_all c s t.
Proof. apply distinct_for_all_sound. Qed.

(** States are bisimilar under all actions exactly where the matrix has 0. *)
Theorem bisimilar_for_all_everywhere c values l l' :
  (let b := process_classes_of l in check_bisimilarity_for_all c values (fst b) (snd b) (splitters_of l')) = true ->
  markov_process c /\ forall s t, In s (states (acting c 0)) -> In t (states (acting c 0)) -> (bisimilar_for_all c s t <-> in_matrix values s t == 0).
Proof. apply bisimilarity_for_all_sound. Qed.

(** No attacker gains more than [delta], for any pair of R: so it is for the classes of states. *)
Theorem merged_upper c alpha delta R l : (let e := merged_of l in check_merged_at_most c alpha delta R (fst (fst e)) (snd (fst e)) (snd e)) = true ->
  markov_process c /\ forall s t, In (s, t) R -> close_to_all c alpha delta s t.
Proof. apply merged_at_most_sound. Qed.

(** Less than [delta] is not enough from s to t: so it is for their classes. *)
Theorem merged_lower c alpha delta s t l : (let e := merged_of l in check_merged_at_least c alpha delta s t (fst (fst e)) (snd (fst e)) (snd e)) = true ->
  markov_process c /\ needed_by_some c alpha delta s t.
Proof. apply merged_at_least_sound. Qed.

(** Every pair of R is close: ld in the chain of the classes of bisimilar states is at most [delta]. *)
Theorem merged_ld_upper c alpha delta R l :
  (let e := merged_table_of l in check_merged_ld false c alpha delta R (fst (fst e)) (snd (fst e)) (fst (snd e)) (snd (snd e))) = true ->
  markov c /\ forall s t, In (s, t) R -> merged (fun b => ld_at_most b alpha delta) c s t /\ close c alpha delta s t.
Proof. apply (merged_distance_sound false). Qed.
Theorem merged_bd_upper c alpha delta R l :
  (let e := merged_table_of l in check_merged_ld true c alpha delta R (fst (fst e)) (snd (fst e)) (fst (snd e)) (snd (snd e))) = true ->
  markov c /\ forall s t, In (s, t) R -> merged (fun b => bd_at_most b alpha delta) c s t /\ close c alpha delta s t.
Proof. apply (merged_distance_sound true). Qed.

(** ld of the classes of s and t is at least [delta] there. *)
Theorem merged_ld_lower c alpha delta s t l :
  (let e := merged_lower_of l in
   check_merged_least false c alpha delta s t (fst (fst e)) (snd (fst e)) (fst (fst (snd e))) (snd (fst (snd e))) (snd (snd e))) = true ->
  markov c /\ merged (fun b => ld_at_least b alpha delta) c s t.
Proof. apply (merged_least_sound false). Qed.
Theorem merged_bd_lower c alpha delta s t l :
  (let e := merged_lower_of l in
   check_merged_least true c alpha delta s t (fst (fst e)) (snd (fst e)) (fst (fst (snd e))) (snd (fst (snd e))) (snd (snd e))) = true ->
  markov c /\ merged (fun b => bd_at_least b alpha delta) c s t.
Proof. apply (merged_least_sound true). Qed.
