"""lord: its speed warm and cold, what shares of clusters are worth, and fair shares. Accuracies: `lord_tables`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lord_tables import PUBLISHED, STARTS, data_of, fitted, load, points_of
from report import Section, Table, at_least, at_most, progress
from support import Context, run_json

DIGIT_STARTS = 4
FAIR_STARTS = 2
PARITY = 0.8
PRIOR_STARTS = 20
LEAST_SHARE = 0.002
SHARE_GAP = 1e-6


def priors(context: Context, section: Section) -> None:
    """What the shares of the clusters are worth: even, those of the classes, and those of labels, fitted again."""
    header = ["data", "tau", "even", "of the classes", "of the labels before, one time to four"]
    table = Table(f"Accuracy by `priors`, {PRIOR_STARTS} starts", header, [])
    for name in ("ecoli", "wine", "chart", "usps1000"):
        data = data_of(context, name)
        if not data.exists():
            continue
        paper = PUBLISHED[name]
        points, classes = points_of(data, paper.clusters, paper.scaling), load(data, paper.scaling)[1]
        for tau in ("tau2", "0.2"):
            progress(f"lord: priors of {name}, tau {tau}")

            def with_shares(counts: np.ndarray) -> dict:
                shares = np.maximum(counts / len(classes), LEAST_SHARE)
                return fitted(context, "lord", *points, tau=tau, starts=PRIOR_STARTS, priors=",".join(f"{s:.6g}" for s in shares))

            even = fitted(context, "lord", *points, tau=tau, starts=PRIOR_STARTS)
            known = with_shares(np.unique(classes, return_counts=True)[1])
            again, labels = [], even
            for _ in range(4):
                labels = with_shares(np.array(labels["cluster_sizes"]))
                again.append(f"{labels['accuracy']:.3f}")
            table.rows.append([name, tau, f"{even['accuracy']:.3f}", f"{known['accuracy']:.3f}", ", ".join(again)])
    section.tables.append(table)


def digits(context: Context, section: Section) -> None:
    data = data_of(context, "mnist_test10k")
    if not data.exists():
        return
    progress("lord: mnist_test10k")
    table = Table(f"10,000 digits of MNIST, k = 10, {DIGIT_STARTS} starts",
                  ["", "accuracy", "nmi", "seconds for each start, graph and figures included"], [])
    points = points_of(data, 10)
    for method in ("lord", "b_lord"):
        found = fitted(context, "lord", *points, method=method, starts=DIGIT_STARTS)
        table.rows.append([method, f"{found['accuracy']:.3f}", f"{found['nmi']:.3f}",
                           f"{found['seconds'] / DIGIT_STARTS:.2f}"])
    section.tables.append(table)


def correlations(context: Context, section: Section) -> None:
    """R² of a line through accuracy over objective, one start each, as the paper's Table 3; its sign that of the slope
    which makes the better objective the more accurate."""
    table = Table(f"R² between the objective and the accuracy of {STARTS} starts", ["data", "LoRD", "B-LoRD, tau2"], [])
    for name, paper in PUBLISHED.items():
        data = data_of(context, name)
        if not data.exists():
            continue
        row = [name]
        for method in ("lord", "b_lord"):
            progress(f"lord: objective and accuracy of {method} on {name}")
            points = points_of(data, paper.clusters, paper.scaling)
            runs = [fitted(context, "lord", *points, method=method, starts=1, seed=seed) for seed in range(1, STARTS + 1)]
            costs, agreed = (np.array([run[key] for run in runs]) for key in ("cost", "accuracy"))
            alike = np.ptp(costs) == 0 or np.ptp(agreed) == 0
            r = 0.0 if alike else float(np.corrcoef(-costs, agreed)[0, 1])
            row.append("alike" if alike else f"{np.sign(r) * r * r:.2f}")
        table.rows.append(row)
    section.tables.append(table)


def fair_shares(context: Context, section: Section) -> None:
    """Shares of probabilities by group, and what labels lose of them, beside fair_spectral with the same target."""
    table = Table("Fair shares: labels the most probable, then with a parity of 0.8",
                  ["data", "model", "largest gap of soft shares", "balance", "parity", "normalised cut"], [])
    adult = ["--input", str(context.data / "adult/adult.csv.gz"), "--rows", str(context.data / "adult/rows5000.txt")]
    adult += ["--features", "age,fnlwgt,education_num,capital_gain,hours_per_week", "--standardise", "--unit-rows"]
    graphs = {name: ["--edges", str(context.data / name / "edges.csv.gz"), "--nodes",
                     str(context.data / name / "nodes.csv.gz")] for name in ("facebooknet", "lastfm")}
    for name, data, clusters, tau in (("adult", adult, 10, 0.1), ("adult", adult, 10, 0.3),
                                      ("facebooknet", graphs["facebooknet"], 25, 0.5),
                                      ("lastfm", graphs["lastfm"], 25, 0.5)):
        if not Path(data[1]).exists():
            continue
        data = [*data, "--group", "group", "--clusters", str(clusters)]
        runs = []
        for fair in ("off", "proportional"):
            for parity in (0, PARITY):
                progress(f"lord: {name}, tau {tau}, fair = {fair}, parity {parity}")
                found = fitted(context, "lord", *data, tau=tau, fair=fair, parity_at_least=parity, starts=FAIR_STARTS)
                runs.append((f"lord, tau {tau}, fair = {fair}, parity {parity}", found))
                if fair == "proportional" and parity == 0:
                    section.figures.append(at_most(f"{name}, k = {clusters}, tau {tau}: largest gap of soft shares",
                                                   f"{found['share_gap']:.1e}", "", found["share_gap"], SHARE_GAP))
        runs += [(f"fair_spectral, parity {parity}", fitted(context, "fair_spectral", *data, parity_at_least=parity))
                 for parity in (0, PARITY)]
        for model, found in runs:
            shares = f"{found['share_gap']:.1e}" if found.get("share_gap") is not None else ""
            table.rows.append([f"{name}, k = {clusters}", model, shares, f"{found['balance']:.3f}",
                               f"{found['parity']:.3f}", f"{found['normalised_cut']:.3f}"])
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
    priors(context, section)
    digits(context, section)
    fair_shares(context, section)
    if not context.quick:
        correlations(context, section)
    return section
