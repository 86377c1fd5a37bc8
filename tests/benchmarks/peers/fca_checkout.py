"""Runs the program of "Fair clustering via alignment" (Kim, Lee, Park, Kim, ICML 2025) from a checkout on given points of
two groups; prints one JSON object with the labels of each of its iterations.

usage: fca_checkout.py CHECKOUT PROBLEM.npz EPSILON SEED ITERATIONS

PROBLEM has `points` (n x d), `groups` (n) and `clusters`. Needs POT (Debian's python3-pot). PyTorch, which the program
uses only for gradient descent, and requests, for downloads, are replaced by empty modules if they are absent.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import sys
import tempfile
import time
import types
from collections import defaultdict

import numpy as np

BLOCK = 1024  # the program's default of batch_size


def replace_absent_modules() -> None:
    if importlib.util.find_spec("requests") is None:
        sys.modules["requests"] = types.ModuleType("requests")
    if importlib.util.find_spec("torch") is not None:
        return
    import ot  # noqa: F401 - now, because it would use the replacement

    torch = types.ModuleType("torch")
    torch.nn = types.ModuleType("torch.nn")
    torch.manual_seed = lambda _seed: None
    torch.backends = types.SimpleNamespace(cudnn=types.SimpleNamespace())
    sys.modules |= {"torch": torch, "torch.nn": torch.nn}


def main() -> None:
    checkout, problem = sys.argv[1], np.load(sys.argv[2])
    epsilon, seed, iterations = float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
    replace_absent_modules()
    sys.path.insert(0, checkout)
    from src.FCA import FCA

    points, groups, clusters = problem["points"], problem["groups"], int(problem["clusters"])
    data = (None, points, None, groups, clusters, points.shape[1], 2)
    clusterings = []
    evaluate = FCA.evaluation
    numbers_of = defaultdict(list)  # of rows, by group and values
    for number, (group, row) in enumerate(zip(groups, points)):
        numbers_of[group, row.tobytes()].append(number)

    def keep_labels(coloured, assignments, centres, k):
        # The program shuffles the points: each row is found by its values, equal ones in turn.
        left = {key: list(numbers) for key, numbers in numbers_of.items()}
        labels = np.full(len(points), -1)
        for group, (rows, assigned) in enumerate(zip(coloured, assignments)):
            for row, label in zip(rows, assigned):
                labels[left[group, row.tobytes()].pop()] = label
        clusterings.append(labels.tolist())
        return evaluate(coloured, assignments, centres, k)

    FCA.load_data = lambda **_options: data
    FCA.evaluation = keep_labels
    settings = argparse.Namespace(
        seed=seed, iters=iterations, numItermax=1_000_000, numThreads=1, epsilon=epsilon, batch_size=BLOCK,
        data_name="points", l2_normalize=False, K=clusters,
    )
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)  # it writes its results here
        began = time.perf_counter()
        FCA.runner(settings)
        seconds = time.perf_counter() - began
        os.chdir("/")
    print(json.dumps({"seconds": seconds, "clusterings": clusterings[1:]}))  # the first is k-means


main()
