"""Storm's DRN format."""

from fractions import Fraction

import pytest

from prover.formats.explicit.chain import ExplicitChain
from prover.formats.explicit.drn import read_drn
from prover.formats.explicit.lines import BadLine
from tests.formats.explicit.made import DRN
from tests.refusals import refuses


def chain_in(text: str) -> ExplicitChain:
    found = read_drn(text)
    assert isinstance(found, ExplicitChain)
    return found


def test_a_file_of_storm() -> None:
    chain = chain_in(DRN)
    assert chain.rows == ({1: Fraction(1, 3), 2: Fraction(2, 3)}, {1: Fraction(1)}, {2: Fraction(1)})
    assert chain.propositions == (("init",), ("heads",), ("deadlock", "tails"))
    assert chain.initial == (0,)
    assert chain.variables == ("seen", "side")
    assert chain.values == (("false", "0"), ("true", "1"), ("true", "2"))


def test_several_initial_states_and_quoted_labels() -> None:
    chain = read_drn(DRN.replace("[0] heads", '[0] init "a b" c'))
    assert chain.initial == (0, 1)
    assert chain.propositions[1] == ("a b", "c", "init")


def test_placeholders() -> None:
    text = DRN.replace("@reward_models", "@placeholders\n$third : 1/3\n@reward_models").replace(
        "1 : 1/3", "1 : $third"
    )
    assert read_drn(text) == read_drn(DRN)
    with pytest.raises(BadLine, match=r'placeholder "\$third" is not in the header'):
        read_drn(DRN.replace("1 : 1/3", "1 : $third"))


def test_decimals_are_literal() -> None:
    text = DRN.replace("rational", "double").replace("1/3", "0.3").replace("2/3", "7e-1")
    assert chain_in(text).rows[0] == {1: Fraction(3, 10), 2: Fraction(7, 10)}


@pytest.mark.parametrize(
    "comment",
    ["//[seen & x=0]", "//[side=1]", "// nothing", "//[!seen & side=0 & more=1]", "//[a b c & side=1]"],
)
def test_valuations_that_do_not_fit_are_left_out(comment: str) -> None:
    chain = chain_in(DRN.replace("//[\t& side=1]", comment))
    assert (chain.variables, chain.values) == ((), ())
    assert chain.rows == chain_in(DRN).rows


@pytest.mark.parametrize(
    ("old", "new", "error", "match"),
    [
        ("@type: DTMC", "@type: CTMC", "not-a-markov-chain", 'line 3: this is a model of type "CTMC"'),
        ("@type: DTMC", "@type: POMDP", "not-a-markov-chain", "POMDP"),
        ("@value_type: rational", "@value_type: double-interval", "not-a-markov-chain", "double-interval"),
        ("@parameters\n", "@parameters\np q", "not-a-markov-chain", "parameters"),
        ("@type: DTMC\n", "", "bad-line", "@type and @nr_states must come before @model"),
        ("@nr_states\n3\n", "", "bad-line", "@type and @nr_states must come before @model"),
        ("@nr_states\n3", "@nr_states\nx", "bad-line", "the number of states"),
        ("@nr_states\n3", "@nr_states\n4", "bad-line", "announces 4 states, but there are 3"),
        ("@nr_states\n3", "@nr_states\n2", "bad-line", "there is no state 2"),
        ("@model", "@modle", "bad-line", "missing|has no line"),
        ("state 1", "state 2", "bad-line", "state 1 is expected"),
        ("state 0 [1]", "state 0 [1", "bad-line", "the ] of the rewards"),
        ('"tails"', '"tails', "bad-line", "labels are expected"),
        ("action 0 [0]\n\t\t1 : 1\n", "action 0\n\taction 1\n\t\t1 : 1\n", "not-a-markov-chain", "choice"),
        ("1 : 1/3", "1 = 1/3", "bad-line", "a transition"),
        ("1 : 1/3", "5 : 1/3", "bad-line", "there is no state 5"),
        ("1 : 1/3", "1 : 1/4", "row-does-not-sum", "row of state 0 sums to 11/12"),
        ("1 : 1/3", "2 : 1/3", "bad-line", "given twice"),
        ("1 : 1/3", "1 : x", "malformed-number", 'malformed number "x"'),
        ("\t\t2 : 1\n", "", "row-does-not-sum", "row of state 2 sums to 0"),
    ],
)
def test_what_is_refused(old: str, new: str, error: str, match: str) -> None:
    assert old in DRN
    with refuses(error, match=match):
        read_drn(DRN.replace(old, new))


def test_no_state() -> None:
    with refuses("no-state"):
        read_drn(DRN.partition("@model")[0] + "@model\n")
    with pytest.raises(BadLine, match="@model is missing"):
        read_drn("")
