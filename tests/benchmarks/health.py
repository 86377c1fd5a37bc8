"""Points per second and the wait for an ack while health is asked for a thousand times a second, against none."""

from __future__ import annotations

import numpy as np

import ingest
from end_to_end import Stream, stream_once
from report import Section, Table, at_least, at_most, progress
from support import Context

PER_SECOND = 1000
TARGET_RATE = 0.97
TARGET_WAIT = 1.1


def measure(context: Context) -> tuple[list[Stream], list[Stream]]:
    """Streams without requests and with them, in turn."""
    files = ingest.write_stream(context.scratch)
    quiet: list[Stream] = []
    asked: list[Stream] = []
    try:
        for i in range(context.repetitions):
            progress(f"health: repetition {i + 1} of {context.repetitions}")
            pair = [(quiet, 0), (asked, PER_SECOND)]
            for streams, per_second in pair if i % 2 == 0 else reversed(pair):
                streams.append(stream_once(context, files, per_second))
    finally:
        for file in files:
            file.unlink()
    return quiet, asked


def run(context: Context) -> Section:
    section = Section("health", f"Health asked for {PER_SECOND:,} times a second while a stream is taken in")
    quiet, asked = measure(context)
    mega = ingest.BATCH / 1e6

    def rates(streams: list[Stream]) -> list[float]:
        return [s.producer["events"] / s.acked * mega for s in streams]

    def waits(streams: list[Stream]) -> list[float]:
        return [1e3 * s.producer["ack_p99"] for s in streams]

    rate, wait = (float(np.median(values(asked))) for values in (rates, waits))
    rate_without, wait_without = (float(np.median(values(quiet))) for values in (rates, waits))
    section.figures.append(
        at_least("acked", f"{rate:.2f} M points/s", f"no requests, {rate_without:.2f}", rate / rate_without, TARGET_RATE)
    )
    section.figures.append(
        at_most("p99 of acks", f"{wait:.2f} ms", f"no requests, {wait_without:.2f}", wait / wait_without, TARGET_WAIT)
    )

    def row(what: str, streams: list[Stream]) -> list[str]:
        all_rates, all_waits = rates(streams), waits(streams)
        return [
            what,
            f"{np.median(all_rates):.2f} [{min(all_rates):.2f}, {max(all_rates):.2f}]",
            f"{np.median(all_waits):.2f} [{min(all_waits):.2f}, {max(all_waits):.2f}]",
        ]

    section.tables.append(
        Table(
            "Median [range]",
            ["requests", "M points/s until all acked", "p99 of acks, ms"],
            [row("none", quiet), row(f"{PER_SECOND:,} a second", asked)],
        )
    )
    answered = float(np.median([s.asker["rate"] for s in asked if s.asker]))
    late = float(np.median([1e3 * s.asker["p99"] for s in asked if s.asker]))
    section.notes.append(
        f"Answered: {answered:,.0f} requests a second of one client that waits for each answer, p99 {late:.2f} ms."
    )
    return section
