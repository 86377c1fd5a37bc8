"""The most processor time that one event takes at the default `step_work_limit`, of streams made to take long, and how
often events of ordinary streams end at it."""

from __future__ import annotations

import json
import subprocess

from report import Section, at_most, progress
from support import Context

SECONDS = 1.5  # for the longest event
ORDINARY = 0.05  # largest part of an ordinary stream's events that end at the limit


def streams(context: Context, group: str) -> list[dict]:
    progress(f"event_work: {group}")
    command = [context.program("bench_event_work"), "", group]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def run(context: Context) -> Section:
    section = Section("event_work", "Processor time of the longest event")
    for group in ("scorer", "clusters", "others", "graphs"):
        for stream in streams(context, group):
            longest = stream["longest"]
            ours = f"{longest:.2f} s, {stream['event']}"
            section.figures.append(at_most(stream["attack"], ours, f"{SECONDS} s", longest / SECONDS, 1))
    for stream in streams(context, "ordinary"):
        share = stream["at_limit"] / stream["events"]
        ours = f"{stream['at_limit']} of {stream['events']} events at the limit"
        section.figures.append(at_most(f"ordinary: {stream['attack']}", ours, "none", share / ORDINARY, 1))
    return section
