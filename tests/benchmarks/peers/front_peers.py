"""What the engine's fronts are compared with: each peer's front, kept from an earlier run where nothing changed."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans

import authors_front
import fair_lloyd
import paper_parity
import variational
from front_problems import Problem
from fronts import Front, Search
from kept import Kept
from report import progress
from support import balance, cost, group_counts

MINI_BATCH_STARTS = 30
LP_STARTS = 10


@dataclass(frozen=True)
class Peers:
    variational: Search
    largest_penalty: float  # mu_max
    authors: Search
    mini_batch: Search

    @property
    def fronts(self) -> dict[str, Search]:
        return {"VfairKM": self.variational, "authors' SAfairKM": self.authors, "mini-batch k-means": self.mini_batch}


def as_search(found: dict) -> Search:
    return Search(Front(np.array(found["costs"]), np.array(found["balances"])), found["seconds"])


def as_result(search: Search) -> dict:
    front = search.front
    return {"costs": front.costs.tolist(), "balances": front.balances.tolist(), "seconds": search.seconds}


def mini_batch(points: np.ndarray, groups: np.ndarray, clusters: int) -> Search:
    """Algorithm 1 alone, the cost end of a front: scikit-learn's, from several starts."""
    began = time.process_time()
    pairs = []
    for seed in range(MINI_BATCH_STARTS):
        labels = MiniBatchKMeans(clusters, n_init=1, random_state=seed).fit(points).labels_
        pairs.append((cost(points, labels), balance(group_counts(labels, groups, clusters))))
    return Search(Front.of(*np.array(pairs).T), time.process_time() - began)


def peers_of(problem: Problem, kept: Kept) -> Peers:
    data = (problem.points, problem.groups, problem.clusters)

    def by_penalties() -> dict:
        progress(f"{problem.name}: VfairKM")
        found = variational.search(*data)
        return as_result(found.search) | {"largest": found.largest}

    def by_authors() -> dict:
        progress(f"{problem.name}: the authors' front, {problem.authors.iterations} rounds")
        return as_result(authors_front.search(*data, problem.authors))

    penalised = kept.result(f"VfairKM, {problem.name}", (*data, variational), by_penalties)
    sources = (authors_front, paper_parity.Authors, problem.authors)
    authors = kept.result(f"authors' front, {problem.name}", (*data, *sources), by_authors)
    return Peers(as_search(penalised), penalised["largest"], as_search(authors), mini_batch(*data))


@dataclass(frozen=True)
class Reference:
    """The lowest fractional cost of LP-optimal fair Lloyd from ten k-means starts, at one balance."""

    least: float
    cost: float
    seconds: float  # processor time


def reference(problem: Problem, least: float, kept: Kept) -> Reference:
    points, groups, clusters = problem.points, problem.groups, problem.clusters

    def compute() -> dict:
        began = time.process_time()
        assignment = fair_lloyd.FairAssignment(groups, clusters, least)
        costs = []
        for seed in range(LP_STARTS):
            progress(f"{problem.name} at balance {least}: fair Lloyd from start {seed + 1} of {LP_STARTS}")
            centres = KMeans(clusters, n_init=1, random_state=seed).fit(points).cluster_centers_
            costs.append(fair_lloyd.alternate(points, assignment, centres).cost)
        return {"cost": min(costs), "seconds": time.process_time() - began}

    sources = (fair_lloyd.FairAssignment, fair_lloyd.alternate)
    name = f"fair Lloyd at {least}, {problem.name}"
    found = kept.result(name, (points, groups, clusters, least, LP_STARTS, *sources), compute)
    return Reference(least, found["cost"], found["seconds"])
