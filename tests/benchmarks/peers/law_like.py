"""A made-up set with the shares of law school, which is not at hand: 21,000 students, 16 % of a minority of whom fewer
pass, and 11 % who fail."""

from __future__ import annotations

import numpy as np

from partial_data import PartialSet, Rows

LAW_LIKE = PartialSet("law-like", "", (0.7, 1.0))
ROWS, MINORITY, FAIL = 21_000, 0.16, 0.11


def tenths(values: np.ndarray) -> np.ndarray:
    """Each value's tenth of the ranks, 1 to 10."""
    return np.ceil(10 * (np.argsort(np.argsort(values)) + 1) / len(values))


def made(seed: int) -> Rows:
    """Test scores, grades and their tenths, and what else that set has of a student. An ability that no feature shows
    decides with them who passes; the minority's is lower by .9 deviations."""
    random = np.random.default_rng(seed)

    def noise(scale: float) -> np.ndarray:
        return scale * random.normal(size=ROWS)

    group = (random.random(ROWS) < MINORITY).astype(np.int64)
    ability = noise(1) - 0.9 * group
    test = np.clip(np.round(36.5 + 3.5 * ability + noise(3) - group), 11, 48)
    college = np.clip(np.round(3.25 + 0.2 * ability + noise(0.35), 1), 1.5, 4.2)
    tier = np.clip(np.round(3.8 + 0.9 * ability + noise(0.8)), 1, 6)
    income = np.clip(np.round(3.5 - 0.5 * group + noise(0.8)), 1, 5)
    full_time, male = random.random(ROWS) < 0.92, random.random(ROWS) < 0.56
    age = np.round(25 + np.abs(noise(6)))
    first_grade = 0.75 * ability - 0.2 * (tier - 3.8) + noise(0.75)  # good schools grade harder
    last_grade = 0.8 * first_grade + 0.1 * ability + noise(0.45)
    merit = 0.55 * ability + 0.45 * last_grade + 0.064 * (test - 37) + 0.25 * full_time
    merit += random.logistic(scale=0.75, size=ROWS)
    features = [test, college, np.round(first_grade, 2), np.round(last_grade, 2), tenths(first_grade),
                tenths(last_grade), full_time, male, income, tier, age]
    passes = merit > np.quantile(merit, FAIL)
    return Rows(np.column_stack(features).astype(np.float64), group, np.where(passes, 1.0, -1.0), None)
