; sat: the program is private (all-differ); unsat: it is not
;
; A fact about the shift of the stored value is what some run to a state demands of it: lo1 (at least 1),
; lo0 (at least 0), hi0 (at most 0), hi1 (at most -1). A step that can be repeated for ever must be able to
; follow its inputs, so a test < on a cycle adds lo1, a test >= adds hi1; with output insample a test adds lo0,
; respectively hi0. A program is private if and only if no step adds a fact that contradicts one of its state,
; no cycle both assigns and tests, and none outputs a number that depends on its input.
; Theorem: docs/theory_programs.md, Theorem F.
; Logic: QF_UF; Horn clauses, so that there is a least model: the table of facts.
; Variables, for every state s and every component c, by number:
;   lo1.s, lo0.s, hi0.s, hi1.s  Bool  some run to state s demands this of the stored shift
;   assigns.c                   Bool  an edge on a cycle of component c assigns
;   tests.c                     Bool  an edge on a cycle of component c has a guard other than true
; A model is a table of facts without contradictions. An unsatisfiable core names the edges of a contradiction.
; States:
;% for state in states
;   {{ loop.index0 }} = {{ state }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
Privacy of a whole threshold program by propagation of facts: linear-time decision, as Horn clauses.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_UF)
;% for state in states
;% set s = loop.index0
(declare-const lo1.{{ s }} Bool)
(declare-const lo0.{{ s }} Bool)
(declare-const hi0.{{ s }} Bool)
(declare-const hi1.{{ s }} Bool)
;% endfor
;% for c in components
(declare-const assigns.{{ c }} Bool)
(declare-const tests.{{ c }} Bool)
;% endfor
;% for c in components
(assert (! (not (and assigns.{{ c }} tests.{{ c }})) :named |component {{ c }} may not both assign and test|))
;% endfor
;% set contradicts = {"lo1": ["hi0", "hi1"], "lo0": ["hi1"], "hi1": ["lo1", "lo0"], "hi0": ["lo1"]}
;% for edge in edges
;% set n, s, t = edge.number, edge.source, edge.target
;% set kind = {"<": "lo", ">=": "hi", "": none}[edge.relation]
;% set added = []
;% if kind is not none and edge.inside
;% set added = added + [kind ~ "1"]
;% endif
;% if kind is not none and edge.output == "insample"
;% set added = added + [kind ~ "0"]
;% endif
;% if edge.inside and edge.assigns
(assert (! assigns.{{ edge.component }} :named |edge {{ n }} assigns on a cycle|))
;% endif
;% if edge.inside and edge.relation
(assert (! tests.{{ edge.component }} :named |edge {{ n }} tests on a cycle|))
;% endif
;% if edge.inside and edge.input and edge.output in ["insample", "insampleprime"]
(assert (! false :named |edge {{ n }} discloses its input on a cycle|))
;% endif
;% for fact in added
;% for other in contradicts[fact]
(assert (! (not {{ other }}.{{ s }}) :named |edge {{ n }} adds {{ fact }} against {{ other }}|))
;% endfor
;% endfor
;% if t is not none
;% if edge.assigns and edge.output == "insample"
(assert (! lo0.{{ t }} :named |edge {{ n }} starts lo0|))
(assert (! hi0.{{ t }} :named |edge {{ n }} starts hi0|))
;% endif
;% for fact in ["lo1", "lo0", "hi0", "hi1"]
;% if not edge.assigns or edge.relation == {"lo": ">=", "hi": "<"}[fact[:2]]
;% if fact in added
(assert (! {{ fact }}.{{ t }} :named |edge {{ n }} adds {{ fact }}|))
;% endif
(assert (! (=> {{ fact }}.{{ s }} {{ fact }}.{{ t }}) :named |edge {{ n }} hands on {{ fact }}|))
;% endif
;% endfor
;% endif
;% endfor
(check-sat)
