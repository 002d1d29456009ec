; sat: ld(s,t) {{ ">" if strict else ">=" }} theta; unsat: ld(s,t) {{ "<=" if strict else "<" }} theta
;
; Is there a post-fixed point d <= Gamma(d) with d(s,t) {{ ">" if strict else ">=" }} theta that is 0 on skewed bisimilarity? ld is the
; greatest one (Theorem A), so one linear formula decides. For every pair potentials f show that
; d(q,r) <= K(d)(mu_q, mu_r).
; Theorems: docs/theory.md, "Theorem A" and "Distance one".
; Logic: QF_LRA.
; Variables, for every pair (q,r) of two different states of equal label that ld(s,t) depends on, except those
; that are skewed bisimilar, whose distance is 0, and those whose distance is 1 for every alpha:
;   d.q.r     the distance from q to r
;   f.q.r.i   the potential of state i: of every state, also outside the supports, of a label in which
;             b = mu_q - alpha mu_r is positive at some state and negative at another
; A label in which b is nowhere negative contributes a number, and one in which it is nowhere positive nothing.
; A model is the lower evidence of a certificate, without the ranks.
; s = {{ s }}, t = {{ t }}. States:
;% for name, label in states
;   {{ loop.index0 }} = {{ name }}, label {{ label }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-info :source |
The linear program for the greatest fixed point of "Asymmetric Distances for Approximate Differential Privacy"
(CONCUR 2019), Section 7, with the lifting in its form with potentials, as a question about a threshold.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
(define-fun theta () Real {{ theta|number }})
;% for p in pairs
(declare-const d.{{ p.source }}.{{ p.target }} Real)
(assert (and (<= 0.0 {{ d(p.source, p.target) }}) (<= {{ d(p.source, p.target) }} 1.0)))
;% endfor
;% for p in pairs
;% set n = p.source ~ "." ~ p.target
; potentials for ({{ p.source }},{{ p.target }})
;% for i in p.states
(declare-const f.{{ n }}.{{ i }} Real)
(assert (and (<= 0.0 f.{{ n }}.{{ i }}) (<= f.{{ n }}.{{ i }} 1.0)))
;% endfor
;% for i, j in p.arcs
(assert (<= f.{{ n }}.{{ i }} (+ {{ d(i, j) }} (* {{ alpha|number }} f.{{ n }}.{{ j }}))))
;% endfor
(assert (<= {{ d(p.source, p.target) }} {% filter added %}
{{ p.lost|number }}{% for i in p.bound %} (* {{ p.gains[i]|number }} f.{{ n }}.{{ i }}){% endfor %}
{% endfilter %}))
;% endfor
(assert ({{ ">" if strict else ">=" }} {{ d(s, t) }} theta))
(check-sat)
