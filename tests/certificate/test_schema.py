"""The canonical bytes of certificates, however long their lists are."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpz
from hypothesis import given
from hypothesis import strategies as st

from prover.certificate import schema
from prover.certificate.errors import TooLarge
from prover.certificate.schema import encode
from tests.profiles import examples

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=3), inner, max_size=9),
    max_leaves=40,
)


def at_once(evidence: Any) -> bytes:
    document = {"claim": {}, "evidence": evidence, "format": "prover-certificate", "model": {}, "version": 1}
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode("ascii")


@pytest.mark.parametrize("items", [1, 2, 3, 64])
@given(evidence=st.dictionaries(st.text(max_size=3), values, max_size=5))
@examples(60)
def test_pieces_make_the_same_bytes(evidence: dict[str, Any], items: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schema, "_AT_ONCE", items)
        assert encode({}, {}, evidence).data == at_once(evidence)


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 128, 129])
def test_long_lists(length: int) -> None:
    rows = [{"pair": [k, k + 1], "coupling": []} for k in range(length)]
    evidence = {"exact": {"rows": rows, "denominator": "1"}, "empty": {}, "tuple": tuple(range(length))}
    assert encode({}, {}, evidence).data == at_once(evidence)


def test_integers_of_flint_become_texts_and_nothing_else_does() -> None:
    long = 7**9_000
    assert encode({}, {}, {"value": fmpz(long)}).data == at_once({"value": str(fmpz(long))})
    for other in (Fraction(1, 2), {1, 2}, object()):
        with pytest.raises(TypeError, match=type(other).__name__):
            encode({}, {}, {"value": other})
    with pytest.raises(ValueError, match="JSON"):
        encode({}, {}, {"value": float("nan")})


def test_the_largest_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = {"rows": [[k] for k in range(200)]}
    data = at_once(evidence)
    monkeypatch.setattr(schema, "MAX_BYTES", len(data))
    monkeypatch.setattr(schema, "MAX_VALUES", sum(map(data.decode().count, ",[{")))
    assert encode({}, {}, evidence).data == data
    for limit, name in ((schema.MAX_BYTES, "MAX_BYTES"), (schema.MAX_VALUES, "MAX_VALUES")):
        with monkeypatch.context() as smaller:
            smaller.setattr(schema, name, limit - 1)
            with pytest.raises(TooLarge):
                encode({}, {}, evidence)
