"""Base64 in either alphabet."""

import pytest

from convotree.replay.gemini.base64_text import is_base64


@pytest.mark.parametrize("text", ["", "QQ==", "QQ", "AQID+/8=", "AQID-_8=", "AQID-_8", "QUFB"])
def test_taken(text: str) -> None:
    assert is_base64(text)


@pytest.mark.parametrize("text", ["Q", "QQQQQ", "Q Q=", "not base64!", "QQ===", "é", "Q=Q=", "QQ==\n"])
def test_refused(text: str) -> None:
    assert not is_base64(text)
