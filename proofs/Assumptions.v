(** * What the theorems rest on: nothing but Coq's kernel, for chains and compositions *)
From Prover Require Import Answers Composition Replaced Checked.
From Prover.programs Require Import Claims.
Print Assumptions ld_upper.
Print Assumptions ld_lower.
Print Assumptions delta_upper.
Print Assumptions delta_lower.
Print Assumptions ld_everywhere.
Print Assumptions bd_upper.
Print Assumptions bd_lower.
Print Assumptions bd_everywhere.
Print Assumptions kernel_lower.
Print Assumptions kernel_everywhere.
Print Assumptions bisimilar_upper.
Print Assumptions bisimilar_lower.
Print Assumptions bisimilar_everywhere.
Print Assumptions against_upper.
Print Assumptions against_lower.
Print Assumptions ld_for_all_upper.
Print Assumptions bd_for_all_upper.
Print Assumptions bisimilar_for_all_upper.
Print Assumptions bisimilar_for_all_lower.
Print Assumptions bisimilar_for_all_everywhere.
Print Assumptions merged_ld_upper.
Print Assumptions merged_bd_upper.
Print Assumptions merged_ld_lower.
Print Assumptions merged_bd_lower.
Print Assumptions merged_upper.
Print Assumptions merged_lower.
Print Assumptions seen_upper.
Print Assumptions seen_lower.
Print Assumptions seen_ld_upper.
Print Assumptions composition_upper.
Print Assumptions composition_lower.
Print Assumptions trials_upper.
Print Assumptions trials_lower.
Print Assumptions check_all_sound.

(** Theorems about programs with noise on a grid assume nothing, either. Those about Laplace noise assume what Coq's library assumes to define
    real numbers: two principles of decision, and that functions with equal values are equal. *)
From Prover.programs Require Parts Corners LaplaceChecked ProfileClaims ObserverClaims LaplaceObserverClaims.
Print Assumptions Parts.parts_sound.
Print Assumptions Corners.parts_sound.
Print Assumptions table_upper.
Print Assumptions run_lower.
Print Assumptions family_lower.
Print Assumptions ProfileClaims.profile_upper.
Print Assumptions LaplaceChecked.laplace_checked.
Print Assumptions LaplaceChecked.laplace_seen_checked.
Print Assumptions ObserverClaims.groups_upper.
Print Assumptions ObserverClaims.last_upper.
Print Assumptions LaplaceObserverClaims.groups_upper.
Print Assumptions LaplaceObserverClaims.last_upper.
