"""Exports in the forms of other products, made from a few words; and what must hold of everything that is parsed."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from convotree.domain.parsed import ParsedConversation
from convotree.identity import check_id

Parents = Mapping[str, str | None]


def chatgpt_message(message_id: str, role: str = "user", text: str = "hi", **members: Any) -> dict[str, Any]:
    return {
        "id": message_id,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1714585031.150442,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "weight": 1.0,
        "recipient": "all",
        "metadata": {},
        **members,
    }


def chatgpt_entry(
    entry_id: str, parent: str | None, children: Sequence[str] = (), message: Any = None
) -> dict[str, Any]:
    return {"id": entry_id, "message": message, "parent": parent, "children": list(children)}


def chatgpt_conversation(*entries: dict[str, Any], current: Any = None, **members: Any) -> dict[str, Any]:
    """A conversation of ``entries`` in this order."""
    return {
        "id": "c1",
        "conversation_id": "c1",
        "title": "A talk",
        "create_time": 1714585031.148505,
        "mapping": {entry["id"]: entry for entry in entries},
        "current_node": current,
        **members,
    }


def chatgpt_tree(parents: Parents, *, current: str | None = None, **members: Any) -> dict[str, Any]:
    """A conversation of user and assistant messages below the usual root without a message."""
    root = "client-created-root"
    above = {one: root if parent is None else parent for one, parent in parents.items()}
    depths: dict[str, int] = {root: 0}
    for one, parent in above.items():
        depths[one] = depths[parent] + 1
    entries = [chatgpt_entry(root, None, [one for one in above if above[one] == root])]
    for one, parent in above.items():
        children = [child for child in above if above[child] == one]
        role = "user" if depths[one] % 2 else "assistant"
        entries.append(chatgpt_entry(one, parent, children, chatgpt_message(one, role, f"text of {one}")))
    return chatgpt_conversation(*entries, current=current, **members)


def librechat_message(
    message_id: str, parent: str | None, *, by_user: bool = True, text: Any = "hi", **members: Any
) -> dict[str, Any]:
    return {
        "messageId": message_id,
        "parentMessageId": parent,
        "conversationId": "c1",
        "sender": "User" if by_user else "GPT-4",
        "isCreatedByUser": by_user,
        "text": text,
        "createdAt": "2024-05-28T18:08:55.014Z",
        "unfinished": False,
        "error": False,
        **members,
    }


def librechat_conversation(*messages: Any, **members: Any) -> dict[str, Any]:
    return {
        "conversationId": "c1",
        "endpoint": "openAI",
        "title": "A talk",
        "exportAt": "08:12:16 GMT-0400 (Eastern Daylight Time)",
        "branches": True,
        "recursive": False,
        "options": {"model": "gpt-4o", "promptPrefix": None, "temperature": 1.10},
        "messages": list(messages),
        **members,
    }


def text_of(value: Any) -> str:
    return json.dumps(value)


def parents_of(conversation: ParsedConversation) -> dict[str, str | None]:
    return {revision.id: revision.parent_id for revision in conversation.revisions}


def children_of(parents: Parents) -> dict[str | None, list[str]]:
    """The children of each parent, in the order in which ``parents`` has them."""
    children: dict[str | None, list[str]] = {}
    for one, parent in parents.items():
        children.setdefault(parent, []).append(one)
    return children


def check_sound(conversation: ParsedConversation) -> None:
    """What ``ConversationStore.import_`` relies on, whatever the file was like."""
    check_id(conversation.id, "conversation.id")
    seen: set[str | None] = {None}
    for revision in conversation.revisions:
        check_id(revision.id, "revision.id")
        assert revision.id not in seen
        assert revision.parent_id in seen
        seen.add(revision.id)
    assert conversation.selected_leaf_id in seen
    assert (conversation.selected_leaf_id is None) == (not conversation.revisions)
    assert conversation.metadata.is_object
