"""Whatever stands in a file: a model or one clear error."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.errors import BadInput
from prover.formats.explicit.drn import read_drn
from prover.formats.explicit.observation import observed
from prover.formats.explicit.prism import Companion, read_combined, read_prism
from prover.formats.explicit.process import Explicit
from prover.formats.reading import Reading
from tests.formats.explicit.made import DRN, LAB, PEXP, STA, STORM_LAB, STORM_TRA, TRA

READERS: dict[str, tuple[list[str], Callable[[str], Explicit]]] = {
    "tra": ([TRA, STORM_TRA], read_prism),
    "lab": ([LAB, STORM_LAB], lambda text: read_prism(TRA, Companion("m.lab", text))),
    "sta": ([STA], lambda text: read_prism(TRA, None, Companion("m.sta", text))),
    "pexp": ([PEXP], read_combined),
    "drn": ([DRN], read_drn),
}
PIECES = [
    *(
        "0",
        "1",
        "2",
        "3",
        "-1",
        "1e9",
        "999999999999",
        "1/3",
        "0.5",
        "dtmc",
        "DTMC",
        "init",
        ":",
        "=",
        "(",
        ")",
    ),
    *(
        "#",
        "#!",
        "//",
        "//!",
        "//[x=1]",
        "@model",
        "@type: DTMC",
        "state",
        "action",
        "[",
        "]",
        '"',
        "$p",
        "\0",
        "ü",
    ),
    *(
        '#! state 0 "s"',
        "#! related 0 1",
        '#! proposition heads "h"',
        "# States",
        "# Labels",
        "- 1",
        "\n",
        "\t",
    ),
    *("#! state 0 [[[[", '"\\ud800"', "1e-9999", "99999999999999999999/3", "#DECLARATION", "#END"),
]


def survives(read: Callable[[str], Explicit], text: str) -> None:
    said = ""
    try:
        observed(read(text), Reading())
    except BadInput as error:
        said = str(error)
    assert said.isprintable()
    assert len(said) < 2_000


def spoilt(text: str, random: Random) -> str:
    """The text with one to three changes: characters, words and lines go, come twice or change places."""
    for _ in range(random.randint(1, 3)):
        if random.random() < 0.5:
            lines = text.split("\n")
            place = random.randrange(len(lines))
            words = lines[place].split(" ")
            words[random.randrange(len(words))] = random.choice(PIECES)
            lines[place] = " ".join(words)
            if random.random() < 0.3:
                lines.insert(random.randrange(len(lines)), lines[place])
            text = "\n".join(lines)
        else:
            place = random.randrange(len(text) + 1)
            text = text[:place] + random.choice(["", *PIECES]) + text[place + random.randint(0, 2) :]
    return text


@pytest.mark.parametrize("kind", sorted(READERS))
@given(seed=st.integers(0, 2**32))
def test_spoilt_files(kind: str, seed: int) -> None:
    random = Random(seed)
    texts, read = READERS[kind]
    survives(read, spoilt(random.choice(texts), random))


@pytest.mark.parametrize("kind", sorted(READERS))
@given(text=st.text() | st.lists(st.sampled_from([*PIECES, " "])).map("".join))
def test_any_text(kind: str, text: str) -> None:
    survives(READERS[kind][1], text)
