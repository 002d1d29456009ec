"""What can be wrong with a suite of benchmarks, or with a file of results."""

from __future__ import annotations

from prover.errors import BadInput, quoted


class NoJobs(BadInput):
    """A suite has no family, or a family no job."""

    def __init__(self, what: str, path: str) -> None:
        super().__init__(f"there is no {what} here; a suite has at least one", path=path)


class UnknownQuestion(BadInput):
    """A suite asks a question that cannot be asked."""

    def __init__(self, name: str, known: tuple[str, ...], path: str) -> None:
        super().__init__(
            f"there is no question {quoted(name)}; the questions are {', '.join(known)}", path=path
        )


class UnknownOption(BadInput):
    """A question has no option of a name."""

    def __init__(self, question: str, name: str, known: tuple[str, ...], path: str) -> None:
        message = f"{question} has no option {quoted(name)}; its options are {', '.join(known)}"
        super().__init__(message, path=path)


class UnknownEngine(BadInput):
    """A suite asks for an engine that a question does not have, or for a tool that it does not describe."""

    def __init__(self, question: str, name: str, known: tuple[str, ...], path: str) -> None:
        message = f"{question} has no engine {quoted(name)}; here it has {', '.join(known)}"
        super().__init__(message, path=path)


class WrongModel(BadInput):
    """A question is asked about a model of the other kind."""

    def __init__(self, question: str, wanted: str, path: str) -> None:
        super().__init__(f"{question} is a question about a {wanted}, which this model is not", path=path)


class NothingToExpect(BadInput):
    """A value is expected of a question whose answer is a table."""

    def __init__(self, question: str, path: str) -> None:
        super().__init__(
            f"the answer of {question} is a table, so no single value can be expected", path=path
        )


class SameJobTwice(BadInput):
    """A suite asks the same question twice."""

    def __init__(self, what: str, path: str) -> None:
        super().__init__(f"{what} is asked before in this suite, with the same engine", path=path)


class GrowsAndLists(BadInput):
    """A family both grows and lists its jobs."""

    def __init__(self, path: str) -> None:
        super().__init__("a family either grows or lists its jobs; leave out one of the two", path=path)


class SizesDoNotMatch(BadInput):
    """A family that grows has not one size for every value."""

    def __init__(self, sizes: int, values: int, path: str) -> None:
        super().__init__(f"there are {sizes} sizes for {values} values; give one for each", path=path)


class NoSizes(BadInput):
    """The values of a family that grows are no whole numbers, and it does not say how large they are."""

    def __init__(self, found: str, path: str) -> None:
        message = f"value {quoted(found)} is no whole number; say with sizes how large each value is"
        super().__init__(message, path=path)


class BadCommand(BadInput):
    """The command of a tool cannot be taken apart into words."""


class UnknownPlaceholder(BadInput):
    """The command of a tool has a placeholder that a job does not fill."""

    def __init__(self, name: str, known: tuple[str, ...], path: str) -> None:
        message = f"no job here fills placeholder {quoted('{' + name + '}')}; it has {', '.join(known)}"
        super().__init__(message, path=path)


class BadPattern(BadInput):
    """How to read the answer of a tool is no regular expression with the groups that are needed."""


class BadJsonPath(BadInput):
    """How to read the answer of a tool is no JSON path."""

    def __init__(self, found: str, path: str) -> None:
        message = f"{quoted(found)} is no JSON path; write keys and indices like result.bounds[0]"
        super().__init__(message, path=path)


class NoReading(BadInput):
    """A tool does not say how its answer is read, or says it twice."""

    def __init__(self, path: str) -> None:
        super().__init__("a tool has either a pattern or a json path, which finds its answer", path=path)


class UnreadableAnswer(BadInput):
    """The output of a tool holds no answer where it is looked for."""


class OutputExists(BadInput):
    """Results are to be written to a file that is already there."""

    def __init__(self, file: str) -> None:
        message = "is already there; continue it with --resume, or begin it again with --force"
        super().__init__(message, file=file)


class OtherSuite(BadInput):
    """A run is to be continued in a file that holds results of another suite."""

    def __init__(self, file: str, found: str, wanted: str) -> None:
        super().__init__(f"holds results of suite {quoted(found)}, not of {quoted(wanted)}", file=file)


class NotResults(BadInput):
    """A file does not hold the rows of a benchmark."""
