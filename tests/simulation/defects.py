#!/usr/bin/env python3
"""Puts defects into a copy of the sources, one at a time, and shows that the simulation finds each.

    tests/simulation/defects.py [SECONDS]     # at most so long for each; 60 by default

A defect that is not found, or whose place in the sources is gone, ends it with exit code 1.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "defects"


@dataclass(frozen=True)
class Defect:
    name: str
    changes: tuple[tuple[str, str, str], ...]  # file, text, what takes its place


DEFECTS = (
    Defect(
        "answers leave before the commit",
        (
            (
                "transports/fairstream/service/service.cpp",
                "            if (done) done();\n        });\n",
                "            if (done) done();\n        });\n        release(in_flight_);\n",
            ),
        ),
    ),
    Defect(
        "commits are not synced",
        (
            ("transports/fairstream/log/sqlite/recording.cpp", "PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF"),
            ("transports/fairstream/log/sqlite/detail/log_folder.hpp", "PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF"),
        ),
    ),
    Defect(
        "an event that comes again is taken as a new one",
        (
            (
                "transports/fairstream/service/ingest.cpp",
                "    const Origin origin{event.producer, sender.identity};\n    if (!accepts_epoch(client, origin, event.epoch)",
                "    const Origin origin{event.producer, sender.identity};\n"
                "    const auto is_good = [&] {\n"
                "        try {\n"
                "            return (void)engine_.check(event.event), true;\n"
                "        } catch (const InvalidInput&) {\n"
                "            return false;\n"
                "        }\n"
                "    };\n"
                "    if (producers_.position_of(origin, mark) == MarkPosition::duplicate && is_good()) {\n"
                "        wire::EventMessage again = event;\n"
                "        again.producer_sequence = producers_.expected(origin, event.epoch);\n"
                "        wire::AlignedMessage copy(wire::write(wire::IngestRequest{again}, encoder_));\n"
                "        ingest_and_record(again, engine_.check(again.event), copy, sender);\n"
                "        return hold_back(client, wire::Ack{event.producer_sequence, engine_.sequence()});\n"
                "    }\n"
                "    if (!accepts_epoch(client, origin, event.epoch)",
            ),
        ),
    ),
    Defect(
        "an update is folded in although the one before is missing",
        (
            (
                "transports/fairstream/zmq/point_view.cpp",
                "if (viewed_ && number == topic_sequence_ + 1 && apply(",
                "if (viewed_ && number > topic_sequence_ && apply(",
            ),
            (
                "transports/fairstream/zmq/point_view.cpp",
                "if (differ(publication.previous_hash, hash_) || is_not_later) {",
                "if (is_not_later) {",
            ),
        ),
    ),
    Defect(
        "a checkpoint has the number of the event before",
        (
            (
                "transports/fairstream/service/service.cpp",
                "journal_.begin_checkpoint({engine_.sequence(),",
                "journal_.begin_checkpoint({engine_.sequence() - 1,",
            ),
        ),
    ),
)


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, text=True, capture_output=True, **options)


def copy_sources() -> None:
    files = run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"], check=True).stdout
    for name in files.splitlines():
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or source.read_bytes() != target.read_bytes():
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


def build() -> None:
    environment = dict(os.environ, CCACHE_BASEDIR=str(COPY))
    for command in (
        ["cmake", "--preset", "release"],
        ["cmake", "--build", "build/release", "--target", "simulate", "--parallel", str(os.cpu_count())],
    ):
        done = run(command, cwd=COPY, env=environment)
        if done.returncode != 0:
            sys.exit(f"the copy does not build:\n{(done.stdout + done.stderr)[-3000:]}")


def put_in(defect: Defect) -> None:
    for file, text, instead in defect.changes:
        path = COPY / file
        source = path.read_text()
        if source.count(text) != 1:
            sys.exit(f"'{defect.name}': its place in {file} is gone; say in {Path(__file__).name} where it is now")
        path.write_text(source.replace(text, instead))


def search(seconds: float) -> tuple[int, str]:
    """Exit code of the simulation, and what it printed first."""
    done = run(["build/release/bin/simulate", "--seconds", str(seconds)], cwd=COPY)
    return done.returncode, done.stdout


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    missed = 0
    COPY.mkdir(parents=True, exist_ok=True)
    for defect in DEFECTS:
        copy_sources()
        put_in(defect)
        build()
        begun = time.monotonic()
        code, printed = search(seconds)
        took = time.monotonic() - begun
        found = code == 1
        missed += not found
        first = re.search(r"seed (\d+).*\n\s+(.*)", printed)
        how = f"seed {first[1]}: {first[2]}" if first else printed.strip()
        print(f"{'found ' if found else 'MISSED'}  {defect.name}  ({took:.0f} s; {how})", flush=True)
    copy_sources()
    print(f"{len(DEFECTS) - missed} of {len(DEFECTS)} found")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
