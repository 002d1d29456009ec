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
;   0 = "0", label "a"
;   1 = "1", label "a"
;   2 = "2", label "b"
;   3 = "3", label "b"
;   4 = "end", label "end"
(set-info :smt-lib-version 2.6)
(set-info :source |
The linear program for the greatest fixed point of "Asymmetric Distances for Approximate Differential Privacy"
(CONCUR 2019), Section 7, with the lifting in its form with potentials, as a question about a threshold.
|)
(set-info :status sat)
(set-logic QF_LRA)
(define-fun theta () Real (/ 1.0 20.0))
(declare-const d.0.1 Real)
(assert (and (<= 0.0 d.0.1) (<= d.0.1 1.0)))
(declare-const d.1.0 Real)
(assert (and (<= 0.0 d.1.0) (<= d.1.0 1.0)))
(declare-const d.2.3 Real)
(assert (and (<= 0.0 d.2.3) (<= d.2.3 1.0)))
(declare-const d.3.2 Real)
(assert (and (<= 0.0 d.3.2) (<= d.3.2 1.0)))
; potentials for (0,1)
(declare-const f.0.1.2 Real)
(assert (and (<= 0.0 f.0.1.2) (<= f.0.1.2 1.0)))
(declare-const f.0.1.3 Real)
(assert (and (<= 0.0 f.0.1.3) (<= f.0.1.3 1.0)))
(assert (<= f.0.1.2 (+ d.2.3 (* (/ 11.0 10.0) f.0.1.3))))
(assert (<= f.0.1.3 (+ d.3.2 (* (/ 11.0 10.0) f.0.1.2))))
(assert (<= d.0.1 (+ (/ 13.0 1000.0) (* (/ 47.0 100.0) f.0.1.2) (* (/ (- 583.0) 1000.0) f.0.1.3))))
; potentials for (1,0)
(declare-const f.1.0.2 Real)
(assert (and (<= 0.0 f.1.0.2) (<= f.1.0.2 1.0)))
(declare-const f.1.0.3 Real)
(assert (and (<= 0.0 f.1.0.3) (<= f.1.0.3 1.0)))
(assert (<= f.1.0.2 (+ d.2.3 (* (/ 11.0 10.0) f.1.0.3))))
(assert (<= f.1.0.3 (+ d.3.2 (* (/ 11.0 10.0) f.1.0.2))))
(assert (<= d.1.0 (+ (* (/ (- 517.0) 1000.0) f.1.0.2) (* (/ 53.0 100.0) f.1.0.3))))
; potentials for (2,3)
(declare-const f.2.3.0 Real)
(assert (and (<= 0.0 f.2.3.0) (<= f.2.3.0 1.0)))
(declare-const f.2.3.1 Real)
(assert (and (<= 0.0 f.2.3.1) (<= f.2.3.1 1.0)))
(assert (<= f.2.3.0 (+ d.0.1 (* (/ 11.0 10.0) f.2.3.1))))
(assert (<= f.2.3.1 (+ d.1.0 (* (/ 11.0 10.0) f.2.3.0))))
(assert (<= d.2.3 (+ (* (/ 53.0 100.0) f.2.3.0) (* (/ (- 517.0) 1000.0) f.2.3.1))))
; potentials for (3,2)
(declare-const f.3.2.0 Real)
(assert (and (<= 0.0 f.3.2.0) (<= f.3.2.0 1.0)))
(declare-const f.3.2.1 Real)
(assert (and (<= 0.0 f.3.2.1) (<= f.3.2.1 1.0)))
(assert (<= f.3.2.0 (+ d.0.1 (* (/ 11.0 10.0) f.3.2.1))))
(assert (<= f.3.2.1 (+ d.1.0 (* (/ 11.0 10.0) f.3.2.0))))
(assert (<= d.3.2 (+ (/ 13.0 1000.0) (* (/ (- 583.0) 1000.0) f.3.2.0) (* (/ 47.0 100.0) f.3.2.1))))
(assert (>= d.0.1 theta))
(check-sat)
