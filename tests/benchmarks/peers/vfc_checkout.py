"""Runs the program of "Variational fair clustering" (Ziko, Granger, Yuan, Ben Ayed, AAAI 2021) from a checkout on given
points; prints one JSON object.

usage: vfc_checkout.py CHECKOUT PROBLEM.npz PENALTY SEED

PROBLEM has `points` (n x d), `groups` (n) and `clusters`. The program was written for Python 3.6: modules and names that
later versions dropped, and that k-means does not need, are replaced by empty ones. k-means++ seeds are scikit-learn's.
"""

import contextlib
import io
import json
import sys
import time
import types

import numpy as np
from sklearn.cluster import kmeans_plusplus

STEP_BOUND = 2.0  # the program's default of L


def replace_absent_modules() -> None:
    def unchanged(*function, **_options):
        return function[0] if function else unchanged

    for name, member in (
        ("sklearn.cluster.k_means_", {"_init_centroids": None}),
        ("pyflann", {"FLANN": None}),
        ("numba", {"jit": unchanged}),
    ):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(member)
    np.float = float


def main() -> None:
    checkout, problem, (penalty, seed) = sys.argv[1], np.load(sys.argv[2]), map(float, sys.argv[3:])
    replace_absent_modules()
    sys.path.insert(0, checkout)
    from src.fair_clustering import fair_clustering

    points, groups, clusters = problem["points"], problem["groups"], int(problem["clusters"])
    np.random.seed(int(seed))
    centres, _ = kmeans_plusplus(points, clusters, random_state=int(seed))
    nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    members = [groups == group for group in np.unique(groups)]
    shares = [mask.mean() for mask in members]
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        found = fair_clustering(points, clusters, shares, members, penalty, STEP_BOUND, True, "kmeans", centres, nearest)
    labels = np.asarray(found[1]).astype(int).tolist()
    print(json.dumps({"seconds": time.perf_counter() - began, "clusterings": [labels]}))


main()
