; sat: opt(run) >= theta; unsat: opt(run) < theta
;
; opt of a run of a threshold program is max over differences D of its inputs, min over shifts g that satisfy
; the guards and are 0 where insample is output, of sum |D_i - g_i| d_i, and d'_i |D_i| where insample' is output.
; It is the loss of the run, in multiples of epsilon (Theorem C). The maximum is at extreme points of the adjacency; the
; minimum is replaced by its dual, so only one existential quantifier remains.
; Theorems: docs/theory_programs.md, "Multipliers" (duality) and Theorem C.
; Logic: QF_LRA.
; Variables, for every step i of the run:
;   up.i      Bool  D_i = 1      (where the step reads an input)
;   down.i    Bool  D_i = -1     (likewise; neither: D_i = 0)
;   lambda.i  Real  multiplier of the order that the guard of step i puts on two shifts (guards < and >=)
;   load.i    Real  sum of the multipliers at step i, with their signs
;   gain.i    Real  load_i D_i   (where the step reads an input and does not output insample)
; A model is a choice of D with multipliers that prove a loss of at least theta.
; Steps:
;   0 = transition 0, 'q1' -> 'q2', assigns, public
;   1 = transition 1, 'q2' -> 'q2', tests <
;   2 = transition 2, 'q2' -> 'q3', tests >=, outputs insampleprime
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
The optimal cost of a coupling proof for one run of a threshold program, adjacency one-differ: the
maximin of the papers on coupling proofs, in its linear programming dual.
|)
(set-info :status unsat)
(set-logic QF_LRA)
(declare-const load.0 Real)
(declare-const up.1 Bool)
(declare-const down.1 Bool)
(declare-const lambda.1 Real)
(declare-const load.1 Real)
(declare-const gain.1 Real)
(declare-const up.2 Bool)
(declare-const down.2 Bool)
(declare-const lambda.2 Real)
(declare-const load.2 Real)
(declare-const gain.2 Real)
(assert (! (= load.0 (+ (- lambda.1) lambda.2)) :named |load of step 0|))
(assert (! (and (<= load.0 (/ 1.0 4.0)) (>= load.0 (/ (- 1.0) 4.0))) :named |load of step 0 is at most its rate|))
(assert (! (not (and up.1 down.1)) :named |step 1 differs by -1, 0 or 1|))
(assert (! (>= lambda.1 0.0) :named |multiplier of step 1|))
(assert (! (= load.1 lambda.1) :named |load of step 1|))
(assert (! (and (<= load.1 (/ 1.0 2.0)) (>= load.1 (/ (- 1.0) 2.0))) :named |load of step 1 is at most its rate|))
(assert (! (= gain.1 (ite up.1 load.1 (ite down.1 (- load.1) 0.0))) :named |gain of step 1|))
(assert (! (not (and up.2 down.2)) :named |step 2 differs by -1, 0 or 1|))
(assert (! (not (and (or up.2 down.2) (or up.1 down.1))) :named |step 2 or 1 does not differ|))
(assert (! (>= lambda.2 0.0) :named |multiplier of step 2|))
(assert (! (= load.2 (- lambda.2)) :named |load of step 2|))
(assert (! (and (<= load.2 (/ 1.0 2.0)) (>= load.2 (/ (- 1.0) 2.0))) :named |load of step 2 is at most its rate|))
(assert (! (= gain.2 (ite up.2 load.2 (ite down.2 (- load.2) 0.0))) :named |gain of step 2|))
(assert (! (>= (+ gain.1 gain.2 (ite (or up.2 down.2) (/ 1.0 2.0) 0.0)) (/ 9.0 8.0)) :named |the total is at least theta|))
(check-sat)
