"""lord: accuracy on the paper's data sets beside its figures and plain peers, and its speed warm and cold."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import numpy as np

from lord_peers import PEERS, accuracy, graph_of
from report import Section, Table, at_least, at_most, progress
from support import Context, run_json

STARTS = 50
# clusters, and the paper's accuracies of LoRD and B-LoRD at the tau that fits the classes best
PUBLISHED = {
    "yale": (15, 0.467, 0.515),
    "orl": (40, 0.655, 0.685),
    "chart": (6, 0.878, 0.905),
    "usps1000": (10, 0.606, 0.740),
    "semeion": (10, 0.755, 0.783),
    "wine": (3, 0.944, 0.955),
    "ecoli": (8, 0.455, 0.741),
}
STANDARDISED = {"wine"}
ORACLE_STEP = 0.02
BELOW_PAPER = 0.02


def fit(context: Context, data: Path, name: str, clusters: int, **options: object) -> dict:
    command = [context.program("fairstream"), "fit", "lord", "--input", str(data), "--target", "target"]
    command += ["--clusters", str(clusters), "--json", "--set", f"starts={STARTS}"]
    if name in STANDARDISED:
        command.append("--standardise")
    for option, value in options.items():
        command += ["--set", f"{option}={value}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def load(path: Path, standardised: bool) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(path, "rt") as file:
        rows = np.genfromtxt(file, delimiter=",", skip_header=1)
    x, classes = rows[:, :-1], rows[:, -1].astype(int)
    return ((x - x.mean(0)) / x.std(0) if standardised else x), classes


def accuracies(context: Context, section: Section) -> None:
    table = Table("Accuracy", ["data", "LoRD", "B-LoRD, tau2", "B-LoRD, best tau", "paper", *PEERS], [])
    for name, (clusters, lord, b_lord) in PUBLISHED.items():
        data = context.data / name / f"{name}.csv.gz"
        if not data.exists():
            continue
        progress(f"lord: accuracy on {name}")
        plain = fit(context, data, name, clusters, method="lord")["accuracy"]
        usual = fit(context, data, name, clusters)
        taus = np.round(np.arange(0, 1 + ORACLE_STEP / 2, ORACLE_STEP), 4)
        scanned = [(fit(context, data, name, clusters, tau=tau)["accuracy"], -tau) for tau in taus]
        best, at = max(scanned)
        section.figures.append(at_least(f"LoRD on {name}", f"{plain:.3f}", f"paper {lord:.3f}", plain, lord - BELOW_PAPER))
        section.figures.append(
            at_least(f"B-LoRD on {name}, tau {-at:g} chosen by the classes", f"{best:.3f}", f"paper {b_lord:.3f}", best,
                     b_lord - BELOW_PAPER)
        )
        x, classes = load(data, name in STANDARDISED)
        graph = graph_of(x)
        peers = [f"{accuracy(peer(graph, clusters), classes):.3f}" for peer in PEERS.values()]
        table.rows.append([name, f"{plain:.3f}", f"{usual['accuracy']:.3f} at {usual['figures']['tau']:.2f}"
                           if "figures" in usual and "tau" in usual["figures"] else f"{usual['accuracy']:.3f}",
                           f"{best:.3f} at {-at:g}", f"{lord:.3f} / {b_lord:.3f}", *peers])
    section.tables.append(table)


def iterations(context: Context, section: Section) -> None:
    for clusters, target in ((10, 6.0), (50, 12.0)):
        found = run_json([context.program("bench_lord"), "iteration", "10000", str(clusters)])
        for run in found["runs"]:
            marginals = "groups of their own marginals" if run["fair"] else "plain"
            section.figures.append(
                at_most(
                    f"an iteration, 10,000 points, k = {clusters}, {marginals}",
                    f"{1e3 * run['iteration']:.2f} ms, {run['rounds']:.1f} passes",
                    f"a product of the graph with V {1e3 * run['product']:.2f} ms",
                    run["iteration"] / run["product"],
                    target,
                )
            )


def windows(context: Context, section: Section) -> None:
    refreshes = 10 if context.quick else 100
    for spread in (1.5, 2.5):
        command = [context.program("bench_lord"), "window", "5000", "10", "250", str(refreshes), str(spread), "10"]
        rows = np.array(run_json(command)["rows"])
        warm, cold, churn, warm_to, cold_to = rows[:, 0], rows[:, 1], rows[:, 4], rows[:, 7], rows[:, 8]
        over = warm / cold  # both below 0: the better is the lower
        what = f"5,000 points of which 250 are new, k = 10, spread {spread}, {refreshes} refreshes"
        section.figures.append(at_most(f"{what}: iterations to within 1e-3", f"{warm_to.mean():.1f}",
                                       f"a start {cold_to.mean():.1f}", warm_to.mean() / cold_to.mean(), 0.1))
        section.figures.append(at_least("the same: objective over the best of ten starts, median",
                                        f"least {over.min():.4f}", "", float(np.median(over)), 0.99))
        section.figures.append(at_most("the same: points that stay and change their label", f"{100 * churn.mean():.2f} %",
                                       f"most {100 * churn.max():.1f} %", churn.mean(), 0.02))


def growth(context: Context, section: Section) -> None:
    sizes = [3_000, 10_000, 30_000] + ([] if context.quick else [100_000])
    runs = run_json([context.program("bench_lord"), "scale", "10", *map(str, sizes)])["runs"]
    table = Table("Time of a start from nothing, k = 10, d = 8",
                  ["points", "graph", "start, labels and figures included", "iterations"], [])
    for run in runs:
        table.rows.append([f"{run['n']:,}", f"{run['graph']:.2f} s", f"{run['start']:.2f} s", str(run["iterations"])])
    n, seconds = np.log([run["n"] for run in runs]), np.log([run["graph"] + run["start"] for run in runs])
    section.tables.append(table)
    section.notes.append(f"time grows as n^{np.polyfit(n, seconds, 1)[0]:.2f}")


def run(context: Context) -> Section:
    section = Section("lord", "Probabilistic clustering: LoRD and B-LoRD")
    iterations(context, section)
    windows(context, section)
    growth(context, section)
    accuracies(context, section)
    return section
