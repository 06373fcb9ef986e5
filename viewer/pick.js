// viewer/pick.js -- whether a ray meets what a tool is for: then the tool acts, else the camera turns. Tools for bodies need one before any
// object, those for objects any object; liquids are looked through.
//
// The engine casts the ray again, at the state that it has reached by then; what it meets counts.
function nearest(x, triangles, from, along)
{
  let best = Infinity;
  for (let t = 0; t < triangles.length; t += 3)
  {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2], vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
    const px = along[1] * vz - along[2] * vy, py = along[2] * vx - along[0] * vz, pz = along[0] * vy - along[1] * vx, det = ux * px + uy * py + uz * pz;
    if (det === 0)
      continue;
    const sx = from[0] - x[a], sy = from[1] - x[a + 1], sz = from[2] - x[a + 2], u = (sx * px + sy * py + sz * pz) / det;
    if (u < 0 || u > 1)
      continue;
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux, v = (along[0] * qx + along[1] * qy + along[2] * qz) / det;
    const distance = (vx * qx + vy * qy + vz * qz) / det;
    if (v >= 0 && u + v <= 1 && distance > 0 && distance < best)
      best = distance;
  }
  return best;
}

// A ray in the frame of an object: rotations are undone by their transpose.
function inFrame(m, { from, along })
{
  const d = [from[0] - m[12], from[1] - m[13], from[2] - m[14]], turn = (v) => [0, 4, 8].map((c) => m[c] * v[0] + m[c + 1] * v[1] + m[c + 2] * v[2]);
  return { from: turn(d), along: turn(along) };
}

export function meets(renderer, ray, objects)
{
  let body = Infinity, object = Infinity;
  for (const b of renderer.bodies)
    if (b.positions)
      body = Math.min(body, nearest(b.positions, b.triangles, ray.from, ray.along));
  for (const o of renderer.objects)
  {
    const r = inFrame(o.place, ray);
    object = Math.min(object, nearest(o.positions || o.vertices, o.triangles, r.from, r.along));
  }
  return objects ? object < Infinity : body < Infinity && body <= object;
}
