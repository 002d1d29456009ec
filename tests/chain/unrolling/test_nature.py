"""Games against nature: values by strategies one by one, what is hidden, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import pytest

from prover.certificate.verification import verify
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import BadOptions, NotSupported, UnknownName, WrongArgument
from prover.questions import delta
from prover.zoo import pin_checker
from prover.zoo.interactive import doors
from tests.interactive_oracle import attackers_delta
from tests.nature_oracle import NATURE, gain_of_attack, least_best_gain, random_game, with_seen_choices

Process = LabelledMarkovDecisionProcess

ENDS: dict[str, Any] = {name: (name, {name: 1}) for name in ("win", "lose", "x", "z")}


def between(process: Process, *against: str, alpha: str = "1", kind: str = "lv") -> tuple[Fraction, Fraction]:
    answer = attackers_delta(process, "s", "t", alpha, kind=kind, against=against)
    assert f" nature={','.join(f'{chr(34)}{a}{chr(34)}' for a in answer.nature)}" in verify(
        answer.certificate
    )
    return answer.lower, answer.upper


def test_nature_chooses_what_tells_least() -> None:
    rows: dict[str, Any] = {"clear": {"win": 1}, "noisy": {"win": "1/2", "x": "1/2"}}
    other: dict[str, Any] = {"clear": {"lose": 1}, "noisy": {"lose": "1/2", "x": "1/2"}}
    seen: dict[str, Any] = {"clear": {"W": 1}, "noisy": {"win": "1/2", "x": "1/2"}}
    hidden = Process.of({"s": ("a", rows), "t": ("a", other), **ENDS})
    shown = Process.of(
        {"s": ("a", seen), "t": ("a", other | {"clear": {"L": 1}}), **ENDS}
        | {"W": ("W", {"W": 1}), "L": ("L", {"L": 1})}
    )
    assert delta(shown, "s", "t", 1).value == 1
    assert between(shown, "clear", "noisy") == (Fraction(1, 2), Fraction(1, 2))
    assert between(hidden, "clear", "noisy") == (Fraction(0), Fraction(1, 2))


def test_a_coin_hides_what_no_pure_choice_hides() -> None:
    """Both actions give the secret away; a fair coin between them gives nothing away. The value of pure
    choices, 1, is only an upper bound where the label does not show the action, and the value where it does.
    """
    crossing = {
        "s": ("a", {"m": {"x": 1}, "n": {"z": 1}}),
        "t": ("a", {"m": {"z": 1}, "n": {"x": 1}}),
        **ENDS,
    }
    process = Process.of(crossing, [("s", "t")])
    tossed = Process.of(
        {"s": ("a", {"x": "1/2", "z": "1/2"}), "t": ("a", {"x": "1/2", "z": "1/2"}), **ENDS}
    ).as_chain()
    assert delta(tossed, "s", "t", 1).value == 0
    assert between(process, *NATURE) == (Fraction(0), Fraction(1))
    assert attackers_delta(with_seen_choices(process), "s", "t", 1, against=NATURE).value == 1


def test_nature_may_wait_for_ever() -> None:
    """1 also solves v = min(v, 1): the value is the least solution."""
    process = Process.of(
        {
            "s": ("a", {"wait": {"s": 1}, "go": {"x": 1}}),
            "t": ("a", {"wait": {"t": 1}, "go": {"z": 1}}),
            **ENDS,
        }
    )
    assert between(process, "wait", "go") == (Fraction(0), Fraction(0))


def test_nature_that_waits_with_a_chance_does_not_wait_for_ever() -> None:
    """Cycles of both players: the attacker may ask again, and nature is slow, but surely answers."""
    states: dict[str, Any] = {
        "s": ("ask", {"again": {"S": 1}, "leave": {"lose": 1}}),
        "t": ("ask", {"again": {"T": 1}, "leave": {"lose": 1}}),
        "S": ("serve", {"fast": {"x": 1}, "slow": {"s": "1/2", "win": "1/4", "lose": "1/4"}}),
        "T": ("serve", {"fast": {"z": 1}, "slow": {"t": "1/2", "win": "1/8", "lose": "3/8"}}),
    }
    process = Process.of({**states, **ENDS}, [("s", "t")])
    assert delta(process, "s", "t", 1).value == 1
    assert between(process, "fast", "slow") == (Fraction(1, 4), Fraction(1, 4))
    assert between(process, "fast", "slow", alpha="3/2") == (Fraction(1, 8), Fraction(1, 8))
    assert between(process, "fast", "slow", kind="tv") == (Fraction(1, 4), Fraction(1, 4))


@pytest.mark.parametrize("seed", range(12))
def test_values_are_those_of_all_pure_strategies(seed: int) -> None:
    random, alpha = Random(seed), Fraction(6, 5)
    game = random_game(random)
    while not set(NATURE) <= set(game.actions):
        game = random_game(random)
    for process in (with_seen_choices(game), game):
        s, t = process.index("s0"), process.index("s1")
        expected = least_best_gain(process, s, t, alpha, 5, 800)
        answer = attackers_delta(process, "s0", "s1", alpha, kind="lv", against=NATURE)
        assert answer.upper <= attackers_delta(process, "s0", "s1", alpha, kind="lv").upper
        assert expected is None or answer.upper == expected
        assert process is game or answer.value is not None


def test_an_interval_where_choices_are_hidden_holds_for_coins_too() -> None:
    """Nature tosses a fair coin at every place: the lower end is at most what is gained then."""
    seen = 0
    for seed in range(40):
        game = random_game(Random(seed))
        if not set(NATURE) <= set(game.actions):
            continue
        answer = attackers_delta(game, "s0", "s1", 1, kind="lv", against=NATURE)
        states = {}
        for i, name in enumerate(game.states):
            rows = {action: game.row(i, action) for action in game.menu(i)}
            if set(rows) == set(NATURE):
                mixed: dict[int, Fraction] = {}
                for row in rows.values():
                    for k, p in row.items():
                        mixed[k] = mixed.get(k, Fraction(0)) + p / 2
                rows = {"": mixed}
            named = {a: {game.states[k]: p for k, p in row.items()} for a, row in rows.items()}
            states[name] = game.labels[i], named.get("", named)
        tossed = Process.of(states)
        assert answer.lower <= delta(tossed, "s0", "s1", 1, kind="lv").upper
        seen += answer.hidden
    assert seen > 5


def test_an_attack_gains_its_end_against_every_nature() -> None:
    """The plan of the attack in the certificate, against all of nature's strategies one by one."""
    played = 0
    for seed in range(20):
        game = random_game(Random(seed))
        process = with_seen_choices(game)
        s, t = process.index("s0"), process.index("s1")
        if (
            not set(NATURE) <= set(game.actions)
            or least_best_gain(process, s, t, Fraction(1), 5, 800) is None
        ):
            continue
        answer = attackers_delta(process, "s0", "s1", 1, kind="lv", against=NATURE)
        nodes = json.loads(answer.certificate.data)["evidence"]["unrolling"]["nodes"]
        if nodes:
            played += 1
            attacker = partial(action_at, nodes)
            assert gain_of_attack(process, s, t, Fraction(1), 5, attacker) == answer.lower
    assert played > 3


def action_at(nodes: list[dict[str, Any]], past: tuple[str, ...]) -> str | None:
    """What a certificate's attacker does after a past that began at its first node; None to stop."""
    node = nodes[0]
    for action, label in zip(past[1::2], past[2::2], strict=True):
        following = dict(node["actions"][action])
        if label not in following:  # it is impossible under the first secret
            return None
        node = nodes[following[label]]
    return node.get("taken")


def test_what_is_refused() -> None:
    process = doors()
    with pytest.raises(NotSupported, match="leave"):
        delta(process, "s", "t", 1, against=["look"])
    with pytest.raises(UnknownName, match='no action is called "lok"'):
        delta(process, "s", "t", 1, against=["lok"])
    with pytest.raises(UnknownName):
        delta(process, "s", "t", 1, against=["z*"])
    with pytest.raises(WrongArgument):
        delta(process, "s", "t", 1, against=[3])  # type: ignore[list-item]
    with pytest.raises(NotSupported, match="no choice"):
        delta(pin_checker(), "0", "1", 1, against=["look"])
    with pytest.raises(BadOptions, match="fixed sequences"):
        delta(process, "s", "t", 1, against=["*"], open_loop=True)
    assert delta(process, "s", "t", 1, against="*").lower == 0
