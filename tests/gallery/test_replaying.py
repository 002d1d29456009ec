"""Installed libraries: which can run, what they declare, and whether their counts are those of the model.

No library is needed: each runs as a program of a folder of its own here. Where one is installed, it is run.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput, NotInstalled
from prover.gallery import library
from prover.gallery.index import GalleryEntry, Library, gallery
from prover.gallery.library import REPLAY, LibraryScript, runnable, script_of
from prover.gallery.proving import Proved, prove
from prover.gallery.replayed import ran_lines
from prover.gallery.replaying import Asked, Ran, asked, law, replay
from tests.commands import FORKS, prover
from tests.refusals import refuses

ENTRIES = {entry.name: entry for entry in gallery()}
THRESHOLD = ENTRIES["opendp-laplace-threshold"]
OLD = ENTRIES["opendp-bit-vector-before-0.15"]
IN_LIBRARIES = [entry for entry in gallery() if entry.library is not None]

FAKE = """
import random
chance = random.Random(1)
INPUTS = {"user=True": 1, "user=False": 0}
def declared():
    return 0.6931471805599453, DELTA
def release(count):
    noisy = count
    while chance.random() < 1 / 2:
        noisy += 1
    if chance.random() < CUT:
        noisy = 0
    return [str(noisy) if count and noisy >= 2 else "absent"]
"""


@pytest.fixture(scope="module")
def row() -> Proved:
    return prove(THRESHOLD)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs a library of the name opendp: its noise is that of the model where a third is cut off."""
    (tmp_path / REPLAY).mkdir()
    monkeypatch.setattr(library, "folder", lambda: tmp_path)

    def made(version: str = "0.16.0", *, delta: str = "1 / 6", cut: str = "1 / 3") -> None:
        def found(name: str) -> str:
            if name != "opendp":
                raise PackageNotFoundError(name)
            return version

        monkeypatch.setattr(library, "version", found)
        text = FAKE.replace("DELTA", delta).replace("CUT", cut)
        (tmp_path / REPLAY / "opendp-laplace-threshold.py").write_text(text, encoding="utf-8")

    return made


def test_laws_are_exact_probabilities_of_whole_outputs(row: Proved) -> None:
    assert isinstance(row.model, LabelledMarkovChain)
    assert law(row.model, "user=True") == {("2 or more",): Fraction(1, 3), ("absent",): Fraction(2, 3)}
    assert law(row.model, "user=False") == {("absent",): Fraction(1)}
    bits = ENTRIES["opendp-bit-vector-before-0.15"].read()
    assert isinstance(bits, LabelledMarkovChain)
    found = law(bits, "one=2")
    assert found["True", "False", "True"] == Fraction(3, 16)
    assert sum(found.values()) == 1
    assert all(word[2] == "True" for word in found)


def test_outputs_without_an_end_are_refused() -> None:
    chain = LabelledMarkovChain.of({"s": ("start", {"t": 1}), "t": ("again", {"t": 1})})
    with refuses("too-many-outputs"):
        law(chain, "s")


@pytest.mark.parametrize(
    ("entry", "version", "words"),
    [
        (THRESHOLD, None, "opendp, which is not installed: python -m pip install 'privacy-prover"),
        (THRESHOLD, "0.13.9", "about opendp 0.14.0 to 0.16.0, and 0.13.9 is installed"),
        (THRESHOLD, "0.16.1", "pip install 'privacy-prover[gallery]' && prover gallery opendp-laplace"),
        (OLD, "0.16.0", "opendp-0.14.2/bin/python -m pip install privacy-prover 'opendp==0.14.2' && "),
        (OLD, None, "&& opendp-0.14.2/bin/prover gallery opendp-bit-vector-before-0.15 --replay"),
        (replace(THRESHOLD, library=Library("opendp", "1", "1")), "0.16.0", "about opendp 1, and"),
        (ENTRIES["hands-on-noisy-max"], None, "no package of the registry runs it"),
    ],
)
def test_what_cannot_run_is_said(
    entry: GalleryEntry, version: str | None, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(name: str) -> str:
        if version is None:
            raise PackageNotFoundError(name)
        return version

    monkeypatch.setattr(library, "version", found)
    with pytest.raises(BadInput, match=re.escape(words)):
        runnable(entry)


@pytest.mark.parametrize("version", ["0.14.0", "0.16.0", "0.15.0.dev20", "0.16"])
def test_versions_between_the_first_and_the_last_can_run(version: str, install: Callable[..., None]) -> None:
    install(version)
    assert runnable(THRESHOLD) == version


def test_a_library_that_cannot_be_imported_is_no_traceback(
    install: Callable[..., None], tmp_path: Path
) -> None:
    install()
    (tmp_path / REPLAY / "opendp-laplace-threshold.py").write_text("import no_such_module", encoding="utf-8")
    with pytest.raises(NotInstalled, match="cannot be imported: No module named 'no_such_module'"):
        script_of(THRESHOLD)


def test_a_library_that_is_the_model_agrees(row: Proved, install: Callable[..., None]) -> None:
    install()
    script = script_of(THRESHOLD)
    found = Ran(asked(row, script), replay(row, script, 300))
    assert found.agrees
    assert found.replay is not None
    counts = {(one.side, one.outputs): one.count for one in found.replay.outputs}
    assert counts["user=False", ("absent",)] == 300
    assert counts["user=True", ("absent",)] + counts["user=True", ("2 or more",)] == 300
    text = "\n".join(ran_lines(THRESHOLD, found))
    assert (
        "by opendp 0.16.0 as installed: ε = 0.6931471805599453 and δ = 0.16666666666666666, as listed" in text
    )
    assert text.endswith("All counts agree with the model.")


@pytest.mark.family
@pytest.mark.parametrize(
    ("wrong", "agrees"),
    [({"delta": "1 / 3"}, (False, True)), ({"cut": "0"}, (True, False)), ({"cut": "2 / 3"}, (True, False))],
)
def test_a_library_that_is_another_does_not(
    wrong: dict[str, str], agrees: tuple[bool, bool], row: Proved, install: Callable[..., None]
) -> None:
    install(**wrong)
    script = script_of(THRESHOLD)
    found = Ran(asked(row, script), replay(row, script, 1_500))
    assert found.replay is not None
    assert (found.asked.agrees, found.replay.agrees) == agrees
    assert not found.agrees


def script(release: Callable[[object], list[str]], **inputs: object) -> LibraryScript:
    return LibraryScript("1", inputs, lambda: (0.0, 0.0), release)


def test_one_output_that_the_model_never_shows_is_enough(row: Proved) -> None:
    chance = random.Random(1)
    shown = iter(["surprise"] + [chance.choice(["5", "absent", "absent"]) for _ in range(299)])
    data = {"user=True": None, "user=False": None}
    there = LibraryScript("1", data, lambda: (0.0, 0.0), lambda _: [next(shown, "absent")])
    (wrong,) = (one for one in replay(row, there, 300).outputs if not one.agrees)
    assert (wrong.side, wrong.outputs, wrong.count) == ("user=True", ("surprise",), 1)
    assert wrong.exact == (Fraction(0), Fraction(0))


def test_the_run_of_a_program_is_counted_on_its_two_inputs() -> None:
    winner = prove(ENTRIES["opendp-noisy-max"])
    chance = random.Random(1)

    def first_wins(scores: object) -> list[str]:
        assert isinstance(scores, list)
        first, second = (score + chance.expovariate(1) for score in scores)
        return ["winner", "lower"] if first > second else []

    found = replay(winner, script(first_wins, input=[1, 0], neighbour=[0, 1]), 300)
    assert found.agrees
    assert [one.outputs for one in found.outputs] == [("winner", "lower")] * 2
    assert not replay(winner, script(first_wins, input=[0, 1], neighbour=[1, 0]), 300).agrees
    with refuses("bad-declaration", match="not its two inputs"):
        replay(winner, script(first_wins, one=[0, 1], other=[1, 0]), 1)


def test_inputs_that_are_no_secrets_are_refused(row: Proved) -> None:
    with pytest.raises(BadInput, match="someone"):
        replay(row, script(lambda _: [], someone=1), 1)
    with refuses("bad-declaration", match="secrets"):
        replay(row, script(lambda _: [], end=1), 1)


@pytest.mark.parametrize(
    ("name", "epsilon", "delta", "agrees"),
    [
        ("opendp-noisy-max", 2.0, 0.0, True),
        ("opendp-noisy-max", 2.0, 1e-12, False),
        ("opendp-noisy-max", 2.00001, 0.0, False),
        ("opendp-bit-vector", 2.1972245773362196, 0.0, True),
        ("opendp-bit-vector", 2.19722458, 0.0, False),
        ("opendp-bit-vector", float("inf"), 0.0, False),
        ("dp-auditorium-svt3", 1.0, 0.0, False),
    ],
)
def test_what_is_declared_is_compared_with_the_list(
    name: str, epsilon: float, delta: float, agrees: bool
) -> None:
    there = LibraryScript("1", {}, lambda: (epsilon, delta), lambda _: [])
    assert asked(prove(ENTRIES[name]), there) == Asked("1", repr(epsilon), repr(delta), agrees)


@pytest.mark.filterwarnings(FORKS)
def test_a_library_that_runs_nothing_is_only_asked(
    row: Proved, install: Callable[..., None], tmp_path: Path
) -> None:
    install()
    path = tmp_path / REPLAY / "opendp-laplace-threshold.py"
    path.write_text("INPUTS = {}\ndef declared():\n    return 0.6931471805599453, 1 / 6\n", encoding="utf-8")
    run = prover("gallery", "opendp-laplace-threshold", "--replay")
    assert run.status == 0
    assert run.out.endswith("δ = 0.16666666666666666, as listed, up to 10^-9.\n")
    with refuses("not-on-registry", match="runs no mechanism"):
        replay(row, script_of(THRESHOLD), 1)


@pytest.mark.filterwarnings(FORKS)
def test_the_command_asks_and_runs(install: Callable[..., None]) -> None:
    install()
    run = prover("gallery", "opendp-laplace-threshold", "--replay", "--runs", "300", "--json")
    assert run.status == 0
    (found,) = json.loads(run.out)["mechanisms"]
    assert (found["installed"]["agrees"], found["replay"]["agrees"], found["replay"]["runs"]) == (
        True, True, 300,
    )  # fmt: skip
    install(cut="1")
    run = prover("gallery", "opendp-laplace-threshold", "--replay", "--runs", "300")
    assert run.status == 1
    assert "DISAGREES" in run.out
    assert run.out.endswith("Some counts are not the model's.\n")
    install(delta="1 / 5")
    run = prover("gallery", "opendp-laplace-threshold", "--installed")
    assert run.status == 1
    assert "δ = 0.2, NOT as listed" in run.out
    assert "Runs of the library" not in run.out


def test_the_command_says_what_is_missing(install: Callable[..., None]) -> None:
    install("0.1.0")
    for arguments in (("--replay",), ("--installed",), ("opendp-noisy-max", "--replay")):
        run = prover("gallery", *arguments)
        assert (run.status, run.out) == (2, "")
        assert run.err.count("\n") == 1
        assert "opendp-noisy-max is about opendp 0.14.0 to 0.16.0, and 0.1.0 is installed" in run.err
    run = prover("gallery", "rappor-one-report", "--replay")
    assert (run.status, "cited only" in run.err) == (2, True)


@pytest.fixture(params=IN_LIBRARIES, ids=lambda entry: entry.name)
def entry_that_runs(request: pytest.FixtureRequest) -> GalleryEntry:
    entry: GalleryEntry = request.param
    try:
        runnable(entry)
    except NotInstalled as why:
        pytest.skip(str(why))
    return entry


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_installed_library_is_the_model(entry_that_runs: GalleryEntry) -> None:
    proved, there = prove(entry_that_runs), script_of(entry_that_runs)
    counted = None if there.release is None else replay(proved, there, 2_000)
    assert Ran(asked(proved, there), counted).agrees
