"""Providers by name."""

from collections.abc import Callable
from typing import Any

import pytest

from convotree.domain.message import Message
from convotree.errors import UnsupportedProviderError
from convotree.replay import Request

CALLS: list[Callable[[Any], Any]] = [
    lambda name: Request().render(name, model="m"),
    lambda name: Request().check(name, model="m"),
    lambda name: Request.from_provider(name, "{}"),
    lambda name: Message.from_provider(name, "{}"),
]


@pytest.mark.parametrize("name", ["openai_responses", "Gemini", "OpenAI", "", None, 7])
@pytest.mark.parametrize("ask", CALLS)
def test_an_unknown_one_is_an_error_that_lists_the_known(ask: Callable[[Any], Any], name: Any) -> None:
    with pytest.raises(UnsupportedProviderError) as caught:
        ask(name)
    assert caught.value.supported == ("anthropic", "gemini", "openai-chat", "openai-responses")
