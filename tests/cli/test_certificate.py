"""Certificates on disk: written whole or not at all, always the same, and judged alike by both checkers."""

from __future__ import annotations

import json
import os
import resource
import stat
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.certificate.mutations import mutations
from tests.commands import FORKS, Run, program, prover, saved, verdicts, zoo

pytestmark = pytest.mark.filterwarnings(FORKS)

KINDS = ["ld", "lgd", "bd", "kernel", "bisimilarity"]


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


def certify(model: Path, path: Path | str, *options: str, kind: str = "ld") -> Run:
    alpha = [] if kind == "bisimilarity" else ["--alpha", "6/5"]
    return prover("distance", model, "--kind", kind, *alpha, "--certificate", path, "--force", *options)


def certificate(model: Path, *options: str, kind: str = "ld") -> bytes:
    path = model.with_suffix(".cert")
    run = certify(model, path, *options, kind=kind)
    assert run.status == 0, run.err
    return path.read_bytes()


class TestWriting:
    def test_a_new_file_has_the_usual_permissions(self, pin: Path, tmp_path: Path) -> None:
        before = os.umask(0o027)
        try:
            assert certify(pin, tmp_path / "new.cert").status == 0
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "new.cert").stat().st_mode) == 0o640
        assert verdicts(tmp_path / "new.cert").status == 0

    def test_an_old_file_is_replaced(self, pin: Path, tmp_path: Path) -> None:
        (tmp_path / "old.cert").write_text("x" * 100_000)
        assert certify(pin, tmp_path / "old.cert").status == 0
        assert verdicts(tmp_path / "old.cert").status == 0

    def test_a_link_stays_a_link(self, pin: Path, tmp_path: Path) -> None:
        (tmp_path / "there").mkdir()
        for name in ("present", "absent"):
            (tmp_path / name).symlink_to(f"there/{name}")
        (tmp_path / "there" / "present").write_text("old")
        for name in ("present", "absent"):
            assert certify(pin, tmp_path / name).status == 0
            assert (tmp_path / name).is_symlink()
            assert verdicts(tmp_path / "there" / name).status == 0

    def test_the_longest_name(self, pin: Path, tmp_path: Path) -> None:
        path = tmp_path / ("n" * 255)
        assert certify(pin, path).status == 0
        assert verdicts(path).status == 0

    def test_a_pipe(self, pin: Path, tmp_path: Path) -> None:
        read, write = os.pipe()
        assert certify(pin, f"/dev/fd/{write}").status == 0
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            (tmp_path / "read.cert").write_bytes(pipe.read())
        assert verdicts(tmp_path / "read.cert").status == 0

    def test_a_device_that_keeps_nothing(self, pin: Path) -> None:
        run = program("distance", pin, "--alpha", "2", "--certificate", os.devnull, stdout=subprocess.DEVNULL)
        assert (run.status, run.err) == (0, "")
        assert Path(os.devnull).is_char_device()

    @pytest.mark.parametrize("options", [[], ["--json"]])
    def test_nothing_is_left_behind(self, pin: Path, tmp_path: Path, options: list[str]) -> None:
        assert certify(pin, tmp_path / "only.cert", *options).status == 0
        assert {path.name for path in tmp_path.iterdir()} == {pin.name, "only.cert"}


class TestNotWriting:
    """Where a certificate cannot be written or should not, that is said before anything is computed."""

    @pytest.fixture(autouse=True)
    def no_work(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def work(*_: object, **__: object) -> None:
            raise AssertionError("the work has begun")

        monkeypatch.setattr("prover.cli.answering.run", work)

    @staticmethod
    def refused(run: Run, *words: str) -> None:
        assert (run.status, run.out) == (2, "")
        assert run.err.count("\n") == 1
        for word in words:
            assert word in run.err

    def test_no_folder(self, pin: Path, tmp_path: Path) -> None:
        self.refused(certify(pin, tmp_path / "none" / "x"), f"{tmp_path}/none/x: ", "no such folder")
        self.refused(certify(pin, ""), '"": ', "no such folder")
        self.refused(certify(pin, pin / "x"), "Not a directory")

    def test_a_folder(self, pin: Path, tmp_path: Path) -> None:
        for path in (tmp_path, f"{tmp_path}/", "."):
            self.refused(certify(pin, path), f"{path}: ", "this is a folder")

    def test_a_name_that_is_too_long(self, pin: Path, tmp_path: Path) -> None:
        self.refused(certify(pin, tmp_path / ("n" * 256)), "too long")

    def test_a_circle_of_links(self, pin: Path, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to("loop")
        self.refused(certify(pin, tmp_path / "loop"), "loop: ", "links")

    def test_no_permission(self, pin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "access", lambda *_: False)  # which only holds for users without privileges
        self.refused(certify(pin, tmp_path / "x"), "nothing can be written in folder", str(tmp_path))
        self.refused(certify(pin, os.devnull), f"{os.devnull}: ", "permission denied")

    def test_the_model(self, pin: Path, tmp_path: Path) -> None:
        content = pin.read_bytes()
        (tmp_path / "link").symlink_to(pin.name)
        for path in (pin, tmp_path / ".." / tmp_path.name / pin.name, tmp_path / "link"):
            self.refused(certify(pin, path), f"{path}: ", "this file is an input")
        assert pin.read_bytes() == content

    def test_a_name_that_would_forge_a_line(self, pin: Path, tmp_path: Path) -> None:
        self.refused(certify(pin, tmp_path / "none" / "x\nVERIFIED\x1b"), r"x\nVERIFIED\u001b")


class TestFailing:
    def test_an_old_file_is_untouched_if_there_is_no_answer(self, pin: Path, tmp_path: Path) -> None:
        old = tmp_path / "old.cert"
        old.write_text("old")
        for options in (["--from", "nobody", "--to", "0"], ["--from", "0"], ["--timeout", "1e-9"]):
            assert certify(pin, old, *options).status in (2, 3)
            assert old.read_text() == "old"
        pin.write_text("{}")
        assert certify(pin, old).status == 2
        assert old.read_text() == "old"
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([old.name, pin.name])

    @pytest.mark.parametrize("options", [[], ["--json"]])
    def test_a_full_disk_costs_the_certificate_only(
        self, pin: Path, tmp_path: Path, options: list[str]
    ) -> None:
        old = tmp_path / "old.cert"
        old.write_text("old")

        def small_disk() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        run = program(
            "distance",
            pin,
            "--alpha",
            "6/5",
            "--certificate",
            old,
            "--force",
            *options,
            preexec_fn=small_disk,
        )
        assert run.status == 2
        assert run.err == f"prover: {old}: cannot write the certificate: File too large\n"
        assert old.read_text() == "old"
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([old.name, pin.name])
        assert "200/2597" in run.out
        assert "Certificate:" not in run.out
        assert not options or json.loads(run.out)["certificate"] is None

    def test_a_full_device(self, pin: Path) -> None:
        full = Path("/dev/full")
        if not full.exists():
            pytest.skip("no full device here")
        run = certify(pin, full)
        assert run.status == 2
        assert run.err == "prover: /dev/full: cannot write the certificate: No space left on device\n"
        assert run.out.startswith("max ld_6/5 = ")

    @pytest.mark.parametrize("path", ["out", "/dev/stdout", "link"])
    def test_where_the_answer_goes(self, pin: Path, tmp_path: Path, path: str) -> None:
        if path.startswith("/") and not Path(path).exists():
            pytest.skip(f"no {path} here")
        (tmp_path / "link").symlink_to("out")
        with (tmp_path / "out").open("w") as out:
            arguments = ("distance", pin, "--alpha", "2", "--certificate", path)
            run = program(*arguments, stdout=out, cwd=tmp_path)
        assert (run.status, (tmp_path / "out").read_text()) == (2, "")
        advice = "write the certificate to another file, or to - alone"
        assert run.err == f"prover: {path}: the output goes here already; {advice}\n"


class TestVerdicts:
    """`prover verify` and the stand-alone checker print the same and end alike (see ``verdicts``)."""

    @pytest.mark.family
    @pytest.mark.parametrize("kind", KINDS)
    def test_valid_and_mutated(self, pin: Path, tmp_path: Path, kind: str) -> None:
        data = certificate(pin, kind=kind)
        valid = tmp_path / "valid.cert"
        valid.write_bytes(data)
        run = verdicts(valid)
        assert (run.status, run.err) == (0, "")
        assert run.out.startswith(f"VERIFIED {kind} ")
        must_reject = [mutation.data for mutation in mutations(data, per_place=3) if mutation.must_reject]
        chosen = Random(kind).sample(must_reject, 25)
        paths = [tmp_path / f"mutant{place}" for place in range(len(chosen))]
        for path, mutant in zip(paths, chosen, strict=True):
            path.write_bytes(mutant)
        run = verdicts(*paths, valid)
        assert (run.status, run.err) == (1, "")
        lines = run.out.splitlines()
        assert [line.split()[0] for line in lines] == ["REJECTED"] * len(chosen) + ["VERIFIED"]

    def test_garbage(self, tmp_path: Path, pin: Path) -> None:
        garbage = [b"", b"\0", b"{}", b"null", b"[" * 100_000, b'"\\ud800"', b"\xff" * 99, pin.read_bytes()]
        paths = [tmp_path / f"garbage {place}\n" for place in range(len(garbage))]
        for path, data in zip(paths, garbage, strict=True):
            path.write_bytes(data)
        run = verdicts(*paths)
        assert (run.status, run.err) == (1, "")
        lines = run.out.splitlines()
        assert [line.split()[0] for line in lines] == ["REJECTED"] * len(garbage)
        assert verdicts(*paths).out.count("\n") == len(paths)

    def test_unreadable(self, tmp_path: Path, pin: Path) -> None:
        valid = tmp_path / "valid.cert"
        valid.write_bytes(certificate(pin))
        for path in (tmp_path / "none", tmp_path, Path("none\nVERIFIED"), tmp_path / "\udcff"):
            run = verdicts(path)
            assert (run.status, run.out) == (2, "")
            assert run.err.startswith('cannot read "')
            assert run.err.count("\n") == 1
        mixed = verdicts(valid, tmp_path / "none", valid)
        assert mixed.status == 2
        assert mixed.out.count("VERIFIED") == 2

    def test_names_cannot_forge_lines(self, tmp_path: Path) -> None:
        forged = "x\nVERIFIED ld\x1b[2J\u202e😀"
        model = saved(tmp_path, {forged: ("a", {forged: "1"}), "t": ("a", {"t": "1"})}, [(forged, "t")])
        (tmp_path / "forged").write_bytes(certificate(model))
        run = verdicts(tmp_path / "forged")
        assert run.status == 0
        assert run.out.count("\n") == 1
        assert run.out.isascii()
        assert run.out.rstrip("\n").isprintable()


@pytest.mark.thorough
class TestDeterminism:
    """The same question about the same chain gives the same bytes."""

    QUESTIONS = (["--all-pairs"], ["--bounds", "upper"], ["--max-bits", "9"], ["--reachable-only"])

    @pytest.fixture
    def model(self, tmp_path: Path) -> Path:
        path = zoo(tmp_path, "random-chain", "states=12", "labels=2", "seed=4")
        document = json.loads(path.read_text())
        document["relation"] = [["s00", "s01"], ["s03", "s05"], ["s02", "s01"]]
        path.write_text(json.dumps(document))
        return path

    @staticmethod
    def bytes_of(model: Path, path: Path, options: list[str], kind: str) -> bytes:
        run = certify(model, path, *options, kind=kind)
        assert run.status in (0, 3)
        return path.read_bytes()

    @staticmethod
    def rewritten(model: Path, seed: int) -> str:
        """The same chain, written otherwise: other orders, other texts of numbers, other white space."""
        random = Random(seed)
        document = json.loads(model.read_text())
        names = list(document["states"])
        random.shuffle(names)
        states = {name: document["states"][name] for name in names}
        document["states"] = {
            name: {"next": dict(reversed(state["next"].items())), "label": state["label"]}
            for name, state in states.items()
        }
        document["relation"] = [["s01", "s02"], ["s05", "s03"], ["s01", "s00"], ["s00", "s01"]]
        return json.dumps(document, indent=random.choice([None, 1, 4])).replace('"1/2"', "0.50")

    @pytest.mark.family
    @pytest.mark.parametrize("kind", ["ld", "bd", "kernel", "bisimilarity"])
    def test_of_certificates(self, model: Path, tmp_path: Path, kind: str) -> None:
        for place, options in enumerate([[], *(self.QUESTIONS if kind == "ld" else self.QUESTIONS[:1])]):
            first = self.bytes_of(model, tmp_path / "a.cert", options, kind)
            assert self.bytes_of(model, tmp_path / "a.cert", options, kind) == first
            again = tmp_path / f"quite another name {place}.JSON"
            again.write_text(self.rewritten(model, seed=place))
            assert self.bytes_of(again, tmp_path / "b.cert", options, kind) == first
