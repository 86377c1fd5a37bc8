"""A monitor's points per second against pandas, which groups the same window anew for each batch, and its figures
against fairlearn's definitions, worked out in NumPy."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import numpy as np

from report import Section, at_least, at_most, progress
from support import Context, run_json

POINTS, WINDOW, BATCH, BINS = 1_000_000, 100_000, 1_000, 10
PANDAS_BATCHES = 20  # of a full window
GROUPS = (2, 5)
SPEED = 10.0  # times pandas
FIGURES = 1e-9  # largest difference of a figure from its definition


def made() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    groups = np.stack([random.integers(0, count, POINTS) for count in GROUPS], axis=1).astype(np.uint16)
    chance = np.clip(0.85 * random.random(POINTS) + 0.05 * groups[:, 0] + 0.02 * groups[:, 1], 0, 1)
    targets = (random.random(POINTS) < chance).astype(np.float32)
    return chance.astype(np.float32), targets, groups


def calibration(p: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    place = np.minimum((p * BINS).astype(int), BINS - 1)
    apart = np.bincount(place, p - y, BINS)
    return float(np.abs(apart).sum() / len(p)), float(np.mean(p - y))


def spread(rates: list[float]) -> tuple[float, float]:
    """The difference and the ratio between groups: largest less smallest, smallest over largest."""
    return max(rates) - min(rates), min(rates) / max(rates)


def defined(predictions: np.ndarray, targets: np.ndarray, groups: np.ndarray) -> list[dict]:
    """The figures of all attributes and their intersection, from the definitions."""
    sets = [groups[:, 0].astype(int), groups[:, 1].astype(int)]
    sets.append(sets[0] * GROUPS[1] + sets[1])
    chosen, positive = predictions >= np.float32(0.5), targets > 0
    found = []
    for of in sets:
        rows = []
        for group in range(of.max() + 1):
            inside = of == group
            d, y = chosen[inside], positive[inside]
            rates = (d.mean(), d[y].mean(), d[~y].mean(), 1 - d[y].mean(), (d == y).mean(), y[d].mean())
            rows.append([int(inside.sum()), *map(float, rates), *calibration(predictions[inside].astype(float), y)])
        parity, true, false = (spread([row[column] for row in rows]) for column in (1, 2, 3))
        odds = (max(true[0], false[0]), min(true[1], false[1]))
        found.append({"parity": parity, "opportunity": true, "odds": odds, "groups": rows})
    return found


def largest_difference(ours: list[dict], theirs: list[dict]) -> float:
    largest = 0.0
    for mine, other in zip(ours, theirs, strict=True):
        for name in ("parity", "opportunity", "odds", "groups"):
            difference = np.abs(np.asarray(mine[name], float) - np.asarray(other[name], float))
            largest = max(largest, float(difference.max()))
    return largest


def pandas_seconds(predictions: np.ndarray, targets: np.ndarray, groups: np.ndarray) -> float:
    """The median seconds for a batch: the figures of the whole window by groupby, for three sets of groups."""
    import pandas as pd

    taken = []
    for batch in range(PANDAS_BATCHES):
        last = WINDOW + (batch + 1) * BATCH
        rows = slice(last - WINDOW, last)
        begun = time.perf_counter()
        p, y = predictions[rows].astype(float), targets[rows] > 0
        d = p >= 0.5
        frame = pd.DataFrame({"sex": groups[rows, 0], "race": groups[rows, 1], "d": d, "right": d == y})
        frame["tp"], frame["fp"] = np.where(y, d, np.nan), np.where(y, np.nan, d)
        frame["precise"], frame["gap"] = np.where(d, y, np.nan), p - y
        frame["bin"] = np.minimum((p * BINS).astype(int), BINS - 1)
        for keys in (["sex"], ["race"], ["sex", "race"]):
            by = frame.groupby(keys)
            rates = by[["d", "tp", "fp", "precise", "right"]].mean()
            frame.groupby([*keys, "bin"])["gap"].sum().abs().groupby(keys).sum() / by.size()
            rates.max() - rates.min()
            rates.min() / rates.max()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def run(context: Context) -> Section:
    section = Section("monitor", "A monitor of predictions, figures by group")
    predictions, targets, groups = made()
    folder: Path = context.scratch / "monitor"
    folder.mkdir(exist_ok=True)
    for name, column in (("predictions", predictions), ("targets", targets), ("groups", groups)):
        column.tofile(folder / f"{name}.bin")
    command = [context.program("bench_monitor"), str(folder), str(WINDOW), str(BATCH)]
    runs = []
    for i in range(context.repetitions):
        progress(f"monitor: repetition {i + 1} of {context.repetitions}")
        runs.append(run_json(command))
    for file in folder.iterdir():
        file.unlink()
    seconds = statistics.median(run["seconds"] for run in runs)
    progress("monitor: pandas")
    peer = BATCH / pandas_seconds(predictions, targets, groups)
    section.figures.append(
        at_least(
            f"{POINTS:,} predictions, 2 attributes and their intersection, window {WINDOW:,}, batches of {BATCH:,}",
            f"{POINTS / seconds / 1e6:.2f} M points/s",
            f"pandas grouping the window anew for each batch: {peer / 1e3:.1f} k points/s",
            POINTS / seconds / peer,
            SPEED,
        )
    )
    off = largest_difference(runs[0]["sets"], defined(predictions[-WINDOW:], targets[-WINDOW:], groups[-WINDOW:]))
    section.figures.append(
        at_most("largest difference of a figure", f"{off:.1e}", "fairlearn's definitions in NumPy", off / FIGURES, 1)
    )
    return section
