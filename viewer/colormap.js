// viewer/colormap.js -- values as colours: the maps of app/render/colormap.c, and the range that they cover.
const MAPS = {
  viridis: "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  coolwarm: "3b4cc0 5977e3 7b9ff9 9ebeff c0d4f5 dddcdc f2cbb7 f7ac8e ee8468 d65244 b40426",
};
const OF_FIELD = { J: "coolwarm", pressure: "coolwarm" };
export const CENTRE = { J: 1, pressure: 0 };

export function pixelsOf(field)
{
  const stops = MAPS[OF_FIELD[field] || "viridis"].split(" ").map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  const pixels = new Uint8Array(1024);
  for (let i = 0; i < 256; ++i)
  {
    const at = i / 255 * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2), u = at - k;
    for (let c = 0; c < 3; ++c)
      pixels[4 * i + c] = stops[k][c] + u * (stops[k + 1][c] - stops[k][c]);
    pixels[4 * i + 3] = 255;
  }
  return pixels;
}

// From the 2nd to the 98th of a hundred parts of the values of all bodies: extremes are spikes of single elements.
export function rangeOf(bodies, field)
{
  const values = [];
  for (const body of bodies)
    for (let i = 0, step = Math.max(1, Math.floor(body.values.length / 400)); i < body.values.length; i += step)
      if (isFinite(body.values[i]))
        values.push(body.values[i]);
  if (!values.length)
    return [0, 1];
  values.sort((a, b) => a - b);
  let low = values[Math.floor(0.02 * (values.length - 1))], high = values[Math.ceil(0.98 * (values.length - 1))];
  if (CENTRE[field] !== undefined)
  {
    const reach = Math.max(Math.abs(low - CENTRE[field]), Math.abs(high - CENTRE[field]), 1e-6);
    return [CENTRE[field] - reach, CENTRE[field] + reach];
  }
  if (field === "speed" || field === "stress" || field === "plastic" || field === "energy" || field === "strain" || field === "temperature")
    low = 0;
  return high > low ? [low, high] : [low, low + Math.max(1e-6, Math.abs(low) * 1e-3)];
}
