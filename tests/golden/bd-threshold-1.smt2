; sat: bd(s,t) <= theta; unsat: bd(s,t) > theta
;
; BD-threshold: is there a pre-fixed point d of Gamma, in both directions, with d(s,t) <= theta? bd is the least one. For every
; ordered pair (q,r) a coupling (w, g, t, h) shows that K(d)(mu_q, mu_r) <= d(q,r) = d(r,q).
; Theorems: Figure 5 of "Bisimilarity Distances for Approximate Differential Privacy" (ATVA 2018), with eta as in
; Lemma 19 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019): without eta, as printed,
; the formula can demand more of a given d than K(d) for alpha > 1 (docs/formulas.md).
; Logic: QF_NRA; the products are w_ij d_ij.
; Variables, for every pair (q,r) of two different states of equal label that bd(s,t) depends on:
;   d.q.r      the distance of q and r, for q < r
;   w.q.r.i.j  omega_ij of the coupling of (q,r): mass sent from i to j
;   g.q.r.i    gamma_i: mass that arrives at i and is sent on
;   t.q.r.i    tau_i: mass that stays at i
;   h.q.r.i    eta_i: mass that is left over at i, at a cost of 1
; These are left out, and change nothing (docs/formulas.md): pairs that bd(s,t) does not depend on; d(q,q) = 0; mass
; sent to a state of another label, which costs as much as leaving it. So the states of a label matter only if
; b = mu_q - alpha mu_r is positive at some and negative at others; the cost of the other labels is a number.
; A model is a table that proves the bound, with its couplings.
; s = 0, t = 1. States:
;   0 = "0", label "a"
;   1 = "1", label "a"
;   2 = "2", label "b"
;   3 = "3", label "b"
;   4 = "end", label "end"
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Figure 3: NP formula for BD-THRESHOLD.
|)
(set-info :status unsat)
(set-logic QF_NRA)
(define-fun theta () Real (/ 1.0 20.0))
(declare-const d.0.1 Real)
(assert (and (<= 0.0 d.0.1) (<= d.0.1 1.0)))
(declare-const d.2.3 Real)
(assert (and (<= 0.0 d.2.3) (<= d.2.3 1.0)))
; coupling constraint for (0,1)
(declare-const w.0.1.2.3 Real)
(assert (and (<= 0.0 w.0.1.2.3) (<= w.0.1.2.3 1.0)))
(declare-const w.0.1.3.2 Real)
(assert (and (<= 0.0 w.0.1.3.2) (<= w.0.1.3.2 1.0)))
(declare-const g.0.1.2 Real)
(declare-const t.0.1.2 Real)
(declare-const h.0.1.2 Real)
(assert (and (<= 0.0 g.0.1.2) (<= g.0.1.2 1.0) (<= 0.0 t.0.1.2) (<= t.0.1.2 1.0) (<= 0.0 h.0.1.2) (<= h.0.1.2 1.0)))
(declare-const g.0.1.3 Real)
(declare-const t.0.1.3 Real)
(declare-const h.0.1.3 Real)
(assert (and (<= 0.0 g.0.1.3) (<= g.0.1.3 1.0) (<= 0.0 t.0.1.3) (<= t.0.1.3 1.0) (<= 0.0 h.0.1.3) (<= h.0.1.3 1.0)))
(assert (<= (+ (* w.0.1.2.3 d.2.3) (* w.0.1.3.2 d.2.3) h.0.1.2 h.0.1.3 (/ 13.0 1000.0)) d.0.1))
(assert (= (+ w.0.1.2.3 (- t.0.1.2 g.0.1.2) h.0.1.2) (/ 47.0 100.0)))
(assert (<= (+ w.0.1.3.2 (* (/ 10.0 11.0) (- t.0.1.2 g.0.1.2))) 0.0))
(assert (= (+ w.0.1.3.2 (- t.0.1.3 g.0.1.3) h.0.1.3) 0.0))
(assert (<= (+ w.0.1.2.3 (* (/ 10.0 11.0) (- t.0.1.3 g.0.1.3))) (/ 53.0 100.0)))
; coupling constraint for (1,0)
(declare-const w.1.0.2.3 Real)
(assert (and (<= 0.0 w.1.0.2.3) (<= w.1.0.2.3 1.0)))
(declare-const w.1.0.3.2 Real)
(assert (and (<= 0.0 w.1.0.3.2) (<= w.1.0.3.2 1.0)))
(declare-const g.1.0.2 Real)
(declare-const t.1.0.2 Real)
(declare-const h.1.0.2 Real)
(assert (and (<= 0.0 g.1.0.2) (<= g.1.0.2 1.0) (<= 0.0 t.1.0.2) (<= t.1.0.2 1.0) (<= 0.0 h.1.0.2) (<= h.1.0.2 1.0)))
(declare-const g.1.0.3 Real)
(declare-const t.1.0.3 Real)
(declare-const h.1.0.3 Real)
(assert (and (<= 0.0 g.1.0.3) (<= g.1.0.3 1.0) (<= 0.0 t.1.0.3) (<= t.1.0.3 1.0) (<= 0.0 h.1.0.3) (<= h.1.0.3 1.0)))
(assert (<= (+ (* w.1.0.2.3 d.2.3) (* w.1.0.3.2 d.2.3) h.1.0.2 h.1.0.3) d.0.1))
(assert (= (+ w.1.0.2.3 (- t.1.0.2 g.1.0.2) h.1.0.2) 0.0))
(assert (<= (+ w.1.0.3.2 (* (/ 10.0 11.0) (- t.1.0.2 g.1.0.2))) (/ 47.0 100.0)))
(assert (= (+ w.1.0.3.2 (- t.1.0.3 g.1.0.3) h.1.0.3) (/ 53.0 100.0)))
(assert (<= (+ w.1.0.2.3 (* (/ 10.0 11.0) (- t.1.0.3 g.1.0.3))) 0.0))
; coupling constraint for (2,3)
(declare-const w.2.3.0.1 Real)
(assert (and (<= 0.0 w.2.3.0.1) (<= w.2.3.0.1 1.0)))
(declare-const w.2.3.1.0 Real)
(assert (and (<= 0.0 w.2.3.1.0) (<= w.2.3.1.0 1.0)))
(declare-const g.2.3.0 Real)
(declare-const t.2.3.0 Real)
(declare-const h.2.3.0 Real)
(assert (and (<= 0.0 g.2.3.0) (<= g.2.3.0 1.0) (<= 0.0 t.2.3.0) (<= t.2.3.0 1.0) (<= 0.0 h.2.3.0) (<= h.2.3.0 1.0)))
(declare-const g.2.3.1 Real)
(declare-const t.2.3.1 Real)
(declare-const h.2.3.1 Real)
(assert (and (<= 0.0 g.2.3.1) (<= g.2.3.1 1.0) (<= 0.0 t.2.3.1) (<= t.2.3.1 1.0) (<= 0.0 h.2.3.1) (<= h.2.3.1 1.0)))
(assert (<= (+ (* w.2.3.0.1 d.0.1) (* w.2.3.1.0 d.0.1) h.2.3.0 h.2.3.1) d.2.3))
(assert (= (+ w.2.3.0.1 (- t.2.3.0 g.2.3.0) h.2.3.0) (/ 53.0 100.0)))
(assert (<= (+ w.2.3.1.0 (* (/ 10.0 11.0) (- t.2.3.0 g.2.3.0))) 0.0))
(assert (= (+ w.2.3.1.0 (- t.2.3.1 g.2.3.1) h.2.3.1) 0.0))
(assert (<= (+ w.2.3.0.1 (* (/ 10.0 11.0) (- t.2.3.1 g.2.3.1))) (/ 47.0 100.0)))
; coupling constraint for (3,2)
(declare-const w.3.2.0.1 Real)
(assert (and (<= 0.0 w.3.2.0.1) (<= w.3.2.0.1 1.0)))
(declare-const w.3.2.1.0 Real)
(assert (and (<= 0.0 w.3.2.1.0) (<= w.3.2.1.0 1.0)))
(declare-const g.3.2.0 Real)
(declare-const t.3.2.0 Real)
(declare-const h.3.2.0 Real)
(assert (and (<= 0.0 g.3.2.0) (<= g.3.2.0 1.0) (<= 0.0 t.3.2.0) (<= t.3.2.0 1.0) (<= 0.0 h.3.2.0) (<= h.3.2.0 1.0)))
(declare-const g.3.2.1 Real)
(declare-const t.3.2.1 Real)
(declare-const h.3.2.1 Real)
(assert (and (<= 0.0 g.3.2.1) (<= g.3.2.1 1.0) (<= 0.0 t.3.2.1) (<= t.3.2.1 1.0) (<= 0.0 h.3.2.1) (<= h.3.2.1 1.0)))
(assert (<= (+ (* w.3.2.0.1 d.0.1) (* w.3.2.1.0 d.0.1) h.3.2.0 h.3.2.1 (/ 13.0 1000.0)) d.2.3))
(assert (= (+ w.3.2.0.1 (- t.3.2.0 g.3.2.0) h.3.2.0) 0.0))
(assert (<= (+ w.3.2.1.0 (* (/ 10.0 11.0) (- t.3.2.0 g.3.2.0))) (/ 53.0 100.0)))
(assert (= (+ w.3.2.1.0 (- t.3.2.1 g.3.2.1) h.3.2.1) (/ 47.0 100.0)))
(assert (<= (+ w.3.2.0.1 (* (/ 10.0 11.0) (- t.3.2.1 g.3.2.1))) 0.0))
(assert (<= d.0.1 theta))
(check-sat)
