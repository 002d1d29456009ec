; sat: lgd(s,t) {{ ">" if strict else ">=" }} theta; unsat: lgd(s,t) {{ "<=" if strict else "<" }} theta
;
; lgd is the largest table that is 0 on skewed bisimilarity, 1 where labels differ, and elsewhere at most
; sum omega_ij d(i,j) + sum eta_i for every vertex (omega, eta) of the couplings of the pair. There are exponentially
; many vertices. This formula has one for every pair, those with which policy iteration ended: no other vertex is
; violated. With fewer constraints the largest table could only be larger, and with these it is already lgd.
; Theorems: Proposition 28 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019); docs/theory.md,
; "Policy iteration".
; Logic: QF_LRA.
; Variables, for every pair (q,r) of two different states of equal label that lgd(s,t) depends on and that is
; not skewed bisimilar:
;   d.q.r   the distance from q to r
; A model is a table that no vertex below refutes.
; s = {{ s }}, t = {{ t }}. States:
;% for name, label in states
;   {{ loop.index0 }} = {{ name }}, label {{ label }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Proposition 28: linear program for lgd.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
(define-fun theta () Real {{ theta|number }})
;% for p in pairs
(declare-const d.{{ p.pair[0] }}.{{ p.pair[1] }} Real)
(assert (and (<= 0.0 {{ d(*p.pair) }}) (<= {{ d(*p.pair) }} 1.0)))
;% endfor
;% for p in pairs
(assert (<= {{ d(*p.pair) }} {% filter added %}
{% for i, j, weight in p.weights %} (* {{ weight|number }} {{ d(i, j) }}){% endfor %} {{ p.behind|number }}
{% endfilter %}))
;% endfor
(assert ({{ ">" if strict else ">=" }} {{ d(s, t) }} theta))
(check-sat)
