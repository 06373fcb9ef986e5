#!/usr/bin/python3
"""tests/step_lists.py ROOT [--write] -- the numbered lists of a step are the same in comments, code and docs/architecture.md.

A list stands in the comment at the top of a file; every number of it occurs in the code of that file as a comment, and
those behind statements never go back within a function; the page has the list as a code block. --write puts the lists into the page.
"""
import os
import re
import sys

LISTS = ("src/world/step.c", "src/solid/semi_implicit.c", "src/solid/implicit_euler.c", "src/fluid/step.c")
ROOT = sys.argv[1]
PAGE = os.path.join(ROOT, "docs/architecture.md")


def parts(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        head, _, code = file.read().partition("#include")
    return head, code


def list_of(head):
    """The lines of the list without their margin."""
    lines = [line[2:] for line in head.splitlines() if re.match(r"// {4,}\d+  \w", line)]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return [line[margin:].rstrip() for line in lines]


def numbers_in(code):
    found = set()
    for comment in re.findall(r"//([ \d,to]*\d[ \d,to]*)(?:[:.;,]|$| )", code, re.M):
        ends = [int(n) for n in re.findall(r"\d+", comment)]
        found.update(range(ends[0], ends[-1] + 1) if "to" in comment else ends)
    return found


def out_of_order(code):
    """The first number behind a statement of a function that is less than one before it; None if there is none."""
    for function in re.split(r"^}", code, flags=re.M):
        last = 0
        for comment in re.findall(r"[;)] +// (\d+)", function):
            if int(comment) < last:
                return int(comment)
            last = int(comment)
    return None


def main():
    failed = 0
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    for path in LISTS:
        head, code = parts(path)
        wanted = list_of(head)
        numbers = [int(line.split()[0]) for line in wanted]
        if numbers != list(range(1, len(numbers) + 1)):
            failed += 1
            print("%s: the list does not count from 1: %s" % (path, numbers))
        missing = sorted(set(numbers) - numbers_in(code))
        if missing:
            failed += 1
            print("%s: the code does not say where it does %s" % (path, missing))
        if out_of_order(code):
            failed += 1
            print("%s: %d comes after a later number" % (path, out_of_order(code)))
        block = re.search(r"`%s`[^\n]*:\n\n```\n(.*?)```" % re.escape(path), page, re.S)
        lines = [line for line in block[1].splitlines() if re.match(r" *\d+  \w", line)] if block else []
        if [line.strip() for line in lines] != [line.strip() for line in wanted]:
            failed += 1
            print("docs/architecture.md: the list of %s is not that of the file; tests/step_lists.py . --write copies it" % path)
            if "--write" in sys.argv and block and len(lines) == len(wanted):
                text = block[1]
                for old, new in zip(lines, wanted):
                    text = text.replace(old, new, 1)
                page = page.replace(block[1], text, 1)
    if "--write" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
    print("%d lists, %d failed" % (len(LISTS), failed))
    sys.exit(failed > 0)


main()
