"""The constraints of partial fairness as differences of convex functions (arXiv:2505.12530, Examples D.3 and D.5), for
a linear model: f_i = f_i+ - f_i-.

Both problems are made of the same sums, of a group k and a threshold theta_p, of the surrogate sigma+ - sigma-:

    plus_kp = mean over the group of max(h - theta_p + 1/2, 0),   minus_kp = mean of max(h - theta_p - 1/2, 0).

Each f_i+ and f_i- is convex and piecewise linear in these sums, by weights that are not negative. So it is given by a
value and by its weights, 2 x groups x thresholds, and its subgradient follows from theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partial_data import Part

GROUPS = 2
LEVELS = 10  # thresholds of pSP


@dataclass(frozen=True)
class Pieces:
    """Of m functions."""

    values: np.ndarray  # m
    weights: np.ndarray  # m x 2 x GROUPS x thresholds


class Constraints:
    """max_i f_i(v) <= 0 over v = (w, those thresholds that are free)."""

    def __init__(self, part: Part, thresholds: int, free: bool):
        self.part, self.free, self.thresholds = part, free, thresholds
        self.features = part.design.shape[1]
        self.designs = [part.design[rows] for rows in part.rows]

    def levels(self, v: np.ndarray) -> np.ndarray:
        return v[self.features :] if self.free else np.zeros(self.thresholds)

    def sums(self, v: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """(plus, minus) x GROUPS x thresholds."""
        found = np.empty((2, GROUPS, self.thresholds))
        for k, rows in enumerate(self.part.rows):
            excess = scores[rows] - self.levels(v)[:, None]
            found[0, k] = np.maximum(excess + 0.5, 0).mean(axis=1)
            found[1, k] = np.maximum(excess - 0.5, 0).mean(axis=1)
        return found

    def gradient(self, v: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """A subgradient of the sums so weighted (2 x GROUPS x thresholds)."""
        found = np.zeros_like(v)
        for k, rows in enumerate(self.part.rows):
            used = np.flatnonzero(weights[:, k].any(axis=0))
            if len(used) == 0:
                continue
            excess = scores[rows] - self.levels(v)[used, None]
            each = weights[0, k, used, None] * (excess > -0.5) + weights[1, k, used, None] * (excess > 0.5)
            each /= excess.shape[1]
            found[: self.features] += self.designs[k].T @ each.sum(axis=0)
            if self.free:
                found[self.features + used] -= each.sum(axis=1)
        return found

    def start(self) -> np.ndarray:
        """A feasible v that scores all points alike."""
        raise NotImplementedError

    def convex(self, sums: np.ndarray) -> Pieces:
        """f_i+."""
        raise NotImplementedError

    def concave(self, sums: np.ndarray) -> Pieces:
        """f_i-."""
        raise NotImplementedError

    def worst(self, v: np.ndarray, scores: np.ndarray) -> tuple[float, np.ndarray]:
        """max_i f_i and the weights of its subgradient."""
        sums = self.sums(v, scores)
        plus, minus = self.convex(sums), self.concave(sums)
        i = int(np.argmax(plus.values - minus.values))
        return float(plus.values[i] - minus.values[i]), plus.weights[i] - minus.weights[i]

    def slope(self, v: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The subgradient that goes with `worst`."""
        return self.gradient(v, scores, weights)


class StatisticalParity(Constraints):
    """(15): for ten levels p, p <= mean of sigma(h - theta_p) <= p + kappa (beta - alpha) in both groups.

    The levels are spread over all of I, as in the paper's experiments (7.1), not only over the
    [alpha, beta - kappa (beta - alpha)) of which (15) speaks: at large kappa that gives more of both accuracy and
    fairness.
    """

    def __init__(self, part: Part, interval: tuple[float, float], kappa: float):
        super().__init__(part, LEVELS, free=True)
        alpha, beta = interval
        self.width = kappa * (beta - alpha)
        self.ranks = np.linspace(alpha, beta, LEVELS, endpoint=False)  # p
        one_hot = np.eye(GROUPS * LEVELS).reshape(-1, GROUPS, LEVELS)
        none = np.zeros_like(one_hot)
        plus, minus = np.stack([one_hot, none], axis=1), np.stack([none, one_hot], axis=1)
        # First the bounds from below, then those from above.
        self.convex_weights, self.concave_weights = np.concatenate([minus, plus]), np.concatenate([plus, minus])

    def start(self) -> np.ndarray:
        return np.concatenate([np.zeros(self.features), 0.5 - (self.ranks + self.width / 2)])

    def convex(self, sums: np.ndarray) -> Pieces:
        return Pieces(np.concatenate([sums[1].ravel(), sums[0].ravel()]), self.convex_weights)

    def concave(self, sums: np.ndarray) -> Pieces:
        below, above = sums[0] - self.ranks, sums[1] + self.ranks + self.width
        return Pieces(np.concatenate([below.ravel(), above.ravel()]), self.concave_weights)


class DemographicParity(Constraints):
    """(21) at threshold 0, for both orders of the groups (k, l). With M_k(c) = max(minus_k + c, plus_k),

        f+ = plus_k + M_k(alpha) + plus_l + M_l(beta),
        f- = plus_l + M_l(alpha) + plus_k + M_k(beta) + kappa (beta - alpha).

    The sums plus_k and plus_l that both have cancel in f but not in its linearisation, where they only make the convex
    problems tighter, so they are left out. (D.5 also forgets a 1/n_k inside its max.)
    """

    def __init__(self, part: Part, interval: tuple[float, float], kappa: float):
        super().__init__(part, 1, free=False)
        self.interval = interval
        self.width = kappa * (interval[1] - interval[0])

    def start(self) -> np.ndarray:
        """A constant score at which a share in the middle of I is positive, not the paper's 0: there it is 1/2, above
        the beta of both data sets, where the tangents of f- see no gain, and on bank IDCA stays (accuracy .785)."""
        v = np.zeros(self.features)
        v[0] = sum(self.interval) / 2 - 0.5
        return v

    def _larger(self, sums: np.ndarray, k: int, c: float) -> tuple[float, np.ndarray]:
        """M_k(c) and its weights."""
        plus, minus = sums[0, k, 0], sums[1, k, 0] + c
        weights = np.zeros((2, GROUPS, 1))
        weights[0 if plus > minus else 1, k, 0] = 1
        return max(plus, minus), weights

    def _pieces(self, sums: np.ndarray, first: float, second: float, constant: float) -> Pieces:
        """M_k(first) + M_l(second) + constant for (k, l) = (0, 1) and (1, 0)."""
        values, weights = [], []
        for k in range(GROUPS):
            (own, own_weights), (other, other_weights) = self._larger(sums, k, first), self._larger(sums, 1 - k, second)
            values.append(own + other + constant)
            weights.append(own_weights + other_weights)
        return Pieces(np.array(values), np.stack(weights))

    def convex(self, sums: np.ndarray) -> Pieces:
        alpha, beta = self.interval
        return self._pieces(sums, alpha, beta, 0)

    def concave(self, sums: np.ndarray) -> Pieces:
        alpha, beta = self.interval
        return self._pieces(sums, beta, alpha, self.width)


PROBLEMS = {"psp": StatisticalParity, "pdp": DemographicParity}


class Linearised:
    """g_i of (31): every f_i- replaced by its tangent at `centre`."""

    def __init__(self, constraints: Constraints, centre: np.ndarray):
        self.constraints, self.centre = constraints, centre
        scores = constraints.part.design @ centre[: constraints.features]
        tangent = constraints.concave(constraints.sums(centre, scores))
        self.values = tangent.values  # m
        self.slopes = np.stack([constraints.gradient(centre, scores, each) for each in tangent.weights])  # m x |v|

    def worst(self, v: np.ndarray, scores: np.ndarray) -> tuple[float, tuple[int, np.ndarray]]:
        plus = self.constraints.convex(self.constraints.sums(v, scores))
        values = plus.values - self.values - self.slopes @ (v - self.centre)
        i = int(np.argmax(values))
        return float(values[i]), (i, plus.weights[i])

    def slope(self, v: np.ndarray, scores: np.ndarray, found: tuple[int, np.ndarray]) -> np.ndarray:
        i, weights = found
        return self.constraints.gradient(v, scores, weights) - self.slopes[i]
