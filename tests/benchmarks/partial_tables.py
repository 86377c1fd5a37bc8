"""Means over splits, with 95 % intervals, of what the peers of partial fairness reached."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from report import Table

MEASURES = ("accuracy", "sp", "dp", "overall_gap", "tail_gap")
KEY = ("data", "method", "problem", "parameter", "rounds")


@dataclass(frozen=True)
class Mean:
    value: float
    half: float  # of the interval; NaN for one split

    @classmethod
    def of(cls, values: list[float]) -> Mean:
        n = len(values)
        half = t.ppf(0.975, n - 1) * np.std(values, ddof=1) / np.sqrt(n) if n > 1 else np.nan
        return cls(float(np.mean(values)), float(half))

    def text(self, digits: int) -> str:
        value = f"{self.value:.{digits}f}"
        return value if np.isnan(self.half) else f"{value} +- {self.half:.{digits}f}"


def summaries(rows: list[dict], part: str = "test") -> dict[tuple, dict[str, Mean]]:
    """By KEY: fairness is 1 minus a gap."""
    gathered: dict[tuple, list[dict]] = defaultdict(list)
    for row in rows:
        gathered[tuple(row[field] for field in KEY)].append(row)

    def mean(own: list[dict], name: str) -> Mean:
        return Mean.of([row[part][name] if name == "accuracy" else 1 - row[part][name] for row in own])

    found = {}
    for key, own in gathered.items():
        found[key] = {name: mean(own, name) for name in MEASURES}
        costs = [name for name in ("loss", "seconds") if own[0][name] is not None]
        found[key] |= {name: Mean.of([row[name] for row in own]) for name in costs}
        found[key]["splits"] = Mean(len(own), 0.0)
    return found


def table(rows: list[dict], data: str) -> Table:
    lines = []
    for (name, method, problem, parameter, rounds), own in summaries(rows).items():
        if name != data:
            continue
        what = method + ("" if problem == "both" else f", {problem}") + (f", K = {rounds}" if rounds else "")
        lines.append([what, f"{parameter:g}", f"{own['splits'].value:.0f}", own["accuracy"].text(4),
                      *(own[name].text(3) for name in MEASURES[1:]),
                      f"{own['loss'].value:.4f}" if "loss" in own else "-", f"{own['seconds'].value:.1f}"])
    return Table(f"{data}: on the testing part, means and 95 % intervals",
                 ["method", "parameter", "splits", "accuracy", "1 - SP", "1 - DP", "1 - overall gap", "1 - tail gap",
                  "loss", "seconds"], lines)
