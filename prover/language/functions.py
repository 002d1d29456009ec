"""Decorated functions: prover reads their source, and Python runs them."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterable
from typing import Any, cast, overload

from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import must_be
from prover.exact.expressions import named_parameter
from prover.exact.given import Given, given_rational
from prover.language.epsilon import EPSILON
from prover.language.neighbours import SecretRelation
from prover.language.reading.source import of_function
from prover.language.simulation import QueriesRead, Shown, Simulated, run_function
from prover.language.written import Mechanism, Protocol, written
from prover.program.origin import WrittenProgram


class _Decorated:
    """A decorated function; its file is read when it is first asked about."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", "?")
        self.__doc__ = function.__doc__ or type(self).__doc__
        self._written: Mechanism | Protocol | None = None

    def __repr__(self) -> str:
        names = ", ".join(inspect.signature(self.function).parameters)
        return f"<{type(self).__name__}: {self.__name__}({names})>"

    def written(self) -> Any:
        """The text of the function, ready to be interpreted."""
        if self._written is None:
            self._written = written(*of_function(self.function))
        return self._written

    def _run(self, values: dict[str, Any], run: Simulated) -> list[Shown]:
        signature = inspect.signature(self.function).parameters
        for one in self.written().parameters():
            given = values.get(one.name, signature[one.name].default)
            if isinstance(given, str):
                values[one.name] = one.read(given)
        return run_function(self.function, values, run)


def _names(given: str | Iterable[str] | None) -> list[str] | None:
    names = given.split(",") if isinstance(given, str) else given
    return None if names is None else [name.strip() for name in names]


def _seeded(epsilon: Given | float, seed: int | None) -> Simulated:
    number = epsilon if isinstance(epsilon, float) else given_rational(epsilon, "epsilon", more_than=0)
    return Simulated(random.Random(seed), float(number))


class DecoratedMechanism(_Decorated):
    """A function with @prover.mechanism: call it with its public parameters to get the threshold program."""

    def __call__(self, **constants: object) -> WrittenProgram:
        """The threshold program of the mechanism; raises CodeError and BadValue.

        ``epsilon`` is the ε at which texts are read that name it, as in ``scale="epsilon"``.
        """
        return self.written().program(constants)  # type: ignore[no-any-return]

    def run(
        self,
        queries: Iterable[Any] = (),
        epsilon: Given | float = 1,
        *,
        seed: int | None = None,
        **constants: object,
    ) -> list[Shown]:
        """The output of one run on these queries: letters and numbers, until the queries or the run end.

        Parameters of the type Query are given by name, or taken from the beginning of ``queries``. The run
        computes in floating point. It is a simulation, and not an implementation that protects data.
        """
        run = _seeded(epsilon, seed)
        values, stream = dict(constants), iter(queries)
        for one in self.written().parameters():
            if one.kind == "query" and one.name not in values:
                values[one.name] = next(stream, 0)
            if one.kind == "stream":
                values[one.name] = QueriesRead(stream, run)
        return self._run(values, run)


class DecoratedProtocol(_Decorated):
    """A function with @prover.protocol: ``chain`` gives its Markov chain, ``system`` also reads ``ask``."""

    def chain(
        self,
        related: SecretRelation | None = None,
        secret: str | Iterable[str] | None = None,
        /,
        *,
        lost: Given | None = None,
        **values: object,
    ) -> LabelledMarkovChain:
        """The Markov chain of the protocol. The secrets are the values given in lists, and all values of
        parameters whose types are bool, an enumeration, a Literal or a range.

        Each secret is an initial state, named like ``truth=True``. All of them are related; or, of those that
        differ in the parameters ``secret`` alone, the neighbours: ``related`` is "differ in one",
        "differ by 1 in one", or a function ``near(one, other)`` or its name. A protocol with too many states
        is cut, so that a run is ``lost`` with at most this probability, if it is given: ``prover.delta`` then
        encloses δ of the protocol itself. Raises BadValue, BeyondLimit and CodeError.
        """
        most = None if lost is None else given_rational(lost, "lost", at_least=0)
        return self.written().chain(values, _names(secret), related, lost=most)  # type: ignore[no-any-return]

    def system(
        self,
        related: SecretRelation | None = None,
        secret: str | Iterable[str] | None = None,
        /,
        **values: object,
    ) -> LabelledMarkovChain | LabelledMarkovDecisionProcess:
        """The same for protocols that may call ``ask``. If one does, the result is a decision process, in
        which an attacker chooses the actions.
        """
        return self.written().system(values, _names(secret), related)  # type: ignore[no-any-return]

    def run(self, *, seed: int | None = None, **values: object) -> list[Shown]:
        """The output of one run with these values of the parameters: a simulation in floating point.

        ``epsilon``, if it is no parameter, is the ε of texts that name it; 1 unless it is given.
        """
        epsilon: Any = 1 if EPSILON in inspect.signature(self.function).parameters else values.pop(EPSILON, 1)
        return self._run(dict(values), _seeded(epsilon, seed))


@overload
def mechanism(function: Callable[..., Any]) -> DecoratedMechanism: ...


@overload
def mechanism(*, sensitivity: Given) -> Callable[[Callable[..., Any]], DecoratedMechanism]: ...


def mechanism(function: Callable[..., Any] | None = None, *, sensitivity: Given | None = None) -> Any:
    """Make a function a mechanism, which prover reads and never executes (docs/language.md).

    ``sensitivity`` is the most by which a query answer differs between neighbouring inputs. Like everything
    else, it is read from the source; a text such as "1 + t" leaves a parameter open (``load_open``).

        >>> import prover
        >>> from prover.language import laplace, see
        >>> @prover.mechanism
        ... def is_above(query: prover.language.Query):
        ...     see("above" if laplace(query, rate=1) >= 0 else "below")
        >>> prover.privacy(is_above())
        <Privacy: private: exactly ε (no smaller multiple holds)>
    """
    if function is None and sensitivity is not None:
        if not isinstance(sensitivity, str) or named_parameter(sensitivity) is None:
            given_rational(sensitivity, "the sensitivity", more_than=0)
        return mechanism
    must_be(Callable, function=function)
    return DecoratedMechanism(cast("Callable[..., Any]", function))


def protocol(function: Callable[..., Any]) -> DecoratedProtocol:
    """Make a function a protocol, which prover reads and never executes (docs/language.md).

    >>> import prover
    >>> from prover.language import flip, see
    >>> @prover.protocol
    ... def survey(truth: bool):
    ...     see("yes" if truth == flip("2/3") else "no")
    >>> prover.epsilon_for(survey.chain(), delta=0)
    <Epsilon: the least epsilon with delta <= 0 is ln(2) ≈ 0.69314718056, rounded up>
    """
    must_be(Callable, function=function)
    return DecoratedProtocol(function)
