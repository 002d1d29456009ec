"""Small changes of the examples: a line removed, a counter wrong, a number reused; verdicts follow."""

from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

import prover
from prover.language.files import constants_of, function_in
from prover.language.mechanism.states import explored
from prover.language.written import Mechanism, Protocol

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "mechanisms"

# File, function, constants, the text that is changed (its first place in the function), the new text, and
# what is to come out: a loss, or the reason why there is none.
MUTATIONS = [
    ("sparse_vector", "above_threshold", "", "            return\n", "", "leaking pair"),
    ("sparse_vector", "above_threshold", "", 'rate="1/2"', 'rate="1"', Fraction(9, 4)),
    ("sparse_vector", "above_threshold", "", ">= threshold", "< threshold", Fraction(5, 4)),
    ("sparse_vector", "above_threshold", "", "laplace(0,", "laplace(5,", Fraction(5, 4)),
    ("sparse_vector", "lyu_1", "c=3", "            found += 1\n", "", "leaking pair"),
    ("sparse_vector", "lyu_1", "c=3", "found == c", "found == c + 1", Fraction(7, 6)),
    ("sparse_vector", "lyu_1", "c=3", "found == c", "found > 0", Fraction(2, 3)),
    ("sparse_vector", "lyu_1", "c=3", "found == c", "found == -1", "states"),
    ("sparse_vector", "lyu_1", "c=3", "scale=4 * c", "scale=4", Fraction(2)),
    ("sparse_vector", "lyu_2", "c=3", "            threshold = laplace(0, scale=2 * c)", "", Fraction(2, 3)),
    ("sparse_vector", "lyu_2", "c=3", "                break\n", "                pass\n", "states"),
    ("sparse_vector", "lyu_2", "c=3", "found >= c", "found > c", Fraction(4, 3)),
    ("sparse_vector", "lyu_3", "c=2", "see(noisy)", "see(laplace(query, scale=2))", Fraction(5, 2)),
    ("sparse_vector", "lyu_4", "c=2", "found = 0", "found = 1", Fraction(7, 4)),
    ("sparse_vector", "lyu_6", "", "for query in queries:", "for query in (next(queries),):", Fraction(1, 2)),
    ("sparse_vector", "numeric_sparse", "", "see(laplace(query", "see(1)  # ((query", Fraction(5, 4)),
    ("sparse_vector", "numeric_sparse", "", "            return\n", "", "not private"),
    ("sparse_vector", "numeric_sparse_reused", "", "see(noisy)", 'see("above")', Fraction(5, 4)),
    ("sparse_vector", "numeric_svt", "n=2", "            left -= 1\n", "", "not private"),
    ("sparse_vector", "until_it_falls", "", "            break\n",
     "            threshold = laplace(0, rate=1)\n            break\n", Fraction(13, 4)),
    ("several_thresholds", "between", "", "see(laplace(query, rate=\"1/2\"))", "see(noisy)", "not private"),
    ("several_thresholds", "least_and_largest", "k=3", "            low = noisy\n", "", Fraction(1)),
    ("several_thresholds", "rising_thresholds", "n=2", "                break\n", "", "leaking"),
    ("leaks", "falling", "", "        last = noisy\n", "", Fraction(5, 4)),
    ("leaks", "down_then_up", "", "            threshold = noisy\n", "", "leaking pair"),
    ("leaks", "shows_numbers", "", "see(laplace(query, rate=\"1/2\"))", 'see("below")', Fraction(5, 4)),
    ("leaks", "tells_the_threshold", "", "    see(threshold)\n", "", Fraction(5, 4)),
]  # fmt: skip
PROTOCOLS = [
    ("survey", "", "6/5", "not truth", "truth", Fraction(1)),
    ("survey", "", "6/5", '"2/3"', '"1/2"', Fraction(0)),
    ("pin_checker", "", "11/10", '"53/100"', '"1/2"', Fraction(0)),
    ("diners", "payer=[0,1]", "1", "(diner == payer)", "False", Fraction(0)),
    ("diners", "payer=[0,1]", "1", "coin = first if diner == n - 1 else flip(p)", "coin = flip(p)", None),
    ("three_colours", "colour=[0,1,2]", "1", '"1/4", "1/4"', '"1/2", "0"', Fraction(1, 2)),
]


def changed(file: str, name: str, old: str, new: str) -> str:
    """The file with one place of a function changed."""
    text = (FOLDER / f"{file}.py").read_text()
    before, header, body = text.partition(f"def {name}(")
    assert old in body.split("@prover.")[0], f"{name} holds no {old!r}"
    return before + header + body.replace(old, new, 1)


@pytest.mark.parametrize(("file", "name", "const", "old", "new", "expected"), MUTATIONS)
def test_a_change_of_a_mechanism_changes_the_verdict(
    file: str,
    name: str,
    const: str,
    old: str,
    new: str,
    expected: Fraction | str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("prover.language.written.explored", partial(explored, limit=500))
    function = function_in(changed(file, name, old, new).encode(), name, None)
    assert isinstance(function, Mechanism)
    if expected == "states":
        with pytest.raises(prover.BadInput, match="more than 500 states"):
            function.program(constants_of(const))
        return
    answer = prover.privacy(function.program(constants_of(const)))
    if isinstance(expected, Fraction):
        assert answer.epsilon == expected
    else:
        assert expected in answer.headline


@pytest.mark.parametrize(("name", "const", "alpha", "old", "new", "expected"), PROTOCOLS)
def test_a_change_of_a_protocol_changes_delta(
    name: str, const: str, alpha: str, old: str, new: str, expected: Fraction | None
) -> None:
    function = function_in(changed("protocols", name, old, new).encode(), name, None)
    assert isinstance(function, Protocol)
    value = prover.delta(function.chain(constants_of(const)), alpha=alpha).value
    before = prover.delta(prover.load_chain(FOLDER / f"protocols.py:{name}", const=const), alpha=alpha).value
    assert value != before
    if expected is not None:
        assert value == expected
