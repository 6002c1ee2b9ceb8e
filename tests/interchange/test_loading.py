"""Loading a file: the format found by content, errors that name the place, and nothing but the library's errors."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.errors import ConvotreeError, InvalidArgumentError, InvalidFileError
from convotree.interchange import load, loads
from tests.interchange.forms import (
    chatgpt_conversation,
    chatgpt_entry,
    chatgpt_message,
    chatgpt_tree,
    check_sound,
    librechat_conversation,
    librechat_message,
    text_of,
)

# The words of both formats, so that damage stays near what a reader looks at.
_KEYS = st.sampled_from(
    [
        "mapping", "current_node", "conversations", "id", "conversation_id", "title", "message", "parent", "children",
        "author", "role", "name", "content", "content_type", "parts", "thoughts", "recipient", "metadata", "status",
        "finish_details", "type", "messages", "messagesTree", "conversationId", "messageId", "parentMessageId",
        "isCreatedByUser", "text", "tool_call", "args", "output", "options", "promptPrefix", "endpoint", "files",
    ]
)  # fmt: skip
_WORDS = st.sampled_from(
    ["a", "b", "root", "user", "assistant", "tool", "system", "all", "python", "text", "code", "thoughts", "tool_call",
     "multimodal_text", "image_asset_pointer", "think", "", "\x00", "\ud800"]
)  # fmt: skip
_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS | _WORDS, inner, max_size=6),
    max_leaves=25,
)


def a_chatgpt_export() -> Any:
    call = chatgpt_message("call", "assistant", recipient="python")
    call["content"] = {"content_type": "code", "language": "python", "text": "1"}
    result = chatgpt_message("result", "tool")
    result["author"]["name"] = "python"
    return [
        chatgpt_conversation(
            chatgpt_entry("root", None, ["a", "b"]),
            chatgpt_entry("a", "root", ["call"], chatgpt_message("a")),
            chatgpt_entry("b", "root", [], chatgpt_message("b")),
            chatgpt_entry("call", "a", ["result"], call),
            chatgpt_entry("result", "call", [], result),
            current="result",
        )
    ]


def a_librechat_export() -> Any:
    call = {"type": "tool_call", "tool_call": {"id": "t", "name": "add", "args": "{}", "output": "4"}}
    return librechat_conversation(
        librechat_message("a", None),
        librechat_message("b", "a", by_user=False, content=[{"type": "text", "text": "x"}, call]),
        librechat_message("c", None),
    )


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to every value inside ``value``."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places_in(one, (*path, key)))]


def load_or_refuse(content: str | bytes) -> None:
    try:
        export = loads(content)
    except ConvotreeError:
        return
    for conversation in export:
        check_sound(conversation)


@given(st.sampled_from([a_chatgpt_export, a_librechat_export]), st.data())
def test_an_export_with_one_value_replaced_by_anything_is_read_or_refused(
    make: Any, data: st.DataObject
) -> None:
    export = make()
    *above, last = data.draw(st.sampled_from([place for place in places_in(export) if place]))
    holder = export
    for step in above:
        holder = holder[step]
    holder[last] = data.draw(_JUNK)

    load_or_refuse(text_of(export))


@given(_JUNK)
def test_anything_with_the_words_of_the_formats_is_read_or_refused(value: Any) -> None:
    load_or_refuse(text_of(value))


@given(st.binary() | st.text())
def test_any_bytes_and_any_text_are_read_or_refused(content: str | bytes) -> None:
    load_or_refuse(content)


@given(st.sampled_from([a_chatgpt_export, a_librechat_export]), st.data())
def test_a_file_that_ends_too_early_is_refused_at_its_end(make: Any, data: st.DataObject) -> None:
    text = text_of(make())
    cut = text[: data.draw(st.integers(0, len(text) - 1))]

    with pytest.raises(InvalidFileError, match="line 1, column"):
        loads(cut)


def test_the_same_content_gives_the_same_value() -> None:
    for export in (a_chatgpt_export(), a_librechat_export()):
        for without in ("id", "conversation_id", "conversationId"):
            (export[0] if isinstance(export, list) else export).pop(without, None)
        text = text_of(export)
        assert loads(text) == loads(text.encode()) == loads(text, name="elsewhere")


def test_the_name_of_a_file_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "librechat.txt"
    path.write_text(text_of(a_chatgpt_export()), encoding="utf-8")

    assert load(path).format == load(str(path)).format == "chatgpt"


@pytest.mark.parametrize(
    "content", [a_chatgpt_export(), a_chatgpt_export()[0], {"conversations": a_chatgpt_export()}]
)
def test_the_three_containers_of_chatgpt(content: Any) -> None:
    export = loads(text_of(content))

    assert (export.format, len(export)) == ("chatgpt", 1)


def test_of_similar_formats_each_goes_to_its_reader() -> None:
    assert loads(text_of(a_librechat_export())).format == "librechat"
    assert loads(text_of({**a_librechat_export(), "messages": []})).format == "librechat"


@pytest.mark.parametrize(
    ("content", "place", "reason"),
    [
        (b'[{"a": "\xe9"}]', "byte 8", "not UTF-8"),
        ("", "line 1, column 1", "nothing but white space"),
        ('[{"mapping": {}},\n {"mapping": ]', "line 2, column 14", "Expecting value"),
        ('{"a": 1}\n{"a": 2}\n', "line 2, column 1", "JSON Lines"),
        ('"text"', "top level", "string"),
        ("[]", "top level", "array of 0 elements"),
        ("[1, 2]", "top level", "array of 2 elements"),
        ('{"chat": {}, "folder_id": null}', "top level", "'chat', 'folder_id'"),
        ('[{"uuid": "x", "chat_messages": []}]', "top level", "'uuid', 'chat_messages'"),
        ("[3]", "top level", "known are chatgpt, librechat"),
        ('{"conversations": [{"conversation": {}, "responses": []}]}', "top level", "'conversations'"),
        ('[{"title": "x", "current_node": "y"}]', "[0]", "no mapping"),
        ('{"title": "x", "default_model_slug": null}', "conversation", "no mapping"),
        ('{"conversations": [{"mapping": [1]}]}', "conversations[0].mapping", "array"),
        ('[{"mapping": "x"}, {"mapping": null}]', "[0].mapping", "string"),
        ('{"conversationId": "c", "exportAt": "x"}', "conversation", "neither messages nor messagesTree"),
        ('{"conversationId": "c", "messages": {}}', "messages", "object"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(content: str | bytes, place: str, reason: str) -> None:
    with pytest.raises(InvalidFileError) as caught:
        loads(content, name="given.json")

    assert (caught.value.file, caught.value.place) == ("given.json", place)
    assert reason in caught.value.reason


@pytest.mark.parametrize("content", [None, 3, ["[]"]])
def test_only_text_and_bytes_are_content(content: Any) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        loads(content)

    assert caught.value.argument == "content"


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path, "a\x00b"):
        with pytest.raises(InvalidFileError) as caught:
            load(path)
        assert (caught.value.file, caught.value.place) == (str(path), "")
        assert "cannot be read" in caught.value.reason


def test_one_bad_conversation_does_not_sink_the_file() -> None:
    """B56: good, no mapping, null title, no time, a message without metadata, and good again."""
    without_metadata = chatgpt_tree({"a": None}, current="a")
    del without_metadata["mapping"]["a"]["message"]["metadata"]
    timeless = chatgpt_tree({"a": None}, current="a", conversation_id="4")
    del timeless["create_time"], timeless["mapping"]["a"]["message"]["create_time"]
    export = loads(
        text_of(
            [
                {**chatgpt_tree({"a": None, "b": "a"}, current="b"), "id": "1", "conversation_id": "1"},
                {"id": "2", "title": "no mapping"},
                {**chatgpt_tree({"a": None}, current="a"), "conversation_id": "3", "title": None},
                {
                    k: v
                    for k, v in chatgpt_tree({"a": None}, current="a", conversation_id="4").items()
                    if "time" not in k
                },
                {**without_metadata, "conversation_id": "5"},
                None,
                {**chatgpt_tree({"a": None, "b": "a"}, current="b"), "conversation_id": "6"},
            ]
        )
    )

    assert [conversation.id for conversation in export] == ["1", "3", "4", "5", "6"]
    assert [problem.place for problem in export.problems] == ["[1]", "[5]"]
    assert all(conversation.problems == () for conversation in export)


def test_a_long_export_is_read_without_recursion() -> None:
    size = 20_000
    nested = "".join(
        f'{{"messageId":"m{n}","parentMessageId":{json.dumps(f"m{n - 1}" if n else None)},'
        f'"isCreatedByUser":{json.dumps(n % 2 == 0)},"text":"x","children":['
        for n in range(size)
    )
    (librechat,) = loads(f'{{"conversationId":"c","recursive":true,"messages":[{nested}{"]}" * size}]}}')

    assert len(librechat.revisions) == size
    assert librechat.selected_leaf_id == f"m{size - 1}"
    assert all(one.parent_id == (f"m{n - 1}" if n else None) for n, one in enumerate(librechat.revisions))


@pytest.mark.parametrize("path", [None, 3, ["conversations.json"], b"conversations.json"])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        load(path)
    assert caught.value.argument == "path"


@pytest.mark.parametrize("text", ['{"a":1}\n{"b":2}\n', "[1]\r\n[2]", '{"a":1}\n\n  {"b"'])
def test_json_lines_are_called_by_their_name(text: str) -> None:
    with pytest.raises(InvalidFileError, match="JSON Lines"):
        loads(text)


@pytest.mark.parametrize("text", ['{"a":1} x', '{"a":\n1}\n{"b":2}', '{"a":1,}\n{}', ""])
def test_other_trouble_is_not_called_json_lines(text: str) -> None:
    with pytest.raises(InvalidFileError) as caught:
        loads(text)
    assert "JSON Lines" not in str(caught.value)
