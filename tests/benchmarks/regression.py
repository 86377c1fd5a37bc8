"""regression: fair networks on real data beside the paper's figures, and the closed forms beside OpenBLAS."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from report import Section, Table, at_least, at_most, progress
from support import Context, run_json

WIDTH, ROWS = 256, 4096
# The paper's figures on COMPAS (table 2), and those of its authors' code on these rows.
PAPER_MSE, PAPER_KS = 0.214, 0.130
# Data sets, and how their columns are scaled.
DATA = {"compas": "raw", "communities": "raw"}
SPLITS = 50
COMPARED_SPLITS = 10


def openblas(context: Context) -> Path | None:
    """OpenBLAS from its Debian package, unpacked beside the build and not installed: as the system's BLAS it would be
    the engine's, too."""
    folder = Path(context.program("fairstream")).parents[1] / "peers"
    found = list(folder.rglob("libopenblasp*.so"))
    if not found:
        folder.mkdir(parents=True, exist_ok=True)
        for command in (["apt-get", "download", "libopenblas0-pthread"], ["sh", "-c", "dpkg -x libopenblas0*.deb ."]):
            if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode != 0:
                return None
        found = list(folder.rglob("libopenblasp*.so"))
    return found[0] if found else None


def peer_seconds(library: Path, *arguments: object) -> float:
    script = Path(__file__).with_name("openblas_peer.py")
    command = [sys.executable, str(script), str(library), *map(str, arguments)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def speeds(context: Context, section: Section) -> None:
    library = openblas(context)
    if library is None:
        section.notes.append("the package libopenblas0-pthread could not be had: no speeds were compared")
        return
    program = context.program("bench_regression")
    syrk = peer_seconds(library, "ssyrk", ROWS, WIDTH)
    for threads in (1, 2):
        own = run_json([program, "moments", str(WIDTH), str(ROWS), str(threads)])["seconds"]
        section.figures.append(at_least(f"moments of two groups, {ROWS} rows of {WIDTH}, threads: {threads}",
                                        f"{1e3 * own:.2f} ms", f"ssyrk on one {1e3 * syrk:.2f} ms", syrk / own, 0.5))
    svd = peer_seconds(library, "dgesvd", WIDTH)
    for form, seconds in run_json([program, "solve", str(WIDTH), "5000"]).items():
        section.figures.append(at_most(f"both steps for a layer of {WIDTH} x {WIDTH}, form {form}",
                                       f"{1e3 * seconds:.1f} ms", f"dgesvd on one thread {1e3 * svd:.1f} ms",
                                       seconds / svd, 4))


def quantile_matched(data: dict, part: float) -> tuple[float, float]:
    """Chzhen et al. (21) with the true group of every test row at hand, which ours do without: outputs go the root of
    `part` of the way to the Wasserstein barycentre of the groups' outputs. Returns MSE and KS of the test rows."""
    trained, groups = np.array(data["training"]), np.array(data["training_groups"], int)
    outputs, of, targets = np.array(data["test"]), np.array(data["test_groups"], int), np.array(data["test_targets"])
    sorted_outputs = [np.sort(trained[groups == g]) for g in (0, 1)]
    shares = [np.mean(groups == g) for g in (0, 1)]
    moved = np.empty_like(outputs)
    for g in (0, 1):
        rank = np.searchsorted(sorted_outputs[g], outputs[of == g], side="right") / len(sorted_outputs[g])
        moved[of == g] = sum(share * np.quantile(own, rank) for share, own in zip(shares, sorted_outputs, strict=True))
    moved = outputs + part**0.5 * (moved - outputs)
    at = np.sort(moved)
    ranks = [np.searchsorted(np.sort(moved[of == g]), at, side="right") / np.sum(of == g) for g in (0, 1)]
    return float(np.mean((moved - targets) ** 2)), float(np.max(np.abs(ranks[0] - ranks[1])))


def comparators(context: Context, section: Section, name: str, scale: str) -> None:
    splits = 4 if context.quick else COMPARED_SPLITS
    data = str(context.data / name / f"{name}.csv.gz")
    found = run_json([context.program("bench_regression"), "outputs", data, "group", "target", scale, "1", str(splits + 1)])
    table = Table(f"{name}: quantiles matched to the barycentre by the true groups, {splits} splits",
                  ["part", "MSE", "KS"], [])
    for part in (0, 0.25, 0.5, 1):
        mse, ks = np.mean([quantile_matched(split, part) for split in found["splits"]], 0)
        table.rows.append([f"{part:g}", f"{mse:.4f}", f"{ks:.4f}"])
    section.tables.append(table)


def fronts(context: Context, section: Section) -> None:
    splits = 4 if context.quick else SPLITS
    for name, scale in DATA.items():
        data = context.data / name / f"{name}.csv.gz"
        if not data.exists():
            continue
        progress(f"regression: {name}")
        done = subprocess.run([context.program("bench_regression"), "fronts", str(data), "group", "target", scale, "1",
                               str(splits + 1)], check=True, capture_output=True, text=True)
        found = defaultdict(list)
        for row in json.loads(done.stdout)["rows"]:
            found[row["model"], row["wish"]].append((row["mse"], row["ks"]))
        table = Table(f"{name}: test rows of {splits} splits, means and standard errors",
                      ["model", "c_e over what it was, or KS wished", "MSE", "KS"], [])
        for (model, wish), figures in found.items():
            mean, error = np.mean(figures, 0), np.std(figures, 0, ddof=1) / len(figures) ** 0.5
            table.rows.append([model, f"{wish:.3g}", f"{mean[0]:.4f} +- {error[0]:.4f}",
                               f"{mean[1]:.4f} +- {error[1]:.4f}"])
        section.tables.append(table)
        comparators(context, section, name, scale)
        if name == "compas":
            mse, ks = np.mean(found["last layer", 0.03], 0)
            section.figures.append(at_most("compas, the defaults: MSE", f"{mse:.4f}", f"paper {PAPER_MSE}", mse, PAPER_MSE))
            section.figures.append(at_most("compas, the defaults: KS", f"{ks:.4f}", f"paper {PAPER_KS}", ks, PAPER_KS))


def run(context: Context) -> Section:
    section = Section("regression", "Fair regression: ESVDFair")
    speeds(context, section)
    fronts(context, section)
    return section
