"""The form of the source: a test file for each module, small modules, packages that only re-export."""

import ast
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "src" / "convotree"
TESTS = REPOSITORY / "tests"
MOST_LINES = 400
# Each with its reason; one that is no longer long fails the suite.
LONG = {
    Path("errors.py"): "one tree of small classes, drawn at its top; whoever looks for an error looks here",
    Path(
        "store/store.py"
    ): "the public face: one-line methods under docstrings that say all a caller must know",
}

SOURCES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
MODULES = [path for path in SOURCES if path.name != "__init__.py"]
PACKAGES = [path for path in SOURCES if path.name == "__init__.py"]
UNTESTED: dict[str, str] = tomllib.loads(
    (Path(__file__).parent / "untested_modules.toml").read_text(encoding="utf-8")
)["modules"]


def own_test(module: Path) -> Path:
    """``store/select.py`` has ``tests/store/test_select.py``, ``__main__.py`` has ``test_main.py``."""
    return TESTS / module.parent / f"test_{module.stem.strip('_')}.py"


@pytest.mark.parametrize("module", [path for path in MODULES if str(path) not in UNTESTED], ids=str)
def test_a_module_has_a_test_file_of_its_own(module: Path) -> None:
    assert own_test(module).is_file(), f"write {own_test(module).relative_to(REPOSITORY)}"


def test_every_declared_exception_is_true() -> None:
    gone = [name for name in UNTESTED if Path(name) not in MODULES]
    tested = [name for name in UNTESTED if own_test(Path(name)).exists()]
    unexplained = [name for name, reason in UNTESTED.items() if not reason.strip()]

    assert (gone, tested, unexplained) == ([], [], [])


@pytest.mark.parametrize("module", SOURCES, ids=str)
def test_a_module_is_not_too_long(module: Path) -> None:
    lines = len((PACKAGE / module).read_text(encoding="utf-8").splitlines())

    assert (lines > MOST_LINES) == (module in LONG), "split it along a noun, or say in LONG why not"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_says_what_lives_in_it(module: Path) -> None:
    assert ast.get_docstring(ast.parse((PACKAGE / module).read_text(encoding="utf-8")))


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_a_package_only_re_exports(package: Path) -> None:
    assert code_in_package((PACKAGE / package).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text", ["def helper(): ...", "class Thing: ...", "limit = 3", "import os\nos.getcwd()"]
)
def test_code_in_a_package_is_seen(text: str) -> None:
    assert code_in_package(text) != []


def code_in_package(text: str) -> list[str]:
    """The statements of an ``__init__.py`` that are neither docstring, import nor ``__all__``."""
    found = []
    for node in ast.parse(text).body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case ast.Assign(targets=[ast.Name(id="__all__" | "__version__")]):
                pass
            case _:
                found.append(ast.unparse(node))
    return found


def test_no_module_is_a_dumping_ground() -> None:
    names = {part.removesuffix(".py") for path in SOURCES for part in path.parts}

    assert names.isdisjoint({"base", "common", "helpers", "misc", "types", "util", "utils"})
