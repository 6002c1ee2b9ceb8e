"""Whatever JSON goes in, through the real server, comes out with equal spelling, order and type: from every place."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from convotree import (
    Check,
    CompactionChoice,
    Conversation,
    ConversationStore,
    DocumentPart,
    ExactJson,
    GenerationRecord,
    HostedCallPart,
    HostedResultPart,
    Message,
    OpaquePart,
    OpaqueSource,
    PromptChoice,
    Request,
    Role,
    TextPart,
    Tool,
    ToolCallPart,
    ToolResultPart,
)
from tests.domain.json_values import layouts, texts
from tests.domain.part_values import one_of_each, parts
from tests.properties.example_settings import server_examples

examples = server_examples(40)

json_texts = layouts(depth=3)
"""Compact text, and the same with white space: duplicate keys, ``$where``, NUL, surrogates, numbers of any spelling."""

ODD_KEYS = ('"$where"', '"a.b"', '""', '"$where"')


def _object_texts(values: list[tuple[str, str]]) -> tuple[str, str]:
    # Keys that MongoDB or Python would give a meaning of their own, one of them twice.
    members = list(zip(ODD_KEYS, values, strict=False))
    compact = ",".join(f"{key}:{value[0]}" for key, value in members)
    return "{" + compact + "}", "{" + ",".join(f"{key}:\n {value[1]}" for key, value in members) + "}"


object_texts = st.lists(json_texts, max_size=4).map(_object_texts)


@dataclass(frozen=True)
class Places:
    """A message with JSON in each of its places, and tools, with what each text must come back as."""

    message: Message
    tool: Tool
    expected: tuple[str, ...]

    def texts_of(self, message: Message, tool: Tool) -> tuple[str, ...]:
        found = [
            tool.input_schema,
            tool.definition,
            tool.provider_data,
            message.provider_data,
        ]
        for part in message.parts:
            found.append(getattr(part, "arguments", None))
            found.append(getattr(part, "citations", None))
            found.append(getattr(part, "provider_data", None))
            found.append(part.cache_marker)
            content = getattr(part, "content", None)
            found.append(content if isinstance(content, ExactJson) else None)
            source = getattr(part, "source", None)
            found.append(source.content if isinstance(source, OpaqueSource) else None)
            for inner in content if isinstance(content, tuple) else ():
                found.append(inner.provider_data)
        return tuple(one.text for one in found if one is not None)


@st.composite
def filled_places(draw: st.DrawFn) -> Places:
    expected: list[str] = []

    def taken(strategy: st.SearchStrategy[tuple[str, str]]) -> ExactJson:
        compact, loose = draw(strategy)
        expected.append(compact)
        return ExactJson.parse(loose)

    def anything() -> ExactJson:
        return taken(json_texts)

    def an_object() -> ExactJson:
        return taken(object_texts)

    tool = Tool("f", None, an_object(), "anthropic", an_object(), an_object())
    provider_data = an_object()
    message = Message(
        Role.ASSISTANT,
        (
            ToolCallPart("c", "f", anything(), None, an_object(), anything()),
            TextPart("t", anything(), None, an_object()),
            HostedCallPart("anthropic", "server_tool_use", "h", "search", anything()),
            HostedResultPart("anthropic", "result", "h", anything()),
            OpaquePart("gemini", "other", anything()),
            DocumentPart(OpaqueSource("openai", anything())),
            ToolResultPart("c", (TextPart("inner", provider_data=an_object()),)),
        ),
        provider_data=provider_data,
    )
    return Places(message, tool, tuple(expected))


@examples
@given(places=filled_places())
async def test_json_in_a_message_or_a_tool_comes_back_as_it_was_written(
    store: ConversationStore, places: Places
) -> None:
    assert places.texts_of(places.message, places.tool) == places.expected
    conversation = await store.create(tools=[places.tool])
    stored = await store.append(conversation.id, places.message, check=Check.RECORD)
    (read,) = await store.path(conversation.id)
    request = await store.replay(conversation.id)
    again = Request.from_json(request.to_json())
    for message, tool in (
        (stored.message, places.tool),
        (read.message, places.tool),
        (request.messages[0], request.tools[0]),
        (again.messages[0], again.tools[0]),
    ):
        assert places.texts_of(message, tool) == places.expected
        assert (message, tool) == (places.message, places.tool)
    assert await store.verify(conversation.id) == []
    # A retry finds itself.
    twice = await store.append(
        conversation.id, places.message, check=Check.RECORD, revision_id=stored.id, parent_id=None
    )
    assert twice == read


@examples
@given(text=object_texts, params=object_texts, usage=object_texts)
async def test_json_in_metadata_and_generation_records_comes_back_as_it_was_written(
    store: ConversationStore, text: tuple[str, str], params: tuple[str, str], usage: tuple[str, str]
) -> None:
    conversation = await store.create(metadata=ExactJson.parse(text[1]))
    record = GenerationRecord(params=ExactJson.parse(params[1]), usage=ExactJson.parse(usage[1]))
    await store.append(conversation.id, Message.assistant("x"), generation=record)
    read = await store.get(conversation.id)
    assert read.metadata_json.text == text[0]
    (revision,) = await store.path(conversation.id)
    assert revision.generation is not None
    assert (revision.generation.params, revision.generation.usage) == (record.params, record.usage)
    assert revision.generation.params is not None
    assert revision.generation.params.text == params[0]
    listed = (await store.list(limit=1)).conversations[0]
    assert listed.metadata_json.text == text[0]
    assert await store.create(conversation.id, metadata=ExactJson.parse(text[1])) == read


@examples
@given(
    drawn=st.lists(parts, max_size=6), role=st.sampled_from(Role), prompt=texts | st.lists(parts, max_size=3)
)
async def test_parts_of_every_kind_come_back_equal(
    store: ConversationStore, drawn: list[object], role: Role, prompt: object
) -> None:
    message = Message(role, tuple(drawn))  # type: ignore[arg-type]  # strategies know no union
    conversation = await store.create(system=prompt)  # type: ignore[arg-type]
    await store.append(conversation.id, message, check=Check.RECORD)
    (read,) = await store.path(conversation.id)
    assert read.message == message
    request = await store.replay(conversation.id)
    assert request.messages == (message,)
    assert request.system == (prompt if isinstance(prompt, str) else tuple(prompt))  # type: ignore[arg-type]
    assert Request.from_json(request.to_json()) == request
    assert await store.verify(conversation.id) == []


async def test_one_part_of_each_kind_with_every_field_comes_back_equal(store: ConversationStore) -> None:
    message = Message(Role.ASSISTANT, tuple(one_of_each()))
    conversation = await store.create()
    await store.append(conversation.id, message, check=Check.RECORD)
    # One of the parts is a summary, which stands for those before it.
    whole = await store.replay(conversation.id, compaction=CompactionChoice.NONE)
    assert whole.messages == (message,)


@examples
@given(call_id=texts.filter(bool), name=texts, provider=texts, model=texts)
async def test_names_and_ids_of_any_unicode_come_back_and_calls_find_their_results(
    store: ConversationStore, call_id: str, name: str, provider: str, model: str
) -> None:
    conversation = await store.create()
    call = Message.assistant(
        [ToolCallPart(call_id, name, ExactJson("{}"))], provider=provider, api=name, model=model
    )
    result = Message.tool_result(call_id, name, name=name)
    record = GenerationRecord(model=model, stop_reason=name)
    await store.append(conversation.id, call, generation=record)
    await store.append(conversation.id, result)  # strict: it must find its call
    read = await store.path(conversation.id)
    assert [one.message for one in read] == [call, result]
    assert read[0].generation is not None
    assert (read[0].generation.model, read[0].generation.stop_reason) == (model, name)
    assert await store.verify(conversation.id) == []


async def test_200_levels_come_back(store: ConversationStore) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}"), ('[{"$where":', "}]")):
        levels = 200 // (opening.count("[") + opening.count("{"))
        exact = ExactJson.parse(opening * levels + "1.10" + closing * levels)
        record = GenerationRecord(params=ExactJson.parse(f'{{"deep":{exact.text}}}'))
        message = Message.assistant([ToolCallPart("c", "f", exact)])
        conversation = await store.create(
            metadata={"deep": exact},
            tools=[Tool("f", input_schema=ExactJson.parse(f'{{"deep":{exact.text}}}'))],
        )
        await store.append(conversation.id, message, generation=record)
        request = await store.replay(conversation.id, prompt=PromptChoice.GENERATED)
        assert request.messages == (message,)
        assert Request.from_json(request.to_json()) == request
        assert (await store.get(conversation.id)).metadata_json.text == f'{{"deep":{exact.text}}}'
        (revision,) = await store.path(conversation.id)
        assert revision.generation is not None
        assert revision.generation.params == record.params


async def test_b46_dollar_and_dotted_keys_are_data(store: ConversationStore) -> None:
    text = '{"$schema":"x","a.b":{"$gt":1},"":0,"$set":{"role":"x"}}'
    exact = ExactJson(text)
    conversation = await store.create(metadata=exact)
    await store.create("beside", title="untouched")
    call = Message.assistant([ToolCallPart("c", "f", exact)])
    await store.append(conversation.id, call)
    assert (await store.get(conversation.id)).metadata_json == exact

    patched = await store.update(conversation.id, metadata=ExactJson('{"$unset":{"title":1},"a.b":2}'))
    assert patched.metadata == {
        "$schema": "x",
        "a.b": 2,
        "": 0,
        "$set": {"role": "x"},
        "$unset": {"title": 1},
    }
    after = await store.update(conversation.id, remove_metadata=["a", "$set", ""])
    assert list(after.metadata) == ["$schema", "a.b", "$unset"]
    assert await _titles(store) == {"beside": "untouched", conversation.id: None}
    (read,) = await store.path(conversation.id)
    assert read.message == call


async def test_b48_nul_is_kept_in_content_and_refused_in_ids_titles_and_metadata_keys(
    store: ConversationStore,
) -> None:
    exact = ExactJson('{"\\u0000key":"a\\u0000b","literal":"\\\\u0000"}')
    messages = [
        Message.user("\x00start"),
        Message.assistant([TextPart("mid\x00dle"), ToolCallPart("c\x00", "f\x00", exact)]),
        Message.tool_result("c\x00", "end\x00", name="f\x00"),
        Message.user([DocumentPart(OpaqueSource("x", exact), "na\x00me"), TextPart("\\u0000")]),
    ]
    conversation = await store.create(metadata={"value": "a\x00b", "inner": {"\x00": 1}})
    await store.extend(conversation.id, messages)
    assert [one.message for one in await store.path(conversation.id)] == messages
    assert (await store.get(conversation.id)).metadata == {"value": "a\x00b", "inner": {"\x00": 1}}


async def _titles(store: ConversationStore) -> dict[str, str | None]:
    found: tuple[Conversation, ...] = (await store.list()).conversations
    return {one.id: one.title for one in found}
