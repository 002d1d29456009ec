"""The zoo by names and texts: defaults, refused requests and refused parameters."""

from fractions import Fraction

import pytest

from prover.chain.process import LabelledMarkovDecisionProcess
from prover.formats.convert import write_json
from prover.formats.dipa import read_dipa
from prover.formats.dipa_writer import write_dipa
from prover.formats.objects import from_dict, to_dict
from prover.program.model import Program
from prover.zoo import (
    NAMES,
    BadParameter,
    UnknownModel,
    UnknownParameter,
    WrongKind,
    build,
    build_chain,
    build_program,
    description_of,
    dining_cryptographers,
    lyu_2,
    numeric_sparse,
    parameters_of,
    partition,
    pin_checker,
    random_chain,
    randomised_response,
    violating_path_b,
)
from tests.formats.documents import read_chain, read_program


class TestBuild:
    def test_names(self) -> None:
        assert set(NAMES) == {
            "fig1", "pin-checker", "dining-cryptographers", "randomised-response", "random-chain",
            "herman-ring", "crowds", "hidden-loops", "counted-crowds", "announced-diners", "retransmission",
            "svt", "svt-discrete", "svt-gap", "numeric-sparse", "lyu-1", "lyu-2", "lyu-3", "lyu-4", "lyu-5",
            "lyu-6", "numeric-svt", "svt-star",
            "leaking-cycle", "leaking-pair", "disclosing-cycle", "violating-path-a", "violating-path-b",
            "violating-path-c", "chain-of-tests", "partition", "sharing-pair", "sharing-family",
            "sharing-member",
            "random-program", "row-of-loops",
            "m-range", "k-min-max", "num-range", "two-range", "nested-thresholds", "levels", "streams",
            "counterexample", "noisy-max", "hidden-exit", "hidden-xor",
            "wait", "grow", "two-doors", "adaptive-response", "pin-guessing", "password-timing",
        }  # fmt: skip

    @pytest.mark.family
    @pytest.mark.parametrize("name", NAMES)
    def test_defaults(self, name: str) -> None:
        model = build(name)
        assert build(name, **parameters_of(name)) == model
        if isinstance(model, Program):
            assert build_program(name) == model
            assert read_program(write_json(model)) == read_dipa(write_dipa(model)) == model
        elif isinstance(model, LabelledMarkovDecisionProcess):
            assert from_dict(to_dict(model)) == model
        else:
            assert build_chain(name) == model
            assert read_chain(write_json(model)) == model

    @pytest.mark.parametrize("name", NAMES)
    def test_descriptions_are_one_sentence_long(self, name: str) -> None:
        assert description_of(name).endswith(".")

    def test_defaults_are_the_documented_ones(self) -> None:
        assert parameters_of("fig1") == {}
        assert parameters_of("pin-checker") == {"p": "53/100"}
        assert parameters_of("dining-cryptographers") == {"n": "2", "p": "49/100"}
        assert parameters_of("randomised-response") == {"beta": "2", "answers": "1", "respondents": "1"}
        assert parameters_of("random-chain") == {
            "states": "20", "degree": "3", "labels": "3", "weights": "10", "seed": "1"
        }  # fmt: skip

    def test_documented_defaults_of_programs(self) -> None:
        assert parameters_of("svt-discrete") == {"sensitivity": "1", "grid": "1"}
        assert parameters_of("svt") == parameters_of("svt-star") == parameters_of("disclosing-cycle") == {}
        assert parameters_of("numeric-sparse") == {"output": "insampleprime"}
        assert all(parameters_of(f"lyu-{k}") == {"c": "1"} for k in (1, 2, 3, 4, 6))
        assert parameters_of("numeric-svt") == {"n": "1"}
        assert all(parameters_of(f"violating-path-{k}") == {"mirror": "no"} for k in "abc")
        assert parameters_of("chain-of-tests") == {"n": "5"}
        assert parameters_of("partition") == {"weights": "3,1,1,2,2,1"}
        assert parameters_of("sharing-pair") == {"tests": "2"}
        assert parameters_of("sharing-family") == {"n": "2"}
        assert parameters_of("m-range") == {"m": "3"}
        assert parameters_of("k-min-max") == {"k": "3", "hidden": "no"}
        assert parameters_of("num-range") == {"output": "insampleprime"}
        assert parameters_of("two-range") == {"middle": "fresh"}
        assert parameters_of("nested-thresholds") == {"n": "3"}
        assert parameters_of("counterexample") == {"shows": "branches"}
        assert parameters_of("sharing-member") == {"n": "2", "k": "0"}

    def test_the_other_kind(self) -> None:
        with pytest.raises(WrongKind, match="fig1 is a labelled Markov chain, but a threshold program"):
            build_program("fig1")
        with pytest.raises(WrongKind, match="svt is a threshold program, but a labelled Markov chain"):
            build_chain("svt")

    def test_parameters_are_used(self) -> None:
        assert build("numeric-sparse", output="insample") == numeric_sparse("insample") != numeric_sparse()
        assert build("lyu-2", c="3") == lyu_2(3) != lyu_2()
        assert build("violating-path-b", mirror="yes") == violating_path_b("yes") != violating_path_b()
        assert build("partition", weights="1,1") == partition("1,1") != partition()
        assert build("pin-checker", p="0.6") == pin_checker(Fraction(3, 5)) != pin_checker()
        assert build("dining-cryptographers", n="3", p="1/3") == dining_cryptographers(3, "1/3")
        assert build("randomised-response", beta="3", respondents="2") == randomised_response(3, 1, 2)
        assert build("random-chain", states="5", degree="2", labels="1", weights="1", seed="7") == (
            random_chain(5, 2, 1, 1, 7)
        )

    def test_unknown_model(self) -> None:
        with pytest.raises(UnknownModel) as caught:
            build("fig2")
        assert all(name in str(caught.value) for name in ("fig2", *NAMES))

    def test_unknown_parameter(self) -> None:
        with pytest.raises(UnknownParameter, match='pin-checker has no parameter "q"; its parameters are p'):
            build("pin-checker", q="1")
        with pytest.raises(UnknownParameter, match="it has none"):
            build("fig1", p="1")

    @pytest.mark.parametrize(
        ("name", "parameter", "text", "wanted"),
        [
            ("pin-checker", "p", "1.01", "a number between 0 and 1"),
            ("pin-checker", "p", "-1/2", "a number between 0 and 1"),
            ("pin-checker", "p", "1e1", "a number between 0 and 1"),
            ("pin-checker", "p", "1/0", "a number between 0 and 1"),
            ("pin-checker", "p", "0.5\n", "a number between 0 and 1"),
            ("dining-cryptographers", "n", "1", "between 2 and 100"),
            ("dining-cryptographers", "n", "101", "between 2 and 100"),
            ("dining-cryptographers", "n", "2.0", "a whole number"),
            ("dining-cryptographers", "n", "2\n", "a whole number"),
            ("dining-cryptographers", "n", "1" * 5000, "a whole number"),
            ("dining-cryptographers", "p", "2", "a number between 0 and 1"),
            ("randomised-response", "beta", "1/2", "at least 1"),
            ("randomised-response", "beta", "x", "at least 1"),
            ("randomised-response", "answers", "0", "at least 1"),
            ("randomised-response", "answers", "9", "at most 8"),
            ("randomised-response", "respondents", "-1", "at least 1"),
            ("random-chain", "states", "0", "between 1 and 100000"),
            ("random-chain", "degree", "0", "between 1 and 20"),
            ("random-chain", "degree", "21", "between 1 and 20"),
            ("random-chain", "labels", "21", "between 1 and 20"),
            ("random-chain", "weights", "0", "between 1 and"),
            ("random-chain", "seed", "-1", "at least 0"),
            ("random-chain", "seed", "", "a whole number"),
            ("numeric-sparse", "output", "otop", "insampleprime or insample"),
            *((f"lyu-{k}", "c", "0", "between 1 and 10000") for k in (1, 2, 3, 4, 6)),
            ("lyu-1", "c", "10001", "between 1 and 10000"),
            ("lyu-1", "c", "1/2", "a whole number"),
            ("numeric-svt", "n", "0", "between 1 and 10000"),
            ("chain-of-tests", "n", "-1", "between 1 and 10000"),
            *((f"violating-path-{k}", "mirror", "maybe", "no or yes") for k in "abc"),
            ("sharing-pair", "tests", "0", "between 1 and 10000"),
            ("sharing-family", "n", "101", "between 1 and 100"),
            ("sharing-member", "n", "0", "between 1 and 100"),
            ("sharing-member", "k", "3", "between 0 and n = 2"),
            ("sharing-member", "k", "-1", "between 0 and n = 2"),
            ("m-range", "m", "1001", "between 1 and 1000"),
            ("k-min-max", "k", "0", "between 1 and 1000"),
            ("num-range", "output", "otop", "insampleprime or insample"),
            ("two-range", "middle", "new", "fresh or kept"),
            ("nested-thresholds", "n", "9", "between 1 and 8"),
            ("counterexample", "shows", "nothing", "branches or overwriting or equal"),
            ("partition", "weights", "", "positive numbers with commas"),
            ("partition", "weights", "1,,2", "positive numbers with commas"),
            ("partition", "weights", "1,0", "positive numbers with commas"),
            ("partition", "weights", "1,-2,3", "positive numbers with commas"),
            ("partition", "weights", ",".join(["1"] * 10_001), "at most 10000 of them"),
        ],
    )
    def test_bad_values(self, name: str, parameter: str, text: str, wanted: str) -> None:
        with pytest.raises(BadParameter) as caught:
            build(name, **{parameter: text})
        assert f"parameter {parameter} is" in str(caught.value)
        assert wanted in str(caught.value)
        assert len(str(caught.value)) < 200
