"""Messages: the makers, what a message shows, and what is no message."""

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convotree.domain.exact_json import ExactJson
from convotree.domain.media import UrlSource
from convotree.domain.message import Message, Provenance, Role, parts_of
from convotree.domain.parts import HostedCallPart, ImagePart, Part, TextPart, ToolCallPart, ToolResultPart
from convotree.errors import ConvotreeError, InvalidMessageError
from tests.domain.part_values import parts

CALL = ToolCallPart("t1", "f", ExactJson.parse("{}"))
IMAGE = ImagePart(UrlSource("u"))
WRONG_CONTENT: list[Any] = [
    None,
    3,
    b"bytes",
    bytearray(b"x"),
    {"type": "text"},
    object(),
    TextPart,
    [3],
    ["text"],
    [None],
]

messages = st.builds(
    Message,
    st.sampled_from(Role),
    st.lists(parts, max_size=3).map(tuple),
    st.none() | st.builds(Provenance, st.none() | st.just("anthropic"), st.none(), st.none() | st.just("m")),
)


class TestMakers:
    @pytest.mark.parametrize(
        ("message", "role"),
        [
            (Message.user("hi"), Role.USER),
            (Message.assistant("hi"), Role.ASSISTANT),
            (Message.developer("hi"), Role.DEVELOPER),
        ],
    )
    def test_a_text_is_one_text_part_given_as_a_string(self, message: Message, role: Role) -> None:
        assert message == Message(role, (TextPart("hi"),), as_string=True)
        assert message.text == "hi"

    @pytest.mark.parametrize("make", [Message.user, Message.assistant, Message.developer])
    def test_parts_stay_parts(self, make: Any) -> None:
        assert make(TextPart("hi")).parts == (TextPart("hi"),)
        assert make([IMAGE, TextPart("hi")]).parts == (IMAGE, TextPart("hi"))
        assert make(part for part in (IMAGE, CALL)).parts == (IMAGE, CALL)
        assert make(()).parts == ()
        assert not make(TextPart("hi")).as_string

    @pytest.mark.parametrize("make", [Message.user, Message.assistant, Message.developer])
    @pytest.mark.parametrize("content", WRONG_CONTENT, ids=lambda value: repr(value)[:20])
    def test_other_content_is_refused(self, make: Any, content: Any) -> None:
        with pytest.raises(InvalidMessageError) as refused:
            make(content)

        assert refused.value.place.startswith("content")

    def test_an_answer_may_say_where_it_came_from(self) -> None:
        assert Message.assistant("x").provenance is None
        assert Message.assistant("x", model="m").provenance == Provenance(None, None, "m")
        assert Message.assistant("x", provider="p", api="a", model="m").provenance == Provenance(
            "p", "a", "m"
        )
        assert Message.assistant().parts == ()

    def test_a_tool_result(self) -> None:
        assert Message.tool_result("t1", "4") == Message(
            Role.TOOL, (ToolResultPart("t1", (TextPart("4"),), as_string=True),)
        )
        assert Message.tool_result("t1", [IMAGE], is_error=True, name="f") == Message(
            Role.TOOL, (ToolResultPart("t1", (IMAGE,), True, "f"),)
        )
        assert Message.tool_result("t1").tool_results[0].content == ()

    @pytest.mark.parametrize("content", WRONG_CONTENT, ids=lambda value: repr(value)[:20])
    def test_a_tool_result_of_other_content_is_refused(self, content: Any) -> None:
        with pytest.raises(InvalidMessageError):
            Message.tool_result("t1", content)

    @pytest.mark.parametrize(
        "wrong",
        [
            lambda: Message.tool_result(3, "x"),  # type: ignore[arg-type]
            lambda: Message.tool_result("t", "x", is_error="no"),  # type: ignore[arg-type]
            lambda: Message.tool_result("t", "x", name=3),  # type: ignore[arg-type]
            lambda: Message.assistant("x", model=3),  # type: ignore[arg-type]
            lambda: Message.assistant("x", provider=b"p"),  # type: ignore[arg-type]
        ],
    )
    def test_other_arguments_are_refused(self, wrong: Any) -> None:
        with pytest.raises(InvalidMessageError):
            wrong()


class TestFields:
    @pytest.mark.parametrize(
        ("field", "value", "place"),
        [
            ("role", "user", "role"),
            ("role", None, "role"),
            ("parts", None, "parts"),
            ("parts", "text", "parts"),
            ("parts", TextPart("x"), "parts"),
            ("parts", {"type": "text"}, "parts"),
            ("parts", (TextPart("x"), "text"), "parts[1]"),
            ("parts", [TextPart("x"), TextPart("y"), None], "parts[2]"),
            ("provenance", "anthropic", "provenance"),
            ("provenance", {"provider": "p"}, "provenance"),
            ("as_string", 1, "as_string"),
            ("as_string", None, "as_string"),
            ("provider_data", [], "provider_data"),
            ("provider_data", "{}", "provider_data"),
            ("provider_data", ExactJson.parse("[]"), "provider_data"),
            ("provider_data", 3, "provider_data"),
        ],
    )
    def test_a_wrong_type_is_refused_by_place(self, field: str, value: Any, place: str) -> None:
        with pytest.raises(InvalidMessageError) as refused:
            Message(**{"role": Role.USER, "parts": (TextPart("x"),), field: value})

        assert refused.value.place == place

    @pytest.mark.parametrize("content", [(), (IMAGE,), (TextPart("a"), TextPart("b"))], ids=len)
    def test_only_one_text_is_a_bare_string(self, content: tuple[Part, ...]) -> None:
        with pytest.raises(InvalidMessageError) as refused:
            Message(Role.USER, content, as_string=True)

        assert refused.value.place == "as_string"

    def test_a_bare_string_may_stand_beside_tool_calls(self) -> None:
        """OpenAI's chat form: the content is a string, and the calls have a member of their own."""
        assert Message(Role.ASSISTANT, (TextPart("one moment"), CALL), as_string=True).as_string

    @pytest.mark.parametrize("field", ["provider", "api", "model"])
    def test_provenance_is_text(self, field: str) -> None:
        wrong: dict[str, Any] = {field: 3}

        with pytest.raises(InvalidMessageError) as refused:
            Provenance(**wrong)

        assert refused.value.place == f"provenance.{field}"


class TestViews:
    def test_texts_calls_and_results(self) -> None:
        result = ToolResultPart("t0", (TextPart("inner"),))
        hosted = HostedCallPart("p", "k", "t2", "f", ExactJson.parse("{}"))
        message = Message(Role.ASSISTANT, (TextPart("a"), CALL, TextPart("b"), hosted, result))

        assert message.text == "ab"
        assert message.tool_calls == (CALL,)
        assert message.tool_results == (result,)
        assert Message.user([]).text == ""


class TestValues:
    @given(messages)
    def test_messages_are_values(self, message: Message) -> None:
        for copied in (copy.copy(message), copy.deepcopy(message), pickle.loads(pickle.dumps(message))):  # noqa: S301  # own bytes
            assert copied == message
            assert hash(copied) == hash(message)

    def test_equal_content_is_equal_however_it_was_given(self) -> None:
        assert Message.user([TextPart("a")]) == Message.user(iter((TextPart("a"),)))
        assert Message.user("a") != Message.user([TextPart("a")])
        assert Message.user("a") != Message.developer("a")

    def test_messages_are_frozen(self) -> None:
        with pytest.raises(AttributeError):
            Message.user("a").parts = ()  # type: ignore[misc]  # frozen: that is the test

    def test_repr_is_short(self) -> None:
        assert len(repr(Message.user("x" * 1_000_000))) < 400


def test_parts_of() -> None:
    assert parts_of("a") == (TextPart("a"),)
    assert parts_of(IMAGE) == (IMAGE,)
    assert parts_of([IMAGE, CALL]) == (IMAGE, CALL)
    for wrong in WRONG_CONTENT:
        with pytest.raises(InvalidMessageError):
            parts_of(wrong)


@pytest.mark.parametrize("provider", ["acme", "", None, 3, ["anthropic"], {"a": 1}])
def test_an_unknown_provider_is_an_error_of_the_library(provider: Any) -> None:
    with pytest.raises(ConvotreeError):
        Message.from_provider(provider, "{}")
