"""Acked points per second of 100 producers and 500 subscribers with keys, beside 1,000 idle strangers against none."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import numpy as np

from report import Section, Table, at_least, progress
from served import MEBIBYTE, Commanded, Served, key_pairs
from support import Context, Failed

PRODUCERS, SUBSCRIBERS, FOLLOWERS, STRANGERS = 100, 500, 10, 1000
DIMENSIONS, BATCH, WINDOW, CLUSTERS = 6, 200, 5000, 6
TARGET = 0.9
WARM, PHASE, ALTERNATIONS = 4.0, 6.0, 4  # seconds, seconds, number of phases with strangers, each between two without
SPARE = 28  # connections that a socket's own clients leave free, where strangers find no room
# Milliseconds until a stranger that was cut off connects again. Where all find room, they are cut off after five
# seconds and nearly all are connected at any time; where they do not, each connection ends another one at once.
PAUSES = {STRANGERS: 100, SPARE: 1000}
ACCEPTED, SETTLE = 0.9, 8.0  # share of the strangers with room that must connect, and seconds to wait for them
MESSAGE_BYTES = 65536

ENGINE = f"""
[stream]
dimensions = {DIMENSIONS}
[[stream.attribute]]
name = "group"
groups = ["first", "second"]
[window]
capacity = {WINDOW}
[[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = {CLUSTERS}
balance_at_least = 0.4
"""


@dataclass
class Phase:
    """A stretch of the stream."""

    seconds: float
    events: int
    publications: int
    published_bytes: int
    processor: float  # seconds of the engine
    descriptors: int  # of the engine, at its end
    resident: int  # bytes, at its end
    strangers: int = 0  # number with an open connection to the engine at the end
    cut: int = 0  # strangers that the engine cut off

    @property
    def rate(self) -> float:
        return self.events / self.seconds

    @property
    def microseconds(self) -> float:
        return 1e6 * self.processor / max(self.events, 1)


def phase(engine: Served, load: Commanded, strangers: Commanded | None = None, alone: int = 0) -> Phase:
    """`alone`: the engine's descriptors before strangers came."""

    def look() -> tuple[dict, float, dict]:
        others = json.loads(strangers.ask("mark")) if strangers else {"cut": 0}
        return json.loads(load.ask("mark")), engine.processor_seconds(), others

    before, used, others = look()
    time.sleep(PHASE)
    after, used_now, others_now = look()

    descriptors = engine.open_descriptors()

    def grown(name: str) -> float:
        return after[name] - before[name]

    return Phase(
        grown("time"),
        grown("acked"),
        grown("publications"),
        grown("bytes"),
        used_now - used,
        descriptors,
        engine.memory("VmRSS"),
        descriptors - alone if strangers else 0,
        others_now["cut"] - others["cut"],
    )


@dataclass
class Run:
    """The phases on one engine."""

    quiet: list[Phase]
    beside: list[Phase]
    peak: int  # bytes
    bound: int
    surplus: int  # connections that the engine ended as too many

    @property
    def ratio(self) -> float:
        return float(np.median([p.rate for p in self.beside]) / np.median([p.rate for p in self.quiet]))


def wait_for(engine: Served, descriptors: int) -> None:
    """Until the engine has accepted so many, if it does in time: it accepts one connection of a socket between two
    rounds of everything else, so that a busy one cuts strangers off as fast as others come."""
    deadline = time.monotonic() + SETTLE
    while engine.open_descriptors() < descriptors and time.monotonic() < deadline:
        time.sleep(0.05)


def measure(context: Context, what: str, room: int) -> Run:
    """On an engine whose sockets take `room` connections more than its clients have."""
    program = context.program("bench_strangers")
    keys = key_pairs(context, PRODUCERS + SUBSCRIBERS)
    public = [pair[0] for pair in keys]
    settings = {
        "engine": ENGINE,
        "ingest": f"connections = {PRODUCERS + room}\nmax_message_bytes = {MESSAGE_BYTES}\n",
        "updates": f"connections = {SUBSCRIBERS + room}\n",
        "control": f"connections = {FOLLOWERS + room}\n",
    }
    lists = {"producers": public[:PRODUCERS], "subscribers": public[PRODUCERS:]}
    given = "".join(f"{mine} {secret}\n" for mine, secret in keys)
    quiet: list[Phase] = []
    beside: list[Phase] = []
    with Served(context, settings, lists) as engine:
        sizes = (PRODUCERS, SUBSCRIBERS, FOLLOWERS, DIMENSIONS, BATCH)
        command = [program, "load", *engine.endpoints.values(), engine.server_key, *map(str, sizes)]
        with Commanded(command, given) as load:
            load.line()
            time.sleep(WARM)
            for i in range(ALTERNATIONS):
                progress(f"strangers: {what}, repetition {i + 1} of {ALTERNATIONS}")
                quiet.append(phase(engine, load))
                alone = engine.open_descriptors()
                with Commanded([program, "idle", str(STRANGERS), str(PAUSES[room]), *engine.ports]) as strangers:
                    strangers.line()
                    wait_for(engine, alone + int(ACCEPTED * min(room, STRANGERS)))
                    beside.append(phase(engine, load, strangers, alone))
                    strangers.end()
            quiet.append(phase(engine, load))
            peak = engine.memory("VmHWM")
            ended = json.loads(load.end())
        engine.stop()
        if ended["refused"] or ended["last"] != engine.counted("events with"):
            raise Failed(f"not every batch was acked once: {ended}, {engine.counted('events with')} taken in")
        return Run(quiet, beside, peak, engine.bound, engine.counted("connections? (?:was|were) ended: there were too many"))


def rows(what: str, run: Run) -> list[list[str]]:
    def row(who: str, phases: list[Phase]) -> list[str]:
        def middle(values: list[float]) -> float:
            return float(np.median(values))

        rates = [p.rate for p in phases]
        return [
            who,
            f"{middle(rates):,.0f} [{min(rates):,.0f}, {max(rates):,.0f}]",
            f"{middle(rates) * BATCH / 1e3:,.0f}",
            f"{middle([p.publications / p.seconds for p in phases]):,.0f}",
            f"{middle([p.microseconds for p in phases]):,.0f}",
            f"{middle([p.strangers for p in phases]):,.0f}",
            f"{middle([p.cut / p.seconds for p in phases]):,.0f}",
            f"{max(p.descriptors for p in phases):,}",
            f"{max(p.resident for p in phases) / MEBIBYTE:,.0f}",
        ]

    return [row(f"{what}: none", run.quiet), row(f"{what}: {STRANGERS:,} strangers", run.beside)]


def run(context: Context) -> Section:
    title = f"{STRANGERS:,} idle strangers beside {PRODUCERS} producers and {SUBSCRIBERS} subscribers"
    section = Section("strangers", title)
    roomy = measure(context, "room for all", STRANGERS)
    tight = measure(context, "no room", SPARE)
    for what, measured in (("acked, room for all", roomy), (f"acked, {SPARE} places free", tight)):
        ours, without = (float(np.median([p.rate for p in phases])) for phases in (measured.beside, measured.quiet))
        peer = f"no strangers, {without:,.0f}"
        section.figures.append(at_least(what, f"{ours:,.0f} events/s", peer, measured.ratio, TARGET))
    columns = ["strangers", "events/s acked", "thousand points/s", "publications/s read", "engine's us/event"]
    columns += ["connected", "cut off/s", "descriptors", "resident MiB"]
    title = f"Median [range] of {PHASE:g} s each, {ALTERNATIONS} times with strangers, each between two without"
    section.tables.append(Table(title, columns, [*rows("room", roomy), *rows(f"{SPARE} free", tight)]))
    section.notes += [
        f"All connections are TCP with CURVE; batches of {BATCH} points (d = {DIMENSIONS}), at most 4 of each producer "
        f"on the way; safairkm with k = {CLUSTERS}, window {WINDOW:,}. One process has all clients: {PRODUCERS} "
        f"producers and {FOLLOWERS} label subscribers of the library, and {SUBSCRIBERS - FOLLOWERS} bare SUB sockets "
        "that follow the same topic and keep no view. Engine, clients and strangers share the cores, so the engine has "
        "what the others leave; publications that a subscriber has no time for are dropped.",
        "Strangers open TCP connections to all three sockets and say nothing. Those who have a place are cut off after "
        f"five seconds, and come again {PAUSES[STRANGERS] / 1000:g} s later; those who are not connected wait to "
        "be accepted. Where there is no room the oldest silent ones make way, and come again "
        f"{PAUSES[SPARE] / 1000:g} s later.",
        f"Peak of the engine's memory {roomy.peak / MEBIBYTE:,.0f} and {tight.peak / MEBIBYTE:,.0f} MiB (it says that "
        f"clients can make it hold {roomy.bound / MEBIBYTE:,.0f} and {tight.bound / MEBIBYTE:,.0f} MiB of messages); "
        f"connections ended as too many {roomy.surplus:,} and {tight.surplus:,}. Every batch was acked once, and all "
        "label subscribers ended with the same labels.",
    ]
    return section
