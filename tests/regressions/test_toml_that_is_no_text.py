"""Files of claims and accounts that are not UTF-8 were refused without the place, a byte order mark as an
invalid statement, and a folder with the advice to read a model from standard input; a pipe as a suite waited
for ever.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.commands import prover

READERS = (["account"], ["check"], ["bench", "run", "--output", "-"])
CONTENTS = {
    b'a = 1\nb = "\xe9"\n': "line 2, column 6: byte 0xe9 at offset 11 is not UTF-8",
    b"\xef\xbb\xbfa = 1\n": "line 1, column 1: the document begins with a byte order mark",
}


@pytest.mark.parametrize("reader", READERS, ids=" ".join)
def test_what_is_no_text_is_refused_with_its_place(reader: Sequence[str], tmp_path: Path) -> None:
    for content, words in CONTENTS.items():
        (tmp_path / "file.toml").write_bytes(content)
        run = prover(*reader, tmp_path / "file.toml")
        assert (run.status, run.out) == (2, "")
        assert f"file.toml: {words}" in run.err


@pytest.mark.parametrize("reader", READERS, ids=" ".join)
def test_pipes_and_folders_are_no_files(reader: Sequence[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    for path in (tmp_path / "pipe.toml", tmp_path):
        run = prover(*reader, path)
        assert run.status == 2
        assert f"{path}: not a regular file; give the path of one, or - for a model" in run.err
