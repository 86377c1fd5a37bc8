"""Partial-fair scores: accuracy at a given fairness against a remap by group, IDCA in NumPy and other constraints, the
time of an iteration of IDCA, and warm solves of a moving window against cold ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import partial_constraints
import partial_idca
import partial_measures
import partial_pairwise
import partial_peers
import partial_remap
from kept import Kept
from partial_data import A9A, BANK, SEEDS, SETS, PartialSet, Split, load
from partial_tables import Mean, summaries, table
from report import Figure, Section, Table, at_least, at_most, progress
from support import Context, run_json

KAPPAS = (0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9)
LOSSES = ("automatic", "sigmoid", "logistic")  # the first is the default
FULL = {"solve_iterations": 100, "inner": 150, "epsilon": 5e-3}  # IDCA to K = 100, T = 150
SOURCES = (partial_constraints, partial_idca, partial_measures, partial_pairwise, partial_peers, partial_remap)
OURS = {"psp": "ours, pSP", "pdp": "ours, pDP"}


def write(split: Split, file: Path) -> None:
    """As bench_scores reads it, in a random order: it streams them, and the parts lie by group."""
    parts = (split.train, split.validation, split.test)
    d = split.train.design.shape[1] // 2 - 1
    order = np.random.default_rng(1).permutation(sum(len(part.targets) for part in parts))
    features = np.vstack([part.design[:, 1:d + 1].toarray() for part in parts])[order]
    with file.open("wb") as out:
        np.array(features.shape, np.uint64).tofile(out)
        features.astype(np.float32).tofile(out)
        np.concatenate([part.targets for part in parts])[order].astype(np.float32).tofile(out)
        np.concatenate([part.groups for part in parts])[order].astype(np.uint16).tofile(out)
        np.repeat(np.arange(3), [len(part.targets) for part in parts])[order].astype(np.uint8).tofile(out)


def bench(context: Context, what: str, file: Path, data: PartialSet, *arguments: object) -> dict:
    return run_json([context.program("bench_scores"), what, str(file), *map(str, (*data.interval, *arguments))])


def our_rows(context: Context, data: PartialSet, seed: int, file: Path) -> list[dict]:
    rows = []
    for metric, method in OURS.items():
        for loss in LOSSES:
            progress(f"partial: {data.name}, split {seed}, {metric}, {loss}")
            for point in bench(context, "front", file, data, metric, loss, *KAPPAS)["points"]:
                rows.append({"data": data.name, "seed": seed, "method": f"{method}, {loss}", "problem": "both",
                             "parameter": point["kappa"], "rounds": 0, "loss": point["loss"],
                             "seconds": point["seconds"], "kkt_residual": point["kkt_residual"],
                             "inner_iterations": point["inner_iterations"], "test": point["test"],
                             "validation": point["validation"]})
    return rows


def peer_rows(kept: Kept, data: PartialSet, seed: int, split: Split, source: Path) -> list[dict]:
    trial = partial_peers.Trial(data, split)
    rows = []
    for name, method in partial_peers.METHODS.items():
        if name in ("timed", "long_idca"):
            continue
        progress(f"partial: {data.name}, split {seed}, {name}")
        inputs = (*SOURCES, data.name, source.stat().st_size, seed, name)
        found = kept.result(f"partial_{data.name}_{seed}_{name}", inputs,
                            lambda method=method: {"rows": [vars(row) for row in method(trial)]})
        rows += [{"data": data.name, "seed": seed, **row} for row in found["rows"]]
    return rows


def curve(rows: list[dict], data: str, method: str, measure: str) -> list[tuple[float, float]]:
    """Fairness and accuracy, by rising fairness."""
    points = [(own[measure].value, own["accuracy"].value) for key, own in summaries(rows).items()
              if key[0] == data and key[1] == method]
    return sorted(points)


def accuracy_at(points: list[tuple[float, float]], fairness: float) -> float:
    """On the lines between the points that no other one dominates; NaN beyond the last."""
    best = [point for point in points if not any(x >= point[0] and y > point[1] for x, y in points)]
    x, y = zip(*best)
    return float(np.interp(fairness, x, y, left=y[0], right=np.nan))


def compare(section: Section, rows: list[dict], data: PartialSet) -> None:
    """The least lead over each peer's points, at defaults."""
    for metric, measure, least in (("psp", "sp", 0.0), ("pdp", "dp", 0.85)):
        ours = curve(rows, data.name, f"{OURS[metric]}, automatic", measure)
        peers = dict.fromkeys(row["method"] for row in rows
                              if row["data"] == data.name and row.get("problem") in ("both", metric)
                              and not row["method"].startswith("ours") and row["method"] != "unconstrained")
        for peer in peers:
            leads = [(accuracy_at(ours, x) - y, x, y) for x, y in summary_points(rows, data, peer, metric, measure)
                     if x >= least]
            leads = [lead for lead in leads if not np.isnan(lead[0])]
            if not leads:
                continue
            lead, x, y = min(leads)
            section.figures.append(Figure(f"{data.name}, 1 - {measure.upper()}: least lead over {peer}",
                                          f"{y + lead:.4f}", f"{y:.4f} at {x:.3f}", lead, ">= 0", lead >= 0))


def summary_points(rows: list[dict], data: PartialSet, peer: str, metric: str,
                   measure: str) -> list[tuple[float, float]]:
    own = [row for row in rows if row["data"] == data.name and row["method"] == peer
           and row.get("problem") in ("both", metric)]
    return [(found[measure].value, found["accuracy"].value) for found in summaries(own).values()]


def add_targets(section: Section, rows: list[dict]) -> None:
    a9a = curve(rows, "a9a", f"{OURS['psp']}, automatic", "sp")
    for fairness, wanted in ((0.895, 0.8325), (0.953, 0.8299), (0.647, 0.8383)):
        found = accuracy_at(a9a, fairness)
        section.figures.append(Figure(f"a9a: accuracy at 1 - SP = {fairness}", f"{found:.4f}", f"{wanted}",
                                      found - wanted, ">= 0", found >= wanted))
    bank = curve(rows, "bank", f"{OURS['psp']}, automatic", "sp")
    found = accuracy_at(bank, 0.832)
    section.figures.append(Figure("bank: accuracy at 1 - SP = 0.832", f"{found:.4f}", "0.9092", found - 0.9092,
                                  ">= 0", found >= 0.9092))


def add_speed(context: Context, section: Section, split: Split, file: Path) -> None:
    """Both for a like number of iterations, one after the other."""
    progress("partial: time of an iteration")
    whole = bench(context, "subgradient", file, A9A, 0.05, *FULL.values())
    each = whole["seconds"] / whole["inner_iterations"]
    for row in partial_peers.timed(partial_peers.Trial(A9A, split)):
        if row.problem != "psp":
            continue
        peer = row.seconds / row.iterations
        section.figures.append(at_least(f"a9a: times faster per iteration than NumPy, {row.method.split(', ')[1]}",
                                        f"{each * 1e3:.2f} ms", f"{peer * 1e3:.2f} ms", peer / each, 20))
    quick = bench(context, "front", file, A9A, "psp", "logistic", 0.05, "enforce=surrogate")["points"][0]
    rows = [["ssg, K = 100, T = 150", whole["seconds"], whole["inner_iterations"], whole["loss"], whole["kkt_residual"]],
            ["quadratic", quick["seconds"], quick["inner_iterations"], quick["loss"], quick["kkt_residual"]]]
    section.tables.append(Table("a9a, kappa = .05, one thread: two ways to solve the convex problems",
                                ["inner solver", "seconds", "evaluations", "loss", "KKT residual"],
                                [[name, f"{s:.2f}", f"{n:.0f}", f"{loss:.4f}", f"{kkt:.1e}"]
                                 for name, s, n, loss, kkt in rows]))


def add_warm(context: Context, section: Section, file: Path, data: PartialSet) -> None:
    rows = []
    for loss in LOSSES[1:]:
        progress(f"partial: {data.name}, warm against cold, {loss}")
        refreshes = bench(context, "warm", file, data, loss, 500)["refreshes"]

        def mean(kind: str, name: str) -> float:
            return float(np.mean([refresh[kind][name] for refresh in refreshes]))

        section.figures.append(at_most(f"{data.name}, {loss}: evaluations of a warm solve over those of a cold one",
                                       f"{mean('warm', 'inner_iterations'):.1f}",
                                       f"{mean('cold', 'inner_iterations'):.1f}",
                                       mean("warm", "inner_iterations") / mean("cold", "inner_iterations"), 1 / 20))
        kept = [refresh["warm"]["excess"] == 0 for refresh in refreshes]
        section.figures.append(Figure(f"{data.name}, {loss}: windows whose points keep to kappa = .05",
                                      str(sum(kept)), str(len(kept)), sum(kept) / len(kept), ">= 0.95",
                                      sum(kept) >= 0.95 * len(kept)))
        alike = bench(context, "warm", file, data, loss, 100, "enforce=surrogate")["refreshes"]
        worst = max(refresh["warm"]["loss"] / refresh["cold"]["loss"] for refresh in alike)
        section.figures.append(Figure(f"{data.name}, {loss}: largest loss of {len(alike)} warm solves over a cold one, "
                                      "the surrogate keeping to kappa", f"{worst:.4f}", "1", worst, "<= 1.001",
                                      worst <= 1.001))
        for kind in ("warm", "cold"):
            rows.append([f"{loss}, {kind}", f"{mean(kind, 'inner_iterations'):.1f}", f"{mean(kind, 'seconds') * 1e3:.0f}",
                         f"{mean(kind, 'kkt_residual'):.1e}", f"{mean(kind, 'accuracy'):.4f}", f"{mean(kind, 'sp'):.3f}",
                         f"{mean(kind, 'bound'):.3f}", f"{mean(kind, 'bound_spacing'):.3f}",
                         f"{mean(kind, 'bound_infeasibility'):.3f}", f"{mean(kind, 'bound_surrogate'):.3f}"])
    section.tables.append(Table(
        f"{data.name}, window 10,000, batches of 500, kappa = .05: means over refreshes; SP <= bound = kappa + the rest",
        ["solve", "evaluations", "ms", "KKT residual", "accuracy", "SP", "bound", "spacing", "infeasibility",
         "surrogate"], rows))


def run(context: Context) -> Section:
    section = Section("partial", "Partial-fair scores by IDCA")
    missing = [data.folder for data in SETS.values() if not (context.data / data.folder).exists()]
    if missing:
        section.left_out = f"{context.data} lacks {', '.join(missing)} (choose the folder by --data or FAIRSTREAM_DATA)"
        return section
    kept = Kept(context.scratch)
    rows: list[dict] = []
    file = context.scratch / "split.bin"
    for data in (A9A, BANK):
        loaded = load(data, context.data)
        source = context.data / data.folder / f"{data.folder}.csv.gz"
        for seed in SEEDS:
            split = loaded.split(seed)
            write(split, file)
            rows += our_rows(context, data, seed, file) + peer_rows(kept, data, seed, split, source)
            if seed == SEEDS[0]:
                if data is A9A:
                    add_speed(context, section, split, file)
                add_warm(context, section, file, data)
        section.tables.append(table(rows, data.name))
        compare(section, rows, data)
    add_targets(section, rows)
    file.unlink()
    if kept.taken:
        section.notes.append(f"Rows of peers were kept from earlier runs, the oldest of {min(kept.taken)}.")
    return section
