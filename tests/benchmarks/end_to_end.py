"""Points per second from a producer through a recording engine to a subscriber, against ZeroMQ and SQLite alone. For
models at their defaults, also the cost of the retained points at the end, against a cold fit of the same points."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ingest
from report import Figure, Section, Table, at_least, at_most, progress
from support import Context, Failed, array_arguments, run_json

TARGET = 0.5
ROWS_PER_COMMIT = (16, 64)  # the first is what the target is set against; the second, what the engine commits at most
UNANSWERED = 64
WARM = 256  # batches
PATIENCE = 120  # seconds for a process to end
PAIRS = "pairs"  # the setup that the target is for
# At their defaults, as `fairstream serve` runs a model. In the first, the stream has no groups.
DEFAULTS = {"plain": "defaults, no group", "parity": "defaults, parity .8"}
COST_LIMIT = 1.04  # of the retained points, over that of a cold fit


@contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen]:
    """A process that does not outlive the block."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def output_of(process: subprocess.Popen) -> str:
    try:
        out, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{' '.join(process.args)} did not end in {PATIENCE} s") from error
    if process.returncode != 0:
        raise Failed(f"{' '.join(process.args)} exited with {process.returncode}: {errors.strip()}")
    return out


@dataclass
class Stream:
    """One run of producer, engine and subscriber, and of who asks for health meanwhile."""

    engine: dict
    producer: dict
    subscriber: dict
    asker: dict | None = None

    @property
    def seconds(self) -> float:
        """From the first timed batch until every batch is acked and the subscriber's view is the engine's."""
        return max(self.producer["end"], self.subscriber["end"]) - self.producer["start"]

    @property
    def acked(self) -> float:
        return self.producer["end"] - self.producer["start"]

    @property
    def events_per_second(self) -> float:
        return self.producer["events"] / self.seconds


@contextmanager
def asking(program: str, sockets: str, per_second: int) -> Iterator[dict | None]:
    """Health requests at this rate within the block, and what they came to after it."""
    if per_second == 0:
        yield None
        return
    with started([program, "ask", sockets, str(per_second)]) as process:
        if process.stdout.readline().strip() != "ready":
            raise Failed(f"health was not answered: {output_of(process)}")
        asked: dict = {}
        yield asked
        process.send_signal(signal.SIGTERM)
        asked.update(json.loads(output_of(process)))


def stream_once(
    context: Context, files: tuple[Path, Path], health_per_second: int = 0, setup: str = PAIRS
) -> Stream:
    program = context.program("bench_end_to_end")
    events = ingest.POINTS // ingest.BATCH
    dimensions = str(ingest.DIMENSIONS)
    recording = context.scratch / "stream.fairstream"
    with tempfile.TemporaryDirectory(prefix="fairstream-") as sockets:  # a path short enough for ipc
        try:
            serve = [program, "serve", sockets, str(recording), dimensions, str(ingest.CLUSTERS), setup]
            with (
                started(serve) as engine,
                started([program, "subscribe", sockets, str(events)]) as subscriber,
            ):
                if subscriber.stdout.readline().strip() != "ready":
                    raise Failed(f"the subscriber did not join: {output_of(subscriber)}")
                with asking(program, sockets, health_per_second) as asked:
                    produced = run_json([program, "produce", sockets, *map(str, files), dimensions, str(WARM)])
                followed = json.loads(output_of(subscriber))
                engine.send_signal(signal.SIGTERM)
                served = json.loads(output_of(engine))
        finally:
            for file in context.scratch.glob("stream.fairstream*"):
                file.unlink()
    if (followed["labels"], followed["digest"]) != (served["labels"], served["digest"]) or served["events"] != events:
        raise Failed(f"the subscriber's labels are not the engine's: {followed}, {served}")
    return Stream(served, produced, followed, asked)


def raw_zmq(context: Context, messages: int, size: int) -> float:
    """Messages per second, acked, at most `UNANSWERED` on the way."""
    program = context.program("bench_raw_peers")
    with tempfile.TemporaryDirectory(prefix="fairstream-") as folder:
        endpoint = f"ipc://{folder}/raw"
        with started([program, "answer", endpoint, str(messages)]) as answering:
            sent = run_json([program, "send", endpoint, str(messages), str(size), str(UNANSWERED)])
            output_of(answering)
    return sent["messages"] / sent["seconds"]


def raw_sqlite(context: Context, messages: int, size: int, per_commit: int) -> float:
    """Rows per second."""
    folder = context.scratch / "raw"
    folder.mkdir()
    program = context.program("bench_raw_peers")
    try:
        written = run_json([program, "rows", str(folder / "raw.db"), *map(str, (messages, size, per_commit))])
    finally:
        shutil.rmtree(folder)
    return written["messages"] / written["seconds"]


def cold_costs(context: Context, files: tuple[Path, Path]) -> dict[str, float]:
    """Costs of the points that the engine retains at the end, by setup: of `fairstream fit` at its defaults."""
    points = np.fromfile(files[0], dtype=np.float32).reshape(-1, ingest.DIMENSIONS)[-ingest.WINDOW :]
    groups = np.fromfile(files[1], dtype=np.uint16)[-ingest.WINDOW :]
    command = [context.program("fairstream"), "fit", "safairkm"]
    command += array_arguments(context, "end_to_end", points, groups)
    command += ["--clusters", str(ingest.CLUSTERS), "--json"]
    return {setup: run_json([*command, *more])["cost"] for setup, more in
            (("plain", ["--set", "parity_at_least=0"]), ("parity", []))}


def default_figures(streams: dict[str, list[Stream]], cold: dict[str, float]) -> list[Figure]:
    figures = []
    for setup, runs in streams.items():
        cost = float(np.median([s.engine["cost"] for s in runs]))
        rate = float(np.median([s.events_per_second for s in runs])) * ingest.BATCH / 1e6
        missed = "" if setup == "plain" or all(s.engine["met"] for s in runs) else ", target missed"
        figures.append(at_most(f"{DEFAULTS[setup]}: cost at the end", f"{cost:.3f}{missed}, at {rate:.2f} M points/s",
                               f"a cold fit of these points {cold[setup]:.3f}", cost / cold[setup], COST_LIMIT))
    return figures


def table(
    streams: list[Stream], defaults: dict[str, list[Stream]], zmq: list[float], sqlite: dict[int, list[float]]
) -> Table:
    def row(what: str, rates: list[float]) -> list[str]:
        middle = float(np.median(rates))
        return [what, f"{middle:,.0f} [{min(rates):,.0f}, {max(rates):,.0f}]", f"{middle * ingest.BATCH / 1e6:.2f}"]

    rows = [row("end to end: all acked, subscriber up to date", [s.events_per_second for s in streams])]
    rows.append(row("   of which until all acked", [s.producer["events"] / s.acked for s in streams]))
    for setup, runs in defaults.items():
        rows.append(row(f"end to end: {DEFAULTS[setup]}", [s.events_per_second for s in runs]))
    rows.append(row(f"ZeroMQ, DEALER to ROUTER with acks, {UNANSWERED} unanswered", zmq))
    rows += [row(f"SQLite, WAL, FULL, {per_commit} rows per commit", rates) for per_commit, rates in sqlite.items()]
    return Table("Median [range]", ["what", "messages/s", "M points/s"], rows)


@dataclass
class Measured:
    streams: list[Stream]
    defaults: dict[str, list[Stream]]  # by setup
    zmq: list[float]  # messages per second
    sqlite: dict[int, list[float]]  # messages per second, by rows per commit
    cold: dict[str, float]  # costs by setup


def measure(context: Context) -> Measured:
    """Streams, ZeroMQ and SQLite, all in turn."""
    files = ingest.write_stream(context.scratch)
    found = Measured([], {setup: [] for setup in DEFAULTS}, [], {per_commit: [] for per_commit in ROWS_PER_COMMIT}, {})
    try:
        found.cold = cold_costs(context, files)
        for i in range(context.repetitions):
            progress(f"end_to_end: repetition {i + 1} of {context.repetitions}")
            found.streams.append(stream_once(context, files))
            for setup, runs in found.defaults.items():
                runs.append(stream_once(context, files, setup=setup))
            messages, size = (found.streams[-1].producer[key] for key in ("events", "message_bytes"))
            found.zmq.append(raw_zmq(context, messages, size))
            for per_commit, rates in found.sqlite.items():
                rates.append(raw_sqlite(context, messages, size, per_commit))
    finally:
        for file in files:
            file.unlink()
    return found


def notes(streams: list[Stream]) -> list[str]:
    every = ingest.POINTS // ingest.BATCH
    timed = streams[0].producer["events"]

    def microseconds(who: str, events: int) -> float:
        return 1e6 * float(np.median([getattr(s, who)["cpu"] for s in streams])) / events

    used = {"producer": microseconds("producer", timed), "engine": microseconds("engine", every)}
    used["subscriber"] = microseconds("subscriber", every)
    commits = float(np.median([s.engine["commits"] for s in streams]))
    return [
        f"Processes: one producer, the engine with its recording, one label subscriber. Batches of {ingest.BATCH:,} "
        f"points (d = {ingest.DIMENSIONS}), messages of {streams[0].producer['message_bytes']:,} bytes, {timed:,} "
        f"timed after {WARM}; safairkm with k = {ingest.CLUSTERS}, 64 revisits and 4 swaps per batch, window "
        f"{ingest.WINDOW:,}.",
        "The limits move and write messages of the same size on the same disk, in turn with the streams; the target is "
        f"set against the slower of ZeroMQ and SQLite with {ROWS_PER_COMMIT[0]} rows per commit.",
        f"Processor time per message, microseconds: {', '.join(f'{who} {time:.0f}' for who, time in used.items())}; "
        f"together {sum(used.values()):.0f}, on {len(os.sched_getaffinity(0))} cores. Engine: {every / commits:.1f} "
        f"events per commit, {streams[0].engine['checkpoints']} checkpoints.",
        "After each run the subscriber's labels were the engine's; gaps that it repaired: "
        f"{sum(s.subscriber['gaps'] for s in streams)} in {len(streams)} runs.",
    ]


def run(context: Context) -> Section:
    section = Section("end_to_end", "Producer to engine to subscriber over ipc, recorded and acked")
    found = measure(context)
    mega = ingest.BATCH / 1e6
    ours = float(np.median([s.events_per_second for s in found.streams])) * mega
    limits = {"ZeroMQ": found.zmq, "SQLite": found.sqlite[ROWS_PER_COMMIT[0]]}
    limits = {name: float(np.median(rates)) * mega for name, rates in limits.items()}
    slower = min(limits, key=lambda name: limits[name])
    peer = f"{slower}, the slower limit, {limits[slower]:.2f} M points/s"
    section.figures.append(at_least("end to end", f"{ours:.2f} M points/s", peer, ours / limits[slower], TARGET))
    section.figures += default_figures(found.defaults, found.cold)
    section.tables.append(table(found.streams, found.defaults, found.zmq, found.sqlite))
    section.notes += notes(found.streams)
    return section
