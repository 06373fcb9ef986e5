#!/bin/bash
# tests/readme_hello.sh SOURCE -- the program that the README shows is the example that is built and run.
set -euo pipefail
diff <(sed -n '/^```c$/,/^```$/p' "$1/README.md" | sed '1d;$d') <(sed -n '/^#include/,$p' "$1/examples/hello.c")
