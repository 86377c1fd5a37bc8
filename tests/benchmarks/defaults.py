"""What `fairstream fit safairkm` finds when nothing but the number of clusters is said, against the front of the same
points: no point of a front that is at least as balanced should be noticeably cheaper."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from fronts import Front
from report import Figure, Section, Table, at_most, progress
from support import ADULT, BANK, Context, DataSet, parity, run_json, table_arguments

TOLERANCE = 1.005  # over the cheapest point of the front that is at least as balanced
TABLES = ("bank_full", "census", "communities", "compas")  # of all rows, all columns standardised
TABLE_CLUSTERS = 10
# A whole front of all rows and seven groups takes more than six minutes of processor time; less is a weaker opponent.
LESS_OF_A_FRONT = {"census": ("--starts", "3", "--stages", "16")}
GENERATED = (("loans", 5_000, 8), ("syn_equal_ds2", 400, 2), ("syn_unequal_ds2", 400, 2), ("elliptical", 1_000, 2))


@dataclass(frozen=True)
class Problem:
    name: str
    arguments: tuple[str, ...]  # the input of `fairstream` and the number of clusters
    front_options: tuple[str, ...] = ()


def of_data(context: Context, data: DataSet) -> Problem:
    return Problem(f"{data.title}, 5,000 rows", (*data.arguments(context), "--clusters", str(TABLE_CLUSTERS)))


def of_table(context: Context, name: str) -> Problem:
    arguments = (*table_arguments(context, name), "--clusters", str(TABLE_CLUSTERS))
    return Problem(name, arguments, LESS_OF_A_FRONT.get(name, ()))


def of_generator(name: str, points: int, clusters: int) -> Problem:
    arguments = ("--generate", name, "--points", str(points), "--clusters", str(clusters))
    return Problem(f"{name}, {points:,} points", arguments)


def problems(context: Context) -> tuple[list[Problem], list[str]]:
    """All that can be set, and why others cannot."""
    found, left_out = [], []
    for data in (ADULT, BANK):
        if reason := data.missing(context):
            left_out.append(f"{data.name} left out: {reason}")
        else:
            found.append(of_data(context, data))
    for name in TABLES:
        if (context.data / name).is_dir():
            found.append(of_table(context, name))
        else:
            left_out.append(f"{name} left out: {context.data / name} does not exist")
    return found + [of_generator(*generated) for generated in GENERATED], left_out


@dataclass(frozen=True)
class Comparison:
    """A fit at its defaults, and the front of the same points."""

    problem: Problem
    fit: dict  # its report
    wall: float  # seconds of the fit's whole process, its input read
    front: Front
    front_seconds: float

    @property
    def cheapest(self) -> float:
        """Cost of the front's cheapest point that is at least as balanced; infinite where it has none."""
        return float(self.front.cheapest(self.fit["balance"]))

    @property
    def ratio(self) -> float:
        return self.fit["cost"] / self.cheapest

    @property
    def excess(self) -> str:
        return f"{100 * (self.ratio - 1):.2f} %" if np.isfinite(self.cheapest) else "not reached by the front"


def compare(context: Context, problem: Problem) -> Comparison:
    program = context.program("fairstream")
    progress(f"{problem.name}: fit")
    began = time.perf_counter()
    fit = run_json([program, "fit", "safairkm", *problem.arguments, "--json"])
    wall = time.perf_counter() - began
    progress(f"{problem.name}: front")
    report = run_json([program, "front", *problem.arguments, *problem.front_options, "--json"])
    front = Front.of(*np.array([(point["cost"], point["balance"]) for point in report["points"]]).T)
    return Comparison(problem, fit, wall, front, report["seconds"])


def figure(found: Comparison) -> Figure:
    ours = f"{found.fit['cost']:.4f} at {found.fit['balance']:.4f}"
    peer = f"front {found.cheapest:.4f}"
    return at_most(f"{found.problem.name}: cost at no settings", ours, peer, found.ratio, TOLERANCE)


def row(found: Comparison) -> list[str]:
    fit, counts = found.fit, np.array(found.fit["cluster_group_counts"])
    cells = [found.problem.name, f"{fit['n']:,}", f"{fit['d']}", f"{fit['k']}", f"{fit['cost']:.4f}"]
    cells += [f"{fit['balance']:.4f}", f"{fit['best_balance']:.4f}", f"{parity(counts):.4f}"]
    cells += [f"{found.cheapest:.4f}", found.excess, f"{found.front.costs[0]:.4f} at {found.front.balances[0]:.4f}"]
    return [*cells, f"{fit['seconds']:.3g}", f"{found.wall:.3g}", f"{found.front_seconds:.3g}"]


def run(context: Context) -> Section:
    section = Section("defaults", "A fit at its defaults, against the front of cost and balance")
    chosen, left_out = problems(context)
    comparisons = [compare(context, problem) for problem in chosen]
    section.figures = [figure(found) for found in comparisons]
    header = ["set", "points", "features", "K", "cost", "balance", "possible", "parity", "front's cost there", "excess"]
    header += ["front's cheapest", "fit s", "with input s", "front s"]
    section.tables.append(Table("Fit and front", header, [row(found) for found in comparisons]))
    section.notes += left_out + [
        "Front's cost there: of the cheapest point of `fairstream front` whose balance is no lower than the fit's. "
        "Excess: by how much the fit costs more, in percent.",
        "Parity: the lowest, over clusters, of the smallest over the largest share of a group that the cluster has; 1 "
        "where every cluster has the same share of every group.",
        "Fit s: of taking the points in and improving the clusters; with input: the whole process. All cores, once.",
        f"Adult and Bank: columns z-scored over the whole set, rows then scaled to unit length. {', '.join(TABLES)}: "
        "all columns standardised.",
        *(f"{name}: a front of {' '.join(options)} only." for name, options in LESS_OF_A_FRONT.items()),
    ]
    return section
