// viewer/camera.js -- a camera that goes around a point, and the fingers and mice that move it.
import { add, cross, length, lookAt, multiply, perspective, scale, sub, unit } from "./matrix.js";

const UP = [0, 1, 0];

export class Camera
{
  constructor()
  {
    this.at = [0, 0, 0];
    this.distance = 3;
    this.turn = 0.6;  // about y [rad]
    this.tilt = 0.35; // above the horizon [rad]
    this.fov = 35;    // [degrees]
    this.size = 1;    // of what is looked at
    this.shift = 0;   // of the middle of the picture to the left, for a panel at the right; half widths
    this.ground = -Infinity; // height of a floor, below which there is nothing to see
  }

  // As the scene says, or so that a box fills the picture.
  frame(scene, aspect)
  {
    const lower = scene.lower, upper = scene.upper, middle = scale(add(lower, upper), 0.5);
    this.size = Math.max(0.05, length(sub(upper, lower)));
    this.fov = scene.fov || 35;
    this.at = scene.at ? scene.at.slice() : middle;
    const narrow = Math.min(1, aspect);
    if (scene.from)
    {
      const away = sub(scene.from, this.at);
      this.distance = Math.max(1e-3, length(away)) / narrow;
      this.turn = Math.atan2(away[0], away[2]);
      this.tilt = Math.asin(Math.max(-1, Math.min(1, away[1] / length(away))));
      return;
    }
    this.turn = 0.6;
    this.tilt = 0.32;
    this.distance = 0.85 * this.size / Math.tan(this.fov * Math.PI / 360) / narrow;
  }

  get from()
  {
    const c = Math.cos(this.tilt);
    return add(this.at, scale([Math.sin(this.turn) * c, Math.sin(this.tilt), Math.cos(this.turn) * c], this.distance));
  }

  get facing() { return unit(sub(this.at, this.from)); }

  matrices(aspect)
  {
    const reach = Math.max(this.size, this.distance);
    const view = lookAt(this.from, this.at, UP), projection = perspective(this.fov * Math.PI / 180, aspect, reach * 0.01, reach * 60);
    projection[8] = this.shift;
    return { view, projection, both: multiply(projection, view) };
  }

  // From the eye through a point of the picture, both in [-1, 1].
  ray(x, y, aspect)
  {
    const forward = this.facing, right = unit(cross(forward, UP)), up = cross(right, forward), t = Math.tan(this.fov * Math.PI / 360);
    return { from: this.from, along: unit(add(forward, add(scale(right, (x + this.shift) * t * aspect), scale(up, y * t)))) };
  }

  orbit(dx, dy)
  {
    this.turn -= dx * 2.6;
    this.tilt = Math.max(-1.5, Math.min(1.54, this.tilt + dy * 2.6));
    this.stayAbove();
  }

  pan(dx, dy, aspect)
  {
    const forward = this.facing, right = unit(cross(forward, UP)), up = cross(right, forward), span = 2 * this.distance * Math.tan(this.fov * Math.PI / 360);
    this.at = add(this.at, add(scale(right, -dx * span * aspect), scale(up, dy * span)));
  }

  zoom(factor)
  {
    this.distance = Math.max(0.02 * this.size, Math.min(40 * this.size, this.distance * factor));
    this.stayAbove();
  }

  stayAbove()
  {
    const low = (this.ground + 0.01 * this.size - this.at[1]) / this.distance;
    if (low > -1 && low < 1)
      this.tilt = Math.max(this.tilt, Math.asin(low));
  }
}

// Mice and fingers on a canvas. `tools` takes hands that go down on something: down(x, y, hand) says whether it does.
export class Pointers
{
  constructor(canvas, camera, tools)
  {
    this.canvas = canvas;
    this.camera = camera;
    this.tools = tools;
    this.known = new Map(); // pointerId: {x, y, role, hand}
    canvas.addEventListener("pointerdown", (e) => this.down(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, (e) => this.up(e));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  }

  get aspect() { return this.canvas.clientWidth / this.canvas.clientHeight; }

  place(e)
  {
    return [2 * e.clientX / this.canvas.clientWidth - 1, 1 - 2 * e.clientY / this.canvas.clientHeight];
  }

  free_hand()
  {
    const used = [...this.known.values()].map((p) => p.hand);
    return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find((hand) => !used.includes(hand));
  }

  down(e)
  {
    const [x, y] = this.place(e), hand = this.free_hand();
    let role = "orbit";
    this.canvas.setPointerCapture(e.pointerId);
    this.canvas.focus({ preventScroll: true });
    if (e.button === 1 || (e.button === 0 && e.shiftKey))
      role = "pan";
    else if (e.button === 0 && !e.ctrlKey && !e.altKey && hand !== undefined && this.tools.down(x, y, hand))
      role = "tool";
    this.known.set(e.pointerId, { x, y, role, hand: role === "tool" ? hand : undefined });
    e.preventDefault();
  }

  move(e)
  {
    const p = this.known.get(e.pointerId), [x, y] = this.place(e);
    if (!p)
    {
      this.tools.hover(x, y, e.pointerType);
      return;
    }
    const dx = (x - p.x) / 2, dy = -(y - p.y) / 2, others = [...this.known.values()].filter((q) => q !== p && q.role !== "tool");
    if (p.role === "tool")
      this.tools.move(x, y, p.hand);
    else if (others.length)
      this.pinch(p, others[0], x, y);
    else if (p.role === "pan")
      this.camera.pan(dx, dy, this.aspect);
    else
      this.camera.orbit(dx * Math.min(2, this.aspect), dy);
    p.x = x;
    p.y = y;
  }

  // Two fingers: apart is nearer, together along is sideways; each moves half of it.
  pinch(p, other, x, y)
  {
    const before = Math.hypot((p.x - other.x) * this.aspect, p.y - other.y), after = Math.hypot((x - other.x) * this.aspect, y - other.y);
    if (before > 1e-3 && after > 1e-3)
      this.camera.zoom(before / after);
    this.camera.pan((x - p.x) / 4, -(y - p.y) / 4, this.aspect);
  }

  up(e)
  {
    const p = this.known.get(e.pointerId);
    this.known.delete(e.pointerId);
    if (p && p.role === "tool")
      this.tools.up(p.hand);
  }

  wheel(e)
  {
    e.preventDefault();
    this.camera.zoom(Math.exp(Math.max(-120, Math.min(120, e.deltaY)) * 0.0014));
  }
}
