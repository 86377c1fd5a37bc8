#!/usr/bin/python3
"""Full load on an engine process for a while, with clients that stall and engines that are killed.

Three senders send without a pause; of three watchers one reads on, one is stopped and goes on again and again, one is
killed and begins anew. The engine is killed with SIGKILL three times in the first part of the time and recovers each
time; from the last recovery on, resident memory and open descriptors are measured. At the end every acked point must be
recorded once, and the labels of every watcher must be those that a replay of the recording gives. Prints a table, and
exits with 1 where something is not so.
"""

import argparse
import hashlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SENDERS = 3
KILLS = (0.10, 0.20, 0.30)  # shares of the time
WARM_UP = 0.15  # share of the time after the last recovery that is not measured
MODEL = "fair"
PATIENCE = 120  # seconds for anything that must happen

CONFIG = """
[stream]
dimensions = 6
[[stream.attribute]]
name = "sex"
groups = ["female", "male"]
[[stream.attribute]]
name = "age_band"
groups = ["under_30", "30_to_54", "55_plus"]
[window]
capacity = 5000
[[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = 6
balance_at_least = 0.4
[[model]]
name = "scheduled"
kind = "safairkm"
every = 2000
[model.options]
clusters = 4
[recording]
checkpoint_events = 500
[updates]
queue = 100
ring_messages = 200
ring_bytes = 1048576
"""


class Failure(Exception):
    """Something that was promised did not happen."""


class Endpoints:
    def __init__(self, folder):
        self.folder = folder
        self.ingest, self.updates, self.control = (f"ipc://{folder}/{name}" for name in ("ingest", "updates", "control"))


class Engine:
    """`fairstream serve`, which can be killed and started again, and what it takes while it runs."""

    def __init__(self, program, folder, endpoints):
        self.folder = folder
        (folder / "config.toml").write_text(CONFIG)
        self.command = [program, "serve", "--config", folder / "config.toml", "--recording", folder / "soak.fairstream",
                        "--ingest", endpoints.ingest, "--updates", endpoints.updates, "--control", endpoints.control]
        self.samples = []  # (seconds since the start of the process, resident KiB, descriptors)
        self.start()

    def start(self):
        self.samples.clear()
        self.started = time.monotonic()
        self.log = open(self.folder / "engine.log", "ab")
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.log.close()
        if code != 0:
            raise Failure(f"the engine ended with exit code {code}, see {self.folder}/engine.log")

    def sample(self):
        if self.process.poll() is not None:
            raise Failure(f"the engine ended with exit code {self.process.returncode}, see {self.folder}/engine.log")
        proc = pathlib.Path("/proc") / str(self.process.pid)
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        self.samples.append((time.monotonic() - self.started, int(status["VmRSS"].split()[0]), len(os.listdir(proc / "fd"))))


class Sender(threading.Thread):
    """Sends one stream after another under one name until told to end; the last one to its end."""

    def __init__(self, program, endpoints, number):
        super().__init__()
        self.command = [program, "send", "--ingest", endpoints.ingest, "--generate", "loans", "--points", "20000", "--batch",
                        "200", "--name", f"sender-{number}", "--timeout", str(PATIENCE), "--json"]
        self.number = number
        self.ending = threading.Event()
        self.events = self.points = self.last_sequence = 0
        self.failure = None

    def run(self):
        seed = self.number
        while not self.ending.is_set() and not self.failure:
            seed += SENDERS
            sent = subprocess.run(self.command + ["--generate-seed", str(seed)], capture_output=True, text=True)
            if sent.returncode != 0:
                self.failure = f"sender {self.number} ended with exit code {sent.returncode}: {sent.stderr.strip()}"
                return
            report = json.loads(sent.stdout)
            self.events += report["acked"]
            self.points += report["sent"]
            self.last_sequence = max(self.last_sequence, report["last_sequence"])


class Watcher:
    """`fairstream watch`, whose lines go into a file."""

    def __init__(self, program, folder, endpoints, name):
        self.name = name
        self.labels = folder / f"{name}.csv"
        self.lines = folder / f"{name}.jsonl"
        self.command = [program, "watch", "--updates", endpoints.updates, "--control", endpoints.control, "--model", MODEL,
                        "--labels", self.labels, "--json", "--reconnect"]
        self.start()

    def start(self, until=None):
        with open(self.lines, "wb") as out, open(self.labels.with_suffix(".err"), "wb") as errors:
            self.process = subprocess.Popen(self.command + (["--until-sequence", str(until)] if until else []),
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=errors)

    def begin_anew(self):
        self.process.kill()
        self.process.wait()
        self.start()

    def seen(self):
        """The sequence as of which it last said that it holds the labels."""
        with open(self.lines, "rb") as lines:
            lines.seek(max(0, os.path.getsize(self.lines) - 65536))
            complete = lines.read().split(b"\n")[1:-1]
        sequences = [event["sequence"] for event in map(json.loads, complete) if event["line"] == "labels"]
        return max(sequences, default=0)

    def finish(self, last):
        """Waits until it has seen all, and has it write its labels."""
        deadline = time.monotonic() + PATIENCE
        while self.seen() < last:
            if self.process.poll() is not None:
                raise Failure(f"the {self.name} watcher ended with exit code {self.process.returncode}")
            if time.monotonic() > deadline:
                raise Failure(f"the {self.name} watcher is at event {self.seen()} of {last} after {PATIENCE} s")
            time.sleep(0.1)
        self.process.send_signal(signal.SIGINT)
        if self.process.wait(PATIENCE) != 0:
            raise Failure(f"the {self.name} watcher ended with exit code {self.process.returncode}")


def disturb(engine, senders, watchers, seconds):
    """The load itself: one look a tenth of a second, one disturbance when its time has come."""
    _, stalled, restarted = watchers
    begun = time.monotonic()
    kills = [share * seconds for share in KILLS]
    next_change, is_stopped, changes = 2.0, False, 0
    while (passed := time.monotonic() - begun) < seconds:
        engine.sample()
        if kills and passed >= kills[0]:
            kills.pop(0)
            engine.kill()
            engine.start()
        if passed >= next_change:
            next_change = passed + max(2.0, seconds / 60)
            stalled.process.send_signal(signal.SIGCONT if is_stopped else signal.SIGSTOP)
            is_stopped = not is_stopped
            changes += 1
            if changes % 3 == 0:
                restarted.begin_anew()
        if failures := [s.failure for s in senders if s.failure]:
            raise Failure(failures[0])
        time.sleep(0.1)
    if is_stopped:
        stalled.process.send_signal(signal.SIGCONT)


def thirds(samples):
    """The first and the last third of what was measured after the warm-up."""
    begin = samples[0][0] + WARM_UP * (samples[-1][0] - samples[0][0])
    kept = [sample for sample in samples if sample[0] >= begin]
    if len(kept) < 30:
        raise Failure(f"{len(kept)} samples are too few to compare: let it run longer")
    return kept[: len(kept) // 3], kept[-(len(kept) // 3):]


def digest_of_labels(path, columns):
    """Of the first columns of all rows but the header."""
    digest = hashlib.sha256()
    for line in path.read_text().splitlines()[1:]:
        digest.update((",".join(line.split(",")[:columns]) + "\n").encode())
    return digest.hexdigest()[:16]


def run_json(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{command[1]} ended with exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


class Table:
    def __init__(self):
        self.rows, self.failed = [], False

    def check(self, what, found, rule, holds):
        self.rows.append((what, str(found), rule, "ok" if holds else "FAILED"))
        self.failed |= not holds

    def print(self):
        rows = [("what", "found", "must be", "")] + self.rows
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def check_growth(table, samples, growth, descriptors):
    first, last = thirds(samples)
    for name, column, unit, bound in (("resident memory", 1, "KiB", growth), ("descriptors", 2, "", descriptors)):
        before, after = (statistics.median(sample[column] for sample in part) for part in (first, last))
        table.check(f"{name}, last third", f"{after:.0f} {unit}".strip(), f"at most {before:.0f} + {bound} {unit}".strip(),
                    after <= before + bound)


def check_contents(table, program, folder, senders, watchers):
    recording = str(folder / "soak.fairstream")
    contents = run_json([program, "check", recording, "--json"])
    for name, found, acked in (("events", contents["events"], sum(s.events for s in senders)),
                               ("points", contents["sent"], sum(s.points for s in senders))):
        table.check(f"recorded {name}", found, f"{acked} acked", found == acked)
    replayed = folder / "replayed.csv"
    run_json([program, "replay", recording, "--labels", str(replayed), "--json"])
    columns = len(watchers[0].labels.read_text().split("\n", 1)[0].split(","))
    expected = digest_of_labels(replayed, columns)
    for watcher in watchers:
        found = digest_of_labels(watcher.labels, columns)
        table.check(f"labels of the {watcher.name} watcher", found, f"{expected}, by replay", found == expected)


def soak(arguments, folder):
    endpoints = Endpoints(folder)
    engine = Engine(arguments.program, folder, endpoints)
    watchers = [Watcher(arguments.program, folder, endpoints, name) for name in ("steady", "stalled", "restarted")]
    senders = [Sender(arguments.program, endpoints, number) for number in range(SENDERS)]
    try:
        for sender in senders:
            sender.start()
        disturb(engine, senders, watchers, arguments.seconds)
        samples = list(engine.samples)
        for sender in senders:
            sender.ending.set()
        for sender in senders:
            sender.join()
            if sender.failure:
                raise Failure(sender.failure)
        for watcher in watchers:
            watcher.finish(max(sender.last_sequence for sender in senders))
        engine.stop()
        table = Table()
        table.rows.append(("sent", f"{sum(s.points for s in senders)} points", f"in {arguments.seconds} s", ""))
        table.rows.append(("engines killed", str(len(KILLS)), "", ""))
        check_growth(table, samples, arguments.growth, arguments.descriptors)
        check_contents(table, arguments.program, folder, senders, watchers)
        table.print()
        return 1 if table.failed else 0
    finally:
        for sender in senders:
            sender.ending.set()
        for process in [engine.process] + [watcher.process for watcher in watchers]:
            if process.poll() is None:
                process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("seconds", type=int, help="how long the load lasts, at least 60")
    parser.add_argument("--program", required=True, help="path of the fairstream program")
    parser.add_argument("--growth", type=int, default=8192, help="KiB by which resident memory may grow [8192]")
    parser.add_argument("--descriptors", type=int, default=2, help="descriptors more that may be open [2]")
    arguments = parser.parse_args()
    if arguments.seconds < 60:
        parser.error("seconds: must be at least 60")
    with tempfile.TemporaryDirectory(prefix="fairstream-soak-") as folder:
        try:
            return soak(arguments, pathlib.Path(folder))
        except Failure as failure:
            print(f"soak: {failure}", file=sys.stderr)
            log = pathlib.Path(folder) / "engine.log"
            print(log.read_text(errors="replace")[-2000:] if log.exists() else "", file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
