#!/bin/bash
# tests/malformed.sh PLIANT [--write] -- scenes that must be refused, each with one sentence that says where and what is allowed.
#
# Every scene of tests/malformed/scenes.txt, and some that are no text, is given to `pliant check` and `pliant run`: both must
# end with status 2, print the line of tests/malformed/expected.txt and nothing else, and write nothing. With --write the
# lines are written there instead, to be read and reviewed.
set -euo pipefail
here=$(cd "$(dirname "$0")/malformed" && pwd)
pliant=$(realpath "$1")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

# ---- what scenes refer to ----
cube_vertices='v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n'
cube_faces='f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n'
printf "${cube_vertices}g top\n${cube_faces}g side\nf 4 1 5 8\n" >cube.obj
printf "$cube_vertices$cube_faces" >open.obj
printf "${cube_vertices}f 2 3 4 1\nf 8 7 6 5\nf 1 2 6 5\nf 3 4 8 7\nf 4 1 5 8\nf 6 7 3 2\n" >turned.obj
printf "${cube_vertices}v 0 0.5 0.5\n${cube_faces}f 5 9 1\nf 8 9 5\nf 4 9 8\n" >holed.obj
printf "${cube_vertices}f 2 3 4 1\nf 8 7 6 5\nf 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\n" >inside_out.obj
printf "${cube_vertices}${cube_faces}f 4 1 5 8\nf 1 4 3\nf 3 4 1\n" >crowded.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\nf 1 3 2\n' >flat.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n' >index.obj
: >empty.obj
: >empty.msh
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >walk_1.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n' >walk_2.obj
head -c 4096 <(yes $'\x01\x80\xfe garbage \xff\x00') >garbage.bin
cp garbage.bin garbage.obj
cp garbage.bin garbage.msh
tet()
{
    printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 %s\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n' "$1"
}
tet 1 >tet.msh
tet 0 >flat.msh
{
    printf 'ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty float stiffness\n'
    printf 'element face 4\nproperty list uchar int vertex_indices\nend_header\n'
    printf '0 0 0 0\n1 0 0 0.5\n0 1 0 0.5\n0 0 1 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n'
} >painted.ply
{
    printf 'POINTCACHE2\0\1\0\0\0\4\0\0\0\0\0\0\0\0\0\200\77\1\0\0\0'
    head -c 48 /dev/zero
} >four.pc2

# ---- the scenes ----
awk '/^### / { name = $2; $1 = $2 = ""; sub(/^ +/, ""); printf "" > (name ".json"); print name "\t" $0; next } name { print > (name ".json") }' \
    "$here/scenes.txt" >list
binary() { cat >"$1.json"; printf '%s\t\n' "$1" >>list; }
head -c 5000 garbage.bin | binary bytes-garbage
head -c 10485760 <(yes '[' | tr -d '\n') | binary bytes-deep-lists
head -c 1000000 <(yes '{"a":' | tr -d '\n') | binary bytes-deep-objects
printf '{ "frames": 1 }\0' | binary bytes-zero
printf '{ "bodies": { "caf\xe9": {} } }' | binary bytes-latin1
printf '\xff\xfe{\0 \0}\0' | binary bytes-utf16
printf '\xef\xbb\xbf{ "frame": 1 }' | binary bytes-mark
printf '{\r\n  "fps": 24,\r\n  "frame": 1\r\n}\r\n' | binary bytes-crlf
printf '{ "$schema": "\xc3\xbc\xf0\x9f\x90\xb0", "frame": 1 }' | binary bytes-columns-are-characters
{ echo '{ "materials": {'; for i in $(seq 10001); do echo "\"m$i\": \"rubber\","; done; echo '} }'; } | binary many-keys

{ echo '{ "bodies": { "a": { "pins": ['; head -n 10001 <(yes '"x",'); echo '] } } }'; } | binary many-pins
{ echo '{ "bodies": { "a": { "shape": { "blobs": ['; head -n 1001 <(yes '[0, 0, 0, 1],'); echo '] } } } }'; } | binary many-parts

# ---- both commands ----
failed=0
wrong() { echo "$name: $1" >&2; failed=1; }
while IFS=$'\t' read -r name options; do
    read -ra given <<<"$options"
    status=0
    timeout 60 "$pliant" check "$name.json" "${given[@]}" >out 2>check.txt || status=$?
    [ $status = 2 ] || wrong "check ended with status $status, not 2"
    [ ! -s out ] || wrong "check printed to standard output"
    status=0
    timeout 60 "$pliant" run "$name.json" "${given[@]}" --no-movie -o "$room/made" >out 2>run.txt || status=$?
    [ $status = 2 ] || wrong "run ended with status $status, not 2"
    [ ! -e made ] || { wrong "run left something behind"; rm -rf made; }
    sed -i '/^note: /d' check.txt # counts of selections
    cmp -s check.txt run.txt || wrong "check and run do not say the same: $(cat check.txt run.txt)"
    [ "$(wc -l <check.txt)" = 1 ] || wrong "not one line but $(wc -l <check.txt)"
    printf '%s| %s\n' "$name" "$(cat check.txt)" >>said
done <list
[ "$(wc -l <list)" -ge 110 ] || { echo "only $(wc -l <list) scenes" >&2; failed=1; }

if [ "${2:-}" = --write ]; then
    cp said "$here/expected.txt"
else
    diff "$here/expected.txt" said || failed=1
fi
exit $failed
