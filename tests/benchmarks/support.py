"""What the benchmarks share: where things are, the data sets, and running our own programs."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np


class Failed(RuntimeError):
    """A benchmark could not be carried out; the text says why."""


@dataclass(frozen=True)
class Context:
    build: Path  # build/release of this tree
    data: Path  # the folder of real data sets; may not exist
    repetitions: int
    kept: Path  # the folder of peers' results that are not computed anew
    quick: bool = False  # a look while developing, where a benchmark has such a form
    seed: int = 1  # the first of the seeds of a benchmark whose data are drawn
    vfc: Path | None = None  # checkouts of other authors' programs, if named
    fca: Path | None = None

    def program(self, name: str) -> str:
        path = self.build / "bin" / name
        if not path.exists():
            raise Failed(f"{path} is not built")
        return str(path)

    @property
    def scratch(self) -> Path:
        path = self.build / "benchmarks"
        path.mkdir(exist_ok=True)
        return path


@dataclass(frozen=True)
class DataSet:
    """A set of `data`, with what the paper's experiments take from it."""

    name: str
    features: tuple[str, ...]

    @property
    def title(self) -> str:
        return self.name.capitalize()

    def file(self, context: Context) -> Path:
        return context.data / self.name / f"{self.name}.csv.gz"

    def rows_file(self, context: Context) -> Path:
        """The 5,000 rows on which costs are compared: numbers from 0, a line each."""
        return context.data / self.name / "rows5000.txt"

    def missing(self, context: Context) -> str:
        """Why the set cannot be used; empty when it can."""
        for path in (self.file(context), self.rows_file(context)):
            if not path.exists():
                return f"{path} does not exist (choose the folder by --data or FAIRSTREAM_DATA)"
        return ""

    def arguments(self, context: Context) -> tuple[str, ...]:
        """Those 5,000 rows as input of `fairstream`, scaled as `load` does."""
        return (*self.table_arguments(context), "--rows", str(self.rows_file(context)))

    def table_arguments(self, context: Context) -> tuple[str, ...]:
        """The whole set as input of `fairstream`, scaled as `load` does."""
        columns = ("--features", ",".join(self.features), "--group", "group")
        return ("--input", str(self.file(context)), *columns, "--standardise", "--unit-rows")

    def load(self, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """Features (n x d) and groups (n) of all rows: columns z-scored, then rows scaled to unit length."""
        with gzip.open(self.file(context), "rt", newline="") as file:
            reader = csv.reader(file)
            header = next(reader)
            columns = [header.index(name) for name in self.features]
            group = header.index("group")
            table = [(*(row[c] for c in columns), row[group]) for row in reader]
        values = np.array(table, dtype=np.float64)
        points, groups = values[:, :-1], values[:, -1].astype(np.int64)
        points = (points - points.mean(axis=0)) / points.std(axis=0)
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        return points, groups


ADULT = DataSet("adult", ("age", "fnlwgt", "education_num", "capital_gain", "hours_per_week"))
BANK = DataSet("bank", ("age", "duration", "euribor3m", "nr_employed", "cons_price_idx", "campaign"))


def table_arguments(context: Context, name: str) -> tuple[str, ...]:
    """All rows of a set of `data` as input of `fairstream`: every feature it has, standardised."""
    file = context.data / name / f"{name}.csv.gz"
    return ("--input", str(file), "--group", "group", "--target", "target", "--standardise")


def array_arguments(context: Context, name: str, points: np.ndarray, groups: np.ndarray) -> tuple[str, ...]:
    """Any points (n x d) in groups (n) as input of `fairstream`, which reads them from a file in the scratch folder."""
    file = context.scratch / f"{name.lower().replace(' ', '_')}.csv"
    columns = [f"x{i}" for i in range(points.shape[1])]
    np.savetxt(file, np.column_stack([points, groups]), "%.17g", ",", header=",".join([*columns, "group"]), comments="")
    return ("--input", str(file), "--features", ",".join(columns), "--group", "group")


def run_json(command: list[str]) -> dict:
    """The JSON object that a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):  # 3: a fit that misses its target
        raise Failed(f"{' '.join(command)} exited with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def read_rows(file: Path) -> np.ndarray:
    """Row numbers, in the order of the file."""
    return np.loadtxt(file, dtype=np.int64)


def fit(
    context: Context, data: DataSet, rows: Path, *arguments: str, labels: Path | None = None, **options: object
) -> dict:
    """The report of `fairstream fit safairkm` on the rows of `data` that the file `rows` lists, scaled as `load` does,
    on one thread; `options` are those of the model, `labels` a file to write."""
    command = [context.program("fairstream"), "fit", "safairkm", *data.table_arguments(context)]
    command += ["--rows", str(rows), "--threads", "1", "--json", *arguments]
    for name, value in options.items():
        command += ["--set", f"{name}={value}"]
    if labels is not None:
        command += ["--labels", str(labels)]
    return run_json(command)


def read_labels(file: Path, rows: np.ndarray) -> np.ndarray:
    """The labels (n) that `fit` wrote, in the order of `rows`; its ids are row numbers."""
    with file.open(newline="") as lines:
        label = {int(line["id"]): int(line["label"]) for line in csv.DictReader(lines)}
    return np.array([label[row] for row in rows])


def means(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """k x d."""
    return np.stack([points[labels == l].mean(axis=0) for l in range(labels.max() + 1)])


def squared_distances(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """n x k. Differences, not the expanded square: points here lie close to centres."""
    return np.stack([((points - centre) ** 2).sum(axis=1) for centre in centres], axis=1)


def cost(points: np.ndarray, labels: np.ndarray) -> float:
    """Mean squared distance to the exact cluster means: f1."""
    clusters = (points[labels == l] for l in np.unique(labels))
    return sum(((members - members.mean(axis=0)) ** 2).sum() for members in clusters) / len(points)


def group_counts(labels: np.ndarray, groups: np.ndarray, k: int) -> np.ndarray:
    """k x J counts of each group in each cluster."""
    counts = np.zeros((k, int(groups.max()) + 1), dtype=np.int64)
    np.add.at(counts, (labels, groups), 1)
    return counts


def balance(counts: np.ndarray) -> float:
    """f2: the smallest ratio of two group counts in a cluster; 0 for an empty cluster."""
    return float((counts.min(axis=1) / np.maximum(counts.max(axis=1), 1)).min())


def parity(counts: np.ndarray) -> float:
    """Of k x J counts: min_l min_j (m_lj / n_j) / max_j (m_lj / n_j), n_j all points of a group; 0 for an empty
    cluster."""
    shares = counts / counts.sum(axis=0)
    return float((shares.min(axis=1) / np.where(shares.max(axis=1) > 0, shares.max(axis=1), 1)).min())


def median_range(values: list[float], digits: int) -> str:
    return f"{np.median(values):.{digits}f} [{min(values):.{digits}f}, {max(values):.{digits}f}]"
