; sat: (s,t) is not skewed bisimilar: it is removed in round 1; unsat: it is skewed bisimilar
;
; Skewed bisimilarity is the set of pairs that are left after rounds of removal. A round removes every pair without a
; coupling on the pairs that are left which leaves no mass over. By duality these are the pairs with potentials f
; such that f_i <= alpha f_j for all pairs (i,j) that are left, and f (mu_s - alpha mu_t) > 0. This is round
; 1, which removes (s,t), or the last one if none does. Pairs of different label are removed before.
; Theorems: Proposition 24 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019); docs/theory.md,
; "Kernels and ranks".
; Logic: QF_LRA.
; Variables:
;   f.i   the potential of state i
; A model is the evidence of certificates that the pair is removed.
; s = 0, t = 1. States:
;   0 = "s0", label "a"
;   1 = "s1", label "a"
;   2 = "s2", label "b"
;   3 = "s3", label "c"
(set-info :smt-lib-version 2.6)
; Pairs of equal label that are left: 2 of 2.
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Proposition 24: skewed bisimilarity by refinement.
|)
(set-info :status unsat)
(set-logic QF_LRA)
(declare-const f.2 Real)
(assert (and (<= 0.0 f.2) (<= f.2 1.0)))
(declare-const f.3 Real)
(assert (and (<= 0.0 f.3) (<= f.3 1.0)))
(assert (> (+ (* 0.0 f.2) (* (/ (- 1.0) 2.0) f.3)) 0.0))
(check-sat)
