; sat: opt(run) >= theta; unsat: opt(run) < theta
;
; opt of a run of a threshold program is max over differences D of its inputs, min over shifts g that satisfy
; the guards and are 0 where insample is output, of sum |D_i - g_i| d_i, and d'_i |D_i| where insample' is output.
; It is the loss of the run, in multiples of epsilon (Theorem C). The maximum is at extreme points of the adjacency; the
; minimum is replaced by its dual, so only one existential quantifier remains.
;% if two_rates
; With two rates d_i is the one to the right if g_i > D_i, and the one to the left if g_i < D_i. On a side without
; noise it is infinite, and the load has no bound on that side (docs/theory_noise.md, Theorem 2).
;% endif
; Theorems: docs/theory_programs.md, "Multipliers" (duality) and Theorem C.
; Logic: QF_LRA.
; Variables, for every step i of the run:
;   up.i      Bool  D_i = 1      (where the step reads an input)
;   down.i    Bool  D_i = -1     (likewise; neither: D_i = 0)
;% if adjacency == "monotonic"
;   falling   Bool  no D_i is 1  (else none is -1)
;% endif
;   lambda.i  Real  multiplier of the order that the guard of step i puts on two shifts (guards < and >=)
;% if steps|selectattr("multipliers.1", "defined")|list
;   lambda.i.j Real multiplier of the order that test j of step i puts on two shifts (guards of several tests)
;% endif
;   load.i    Real  sum of the multipliers at step i, with their signs
;   gain.i    Real  load_i D_i   (where the step reads an input and does not output insample)
; A model is a choice of D with multipliers that prove a loss of at least theta.
; Steps:
;% for step in steps
;   {{ loop.index0 }} = transition {{ step.number }}, {{ step.words }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
The optimal cost of a coupling proof for one run of a threshold program, adjacency {{ adjacency }}: the
maximin of the papers on coupling proofs, in its linear programming dual.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
;% if adjacency == "monotonic"
(declare-const falling Bool)
;% endif
;% for step in steps
;% set i = loop.index0
;% if step.input
(declare-const up.{{ i }} Bool)
(declare-const down.{{ i }} Bool)
;% endif
;% for name in step.multipliers
(declare-const lambda.{{ name }} Real)
;% endfor
(declare-const load.{{ i }} Real)
;% if step.input and not step.pinned
(declare-const gain.{{ i }} Real)
;% endif
;% endfor
;% for step in steps
;% set i = loop.index0
;% if step.input
;% if adjacency == "all-differ"
(assert (! (xor up.{{ i }} down.{{ i }}) :named |step {{ i }} differs by 1 or -1|))
;% elif adjacency == "increasing"
(assert (! (not down.{{ i }}) :named |step {{ i }} differs by 0 or 1|))
;% elif adjacency == "decreasing"
(assert (! (not up.{{ i }}) :named |step {{ i }} differs by 0 or -1|))
;% elif adjacency == "monotonic"
(assert (! (and (=> up.{{ i }} (not falling)) (=> down.{{ i }} falling)) :named |step {{ i }} differs by 0 or as all do|))
;% else
(assert (! (not (and up.{{ i }} down.{{ i }})) :named |step {{ i }} differs by -1, 0 or 1|))
;% for k in step.earlier_inputs
(assert (! (not (and (or up.{{ i }} down.{{ i }}) (or up.{{ k }} down.{{ k }}))) :named |step {{ i }} or {{ k }} does not differ|))
;% endfor
;% endif
;% endif
;% for name in step.multipliers
(assert (! (>= lambda.{{ name }} 0.0) :named |multiplier of step {{ name }}|))
;% endfor
(assert (! (= load.{{ i }} {{ step.loads|join(" ")|added }}) :named |load of step {{ i }}|))
;% if not step.pinned
;% if step.left is not none and step.right is not none
(assert (! (and (<= load.{{ i }} {{ step.left|number }}) (>= load.{{ i }} {{ (-step.right)|number }})) :named |load of step {{ i }} is at most its rate|))
;% elif step.left is not none
(assert (! (<= load.{{ i }} {{ step.left|number }}) :named |load of step {{ i }} is at most its rate|))
;% elif step.right is not none
(assert (! (>= load.{{ i }} {{ (-step.right)|number }}) :named |load of step {{ i }} is at most its rate|))
;% endif
;% if step.input
(assert (! (= gain.{{ i }} (ite up.{{ i }} load.{{ i }} (ite down.{{ i }} (- load.{{ i }}) 0.0))) :named |gain of step {{ i }}|))
;% endif
;% endif
;% endfor
(assert (! (>= {% filter added %}
{% for step in steps if step.input and not step.pinned %} gain.{{ step.place }}{% endfor %}
{% for step in steps if step.input and (step.rising or step.falling) %} {% if step.rising == step.falling %}(ite (or up.{{ step.place }} down.{{ step.place }}) {{ step.rising|number }} 0.0){% else %}(ite up.{{ step.place }} {{ step.rising|number }} (ite down.{{ step.place }} {{ step.falling|number }} 0.0)){% endif %}{% endfor %}{% endfilter %} {{ theta|number }}) :named |the total is at least theta|))
(check-sat)
