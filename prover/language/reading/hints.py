"""What to write instead of what is outside the language."""

from __future__ import annotations

import ast

_A_LOOP = "write a loop"
_STATEMENTS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Assert: ("assertions are not supported", "leave it out; constants are checked where they are given"),
    ast.AsyncFor: ("nothing runs in parallel here", "write for"),
    ast.AsyncFunctionDef: ("nothing runs in parallel here", "write def"),
    ast.AsyncWith: ("nothing runs in parallel here", "leave it out"),
    ast.ClassDef: ("classes are not supported inside functions", "put an Enum at the top of the file"),
    ast.Delete: (
        "nothing needs to be deleted",
        "leave it out; variables that are not used any more are forgotten",
    ),
    ast.FunctionDef: ("functions are not supported inside functions", "move it to the top of the file"),
    ast.Global: ("functions cannot change variables outside them", "pass values and return them"),
    ast.Import: ("a module has no meaning here", "write what it does, or a function in the same file"),
    ast.ImportFrom: ("a module has no meaning here", "write what it does, or a function in the same file"),
    ast.Match: ("match is not supported", "write if and elif"),
    ast.Nonlocal: ("functions cannot change variables outside them", "pass values and return them"),
    ast.Raise: ("exceptions are not supported", "see a word and return"),
    ast.Try: ("exceptions are not supported", "test with if what may go wrong"),
    ast.TryStar: ("exceptions are not supported", "test with if what may go wrong"),
    ast.With: ("with is not supported", "leave it out"),
}
_EXPRESSIONS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Await: ("nothing runs in parallel here", "leave await out"),
    ast.Dict: (
        "dictionaries stand only in choose({value: probability})",
        "write a tuple of pairs, or an Enum",
    ),
    ast.DictComp: ("dictionaries are not supported", _A_LOOP),
    ast.GeneratorExp: ("generators are not supported", _A_LOOP),
    ast.Lambda: ("functions without a name are not supported", "write a function at the top of the file"),
    ast.List: ("lists can change and are not supported", "write a tuple, such as (1, 2)"),
    ast.ListComp: ("lists can change and are not supported", f"{_A_LOOP}, and tuples such as found + (1,)"),
    ast.Set: ("sets are not supported", "write a tuple"),
    ast.SetComp: ("sets are not supported", _A_LOOP),
    ast.Slice: ("slices are not supported", "write a loop over a range"),
    ast.Starred: ("* is not supported", "write the values one by one"),
    ast.Yield: ("yield is not supported", "write see(…) for an output"),
    ast.YieldFrom: ("yield is not supported", "write see(…) for an output"),
}
_CALLS = {
    "eval": "code that is made at run time is not supported; write it down",
    "exec": "code that is made at run time is not supported; write it down",
    "float": 'numbers are exact; leave float out, and write 0.1 or "1/10"',
    **dict.fromkeys(
        ("gauss", "gaussian", "normal", "normalvariate"),
        'Gaussian noise is gaussian(query, sigma="4"), from prover.language',
    ),
    "input": "only queries are private; give a parameter the type Query",
    "isinstance": "types of values are known; leave the test out",
    "iter": "write for query in queries, or next(queries)",
    "list": "lists can change and are not supported; write a tuple",
    "print": "write see(…) for an output",
    "reversed": "write a loop over a range with step -1",
    "round": "noisy numbers can only be compared or seen; // rounds whole numbers",
    "set": "sets are not supported; write a tuple",
    "sorted": "write the tuple in its order",
}
_MODULES = {
    "random": "draw random numbers with laplace and similar functions, or in protocols with flip and choose",
    "numpy": "draw noise with laplace and similar functions, one number at a time",
    "np": "draw noise with laplace and similar functions, one number at a time",
    "math": "write numbers down, such as \"7/10\"; they are exact",
    "opendp": "draw noise with laplace and similar functions",
}  # fmt: skip


def about_statement(node: ast.stmt) -> tuple[str, str]:
    """What is wrong with a statement, and what to write instead."""
    return _STATEMENTS.get(
        type(node), ("this statement is not supported", "see docs/language.md for those that are")
    )


def about_expression(node: ast.expr) -> tuple[str, str]:
    """What is wrong with an expression, and what to write instead."""
    if isinstance(node, ast.Attribute):
        return ("attributes are not supported, except those of enumerations", _about_module(node))
    return _EXPRESSIONS.get(
        type(node), ("this expression is not supported", "see docs/language.md for those that are")
    )


def about_call(node: ast.Call) -> tuple[str, str]:
    """What is wrong with a call, and what to write instead."""
    match node.func:
        case ast.Name(id=name) if name in _CALLS:
            problem, _, instead = _CALLS[name].partition("; ")
            return (problem, instead) if instead else (f"{name} is not supported", problem)
        case ast.Attribute(attr="append" | "add" | "extend" | "pop" | "remove" | "insert" | "update"):
            return ("values cannot be changed", "write tuples, such as found = found + (word,)")
        case ast.Attribute() as method:
            return ("methods are not supported", _about_module(method))
        case ast.Name(id=name):
            return (
                f"no function {name} is known",
                "define functions at the top of the same file, and import words such as laplace from "
                "prover.language",
            )
    return ("only functions that have a name can be called", "write a function at the top of the file")


def _about_module(node: ast.Attribute) -> str:
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    name = root.id if isinstance(root, ast.Name) else ""
    return _MODULES.get(name, "write what it does, or a function in the same file")
