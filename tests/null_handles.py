#!/usr/bin/python3
"""tests/null_handles.py LIBRARY -- every function of the library is called with NULL for every pointer, each in a process of its own.

What is NULL where a handle or a result is due is refused: PL_ERR_ARGUMENT from functions with a status, nothing from the others. (That a
library without its context can say no more than that is in pliant/base.h.)
"""
import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "python"))
from pliant import _declarations as declarations  # noqa: E402

# their handles may be NULL, or they have none
FINE = {"pl_export_format_find", "pl_scene_set_keys"}


def call(library, name, result, arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, list(arguments)
    values = [None if issubclass(kind, (ctypes._Pointer, ctypes.c_char_p, ctypes.c_void_p, ctypes._CFuncPtr)) else kind() for kind in arguments]
    return function(*values)


def main():
    library = ctypes.CDLL(sys.argv[1])
    failures = []
    for name, (result, arguments) in declarations.FUNCTIONS.items():
        pointers = any(issubclass(kind, ctypes._Pointer) for kind in arguments)
        child = os.fork()
        if child == 0:
            value = call(library, name, result, arguments)
            refused = result is not declarations.status or not pointers or value != 0 or name in FINE
            os._exit(0 if refused else 1)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            failures.append(f"{name}: killed by signal {os.WTERMSIG(status)}")
        elif os.WEXITSTATUS(status):
            failures.append(f"{name}: was not refused")
    print("\n".join(failures))
    print(f"{len(declarations.FUNCTIONS) - len(failures)} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
