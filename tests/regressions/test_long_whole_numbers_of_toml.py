"""A whole number of more than 4,300 digits in a TOML file was a traceback: Python does not read it."""

from prover.formats.toml import read_toml
from tests.refusals import refuses


def test_is_refused_with_what_to_write() -> None:
    with refuses("not-toml", match="more than 4,300 digits; write it between quotation marks"):
        read_toml("alpha = " + "1" * 4_301)
    assert read_toml(f'alpha = "{"1" * 4_301}"') == {"alpha": "1" * 4_301}
