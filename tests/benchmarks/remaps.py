"""Scores at three kappas on five sets: how many of them a remap by group dominates, on test rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import t

import law_like
import partial_peers
from kept import Kept
from law_like import LAW_LIKE
from partial import SOURCES, bench, write
from partial_data import A9A, BANK, COMMUNITIES, COMPAS, PartialSet, Rows, Split, load
from report import Section, Table, at_most, progress
from support import Context

KAPPAS = (0.02, 0.05, 0.1)
SETS = (A9A, BANK, COMPAS, LAW_LIKE, COMMUNITIES)
SPLITS = 8
Judged = dict[tuple[str, float], list[tuple[float, float]]]  # by method and parameter: accuracy and 1 - SP, by split


@dataclass(frozen=True)
class Lead:
    """Of a remap over our scores: means over splits of the differences of accuracy and 1 - SP, and half the widths of
    their 95 % intervals."""

    remap: tuple[str, float]
    mean: np.ndarray
    half: np.ndarray

    @property
    def dominates(self) -> bool:
        """Neither is lower, and one is higher by more than the error of the splits."""
        return bool((self.mean >= 0).all() and (self.mean > self.half).any())

    def text(self) -> str:
        accuracy, fairness = (f"{m:+.4f} +- {h:.4f}" for m, h in zip(self.mean, self.half, strict=True))
        return f"{self.remap[0]} {self.remap[1]:g}: accuracy {accuracy}, 1 - SP {fairness}"


def lead(remap: tuple[str, float], theirs: list[tuple[float, float]], ours: list[tuple[float, float]]) -> Lead:
    differences = np.subtract(theirs, ours)
    n = len(differences)
    return Lead(remap, differences.mean(0), t.ppf(0.975, n - 1) * differences.std(0, ddof=1) / n**0.5)


def remapped(kept: Kept, data: PartialSet, rows: Rows, seed: int, split: Split) -> list[dict]:
    trial = partial_peers.Trial(data, split)
    inputs = (*SOURCES, data.name, rows.features, rows.groups, rows.targets, seed)
    return kept.result(f"remaps_{data.name}_{seed}", inputs,
                       lambda: {"rows": [vars(row) for row in partial_peers.remap(trial)]})["rows"]


def judge(context: Context, kept: Kept, data: PartialSet, rows: Rows, file: Path) -> tuple[Judged, Judged]:
    """Our scores and the remaps, on the test rows of the same splits."""
    ours: Judged = {}
    remaps: Judged = {}
    for seed in range(1, 1 + (3 if context.quick else SPLITS)):
        progress(f"remaps: {data.name}, split {seed}")
        split = rows.split(seed)
        write(split, file)
        for row in remapped(kept, data, rows, seed, split):
            remaps.setdefault((row["method"], row["parameter"]), []).append(
                (row["test"]["accuracy"], 1 - row["test"]["sp"]))
        for point in bench(context, "front", file, data, "psp", "automatic", *KAPPAS)["points"]:
            ours.setdefault(("ours", point["kappa"]), []).append((point["test"]["accuracy"], 1 - point["test"]["sp"]))
    return ours, remaps


def run(context: Context) -> Section:
    section = Section("remaps", "Partial-fair scores against remaps by group")
    table = Table("test rows, means over splits", ["data", "kappa", "accuracy", "1 - SP", "dominated by"], [])
    kept, file = Kept(context.scratch), context.scratch / "remaps.bin"
    dominated = 0
    for data in SETS:
        if data is not LAW_LIKE and not (context.data / data.folder).exists():
            section.notes.append(f"left out {data.name}: {context.data} lacks {data.folder}")
            continue
        rows = law_like.made(1) if data is LAW_LIKE else load(data, context.data)
        ours, remaps = judge(context, kept, data, rows, file)
        for (_, kappa), own in ours.items():
            leads = [lead(remap, theirs, own) for remap, theirs in remaps.items()]
            found = max((lead for lead in leads if lead.dominates), key=lambda lead: lead.mean[1], default=None)
            dominated += found is not None
            accuracy, fairness = np.mean(own, 0)
            table.rows.append([data.name, f"{kappa:g}", f"{accuracy:.4f}", f"{fairness:.3f}",
                               found.text() if found else "none"])
    file.unlink(missing_ok=True)
    section.figures.append(at_most("scores that a remap dominates", str(dominated), f"of {len(table.rows)}",
                                   dominated, 0))
    section.tables.append(table)
    return section
