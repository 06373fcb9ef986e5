#!/usr/bin/python3
"""tests/run_hostile.py PLIANT [--slow] -- input that is hostile or unlucky: an error with a reason, never a crash, a hang or a NaN.

Special files, numbers at the edge of what numbers are, sizes that no machine holds, limits of memory and of files; and scenes and meshes
that were mutated at random: bits flipped, tokens exchanged, numbers replaced by extremes, files cut, links to other things. Each is checked,
and run for some frames if it is fine, with a cap of 2 GB and 30 s.
"""
import glob
import json
import random
import re
import resource
import signal

from runs import *

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BODY = '{"bodies": {"a": {%s}}, "frames": 1}'


def with_body(inside, name="scene.json"):
    write(name, BODY % inside)
    return name


def test_special_files():
    """A pipe that nobody writes to is given up, a device is not read, and a directory neither."""
    os.mkfifo("pipe.obj")
    os.symlink("/dev/zero", "zero.obj")
    os.symlink("/dev/zero", "zero.msh")
    os.mkdir("directory.obj")
    begin = time.time()
    pliant("check", with_body('"surface": "pipe.obj", "size": 0.1'), status=2, says="nothing came; is this a pipe that nobody writes to?")
    check(time.time() - begin < 20, "took", time.time() - begin)
    pliant("check", with_body('"surface": "zero.obj", "size": 0.1'), status=2, says="is a device, not a file")
    pliant("check", with_body('"mesh": "zero.msh"'), status=2, says="is a device, not a file")
    pliant("check", with_body('"surface": "directory.obj", "size": 0.1'), status=2, says="Is a directory")
    pliant("check", "/dev/zero", status=2, says="is a device, not a file")


def test_a_pipe_that_somebody_writes_to():
    os.mkfifo("pipe.obj")
    writer = subprocess.Popen(["sh", "-c", "sleep 1; cat %s > pipe.obj" % os.path.join(ROOT, "scenes", "models", "bunny.obj")])
    result = pliant("check", with_body('"surface": "pipe.obj", "height": 1, "resolution": 6'), status=None)
    writer.kill()
    writer.wait()
    check("its elements fill" in result.err, result)


def test_numbers_at_the_edge():
    """Denormal numbers have a place and a range."""
    for inside, says in (('"shape": {"sphere": 5e-324}', "bodies.a.shape.sphere: "), ('"shape": {"box": [1e-320, 1, 1]}', "bodies.a.shape.box: "),
                         ('"shape": {"box": [1, 1, 1]}, "size": 1e-320', "bodies.a.size: "),
                         ('"shape": {"box": [1, 1, 1]}, "material": {"like": "rubber", "young": 1e-320}', "young: ")):
        pliant("check", with_body(inside), status=2, says=["scene.json:1:", says, "must be in [1e-9, "])
    box = '"bodies": {"a": {"shape": {"box": [1, 1, 1]}, "size": 0.5}}'
    write("time.json", '{%s, "time_scale": 1e-320}' % box)
    pliant("check", "time.json", status=2, says=["time.json:1:", "time_scale: ", "must be in [1e-9, 1e6]"])
    write("step.json", '{%s, "solver": {"substep": 1e-320}}' % box)
    pliant("check", "step.json", status=2, says=["step.json:1:", "solver.substep: ", "must be 0, or in [1e-9, 1e6]"])


# Sanitizers reserve terabytes of addresses for themselves.
SANITIZED = "address" in PLIANT or "thread" in PLIANT


def limit_memory():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def test_sizes_that_no_machine_holds():
    """Refused before anything is made: within a second, and with little memory."""
    for inside in ('"shape": {"box": [1, 1, 1]}, "size": 0.0029', '"shape": {"box": [1, 1, 1]}, "elements": "hex", "size": 0.0029',
                   '"kind": "shell", "shape": {"sheet": [1, 1]}, "size": 0.0001', '"shape": {"torus": {"radius": 1, "tube": 0.3}}, "size": 0.0005',
                   '"shape": {"box": [1e6, 1e6, 1e6]}, "size": 1e-9'):
        begin = time.time()
        pliant("check", with_body(inside), status=2, says=["scene.json:1:", "bodies.a.size: "], preexec_fn=limit_memory)
        check(time.time() - begin < 5, inside, "took", time.time() - begin)


def test_a_limit_on_the_size_of_files():
    """RLIMIT_FSIZE is an error with a sentence, and no signal."""
    write_scene("scene.json", small_scene(frames=2))
    pliant("run", "scene.json", "--no-movie", status=1, says="File too large", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))


def test_drawing_with_little_memory():
    """However little there is, a picture is drawn or there is a sentence."""
    write_scene("scene.json", small_scene(frames=0))
    if "without pictures" in pliant("run", "scene.json").err:
        raise Skipped("no pictures in this build")
    if SANITIZED:
        raise Skipped("sanitizers need more memory than this test leaves")
    for megabytes in range(60, 320, 4 if SLOW else 20):
        limit = megabytes << 20
        result = pliant("render", "scene.run", "--frame", "0", "-o", "p.png", "-q", status=None, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        check(result.status in (0, 1, 2, 127), megabytes, "MB:", result)


# ---- mutations -----------------------------------------------------------------------------------------------------

EXTREMES = ["0", "-0", "-1", "1", "1e-320", "5e-324", "1e-300", "1e300", "1e308", "1e309", "-1e308", "2147483647", "2147483648", "-2147483649", "4294967296", "9e18", "1e-9",
            "1e9", "1e15", "0.5", "NaN", "Infinity", "null", "true", "\"\"", "[]", "{}", "[[[[]]]]", "0.49999", "-0.999"]


def mutate_text(text, random_):
    tokens = re.findall(r'"[^"\n]*"|-?[0-9][0-9.eE+-]*|[A-Za-z_]+|\s+|.', text, re.S)
    for _ in range(random_.randint(1, 3)):
        numbers = [i for i, t in enumerate(tokens) if t[0].isdigit() or (t[0] == "-" and len(t) > 1)]
        words = [i for i, t in enumerate(tokens) if not t.isspace()]
        if not words:
            break
        kind = random_.randrange(6)
        if kind <= 1 and numbers:
            tokens[random_.choice(numbers)] = random_.choice(EXTREMES)
        elif kind == 2:
            i, j = random_.choice(words), random_.choice(words)
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif kind == 3:
            del tokens[random_.choice(words)]
        elif kind == 4:
            i = random_.choice(words)
            tokens.insert(i, tokens[random_.choice(words)])
        elif numbers:
            i = random_.choice(numbers)
            try:
                tokens[i] = repr(float(tokens[i]) * 10 ** random_.choice((-12, -6, -3, -1, 1, 3, 6, 12)))
            except (ValueError, OverflowError):
                pass
    return "".join(tokens)


def mutate_bytes(data, random_):
    data = bytearray(data)
    for _ in range(random_.randint(1, 4)):
        if not data:
            break
        kind, at = random_.randrange(4), random_.randrange(len(data))
        if kind == 0:
            data[at] ^= 1 << random_.randrange(8)
        elif kind == 1:
            del data[at:at + random_.randint(1, 64)]
        elif kind == 2:
            data[at:at] = data[random_.randrange(len(data)):][:random_.randint(1, 64)]
        else:
            data[at:at + 4] = random_.choice((b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\xff\xff\xff\xff", b"9999999999", b"1e999", b"-1"))
    return bytes(data)


SMALL = [b'{"frames": 2, "floor": 0, "bodies": {"a": {"shape": {"box": [0.4, 0.3, 0.2]}, "size": 0.1, "at": [0, 0.4, 0], "material": {"like": "rubber", "yield_strain": 0.1, '
         b'"fracture_stress": 1e4}, "pins": [{"select": "s", "move": {"keys": [[0, [0, 0, 0]], [1, [0, 1, 0]]]}}], "select": {"s": {"box": [[0, 0, 0], [1, 0.1, 1]]}}}}}',
         b'{"frames": 2, "wind": [1, 0, 0], "bodies": {"c": {"kind": "shell", "shape": {"sheet": [0.5, 0.5]}, "size": 0.1, "at": [0, 0.3, 0], "material": "cotton", "thickness": 0.001},'
         b' "b": {"shape": {"sphere": 0.1}, "size": 0.06, "material": {"like": "foam", "model": "fung"}, "velocity": [0, 1, 0]}}, "objects": {"o": {"shape": {"torus": {"radius": 0.2, "tube": 0.05}}, '
         b'"spin": [0, 90, 0], "friction": 0.5}}, "solver": {"integrator": "implicit_euler"}}',
         b'{"frames": 2, "bodies": {"m": {"mesh": "m.msh", "material": "gelatin", "elements": "tet"}, "h": {"shape": {"cylinder": {"radius": 0.1, "height": 0.3}}, "elements": "hex", "size": 0.06, '
         b'"at": [1, 0, 0], "material": {"like": "clay", "creep": 2}, "strength": {"keys": [[0, 0], [1, 1]]}}}, "gravity": [0, -9.81, 0]}']
MESHES = {".msh": "mesh", ".vtk": "mesh", ".veg": "mesh", ".vtu": "mesh", ".mesh": "mesh", ".obj": "surface", ".ply": "surface", ".stl": "surface"}


def seeds_of_meshes():
    """Files of the fuzzers' corpora, by their extension."""
    found = []
    for extension in MESHES:
        folder = {".mesh": "medit", ".veg": "vega"}.get(extension, extension[1:])
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", "fuzz", "corpus", folder, "*"))):
            found.append((extension, path))
    return found


def limits():
    limit_memory()
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def has_nan(path):
    for line in open(path):
        numbers = json.loads(line)
        for key in ("kinetic", "gravity", "volume", "center"):
            values = numbers[key] if isinstance(numbers[key], list) else [numbers[key]]
            if any(value is None or value != value for value in values):
                return True
    return False


def trial(seed, meshes):
    random_ = random.Random(seed)
    if seed % 2:
        extension, path = random_.choice(meshes)
        with open(path, "rb") as file:
            data = file.read()
        with open("t" + extension, "wb") as file:
            file.write(mutate_bytes(data, random_) if random_.random() < 0.7 else mutate_text(data.decode("latin1"), random_).encode("latin1"))
        size = ', "height": 0.5, "resolution": 4' if MESHES[extension] == "surface" else ""
        write("t.json", '{"frames": 1, "bodies": {"a": {"%s": "t%s"%s, "material": "rubber"}}}' % (MESHES[extension], extension, size))
    else:
        text = random_.choice(SMALL).decode()
        text = mutate_text(text, random_) if random_.random() < 0.8 else mutate_bytes(text.encode(), random_).decode("latin1")
        with open("t.json", "w", encoding="latin1") as file:
            file.write(text)
    shutil.rmtree("t.run", ignore_errors=True)
    try:
        result = pliant("run", "t.json", "-n", 2, "-j", 1, "--no-movie", "--force", "-o", "t.run", status=None, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return "hangs"
    if result.status < 0:
        # many substeps are slow, not stuck: whatever takes longer than its time was at work, frame by frame
        return "" if -result.status in (signal.SIGXCPU, signal.SIGKILL) and "substeps" in result.err else "signal %d" % -result.status
    if "\\x" in result.err:
        return "bytes that are no text: " + result.err
    if result.status not in (0, 1, 2):
        return "status %d" % result.status
    return "NaN" if result.status == 0 and has_nan("t.run/metrics.jsonl") else ""


def test_mutations():
    with open("m.msh", "w") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n2\n1 4 0 1 2 3 4\n2 4 0 2 3 4 5\n$EndElements\n")
    meshes, bad = seeds_of_meshes(), []
    for seed in range(10000 if SLOW else 120):
        problem = trial(seed, meshes)
        if problem:
            bad.append("%d: %s" % (seed, problem))
    check(not bad, len(bad), "of them:", "; ".join(bad[:20]))


main(globals())
