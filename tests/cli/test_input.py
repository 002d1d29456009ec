"""What is wrong with a command or its input: one message with the place, status 2, and nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from tests.commands import FORKS, Run, program, prover, saved, zoo

pytestmark = pytest.mark.filterwarnings(FORKS)

LOOP = {"label": "a", "next": {"s": 1}}


def document(**changes: Any) -> str:
    return json.dumps(
        {"type": "labelled-markov-chain", "version": 1, "states": {"s": LOOP, "t": LOOP}} | changes
    )


def refused(run: Run, *words: str, hint: bool = False) -> None:
    """Status 2, no answer, one line with all the words, and another with a hint if that is expected."""
    assert (run.status, run.out) == (2, "")
    lines = run.err.splitlines()
    assert len(lines) == 1 + hint
    assert lines[0].startswith("prover: ")
    assert all(line.isprintable() for line in lines)
    for word in words:
        assert word in lines[0]
    if hint:
        assert lines[1].startswith("Try 'prover")
        assert lines[1].endswith("--help'.")


def asked(model: Path | str, *options: str) -> Run:
    return prover("distance", model, *(options or ("--alpha", "2", "--from", "s", "--to", "t")))


class TestModels:
    @pytest.mark.family
    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ("", ["is empty, but a model is expected"]),
            (" \n", ["is empty"]),
            ('{"type": "labelled-markov-chain",\n "version" 1}', ["line 2, column 12", "malformed JSON"]),
            (document()[:-9], ["line 1, column ", "malformed JSON"]),
            ("[]", ["$: ", "an object is expected, not an array"]),
            ("null", ["$: "]),
            (document(version=2), ["$.version: ", '"2"']),
            (document(type="mdp"), ["$.type: ", '"mdp"']),
            (document(more=0), ['unknown key "more"']),
            (document(states={}), ["$.states: "]),
            (document(states={"s": {"next": {"s": 1}}}), ['$.states["s"]: ', "no label"]),
            (document(states={"s": {"label": "a"}}), ['$.states["s"]: ', '"next" is missing']),
            (document(states={"s": {"label": None, "next": {"s": 1}}}), ['$.states["s"].label: ']),
            (document(states={"s": {"label": "a", "next": {}}}), ['$.states["s"].next: ', "sums to 0"]),
            (
                document(states={"s": {"label": "a", "next": {"s": "0.999"}}}),
                ['$.states["s"].next: ', "sums to 999/1000, not 1"],
            ),
            (
                document(states={"s": {"label": "a", "next": {"s": 0.1, "t": 0.2, "u": 0.7}}}),
                ['successor "t"'],
            ),
            (document(states={"s": {"label": "a", "next": {"s": "1/0"}}}), ['"1/0"', '.next["s"]: ']),
            (document(states={"s": {"label": "a", "next": {"s": "1e"}}}), ['"1e"', '.next["s"]: ']),
            (document(states={"s": {"label": "a", "next": {"s": True}}}), ['.next["s"]: ']),
            (
                document(states={"s": LOOP, "t": {"label": "a", "next": {"s": "2", "t": "-1"}}}),
                ["-1 is negative", '$.states["t"].next["t"]: '],
            ),
            (document().replace('{"s": 1}', '{"s": NaN}', 1), ["NaN", '$.states["s"].next["s"]: ']),
            (document().replace('{"s": 1}', '{"s": -Infinity}', 1), ["-Infinity"]),
            (document().replace('"t":', '"s":'), ["$.states: ", '"s" is given twice']),
            (document().replace('{"s": 1}', '{"s": 0.5, "s": 0.5}', 1), ['$.states["s"].next: ', "twice"]),
            (document(relation=[["s"]]), ["$.relation[0]: "]),
            (document(relation=[["s", "t"], ["s", "u"]]), ["$.relation[1]: ", '"u"']),
            (document(relation=[["s", 3]]), ["$.relation[0][1]: "]),
            ("[" * 100_000 + "]" * 100_000, ["column 65", "nested too deeply"]),
            ('{"a":' * 100_000, ["nested too deeply"]),
            (document(states={"s": {"label": "a", "next": {"s": "1/" + "9" * 10_001}}}), ["10,000 digits"]),
            (document(states={"s": {"label": "a", "next": {"s": "9" * 10_000}}}), ["sums to 9999"]),
            (document(states={"x\n\x1b[31mVERIFIED": {"label": "a", "next": {"q": 1}}}), [r"x\n\u001b[31m"]),
        ],
    )
    def test_content(self, tmp_path: Path, content: str, words: list[str]) -> None:
        model = tmp_path / "model.json"
        model.write_text(content)
        run = asked(model)
        refused(run, f"{model}: ", *words)
        assert len(run.err) < 700 + len(str(model))

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"\x00\xff\xfe", ["byte 0xff at offset 1", "UTF-8"]),
            (document().encode("utf-16"), ["UTF-8"]),
            (b"\xef\xbb\xbf" + document().encode(), ["line 1, column 1", "byte order mark"]),
        ],
    )
    def test_bytes(self, tmp_path: Path, content: bytes, words: list[str]) -> None:
        model = tmp_path / "model.json"
        model.write_bytes(content)
        refused(asked(model), f"{model}: ", *words)

    def test_a_huge_file(self, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        with model.open("wb") as file:
            file.truncate(2**40)  # of which nothing is stored
        refused(asked(model), f"{model}: ", "too large")

    def test_no_file(self, tmp_path: Path) -> None:
        refused(asked(tmp_path / "none.json"), f"{tmp_path}/none.json: no such file")
        refused(asked(tmp_path / "none" / "none.json"), "no such file")
        refused(asked(""), '""')
        (tmp_path / "loop.json").symlink_to("loop.json")
        refused(asked(tmp_path / "loop.json"), "loop.json: cannot be read")

    def test_no_regular_file(self, tmp_path: Path) -> None:
        folder, pipe = tmp_path / "folder.json", tmp_path / "pipe.json"
        folder.mkdir()
        os.mkfifo(pipe)
        for path in (folder, pipe, "/dev/null"):
            refused(asked(path), "not a regular file")

    def test_no_permission(self, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        model.write_text(document())
        model.chmod(0)
        if os.access(model, os.R_OK):
            pytest.skip("this user may read everything")
        refused(asked(model), f"{model}: cannot be read: Permission denied")

    def test_a_name_of_another_format(self, tmp_path: Path) -> None:
        for name in ("model.txt", "model"):
            (tmp_path / name).write_text(document())
            refused(asked(tmp_path / name), f"{name}: ", ".json")

    def test_a_name_that_would_forge_a_line(self, tmp_path: Path) -> None:
        model = tmp_path / "x\nVERIFIED ld\x1b[2J.json"
        model.write_text("{}")
        refused(asked(model), r"x\nVERIFIED ld\u001b[2J.json: ")

    def test_a_name_that_is_no_text(self, tmp_path: Path) -> None:
        model = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json")
        refused(asked(model), r"\udcff.json: no such file")
        Path(model).write_text(document())
        assert asked(model).status == 0


class TestQuestions:
    @pytest.fixture
    def model(self, tmp_path: Path) -> Path:
        states = {"s": ("a", {"s": "1"}), "t": ("a", {"t": "1"})}
        return saved(tmp_path, states)

    @pytest.mark.parametrize(
        "alpha", ["abc", "1e", "1e99999", "", " 2", "2 ", "+2", "1/0", "inf", "nan", "1_0", "٣"]
    )
    def test_alpha_is_no_number(self, model: Path, alpha: str) -> None:
        refused(asked(model, "--alpha", alpha, "--from", "s", "--to", "t"), "--alpha: ")

    @pytest.mark.parametrize("alpha", ["0", "-1", "1/2", "0.99999999999999999999"])
    def test_alpha_below_1(self, model: Path, alpha: str) -> None:
        run = asked(model, f"--alpha={alpha}", "--from", "s", "--to", "t")
        refused(run, "alpha = e^epsilon must be at least 1")

    def test_alpha_too_long(self, model: Path) -> None:
        run = asked(model, "--alpha", "1" * 10_001, "--from", "s", "--to", "t")
        refused(run, "--alpha: ", "10,000 digits")
        assert len(run.err) < 200

    def test_alpha_missing_or_superfluous(self, model: Path) -> None:
        refused(asked(model, "--from", "s", "--to", "t"), "ld needs alpha")
        refused(asked(model, "--all-pairs", "--kind", "kernel"), "kernel needs alpha")
        refused(asked(model, "--all-pairs", "--kind", "bisimilarity", "--alpha", "2"), "has no alpha")

    @pytest.mark.parametrize("half", ["--from", "--to"])
    def test_half_a_pair(self, model: Path, half: str) -> None:
        refused(asked(model, "--alpha", "2", half, "s"), "both states")
        refused(asked(model, "--alpha", "2", half, "s", "--reachable-only"), "both states")

    @pytest.mark.parametrize("unknown", ["", "S", "s ", "x\n\x1b[2J", "😀", "\udcff", "y" * 9_999])
    def test_an_unknown_state(self, model: Path, unknown: str) -> None:
        for pair in (("s", unknown), (unknown, "s")):
            run = asked(model, "--alpha", "2", "--from", pair[0], "--to", pair[1])
            refused(run, 'the chain has 2 states: "s", "t"')
            assert len(run.err) < 250

    def test_no_relation(self, model: Path) -> None:
        refused(asked(model, "--alpha", "2"), "no relation")
        refused(asked(model, "--kind", "bisimilarity"), "no relation")

    def test_all_pairs_and_one(self, model: Path) -> None:
        for more in (["--from", "s", "--to", "t"], ["--to", "t"], ["--reachable-only"]):
            refused(asked(model, "--alpha", "2", "--all-pairs", *more), "--all-pairs", hint=True)

    @pytest.mark.parametrize(
        ("option", "value"),
        [("--kind", "sv"), ("--kind", "x\n\x1b"), ("--engine", "fast"), ("--bounds", "lower")],
    )
    def test_an_unknown_choice(self, model: Path, option: str, value: str) -> None:
        refused(asked(model, "--alpha", "2", "--all-pairs", option, value), option, hint=True)

    def test_exponents(self, model: Path) -> None:
        plain = asked(model, "--alpha", "1.1", "--all-pairs", "--timeout", "600")
        assert plain.status == 0
        assert asked(model, "--alpha", "0.11E+1", "--all-pairs", "--timeout", "6e2") == plain
        refused(asked(model, "--alpha", "1e10001", "--all-pairs"), "--alpha: ", '"1e10001"', "10,000 in size")

    @pytest.mark.parametrize("bits", ["0", "-1", "1.5", "many", "nan"])
    def test_max_bits(self, model: Path, bits: str) -> None:
        refused(asked(model, "--alpha", "2", "--all-pairs", "--max-bits", bits), "--max-bits", hint=True)

    @pytest.mark.parametrize("seconds", ["0", "-1", "0.000"])
    def test_a_timeout_of_nothing(self, model: Path, seconds: str) -> None:
        refused(asked(model, "--alpha", "2", "--all-pairs", "--timeout", seconds), "--timeout", hint=True)

    @pytest.mark.parametrize("seconds", ["nan", "inf", "1e", "soon", ""])
    def test_a_timeout_that_is_no_number(self, model: Path, seconds: str) -> None:
        refused(asked(model, "--alpha", "2", "--all-pairs", "--timeout", seconds), "--timeout: ")

    @pytest.mark.parametrize("seconds", ["100000", "1" + "0" * 400, "1" + "0" * 4_999])
    def test_a_timeout_of_ages(self, model: Path, seconds: str) -> None:
        assert asked(model, "--alpha", "2", "--all-pairs", "--timeout", seconds).status == 0


class TestUsage:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["distanse"],
            ["--colour"],
            ["distance"],
            ["distance", "a.json", "b.json"],
            ["distance", "--alpha"],
            ["distance", "a.json", "--gamma", "3"],
            ["distance", "a.json", "--\x1b[2J\nVERIFIED"],
            ["verify"],
            ["zoo", "--alpha", "2"],
        ],
    )
    def test_misused(self, arguments: list[str]) -> None:
        refused(prover(*arguments), hint=True)

    def test_no_command_shows_the_help(self) -> None:
        run = prover()
        assert (run.status, run.out) == (2, "")
        assert run.err == prover("--help").out

    @pytest.mark.parametrize("command", [[], ["distance"], ["verify"], ["zoo"]])
    def test_help(self, command: list[str]) -> None:
        for option in ("-h", "--help"):
            run = prover(*command, option)
            assert (run.status, run.err) == (0, "")
            assert run.out.startswith("Usage: prover")
            assert "Examples:" in run.out

    def test_version(self) -> None:
        run = prover("--version")
        assert (run.status, run.err) == (0, "")
        assert run.out.startswith("prover, version ")


def test_a_fault_is_reported_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("by mistake")

    monkeypatch.setattr("prover.formats.load.load_system", broken)
    run = asked(tmp_path / "model.json")
    assert (run.status, run.out) == (70, "")
    assert run.err.startswith("prover: a fault of this program, please report it:\nTraceback")
    assert "by mistake" in run.err


def test_a_fault_outside_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("by mistake")

    monkeypatch.setattr("prover.certificate.check.judged", broken)
    run = prover("verify", tmp_path)
    assert (run.status, run.out) == (70, "")
    assert run.err.startswith("prover: a fault of this program, please report it:\nTraceback")


def test_a_program_is_no_chain(tmp_path: Path) -> None:
    model = zoo(tmp_path, "svt")
    refused(asked(model), f"{model}: ", "threshold program", "labelled Markov chain")


@pytest.mark.parametrize("content", ["", " \n\t\n"])
def test_empty_standard_input(content: str) -> None:
    with TemporaryFile("w+") as nothing:
        nothing.write(content)
        nothing.seek(0)
        run = program("distance", "-", "--alpha", "2", stdin=nothing)
    assert (run.status, run.out) == (2, "")
    assert run.err == "prover: standard input: is empty, but a model is expected\n"
