; sat: ld(s,t) >= theta; unsat: ld(s,t) < theta
;
; Is there a post-fixed point d <= Gamma(d) with d(s,t) >= theta that is 0 on skewed bisimilarity? ld is the
; greatest one (Theorem A), so one linear formula decides. For every pair potentials f show that
; d(q,r) <= K(d)(mu_q, mu_r).
; Theorems: docs/theory.md, "Theorem A" and "Distance one".
; Logic: QF_LRA.
; Variables, for every pair (q,r) of two different states of equal label that ld(s,t) depends on, except those
; that are skewed bisimilar, whose distance is 0, and those whose distance is 1 for every alpha:
;   d.q.r     the distance from q to r
;   f.q.r.i   the potential of state i: of every state, also outside the supports, of a label in which
;             b = mu_q - alpha mu_r is positive at some state and negative at another
; A label in which b is nowhere negative contributes a number, and one in which it is nowhere positive nothing.
; A model is the lower evidence of a certificate, without the ranks.
; s = 0, t = 1. States:
;   0 = "s0", label "a"
;   1 = "s1", label "a"
;   2 = "s2", label "b"
;   3 = "s3", label "c"
(set-info :smt-lib-version 2.6)
(set-info :source |
The linear program for the greatest fixed point of "Asymmetric Distances for Approximate Differential Privacy"
(CONCUR 2019), Section 7, with the lifting in its form with potentials, as a question about a threshold.
|)
(set-info :status unsat)
(set-logic QF_LRA)
(define-fun theta () Real (/ 1.0 20.0))
(assert (>= 0.0 theta))
(check-sat)
