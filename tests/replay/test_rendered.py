"""A rendered body."""

from convotree.replay import Note, Rendered

TEXT = '{"a":1.10,"b":"é","c":1e400}'
CHANGE = Note("messages[0]", "A1", "it is so")


def test_the_exact_form_is_the_text_in_utf8() -> None:
    assert Rendered(TEXT, ()).to_json() == TEXT.encode()


def test_plain_values_are_made_once_and_say_what_they_cannot_carry() -> None:
    rendered = Rendered(TEXT, (CHANGE,))
    assert rendered.body["a"] == 1.1
    assert rendered.body is rendered.body
    assert [(note.place, note.rule) for note in rendered.notes] == [("messages[0]", "A1"), ("body.c", "X1")]


def test_equal_texts_and_changes_are_equal() -> None:
    assert Rendered(TEXT, ()) == Rendered(TEXT, ())
    assert hash(Rendered(TEXT, ())) == hash(Rendered(TEXT, ()))
    assert Rendered(TEXT, ()) != Rendered(TEXT, (CHANGE,))
    assert Rendered(TEXT, ()) != Rendered("{}", ())
    assert Rendered(TEXT, ()) != TEXT


def test_its_repr_is_short() -> None:
    assert len(repr(Rendered('{"a":"' + "x" * 1_000_000 + '"}', (CHANGE,)))) < 100
