"""Random JSON: values, and texts of them in any spelling and any layout of white space."""

from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from convotree.domain.exact_json import NumberText

# NUL, quotes, lone surrogates and what MongoDB or the encoder gives a meaning of their own.
ODD_TEXTS = (
    "",
    "$where",
    "a.b",
    "\x00",
    '"',
    "\\",
    "\ud800",
    "\udc00x",
    "\ufdd0",
    '"\ufdd0"',
    "😀",
    "\u2028",
    "__proto__",
)

texts = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.text(max_size=12),
    st.text(st.characters(exclude_categories=()), max_size=8),
).filter(lambda text: not holds_a_split_pair(text))

number_texts = st.one_of(
    st.sampled_from(
        [
            "1.10",
            "1e400",
            "-1E-400",
            "-0",
            "-0.0",
            "0",
            "1.0",
            "1E5",
            "1e+05",
            str(2**70),
            "9" * 4500,
            "0.1",
            "1e22",
        ]
    ),
    st.from_regex(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,4})?", fullmatch=True),
)

plain_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)


def trees_of(leaves: st.SearchStrategy[Any], most: int = 12) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
        max_leaves=most,
    )


plain_values = trees_of(plain_scalars)
"""Values that Python's own types hold exactly."""

values = trees_of(plain_scalars | number_texts.map(lambda text: as_number(text)))
"""Values with numbers that only a ``NumberText`` holds among them."""

objects = st.dictionaries(texts, values, max_size=5)


def as_number(text: str) -> Any:
    """What reading the number gives: an int or a float where Python would spell it the same, else a ``NumberText``."""
    if len(text) < 4000:
        for made in (int, float):
            try:
                value = made(text)
            except ValueError:
                continue
            if repr(value) == text:
                return value
    return NumberText(text)


def holds_a_split_pair(text: str) -> bool:
    """Whether a high and a low surrogate stand side by side, which JSON cannot say."""
    return any("\ud800" <= a <= "\udbff" and "\udc00" <= b <= "\udfff" for a, b in pairwise(text))


_PAD = st.text(" \t\r\n", max_size=3)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


@st.composite
def spelled_strings(draw: st.DrawFn) -> str:
    """A JSON string, each character as itself or in one of its escapes."""
    spelled = []
    for character in draw(texts):
        code = ord(character)
        if 0xD800 <= code <= 0xDFFF:
            spelled.append(f"\\u{code:04x}")
        elif character in _ESCAPES:
            spelled.append(_ESCAPES[character])
        elif code < 0x20 or (code < 0x10000 and draw(st.integers(0, 3)) == 0):
            spelled.append(draw(st.sampled_from([f"\\u{code:04x}", f"\\u{code:04X}"])))
        else:
            spelled.append(character)
    return '"' + "".join(spelled) + '"'


@st.composite
def layouts(draw: st.DrawFn, depth: int = 4) -> tuple[str, str]:
    """One JSON value twice: compact, and the same tokens with white space between them. Keys may repeat."""
    kind = draw(st.integers(0, 5 if depth else 3))
    if kind >= 4:
        members = []
        for _ in range(draw(st.integers(0, 4))):
            compact, loose = draw(layouts(depth - 1))
            if kind == 4:
                key = draw(spelled_strings())
                compact, loose = f"{key}:{compact}", f"{key}{draw(_PAD)}:{draw(_PAD)}{loose}"
            members.append((compact, f"{draw(_PAD)}{loose}{draw(_PAD)}"))
        opening, closing = "{}" if kind == 4 else "[]"
        return (
            opening + ",".join(compact for compact, _ in members) + closing,
            opening + (",".join(loose for _, loose in members) or draw(_PAD)) + closing,
        )
    token = draw(
        (st.sampled_from(["true", "false", "null"]), number_texts, spelled_strings(), spelled_strings())[kind]
    )
    return token, token
