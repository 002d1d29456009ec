"""Malformed files and options of every kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

BIG = "9" * 10_001


def chain(**changes: Any) -> str:
    """A chain of three states, changed; a change to None takes the key away."""
    document: dict[str, Any] = {
        "type": "labelled-markov-chain",
        "version": 1,
        "states": {
            "s": {"label": "a", "next": {"u": "1/2", "s": "1/2"}},
            "t": {"label": "a", "next": {"u": "1/3", "t": "2/3"}},
            "u": {"label": "b", "next": {"u": 1}},
        },
        "relation": [["s", "t"]],
    }
    return json.dumps({key: value for key, value in (document | changes).items() if value is not None})


def rows(**row: Any) -> str:
    """A chain whose state s has these keys."""
    return chain(states={"s": {"label": "a", "next": {"s": 1}} | row}, relation=None)


def program(state: Mapping[str, Any] | None = None, **changes: Any) -> str:
    """A program of an assignment and a final state, changed."""
    first = {"input": True, "rate": "1/4", "mean": 0, "rate_prime": None, "mean_prime": None}
    edge = {"guard": [], "assign": ["x"], "output": "o", "to": "end"}
    document: dict[str, Any] = {
        "type": "threshold-program",
        "version": 1,
        "initial": "q",
        "states": {"q": {**first, "transitions": [edge], **(state or {})}},
    }
    return json.dumps({key: value for key, value in (document | changes).items() if value is not None})


def edges(**changes: Any) -> str:
    """A program whose transition has these keys."""
    edge = {"guard": [], "assign": ["x"], "output": "o", "to": "end"} | changes
    return program({"transitions": [edge]})


def suite(model: str = "svt", question: str = "privacy", head: str = "", options: str = "{}") -> str:
    """A suite of one job."""
    job = f'name = "y"\nmodel = "{model}"\nquestion = "{question}"\noptions = {options}\n'
    return f'name = "x"\n{head}\n[[family]]\n{job}'


NO_JSON: dict[str, str | bytes] = {
    "nothing": "",
    "white space": " \n\t\n",
    "an open brace": "{",
    "a list": "[]",
    "null": "null",
    "a number": "17",
    "a text": '"model"',
    "two documents": "{} {}",
    "a comma too many": '{"type": "x",}',
    "one quote": "{'type': 1}",
    "not a number": '{"type": NaN}',
    "infinity": '{"type": -Infinity}',
    "a comment": '{"type": 1} // chain',
    "a key twice": '{"type": "x", "type": "y"}',
    "a lone surrogate": '{"type": "\\ud800"}',
    "a control character": '{"type": "a\nb"}',
    "deep lists": "[" * 100_000,
    "deep objects": '{"a":' * 100_000,
    "no UTF-8": b"\xff\xfe{}",
    "UTF-16": '{"type": 1}'.encode("utf-16"),
    "a null byte": b'{"type": "\x00"}',
    "binary": bytes(range(256)),
    "no type": "{}",
    "a type that is a number": '{"type": 1}',
    "an unknown type": '{"type": "petri-net", "version": 1}',
    "a forged line": '{"type": "x\\nVERIFIED\\u001b[2J", "version": 1}',
    "a long type": json.dumps({"type": "x" * 100_000}),
}
CHAINS: dict[str, str | bytes] = {
    "no version": chain(version=None),
    "another version": chain(version=2),
    "a version as text": chain(version="1"),
    "an unknown key": chain(start="s"),
    "no states": chain(states=None),
    "states none": chain(states={}, relation=None),
    "states a list": chain(states=["s"], relation=None),
    "a state that is a text": chain(states={"s": "a"}, relation=None),
    "an unknown key of a state": rows(colour="red"),
    "no label": chain(states={"s": {"next": {"s": 1}}}, relation=None),
    "a label that is a number": rows(label=1),
    "no row": chain(states={"s": {"label": "a"}}, relation=None),
    "an empty row": rows(next={}),
    "a row that is a list": rows(next=["s"]),
    "an unknown successor": rows(next={"z": 1}),
    "a row below 1": rows(next={"s": "1/2"}),
    "a row above 1": rows(next={"s": "3/2"}),
    "a negative probability": rows(next={"s": "-1"}),
    "a probability of text": rows(next={"s": "one"}),
    "a probability null": rows(next={"s": None}),
    "a probability true": rows(next={"s": True}),
    "a probability that is a list": rows(next={"s": [1, 2]}),
    "a denominator zero": rows(next={"s": "1/0"}),
    "a negative denominator": rows(next={"s": "1/-1"}),
    "white space in a number": rows(next={"s": " 1"}),
    "other digits": rows(next={"s": "\u0661"}),
    "a comma in a number": rows(next={"s": "0,5"}),
    "too many digits": rows(next={"s": f"1/{BIG}"}),
    "a large exponent": rows(next={"s": "1e-999999999"}),
    "a relation of numbers": chain(relation=[[1, 2]]),
    "a relation of triples": chain(relation=[["s", "t", "u"]]),
    "a relation of strangers": chain(relation=[["s", "z"]]),
    "a relation that is an object": chain(relation={"s": "t"}),
    "a relation by an unknown word": chain(relation="neighbours"),
}
PROGRAMS: dict[str, str | bytes] = {
    "no version": program(version=None),
    "another version": program(version=3),
    "an unknown key": program(finish=[]),
    "no initial state": program(initial=None),
    "an unknown initial state": program(initial="z"),
    "an initial state that is a number": program(initial=1),
    "no states": program(states=None),
    "states a list": program(states=[]),
    "states none": program(states={}),
    "a state that is a text": program(states={"q": "x"}),
    "a state without keys": program(states={"q": {}}),
    "input that is a text": program({"input": "yes"}),
    "a rate of 0": program({"rate": 0}),
    "a negative rate": program({"rate": "-1/4"}),
    "a rate of text": program({"rate": "fast"}),
    "a rate null": program({"rate": None}),
    "a rate with too many digits": program({"rate": BIG}),
    "a sigma beside a rate": program({"sigma": "4"}),
    "a sigma of 0": program({"rate": None, "sigma": 0}),
    "a negative sigma": program({"rate": None, "sigma": "-4"}),
    "a sigma with too many digits": program({"rate": None, "sigma": BIG}),
    "a sigma without a mean": program({"sigma_prime": "4"}),
    "a mean that is a list": program({"mean": []}),
    "one of two numbers of a second noise": program({"rate_prime": "1/2"}),
    "transitions that are an object": program({"transitions": {}}),
    "a transition that is a text": program({"transitions": ["end"]}),
    "a transition without keys": program({"transitions": [{}]}),
    "a guard that is a text": edges(guard="x"),
    "an unknown relation": edges(guard=[["<>", "x"]]),
    "a test of three parts": edges(guard=[["<", "x", "y"]]),
    "an assignment that is a text": edges(assign="x"),
    "an assignment of numbers": edges(assign=[1]),
    "an output that is a number": edges(output=1),
    "a target that is a number": edges(to=1),
    "a variable before it is stored": edges(guard=[["<", "y"]], assign=[]),
}
TEXTS: dict[str, str | bytes] = {
    "nothing": "",
    "white space": "\n \n",
    "words": "this is no program",
    "no UTF-8": b"\xff\xff",
    "a null byte": b"\x00",
    "binary": bytes(range(256)),
    "an open brace": "q0 {",
    "a lone keyword": "state",
    "JSON": chain(),
    "a forged line": "\x1b[2J\x1b[1;1HVERIFIED\n",
    "a long word": "q" * 100_000,
    "a million braces": "{" * 1_000_000,
    "a sigma of 0": "(q, sigma 0, 0): x := insample; output o; goto end",
    "a sigma with too many digits": f"(q, sigma {BIG}, 0): x := insample; output o; goto end",
    "a sigma beside a rate": "(q, 1/4 sigma 4, 0): x := insample; output o; goto end",
}
DRN = "@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n1\n@model\n"
ONE_STATE = "state 0 init\n\taction 0\n\t\t0 : 1\n"
EXPLICIT: dict[str, dict[str, str | bytes]] = {
    ".drn": {
        "nothing": "",
        "words": "no model",
        "another type": "@type: MDP\n@model\n",
        "no model": "@type: DTMC\n",
        "no UTF-8": b"@type: DTMC\xff",
        "a row below 1": DRN + "state 0 init\n\taction 0\n\t\t0 : 1/2\n",
        "a state too many": DRN + "state 0 init\n\taction 0\n\t\t7 : 1\n",
    },
    ".pexp": {"nothing": "", "words": "no model", "no UTF-8": b"\xff", "binary": bytes(range(256))},
    ".tra": {
        "nothing": "",
        "words": "no model",
        "counts only": "3 4\n",
        "a row below 1": "1 1\n0 0 0.5\n",
        "a state too many": "1 1\n0 7 1\n",
        "no UTF-8": b"\xff",
        "a negative number": "1 1\n0 0 -1\n",
    },
}
SUITES: dict[str, str | bytes] = {
    "nothing": "",
    "no TOML": "name = ",
    "no UTF-8": b"\xff",
    "a name that is a number": "name = 1\n[[family]]\n",
    "no family": 'name = "x"\n',
    "a family without a job": 'name = "x"\n[[family]]\nname = "y"\n',
    "an unknown key": suite(head='speed = "high"'),
    "a negative timeout": suite(head="timeout = -1"),
    "a date": suite(head="about = 1979-05-27"),
    "an unknown question": suite(question="why"),
    "an unknown model": suite(model="svtt"),
    "a model of the other kind": suite(question="delta", options="{alpha = 2}"),
    "an unknown option": suite(options="{colour = 1}"),
}
HEAD = '{"type": "benchmark-results", "version": 1, "suite": "s", "machine": {}, "versions": {}}\n'
RESULTS: dict[str, str | bytes] = {
    "nothing": "",
    "words": "no results\n",
    "a model": chain(),
    "a pretty model": json.dumps(json.loads(chain()), indent=2),
    "another version": HEAD.replace("1,", "9,", 1),
    "a line of words": HEAD + "word\n",
    "a line of a list": HEAD + "[]\n",
    "a row without keys": HEAD + "{}\n",
    "no UTF-8": b"\xff\n",
    "deep lists": "[" * 100_000 + "\n",
}

ON_CHAINS = (
    "distance MODEL --alpha 2 --certificate OUT --force",
    "distance MODEL --all-pairs --kind bisimilarity --json",
    "delta MODEL --epsilon 1/2 --certificate OUT --force",
    "epsilon MODEL --delta 1/2 --certificate OUT --force",
    "curve MODEL --alpha 1:2:3 --csv OUT --force",
    "compose MODEL --times 2",
    "encode MODEL --problem ld-linear --theta 1/2 --alpha 2 --from s --to t",
    "convert MODEL OUT.json --force",
)
ON_PROGRAMS = (
    "privacy MODEL --certificate OUT --force",
    "privacy MODEL --plot OUT.dot --force --json",
    "encode MODEL --problem privacy-horn",
    "convert MODEL OUT.json --force",
)


OPTIONS = {
    "distance CHAIN": """
        (nothing) | --alpha | --alpha x | --alpha 1/2 | --alpha -1 | --alpha nan | --alpha 1/0 |
        --alpha 1e99999 | --alpha 2 --from z --to s | --alpha 2 --from s | --alpha 2 --kind none |
        --alpha 2 --engine none | --alpha 2 --bounds lower | --alpha 2 --max-bits 0 |
        --alpha 2 --max-bits x | --alpha 2 --timeout 0 | --alpha 2 --timeout -1 |
        --alpha 2 --timeout soon | --alpha 2 --all-pairs --from s |
        --alpha 2 --kind tv --all-pairs | --alpha 2 --at-most -1 | --alpha 2 --at-most x |
        --alpha 2 more | --alpha 2 --colour | --alpha 2 --json=yes |
        --kind bisimilarity --alpha 2 --at-most 1e | --alpha 2 --certificate none/x |
        --alpha 2 --certificate . | --alpha 2 --certificate CHAIN | --alpha 2 --certificate OUT |
        --alpha 2 --json --certificate - | --alpha 2 --certificate
    """,
    "delta CHAIN": """
        (nothing) | --alpha 2 --epsilon 1 | --alpha 0 | --epsilon -1 | --epsilon x | --epsilon ln |
        --alpha 2 --gap -1 | --alpha 2 --gap x | --alpha 2 --at-most -1/2 | --alpha 2 --to s |
        --epsilon 1 --certificate - | --alpha 2 --certificate OUT | --alpha 2 --timeout 0
    """,
    "epsilon CHAIN": """
        (nothing) | --delta -1 | --delta x | --delta 1/2 --limit 0 | --delta 1/2 --limit x |
        --delta 1/2 --gap -1 | --delta 1/2 --kind ld | --delta 1/2 --at-most -1 |
        --delta 1/2 --certificate - | --delta 1/2 --certificate OUT | --delta 1/2 --from z --to s
    """,
    "curve CHAIN": """
        (nothing) | --alpha 2 | --alpha 2:1:3 | --alpha 0:1:3 | --alpha 1:2:0 | --alpha 1:2:x |
        --alpha 1:2:9999999 | --alpha x:2:3 | --alpha 1:2:3 --csv OUT | --alpha 1:2:3 --plot OUT |
        --alpha 1:2:3 --plot x.gif | --alpha 1:2:3 --json --csv - | --alpha 1:2:3 --kind ld |
        --alpha 1:2:3 --gap x
    """,
    "compose CHAIN": """
        (nothing) | --times 0 | --times x | CHAIN --times 2 | --times 2 --related one |
        CHAIN --related none
    """,
    "privacy PROGRAM": """
        --adjacency none | --at-most -1 | --at-most x | --engine none | --longest 3 |
        --longest 0 --engine smt | --at-epsilon 0 | --at-epsilon x | --q 0 | --q 1 | --q x |
        --q 1/2 | --exceed 0 | --exceed -1 |
        --strategies --adjacency one-differ | --plot x.png | --plot OUT | --plot none/x.dot |
        --certificate PROGRAM | --certificate OUT | --certificate - --plot - | --json --plot - |
        --timeout 0 | more
    """,
    "privacy CHAIN": """
        (nothing) | --json
    """,
    "distance PROGRAM --alpha 2": """
        (nothing) | --json
    """,
    "convert CHAIN": """
        (nothing) | x.txt | x | x.dipa | CHAIN | OUT | none/x.json | OUT.json more | .
    """,
    "convert PROGRAM": """
        x.drn | x.tra | x.txt | PROGRAM
    """,
    "encode CHAIN": """
        --problem none | --problem ld-linear | --problem ld-linear --theta x |
        --problem privacy-horn | --problem ld-linear --theta 1/2 --alpha 0 |
        --problem ld-linear --theta 1/2 --path 0
    """,
    "encode PROGRAM": """
        --problem none | --problem opt-cost | --problem opt-cost --theta 1 --path x |
        --problem ld-linear | --problem opt-cost --theta 1 --path 9,9 |
        --problem opt-cost --theta 1 --adjacency none
    """,
    "zoo": """
        none | svt none | svt x=1 | pin-checker p=2 | pin-checker p=x | pin-checker p=1/2 p=1/2 |
        random-chain states=-1
    """,
    "verify": """
        (nothing) | none
    """,
    "bench": """
        run | run none.toml | compare OUT | report | walk
    """,
    "": """
        walk | --colour | Distance
    """,
}
"""What cannot follow the beginning of a command, between strokes."""
