"""A rendered body."""

from convotree.replay import Rendered


def test_the_exact_form_is_the_text_in_utf8() -> None:
    rendered = Rendered({"a": 1.1, "b": "é"}, (), '{"a":1.10,"b":"é"}')
    assert rendered.to_json() == b'{"a":1.10,"b":"\xc3\xa9"}'
