(** * What the theorems rest on: nothing but Coq's kernel *)
From Prover Require Import Answers.
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
