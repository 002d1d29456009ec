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
;   0 = "0", label "a"
;   1 = "1", label "a"
;   2 = "2", label "b"
;   3 = "3", label "b"
;   4 = "end", label "end"
(set-info :smt-lib-version 2.6)
(set-info :source |
The distance of "Bisimilarity Distances for Approximate Differential Privacy" (ATVA 2018) from below: an
orientation and a post-fixed point, as a question about a threshold.
|)
(set-info :status sat)
(set-logic QF_LRA)
(define-fun theta () Real (/ 1.0 20.0))
(declare-const d.0.1 Real)
(declare-const ahead.0.1 Bool)
(assert (and (<= 0.0 d.0.1) (<= d.0.1 1.0)))
(declare-const r.0.1 Real)
(declare-const d.2.3 Real)
(declare-const ahead.2.3 Bool)
(assert (and (<= 0.0 d.2.3) (<= d.2.3 1.0)))
(declare-const r.2.3 Real)
; potentials for (0,1)
(declare-const f.0.1.2 Real)
(assert (and (<= 0.0 f.0.1.2) (<= f.0.1.2 1.0)))
(declare-const f.0.1.3 Real)
(assert (and (<= 0.0 f.0.1.3) (<= f.0.1.3 1.0)))
(assert (<= f.0.1.2 (+ d.2.3 (* (/ 11.0 10.0) f.0.1.3))))
(assert (<= f.0.1.3 (+ d.2.3 (* (/ 11.0 10.0) f.0.1.2))))
(define-fun lifting.0.1 () Real (ite ahead.0.1 (+ (/ 13.0 1000.0) (* (/ 47.0 100.0) f.0.1.2) (* (/ (- 583.0) 1000.0) f.0.1.3)) (+ (* (/ (- 517.0) 1000.0) f.0.1.2) (* (/ 53.0 100.0) f.0.1.3))))
(assert (<= d.0.1 lifting.0.1))
(declare-const e.0.1.2 Real)
(assert (<= 0.0 e.0.1.2))
(declare-const e.0.1.3 Real)
(assert (<= 0.0 e.0.1.3))
(assert (or (<= e.0.1.2 (* (/ 11.0 10.0) e.0.1.3)) (< r.2.3 r.0.1) (not (= d.2.3 d.0.1))))
(assert (or (<= e.0.1.3 (* (/ 11.0 10.0) e.0.1.2)) (< r.2.3 r.0.1) (not (= d.2.3 d.0.1))))
(define-fun removal.0.1 () Real (ite ahead.0.1 (+ (/ 13.0 1000.0) (* (/ 47.0 100.0) e.0.1.2) (* (/ (- 583.0) 1000.0) e.0.1.3)) (+ (* (/ (- 517.0) 1000.0) e.0.1.2) (* (/ 53.0 100.0) e.0.1.3))))
(assert (or (= d.0.1 0.0)
            (and (= r.0.1 0.0) (< d.0.1 lifting.0.1))
            (and (>= r.0.1 1.0) (> removal.0.1 0.0))))
; potentials for (2,3)
(declare-const f.2.3.0 Real)
(assert (and (<= 0.0 f.2.3.0) (<= f.2.3.0 1.0)))
(declare-const f.2.3.1 Real)
(assert (and (<= 0.0 f.2.3.1) (<= f.2.3.1 1.0)))
(assert (<= f.2.3.0 (+ d.0.1 (* (/ 11.0 10.0) f.2.3.1))))
(assert (<= f.2.3.1 (+ d.0.1 (* (/ 11.0 10.0) f.2.3.0))))
(define-fun lifting.2.3 () Real (ite ahead.2.3 (+ (* (/ 53.0 100.0) f.2.3.0) (* (/ (- 517.0) 1000.0) f.2.3.1)) (+ (/ 13.0 1000.0) (* (/ (- 583.0) 1000.0) f.2.3.0) (* (/ 47.0 100.0) f.2.3.1))))
(assert (<= d.2.3 lifting.2.3))
(declare-const e.2.3.0 Real)
(assert (<= 0.0 e.2.3.0))
(declare-const e.2.3.1 Real)
(assert (<= 0.0 e.2.3.1))
(assert (or (<= e.2.3.0 (* (/ 11.0 10.0) e.2.3.1)) (< r.0.1 r.2.3) (not (= d.0.1 d.2.3))))
(assert (or (<= e.2.3.1 (* (/ 11.0 10.0) e.2.3.0)) (< r.0.1 r.2.3) (not (= d.0.1 d.2.3))))
(define-fun removal.2.3 () Real (ite ahead.2.3 (+ (* (/ 53.0 100.0) e.2.3.0) (* (/ (- 517.0) 1000.0) e.2.3.1)) (+ (/ 13.0 1000.0) (* (/ (- 583.0) 1000.0) e.2.3.0) (* (/ 47.0 100.0) e.2.3.1))))
(assert (or (= d.2.3 0.0)
            (and (= r.2.3 0.0) (< d.2.3 lifting.2.3))
            (and (>= r.2.3 1.0) (> removal.2.3 0.0))))
(assert (>= d.0.1 theta))
(check-sat)
