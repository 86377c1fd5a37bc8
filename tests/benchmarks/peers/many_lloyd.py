"""LP-optimal fair Lloyd (`fair_lloyd`) for many clusters: the same programme on few of its columns, and whole points
that keep the balance however little it leaves free.

At 50 clusters and 5,000 points the programme has 250,000 columns, few of which are ever used, and at 98 % of the best
balance an integer programme over points finds no solution in minutes. But only the K x J counts need be integers: with
these given, what is left is for each group by itself a transport of its points to its places, whose vertices are whole.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, linprog, milp

from fair_lloyd import CONVERGED, ROUNDING, FairAssignment, alternate
from report import progress
from support import Failed, balance, cost, group_counts, means, squared_distances

# Number of clusters that a point may join at first; others are added if they lower the cost.
NEAREST = 8
# Share of the points whose second cluster is added by the prices of the last solve.
UNDECIDED = 1.0
# A column is missing when its reduced cost is below this; HiGHS solves to 1e-7.
PRICED_OUT = -1e-9

# Clusters to which a better choice of counts may send a point of a cluster and group, one point each. With 12 clusters
# and four points each, HiGHS finds nothing in these seconds on Adult at 80 %.
NEAR = 4
SECONDS = 5  # for each integer programme
IMPROVEMENTS = 5  # at most


class PricedAssignment(FairAssignment):
    """Column generation: the optimum over some columns is that over all when no other has a negative reduced cost."""

    def __init__(self, groups: np.ndarray, k: int, least: float) -> None:
        super().__init__(groups, k, least)
        self.charges: np.ndarray | None = None  # n x k: price - distance at the last optimum
        self.used = np.zeros((self.n, k), dtype=bool)  # columns of the last optimum; feasible for any centres

    def solve(self, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        columns = self.first_columns(distances)
        while True:
            chosen = np.flatnonzero(columns)
            found = linprog(
                distances.ravel()[chosen],
                self.fair[:, chosen],
                np.zeros(self.fair.shape[0]),
                self.once[:, chosen],
                np.ones(self.n),
                method="highs-ds",
            )
            if found.status == 2 and not columns.all():
                columns[:] = True
                continue
            if found.status != 0:
                raise Failed(f"HiGHS: {found.message}")
            charges = -(self.fair.T @ found.ineqlin.marginals).reshape(self.n, self.k)
            prices = distances + charges
            missing = (prices - found.eqlin.marginals[:, None] < PRICED_OUT) & ~columns
            if not missing.any():
                break
            columns |= missing
        x = np.zeros(self.n * self.k)
        x[chosen] = found.x
        self.charges, self.used = charges, x.reshape(self.n, self.k) > 0
        return x.reshape(self.n, self.k), prices

    def first_columns(self, distances: np.ndarray) -> np.ndarray:
        """Near the last optimum those that hardly cost more than the cheapest of their point; else the nearest."""
        if self.charges is None:
            return distances <= np.partition(distances, NEAREST, axis=1)[:, [NEAREST]]
        prices = distances + self.charges
        doubt = prices - prices.min(axis=1, keepdims=True)
        among = int(self.n * (1 + UNDECIDED))
        return self.used | (doubt <= np.partition(doubt.ravel(), among)[among])


class WholePoints:
    """Labels of whole points whose counts keep a balance."""

    def __init__(self, points: np.ndarray, groups: np.ndarray, k: int, least: float) -> None:
        self.points, self.groups, self.k, self.least = points, groups, k, least
        self.members = [np.flatnonzero(groups == j) for j in range(int(groups.max()) + 1)]
        pairs = FairAssignment(np.arange(len(self.members)), k, least).fair  # a point of each group: its count
        self.fair = sparse.csr_matrix(pairs)

    def nearest_counts(self, wanted: np.ndarray) -> np.ndarray:
        """The J x K counts that keep the balance and differ least, in sum, from those wanted (J x K, in parts)."""
        size = wanted.size
        unit, none = sparse.eye(size), sparse.csr_matrix((len(self.members), size))
        totals = sparse.kron(sparse.eye(len(self.members)), np.ones((1, self.k)))
        sums = [len(members) for members in self.members]
        found = milp(
            np.repeat([0.0, 1.0], size),  # the counts, and by how much they differ
            integrality=np.repeat([1, 0], size),
            constraints=[
                LinearConstraint(sparse.hstack([unit, -unit]), -np.inf, wanted.ravel()),
                LinearConstraint(sparse.hstack([unit, unit]), wanted.ravel(), np.inf),
                LinearConstraint(sparse.hstack([totals, none]), sums, sums),
                LinearConstraint(sparse.hstack([self.fair, 0 * self.fair]), -np.inf, 0),
            ],
            options={"mip_rel_gap": 1e-2, "time_limit": SECONDS},
        )
        if found.x is None:
            raise Failed(f"no counts of whole points found at balance {self.least}: {found.message}")
        return np.rint(found.x[:size]).astype(np.int64).reshape(wanted.shape)

    def transport(self, distances: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The cheapest labels with these J x K counts."""
        labels = np.empty(len(self.points), dtype=np.int64)
        for members, places in zip(self.members, counts):
            place = np.repeat(np.arange(self.k), places)
            labels[members] = place[linear_sum_assignment(distances[members][:, place])[1]]
        return labels

    def better_counts(self, distances: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """J x K counts that keep the balance and cost less, as far as those points tell that are cheapest to move from
        one cluster to another; as they are when none are found."""
        counts = group_counts(labels, self.groups, self.k).T
        gains, arcs = self.moves(distances, labels)
        size = counts.size
        off = sparse.csr_matrix((self.fair.shape[0], len(gains)))
        found = milp(
            np.append(gains, np.zeros(size)),  # points moved, and by how much the counts change
            integrality=np.repeat([0, 1], [len(gains), size]),
            bounds=Bounds(np.repeat([0, -np.inf], [len(gains), size]), np.repeat([1, np.inf], [len(gains), size])),
            constraints=[
                LinearConstraint(sparse.hstack([arcs, -sparse.eye(size)]), 0, 0),
                LinearConstraint(sparse.hstack([off, self.fair]), -np.inf, -(self.fair @ counts.ravel())),
            ],
            options={"mip_rel_gap": 1e-2, "time_limit": SECONDS},
        )
        if found.x is None or found.fun >= 0:
            return counts
        return counts + np.rint(found.x[len(gains) :]).astype(np.int64).reshape(counts.shape)

    def moves(self, distances: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, sparse.csc_matrix]:
        """What the cheapest moves of a point add to the cost, and to the J x K counts (a column each)."""
        rises, rows = [], []
        for j, members in enumerate(self.members):
            for l in range(self.k):
                inside = members[labels[members] == l]
                if len(inside) == 0:
                    continue
                rise = (distances[inside] - distances[inside, l][:, None]).min(axis=0)
                for h in [h for h in np.argsort(rise) if h != l][:NEAR]:
                    rises.append(rise[h])
                    rows += [j * self.k + l, j * self.k + h]
        signs, columns = np.tile([-1, 1], len(rises)), np.repeat(np.arange(len(rises)), 2)
        return np.array(rises), sparse.csc_matrix((signs, (rows, columns)), (len(self.members) * self.k, len(rises)))

    def round(self, distances: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Labels near the fractional x (n x k): its counts made whole, then counts, labels and means improved."""
        wanted = np.stack([x[members].sum(axis=0) for members in self.members])
        labels = self.transport(distances, self.nearest_counts(wanted))
        best = cost(self.points, labels)
        for _ in range(IMPROVEMENTS):
            distances = squared_distances(self.points, means(self.points, labels))
            fresh = self.transport(distances, self.better_counts(distances, labels))
            now = cost(self.points, fresh)
            if now >= best * (1 - CONVERGED):
                break
            labels, best = fresh, now
        if balance(group_counts(labels, self.groups, self.k)) < self.least - ROUNDING:
            raise Failed(f"rounded labels miss balance {self.least}")
        return labels


@dataclass(frozen=True)
class Rounded:
    """Where fair Lloyd ended."""

    fractional: float  # cost with fractional points
    whole: float  # cost with whole points that keep the balance
    seconds: float  # processor time


def rounded_lloyd(points: np.ndarray, groups: np.ndarray, centres: np.ndarray, least: float) -> dict:
    """The fields of `Rounded`."""
    began = time.process_time()
    k = len(centres)
    end = alternate(points, PricedAssignment(groups, k, least), centres)
    progress(f"K = {k} at balance {least}: fair Lloyd ended at {end.cost:.5f}; rounding it to whole points")
    labels = WholePoints(points, groups, k, least).round(end.distances, end.x)
    return {"fractional": end.cost, "whole": cost(points, labels), "seconds": time.process_time() - began}
