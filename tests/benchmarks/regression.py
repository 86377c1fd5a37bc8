"""regression: fair networks on real data beside the paper's figures, and the closed forms beside OpenBLAS."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from regression_peers import BINS, Split, erased, quantile_matched, transported
from report import Section, Table, at_least, at_most, progress
from support import Context, run_json

WIDTH, ROWS = 256, 4096
# The paper's figures on COMPAS (table 2), and the figures of its authors' code on these rows.
PAPER_MSE, PAPER_KS = 0.214, 0.130
# Data sets, and how their columns are scaled.
DATA = {"compas": "raw", "communities": "raw"}
DEFAULT = "last layer", 0.03
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
    script = Path(__file__).parent / "peers" / "openblas_peer.py"
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


def splits_of(context: Context, command: str, name: str, splits: int) -> list:
    """Returns what `bench_regression` prints for the first splits of a data set, from two processes."""
    data = str(context.data / name / f"{name}.csv.gz")
    arguments = [context.program("bench_regression"), command, data, "group", "target", DATA[name]]
    middle = 1 + splits // 2
    with ThreadPoolExecutor(2) as pool:
        halves = pool.map(lambda ends: run_json([*arguments, *map(str, ends)]), [(1, middle), (middle, splits + 1)])
    return [entry for half in halves for entry in next(iter(half.values()))]


def by_model(rows: list[dict]) -> dict[tuple[str, float], list[tuple[float, float]]]:
    """MSE and KS on the test rows of every split, in their order."""
    found = defaultdict(list)
    for row in rows:
        found[row["model"], row["wish"]].append((row["mse"], row["ks"]))
    return found


def mean_and_error(figures: list[tuple[float, float]]) -> list[str]:
    mean, error = np.mean(figures, 0), np.std(figures, 0, ddof=1) / len(figures) ** 0.5
    return [f"{m:.4f} +- {e:.4f}" for m, e in zip(mean, error, strict=True)]


def compared(context: Context, section: Section, name: str, ours: dict) -> None:
    """Adds a table of the network as trained, the default, those by wish and all peers, on the same splits."""
    splits = 4 if context.quick else COMPARED_SPLITS
    header = ["model", "setting", "group at inference", "MSE", "KS"]
    title = f"{name}: fair networks and peers, test rows of {splits} splits, means and standard errors"
    table = Table(title, header, [])

    def add(model: str, setting: str, needs_group: bool, figures: list[tuple[float, float]]) -> None:
        table.rows.append([model, setting, "needed" if needs_group else "not needed", *mean_and_error(figures)])

    for (model, wish), figures in ours.items():
        if model in ("none", "by wish") or (model, wish) == DEFAULT:
            setting = {"none": "as trained", "by wish": f"KS wished {wish:g}"}.get(model, f"the default, c_e {wish:g}")
            add(model, setting, False, figures[:splits])
    progress(f"regression: penalties on {name}")
    for (model, strength), figures in by_model(splits_of(context, "penalised", name, splits)).items():
        add(model, f"lambda {strength:g}" if "penalty on" in model else "", False, figures)
    progress(f"regression: peers on {name}")
    peers = [Split.of(split) for split in splits_of(context, "networks", name, splits)]
    last = len(peers[0].layers) - 1
    for inputs, layers in {"last layer": (last,), "first layer": (0,), "first and last layer": (0, last)}.items():
        add(f"LEACE of the inputs of the {inputs}", "", False, [erased(split, layers) for split in peers])
    for alpha in (0.3, 0.2, 0.1, 0.05, 0):
        add(f"transport to the barycentre, {BINS} bins (Xian)", f"alpha {alpha:g}", True,
            [transported(split, alpha, seed) for seed, split in enumerate(peers)])
    for part in (0.25, 0.5, 1):
        add("quantiles matched to the barycentre (Chzhen)", f"part {part:g}", True,
            [quantile_matched(split, part) for split in peers])
    section.tables.append(table)


def fronts(context: Context, section: Section) -> None:
    splits = 4 if context.quick else SPLITS
    for name in DATA:
        if not (context.data / name / f"{name}.csv.gz").exists():
            continue
        progress(f"regression: {name}")
        found = by_model(splits_of(context, "fronts", name, splits))
        table = Table(f"{name}: test rows of {splits} splits, means and standard errors",
                      ["model", "c_e over what it was, or KS wished", "MSE", "KS"], [])
        for (model, wish), figures in found.items():
            table.rows.append([model, f"{wish:.3g}", *mean_and_error(figures)])
        section.tables.append(table)
        compared(context, section, name, found)
        if name == "compas":
            mse, ks = np.mean(found[DEFAULT], 0)
            section.figures.append(at_most("compas, the defaults: MSE", f"{mse:.4f}", f"paper {PAPER_MSE}", mse, PAPER_MSE))
            section.figures.append(at_most("compas, the defaults: KS", f"{ks:.4f}", f"paper {PAPER_KS}", ks, PAPER_KS))


def run(context: Context) -> Section:
    section = Section("regression", "Fair regression: ESVDFair")
    speeds(context, section)
    fronts(context, section)
    return section
