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
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_UF)
;% for step in steps
(declare-const a.{{ loop.index0 }} Bool)
(declare-const b.{{ loop.index0 }} Bool)
;% endfor
;% for step in steps
;% set i, at = loop.index0, step.at
(assert (! {% filter conjoined %}
(=> b.{{ i }} a.{{ i }})
{% if step.output == "insample" %} a.{{ i }} (not b.{{ i }}){% endif %}
{% if step.relation == "<" %} (=> a.{{ i }} a.{{ at }}) (=> b.{{ i }} b.{{ at }}){% endif %}
{% if step.relation == ">=" %} (=> a.{{ at }} a.{{ i }}) (=> b.{{ at }} b.{{ i }}){% endif %}
{% if step.relation == "<" and step.cycle is not none %} b.{{ at }}{% endif %}
{% if step.relation == ">=" and step.cycle is not none %} (not a.{{ at }}){% endif %}
{% endfilter %} :named |{{ step.name }}|))
;% if step.discloses
(assert (! false :named |step {{ i }} discloses its input on a cycle|))
;% endif
;% if step.leaks
(assert (! false :named |step {{ i }} tests on a cycle that assigns|))
;% endif
;% endfor
(check-sat)
