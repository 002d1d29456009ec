"""Profile tables judged once more, in fractions and without rounding, from docs/theory_profiles.md.

Nothing of the checker is used. What the checker accepts this judge accepts; it may accept a little more, as
it rounds nothing. The keys and types of the certificate must be right.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import gcd, lcm
from typing import Any

from flint import arb, ctx

from tests.certificate.judge import Unsound, rule
from tests.certificate.kept_judge import Noise
from tests.certificate.kept_judge import worth as kept_worth
from tests.certificate.points_judge import at_points
from tests.certificate.program_judge import reached_states

Json = Any
Point = tuple[Fraction, Fraction]
Profile = Callable[[Fraction], Fraction]
Move = tuple[Point, list[Fraction]]  # between which numbers a sample moves, and the shifts of its noise
ZERO, ONE = Fraction(0), Fraction(1)
DIFFERENCES = {"all-differ": (-1, 1), "one-differ": (-1, 1), "increasing": (0, 1), "decreasing": (-1, 0)}


def accepts_table(certificate: Json) -> bool:
    """Whether the evidence proves the claim."""
    try:
        for one in at_points(certificate):
            judge_table(one)
    except Unsound:
        return False
    return True


def judge_table(certificate: Json) -> None:
    """The evidence proves the claim at one α."""
    claim, evidence = certificate["claim"], certificate["evidence"]
    if "pure" in evidence:
        evidence = {key: own for key, own in evidence.items() if key != "pure"}
        if by_ratios(certificate) or not evidence:
            rule(by_ratios(certificate))
            return
    sides = evidence if claim["adjacency"] == "monotonic" else {claim["adjacency"]: evidence}
    alpha, upper, most = Fraction(claim["alpha"]), Fraction(claim["upper"]), claim.get("steps")
    rule(alpha >= 1 and 0 <= upper <= 1)
    rule(set(sides) == {"increasing", "decreasing"} or len(sides) == 1)
    rule(most is None or (type(most) is int and most > 0))
    for adjacency, own in sides.items():
        Closed(certificate["model"], adjacency, claim, own).promises(alpha, upper)


def by_ratios(certificate: Json) -> bool:
    """Whether the largest ratio proves the claim at one α: then randomised response loses no more there."""
    from tests.certificate.mechanisms_judge import ratio_above  # which needs this judge

    claim = certificate["claim"]
    alpha, upper = Fraction(claim["alpha"]), Fraction(claim["upper"])
    rule(alpha >= 1 and 0 <= upper <= 1)
    most = ratio_above(claim | {"program": certificate["model"]}, certificate["evidence"]["pure"])
    return most / (most + 1) - alpha / (most + 1) <= upper


def ended(alpha: Fraction) -> Fraction:
    return max(ZERO, 1 - alpha)


@dataclass(frozen=True)
class Chords:
    """Linear between points, constant after the last."""

    x: list[Fraction]
    y: list[Fraction]

    def __call__(self, alpha: Fraction) -> Fraction:
        k = bisect_right(self.x, alpha) - 1
        if k + 1 == len(self.x):
            return self.y[k]
        slope = (self.y[k + 1] - self.y[k]) / (self.x[k + 1] - self.x[k])
        return self.y[k] + slope * (alpha - self.x[k])


class Closed:
    """A table in one direction, for at most so many inputs."""

    def __init__(self, model: Json, adjacency: str, claim: Json, evidence: Json) -> None:
        rule("noise" in model or "q" not in claim)
        self.states, self.initial, self.adjacency = model["states"], model["initial"], adjacency
        self.most = claim.get("steps")
        self.unit = Fraction(model.get("sensitivity", "1"))
        self.grid = Fraction(model.get("grid", "1")) / self.unit if "noise" in model else None
        self.knots = [Fraction(k, 10**12) for k in evidence["knots"]]
        rule(self.knots[0] == 0 and all(a < b for a, b in pairwise(self.knots)) and len(self.knots) > 1)
        laplace = [one for one in evidence["regions"] if "ratio" not in one]
        self.normal = {Fraction(one["ratio"]): one for one in evidence["regions"] if "ratio" in one}
        self.regions = {Fraction(one["exponent"]): one for one in laplace}
        for exponent, one in self.regions.items():
            rule(exponent > 0 and self.is_above(Fraction(one["bound"]), exponent, claim))
        self.cuts = self.read_cuts(evidence.get("cuts", {}))
        self.epsilon = self.size_of_noise(claim)
        self.nodes = [(one, self.profile(one["values"])) for one in evidence["nodes"]]
        self.variables = {
            name
            for state in reached_states(model)
            for t in self.states[state]["transitions"]
            for name in (*t["assign"], *(test[1] for test in t["guard"]))
        }
        rule(self.all_defined(reached_states(model)))
        for one, profile in self.nodes:
            self.judge(one, profile)

    def is_above(self, bound: Fraction, exponent: Fraction, claim: Json) -> bool:
        """Whether a number is above e^(exponent·ε); with q = e^(−ε·unit) it may be equal."""
        if "q" not in claim:
            epsilon = Fraction(claim["at_epsilon"])
            return epsilon > 0 and above_exponential(bound, exponent * epsilon)
        times, q = exponent / self.step, Fraction(claim["q"])
        return times.denominator == 1 and 0 < q < 1 and bound * q**times.numerator >= 1

    @property
    def step(self) -> Fraction:
        """The unit that q is about."""
        rates = [rate for state in self.states.values() for rate in finite_rates(state)]
        numbers = [rate * self.unit * (self.grid or 0) for rate in rates]
        whole = lcm(*(number.denominator for number in numbers))
        return Fraction(gcd(*(int(number * whole) for number in numbers)) or 1, whole)

    def size_of_noise(self, claim: Json) -> arb:
        """ε."""
        before, ctx.prec = ctx.prec, 600
        try:
            if "q" in claim:
                return -exact(Fraction(claim["q"])).log() / exact(self.step)
            return exact(Fraction(claim["at_epsilon"]))
        finally:
            ctx.prec = before

    def all_defined(self, reached: Iterable[str]) -> bool:
        """Whether every test is of a variable that every way to it has assigned."""
        known = {name: set(self.variables) for name in reached} | {self.initial: set[str]()}
        for _ in range(len(self.states) * (len(self.variables) + 1)):
            for name in known:
                for t in self.states[name]["transitions"]:
                    if t["to"] in known:
                        known[t["to"]] &= known[name] | set(t["assign"])
        steps = [(name, t) for name in known for t in self.states[name]["transitions"]]
        return all(test[1] in known[name] for name, t in steps for test in t["guard"])

    def shifts(self, one: Json) -> dict[str, Point]:
        """Of the variables that a node names."""
        named = dict.fromkeys(self.variables, one["shifts"]) if len(self.variables) == 1 else one["shifts"]
        found = {name: (Fraction(low), Fraction(high)) for name, (low, high) in named.items()}
        rule(set(found) <= self.variables and all(low <= high for low, high in found.values()))
        return found

    def profile(self, values: list[int]) -> Chords:
        rule(len(values) == len(self.knots))
        found = Chords(self.knots, [Fraction(v, 10**16) for v in values])
        rule(all(y >= ended(x) for x, y in zip(found.x, found.y, strict=True)))
        slopes = [
            (b - a) / (y - x) for (x, y), (a, b) in zip(pairwise(found.x), pairwise(found.y), strict=True)
        ]
        rule(all(a <= b for a, b in pairwise(slopes)) and slopes[-1] <= 0)
        return found

    def promises(self, alpha: Fraction, upper: Fraction) -> None:
        rule(bool(self.starts) and min([ONE, *(f(alpha) for f in self.starts)]) <= upper)

    @property
    def starts(self) -> list[Chords]:
        """The profiles of the initial state, in the order of the nodes."""
        phase = self.adjacency == "one-differ"
        return [
            f
            for one, f in self.nodes
            if (one["state"], one.get("open", False), one.get("left")) == (self.initial, phase, self.most)
        ]

    def target(self, to: str, shifts: dict[str, Point], way: Any) -> Profile:
        *_, phase, left = way
        if to not in self.states or (left == 0 and self.states[to]["input"]):
            return ended
        for one, profile in self.nodes:
            here = one["state"], one.get("open", False), one.get("left")
            if here != (to, phase, left):
                continue
            known = {name: shifts[name] for name in self.shifts(one) if name in shifts}
            if all(
                name in known and low <= known[name][0] and known[name][1] <= high
                for name, (low, high) in self.shifts(one).items()
            ):
                return profile
        raise Unsound

    def ways(self, one: Json) -> Iterator[tuple[Fraction, Fraction, bool, int | None]]:
        """The least and the greatest difference, the phase after it, and the number of inputs left."""
        state, phase = self.states[one["state"]], one.get("open", False)
        size = Fraction(state.get("sensitivity", self.unit)) / self.unit
        low, high = (side * size for side in DIFFERENCES[self.adjacency])
        left = one.get("left")
        rule((left is None) == (self.most is None))
        if self.most is not None:
            rule(type(left) is int and left >= state["input"] and left <= self.most)
            left -= state["input"]
        if not state["input"]:
            yield ZERO, ZERO, phase, left
        elif self.adjacency != "one-differ":
            yield low, high, phase, left
        else:
            yield ZERO, ZERO, phase, left
            if phase:
                yield low, high, False, left

    def polygon(self, state: Json, prime: bool, s: Fraction) -> list[Point]:
        """Its vertices, from (0, 0) to (1, 1), for noise that moves by s."""
        sigma = state.get("sigma_prime" if prime else "sigma")
        if s != 0 and sigma is not None:
            rule((state["rate_prime"] if prime else state["rate"]) is None and Fraction(sigma) > 0)
            ratio = abs(s) * self.unit / Fraction(sigma)
            rule(ratio in self.normal)
            corners = below_lines(self.normal[ratio], partial(below_normal, ratio=ratio))
            corners = corners if s > 0 else [(q, p) for p, q in corners]
            return [(ZERO, ZERO), *corners, (ONE, ONE)]
        rates = (state["rate_prime"],) * 2 if prime else (state.get("rate_left"), state.get("rate_right"))
        if not prime and state["rate"] is not None:
            rates = state["rate"], state["rate"]
        rule(self.grid is None or (s / self.grid).denominator == 1)
        if s == 0:
            return [(ZERO, ZERO), (ONE, ONE)]
        left, right = (None if rate == "inf" else Fraction(rate) * self.unit for rate in rates)
        if left is None and right is None:
            corners = [(ONE, ZERO)]
        elif left == right and left is not None and self.grid is not None:
            q = 1 / Fraction(self.region(left * self.grid)["bound"])
            steps = int(abs(s) / self.grid)
            corners = [(geometric_tail(k, q), geometric_tail(k + steps, q)) for k in range(1, -steps - 1, -1)]
        elif left == right and left is not None:
            region = self.region(left * abs(s))
            corners = below_lines(region, partial(below_curve, b=Fraction(region["bound"])))
        elif left is None and right is not None:
            b = Fraction(self.region(right * abs(s))["bound"])
            corners = [(ONE, 1 / b)]
        else:
            rule(right is None and left is not None)
            corners = [(1 - 1 / Fraction(self.region((left or ZERO) * abs(s))["bound"]), ZERO)]
        if s < 0:
            corners = [(q, p) for p, q in corners]
        return [(ZERO, ZERO), *corners, (ONE, ONE)]

    def region(self, exponent: Fraction) -> Json:
        rule(exponent in self.regions)
        return self.regions[exponent]

    def after(self, t: Json, state: Json, shifts: dict[str, Point], way: Any) -> Profile:
        found = self.target(t["to"], shifts, way)
        size = max(abs(way[0]), abs(way[1]))
        if "insampleprime" not in outputs(t) or size == 0:
            return found
        return self.at_knots(lambda alpha: mixture(self.polygon(state, True, size), found, alpha))

    def at_knots(self, profile: Profile) -> Chords:
        return Chords(self.knots, [profile(alpha) for alpha in self.knots])

    def judge(self, one: Json, promised: Chords) -> None:
        state = self.states[one["state"]]
        for place, way in enumerate(self.ways(one)):
            for alpha, value in self.worth(one, state, self.shifts(one), way, place):
                rule(promised(alpha) >= value)

    def worth(
        self, one: Json, state: Json, shifts: dict[str, Point], way: Any, place: int
    ) -> Iterator[tuple[Fraction, Fraction]]:
        cases = state["transitions"]
        first, ends = cases[0], (way[0], way[1])
        if len(cases) > 1 or first["guard"]:
            guards = [tuple(test[0] for test in t["guard"]) for t in cases]
            both = [("<",), (">=",)], [("<=",), (">",)]
            alone = [[guard] for pair in both for guard in pair]
            rule(sorted(guards) in (*alone, *both))
            rule(self.grid is not None or all(relation in ("<", ">=") for (relation,) in guards))
            rule(not any(map(gaps, cases)))
            sides = {"<": "<", "<=": "<", ">": ">=", ">=": ">="}
            names = {test[1] for t in cases for test in t["guard"]}
            rule(len(names) == 1 and names <= set(shifts))
            if keeps(cases):
                rule("cells" in one and one["state"] in self.cuts)
                by_side = {sides[t["guard"][0][0]]: t for t in cases}
                step = partial(self.kept, one["state"], by_side, shifts, names.pop(), way)
                yield from self.drawn(way, one["cells"][place], step, 2)
                return
            after = {sides[t["guard"][0][0]]: self.after(t, state, shifts, way) for t in cases}
            below, above = after.get("<", ended), after.get(">=", ended)
            least, most = shifts[names.pop()]
            for s in (least - way[1], most - way[0]):
                for p, q in self.polygon(state, False, s):
                    for alpha in self.knots:
                        yield alpha, part(1 - p, 1 - q, below, alpha) + part(p, q, above, alpha)
            return
        rule(not gaps(first))
        if "insample" in outputs(first):
            after_it = self.after(first, state, shifts | dict.fromkeys(first["assign"], (ZERO, ZERO)), way)
            for end in ends:
                for alpha in self.knots:
                    yield alpha, mixture(self.polygon(state, False, -end), after_it, alpha)
        elif not first["assign"]:
            after_it = self.after(first, state, shifts, way)
            yield from ((alpha, after_it(alpha)) for alpha in self.knots)
        else:
            rule("cells" in one)
            step = partial(self.stored, first, state, shifts, way)
            yield from self.drawn(way, one["cells"][place], step, 1)

    def drawn(
        self, way: Any, cells: Json, step: Callable[..., Fraction], count: int
    ) -> Iterator[tuple[Fraction, Fraction]]:
        low = last = way[0]
        for one in cells:
            high = Fraction(one["until"])
            rule(low < high <= way[1] or low == high == way[1] or (self.grid is not None and low == high))
            rule(self.grid is None or (high / self.grid).denominator == 1)
            x, y = [ZERO], [ONE]
            for number, *moves in one["anchors"]:
                rule(0 < number < len(self.knots) and self.knots[number] > x[-1] and len(moves) == 2 * count)
                found = []
                for kind, amount in zip(moves[::2], map(Fraction, moves[1::2]), strict=True):
                    shift = kind == "shift"
                    rule(shift or kind == "offset")
                    kept = (amount, amount) if shift else (low + amount, high + amount)
                    found.append((kept, [amount - low, amount - high] if shift else [amount]))
                x.append(self.knots[number])
                y.append(step(found, x[-1]))
            rule(len(x) > 1)
            chords = Chords(x, y)
            yield from ((alpha, chords(alpha)) for alpha in self.knots)
            last, low = high, high + (self.grid or 0)
        rule(bool(cells) and last == way[1])

    def stored(
        self, t: Json, state: Json, shifts: dict[str, Point], way: Any, moves: list[Move], alpha: Fraction
    ) -> Fraction:
        ((kept, noise),) = moves
        after = self.after(t, state, shifts | dict.fromkeys(t["assign"], kept), way)
        return max(mixture(self.polygon(state, False, s), after, alpha) for s in noise)

    def kept(
        self,
        name: str,
        cases: dict[str, Json],
        shifts: dict[str, Point],
        variable: str,
        way: Any,
        moves: list[Move],
        alpha: Fraction,
    ) -> Fraction:
        """A step that tests a sample and stores or outputs it."""
        low, high = shifts[variable]
        sides: list[tuple[Profile, list[Fraction] | None]] = []
        for guard, (kept, noise) in zip(("<", ">="), moves, strict=True):
            t = cases.get(guard)
            rule(self.grid is None or all((x / self.grid).denominator == 1 for x in noise))
            rule(t is None or "insample" not in outputs(t) or (kept == (ZERO, ZERO) and len(noise) == 2))
            allowed = kept[1] <= low if guard == "<" else kept[0] >= high
            after: Profile = ended
            if t is not None:
                after = self.after(t, self.states[name], shifts | dict.fromkeys(t["assign"], kept), way)
            sides.append((after, noise if allowed else None))
        return kept_worth(self.noise(name), self.cuts[name], sides, alpha)

    def noise(self, name: str) -> Noise:
        state = self.states[name]
        if state.get("sigma") is not None:
            return Noise(None, None, Fraction(state["sigma"]) / self.unit, self.grid or ZERO)
        sides = state.get("rate_left"), state.get("rate_right")
        rates = sides if state["rate"] is None else (state["rate"], state["rate"])
        rule("inf" in rates or rates[0] == rates[1])
        before, ctx.prec = ctx.prec, 600
        try:
            left, right = (
                None if rate == "inf" else self.epsilon * exact(Fraction(rate) * self.unit) for rate in rates
            )
        finally:
            ctx.prec = before
        return Noise(left, right, None, self.grid or ZERO)

    def read_cuts(self, written: Json) -> dict[str, list[Fraction]]:
        rule(all(keeps(self.states[name]["transitions"]) for name in written))
        found = {name: [Fraction(cut) for cut in cuts] for name, cuts in written.items()}
        for cuts in found.values():
            rule(bool(cuts) and all(a < b for a, b in pairwise(cuts)))
            rule(self.grid is None or all((cut / self.grid).denominator == 1 for cut in cuts))
        return found


def exact(x: Fraction) -> arb:
    return arb(x.numerator) / x.denominator


def keeps(cases: list[Json]) -> bool:
    return any(t["guard"] and (t["assign"] or "insample" in outputs(t)) for t in cases)


def outputs(t: Json) -> list[Json]:
    return t["output"] if isinstance(t["output"], list) else [t["output"]]


def gaps(t: Json) -> bool:
    return any(isinstance(output, dict) for output in outputs(t))


def finite_rates(state: Json) -> list[Fraction]:
    """All of a state, that of insampleprime as well."""
    numbers = (state.get(key) for key in ("rate", "rate_left", "rate_right", "rate_prime"))
    return [Fraction(number) for number in numbers if number not in (None, "inf")]


def geometric_tail(k: int, q: Fraction) -> Fraction:
    """P[noise ≥ k] where the probability of noise k is in proportion to q^|k|."""
    return q**k / (1 + q) if k > 0 else 1 - q ** (1 - k) / (1 + q)


def part(p: Fraction, q: Fraction, profile: Profile, alpha: Fraction) -> Fraction:
    """p·D(α q/p)."""
    return p * profile(alpha * q / p) if p else ZERO


def mixture(polygon: list[Point], profile: Profile, alpha: Fraction) -> Fraction:
    return sum((part(b[0] - a[0], b[1] - a[1], profile, alpha) for a, b in pairwise(polygon)), ZERO)


def below_lines(region: Json, below: Callable[[Fraction, Fraction], bool]) -> list[Point]:
    """Vertices of what is above lines, each below the curve of the noise, without (0, 0) and (1, 1)."""
    lines = [(Fraction(line[0]), Fraction(line[1])) for line in region["lines"]]
    rule(len(lines) > 1 and all(a[0] < z[0] for a, z in pairwise(lines)) and lines[0][0] > 0)
    for m, c in lines:
        rule(below(m, c))
    corners = [(-lines[0][1] / lines[0][0], ZERO)]
    for (m, c), (n, d) in pairwise(lines):
        corners.append(((c - d) / (n - m), m * (c - d) / (n - m) + c))
    corners.append((ONE, sum(lines[-1])))  # type: ignore[arg-type]
    rule(all(a[0] <= z[0] and a[1] <= z[1] for a, z in pairwise(corners)))
    rule(all(0 <= q <= p <= 1 for p, q in corners))
    return corners


def below_curve(m: Fraction, c: Fraction, b: Fraction) -> bool:
    """At the ends of the three pieces, and nowhere on the second, 1/(4bw) for w = 1 − p, above it."""
    half = Fraction(1, 2)
    points = [(ZERO, ZERO), (half, half / b), (1 - half / b, half), (ONE, ONE)]
    if any(m * p + c > q for p, q in points):
        return False
    # 4bm w² − 4b(m + c) w + 1 ≥ 0 for w from 1/(2b) to 1/2
    lowest = (m + c) / (2 * m)
    at_lowest = 4 * b * m * lowest**2 - 4 * b * (m + c) * lowest + 1
    return at_lowest >= 0 or not half / b < lowest < half


def below_normal(m: Fraction, c: Fraction, *, ratio: Fraction) -> bool:
    """Below (Φ(t), Φ(t − ratio)) for every t: below where the curve has the slope m, in balls; whatever t the
    certificate names."""
    if m + c <= 0:
        return True
    before, ctx.prec = ctx.prec, 400
    try:
        r, slope, height = (arb(x.numerator) / x.denominator for x in (ratio, m, c))
        t = slope.log() / r + r / 2
        least = cumulative(t - r) - slope * cumulative(t)
        return bool(height <= least)
    finally:
        ctx.prec = before


def cumulative(t: arb) -> arb:
    return (-t / arb(2).sqrt()).erfc() / 2


def above_exponential(bound: Fraction, x: Fraction) -> bool:
    with localcontext() as context:
        context.prec = 60
        value = (Decimal(x.numerator) / x.denominator).exp()
        return Decimal(bound.numerator) / bound.denominator > value
