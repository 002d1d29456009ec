"""Files that end in .gz, which are read as what they hold."""

import gzip
from pathlib import Path

import pytest

from prover.formats.convert import convert
from prover.formats.load import load
from prover.formats.strict_json import MAX_BYTES
from tests.refusals import refuses


@pytest.mark.parametrize("name", ["coin.json", "svt.dipa"])
def test_the_same_model(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(Path("examples", name).read_bytes()))
    assert load(path, on_note=lambda _: None) == load(Path("examples", name), on_note=lambda _: None)


@pytest.mark.parametrize("extension", ["drn", "pexp", "tra"])
def test_formats_of_model_checkers(tmp_path: Path, extension: str) -> None:
    """The labels and the values beside .tra may be compressed, too, or not."""
    plain = tmp_path / f"diners.{extension}"
    convert("examples/diners.drn", plain)
    for file in tmp_path.iterdir():
        if file.suffix != ".lab":
            Path(f"{file}.gz").write_bytes(gzip.compress(file.read_bytes()))
            file.unlink()
    found = load(f"{plain}.gz", observe="said", secret="payer")
    assert found == load("examples/diners.drn", observe="said", secret="payer")


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(bytes(MAX_BYTES + 1)))
    with refuses("document-too-large", match=r"at most 67,108,864 bytes are read$"):
        load(path)


@pytest.mark.parametrize("damage", [lambda _: b"{}", lambda content: content[:-9], lambda _: b"\x1f\x8b"])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "coin.json.gz"
    assert callable(damage)
    path.write_bytes(damage(gzip.compress(Path("examples/coin.json").read_bytes())))
    with refuses("unreadable-file", match="is not compressed with gzip, or it is damaged"):
        load(path)


def test_what_is_no_text_is_not_read_compressed(tmp_path: Path) -> None:
    path = tmp_path / "model.umb.gz"
    path.write_bytes(gzip.compress(b"x"))
    with refuses("unknown-extension", match="leave .gz out"):
        load(path)


def test_nothing_is_written_compressed(tmp_path: Path) -> None:
    with refuses("unknown-extension", match=r'"\.gz" is not a known format'):
        convert("examples/coin.json", tmp_path / "coin.json.gz")
