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
;% for branch in branches
;   {{ loop.index0 }} = transitions {{ branch|join(", ") }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
The cost of one coupling strategy for several straight-line programs that share transitions, and the penalty of
sharing: max over differences, min over shared shifts, max over programs.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
;% for branch in branches
(declare-const weight.{{ loop.index0 }} Real)
;% endfor
;% for step in steps
(declare-const share.{{ step.number }} Real)
(declare-const load.{{ step.number }} Real)
;% if step.input
(declare-const up.{{ step.number }} Bool)
;% if not step.pinned
(declare-const gain.{{ step.number }} Real)
;% endif
;% endif
;% endfor
;% for order in orders
(declare-const lambda.{{ order.test }}.{{ order.stored }} Real)
;% endfor
;% for branch in branches
(assert (! (>= weight.{{ loop.index0 }} 0.0) :named |weight of branch {{ loop.index0 }}|))
;% endfor
(assert (! (= {% filter added %}
{% for branch in branches %} weight.{{ loop.index0 }}{% endfor %}{% endfilter %} 1.0) :named |weights sum to 1|))
;% for order in orders
(assert (! (>= lambda.{{ order.test }}.{{ order.stored }} 0.0) :named |multiplier of {{ order.test }} against {{ order.stored }}|))
;% endfor
;% for step in steps
;% set t = step.number
(assert (! (= share.{{ t }} {% filter added %}
{% for branch in branches if t in branch %} weight.{{ branches.index(branch) }}{% endfor %}{% endfilter %}) :named |share of transition {{ t }}|))
(assert (! (= load.{{ t }} {% filter added %}
{% for order in orders if order.test == t and not order.free %} {{ "" if order.relation == "<" else "(- " }}lambda.{{ order.test }}.{{ order.stored }}{{ "" if order.relation == "<" else ")" }}{% endfor %}
{% for order in orders if order.stored == t %} {{ "(- " if order.relation == "<" else "" }}lambda.{{ order.test }}.{{ order.stored }}{{ ")" if order.relation == "<" else "" }}{% endfor %}{% endfilter %}) :named |load of transition {{ t }}|))
;% if not step.pinned
(assert (! (and (<= load.{{ t }} (* {{ step.rate|number }} share.{{ t }})) (>= load.{{ t }} (* {{ (-step.rate)|number }} share.{{ t }}))) :named |load of transition {{ t }} is at most its rate|))
;% if step.input
(assert (! (= gain.{{ t }} (ite up.{{ t }} load.{{ t }} (- load.{{ t }}))) :named |gain of transition {{ t }}|))
;% endif
;% endif
;% endfor
(assert (! (>= {% filter added %}
{% for step in steps if step.input and not step.pinned %} gain.{{ step.number }}{% endfor %}
{% for step in steps if step.input and step.outright %} (* {{ step.outright|number }} share.{{ step.number }}){% endfor %}
{% for order in orders if order.free %} lambda.{{ order.test }}.{{ order.stored }}{% endfor %}{% endfilter %} {{ theta|number }}) :named |the total is at least theta|))
(check-sat)
