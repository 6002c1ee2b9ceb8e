"""What all writers of one rendering share: the policy, the notebook, and how something that has no form is said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from convotree.replay.notebook import Notebook, Place
from convotree.replay.own_rules import LOST_MEMBER, NO_FORM
from convotree.replay.policy import RenderPolicy, Unsupported

__all__ = ["Writing"]


@dataclass(slots=True)
class Writing:
    """The rendering that a writer works for."""

    policy: RenderPolicy
    notebook: Notebook
    _markers: list[Place] = field(default_factory=list)

    def no_form(self, place: Place, what: str, *, inside: str = "") -> None:
        """Leave something out, or refuse to, as the policy says."""
        self.leave_out(place, NO_FORM, f"Gemini takes no {what}", inside=inside)

    def leave_out(self, place: Place, rule: str, reason: str, *, inside: str = "") -> None:
        """Leave something out that ``rule`` forbids, or refuse to."""
        if self.policy.unsupported is Unsupported.REFUSE:
            self.notebook.refuse(place, rule, reason, inside=inside, by=Unsupported.REFUSE)
        self.notebook.add(place, rule, f"{reason}; it is left out", inside=inside)

    def lost(self, place: Place, reason: str, *, inside: str = "") -> None:
        """Note a detail that has no member here."""
        self.notebook.add(place, LOST_MEMBER, reason, inside=inside)

    def count_marker(self, part: Any, place: Place) -> None:
        """Remember a cache marker that is not sent."""
        if part.cache_marker is not None:
            self._markers.append(place)

    def note_markers(self) -> None:
        """Say once that cache markers are not sent: there is one reason, however many there are."""
        if self._markers:
            self.lost(
                min(self._markers), f"cache markers ({len(self._markers)}) are left out: there are none here"
            )
