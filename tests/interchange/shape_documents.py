"""Documents of the two request shapes: the shared cases, and documents composed at random that must be read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

REPOSITORY = Path(__file__).resolve().parents[2]

TEXT = st.text(max_size=12)
NAME = st.text(alphabet="abcAZ09_-|<é", min_size=1, max_size=8)
NUMBERS = ["0", "-0", "1.10", "1E+05", "9007199254740993", "1e400", "-2.50", "3", "0.000000123456"]
BASE64 = st.sampled_from(["aGVsbG8=", "YQ==", "YWJj", "YW\r\nJj"])


def shared_cases(prefix: str) -> list[Path]:
    """The cases of one shape; none where they are not, which ``test_the_cases_are_there`` then says."""
    given = os.environ.get("CONVOTREE_CASES")
    folder = Path(given) if given else REPOSITORY.parent / "shared" / "cases"
    return sorted((folder / "request-shapes").glob(f"{prefix}_*.json"))


def input_of(case: dict[str, Any]) -> str:
    """The text to read."""
    raw = case.get("input_raw")
    return raw if isinstance(raw, str) else json.dumps(case["input"])


class Number(float):
    """A number that ``text_of`` writes as it is spelled."""

    def __new__(cls, spelled: str) -> Number:
        made = super().__new__(cls, 0.0)
        made.spelled = spelled
        return made

    spelled: str


def text_of(value: Any) -> str:
    """JSON text with the spelling of each ``Number``."""
    if isinstance(value, Number):
        return value.spelled
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}: {text_of(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return json.dumps(value)


def open_json(numbers: list[str]) -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | TEXT | st.sampled_from(numbers).map(Number)
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=6,
    )


def open_object(numbers: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(TEXT, open_json(numbers), max_size=3)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with any of these members."""
    return st.fixed_dictionaries({}, optional=fields)


# ------------------------------------------------------------------------------------------------------- sigma

_ASIDE = some(
    signature=TEXT,
    providerSignature=TEXT,
    providerMetadata=open_object(NUMBERS),
    redacted=st.booleans(),
    filename=TEXT,
    zone=open_json(NUMBERS),
    toolArguments=open_json(NUMBERS),
)
_SIGMA_TEXT = st.builds(lambda text, aside: {"type": "text", "text": text, **aside}, NAME, _ASIDE)
_SIGMA_IMAGE = st.builds(
    lambda source, aside: {**aside, "type": "image", "mimeType": "image/png", **source},
    st.one_of(
        BASE64.map(lambda data: {"imageSource": "base64", "data": data}),
        NAME.map(lambda url: {"imageSource": "url", "url": url}),
    ),
    _ASIDE,
)
_SIGMA_DOCUMENT = st.builds(
    lambda source, aside: {**aside, "type": "document", "mimeType": "a/b", "filename": "f", **source},
    st.one_of(
        BASE64.map(lambda data: {"documentSource": "base64", "data": data}),
        NAME.map(lambda url: {"documentSource": "url", "url": url}),
        NAME.map(lambda file: {"documentSource": "file_id", "fileID": file, "url": "beside"}),
    ),
    _ASIDE,
)
_SIGMA_THINKING = st.builds(
    lambda said, aside: {"type": "thinking", **aside, **said},
    st.sampled_from([{"thinking": "t"}, {"signature": "s"}, {"providerSignature": "p"}, {"redacted": True}]),
    _ASIDE,
)
_HOSTED = st.sampled_from(
    [
        {"type": "server_tool_use"},
        {"type": "server_tool_use", "anthropic_hosted_replay": {"results_after": [{"type": "x"}, 1]}},
        {
            "type": "server_tool_use",
            "anthropic_hosted_replay": {
                "provider": "anthropic",
                "api": "anthropic-messages",
                "model": "m",
                "results_after": [{"type": "web_search_tool_result", "tool_use_id": "h", "content": []}],
            },
        },
        {"anthropic_hosted_replay": False},
    ]
)
_SIGMA_CALL = st.builds(
    lambda name, arguments, aside, hosted: {
        "type": "tool-call",
        "toolName": name,
        **aside,
        "toolArguments": arguments,
        **({} if hosted is None else {"providerMetadata": hosted}),
    },
    NAME,
    open_json(NUMBERS),
    _ASIDE,
    st.none() | _HOSTED,
)
_SIGMA_USAGE = some(
    inputTokens=st.integers(-(2**63), 2**63 - 1),
    outputTokens=st.integers(0, 9),
    totalTokens=st.integers(0, 9),
    provider=TEXT,
    raw=open_object(NUMBERS),
)
_SIGMA_ANSWER = st.builds(
    lambda content, made_by, said: {"role": "assistant", "content": content, **said, **made_by},
    st.lists(_SIGMA_TEXT | _SIGMA_THINKING | _SIGMA_CALL, max_size=4),
    st.sampled_from(
        [
            {},
            {"provider": "anthropic", "api": "anthropic-messages", "model": "m"},
            {"provider": "anthropic", "api": "messages", "model": "m"},
            {"provider": "openai"},
        ]
    ),
    some(
        stopReason=st.sampled_from(["", "end-turn", "error", "aborted", "unknown", "max-tokens"]),
        providerThinkingLevel=TEXT,
        usage=_SIGMA_USAGE,
    ),
)
_SIGMA_USER = st.builds(
    lambda content: {"role": "user", "content": content},
    st.lists(_SIGMA_TEXT | _SIGMA_IMAGE | _SIGMA_DOCUMENT, max_size=3),
)
_SIGMA_DEVELOPER = st.lists(_SIGMA_TEXT, max_size=2).map(
    lambda content: {"role": "developer", "content": content}
)
_SIGMA_RESULT = st.builds(
    lambda content, said: {"role": "tool", "content": content, **said},
    st.lists(_SIGMA_TEXT | _SIGMA_IMAGE | _SIGMA_DOCUMENT, max_size=2),
    some(
        toolName=TEXT,
        isError=st.booleans(),
        addedToolNames=st.lists(st.none() | TEXT, max_size=2),
        usage=_SIGMA_USAGE,
    ),
)
_SIGMA_TOOL = some(
    name=TEXT,
    description=TEXT,
    inputSchema=open_json(NUMBERS),
    providerDefinedType=TEXT,
    providerDefinedOptions=open_object(NUMBERS),
    providerMetadata=open_object(NUMBERS),
    openAIGrammar=st.none() | some(syntax=TEXT, definition=TEXT),
)


def _numbered(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every call with an id of its own, every result with one of a call above it; results without one go."""
    called: list[str] = []
    kept: list[dict[str, Any]] = []
    for message in messages:
        for block in message["content"]:
            if block["type"] == "tool-call":
                called.append(f"call {len(called)}")
                block["toolCallID"] = called[-1]
        if message["role"] == "tool":
            if not called:
                continue
            message = {**message, "toolCallID": called[len(kept) % len(called)]}
        kept.append(message)
    return kept


def sigma_documents() -> st.SearchStrategy[str]:
    """Valid requests of sigma, as text."""
    messages = st.lists(_SIGMA_ANSWER | _SIGMA_USER | _SIGMA_RESULT | _SIGMA_DEVELOPER, max_size=5)
    documents = some(
        systemPrompt=TEXT, messages=messages.map(_numbered), tools=st.lists(_SIGMA_TOOL, max_size=2)
    )
    return documents.map(text_of)


# ------------------------------------------------------------------------------------------------------ or/llm

_FLOATS = [number for number in NUMBERS if number != "1e400"]
_OR_TEXT = some(text=TEXT, textSignature=TEXT, odd=TEXT).map(lambda one: {"type": "text", **one})
_OR_IMAGE = some(data=TEXT, mimeType=TEXT).map(lambda one: {"type": "image", **one})
_OR_THINKING = some(thinking=TEXT, thinkingSignature=TEXT, redacted=st.booleans()).map(
    lambda one: {"type": "thinking", **one}
)
_OR_CALL = some(id=TEXT, name=TEXT, arguments=st.none() | open_object(_FLOATS), thoughtSignature=TEXT).map(
    lambda one: {"type": "toolCall", **one}
)
_OR_COST = some(input=st.sampled_from(_FLOATS).map(Number), total=st.sampled_from(_FLOATS).map(Number))
_OR_USAGE = some(
    input=st.integers(0, 99), output=st.integers(0, 99), inputUnknown=st.booleans(), cost=_OR_COST
)
_OR_DIAGNOSTIC = some(type=TEXT, timestamp=st.integers(0, 9), message=TEXT, details=open_object(_FLOATS))
_OR_ANSWER = some(
    content=st.lists(_OR_TEXT | _OR_THINKING | _OR_CALL, max_size=4),
    protocol=st.sampled_from(["anthropic-messages", "openai-responses", "messages", ""]),
    provider=st.sampled_from(["anthropic", "openai", ""]),
    model=TEXT,
    providerRequestId=TEXT,
    responseModel=TEXT,
    responseId=TEXT,
    usage=st.none() | _OR_USAGE,
    stopReason=st.sampled_from(["stop", "length", "toolUse", "error", "aborted", "odd", ""]),
    errorMessage=TEXT,
    diagnostics=st.lists(_OR_DIAGNOSTIC, max_size=2),
    timestamp=st.integers(0, 2**63 - 1),
).map(lambda one: {"role": "assistant", **one})
_OR_USER = st.lists(_OR_TEXT | _OR_IMAGE, max_size=3).map(lambda one: {"role": "user", "content": one})
_OR_RESULT = some(
    toolCallId=TEXT, toolName=TEXT, content=st.lists(_OR_TEXT | _OR_IMAGE, max_size=2), isError=st.booleans()
).map(lambda one: {"role": "toolResult", **one})
_OR_TOOL = some(name=TEXT, description=TEXT, parameters=open_json(NUMBERS), strict=st.none() | st.booleans())


def or_llm_messages() -> st.SearchStrategy[str]:
    """Messages of or/llm, as text."""
    return (_OR_ANSWER | _OR_USER | _OR_RESULT).map(text_of)


def or_llm_documents() -> st.SearchStrategy[str]:
    """Contexts of or/llm, as text."""
    return some(
        systemPrompt=TEXT,
        messages=st.lists(_OR_ANSWER | _OR_USER | _OR_RESULT, max_size=5),
        tools=st.lists(_OR_TOOL, max_size=2),
    ).map(text_of)
