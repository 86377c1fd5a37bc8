"""IDCA, the switching subgradient method and the penalised problems of arXiv:2505.12530, in plain NumPy: what
fairstream's model of scores is compared with. A design may be dense, as one would write it first, or sparse, which is
faster."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from partial_constraints import Constraints, Linearised
from partial_data import Part


@dataclass
class Found:
    v: np.ndarray  # w and the free thresholds
    loss: float
    iterations: int  # inner ones
    seconds: float
    violation: float = 0.0  # max_i f_i(v)
    rounds: dict[int, Found] = field(default_factory=dict)  # by outer iterations: the result after them


def loss_and_slope(part: Part, scores: np.ndarray) -> tuple[float, np.ndarray]:
    """The mean logistic loss, (79), and its derivative by each score (n)."""
    margins = part.targets * scores
    small = np.exp(-np.abs(margins))  # one exponential for both
    loss = np.log1p(small).mean() + np.maximum(-margins, 0).mean()
    return float(loss), -part.targets * np.where(margins < 0, 1, small) / (1 + small) / len(margins)


def loss_gradient(part: Part, slope: np.ndarray, size: int) -> np.ndarray:
    found = np.zeros(size)
    found[: part.design.shape[1]] = part.design.T @ slope
    return found


def switching_subgradient(
    part: Part, constraints: Constraints | Linearised, start: np.ndarray, tolerances: Iterable[float]
) -> tuple[np.ndarray, float]:
    """Algorithms 2 and 3: the nearly feasible iterate of least loss; a tolerance for each iteration. `start` and an
    infinite loss when there is none."""
    v, best, least = start.copy(), start, np.inf
    for tolerance in tolerances:
        scores = part.design @ v[: part.design.shape[1]]
        violation, where = constraints.worst(v, scores)
        if violation <= tolerance:
            loss, slope = loss_and_slope(part, scores)
            if loss < least:
                best, least = v.copy(), loss
            direction, length = loss_gradient(part, slope, len(v)), tolerance
        else:
            direction, length = constraints.slope(v, scores, where), violation
        square = direction @ direction
        if square == 0:  # every point is beyond the surrogate's slope: there is no way on
            break
        v -= length / square * direction
    return best, least


def _violation(part: Part, constraints: Constraints, v: np.ndarray) -> float:
    return constraints.worst(v, part.design @ v[: constraints.features])[0]


def idca(constraints: Constraints, tolerance: float, inner: int, outer: int, seen: Iterable[int] = ()) -> Found:
    """Algorithm 1 from a constant score: `outer` rounds (K) of `inner` iterations (T)."""
    part, v, loss, rounds = constraints.part, constraints.start(), np.inf, {}
    began = time.process_time()
    for k in range(1, outer + 1):
        v, loss = switching_subgradient(part, Linearised(constraints, v), v, [tolerance] * inner)
        if k in seen or k == outer:
            rounds[k] = Found(v, loss, k * inner, time.process_time() - began, _violation(part, constraints, v))
    last = rounds[outer]
    last.rounds = rounds
    return last


def direct(constraints: Constraints, tolerances: np.ndarray) -> Found:
    """Algorithm 3: the switching subgradient method on the problem itself."""
    part, began = constraints.part, time.process_time()
    v, loss = switching_subgradient(part, constraints, constraints.start(), tolerances)
    return Found(v, loss, len(tolerances), time.process_time() - began, _violation(part, constraints, v))


def penalised(constraints: Constraints, weight: float, step: float, iterations: int) -> Found:
    """(114) and (119): subgradient descent on loss + weight max_i f_i, the constraints being those of kappa = 0. The
    last iterate is the answer, as in the paper."""
    part, v = constraints.part, constraints.start()
    began = time.process_time()
    for _ in range(iterations):
        scores = part.design @ v[: constraints.features]
        _, slope = loss_and_slope(part, scores)
        _, where = constraints.worst(v, scores)
        v -= step * (loss_gradient(part, slope, len(v)) + weight * constraints.slope(v, scores, where))
    loss, _ = loss_and_slope(part, part.design @ v[: constraints.features])
    return Found(v, loss, iterations, time.process_time() - began, _violation(part, constraints, v))
