"""What a call used, in every provider's own words."""

from typing import Any

import pytest

from convotree.domain.exact_json import ExactJson
from convotree.replay.usage import Usage


@pytest.mark.parametrize(
    ("usage", "context", "prompt"),
    [
        (
            {
                "input_tokens": 10,
                "output_tokens": 5,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 7,
            },
            122,
            110,
        ),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, 15, 10),
        ({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "input_tokens_details": {}}, 15, 10),
        (
            {
                "promptTokenCount": 10,
                "candidatesTokenCount": 5,
                "thoughtsTokenCount": 30,
                "totalTokenCount": 45,
            },
            45,
            10,
        ),
        (
            {
                "inputTokens": 10,
                "outputTokens": 5,
                "cacheReadInputTokens": 3,
                "toolUseInputTokens": 2,
                "thinkingTokens": 9,
            },
            20,
            13,
        ),
        ({"input": 10, "output": 5, "cacheRead": 3, "cacheWrite": 1, "totalTokens": 0}, 19, 13),
        ({"input_tokens": -1, "output_tokens": True, "total_tokens": "9"}, 0, 0),
        ({}, 0, 0),
        (None, 0, 0),
    ],
)
def test_tokens_are_counted(usage: dict[str, Any] | None, context: int, prompt: int) -> None:
    found = Usage.of(None if usage is None else ExactJson.of(usage))
    assert (found.context, found.prompt) == (context, prompt)
    assert Usage.of(usage) == found


def test_a_counter_that_is_no_whole_number_is_none() -> None:
    assert Usage.of(ExactJson('{"total_tokens":1e2,"input_tokens":1.0,"output_tokens":3}')).context == 3
    assert Usage.of(ExactJson("[1]")) == Usage()
