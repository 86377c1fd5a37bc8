"""Times scikit-learn's MiniBatchKMeans.partial_fit on the stream of `ingest.py`; prints one JSON object.

usage: sklearn_peer.py FEATURES DIMENSIONS CLUSTERS BATCH WARM_BATCHES RETAINED
"""

import json
import sys
import time

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from threadpoolctl import threadpool_limits


def timed(points: np.ndarray, clusters: int, batch: int, warm: int, retained: int, compute_labels: bool) -> dict:
    model = MiniBatchKMeans(clusters, batch_size=batch, n_init=1, random_state=1, compute_labels=compute_labels)
    batches = [points[i : i + batch] for i in range(0, len(points), batch)]
    for rows in batches[:warm]:
        model.partial_fit(rows)
    cpu, wall = time.process_time(), time.perf_counter()
    for rows in batches[warm:]:
        model.partial_fit(rows)
    seconds = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    return seconds | {"cost": -model.score(points[-retained:]) / retained}


def main() -> None:
    features, (dimensions, clusters, batch, warm, retained) = sys.argv[1], map(int, sys.argv[2:])
    points = np.fromfile(features, dtype=np.float32).reshape(-1, dimensions)
    arguments = (points, clusters, batch, warm, retained)
    with threadpool_limits(1):
        print(json.dumps({"labels": timed(*arguments, True), "no_labels": timed(*arguments, False)}))


main()
