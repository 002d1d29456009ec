"""The house rules that a program can read off the sources: who imports whom, and what is written nowhere."""

import ast
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import prover
from tests.retired_words import NAMES
from tests.sources import PROVER, ROOT, SOURCES, nodes, parsed, relative
from tests.waiting import GUARD

CHECKER = PROVER / "certificate" / "check"

# What each part may import of prover, by dotted prefix; outside libraries are free. Parts not named here
# (formats, report, bench, zoo, cli, the public API) stand on top and may import anything.
FOUNDATION = (
    "prover.exact",
    "prover.errors",
    "prover.garbage",
    "prover.graphs",
    "prover.parallel",
    "prover.progress",
    "prover.views",
)
ENGINE = (*FOUNDATION, "prover.smt", "prover.certificate.errors", "prover.certificate.schema")
MAY_IMPORT = {
    "prover.errors": (),
    "prover.garbage": (),
    "prover.graphs": (),
    "prover.parallel": ("prover.errors", "prover.garbage"),
    "prover.executors": ("prover.errors", "prover.parallel"),
    "prover.progress": (),
    "prover.views": ("prover.errors",),
    "prover.exact": FOUNDATION,
    "prover.certificate.check": ("prover.certificate.check",),
    "prover.smt": ("prover.smt", *FOUNDATION),
    "prover.certificate": ("prover.certificate", *FOUNDATION),
    "prover.chain": ("prover.chain", *ENGINE),
    "prover.program": ("prover.program", *ENGINE),
    "prover.accounting": ("prover.accounting", "prover.chain", "prover.program", *ENGINE),
    "prover.language": (
        "prover.language",
        "prover.chain",
        "prover.program",
        *FOUNDATION,
    ),
}

# From the ground up: a module, or a package, imports of the package that it is in what stands in rows above
# its own, and what is in its own package. The last table is about the packages of prover.
LAYERS = {
    "prover.accounting": (
        ("errors", "units"),
        ("conversions", "inverse_powers", "known_laws", "least_epsilon", "moments", "power", "tradeoff"),
        ("lattice", "zcdp"),
        ("distribution",),
        ("grid", "outcomes", "pairs", "programs", "sums"),
        ("adaptive", "discrete_gaussian", "secret_losses"),
        ("enclosed", "known"),
        ("bounded", "refining"),
        ("mechanism",),
        ("account",),
        ("attackers", "evidence", "rounded"),
        ("certificates", "profile_certificates", "renyi", "tested"),
        ("choosing", "enclosed_tradeoff", "fitting", "interchange", "repeated", "sampling", "theorems"),
        ("divergences",),
    ),
    "prover.chain": (
        ("errors", "kinds"),
        ("rows",),
        ("model",),
        ("process",),
        ("canonical", "fingerprints"),
        ("answer", "arguments", "bisimulation", "collapsing", "product", "symmetry"),
        ("real",),
        ("ld",),
        ("smt", "unrolling"),
        ("ahead", "moments", "secrets"),
        ("dispatch",),
        ("distance",),
        ("conversion",),
        ("delta",),
        ("breakpoints",),
        ("growth",),
        ("epsilon", "privacy_profile"),
    ),
    "prover.language": (
        ("errors", "values"),
        ("reading", "words"),
        ("epsilon",),
        ("coins", "counting", "mechanism"),
        ("states", "tails"),
        ("neighbours", "protocol", "simulation"),
        ("written",),
        ("files", "frequencies", "functions"),
    ),
    "prover.program": (
        ("errors",),
        ("adjacency", "noise", "outputs"),
        ("edge",),
        ("state",),
        ("model",),
        ("canonical", "gaps", "graph", "order_graph", "origin", "remarks", "scope", "shifts"),
        ("opened",),
        ("real",),
        ("branches", "conditions", "registers"),
        ("decision",),
        ("optimum",),
        ("smt", "strategies"),
        ("observer",),
        ("answer",),
        ("pieces", "privacy"),
        ("attack", "counted", "real_privacy"),
        ("profiles",),
    ),
    "prover": (
        ("errors", "garbage", "graphs", "progress"),
        ("views",),
        ("exact", "parallel"),
        ("certificate", "executors", "smt"),
        ("chain", "program"),
        ("accounting", "language", "questions"),
        ("curves",),
        ("encoding", "formats", "report", "zoo"),
        ("claims", "comparison", "gallery"),
        ("testing",),
        ("cli.status", "cli.worker"),
        ("bench", "sweeps"),
        ("cli",),
    ),
}

HEAVY = ("flint", "highspy", "jinja2", "matplotlib", "networkx", "pysmt", "scipy", "sympy", "z3")
LATER = tuple(name for name in HEAVY if name != "flint")
LINE_LIMIT = 400

# Put together here, so that this file does not hold what it looks for. A path begins where no name stands
# before the slash: not in a/work/b.
FOLDERS = ["/" + name + "/" for name in ("work", "root", "home", "opt", "mnt")]
HOSTS = [
    "pypi" + ".org",
    "python" + "hosted",
    "npm" + "js",
    "crates" + ".io",
    "deb." + "debian",
    "file:" + "//",
]
LOCAL = re.compile("|".join([*(rf"(?<![\w.]){folder}" for folder in FOLDERS), *map(re.escape, HOSTS)]))

HELP_SECONDS = 0.3


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def is_module(name: str) -> bool:
    base = ROOT.joinpath(*name.split("."))
    return base.is_dir() or base.with_suffix(".py").is_file()


def is_below(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def imports(tree: Iterable[ast.AST], package: str) -> Iterator[tuple[int, str]]:
    """Every (line, module) that the module imports, wherever in it; package resolves relative imports."""
    for node in tree:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                submodule = f"{base}.{alias.name}"
                yield node.lineno, submodule if is_module(submodule) else base


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    name = module_name(path)
    return imports(nodes(path), name if path.name == "__init__.py" else name.rpartition(".")[0])


def rule_for(module: str) -> tuple[str, ...] | None:
    return next((allowed for part, allowed in MAY_IMPORT.items() if is_below(module, part)), None)


@cache
def place(within: str, module: str) -> tuple[int, str] | None:
    """The row and the name under which a module stands among the layers of a package."""
    found = [
        (row, f"{within}.{name}")
        for row, names in enumerate(LAYERS[within])
        for name in names
        if is_below(module, f"{within}.{name}")
    ]
    return max(found, key=lambda at: len(at[1]), default=None)


@cache
def is_downward(module: str, name: str) -> bool:
    """Whether the module stands above what it imports, in every package that both are in."""
    for within in LAYERS:
        here, there = place(within, module), place(within, name)
        if here and there and here[1] != there[1] and here[0] <= there[0]:
            return False
    return True


def breaches(module: str, imported: Iterator[tuple[int, str]]) -> list[str]:
    """The imports of prover that the module's part may not have."""
    allowed = rule_for(module)
    return [
        f"{module}:{line} imports {name}"
        for line, name in imported
        if is_below(name, "prover")
        and not (
            (allowed is None or any(is_below(name, prefix) for prefix in allowed))
            and is_downward(module, name)
        )
    ]


def found(paths: list[Path], wanted: tuple[type[ast.AST], ...]) -> Iterator[tuple[str, ast.AST]]:
    for path in paths:
        for node in nodes(path):
            if isinstance(node, wanted):
                yield f"{relative(path)}:{getattr(node, 'lineno', 0)}", node


def is_float(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=float() | complex()):
            return True
        case ast.Call(func=ast.Name(id="float")):
            return True
    return False


def repository_files() -> list[Path]:
    """The files that are, or would be, committed; where git cannot say, all that are not hidden."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, encoding="utf-8").stdout
        names = [Path(name) for name in listed.split("\0") if name]
    except (FileNotFoundError, subprocess.CalledProcessError):
        every = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        names = [path for path in every if not any(part.startswith((".", "__")) for part in path.parts[:-1])]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def test_no_module_has_the_name_of_what_is_public() -> None:
    # Once imported, it would stand where the function is looked for.
    modules = {module_name(path).removeprefix("prover.") for path in SOURCES}
    assert modules.isdisjoint(prover.__all__)
    assert {"BadInput", "delta", "load"} < set(prover.__all__)


def test_a_type_has_a_name_of_its_own() -> None:
    """Hardly two modules define types of one name, so that a name says which is meant."""
    homes: dict[str, set[str]] = {}
    for path in (path for path in SOURCES if not path.is_relative_to(CHECKER)):
        for node in parsed(path).body:
            names = [node.name] if isinstance(node, ast.ClassDef) else []
            if isinstance(node, ast.Assign):
                names = [one.id for one in node.targets if isinstance(one, ast.Name)]
            for name in names:
                if re.match("[A-Z].*[a-z]", name):
                    homes.setdefault(name, set()).add(relative(path))
    shared = {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1}
    assert len(shared) <= 20, shared


def test_no_name_in_code_is_a_retired_word() -> None:
    named = (ast.Name, ast.arg, ast.Attribute, ast.FunctionDef, ast.ClassDef)
    names = {
        name: where
        for where, node in found(SOURCES, named)
        for name in (getattr(node, key, "") for key in ("id", "arg", "attr", "name"))
    }
    assert {name: where for name, where in names.items() if re.fullmatch(NAMES, name, re.IGNORECASE)} == {}


def test_every_import_of_prover_is_allowed() -> None:
    assert [breach for path in SOURCES for breach in breaches(module_name(path), imports_of(path))] == []


@pytest.mark.parametrize("within", LAYERS)
def test_every_package_stands_in_a_layer(within: str) -> None:
    folder = ROOT.joinpath(*within.split("."))
    parts = {module_name(path) for path in folder.iterdir() if path.suffix == ".py"}
    parts |= {module_name(path.parent / "__init__.py") for path in folder.glob("*/__init__.py")}
    assert {part for part in parts - {within} if place(within, part) is None} == set()
    named = [f"{within}.{name}" for row in LAYERS[within] for name in row]
    assert len(named) == len(set(named))
    assert [name for name in named if not is_module(name)] == []


@pytest.mark.parametrize(
    ("module", "source", "allowed"),
    [
        ("prover.chain.distance", "from prover.program import model", False),
        ("prover.chain.distance", "import prover.program.model", False),
        (
            "prover.program.privacy",
            "def f():\n    from ..chain.model import LabelledMarkovChain",
            False,
        ),
        ("prover.program.privacy", "if TYPE_CHECKING:\n    import prover.chain", False),
        ("prover.chain.distance", "from prover.certificate import check", False),
        ("prover.chain.distance", "from prover.certificate.check import verify", False),
        ("prover.chain.distance", "from prover import formats", False),
        ("prover.chain.distance", "import prover", False),
        ("prover.chain.distance", "from .. import cli", False),
        ("prover.certificate.schema", "from prover.chain.model import LabelledMarkovChain", False),
        ("prover.exact.linear", "from prover.chain import model", False),
        ("prover.certificate.check.chains", "from prover.exact.rational import format_rational", False),
        ("prover.certificate.check.chains", "from ..schema import encode", False),
        ("prover.certificate.check.chains", "from .reading import rational", True),
        ("prover.chain.distance", "from prover.certificate.schema import write", True),
        ("prover.chain.distance", "from prover.exact.rational import format_rational", True),
        ("prover.chain.distance", "from prover.errors import BadInput", True),
        ("prover.chain.distance", "from . import model\nfrom .kernel import kernel\nimport scipy", True),
        ("prover.formats.chain_json", "from prover.chain.model import LabelledMarkovChain", True),
        ("prover.chain.ld.interval", "from prover.chain.ld.transport import Coupling", True),
        ("prover.chain.unrolling.graph", "from prover.chain.ld.problem import Problem", True),
        ("prover.chain.ld.problem", "from prover.chain.unrolling import graph", False),
        ("prover.chain.unrolling.graph", "from prover.chain.smt import bisection", False),
        ("prover.chain.smt.formulas", "from prover.chain.distance import distance", False),
        ("prover.chain.distance", "from prover.chain.delta import delta", False),
        ("prover.program.decision.facts", "from prover.program.optimum import transfer", False),
        ("prover.program.optimum.transfer", "from prover.program.decision.facts import facts_of", True),
        ("prover.report.distance", "from prover.cli.status import Status", False),
        ("prover.report.distance", "from prover.chain.answer import Distance", True),
        ("prover.zoo", "from prover.formats import load", False),
        ("prover.bench.child", "from prover.cli.worker import run", True),
        ("prover.bench.child", "from prover.cli.commands import main", False),
        ("prover.cli.worker", "from prover.cli.commands import main", False),
        ("prover.zoo", "from prover.chain import model\nfrom prover.program import model", True),
    ],
)
def test_the_import_rules_tell_right_from_wrong(module: str, source: str, allowed: bool) -> None:
    package = module.rpartition(".")[0]
    assert (breaches(module, imports(ast.walk(ast.parse(source)), package)) == []) is allowed


def test_functions_spell_out_their_parameters() -> None:
    """But for the two that pass on what click has read."""
    untyped = [
        place
        for place, node in found(SOURCES, (ast.FunctionDef,))
        if isinstance(node, ast.FunctionDef)
        and node.args.kwarg is not None
        and ast.unparse(node.args.kwarg.annotation or ast.Name("Any")) == "Any"
    ]
    assert [place.partition(":")[0] for place in untyped] == ["prover/cli/options.py"] * 2


def test_the_checker_imports_only_the_standard_library() -> None:
    sources = sorted(CHECKER.rglob("*.py"))
    assert CHECKER / "__main__.py" in sources
    imported = {name for path in sources for _, name in imports_of(path)}
    others = {name for name in imported if not is_below(name, "prover.certificate.check")}
    assert {name.partition(".")[0] for name in others} - set(sys.stdlib_module_names) == set()


def test_the_checker_runs_by_itself() -> None:
    run = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKER), os.devnull], capture_output=True, text=True, timeout=GUARD
    )
    assert (run.returncode, run.stdout[:8]) == (1, "REJECTED"), run.stderr


def test_encodings_holds_no_python() -> None:
    # A package of this name would shadow the standard library's, which every interpreter needs to start.
    suffixes = {".py", ".pyi", ".pyc", ".pyd", ".so"}
    assert [relative(path) for path in (ROOT / "encodings").rglob("*") if path.suffix in suffixes] == []


def test_no_file_is_long() -> None:
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: lines for name, lines in lengths.items() if lines > LINE_LIMIT} == {}


def test_no_float_in_certificates_and_formats() -> None:
    paths = [path for path in SOURCES if {"certificate", "formats"} & {*path.parts}]
    assert len(paths) >= 2
    assert [where for where, node in found(paths, (ast.Constant, ast.Call)) if is_float(node)] == []


def test_no_assert_statement() -> None:
    # `python -O` leaves them out.
    assert [where for where, _ in found(SOURCES, (ast.Assert,))] == []


def test_no_bare_except() -> None:
    handlers = found(SOURCES, (ast.ExceptHandler,))
    assert [where for where, node in handlers if getattr(node, "type", None) is None] == []


def test_no_machine_path_and_no_registry_host() -> None:
    hits = []
    for path in repository_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not a text file
        if not any(name in text for name in (*FOLDERS, *HOSTS)):
            continue  # which is quicker to see
        for number, line in enumerate(text.splitlines(), start=1):
            if match := LOCAL.search(line):
                hits.append(f"{relative(path)}:{number} says {match.group()}")
    assert hits == []


@pytest.mark.parametrize(
    ("line", "local"),
    [
        ("see " + "/" + "work/main", True),
        ("'" + "/" + "root/bin'", True),
        ("--index https:" + "//" + "pypi" + ".org/simple", True),
        ("a/work/b", False),
        ("./root/file", False),
        ("docs/theory.md, section 3", False),
    ],
)
def test_local_names_are_recognised(line: str, local: bool) -> None:
    assert bool(LOCAL.search(line)) is local


@pytest.fixture(scope="module")
def fast_start(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment where byte code is kept, but not among the sources."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("bytecode")), "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize(
    ("command", "most", "late"),
    [
        (("-c", "import prover"), 60, HEAVY),
        (("-m", "prover.cli", "--help"), 160, HEAVY),
        (("-c", "import prover; prover.delta"), 460, LATER),
        (("-c", "import prover.cli.account, prover.report.account"), 290, (*HEAVY[1:], "numpy")),
        (
            ("-m", "prover.cli", "delta", "examples/coin.json", "--alpha", "6/5"),
            310,
            (
                *LATER,
                "numpy",
                "gzip",
                "hashlib",
                "html.parser",
                "prover.chain.dispatch",
                "prover.chain.ld.interval",
                "prover.cli.account",
                "prover.formats.explicit.files",
                "prover.formats.identity",
                "prover.report.picture.svg",
                "prover.smt.solver",
                "xml.etree.ElementTree",
            ),
        ),
        (
            ("-m", "prover.cli", "epsilon", "examples/coin.json", "--delta", "1/100"),
            310,
            (*LATER, "numpy", "prover.accounting", "prover.program.optimum", "prover.report.picture.svg"),
        ),
        (
            ("-m", "prover.cli", "privacy", "examples/svt.dipa"),
            400,
            (*LATER, "numpy", "prover.language", "prover.report.privacy_page", "prover.report.picture.svg"),
        ),
        (
            ("-m", "prover.cli", "verify", "examples/contract/proofs/answer.cert"),
            215,
            (*HEAVY, "numpy", "prover.formats.load", "prover.report.certificate"),
        ),
    ],
)
def test_heavy_libraries_wait_until_used(
    command: tuple[str, ...], most: int, late: tuple[str, ...], fast_start: dict[str, str]
) -> None:
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *command],
        cwd=ROOT, env=fast_start, capture_output=True, text=True, timeout=GUARD,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    loaded = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines() if "import time:" in line}
    assert "prover" in loaded
    assert sorted(loaded.intersection(late)) == []
    assert len(loaded) < most  # each takes a fifth of a millisecond of a start


@pytest.mark.timing
def test_help_is_fast(fast_start: dict[str, str]) -> None:
    # Processor time, which other work on the machine does not change; the first run only fills the cache.
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "prover.cli", "--help"],
            env=fast_start, check=True, capture_output=True, timeout=GUARD,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(4)) < HELP_SECONDS
