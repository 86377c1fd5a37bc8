"""Processor seconds that compiling takes from nothing, for the demo and then for the tests, and the dearest sources."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from report import Section, Table, at_most, progress
from support import Context, Failed

ROOT = Path(__file__).resolve().parents[2]
DEMO_TARGET = 240
TEST_TARGET = 900
DEAREST = 10
# Built for the demo by `./dev demo`.
DEMO_PROGRAMS = ("fairstream", "stream_demo")


def processor_seconds(command: list[str]) -> tuple[float, float]:
    """User and system seconds of a command and everything it starts, and those of the clock."""
    before, began = os.times(), time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return used, time.monotonic() - began


def dearest(log: Path) -> list[tuple[float, str]]:
    """Seconds of each step that made an object or a program, dearest first, from Ninja's log."""
    steps: dict[str, float] = {}
    for line in log.read_text().splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        steps[output] = (int(end) - int(begin)) / 1000
    return sorted(((seconds, output) for output, seconds in steps.items()), reverse=True)


def of_measured_file() -> float:
    """Processor seconds of the file by which `./dev` announces how long a first build takes."""
    named = re.search(r"^measured_file=(\S+)", (ROOT / "dev").read_text(), re.MULTILINE)
    if named is None:
        raise Failed("dev names no measured_file")
    command = ["c++", "-std=c++20", "-O3", f"-I{ROOT}/engine", "-c", str(ROOT / named[1]), "-o", os.devnull]
    return processor_seconds(command)[0]


def run(context: Context) -> Section:
    section = Section("build", "Compiling from nothing, without a compiler cache")
    cores = os.cpu_count()
    build = context.scratch / "build_from_nothing"
    shutil.rmtree(build, ignore_errors=True)
    configure = ["cmake", "--preset", "release", "-B", str(build), "-DCCACHE=CCACHE-NOTFOUND"]
    compile_all = ["cmake", "--build", str(build), "--parallel", str(cores)]
    try:
        processor_seconds(configure)
        progress("build: what the demo runs")
        demo, demo_wall = processor_seconds([*compile_all, "--target", *DEMO_PROGRAMS])
        progress("build: what the tests run")
        rest, rest_wall = processor_seconds(compile_all)
        steps = dearest(build / ".ninja_log")
        of_file = of_measured_file()
    finally:
        shutil.rmtree(build, ignore_errors=True)
    section.figures.append(at_most("for the demo", f"{demo:.0f} s", "seconds", demo, DEMO_TARGET))
    section.figures.append(at_most("for the tests", f"{demo + rest:.0f} s", "seconds", demo + rest, TEST_TARGET))
    section.tables.append(
        Table(
            f"The {DEAREST} dearest of {len(steps)} steps",
            ["step", "s"],
            [[output, f"{seconds:.1f}"] for seconds, output in steps[:DEAREST]],
        )
    )
    section.notes.append(
        f"Times as long as the file that ./dev measures by: {demo / of_file:.0f} for the demo, "
        f"{(demo + rest) / of_file:.0f} for the tests."
    )
    section.notes.append(
        f"By the clock on {cores} cores: {demo_wall:.0f} s for the demo, {demo_wall + rest_wall:.0f} s for the tests."
    )
    return section
