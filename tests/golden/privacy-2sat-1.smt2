; sat: the looping branch is private (all-differ); unsat: it is not
;
; A looping branch is one path through a threshold program with the cycles on it; its steps are numbered.
; It is private if and only if shifts in {-1, 0, 1} exist that satisfy the guards, are 0 where insample is
; output, and leave steps on cycles free to follow their inputs: a test < there needs the stored value's
; shift to be 1, a test >= needs it to be -1.
; Theorem: docs/theory_programs.md, "One looping branch, and two errors in print".
; Logic: QF_UF; 2-SAT, as every clause has at most two literals.
; Variables, for every step i:
;   a.i  Bool  the shift of step i is at least 0
;   b.i  Bool  the shift of step i is at least 1
; A model is a coupling strategy of bounded cost. An unsatisfiable core names the steps of a contradiction.
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
Privacy of one looping branch of a threshold program: the privacy constraint graph of coupling proofs, as
2-SAT, with the constant 0 and the conditions on cycles that the graph in print lacks.
|)
(set-info :status sat)
(set-logic QF_UF)
(declare-const a.0 Bool)
(declare-const b.0 Bool)
(declare-const a.1 Bool)
(declare-const b.1 Bool)
(declare-const a.2 Bool)
(declare-const b.2 Bool)
(assert (! (=> b.0 a.0) :named |step 0, assigns|))
(assert (! (and (=> b.1 a.1) (=> a.1 a.0) (=> b.1 b.0) b.0) :named |step 1, tests <, is on cycle 1|))
(assert (! (and (=> b.2 a.2) (=> a.0 a.2) (=> b.0 b.2)) :named |step 2, tests >=|))
(check-sat)
