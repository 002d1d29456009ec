"""What to write instead of what is outside the language."""

from __future__ import annotations

import ast

_A_LOOP = "write a loop"
_STATEMENTS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Assert: ("assertions are not read", "leave it out; constants are checked where they are given"),
    ast.AsyncFor: ("nothing here runs in parallel", "write for"),
    ast.AsyncFunctionDef: ("nothing here runs in parallel", "write def"),
    ast.AsyncWith: ("nothing here runs in parallel", "leave it out"),
    ast.ClassDef: ("classes are not read inside functions", "put an Enum at the top of the file"),
    ast.Delete: ("nothing needs to be deleted", "leave it out; dead variables are forgotten"),
    ast.FunctionDef: ("functions are not read inside functions", "put it at the top of the file"),
    ast.Global: ("functions do not change what is outside them", "pass values and return them"),
    ast.Import: ("a module has no meaning here", "write what it does, or a function in the same file"),
    ast.ImportFrom: ("a module has no meaning here", "write what it does, or a function in the same file"),
    ast.Match: ("match is not read", "write if and elif"),
    ast.Nonlocal: ("functions do not change what is outside them", "pass values and return them"),
    ast.Raise: ("exceptions are not read", "see a word and return"),
    ast.Try: ("exceptions are not read", "test with if what may go wrong"),
    ast.TryStar: ("exceptions are not read", "test with if what may go wrong"),
    ast.With: ("with is not read", "leave it out"),
}
_EXPRESSIONS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Await: ("nothing here runs in parallel", "leave await out"),
    ast.Dict: ("dictionaries are not read", "write a tuple of pairs, or an Enum"),
    ast.DictComp: ("dictionaries are not read", _A_LOOP),
    ast.GeneratorExp: ("generators are not read", _A_LOOP),
    ast.Lambda: ("functions without a name are not read", "write a function at the top of the file"),
    ast.List: ("lists can change and are not read", "write a tuple, such as (1, 2)"),
    ast.ListComp: ("lists can change and are not read", f"{_A_LOOP}, and tuples such as found + (1,)"),
    ast.Set: ("sets are not read", "write a tuple"),
    ast.SetComp: ("sets are not read", _A_LOOP),
    ast.Slice: ("slices are not read", "write a loop over a range"),
    ast.Starred: ("* is not read", "write the values one by one"),
    ast.Yield: ("yield is not read", "write see(…) for what is put out"),
    ast.YieldFrom: ("yield is not read", "write see(…) for what is put out"),
}
_CALLS = {
    "eval": "code that is made while running is not read; write it down",
    "exec": "code that is made while running is not read; write it down",
    "float": 'numbers are exact; leave float out, and write 0.1 or "1/10"',
    **dict.fromkeys(
        ("gauss", "gaussian", "normal", "normalvariate"),
        "there is no Gaussian noise here; noise is laplace, exponential, discrete_laplace or geometric",
    ),
    "input": "queries are what is read; give a parameter the type Query",
    "isinstance": "kinds of values are known; leave the test out",
    "iter": "write for query in queries, or next(queries)",
    "list": "lists can change and are not read; write a tuple",
    "print": "write see(…) for what is put out",
    "reversed": "write a loop over a range with step -1",
    "round": "noisy numbers are compared or seen, nothing else; // rounds whole numbers",
    "set": "sets are not read; write a tuple",
    "sorted": "write the tuple in its order",
}
_MODULES = {
    "random": "random numbers are drawn by laplace and its like, and by flip and choose in protocols",
    "numpy": "noise is drawn by laplace and its like, one number at a time",
    "np": "noise is drawn by laplace and its like, one number at a time",
    "math": "write numbers down, such as \"7/10\"; they are exact",
    "opendp": "noise is drawn by laplace and its like",
}  # fmt: skip


def about_statement(node: ast.stmt) -> tuple[str, str]:
    """What is wrong with a statement, and what to write instead."""
    return _STATEMENTS.get(
        type(node), ("this statement is not read", "see docs/language.md for those that are")
    )


def about_expression(node: ast.expr) -> tuple[str, str]:
    """What is wrong with an expression, and what to write instead."""
    if isinstance(node, ast.Attribute):
        return ("attributes are not read, save of enumerations", _about_module(node))
    return _EXPRESSIONS.get(
        type(node), ("this expression is not read", "see docs/language.md for those that are")
    )


def about_call(node: ast.Call) -> tuple[str, str]:
    """What is wrong with a call, and what to write instead."""
    match node.func:
        case ast.Name(id=name) if name in _CALLS:
            problem, _, instead = _CALLS[name].partition("; ")
            return (problem, instead) if instead else (f"{name} is not read", problem)
        case ast.Attribute(attr="append" | "add" | "extend" | "pop" | "remove" | "insert" | "update"):
            return ("values do not change", "write tuples, such as found = found + (word,)")
        case ast.Attribute() as method:
            return ("methods are not read", _about_module(method))
        case ast.Name(id=name):
            return (
                f"no function {name} is known",
                "functions stand at the top of the same file; words such as laplace are imported from "
                "prover.language",
            )
    return ("only functions that have a name are called", "write a function at the top of the file")


def _about_module(node: ast.Attribute) -> str:
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    name = root.id if isinstance(root, ast.Name) else ""
    return _MODULES.get(name, "write what it does, or a function in the same file")
