"""The main job on an export: import, look at the trees, regenerate, edit, switch back, and replay for two providers.

    scripts/demo [FILE] [--data DIRECTORY]

FILE is a ChatGPT conversations.json or a LibreChat export. The store is an embedded engine in DIRECTORY, by default
a temporary one. No model is called: the answers that the demo adds are made up.

Exit status: 0 done, 1 the store cannot be used, 2 FILE cannot be read or the arguments are wrong.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from convotree import (
    ConversationStore,
    ConversationTree,
    ConvotreeError,
    ExactJson,
    ImagePart,
    ImportProblem,
    ImportReport,
    InvalidFileError,
    Message,
    OpaquePart,
    ParsedExport,
    Part,
    ReasoningPart,
    RefusalPart,
    Rendered,
    Request,
    Revision,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    TreeRevision,
    interchange,
    open_store,
)

SAMPLE = Path(__file__).parent / "samples" / "conversations.json"
TARGETS: dict[str, tuple[str, dict[str, Any]]] = {
    "anthropic": ("claude-sonnet-4-5", {"max_tokens": 1024}),
    "openai-chat": ("gpt-5-mini", {"max_completion_tokens": 1024}),
}

# What is shown at most. Only the display is cut; the store and the requests hold everything.
MOST_CONVERSATIONS = 8
MOST_REVISIONS = 40
MOST_NOTES = 12
MOST_MESSAGES = 12
MOST_CHARACTERS = 72
MOST_IN_A_STRING = 160
MOST_IN_A_LINE = 900


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="demo", description="The main job of convotree on an export.")
    parser.add_argument(
        "file", nargs="?", type=Path, default=SAMPLE, metavar="FILE", help="default: a sample"
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIRECTORY", help="keep the database here; default: nowhere"
    )
    chosen = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):  # a terminal that knows no emoji gets an escape, not an error
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        export = interchange.load(chosen.file)
    except InvalidFileError as error:
        print(f"demo: {shown(str(error), 2000)}", file=sys.stderr)
        return 2
    with ExitStack() as cleanup:
        directory = chosen.data
        if directory is None:
            # The engine ends about two seconds after its last user: it may still hold a file when the demo is done.
            temporary = tempfile.TemporaryDirectory(prefix="convotree-demo-", ignore_cleanup_errors=True)
            directory = Path(cleanup.enter_context(temporary))
        try:
            asyncio.run(show(export, chosen.file, directory))
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever read the output has seen enough. What is still in the buffer must not fail once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except ConvotreeError as error:
            print(f"demo: {shown(str(error), 2000)}", file=sys.stderr)
            return 1
    return 0


async def show(export: ParsedExport, file: Path, directory: Path) -> None:
    print(f"{file}: {export.format} export with {count(len(export), 'conversation')}")
    async with open_store(f"embedded:{directory}") as store:
        report = await store.import_(export)
        show_report(report)
        stored = [one for one in report if one.failed is None]
        for one in stored[:MOST_CONVERSATIONS]:
            await show_tree(store, one.id)
        if len(stored) > MOST_CONVERSATIONS:
            print(f"\n({count(len(stored) - MOST_CONVERSATIONS, 'more conversation')} imported, not shown)")
        for one in stored:
            found = await find_turn(store, one.id)
            if found is not None:
                await change_and_replay(store, one.id, *found)
                return
    print("\nNo conversation has a question with an answer on its selected path: nothing to regenerate.")


def show_report(report: ImportReport) -> None:
    print("In the trees below * is the selected leaf, (2 of 3) the place among siblings; ids are cut.")
    heading("Import")
    for one in report.conversations[:MOST_CONVERSATIONS]:
        state = (
            f"{one.stored} stored, {one.present} present" if one.failed is None else f"FAILED: {one.failed}"
        )
        print(f"  {shown(one.id)}: {shown(state, 300)}")
    if len(report) > MOST_CONVERSATIONS:
        revisions = sum(one.stored + one.present for one in report)
        print(f"  … {count(len(report), 'conversation')} in all with {count(revisions, 'revision')}")
    problems = [*report.problems, *(problem for one in report for problem in one.problems)]
    print(f"  {count(len(problems), 'problem')} repaired, kept aside or left out" + (":" if problems else ""))
    show_some(problems, problem_line)


def problem_line(problem: ImportProblem) -> str:
    return f"{problem.place}: {problem.what}"


# --------------------------------------------------------------------------------------------------------------- trees


async def show_tree(store: ConversationStore, conversation_id: str) -> None:
    """Print a tree, a fork one step further in; a chain of any length stays at its margin."""
    conversation = await store.get(conversation_id)
    tree = await store.tree(conversation_id)
    heading(
        f"{conversation.title or '(no title)'}  [{len(tree)} revisions, {count(len(tree.roots), 'root')}]"
    )
    some = tree.revisions[:MOST_REVISIONS]
    messages = await read_messages(store, tree, some)
    margins: dict[str | None, int] = {None: 0}
    for one in some:
        siblings = tree.siblings(one.id)
        margins[one.id] = margin = margins[one.parent_id] + (len(siblings) > 1)
        mark = "*" if one.id == tree.selected_leaf_id else " "
        place = f"  ({siblings.index(one) + 1} of {len(siblings)})" if len(siblings) > 1 else ""
        print(
            f" {mark} {'   ' * margin}{short(one.id):<8} {one.role.value:<9} {words(messages[one.id])}{place}"
        )
    if len(tree) > len(some):
        print(f"   … {count(len(tree) - len(some), 'more revision')} not shown")


async def read_messages(
    store: ConversationStore, tree: ConversationTree, some: Sequence[TreeRevision]
) -> dict[str, Message]:
    """The messages of ``some``, among which are their parents, each read once: one read for each of their leaves."""
    messages: dict[str, Message] = {}
    parents = {one.parent_id for one in some}
    for leaf in (one for one in some if one.id not in parents):
        unread = [one for one in tree.path_to(leaf.id) if one.id not in messages]
        for revision in await store.path(tree.conversation_id, leaf_id=leaf.id, last=len(unread)):
            messages[revision.id] = revision.message
    return messages


def words(message: Message) -> str:
    return shown(" ".join(summary(part) for part in message.parts) or "(empty)")


def summary(part: Part) -> str:
    match part:
        case TextPart(text=text) | RefusalPart(text=text):
            return text
        case ReasoningPart(text=text):
            return f"[reasoning] {text}"
        case ToolCallPart(name=name, arguments=arguments):
            return f"[call] {name}({arguments.text})"
        case ToolResultPart(content=content):
            return f"[result] {' '.join(summary(inner) for inner in content)}"
        case OpaquePart(provider=provider, kind=kind):
            return f"[{provider}: {kind}]"
        case ImagePart():
            return "[image]"
        case _:
            return f"[{type(part).__name__}]"


# -------------------------------------------------------------------------------------------------- changes and replay


async def find_turn(store: ConversationStore, conversation_id: str) -> tuple[Revision, Revision] | None:
    """The last question on the selected path that has an answer, and the last answer to it."""
    answer: Revision | None = None
    for revision in reversed(await store.path(conversation_id, last=200)):
        if answer is None and revision.message.role is Role.ASSISTANT and not revision.message.tool_calls:
            answer = revision
        if answer is not None and revision.message.role is Role.USER:
            return revision, answer
    return None


async def change_and_replay(
    store: ConversationStore, conversation_id: str, question: Revision, answer: Revision
) -> None:
    before = await store.replay(conversation_id)
    selected = (await store.get(conversation_id)).selected_leaf_id
    for provider in TARGETS:
        show_request(f"The request before, for {provider}", before, provider)

    heading("Changes")
    ask = await store.replay(conversation_id, before=answer.id)
    print(
        f"  regenerate {short(answer.id)}: {count(len(ask.messages), 'message')} to send, all that led to it"
    )
    other = await store.regenerate(
        conversation_id, answer.id, Message.assistant("Another answer, made up by the demo.")
    )
    await show_place(store, other)

    edited = await store.edit(
        conversation_id,
        question.id,
        Message.user(f"{question.message.text} (Asked again, in other words.)".strip()),
    )
    print(f"  edit {short(question.id)}:")
    await show_place(store, edited)
    ask = await store.replay(conversation_id)
    print(f"  send it again: {count(len(ask.messages), 'message')}, the last of them the edited question")
    reply = await store.append(
        conversation_id, Message.assistant("An answer to the edited question, made up as well.")
    )
    await show_place(store, reply)
    await show_tree(store, conversation_id)

    after = await store.replay(conversation_id)
    for provider in TARGETS:
        show_request(f"The request after, for {provider}", after, provider)

    heading("Switching back")
    if selected is not None:
        header = await store.select(conversation_id, selected, descend=False)
        print(f"  selected leaf: {short(header.selected_leaf_id or '')}")
    again = await store.replay(conversation_id)
    for provider in TARGETS:
        same = render(again, provider).to_json() == render(before, provider).to_json()
        print(
            f"  the request for {provider} is {'the same as before, byte for byte' if same else 'NOT THE SAME'}"
        )
    violations = await store.verify(conversation_id)
    print(f"  verify: {count(len(violations), 'violation')}")


async def show_place(store: ConversationStore, revision: Revision) -> None:
    page = await store.siblings(revision.conversation_id, revision.id, limit=1)
    state = "selected" if revision.selected else "not selected"
    print(
        f"    -> {short(revision.id)} {revision.message.role.value}, {page.position} of {page.count}, {state}: "
        f"{words(revision.message)}"
    )


def render(request: Request, provider: str) -> Rendered:
    model, params = TARGETS[provider]
    return request.render(provider, model=model, params=params)


def show_request(title: str, request: Request, provider: str) -> None:
    heading(title)
    model, _ = TARGETS[provider]
    rendered = render(request, provider)
    body = ExactJson.parse(rendered.to_json()).value
    lines = [f"{line(key)}: {line(value)}" for key, value in body.items() if key != "messages"]
    messages = body["messages"]
    hidden = max(0, len(messages) - MOST_MESSAGES)
    print("\n".join(f"  {one}" for one in lines))
    print('  "messages": [')
    for number, message in enumerate(messages):
        if hidden and number == MOST_MESSAGES // 2:
            print(f"    … {count(hidden, 'more message')} not shown")
        if number < MOST_MESSAGES // 2 or number >= MOST_MESSAGES // 2 + hidden:
            print(f"    {line(message)}")
    print("  ]")
    print(f"  ({len(rendered.to_json())} bytes in all; long texts are cut here, not in the request)")
    print(
        f"  {count(len(rendered.notes), 'note')} on what was changed or left out"
        + (":" if rendered.notes else "")
    )
    show_some(rendered.notes, lambda note: f"{note.place} ({note.rule}): {note.reason}")
    # What is checked is what would be sent, by the provider's rules and by the request types of its official SDK.
    sent = Request.from_provider(provider, rendered.to_json())
    findings = sent.check(provider, model=model, sdk=True)
    print(
        f"  checked by {provider}'s rules and the types of its official SDK: {count(len(findings), 'finding')}"
    )
    show_some(findings, lambda one: f"{one.severity.value} at {one.place} ({one.rule}): {one.message}")


# -------------------------------------------------------------------------------------------------------------- display


def heading(text: str) -> None:
    print(f"\n== {shown(text, 100)}")


def show_some(things: Iterable[Any], text_of: Any) -> None:
    all_of_them = list(things)
    for one in all_of_them[:MOST_NOTES]:
        print(f"    - {shown(text_of(one), 400)}")
    if len(all_of_them) > MOST_NOTES:
        print(f"    … {len(all_of_them) - MOST_NOTES} more")


def count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def short(revision_id: str) -> str:
    """Enough of an id to tell it from others by eye."""
    return shown(revision_id if len(revision_id) <= 12 else revision_id[:8])


def shown(text: str, most: int = MOST_CHARACTERS) -> str:
    """``text`` on one line, what a terminal cannot show as an escape, cut with a mark."""
    cut = " ".join(text[: most * 4].split())
    plain = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in cut)
    return plain if len(plain) <= most and len(text) <= most * 4 else f"{plain[:most]}…"


def line(value: Any) -> str:
    """A value as JSON on one line, numbers as they are spelled, long strings and the line cut."""
    text = ExactJson.of(with_short_strings(value)).text
    plain = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return plain if len(plain) <= MOST_IN_A_LINE else f"{plain[:MOST_IN_A_LINE]}…"


def with_short_strings(value: Any) -> Any:
    if isinstance(value, str):
        return (
            value
            if len(value) <= MOST_IN_A_STRING
            else f"{value[:MOST_IN_A_STRING]}… ({len(value):,} characters)"
        )
    if isinstance(value, list):
        return [with_short_strings(one) for one in value]
    if isinstance(value, dict):
        return {key: with_short_strings(one) for key, one in value.items()}
    return value


if __name__ == "__main__":
    sys.exit(main())
