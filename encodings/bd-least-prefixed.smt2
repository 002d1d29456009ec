; sat: bd(s,t) {{ "<" if strict else "<=" }} theta; unsat: bd(s,t) {{ ">=" if strict else ">" }} theta
;
; Is there a pre-fixed point d that is below all pre-fixed points d', with d(s,t) {{ "<" if strict else "<=" }} theta? One
; such d exists, and it is bd. "d' is a pre-fixed point" is a statement about all potentials. The figure prints
; "for all d', f: phi(d',f) implies d <= d'", which no d satisfies unless bd is 0 on all pairs of equal label
; (take f = 0). The text of the paper says, and this formula has,
; "for all d': (for all f: phi(d',f)) implies d <= d'".
; Theorems: Figure 4 of "Bisimilarity Distances for Approximate Differential Privacy" (ATVA 2018).
; Logic: LRA, with three alternations of quantifiers; for very small chains only.
; Variables:
;   d.q.r   the distance of q and r, for all states of equal label with q < r (q = r and other labels: 0, 1)
;   f.i     the potential of state i, bound in phi
;   x.q.r   another table d', bound
; A model is bd.
; s = {{ s }}, t = {{ t }}. States:
;% for name, label in states
;   {{ loop.index0 }} = {{ name }}, label {{ label }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Bisimilarity Distances for Approximate Differential Privacy (ATVA 2018),
Figure 4: logical formulation of the least pre-fixed point.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic LRA)
(define-fun theta () Real {{ theta|number }})
;% macro prefixed(d)
(forall ({% for k in range(states|length) %}(f.{{ k }} Real) {% endfor %})
  (=> (and{% for k in range(states|length) %} (<= 0.0 f.{{ k }}) (<= f.{{ k }} 1.0){% endfor %}

           {%- for i, j in alike %} (<= (- f.{{ i }} (* {{ alpha|number }} f.{{ j }})) {{ d(i, j) }}){% endfor %} true)
      (and{% for p in pairs %} (<= {% filter added %}{% for i in p.all %} (* {{ p.all[i]|number }} f.{{ i }}){% endfor %}{% endfilter %} {{ d(p.source, p.target) }}){% endfor %} true)))
;% endmacro
;% for i, j in alike if i < j
(declare-const d.{{ i }}.{{ j }} Real)
(assert (and (<= 0.0 {{ d(i, j) }}) (<= {{ d(i, j) }} 1.0)))
;% endfor
; d is a pre-fixed point
(assert
{{ prefixed(d) -}}
)
; and below all others
;% if alike
(assert (forall ({% for i, j in alike if i < j %}({{ other(i, j) }} Real) {% endfor %})
(=> (and{% for i, j in alike if i < j %} (<= 0.0 {{ other(i, j) }}) (<= {{ other(i, j) }} 1.0){% endfor %}

{{ prefixed(other) -}}
) (and{% for i, j in alike if i < j %} (<= {{ d(i, j) }} {{ other(i, j) }}){% endfor %}))))
;% endif
(assert ({{ "<" if strict else "<=" }} {{ d(s, t) }} theta))
(check-sat)
