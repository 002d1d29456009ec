"""Files of results: written line by line, read back, continued, and refused where they are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prover.bench.results import read_results, results_file
from prover.errors import Unwritable
from tests.bench.made import row
from tests.refusals import refuses


def written(path: Path, *names: str) -> Path:
    """A file of rows with these names."""
    with results_file(str(path), "small", resume=False) as (writer, _):
        for name in names:
            writer.add(row(job=name))
    return path


def test_round_trip(tmp_path: Path) -> None:
    found = read_results(written(tmp_path / "r.jsonl", "a", "b"))
    assert found.rows == (row(job="a"), row(job="b"))
    assert found.suite == "small"
    assert found.versions["prover"]


def test_the_machine_is_told_once_and_has_no_name(tmp_path: Path) -> None:
    lines = written(tmp_path / "r.jsonl", "a", "b").read_text().splitlines()
    assert [("machine" in json.loads(line)) for line in lines] == [True, False, False]
    assert json.loads(lines[0])["machine"].keys() == {
        "system",
        "architecture",
        "processor",
        "cores",
        "memory_mib",
    }


def test_rows_are_there_at_once(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with results_file(str(path), "small", resume=False) as (writer, _):
        writer.add(row())
        assert read_results(path).rows == (row(),)


def test_continued(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", "a")
    with results_file(str(path), "small", resume=True) as (writer, done):
        assert done == (row(job="a"),)
        writer.add(row(job="b"))
    assert [found.job for found in read_results(path).rows] == ["a", "b"]


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", "a", "b")
    path.write_bytes(path.read_bytes()[:-20])
    assert [found.job for found in read_results(path).rows] == ["a"]
    with results_file(str(path), "small", resume=True) as (writer, done):
        assert [found.job for found in done] == ["a"]
        writer.add(row(job="c"))
    assert [found.job for found in read_results(path).rows] == ["a", "c"]


@pytest.mark.parametrize("content", ["", '{"type": "benchm'])
def test_a_run_that_has_written_nothing_is_begun_anew(content: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(content)
    with results_file(str(path), "small", resume=True) as (writer, done):
        assert done == ()
        writer.add(row())
    assert read_results(path).rows == (row(),)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", "a")
    with refuses("output-exists", match="--resume"), results_file(str(path), "small", resume=False):
        pass
    with (
        refuses("other-suite", match='"small", not of "large"'),
        results_file(str(path), "large", resume=True),
    ):
        pass
    assert read_results(path).rows == (row(job="a"),)


def test_folders_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(Unwritable), results_file(str(tmp_path / "no" / "r"), "small", resume=False):
        pass
    with pytest.raises(Unwritable), results_file(str(tmp_path), "small", resume=True):
        pass


HEAD = '{"type": "benchmark-results", "version": 1, "suite": "s", "machine": {}, "versions": {}}\n'
ROW = json.dumps(row().document())


def test_files_of_earlier_versions_count_no_nodes(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    kept = {key: value for key, value in row().document().items() if key != "nodes"}
    path.write_text(f"{HEAD}{json.dumps(kept)}\n")
    assert read_results(path).rows == (row(),)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "has no benchmark results"),
        ("x\n", "has no benchmark results"),
        ("[]\n", "has no benchmark results"),
        ("{}\n", "has no benchmark results"),
        ('{\n "type": "labelled-markov-chain"\n}\n', "has no benchmark results"),
        ('{"type": "labelled-markov-chain"}', "has no benchmark results"),
        (HEAD.replace("1,", "2,"), "has no benchmark results"),
        (HEAD.replace("suite", "suit"), "line 1: the first line lacks 'suite'"),
        (HEAD + "1\n", "line 2: is not a row: it is not a JSON object"),
        (HEAD + "{}\n", "line 2: is not a row"),
        (HEAD + ROW.replace('"bits"', '"bytes"') + "\n", 'line 2: is not a row: "bits" is missing'),
        (HEAD + ROW.replace('"exact"', '"nearly"') + "\n", "line 2: is not a row: status"),
        (HEAD + ROW.replace('"cpu_seconds": 1.0', '"cpu_seconds": "x"') + "\n",
         "line 2: is not a row: cpu_seconds"),
        (HEAD + ROW.replace('"5/4"', '"5/0"', 1) + "\n", "line 2: is not a row: value"),
        (HEAD + ROW.replace('"parameters": {}', '"parameters": []') + "\n",
         "line 2: is not a row: parameters"),
        (HEAD + ROW.replace('"size": null', '"size": -1') + "\n", "line 2: is not a row: size"),
    ],
)  # fmt: skip
def test_what_is_no_file_of_results(content: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(content)
    with refuses("not-results") as caught:
        read_results(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with refuses("no-such-file"):
        read_results(tmp_path / "none")
    with refuses("unreadable-file"):
        read_results(tmp_path)


KEPT = sorted((Path(__file__).resolve().parents[2] / "benchmarks" / "results").glob("*.jsonl"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_results_that_are_kept(path: Path) -> None:
    found = read_results(path)
    assert path.stem in (found.suite, f"{found.suite}_before")  # of an older commit
    assert found.machine.keys() == {"system", "architecture", "processor", "cores", "memory_mib"}
    ended = {"exact", "interval", "timeout", "memory"}
    ours = [row for row in found.rows if row.engine == "auto"]
    too_large = [row for row in ours if (row.error or "").startswith("TooLarge: the certificate would be")]
    assert {row.status for row in ours if row not in too_large} <= ended
    assert {row.status for row in found.rows} <= ended | {"crash", "error"}  # of other programs
