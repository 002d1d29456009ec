; sat: some relaxed strategy costs at most theta on the looping branch; unsat: none does
;
; The least such theta is the relaxed cost of the branch. A step that stores has one shift g_i, the same for all
; differences of inputs, and is charged its largest cost: (1 + |g_i|) d_i, or |g_i| d_i at public states. Other
; steps, the leaves of a segment, have the best shift for each difference, which costs at most (1 - g) d_i for guard
; <, (1 + g) d_i for guard >=, d_i if insample is output, and 0 otherwise, where g is the stored value's shift. A step
; costs d'_i more if insample' is output. Steps on cycles cost nothing. For this a test < needs g = 1, and a test >=
; needs g = -1. A step that assigns on a cycle is charged once, for the last turn. If the formula is unsat for every
; theta, the branch is not private.
; Definition: docs/theory_programs.md, "Approximate and relaxed cost" (adjacency all-differ).
; Logic: QF_LRA.
; Variables, for every step i that assigns:
;   shift.i  Real  its shift g_i, between -1 and 1
;   size.i   Real  at least |g_i|
; Steps:
;   0 = transition 0, 'q1' -> 'q2', assigns, public
;   1 = transition 1, 'q2' -> 'q2', tests <, on a cycle
;   2 = transition 2, 'q2' -> 'q3', tests >=
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
The relaxed shift-coupling cost of a sequence of segments with cycles, corrected for guards < (the paper prints
the same cost for both guards).
|)
(set-info :status sat)
(set-logic QF_LRA)
(declare-const shift.0 Real)
(declare-const size.0 Real)
(assert (! (and (<= (- 1.0) shift.0) (<= shift.0 1.0) (<= shift.0 size.0) (<= (- shift.0) size.0)) :named |shift of step 0|))
(assert (! (= shift.0 1.0) :named |step 1 tests < on a cycle|))
(assert (! (<= (+ (* (/ 1.0 4.0) size.0) (/ 1.0 2.0) (* (/ 1.0 2.0) shift.0)) (/ 5.0 4.0)) :named |the cost is at most theta|))
(check-sat)
