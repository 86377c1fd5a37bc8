"""What scores are judged by in partial fairness (arXiv:2505.12530), exactly, by sorting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partial_data import Part


@dataclass(frozen=True)
class Measures:
    accuracy: float  # share of points with (score > 0) == (target > 0)
    sp: float  # SP^I of (6), through (62)
    dp: float  # DP^I of (10) at threshold 0
    overall_gap: float  # largest difference of the groups' tails over all thresholds
    tail_gap: float  # the same over thresholds at which the tail of one group is in [alpha, beta]


def tails(scores: np.ndarray, part: Part, thresholds: np.ndarray) -> np.ndarray:
    """Pr(score > threshold | group): 2 x thresholds."""
    groups = [np.sort(scores[rows]) for rows in part.rows]
    return np.stack([1 - np.searchsorted(own, thresholds, side="right") / len(own) for own in groups])


def within(tail: np.ndarray, interval: tuple[float, float]) -> np.ndarray:
    """Pr(score > threshold | group, rank in [alpha, beta)) by (62), from the tails."""
    alpha, beta = interval
    return (np.clip(tail, alpha, beta) - alpha) / (beta - alpha)


def gap(tail: np.ndarray) -> np.ndarray:
    return np.abs(tail[0] - tail[1])


def measures(scores: np.ndarray, part: Part, interval: tuple[float, float]) -> Measures:
    """Tails are steps that change at scores only, so the scores are all the thresholds there are."""
    at_scores, at_zero = tails(scores, part, np.unique(scores)), tails(scores, part, np.zeros(1))
    inside = ((at_scores >= interval[0]) & (at_scores <= interval[1])).any(axis=0)
    return Measures(
        accuracy=float(((scores > 0) == (part.targets > 0)).mean()),
        sp=float(gap(within(at_scores, interval)).max()),
        dp=float(gap(within(at_zero, interval)).max()),
        overall_gap=float(gap(at_scores).max()),
        tail_gap=float(gap(at_scores).max(where=inside, initial=0)),
    )
