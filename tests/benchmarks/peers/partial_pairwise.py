"""Logistic loss under constraints on pairs, (102), (105) and (107) of arXiv:2505.12530 with the quadratic surrogate
(103), and without any: convex problems, solved by Newton's method with a logarithmic barrier.

With sigma(x) = (1 + x)^2 / 2 the mean over pairs of sigma(h_i - h_j) - 1/2 is E[h_i - h_j] + E[(h_i - h_j)^2] / 2: for
a linear model m'w + w'Hw / 2, which moments of the two samples give. To exchange the two groups changes the sign of m
only, so that each of the three is the pair of constraints |m'w| + w'Hw / 2 <= kappa.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_matrix, diags
from scipy.special import expit

from partial_data import Part
from partial_idca import loss_and_slope

RIDGE = 1e-8  # times |w|^2 / 2: makes the minimum unique where columns are dependent or classes separable
GAP = 1e-6  # how far above the minimum the barrier may leave the loss
DECREMENT = 1e-12  # Newton's, squared, at which one barrier is solved
DAMPING = 1e-13  # of the Hessian, times its trace
NEWTON_LIMIT = 100  # of one barrier
SHARPEN = 10.0


@dataclass(frozen=True)
class Moments:
    """Of one sample's rows."""

    mean: np.ndarray  # D
    second: np.ndarray  # D x D

    @classmethod
    def of(cls, part: Part, rows: np.ndarray) -> Moments:
        design = csr_matrix(part.design[rows])
        return cls(np.asarray(design.mean(axis=0)).ravel(), (design.T @ design).toarray() / design.shape[0])


@dataclass(frozen=True)
class Quadratic:
    """m'w + w'Hw / 2."""

    linear: np.ndarray  # m
    hessian: np.ndarray  # H

    @classmethod
    def of(cls, above: Moments, below: Moments) -> Quadratic:
        """The mean of sigma(h_i - h_j) - 1/2 for i in `above` and j in `below`."""
        cross = np.outer(above.mean, below.mean)
        return cls(above.mean - below.mean, above.second + below.second - cross - cross.T)

    def __add__(self, other: Quadratic) -> Quadratic:
        return Quadratic(self.linear + other.linear, self.hessian + other.hessian)


def group_auc(part: Part) -> Quadratic:
    """(102)."""
    return Quadratic.of(*(Moments.of(part, np.flatnonzero(part.groups == k)) for k in (0, 1)))


def _by_class(part: Part) -> dict[tuple[int, int], Moments]:
    """By group and class."""
    keys = ((k, c) for k in (0, 1) for c in (-1, 1))
    return {(k, c): Moments.of(part, np.flatnonzero((part.groups == k) & (part.targets == c))) for k, c in keys}


def inter_group(part: Part) -> Quadratic:
    """(105)."""
    own = _by_class(part)
    return Quadratic.of(own[0, 1], own[1, -1]) + Quadratic.of(own[0, -1], own[1, 1])


def intra_group(part: Part) -> Quadratic:
    """(107)."""
    own = _by_class(part)
    return Quadratic.of(own[0, 1], own[0, -1]) + Quadratic.of(own[1, -1], own[1, 1])


CONSTRAINTS = {"group AUC": group_auc, "inter-group pairs": inter_group, "intra-group pairs": intra_group}


@dataclass(frozen=True)
class Solution:
    w: np.ndarray
    loss: float
    iterations: int  # Newton's
    seconds: float  # processor time


@dataclass
class Barrier:
    """t (loss + ridge) - sum over both signs of log(kappa -+ m'w - w'Hw / 2); without the logarithms if there is no
    quadratic."""

    part: Part
    quadratic: Quadratic | None
    kappa: float

    def slacks(self, w: np.ndarray) -> np.ndarray:
        if self.quadratic is None:
            return np.zeros(0)
        linear, square = self.quadratic.linear @ w, w @ self.quadratic.hessian @ w / 2
        return self.kappa - square - np.array([linear, -linear])

    def value(self, w: np.ndarray, t: float) -> float:
        slacks = self.slacks(w)
        if (slacks <= 0).any():
            return np.inf
        loss, _ = loss_and_slope(self.part, self.part.design @ w)
        return t * (loss + RIDGE / 2 * w @ w) - np.log(slacks).sum()

    def derivatives(self, w: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """The gradient and the Hessian."""
        design = csr_matrix(self.part.design)
        scores = design @ w
        _, slope = loss_and_slope(self.part, scores)
        curvature = expit(scores) * expit(-scores) / len(scores)
        gradient = t * (design.T @ slope + RIDGE * w)
        hessian = t * ((design.T @ diags(curvature) @ design).toarray() + RIDGE * np.eye(len(w)))
        for sign, slack in zip((1, -1), self.slacks(w)):
            normal = (sign * self.quadratic.linear + self.quadratic.hessian @ w) / slack
            gradient += normal
            hessian += np.outer(normal, normal) + self.quadratic.hessian / slack
        return gradient, hessian

    def centre(self, w: np.ndarray, t: float) -> tuple[np.ndarray, int]:
        """Its least point by damped Newton steps from `w`, and how many."""
        value = self.value(w, t)
        for steps in range(NEWTON_LIMIT):
            gradient, hessian = self.derivatives(w, t)
            # With dependent columns the curvature is rounding; any descent direction is enough.
            hessian += DAMPING * np.trace(hessian) * np.eye(len(w))
            step = -cho_solve(cho_factor(hessian), gradient)
            decrement = -gradient @ step
            if decrement / t <= DECREMENT:
                return w, steps
            length, trial = 1.0, self.value(w + step, t)
            while trial > value - 0.1 * length * decrement and length > 1e-10:
                length /= 2
                trial = self.value(w + length * step, t)
            w, value = w + length * step, trial
        return w, NEWTON_LIMIT


def minimise(part: Part, quadratic: Quadratic | None = None, kappa: float = 0.0) -> Solution:
    """The least loss, where |m'w| + w'Hw / 2 <= kappa if a quadratic is given (kappa > 0: w = 0 is inside)."""
    began = time.process_time()
    barrier, w, iterations, t = Barrier(part, quadratic, kappa), np.zeros(part.design.shape[1]), 0, 100.0
    while True:
        w, steps = barrier.centre(w, t)
        iterations += steps
        if quadratic is None or 2 / t <= GAP:
            break
        t *= SHARPEN
    loss, _ = loss_and_slope(part, part.design @ w)
    return Solution(w, loss, iterations, time.process_time() - began)
