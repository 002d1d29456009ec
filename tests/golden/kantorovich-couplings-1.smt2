; sat: K(d)(mu_s, mu_t) <= theta; unsat: K(d)(mu_s, mu_t) > theta
;
; The skewed Kantorovich lifting of a given table d, as a minimum over couplings.
; Theorems: Lemma 19 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019). Mass that is sent to a
; state of another label costs as much as mass that is left over, so it is left out; so are the states of
; labels that neither s nor t enters.
; Logic: QF_LRA.
; Variables:
;   w.i.j   omega_ij: mass sent from i to j
;   g.i     gamma_i: mass that arrives at i and is sent on
;   t.i     tau_i: mass that stays at i
;   h.i     eta_i: mass that is left over at i, at a cost of 1
; A model is a coupling that proves the bound.
; The table d is 0 on the diagonal, 1 where labels differ, and as written in the formula elsewhere.
; s = 0, t = 1. States:
;   0 = "0", label "a"
;   1 = "1", label "a"
;   2 = "2", label "b"
;   3 = "3", label "b"
;   4 = "end", label "end"
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Lemma 19: dual form of the asymmetric skewed Kantorovich lifting.
|)
(set-info :status sat)
(set-logic QF_LRA)
(define-fun theta () Real (/ 1.0 20.0))
(declare-const w.2.3 Real)
(assert (and (<= 0.0 w.2.3) (<= w.2.3 1.0)))
(declare-const w.3.2 Real)
(assert (and (<= 0.0 w.3.2) (<= w.3.2 1.0)))
(declare-const g.2 Real)
(declare-const t.2 Real)
(declare-const h.2 Real)
(assert (and (<= 0.0 g.2) (<= g.2 1.0) (<= 0.0 t.2) (<= t.2 1.0) (<= 0.0 h.2) (<= h.2 1.0)))
(assert (= (+ w.2.3 (- t.2 g.2) h.2) (/ 47.0 100.0)))
(assert (<= (+ w.3.2 (* (/ 10.0 11.0) (- t.2 g.2))) 0.0))
(declare-const g.3 Real)
(declare-const t.3 Real)
(declare-const h.3 Real)
(assert (and (<= 0.0 g.3) (<= g.3 1.0) (<= 0.0 t.3) (<= t.3 1.0) (<= 0.0 h.3) (<= h.3 1.0)))
(assert (= (+ w.3.2 (- t.3 g.3) h.3) 0.0))
(assert (<= (+ w.2.3 (* (/ 10.0 11.0) (- t.3 g.3))) (/ 53.0 100.0)))
(declare-const g.4 Real)
(declare-const t.4 Real)
(declare-const h.4 Real)
(assert (and (<= 0.0 g.4) (<= g.4 1.0) (<= 0.0 t.4) (<= t.4 1.0) (<= 0.0 h.4) (<= h.4 1.0)))
(assert (= (+ (- t.4 g.4) h.4) (/ 53.0 100.0)))
(assert (<= (* (/ 10.0 11.0) (- t.4 g.4)) (/ 47.0 100.0)))
(assert (<= (+ (* 0.0 w.2.3) (* 0.0 w.3.2) h.2 h.3 h.4) theta))
(check-sat)
