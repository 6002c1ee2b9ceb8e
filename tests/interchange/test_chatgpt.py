"""ChatGPT's exports: trees, pointers, headers, and what becomes no revision."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.message import Role
from convotree.domain.parsed import ParsedConversation
from convotree.domain.parts import TextPart, ToolCallPart, ToolResultPart
from convotree.errors import InvalidFileError
from convotree.interchange import load, loads
from tests.interchange.forms import (
    Parents,
    chatgpt_conversation,
    chatgpt_entry,
    chatgpt_message,
    chatgpt_tree,
    check_sound,
    children_of,
    parents_of,
    text_of,
)

SAMPLES = ["modern_2026_with_corrupted_entry", "tree_regenerate_and_edit", "web_browsing_tools_linear"]


def parsed(conversation: dict[str, Any]) -> ParsedConversation:
    (found,) = loads(text_of(conversation))
    check_sound(found)
    return found


def places(conversation: ParsedConversation) -> list[str]:
    return [problem.place.removeprefix("conversation.") for problem in conversation.problems]


# ------------------------------------------------------------------------------------------------- shared samples


def raw_messages(conversation: Any) -> dict[str, Any]:
    """The entries that are messages to somebody: neither without a message, nor silent, nor custom instructions."""
    kept = {}
    for entry_id, entry in conversation["mapping"].items():
        message = entry["message"]
        if message is None or message["content"]["content_type"] == "user_editable_context":
            continue
        if message["author"]["role"] == "system" and not any(message["content"]["parts"]):
            continue
        kept[entry_id] = entry
    return kept


def raw_parent(conversation: Any, kept: dict[str, Any], entry_id: str) -> str | None:
    parent: str | None = conversation["mapping"][entry_id]["parent"]
    while parent is not None and parent not in kept:
        parent = conversation["mapping"][parent]["parent"]
    return parent


@pytest.mark.parametrize("name", SAMPLES)
def test_every_branch_of_a_shared_sample_is_kept(cases: Path, name: str) -> None:
    path = cases / "exports" / "chatgpt" / f"{name}.json"
    raw = [one for one in json.loads(path.read_text(encoding="utf-8"), parse_float=str) if "mapping" in one]

    export = load(path)

    assert export.format == "chatgpt"
    assert [conversation.id for conversation in export] == [one["conversation_id"] for one in raw]
    for conversation, source in zip(export, raw, strict=True):
        check_sound(conversation)
        kept = raw_messages(source)
        assert conversation.title == source["title"]
        assert conversation.selected_leaf_id == source["current_node"]
        assert parents_of(conversation) == {one: raw_parent(source, kept, one) for one in kept}
        siblings = children_of(parents_of(conversation))
        for entry_id, entry in kept.items():
            assert siblings.get(entry_id, []) == [child for child in entry["children"] if child in kept]
        for revision in conversation.revisions:
            message = kept[revision.id]["message"]
            data = revision.message.provider_data
            assert data is not None
            # Compared as text, because a number is kept as it was spelled.
            spelled = json.loads(data.text, parse_float=str)["chatgpt"]
            assert {k: v for k, v in spelled.items() if k != "content"} == {
                k: v for k, v in message.items() if k != "content"
            }
            held = json.dumps([one["content"] for one in [message]], ensure_ascii=False)
            for part in revision.message.parts:
                if isinstance(part, TextPart):
                    assert json.dumps(part.text, ensure_ascii=False) in held


@pytest.mark.parametrize(
    ("name", "sizes", "leaves", "problems"),
    [
        ("modern_2026_with_corrupted_entry", [4, 2], [1, 1], 1),
        ("tree_regenerate_and_edit", [11], [3], 0),
        ("web_browsing_tools_linear", [15, 4], [1, 1], 0),
    ],
)
def test_a_shared_sample_has_the_size_that_was_counted_by_hand(
    cases: Path, name: str, sizes: list[int], leaves: list[int], problems: int
) -> None:
    export = load(cases / "exports" / "chatgpt" / f"{name}.json")

    assert [len(conversation.revisions) for conversation in export] == sizes
    assert [
        len(parents_of(conversation).keys() - set(parents_of(conversation).values()))
        for conversation in export
    ] == leaves
    assert len(export.problems) == problems


def test_in_the_shared_browsing_sample_every_result_answers_the_call_before_it(cases: Path) -> None:
    export = load(cases / "exports" / "chatgpt" / "web_browsing_tools_linear.json")
    asked: list[str] = []
    answered: list[str] = []
    last = None
    for revision in export.conversations[0].revisions:
        for part in revision.message.parts:
            if isinstance(part, ToolCallPart):
                assert part.name == "browser"
                last = part.tool_call_id
                asked.append(part.tool_call_id)
            if isinstance(part, ToolResultPart):
                assert part.tool_call_id == last
                answered.append(part.tool_call_id)

    assert len(set(asked)) == len(asked) == 4
    assert len(answered) == 5
    assert set(answered) == set(asked)


def test_the_shared_sample_of_2026_shows_no_hidden_context_as_a_turn(cases: Path) -> None:
    export = load(cases / "exports" / "chatgpt" / "modern_2026_with_corrupted_entry.json")
    first = export.conversations[0]

    assert [revision.message.role for revision in first.revisions] == [Role.USER, Role.ASSISTANT] * 2
    assert first.system == (TextPart("The user is an SRE."), TextPart("Answer concisely."))
    assert set(first.metadata.value["chatgpt"]["mapping"]) == {"client-created-root", "ctx-node"}
    assert [problem.place for problem in export.problems] == ["[1]"]


# -------------------------------------------------------------------------------------------------- trees of our own


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str | None]:
    size = draw(st.integers(1, 25))
    return {
        f"m{number}": f"m{parent}" if (parent := draw(st.integers(-1, number - 1))) >= 0 else None
        for number in range(size)
    }


@given(trees(), st.randoms(use_true_random=False))
def test_a_tree_comes_back_whatever_the_order_of_its_entries_and_times(
    parents: Parents, rng: random.Random
) -> None:
    """B02, B05, B06: links decide; neither times nor ids nor the order in the file do."""
    current = rng.choice([one for one in parents if one not in parents.values()])
    conversation = chatgpt_tree(parents, current=current)
    entries = list(conversation["mapping"].items())
    rng.shuffle(entries)
    conversation["mapping"] = dict(entries)
    for _, entry in entries:
        if entry["message"]:
            entry["message"]["create_time"] = rng.choice([None, 0, 1e12, 1714585031.5, "2024-01-01"])

    found = parsed(conversation)

    assert parents_of(found) == parents
    assert children_of(parents_of(found)) == children_of(parents)
    assert {one.id: one.message.text for one in found.revisions} == {one: f"text of {one}" for one in parents}
    assert found.selected_leaf_id == current
    assert found.problems == ()


@given(trees(), st.sets(st.integers(0, 24)))
def test_entries_without_a_message_are_bridged(parents: Parents, numbers: set[int]) -> None:
    conversation = chatgpt_tree(parents)
    silent = {f"m{number}" for number in numbers} & set(parents)
    for one in silent:
        conversation["mapping"][one]["message"] = None

    found = parsed(conversation)

    assert {one.id for one in found.revisions} == set(parents) - silent
    for revision in found.revisions:
        above = parents[revision.id]
        while above in silent:
            above = parents[above]
        assert revision.parent_id == above
    assert set(found.metadata.value["chatgpt"]["mapping"]) == silent | {"client-created-root"}


def test_inverted_and_missing_times_are_data_and_nothing_else() -> None:
    """B02: U(5) -> A(4.4) -> T(none) -> A(6), and a sibling of the first A at 1."""
    times: dict[str, float | None] = {"u": 5, "a": 4.4, "t": None, "z": 6, "s": 1}
    conversation = chatgpt_tree({"u": None, "a": "u", "t": "a", "z": "t", "s": "u"}, current="z")
    for one, time in times.items():
        conversation["mapping"][one]["message"]["create_time"] = time

    found = parsed(conversation)

    assert [one.id for one in found.revisions] == ["u", "a", "t", "z", "s"]
    for revision in found.revisions:
        assert revision.message.provider_data is not None
        assert revision.message.provider_data.value["chatgpt"]["create_time"] == times[revision.id]


def test_a_chain_of_twenty_thousand_and_fifty_side_leaves() -> None:
    """B08."""
    size = 20_000
    parents: dict[str, str | None] = {f"m{n}": f"m{n - 1}" if n else None for n in range(size)}
    sides = {f"s{n}": f"m{n * 400}" for n in range(50)}
    listed: dict[str | None, list[str]] = children_of({**parents, **sides})
    entries = [chatgpt_entry("root", None, listed[None])]
    for one, parent in {**parents, **sides}.items():
        entries.append(chatgpt_entry(one, parent or "root", listed.get(one, []), chatgpt_message(one)))

    found = parsed(chatgpt_conversation(*reversed(entries), current=f"m{size - 1}"))

    assert len(found.revisions) == size + 50
    assert found.selected_leaf_id == f"m{size - 1}"
    assert found.problems == ()


def test_a_cycle_alone_is_refused_and_beside_others_skipped() -> None:
    """B07: a's parent is b, b's is a, c's is c; other conversations are unaffected."""
    cycle = chatgpt_conversation(
        *(
            chatgpt_entry(one, parent, [], chatgpt_message(one))
            for one, parent in [("a", "b"), ("b", "a"), ("c", "c")]
        )
    )

    with pytest.raises(InvalidFileError) as caught:
        loads(text_of([cycle]))
    assert caught.value.place == "[0].mapping"

    export = loads(text_of([cycle, {**chatgpt_tree({"a": None}, current="a"), "conversation_id": "c2"}]))
    assert [conversation.id for conversation in export] == ["c2"]
    assert [problem.place for problem in export.problems] == ["[0].mapping"]


def test_a_cycle_beside_a_root_is_cut_and_reported() -> None:
    conversation = chatgpt_tree({"q": None, "a": "q", "x": "q", "y": "x"}, current="a")
    conversation["mapping"]["x"]["parent"] = "y"
    conversation["mapping"]["q"]["children"] = ["a"]

    found = parsed(conversation)

    assert parents_of(found) == {"q": None, "a": "q", "x": None, "y": "x"}
    assert found.selected_leaf_id == "a"
    assert [place for place in places(found) if place == "mapping['x']"]


def test_a_missing_parent_makes_a_root_and_both_fragments_stay() -> None:
    """B11."""
    conversation = chatgpt_tree({f"m{n}": f"m{n - 1}" if n else None for n in range(50)}, current="m49")
    conversation["mapping"]["m30"]["parent"] = "gone"
    conversation["mapping"]["m29"]["children"] = []

    found = parsed(conversation)

    assert [one.id for one in found.revisions if one.parent_id is None] == ["m0", "m30"]
    assert len(found.revisions) == 50
    assert places(found) == ["mapping['m30']"]


def test_several_roots_below_a_root_without_message_and_without_one() -> None:
    assert parents_of(parsed(chatgpt_tree({"a": None, "b": None}))) == {"a": None, "b": None}
    bare = chatgpt_conversation(
        chatgpt_entry("a", None, [], chatgpt_message("a")), chatgpt_entry("b", None, [], chatgpt_message("b"))
    )
    assert parents_of(parsed(bare)) == {"a": None, "b": None}


# --------------------------------------------------------------------------------------------------- selected leaf

FORKED = {"q": None, "a": "q", "b": "q", "c": "a", "d": "a"}


@pytest.mark.parametrize(
    ("current", "selected", "reported"),
    [
        ("c", "c", 0),
        ("a", "a", 1),  # not a leaf: stays where the file has it
        (None, "b", 1),  # the last child at each fork
        ("gone", "b", 1),
        (7, "b", 1),
        ("client-created-root", "b", 1),
    ],
)
def test_the_selected_leaf(current: Any, selected: str, reported: int) -> None:
    found = parsed(chatgpt_tree(FORKED, current=current))

    assert found.selected_leaf_id == selected
    assert places(found) == ["current_node"] * reported


def test_a_pointer_to_what_is_no_message_selects_the_nearest_above() -> None:
    conversation = chatgpt_tree(FORKED, current="c")
    conversation["mapping"]["c"]["message"] = None

    found = parsed(conversation)

    assert found.selected_leaf_id == "a"
    assert "current_node" in places(found)


def test_no_pointer_at_all() -> None:
    conversation = chatgpt_tree(FORKED)
    del conversation["current_node"]

    assert parsed(conversation).selected_leaf_id == "b"


@pytest.mark.parametrize("mapping", [{}, {"root": chatgpt_entry("root", None)}])
def test_a_conversation_without_messages_is_one(mapping: Any) -> None:
    found = parsed({**chatgpt_conversation(current="root"), "mapping": mapping})

    assert (found.revisions, found.selected_leaf_id) == ((), None)
    assert places(found) == ["current_node"]


# ------------------------------------------------------------------------------------------------- header and rest


def test_the_header_is_kept_as_it_is_spelled() -> None:
    text = text_of(chatgpt_tree({"a": None}, current="a")).replace(
        '"id": "c1"', '"id": "c1", "$odd.key": {"n": 1.10, "big": 1180591620717411303424, "": "\\u0000"}', 1
    )

    (found,) = loads(text)

    assert '"$odd.key":{"n":1.10,"big":1180591620717411303424,"":"\\u0000"}' in found.metadata.text
    assert '"create_time":1714585031.148505' in found.metadata.text
    assert "mapping" in found.metadata.value["chatgpt"]


@pytest.mark.parametrize(
    ("members", "expected", "reported"),
    [
        ({"id": "x", "conversation_id": None}, "x", 0),
        ({"id": None, "conversation_id": "y"}, "y", 0),
        ({"id": "x", "conversation_id": "y"}, "y", 0),
        ({"id": "x\x00", "conversation_id": ""}, None, 1),
        ({"id": None, "conversation_id": None}, None, 1),
    ],
)
def test_ids_of_conversations(members: dict[str, Any], expected: str | None, reported: int) -> None:
    conversation = {**chatgpt_tree({"a": None}, current="a"), **members}

    found = parsed(conversation)

    assert found.id == expected or (expected is None and found.id == parsed(conversation).id)
    assert len(found.problems) == reported


def test_other_content_without_an_id_gets_another_id() -> None:
    one, other = (
        parsed(
            {**chatgpt_tree({"a": None}, current="a"), "id": None, "conversation_id": None, "title": title}
        )
        for title in ("x", "y")
    )

    assert one.id != other.id


def test_custom_instructions_become_the_system_prompt_of_the_selected_path() -> None:
    def instructions(entry_id: str, profile: str, children: list[str]) -> dict[str, Any]:
        content = {"content_type": "user_editable_context", "user_profile": profile, "user_instructions": ""}
        return chatgpt_entry(entry_id, "root", children, {**chatgpt_message(entry_id), "content": content})

    conversation = chatgpt_conversation(
        chatgpt_entry("root", None, ["x", "y"]),
        instructions("x", "old", ["a"]),
        instructions("y", "new", ["b"]),
        chatgpt_entry("a", "x", [], chatgpt_message("a")),
        chatgpt_entry("b", "y", [], chatgpt_message("b")),
        current="a",
    )

    found = parsed(conversation)

    assert found.system == "old"
    assert parents_of(found) == {"a": None, "b": None}
    assert places(found) == ["mapping['x']", "mapping['y']"]
    assert '"user_profile":"new"' in found.metadata.text
    assert parsed({**conversation, "current_node": "b"}).system == "new"
