; sat: some strategy with constant shifts costs at most theta on the looping branch; unsat: none does
;
; The least such theta is the approximate cost approx of the branch. A strategy has one shift g_i for every step,
; the same for all differences of inputs. A step on no cycle is charged its largest cost: (1 + |g_i|) d_i, or
; |g_i| d_i at public states, and d'_i if insample' is output. Steps on cycles follow their inputs at no cost. For
; this a test < needs the stored value's shift to be 1, and a test >= needs it to be -1. A step that assigns on a
; cycle is charged once, for the last turn. If the formula is unsat for every theta, the branch is not private.
; Definition: docs/theory_programs.md, "Approximate and relaxed cost" (adjacency all-differ).
; Logic: QF_LRA.
; Variables, for every step i that is charged:
;   shift.i  Real  its shift g_i, between -1 and 1
;   size.i   Real  at least |g_i|
; Steps:
;   0 = transition 0, 'q1' -> 'q2', assigns, public
;   1 = transition 1, 'q2' -> 'q2', tests <, on a cycle
;   2 = transition 2, 'q2' -> 'q3', tests >=, outputs insampleprime
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
The approximate privacy cost of a looping branch (periodic program), corrected at public states and at
assignments on cycles.
|)
(set-info :status unsat)
(set-logic QF_LRA)
(declare-const shift.0 Real)
(declare-const size.0 Real)
(declare-const shift.2 Real)
(declare-const size.2 Real)
(assert (! (and (<= (- 1.0) shift.0) (<= shift.0 1.0) (<= shift.0 size.0) (<= (- shift.0) size.0)) :named |shift of step 0|))
(assert (! (= shift.0 1.0) :named |step 1 tests < on a cycle|))
(assert (! (and (<= (- 1.0) shift.2) (<= shift.2 1.0) (<= shift.2 size.2) (<= (- shift.2) size.2)) :named |shift of step 2|))
(assert (! (>= shift.2 shift.0) :named |step 2 tests >=|))
(assert (! (<= (+ (* (/ 1.0 4.0) size.0) (* (/ 1.0 2.0) size.2) 1.0) (/ 3.0 2.0)) :named |the cost is at most theta|))
(check-sat)
