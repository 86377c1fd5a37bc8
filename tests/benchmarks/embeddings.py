"""Fits at defaults of points like embeddings: many features, of length 1, in many clusters that overlap. With and
without a target, beside k-means of scikit-learn and Faiss, which know no groups, in the same processor time."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np

from report import Section, Table, progress
from support import Context, run_json

SIZES = ((50_000, 384), (50_000, 768), (1_000_000, 384), (1_000_000, 768))
QUICK_SIZES = ((5_000, 384),)
CLUSTERS = (100, 1_000)
QUICK_CLUSTERS = (20,)
TARGETS = {"none": 0, "parity .8": 0.8}
TOPICS = 500
SPREAD = 0.8  # length of the noise of a point over that of its topic's centre
RANK = 64  # of the directions of noise
ROWS = 10_000  # written at once


def write_points(folder: Path, n: int, d: int, seed: int) -> tuple[Path, Path]:
    """n x d float32 of length 1, and n uint16, groups that prefer some topics."""
    random = np.random.default_rng(seed)
    topics = random.standard_normal((TOPICS, d), dtype=np.float32)
    topics /= np.linalg.norm(topics, axis=1, keepdims=True)
    directions = random.standard_normal((RANK, d), dtype=np.float32) / np.float32(np.sqrt(d))
    frequency = random.dirichlet(np.ones(TOPICS))
    share = random.uniform(0.1, 0.6, TOPICS)  # of the second group
    files = folder / "embeddings.features", folder / "embeddings.groups"
    with files[0].open("wb") as features, files[1].open("wb") as groups:
        for first in range(0, n, ROWS):
            count = min(ROWS, n - first)
            topic = random.choice(TOPICS, count, p=frequency)
            noise = random.standard_normal((count, RANK), dtype=np.float32) @ directions
            points = topics[topic] + np.float32(SPREAD / np.sqrt(RANK)) * noise
            points /= np.linalg.norm(points, axis=1, keepdims=True)
            points.tofile(features)
            (random.random(count) < share[topic]).astype(np.uint16).tofile(groups)
    return files


def row(context: Context, files: tuple[Path, Path], n: int, d: int, k: int, target: str) -> list[str]:
    progress(f"embeddings: {n:,} x {d}, k = {k}, target {target}")
    command = [context.program("bench_embeddings"), *map(str, (*files, d, k, TARGETS[target]))]
    ours = run_json(command)
    cells = [f"{n:,}", str(d), f"{k:,}", target, f"{ours['cost']:.4f}", f"{ours['parity']:.3f}", ours["outcome"]]
    cells += [f"{ours['cpu']:.3g}", f"{ours['wall']:.3g}", f"{ours['work'] / 1e9:.3g}"]
    for method in ("minibatch", "faiss"):
        if method == "faiss" and importlib.util.find_spec("faiss") is None:
            cells.append("")
            continue
        progress(f"embeddings: {n:,} x {d}, k = {k}, {method} for {ours['cpu']:.0f} s")
        peer = Path(__file__).parent / "peers" / "embeddings_peer.py"
        found = run_json([sys.executable, str(peer), method, *map(str, (files[0], d, k, ours["cpu"]))])
        cells.append(f"{found['cost']:.4f} in {found['cpu']:.3g} s")
    return cells


def run(context: Context) -> Section:
    section = Section("embeddings", "A fit at its defaults of points like embeddings")
    header = ["points", "d", "k", "target", "cost", "parity", "outcome", "processor s", "wall s", "10^9 multiply-adds"]
    table = Table("Cost: mean squared distance", [*header, "MiniBatchKMeans", "Faiss"], [])
    for n, d in QUICK_SIZES if context.quick else SIZES:
        files = write_points(context.scratch, n, d, context.seed)
        try:
            for k in QUICK_CLUSTERS if context.quick else CLUSTERS:
                table.rows += [row(context, files, n, d, k, target) for target in TARGETS]
        finally:
            for file in files:
                file.unlink()
    section.tables.append(table)
    section.notes += [
        f"{TOPICS} topics of unlike frequency, noise of length {SPREAD:g} in {RANK} directions, points of length 1; the "
        "second group is .1 to .6 of a topic. Multiply-adds: of the improvement, which ends at fit's default limit. Ours "
        "on all cores, peers on one thread, with as much processor time as ours; Faiss runs at least once.",
    ]
    if importlib.util.find_spec("faiss") is None:
        section.notes.append("Faiss left out: apt-get install python3-faiss")
    return section
