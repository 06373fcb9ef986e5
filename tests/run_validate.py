#!/usr/bin/python3
"""tests/run_validate.py PLIANT [--slow] -- pliant validate: table, lines of JSON, mistakes; with --slow all cases."""
from runs import *


def lines(said):
    return [json.loads(line) for line in said.out.splitlines()]


def judge(said):
    figures = lines(said)
    for f in figures:
        off = f["ours"] / f["published"] - 1 if f["relative"] else f["ours"] - f["published"]
        check(f["note"].startswith("mean of") or abs(off - f["deviation"]) < 1e-9, "the deviation of", f)
        check(f["passed"] == (abs(f["deviation"]) <= f["tolerance"]), "passed:", f)
        check(f["source"] and f["cells"] > 0 and f["cells_of"], "an incomplete line", f)
    failed = [f for f in figures if not f["passed"]]
    check(not failed, "not within tolerance:", "\n".join(map(str, failed)))
    return figures


def test_quick():
    figures = judge(pliant("validate", "--quick", "--json"))
    check({f["case"] for f in figures} >= {"rest", "slosh-0.1", "dam", "solitary-0.2"}, "cases:", figures)
    check(len(figures) == len({(f["case"], f["figure"]) for f in figures}), "a figure twice")


def test_table():
    said = pliant("validate", "--quick", "--only", "slosh-0.5")
    head, row = said.out.splitlines()
    for word in ("case", "figure", "cells", "ours", "published", "deviation", "tolerance"):
        check(word in head, word, "is not in", head)
    for word in ("slosh-0.5", "period", "32/basin", "1.182", "2 %", "pass"):
        check(word in row, word, "is not in", row)
    check("all within their tolerance" in said.err, said)
    same = [pliant("validate", "--quick", "--only", "slosh-0.5", "--json", "-j", threads).out for threads in (1, 3)]
    check(same[0] == same[1], "threads change", same)


def test_mistakes():
    for words, says in [(["--only", "slush-0.1"], "did you mean \"slosh-0.1\"?"), (["--only", "xyz"], "they are rest"), (["--quick", "--fine"], "exclude"),
                        (["--quick", "--only", "vortex"], "no quick form"), (["dam"], "\"dam\" is one too many")]:
        pliant("validate", *words, status=2, says=says)


def test_all():
    if not SLOW:
        raise Skipped("all cases")
    for case in pliant("validate", "--only", "?", status=2).err.split("they are ")[1].split():
        judge(pliant("validate", "--only", case, "--json"))


if __name__ == "__main__":
    main(dict(globals()))
