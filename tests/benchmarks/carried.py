"""Streams that carry weights and times or are prepared: speed against the plain stream, pauses, and quality."""

from __future__ import annotations

import numpy as np

from ingest import CLUSTERS, DIMENSIONS, WARM, medians, write_stream
from report import Section, at_least, at_most, progress
from support import Context, run_json

SPEED_TARGETS = {"weighted": 0.95, "decaying": 0.9, "aged": 0.9, "fixed": 0.9, "running": 0.9}
NAMES = {
    "weighted": "weights 1 to 5",
    "decaying": "a half-life of a quarter of the window",
    "aged": "a window by age",
    "fixed": "scaled by given numbers",
    "running": "scaled by the retained points",
}
MODELS = {"steps": "n_a = 64, n_b = 4, nothing beside the stream", "defaults": "the defaults"}
PAUSE = 0.05  # seconds
PAUSE_POINTS = 1_000_000
SEEDS = range(1, 6)
FILES_POINTS = 20_000
SPREADS = {1.0: "the same spread", 2.0: "twice the spread"}


def speeds(context: Context, section: Section) -> None:
    features, groups = write_stream(context.scratch)
    command = [context.program("bench_carried"), "ingest", str(features), str(groups)]
    command += map(str, (DIMENSIONS, CLUSTERS, WARM))
    runs = []
    try:
        for i in range(context.repetitions):
            progress(f"carried: repetition {i + 1} of {context.repetitions}")
            runs.append(run_json(command))
    finally:
        features.unlink()
        groups.unlink()
    middle = medians(runs)
    for model, described in MODELS.items():
        plain = middle[model]["plain"]
        for name, target in SPEED_TARGETS.items():
            seconds = middle[model][name]
            beside = f"without: {middle['points'] / plain / 1e6:.2f} M points/s"
            rate = f"{middle['points'] / seconds / 1e6:.2f} M points/s"
            section.figures.append(at_least(f"{NAMES[name]}; {described}", rate, beside, plain / seconds, target))


def pauses(context: Context, section: Section) -> None:
    command = [context.program("bench_carried"), "pause", *map(str, (PAUSE_POINTS, DIMENSIONS, CLUSTERS))]
    found = medians([run_json(command) for _ in range(min(3, context.repetitions))])
    section.figures.append(
        at_most(
            f"an event that renews the scale of {PAUSE_POINTS:,} points, d = {DIMENSIONS}",
            f"{1e3 * found['renewing']:.0f} ms",
            f"others: median {1e3 * found['median']:.1f} ms, longest {1e3 * found['longest_other']:.0f} ms",
            found["renewing"] / PAUSE,
            1,
        )
    )


def qualities(context: Context, section: Section) -> None:
    program = context.program("bench_carried")
    for spread, described in SPREADS.items():
        ratios: dict[str, list[float]] = {"first": [], "running": [], "raw": []}
        for seed in SEEDS:
            found = run_json([program, "scales", str(FILES_POINTS), str(seed), str(spread)])
            for name, values in ratios.items():
                values.append(found[name] / found["whole"])
        for name, shown in (("first", "first:N, N half of the first file"), ("running", "running")):
            section.figures.append(
                at_most(
                    f"cost of two files sent raw, the second of {described}; {shown}",
                    f"{np.mean(ratios[name]):.4f}",
                    f"standardised as a whole; largest {max(ratios[name]):.4f}; unscaled {np.mean(ratios['raw']):.2f}",
                    float(np.mean(ratios[name])),
                    1.01,
                )
            )


def run(context: Context) -> Section:
    section = Section("carried", "Streams that carry weights and times, or are prepared")
    speeds(context, section)
    pauses(context, section)
    qualities(context, section)
    return section
