"""Threshold programs in the text format of the field, ``.dipa``.

    program = { final } entry { entry | final } ;     (* the first entry is the initial state *)
    final   = "final" state { "," state } ";" ;       (* runs end there *)
    entry   = "(" state [":" "non-input"] "," rate "," mean ["," rate' "," mean'] ")" ":" (action | cases) ;
    cases   = "if" "(" guard ")" "then" action { "elseif" "(" guard ")" "then" action } [ "else" action ] ;
    guard   = test { "&&" test } ;   test = "insample" ("<" | "<=" | ">" | ">=") variable ;
    action  = [ variable ":=" "insample" { "," variable ":=" "insample" } ";" ]
              "output" value ";" "goto" state ;
    value   = letter | "insample" | "insampleprime" ;

States, letters and variables are identifiers of ASCII letters, digits and _, not beginning with a digit; the
words of the grammar are reserved. White space is free, ``#`` starts a comment to the end of the line, and
``<=`` means ``<`` and ``>`` means ``>=``, since noise meets a number with probability 0. ``else`` stands for
what the guards above it leave, which may be several transitions. A state that is gone to and has no entry is
final; it should be declared, unless it is called ``end``. Rates and means are written like 2, 1/3, 0.25 or
1e-5.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from prover.errors import BadInput, in_file, quoted
from prover.exact.rational import EXAMPLES, format_rational, parse_rational
from prover.formats.strict_json import check_exponents, decoded
from prover.program.errors import DuplicateState, InvalidProgram, program_path
from prover.program.gaps import complement
from prover.program.model import REAL_OUTPUTS, Program, State, Test, Transition

RESERVED = ("if", "then", "elseif", "output", "goto", "insample", "insampleprime", "non-input")

_RELATIONS = {"<": "<", "<=": "<", ">": ">=", ">=": ">="}
_BLANK = re.compile(r"(?:[ \t\r\n\f\v]++|#[^\n]*+)*+")
# A word takes what a number or a name is misspelt with, so that messages quote all of it, and the sign of
# an exponent.
_WORD = re.compile(
    r":=|<=|>=|&&|non-input(?![\w.])|-?[0-9][\w./]*?[eE][+-][\w./]*+|-?[\w.][\w./]*+|.", re.DOTALL
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ACTION = 'an assignment or "output"'
_INDENT = "    "

Place = tuple[str, int | None, str | None]
"""A state, perhaps a transition of it, and perhaps the JSON key of a part."""


class DipaSyntax(BadInput):
    """A document does not have the form of the grammar."""

    def __init__(self, expected: str, found: str, line: int, column: int, hint: str = "") -> None:
        super().__init__(f"{expected} belongs here, not {found}{hint}", line=line, column=column)


class NothingElse(BadInput):
    """The guards above an ``else`` leave nothing to it."""

    def __init__(self, line: int, column: int) -> None:
        super().__init__("the guards above cover everything, so else never holds", line=line, column=column)


class ReservedWord(BadInput):
    """A word of the grammar is used as the name of a state, of a letter or of a variable."""

    def __init__(self, expected: str, word: str, line: int, column: int) -> None:
        message = f"{expected} belongs here, not {quoted(word)}, which is a word of the language"
        super().__init__(message, line=line, column=column)


class NotAName(BadInput):
    """A name of a program is no identifier of the text format, or one of its words."""

    def __init__(self, name: str, path: str) -> None:
        message = (
            f"the text format cannot write the name {quoted(name)}; its names are letters, digits and _, not "
            "beginning with a digit, and no words of the language"
        )
        super().__init__(message, path=path)


class TrueAmongCases(BadInput):
    """One of several transitions of a state has the guard true, which the text format cannot write."""

    def __init__(self, path: str) -> None:
        message = "the text format has no guard that is true beside other cases of the same state"
        super().__init__(message, path=path)


def read_dipa(data: str | bytes, file: str | None = None) -> Program:
    """The program that a document of the form above holds; ``file`` is named in errors.

    Every error has a line and a column, save the first two. Raises DocumentTooLarge, ExponentsTooLarge,
    NotUtf8, ByteOrderMark, DipaSyntax, ReservedWord, NothingElse, DuplicateState, what ``parse_rational``
    raises, and what ``Program`` raises.
    """
    with in_file(file):
        text = decoded(data)
        check_exponents(text)
        return _Reader(text).program()


def write_dipa(program: Program) -> str:
    """The program in the text format, the initial state first and the others sorted.

    Raises NotAName and TrueAmongCases: JSON can hold programs that the text format cannot.
    """
    order = [program.initial, *(name for name in program.states if name != program.initial)]
    entries = [_entry(name, program.states[name]) for name in order]
    if declared := sorted(program.final):
        names = ", ".join(_checked(name, program_path(part="final")) for name in declared)
        entries.append(f"final {names};\n")
    return "\n".join(entries)


class _Reader:
    """A recursive descent through the text, one method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.start = 0
        self.word = ""
        self.places: dict[Place, int] = {}
        self.final: set[str] = set()
        self._advance()

    def program(self) -> Program:
        states: dict[str, State] = {}
        self._finals()
        initial = self._entry(states)
        while self.word:
            if self.word == "final":
                self._finals()
            else:
                self._entry(states)
        try:
            return Program(initial, states, frozenset(self.final))
        except InvalidProgram as error:
            raise self._located(error) from None

    def _finals(self) -> None:
        """Declarations of final states, as many as come next."""
        while self.word == "final":
            self.places.setdefault(("", None, "final"), self.start)
            self._advance()
            self.final.add(self._name("the name of a state"))
            while self._found(","):
                self.final.add(self._name("the name of a state"))
            self._take(";")

    def _entry(self, states: dict[str, State]) -> str:
        start = self.start
        self._take("(")
        name_start = self.start
        name = self._name("the name of a state")
        if name in states:
            raise self._at(DuplicateState(name), name_start)
        self.places[name, None, None] = start
        takes_input = not self._found(":")
        if not takes_input:
            self._take("non-input")
        self._take(",")
        rate = self._number(name, "rate")
        self._take(",")
        mean = self._number(name, "mean")
        rate_prime = mean_prime = None
        if self._found(","):
            rate_prime = self._number(name, "rate_prime")
            self._take(",")
            mean_prime = self._number(name, "mean_prime")
        self._take(")")
        self._take(":")
        transitions = self._cases(name) if self.word == "if" else [self._action(name, 0, ())]
        states[name] = State(takes_input, rate, mean, rate_prime, mean_prime, tuple(transitions))
        return name

    def _cases(self, state: str) -> list[Transition]:
        cases: list[Transition] = []
        while self._found("elseif" if cases else "if"):
            self._take("(")
            self.places[state, len(cases), "guard"] = self.start
            guard = [self._test()]
            while self._found("&&"):
                guard.append(self._test())
            self._take(")")
            self._take("then")
            cases.append(self._action(state, len(cases), tuple(guard)))
        start = self.start
        if self._found("else"):
            rest = complement([case.guard for case in cases])
            if not rest:
                raise NothingElse(*self._line_and_column(start))
            last = self._action(state, len(cases), rest[0])
            cases += [replace(last, guard=guard) for guard in rest]
        return cases

    def _test(self) -> Test:
        if self.word == "true":
            raise self._unexpected('"insample"', "; an action without a guard stands right behind the colon")
        self._take("insample")
        relation = _RELATIONS.get(self.word)
        if relation is None:
            raise self._unexpected("one of <, <=, > and >=")
        self._advance()
        return relation, self._name("a variable")

    def _action(self, state: str, place: int, guard: tuple[Test, ...]) -> Transition:
        self.places[state, place, None] = self.start
        assign: list[str] = []
        if self.word != "output":
            if self.word in RESERVED:
                raise self._unexpected(_ACTION)
            self.places[state, place, "assign"] = self.start
            assign.append(self._assignment(_ACTION))
            while self._found(","):
                assign.append(self._assignment("a variable"))
            self._take(";")
        self._take("output")
        self.places[state, place, "output"] = self.start
        if self.word in REAL_OUTPUTS:
            output = self.word
            self._advance()
        else:
            output = self._name("a letter, insample or insampleprime")
        self._take(";")
        self._take("goto")
        target = self._name("the name of a state")
        if self.word == ";":
            raise self._unexpected("the next entry or case", "; nothing follows the state that is gone to")
        return Transition(guard, tuple(assign), output, target)

    def _assignment(self, expected: str) -> str:
        variable = self._name(expected)
        self._take(":=")
        self._take("insample")
        return variable

    def _name(self, expected: str) -> str:
        name = self.word
        if name in RESERVED:
            raise ReservedWord(expected, name, *self._line_and_column(self.start))
        if _IDENTIFIER.fullmatch(name) is None:
            raise self._unexpected(expected)
        self._advance()
        return name

    def _number(self, state: str, part: str) -> Fraction:
        if not self.word[:2].strip("-")[:1].isdecimal():
            raise self._unexpected(f"a number such as {EXAMPLES}")
        self.places[state, None, part] = self.start
        try:
            number = parse_rational(self.word)
        except BadInput as error:
            raise self._at(error, self.start) from None
        self._advance()
        return number

    def _found(self, word: str) -> bool:
        """Whether ``word`` comes next, which is then taken."""
        found = self.word == word
        if found:
            self._advance()
        return found

    def _take(self, word: str) -> None:
        if not self._found(word):
            raise self._unexpected(quoted(word))

    def _advance(self) -> None:
        blank = _BLANK.match(self.text, self.start + len(self.word))
        self.start = blank.end() if blank else len(self.text)
        word = _WORD.match(self.text, self.start)
        self.word = word[0] if word else ""

    def _unexpected(self, expected: str, hint: str = "") -> DipaSyntax:
        found = quoted(self.word) if self.word else "the end of the file"
        return DipaSyntax(expected, found, *self._line_and_column(self.start), hint)

    def _located(self, error: InvalidProgram) -> BadInput:
        """The error with the line and the column of the narrowest place that is known."""
        state, transition, part = error.state or "", error.transition, error.part
        for place in ((state, transition, part), (state, transition, None), (state, None, None)):
            if place in self.places:
                return self._at(error, self.places[place])
        return self._at(error, 0)

    def _at(self, error: BadInput, start: int) -> BadInput:
        error.path = None
        error.line, error.column = self._line_and_column(start)
        return error

    def _line_and_column(self, start: int) -> tuple[int, int]:
        return self.text.count("\n", 0, start) + 1, start - self.text.rfind("\n", 0, start)


def _entry(name: str, state: State) -> str:
    head = _checked(name, program_path(name)) + ("" if state.input else ": non-input")
    numbers = [state.rate, state.mean, state.rate_prime, state.mean_prime]
    parts = [head, *(format_rational(number) for number in numbers if number is not None)]
    actions = [_action(name, place, transition) for place, transition in enumerate(state.transitions)]
    if len(actions) == 1 and not state.transitions[0].guard:
        return f"({', '.join(parts)}): {actions[0]}\n"
    lines = [f"({', '.join(parts)}):"]
    for place, (transition, action) in enumerate(zip(state.transitions, actions, strict=True)):
        path = program_path(name, place, "guard")
        if not transition.guard:
            raise TrueAmongCases(path)
        tests = " && ".join(f"insample {relation} {_checked(v, path)}" for relation, v in transition.guard)
        lines.append(f"{_INDENT}{'elseif' if place else 'if'} ({tests}) then {action}")
    return "\n".join(lines) + "\n"


def _action(state: str, place: int, transition: Transition) -> str:
    path = program_path(state, place, "assign")
    stored = ", ".join(f"{_checked(variable, path)} := insample" for variable in transition.assign)
    output = transition.output
    if output not in REAL_OUTPUTS:
        _checked(output, program_path(state, place, "output"))
    target = _checked(transition.target, program_path(state, place, "to"))
    return f"{stored + '; ' if stored else ''}output {output}; goto {target}"


def _checked(name: str, path: str) -> str:
    if _IDENTIFIER.fullmatch(name) is None or name in RESERVED:
        raise NotAName(name, path)
    return name
