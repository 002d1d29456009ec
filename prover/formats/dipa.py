"""Threshold programs in the text format of the field, ``.dipa``.

    program = { header } entry { entry | final } ;    (* the first entry is the initial state *)
    header  = final | "noise" ("laplace" | "discrete-laplace") ";" | "grid" number ";"
            | "sensitivity" number ";" | "inputs" "unrounded" ";" ;
    final   = "final" state { "," state } ";" ;       (* runs end there *)
    entry   = "(" state [":" "non-input"] "," noise "," mean ["," (rate' | gauss) "," mean']
              ["," "sensitivity" number] ")" ":" (action | cases) ;   (* of this state's input *)
    noise   = rate | "left" rate "right" rate         (* of noise below 0, and above; "inf": none *)
            | gauss ;                                 (* Gaussian noise, of this standard deviation *)
    gauss   = "sigma" number ;
    cases   = "if" "(" guard ")" "then" action { "elseif" "(" guard ")" "then" action } [ "else" action ] ;
    guard   = test { "&&" test } ;   test = "insample" ("<" | "<=" | ">" | ">=" | "=") variable ;
    action  = [ variable ":=" "insample" { "," variable ":=" "insample" } ";" ]
              "output" value { "," value } ";" "goto" state ;
    value   = letter | "insample" | "insampleprime" | "insample" "-" variable ;

States, letters and variables are identifiers of ASCII letters, digits and _, not beginning with a digit; the
words of the grammar are reserved, those of headers and rates only there. White space is free, and ``#``
starts a comment to the end of the line. ``<=`` means ``<`` and ``>`` means ``>=``, since noise meets a number
with probability 0, unless it is discrete. ``else`` stands for what the guards above it leave, which may be
several transitions. A state that is gone to and has no entry is final; it should be declared, unless it is
called ``end``. Numbers are written like 2, 1/3, 0.25 or 1e-5. Where a parameter is left open, a rate or a
sensitivity may be an expression in it, such as (1 - t)/6; a rate may also be a real number, such as 2*ln 3,
where those are answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from prover.errors import BadDocument, BadInput, in_file, quoted
from prover.exact.expressions import refuse_parameter
from prover.exact.rational import EXAMPLES, parse_rational
from prover.exact.real_text import rational_rate
from prover.formats.strict_json import check_exponents, decoded
from prover.program.errors import InvalidProgram, unknown_inputs
from prover.program.gaps import complement
from prover.program.model import SIDES, Program, State, Test, Transition
from prover.program.noise import INFINITE, LAPLACE, ONE, Gaussian, Noise, Rate
from prover.program.outputs import INSAMPLE, REAL_OUTPUTS, Gap, Output

HEADERS = ("noise", "grid", "sensitivity", "inputs")
UNROUNDED = "unrounded"
RESERVED = ("if", "then", "elseif", "output", "goto", "insample", "insampleprime", "non-input")

_BLANK = re.compile(r"(?:[ \t\r\n\f\v]++|#[^\n]*+)*+")
# A word takes what a number or a name is misspelt with, so that messages quote all of it, and the sign of
# an exponent.
_WORD = re.compile(
    r":=|<=|>=|&&|(?:non-input|discrete-laplace)(?![\w.])|-?[0-9][\w./]*?[eE][+-][\w./]*+|-?[\w.][\w./]*+|.",
    re.DOTALL,
)
# A rate or a sensitivity that is more than a number, up to what comes next in an entry or ends a header.
_FLAT = r"[\w\s.+*/^-]"
_EXPRESSION = re.compile(rf"(?:{_FLAT}|\((?:{_FLAT}|\({_FLAT}*\))*\))+?(?=,|\)|;|\bright\b)")
_LETTERS = re.compile(r"\b[^\W\d]")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ACTION = 'an assignment or "output"'

PartOfProgram = tuple[str, int | None, str | None]
"""A state, perhaps a transition of it, and perhaps the JSON key of a part."""


ReadNumber = Callable[[str], Fraction | None]
"""What reads rates or sensitivities that are more than numbers; it returns None for other texts."""


def _refused(text: str) -> None:
    """No number for any text. Raises BadValue where it is a sensitivity that names a parameter."""
    refuse_parameter(text, "sensitivity")


def read_dipa(
    data: str | bytes,
    file: str | None = None,
    read_rate: ReadNumber = rational_rate,
    read_sensitivity: ReadNumber = _refused,
) -> Program:
    """The program that a document of the form above holds; ``file`` is named in errors.

    Every error has a line and a column, save the first two. Raises BeyondLimit, BadDocument, InvalidModel,
    what ``parse_rational`` raises, and what ``Program`` raises.
    """
    with in_file(file):
        text = decoded(data)
        check_exponents(text)
        return _DipaReader(text, read_rate, read_sensitivity).program()


class _DipaReader:
    """A recursive descent through the text, one method for each rule of the grammar."""

    def __init__(self, text: str, read_rate: ReadNumber, read_sensitivity: ReadNumber) -> None:
        self.text = text
        self.read_rate, self.read_sensitivity = read_rate, read_sensitivity
        self.start = 0
        self.word = ""
        self.places: dict[PartOfProgram, int] = {}
        self.final: set[str] = set()
        self.noise = Noise()
        self._advance()

    def program(self) -> Program:
        states: dict[str, State] = {}
        try:
            self._headers()
        except InvalidProgram as error:
            raise self._located(error) from None
        initial = self._entry(states)
        while self.word:
            if self.word == "final":
                self._finals()
            else:
                self._entry(states)
        try:
            return Program(initial, states, frozenset(self.final), self.noise)
        except InvalidProgram as error:
            raise self._located(error) from None

    def _headers(self) -> None:
        """What the program says before its first entry: final states, its noise, and what inputs are like."""
        given: dict[str, str | Fraction] = {}
        while self.word == "final" or self.word in HEADERS:
            if self.word == "final":
                self._finals()
                continue
            header, start = self.word, self.start
            self._advance()
            if header in given:
                raise self._at(
                    BadDocument(
                        f"{quoted(header)} is given above already; leave one out", code="repeated-header"
                    ),
                    start,
                )
            self.places["", None, header] = self.start
            if header == "sensitivity":
                given[header] = self._open("", header, self.read_sensitivity)
            elif header == "grid":
                given[header] = self._number("", header)
            else:
                given[header] = self.word
                self._advance()
            self._take(";")
        inputs = given.get("inputs")
        if inputs not in (None, UNROUNDED):
            raise unknown_inputs(str(inputs))
        grid = given.get("grid")
        self.noise = Noise(
            str(given.get("noise", LAPLACE)),
            None if grid is None else Fraction(grid),
            Fraction(given.get("sensitivity", ONE)),
            inputs is not None,
        )

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
            raise self._at(
                InvalidProgram(
                    f"state {quoted(name)} is given twice; names of states are unique",
                    name,
                    code="duplicate-state",
                ),
                name_start,
            )
        self.places[name, None, None] = start
        takes_input = not self._found(":")
        if not takes_input:
            self._take("non-input")
        self._take(",")
        rate, left, right = self._noise(name)
        self._take(",")
        mean = self._number(name, "mean")
        rate_prime: Fraction | Gaussian | None = None
        mean_prime = None
        more = self._found(",")
        if more and self.word != "sensitivity":
            gaussian = self._gaussian(name, "sigma_prime")
            rate_prime = gaussian or self._open(name, "rate_prime", self.read_rate)
            self._take(",")
            mean_prime = self._number(name, "mean_prime")
            more = self._found(",")
        if more:
            self._take("sensitivity")
        sensitivity = self._open(name, "sensitivity", self.read_sensitivity) if more else None
        self._take(")")
        self._take(":")
        transitions = self._cases(name) if self.word == "if" else [self._action(name, 0, ())]
        numbers = (rate, mean, rate_prime, mean_prime)
        states[name] = State(takes_input, *numbers, tuple(transitions), left, right, sensitivity)
        return name

    def _noise(self, state: str) -> tuple[Fraction | Gaussian | None, Rate | None, Rate | None]:
        """The rate of both sides, or the one of each, or Gaussian noise."""
        gaussian = self._gaussian(state, "sigma")
        if gaussian is not None:
            return gaussian, None, None
        if self._found("left"):
            left = self._rate(state, "rate_left")
            self._take("right")
            return None, left, self._rate(state, "rate_right")
        rate = self._rate(state, "rate")
        return (None, rate, rate) if isinstance(rate, str) else (rate, None, None)

    def _gaussian(self, state: str, part: str) -> Gaussian | None:
        return Gaussian(self._number(state, part)) if self._found("sigma") else None

    def _rate(self, state: str, part: str) -> Rate:
        return INFINITE if self._found(INFINITE) else self._open(state, part, self.read_rate)

    def _open(self, state: str, part: str, read: ReadNumber) -> Fraction:
        """A number that may be an expression."""
        found = _EXPRESSION.match(self.text, self.start)
        text = "" if found is None else found[0].strip()
        if _LETTERS.search(text) is None:
            return self._number(state, part)
        self.places[state, None, part] = self.start
        try:
            number = read(text)
        except BadInput as error:
            if error.code == "malformed-number":
                return self._number(state, part)
            raise self._at(error, self.start) from None
        if number is None:
            return self._number(state, part)
        self._advance(len(text))
        return number

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
                message = "the guards above cover everything, so else never holds"
                raise self._at(BadDocument(message, code="nothing-else"), start)
            last = self._action(state, len(cases), rest[0])
            cases += [replace(last, guard=guard) for guard in rest]
        return cases

    def _test(self) -> Test:
        if self.word == "true":
            raise self._unexpected('"insample"', "; an action without a guard comes directly after the colon")
        self._take("insample")
        relation = self.word
        if relation not in SIDES:
            raise self._unexpected("one of <, <=, >, >= and =")
        if not self.noise.is_discrete:
            relation = SIDES[relation]
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
        outputs = [self._output()]
        while self._found(","):
            outputs.append(self._output())
        self._take(";")
        self._take("goto")
        target = self._name("the name of a state")
        if self.word == ";":
            raise self._unexpected("the next entry or case", "; nothing follows the target state")
        return Transition(guard, tuple(assign), outputs[0] if len(outputs) == 1 else tuple(outputs), target)

    def _output(self) -> Output:
        """A letter, a sample, or a gap: a variable may stand right behind the minus sign."""
        if self.word not in REAL_OUTPUTS:
            return self._name("a letter, insample or insampleprime")
        word = self.word
        self._advance()
        if word != INSAMPLE or not self.word.startswith("-"):
            return word
        self._advance(1)
        return Gap(self._name("a variable"))

    def _assignment(self, expected: str) -> str:
        variable = self._name(expected)
        self._take(":=")
        self._take("insample")
        return variable

    def _name(self, expected: str) -> str:
        name = self.word
        if name in RESERVED:
            message = f"{expected} is expected, not {quoted(name)}, which is a reserved word"
            raise self._at(BadDocument(message, code="reserved-word"), self.start)
        if IDENTIFIER.fullmatch(name) is None:
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

    def _advance(self, count: int | None = None) -> None:
        """Go on behind the word, or behind the first characters of it."""
        passed = len(self.word) if count is None else count
        blank = _BLANK.match(self.text, self.start + passed)
        self.start = blank.end() if blank else len(self.text)
        word = _WORD.match(self.text, self.start)
        self.word = word[0] if word else ""

    def _unexpected(self, expected: str, hint: str = "") -> BadInput:
        found = quoted(self.word) if self.word else "the end of the file"
        message = f"{expected} is expected, not {found}{hint}"
        return self._at(BadDocument(message, code="dipa-syntax"), self.start)

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
