"""`prover account`: JSON, text, curves, and what is refused."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import comb, exp
from pathlib import Path
from typing import Any

import pytest

from prover.chain.unrolling import word_graph
from prover.exact.rational import format_rational
from prover.formats.convert import save
from tests.certificate.accounts_samples import waiting
from tests.commands import FORKS, prover, verdicts, zoo
from tests.schemas import check_answer

pytestmark = pytest.mark.filterwarnings(FORKS)

F = Fraction
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SURVEY = '[[mechanism]]\nmodel = "randomised-response.json"\n'
SPARSE = '[[mechanism]]\nmodel = "svt.json"\nat_epsilon = "1/10"\n'
LAPLACE = '[[mechanism]]\nknown = "discrete-laplace"\nq = "3/4"\n'
GAUSSIAN = '[[mechanism]]\nknown = "gaussian"\nsigma = 2\n'
DISCRETE = GAUSSIAN.replace("gau", "discrete-gau")
POISSON = 'sampling = "poisson"\nrate = "1/10"\n'
CHOSEN = """[[mechanism]]
known = "randomised-response"
q = "1/2"
[[mechanism]]
one_of = [{ model = "randomised-response.json" }, { known = "approximate", alpha = "1", delta = "1/10" }]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    zoo(tmp_path, "randomised-response")
    return tmp_path


def account(folder: Path, text: str, status: int = 0) -> dict[str, Any]:
    """The JSON object of ``prover account``, which ends with this status."""
    (folder / "account.toml").write_text(text, encoding="utf-8")
    run = prover("account", folder / "account.toml", "--json")
    assert run.status == status, run.err
    found: dict[str, Any] = json.loads(run.out)
    return found


def test_a_thousand_answers(folder: Path) -> None:
    found = account(folder, SURVEY + 'times = 1000\n[ask]\nalpha = "36/25"\ndelta = 1e-6\n')
    alpha, n = F(36, 25), 1000
    gains = (F(comb(n, k), 3**n) * (2 ** (n - k) - alpha * 2**k) for k in range(n + 1))
    exact = format_rational(sum((max(F(0), gain) for gain in gains), F(0)))
    assert found["exact"] is True
    assert [row["value"] for row in found["deltas"]] == [exact]
    assert found["deltas"][0]["worst"] == [["a", "b"]]
    (least,) = found["epsilons"]
    assert least["upper"] == "326.637446376565"
    assert least["basic"] == "693.147180560000"[: len(least["basic"])]
    assert F(least["upper"]) < F(least["advanced"]) < F(least["basic"])


def test_a_picture_of_all_mechanisms(folder: Path) -> None:
    drawn = folder / "out.svg"
    asked = f'[ask]\nplot = "{drawn}"\npoints = "0:1:5"\n'
    (folder / "account.toml").write_text(SURVEY + LAPLACE + asked, encoding="utf-8")
    run = prover("account", folder / "account.toml")
    assert run.status == 0, run.err
    text = drawn.read_text(encoding="utf-8")
    assert "δ of all mechanisms together" in text
    assert ">0.1</text>" in text  # a logarithmic axis
    assert "At ε = 0.25, δ is at most" in text


def test_text_and_files(folder: Path) -> None:
    text = (
        SURVEY + 'from = "a"\nto = "b"\n' + LAPLACE + 'times = 2\n[ask]\ncurve = "out.csv"\ndelta = "1/100"\n'
    )
    (folder / "account.toml").write_text(text + 'points = "0:1:5"\n', encoding="utf-8")
    run = prover("account", folder / "account.toml")
    assert run.status == 0, run.err
    assert run.out.splitlines()[:2] == [
        "1 x  randomised-response.json, a against b",
        "2 x  discrete-laplace, q = 3/4, sensitivity = 1",
    ]
    assert "the least epsilon with delta <= 1/100 is ln(" in run.out
    assert "basic composition proves epsilon <= 1.268512" in run.out
    lines = (folder / "out.csv").read_text().splitlines()
    assert len(lines) == 6
    assert prover("account", folder / "account.toml").status == 2  # the CSV is there
    assert prover("account", folder / "account.toml", "--force").status == 0


def test_the_curve_goes_as_far_as_is_of_interest(folder: Path) -> None:
    found = account(folder, SURVEY + 'times = 30\n[ask]\ncurve = "out.csv"\n')
    uppers = [F(row["upper"]) for row in found["curve"]["rows"]]
    assert len(uppers) == 41
    assert uppers == sorted(uppers, reverse=True)
    assert uppers[-1] < F(1, 10**9) < uppers[20]


def test_no_epsilon_is_enough(folder: Path) -> None:
    bounded = LAPLACE + 'bound = 3\n[ask]\ndelta = "1/1000"\n'
    assert account(folder, bounded, status=1)["epsilons"][0]["impossible"] is True


@pytest.mark.slow
def test_intervals_where_there_are_too_many_atoms(folder: Path) -> None:
    noises = "".join(
        f'[[mechanism]]\nknown = "randomised-response"\nq = "{p}/101"\ntimes = 20\n' for p in (2, 3, 5, 7, 11)
    )
    found = account(folder, noises + '[ask]\nalpha = "1e40"\nepsilon = 95\ngap = "1/1000"\n')
    assert found["exact"] is False
    for row in found["deltas"]:
        assert 0 < F(row["lower"]) < F(row["upper"]) <= F(row["lower"]) + F(1, 1000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no mechanism"),
        (LAPLACE, "asks nothing"),
        (LAPLACE + "[ask]\nx = 1\n", 'unknown key "x"'),
        ("[[mechanism]]\n[ask]\ndelta = 1\n", "either a"),
        ('[[mechanism]]\nknown = "discrete-laplac"\n[ask]\ndelta = 1\n', "did you mean discrete-laplace?"),
        ('[[mechanism]]\nknown = "approximate"\n[ask]\ndelta = 1\n', "lacks the parameter alpha"),
        (LAPLACE + "width = 3\n[ask]\ndelta = 1\n", 'no parameter "width"'),
        (LAPLACE + "times = 0\n[ask]\ndelta = 1\n", "at least 1"),
        (LAPLACE + "[ask]\ndelta = 2\n", "at most 1"),
        (LAPLACE + "[ask]\nalpha = 0.5\n", "at least 1"),
        (LAPLACE + '[ask]\nepsilon = "one"\n', "one"),
        (LAPLACE + '[ask]\ncurve = "a.csv"\npoints = "1:2"\n', "E1:E2:POINTS"),
        (LAPLACE + '[ask]\nplot = "a.png"\n', "an .svg file"),
        ('[[mechanism]]\nmodel = "none.json"\n[ask]\ndelta = 1\n', "no such file"),
        (SURVEY + 'from = "a"\n[ask]\ndelta = 1\n', "$.mechanism[0]: give both"),
        (SURVEY + 'from = "a"\nto = "z"\n[ask]\ndelta = 1\n', '"z"'),
        ("x = = 1", "malformed TOML"),
        (LAPLACE + 'times = "most"\n[ask]\ndelta = 1\n', "then has one delta and one epsilon"),
        (LAPLACE + 'times = "all"\n[ask]\ndelta = 1\n', "$.mechanism[0].times"),
        (CHOSEN + "q = 1\n[ask]\ndelta = 1\n", '$.mechanism[1]: unknown key "q"'),
        (CHOSEN + 'sampling = "poisson"\nrate = "1/2"\n[ask]\ndelta = 1\n', "of each mechanism"),
        (CHOSEN.replace('"1/10"', '"1/10", times = 2') + "[ask]\ndelta = 1\n", "[1]: a mechanism that may"),
        (SPARSE + "[ask]\ndelta = 1\n", "svt.json: no such file"),
        (SPARSE + 'adjacency = "some"\n[ask]\ndelta = 1\n', "$.mechanism[0].adjacency: unknown adjacency"),
        (SPARSE + "steps = 0\n[ask]\ndelta = 1\n", "$.mechanism[0].steps"),
        (SPARSE + 'from = "a"\n[ask]\ndelta = 1\n', 'unknown key "from"'),
        (SPARSE + "untimed = true\n[ask]\ndelta = 1\n", 'unknown key "untimed"'),
        (
            SPARSE.replace("svt", "randomised-response") + "[ask]\ndelta = 1\n",
            "holds a labelled Markov chain, but a threshold program is expected",
        ),
        (CHOSEN + SPARSE + "[ask]\ndelta = 1\n", "$.mechanism[2]: mechanisms that are chosen"),
        (CHOSEN + GAUSSIAN + "[ask]\ndelta = 1\n", "$.mechanism[2]: mechanisms that are chosen"),
        (CHOSEN.replace('"approximate", alpha = "1", delta = "1/10"', '"laplace", scale = 2'), "one_of[1]"),
    ],
)
def test_what_is_refused(folder: Path, text: str, message: str) -> None:
    (folder / "account.toml").write_text(text, encoding="utf-8")
    run = prover("account", folder / "account.toml")
    assert run.status == 2
    assert message in run.err
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    ("sampled", "orders", "words"),
    [
        (GAUSSIAN + POISSON, "2,5/2", "whole orders"),
        (DISCRETE + POISSON, "3/2", "whole orders"),
        (DISCRETE + POISSON.replace("poisson", "fixed size"), "2", "fixed size"),
    ],
)
def test_divergences_without_a_certificate_are_refused_before_models_are_read(
    folder: Path, sampled: str, orders: str, words: str
) -> None:
    path = folder / "account.toml"
    path.write_text(sampled + SPARSE, encoding="utf-8")  # there is no svt.json
    run = prover("account", path, "--order", orders, "--certificate", folder / "account.cert")
    assert run.status == 2
    assert "$.mechanism[0]: " in run.err
    assert words in run.err
    assert "without --certificate" in run.err
    assert "no such file" in prover("account", path, "--order", orders).err


def unseen(folder: Path) -> Path:
    """Five runs of a mechanism in which a run may stop unseen, so that tables prove nothing."""
    path, model = folder / "account.toml", zoo(folder, "partition")
    path.write_text(
        f'[[mechanism]]\nmodel = "{model.name}"\nat_epsilon = 1\ntimes = 5\n[ask]\ndelta = "1/100"\n',
        encoding="utf-8",
    )
    return path


def test_no_certificate_where_no_epsilon_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything known to be revealed."""
    monkeypatch.setattr("prover.accounting.programs.pair_law", lambda *_, **__: None)
    run = prover("account", unseen(folder), "--certificate", folder / "account.cert")
    assert run.status == 3
    assert "no certificate was written: no epsilon with this delta was found" in run.err


def test_words_that_end_where_runs_may_stop_unseen_are_the_rest(folder: Path) -> None:
    """The only word of two inputs is seen with probability 0.973 on one and 0.027 on the other."""
    run = prover("account", unseen(folder), "--certificate", folder / "account.cert", "--json")
    (found,) = json.loads(run.out)["epsilons"]
    assert found["alpha_upper"] is None
    assert exp(17.93) < Fraction(found["alpha_lower"]) < (0.9731068 / 0.0268932) ** 5
    assert verdicts(folder / "account.cert.lower").status == 0


def test_a_certificate_of_the_lower_end_where_no_epsilon_is_found(folder: Path) -> None:
    path, proof = folder / "account.toml", folder / "account.cert"
    path.write_text('[[mechanism]]\nknown = "gaussian"\nsigma = 2\n[ask]\ndelta = 0\n', encoding="utf-8")
    run = prover("account", path, "--certificate", proof, "--json")
    assert run.status == 0
    assert not proof.exists()
    (found,) = json.loads(run.out)["epsilons"]
    assert found["alpha_upper"] is None
    lower = Path(f"{proof}.lower")
    assert verdicts(lower).status == 0
    claim = json.loads(lower.read_text())["claim"]
    assert Fraction(claim["lower"]) > 0
    assert 1 < Fraction(claim["alpha"]) < Fraction(found["alpha_lower"])


def test_the_exact_epsilon_is_the_least_one_for_delta_0(folder: Path) -> None:
    path = folder / "account.toml"
    path.write_text('[[mechanism]]\nknown = "laplace"\nscale = 2\n[ask]\ndelta = 0\n', encoding="utf-8")
    run = prover("account", path, "--certificate", folder / "account.cert")
    assert (run.status, run.err) == (0, "")
    assert "with delta <= 0 is at least 0.499999999999 and at most 0.500000000001" in run.out
    assert verdicts(folder / "account.cert", folder / "account.cert.lower").out.count("VERIFIED") == 2


@pytest.mark.slow
def test_the_example_with_mechanisms_has_certificates(tmp_path: Path) -> None:
    path = tmp_path / "sparse.cert"
    run = prover("account", EXAMPLES / "sparse_vectors.toml", "--certificate", path)
    assert run.status == 0, run.err
    assert verdicts(path, tmp_path / "sparse.cert.lower").out.count("VERIFIED composition ") == 2


def test_the_example_is_answered() -> None:
    run = prover("account", EXAMPLES / "account.toml", "--json")
    assert run.status == 0, run.err
    assert json.loads(run.out)["exact"] is True


@pytest.mark.parametrize(
    "ask", ['alpha = "36/25"', "epsilon = 2", 'epsilon = "ln 3"', "delta = 1e-6", 'alpha = 7\ngap = "1/99"']
)
def test_certificates(folder: Path, ask: str) -> None:
    text = SURVEY + "times = 30\n" + LAPLACE + "times = 3\n[ask]\n" + ask + "\n"
    (folder / "account.toml").write_text(text, encoding="utf-8")
    path = folder / "account.cert"
    run = prover("account", folder / "account.toml", "--json", "--certificate", path)
    assert run.status == 0, run.err
    assert json.loads(run.out)["certificate"] is not None
    assert verdicts(*folder.glob("account.cert*")).out.count("VERIFIED composition alpha=") >= 1
    assert len(list(folder.glob("account.cert*"))) == (2 if ask == "epsilon = 2" else 1)


def test_mechanisms_that_are_chosen(folder: Path) -> None:
    (folder / "account.toml").write_text(CHOSEN + "[ask]\nalpha = 2\n", encoding="utf-8")
    path, page = folder / "chosen.cert", folder / "chosen.html"
    asked = ("account", folder / "account.toml", "--json", "--certificate", path, "--html", page)
    run = prover(*asked)
    assert run.status == 0, run.err
    check_answer([str(part) for part in asked], run.out)
    found = json.loads(run.out)
    assert found["deltas"][0]["value"] == "23/90"
    assert [option["name"] for option in found["mechanisms"][1]["options"]][1] == "approximate"
    assert "one-of(relation; known=approximate) parts=2" in verdicts(path).out
    assert "after the outputs of all runs before it" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("others", "delta", "status", "runs"),
    [(1, "1/100", 0, (18, 19)), (5, "0", 0, (0, 1)), (9, "0", 1, (None, 0))],
)
def test_how_many_runs_fit(
    folder: Path, others: int, delta: str, status: int, runs: tuple[int | None, int]
) -> None:
    text = f'{LAPLACE}times = "most"\n{SURVEY}times = {others}\n[ask]\nalpha = 32\ndelta = "{delta}"\n'
    (folder / "account.toml").write_text(text, encoding="utf-8")
    path, page = folder / "most.cert", folder / "most.html"
    asked = ("account", folder / "account.toml", "--json", "--certificate", path, "--html", page)
    run = prover(*asked)
    assert run.status == status, run.err
    check_answer([str(part) for part in asked], run.out)
    found = json.loads(run.out)["most_runs"]
    assert (found["fits"], found["fails"]) == runs
    proofs = sorted(folder.glob("most.cert*"))
    assert len(proofs) == (1 if runs[0] is None else 2)
    assert verdicts(*proofs).out.count("VERIFIED composition alpha=32 ") == len(proofs)
    assert "discrete-laplace fit" in page.read_text(encoding="utf-8")


def test_a_certificate_is_about_one_number(folder: Path) -> None:
    (folder / "account.toml").write_text(SURVEY + "[ask]\nalpha = [2, 3]\n", encoding="utf-8")
    run = prover("account", folder / "account.toml", "--certificate", folder / "account.cert")
    assert run.status == 2
    assert "about one number" in run.err


def test_epsilon_of_many_runs(folder: Path) -> None:
    model, path = folder / "randomised-response.json", folder / "runs.cert"
    asked = ("epsilon", model, "--delta", "1e-6", "--times", "1000", "--json", "--certificate", path)
    run = prover(*asked)
    assert run.status == 0, run.err
    assert json.loads(run.out)["upper"] == "326.637446376565"
    assert verdicts(path).status == 0
    assert prover("epsilon", model, "--delta", "1/9", "--times", "9", "--kind", "lv").status == 2


def test_curves_have_certificates(folder: Path) -> None:
    path = folder / "curve.cert"
    run = prover(
        "curve", folder / "randomised-response.json", "--alpha", "1:3:5", "--json", "--certificate", path
    )
    assert run.status == 0, run.err
    assert verdicts(path).out.startswith("VERIFIED profile relation maximum of=tv corners=2")


def test_what_an_observer_sees_is_certified_of_the_given_model(folder: Path) -> None:
    save(waiting().collapsing.original, folder / "waiting.json")
    text = '[[mechanism]]\nmodel = "waiting.json"\nuntimed = true\ntimes = 5\n[ask]\ndelta = "1/100"\n'
    (folder / "account.toml").write_text(text, encoding="utf-8")
    path, model = folder / "account.cert", folder / "waiting.json"
    run = prover("account", folder / "account.toml", "--certificate", path)
    assert run.status == 0, run.err
    assert "--untimed" in prover("verify", path, "--model", model).out
    found = prover("verify", path, "--model", model, "--untimed")
    assert found.status == 0, found.out
    assert " parts=1 runs=5 observers=1 " in found.out
    assert prover("verify", path, "--model", folder / "randomised-response.json").status == 1
    curved = prover(
        "curve", model, "--untimed", "--alpha", "1:2:3", "--no-bounds", "--certificate", folder / "c"
    )
    assert curved.status == 0, curved.err
    found = prover("verify", folder / "c", "--model", model, "--untimed")
    assert found.out.startswith("VERIFIED profile sees=changes relation maximum of=tv corners=")


def test_mechanisms_and_chains_together(folder: Path) -> None:
    zoo(folder, "svt")
    text = SPARSE + "steps = 2\ntimes = 20\n" + SURVEY + 'times = 2\n[ask]\ndelta = "1/1000"\n'
    (folder / "account.toml").write_text(text, encoding="utf-8")
    path, page = folder / "account.cert", folder / "account.html"
    asked = ("account", folder / "account.toml", "--json", "--certificate", path, "--html", page)
    run = prover(*asked)
    assert run.status == 0, run.err
    check_answer(["account"], run.out)
    found = json.loads(run.out)
    (least,) = found["epsilons"]
    assert 0.5 < F(least["lower"]) < F(least["upper"]) < F(least["exact_epsilons"]) < F(least["basic"])
    program, survey = found["mechanisms"]
    assert (program["at_epsilon"], program["adjacency"], program["steps"]) == ("1/10", "all-differ", 2)
    inputs, neighbour = ([F(x) for x in read] for read in program["inputs"])
    assert 0 < max(abs(x - y) for x, y in zip(inputs, neighbour, strict=True)) <= 1
    assert "at_epsilon" not in survey
    upper, lower = verdicts(path, folder / "account.cert.lower").out.splitlines()
    assert " lower=0 upper=1/1000 part=0 adjacency=all-differ at-epsilon=1/10 steps=2 " in upper
    assert " upper=1 part=0 adjacency=all-differ " in lower
    about = json.loads(Path(f"{path}.lower").read_bytes())["claim"]
    assert F(about["lower"]) > F(1, 1000)
    assert F(least["alpha_lower"]) - F(1, 10**12) < F(about["alpha"]) < F(least["alpha_lower"])
    text = " ".join(page.read_text("utf-8").split())
    for words in ("The two inputs of svt.json", "for all neighbouring inputs", "follow one another"):
        assert words in text


def test_which_ends_hold_for_all_inputs(folder: Path) -> None:
    zoo(folder, "svt")
    text = SPARSE + 'adjacency = "increasing"\ntimes = 2\n[ask]\nalpha = "11/10"\n'
    (folder / "account.toml").write_text(text, encoding="utf-8")
    run = prover("account", folder / "account.toml")
    assert run.status == 0, run.err
    lines = run.out.splitlines()
    assert lines[0] == "2 x  svt.json at epsilon = 1/10, increasing"
    assert lines[1].startswith("All numbers are the largest over 2 different combinations")
    said = lines.index("Lower ends are proved by these inputs, the same in every run:")
    assert lines[said - 1].startswith("Upper ends hold for all neighbouring inputs of the mechanisms, ")
    assert lines[said + 1].split()[:2] == ["svt.json", "x"]
    assert lines[-1] == "The two ends come from different proofs and need not meet."


GAUSSIAN = """
import prover
from prover.language import gaussian, see

@prover.mechanism
def sparse(queries):
    limit = gaussian(0, sigma="20")
    for count in queries:
        if gaussian(count, sigma="40") >= limit:
            see("hit")
            return
        see("miss")
"""


def test_gaussian_noise(folder: Path) -> None:
    (folder / "sparse.py").write_text(GAUSSIAN, encoding="utf-8")
    text = '[[mechanism]]\nmodel = "sparse.py:sparse"\nat_epsilon = 1\ntimes = 9\n[ask]\ndelta = "1e-6"\n'
    path = folder / "account.cert"
    (folder / "account.toml").write_text(text, encoding="utf-8")
    run = prover("account", folder / "account.toml")
    assert run.status == 2
    assert "Gaussian noise in a loop" in run.err
    (folder / "account.toml").write_text(text.replace("times", "steps = 2\ntimes"), encoding="utf-8")
    run = prover("account", folder / "account.toml", "--certificate", path)
    assert run.status == 0, run.err
    low, high = re.search(r"at least (0\.\d+) and at most (0\.\d+)", run.out).groups()  # type: ignore[union-attr]
    assert F(1, 10) < F(low) < F(high) < F(4) * F(low)
    assert "9 x  sparse.py:sparse, all-differ, at most 2 numbers" in run.out
    assert re.search(r"^  sparse\.py:sparse  x .*\n +y ", run.out, re.MULTILINE)
    assert " upper=1/1000000 part=0 adjacency=all-differ at-epsilon=1 steps=2 " in verdicts(path).out
    lower = verdicts(Path(f"{path}.lower")).out
    assert " upper=1 part=0 adjacency=all-differ at-epsilon=1 steps=2 " in lower
    same = text.replace("at_epsilon = 1", "steps = 2")
    (folder / "account.toml").write_text(same, encoding="utf-8")
    assert prover("account", folder / "account.toml").out == run.out[: run.out.index("Certificate")]


SHOWN = """
import prover
from prover.language import Query, gaussian, see

@prover.mechanism
def shown(query: Query):
    see(gaussian(query, sigma="4"))
"""


@pytest.mark.slow
def test_gaussian_noise_that_is_output(folder: Path) -> None:
    """The inputs are named; δ of the number alone is 2Φ(1/8) − 1, or .0995."""
    zoo(folder, "svt")
    (folder / "shown.py").write_text(SHOWN, encoding="utf-8")
    text = '[[mechanism]]\nmodel = "shown.py:shown"\nsteps = 1\n' + SPARSE + "steps = 2\n[ask]\nalpha = 1\n"
    (folder / "account.toml").write_text(text, encoding="utf-8")
    run = prover("account", folder / "account.toml")
    assert run.status == 0, run.err
    assert "no inputs were found" not in run.out
    assert re.search(r"shown.py:shown +x +\S+\n", run.out)
    least = text.replace("alpha = 1", 'delta = "1/100"')
    (folder / "account.toml").write_text(least, encoding="utf-8")
    said = prover("account", folder / "account.toml").out
    assert "the exact epsilon alone of the mechanisms that have one proves epsilon <= " in said
    assert "of each run" not in said


@pytest.mark.slow
def test_rational_noise(folder: Path) -> None:
    zoo(folder, "svt-discrete")
    text = '[[mechanism]]\nmodel = "svt-discrete.json"\nq = "9/10"\ntimes = 4\n'
    text += 'adjacency = "one-differ"\n[ask]\nalpha = "5/4"\n'
    path, model = folder / "account.cert", folder / "svt-discrete.json"
    (folder / "account.toml").write_text(text, encoding="utf-8")
    run = prover("account", folder / "account.toml", "--json", "--certificate", path)
    found = json.loads(run.out)
    (one,), (part,) = found["deltas"], found["mechanisms"]
    assert 0 < F(one["lower"]) < F(one["upper"]) < 1
    assert (part["q"], part["at_epsilon"]) == ("9/10", None)
    for end in (path, f"{path}.lower"):
        asked = prover("verify", end, "--model", model, "--q", "9/10", "--at-most", "1")
        assert " part=0 adjacency=one-differ q=9/10 " in asked.out
        assert prover("verify", end, "--q", "1/2").status == 1
        assert prover("verify", end, "--at-most", "1").status == 1


@pytest.mark.parametrize(
    ("model", "noise", "words"),
    [
        ("svt-discrete", 'q = "1/2"\nat_epsilon = 1', "give epsilon or q, not both"),
        ("svt-discrete", 'q = "3/2"', "must be between 0 and 1"),
        ("svt-discrete", 'q = "a"', "malformed number"),
        ("svt-discrete", "steps = 2", "the answer for a threshold program depends on its noise"),
        ("svt", 'q = "1/2"', "is for discrete noise only"),
    ],
)
def test_noise_that_is_refused(folder: Path, model: str, noise: str, words: str) -> None:
    zoo(folder, model)
    text = f'[[mechanism]]\nmodel = "{model}.json"\n{noise}\n[ask]\nalpha = 1\n'
    (folder / "account.toml").write_text(text, encoding="utf-8")
    run = prover("account", folder / "account.toml")
    assert run.status == 2
    assert re.search(rf"account\.toml: \$\.mechanism\[0\]: .*{words}", run.err)


@pytest.mark.parametrize("certified", [False, True])
def test_an_epsilon_where_tables_prove_none(folder: Path, certified: bool) -> None:
    """Rounding leaves a little of the bounds of tables at every α, but nothing of those of exact ε."""
    zoo(folder, "svt")
    (folder / "zero.toml").write_text(SPARSE + "times = 2\nsteps = 1\n[ask]\ndelta = 0\n", encoding="utf-8")
    proof = ("--certificate", folder / "zero.cert") if certified else ()
    run = prover("account", folder / "zero.toml", "--json", *proof)
    (least,) = json.loads(run.out)["epsilons"]
    assert (least["impossible"], least["advanced"]) == (False, None)
    assert F(1, 25) < F(least["lower"]) < F(1, 4) <= F(least["upper"]) < F("0.25000001")
    assert F(1, 4) <= F(least["basic"]) == F(least["exact_epsilons"]) < F("0.2500000001")
    if certified:
        assert " value=0 " in verdicts(folder / "zero.cert").out


@pytest.fixture
def endless(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """A chain of which words lead to infinitely many belief pairs, and two of its states."""
    monkeypatch.setattr(word_graph, "MOST_CYCLIC_NODES", 20)
    model = zoo(folder, "random-chain", "states=6", "labels=2", "seed=5")
    return model, "--from", "s2", "--to", "s0"


def test_endless_curves_have_certificates(folder: Path, endless: tuple[Any, ...]) -> None:
    path = folder / "curve.cert"
    asked = ("--epsilon", "0:1/2:3", "--gap", "1/1000", "--no-bounds", "--json", "--certificate", path)
    run = prover("curve", *endless, *asked)
    assert run.status == 0, run.err
    rows = json.loads(run.out)["rows"]
    assert all(0 < F(row["lower"]) < F(row["upper"]) < F(row["lower"]) + F(1, 1000) for row in rows)
    assert " of=tv points=5 " in verdicts(path).out
    claimed = json.loads(path.read_bytes())["claim"]["points"]
    for row in rows:
        assert row["lower"] in {low for _, low, _ in claimed}
        assert row["upper"] in {high for _, _, high in claimed}


def test_endless_chains_are_composed_with_certificates(folder: Path, endless: tuple[Any, ...]) -> None:
    path = folder / "times.cert"
    asked = ("--delta", "1/4", "--times", "3", "--gap", "1/100", "--json", "--certificate", path)
    run = prover("epsilon", *endless, *asked)
    assert run.status == 0, run.err
    found = json.loads(run.out)
    assert found["times"] == 3
    assert verdicts(path).out.startswith("VERIFIED composition ")
    claim = json.loads(path.read_bytes())["claim"]
    assert claim["alpha"] == found["alpha_upper"]
    assert F(claim["upper"]) <= F(1, 4)


FIXED = (
    SURVEY + 'from = "a"\nto = "b"\ntimes = 3\nsampling = "fixed size"\nrate = "1/4"\n[ask]\nalpha = "6/5"\n'
)


def test_samples_of_a_fixed_size(folder: Path) -> None:
    found = account(folder, FIXED)
    assert found["mechanisms"][0]["sampling_size"] == "fixed"
    (row,) = found["deltas"]
    assert F(row["lower"]) < F(row["upper"])  # the first is that of Poisson samples
    poisson = account(folder, FIXED.replace("fixed size", "poisson"))["deltas"][0]
    assert F(row["lower"]) <= F(poisson["value"]) <= F(row["lower"]) + F(1, 10**5)
    path = folder / "proof"
    (folder / "account.toml").write_text(FIXED, encoding="utf-8")
    run = prover("account", folder / "account.toml", "--certificate", path)
    assert run.status == 0, run.err
    assert 'from="a" to="b" sampling=fixed-size rate=1/4' in verdicts(path).out
    assert "neighbours have other data of one person" in run.out
    for old, new in (("fixed size", "stratified"), ("rate = ", 'neighbours = "add or remove"\nrate = ')):
        assert account_error(folder, FIXED.replace(old, new)).count("Others are not answered") == 1
    with_replace = FIXED.replace("fixed size", "poisson").replace(
        "rate = ", 'neighbours = "replace"\nrate = '
    )
    assert "Others are not answered" in account_error(folder, with_replace)


def account_error(folder: Path, text: str) -> str:
    """What ``prover account`` complains of."""
    (folder / "account.toml").write_text(text, encoding="utf-8")
    run = prover("account", folder / "account.toml")
    assert (run.status, run.out) == (2, "")
    return run.err
