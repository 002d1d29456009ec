; sat: the program is private (all-differ); unsat: it is not
;
; A fact is a demand of some run to a state on the shift of the stored value: lo1 (at least 1), lo0 (at least 0),
; hi0 (at most 0), hi1 (at most -1). A step that can be repeated for ever must be able to follow its inputs. So a
; test < on a cycle adds lo1, and a test >= adds hi1. With output insample a test adds lo0, respectively hi0. A
; program is private if and only if no step adds a fact that contradicts one of its state, no cycle both assigns
; and tests, and no cycle outputs a number that depends on its input.
; Theorem: docs/theory_programs.md, Theorem F.
; Logic: QF_UF; Horn clauses, so that there is a least model: the table of facts.
; Variables, for every state s and every component c, by number:
;   lo1.s, lo0.s, hi0.s, hi1.s  Bool  some run to state s demands this of the stored shift
;   assigns.c                   Bool  a transition on a cycle of component c assigns
;   tests.c                     Bool  a transition on a cycle of component c has a guard other than true
; A model is a table of facts without contradictions. An unsatisfiable core names the transitions of a contradiction.
; States:
;   0 = 'q1'
;   1 = 'q2'
;   2 = 'q3'
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
Privacy of a whole threshold program by propagation of facts: linear-time decision, as Horn clauses.
|)
(set-info :status unsat)
(set-logic QF_UF)
(declare-const lo1.0 Bool)
(declare-const lo0.0 Bool)
(declare-const hi0.0 Bool)
(declare-const hi1.0 Bool)
(declare-const lo1.1 Bool)
(declare-const lo0.1 Bool)
(declare-const hi0.1 Bool)
(declare-const hi1.1 Bool)
(declare-const lo1.2 Bool)
(declare-const lo0.2 Bool)
(declare-const hi0.2 Bool)
(declare-const hi1.2 Bool)
(declare-const assigns.0 Bool)
(declare-const tests.0 Bool)
(declare-const assigns.1 Bool)
(declare-const tests.1 Bool)
(declare-const assigns.2 Bool)
(declare-const tests.2 Bool)
(assert (! (not (and assigns.0 tests.0)) :named |component 0 may not both assign and test|))
(assert (! (not (and assigns.1 tests.1)) :named |component 1 may not both assign and test|))
(assert (! (not (and assigns.2 tests.2)) :named |component 2 may not both assign and test|))
(assert (! tests.1 :named |edge 1 tests on a cycle|))
(assert (! (not hi0.1) :named |edge 1 adds lo1 against hi0|))
(assert (! (not hi1.1) :named |edge 1 adds lo1 against hi1|))
(assert (! lo1.1 :named |edge 1 adds lo1|))
(assert (! (=> lo1.1 lo1.1) :named |edge 1 hands on lo1|))
(assert (! (=> lo0.1 lo0.1) :named |edge 1 hands on lo0|))
(assert (! (=> hi0.1 hi0.1) :named |edge 1 hands on hi0|))
(assert (! (=> hi1.1 hi1.1) :named |edge 1 hands on hi1|))
(assert (! (=> lo1.1 lo1.2) :named |edge 2 hands on lo1|))
(assert (! (=> lo0.1 lo0.2) :named |edge 2 hands on lo0|))
(assert (! (=> hi0.1 hi0.2) :named |edge 2 hands on hi0|))
(assert (! (=> hi1.1 hi1.2) :named |edge 2 hands on hi1|))
(assert (! tests.2 :named |edge 4 tests on a cycle|))
(assert (! (not lo1.2) :named |edge 4 adds hi1 against lo1|))
(assert (! (not lo0.2) :named |edge 4 adds hi1 against lo0|))
(assert (! (=> lo1.2 lo1.2) :named |edge 4 hands on lo1|))
(assert (! (=> lo0.2 lo0.2) :named |edge 4 hands on lo0|))
(assert (! (=> hi0.2 hi0.2) :named |edge 4 hands on hi0|))
(assert (! hi1.2 :named |edge 4 adds hi1|))
(assert (! (=> hi1.2 hi1.2) :named |edge 4 hands on hi1|))
(check-sat)
