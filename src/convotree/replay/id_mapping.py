"""Puts the target's ids into the turns: of calls that repeat an id, and of ids that do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from convotree.domain.parts import HostedCallPart, HostedResultPart, Part, ToolCallPart, ToolResultPart
from convotree.replay.notebook import Notebook, Place
from convotree.replay.origin import Origin
from convotree.replay.policy import RenderPolicy, ToolCallIds
from convotree.replay.target import Target
from convotree.replay.tool_call_ids import IdMap
from convotree.replay.turn import Turn

__all__ = ["with_fitting_ids"]

_HOLDERS = (ToolCallPart, ToolResultPart, HostedCallPart, HostedResultPart)


def with_fitting_ids(
    turns: list[Turn], repeats: Mapping[Place, int], target: Target, policy: RenderPolicy, notebook: Notebook
) -> list[Turn]:
    """``turns`` with every id of a tool call as the target takes it, the same in calls and results."""
    ids: set[str] = set()
    foreign: set[str] = set()
    for turn in turns:
        for part in turn.parts:
            if isinstance(part, _HOLDERS):
                ids.add(part.tool_call_id)
                if turn.origin is Origin.FOREIGN:
                    foreign.add(part.tool_call_id)
    id_map = IdMap(target, ids)
    odd = {one for one in ids if not id_map.fits(one)}
    if policy.tool_call_ids is ToolCallIds.MAP_FOREIGN:
        odd &= foreign
    if not odd and not repeats:
        return turns
    return [_mapped(turn, odd, id_map, repeats, target, notebook) for turn in turns]


def _mapped(
    turn: Turn,
    odd: set[str],
    id_map: IdMap,
    repeats: Mapping[Place, int],
    target: Target,
    notebook: Notebook,
) -> Turn:
    parts: list[Part] | None = None
    for number, part in enumerate(turn.parts):
        if not isinstance(part, _HOLDERS):
            continue
        place = turn.place(number)
        if place in repeats and isinstance(part, (ToolCallPart, ToolResultPart)):
            mapped = id_map.another_for(part.tool_call_id, repeats[place])
        elif part.tool_call_id in odd:
            mapped = id_map.id_for(part.tool_call_id)
            if isinstance(part, ToolCallPart):
                notebook.add(
                    place,
                    target.rules.tool_call_id,
                    f"the target does not take this id; {mapped!r} stands for it in call and result",
                    inside=".tool_call_id",
                )
        else:
            continue
        parts = list(turn.parts) if parts is None else parts
        parts[number] = replace(part, tool_call_id=mapped)
    if parts is None:
        return turn
    # Ids are no reason to lose what makes the turn a whole message, such as its bare string.
    return replace(turn, parts=parts)
