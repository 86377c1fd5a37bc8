"""What `fairstream fit safairkm` finds when nothing but the number of clusters is said, against the front of cost and
parity of the same points, parity being what such a fit asks for: no point of a front whose parity is as high should be
noticeably cheaper. Beside it, without a target, the front of cost and balance."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from fronts import Front
from report import Figure, Section, Table, at_most, progress
from support import ADULT, BANK, Context, DataSet, parity, run_json, table_arguments

TOLERANCE = 1.005  # over the cheapest point of the front of parity that is at least as fair
TABLES = ("bank_full", "census", "communities", "compas")  # of all rows, all columns standardised
TABLE_CLUSTERS = 10
GENERATED = (("loans", 5_000, 8), ("syn_equal_ds2", 400, 2), ("syn_unequal_ds2", 400, 2), ("elliptical", 1_000, 2))


@dataclass(frozen=True)
class Problem:
    name: str
    arguments: tuple[str, ...]  # the input of `fairstream` and the number of clusters


def of_data(context: Context, data: DataSet) -> Problem:
    return Problem(f"{data.title}, 5,000 rows", (*data.arguments(context), "--clusters", str(TABLE_CLUSTERS)))


def of_table(context: Context, name: str) -> Problem:
    arguments = (*table_arguments(context, name), "--clusters", str(TABLE_CLUSTERS))
    return Problem(name, arguments)


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
    """A fit at its defaults, and the fronts of the same points."""

    problem: Problem
    fit: dict  # its report
    wall: float  # seconds of the fit's whole process, with reading its input
    parity: float  # of the fit's clusters, without the groups that it left out
    by_parity: Front
    by_balance: Front
    front_seconds: float  # of the first

    @property
    def cheapest(self) -> float:
        """Cost of the first front's cheapest point that is at least as fair; infinite where it has none."""
        return float(self.by_parity.cheapest(self.parity * (1 - ROUNDING)))

    @property
    def ratio(self) -> float:
        return self.fit["cost"] / self.cheapest

    @property
    def excess(self) -> str:
        return f"{100 * (self.ratio - 1):.2f} %" if np.isfinite(self.cheapest) else "not reached by the front"

    @property
    def excess_of_balance(self) -> str:
        """Over the cheapest clustering of the same balance, which may give groups any rates."""
        counts = counted(self.fit)
        balance = (counts.min(axis=1) / np.maximum(counts.max(axis=1), 1)).min()
        return f"{100 * (self.fit['cost'] / float(self.by_balance.cheapest(balance * (1 - ROUNDING))) - 1):.2f} %"


ROUNDING = 1e-9  # of a ratio of counts


def counted(fit: dict) -> np.ndarray:
    """Points by cluster and group, of the groups that are not left out."""
    left_out = {group["group"] for group in fit["left_out_groups"]}
    kept = [j for j, group in enumerate(fit["groups"]) if group not in left_out]
    return np.array(fit["cluster_group_counts"])[:, kept]


def front_of(context: Context, problem: Problem, measure: str) -> tuple[Front, float]:
    command = [context.program("fairstream"), "front", *problem.arguments, "--measure", measure, "--json"]
    report = run_json(command)
    points = np.array([(point["cost"], point[measure]) for point in report["front"]])
    return Front.of(*points.T), report["seconds"]


def compare(context: Context, problem: Problem) -> Comparison:
    program = context.program("fairstream")
    progress(f"{problem.name}: fit")
    began = time.perf_counter()
    fit = run_json([program, "fit", "safairkm", *problem.arguments, "--json"])
    wall = time.perf_counter() - began
    progress(f"{problem.name}: fronts")
    by_parity, seconds = front_of(context, problem, "parity")
    by_balance, _ = front_of(context, problem, "balance")
    return Comparison(problem, fit, wall, parity(counted(fit)), by_parity, by_balance, seconds)


def figure(found: Comparison) -> Figure:
    ours = f"{found.fit['cost']:.4f} at parity {found.parity:.4f}"
    peer = f"front {found.cheapest:.4f}"
    return at_most(f"{found.problem.name}: cost at no settings", ours, peer, found.ratio, TOLERANCE)


def row(found: Comparison) -> list[str]:
    fit = found.fit
    cells = [found.problem.name, f"{fit['n']:,}", f"{fit['d']}", f"{fit['k']}", f"{fit['cost']:.4f}"]
    cells += [f"{found.parity:.4f}", f"{found.cheapest:.4f}", found.excess]
    cells += [f"{found.by_parity.costs[0]:.4f} at {found.by_parity.balances[0]:.4f}"]
    cells += [f"{fit['balance']:.4f}", f"{fit['best_balance']:.4f}", found.excess_of_balance]
    return [*cells, f"{fit['seconds']:.3g}", f"{found.wall:.3g}", f"{found.front_seconds:.3g}"]


def run(context: Context) -> Section:
    section = Section("defaults", "A fit at its defaults, against the front of cost and parity")
    chosen, left_out = problems(context)
    comparisons = [compare(context, problem) for problem in chosen]
    section.figures = [figure(found) for found in comparisons]
    header = ["set", "points", "features", "K", "cost", "parity", "front's cost there", "excess", "front's cheapest"]
    header += ["balance", "possible", "over a balance alone", "fit s", "with input s", "front s"]
    section.tables.append(Table("Fit and front", header, [row(found) for found in comparisons]))
    section.notes += left_out + [
        "Parity: the lowest, over clusters, of the smallest over the largest share of a group that the cluster has; 1 "
        "where every cluster has the same share of every group. Groups that the fit leaves out as too rare are left "
        "out.",
        "Front's cost there: of the cheapest point of `fairstream front --measure parity` whose parity is no lower than "
        "the fit's. Excess: by how much the fit costs more, in percent.",
        "Over a balance alone: by how much the fit costs more than the cheapest point of the front of balance that is "
        "as balanced: a balance bounds the rates of groups from one side only, a parity from both.",
        "Fit s: of taking the points in and improving the clusters; with input: the whole process. All cores, once.",
        f"Adult and Bank: columns z-scored over the whole set, rows then scaled to unit length. {', '.join(TABLES)}: "
        "all columns standardised.",
    ]
    return section
