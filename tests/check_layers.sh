#!/bin/bash
# tests/check_layers.sh -- tools/check_layers finds each kind of break, and nothing in a sound tree.
set -uo pipefail
check=$(cd "$(dirname "$0")/.." && pwd)/tools/check_layers
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
passed=0 failed=0

# expect sound|broken WHAT FILE LINE: with that line in that file of an otherwise sound tree
expect()
{
    rm -rf "$tree/src" "$tree/app"
    mkdir -p "$tree/src/base" "$tree/src/mesh" "$tree/$(dirname "$3")"
    echo '#include "base/context.h"' >"$tree/src/mesh/mesh.c"
    echo '#include <pthread.h>' >"$tree/src/base/task_pool.c"
    echo "$4" >>"$tree/$3"
    local found=sound
    "$check" "$tree" >"$tree/log" 2>&1 || found=broken
    if [ "$found" = broken ] && ! grep -q "^$3:" "$tree/log"; then found="broken, in another place"; fi
    if [ "$found" = "$1" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $2 should be $1, is $found"; fi
}

expect sound  "a lower layer"            src/mesh/order.c       '#include "math/vec3.h"'
expect sound  "the own directory"        src/mesh/order.c       '#include "mesh.h"'
expect sound  "a public header"          src/base/context.c     '#include <pliant/world.h>'
expect sound  "wide values in a kernel"  src/math/svd3.kernel.c '#include "base/simd.h"'
expect sound  "wide values in a header"  src/math/svd3_w.h      '#include "base/simd.h"'
expect broken "a higher layer"           src/mesh/order.c       '#include "world/world.h"'
expect broken "a higher layer, indented" src/base/context.c     '  #  include "math/vec3.h"'
expect broken "a sibling"                src/contact/object.c   '#include "embed/embed.h"'
expect broken "another sibling"          src/fluid/grid.c       '#include "solid/body.h"'
expect broken "a way up"                 src/mesh/order.c       '#include "../base/hash.h"'
expect broken "an unknown directory"     src/misc/things.c      'int x;'
expect broken "pthreads"                 src/solid/body.c       '#include <pthread.h>'
expect sound  "threads of the live page" app/view/relay.c       '#include <pthread.h>'
expect broken "threads elsewhere in it"  app/view/show.c        '#include <pthread.h>'
expect broken "atomics"                  src/solid/body.c       'static _Atomic int counter;'
expect broken "OpenMP"                   src/solid/body.c       '#pragma omp parallel for'
expect broken "wide values in plain C"   src/math/svd3.c        '#include "base/simd.h"'
expect broken "wide values, indirectly"  src/math/svd3.c        '#include "math/mat3_w.h"'
expect sound  "a public header in app"   app/run.c              '#include <pliant/world.h>'
expect sound  "a lent header in app"     app/run.c              '#include "scene/source.h"'
expect sound  "a lent header, deeper"    app/render/png.c       '#include "io/write.h"'
expect sound  "a header of app's own"    app/plot/table.c       '#include "app/plot/svg.h"'
expect broken "a private header in app"  app/run.c              '#include "world/world.h"'
expect broken "the context in app"       app/render/png.c       '#include "base/context.h"'
expect broken "the context in brackets"  app/run.c              '#include <base/context.h>'
expect broken "the context, indirectly"  src/io/write.h         '#include "base/context.h"'
expect sound  "the context out of sight" src/io/scan.h          '#include "base/context.h"'
expect broken "a private one in a header" app/session.h         '#include "scene/build.h"'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
