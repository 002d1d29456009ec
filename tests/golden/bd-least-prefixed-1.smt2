; sat: bd(s,t) <= theta; unsat: bd(s,t) > theta
;
; Is there a pre-fixed point d that is below all pre-fixed points d', with d(s,t) <= theta? One
; such d exists, and it is bd. "d' is a pre-fixed point" is a statement about all potentials. The figure prints
; "for all d', f: phi(d',f) implies d <= d'", which no d satisfies unless bd is 0 on all pairs of equal label
; (take f = 0). The text of the paper says, and this formula has,
; "for all d': (for all f: phi(d',f)) implies d <= d'".
; Theorems: Figure 4 of "Bisimilarity Distances for Approximate Differential Privacy" (ATVA 2018).
; Logic: LRA, with three alternations of quantifiers; for very small chains only.
; Variables:
;   d.q.r   the distance of q and r, for all states of equal label with q < r (q = r and other labels: 0, 1)
;   f.i     the potential of state i, bound in phi
;   x.q.r   another table d', bound
; A model is bd.
; s = 0, t = 1. States:
;   0 = "0", label "a"
;   1 = "1", label "a"
;   2 = "2", label "b"
;   3 = "3", label "b"
;   4 = "end", label "end"
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Bisimilarity Distances for Approximate Differential Privacy (ATVA 2018),
Figure 4: logical formulation of the least pre-fixed point.
|)
(set-info :status unsat)
(set-logic LRA)
(define-fun theta () Real (/ 1.0 20.0))
(declare-const d.0.1 Real)
(assert (and (<= 0.0 d.0.1) (<= d.0.1 1.0)))
(declare-const d.2.3 Real)
(assert (and (<= 0.0 d.2.3) (<= d.2.3 1.0)))
; d is a pre-fixed point
(assert
(forall ((f.0 Real) (f.1 Real) (f.2 Real) (f.3 Real) (f.4 Real) )
  (=> (and (<= 0.0 f.0) (<= f.0 1.0) (<= 0.0 f.1) (<= f.1 1.0) (<= 0.0 f.2) (<= f.2 1.0) (<= 0.0 f.3) (<= f.3 1.0) (<= 0.0 f.4) (<= f.4 1.0) (<= (- f.0 (* (/ 11.0 10.0) f.1)) d.0.1) (<= (- f.1 (* (/ 11.0 10.0) f.0)) d.0.1) (<= (- f.2 (* (/ 11.0 10.0) f.3)) d.2.3) (<= (- f.3 (* (/ 11.0 10.0) f.2)) d.2.3) true)
      (and (<= (+ (* (/ 47.0 100.0) f.2) (* (/ (- 583.0) 1000.0) f.3) (* (/ 13.0 1000.0) f.4)) d.0.1) (<= (+ (* (/ (- 517.0) 1000.0) f.2) (* (/ 53.0 100.0) f.3) (* (/ (- 113.0) 1000.0) f.4)) d.0.1) (<= (+ (* (/ 53.0 100.0) f.0) (* (/ (- 517.0) 1000.0) f.1) (* (/ (- 113.0) 1000.0) f.4)) d.2.3) (<= (+ (* (/ (- 583.0) 1000.0) f.0) (* (/ 47.0 100.0) f.1) (* (/ 13.0 1000.0) f.4)) d.2.3) true)))
)
; and below all others
(assert (forall ((x.0.1 Real) (x.2.3 Real) )
(=> (and (<= 0.0 x.0.1) (<= x.0.1 1.0) (<= 0.0 x.2.3) (<= x.2.3 1.0)
(forall ((f.0 Real) (f.1 Real) (f.2 Real) (f.3 Real) (f.4 Real) )
  (=> (and (<= 0.0 f.0) (<= f.0 1.0) (<= 0.0 f.1) (<= f.1 1.0) (<= 0.0 f.2) (<= f.2 1.0) (<= 0.0 f.3) (<= f.3 1.0) (<= 0.0 f.4) (<= f.4 1.0) (<= (- f.0 (* (/ 11.0 10.0) f.1)) x.0.1) (<= (- f.1 (* (/ 11.0 10.0) f.0)) x.0.1) (<= (- f.2 (* (/ 11.0 10.0) f.3)) x.2.3) (<= (- f.3 (* (/ 11.0 10.0) f.2)) x.2.3) true)
      (and (<= (+ (* (/ 47.0 100.0) f.2) (* (/ (- 583.0) 1000.0) f.3) (* (/ 13.0 1000.0) f.4)) x.0.1) (<= (+ (* (/ (- 517.0) 1000.0) f.2) (* (/ 53.0 100.0) f.3) (* (/ (- 113.0) 1000.0) f.4)) x.0.1) (<= (+ (* (/ 53.0 100.0) f.0) (* (/ (- 517.0) 1000.0) f.1) (* (/ (- 113.0) 1000.0) f.4)) x.2.3) (<= (+ (* (/ (- 583.0) 1000.0) f.0) (* (/ 47.0 100.0) f.1) (* (/ 13.0 1000.0) f.4)) x.2.3) true)))
) (and (<= d.0.1 x.0.1) (<= d.2.3 x.2.3)))))
(assert (<= d.0.1 theta))
(check-sat)
