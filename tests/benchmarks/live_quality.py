"""The cost of live safairkm models along streams against the best of ten cold starts on the same windows."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from kept import Kept
from changing_streams import changing_sources
from live_streams import ADULT_SHUFFLED, BATCH, CLUSTERS, PARITY, RARE, RARE_BELOW, Stream, Target, sources, targets
from report import Figure, Section, Table, at_most, progress
from support import Context, run_json

PEER = Path(__file__).parent / "peers" / "live_quality_peer.py"
SEEDS = 3
CHECKPOINTS = 8
QUICK_STREAMS = (ADULT_SHUFFLED, "blobs, 3 groups", "drifting blobs")
QUICK_CHECKPOINTS = 3
WINDOWS = {"2,000": 2000, "5,000": 5000, "all": None}
DEFAULTS = ""  # settings of an unchanged live model
EFFORTS = (1, 4, 16)
LIVE = (DEFAULTS, *(f"effort={effort}" for effort in EFFORTS))
ROUNDING = 1e-9  # of a figure against its target
UNKNOWN = "not there yet"

MEDIAN, LARGEST = 1.01, 1.03  # cost / cost of the best cold start, on a stream that keeps its shape
DRIFTING_MEDIAN, DRIFTING_LARGEST = 1.03, 1.10  # on a drifting one, at PARITY
# The same on the streams of `changing_streams`: the median of each kind, and the largest from two windows after a
# change on.
NEW_MEDIAN, NEW_LARGEST = 1.01, 1.05
MICROSECONDS = 3  # per point of Adult


@dataclass(frozen=True)
class Case:
    """A stream, one of its windows, and what is asked of the models on it."""

    stream: Stream
    window: str  # of WINDOWS
    target: Target
    first: int  # batches before the measurement
    checkpoints: list[int]  # numbers of batches

    @property
    def title(self) -> str:
        return f"{self.stream.name}, seed {self.stream.seed}, window {self.window}, {self.target.name}"


def capacity(stream: Stream, window: str) -> int:
    return WINDOWS[window] or len(stream.points)


def schedule(stream: Stream, window: str, count: int) -> tuple[int, list[int]]:
    """The batches before what is measured, which begins when the window is full and a quarter of the stream has passed;
    and the checkpoints, spread evenly over what follows, as numbers of batches."""
    points = max(WINDOWS[window] or 0, len(stream.points) // 4)
    first = -(-points // BATCH)
    return first, [first + (stream.batches - first) * i // count for i in range(1, count + 1)]


@dataclass(frozen=True)
class Live:
    """How a live model fared in a case, measured against the cold starts."""

    case: Case
    settings: str
    ratios: list[float]  # of cost, at the checkpoints where both meet the target
    live_misses: int  # checkpoints where only the live model, or both, miss it
    cold_misses: int  # likewise the cold start
    settled: list[bool]  # for each ratio: whether two windows have passed since the last change
    figures: np.ndarray  # the bounded figure after each batch
    silent_misses: int  # batches that miss the target, although the model reports that it is met
    costs: list[float]  # at all checkpoints
    churn: float
    cpu: float  # microseconds per point
    wall: float


@dataclass(frozen=True)
class Peer:
    """Cost without fairness at the checkpoints."""

    stream: Stream
    window: str
    kmeans: list[float]
    partial_fit: list[float]


@dataclass
class Found:
    live: list[Live]
    unknown: dict[tuple[str, str, str, str], str]  # by stream, window, target and settings: the option's error
    peers: list[Peer]
    left_out: list[str]
    cold_seconds: float = 0


def command_of(context: Context, case: Case, checkpoints: list[int], live: Iterable[str]) -> list[str]:
    features, groups = files_of(context, case.stream)
    dimensions, group_count = case.stream.points.shape[1], int(case.stream.groups.max()) + 1
    numbers = (dimensions, group_count, CLUSTERS, capacity(case.stream, case.window), BATCH, case.stream.seed, RARE)
    command = [context.program("bench_live_quality"), str(features), str(groups), *map(str, numbers), str(case.first)]
    command += [",".join(map(str, checkpoints)), "--set", f"{case.target.option}={case.target.value}"]
    if case.stream.has_rare_groups:
        command += ["--set", f"rare_below={RARE_BELOW}"]
    for settings in live:
        command += ["--live", settings]
    return command


def files_of(context: Context, stream: Stream) -> tuple[Path, Path]:
    name = "".join(letter if letter.isalnum() else "_" for letter in stream.name.lower())
    return tuple(context.scratch / f"{name}.{stream.seed}.{what}" for what in ("features", "groups"))


def meets(target: Target, figure: float) -> bool:
    return figure >= target.value - ROUNDING


def is_settled(case: Case, batches: int) -> bool:
    return case.stream.since_change(batches) >= 2 * capacity(case.stream, case.window)


def live_of(case: Case, points: int, cold: list[dict], found: dict) -> Live:
    figure = case.target.figure
    at = found["checkpoints"]
    met = [(meets(case.target, live[figure]), meets(case.target, start[figure])) for live, start in zip(at, cold)]
    return Live(
        case=case,
        settings=",".join(found["settings"]),
        ratios=[live["cost"] / start["cost"] for live, start, both in zip(at, cold, met) if all(both)],
        settled=[is_settled(case, batches) for batches, both in zip(case.checkpoints, met) if all(both)],
        live_misses=sum(not live for live, _ in met),
        cold_misses=sum(not start for _, start in met),
        figures=np.array([batch[figure] for batch in found["batches"]]),
        silent_misses=sum(
            batch["claimed"] and not meets(case.target, batch[figure]) for batch in found["batches"]
        ),
        costs=[live["cost"] for live in at],
        churn=found["churn"],
        cpu=1e6 * found["cpu"] / points,
        wall=1e6 * found["wall"] / points,
    )


def add_case(found: Found, case: Case, report: dict) -> None:
    key = case.stream.name, case.window, case.target.name
    if "unknown" in report:
        found.unknown |= {(*key, settings): report["unknown"] for settings in LIVE}
        return
    found.cold_seconds += sum(start["cpu"] for start in report["cold"])
    for live in report["live"]:
        if "unknown" in live:
            found.unknown[*key, ",".join(live["settings"])] = live["unknown"]
        else:
            found.live.append(live_of(case, report["points"], report["cold"], live))


def run_peer(context: Context, stream: Stream, window: str, checkpoints: list[int]) -> dict:
    features, _ = files_of(context, stream)
    numbers = (stream.points.shape[1], CLUSTERS, capacity(stream, window), BATCH, stream.seed)
    arguments = [*map(str, numbers), ",".join(map(str, checkpoints))]
    inputs = stream.points, arguments, PEER.read_text()
    name = f"{stream.name} {stream.seed} {window}"
    compute = partial(run_json, [sys.executable, str(PEER), str(features), *arguments])
    return Kept(context.scratch / "kept").result(name, inputs, compute)


def streams(context: Context, found: Found) -> Iterable[Stream]:
    for source in [*sources(context), *changing_sources()]:
        if context.quick and source.name not in QUICK_STREAMS:
            continue
        if source.missing:
            found.left_out.append(f"{source.name} left out: {source.missing}.")
            continue
        for seed in seeds(context)[:1] if context.quick or not source.seeded else seeds(context):
            yield source.make(seed)


def seeds(context: Context) -> list[int]:
    return [context.seed + i for i in range(SEEDS)]


def settings_of(stream: Stream) -> tuple[str, ...]:
    return LIVE if stream.usual else (DEFAULTS,)


@dataclass(frozen=True)
class Task:
    title: str
    work: Callable[[], dict]  # may run beside others
    add: Callable[[dict], None]  # takes its result; not beside others


def tasks_of(context: Context, stream: Stream, found: Found) -> Iterable[Task]:
    for window in stream.windows:
        first, at = schedule(stream, window, QUICK_CHECKPOINTS if context.quick else CHECKPOINTS)
        for target in targets(stream, capacity(stream, window), first):
            case = Case(stream, window, target, first, at)
            command = command_of(context, case, case.checkpoints, settings_of(stream))
            yield Task(case.title, partial(run_json, command), partial(add_case, found, case))
        yield Task(
            f"{stream.name}, seed {stream.seed}, window {window}, scikit-learn",
            partial(run_peer, context, stream, window, at),
            lambda costs, window=window: found.peers.append(
                Peer(stream, window, costs["kmeans"], costs["partial_fit"])
            ),
        )


@contextmanager
def written(context: Context, all_streams: list[Stream]) -> Iterator[None]:
    """The files of the streams, for as long as it lasts."""
    try:
        for stream in all_streams:
            for file, values in zip(files_of(context, stream), (stream.points, stream.groups)):
                values.tofile(file)
        yield
    finally:
        for stream in all_streams:
            for file in files_of(context, stream):
                file.unlink(missing_ok=True)


def measure(context: Context) -> Found:
    """All cases, on all cores."""
    found = Found([], {}, [], [])
    all_streams = list(streams(context, found))
    tasks = [task for stream in all_streams for task in tasks_of(context, stream, found)]
    with written(context, all_streams), ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        waiting = [pool.submit(task.work) for task in tasks]
        try:
            for i, (task, result) in enumerate(zip(tasks, waiting)):
                progress(f"live_quality: {i + 1} of {len(tasks)}, {task.title}")
                task.add(result.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return found


@dataclass(frozen=True)
class Timing:
    case: Case
    cpu: list[float]  # microseconds per point, a run each
    wall: list[float]


def time_adult(context: Context) -> list[Timing]:
    """Microseconds per point as the defaults are, nothing else running."""
    source = next(source for source in sources(context) if source.name == ADULT_SHUFFLED)
    if source.missing:
        return []
    stream = source.make(context.seed)
    timings = []
    with written(context, [stream]):
        for window in stream.windows:
            first, _ = schedule(stream, window, CHECKPOINTS)
            for target in targets(stream, capacity(stream, window), first):
                case = Case(stream, window, target, first, [])
                progress(f"live_quality: time per point, {case.title}")
                reports = [run_json(command_of(context, case, [], [DEFAULTS])) for _ in range(context.repetitions)]
                if "unknown" not in reports[0]:
                    timings.append(Timing(case, *(microseconds(reports, clock) for clock in ("cpu", "wall"))))
    return timings


def microseconds(reports: list[dict], clock: str) -> list[float]:
    """Per point, of the one live model of each report."""
    return [1e6 * report["live"][0][clock] / report["points"] for report in reports]


def ratio_figures(what: str, live: list[Live], median: float, largest: float) -> list[Figure]:
    ratios = [ratio for each in live for ratio in each.ratios]
    checkpoints = sum(len(each.costs) for each in live)
    if not ratios:
        return [at_most(what, UNKNOWN, "best of ten cold starts", float("nan"), median)]
    misses = sum(each.live_misses for each in live), sum(each.cold_misses for each in live)
    ours = f"{len(ratios)} of {checkpoints} windows, {misses[0]} misses"
    peer = f"best of ten cold starts, {misses[1]} misses"
    return [
        at_most(f"{what}, median", ours, peer, float(np.median(ratios)), median),
        at_most(f"{what}, largest", ours, peer, max(ratios), largest),
    ]


def new_stream_figures(live: list[Live]) -> list[Figure]:
    """Of the streams that are not usual, kind by kind."""
    made = []
    for name in dict.fromkeys(each.case.stream.name for each in live):
        of_kind = [each for each in live if each.case.stream.name == name]
        ratios = [ratio for each in of_kind for ratio in each.ratios]
        settled = [ratio for each in of_kind for ratio, late in zip(each.ratios, each.settled) if late]
        ours, peer = f"{len(ratios)} windows", "best of ten cold starts"
        if ratios:
            made.append(at_most(f"{name}: median cost", ours, peer, float(np.median(ratios)), NEW_MEDIAN))
        if settled:
            ours = f"{len(settled)} windows; soon after a change {max(ratios):.3f}"
            made.append(at_most(f"{name}: largest", ours, peer, max(settled), NEW_LARGEST))
    misses = sum(each.silent_misses for each in live)
    batches = sum(len(each.figures) for each in live)
    made.append(at_most("batches that miss a target without a word", str(misses), f"of {batches}", misses, 0))
    return made


def figures(found: Found, timings: list[Timing]) -> list[Figure]:
    plain = [each for each in found.live if each.settings == DEFAULTS and each.case.stream.usual]
    stationary = [each for each in plain if each.case.stream.stationary]
    drifting = [each for each in plain if not each.case.stream.stationary and each.case.target == PARITY]
    made = ratio_figures("cost as the defaults are, stationary streams", stationary, MEDIAN, LARGEST)
    made += ratio_figures(
        f"cost as the defaults are, drifting, {PARITY.name}", drifting, DRIFTING_MEDIAN, DRIFTING_LARGEST
    )
    made += new_stream_figures([each for each in found.live if not each.case.stream.usual])
    if timings:
        slowest = max(timings, key=lambda timing: np.median(timing.cpu))
        cpu = float(np.median(slowest.cpu))
        what = f"microseconds per point, Adult, window {slowest.case.window}, {slowest.case.target.name}"
        limit = f"limit {MICROSECONDS:g} us"
        made.append(Figure(what, f"{cpu:.3f} us", limit, cpu / MICROSECONDS, "<= 1", cpu <= MICROSECONDS))
    return made


def settings_text(settings: str) -> str:
    return "as the defaults are" if settings == DEFAULTS else settings.replace("=", " ")


def cost_row(start: list[str], live: list[Live]) -> list[str]:
    """Of all seeds."""
    ratios = [ratio for each in live for ratio in each.ratios]
    checkpoints = sum(len(each.costs) for each in live)
    # The target may differ between seeds, as their streams allow different ones.
    missed = np.mean([not meets(each.case.target, figure) for each in live for figure in each.figures])
    bounded = [each for each in live if each.case.target.value > 0]
    smallest = min((each.figures.min() / each.case.target.value for each in bounded), default=float("nan"))
    return [
        *start,
        f"{np.median(ratios):.4f} / {max(ratios):.4f}" if ratios else "-",
        f"{sum(each.live_misses for each in live)} / {sum(each.cold_misses for each in live)} of {checkpoints}",
        f"{smallest:.4f}" if bounded else "-",
        f"{100 * missed:.1f} %",
        f"{100 * np.mean([each.churn for each in live]):.2f} %",
        f"{np.median([each.cpu for each in live]):.2f} / {np.median([each.wall for each in live]):.2f}",
    ]


def key_of(live: Live) -> tuple[str, str, str, str]:
    return live.case.stream.name, live.case.window, live.case.target.name, live.settings


def cost_table(found: Found, stream: str) -> Table:
    header = ["window", "target", "live model", "cost / cold: median / largest", "misses: live / cold"]
    header += ["smallest / target, any batch", "batches that miss", "churn", "us per point: CPU / wall"]
    keys = [(each.case.stream.name, each.case.window, each.case.target.name, each.settings) for each in found.live]
    rows = []
    keys = [(each.case.window, each.case.target.name) for each in found.live if each.case.stream.name == stream]
    for key in sorted({*keys, *(key[1:3] for key in found.unknown if key[0] == stream)}):
        for settings in LIVE:
            live = [each for each in found.live if key_of(each) == (stream, *key, settings)]
            if live:
                rows.append(cost_row([*key, settings_text(settings)], live))
        unknown = [settings_text(settings) for settings in LIVE if (stream, *key, settings) in found.unknown]
        if unknown:
            rows.append([*key, ", ".join(unknown), UNKNOWN, *[""] * (len(header) - 4)])
    return Table(stream, header, rows)


def peer_table(found: Found) -> Table:
    """What fairness costs: all over the best of ten starts of k-means, which knows none, on the same window."""

    def of(peer: Peer) -> tuple[str, str]:
        return peer.stream.name, peer.window

    rows = []
    for key in dict.fromkeys(map(of, found.peers)):
        peers = [peer for peer in found.peers if of(peer) == key]
        online = [cost / best for peer in peers for cost, best in zip(peer.partial_fit, peer.kmeans)]
        kmeans = {peer.stream.seed: peer.kmeans for peer in peers}
        ours: dict[str, list[float]] = {}
        for each in found.live:
            if (each.case.stream.name, each.case.window) == key and each.settings == DEFAULTS:
                best = kmeans[each.case.stream.seed]
                ours.setdefault(each.case.target.name, []).extend(cost / b for cost, b in zip(each.costs, best))
        text = "; ".join(f"{target}: {np.median(ratios):.3f}" for target, ratios in sorted(ours.items()))
        cost = np.median([cost for peer in peers for cost in peer.kmeans])
        rows.append([*key, f"{cost:.4f}", f"{np.median(online):.3f}", text])
    header = ["stream", "window", "KMeans: cost", "partial_fit / KMeans", "live / KMeans, as the defaults are"]
    return Table("Beside scikit-learn without fairness, medians over windows and seeds", header, rows)


def timing_table(timings: list[Timing]) -> Table:
    rows = [
        [timing.case.window, timing.case.target.name, f"{np.median(timing.cpu):.3f}", f"{np.median(timing.wall):.3f}"]
        for timing in timings
    ]
    return Table("Microseconds per point, Adult, as the defaults are", ["window", "target", "CPU", "wall"], rows)


def names_of(context: Context, usual: bool) -> str:
    return "; ".join(source.name for source in (sources(context) if usual else changing_sources()))


def notes(context: Context, found: Found) -> list[str]:
    count = QUICK_CHECKPOINTS if context.quick else CHECKPOINTS
    used = seeds(context)[:1] if context.quick else seeds(context)
    errors = sorted({error.split(":", 1)[0] for error in found.unknown.values()})
    lines = [
        f"K = {CLUSTERS}, batches of {BATCH}, seeds {', '.join(map(str, used))}: of the order or making of a stream, "
        "and of the models (one for a file in its order). Real features are z-scored, then rows scaled to unit length. "
        'Window "all" retains every point.',
        f"{count} windows of each course, from when the window is full and a quarter of the stream has passed to its "
        "end; smallest figure, batches that miss, churn and time are of the same part. Cold: a fresh engine takes in "
        "the window as one batch and refines it from ten starts to the same target. Cost is compared where both meet "
        f"it, within {ROUNDING:g}; a miss of both counts for both. Costs and counts there are checked against labels.",
        f"Balance and parity are of groups with at least {RARE} points in the window. Where a stream does not allow a "
        "balance in every window, a part of the best balance of its worst window takes its place, stream by stream.",
        "CPU is that of the process in and beside `ingest`, engines with one thread; in the tables of streams other "
        f"cases ran on the other cores, in the one of Adult none did (medians of {context.repetitions}). Cold "
        f"starts took {found.cold_seconds:.0f} s of CPU.",
        "Targets and constants were first chosen with these streams in view: " + names_of(context, usual=True)
        + ". These came later, and were in view with seeds 1 to 8 when the search by swaps was written: "
        + names_of(context, usual=False) + ". `--seed random` draws streams that nobody has seen.",
        *found.left_out,
    ]
    return lines + [f"{UNKNOWN}: {error}." for error in errors]


def run(context: Context) -> Section:
    section = Section("live_quality", "Live models along streams against cold starts")
    timings = time_adult(context)
    found = measure(context)
    section.figures += figures(found, timings)
    names = dict.fromkeys(peer.stream.name for peer in found.peers)
    section.tables += [cost_table(found, name) for name in names]
    section.tables.append(peer_table(found))
    if timings:
        section.tables.append(timing_table(timings))
    section.notes += notes(context, found)
    return section
