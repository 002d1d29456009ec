"""The checker as a program of its own: as a folder, as a packed file, and as a package.

python -I -S prover/certificate/check FILE...
"""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prover.certificate import check as checker
from prover.certificate import packing
from prover.certificate.check.verdict import KINDS, rules_of
from tests.certificate.accounts_samples import ACCOUNT_SAMPLES
from tests.certificate.moments_samples import COIN
from tests.certificate.opened_samples import OPEN_SAMPLES
from tests.certificate.profile_samples import SHOWN
from tests.certificate.program_samples import SVT_EPSILON
from tests.certificate.samples import INTERVAL, KERNEL, WALK, encode, replaced
from tests.certificate.verdicts import identity_of
from tests.waiting import GUARD

CHECKER = Path(checker.__file__).parent
WALK_MODEL = identity_of(WALK["model"])
WALK_LINE = f'VERIFIED ld alpha=8/5 from="s" to="t" value=13/1500 model={WALK_MODEL}'


def run(*arguments: str | Path, checker: Path = CHECKER) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", str(checker), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False)


@pytest.fixture
def valid(tmp_path: Path) -> Path:
    path = tmp_path / "valid.json"
    path.write_bytes(encode(WALK))
    return path


@pytest.fixture
def invalid(tmp_path: Path) -> Path:
    path = tmp_path / "invalid.json"
    path.write_bytes(encode(replaced(WALK, ("claim", "lower"), "0"))[:-1])
    return path


@pytest.mark.parametrize(
    ("sample", "others"),
    [
        (WALK, "collapsing kinds.processes kinds.programs processes reals"),
        (SVT_EPSILON, "facts followed kinds.systems observer opened real_losses telling variables.tokens"),
    ],
    ids=["chain", "program"],
)
def test_rules_that_evidence_does_not_ask_for_are_not_read(sample: Any, others: str) -> None:
    """Reading them all takes longer than checking a short file."""
    code = """import sys; from prover.certificate.check import check; check(sys.stdin.buffer.read())
print(*sys.modules)"""
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, input=encode(sample), capture_output=True, timeout=GUARD, check=True)
    read = {name.removeprefix("prover.certificate.check.") for name in ran.stdout.decode().split()}
    assert "chains" in read or "programs" in read
    assert read.isdisjoint(others.split())


def test_verified(valid: Path) -> None:
    ran = run(valid)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, WALK_LINE + "\n", "")


def test_rejected(invalid: Path) -> None:
    ran = run(invalid)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "REJECTED the file is not ASCII JSON\n", "")


def test_rejected_claim(tmp_path: Path) -> None:
    path = tmp_path / "open.json"
    path.write_bytes(encode(replaced(WALK, ("claim", "upper"), "1/2")).replace(b'"13/1500"', b'"1/2"'))
    ran = run(path)
    assert (ran.returncode, ran.stdout) == (1, "REJECTED evidence: the lower table does not prove lower\n")


@pytest.mark.parametrize("name", ["missing", "", ".", "a\nb"])
def test_unreadable(tmp_path: Path, name: str) -> None:
    ran = run(tmp_path / name if name != "" else "")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith('cannot read "')
    assert ran.stderr.count("\n") == 1


def test_every_kind_has_a_rule() -> None:
    families = {family for family, _ in KINDS.values()}
    listed = {family: {kind for kind, (own, _) in KINDS.items() if own == family} for family in families}
    found = {family: set(rules_of(family)) for family in families}
    assert found == listed


@pytest.mark.parametrize(
    ("certificate", "most", "unread"),
    [
        (WALK, 37, ("losses", "programs", "accounts.parts", "moments")),
        (COIN, 39, ("losses", "programs", "accounts.parts")),
        (
            ACCOUNT_SAMPLES["composition of known mechanisms"],
            46,
            ("losses", "profiles.table", "accounts.mechanisms"),
        ),
        (SVT_EPSILON, 49, ("unrollings", "profiles.table", "counted")),
        (SHOWN, 39, ("losses", "unrollings", "accounts.parts")),
        (next(iter(OPEN_SAMPLES.values())), 45, ("unrollings", "profiles.table", "accounts.parts")),
    ],
)
def test_modules_of_other_kinds_are_not_read(
    tmp_path: Path, certificate: Any, most: int, unread: tuple[str, ...]
) -> None:
    path = tmp_path / "claim.json"
    path.write_bytes(encode(certificate))
    command = [sys.executable, "-I", "-S", "-X", "importtime", str(CHECKER), str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False)
    assert ran.stdout.startswith("VERIFIED ")
    read = re.findall(r"\| +checker\.([a-z_.]+)$", ran.stderr, re.MULTILINE)
    assert not set(unread) & set(read)
    assert len(read) <= most


def test_no_file() -> None:
    ran = run()
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "usage" in ran.stderr


def test_several_files(valid: Path, invalid: Path, tmp_path: Path) -> None:
    other = tmp_path / "interval.json"
    other.write_bytes(encode(INTERVAL))
    ran = run(valid, other)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0
    assert lines[0] == f'{WALK_LINE} ("{valid}")'
    claim = f'ld alpha=8/5 from="s" to="t" lower=1/500 upper=1/100 model={WALK_MODEL}'
    assert lines[1] == f'VERIFIED {claim} ("{other}")'
    ran = run(invalid, valid)
    assert [line[:8] for line in ran.stdout.splitlines()] == ["REJECTED", "VERIFIED"]
    assert ran.returncode == 1
    ran = run(tmp_path / "missing", invalid, valid)
    assert [line[:8] for line in ran.stdout.splitlines()] == ["REJECTED", "VERIFIED"]
    assert ran.returncode == 2
    assert run(invalid, tmp_path / "missing", invalid).returncode == 2


def test_no_file_name_forges_a_line(tmp_path: Path, valid: Path) -> None:
    forged = tmp_path / "x\nVERIFIED everything\x1b[2J"
    forged.write_bytes(b"{}")
    ran = run(forged, valid)
    assert ran.returncode == 1
    assert len(ran.stdout.splitlines()) == 2
    assert ran.stdout.startswith("REJECTED ")
    assert ran.stdout.replace("\n", "").isprintable()


def test_names_that_are_no_text(tmp_path: Path, valid: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/\xff\xfe"
    Path(os.fsdecode(odd)).write_bytes(encode(KERNEL))
    ran = run(os.fsdecode(odd), valid)
    assert ran.returncode == 0
    assert r"\udcff\udcfe" in ran.stdout.splitlines()[0]


def test_an_endless_file_is_too_large() -> None:
    endless = Path("/dev/zero")
    if not endless.exists():
        pytest.skip("no endless file here")
    ran = run(endless)
    assert (ran.returncode, ran.stdout) == (1, f"REJECTED more than {checker.MAX_BYTES} bytes\n")


@pytest.mark.parametrize("status", [0, 1])
def test_a_broken_pipe_ends_quietly(valid: Path, invalid: Path, status: int) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        command = [
            sys.executable,
            "-I",
            "-S",
            str(CHECKER),
            *[str(valid)] * 50,
            str([valid, invalid][status]),
        ]
        ran = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, timeout=GUARD, check=False)
    finally:
        os.close(write)
    assert (ran.returncode, ran.stderr) == (status, b"")


def test_a_full_disk_is_not_a_verdict(valid: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no full device here")
    with full.open("wb") as output:
        command = [sys.executable, "-I", "-S", str(CHECKER), str(valid)]
        ran = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, timeout=GUARD, check=False)
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"cannot write the verdict: ")


def test_main_in_process(valid: Path, invalid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checker.main([str(valid)]) == 0
    assert checker.main([str(invalid)]) == 1
    assert checker.main([str(valid) + "\0"]) == 2
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [WALK_LINE, "REJECTED the file is not ASCII JSON"]
    assert captured.err.startswith("cannot read")


def test_only_the_standard_library_and_itself_are_imported() -> None:
    imported = set()
    own = {source.stem for source in CHECKER.rglob("*.py")}
    own |= {source.parent.name for source in CHECKER.rglob("__init__.py") if source.parent != CHECKER}
    for source in CHECKER.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level:
                depth = len(source.relative_to(CHECKER).parts)
                assert node.level <= depth
                assert str(node.module).partition(".")[0] in own
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module))
    assert imported
    assert {name.partition(".")[0] for name in imported} <= set(sys.stdlib_module_names)
    assert own.isdisjoint(sys.stdlib_module_names)  # as a folder, its modules are the first to be found


def test_it_runs_where_nothing_else_of_the_project_is(tmp_path: Path, valid: Path) -> None:
    alone = tmp_path / "under another name"
    shutil.copytree(CHECKER, alone, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (alone, f"{alone}/"):
        ran = run(valid, checker=Path(folder))
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, WALK_LINE + "\n", "")
    command = [sys.executable, "-I", "-S", ".", str(valid)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False, cwd=alone)
    assert (ran.returncode, ran.stdout) == (0, WALK_LINE + "\n")


def test_it_runs_as_one_packed_file(tmp_path: Path, valid: Path, invalid: Path) -> None:
    target = tmp_path / "build" / "checker.pyz"
    packing.main(str(target))
    for folder in (CHECKER, target):
        ran = run(valid, invalid, tmp_path / "missing", checker=folder)
        assert ran.returncode == 2
        assert ran.stdout == f'{WALK_LINE} ("{valid}")\nREJECTED the file is not ASCII JSON ("{invalid}")\n'
        assert ran.stderr.startswith('cannot read "')
    itself = subprocess.run([target, valid], capture_output=True, text=True, timeout=GUARD, check=False)
    assert (itself.returncode, itself.stdout) == (0, WALK_LINE + "\n")


def test_it_runs_as_a_package(valid: Path) -> None:
    command = [sys.executable, "-m", "prover.certificate.check", str(valid)]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=GUARD, check=False, cwd=CHECKER.parents[2]
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, WALK_LINE + "\n", "")


def test_the_packed_file_is_reproducible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once = packing.packed()
    copy = tmp_path / "check"
    shutil.copytree(CHECKER, copy)  # with byte code and other times, and from another place
    for source in copy.rglob("*.py"):
        os.utime(source, (10**9, 10**9))
        source.chmod(0o600)
    monkeypatch.setattr(packing, "CHECKER", copy)
    assert packing.packed() == once
    with zipfile.ZipFile(io.BytesIO(once)) as archive:
        names = archive.namelist()
        sources = sorted(source.relative_to(CHECKER).as_posix() for source in CHECKER.rglob("*.py"))
        assert names == [entry for source in sources for entry in (source, f"{source}c")]
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


COMPILED = """
import builtins, runpy, sys
compiled, compiler = [], compile
builtins.compile = lambda source, name, *rest, **more: compiled.append(name) or compiler(source, name, *rest, **more)
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit:
    print(sum(name.startswith(sys.argv[0]) for name in compiled))
"""  # noqa: E501


def changed(packed: Path, change: Callable[[str, bytes], bytes]) -> Path:
    """A packed file with other entries."""
    target = packed.with_name("changed.pyz")
    with zipfile.ZipFile(packed) as archive, zipfile.ZipFile(target, "w") as other:
        for name in archive.namelist():
            other.writestr(name, change(name, archive.read(name)))
    return target


def test_the_packed_file_is_not_compiled_again(tmp_path: Path, valid: Path) -> None:
    target = tmp_path / "checker.pyz"
    packing.main(str(target))
    sources = changed(target, lambda name, data: b"" if name.endswith("c") else data)

    def lines(packed: Path) -> list[str]:
        command = [sys.executable, "-I", "-S", "-c", COMPILED, str(packed), str(valid)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=True)
        return ran.stdout.splitlines()

    assert lines(target) == [WALK_LINE, "0"]
    line, many = lines(sources)
    assert (line, int(many) > 5) == (WALK_LINE, True)


def test_another_version_of_python_compiles_the_packed_file(tmp_path: Path, valid: Path) -> None:
    target = tmp_path / "checker.pyz"
    packing.main(str(target))
    other = changed(target, lambda name, data: b"\0\0\0\0" + data[4:] if name.endswith("c") else data)
    assert run(valid, checker=other).stdout == WALK_LINE + "\n"


def test_what_is_packed_runs_as_its_source_is_now(tmp_path: Path, valid: Path) -> None:
    target = tmp_path / "checker.pyz"
    packing.main(str(target))
    word = changed(
        target,
        lambda name, data: data.replace(b"VERIFIED", b"CHANGED_") if name == "command.py" else data,
    )
    assert run(valid, checker=word).stdout == WALK_LINE.replace("VERIFIED", "CHANGED_") + "\n"


def test_the_interpreter_may_be_strict_about_long_numbers(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    long = "1" * 9_000
    path.write_bytes(encode(replaced(WALK, ("claim", "upper"), f"{long}/{long}1")))
    for limit in ("640", "0"):
        command = [sys.executable, "-I", "-S", f"-Xint_max_str_digits={limit}", str(CHECKER), str(path)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False)
        assert ran.returncode == 0, ran.stderr
        assert "upper=0.10000000000000000000... (exact number of 18001 digits, rounded up)" in ran.stdout
