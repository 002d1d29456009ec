"""Conversions between file formats."""

import os
from pathlib import Path

import pytest
from hypothesis import given

from prover.errors import BadInput, Unwritable
from prover.formats.convert import convert, write_json
from prover.formats.dipa_writer import write_dipa
from prover.formats.load import load
from prover.program.model import Program
from prover.zoo import fig1, numeric_sparse
from tests.program_examples import TRUE, program, state, step
from tests.program_strategies import programs
from tests.refusals import refuses


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "in.dipa"
    path.write_text(write_dipa(numeric_sparse()), encoding="utf-8")
    return path


def test_text_to_json_and_back(text_file: Path, tmp_path: Path) -> None:
    convert(text_file, tmp_path / "out.JSON")
    assert (tmp_path / "out.JSON").read_text(encoding="utf-8") == write_json(numeric_sparse())
    convert(str(tmp_path / "out.JSON"), str(tmp_path / "back.dipa"))
    assert (tmp_path / "back.dipa").read_bytes() == text_file.read_bytes()


def test_json_becomes_canonical(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(write_json(fig1()).replace("3/5", "0.60").replace("\n", ""), encoding="utf-8")
    convert(path, path)
    assert path.read_text(encoding="utf-8") == write_json(fig1())
    assert [file.name for file in tmp_path.iterdir()] == ["m.json"]


def refused(source: Path, target: Path, error: str, file: Path) -> BadInput:
    """The error, after a look at the folder: a refused conversion leaves nothing behind."""
    before = {path: path.read_bytes() for path in file.parent.iterdir() if path.is_file()}
    with refuses(error) as caught:
        convert(source, target)
    assert {path: path.read_bytes() for path in file.parent.iterdir() if path.is_file()} == before
    assert caught.value.file == str(file)
    found: BadInput = caught.value
    return found


def test_a_chain_has_no_text_format(tmp_path: Path) -> None:
    source, target = tmp_path / "m.json", tmp_path / "m.dipa"
    source.write_text(write_json(fig1()), encoding="utf-8")
    target.write_text("kept", encoding="utf-8")
    refused(source, target, "not-in-text-format", target)


def test_a_name_without_text_format(tmp_path: Path) -> None:
    source, target = tmp_path / "m.json", tmp_path / "m.dipa"
    made = program({"q 0": state(step(TRUE, "end", assign=True))})
    source.write_text(write_json(made), encoding="utf-8")
    assert refused(source, target, "not-a-name", target).path == '$.states["q 0"]'


@pytest.mark.parametrize("name", ["out.txt", "out", "out.json.gz"])
def test_unknown_target(text_file: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    error = refused(text_file, target, "unknown-extension", target)
    assert "the formats are .dipa, .drn, .json" in str(error)


def test_missing_source(tmp_path: Path) -> None:
    refused(tmp_path / "in.dipa", tmp_path / "out.json", "no-such-file", tmp_path / "in.dipa")


def test_unwritable_target(text_file: Path, tmp_path: Path) -> None:
    for target in (tmp_path / "none" / "out.json", tmp_path / "file" / "out.json"):
        (tmp_path / "file").write_text("", encoding="utf-8")
        with pytest.raises(Unwritable, match="cannot write the model: ") as caught:
            convert(text_file, target)
        assert caught.value.file == os.fspath(target)


def test_null_character(text_file: Path) -> None:
    with pytest.raises(Unwritable):
        convert(text_file, "o\0ut.json")


@given(programs(gaussian=True))
def test_either_kind_as_json(made: Program) -> None:
    assert write_json(made) == write_json(made)
    assert write_json(fig1()) == write_json(fig1())


def test_what_is_written_loads(text_file: Path, tmp_path: Path) -> None:
    convert(text_file, tmp_path / "m.json")
    assert load(tmp_path / "m.json") == load(text_file) == numeric_sparse()
