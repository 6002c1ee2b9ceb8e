"""The migrations as a whole: numbered without gaps up to this release's schema, and independent of live code."""

import ast
import importlib
import pkgutil
from pathlib import Path

import convotree.storage.migrations as package
from convotree.domain.limits import SCHEMA_NUMBER
from convotree.storage.migrations.steps import MIGRATIONS


def test_they_are_numbered_without_gaps_up_to_the_schema_of_this_release() -> None:
    assert [step.number for step in MIGRATIONS] == list(range(1, SCHEMA_NUMBER + 1))
    assert all(step.purpose for step in MIGRATIONS)


def test_each_is_a_module_named_by_its_number() -> None:
    modules = [name for _, name, _ in pkgutil.iter_modules(package.__path__) if name.startswith("m")]

    assert [int(name[1:5]) for name in modules] == [step.number for step in MIGRATIONS]


def test_none_imports_live_code() -> None:
    for _, name, _ in pkgutil.iter_modules(package.__path__):
        if not name.startswith("m"):
            continue
        module = importlib.import_module(f"{package.__name__}.{name}")
        assert module.__file__ is not None
        source = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        imported = [
            alias.name for node in ast.walk(source) if isinstance(node, ast.Import) for alias in node.names
        ] + [str(node.module) for node in ast.walk(source) if isinstance(node, ast.ImportFrom)]
        assert [one for one in imported if one.startswith("convotree")] == [], name
