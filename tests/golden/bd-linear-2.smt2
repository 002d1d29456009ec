; sat: bd(s,t) >= theta; unsat: bd(s,t) < theta
;
; Are there an orientation, one direction of every unordered pair, and a post-fixed point d of the operator that
; uses these directions, with d(s,t) >= theta? The solver chooses the orientation. For every pair potentials f
; show that d(q,r) is at most the lifting in the chosen direction. All such d are below bd if they are 0 on the
; pairs that support each other in the chosen directions.
; So every pair has d = 0, or is strictly below its lifting, or has a rank r and potentials e that remove it from
; the pairs of the same d whose rank is not below r: the rank rule of docs/certificates.md.
; Theorems: docs/theory.md, "Theorem B: the symmetric distance"; docs/formulas.md, "Strict post-fixed points".
; Logic: QF_LRA.
; Variables, for every unordered pair q < r of states of equal label that bd(s,t) depends on:
;   d.q.r     the distance of q and r
;   ahead.q.r Bool, the direction: b = mu_q - alpha mu_r, otherwise b = mu_r - alpha mu_q
;   f.q.r.i   the potential of state i
;   r.q.r     the rank
;   e.q.r.i   the potential of state i that shows that the pair can be removed
; Labels in which no state has b > 0, in neither direction, have no potentials.
; A model is the lower evidence of a certificate, ranks included.
; s = 0, t = 1. States:
;   0 = "s0", label "a"
;   1 = "s1", label "a"
;   2 = "s2", label "b"
;   3 = "s3", label "c"
(set-info :smt-lib-version 2.6)
(set-info :source |
The distance of "Bisimilarity Distances for Approximate Differential Privacy" (ATVA 2018) from below: an
orientation and a post-fixed point, as a question about a threshold.
|)
(set-info :status unsat)
(set-logic QF_LRA)
(define-fun theta () Real (/ 1.0 20.0))
(declare-const d.0.1 Real)
(declare-const ahead.0.1 Bool)
(assert (and (<= 0.0 d.0.1) (<= d.0.1 1.0)))
(declare-const r.0.1 Real)
; potentials for (0,1)
(define-fun lifting.0.1 () Real (ite ahead.0.1 0.0 0.0))
(assert (<= d.0.1 lifting.0.1))
(define-fun removal.0.1 () Real (ite ahead.0.1 0.0 0.0))
(assert (or (= d.0.1 0.0)
            (and (= r.0.1 0.0) (< d.0.1 lifting.0.1))
            (and (>= r.0.1 1.0) (> removal.0.1 0.0))))
(assert (>= d.0.1 theta))
(check-sat)
