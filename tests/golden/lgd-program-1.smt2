; sat: lgd(s,t) >= theta; unsat: lgd(s,t) < theta
;
; lgd is the largest table that is 0 on skewed bisimilarity, 1 where labels differ, and elsewhere at most
; sum omega_ij d(i,j) + sum eta_i for every vertex (omega, eta) of the couplings of the pair. There are exponentially
; many vertices. This formula has one for every pair, those with which policy iteration ended: no other vertex is
; violated. With fewer constraints the largest table could only be larger, and with these it is already lgd.
; Theorems: Proposition 28 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019); docs/theory.md,
; "Policy iteration".
; Logic: QF_LRA.
; Variables, for every pair (q,r) of two different states of equal label that lgd(s,t) depends on and that is
; not skewed bisimilar:
;   d.q.r   the distance from q to r
; A model is a table that no vertex below refutes.
; s = 0, t = 1. States:
;   0 = "0", label "a"
;   1 = "1", label "a"
;   2 = "2", label "b"
;   3 = "3", label "b"
;   4 = "end", label "end"
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Proposition 28: linear program for lgd.
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
(assert (<= d.0.1 (+ (* (/ 47.0 100.0) d.2.3) (/ 13.0 1000.0))))
(assert (<= d.1.0 (+ (* (/ 47.0 100.0) d.3.2) (/ 3.0 50.0))))
(assert (<= d.2.3 (+ (* (/ 47.0 100.0) d.0.1) (/ 3.0 50.0))))
(assert (<= d.3.2 (+ (* (/ 47.0 100.0) d.1.0) (/ 13.0 1000.0))))
(assert (>= d.0.1 theta))
(check-sat)
