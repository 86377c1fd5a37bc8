"""Plain clusterings of the paper's graph (31), as peers of lord: each takes n x n similarities and gives labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

SCALE_NEIGHBOUR = 7
STARTS = 20
ROUNDS = 300


def graph_of(x: np.ndarray) -> np.ndarray:
    """exp(-|x - y|^2 / (s_x s_y)) between floor(log2 n) + 1 nearest neighbours, either way; s to the seventh."""
    squares = (x**2).sum(1)
    distances = np.maximum(squares[:, None] + squares - 2 * x @ x.T, 0)
    np.fill_diagonal(distances, -1)
    order = np.argsort(distances, axis=1, kind="stable")[:, 1:]
    n, q = len(x), int(np.floor(np.log2(len(x)))) + 1
    scales = np.sqrt(distances[np.arange(n), order[:, SCALE_NEIGHBOUR - 1]])
    graph = np.zeros((n, n))
    rows = np.repeat(np.arange(n), q)
    columns = order[:, :q].ravel()
    graph[rows, columns] = np.exp(-distances[rows, columns] / (scales[rows] * scales[columns]))
    return np.maximum(graph, graph.T)


def accuracy(labels: np.ndarray, classes: np.ndarray) -> float:
    counts = np.zeros((labels.max() + 1, classes.max() + 1))
    np.add.at(counts, (labels, classes), 1)
    rows, columns = linear_sum_assignment(-counts)
    return counts[rows, columns].sum() / len(classes)


def spectral(graph: np.ndarray, clusters: int) -> np.ndarray:
    """A. Ng, M. Jordan, Y. Weiss, 2001: rows of unit length."""
    roots = 1 / np.sqrt(graph.sum(1))
    vectors = np.linalg.eigh(roots[:, None] * graph * roots)[1][:, -clusters:]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    return KMeans(clusters, n_init=STARTS, random_state=0).fit_predict(vectors)


def normalised_cut(graph: np.ndarray, clusters: int) -> np.ndarray:
    """J. Shi, J. Malik, 2000: eigenvectors of the random walk."""
    roots = 1 / np.sqrt(graph.sum(1))
    vectors = np.linalg.eigh(roots[:, None] * graph * roots)[1][:, -clusters:] * roots[:, None]
    return KMeans(clusters, n_init=STARTS, random_state=0).fit_predict(vectors)


def symmetric_nmf(graph: np.ndarray, clusters: int) -> np.ndarray:
    """Least |S - H Hᵀ|, H not negative, by the multiplicative rule of C. Ding, X. He, H. Simon, 2005."""
    random, best, least = np.random.default_rng(0), None, np.inf
    similarity = graph / graph.sum()
    for _ in range(STARTS):
        h = random.random((len(graph), clusters)) * np.sqrt(similarity.mean() / clusters)
        for _ in range(ROUNDS):
            h *= 0.5 + 0.5 * (similarity @ h) / np.maximum(h @ (h.T @ h), 1e-300)
        gap = ((h.T @ h) ** 2).sum() - 2 * (h * (similarity @ h)).sum()
        if gap < least:
            best, least = h, gap
    return best.argmax(1)


def kernel_kmeans(graph: np.ndarray, clusters: int) -> np.ndarray:
    """I. Dhillon, Y. Guan, B. Kulis, 2004, of the graph raised to be positive semidefinite."""
    random, best, least = np.random.default_rng(0), None, np.inf
    kernel = graph - min(0, np.linalg.eigvalsh(graph)[0]) * np.eye(len(graph))
    for _ in range(STARTS):
        labels = random.integers(clusters, size=len(graph))
        for _ in range(ROUNDS):
            one = np.eye(clusters)[labels]
            sizes = np.maximum(one.sum(0), 1e-300)
            means = kernel @ one / sizes
            far = np.einsum("ij,ij->j", one, means) / sizes - 2 * means
            if (far.argmin(1) == labels).all():
                break
            labels = far.argmin(1)
        cost = far[np.arange(len(labels)), labels].sum()
        if cost < least:
            best, least = labels, cost
    return best


PEERS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "spectral": spectral,
    "normalised cut": normalised_cut,
    "SymNMF": symmetric_nmf,
    "kernel k-means": kernel_kmeans,
}
