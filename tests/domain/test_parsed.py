"""What an importer hands over: checked where it is made, since callers write importers of their own."""

import copy
import pickle
from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.generation import GenerationRecord
from convotree.domain.message import Message
from convotree.domain.parsed import ImportProblem, ParsedConversation, ParsedExport, ParsedRevision
from convotree.domain.parts import TextPart
from convotree.domain.prompt import Tool
from convotree.errors import InvalidJsonError, InvalidMessageError

REVISION = ParsedRevision("r1", None, Message.user("hi"))
PROBLEM = ImportProblem("line 3", "left out")
RIGHT_REVISION: dict[str, Any] = {"id": "r", "parent_id": None, "message": REVISION.message}
RIGHT_EXPORT: dict[str, Any] = {"format": "f", "conversations": ()}
CONVERSATION = ParsedConversation(
    "c1",
    (REVISION, ParsedRevision("r2", "r1", Message.assistant("hello"), GenerationRecord(model="m"))),
    selected_leaf_id="r2",
    title="t",
    system="Be brief.",
    tools=(Tool("f"),),
    metadata=ExactJson.parse('{"n":1.10}'),
    problems=(PROBLEM,),
)


def test_sequences_become_tuples() -> None:
    given: dict[str, Any] = {
        "revisions": [REVISION],
        "tools": [Tool("f")],
        "problems": iter([PROBLEM]),
        "system": [TextPart("x")],
    }

    made = ParsedConversation("c1", **given)

    assert made.revisions == (REVISION,)
    assert made.tools == (Tool("f"),)
    assert made.problems == (PROBLEM,)
    assert made.system == (TextPart("x"),)


def test_what_a_file_does_not_say() -> None:
    made = ParsedConversation("c1", ())

    assert (made.selected_leaf_id, made.title, made.system, made.tools, made.problems) == (
        None,
        None,
        None,
        (),
        (),
    )
    assert made.metadata.text == "{}"


@pytest.mark.parametrize(
    ("cls", "right", "name", "value", "place"),
    [
        (ImportProblem, {"place": "p", "what": "w"}, "place", 3, "ImportProblem.place"),
        (ImportProblem, {"place": "p", "what": "w"}, "what", None, "ImportProblem.what"),
        *(
            (
                ParsedRevision,
                RIGHT_REVISION,
                name,
                value,
                f"ParsedRevision.{name}",
            )
            for name, value in [
                ("id", None),
                ("id", 3),
                ("parent_id", 3),
                ("message", None),
                ("message", "hi"),
                ("message", {"role": "user"}),
                ("generation", {}),
                ("generation", "m"),
            ]
        ),
        *(
            (ParsedConversation, {"id": "c", "revisions": ()}, name, value, f"ParsedConversation.{place}")
            for name, value, place in [
                ("id", None, "id"),
                ("revisions", None, "revisions"),
                ("revisions", "r", "revisions"),
                ("revisions", {"r": REVISION}, "revisions"),
                ("revisions", [REVISION, "r"], "revisions[1]"),
                ("selected_leaf_id", 3, "selected_leaf_id"),
                ("title", b"t", "title"),
                ("system", 3, "system"),
                ("system", [TextPart("a"), "b"], "system[1]"),
                ("tools", [{"name": "f"}], "tools[0]"),
                ("metadata", None, "metadata"),
                ("metadata", "{}", "metadata"),
                ("metadata", [], "metadata"),
                ("metadata", {1: 2}, "metadata"),
                ("problems", ["left out"], "problems[0]"),
            ]
        ),
        (ParsedExport, RIGHT_EXPORT, "format", None, "ParsedExport.format"),
        (
            ParsedExport,
            RIGHT_EXPORT,
            "conversations",
            [REVISION],
            "ParsedExport.conversations[0]",
        ),
        (ParsedExport, RIGHT_EXPORT, "problems", 3, "ParsedExport.problems"),
    ],
)
def test_a_field_of_a_wrong_type_is_refused_by_place(
    cls: type[Any], right: dict[str, Any], name: str, value: Any, place: str
) -> None:
    with pytest.raises((InvalidMessageError, InvalidJsonError)) as refused:
        cls(**{**right, name: value})

    assert str(refused.value).startswith(f"{place}: ")


def test_an_export_is_a_sequence_of_its_conversations() -> None:
    export = ParsedExport("chatgpt", (CONVERSATION, CONVERSATION), (PROBLEM,))

    assert list(export) == [CONVERSATION, CONVERSATION]
    assert len(export) == 2


def test_they_are_values() -> None:
    export = ParsedExport("chatgpt", (CONVERSATION,), (PROBLEM,))

    for copied in (copy.deepcopy(export), pickle.loads(pickle.dumps(export))):  # noqa: S301  # own bytes
        assert copied == export
        assert hash(copied) == hash(export)
