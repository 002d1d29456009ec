"""Expressions turned into instructions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from prover.errors import BadInput, did_you_mean
from prover.exact.rational import parse_rational
from prover.language.errors import CodeError, Unsupported, WrongCode
from prover.language.reading.hints import about_call, about_expression
from prover.language.reading.instructions import Instruction, Operation
from prover.language.reading.operations import BUILTINS
from prover.language.reading.source import FunctionNode, Source
from prover.language.values import Enumeration

COUNTS = {"binomial": ("n", "p"), "hypergeometric": ("population", "marked", "drawn")}
"""The words of protocols that draw whole numbers, with their parameters."""

NOISES = ("discrete_laplace", "exponential", "geometric", "laplace")
MOST_INSTRUCTIONS = 200_000
"""The most that helper functions may blow up the code to."""

_RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
}  # fmt: skip


class Scope(NamedTuple):
    """The function whose body is compiled: its local names, and what is put before these.

    ``changing`` are the names that := gives values to, perhaps between a use of the old value and its end.
    """

    local: frozenset[str]
    changing: frozenset[str]
    prefix: str
    calls: tuple[str, ...]


class Expressions:
    """Writes instructions for expressions; statements are added by a class on top."""

    def __init__(self, source: Source, constant: Callable[[str, ast.expr], Any]) -> None:
        self.source = source
        self.constant = constant
        self.instructions: list[Instruction] = []
        self.scope = Scope(frozenset(), frozenset(), "", ())
        self.loops: list[int] = []
        self.reads_records = False
        self._temporaries = 0

    def fail(self, kind: type[CodeError], node: ast.AST, problem: str, instead: str = "") -> CodeError:
        """The error about a piece of the code."""
        return self.source.error(kind, node, problem, instead)

    def write(
        self, operation: Operation, node: ast.AST, *args: str, dst: str | None = None, data: Any = None
    ) -> Instruction:
        """Append an instruction."""
        loop = self.loops[-1] if self.loops else None
        step = Instruction(operation, self.source.place(node), dst, args, data, loop=loop)
        self.instructions.append(step)
        if len(self.instructions) > MOST_INSTRUCTIONS:
            raise self.fail(
                Unsupported,
                node,
                f"the functions that are called have more than {MOST_INSTRUCTIONS:,} steps of code",
                "call fewer",
            )
        return step

    def new(self) -> str:
        """A variable for an intermediate result."""
        self._temporaries += 1
        return f"%{self._temporaries}"

    def variable(self, name: str) -> str:
        """The variable of a local name."""
        return self.scope.prefix + name

    def value(self, node: ast.expr) -> str:
        """The variable that holds the value of an expression, after the instructions written for it."""
        match node:
            case ast.Constant():
                return self._given(node, self._literal(node))
            case ast.Name():
                return self._name(node)
            case ast.Tuple():
                return self._tuple(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BinOp():
                return self.arithmetic(node, node.op, self.value(node.left), self.value(node.right))
            case ast.BoolOp():
                return self._either(node)
            case ast.Compare():
                return self._compared(node)
            case ast.IfExp():
                return self._conditional(node)
            case ast.NamedExpr(target=ast.Name(id=name)):
                self.write("copy", node, self.value(node.value), dst=self.variable(name))
                return self.variable(name)
            case ast.Subscript() if not isinstance(node.slice, ast.Slice):
                return self._apply(node, "item", [self.value(node.value), self.value(node.slice)])
            case ast.Subscript():
                raise self.fail(Unsupported, node, *about_expression(node.slice))
            case ast.Attribute():
                return self._attribute(node)
            case ast.JoinedStr():
                return self._apply(node, "join", [self._part(part) for part in node.values])
            case ast.Call():
                return self._call(node)
        raise self.fail(Unsupported, node, *about_expression(node))

    def arithmetic(self, node: ast.AST, operation: ast.operator, left: str, right: str) -> str:
        """The result of an operation on two values."""
        sign = _ARITHMETIC.get(type(operation))
        if sign is None:
            raise self.fail(Unsupported, node, "operations on bits are not supported", "write //, % and **")
        if sign in "+-":
            dst = self.new()
            self.write("add", node, left, right, dst=dst, data=sign)
            return dst
        return self._apply(node, sign, [left, right])

    def inlined(self, node: ast.Call, function: FunctionNode) -> str:
        """The value that a call of a function of the file returns; its body is written here."""
        raise NotImplementedError

    def _apply(self, node: ast.AST, name: str, args: Sequence[str]) -> str:
        dst = self.new()
        self.write("apply", node, *args, dst=dst, data=name)
        return dst

    def _tuple(self, node: ast.Tuple) -> str:
        """A tuple; a part with * has its items put in."""
        if not any(isinstance(item, ast.Starred) for item in node.elts):
            return self._apply(node, "tuple", [self.value(item) for item in node.elts])
        parts = [
            self._apply(item, "tuple()", [self.value(item.value)])
            if isinstance(item, ast.Starred)
            else self._apply(item, "tuple", [self.value(item)])
            for item in node.elts
        ]
        return self._apply(node, "joined", parts)

    def _given(self, node: ast.AST, value: Any) -> str:
        dst = self.new()
        self.write("constant", node, dst=dst, data=value)
        return dst

    def _literal(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, float):
            text = self.source.place(node).text.replace("_", "")
            text = f"0{text}" if text.startswith(".") else text
            whole, dot, rest = text.partition(".")
            try:
                return parse_rational(whole + rest if dot and not rest[:1].isdigit() else text)
            except BadInput as error:
                raise self.fail(WrongCode, node, error.message) from None
        if value is None or isinstance(value, bool | int | str):
            return value
        kind = "Ellipsis" if value is ... else type(value).__name__
        raise self.fail(
            Unsupported, node, f"constants of type {kind} are not supported", "write a number or a string"
        )

    def _name(self, node: ast.Name) -> str:
        if node.id in self.scope.changing:
            dst = self.new()
            self.write("copy", node, self.variable(node.id), dst=dst)
            return dst
        if node.id in self.scope.local:
            return self.variable(node.id)
        if (word := self.source.word(node)) is not None:
            raise self.fail(Unsupported, node, f"{word} is called, not passed on", f"write {word}(…)")
        if node.id in self.source.functions or node.id in BUILTINS:
            raise self.fail(Unsupported, node, "a function is called, not passed on", f"write {node.id}(…)")
        if node.id in self.source.assigned or node.id in self.source.classes:
            return self._given(node, self.constant(node.id, node))
        hint = did_you_mean(node.id, [*self.scope.local, *self.source.assigned])
        where = "names have a value in the function, or are constants at the top of the file"
        raise self.fail(WrongCode, node, "this name has no value", f"{hint}{where}")

    def _unary(self, node: ast.UnaryOp) -> str:
        names: dict[type[ast.unaryop], str] = {ast.Not: "not", ast.USub: "negative", ast.UAdd: "positive"}
        if type(node.op) not in names:
            raise self.fail(Unsupported, node, "operations on bits are not supported", "write not, - or +")
        return self._apply(node, names[type(node.op)], [self.value(node.operand)])

    def _either(self, node: ast.BoolOp) -> str:
        dst = self.new()
        jumps = []
        for place, operand in enumerate(node.values):
            self.write("copy", operand, self.value(operand), dst=dst)
            if place < len(node.values) - 1:
                test = dst if isinstance(node.op, ast.And) else self._apply(operand, "not", [dst])
                jumps.append(self.write("branch", operand, test))
        for jump in jumps:
            jump.target = len(self.instructions)
        self.write("copy", node, dst, dst=dst)  # something to jump to
        return dst

    def _compared(self, node: ast.Compare) -> str:
        dst, jumps = self.new(), []
        left = self.value(node.left)
        for place, (operation, operand) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.value(operand)
            self.write("compare", node, left, right, dst=dst, data=_RELATIONS[type(operation)])
            if place < len(node.ops) - 1:
                jumps.append(self.write("branch", node, dst))
            left = right
        for jump in jumps:
            jump.target = len(self.instructions)
        if jumps:
            self.write("copy", node, dst, dst=dst)
        return dst

    def _conditional(self, node: ast.IfExp) -> str:
        dst = self.new()
        branch = self.write("branch", node.test, self.value(node.test))
        self.write("copy", node.body, self.value(node.body), dst=dst)
        jump = self.write("jump", node)
        branch.target = len(self.instructions)
        self.write("copy", node.orelse, self.value(node.orelse), dst=dst)
        jump.target = len(self.instructions)
        self.write("copy", node, dst, dst=dst)
        return dst

    def _attribute(self, node: ast.Attribute) -> str:
        if isinstance(node.value, ast.Name) and node.value.id in self.source.classes:
            found = self.constant(node.value.id, node.value)
            if isinstance(found, Enumeration):
                for member in found.members:
                    if member.name == node.attr:
                        return self._given(node, member)
                hint = did_you_mean(node.attr, [member.name for member in found.members])
                raise self.fail(WrongCode, node, f"{found.name} has no member {node.attr}", hint.strip())
        if self.reads_records and self.source.dotted(node) is None:
            return self._apply(node, "attribute", [self.value(node.value), self._given(node, node.attr)])
        if node.attr in ("name", "value") and self.source.dotted(node) is None:
            return self._apply(node, node.attr, [self.value(node.value)])
        raise self.fail(Unsupported, node, *about_expression(node))

    def _part(self, node: ast.expr) -> str:
        if isinstance(node, ast.FormattedValue):
            if node.format_spec is not None or node.conversion != -1:
                raise self.fail(Unsupported, node, "formats are not supported", "write {value} alone")
            return self._apply(node, "str", [self.value(node.value)])
        return self.value(node)

    def _call(self, node: ast.Call) -> str:
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self.fail(Unsupported, argument, *about_expression(argument))
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.fail(
                    Unsupported, keyword.value, "** is not supported", "write the arguments one by one"
                )
        word = self.source.word(node.func)
        if word is not None:
            return self._word(node, word)
        if isinstance(node.func, ast.Name) and node.func.id not in self.scope.local:
            name = node.func.id
            if name in self.source.functions:
                return self.inlined(node, self.source.functions[name])
            if name == "next" and len(node.args) == 1 and not node.keywords:
                dst = self.new()
                self.write("read", node, self.value(node.args[0]), dst=dst)
                return dst
            if name in ("min", "max") and len(node.args) > 1 and not node.keywords:
                return self._extreme(node, ">" if name == "max" else "<")
            if name in BUILTINS and not node.keywords:
                return self._apply(
                    node, "tuple()" if name == "tuple" else name, [self.value(arg) for arg in node.args]
                )
            if name in BUILTINS:
                raise self.fail(Unsupported, node, "arguments of this function have no names here")
        raise self.fail(Unsupported, node, *about_call(node))

    def _extreme(self, node: ast.Call, relation: str) -> str:
        """The largest or the least of several values, which may be numbers drawn."""
        best = self.new()
        self.write("copy", node, self.value(node.args[0]), dst=best)
        for argument in node.args[1:]:
            other, better = self.value(argument), self.new()
            self.write("compare", node, other, best, dst=better, data=relation)
            branch = self.write("branch", node, better)
            self.write("copy", argument, other, dst=best)
            branch.target = len(self.instructions)
            self.write("copy", node, best, dst=best)
        return best

    def _word(self, node: ast.Call, word: str) -> str:
        dst = self.new()
        if word == "gaussian":
            given = self.arguments(node, word, ("center", "sigma"), required=2)
            args = (self.value(given["center"]), self.value(given["sigma"]))
            self.write("draw", node, *args, dst=dst, data=(word, "sigma"))
        elif word in NOISES:
            unbounded = word in ("discrete_laplace", "geometric")
            given = self.arguments(
                node, word, ("center", "rate", "scale", *(("q",) if unbounded else ())), required=1
            )
            if "q" in given and len(given) == 2:
                args = (self.value(given["center"]), self.value(given["q"]))
                self.write("draw", node, *args, dst=dst, data=(word, "q"))
                return dst
            if "q" in given or ("rate" in given) is ("scale" in given):
                several = "several are" if "q" in given else "both are"
                both = several if len(given) > 2 else "neither is"
                names = "rate, scale or q" if "q" in given else "rate or scale"
                raise self.fail(
                    WrongCode, node, f"the amount of noise is either {names}, but {both} given",
                    f'write {word}(…, rate="1/4") or {word}(…, scale="4"), in multiples of epsilon',
                )  # fmt: skip
            how = "rate" if "rate" in given else "scale"
            args = (self.value(given["center"]), self.value(given[how]))
            self.write("draw", node, *args, dst=dst, data=(word, how))
        elif word == "see":
            given = self.arguments(node, word, ("value",), required=1)
            self.write("see", node, self.value(given["value"]))
            return self._given(node, None)
        elif word == "flip":
            given = self.arguments(node, word, ("probability",), required=0)
            chance = self.value(given["probability"]) if given else self._given(node, "1/2")
            self.write("flip", node, chance, dst=dst)
        elif word == "choose":
            given = self.arguments(node, word, ("values", "weights"), required=1)
            among = given["values"]
            if isinstance(among, ast.Dict):
                self._among(node, among, given, dst)
            else:
                self.write("choose", node, *(self.value(given[name]) for name in given), dst=dst)
        elif word in COUNTS:
            given = self.arguments(node, word, COUNTS[word], required=len(COUNTS[word]))
            self.write("count", node, *(self.value(given[name]) for name in given), dst=dst, data=word)
        elif word == "ask":
            if node.keywords or not node.args:
                raise self.fail(
                    WrongCode, node, "ask needs the options to choose from", 'write ask("low", "high")'
                )
            self.write("ask", node, *(self.value(arg) for arg in node.args), dst=dst)
        elif word == "floor":
            given = self.arguments(node, word, ("number",), required=1)
            self.write("apply", node, self.value(given["number"]), dst=dst, data=word)
        elif word == "Fraction":
            given = self.arguments(node, word, ("numerator", "denominator"), required=1)
            self.write("apply", node, *(self.value(arg) for arg in given.values()), dst=dst, data=word)
        else:
            raise self.fail(Unsupported, node, f"{word} has no meaning inside a function", "leave it out")
        return dst

    def _among(self, node: ast.Call, among: ast.Dict, given: dict[str, ast.expr], dst: str) -> None:
        """A choice among values that are given with their probabilities."""
        if "weights" in given:
            raise self.fail(WrongCode, node, "values with probabilities have no weights", "leave them out")
        keys = []
        for key, value in zip(among.keys, among.values, strict=True):
            if key is None:
                raise self.fail(Unsupported, value, "** is not supported", "write the values one by one")
            keys.append(self.value(key))
        values = self._apply(among, "tuple", keys)
        chances = self._apply(among, "tuple", [self.value(value) for value in among.values])
        self.write("choose", node, values, chances, dst=dst, data="among")

    def arguments(
        self, node: ast.Call, name: str, parameters: Sequence[str], *, required: int
    ) -> dict[str, ast.expr]:
        """The arguments of a call by the names of its parameters, in the order of these."""
        given: dict[str, ast.expr] = {}
        if len(node.args) > len(parameters):
            problem = f"{name} takes at most {len(parameters)} arguments, {', '.join(parameters)}"
            raise self.fail(WrongCode, node, problem, f"{len(node.args)} are given")
        given.update(zip(parameters, node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg not in parameters:
                known = ", ".join(parameters) or "none"
                raise self.fail(WrongCode, node, f"{name} has no parameter {keyword.arg}", f"it has {known}")
            if keyword.arg in given:
                raise self.fail(WrongCode, node, f"{keyword.arg} is given twice", "give it once")
            given[str(keyword.arg)] = keyword.value
        for parameter in parameters[:required]:
            if parameter not in given:
                raise self.fail(WrongCode, node, f"{parameter} is missing", f"write {name}({parameter}, …)")
        return {parameter: given[parameter] for parameter in parameters if parameter in given}
