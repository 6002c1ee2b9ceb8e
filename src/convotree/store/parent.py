"""How a caller names the parent of a new revision."""

from __future__ import annotations

from typing import Final, final

__all__ = ["SELECTED_LEAF", "ParentId", "SelectedLeaf"]


@final
class SelectedLeaf:
    """The type of ``SELECTED_LEAF``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "SELECTED_LEAF"


SELECTED_LEAF: Final = SelectedLeaf()
"""The default parent: the selected leaf at the moment of the call, or none in an empty conversation."""

ParentId = str | None | SelectedLeaf
"""A revision's id, None for a new root, or ``SELECTED_LEAF``."""
