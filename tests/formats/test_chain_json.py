"""Chains as JSON documents."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadOptions
from prover.formats.convert import write_json
from prover.formats.load import load_chain
from prover.formats.objects import to_dict
from tests.formats.documents import read_chain
from tests.refusals import refuses
from tests.strategies import chains

DOCUMENT = """{
  "type": "labelled-markov-chain",
  "version": 1,
  "states": {
    "s0": {"label": "a", "next": {"s1": "1/3", "s2": "2/3"}},
    "s1": {"label": "b", "next": {"s1": "1"}},
    "s2": {"label": "b", "next": {"s2": "1"}}
  },
  "relation": [
    ["s1", "s2"],
    ["s2", "s1"]
  ]
}
"""

CHAIN = LabelledMarkovChain.of(
    {
        "s0": ("a", {"s1": Fraction(1, 3), "s2": Fraction(2, 3)}),
        "s1": ("b", {"s1": 1}),
        "s2": ("b", {"s2": 1}),
    },
    [("s1", "s2")],
)


def document(**changes: Any) -> str:
    """A one-state chain with changed or, where None, missing top-level members."""
    value = {
        "type": "labelled-markov-chain",
        "version": 1,
        "states": {"s": {"label": "a", "next": {"s": 1}}},
    }
    return json.dumps({key: v for key, v in (value | changes).items() if v is not None})


class TestReading:
    def test_example(self) -> None:
        assert read_chain(DOCUMENT) == read_chain(DOCUMENT.encode()) == CHAIN

    def test_the_relation_is_optional_and_closed(self) -> None:
        assert read_chain(document()).relation == ()
        states = {name: {"label": "a", "next": {"t": 1}} for name in ("s", "t")}
        assert read_chain(document(states=states, relation=[["t", "s"]])).relation == ((0, 1), (1, 0))

    def test_unquoted_numbers_are_read_from_their_text(self) -> None:
        text = (
            '{"type": "labelled-markov-chain", "version": 1, "states": {'
            '"s": {"label": "a", "next": {"s": 0.1, "t": 0.90}}, '
            '"t": {"label": "a", "next": {"t": 1, "s": 0}}}}'
        )
        chain = read_chain(text)
        assert chain.rows[0] == {0: Fraction(1, 10), 1: Fraction(9, 10)}
        assert chain.rows[1] == {1: 1}

    def test_near_ties_are_not_rounded(self) -> None:
        states = {"s": {"label": "a", "next": {"s": "0." + "9" * 50, "t": "0." + "0" * 49 + "1"}}}
        states["t"] = {"label": "a", "next": {"t": "1"}}
        assert read_chain(document(states=states)).rows[0][1] == Fraction(1, 10**50)

    def test_ten_thousand_digits(self) -> None:
        bottom = "2" + "0" * 9_999
        more, less = "1" + "0" * 9_998 + "3", "9" * 9_998 + "7"
        states = {"s": {"label": "a", "next": {"s": f"{more}/{bottom}", "t": f"{less}/{bottom}"}}}
        states["t"] = {"label": "b", "next": {"t": "1"}}
        chain = read_chain(document(states=states))
        assert chain.rows[0][0] == Fraction(10**9_999 + 3, 2 * 10**9_999)
        assert read_chain(write_json(chain)) == chain
        with refuses("row-sum") as caught:
            read_chain(document(states=states).replace("7/2", "8/2"))
        assert len(str(caught.value)) < 400


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "error", "path"),
        [
            ("{", "json-syntax", None),
            ("[]", "wrong-type", "$"),
            (document(type=None), "missing-key", "$"),
            (document(version=None), "missing-key", "$"),
            (document(states=None), "missing-key", "$"),
            (document(comment="x"), "unknown-key", "$"),
            (document(type="threshold-program"), "not-a-chain", "$.type"),
            (document(type=1), "wrong-type", "$.type"),
            (document(version=2), "unsupported-version", "$.version"),
            (document(version=1.0), "unsupported-version", "$.version"),
            (document(version="1"), "wrong-type", "$.version"),
            (document(version=True), "wrong-type", "$.version"),
            (document(states=[]), "wrong-type", "$.states"),
            (document(states={}), "no-states", "$.states"),
            (document(states={"s": []}), "wrong-type", '$.states["s"]'),
            (document(states={"s": {"next": {"s": 1}}}), "missing-label", '$.states["s"]'),
            (document(states={"s": {"label": "a"}}), "missing-key", '$.states["s"]'),
            (
                document(states={"s": {"label": "a", "next": {"s": 1}, "x": 1}}),
                "unknown-key",
                '$.states["s"]',
            ),
            (document(states={"s": {"label": 1, "next": {"s": 1}}}), "wrong-type", '$.states["s"].label'),
            (document(states={"s": {"label": "a", "next": ["s"]}}), "wrong-type", '$.states["s"].next'),
            (document(states={"s": {"label": "a", "next": {}}}), "row-sum", '$.states["s"].next'),
            (document(relation={}), "wrong-type", "$.relation"),
            (document(relation=["ss"]), "wrong-type", "$.relation[0]"),
            (document(relation=[["s", "s"], ["s"]]), "not-a-pair", "$.relation[1]"),
            (document(relation=[["s", "s", "s"]]), "not-a-pair", "$.relation[0]"),
            (document(relation=[["s", 1]]), "wrong-type", "$.relation[0][1]"),
            (document(relation=[["s", "t"]]), "relation-names-unknown-state", "$.relation[0]"),
            (document().replace('"s": {', '"s": 0, "s": {', 1), "duplicate-key", "$.states"),
        ],
    )
    def test_documents(self, text: str, error: str, path: str | None) -> None:
        with refuses(error) as caught:
            read_chain(text, "m.json")
        assert (caught.value.file, caught.value.path) == ("m.json", path)

    @pytest.mark.parametrize(
        ("probability", "error"),
        [
            ('"1/0"', "zero-denominator"),
            ('"1/2 "', "malformed-number"),
            ('"1\\n"', "malformed-number"),
            ('"1e"', "malformed-number"),
            ("1e99999", "exponent-too-large"),
            ('"' + "1" * 10_001 + '"', "number-too-long"),
            ("1" * 10_001, "number-too-long"),
            ("true", "wrong-type"),
            ("null", "wrong-type"),
            ("[1]", "wrong-type"),
            ("-1", "negative-probability"),
        ],
    )
    def test_probabilities(self, probability: str, error: str) -> None:
        text = document().replace('"s": 1}', f'"s": {probability}}}')
        with refuses(error) as caught:
            read_chain(text, "m.json")
        assert caught.value.path == '$.states["s"].next["s"]'

    def test_unknown_successor(self) -> None:
        with refuses("unknown-successor") as caught:
            read_chain(document().replace('"s": 1}', '"t": 1}'), "m.json")
        assert str(caught.value).startswith('m.json: $.states["s"].next["t"]: successor "t"')


class TestWriting:
    def test_example(self) -> None:
        assert write_json(CHAIN) == DOCUMENT

    def test_canonical_value(self) -> None:
        value = to_dict(CHAIN)
        assert value == json.loads(DOCUMENT)
        assert value["version"] == 1

    def test_an_empty_relation_is_left_out(self) -> None:
        assert set(to_dict(read_chain(document(relation=[])))) == {"type", "version", "states"}

    @given(chains(related=True))
    def test_round_trip(self, chain: LabelledMarkovChain) -> None:
        assert read_chain(write_json(chain)) == chain
        assert json.loads(write_json(chain)) == to_dict(chain)

    @given(st.lists(st.text(), min_size=1, max_size=4, unique=True), st.text())
    def test_names_and_labels_are_arbitrary(self, names: list[str], label: str) -> None:
        chain = LabelledMarkovChain.of(
            {name: (label, {names[0]: 1}) for name in names}, [(names[0], names[-1])]
        )
        text = write_json(chain)
        assert text.isascii()
        assert read_chain(text) == chain

    def test_lone_surrogates(self) -> None:
        chain = LabelledMarkovChain.of({"\ud800": ("\udfff", {"\ud800": 1})})
        assert read_chain(write_json(chain).encode()) == chain


class TestShorthands:
    STATES: ClassVar[dict[str, object]] = {
        name: {"label": label, "next": {"t": 1}} for name, label in zip("stuv", "abaa", strict=True)
    }

    def relation(self, **changes: object) -> list[tuple[str, str]]:
        chain = read_chain(document(states=self.STATES, **changes))
        return [(chain.states[s], chain.states[t]) for s, t in chain.relation if s < t]

    def test_same_label(self) -> None:
        assert self.relation(relation="same-label") == [("s", "u"), ("s", "v"), ("u", "v")]

    def test_initial(self) -> None:
        assert self.relation(relation="initial", initial=["t", "s", "s"]) == [("s", "t")]
        assert self.relation(initial=["t", "s", "u"]) == [("s", "t"), ("s", "u"), ("t", "u")]
        assert self.relation(initial=["t", "s"], relation=[["u", "v"]]) == [("u", "v")]
        assert self.relation(relation="initial") == []

    def test_options(self, tmp_path: Path) -> None:
        path, pairs = tmp_path / "m.json", tmp_path / "pairs"
        path.write_text(document(states=self.STATES, initial=["s", "t"], relation=[]), encoding="utf-8")
        pairs.write_text("u v\n", encoding="utf-8")
        assert load_chain(path).relation == ()
        assert load_chain(path, initial=True).relation == ((0, 1), (1, 0))
        assert load_chain(path, secret_pairs=pairs).relation == ((2, 3), (3, 2))
        with pytest.raises(BadOptions, match="observe has no meaning"):
            load_chain(path, observe="x")

    def test_rounded_rows(self, tmp_path: Path) -> None:
        path = tmp_path / "m.json"
        rounded = {"s": {"label": "a", "next": {"s": "0.33", "t": "0.66"}}}
        rounded["t"] = {"label": "b", "next": {"t": "1"}}
        path.write_text(document(states=rounded), encoding="utf-8")
        with refuses("row-sum"):
            load_chain(path)
        said: list[str] = []
        assert load_chain(path, normalise=True, on_note=said.append).rows[0][1] == Fraction(2, 3)
        assert said == ["normalised: 1 row was divided by the sum, which differed from 1 by up to 0.01"]

    @pytest.mark.parametrize(
        ("changes", "error", "path"),
        [
            ({"relation": "all"}, "unknown-shorthand", "$.relation"),
            ({"initial": "s"}, "wrong-type", "$.initial"),
            ({"initial": ["x"]}, "unknown-initial-state", "$.initial[0]"),
            ({"initial": [1]}, "wrong-type", "$.initial[0]"),
        ],
    )
    def test_refusals(self, changes: dict[str, object], error: str, path: str) -> None:
        with refuses(error) as caught:
            self.relation(**changes)
        assert caught.value.path == path
