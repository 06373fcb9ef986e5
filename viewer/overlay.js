// viewer/overlay.js -- hands and pins over the picture.
import { project } from "./matrix.js";

export function drawOverlay(canvas, matrices, head, accent)
{
  const ratio = Math.min(2, window.devicePixelRatio || 1), w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== w || canvas.height !== h)
    Object.assign(canvas, { width: w, height: h });
  const g = canvas.getContext("2d");
  g.clearRect(0, 0, w, h);
  if (!head)
    return;
  const place = (p) =>
  {
    const q = project(matrices.both, p);
    return q[3] > 0 ? [(q[0] / q[3] * 0.5 + 0.5) * w, (0.5 - 0.5 * q[1] / q[3]) * h] : null;
  };
  const dot = (p, radius, fill) =>
  {
    g.beginPath();
    g.arc(p[0], p[1], radius * ratio, 0, 7);
    g.fillStyle = fill;
    g.fill();
    g.lineWidth = 1.5 * ratio;
    g.strokeStyle = "rgba(0,0,0,.45)";
    g.stroke();
  };
  for (const pin of head.pins.map(place))
    if (pin)
      dot(pin, 3.2, "#fff");
  for (const [at, to] of head.hands.map((hand) => hand.map(place)))
    if (at && to)
      drawSpring(g, at, to, ratio, accent, dot);
}

function drawSpring(g, at, to, ratio, accent, dot)
{
  const dx = to[0] - at[0], dy = to[1] - at[1], length = Math.hypot(dx, dy), coils = 10, width = Math.min(7 * ratio, length / 6);
  g.beginPath();
  g.moveTo(at[0], at[1]);
  for (let i = 1; i < 2 * coils; ++i)
  {
    const t = i / (2 * coils), side = (i % 2 ? 1 : -1) * width * (length > 1 ? 1 : 0);
    g.lineTo(at[0] + t * dx - side * dy / (length || 1), at[1] + t * dy + side * dx / (length || 1));
  }
  g.lineTo(to[0], to[1]);
  for (const [color, thick] of [["rgba(0,0,0,.4)", 4], [accent, 2]])
  {
    g.strokeStyle = color;
    g.lineWidth = thick * ratio;
    g.lineJoin = g.lineCap = "round";
    g.stroke();
  }
  dot(at, 5, accent);
  dot(to, 3.5, "#fff");
}
