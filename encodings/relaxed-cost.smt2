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
;% for step in steps
;   {{ step.place }} = transition {{ step.number }}, {{ step.words }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
The relaxed shift-coupling cost of a sequence of segments with cycles, corrected for guards < (the paper prints
the same cost for both guards).
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
;% for step in steps if step.assigns
(declare-const shift.{{ step.place }} Real)
(declare-const size.{{ step.place }} Real)
;% endfor
;% for step in steps
;% set i, at = step.place, step.at
;% if step.free
;% if step.relation
(assert (! (= shift.{{ at }} {{ "1.0" if step.relation == "<" else "(- 1.0)" }}) :named |step {{ i }} tests {{ step.relation }} on a cycle|))
;% endif
;% elif step.assigns
(assert (! (and (<= (- 1.0) shift.{{ i }}) (<= shift.{{ i }} 1.0) (<= shift.{{ i }} size.{{ i }}) (<= (- shift.{{ i }}) size.{{ i }})) :named |shift of step {{ i }}|))
;% if step.relation == "<"
(assert (! (<= shift.{{ i }} shift.{{ at }}) :named |step {{ i }} tests <|))
;% elif step.relation == ">="
(assert (! (>= shift.{{ i }} shift.{{ at }}) :named |step {{ i }} tests >=|))
;% endif
;% if step.pinned
(assert (! (= shift.{{ i }} 0.0) :named |step {{ i }} outputs insample|))
;% endif
;% elif step.pinned and step.relation
(assert (! ({{ "<=" if step.relation == "<" else ">=" }} 0.0 shift.{{ at }}) :named |step {{ i }} tests {{ step.relation }} and outputs insample|))
;% endif
;% if step.discloses
(assert (! false :named |step {{ i }} discloses its input on a cycle|))
;% endif
;% if step.leaks
(assert (! false :named |step {{ i }} tests on a cycle that assigns|))
;% endif
;% endfor
(assert (! (<= {% filter added %}
{% for step in steps if not step.free -%}
{% if step.assigns %} (* {{ step.rate|number }} size.{{ step.place }}) {{ step.constant|number }}
{% elif step.pinned or not step.relation %} {{ step.leaf|number }}
{% elif step.relation == "<" %} {{ step.constant|number }} (* {{ (-step.rate)|number }} shift.{{ step.at }})
{% else %} {{ step.constant|number }} (* {{ step.rate|number }} shift.{{ step.at }})
{% endif %}
{% endfor %}{% endfilter %} {{ theta|number }}) :named |the cost is at most theta|))
(check-sat)
