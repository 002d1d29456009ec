; sat: ld(s,t) >= theta; unsat: ld(s,t) < theta
;
; Is there a post-fixed point d <= Gamma(d) with d(s,t) >= theta that is 0 on skewed bisimilarity? ld is the
; greatest one (Theorem A), so one linear formula decides. For every pair potentials f show that
; d(q,r) <= K(d)(mu_q, mu_r).
; Theorems: docs/theory.md, "Theorem A: ld = lgd" and "Free states".
; Logic: QF_LRA.
; Variables, for every pair (q,r) of two different states of equal label that ld(s,t) depends on and that is
; not skewed bisimilar (those are at distance 0):
;   d.q.r     the distance from q to r
;   f.q.r.i   the potential of state i, where b_i = mu_q(i) - alpha mu_r(i) is not 0
;   m.q.r.i   at most d(i,u) for all states u of i's label with b_u = 0
;   l.q.r.j   at most d(u,j) for all states u of j's label with b_u = 0
; States u with b_u = 0 get no potential of their own: there are potentials for them if
; f_i <= m_i + alpha l_j + alpha^2 f_j. A label in which b is nowhere negative contributes a number, and one
; in which it is nowhere positive contributes nothing.
; A model is the lower evidence of a certificate, but for the ranks.
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
