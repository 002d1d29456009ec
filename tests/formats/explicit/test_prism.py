"""PRISM's explicit files, and Storm's dialect of them."""

from fractions import Fraction

import pytest

from prover.formats.explicit.chain import ExplicitChain
from prover.formats.explicit.lines import BadLine
from prover.formats.explicit.prism import Companion, read_combined, read_prism
from tests.formats.explicit.made import LAB, PEXP, STA, STORM_LAB, STORM_TRA, TRA
from tests.refusals import refuses

THIRD = {1: Fraction(1, 3), 2: Fraction(2, 3)}


def read(tra: str = TRA, lab: str | None = LAB, sta: str | None = STA) -> ExplicitChain:
    found = read_prism(
        tra,
        None if lab is None else Companion("m.lab", lab),
        None if sta is None else Companion("m.sta", sta),
    )
    assert isinstance(found, ExplicitChain)
    return found


def test_all_files() -> None:
    assert read() == ExplicitChain(
        rows=(THIRD, {1: Fraction(1)}, {2: Fraction(1)}),
        propositions=(("init",), ("heads",), ("deadlock", "tails")),
        initial=(0,),
        variables=("side", "seen"),
        values=(("0", "false"), ("1", "true"), ("2", "true")),
    )


def test_one_file_for_all() -> None:
    assert read_combined(PEXP) == read()
    assert read_combined(PEXP.replace("# Transitions (DTMC)\n", "")) == read()
    assert read_combined(TRA) == read(lab=None, sta=None)


def test_the_dialect_of_storm() -> None:
    assert read(STORM_TRA, STORM_LAB) == read()
    assert read(STORM_TRA.replace("dtmc", "DTMC\n\n")) == read()


@pytest.mark.parametrize(
    "tra",
    [
        "3 4\n2 2 1\n1 1 1\n0 2 2/3\n0 1 1/3\n",  # any order
        "# Transitions (DTMC)\n# a comment\n3 4\n\n- 0\n0 1 1/3 flip\n0 2 2/3 flip\n1 1 1\n2 2 1\n",
        "3 4\n0 1/3:1 2/3:2\n1 1:1\n2 1:2\n",  # rows
    ],
)
def test_other_ways_to_write_it(tra: str) -> None:
    assert read(tra) == read()


def test_initial_states() -> None:
    assert read(lab=None).initial == (0,)
    assert read("3 4\n- 1\n- 2\n" + TRA.partition("\n")[2], lab=None).initial == (1, 2)
    assert read(lab=LAB.replace("1: 2\n", "1: 2 0\n")).initial == (0, 1)
    with pytest.raises(BadLine, match="different initial states"):
        read("3 4\n- 1\n" + TRA.partition("\n")[2])


def test_remarks() -> None:
    named = TRA.replace("4\n", '4\n#! state 0 "a b"\n#! state 1 "x"\n#! state 2 ""\n#! related 1 2\n', 1)
    chain = read(named, LAB.replace("\n", '\n#! proposition heads "Kopf, oben"\n', 1))
    assert chain.names == ("a b", "x", "")
    assert chain.relation == ((1, 2),)
    assert chain.propositions[1] == ("Kopf, oben",)
    assert read(TRA.replace("4\n", "4\n#! something else\n", 1)) == read()


@pytest.mark.parametrize(
    ("tra", "error", "match"),
    [
        ("", "no-state", "none"),
        ("0 0\n", "no-state", "none"),
        ("dtmc\n", "no-state", "none"),
        ("ctmc\n0 0 1\n", "not-a-markov-chain", "continuous time"),
        ("ctmdp\n0 0 0 1\n", "not-a-markov-chain", "decision process in continuous time"),
        ("2 2 2 2\n0 0 0 1\n", "bad-line", "the first line is"),
        ("1 1 2\n0 0 0 1 go\n", "bad-line", "announces 2 transitions, but there are 1"),
        ("1 2 1\n0 0 0 1 go\n", "bad-line", "announces 2 choices, but there are 1"),
        ("1 1 1\n0 0 1\n", "bad-line", "state choice successor probability action"),
        ("mdp\n0 0 0 1/2 go\n0 0 1 1/2\n1 0 1 1\n", "bad-line", "choice 0 of state 0 has two names"),
        ("mdp\n0 0 0 1/2 go\n0 0 0 1/2 go\n", "bad-line", "3: the transition from 0 to 0 is given twice"),
        ("mdp\n0 0 0 1/2 go\n", "row-does-not-sum", 'row of state 0 under action "go" sums to 1/2'),
        ("999999999999999 1 1\n0 0 0 1 go\n", "row-does-not-sum", "state 1 sums to 0"),
        ("# Transitions (CTMC)\n1 1\n0 0 1\n", "not-a-markov-chain", "continuous time"),
        ("1 1\n0 1 1\n", "bad-line", "line 2: there is no state 1; the only state is 0"),
        ("1 1\n0 0 1 a b\n", "bad-line", "a transition is written"),
        ("1 1\n0 0\n", "bad-line", "a transition is written"),
        ("1 2\n0 0 1\n", "bad-line", "announces 2 transitions, but there are 1"),
        ("1 1\n0 0 p\n", "malformed-number", 'line 2: malformed number "p"'),
        ("1 1\n0 0 1\n0 0 1\n", "bad-line", "line 3: the transition from 0 to 0 is given twice"),
        ("2 1\n0 0 1\n", "row-does-not-sum", "row of state 1 sums to 0, not 1: it has no transition"),
        ("999999999999999 1\n0 0 1\n", "row-does-not-sum", "state 1 sums to 0"),
        ("dtmc\n0 999999999999 1\n", "row-does-not-sum", "state 1 sums to 0"),
        ("1 1\n0 0 0.9999\n", "row-does-not-sum", "row of state 0 sums to 9999/10000, not 1; normalise"),
        ("1 1\n#! state 0 oops\n0 0 1\n", "bad-line", "between quotation marks"),
        ("2 2\n#! state 0 \"s\"\n0 0 1\n1 1 1\n", "names-not-unique", "1 of 2 states are named"),
        ("1 1\n#! related 0 4\n0 0 1\n", "bad-line", "not states of the chain"),
    ],
)  # fmt: skip
def test_transitions_that_are_refused(tra: str, error: str, match: str) -> None:
    with refuses(error, match=match):
        read(tra, None, None)


@pytest.mark.parametrize(
    ("lab", "match"),
    [
        ("", "labels begin with a line"),
        ("phi\n", 'm.lab: line 1: declarations like 0="init"'),
        ('0="init" 0="a"\n', "declared twice"),
        ('0="init" 1="init"\n', "declared twice"),
        ('0="init"\n0: 1\n', 'line 2: label "1" is not declared'),
        ('0="init"\n0 0\n', "the labels of a state are written"),
        ('0="init"\n3: 0\n', "there is no state 3"),
        ('0="init"\n0: 0\n0: 0\n', "line 3: the labels of state 0 are given twice"),
        ("#DECLARATION\na\n", "has no #END"),
        ("#DECLARATION\na\n#EDN\n", "#END belongs"),
        ("#DECLARATION\na\n#END\n0 b\n", 'label "b" is not declared'),
    ],
)
def test_labels_that_are_refused(lab: str, match: str) -> None:
    with pytest.raises(BadLine, match=match) as caught:
        read(lab=lab)
    assert caught.value.file == "m.lab"


@pytest.mark.parametrize(
    ("sta", "match"),
    [
        ("", "begin with a line of variables"),
        ("x,y\n", "values between parentheses"),
        ("(x,x)\n", "a variable occurs twice"),
        ("(x)\n0:(1)\n1:(1)\n", "the values of state 2 are missing"),
        ("(x)\n0:(1,2)\n", "2 values belong to 1 variables"),
        ("(x)\n0:(1)\n0:(1)\n", "each state is given once"),
        ("(x)\n0(1)\n", "m.sta: line 2"),
        ("(x)\n7:(1)\n", "there is no state 7"),
    ],
)
def test_states_that_are_refused(sta: str, match: str) -> None:
    with pytest.raises(BadLine, match=match):
        read(sta=sta)


def test_a_section_that_is_there_twice() -> None:
    with pytest.raises(BadLine, match="occurs twice"):
        read_combined(PEXP + "# Labels\n")


def test_rounded_rows_are_normalised_on_demand() -> None:
    rounded = "3 5\n0 0 0.333\n0 1 0.333\n0 2 0.333\n1 1 1\n2 2 1\n"
    with refuses("row-does-not-sum", match="999/1000"):
        read(rounded)
    chain = read_prism(rounded, normalise=True)
    assert isinstance(chain, ExplicitChain)
    assert chain.rows[0] == dict.fromkeys(range(3), Fraction(1, 3))
    assert chain.notes == ("normalised: 1 row was divided by the sum, which differed from 1 by up to 0.001",)
    assert read_prism(TRA, normalise=True).notes == ()
    with refuses("row-does-not-sum", match="state 2 sums to 0"):
        read_prism("dtmc\n0 2 1\n1 1 1\n2 2 0\n", normalise=True)
