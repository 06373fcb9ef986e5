"""Figures over time: read from the directory of a run, and drawn."""
import json
import math
import os
from pathlib import Path as FilePath
from typing import Any, Dict, Iterable, List, NamedTuple, Sequence, Tuple, Union
from xml.sax.saxutils import escape

import numpy as np

from ._core import ArgumentError
from ._world import Info

Path = Union[str, "os.PathLike[str]"]
Metrics = Dict[str, Any]


# ---- reading ---------------------------------------------------------------------------------------------------------

def read_metrics(run: Path) -> Metrics:
    """The figures of a run (`pliant run` leaves its directory, x.run), one number or vector per frame.

    Returns arrays by name: frame, time, kinetic, elastic, gravity, momentum (n x 3), ... and under "bodies" the same for
    each body. What a frame does not have is NaN. A last line that is still being written is left out.
    """
    path = FilePath(run)
    path = path / "metrics.jsonl" if path.is_dir() else path
    rows = []
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise ArgumentError(f"{path}:{number}: is not JSON: {error}") from None
    names = list(dict.fromkeys(name for row in rows for name in row.get("bodies", {})))
    metrics = _columns(rows)
    metrics["bodies"] = {name: _columns([row.get("bodies", {}).get(name, {}) for row in rows]) for name in names}
    return metrics


def _columns(rows: Sequence[Dict[str, Any]]) -> Metrics:
    keys = [key for key in dict.fromkeys(key for row in rows for key in row) if key != "bodies"]
    return {key: _column([row.get(key) for row in rows]) for key in keys}


def _column(values: List[Any]) -> np.ndarray:
    width = max((len(value) for value in values if isinstance(value, (list, tuple))), default=0)
    if width:
        values = [value if value is not None else [None] * width for value in values]
    column = np.array(values, dtype=float)  # None becomes NaN
    whole = column.ndim == 1 and all(isinstance(value, int) for value in values)
    return column.astype(np.int64) if whole else column


def metrics_of(infos: Iterable[Info]) -> Metrics:
    """The same from what World.step returned, as a list."""
    return _columns([info._asdict() for info in infos])


# ---- drawing ---------------------------------------------------------------------------------------------------------

class Panel(NamedTuple):
    title: str
    unit: str
    series: List[Tuple[str, np.ndarray]]


def _panels(metrics: Metrics) -> List[Panel]:
    energies = [(name, metrics[name]) for name in ("kinetic", "elastic", "gravity") if name in metrics]
    panels = [Panel("Energy", "J", energies + [("total", sum(values for _, values in energies))])] if energies else []
    for key, title, unit, factor in (("volume_error", "Volume change", "%", 100), ("inverted", "Inverted elements", "elements", 1),
                                     ("min_J", "Smallest J", "", 1), ("contacts", "Contacts", "nodes", 1),
                                     ("substeps", "Substeps per frame", "", 1), ("wall_s", "Wall time per frame", "s", 1)):
        if key in metrics:
            panels.append(Panel(title, unit, [(key, factor * metrics[key])]))
    return panels


def plot(data: Union[Path, Metrics, Iterable[Info]], path: Path = "metrics.svg", *, matplotlib: bool = True) -> str:
    """Draw figures over time: the directory of a run, what read_metrics gave, or a list of what World.step returned.

    Uses matplotlib where it is installed (then the extension of `path` may be any that it writes, such as .png or .pdf) and
    writes a plain .svg where it is not, or with matplotlib=False. Returns the path.
    """
    if isinstance(data, (str, os.PathLike)):
        data = read_metrics(data)
    metrics = data if isinstance(data, dict) else metrics_of(data)
    panels = _panels(metrics)
    if not panels or not len(metrics.get("time", ())):
        raise ArgumentError("there is nothing to plot: no frames with a time and figures")
    if not (matplotlib and _draw_with_matplotlib(metrics["time"], panels, path)):
        if FilePath(path).suffix.lower() != ".svg":
            raise ArgumentError(f"{path}: without matplotlib only .svg can be written")
        FilePath(path).write_text(_svg(metrics["time"], panels), encoding="utf-8")
    return os.fspath(path)


def _draw_with_matplotlib(time: np.ndarray, panels: List[Panel], path: Path) -> bool:
    try:
        from matplotlib.figure import Figure  # needs no display, unlike pyplot
    except ImportError:
        return False
    figure = Figure(figsize=(8, 2.4 * len(panels)), layout="constrained")
    for axes, panel in zip(np.atleast_1d(figure.subplots(len(panels), sharex=True)), panels):
        for name, values in panel.series:
            axes.plot(time, values, label=name)
        axes.set(title=panel.title, ylabel=panel.unit)
        axes.grid(alpha=0.3)
        if len(panel.series) > 1:
            axes.legend()
    axes.set_xlabel("time [s]")
    figure.savefig(path)
    return True


WIDTH, HEIGHT, LEFT, TOP, GAP = 720, 150, 80, 40, 62
COLORS = ("#2b6cb0", "#c05621", "#2f855a", "#4a5568")


def _ticks(low: float, high: float) -> np.ndarray:
    """About five round numbers in between."""
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (factor * step) <= 6)
    return step * np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)


def _range(arrays: Sequence[np.ndarray]) -> Tuple[float, float]:
    values = np.concatenate([np.asarray(a, float).ravel() for a in arrays])
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    margin = 0.05 * (high - low) or 0.5 * abs(high) or 0.5
    return low - margin, high + margin


def _lines(x: np.ndarray, y: np.ndarray, color: str) -> str:
    """A line through the finite points, interrupted by the others."""
    pieces, points = [], []
    for a, b in [*zip(x, y), (math.nan, math.nan)]:
        if math.isfinite(a) and math.isfinite(b):
            points.append(f"{a:.2f},{b:.2f}")
        elif points:
            pieces.append(f'<polyline points="{" ".join(points)}" stroke="{color}"/>')
            points = []
    return "".join(pieces)


def _panel(time: np.ndarray, panel: Panel, top: float) -> str:
    (t0, t1), (y0, y1) = _range([time]), _range([values for _, values in panel.series])

    def place(t: Any, y: Any) -> Tuple[Any, Any]:
        return LEFT + (t - t0) / (t1 - t0) * WIDTH, top + HEIGHT - (y - y0) / (y1 - y0) * HEIGHT
    unit = f" [{panel.unit}]" if panel.unit else ""
    parts = [f'<text x="{LEFT}" y="{top - 10}" class="title">{escape(panel.title + unit)}</text>',
             f'<rect x="{LEFT}" y="{top}" width="{WIDTH}" height="{HEIGHT}" stroke="#a0aec0"/>']
    for tick in _ticks(t0, t1):
        x, _ = place(tick, y0)
        parts.append(f'<path d="M{x:.1f} {top}V{top + HEIGHT}" stroke="#edf2f7"/>'
                     f'<text x="{x:.1f}" y="{top + HEIGHT + 16}" text-anchor="middle">{tick:.6g}</text>')
    for tick in _ticks(y0, y1):
        _, y = place(t0, tick)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{LEFT + WIDTH}" stroke="#edf2f7"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:.6g}</text>')
    for i, (name, values) in enumerate(panel.series):
        color = COLORS[i % len(COLORS)]
        parts.append(_lines(*place(np.asarray(time, float), np.asarray(values, float)), color))
        if len(panel.series) > 1:
            parts.append(f'<text x="{LEFT + WIDTH - 70 * (len(panel.series) - i) + 70}" y="{top - 10}" text-anchor="end" '
                         f'fill="{color}">{escape(name)}</text>')
    return "\n".join(parts)


def _svg(time: np.ndarray, panels: List[Panel]) -> str:
    height = TOP + len(panels) * (HEIGHT + GAP)
    body = "\n".join(_panel(time, panel, TOP + i * (HEIGHT + GAP)) for i, panel in enumerate(panels))
    style = "text{font:12px sans-serif}.title{font-weight:bold}rect,polyline,path{fill:none}polyline{stroke-width:1.5}"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + LEFT + 30}" height="{height}">\n<style>{style}</style>\n'
            f'<rect width="100%" height="100%" style="fill:white"/>\n{body}\n'
            f'<text x="{LEFT + WIDTH / 2}" y="{height - 14}" text-anchor="middle">time [s]</text>\n</svg>\n')
