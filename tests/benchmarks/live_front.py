"""Points per second of a live front of eight operating points against a single model, over the stream of `ingest`."""

from __future__ import annotations

from ingest import BATCH, CLUSTERS, DIMENSIONS, WARM, WINDOW, medians, write_stream
from report import Section, Table, at_least, progress
from support import Context, run_json

POINTS_KEPT = 8
TARGET = 0.25
# A front, the single model that it is compared with, and a description of each.
CASES = (
    ("pairs", "single_pair", "eight pairs (n_a, n_b)", "one with their mean, (64, 4)"),
    ("targets", "single_target", "eight balance targets", "one with their mean, 0.25"),
)


def run(context: Context) -> Section:
    section = Section("live_front", "A live front against a single model")
    features, groups = write_stream(context.scratch)
    command = [context.program("bench_live_front"), str(features), str(groups), *map(str, (DIMENSIONS, CLUSTERS, WARM))]
    runs = []
    try:
        for i in range(context.repetitions):
            progress(f"live_front: repetition {i + 1} of {context.repetitions}")
            runs.append(run_json(command))
    finally:
        features.unlink()
        groups.unlink()
    fronts = {name: runs[0][name]["front"] for name, *_ in CASES}
    for each in runs:
        for value in each.values():
            if isinstance(value, dict):
                del value["front"]
    middle = medians(runs)
    rate = {name: middle["points"] / value["seconds"] / 1e6 for name, value in middle.items() if name != "points"}
    for name, single, what, other in CASES:
        ratio = rate[name] / rate[single]
        beside = f"{other}: {rate[single]:.2f} M points/s"
        section.figures.append(at_least(what, f"{rate[name]:.2f} M points/s", beside, ratio, TARGET))
    rows = [[what, *(f"{cost:.3f} / {balance:.3f}" for cost, balance in fronts[name])] for name, _, what, _ in CASES]
    section.tables.append(Table("Cost / balance at the end", ["front", *map(str, range(POINTS_KEPT))], rows))
    section.notes.append(
        f"d = {DIMENSIONS}, k = {CLUSTERS}, batches of {BATCH:,}, window of {WINDOW:,}, random ids; all cores, wall time, "
        f"medians of {context.repetitions}. 64 revisits a batch, 32 candidates a swap."
    )
    return section
