; sat: ld(s,t) {{ "<" if strict else "<=" }} theta; unsat: ld(s,t) {{ ">=" if strict else ">" }} theta
;
; LD-threshold: is there a pre-fixed point d of Gamma with d(s,t) {{ "<" if strict else "<=" }} theta? ld is the least one. For every
; pair (q,r) a coupling (w, g, t, h) shows that K(d)(mu_q, mu_r) <= d(q,r).
; Theorems: Figure 3 and Lemma 19 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019).
; Logic: QF_NRA; the products are w_ij d_ij.
; Variables, for every pair (q,r) of two different states of equal label that ld(s,t) depends on:
;   d.q.r      the distance from q to r
;   w.q.r.i.j  omega_ij of the coupling of (q,r): mass sent from i to j
;   g.q.r.i    gamma_i: mass that arrives at i and is sent on
;   t.q.r.i    tau_i: mass that stays at i
;   h.q.r.i    eta_i: mass that is left over at i, at a cost of 1
; These are left out, and change nothing (docs/formulas.md): pairs that ld(s,t) does not depend on; d(q,q) = 0; mass
; sent to a state of another label, which costs as much as leaving it. So the states of a label matter only if
; b = mu_q - alpha mu_r is positive at some and negative at others; the cost of the other labels is a number.
; A model is a table that proves the bound, with its couplings.
; s = {{ s }}, t = {{ t }}. States:
;% for name, label in states
;   {{ loop.index0 }} = {{ name }}, label {{ label }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Figure 3: NP formula for LD-threshold.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_NRA)
(define-fun theta () Real {{ theta|number }})
;% for p in pairs
(declare-const d.{{ p.source }}.{{ p.target }} Real)
(assert (and (<= 0.0 {{ d(p.source, p.target) }}) (<= {{ d(p.source, p.target) }} 1.0)))
;% endfor
;% for p in pairs
;% set n = p.source ~ "." ~ p.target
; coupling constraint for ({{ p.source }},{{ p.target }})
;% for i, j in p.arcs
(declare-const w.{{ n }}.{{ i }}.{{ j }} Real)
(assert (and (<= 0.0 w.{{ n }}.{{ i }}.{{ j }}) (<= w.{{ n }}.{{ i }}.{{ j }} 1.0)))
;% endfor
;% for i in p.states
(declare-const g.{{ n }}.{{ i }} Real)
(declare-const t.{{ n }}.{{ i }} Real)
(declare-const h.{{ n }}.{{ i }} Real)
(assert (and (<= 0.0 g.{{ n }}.{{ i }}) (<= g.{{ n }}.{{ i }} 1.0) (<= 0.0 t.{{ n }}.{{ i }}) (<= t.{{ n }}.{{ i }} 1.0) (<= 0.0 h.{{ n }}.{{ i }}) (<= h.{{ n }}.{{ i }} 1.0)))
;% endfor
(assert (<= {% filter added %}
{% for i, j in p.arcs %} (* w.{{ n }}.{{ i }}.{{ j }} {{ d(i, j) }}){% endfor %}
{% for i in p.states %} h.{{ n }}.{{ i }}{% endfor %}
 {{ p.lost|number }}{% endfilter %} {{ d(p.source, p.target) }}))
;% for i in p.states
(assert (= {% filter added %}
{% for k, j in p.arcs if k == i %} w.{{ n }}.{{ i }}.{{ j }}{% endfor %}
 (- t.{{ n }}.{{ i }} g.{{ n }}.{{ i }}) h.{{ n }}.{{ i }}{% endfilter %} {{ p.x[i]|number }}))
(assert (<= {% filter added %}
{% for k, j in p.arcs if j == i %} w.{{ n }}.{{ k }}.{{ i }}{% endfor %}
 (* {{ (1 / alpha)|number }} (- t.{{ n }}.{{ i }} g.{{ n }}.{{ i }})){% endfilter %} {{ p.y[i]|number }}))
;% endfor
;% endfor
(assert ({{ "<" if strict else "<=" }} {{ d(s, t) }} theta))
(check-sat)
