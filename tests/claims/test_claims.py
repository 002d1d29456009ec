"""Files of claims: what holds, is refuted or stays open, and certificates that are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from prover.claims.checking import check
from prover.claims.file import read_claims
from prover.formats.convert import save
from prover.testing import assert_private
from prover.zoo import leaking_cycle, pin_checker, randomised_response, svt
from prover.zoo.interactive import doors
from tests.commands import FORKS, prover, verdicts
from tests.refusals import refuses
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)

ALL = """
[[claim]]
name = "survey"
model = "survey.json"
alpha = "6/5"
delta_at_most = "{survey}"
certificate = "survey.cert"

[[claim]]
model = "doors.json"
from = "s"
to = "t"
epsilon = "1/10"
delta_at_most = 0.48
certificate = "doors.cert"

[[claim]]
name = "sparse vector"
model = "svt.json"
epsilon_at_most = "5/4"
certificate = "svt.cert"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(randomised_response(), tmp_path / "survey.json")
    save(doors(), tmp_path / "doors.json")
    save(svt(), tmp_path / "svt.json")
    (tmp_path / "claims.toml").write_text(ALL.format(survey="4/15"))
    return tmp_path


def test_a_second_run_only_verifies(folder: Path) -> None:
    claims = read_claims(folder / "claims.toml")
    first = [check(claim) for claim in claims]
    assert [(one.status, one.kept) for one in first] == [("holds", False)] * 3
    certificates = [folder / f"{name}.cert" for name in ("survey", "doors", "svt")]
    assert verdicts(*certificates).status == 0
    second = [check(claim) for claim in claims]
    assert [(one.status, one.kept, one.digest) for one in second] == [
        ("holds", True, one.digest) for one in first
    ]


def test_a_certificate_of_another_model_or_claim_is_of_no_use(folder: Path) -> None:
    claims = read_claims(folder / "claims.toml")
    kept = [check(claim).digest for claim in claims]
    (folder / "survey.json").unlink()
    save(randomised_response(respondents=2), folder / "survey.json")
    renewed = check(claims[0])
    assert (renewed.status, renewed.kept) == ("holds", False)
    assert renewed.digest != kept[0]
    (folder / "svt.cert").write_bytes((folder / "doors.cert").read_bytes())
    renewed = check(claims[2])
    assert (renewed.status, renewed.kept, renewed.digest) == ("holds", False, kept[2])
    (folder / "doors.cert").write_bytes(b"{}")
    assert check(claims[1]).digest == kept[1]


def test_a_smaller_claim_is_not_proved_by_a_certificate_of_a_larger_one(folder: Path) -> None:
    check(read_claims(folder / "claims.toml")[0])
    (folder / "claims.toml").write_text(ALL.format(survey="1/4"))
    found = check(read_claims(folder / "claims.toml")[0])
    assert (found.status, found.kept) == ("refuted", False)
    assert "Attack: guess" in found.details


def test_the_command(folder: Path) -> None:
    run = prover("check", folder / "claims.toml", "--json")
    assert run.status == 0, run.err
    check_answer(["check"], run.out)
    assert json.loads(run.out)["counts"] == {"holds": 3, "refuted": 0, "open": 0, "all": 3}
    again = prover("check", folder / "claims.toml", "--jobs", "2")
    assert again.out.count("(kept certificate)") == 3
    (folder / "claims.toml").write_text(ALL.format(survey="1/4"))
    report = folder / "report.xml"
    run = prover("check", folder / "claims.toml", "--output", report)
    assert run.status == 1
    assert "3 claims: 2 hold, 1 refuted, 0 open." in run.out
    assert "Attack: guess" in run.out
    suite = fromstring(report.read_text(encoding="utf-8"))  # noqa: S314  written by ourselves
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "no-claims"),
        ('[[claim]]\nmodel = "survey.json"', "bad-claim"),
        ('[[claim]]\nmodel = "survey.json"\nepsilon_at_most = 1\ndelta_at_most = 1\nalpha = 2', "bad-claim"),
        ('[[claim]]\nmodel = "svt.json"\nepsilon_at_most = 1\nalpha = 2', "bad-claim"),
        ('[[claim]]\nmodel = "survey.json"\ndelta_at_most = 1\nadjacency = "monotonic"', "bad-claim"),
        ('[[claim]]\nmodel = "survey.json"\ndelta_at_most = -1\nalpha = 2', "bad-claim"),
        ('[[claim]]\nmodel = "survey.json"\ndelta_at_most = 1\nalpha = 2\nbeta = 1', "unknown-key"),
        ('[[claim]]\nmodel = "svt.json"\nepsilon_at_most = 1\nsecret = {a = 1}', "wrong-type"),
        ('[[claim]]\nmodel = "survey.json"\ndelta_at_most = 1', "bad-alpha"),
        ('[[claim]]\nmodel = "svt.json"\ndelta_at_most = 1\nalpha = 2', "bad-claim"),
        ('[[claim]]\nmodel = "survey.json"\nepsilon_at_most = 1', "bad-claim"),
        ('[[claim]]\nmodel = "nothing.json"\nepsilon_at_most = 1', "no-such-file"),
    ],
)
def test_files_that_are_wrong(folder: Path, text: str, error: str) -> None:
    file = folder / "claims.toml"
    file.write_text(text)
    with refuses(error):
        [check(claim, str(file)) for claim in read_claims(file)]
    assert prover("check", file).status == 2


def test_in_the_tests_of_a_project(folder: Path) -> None:
    assert_private(folder / "survey.json", alpha="6/5", delta="4/15")
    assert_private(pin_checker(), "0", "1", alpha=Fraction(11, 10), delta="1/10")
    assert_private(doors(), epsilon="ln 6/5", delta="9/20")
    assert_private(svt(), epsilon=2)
    with pytest.raises(AssertionError, match="Attack: guess"):
        assert_private(folder / "survey.json", alpha="6/5", delta="1/4")
    with pytest.raises(AssertionError, match="leaking cycle"):
        assert_private(leaking_cycle(), epsilon=100)
    with refuses("bad-claim"):
        assert_private(svt(), epsilon=2, delta=0)
    with refuses("bad-claim"):
        assert_private(pin_checker(), alpha=2)
    with refuses("bad-claim"):
        assert_private(pin_checker(), alpha=2, delta=1, const="p=1/2")


def test_a_loss_says_whether_stops_are_seen(tmp_path: Path) -> None:
    """Where guards leave a gap, the loss is for an observer who does not see that a run stops."""
    program = svt()
    (query,) = (name for name, state in program.states.items() if len(state.transitions) == 2)
    state = program.states[query]
    gap = replace(
        program, states={**program.states, query: replace(state, transitions=state.transitions[1:])}
    )
    found = []
    for name, model in (("whole", program), ("gap", gap)):
        save(model, tmp_path / f"{name}.json")
        path = tmp_path / f"{name}.toml"
        path.write_text(f'[[claim]]\nmodel = "{name}.json"\nepsilon_at_most = 2\n')
        found += [check(claim).found for claim in read_claims(path)]
    assert "nobody" not in found[0]
    assert found[1].endswith(" if no observer sees that a run stops")


def test_a_certificate_about_choices_of_nature_is_of_no_use(tmp_path: Path) -> None:
    """Nature would hide what an attacker asks for; the claim is about all attackers."""
    ends = {name: {"label": name, "next": {name: 1}} for name in ("no", "nothing", "yes")}
    asked = {
        name: {"label": "ask", "actions": {"tell": {reply: 1}, "hide": {"nothing": 1}}}
        for name, reply in (("s", "yes"), ("t", "no"))
    }
    kind = {"type": "labelled-markov-decision-process", "version": 1}
    text = json.dumps({**kind, "states": {**asked, **ends}, "initial": ["s", "t"]})
    (tmp_path / "telling.json").write_text(text)
    kept = tmp_path / "telling.cert"
    question = "--alpha", "2", "--scheduler", "against", "--certificate", kept
    assert " = 0\n" in prover("delta", tmp_path / "telling.json", *question).out
    path = tmp_path / "claims.toml"
    path.write_text(
        f'[[claim]]\nmodel = "telling.json"\nalpha = 2\ndelta_at_most = 0\ncertificate = "{kept.name}"\n'
    )
    (claim,) = read_claims(path)
    found = check(claim)
    assert (found.status, found.kept) == ("refuted", False)
