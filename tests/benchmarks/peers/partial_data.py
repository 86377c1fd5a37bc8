"""The data sets of partial fairness of scores, split as in its paper (arXiv:2505.12530, G.1)."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from support import Failed

SEEDS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Part:
    """Rows by rising group."""

    design: np.ndarray | csr_matrix  # n x D: (1, x, g, g x)
    groups: np.ndarray  # n, 0 or 1, sorted
    targets: np.ndarray  # n, -1 or 1

    @property
    def rows(self) -> tuple[slice, slice]:
        """Of each group."""
        first = int(np.searchsorted(self.groups, 1))
        return slice(0, first), slice(first, len(self.groups))

    def dense(self) -> Part:
        design = self.design if isinstance(self.design, np.ndarray) else self.design.toarray()
        return Part(design, self.groups, self.targets)


@dataclass(frozen=True)
class Split:
    train: Part
    validation: Part
    test: Part


@dataclass(frozen=True)
class PartialSet:
    name: str  # in figures
    folder: str
    interval: tuple[float, float]  # [alpha, beta), ranks from the top
    positive_above: float = 0.0  # targets above it are positive


A9A = PartialSet("a9a", "a9a", (0.05, 0.30))
BANK = PartialSet("bank", "bank_full", (0.0, 0.25))
SETS = {data.name: data for data in (A9A, BANK)}
COMPAS = PartialSet("compas", "compas", (0.3, 0.6))
COMMUNITIES = PartialSet("communities", "communities", (0.15, 0.45), positive_above=0.29)  # 28 % are


@dataclass(frozen=True)
class Rows:
    """A whole data set."""

    features: np.ndarray  # n x d
    groups: np.ndarray  # n
    targets: np.ndarray  # n, -1 or 1
    test: np.ndarray | None  # n, which rows are for testing; None where that is random

    def split(self, seed: int) -> Split:
        """a9a: nine tenths of what is not for testing to learn from, one to validate; bank: 60, 20 and 20 % of all."""
        random = np.random.default_rng(seed)
        if self.test is None:
            order = random.permutation(len(self.groups))
            first, second = int(0.6 * len(order)), int(0.8 * len(order))
            train, validation, test = order[:first], order[first:second], order[second:]
        else:
            order = random.permutation(np.flatnonzero(~self.test))
            first = int(0.9 * len(order))
            train, validation, test = order[:first], order[first:], np.flatnonzero(self.test)
        features = standardised(self.features, train)
        return Split(*(self._part(features, rows) for rows in (train, validation, test)))

    def _part(self, features: np.ndarray, rows: np.ndarray) -> Part:
        rows = rows[np.argsort(self.groups[rows], kind="stable")]
        x, group = features[rows], self.groups[rows]
        own = np.column_stack([np.ones(len(rows)), x])
        return Part(csr_matrix(np.hstack([own, group[:, None] * own])), group, self.targets[rows])


def standardised(features: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Columns that are not 0 and 1, by mean and deviation of the rows `train`."""
    found = features.copy()
    numeric = ~np.isin(features, (0, 1)).all(axis=0)
    found[:, numeric] -= features[np.ix_(train, numeric)].mean(axis=0)
    found[:, numeric] /= features[np.ix_(train, numeric)].std(axis=0)
    return found


def load(data: PartialSet, folder: Path) -> Rows:
    file = folder / data.folder / f"{data.folder}.csv.gz"
    if not file.exists():
        raise Failed(f"{file} does not exist (choose the folder by --data or FAIRSTREAM_DATA)")
    with gzip.open(file, "rt") as lines:
        names = lines.readline().strip().split(",")
        table = np.loadtxt(lines, delimiter=",")
    column = {name: table[:, i] for i, name in enumerate(names)}
    features = table[:, [i for i, name in enumerate(names) if name not in ("split", "group", "target")]]
    test = column["split"] == 1 if "split" in column else None
    targets = np.where(column["target"] > data.positive_above, 1.0, -1.0)
    return Rows(features, column["group"].astype(np.int64), targets, test)
