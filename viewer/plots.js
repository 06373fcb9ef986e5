// viewer/plots.js -- figures of the last seconds as small curves.
import { short } from "./format.js";

const KEPT = 480;
const PLOTS = [
  { title: "Energy", unit: "J", curves: [["kinetic", "#ffb454"], ["elastic", "#ff7a90"], ["gravity", "#6aa9ff"]] },
  { title: "Volume", unit: "%", curves: [["volume", "#7ddc9b"]], of: (f) => 100 * f.volume, zero: true, needs: "bodies" },
  { title: "Liquid", unit: "m³", curves: [["liquid", "#58a6ff"]], needs: "liquids" },
  { title: "Spray", unit: "m³", curves: [["spray", "#9ad0ff"]], floor: 0, needs: "liquids" },
  { title: "Drift of the liquid", unit: "%", curves: [["drift", "#7ddc9b"]], of: (f) => 100 * f.drift, zero: true, needs: "liquids" },
  { title: "Step", unit: "ms", curves: [["cost", "#c59bff"]], floor: 0 },
  { title: "Iterations", unit: "", curves: [["iterations", "#6fd3e0"]], floor: 0 },
  { title: "Inverted", unit: "", curves: [["inverted", "#ff6b6b"]], floor: 0, needs: "bodies" },
];

function makePlot(plot)
{
  const row = document.createElement("div"), head = document.createElement("div"), name = document.createElement("span"), value = document.createElement("b");
  row.className = "plot";
  row.dataset.key = plot.curves[0][0];
  name.textContent = plot.curves.length > 1 ? "" : plot.title;
  for (const [key, color] of plot.curves.length > 1 ? plot.curves : [])
    name.insertAdjacentHTML("beforeend", `<i style="--c:${color}">${key}</i>`);
  head.append(name, value);
  row.append(head, document.createElement("canvas"));
  return Object.assign(row, { value, canvas: row.lastChild, curves: plot.curves.map(() => []) });
}

export class Plots
{
  constructor(place)
  {
    this.rows = PLOTS.map((plot) => Object.assign(makePlot(plot), { plot }));
    place.append(...this.rows);
  }

  // Only curves of what there is.
  choose(there) { this.rows.forEach((row) => (row.hidden = row.plot.needs && !there[row.plot.needs])); }

  clear() { this.rows.forEach((row) => row.curves.forEach((curve) => (curve.length = 0))); }

  add(figures)
  {
    for (const row of this.rows)
      row.plot.curves.forEach(([key], i) =>
      {
        const x = row.plot.of ? row.plot.of(figures) : figures[key];
        row.curves[i].push(x);
        if (row.curves[i].length > KEPT)
          row.curves[i].shift();
      });
  }

  draw()
  {
    for (const row of this.rows)
      if (row.offsetParent)
        this.drawRow(row);
  }

  drawRow(row)
  {
    const { canvas, plot, curves } = row, ratio = Math.min(2, window.devicePixelRatio || 1), w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== w || canvas.height !== h)
      Object.assign(canvas, { width: w, height: h });
    const g = canvas.getContext("2d"), all = curves.flat().filter((x) => x !== null && isFinite(x));
    g.clearRect(0, 0, w, h);
    if (!all.length)
      return;
    let low = plot.floor ?? Math.min(...all), high = Math.max(...all);
    if (plot.zero)
      [low, high] = [Math.min(low, -0.01), Math.max(high, 0.01)];
    if (!(high > low))
      high = low + (Math.abs(low) || 1);
    const y = (x) => h - 2 * ratio - (x - low) / (high - low) * (h - 4 * ratio);
    if (plot.zero)
    {
      g.strokeStyle = "rgba(128,128,128,.35)";
      g.strokeRect(-5, y(0), w + 10, 0);
    }
    curves.forEach((curve, i) => drawCurve(g, curve, plot.curves[i][1], w, y, ratio));
    const last = curves.length > 1 ? curves.reduce((sum, curve) => sum + (curve[curve.length - 1] || 0), 0) : curves[0][curves[0].length - 1];
    row.value.textContent = short(last) + (plot.unit ? " " + plot.unit : "");
  }
}

function drawCurve(g, curve, color, w, y, ratio)
{
  const step = w / (Math.max(90, curve.length) - 1);
  g.beginPath();
  curve.forEach((x, i) =>
  {
    if (x !== null && isFinite(x))
      g.lineTo(w - (curve.length - 1 - i) * step, y(x));
  });
  g.strokeStyle = color;
  g.lineWidth = 1.4 * ratio;
  g.lineJoin = "round";
  g.stroke();
}
