"""Points per second of `Engine::ingest`, one thread, against scikit-learn's MiniBatchKMeans.partial_fit."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from report import Section, Table, at_least, progress
from support import Context, run_json

DIMENSIONS = 16
CLUSTERS = 10
BATCH = 1024
WINDOW = 100_000
POINTS = 2048 * BATCH
WARM = 512  # batches
DRIFT = 4.0  # standard deviations each component moves over the whole stream
TARGETS = {"assign_random": 10, "assign_sequential": 10, "fair_random": 6, "fair_sequential": 6}
NAMES = {
    "assign_random": "n_a = 0, n_b = 0; random ids",
    "assign_sequential": "n_a = 0, n_b = 0; sequential ids",
    "fair_random": "n_a = 64, n_b = 4 of 32 candidates; random ids",
    "fair_sequential": "n_a = 64, n_b = 4 of 32 candidates; sequential ids",
}
# As the defaults are, from the first point on, with the work in the background.
DEFAULTS = {"defaults_plain": ("defaults without a target", 10), "defaults_parity": ("defaults: parity .8", 3)}
# Above this, wall time exceeds processor time by more than what a quiet machine shows.
BUSY = 1.1


def write_stream(folder: Path) -> tuple[Path, Path]:
    """A mixture of Gaussians that drifts, its groups spread unevenly over the components: n x d float32, n uint16."""
    random = np.random.default_rng(1)
    centres = random.normal(0, 2, (CLUSTERS, DIMENSIONS))
    directions = random.normal(0, 1, (CLUSTERS, DIMENSIONS))
    directions *= DRIFT / np.linalg.norm(directions, axis=1, keepdims=True)
    share = np.linspace(0.1, 0.6, CLUSTERS)  # of the second group
    component = random.integers(CLUSTERS, size=POINTS)
    points = random.standard_normal((POINTS, DIMENSIONS), dtype=np.float32)
    points += (centres[component] + directions[component] * np.linspace(0, 1, POINTS)[:, None]).astype(np.float32)
    groups = (random.random(POINTS) < share[component]).astype(np.uint16)
    files = folder / "stream.features", folder / "stream.groups"
    points.tofile(files[0])
    groups.tofile(files[1])
    return files


def medians(runs: list[dict]) -> dict:
    """The median over runs of every number."""
    first = runs[0]
    if isinstance(first, dict):
        return {key: medians([run[key] for run in runs]) for key in first}
    return first if isinstance(first, str) else float(np.median(runs))


def measure(context: Context) -> tuple[list[dict], list[dict]]:
    """What the engine's program and the peer's printed, run by run."""
    features, groups = write_stream(context.scratch)
    peer_program = [sys.executable, str(Path(__file__).parent / "peers" / "sklearn_peer.py")]
    engine_command = [context.program("bench_ingest"), str(features), str(groups)]
    engine_command += map(str, (DIMENSIONS, CLUSTERS, WARM))
    peer_command = [*peer_program, str(features), *map(str, (DIMENSIONS, CLUSTERS, BATCH, WARM, WINDOW))]
    engine, peer = [], []
    try:
        for i in range(context.repetitions):
            progress(f"ingest: repetition {i + 1} of {context.repetitions}")
            engine.append(run_json(engine_command))
            peer.append(run_json(peer_command))
    finally:
        features.unlink()
        groups.unlink()
    return engine, peer


def parts(engine: dict) -> dict[str, float]:
    """Nanoseconds per point of one run; each part is the difference of two measurements of that run."""
    timed = {name: value for name, value in engine.items() if isinstance(value, dict) and name not in DEFAULTS}
    ns = {name: 1e9 * value["cpu"] / engine["points"] for name, value in timed.items()}
    plain, revisited, fair = (ns[f"{name}_random"] for name in ("assign", "revisits", "fair"))
    window, stepped = ns["validate_apply"], ns["validate_apply_step"]
    return {
        "check the batch (shape, values, groups, ids new and unlike)": ns["validate"],
        "take it into the window (ids, eviction, rows)": window - ns["validate"],
        "model: departures, nearest centre, sums, counts, index, changes": stepped - window,
        "   of which nearest centre alone, the same rows": ns["nearest"],
        "engine around it: update, tally, cost": plain - stepped,
        "n_a = 0, n_b = 0": plain,
        "64 revisits": revisited - plain,
        "4 swaps of 32 candidates": fair - revisited,
        "n_a = 64, n_b = 4": fair,
    }


def breakdown(engine: list[dict]) -> Table:
    each = medians([parts(run) for run in engine])
    whole = each["n_a = 64, n_b = 4"]
    rows = [[name, f"{ns:.1f}", f"{100 * ns / whole:.0f} %"] for name, ns in each.items()]
    return Table("Where the time goes, random ids", ["part", "ns per point", "share of n_a = 64, n_b = 4"], rows)


def notes(engine: dict, peer: dict, repetitions: int) -> list[str]:
    busiest = max(value["wall"] / value["cpu"] for value in [*[engine[name] for name in TARGETS], peer["labels"]])
    plain, revisited, fair = (engine[f"{name}_random"] for name in ("assign", "revisits", "fair"))
    return [
        f"d = {DIMENSIONS}, k = {CLUSTERS}, two groups, batches of {BATCH:,}, sliding window of {WINDOW:,}, the same "
        f"{POINTS:,} float32 points for both, the first {WARM * BATCH:,} untimed except for defaults; ids checked, all label changes and "
        f"departures produced. Kernels: {engine['level']}.",
        f"Medians of {repetitions} runs of each, taken in turn; processor time of one thread. Wall time was at most "
        f"{busiest:.2f} times that" + ("." if busiest <= BUSY else ": the machine was busy, do not rely on this."),
        "scikit-learn with compute_labels=False, which gives no labels: "
        f"{rate(engine, peer['no_labels']):.2f} M points/s.",
        f"Mean squared distance of the last {WINDOW:,} points, by (n_a, n_b): (0, 0) {plain['cost']:.3f}, (64, 0) "
        f"{revisited['cost']:.3f}, (64, 4) {fair['cost']:.3f}; scikit-learn, which forgets nothing, "
        f"{peer['labels']['cost']:.3f}. Balance: (64, 0) {revisited['balance']:.3f}, (64, 4) {fair['balance']:.3f}.",
    ]


def rate(engine: dict, measured: dict) -> float:
    """Million points per second."""
    return engine["points"] / measured["cpu"] / 1e6


def run(context: Context) -> Section:
    section = Section("ingest", "Engine::ingest, one thread, against scikit-learn's partial_fit")
    engine_runs, peer_runs = measure(context)
    engine, peer = medians(engine_runs), medians(peer_runs)
    theirs = rate(engine, peer["labels"])
    for name, target in TARGETS.items():
        ours = rate(engine, engine[name])
        beside = f"partial_fit {theirs:.2f} M points/s"
        section.figures.append(at_least(NAMES[name], f"{ours:.1f} M points/s", beside, ours / theirs, target))
    for name, (title, target) in DEFAULTS.items():
        measured = engine[name]
        ours = measured["points"] / measured["cpu"] / 1e6
        beside = f"partial_fit {theirs:.2f} M points/s, cost {peer['labels']['cost']:.3f}"
        text = f"{ours:.2f} M points/s, cost {measured['cost']:.3f}" + ("" if measured["met"] else ", target missed")
        section.figures.append(at_least(title, text, beside, ours / theirs, target))
    section.tables.append(breakdown(engine_runs))
    section.notes += notes(engine, peer, context.repetitions)
    return section
