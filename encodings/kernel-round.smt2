; sat: (s,t) is not skewed bisimilar: it is removed {{ "as its labels differ" if rank == 0 else "in round " ~ rank }}; unsat: it is skewed bisimilar
;
; Skewed bisimilarity is the set of pairs that are left after rounds of removal. A round removes every pair without a
; coupling on the pairs that are left which leaves no mass over. By duality these are the pairs with potentials f
; such that f_i <= alpha f_j for all pairs (i,j) that are left, and f (mu_s - alpha mu_t) > 0. This is round
; {{ rank }}, which removes (s,t), or the last one if none does. Pairs of different label are removed before.
; Theorems: Proposition 24 of "Asymmetric Distances for Approximate Differential Privacy" (CONCUR 2019); docs/theory.md,
; "Kernels and ranks".
; Logic: QF_LRA.
; Variables:
;   f.i   the potential of state i
; A model is the evidence of certificates that the pair is removed.
; s = {{ s }}, t = {{ t }}. States:
;% for name, label in states
;   {{ loop.index0 }} = {{ name }}, label {{ label }}
;% endfor
(set-info :smt-lib-version 2.6)
; Pairs of equal label that are left: {{ left|length }} of {{ alike|length }}.
(set-info :source |
Chistikov, Murawski, Purser: Asymmetric Distances for Approximate Differential Privacy (CONCUR 2019),
Proposition 24: skewed bisimilarity by refinement.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_LRA)
;% for i in entered
(declare-const f.{{ i }} Real)
(assert (and (<= 0.0 f.{{ i }}) (<= f.{{ i }} 1.0)))
;% endfor
;% for i, j in left if i in entered
(assert (<= f.{{ i }} (* {{ alpha|number }} f.{{ j }})))
;% endfor
;% if rank > 0
(assert (> {% filter added %}
{% for i in entered %} (* {{ (x[i] - alpha * y[i])|number }} f.{{ i }}){% endfor %}
{% endfilter %} 0.0))
;% endif
(check-sat)
