"""Finds the engine's console script. The engine is a program of its own: it is run, never imported."""

import importlib.metadata
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Final

from convotree.errors import EmbeddedEngineMissingError

__all__ = ["find_engine_command"]

_SCRIPT: Final = "secantusd-py"


def find_engine_command() -> tuple[str, ...]:
    """The command without its options; raises `EmbeddedEngineMissingError`.

    The engine of this interpreter's own environment wins over one on PATH. An environment without scripts
    (``pip install --target``) has the entry point still.
    """
    beside = [sysconfig.get_path("scripts")]
    if sys.executable:
        beside.insert(0, str(Path(sys.executable).parent))
    for folder in beside:
        if found := shutil.which(_SCRIPT, path=folder):
            return (str(Path(found).absolute()),)
    for entry in importlib.metadata.entry_points(group="console_scripts", name=_SCRIPT):
        start = f"import sys; from {entry.module} import {entry.attr} as main; sys.exit(main())"
        return (sys.executable, "-c", start)
    if found := shutil.which(_SCRIPT):
        return (str(Path(found).absolute()),)
    raise EmbeddedEngineMissingError
