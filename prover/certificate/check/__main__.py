"""Run the checker: as `python -m`, as a folder, or as the packed file.

Started as a folder or a packed file, Python knows its modules by no package's name. It is given one here, so
that they can name one another in the same way wherever they are.
"""

import sys
from importlib import import_module
from types import ModuleType

if __name__ == "__main__":
    package = __package__ or "checker"
    if not __package__:
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [sys.path[0]]
    sys.exit(import_module(f"{package}.command").main(sys.argv[1:]))
