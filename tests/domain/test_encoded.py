"""The stored form of a message: what its digest covers, and what the chained digest leaves out."""

import pytest

from convotree.domain.encoded import NO_CHAIN, chain_digest, encode_message
from convotree.domain.exact_json import ExactJson
from convotree.domain.limits import MAX_PART_BYTES
from convotree.domain.message import Message, Role
from convotree.domain.parts import ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from convotree.errors import ContentTooLargeError

MARKER = ExactJson('{"type":"ephemeral"}')
BASE = Message.assistant([TextPart("a"), TextPart("b")])


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Message.assistant([TextPart("b"), TextPart("a")]), id="order"),
        pytest.param(Message.assistant([TextPart("ab")]), id="cut"),
        pytest.param(Message.assistant([TextPart("a"), TextPart("b")], model="m"), id="provenance"),
        pytest.param(Message(Role.USER, BASE.parts), id="role"),
        pytest.param(
            Message(Role.ASSISTANT, BASE.parts, provider_data=ExactJson('{"x":{}}')), id="provider data"
        ),
        pytest.param(
            Message.assistant([TextPart("a"), TextPart("b", cache_marker=MARKER)]), id="cache marker"
        ),
        pytest.param(Message.assistant([ReasoningPart("r"), *BASE.parts]), id="reasoning"),
    ],
)
def test_the_digest_covers_everything(other: Message) -> None:
    assert encode_message(other).digest != encode_message(BASE).digest


def test_the_spelling_of_a_number_is_content() -> None:
    one, other = (
        Message.assistant([ToolCallPart("c", "f", ExactJson.parse(text))])
        for text in ('{"a":1.0}', '{"a":1.00}')
    )

    assert encode_message(one).digest != encode_message(other).digest
    assert encode_message(one).element != encode_message(other).element


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Message.assistant([ReasoningPart("r", "signature"), *BASE.parts]), id="reasoning"),
        pytest.param(
            Message.assistant([TextPart("a", cache_marker=MARKER), TextPart("b")]), id="cache marker"
        ),
        pytest.param(Message.assistant(BASE.parts, provider="p", api="a", model="m"), id="provenance"),
    ],
)
def test_the_chained_digest_leaves_out_what_providers_do_not_bind_to(other: Message) -> None:
    assert encode_message(other).element == encode_message(BASE).element


def test_a_bare_string_is_another_message_of_the_same_content() -> None:
    bare, parts = encode_message(Message.user("x")), encode_message(Message.user([TextPart("x")]))

    assert bare.digest != parts.digest
    assert bare.element == parts.element


def test_a_cache_marker_inside_a_tool_result_is_left_out_too() -> None:
    marked = ToolResultPart("c", (TextPart("x", cache_marker=MARKER),))
    bare = ToolResultPart("c", (TextPart("x"),))

    assert encode_message(Message.user([marked])).element == encode_message(Message.user([bare])).element


def test_a_text_that_speaks_of_a_cache_marker_is_content() -> None:
    said = 'the member "cache_marker":{} of a part'

    assert encode_message(Message.user(said)).element != encode_message(Message.user("other")).element
    assert TextPart(said) in Message.user(said).parts


def test_the_chain_depends_on_every_ancestor_and_their_order() -> None:
    a, b = (encode_message(Message.user(text)).element for text in "ab")

    chains = {
        chain_digest(chain_digest(NO_CHAIN, a), b),
        chain_digest(chain_digest(NO_CHAIN, b), a),
        chain_digest(NO_CHAIN, a),
        chain_digest(NO_CHAIN, b),
    }

    assert len(chains) == 4


def test_too_large_a_message_is_refused_with_its_size() -> None:
    with pytest.raises(ContentTooLargeError) as caught:
        encode_message(Message.user("x" * MAX_PART_BYTES))

    assert caught.value.limit == MAX_PART_BYTES
    assert caught.value.size > MAX_PART_BYTES
