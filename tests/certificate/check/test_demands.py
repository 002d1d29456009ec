"""Which model a claim is about, and what else may be demanded of it."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prover
from prover import zoo
from prover.certificate.check import BadClaim, Malformed, NotDemanded, RuleBroken, TooLarge, check, main
from prover.certificate.check.chains import exceeds_exponential
from prover.certificate.check.command import read_demands
from prover.certificate.check.demands import Demands, UnreadableModel, given_model, meet, written_number
from prover.certificate.check.verdict import verified
from prover.chain.model import LabelledMarkovChain
from prover.exact.exponential import exponential
from prover.formats.convert import write_json
from prover.formats.identity import identity, model_bytes
from prover.formats.load import load
from tests.certificate.judges import ABOVE, BELOW
from tests.certificate.program_samples import SVT_EPSILON, SVT_PRIVATE
from tests.certificate.samples import (
    BISIMILARITY,
    INTERVAL,
    KERNEL,
    LADDER,
    RELATION,
    WALK,
    encode,
    replaced,
)
from tests.certificate.verdicts import accepted, edited, identity_of, refused

Json = Any
EPSILON = ("claim", "epsilon")
FREE = """{"version": 1, "type": "labelled-markov-chain", "states": {
    "b": {"next": {"a": 0.4, "b": "0.6", "c": 0}, "label": "x"},
    "a": {"label": "x", "next": {"b": "2/4", "a": 5e-1}}, "c": {"label": "y", "next": {"c": "1.0"}}}%s}"""


def strict(relation: Json) -> bytes:
    rows = {"a": {"a": "1/2", "b": "1/2"}, "b": {"a": "2/5", "b": "3/5"}, "c": {"c": "1"}}
    states = {s: {"label": "y" if s == "c" else "x", "next": row} for s, row in rows.items()}
    model = {"states": states, "type": "labelled-markov-chain", "version": 1}
    return encode(model | ({"relation": relation} if relation else {}))


# The identity of models and of tables ----------------------------------------------------------------------


def test_a_line_ends_with_the_identity_of_its_model() -> None:
    for certificate in (WALK, RELATION, KERNEL, BISIMILARITY, SVT_EPSILON):
        data = encode(certificate["model"])
        assert check(encode(certificate)).endswith(f" model={hashlib.sha256(data).hexdigest()}")


def test_an_empty_relation_is_none() -> None:
    empty = edited(WALK, {("model", "relation"): []})
    assert verified(encode(empty)).model == encode(WALK["model"])
    assert identity_of(empty["model"]) == identity_of(WALK["model"]) != identity_of(RELATION["model"])


def table(certificate: Json) -> str:
    words = check(encode(certificate)).split()
    return next(word.removeprefix("table=") for word in words if word.startswith("table="))


def test_the_identity_of_a_table() -> None:
    pairs = [[2, 3], [3, 2], [4, 5], [5, 4]]
    lower = {"denominator": "1", "rows": [[*pair, "1"] for pair in pairs]}
    named = {"lower": lower, "upper": {"denominator": "1", "rows": []}}
    assert table(LADDER) == hashlib.sha256(encode(named)).hexdigest()
    rows = [{**row, "value": "35"} for row in LADDER["evidence"]["exact"]["rows"]]
    scaled = edited(LADDER, {("evidence", "exact"): {"denominator": "35", "rows": rows}})
    assert table(scaled) == table(LADDER)


def test_other_tables_have_other_identities() -> None:
    wide = edited(LADDER, {("claim", "width"): "1"})
    assert table(wide) == table(LADDER)
    rows = LADDER["evidence"]["exact"]["rows"]
    fewer = edited(wide, {("evidence", "exact", "rows"): rows[2:], ("evidence", "exact", "denominator"): "1"})
    assert table(fewer) != table(wide)
    assert "width=1 table=" in check(encode(fewer))


def test_the_identity_of_relations() -> None:
    unrelated = {"unrelated": [[2, 3], [6, 5]]}
    assert table(KERNEL) == hashlib.sha256(encode(unrelated)).hexdigest()
    classes = {"classes": BISIMILARITY["evidence"]["classes"]}
    assert table(BISIMILARITY) == hashlib.sha256(encode(classes)).hexdigest()


# Models as users write them --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "pairs"),
    [
        ("", []),
        (', "relation": []', []),
        (', "relation": [["b", "a"]]', [["a", "b"], ["b", "a"]]),
        (
            ', "relation": [["c", "c"], ["a", "b"], ["b", "a"], ["a", "b"]]',
            [["a", "b"], ["b", "a"], ["c", "c"]],
        ),
        (', "relation": "same-label"', [["a", "b"], ["b", "a"]]),
        (', "initial": ["c", "a", "c"]', [["a", "c"], ["c", "a"]]),
        (', "initial": ["c", "a"], "relation": "initial"', [["a", "c"], ["c", "a"]]),
        (', "initial": ["c", "a"], "relation": [["a", "b"]]', [["a", "b"], ["b", "a"]]),
    ],
)
def test_models_in_their_writers_words(tmp_path: Path, relation: str, pairs: Json) -> None:
    text = FREE % relation
    assert given_model(text.encode()) == strict(pairs)
    path = tmp_path / "model.json"
    path.write_text(text)
    assert model_bytes(load(path)) == strict(pairs)


@pytest.mark.parametrize("name", zoo.NAMES)
def test_the_zoo_means_the_same_to_prover_and_checker(name: str) -> None:
    model = zoo.build(name)
    data = given_model(write_json(model).encode())
    assert data == model_bytes(model)
    assert hashlib.sha256(data).hexdigest() == identity(model)


def test_programs_in_their_writers_words() -> None:
    exact = json.loads(model_bytes(zoo.build("svt")))
    free = json.loads(json.dumps(exact))
    for state in free["states"].values():
        state["rate"] = "1" + "0" * 3 + "e-3" if state["rate"] == "1" else state["rate"]
        del state["rate_prime"], state["mean_prime"]
    free["final"] = ["z", "end", "z"]
    assert given_model(json.dumps(free).encode()) == encode({**exact, "final": ["end", "z"]})
    free["final"] = []
    assert given_model(json.dumps(free).encode()) == encode({k: v for k, v in exact.items() if k != "final"})


def test_keys_that_say_nothing() -> None:
    """What is null is not there, also where only few programs have the key."""
    exact = json.loads(model_bytes(zoo.build("svt")))
    free = json.loads(json.dumps(exact)) | dict.fromkeys(("grid", "inputs", "sensitivity"))
    for state in free["states"].values():
        state |= dict.fromkeys(("center", "sensitivity", "sigma", "sigma_prime"))
    assert model_bytes(prover.from_dict(free)) == given_model(json.dumps(free).encode()) == encode(exact)


@given(st.fractions(min_value=0, max_value=1, max_denominator=1000), st.data())
def test_rows_of_any_numbers(x: Fraction, data: st.DataObject) -> None:
    def written(number: Fraction) -> Json:
        ways: list[Json] = [str(number), f"{2 * number.numerator}/{2 * number.denominator}"]
        decimal = Decimal(number.numerator) / number.denominator
        if Fraction(decimal) == number:
            ways += [format(decimal, "f"), format(decimal, "e"), format(decimal * 10, "f") + "e-1"]
        return data.draw(st.sampled_from(ways))

    rows = {"s": ("a", {"s": str(x), "t": str(1 - x)}), "t": ("a", {"t": "1"})}
    document = {
        "type": "labelled-markov-chain", "version": 1,
        "states": {"s": {"label": "a", "next": {"t": written(1 - x), "s": written(x)}},
                   "t": {"label": "a", "next": {"t": 1}}},
    }  # fmt: skip
    assert given_model(json.dumps(document).encode()) == model_bytes(LabelledMarkovChain.of(rows))


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.25", (1, 4)), ("-2/6", (-1, 3)), ("1e-3", (1, 1000)), ("2.50E+2", (250, 1)), ("007", (7, 1)),
     ("0e5", (0, 1))],
)  # fmt: skip
def test_numbers(text: str, number: tuple[int, int]) -> None:
    assert written_number(text) == number


@pytest.mark.parametrize(
    "text", ["", ".5", "1.", "1/0", "+1", "1 ", "١", "1e10001", "1" * 10_001, "nan", "1/2.5"]
)
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(UnreadableModel):
        written_number(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "nothing",
        "\xff",
        "[" * 10**5,
        FREE % ', "type": "labelled-markov-chain"',
        (FREE % "").replace('"version": 1', '"version": 2'),
        (FREE % "").replace('"version": 1', '"version": "1"'),
        (FREE % "").replace("markov", "mark"),
        (FREE % "").replace("0.4", "NaN"),
        (FREE % "").replace("0.4", "[0.4]"),
        FREE % ', "relation": [["a"]]',
        FREE % ', "relation": [1]',
        FREE % ', "relation": "all"',
    ],
)
def test_what_is_no_model(text: str) -> None:
    with pytest.raises(UnreadableModel):
        given_model(text.encode("latin-1"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ((FREE % "").replace("markov", "mark"), "the type of the model is unknown"),
        (FREE % ', "comment": ""', "an unknown key"),
        (
            (FREE % "").replace('"label": "y"', '"label": "y", "more": {}'),
            "a state needs a label, and either next or actions, which have names",
        ),
    ],
)
def test_why_it_is_no_model(text: str, words: str) -> None:
    with pytest.raises(UnreadableModel, match=words):
        given_model(text.encode())


def test_demands_that_make_no_sense() -> None:
    with pytest.raises(UnreadableModel, match="a bound is negative"):
        read_demands({"--at-most": ["-1/2"]})
    with pytest.raises(ValueError, match="name the same secret"):
        read_demands({"--from": ["s"], "--to": ["s"]})


# Demands ---------------------------------------------------------------------------------------------------


def asked(certificate: Json, demands: Demands) -> None:
    found = verified(encode(certificate))
    meet(demands, found.claim, found.model)


def test_the_model_that_is_asked_for() -> None:
    asked(WALK, Demands())
    asked(WALK, Demands(model=encode(WALK["model"])))
    for other in (RELATION, LADDER, SVT_PRIVATE):
        with pytest.raises(NotDemanded, match="another model"):
            asked(WALK, Demands(model=encode(other["model"])))


def secrets_of(certificate: Json) -> tuple[str, str] | None:
    claim = certificate["claim"]
    return (claim["from"], claim["to"]) if "from" in claim else None


@pytest.mark.parametrize(
    ("certificate", "bound", "kept"),
    [
        (WALK, (13, 1500), True),
        (WALK, (12999, 1500000), False),
        (INTERVAL, (1, 100), True),
        (INTERVAL, (9, 1000), False),  # the upper end counts
        (LADDER, (1, 1), None),
        (SVT_EPSILON, (5, 4), None),
        (replaced(KERNEL, ("claim",), {"alpha": "3/2", "from": "s", "kind": "kernel", "scope": "pair",
                                       "to": "t", "value": "0"}), (0, 1), True),
    ],
)  # fmt: skip
def test_bounds_that_are_asked_for(certificate: Json, bound: tuple[int, int], kept: bool | None) -> None:
    demands = Demands(at_most=bound, secrets=secrets_of(certificate))
    if kept:
        asked(certificate, demands)
        return
    with pytest.raises(NotDemanded, match="no single" if kept is None else "above"):
        asked(certificate, demands)


@pytest.mark.parametrize(
    ("certificate", "bound", "kept"),
    [
        (WALK, (48, 100), True),  # ln 8/5 = 0.470003…
        (WALK, (47, 100), False),
        (WALK, (0, 1), False),
        (replaced(LADDER, ("claim", "alpha"), "1"), (0, 1), True),
        (BISIMILARITY, (1, 1), None),
        (SVT_EPSILON, (5, 4), True),
        (SVT_EPSILON, (12, 10), False),
        (SVT_PRIVATE, (10, 1), None),
        (replaced(replaced(SVT_EPSILON, ("claim", "upper"), "inf"), ("evidence",),
                  {"blocks": SVT_EPSILON["evidence"]["blocks"]}), (1000, 1), False),
    ],
)  # fmt: skip
def test_bounds_of_epsilon(certificate: Json, bound: tuple[int, int], kept: bool | None) -> None:
    demands = Demands(epsilon_at_most=bound, secrets=secrets_of(certificate))
    if kept:
        asked(certificate, demands)
        return
    with pytest.raises(NotDemanded, match="no epsilon" if kept is None else "above"):
        asked(certificate, demands)


# α and e^ε -------------------------------------------------------------------------------------------------


def test_the_epsilon_of_a_claim() -> None:
    assert accepted(BELOW).startswith('ld alpha=8/5 <=exp(12/25) from="s"')
    assert accepted(ABOVE).startswith("tv alpha=11/10 >=exp(9/100) relation")
    assert accepted(edited(BELOW, {(*EPSILON, "value"): "4700037/10000000"}))
    refused(edited(BELOW, {(*EPSILON, "value"): "1175009/2500000"}), RuleBroken, "at-most e^epsilon")
    refused(edited(BELOW, {(*EPSILON, "value"): "47/100"}), RuleBroken, "at-most e^epsilon")
    refused(edited(BELOW, {(*EPSILON, "alpha"): "at-least"}), RuleBroken, "at-least e^epsilon")
    refused(edited(ABOVE, {(*EPSILON, "value"): "1/10"}), RuleBroken, "at-least e^epsilon")
    refused(edited(ABOVE, {(*EPSILON, "value"): "1000000"}), RuleBroken, "at-least e^epsilon")
    assert accepted(edited(BELOW, {(*EPSILON, "value"): "1" + "0" * 50_000})).startswith(
        "ld alpha=8/5 <=exp("
    )


@pytest.mark.parametrize(
    "epsilon",
    [None, "1/2", {}, {"alpha": "at-most"}, {"alpha": "below", "value": "1"},
     {"alpha": "at-most", "value": "0"}, {"alpha": "at-most", "value": "-1"},
     {"alpha": "at-most", "value": "0.5"}, {"alpha": "at-most", "value": 1}],
)  # fmt: skip
def test_epsilons_of_another_form(epsilon: Json) -> None:
    refused(edited(WALK, {EPSILON: epsilon}), Malformed)


def test_only_claims_with_alpha_have_an_epsilon() -> None:
    epsilon = {"alpha": "at-most", "value": "1"}
    for certificate in (BISIMILARITY, SVT_EPSILON, SVT_PRIVATE):
        refused(edited(certificate, {EPSILON: epsilon}), Malformed, 'claim: unknown key "epsilon"')
    assert accepted(edited(KERNEL, {EPSILON: epsilon})).startswith("kernel alpha=3/2 <=exp(1) all-pairs")
    refused(edited(BELOW, {("claim", "alpha"): "1/2"}), BadClaim)


@given(st.fractions(min_value=0, max_value=40, max_denominator=10**4), st.integers(1, 200))
def test_exponentials(x: Fraction, bits: int) -> None:
    low, high = exponential(x, bits)
    exponent = x.as_integer_ratio()
    assert not exceeds_exponential(low.as_integer_ratio(), exponent)
    assert exceeds_exponential(high.as_integer_ratio(), exponent) == (x > 0)


def test_alpha_that_is_too_close_to_the_exponential() -> None:
    """Closer than the 2¹⁴ bits that are looked at."""
    terms = [one := 2**17_000]
    while terms[-1]:
        terms.append(terms[-1] // len(terms))
    with pytest.raises(TooLarge, match=r"alpha is too close to e\^epsilon to decide which is larger"):
        exceeds_exponential((sum(terms), one), (1, 1))


# Words -----------------------------------------------------------------------------------------------------


def test_an_unknown_key_is_named() -> None:
    refused(edited(WALK, {("claim", "colour"): "red"}), Malformed, 'claim: unknown key "colour"')
    refused(edited(WALK, {("model", "x\n\u202e"): 1}), Malformed, r'model: unknown key "x\n\u202e"')
    refused(edited(WALK, {("model", "x" * 1000): 1}), Malformed, '"' + "x" * 40 + '..."')


# The command -----------------------------------------------------------------------------------------------


@pytest.fixture
def walk(tmp_path: Path) -> tuple[str, str]:
    certificate, model = tmp_path / "walk.cert", tmp_path / "walk.json"
    certificate.write_bytes(encode(WALK))
    model.write_text(json.dumps(WALK["model"], indent=1))
    return str(certificate), str(model)


def test_the_command(tmp_path: Path, walk: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    certificate, model = walk
    out = str(tmp_path / "out.json")
    pair = ["--from", "s", "--to", "t"]
    assert main(["--model", model, "--at-most", "0.01", "--epsilon-at-most", "1/2", *pair, certificate]) == 0
    assert main([*pair, "--at-most", "1e-3", certificate]) == 1
    assert main(["--extract", out, "--model", model, certificate]) == 0
    assert Path(out).read_bytes() == encode(WALK["model"])
    assert main(["--model", out, certificate, certificate]) == 0
    assert main(["--extract", out, certificate]) == 2  # it is there
    Path(out).write_text((FREE % "").replace('"a"', '"d"'))
    assert main(["--model", out, certificate]) == 1
    captured = capsys.readouterr()
    assert [line[:8] for line in captured.out.splitlines()] == [
        "VERIFIED",
        "REJECTED",
        *["VERIFIED"] * 4,
        "REJECTED",
    ]
    assert captured.err.startswith("cannot write ")


@pytest.mark.parametrize(
    "options",
    [["--model"], ["--at-most", "x"], ["--at-most", "-1"], ["--epsilon-at-most", "1/0"], ["--model", "/none"],
     ["--colour", "red"], ["--extract", "a", "b"]],
)  # fmt: skip
def test_options_that_are_wrong(
    walk: tuple[str, str], capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert main([*options, *walk[:1]][: None if len(options) > 1 else 1]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
