"""What help() and editors show of public functions: every parameter, and each arrives where it belongs."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable
from typing import Any

import pytest

import prover
from prover import testing
from prover.chain.unrolling.refinement import Limits, UnrollingLimits
from prover.errors import WrongArgument
from prover.formats.reading import Reading
from prover.zoo import pin_checker
from prover.zoo.interactive import wait
from tests.refusals import refuses

READING = list(inspect.signature(Reading.of).parameters)


class Called(Exception):
    """What a function was called with."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__()
        self.given = given


def keywords(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    found = inspect.signature(function).parameters
    return {name: one for name, one in found.items() if one.kind is one.KEYWORD_ONLY}


def noting(function: Callable[..., Any]) -> Callable[..., Any]:
    """In place of a function: raises what it was called with."""

    def noted(*arguments: Any, **options: Any) -> None:
        raise Called(dict(inspect.signature(function).bind(*arguments, **options).arguments))

    return noted


@pytest.mark.parametrize("name", sorted(name for name in prover.__all__ if name[0].islower()))
def test_public_functions_spell_out_their_parameters(name: str) -> None:
    function = getattr(prover, name)
    kinds = {one.kind for one in inspect.signature(function).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds


def test_help_shows_them() -> None:
    shown = pydoc.plain(pydoc.render_doc(prover.delta))
    for name in ("epsilon", "gap", "kind", "at_most", "open_loop", "limits", "progress", "on_interval"):
        assert f"{name}:" in shown
    assert "secret_pairs:" in pydoc.plain(pydoc.render_doc(prover.load_chain))


def test_limits_are_those_of_the_engine() -> None:
    with pytest.raises(WrongArgument, match=r"^limits must be UnrollingLimits, not a Limits$"):
        prover.delta(pin_checker(), alpha=1, limits=Limits())
    with pytest.raises(WrongArgument, match=r"^limits must be Limits, not a UnrollingLimits$"):
        prover.curve(wait(), "s", "t", [1], limits=UnrollingLimits())


@pytest.mark.parametrize("option", [{"engine": "linear"}, {"bounds": "upper"}, {"max_bits": 9}, {"jobs": 2}])
def test_what_only_chains_have_is_refused_where_an_attacker_chooses(option: dict[str, Any]) -> None:
    (name,) = option
    for function in (prover.distance, prover.distances):
        with refuses("not-interactive", match=f"^{name} is for distances of chains"):
            function(wait(), alpha=2, **option)
    with refuses("not-interactive", match=r"^provable is for curves of chains$"):
        prover.curve(wait(), "s", "t", [1], provable=True)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (prover.load, ["m.json"]),
        (prover.load_chain, ["m.json"]),
        (prover.load_program, ["m.json"]),
        (prover.convert, ["m.json", "n.json"]),
        (testing.assert_private, ["m.json"]),
    ],
)
def test_every_option_about_reading_arrives(
    function: Callable[..., Any], arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {name: object() for name in READING}
    monkeypatch.setattr(Reading, "of", noting(Reading.of))
    with pytest.raises(Called) as raised:
        function(*arguments, **given)
    assert raised.value.given == given
