"""Peak memory of an engine process that is attacked, each attack on a fresh one, against the bound that it states."""

from __future__ import annotations

import itertools
import json
import os
import resource
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bare import CHUNK, COMMAND, MORE, chunks, frame, greeting, header, introduction, send_all
from report import Section, Table, at_most, progress
from served import MEBIBYTE, PATIENCE, SOCKETS, Commanded, Served, key_pairs
from support import Context, Failed

DESCRIPTORS = 1024  # RLIMIT_NOFILE of the engine
STRANGERS = 1000  # to each socket
LINGER = 7.0  # seconds that silent or unfinished connections last; the engine ends them after 5 s
TARGET = 1.0

ENGINE = """
event_work_limit = 10000000000000000
[stream]
dimensions = 6
[[stream.attribute]]
name = "sex"
groups = ["female", "male"]
[[stream.attribute]]
name = "age_band"
groups = ["under_30", "30_to_54", "55_plus"]
[window]
capacity = 20000
[[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = 8
balance_at_least = 0.4
"""


ENDLESS = 1024 * MEBIBYTE  # bytes of an endless message


@dataclass(frozen=True)
class Size:
    """What the engine is told to allow."""

    name: str
    message_bytes: int
    connections: tuple[int, int, int]  # of ingest, updates, control

    def settings(self) -> dict[str, str]:
        sections = {"engine": ENGINE, "ingest": f"max_message_bytes = {self.message_bytes}\n"}
        for name, most in zip(SOCKETS, self.connections):
            sections[name] = sections.get(name, "") + f"connections = {most}\n"
        return sections


DEFAULT = Size("default", 4 * MEBIBYTE, (64, 128, 128))
SMALL = Size("small", MEBIBYTE // 4, (16, 16, 16))


class Watched(threading.Thread):
    """Looks within the block how many descriptors an engine has open."""

    def __init__(self, engine: Served):
        super().__init__()
        self.engine = engine
        self.ended = threading.Event()
        self.most = 0

    def run(self) -> None:
        while not self.ended.wait(0.02):
            try:
                self.most = max(self.most, self.engine.open_descriptors())
            except (Failed, OSError):
                return

    def __enter__(self) -> Watched:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.join()


@dataclass
class Attacked:
    """An engine within an attack."""

    context: Context
    engine: Served
    size: Size
    keys: tuple[str, str] | None  # a listed client's, public and secret

    def run(self, role: str, *arguments: object) -> dict:
        """`bench_attacks`, as the listed client."""
        command = [self.context.program("bench_attacks"), role, *map(str, arguments)]
        given = " ".join(self.keys) + "\n" if self.keys else ""
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=4 * PATIENCE, check=False)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command[:2])} exited with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    @property
    def server_key(self) -> str:
        return self.engine.server_key or "-"


def mebibytes(size: float) -> str:
    return f"{size / MEBIBYTE:,.0f} MiB"


def idle(at: Attacked) -> str:
    command = [at.context.program("bench_strangers"), "idle", str(3 * STRANGERS), "1000", *at.engine.ports]
    with Commanded(command) as strangers:
        strangers.line()
        time.sleep(LINGER / 2)
        begun = time.monotonic()
        send_points(at, 100, 3)
        waited = time.monotonic() - begun
        time.sleep(LINGER / 2)
        counted = json.loads(strangers.ask("mark"))
        strangers.end()
    return f"{counted['open']:,} connected, {counted['cut']:,} times cut off; a producer served in {waited:.1f} s"


def unfinished_handshakes(at: Attacked) -> str:
    def make() -> Iterator[bytes]:
        return itertools.chain(
            [greeting(b"CURVE"), header(COMMAND, at.size.message_bytes)],
            chunks(bytes(CHUNK), at.size.message_bytes - 1),
        )

    # Only as many as find room, so that none ends another.
    ports = [port for port, most in zip(at.engine.ports, at.size.connections) for _ in range(most)]
    sent, ended = send_all(ports, make, LINGER, again=True)
    return f"{mebibytes(sent)} sent over {len(ports):,} connections at a time, {ended:,} times cut off"


def junk(at: Attacked) -> str:
    block = os.urandom(CHUNK)
    sent, ended = send_all(at.engine.ports, lambda: chunks(block, 200 * MEBIBYTE), 60, again=True, most=600 * MEBIBYTE)
    return f"{mebibytes(sent)} sent in 60 s at most, {ended:,} times cut off"


def junk_after_greeting(at: Attacked) -> str:
    block = os.urandom(CHUNK)

    def make() -> Iterator[bytes]:
        return itertools.chain(introduction(b"DEALER"), chunks(block, 200 * MEBIBYTE))

    sent, ended = send_all(at.engine.ports, make, 15, again=True, most=600 * MEBIBYTE)
    return f"{mebibytes(sent)} sent in 15 s at most, {ended:,} times cut off"


def long_topic(at: Attacked) -> str:
    def make() -> Iterator[bytes]:
        opening = [*introduction(b"SUB"), header(0, 40_000_000), b"\1"]
        return itertools.chain(opening, chunks(bytes(CHUNK), 39_999_999))

    sent, ended = send_all([at.engine.ports[1]], make, 5, again=True)
    return f"{mebibytes(sent)} sent, {ended:,} times cut off"


def many_topics(at: Attacked) -> str:
    block = b"".join(frame(0, b"\1" + str(i).encode().ljust(20, b"x")) for i in range(1_000_000))

    def make() -> Iterator[bytes]:
        return itertools.chain(introduction(b"SUB"), [block])

    sent, ended = send_all([at.engine.ports[1]], make, 5, again=True)
    return f"{mebibytes(sent)} sent, {ended:,} times cut off"


def listed_topics(at: Attacked) -> str:
    at.run("subscriptions", at.engine.endpoints["updates"], at.server_key, 100_000, 20, 5)
    return "10^5 topics of 20 bytes by a listed subscriber, again when cut off"


def listed_long_topic(at: Attacked) -> str:
    # Not 40 MB: libzmq's own client keeps a node for each byte, and visits them by recursion.
    at.run("subscriptions", at.engine.endpoints["updates"], at.server_key, 100, 20_000, 5)
    return "100 topics of 20,000 bytes by a listed subscriber, again when cut off"


def unfinished_message(at: Attacked) -> str:
    size = at.size.message_bytes
    count = ENDLESS // size
    block = bytes(size)

    def make() -> Iterator[bytes]:
        return itertools.chain(introduction(b"DEALER"), (frame(MORE, block) for _ in range(count)))

    sent, ended = send_all([at.engine.ports[0]], make, 5, again=False)
    return f"{mebibytes(sent)} sent in frames of {size:,} bytes, {ended} times cut off"


def listed_parts(at: Attacked) -> str:
    size = at.size.message_bytes
    done = at.run("parts", at.engine.endpoints["ingest"], at.server_key, ENDLESS // size, size)
    return f"{mebibytes(done['bytes'])} taken in one message of frames of {size:,} bytes"


def flood(at: Attacked) -> str:
    """Full-size messages to an engine that is busy with a refinement."""
    connections = at.size.connections[0]
    endpoints = at.engine.endpoints
    sockets = (endpoints["ingest"], endpoints["control"])
    done = at.run("flood", *sockets, at.server_key, connections, at.size.message_bytes, 10)
    busy = "busy to the end" if done["busy"] else "not busy to the end"
    return f"{done['messages']:,} messages taken, {mebibytes(done['bytes'])}, engine {busy}"


def snapshots(at: Attacked) -> str:
    connections = at.size.connections[2] - 1
    done = at.run("snapshots", at.engine.endpoints["control"], at.server_key, connections, 5)
    return f"{done['messages']:,} requests taken over {connections} connections"


def refusals(at: Attacked) -> str:
    done = at.run("refusals", at.engine.endpoints["ingest"], at.server_key, 300_000)
    return f"{done['messages']:,} refused"


BOTH = (DEFAULT, SMALL)


@dataclass(frozen=True)
class Attack:
    what: str
    carry_out: Callable[[Attacked], str]
    with_keys: bool = True
    bounded: bool = True  # whether `receive_bound` covers it
    sizes: tuple[Size, ...] = BOTH


ATTACKS = [
    Attack(f"{STRANGERS:,} idle connections to each socket", idle),
    Attack("unfinished handshakes", unfinished_handshakes),
    Attack("junk, 200 MiB to each socket", junk, sizes=(DEFAULT,)),
    Attack("junk, 200 MiB to each socket", junk, with_keys=False),
    Attack("junk after a handshake, likewise", junk_after_greeting, with_keys=False),
    Attack("a topic of 40 MB", long_topic, with_keys=False),
    Attack("topics of 20,000 bytes", listed_long_topic, sizes=(DEFAULT,)),
    Attack("10^6 topics", many_topics, with_keys=False),
    Attack("10^5 topics", listed_topics, sizes=(DEFAULT,)),
    Attack("full-size messages, no answer read, engine busy", flood),
    Attack("snapshots, none read", snapshots, bounded=False),
    Attack("refused under 300,000 names", refusals, sizes=(DEFAULT,)),
    Attack("a message that never ends", unfinished_message, with_keys=False, bounded=False),
    Attack("a message of many frames", listed_parts, bounded=False, sizes=(SMALL,)),
]


@dataclass
class Result:
    attack: Attack
    before: int  # resident bytes at the beginning
    peak: int
    bound: int
    descriptors: int  # largest observed number
    found: str
    ended: str

    @property
    def share(self) -> float:
        return (self.peak - self.before) / self.bound


def send_points(at: Attacked, points: int, seed: int) -> None:
    """A producer of the engine is served."""
    command = [at.context.program("fairstream"), "send", "--ingest", at.engine.endpoints["ingest"], "--generate", "loans"]
    command += ["--points", str(points), "--generate-seed", str(seed), "--name", "known", "--timeout", str(PATIENCE)]
    if at.keys:
        file = at.engine.folder / "client.keys"
        file.write_text("public {}\nsecret {}\n".format(*at.keys))
        file.chmod(0o600)
        command += ["--server-key", at.engine.server_key, "--keys", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"a producer is not served: {done.stderr.strip()}")


def carry_out(context: Context, attack: Attack, size: Size) -> Result:
    keys = key_pairs(context, 1)[0] if attack.with_keys else None
    clients = {"clients": [keys[0]]} if keys else None
    with Served(context, size.settings(), clients, DESCRIPTORS) as engine:
        at = Attacked(context, engine, size, keys)
        send_points(at, 20_000, 1)  # fills the window, and so the snapshots
        before = engine.memory("VmRSS")
        with Watched(engine) as watched:
            found = attack.carry_out(at)
        peak = engine.memory("VmHWM")
        send_points(at, 1000, 2)
        engine.stop()
        counts = {
            "surplus": engine.counted("connections? (?:was|were) ended: there were too many"),
            "oversubscribed": engine.counted("connections? (?:was|were) ended: too many"),
            "too many parts": engine.counted("connections? (?:was|were) ended: a message"),
            "key not admitted": engine.counted("connections had a key"),
            "refused": engine.counted("refused,"),
            "wrong frames": engine.counted("messages had a wrong"),
        }
        ended = ", ".join(f"{what} {count:,}" for what, count in counts.items() if count)
        return Result(attack, before, peak, engine.bound, watched.most, found, ended)


def rows(results: list[Result]) -> list[list[str]]:
    return [
        [
            result.attack.what,
            "with" if result.attack.with_keys else "without",
            f"{result.before / MEBIBYTE:,.0f}",
            f"{result.peak / MEBIBYTE:,.0f}",
            f"{result.bound / MEBIBYTE:,.0f}" if result.attack.bounded else "none",
            f"{result.share:.3f}",
            f"{result.descriptors:,}",
            result.found,
            result.ended,
        ]
        for result in results
    ]


def run(context: Context) -> Section:
    # More than a thousand connections are opened to each socket.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < 4 * STRANGERS:
        raise Failed(f"{hard} file descriptors are too few for {3 * STRANGERS:,} connections: ulimit -n")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    section = Section("attacks", "Memory of an engine under attack against the bound that it states")
    columns = ["attack", "keys", "MiB before", "peak MiB", "bound MiB", "(peak - before) / bound", "descriptors"]
    for size in BOTH:
        results = []
        for attack in (attack for attack in ATTACKS if size in attack.sizes):
            progress(f"attacks: {size.name} sizes: {attack.what}")
            results.append(carry_out(context, attack, size))
        worst = max((r for r in results if r.attack.bounded), key=lambda r: r.share)
        what = f"most that was held, {size.name} sizes"
        ours = f"{mebibytes(worst.peak - worst.before)}, {worst.attack.what}"
        section.figures.append(at_most(what, ours, f"stated, {mebibytes(worst.bound)}", worst.share, TARGET))
        connections = " + ".join(map(str, size.connections))
        title = f"{size.name.capitalize()} sizes: messages of {size.message_bytes:,} bytes, {connections} connections"
        section.tables.append(Table(title, [*columns, "clients", "what the engine says"], rows(results)))
    section.notes += [
        f"A fresh engine for each attack, of at most {DESCRIPTORS:,} descriptors, with 20,000 points; 'before' is what "
        "was resident when the attack began, the peak VmHWM. After each attack a producer was served, and the engine "
        "ended with exit code 0.",
        "The bound is of whole messages that were not handled yet. It covers neither answers that are not read, four "
        "for each connection (snapshots), nor messages that never end: the engine looks ten times a second for their "
        "connections and ends them, so that they are bounded by the network's speed.",
    ]
    return section
