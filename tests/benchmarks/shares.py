"""The wait for an ack beside another client that asks for all it can, against that without it, in the same run."""

from __future__ import annotations

import json
import subprocess

import numpy as np

from report import Section, Table, at_most, progress
from support import Context

TARGET = 1.0  # times the bound: three times the wait without the other client, plus the time of one of its events
SECONDS = 30
ATTACKS = {
    "192 events of 20,000 points at a time, over 48 connections": ("events", 48, 20_000),
    "8 requests for labels of 160,000 points together at a time": ("questions", 8, 160_000),
}


def measure(context: Context, attack: tuple[str, int, int]) -> list[dict]:
    command = [context.program("bench_shares"), *map(str, attack), str(SECONDS)]
    return [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(context.repetitions)
    ]


def run(context: Context) -> Section:
    section = Section("shares", "Acks of a producer beside another client that asks for all it can")
    rows = []
    for what, attack in ATTACKS.items():
        progress(f"shares: {what}")
        runs = measure(context, attack)

        def median(name: str, runs: list[dict] = runs) -> float:
            return float(np.median([run[name] for run in runs]))

        alone, beside, event = median("alone"), median("beside"), median("event")
        # Only events make others wait by the time of one; questions do not.
        bound = 3 * alone + (event if attack[0] == "events" else 0)
        section.figures.append(
            at_most(f"p99 beside {what}", f"{beside:.1f} ms", f"3 x {alone:.1f} ms + event", beside / bound, TARGET)
        )
        rows.append([what, *(f"{figure:.1f}" for figure in (alone, beside, event)), f"{median('answers'):,.0f}"])
    header = ["the other client", "alone, ms", "beside, ms", "its longest event, ms", "its answers"]
    section.tables.append(Table("99th percentile from an event of ten points to its ack", header, rows))
    section.notes.append(
        f"{SECONDS} s each, medians of {context.repetitions}. Both clients have keys, and run in the engine's process, "
        "so that what they need of the processors is in the figures; those beside begin 3 s after the other client did."
    )
    return section
