"""Chains written in one format and read again, and from one format to the next."""

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.chain.model import LabelledMarkovChain
from prover.chain.product import repeat
from prover.formats.convert import convert, save
from prover.formats.explicit.drn import read_drn
from prover.formats.explicit.prism import Companion, read_combined, read_prism
from prover.formats.explicit.writing import combined_text, drn_text, explicit_of, prism_texts
from prover.formats.load import load
from prover.zoo import dining_cryptographers, fig1, pin_checker, randomised_response, svt
from tests.formats.explicit.made import DRN, LAB, STA, TRA
from tests.refusals import refuses
from tests.strategies import chains

EXTENSIONS = ("tra", "pexp", "drn", "json")
ODD = LabelledMarkovChain.of(
    {
        "": ("", {"7": "1/36893488147419103233", "": "36893488147419103232/36893488147419103233"}),
        'a "b"\n\\': ("a,b", {"7": 1}),
        "7": ("b,a", {"": 1}),
        "ü,=[]&": ('(x, "y")\n', {"ü,=[]&": Fraction(1, 3), "7": Fraction(2, 3)}),
        "z": ("l0", {"7": 1}),
    },
    [("", "z"), ("7", "7"), ("7", "z")],
)
ASSIGNED = LabelledMarkovChain.of(
    {
        f"x={k},b={text}": ("x=0" if k else "b", {f"x=-1,b={text}": 1})
        for k, text in ((-1, "true"), (2, "true"))
    }
)
CHAINS = [
    *(pin_checker(), fig1(), dining_cryptographers(n=2), randomised_response(), ODD, ASSIGNED),
    randomised_response(respondents=2),
    repeat(randomised_response(), 2),
]  # fmt: skip


def round_trip(chain: LabelledMarkovChain, folder: Path, *extensions: str) -> None:
    previous = None
    for number, extension in enumerate(extensions):
        path = folder / f"m{number}.{extension}"
        if previous is None:
            save(chain, path)
        else:
            convert(previous, path, on_note=lambda _: None)
        assert load(path, on_note=lambda _: None) == chain, extension
        previous = path


@pytest.mark.family
@pytest.mark.parametrize("chain", CHAINS, ids=range(len(CHAINS)))
def test_all_ways_round(chain: LabelledMarkovChain, tmp_path: Path) -> None:
    for first in EXTENSIONS:
        for second in EXTENSIONS:
            folder = tmp_path / f"{first}-{second}"
            folder.mkdir()
            round_trip(chain, folder, first, second)


@given(chain=chains(max_states=5, related=True), way=st.permutations(EXTENSIONS))
def test_random_chains(chain: LabelledMarkovChain, way: list[str]) -> None:
    with TemporaryDirectory() as folder:
        round_trip(chain, Path(folder), *way)


def test_what_model_checkers_wrote_is_kept(tmp_path: Path) -> None:
    chain = read_prism(TRA, Companion("m.lab", LAB), Companion("m.sta", STA))
    texts = prism_texts(chain)
    assert texts.states is not None
    companions = Companion("m.lab", texts.labels), Companion("m.sta", texts.states)
    assert read_prism(texts.transitions, *companions) == chain
    assert read_drn(drn_text(chain)) == chain == read_combined(combined_text(chain))
    assert (texts.transitions, texts.labels, texts.states) == (TRA, LAB.replace("3 1", "1 3"), STA)
    assert read_drn(drn_text(read_drn(DRN))) == read_drn(DRN)
    (tmp_path / "in.drn").write_text(DRN, encoding="utf-8")
    convert(tmp_path / "in.drn", tmp_path / "out.tra")
    assert (tmp_path / "out.sta").read_text(
        encoding="utf-8"
    ) == "(seen,side)\n0:(false,0)\n1:(true,1)\n2:(true,2)\n"
    assert (tmp_path / "out.lab").read_text(encoding="utf-8") == LAB.replace("3 1", "1 3")


def test_a_view_can_be_converted(tmp_path: Path) -> None:
    (tmp_path / "in.drn").write_text(DRN.replace("] heads", "] heads init"), encoding="utf-8")
    said: list[str] = []
    convert(tmp_path / "in.drn", tmp_path / "out.json", observe="side", on_note=said.append)
    chain = load(tmp_path / "out.json")
    assert isinstance(chain, LabelledMarkovChain)
    assert chain.labels == ("side=0", "side=1", "side=2")
    assert chain.relation == ((0, 1), (1, 0))
    assert len(said) == 1


@pytest.mark.parametrize("label", ["init", "deadlock", "a,init"])
def test_labels_with_a_meaning_of_their_own(label: str) -> None:
    with refuses("not-in-format", match="has a meaning of its own"):
        explicit_of(LabelledMarkovChain.of({"s": (label, {"s": 1})}))


def test_values_that_a_comment_cannot_hold() -> None:
    chain = read_prism(TRA, None, Companion("m.sta", STA.replace("(2,", "(a&b,")))
    with refuses("not-in-format", match="cannot be written as the value"):
        drn_text(chain)


def refused(model: object, path: Path, error: str) -> None:
    before = sorted(path.parent.iterdir())
    with refuses(error) as caught:
        save(model, path)  # type: ignore[arg-type]
    assert caught.value.file == str(path)
    assert sorted(path.parent.iterdir()) == before


@pytest.mark.parametrize("extension", ["tra", "drn", "pexp"])
def test_programs_are_no_chains(tmp_path: Path, extension: str) -> None:
    refused(svt(), tmp_path / f"m.{extension}", "only-chains")


def test_a_stale_file_is_not_taken_for_a_part(tmp_path: Path) -> None:
    (tmp_path / "m.sta").write_text(STA, encoding="utf-8")
    refused(fig1(), tmp_path / "m.tra", "stale-companion")
