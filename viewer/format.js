// viewer/format.js -- numbers as people read them.
export function short(x)
{
  if (x === null || x === undefined || !isFinite(x))
    return "–";
  const size = Math.abs(x);
  if (size === 0)
    return "0";
  if (size >= 1e5 || size < 1e-3)
    return x.toExponential(2).replace("e+", "e").replace(/\.?0+e/, "e");
  return String(Number(x.toPrecision(3)));
}
