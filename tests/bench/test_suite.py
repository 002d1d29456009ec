"""Suites as files: what is read, and that bad ones are refused whole, with their place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from prover.bench import family, read_suite
from prover.bench.child import ask
from prover.bench.job import build_model
from prover.bench.question import QUESTIONS
from prover.bench.row import NAMES
from prover.errors import BadInput
from prover.formats.load import Model
from tests.bench.made import SVT, suite_of, tool_table, with_tool
from tests.formats.explicit.made import DRN
from tests.refusals import refuses

HEAD = 'name = "s"\n[[family]]\nname = "f"\n'
DISTANCE = HEAD + 'model = "pin-checker"\nquestion = "distance"\noptions = {alpha = 2}\n'
SUITES = Path(__file__).resolve().parents[2] / "benchmarks"


class TestReads:
    def test_the_smallest(self) -> None:
        (job,) = suite_of(SVT).jobs
        assert (job.suite, job.family, job.model, job.question, job.engine) == (
            "small",
            "one",
            "svt",
            "privacy",
            "auto",
        )
        assert (job.timeout, job.memory, job.run, job.size, job.expected) == (60, 2048, 1, None, None)

    def test_numbers_are_read_literally(self) -> None:
        (job,) = suite_of(DISTANCE.replace("alpha = 2", "alpha = 1.0002") + "expected = 0.1").jobs
        assert job.options == {"alpha": "1.0002"}
        assert job.expected == "1/10"

    def test_limits_of_the_suite_the_family_and_the_job(self) -> None:
        text = 'name = "s"\ntimeout = 1\nmemory = 100\nrepeat = 2\n[[family]]\nname = "f"\ntimeout = 1.5\n'
        text += 'question = "privacy"\nmodel = "svt"\n[[family.job]]\n'
        text += '[[family.job]]\nname = "other"\nmemory = 9\n'
        jobs = suite_of(text).jobs
        assert [(job.timeout, job.memory, job.run) for job in jobs] == [
            (1.5, 100, 1), (1.5, 100, 2), (1.5, 9, 1), (1.5, 9, 2)
        ]  # fmt: skip

    def test_a_job_overrides_its_family(self) -> None:
        text = HEAD + 'model = "random-chain"\nparameters = {states = 5, seed = 2}\nquestion = "distances"\n'
        text += (
            'options = {alpha = "6/5"}\n[[family.job]]\nparameters = {seed = 7}\noptions = {kind = "bd"}\n'
        )
        (job,) = suite_of(text).jobs
        assert job.parameters == {"states": "5", "seed": "7"}
        assert job.options == {"alpha": "6/5", "kind": "bd"}

    def test_how_a_model_is_read(self) -> None:
        crowd = 'model = "crowds"\nparameters = {members = 2, rounds = 1}\nquestion = "delta"\n'
        text = HEAD + crowd + "options = {alpha = 20}\n"
        listed = 'job = [{}, {untimed = true}, {silent = ["hidden"]}]\n'
        plain, untimed, silent = suite_of(text + listed).jobs
        assert (plain.reading, untimed.reading, silent.reading) == (
            {},
            {"untimed": True},
            {"silent": ["hidden"]},
        )
        assert len({plain.identity, untimed.identity, silent.identity}) == 3
        assert plain.identity == suite_of(text).jobs[0].identity
        assert untimed.title == "f members=2 rounds=1 untimed=yes (auto)"
        found: dict[str, Any] = {}
        for job, value in ((plain, "1/6"), (untimed, "0")):
            ask(job, lambda step, **fields: found.update({step: fields}))
            assert found["answered"]["upper"] == value

    def test_how_a_file_is_read(self, tmp_path: Path) -> None:
        two = DRN.replace("] heads", "] heads init").replace("1 : 1/3", "0 : 1/3")
        (tmp_path / "m.drn").write_text(two, encoding="utf-8")
        (tmp_path / "pairs").write_text("seen=false,side=0 seen=true,side=1\n", encoding="utf-8")
        asked = 'model = "m.drn"\nquestion = "delta"\noptions = {alpha = 1}\n'
        job, other = suite_of(
            HEAD + asked + 'observe = "seen"\njob = [{initial = true}, {secret_pairs = "pairs"}]\n', tmp_path
        ).jobs
        assert job.given == {"observe": "seen", "initial": "yes"}
        assert other.given == {"observe": "seen", "secret_pairs": "pairs"}

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("untimed = 3", "untimed must be true or false"),
            ('silent = ["tau"]', 'no state has the silent label "tau"'),
            ("initial = true", "initial has no meaning for a model of the zoo"),
        ],
    )
    def test_how_a_model_of_the_zoo_is_not_read(self, line: str, message: str) -> None:
        with pytest.raises(BadInput, match=message) as caught:
            suite_of(DISTANCE + line)
        assert (caught.value.path or "").startswith("$.family[0]")

    def test_a_lane_for_every_job_and_engine(self) -> None:
        lanes = suite_of(DISTANCE + 'engines = ["auto", "lp"]').lanes
        assert [[job.engine for job in lane.jobs] for lane in lanes] == [["auto"], ["lp"]]
        assert not any(lane.grows for lane in lanes)

    def test_a_lane_for_every_engine_of_a_family_that_grows(self) -> None:
        grow = 'model = "random-chain"\nquestion = "distances"\noptions = {alpha = 2}\n'
        grow += 'engines = ["auto", "lp"]\n'
        grow += 'grow = {parameter = "states", values = [5, 6]}\nrepeat = 2\n'
        lanes = suite_of(HEAD + grow).lanes
        assert [[(job.size, job.run) for job in lane.jobs] for lane in lanes] == 2 * [
            [(5, 1), (5, 2), (6, 1), (6, 2)]
        ]
        assert all(lane.grows for lane in lanes)

    def test_sizes_of_values_that_are_no_numbers(self) -> None:
        grow = 'model = "partition"\nquestion = "privacy"\n'
        grow += 'grow = {parameter = "weights", values = ["1", "1,2"], sizes = [1, 2]}'
        assert [(job.size, job.parameters) for job in suite_of(HEAD + grow).jobs] == [
            (1, {"weights": "1"}),
            (2, {"weights": "1,2"}),
        ]

    def test_listed_jobs_with_sizes_grow(self) -> None:
        jobs = "[[family.job]]\nsize = 1\nparameters = {c = 1}\n[[family.job]]\nparameters = {c = 2}\n"
        jobs += "[[family.job]]\nsize = 9\nparameters = {c = 3}\n"
        lanes = suite_of(SVT.replace("svt", "lyu-1") + "repeat = 2\n" + jobs).lanes
        assert [(lane.grows, [(job.size, job.run) for job in lane.jobs]) for lane in lanes] == [
            (False, [(None, 1), (None, 2)]),
            (True, [(1, 1), (1, 2), (9, 1), (9, 2)]),
        ]

    def test_model_files_stand_beside_the_suite(self, tmp_path: Path) -> None:
        (tmp_path / "m.dipa").write_text("(q1, 1, 0): x := insample; output a; goto q2\n")
        (tmp_path / "s.toml").write_text(SVT.replace('"svt"', '"m.dipa"'))
        (job,) = read_suite(tmp_path / "s.toml").jobs
        assert (job.model, job.folder) == ("m.dipa", str(tmp_path))

    def test_a_shorter_limit(self) -> None:
        text = SVT + "timeout = 5\n"
        assert suite_of(text).within(2).jobs[0].timeout == 2
        assert suite_of(text).within(9).jobs[0].timeout == 5

    def test_the_identity_is_of_what_is_asked(self) -> None:
        def identity(text: str) -> str:
            return suite_of(text).jobs[0].identity

        same = [DISTANCE, DISTANCE + "timeout = 9", DISTANCE.replace('"s"', '"t"'), DISTANCE + "expected = 1"]
        other = [
            DISTANCE.replace("2", "3"),
            DISTANCE.replace('"f"', '"g"'),
            DISTANCE + 'engines = ["lp"]',
            DISTANCE + "parameters = {p = 0.4}",
        ]
        assert len({identity(text) for text in same}) == 1
        assert len({identity(text) for text in [*same, *other]}) == 5

    @pytest.mark.parametrize("path", sorted(SUITES.glob("*.toml")), ids=lambda path: path.name)
    def test_our_suites_are_in_order(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(family, "build_model", built_smaller)
        assert read_suite(path).name == path.stem


LARGEST = {"c": 30, "n": 30, "respondents": 4, "states": 30}
LARGEST_CHAIN = {"degree": 2, "states": 10_001}
"""Of parameters; so many states have names that are as long as those of 99,999."""


def built_smaller(name: str, parameters: Mapping[str, str], *reading: Any) -> Model:
    """The model of a suite with the names that questions use, but not as large."""
    most = LARGEST_CHAIN if name == "random-chain" else LARGEST
    small = {key: str(min(int(parameters[key]), most[key])) for key in most.keys() & parameters.keys()}
    return build_model(name, {**parameters, **small}, *reading)


MODEL, OPTIONS = "$.family[0].model", "$.family[0].options"
DISTANCES = DISTANCE.replace('"distance"', '"distances"')
REFUSED: list[tuple[str, str, str, str]] = [
    ("name = = 1", "not-toml", "malformed TOML", "line 1"),
    ("x = 2026-01-01", "not-a-value", "not a date", "$.x"),
    ('name = "s"', "missing-key", "family", "$"),
    ('name = "s"\nfamily = []', "no-jobs", "no family", "$.family"),
    ('name = "s"\nfamily = 1', "wrong-type", "an array", "$.family"),
    (SVT + "extra = 1", "unknown-key", '"extra"', "$.family[0]"),
    ("extra = 1\n" + SVT, "unknown-key", '"extra"', "$"),
    (SVT.replace('model = "svt"', ""), "missing-key", "model", "$.family[0]"),
    (SVT.replace('"svt"', '"svn"'), "unknown-model", '"svn"', MODEL),
    (SVT.replace('"svt"', '"svt.json"'), "no-such-file", "no such file", "svt.json"),
    (SVT.replace('"svt"', "7"), "wrong-type", "a string", MODEL),
    (SVT.replace('"privacy"', '"piracy"'), "unknown-question", '"piracy"', "$.family[0].question"),
    (SVT.replace('"privacy"', '"distance"'), "wrong-model", "Markov chain", MODEL),
    (SVT + "options = {alpha = 2}", "unknown-option", '"alpha"', OPTIONS),
    (SVT + 'engines = ["lp"]', "unknown-engine", '"lp"', "$.family[0].engines"),
    (SVT + 'engines = ["tool:x"]', "unknown-engine", '"tool:x"', "$.family[0].engines"),
    (SVT + "engines = []", "no-jobs", "no engine", "$.family[0].engines"),
    (SVT + "options = {x = 1}", "unknown-option", '"x"', OPTIONS),
    (SVT + 'options = {adjacency = "x"}', "bad-option", "all-differ", "$.family[0].options.adjacency"),
    (SVT + "parameters = {x = 1}", "unknown-parameter", '"x"', MODEL),
    (SVT + "expected = '1e'", "malformed-number", '"1e"', "$.family[0].expected"),
    (SVT + "timeout = 0", "out-of-range", "more than 0", "$.family[0].timeout"),
    (SVT + "memory = 1.5", "out-of-range", "whole number", "$.family[0].memory"),
    (SVT + "repeat = 0", "out-of-range", "whole number", "$.family[0].repeat"),
    (SVT + "[[family.job]]\n[[family.job]]\n", "same-job-twice", "occurs twice", "$.family[0]"),
    (SVT + "job = []", "no-jobs", "no job", "$.family[0].job"),
    (SVT + "[[family.job]]\ngrow = 1", "unknown-key", '"grow"', "$.family[0].job[0]"),
    (DISTANCE.replace("alpha = 2", "alpha = 0.5"), "bad-option", "at least 1", OPTIONS),
    (DISTANCE.replace("alpha = 2", ""), "bad-option", "alpha", OPTIONS),
    (DISTANCE.replace("alpha = 2", 'alpha = 2, from = "7", to = "1"'), "unknown-state", '"7"', OPTIONS),
    (DISTANCES + "expected = 1", "nothing-to-expect", "table", "expected"),
    (SVT.replace('"svt"', '"lyu-1"') + "parameters = {c = 0}", "bad-parameter", "between 1", MODEL),
    (SVT + 'grow = {parameter = "c", values = [1]}', "unknown-parameter", '"c"', "$.family[0].grow"),
    (SVT + 'grow = {parameter = "c", values = []}', "no-jobs", "no value", "$.family[0].grow.values"),
    (
        SVT.replace('"svt"', '"partition"') + 'grow = {parameter = "weights", values = ["1,1"]}',
        "no-sizes", "sizes", "$.family[0].grow.values[0]",
    ),
    (
        SVT.replace('"svt"', '"lyu-1"') + 'grow = {parameter = "c", values = [1], sizes = [1, 2]}',
        "sizes-do-not-match", "2 sizes for 1 value", "$.family[0].grow.sizes",
    ),
    (
        SVT.replace('"svt"', '"lyu-1"') + 'grow = {parameter = "c", values = [1]}\n[[family.job]]\n',
        "grows-and-lists", "either", "$.family[0]",
    ),
    (with_tool("'", ), "bad-command", "quotation", "$.tool.fake.command"),
    (with_tool("{alpha}"), "unknown-placeholder", "{alpha}", "$.tool.fake.command"),
    (with_tool("x", pattern="("), "bad-pattern", "not a regular expression", "$.tool.fake.pattern"),
    (with_tool("x", pattern="(?P<worth>.)"), "bad-pattern", "must have a group", "$.tool.fake.pattern"),
    (with_tool("x", json="a"), "no-reading", "either a pattern or a json", "$.tool.fake"),
    (with_tool("x", format="exe"), "out-of-range", "json or dipa", "$.tool.fake.format"),
    (with_tool("x", pattern=None, json="a..b"), "bad-json-path", "not a JSON path", "$.tool.fake.json"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind", "words", "place"),
    REFUSED,
    ids=[f"{k}-{n}" for n, (_, k, _, _) in enumerate(REFUSED)],
)
def test_refused_with_its_place(text: str, kind: str, words: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(text)
    with refuses(kind) as caught:
        read_suite(tmp_path / "s.toml")
    message = str(caught.value)
    assert str(tmp_path) in message
    assert words in message
    assert place in message
    assert "\n" not in message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with refuses("no-such-file", match="none"):
        read_suite(tmp_path / "none.toml")


def test_a_tool_that_no_family_calls_is_checked_too() -> None:
    with refuses("bad-pattern"):
        suite_of('name = "s"\n' + tool_table("x", pattern="(") + SVT.partition("\n")[2].partition("\n")[2])


class TestDocumentation:
    TEXT = (SUITES.parent / "docs" / "benchmarks.md").read_text()

    def test_the_suites_of_the_documentation_are_in_order(self) -> None:
        example, tool = re.findall(r"^```toml\n(.*?)^```", self.TEXT, re.MULTILINE | re.DOTALL)
        assert len(suite_of(example).jobs) == 3 * (2 + 4 + 2)
        suite = suite_of(tool)
        assert [job.engine for job in suite.jobs] == ["auto", "tool:other"]
        said: dict[str, Any] = {}
        ask(suite.jobs[0], lambda step, **fields: said.update({step: fields}))
        assert said["answered"]["lower"] == suite.jobs[0].expected

    def test_every_key_of_a_row_is_explained(self) -> None:
        explained = set(re.findall(r"`(\w+)`", self.TEXT))
        assert set(NAMES) - explained == set()

    def test_every_question_and_option_is_explained(self) -> None:
        table = {
            line.split("|")[1].strip(" `"): line for line in self.TEXT.splitlines() if line.startswith("| `")
        }
        for name, question in QUESTIONS.items():
            assert set(re.findall(r"`(\w+)`", table[name].split("|")[3])) >= question.options.keys()
