"""Certificates as folders of Coq files; what is refused, and with which reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import prover
from prover import zoo
from prover.accounting.mechanism import Mechanism
from prover.accounting.sampling import poisson_sampled
from prover.certificate.coq.folder import expected, files
from prover.certificate.schema import Certificate
from prover.errors import NotSupported
from prover.formats.dipa import read_dipa
from prover.gallery.index import gallery
from prover.program.model import Program
from prover.zoo import interactive
from tests.certificate.accounts_samples import composed, steps
from tests.certificate.clusters_samples import CLUSTERS, CLUSTERS_RELATION, CLUSTERS_UNROLLED
from tests.certificate.coq.compiled import PROOFS, READER
from tests.certificate.coq.theorems import CERTIFICATES, answers, on_a_grid, sample
from tests.certificate.observer_samples import OBSERVER_SAMPLES
from tests.certificate.profile_samples import FLAT, LIMITED, NODES, ON_GRID, STEP, made, on_grid
from tests.certificate.program_samples import SVT_EPSILON, SVT_PRIVATE
from tests.certificate.samples import encode
from tests.certificate.verdicts import edited
from tests.commands import ROOT
from tests.commands import prover as command
from tests.commands import zoo as written
from tests.refusals import refuses


def test_the_theorem_says_what_the_certificate_claims() -> None:
    certificate = prover.delta(zoo.pin_checker(), alpha="11/10").certificate
    claim = json.loads(certificate.data)["claim"]
    assert claim["lower"] == claim["upper"] == "3791/75090"
    answer = files(certificate.data)["Answer.v"]
    pairs = "[(0%N, 1%N); (1%N, 0%N)]"
    above = f"In (s, t) {pairs} -> close Here.Model.model (11#10) (3791#75090) s t."
    assert f"Theorem at_most : markov Here.Model.model /\\ forall s t, {above}" in answer
    assert (
        "Theorem at_least : markov Here.Model.model /\\ needed Here.Model.model (11#10) (3791#75090) 1 0."
        in answer
    )


def test_the_theorem_of_all_pairs_has_their_values() -> None:
    table = prover.distances(zoo.pin_checker(), alpha="6/5", kind="bd")
    states = sorted(table.states)
    rows = ["; ".join("{}#{}".format(*table.lower[s, t].as_integer_ratio()) for t in states) for s in states]
    assert rows[0] == "0#1; 6#53; 1#1; 1#1; 1#1"
    answer = files(table.certificate.data)["Answer.v"]
    assert "values : list (list Q) := [\n  [" + "];\n  [".join(rows) + "]\n]." in answer
    assert "bd_at_least Here.Model.model (6#5) (in_matrix values s t) s t" in answer
    assert "bd_at_most Here.Model.model (6#5) (in_matrix values s t + (0#1)) s t" in answer


def test_the_same_certificate_makes_the_same_folder() -> None:
    certificate = CERTIFICATES["random-delta"]()
    assert files(certificate.data) == files(certificate.data)


def certificate_of(found: Certificate | None) -> Certificate:
    assert found is not None
    return found


FLAT_ON_GRID = ON_GRID["flat on a grid"]
COMPARING: tuple[str, ...] = ("model", "states", "q1")
NO_NOISE: dict[tuple[str | int, ...], Any] = {
    (*COMPARING, "rate"): None,
    (*COMPARING, "rate_left"): "inf",
    (*COMPARING, "rate_right"): "inf",
}

FIRST: tuple[str, ...] = ("model", "states", "q1")
WITHOUT_NOISE: dict[tuple[str | int, ...], Any] = {
    (*FIRST, "rate"): None,
    (*FIRST, "rate_left"): "inf",
    (*FIRST, "rate_right"): "inf",
}
WITH_GAP: dict[tuple[str | int, ...], Any] = {
    ("model", "states", "q2", "transitions", 0, "output"): {"gap": "x"},
}

APART = """
noise discrete-laplace;
(q1: non-input, 1/4, 0): x := insample; output o; goto q2
(q2, 1/4, 0): y := insample; output o; goto q3
(q3, 1/4, 0):
    if (insample < x) then x := insample; output below; goto q4
    elseif (insample >= x) then output other; goto end
(q4, 1/4, 0):
    if (insample >= y) then y := insample; output above; goto q3
    elseif (insample < y) then output other; goto end
"""
"""One sample of a turn falls, and the other climbs."""

REFUSED: Mapping[str, Callable[[], Certificate]] = {
    "compositions of chains in which steps are unseen": lambda: sample(
        "composition of what an observer sees"
    ),
    "samples of chains": lambda: Certificate(
        encode(composed([poisson_sampled(Mechanism.of(steps(), "s", "u"), "1/3")], "11/10"))
    ),
    "compositions that are enclosed on a grid": lambda: sample("composition on a grid"),
    "mechanisms that are chosen after outputs": lambda: sample("composition of mechanisms that are chosen"),
    "claims about compositions other than of delta": lambda: sample("moments of a relation and laws"),
    "so many products": lambda: answers(2000),
    "claims about lost runs": lambda: sample("profile at points, of a chain that is cut"),
    "which states look alike where steps are unseen": lambda: (
        prover.distance(prover.collapse(zoo.pin_checker()), kind="bisimilarity").certificate
    ),
    "distances of all pairs of processes": lambda: prover.distances(interactive.wait(), alpha=2).certificate,
    "clusters of nearly bisimilar states": lambda: Certificate(encode(CLUSTERS)),
    "nearly bisimilar states": lambda: Certificate(encode(CLUSTERS_RELATION)),
    "of nearly bisimilar states": lambda: Certificate(encode(CLUSTERS_UNROLLED)),
    "claims about quotients": lambda: prover.distances(interactive.wait(), alpha=2, merge=True).certificate,
    "claims about programs of kind private": lambda: Certificate(encode(SVT_PRIVATE)),
    "programs with Laplace noise that are not private": lambda: certificate_of(
        prover.privacy(zoo.leaking_pair()).certificate
    ),
    "neither stay, nor all climb or fall": lambda: certificate_of(
        prover.privacy(read_dipa(APART)).certificate
    ),
    "outputs of programs that hide the run": lambda: Certificate(encode(OBSERVER_SAMPLES["a hidden block"])),
    "programs that hide the run": lambda: on_a_grid(OBSERVER_SAMPLES["words of an endless xor"]),
    "ladders, for outputs of programs": lambda: Certificate(encode(OBSERVER_SAMPLES["a ladder"])),
    "groups of runs of more than 6 steps": lambda: certificate_of(
        prover.privacy(zoo.noisy_max(n=7), longest=7).certificate
    ),
    "samples without noise": lambda: Certificate(
        encode(edited(json.loads(CERTIFICATES["exit-monotonic-seen"]().data), WITHOUT_NOISE))
    ),
    "gaps that are shown": lambda: Certificate(
        encode(edited(json.loads(CERTIFICATES["exit-seen"]().data), WITH_GAP))
    ),
    "noise that is not on a grid": lambda: Certificate(encode(FLAT)),
    "read a bounded number of inputs": lambda: Certificate(
        encode(edited(on_grid(LIMITED), {("evidence", "regions"): [STEP]}))
    ),
    "second samples": lambda: Certificate(encode(made(2, "all-differ", q="1/2"))),
    "test a sample and keep it": lambda: Certificate(encode(made(5, "all-differ", 12, q="1/2", keeps=True))),
    "one-sided or no noise": lambda: Certificate(encode(edited(FLAT_ON_GRID, NO_NOISE))),
    "begin with a shift": lambda: Certificate(
        encode(edited(FLAT_ON_GRID, {(*NODES, 0, "shifts"): ["1", "1"]}))
    ),
    "inputs of programs that are not rounded": lambda: on_a_grid(SVT_EPSILON, inputs="unrounded"),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_not_proved_is_refused(reason: str) -> None:
    with refuses("not-in-coq", match=re.escape(reason)):
        files(REFUSED[reason]().data)


@pytest.mark.slow
def test_which_programs_of_the_gallery_become_theorems() -> None:
    """All but those that are not private."""
    refused = {}
    for entry in gallery():
        model = entry.read()
        if isinstance(model, Program) and entry.adjacency is not None:
            data = certificate_of(prover.privacy(model, adjacency=entry.adjacency).certificate).data
            try:
                assert "Theorem at_most" in files(data)["Answer.v"]
            except NotSupported as error:
                refused[entry.name] = str(error)
    said = "the proofs in Coq do not cover "
    assert refused == {
        "dp-auditorium-svt3": f"{said}programs with Laplace noise that are not private",
        "dp-auditorium-svt5": f"{said}programs with Laplace noise that are not private",
    }


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = prover.delta(zoo.pin_checker(), alpha=Fraction(11, 10)).certificate
    monkeypatch.setattr("prover.certificate.coq.folder.LARGEST", 100)
    with refuses("not-in-coq", match="Coq reads at most 100"):
        files(certificate.data)


def test_the_command_writes_a_folder_and_no_second_time(tmp_path: Path) -> None:
    certificate, folder = tmp_path / "pin.cert", tmp_path / "theorem"
    assert (
        command(
            "delta", written(tmp_path, "pin-checker"), "--alpha", "11/10", "--certificate", certificate
        ).status
        == 0
    )
    run = command("verify", certificate, "--coq", folder)
    assert run.status == 0
    assert run.out.startswith("VERIFIED ")
    assert "coqc will need about" in run.err
    found = {path.name: path.read_text() for path in folder.iterdir()}
    assert found == files(certificate.read_bytes())
    again = command("verify", certificate, "--coq", folder)
    assert again.status == 2
    assert "--force" in again.err
    assert command("verify", certificate, "--coq", folder, "--force").status == 0


def test_what_has_no_theorem_is_not_said_to_be_verified(tmp_path: Path) -> None:
    certificate, folder = tmp_path / "chain.cert", tmp_path / "theorem"
    certificate.write_bytes(sample("composition of what an observer sees").data)
    run = command("verify", certificate, "--coq", folder)
    assert (run.status, run.out) == (2, "")
    assert "compositions of chains" in run.err
    assert not folder.exists()


def test_the_time_of_a_composition_grows_with_its_products() -> None:
    short, long = (answers(n).data for n in (10, 130))
    assert expected(files(short), short)[0] + 2 < expected(files(long), long)[0]


def test_a_forged_certificate_makes_no_folder(tmp_path: Path) -> None:
    certificate, folder = tmp_path / "pin.cert", tmp_path / "theorem"
    forged = prover.delta(zoo.pin_checker(), alpha="11/10").certificate.data.replace(
        b"3791/75090", b"3790/75090"
    )
    certificate.write_bytes(forged)
    assert command("verify", certificate, "--coq", folder).status == 1
    assert not folder.exists()


@pytest.mark.parametrize("path", sorted(PROOFS.rglob("*.v")), ids=lambda path: path.name)
def test_nothing_is_assumed(path: Path) -> None:
    code = re.sub(r"\(\*.*?\*\)", "", path.read_text(), flags=re.DOTALL)
    words = set(re.findall(r"[A-Za-z_]+", code))
    assert not words & {
        "Admitted",
        "admit",
        "Axiom",
        "Axioms",
        "Parameter",
        "Parameters",
        "Conjecture",
        "Declare Module",
    }


@pytest.mark.parametrize(
    "page", [ROOT / "docs" / "trust.md", PROOFS / "README.md"], ids=lambda path: path.name
)
def test_pages_say_how_much_is_to_be_read(page: Path) -> None:
    chain, distance, form, judge = (
        len((PROOFS / name).read_text().splitlines())
        for name in ("Chain.v", "Distance.v", "theorem.py", "accept.py")
    )
    said = page.read_text(encoding="utf-8")
    for name, about in (
        ("Process.v", "attackers who choose"),
        ("Seen.v", "observers who do not see every step"),
    ):
        own = len((PROOFS / name).read_text().splitlines())
        assert f"{own} more for {about}" in said or f"[{name}]({name}), {own} lines" in " ".join(said.split())
    assert f"{chain} lines" in said
    assert f"{chain + distance} for ld and bd" in said or f"{distance} lines" in said
    assert f"{form + judge} lines of Python" in said
    program = sum(
        len((PROOFS / "programs" / name).read_text().splitlines()) for name in ("Program.v", "Geometric.v")
    )
    assert f"{program} for programs" in said or f"{program} lines of definitions" in said
    laplace = sum(
        len((PROOFS / "programs" / name).read_text().splitlines()) for name in ("Program.v", "Laplace.v")
    )
    assert f"{laplace} for Laplace noise" in said or f"{laplace} lines of definitions" in said
    reader = sum(len((PROOFS / name).read_text().splitlines()) for name in READER)
    assert f"{reader:,} lines of OCaml" in said


def test_every_file_is_compiled() -> None:
    """But for the file that makes OCaml of what is compiled."""
    listed = [line for line in (PROOFS / "_CoqProject").read_text().split() if line.endswith(".v")]
    listed.append("checker/Extract.v")
    assert sorted(listed) == sorted(str(path.relative_to(PROOFS)) for path in PROOFS.rglob("*.v"))
