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
;% for step in steps
;   {{ step.place }} = transition {{ step.number }}, {{ step.words }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
The approximate privacy cost of a looping branch (periodic program), corrected at public states and at
assignments on cycles.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
;% for step in steps if not step.free
(declare-const shift.{{ step.place }} Real)
(declare-const size.{{ step.place }} Real)
;% endfor
;% for step in steps
;% set i, at = step.place, step.at
;% if step.free
;% if step.relation
(assert (! (= shift.{{ at }} {{ "1.0" if step.relation == "<" else "(- 1.0)" }}) :named |step {{ i }} tests {{ step.relation }} on a cycle|))
;% endif
;% else
(assert (! (and (<= (- 1.0) shift.{{ i }}) (<= shift.{{ i }} 1.0) (<= shift.{{ i }} size.{{ i }}) (<= (- shift.{{ i }}) size.{{ i }})) :named |shift of step {{ i }}|))
;% if step.relation == "<"
(assert (! (<= shift.{{ i }} shift.{{ at }}) :named |step {{ i }} tests <|))
;% elif step.relation == ">="
(assert (! (>= shift.{{ i }} shift.{{ at }}) :named |step {{ i }} tests >=|))
;% endif
;% if step.pinned
(assert (! (= shift.{{ i }} 0.0) :named |step {{ i }} outputs insample|))
;% endif
;% endif
;% if step.discloses
(assert (! false :named |step {{ i }} discloses its input on a cycle|))
;% endif
;% if step.leaks
(assert (! false :named |step {{ i }} tests on a cycle that assigns|))
;% endif
;% endfor
(assert (! (<= {% filter added %}
{% for step in steps if not step.free %} (* {{ step.rate|number }} size.{{ step.place }}) {{ (step.constant)|number }}{% endfor %}{% endfilter %} {{ theta|number }}) :named |the cost is at most theta|))
(check-sat)
