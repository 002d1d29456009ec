"""Badges, and the repository of examples/contract: its proofs are its claims', and its code is its models."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from prover.claims.checking import check
from prover.claims.file import read_claims
from prover.errors import BadInput
from prover.formats.convert import save
from prover.testing import assert_shows
from prover.zoo import randomised_response
from tests.commands import FORKS, ROOT, prover, verdicts
from tests.refusals import refuses
from tests.scripts import module_at

pytestmark = pytest.mark.filterwarnings(FORKS)

CONTRACT = ROOT / "examples" / "contract"
CLAIM = """
[[claim]]
name = "a survey"
model = "survey.json"
alpha = "6/5"
delta_at_most = "{bound}"
certificate = "survey.cert"
badge = "survey.svg"
"""


def words(path: Path) -> list[str]:
    drawn = fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - our own
    return [text for text in drawn.itertext() if text.strip()]


@pytest.fixture
def survey(tmp_path: Path) -> Callable[[str], Path]:
    save(randomised_response(), tmp_path / "survey.json")

    def claims(bound: str) -> Path:
        file = tmp_path / "claims.toml"
        file.write_text(CLAIM.format(bound=bound), encoding="utf-8")
        return file

    return claims


def test_a_badge_names_the_claim_and_the_certificate(survey: Callable[[str], Path]) -> None:
    (claim,) = read_claims(survey("4/15"))
    found = check(claim)
    assert found.digest is not None
    file = Path(str(claim.badge))
    first = file.read_bytes()
    assert words(file) == [
        f"a survey: e^ε ≤ 6/5, δ ≤ 4/15, proved by certificate {found.digest}",
        "a survey",
        f"e^ε ≤ 6/5, δ ≤ 4/15 · {found.digest[:8]}",
    ]
    file.unlink()
    assert check(claim).kept  # by the certificate that is kept now
    assert file.read_bytes() == first


def test_a_claim_that_is_refuted_has_a_badge_that_says_so(survey: Callable[[str], Path]) -> None:
    assert prover("check", survey("4/15")).status == 0
    assert prover("check", survey("1/4")).status == 1
    badge = survey("1/4").with_name("survey.svg")
    assert words(badge)[1:] == ["a survey", "e^ε ≤ 6/5, δ ≤ 1/4: refuted"]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('certificate = "survey.cert"\n', "", "bad-claim"),
        ('"survey.cert"', '"survey.svg"', "bad-claim"),
        ('"survey.svg"', '"survey.png"', "not-svg"),
    ],
)
def test_badges_that_cannot_be_drawn_are_refused(
    survey: Callable[[str], Path], old: str, new: str, code: str
) -> None:
    file = survey("4/15")
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with refuses(code):
        read_claims(file)


def test_the_proofs_of_the_example_are_those_that_are_found(tmp_path: Path) -> None:
    kept = {path.name: path.read_bytes() for path in (CONTRACT / "proofs").iterdir()}
    for name in ("models.py", "privacy.claims.toml"):
        shutil.copy(CONTRACT / name, tmp_path / name)
    (tmp_path / "proofs").mkdir()
    run = prover("check", tmp_path / "privacy.claims.toml")
    assert (run.status, "kept certificate" in run.out) == (0, False)
    assert {path.name: path.read_bytes() for path in (tmp_path / "proofs").iterdir()} == kept
    assert verdicts(*(CONTRACT / "proofs").glob("*.cert")).status == 0


def test_the_workflow_of_the_example_does_what_the_page_says() -> None:
    file = CONTRACT / ".github" / "workflows" / "privacy.yml"
    workflow = pytest.importorskip("yaml").safe_load(file.read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands[0] == 'pip install "$PROVER" pytest'
    assert [command.split()[:2] for command in commands[1:]] == [
        ["prover", "check"],
        ["pytest"],
        ["git", "diff"],
    ]


def test_the_library_of_the_example_is_its_models() -> None:
    library, model = module_at(CONTRACT / "library.py"), f"{CONTRACT / 'models.py'}:answer"
    assert_shows(model, "truth=True", lambda: [library.answer(True)], runs=300)
    with pytest.raises(AssertionError, match="does not show what the model shows") as failure:
        assert_shows(model, "truth=True", lambda: [library.answer(False)], runs=300)
    assert str(failure.value).count("DISAGREES") == 2
    assert library.first_above([100, -100]) == ["above"]


def test_constants_choose_the_model() -> None:
    model = f"{CONTRACT / 'models.py'}:count"
    assert_shows(model, "more=False", lambda: [3], const={"people": 1000}, runs=10)


def test_what_is_never_shown_must_not_be() -> None:
    with pytest.raises(AssertionError, match=r"c +0 +1 "):
        assert_shows(randomised_response(), "a", iter([["c"]]).__next__, runs=1)


@pytest.mark.parametrize(
    ("model", "source", "given", "complaint"),
    [
        (randomised_response(), "nobody", {}, "nobody"),
        (randomised_response(), "a", {"runs": 0}, "runs must be at least 1"),
        (randomised_response(), "a", {"const": {"n": 1}}, "need a model in a file"),
        (ROOT / "examples" / "svt.dipa", "a", {}, "LabelledMarkovChain"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    model: object, source: str, given: dict[str, object], complaint: str
) -> None:
    with pytest.raises(BadInput, match=complaint):
        assert_shows(model, source, list, **given)  # type: ignore[arg-type]
