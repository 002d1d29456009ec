"""The zoo's programs: their rates and their structure. What they cost is for the engines' tests."""

from fractions import Fraction

import pytest

from prover.errors import BadInput
from prover.program.conditions import conditions
from prover.program.model import Edge, Program, reachable, variables
from prover.program.noise import Noise
from prover.program.privacy import privacy
from prover.zoo import (
    NAMES,
    BadParameter,
    build,
    chain_of_tests,
    disclosing_cycle,
    leaking_cycle,
    leaking_pair,
    lyu_1,
    lyu_2,
    lyu_3,
    lyu_4,
    lyu_5,
    lyu_6,
    numeric_sparse,
    numeric_svt,
    partition,
    sharing_family,
    sharing_member,
    sharing_pair,
    svt,
    svt_discrete,
    svt_star,
    violating_path_a,
    violating_path_b,
    violating_path_c,
)


def described(edge: Edge) -> str:
    """An edge in short: source, guard, "=" if it assigns, output, target."""
    return f"{edge.source} {edge.relation or 'true'}{' =' * edge.assigns} {edge.output} {edge.target}"


def edges(program: Program) -> list[str]:
    return [described(edge) for edge in program.edges]


def rates(program: Program) -> list[str]:
    """The rates of the states in their order, a non-input state's in brackets."""
    ordered = sorted(program.states, key=lambda name: int(name.removeprefix("q")))
    states = [program.states[name] for name in ordered]
    return [str(state.rate) if state.input else f"({state.rate})" for state in states]


def primes(program: Program) -> set[Fraction | None]:
    return {None if state.second is None else state.second[0] for state in program.states.values()}


SEVERAL = (
    *("m-range", "k-min-max", "num-range", "two-range", "nested-thresholds", "levels", "streams"),
    "counterexample",
)
HIDDEN = ("noisy-max", "hidden-exit", "hidden-xor")
ENDLESS = ("lyu-5", "lyu-6")
PROGRAMS = [name for name in NAMES if name not in (*SEVERAL, *HIDDEN) and isinstance(build(name), Program)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_conditions_hold(name: str) -> None:
    program = build(name)
    assert isinstance(program, Program)
    met = conditions(program)
    assert met.determinism
    assert met.output_distinction
    assert len(variables(program)) == 1
    assert reachable(program) == set(program.states)
    assert program.initial == "q1"
    assert f"q{len(program.states) + 1}" in {edge.target for edge in program.edges} or name in ENDLESS


class TestSparseVectors:
    def test_svt(self) -> None:
        assert rates(svt()) == ["(1/4)", "1/2"]
        assert edges(svt()) == ["q1 true = oinput q2", "q2 < obot q2", "q2 >= otop q3"]

    def test_svt_on_a_grid(self) -> None:
        program = svt_discrete("3", "1/2")
        assert (rates(program), edges(program)) == (rates(svt()), edges(svt()))
        assert program.noise == Noise("discrete-laplace", Fraction(1, 2), Fraction(3))
        assert str(privacy(program).epsilon) == "15/4"
        with pytest.raises(BadParameter, match="sensitivity"):
            svt_discrete("0")
        with pytest.raises(BadInput, match="grid"):
            svt_discrete("1", "2")

    def test_no_noise_on_the_answers(self) -> None:
        assert edges(lyu_5()) == edges(lyu_6())
        assert lyu_5(3) == lyu_5()
        assert lyu_5().states["q2"].rates == ("inf", "inf")
        for adjacency in ("all-differ", "one-differ", "monotonic"):
            assert privacy(lyu_5(), adjacency).private is False
        assert privacy(lyu_5()).reason == "vanishing run"

    def test_numeric_sparse(self) -> None:
        assert rates(numeric_sparse()) == rates(numeric_sparse("insample")) == ["(1/4)", "1/2"]
        assert edges(numeric_sparse())[2] == "q2 >= insampleprime q3"
        assert edges(numeric_sparse("insample"))[2] == "q2 >= insample q3"
        assert primes(numeric_sparse()) == {None, Fraction(1, 2)}
        assert primes(numeric_sparse("insample")) == {None}

    @pytest.mark.parametrize("c", [1, 2, 3])
    def test_one_threshold_and_copies(self, c: int) -> None:
        copies = [case for k in range(2, c + 2) for case in (f"q{k} < obot q{k}", f"q{k} >= otop q{k + 1}")]
        assert edges(lyu_1(c)) == edges(lyu_4(c)) == ["q1 true = oinput q2", *copies]
        assert edges(lyu_3(c)) == [edge.replace("otop", "insample") for edge in edges(lyu_1(c))]
        assert edges(numeric_svt(c)) == [edge.replace("otop", "insampleprime") for edge in edges(lyu_1(c))]
        assert rates(lyu_1(c)) == ["(1/2)", *[str(Fraction(1, 4 * c))] * c]
        assert rates(lyu_3(c)) == ["(1/2)", *[str(Fraction(1, 2 * c))] * c]
        assert rates(lyu_4(c)) == ["(1/4)", *["3/4"] * c]
        assert rates(numeric_svt(c)) == ["(1/3)", *[str(Fraction(1, 6 * c))] * c]
        assert primes(numeric_svt(c)) == {None, Fraction(1, 3 * c)}

    def test_new_thresholds(self) -> None:
        assert edges(lyu_2(2)) == [
            "q1 true = oinput q2",
            "q2 < obot q2",
            "q2 >= otop q3",
            "q3 true = oinput q4",
            "q4 < obot q4",
            "q4 >= otop q5",
        ]
        assert rates(lyu_2(2)) == ["(1/4)", "1/8", "(1/4)", "1/8"]

    def test_no_cut_off(self) -> None:
        assert edges(lyu_6()) == ["q1 true = oinput q2", "q2 < obot q2", "q2 >= otop q2"]
        assert rates(lyu_6(7)) == ["(1/2)", "1/2"]


class TestLeaks:
    def test_svt_star(self) -> None:
        assert edges(svt_star())[1:] == ["q2 < obot q2", "q2 >= otop q3", "q3 < obot q4", "q3 >= otop q3"]

    def test_leaking_cycle(self) -> None:
        assert edges(leaking_cycle())[1:] == ["q2 < = obot q2", "q2 >= otop q3"]

    def test_leaking_pair(self) -> None:
        assert edges(leaking_pair())[1:] == [
            "q2 < obot q2", "q2 >= = otop q3", "q3 < obot q4", "q3 >= otop q3"
        ]  # fmt: skip

    def test_disclosing_cycle(self) -> None:
        assert edges(disclosing_cycle())[1:] == ["q2 < insampleprime q2", "q2 >= otop q3"]
        assert primes(disclosing_cycle()) == {None, Fraction(1, 2)}

    def test_violating_paths(self) -> None:
        assert edges(violating_path_a()) == ["q1 true = insample q2", "q2 < obot q3", "q2 >= otop q2"]
        assert edges(violating_path_b())[1:] == [
            "q2 < insample q3", "q2 >= otop q4", "q3 < obot q4", "q3 >= otop q3"
        ]  # fmt: skip
        assert edges(violating_path_c())[1:] == [
            "q2 < obot q2", "q2 >= otop q3", "q3 < obot q4", "q3 >= insample q4"
        ]  # fmt: skip

    def test_mirror_images(self) -> None:
        assert edges(violating_path_a("yes")) == ["q1 true = insample q2", "q2 < obot q2", "q2 >= otop q3"]
        assert edges(violating_path_b("yes"))[1:] == [
            "q2 < obot q4", "q2 >= insample q3", "q3 < obot q3", "q3 >= otop q4"
        ]  # fmt: skip
        assert edges(violating_path_c("yes"))[1:] == [
            "q2 < obot q3", "q2 >= otop q2", "q3 < insample q4", "q3 >= otop q4"
        ]  # fmt: skip


class TestLines:
    def test_chain_of_tests(self) -> None:
        assert edges(chain_of_tests(2)) == [
            "q1 true = oinput q2", "q2 < obot q3", "q2 >= otop q4", "q3 < obot q4", "q3 >= otop q4"
        ]  # fmt: skip
        assert rates(chain_of_tests()) == ["1/4"] * 6

    def test_partition(self) -> None:
        assert edges(partition("2,3")) == [
            "q1 true = oinput q2", "q2 >= = otop q3", "q3 >= = otop q4", "q4 >= = otop q5"
        ]  # fmt: skip
        assert rates(partition("2,3")) == ["6", "2", "3", "6"]
        assert rates(partition("1/2,0.25")) == ["7/4", "1/2", "1/4", "7/4"]


class TestSharing:
    def test_the_pair(self) -> None:
        assert edges(sharing_pair(1)) == ["q1 true = oinput q2", "q2 < obot q3", "q2 >= otop q3"]
        assert edges(sharing_pair(3)) == [
            "q1 true = oinput q2", "q2 < obot q3", "q2 >= otop q5",
            "q3 < obot q4", "q4 < obot q7", "q5 >= otop q6", "q6 >= otop q7"
        ]  # fmt: skip
        assert rates(sharing_pair(3)) == ["1"] * 6

    def test_the_family(self) -> None:
        assert edges(sharing_family(1)) == [
            "q1 true = oinput q2", "q2 >= = otop q3", "q3 < obot q4", "q3 >= otop q5", "q4 < obot q4"
        ]  # fmt: skip
        blocks = sharing_family(2)
        assert len(blocks.states) == 10
        assert [described(edge) for edge in blocks.edges if edge.relation == "<"] == [
            "q10 < obot q10", "q3 < obot q9", "q7 < obot q10", "q9 < obot q9"
        ]  # fmt: skip
        assert "q8 >= otop q11" in edges(blocks)

    def test_its_members(self) -> None:
        assert edges(sharing_member(1, 0)) == ["q1 true = oinput q2", "q2 >= = otop q3", "q3 >= otop q4"]
        assert edges(sharing_member(2, 2)) == ["q11 true = oinput q6", "q6 < obot q6", "q6 >= = otop q7"]
        assert "q6 >= = otop q7" in edges(sharing_member(2, 0))
