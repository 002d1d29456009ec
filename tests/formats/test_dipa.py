"""Programs in the text format: what is read, what is refused and where, what is written."""

import string
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prover.errors import BadInput, Unwritable, quoted
from prover.formats.convert import write_json
from prover.formats.dipa import read_dipa
from prover.formats.dipa_writer import write_dipa
from prover.program.conditions import conditions
from prover.program.gaps import uncovered
from prover.program.model import Program, State, Test, Transition, variables
from prover.program.outputs import Gap
from prover.zoo import numeric_sparse, svt
from tests.formats.documents import read_program
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.program_strategies import programs
from tests.refusals import refuses

DOCUMENT = """\
(q1: non-input, 1/4, 0): x := insample; output oinput; goto q2

(q2, 1/2, 0, 1/2, 0):
    if (insample < x) then output obot; goto q2
    elseif (insample >= x) then output insampleprime; goto q3

final q3;
"""

START = "(q0: non-input, 1, 0): x := insample, y := insample; output o; goto q1\n"


class TestReading:
    def test_example(self) -> None:
        assert read_dipa(DOCUMENT) == read_dipa(DOCUMENT.encode()) == numeric_sparse()

    def test_as_the_field_writes_it(self) -> None:
        """Spacing, <= and the order of states as in the files of the field's tool."""
        text = (
            "(q1:non-input,1/4,0): x:= insample; output oinput; goto q2\r\n"
            "(q2,1/2,0): if (insample<= x) then output obot; goto q2 elseif (insample >= x) then output otop;"
            " goto q3\r\n\r\n"
        )
        assert read_dipa(text) == replace(svt(), final=frozenset())

    def test_several_variables(self) -> None:
        text = """
            (q1:non-input,1/2,0): x1:= insample; output obot; goto q2
            (q2:non-input,1/2,10): x2:= insample; output obot; goto q3
            (q3,1/6,0): if (insample < x2 && insample >= x1) then output obot; goto q4
            (q4,1/6,0): if (insample < x2) then x2:= insample, x1 := insample; output obot; goto q3
        """
        read = read_dipa(text)
        assert read.states["q2"].mean == 10
        assert read.states["q3"].transitions == (Transition((("<", "x2"), (">=", "x1")), (), "obot", "q4"),)
        assert read.states["q4"].transitions[0].assign == ("x2", "x1")
        assert len(variables(read)) > 1

    def test_white_space_and_comments(self) -> None:
        dense = DOCUMENT.replace("\n", " ")
        spread = DOCUMENT
        for token in ("(", ")", ":", ",", ";", "<", ">=", "non-input"):
            spread = spread.replace(token, f"\t{token} # output goto ( é\n\f")
        spread = spread.replace(": # output goto ( é\n\f=", ":=")
        assert read_dipa(dense) == read_dipa(spread) == numeric_sparse()
        assert read_dipa("#\n" + DOCUMENT + "# the end") == numeric_sparse()

    @pytest.mark.parametrize(("given", "means"), [("<", "<"), ("<=", "<"), (">", ">="), (">=", ">=")])
    def test_relations(self, given: str, means: str) -> None:
        read = read_dipa(START + f"(q1, 1, 0): if (insample{given}x) then output o; goto q1")
        assert read.states["q1"].transitions[0].guard == ((means, "x"),)

    def test_final_states_are_declared(self) -> None:
        end = "(q0, 1, 0): x := insample; output o; goto q1"
        for text in (
            f"final q1;\n{end}",
            f"{end} final q1;",
            f"{end} final q1; final q1;",
            f"{end} final q7, q1;",
        ):
            read = read_dipa(text)
            assert "q1" in read.final
            assert read.undeclared == ()
        assert read_dipa(end).undeclared == ("q1",)
        assert read_dipa(end.replace("q1", "end")).undeclared == ()
        with refuses("final-with-entry", match="declared final and has an entry") as caught:
            read_dipa(f"{end}\nfinal q0;")
        assert caught.value.line is not None

    def test_final_is_still_a_name(self) -> None:
        read = read_dipa("(final, 1, 0): final := insample; output final; goto final")
        assert read == read_dipa(write_dipa(read))

    @pytest.mark.parametrize(
        ("guards", "rest"),
        [
            (["insample < x"], [((">=", "x"),)]),
            (["insample > x"], [(("<", "x"),)]),
            (["insample < x && insample >= y"], [((">=", "x"),), (("<", "x"), ("<", "y"))]),
            (["insample < x && insample < y", "insample >= x"], [((">=", "y"), ("<", "x"))]),
        ],
    )
    def test_else_is_what_the_guards_leave(self, guards: list[str], rest: list[tuple[Test, ...]]) -> None:
        cases = " else".join(f"if ({guard}) then output a{k}; goto q1" for k, guard in enumerate(guards))
        read = read_dipa(f"{START}(q1, 1, 0): {cases} else y := insample; output b; goto end")
        made = read.states["q1"].transitions[len(guards) :]
        assert {frozenset(case.guard) for case in made} == {frozenset(guard) for guard in rest}
        assert {(case.assign, case.output, case.target) for case in made} == {(("y",), "b", "end")}
        assert not uncovered(read)
        assert conditions(read).determinism

    @pytest.mark.parametrize("gap", ["insample - x", "insample-x", "insample -x", "insample  - # no\n x"])
    def test_several_outputs_and_gaps(self, gap: str) -> None:
        made = read_dipa(f"{START}(q1, 1, 0, 1, 0): output otop, {gap}, insampleprime; goto end")
        outputs = ("otop", Gap("x"), "insampleprime")
        assert made.states["q1"].transitions[0].output == outputs
        assert read_dipa(write_dipa(made)) == made == read_program(write_json(made))
        alone = read_dipa(f"{START}(q1, 1, 0): output {gap}; goto end")
        assert alone.states["q1"].transitions[0].output == Gap("x")
        assert "output insample - x; goto end" in write_dipa(alone)
        assert read_program(write_json(alone)) == alone

    def test_numbers_are_read_literally(self) -> None:
        read = read_dipa("(q, 0.10, -1/3, 007, -0.25): x := insample; output insampleprime; goto q")
        assert read.states["q"] == State(
            True,
            Fraction(1, 10),
            Fraction(-1, 3),
            Fraction(7),
            Fraction(-1, 4),
            (Transition((), ("x",), "insampleprime", "q"),),
        )

    def test_the_first_entry_is_the_initial_state(self) -> None:
        read = read_dipa(START.replace("q0", "z").replace("q1", "a") + START.replace("q0", "a"))
        assert (read.initial, list(read.states)) == ("z", ["a", "z"])

    def test_names_near_the_words_of_the_grammar(self) -> None:
        text = (
            "(non, 1, 0): iff := insample; output outputs; goto insample_\n(_, 1, 0): output IF; goto then1"
        )
        read = read_dipa(text)
        assert (read.initial, read.edges[1].target) == ("non", "insample_")
        assert read.states["_"].transitions == (Transition((), (), "IF", "then1"),)


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "error", "line", "column", "message"),
        [
            ("", "dipa-syntax", 1, 1, '"(" is expected, not the end of the file'),
            ("# nothing\n ", "dipa-syntax", 2, 2, "not the end of the file"),
            ("q0", "dipa-syntax", 1, 1, '"(" is expected, not "q0"'),
            ("(0, 1, 0)", "dipa-syntax", 1, 2, 'the name of a state is expected, not "0"'),
            (
                f"{START}(q1, 1, 0): if (true) then output o; goto q1",
                "dipa-syntax",
                2,
                17,
                "directly after the colon",
            ),
            (f"{START[:-1]};", "dipa-syntax", 1, 71, "nothing follows the target state"),
            (
                f"{START}(q1, 1, 0): if (insample < x) then output a; goto end "
                "elseif (insample >= x) then output b; goto end else output c; goto end",
                "nothing-else",
                2,
                102,
                "the guards above cover everything",
            ),
            (
                f"{START}(q1, 1, 0): output o; goto q2 else output p; goto q2",
                "dipa-syntax",
                2,
                31,
                'not "else"',
            ),
            ("final q", "dipa-syntax", 1, 8, '";" is expected, not the end of the file'),
            ("(1q, 1, 0)", "dipa-syntax", 1, 2, 'not "1q"'),
            ("(é, 1, 0)", "dipa-syntax", 1, 2, 'not "é"'),
            ("(a.b, 1, 0)", "dipa-syntax", 1, 2, 'not "a.b"'),
            ("(goto, 1, 0)", "reserved-word", 1, 2, 'not "goto", which is a reserved word'),
            ("(non-input, 1, 0)", "reserved-word", 1, 2, 'not "non-input", which'),
            ("(q: input, 1, 0)", "dipa-syntax", 1, 5, '"non-input" is expected, not "input"'),
            ("(q: non-inputs, 1, 0)", "dipa-syntax", 1, 5, '"non-input" is expected, not "non"'),
            (
                "(q, x, 0)",
                "open-parameter",
                1,
                5,
                "this rate names x, which is no number; write numbers, such as 2, 1/3, 0.25 or 1e-5; or",
            ),
            ("(q, -, 0)", "dipa-syntax", 1, 5, 'not "-"'),
            ("(q, .5, 0)", "dipa-syntax", 1, 5, 'not ".5"'),
            ("(q, +1, 0)", "dipa-syntax", 1, 5, 'not "+"'),
            ("(q, 1e, 0)", "malformed-number", 1, 5, 'malformed number "1e"'),
            ("(q, 1e-, 0)", "malformed-number", 1, 5, 'malformed number "1e-"'),
            ("(q, 1/3e-5, 0)", "malformed-number", 1, 5, 'malformed number "1/3e-5"'),
            ("(q, 1e-5e-5, 0)", "malformed-number", 1, 5, 'malformed number "1e-5e"'),
            ("(q, 1e+99999999999, 0)", "exponent-too-large", 1, 5, "at most 10,000 in size"),
            ("(q, 1/-2, 0)", "malformed-number", 1, 5, 'malformed number "1/"'),
            ("(q, 1 / 2, 0)", "dipa-syntax", 1, 7, '"," is expected, not "/"'),
            ("(q, ٣, 0)", "malformed-number", 1, 5, 'malformed number "٣"'),
            ("(q,\n1/0, 0)", "zero-denominator", 2, 1, "zero denominator"),
            (f"(q, {'1' * 10_001}, 0)", "number-too-long", 1, 5, "too long"),
            ("(q, 1)", "dipa-syntax", 1, 6, '"," is expected, not ")"'),
            ("(q, 1, 0, 2)", "dipa-syntax", 1, 12, '"," is expected, not ")"'),
            ("(q, 1, 0, 2, 0, 0)", "dipa-syntax", 1, 17, '"sensitivity" is expected, not "0"'),
            ("(q, 1, 0) x", "dipa-syntax", 1, 11, '":" is expected, not "x"'),
            ("(q, 1, 0): )", "dipa-syntax", 1, 12, 'an assignment or "output" is expected, not ")"'),
            (
                "(q, 1, 0): goto q",
                "dipa-syntax",
                1,
                12,
                'an assignment or "output" is expected, not "goto"',
            ),
            ("(q, 1, 0): x = insample", "dipa-syntax", 1, 14, '":=" is expected, not "="'),
            ("(q, 1, 0): x := 1", "dipa-syntax", 1, 17, '"insample" is expected, not "1"'),
            ("(q, 1, 0): x := insampleprime", "dipa-syntax", 1, 17, '"insample" is expected'),
            ("(q, 1, 0): x := insample, ;", "dipa-syntax", 1, 27, 'a variable is expected, not ";"'),
            ("(q, 1, 0): x := insample output", "dipa-syntax", 1, 26, '";" is expected, not "output"'),
            ("(q, 1, 0): output then;", "reserved-word", 1, 19, "a letter, insample or insampleprime"),
            ("(q, 1, 0): output o goto q", "dipa-syntax", 1, 21, '";" is expected, not "goto"'),
            ("(q, 1, 0): output o; q", "dipa-syntax", 1, 22, '"goto" is expected, not "q"'),
            (
                "(q, 1, 0): output o; goto 7",
                "dipa-syntax",
                1,
                27,
                'the name of a state is expected, not "7"',
            ),
            ("(q, 1, 0): if insample", "dipa-syntax", 1, 15, '"(" is expected, not "insample"'),
            ("(q, 1, 0): if (true)", "dipa-syntax", 1, 16, '"insample" is expected, not "true"'),
            (
                "(q, 1, 0): if (insample & x)",
                "dipa-syntax",
                1,
                25,
                "one of <, <=, >, >= and = is expected",
            ),
            ("(q, 1, 0): if (insample < 3)", "dipa-syntax", 1, 27, 'a variable is expected, not "3"'),
            (
                "(q, 1, 0): if (insample < x & insample < y)",
                "dipa-syntax",
                1,
                29,
                '")" is expected, not "&"',
            ),
            (
                "(q, 1, 0): if (insample < x) goto",
                "dipa-syntax",
                1,
                30,
                '"then" is expected, not "goto"',
            ),
            (
                "(q, 1, 0): if (insample < x) then if",
                "dipa-syntax",
                1,
                35,
                'an assignment or "output" is expected',
            ),
            (START + "elseif", "dipa-syntax", 2, 1, '"(" is expected, not "elseif"'),
            (START + "\x00", "dipa-syntax", 2, 1, r'"\u0000"'),
            ("\ufeff" + DOCUMENT, "byte-order-mark", 1, 1, "byte order mark"),
        ],
    )
    def test_form(self, text: str, error: str, line: int, column: int, message: str) -> None:
        with refuses(error) as caught:
            read_dipa(text, "m.dipa")
        found = caught.value
        assert (found.file, found.line, found.column, found.path) == ("m.dipa", line, column, None)
        assert message in str(found)
        assert str(found).startswith(f"m.dipa: line {line}, column {column}: ")

    @pytest.mark.parametrize(
        ("text", "error", "line", "column"),
        [
            (START + "  (q0, 1, 0): output o; goto q", "duplicate-state", 2, 4),
            ("(q0, 0, 0): output o; goto q", "rate-not-positive", 1, 6),
            ("(q0, 1, 0,\n -1/2, 0): output o; goto q", "rate-not-positive", 2, 2),
            ("(q0, 1, 0): output o; goto q", "bad-initialisation", 1, 13),
            ("(q0, 1, 0):\n if (insample < x) then output o; goto q", "bad-initialisation", 2, 6),
            (
                "#\n (q0, 1, 0): if (insample < x) then x := insample; output o; goto q "
                "elseif (insample > x) then output o; goto q",
                "bad-initialisation",
                2,
                2,
            ),
            (
                START + "(q1, 1, 0): if (insample < x) then output o; goto q\n"
                "elseif (insample > z) then output o; goto q",
                "undefined-variable",
                3,
                9,
            ),
            (
                START + "(q1, 1, 0): if (insample < x && insample <= x) then output o; goto q",
                "repeated-test",
                2,
                17,
            ),
            (
                START + "(q1, 1, 0): if (insample < x && insample > x) then output o; goto q",
                "contradictory-guard",
                2,
                17,
            ),
            (
                START + "(q1, 1, 0): x := insample, x := insample; output o; goto q",
                "repeated-assignment",
                2,
                13,
            ),
            (START + "(q1, 1, 0): output\n insampleprime; goto q", "no-second-sample", 3, 2),
        ],
    )
    def test_meaning(self, text: str, error: str, line: int, column: int) -> None:
        with refuses(error) as caught:
            read_dipa(text, "m.dipa")
        found = caught.value
        assert (found.file, found.line, found.column, found.path) == ("m.dipa", line, column, None)

    def test_long_names_have_places_of_their_own(self) -> None:
        """Messages abbreviate both names to the same text."""
        first, second = ("q" * 40 + letter + "q" * 40 for letter in "ab")
        text = START + f"({first}, 1, 0): output o; goto q\n({second}, 0, 0): output o; goto q"
        with refuses("rate-not-positive") as caught:
            read_dipa(text)
        assert caught.value.line == 3

    def test_text_that_is_not_utf_8(self) -> None:
        with refuses("not-utf8") as caught:
            read_dipa(START.encode() + "# é".encode() + b"\xff\n", "m.dipa")
        assert (caught.value.line, caught.value.column) == (2, 4)

    @given(st.text() | st.binary() | st.text(alphabet=string.printable))
    @example("(" * 100_000)
    @example("#" * 100_000)
    @example("(q, " + "1/" * 100_000)
    @example("(q, " + "1e-" * 100_000)
    @example("(q, 1" + "e9" * 100_000)
    @example(START + "(q1, 1, 0): if " + "(insample < x) then output o; goto q elseif " * 10_000)
    def test_garbage(self, text: str | bytes) -> None:
        with pytest.raises(BadInput) as caught:
            read_dipa(text)
        assert caught.value.line is not None
        assert caught.value.column is not None

    def test_exponents_cannot_fill_the_memory(self) -> None:
        entries = "".join(f"(q{k}, 1e-9999, 0): output o; goto q1\n" for k in range(1, 7_000))
        with refuses("exponents-too-large"):
            read_dipa(START + entries)

    @given(st.integers(1, 999), st.integers(-9, 9), st.sampled_from(["e", "E"]), st.sampled_from(["", "+"]))
    def test_exponents(self, number: int, power: int, letter: str, plus: str) -> None:
        sign = plus if power >= 0 else ""
        rate, mean = (f"{given}{letter}{sign}{power}" for given in (number, f"-{number}.5"))
        found = read_dipa(f"(q, {rate}, {mean}): x := insample; output o; goto q").states["q"]
        assert found.rate == number * Fraction(10) ** power
        assert found.mean == -(number + Fraction(1, 2)) * Fraction(10) ** power

    @given(programs(variables=2, gaussian=True), st.integers(0, 2**32))
    def test_mutations(self, made: Program, seed: int) -> None:
        """A damaged document is a program all the same, or refused with its place."""
        random = Random(seed)
        words = write_dipa_or_nothing(made).split(" ")
        place = random.randrange(len(words))
        extra = [
            "x",
            "(",
            ")",
            ",",
            ";",
            "insample",
            "<",
            ":=",
            "goto",
            "if",
            "0",
            "-1",
            "1e-5",
            "9e9",
            "&&",
            "q0",
            "sigma",
            "#",
            "",
        ]
        words[place : place + random.choice([0, 1, 2])] = random.choices(extra, k=random.choice([0, 1, 2]))
        text = " ".join(words)
        refusal = refusal_of(text)
        if refusal is None:
            assert read_dipa(write_dipa(read_dipa(text))) == read_dipa(text)
        else:
            assert (refusal.file, refusal.path) == ("m.dipa", None)
            assert refusal.line is not None
            assert refusal.column is not None


def refusal_of(text: str) -> BadInput | None:
    try:
        read_dipa(text, "m.dipa")
    except BadInput as error:
        return error
    return None


def write_dipa_or_nothing(made: Program) -> str:
    try:
        return write_dipa(made)
    except Unwritable:
        return ""


class TestWriting:
    def test_example(self) -> None:
        assert write_dipa(numeric_sparse()) == DOCUMENT

    def test_several_variables(self) -> None:
        start = state(Transition((), ("x", "y"), "insample", "q1"), rate="2/6")
        guard = (("<", "x"), (">=", "y"))
        made = program({"q0": start, "q1": state(Transition(guard, ("y",), "o", "q1"), rate=2)})
        assert write_dipa(made) == (
            "(q0, 1/3, 0): x := insample, y := insample; output insample; goto q1\n"
            "\n"
            "(q1, 2, 0):\n"
            "    if (insample < x && insample >= y) then y := insample; output o; goto q1\n"
        )

    def test_the_initial_state_comes_first(self) -> None:
        text = write_dipa(program({"z": state(step(TRUE, "b", assign=True)), "b": state(step(TRUE, "a"))}))
        assert [line.partition(",")[0] for line in text.splitlines()] == ["(z", "", "(b"]

    @given(st.one_of(programs(gaussian=True), programs(variables=3, gaussian=True)))
    def test_round_trip(self, made: Program) -> None:
        """Text to program to JSON to program to text."""
        text = write_dipa_or_nothing(made)
        if not text:
            several = [entry.transitions for entry in made.states.values() if len(entry.transitions) > 1]
            assert any(not case.guard for cases in several for case in cases)
            return
        assert text.isascii()
        read = read_dipa(text)
        assert read == made
        again = read_program(write_json(read))
        assert again == made
        assert write_dipa(again) == text

    @pytest.mark.parametrize("name", ["a b", "1", "é", "a-b", "x\n", "goto", "insample", "non-input"])
    def test_names_that_cannot_be_written(self, name: str) -> None:
        start = step(TRUE, "q1", assign=True)
        places = [
            (program({name: state(start)}), f".states[{quoted(name)}]"),
            (program({"q0": state(Transition((), (name,), "o", "q1"))}), ".transitions[0].assign"),
            (program({"q0": state(step(TRUE, name, assign=True))}), ".transitions[0].to"),
            (
                program(
                    {
                        "q0": state(Transition((), (name,), "o", "q1")),
                        "q1": state(Transition((("<", name),), (), "o", "q1")),
                    }
                ),
                ".transitions[0].assign",
            ),
        ]
        if name != "insample":
            places.append((program({"q0": state(step(TRUE, "q", name, assign=True))}), "[0].output"))
        for made, path in places:
            with refuses("not-a-name") as caught:
                write_dipa(made)
            assert (caught.value.path or "").endswith(path)

    def test_a_true_guard_among_cases_cannot_be_written(self) -> None:
        made = program(
            {
                "q0": state(step(TRUE, "q1", assign=True)),
                "q1": state(step(BELOW, "q1", "a"), step(TRUE, "q1", "b"), step(ABOVE, "q1", "c")),
            }
        )
        with refuses("true-among-cases") as caught:
            write_dipa(made)
        assert caught.value.path == '$.states["q1"].transitions[1].guard'


@pytest.mark.parametrize(("name", "expected"), [("svt", svt()), ("numeric-sparse", numeric_sparse())])
def test_the_examples_for_newcomers(name: str, expected: Program) -> None:
    folder = Path(__file__).resolve().parent.parent.parent / "examples"
    assert read_dipa((folder / f"{name}.dipa").read_bytes()) == expected
