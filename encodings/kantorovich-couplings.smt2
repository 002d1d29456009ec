; sat: K(d)(mu_s, mu_t) {{ "<" if strict else "<=" }} theta; unsat: K(d)(mu_s, mu_t) {{ ">=" if strict else ">" }} theta
;
; The skewed Kantorovich lifting of a given table d, as a minimum over couplings.
; Theorems: Lemma 19 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019). Mass that is sent to a
; state of another label costs as much as mass that is left over, so it is left out; so are the states of
; labels that neither s nor t enters.
; Logic: QF_LRA.
; Variables:
;   w.i.j   omega_ij: mass sent from i to j
;   g.i     gamma_i: mass that arrives at i and is sent on
;   t.i     tau_i: mass that stays at i
;   h.i     eta_i: mass that is left over at i, at a cost of 1
; A model is a coupling that proves the bound.
; The table d is 0 on the diagonal, 1 where labels differ, and as written in the formula elsewhere.
; s = {{ s }}, t = {{ t }}. States:
;% for name, label in states
;   {{ loop.index0 }} = {{ name }}, label {{ label }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Lemma 19: dual form of the asymmetric skewed Kantorovich lifting.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
(define-fun theta () Real {{ theta|number }})
;% for i, j in arcs
(declare-const w.{{ i }}.{{ j }} Real)
(assert (and (<= 0.0 w.{{ i }}.{{ j }}) (<= w.{{ i }}.{{ j }} 1.0)))
;% endfor
;% for i in entered
(declare-const g.{{ i }} Real)
(declare-const t.{{ i }} Real)
(declare-const h.{{ i }} Real)
(assert (and (<= 0.0 g.{{ i }}) (<= g.{{ i }} 1.0) (<= 0.0 t.{{ i }}) (<= t.{{ i }} 1.0) (<= 0.0 h.{{ i }}) (<= h.{{ i }} 1.0)))
(assert (= {% filter added %}
{% for k, j in arcs if k == i %} w.{{ i }}.{{ j }}{% endfor %} (- t.{{ i }} g.{{ i }}) h.{{ i }}
{% endfilter %} {{ x[i]|number }}))
(assert (<= {% filter added %}
{% for k, j in arcs if j == i %} w.{{ k }}.{{ i }}{% endfor %} (* {{ (1 / alpha)|number }} (- t.{{ i }} g.{{ i }}))
{% endfilter %} {{ y[i]|number }}))
;% endfor
(assert ({{ "<" if strict else "<=" }} {% filter added %}
{% for i, j in arcs %} (* {{ table[i, j]|number }} w.{{ i }}.{{ j }}){% endfor %}
{% for i in entered %} h.{{ i }}{% endfor %}
{% endfilter %} theta))
(check-sat)
