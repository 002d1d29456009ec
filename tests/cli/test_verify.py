"""`prover verify` with demands, and the identity of the model in answers."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from prover.formats.convert import convert
from prover.formats.identity import identity
from prover.formats.load import load
from tests.commands import ROOT, prover, verdicts, zoo

SVT = ROOT / "examples" / "svt.dipa"


@pytest.fixture
def pin(tmp_path: Path) -> Path:
    return zoo(tmp_path, "pin-checker")


@pytest.fixture
def proof(tmp_path: Path, pin: Path) -> Path:
    path = tmp_path / "pin.cert"
    run = prover("delta", pin, "--alpha", "11/10", "--from", "0", "--to", "1", "--certificate", path)
    assert run.status == 0, run.err
    return path


def test_the_model_of_a_certificate(tmp_path: Path, pin: Path, proof: Path) -> None:
    plain = verdicts(proof)
    assert plain.out.endswith(f" model={identity(load(pin))}\n")
    other = zoo(tmp_path, "randomised-response")
    drn = tmp_path / "pin.drn"
    convert(pin, drn)
    for model in (pin, drn):
        run = prover("verify", proof, "--model", model)
        assert (run.status, run.out) == (0, plain.out), run.err
    run = prover("verify", proof, proof, "--model", other)
    assert run.status == 1
    assert [line.partition(" (")[0] for line in run.out.splitlines()] == [
        "REJECTED the claim is about another model"
    ] * 2


def test_a_relation_makes_another_model(tmp_path: Path, pin: Path, proof: Path) -> None:
    document = json.loads(pin.read_text())
    document["relation"] = "same-label"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(document))
    assert prover("verify", proof, "--model", changed).status == 1


def test_programs(tmp_path: Path) -> None:
    path = tmp_path / "svt.cert"
    assert prover("privacy", SVT, "--certificate", path).status == 0
    for bound, status in (("5/4", 0), ("1.2", 1)):
        assert prover("verify", path, "--model", SVT, "--epsilon-at-most", bound).status == status


def test_bounds(proof: Path) -> None:
    for options, status in (
        (["--at-most", "0.0505"], 0),
        (["--at-most", "0.05"], 1),
        (["--at-most", "1", "--epsilon-at-most", "0.1"], 0),
        (["--epsilon-at-most", "0.09"], 1),
    ):
        run = prover("verify", proof, *options)
        assert run.status == status, run.out
        assert run.out.startswith("REJECTED the " if status else "VERIFIED tv "), run.out


def test_the_epsilon_of_an_answer_is_in_its_certificates(tmp_path: Path, pin: Path) -> None:
    path = tmp_path / "delta.cert"
    assert prover("delta", pin, "--epsilon", "0.1", "--certificate", path).status == 0
    run = verdicts(path, Path(f"{path}.lower"))
    upper, lower = run.out.splitlines()
    assert " <=exp(1/10) " in upper
    assert " >=exp(1/10) " in lower
    assert prover("verify", path, "--epsilon-at-most", "0.1").status == 0
    assert prover("verify", f"{path}.lower", "--epsilon-at-most", "0.1").status == 1
    distance = tmp_path / "distance.cert"
    run = prover("distance", pin, "--epsilon", "0.1", "--all-pairs", "--certificate", distance)
    assert run.status == 0, run.err
    assert " <=exp(1/10) all-pairs exact: " in verdicts(distance).out


def test_the_model_is_written(tmp_path: Path, proof: Path) -> None:
    out = tmp_path / "out.json"
    run = prover("verify", proof, "--extract", out)
    assert run.status == 0
    assert run.out.endswith(f" model={hashlib.sha256(out.read_bytes()).hexdigest()}\n")
    assert prover("verify", proof, "--model", out).status == 0
    before = out.stat().st_mtime_ns
    run = prover("verify", proof, "--extract", out)
    assert (run.status, run.out, out.stat().st_mtime_ns) == (2, "", before)
    assert "--force" in run.err
    assert prover("verify", proof, "--extract", out, "--force").status == 0
    assert prover("verify", proof, "--extract", proof, "--force").status == 2
    assert prover("verify", proof, "--extract", tmp_path / "no", "--at-most", "0").status == 1
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    "options",
    [["--at-most", "-1"], ["--at-most", "x"], ["--model", "none.json"], ["--initial"], ["--extract", "-"]],
)
def test_wrong_options(proof: Path, options: list[str]) -> None:
    run = prover("verify", proof, *options)
    assert (run.status, run.out) == (2, "")
    assert run.err


def test_answers_name_their_model(pin: Path) -> None:
    expected = identity(load(pin))
    asked = ["--from", "0", "--to", "1"]
    commands: list[list[str | Path]] = [
        ["distance", pin, *asked, "--alpha", "11/10"],
        ["distance", pin, "--all-pairs", "--alpha", "11/10"],
        ["delta", pin, *asked, "--alpha", "11/10"],
        ["epsilon", pin, *asked, "--delta", "1/100"],
        ["curve", pin, *asked, "--alpha", "1:2:3"],
    ]
    for command in commands:
        run = prover(*command, "--json")
        assert run.status == 0, run.err
        assert json.loads(run.out)["model"] == expected
    program = json.loads(prover("privacy", SVT, "--json").out)
    assert program["model"] == identity(load(SVT))


def test_a_part_of_a_model_is_another_model(tmp_path: Path) -> None:
    chain = zoo(tmp_path, "dining-cryptographers")
    path = tmp_path / "part.cert"
    end = max(json.loads(chain.read_text())["states"])
    options = ["--from", end, "--to", end, "--alpha", "2", "--reachable-only", "--json"]
    run = prover("distance", chain, *options, "--certificate", path)
    assert run.status == 0, run.err
    found = json.loads(run.out)["model"]
    assert found != identity(load(chain))
    assert verdicts(path).out.endswith(f" model={found}\n")


def test_the_certificates_of_a_page_are_checked_without_running_it(tmp_path: Path, pin: Path) -> None:
    page, proof = tmp_path / "pin.html", tmp_path / "pin.cert"
    asked = ("delta", pin, "--epsilon", "0.1", "--html", page, "--certificate", proof)
    assert prover(*asked).status == 0
    files = verdicts(proof, Path(f"{proof}.lower")).out.splitlines()
    run = prover("verify", page, "--model", pin, "--at-most", "1/10")
    assert run.status == 0, run.err
    names = [f' ("{page}, answer.cert")', f' ("{page}, answer.lower.cert")']
    said = [line.rpartition(" (")[0] for line in files]
    assert run.out.splitlines() == [line + name for line, name in zip(said, names, strict=True)]
    assert prover("verify", page, "--at-most", "1/100").status == 1


def test_forged_pages_are_rejected(tmp_path: Path, pin: Path) -> None:
    page = tmp_path / "pin.html"
    assert prover("delta", pin, "--alpha", "11/10", "--html", page).status == 0
    text = page.read_text(encoding="utf-8")
    before, mark, data = text.partition(";base64,")
    for forged in (data[4:], "*" + data, "", "e30=" + data[data.index('"') :]):
        page.write_text(f"{before}{mark}{forged}", encoding="utf-8")
        run = prover("verify", page)
        assert run.status in (1, 2)
        assert "VERIFIED" not in run.out
    hidden = f"<script>{text}</script><!-- {text} -->"
    page.write_text(hidden, encoding="utf-8")
    run = prover("verify", page)
    assert (run.status, run.out) == (2, "")
    assert run.err == f"prover: {page}: this page holds no certificate\n"


def test_models_are_not_taken_out_of_pages(tmp_path: Path, pin: Path) -> None:
    page = tmp_path / "pin.html"
    assert prover("delta", pin, "--alpha", "11/10", "--html", page).status == 0
    for option in ("--extract", "--coq"):
        run = prover("verify", page, option, tmp_path / "out")
        assert run.status == 2
        assert "not a page" in run.err
