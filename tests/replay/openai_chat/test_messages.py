"""Turns of any origin as messages of Chat Completions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import Base64Source, FileSource, UrlSource
from convotree.domain.message import Message, Role
from convotree.domain.parts import (
    AudioPart,
    ImagePart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolResultPart,
)
from convotree.errors import UnreplayableError
from convotree.replay import BlankText, RenderPolicy, Request, Turns
from tests.replay.samples import answer, call, result

IMAGE = ImagePart(UrlSource("https://x"))


def rendered(
    *messages: Message, policy: RenderPolicy | None = None
) -> tuple[list[Any], list[tuple[str, str]]]:
    made = Request(messages=(Message.user("u"), *messages)).render(
        "openai-chat", model="gpt-5", policy=policy
    )
    return made.body["messages"][1:], [(note.place, note.rule) for note in made.notes]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((TextPart("a"),), {"content": "a"}),
        ((TextPart("a"), TextPart("b")), {"content": [{"type": "text", "text": one} for one in "ab"]}),
        ((RefusalPart("no"),), {"content": [{"type": "refusal", "refusal": "no"}]}),
        ((TextPart("a"), RefusalPart("no")), {"content": "a", "refusal": "no"}),
    ],
)
def test_answers(parts: tuple[Part, ...], message: dict[str, Any]) -> None:
    assert rendered(answer(*parts)) == ([{"role": "assistant", **message}], [])


def test_calls_without_text_have_null_content() -> None:
    (first, tool), notes = rendered(answer(call("c", '{"a":1.10}')), result("c"))
    assert first == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1.10}'}}],
    }
    assert tool == {"role": "tool", "tool_call_id": "c", "content": "r c"}
    assert notes == []


@pytest.mark.parametrize("parts", [(), (ReasoningPart("hm", signature="s"),)])
def test_an_answer_with_nothing_left_is_left_out_or_refused(parts: tuple[Part, ...]) -> None:
    messages, notes = rendered(answer(*parts))
    assert messages == []
    assert ("messages[1]", "C4") in notes
    with pytest.raises(UnreplayableError):
        rendered(answer(*parts), policy=RenderPolicy(blank_text=BlankText.REFUSE))


def test_input_with_nothing_left_is_left_out() -> None:
    assert rendered(Message(Role.USER, ())) == ([], [("messages[1]", "C4")])


class TestResults:
    """Guards against what a tool message cannot hold."""

    def after(self, part: ToolResultPart, *rest: Part) -> tuple[list[Any], list[tuple[str, str]]]:
        role = Role.USER if rest else Role.TOOL
        messages, notes = rendered(answer(call("c")), Message(role, (part, *rest)))
        return messages[1:], notes

    def test_texts(self) -> None:
        assert self.after(ToolResultPart("c"))[0][0]["content"] == ""
        assert self.after(ToolResultPart("c", (TextPart("a"),)))[0][0]["content"] == "a"
        both = self.after(ToolResultPart("c", (TextPart("a"), TextPart("b"))))[0][0]["content"]
        assert both == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]

    def test_media_alone_say_where_they_are(self) -> None:
        (tool, user), notes = self.after(ToolResultPart("c", (IMAGE,)))
        assert tool["content"] == "The result is in the user message that follows."
        assert [one["type"] for one in user["content"]] == ["text", "image_url"]
        assert notes == [("messages[2].parts[0]", "C6")]

    def test_media_come_after_all_tool_messages_and_before_other_input(self) -> None:
        first, second = ToolResultPart("c", (IMAGE,)), ToolResultPart("d", (IMAGE,))
        messages, _ = rendered(
            answer(call("c"), call("d")), Message(Role.USER, (first, second, TextPart("and")))
        )
        assert [one["role"] for one in messages] == ["assistant", "tool", "tool", "user", "user"]
        assert len(messages[3]["content"]) == 4

    def test_a_failed_tool_has_no_mark(self) -> None:
        assert self.after(ToolResultPart("c", (TextPart("a"),), is_error=True))[1] == [
            ("messages[2].parts[0]", "X5")
        ]
        assert self.after(ToolResultPart("c", (TextPart("a"),), is_error=False))[1] == []

    def test_what_is_no_text_is_left_out(self) -> None:
        messages, notes = self.after(ToolResultPart("c", (ReasoningPart("r"),)))
        assert (messages[0]["content"], notes) == ("", [("messages[2].parts[0]", "X4")])

    def test_a_made_result_is_noted_once(self) -> None:
        messages, notes = rendered(answer(call("c")))
        assert messages[1]["content"] == "No result provided"
        assert notes == [("messages[1].parts[0]", "C1")]


def test_an_image_in_an_answer_has_no_place() -> None:
    messages, notes = rendered(answer(TextPart("a"), IMAGE))
    assert (messages[0]["content"], notes) == ("a", [("messages[1].parts[1]", "X4")])


def test_data_of_other_providers_stay_behind_and_that_is_said() -> None:
    odd = Message(Role.ASSISTANT, (TextPart("a"),), provider_data=ExactJson('{"anthropic":{"odd":1}}'))
    assert rendered(odd) == ([{"role": "assistant", "content": "a"}], [("messages[1]", "X5")])


class TestMerged:
    """Turns of one role in a row as one message, for platforms that demand it."""

    @staticmethod
    def merged(*messages: Message) -> list[Any]:
        policy = RenderPolicy(turns=Turns.MERGED)
        made = Request(messages=messages).render("openai-chat", model="gpt-5", policy=policy)
        found: list[Any] = made.body["messages"]
        return found

    def test_what_was_said_stands_side_by_side(self) -> None:
        said = {"type": "text", "text": "a"}, {"type": "text", "text": "b"}
        assert self.merged(Message.user("a"), Message.user("b"), Message.assistant("c")) == [
            {"role": "user", "content": list(said)},
            {"role": "assistant", "content": "c"},
        ]

    def test_an_answer_that_calls_ends_its_message(self) -> None:
        found = self.merged(
            Message.user("q"),
            Message.assistant("a"),
            answer(TextPart("b"), call("c")),
            Message.tool_result("c", "r"),
            Message.assistant("d"),
        )
        assert [one["role"] for one in found] == ["user", "assistant", "tool", "assistant"]
        assert [piece["text"] for piece in found[1]["content"]] == ["a", "b"]
        assert [one["id"] for one in found[1]["tool_calls"]] == ["c"]

    def test_names_and_unknown_members_keep_messages_apart(self) -> None:
        named = Message.user([TextPart("a")])
        named = replace(named, provider_data=ExactJson('{"openai-chat":{"name":"bob"}}'))
        assert len(self.merged(named, Message.user("b"))) == 2


def test_media_that_cannot_be_sent_make_no_message() -> None:
    sound = AudioPart(Base64Source("audio/flac", "Zm9v"))
    messages, notes = rendered(answer(call("c")), Message(Role.TOOL, (ToolResultPart("c", (sound,)),)))
    assert [one["role"] for one in messages] == ["assistant", "tool"]
    assert messages[1]["content"] == ""
    assert notes == [("messages[2].parts[0]", "X4")]


def test_a_second_recording_in_an_answer_is_said_to_be_lost() -> None:
    sounds = [AudioPart(FileSource("openai", one)) for one in ("audio_1", "audio_2")]
    messages, notes = rendered(
        Message.assistant(sounds, provider="openai", api="chat-completions", model="gpt-5")
    )
    assert messages[0]["audio"] == {"id": "audio_1"}
    assert notes == [("messages[1].parts[1]", "X4")]
