"""What a benchmark hands back, and how it is shown: a Markdown report and the same text on the terminal."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Figure:
    """One measured figure beside its peer or limit, measured in the same run."""

    what: str
    ours: str
    peer: str
    ratio: float
    target: str
    met: bool


@dataclass
class Table:
    title: str
    header: list[str]
    rows: list[list[str]]


@dataclass
class Section:
    name: str
    title: str
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: str = ""  # the reason, when it could not be run
    load: tuple[float, float] = (0.0, 0.0)  # one-minute load average before and after


def at_least(what: str, ours: str, peer: str, ratio: float, target: float) -> Figure:
    return Figure(what, ours, peer, ratio, f">= {target:g}", ratio >= target)


def at_most(what: str, ours: str, peer: str, ratio: float, target: float) -> Figure:
    return Figure(what, ours, peer, ratio, f"<= {target:g}", ratio <= target)


def within(what: str, ours: str, peer: str, ratio: float, tolerance: float) -> Figure:
    return Figure(what, ours, peer, ratio, f"1 +- {tolerance:g}", abs(ratio - 1) <= tolerance)


def progress(text: str) -> None:
    """One line on a terminal, overwritten by the next; nothing when piped."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _first_line(path: str, key: str) -> str:
    try:
        for line in Path(path).read_text().splitlines():
            if line.startswith(key):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return "unknown"


def machine(build: Path) -> list[str]:
    """What the figures were measured on, a line each."""
    cores = len(os.sched_getaffinity(0))
    memory = _first_line("/proc/meminfo", "MemTotal")
    compiler = "unknown"
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CMAKE_CXX_COMPILER:"):
            version = subprocess.run([line.split("=", 1)[1], "--version"], capture_output=True, text=True, check=False)
            compiler = version.stdout.splitlines()[0] if version.stdout else compiler
    lines = [
        f"CPU: {_first_line('/proc/cpuinfo', 'model name')}, {cores} cores; memory: {memory}",
        f"System: {platform.system()} {platform.release()}; compiler: {compiler}, Release",
    ]
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, cwd=build, capture_output=True, text=True, check=False)
    if commit.returncode == 0:
        lines.append(f"Commit: {commit.stdout.strip()}")
    return lines


def markdown_table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table whose columns line up as plain text too."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)


def _figure_rows(figures: list[Figure]) -> list[list[str]]:
    def verdict(figure: Figure) -> str:
        return "met" if figure.met else "MISSED"

    def ratio(figure: Figure) -> str:
        return f"{figure.ratio:.3g}" if figure.ratio >= 2 else f"{figure.ratio:.4f}"

    return [[f.what, f.ours, f.peer, ratio(f), f.target, verdict(f)] for f in figures]


def section_text(section: Section, command: str) -> str:
    parts = [f"## {section.title}"]
    if section.left_out:
        return f"{parts[0]}\n\nLeft out: {section.left_out}\n"
    parts.append(f"`{command} {section.name}` (load average {section.load[0]:.2f} before, {section.load[1]:.2f} after)")
    if section.figures:
        header = ["figure", "fairstream", "peer or limit", "ratio", "target", ""]
        parts.append(markdown_table(header, _figure_rows(section.figures)))
    parts += [f"**{table.title}**\n\n{markdown_table(table.header, table.rows)}" for table in section.tables]
    if section.notes:
        parts.append("\n".join(f"- {note}" for note in section.notes))
    return "\n\n".join(parts) + "\n"
