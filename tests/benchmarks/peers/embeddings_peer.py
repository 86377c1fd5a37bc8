"""k-means of other libraries on the points of `embeddings.py`; prints one JSON object.

usage: embeddings_peer.py minibatch|faiss FEATURES DIMENSIONS CLUSTERS SECONDS

minibatch: scikit-learn's MiniBatchKMeans.partial_fit on shuffled batches for SECONDS of processor time. faiss: its
Kmeans at its defaults (25 iterations on at most 256 points for each cluster), then again with another seed for as long
as another run fits into SECONDS; the best counts.
"""

import json
import sys
import time

import numpy as np
from sklearn.cluster import MiniBatchKMeans

BATCH = 1024
ROWS = 20_000  # whose distances are computed at once


def cost(points: np.ndarray, centres: np.ndarray) -> float:
    norms, total = (centres**2).sum(axis=1), 0.0
    for first in range(0, len(points), ROWS):
        rows = np.asarray(points[first : first + ROWS])
        nearest = (norms - 2 * rows @ centres.T).min(axis=1)
        total += float((rows.astype(np.float64) ** 2).sum() + nearest.sum(dtype=np.float64))
    return total / len(points)


def minibatch(points: np.ndarray, clusters: int, until: float) -> np.ndarray:
    model = MiniBatchKMeans(clusters, batch_size=BATCH, n_init=1, random_state=1, compute_labels=False)
    random = np.random.default_rng(1)
    batch = max(BATCH, 3 * clusters)
    while True:
        order = random.permutation(len(points))
        for first in range(0, len(points) - batch + 1, batch):
            model.partial_fit(points[np.sort(order[first : first + batch])])
            if time.process_time() > until:
                return model.cluster_centers_


def faiss_runs(points: np.ndarray, clusters: int, until: float) -> np.ndarray:
    import faiss

    best, centres, longest, seed = np.inf, None, 0.0, 1
    while centres is None or time.process_time() + longest < until:
        began = time.process_time()
        found = faiss.Kmeans(points.shape[1], clusters, seed=seed)
        found.train(np.ascontiguousarray(points))
        longest, seed = max(longest, time.process_time() - began), seed + 1
        if found.obj[-1] < best:
            best, centres = found.obj[-1], found.centroids
    return centres


def main() -> None:
    method, features, dimensions, clusters, seconds = sys.argv[1:]
    dimensions, clusters = int(dimensions), int(clusters)
    points = np.memmap(features, dtype=np.float32, mode="r").reshape(-1, dimensions)
    began = time.process_time()
    fitted = {"minibatch": minibatch, "faiss": faiss_runs}[method](points, clusters, began + float(seconds))
    used = time.process_time() - began
    print(json.dumps({"cpu": used, "cost": cost(points, fitted)}))


main()
