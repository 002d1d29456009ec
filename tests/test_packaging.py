"""What a wheel holds: templates and the gallery come with it, and are found where they are."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from prover.cli.commands import main
from prover.cli.shell import script
from tests.commands import prover
from tests.scripts import module_at
from tests.waiting import GUARD

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = sorted(path.name for path in (ROOT / "encodings").glob("*.smt2"))

LOOK = """
from prover.smt.template import names, templates
print(templates())
print(*(name + ".smt2" for name in names()))
"""

GALLERY = """
from prover.gallery.index import folder
print(folder())
print(*sorted(item.name for item in folder().iterdir()))
"""

missing = [name for name in ("build", "hatchling") if importlib.util.find_spec(name) is None]
needs_build = pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built offline and unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=GUARD, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def look(*places: Path, code: str = LOOK) -> list[str]:
    """Where an interpreter that looks for prover in these places finds templates, and which."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    run = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=environment,
        cwd=places[0],
        check=True,
        capture_output=True,
        text=True,
        timeout=GUARD,
    )
    return run.stdout.splitlines()


@needs_build
def test_a_wheel_has_all_templates_and_finds_them(installed: Path) -> None:
    assert look(installed) == [str(installed / "prover" / "encodings"), " ".join(TEMPLATES)]
    assert (installed / "prover" / "encodings" / "README.md").is_file()


@needs_build
def test_a_wheel_has_the_public_api(installed: Path) -> None:
    code = "import prover; print(*prover.__all__); print(prover.quotient.__module__)"
    assert look(installed, code=code) == look(ROOT, code=code)


@needs_build
def test_a_wheel_has_the_gallery_and_finds_it(installed: Path) -> None:
    ours = sorted(path.name for path in (ROOT / "examples" / "gallery").iterdir())
    assert look(installed, code=GALLERY) == [
        str(installed / "prover" / "gallery" / "examples"),
        " ".join(ours),
    ]
    assert look(ROOT, code=GALLERY) == [str(ROOT / "examples" / "gallery"), " ".join(ours)]


@needs_build
def test_a_wheel_has_the_checker_and_it_runs_alone(installed: Path, tmp_path: Path) -> None:
    checker = installed / "prover" / "certificate" / "check"
    source = ROOT / "prover" / "certificate" / "check"
    assert {path.relative_to(checker) for path in checker.rglob("*") if path.is_file()} == {
        path.relative_to(source) for path in source.rglob("*.py")
    }
    bad = tmp_path / "bad.cert"
    bad.write_bytes(b"{}")
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-B", str(checker), str(bad)],
        capture_output=True, text=True, timeout=GUARD, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout[:9]) == (1, "REJECTED "), ran.stderr


@needs_build
def test_a_wheel_has_the_looks_of_answers(installed: Path) -> None:
    ours = {
        path.relative_to(ROOT): path.read_bytes()
        for path in (ROOT / "prover" / "report").rglob("*")
        if path.suffix in (".html", ".css")
    }
    assert len(ours) >= 6
    assert {path: (installed / path).read_bytes() for path in ours} == ours


@needs_build
def test_a_wheel_has_what_shells_and_man_look_for(installed: Path) -> None:
    (data,) = installed.glob("*.data/data")
    files = [path for path in data.rglob("*") if path.is_file()]
    written = {path.relative_to(data).as_posix(): path.read_text(encoding="ascii") for path in files}
    assert written == {
        "share/bash-completion/completions/prover": script("bash", main),
        "share/fish/vendor_completions.d/prover.fish": script("fish", main),
        "share/man/man1/prover.1": prover("man").out,
        "share/zsh/site-functions/_prover": script("zsh", main),
    }


@needs_build
@pytest.mark.parametrize("before", [None, "site"])
def test_what_an_isolated_build_has_on_its_path_stays_there(
    before: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip hands what builds need to the build by PYTHONPATH."""
    if before is None:
        monkeypatch.delenv("PYTHONPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONPATH", before)
    module = module_at(ROOT / "hatch_build.py")
    path = module.environment("root")["PYTHONPATH"]
    assert path.split(os.pathsep) == ["root", *([] if before is None else [before])]


@needs_build
def test_a_wheel_has_no_package_called_encodings(installed: Path) -> None:
    beside = (".data", ".dist-info")
    assert sorted(path.name for path in installed.iterdir() if path.suffix not in beside) == ["prover"]
    assert [path for path in (installed / "prover" / "encodings").iterdir() if path.suffix == ".py"] == []


def test_the_repository_finds_its_own() -> None:
    assert look(ROOT) == [str(ROOT / "encodings"), " ".join(TEMPLATES)]


def test_an_editable_installation_finds_those_of_the_repository(tmp_path: Path) -> None:
    """It may have a folder of old templates, without any code, that comes first on the path."""
    stale = tmp_path / "prover" / "encodings"
    stale.mkdir(parents=True)
    (stale / "old.smt2").touch()
    assert look(tmp_path, ROOT) == [str(ROOT / "encodings"), " ".join(TEMPLATES)]
