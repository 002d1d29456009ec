; sat: bd(s,t) {{ ">" if strict else ">=" }} theta; unsat: bd(s,t) {{ "<=" if strict else "<" }} theta
;
; Are there an orientation, one direction of every unordered pair, and a post-fixed point d of the operator that
; uses these directions, with d(s,t) {{ ">" if strict else ">=" }} theta? The solver chooses the orientation. For every pair potentials f
; show that d(q,r) is at most the lifting in the chosen direction. All such d are below bd if they are 0 on the
; pairs that support each other in the chosen directions.
;% if strict
; Here they are 0 there because every positive d(q,r) is strictly below its lifting (docs/formulas.md).
;% else
; So every pair has d = 0, or is strictly below its lifting, or has a rank r and potentials e that remove it from
; the pairs of the same d whose rank is not below r: the rank rule of docs/certificates.md.
;% endif
; Theorems: docs/theory.md, "Theorem B: the symmetric distance"; docs/formulas.md, "Strict post-fixed points".
; Logic: QF_LRA.
; Variables, for every unordered pair q < r of states of equal label that bd(s,t) depends on:
;   d.q.r     the distance of q and r
;   ahead.q.r Bool, the direction: b = mu_q - alpha mu_r, otherwise b = mu_r - alpha mu_q
;   f.q.r.i   the potential of state i
;% if not strict
;   r.q.r     the rank
;   e.q.r.i   the potential of state i that shows that the pair can be removed
;% endif
; Labels in which no state has b > 0, in neither direction, have no potentials.
; A model is the lower evidence of a certificate{{ "" if strict else ", ranks included" }}.
; s = {{ s }}, t = {{ t }}. States:
;% for name, label in states
;   {{ loop.index0 }} = {{ name }}, label {{ label }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-info :source |
The distance of "Bisimilarity Distances for Approximate Differential Privacy" (ATVA 2018) from below: an
orientation and a post-fixed point, as a question about a threshold.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
(define-fun theta () Real {{ theta|number }})
;% for p in pairs
;% set n = p.forth.source ~ "." ~ p.forth.target
(declare-const d.{{ n }} Real)
(declare-const ahead.{{ n }} Bool)
(assert (and (<= 0.0 d.{{ n }}) (<= d.{{ n }} 1.0)))
;% if not strict
(declare-const r.{{ n }} Real)
;% endif
;% endfor
;% for p in pairs
;% set n = p.forth.source ~ "." ~ p.forth.target
; potentials for ({{ p.forth.source }},{{ p.forth.target }})
;% for i in p.states
(declare-const f.{{ n }}.{{ i }} Real)
(assert (and (<= 0.0 f.{{ n }}.{{ i }}) (<= f.{{ n }}.{{ i }} 1.0)))
;% endfor
;% for i, j in p.arcs
(assert (<= f.{{ n }}.{{ i }} (+ {{ d(i, j) }} (* {{ alpha|number }} f.{{ n }}.{{ j }}))))
;% endfor
(define-fun lifting.{{ n }} () Real (ite ahead.{{ n }} {% filter added %}
{{ p.forth.lost|number }}{% for i in p.forth.bound %} (* {{ p.forth.gains[i]|number }} f.{{ n }}.{{ i }}){% endfor %}
{% endfilter %} {% filter added %}
{{ p.back.lost|number }}{% for i in p.back.bound %} (* {{ p.back.gains[i]|number }} f.{{ n }}.{{ i }}){% endfor %}
{% endfilter %}))
;% if strict
(assert (or (= d.{{ n }} 0.0) (< d.{{ n }} lifting.{{ n }})))
;% else
(assert (<= d.{{ n }} lifting.{{ n }}))
;% for i in p.states
(declare-const e.{{ n }}.{{ i }} Real)
(assert (<= 0.0 e.{{ n }}.{{ i }}))
;% endfor
;% for i, j in p.arcs
(assert (or (<= e.{{ n }}.{{ i }} (* {{ alpha|number }} e.{{ n }}.{{ j }})) (< {{ rank(i, j) }} r.{{ n }}) (not (= {{ d(i, j) }} d.{{ n }}))))
;% endfor
(define-fun removal.{{ n }} () Real (ite ahead.{{ n }} {% filter added %}
{{ p.forth.lost|number }}{% for i in p.forth.bound %} (* {{ p.forth.gains[i]|number }} e.{{ n }}.{{ i }}){% endfor %}
{% endfilter %} {% filter added %}
{{ p.back.lost|number }}{% for i in p.back.bound %} (* {{ p.back.gains[i]|number }} e.{{ n }}.{{ i }}){% endfor %}
{% endfilter %}))
(assert (or (= d.{{ n }} 0.0)
            (and (= r.{{ n }} 0.0) (< d.{{ n }} lifting.{{ n }}))
            (and (>= r.{{ n }} 1.0) (> removal.{{ n }} 0.0))))
;% endif
;% endfor
(assert ({{ ">" if strict else ">=" }} {{ d(s, t) }} theta))
(check-sat)
