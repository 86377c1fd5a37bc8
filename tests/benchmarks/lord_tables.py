"""The paper's Tables 2, 4 and 5: accuracies of LoRD, and of B-LoRD by tau, with these tau; beside plain peers. Features
are raw, except where only a scaling reproduces the paper's figures: it does not name one."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lord_peers import PEERS, accuracy, graph_of
from report import Section, Table, at_least, progress
from support import Context, run_json

STARTS = 50
BELOW_PAPER = 0.02


@dataclass(frozen=True)
class Published:
    """A data set of the paper: its code there, and figures of Tables 2, 4 and 5."""

    code: str
    clusters: int
    lord: float  # accuracy, as the others
    tau1: tuple[float, float]  # tau, accuracy of B-LoRD
    tau2: tuple[float, float]
    best: tuple[float, float]  # at the tau with the best accuracy
    scaling: str = ""  # option of fairstream; empty: raw features


PUBLISHED = {
    "yale": Published("D1", 15, 0.467, (0.59, 0.509), (0.83, 0.485), (0.83, 0.515)),
    "orl": Published("D2", 40, 0.655, (0.47, 0.637), (0.95, 0.628), (0.62, 0.685)),
    "chart": Published("D3", 6, 0.878, (0.43, 0.905), (0.28, 0.890), (0.44, 0.905), "--unit-range"),
    "usps1000": Published("D4", 10, 0.606, (0.38, 0.633), (0.29, 0.719), (0.28, 0.740)),
    "isolet": Published("D5", 26, 0.593, (0.23, 0.627), (0.26, 0.633), (0.34, 0.644)),
    "coil100": Published("D6", 100, 0.496, (0.24, 0.629), (0.26, 0.608), (0.22, 0.647)),
    "semeion": Published("D7", 10, 0.755, (0.34, 0.782), (0.28, 0.693), (0.42, 0.783)),
    "mnist": Published("D8", 10, 0.943, (0.14, 0.954), (0.24, 0.962), (0.34, 0.964)),
    "mnist2000": Published("D9", 10, 0.657, (0.32, 0.716), (0.27, 0.702), (0.38, 0.745)),
    "wine": Published("D10", 3, 0.944, (0.58, 0.848), (0.30, 0.949), (0.43, 0.955), "--standardise"),
    "yeast": Published("D11", 10, 0.303, (0.35, 0.304), (0.28, 0.321), (0.04, 0.412)),
    "ecoli": Published("D12", 8, 0.455, (0.50, 0.500), (0.30, 0.509), (0.03, 0.741)),
}
SCALINGS = {"": "raw", "--unit-range": "columns to [0, 1]", "--standardise": "columns standardised"}


def fitted(context: Context, model: str, *arguments: str, **options: object) -> dict:
    command = [context.program("fairstream"), "fit", model, "--json", *arguments]
    for option, value in options.items():
        command += ["--set", f"{option}={value}"]
    return run_json(command)


def data_of(context: Context, name: str) -> Path:
    return context.data / name / f"{name}.csv.gz"


def points_of(data: Path, clusters: int, scaling: str = "") -> list[str]:
    arguments = ["--input", str(data), "--target", "target", "--clusters", str(clusters)]
    return [*arguments, scaling] if scaling else arguments


def load(path: Path, scaling: str) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(path, "rt") as file:
        rows = np.genfromtxt(file, delimiter=",", skip_header=1)
    x, classes = rows[:, :-1], rows[:, -1].astype(int)
    if scaling == "--unit-range":
        x = (x - x.min(0)) / np.ptp(x, 0)
    return ((x - x.mean(0)) / x.std(0) if scaling == "--standardise" else x), classes


def run(context: Context) -> Section:
    section = Section("lord_tables", "Accuracies of LoRD and B-LoRD beside the paper's")
    header = ["data", "features", "LoRD", "B-LoRD, tau1", "B-LoRD, tau2", "B-LoRD, best tau"]
    table = Table("Accuracy (paper's), at tau (paper's)", [*header, *PEERS], [])
    losses, absent, off = [], [], []
    for name, paper in PUBLISHED.items():
        data = data_of(context, name)
        if not data.exists():
            absent.append(name)
            continue
        progress(f"lord: accuracy on {name}")
        points = points_of(data, paper.clusters, paper.scaling)
        plain = fitted(context, "lord", *points, method="lord", starts=STARTS)["accuracy"]
        by_tau = {tau: fitted(context, "lord", *points, tau=tau, starts=STARTS) for tau in ("tau1", "tau2", "scan")}
        usual, oracle = by_tau["tau2"], by_tau["scan"]
        best = oracle["accuracy"]
        losses.append(f"{name} {best - usual['accuracy']:.3f}")
        section.figures.append(at_least(f"LoRD on {name}", f"{plain:.3f}", f"paper {paper.lord:.3f}", plain,
                                        round(paper.lord - BELOW_PAPER, 3)))
        section.figures.append(at_least(f"B-LoRD on {name}, tau {oracle['tau']:g} chosen by the classes", f"{best:.3f}",
                                        f"paper {paper.best[1]:.3f}", best, round(paper.best[1] - BELOW_PAPER, 3)))
        off.append([abs(by_tau[tau]["tau"] - oracle["tau"]) for tau in ("tau1", "tau2")])
        cells = [f"{found['accuracy']:.3f} ({accurate:.3f}), at {found['tau']:.2f} ({tau:.2f})"
                 for found, (tau, accurate) in zip(by_tau.values(), (paper.tau1, paper.tau2, paper.best))]
        x, classes = load(data, paper.scaling)
        graph = graph_of(x)
        peers = [f"{accuracy(peer(graph, paper.clusters), classes):.3f}" for peer in PEERS.values()]
        table.rows.append([f"{paper.code} {name}", SCALINGS[paper.scaling], f"{plain:.3f} ({paper.lord:.3f})", *cells,
                           *peers])
    section.tables.append(table)
    section.notes.append(f"accuracy that tau2 is below the best tau: {', '.join(losses)}")
    if off:
        section.notes.append("mean distance from the best tau: tau1 {:.2f}, tau2 {:.2f} (paper .16, .13)".format(*np.mean(off, 0)))
    if absent:
        section.notes.append(f"not in {context.data}: {', '.join(absent)}")
    return section
