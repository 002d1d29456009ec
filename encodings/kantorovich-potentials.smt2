; sat: K(d)(mu_s, mu_t) {{ ">" if strict else ">=" }} theta; unsat: K(d)(mu_s, mu_t) {{ "<=" if strict else "<" }} theta
;
; The skewed Kantorovich lifting of a given table d, as a maximum over potentials.
; Theorems: Definition 13 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019), for finitely many
; states; docs/theory.md, "The lifting as a flow". K(d) splits by label, and states of labels that neither s nor t
; enters do not matter.
; Logic: QF_LRA.
; Variables:
;   f.i   the potential of state i
; A model is a vector of potentials that proves the bound.
; The table d is 0 on the diagonal, 1 where labels differ, and as written in the formula elsewhere.
; s = {{ s }}, t = {{ t }}. States:
;% for name, label in states
;   {{ loop.index0 }} = {{ name }}, label {{ label }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Definition 13: asymmetric skewed Kantorovich lifting.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
(define-fun theta () Real {{ theta|number }})
;% for i in entered
(declare-const f.{{ i }} Real)
(assert (and (<= 0.0 f.{{ i }}) (<= f.{{ i }} 1.0)))
;% endfor
;% for i, j in arcs
(assert (<= (- f.{{ i }} (* {{ alpha|number }} f.{{ j }})) {{ table[i, j]|number }}))
;% endfor
(assert ({{ ">" if strict else ">=" }} {% filter added %}
{% for i in entered %} (* {{ (x[i] - alpha * y[i])|number }} f.{{ i }}){% endfor %}
{% endfilter %} theta))
(check-sat)
