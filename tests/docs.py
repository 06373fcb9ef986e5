#!/usr/bin/python3
"""tests/docs.py PLIANT SOURCE [--slow] -- every scene and command of the guides is run.

Blocks ```json NAME become files, ```sh blocks are run line by line where those files are, ```sh fails must exit with 2;
```python blocks of metrics.md are run too (those of python.md by python_package.py). Pictures are drawn small, by one thread, since other tests run beside
this one: the command that the guides call adds that. But for --slow, elements are twice as large and frames half as many.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

pliant, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
pages = ["README.md", "docs/getting-started.md", "docs/metrics.md", "docs/objects.md"]
slow = "--slow" in sys.argv
small = '--set "look.size=[96,54]" --set look.samples=1'


def blocks(page):
    with open(os.path.join(source, page), encoding="utf-8") as text:
        return re.findall(r"^```(\S+)(?: ([^\n]+))?\n(.*?)^```$", text.read(), re.M | re.S)


def brief(scene):
    """The scene with larger elements and fewer frames."""
    scene = re.sub(r'"size": *([0-9.]+)', lambda size: f'"size": {2 * float(size[1]):g}', scene)
    return re.sub(r'"(resolution|frames)": *([0-9]+)', lambda count: f'"{count[1]}": {int(count[2]) // 2}', scene)


def run(line, fails):
    if not slow:
        line = re.sub(r"--(frames?|branch) ([0-9]+)", lambda count: f"--{count[1]} {int(count[2]) // 2}", line)
    start = time.monotonic()
    done = subprocess.run(["bash", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    good = done.returncode == (2 if fails else 0)
    print(f"{'ok  ' if good else 'FAIL'} {time.monotonic() - start:5.1f} s  {line}")
    if not good or fails:
        print("    " + done.stdout.strip().replace("\n", "\n    "))
    return good


failed = 0
with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    with open("pliant", "w", encoding="utf-8") as wrapper:
        wrapper.write(f'#!/bin/bash\ncase $1 in\n    run|render) exec {pliant} "$@" -q -j 1 {small} ;;\n    *) exec {pliant} "$@" ;;\nesac\n')
    os.chmod("pliant", 0o755)
    os.environ["PATH"] = place + ":" + os.environ["PATH"]
    shutil.copy(os.path.join(source, "scenes/models/bunny.obj"), place)
    for page in pages:
        for kind, name, body in blocks(page):
            if kind == "json" and name:
                with open(name, "w", encoding="utf-8") as scene:
                    scene.write(body if slow else brief(body))
            elif kind == "sh":
                failed += sum(not run(line, name == "fails") for line in body.splitlines() if line.strip())
            elif kind == "python" and page == "docs/metrics.md":
                with open("block.py", "w", encoding="utf-8") as script:
                    script.write(body)
                failed += not run("/usr/bin/python3 block.py", False)
        if page == "README.md":
            shutil.rmtree("bunny.run")
            shutil.rmtree("sweep")
    for wanted in ["first.run/movie.webp", "sweep/sheet.png", "bar.run/movie.webp", "cloth.run/movie.webp", "bunny.run/movie.webp", "bunny.png", "speed.webp",
                   "compare.svg", "bunny.run/export/pc2/bunny.pc2", "bunny.run/export/vtu/animation.pvd", "gears.run/movie.webp"]:
        if not os.path.exists(wanted) or os.path.getsize(wanted) < 100:
            print("FAIL  there is no", wanted)
            failed += 1
sys.exit(failed > 0)
