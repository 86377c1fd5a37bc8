"""Pareto fronts of cost (f1, to be minimised) and balance (f2, to be maximised), and what is read off them.

`python3 fronts.py` checks every figure here against its definition.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Front:
    """Pairs none of which is weakly dominated by another: L costs and L balances, both strictly rising."""

    costs: np.ndarray
    balances: np.ndarray

    @classmethod
    def of(cls, costs: np.ndarray, balances: np.ndarray) -> Front:
        """The nondominated among any pairs, in O(L log L): in order of cost, those whose balance beats all before."""
        order = np.lexsort((-np.asarray(balances), costs))
        costs, balances = np.asarray(costs, dtype=float)[order], np.asarray(balances, dtype=float)[order]
        before = np.maximum.accumulate(np.append(-np.inf, balances))[:-1]
        return cls(costs[balances > before], balances[balances > before])

    def __len__(self) -> int:
        return len(self.costs)

    @property
    def best_balance(self) -> float:
        return float(self.balances[-1])

    def hypervolume(self, reference_cost: float) -> float:
        """The area between the front, balance 0 and `reference_cost`; pairs that cost more add nothing."""
        edges = np.minimum(np.append(self.costs, reference_cost), reference_cost)
        return float(np.diff(edges) @ self.balances)

    def cheapest(self, least: float | np.ndarray) -> np.ndarray:
        """The lowest cost at a balance of at least `least`; infinite where the front does not reach it."""
        return np.append(self.costs, np.inf)[np.searchsorted(self.balances, least, side="left")]

    def covers(self, other: Front, slack: float = 0.0) -> np.ndarray:
        """Which pairs of the other front are matched or dominated by one of this, up to a relative `slack` in cost."""
        return self.cheapest(other.balances) <= other.costs * (1 + slack)


@dataclass(frozen=True)
class Search:
    """A front and the processor time, in seconds, that finding it took."""

    front: Front
    seconds: float

    @property
    def seconds_per_point(self) -> float:
        return self.seconds / len(self.front)


def best_balance(counts: np.ndarray, clusters: int) -> Fraction:
    """The highest balance that groups of these sizes allow in so many clusters of whole points.

    Only the smallest group (n points) and the largest (N) bind: the others fit between, as
    sum_l min_j m_lj <= n_j <= sum_l max_j m_lj. The mediant of the clusters' ratios is n/N, which bounds the lowest.
    Above a balance b a cluster with m of the small group takes at most ceil(m/b) - 1 of the large one. If the best
    split of n takes N in all, its own lowest ratio is a new b; else b was the highest.
    """
    small, large = int(min(counts)), int(max(counts))
    if small < clusters:
        return Fraction(0)
    best = min(Fraction(s, l) for s, l in zip(even_parts(small, clusters), reversed(even_parts(large, clusters))))
    while True:
        m = np.arange(1, small + 1, dtype=np.int64)
        takes = np.append(-large * clusters, (m * best.denominator - 1) // best.numerator)
        parts = best_split(takes, clusters)
        if takes[parts].sum() < large:
            return best
        others = takes[parts]
        for l in np.argsort(-others):  # leaves at least as many as in the small group
            others[l] -= min(others.sum() - large, others[l] - parts[l])
        best = min(Fraction(int(s), int(l)) for s, l in zip(parts, others))


def even_parts(total: int, parts: int) -> list[int]:
    return [(total + i) // parts for i in range(parts)]


def best_split(value: np.ndarray, parts: int) -> np.ndarray:
    """Numbers that add up to len(value) - 1 with the largest sum of value[number], by dynamic programming."""
    total = len(value) - 1
    best, taken = value, []
    for _ in range(parts - 1):
        sums = [best[s::-1] + value[: s + 1] for s in range(total + 1)]
        taken.append(np.array([row.argmax() for row in sums]))
        best = np.array([row.max() for row in sums])
    numbers = []
    for last in reversed(taken):
        numbers.append(int(last[total]))
        total -= numbers[-1]
    return np.array([*numbers, total])


def self_check() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        costs, balances = random.integers(1, 9, (2, random.integers(1, 30))) / 8.0
        front = Front.of(costs, balances)
        pairs = set(zip(costs, balances))
        kept = {(c, b) for c, b in pairs if not any(x <= c and y >= b and (x, y) != (c, b) for x, y in pairs)}
        assert sorted(kept) == list(zip(front.costs, front.balances))
        cells = [(i / 8, j / 8) for i in range(1, 8) for j in range(1, 9)]  # by their lower cost and higher balance
        covered = sum(any(x <= c and y >= b for x, y in pairs) for c, b in cells)
        assert np.isclose(front.hypervolume(1.0), covered / 64)
        for least in (0.0, 0.25, 0.3, 1.0):
            assert front.cheapest(least) == min([c for c, b in pairs if b >= least], default=np.inf)
        other = Front.of(*random.integers(1, 9, (2, 5)) / 8.0)
        by_pairs = [any(x <= c and y >= b for x, y in pairs) for c, b in zip(other.costs, other.balances)]
        assert front.covers(other).tolist() == by_pairs
    for small, large in [(s, l) for s in range(2, 9) for l in range(s, 14)]:
        splits = [((s, l), (small - s, large - l)) for s in range(1, small) for l in range(1, large)]
        highest = max(min(Fraction(min(c), max(c)) for c in split) for split in splits)
        assert best_balance(np.array([small, large]), 2) == highest, (small, large)


if __name__ == "__main__":
    self_check()
    print("fronts: every figure agrees with its definition")
