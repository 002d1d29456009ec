;% set several = variables|length > 1
; sat: the program is private (all-differ); unsat: it is not
;
;% if several
; A node is a state with the known order of its live variables; paths of nodes are the possible runs. A fact is a
; demand of some run to a node on the shift of a stored value: lo1 (at least 1), lo0 (at least 0), hi0 (at most 0),
; hi1 (at most -1). Some runs make two demands at once, which contradict each other if they come together. A step
; that can be repeated for ever, without assigning the variable of a fact, must be able to follow its inputs. So a
; test < on a cycle adds lo1, and a test >= adds hi1. A step with output insample has lo0 and hi0 itself. Low facts
; move to larger values and high facts to smaller ones, by orders and tests. A program is private if and only if no
; facts that contradict each other come together, no cycle both assigns and tests a variable, and no cycle outputs
; a number that depends on its input.
;% if one_sided
; A step without noise to the left cannot be below its input, so it has lo1 itself (lo0 without input); a step
; without noise to the right has hi1 (hi0). Such a step must not output insample if it reads an input.
;% endif
; Theorem: docs/theory_variables.md, Theorem F'.
; Logic: QF_UF; Horn clauses, so that there is a least model: the table of facts.
; Variables, for every node s, every component c and every variable v of the program, by number:
;   lo1.v.s, lo0.v.s, hi0.v.s, hi1.v.s  Bool  some run to node s demands this of the shift stored in v
;   lo1.v.hi0.w.s, and others like it   Bool  some run to node s demands both, of v and of w
;   assigns.c.v                         Bool  a transition on a cycle of component c assigns v
;   tests.c.v                           Bool  a transition on a cycle of component c tests v
;% else
; A fact is a demand of some run to a state on the shift of the stored value: lo1 (at least 1), lo0 (at least 0),
; hi0 (at most 0), hi1 (at most -1). A step that can be repeated for ever must be able to follow its inputs. So a
; test < on a cycle adds lo1, and a test >= adds hi1. With output insample a test adds lo0, respectively hi0. A
; program is private if and only if no step adds a fact that contradicts one of its state, no cycle both assigns
; and tests, and no cycle outputs a number that depends on its input.
;% if one_sided
; A step without noise to the left cannot be below its input. So its test < adds lo1 (lo0 without input) wherever it
; is, and the value that it stores has lo1; likewise >= and hi1 without noise to the right. Such a step must not
; output insample if it reads an input.
;% endif
; Theorem: docs/theory_programs.md, Theorem F.
; Logic: QF_UF; Horn clauses, so that there is a least model: the table of facts.
; Variables, for every state s and every component c, by number:
;   lo1.s, lo0.s, hi0.s, hi1.s  Bool  some run to state s demands this of the stored shift
;   assigns.c                   Bool  a transition on a cycle of component c assigns
;   tests.c                     Bool  a transition on a cycle of component c has a guard other than true
;% endif
; A model is a table of facts without contradictions. An unsatisfiable core names the transitions of a contradiction.
;% if several
; Variables of the program:
;% for name in variables
;   {{ loop.index0 }} = {{ name }}
;% endfor
; Nodes, with the order of variables:
;% else
; States:
;% endif
;% for node in nodes
;   {{ loop.index0 }} = {{ node.state }}{{ ", with " ~ node.order|join(", ") if node.order }}
;% endfor
(set-info :smt-lib-version 2.6)
(set-option :produce-unsat-cores true)
(set-info :source |
Privacy of a whole threshold program by propagation of facts: {{ "decision" if several else "linear-time decision" }}, as Horn clauses.
|)
;% if status
(set-info :status {{ status }})
;% endif
(set-logic QF_UF)
;% for node in nodes
;% set s = loop.index0
;% for fact in node.facts
(declare-const {{ fact }}.{{ s }} Bool)
;% endfor
;% endfor
{% macro of(v) %}{% if several %}.{{ v }}{% endif %}{% endmacro %}
{% macro clause(row, s, t) %}{% if row.before is none %}{{ row.after }}.{{ t }}{% elif row.after is none %}(not {{ row.before }}.{{ s }}){% else %}(=> {{ row.before }}.{{ s }} {{ row.after }}.{{ t }}){% endif %}{% endmacro %}
;% for c in components
;% for name in variables
;% set v = loop.index0
(declare-const assigns.{{ c }}{{ of(v) }} Bool)
(declare-const tests.{{ c }}{{ of(v) }} Bool)
;% endfor
;% endfor
;% for c in components
;% for name in variables
;% set v = loop.index0
(assert (! (not (and assigns.{{ c }}{{ of(v) }} tests.{{ c }}{{ of(v) }})) :named |component {{ c }} may not both assign and test{{ " variable " ~ v if several }}|))
;% endfor
;% endfor
;% for node in nodes
;% set s = loop.index0
;% for row in node.clauses
(assert (! {{ clause(row, s, s) }} :named |node {{ s }} {{ row.words }}|))
;% endfor
;% endfor
;% for edge in edges
;% set who = "edge " ~ edge.number ~ (" from " ~ edge.source if several else "")
;% for v in edge.assigns
(assert (! assigns.{{ edge.component }}{{ of(v) }} :named |{{ who }} assigns{{ " variable " ~ v if several }} on a cycle|))
;% endfor
;% for v in edge.tests
(assert (! tests.{{ edge.component }}{{ of(v) }} :named |{{ who }} tests{{ " variable " ~ v if several }} on a cycle|))
;% endfor
;% if edge.discloses
(assert (! false :named |{{ who }} discloses its input on a cycle|))
;% endif
;% if edge.shows
(assert (! false :named |{{ who }} outputs a number without noise on a side|))
;% endif
;% for row in edge.clauses
(assert (! {{ clause(row, edge.source, edge.target) }} :named |{{ who }} {{ row.words }}|))
;% endfor
;% endfor
(check-sat)
