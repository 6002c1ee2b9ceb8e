"""Messages of ChatGPT exports: roles, calls and their results, generation records, and all else as it was."""

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parsed import ParsedConversation, ParsedRevision
from convotree.domain.parts import OpaquePart, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from convotree.interchange import loads
from convotree.interchange.chatgpt_messages import Calls
from tests.interchange.forms import chatgpt_conversation, chatgpt_entry, chatgpt_message, text_of

HIDDEN = {"is_visually_hidden_from_conversation": True}


def chain(*messages: Any) -> ParsedConversation:
    """A conversation whose messages follow one another."""
    ids = [message["id"] if isinstance(message, dict) else "odd" for message in messages]
    entries = [
        chatgpt_entry(one, above, [below] if below else [], message)
        for one, above, below, message in zip(ids, [None, *ids], [*ids[1:], None], messages, strict=False)
    ]
    (found,) = loads(text_of(chatgpt_conversation(*entries, current=ids[-1])))
    assert len(found.revisions) == len(messages)
    return found


def one(message: Any) -> ParsedRevision:
    return chain(message).revisions[0]


def call(message_id: str, tool: str, text: str = "x()", **content: Any) -> dict[str, Any]:
    message = chatgpt_message(message_id, "assistant", recipient=tool)
    message["content"] = {"content_type": "code", "language": "unknown", "text": text, **content}
    return message


def result(message_id: str, tool: str | None, text: str = "done") -> dict[str, Any]:
    message = chatgpt_message(message_id, "tool", text)
    message["author"]["name"] = tool
    return message


def made(message: Message) -> ToolCallPart:
    (part,) = message.parts
    assert isinstance(part, ToolCallPart)
    return part


def answered(message: Message) -> ToolResultPart:
    (part,) = message.parts
    assert isinstance(part, ToolResultPart)
    return part


# ------------------------------------------------------------------------------------------------------------- roles


@pytest.mark.parametrize(
    ("message", "role", "reported"),
    [
        (chatgpt_message("m", "user"), Role.USER, 0),
        (chatgpt_message("m", "assistant"), Role.ASSISTANT, 0),
        (chatgpt_message("m", "assistant", metadata=HIDDEN), Role.ASSISTANT, 0),
        (chatgpt_message("m", "system"), Role.DEVELOPER, 0),
        (chatgpt_message("m", "system", metadata=HIDDEN), Role.DEVELOPER, 0),
        (chatgpt_message("m", "user", metadata=HIDDEN), Role.DEVELOPER, 1),
    ],
)
def test_roles(message: Any, role: Role, reported: int) -> None:
    found = chain(message)

    assert found.revisions[0].message.role is role
    assert found.revisions[0].message.parts == (TextPart("hi"),)
    assert found.revisions[0].message.as_string
    assert len(found.problems) == reported


@pytest.mark.parametrize("author", [None, {}, {"role": None}, {"role": "critic"}, {"role": 7}])
def test_a_message_of_nobody_known_is_kept_whole_and_is_no_turn(author: Any) -> None:
    found = chain(chatgpt_message("m", author=author))

    message = found.revisions[0].message
    assert message.role is Role.DEVELOPER
    assert message.parts == (
        OpaquePart("chatgpt", "text", ExactJson('{"content_type":"text","parts":["hi"]}')),
    )
    assert len(found.problems) == 1


def test_a_message_that_is_no_object_is_kept_whole() -> None:
    found = chain("just text")

    assert found.revisions[0].message.parts == (OpaquePart("chatgpt", "string", ExactJson('"just text"')),)
    assert len(found.problems) == 1


# ---------------------------------------------------------------------------------------------- what no part holds


def test_all_else_is_kept_exactly() -> None:
    message = text_of(chatgpt_message("m", "user", "x")).replace(
        '"recipient": "all", "metadata": {}',
        '"recipient": "all", "metadata": {"$where": 1.10, "a.b": 1e400, "\\u0000": -0, "big": 1180591620717411303424}',
    )
    entry = f'{{"id": "m", "message": {message}, "parent": null, "children": [], "odd": 1.0}}'
    (found,) = loads(f'{{"id": "c", "mapping": {{"m": {entry}}}, "current_node": "m"}}')

    data = found.revisions[0].message.provider_data
    assert data is not None
    assert data.text == (
        '{"chatgpt":{"id":"m","author":{"role":"user","name":null,"metadata":{}},"create_time":1714585031.150442,'
        '"status":"finished_successfully","weight":1.0,"recipient":"all",'
        '"metadata":{"$where":1.10,"a.b":1e400,"\\u0000":-0,"big":1180591620717411303424},'
        '"content":{"content_type":"text"},"mapping_entry":{"odd":1.0}}}'
    )


def test_the_message_keeps_an_id_that_is_not_its_entrys() -> None:
    (found,) = loads(
        text_of(
            chatgpt_conversation(chatgpt_entry("entry", None, [], chatgpt_message("inner")), current="entry")
        )
    )

    (revision,) = found.revisions
    assert revision.id == "entry"
    assert revision.message.provider_data is not None
    assert revision.message.provider_data.value["chatgpt"]["id"] == "inner"
    assert found.problems == ()


def test_text_with_nul_and_lone_surrogates() -> None:
    """B48."""
    for text in ("\x00a", "a\x00b", "a\x00", "\ud83d", "\\u0000"):
        assert one(chatgpt_message("m", text=text)).message.text == text


# ------------------------------------------------------------------------------------------------- calls and results


def test_a_result_answers_the_call_above_it() -> None:
    found = chain(
        chatgpt_message("q"),
        call("c1", "browser"),
        result("r1", "browser"),
        call("c2", "python"),
        result("r2", None),
    )

    messages = [revision.message for revision in found.revisions]
    assert made(messages[1]).name == "browser"
    assert made(messages[1]).arguments == ExactJson('{"code":"x()"}')
    assert answered(messages[2]) == ToolResultPart(
        made(messages[1]).tool_call_id, (TextPart("done"),), name="browser", as_string=True
    )
    assert (
        answered(messages[4]).tool_call_id == made(messages[3]).tool_call_id != made(messages[1]).tool_call_id
    )
    assert [message.role for message in messages[1:]] == [Role.ASSISTANT, Role.TOOL] * 2
    assert found.problems == ()


def test_calls_made_at_once_are_told_apart_by_their_tools() -> None:
    found = chain(call("c1", "web.run"), call("c2", "python"), result("r1", "web"), result("r2", "python"))

    messages = [revision.message for revision in found.revisions]
    assert answered(messages[2]).tool_call_id == made(messages[0]).tool_call_id
    assert answered(messages[3]).tool_call_id == made(messages[1]).tool_call_id


def test_one_call_may_have_several_results() -> None:
    found = chain(call("c1", "browser"), result("r1", "browser"), result("r2", "browser"))

    messages = [revision.message for revision in found.revisions]
    assert [answered(message).tool_call_id for message in messages[1:]] == [
        made(messages[0]).tool_call_id
    ] * 2
    assert found.problems == ()


@pytest.mark.parametrize(
    "above",
    [
        [chatgpt_message("q")],
        [call("c1", "browser"), chatgpt_message("q")],  # a new turn
        [call("c1", "python")],  # another tool
        [call("c1", "browserless")],
    ],
)
def test_a_result_without_a_call_is_kept_and_reported(above: list[Any]) -> None:
    found = chain(*above, result("r", "browser"))

    last = answered(found.revisions[-1].message)
    assert last.tool_call_id not in {
        part.tool_call_id for one in found.revisions for part in one.message.tool_calls
    }
    assert [problem.place for problem in found.problems] == ["conversation.mapping['r'].message"]


def test_a_regenerated_answer_knows_only_the_calls_on_its_own_path() -> None:
    entries = [
        chatgpt_entry("q", None, ["c1", "c2"], chatgpt_message("q")),
        chatgpt_entry("c1", "q", [], call("c1", "browser")),
        chatgpt_entry("c2", "q", ["r2"], call("c2", "browser")),
        chatgpt_entry("r2", "c2", [], result("r2", "browser")),
    ]
    (found,) = loads(text_of(chatgpt_conversation(*entries, current="r2")))
    by_id = {revision.id: revision.message for revision in found.revisions}

    assert answered(by_id["r2"]).tool_call_id == made(by_id["c2"]).tool_call_id


@pytest.mark.parametrize(
    ("text", "arguments", "kept_text"),
    [
        ('{"q":1.10}', '{"q":1.10}', None),
        ('{"q": 1.10}', '{"q":1.10}', '{"q": 1.10}'),
        ('{"q": broken', '{"code":"{\\"q\\": broken"}', None),
        ("[1]", '{"code":"[1]"}', None),
        ("", '{"code":""}', None),
    ],
)
def test_arguments_are_the_object_in_the_text_or_hold_the_text(
    text: str, arguments: str, kept_text: str | None
) -> None:
    message = one(call("c", "python", text)).message

    assert made(message).arguments == ExactJson(arguments)
    assert message.provider_data is not None
    assert message.provider_data.value["chatgpt"]["content"].get("text") == kept_text


def test_calls_in_text_and_in_other_contents() -> None:
    in_text = one(chatgpt_message("c", "assistant", '{ "prompt": "cat"}', recipient="dalle.text2im")).message
    assert made(in_text).arguments == ExactJson('{"prompt":"cat"}')
    assert in_text.provider_data is not None
    assert in_text.provider_data.value["chatgpt"]["content"]["parts"] == ['{ "prompt": "cat"}']

    plain = one(chatgpt_message("c", "assistant", "remember this", recipient="bio")).message
    assert made(plain).arguments == ExactJson('{"text":"remember this"}')

    odd = one(
        chatgpt_message("c", "assistant", recipient="odd", content={"content_type": "odd", "n": 1.5})
    ).message
    assert made(odd).arguments == ExactJson('{"content":{"content_type":"odd","n":1.5}}')

    none = one(chatgpt_message("c", "assistant", recipient="odd", content=None)).message
    assert made(none).arguments == ExactJson('{"content":null}')


def test_reasoning_is_no_call_whomever_it_is_for() -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "", "content": "hm"}]}
    message = one(chatgpt_message("m", "assistant", content=thoughts, recipient="python")).message

    assert [type(part) for part in message.parts] == [ReasoningPart]


def test_a_tool_that_failed() -> None:
    message = result("r", "browser")
    message["content"] = {"content_type": "system_error", "name": "Timeout", "text": "too slow"}

    found = answered(chain(call("c", "browser"), message).revisions[1].message)

    assert found.is_error is True
    assert isinstance(found.content[0], OpaquePart)


def test_calls_of_a_turn_are_bounded() -> None:
    calls = Calls()
    for number in range(100):
        calls = calls.with_call(f"tool{number}", f"id{number}")

    assert calls.answered_by("tool99") == "id99"
    assert calls.answered_by("tool0") is None
    assert calls.answered_by(None) == "id99"
    assert len(calls.made) == 32


# --------------------------------------------------------------------------------------------------------- generation


@pytest.mark.parametrize(
    ("members", "stop_reason"),
    [
        ({"metadata": {"finish_details": {"type": "stop"}}}, "stop"),
        ({"metadata": {"finish_details": {"type": "interrupted"}}, "status": "in_progress"}, "interrupted"),
        ({"status": "in_progress"}, "in_progress"),
        ({"status": "finished_successfully"}, None),
        ({"status": None, "metadata": {"finish_details": None}}, None),
    ],
)
def test_why_an_answer_ended(members: dict[str, Any], stop_reason: str | None) -> None:
    generation = one(chatgpt_message("m", "assistant", **members)).generation

    assert generation is not None
    assert generation.stop_reason == stop_reason


def test_which_model_answered() -> None:
    metadata = {"model_slug": "gpt-5", "request_id": "r1"}
    revision = one(chatgpt_message("m", "assistant", metadata=metadata))

    assert revision.message.provenance == Provenance("openai", "chatgpt", "gpt-5")
    assert revision.generation == GenerationRecord(
        provider="openai", api="chatgpt", model="gpt-5", model_answered="gpt-5", request_id="r1"
    )
    assert one(chatgpt_message("m", "user", metadata=metadata)).generation is None
