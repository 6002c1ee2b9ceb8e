"""Ids and keys: nothing but a plain bounded string is an id, and no two chains of ids share a key."""

import base64
import re
from enum import StrEnum
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from convotree.errors import InvalidIdError
from convotree.identity import MAX_ID_BYTES, check_id, derive_key, new_id

ids = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20)
chains = st.tuples(st.sampled_from(["revision", "lane", "r"]), st.lists(ids, max_size=4).map(tuple))


class Marked(str):
    pass


class Colour(StrEnum):
    RED = "red"


class TestCheckId:
    @given(ids)
    @example("x")
    @example("$where")
    @example("a.b")
    @example("{}")
    @example("x" * MAX_ID_BYTES)
    @example("é" * (MAX_ID_BYTES // 2))
    def test_a_plain_string_is_returned(self, value: str) -> None:
        assert check_id(value, "revision_id") is value

    @pytest.mark.parametrize(
        "value",
        [
            None,
            3,
            3.5,
            True,
            b"bytes",
            {"$ne": None},
            {"$gt": ""},
            ["a"],
            ("a",),
            re.compile("a"),
            object(),
            Marked("x"),
            Colour.RED,
            "",
            "\x00",
            "a\x00b",
            "\ud800",
            "a\udfff",
            "x" * (MAX_ID_BYTES + 1),
            "é" * (MAX_ID_BYTES // 2) + "x",
            "😀" * (MAX_ID_BYTES // 4 + 1),
            "x" * 100_000_000,
        ],
        ids=lambda value: repr(value)[:24],
    )
    def test_anything_else_is_refused_by_name(self, value: Any) -> None:
        with pytest.raises(InvalidIdError) as refused:
            check_id(value, "leaf_id")

        assert refused.value.argument == "leaf_id"
        assert len(str(refused.value)) < 200

    def test_the_limit_is_in_bytes(self) -> None:
        with pytest.raises(InvalidIdError) as refused:
            check_id("é" * 257, "id")

        assert "not 514" in refused.value.reason


class TestDeriveKey:
    @given(chains, chains)
    @example(("r", ("ab", "c")), ("r", ("a", "bc")))
    @example(("r", ("a", "b")), ("ra", ("b",)))
    @example(("r", ("a", "")), ("r", ("a",)))
    @example(("r", ("a\x00", "b")), ("r", ("a", "\x00b")))
    def test_other_chains_give_other_keys(
        self, one: tuple[str, tuple[str, ...]], other: tuple[str, tuple[str, ...]]
    ) -> None:
        assert (derive_key(one[0], *one[1]) == derive_key(other[0], *other[1])) == (one == other)

    @given(chains)
    def test_a_key_is_24_url_safe_characters(self, chain: tuple[str, tuple[str, ...]]) -> None:
        assert re.fullmatch(r"[A-Za-z0-9_-]{24}", derive_key(chain[0], *chain[1]))

    def test_each_id_is_hashed_with_its_length_before_it(self) -> None:
        """Stored keys must stay what they are: this is the form they have had since the first release."""
        data = b""
        for part in ("revision", "té", "c"):
            encoded = part.encode()
            data += len(encoded).to_bytes(4, "big") + encoded

        expected = base64.urlsafe_b64encode(sha256(data).digest()[:18]).decode()

        assert derive_key("revision", "té", "c") == expected
        assert derive_key("revision", "t", "c", "r") == "CbOpRz3qYpikr2NMvor9_C_G"


def test_new_ids_are_ids_and_differ() -> None:
    made = {new_id() for _ in range(1000)}

    assert len(made) == 1000
    assert all(re.fullmatch("[0-9a-f]{32}", one) and check_id(one, "id") == one for one in made)
