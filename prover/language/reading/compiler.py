"""Functions turned into instructions: statements, loops, and helper functions where they are called."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from prover.language.errors import Unsupported
from prover.language.reading.expressions import Expressions, Scope
from prover.language.reading.hints import about_expression, about_statement
from prover.language.reading.instructions import Code, Instruction, liveness
from prover.language.reading.source import FunctionNode, Source

_TOO_DEEP = "this is nested too deeply"


class _Loop:
    """A loop that is being written: where continue goes, and the jumps of its breaks."""

    def __init__(self, head: int) -> None:
        self.head = head
        self.breaks: list[Instruction] = []


class _Compiler(Expressions):
    """Writes instructions for the statements of a function and of those that it calls."""

    _open: list[_Loop]
    _returns: list[tuple[str, list[Instruction]]]

    def whole(self, function: FunctionNode, settings: dict[str, Any]) -> Code:
        self._open, self._returns = [], []
        self.scope = _scope(function, "", ())
        self.block(function.body)
        self.write("return", function)
        return Code(function.name, self.instructions, liveness(self.instructions), settings)

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Pass():
                pass
            case ast.Expr(value=ast.Constant()):
                pass  # a docstring, or three dots
            case ast.Expr():
                self.value(node.value)
            case ast.Assign():
                value = self.value(node.value)
                for target in node.targets:
                    self._store(target, value)
            case ast.AnnAssign():
                if node.value is not None:
                    self._store(node.target, self.value(node.value))
            case ast.AugAssign(target=ast.Name(id=name)):
                left = self.value(ast.copy_location(ast.Name(name, ast.Load()), node.target))
                result = self.arithmetic(node, node.op, left, self.value(node.value))
                self._store(node.target, result)
            case ast.If():
                self._if(node)
            case ast.While():
                self._while(node)
            case ast.For():
                self._for(node)
            case ast.Break():
                self._open[-1].breaks.append(self.write("jump", node))
            case ast.Continue():
                self.write("jump", node).target = self._open[-1].head
            case ast.Return():
                self._return(node)
            case _:
                raise self.fail(Unsupported, node, *about_statement(node))

    def inlined(self, node: ast.Call, function: FunctionNode) -> str:
        if function.decorator_list:
            raise self.fail(
                Unsupported, node, "a decorated function cannot be called", "leave the decorator out"
            )
        if function.name in self.scope.calls:
            raise self.fail(Unsupported, node, "functions cannot call themselves", "write a loop")
        names = _parameters(self, function)
        ready = defaults(function)
        required = sum(1 for name in names if name not in ready)
        given = self.arguments(node, function.name, names, required=required)
        values = {name: self.value(argument) for name, argument in given.items()}
        outer, result = self.scope, self.new()
        self.scope = Scope(frozenset(), frozenset(), "", outer.calls)  # where defaults are evaluated
        values |= {name: self.value(ready[name]) for name in names if name not in given}
        outer_loops, self._open = self._open, []
        self.scope = _scope(function, f"{function.name}{result}.", outer.calls)
        for name, value in values.items():
            self.write("copy", node, value, dst=self.variable(name))
        self._returns.append((result, []))
        self.block(function.body)
        self.write("constant", node, dst=result, data=None)
        _, jumps = self._returns.pop()
        for jump in jumps:
            jump.target = len(self.instructions)
        self.write("copy", node, result, dst=result)
        self.scope, self._open = outer, outer_loops
        return result

    def _store(self, target: ast.expr, value: str) -> None:
        match target:
            case ast.Name(id=name):
                self.write("copy", target, value, dst=self.variable(name))
            case ast.Tuple() | ast.List():
                for item in target.elts:
                    if isinstance(item, ast.Starred):
                        raise self.fail(Unsupported, item, *about_expression(item))
                parts = tuple(self.new() for _ in target.elts)
                self.write("unpack", target, value, data=parts)
                for item, part in zip(target.elts, parts, strict=True):
                    self._store(item, part)
            case ast.Attribute():
                raise self.fail(Unsupported, target, "objects cannot be changed", "write a variable")
            case _:
                raise self.fail(
                    Unsupported, target, "values cannot be changed in part", "write a new tuple to a variable"
                )

    def _if(self, node: ast.If) -> None:
        branch = self.write("branch", node.test, self.value(node.test))
        self.block(node.body)
        if not node.orelse:
            branch.target = len(self.instructions)
            return
        jump = self.write("jump", node)
        branch.target = len(self.instructions)
        self.block(node.orelse)
        jump.target = len(self.instructions)

    def _while(self, node: ast.While) -> None:
        self.loops.append(node.lineno)
        head = len(self.instructions)
        branch = self.write("branch", node.test, self.value(node.test))
        self._body(node, head, branch)

    def _for(self, node: ast.For) -> None:
        cursor, item = self.new(), self.new()
        self.write("iterate", node.iter, self.value(node.iter), dst=cursor)
        self.loops.append(node.lineno)
        head = len(self.instructions)
        advance = self.write("advance", node.iter, cursor, dst=item)
        self._store(node.target, item)
        self._body(node, head, advance)

    def _body(self, node: ast.While | ast.For, head: int, leave: Instruction) -> None:
        loop = _Loop(head)
        self._open.append(loop)
        self.block(node.body)
        self._open.pop()
        self.write("jump", node).target = head
        self.loops.pop()
        leave.target = len(self.instructions)
        self.block(node.orelse)
        for jump in loop.breaks:
            jump.target = len(self.instructions)

    def _return(self, node: ast.Return) -> None:
        if self._returns:
            result, jumps = self._returns[-1]
            if node.value is None:
                self.write("constant", node, dst=result, data=None)
            else:
                self.write("copy", node, self.value(node.value), dst=result)
            jumps.append(self.write("jump", node))
            return
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            raise self.fail(
                Unsupported,
                node,
                "a returned value is not an output",
                "write see(…), then a return without a value",
            )
        self.write("return", node)


def compiled(source: Source, function: FunctionNode, constant: Any, settings: dict[str, Any]) -> Code:
    """The instructions of a function; ``constant`` finds the values of the file's constants."""
    try:
        compiler = _Compiler(source, constant)
        _parameters(compiler, function)
        return compiler.whole(function, settings)
    except RecursionError:
        raise source.error(Unsupported, function, _TOO_DEEP, "write helper functions") from None


def compiled_constant(source: Source, node: ast.expr, constant: Any) -> Code:
    """The instructions of an expression of constants, whose result the variable ``value`` holds."""
    compiler = _Compiler(source, constant)
    return _whose_value(compiler, node, lambda: compiler.value(node))


def compiled_relation(source: Source, function: FunctionNode, constant: Any) -> Code:
    """The same of a function of two records, given the variables ``one`` and ``other``."""
    compiler = _Compiler(source, constant)
    compiler.reads_records = True
    compiler.scope = Scope(frozenset({"one", "other"}), frozenset(), "", ())
    names: list[ast.expr] = [ast.Name(name, ast.Load()) for name in ("one", "other")]
    call = ast.Call(ast.Name(function.name, ast.Load()), names, [])
    for node in ast.walk(call):
        ast.copy_location(node, function)
    try:
        return _whose_value(compiler, function, lambda: compiler.inlined(call, function))
    except RecursionError:
        raise source.error(Unsupported, function, _TOO_DEEP, "write helper functions") from None


def _whose_value(compiler: _Compiler, node: ast.AST, write: Callable[[], str]) -> Code:
    compiler._open, compiler._returns = [], []
    compiler.write("copy", node, write(), dst="value")
    compiler.write("return", node)
    steps = compiler.instructions
    return Code("", steps, [frozenset({"value"})] * len(steps), {})


def parameters(function: FunctionNode) -> list[ast.arg]:
    """The parameters that a function may be given by name."""
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _parameters(compiler: Expressions, function: FunctionNode) -> list[str]:
    for extra in (function.args.vararg, function.args.kwarg):
        if extra is not None:
            raise compiler.fail(Unsupported, extra, "* is not supported", "write the parameters one by one")
    return [parameter.arg for parameter in parameters(function)]


def defaults(function: FunctionNode) -> dict[str, ast.expr]:
    """The default values of a function, by the names of parameters."""
    args = function.args
    plain = [*args.posonlyargs, *args.args]
    found = dict(
        zip([arg.arg for arg in plain[len(plain) - len(args.defaults) :]], args.defaults, strict=True)
    )
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        if default is not None:
            found[arg.arg] = default
    return found


def _scope(function: FunctionNode, prefix: str, calls: tuple[str, ...]) -> Scope:
    """The names that belong to a function: its parameters, and what it assigns anywhere."""
    names = {parameter.arg for parameter in parameters(function)}
    changing = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if isinstance(node, ast.NamedExpr):
            changing.add(node.target.id)
    return Scope(frozenset(names), frozenset(changing), prefix, (*calls, function.name))
