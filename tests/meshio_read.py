#!/usr/bin/python3
# tests/meshio_read.py PRINT_MESH -- what meshio writes, in every format and variant we share, is read back as it was. Where
# the vtk module is installed too, the same for VTK's own writers.
#
# Exits with 77 (skipped) where meshio is not installed.
import contextlib, io, os, subprocess, sys, tempfile

try:
    import meshio
    import numpy as np
except ImportError:
    print("meshio is not installed")
    sys.exit(77)

PRINT_MESH = os.path.abspath(sys.argv[1])
rng = np.random.default_rng(1)
failures = []


def box(n):
    """A box of n^3 cubes, each cut into six tetrahedra, with its nodes shaken a little."""
    def node(i, j, k):
        return (i * (n + 1) + j) * (n + 1) + k
    grid = np.array([[i, j, k] for i in range(n + 1) for j in range(n + 1) for k in range(n + 1)], float)
    tets = []
    for i in range(n):
        for j in range(n):
            for k in range(n):
                for a, b in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)):
                    at, path = [i, j, k], [node(i, j, k)]
                    for axis in (a, b, 3 - a - b):
                        at[axis] += 1
                        path.append(node(*at))
                    tets.append(path)
    points = 0.1 * (grid + 0.1 * rng.random(grid.shape))
    tets = np.array(tets)
    flip = signed_volumes(points, tets) < 0
    tets[flip] = tets[flip][:, [0, 1, 3, 2]]
    return points, tets


def signed_volumes(points, tets):
    x = points[tets]
    return np.einsum("ij,ij->i", np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), x[:, 3] - x[:, 0]) / 6


def read(kind, path):
    done = subprocess.run([PRINT_MESH, kind, path], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr.strip())
    found = {"attributes": {}}
    for line in done.stdout.splitlines():
        words = line.split(" ")
        if words[0] == "attribute":
            found["attributes"][words[1]] = np.array([float(w) for w in words[2:] if w])
        elif words[0] == "regions":
            found["regions"] = words[1:]
        else:
            found[words[0]] = np.array([float(w) for w in words[1:]])
    return found


def same(what, a, b, tolerance):
    a, b = np.asarray(a, float).ravel(), np.asarray(b, float).ravel()
    if a.shape != b.shape:
        raise AssertionError(f"{what}: {a.size} numbers, not {b.size}")
    if a.size and np.abs(a - b).max() > tolerance:
        raise AssertionError(f"{what} differ by {np.abs(a - b).max()}")


def check(label, path, write, compare):
    try:
        # meshio tells its users about single precision and the like
        if os.path.exists(path):
            os.remove(path)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            write(path)
        compare(path)
        print("ok  ", label)
    except AssertionError as fault:
        failures.append(label)
        print("FAIL", label, "--", fault)


def check_mesh(label, name, mesh, tets, volume, regions, attributes, tolerance, **options):
    def compare(path):
        found = read("mesh", path)
        same("positions", found["positions"], mesh.points, tolerance)
        same("tetrahedra", found["cells"], tets, 0)
        if volume is not None:
            same("volume", found["volume"], volume, 100 * tolerance)
        if regions is not None and found["regions"] != [str(r) for r in regions]:
            raise AssertionError("regions differ")
        for key in attributes:
            same(key, found["attributes"].get(key, []), mesh.point_data[key], tolerance)
    check(label, name, lambda path: mesh.write(path, **options), compare)


def check_written(label, mesh, kind, expected):
    def compare(path):
        subprocess.run([PRINT_MESH, "back.msh", path], check=True)
        back = meshio.read("back.msh")
        same("positions", back.points, mesh.points, 1e-14)
        same(kind, back.cells_dict[kind], expected, 0)
    check(label, "w.vtu", lambda path: mesh.write(path), compare)


def check_shell(label, name, mesh, triangles):
    def compare(path):
        used, where = np.unique(triangles, return_inverse=True)
        found = read("mesh", path)
        same("positions", found["positions"], mesh.points[used], 1e-14)
        same("triangles", found["cells"], where, 0)
    check(label, name, lambda path: mesh.write(path), compare)


def check_surface(label, name, mesh, triangles, attributes, tolerance, by_position=False, **options):
    def compare(path):
        found = read("surface", path)
        cells = found["cells"].astype(int)
        if by_position:  # corners were merged: compare where they are
            same("corners", found["positions"].reshape(-1, 3)[cells], mesh.points[triangles.ravel()], tolerance)
            used = np.unique(triangles).size
            if found["positions"].size != 3 * used:
                raise AssertionError(f"{found['positions'].size // 3} nodes, not {used}")
            return
        same("positions", found["positions"], mesh.points, tolerance)
        same("triangles", cells, triangles, 0)
        for key in attributes:
            same(key, found["attributes"].get(key, []), mesh.point_data[key], tolerance)
    check(label, name, lambda path: mesh.write(path, **options), compare)


def with_vtk(writer, setup):
    """A function that writes `mixed` by one of VTK's writers."""
    import vtk
    from vtk.util.numpy_support import numpy_to_vtk

    def named(values, name):
        array = numpy_to_vtk(np.ascontiguousarray(values), deep=True)
        array.SetName(name)
        return array

    def write(path):
        grid, positions = vtk.vtkUnstructuredGrid(), vtk.vtkPoints()
        positions.SetData(named(mixed.points, "Points"))
        grid.SetPoints(positions)
        for kind, cells in ((vtk.VTK_TRIANGLE, triangles), (vtk.VTK_TETRA, tets)):
            for cell in cells:
                grid.InsertNextCell(kind, len(cell), [int(c) for c in cell])
        for key in data:
            grid.GetPointData().AddArray(named(data[key], key))
        grid.GetCellData().AddArray(named(np.concatenate((np.zeros(3, int), material)), "material"))
        w = getattr(vtk, writer)()
        w.SetFileName(path)
        w.SetInputData(grid)
        setup(w)
        w.Write()
    return write


def check_vtk(label, name, writer, setup, tolerance):
    def compare(path):
        found = read("mesh", path)
        same("positions", found["positions"], mixed.points, tolerance)
        same("tetrahedra", found["cells"], tets, 0)
        if found["regions"] != [str(r) for r in material]:
            raise AssertionError("regions differ")
        for key in data:
            same(key, found["attributes"].get(key, []), data[key], tolerance)
    check(label, name, with_vtk(writer, setup), compare)


def check_vtk_writers():
    def old(binary, version):
        def setup(w):
            w.SetFileTypeToBinary() if binary else w.SetFileTypeToASCII()
            if hasattr(w, "SetFileVersion"):
                w.SetFileVersion(version)
        return setup

    def xml(mode, packed, big, wide, encoded):
        def setup(w):
            getattr(w, "SetDataModeTo" + mode)()
            getattr(w, "SetCompressorTypeTo" + packed)()
            w.SetByteOrderToBigEndian() if big else w.SetByteOrderToLittleEndian()
            w.SetHeaderTypeToUInt64() if wide else w.SetHeaderTypeToUInt32()
            w.SetEncodeAppendedData(encoded)
        return setup

    for binary in (False, True):
        for version in (42, 51):
            check_vtk(f"VTK's own .vtk, binary {binary}, {version}", "v.vtk", "vtkUnstructuredGridWriter", old(binary, version), 0 if binary else 1e-5)
    for mode in ("Ascii", "Binary", "Appended"):
        for packed in ("None", "ZLib"):
            for big, wide, encoded in ((False, False, False), (True, True, False), (True, False, True), (False, True, True)):
                check_vtk(f"VTK's own .vtu, {mode}, {packed}, big-endian {big}, wide {wide}, base64 {encoded}", "v.vtu",
                          "vtkXMLUnstructuredGridWriter", xml(mode, packed, big, wide, encoded), 1e-5 if mode == "Ascii" else 0)


points, tets = box(3)
volume = signed_volumes(points, tets).sum()
material = np.arange(len(tets)) % 3 + 1
triangles = np.array([[0, 1, 5], [1, 2, 6], [5, 6, 9]])
data = {"heat": rng.random(len(points)), "velocity": rng.random((len(points), 3))}
mixed = meshio.Mesh(points, [("triangle", triangles), ("tetra", tets)], point_data=data, cell_data={"material": [np.zeros(3, int), material]})
corner = np.array([[i, j, k] for i in range(3) for j in range(3) for k in range(3)]) @ [1, 4, 16]
hexes = corner[:, None] + np.array([16, 17, 21, 20, 0, 1, 5, 4])  # positive
plain_tets = meshio.Mesh(points, [("tetra", tets)])
cells = meshio.Mesh(points, [("triangle", triangles), ("hexahedron", hexes)], point_data=data,
                    cell_data={"material": [np.zeros(3, int), np.arange(27) % 3 + 1]})

with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    single, double = 1e-7, 0
    for version in ("vtk42", "vtk51"):
        for binary in (False, True):
            check_mesh(f"{version}, binary {binary}", "a.vtk", mixed, tets, volume, material, data, 1e-14, file_format=version, binary=binary)
    for binary, packed in ((False, None), (True, None), (True, "zlib")):
        for header in ("UInt32", "UInt64"):
            # its text has 12 digits
            check_mesh(f"vtu, binary {binary}, packed {packed}, {header}", "a.vtu", mixed, tets, volume, material, data,
                       1e-14 if binary else 1e-11,
                       file_format="vtu", binary=binary, compression=packed, header_type=header)
    grid_regions = np.arange(27) % 3 + 1
    check_mesh("hexahedra, vtk", "h.vtk", cells, hexes, None, grid_regions, data, 1e-14)
    check_mesh("hexahedra, vtu", "h.vtu", cells, hexes, None, grid_regions, data, 1e-14)
    check_mesh("hexahedra, medit", "h.mesh", meshio.Mesh(points, [("hexahedron", hexes)], cell_data={"medit:ref": [grid_regions]}), hexes, None,
               grid_regions, {}, 1e-14)
    for file_format in ("gmsh22", "gmsh"):
        for binary in (False, True):
            check_mesh(f"hexahedra, {file_format}, binary {binary}", "h.msh", meshio.Mesh(points, [("hexahedron", hexes)]), hexes, None, None, {},
                       1e-14, file_format=file_format, binary=binary)
    check_written("hexahedra, written by us", cells, "hexahedron", hexes)
    check_written("tetrahedra, written by us", plain_tets, "tetra", tets)
    check_shell("triangles as a mesh, vtu", "t.vtu", meshio.Mesh(points[:16], [("triangle", triangles)]), triangles)
    medit = meshio.Mesh(points, [("triangle", triangles), ("tetra", tets)], cell_data={"medit:ref": [np.zeros(3, int), material]})
    check_mesh("medit", "a.mesh", medit, tets, volume, material, {}, 1e-14)
    plain = meshio.Mesh(points, [("tetra", tets)])
    for file_format in ("gmsh22", "gmsh"):
        for binary in (False, True):
            check_mesh(f"{file_format}, binary {binary}", "a.msh", plain, tets, volume, None, {}, 1e-14, file_format=file_format, binary=binary)

    used, where = np.unique(triangles, return_inverse=True)
    few = where.reshape(-1, 3)
    sheet = meshio.Mesh(points[used], [("triangle", few)], point_data={"quality": rng.random(len(used))})
    for binary in (False, True):
        check_surface(f"ply, binary {binary}", "a.ply", sheet, few, ["quality"], double if binary else 1e-15, binary=binary)
        check_surface(f"stl, binary {binary}", "a.stl", meshio.Mesh(points, [("triangle", triangles)]), triangles, [], single, True, binary=binary)
    check_surface("vtk surface", "s.vtk", sheet, few, ["quality"], 1e-14)
    check_surface("vtu surface", "s.vtu", sheet, few, ["quality"], 1e-14)
    try:
        check_vtk_writers()
    except ImportError:
        print("the vtk module is not installed")
    os.chdir("/")

print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
