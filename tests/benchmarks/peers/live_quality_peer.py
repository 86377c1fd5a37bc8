"""The cost without fairness of the windows of a stream of `live_streams.py`; prints one JSON object: at each checkpoint
that of the best of ten starts of scikit-learn's KMeans, and that of the centres which MiniBatchKMeans.partial_fit has
by then, given the same batches.

usage: live_quality_peer.py FEATURES DIMENSIONS CLUSTERS CAPACITY BATCH SEED CHECKPOINTS
"""

import json
import sys

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from threadpoolctl import threadpool_limits

STARTS = 10


def main() -> None:
    features, (dimensions, clusters, capacity, batch, seed) = sys.argv[1], map(int, sys.argv[2:-1])
    checkpoints = {int(batches) for batches in sys.argv[-1].split(",")}
    points = np.fromfile(features, dtype=np.float32).reshape(-1, dimensions)
    online = MiniBatchKMeans(clusters, batch_size=batch, n_init=1, random_state=seed, compute_labels=False)
    found = {"kmeans": [], "partial_fit": []}
    for batches in range(1, max(checkpoints) + 1):
        online.partial_fit(points[(batches - 1) * batch : batches * batch])
        if batches not in checkpoints:
            continue
        window = points[: batches * batch][-capacity:]
        best = KMeans(clusters, n_init=STARTS, random_state=seed).fit(window)
        found["kmeans"].append(best.inertia_ / len(window))
        found["partial_fit"].append(-online.score(window) / len(window))
    print(json.dumps(found))


with threadpool_limits(1):
    main()
