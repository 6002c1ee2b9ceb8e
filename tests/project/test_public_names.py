"""The public surface: listed, sorted, importable, described, and written down where users look."""

import importlib.metadata
import importlib.resources
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import convotree

REPOSITORY = Path(__file__).resolve().parents[2]
NAMES = sorted(convotree.__all__)
DOCUMENTS = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]

# Design section 3: other programs use these names.
PROMISED = {
    "Conversation",
    "ConversationStore",
    "ConvotreeError",
    "Message",
    "Request",
    "Revision",
    "open_store",
}
PROMISED_METHODS = {
    "append",
    "create",
    "edit",
    "extend",
    "for_tenant",
    "get",
    "import_",
    "list",
    "path",
    "regenerate",
    "replay",
    "select",
    "setup",
    "siblings",
    "tree",
    "update",
    "verify",
}


def test_the_list_is_sorted_and_names_nothing_twice() -> None:
    # The linter's order: constants, then classes, then functions.
    expected = sorted(convotree.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name))

    assert list(convotree.__all__) == expected
    assert len(set(NAMES)) == len(NAMES)


def test_the_promised_names_are_public() -> None:
    assert set(NAMES) >= PROMISED


def test_the_store_has_the_promised_methods() -> None:
    public = {name for name in dir(convotree.ConversationStore) if not name.startswith("_")}

    assert public >= PROMISED_METHODS


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_exists_and_says_what_it_is(name: str) -> None:
    value = getattr(convotree, name)

    if inspect.isclass(value) or inspect.isroutine(value):
        assert inspect.getdoc(value), f"{name} has no docstring"


def test_nothing_is_public_by_accident() -> None:
    found = {
        name
        for name, value in vars(convotree).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }

    assert found - {"annotations"} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_documented(name: str) -> None:
    texts = [document.read_text(encoding="utf-8") for document in DOCUMENTS if document.exists()]

    assert any(name in text for text in texts), f"{name} is in no document"


def test_types_are_shipped() -> None:
    assert (importlib.resources.files("convotree") / "py.typed").is_file()


def test_the_version_is_the_installed_one() -> None:
    assert importlib.metadata.version("convotree") in (REPOSITORY / "pyproject.toml").read_text(
        encoding="utf-8"
    )
