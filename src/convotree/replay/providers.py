"""The providers that requests can be rendered for and ingested from, by name.

The package of each provider fills this table when it is imported, so that ``Request`` can have methods that lead
there while every provider's package makes requests. What it enters is a function that imports the rest when the
provider is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from convotree.domain.brief_repr import brief
from convotree.domain.exact_json import ExactJson
from convotree.errors import UnsupportedProviderError
from convotree.replay.continuation import HandleReader
from convotree.replay.finding import Finding
from convotree.replay.policy import RenderPolicy
from convotree.replay.rendered import Rendered

if TYPE_CHECKING:
    from convotree.replay.request import Request

__all__ = ["Provider", "find_provider", "known_providers", "register_provider"]


class _Render(Protocol):
    def __call__(
        self,
        request: Request,
        *,
        model: str,
        params: Mapping[str, Any] | ExactJson | None,
        policy: RenderPolicy,
    ) -> Rendered: ...


class _Check(Protocol):
    def __call__(self, request: Request, *, model: str, sdk: bool) -> tuple[Finding, ...]: ...


class _ReadRequest(Protocol):
    def __call__(self, body: object, *, model: str | None) -> Request: ...


@dataclass(frozen=True, slots=True)
class Provider:
    """What replay can do with one provider's API. ``read_handles``: None where nothing is kept there."""

    render: _Render
    check: _Check
    read_request: _ReadRequest
    read_handles: HandleReader | None = None


_PROVIDERS: dict[str, Callable[[], Provider]] = {}


def register_provider(name: str, load: Callable[[], Provider]) -> None:
    """Let requests be put under ``name`` to the provider that ``load`` gives."""
    _PROVIDERS[name] = load


def known_providers() -> frozenset[str]:
    """The names of all providers."""
    return frozenset(_PROVIDERS)


def find_provider(name: str) -> Provider:
    """The provider called ``name``.

    Raises:
        UnsupportedProviderError: if there is none; it lists those there are.
    """
    load = _PROVIDERS.get(name) if isinstance(name, str) else None
    if load is None:
        raise UnsupportedProviderError(
            provider=name if isinstance(name, str) else brief(name), supported=sorted(_PROVIDERS)
        )
    return load()
