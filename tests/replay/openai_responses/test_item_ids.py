"""Ids of items: with their reasoning, directly after it, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.domain.message import Message
from convotree.domain.parts import HostedCallPart, Part, ReasoningPart, TextPart, ToolCallPart
from convotree.replay import Request
from tests.replay.openai_responses.bodies import MODEL
from tests.replay.samples import result

NAME = "openai-responses"


def data(**members: Any) -> ExactJson:
    return ExactJson.of({NAME: members})


def thought(number: int = 1, encrypted: str | None = "gAAA") -> ReasoningPart:
    return ReasoningPart("", None, encrypted, data(id=f"rs_{number}", summary=[]))


def said(number: int = 1) -> TextPart:
    start = {"id": f"msg_{number}", "type": "message", "status": "completed"}
    return TextPart("x", provider_data=data(message=start, type="output_text"))


def called(number: int = 1) -> ToolCallPart:
    return ToolCallPart(f"call_{number}", "f", ExactJson("{}"), None, data(id=f"fc_{number}"))


def searched(number: int = 1) -> HostedCallPart:
    action = ExactJson('{"type":"search","query":"q"}')
    return HostedCallPart(
        NAME, "web_search_call", f"ws_{number}", "web_search", action, data(status="completed")
    )


def sent(
    *answers: tuple[Part, ...], model: str | None = MODEL, params: Any = None
) -> tuple[list[Any], list[Any]]:
    messages: list[Message] = []
    for parts in answers:
        messages.append(Message.assistant(parts, provider="openai", api="responses", model=model))
        ids = [part.tool_call_id for part in parts if isinstance(part, ToolCallPart)]
        if ids:
            messages.append(result(*ids))
    made = Request(messages=tuple(messages)).render(NAME, model=MODEL, params=params)
    ids = [
        item.get("id", f"a {item.get('type', 'message')}")
        for item in made.body["input"]
        if item.get("type") != "function_call_output"
    ]
    return ids, [(note.place, note.rule) for note in made.notes]


def test_a_turn_of_its_own_keeps_its_ids() -> None:
    assert sent((thought(), said(), called(), called(2))) == (["rs_1", "msg_1", "fc_1", "fc_2"], [])


def test_without_reasoning_ids_stay_too() -> None:
    assert sent((said(), called())) == (["msg_1", "fc_1"], [])


def test_reasoning_before_reasoning_stays() -> None:
    assert sent((thought(), thought(2), said())) == (["rs_1", "rs_2", "msg_1"], [])


def test_reasoning_that_leads_to_nothing_loses_its_id() -> None:
    assert sent((said(), thought())) == (["msg_1", "a reasoning"], [("messages[0].parts[1]", "R1")])


def test_without_encrypted_content_it_is_left_out() -> None:
    ids, notes = sent((said(), thought(encrypted=None)), params={"store": True})
    assert (ids, notes) == (["msg_1"], [("messages[0].parts[1]", "R1")])


def test_a_chain_of_reasoning_breaks_as_a_whole() -> None:
    ids, notes = sent((thought(), thought(2), TextPart("edited"), called()))
    assert ids == ["a reasoning", "a reasoning", "a message", "a function_call"]
    assert [rule for _, rule in notes] == ["R1", "R1", "R2"]


def test_reasoning_of_another_model_takes_the_ids_and_searches_up_to_the_next_with_it() -> None:
    ids, notes = sent((searched(), thought(), searched(2), said(), called()), model="gpt-5.4")
    assert ids == ["ws_1", "a message", "a function_call"]
    assert notes == [
        ("messages[0].parts[1]", "R8"),
        ("messages[0].parts[2]", "R2"),
        ("messages[0].parts[3]", "R2"),
        ("messages[0].parts[4]", "R2"),
    ]


def test_one_broken_pair_does_not_spoil_the_next() -> None:
    ids, _ = sent((thought(), TextPart("edited"), thought(2), called()))
    assert ids == ["a reasoning", "a message", "rs_2", "fc_1"]


def test_an_answer_that_stands_twice_keeps_its_ids_once() -> None:
    ids, notes = sent((thought(), said()), (thought(), said()))
    assert ids == ["rs_1", "msg_1", "a reasoning", "a message"]
    assert notes == [("messages[1].parts[0]", "R1"), ("messages[1].parts[1]", "R6")]


def test_an_answer_in_two_messages_is_still_whole() -> None:
    assert sent((thought(),), (said(),)) == (["rs_1", "msg_1"], [])


@pytest.mark.parametrize("own", ["toolu_1", "fc_" + "x" * 62, "fc ä", ""])
def test_an_id_that_is_none_is_not_sent(own: str) -> None:
    odd = ToolCallPart("c", "f", ExactJson("{}"), None, data(id=own))
    assert sent((odd,)) == (["a function_call"], [("messages[0].parts[0]", "R6")])
    assert sent((thought(), odd))[0] == ["a reasoning", "a function_call"]


def test_other_providers_have_no_ids_here() -> None:
    message = Message.assistant((thought(), said(), called()), provider="azure", api="responses", model=MODEL)
    made = Request(messages=(message, result("call_1"))).render(NAME, model=MODEL)
    assert made.body["input"][:2] == [
        {"role": "assistant", "content": "x"},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
    ]
