"""Algorithm 3, the Pareto front of SAfairKM, as its authors' program behaves where the paper leaves it open:

- half of the starts are random labels, with the shares of the clusters softmax(N(0, 1)); half are k-means++ seeds, with
  the points at the nearest;
- every round takes every entry of the list through one iteration (q = 1) with every pair (n_a, n_b), as in
  `paper_parity`, but points that moved may move again at once, the mini-batch is drawn without replacement, and the
  candidates of a move grow by 1.003 every second round; the target is the global one (4);
- an entry keeps the centres that its steps left, while its cost is that of exact means;
- an entry goes when one costs no more and is better balanced, and one costs less and is no worse balanced; so all of
  the best balance stay;
- then the list is thinned: along cost and along balance one entry stays of every run shorter than a share of the range;
- neither is done to a list of 50 entries or fewer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax
from sklearn.cluster import kmeans_plusplus

from fronts import Front, Search
from paper_parity import Authors
from support import balance, cost, group_counts, squared_distances

GROWTH = 1.003
LIST_LIMIT = 1500
SMALL = 50


@dataclass(frozen=True)
class Settings:
    """What the authors set for a set."""

    iterations: int
    pairs: tuple[tuple[int, int], ...] = ((25, 0), (20, 4), (15, 3), (5, 2))  # n_a, n_b: of single points moved
    starts: int = 30
    gap: float | None = None  # of thinning, a share of the range; without: 1 / (200 + t / 2) in round t
    halves: bool = False  # random labels of two clusters with other shares from the 300th point of 400 on


REAL = {"adult": Settings(100, gap=1 / 300), "bank": Settings(100, gap=1 / 500)}
SYNTHETIC = Settings(400, pairs=((1, 1), (5, 1), (2, 0)), starts=10, halves=True)


@dataclass
class Entry:
    """One clustering of the list."""

    labels: np.ndarray  # n
    centres: np.ndarray  # K x d
    counts: np.ndarray  # K x J
    cost: float
    balance: float


class Iteration(Authors):
    """One iteration of Algorithm 2 from any entry."""

    def __init__(self, points: np.ndarray, groups: np.ndarray, clusters: int, seed: int) -> None:
        super().__init__(points, groups, "global", remembers=False, seed=seed, clusters=clusters)
        self.clusters = clusters

    def entry(self, labels: np.ndarray, centres: np.ndarray) -> Entry:
        counts = group_counts(labels, self.groups, self.clusters)
        return Entry(labels.astype(np.int16), centres, counts, cost(self.points, labels), balance(counts))

    def apply(self, start: Entry, pair: tuple[int, int], candidates: int) -> Entry:
        self.labels, self.centres = start.labels.copy(), start.centres.copy()
        self.counts = start.counts.copy()
        updates, moves = pair
        self.swap(candidates, moves)
        self.update_with(self.random.choice(len(self.points), updates, replace=False))
        return Entry(self.labels, self.centres, self.counts, cost(self.points, self.labels), balance(self.counts))

    def random_start(self, halves: bool) -> Entry:
        n = len(self.points)
        if halves:
            late, share = np.arange(n) >= 3 * n // 4, self.random.rand(2)
            labels = (self.random.rand(n) >= share[late.astype(int)]).astype(int)
        else:
            labels = self.random.choice(self.clusters, n, p=softmax(self.random.randn(self.clusters)))
        members = [self.points[labels == k] for k in range(self.clusters)]
        return self.entry(labels, np.stack([m.mean(axis=0) if len(m) else 0 * self.points[0] for m in members]))

    def seeded_start(self) -> Entry:
        centres = kmeans_plusplus(self.points, self.clusters, random_state=self.random)[0]
        return self.entry(squared_distances(self.points, centres).argmin(axis=1), centres)


def undominated(costs: np.ndarray, balances: np.ndarray) -> np.ndarray:
    """Which entries stay, by the authors' rule."""
    order = np.argsort(costs, kind="stable")
    best = np.append(-np.inf, np.maximum.accumulate(balances[order]))  # best[i]: among the i cheapest
    no_dearer = best[np.searchsorted(costs[order], costs, side="right")]
    cheaper = best[np.searchsorted(costs[order], costs, side="left")]
    return ~((no_dearer > balances) & (cheaper >= balances))


def spread(values: np.ndarray, gap: float) -> np.ndarray:
    """Indices of the first, the last, and the middle of every run of sorted values within `gap` of the range."""
    order = np.argsort(values)
    ordered, last = values[order], len(values) - 1
    width = (ordered[-1] - ordered[0]) * gap + 1e-16
    kept = [0, last]
    i = 1
    while i < last - 1:
        j = i
        while j < last - 1 and ordered[j + 1] - ordered[i] <= width:
            j += 1
        kept.append((i + j) // 2)
        i = max(j, i + 1)
    return order[kept]


def kept(entries: list[Entry], gap: float) -> list[Entry]:
    """The list after a round."""

    def objectives() -> tuple[np.ndarray, np.ndarray]:
        return np.array([e.cost for e in entries]), np.array([e.balance for e in entries])

    if len(entries) > SMALL:
        entries = [entries[i] for i in np.flatnonzero(undominated(*objectives()))]
    if len(entries) > SMALL:
        costs, balances = objectives()
        entries = [entries[i] for i in np.union1d(spread(costs, gap), spread(balances, gap))]
    return entries


def search(points: np.ndarray, groups: np.ndarray, clusters: int, settings: Settings, seed: int = 1) -> Search:
    """The front when `settings.iterations` rounds are done or the list has 1,500 entries."""
    began = time.process_time()
    iteration = Iteration(points, groups, clusters, seed)
    entries = [iteration.random_start(settings.halves) for _ in range(settings.starts // 2)]
    entries += [iteration.seeded_start() for _ in range(settings.starts - settings.starts // 2)]
    for t in range(settings.iterations):
        if len(entries) >= LIST_LIMIT:
            break
        candidates = min(len(points), int(GROWTH ** (t // 2)))
        entries += [iteration.apply(entry, pair, candidates) for pair in settings.pairs for entry in tuple(entries)]
        entries = kept(entries, settings.gap or 1 / (200 + t / 2))
    front = Front.of(np.array([e.cost for e in entries]), np.array([e.balance for e in entries]))
    return Search(front, time.process_time() - began)
