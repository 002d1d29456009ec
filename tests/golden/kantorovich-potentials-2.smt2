; sat: K(d)(mu_s, mu_t) >= theta; unsat: K(d)(mu_s, mu_t) < theta
;
; The skewed Kantorovich lifting of a given table d, as a maximum over potentials.
; Theorems: Definition 13 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019), for finitely many
; states; docs/theory.md, "The lifting as a flow". K(d) splits by label, and states of labels that neither s nor t
; enters do not matter.
; Logic: QF_LRA.
; Variables:
;   f.i   the potential of state i
; A model is a vector of potentials that proves the bound.
; The table d is 0 on the diagonal, 1 where labels differ, and as written in the formula elsewhere.
; s = 0, t = 1. States:
;   0 = "s0", label "a"
;   1 = "s1", label "a"
;   2 = "s2", label "b"
;   3 = "s3", label "c"
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Definition 13: asymmetric skewed Kantorovich lifting.
|)
(set-info :status unsat)
(set-logic QF_LRA)
(define-fun theta () Real (/ 1.0 20.0))
(declare-const f.2 Real)
(assert (and (<= 0.0 f.2) (<= f.2 1.0)))
(declare-const f.3 Real)
(assert (and (<= 0.0 f.3) (<= f.3 1.0)))
(assert (>= (+ (* 0.0 f.2) (* (/ (- 1.0) 2.0) f.3)) theta))
(check-sat)
