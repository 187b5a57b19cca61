"""Schemas as documents have them, and some that no one should write."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = st.sampled_from(
    (
        "id",
        "name",
        "userId",
        "city",
        "country",
        "email",
        "price",
        "created_at",
        "end_date",
        "status",
        "lat",
        "tags",
        "x",
    )
)
TEXTS = st.sampled_from(
    ("", "string", "IN", "2021-07-15", "tt0111161", "12.50", "Golden Gate", "https://a.example/7", "é")
)

texts = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "examples": st.lists(TEXTS, max_size=2),
        "format": st.sampled_from(("date", "date-time", "email", "uri", "uuid", "odd")),
        "title": st.just("name of a team"),
    },
)
lengths = st.integers(0, 4).flatmap(
    lambda low: st.fixed_dictionaries(
        {"type": st.just("string"), "minLength": st.just(low), "maxLength": st.just(low + 8)}
    )
)
numbers = st.sampled_from(("integer", "number")).flatmap(
    lambda kind: st.fixed_dictionaries(
        {"type": st.just(kind)},
        optional={
            "minimum": st.integers(-9, 3),
            "maximum": st.integers(5, 99),
            "examples": st.lists(st.integers(-5, 10**7), max_size=2),
        },
    )
)
plain = st.one_of(
    texts,
    lengths,
    numbers,
    st.fixed_dictionaries({"type": st.sampled_from(("boolean", "null"))}),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from(("a", 1, None, True)), min_size=1, max_size=3)}),
    st.fixed_dictionaries({"type": st.just(["string", "null"])}),
    st.just({"type": "string", "pattern": r"^[A-Z]{2}\d{3}$"}),
    st.just({}),
)


def _around(inner: st.SearchStrategy) -> st.SearchStrategy:
    objects = st.dictionaries(NAMES, inner, max_size=4).flatmap(
        lambda parts: st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.just(parts)},
            optional={"required": st.just(list(parts)), "additionalProperties": st.booleans()},
        )
    )
    arrays = st.fixed_dictionaries(
        {"type": st.just("array"), "items": inner},
        optional={"minItems": st.integers(0, 3), "maxItems": st.integers(3, 7)},
    )
    forks = st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)})
    return objects | arrays | forks


schemas = st.recursive(plain, _around, max_leaves=8)
"""Schemas that some value fits."""

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ("type", "properties", "items", "required", "$ref", "enum", "anyOf", "examples", "minItems", "x")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
).filter(lambda value: isinstance(value, dict))
"""Objects of which only some are schemas."""
