"""Fair spectral clustering: the solvers against s-FSC and o-FSC on the same operator, warm refreshes against cold ones,
and the growth of the cost with the number of points."""

from __future__ import annotations

import math
import time

import numpy as np

from report import Section, Table, at_least, at_most, progress
from support import Context, Failed, run_json

FACEBOOK = ((2, 0.1261), (25, 14.1136), (50, 37.0845))  # k and the published cost
BLOCK_MODELS = (2_000, 5_000, 10_000)
RANDOM_WEIGHTS = (10, 25, 50)
STREAMS = ((25, 1.5), (10, 0.7), (25, 1.0))  # k, and the distance between the 25 clusters
REFRESHES = 20
# Labels of a graph: set, k, the required balance, and the normalised cut that fair rounding and moves in NumPy reach at
# that smallest balance.
LABELS = (("facebooknet", 2, 0.66, 0.169), ("facebooknet", 25, 0.22, 17.46), ("facebooknet", 25, 0.43, 18.14),
          ("facebooknet", 25, 0.66, 19.12), ("facebooknet", 50, 0.25, 43.30), ("facebooknet", 50, 0.66, 44.92),
          ("lastfm", 25, 0, 2.98), ("lastfm", 25, 0.033, 5.05), ("lastfm", 25, 0.165, 8.12))
# Streams of labels: k, the distance between the 25 clusters, the required balance (0: parity, the default), and the
# drift in each coordinate between refreshes in standard deviations of a cluster.
LABEL_STREAMS = ((10, 1.5, 0, 0), (25, 1.5, 0, 0), (25, 1.5, 0.35, 0), (10, 0.8, 0.4, 0), (10, 1.5, 0, 0.1))
LABEL_REFRESHES = 160
SCALE = (10_000, 20_000, 50_000, 100_000)
SOLVERS = ("krylov", "admm", "admm_paper", "s_fsc", "o_fsc")


def measured(context: Context, *arguments: object) -> dict:
    progress("spectral: " + " ".join(map(str, arguments)))
    return run_json([context.program("bench_spectral"), *map(str, arguments)])


def solver_rows(name: str, found: dict) -> list[list[str]]:
    rows = []
    for solver in SOLVERS:
        run = found.get(solver)
        if run is None:
            continue
        applications = f"{run['applications']:.1f}" if run["applications"] else "-"
        balance = f"{run['average_balance']:.4f}" if "average_balance" in run else "-"
        residual = f"{run['fairness_residual_before_polish']:.1e}" if "fairness_residual_before_polish" in run else "-"
        rows.append([name, solver, f"{run['cost']:.5f}", applications, f"{run['seconds']:.3f}", balance, residual,
                     run.get("outcome", "-")])
    return rows


def add_graphs(context: Context, section: Section, rows: list[list[str]]) -> None:
    for k, published in FACEBOOK:
        found = measured(context, "edges", context.data / "facebooknet/edges.csv.gz",
                         context.data / "facebooknet/nodes.csv.gz", "group", k)
        rows += solver_rows(f"FacebookNet, k = {k}", found)
        for solver, limit in (("krylov", 1e-3), ("admm", 0.01)):
            cost = found[solver]["cost"]
            off = abs(cost - published) if solver == "krylov" else (cost - published) / published
            section.figures.append(at_most(f"FacebookNet, k = {k}, {solver}: cost off the published one"
                                           + (", relative" if solver == "admm" else ""),
                                           f"{cost:.4f}", f"{published:.4f}", off, limit))
        section.figures.append(at_most(f"FacebookNet, k = {k}: ||FᵀH||^2", f"{found['krylov']['fairness_residual']:.0e}",
                                       "0", found["krylov"]["fairness_residual"], 1e-20))
    found = measured(context, "edges", context.data / "lastfm/edges.csv.gz", context.data / "lastfm/nodes.csv.gz",
                     "group", 25)
    rows += solver_rows("LastFM, k = 25", found)
    ours, theirs = found["krylov"], found["s_fsc"]
    section.figures.append(at_most("LastFM, k = 25: cost above that of s-FSC, relative", f"{ours['cost']:.5f}",
                                   f"{theirs['cost']:.5f}", ours["cost"] / theirs["cost"] - 1, 1e-3))


def add_speed(context: Context, section: Section, rows: list[list[str]]) -> None:
    for nodes in BLOCK_MODELS:
        dense = ["ofsc"] if nodes <= 2_000 else []
        found = measured(context, "graph", "msbm", nodes, 50, *dense)
        rows += solver_rows(f"m-SBM, n = {nodes:,}, k = 50", found)
        add_ratio(section, f"m-SBM, n = {nodes:,}, k = 50: times faster than s-FSC", found, "s_fsc", 12)
        if dense:
            add_ratio(section, f"m-SBM, n = {nodes:,}, k = 50: times faster than o-FSC", found, "o_fsc", 54)
        section.figures.append(at_least(f"m-SBM, n = {nodes:,}: average balance", "", "1",
                                        found["krylov"]["average_balance"], 1))
    for k in RANDOM_WEIGHTS:
        found = measured(context, "graph", "rand_laplace", 10_000, k)
        rows += solver_rows(f"RandLaplace, n = 10,000, k = {k}", found)
        add_ratio(section, f"RandLaplace, n = 10,000, k = {k}: times faster than s-FSC", found, "s_fsc", 12)


def add_ratio(section: Section, what: str, found: dict, peer: str, target: float) -> None:
    ours, theirs = found["krylov"]["seconds"], found[peer]["seconds"]
    section.figures.append(at_least(what, f"{ours:.2f} s", f"{theirs:.2f} s", theirs / ours, target))


def add_census(context: Context, section: Section, rows: list[list[str]]) -> None:
    for affinity in ("knn", "rbf"):
        found = measured(context, "points", context.data / "census/census.csv.gz", "group", "target", 25, affinity)
        rows += solver_rows(f"census, {affinity}, k = 25", found)
        ours, theirs = found["krylov"]["cost"], found["s_fsc"]["cost"]
        section.figures.append(at_most(f"census, {affinity}, k = 25: cost above that of s-FSC, relative", f"{ours:.4f}",
                                       f"{theirs:.4f}", ours / theirs - 1, 1e-3))


def add_windows(context: Context, section: Section) -> None:
    rows = []
    for k, spread in STREAMS:
        found = measured(context, "window", k, spread, REFRESHES)
        for run in found["runs"]:
            stop = "1e-3 k" if run["stop"] == "absolute" else "1e-3 relative"
            target = 1 / 8 if run["stop"] == "absolute" else 1 / 2
            what = f"window, k = {k}, spread {spread:g}, {run['solver']}, to {stop}"
            section.figures.append(at_most(f"{what}: warm over cold applications", f"{run['warm']:.2f}",
                                           f"{run['cold']:.2f}", run["warm"] / run["cold"], target))
            if run["solver"] == "krylov":
                section.figures.append(at_most(f"{what}: the same, cold by LOBPCG too", f"{run['warm']:.2f}",
                                               f"{run['cold_lobpcg']:.2f}", run["warm"] / run["cold_lobpcg"], target))
            section.figures.append(at_most(f"{what}: churn of points that stayed", f"{100 * run['churn']:.2f} %", "0",
                                           run["churn"], 0.02))
            rows.append([f"k = {k}, spread {spread:g}", run["solver"], stop, f"{run['warm']:.2f}", f"{run['cold']:.2f}",
                         f"{run['warm_met']} / {run['cold_met']}",
                         f"{run['warm_seconds'] / run['cold_seconds']:.3f}", f"{100 * run['churn']:.2f} %"])
    section.tables.append(Table(
        f"Window of 5,000, 250 replaced at a time, {REFRESHES} refreshes",
        ["stream", "solver", "stopped within", "warm", "cold", f"reached, of {REFRESHES}", "seconds, ratio", "churn"],
        rows))


def add_labels(context: Context, section: Section) -> None:
    rows = []
    for name, k, balance, cut in LABELS:
        progress(f"spectral: labels of {name}, k = {k}, balance {balance:g}")
        target = f"balance_at_least={balance:g}" if balance > 0 else "parity_at_least=0"
        command = [context.program("fairstream"), "fit", "fair_spectral", "--json", "--clusters", str(k), "--set", target]
        for part in ("edges", "nodes"):
            command += [f"--{part}", str(context.data / name / f"{part}.csv.gz")]
        begun = time.monotonic()
        found = run_json([*command, "--group", "group"])
        seconds = time.monotonic() - begun
        what = f"{name}, k = {k}, " + (f"balance {balance:g}" if balance > 0 else "no target")
        section.figures.append(at_most(f"{what}: normalised cut of the labels", f"{found['normalised_cut']:.3f}",
                                       f"{cut:.3f}", found["normalised_cut"] / cut, 1))
        rows.append([what, f"{found['normalised_cut']:.3f}", f"{found['balance']:.3f}",
                     f"{found['average_balance']:.3f}", f"{seconds:.2f} s"])
    section.tables.append(Table("Labels of graphs", ["graph", "cut", "smallest balance", "average", "whole fit"], rows))


def add_label_streams(context: Context, section: Section) -> None:
    rows = []
    for k, spread, balance, drift in LABEL_STREAMS:
        found = measured(context, "labels", k, spread, LABEL_REFRESHES, balance, drift)
        warm, anew, warm_balance, cold_balance, churn, ten = np.array(found["refreshes"]).T
        ratio = warm / ten
        what = f"labels, k = {k}, spread {spread:g}, " + (f"balance {balance:g}" if balance > 0 else "the default target")
        what += f", drift {drift:g}" if drift > 0 else ""
        section.figures.append(at_most(f"{what}: cut over the best of ten starts, median", f"{np.median(warm):.3f}",
                                       f"{np.median(ten):.3f}", np.median(ratio), 1.01))
        section.figures.append(at_most(f"{what}: the same at most", "", "", ratio.max(), 1.03))
        section.figures.append(at_most(f"{what}: churn of points that stayed", f"{100 * churn.mean():.1f} %", "0",
                                       churn.mean(), 0.02))
        rows.append([what, f"{np.median(warm / anew):.3f} / {(warm / anew).max():.3f}", f"{warm_balance.min():.3f} / {cold_balance.min():.3f}",
                     f"{100 * np.median(churn):.1f} / {100 * churn.max():.1f} %",
                     f"{found['warm_seconds']:.3f} / {found['cold_seconds']:.3f} s"])
    section.tables.append(Table(
        f"Labels along a window of 3,000, 300 replaced at a time, {LABEL_REFRESHES} refreshes",
        ["stream", "cut over labels made anew, median / most", "smallest balance, warm / cold", "churn, median / most", "a refresh, warm / cold"], rows))


def add_scale(context: Context, section: Section) -> None:
    runs = [measured(context, "scale", n, 10) for n in SCALE]
    section.tables.append(Table("Points, k = 10, graph of neighbours",
                                ["n", "seconds", "of them the graph", "applications", "cost"],
                                [[f"{r['n']:,}", f"{r['seconds']:.2f}", f"{r['graph_seconds']:.2f}",
                                  f"{r['applications']:.1f}", f"{r['cost']:.4f}"] for r in runs]))
    first, last = runs[0], runs[-1]
    exponent = math.log(last["seconds"] / first["seconds"]) / math.log(last["n"] / first["n"])
    allowed = math.log(last["n"] * math.log(last["n"]) / (first["n"] * math.log(first["n"]))) / math.log(
        last["n"] / first["n"])
    section.figures.append(at_most(f"exponent of the time from {first['n']:,} to {last['n']:,} points",
                                   f"{last['seconds']:.2f} s", f"{first['seconds']:.2f} s", exponent, round(allowed, 3)))


def run(context: Context) -> Section:
    section = Section("spectral", "Fair spectral clustering")
    for name in ("facebooknet", "lastfm", "census"):
        if not (context.data / name).is_dir():
            raise Failed(f"no data set {name} in {context.data}")
    rows: list[list[str]] = []
    add_graphs(context, section, rows)
    add_speed(context, section, rows)
    add_census(context, section, rows)
    section.tables.append(Table("Solvers on the same operator",
                                ["problem", "solver", "cost", "applications", "seconds", "average balance",
                                 "||FᵀH||^2 unpolished", "outcome"], rows))
    add_windows(context, section)
    add_labels(context, section)
    add_label_streams(context, section)
    add_scale(context, section)
    section.notes.append(
        "krylov to a residual of 1e-3; admm: one step for each dual, alpha 0.5, 100 iterations; admm_paper: L-BFGS, alpha "
        "from 0.005, 10 iterations; s-FSC: Lanczos of Spectra to 1e-8 on the same operator; o-FSC: a dense eigensolver "
        "(Eigen). Seconds are of the solvers, all cores where they use them. Applications are products with n x k blocks, "
        "by columns.")
    return section
