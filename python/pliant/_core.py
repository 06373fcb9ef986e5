"""Contexts, errors, borrowed arrays, and definitions filled from keywords: what the other modules stand on.

Everything made from a context keeps it alive, and every array that looks into the memory of a mesh or world keeps that
alive, so things go in the right order by themselves, when the last name for them goes.
"""
import ctypes
import logging
import operator
import os
import threading
import weakref
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

import numpy as np

from . import _declarations as c
from ._lib import lib, words

log = logging.getLogger("pliant")


# ---- errors ----------------------------------------------------------------------------------------------------------

class Error(Exception):
    """The library refused or failed. The text is its sentence: what was wrong, its value, and what is allowed.

    `status` is the name of the status in C, such as "PL_ERR_ARGUMENT"; `path` is that of the value which the sentence is about, as in
    "bodies.torus.material.young", or "".
    """
    status = ""
    path = ""


class ArgumentError(Error, ValueError):
    """An argument is outside its documented range."""
    status = "PL_ERR_ARGUMENT"


class OutOfMemory(Error, MemoryError):
    """There was not enough memory."""
    status = "PL_ERR_MEMORY"


class FileError(Error, OSError):
    """A file could not be read or written."""
    status = "PL_ERR_FILE"


class FormatError(Error, ValueError):
    """A file was read but what it says is wrong; the sentence starts with file:line:."""
    status = "PL_ERR_FORMAT"


class StateError(Error, RuntimeError):
    """The call does not fit the state of the thing: a body was removed, a saved state is of another scene."""
    status = "PL_ERR_STATE"


class NumericError(Error, ArithmeticError):
    """A value stopped being finite; the sentence says which."""
    status = "PL_ERR_NUMERIC"


_ERRORS = {kind.status: kind for kind in (ArgumentError, OutOfMemory, FileError, FormatError, StateError, NumericError)}


def error_of(status: int, sentence: str, path: str = "") -> Error:
    name = c.ENUMS["pl_status"][status] if 0 <= status < len(c.ENUMS["pl_status"]) else ""
    error = _ERRORS.get(name, Error)(sentence or name)
    error.status = name
    error.path = path
    return error


# ---- contexts --------------------------------------------------------------------------------------------------------

_LEVELS = {"note": logging.INFO, "warning": logging.WARNING}


class Owner:
    """Something that owns memory of the library: it can have many names, but no copies."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a pliant.{type(self).__name__} cannot be copied or pickled")


class Context(Owner):
    """Threads, and everything that shares them. Most programs never name one: the default context serves.

    A context does one thing at a time: calls from several Python threads wait for each other. To run worlds at once, give
    each thread a context of its own. Results do not depend on the number of threads.

    threads: how many the library uses, in [1, 256]; 0: one per processor.
    """

    def __init__(self, threads: int = 0):
        self._lock = threading.RLock()
        self._busy = False
        self._goners: List[Tuple[Callable, Any]] = []
        self._messages: List[Tuple[int, bytes]] = []
        self._pointer = ctypes.POINTER(c.pl_context)()
        messages = self._messages
        listener = dict(c.pl_context_def._fields_)["log"](lambda user, level, sentence: messages.append((level, sentence)))
        definition = lib.pl_context_def_default()
        fill(definition, {"thread_count": threads})
        definition.log = listener
        status = lib.pl_context_create(definition, self._pointer)
        if status:
            argument = c.ENUMS["pl_status"][status] == "PL_ERR_ARGUMENT"
            raise error_of(status, f"threads = {threads}: must be in [0, 256]" if argument else "not enough memory for a context")
        weakref.finalize(self, _destroy_context, self._pointer, listener)

    @property
    def threads(self) -> int:
        """Threads in use."""
        return lib.pl_context_thread_count(self._pointer)

    @property
    def memory(self) -> int:
        """Bytes in use by everything that was made from this context."""
        return self._ask(lib.pl_context_memory, self._pointer)

    @property
    def register_bytes(self) -> int:
        """Width of the processor's registers in use: 0 (plain), 16, 32 or 64 bytes."""
        return lib.pl_context_register_bytes(self._pointer)

    def _ask(self, function: Callable, *arguments: Any, fails: bool = False) -> Any:
        """Call a function of the library while nobody else of this context does; with `fails`, its result is a status."""
        with self._lock:
            if self._busy:
                raise StateError("the library is busy: a function that it calls cannot use the same context")
            try:
                self._busy = True
                result = function(*arguments)
                error = error_of(result, self._sentence(), self._path()) if fails and result else None
            finally:
                self._busy = False
            self._bury()
            messages, self._messages[:] = self._messages[:], []
        for level, sentence in messages:
            log.log(_LEVELS[words("pl_log_level")[level]], "%s", sentence.decode("utf-8", "replace"))
        if error:
            raise error
        return result

    def _do(self, function: Callable, *arguments: Any) -> None:
        """Call a function that returns a status, and raise what is not PL_OK."""
        self._ask(function, *arguments, fails=True)

    def _make(self, kind: Any, function: Callable, *arguments: Any) -> Any:
        """Call a function whose last argument receives a new thing."""
        pointer = ctypes.POINTER(kind)()
        self._do(function, *arguments, ctypes.byref(pointer))
        return pointer

    def _own(self, thing: Any, pointer: Any, destroy: Callable) -> Any:
        """Let `pointer` be destroyed when `thing` goes; until then the context stays."""
        weakref.finalize(thing, self._destroy, destroy, pointer)
        return pointer

    def _sentence(self) -> str:
        return lib.pl_context_error(self._pointer).decode("utf-8", "replace")

    def _path(self) -> str:
        return lib.pl_context_error_path(self._pointer).decode("utf-8", "replace")

    # Things may go at any moment, also while the library is at work.
    def _destroy(self, destroy: Callable, pointer: Any) -> None:
        with self._lock:
            self._goners.append((destroy, pointer))
            if not self._busy:
                self._bury()

    def _bury(self) -> None:
        while self._goners:
            destroy, pointer = self._goners.pop()
            destroy(pointer)


def _destroy_context(pointer: Any, listener: Any) -> None:
    lib.pl_context_destroy(pointer)


_default: List[Context] = []
_default_lock = threading.Lock()


def default_context() -> Context:
    """The context of everything that names none: one thread per processor."""
    with _default_lock:
        if not _default:
            _default.append(Context())
        return _default[0]


# ---- arrays ----------------------------------------------------------------------------------------------------------

class Borrowed:
    """Memory of the library as the base of numpy arrays, which keep its owner alive."""
    __slots__ = ("owner", "__array_interface__", "__weakref__")

    def __init__(self, owner: Any, address: int, dtype: np.dtype, shape: Tuple[int, ...]):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "typestr": dtype.str, "shape": shape}


def borrow(owner: Any, pointer: Any, shape: Tuple[int, ...]) -> Tuple[np.ndarray, Optional[Borrowed]]:
    """A read-only array over the memory at a pointer, without copying."""
    dtype = np.dtype(pointer._type_)
    if not pointer or 0 in shape:
        return np.empty(shape, dtype), None
    base = Borrowed(owner, ctypes.addressof(pointer.contents), dtype, shape)
    return np.asarray(base), base


def view(owner: Any, pointer: Any, *shape: int) -> np.ndarray:
    return borrow(owner, pointer, shape)[0]


def numbers(what: str, values: Any, kind: Any, shape: Tuple[Optional[int], ...]) -> np.ndarray:
    """Values as an array that the library can read; None in the shape stands for any length."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.reshape([length or 0 for length in shape])
    fits = array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape))
    if not fits:
        wanted = " x ".join("n" if length is None else str(length) for length in shape)
        raise ArgumentError(f"{what}: has the shape {' x '.join(map(str, array.shape)) or '1'}; must be {wanted}")
    whole = np.issubdtype(np.dtype(kind), np.integer)
    if array.size and (array.dtype.kind not in ("iu" if whole else "iufb")):
        raise ArgumentError(f"{what}: holds {array.dtype}; must hold {'whole numbers' if whole else 'numbers'}")
    if whole and array.size and (array.min() < -2**31 or array.max() >= 2**31):
        raise ArgumentError(f"{what}: holds {array.min()} to {array.max()}; must be in [-2^31, 2^31)")
    return np.ascontiguousarray(array, np.dtype(kind))


def pointer_to(array: Optional[np.ndarray]) -> Any:
    """For the library; the pointer keeps the array alive."""
    if array is None:
        return None
    return array.ctypes.data_as(ctypes.POINTER(np.ctypeslib.as_ctypes_type(array.dtype)))


def path_bytes(path: Any) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ArgumentError(f"{path!r}: a path cannot hold a zero byte")
    return encoded


def name_bytes(name: str) -> bytes:
    return path_bytes(str(name))


# ---- definitions -----------------------------------------------------------------------------------------------------

def index_of(what: str, enum: str, word: str) -> int:
    """The number of an enumerator by its word."""
    try:
        return words(enum).index(word)
    except ValueError:
        raise ArgumentError(f"{what} = {word!r}: must be one of {', '.join(words(enum))}") from None


def fill(definition: ctypes.Structure, values: Dict[str, Any], arrays: Optional[Dict[str, Any]] = None) -> ctypes.Structure:
    """Set fields of a definition by name; None keeps the default. `arrays` gives the shapes of those that are arrays."""
    types, arrays = dict(definition._fields_), arrays or {}
    kept = definition.__dict__.setdefault("kept", [])  # the arrays that it points to
    for name, value in values.items():
        if name == "cookie" or name not in types:
            allowed = ", ".join(field for field in types if field != "cookie")
            raise TypeError(f"there is no {name!r} here; there are {allowed}")
        if value is not None:
            value = _converted(definition, name, types[name], value, arrays)
            kept.append(value)
            setattr(definition, name, value)
    return definition


def _converted(definition: ctypes.Structure, name: str, kind: Any, value: Any, arrays: Dict[str, Any]) -> Any:
    if name in definition._enums_:
        return index_of(name, definition._enums_[name], value)
    if name in arrays:
        return pointer_to(numbers(name, value, kind._type_, arrays[name]))
    if issubclass(kind, ctypes.Array):
        return kind(*numbers(name, value, kind._type_, (kind._length_,)))
    if issubclass(kind, (ctypes.c_double, ctypes.c_float)):
        return float(value)
    if issubclass(kind, ctypes._SimpleCData):
        return _whole(name, kind, value)
    return value


def _whole(name: str, kind: Any, value: Any) -> int:
    number = operator.index(value)
    if kind(number).value != number:
        raise ArgumentError(f"{name} = {number}: is too large")
    return number


def fields_of(definition: ctypes.Structure, leave_out: Iterable[str] = ("cookie",)) -> Dict[str, Any]:
    """The fields of a definition as plain values."""
    result = {}
    for name, kind in definition._fields_:
        if name in leave_out:
            continue
        value = getattr(definition, name)
        if name in definition._enums_:
            value = words(definition._enums_[name])[value]
        elif isinstance(value, ctypes.Array):
            value = tuple(value)
        result[name] = value
    return result
