; sat: for some differences every shared strategy of the looping branches costs at least theta; unsat: for none
;
; Several looping branches of one program (straight-line programs, if there are no cycles) share transitions. A shared
; strategy gives every transition one shift, which may depend on the differences D but not on the branch. Its cost is
;     max over D, min over shifts g, max over branches B, of the sum over B of |D_t - g_t| d_t, and d'_t |D_t|
; where insample' is output; shifts are real numbers that satisfy the guards in every branch, are 0 where insample is
; output, and are 1, respectively -1, for a stored value that a test < or >= on a cycle compares with.
; By linear programming duality the inner min-max is the largest total of multipliers for a mixture of the branches: the
; weights of the branches sum to 1, and a transition has its rate times the weight of the branches that it is on.
; unsat is therefore a proof that shared shifts of cost below theta exist for every D.
; Definition: docs/strategies.md, "Sharing" (adjacency all-differ). Theorem: docs/formulas.md, "Sharing".
; Logic: QF_LRA.
; Variables:
;   weight.b    Real  the weight of branch b in the mixture
;   up.t        Bool  D_t = 1, else D_t = -1   (every transition t that reads an input and is not on a free cycle)
;   share.t     Real  the weight of the branches that transition t is on
;   lambda.t.s  Real  multiplier of the order that the guard of t puts on the shifts of t and of s, which stores
;                     what t tests; for t on a cycle, on the shift of s and 1, or -1
;   load.t      Real  sum of the multipliers at transition t, with their signs
;   gain.t      Real  load_t D_t               (where t reads an input and does not output insample)
; Branches:
;   0 = transitions 0, 2
;   1 = transitions 0, 1, 3
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
The cost of one coupling strategy for several straight-line programs that share transitions, and the penalty of
sharing: max over differences, min over shared shifts, max over programs.
|)
(set-info :status sat)
(set-logic QF_LRA)
(declare-const weight.0 Real)
(declare-const weight.1 Real)
(declare-const share.0 Real)
(declare-const load.0 Real)
(declare-const up.0 Bool)
(declare-const gain.0 Real)
(declare-const share.1 Real)
(declare-const load.1 Real)
(declare-const up.1 Bool)
(declare-const gain.1 Real)
(declare-const share.2 Real)
(declare-const load.2 Real)
(declare-const up.2 Bool)
(declare-const gain.2 Real)
(declare-const share.3 Real)
(declare-const load.3 Real)
(declare-const up.3 Bool)
(declare-const gain.3 Real)
(declare-const lambda.1.0 Real)
(declare-const lambda.2.0 Real)
(declare-const lambda.3.0 Real)
(assert (! (>= weight.0 0.0) :named |weight of branch 0|))
(assert (! (>= weight.1 0.0) :named |weight of branch 1|))
(assert (! (= (+ weight.0 weight.1) 1.0) :named |weights sum to 1|))
(assert (! (>= lambda.1.0 0.0) :named |multiplier of 1 against 0|))
(assert (! (>= lambda.2.0 0.0) :named |multiplier of 2 against 0|))
(assert (! (>= lambda.3.0 0.0) :named |multiplier of 3 against 0|))
(assert (! (= share.0 (+ weight.0 weight.1)) :named |share of transition 0|))
(assert (! (= load.0 (+ (- lambda.1.0) lambda.2.0 (- lambda.3.0))) :named |load of transition 0|))
(assert (! (and (<= load.0 (* (/ 1.0 4.0) share.0)) (>= load.0 (* (/ (- 1.0) 4.0) share.0))) :named |load of transition 0 is at most its rate|))
(assert (! (= gain.0 (ite up.0 load.0 (- load.0))) :named |gain of transition 0|))
(assert (! (= share.1 weight.1) :named |share of transition 1|))
(assert (! (= load.1 lambda.1.0) :named |load of transition 1|))
(assert (! (and (<= load.1 (* (/ 1.0 4.0) share.1)) (>= load.1 (* (/ (- 1.0) 4.0) share.1))) :named |load of transition 1 is at most its rate|))
(assert (! (= gain.1 (ite up.1 load.1 (- load.1))) :named |gain of transition 1|))
(assert (! (= share.2 weight.0) :named |share of transition 2|))
(assert (! (= load.2 (- lambda.2.0)) :named |load of transition 2|))
(assert (! (and (<= load.2 (* (/ 1.0 4.0) share.2)) (>= load.2 (* (/ (- 1.0) 4.0) share.2))) :named |load of transition 2 is at most its rate|))
(assert (! (= gain.2 (ite up.2 load.2 (- load.2))) :named |gain of transition 2|))
(assert (! (= share.3 weight.1) :named |share of transition 3|))
(assert (! (= load.3 lambda.3.0) :named |load of transition 3|))
(assert (! (and (<= load.3 (* (/ 1.0 4.0) share.3)) (>= load.3 (* (/ (- 1.0) 4.0) share.3))) :named |load of transition 3 is at most its rate|))
(assert (! (= gain.3 (ite up.3 load.3 (- load.3))) :named |gain of transition 3|))
(assert (! (>= (+ gain.0 gain.1 gain.2 gain.3) (/ 2.0 3.0)) :named |the total is at least theta|))
(check-sat)
