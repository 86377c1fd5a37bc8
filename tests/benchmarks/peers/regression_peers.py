"""Peers of fair networks, in NumPy: each makes a trained network fair by the training rows of two groups, 0 and 1, and
returns MSE and KS of the test rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import block_diag, csr_matrix, hstack, kron, vstack

BINS = 36  # over the range of the training targets; twice as many as the paper has for compas
RIDGE = 1e-2  # in parts of the mean variance of the inputs, as that of the engine's last layer
LEAST_EIGENVALUE = 1e-9  # in parts of the largest; what is below is rounding of float32


@dataclass(frozen=True)
class Rows:
    """Rows, what they are known to be, and what a network makes of them."""

    rows: np.ndarray  # n x d
    groups: np.ndarray  # n
    targets: np.ndarray  # n
    outputs: np.ndarray  # n


@dataclass(frozen=True)
class Split:
    """A network and rows as `bench_regression networks` prints them; all its hidden layers are rectified."""

    layers: list[tuple[np.ndarray, np.ndarray]]  # weights, outputs x inputs, and bias
    training: Rows
    test: Rows

    @classmethod
    def of(cls, data: dict) -> Split:
        layers = [(np.array(layer["weights"]).reshape(len(layer["bias"]), -1), np.array(layer["bias"]))
                  for layer in data["layers"]]

        def rows_of(part: dict) -> Rows:
            rows = np.array(part["rows"]).reshape(len(part["targets"]), -1)
            active = rows
            for layer in layers[:-1]:
                active = rectified(active, *layer)
            weights, bias = layers[-1]
            return Rows(rows, np.array(part["groups"], int), np.array(part["targets"]), active @ weights[0] + bias[0])

        return cls(layers, rows_of(data["training"]), rows_of(data["test"]))


def rectified(inputs: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return np.maximum(inputs @ weights.T + bias, 0)


def mse_and_ks(outputs: np.ndarray, rows: Rows) -> tuple[float, float]:
    at = np.sort(outputs)
    ranks = [np.searchsorted(np.sort(own), at, side="right") / len(own)
             for own in (outputs[rows.groups == g] for g in (0, 1))]
    return float(np.mean((outputs - rows.targets) ** 2)), float(np.max(np.abs(ranks[0] - ranks[1])))


def quantile_matched(split: Split, part: float) -> tuple[float, float]:
    """E. Chzhen et al., 2020 (21), with the true group of every test row: outputs go the root of `part` of the way to
    the Wasserstein barycentre of the groups' outputs."""
    training, test = split.training, split.test
    sorted_outputs = [np.sort(training.outputs[training.groups == g]) for g in (0, 1)]
    shares = [np.mean(training.groups == g) for g in (0, 1)]
    moved = np.empty_like(test.outputs)
    for g in (0, 1):
        own = test.groups == g
        rank = np.searchsorted(sorted_outputs[g], test.outputs[own], side="right") / len(sorted_outputs[g])
        moved[own] = sum(share * np.quantile(of, rank) for share, of in zip(shares, sorted_outputs, strict=True))
    return mse_and_ks(test.outputs + part**0.5 * (moved - test.outputs), test)


def couplings(histograms: np.ndarray, shares: np.ndarray, alpha: float) -> np.ndarray:
    """Transports of least squared distance, by groups' shares, whose targets are all within alpha / 2 of one
    distribution in KS distance: the linear program of R. Xian et al., 2024, without its noise for privacy.

    From J x B `histograms`, each of sum 1, to J x B x B masses, those of a row summing to the histogram's."""
    groups, bins = histograms.shape
    places = np.arange(bins)
    costs = np.concatenate([share * ((places[:, None] - places) ** 2).ravel() for share in shares])
    below = np.tril(np.ones((bins, bins)))
    targets = block_diag([kron(np.ones((1, bins)), below)] * groups)  # cumulated target of each group
    common = vstack([csr_matrix(below)] * groups)
    gaps = hstack([targets, -common])
    sources = block_diag([kron(np.eye(bins), np.ones((1, bins)))] * groups + [np.ones((1, bins))])
    found = linprog(np.append(costs, np.zeros(bins)), vstack([gaps, -gaps]), np.full(2 * groups * bins, alpha / 2),
                    sources, np.append(histograms.ravel(), 1), method="highs")
    if not found.success:
        raise RuntimeError(f"couplings: {found.message}")
    return np.maximum(found.x[:-bins], 0).reshape(groups, bins, bins)


def transported(split: Split, alpha: float, seed: int) -> tuple[float, float]:
    """R. Xian et al., 2024 (22), with the true group of every test row: outputs become middles of bins, drawn by the
    couplings of the training rows. Those of a bin that no training row of the group is in stay in it."""
    training, test = split.training, split.test
    low, high = training.targets.min(), training.targets.max()
    width = (high - low) / BINS

    def bins_of(rows: Rows) -> np.ndarray:
        return np.clip((rows.outputs - low) // width, 0, BINS - 1).astype(int)

    own = [bins_of(training)[training.groups == g] for g in (0, 1)]
    histograms = np.stack([np.bincount(bins, minlength=BINS) / len(bins) for bins in own])
    masses = couplings(histograms, np.array([len(bins) for bins in own]) / len(training.groups), alpha)
    masses[:, np.arange(BINS), np.arange(BINS)] += np.where(histograms > 0, 0, 1)
    reached = np.cumsum(masses, axis=2)[test.groups, bins_of(test)]
    draws = np.random.default_rng(seed).random(len(reached)) * reached[:, -1]
    moved = np.minimum(np.sum(reached <= draws[:, None], axis=1), BINS - 1)
    return mse_and_ks(low + (moved + 0.5) * width, test)


def eraser(inputs: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The p x p matrix of LEACE (N. Belrose et al., 2023): of all maps of centred inputs, n x p, that leave them
    uncorrelated with the group, the one of least change. With two groups I - c (S+ c)' / (c' S+ c), S the inputs'
    covariance and c theirs with the group."""
    centred, about = inputs - inputs.mean(0), groups - groups.mean()
    values, vectors = np.linalg.eigh(centred.T @ centred / len(inputs))
    kept = values > LEAST_EIGENVALUE * values[-1]
    shared = centred.T @ about / len(inputs)
    whitened = vectors[:, kept] @ (vectors[:, kept].T @ shared / values[kept])
    return np.eye(inputs.shape[1]) - np.outer(shared, whitened) / (shared @ whitened)


def erased(split: Split, layers: tuple[int, ...]) -> tuple[float, float]:
    """LEACE of the inputs of these layers, counted from 0, one after another, and the last layer fitted anew to what is
    left. A part of the way would be worth nothing at the last layer: least squares would undo it."""
    training, test = split.training.rows, split.test.rows
    for number, layer in enumerate(split.layers):
        if number in layers:
            mean, left = training.mean(0), eraser(training, split.training.groups).T
            training, test = mean + (training - mean) @ left, mean + (test - mean) @ left
        if number + 1 < len(split.layers):
            training, test = rectified(training, *layer), rectified(test, *layer)
    mean, targets = training.mean(0), split.training.targets
    centred = training - mean
    covariance = centred.T @ centred / len(centred)
    covariance += RIDGE * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    weights = np.linalg.solve(covariance, centred.T @ (targets - targets.mean()) / len(centred))
    return mse_and_ks((test - mean) @ weights + targets.mean(), split.test)
