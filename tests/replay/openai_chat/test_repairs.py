"""What rendering mends or refuses of a request that Chat Completions would reject."""

from __future__ import annotations

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message
from convotree.domain.parts import ReasoningPart, ToolCallPart
from convotree.domain.prompt import Tool
from convotree.errors import UnreplayableError
from convotree.replay import RenderPolicy, Request, Unacceptable
from tests.replay.samples import answer, result

ASK = Message.user("go")
REFUSED = [
    (Request(), "C4", "messages[0]"),
    (Request(messages=(answer(ReasoningPart("x")),)), "C4", "messages[0]"),
    (Request(tools=(Tool("look up"),), messages=(ASK,)), "C5", "tools[0].name"),
    (Request(messages=(Message.user("x" * 1_048_577),)), "C8", "messages[0]"),
]


@pytest.mark.parametrize(("request_", "rule", "place"), REFUSED, ids=["nothing", "empty", "name", "length"])
def test_what_cannot_be_mended_is_refused_unless_the_caller_insists(
    request_: Request, rule: str, place: str
) -> None:
    with pytest.raises(UnreplayableError) as caught:
        request_.render("openai-chat", model="gpt-5")
    assert (caught.value.rule, caught.value.place) == (rule, place)
    policy = RenderPolicy(unacceptable=Unacceptable.AS_STORED)
    assert request_.render("openai-chat", model="gpt-5", policy=policy).body["model"] == "gpt-5"


def test_names_of_called_tools_are_mended() -> None:
    foreign = answer(ToolCallPart("c1", "files.read all", ExactJson("{}")), provider="google")
    made = Request(messages=(ASK, foreign, result("c1"))).render("openai-chat", model="gpt-5")
    assert made.body["messages"][1]["tool_calls"][0]["function"]["name"] == "files_read_all"
    assert [(note.rule, note.place) for note in made.notes] == [("C5", "messages[1].parts[0].name")]


def test_an_empty_list_of_calls_is_left_out() -> None:
    text = '{"role":"assistant","content":"so","tool_calls":[]}'
    message = Message.from_provider("openai-chat", text)
    made = Request(messages=(ASK, message)).render("openai-chat", model="gpt-5")
    assert made.body["messages"][1] == {"role": "assistant", "content": "so"}
    assert [note.rule for note in made.notes] == ["C3"]
