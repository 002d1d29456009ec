"""No command replaces a file without --force, its own input never; - is standard output."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prover.bench import runner, summary
from prover.cli import destination
from prover.cli.destination import check_files, write_file
from tests.bench.made import done_here
from tests.commands import FORKS, Run, program, prover, verdicts, zoo
from tests.refusals import refuses

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings(FORKS)]

SUITE = """
name = "small"
[[family]]
name = "svt"
model = "svt"
question = "privacy"
"""
OUTPUTS = [
    ("pin", "distance PIN --alpha 2 --certificate", ""),
    ("pin", "delta PIN --alpha 2 --certificate", ""),
    ("pin", "delta PIN --epsilon 1/10 --certificate", ""),
    ("pin", "epsilon PIN --delta 1/100 --certificate", ""),
    ("pin", "curve PIN --alpha 1:2:3 --csv", ""),
    ("pin", "curve PIN --alpha 1:2:3 --plot", ".svg"),
    ("svt", "privacy SVT --certificate", ""),
    ("svt", "privacy SVT --plot", ".dot"),
    ("svt", "convert SVT", ".dipa"),
    ("svt", "convert SVT", ".json"),
    ("pin", "convert PIN", ".drn"),
    ("pin", "convert PIN", ".tra"),
    ("suite", "bench run SUITE --output", ""),
    ("rows", "bench report ROWS --output", ""),
]
IDS = [f"{words}{ending}" for _, words, ending in OUTPUTS]


@pytest.fixture(scope="module", autouse=True)
def _jobs_are_done_here() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "run_job", done_here)
        yield


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files that commands read."""
    folder = tmp_path_factory.mktemp("given")
    files = {"PIN": zoo(folder, "pin-checker"), "SVT": zoo(folder, "svt"), "SUITE": folder / "suite.toml"}
    files["SUITE"].write_text(SUITE)
    files["ROWS"] = folder / "rows.jsonl"
    assert prover("bench", "run", files["SUITE"], "--output", files["ROWS"]).status == 0
    return files


def run(given: dict[str, Path], words: str, *rest: str | Path) -> Run:
    return prover(*(given.get(word, word) for word in words.split()), *rest)


def refused(found: Run, *words: str) -> None:
    assert (found.status, found.out) == (2, "")
    assert found.err.count("\n") == 1
    for word in words:
        assert word in found.err


@pytest.mark.family
@pytest.mark.parametrize(("words", "ending"), [row[1:] for row in OUTPUTS], ids=IDS)
def test_a_file_is_replaced_with_force_only(
    given: dict[str, Path], tmp_path: Path, words: str, ending: str
) -> None:
    path = tmp_path / f"out{ending}"
    path.write_text("precious")
    path.chmod(0o600)
    refused(run(given, words, path), f"{path}: exists already", "--force")
    assert path.read_text() == "precious"
    assert [place.name for place in tmp_path.iterdir()] == [path.name]
    assert run(given, words, path, "--force").status == 0
    content = path.read_bytes()
    assert b"precious" not in content
    refused(run(given, words, path), "exists already")
    assert path.read_bytes() == content


@pytest.mark.parametrize(("words", "ending"), [row[1:] for row in OUTPUTS], ids=IDS)
@pytest.mark.parametrize("link", [False, True])
def test_the_input_is_never_replaced(
    given: dict[str, Path], tmp_path: Path, words: str, ending: str, link: bool
) -> None:
    name = next(word for word in words.split() if word in given)
    source = tmp_path / f"input{given[name].suffix}"
    source.write_bytes(given[name].read_bytes())
    target = source
    if link or ending not in ("", source.suffix):
        target = tmp_path / f"link{ending or source.suffix}"
        target.symlink_to(source.name)
    before = source.read_bytes()
    found = run({**given, name: source}, words, target, "--force")
    refused(found, "this file is an input")
    assert source.read_bytes() == before


def test_the_other_files_of_a_model(given: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "pin.lab").write_text("precious")
    refused(run(given, "convert PIN", tmp_path / "pin.tra"), "pin.lab: exists already")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pin.lab"]


@pytest.mark.parametrize("ending", [".lab", ".sta"])
def test_other_files_that_are_read(given: dict[str, Path], tmp_path: Path, ending: str) -> None:
    model = tmp_path / "pin.tra"
    assert run(given, "convert PIN", model).status == 0
    (tmp_path / f"pin{ending}").touch()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    found = prover("distance", model, "--alpha", "2", "--certificate", tmp_path / f"pin{ending}", "--force")
    refused(found, "this file is an input")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("question", ["delta PIN --epsilon 1/10", "epsilon PIN --delta 1/100"])
def test_the_certificate_of_the_lower_end(given: dict[str, Path], tmp_path: Path, question: str) -> None:
    lower = tmp_path / "proof.lower"
    lower.write_text("precious")
    refused(run(given, question, "--certificate", tmp_path / "proof"), "proof.lower: exists already")
    assert lower.read_text() == "precious"
    assert run(given, question, "--certificate", tmp_path / "proof", "--force").status == 0
    assert verdicts(tmp_path / "proof", lower).status == 0


def test_nothing_is_done_before_it_is_refused(
    given: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work has begun")

    monkeypatch.setattr("prover.cli.answering.run", work)
    monkeypatch.setattr("prover.bench.runner.run", work)
    monkeypatch.setattr("prover.formats.convert.converted", work)
    for _, words, ending in OUTPUTS:
        path = tmp_path / f"out{ending}"
        path.write_text("precious")
        refused(run(given, words, path), "exists already")


def test_a_file_that_comes_while_the_work_is_done(tmp_path: Path) -> None:
    path = tmp_path / "x"
    check_files([(str(path), "the certificate")])
    path.write_text("precious")
    with refuses("file-exists", match="--force"):
        write_file(str(path), b"new", "the certificate")
    assert path.read_text() == "precious"
    write_file(str(path), b"new", "the certificate", force=True)
    assert path.read_text() == "new"


def test_two_files_in_one_place(given: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "out.dot"
    found = run(given, "privacy SVT --certificate", path, "--plot", path)
    refused(found, f"{path}: the certificate and the picture would both be written here")
    (tmp_path / "link").symlink_to(tmp_path)
    found = run(given, "privacy SVT --certificate", path, "--plot", tmp_path / "link" / "out.dot")
    refused(found, "would both be written here")
    assert not path.exists()
    refused(run(given, "privacy SVT --certificate - --plot -"), "standard output: ", "both be written here")
    refused(run(given, "epsilon PIN --delta 1/2 --certificate -"), "both be written here")


def test_devices_are_no_files(given: dict[str, Path]) -> None:
    for words, status in (
        ("distance PIN --alpha 2 --certificate", 0),
        ("curve PIN --alpha 1:2:3 --csv", 0),
        ("bench run SUITE --output", 0),
        ("bench report ROWS --output", 0),
    ):
        assert run(given, words, os.devnull).status == status
    one_device = [(os.devnull, "the picture"), (os.devnull, "the CSV")]
    check_files(one_device)
    if Path("/dev/full").exists():
        assert run(given, "distance PIN --alpha 2 --certificate /dev/full").status == 2


class TestStandardOutput:
    """- is standard output, for the file alone; the answer goes to standard error."""

    def test_a_certificate(self, given: dict[str, Path], tmp_path: Path) -> None:
        for words in ("distance PIN --alpha 2", "delta PIN --alpha 2", "privacy SVT"):
            plain, found = run(given, words), run(given, words, "--certificate", "-")
            assert found.status == 0
            assert found.err.startswith(plain.out)
            assert "Certificate: standard output (sha256 " in found.err
            (tmp_path / "proof").write_text(found.out)
            assert verdicts(tmp_path / "proof").status == 0

    def test_bytes_are_those_of_a_file(self, given: dict[str, Path], tmp_path: Path) -> None:
        run(given, "distance PIN --alpha 2 --certificate", tmp_path / "proof")
        with (tmp_path / "out").open("w") as out:
            program("distance", given["PIN"], "--alpha", "2", "--certificate", "-", stdout=out)
        assert (tmp_path / "out").read_bytes() == (tmp_path / "proof").read_bytes()

    def test_tables_and_pictures(self, given: dict[str, Path], tmp_path: Path) -> None:
        csv = run(given, "curve PIN --alpha 1:2:3").out
        found = run(given, "curve PIN --alpha 1:2:3 --csv -")
        assert (found.status, found.out) == (0, csv)
        assert found.err.startswith("alpha ")
        found = run(given, "privacy SVT --plot -")
        assert (found.status, found.out.split("\n")[0]) == (0, "digraph program {")
        assert "private" in found.err
        found = run(given, "bench report ROWS --output -")
        assert found.out.startswith("<!doctype html>")
        assert found.err == ""
        assert not list(tmp_path.iterdir())

    def test_a_curve(self, given: dict[str, Path]) -> None:
        found = run(given, "curve PIN --alpha 1:2:3 --plot -")
        assert (found.status, found.out[:5]) == (0, "<?xml")

    def test_utf_8_whatever_the_locale(self, given: dict[str, Path], tmp_path: Path) -> None:
        run(given, "bench report ROWS --output", tmp_path / "page")
        with (tmp_path / "out").open("w") as out:
            question = ("bench", "report", given["ROWS"], "--output", "-")
            program(*question, stdout=out, variables={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
        assert (tmp_path / "out").read_bytes() == (tmp_path / "page").read_bytes()

    def test_models(self, given: dict[str, Path]) -> None:
        found = run(given, "convert SVT -")
        assert (found.status, found.err) == (0, "")
        assert found.out == given["SVT"].read_text()

    def test_rows(self, given: dict[str, Path]) -> None:
        found = run(given, "bench run SUITE --output -")
        head, *rows = map(json.loads, found.out.splitlines())
        assert (found.status, head["type"], len(rows)) == (0, "benchmark-results", 1)
        assert found.err == "1 rows: 1 exact\n"

    @pytest.mark.parametrize(
        "words",
        ["distance PIN --alpha 2 --certificate -", "curve PIN --alpha 1:2:3 --csv -", "privacy SVT --plot -"],
    )
    def test_json_wants_it_too(self, given: dict[str, Path], words: str) -> None:
        found = run(given, words, "--json")
        assert (found.status, found.out) == (2, "")
        assert "--json prints to standard output" in found.err

    def test_a_full_disk(self, given: dict[str, Path]) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("no full device here")
        with Path("/dev/full").open("w") as full:
            found = program("distance", given["PIN"], "--alpha", "2", "--certificate", "-", stdout=full)
        assert (found.status, found.err) == (2, "prover: cannot write the answer: No space left on device\n")


class TestRuns:
    """A run may continue its own file, and nothing else."""

    def test_resume(self, given: dict[str, Path], tmp_path: Path) -> None:
        rows = tmp_path / "rows"
        rows.write_bytes(given["ROWS"].read_bytes())
        assert run(given, "bench run SUITE --resume --output", rows).status == 0
        assert rows.read_bytes() == given["ROWS"].read_bytes()

    @pytest.mark.parametrize("content", ["precious", "{}", '{"type": "labelled-markov-chain"}', "a\nb"])
    def test_another_file_is_not_continued(
        self, given: dict[str, Path], tmp_path: Path, content: str
    ) -> None:
        (tmp_path / "notes").write_text(content)
        refused(run(given, "bench run SUITE --resume --output", tmp_path / "notes"), "no benchmark results")
        assert (tmp_path / "notes").read_text() == content

    @pytest.mark.parametrize("content", ["", '{"type": "bench', '{"type": "benchmark-results", "ver'])
    def test_a_torn_beginning_is_begun_again(
        self, given: dict[str, Path], tmp_path: Path, content: str
    ) -> None:
        (tmp_path / "rows").write_text(content)
        assert run(given, "bench run SUITE --resume --output", tmp_path / "rows").status == 0
        assert (tmp_path / "rows").read_text().count("\n") == 2

    def test_what_does_not_go_together(self, given: dict[str, Path], tmp_path: Path) -> None:
        for options in (["--output", str(tmp_path / "x"), "--force"], ["--output", "-"]):
            found = run(given, "bench run SUITE --resume", *options)
            assert (found.status, found.out) == (2, "")
            assert "--resume continues a file" in found.err

    @pytest.mark.parametrize(("output", "words"), [("rows", "; --resume continues {}\n"), ("-", "\n")])
    def test_an_interrupted_run_says_how_far_it_came(
        self,
        given: dict[str, Path],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        output: str,
        words: str,
    ) -> None:
        def interrupted(*_: object, on_row: Callable[[object], None], **__: object) -> None:
            from prover.bench.results import read_results

            on_row(read_results(given["ROWS"]).rows[0])
            raise KeyboardInterrupt

        monkeypatch.setattr("prover.bench.runner.run", interrupted)
        target = output if output == "-" else str(tmp_path / output)
        found = run(given, "bench run SUITE --output", target)
        message = "prover: interrupted: 1 of 1 job is done" + words.format(target)
        assert (found.status, found.err) == (3, message)

    def test_counts(self, given: dict[str, Path]) -> None:
        from prover.bench import read_suite

        suite = read_suite(given["SUITE"])
        assert summary.unfinished(suite, 0, None) == "interrupted: 0 of 1 job are done"


def test_errors_name_the_place(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("")
    with refuses("file-exists"):
        check_files([(str(path), "the page")])
    with refuses("overwrites-input"):
        check_files([(str(path), "the page")], [str(path)], force=True)
    with refuses("same-place", match="standard output"):
        check_files([("-", "the page"), ("-", "the CSV")])
    assert destination.STANDARD == "-"
