#!/bin/bash
# tests/install.sh BUILD COMPILER GENERATOR -- a host program finds the installed library by pkg-config and by find_package,
# also after the installation was moved, and links the archive also where the shared library lies beside it; so does the Python
# package find its library.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 compiler=$2 generator=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/moved"
for header in "$root"/include/pliant/*.h; do
    [ -e "$work/moved/include/pliant/${header##*/}" ] || { echo "${header##*/} is not installed"; exit 1; }
done

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name pliant.pc)")
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046
    "$compiler" $(pkg-config --cflags pliant) "$root/examples/hello.c" $(pkg-config --libs pliant) -o "$work/hello"
    "$work/hello" >"$work/first.txt"
    if ldd "$work/hello" | grep libpliant; then echo "pkg-config: the shared library was linked"; exit 1; fi
    echo "pkg-config: $(pkg-config --modversion pliant)"
fi

mkdir "$work/host"
cp "$root/examples/hello.c" "$work/host"
cat >"$work/host/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(host LANGUAGES C)
find_package(pliant 0.1 REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE pliant::pliant)
END
cmake -S "$work/host" -B "$work/host/build" -G "$generator" "-DCMAKE_PREFIX_PATH=$work/moved" "-DCMAKE_C_COMPILER=$compiler" >"$work/log"
cmake --build "$work/host/build" >"$work/log" || { cat "$work/log"; exit 1; }
"$work/host/build/hello" >"$work/second.txt"
echo "find_package: found"
[ ! -e "$work/first.txt" ] || cmp "$work/first.txt" "$work/second.txt"

package=$(find "$work/moved" -path '*/pliant/__init__.py')
if [ -n "$package" ] && /usr/bin/python3 -c "import numpy" 2>/dev/null; then
    found=$(cd / && env -u PLIANT_LIBRARY PYTHONPATH="${package%/pliant/__init__.py}" /usr/bin/python3 -B -c "
import pliant
assert pliant.Mesh.box().volume > 0.99
print(pliant._lib.lib._name)")
    case $found in "$work/moved"/*) echo "python: found" ;; *) echo "python: took $found"; exit 1 ;; esac
fi
