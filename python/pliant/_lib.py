"""Finds and opens libpliant, and gives its functions the types of _declarations.py.

Looked for, in this order:

1. the file that the environment variable PLIANT_LIBRARY names;
2. beside this package, and in the lib directories of the prefix it is installed under;
3. in a source tree: build/ and build/*/, the one built last;
4. where the system looks for libraries.
"""
import ctypes
import ctypes.util
import os
import sysconfig
from pathlib import Path
from typing import Iterator

from . import _declarations as c

NAMES = ("libpliant.so.0", "libpliant.so")


def _places() -> Iterator[Path]:
    package = Path(__file__).resolve().parent
    yield package
    if package.parent.name not in ("dist-packages", "site-packages"):
        return
    prefix_lib = package.parents[2]  # of PREFIX/lib/python3/dist-packages/pliant
    yield from (prefix_lib, prefix_lib / (sysconfig.get_config_var("MULTIARCH") or ""), prefix_lib.parent / "lib64")


def _built() -> list:
    tree = Path(__file__).resolve().parents[2]
    if not (tree / "include" / "pliant" / "pliant.h").exists():
        return []
    found = [*tree.glob("build*/libpliant.so.0"), *tree.glob("build*/*/libpliant.so.0")]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def _candidates() -> Iterator[str]:
    """Files that are there, and at last the name that the system knows."""
    named = os.environ.get("PLIANT_LIBRARY")
    if named:
        yield named
        return
    for place in _places():
        yield from (str(place / name) for name in NAMES if (place / name).exists())
    yield from map(str, _built())
    yield ctypes.util.find_library("pliant") or NAMES[0]


def _open() -> ctypes.CDLL:
    failures = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as failure:
            failures.append(str(failure))
    raise ImportError("libpliant.so.0 was not found; build it (cmake -B build && cmake --build build) or name it in the "
                      "environment variable PLIANT_LIBRARY. Tried: " + "; ".join(failures))


def _declare(library: ctypes.CDLL) -> None:
    for name, (result, arguments) in c.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{library._name} has no {name}: it is of another version than this package") from None
        function.restype, function.argtypes = result, arguments


lib = _open()
_declare(lib)


def words(enum: str) -> tuple:
    """The enumerators as users write them: "neo_hookean" for PL_MATERIAL_NEO_HOOKEAN."""
    names = c.ENUMS[enum]
    prefix = os.path.commonprefix(names)
    return tuple(name[prefix.rfind("_") + 1:].lower() for name in names)
