"""How often confidence intervals of fairness figures hold the figures of made-up populations, and what they cost."""

from __future__ import annotations

from report import Section, Table, at_most
from support import Context, run_json

REPLICATES = 2000
QUICK_REPLICATES = 200
LOWEST, HIGHEST = 94.0, 96.0
LIMIT_MS = {1_000: 5, 10_000: 10, 100_000: 50}  # by number of points; a part of a refresh, which takes 5 to 50 ms


def run(context: Context) -> Section:
    section = Section("coverage", "Coverage of the intervals of fairness figures")
    replicates = QUICK_REPLICATES if context.quick else REPLICATES
    result = run_json([context.program("bench_coverage"), str(replicates)])
    for one in result["times"]:
        section.figures.append(
            at_most(
                f"{one['points']:,} points, ranks {one['from']:g} to {one['to']:g}",
                f"{one['score_intervals'] * 1e3:.1f} ms",
                f"score_fairness {one['score_fairness'] * 1e3:.2f} ms",
                one["score_intervals"] * 1e3,
                LIMIT_MS[one["points"]],
            )
        )
    names = list(result["coverage"][0]["figures"])
    rows = [[*_population(one), *(_coverage(one, name) for name in names)] for one in result["coverage"]]
    section.tables.append(Table("held, in percent", ["groups", "ranks", "sizes", "rank among", *names], rows))
    summary = [_summary(result, name) for name in names]
    section.tables.append(Table("all of them", ["figure", "least", "mean", "most", "94 to 96"], summary))
    section.notes.append(
        f"{replicates:,} replicates of intervals of 95 %; the aim is {LOWEST:g} to {HIGHEST:g}. A share of 95 has a "
        f"standard error of {100 * (0.05 * 0.95 / replicates) ** 0.5:.2f}. An asterisk marks a figure that is 0 or 1 "
        "in the population. Times are of the processor, one thread, the least of nine turns."
    )
    return section


def _held(one: dict, name: str) -> float:
    figure = one["figures"][name]
    return 100 * (1 - (figure["below"] + figure["above"]) / one["replicates"])


def _coverage(one: dict, name: str) -> str:
    value = one["figures"][name]["value"]
    mark = "*" if value in (0, 1) else ""
    return f"{_held(one, name):.1f}{mark}"


def _population(one: dict) -> list[str]:
    sizes = one["sizes"]
    text = f"{sizes[0]:,} each" if len(set(sizes)) == 1 else f"{sizes[0]:,}, then {sizes[-1]:,}"
    return [one["population"], f"{one['from']:g} to {one['to']:g}", text, one["rank_among"]]


def _summary(result: dict, name: str) -> list[str]:
    held = [_held(one, name) for one in result["coverage"]]
    inside = sum(LOWEST <= value <= HIGHEST for value in held)
    return [name, f"{min(held):.1f}", f"{sum(held) / len(held):.1f}", f"{max(held):.1f}", f"{inside} of {len(held)}"]
