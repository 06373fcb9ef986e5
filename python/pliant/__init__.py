"""Pliant: soft bodies that cannot be broken.

    import pliant

    scene = pliant.load("scenes/torus_puddle.json", {"bodies.torus.size": 0.1})
    world = scene.world()
    for frame in range(scene.frames):
        info = world.step()                        # one frame; info.kinetic, info.contacts, ...
    x = world.bodies["torus"].positions            # n x 3, the engine's own memory

Or built by calls:

    scene = pliant.Scene()
    scene.material("jelly", young=2e4, poisson=0.45)
    scene.body("block", pliant.Mesh.box((1, 0.5, 0.5), edge=0.1), "jelly", at=(0, 1, 0))
    scene.floor(0)
    world = scene.world()

Mesh, Surface                    tetrahedra and triangles: shapes, files, arrays, closed surfaces filled
Material                         an elastic law; evaluate(F) gives energy and stress
Scene, load, parse               what will be simulated
World, Body, Object, Info        a scene in motion
Event, Contact, ContactPoint     who touches whom: World.events, contacts, contact_points
capture, export                  animations for ParaView, Blender, Houdini, ...
read_metrics, metrics_of, plot   figures over time
Context                          threads; most programs need not name one
Error                            what goes wrong, with the library's sentence; subclasses by kind

Units are SI, angles degrees, y is up, indices start at zero. Arrays that say "without copying" look into the memory of the
library: they change with every step and are read-only. The library's notes and warnings go to the logger "pliant".
"""
from ._core import (ArgumentError, Context, Error, FileError, FormatError, NumericError, OutOfMemory, StateError, default_context)
from ._export import Frame, FrameBody, capture, export
from ._material import Material
from ._mesh import Mesh, Surface
from ._metrics import metrics_of, plot, read_metrics
from ._scene import Scene, load, parse
from ._world import Bodies, Body, BodySurface, Contact, ContactPoint, Drawable, Event, Info, LiquidCells, LiquidForce, Object, Objects, ParameterError, World, field_names

__version__ = "0.1.0"
__all__ = ["ArgumentError", "Bodies", "Body", "BodySurface", "Contact", "ContactPoint", "Context", "Drawable", "Error", "Event", "FileError", "FormatError", "Frame",
           "FrameBody", "Info", "LiquidCells", "LiquidForce", "Material", "Mesh", "NumericError", "Object", "Objects", "OutOfMemory", "ParameterError", "Scene", "StateError",
           "Surface", "World", "capture", "default_context", "export", "field_names", "load", "metrics_of", "parse", "plot",
           "read_metrics"]
for _name in __all__:  # so that messages and help say pliant.World, not pliant._world.World
    globals()[_name].__module__ = __name__
del _name
