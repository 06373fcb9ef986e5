#!/bin/bash
# tests/schema.sh PLIANT SOURCE -- what the tables print is what is checked in, and the schema knows right scenes from wrong ones.
#
# After a change of the tables:  pliant schema > scene.schema.json; pliant schema --reference > docs/scene-reference.md
set -euo pipefail
pliant=$1 source=$2
diff <("$pliant" schema) "$source/scene.schema.json"
diff <("$pliant" schema --reference) "$source/docs/scene-reference.md"
python=/usr/bin/python3
[ -x $python ] || exit 0
$python -c 'import jsonschema' 2>/dev/null || python=python3 # another one may have it
"$python" -W ignore - "$source" <<'PYTHON'
import glob, json, re, sys

source = sys.argv[1]
schema = json.load(open(source + "/scene.schema.json"))


def plain(text):
    """JSON without comments and trailing commas."""
    text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda m: m.group(1) or " ", text, flags=re.S)
    return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|,(\s*[\]}])', lambda m: m.group(1) or m.group(2), text))


try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed: the schema is JSON, and that is all that was seen")
    sys.exit(0)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
failed = False
corpus = source + "/tests/fuzz/corpus/scene/"
right = glob.glob(source + "/scenes/*.json") + [corpus + name for name in ("shapes.json", "materials.json", "kinds.json", "files.json", "rest.json")]
page = open(source + "/docs/scene-reference.md").read()
scenes = [(path, open(path).read()) for path in right] + [("the example of the reference", page.split("```jsonc\n")[1].split("```")[0])]
for name, text in scenes:
    for error in validator.iter_errors(plain(text)):
        print(f"{name}: {error.message}")
        failed = True

# what is wrong by the tables alone is wrong by the schema
cases = re.split(r"^### ", open(source + "/tests/malformed/scenes.txt").read(), flags=re.M)[1:]
seen = 0
for case in cases:
    name, text = case.split("\n", 1)
    by_tables = re.match(r"(type|color|range|name|keys)-", name) and not re.search(
        # what depends on another value, on a name or on a mesh
        r"of-the-model|tube|tiny|resolution-large|-normal|blob-radius|material|like|look-at|floor|taken|out-of-order|same-time|keys-range", name)
    if by_tables:
        seen += 1
        if validator.is_valid(plain(text)):
            print(f"{name}: the schema accepts it")
            failed = True
assert seen > 60, seen
sys.exit(failed)
PYTHON
