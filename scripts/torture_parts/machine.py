"""Random operations from several clients against a plain model in memory: after each the store agrees with it."""

from __future__ import annotations

import contextlib
from random import Random

from convotree import ConversationStore, Role, Select
from scripts.torture_parts.trial import Trial, connected, drop, fresh_database
from tests.properties.test_tree_model import assert_same_paths, assert_same_tree
from tests.properties.tree_operations import Add, AddBeside, AddRoot, Operation, Play, Rename, Repeat, Wander

__all__ = ["run"]

CLIENTS = 3
"""Logical clients of each driver."""
LARGEST = 90
"""Revisions of one conversation; then another is begun."""
WHOLE_EVERY = 50
"""Steps between two looks at everything."""
_ROLES = (Role.USER, Role.ASSISTANT, Role.DEVELOPER)


async def run(trial: Trial) -> None:
    """Steps until the time is over."""
    database = fresh_database()
    async with contextlib.AsyncExitStack() as stack:
        stores = [
            await stack.enter_async_context(connected(trial.uri, driver, database))
            for driver in trial.drivers
            for _ in range(CLIENTS)
        ]
        await stores[0].setup()
        while trial.goes_on() and not trial.tally.faults:
            await _one_conversation(trial, stores)
    await drop(trial.uri, database)


async def _one_conversation(trial: Trial, stores: list[ConversationStore]) -> None:
    random = trial.random
    conversation = await stores[0].create()
    play = Play(stores[0], conversation.id)
    done: list[str] = []
    try:
        while trial.goes_on() and len(play.model.revisions) < LARGEST:
            operation = chosen(random)
            done.append(repr(operation))
            play.store = random.choice(stores)
            await operation.run(play)
            trial.tally.counts["steps"] += 1
            play.store = random.choice(stores)
            await _look(play, random)
            if trial.tally.counts["steps"] % WHOLE_EVERY == 0:
                await _look_at_all(play)
        await _look_at_all(play)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is a fault, and the steps to it are told
        steps = "; ".join(done[-12:])
        trial.tally.found(
            f"machine, seed {trial.seed}, step {trial.tally.counts['steps']}: {error!r} after {steps}"
        )


def chosen(random: Random) -> Operation:
    """The next operation."""

    def roles(most: int) -> list[Role]:
        return [random.choice(_ROLES) for _ in range(random.randint(1, most))]

    def at() -> int:
        return random.randrange(1000)

    select = random.choice(list(Select))
    match random.choices(range(6), weights=(8, 1, 6, 4, 3, 1))[0]:
        case 0:
            return Add(roles(3), random.choice((None, None, at())), select)
        case 1:
            return AddRoot(random.choice(_ROLES), select)
        case 2:
            return AddBeside(random.choice((Role.USER, Role.ASSISTANT)), at(), select)
        case 3:
            return Wander([(at(), random.random() < 0.8) for _ in range(random.randint(1, 3))])
        case 4:
            return Repeat(at())
        case _:
            return Rename(random.choice("abc"))


async def _look(play: Play, random: Random) -> None:
    """Nothing acknowledged is missing, the pointer is the model's, and one leaf replays."""
    tree = await play.store.tree(play.conversation_id)
    assert {one.id for one in tree} == set(play.model.revisions), "the revisions are not those of the model"
    assert tree.selected_leaf_id == play.model.selected, "the pointer is not where the model has it"
    leaves = play.model.leaves()
    if leaves:
        leaf = random.choice(leaves)
        request = await play.store.replay(play.conversation_id, leaf_id=leaf)
        wanted = play.model.path(leaf)
        assert list(request.revision_ids) == wanted, f"the path to {leaf} is another one"
        texts = [play.model.revisions[one].text for one in wanted]
        assert [one.text for one in request.messages] == texts, (
            f"the messages on the path to {leaf} are others"
        )


async def _look_at_all(play: Play) -> None:
    await assert_same_tree(play)
    await assert_same_paths(play)
    assert await play.store.verify(play.conversation_id) == [], "verify finds something"
