"""Many clusters, many groups, many points: cost at a balance target against LP-optimal fair Lloyd in whole points, and
the seconds of fits that are large in one of the three.

The comparator (`many_lloyd`) gives whole points to clusters that keep the balance, as the program does, so that the two
are held to the same.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

import fair_lloyd
import many_lloyd
from fronts import best_balance
from kept import Kept
from many_lloyd import Rounded, rounded_lloyd
from report import Figure, Section, Table, at_most, progress
from support import (
    ADULT,
    Context,
    DataSet,
    array_arguments,
    balance,
    cost,
    group_counts,
    means,
    read_labels,
    read_rows,
    run_json,
    table_arguments,
)

LEVELS = (0.80, 0.90, 0.98)  # shares of the ratio of the groups' sizes, the best balance
STARTS = 2  # of the comparator and of the program
TOLERANCE = 1.005

CENSUS_CLUSTERS = 10
CENSUS_LEVEL = 0.9  # of the best balance
LOANS = ("--generate", "loans", "--points", "1000000", "--clusters", "8")
LOANS_BALANCE = 0.4
SECONDS = 10


@dataclass(frozen=True)
class Problem:
    name: str
    points: np.ndarray  # n x d
    groups: np.ndarray  # n
    clusters: int
    arguments: tuple[str, ...]  # the input of `fairstream`
    ids: np.ndarray  # n: the program's ids of the points

    def least(self, level: float) -> float:
        sizes = np.bincount(self.groups)
        return round(level * float(sizes.min() / sizes.max()), 4)


def of_data(context: Context, data: DataSet, clusters: int) -> Problem:
    """The 5,000 rows of a real set."""
    rows = read_rows(data.rows_file(context))
    points, groups = (column[rows] for column in data.load(context))
    return Problem(f"{data.title}, K = {clusters}", points, groups, clusters, data.arguments(context), rows)


def of_blobs(context: Context, clusters: int) -> Problem:
    """5,000 points in ten dimensions from 35 blobs that overlap, of sizes and with shares of two groups that differ."""
    random = np.random.default_rng(1)
    count, dimensions, blobs = 5_000, 10, 35
    centres = random.normal(0, 1.5, (blobs, dimensions))
    blob = random.choice(blobs, count, p=random.dirichlet(np.full(blobs, 3.0)))
    points = centres[blob] + random.normal(size=(count, dimensions))
    groups = (random.random(count) < random.beta(2, 3, blobs)[blob]).astype(np.int64)
    arguments = array_arguments(context, "blobs", points, groups)
    return Problem(f"{blobs} blobs, K = {clusters}", points, groups, clusters, arguments, np.arange(count))


@dataclass(frozen=True)
class Comparison:
    problem: Problem
    least: float
    lloyds: list[Rounded]  # from k-means, a start each
    onward: Rounded  # from the program's means
    cost: float  # the program's, of its labels with exact means
    balance: float
    seconds: float  # the program's

    @property
    def peer(self) -> float:
        return min(found.whole for found in [*self.lloyds, self.onward])


def lloyd_from(problem: Problem, least: float, start: str, centres: np.ndarray, kept: Kept) -> Rounded:
    name = f"fair Lloyd in whole points at {least}, {problem.name}, from {start}"
    progress(name)

    def compute() -> dict:
        return rounded_lloyd(problem.points, problem.groups, centres, least)

    sources = (fair_lloyd.FairAssignment, fair_lloyd.alternate, many_lloyd)
    found = kept.result(name, (problem.points, problem.groups, centres, least, *sources), compute)
    return Rounded(found["fractional"], found["whole"], found["seconds"])


def compare(context: Context, problem: Problem, least: float, kept: Kept) -> Comparison:
    lloyds = []
    for seed in range(STARTS):
        centres = KMeans(problem.clusters, n_init=1, random_state=seed).fit(problem.points).cluster_centers_
        lloyds.append(lloyd_from(problem, least, f"k-means {seed}", centres, kept))
    file = context.scratch / "many.labels.csv"
    command = [context.program("fairstream"), "fit", "safairkm", *problem.arguments, "--json", "--labels", str(file)]
    command += ["--clusters", str(problem.clusters)]
    report = run_json([*command, "--set", f"balance_at_least={least}", "--set", f"starts={STARTS}"])
    labels = read_labels(file, problem.ids)
    reached = balance(group_counts(labels, problem.groups, problem.clusters))
    onward = lloyd_from(problem, least, "the program", means(problem.points, labels), kept)
    return Comparison(problem, least, lloyds, onward, cost(problem.points, labels), reached, report["seconds"])


def cost_figure(found: Comparison) -> Figure:
    what = f"{found.problem.name}, balance >= {found.least}: cost"
    ours, peer = f"{found.cost:.5g} at {found.balance:.4f}", f"LP in whole points {found.peer:.5g}"
    figure = at_most(what, ours, peer, found.cost / found.peer, TOLERANCE)
    figure.met = figure.met and found.balance >= found.least
    return figure


def cost_row(found: Comparison) -> list[str]:
    fractional, whole = (min(getattr(lloyd, part) for lloyd in found.lloyds) for part in ("fractional", "whole"))
    cells = [found.problem.name, f"{found.least}", f"{found.cost:.5g}", f"{fractional:.5g}", f"{whole:.5g}"]
    cells += [f"{found.cost / fractional:.4f}", f"{found.cost / whole:.4f}"]
    cells += [f"{found.cost / found.onward.fractional:.4f}", f"{found.cost / found.onward.whole:.4f}"]
    return [*cells, f"{found.seconds:.2f}", f"{np.mean([lloyd.seconds for lloyd in found.lloyds]):.0f}"]


@dataclass(frozen=True)
class Large:
    """A fit whose time is limited."""

    name: str
    arguments: tuple[str, ...]  # of `fairstream fit safairkm`
    least: float  # 0: no target
    more: tuple[str, ...] = ()  # further arguments


def census(context: Context) -> Large:
    """All of it, seven groups, the smallest of which has 23 points."""
    arguments = (*table_arguments(context, "census"), "--clusters", str(CENSUS_CLUSTERS))
    report = run_json([context.program("fairstream"), "fit", "safairkm", *arguments, "--json", "--refine-rounds", "0"])
    sizes = np.array(report["cluster_group_counts"]).sum(axis=0)
    least = round(CENSUS_LEVEL * float(best_balance(sizes, CENSUS_CLUSTERS)), 7)
    # However rare, every group counts.
    return Large(f"census, {len(sizes)} groups, K = {CENSUS_CLUSTERS}", arguments, least, ("--set", "rare_below=0"))


def timing_figure(context: Context, large: Large) -> Figure:
    target = f"balance >= {large.least:g}" if large.least > 0 else "no target"
    what = f"{large.name}, {target}: seconds"
    progress(what)
    chosen = ["--set", f"balance_at_least={large.least}" if large.least > 0 else "parity_at_least=0"]
    report = run_json([context.program("fairstream"), "fit", "safairkm", *large.arguments, "--json", *chosen, *large.more])
    ours = f"{report['seconds']:.3g} s: {report['cost']:.5g} at {report['balance']:.4g}"
    figure = at_most(what, ours, f"limit {SECONDS} s", report["seconds"], SECONDS)
    figure.met = figure.met and report["balance"] >= large.least
    return figure


def run(context: Context) -> Section:
    section = Section("many", "Many clusters, groups and points")
    problems, large = [], []
    if reason := ADULT.missing(context):
        section.notes.append(f"adult left out: {reason}")
    else:
        problems.append(of_data(context, ADULT, 50))
    problems.append(of_blobs(context, 30))
    if (context.data / "census").is_dir():
        large.append(census(context))
    else:
        section.notes.append(f"census left out: {context.data / 'census'} does not exist")
    large += [Large("a million loans, K = 8", LOANS, least) for least in (LOANS_BALANCE, 0)]
    kept = Kept(context.kept)
    comparisons = [compare(context, problem, problem.least(level), kept) for problem in problems for level in LEVELS]
    section.figures = [cost_figure(found) for found in comparisons]
    section.figures += [timing_figure(context, one) for one in large]
    header = ["set", "balance >=", "program", "LP fractional", "LP whole", "program / LP fractional"]
    header += ["program / LP whole", "/ LP from there, fractional", "/ LP from there, whole", "program s"]
    header += ["LP s per start"]
    section.tables.append(Table(f"Best of {STARTS} starts", header, [cost_row(found) for found in comparisons]))
    section.notes += [
        f"Balances: {', '.join(f'{level:.0%}' for level in LEVELS)} of the ratio of the groups' sizes. 5,000 points "
        "each; Adult's columns z-scored over the whole set, rows then scaled to unit length.",
        f"The comparator starts from {STARTS} k-means++ starts with Lloyd to convergence by scikit-learn, and (LP from "
        "there) from the program's own means; the figures compare with the best of all in whole points. The "
        f"program makes {STARTS} starts of its own.",
        "LP whole: the fractional assignment's counts made whole and feasible by an integer programme, points placed "
        "by a transport for each group, then counts, labels and means improved in turn; costs with exact means.",
        "Seconds: the program's of taking points in and improving, wall time on all cores, once; LP s is processor "
        "time.",
    ]
    if kept.taken:
        section.notes.append(
            f"{len(kept.taken)} results of the comparator, made {min(kept.taken)} to {max(kept.taken)}, were taken "
            f"from {os.path.relpath(kept.folder)}, since neither data nor method has changed."
        )
    return section
