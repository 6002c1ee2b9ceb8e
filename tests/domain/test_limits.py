"""The limits fit each other and what the server can hold."""

from convotree.domain import limits

BSON_DOCUMENT = 16 * 1024 * 1024  # the server's limit


def test_every_limit_is_a_positive_whole_number() -> None:
    values = [getattr(limits, name) for name in limits.__all__]

    assert all(type(value) is int and value > 0 for value in values)


def test_a_message_and_its_coordinates_fit_one_document() -> None:
    assert limits.MAX_PART_BYTES == 15 * 1024 * 1024
    assert BSON_DOCUMENT - limits.MAX_PART_BYTES >= 1024 * 1024


def test_a_prompt_and_a_tool_set_fit_one_row_together() -> None:
    assert 2 * limits.MAX_PROMPT_BYTES < BSON_DOCUMENT


def test_a_header_stays_small() -> None:
    assert limits.MAX_METADATA_BYTES + limits.MAX_TITLE_BYTES < BSON_DOCUMENT // 8
