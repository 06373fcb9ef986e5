"""A torus of rubber bounces; half-way it turns ten times as stiff. Cells (# %%) as in Spyder, VS Code and Jupyter.

Leaves bouncing_torus.svg, with the energies over time, and bouncing_torus.png where the `pliant` command is found.
"""
# %% a scene, with other values than its file has
import os
import pathlib
import shutil
import subprocess

import numpy as np

try:
    import pliant
except ImportError:  # run from the source tree
    import sys
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    import pliant

path = pathlib.Path(__file__).resolve().parents[2] / "scenes" / "torus_puddle.json"
changes = {"frames": 48, "bodies.torus.size": 0.12, "bodies.torus.at": [0, 1, 0], "bodies.torus.strength": 1}
scene = pliant.load(path, changes)
world = scene.world()
print(scene, world.bodies["torus"], sep="\n")

# %% one second; x shows the engine's memory, so it follows
x = world.bodies["torus"].positions
infos, lowest = [world.report()], []
for frame in range(scene.frames // 2):
    infos.append(world.step())
    lowest.append(x[:, 1].min())
print(f"after {world.time:.3g} s: lowest point {lowest[-1]:.3f} m, {infos[-1].contacts} contacts, {infos[-1].total:.0f} J")

# %% the same torus, stiffer; what was before can be had again
state = world.save()
world["bodies.torus.material.young"] *= 10
for frame in range(scene.frames // 2):
    infos.append(world.step())
torus = world.bodies["torus"]
speed = np.linalg.norm(torus.velocities, axis=1).max()
print(f"after {world.time:.3g} s: {infos[-1].substeps} substeps a frame, mean stress {torus.field('stress').mean():.0f} Pa, "
      f"largest speed {speed:.2f} m/s")

# %% what if it had stayed soft?
world.load(state)
while world.time < infos[-1].time - 1e-9:
    soft = world.step()
print(f"had it stayed soft: {soft.substeps} substeps a frame, volume {100 * soft.volume_error:+.2f} %")

# %% energies
print(pliant.plot(infos, "bouncing_torus.svg"))

# %% a picture of the moment of impact
command = os.environ.get("PLIANT_COMMAND") or shutil.which("pliant")
if command and os.path.isfile(command):
    values = {**changes, "frames": 10, "look.size": [640, 360]}
    sets = [word for key, value in values.items() for word in ("--set", f"{key}={value}".replace(" ", ""))]
    subprocess.run([command, "run", path, "-o", "bouncing_torus.run", "--force", "--no-movie", "-q", *sets], check=True)
    drawn = subprocess.run([command, "render", "bouncing_torus.run", "--frame", "10", "-o", "bouncing_torus.png", "-q"])
    print("bouncing_torus.png" if drawn.returncode == 0 else "this pliant command was built without pictures")
