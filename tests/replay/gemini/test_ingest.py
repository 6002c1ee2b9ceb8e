"""Bodies and answers of Gemini as requests and messages; what is wrong with them, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parts import TextPart
from convotree.errors import InvalidMessageError
from convotree.replay import Request
from tests.replay.gemini.sample import MODEL, SIGNATURE, gemini_body

USER = {"role": "user", "parts": [{"text": "go"}]}


def read(*contents: Any, **rest: Any) -> Request:
    return Request.from_provider("gemini", {"contents": list(contents), **rest})


def back(body: dict[str, Any]) -> dict[str, Any]:
    request = Request.from_provider("gemini", json.dumps(body))
    return request.render("gemini", model="gemini-2.5-flash", params=request.params).body


def test_roles_provenance_and_params() -> None:
    request = Request.from_provider("gemini", gemini_body(), model=MODEL)
    assert [message.role for message in request.messages] == [
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
    ]
    assert request.messages[1].provenance == Provenance("google", "generate-content", MODEL)
    assert request.params is not None
    assert list(request.params.value) == ["generationConfig", "safetySettings", "toolConfig"]
    assert Request.from_json(request.to_json()) == request


@pytest.mark.parametrize(
    "system",
    [
        {"systemInstruction": {"parts": [{"text": "a"}]}},
        {"system_instruction": {"parts": [{"text": "a"}]}},
        {"systemInstruction": {"parts": [{"text": "a"}], "role": "user"}},
        {
            "systemInstruction": {
                "role": "system",
                "parts": [{"text": "a", "partMetadata": {}}, {"text": "b"}],
            }
        },
        {"systemInstruction": {"parts": [{"text": "a"}, {"text": "b"}]}},
        {"system_instruction": {"odd": 1.5, "parts": [{"text": "a"}, {"odd": 1}]}},
        {"systemInstruction": {"parts": [{"odd": 1}]}},
    ],
    ids=str,
)
def test_the_system_instruction_comes_back_as_it_was(system: dict[str, Any]) -> None:
    body = {**system, "contents": [USER]}
    assert back(body) == body


def test_a_plain_system_instruction_is_a_text() -> None:
    assert read(USER, systemInstruction={"parts": [{"text": "a"}]}).system == "a"


@pytest.mark.parametrize(
    "content",
    [
        {"parts": [{"text": "no role"}]},
        {"role": "user", "parts": [{"text": "a"}], "odd": 1.5},
        {"role": "user", "parts": [{"text": "a"}], "form": {"without": ["role"]}},
    ],
    ids=str,
)
def test_a_content_comes_back_as_it_was(content: dict[str, Any]) -> None:
    body = {"contents": [content]}
    assert back(body) == body


@pytest.mark.parametrize(
    "calls",
    [
        [{"id": "a"}, {"id": "b"}],
        [{}, {}],
        [{"id": ""}, {"id": None}],
        [{"id": "gemini_no_id_9_9"}, {}],
    ],
    ids=str,
)
@pytest.mark.parametrize("order", [1, -1])
def test_ids_come_back_as_they_were_and_pair_calls_with_responses(
    calls: list[dict[str, Any]], order: int
) -> None:
    named = [{"name": name, "args": {}, **one} for name, one in zip("fg", calls, strict=True)]
    responses = [{"name": name, "response": {}, **one} for name, one in zip("fg", calls, strict=True)]
    body = {
        "contents": [
            USER,
            {"role": "model", "parts": [{"functionCall": one} for one in named]},
            {"role": "user", "parts": [{"functionResponse": one} for one in responses[::order]]},
        ]
    }
    assert back(body) == body
    request = Request.from_provider("gemini", body)
    one, two = (part.tool_call_id for part in request.messages[1].tool_calls)
    assert one != two
    assert [part.tool_call_id for part in request.messages[2].tool_results] == [one, two][::order]


def test_an_id_that_only_one_side_has_stays_there() -> None:
    for call, response in (({}, {"id": "minted"}), ({"id": "c1"}, {})):
        body = {
            "contents": [
                USER,
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}, **call}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}, **response}}]},
            ]
        }
        assert back(body) == body
        request = Request.from_provider("gemini", body)
        assert (
            request.messages[2].tool_results[0].tool_call_id == request.messages[1].tool_calls[0].tool_call_id
        )
        assert request.check("gemini", model="gemini-2.5-flash") == ()


def test_ids_of_missing_ones_do_not_change_as_the_history_grows() -> None:
    contents = [USER, {"role": "model", "parts": [{"functionCall": {"name": "f"}}]}]
    short, long = read(*contents), read(*contents, USER, *contents)
    assert short.messages[1].tool_calls == long.messages[1].tool_calls
    assert len({one.tool_call_id for message in long.messages for one in message.tool_calls}) == 2


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, "contents"),
        ({"contents": {}}, "contents"),
        ({"contents": [3]}, "contents[0]"),
        ({"contents": [{"role": "system", "parts": []}]}, "contents[0].role"),
        ({"contents": [{"role": 3}]}, "contents[0].role"),
        ({"contents": [{"role": "user", "parts": {}}]}, "contents[0].parts"),
        ({"contents": [USER, {"role": "model", "parts": [7]}]}, "contents[1].parts[0]"),
        ({"contents": [{"parts": [{"text": None}]}]}, "contents[0].parts[0].text"),
        ({"contents": [{"parts": [{"text": 1, "thought": True}]}]}, "contents[0].parts[0].text"),
        ({"contents": [{"parts": [{"functionCall": 1}]}]}, "contents[0].parts[0].functionCall"),
        ({"contents": [{"parts": [{"function_call": {}}]}]}, "contents[0].parts[0].function_call.name"),
        (
            {"contents": [{"parts": [{"functionCall": {"name": "f", "id": 1}}]}]},
            "contents[0].parts[0].functionCall.id",
        ),
        (
            {"contents": [{"parts": [{"text": "a", "thought_signature": 1}]}]},
            "contents[0].parts[0].thought_signature",
        ),
        (
            {"contents": [{"parts": [{"inline_data": {"mime_type": 1}}]}]},
            "contents[0].parts[0].inline_data.mime_type",
        ),
        (
            {"contents": [{"parts": [{"functionResponse": {"name": "f", "parts": [{"inlineData": 1}]}}]}]},
            "contents[0].parts[0].functionResponse.parts[0].inlineData",
        ),
        ({"contents": [], "systemInstruction": "a"}, "systemInstruction"),
        ({"contents": [], "system_instruction": {"parts": [1]}}, "system_instruction.parts[0]"),
        ({"contents": [], "tools": {}}, "tools"),
        ({"contents": [], "tools": [1]}, "tools[0]"),
        ({"contents": [], "tools": [{"functionDeclarations": {"a": 1}}]}, "tools[0].functionDeclarations"),
        (
            {"contents": [], "tools": [{"functionDeclarations": [{"name": "f"}, {}]}]},
            "tools[0].functionDeclarations[1].name",
        ),
        (
            {"contents": [], "tools": [{"functionDeclarations": [{"name": "f", "parameters": "x"}]}]},
            "tools[0].functionDeclarations[0].parameters",
        ),
        ({"contents": [], "model": 3}, "model"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(body: Any, place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Request.from_provider("gemini", json.dumps(body))
    assert caught.value.place == place


# ---------------------------------------------------------------- answers


def test_an_answer_is_read_whole_by_its_candidate_or_by_its_content() -> None:
    content = {"role": "model", "parts": [{"text": "Hi", "thoughtSignature": SIGNATURE}]}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    whole = {"candidates": [candidate], "modelVersion": MODEL, "responseId": "r1"}
    messages = [Message.from_provider("gemini", one, model=MODEL) for one in (whole, candidate, content)]
    expected = Message(
        Role.ASSISTANT,
        (TextPart("Hi", signature=SIGNATURE),),
        Provenance("google", "generate-content", MODEL),
    )
    assert messages == [expected] * 3
    assert Message.from_provider("gemini", whole) == expected


def test_what_stands_beside_the_content_is_kept_and_never_sent() -> None:
    grounding = {"groundingChunks": [{"web": {"uri": "https://x"}}]}
    answer = {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": "Hi"}]},
                "finishReason": "STOP",
                "groundingMetadata": grounding,
            }
        ]
    }
    message = Message.from_provider("gemini", answer)
    assert message.provider_data == ExactJson.of(
        {"gemini": {"form": {"candidate": {"groundingMetadata": grounding}}}}
    )
    made = Request(messages=(Message.user("go"), message)).render("gemini", model=MODEL)
    assert made.body["contents"][1] == {"role": "model", "parts": [{"text": "Hi"}]}


def test_a_call_without_an_id_has_one_that_no_other_answer_has() -> None:
    parts = [{"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "f", "args": {}}}]
    ids = [
        call.tool_call_id
        for response_id in ("r1", "r2")
        for call in Message.from_provider(
            "gemini",
            {
                "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
                "responseId": response_id,
            },
        ).tool_calls
    ]
    assert len(set(ids)) == 4
    again = Message.from_provider("gemini", {"role": "model", "parts": parts})
    assert again == Message.from_provider("gemini", {"role": "model", "parts": parts})


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ({"error": {"code": 400}}, "error"),
        ({}, "candidates"),
        ({"candidates": []}, "candidates"),
        ({"candidates": [{}, {}]}, "candidates"),
        ({"candidates": [{"content": 3}]}, "candidates[0].content"),
        ({"candidates": [{"content": {"role": "user"}}]}, "candidates[0].content.role"),
        ({"candidates": [{"content": {"parts": [3]}}]}, "candidates[0].content.parts[0]"),
        ({"candidates": [{"content": {"parts": 3}}]}, "candidates[0].content.parts"),
        ({"content": {"parts": [{"text": 3}]}}, "content.parts[0].text"),
        ({"parts": [{"text": 3}]}, "parts[0].text"),
        ({"candidates": [{"finishReason": 3}]}, "finishReason"),
        ({"candidates": [{}], "modelVersion": 3}, "modelVersion"),
    ],
)
def test_what_is_no_answer_is_named_by_its_place(answer: Any, place: str) -> None:
    with pytest.raises(InvalidMessageError) as caught:
        Message.from_provider("gemini", answer)
    assert caught.value.place == place
