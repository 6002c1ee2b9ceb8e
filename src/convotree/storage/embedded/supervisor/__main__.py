"""``python -I -S .../supervisor --directory …``: the folder is run by its path, not as ``-m convotree.…``.

By its dotted name, the interpreter would first import the whole library with its drivers into a process that
needs none of it.
"""

import importlib
import sys
from pathlib import Path

package = Path(__file__).resolve().parent
# The interpreter put this folder first. Its parent has to be there for the relative imports, and only until
# they are done: other files lie beside it.
sys.path[0] = str(package.parent)
run = importlib.import_module(f"{package.name}.run")
del sys.path[0]
sys.exit(run.main(sys.argv[1:]))
