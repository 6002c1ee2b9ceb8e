"""Bodies of Chat Completions: what came from there goes back as it was; what did not, as it can."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message
from convotree.domain.prompt import Tool
from convotree.errors import InvalidArgumentError, UnreplayableError
from convotree.replay import RenderPolicy, Request, Unsupported
from tests.replay.anthropic.test_render import exact_objects
from tests.replay.samples import answer, anthropic_body, call, chat_body, errors, result


def back(body: Any) -> Any:
    request = Request.from_provider("openai-chat", json.dumps(body))
    made = request.render("openai-chat", model=body["model"], params=request.params)
    assert json.loads(made.to_json()) == made.body
    return made.body, [(note.rule, note.place) for note in made.notes]


def test_a_body_comes_back_as_it_was() -> None:
    assert back(chat_body()) == (chat_body(), [])


def test_recorded_bodies_come_back_as_they_were(cases: Path) -> None:
    files = sorted((cases / "provider-requests").glob("openai_chat_*.json"))
    assert files
    for file in files:
        body = json.loads(file.read_text(encoding="utf-8"))
        assert back(body) == (body, []), file.name


def test_recorded_exchanges_go_on_as_they_did(cases: Path) -> None:
    for file in sorted((cases / "provider-exchanges").glob("openai_chat_*.json")):
        exchange = json.loads(file.read_text(encoding="utf-8"))
        asked = Request.from_provider("openai-chat", json.dumps(exchange["request"]))
        given = Message.from_provider("openai-chat", json.dumps(exchange["response"]))
        following = Request.from_provider("openai-chat", json.dumps(exchange["next_request"]))
        messages = (*asked.messages, given, *following.messages[len(asked.messages) + 1 :])
        made = Request(following.system, following.tools, messages).render(
            "openai-chat", model=exchange["next_request"]["model"], params=following.params
        )
        for message in made.body["messages"]:
            # The one known difference: the answer says that there is no refusal, the client did not repeat it.
            if "refusal" in message:
                assert message.pop("refusal") is None
        assert made.body == exchange["next_request"], file.name


@given(text=exact_objects)
def test_arguments_are_sent_as_they_are_spelled(text: str) -> None:
    made = Request(messages=(Message.user("go"), answer(call("c1", text)), result("c1"))).render(
        "openai-chat", model="gpt-5"
    )
    kept = ExactJson.parse(text).text
    (sent,) = json.loads(made.to_json())["messages"][1]["tool_calls"]
    assert sent["function"]["arguments"] == kept


def test_what_anthropic_said_is_handed_over() -> None:
    request = Request.from_provider("anthropic", anthropic_body())
    made = request.render("openai-chat", model="gpt-5")
    assert [message["role"] for message in made.body["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
        "user",
        "assistant",
        "user",
        "developer",
    ]
    assert made.body["messages"][2] == {
        "role": "assistant",
        "content": "I add.",
        "tool_calls": [
            {
                "id": "toolu_1",
                "type": "function",
                "function": {"name": "add", "arguments": '{"a":2,"b":2.5}'},
            },
            {"id": "toolu_2", "type": "function", "function": {"name": "add", "arguments": "{}"}},
        ],
    }
    assert (
        errors(Request.from_provider("openai-chat", made.body).check("openai-chat", model="gpt-5", sdk=True))
        == []
    )
    assert [(note.place, note.rule) for note in made.notes] == [
        ("system[1]", "X5"),
        ("tools[0]", "X5"),
        ("tools[1]", "X3"),
        ("messages[0].parts[1]", "X4"),
        ("messages[1].parts[0]", "X3"),
        ("messages[1].parts[1]", "X3"),
        ("messages[2].parts[1]", "X4"),
        ("messages[2].parts[1]", "C6"),
        ("messages[3].parts[0]", "X3"),
        ("messages[3].parts[1]", "X3"),
        ("messages[3].parts[2]", "X3"),
        ("messages[3].parts[3]", "X5"),
    ]


def test_media_of_a_result_follow_in_a_user_message() -> None:
    request = Request.from_provider("anthropic", anthropic_body())
    tools, media = request.render("openai-chat", model="gpt-5").body["messages"][3:5], None
    media = request.render("openai-chat", model="gpt-5").body["messages"][5]
    assert [one["content"] for one in tools] == ["4.5", "see"]
    assert media == {
        "role": "user",
        "content": [
            {"type": "text", "text": "From tool result toolu_2:"},
            {"type": "image_url", "image_url": {"url": "https://x/z.png"}},
        ],
    }


@pytest.mark.parametrize("key", ["messages", "tools"])
def test_params_do_not_overwrite_the_request(key: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        Request(messages=(Message.user("go"),)).render("openai-chat", model="gpt-5", params={key: []})
    assert caught.value.argument == f"params.{key}"


def test_a_tool_of_another_provider_is_left_out_or_refused() -> None:
    tool = Tool("web_search", provider="anthropic", definition=ExactJson('{"type":"web_search_20250305"}'))
    request = Request(tools=(Tool("f"), tool), messages=(Message.user("go"),))
    made = request.render("openai-chat", model="gpt-5")
    assert made.body["tools"] == [{"type": "function", "function": {"name": "f"}}]
    assert [note.place for note in made.notes] == ["tools[1]"]
    with pytest.raises(UnreplayableError):
        request.render("openai-chat", model="gpt-5", policy=RenderPolicy(unsupported=Unsupported.REFUSE))
