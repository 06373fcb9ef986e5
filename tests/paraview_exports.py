"""pvpython tests/paraview_exports.py TEST_EXPORT DIRECTORY

Opens the .pvd that `test_export --write` wrote in ParaView: its times, and points, cells and arrays of the first and the last.
"""
import json
import os
import subprocess
import sys

import numpy as np
import paraview
from paraview import servermanager
from paraview.simple import PVDReader
from vtk import vtkCompositeDataSet
from vtk.util.numpy_support import vtk_to_numpy

program, directory = sys.argv[1:3]
subprocess.run([program, "--write", directory], check=True)
expected = json.load(open(os.path.join(directory, "expected.json")))
frames = expected["frames"]
failures = 0


def report(what, now, wanted):
    global failures
    now, wanted = np.asarray(now, dtype=float), np.asarray(wanted, dtype=float)
    wanted = wanted.reshape(now.shape) if now.size == wanted.size else wanted
    fine = now.shape == wanted.shape and np.abs(now - wanted).max() == 0
    failures += not fine
    print("%-6s %-44s %s, first %s" % ("ok" if fine else "FAILED", what, now.shape, np.ravel(now)[:3]))


def check_block(grid, body, label):
    volume = bool(body["nodes"])
    report(label + " points", vtk_to_numpy(grid.GetPoints().GetData()), body["nodes"] or body["vertices"])
    corners = [[grid.GetCell(i).GetPointId(k) for k in range(4 if volume else 3)] for i in range(grid.GetNumberOfCells())]
    report(label + " cells", corners, body["tets"] if volume else body["triangles"])
    data = grid.GetPointData()
    report(label + " velocity", vtk_to_numpy(data.GetArray("velocity")), body["node_velocities"] if volume else body["velocities"])
    if not volume:
        return
    moved = np.array(body["nodes"]) - np.array(body["rest_nodes"])
    report(label + " displacement", vtk_to_numpy(data.GetArray("displacement")), moved)
    report(label + " temperature", vtk_to_numpy(data.GetArray("temperature")), body["temperature"])
    report(label + " stress", vtk_to_numpy(grid.GetCellData().GetArray("stress")), body["stress"])
    report(label + " J", vtk_to_numpy(grid.GetCellData().GetArray("J")), body["J"])


print("ParaView", paraview.__version__)
reader = PVDReader(FileName=os.path.join(directory, "vtu", "animation.pvd"))
reader.UpdatePipelineInformation()
report("times", list(reader.TimestepValues), [f["time"] for f in frames])
for frame in [frames[0], frames[-1]]:
    reader.UpdatePipeline(frame["time"])
    blocks = servermanager.Fetch(reader)
    for i, body in enumerate(frame["bodies"]):
        grid, name = blocks.GetBlock(i), blocks.GetMetaData(i).Get(vtkCompositeDataSet.NAME())
        report("block %d is called %s" % (i, name), [name == body["name"]], [True])
        while grid.IsA("vtkMultiBlockDataSet") or grid.IsA("vtkMultiPieceDataSet"):
            grid = grid.GetBlock(0) if grid.IsA("vtkMultiBlockDataSet") else grid.GetPiece(0)
        check_block(grid, body, "%s, %.6f s," % (body["name"], frame["time"]))
print("%d failures" % failures)
sys.exit(failures > 0)
