// viewer/panel.js -- sliders for every number that may change while the world runs, made from the engine's own list.
import { short } from "./format.js";

// How a slider covers the range of a number: by its last name. Most stiffnesses span decades.
function scaleOf(param)
{
  const name = param.path.split(".").pop(), value = param.value;
  if (name === "young")
    return logarithmic(value / 300, value * 300);
  if (name === "damping")
    return logarithmic(1e-5, Math.max(1, 10 * value), true);
  if (name === "iterations")
    return whole(logarithmic(1, Math.max(500, value)));
  if (name === "poisson")
    return linear(Math.min(0, value), 0.499);
  if (name === "pressure")
    return linear(Math.min(-1000, -3 * Math.abs(value)), Math.max(1000, 3 * Math.abs(value)));
  if (param.path.startsWith("gravity") || param.path.startsWith("wind"))
    return linear(Math.min(-20, 2 * value), Math.max(20, -2 * value, 2 * value));
  return linear(Math.max(param.low, 0), Math.min(param.high, Math.max(2, 2 * value)));
}

const linear = (low, high) => ({ to: (x) => (x - low) / (high - low), from: (t) => low + t * (high - low) });

// With `zero` the left end is nothing at all.
const logarithmic = (low, high, zero) => ({
  to: (x) => (x <= 0 ? 0 : Math.log(x / low) / Math.log(high / low)),
  from: (t) => (zero && t <= 0 ? 0 : low * (high / low) ** t),
});

const whole = (scale) => ({ to: scale.to, from: (t) => Math.round(scale.from(t)) });

export function fillTrack(input)
{
  const low = Number(input.min), high = Number(input.max);
  input.style.setProperty("--fill", 100 * (input.value - low) / (high - low) + "%");
}

function makeSlider(param, change)
{
  const row = document.createElement("label"), name = document.createElement("span"), box = document.createElement("input"), range = document.createElement("input");
  const scale = scaleOf(param), written = param.written, parts = param.path.split(".");
  row.className = "slider" + (param.keyed ? " keyed" : "");
  name.textContent = parts.length > 2 ? parts.slice(2).join(" ") : parts.join(" ");
  name.title = param.keyed ? "follows its keys" : "double-click: as in the file";
  box.type = "text";
  box.inputMode = "decimal";
  Object.assign(range, { type: "range", min: 0, max: 1, step: 0.001, disabled: param.keyed });
  range.setAttribute("aria-label", param.path);
  box.disabled = param.keyed;
  row.dataset.path = param.path;
  row.append(name, box, range);
  row.show = (value) =>
  {
    box.value = short(value) + (param.unit ? " " + param.unit.replace("^2", "²") : "");
    range.value = scale.to(value);
    fillTrack(range);
  };
  range.oninput = () => change(param.path, scale.from(Number(range.value)));
  box.onchange = () => (isFinite(parseFloat(box.value)) ? change(param.path, parseFloat(box.value)) : row.show(written));
  box.onfocus = () => box.select();
  name.ondblclick = () => change(param.path, written);
  row.show(param.value);
  return row;
}

export class Panel
{
  constructor(place, change)
  {
    this.place = place;
    this.change = change;
    this.rows = new Map();
  }

  build(params)
  {
    let last = "";
    this.place.textContent = "";
    this.rows.clear();
    for (const param of params)
    {
      const parts = param.path.split("."), kind = parts[0].replace(/s$/, "").replace("bodie", "body");
      const group = parts.length > 2 ? parts[1] + " · " + kind : kind === "solver" ? kind : "world";
      if (group !== last)
        this.place.append(Object.assign(document.createElement("div"), { className: "group", textContent: group }));
      last = group;
      const row = makeSlider(param, (path, value) =>
      {
        row.show(value);
        this.change(path, value);
      });
      this.rows.set(param.path, row);
      this.place.append(row);
    }
  }

  show(path, value)
  {
    const row = this.rows.get(path);
    if (row && !row.contains(document.activeElement))
      row.show(value);
  }
}
