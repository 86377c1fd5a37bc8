"""The Pareto front of cost and balance that `fairstream front` finds, against every peer there is:

- LP-optimal fair Lloyd (`fair_lloyd`), the lowest cost known at a balance, on Adult with K = 10;
- the front that the paper's authors' program finds (`authors_front`), and the time that it takes;
- VfairKM (`variational`), the method that the paper compares itself with, in time per nondominated point as in its
  Table 1; and mini-batch k-means, where a front begins.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

import authors_front
import fronts
from front_peers import LP_STARTS, MINI_BATCH_STARTS, Peers, Reference, peers_of, reference
from front_problems import Problem, problems
from fronts import Front, Search, best_balance
from kept import Kept
from report import Figure, Section, Table, at_least, at_most
from support import Context, Failed, median_range, run_json
from variational import PENALTIES

SEEDS = range(1, 6)
LP_PROBLEM = "Adult, K = 10"
LP_BALANCES = (0.20, 0.24, 0.28, 0.30, 0.32, 0.36, 0.376, 0.40, 0.42, 0.44, 0.45, 0.46, 0.47, 0.48)
TOLERANCE = 1.01  # over the LP's cost
REACH = 0.97  # of the best balance that the points allow
AUTHORS_SECONDS = 184  # of the authors' own program, in Python, for 100 rounds on Adult with K = 10
FASTER = 500
ROUNDING = 1e-6  # relative; the engine's features are float32, so that equal labels do not cost exactly the same


@dataclass(frozen=True)
class Run:
    """A front of the engine, found once on one thread and once on all cores."""

    search: Search  # processor time on one thread
    seconds: float  # wall time on all cores
    rounds: int

    @property
    def front(self) -> Front:
        return self.search.front


def run_engine(context: Context, problem: Problem, seed: int) -> Run:
    command = [context.program("fairstream"), "front", *problem.arguments, "--clusters", str(problem.clusters)]
    command += ["--seed", str(seed), "--json"]
    report, parallel = (run_json([*command, "--threads", threads]) for threads in ("1", "0"))
    if parallel["front"] != report["front"]:
        raise Failed(f"{problem.name}, seed {seed}: the front depends on the number of threads")
    return Run(Search(checked_front(problem, report), report["cpu_seconds"]), parallel["seconds"], report["rounds"])


def checked_front(problem: Problem, report: dict) -> Front:
    """The front of a report that says of it what is so."""
    costs, balances = (np.array([point[key] for point in report["front"]]) for key in ("cost", "balance"))
    front = Front.of(costs, balances)
    if not (np.array_equal(front.costs, costs) and np.array_equal(front.balances, balances)):
        raise Failed(f"{problem.name}: the front has dominated points or is not sorted by cost")
    volume = front.hypervolume(report["reference_cost"])
    if abs(volume - report["hypervolume"]) > ROUNDING * volume:
        raise Failed(f"{problem.name}: hypervolume {report['hypervolume']} reported, but its points have {volume}")
    return front


@dataclass(frozen=True)
class Comparison:
    """All that was found for one problem."""

    problem: Problem
    runs: list[Run]  # by seed
    peers: Peers
    best_balance: float  # that the points allow

    @property
    def ours(self) -> Search:
        """Of the first seed."""
        return self.runs[0].search

    @property
    def searches(self) -> dict[str, Search]:
        return {"engine": self.ours, **self.peers.fronts}

    @property
    def worst_cost(self) -> float:
        """Of all fronts, the common reference of hypervolumes."""
        return max(float(search.front.costs[-1]) for search in self.searches.values())

    @property
    def seconds(self) -> float:
        return float(np.median([run.seconds for run in self.runs]))

    @property
    def cpu_per_point(self) -> float:
        return float(np.median([run.search.seconds_per_point for run in self.runs]))


def compare(context: Context, problem: Problem, kept: Kept) -> Comparison:
    runs = [run_engine(context, problem, seed) for seed in SEEDS]
    allowed = float(best_balance(np.bincount(problem.groups), problem.clusters))
    highest = max(run.front.best_balance for run in runs)
    if highest > allowed * (1 + ROUNDING):
        raise Failed(f"{problem.name}: a balance of {highest}, but the points allow {allowed} at most")
    return Comparison(problem, runs, peers_of(problem, kept), allowed)


def figures(found: Comparison) -> list[Figure]:
    name, ours = found.problem.name, found.ours.front
    authors, variational = found.peers.authors, found.peers.variational
    volumes = {who: search.front.hypervolume(found.worst_cost) for who, search in found.searches.items()}
    second = max((who for who in volumes if who != "engine"), key=lambda who: volumes[who])
    covered = ours.covers(authors.front, ROUNDING)
    published = found.problem.published[0] / found.problem.published[1]
    theirs = variational.seconds_per_point
    times = f"{found.cpu_per_point:.3g} s", f"VfairKM {theirs:.3g} s", found.cpu_per_point / theirs
    volume = f"{volumes['engine']:.5f}", f"{second} {volumes[second]:.5f}", volumes["engine"] / volumes[second]
    reached = f"{ours.best_balance:.4f}", f"possible {found.best_balance:.4f}", ours.best_balance / found.best_balance
    return [
        at_least(f"{name}: authors' pairs covered", f"{covered.sum()}", f"{len(covered)}", float(covered.mean()), 1),
        at_least(f"{name}: hypervolume", *volume, 1),
        at_least(f"{name}: best balance", *reached, REACH),
        at_most(f"{name}: processor time per point", *times, round(published, 3)),
    ]


def lp_figure(found: Comparison, references: list[Reference]) -> Figure:
    """The balance at which the engine does worst."""

    def ratio(lp: Reference) -> float:
        return float(found.ours.front.cheapest(lp.least)) / lp.cost

    worst = max(references, key=ratio)
    ours = f"{found.ours.front.cheapest(worst.least):.4f}"
    what = f"{found.problem.name}: cost at {len(references)} balances, worst at {worst.least}"
    return at_most(what, ours, f"LP fair Lloyd {worst.cost:.4f}", ratio(worst), TOLERANCE)


def speed_figure(found: Comparison) -> Figure:
    times = AUTHORS_SECONDS / found.seconds
    what = f"{found.problem.name}: times faster than the authors' program"
    return at_least(what, f"{found.seconds:.3g} s", f"{AUTHORS_SECONDS} s", times, FASTER)


def lp_table(found: Comparison, references: list[Reference]) -> Table:
    rows = []
    for lp in references:
        ratios = [float(run.front.cheapest(lp.least)) / lp.cost for run in found.runs]
        peers = [float(search.front.cheapest(lp.least)) / lp.cost for search in found.peers.fronts.values()]
        cells = [f"{lp.least}", f"{lp.cost:.4f}", f"{lp.seconds:.0f}", f"{found.ours.front.cheapest(lp.least):.4f}"]
        cells += [f"{ratios[0]:.4f}", f"{min(ratios):.4f} to {max(ratios):.4f}"]
        rows.append(cells + [f"{ratio:.4f}" if np.isfinite(ratio) else "not reached" for ratio in peers])
    header = ["balance >=", "LP fractional", "LP s", "engine", "engine / LP", f"{len(SEEDS)} seeds"]
    header += [f"{name} / LP" for name in found.peers.fronts]
    return Table(f"{found.problem.name}: lowest cost at a balance", header, rows)


def front_table(comparisons: list[Comparison]) -> Table:
    rows = []
    for found in comparisons:
        for who, search in found.searches.items():
            front = search.front
            cells = [found.problem.name, who, f"{len(front)}", f"{front.costs[0]:.4f} at {front.balances[0]:.3f}"]
            cells += [f"{front.costs[-1]:.4f} at {front.best_balance:.4f}"]
            cells += [f"{front.best_balance / found.best_balance:.1%}", f"{front.hypervolume(found.worst_cost):.5f}"]
            covered = "" if who == "engine" else f"{found.ours.front.covers(front, ROUNDING).mean():.1%}"
            rows.append([*cells, covered, f"{search.seconds:.3g}", f"{search.seconds_per_point:.3g}"])
    header = ["set", "front", "points", "cheapest", "fairest", "of the best balance", "hypervolume"]
    header += ["covered by the engine", "cpu s", "cpu s per point"]
    return Table("Fronts", header, rows)


def engine_table(comparisons: list[Comparison]) -> Table:
    rows = []
    for found in comparisons:
        volumes = [run.front.hypervolume(found.worst_cost) for run in found.runs]
        per_point = found.peers.variational.seconds_per_point
        published = found.problem.published
        cells = [found.problem.name, f"{found.runs[0].rounds}"]
        cells += [median_range([len(run.front) for run in found.runs], 0), median_range(volumes, 5)]
        cells += [median_range([run.seconds for run in found.runs], 3)]
        cells += [f"{found.cpu_per_point:.3g} / {per_point:.3g} = {found.cpu_per_point / per_point:.3g}"]
        cells += [f"{published[0]:.2f} / {published[1]:.2f} = {published[0] / published[1]:.3f}"]
        rows.append(cells)
    header = ["set", "rounds", "points", "hypervolume", "wall s", "cpu s per point, engine / VfairKM"]
    header += ["paper, SAfairKM / VfairKM"]
    return Table(f"The engine's {len(SEEDS)} seeds: median [range]", header, rows)


def notes(kept: Kept, comparisons: list[Comparison]) -> list[str]:
    penalties = ", ".join(f"{found.peers.largest_penalty:.0f} {found.problem.name}" for found in comparisons)

    def rounds(name: str) -> int:
        return authors_front.REAL[name].iterations

    lines = [
        "Real sets: the 5,000 rows of rows5000.txt, columns z-scored over the whole set, rows then scaled to unit "
        "length. Synthetic sets: 400 points drawn anew with the centres and deviations of the authors' program.",
        f"Figures and the tables of fronts: seed {SEEDS[0]} of the engine; times: medians of {len(SEEDS)} seeds, "
        "processor time on one thread and wall time on all cores. Covered: some pair of the engine costs no more and "
        "is no less balanced. Hypervolume: against balance 0 and the highest cost of any front of the set.",
        f"LP fractional: fair Lloyd with LP-optimal assignments, points in parts, the best of {LP_STARTS} k-means "
        "starts; LP s is processor time of all starts.",
        f"Authors' SAfairKM: their Algorithm 3 in NumPy, {rounds('adult')} rounds on Adult, {rounds('bank')} on "
        f"Bank, {authors_front.SYNTHETIC.iterations} on the synthetic sets; {AUTHORS_SECONDS} s is what their own "
        "program took for 100 rounds on Adult with K = 10.",
        f"VfairKM: {PENALTIES} penalties from 0 to mu_max ({penalties}), with a step that never overshoots, which its "
        f"original lacks. Mini-batch k-means: scikit-learn, {MINI_BATCH_STARTS} starts.",
        "Best balance: the highest that whole points allow in so many clusters, exact.",
    ]
    if kept.taken:
        lines.append(
            f"{len(kept.taken)} results of peers, made {min(kept.taken)} to {max(kept.taken)}, were not run anew but "
            f"taken with their times from {os.path.relpath(kept.folder)}, since neither data nor method has changed; "
            "delete the folder to run them all."
        )
    return lines


def run(context: Context) -> Section:
    fronts.self_check()
    section = Section("front", "Pareto fronts of cost and balance, against every peer")
    chosen, left_out = problems(context)
    kept = Kept(context.kept)
    comparisons = [compare(context, problem, kept) for problem in chosen]
    for found in comparisons:
        if found.problem.name == LP_PROBLEM:
            references = [reference(found.problem, least, kept) for least in LP_BALANCES]
            section.figures += [lp_figure(found, references), speed_figure(found)]
            section.tables.append(lp_table(found, references))
        section.figures += figures(found)
    section.tables += [front_table(comparisons), engine_table(comparisons)]
    section.notes += [*left_out, *notes(kept, comparisons)]
    return section
