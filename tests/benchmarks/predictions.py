"""predictions: esvd_fair on streams, with a change halfway and without."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from report import Section, Table, at_most, progress
from support import Context, run_json

WINDOW = 5_000
SHIFTS = (0.25, 0.5, 1.0)  # of one group's inputs, in their standard deviations
SEEDS = range(1, 6)
POINTS = 10_000_000  # without a change
FILES = ("compas", "communities")


def drift(context: Context, section: Section) -> None:
    program = context.program("bench_predictions")
    columns = ["shift", "KS before", "worst", "after so many points", "at the end", "with a wish of .1",
               "unwatched", "by chance", "error; by wish; unwatched", "noticed after"]
    table = Table(f"One group's inputs shift halfway; a window of {WINDOW:,}, means of {len(SEEDS)} streams", columns, [])
    for shift in SHIFTS:
        progress(f"predictions: a shift of {shift}")
        found = [run_json([program, "drift", str(seed), str(shift), str(WINDOW)]) for seed in SEEDS]
        mean = {key: np.mean([each[key] for each in found]) for key in found[0]}
        points = [each["noticed"] for each in found]
        noticed = f"{min(points):,} to {max(points):,} points" if min(points) > 0 else "not in every stream"
        table.rows.append([f"{shift:g}", *(f"{mean[key]:.3f}" for key in ("before", "worst")),
                           f"{mean['worst_after']:,.0f}",
                           *(f"{mean[key]:.3f}" for key in ("after", "by_wish", "unwatched", "chance")),
                           "; ".join(f"{mean[key]:.3f}" for key in ("mse", "mse_by_wish", "mse_unwatched")), noticed])
    section.tables.append(table)


def false_alarms(context: Context, section: Section) -> None:
    program = context.program("bench_predictions")
    points = POINTS // 10 if context.quick else POINTS
    runs = {"made-up": ["made-up"], "heavy tails": ["heavy"]}
    for name in FILES:
        data = context.data / name / f"{name}.csv.gz"
        if data.exists():
            runs[f"{name}, rows drawn with replacement"] = [str(data), "group", "target"]
    progress("predictions: false alarms")
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda what: run_json([program, "alarms", "1", str(points), *what]), runs.values()))
    for what, run in zip(runs, found, strict=True):
        section.figures.append(at_most(f"false alarms per million points, {what}", f"{run['alarms']:.0f}",
                                       f"of {run['points']:,} points", 1e6 * run["alarms"] / run["points"], 1))


def run(context: Context) -> Section:
    section = Section("predictions", "Fair predictions of a stream: esvd_fair")
    drift(context, section)
    false_alarms(context, section)
    return section
