"""VfairKM: the clustering cost penalised by a Kullback-Leibler fairness error, equation (7) of the paper, after Ziko,
Granger, Yuan, Ben Ayed, "Variational fair clustering", 2021. A front is its results for many penalties.

With s_p on the simplex over K clusters, v_j the points of group j, u_j its share of all points, c_k fixed centres,
N_k = sum_p s_pk and m_jk = sum_{p in v_j} s_pk, the objective is, up to a constant,

    F(S) = sum_pk s_pk |x_p - c_k|^2 + mu sum_k [ log N_k - sum_j u_j log m_jk ].

log N_k is concave and lies below its tangent at the present S', whose slope is 1/N'_k for every point. Each -log m_jk
is convex. With r = m_jk/m'_jk it exceeds its tangent by r - 1 - log r, at most c (r log r - r + 1) for a c that nears 1
with r; and m'_jk (r log r - r + 1) <= sum_{p in v_j} s_pk log(s_pk/s'_pk) - s_pk + s'_pk by the log-sum inequality. The
last two terms cancel when summed over k, so that with any L >= mu c max_jk u_j/m'_jk

    F(S) <= F(S') + sum_p <a_p + mu b_p, s_p - s'_p> + L sum_p KL(s_p || s'_p),
    a_pk = |x_p - c_k|^2,   b_pk = 1/N'_k - u_j/m'_jk   with j the group of p.

The right side is least, for each point alone, where s_pk is proportional to s'_pk exp(-(a_pk + mu b_pk)/L). A point is
labelled by its largest s_pk. Centres become the means of what is labelled so; under new ones S starts from softmax(-a).

Where this departs from the original, it helps it. There L is a constant (1 or 2), with which steps overshoot for the
larger mu until clusters vanish; here L doubles until F falls, and shrinks slowly, which is also faster.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, xlogy
from sklearn.cluster import KMeans

from fronts import Front, Search
from support import balance, cost, group_counts, squared_distances

PENALTIES = 60  # evenly from 0 to mu_max
STARTS = 10  # of the k-means from which all runs begin
FAIR_ENOUGH = 0.01  # a fairness error with which mu_max is reached
LARGEST = 20  # times n: mu is not raised above this, where the error no longer changes

# Relative changes of F at which the two loops end, and limits of their steps, as in the original.
STEP_TOLERANCE, STEP_LIMIT = 1e-5, 1000
ROUND_TOLERANCE, ROUND_LIMIT = 7e-6, 100
SHRINK = 0.8  # of L after a step that needed no doubling


@dataclass
class Penalised:
    """F for one data set and penalty; S is n x K, given by its logarithm where that is the state."""

    groups: np.ndarray  # n
    shares: np.ndarray  # u, J
    mu: float

    @classmethod
    def of(cls, groups: np.ndarray, mu: float) -> Penalised:
        return cls(groups, np.bincount(groups) / len(groups), mu)

    def masses(self, s: np.ndarray) -> np.ndarray:
        """m: J x K. At least a little, so that a group that is not in a cluster has a finite price there."""
        member = np.eye(len(self.shares))[:, self.groups]
        return np.maximum(member @ s, 1e-100)

    def value(self, a: np.ndarray, s: np.ndarray, m: np.ndarray) -> float:
        return float((a * s).sum() + self.mu * (np.log(m.sum(axis=0)).sum() - (self.shares @ np.log(m)).sum()))

    def slope(self, a: np.ndarray, m: np.ndarray) -> np.ndarray:
        """a + mu b: n x K."""
        return a + self.mu * (1 / m.sum(axis=0) - self.shares[self.groups, None] / m[self.groups])

    def assign(self, a: np.ndarray) -> tuple[np.ndarray, float]:
        """Bound updates from softmax(-a) until F stands still: S and F."""
        log_s = -a - logsumexp(-a, axis=1, keepdims=True)
        s = np.exp(log_s)
        m = self.masses(s)
        value, step = self.value(a, s, m), 1.0
        for _ in range(STEP_LIMIT):
            slope, before = self.slope(a, m), value
            while True:
                moved = log_s - slope / step
                moved -= logsumexp(moved, axis=1, keepdims=True)
                s = np.exp(moved)
                m = self.masses(s)
                value = self.value(a, s, m)
                if value <= before + 1e-12 * abs(before):
                    break
                step *= 2
            log_s, step = moved, step * SHRINK
            if before - value <= STEP_TOLERANCE * abs(before):
                break
        return s, value


def cluster(points: np.ndarray, groups: np.ndarray, centres: np.ndarray, mu: float) -> np.ndarray:
    """Labels (n). A cluster that gets no point keeps its centre."""
    penalised = Penalised.of(groups, mu)
    best = np.inf
    for _ in range(ROUND_LIMIT):
        s, value = penalised.assign(squared_distances(points, centres))
        labels = s.argmax(axis=1)
        members = [points[labels == k] for k in range(len(centres))]
        centres = np.stack([m.mean(axis=0) if len(m) else centre for m, centre in zip(members, centres)])
        if abs(best - value) <= ROUND_TOLERANCE * abs(value):
            break
        best = value
    return labels


def fairness_error(counts: np.ndarray) -> float:
    """sum_k KL(U || P_k) of whole points: K x J counts. Infinite when a cluster lacks a group."""
    u = counts.sum(axis=0) / counts.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.nan_to_num(counts / counts.sum(axis=1, keepdims=True))
        return float((xlogy(u, u) - u * np.log(shares)).sum())


@dataclass
class Found:
    search: Search
    largest: float  # mu_max
    error: float  # the fairness error there


def search(points: np.ndarray, groups: np.ndarray, clusters: int) -> Found:
    """The front. mu_max is the first of n/50 times 1, 2, 4, ... with a fairness error below 0.01, or else the one after
    which the error rises (section 4.1 of the paper); the results on the way are among the front's candidates."""
    began = time.process_time()
    starts = [KMeans(clusters, n_init=1, random_state=seed).fit(points) for seed in range(STARTS)]
    centres = min(starts, key=lambda start: start.inertia_).cluster_centers_
    errors: dict[float, float] = {}
    pairs: list[tuple[float, float]] = []

    def solve(mu: float) -> None:
        labels = cluster(points, groups, centres, mu)
        counts = group_counts(labels, groups, clusters)
        errors[mu] = fairness_error(counts)
        pairs.append((cost(points, labels), balance(counts)))

    mu = len(points) / 50
    while True:
        solve(mu)
        largest = min(errors, key=lambda tried: (errors[tried], -tried))
        if errors[largest] < FAIR_ENOUGH or mu > 2 * largest or mu > LARGEST * len(points):
            break
        mu *= 2
    for mu in np.linspace(0, largest, PENALTIES)[:-1]:
        solve(float(mu))
    front = Front.of(*np.array(pairs).T)
    return Found(Search(front, time.process_time() - began), largest, errors[largest])
