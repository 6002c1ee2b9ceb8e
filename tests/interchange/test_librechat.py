"""LibreChat's exports: trees in every form, roles, records that become several revisions, the leaf below the last."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.media import FileSource
from convotree.domain.message import Message, Provenance, Role
from convotree.domain.parsed import ParsedConversation
from convotree.domain.parts import ImagePart, OpaquePart, TextPart
from convotree.errors import InvalidFileError
from convotree.interchange import load, loads
from convotree.interchange.librechat_records import NO_PARENT
from tests.interchange.forms import (
    Parents,
    check_sound,
    children_of,
    librechat_conversation,
    librechat_message,
    parents_of,
    text_of,
)

SAMPLES = ["flat_branches_two_roots", "flat_linear_equal_timestamps", "recursive_messagesTree_key"]


def parsed(conversation: Any) -> ParsedConversation:
    (found,) = loads(text_of(conversation))
    check_sound(found)
    return found


def places(conversation: ParsedConversation) -> list[str]:
    """Where there were problems, but for the one that every export of this format has."""
    first, *others = sorted(
        conversation.problems, key=lambda problem: "the file names no selected leaf" not in problem.what
    )
    assert "the file names no selected leaf" in first.what
    return [problem.place for problem in others]


# ------------------------------------------------------------------------------------------------- shared samples


def raw_messages(messages: list[Any]) -> list[Any]:
    return [one for message in messages for one in [message, *raw_messages(message.get("children", []))]]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_branch_of_a_shared_sample_is_kept(cases: Path, name: str) -> None:
    path = cases / "exports" / "librechat" / f"{name}.json"
    raw = json.loads(path.read_text(encoding="utf-8"), parse_float=str)
    messages = raw_messages(raw.get("messages") or raw["messagesTree"])
    parents = {one["messageId"]: one["parentMessageId"] for one in messages}

    (found,) = load(path)

    check_sound(found)
    assert found.id == raw["conversationId"]
    assert found.title == raw["title"]
    assert parents_of(found) == {one: None if above == NO_PARENT else above for one, above in parents.items()}
    assert children_of(parents_of(found)) == children_of(
        {one: None if above == NO_PARENT else above for one, above in parents.items()}
    )
    leaves = [one for one in parents if one not in parents.values()]
    assert found.selected_leaf_id == leaves[-1]
    assert places(found) == []
    for revision, message in zip(
        sorted(found.revisions, key=lambda one: one.id),
        sorted(messages, key=lambda one: one["messageId"]),
        strict=True,
    ):
        assert revision.message.role is (Role.USER if message["isCreatedByUser"] else Role.ASSISTANT)
        assert revision.message.parts == (TextPart(message["text"]),)
        data = revision.message.provider_data
        assert data is not None
        assert json.loads(data.text, parse_float=str)["librechat"] == {
            key: value for key, value in message.items() if key not in {"text", "children"}
        }
    header = json.loads(found.metadata.text, parse_float=str)["librechat"]
    assert header == {key: value for key, value in raw.items() if key not in {"messages", "messagesTree"}}


@pytest.mark.parametrize(("name", "size", "roots"), list(zip(SAMPLES, (5, 2, 6), (2, 1, 1), strict=True)))
def test_a_shared_sample_has_the_size_that_was_counted_by_hand(
    cases: Path, name: str, size: int, roots: int
) -> None:
    (found,) = load(cases / "exports" / "librechat" / f"{name}.json")

    assert len(found.revisions) == size
    assert sum(revision.parent_id is None for revision in found.revisions) == roots


# -------------------------------------------------------------------------------------------------- trees of our own


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str | None]:
    size = draw(st.integers(1, 20))
    return {
        f"m{number}": f"m{parent}" if (parent := draw(st.integers(-1, number - 1))) >= 0 else None
        for number in range(size)
    }


@given(trees(), st.randoms(use_true_random=False))
def test_a_flat_tree_comes_back_with_siblings_in_the_order_of_the_file(
    parents: Parents, rng: random.Random
) -> None:
    order = list(parents)
    rng.shuffle(order)
    messages = [librechat_message(one, parents[one] or NO_PARENT) for one in order]

    found = parsed(librechat_conversation(*messages))

    assert parents_of(found) == parents
    assert children_of(parents_of(found)) == children_of({one: parents[one] for one in order})
    children = children_of({one: parents[one] for one in order})
    leaf = order[-1]
    while leaf in children:
        leaf = children[leaf][-1]
    assert found.selected_leaf_id == leaf
    assert places(found) == []


@given(trees(), st.sampled_from(["messages", "messagesTree"]))
def test_a_nested_tree_is_the_same_as_a_flat_one(parents: Parents, key: str) -> None:
    messages = {one: librechat_message(one, above or NO_PARENT) for one, above in parents.items()}
    flat = parsed(librechat_conversation(*messages.values()))
    nested = {one: {**message, "children": []} for one, message in messages.items()}
    for one, above in parents.items():
        if above is not None:
            nested[above]["children"].append(nested[one])
    export = librechat_conversation(recursive=True)
    del export["messages"]
    export[key] = [nested[one] for one, above in parents.items() if above is None]

    found = parsed(export)

    assert found.revisions == flat.revisions
    assert places(found) == []


def test_a_cycle_is_refused_or_cut() -> None:
    """B07."""
    ring = [librechat_message("a", "b"), librechat_message("b", "a"), librechat_message("c", "c")]

    with pytest.raises(InvalidFileError) as caught:
        loads(text_of(librechat_conversation(*ring)))
    assert caught.value.place == "messages"

    found = parsed(librechat_conversation(librechat_message("q", None), *ring))
    assert parents_of(found) == {"q": None, "a": None, "b": "a", "c": None}
    assert places(found) == ["messages[1]", "messages[3]"]


def test_a_missing_parent_makes_a_root() -> None:
    found = parsed(librechat_conversation(librechat_message("a", None), librechat_message("b", "gone___")))

    assert parents_of(found) == {"a": None, "b": None}
    assert places(found) == ["messages[1]"]


def test_a_last_message_that_is_no_leaf_is_followed_down() -> None:
    found = parsed(librechat_conversation(librechat_message("b", "a"), librechat_message("a", None)))

    assert found.selected_leaf_id == "b"


def test_no_messages() -> None:
    found = parsed(librechat_conversation())

    assert (found.revisions, found.selected_leaf_id) == ((), None)
    assert [problem.place for problem in found.problems] == ["messages"]


# ------------------------------------------------------------------------------------------------- roles and records


def one(**members: Any) -> Message:
    """The message of a conversation of one record by the model."""
    (revision,) = parsed(
        librechat_conversation(librechat_message("a", None, by_user=False, **members))
    ).revisions
    return revision.message


def test_who_speaks_is_decided_by_the_flag_and_not_by_the_label() -> None:
    assert one(sender="User").role is Role.ASSISTANT


@pytest.mark.parametrize("flag", [None, "true", 1])
def test_a_message_of_nobody_known_is_kept_whole_and_is_no_turn(flag: Any) -> None:
    found = parsed(librechat_conversation(librechat_message("a", None, isCreatedByUser=flag)))

    (revision,) = found.revisions
    assert revision.message.role is Role.DEVELOPER
    assert revision.message.parts == (OpaquePart("librechat", "text", ExactJson('"hi"')),)
    assert places(found) == ["messages[0]"]


def test_a_record_with_calls_and_results_becomes_a_chain_that_ends_in_its_own_id() -> None:
    content = [
        {"type": "think", "think": "hm"},
        {"type": "tool_call", "tool_call": {"id": "t", "name": "add", "args": '{"a":2}', "output": "4"}},
        {"type": "text", "text": "It is 4."},
    ]
    found = parsed(
        librechat_conversation(
            librechat_message("q", None),
            librechat_message("a", "q", by_user=False, text="It is 4.", content=content),
            librechat_message("a~1", "q", by_user=False),
            librechat_message("next", "a"),
        )
    )

    assert parents_of(found) == {
        "q": None,
        "a~1~2": "q",
        "a~2": "a~1~2",
        "a": "a~2",
        "next": "a",
        "a~1": "q",
    }
    by_id = {revision.id: revision for revision in found.revisions}
    assert [by_id[step].message.role for step in ("a~1~2", "a~2", "a")] == [
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
    ]
    assert by_id["a~1~2"].message.provider_data is None
    data = by_id["a"].message.provider_data
    assert data is not None
    assert data.value["librechat"]["text"] == "It is 4."
    assert "content" not in data.value["librechat"]


def test_a_record_that_ends_with_a_result() -> None:
    content = [{"type": "tool_call", "tool_call": {"id": "t", "name": "add", "args": {}, "output": "4"}}]
    found = parsed(
        librechat_conversation(librechat_message("a", None, by_user=False, text="", content=content))
    )

    assert parents_of(found) == {"a~1": None, "a": "a~1"}
    assert found.revisions[1].message.role is Role.TOOL
    assert found.revisions[1].generation is None


def test_text_with_images() -> None:
    message = one(text="look", files=[{"file_id": "f", "type": "image/png"}])

    assert message.parts == (TextPart("look"), ImagePart(FileSource("librechat", "f", "image/png")))
    assert not message.as_string
    assert one(text="look").as_string


def test_neither_text_nor_content_is_reported() -> None:
    found = parsed(librechat_conversation(librechat_message("a", None, text=None)))

    assert found.revisions[0].message.parts == ()
    assert places(found) == ["messages[0]"]


@pytest.mark.parametrize(
    ("members", "record"),
    [
        (
            {"model": "gpt-4o", "finish_reason": "incomplete", "unfinished": True},
            GenerationRecord(
                provider="openai", model="gpt-4o", model_answered="gpt-4o", stop_reason="incomplete"
            ),
        ),
        (
            {"endpoint": "anthropic", "unfinished": True},
            GenerationRecord(provider="anthropic", stop_reason="unfinished"),
        ),
        (
            {"endpoint": "azureOpenAI", "error": True},
            GenerationRecord(provider="openai", stop_reason="error"),
        ),
        ({"endpoint": "My proxy"}, GenerationRecord(provider="My proxy")),
    ],
)
def test_generation(members: dict[str, Any], record: GenerationRecord) -> None:
    (revision,) = parsed(
        librechat_conversation(librechat_message("a", None, by_user=False, **members))
    ).revisions

    assert revision.generation == record
    assert revision.message.provenance == Provenance(record.provider, None, record.model)


# ------------------------------------------------------------------------------------------------------------- header


def test_the_header() -> None:
    text = text_of(librechat_conversation(librechat_message("a", None), None)).replace(
        '"promptPrefix": null', '"promptPrefix": "Be brief.", "$x.y": 1.10, "big": 1180591620717411303424'
    )

    (found,) = loads(text)

    assert found.system == "Be brief."
    assert '"$x.y":1.10,"big":1180591620717411303424' in found.metadata.text
    assert found.metadata.value["librechat"]["messages"] == [None]
    assert found.metadata.value["librechat"]["exportAt"] == "08:12:16 GMT-0400 (Eastern Daylight Time)"


@pytest.mark.parametrize("given_id", [None, "", 7])
def test_a_conversation_without_an_id_gets_one_that_follows_from_it(given_id: Any) -> None:
    export = librechat_conversation(librechat_message("a", None), conversationId=given_id)

    assert parsed(export).id == parsed(export).id
    assert parsed(export).id != parsed({**export, "title": "other"}).id
    assert places(parsed(export)) == ["conversation"]
