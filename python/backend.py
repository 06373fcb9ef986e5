"""Makes the wheel of the package, in place of a build system that would have to be downloaded (PEP 517, PEP 427)."""
import base64
import hashlib
import os
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME, VERSION = "pliant", "0.1.0"
INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: Soft bodies that cannot be broken
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy
"""


def _tag(library):
    """Where the wheel may be used: anywhere, unless a library is in it."""
    return "py3-none-" + (sysconfig.get_platform().replace("-", "_").replace(".", "_") if library else "any")


def _contents(library):
    for path in sorted((HERE / NAME).iterdir()):
        if path.suffix in (".py", ".typed"):
            yield f"{NAME}/{path.name}", path.read_bytes()
    if library:
        yield f"{NAME}/libpliant.so.0", Path(library).read_bytes()
    yield f"{INFO}/METADATA", METADATA.encode()
    pure = "false" if library else "true"
    yield f"{INFO}/WHEEL", f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: {pure}\nTag: {_tag(library)}\n".encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = os.environ.get("PLIANT_LIBRARY")
    name, record = f"{NAME}-{VERSION}-{_tag(library)}.whl", []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in _contents(library):
            wheel.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")
        wheel.writestr(f"{INFO}/RECORD", "".join(record) + f"{INFO}/RECORD,,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("take the source tree instead")
